//! Dates and times as texts: by the program's mask, as in the file, as numbers of days and milliseconds.
//!
//! A mask contains D, M, Y and C in either case: `MM/DD/CCYY`, `dd.mm.yy`, `YYYYMMDD`. Any other character stands for
//! itself.

use mainstay_types::Date;

/// Reads the program's setting for dates as texts: the mask, such as `MM/DD/CCYY`, and the first year of the hundred that two
/// digits mean.
pub type DateForm = fn() -> (String, u16);

/// A calendar day: year, month, day.
pub type Day = (i32, u32, u32);

/// The day number (Julian, as files and the interface count days) of a calendar day that exists.
pub fn julian_of(day: Day) -> Option<i32> {
    Date::from_ymd(day.0, day.1, day.2).filter(|date| *date >= Date::FIRST).map(Date::julian)
}

/// The calendar day of a day number; none for 0, which is an empty date.
pub fn day_of(julian: i32) -> Option<Day> {
    (julian > 0).then(|| Date::from_julian(julian).ymd())
}

/// A day by a mask; an empty date becomes blanks where its digits would be.
pub fn write(julian: i32, mask: &str) -> String {
    let day = day_of(julian);
    let mut text = String::with_capacity(mask.len());
    for (letter, count) in runs(&year_runs(mask)) {
        let number = day.map(|(year, month, day)| match letter {
            'Y' if count >= 4 => (year, 4),
            'Y' => (year.rem_euclid(100), 2),
            'M' => (month as i32, 2),
            _ => (day as i32, 2),
        });
        match (letter, number) {
            ('Y' | 'M' | 'D', Some((number, width))) => text.push_str(&format!("{number:0width$}")),
            ('Y' | 'M' | 'D', None) => text.push_str(&" ".repeat(count)),
            (other, _) => text.extend(std::iter::repeat_n(other, count)),
        }
    }
    text
}

/// Reads a day by a mask. `Some(0)` is an empty date; none is a text that is no date.
pub fn read(text: &str, mask: &str, epoch: u16) -> Option<i32> {
    let text = text.trim_end_matches('\0');
    // An empty mask is an empty date; a word is not a date.
    if text.chars().all(|letter| !letter.is_alphanumeric()) {
        return Some(0);
    }
    let fields: Vec<char> = runs(&year_runs(mask))
        .into_iter()
        .map(|run| run.0)
        .filter(|letter| matches!(letter, 'Y' | 'M' | 'D'))
        .collect();
    let digits: Vec<&str> =
        text.split(|letter: char| !letter.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let parts: Vec<String> = match (digits.as_slice(), fields.len()) {
        // Without separators the mask gives the place of each part.
        ([all], 3) if all.len() == 8 || all.len() == 6 => split_by(all, &fields),
        (parts, count) if parts.len() == count => parts.iter().map(ToString::to_string).collect(),
        _ => return None,
    };
    let mut day: Day = (0, 0, 0);
    for (letter, part) in fields.iter().zip(&parts) {
        let number: u32 = part.parse().ok()?;
        match letter {
            'Y' => day.0 = full_year(number, part.len(), epoch),
            'M' => day.1 = number,
            _ => day.2 = number,
        }
    }
    julian_of(day)
}

/// A date as files hold it, `CCYYMMDD`. Blank is an empty date.
pub fn read_stored(text: &[u8]) -> Option<i32> {
    if text.iter().all(|byte| *byte == b' ' || *byte == 0) {
        return Some(0);
    }
    let text = std::str::from_utf8(text).ok()?;
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
    julian_of((i32::try_from(number(0, 4)?).ok()?, number(4, 6)?, number(6, 8)?))
}

/// Milliseconds since midnight as `HH:MM:SS AM` with a twelve hour clock, as the interface writes times.
pub fn write_time(milliseconds: i32) -> String {
    let seconds = milliseconds.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let half = if hours % 24 < 12 { "AM" } else { "PM" };
    format!(
        "{:02}:{minutes:02}:{seconds:02} {half}",
        match hours % 12 {
            0 => 12,
            hour => hour,
        }
    )
}

/// Reads `HH:MM[:SS[.mmm]] [AM|PM]` as milliseconds since midnight.
pub fn read_time(text: &str) -> Option<i32> {
    let text = text.trim().trim_end_matches('\0').to_ascii_uppercase();
    if text.is_empty() {
        return Some(0);
    }
    let (clock, half) = match text.strip_suffix("AM").or_else(|| text.strip_suffix('A')) {
        Some(clock) => (clock.trim(), Some(0)),
        None => match text.strip_suffix("PM").or_else(|| text.strip_suffix('P')) {
            Some(clock) => (clock.trim(), Some(12)),
            None => (text.as_str(), None),
        },
    };
    let mut parts = clock.split(':');
    let mut hours: i32 = parts.next()?.trim().parse().ok()?;
    let minutes: i32 = parts.next()?.parse().ok()?;
    let (seconds, thousandths) = match parts.next() {
        Some(seconds) => match seconds.split_once('.') {
            Some((whole, part)) => (whole.parse().ok()?, format!("{part:0<3}").get(..3)?.parse().ok()?),
            None => (seconds.parse().ok()?, 0),
        },
        None => (0, 0),
    };
    if let Some(half) = half {
        hours = hours % 12 + half;
    }
    let in_range = (0..24).contains(&hours) && (0..60).contains(&minutes) && (0..60).contains(&seconds);
    in_range.then_some(((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths)
}

/// Returns true if a mask is valid: a day, a month and a year, each once.
pub fn is_mask(mask: &str) -> bool {
    let runs = runs(&year_runs(mask));
    let count = |letter| runs.iter().filter(|run| run.0 == letter).count();
    count('D') == 1 && count('M') == 1 && count('Y') == 1 && mask.len() <= 12
}

/// Today, by the system's clock in UTC.
pub fn today() -> i32 {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    i32::try_from(seconds / 86_400).unwrap_or(0) + UNIX_EPOCH_JULIAN
}

/// Milliseconds since midnight, by the system's clock in UTC.
pub fn now() -> i32 {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i32::try_from(time.as_millis() % 86_400_000).unwrap_or(0)
}

/// 1 January 1970.
const UNIX_EPOCH_JULIAN: i32 = 2_440_588;

/// `CCYY` and `YYYY` are the same, and so are small letters and capitals.
fn year_runs(mask: &str) -> String {
    mask.to_ascii_uppercase().replace('C', "Y")
}

/// The letters of a text with how often each stands in a row.
fn runs(text: &str) -> Vec<(char, usize)> {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for letter in text.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == letter => *count += 1,
            _ => runs.push((letter, 1)),
        }
    }
    runs
}

/// Cuts six or eight digits into the parts of a mask.
fn split_by(digits: &str, fields: &[char]) -> Vec<String> {
    let mut rest = digits;
    let mut parts = Vec::new();
    for letter in fields {
        let width = if *letter == 'Y' { digits.len() - 4 } else { 2 };
        let (part, left) = rest.split_at_checked(width).unwrap_or((rest, ""));
        parts.push(part.to_owned());
        rest = left;
    }
    parts
}

fn full_year(year: u32, digits: usize, epoch: u16) -> i32 {
    let year = i32::try_from(year).unwrap_or(0);
    if digits > 2 {
        return year;
    }
    let epoch = i32::from(epoch);
    let century = epoch - epoch % 100;
    if year >= epoch % 100 { century + year } else { century + 100 + year }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_write_and_read_the_same_day() {
        let day = julian_of((2026, 11, 2)).unwrap();
        for (mask, text) in [
            ("MM/DD/CCYY", "11/02/2026"),
            ("dd.mm.yyyy", "02.11.2026"),
            ("YYYYMMDD", "20261102"),
            ("mm/dd/yy", "11/02/26"),
            ("CCYY-MM-DD", "2026-11-02"),
        ] {
            assert_eq!(write(day, mask), text);
            assert_eq!(read(text, mask, 1980), Some(day), "{mask}");
        }
        assert_eq!(write(0, "MM/DD/CCYY"), "  /  /    ");
        assert_eq!(read("  /  /    ", "MM/DD/CCYY", 1900), Some(0));
        assert_eq!(read("02/30/2026", "MM/DD/CCYY", 1900), None);
        assert_eq!(read("1/2/79", "MM/DD/YY", 1980), julian_of((2079, 1, 2)));
    }

    #[test]
    fn days_are_numbered_without_gaps() {
        assert_eq!(julian_of((1970, 1, 1)), Some(UNIX_EPOCH_JULIAN));
        assert_eq!(julian_of((1900, 2, 29)), None);
        assert_eq!(julian_of((2000, 2, 29)).map(|day| day + 1), julian_of((2000, 3, 1)));
        assert_eq!(julian_of((2026, 11, 22)).and_then(day_of), Some((2026, 11, 22)));
    }

    #[test]
    fn times_have_two_halves() {
        assert_eq!(write_time(0), "12:00:00 AM");
        assert_eq!(write_time(13 * 3_600_000 + 5 * 60_000), "01:05:00 PM");
        for milliseconds in [0, 1000, 43_200_000, 86_399_000] {
            assert_eq!(read_time(&write_time(milliseconds)), Some(milliseconds));
        }
        assert_eq!(read_time("13:05:01.25"), Some((13 * 3600 + 5 * 60 + 1) * 1000 + 250));
        assert_eq!(read_time("25:00"), None);
    }
}
