//! Fields whose values have a fixed number of bytes: dates, moments, logicals, binary numbers.
//!
//! The empty value of each type is NULL: blanks, and for dates and timestamps zero as well, because programs write that
//! for "no date".

use super::number::eight_digits;
use super::{NOT_A_NUMBER, Task, internal};
use crate::Severity;
use crate::adt::Type;
use crate::dbf::FieldKind;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, DecimalType, Float64Type, Int32Type,
    Int64Type, Time32MillisecondType, TimestampMillisecondType,
};
use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use mainstay_types::{Date, Result, Timestamp};
use std::sync::Arc;

/// The Julian day of 9999-12-31. Later days have no place in a timestamp of SQL.
const LAST_JULIAN_DAY: u32 = 5_373_484;

const DAY_MS: i32 = 86_400_000;

/// A cell: a value, none, or something that makes no sense.
enum Cell<T> {
    Value(T),
    Empty,
    Bad,
}

impl<T> Cell<T> {
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Cell<U> {
        match self {
            Cell::Value(value) => Cell::Value(f(value)),
            Cell::Empty => Cell::Empty,
            Cell::Bad => Cell::Bad,
        }
    }
}

/// A kind of value, for findings about other ones: the cause, and the value with its article.
#[derive(Clone, Copy)]
struct Wanted {
    cause: &'static str,
    value: &'static str,
}

const NUMBER: Wanted = Wanted { cause: NOT_A_NUMBER, value: "a number" };
const DATE: Wanted = Wanted { cause: "a value is not a date", value: "a date" };
const TIMESTAMP: Wanted = Wanted { cause: "a value is not a timestamp", value: "a timestamp" };
const TIME: Wanted = Wanted { cause: "a value is not a time of day", value: "a time of day" };
const LOGICAL: Wanted = Wanted { cause: "a value is not a logical value", value: "a logical value" };

/// Decodes the column by its kind. Decimals of many records get the narrowest form that holds their values.
pub(super) fn fixed(task: &mut Task<'_>, many: bool) -> Result<ArrayRef> {
    let decimals = task.field.decimals > 0;
    match task.field.kind {
        FieldKind::Logical => logical(task),
        FieldKind::Date => dates(task),
        FieldKind::DateBinary => primitive::<Date32Type>(task, DATE, |cell| julian_day(little_endian(cell) as u32)),
        FieldKind::DateJulian => primitive::<Date32Type>(task, DATE, |cell| julian_day(little_endian(cell) as u32)),
        FieldKind::DatePacked => primitive::<Date32Type>(task, DATE, packed_date),
        FieldKind::Timestamp | FieldKind::ModificationTime => {
            primitive::<TimestampMillisecondType>(task, TIMESTAMP, moment)
        }
        FieldKind::Time => primitive::<Time32MillisecondType>(task, TIME, time_of_day),
        FieldKind::Double => primitive::<Float64Type>(task, NUMBER, |cell| double(cell, f64::from_le_bytes)),
        FieldKind::DoubleSortable => primitive::<Float64Type>(task, NUMBER, |cell| double(cell, sortable_double)),
        FieldKind::Currency => decimal(task, many),
        FieldKind::Integer | FieldKind::IntegerSortable if decimals => decimal(task, many),
        FieldKind::Guid => guid(task),
        FieldKind::Integer if task.field.adt == Some(Type::AutoIncrement) => {
            primitive::<Int64Type>(task, NUMBER, |cell| Cell::Value(i64::from(little_endian(cell) as u32)))
        }
        FieldKind::IntegerSortable => primitive::<Int32Type>(task, NUMBER, |cell| Cell::Value(sortable_integer(cell))),
        _ if task.field.length <= 4 => {
            primitive::<Int32Type>(task, NUMBER, |cell| Cell::Value(little_endian(cell) as i32))
        }
        _ => primitive::<Int64Type>(task, NUMBER, |cell| Cell::Value(little_endian(cell))),
    }
}

fn primitive<T: ArrowPrimitiveType>(
    task: &mut Task<'_>,
    wanted: Wanted,
    cell_value: impl Fn(&[u8]) -> Cell<T::Native>,
) -> Result<ArrayRef> {
    Ok(Arc::new(typed::<T>(task, wanted, cell_value)?))
}

fn typed<T: ArrowPrimitiveType>(
    task: &mut Task<'_>,
    wanted: Wanted,
    cell_value: impl Fn(&[u8]) -> Cell<T::Native>,
) -> Result<PrimitiveArray<T>> {
    let (mut empty, mut bad) = (Vec::new(), Vec::new());
    let values: Vec<T::Native> = task
        .cells()
        .enumerate()
        .map(|(row, cell)| match cell_value(cell) {
            Cell::Value(value) => value,
            Cell::Empty => {
                empty.push(row);
                T::Native::default()
            }
            Cell::Bad => {
                bad.push(row);
                T::Native::default()
            }
        })
        .collect();
    let nulls = without(values.len(), &empty, &bad);
    report_bad(task, &bad, wanted);
    PrimitiveArray::try_new(values.into(), task.all_nulls(nulls)).map_err(internal)
}

/// GUIDs: their bytes as they stand.
fn guid(task: &mut Task<'_>) -> Result<ArrayRef> {
    let bytes: Vec<u8> = task.cells().flatten().copied().collect();
    let array = FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), task.all_nulls(None)).map_err(internal)?;
    Ok(Arc::new(array))
}

fn without(rows: usize, empty: &[usize], bad: &[usize]) -> Option<NullBuffer> {
    if empty.is_empty() && bad.is_empty() {
        return None;
    }
    let mut valid = vec![true; rows];
    empty.iter().chain(bad).for_each(|&row| valid[row] = false);
    Some(NullBuffer::from(valid))
}

fn report_bad(task: &mut Task<'_>, bad: &[usize], wanted: Wanted) {
    for &row in bad {
        let cell = task.cell(row);
        task.report(Severity::Error, wanted.cause, row, || {
            format!("'{}' is not {}", cell.escape_ascii(), wanted.value)
        });
    }
}

/// Whole numbers that count the last digit of a decimal. Amounts of money have room for 19 digits and seldom need more than
/// nine, so the values decide.
fn decimal(task: &mut Task<'_>, many: bool) -> Result<ArrayRef> {
    let sortable = task.field.kind == FieldKind::IntegerSortable;
    let integer = |cell: &[u8]| if sortable { i64::from(sortable_integer(cell)) } else { little_endian(cell) };
    let values = typed::<Int64Type>(task, NUMBER, |cell| Cell::Value(integer(cell)))?;
    let (precision, scale) = (task.field.precision(), task.field.scale());
    let greatest = values.values().iter().fold(0, |greatest, value| value.unsigned_abs().max(greatest));
    match greatest {
        _ if !many => scaled::<Decimal128Type>(&values, |value| value.into(), precision, scale),
        0..1_000_000_000 if scale <= 9 => {
            scaled::<Decimal32Type>(&values, |value| value as i32, precision.min(9), scale)
        }
        0..1_000_000_000_000_000_000 => scaled::<Decimal64Type>(&values, |value| value, precision.min(18), scale),
        _ => scaled::<Decimal128Type>(&values, |value| value.into(), precision, scale),
    }
}

fn scaled<T: DecimalType>(
    values: &PrimitiveArray<Int64Type>,
    native: impl Fn(i64) -> T::Native,
    precision: u8,
    scale: i8,
) -> Result<ArrayRef> {
    let array = values.unary::<_, T>(native);
    Ok(Arc::new(array.with_precision_and_scale(precision, scale).map_err(internal)?))
}

/// A signed little-endian integer of 1 to 8 bytes. `I` of 3 bytes has a sign too.
fn little_endian(cell: &[u8]) -> i64 {
    let mut bytes = [0; 8];
    let length = cell.len().clamp(1, 8);
    bytes[..length.min(cell.len())].copy_from_slice(&cell[..length.min(cell.len())]);
    let unused = 64 - 8 * length as u32;
    i64::from_le_bytes(bytes) << unused >> unused
}

fn sortable_integer(cell: &[u8]) -> i32 {
    let bytes = cell.first_chunk().copied().unwrap_or_default();
    (u32::from_be_bytes(bytes) ^ 0x8000_0000) as i32
}

fn sortable_double(bytes: [u8; 8]) -> f64 {
    let bits = u64::from_be_bytes(bytes);
    f64::from_bits(if bits >> 63 == 1 { bits ^ 1 << 63 } else { !bits })
}

fn double(cell: &[u8], from: impl Fn([u8; 8]) -> f64) -> Cell<f64> {
    match cell.first_chunk() {
        // A record that was appended without a value: blanks are no number anyone stores.
        Some(b"        ") => Cell::Empty,
        Some(bytes) => Cell::Value(from(*bytes)),
        None => Cell::Bad,
    }
}

/// Julian days; all blanks is what an unwritten field of 3 or 4 bytes holds.
fn julian_day(day: u32) -> Cell<i32> {
    match day {
        0 | 0x20_2020 | 0x2020_2020 => Cell::Empty,
        1..=LAST_JULIAN_DAY => Cell::Value(Date::from_julian(day as i32).0),
        _ => Cell::Bad,
    }
}

fn packed_date(cell: &[u8]) -> Cell<i32> {
    let &[high, middle, low] = cell else { return Cell::Bad };
    let packed = u32::from_be_bytes([0, high, middle, low]);
    if packed == 0 || packed == 0x20_2020 {
        return Cell::Empty;
    }
    let date = Date::from_ymd((packed >> 9) as i32, packed >> 5 & 15, packed & 31);
    date.map_or(Cell::Bad, |date| Cell::Value(date.0))
}

/// Day and milliseconds as they stand: FoxPro's rounding errors of a millisecond are part of the value.
fn moment(cell: &[u8]) -> Cell<i64> {
    let Some((day, ms)) = cell.split_first_chunk() else { return Cell::Bad };
    let ms = ms.first_chunk().map_or(-1, |&bytes| i32::from_le_bytes(bytes));
    let day = u32::from_le_bytes(*day);
    if day != 0x2020_2020 && !(0..=DAY_MS).contains(&ms) {
        return Cell::Bad;
    }
    julian_day(day).map(|day| Timestamp::new(Date(day), ms.unsigned_abs()).ms())
}

fn time_of_day(cell: &[u8]) -> Cell<i32> {
    match cell.first_chunk().map(|&bytes| i32::from_le_bytes(bytes)) {
        Some(0x2020_2020) => Cell::Empty,
        Some(ms) if (0..DAY_MS).contains(&ms) => Cell::Value(ms),
        _ => Cell::Bad,
    }
}

/// Slots of the table of dates that were met before.
const RECENT_DATES: usize = 1024;

fn dates(task: &mut Task<'_>) -> Result<ArrayRef> {
    // A column has few dates, often in runs, and the calendar is the expensive part: each date has one slot where it can be.
    let recent = std::cell::RefCell::new(vec![(0, 0); RECENT_DATES]);
    primitive::<Date32Type>(task, DATE, |cell| {
        let Some(digits) = cell.first_chunk::<8>() else { return Cell::Bad };
        let word = u64::from_le_bytes(*digits);
        let slot = (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize % RECENT_DATES;
        let mut recent = recent.borrow_mut();
        match recent[slot] {
            // Eight zero bytes are an empty date, and no date is in the slots at first.
            (known, day) if known == word && word != 0 => Cell::Value(day),
            _ => {
                let cell = text_date(digits);
                if let Cell::Value(day) = cell {
                    recent[slot] = (word, day);
                }
                cell
            }
        }
    })
}

fn text_date(digits: &[u8; 8]) -> Cell<i32> {
    if matches!(digits, b"        " | b"00000000" | b"\0\0\0\0\0\0\0\0") {
        return Cell::Empty;
    }
    let number = eight_digits(u64::from_le_bytes(*digits) ^ u64::from_le_bytes(*b"00000000"));
    let date = number.and_then(|number| Date::from_ymd((number / 10_000) as i32, number / 100 % 100, number % 100));
    date.map_or(Cell::Bad, |date| Cell::Value(date.0))
}

fn logical(task: &mut Task<'_>) -> Result<ArrayRef> {
    let (mut empty, mut bad) = (Vec::new(), Vec::new());
    // Advantage takes 1 for true as well.
    let numeric = task.field.adt.is_some();
    let mut cells = task.cells().enumerate();
    let values = BooleanBuffer::collect_bool(cells.len(), |_| {
        let Some((row, cell)) = cells.next() else { return false };
        match cell.first().copied().unwrap_or(b' ') {
            b'T' | b't' | b'Y' | b'y' => return true,
            b'1' if numeric => return true,
            b'F' | b'f' | b'N' | b'n' => {}
            b' ' | b'?' | 0 => empty.push(row),
            _ => bad.push(row),
        }
        false
    });
    report_bad(task, &bad, LOGICAL);
    let nulls = without(values.len(), &empty, &bad);
    Ok(Arc::new(BooleanArray::new(values, task.all_nulls(nulls))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<T>(cell: Cell<T>) -> Option<T> {
        match cell {
            Cell::Value(value) => Some(value),
            Cell::Empty | Cell::Bad => None,
        }
    }

    #[test]
    fn integers_of_every_length_have_a_sign() {
        assert_eq!(little_endian(&[0x81]), -127);
        assert_eq!(little_endian(&[1, 0x80]), -32767);
        assert_eq!(little_endian(&[1, 0, 0x80]), -8_388_607);
        assert_eq!(little_endian(&[1, 0, 0, 0x80]), -2_147_483_647);
        assert_eq!(little_endian(&i64::MIN.to_le_bytes()), i64::MIN);
        assert_eq!(sortable_integer(&[0x80, 0, 0, 5]), 5);
        assert_eq!(sortable_integer(&[0x7F, 0xFF, 0xFF, 0xFF]), -1);
        assert_eq!(sortable_double([0xBF, 0xF8, 0, 0, 0, 0, 0, 0]), 1.5);
        assert_eq!(sortable_double((!(-1.5f64).to_bits()).to_be_bytes()), -1.5);
    }

    #[test]
    fn days_and_moments() {
        assert_eq!(value(text_date(b"19700102")), Some(1));
        assert!(matches!(text_date(b"        "), Cell::Empty));
        assert!(matches!(text_date(b"20230229"), Cell::Bad));
        assert_eq!(value(packed_date(&[0x0F, 0xD5, 0x75])), Date::from_ymd(2026, 11, 21).map(|date| date.0));
        let mut bytes = 2_440_588i32.to_le_bytes().to_vec();
        bytes.extend_from_slice(&43_199_999i32.to_le_bytes());
        assert_eq!(value(moment(&bytes)), Some(43_199_999));
        assert!(matches!(moment(&[0; 8]), Cell::Empty));
        assert!(matches!(moment(&[0xFF; 8]), Cell::Bad));
        assert!(matches!(moment(b"        "), Cell::Empty));
    }
}
