//! Days since 1970-01-01, calculated from year, month and day when compiling.

/// The number of the day (Gregorian calendar, years from 1970 on).
pub const fn days(year: i32, month: i32, day: i32) -> i32 {
    // Years that begin in March: the leap day is the last of its year.
    let years = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    years * 365 + years / 4 - years / 100 + years / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::Date;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(days(1970, 1, 1), 0);
        assert_eq!(days(1992, 2, 29) + 1, days(1992, 3, 1));
        assert_eq!(days(1998, 12, 1) - 90, days(1998, 9, 2), "the last day of the first query");
        assert_eq!((days(2000, 1, 1), days(1995, 6, 17)), (10_957, 9_298));
        for day in days(1992, 1, 1)..days(1999, 1, 1) {
            let (year, month, of_month) = Date(day).ymd();
            assert_eq!(days(year, month as i32, of_month as i32), day);
        }
    }
}
