//! Conversions to days, times and moments.
//!
//! A value is split into a day, a time and an offset, and the type is built from those present: a day without
//! a time is its midnight, a time without a day is of 1900-01-01, and a moment without an offset is of UTC.

use super::binary;
use super::number::overflow;
use super::source::Source;
use crate::context::DateFormat;
use crate::messages::Message;
use crate::moment::datetime;
use crate::moment::parse::{Failure, Layout, Rules, parse};
use crate::types::DataType;
use mainstay_types::{Date, Time, Timestamp, Value, ValueRef};

/// The fields of a date and time, as its clock shows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts {
    /// The day.
    pub date: Option<Date>,
    /// The time of day.
    pub time: Option<Time>,
    /// Minutes ahead of UTC.
    pub offset: Option<i16>,
}

impl Parts {
    /// The parts of a value that is a day, a time or a moment.
    pub fn of(value: ValueRef<'_>) -> Parts {
        match value {
            ValueRef::Date(date) => Parts { date: Some(date), ..Parts::default() },
            ValueRef::Time(time) => Parts { time: Some(time), ..Parts::default() },
            ValueRef::Timestamp(moment) => Parts { date: Some(moment.date()), time: Some(moment.time()), offset: None },
            ValueRef::TimestampWithOffset { utc, offset_minutes } => {
                let local = utc.to_local(offset_minutes);
                Parts { date: Some(local.date()), time: Some(local.time()), offset: Some(offset_minutes) }
            }
            _ => Parts::default(),
        }
    }

    /// The moment that the clock shows.
    pub fn local(self) -> Timestamp {
        Timestamp::at(self.date.unwrap_or(datetime::EPOCH), self.time.map_or(0, |time| time.0))
    }
}

/// A DATE, TIME, SMALLDATETIME, DATETIME, DATETIME2 or DATETIMEOFFSET.
pub fn to_moment(source: &Source<'_>) -> Result<Value, Message> {
    let legacy = matches!(source.to, DataType::DateTime | DataType::SmallDateTime);
    match source.value {
        ValueRef::Text(text) => from_text(text, source, legacy),
        ValueRef::Date(_) | ValueRef::Time(_) | ValueRef::Timestamp(_) | ValueRef::TimestampWithOffset { .. } => {
            let mut value = source.value;
            if let (ValueRef::Timestamp(moment), DataType::DateTime) = (value, source.from)
                && !legacy
            {
                value = ValueRef::Timestamp(datetime::exact(moment));
            }
            let parts = Parts::of(value);
            make(parts, source)
                .ok_or_else(|| Message::numbered(242, &[&source.from.name(), &source.to.name()]).state(3))
        }
        ValueRef::Integer(days) if legacy => {
            let moment = i32::try_from(days).ok().and_then(|days| datetime::from_units(days, 0));
            from_number(moment, source)
        }
        ValueRef::Boolean(day) if legacy => from_number(datetime::from_units(i32::from(day), 0), source),
        ValueRef::Decimal(days) if legacy => from_number(datetime::from_exact_days(days), source),
        ValueRef::Float(days) if legacy => from_number(datetime::from_days(days), source),
        ValueRef::Binary(bytes) if legacy => match binary::to_moment(bytes, source.to) {
            Some(moment) => Ok(Value::Timestamp(moment)),
            None => Err(Message::numbered(210, &[])),
        },
        ValueRef::Binary(bytes) => from_bytes(bytes, source),
        _ => Err(source.refused()),
    }
}

fn from_number(moment: Option<Timestamp>, source: &Source<'_>) -> Result<Value, Message> {
    let moment = match source.to {
        DataType::SmallDateTime => moment.and_then(datetime::round_small),
        _ => moment,
    };
    moment.map(Value::Timestamp).ok_or_else(|| overflow("expression", source.to))
}

/// Makes the type of the parts; `None` is out of its range.
fn make(parts: Parts, source: &Source<'_>) -> Option<Value> {
    let local = parts.local();
    Some(match source.to {
        DataType::Date => Value::Date(local.date()),
        DataType::Time(digits) => Value::Time(Time(datetime::round_time(local.time().0, digits))),
        DataType::DateTime => Value::Timestamp(datetime::round(local)?),
        DataType::SmallDateTime => Value::Timestamp(datetime::round_small(local)?),
        DataType::DateTime2(digits) => Value::Timestamp(datetime::round_digits(local, digits)?),
        DataType::DateTimeOffset(digits) => {
            let offset_minutes = parts.offset.unwrap_or(0);
            let utc = datetime::round_digits(local, digits)?.to_utc(offset_minutes);
            if !(Timestamp::FIRST..=Timestamp::LAST).contains(&utc) {
                return None;
            }
            Value::TimestampWithOffset { utc, offset_minutes }
        }
        _ => return None,
    })
}

fn from_text(text: &str, source: &Source<'_>, legacy: bool) -> Result<Value, Message> {
    let rules = rules(source, legacy)?;
    let parsed = match parse(text, &rules) {
        Ok(parsed) => parsed,
        Err(Failure::Range) if legacy => return Err(out_of_range(source)),
        Err(Failure::Style) if !legacy => return Err(Message::numbered(9807, &[&source.style.unwrap_or(0)])),
        Err(_) => return Err(not_a_moment(source)),
    };
    // DATETIME and SMALLDATETIME have no offset to keep: only Greenwich's is read.
    if legacy && parsed.offset.is_some_and(|offset| offset != 0) {
        return Err(not_a_moment(source));
    }
    let parts = Parts { date: parsed.date, time: parsed.ticks.map(Time), offset: parsed.offset };
    let parts = carried(parts);
    make(parts, source).ok_or_else(|| if legacy { out_of_range(source) } else { not_a_moment(source) })
}

/// A fraction that rounded up to midnight belongs to the next day.
fn carried(parts: Parts) -> Parts {
    match parts.time {
        Some(Time(ticks)) if ticks >= mainstay_types::TICKS_PER_DAY => {
            let next = Timestamp::at(parts.date.unwrap_or(datetime::EPOCH), ticks);
            Parts { date: Some(next.date()), time: Some(next.time()), offset: parts.offset }
        }
        _ => parts,
    }
}

fn out_of_range(source: &Source<'_>) -> Message {
    Message::numbered(242, &[&source.from.name(), &source.to.name()]).state(3)
}

fn not_a_moment(source: &Source<'_>) -> Message {
    match source.to {
        DataType::SmallDateTime => Message::numbered(295, &[]).state(3),
        _ => Message::numbered(241, &[]),
    }
}

/// Rules for reading texts: those of the session, or those of the style.
fn rules<'a>(source: &Source<'a>, legacy: bool) -> Result<Rules<'a>, Message> {
    let context = source.context;
    let style = source.style.unwrap_or(0);
    let (order, layout) = layout(style, legacy, context.settings.date_format)
        .ok_or_else(|| Message::numbered(9809, &[&style, &source.name(), &source.to.name()]))?;
    Ok(Rules {
        order,
        year_first: !legacy,
        layout,
        language: context.settings.language,
        cutoff: context.two_digit_year_cutoff,
        hijri: matches!(style, 130 | 131),
        digits: if legacy { 3 } else { 9 },
    })
}

/// The order and the layout that a style reads; `None` for a number that is no style.
///
/// A style reads what it writes, the types before DATE also a year in front; those whose dates have no numbers read none.
fn layout(style: i32, legacy: bool, of_session: DateFormat) -> Option<(DateFormat, Layout)> {
    use DateFormat::{Dmy, Mdy, Ymd};
    let two = |order| Some((order, Layout::Only { year_digits: 2, year_leads: false }));
    let four = |order| Some((order, Layout::Only { year_digits: 4, year_leads: legacy }));
    match style {
        0 => Some((of_session, Layout::Any)),
        1 | 10 => two(Mdy),
        2 | 11 => two(Ymd),
        3..=5 => two(Dmy),
        22 if !legacy => two(Mdy),
        101 | 110 => four(Mdy),
        103..=105 => four(Dmy),
        130 | 131 => Some((Dmy, Layout::Only { year_digits: 4, year_leads: false })),
        20 | 21 | 102 | 111 | 120 | 121 if legacy => four(Mdy),
        20 | 21 | 23 | 25 | 102 | 111 | 120 | 121 if !legacy => four(Ymd),
        126 | 127 => Some((Ymd, Layout::Only { year_digits: 4, year_leads: false })),
        6..=9 | 12..=14 | 22..=25 | 100 | 106..=109 | 112..=114 => Some((of_session, Layout::Refused)),
        _ => None,
    }
}

/// A new type from the bytes that one has.
fn from_bytes(bytes: &[u8], source: &Source<'_>) -> Result<Value, Message> {
    let invalid = || Message::numbered(241, &[]);
    let days = |bytes: &[u8; 3]| Date(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]) + Date::FIRST.0);
    let value = match source.to {
        DataType::Date => bytes.first_chunk().map(days).map(|date| Parts { date: Some(date), ..Parts::default() }),
        _ => {
            let (digits, rest) = bytes.split_first().ok_or_else(invalid)?;
            let width = match digits {
                0..=2 => 3,
                3..=4 => 4,
                _ => 5,
            };
            let (units, rest) = rest.split_at_checked(width).ok_or_else(invalid)?;
            let units = units.iter().rev().fold(0i64, |number, byte| number << 8 | i64::from(*byte));
            let ticks = units * 10i64.pow(u32::from(7 - (*digits).min(7)));
            let time = (ticks < mainstay_types::TICKS_PER_DAY).then_some(Time(ticks));
            let offset = rest.get(3..5).map(|bytes| i16::from_le_bytes([bytes[0], bytes[1]]));
            time.map(|time| Parts { date: rest.first_chunk().map(days), time: Some(time), offset })
        }
    };
    let in_range = |parts: &Parts| parts.date.is_none_or(|date| (Date::FIRST..=Date::LAST).contains(&date));
    value.filter(in_range).and_then(|parts| make(parts, source)).ok_or_else(invalid)
}
