//! Days and moments from numbers: DATEFROMPARTS and its five siblings.

use super::Function;
use super::binding::{Binding, Call, integer};
use crate::messages::Message;
use crate::moment::datetime;
use crate::types::DataType;
use mainstay_types::{Date, Time, Timestamp, Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("DATEFROMPARTS", (3, 3), |b| integers(b, DataType::Date), date),
    Function::new("TIMEFROMPARTS", (5, 5), |b| with_precision(b, DataType::Time), time),
    Function::new("SMALLDATETIMEFROMPARTS", (5, 5), |b| integers(b, DataType::SmallDateTime), small),
    Function::new("DATETIMEFROMPARTS", (7, 7), |b| integers(b, DataType::DateTime), datetime_),
    Function::new("DATETIME2FROMPARTS", (8, 8), |b| with_precision(b, DataType::DateTime2), datetime2),
    Function::new("DATETIMEOFFSETFROMPARTS", (10, 10), |b| with_precision(b, DataType::DateTimeOffset), with_offset),
];

fn integers(binding: &mut Binding<'_>, result: DataType) -> Result<DataType, Message> {
    for index in 0..binding.count() {
        binding.integer(index)?;
    }
    Ok(result)
}

/// The last argument is a constant: the digits of a second.
fn with_precision(binding: &mut Binding<'_>, of_digits: fn(u8) -> DataType) -> Result<DataType, Message> {
    let last = binding.count().saturating_sub(1);
    match binding.argument(last).constant_integer() {
        Some(digits @ 0..=7) => integers(binding, of_digits(digits as u8)),
        Some(digits) => Err(Message::numbered(1002, &[&1, &digits])),
        None => Err(Message::numbered(10760, &[])),
    }
}

/// 289: there is no such day or time.
fn invalid(call: &Call<'_>) -> Message {
    Message::numbered(289, &[&call.bound.result.name()])
}

fn number(values: &[ValueRef<'_>], index: usize) -> Option<u32> {
    u32::try_from(integer(values, index)).ok()
}

/// An hour, a minute or a second.
fn clock(values: &[ValueRef<'_>], index: usize) -> Option<u32> {
    number(values, index).filter(|number| *number < 60)
}

fn date_at(values: &[ValueRef<'_>]) -> Option<Date> {
    let year = i32::try_from(integer(values, 0)).ok().filter(|year| *year >= 1)?;
    Date::from_ymd(year, number(values, 1)?, number(values, 2)?)
}

/// Ticks of a day from hour, minute, second and a fraction that counts units of so many digits.
fn time_at(values: &[ValueRef<'_>], from: usize, digits: u8) -> Option<i64> {
    let unit = 10u32.pow(7 - u32::from(digits.min(7)));
    let fraction = number(values, from + 3)?.checked_mul(unit)?;
    Time::from_hms(clock(values, from)?, clock(values, from + 1)?, clock(values, from + 2)?, fraction)
        .map(|time| time.0)
}

fn date(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    date_at(values).map(Value::Date).ok_or_else(|| invalid(call))
}

fn time(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let ticks = time_at(values, 0, call.bound.result.scale());
    ticks.map(|ticks| Value::Time(Time(ticks))).ok_or_else(|| invalid(call))
}

fn small(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let time = clock(values, 3).zip(clock(values, 4)).and_then(|(hour, minute)| Time::from_hms(hour, minute, 0, 0));
    let moment = date_at(values).zip(time).and_then(|(date, time)| datetime::round_small(Timestamp::at(date, time.0)));
    moment.map(Value::Timestamp).ok_or_else(|| invalid(call))
}

fn datetime_(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let moment = date_at(values)
        .zip(time_at(values, 3, 3))
        .and_then(|(date, ticks)| datetime::round(Timestamp::at(date, ticks)));
    moment.map(Value::Timestamp).ok_or_else(|| invalid(call))
}

fn datetime2(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let moment = date_at(values).zip(time_at(values, 3, call.bound.result.scale()));
    moment.map(|(date, ticks)| Value::Timestamp(Timestamp::at(date, ticks))).ok_or_else(|| invalid(call))
}

fn with_offset(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (hours, minutes) = (integer(values, 7), integer(values, 8));
    // Both have the sign of the offset.
    let agree = hours.signum() * minutes.signum() >= 0 && minutes.unsigned_abs() < 60 && hours.unsigned_abs() <= 14;
    let total = i16::try_from(hours.saturating_mul(60).saturating_add(minutes)).ok();
    let total = total.filter(|total| agree && (-14 * 60..=14 * 60).contains(total));
    let moment = date_at(values).zip(time_at(values, 3, call.bound.result.scale())).zip(total);
    let value = moment.map(|((date, ticks), offset_minutes)| Value::TimestampWithOffset {
        utc: Timestamp::at(date, ticks).to_utc(offset_minutes),
        offset_minutes,
    });
    value.ok_or_else(|| invalid(call))
}
