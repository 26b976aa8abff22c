//! Conversions to text: the format of each type's values, and values that do not fit.
//!
//! A value that is too long for its CHAR or VARCHAR has one of three results: texts, bytes, dates and times are cut; a
//! small integer becomes `*`; every other number is an error, and so is every number for the N types.

use super::number::{overflow, shown_float};
use super::source::Source;
use super::{binary, to_moment};
use crate::messages::Message;
use crate::moment::style::{self, Moment};
use crate::types::DataType;
use mainstay_types::{Decimal, Value, ValueRef, uuid};

/// The value as a text of the type.
pub fn to_text(source: &Source<'_>) -> Result<Value, Message> {
    let to = source.to;
    let encoding = to.encoding();
    let mut shown = match source.value {
        ValueRef::Text(text) => encoding.kept(text).into_owned(),
        ValueRef::Binary(bytes) => binary::to_text(bytes, source)?,
        value => {
            let shown = shown(value, source)?;
            match room(to) {
                Some(room) if shown.chars().count() > room && !source.from.is_moment() => too_long(source)?,
                // The months of other calendars are not in every code page.
                _ if !shown.is_ascii() => encoding.kept(&shown).into_owned(),
                _ => shown,
            }
        }
    };
    if let Some(room) = room(to) {
        encoding.cut(&mut shown, room);
        if matches!(to, DataType::Char(..) | DataType::NChar(_)) {
            encoding.pad(&mut shown, room);
        }
    }
    Ok(Value::Text(shown))
}

/// The units that the type has for the text.
fn room(to: DataType) -> Option<usize> {
    to.limit().map(usize::from)
}

/// The result for a number or a UUID that does not fit.
fn too_long(source: &Source<'_>) -> Result<String, Message> {
    use DataType::*;
    let (from, to) = (source.from, source.to);
    let national = to.is_national();
    match from {
        TinyInt | SmallInt | Int | Bit if !national => Ok("*".to_owned()),
        UniqueIdentifier if !national => Err(Message::numbered(8170, &[]).state(2)),
        Money | SmallMoney if !national => Err(Message::numbered(234, &[&to.name()]).state(2)),
        Decimal { .. } if !national => Err(overflow("numeric", to).state(5)),
        Float | Real if !national => {
            let value = source.value.as_f64().unwrap_or(0.0);
            Err(Message::numbered(232, &[&to.name(), &shown_float(value)]).state(2))
        }
        _ => Err(overflow("expression", to)),
    }
}

/// A value that is neither text nor bytes.
fn shown(value: ValueRef<'_>, source: &Source<'_>) -> Result<String, Message> {
    let style = source.style.unwrap_or(0);
    Ok(match value {
        ValueRef::Boolean(value) => u8::from(value).to_string(),
        ValueRef::Integer(value) => value.to_string(),
        ValueRef::Decimal(value) if source.from.is_money() => money(value, style),
        ValueRef::Decimal(value) => value.to_string(),
        ValueRef::Float(value) => float(value, style, source.from == DataType::Real),
        ValueRef::Uuid(uuid) => uuid::display(uuid).to_string().to_uppercase(),
        ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::Timestamp(_) | ValueRef::TimestampWithOffset { .. } => {
            let moment = moment(value, source.from);
            style::show(moment, moment_style(source), source.from, source.to, source.context)?
        }
        _ => return Err(source.refused()),
    })
}

/// The style that a moment shows in when none is given: 0 for DATETIME and SMALLDATETIME, 121 for the others.
fn moment_style(source: &Source<'_>) -> i32 {
    let legacy = matches!(source.from, DataType::DateTime | DataType::SmallDateTime);
    source.style.unwrap_or(if legacy { 0 } else { 121 })
}

fn moment(value: ValueRef<'_>, from: DataType) -> Moment {
    let digits = from.scale();
    let legacy = matches!(from, DataType::DateTime | DataType::SmallDateTime);
    let parts = to_moment::Parts::of(value);
    Moment {
        date: parts.date,
        time: parts.time.map(|time| (time, if legacy { 3 } else { digits })),
        offset: parts.offset,
        legacy,
    }
}

/// An amount: two digits after the point in style 0, with commas in style 1, four digits in 2 and 126.
pub fn money(value: Decimal, style: i32) -> String {
    if matches!(style, 2 | 126) {
        return value.to_string();
    }
    let shown = value.rescale(2).unwrap_or(value).to_string();
    if style != 1 {
        return shown;
    }
    let (whole, fraction) = shown.split_once('.').unwrap_or((&shown, "00"));
    let (sign, digits) = match whole.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", whole),
    };
    format!("{sign}{}.{fraction}", with_commas(digits))
}

/// Digits with a comma before every third one from the end.
pub fn with_commas(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A floating point number: six digits at most in style 0, eight in style 1, sixteen in style 2, seventeen in style 3 and
/// as many as the type has in 126. All but style 0 show an exponent.
pub fn float(value: f64, style: i32, real: bool) -> String {
    match style {
        1 => scientific(value, 7),
        2 => scientific(value, 15),
        3 => scientific(value, 16),
        126 => scientific(value, if real { 7 } else { 15 }),
        _ => general(value, 6),
    }
}

/// `%.{digits}e` of C, with three digits of the exponent.
fn scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{exponent:0>3}")
}

/// `%.{digits}g` of C, with three digits of the exponent.
pub fn general(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let text = scientific(value, digits.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    if power < -4 || power >= digits as i32 {
        let mantissa = trimmed(mantissa);
        return format!("{mantissa}e{exponent}");
    }
    let places = (digits as i32 - 1 - power).max(0) as usize;
    trimmed(&format!("{value:.places$}")).to_owned()
}

/// Without zeros at the end of the fraction.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}
