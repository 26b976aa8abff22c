//! Functions that examine texts or take parts of them: LEN, LEFT, SUBSTRING, CHARINDEX, PATINDEX, TRIM and their like.

use super::binding::{Binding, Call, integer, text, value};
use super::{Function, search};
use crate::messages::Message;
use crate::operators::Like;
use crate::text as units;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("ASCII", (1, 1), text_to_int, ascii),
    Function::new("UNICODE", (1, 1), text_to_int, unicode),
    Function::new("LEN", (1, 1), len_type, len),
    Function::new("DATALENGTH", (1, 1), data_length_type, data_length),
    Function::new("LEFT", (2, 2), side_type, left),
    Function::new("RIGHT", (2, 2), side_type, right),
    Function::new("SUBSTRING", (3, 3), substring_type, substring),
    Function::new("CHARINDEX", (2, 3), char_index_type, char_index),
    Function::new("PATINDEX", (2, 2), pattern_index_type, pattern_index),
    Function::new("LTRIM", (1, 2), trim_type, |_, values| Ok(trimmed(values, true, false))),
    Function::new("RTRIM", (1, 2), trim_type, |_, values| Ok(trimmed(values, false, true))),
    // TRIM(characters FROM text) has the text as its first argument here too; TRIM(LEADING ..) is LTRIM.
    Function::new("TRIM", (1, 2), trim_type, |_, values| Ok(trimmed(values, true, true))),
    Function::new("DIFFERENCE", (2, 2), difference_type, difference),
    Function::new("SOUNDEX", (1, 1), soundex_type, |_, values| Ok(Value::Text(soundex_code(text(values, 0))))),
    Function::new("PARSENAME", (2, 2), parse_name_type, parse_name).sees_nulls(),
];

fn text_to_int(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.text(0)?;
    Ok(DataType::Int)
}

/// The code of the first character; NULL for an empty text.
fn ascii(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    // Of a character of several bytes it is the first.
    let page = call.argument_type(0).code_page().unwrap_or_default();
    let mut buffer = [0; 4];
    let first = text(values, 0).chars().next().map(|c| page.encode(c.encode_utf8(&mut buffer)));
    let byte = first.and_then(|bytes| bytes.first().copied());
    Ok(byte.map_or(Value::Null, |byte| Value::Integer(i64::from(byte))))
}

fn unicode(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(text(values, 0).encode_utf16().next().map_or(Value::Null, |unit| Value::Integer(i64::from(unit))))
}

/// BIGINT for the MAX types, INT for the others.
fn count_type(data_type: DataType) -> DataType {
    match data_type.length() {
        Some(Length::Max) if !data_type.is_large_object() => DataType::BigInt,
        _ => DataType::Int,
    }
}

fn len_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    // Bytes are counted as they are.
    if let Some(data_type @ (DataType::Binary(_) | DataType::VarBinary(_))) = binding.argument(0).data_type {
        return Ok(count_type(data_type));
    }
    Ok(count_type(binding.text(0)?))
}

fn len(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let length = match value(values, 0) {
        // Bytes that are blanks count as such.
        ValueRef::Binary(bytes) => bytes.len() - bytes.iter().rev().take_while(|byte| **byte == b' ').count(),
        _ => units::length(text(values, 0).trim_end_matches(' '), call.is_national(0)),
    };
    Ok(Value::Integer(length as i64))
}

fn data_length_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    Ok(count_type(binding.argument(0).data_type_or_int()))
}

fn data_length(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let data_type = call.argument_type(0);
    let length = match value(values, 0) {
        ValueRef::Text(text) if data_type.is_national() => units::length(text, true) * 2,
        ValueRef::Text(text) => data_type.encoding().size(text),
        ValueRef::Binary(bytes) => bytes.len(),
        // The size of the digits, independent of the type's precision.
        ValueRef::Decimal(number) if !data_type.is_money() => {
            let words = number.unscaled.unsigned_abs().checked_ilog2().map_or(1, |bits| bits as usize / 32 + 1);
            1 + 4 * words
        }
        _ if data_type == DataType::UniqueIdentifier => 16,
        _ => data_type.max_length().unsigned_abs().into(),
    };
    Ok(Value::Integer(length as i64))
}

/// A text type of another length: what is fixed varies from here on.
pub(super) fn resized(data_type: DataType, length: Option<usize>) -> DataType {
    let encoding = data_type.encoding();
    match (data_type.limit(), length) {
        (Some(limit), Some(length)) => DataType::string(encoding, encoding.room_for(length).min(limit.into())),
        (Some(limit), None) => DataType::string(encoding, limit.into()),
        (None, _) => DataType::string_max(encoding),
    }
}

fn side_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = binding.text(0)?;
    binding.integer(1)?;
    let length = binding.argument(1).constant_integer().and_then(|length| usize::try_from(length).ok());
    Ok(resized(data_type, length))
}

/// A count that may not be negative: 536, and 537 for LEFT and SUBSTRING.
fn count(call: &Call<'_>, values: &[ValueRef<'_>], index: usize) -> Result<usize, Message> {
    usize::try_from(integer(values, index)).map_err(|_| match call.bound.function.name {
        "LEFT" | "SUBSTRING" => Message::numbered(537, &[]).state(3),
        _ => Message::numbered(536, &[&call.name()]).state(4),
    })
}

fn left(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let count = count(call, values, 1)?;
    Ok(Value::Text(units::left(text(values, 0), count, call.is_national(0)).to_owned()))
}

fn right(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let count = count(call, values, 1)?;
    Ok(Value::Text(units::right(text(values, 0), count, call.is_national(0)).to_owned()))
}

fn substring_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = match binding.argument(0).data_type {
        Some(data_type) if data_type.is_binary() => data_type,
        Some(data_type) if data_type.is_text() => binding.text_or_large(0)?,
        _ => return Err(binding.invalid(0)),
    };
    binding.integer(1)?;
    binding.integer(2)?;
    let length = binding.argument(2).constant_integer().and_then(|length| usize::try_from(length).ok());
    Ok(match (data_type.is_binary(), data_type.limit()) {
        (false, _) => resized(data_type, length),
        (true, Some(limit)) => {
            let length = length.map_or(limit, |length| length.clamp(1, limit.into()) as u16);
            DataType::VarBinary(Length::Limited(length))
        }
        (true, None) => DataType::VarBinary(Length::Max),
    })
}

/// Positions count from 1; those before it take their share of the length.
fn substring(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (start, length) = (integer(values, 1), count(call, values, 2)?);
    let end = start.saturating_add(length as i64).max(1);
    let skip = (start.max(1) - 1) as usize;
    let take = ((end - 1) as usize).saturating_sub(skip);
    Ok(match value(values, 0) {
        ValueRef::Binary(bytes) => {
            let from = skip.min(bytes.len());
            let to = from.saturating_add(take).min(bytes.len());
            Value::Binary(bytes.get(from..to).unwrap_or_default().to_vec())
        }
        _ => Value::Text(units::middle(text(values, 0), skip, take, call.is_national(0)).to_owned()),
    })
}

fn char_index_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    // The pattern has to be a text; the searched value is converted to one.
    if binding.argument(0).data_type.is_some_and(|data_type| !data_type.is_string() && !data_type.is_binary()) {
        return Err(binding.invalid(0));
    }
    binding.text(0)?;
    let within = binding.text_or_large(1)?;
    if binding.count() > 2 {
        binding.integer(2)?;
    }
    Ok(count_type(within))
}

fn char_index(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (needle, haystack, national) = (text(values, 0), text(values, 1), call.is_national(1));
    let start = usize::try_from(integer(values, 2).saturating_sub(1)).unwrap_or(0);
    let from = units::offset(haystack, start, national);
    let found = search::find(haystack, needle, from, call.collation());
    let position = found.and_then(|(at, _)| haystack.get(..at)).map_or(0, |before| units::length(before, national) + 1);
    Ok(Value::Integer(position as i64))
}

fn pattern_index_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if !binding.argument(1).data_type.is_some_and(DataType::is_text) {
        return Err(binding.invalid(1));
    }
    binding.text(0)?;
    Ok(count_type(binding.text_or_large(1)?))
}

fn pattern_index(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let national = call.is_national(0) || call.is_national(1);
    let like = Like::new(text(values, 0), None, call.collation(), national)?;
    Ok(Value::Integer(like.find(text(values, 1)).map_or(0, |at| at as i64 + 1)))
}

fn trim_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = binding.text(0)?;
    if binding.count() > 1 {
        binding.text(1)?;
    }
    Ok(resized(data_type, None))
}

fn trimmed(values: &[ValueRef<'_>], front: bool, back: bool) -> Value {
    let set = if values.len() > 1 { text(values, 1) } else { " " };
    let among = |c: char| set.contains(c);
    let mut trimmed = text(values, 0);
    if front {
        trimmed = trimmed.trim_start_matches(among);
    }
    if back {
        trimmed = trimmed.trim_end_matches(among);
    }
    Value::Text(trimmed.to_owned())
}

fn soundex_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.text(0)?;
    Ok(DataType::varchar(Length::Limited(4)))
}

fn difference_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.text(0)?;
    binding.text(1)?;
    Ok(DataType::Int)
}

/// The number of places, of four, in which two codes agree.
fn difference(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (a, b) = (soundex_code(text(values, 0)), soundex_code(text(values, 1)));
    let same = a.bytes().zip(b.bytes()).filter(|(a, b)| a == b).count();
    Ok(Value::Integer(same as i64))
}

/// The first letter and the classes of the consonants behind it. H and W do not part letters of one class, vowels do.
fn soundex_code(text: &str) -> String {
    let class = |c: u8| match c.to_ascii_uppercase() {
        b'B' | b'F' | b'P' | b'V' => b'1',
        b'C' | b'G' | b'J' | b'K' | b'Q' | b'S' | b'X' | b'Z' => b'2',
        b'D' | b'T' => b'3',
        b'L' => b'4',
        b'M' | b'N' => b'5',
        b'R' => b'6',
        b'H' | b'W' => b'-',
        _ => b'0',
    };
    let mut letters = text.bytes();
    let Some(first) = letters.next().filter(u8::is_ascii_alphabetic) else { return "0000".to_owned() };
    let mut code = String::from(char::from(first.to_ascii_uppercase()));
    let mut last = class(first);
    for letter in letters.take_while(u8::is_ascii_alphabetic) {
        let class = class(letter);
        if class == b'-' {
            continue;
        }
        if class != b'0' && class != last {
            code.push(char::from(class));
        }
        last = class;
    }
    code.truncate(4);
    format!("{code:0<4}")
}

fn parse_name_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.implicit(0, DataType::NVarChar(Length::Limited(4000)))?;
    binding.integer(1)?;
    Ok(DataType::NVarChar(Length::Limited(128)))
}

/// A part of a name: 1 object, 2 schema, 3 database, 4 server.
fn parse_name(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (ValueRef::Text(name), ValueRef::Integer(part)) = (value(values, 0), value(values, 1)) else {
        return Ok(Value::Null);
    };
    let part =
        usize::try_from(part.saturating_sub(1)).ok().and_then(|part| name_parts(name)?.into_iter().rev().nth(part));
    Ok(part.filter(|part| !part.is_empty() && part.encode_utf16().count() <= 128).map_or(Value::Null, Value::Text))
}

/// The parts of a name between points, without their brackets or quotes; `None` if it is no name of four parts at most.
fn name_parts(name: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = name;
    loop {
        let close = match rest.chars().next() {
            Some('[') => Some(']'),
            Some('"') => Some('"'),
            _ => None,
        };
        let (part, behind) = match close {
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let (part, behind) = rest.split_at(end);
                (part.to_owned(), behind)
            }
            Some(close) => quoted(rest.get(1..)?, close)?,
        };
        parts.push(part);
        match behind.strip_prefix('.') {
            Some(next) => rest = next,
            None if behind.is_empty() => break,
            None => return None,
        }
    }
    (parts.len() <= 4).then_some(parts)
}

/// A text up to its closing mark, which counts as itself when it is doubled, and what is behind it.
fn quoted(text: &str, close: char) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let at = rest.find(close)?;
        part.push_str(rest.get(..at)?);
        rest = rest.get(at + 1..)?;
        match rest.strip_prefix(close) {
            Some(behind) => {
                part.push(close);
                rest = behind;
            }
            None => return Some((part, rest)),
        }
    }
}
