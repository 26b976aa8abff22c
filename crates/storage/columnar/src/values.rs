//! Conversion of single values to and from vectors.
//!
//! Queries answer in Arrow's types, rows are written in SQL's. Numbers keep their exact value on the way; values that
//! do not fit a column are refused by [`mainstay_types::convert()`], not here.
//!
//! Arrow has no timestamps of 100 ns that reach from year 1 to 9999, and none with their own offset. They are numbers
//! here, of types that no other column has because their scales are negative:
//!
//! ```text
//!   [`TICKS`]    TIMESTAMP(7)               ticks of 100 ns after 1970: nanoseconds, to the hundred
//!   [`OFFSET`]   TIMESTAMP WITH TIME ZONE   the same of UTC times 4096, and the offset in minutes + 2048
//! ```
//!
//! The order of the numbers is the order of the timestamps. Equal timestamps with other offsets are other numbers:
//! comparisons, groupings and joins extract the UTC timestamp from the number first.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, IntervalYearMonthType, Time32MillisecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, StringViewArray,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use mainstay_types::{Code, Date, Decimal, Error, Interval, Result, SqlType, Time, Timestamp, Value, ValueRef};
use std::sync::Arc;

/// Nanoseconds of a tick of [`Timestamp`], [`Time`] and [`Interval`].
const TICK_NS: i64 = 100;

/// Those of a millisecond.
const TICKS_PER_MS: i64 = 10_000;

/// The type of vectors of `TIMESTAMP(7)`: ticks of 100 ns after 1970.
pub const TICKS: DataType = DataType::Decimal64(18, -2);

/// The type of vectors of `TIMESTAMP WITH TIME ZONE`: [`Timestamp::packed`].
pub const OFFSET: DataType = DataType::Decimal128(38, -12);

/// The Arrow type in which statements see values of a SQL type. Storage may lay them out narrower.
pub fn data_type_of(sql_type: SqlType) -> DataType {
    match sql_type {
        SqlType::Boolean => DataType::Boolean,
        SqlType::TinyInt => DataType::Int8,
        SqlType::SmallInt => DataType::Int16,
        SqlType::Integer => DataType::Int32,
        SqlType::BigInt => DataType::Int64,
        SqlType::Decimal { precision, scale } => DataType::Decimal128(precision.clamp(1, 38), scale as i8),
        SqlType::Money => DataType::Decimal128(19, 4),
        SqlType::Real => DataType::Float32,
        SqlType::Double => DataType::Float64,
        SqlType::Char { .. } | SqlType::VarChar { .. } => DataType::Utf8View,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => DataType::BinaryView,
        SqlType::Date => DataType::Date32,
        SqlType::Time { .. } => DataType::Time64(TimeUnit::Nanosecond),
        SqlType::Timestamp { digits: ..=6 } => DataType::Timestamp(TimeUnit::Microsecond, None),
        SqlType::Timestamp { .. } => TICKS,
        SqlType::TimestampWithOffset { .. } => OFFSET,
        SqlType::IntervalYearMonth => DataType::Interval(IntervalUnit::YearMonth),
        SqlType::IntervalDayTime => DataType::Interval(IntervalUnit::MonthDayNano),
        SqlType::Uuid => DataType::FixedSizeBinary(16),
    }
}

/// The value in a row of a vector.
///
/// Errors: `Unsupported` for vectors of types that no column can hold (lists, structures).
pub fn value_at(array: &dyn Array, row: usize) -> Result<Value> {
    if array.is_null(row) {
        return Ok(Value::Null);
    }
    Ok(match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        DataType::Int8 => Value::Integer(array.as_primitive::<Int8Type>().value(row).into()),
        DataType::Int16 => Value::Integer(array.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int32 => Value::Integer(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt8 => Value::Integer(array.as_primitive::<UInt8Type>().value(row).into()),
        DataType::UInt16 => Value::Integer(array.as_primitive::<UInt16Type>().value(row).into()),
        DataType::UInt32 => Value::Integer(array.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => {
            let value = i128::from(array.as_primitive::<UInt64Type>().value(row));
            i64::try_from(value).map_or(Value::Decimal(Decimal::new(value, 0)), Value::Integer)
        }
        &TICKS => Value::Timestamp(Timestamp(array.as_primitive::<Decimal64Type>().value(row))),
        &OFFSET => {
            let (utc, offset_minutes) = Timestamp::unpacked(array.as_primitive::<Decimal128Type>().value(row));
            Value::TimestampWithOffset { utc, offset_minutes }
        }
        DataType::Decimal128(_, scale) => {
            let scale = u8::try_from(*scale).map_err(|_| unreadable(array.data_type()))?;
            Value::Decimal(Decimal::new(array.as_primitive::<Decimal128Type>().value(row), scale))
        }
        DataType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(row).to_owned()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_owned()),
        DataType::Binary => Value::Binary(array.as_binary::<i32>().value(row).to_owned()),
        DataType::LargeBinary => Value::Binary(array.as_binary::<i64>().value(row).to_owned()),
        DataType::BinaryView => Value::Binary(array.as_binary_view().value(row).to_owned()),
        DataType::FixedSizeBinary(_) => {
            let bytes = array.as_fixed_size_binary().value(row);
            bytes.try_into().map_or_else(|_| Value::Binary(bytes.to_owned()), Value::Uuid)
        }
        DataType::Date32 => Value::Date(Date(array.as_primitive::<Date32Type>().value(row))),
        DataType::Time32(TimeUnit::Millisecond) => {
            Value::Time(Time(i64::from(array.as_primitive::<Time32MillisecondType>().value(row)) * TICKS_PER_MS))
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            Value::Time(Time(array.as_primitive::<Time64NanosecondType>().value(row) / TICK_NS))
        }
        DataType::Timestamp(unit, zone) => {
            let utc = timestamp(array, *unit, row).ok_or_else(|| unreadable(array.data_type()))?;
            match zone {
                None => Value::Timestamp(utc),
                Some(_) => Value::TimestampWithOffset { utc, offset_minutes: 0 },
            }
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            let months = array.as_primitive::<IntervalYearMonthType>().value(row);
            Value::Interval(Interval { months, days: 0, ticks: 0 })
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            Value::Interval(Interval { months: value.months, days: value.days, ticks: value.nanoseconds / TICK_NS })
        }
        DataType::Dictionary(..) => {
            // Keys are normalized for a whole vector: this one has a single key.
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            let key = dictionary.normalized_keys().first().copied().unwrap_or_default();
            return value_at(dictionary.values().as_ref(), key);
        }
        other => return Err(unreadable(other)),
    })
}

fn timestamp(array: &dyn Array, unit: TimeUnit, row: usize) -> Option<Timestamp> {
    match unit {
        TimeUnit::Second => Timestamp::from_seconds(array.as_primitive::<TimestampSecondType>().value(row)),
        TimeUnit::Millisecond => Timestamp::from_ms(array.as_primitive::<TimestampMillisecondType>().value(row)),
        TimeUnit::Microsecond => Timestamp::from_us(array.as_primitive::<TimestampMicrosecondType>().value(row)),
        TimeUnit::Nanosecond => Some(Timestamp::from_nanos(array.as_primitive::<TimestampNanosecondType>().value(row))),
    }
}

pub(crate) fn unreadable(data_type: &DataType) -> Error {
    Error::new(Code::Unsupported, format!("a column cannot hold a value of type {data_type}"))
}

/// A vector of this type, which is one that a column can have, of values.
///
/// A value of another type becomes NULL.
pub fn array_of(data_type: &DataType, values: &[ValueRef<'_>]) -> ArrayRef {
    array_from(data_type, values.len(), |row| values.get(row).copied().unwrap_or(ValueRef::Null))
}

/// The same of so many values that a caller has by row.
pub fn array_from<'v>(data_type: &DataType, len: usize, value: impl Fn(usize) -> ValueRef<'v>) -> ArrayRef {
    let values = || (0..len).map(&value);
    macro_rules! primitive {
        ($arrow:ty, $value:ident => $native:expr) => {{
            let natives = values().map(|$value| $native);
            Arc::new(PrimitiveArray::<$arrow>::from_iter(natives).with_data_type(data_type.clone())) as ArrayRef
        }};
    }
    match data_type {
        DataType::Boolean => Arc::new(BooleanArray::from_iter(values().map(|value| match value {
            ValueRef::Boolean(value) => Some(value),
            _ => None,
        }))),
        DataType::Int8 => primitive!(Int8Type, value => whole(value).and_then(|value| value.try_into().ok())),
        DataType::Int16 => primitive!(Int16Type, value => whole(value).and_then(|value| value.try_into().ok())),
        DataType::Int32 => primitive!(Int32Type, value => whole(value).and_then(|value| value.try_into().ok())),
        DataType::Int64 => primitive!(Int64Type, value => whole(value)),
        &TICKS => primitive!(Decimal64Type, value => moment(value).map(|value| value.0)),
        &OFFSET => primitive!(Decimal128Type, value => match value {
            ValueRef::TimestampWithOffset { utc, offset_minutes } => Some(utc.packed(offset_minutes)),
            ValueRef::Timestamp(utc) => Some(utc.packed(0)),
            _ => None,
        }),
        DataType::Decimal128(_, scale) => primitive!(Decimal128Type, value => {
            let scale = u8::try_from(*scale).unwrap_or_default();
            value.as_decimal().and_then(|value| value.rescale(scale)).map(|value| value.unscaled)
        }),
        DataType::Float32 => primitive!(Float32Type, value => value.as_f64().map(|value| value as f32)),
        DataType::Float64 => primitive!(Float64Type, value => value.as_f64()),
        DataType::Date32 => primitive!(Date32Type, value => match value {
            ValueRef::Date(value) => Some(value.0),
            _ => None,
        }),
        DataType::Time64(_) => primitive!(Time64NanosecondType, value => match value {
            ValueRef::Time(value) => Some(value.nanos()),
            _ => None,
        }),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            primitive!(TimestampNanosecondType, value => moment(value).and_then(|value| value.nanos()))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            primitive!(TimestampMillisecondType, value => moment(value).map(|value| value.ms()))
        }
        DataType::Timestamp(TimeUnit::Second, _) => {
            primitive!(TimestampSecondType, value => moment(value).map(|value| value.ms().div_euclid(1_000)))
        }
        DataType::Timestamp(..) => primitive!(TimestampMicrosecondType, value => moment(value).map(|value| value.us())),
        DataType::Interval(IntervalUnit::YearMonth) => primitive!(IntervalYearMonthType, value => match value {
            ValueRef::Interval(value) => Some(value.months),
            _ => None,
        }),
        DataType::Interval(_) => primitive!(IntervalMonthDayNanoType, value => match value {
            ValueRef::Interval(value) => {
                let nanos = value.ticks.checked_mul(TICK_NS)?;
                Some(IntervalMonthDayNanoType::make_value(value.months, value.days, nanos))
            }
            _ => None,
        }),
        DataType::BinaryView => Arc::new(BinaryViewArray::from_iter(values().map(|value| match value {
            ValueRef::Binary(value) => Some(value),
            _ => None,
        }))),
        DataType::FixedSizeBinary(_) => {
            let bytes = values().map(|value| match value {
                ValueRef::Uuid(value) => Some(value),
                _ => None,
            });
            match FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 16) {
                Ok(array) => Arc::new(array),
                Err(_) => arrow_array::new_null_array(data_type, len),
            }
        }
        _ => Arc::new(StringViewArray::from_iter(values().map(|value| match value {
            ValueRef::Text(value) => Some(value),
            _ => None,
        }))),
    }
}

fn whole(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(value) => Some(value),
        _ => None,
    }
}

fn moment(value: ValueRef<'_>) -> Option<Timestamp> {
    match value {
        ValueRef::Timestamp(value) => Some(value),
        ValueRef::TimestampWithOffset { utc, .. } => Some(utc),
        _ => None,
    }
}
