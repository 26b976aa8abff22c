//! Functions of dates and times. Source: the help page "Date/Time Functions" and those of the functions.
//!
//! Most take a text of a date as well as a date or timestamp. Intervals are named as in `SQL_TSI_DAY`.

use crate::convert::{convert, text_type};
use crate::failure::Failure;
use crate::function::{Arguments, Function, Gives, Outcome, plain};
use mainstay_types::{Date, SqlType, TICKS_PER_DAY, TICKS_PER_SECOND, Time, Timestamp, Value, ValueRef};

const TICKS_PER_MS: i64 = TICKS_PER_SECOND / 1_000;

pub(crate) const FUNCTIONS: &[Function] = &[
    plain("createtimestamp", (7, 7), Gives::Timestamp, create),
    plain("ctod", (1, 2), Gives::Date, |it| convert(it.value(0), SqlType::Date)),
    plain("ctot", (1, 1), Gives::Time, |it| convert(it.value(0), SqlType::Time { digits: 3 })),
    plain("ctots", (1, 1), Gives::Timestamp, |it| convert(it.value(0), SqlType::Timestamp { digits: 3 })),
    plain("day", (1, 1), Gives::Integer, |it| ymd(it, |_, _, day| i64::from(day))),
    plain("dayofmonth", (1, 1), Gives::Integer, |it| ymd(it, |_, _, day| i64::from(day))),
    plain("month", (1, 1), Gives::Integer, |it| ymd(it, |_, month, _| i64::from(month))),
    plain("quarter", (1, 1), Gives::Integer, |it| ymd(it, |_, month, _| i64::from(month.div_ceil(3)))),
    plain("year", (1, 1), Gives::Integer, |it| ymd(it, |year, _, _| i64::from(year))),
    plain("dayname", (1, 1), Gives::Text, day_name),
    plain("monthname", (1, 1), Gives::Text, month_name),
    plain("dayofweek", (1, 1), Gives::Integer, |it| Ok(Value::Integer(weekday(moment(it, 0)?.date()) + 1))),
    plain("dayofyear", (1, 1), Gives::Integer, |it| Ok(Value::Integer(day_of_year(moment(it, 0)?.date()) + 1))),
    plain("week", (1, 1), Gives::Integer, week),
    plain("isoweek", (1, 1), Gives::Integer, iso_week),
    plain("hour", (1, 1), Gives::Integer, |it| clock(it, |hour, _, _, _| hour)),
    plain("minute", (1, 1), Gives::Integer, |it| clock(it, |_, minute, _, _| minute)),
    plain("second", (1, 1), Gives::Integer, |it| clock(it, |_, _, second, _| second)),
    plain("frac_second", (1, 1), Gives::Integer, |it| clock(it, |_, _, _, ticks| ticks / TICKS_PER_MS)),
    plain("dtoc", (1, 2), Gives::Text, |it| convert(it.value(0), text_type())),
    plain("dtos", (1, 1), Gives::Text, dtos),
    plain("stod", (1, 1), Gives::Date, stod),
    plain("stots", (1, 1), Gives::Timestamp, stots),
    plain("tstod", (1, 1), Gives::Date, |it| Ok(Value::Date(moment(it, 0)?.date()))),
    plain("ttoc", (1, 2), Gives::Text, |it| convert(it.value(0), text_type())),
    plain("timestampadd", (3, 3), Gives::Timestamp, add),
    plain("timestampdiff", (3, 3), Gives::Integer, difference),
];

/// The timestamp of an argument.
fn moment(it: &Arguments<'_>, place: usize) -> Result<Timestamp, Failure> {
    match it.value(place) {
        ValueRef::Timestamp(moment) => Ok(moment),
        ValueRef::Date(date) => Ok(Timestamp::at(date, 0)),
        ValueRef::Text(text) => match text.trim().parse::<Timestamp>() {
            Ok(moment) => Ok(moment),
            Err(_) => {
                let date: Date = text.trim().parse().map_err(|_| it.refused())?;
                Ok(Timestamp::at(date, 0))
            }
        },
        _ => Err(it.refused()),
    }
}

fn ymd(it: &Arguments<'_>, part: fn(i32, u32, u32) -> i64) -> Outcome {
    let (year, month, day) = moment(it, 0)?.date().ymd();
    Ok(Value::Integer(part(year, month, day)))
}

/// Days after Sunday.
fn weekday(date: Date) -> i64 {
    // The first day of 1970 was a Thursday.
    i64::from(date.0 + 4).rem_euclid(7)
}

fn first_of_year(year: i32) -> i64 {
    Date::from_ymd(year, 1, 1).map_or(0, |date| i64::from(date.0))
}

/// Days after the first of January.
fn day_of_year(date: Date) -> i64 {
    i64::from(date.0) - first_of_year(date.ymd().0)
}

fn day_name(it: &Arguments<'_>) -> Outcome {
    let day = usize::try_from(weekday(moment(it, 0)?.date())).unwrap_or(0);
    Ok(Value::Text(Date::WEEKDAYS.get(day).copied().unwrap_or("").to_owned()))
}

fn month_name(it: &Arguments<'_>) -> Outcome {
    let (_, month, _) = moment(it, 0)?.date().ymd();
    let name = usize::try_from(month).ok().and_then(|month| Date::MONTHS.get(month.checked_sub(1)?));
    Ok(Value::Text(name.copied().unwrap_or("").to_owned()))
}

/// Weeks begin on Sunday, the first with the first of January.
fn week(it: &Arguments<'_>) -> Outcome {
    let date = moment(it, 0)?.date();
    let first = Date(i32::try_from(first_of_year(date.ymd().0)).unwrap_or(0));
    Ok(Value::Integer((day_of_year(date) + weekday(first)) / 7 + 1))
}

/// Weeks begin on Monday, the first has the first Thursday (ISO 8601).
fn iso_week(it: &Arguments<'_>) -> Outcome {
    let date = moment(it, 0)?.date();
    let monday = (weekday(date) + 6) % 7;
    let thursday = Date(i32::try_from(i64::from(date.0) - monday + 3).unwrap_or(0));
    Ok(Value::Integer(day_of_year(thursday) / 7 + 1))
}

fn clock(it: &Arguments<'_>, part: fn(i64, i64, i64, i64) -> i64) -> Outcome {
    let time = match it.value(0) {
        ValueRef::Time(time) => time,
        ValueRef::Text(text) if !text.contains('-') => text.trim().parse().map_err(|_| it.refused())?,
        _ => moment(it, 0)?.time(),
    };
    let (hour, minute, second, ticks) = time.hms();
    Ok(Value::Integer(part(hour.into(), minute.into(), second.into(), ticks.into())))
}

fn create(it: &Arguments<'_>) -> Outcome {
    let mut parts = [0_i64; 7];
    for (place, part) in parts.iter_mut().enumerate() {
        *part = it.integer(place)?;
    }
    let [year, month, day, hour, minute, second, ms] = parts;
    let small = |number: i64| -> Result<u32, Failure> { u32::try_from(number).map_err(|_| it.refused()) };
    let date = i32::try_from(year).ok().and_then(|year| Date::from_ymd(year, small(month).ok()?, small(day).ok()?));
    let ticks = ms.checked_mul(TICKS_PER_MS).ok_or_else(|| it.refused())?;
    let ticks = small(ticks)?;
    let time = Time::from_hms(small(hour)?, small(minute)?, small(second)?, ticks);
    match (date, time) {
        (Some(date), Some(time)) => Ok(Value::Timestamp(Timestamp::at(date, time.nanos() / 100))),
        _ => Err(it.refused()),
    }
}

fn dtos(it: &Arguments<'_>) -> Outcome {
    let (year, month, day) = moment(it, 0)?.date().ymd();
    Ok(Value::Text(format!("{year:04}{month:02}{day:02}")))
}

/// YYYYMMDD.
fn compact(text: &str) -> Option<Date> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u32>().ok();
    Date::from_ymd(i32::try_from(number(0..4)?).ok()?, number(4..6)?, number(6..8)?)
}

fn stod(it: &Arguments<'_>) -> Outcome {
    let text = it.text(0)?.trim();
    Ok(compact(text).filter(|_| text.len() == 8).map_or(Value::Null, Value::Date))
}

fn stots(it: &Arguments<'_>) -> Outcome {
    let text = it.text(0)?.trim();
    let (day, time) = text.split_once(' ').unwrap_or((text, "00:00:00"));
    Ok(match (compact(day), time.trim().parse::<Time>()) {
        (Some(date), Ok(time)) => Value::Timestamp(Timestamp::at(date, time.nanos() / 100)),
        _ => Value::Null,
    })
}

/// The unit of an interval: months, or ticks.
enum Unit {
    Months(i64),
    Ticks(i64),
}

fn unit(it: &Arguments<'_>) -> Result<Unit, Failure> {
    let name = it.text(0)?.to_ascii_lowercase();
    Ok(match name.strip_prefix("sql_tsi_").unwrap_or(&name) {
        "frac_second" => Unit::Ticks(TICKS_PER_MS),
        "second" => Unit::Ticks(TICKS_PER_SECOND),
        "minute" => Unit::Ticks(60 * TICKS_PER_SECOND),
        "hour" => Unit::Ticks(3_600 * TICKS_PER_SECOND),
        "day" => Unit::Ticks(TICKS_PER_DAY),
        "week" => Unit::Ticks(7 * TICKS_PER_DAY),
        "month" => Unit::Months(1),
        "quarter" => Unit::Months(3),
        "year" => Unit::Months(12),
        _ => return Err(it.refused()),
    })
}

/// The same day so many months later, or the last of a month that is shorter.
fn months_later(moment: Timestamp, months: i64) -> Option<Timestamp> {
    let (date, ticks) = moment.split();
    let (year, month, day) = date.ymd();
    let month = i64::from(year).checked_mul(12)?.checked_add(i64::from(month) - 1)?.checked_add(months)?;
    let (year, month) = (i32::try_from(month.div_euclid(12)).ok()?, u32::try_from(month.rem_euclid(12)).ok()? + 1);
    let date = (1..=day).rev().find_map(|day| Date::from_ymd(year, month, day))?;
    Some(Timestamp::at(date, ticks))
}

fn add(it: &Arguments<'_>) -> Outcome {
    let (unit, count, moment) = (unit(it)?, it.integer(1)?, moment(it, 2)?);
    let result = match unit {
        Unit::Months(months) => count.checked_mul(months).and_then(|months| months_later(moment, months)),
        Unit::Ticks(ticks) => count.checked_mul(ticks).and_then(|ticks| moment.0.checked_add(ticks)).map(Timestamp),
    };
    let inside = result.filter(|moment| (Timestamp::FIRST..=Timestamp::LAST).contains(moment));
    inside.map(Value::Timestamp).ok_or_else(|| it.refused())
}

/// Whole intervals from the second argument to the third.
fn difference(it: &Arguments<'_>) -> Outcome {
    let (unit, from, to) = (unit(it)?, moment(it, 1)?, moment(it, 2)?);
    Ok(Value::Integer(match unit {
        Unit::Ticks(ticks) => to.0.saturating_sub(from.0) / ticks,
        Unit::Months(months) => {
            let ((year, month, _), (to_year, to_month, _)) = (from.date().ymd(), to.date().ymd());
            let mut count = i64::from(to_year - year) * 12 + i64::from(to_month) - i64::from(month);
            // The last month counts once its day is reached.
            let reached = months_later(from, count);
            if count > 0 && reached.is_some_and(|reached| reached > to) {
                count -= 1;
            } else if count < 0 && reached.is_some_and(|reached| reached < to) {
                count += 1;
            }
            count / months
        }
    }))
}
