//! Constants of the language: their types and values.
//!
//! ```text
//!   123 int      12345678901 numeric(11,0)     1.50 numeric(3,2)     1e0 float      $5 money
//!   0x0AF varbinary(2)     'it''s' varchar(4)     N'x' nvarchar(1)
//! ```

use crate::convert::{fit_money, parse_float, parse_money};
use crate::messages::Message;
use crate::text::Encoding;
use crate::types::{DataType, Length};
use mainstay_types::{Decimal, DecimalError, Value};

/// Type and value of a constant as it is written. Errors: 1007 for a number of more than 38 digits, 102 for what is no
/// constant, 8115 and 235 for what its type does not hold.
pub fn literal(text: &str) -> Result<(DataType, Value), Message> {
    let syntax = || Message::numbered(102, &[&text]);
    let first = text.bytes().next().ok_or_else(syntax)?;
    match first {
        b'\'' => Ok(string(&unquoted(text).ok_or_else(syntax)?, false)),
        b'N' | b'n' => Ok(string(&unquoted(&text[1..]).ok_or_else(syntax)?, true)),
        b'0' if text.get(1..2).is_some_and(|x| x.eq_ignore_ascii_case("x")) => {
            binary(text.get(2..).unwrap_or_default()).ok_or_else(syntax)
        }
        b'0'..=b'9' | b'.' => number(text),
        _ => {
            let amount = parse_money(text).map_err(|_| Message::numbered(235, &[]))?;
            let amount = amount.and_then(|amount| fit_money(amount, DataType::Money));
            let overflow = || crate::convert::overflow("numeric", DataType::Money);
            Ok((DataType::Money, Value::Decimal(amount.ok_or_else(overflow)?)))
        }
    }
}

/// A text constant without its quotes.
pub fn string(text: &str, national: bool) -> (DataType, Value) {
    let encoding = if national { Encoding::National } else { Encoding::DEFAULT };
    let length = encoding.size(text);
    let data_type = match length > encoding.most() {
        true => DataType::string_max(encoding),
        false => DataType::string(encoding, length.max(1)),
    };
    (data_type, Value::Text(encoding.kept(text).into_owned()))
}

/// The text between quotes, with doubled ones as one.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.replace("''", "'"))
}

/// The bytes of hexadecimal digits; an odd one counts as the last half of the first byte.
pub fn binary(digits: &str) -> Option<(DataType, Value)> {
    let mut bytes = Vec::with_capacity(digits.len() / 2 + 1);
    let odd = digits.len() % 2;
    let mut pending = (odd == 1).then_some(0);
    for digit in digits.chars() {
        let digit = digit.to_digit(16)? as u8;
        pending = match pending {
            None => Some(digit),
            Some(high) => {
                bytes.push(high << 4 | digit);
                None
            }
        };
    }
    let length = match bytes.len() {
        length @ 0..=8000 => Length::Limited(length.max(1) as u16),
        _ => Length::Max,
    };
    Some((DataType::VarBinary(length), Value::Binary(bytes)))
}

/// A constant of digits, a point and an exponent.
pub fn number(text: &str) -> Result<(DataType, Value), Message> {
    let syntax = || Message::numbered(102, &[&text]);
    if text.contains(['e', 'E']) {
        // Without digits the exponent is 0.
        let whole = if text.ends_with(['e', 'E', '+', '-']) { format!("{text}0") } else { text.to_owned() };
        let value = parse_float(&whole).ok_or_else(syntax)?;
        return match value.is_finite() {
            true => Ok((DataType::Float, Value::Float(value))),
            false => Err(Message::numbered(168, &[&text, &8])),
        };
    }
    if !text.contains('.')
        && let Ok(value) = text.parse::<i32>()
    {
        return Ok((DataType::Int, Value::Integer(i64::from(value))));
    }
    let value: Decimal = text.parse().map_err(|error| match error {
        DecimalError::TooManyDigits => Message::numbered(1007, &[&"number", &text]),
        DecimalError::NotANumber => syntax(),
    })?;
    let digits = value.unscaled.unsigned_abs().checked_ilog10().map_or(1, |log| log as u8 + 1);
    let precision = digits.max(value.scale).max(1);
    Ok((DataType::Decimal { precision, scale: value.scale }, Value::Decimal(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants() {
        for (text, expected) in [
            ("123", "int 123"),
            ("2147483648", "decimal(10,0) 2147483648"),
            ("1.50", "decimal(3,2) 1.50"),
            ("0.5", "decimal(1,1) 0.5"),
            (".5", "decimal(1,1) 0.5"),
            ("1.", "decimal(1,0) 1"),
            ("1e3", "float 1000"),
            ("1E", "float 1"),
            ("$5", "money 5.0000"),
            ("$", "money 0.0000"),
            ("'it''s'", "varchar(4) 'it''s'"),
            ("''", "varchar(1) ''"),
            ("N'é'", "nvarchar(1) 'é'"),
            ("0xAF1", "varbinary(2) X'0AF1'"),
            ("0x", "varbinary(1) X''"),
        ] {
            let (data_type, value) = literal(text).unwrap();
            assert_eq!(format!("{data_type} {value}"), expected, "{text}");
        }
        assert_eq!(literal(&"9".repeat(39)).unwrap_err().number, 1007);
        assert_eq!(literal("1.2.3").unwrap_err().number, 102);
    }
}
