//! Values of SQL_VARIANT: each with its own type, in the form of [`mainstay_session::typed_value`].
//!
//! Two variants compare by the families of their types first, and by value within a family (the reference page
//! "sql_variant"): a moment is greater than a FLOAT or REAL, that than an exact number, that than a text, that than bytes,
//! and those than a UNIQUEIDENTIFIER. Family and key at the beginning of the bytes express that order; the bytes behind them
//! distinguish equal values. So MIN and MAX compare plain bytes, while comparisons, groups and sorts use [`key`].
//!
//! Variables have such bytes, or a plain value without a type: [`decode`] takes both.

use crate::convert::type_of;
use crate::operation::data_type as read_type;
use crate::types::DataType;
use mainstay_session::typed_value::{self, Family};
use mainstay_types::typed_bytes::{MARK, sort_part};
use mainstay_types::{Value, ValueRef};
use std::cmp::Ordering;

/// The last byte of a key: not zero, because zeros at the ends of bytes do not count.
const END: u8 = 1;

/// The family of a type; `None` for those that are in no variant.
fn family_of(data_type: DataType) -> Option<Family> {
    Some(match data_type {
        DataType::UniqueIdentifier => Family::Uuid,
        DataType::Binary(_) | DataType::VarBinary(_) => Family::Bytes,
        _ if data_type.is_string() => Family::Text,
        _ if data_type.is_approximate() => Family::Approximate,
        _ if data_type.is_number() => Family::Exact,
        _ if data_type.is_moment() => Family::Moment,
        _ => return None,
    })
}

/// A value of a type as a variant. What is one already stays as it is, and so does NULL.
pub fn encode(data_type: DataType, value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => return Value::Null,
        ValueRef::Binary(_) if of(value).is_some() => return value.to_value(),
        ValueRef::Interval(_) => return encode(DataType::SqlVariant, ValueRef::Text(&value.to_string())),
        _ => {}
    }
    let family = Family::of_value(value);
    let own = Some(data_type).filter(|of| family_of(*of) == Some(family)).unwrap_or_else(|| type_of(value));
    Value::Binary(typed_value::encode(&own.to_string(), value))
}

/// The value within a variant, and its type; `None` for a plain value.
pub fn of(value: ValueRef<'_>) -> Option<(DataType, Value)> {
    let ValueRef::Binary(bytes) = value else { return None };
    let (declared, value) = typed_value::decode(bytes)?;
    Some((read_type(declared)?, value))
}

/// The value within a variant, and its type; of a plain value the type that it tells itself.
pub fn decode(value: ValueRef<'_>) -> (DataType, Value) {
    of(value).unwrap_or_else(|| (type_of(value), value.to_value()))
}

/// The key that a variant compares by, as bytes; NULL for NULL.
pub fn key(value: ValueRef<'_>) -> Value {
    let Value::Binary(mut bytes) = encode(DataType::SqlVariant, value) else { return Value::Null };
    let end = sort_part(&bytes).map_or(bytes.len(), |part| MARK.len() + part.len());
    bytes.truncate(end);
    bytes.drain(..MARK.len());
    // The two zeros at the end of a text's key are needed no more, but for texts that begin alike.
    bytes.push(END);
    Value::Binary(bytes)
}

/// The order of two variants.
pub fn order(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    match (key(a), key(b)) {
        (Value::Binary(a), Value::Binary(b)) => a.cmp(&b),
        (a, b) => (a != Value::Null).cmp(&(b != Value::Null)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Length;
    use mainstay_types::{Date, TICKS_PER_DAY, Time, Timestamp};

    fn decimal(text: &str) -> Value {
        Value::Decimal(text.parse().expect("a number"))
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn values_keep_their_types() {
        let limited = Length::Limited(10);
        let values = [
            (DataType::Bit, Value::Boolean(true)),
            (DataType::TinyInt, Value::Integer(7)),
            (DataType::BigInt, Value::Integer(i64::MIN)),
            (DataType::Money, decimal("2.0000")),
            (DataType::Decimal { precision: 2, scale: 1 }, decimal("-1.5")),
            (DataType::Real, Value::Float(0.5)),
            (DataType::varchar(limited), text("")),
            (DataType::NVarChar(limited), text("\0é\u{ff}")),
            (DataType::VarBinary(limited), Value::Binary(vec![0, 0, 255, 0])),
            (DataType::Date, Value::Date(Date(3))),
            (DataType::Time(3), Value::Time(Time(5))),
            (DataType::DateTime, Value::Timestamp(Timestamp(-7))),
            (DataType::DateTimeOffset(0), Value::TimestampWithOffset { utc: Timestamp(1), offset_minutes: -90 }),
            (DataType::UniqueIdentifier, Value::Uuid([9; 16])),
        ];
        for (data_type, value) in values {
            let held = encode(data_type, value.as_ref());
            assert_ne!(held, value);
            assert_eq!(decode(held.as_ref()), (data_type, value.clone()));
            assert_eq!(encode(DataType::VarBinary(Length::Max), held.as_ref()), held, "once is enough");
        }
        assert_eq!(encode(DataType::Int, ValueRef::Null), Value::Null);
    }

    #[test]
    fn bytes_that_are_no_variant_are_bytes() {
        let held = encode(DataType::Int, ValueRef::Integer(5));
        let Value::Binary(bytes) = held else { panic!("no bytes") };
        for end in 0..bytes.len() {
            let (of, value) = decode(ValueRef::Binary(&bytes[..end]));
            assert_eq!((of.is_binary(), value), (true, Value::Binary(bytes[..end].to_vec())));
        }
    }

    /// Families from the least up, and values within them.
    #[test]
    fn variants_have_an_order() {
        let sorted = [
            Value::Uuid([1; 16]),
            Value::Binary(vec![]),
            Value::Binary(vec![1, 0, 2]),
            Value::Binary(vec![1, 1]),
            text(""),
            text("A\0"),
            text("ab"),
            text("abc"),
            text("B"),
            decimal("-10000000000000000000000000000000000000"),
            Value::Integer(-2),
            decimal("-1.5"),
            Value::Boolean(false),
            decimal("0.00000000000000000000000000000000000001"),
            Value::Integer(9),
            Value::Integer(10),
            decimal("10.5"),
            Value::Integer(100),
            Value::Float(f64::NEG_INFINITY),
            Value::Float(-1.0),
            Value::Float(0.0),
            Value::Float(2.5),
            Value::Time(Time(1)),
            Value::Date(Date(0)),
            Value::Timestamp(Timestamp(1)),
        ];
        for (place, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(order(a.as_ref(), b.as_ref()), place.cmp(&other), "{a} and {b}");
                let (Value::Binary(a), Value::Binary(b)) =
                    (encode(DataType::SqlVariant, a.as_ref()), encode(DataType::SqlVariant, b.as_ref()))
                else {
                    panic!("no bytes")
                };
                assert_eq!(a.cmp(&b), place.cmp(&other));
            }
        }
    }

    #[test]
    fn values_of_two_types_are_equal() {
        let equal = [
            (Value::Integer(2), decimal("2.00")),
            (Value::Boolean(true), Value::Integer(1)),
            (text("abc"), text("ABC  ")),
            (Value::Float(0.0), Value::Float(-0.0)),
            (Value::Binary(vec![1]), Value::Binary(vec![1, 0])),
            (Value::Date(Date(1)), Value::Timestamp(Timestamp(TICKS_PER_DAY))),
        ];
        for (a, b) in equal {
            assert_eq!(order(a.as_ref(), b.as_ref()), Ordering::Equal, "{a} and {b}");
        }
        assert_eq!(order(ValueRef::Null, ValueRef::Integer(1)), Ordering::Less);
    }
}
