//! Values of rows: columns back to back, without alignment.
//!
//! Each type has its own NULL: the smallest number, all bits set, a first byte of 0, or a mark in the envelope of types
//! beyond the built-in ones.

use crate::codes::{SimpleLob, TypeCode};
use crate::codeset::Codeset;
use crate::decimal::{decimal_text, decode_decimal, encode_decimal, encode_decimal_text};
use crate::describe::TypeDescription;
use crate::error::WireError;
use crate::moment::{Qualifier, decode_datetime, decode_interval, encode_datetime, encode_interval};
use crate::reader::{Read, Reader};
use crate::writer::Put;
use mainstay_types::{Date, Decimal, Value, ValueRef};

/// Days from 1899-12-31, day 0 of DATE, to 1970-01-01, day 0 of [`Date`].
const DAYS_TO_1970: i32 = 25_568;

/// The form of BOOLEAN and of LOB locators. RETTYPE asks for the binary one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// `t` and `f`.
    #[default]
    Text,
    /// The bytes 1 and 0.
    Binary,
}

/// Appends a value of a column.
///
/// Errors: `Value` for one that the type cannot hold.
pub fn write_value(
    value: ValueRef<'_>,
    kind: &TypeDescription,
    form: Form,
    codeset: Codeset,
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    if value.is_null() {
        write_null(kind, out);
        return Ok(());
    }
    match kind.code {
        TypeCode::SMALLINT => out.put_i16(number(value, i16::MIN.into())?.try_into().map_err(|_| too_large())?),
        TypeCode::INTEGER | TypeCode::SERIAL => {
            out.put_i32(number(value, i32::MIN.into())?.try_into().map_err(|_| too_large())?);
        }
        TypeCode::BIGINT | TypeCode::BIGSERIAL => out.put_i64(number(value, i64::MIN)?),
        TypeCode::INT8 | TypeCode::SERIAL8 => write_int8(number(value, i64::MIN)?, out),
        TypeCode::FLOAT => out.extend_from_slice(&float(value)?.to_be_bytes()),
        TypeCode::SMALLFLOAT => out.extend_from_slice(&(float(value)? as f32).to_be_bytes()),
        TypeCode::DATE => match value {
            ValueRef::Date(date) => out.put_i32(date.0.saturating_add(DAYS_TO_1970)),
            ValueRef::Timestamp(moment) => out.put_i32(moment.date().0.saturating_add(DAYS_TO_1970)),
            _ => return Err(WireError::Value("not a DATE")),
        },
        TypeCode::DECIMAL | TypeCode::MONEY => match value {
            // The bytes that a column stores: head and digits, of which zero has none.
            ValueRef::Binary(bytes) => {
                let width = kind.digit_bytes();
                match bytes {
                    [0x80] => encode_decimal(Decimal::new(0, 0), Some(width), out),
                    bytes if bytes.len() <= width => {
                        let end = out.len() + width;
                        out.extend_from_slice(bytes);
                        out.resize(end, 0);
                    }
                    _ => return Err(too_large()),
                }
            }
            // A number beyond the 38 digits of the other values.
            ValueRef::Text(text) => {
                let end = out.len() + kind.digit_bytes();
                encode_decimal_text(text, out)?;
                out.resize(end, 0);
            }
            value => encode_decimal(decimal(value)?, Some(kind.digit_bytes()), out),
        },
        TypeCode::DATETIME => encode_datetime(value, Qualifier::of_length(kind.length)?, out)?,
        TypeCode::INTERVAL => match value {
            ValueRef::Interval(interval) => encode_interval(interval, Qualifier::of_length(kind.length)?, out)?,
            _ => return Err(WireError::Value("not an INTERVAL")),
        },
        TypeCode::VARCHAR | TypeCode::NVARCHAR => {
            let place = out.len();
            out.push(0);
            codeset.encode_cut(text(value)?, 255, out);
            let length = u8::try_from(out.len() - place - 1).map_err(|_| too_large())?;
            if let Some(byte) = out.get_mut(place) {
                *byte = length;
            }
        }
        TypeCode::CHAR | TypeCode::NCHAR => {
            let end = out.len() + kind.length as usize;
            codeset.encode_cut(text(value)?, kind.length as usize, out);
            out.resize(end, b' ');
        }
        TypeCode::BYTE | TypeCode::TEXT => {
            let size = match value {
                ValueRef::Binary(bytes) => bytes.len(),
                other => text(other)?.len(),
            };
            let size = u32::try_from(size).map_err(|_| too_large())?;
            out.extend_from_slice(&SimpleLob { size, ..SimpleLob::default() }.encode());
        }
        code if code.has_envelope() => write_envelope(value, kind, form, codeset, out)?,
        _ => return Err(WireError::Value("a type that rows cannot have")),
    }
    Ok(())
}

fn write_null(kind: &TypeDescription, out: &mut Vec<u8>) {
    match kind.code {
        TypeCode::SMALLINT => out.put_i16(i16::MIN),
        TypeCode::INTEGER | TypeCode::SERIAL | TypeCode::DATE => out.put_i32(i32::MIN),
        TypeCode::BIGINT | TypeCode::BIGSERIAL => out.put_i64(i64::MIN),
        TypeCode::FLOAT | TypeCode::SMALLFLOAT => out.resize(out.len() + kind.width(), 0xFF),
        TypeCode::VARCHAR | TypeCode::NVARCHAR => out.extend_from_slice(&[1, 0]),
        TypeCode::BYTE | TypeCode::TEXT => {
            out.extend_from_slice(&SimpleLob { is_null: true, ..SimpleLob::default() }.encode());
        }
        code if code.has_envelope() => out.extend_from_slice(&[1, 0, 0, 0, 0]),
        _ => out.resize(out.len() + kind.width(), 0),
    }
}

fn write_envelope(
    value: ValueRef<'_>,
    kind: &TypeDescription,
    form: Form,
    codeset: Codeset,
    out: &mut Vec<u8>,
) -> Result<(), WireError> {
    out.push(0);
    let place = out.len();
    out.put_u32(0);
    match value {
        ValueRef::Boolean(value) => out.push(match (form, value) {
            (Form::Binary, value) => u8::from(value),
            (Form::Text, true) => b't',
            (Form::Text, false) => b'f',
        }),
        ValueRef::Binary(bytes) => out.extend_from_slice(bytes),
        ValueRef::Text(text) => codeset.encode(text, out),
        _ => {
            return Err(WireError::Value(if kind.code == TypeCode::LVARCHAR {
                "not a text"
            } else {
                "not an opaque value"
            }));
        }
    }
    let length = u32::try_from(out.len() - place - 4).map_err(|_| too_large())?;
    if let Some(bytes) = out.get_mut(place..place + 4) {
        bytes.copy_from_slice(&length.to_be_bytes());
    }
    Ok(())
}

fn too_large() -> WireError {
    WireError::Value("a number or text is too large for its type")
}

fn number(value: ValueRef<'_>, null: i64) -> Result<i64, WireError> {
    let number = match value {
        ValueRef::Integer(number) => number,
        ValueRef::Boolean(value) => i64::from(value),
        ValueRef::Decimal(number) => {
            let whole = number.rescale(0).ok_or_else(too_large)?;
            i64::try_from(whole.unscaled).map_err(|_| too_large())?
        }
        _ => return Err(WireError::Value("not a whole number")),
    };
    // The smallest number is NULL on the wire.
    if number == null { Err(too_large()) } else { Ok(number) }
}

fn float(value: ValueRef<'_>) -> Result<f64, WireError> {
    value.as_f64().ok_or(WireError::Value("not a number"))
}

fn decimal(value: ValueRef<'_>) -> Result<Decimal, WireError> {
    match value {
        ValueRef::Float(number) => number.to_string().parse().map_err(|_| too_large()),
        value => value.as_decimal().ok_or(WireError::Value("not an exact number")),
    }
}

fn text<'v>(value: ValueRef<'v>) -> Result<&'v str, WireError> {
    match value {
        ValueRef::Text(text) => Ok(text),
        _ => Err(WireError::Value("not a text")),
    }
}

pub(crate) fn write_int8(number: i64, out: &mut Vec<u8>) {
    let magnitude = number.unsigned_abs();
    out.put_i16(if number < 0 { -1 } else { 1 });
    out.put_u32(magnitude as u32);
    out.put_u32((magnitude >> 32) as u32);
}

/// Reads a value of a column from the start of bytes, and reports how many bytes it has. Padding of CHAR is kept.
///
/// Errors: `Malformed` for bytes that are no value of the type, or that end too early.
pub fn read_value(bytes: &[u8], kind: &TypeDescription, codeset: Codeset) -> Result<(Value, usize), WireError> {
    let mut reader = Reader::new(bytes);
    let value = crate::reader::whole(read(&mut reader, kind, codeset))?;
    Ok((value, reader.position()))
}

fn read(reader: &mut Reader<'_>, kind: &TypeDescription, codeset: Codeset) -> Read<Value> {
    let or_null = |number: i64, null: i64| if number == null { Value::Null } else { Value::Integer(number) };
    Ok(match kind.code {
        TypeCode::SMALLINT => or_null(reader.i16()?.into(), i16::MIN.into()),
        TypeCode::INTEGER | TypeCode::SERIAL => or_null(reader.i32()?.into(), i32::MIN.into()),
        TypeCode::BIGINT | TypeCode::BIGSERIAL => or_null(reader.i64()?, i64::MIN),
        TypeCode::INT8 | TypeCode::SERIAL8 => read_int8(reader)?,
        TypeCode::FLOAT => match reader.i64()? {
            -1 => Value::Null,
            bits => Value::Float(f64::from_bits(bits.cast_unsigned())),
        },
        TypeCode::SMALLFLOAT => match reader.i32()? {
            -1 => Value::Null,
            bits => Value::Float(f32::from_bits(bits.cast_unsigned()).into()),
        },
        TypeCode::DATE => match reader.i32()? {
            i32::MIN => Value::Null,
            days => {
                Value::Date(Date(days.checked_sub(DAYS_TO_1970).ok_or(WireError::Malformed("a DATE is out of range"))?))
            }
        },
        TypeCode::DECIMAL | TypeCode::MONEY => {
            let bytes = reader.take(kind.digit_bytes())?;
            match decode_decimal(bytes) {
                Err(WireError::Value(_)) if kind.is_floating() => decimal_text(bytes)?.map_or(Value::Null, Value::Text),
                number => number?.map_or(Value::Null, Value::Decimal),
            }
        }
        TypeCode::DATETIME => decode_datetime(reader.take(kind.digit_bytes())?, Qualifier::of_length(kind.length)?)?,
        TypeCode::INTERVAL => decode_interval(reader.take(kind.digit_bytes())?, Qualifier::of_length(kind.length)?)?
            .map_or(Value::Null, Value::Interval),
        TypeCode::VARCHAR | TypeCode::NVARCHAR => {
            let length = usize::from(reader.u8()?);
            match reader.take(length)? {
                [0] => Value::Null,
                bytes => Value::Text(codeset.decode(bytes)?),
            }
        }
        TypeCode::CHAR | TypeCode::NCHAR => match reader.take(kind.length as usize)? {
            [0, ..] => Value::Null,
            bytes => Value::Text(codeset.decode(bytes)?),
        },
        TypeCode::BYTE | TypeCode::TEXT => match reader.take(SimpleLob::BYTES)? {
            bytes if bytes.get(39) == Some(&1) => Value::Null,
            bytes => Value::Binary(bytes.to_vec()),
        },
        code if code.has_envelope() => {
            let is_null = reader.u8()? != 0;
            let length = reader.u32()? as usize;
            let bytes = reader.take(length)?;
            match is_null {
                true => Value::Null,
                false => opaque(kind, bytes, codeset)?,
            }
        }
        _ => return Err(WireError::Malformed("a type that rows cannot have").into()),
    })
}

/// The value inside an envelope.
pub(crate) fn opaque(kind: &TypeDescription, bytes: &[u8], codeset: Codeset) -> Result<Value, WireError> {
    let is_boolean = kind.code == TypeCode::BOOLEAN || kind.extended_id == 5 || kind.name == "boolean";
    match bytes {
        [byte] if is_boolean => Ok(Value::Boolean(matches!(byte, 1 | b't' | b'T'))),
        bytes if kind.is_binary() => Ok(Value::Binary(bytes.to_vec())),
        bytes => Ok(Value::Text(codeset.decode(bytes)?)),
    }
}

fn read_int8(reader: &mut Reader<'_>) -> Read<Value> {
    let (sign, low, high) = (reader.i16()?, reader.u32()?, reader.u32()?);
    let magnitude = (i128::from(high) << 32) | i128::from(low);
    if sign == 0 {
        return Ok(Value::Null);
    }
    let number = if sign < 0 { -magnitude } else { magnitude };
    let number = i64::try_from(number).map_err(|_| WireError::Malformed("an INT8 is out of range"))?;
    Ok(Value::Integer(number))
}
