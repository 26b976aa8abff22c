//! Conversion of a value to a column's type: INSERT and UPDATE convert every value they store.
//!
//! These rules are common to all dialects; a dialect with other rules (silent truncation, money signs,
//! other forms of dates) converts the value before it comes here.
//!
//! ```text
//!   to           from                                          lost quietly        refused
//!   numbers      numbers, booleans, text of a number           digits, rounded     what is out of range, text with
//!                                                                                  a fraction for a whole number
//!   text         everything but bytes                          blanks at the end   what is too long
//!   bytes        bytes, UUIDs                                  nothing             what is too long
//!   date, time   dates, times, timestamps, their text          the other half      text that has both
//!   timestamp    dates, timestamps with offset or without      digits, rounded     years before 1 or after 9999
//!   interval     its own kind, its text                        digits, rounded     the other kind
//!   UUID         16 bytes, its text
//! ```
//!
//! Rounding is half away from zero for numbers, half up for timestamps. NULL stays NULL; NOT NULL is
//! not a property of the type. A value that cannot be converted at all is a TypeMismatch, a value that does not fit an
//! InvalidValue; both name the type and the value.

mod moment;
mod number;
mod string;

use crate::scan::shortened;
use crate::{Cause, Code, Error, Result, SqlType, Value, ValueRef, uuid};

/// The value as one that a column of this type holds, in the form that [`Value`] has for the type: `Integer` for the
/// whole numbers, `Decimal` with the type's scale (4 for MONEY), `Float` for REAL (with the precision of 32 bits)
/// and DOUBLE, and so on.
pub fn convert(value: ValueRef<'_>, to: SqlType) -> Result<Value> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    match to {
        SqlType::Boolean => number::boolean(value, to).map(Value::Boolean),
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt => {
            number::integer(value, to).map(Value::Integer)
        }
        SqlType::Decimal { precision, scale } => number::decimal(value, precision, scale, to).map(Value::Decimal),
        SqlType::Money => number::money(value, to).map(Value::Decimal),
        SqlType::Real => number::real(value, to).map(Value::Float),
        SqlType::Double => number::double(value, to).map(Value::Float),
        SqlType::Char { length, .. } => string::text(value, Some(length), true, to).map(Value::Text),
        SqlType::VarChar { length, .. } => string::text(value, length, false, to).map(Value::Text),
        SqlType::Binary { length } => string::binary(value, Some(length), true, to).map(Value::Binary),
        SqlType::VarBinary { length } => string::binary(value, length, false, to).map(Value::Binary),
        SqlType::Date => moment::date(value, to).map(Value::Date),
        SqlType::Time { digits } => moment::time(value, digits, to).map(Value::Time),
        SqlType::Timestamp { digits } => moment::timestamp(value, digits, to).map(Value::Timestamp),
        SqlType::TimestampWithOffset { digits } => moment::with_offset(value, digits, to),
        SqlType::IntervalYearMonth => moment::year_month(value, to).map(Value::Interval),
        SqlType::IntervalDayTime => moment::day_time(value, to).map(Value::Interval),
        SqlType::Uuid => to_uuid(value, to).map(Value::Uuid),
    }
}

fn to_uuid(value: ValueRef<'_>, to: SqlType) -> Result<[u8; 16]> {
    match value {
        ValueRef::Uuid(uuid) => Ok(uuid),
        ValueRef::Text(text) => uuid::parse(text),
        ValueRef::Binary(bytes) => bytes.try_into().map_err(|_| not_of(value, to).hint("a UUID has 16 bytes")),
        _ => Err(mismatch(value, to)),
    }
}

/// The value has a kind that never becomes this type.
fn mismatch(value: ValueRef<'_>, to: SqlType) -> Error {
    Error::new(Code::TypeMismatch, format!("{} cannot be stored as {to}: {}", value.kind(), shown(value)))
}

/// The value is no such number, text ...
fn not_of(value: ValueRef<'_>, to: SqlType) -> Error {
    Error::new(Code::InvalidValue, format!("{} is not a value of {to}", shown(value)))
}

/// The value is beyond what the type holds.
fn out_of_range(value: ValueRef<'_>, to: SqlType) -> Error {
    let error = Error::new(Code::InvalidValue, format!("{} is out of range for {to}", shown(value)));
    error.because(Cause::OutOfRange)
}

/// The value as a literal, cut where it is long.
fn shown(value: ValueRef<'_>) -> String {
    match value {
        // Only what is shown of a long value is made into text.
        ValueRef::Text(text) => format!("'{}'", shortened(text)),
        ValueRef::Binary(bytes) => shortened(&ValueRef::Binary(&bytes[..bytes.len().min(64)]).to_string()),
        other => shortened(&other.to_string()),
    }
}

#[cfg(test)]
mod tests;
