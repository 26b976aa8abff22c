//! The first rows of a table in an order: ORDER BY with LIMIT.
//!
//! The best `limit` rows so far are kept in a heap with the worst of them on top. Once it is full, nearly
//! every row of a large table is worse than that worst row, and only the first key is needed to see it. So
//! the first key, if it is of fixed width, is compared with the worst row's in blocks (64 rows a word), and
//! only the rows that pass are looked at one by one:
//!
//! ```text
//!   block of rows --> first key before (or with) the worst's?  --> no bits: next block
//!                                                              --> each bit: full compare, replace the worst
//! ```
//!
//! Blocks start small and grow, because the bound tightens fastest at the beginning. Rows that compare equal
//! keep the order of their numbers. Numbers order by value, doubles in total order, text by bytes.

use super::bits::{clear_tail, each_bit, live_words, words};
use super::kernel::{self, Fixed};
use super::physical::{self, Physical};
use super::select::by_code;
use super::{Vectors, text, unsupported, vector_of};
use crate::predicate::Comparison;
use arrow_array::{Array, StringViewArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use mainstay_types::Result;
use std::cmp::Ordering;

/// One key of an ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// The column.
    pub column: usize,
    /// DESC.
    pub descending: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
}

/// The first rows in an order, over any number of row groups.
#[derive(Debug)]
pub struct Top {
    keys: Vec<SortKey>,
    limit: usize,
    /// A binary heap, the last of the kept rows in order at its root.
    heap: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    row: u64,
    keys: Vec<Owned>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owned {
    Null,
    Number(i128),
    Bytes(Box<[u8]>),
}

/// A key of one row, borrowed from its vector.
#[derive(Clone, Copy)]
enum Cell<'a> {
    Null,
    Number(i128),
    Bytes(&'a [u8]),
}

impl Cell<'_> {
    fn to_owned(self) -> Owned {
        match self {
            Cell::Null => Owned::Null,
            Cell::Number(number) => Owned::Number(number),
            Cell::Bytes(bytes) => Owned::Bytes(bytes.into()),
        }
    }
}

/// A key's vector in the current group.
struct Column<'a> {
    key: SortKey,
    vector: &'a dyn Array,
    physical: Physical<'a>,
    /// The bits of the rows that are not NULL, if some are.
    valid: Option<Vec<u64>>,
}

impl<'a> Column<'a> {
    fn cell(&self, row: usize) -> Cell<'a> {
        if self.vector.is_null(row) {
            return Cell::Null;
        }
        match self.physical {
            Physical::I8(values) => Cell::Number(i128::from(values[row])),
            Physical::I16(values) => Cell::Number(i128::from(values[row])),
            Physical::I32(values) => Cell::Number(i128::from(values[row])),
            Physical::I64(values) => Cell::Number(i128::from(values[row])),
            Physical::I128(values) => Cell::Number(values[row]),
            Physical::U32(values) => Cell::Number(i128::from(values[row])),
            Physical::F32(values) => Cell::Number(i128::from(values[row].key())),
            Physical::F64(values) => Cell::Number(i128::from(values[row].key())),
            Physical::Uuid(values) => Cell::Number(values[row].key()),
            Physical::Boolean(array) => Cell::Number(i128::from(array.value(row))),
            Physical::Text(array) => Cell::Bytes(array.value(row).as_bytes()),
            Physical::Binary(array) => Cell::Bytes(array.value(row)),
            Physical::Codes8(codes, texts) => text_cell(texts, usize::from(codes[row])),
            Physical::Codes16(codes, texts) => text_cell(texts, usize::from(codes[row])),
        }
    }

    fn compare(&self, row: usize, kept: &Owned) -> Ordering {
        let order = match (self.cell(row), kept) {
            (Cell::Null, Owned::Null) => return Ordering::Equal,
            (Cell::Null, _) => return if self.key.nulls_first { Ordering::Less } else { Ordering::Greater },
            (_, Owned::Null) => return if self.key.nulls_first { Ordering::Greater } else { Ordering::Less },
            (Cell::Number(number), Owned::Number(kept)) => number.cmp(kept),
            (Cell::Bytes(bytes), Owned::Bytes(kept)) => bytes.cmp(kept),
            // One column has one type.
            _ => Ordering::Equal,
        };
        if self.key.descending { order.reverse() } else { order }
    }
}

fn text_cell(texts: &StringViewArray, code: usize) -> Cell<'_> {
    if texts.is_null(code) { Cell::Null } else { Cell::Bytes(texts.value(code).as_bytes()) }
}

/// The first and the largest block of rows that is compared at once.
const BLOCKS: (usize, usize) = (256, 8192);

impl Top {
    /// Returns true if a column of this physical type can be a key.
    pub fn supports(data_type: &DataType) -> bool {
        physical::is_known(data_type)
    }

    /// The first `limit` rows ordered by these keys.
    pub fn new(keys: Vec<SortKey>, limit: usize) -> Top {
        Top { keys, limit, heap: Vec::new() }
    }

    /// Takes a row group: its vectors, how many rows they have, which are selected (`None`: all), and the
    /// number of the first of them in the table. Groups must come in ascending order of rows.
    pub fn update(
        &mut self,
        first_row: u64,
        vectors: &dyn Vectors,
        rows: usize,
        selection: Option<&BooleanBuffer>,
    ) -> Result<()> {
        let mut columns = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let vector = vector_of(vectors, key.column, rows)?;
            let physical = Physical::of(vector).ok_or_else(|| unsupported("ordering", vector.data_type()))?;
            columns.push(Column { key: *key, vector, physical, valid: live_words(vector, None) });
        }
        if self.limit == 0 {
            return Ok(());
        }
        let selected: Option<Vec<u64>> = selection.map(|selection| words(selection).collect());
        let (mut start, mut block) = (0, BLOCKS.0);
        let mut candidates = vec![0; BLOCKS.1 / 64];
        while start < rows {
            let end = rows.min(start + block);
            let candidates = &mut candidates[..(end - start).div_ceil(64)];
            self.candidates(&columns, start, end, candidates);
            for (i, word) in candidates.iter().enumerate() {
                let word = selected.as_ref().map_or(*word, |selected| *word & selected[start / 64 + i]);
                each_bit(word, |bit| self.offer(&columns, start + 64 * i + bit, first_row));
            }
            start = end;
            if self.heap.len() == self.limit {
                block = BLOCKS.1.min(block * 2);
            }
        }
        Ok(())
    }

    /// Fills in which rows of a block may be among the first: at least all that are.
    fn candidates(&self, columns: &[Column<'_>], start: usize, end: usize, words: &mut [u64]) {
        words.fill(u64::MAX);
        clear_tail(words, end);
        let (Some(first), true) = (columns.first(), self.heap.len() == self.limit) else { return };
        // With one key an equal row loses to the worst, which came before it.
        let strict = columns.len() == 1;
        let worst = match self.heap[0].keys.first() {
            // Every NULL is equal to the worst, every other row comes after it.
            Some(Owned::Null) if first.key.nulls_first && strict => return words.fill(0),
            Some(worst @ (Owned::Number(_) | Owned::Bytes(_))) => worst,
            _ => return,
        };
        let descending = first.key.descending;
        match (first.physical, worst) {
            (Physical::I8(values), Owned::Number(at)) => bound(&values[start..end], *at, descending, strict, words),
            (Physical::I16(values), Owned::Number(at)) => bound(&values[start..end], *at, descending, strict, words),
            (Physical::Uuid(values), Owned::Number(at)) => bound(&values[start..end], *at, descending, strict, words),
            (Physical::I32(values), Owned::Number(at)) => bound(&values[start..end], *at, descending, strict, words),
            (Physical::I64(values), Owned::Number(at)) => bound(&values[start..end], *at, descending, strict, words),
            (Physical::I128(values), Owned::Number(at)) => bound(&values[start..end], *at, descending, strict, words),
            (Physical::U32(values), Owned::Number(at)) => bound(&values[start..end], *at, descending, strict, words),
            (Physical::F32(values), Owned::Number(at)) => {
                bound(&values[start..end], one_zero(*at), descending, false, words);
            }
            (Physical::F64(values), Owned::Number(at)) => {
                bound(&values[start..end], one_zero(*at), descending, false, words);
            }
            (Physical::Codes8(codes, texts), Owned::Bytes(at)) if texts.null_count() == 0 => {
                by_code(&codes[start..end], before(texts, at, descending, strict), words);
            }
            (Physical::Codes16(codes, texts), Owned::Bytes(at))
                if texts.null_count() == 0 && texts.len() <= SMALL_DICTIONARY =>
            {
                by_code(&codes[start..end], before(texts, at, descending, strict), words);
            }
            (Physical::Text(array), Owned::Bytes(at)) => {
                let op = comparison(descending, strict);
                words.copy_from_slice(&text::ordered(&array.slice(start, end - start), op, at).words);
            }
            _ => return,
        }
        if let (true, Some(valid)) = (first.key.nulls_first, &first.valid) {
            words.iter_mut().zip(&valid[start / 64..]).for_each(|(word, valid)| *word |= !valid);
            clear_tail(words, end);
        }
    }

    /// Keeps a row if it belongs among the first.
    fn offer(&mut self, columns: &[Column<'_>], row: usize, first_row: u64) {
        if self.heap.len() == self.limit {
            let worst = &self.heap[0];
            let before = columns.iter().zip(&worst.keys).map(|(column, kept)| column.compare(row, kept));
            // An equal row comes later in the table than the worst, so it stays out.
            if before.fold(Ordering::Equal, Ordering::then) != Ordering::Less {
                return;
            }
            self.heap[0] = Kept::new(columns, row, first_row);
            self.sink(0);
        } else {
            self.heap.push(Kept::new(columns, row, first_row));
            self.rise(self.heap.len() - 1);
        }
    }

    fn order(&self, a: &Kept, b: &Kept) -> Ordering {
        for (key, (a, b)) in self.keys.iter().zip(a.keys.iter().zip(&b.keys)) {
            let order = match (a, b) {
                (Owned::Null, Owned::Null) => Ordering::Equal,
                (Owned::Null, _) => {
                    if key.nulls_first {
                        Ordering::Less
                    } else {
                        Ordering::Greater
                    }
                }
                (_, Owned::Null) => {
                    if key.nulls_first {
                        Ordering::Greater
                    } else {
                        Ordering::Less
                    }
                }
                (a, b) if key.descending => b.cmp(a),
                (a, b) => a.cmp(b),
            };
            if order.is_ne() {
                return order;
            }
        }
        a.row.cmp(&b.row)
    }

    fn rise(&mut self, mut child: usize) {
        while child > 0 {
            let parent = (child - 1) / 2;
            if self.order(&self.heap[child], &self.heap[parent]).is_le() {
                return;
            }
            self.heap.swap(child, parent);
            child = parent;
        }
    }

    fn sink(&mut self, mut parent: usize) {
        loop {
            let mut last = parent;
            for child in [2 * parent + 1, 2 * parent + 2] {
                if child < self.heap.len() && self.order(&self.heap[child], &self.heap[last]).is_gt() {
                    last = child;
                }
            }
            if last == parent {
                return;
            }
            self.heap.swap(parent, last);
            parent = last;
        }
    }

    /// The numbers of the first rows, in order.
    pub fn finish(mut self) -> Vec<u64> {
        let mut heap = std::mem::take(&mut self.heap);
        heap.sort_by(|a, b| self.order(a, b));
        heap.into_iter().map(|kept| kept.row).collect()
    }
}

impl Kept {
    fn new(columns: &[Column<'_>], row: usize, first_row: u64) -> Kept {
        Kept {
            row: first_row.saturating_add(row as u64),
            keys: columns.iter().map(|column| column.cell(row).to_owned()).collect(),
        }
    }
}

/// The comparison that a row must satisfy against the worst row to come before it (or with it, unless `strict`).
fn comparison(descending: bool, strict: bool) -> Comparison {
    match (descending, strict) {
        (false, true) => Comparison::Less,
        (false, false) => Comparison::LessOrEqual,
        (true, true) => Comparison::Greater,
        (true, false) => Comparison::GreaterOrEqual,
    }
}

/// The worst row's double as the compare sees it. It takes both zeros for one, so equal ones must pass and be
/// looked at.
fn one_zero(worst: i128) -> i128 {
    i128::from(kernel::signless(kernel::from_total_order(worst as i64)))
}

/// A dictionary of 16-bit codes up to this size is compared with the worst row's text for every block.
const SMALL_DICTIONARY: usize = 1024;

/// Which texts of a dictionary come before the worst row's (or are equal to it, unless `strict`).
fn before(texts: &StringViewArray, worst: &[u8], descending: bool, strict: bool) -> Vec<bool> {
    let test = |code| {
        let order = texts.value(code).as_bytes().cmp(worst);
        let order = if descending { order.reverse() } else { order };
        order.is_lt() || !strict && order.is_eq()
    };
    (0..texts.len()).map(test).collect()
}

/// Which values come before the worst (or with it, unless `strict`).
fn bound<T: Fixed>(values: &[T], worst: i128, descending: bool, strict: bool, words: &mut [u64]) {
    let step = i128::from(strict);
    let (low, high) = if descending {
        (worst.saturating_add(step), T::widen(T::MAX))
    } else {
        (T::widen(T::MIN), worst.saturating_sub(step))
    };
    match (T::narrow(low), T::narrow(high)) {
        (Some(low), Some(high)) => kernel::between(values, low, high, words),
        _ => words.fill(0),
    }
}
