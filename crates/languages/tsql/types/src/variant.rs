//! Values of SQL_VARIANT: each with its own type, as bytes that sort as the values do.
//!
//! ```text
//!   mark  family  key                   length  type            value           end
//!   F553  04      8000..0A 0000..00     03      "int"           02 0A00000000.. 01      10
//!   5601  03      "abc" 00 00           0A      "varchar(3)"    05 "ABC"        01      'ABC'
//! ```
//!
//! Two variants compare by the families of their types first, and by value within a family (the reference page
//! "sql_variant"): a moment is greater than a FLOAT or REAL, that than an exact number, that than a text, that than bytes,
//! and those than a UNIQUEIDENTIFIER. Family and key express that order; the bytes behind them distinguish equal
//! values. So MIN and MAX compare plain bytes, while comparisons, groups and sorts use [`key`]. The core knows the end
//! of family and key ([`mainstay_types::typed_bytes`]); its indexes contain only these.
//!
//! Variables have such bytes, or a plain value without a type: [`decode`] takes both.
//!
//! Limits: texts compare by the default's collation. Moments with offsets compare by their moment in UTC with those that
//! have none.

use crate::convert::type_of;
use crate::operation::data_type as read_type;
use crate::operators::uuid_key;
use crate::types::DataType;
use mainstay_types::typed_bytes::{MARK, sort_part};
use mainstay_types::{Date, Decimal, TICKS_PER_DAY, Time, Timestamp, Value, ValueRef};
use std::cmp::Ordering;

/// The last byte of a key: not zero, because zeros at the ends of bytes do not count.
const END: u8 = 1;

/// The day that a time of day is of.
const DAY_1900: i64 = -25_567;

/// Digits behind the point of an exact number's key.
const DIGITS: u8 = 38;

/// The families, from the least up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Uuid = 1,
    Bytes = 2,
    Text = 3,
    Exact = 4,
    Approximate = 5,
    Moment = 6,
}

impl Family {
    fn of_value(value: ValueRef<'_>) -> Family {
        match value {
            ValueRef::Null | ValueRef::Boolean(_) | ValueRef::Integer(_) | ValueRef::Decimal(_) => Family::Exact,
            ValueRef::Float(_) => Family::Approximate,
            ValueRef::Text(_) | ValueRef::Interval(_) => Family::Text,
            ValueRef::Binary(_) => Family::Bytes,
            ValueRef::Uuid(_) => Family::Uuid,
            ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::Timestamp(_) | ValueRef::TimestampWithOffset { .. } => {
                Family::Moment
            }
        }
    }

    /// The family of a type; `None` for those that are in no variant.
    fn of_type(data_type: DataType) -> Option<Family> {
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
}

/// A value of a type as a variant. What is one already stays as it is, and so does NULL.
pub fn encode(data_type: DataType, value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => return Value::Null,
        ValueRef::Binary(bytes) if parts(bytes).is_some() => return value.to_value(),
        ValueRef::Interval(_) => return encode(DataType::SqlVariant, ValueRef::Text(&value.to_string())),
        _ => {}
    }
    let family = Family::of_value(value);
    let own = Some(data_type).filter(|of| Family::of_type(*of) == Some(family)).unwrap_or_else(|| type_of(value));
    let mut bytes = MARK.to_vec();
    bytes.push(family as u8);
    put_key(value, &mut bytes);
    let name = own.to_string();
    bytes.push(name.len() as u8);
    bytes.extend_from_slice(name.as_bytes());
    put_value(value, &mut bytes);
    bytes.push(END);
    Value::Binary(bytes)
}

/// The value within a variant, and its type; `None` for a plain value.
pub fn of(value: ValueRef<'_>) -> Option<(DataType, Value)> {
    match value {
        ValueRef::Binary(bytes) => parts(bytes).map(|parts| (parts.data_type, parts.value)),
        _ => None,
    }
}

/// The value within a variant, and its type; of a plain value the type that it tells itself.
pub fn decode(value: ValueRef<'_>) -> (DataType, Value) {
    of(value).unwrap_or_else(|| (type_of(value), value.to_value()))
}

/// The key that a variant compares by, as bytes; NULL for NULL.
pub fn key(value: ValueRef<'_>) -> Value {
    let Value::Binary(mut bytes) = encode(DataType::SqlVariant, value) else { return Value::Null };
    let end = parts(&bytes).map_or(bytes.len(), |parts| parts.key_end);
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

/// The decoded bytes of a variant.
struct Parts {
    data_type: DataType,
    value: Value,
    key_end: usize,
}

fn parts(bytes: &[u8]) -> Option<Parts> {
    // No other bytes are taken for a variant, for what follows the mark has to be right, too.
    let key_end = MARK.len() + sort_part(bytes)?.len();
    let (length, rest) = bytes.get(key_end..)?.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*length))?;
    let data_type = read_type(std::str::from_utf8(name).ok()?)?;
    let (end, rest) = rest.split_last()?;
    let value = read_value(rest).filter(|_| *end == END)?;
    Some(Parts { data_type, value, key_end })
}

fn put_key(value: ValueRef<'_>, out: &mut Vec<u8>) {
    let exact = |number: Decimal, out: &mut Vec<u8>| {
        let power = 10i128.pow(u32::from(number.scale.min(DIGITS)));
        let whole = number.unscaled.div_euclid(power);
        let part = number.unscaled.rem_euclid(power).unsigned_abs();
        let part = part.saturating_mul(10u128.pow(u32::from(DIGITS - number.scale.min(DIGITS))));
        out.extend_from_slice(&(whole ^ i128::MIN).to_be_bytes());
        out.extend_from_slice(&part.to_be_bytes());
    };
    let moment = |ticks: i64, out: &mut Vec<u8>| out.extend_from_slice(&(ticks ^ i64::MIN).to_be_bytes());
    match value {
        ValueRef::Boolean(value) => exact(Decimal::new(i128::from(value), 0), out),
        ValueRef::Integer(value) => exact(Decimal::new(i128::from(value), 0), out),
        ValueRef::Decimal(value) => exact(value, out),
        ValueRef::Float(value) => {
            // There is one zero.
            let bits = (value + 0.0).to_bits();
            let sorted = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            out.extend_from_slice(&sorted.to_be_bytes());
        }
        ValueRef::Text(text) => put_escaped(crate::collation::COMPARISON.text_key(text, true).as_bytes(), out),
        ValueRef::Binary(bytes) => {
            let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
            put_escaped(bytes.get(..bytes.len() - zeros).unwrap_or_default(), out);
        }
        ValueRef::Date(date) => moment(i64::from(date.0) * TICKS_PER_DAY, out),
        ValueRef::Time(time) => moment(DAY_1900 * TICKS_PER_DAY + time.0, out),
        ValueRef::Timestamp(at) | ValueRef::TimestampWithOffset { utc: at, .. } => moment(at.0, out),
        ValueRef::Uuid(uuid) => out.extend_from_slice(&uuid_key(uuid)),
        ValueRef::Null | ValueRef::Interval(_) => {}
    }
}

/// Bytes with an end that sorts before all that could follow: a zero within is followed by `FF`, that of the end by another.
fn put_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        out.push(*byte);
        if *byte == 0 {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&[0, 0]);
}

fn put_value(value: ValueRef<'_>, out: &mut Vec<u8>) {
    let mut put = |kind: u8, bytes: &[u8]| {
        out.push(kind);
        out.extend_from_slice(bytes);
    };
    match value {
        ValueRef::Boolean(value) => put(1, &[u8::from(value)]),
        ValueRef::Integer(value) => put(2, &value.to_le_bytes()),
        ValueRef::Decimal(value) => {
            put(3, &[value.scale]);
            out.extend_from_slice(&value.unscaled.to_le_bytes());
        }
        ValueRef::Float(value) => put(4, &value.to_le_bytes()),
        ValueRef::Text(text) => put(5, text.as_bytes()),
        ValueRef::Binary(bytes) => put(6, bytes),
        ValueRef::Date(date) => put(7, &date.0.to_le_bytes()),
        ValueRef::Time(time) => put(8, &time.0.to_le_bytes()),
        ValueRef::Timestamp(at) => put(9, &at.0.to_le_bytes()),
        ValueRef::TimestampWithOffset { utc, offset_minutes } => {
            put(10, &utc.0.to_le_bytes());
            out.extend_from_slice(&offset_minutes.to_le_bytes());
        }
        ValueRef::Uuid(uuid) => put(11, &uuid),
        ValueRef::Null | ValueRef::Interval(_) => {}
    }
}

fn read_value(bytes: &[u8]) -> Option<Value> {
    let (kind, bytes) = bytes.split_first()?;
    let ticks = || bytes.try_into().ok().map(i64::from_le_bytes);
    Some(match kind {
        1 => Value::Boolean(*bytes.first()? != 0),
        2 => Value::Integer(ticks()?),
        3 => {
            let (scale, number) = bytes.split_first()?;
            let scale = Some(*scale).filter(|scale| *scale <= DIGITS)?;
            Value::Decimal(Decimal::new(i128::from_le_bytes(number.try_into().ok()?), scale))
        }
        4 => Value::Float(f64::from_le_bytes(bytes.try_into().ok()?)),
        5 => Value::Text(std::str::from_utf8(bytes).ok()?.to_owned()),
        6 => Value::Binary(bytes.to_vec()),
        7 => Value::Date(Date(i32::from_le_bytes(bytes.try_into().ok()?))),
        8 => Value::Time(Time(ticks()?)),
        9 => Value::Timestamp(Timestamp(ticks()?)),
        10 => {
            let (utc, offset) = bytes.split_at_checked(8)?;
            let utc = Timestamp(i64::from_le_bytes(utc.try_into().ok()?));
            Value::TimestampWithOffset { utc, offset_minutes: i16::from_le_bytes(offset.try_into().ok()?) }
        }
        11 => Value::Uuid(bytes.try_into().ok()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Length;

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
