//! The state of each group: the number of values of a column, their sum, minimum and maximum.
//!
//! A row group is folded into slots of the column's own width first (a 32-bit decimal sums in 64 bits),
//! one slot a group or, for dictionary codes, a code. The slots are then merged into 128-bit totals. So the
//! inner loops are narrow, and no column type has more than 2^32 rows in a slot before it is widened.
//!
//! A total that leaves its 128 bits wraps, and a counter records how often it has left them: so it may come back. Only
//! vectors of numbers close to that size are added up row by row, with a check of each.

use super::super::bits::each_bit;
use super::super::kernel::{self, Fixed, Folded};
use super::super::physical::Physical;
use super::groups::Ids;
use super::{Function, physical_of, result};
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_schema::DataType;
use mainstay_types::{Code, Error, Result};

/// The aggregates that are needed of a column beyond the count of its values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    pub(super) sum: bool,
    pub(super) min: bool,
    pub(super) max: bool,
}

/// The totals of one column, by group. Lists of what is not needed, or not of this type, stay empty.
#[derive(Debug, Default)]
pub(super) struct State {
    count: Vec<i64>,
    sum: Vec<i128>,
    /// The number of times a sum has overflowed 128 bits: upwards less downwards.
    beyond: Vec<i64>,
    double: Vec<f64>,
    min: Vec<i128>,
    max: Vec<i128>,
    least: Vec<Option<Box<[u8]>>>,
    greatest: Vec<Option<Box<[u8]>>>,
    /// True if the column stores doubles.
    is_double: bool,
}

impl State {
    pub(super) fn grow(&mut self, groups: usize, needs: Needs) {
        self.count.resize(groups, 0);
        if needs.sum {
            self.sum.resize(groups, 0);
            self.beyond.resize(groups, 0);
            self.double.resize(groups, 0.0);
        }
        if needs.min {
            self.min.resize(groups, i128::MAX);
            self.least.resize(groups, None);
        }
        if needs.max {
            self.max.resize(groups, i128::MIN);
            self.greatest.resize(groups, None);
        }
    }

    /// Adds what another state knows of group 0.
    pub(super) fn absorb(&mut self, other: &State) {
        let add = |known: &mut Vec<i64>, other: &[i64]| known.iter_mut().zip(other).for_each(|(a, b)| *a += b);
        add(&mut self.count, &other.count);
        (0..self.sum.len().min(other.sum.len())).for_each(|group| self.add_to_sum(group, other.sum[group]));
        add(&mut self.beyond, &other.beyond);
        self.double.iter_mut().zip(&other.double).for_each(|(a, b)| *a += b);
        self.min.iter_mut().zip(&other.min).for_each(|(a, b)| *a = (*a).min(*b));
        self.max.iter_mut().zip(&other.max).for_each(|(a, b)| *a = (*a).max(*b));
        for (known, other) in self.least.iter_mut().zip(&other.least) {
            if other.is_some() && (known.is_none() || other < known) {
                known.clone_from(other);
            }
        }
        for (known, other) in self.greatest.iter_mut().zip(&other.greatest) {
            // No value is less than any.
            if other > known {
                known.clone_from(other);
            }
        }
        self.is_double |= other.is_double;
    }

    /// Folds all rows (those in `live`) into group 0.
    pub(super) fn add_all(&mut self, vector: &ArrayRef, live: Option<&[u64]>, needs: Needs) -> Result<()> {
        match physical_of(vector, "aggregating")? {
            Physical::I8(values) => self.merge(0, &kernel::fold(values, live), needs),
            Physical::I16(values) => self.merge(0, &kernel::fold(values, live), needs),
            Physical::I32(values) => self.merge(0, &kernel::fold(values, live), needs),
            Physical::I64(values) => self.merge(0, &kernel::fold(values, live), needs),
            Physical::I128(values) if needs.sum && may_leave(values) => {
                self.merge(0, &kernel::fold(values, live), Needs { sum: false, ..needs });
                each_live(live, values.len(), |row| self.add_to_sum(0, values[row]));
            }
            Physical::I128(values) => self.merge(0, &kernel::fold(values, live), needs),
            Physical::U32(values) => self.merge(0, &kernel::fold(values, live), needs),
            Physical::Uuid(values) => self.merge(0, &kernel::fold(values, live), needs),
            Physical::F32(values) => {
                self.is_double = true;
                self.merge(0, &kernel::fold(values, live), needs);
            }
            Physical::F64(values) => {
                self.is_double = true;
                self.merge(0, &kernel::fold(values, live), needs);
            }
            Physical::Boolean(array) => {
                let values: Vec<i32> = array.values().iter().map(i32::from).collect();
                self.merge(0, &kernel::fold(&values, live), needs);
            }
            Physical::Text(array) => {
                each_live(live, array.len(), |row| self.add_bytes(0, array.value(row).as_bytes(), needs));
            }
            Physical::Binary(array) => each_live(live, array.len(), |row| self.add_bytes(0, array.value(row), needs)),
            Physical::Codes8(codes, texts) => self.add_codes(codes, texts, live, needs),
            Physical::Codes16(codes, texts) => self.add_codes(codes, texts, live, needs),
        }
        Ok(())
    }

    /// Of a dictionary only the texts that occur are compared.
    fn add_codes<C>(&mut self, codes: &[C], texts: &StringViewArray, live: Option<&[u64]>, needs: Needs)
    where
        C: Copy + Into<usize>,
    {
        let mut counts = vec![0i64; texts.len()];
        each_live(live, codes.len(), |row| counts[codes[row].into()] += 1);
        for (code, count) in counts.iter().enumerate().filter(|(code, n)| **n > 0 && texts.is_valid(*code)) {
            self.add_bytes(0, texts.value(code).as_bytes(), needs);
            self.count[0] += count - 1;
        }
    }

    fn add_bytes(&mut self, group: usize, bytes: &[u8], needs: Needs) {
        self.count[group] += 1;
        if needs.min && self.least[group].as_deref().is_none_or(|least| bytes < least) {
            self.least[group] = Some(bytes.into());
        }
        if needs.max && self.greatest[group].as_deref().is_none_or(|greatest| bytes > greatest) {
            self.greatest[group] = Some(bytes.into());
        }
    }

    fn merge<T: Fixed>(&mut self, group: usize, folded: &Folded<T>, needs: Needs) {
        if folded.count == 0 {
            return;
        }
        self.count[group] += folded.count as i64;
        if needs.sum {
            let (whole, double) = T::total(folded.sum);
            self.add_to_sum(group, whole);
            self.double[group] += double;
        }
        if needs.min {
            self.min[group] = self.min[group].min(T::widen(folded.min));
        }
        if needs.max {
            self.max[group] = self.max[group].max(T::widen(folded.max));
        }
    }

    #[inline]
    fn add_to_sum(&mut self, group: usize, more: i128) {
        let (sum, has_left) = self.sum[group].overflowing_add(more);
        self.sum[group] = sum;
        if has_left {
            self.beyond[group] += if more > 0 { 1 } else { -1 };
        }
    }

    /// Folds each row into its group. `rows` is the number of rows of each slot of `ids`.
    pub(super) fn add_grouped(&mut self, vector: &ArrayRef, ids: &Ids, rows: &[u64], needs: Needs) -> Result<()> {
        match physical_of(vector, "aggregating")? {
            Physical::I8(values) => self.add_fixed(values, vector, ids, rows, needs),
            Physical::I16(values) => self.add_fixed(values, vector, ids, rows, needs),
            Physical::I32(values) => self.add_fixed(values, vector, ids, rows, needs),
            Physical::I64(values) => self.add_fixed(values, vector, ids, rows, needs),
            Physical::I128(values) if needs.sum && may_leave(values) => {
                self.add_fixed(values, vector, ids, rows, Needs { sum: false, ..needs });
                for row in (0..values.len()).filter(|row| vector.is_valid(*row)) {
                    if let Some(group) = ids.group(ids.slot(row)) {
                        self.add_to_sum(group, values[row]);
                    }
                }
            }
            Physical::I128(values) => self.add_fixed(values, vector, ids, rows, needs),
            Physical::U32(values) => self.add_fixed(values, vector, ids, rows, needs),
            Physical::Uuid(values) => self.add_fixed(values, vector, ids, rows, needs),
            Physical::F32(values) => {
                self.is_double = true;
                self.add_fixed(values, vector, ids, rows, needs);
            }
            Physical::F64(values) => {
                self.is_double = true;
                self.add_fixed(values, vector, ids, rows, needs);
            }
            Physical::Boolean(array) => {
                let values: Vec<i32> = array.values().iter().map(i32::from).collect();
                self.add_fixed(&values, vector, ids, rows, needs);
            }
            Physical::Text(array) => self.add_texts(vector, ids, needs, |row| Some(array.value(row).as_bytes())),
            Physical::Binary(array) => self.add_texts(vector, ids, needs, |row| Some(array.value(row))),
            Physical::Codes8(codes, texts) => {
                self.add_texts(vector, ids, needs, |row| text_of(texts, usize::from(codes[row])));
            }
            Physical::Codes16(codes, texts) => {
                self.add_texts(vector, ids, needs, |row| text_of(texts, usize::from(codes[row])));
            }
        }
        Ok(())
    }

    fn add_texts<'a>(&mut self, vector: &ArrayRef, ids: &Ids, needs: Needs, value: impl Fn(usize) -> Option<&'a [u8]>) {
        for row in (0..vector.len()).filter(|row| vector.is_valid(*row)) {
            if let (Some(group), Some(bytes)) = (ids.group(ids.slot(row)), value(row)) {
                self.add_bytes(group, bytes, needs);
            }
        }
    }

    fn add_fixed<T: Fixed>(&mut self, values: &[T], vector: &ArrayRef, ids: &Ids, rows: &[u64], needs: Needs) {
        let live = super::live_words(vector, None);
        let slots = match ids {
            Ids::Codes { codes, .. } => fold_slots(codes, values, live.as_deref(), rows, needs),
            Ids::Numbers(numbers) => fold_slots(numbers, values, live.as_deref(), rows, needs),
        };
        for (slot, folded) in slots.iter().enumerate() {
            if let Some(group) = ids.group(slot) {
                self.merge(group, folded, needs);
            }
        }
    }

    /// Errors: `InvalidValue` for a sum of more digits than a decimal of this precision has.
    fn check_digits(&self, sums: &[Option<i128>], precision: u8) -> Result<()> {
        let limit = 10u128.saturating_pow(u32::from(precision));
        let has_digits = |sum: &i128| sum.unsigned_abs() < limit;
        match self.beyond.iter().all(|times| *times == 0) && sums.iter().flatten().all(has_digits) {
            true => Ok(()),
            false => Err(Error::new(Code::InvalidValue, format!("a sum has more than {precision} digits"))),
        }
    }

    /// The column of results of one function.
    pub(super) fn result(&self, function: Function, scale: i8, output: &DataType) -> Result<ArrayRef> {
        let some = |values: &[i128]| -> Vec<Option<i128>> {
            values.iter().zip(&self.count).map(|(value, count)| (*count > 0).then_some(*value)).collect()
        };
        match function {
            Function::Count | Function::CountColumn => result::counts(&self.count, output),
            Function::Min if result::is_bytes(output) => result::bytes(self.least.iter().map(Option::as_deref), output),
            Function::Max if result::is_bytes(output) => {
                result::bytes(self.greatest.iter().map(Option::as_deref), output)
            }
            Function::Min => result::numbers(some(&self.min).into_iter(), output),
            Function::Max => result::numbers(some(&self.max).into_iter(), output),
            Function::Sum if *output == DataType::Float64 => {
                Ok(result::doubles(self.double.iter().zip(&self.count).map(|(sum, n)| (*n > 0).then_some(*sum))))
            }
            Function::Sum => {
                let sums = some(&self.sum);
                let is_too_large = |sum: &i128| i64::try_from(*sum).is_err();
                if *output == DataType::Int64 && sums.iter().flatten().any(is_too_large) {
                    return Err(Error::new(Code::InvalidValue, "a sum is out of range"));
                }
                if let DataType::Decimal128(precision, _) = output {
                    self.check_digits(&sums, *precision)?;
                }
                result::numbers(sums.into_iter(), output)
            }
            Function::Avg if *output == DataType::Float64 => {
                let sums = self.sum.iter().zip(&self.double);
                let sums = sums.map(|(sum, double)| if self.is_double { *double } else { *sum as f64 });
                Ok(result::doubles(sums.zip(&self.count).map(|(sum, n)| (*n > 0).then(|| sum / *n as f64))))
            }
            Function::Avg => {
                let averages = some(&self.sum).into_iter().zip(&self.count);
                let averages = averages
                    .map(|(sum, count)| sum.map(|sum| result::decimal_average(sum, *count, scale, output)).transpose());
                result::numbers(averages.collect::<Result<Vec<_>>>()?.into_iter(), output)
            }
        }
    }
}

/// Returns true if a sum of these numbers might have more than 128 bits: there are less than 2^17 of them.
fn may_leave(values: &[i128]) -> bool {
    const ROWS_BITS: u32 = 17;
    let bits = values.iter().fold(0, |bits, value| bits | (value ^ (value >> 127)));
    bits.leading_zeros() <= ROWS_BITS || values.len() >> ROWS_BITS > 0
}

fn text_of(texts: &StringViewArray, code: usize) -> Option<&[u8]> {
    texts.is_valid(code).then(|| texts.value(code).as_bytes())
}

fn each_live(live: Option<&[u64]>, rows: usize, mut visit: impl FnMut(usize)) {
    match live {
        None => (0..rows).for_each(visit),
        Some(words) => {
            for (i, word) in words.iter().enumerate() {
                each_bit(*word, |bit| visit(64 * i + bit));
            }
        }
    }
}

/// Interleaved copies of the slots: a run of rows of one group would otherwise wait for its own stores.
const COPIES: usize = 4;

/// With more slots than this, the copies would fall out of the nearest cache.
const FEW_SLOTS: usize = 256;

/// Folds each value into the slot of its row.
fn fold_slots<T: Fixed, I: Copy + Slot>(
    ids: &[I],
    values: &[T],
    live: Option<&[u64]>,
    rows: &[u64],
    needs: Needs,
) -> Vec<Folded<T>> {
    let mut slots = vec![Folded::<T>::empty(); rows.len()];
    if live.is_none() {
        slots.iter_mut().zip(rows).for_each(|(slot, rows)| slot.count = *rows);
    }
    if needs.sum && live.is_none() && rows.len() <= FEW_SLOTS {
        sum_few_slots(ids, values, &mut slots);
    } else if needs.sum || live.is_some() {
        for (row, (id, value)) in ids.iter().zip(values).enumerate() {
            let keep = live.is_none_or(|live| (live[row / 64] >> (row % 64)) & 1 == 1);
            let slot = &mut slots[id.slot()];
            slot.sum = T::add(slot.sum, *value, keep);
            slot.count += u64::from(keep && live.is_some());
        }
    }
    if needs.min || needs.max {
        // The extremes of a group soon change rarely: a comparison is cheaper than a store.
        let look = |slot: &mut Folded<T>, key| {
            if key < slot.min {
                slot.min = key;
            }
            if key > slot.max {
                slot.max = key;
            }
        };
        match live {
            None => ids.iter().zip(values).for_each(|(id, value)| look(&mut slots[id.slot()], value.key())),
            Some(_) => each_live(live, values.len(), |row| look(&mut slots[ids[row].slot()], values[row].key())),
        }
    }
    slots
}

fn sum_few_slots<T: Fixed, I: Copy + Slot>(ids: &[I], values: &[T], slots: &mut [Folded<T>]) {
    let mut copies = [[T::Wide::default(); FEW_SLOTS]; COPIES];
    let (ids, last_ids) = ids.as_chunks::<COPIES>();
    let (values, last_values) = values.as_chunks::<COPIES>();
    for (ids, values) in ids.iter().zip(values) {
        for copy in 0..COPIES {
            let sum = &mut copies[copy][ids[copy].slot() % FEW_SLOTS];
            *sum = T::add(*sum, values[copy], true);
        }
    }
    for (id, value) in last_ids.iter().zip(last_values) {
        let sum = &mut copies[0][id.slot() % FEW_SLOTS];
        *sum = T::add(*sum, *value, true);
    }
    for (i, slot) in slots.iter_mut().enumerate() {
        slot.sum = copies.iter().fold(slot.sum, |sum, copy| T::merge(sum, copy[i]));
    }
}

/// The number of a row's slot.
trait Slot {
    fn slot(self) -> usize;
}

impl Slot for u8 {
    #[inline(always)]
    fn slot(self) -> usize {
        usize::from(self)
    }
}

impl Slot for u32 {
    #[inline(always)]
    fn slot(self) -> usize {
        self as usize
    }
}
