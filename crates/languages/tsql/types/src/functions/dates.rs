//! Functions that take days and moments apart and compute with them: DATEADD, DATEDIFF, DATEPART, EOMONTH and their like.

use super::Function;
use super::binding::{Binding, Call, integer, text, value};
use crate::convert::{Parts, convert};
use crate::messages::Message;
use crate::moment::datetime;
use crate::moment::part::{self, Part};
use crate::types::{DataType, Length};
use mainstay_types::{Date, Time, Timestamp, Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("DATEADD", (3, 3), date_add_type, date_add).with_part(),
    Function::new("DATEDIFF", (3, 3), difference_type, date_diff).with_part(),
    Function::new("DATEDIFF_BIG", (3, 3), difference_type, date_diff).with_part(),
    Function::new("DATEPART", (2, 2), part_type, date_part).with_part(),
    Function::new("DATENAME", (2, 2), part_type, date_name).with_part(),
    Function::new("DATETRUNC", (2, 2), truncate_type, date_truncate).with_part(),
    Function::new("DATE_BUCKET", (3, 4), bucket_type, date_bucket).with_part(),
    Function::new("YEAR", (1, 1), whole_date_type, |_, values| Ok(of_date(values, Part::Year))),
    Function::new("MONTH", (1, 1), whole_date_type, |_, values| Ok(of_date(values, Part::Month))),
    Function::new("DAY", (1, 1), whole_date_type, |_, values| Ok(of_date(values, Part::Day))),
    Function::new("EOMONTH", (1, 2), end_of_month_type, end_of_month).sees_nulls(),
    Function::new("ISDATE", (1, 1), is_date_type, is_date).sees_nulls(),
    Function::new("SWITCHOFFSET", (2, 2), offset_type, switch_offset),
    Function::new("TODATETIMEOFFSET", (2, 2), offset_type, to_offset),
];

/// Makes an argument a moment: it stays what it is, a number becomes a DATETIME and a text what is given.
pub(super) fn moment(binding: &mut Binding<'_>, index: usize, of_text: DataType) -> Result<DataType, Message> {
    match binding.argument(index).data_type {
        Some(data_type) if data_type.is_moment() => Ok(data_type),
        Some(data_type) if data_type.is_string() => Ok(binding.become_type(index, of_text)),
        Some(data_type) if data_type.is_number() => Ok(binding.become_type(index, DataType::DateTime)),
        None => Ok(binding.become_type(index, DataType::DateTime)),
        _ => Err(binding.invalid(index)),
    }
}

/// The local moment of an argument.
fn local(values: &[ValueRef<'_>], index: usize) -> Timestamp {
    Parts::of(value(values, index)).local()
}

/// The local moment of an argument, to the tick: a DATETIME has 1/300 s, of which its milliseconds are the rounded ones.
fn local_exact(call: &Call<'_>, values: &[ValueRef<'_>], index: usize) -> Timestamp {
    let moment = local(values, index);
    let fine = matches!(call.part(), Part::Microsecond | Part::Nanosecond);
    if fine && call.argument_type(index) == DataType::DateTime { datetime::exact(moment) } else { moment }
}

/// Returns true if a type has a part: 9810 if not.
fn has_part(binding: &Binding<'_>, part: Part, data_type: DataType) -> Result<(), Message> {
    let (date, time) = (!matches!(data_type, DataType::Time(_)), data_type != DataType::Date);
    let offset = part == Part::TzOffset && !matches!(data_type, DataType::DateTimeOffset(_) | DataType::DateTime2(_));
    if part.fits(date, time) && !offset {
        return Ok(());
    }
    Err(Message::numbered(9810, &[&part.name(), &binding.name, &data_type.name()]))
}

fn date_add_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    match binding.argument(0).data_type {
        Some(data_type) if !data_type.is_number() => return Err(binding.invalid(0)),
        _ => drop(binding.become_type(0, DataType::Int)),
    }
    let data_type = moment(binding, 1, DataType::DateTime)?;
    let part = binding.part.unwrap_or(Part::Day);
    if matches!(part, Part::TzOffset | Part::IsoWeek) {
        return Err(Message::numbered(9806, &[&part.name(), &binding.name]));
    }
    let legacy = matches!(data_type, DataType::DateTime | DataType::SmallDateTime);
    if legacy && matches!(part, Part::Microsecond | Part::Nanosecond) {
        return Err(Message::numbered(9810, &[&part.name(), &binding.name, &data_type.name()]));
    }
    has_part(binding, part, data_type)?;
    Ok(data_type)
}

/// A local moment as a value of a type; `None` outside of its range.
fn made(moment: Timestamp, offset_minutes: i16, data_type: DataType) -> Option<Value> {
    Some(match data_type {
        DataType::Date => Value::Date(moment.date()),
        DataType::Time(digits) => Value::Time(Time(datetime::round_time(moment.time().0, digits))),
        DataType::DateTime => Value::Timestamp(datetime::round(moment)?),
        DataType::SmallDateTime => Value::Timestamp(datetime::round_small(moment)?),
        DataType::DateTime2(digits) => Value::Timestamp(datetime::round_digits(moment, digits)?),
        DataType::DateTimeOffset(digits) => {
            let utc = datetime::round_digits(moment, digits)?.to_utc(offset_minutes);
            if !(Timestamp::FIRST..=Timestamp::LAST).contains(&utc) {
                return None;
            }
            Value::TimestampWithOffset { utc, offset_minutes }
        }
        _ => return None,
    })
}

fn offset(value: ValueRef<'_>) -> i16 {
    Parts::of(value).offset.unwrap_or(0)
}

fn date_add(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (count, date, result) = (integer(values, 0), value(values, 1), call.bound.result);
    let from = match date {
        // A DATETIME counts 1/300 s, so a few milliseconds start from what it really has.
        ValueRef::Timestamp(moment) if result == DataType::DateTime => datetime::exact(moment),
        other => Parts::of(other).local(),
    };
    let after = part::add(call.part(), count, from).and_then(|moment| made(moment, offset(date), result));
    after.ok_or_else(|| Message::numbered(517, &[&result.name()]))
}

fn difference_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    moment(binding, 0, DataType::DateTimeOffset(7))?;
    moment(binding, 1, DataType::DateTimeOffset(7))?;
    if let Some(part @ (Part::TzOffset | Part::IsoWeek)) = binding.part {
        return Err(Message::numbered(9806, &[&part.name(), &binding.name]));
    }
    Ok(if binding.name == "datediff" { DataType::Int } else { DataType::BigInt })
}

/// Moments with offsets count as those of UTC.
fn date_diff(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let utc = |index| match value(values, index) {
        ValueRef::TimestampWithOffset { utc, .. } => utc,
        _ => local_exact(call, values, index),
    };
    let count = part::difference(call.part(), utc(0), utc(1));
    let fits = |count: &i64| call.bound.result == DataType::BigInt || i32::try_from(*count).is_ok();
    let name = call.name();
    count.filter(fits).map(Value::Integer).ok_or_else(|| Message::numbered(535, &[&name, &name]).state(0))
}

fn part_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = moment(binding, 0, DataType::DateTimeOffset(7))?;
    has_part(binding, binding.part.unwrap_or(Part::Day), data_type)?;
    Ok(if binding.name == "datename" { DataType::NVarChar(Length::Limited(30)) } else { DataType::Int })
}

fn part_value(call: &Call<'_>, values: &[ValueRef<'_>]) -> i64 {
    part::value(call.part(), local_exact(call, values, 0), offset(value(values, 0)), call.context.settings.date_first)
}

fn date_part(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    Ok(Value::Integer(part_value(call, values)))
}

fn date_name(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (number, language) = (part_value(call, values), call.context.settings.language);
    let named = |names: &[&str], index: i64| names.get(index as usize).copied().unwrap_or_default().to_owned();
    Ok(Value::Text(match call.part() {
        Part::Month => named(&language.months, number - 1),
        Part::Weekday => named(&language.days, part::iso_weekday(local(values, 0).date()) - 1),
        Part::TzOffset => {
            let sign = if number < 0 { '-' } else { '+' };
            format!("{sign}{:02}:{:02}", number.abs() / 60, number.abs() % 60)
        }
        _ => number.to_string(),
    }))
}

fn truncate_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = moment(binding, 0, DataType::DateTime2(7))?;
    let part = binding.part.unwrap_or(Part::Day);
    if matches!(part, Part::Weekday | Part::TzOffset | Part::Nanosecond) {
        return Err(Message::numbered(9806, &[&part.name(), &binding.name]));
    }
    has_part(binding, part, data_type)?;
    Ok(data_type)
}

fn date_truncate(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (date, result) = (value(values, 0), call.bound.result);
    let moment = part::truncate(call.part(), local(values, 0), call.context.settings.date_first);
    let made = moment.and_then(|moment| made(moment, offset(date), result));
    made.ok_or_else(|| Message::numbered(9837, &[]))
}

fn bucket_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.integer(0)?;
    let data_type = moment(binding, 1, DataType::DateTime2(7))?;
    if binding.count() > 2 {
        moment(binding, 2, data_type)?;
        binding.become_type(2, data_type);
    }
    let part = binding.part.unwrap_or(Part::Day);
    let known = !matches!(
        part,
        Part::DayOfYear | Part::Weekday | Part::IsoWeek | Part::TzOffset | Part::Microsecond | Part::Nanosecond
    );
    if !known {
        return Err(Message::numbered(9806, &[&part.name(), &binding.name]));
    }
    has_part(binding, part, data_type)?;
    Ok(data_type)
}

fn date_bucket(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let (width, date, result) = (integer(values, 0), value(values, 1), call.bound.result);
    if width <= 0 {
        return Err(Message::numbered(9836, &[&call.name()]));
    }
    let origin = if values.len() > 2 { local(values, 2) } else { Timestamp::at(datetime::EPOCH, 0) };
    let moment = part::bucket(call.part(), width, local(values, 1), origin);
    let made = moment.and_then(|moment| made(moment, offset(date), result));
    made.ok_or_else(|| Message::numbered(517, &[&result.name()]))
}

fn whole_date_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = moment(binding, 0, DataType::DateTimeOffset(7))?;
    let part = Part::by_name(binding.name).unwrap_or(Part::Day);
    if matches!(data_type, DataType::Time(_)) {
        return Err(Message::numbered(9810, &[&part.name(), &binding.name, &data_type.name()]));
    }
    Ok(DataType::Int)
}

fn of_date(values: &[ValueRef<'_>], part: Part) -> Value {
    Value::Integer(part::value(part, local(values, 0), 0, 7))
}

fn end_of_month_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    if binding.argument(0).data_type.is_some_and(DataType::is_number) {
        return Err(binding.invalid(0));
    }
    moment(binding, 0, DataType::Date)?;
    binding.become_type(0, DataType::Date);
    if binding.count() > 1 {
        binding.integer(1)?;
    }
    Ok(DataType::Date)
}

fn end_of_month(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let ValueRef::Date(date) = value(values, 0) else { return Ok(Value::Null) };
    let last = part::add_months(date, integer(values, 1)).and_then(|date| {
        let (year, month, _) = date.ymd();
        (28..=31).rev().find_map(|day| Date::from_ymd(year, month, day))
    });
    let last = last.filter(|date| (Date::FIRST..=Date::LAST).contains(date));
    last.map(Value::Date).ok_or_else(|| Message::numbered(517, &[&"date"]))
}

fn is_date_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    match binding.argument(0).data_type {
        Some(data_type) if data_type.is_string() || data_type.is_number() => {}
        Some(DataType::DateTime | DataType::SmallDateTime) | None => {}
        _ => return Err(binding.invalid(0)),
    }
    Ok(DataType::Int)
}

/// Returns true if a text is a DATETIME; a number never is.
fn is_date(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let valid = match value(values, 0) {
        ValueRef::Timestamp(_) => true,
        ValueRef::Text(text) if !text.trim_matches(' ').is_empty() => {
            let varchar = DataType::varchar(Length::Max);
            convert(call.context, ValueRef::Text(text), varchar, DataType::DateTime, None).is_ok()
        }
        // A number is read as its digits.
        ValueRef::Integer(number) => {
            let (digits, varchar) = (number.to_string(), DataType::varchar(Length::Max));
            convert(call.context, ValueRef::Text(&digits), varchar, DataType::DateTime, None).is_ok()
        }
        _ => false,
    };
    Ok(Value::Integer(i64::from(valid)))
}

fn offset_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = moment(binding, 0, DataType::DateTimeOffset(7))?;
    let digits = match data_type {
        DataType::DateTimeOffset(digits) | DataType::DateTime2(digits) | DataType::Time(digits) => digits,
        DataType::DateTime => 3,
        DataType::SmallDateTime | DataType::Date => 0,
        _ => 7,
    };
    binding.become_type(0, DataType::DateTimeOffset(digits));
    match binding.argument(1).data_type {
        Some(data_type) if data_type.is_string() => {}
        _ => drop(binding.integer(1)?),
    }
    Ok(DataType::DateTimeOffset(digits))
}

/// An offset in minutes, or as `+hh:mm`: 9812 for an invalid one.
fn offset_argument(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<i16, Message> {
    let minutes = match value(values, 1) {
        ValueRef::Integer(minutes) => i16::try_from(minutes).ok(),
        _ => offset_text(text(values, 1)),
    };
    let in_range = minutes.filter(|minutes| (-14 * 60..=14 * 60).contains(minutes));
    in_range.ok_or_else(|| Message::numbered(9812, &[&call.name()]))
}

/// Minutes of `+hh:mm`.
fn offset_text(text: &str) -> Option<i16> {
    let (sign, rest) = match text.trim().split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |digits: &str| {
        let shaped = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        shaped.then(|| digits.parse::<i16>().ok())?
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn switch_offset(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let offset_minutes = offset_argument(call, values)?;
    match value(values, 0) {
        ValueRef::TimestampWithOffset { utc, .. } => {
            let shown = utc.to_local(offset_minutes);
            match (Timestamp::FIRST..=Timestamp::LAST).contains(&shown) {
                true => Ok(Value::TimestampWithOffset { utc, offset_minutes }),
                false => Err(Message::numbered(9813, &[&call.name()])),
            }
        }
        _ => Ok(Value::Null),
    }
}

fn to_offset(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let offset_minutes = offset_argument(call, values)?;
    let utc = local(values, 0).to_utc(offset_minutes);
    if !(Timestamp::FIRST..=Timestamp::LAST).contains(&utc) {
        return Err(Message::numbered(9813, &[&call.name()]));
    }
    Ok(Value::TimestampWithOffset { utc, offset_minutes })
}
