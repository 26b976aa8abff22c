//! Timestamps: a day and a time of day.
//!
//! A [`Timestamp`] counts ticks of 100 nanoseconds from 1970-01-01 00:00. An `i64` of them reaches about 29,000
//! years either way, so every `TIMESTAMP(7)` of the years 1 to 9999 has an exact one, which nanoseconds could not
//! offer. It has no time zone: with an offset beside it (`utc` and minutes) it is a TIMESTAMP WITH TIME ZONE.
//!
//! ```text
//!   2024-01-31 10:00:00.5 +02:00     utc = 2024-01-31 08:00:00.5, offset = 120 minutes
//! ```
//!
//! Both together fit into one number, whose order is that of the timestamps in UTC ([`Timestamp::packed`]).
//!
//! Files and vectors count other units. The conversions are here, so that their factors are written only once.

use crate::scan::{Scanner, not_a};
use crate::time::{digits_needed, rounded};
use crate::{Date, Error, Interval, Result, TICKS_PER_DAY, Time};
use std::fmt;
use std::str::FromStr;

const TICKS_PER_MS: i64 = 10_000;
const TICKS_PER_US: i64 = 10;
const NANOS_PER_TICK: i64 = 100;

/// The largest offset from UTC, in minutes: ISO 9075 has 14 hours.
const MAX_OFFSET: i64 = 14 * 60;

/// The bits of a packed timestamp that contain the offset.
const OFFSET_BITS: u32 = 12;

/// The bias that makes a stored offset non-negative.
const OFFSET_BIAS: i16 = 1 << (OFFSET_BITS - 1);

const FORM: &str = "YYYY-MM-DD HH:MM[:SS[.fffffff]]";

/// A timestamp without a time zone: ticks of 100 ns after 1970-01-01 00:00 (negative before).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// 0001-01-01 00:00:00, the first timestamp that a column may hold.
    pub const FIRST: Timestamp = Timestamp(Date::FIRST.0 as i64 * TICKS_PER_DAY);
    /// 9999-12-31 23:59:59.9999999, the last timestamp that a column may hold.
    pub const LAST: Timestamp = Timestamp((Date::LAST.0 as i64 + 1) * TICKS_PER_DAY - 1);

    /// The timestamp this many milliseconds into the day. Days beyond the 29,000 years give the last one of them.
    pub fn new(date: Date, ms_of_day: u32) -> Timestamp {
        Timestamp::at(date, i64::from(ms_of_day) * TICKS_PER_MS)
    }

    /// The timestamp this many ticks into the day. Days beyond the 29,000 years give the last one of them.
    pub fn at(date: Date, ticks_of_day: i64) -> Timestamp {
        Timestamp(i64::from(date.0).saturating_mul(TICKS_PER_DAY).saturating_add(ticks_of_day))
    }

    /// The timestamp this many seconds after 1970, if it is within the 29,000 years.
    pub fn from_seconds(seconds: i64) -> Option<Timestamp> {
        seconds.checked_mul(1_000).and_then(Timestamp::from_ms)
    }

    /// The timestamp this many milliseconds after 1970, if it is within the 29,000 years.
    pub fn from_ms(ms: i64) -> Option<Timestamp> {
        ms.checked_mul(TICKS_PER_MS).map(Timestamp)
    }

    /// The timestamp this many microseconds after 1970, if it is within the 29,000 years.
    pub fn from_us(us: i64) -> Option<Timestamp> {
        us.checked_mul(TICKS_PER_US).map(Timestamp)
    }

    /// The timestamp this many nanoseconds after 1970; less than a tick is cut off, towards the past.
    pub fn from_nanos(nanos: i64) -> Timestamp {
        Timestamp(nanos.div_euclid(NANOS_PER_TICK))
    }

    /// Milliseconds after 1970; less is cut off, towards the past.
    pub fn ms(self) -> i64 {
        self.0.div_euclid(TICKS_PER_MS)
    }

    /// Returns true if it is a whole number of milliseconds.
    pub fn is_whole_ms(self) -> bool {
        self.0 % TICKS_PER_MS == 0
    }

    /// Microseconds after 1970; less is cut off, towards the past.
    pub fn us(self) -> i64 {
        self.0.div_euclid(TICKS_PER_US)
    }

    /// Nanoseconds after 1970, if an `i64` can count them: from 1677 to 2262.
    pub fn nanos(self) -> Option<i64> {
        self.0.checked_mul(NANOS_PER_TICK)
    }

    /// The day, and the ticks since it began.
    pub fn split(self) -> (Date, i64) {
        (self.date(), self.0.rem_euclid(TICKS_PER_DAY))
    }

    /// The day.
    pub fn date(self) -> Date {
        Date(self.0.div_euclid(TICKS_PER_DAY) as i32)
    }

    /// The time of day.
    pub fn time(self) -> Time {
        Time(self.0.rem_euclid(TICKS_PER_DAY))
    }

    /// Rounded to this many digits after the second, halves up.
    pub fn rounded(self, digits: u8) -> Timestamp {
        Timestamp(rounded(self.0, digits))
    }

    /// The timestamp by so much later, or earlier: months first, where a day that the month does not have is its last
    /// one; then days and ticks. `None` outside of the years 1 to 9999.
    pub fn moved(self, by: Interval, back: bool) -> Option<Timestamp> {
        let sign = if back { -1 } else { 1 };
        let (date, ticks_of_day) = self.split();
        let (year, month, day) = date.ymd();
        let months = i64::from(year) * 12 + i64::from(month) - 1 + sign * i64::from(by.months);
        let (year, month) = (i32::try_from(months.div_euclid(12)).ok()?, months.rem_euclid(12) as u32 + 1);
        let date = (1..=day).rev().find_map(|day| Date::from_ymd(year, month, day))?;
        let days = i128::from(date.0) + i128::from(sign) * i128::from(by.days);
        let ticks =
            days * i128::from(TICKS_PER_DAY) + i128::from(ticks_of_day) + i128::from(sign) * i128::from(by.ticks);
        let moved = Timestamp(i64::try_from(ticks).ok()?);
        (Timestamp::FIRST..=Timestamp::LAST).contains(&moved).then_some(moved)
    }

    /// The local time of this UTC timestamp on a clock with this offset.
    pub fn to_local(self, offset_minutes: i16) -> Timestamp {
        Timestamp(self.0.saturating_add(offset_ticks(offset_minutes)))
    }

    /// The UTC timestamp at which a clock with this offset shows this one.
    pub fn to_utc(self, offset_minutes: i16) -> Timestamp {
        Timestamp(self.0.saturating_sub(offset_ticks(offset_minutes)))
    }

    /// This UTC timestamp and an offset in minutes as one number: the ticks, and in the twelve lowest bits the minutes
    /// and 2048. Of two such numbers the greater one is the later timestamp, or the same one and the greater offset.
    pub fn packed(self, offset_minutes: i16) -> i128 {
        let offset = offset_minutes.clamp(-OFFSET_BIAS, OFFSET_BIAS - 1) + OFFSET_BIAS;
        (i128::from(self.0) << OFFSET_BITS) | i128::from(offset)
    }

    /// The UTC timestamp and the offset in minutes of a packed number. Values out of range are clamped.
    pub fn unpacked(packed: i128) -> (Timestamp, i16) {
        let ticks = (packed >> OFFSET_BITS).clamp(i64::MIN.into(), i64::MAX.into());
        let offset = packed & ((1 << OFFSET_BITS) - 1);
        (Timestamp(ticks as i64), offset as i16 - OFFSET_BIAS)
    }

    /// The packed numbers of this timestamp, whatever the offset: the first and the last.
    pub fn packed_range(self) -> (i128, i128) {
        let first = i128::from(self.0) << OFFSET_BITS;
        (first, first | ((1 << OFFSET_BITS) - 1))
    }

    /// As text with exactly this many digits after the second (at most 7); further ones are cut off.
    pub fn display(self, digits: u8) -> impl fmt::Display {
        Shown { moment: self, digits }
    }

    /// The text with its offset: `2024-01-31 10:00:00.5 +02:00`. This timestamp is in UTC; the text shows the local
    /// time.
    pub fn display_with_offset(self, offset_minutes: i16) -> impl fmt::Display {
        WithOffset { utc: self, offset_minutes }
    }

    /// Parses a local timestamp, and the offset behind it in minutes if there is one (`Z`, `+hh`, `+hh:mm`).
    /// Between day and time is a blank or a `T`; without a time it is midnight.
    pub fn parse_with_offset(text: &str) -> Result<(Timestamp, Option<i16>)> {
        let mut scanner = Scanner::new(text);
        let read = scan(&mut scanner).filter(|_| scanner.is_at_end());
        read.ok_or_else(|| not_a("a timestamp", text, &format!("{FORM} [+hh:mm]")))
    }
}

fn offset_ticks(minutes: i16) -> i64 {
    i64::from(minutes) * 60 * crate::TICKS_PER_SECOND
}

fn scan(scanner: &mut Scanner<'_>) -> Option<(Timestamp, Option<i16>)> {
    let date = Date::scan(scanner)?;
    if scanner.is_at_end() {
        return Some((Timestamp::at(date, 0), None));
    }
    if !scanner.eat(b'T') && !scanner.eat(b't') {
        scanner.after(b' ')?;
    }
    let local = Timestamp::at(date, Time::scan(scanner)?);
    let offset = if scanner.is_at_end() { None } else { Some(scan_offset(scanner)?) };
    (local <= Timestamp::LAST).then_some((local, offset))
}

/// Reads `Z`, `+hh` or `+hh:mm` behind an optional blank: minutes east of Greenwich.
fn scan_offset(scanner: &mut Scanner<'_>) -> Option<i16> {
    scanner.eat(b' ');
    if scanner.eat(b'Z') || scanner.eat(b'z') {
        return Some(0);
    }
    if !matches!(scanner.peek(), Some(b'+' | b'-')) {
        return None;
    }
    let minus = scanner.minus();
    let hours = scanner.digits(2, 2)?;
    let minutes = if scanner.eat(b':') { scanner.digits(2, 2)? } else { 0 };
    let total = hours * 60 + minutes;
    let in_range = minutes < 60 && total <= MAX_OFFSET;
    in_range.then_some(if minus { -total } else { total } as i16)
}

struct Shown {
    moment: Timestamp,
    digits: u8,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.moment.date(), self.moment.time().display(self.digits))
    }
}

struct WithOffset {
    utc: Timestamp,
    offset_minutes: i16,
}

impl fmt::Display for WithOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.offset_minutes.unsigned_abs();
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        write!(f, "{} {sign}{:02}:{:02}", self.utc.to_local(self.offset_minutes), minutes / 60, minutes % 60)
    }
}

/// With as many digits after the second as it takes.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.display(digits_needed(self.0)), f)
    }
}

/// `YYYY-MM-DD[ HH:MM[:SS[.fffffff]]]`, with a `T` for the blank if you like, and without an offset.
impl FromStr for Timestamp {
    type Err = Error;

    fn from_str(text: &str) -> Result<Timestamp> {
        match Timestamp::parse_with_offset(text) {
            Ok((moment, None)) => Ok(moment),
            _ => Err(not_a("a timestamp", text, FORM)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for text in ["0001-01-01 00:00:00", "1969-12-31 23:59:59.9999999", "9999-12-31 23:59:59.9999999"] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
        assert_eq!("0001-01-01".parse::<Timestamp>().unwrap(), Timestamp::FIRST);
        assert_eq!("9999-12-31T23:59:59.9999999".parse::<Timestamp>().unwrap(), Timestamp::LAST);
        assert_eq!("2024-01-31T10:00".parse::<Timestamp>().unwrap().to_string(), "2024-01-31 10:00:00");
        for wrong in ["2024-01-31 ", "2024-01-31x10:00", "2024-01-31 10", "2024-01-31 10:00 +02:00", "now"] {
            assert_eq!(wrong.trim().parse::<Timestamp>().is_err(), wrong != "2024-01-31 ", "{wrong}");
        }
        assert!("9999-12-31 23:59:59.99999999".parse::<Timestamp>().is_err(), "it would round into year 10000");
    }

    #[test]
    fn offsets() {
        let of = |text: &str| Timestamp::parse_with_offset(text).ok().and_then(|(_, offset)| offset);
        assert_eq!(of("2024-01-31 10:00+02:30"), Some(150));
        assert_eq!(of("2024-01-31 10:00:00.5 -05"), Some(-300));
        assert_eq!(of("2024-01-31T10:00:00Z"), Some(0));
        assert_eq!(of("2024-01-31 10:00"), None);
        for wrong in ["2024-01-31 10:00 +15:00", "2024-01-31 10:00 +01:60", "2024-01-31 10:00 02:00"] {
            assert!(Timestamp::parse_with_offset(wrong).is_err(), "{wrong}");
        }
        let utc = "2024-01-31 10:00".parse::<Timestamp>().unwrap().to_utc(150);
        assert_eq!(utc.display_with_offset(150).to_string(), "2024-01-31 10:00:00 +02:30");
        assert_eq!(utc.display_with_offset(-90).to_string(), "2024-01-31 06:00:00 -01:30");
    }

    #[test]
    fn packed_moments_have_the_order_of_the_moments() {
        let moments = [Timestamp::FIRST, Timestamp(-1), Timestamp(0), Timestamp(1), Timestamp::LAST];
        let mut packed = Vec::new();
        for moment in moments {
            for offset in [-840, -1, 0, 1, 840] {
                let number = moment.packed(offset);
                assert_eq!(Timestamp::unpacked(number), (moment, offset));
                let (first, last) = moment.packed_range();
                assert!((first..=last).contains(&number));
                packed.push(number);
            }
        }
        assert!(packed.is_sorted_by(|a, b| a < b));
        assert!(Timestamp::LAST.packed_range().1 < 10i128.pow(38));
    }

    #[test]
    fn units_and_parts() {
        assert_eq!(Timestamp::new(Date(0), 3_723_004).to_string(), "1970-01-01 01:02:03.004");
        assert_eq!(Timestamp(-1).split(), (Date(-1), TICKS_PER_DAY - 1));
        assert_eq!((Timestamp(-1).ms(), Timestamp(-1).us(), Timestamp(-1).nanos()), (-1, -1, Some(-100)));
        assert_eq!(Timestamp::from_ms(-7).unwrap().ms(), -7);
        assert_eq!(Timestamp::from_us(12_345).unwrap().display(3).to_string(), "1970-01-01 00:00:00.012");
        assert_eq!(Timestamp::from_nanos(-1), Timestamp(-1));
        assert_eq!((Timestamp::from_ms(i64::MAX), Timestamp::LAST.nanos()), (None, None));
        assert_eq!(Timestamp::new(Date(i32::MAX), 0), Timestamp(i64::MAX));
    }

    #[test]
    fn rounding_is_half_up_on_both_sides_of_1970() {
        let rounded = |text: &str, digits| text.parse::<Timestamp>().unwrap().rounded(digits).to_string();
        assert_eq!(rounded("1999-12-31 23:59:59.5", 0), "2000-01-01 00:00:00");
        assert_eq!(rounded("1960-01-01 00:00:00.0005", 3), "1960-01-01 00:00:00.001");
        assert_eq!(rounded("1960-01-01 00:00:00.00049", 3), "1960-01-01 00:00:00");
        for digits in 0..=9 {
            assert!(Timestamp(i64::MIN).rounded(digits) < Timestamp::FIRST, "{digits}");
            assert!(Timestamp(i64::MAX).rounded(digits) > Timestamp::LAST, "{digits}");
        }
    }
}
