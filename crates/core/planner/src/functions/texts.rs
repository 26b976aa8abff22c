//! PostgreSQL's functions on texts and bytes.
//!
//! ```text
//!   md5(x)  encode(bytes, 'hex' | 'base64' | 'escape')  decode(text, form)
//!   quote_literal(x)  quote_nullable(x)  quote_ident(name)  format('%s %I %L %2$s %-10s', ...)
//!   to_number('1,234.5-', '9G999D9S')
//! ```

use super::refused;
use datafusion::sql::sqlparser::keywords::{RESERVED_FOR_COLUMN_ALIAS, RESERVED_FOR_TABLE_ALIAS};
use datafusion::sql::sqlparser::tokenizer::Token;
use mainstay_types::{Code, Decimal, Error, Result, SqlType, Value, convert};
use md5::{Digest, Md5};

/// The most characters that a width in `format` fills up to.
const MAX_WIDTH: usize = 10_000;

fn text_of(value: &Value) -> Result<String> {
    match convert(value.as_ref(), SqlType::TEXT)? {
        Value::Text(text) => Ok(text),
        _ => Ok(String::new()),
    }
}

fn bytes_of(value: &Value) -> Result<Vec<u8>> {
    match value {
        Value::Binary(bytes) => Ok(bytes.clone()),
        other => text_of(other).map(String::into_bytes),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn md5(values: &[Value]) -> Result<Value> {
    let [value] = values else { return Ok(Value::Null) };
    Ok(Value::Text(hex(&Md5::digest(bytes_of(value)?))))
}

/// The signs of base 64 (RFC 4648, 4).
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Characters of a line of base 64.
const LINE: usize = 76;

fn base64(bytes: &[u8]) -> String {
    let mut signs = String::new();
    for chunk in bytes.chunks(3) {
        let group = (0..3).fold(0usize, |group, at| group << 8 | usize::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            if !signs.is_empty() && (signs.len() + 1).is_multiple_of(LINE + 1) {
                signs.push('\n');
            }
            let sign = if at <= chunk.len() { BASE64[group >> (18 - 6 * at) & 63] } else { b'=' };
            signs.push(char::from(sign));
        }
    }
    signs
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let signs: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if !signs.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(signs.len() / 4 * 3);
    for (number, group) in signs.chunks(4).enumerate() {
        let filled = group.iter().rev().take_while(|sign| **sign == b'=').count();
        if filled > 2 || filled > 0 && (number + 1) * 4 != signs.len() {
            return None;
        }
        let mut bits = 0u32;
        for sign in &group[..4 - filled] {
            bits = bits << 6 | u32::try_from(BASE64.iter().position(|known| known == sign)?).ok()?;
        }
        bits <<= 6 * filled;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - filled]);
    }
    Some(bytes)
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        text.chars().filter(|it| !it.is_whitespace()).map(|it| it.to_digit(16)).collect::<Option<_>>()?;
    let is_whole = digits.len().is_multiple_of(2);
    is_whole.then(|| digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// Bytes as characters, where zeros and those of more than seven bits are three octal digits behind a backslash.
fn escaped(bytes: &[u8]) -> String {
    let character = |byte: &u8| match byte {
        b'\\' => "\\\\".to_owned(),
        0 | 128.. => format!("\\{byte:03o}"),
        byte => char::from(*byte).to_string(),
    };
    bytes.iter().map(character).collect()
}

fn from_escaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        (bytes, rest) = match (first, more) {
            (b'\\', [b'\\', more @ ..]) => ([bytes, vec![b'\\']].concat(), more),
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', more @ ..]) => {
                ([bytes, vec![(a - b'0') << 6 | (b - b'0') << 3 | (c - b'0')]].concat(), more)
            }
            (b'\\', _) => return None,
            (byte, more) => ([bytes, vec![*byte]].concat(), more),
        };
    }
    Some(bytes)
}

fn unknown_form(form: &str) -> Error {
    Error::new(Code::InvalidValue, format!("'{form}' is no form of bytes")).hint("hex, base64 and escape are known")
}

pub(super) fn encode(values: &[Value]) -> Result<Value> {
    let [bytes, Value::Text(form)] = values else { return Err(refused("encode", &Value::Null)) };
    let bytes = bytes_of(bytes)?;
    Ok(Value::Text(match form.to_lowercase().as_str() {
        "hex" => hex(&bytes),
        "base64" => base64(&bytes),
        "escape" => escaped(&bytes),
        _ => return Err(unknown_form(form)),
    }))
}

pub(super) fn decode(values: &[Value]) -> Result<Value> {
    let [Value::Text(text), Value::Text(form)] = values else { return Err(refused("decode", &Value::Null)) };
    let bytes = match form.to_lowercase().as_str() {
        "hex" => from_hex(text),
        "base64" => from_base64(text),
        "escape" => from_escaped(text),
        _ => return Err(unknown_form(form)),
    };
    let ill = || Error::new(Code::InvalidValue, format!("decode: the text is not in the form {form}"));
    bytes.map(Value::Binary).ok_or_else(ill)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub(super) fn quote_literal(values: &[Value]) -> Result<Value> {
    match values {
        [Value::Null] => Ok(Value::Text("NULL".into())),
        [value] => text_of(value).map(|text| Value::Text(quoted(&text))),
        _ => Ok(Value::Null),
    }
}

/// A name as a statement has it: quoted unless it is a plain word.
fn identifier(name: &str) -> String {
    let mut characters = name.chars();
    let begins = characters.next().is_some_and(|first| first.is_ascii_lowercase() || first == '_');
    let is_plain = begins && characters.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_');
    let is_reserved = match Token::make_word(name, None) {
        Token::Word(word) => [RESERVED_FOR_TABLE_ALIAS, RESERVED_FOR_COLUMN_ALIAS].concat().contains(&word.keyword),
        _ => false,
    };
    if is_plain && !is_reserved { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

pub(super) fn quote_ident(values: &[Value]) -> Result<Value> {
    let [name] = values else { return Ok(Value::Null) };
    text_of(name).map(|name| Value::Text(identifier(&name)))
}

fn ill_format() -> Error {
    Error::new(Code::InvalidValue, "format: a '%' is followed by [n$][-][width] and s, I or L, or by another '%'")
}

/// `%s`, `%I` and `%L` in a text, in the place of which the arguments stand.
pub(super) fn format(values: &[Value]) -> Result<Value> {
    let Some((template, arguments)) = values.split_first() else { return Ok(Value::Null) };
    let Value::Text(template) = template else { return Ok(Value::Null) };
    let (mut made, mut next) = (String::new(), 0);
    let mut pieces = template.split('%');
    made.push_str(pieces.next().unwrap_or_default());
    while let Some(piece) = pieces.next() {
        if piece.is_empty() {
            // Two signs stand for one; the second ends this piece, and its text is the next.
            let text = pieces.next().ok_or_else(ill_format)?;
            made.push('%');
            made.push_str(text);
            continue;
        }
        let kind_at = piece.find(|it: char| it.is_alphabetic()).ok_or_else(ill_format)?;
        let place = Place::read(&piece[..kind_at]).ok_or_else(ill_format)?;
        let number = place.argument.unwrap_or(next);
        next = number + 1;
        let missing = || Error::new(Code::InvalidValue, "format: there are too few arguments");
        place.put(&shown(arguments.get(number).ok_or_else(missing)?, &piece[kind_at..=kind_at])?, &mut made);
        made.push_str(&piece[kind_at + 1..]);
    }
    Ok(Value::Text(made))
}

fn shown(value: &Value, kind: &str) -> Result<String> {
    match (kind, value) {
        ("s", Value::Null) => Ok(String::new()),
        ("s", value) => text_of(value),
        ("L", Value::Null) => Ok("NULL".into()),
        ("L", value) => Ok(quoted(&text_of(value)?)),
        ("I", Value::Null) => Err(Error::new(Code::InvalidValue, "format: NULL is no name")),
        ("I", value) => Ok(identifier(&text_of(value)?)),
        _ => Err(ill_format()),
    }
}

/// Where a text stands that `format` puts in.
struct Place {
    /// The argument that is named, from 0.
    argument: Option<usize>,
    width: usize,
    at_left: bool,
}

impl Place {
    fn read(text: &str) -> Option<Place> {
        let (argument, rest) = match text.split_once('$') {
            Some((number, rest)) => (Some(number.parse::<usize>().ok()?.checked_sub(1)?), rest),
            None => (None, text),
        };
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let width = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        (width <= MAX_WIDTH).then_some(Place { argument, width, at_left: digits.len() < rest.len() })
    }

    fn put(&self, text: &str, made: &mut String) {
        let blanks = " ".repeat(self.width.saturating_sub(text.chars().count()));
        let (first, second) = if self.at_left { (text, blanks.as_str()) } else { (blanks.as_str(), text) };
        made.push_str(first);
        made.push_str(second);
    }
}

/// The digits behind the point of a number whose template is no constant.
pub(super) const DECIMALS: usize = 10;

/// The digits that a template of `to_number` has behind its point.
pub(super) fn decimals(template: &str) -> usize {
    let behind = template.to_uppercase().replace('D', ".").split_once('.').map(|(_, behind)| behind.to_owned());
    behind.map_or(0, |behind| behind.chars().filter(|it| matches!(it, '9' | '0')).count())
}

/// The number that a text has in the places of a template: blanks, group signs and currencies count for nothing, a `-` at
/// either end and `<...>` are a sign.
pub(super) fn to_number(values: &[Value]) -> Result<Value> {
    let [Value::Text(text), Value::Text(template)] = values else { return Err(refused("to_number", &Value::Null)) };
    let ill = || Error::new(Code::InvalidValue, format!("to_number: '{text}' is no number of the form {template}"));
    let upper = template.to_uppercase();
    if upper.contains("RN") || upper.contains("EEEE") || upper.contains('V') {
        return Err(Error::new(Code::Unsupported, format!("to_number by the template {template}")));
    }
    let scale = decimals(template);
    let (mut number, mut is_negative, mut behind) = (String::new(), false, None);
    for character in text.chars() {
        match character {
            digit if digit.is_ascii_digit() => {
                // Digits that the template has no place for are left out.
                if behind.is_none_or(|behind| behind < scale) {
                    number.push(digit);
                    behind = behind.map(|behind| behind + 1);
                }
            }
            '.' if scale > 0 && behind.is_none() => {
                number.push('.');
                behind = Some(0);
            }
            '.' => break,
            '-' | '<' => is_negative = true,
            '+' | '>' | ',' | '$' | '€' | '£' | '%' => {}
            blank if blank.is_whitespace() => {}
            _ => return Err(ill()),
        }
    }
    let number: Decimal = number.trim_end_matches('.').parse().map_err(|_| ill())?;
    Ok(Value::Decimal(if is_negative { Decimal::new(-number.unscaled, number.scale) } else { number }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_their_forms() {
        let long: Vec<u8> = (0..100).collect();
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\0\\\xff", &long] {
            assert_eq!(from_base64(&base64(bytes)).as_deref(), Some(bytes));
            assert_eq!(from_hex(&hex(bytes)).as_deref(), Some(bytes));
            assert_eq!(from_escaped(&escaped(bytes)).as_deref(), Some(bytes));
        }
        assert_eq!((base64(b"ab"), escaped(b"\0\\\xffa")), ("YWI=".into(), "\\000\\\\\\377a".into()));
        assert_eq!(base64(&long).lines().map(str::len).collect::<Vec<_>>(), [76, 60]);
        for wrong in ["a", "ab=c", "====", "a===", "YWI=YWI="] {
            assert_eq!(from_base64(wrong), None, "{wrong}");
        }
        assert_eq!((from_hex("0g"), from_hex("012"), from_escaped("\\9")), (None, None, None));
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(
            ["a_1", "A", "select", "a b", "1a"].map(identifier),
            ["a_1", "\"A\"", "\"select\"", "\"a b\"", "\"1a\""]
        );
    }
}
