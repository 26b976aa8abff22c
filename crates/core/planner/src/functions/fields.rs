//! Fields of a record with separators, as in the files of Business BASIC.
//!
//! ```text
//!   field_text(record, 2)              the text of the second field; NULL if the record has fewer
//!   field_number(record, 3)            its number as DOUBLE; NULL for a text that is not a number
//!   field_number(record, 3, 2)         the same as DECIMAL(18,2); further decimals are rounded
//!   field_text(record, 2, 30)          at most 30 characters are written through a view; read as without a length
//!   field_text(record, 2, 0, 44)       with another separator than 138 ($8A$)
//!   code_page_text(key_0)              all bytes as text; code_page_text(key_0, 6): at most 6 bytes are written
//! ```
//!
//! Bytes are characters of the code page of these files, as `mainstay-code-page` has it. Blanks and $00$ at the end of a text do not count.

use super::{Given, number};
use crate::parse::packed_views::DEFAULT_SEPARATOR;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use mainstay_code_page as code_page;
use mainstay_types::{Code, Error, Result, SqlType, Value, convert};
use std::borrow::Cow;

/// The digits of numbers of Business BASIC.
const DIGITS: u8 = 18;

/// The bytes of the field that a call asks for; `None` for NULL.
fn field<'v>(function: &str, values: &'v [Value]) -> Result<Option<Cow<'v, [u8]>>> {
    let (record, which) = match values {
        [record, which, ..] if values.len() <= 4 => (record, which),
        _ => return Err(Error::new(Code::TypeMismatch, format!("{function} takes two to four arguments"))),
    };
    let bytes = match record {
        Value::Null => return Ok(None),
        Value::Binary(bytes) => Cow::Borrowed(bytes.as_slice()),
        Value::Text(text) => code_page::encode(text),
        other => return Err(super::refused(function, other)),
    };
    if matches!(which, Value::Null) {
        return Ok(None);
    }
    let separator = match values.get(3) {
        None | Some(Value::Null) => DEFAULT_SEPARATOR,
        Some(value) => number(function, value)? as u8,
    };
    let which = number(function, which)?;
    if which < 1.0 {
        return Err(Error::new(Code::InvalidValue, format!("{function}: fields count from 1")));
    }
    let which = which as usize;
    Ok(match bytes {
        Cow::Borrowed(bytes) => part(bytes, which, separator).map(Cow::Borrowed),
        Cow::Owned(bytes) => part(&bytes, which, separator).map(|field| Cow::Owned(field.to_vec())),
    })
}

/// A field by its number. Bytes behind the last separator are a field only if there are any.
fn part(bytes: &[u8], which: usize, separator: u8) -> Option<&[u8]> {
    let all = bytes.strip_suffix(&[separator]).unwrap_or(bytes);
    all.split(|byte| *byte == separator).nth(which.checked_sub(1)?)
}

fn characters(bytes: &[u8]) -> String {
    let length = bytes.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
    code_page::decode(&bytes[..length]).into_owned()
}

pub(super) fn text(values: &[Value]) -> Result<Value> {
    Ok(field("field_text", values)?.map_or(Value::Null, |bytes| Value::Text(characters(&bytes))))
}

pub(super) fn whole(values: &[Value]) -> Result<Value> {
    match values {
        [Value::Null] | [Value::Null, _] => Ok(Value::Null),
        [Value::Binary(bytes)] | [Value::Binary(bytes), _] => Ok(Value::Text(code_page::decode(bytes).into_owned())),
        [other] | [other, _] => Err(super::refused("code_page_text", other)),
        _ => Err(Error::new(Code::TypeMismatch, "code_page_text takes one or two arguments")),
    }
}

pub(super) fn decimal(values: &[Value]) -> Result<Value> {
    let Some(bytes) = field("field_number", values)? else { return Ok(Value::Null) };
    let text = characters(&bytes);
    let to = match values.get(2) {
        None | Some(Value::Null) => SqlType::Double,
        Some(scale) => SqlType::Decimal { precision: DIGITS, scale: scale_of(number("field_number", scale)?) },
    };
    // A text that is not a number, or one that is too long, has no value.
    Ok(convert(Value::Text(text.trim().to_owned()).as_ref(), to).unwrap_or(Value::Null))
}

fn scale_of(scale: f64) -> u8 {
    (scale as u8).min(DIGITS)
}

pub(super) fn type_of_number(given: &Given<'_>) -> DataType {
    let constant = given.constants.get(2).copied().flatten();
    let scale = constant.filter(|scale| !scale.is_null()).and_then(|scale| match scale.cast_to(&DataType::Int64) {
        Ok(ScalarValue::Int64(Some(scale))) => Some(scale_of(scale as f64)),
        _ => None,
    });
    match scale {
        Some(scale) => DataType::Decimal128(DIGITS, i8::try_from(scale).unwrap_or(0)),
        None => DataType::Float64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found() {
        let record = Value::Binary(b"A1\x8AM\xFCller  \x8A12.50\x8A\x8A".to_vec());
        let of = |which| text(&[record.clone(), Value::Integer(which)]).unwrap();
        assert_eq!(of(1), Value::Text("A1".to_owned()));
        assert_eq!(of(2), Value::Text("M\u{fc}ller".to_owned()));
        assert_eq!((of(4), of(5)), (Value::Text(String::new()), Value::Null));
        let number = |which| decimal(&[record.clone(), Value::Integer(which)]).unwrap();
        assert_eq!((number(3), number(1), number(4)), (Value::Float(12.5), Value::Null, Value::Null));
        assert!(text(&[record.clone(), Value::Integer(0)]).is_err());
    }
}
