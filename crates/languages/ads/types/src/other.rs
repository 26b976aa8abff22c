//! The other functions: NULL, emptiness, GUIDs, Base64, full text search. Source: the help pages "Miscellaneous Functions" and
//! "Full Text Search Conditions".

use crate::failure::Failure;
use crate::function::{Arguments, Function, Gives, Outcome, plain};
use crate::words::with_condition;
use mainstay_full_text::Prepared;
use mainstay_types::{Value, ValueRef, uuid};
use std::borrow::Cow;
use std::sync::atomic::Ordering;

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) const FUNCTIONS: &[Function] = &[
    plain("base64encode", (1, 1), Gives::Text, |it| Ok(Value::Text(encode(bytes(it)?)))),
    plain("base64decode", (1, 1), Gives::Binary, decode),
    plain("empty", (1, 1), Gives::Logical, empty).with_null(),
    plain("newid", (0, 0), Gives::Text, |it| Ok(Value::Text(uuid::display(new_id(it)).to_string()))).volatile(),
    plain("newidstring", (0, 1), Gives::Text, new_id_string).volatile(),
    plain("contains", (2, 2), Gives::Logical, |it| {
        searched(it, |condition, text| Value::Boolean(condition.holds(&[Some(text)]).unwrap_or(false)))
    }),
    plain("score", (2, 2), Gives::Integer, |it| searched(it, |condition, text| count(condition, text, false))),
    plain("scoredistinct", (2, 2), Gives::Integer, |it| searched(it, |condition, text| count(condition, text, true))),
];

fn count(condition: &Prepared, text: &str, is_distinct: bool) -> Value {
    Value::Integer(i64::try_from(condition.score(&[Some(text)], is_distinct)).unwrap_or(i64::MAX))
}

fn searched(it: &Arguments<'_>, work: impl FnOnce(&Prepared, &str) -> Value) -> Outcome {
    let text = match it.value(0) {
        ValueRef::Text(text) => Cow::Borrowed(text),
        // Documents in a field of bytes: invalid UTF-8 matches no word.
        ValueRef::Binary(bytes) => String::from_utf8_lossy(bytes),
        _ => return Err(it.refused()),
    };
    with_condition(it.text(1)?, |condition| work(condition, &text))
}

fn bytes<'a>(it: &Arguments<'a>) -> Result<&'a [u8], Failure> {
    match it.value(0) {
        ValueRef::Text(text) => Ok(text.as_bytes()),
        ValueRef::Binary(bytes) => Ok(bytes),
        _ => Err(it.refused()),
    }
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = (number >> (18 - 6 * place)) & 63;
            let letter = BASE64.get(digit as usize).copied().unwrap_or(b'=');
            text.push(if place > group.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

fn decode(it: &Arguments<'_>) -> Outcome {
    let (mut result, mut number, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in it.text(0)?.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let digit = BASE64.iter().position(|known| *known == letter).ok_or_else(|| it.refused())?;
        number = (number << 6 | digit as u32) & 0xFF_FFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            result.push((number >> bits) as u8);
        }
    }
    Ok(Value::Binary(result))
}

/// NULL, blanks, zero and FALSE are empty.
fn empty(it: &Arguments<'_>) -> Outcome {
    Ok(Value::Boolean(match it.value(0) {
        ValueRef::Null | ValueRef::Boolean(false) => true,
        ValueRef::Text(text) => text.trim().is_empty(),
        ValueRef::Binary(bytes) => bytes.is_empty(),
        other => other.as_f64() == Some(0.0),
    }))
}

/// A random UUID (version 4).
fn new_id(it: &Arguments<'_>) -> [u8; 16] {
    let mut bytes = [0_u8; 16];
    for half in bytes.chunks_mut(8) {
        let counter = it.context.seed.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        let mut mixed = (counter ^ counter >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        half.copy_from_slice(&(mixed ^ mixed >> 31).to_be_bytes());
    }
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    bytes
}

/// A new GUID as text: D (with dashes), N (digits), B (in braces), P (in parentheses), M (Base64), F (for files).
fn new_id_string(it: &Arguments<'_>) -> Outcome {
    let id = new_id(it);
    let dashed = uuid::display(id).to_string();
    let format = if it.count() > 0 { it.text(0)?.to_ascii_uppercase() } else { "D".to_owned() };
    Ok(Value::Text(match format.as_str() {
        "D" | "DELIMITED" => dashed,
        "N" | "NUMBERS" => dashed.replace('-', ""),
        "B" | "BRACKETED" => format!("{{{dashed}}}"),
        "P" | "PARENTHESIS" => format!("({dashed})"),
        "M" | "MIME" => encode(&id),
        "F" | "FILE" => encode(&id).trim_end_matches('=').replace('+', "-").replace('/', "_"),
        _ => return Err(it.refused()),
    }))
}
