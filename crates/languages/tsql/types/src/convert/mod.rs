//! CAST, CONVERT with its styles, TRY_CAST and TRY_CONVERT, and assignments.
//!
//! ```text
//!   value, from --> explicit or implicit?  --> [number | text | moment | binary]  --> value of `to`
//!                   (types::matrix: 529, 257)   245, 8114, 241, 8115, ...
//! ```
//!
//! A [`Conversion`] is checked once against the matrix and evaluated for any number of values. All functions take
//! values in the form of their type (see the crate's page) and give NULL for NULL.

mod assign;
mod binary;
mod number;
mod source;
mod text;
mod to_moment;

#[cfg(test)]
pub(crate) mod tests;

pub use assign::{assign, truncates, truncation};
pub use binary::uuid_bytes;
pub use number::{
    CURRENCY, exact_float, fit, fit_float, fit_integer, fit_money, from_float, overflow, parse_float, parse_money,
    range,
};
pub use text::{float as float_text, general, money as money_text, with_commas};
pub use to_moment::Parts;

use crate::context::Context;
use crate::messages::Message;
use crate::text::Encoding;
use crate::types::{self, DataType};
use crate::variant;
use mainstay_types::{Value, ValueRef, uuid};
use source::Source;

/// A conversion that the matrix allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    from: DataType,
    to: DataType,
    style: Option<i32>,
}

impl Conversion {
    /// The conversion of an assignment or an operator. The error is 206 or 257.
    pub fn implicit(from: DataType, to: DataType) -> Result<Conversion, Message> {
        types::implicit(from, to)?;
        Ok(Conversion { from, to, style: None })
    }

    /// The conversion of CAST and CONVERT. The error is 529.
    pub fn explicit(from: DataType, to: DataType, style: Option<i32>) -> Result<Conversion, Message> {
        types::explicit(from, to)?;
        Ok(Conversion { from, to, style })
    }

    /// The type that comes out.
    pub fn to(&self) -> DataType {
        self.to
    }

    /// Returns true if every value comes out as it went in.
    pub fn is_identity(&self) -> bool {
        is_identity(self.from, self.to)
    }

    /// Converts a value of the type it was made for.
    pub fn evaluate(&self, context: &Context<'_>, value: ValueRef<'_>) -> Result<Value, Message> {
        convert(context, value, self.from, self.to, self.style)
    }
}

/// A value of CHAR or NCHAR with the blanks at its end, which columns do not store; `None` if it is whole, and for other
/// types.
pub fn padded(value: ValueRef<'_>, data_type: DataType) -> Option<String> {
    let (DataType::Char(length, _) | DataType::NChar(length)) = data_type else { return None };
    let ValueRef::Text(text) = value else { return None };
    let (encoding, room) = (data_type.encoding(), usize::from(length));
    (encoding.size(text) < room).then(|| {
        let mut text = text.to_owned();
        encoding.pad(&mut text, room);
        text
    })
}

/// Returns true if values of `from` are values of `to` as they are.
pub fn is_identity(from: DataType, to: DataType) -> bool {
    use DataType::*;
    match (from, to) {
        _ if from == to => true,
        (TinyInt, SmallInt | Int | BigInt) | (SmallInt, Int | BigInt) | (Int, BigInt) => true,
        (Real, Float) => true,
        _ if from.code_page().zip(to.code_page()).is_some_and(|(from, to)| from != to) => false,
        (VarChar(..) | Char(..) | Text(_), VarChar(crate::Length::Max, _) | Text(_) | NVarChar(crate::Length::Max)) => {
            true
        }
        (NVarChar(_) | NChar(_) | NText, NVarChar(crate::Length::Max) | NText) => true,
        (VarChar(from, _), VarChar(to, _) | NVarChar(to))
        | (NVarChar(from), NVarChar(to))
        | (VarBinary(from), VarBinary(to)) => {
            let fits =
                |from, to| matches!((from, to), (crate::Length::Limited(a), crate::Length::Limited(b)) if a <= b);
            to == crate::Length::Max || fits(from, to)
        }
        (Char(from, _), VarChar(crate::Length::Limited(to), _) | NVarChar(crate::Length::Limited(to)))
        | (NChar(from), NVarChar(crate::Length::Limited(to)))
        | (Binary(from), VarBinary(crate::Length::Limited(to))) => from <= to,
        _ => false,
    }
}

/// Converts a value as CAST and CONVERT do. The matrix is not asked: see [`Conversion`].
///
/// Errors: those of values that the type does not have; an overflow may give NULL ([`Context::arithmetic`]).
pub fn convert(
    context: &Context<'_>,
    value: ValueRef<'_>,
    from: DataType,
    to: DataType,
    style: Option<i32>,
) -> Result<Value, Message> {
    context.arithmetic(convert_strictly(context, value, from, to, style), Value::Null)
}

fn convert_strictly(
    context: &Context<'_>,
    value: ValueRef<'_>,
    from: DataType,
    to: DataType,
    style: Option<i32>,
) -> Result<Value, Message> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    let padded = padded(value, from);
    let value = padded.as_deref().map_or(value, ValueRef::Text);
    if to == DataType::SqlVariant {
        return Ok(variant::encode(from, value));
    }
    let within = (from == DataType::SqlVariant).then(|| variant::decode(value));
    let (from, value) = within.as_ref().map_or((from, value), |(from, value)| (*from, value.as_ref()));
    if is_identity(from, to) && style.is_none() {
        return Ok(value.to_value());
    }
    let source = Source { value, from, to, style, context };
    use DataType::*;
    match to {
        Bit => number::to_bit(&source),
        TinyInt | SmallInt | Int | BigInt => number::to_integer(&source),
        Decimal { precision, scale } => number::to_decimal(&source, precision, scale),
        Money | SmallMoney => number::to_money(&source),
        Float | Real => number::to_float(&source),
        Date | Time(_) | SmallDateTime | DateTime | DateTime2(_) | DateTimeOffset(_) => to_moment::to_moment(&source),
        Char(..) | VarChar(..) | NChar(_) | NVarChar(_) | Text(_) | NText => text::to_text(&source),
        Xml => match text::to_text(&source)? {
            Value::Text(text) => crate::xml::normalized(text.trim_start_matches('\u{feff}')).map(Value::Text),
            other => Ok(other),
        },
        Binary(_) | VarBinary(_) | Image => binary::to_binary(&source),
        RowVersion => {
            let source = Source { to: Binary(8), ..source };
            binary::to_binary(&source)
        }
        UniqueIdentifier => to_uuid(&source),
        SqlVariant => Ok(variant::encode(from, value)),
    }
}

/// The same, with NULL for a value that cannot be converted: TRY_CAST and TRY_CONVERT. Errors that they do not suppress
/// (an invalid style, a conversion that the matrix refuses) stay errors.
pub fn try_convert(
    context: &Context<'_>,
    value: ValueRef<'_>,
    from: DataType,
    to: DataType,
    style: Option<i32>,
) -> Result<Value, Message> {
    match convert_strictly(context, value, from, to, style) {
        Err(message) if matches!(message.number, 281 | 529 | 9809) => Err(message),
        Err(_) => Ok(Value::Null),
        converted => converted,
    }
}

/// The type that a plain value has, as far as the value tells.
pub fn type_of(value: ValueRef<'_>) -> DataType {
    match value {
        ValueRef::Null | ValueRef::Interval(_) => DataType::Int,
        ValueRef::Boolean(_) => DataType::Bit,
        ValueRef::Integer(value) if i32::try_from(value).is_ok() => DataType::Int,
        ValueRef::Integer(_) => DataType::BigInt,
        ValueRef::Decimal(value) => DataType::Decimal { precision: 38, scale: value.scale },
        ValueRef::Float(_) => DataType::Float,
        ValueRef::Text(text) => {
            let encoding = if text.is_ascii() { Encoding::DEFAULT } else { Encoding::National };
            DataType::string(encoding, encoding.size(text))
        }
        ValueRef::Binary(bytes) => DataType::VarBinary(crate::Length::Limited(bytes.len().clamp(1, 8000) as u16)),
        ValueRef::Date(_) => DataType::Date,
        ValueRef::Time(_) => DataType::Time(7),
        ValueRef::Timestamp(_) => DataType::DateTime2(7),
        ValueRef::TimestampWithOffset { .. } => DataType::DateTimeOffset(7),
        ValueRef::Uuid(_) => DataType::UniqueIdentifier,
    }
}

fn to_uuid(source: &Source<'_>) -> Result<Value, Message> {
    match source.value {
        ValueRef::Uuid(uuid) => Ok(Value::Uuid(uuid)),
        ValueRef::Text(text) => {
            // Characters behind the 36 (or, in braces, 38) of the UUID do not count; in front of them nothing may.
            let length = if text.starts_with('{') { 38 } else { 36 };
            let shape = text.get(..length).filter(|text| text.contains('-'));
            let uuid = shape.and_then(|text| uuid::parse(text).ok());
            uuid.map(Value::Uuid).ok_or_else(|| Message::numbered(8169, &[]).state(2))
        }
        ValueRef::Binary(bytes) => {
            let mut padded = [0; 16];
            padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            Ok(Value::Uuid(uuid_bytes(padded)))
        }
        _ => Err(source.refused()),
    }
}
