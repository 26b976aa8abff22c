//! Formats of an IOLIST's fields: `NAME$:[CHR(30)],OWED:[SGN(8,2)]`.
//!
//! | format | in the record |
//! |---|---|
//! | `CHR(length)`, `LEN(length)` | so many characters, filled with blanks, which CHR strips when it reads; `SEP=` ends the field when it reads |
//! | `CHR(delimiter)`, `LEN(delimiter)` | up to the delimiter; `SIZ=` fills or cuts the value when it writes |
//! | `STR(delimiter)` | strings in quotes, numbers bare, then the delimiter |
//! | `DEC(length,scale)` | a number with sign and point behind blanks |
//! | `NUM(length,scale)`, `SGN(length,scale)` | digits with zeros before them, without the point; SGN has its sign behind them |
//! | `BIN(length,scale)`, `INT(length,scale)` | a binary number, most significant byte first, with sign and without |
//! | `BCD(length,scale)` | packed decimals, two digits a byte, the sign (C, D) in the last half byte |
//!
//! The scale is the number of decimals that the digits have. Sources: the manual's page IOLIST and "Input and Output Parameters", whose
//! examples are 123.45 as NUM(8,2) `00012345`, -23 as SGN(8,2) `0002300-`, 1.6 as BIN(2,1) `$0010$`.

use super::list::{Fields, field_number};
use super::{Machine, Value};
use crate::code::{Expr, ListFormat, ListValue};
use crate::fault::{Fault, Outcome, fail};
use crate::number::Number;
use crate::number_text;

/// The form of a field in a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldFormat {
    /// So many bytes; up to a separator when it is read.
    Fixed { length: usize, separator: Option<u8>, strips: bool },
    /// Up to a separator; so many bytes before it when it is written.
    Delimited { separator: u8, length: Option<usize>, strips: bool },
    /// Strings in quotes, then the separator.
    Quoted(Option<u8>),
    /// A number with its point.
    Decimal { length: usize, scale: i32 },
    /// Digits without the point.
    Digits { length: usize, scale: i32, signed: bool },
    /// A binary number.
    Binary { length: usize, scale: i32, signed: bool },
    /// Packed decimals.
    Packed { length: usize, scale: i32 },
}

impl FieldFormat {
    /// Appends a value. Error 43 for a number that is too long for its field, 26 for text that is no number.
    pub(super) fn write(self, out: &mut Vec<u8>, value: &Value) -> Outcome<()> {
        let mut text = match value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => plain_text(*number),
        };
        match self {
            FieldFormat::Fixed { length, .. } => {
                text.resize(length, b' ');
                out.extend_from_slice(&text);
            }
            FieldFormat::Delimited { separator, length, .. } => {
                if let Some(length) = length {
                    text.resize(length, b' ');
                }
                out.extend_from_slice(&text);
                out.push(separator);
            }
            FieldFormat::Quoted(separator) => {
                match value {
                    Value::Text(_) => {
                        out.push(b'"');
                        text.iter()
                            .for_each(|byte| out.extend(std::iter::repeat_n(*byte, 1 + usize::from(*byte == b'"'))));
                        out.push(b'"');
                    }
                    Value::Number(_) => out.extend_from_slice(&text),
                }
                out.extend(separator);
            }
            FieldFormat::Decimal { length, scale } => {
                let text = plain_text(number_of(value)?.rounded(scale));
                right_aligned(out, &text, length, b' ')?;
            }
            FieldFormat::Digits { length, scale, signed } => {
                let digits = scaled(value, scale)?;
                let text = digits.unsigned_abs().to_string();
                right_aligned(out, text.as_bytes(), length - usize::from(signed), b'0')?;
                out.extend(signed.then_some(if digits < 0 { b'-' } else { b' ' }));
            }
            FieldFormat::Binary { length, scale, signed } => {
                let digits = scaled(value, scale)?;
                let bytes = digits.to_be_bytes();
                let kept = &bytes[8 - length..];
                if binary(kept, signed) != digits {
                    return fail(43, "the number is longer than its field");
                }
                out.extend_from_slice(kept);
            }
            FieldFormat::Packed { length, scale } => {
                let digits = scaled(value, scale)?;
                let sign = if digits < 0 { b'D' } else { b'C' };
                let mut text = Vec::new();
                right_aligned(&mut text, digits.unsigned_abs().to_string().as_bytes(), length * 2 - 1, b'0')?;
                text.push(sign);
                out.extend(text.chunks(2).map(|pair| half(pair[0]) << 4 | half(pair[1])));
            }
        }
        Ok(())
    }

    /// The next value of a record.
    pub(super) fn read(self, fields: &mut Fields<'_>, is_text: bool) -> Outcome<Value> {
        let number = match self {
            FieldFormat::Fixed { length, separator, strips } => {
                let mut field = fields.fixed(length);
                if let Some(at) = separator.and_then(|separator| memchr::memchr(separator, field)) {
                    field = &field[..at];
                }
                return text_value(stripped(field, strips), is_text);
            }
            FieldFormat::Delimited { separator, strips, .. } => {
                return text_value(stripped(fields.until(separator), strips), is_text);
            }
            FieldFormat::Quoted(separator) => return text_value(&fields.quoted(separator), is_text),
            FieldFormat::Decimal { length, .. } => return text_value(fields.fixed(length), is_text),
            FieldFormat::Digits { length, scale, .. } => {
                let field = fields.fixed(length).trim_ascii();
                let (digits, sign) = match field.strip_suffix(b"-").or(field.strip_prefix(b"-")) {
                    Some(digits) => (digits, -1),
                    None => (field, 1),
                };
                let value = field_number(digits.trim_ascii())?;
                let value = Number::new(i128::from(value.digits()) * sign, value.scale())?;
                unscaled(value, scale)?
            }
            FieldFormat::Binary { length, scale, signed } => {
                unscaled(Number::new(binary(fields.fixed(length), signed).into(), 0)?, scale)?
            }
            FieldFormat::Packed { length, scale } => unscaled(packed(fields.fixed(length))?, scale)?,
        };
        Ok(if is_text { Value::Text(plain_text(number)) } else { Value::Number(number) })
    }
}

fn stripped(field: &[u8], strips: bool) -> &[u8] {
    match strips {
        true => &field[..field.iter().rposition(|byte| *byte != b' ').map_or(0, |at| at + 1)],
        false => field,
    }
}

fn text_value(field: &[u8], is_text: bool) -> Outcome<Value> {
    Ok(match is_text {
        true => Value::Text(field.to_vec()),
        false => Value::Number(field_number(field.trim_ascii())?),
    })
}

fn plain_text(number: Number) -> Vec<u8> {
    let mut text = Vec::new();
    number_text::write(&mut text, number, false);
    text
}

fn number_of(value: &Value) -> Outcome<Number> {
    match value {
        Value::Number(number) => Ok(*number),
        Value::Text(text) => field_number(text),
    }
}

/// The digits of a number with so many decimals.
fn scaled(value: &Value, scale: i32) -> Outcome<i64> {
    let number = number_of(value)?.rounded(scale);
    let power = Number::new(10i128.pow(scale.unsigned_abs()), 0)?;
    number.multiply(power)?.as_whole().ok_or_else(|| Fault::with(43, "the number is longer than its field"))
}

fn unscaled(digits: Number, scale: i32) -> Outcome<Number> {
    Ok(Number::new(digits.digits().into(), digits.scale() + scale)?.normalized())
}

fn right_aligned(out: &mut Vec<u8>, text: &[u8], length: usize, fill: u8) -> Outcome<()> {
    let Some(missing) = length.checked_sub(text.len()) else {
        return fail(43, "the number is longer than its field");
    };
    out.extend(std::iter::repeat_n(fill, missing));
    out.extend_from_slice(text);
    Ok(())
}

/// At most eight bytes, the most significant one first.
fn binary(bytes: &[u8], signed: bool) -> i64 {
    let is_negative = signed && bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    bytes.iter().fold(if is_negative { -1 } else { 0 }, |value, byte| value << 8 | i64::from(*byte))
}

/// The half byte of a hex digit.
fn half(digit: u8) -> u8 {
    if digit.is_ascii_digit() { digit - b'0' } else { digit - b'A' + 10 }
}

/// A packed number. Error 26 for half bytes that are no digits.
fn packed(bytes: &[u8]) -> Outcome<Number> {
    let halves: Vec<u8> = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).collect();
    let Some((sign, digits)) = halves.split_last() else { return Ok(Number::ZERO) };
    if digits.iter().any(|digit| *digit > 9) || digits.len() > 36 {
        return fail(26, "a field is not a packed number");
    }
    let value = digits.iter().fold(0i128, |value, digit| value * 10 + i128::from(*digit));
    Number::new(if matches!(sign, 0x0B | 0x0D) { -value } else { value }, 0)
}

/// The format of a value of a list; `None` if it has none but checks.
pub(super) fn field_format(machine: &mut Machine, item: &ListValue) -> Outcome<Option<FieldFormat>> {
    for format in &item.formats {
        let found = match format.name.as_str() {
            "CHR" | "LEN" => string_format(machine, format)?,
            "STR" | "SEP" => match format.arguments.first() {
                Some(Expr::Text(expr)) => {
                    let separator = machine.text_value(expr)?.first().copied();
                    match (format.name.as_str(), separator) {
                        ("STR", separator) => FieldFormat::Quoted(separator),
                        (_, Some(separator)) => FieldFormat::Delimited { separator, length: None, strips: false },
                        _ => return fail(81, "a format needs a separator"),
                    }
                }
                _ => return fail(81, "a format needs a separator"),
            },
            "NUM" | "SGN" | "DEC" | "BIN" | "INT" | "BCD" => number_format(machine, format)?,
            _ => continue,
        };
        return Ok(Some(found));
    }
    Ok(None)
}

fn string_format(machine: &mut Machine, format: &ListFormat) -> Outcome<FieldFormat> {
    let strips = format.name == "CHR";
    Ok(match format.arguments.first() {
        Some(Expr::Number(length)) => {
            let length = machine.whole_within(length, 0, 65_536)? as usize;
            let separator = match &format.separator {
                Some(separator) => machine.text_value(separator)?.first().copied(),
                None => None,
            };
            FieldFormat::Fixed { length, separator, strips }
        }
        Some(Expr::Text(separator)) => {
            let separator = machine.text_value(separator)?.first().copied().ok_or_else(|| Fault::new(79))?;
            let length = match &format.size {
                Some(size) => Some(machine.whole_within(size, 0, 65_536)? as usize),
                None => None,
            };
            FieldFormat::Delimited { separator, length, strips }
        }
        None => return fail(79, "a format needs a length or a delimiter"),
    })
}

fn number_format(machine: &mut Machine, format: &ListFormat) -> Outcome<FieldFormat> {
    // A field may be wider than the digits of a number.
    let most = match format.name.as_str() {
        "BIN" | "INT" => 8,
        "BCD" => 18,
        _ => 65_536,
    };
    let Some(Expr::Number(length)) = format.arguments.first() else { return fail(79, "a format needs a length") };
    let length = machine.whole_within(length, 1, most)? as usize;
    let scale = match format.arguments.get(1) {
        Some(Expr::Number(scale)) => machine.whole_within(scale, 0, 18)? as i32,
        _ => 0,
    };
    Ok(match format.name.as_str() {
        "NUM" => FieldFormat::Digits { length, scale, signed: false },
        "SGN" => FieldFormat::Digits { length, scale, signed: true },
        // Without a scale a number keeps its decimals.
        "DEC" => FieldFormat::Decimal { length, scale: if format.arguments.len() > 1 { scale } else { 18 } },
        "BCD" => FieldFormat::Packed { length, scale },
        name => FieldFormat::Binary { length, scale, signed: name == "BIN" },
    })
}
