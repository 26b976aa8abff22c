//! Intervals.
//!
//! SQL has two kinds that do not mix, because a month has no fixed number of days: YEAR TO MONTH and DAY TO SECOND.
//! An [`Interval`] has room for both, as in Arrow, so that an expression may add them one after the other; a
//! column holds one kind.
//!
//! ```text
//!   INTERVAL '1-06' YEAR TO MONTH               months = 18
//!   INTERVAL '3 04:05:06.7' DAY TO SECOND       days = 3, ticks = 4 h 5 min 6.7 s
//!   INTERVAL '-1-06' YEAR TO MONTH              months = -18: the sign is of the whole
//! ```
//!
//! A day is 24 hours: daylight saving time is handled by time zones.

use crate::scan::{Scanner, not_a};
use crate::time::{digits_needed, scan_minutes};
use crate::{Error, Result, TICKS_PER_DAY, TICKS_PER_SECOND, Time};
use std::fmt;
use std::str::FromStr;

/// Months, days and ticks of 100 ns, which may have different signs.
///
/// The order is right for two of the same kind that are [`normalized`](Interval::normalized), as those of columns are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// Months.
    pub months: i32,
    /// Days.
    pub days: i32,
    /// Ticks of 100 ns.
    pub ticks: i64,
}

impl Interval {
    /// Years and months as a count of months.
    pub fn from_months(months: i32) -> Interval {
        Interval { months, ..Interval::default() }
    }

    /// This many ticks as days and less than a day, if the days fit.
    pub fn from_ticks(ticks: i128) -> Option<Interval> {
        let day = i128::from(TICKS_PER_DAY);
        let days = i32::try_from(ticks / day).ok()?;
        Some(Interval { months: 0, days, ticks: (ticks % day) as i64 })
    }

    /// The same length with less than a day in `ticks`, of the sign that `days` has; `None` if the days do not fit.
    pub fn normalized(self) -> Option<Interval> {
        Interval::from_ticks(self.day_ticks()).map(|rest| Interval { months: self.months, ..rest })
    }

    /// Days and ticks together, in ticks.
    pub fn day_ticks(self) -> i128 {
        i128::from(self.days) * i128::from(TICKS_PER_DAY) + i128::from(self.ticks)
    }

    /// Rounded to this many digits after the second, halves away from zero; `None` if the days do not fit.
    pub fn rounded(self, digits: u8) -> Option<Interval> {
        let unit = 10i128.pow(u32::from(7u8.saturating_sub(digits)));
        let ticks = self.day_ticks();
        let whole = (ticks.abs() + unit / 2) / unit * unit;
        Interval::from_ticks(whole * ticks.signum()).map(|rest| Interval { months: self.months, ..rest })
    }

    /// `[+-]Y-M`: years and months (0 to 11).
    pub fn parse_year_month(text: &str) -> Result<Interval> {
        let mut scanner = Scanner::new(text);
        let months = scan_year_month(&mut scanner).filter(|_| scanner.is_at_end());
        months.map(Interval::from_months).ok_or_else(|| not_a("an interval of years and months", text, "'1-06'"))
    }

    /// `[+-]D H:MM[:SS[.fffffff]]`, or without days as many hours as it takes: `[+-]H:MM[:SS[.fffffff]]`.
    pub fn parse_day_time(text: &str) -> Result<Interval> {
        let mut scanner = Scanner::new(text);
        let ticks = scan_day_time(&mut scanner).filter(|_| scanner.is_at_end());
        let interval = ticks.and_then(Interval::from_ticks);
        interval.ok_or_else(|| not_a("an interval of days and time", text, "'3 04:05:06.7'"))
    }
}

fn scan_year_month(scanner: &mut Scanner<'_>) -> Option<i32> {
    let minus = scanner.minus();
    let years = scanner.digits(1, 9)?;
    let months = scanner.after(b'-')?.digits(1, 2).filter(|months| *months < 12)?;
    let total = years * 12 + months;
    i32::try_from(if minus { -total } else { total }).ok()
}

fn scan_day_time(scanner: &mut Scanner<'_>) -> Option<i128> {
    let minus = scanner.minus();
    let first = scanner.digits(1, 10)?;
    let total = if scanner.eat(b' ') {
        let hours = scanner.digits(1, 2).filter(|hours| *hours < 24)?;
        let time = hours * 3600 * TICKS_PER_SECOND + scan_minutes(scanner)?;
        i128::from(first) * i128::from(TICKS_PER_DAY) + i128::from(time)
    } else {
        i128::from(first) * i128::from(3600 * TICKS_PER_SECOND) + i128::from(scan_minutes(scanner)?)
    };
    Some(if minus { -total } else { total })
}

/// As SQL writes it: years and months, days and time, or one behind the other.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ticks = self.day_ticks();
        if self.months != 0 {
            let months = self.months.unsigned_abs();
            let sign = if self.months < 0 { "-" } else { "" };
            write!(f, "{sign}{}-{:02}", months / 12, months % 12)?;
            if ticks == 0 {
                return Ok(());
            }
            f.write_str(" ")?;
        }
        let day = i128::from(TICKS_PER_DAY);
        let time = Time((ticks.abs() % day) as i64);
        let sign = if ticks < 0 { "-" } else { "" };
        write!(f, "{sign}{} {}", ticks.abs() / day, time.display(digits_needed(time.0)))
    }
}

/// Either kind: what has a `-` behind a digit is of years and months.
impl FromStr for Interval {
    type Err = Error;

    fn from_str(text: &str) -> Result<Interval> {
        let unsigned = text.trim_ascii().trim_start_matches(['+', '-']);
        if unsigned.contains('-') { Interval::parse_year_month(text) } else { Interval::parse_day_time(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for text in ["1-06", "-0-11", "3 04:05:06.7", "-3 00:00:00", "0 00:00:00", "-178956970-08"] {
            assert_eq!(text.parse::<Interval>().unwrap().to_string(), text);
        }
        assert_eq!("49:30".parse::<Interval>().unwrap().to_string(), "2 01:30:00");
        assert_eq!("1 2:00".parse::<Interval>().unwrap().to_string(), "1 02:00:00");
        assert_eq!("1-6".parse::<Interval>().unwrap(), Interval::from_months(18));
        for wrong in ["", "5", "1-12", "--1-1", "3 24:00", "1-2-3", "999999999-0", "9999999999 00:00", "1 2:0"] {
            assert!(wrong.parse::<Interval>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn signs_that_differ_are_brought_together() {
        let mixed = Interval { months: 0, days: 1, ticks: -TICKS_PER_SECOND };
        assert_eq!(mixed.to_string(), "0 23:59:59");
        assert_eq!(mixed.normalized().unwrap().days, 0);
        let largest = Interval { months: 0, days: i32::MAX, ticks: TICKS_PER_DAY };
        assert_eq!(largest.normalized(), None);
        let both = Interval { months: -1, days: 2, ticks: 0 };
        assert_eq!(both.to_string(), "-0-01 2 00:00:00");
    }

    #[test]
    fn rounding_is_half_away_from_zero() {
        let rounded = |text: &str| text.parse::<Interval>().unwrap().rounded(0).unwrap().to_string();
        assert_eq!(rounded("0 23:59:59.5"), "1 00:00:00");
        assert_eq!(rounded("-0 23:59:59.5"), "-1 00:00:00");
    }
}
