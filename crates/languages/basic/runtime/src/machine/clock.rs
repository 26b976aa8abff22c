//! The session's date and time (SETDAY, SETTIME), its task table (SETDEV TSK( )), and TRANSLATE.
//!
//! SETDAY and SETTIME move the clock of the session by whole days and by milliseconds, so that it goes on with the clock of the
//! system. Sources: the manual's pages SETDAY, SETTIME, SETDEV TSK( ), TSK( ) and TRANSLATE.

use super::{Machine, Value};
use crate::calendar::Date;
use crate::code::{Expr, SessionCode, Target, TextExpr};
use crate::fault::{Fault, Outcome, fail};
use crate::host::Clock;
use crate::number::Number;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The difference between the clock of the session and that of the system.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClockOffset {
    days: i64,
    milliseconds: i64,
}

impl Machine {
    /// The local time of the session.
    pub(crate) fn clock(&mut self) -> Clock {
        let now = self.host.clock();
        let milliseconds = now.milliseconds + self.clock_offset.milliseconds;
        Clock {
            days: now.days + self.clock_offset.days + milliseconds.div_euclid(DAY),
            milliseconds: milliseconds.rem_euclid(DAY),
        }
    }
}

pub(super) fn set_clock(machine: &mut Machine, code: &SessionCode) -> Outcome<()> {
    match code {
        SessionCode::Day(day) => {
            let day = machine.optional_text(day.as_ref())?;
            if day.is_empty() {
                machine.clock_offset = ClockOffset::default();
            } else {
                machine.clock_offset.days = 0;
                let today = machine.clock().days;
                machine.clock_offset.days = date_of(&day, Date::of_days(today).year)? - today;
            }
        }
        SessionCode::Time(hours) => {
            let Some(hours) = hours else {
                machine.clock_offset.milliseconds = 0;
                return Ok(());
            };
            let hours = machine.number(hours)?.multiply(Number::whole(3_600_000))?.rounded(0).as_whole();
            let Some(time) = hours.filter(|time| (0..=DAY).contains(time)) else { return Err(Fault::new(35)) };
            machine.clock_offset.milliseconds = time - machine.host.clock().milliseconds;
        }
        SessionCode::Task(task) => {
            let task = machine.text_value(task)?;
            machine.charge(task.len() + super::memory::allocated(1))?;
            machine.tasks.push(task);
        }
        _ => return Err(Fault::new(120)),
    }
    Ok(())
}

/// TRANSLATE: each character by that of a table at its value less an offset; one character by another; or, with a list alone,
/// characters by strings (`$0A020D0A$`: two characters, `$0D0A$`, for each `$0A$`).
pub(super) fn translate_text(
    machine: &mut Machine,
    target: &Target,
    value: &TextExpr,
    table: &TextExpr,
    third: Option<&Expr>,
) -> Outcome<()> {
    let mut text = machine.text_value(value)?;
    let table = machine.text_value(table)?;
    match third.map(|third| machine.value(third)).transpose()? {
        Some(Value::Number(offset)) => {
            let offset = offset.as_whole().ok_or_else(|| Fault::new(41))?;
            for byte in &mut text {
                let index = i64::from(*byte).checked_sub(offset).and_then(|index| usize::try_from(index).ok());
                *byte = index.and_then(|index| table.get(index)).copied().unwrap_or(*byte);
            }
        }
        Some(Value::Text(from)) => {
            let ([from], [to]) = (&from[..], &table[..]) else { return fail(46, "one character is needed") };
            text.iter_mut().filter(|byte| **byte == *from).for_each(|byte| *byte = *to);
        }
        None => {
            let strings = strings_of(&table)?;
            let length = text.iter().map(|byte| strings[usize::from(*byte)].map_or(1, <[u8]>::len)).sum();
            machine.check_length(length)?;
            text = replaced(&text, &strings, length);
        }
    }
    machine.check_length(text.len())?;
    machine.assign(target, Value::Text(text))
}

/// The string that stands for each character, if the list names it: the list has the character, the length of the string, and the
/// string; the first of a character counts.
fn strings_of(list: &[u8]) -> Outcome<[Option<&[u8]>; 256]> {
    let mut strings = [None; 256];
    let mut rest = list;
    while let [from, length, tail @ ..] = rest {
        let Some((to, behind)) = tail.split_at_checked(usize::from(*length)) else {
            return fail(46, "the list of characters is too short");
        };
        strings[usize::from(*from)].get_or_insert(to);
        rest = behind;
    }
    match rest.is_empty() && !list.is_empty() {
        true => Ok(strings),
        false => fail(46, "the list of characters is too short"),
    }
}

/// The text with characters replaced by strings, which has this length.
fn replaced(text: &[u8], strings: &[Option<&[u8]>; 256], length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(length);
    for byte in text {
        match strings[usize::from(*byte)] {
            Some(to) => out.extend_from_slice(to),
            None => out.push(*byte),
        }
    }
    out
}

/// A date of SETDAY: month, day and year with one character between them. Error 35 for none.
fn date_of(text: &[u8], this_year: i64) -> Outcome<i64> {
    let parts: Option<Vec<i64>> = text
        .split(|byte| !byte.is_ascii_digit())
        .map(|part| std::str::from_utf8(part).ok().and_then(|part| part.parse().ok()))
        .collect();
    let Some([month, day, year]) = parts.as_deref() else { return fail(35, "month, day and year are needed") };
    let year = if *year < 100 { this_year - this_year % 100 + year } else { *year };
    let (Ok(month), Ok(day)) = (u32::try_from(*month), u32::try_from(*day)) else { return Err(Fault::new(35)) };
    Date { year, month, day }.days().ok_or_else(|| Fault::with(35, "no such date"))
}
