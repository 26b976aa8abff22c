//! Dates and times.

use crate::calendar::{self, Date, Moment};
use crate::code::Call;
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;

/// The days between 1970-01-01 and the base of Julian dates (parameter 'BY').
fn base(machine: &Machine) -> i64 {
    match machine.parameters.get("BY") {
        1970 => 0,
        // Day 0 is in the year 4713 before our era.
        0 => -2_440_588,
        year => Date { year, month: 1, day: 1 }.days().unwrap_or(0),
    }
}

/// DTE: a Julian date and time, or a date as text, through a layout.
pub(super) fn dte(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let clock = machine.clock();
    let mut moment = Moment { days: clock.days, milliseconds: clock.milliseconds };
    let mask = call.arguments.iter().find_map(|argument| argument.mask.as_ref());
    let layout = match mask {
        Some(mask) => machine.text_value(mask)?,
        None => b"%Mz/%Dz/%Yz".to_vec(),
    };
    if call.has(0) {
        match call.value(machine, 0)? {
            Value::Text(text) => {
                let date = calendar::parse(&text, &machine.day_format, Date::of_days(clock.days).year);
                moment.days = date.and_then(Date::days).ok_or_else(|| Fault::new(35))?;
            }
            Value::Number(number) => {
                let days = number.truncated().as_whole().ok_or_else(|| Fault::new(35))?;
                if days == -1 && machine.parameters.get("BY") == 0 {
                    return Ok(());
                }
                if !(-2_500_000..=3_000_000).contains(&days) {
                    return Err(Fault::new(35));
                }
                if days != 0 || call.arguments.get(1).is_some_and(|argument| argument.prefix == Some('*')) {
                    moment.days = days + base(machine);
                }
                if call.arguments.get(1).is_some_and(|argument| argument.prefix == Some('*')) {
                    let fraction = number.subtract(number.truncated())?;
                    moment.milliseconds = milliseconds(fraction.multiply(Number::whole(24))?)?;
                }
            }
        }
    }
    if call.has(1) {
        moment.milliseconds = milliseconds(call.number(machine, 1)?)?;
    }
    out.extend_from_slice(&calendar::format(moment, &layout, machine.definitions.names.as_deref()));
    Ok(())
}

/// Hours to milliseconds. Error 35 outside of a day.
fn milliseconds(hours: Number) -> Outcome<i64> {
    let value = hours.multiply(Number::whole(3_600_000))?.rounded(0).as_whole();
    value.filter(|value| (0..=86_400_000).contains(value)).ok_or_else(|| Fault::new(35))
}

/// JUL: days since the base year, of year, month and day or of a date as text. Error 35 for no date.
pub(super) fn jul(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let today = Date::of_days(machine.clock().days);
    let date = if call.is_text(0) {
        let text = call.text(machine, 0)?;
        let layout = if call.has(1) { call.text(machine, 1)? } else { machine.day_format.clone() };
        calendar::parse(&text, &layout, today.year)
    } else {
        let (year, month, day) = (call.whole(machine, 0)?, call.whole(machine, 1)?, call.whole(machine, 2)?);
        let year = match year {
            0 => today.year,
            1..=99 => today.year - today.year % 100 + year,
            year => year,
        };
        let part = |value: i64, now: u32| if value == 0 { Some(now) } else { u32::try_from(value).ok() };
        match (part(month, today.month), part(day, today.day)) {
            (Some(month), Some(day)) => Some(Date { year, month, day }),
            _ => None,
        }
    };
    match date.and_then(Date::days) {
        Some(days) => Ok(Number::whole(days - base(machine))),
        None => fail(35, "no such date"),
    }
}

/// TIM: hours since midnight, with six decimals.
pub(super) fn tim(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    let milliseconds = machine.clock().milliseconds;
    Ok(Number::whole(milliseconds).divide(Number::whole(3_600_000))?.rounded(6))
}

/// TMS: seconds of the minute.
pub(super) fn tms(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Number::new((machine.clock().milliseconds % 60_000).into(), 3)
}

pub(super) fn day(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let clock = machine.clock();
    let moment = Moment { days: clock.days, milliseconds: clock.milliseconds };
    out.extend_from_slice(&calendar::format(moment, &machine.day_format, machine.definitions.names.as_deref()));
    Ok(())
}
