//! Values of parameters: `[h type]{owner and name of named types}[h indicator][h precision]`, then the value, padded.

use crate::codes::{SimpleLob, TypeCode};
use crate::decimal::{decimal_text, decode_decimal, encode_decimal, encode_decimal_text};
use crate::describe::TypeDescription;
use crate::error::WireError;
use crate::moment::{Qualifier, Unit, decode_datetime, decode_interval, encode_datetime, encode_interval};
use crate::protocol::Context;
use crate::reader::{Read, Reader};
use crate::row::opaque;
use crate::writer::Put;
use mainstay_types::{Date, Value};

/// Days from 1899-12-31 to 1970-01-01.
const DAYS_TO_1970: i32 = 25_568;
/// The precision field of a SMALLINT, INTEGER, BIGINT, BYTE.
const SMALLINT_PRECISION: u16 = 0x0500;
const INTEGER_PRECISION: u16 = 0x0A00;
const BIGINT_PRECISION: u16 = 0x1300;
const BYTE_PRECISION: u16 = 0x38;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its type, as the client has it.
    pub code: TypeCode,
    /// The value; a number of more than 38 digits as text. A BYTE or TEXT value is `Null` or empty here; its bytes follow in BLOB messages.
    pub value: Value,
    /// Bytes of a BYTE or TEXT value that follow.
    pub follows: Option<u32>,
    /// The reason why the value cannot be held here, such as a number of more than 38 digits. The message is whole all the
    /// same: the statement fails, and the connection goes on.
    pub invalid: Option<WireError>,
}

impl Parameter {
    /// A parameter whose type is that of its value.
    pub fn new(value: Value) -> Parameter {
        let code = match &value {
            Value::Null | Value::Text(_) | Value::Uuid(_) => TypeCode::CHAR,
            Value::Boolean(_) => TypeCode::BOOLEAN,
            Value::Integer(number) if i32::try_from(*number).is_ok_and(|number| number != i32::MIN) => {
                TypeCode::INTEGER
            }
            Value::Integer(_) => TypeCode::BIGINT,
            Value::Decimal(_) => TypeCode::DECIMAL,
            Value::Float(_) => TypeCode::FLOAT,
            Value::Binary(_) => TypeCode::BYTE,
            Value::Date(_) => TypeCode::DATE,
            Value::Time(_) | Value::Timestamp(_) | Value::TimestampWithOffset { .. } => TypeCode::DATETIME,
            Value::Interval(_) => TypeCode::INTERVAL,
        };
        let follows = match &value {
            Value::Binary(bytes) => u32::try_from(bytes.len()).ok(),
            _ => None,
        };
        Parameter { code, value, follows, invalid: None }
    }

    /// Appends a DECIMAL parameter that is given as a decimal text, see [`crate::encode_decimal_text`].
    ///
    /// Errors: `Value` for other texts.
    pub fn write_decimal_text(text: &str, out: &mut Vec<u8>) -> Result<(), WireError> {
        let mut digits = Vec::new();
        let (precision, scale) = encode_decimal_text(text, &mut digits)?;
        out.put_u16(TypeCode::DECIMAL.0);
        out.put_u16(0);
        out.extend_from_slice(&[precision, scale]);
        out.put_counted(&digits);
        Ok(())
    }

    /// Appends a value of an opaque type in its binary form, such as the locator of a BLOB. A parameter of a statement has an
    /// owner and its length as precision; an argument of the fast path has neither.
    pub fn write_opaque((owner, name): (&str, &str), bytes: &[u8], out: &mut Vec<u8>, context: &Context) {
        out.put_u16(TypeCode::RETURN_SENDRECV.0);
        out.put_text(owner, context.codeset);
        out.put_text(name, context.codeset);
        out.put_u16(0);
        out.put_length(if owner.is_empty() { 0 } else { bytes.len() }, false);
        out.put_length(bytes.len(), true);
        out.extend_from_slice(bytes);
        out.put_pad(bytes.len());
    }

    /// Appends a whole number as INT8.
    pub fn write_int8(number: i64, out: &mut Vec<u8>) {
        out.put_u16(TypeCode::INT8.0);
        out.put_u16(0);
        out.put_u16(BIGINT_PRECISION);
        crate::row::write_int8(number, out);
    }

    pub(crate) fn read(reader: &mut Reader<'_>, context: &Context) -> Read<Parameter> {
        let code = TypeCode(reader.u16()?);
        let mut kind = TypeDescription::new(code, 0);
        if code.is_named() {
            kind.owner = reader.text(context.codeset)?;
            kind.name = reader.text(context.codeset)?;
        }
        let (indicator, precision) = (reader.i16()?, reader.u16()?);
        if indicator < 0 {
            return Ok(Parameter { code, value: Value::Null, follows: None, invalid: None });
        }
        let mut follows = None;
        let mut invalid = None;
        let value = match code {
            TypeCode::SMALLINT => Value::Integer(reader.i16()?.into()),
            TypeCode::INTEGER | TypeCode::SERIAL => Value::Integer(reader.i32()?.into()),
            TypeCode::BIGINT | TypeCode::BIGSERIAL => Value::Integer(reader.i64()?),
            TypeCode::FLOAT => Value::Float(f64::from_bits(reader.i64()?.cast_unsigned())),
            TypeCode::SMALLFLOAT => Value::Float(f32::from_bits(reader.i32()?.cast_unsigned()).into()),
            TypeCode::DATE => {
                let days = reader.i32()?.checked_sub(DAYS_TO_1970);
                let days = days.ok_or(WireError::Value("a DATE is out of range"));
                held(days.map(|days| Value::Date(Date(days))), &mut invalid)
            }
            TypeCode::INT8 | TypeCode::SERIAL8 => {
                let read = crate::row::read_value(reader.take(10)?, &kind, context.codeset);
                held(read.map(|(value, _)| value), &mut invalid)
            }
            TypeCode::CHAR | TypeCode::VARCHAR | TypeCode::NCHAR | TypeCode::NVARCHAR => {
                held(context.codeset.decode(reader.counted()?).map(Value::Text), &mut invalid)
            }
            TypeCode::DECIMAL | TypeCode::MONEY => {
                let bytes = reader.counted()?;
                match decode_decimal(bytes) {
                    Ok(number) => number.map_or(Value::Null, Value::Decimal),
                    Err(error) => {
                        invalid = Some(error);
                        decimal_text(bytes).ok().flatten().map_or(Value::Null, Value::Text)
                    }
                }
            }
            TypeCode::DATETIME => {
                let (bytes, qualifier) = (reader.counted()?, Qualifier::of_length(precision.into()));
                held(qualifier.and_then(|qualifier| decode_datetime(bytes, qualifier)), &mut invalid)
            }
            TypeCode::INTERVAL => {
                let (bytes, qualifier) = (reader.counted()?, Qualifier::of_length(precision.into()));
                let interval = qualifier.and_then(|qualifier| decode_interval(bytes, qualifier));
                held(interval.map(|interval| interval.map_or(Value::Null, Value::Interval)), &mut invalid)
            }
            TypeCode::BYTE | TypeCode::TEXT => {
                let bytes: &[u8; SimpleLob::BYTES] = reader
                    .take(SimpleLob::BYTES)?
                    .try_into()
                    .map_err(|_| WireError::Malformed("a descriptor of BYTE or TEXT"))?;
                let descriptor = SimpleLob::decode(bytes);
                follows = (!descriptor.is_null).then_some(descriptor.size);
                if descriptor.is_null { Value::Null } else { Value::Binary(Vec::new()) }
            }
            code if code.is_named() => {
                let length = reader.u32()? as usize;
                let bytes = reader.take(length)?;
                reader.pad(length)?;
                held(opaque(&kind, bytes, context.codeset), &mut invalid)
            }
            _ => return Err(WireError::Malformed("a parameter of an unknown type").into()),
        };
        Ok(Parameter { code, value, follows, invalid })
    }

    /// Appends the parameter as it stands in a BIND.
    ///
    /// Errors: `Value` for a value that its type cannot hold.
    pub fn write(&self, out: &mut Vec<u8>, context: &Context) -> Result<(), WireError> {
        out.put_u16(self.code.0);
        if self.code == TypeCode::BOOLEAN {
            out.put_text("informix", context.codeset);
            out.put_text("boolean", context.codeset);
        }
        if self.value == Value::Null {
            out.put_i16(-1);
            out.put_u16(0);
            return Ok(());
        }
        out.put_u16(0);
        let mismatch = WireError::Value("the value of a parameter is not of its type");
        match (self.code, &self.value) {
            (TypeCode::SMALLINT, Value::Integer(number)) => {
                out.put_u16(SMALLINT_PRECISION);
                out.put_i16(i16::try_from(*number).map_err(|_| mismatch)?);
            }
            (TypeCode::INTEGER, Value::Integer(number)) => {
                out.put_u16(INTEGER_PRECISION);
                out.put_i32(i32::try_from(*number).map_err(|_| mismatch)?);
            }
            (TypeCode::BIGINT, Value::Integer(number)) => {
                out.put_u16(BIGINT_PRECISION);
                out.put_i64(*number);
            }
            (TypeCode::FLOAT, Value::Float(number)) => {
                out.put_u16(0);
                out.extend_from_slice(&number.to_be_bytes());
            }
            (TypeCode::DATE, Value::Date(date)) => {
                out.put_u16(0);
                out.put_i32(date.0.saturating_add(DAYS_TO_1970));
            }
            (TypeCode::CHAR, Value::Text(text)) => {
                out.put_u16(0);
                out.put_text(text, context.codeset);
            }
            (TypeCode::DECIMAL, Value::Decimal(number)) => {
                let digits = number.unscaled.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1);
                let precision = u16::try_from(digits).unwrap_or(38).max(number.scale.into());
                out.put_u16((precision << 8) | u16::from(number.scale));
                put_digits(out, |digits| {
                    encode_decimal(*number, None, digits);
                    Ok(())
                })?;
            }
            (TypeCode::DATETIME, value) => {
                let is_time = matches!(value, Value::Time(_));
                let first = if is_time { Unit::HOUR } else { Unit::YEAR };
                let qualifier = Qualifier::datetime(first, Unit::fraction(5));
                out.put_length(qualifier.length() as usize, false);
                put_digits(out, |digits| encode_datetime(value.as_ref(), qualifier, digits))?;
            }
            (TypeCode::INTERVAL, Value::Interval(interval)) => {
                let qualifier = match interval.months {
                    0 => Qualifier::interval(Unit::DAY, 9, Unit::fraction(5)),
                    _ => Qualifier::interval(Unit::YEAR, 9, Unit::MONTH),
                };
                out.put_length(qualifier.length() as usize, false);
                put_digits(out, |digits| encode_interval(*interval, qualifier, digits))?;
            }
            (TypeCode::BYTE | TypeCode::TEXT, Value::Binary(_)) => {
                out.put_u16(BYTE_PRECISION);
                let size = self.follows.unwrap_or(0);
                out.extend_from_slice(&SimpleLob { size, ..SimpleLob::default() }.encode());
            }
            (TypeCode::BOOLEAN, Value::Boolean(value)) => {
                out.put_u16(1);
                out.put_u32(1);
                out.extend_from_slice(&[u8::from(*value), 0]);
            }
            _ => return Err(mismatch),
        }
        Ok(())
    }
}

/// A value that was read, or NULL with the reason why it cannot be held.
fn held(read: Result<Value, WireError>, invalid: &mut Option<WireError>) -> Value {
    read.unwrap_or_else(|error| {
        *invalid = Some(error);
        Value::Null
    })
}

fn put_digits(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<(), WireError>) -> Result<(), WireError> {
    let mut digits = Vec::new();
    write(&mut digits)?;
    out.put_counted(&digits);
    Ok(())
}
