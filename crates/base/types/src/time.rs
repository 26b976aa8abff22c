//! Times of day.
//!
//! A [`Time`] counts ticks of 100 nanoseconds since midnight, the finest that any of the dialects can say
//! (`TIME(7)`). There is no leap second and no 24:00.

use crate::scan::{Scanner, not_a};
use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Ticks of 100 ns in a second.
pub const TICKS_PER_SECOND: i64 = 10_000_000;

/// Ticks of 100 ns in a day.
pub const TICKS_PER_DAY: i64 = 86_400 * TICKS_PER_SECOND;

/// Digits of the fraction of a second that a tick can say.
pub(crate) const MAX_DIGITS: u8 = 7;

/// A time of day: ticks of 100 ns since midnight, from 0 to [`TICKS_PER_DAY`], excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl Time {
    /// The time of this hour (0-23), minute, second and fraction of a second in ticks, if there is one.
    pub fn from_hms(hour: u32, minute: u32, second: u32, ticks: u32) -> Option<Time> {
        let in_range = hour < 24 && minute < 60 && second < 60 && i64::from(ticks) < TICKS_PER_SECOND;
        let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
        in_range.then_some(Time(seconds * TICKS_PER_SECOND + i64::from(ticks)))
    }

    /// The time this many nanoseconds after midnight, if that is still the same day. Less than a tick is cut off.
    pub fn from_nanos(nanos: i64) -> Option<Time> {
        let ticks = nanos.div_euclid(100);
        (0..TICKS_PER_DAY).contains(&ticks).then_some(Time(ticks))
    }

    /// Nanoseconds since midnight.
    pub fn nanos(self) -> i64 {
        self.0.saturating_mul(100)
    }

    /// Hour, minute, second, and the ticks of the fraction of a second.
    pub fn hms(self) -> (u32, u32, u32, u32) {
        let ticks = self.0.rem_euclid(TICKS_PER_DAY);
        let (seconds, fraction) = (ticks / TICKS_PER_SECOND, ticks % TICKS_PER_SECOND);
        ((seconds / 3600) as u32, (seconds / 60 % 60) as u32, (seconds % 60) as u32, fraction as u32)
    }

    /// Rounded to this many digits after the second, halves up. `None` when that is midnight of the next day.
    pub fn rounded(self, digits: u8) -> Option<Time> {
        let ticks = rounded(self.0, digits);
        (ticks < TICKS_PER_DAY).then_some(Time(ticks))
    }

    /// As text with exactly this many digits after the second (at most 7); further ones are cut off.
    pub fn display(self, digits: u8) -> impl fmt::Display {
        Shown { time: self, digits: digits.min(MAX_DIGITS) }
    }

    /// Reads `HH:MM[:SS[.fffffff]]`: the ticks, which are a whole day when a long fraction rounds up to it.
    pub(crate) fn scan(scanner: &mut Scanner<'_>) -> Option<i64> {
        let hour = scanner.digits(2, 2).filter(|hour| *hour < 24)?;
        Some(hour * 3600 * TICKS_PER_SECOND + scan_minutes(scanner)?)
    }
}

/// Reads `:MM[:SS[.fffffff]]`, as ticks.
pub(crate) fn scan_minutes(scanner: &mut Scanner<'_>) -> Option<i64> {
    let minute = scanner.after(b':')?.digits(2, 2).filter(|minute| *minute < 60)?;
    let mut ticks = minute * 60 * TICKS_PER_SECOND;
    if scanner.eat(b':') {
        let second = scanner.digits(2, 2).filter(|second| *second < 60)?;
        ticks += second * TICKS_PER_SECOND + scanner.fraction()?;
    }
    Some(ticks)
}

/// A count of ticks rounded to digits of a second, halves up (also before 1970). A result beyond the counts
/// that exist is the last or the first of them, so it stays out of every column's range.
pub(crate) fn rounded(ticks: i64, digits: u8) -> i64 {
    let unit = 10i64.pow(u32::from(MAX_DIGITS.saturating_sub(digits)));
    ticks.saturating_add(unit / 2).div_euclid(unit).saturating_mul(unit)
}

/// The number of digits after the second that a count of ticks needs.
pub(crate) fn digits_needed(ticks: i64) -> u8 {
    let mut fraction = ticks.rem_euclid(TICKS_PER_SECOND);
    let mut digits = if fraction == 0 { 0 } else { MAX_DIGITS };
    while digits > 0 && fraction % 10 == 0 {
        fraction /= 10;
        digits -= 1;
    }
    digits
}

struct Shown {
    time: Time,
    digits: u8,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute, second, fraction) = self.time.hms();
        write!(f, "{hour:02}:{minute:02}:{second:02}")?;
        if self.digits == 0 {
            return Ok(());
        }
        let fraction = fraction / 10u32.pow(u32::from(MAX_DIGITS - self.digits));
        write!(f, ".{fraction:0width$}", width = usize::from(self.digits))
    }
}

/// With as many digits after the second as it takes.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.display(digits_needed(self.0)), f)
    }
}

/// `HH:MM[:SS[.fffffff]]`; an eighth and ninth digit round.
impl FromStr for Time {
    type Err = Error;

    fn from_str(text: &str) -> Result<Time> {
        let mut scanner = Scanner::new(text);
        let ticks = Time::scan(&mut scanner).filter(|ticks| scanner.is_at_end() && *ticks < TICKS_PER_DAY);
        ticks.map(Time).ok_or_else(|| not_a("a time", text, "HH:MM[:SS[.fffffff]]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for text in ["00:00:00", "23:59:59.9999999", "01:02:03.004", "12:00:00.1"] {
            assert_eq!(text.parse::<Time>().unwrap().to_string(), text);
        }
        assert_eq!("09:30".parse::<Time>().unwrap(), Time::from_hms(9, 30, 0, 0).unwrap());
        for wrong in ["24:00", "9:30", "10:60", "10:00:60", "10:00:00.", "23:59:59.99999999", "10:00Z"] {
            assert!(wrong.parse::<Time>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn digits_are_cut_and_rounded() {
        let time = Time::from_hms(1, 2, 3, 4_560_050).unwrap();
        assert_eq!(time.display(0).to_string(), "01:02:03");
        assert_eq!(time.display(5).to_string(), "01:02:03.45600");
        assert_eq!(time.rounded(5).unwrap().to_string(), "01:02:03.45601");
        assert_eq!(Time(TICKS_PER_DAY - 1).rounded(3), None);
    }

    #[test]
    fn nanoseconds() {
        assert_eq!(Time::from_nanos(86_399_999_999_999), Some(Time(TICKS_PER_DAY - 1)));
        assert_eq!(Time::from_nanos(86_400_000_000_000), None);
        assert_eq!(Time::from_nanos(-1), None);
        assert_eq!(Time(7).nanos(), 700);
    }
}
