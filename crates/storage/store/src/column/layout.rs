//! The memory layout of values of a SQL type.
//!
//! Every SQL type has one layout, and every layout one physical type of Arrow. A value that comes in is first brought into
//! the one form that its column has ([`canonical`]): whole numbers into the column's range, decimals to its scale. After
//! that nothing can go wrong, and two values are equal exactly when their bytes are.
//!
//! | SQL type | in memory | Arrow |
//! |---|---|---|
//! | BOOLEAN | byte | Boolean |
//! | TINYINT, SMALLINT, INTEGER, BIGINT | 1, 2, 4, 8 bytes | Int8, Int16, Int32, Int64 |
//! | DECIMAL(p, s) | 4, 8, 16 bytes for p up to 9, 18, 38 | Decimal32, 64, 128 |
//! | MONEY | 16 bytes | Decimal128(19, 4) |
//! | REAL, DOUBLE | 4, 8 bytes | Float32, Float64 |
//! | CHAR, VARCHAR, TEXT / BINARY, VARBINARY | 16 bytes and blocks | Utf8View / BinaryView |
//! | DATE, TIME | 4, 8 bytes | Date32, Time64(ns) |
//! | TIMESTAMP | 8 bytes | Timestamp(us), for seven digits Decimal64: [`TICKS`](mainstay_columnar::values::TICKS) |
//! | TIMESTAMP WITH TIME ZONE | 16 bytes | Decimal128: [`OFFSET`](mainstay_columnar::values::OFFSET) |
//! | INTERVAL | 4, 16 bytes | Interval(YearMonth), Interval(MonthDayNano) |
//! | UUID | 16 bytes | FixedSizeBinary(16) |

use arrow_schema::DataType;
use mainstay_columnar::values::data_type_of;
use mainstay_types::{Code, Date, Decimal, Error, Result, SqlType, Timestamp, ValueRef};

/// The physical type of a column: decimals of few digits are narrower than statements see them.
pub fn data_type(sql_type: SqlType) -> DataType {
    match (sql_type, data_type_of(sql_type)) {
        (SqlType::Decimal { precision: ..=9, .. }, DataType::Decimal128(precision, scale)) => {
            DataType::Decimal32(precision, scale)
        }
        (SqlType::Decimal { precision: ..=18, .. }, DataType::Decimal128(precision, scale)) => {
            DataType::Decimal64(precision, scale)
        }
        (_, shown) => shown,
    }
}

/// The value in the form that a column of this type keeps it in.
///
/// Whole numbers, decimals and floats convert into one another when nothing but digits behind the column's scale is lost
/// (they round half away from zero). Text and bytes must fit; padding CHAR and BINARY is the caller's.
///
/// Errors: `TypeMismatch` for a value of another kind, `InvalidValue` for one that does not fit.
#[inline]
pub fn canonical(sql_type: SqlType, value: ValueRef<'_>) -> Result<ValueRef<'_>> {
    if is_kept_as_is(sql_type, &value) { Ok(value) } else { closer(sql_type, value) }
}

/// Returns true if a glance tells that a column of this type keeps the value as it is: `false` says nothing. Small
/// enough to become part of every loop over a row's values, where a call and the copies that it needs take longer than
/// the answer.
#[inline]
pub fn is_kept_as_is(sql_type: SqlType, value: &ValueRef<'_>) -> bool {
    match (value, sql_type) {
        (ValueRef::Null, _) | (ValueRef::Integer(_), SqlType::BigInt) | (ValueRef::Float(_), SqlType::Double) => true,
        (ValueRef::Integer(number), SqlType::Integer) => i32::try_from(*number).is_ok(),
        (ValueRef::Text(_), SqlType::VarChar { length: None, .. }) => true,
        // A character has at least one byte, so most texts need not be counted.
        (ValueRef::Text(text), SqlType::VarChar { length: Some(length), .. } | SqlType::Char { length, .. }) => {
            text.len() <= length as usize
        }
        _ => false,
    }
}

/// The rest of [`canonical`].
fn closer(sql_type: SqlType, value: ValueRef<'_>) -> Result<ValueRef<'_>> {
    use ValueRef as V;
    match (sql_type, value) {
        (SqlType::Boolean, V::Boolean(_)) | (SqlType::Uuid, V::Uuid(_)) => Ok(value),
        // A computed value may lie outside of the years 1 to 9999.
        (SqlType::Date, V::Date(date)) => {
            if (Date::FIRST..=Date::LAST).contains(&date) {
                Ok(value)
            } else {
                Err(misfit(sql_type, value))
            }
        }
        (_, V::Timestamp(moment) | V::TimestampWithOffset { utc: moment, .. })
            if !(Timestamp::FIRST..=Timestamp::LAST).contains(&moment) =>
        {
            Err(misfit(sql_type, value))
        }
        (SqlType::VarBinary { length: None }, V::Binary(_)) | (SqlType::Time { .. }, V::Time(_)) => Ok(value),
        (SqlType::VarChar { length: Some(length), .. } | SqlType::Char { length, .. }, V::Text(text)) => {
            if text.chars().count() <= length as usize { Ok(value) } else { Err(misfit(sql_type, value)) }
        }
        (SqlType::VarBinary { length: Some(length) } | SqlType::Binary { length }, V::Binary(bytes)) => {
            if bytes.len() <= length as usize { Ok(value) } else { Err(misfit(sql_type, value)) }
        }
        _ => numeric(sql_type, value),
    }
}

/// The rest of [`canonical`] for numbers and timestamps: the conversions.
fn numeric(sql_type: SqlType, value: ValueRef<'_>) -> Result<ValueRef<'_>> {
    use ValueRef as V;
    let whole = |low: i64, high: i64| {
        let number = match value {
            V::Integer(number) => Some(number),
            V::Decimal(decimal) => decimal.rescale(0).and_then(|decimal| i64::try_from(decimal.unscaled).ok()),
            _ => return Err(mismatch(sql_type, value)),
        };
        number.filter(|number| (low..=high).contains(number)).map(V::Integer).ok_or_else(|| misfit(sql_type, value))
    };
    match (sql_type, value) {
        (SqlType::TinyInt, _) => whole(i8::MIN.into(), i8::MAX.into()),
        (SqlType::SmallInt, _) => whole(i16::MIN.into(), i16::MAX.into()),
        (SqlType::Integer, _) => whole(i32::MIN.into(), i32::MAX.into()),
        (SqlType::BigInt, _) => whole(i64::MIN, i64::MAX),
        (SqlType::Decimal { precision, scale }, _) => decimal(sql_type, value, precision, scale),
        (SqlType::Money, _) => decimal(sql_type, value, 19, 4),
        (SqlType::Real | SqlType::Double, V::Integer(number)) => float(sql_type, number as f64),
        (SqlType::Real | SqlType::Double, V::Decimal(number)) => float(sql_type, number.to_f64()),
        (SqlType::Real, V::Float(number)) => float(sql_type, number),
        (SqlType::Timestamp { digits: 7.. }, V::Timestamp(_)) => Ok(value),
        (SqlType::Timestamp { .. }, V::Timestamp(moment)) => {
            mainstay_types::Timestamp::from_us(moment.us()).map(V::Timestamp).ok_or_else(|| misfit(sql_type, value))
        }
        (SqlType::TimestampWithOffset { .. }, V::TimestampWithOffset { .. }) => Ok(value),
        (SqlType::IntervalYearMonth | SqlType::IntervalDayTime, V::Interval(interval)) => {
            let fits = (sql_type == SqlType::IntervalDayTime || (interval.days, interval.ticks) == (0, 0))
                && interval.ticks.checked_mul(100).is_some();
            if fits { Ok(value) } else { Err(misfit(sql_type, value)) }
        }
        _ => Err(mismatch(sql_type, value)),
    }
}

fn decimal(sql_type: SqlType, value: ValueRef<'_>, precision: u8, scale: u8) -> Result<ValueRef<'_>> {
    let number = match value {
        ValueRef::Decimal(number) if number.scale == scale => Some(number),
        ValueRef::Decimal(number) => number.rescale(scale),
        ValueRef::Integer(number) => Decimal::new(number.into(), 0).rescale(scale),
        _ => return Err(mismatch(sql_type, value)),
    };
    let limit = 10u128.pow(u32::from(precision.min(38)));
    match number.filter(|number| number.unscaled.unsigned_abs() < limit) {
        Some(number) => Ok(ValueRef::Decimal(number)),
        None => Err(misfit(sql_type, value)),
    }
}

fn float<'a>(sql_type: SqlType, number: f64) -> Result<ValueRef<'a>> {
    let stored = if sql_type == SqlType::Real { f64::from(number as f32) } else { number };
    if stored.is_finite() || !number.is_finite() {
        Ok(ValueRef::Float(stored))
    } else {
        Err(misfit(sql_type, ValueRef::Float(number)))
    }
}

#[cold]
fn mismatch(sql_type: SqlType, value: ValueRef<'_>) -> Error {
    Error::new(Code::TypeMismatch, format!("{} is not a value of type {sql_type}", brief(value)))
}

#[cold]
fn misfit(sql_type: SqlType, value: ValueRef<'_>) -> Error {
    Error::new(Code::InvalidValue, format!("{} does not fit into {sql_type}", brief(value)))
}

/// The value as a literal, cut off where it gets long.
pub(crate) fn brief(value: ValueRef<'_>) -> String {
    const LIMIT: usize = 60;
    let text = match value {
        ValueRef::Text(text) => ValueRef::Text(&text[..text.floor_char_boundary(LIMIT)]).to_value().to_string(),
        ValueRef::Binary(bytes) => ValueRef::Binary(&bytes[..bytes.len().min(LIMIT)]).to_value().to_string(),
        _ => value.to_value().to_string(),
    };
    let cut = matches!(value, ValueRef::Text(text) if text.len() > LIMIT)
        || matches!(value, ValueRef::Binary(bytes) if bytes.len() > LIMIT);
    if cut { text + "..." } else { text }
}
