//! One value of a column, as bytes without a tag.
//!
//! | type | bytes |
//! |---|---|
//! | BOOLEAN | 0 or 1 |
//! | TINYINT to BIGINT | signed varint |
//! | DECIMAL, MONEY | signed varint of the digits without the point, at the column's scale (MONEY: 4) |
//! | REAL, DOUBLE | 4 or 8 bytes, little-endian |
//! | CHAR, VARCHAR, BINARY, VARBINARY | length, bytes |
//! | DATE | signed varint of days from 1970-01-01 |
//! | TIME, TIMESTAMP | signed varint of ticks of 100 ns |
//! | TIMESTAMP WITH TIME ZONE | ticks in UTC, then minutes that the clock is ahead, both signed varints |
//! | INTERVAL | months; or days, then ticks: signed varints |
//! | UUID | 16 bytes |

use super::number::{Cursor, damaged, put_signed, put_sized, put_wide};
use mainstay_types::{Code, Date, Decimal, Error, Interval, Result, SqlType, Time, Timestamp, ValueRef};

/// The digits after the point of a MONEY.
const MONEY_SCALE: u8 = 4;

/// Appends a value that is not NULL.
///
/// # Errors
/// `Internal` for a value that a column of this type cannot hold: it should have been converted before.
#[inline]
pub(super) fn put_value(out: &mut Vec<u8>, sql_type: SqlType, value: ValueRef<'_>) -> Result<()> {
    match (sql_type, value) {
        (SqlType::Boolean, ValueRef::Boolean(value)) => out.push(u8::from(value)),
        (SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt, ValueRef::Integer(value)) => {
            put_signed(out, value);
        }
        (SqlType::Decimal { scale, .. }, ValueRef::Decimal(value)) => put_decimal(out, value, scale)?,
        (SqlType::Money, ValueRef::Decimal(value)) => put_decimal(out, value, MONEY_SCALE)?,
        (SqlType::Real, ValueRef::Float(value)) => out.extend_from_slice(&(value as f32).to_le_bytes()),
        (SqlType::Double, ValueRef::Float(value)) => out.extend_from_slice(&value.to_le_bytes()),
        (SqlType::Char { .. } | SqlType::VarChar { .. }, ValueRef::Text(text)) => put_sized(out, text.as_bytes()),
        (SqlType::Binary { .. } | SqlType::VarBinary { .. }, ValueRef::Binary(bytes)) => put_sized(out, bytes),
        (SqlType::Date, ValueRef::Date(date)) => put_signed(out, i64::from(date.0)),
        (SqlType::Time { .. }, ValueRef::Time(time)) => put_signed(out, time.0),
        (SqlType::Timestamp { .. }, ValueRef::Timestamp(moment)) => put_signed(out, moment.0),
        (SqlType::TimestampWithOffset { .. }, ValueRef::TimestampWithOffset { utc, offset_minutes }) => {
            put_signed(out, utc.0);
            put_signed(out, i64::from(offset_minutes));
        }
        (SqlType::IntervalYearMonth, ValueRef::Interval(Interval { months, days: 0, ticks: 0 })) => {
            put_signed(out, i64::from(months));
        }
        (SqlType::IntervalDayTime, ValueRef::Interval(Interval { months: 0, days, ticks })) => {
            put_signed(out, i64::from(days));
            put_signed(out, ticks);
        }
        (SqlType::Uuid, ValueRef::Uuid(bytes)) => out.extend_from_slice(&bytes),
        (sql_type, value) => return Err(foreign(sql_type, value)),
    }
    Ok(())
}

fn put_decimal(out: &mut Vec<u8>, value: Decimal, scale: u8) -> Result<()> {
    if value.scale == scale {
        put_wide(out, value.unscaled);
        return Ok(());
    }
    // Another scale is another way to write the value only as long as nothing is rounded.
    match value.rescale(scale) {
        Some(exact) if exact == value => {
            put_wide(out, exact.unscaled);
            Ok(())
        }
        _ => Err(foreign(SqlType::Decimal { precision: 38, scale }, ValueRef::Decimal(value))),
    }
}

fn foreign(sql_type: SqlType, value: ValueRef<'_>) -> Error {
    Error::new(Code::Internal, format!("a column of type {sql_type} was given {value:?}"))
}

/// Reads a value that is not NULL.
///
/// # Errors
/// `Damaged` for bytes that no value of this type has.
#[inline]
pub(super) fn take_value<'a>(cursor: &mut Cursor<'a>, sql_type: SqlType) -> Result<ValueRef<'a>> {
    Ok(match sql_type {
        SqlType::Boolean => match cursor.byte()? {
            0 => ValueRef::Boolean(false),
            1 => ValueRef::Boolean(true),
            _ => return Err(damaged("a truth value is neither 0 nor 1")),
        },
        SqlType::TinyInt => ValueRef::Integer(narrow::<i8>(cursor.signed()?)?.into()),
        SqlType::SmallInt => ValueRef::Integer(narrow::<i16>(cursor.signed()?)?.into()),
        SqlType::Integer => ValueRef::Integer(narrow::<i32>(cursor.signed()?)?.into()),
        SqlType::BigInt => ValueRef::Integer(cursor.signed()?),
        SqlType::Decimal { scale, .. } => ValueRef::Decimal(take_decimal(cursor, scale)?),
        SqlType::Money => ValueRef::Decimal(take_decimal(cursor, MONEY_SCALE)?),
        SqlType::Real => ValueRef::Float(f32::from_le_bytes(cursor.array()?).into()),
        SqlType::Double => ValueRef::Float(f64::from_le_bytes(cursor.array()?)),
        SqlType::Char { .. } | SqlType::VarChar { .. } => ValueRef::Text(cursor.text()?),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => ValueRef::Binary(cursor.sized()?),
        SqlType::Date => ValueRef::Date(Date(narrow(cursor.signed()?)?)),
        SqlType::Time { .. } => ValueRef::Time(Time(cursor.signed()?)),
        SqlType::Timestamp { .. } => ValueRef::Timestamp(Timestamp(cursor.signed()?)),
        SqlType::TimestampWithOffset { .. } => ValueRef::TimestampWithOffset {
            utc: Timestamp(cursor.signed()?),
            offset_minutes: narrow(cursor.signed()?)?,
        },
        SqlType::IntervalYearMonth => ValueRef::Interval(Interval::from_months(narrow(cursor.signed()?)?)),
        SqlType::IntervalDayTime => {
            ValueRef::Interval(Interval { months: 0, days: narrow(cursor.signed()?)?, ticks: cursor.signed()? })
        }
        SqlType::Uuid => ValueRef::Uuid(cursor.array()?),
    })
}

fn take_decimal(cursor: &mut Cursor<'_>, scale: u8) -> Result<Decimal> {
    let unscaled = cursor.wide()?;
    if unscaled.unsigned_abs() >= 10u128.pow(38) {
        return Err(damaged("an exact number has more than 38 digits"));
    }
    Ok(Decimal::new(unscaled, scale))
}

fn narrow<T: TryFrom<i64>>(number: i64) -> Result<T> {
    T::try_from(number).map_err(|_| damaged("a number is too large for its column"))
}
