//! One value of any type.

use crate::{Date, Decimal, Timestamp};
use std::fmt;

/// A single value, as a bound of a range, a parameter or a cell of a result.
///
/// Columns of values are Arrow vectors; this is for the places where there is one.
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
    /// A moment.
    Timestamp(Timestamp),
}

impl Value {
    /// The number as a double, if it is one of the numeric kinds.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Integer(n) => Some(*n as f64),
            Value::Decimal(d) => Some(d.to_f64()),
            Value::Float(f) => Some(*f),
            _ => None,
        }
    }

    /// The number as an exact decimal, if it is an integer or a decimal.
    pub fn as_decimal(&self) -> Option<Decimal> {
        match self {
            Value::Integer(n) => Some(Decimal::new(i128::from(*n), 0)),
            Value::Decimal(d) => Some(*d),
            _ => None,
        }
    }
}

/// As a literal of SQL, for plans and messages.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Decimal(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{value}"),
            Value::Text(value) => write!(f, "'{}'", value.replace('\'', "''")),
            Value::Binary(value) => {
                f.write_str("X'")?;
                value.iter().try_for_each(|byte| write!(f, "{byte:02X}"))?;
                f.write_str("'")
            }
            Value::Date(value) => write!(f, "DATE '{value}'"),
            Value::Timestamp(value) => write!(f, "TIMESTAMP '{value}'"),
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
    }
}
