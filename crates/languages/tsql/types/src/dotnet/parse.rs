//! PARSE: a text as a number or a moment of a culture.

use super::culture::Culture;
use crate::context::Context;
use crate::convert::convert;
use crate::messages::Message;
use crate::moment::parse::{Layout, Parsed, Rules, parse as parse_moment};
use crate::types::{DataType, Length};
use mainstay_types::{Time, Timestamp, Value, ValueRef};

/// Converts a text as PARSE does; the default culture is that of the session's language. Errors: 9818 for an unknown
/// culture, 9819 for a text that is not a value of the type, 10761 for a type that PARSE does not support.
pub fn parse(context: &Context<'_>, text: &str, to: DataType, culture: Option<&str>) -> Result<Value, Message> {
    let culture = match culture {
        None => Culture::of_language(context.settings.language),
        Some(name) => Culture::by_name(name).ok_or_else(|| Message::numbered(9818, &[&name]))?,
    };
    let failed = || Message::numbered(9819, &[&text, &to.value_name(), &culture.name]);
    let varchar = DataType::NVarChar(Length::Max);
    if to.is_moment() {
        let parsed = moment(context, text, culture).ok_or_else(failed)?;
        let value = made(parsed, context).ok_or_else(failed)?;
        let from = if parsed.offset.is_some() { DataType::DateTimeOffset(7) } else { DataType::DateTime2(7) };
        return convert(context, value.as_ref(), from, to, None).map_err(|_| failed());
    }
    if !to.is_number() || to == DataType::Bit {
        return Err(Message::numbered(10761, &[&to.name()]));
    }
    let plain = number(text, culture, to).ok_or_else(failed)?;
    let to_integer = to.is_integer();
    // Decimals of zero are allowed for an integer.
    let plain = match plain.split_once('.') {
        Some((whole, fraction)) if to_integer && fraction.bytes().all(|byte| byte == b'0') => whole.to_owned(),
        _ => plain,
    };
    convert(context, ValueRef::Text(&plain), varchar, to, None).map_err(|_| failed())
}

/// TRY_PARSE: NULL for a text that is no value of the type; other errors stay errors.
pub fn try_parse(context: &Context<'_>, text: &str, to: DataType, culture: Option<&str>) -> Result<Value, Message> {
    match parse(context, text, to, culture) {
        Err(message) if message.number == 9819 => Ok(Value::Null),
        parsed => parsed,
    }
}

/// The number with a point and without marks between groups.
fn number(text: &str, culture: &Culture, to: DataType) -> Option<String> {
    let mut rest = text.trim().replace(culture.group, "").replace('\u{a0}', " ");
    let mut negative = false;
    if to.is_money() {
        rest = rest.replace(culture.currency, "").trim().to_owned();
        if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            (negative, rest) = (true, inner.trim().to_owned());
        }
    }
    // A sign may stand behind the number.
    if let Some(front) = rest.strip_suffix('-') {
        (negative, rest) = (true, front.trim().to_owned());
    }
    let plain = if culture.decimal == "." {
        rest
    } else if rest.contains('.') {
        return None;
    } else {
        rest.replace(culture.decimal, ".")
    };
    let digits = plain.strip_prefix(['-', '+']).unwrap_or(&plain).trim_start();
    if digits.is_empty() || !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    Some(if negative { format!("-{plain}") } else { plain })
}

/// A date and a time; a day's name in front says nothing.
fn moment(context: &Context<'_>, text: &str, culture: &Culture) -> Option<Parsed> {
    let names = culture.names();
    let rest = without_weekday(text.trim(), &names.days);
    let rules = Rules {
        order: culture.order,
        year_first: true,
        layout: Layout::Any,
        language: names,
        cutoff: context.two_digit_year_cutoff,
        hijri: false,
        digits: 7,
    };
    parse_moment(rest, &rules).ok().filter(|parsed| parsed.date.is_some() || parsed.ticks.is_some())
}

/// The text behind a day's name in front, in full or its first three letters.
fn without_weekday<'a>(text: &'a str, days: &[&str]) -> &'a str {
    let end = text.find(|c: char| !c.is_alphabetic() && c != '-').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let word = word.to_lowercase();
    let is_day = |day: &&str| {
        let day = day.to_lowercase();
        day == word || (word.chars().count() == 3 && day.starts_with(&word))
    };
    if !days.iter().any(is_day) {
        return text;
    }
    rest.trim_start_matches([',', '.', ' '])
}

/// Without a day it is today's.
fn made(parsed: Parsed, context: &Context<'_>) -> Option<Value> {
    let date = parsed.date.unwrap_or(context.now().date());
    let local = Timestamp::at(date, parsed.ticks.map_or(0, |ticks| Time(ticks).0));
    Some(match parsed.offset {
        None => Value::Timestamp(local),
        Some(offset_minutes) => Value::TimestampWithOffset { utc: local.to_utc(offset_minutes), offset_minutes },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, to: &str, culture: &str) -> String {
        let (context, to) = (Context::default(), crate::convert::tests::data_type(to));
        let varchar = DataType::NVarChar(Length::Max);
        let style = if to.is_moment() { Some(121) } else { None };
        parse(&context, text, to, Some(culture))
            .and_then(|value| convert(&context, value.as_ref(), to, varchar, style))
            .map_or_else(|message| message.number.to_string(), |value| value.to_string().trim_matches('\'').to_owned())
    }

    #[test]
    fn trying_gives_null_for_the_text_alone() {
        let context = Context::default();
        assert_eq!(try_parse(&context, "x", DataType::Int, None), Ok(Value::Null));
        assert!(try_parse(&context, "1", DataType::Int, Some("xx-XX")).is_err());
    }

    #[test]
    fn texts_of_cultures() {
        for (text, to, culture, expected) in [
            ("Monday, 13 December 2010", "datetime2(0)", "en-US", "2010-12-13 00:00:00"),
            ("Sat, 17 August 2019", "date", "en-US", "2019-08-17"),
            ("Mar 5, 2019", "date", "en-US", "2019-03-05"),
            ("€345,98", "money", "de-DE", "345.98"),
            ("1.234,5", "decimal(10,2)", "de-DE", "1234.50"),
            ("1,234.5", "decimal(10,2)", "en-US", "1234.50"),
            ("($5.00)", "money", "en-US", "-5.00"),
            ("1,000", "int", "en-US", "1000"),
            ("12.00", "int", "en-US", "12"),
            ("12.50", "int", "en-US", "9819"),
            ("31/12/2010", "date", "en-GB", "2010-12-31"),
            ("12/31/2010", "date", "en-US", "2010-12-31"),
            ("31/12/2010", "date", "en-US", "9819"),
            ("31. Dezember 2010", "date", "de-DE", "9819"),
            ("31 Dezember 2010", "date", "de-DE", "2010-12-31"),
            ("hello", "int", "en-US", "9819"),
            ("1", "int", "xx-XX", "9818"),
            ("1", "varchar(5)", "en-US", "10761"),
        ] {
            assert_eq!(shown(text, to, culture), expected, "{text}");
        }
    }
}
