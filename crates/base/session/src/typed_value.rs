//! Values that have their own types, as sessions and doors exchange them: bytes that sort as the values do.
//!
//! ```text
//!   mark  family  key                   length  type            value           end
//!   F553  04      8000..0A 0000..00     03      "int"           02 0A00000000.. 01      10
//!   5601  03      "abc" 00 00           0A      "varchar(3)"    05 "ABC"        01      'ABC'
//! ```
//!
//! Mark, family and key are those of [`mainstay_types::typed_bytes`], which indexes know. The type is the text of a
//! declaration.
//!
//! Limits: texts compare without case. Moments with offsets compare by their moment in UTC with those that have none.

use mainstay_types::typed_bytes::{MARK, sort_part};
use mainstay_types::{Collation, Date, Decimal, TICKS_PER_DAY, Time, Timestamp, Value, ValueRef};

/// The last byte: not zero, because zeros at the ends of bytes do not count.
const END: u8 = 1;

/// The day that a time of day is of.
const DAY_1900: i64 = -25_567;

/// Digits behind the point of an exact number's key.
const DIGITS: u8 = 38;

/// The order of the bytes of a UUID in comparisons.
const UUID_ORDER: [usize; 16] = [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0];

/// The bytes of a UUID in the order in which they compare.
pub fn uuid_key(uuid: [u8; 16]) -> [u8; 16] {
    UUID_ORDER.map(|at| uuid.get(at).copied().unwrap_or_default())
}

/// The UUID of a key.
pub fn uuid_of_key(key: [u8; 16]) -> [u8; 16] {
    let mut uuid = [0; 16];
    for (at, byte) in UUID_ORDER.into_iter().zip(key) {
        if let Some(place) = uuid.get_mut(at) {
            *place = byte;
        }
    }
    uuid
}

/// The families, from the least up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Family {
    Uuid = 1,
    Bytes = 2,
    Text = 3,
    Exact = 4,
    Approximate = 5,
    Moment = 6,
}

impl Family {
    /// The family that a value is of by itself.
    pub fn of_value(value: ValueRef<'_>) -> Family {
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
}

/// A value with its type as bytes. `declared` is the text of the type, of 255 bytes at most; a value without a family (NULL,
/// an interval) has no bytes of its own, and is encoded as an empty one.
pub fn encode(declared: &str, value: ValueRef<'_>) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.push(Family::of_value(value) as u8);
    put_key(value, &mut bytes);
    bytes.push(declared.len() as u8);
    bytes.extend_from_slice(declared.as_bytes());
    put_value(value, &mut bytes);
    bytes.push(END);
    bytes
}

/// The text of the type, and the value; `None` for other bytes.
pub fn decode(bytes: &[u8]) -> Option<(&str, Value)> {
    // No other bytes are taken for such a value, for what follows the mark has to be right, too.
    let key_end = MARK.len() + sort_part(bytes)?.len();
    let (length, rest) = bytes.get(key_end..)?.split_first()?;
    let (declared, rest) = rest.split_at_checked(usize::from(*length))?;
    let (end, rest) = rest.split_last()?;
    let value = read_value(rest).filter(|_| *end == END)?;
    Some((std::str::from_utf8(declared).ok()?, value))
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
        ValueRef::Text(text) => put_escaped(Collation::CaseInsensitive.text_key(text, true).as_bytes(), out),
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

    #[test]
    fn values_come_back_with_their_types() {
        let values = [
            Value::Boolean(true),
            Value::Integer(-7),
            Value::Decimal(Decimal::new(-15, 1)),
            Value::Float(0.5),
            Value::Text("a\0b".into()),
            Value::Binary(vec![0, 255]),
            Value::Date(Date(3)),
            Value::Time(Time(5)),
            Value::Timestamp(Timestamp(-7)),
            Value::TimestampWithOffset { utc: Timestamp(1), offset_minutes: -90 },
            Value::Uuid([3; 16]),
        ];
        for value in values {
            let bytes = encode("some(3)", value.as_ref());
            assert_eq!(decode(&bytes), Some(("some(3)", value)));
            assert!((0..bytes.len()).all(|end| decode(&bytes[..end]).is_none()));
        }
    }

    #[test]
    fn keys_of_uuids_go_both_ways() {
        let uuid = std::array::from_fn(|place| place as u8);
        assert_eq!(uuid_key(uuid)[..6], [10, 11, 12, 13, 14, 15]);
        assert_eq!(uuid_of_key(uuid_key(uuid)), uuid);
    }
}
