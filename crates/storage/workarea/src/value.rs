//! Values of fields and keys in the interface of an area.
//!
//! Texts are bytes in the table's code page, as they are in the file: an xBase program reads the bytes that it wrote,
//! whatever code page the header names. Days are Julian, 0 for an empty date.

use mainstay_types::{Date, Decimal, Time, Timestamp, Value};
use mainstay_xbase::expr::{ExprValue, Kind};
use std::cmp::Ordering;

/// The value of a field or of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// No value, where a field can have none.
    Null,
    /// Text in the table's code page, in its full width.
    Text(Vec<u8>),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
    /// A whole number that a double may not hold.
    Integer(i64),
    /// An exact number that a double may not hold.
    Decimal(Decimal),
    /// A number.
    Number(f64),
    /// A Julian day, 0 for none.
    Date(i32),
    /// A Julian day (0 for none) and milliseconds.
    Timestamp {
        /// The day.
        day: i32,
        /// Milliseconds since it began.
        ms: i32,
    },
    /// A time of day in milliseconds.
    Time(u32),
    /// True or false.
    Logical(bool),
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// A number of any kind.
    Number,
    /// A day.
    Date,
    /// A day and a time.
    Timestamp,
    /// A time of day.
    Time,
    /// True or false.
    Logical,
}

/// A key to seek, or an end of a scope.
#[derive(Clone, Debug, PartialEq)]
pub enum SeekKey {
    /// Text, of which keys may be the continuation. In an order of another type it is converted: digits, `YYYYMMDD`,
    /// `T` or `F`.
    Text(Vec<u8>),
    /// A number; in an order of days a Julian day.
    Number(f64),
    /// A Julian day, 0 for none.
    Date(i32),
    /// A Julian day and milliseconds.
    Timestamp {
        /// The day.
        day: i32,
        /// Milliseconds since it began.
        ms: i32,
    },
    /// True or false.
    Logical(bool),
    /// The bytes of a key, as [`crate::Area::key`] gives them, or its beginning.
    Raw(Vec<u8>),
}

impl ValueKind {
    /// The type that an expression yields.
    pub fn of(kind: Kind) -> ValueKind {
        match kind {
            Kind::Character => ValueKind::Text,
            Kind::Numeric => ValueKind::Number,
            Kind::Date => ValueKind::Date,
            Kind::Timestamp => ValueKind::Timestamp,
            Kind::Logical => ValueKind::Logical,
        }
    }
}

impl From<ExprValue<'_>> for FieldValue {
    fn from(value: ExprValue<'_>) -> FieldValue {
        match value {
            ExprValue::Character(text) => FieldValue::Text(text.to_owned()),
            ExprValue::Number(number) => FieldValue::Number(number),
            ExprValue::Date(day) => FieldValue::Date(day),
            ExprValue::Timestamp { day, ms } => FieldValue::Timestamp { day, ms },
            ExprValue::Logical(value) => FieldValue::Logical(value),
            ExprValue::Null => FieldValue::Null,
        }
    }
}

impl FieldValue {
    /// The value as a key to seek; `None` for NULL.
    pub fn into_key(self) -> Option<SeekKey> {
        Some(match self {
            FieldValue::Null => return None,
            FieldValue::Text(text) | FieldValue::Bytes(text) => SeekKey::Text(text),
            FieldValue::Integer(number) => SeekKey::Number(number as f64),
            FieldValue::Decimal(number) => SeekKey::Number(number.to_f64()),
            FieldValue::Number(number) => SeekKey::Number(number),
            FieldValue::Date(day) => SeekKey::Date(day),
            FieldValue::Timestamp { day, ms } => SeekKey::Timestamp { day, ms },
            FieldValue::Time(ms) => SeekKey::Timestamp { day: 0, ms: i32::try_from(ms).unwrap_or(0) },
            FieldValue::Logical(value) => SeekKey::Logical(value),
        })
    }

    /// The value as a field's encoder takes it; `text` turns the bytes of texts into characters.
    pub fn to_value(&self, text: impl FnOnce(&[u8]) -> String) -> Value {
        let moment = |day: i32, ms: i32| Timestamp::new(Date::from_julian(day), u32::try_from(ms).unwrap_or(0));
        match self {
            FieldValue::Null => Value::Null,
            FieldValue::Text(bytes) => Value::Text(text(bytes)),
            FieldValue::Bytes(bytes) => Value::Binary(bytes.clone()),
            FieldValue::Integer(number) => Value::Integer(*number),
            FieldValue::Decimal(number) => Value::Decimal(*number),
            FieldValue::Number(number) => Value::Float(*number),
            FieldValue::Date(0) | FieldValue::Timestamp { day: 0, .. } => Value::Null,
            FieldValue::Date(day) => Value::Date(Date::from_julian(*day)),
            FieldValue::Timestamp { day, ms } => Value::Timestamp(moment(*day, *ms)),
            FieldValue::Time(ms) => Time::from_nanos(i64::from(*ms) * 1_000_000).map_or(Value::Null, Value::Time),
            FieldValue::Logical(value) => Value::Boolean(*value),
        }
    }

    /// The order of two values of one type; NULL comes first, and values that cannot be compared are equal.
    pub fn compare(&self, other: &FieldValue) -> Ordering {
        match (self, other) {
            (FieldValue::Null, FieldValue::Null) => Ordering::Equal,
            (FieldValue::Null, _) => Ordering::Less,
            (_, FieldValue::Null) => Ordering::Greater,
            (FieldValue::Text(left) | FieldValue::Bytes(left), FieldValue::Text(right) | FieldValue::Bytes(right)) => {
                left.cmp(right)
            }
            (FieldValue::Integer(left), FieldValue::Integer(right)) => left.cmp(right),
            (FieldValue::Date(left), FieldValue::Date(right)) => left.cmp(right),
            (FieldValue::Timestamp { day, ms }, FieldValue::Timestamp { day: other_day, ms: other_ms }) => {
                (day, ms).cmp(&(other_day, other_ms))
            }
            (FieldValue::Time(left), FieldValue::Time(right)) => left.cmp(right),
            _ => match (self.as_number(), other.as_number()) {
                (Some(left), Some(right)) => left.total_cmp(&right),
                _ => Ordering::Equal,
            },
        }
    }

    /// The number, if it is one; a logical counts as 0 or 1.
    pub fn as_number(&self) -> Option<f64> {
        Some(match self {
            FieldValue::Integer(number) => *number as f64,
            FieldValue::Decimal(number) => number.to_f64(),
            FieldValue::Number(number) => *number,
            FieldValue::Logical(value) => f64::from(u8::from(*value)),
            _ => return None,
        })
    }
}
