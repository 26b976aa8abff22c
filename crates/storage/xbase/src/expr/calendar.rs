//! Dates and timestamps: the functions that split and print them.
//!
//! A day is a Julian day number; 0 is the blank date, which prints as blanks and whose year, month and
//! day are 0. Dates print in the AMERICAN format without century, the default of SET DATE, because an index file does
//! not store its program's format.

use super::catalog::Builtin;
use super::machine::{Machine, Slot};
use super::number::Number;
use mainstay_types::{Code, Date, Error, Result};

/// Milliseconds in a day.
pub(super) const DAY_MS: i64 = 86_400_000;

/// Milliseconds from midnight to noon.
const HALF_DAY_MS: i32 = 43_200_000;

/// The Julian day of the first day that has a year: days below print as zeros.
const FIRST_DAY: i32 = 1_721_060;

/// The longest name of a month or a day.
pub(super) const LONGEST_NAME: usize = 9;

/// Year, month and day; zeros for the blank date.
fn parts(day: i32) -> (i32, u32, u32) {
    if day < FIRST_DAY { (0, 0, 0) } else { Date::from_julian(day).ymd() }
}

fn digits(number: u32, out: &mut [u8]) {
    let mut rest = number;
    for place in out.iter_mut().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

/// `YYYYMMDD`, or blanks.
pub(super) fn year_first(day: i32) -> [u8; 8] {
    let mut out = [b' '; 8];
    if day > 0 {
        let (year, month, day) = parts(day);
        digits(year.unsigned_abs(), &mut out[..4]);
        digits(month, &mut out[4..6]);
        digits(day, &mut out[6..]);
    }
    out
}

/// `MM/DD/YY`.
pub(super) fn american(day: i32) -> [u8; 8] {
    let text = year_first(day);
    let mut out = *b"  /  /  ";
    for (place, from) in [(0, 4), (1, 5), (3, 6), (4, 7), (6, 2), (7, 3)] {
        out[place] = text[from];
    }
    out
}

/// Runs a function of dates or timestamps; `false` for another function.
pub(super) fn call(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize) -> Result<bool> {
    match builtin {
        Builtin::CToD | Builtin::SToD => {
            let text = machine.text()?;
            let bytes = machine.bytes(text);
            let day = if builtin == Builtin::CToD { read_american(bytes) } else { super::field::date(bytes) };
            machine.push(Slot::Date(day));
            return Ok(true);
        }
        Builtin::SToTS => {
            let text = machine.text()?;
            let (day, ms) = read_stored(machine.bytes(text)).unwrap_or((0, 0));
            machine.push(Slot::Timestamp(day, ms));
            return Ok(true);
        }
        Builtin::DToC | Builtin::TToC if arguments > 1 => {
            machine.pop()?;
        }
        _ => {}
    }
    if !takes_moment(builtin) {
        return Ok(false);
    }
    let (day, ms) = match machine.pop()? {
        Slot::Date(day) => (day, 0),
        Slot::Timestamp(day, ms) => (day, ms),
        _ => return Ok(false),
    };
    of_moment(machine, builtin, arguments, day, ms)?;
    Ok(true)
}

fn takes_moment(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(
        builtin,
        Year | Month | Week | Day | Dow | Cdow | Cmonth | DToS | DToC | DToT | TToD | TToC | TToS | Hour | Minute | Sec
    )
}

fn of_moment(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize, day: i32, ms: i32) -> Result<()> {
    let mark = machine.mark();
    let integer = |number: i64| Slot::Number(Number::Integer(number));
    let slot = match builtin {
        Builtin::Year => integer(i64::from(parts(day).0)),
        Builtin::Month => integer(i64::from(parts(day).1)),
        Builtin::Day => integer(i64::from(parts(day).2)),
        Builtin::Dow if day < FIRST_DAY => integer(0),
        Builtin::Dow => integer(i64::from(Date::from_julian(day).weekday()) + 1),
        Builtin::Week => integer(week(day)),
        Builtin::Hour => integer(i64::from(ms / 3_600_000)),
        Builtin::Minute => integer(i64::from(ms / 60_000 % 60)),
        Builtin::Sec if ms % 1000 != 0 => {
            return Err(Error::new(Code::Unsupported, "SEC() of a time with a fraction of a second"));
        }
        Builtin::Sec => integer(i64::from(ms / 1000 % 60)),
        Builtin::DToT => Slot::Timestamp(day, 0),
        Builtin::TToD => Slot::Date(day),
        _ => {
            print(machine, builtin, arguments, day, ms)?;
            Slot::Text(machine.since(mark))
        }
    };
    machine.push(slot);
    Ok(())
}

/// Weeks begin on Sunday, the first with the first of January, as in Advantage's SQL; 0 for the blank date.
fn week(day: i32) -> i64 {
    let Some(first) = (day >= FIRST_DAY).then(|| Date::from_ymd(parts(day).0, 1, 1)).flatten() else { return 0 };
    i64::from((day - first.julian() + first.weekday() as i32) / 7 + 1)
}

/// `YYYYMMDD[ HH:MM[:SS[.mmm]][am|pm]]`.
fn read_stored(text: &[u8]) -> Option<(i32, i32)> {
    let text = std::str::from_utf8(text).ok()?.trim().to_ascii_lowercase();
    let (day, time) = (super::field::date(text.as_bytes()), text.get(8..)?.trim());
    let (clock, half) = match (time.strip_suffix("am"), time.strip_suffix("pm")) {
        (Some(clock), _) => (clock.trim(), Some(0)),
        (_, Some(clock)) => (clock.trim(), Some(HALF_DAY_MS)),
        _ => (time, None),
    };
    let ms = if clock.is_empty() { 0 } else { super::lexer::ms_of(clock)? };
    (day > 0).then_some((day, half.map_or(ms, |half| ms % HALF_DAY_MS + half)))
}

/// Appends what the function prints.
fn print(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize, day: i32, ms: i32) -> Result<()> {
    match builtin {
        Builtin::Cmonth => {
            let month = parts(day).1.checked_sub(1);
            machine.append_bytes(month.map_or("", |month| Date::MONTHS[month as usize % 12]).as_bytes())
        }
        Builtin::Cdow if day < FIRST_DAY => Ok(()),
        Builtin::Cdow => machine.append_bytes(Date::WEEKDAYS[Date::from_julian(day).weekday() as usize % 7].as_bytes()),
        Builtin::DToC if arguments == 1 => machine.append_bytes(&american(day)),
        Builtin::DToC | Builtin::DToS => machine.append_bytes(&year_first(day)),
        Builtin::TToC if day <= 0 => {
            Err(Error::new(Code::Unsupported, "what TTOC() makes of an empty time is not documented"))
        }
        _ => moment(machine, builtin == Builtin::TToS, day, ms),
    }
}

/// `YYYYMMDDhhmmss`, and `mmm` where milliseconds are wanted. The day of an empty time is zeros.
fn moment(machine: &mut Machine<'_>, milliseconds: bool, day: i32, ms: i32) -> Result<()> {
    let mut out = [b'0'; 17];
    if day > 0 {
        out[..8].copy_from_slice(&year_first(day));
    }
    let ms = ms.unsigned_abs();
    digits(ms / 3_600_000, &mut out[8..10]);
    digits(ms / 60_000 % 60, &mut out[10..12]);
    digits(ms / 1000 % 60, &mut out[12..14]);
    digits(ms % 1000, &mut out[14..]);
    machine.append_bytes(if milliseconds { &out } else { &out[..14] })
}

/// A moment this many days later; a fraction of a day counts in milliseconds.
pub(super) fn later(day: i32, ms: i32, days: Number) -> Slot {
    let moved = match days {
        Number::Integer(days) => days.saturating_mul(DAY_MS),
        Number::Double(days) => (days * DAY_MS as f64 + 0.5) as i64,
    };
    let total = (i64::from(day) * DAY_MS + i64::from(ms)).saturating_add(moved);
    let day = total.div_euclid(DAY_MS).clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    Slot::Timestamp(day as i32, total.rem_euclid(DAY_MS) as i32)
}

/// Three numbers with anything between them: month, day, year. Years below 100 are of the twentieth
/// century, the default of SET EPOCH.
fn read_american(text: &[u8]) -> i32 {
    let mut numbers = text.split(|byte| !byte.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut next = || {
        let number =
            |part: &[u8]| part.iter().fold(0u32, |sum, digit| (sum * 10 + u32::from(digit - b'0')).min(99_999));
        numbers.next().map_or(0, number)
    };
    let (month, day, year) = (next(), next(), next());
    let year = if year < 100 { year + 1900 } else { year };
    i32::try_from(year).ok().and_then(|year| Date::from_ymd(year, month, day)).map_or(0, Date::julian)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_print() {
        assert_eq!(&year_first(2_451_604), b"20000229");
        assert_eq!(&american(2_451_604), b"02/29/00");
        assert_eq!(&year_first(0), b"        ");
        assert_eq!(&american(0), b"  /  /  ");
        assert_eq!(&year_first(1000), b"00000000");
    }

    #[test]
    fn american_dates_are_read() {
        assert_eq!(read_american(b"02/29/2000"), 2_451_604);
        assert_eq!(read_american(b"  2.29.1996 "), Date::from_ymd(1996, 2, 29).unwrap().julian());
        assert_eq!(read_american(b"12/31/99"), Date::from_ymd(1999, 12, 31).unwrap().julian());
        assert_eq!(read_american(b"  /  /  "), 0);
        assert_eq!(read_american(b"13/31/99"), 0);
    }

    #[test]
    fn moments_move_by_days() {
        assert!(matches!(later(10, 0, Number::Double(0.5)), Slot::Timestamp(10, 43_200_000)));
        assert!(matches!(later(10, 0, Number::Integer(-1)), Slot::Timestamp(9, 0)));
    }
}
