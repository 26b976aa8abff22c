//! One value as text.
//!
//! Every format writes values the same way and only quotes them differently, so the text of a value is defined here
//! once: timestamps as `YYYY-MM-DD HH:MM:SS[.fff]`, decimals with their full scale, floats as the shortest text that
//! reads back to the same number, UUIDs as PostgreSQL shows them, other bytes as hexadecimal digits.
//!
//! [`resolve`] finds a value first: it follows dictionaries to the value behind the key and reports NULL, which may be
//! in the keys, in the dictionary, or the whole column.
//!
//! Limits: timestamps with a zone are written in UTC with a `Z`. Lists, structs and the rarer types of Arrow are left
//! to Arrow's own formatter; JSON writes lists and structs itself.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use mainstay_engine::{OFFSET, TICKS};
use mainstay_types::{Date, Interval, Timestamp};
use std::fmt::Write;

/// The type that columns of UUID have.
const UUID: DataType = DataType::FixedSizeBinary(16);

/// The kind of a column's values, for quoting and alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Integers, decimals and floats: to the right, unquoted.
    Number,
    /// Written `true` and `false`.
    Boolean,
    /// Text, and everything that is written as text.
    Text,
    /// A day.
    Date,
    /// A day and a time of day.
    Timestamp,
    /// A length of time.
    Interval,
    /// Bytes.
    Binary,
    /// Lists, structs and maps.
    Nested,
}

/// The kind of the values of a type, looking through dictionaries.
pub(crate) fn kind(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Dictionary(_, value) => kind(value),
        DataType::Boolean => Kind::Boolean,
        DataType::Date32 => Kind::Date,
        DataType::Date64 | DataType::Timestamp(..) | &TICKS | &OFFSET => Kind::Timestamp,
        &UUID => Kind::Text,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => Kind::Binary,
        DataType::Interval(_) => Kind::Interval,
        other if other.is_nested() => Kind::Nested,
        other if other.is_numeric() => Kind::Number,
        _ => Kind::Text,
    }
}

/// The array and position that hold the value of this row, or nothing for NULL.
pub(crate) fn resolve(array: &dyn Array, row: usize) -> Option<(&dyn Array, usize)> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Null => None,
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            resolve(dictionary.values().as_ref(), key(dictionary.keys(), row)?)
        }
        _ => Some((array, row)),
    }
}

/// The key at this row, if it is a position at all.
fn key(keys: &dyn Array, row: usize) -> Option<usize> {
    fn at<T: ArrowPrimitiveType>(keys: &dyn Array, row: usize) -> Option<usize>
    where
        T::Native: TryInto<usize>,
    {
        keys.as_primitive::<T>().value(row).try_into().ok()
    }
    match keys.data_type() {
        DataType::Int8 => at::<Int8Type>(keys, row),
        DataType::Int16 => at::<Int16Type>(keys, row),
        DataType::Int32 => at::<Int32Type>(keys, row),
        DataType::Int64 => at::<Int64Type>(keys, row),
        DataType::UInt8 => at::<UInt8Type>(keys, row),
        DataType::UInt16 => at::<UInt16Type>(keys, row),
        DataType::UInt32 => at::<UInt32Type>(keys, row),
        DataType::UInt64 => at::<UInt64Type>(keys, row),
        _ => None,
    }
}

/// The characters of a text value, when the array holds text.
pub(crate) fn text(array: &dyn Array, row: usize) -> Option<&str> {
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        _ => None,
    }
}

/// The bytes of a binary value, when the array holds bytes that are no UUID.
pub(crate) fn bytes(array: &dyn Array, row: usize) -> Option<&[u8]> {
    match array.data_type() {
        &UUID => None,
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Some(array.as_fixed_size_binary().value(row)),
        _ => None,
    }
}

/// Appends the value of a resolved position as text. `separator` stands between a date and a time.
pub(crate) fn write(array: &dyn Array, row: usize, separator: char, out: &mut String) {
    if let Some(text) = text(array, row) {
        return out.push_str(text);
    }
    if let Some(bytes) = bytes(array, row) {
        out.push_str("\\x");
        return hex(bytes, out);
    }
    match array.data_type() {
        &UUID => match array.as_fixed_size_binary().value(row).try_into() {
            Ok(uuid) => drop(write!(out, "{}", mainstay_types::uuid::display(uuid))),
            Err(_) => other(array, row, out),
        },
        DataType::Boolean => out.push_str(if array.as_boolean().value(row) { "true" } else { "false" }),
        DataType::Float32 => float(array.as_primitive::<Float32Type>().value(row), out),
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(row), out),
        data_type if data_type.is_integer() => integer(array, row, out),
        &TICKS => ticks(Timestamp(array.as_primitive::<Decimal64Type>().value(row)), separator, out),
        &OFFSET => {
            let (utc, offset) = Timestamp::unpacked(array.as_primitive::<Decimal128Type>().value(row));
            ticks(utc.to_local(offset), separator, out);
            let minutes = offset.unsigned_abs();
            let sign = if offset < 0 { '-' } else { '+' };
            let _ = write!(out, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        }
        DataType::Decimal128(_, scale) => decimal(array.as_primitive::<Decimal128Type>().value(row), *scale, out),
        DataType::Decimal32(_, scale) => decimal(array.as_primitive::<Decimal32Type>().value(row).into(), *scale, out),
        DataType::Decimal64(_, scale) => decimal(array.as_primitive::<Decimal64Type>().value(row).into(), *scale, out),
        DataType::Date32 => date(array.as_primitive::<Date32Type>().value(row).into(), out),
        DataType::Date64 => {
            moment(array.as_primitive::<Date64Type>().value(row), TimeUnit::Millisecond, separator, out)
        }
        DataType::Timestamp(unit, zone) => {
            moment(timestamp(array, row, *unit), *unit, separator, out);
            if zone.is_some() {
                out.push('Z');
            }
        }
        // Arrow's formatter takes -3 months for a year back and nine months on.
        DataType::Interval(IntervalUnit::YearMonth) => {
            let months = array.as_primitive::<IntervalYearMonthType>().value(row);
            let _ = write!(out, "{} years {} mons", months / 12, months % 12);
        }
        _ => other(array, row, out),
    }
}

/// Appends an integer of any width.
fn integer(array: &dyn Array, row: usize, out: &mut String) {
    macro_rules! put {
        ($($name:ident $type:ty),*) => {
            match array.data_type() {
                $(DataType::$name => drop(write!(out, "{}", array.as_primitive::<$type>().value(row))),)*
                _ => other(array, row, out),
            }
        };
    }
    put!(Int64 Int64Type, Int32 Int32Type, UInt64 UInt64Type, UInt32 UInt32Type,
        Int16 Int16Type, Int8 Int8Type, UInt16 UInt16Type, UInt8 UInt8Type);
}

/// The count of units since 1970 of a timestamp column.
fn timestamp(array: &dyn Array, row: usize, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(row),
        TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value(row),
        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(row),
        TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(row),
    }
}

/// The length of time of an interval column, of an unit that SQL has.
pub(crate) fn interval(array: &dyn Array, row: usize) -> Option<Interval> {
    match array.data_type() {
        DataType::Interval(IntervalUnit::YearMonth) => {
            Some(Interval::from_months(array.as_primitive::<IntervalYearMonthType>().value(row)))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            Some(Interval { months: value.months, days: value.days, ticks: value.nanoseconds / 100 })
        }
        _ => None,
    }
}

/// Formats rare types through Arrow.
fn other(array: &dyn Array, row: usize, out: &mut String) {
    let options = FormatOptions::default().with_null("NULL").with_display_error(true);
    if let Ok(formatter) = ArrayFormatter::try_new(array, &options) {
        let _ = write!(out, "{}", formatter.value(row));
    }
}

/// Appends lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

/// Appends the shortest text that reads back as this float; the names of the rest are PostgreSQL's.
fn float<F: Into<f64> + std::fmt::Debug + Copy>(value: F, out: &mut String) {
    let wide: f64 = value.into();
    if wide.is_finite() {
        let _ = write!(out, "{value:?}");
    } else if wide.is_nan() {
        out.push_str("NaN");
    } else {
        out.push_str(if wide > 0.0 { "Infinity" } else { "-Infinity" });
    }
}

/// Appends a decimal with as many digits after the point as its type has.
fn decimal(unscaled: i128, scale: i8, out: &mut String) {
    if unscaled < 0 {
        out.push('-');
    }
    let (digits, places) = (unscaled.unsigned_abs(), usize::from(scale.unsigned_abs()));
    let power = u32::try_from(places).ok().and_then(|places| 10_u128.checked_pow(places));
    let _ = match power {
        _ if scale < 0 && digits > 0 => write!(out, "{digits}{:0<places$}", ""),
        _ if scale <= 0 => write!(out, "{digits}"),
        // Nearly all decimals are small, and division of 64 bits is many times faster.
        Some(power) => match (u64::try_from(digits), u64::try_from(power)) {
            (Ok(digits), Ok(power)) => write!(out, "{}.{:0places$}", digits / power, digits % power),
            _ => write!(out, "{}.{:0places$}", digits / power, digits % power),
        },
        None => write!(out, "0.{digits:0places$}"),
    };
}

/// Appends a day, or its number when no calendar reaches that far.
fn date(days: i64, out: &mut String) {
    let _ = match i32::try_from(days) {
        Ok(day) => write!(out, "{}", Date(day)),
        Err(_) => write!(out, "{days} days"),
    };
}

/// Appends a moment; a fraction of a second is written in full groups of three digits, if there is one.
fn moment(count: i64, unit: TimeUnit, separator: char, out: &mut String) {
    let (per_second, mut digits) = match unit {
        TimeUnit::Second => (1, 0),
        TimeUnit::Millisecond => (1_000, 3),
        TimeUnit::Microsecond => (1_000_000, 6),
        TimeUnit::Nanosecond => (1_000_000_000, 9),
    };
    let (seconds, mut fraction) = (count.div_euclid(per_second), count.rem_euclid(per_second));
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    date(day, out);
    let _ = write!(out, "{separator}{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    while digits > 3 && fraction % 1_000 == 0 {
        (fraction, digits) = (fraction / 1_000, digits - 3);
    }
    if fraction != 0 {
        let _ = write!(out, ".{fraction:0digits$}");
    }
}

/// Appends a moment of 100 ns: like [`moment`], with the seventh digit where there is one.
fn ticks(value: Timestamp, separator: char, out: &mut String) {
    moment(value.us(), TimeUnit::Microsecond, separator, out);
    let (tick, us) = (value.0.rem_euclid(10), value.us());
    let _ = match tick {
        0 => Ok(()),
        tick if us.rem_euclid(1_000_000) == 0 => write!(out, ".000000{tick}"),
        tick if us.rem_euclid(1_000) == 0 => write!(out, "000{tick}"),
        tick => write!(out, "{tick}"),
    };
}

/// The name of a type as SQL writes it, in lower case as it stands under a column's name.
pub(crate) fn type_name(data_type: &DataType) -> String {
    let name = match data_type {
        DataType::Dictionary(_, value) => return type_name(value),
        &TICKS => "timestamp",
        &OFFSET => "timestamptz",
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) => return format!("decimal({p},{s})"),
        DataType::Decimal128(p, s) | DataType::Decimal256(p, s) => return format!("decimal({p},{s})"),
        DataType::List(item) | DataType::LargeList(item) => return format!("{}[]", type_name(item.data_type())),
        DataType::Null => "null",
        DataType::Boolean => "boolean",
        DataType::Int8 => "tinyint",
        DataType::Int16 => "smallint",
        DataType::Int32 => "integer",
        DataType::Int64 => "bigint",
        DataType::UInt8 => "tinyint unsigned",
        DataType::UInt16 => "smallint unsigned",
        DataType::UInt32 => "integer unsigned",
        DataType::UInt64 => "bigint unsigned",
        DataType::Float16 | DataType::Float32 => "real",
        DataType::Float64 => "double",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "varchar",
        DataType::Date32 => "date",
        DataType::Date64 | DataType::Timestamp(_, None) => "timestamp",
        DataType::Timestamp(_, Some(_)) => "timestamptz",
        DataType::Time32(_) | DataType::Time64(_) => "time",
        DataType::Interval(_) | DataType::Duration(_) => "interval",
        &UUID => "uuid",
        DataType::Struct(_) => "struct",
        DataType::Map(..) => "map",
        other if kind(other) == Kind::Binary => "varbinary",
        other => return other.to_string().to_lowercase(),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, DictionaryArray, NullArray, StringArray};
    use std::sync::Arc;

    fn written(f: impl Fn(&mut String)) -> String {
        let mut out = String::new();
        f(&mut out);
        out
    }

    #[test]
    fn uuids_are_shown_as_their_texts_and_other_bytes_as_digits() {
        let shown = |bytes: &[u8]| {
            let array = arrow_array::FixedSizeBinaryArray::try_from_iter(std::iter::once(bytes)).unwrap();
            (written(|out| write(&array, 0, ' ', out)), kind(array.data_type()), type_name(array.data_type()))
        };
        let uuid: Vec<u8> = (0xA0..0xB0).collect();
        let text = "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf".to_owned();
        assert_eq!(shown(&uuid), (text, Kind::Text, "uuid".to_owned()));
        assert_eq!(shown(&uuid[..3]), ("\\xa0a1a2".to_owned(), Kind::Binary, "varbinary".to_owned()));
    }

    #[test]
    fn decimals_keep_their_scale() {
        assert_eq!(written(|out| decimal(-5, 2, out)), "-0.05");
        assert_eq!(written(|out| decimal(123_456, 2, out)), "1234.56");
        assert_eq!(written(|out| decimal(0, 3, out)), "0.000");
        assert_eq!(written(|out| decimal(12, -2, out)), "1200");
        assert_eq!(written(|out| decimal(7, 20, out)), "0.00000000000000000007");
        assert_eq!(written(|out| decimal(-7, 40, out)), format!("-0.{}7", "0".repeat(39)));
        assert_eq!(written(|out| decimal(i128::MIN, 0, out)), i128::MIN.to_string());
    }

    #[test]
    fn floats_read_back() {
        for value in [0.1, 1.0, 1e300, -2.5e-9, 123_456_789.123] {
            assert_eq!(written(|out| float(value, out)).parse(), Ok(value));
        }
        assert_eq!(written(|out| float(f64::NEG_INFINITY, out)), "-Infinity");
        assert_eq!(written(|out| float(0.1_f32, out)), "0.1");
    }

    #[test]
    fn moments_show_only_the_fraction_they_have() {
        assert_eq!(written(|out| moment(0, TimeUnit::Nanosecond, ' ', out)), "1970-01-01 00:00:00");
        assert_eq!(written(|out| moment(-1, TimeUnit::Millisecond, 'T', out)), "1969-12-31T23:59:59.999");
        assert_eq!(written(|out| moment(5_000, TimeUnit::Microsecond, ' ', out)), "1970-01-01 00:00:00.005");
        for text in ["1970-01-01 00:00:00.0000001", "1969-12-31 23:59:59.1230001", "9999-12-31 23:59:59.9999999"] {
            assert_eq!(written(|out| ticks(text.parse().unwrap(), ' ', out)), text);
        }
        assert_eq!(written(|out| ticks(Timestamp(10_000), ' ', out)), "1970-01-01 00:00:00.001");
        assert_eq!(written(|out| moment(i64::MAX, TimeUnit::Second, ' ', out)), "106751991167300 days 15:30:07");
    }

    #[test]
    fn nulls_are_found_wherever_they_sit() {
        let values: ArrayRef = Arc::new(StringArray::from(vec![None, Some("a")]));
        let keys = arrow_array::Int8Array::from(vec![Some(0), Some(1), None]);
        let dictionary = DictionaryArray::new(keys, values);
        let found: Vec<_> =
            (0..3).map(|row| resolve(&dictionary, row).and_then(|(array, row)| text(array, row))).collect();
        assert_eq!(found, [None, Some("a"), None]);
        assert!(resolve(&NullArray::new(1), 0).is_none());
    }
}
