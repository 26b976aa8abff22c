//! Group numbers of rows.
//!
//! A column's distinct values are numbered in order of first appearance, NULL being a value like any other.
//! One group column: its value numbers are the group numbers. More: the numbers of the first two columns
//! make pairs, which are numbered the same way; those and the third column's make pairs again, and so on.
//! A number stands for a value or a pair for good, so groups of different row groups meet by themselves.

use super::super::kernel::uuid_order;
use super::super::physical::Physical;
use super::{physical_of, result};
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_schema::DataType;
use hashbrown::DefaultHashBuilder;
use hashbrown::hash_table::{Entry, HashTable};
use mainstay_types::Result;
use std::hash::{BuildHasher, Hash};

/// A number that was not given yet.
const UNSEEN: u32 = u32::MAX;

/// The groups of each row of one row group.
#[derive(Debug)]
pub(super) enum Ids {
    /// The codes of a dictionary, how often each occurs, and the group of each that does.
    Codes { codes: arrow_buffer::ScalarBuffer<u8>, counts: Box<[u64; 256]>, groups: Box<[u32; 256]> },
    /// The group of each row.
    Numbers(Vec<u32>),
}

impl Ids {
    /// Rows per slot: per code, or per group.
    pub(super) fn count(&self, groups: usize) -> Vec<u64> {
        match self {
            Ids::Codes { counts, .. } => counts.to_vec(),
            Ids::Numbers(numbers) => {
                let mut counts = vec![0; groups];
                numbers.iter().for_each(|group| counts[*group as usize] += 1);
                counts
            }
        }
    }

    /// The slot of a row.
    pub(super) fn slot(&self, row: usize) -> usize {
        match self {
            Ids::Codes { codes, .. } => usize::from(codes[row]),
            Ids::Numbers(numbers) => numbers[row] as usize,
        }
    }

    /// The group of a slot, `None` for a code that does not occur.
    pub(super) fn group(&self, slot: usize) -> Option<usize> {
        match self {
            Ids::Codes { groups, .. } => groups.get(slot).filter(|group| **group != UNSEEN).map(|g| *g as usize),
            Ids::Numbers(_) => Some(slot),
        }
    }

    /// Calls `visit` with the group and the count of each slot in which something was counted.
    pub(super) fn merge(&self, counts: &[u64], mut visit: impl FnMut(usize, i64)) {
        for (slot, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            if let Some(group) = self.group(slot) {
                visit(group, *count as i64);
            }
        }
    }
}

/// The number of occurrences of each code. Four tables, so that a run of one code does not wait for its own stores.
fn histogram(codes: &[u8]) -> [u64; 256] {
    let mut tables = [[0u32; 256]; 4];
    let (blocks, rest) = codes.as_chunks::<8>();
    for block in blocks {
        // One load for eight codes.
        let eight = u64::from_le_bytes(*block);
        for i in 0..8 {
            tables[i % 4][(eight >> (8 * i)) as u8 as usize] += 1;
        }
    }
    for code in rest {
        tables[0][usize::from(*code)] += 1;
    }
    std::array::from_fn(|code| tables.iter().map(|table| u64::from(table[code])).sum())
}

/// All groups so far.
#[derive(Debug)]
pub(super) struct Groups {
    columns: Vec<Values>,
    /// One less than columns: what the numbers after the first column stand for.
    pairs: Vec<Pairs>,
}

impl Groups {
    pub(super) fn new(columns: usize) -> Groups {
        Groups {
            columns: (0..columns).map(|_| Values::default()).collect(),
            pairs: (1..columns).map(|_| Pairs::default()).collect(),
        }
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        match self.pairs.last() {
            Some(pairs) => pairs.parts.len(),
            None => self.columns.first().map_or(0, |values| values.len()),
        }
    }

    /// The groups of some rows; new ones are added in the order of rows.
    pub(super) fn number(&mut self, keys: &[ArrayRef]) -> Result<Ids> {
        if let ([key], [values]) = (keys, &mut self.columns[..])
            && let (Physical::Codes8(codes, texts), 0) = (physical_of(key, "grouping")?, key.null_count())
        {
            return Ok(values.number_codes(key, codes, texts));
        }
        let (mut numbers, mut known) = (Vec::new(), 0);
        for (i, (key, values)) in keys.iter().zip(&mut self.columns).enumerate() {
            let right = values.number(key)?;
            (numbers, known) = match i.checked_sub(1).and_then(|i| self.pairs.get_mut(i)) {
                None => (right, values.len()),
                Some(pairs) => {
                    let numbers = pairs.number(numbers, &right, known, values.len());
                    (numbers, pairs.parts.len())
                }
            };
        }
        Ok(Ids::Numbers(numbers))
    }

    /// The value of a group column for each group.
    pub(super) fn column(&self, column: usize, output: &DataType) -> Result<ArrayRef> {
        let number = |group: usize| {
            let mut number = group as u32;
            for level in (column.max(1)..=self.pairs.len()).rev() {
                let (left, right) = self.pairs[level - 1].parts[number as usize];
                if level == column {
                    return right as usize;
                }
                number = left;
            }
            number as usize
        };
        let values = &self.columns[column];
        let groups = 0..self.len();
        if result::is_bytes(output) {
            result::bytes(groups.map(|group| values.bytes_of(number(group))), output)
        } else {
            result::numbers(groups.map(|group| values.number_of(number(group))), output)
        }
    }
}

/// A hash table of numbers of values that are stored elsewhere, each with its hash: so growing it does not
/// read the values, and hardly any other value is compared with.
#[derive(Debug, Default)]
struct Numbers {
    table: HashTable<(u64, u32)>,
    hasher: DefaultHashBuilder,
}

impl Numbers {
    /// The number of a value; it becomes `next` if it is new, which is the second answer.
    #[inline]
    fn intern(&mut self, value: &(impl Hash + ?Sized), next: usize, same: impl Fn(usize) -> bool) -> (u32, bool) {
        let hash = self.hasher.hash_one(value);
        let same = |(other, at): &(u64, u32)| *other == hash && same(*at as usize);
        match self.table.entry(hash, same, |(hash, _)| *hash) {
            Entry::Occupied(found) => (found.get().1, false),
            Entry::Vacant(vacant) => {
                vacant.insert((hash, next as u32));
                (next as u32, true)
            }
        }
    }
}

/// The distinct values of one column. A column holds numbers or bytes, never both.
#[derive(Debug, Default)]
struct Values {
    null: Option<u32>,
    /// The number of each value number; for NULL anything.
    numbers: Vec<i128>,
    /// All bytes, and the end of those of each value number; NULL has no bytes.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    table: Numbers,
}

impl Values {
    fn len(&self) -> usize {
        self.numbers.len().max(self.ends.len())
    }

    fn number_of(&self, number: usize) -> Option<i128> {
        if self.null == Some(number as u32) { None } else { self.numbers.get(number).copied() }
    }

    fn bytes_of(&self, number: usize) -> Option<&[u8]> {
        if self.null == Some(number as u32) { None } else { Some(bytes_at(&self.bytes, &self.ends, number)) }
    }

    fn intern_number(&mut self, value: i128) -> u32 {
        let numbers = &self.numbers;
        let same = |at: usize| numbers[at] == value;
        let (number, new) = match i64::try_from(value) {
            Ok(short) => self.table.intern(&short, numbers.len(), same),
            Err(_) => self.table.intern(&value, numbers.len(), same),
        };
        if new {
            self.numbers.push(value);
        }
        number
    }

    fn intern_bytes(&mut self, value: &[u8]) -> u32 {
        let (bytes, ends) = (&self.bytes, &self.ends);
        let (number, new) = self.table.intern(value, ends.len(), |at| bytes_at(bytes, ends, at) == value);
        if new {
            self.bytes.extend_from_slice(value);
            self.ends.push(self.bytes.len());
        }
        number
    }

    /// The number of NULL. It is not in the table, so it needs a place in the list of values.
    fn intern_null(&mut self, is_bytes: bool) -> u32 {
        if let Some(null) = self.null {
            return null;
        }
        let new = self.len() as u32;
        if is_bytes {
            self.ends.push(self.bytes.len())
        } else {
            self.numbers.push(0)
        }
        self.null = Some(new);
        new
    }

    /// The codes of a dictionary that has no NULL rows, as they are.
    fn number_codes(&mut self, key: &ArrayRef, codes: &[u8], texts: &StringViewArray) -> Ids {
        use arrow_array::cast::AsArray;
        let mut groups = Box::new([UNSEEN; 256]);
        let counts = Box::new(histogram(codes));
        let present = counts.iter().filter(|count| **count > 0).count();
        let mut seen = 0;
        for code in codes {
            if seen == present {
                break;
            }
            let group = &mut groups[usize::from(*code)];
            if *group == UNSEEN {
                *group = self.intern_text(texts, usize::from(*code));
                seen += 1;
            }
        }
        let codes = key.as_dictionary::<arrow_array::types::UInt8Type>().keys().values().clone();
        Ids::Codes { codes, counts, groups }
    }

    fn intern_text(&mut self, texts: &StringViewArray, code: usize) -> u32 {
        if texts.is_null(code) { self.intern_null(true) } else { self.intern_bytes(texts.value(code).as_bytes()) }
    }

    /// The value number of each row.
    fn number(&mut self, key: &ArrayRef) -> Result<Vec<u32>> {
        let valid = |row: usize| key.is_valid(row);
        Ok(match physical_of(key, "grouping")? {
            Physical::Codes8(codes, texts) => self.number_texts(codes, texts, key),
            Physical::Codes16(codes, texts) => self.number_texts(codes, texts, key),
            Physical::I8(values) => self.number_whole(values, key),
            Physical::I16(values) => self.number_whole(values, key),
            Physical::I32(values) => self.number_whole(values, key),
            Physical::I64(values) => self.number_whole(values, key),
            Physical::U32(values) => self.number_whole(values, key),
            Physical::I128(values) => self.number_fixed(values.iter().copied(), key),
            Physical::Boolean(array) => self.number_fixed(array.values().iter().map(i128::from), key),
            Physical::Text(array) => {
                self.number_bytes(key.len(), |row| valid(row).then(|| array.value(row).as_bytes()))
            }
            Physical::Binary(array) => self.number_bytes(key.len(), |row| valid(row).then(|| array.value(row))),
            Physical::Uuid(values) => self.number_fixed(values.iter().map(|value| uuid_order(*value)), key),
            Physical::F32(_) | Physical::F64(_) => return Err(super::unsupported("grouping", key.data_type())),
        })
    }

    fn number_texts<C>(&mut self, codes: &[C], texts: &StringViewArray, key: &ArrayRef) -> Vec<u32>
    where
        C: Copy + Into<usize>,
    {
        let mut table = vec![UNSEEN; texts.len()];
        let nulls = key.nulls().filter(|nulls| nulls.null_count() > 0);
        let mut numbers = Vec::with_capacity(codes.len());
        for (row, code) in codes.iter().enumerate() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                numbers.push(self.intern_null(true));
                continue;
            }
            let slot = &mut table[(*code).into()];
            if *slot == UNSEEN {
                *slot = self.intern_text(texts, (*code).into());
            }
            numbers.push(*slot);
        }
        numbers
    }

    /// Whole numbers. Where they lie close together a table over their range takes the place of the hash table.
    fn number_whole<T: Copy + Ord + Into<i64>>(&mut self, values: &[T], key: &ArrayRef) -> Vec<u32> {
        let Some(first) = values.first() else { return Vec::new() };
        // The value under a NULL is arbitrary, and any will do.
        let (least, greatest) =
            values.iter().fold((*first, *first), |(least, greatest), value| (least.min(*value), greatest.max(*value)));
        let (least, greatest): (i64, i64) = (least.into(), greatest.into());
        let range = greatest.checked_sub(least).and_then(|range| usize::try_from(range).ok());
        let Some(range) = range.filter(|range| *range < SMALL && range / 4 <= values.len()) else {
            return self.number_fixed(values.iter().map(|value| i128::from((*value).into())), key);
        };
        let mut known = vec![UNSEEN; range + 1];
        let mut number = |values: &mut Values, value: T| {
            let value: i64 = value.into();
            let slot = &mut known[(value - least) as usize];
            if *slot == UNSEEN {
                *slot = values.intern_number(value.into());
            }
            *slot
        };
        match key.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => values.iter().map(|value| number(self, *value)).collect(),
            Some(nulls) => {
                let rows = values.iter().zip(nulls.iter());
                rows.map(|(value, valid)| if valid { number(self, *value) } else { self.intern_null(false) }).collect()
            }
        }
    }

    fn number_fixed(&mut self, values: impl Iterator<Item = i128>, key: &ArrayRef) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(key.len());
        // Files are often ordered: the value before is worth a look.
        let mut last: Option<(i128, u32)> = None;
        let nulls = key.nulls();
        for (row, value) in values.enumerate() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                numbers.push(self.intern_null(false));
                continue;
            }
            let number = match last {
                Some((before, number)) if before == value => number,
                _ => self.intern_number(value),
            };
            last = Some((value, number));
            numbers.push(number);
        }
        numbers
    }

    fn number_bytes<'a>(&mut self, rows: usize, value: impl Fn(usize) -> Option<&'a [u8]>) -> Vec<u32> {
        let number = |row| match value(row) {
            Some(bytes) => self.intern_bytes(bytes),
            None => self.intern_null(true),
        };
        (0..rows).map(number).collect()
    }
}

/// The distinct pairs of a number so far and the next column's value number.
#[derive(Debug, Default)]
struct Pairs {
    parts: Vec<(u32, u32)>,
    table: Numbers,
}

/// While there can be no more pairs than this, they are looked up in a plain table.
const SMALL: usize = 1 << 16;

impl Pairs {
    /// The pair numbers of rows with these left and right numbers, of which there are so many.
    fn number(&mut self, mut left: Vec<u32>, right: &[u32], lefts: usize, rights: usize) -> Vec<u32> {
        match lefts.checked_mul(rights).filter(|pairs| *pairs <= SMALL) {
            Some(pairs) => {
                let mut known = vec![UNSEEN; pairs];
                for (left, right) in left.iter_mut().zip(right) {
                    let slot = &mut known[*left as usize * rights + *right as usize];
                    if *slot == UNSEEN {
                        *slot = self.intern((*left, *right));
                    }
                    *left = *slot;
                }
            }
            None => left.iter_mut().zip(right).for_each(|(left, right)| *left = self.intern((*left, *right))),
        }
        left
    }

    fn intern(&mut self, pair: (u32, u32)) -> u32 {
        let parts = &self.parts;
        let (number, new) = self.table.intern(&pair, parts.len(), |at| parts[at] == pair);
        if new {
            self.parts.push(pair);
        }
        number
    }
}

fn bytes_at<'a>(bytes: &'a [u8], ends: &[usize], at: usize) -> &'a [u8] {
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &bytes[start..ends[at]]
}
