//! Functions that make texts: CONCAT, REPLACE, STUFF, REPLICATE, STR, QUOTENAME, UPPER and their like.

use super::binding::{Binding, Call, float, integer, text, value};
use super::strings::resized;
use super::{Function, search};
use crate::messages::Message;
use crate::text::{self as units, Encoding};
use crate::types::{DataType, Length};
use mainstay_character_sets::CodePage;
use mainstay_types::{Value, ValueRef};
use std::borrow::Cow;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("CHAR", (1, 1), |b| b.integer(0).map(|_| DataType::char(1)), character),
    Function::new("NCHAR", (1, 1), |b| b.integer(0).map(|_| DataType::NChar(1)), national_character),
    Function::new("CONCAT", (2, 254), concat_type, concat).sees_nulls(),
    Function::new("CONCAT_WS", (3, 254), concat_type, concat_ws).sees_nulls(),
    Function::new("LOWER", (1, 1), same_text, |_, values| Ok(Value::Text(text(values, 0).to_lowercase()))),
    Function::new("UPPER", (1, 1), same_text, |call, values| Ok(Value::Text(upper(call, text(values, 0))))),
    Function::new("REVERSE", (1, 1), same_text, |_, values| Ok(Value::Text(text(values, 0).chars().rev().collect()))),
    Function::new("QUOTENAME", (1, 2), quote_name_type, quote_name).sees_nulls(),
    Function::new("REPLACE", (3, 3), replace_type, replace),
    Function::new("REPLICATE", (2, 2), replicate_type, replicate),
    Function::new("SPACE", (1, 1), space_type, space),
    Function::new("STR", (1, 3), str_type, str),
    Function::new("STUFF", (4, 4), stuff_type, stuff).sees_nulls(),
    Function::new("TRANSLATE", (3, 3), translate_type, translate),
    Function::new("STRING_ESCAPE", (2, 2), escape_type, escape),
];

/// The longest text that a function makes of its own accord: a quarter of a GB, where SQL Server has two, so that one call
/// cannot take all memory.
const MAX_BYTES: usize = 1 << 28;

fn character(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let byte = u8::try_from(integer(values, 0)).ok();
    Ok(byte.map_or(Value::Null, |byte| Value::Text(CodePage::DEFAULT.decode(&[byte]))))
}

fn national_character(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let code = u32::try_from(integer(values, 0)).ok().filter(|code| *code <= 0xFFFF);
    // Half of a two-unit character cannot be shown.
    Ok(code.map_or(Value::Null, |code| Value::Text(char::from_u32(code).unwrap_or('\u{FFFD}').to_string())))
}

/// A text as long as all arguments together.
fn concat_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let (mut encoding, mut length, mut max) = (Encoding::DEFAULT, 0usize, false);
    for index in 0..binding.count() {
        if binding.argument(index).is_null() {
            binding.become_type(index, DataType::varchar(Length::Limited(1)));
            continue;
        }
        let data_type = binding.text(index)?;
        encoding = encoding.meet(data_type.encoding());
        match data_type.limit() {
            Some(limit) => length += usize::from(limit),
            None => max = true,
        }
    }
    if binding.name == "concat_ws" {
        let separator = binding.types.first().and_then(|(_, to)| to.limit()).unwrap_or(1);
        length += usize::from(separator) * binding.count().saturating_sub(3);
    }
    Ok(if max { DataType::string_max(encoding) } else { DataType::string(encoding, length) })
}

fn concat(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let mut joined = String::new();
    values.iter().enumerate().for_each(|(index, _)| joined.push_str(text(values, index)));
    Ok(limited(call, joined))
}

fn concat_ws(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let separator = text(values, 0);
    let mut joined = String::new();
    let mut first = true;
    for value in values.iter().skip(1) {
        let ValueRef::Text(text) = value else { continue };
        if !first {
            joined.push_str(separator);
        }
        first = false;
        joined.push_str(text);
    }
    Ok(limited(call, joined))
}

/// A text of the result's type: in its code page, cut at its limit.
fn limited(call: &Call<'_>, text: String) -> Value {
    let encoding = call.bound.result.encoding();
    let mut text = match encoding.kept(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(kept) => kept,
    };
    if let Some(limit) = call.bound.result.limit()
        && text.len() > usize::from(limit)
    {
        encoding.cut(&mut text, limit.into());
    }
    Value::Text(text)
}

fn same_text(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    Ok(resized(binding.text(0)?, None))
}

/// Letters whose upper case is of two characters stay as they are, so lengths do not change.
fn upper(call: &Call<'_>, text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    let one = |c: char| {
        let mut upper = c.to_uppercase();
        match (upper.next(), upper.next()) {
            (Some(single), None) => single,
            _ => c,
        }
    };
    let upper: String = text.chars().map(one).collect();
    // In code page 1252 `ÿ` has its upper case, `ƒ` has none.
    let Some(page) = call.bound.result.code_page() else { return upper };
    let pairs = text.chars().zip(upper.chars());
    pairs.map(|(from, to)| if page.has(to) { to } else { from }).collect()
}

fn quote_name_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.implicit(0, DataType::NVarChar(Length::Limited(4000)))?;
    if binding.count() > 1 {
        binding.text(1)?;
    }
    Ok(DataType::NVarChar(Length::Limited(258)))
}

/// A name between brackets, quotes, ..., with the closing one doubled within it; longer than 128 is NULL.
fn quote_name(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let ValueRef::Text(name) = value(values, 0) else { return Ok(Value::Null) };
    let mark = match values.get(1) {
        None => Some('['),
        Some(ValueRef::Text(mark)) => mark.chars().next(),
        Some(_) => None,
    };
    let (open, close) = match mark {
        Some('[' | ']') => ('[', ']'),
        Some(mark @ ('\'' | '"' | '`')) => (mark, mark),
        Some('(' | ')') => ('(', ')'),
        Some('<' | '>') => ('<', '>'),
        Some('{' | '}') => ('{', '}'),
        _ => return Ok(Value::Null),
    };
    if units::length(name, true) > 128 {
        return Ok(Value::Null);
    }
    let doubled = name.replace(close, &format!("{close}{close}"));
    Ok(Value::Text(format!("{open}{doubled}{close}")))
}

/// The type of a text that may grow: as long as a type without MAX can be.
fn grown(types: &[DataType]) -> DataType {
    let encoding = types.iter().map(|data_type| data_type.encoding()).fold(Encoding::DEFAULT, Encoding::meet);
    match types.iter().any(|data_type| data_type.limit().is_none()) {
        true => DataType::string_max(encoding),
        false => DataType::string(encoding, 8000),
    }
}

fn replace_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    Ok(grown(&[binding.text(0)?, binding.text(1)?, binding.text(2)?]))
}

fn replace(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (within, pattern, replacement) = (text(values, 0), text(values, 1), text(values, 2));
    let mut out = String::new();
    let mut from = 0;
    while let Some((start, end)) = search::find(within, pattern, from, call.collation()) {
        out.push_str(within.get(from..start).unwrap_or_default());
        out.push_str(replacement);
        from = end;
        if out.len() > MAX_BYTES {
            return Err(too_long());
        }
    }
    out.push_str(within.get(from..).unwrap_or_default());
    Ok(limited(call, out))
}

/// A text beyond what a value may have.
fn too_long() -> Message {
    Message::numbered(7119, &[&i32::MAX])
}

fn replicate_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = binding.text(0)?;
    binding.integer(1)?;
    let count = binding.argument(1).constant_integer().and_then(|count| usize::try_from(count).ok());
    Ok(match data_type.limit() {
        Some(limit) => {
            let length = count.map_or(8000, |count| usize::from(limit).saturating_mul(count));
            DataType::string(data_type.encoding(), length)
        }
        None => data_type,
    })
}

fn replicate(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let Ok(count) = usize::try_from(integer(values, 1)) else { return Ok(Value::Null) };
    let piece = text(values, 0);
    let limit = call.bound.result.limit().map(|limit| usize::from(limit) * 4);
    let count = match limit {
        Some(limit) if !piece.is_empty() => count.min(limit / piece.len() + 1),
        _ => count,
    };
    match piece.len().checked_mul(count) {
        Some(length) if length <= MAX_BYTES => Ok(limited(call, piece.repeat(count))),
        _ => Err(too_long()),
    }
}

fn space_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.integer(0)?;
    let count = binding.argument(0).constant_integer().and_then(|count| usize::try_from(count).ok());
    Ok(DataType::string(Encoding::DEFAULT, count.unwrap_or(8000)))
}

fn space(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let count = usize::try_from(integer(values, 0)).ok();
    Ok(count.map_or(Value::Null, |count| Value::Text(" ".repeat(count.min(8000)))))
}

fn str_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.float(0)?;
    for index in 1..binding.count() {
        binding.integer(index)?;
    }
    let length = binding.arguments.get(1).map_or(Some(10), |argument| argument.constant_integer());
    let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(8000);
    Ok(DataType::string(Encoding::DEFAULT, length))
}

/// A number in a field: stars when its whole part has no room, fewer decimals when they have none.
fn str(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let length = if values.len() > 1 { integer(values, 1) } else { 10 };
    let decimals = if values.len() > 2 { integer(values, 2) } else { 0 };
    let (Ok(length), Ok(decimals)) = (usize::try_from(length), usize::try_from(decimals)) else {
        return Ok(Value::Null);
    };
    if length == 0 || length > 8000 {
        return Ok(Value::Null);
    }
    let number = float(values, 0);
    let whole = fixed(number, 0);
    if whole.len() > length {
        return Ok(Value::Text("*".repeat(length)));
    }
    let room = length.saturating_sub(fixed(number.trunc(), 0).len() + 1);
    let mut shown = fixed(number, decimals.min(16).min(room));
    if shown.len() > length {
        shown = whole;
    }
    Ok(Value::Text(format!("{shown:>length$}")))
}

/// A number with so many decimals: of its first seventeen digits, halves away from zero.
fn fixed(number: f64, decimals: usize) -> String {
    let exact = crate::convert::from_float(number, decimals as u8);
    exact.map_or_else(|| format!("{number:.decimals$}"), |exact| exact.to_string())
}

fn stuff_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = binding.text(0)?;
    binding.integer(1)?;
    binding.integer(2)?;
    let inserted = binding.text(3)?;
    let encoding = data_type.encoding().meet(inserted.encoding());
    Ok(match (data_type.limit(), inserted.limit()) {
        (Some(limit), Some(inserted)) => {
            // The number of characters that are certainly removed.
            let constant = |index: usize| {
                let number = binding.argument(index).constant_integer();
                number.and_then(|number| usize::try_from(number).ok())
            };
            let (limit, start, length) = (usize::from(limit), constant(1), constant(2));
            let removed = start.zip(length).map_or(0, |(start, length)| length.min((limit + 1).saturating_sub(start)));
            DataType::string(encoding, limit - removed.min(limit) + usize::from(inserted))
        }
        _ => DataType::string_max(encoding),
    })
}

/// Some characters replaced by a text, or by nothing when that is NULL.
fn stuff(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (ValueRef::Text(within), ValueRef::Integer(start), ValueRef::Integer(length)) =
        (value(values, 0), value(values, 1), value(values, 2))
    else {
        return Ok(Value::Null);
    };
    let national = call.is_national(0);
    let (Ok(start), Ok(length)) = (usize::try_from(start), usize::try_from(length)) else { return Ok(Value::Null) };
    if start == 0 || start > units::length(within, national) {
        return Ok(Value::Null);
    }
    let from = units::offset(within, start - 1, national);
    let to = units::offset(within, (start - 1).saturating_add(length), national);
    let before = within.get(..from).unwrap_or_default();
    let behind = within.get(to..).unwrap_or_default();
    Ok(limited(call, [before, text(values, 3), behind].concat()))
}

fn translate_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = binding.text(0)?;
    binding.text(1)?;
    binding.text(2)?;
    Ok(grown(&[data_type]))
}

/// Each character of one list becomes the one at its place in the other.
fn translate(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (from, to): (Vec<char>, Vec<char>) = (text(values, 1).chars().collect(), text(values, 2).chars().collect());
    if from.len() != to.len() {
        return Err(Message::numbered(9828, &[]));
    }
    let collation = call.collation();
    let same =
        |a: char, b: char| a == b || collation.compare(a.encode_utf8(&mut [0; 4]), b.encode_utf8(&mut [0; 4])).is_eq();
    let one = |c: char| from.iter().position(|f| same(*f, c)).and_then(|at| to.get(at)).copied().unwrap_or(c);
    Ok(Value::Text(text(values, 0).chars().map(one).collect()))
}

fn escape_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.implicit(0, DataType::NVarChar(Length::Max))?;
    binding.text(1)?;
    Ok(DataType::NVarChar(Length::Max))
}

/// Only the rules of JSON are known.
fn escape(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    if !text(values, 1).eq_ignore_ascii_case("json") {
        return Err(Message::error(13613, "An invalid value was specified for argument 2."));
    }
    Ok(Value::Text(json_escaped(text(values, 0))))
}

/// A text as JSON writes it between quotes.
pub fn json_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '/' => out.push_str("\\/"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if u32::from(control) < 32 => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out
}
