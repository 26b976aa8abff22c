//! Dates on the proleptic Gregorian calendar.
//!
//! A [`Date`] is a count of days from 1970-01-01, as in Arrow's `Date32`. xBase files count Julian
//! days instead (2,440,588 is 1970-01-01); the conversions are here so that the number is written only
//! once. The calendar arithmetic is the era-based algorithm that Howard Hinnant describes in
//! "chrono-Compatible Low-Level Date Algorithms".

use crate::scan::{Scanner, not_a};
use crate::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The Julian day number of 1970-01-01.
const JULIAN_OF_EPOCH: i32 = 2_440_588;

/// A day: the number of days after 1970-01-01 (negative before).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(pub i32);

impl Date {
    /// 0001-01-01, the first day that a column may hold.
    pub const FIRST: Date = Date(-719_162);
    /// 9999-12-31, the last day that a column may hold.
    pub const LAST: Date = Date(2_932_896);
    /// The months as English calls them, from January on.
    pub const MONTHS: [&'static str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    /// The days of the week as English calls them, in the order of [`Date::weekday`].
    pub const WEEKDAYS: [&'static str; 7] =
        ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

    /// The day of this year, month (1-12) and day (1-31), or `None` if there is no such day.
    pub fn from_ymd(year: i32, month: u32, day: u32) -> Option<Date> {
        if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) || !(-9999..=9999).contains(&year)
        {
            return None;
        }
        let year = if month <= 2 { year - 1 } else { year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month_from_march = (month as i32 + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + day as i32 - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Some(Date(era * 146_097 + day_of_era - 719_468))
    }

    /// Year, month (1-12) and day (1-31).
    pub fn ymd(self) -> (i32, u32, u32) {
        let days = i64::from(self.0) + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
        let year = (year_of_era + era * 400) as i32 + i32::from(month <= 2);
        (year, month, day)
    }

    /// The day with this Julian day number.
    pub fn from_julian(julian: i32) -> Date {
        Date(julian.wrapping_sub(JULIAN_OF_EPOCH))
    }

    /// The Julian day number.
    pub fn julian(self) -> i32 {
        self.0.wrapping_add(JULIAN_OF_EPOCH)
    }

    /// 0 for Sunday to 6 for Saturday.
    pub fn weekday(self) -> u32 {
        (i64::from(self.0) + 4).rem_euclid(7) as u32
    }

    /// Reads `YYYY-MM-DD` from the front of a text.
    pub(crate) fn scan(scanner: &mut Scanner<'_>) -> Option<Date> {
        let year = scanner.digits(4, 4)? as i32;
        let month = scanner.after(b'-')?.digits(2, 2)? as u32;
        let day = scanner.after(b'-')?.digits(2, 2)? as u32;
        Date::from_ymd(year, month, day).filter(|date| *date >= Date::FIRST)
    }
}

fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.ymd();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// `YYYY-MM-DD`, years 0001 to 9999.
impl FromStr for Date {
    type Err = Error;

    fn from_str(text: &str) -> Result<Date> {
        let mut scanner = Scanner::new(text);
        let date = Date::scan(&mut scanner).filter(|_| scanner.is_at_end());
        date.ok_or_else(|| not_a("a date", text, "YYYY-MM-DD"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        assert_eq!(Date::from_ymd(1970, 1, 1), Some(Date(0)));
        assert_eq!(Date::from_ymd(2000, 2, 29).map(Date::julian), Some(2_451_604));
        assert_eq!(Date::from_ymd(1900, 2, 29), None);
        assert_eq!(Date::from_ymd(2026, 11, 21).map(Date::weekday), Some(6));
        assert_eq!(Date::from_ymd(1, 1, 1), Some(Date::FIRST));
        assert_eq!(Date::from_ymd(9999, 12, 31), Some(Date::LAST));
    }

    #[test]
    fn every_day_of_eight_centuries_survives_the_round_trip() {
        for day in -200_000..100_000 {
            let (year, month, dom) = Date(day).ymd();
            assert_eq!(Date::from_ymd(year, month, dom), Some(Date(day)));
        }
    }

    #[test]
    fn text_and_back() {
        for text in ["0001-01-01", "1970-01-01", "2024-02-29", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        for wrong in ["", "2024-02-30", "2024-2-3", "0000-01-01", "2024-01-01x", "20240101", "2024-01-01 10:00"] {
            let error = wrong.parse::<Date>().unwrap_err();
            assert_eq!(error.code(), crate::Code::InvalidValue, "{wrong}");
        }
    }
}
