//! Ranges and precision of DATETIME and SMALLDATETIME, and their values as numbers of days.
//!
//! A DATETIME counts days after 1900-01-01 and 1/300 s of the day. It is shown as milliseconds that end in 0, 3 or 7,
//! and its values are stored so: the milliseconds determine the 1/300 s, so nothing is lost. (As a DATETIME2 it has its
//! 3.3333333 ms, as of compatibility level 130.)

use mainstay_types::{Date, Decimal, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp};

/// 1900-01-01, the day 0 of DATETIME.
pub const EPOCH: Date = Date(-25_567);

/// 1753-01-01, the first day of DATETIME.
pub const FIRST: Date = Date(-79_257);

/// 2079-06-06, the last day of SMALLDATETIME.
const LAST_SMALL: Date = Date(39_968);

/// 1/300 s in a day.
const UNITS_PER_DAY: i64 = 86_400 * 300;

const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;

/// The nearest DATETIME; `None` outside of the years 1753 to 9999.
pub fn round(moment: Timestamp) -> Option<Timestamp> {
    let (days, units) = to_units(moment);
    from_units(days, units)
}

/// Days after 1900-01-01, and the nearest 1/300 s of the day (which may be the end of it).
pub fn to_units(moment: Timestamp) -> (i32, i64) {
    let units = (moment.time().0 * 300 + TICKS_PER_SECOND / 2) / TICKS_PER_SECOND;
    (moment.date().0 - EPOCH.0, units)
}

/// The moment of so many days after 1900-01-01 and so many 1/300 s, in milliseconds that end in 0, 3 or 7.
pub fn from_units(days: i32, units: i64) -> Option<Timestamp> {
    let days = i64::from(days) + units.div_euclid(UNITS_PER_DAY) + i64::from(EPOCH.0);
    let units = units.rem_euclid(UNITS_PER_DAY);
    let ms = (units * 10 + 1) / 3;
    let date = Date(i32::try_from(days).ok()?);
    (FIRST..=Date::LAST).contains(&date).then(|| Timestamp::new(date, ms as u32))
}

/// A DATETIME as the DATETIME2(7) of the same moment: its 1/300 s in full.
pub fn exact(moment: Timestamp) -> Timestamp {
    let (days, units) = to_units(moment);
    Timestamp::at(Date(days + EPOCH.0), (units * TICKS_PER_SECOND + 150) / 300)
}

/// The nearest SMALLDATETIME: a minute, 29.998 s of which are still the one before; `None` outside of 1900-01-01 to
/// 2079-06-06.
pub fn round_small(moment: Timestamp) -> Option<Timestamp> {
    // The seconds are those of a DATETIME first, so 29.999 s is 30 s.
    let moment = round(moment)?;
    let minutes = (moment.0 + TICKS_PER_MINUTE / 2).div_euclid(TICKS_PER_MINUTE);
    let rounded = Timestamp(minutes * TICKS_PER_MINUTE);
    (EPOCH..=LAST_SMALL).contains(&rounded.date()).then_some(rounded)
}

/// Days after 1900-01-01 with their fraction.
pub fn to_days(moment: Timestamp) -> f64 {
    let (days, units) = to_units(moment);
    f64::from(days) + units as f64 / UNITS_PER_DAY as f64
}

/// Days after 1900-01-01 as an exact number of 18 digits after the point.
pub fn to_exact_days(moment: Timestamp) -> Decimal {
    const SCALE: i128 = 1_000_000_000_000_000_000;
    let (days, units) = to_units(moment);
    let fraction = (i128::from(units) * SCALE * 2 + i128::from(UNITS_PER_DAY)) / (i128::from(UNITS_PER_DAY) * 2);
    Decimal::new(i128::from(days) * SCALE + fraction, 18)
}

/// The DATETIME so many days after 1900-01-01.
pub fn from_days(days: f64) -> Option<Timestamp> {
    let whole = days.floor();
    if !(-60_000.0..3_000_000.0).contains(&whole) {
        return None;
    }
    from_units(whole as i32, ((days - whole) * UNITS_PER_DAY as f64).round() as i64)
}

/// The DATETIME so many days after 1900-01-01.
pub fn from_exact_days(days: Decimal) -> Option<Timestamp> {
    let unit = 10i128.checked_pow(u32::from(days.scale))?;
    let whole = i32::try_from(days.unscaled.div_euclid(unit)).ok()?;
    let fraction = Decimal::new(days.unscaled.rem_euclid(unit), days.scale).to_f64();
    from_units(whole, (fraction * UNITS_PER_DAY as f64).round() as i64)
}

/// The moment rounded to so many digits of a second; `None` past the end of the year 9999.
pub fn round_digits(moment: Timestamp, digits: u8) -> Option<Timestamp> {
    let rounded = moment.rounded(digits);
    (Timestamp::FIRST..=Timestamp::LAST).contains(&rounded).then_some(rounded)
}

/// Ticks of a day rounded to so many digits of a second; those that reach the next day stay before its end for TIME.
pub fn round_time(ticks: i64, digits: u8) -> i64 {
    let rounded = Timestamp(ticks).rounded(digits).0;
    // TIME has no midnight to carry into: 23:59:59.9999999 becomes 00:00:00.
    rounded.rem_euclid(TICKS_PER_DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn datetime_rounds_to_a_300th() {
        for (from, to) in [
            ("1998-01-01 23:59:59.999", "1998-01-02 00:00:00.000"),
            ("1998-01-01 23:59:59.998", "1998-01-01 23:59:59.997"),
            ("1998-01-01 23:59:59.995", "1998-01-01 23:59:59.997"),
            ("1998-01-01 23:59:59.994", "1998-01-01 23:59:59.993"),
            ("1998-01-01 23:59:59.992", "1998-01-01 23:59:59.993"),
            ("1998-01-01 23:59:59.991", "1998-01-01 23:59:59.990"),
            ("1998-01-01 10:00:00.002", "1998-01-01 10:00:00.003"),
        ] {
            assert_eq!(round(moment(from)).unwrap().display(3).to_string(), to);
        }
        assert_eq!(round(moment("1752-12-31 10:00:00")), None);
        assert_eq!(exact(moment("2024-01-01 00:00:00.003")).to_string(), "2024-01-01 00:00:00.0033333");
    }

    #[test]
    fn every_300th_survives() {
        for units in (0..UNITS_PER_DAY).step_by(997) {
            let kept = from_units(45_000, units).unwrap();
            assert_eq!(to_units(kept), (45_000, units));
            assert_eq!(round(kept), Some(kept));
        }
    }

    #[test]
    fn smalldatetime_rounds_to_a_minute() {
        for (from, to) in [("2000-05-08 12:35:29.998", "12:35"), ("2000-05-08 12:35:29.999", "12:36")] {
            assert!(round_small(moment(from)).unwrap().to_string().contains(to), "{from}");
        }
        assert_eq!(round_small(moment("2079-06-07 00:00:00")), None);
    }

    #[test]
    fn days() {
        let noon = moment("1900-01-02 12:00:00");
        assert_eq!(to_days(noon), 1.5);
        assert_eq!(from_days(1.5), Some(noon));
        assert_eq!(from_exact_days(Decimal::new(15, 1)), Some(noon));
        assert_eq!(from_days(-0.25), Some(moment("1899-12-31 18:00:00")));
        assert_eq!(from_days(1e300), None);
    }
}
