//! Dates, times, timestamps and intervals.

use super::{mismatch, not_of, out_of_range};
use crate::{Date, Interval, Result, SqlType, Time, Timestamp, Value, ValueRef};

pub(super) fn date(value: ValueRef<'_>, to: SqlType) -> Result<Date> {
    let date = match value {
        ValueRef::Date(day) => day,
        ValueRef::Timestamp(moment) => moment.date(),
        ValueRef::TimestampWithOffset { utc, offset_minutes } => utc.to_local(offset_minutes).date(),
        ValueRef::Text(text) => date_of_text(text)?,
        _ => return Err(mismatch(value, to)),
    };
    if (Date::FIRST..=Date::LAST).contains(&date) { Ok(date) } else { Err(out_of_range(value, to)) }
}

/// Drivers that have no dates send them as midnight.
fn date_of_text(text: &str) -> Result<Date> {
    text.parse::<Date>().or_else(|error| match text.parse::<Timestamp>() {
        Ok(moment) if moment.split().1 == 0 => Ok(moment.date()),
        _ => Err(error),
    })
}

pub(super) fn time(value: ValueRef<'_>, digits: u8, to: SqlType) -> Result<Time> {
    let time = match value {
        ValueRef::Time(time) => time,
        ValueRef::Timestamp(moment) => moment.time(),
        ValueRef::TimestampWithOffset { utc, offset_minutes } => utc.to_local(offset_minutes).time(),
        ValueRef::Text(text) => text.parse()?,
        _ => return Err(mismatch(value, to)),
    };
    let in_range = (0..crate::TICKS_PER_DAY).contains(&time.0);
    time.rounded(digits).filter(|_| in_range).ok_or_else(|| out_of_range(value, to))
}

/// Rounded, and within the years that a column may hold.
fn checked(moment: Timestamp, digits: u8, value: ValueRef<'_>, to: SqlType) -> Result<Timestamp> {
    let rounded = moment.rounded(digits);
    let in_range = (Timestamp::FIRST..=Timestamp::LAST).contains(&rounded);
    if in_range { Ok(rounded) } else { Err(out_of_range(value, to)) }
}

pub(super) fn timestamp(value: ValueRef<'_>, digits: u8, to: SqlType) -> Result<Timestamp> {
    let moment = match value {
        ValueRef::Date(day) => Timestamp::at(day, 0),
        ValueRef::Timestamp(moment) => moment,
        ValueRef::TimestampWithOffset { utc, offset_minutes } => utc.to_local(offset_minutes),
        ValueRef::Text(text) => text.parse()?,
        _ => return Err(mismatch(value, to)),
    };
    checked(moment, digits, value, to)
}

/// A timestamp without an offset is one in UTC.
pub(super) fn with_offset(value: ValueRef<'_>, digits: u8, to: SqlType) -> Result<Value> {
    let (utc, offset_minutes) = match value {
        ValueRef::Date(day) => (Timestamp::at(day, 0), 0),
        ValueRef::Timestamp(moment) => (moment, 0),
        ValueRef::TimestampWithOffset { utc, offset_minutes } => (utc, offset_minutes),
        ValueRef::Text(text) => {
            let (local, offset) = Timestamp::parse_with_offset(text)?;
            let offset = offset.unwrap_or(0);
            (local.to_utc(offset), offset)
        }
        _ => return Err(mismatch(value, to)),
    };
    Ok(Value::TimestampWithOffset { utc: checked(utc, digits, value, to)?, offset_minutes })
}

pub(super) fn year_month(value: ValueRef<'_>, to: SqlType) -> Result<Interval> {
    match value {
        ValueRef::Interval(interval) if interval.day_ticks() == 0 => Ok(Interval::from_months(interval.months)),
        ValueRef::Interval(_) => Err(not_of(value, to)),
        ValueRef::Text(text) => Interval::parse_year_month(text),
        _ => Err(mismatch(value, to)),
    }
}

pub(super) fn day_time(value: ValueRef<'_>, to: SqlType) -> Result<Interval> {
    let interval = match value {
        ValueRef::Interval(interval) if interval.months == 0 => interval,
        ValueRef::Interval(_) => return Err(not_of(value, to)),
        ValueRef::Text(text) => Interval::parse_day_time(text)?,
        _ => return Err(mismatch(value, to)),
    };
    interval.normalized().ok_or_else(|| out_of_range(value, to))
}
