//! Values as bytes, and bytes as values.
//!
//! ```text
//!   integers, money   high byte first; a BINARY(n) keeps the last n bytes, or has zeros in front
//!   float, real       IEEE 754, high byte first
//!   datetime          days after 1900 (4 bytes), 1/300 s (4 bytes), high byte first; smalldatetime 2 and 2 in minutes
//!   date, time        low byte first; TIME, DATETIME2 and DATETIMEOFFSET have their digits in front
//!   decimal           precision, scale, 0, 1 for positive, digits in groups of 4 bytes, low byte first
//!   uniqueidentifier  the first three groups low byte first
//!   texts             their bytes, low byte first for the N types, with zeros behind
//! ```

use super::source::Source;
use crate::messages::Message;
use crate::moment::datetime;
use crate::text;
use crate::types::{DataType, Length};
use mainstay_types::{Date, Decimal, Time, Timestamp, Value, ValueRef};

/// The bytes of a UNIQUEIDENTIFIER; it is its own inverse.
pub fn uuid_bytes(uuid: [u8; 16]) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, rest @ ..] = uuid;
    let [i, j, k, l, m, n, o, p] = rest;
    [d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p]
}

/// The integer whose last bytes these are: as many as its type has.
pub fn to_integer(bytes: &[u8], to: DataType) -> i64 {
    let width = usize::from(to.max_length().unsigned_abs()).min(8);
    let last = bytes.get(bytes.len().saturating_sub(width)..).unwrap_or(bytes);
    let unsigned = last.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    match to {
        DataType::SmallInt => i64::from(unsigned as i16),
        DataType::Int => i64::from(unsigned as i32),
        _ => unsigned as i64,
    }
}

/// The double of eight bytes, or the one of four.
pub fn to_float(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        8 => bytes.first_chunk().map(|bytes| f64::from_be_bytes(*bytes)),
        4 => bytes.first_chunk().map(|bytes| f64::from(f32::from_be_bytes(*bytes))),
        _ => None,
    }
    .filter(|value| value.is_finite())
}

/// The exact number of these bytes.
pub fn to_decimal(bytes: &[u8]) -> Option<Decimal> {
    let (&[precision, scale, _, sign], digits) = bytes.split_first_chunk()?;
    let digits = digits.get(..digits.len().min(16))?;
    let unscaled = digits.iter().rev().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    let fits =
        (1..=38).contains(&precision) && scale <= precision && unscaled < 10u128.pow(u32::from(precision.min(38)));
    // There is no zero below zero.
    let fits = fits && (sign != 0 || unscaled != 0);
    let unscaled = i128::try_from(unscaled).ok().filter(|_| fits)?;
    Some(Decimal::new(if sign == 0 { -unscaled } else { unscaled }, scale))
}

/// The side at which a value that is too long or too short for a BINARY(n) is cut or filled.
enum Side {
    /// Zeros in front; the first bytes are lost.
    Front,
    /// Zeros behind; the last bytes are lost.
    Back,
    /// Zeros in front; the last bytes are lost.
    Ends,
}

/// BINARY or VARBINARY. Styles 1 and 2 read hexadecimal digits, with and without `0x`.
pub fn to_binary(source: &Source<'_>) -> Result<Value, Message> {
    let (mut bytes, side) = match (source.value, source.style) {
        (ValueRef::Text(text), Some(style @ (1 | 2))) => {
            (from_hex(text, style).ok_or_else(|| source.not_converted())?, Side::Back)
        }
        (value, _) => bytes_of(value, source).ok_or_else(|| source.refused())?,
    };
    let limit = source.to.limit().map(usize::from);
    let fixed = matches!(source.to, DataType::Binary(_));
    if let Some(limit) = limit {
        match side {
            Side::Front if bytes.len() > limit => drop(bytes.drain(..bytes.len() - limit)),
            Side::Front if fixed => drop(bytes.splice(0..0, std::iter::repeat_n(0, limit - bytes.len()))),
            Side::Front => {}
            Side::Ends => {
                bytes.truncate(limit);
                if fixed {
                    drop(bytes.splice(0..0, std::iter::repeat_n(0, limit - bytes.len())));
                }
            }
            Side::Back => {
                bytes.truncate(limit);
                if fixed {
                    bytes.resize(limit, 0);
                }
            }
        }
    }
    Ok(Value::Binary(bytes))
}

fn bytes_of(value: ValueRef<'_>, source: &Source<'_>) -> Option<(Vec<u8>, Side)> {
    use DataType::*;
    let front = |bytes: &[u8]| (bytes.to_vec(), Side::Front);
    let back = |bytes: Vec<u8>| (bytes, Side::Back);
    Some(match (value, source.from) {
        (ValueRef::Binary(bytes), _) => back(bytes.to_vec()),
        (ValueRef::Text(text), from) => back(from.encoding().encode(text)),
        (ValueRef::Boolean(value), _) => front(&[u8::from(value)]),
        (ValueRef::Integer(value), TinyInt) => front(&(value as u8).to_be_bytes()),
        (ValueRef::Integer(value), SmallInt) => front(&(value as i16).to_be_bytes()),
        (ValueRef::Integer(value), Int) => front(&(value as i32).to_be_bytes()),
        (ValueRef::Integer(value), _) => front(&value.to_be_bytes()),
        (ValueRef::Decimal(value), SmallMoney) => front(&(value.unscaled as i32).to_be_bytes()),
        (ValueRef::Decimal(value), Money) => front(&(value.unscaled as i64).to_be_bytes()),
        (ValueRef::Decimal(value), from) => (decimal_bytes(value, from.precision()), Side::Ends),
        (ValueRef::Float(value), Real) => front(&(value as f32).to_be_bytes()),
        (ValueRef::Float(value), _) => front(&value.to_be_bytes()),
        (ValueRef::Uuid(uuid), _) => back(uuid_bytes(uuid).to_vec()),
        (ValueRef::Date(date), _) => back(date_bytes(date).to_vec()),
        (ValueRef::Time(time), from) => back(time_bytes(time, from.scale())),
        (ValueRef::Timestamp(moment), SmallDateTime) => {
            let minutes = moment.time().0 / (60 * mainstay_types::TICKS_PER_SECOND);
            let days = (moment.date().0 - datetime::EPOCH.0) as u16;
            front(&[days.to_be_bytes(), (minutes as u16).to_be_bytes()].concat())
        }
        (ValueRef::Timestamp(moment), DateTime2(digits)) => {
            back([time_bytes(moment.time(), digits), date_bytes(moment.date()).to_vec()].concat())
        }
        (ValueRef::Timestamp(moment), _) => {
            let (days, units) = datetime::to_units(moment);
            front(&[days.to_be_bytes(), (units as u32).to_be_bytes()].concat())
        }
        (ValueRef::TimestampWithOffset { utc, offset_minutes }, from) => {
            let mut bytes = time_bytes(utc.time(), from.scale());
            bytes.extend(date_bytes(utc.date()));
            bytes.extend(offset_minutes.to_le_bytes());
            back(bytes)
        }
        _ => return None,
    })
}

fn decimal_bytes(value: Decimal, precision: u8) -> Vec<u8> {
    let mut bytes = vec![precision, value.scale, 0, u8::from(value.unscaled >= 0)];
    let magnitude = value.unscaled.unsigned_abs().to_le_bytes();
    let used = 16 - magnitude.iter().rev().take_while(|byte| **byte == 0).count();
    bytes.extend(&magnitude[..used.max(1).next_multiple_of(4)]);
    bytes
}

fn date_bytes(date: Date) -> [u8; 3] {
    let [a, b, c, _] = (date.0 - Date::FIRST.0).to_le_bytes();
    [a, b, c]
}

/// The digits, then the count of units of the last one.
fn time_bytes(time: Time, digits: u8) -> Vec<u8> {
    let units = time.0 / 10i64.pow(u32::from(7 - digits.min(7)));
    let width = match digits {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    };
    let mut bytes = vec![digits];
    bytes.extend(units.to_le_bytes().iter().take(width));
    bytes
}

/// The moment of the eight bytes of a DATETIME, or of the four of a SMALLDATETIME.
pub fn to_moment(bytes: &[u8], to: DataType) -> Option<Timestamp> {
    if to == DataType::SmallDateTime {
        let mut padded = [0; 4];
        fill_back(&mut padded, bytes);
        let [a, b, c, d] = padded;
        let minutes = i64::from(u16::from_be_bytes([c, d]));
        let days = i32::from(u16::from_be_bytes([a, b]));
        return datetime::round_small(datetime::from_units(days, minutes.min(1439) * 60 * 300)?);
    }
    let mut padded = [0; 8];
    fill_back(&mut padded, bytes);
    let (days, units) = (i64::from_be_bytes(padded) >> 32, u32::from_be_bytes(*padded.last_chunk()?));
    (i64::from(units) < 86_400 * 300).then(|| datetime::from_units(days as i32, i64::from(units)))?
}

/// The last bytes of a source at the end of a place that it may not fill.
fn fill_back(place: &mut [u8], bytes: &[u8]) {
    for (to, from) in place.iter_mut().rev().zip(bytes.iter().rev()) {
        *to = *from;
    }
}

/// The bytes of hexadecimal digits: behind `0x` for style 1, alone for style 2.
fn from_hex(text: &str, style: i32) -> Option<Vec<u8>> {
    let digits = match style {
        1 => text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?,
        _ => text,
    };
    let digits = digits.trim_end_matches(' ').as_bytes();
    if digits.len() % 2 != 0 {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    digits.chunks_exact(2).map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.last()?)?)).collect()
}

/// Bytes as a text: the characters that they are, or their digits in styles 1 and 2.
pub fn to_text(bytes: &[u8], source: &Source<'_>) -> Result<String, Message> {
    let mut digits = String::new();
    match source.style.unwrap_or(0) {
        0 => return Ok(source.to.encoding().decode(bytes)),
        1 => digits.push_str("0x"),
        2 => {}
        style => return Err(Message::numbered(9809, &[&style, &source.from.name(), &source.to.name()])),
    }
    // As many whole bytes as there is room for.
    let room = source.to.limit().map_or(usize::MAX, usize::from).saturating_sub(digits.len()) / 2;
    let shown = bytes.get(..bytes.len().min(room)).unwrap_or(bytes);
    text::push_hex(shown, &mut digits);
    Ok(digits)
}

/// The bytes that a VARBINARY of this length may keep.
pub fn within(length: Option<Length>, bytes: usize) -> bool {
    match length {
        Some(Length::Limited(limit)) => bytes <= usize::from(limit),
        _ => true,
    }
}
