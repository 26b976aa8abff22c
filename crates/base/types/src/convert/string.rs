//! Text and bytes.

use super::{mismatch, shown};
use crate::{Code, Error, Result, SqlType, ValueRef, uuid};

/// Text of at most `length` characters, or of exactly that many with `padded`.
pub(super) fn text(value: ValueRef<'_>, length: Option<u32>, padded: bool, to: SqlType) -> Result<String> {
    let mut text = match value {
        ValueRef::Text(text) => fitted(text, length, value, to)?.to_owned(),
        other => {
            let plain = plain(other).ok_or_else(|| mismatch(other, to))?;
            fitted(&plain, length, value, to)?;
            plain
        }
    };
    if let (true, Some(length)) = (padded, length) {
        let missing = (length as usize).saturating_sub(text.chars().count());
        text.extend(std::iter::repeat_n(' ', missing));
    }
    Ok(text)
}

/// The text, or as much of it as fits if only blanks do not.
fn fitted<'a>(text: &'a str, length: Option<u32>, value: ValueRef<'_>, to: SqlType) -> Result<&'a str> {
    // A text has at most as many characters as bytes, so most need not be counted.
    let Some(length) = length.map(|length| length as usize).filter(|length| text.len() > *length) else {
        return Ok(text);
    };
    match text.char_indices().nth(length) {
        Some((end, _)) if text[end..].bytes().all(|byte| byte == b' ') => Ok(&text[..end]),
        Some(_) => Err(too_long(text.chars().count(), "characters", value, to)),
        None => Ok(text),
    }
}

fn too_long(length: usize, unit: &str, value: ValueRef<'_>, to: SqlType) -> Error {
    Error::new(Code::InvalidValue, format!("{} is too long for {to}: it has {length} {unit}", shown(value)))
}

/// A value as plain text, without the quotes and words of a literal.
fn plain(value: ValueRef<'_>) -> Option<String> {
    Some(match value {
        ValueRef::Boolean(value) => value.to_string(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Decimal(number) => number.to_string(),
        ValueRef::Float(number) => plain_double(number),
        ValueRef::Date(day) => day.to_string(),
        ValueRef::Time(time) => time.to_string(),
        ValueRef::Timestamp(moment) => moment.to_string(),
        ValueRef::TimestampWithOffset { utc, offset_minutes } => utc.display_with_offset(offset_minutes).to_string(),
        ValueRef::Interval(interval) => interval.to_string(),
        ValueRef::Uuid(uuid) => uuid::display(uuid).to_string(),
        ValueRef::Text(text) => text.to_owned(),
        ValueRef::Null | ValueRef::Binary(_) => return None,
    })
}

/// The shortest text that reads as this double; with an exponent where it would have many zeros.
fn plain_double(number: f64) -> String {
    let size = number.abs();
    let readable = size == 0.0 || (1e-5..1e16).contains(&size) || !number.is_finite();
    if readable { number.to_string() } else { format!("{number:e}") }
}

/// At most `length` bytes, or exactly that many with `padded`.
pub(super) fn binary(value: ValueRef<'_>, length: Option<u32>, padded: bool, to: SqlType) -> Result<Vec<u8>> {
    let mut bytes = match &value {
        ValueRef::Binary(bytes) => bytes.to_vec(),
        ValueRef::Uuid(uuid) => uuid.to_vec(),
        ValueRef::Text(text) => bytes_in_hex(text).ok_or_else(|| {
            let error = mismatch(value, to);
            if error.hint_text().is_some() { error } else { error.hint("bytes as text are written '\\x00ff'") }
        })?,
        _ => return Err(mismatch(value, to)),
    };
    let Some(length) = length.map(|length| length as usize) else { return Ok(bytes) };
    if bytes.len() > length {
        return Err(too_long(bytes.len(), "bytes", value, to));
    }
    if padded {
        bytes.resize(length, 0);
    }
    Ok(bytes)
}

/// The bytes of a text as bytes are shown: `\x`, and two hexadecimal digits for each.
fn bytes_in_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_matches(' ').strip_prefix("\\x")?.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pair = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8);
    digits.chunks(2).map(pair).collect()
}
