//! Values out of messages: parameters of calls, rows of bulk loads and tables, and (for tests) rows of answers.
//!
//! Text becomes `Value::Text` whatever its encoding was, numbers the kind of their type; XML loses its byte order mark.
//! (MS-TDS 2.2.5.5, forms of values.)

use crate::data_type::DataType;
use crate::error::{Wire, WireError};
use crate::reader::{Reader, utf16_text};
use crate::type_info::{Prefix, TypeInfo, time_bytes, token};
use crate::variant;
use mainstay_types::{Date, Decimal, TICKS_PER_DAY, TICKS_PER_SECOND, Time, Timestamp, Value};
use std::borrow::Cow;

/// A NULL in pieces, and a value in pieces of unknown length.
pub(crate) const PIECES_NULL: u64 = u64::MAX;
pub(crate) const PIECES_UNKNOWN: u64 = u64::MAX - 1;

/// Days from 1970-01-01 of the days that types count from.
const DAY_0001: i32 = Date::FIRST.0;
const DAY_1900: i32 = -25_567;

/// Where a value stands: TEXT, NTEXT and IMAGE have a pointer before them in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Row,
    Parameter,
}

/// Reads a value of a type; one of SQL_VARIANT keeps its own.
pub(crate) fn read_value(reader: &mut Reader<'_>, info: &TypeInfo, place: Place) -> Wire<Value> {
    if info.prefix() == Prefix::Variant {
        return read_variant(reader).map(|(data_type, value)| variant::encode(data_type, value.as_ref()));
    }
    match read_bytes(reader, info, place)? {
        None => Ok(Value::Null),
        Some(bytes) => from_bytes(info, &bytes),
    }
}

/// Reads a value of SQL_VARIANT, with the type that it has itself.
pub(crate) fn read_variant(reader: &mut Reader<'_>) -> Wire<(DataType, Value)> {
    let length = reader.u32()?;
    if length == 0 {
        return Ok((DataType::SqlVariant, Value::Null));
    }
    let mut inner = Reader::new(reader.bytes(usize::try_from(length).map_err(|_| WireError::Incomplete)?)?);
    let (token, properties) = (inner.u8()?, inner.u8()?);
    let mut properties = Reader::new(inner.bytes(usize::from(properties))?);
    let mut info = TypeInfo { token, length: 0, precision: 0, scale: 0, collation: Default::default() };
    let value = inner.bytes(inner.remaining())?;
    info.length = u32::try_from(value.len()).unwrap_or(u32::MAX);
    match token {
        token::DECIMALN | token::NUMERICN => [info.precision, info.scale] = properties.array()?,
        token::TIMEN | token::DATETIME2N | token::DATETIMEOFFSETN => info.scale = properties.u8()?,
        token::VARBINARY | token::BINARY => info.length = u32::from(properties.u16()?),
        token::VARCHAR | token::CHAR | token::NVARCHAR | token::NCHAR => {
            info.collation.0 = properties.array()?;
            info.length = u32::from(properties.u16()?);
        }
        token::GUID | token::DATEN => {}
        _ if matches!(info.prefix(), Prefix::Fixed(1..)) => {}
        other => return Err(WireError::Unsupported(format!("type {other:02X} in a variant"))),
    }
    if info.scale > 38 || info.precision > 38 || (info.precision == 0 && info.scale > 7) {
        return Err(WireError::Malformed("a variant of an impossible scale"));
    }
    Ok((info.data_type(), from_bytes(&info, value)?))
}

/// The bytes of a value; none for NULL.
fn read_bytes<'a>(reader: &mut Reader<'a>, info: &TypeInfo, place: Place) -> Wire<Option<Cow<'a, [u8]>>> {
    let bytes = match info.prefix() {
        Prefix::Fixed(0) => None,
        Prefix::Fixed(length) => Some(reader.bytes(length)?),
        Prefix::Byte => match reader.u8()? {
            // A text of no characters is not NULL in the old types either, but they cannot say so.
            0 => None,
            length => Some(reader.bytes(usize::from(length))?),
        },
        Prefix::Short => match reader.u16()? {
            0xFFFF => None,
            length => Some(reader.bytes(usize::from(length))?),
        },
        Prefix::Long => {
            if place == Place::Row {
                match reader.u8()? {
                    0 => return Ok(None),
                    pointer => reader.bytes(usize::from(pointer) + 8)?,
                };
            }
            match reader.u32()? {
                u32::MAX => None,
                length => Some(reader.bytes(usize::try_from(length).map_err(|_| WireError::Incomplete)?)?),
            }
        }
        Prefix::Pieces => return read_pieces(reader),
        Prefix::Variant => return Err(WireError::Malformed("a variant where there cannot be one")),
    };
    Ok(bytes.map(Cow::Borrowed))
}

fn read_pieces<'a>(reader: &mut Reader<'a>) -> Wire<Option<Cow<'a, [u8]>>> {
    let total = reader.u64()?;
    if total == PIECES_NULL {
        return Ok(None);
    }
    // The pieces are copied once all of them are there: a stream tries a long value again and again.
    let mut pieces = reader.clone();
    let (mut count, mut length) = (0, 0);
    while let Some(piece) = next_piece(reader)? {
        (count, length) = (count + 1, length + piece.len());
    }
    if total != PIECES_UNKNOWN && usize::try_from(total).ok() != Some(length) {
        return Err(WireError::Malformed("pieces of another length than they say"));
    }
    if count <= 1 {
        return Ok(Some(Cow::Borrowed(next_piece(&mut pieces)?.unwrap_or_default())));
    }
    let mut whole = Vec::with_capacity(length);
    while let Some(piece) = next_piece(&mut pieces)? {
        whole.extend_from_slice(piece);
    }
    Ok(Some(Cow::Owned(whole)))
}

/// The next piece of a value; `None` at its end, a piece of no bytes.
fn next_piece<'a>(reader: &mut Reader<'a>) -> Wire<Option<&'a [u8]>> {
    match usize::try_from(reader.u32()?).map_err(|_| WireError::Incomplete)? {
        0 => Ok(None),
        length => reader.bytes(length).map(Some),
    }
}

/// A value of a type from its bytes.
fn from_bytes(info: &TypeInfo, bytes: &[u8]) -> Wire<Value> {
    if info.is_utf16() {
        if !bytes.len().is_multiple_of(2) {
            return Err(WireError::Malformed("half a character"));
        }
        let bytes = if info.token == token::XML { bytes.strip_prefix(&[0xFF, 0xFE]).unwrap_or(bytes) } else { bytes };
        return Ok(Value::Text(utf16_text(bytes)));
    }
    match info.token {
        token::VARCHAR | token::CHAR | token::TEXT | token::OLD_VARCHAR | token::OLD_CHAR => {
            return Ok(Value::Text(info.collation.decode(bytes)));
        }
        token::JSON => return Ok(Value::Text(String::from_utf8_lossy(bytes).into_owned())),
        _ => {}
    }
    match info.data_type() {
        DataType::Bit => Ok(Value::Boolean(bytes.first().is_some_and(|byte| *byte != 0))),
        DataType::TinyInt => array(bytes).map(|[byte]: [u8; 1]| Value::Integer(i64::from(byte))),
        DataType::SmallInt => array(bytes).map(|bytes| Value::Integer(i64::from(i16::from_le_bytes(bytes)))),
        DataType::Int => array(bytes).map(|bytes| Value::Integer(i64::from(i32::from_le_bytes(bytes)))),
        DataType::BigInt => array(bytes).map(|bytes| Value::Integer(i64::from_le_bytes(bytes))),
        DataType::Real => array(bytes).map(|bytes| Value::Float(f64::from(f32::from_le_bytes(bytes)))),
        DataType::Float => array(bytes).map(|bytes| Value::Float(f64::from_le_bytes(bytes))),
        DataType::Decimal { scale, .. } => decimal(bytes, scale),
        DataType::SmallMoney => array(bytes).map(|bytes| money(i64::from(i32::from_le_bytes(bytes)))),
        DataType::Money => {
            // The high half comes first.
            let (high, low): ([u8; 4], [u8; 4]) = halves(bytes)?;
            Ok(money(i64::from(i32::from_le_bytes(high)) << 32 | i64::from(u32::from_le_bytes(low))))
        }
        DataType::UniqueIdentifier => array(bytes).map(|bytes| Value::Uuid(exchanged(bytes))),
        DataType::Date => Ok(Value::Date(date(bytes)?)),
        DataType::Time(scale) => Ok(Value::Time(time(bytes, scale)?)),
        DataType::DateTime2(scale) => Ok(Value::Timestamp(moment(bytes, scale)?)),
        DataType::DateTimeOffset(scale) => {
            let (rest, offset) = bytes.split_at_checked(time_bytes(scale) + 3).ok_or(WRONG_LENGTH)?;
            let offset_minutes = i16::from_le_bytes(array(offset)?);
            if !(-840..=840).contains(&offset_minutes) {
                return Err(WireError::Malformed("an offset of more than 14 hours"));
            }
            Ok(Value::TimestampWithOffset { utc: moment(rest, scale)?, offset_minutes })
        }
        DataType::SmallDateTime => {
            let (days, minutes): ([u8; 2], [u8; 2]) = halves(bytes)?;
            let (days, minutes) = (u16::from_le_bytes(days), u16::from_le_bytes(minutes));
            timestamp(DAY_1900 + i32::from(days), i64::from(minutes) * 60 * TICKS_PER_SECOND)
        }
        DataType::DateTime => {
            let (days, ticks): ([u8; 4], [u8; 4]) = halves(bytes)?;
            let (days, ticks) = (i32::from_le_bytes(days), u32::from_le_bytes(ticks));
            // Three hundredths of a second, shown as milliseconds: 0, 3, 7.
            let ms = (i64::from(ticks) * 10 + 1) / 3;
            timestamp(DAY_1900.saturating_add(days), ms * 10_000)
        }
        _ => Ok(Value::Binary(bytes.to_vec())),
    }
}

const WRONG_LENGTH: WireError = WireError::Malformed("a value of a length that its type does not have");

fn array<const N: usize>(bytes: &[u8]) -> Wire<[u8; N]> {
    bytes.try_into().map_err(|_| WRONG_LENGTH)
}

fn halves<const N: usize>(bytes: &[u8]) -> Wire<([u8; N], [u8; N])> {
    let (first, second) = bytes.split_at_checked(N).ok_or(WRONG_LENGTH)?;
    Ok((array(first)?, array(second)?))
}

fn money(ten_thousandths: i64) -> Value {
    Value::Decimal(Decimal::new(i128::from(ten_thousandths), 4))
}

/// A sign (1 is plus), and the number without its point, the low byte first.
fn decimal(bytes: &[u8], scale: u8) -> Wire<Value> {
    let (sign, number) = bytes.split_first().ok_or(WRONG_LENGTH)?;
    let mut wide = [0; 16];
    wide.get_mut(..number.len()).ok_or(WRONG_LENGTH)?.copy_from_slice(number);
    let number = u128::from_le_bytes(wide);
    if number >= 10u128.pow(38) {
        return Err(WireError::Malformed("a decimal of more than 38 digits"));
    }
    let number = number as i128;
    Ok(Value::Decimal(Decimal::new(if *sign == 0 { -number } else { number }, scale)))
}

/// The first three fields of a UUID have their bytes turned round on the wire. Both ways.
pub(crate) fn exchanged(uuid: [u8; 16]) -> [u8; 16] {
    let [a, b, c, d, e, f, g, h, rest @ ..] = uuid;
    let [i, j, k, l, m, n, o, p] = rest;
    [d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p]
}

fn date(bytes: &[u8]) -> Wire<Date> {
    let [low, middle, high] = array(bytes)?;
    let days = i32::from_le_bytes([low, middle, high, 0]);
    Some(Date(DAY_0001 + days)).filter(|date| *date <= Date::LAST).ok_or(WireError::Malformed("a day after 9999"))
}

/// A number of units of the scale since midnight.
fn time(bytes: &[u8], scale: u8) -> Wire<Time> {
    let mut wide = [0; 8];
    if bytes.len() != time_bytes(scale) {
        return Err(WRONG_LENGTH);
    }
    wide.get_mut(..bytes.len()).ok_or(WRONG_LENGTH)?.copy_from_slice(bytes);
    let ticks = u64::from_le_bytes(wide).saturating_mul(10u64.pow(7u32.saturating_sub(u32::from(scale))));
    i64::try_from(ticks)
        .ok()
        .filter(|ticks| *ticks < TICKS_PER_DAY)
        .map(Time)
        .ok_or(WireError::Malformed("a time of more than a day"))
}

fn moment(bytes: &[u8], scale: u8) -> Wire<Timestamp> {
    let (of_day, day) = bytes.split_at_checked(time_bytes(scale)).ok_or(WRONG_LENGTH)?;
    Ok(Timestamp::at(date(day)?, time(of_day, scale)?.0))
}

fn timestamp(day: i32, ticks: i64) -> Wire<Value> {
    let day = Date(day);
    if !(Date::FIRST..=Date::LAST).contains(&day) || ticks >= TICKS_PER_DAY {
        return Err(WireError::Malformed("a moment that there is not"));
    }
    Ok(Value::Timestamp(Timestamp::at(day, ticks)))
}
