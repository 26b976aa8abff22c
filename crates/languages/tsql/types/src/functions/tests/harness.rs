//! Evaluates a call such as `LEFT('abc', 2)` and prints its result.
//!
//! Arguments are constants, NULL, bare words, calls themselves, or a constant with its type: `'2024-01-31':date`.

use super::super::find;
use crate::argument::Argument;
use crate::context::{Context, Random};
use crate::convert::convert;
use crate::literal::literal;
use crate::messages::Message;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};

/// An argument with its value.
struct Read {
    data_type: Option<DataType>,
    value: Value,
    word: Option<String>,
    constant: bool,
    json: bool,
}

/// The arguments between parentheses, cut at the commas that are in neither quotes nor parentheses.
fn arguments(text: &str) -> Vec<String> {
    let (mut depth, mut quoted, mut parts, mut part) = (0, false, Vec::new(), String::new());
    for character in text.chars() {
        match character {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(character);
    }
    if !part.trim().is_empty() {
        parts.push(part);
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

fn read(context: &Context<'_>, text: &str) -> Result<Read, Message> {
    if text.eq_ignore_ascii_case("null") {
        return Ok(Read { data_type: None, value: Value::Null, word: None, constant: true, json: false });
    }
    if text.starts_with(['\'', 'N'])
        && let Some((constant, name)) = text.rsplit_once("':")
        && !constant.contains('(')
    {
        let data_type = crate::convert::tests::data_type(name);
        let (from, value) = literal(&format!("{constant}'"))?;
        let style = data_type.is_binary().then_some(1);
        let value = convert(context, value.as_ref(), from, data_type, style)?;
        return Ok(Read { data_type: Some(data_type), value, word: None, constant: false, json: false });
    }
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) && !text.starts_with("N'") {
        return match text.contains('(') {
            true => {
                let (data_type, value) = call(context, text)?;
                let json = text.starts_with("JSON_");
                Ok(Read { data_type: Some(data_type), value, word: None, constant: false, json })
            }
            false => Ok(Read {
                data_type: None,
                value: Value::Null,
                word: Some(text.to_owned()),
                constant: false,
                json: false,
            }),
        };
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (data_type, value) = literal(digits)?;
    let value = match (negative, value) {
        (true, Value::Integer(number)) => Value::Integer(-number),
        (true, Value::Decimal(number)) => Value::Decimal(mainstay_types::Decimal::new(-number.unscaled, number.scale)),
        (true, Value::Float(number)) => Value::Float(-number),
        (_, value) => value,
    };
    Ok(Read { data_type: Some(data_type), value, word: None, constant: true, json: false })
}

/// Evaluates a call.
pub fn call(context: &Context<'_>, text: &str) -> Result<(DataType, Value), Message> {
    let (name, rest) = text.split_once('(').unwrap_or((text, ")"));
    let function = find(name).ok_or_else(|| Message::numbered(195, &[&name, &"built-in function name"]))?;
    let inner = rest.strip_suffix(')').unwrap_or(rest);
    let read: Vec<Read> = arguments(inner).iter().map(|part| read(context, part)).collect::<Result<_, _>>()?;
    let arguments: Vec<Argument<'_>> = read
        .iter()
        .map(|read| Argument {
            data_type: read.data_type,
            constant: read.constant.then(|| read.value.as_ref()),
            keyword: read.word.as_deref(),
            collation: None,
            is_json: read.json,
        })
        .collect();
    let bound = function.bind(&arguments)?;
    let values: Vec<ValueRef<'_>> =
        read.iter().filter(|read| read.word.is_none()).map(|read| read.value.as_ref()).collect();
    Ok((bound.result, bound.evaluate(context, &values)?))
}

/// The session of the tests: 2024-03-05 15:04:09.1234567 on a clock one hour ahead of UTC.
pub fn context(random: &Random) -> Context<'_> {
    Context {
        now_utc: "2024-03-05 14:04:09.1234567".parse().unwrap(),
        offset_minutes: 60,
        random: Some(random),
        host: "desk",
        application: "tests",
        ..Context::default()
    }
}

/// The text of a value of a type, with all its digits.
pub fn show(context: &Context<'_>, data_type: DataType, value: &Value) -> String {
    if let Value::Float(number) = value {
        return crate::convert::general(*number, 17);
    }
    let style = match data_type {
        _ if data_type.is_money() => Some(2),
        _ if data_type.is_moment() => Some(121),
        _ if data_type.is_binary() => Some(1),
        _ => None,
    };
    match convert(context, value.as_ref(), data_type, DataType::NVarChar(Length::Max), style) {
        Ok(Value::Text(text)) => text,
        Ok(_) => "NULL".to_owned(),
        Err(message) => message.to_string(),
    }
}

/// Checks calls: what they show, followed by ` :: type` where that is to be checked; `number` or `number: text` of an
/// error.
pub fn check(rows: &[(&str, &str)]) {
    let random = Random::seeded(1);
    let context = context(&random);
    for (text, expected) in rows {
        let shown = match call(&context, text) {
            Ok((data_type, value)) => format!("{} :: {data_type}", show(&context, data_type, &value)),
            Err(message) => format!("{}: {}", message.number, message.text),
        };
        let shown = match (expected.contains(" :: "), expected.parse::<i32>().is_ok()) {
            (true, _) => shown,
            (false, true) if shown.starts_with(&format!("{expected}: ")) => (*expected).to_owned(),
            (false, _) => shown.rsplit_once(" :: ").map_or(shown.clone(), |(value, _)| value.to_owned()),
        };
        assert_eq!(shown, *expected, "{text}");
    }
}
