//! Parts of a date: their names, their values, and arithmetic with them.
//!
//! The names and abbreviations are those of the reference pages of DATEPART and DATEADD. Differences count boundaries
//! that lie between two moments, so the last second of a year is one year before the first of the next.

use mainstay_types::{Date, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp};

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Part {
    Year,
    Quarter,
    Month,
    DayOfYear,
    Day,
    Week,
    Weekday,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    TzOffset,
    IsoWeek,
}
use Part::*;

/// Every name; the first of a part is the one that messages have.
const NAMES: [(Part, &[&str]); 15] = [
    (Year, &["year", "yy", "yyyy"]),
    (Quarter, &["quarter", "qq", "q"]),
    (Month, &["month", "mm", "m"]),
    (DayOfYear, &["dayofyear", "dy", "y"]),
    (Day, &["day", "dd", "d"]),
    (Week, &["week", "wk", "ww"]),
    (Weekday, &["weekday", "dw", "w"]),
    (Hour, &["hour", "hh"]),
    (Minute, &["minute", "mi", "n"]),
    (Second, &["second", "ss", "s"]),
    (Millisecond, &["millisecond", "ms"]),
    (Microsecond, &["microsecond", "mcs"]),
    (Nanosecond, &["nanosecond", "ns"]),
    (TzOffset, &["tzoffset", "tz"]),
    (IsoWeek, &["iso_week", "isowk", "isoww"]),
];

impl Part {
    /// The part of this name or abbreviation, in any case.
    pub fn by_name(name: &str) -> Option<Part> {
        let has = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        NAMES.iter().find(|(_, names)| has(names)).map(|(part, _)| *part)
    }

    /// The name in full.
    pub fn name(self) -> &'static str {
        let names = NAMES.iter().find(|(part, _)| *part == self).map(|(_, names)| *names);
        names.and_then(|names| names.first()).copied().unwrap_or_default()
    }

    /// Returns true if it is a part of the day and not of the time.
    pub fn is_of_date(self) -> bool {
        matches!(self, Year | Quarter | Month | DayOfYear | Day | Week | Weekday | IsoWeek)
    }

    /// Ticks of 100 ns in one of them, if it has a fixed length of at least one.
    fn ticks(self) -> Option<i64> {
        Some(match self {
            DayOfYear | Day | Weekday => TICKS_PER_DAY,
            Week | IsoWeek => 7 * TICKS_PER_DAY,
            Hour => 3600 * TICKS_PER_SECOND,
            Minute => 60 * TICKS_PER_SECOND,
            Second => TICKS_PER_SECOND,
            Millisecond => TICKS_PER_SECOND / 1_000,
            Microsecond => TICKS_PER_SECOND / 1_000_000,
            Year | Quarter | Month | Nanosecond | TzOffset => return None,
        })
    }

    /// Months in one of them.
    fn months(self) -> Option<i64> {
        match self {
            Year => Some(12),
            Quarter => Some(3),
            Month => Some(1),
            _ => None,
        }
    }

    /// Returns true if a DATE has it and a TIME has not.
    pub fn fits(self, date: bool, time: bool) -> bool {
        if self.is_of_date() { date } else { time }
    }
}

/// So many of a part after a moment; `None` outside of the years 1 to 9999.
pub fn add(part: Part, count: i64, moment: Timestamp) -> Option<Timestamp> {
    let after = match (part.months(), part.ticks()) {
        (Some(months), _) => {
            let date = add_months(moment.date(), count.checked_mul(months)?)?;
            Timestamp::at(date, moment.time().0)
        }
        (None, Some(ticks)) => Timestamp(moment.0.checked_add(count.checked_mul(ticks)?)?),
        // Nanoseconds round to a tick.
        (None, None) => Timestamp(moment.0.checked_add(count.saturating_add(50 * count.signum()) / 100)?),
    };
    (Timestamp::FIRST..=Timestamp::LAST).contains(&after).then_some(after)
}

/// So many months later, on the same day of the month or the last one that there is.
pub fn add_months(date: Date, months: i64) -> Option<Date> {
    let (year, month, day) = date.ymd();
    let total = i64::from(year).checked_mul(12)?.checked_add(i64::from(month) - 1)?.checked_add(months)?;
    let (year, month) = (i32::try_from(total.div_euclid(12)).ok()?, total.rem_euclid(12) as u32 + 1);
    (0..4).find_map(|less| Date::from_ymd(year, month, day.checked_sub(less)?))
}

/// Boundaries of a part between two moments; `None` when an i64 does not count them.
pub fn difference(part: Part, from: Timestamp, to: Timestamp) -> Option<i64> {
    let ((year, month, _), (to_year, to_month, _)) = (from.date().ymd(), to.date().ymd());
    let months = |date_year: i32, date_month: u32| i64::from(date_year) * 12 + i64::from(date_month) - 1;
    Some(match part {
        Year => i64::from(to_year - year),
        Quarter => months(to_year, to_month).div_euclid(3) - months(year, month).div_euclid(3),
        Month => months(to_year, to_month) - months(year, month),
        // Weeks begin on Sunday here, whatever DATEFIRST says. Day 0 was a Thursday.
        Week => (i64::from(to.date().0) + 4).div_euclid(7) - (i64::from(from.date().0) + 4).div_euclid(7),
        IsoWeek => (i64::from(to.date().0) + 3).div_euclid(7) - (i64::from(from.date().0) + 3).div_euclid(7),
        Nanosecond | TzOffset => (to.0.checked_sub(from.0)?).checked_mul(100)?,
        _ => {
            let ticks = part.ticks()?;
            to.0.div_euclid(ticks) - from.0.div_euclid(ticks)
        }
    })
}

/// The value of a part; `date_first` is the first day of the week, 1 for Monday.
pub fn value(part: Part, moment: Timestamp, offset_minutes: i16, date_first: u8) -> i64 {
    let (date, (hour, minute, second, ticks)) = (moment.date(), moment.time().hms());
    let (year, month, day) = date.ymd();
    match part {
        Year => year.into(),
        Quarter => i64::from(month - 1) / 3 + 1,
        Month => month.into(),
        DayOfYear => day_of_year(date),
        Day => day.into(),
        Week => week(date, date_first),
        Weekday => weekday(date, date_first),
        Hour => hour.into(),
        Minute => minute.into(),
        Second => second.into(),
        Millisecond => i64::from(ticks) / 10_000,
        Microsecond => i64::from(ticks) / 10,
        Nanosecond => i64::from(ticks) * 100,
        TzOffset => offset_minutes.into(),
        IsoWeek => iso_week(date),
    }
}

/// 1 for Monday to 7 for Sunday.
pub fn iso_weekday(date: Date) -> i64 {
    match date.weekday() {
        0 => 7,
        day => day.into(),
    }
}

fn weekday(date: Date, date_first: u8) -> i64 {
    (iso_weekday(date) - i64::from(date_first)).rem_euclid(7) + 1
}

fn first_of_year(year: i32) -> Date {
    Date::from_ymd(year, 1, 1).unwrap_or(Date::FIRST)
}

fn day_of_year(date: Date) -> i64 {
    i64::from(date.0 - first_of_year(date.ymd().0).0) + 1
}

/// The first week has the first of January, however few its days are.
fn week(date: Date, date_first: u8) -> i64 {
    let before = weekday(first_of_year(date.ymd().0), date_first) - 1;
    (day_of_year(date) - 1 + before) / 7 + 1
}

/// The week of ISO 8601: from Monday, and the first has the first Thursday.
fn iso_week(date: Date) -> i64 {
    let thursday = Date(date.0 - iso_weekday(date) as i32 + 4);
    (day_of_year(thursday) - 1) / 7 + 1
}

/// The beginning of the part that a moment is in.
pub fn truncate(part: Part, moment: Timestamp, date_first: u8) -> Option<Timestamp> {
    let date = moment.date();
    let (year, month, _) = date.ymd();
    let midnight = |date: Date| Some(Timestamp::at(date, 0)).filter(|moment| *moment >= Timestamp::FIRST);
    match part {
        Year => midnight(first_of_year(year)),
        Quarter => midnight(Date::from_ymd(year, (month - 1) / 3 * 3 + 1, 1)?),
        Month => midnight(Date::from_ymd(year, month, 1)?),
        Week => midnight(Date(date.0 - (weekday(date, date_first) as i32 - 1))),
        IsoWeek => midnight(Date(date.0 - (iso_weekday(date) as i32 - 1))),
        Weekday | Nanosecond | TzOffset => None,
        _ => {
            let ticks = part.ticks()?;
            Some(Timestamp(moment.0.div_euclid(ticks) * ticks))
        }
    }
}

/// The beginning of the bucket that a moment is in, where buckets are so many parts wide and one of them begins at the
/// origin.
pub fn bucket(part: Part, width: i64, moment: Timestamp, origin: Timestamp) -> Option<Timestamp> {
    match (part.months(), part.ticks()) {
        (Some(months), _) => {
            let months = months.checked_mul(width)?;
            let mut count = difference(Month, origin, moment)?.div_euclid(months);
            // The day and time of the origin may come later in the month than the moment's.
            let at = |count: i64| add(Month, count.checked_mul(months)?, origin);
            if at(count)? > moment {
                count -= 1;
            }
            at(count)
        }
        (None, Some(ticks)) => {
            let ticks = ticks.checked_mul(width)?;
            let count = moment.0.checked_sub(origin.0)?.div_euclid(ticks);
            let bucket = Timestamp(origin.0.checked_add(count.checked_mul(ticks)?)?);
            (Timestamp::FIRST..=Timestamp::LAST).contains(&bucket).then_some(bucket)
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn names() {
        for (_, names) in NAMES {
            for name in names {
                assert_eq!(Part::by_name(&name.to_uppercase()).map(Part::name), names.first().copied());
            }
        }
        assert_eq!(Part::by_name("fortnight"), None);
    }

    #[test]
    fn months_end_where_they_end() {
        assert_eq!(add(Month, 1, moment("2024-01-31")), Some(moment("2024-02-29")));
        assert_eq!(add(Month, -1, moment("2023-03-31 10:00")), Some(moment("2023-02-28 10:00")));
        assert_eq!(add(Year, 1, moment("2024-02-29")), Some(moment("2025-02-28")));
        assert_eq!(add(Nanosecond, 149, moment("2024-01-01")), Some(moment("2024-01-01 00:00:00.0000001")));
        assert_eq!(add(Nanosecond, 150, moment("2024-01-01")), Some(moment("2024-01-01 00:00:00.0000002")));
        assert_eq!(add(Year, 10_000, moment("2024-01-01")), None);
        assert_eq!(add(Year, i64::MAX, moment("2024-01-01")), None);
    }

    #[test]
    fn differences_count_boundaries() {
        let (last, first) = (moment("2005-12-31 23:59:59.9999999"), moment("2006-01-01 00:00:00"));
        for part in [Year, Quarter, Month, DayOfYear, Day, Week, Hour, Minute, Second, Millisecond, Microsecond] {
            assert_eq!(difference(part, last, first), Some(1), "{}", part.name());
        }
        assert_eq!(difference(Week, moment("2024-01-06"), moment("2024-01-07")), Some(1));
        assert_eq!(difference(Week, moment("2024-01-07"), moment("2024-01-13")), Some(0));
        assert_eq!(difference(Month, moment("2024-03-31"), moment("2024-02-01")), Some(-1));
    }

    #[test]
    fn values_of_parts() {
        let at = moment("2007-10-30 12:15:32.1234567");
        let expected = [
            (Year, 2007),
            (Quarter, 4),
            (Month, 10),
            (DayOfYear, 303),
            (Day, 30),
            (Week, 44),
            (Weekday, 3),
            (Hour, 12),
            (Minute, 15),
            (Second, 32),
            (Millisecond, 123),
            (Microsecond, 123_456),
            (Nanosecond, 123_456_700),
            (TzOffset, 310),
            (IsoWeek, 44),
        ];
        for (part, expected) in expected {
            assert_eq!(value(part, at, 310, 7), expected, "{}", part.name());
        }
        // The table of the page of SET DATEFIRST: 1999-01-01 was a Friday.
        for (date_first, expected) in [(7, 6), (3, 3), (1, 5)] {
            assert_eq!(value(Weekday, moment("1999-01-01"), 0, date_first), expected);
        }
        assert_eq!(value(IsoWeek, moment("2021-01-03"), 0, 7), 53);
        assert_eq!(value(Week, moment("2021-01-03"), 0, 7), 2);
    }

    #[test]
    fn beginnings_and_buckets() {
        let at = moment("2021-12-08 11:30:15.1234567");
        for (part, expected) in [
            (Year, "2021-01-01"),
            (Quarter, "2021-10-01"),
            (Month, "2021-12-01"),
            (Week, "2021-12-05"),
            (IsoWeek, "2021-12-06"),
            (DayOfYear, "2021-12-08"),
            (Hour, "2021-12-08 11:00"),
            (Second, "2021-12-08 11:30:15"),
            (Millisecond, "2021-12-08 11:30:15.123"),
        ] {
            assert_eq!(truncate(part, at, 7), Some(moment(expected)), "{}", part.name());
        }
        let origin = moment("1900-01-01");
        let at = moment("2020-04-15 21:22:11");
        assert_eq!(bucket(Week, 1, at, origin), Some(moment("2020-04-13")));
        assert_eq!(bucket(Month, 1, at, origin), Some(moment("2020-04-01")));
        assert_eq!(bucket(Hour, 2, at, origin), Some(moment("2020-04-15 20:00")));
        assert_eq!(bucket(Year, 7, at, origin), Some(moment("2019-01-01")));
    }
}
