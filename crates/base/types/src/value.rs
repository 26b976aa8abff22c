//! One value of any type, owned ([`Value`]) or borrowed ([`ValueRef`]).

use crate::{Date, Decimal, Interval, Time, Timestamp, uuid};
use std::fmt;

/// A single value, as a bound of a range, a parameter or a cell of a result.
///
/// Columns of values are Arrow vectors; this is for single values. Equality is of the parts (two timestamps with other
/// offsets differ, `1` and `1.0` of other kinds differ); comparison in SQL is up to the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number of up to 64 bits.
    Integer(i64),
    /// An exact number.
    Decimal(Decimal),
    /// A double.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes that are not text.
    Binary(Vec<u8>),
    /// A day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A timestamp.
    Timestamp(Timestamp),
    /// A timestamp, and the offset of the clock that showed it.
    TimestampWithOffset {
        /// The timestamp in UTC.
        utc: Timestamp,
        /// Minutes that the clock is ahead of UTC.
        offset_minutes: i16,
    },
    /// A length of time.
    Interval(Interval),
    /// A UUID: its bytes in the order of its text.
    Uuid([u8; 16]),
}

/// A single value with borrowed text or bytes: see [`Value`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRef<'a> {
    /// No value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number of up to 64 bits.
    Integer(i64),
    /// An exact number.
    Decimal(Decimal),
    /// A double.
    Float(f64),
    /// Text.
    Text(&'a str),
    /// Bytes that are not text.
    Binary(&'a [u8]),
    /// A day.
    Date(Date),
    /// A time of day.
    Time(Time),
    /// A timestamp.
    Timestamp(Timestamp),
    /// A timestamp, and the offset of the clock that showed it.
    TimestampWithOffset {
        /// The timestamp in UTC.
        utc: Timestamp,
        /// Minutes that the clock is ahead of UTC.
        offset_minutes: i16,
    },
    /// A length of time.
    Interval(Interval),
    /// A UUID: its bytes in the order of its text.
    Uuid([u8; 16]),
}

impl Value {
    /// The same value, borrowed. (Not the trait: a [`ValueRef`] is no reference.)
    #[allow(clippy::should_implement_trait)]
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::Null => ValueRef::Null,
            Value::Boolean(value) => ValueRef::Boolean(*value),
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Decimal(value) => ValueRef::Decimal(*value),
            Value::Float(value) => ValueRef::Float(*value),
            Value::Text(value) => ValueRef::Text(value),
            Value::Binary(value) => ValueRef::Binary(value),
            Value::Date(value) => ValueRef::Date(*value),
            Value::Time(value) => ValueRef::Time(*value),
            Value::Timestamp(value) => ValueRef::Timestamp(*value),
            Value::TimestampWithOffset { utc, offset_minutes } => {
                ValueRef::TimestampWithOffset { utc: *utc, offset_minutes: *offset_minutes }
            }
            Value::Interval(value) => ValueRef::Interval(*value),
            Value::Uuid(value) => ValueRef::Uuid(*value),
        }
    }

    /// The number as a double, if it is one of the numeric kinds.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_ref().as_f64()
    }

    /// The number as an exact decimal, if it is an integer or a decimal.
    pub fn as_decimal(&self) -> Option<Decimal> {
        self.as_ref().as_decimal()
    }
}

impl ValueRef<'_> {
    /// The same value with owned text and bytes.
    pub fn to_value(self) -> Value {
        match self {
            ValueRef::Null => Value::Null,
            ValueRef::Boolean(value) => Value::Boolean(value),
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Decimal(value) => Value::Decimal(value),
            ValueRef::Float(value) => Value::Float(value),
            ValueRef::Text(value) => Value::Text(value.to_owned()),
            ValueRef::Binary(value) => Value::Binary(value.to_owned()),
            ValueRef::Date(value) => Value::Date(value),
            ValueRef::Time(value) => Value::Time(value),
            ValueRef::Timestamp(value) => Value::Timestamp(value),
            ValueRef::TimestampWithOffset { utc, offset_minutes } => Value::TimestampWithOffset { utc, offset_minutes },
            ValueRef::Interval(value) => Value::Interval(value),
            ValueRef::Uuid(value) => Value::Uuid(value),
        }
    }

    /// Returns true if it is NULL.
    pub fn is_null(self) -> bool {
        matches!(self, ValueRef::Null)
    }

    /// The number as a double, if it is one of the numeric kinds.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            ValueRef::Integer(n) => Some(n as f64),
            ValueRef::Decimal(d) => Some(d.to_f64()),
            ValueRef::Float(f) => Some(f),
            _ => None,
        }
    }

    /// The number as an exact decimal, if it is an integer or a decimal.
    pub fn as_decimal(self) -> Option<Decimal> {
        match self {
            ValueRef::Integer(n) => Some(Decimal::new(i128::from(n), 0)),
            ValueRef::Decimal(d) => Some(d),
            _ => None,
        }
    }

    /// The kind of value, for messages: `a number`.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            ValueRef::Null => "NULL",
            ValueRef::Boolean(_) => "a boolean",
            ValueRef::Integer(_) | ValueRef::Decimal(_) | ValueRef::Float(_) => "a number",
            ValueRef::Text(_) => "a text",
            ValueRef::Binary(_) => "a string of bytes",
            ValueRef::Date(_) => "a date",
            ValueRef::Time(_) => "a time",
            ValueRef::Timestamp(_) => "a timestamp",
            ValueRef::TimestampWithOffset { .. } => "a timestamp with time zone",
            ValueRef::Interval(_) => "an interval",
            ValueRef::Uuid(_) => "a UUID",
        }
    }
}

/// As a literal of SQL, for plans and messages.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_ref(), f)
    }
}

/// As a literal of SQL, for plans and messages.
impl fmt::Display for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueRef::Null => f.write_str("NULL"),
            ValueRef::Boolean(value) => write!(f, "{value}"),
            ValueRef::Integer(value) => write!(f, "{value}"),
            ValueRef::Decimal(value) => write!(f, "{value}"),
            ValueRef::Float(value) => write!(f, "{value}"),
            ValueRef::Text(value) => write!(f, "'{}'", value.replace('\'', "''")),
            ValueRef::Binary(value) => {
                f.write_str("X'")?;
                value.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
                f.write_str("'")
            }
            ValueRef::Date(value) => write!(f, "DATE '{value}'"),
            ValueRef::Time(value) => write!(f, "TIME '{value}'"),
            ValueRef::Timestamp(value) => write!(f, "TIMESTAMP '{value}'"),
            ValueRef::TimestampWithOffset { utc, offset_minutes } => {
                write!(f, "TIMESTAMP WITH TIME ZONE '{}'", utc.display_with_offset(*offset_minutes))
            }
            ValueRef::Interval(value) if value.months != 0 && value.day_ticks() == 0 => {
                write!(f, "INTERVAL '{value}' YEAR TO MONTH")
            }
            ValueRef::Interval(value) if value.months == 0 => write!(f, "INTERVAL '{value}' DAY TO SECOND"),
            // No literal of SQL has both kinds.
            ValueRef::Interval(value) => write!(f, "INTERVAL '{value}'"),
            ValueRef::Uuid(value) => write!(f, "UUID '{}'", uuid::display(*value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_as_literals() {
        assert_eq!(Value::Text("O'Hara".into()).to_string(), "'O''Hara'");
        assert_eq!(Value::Binary(vec![1, 0xAB]).to_string(), "X'01AB'");
        assert_eq!(Value::Date(Date(0)).to_string(), "DATE '1970-01-01'");
        let moment = Value::TimestampWithOffset { utc: Timestamp(0), offset_minutes: 60 };
        assert_eq!(moment.to_string(), "TIMESTAMP WITH TIME ZONE '1970-01-01 01:00:00 +01:00'");
        let months = Value::Interval(Interval::from_months(18));
        assert_eq!(months.to_string(), "INTERVAL '1-06' YEAR TO MONTH");
        assert_eq!(Value::Uuid([0x11; 16]).to_string(), "UUID '11111111-1111-1111-1111-111111111111'");
    }

    #[test]
    fn borrowing_and_owning_keep_the_value() {
        let values = [
            Value::Null,
            Value::Boolean(true),
            Value::Integer(-5),
            Value::Decimal(Decimal::new(12, 1)),
            Value::Float(0.5),
            Value::Text("é".into()),
            Value::Binary(vec![0, 255]),
            Value::Date(Date(1)),
            Value::Time(Time(2)),
            Value::Timestamp(Timestamp(3)),
            Value::TimestampWithOffset { utc: Timestamp(4), offset_minutes: -30 },
            Value::Interval(Interval { months: 1, days: 2, ticks: 3 }),
            Value::Uuid([7; 16]),
        ];
        for value in values {
            assert_eq!(value.as_ref().to_value(), value);
            assert_eq!(value.as_ref().to_string(), value.to_string());
        }
    }
}
