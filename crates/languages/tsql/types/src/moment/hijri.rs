//! The Islamic calendar of styles 130 and 131: the arithmetic one, which Microsoft calls the Kuwaiti algorithm.
//!
//! Years have 354 days, eleven of thirty one more; months have 30 and 29 days by turns.

use mainstay_types::Date;

/// The Julian day before the first one of the calendar.
const EPOCH: i64 = 1_948_439;

/// The first day of the calendar.
pub const FIRST: Date = Date(EPOCH as i32 + 1 - 2_440_588);

/// Year, month and day of a day.
pub fn ymd(date: Date) -> (i64, u32, u32) {
    let days = i64::from(date.julian()) - EPOCH - 1;
    let year = (30 * days + 10_646).div_euclid(10_631);
    let in_year = days - before_year(year);
    let month = ((in_year * 2 + 59) / 59).clamp(1, 12);
    let day = in_year - (59 * (month - 1) + 1) / 2 + 1;
    (year, month as u32, day as u32)
}

/// The day of a year, month and day, if there is one.
pub fn date(year: i64, month: u32, day: u32) -> Option<Date> {
    if !(1..=9666).contains(&year) || !(1..=12).contains(&month) || !(1..=30).contains(&day) {
        return None;
    }
    let days = before_year(year) + (59 * (i64::from(month) - 1) + 1) / 2 + i64::from(day);
    let date = Date::from_julian(i32::try_from(days + EPOCH).ok()?);
    (ymd(date) == (year, month, day) && date <= Date::LAST).then_some(date)
}

/// Days before the first one of a year.
fn before_year(year: i64) -> i64 {
    354 * (year - 1) + (3 + 11 * year).div_euclid(30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        // 1 Muharram 1445 is 19 July 2023 in the arithmetic calendar.
        assert_eq!(ymd(Date::from_ymd(2023, 7, 19).unwrap()), (1445, 1, 1));
        assert_eq!(ymd(Date::from_ymd(622, 7, 19).unwrap()), (1, 1, 1));
    }

    #[test]
    fn every_day_survives() {
        for day in (-500_000..100_000).step_by(7) {
            let (year, month, of_month) = ymd(Date(day));
            if year > 0 {
                assert_eq!(date(year, month, of_month), Some(Date(day)));
            }
        }
        assert_eq!(date(1445, 2, 30), None);
        assert_eq!(date(1, 1, 1), Some(FIRST));
    }
}
