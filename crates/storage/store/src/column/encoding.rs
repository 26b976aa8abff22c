//! The choice of an encoding for a column of a sealed group: by its own values, and only where it saves space.
//!
//! ```text
//!   whole numbers   a frame of reference, or a line for values that ascend evenly; else a dictionary
//!   REAL, DOUBLE    whole numbers, if all values have at most nine decimal places; else a dictionary
//!   text, bytes     a dictionary; else offsets and bytes
//!   others          a dictionary (UUID, INTERVAL), or as they are
//! ```
//!
//! An encoding is taken when it needs at most three quarters of the plain vector: below that, reading pays for little.
//! Every form gives back exactly the bits of the values that are not NULL. The place of a NULL takes the value before it,
//! so that it widens no codes.
//!
//! Limits: a dictionary has at most a quarter as many entries as there are rows.

use super::packed::{Line, PackedBuffers, pack, packed_bytes};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, IntervalYearMonthType, Time64NanosecondType, TimestampMicrosecondType,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BinaryViewArray, StringViewArray, make_array};
use arrow_buffer::{Buffer, IntervalMonthDayNano};
use arrow_data::ArrayDataBuilder;
use arrow_schema::{DataType, IntervalUnit};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Decimal places of scaled floats at most.
const MOST_PLACES: u8 = 9;
/// From here on not every whole number is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// A dictionary has at most this part of the rows as entries.
const ENTRIES_PART: usize = 4;
/// Bits of a code from which on numbers are worth a dictionary.
const WIDE: usize = 16;

/// The encoded values of a column.
#[derive(Debug)]
pub(crate) enum EncodedForm {
    /// Packed numbers.
    Whole(Line, PackedBuffers),
    /// Packed numbers, to be divided by ten to this power.
    Scaled(Line, PackedBuffers, u8),
    /// Packed codes, and the distinct values.
    Dictionary(PackedBuffers, ArrayRef),
    /// Packed offsets, one more than values, and the bytes of all values.
    Text(Line, PackedBuffers, Buffer),
}

/// The encoding of a vector without a slice's offset; `None` when none saves enough.
pub(crate) fn encode(array: &ArrayRef) -> Option<EncodedForm> {
    if array.is_empty() {
        return None;
    }
    match array.data_type() {
        DataType::Float32 => float(array, floats::<Float32Type>(array), |value| f64::from(value as f32)),
        DataType::Float64 => float(array, floats::<Float64Type>(array), |value| value),
        DataType::Utf8View => texts(array, &array.as_string_view().clone().to_binary_view()),
        DataType::BinaryView => texts(array, array.as_binary_view()),
        DataType::FixedSizeBinary(16) => {
            let values = array.as_fixed_size_binary();
            dictionary(array, 16, |row| values.value(row))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let values = array.as_primitive::<IntervalMonthDayNanoType>().values();
            let key = |row: usize| {
                let IntervalMonthDayNano { months, days, nanoseconds } = values[row];
                (months, days, nanoseconds)
            };
            dictionary(array, 16, key)
        }
        _ => whole(array),
    }
}

/// The values with those of NULLs replaced by the values before them.
fn filled<T: Copy>(array: &dyn Array, values: impl Fn(usize) -> T) -> Option<Vec<T>> {
    let mut last = values((0..array.len()).find(|row| array.is_valid(*row))?);
    let value = |row| {
        if array.is_valid(row) {
            last = values(row);
        }
        last
    };
    Some((0..array.len()).map(value).collect())
}

fn numbers<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<Vec<i64>>
where
    T::Native: Into<i64>,
{
    let values = array.as_primitive::<T>().values();
    filled(array, |row| values[row].into())
}

fn floats<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<Vec<f64>>
where
    T::Native: Into<f64>,
{
    let values = array.as_primitive::<T>().values();
    filled(array, |row| values[row].into())
}

/// Numbers of a column, less a base that some do not fit into 64 bits without.
fn whole_numbers(array: &ArrayRef) -> Option<(i128, Vec<i64>)> {
    let numbers = match array.data_type() {
        DataType::Int8 => numbers::<Int8Type>(array),
        DataType::Int16 => numbers::<Int16Type>(array),
        DataType::Int32 => numbers::<Int32Type>(array),
        DataType::Date32 => numbers::<Date32Type>(array),
        DataType::Decimal32(..) => numbers::<Decimal32Type>(array),
        DataType::Interval(IntervalUnit::YearMonth) => numbers::<IntervalYearMonthType>(array),
        DataType::Int64 => numbers::<Int64Type>(array),
        DataType::Decimal64(..) => numbers::<Decimal64Type>(array),
        DataType::Time64(_) => numbers::<Time64NanosecondType>(array),
        DataType::Timestamp(..) => numbers::<TimestampMicrosecondType>(array),
        // Row ids, which are far below 2^63.
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>().values();
            filled(array, |row| values[row] as i64)
        }
        DataType::Decimal128(..) => {
            let values = array.as_primitive::<Decimal128Type>().values();
            let values = filled(array, |row| values[row])?;
            let least = values.iter().copied().min()?;
            let above = |value: &i128| value.checked_sub(least).and_then(|above| i64::try_from(above).ok());
            return Some((least, values.iter().map(above).collect::<Option<_>>()?));
        }
        _ => None,
    };
    Some((0, numbers?))
}

fn whole(array: &ArrayRef) -> Option<EncodedForm> {
    let width = array.data_type().primitive_width()?;
    let plain = array.len() * width;
    let (base, numbers) = whole_numbers(array)?;
    let line = best_line(&numbers).filter(|(_, _, bytes)| is_worth_it(*bytes, plain));
    let bits = line.as_ref().map_or(usize::MAX, |(_, _, bytes)| bytes * 8 / numbers.len());
    if bits > WIDE
        && let Some(form) = dictionary(array, width, |row| numbers[row])
        && form.bytes() < line.as_ref().map_or(usize::MAX, |(_, _, bytes)| *bytes)
    {
        return Some(form);
    }
    let (line, codes, _) = line?;
    let line = Line { base: base.checked_add(line.base)?, ..line };
    Some(EncodedForm::Whole(line, pack(&codes)?))
}

fn is_worth_it(bytes: usize, plain: usize) -> bool {
    bytes <= plain / 4 * 3
}

/// The line from which the numbers need the fewest bytes, their codes, and these bytes.
fn best_line(numbers: &[i64]) -> Option<(Line, Vec<u64>, usize)> {
    let level = level_line(numbers);
    let rising = rising_line(numbers);
    let sized = |(line, codes): (Line, Vec<u64>)| packed_bytes(&codes).map(|bytes| (line, codes, bytes));
    [level, rising].into_iter().flatten().filter_map(sized).min_by_key(|(_, _, bytes)| *bytes)
}

/// Distances from the least number, without their common factor.
fn level_line(numbers: &[i64]) -> Option<(Line, Vec<u64>)> {
    let least = numbers.iter().copied().min()?;
    let mut codes: Vec<u64> = numbers.iter().map(|number| number.wrapping_sub(least) as u64).collect();
    let factor = common_factor(&codes);
    if factor > 1 {
        codes.iter_mut().for_each(|code| *code /= factor);
    }
    Some((Line { base: least.into(), step: 0, factor }, codes))
}

/// The greatest number that divides all codes, 1 if they are all 0.
fn common_factor(codes: &[u64]) -> u64 {
    let mut factor = 0;
    for code in codes {
        let (mut one, mut other) = (*code, factor);
        while other != 0 {
            (one, other) = (other, one % other);
        }
        factor = one;
        if factor == 1 {
            break;
        }
    }
    factor.max(1)
}

/// Distances from the line through the first and the last number.
fn rising_line(numbers: &[i64]) -> Option<(Line, Vec<u64>)> {
    let (first, last) = (i128::from(*numbers.first()?), i128::from(*numbers.last()?));
    let steps = i128::try_from(numbers.len()).ok()? - 1;
    let step = i64::try_from((last - first).checked_div(steps)?).ok().filter(|step| *step != 0)?;
    let at = |row: usize| first + i128::from(step) * row as i128;
    let mut least = i128::MAX;
    for (row, number) in numbers.iter().enumerate() {
        least = least.min(i128::from(*number) - at(row));
    }
    let code = |(row, number): (usize, &i64)| u64::try_from(i128::from(*number) - at(row) - least).ok();
    let codes: Option<Vec<u64>> = numbers.iter().enumerate().map(code).collect();
    Some((Line { base: first + least, step: step as u64, factor: 1 }, codes?))
}

/// Floats as whole numbers of a power of ten; `stored` gives the bits that the column keeps of a quotient.
fn float(array: &ArrayRef, values: Option<Vec<f64>>, stored: impl Fn(f64) -> f64) -> Option<EncodedForm> {
    let values = values?;
    let width = array.data_type().primitive_width()?;
    let number_of = |value: f64, power: f64| {
        let number = (value * power).round();
        let is_exact = number.abs() < EXACT && stored(number as i64 as f64 / power).to_bits() == value.to_bits();
        is_exact.then_some(number as i64)
    };
    let numbers_at = |places: u8| {
        let power = 10f64.powi(places.into());
        values.iter().map(|value| number_of(*value, power)).collect::<Option<Vec<i64>>>()
    };
    let scaled = (0..=MOST_PLACES).find_map(|places| numbers_at(places).map(|numbers| (places, numbers)));
    if let Some((places, numbers)) = scaled
        && let Some((line, codes, bytes)) = best_line(&numbers)
        && is_worth_it(bytes, values.len() * width)
    {
        return Some(EncodedForm::Scaled(line, pack(&codes)?, places));
    }
    dictionary(array, width, |row| values[row].to_bits())
}

/// Distinct values of fixed width, which are equal when their keys are.
fn dictionary<K: Hash + Eq>(array: &ArrayRef, width: usize, key: impl Fn(usize) -> K) -> Option<EncodedForm> {
    let (codes, rows) = codes_of(array, key)?;
    let data = array.to_data();
    let values = data.buffers().first()?;
    let mut entries = Vec::with_capacity(rows.len() * width);
    for row in &rows {
        let start = (data.offset() + row) * width;
        entries.extend_from_slice(values.as_slice().get(start..start + width)?);
    }
    let entries =
        ArrayDataBuilder::new(array.data_type().clone()).len(rows.len()).add_buffer(Buffer::from_vec(entries));
    let form = EncodedForm::Dictionary(pack(&codes)?, make_array(entries.align_buffers(true).build().ok()?));
    is_worth_it(form.bytes(), array.len() * width).then_some(form)
}

/// The code of each row, and for each code the first row with it; `None` when there are too many.
fn codes_of<K: Hash + Eq>(array: &dyn Array, key: impl Fn(usize) -> K) -> Option<(Vec<u64>, Vec<usize>)> {
    let most = array.len() / ENTRIES_PART;
    let mut codes = HashMap::<K, u64>::new();
    let (mut rows, mut last, mut all) = (Vec::new(), 0, Vec::with_capacity(array.len()));
    for row in 0..array.len() {
        if array.is_valid(row) {
            last = *codes.entry(key(row)).or_insert_with(|| {
                rows.push(row);
                rows.len() as u64 - 1
            });
            if rows.len() > most {
                return None;
            }
        }
        all.push(last);
    }
    (!rows.is_empty()).then_some((all, rows))
}

/// Text or bytes: the views are those of `array`.
fn texts(array: &ArrayRef, values: &BinaryViewArray) -> Option<EncodedForm> {
    let long: usize = values.lengths().filter(|length| *length > 12).map(|length| length as usize).sum();
    let plain = array.len() * 16 + long;
    if let Some((codes, rows)) = codes_of(array, |row| values.value(row)) {
        let entries: ArrayRef = match array.data_type() {
            DataType::Utf8View => {
                let texts = array.as_string_view();
                Arc::new(StringViewArray::from_iter_values(rows.iter().map(|row| texts.value(*row))))
            }
            _ => {
                let entries = rows.iter().map(|row| values.value(*row));
                Arc::new(BinaryViewArray::from_iter_values(entries))
            }
        };
        let form = EncodedForm::Dictionary(pack(&codes)?, entries);
        if is_worth_it(form.bytes(), plain) {
            return Some(form);
        }
    }
    let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
    for row in 0..array.len() {
        if array.is_valid(row) {
            bytes.extend_from_slice(values.value(row));
        }
        offsets.push(i64::try_from(bytes.len()).ok()?);
    }
    i32::try_from(bytes.len()).ok()?;
    let (line, codes, size) = best_line(&offsets)?;
    let form = EncodedForm::Text(line, pack(&codes)?, Buffer::from_vec(bytes));
    (size < plain && is_worth_it(form.bytes(), plain)).then_some(form)
}

impl EncodedForm {
    /// The size of its buffers in bytes.
    fn bytes(&self) -> usize {
        match self {
            EncodedForm::Whole(_, packed) | EncodedForm::Scaled(_, packed, _) => packed.bytes(),
            EncodedForm::Dictionary(packed, entries) => {
                let data = entries.to_data();
                packed.bytes() + data.buffers().iter().map(Buffer::len).sum::<usize>()
            }
            EncodedForm::Text(_, packed, bytes) => packed.bytes() + bytes.len(),
        }
    }
}
