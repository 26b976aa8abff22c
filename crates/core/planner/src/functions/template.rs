//! Templates of PostgreSQL's `to_char`, `to_date` and `to_timestamp`.
//!
//! ```text
//!   YYYY-MM-DD HH24:MI:SS.FF7 TZH:TZM     2024-02-29 12:34:56.1234567 +02:00
//!   FMMonth DD, YYYY    "at" HH12:MI am   February 29, 2024    at 12:34 pm
//!   FM999,990.00                          1,234.50
//! ```
//!
//! Any other word stands for itself, as does text between double quotes. Fractions have up to seven digits.

use mainstay_types::{Code, Date, Decimal, Error, Result, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp, Value};

/// A pattern for a part of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// So many last digits of the year.
    Year(usize),
    IsoYear,
    Month,
    MonthName,
    MonthShort,
    Day,
    DayOfYear,
    DayName,
    DayShort,
    /// From Sunday, 1.
    DayOfWeek,
    /// From Monday, 1.
    IsoDayOfWeek,
    Hour24,
    Hour12,
    Minute,
    Second,
    /// So many digits of the second's fraction.
    Fraction(usize),
    SecondOfDay,
    Noon,
    NoonDotted,
    Quarter,
    WeekOfYear,
    WeekOfMonth,
    IsoWeek,
    Century,
    Julian,
    OffsetHours,
    OffsetMinutes,
}

/// The patterns, the longer ones before those that they begin with.
const PATTERNS: [(&str, Part); 44] = [
    ("YYYY", Part::Year(4)),
    ("YYY", Part::Year(3)),
    ("YY", Part::Year(2)),
    ("Y", Part::Year(1)),
    ("IYYY", Part::IsoYear),
    ("IDDD", Part::DayOfYear),
    ("ID", Part::IsoDayOfWeek),
    ("IW", Part::IsoWeek),
    ("MONTH", Part::MonthName),
    ("MON", Part::MonthShort),
    ("MM", Part::Month),
    ("MI", Part::Minute),
    ("MS", Part::Fraction(3)),
    ("US", Part::Fraction(6)),
    ("DDD", Part::DayOfYear),
    ("DD", Part::Day),
    ("DAY", Part::DayName),
    ("DY", Part::DayShort),
    ("D", Part::DayOfWeek),
    ("HH24", Part::Hour24),
    ("HH12", Part::Hour12),
    ("HH", Part::Hour12),
    ("SSSSS", Part::SecondOfDay),
    ("SSSS", Part::SecondOfDay),
    ("SS", Part::Second),
    ("FF1", Part::Fraction(1)),
    ("FF2", Part::Fraction(2)),
    ("FF3", Part::Fraction(3)),
    ("FF4", Part::Fraction(4)),
    ("FF5", Part::Fraction(5)),
    ("FF6", Part::Fraction(6)),
    ("FF7", Part::Fraction(7)),
    ("A.M.", Part::NoonDotted),
    ("P.M.", Part::NoonDotted),
    ("AM", Part::Noon),
    ("PM", Part::Noon),
    ("Q", Part::Quarter),
    ("WW", Part::WeekOfYear),
    ("W", Part::WeekOfMonth),
    ("CC", Part::Century),
    ("J", Part::Julian),
    ("TZH", Part::OffsetHours),
    ("TZM", Part::OffsetMinutes),
    ("OF", Part::OffsetHours),
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A pattern as it is written, whether it is filled up, and whether `TH` stands behind it.
    Part {
        part: Part,
        written: String,
        is_filled: bool,
        ordinal: Option<bool>,
    },
}

/// A template in its pieces.
#[derive(Clone, Debug)]
pub(crate) struct Template(Vec<Piece>);

impl Template {
    /// Reads a template.
    ///
    /// Errors: `Unsupported` for patterns that are known and not done.
    pub(crate) fn new(format: &str) -> Result<Template> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut rest = format;
        let mut is_filled = true;
        while let Some(first) = rest.chars().next() {
            let starts = |word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
            if first == '"' {
                let end = rest[1..].find('"').map_or(rest.len(), |end| end + 1);
                text(&mut pieces, &rest[1..end]);
                rest = rest.get(end + 1..).unwrap_or_default();
            } else if starts("FM") {
                (is_filled, rest) = (false, &rest[2..]);
            } else if starts("RM") || starts("TM") || starts("FX") || starts("SP") {
                return Err(Error::new(Code::Unsupported, format!("the pattern {} of a template", &rest[..2])));
            } else if let Some((pattern, part)) = PATTERNS.iter().find(|(pattern, _)| starts(pattern)) {
                let written = rest[..pattern.len()].to_owned();
                rest = &rest[pattern.len()..];
                let ordinal = match rest.get(..2) {
                    Some("TH") => Some(true),
                    Some("th") => Some(false),
                    _ => None,
                };
                rest = if ordinal.is_some() { &rest[2..] } else { rest };
                pieces.push(Piece::Part { part: *part, written, is_filled, ordinal });
                is_filled = true;
            } else {
                text(&mut pieces, &rest[..first.len_utf8()]);
                rest = &rest[first.len_utf8()..];
            }
        }
        Ok(Template(pieces))
    }

    /// The text of the template for a moment of a clock with this offset.
    pub(crate) fn shown(&self, local: Timestamp, offset_minutes: i16) -> String {
        let mut shown = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => shown.push_str(text),
                Piece::Part { part, written, is_filled, ordinal } => {
                    let text = part.shown(local, offset_minutes, written, *is_filled);
                    if let Some(is_upper) = ordinal {
                        let number: i64 = text.trim().parse().unwrap_or(0);
                        let ending = ordinal_ending(number);
                        shown.push_str(&text);
                        shown.push_str(&if *is_upper { ending.to_uppercase() } else { ending.to_owned() });
                    } else {
                        shown.push_str(&text);
                    }
                }
            }
        }
        shown
    }

    /// The moment that a text has in the places of the template. What it does not say is the beginning of its unit.
    ///
    /// Errors: `InvalidValue`.
    pub(crate) fn read(&self, text: &str) -> Result<Timestamp> {
        let wrong = || Error::new(Code::InvalidValue, format!("'{text}' does not have the form of its template"));
        let (mut year, mut month, mut day, mut day_of_year) = (1i64, 1i64, 1i64, None);
        let (mut hour, mut minute, mut second, mut fraction) = (0i64, 0i64, 0i64, 0i64);
        let (mut is_afternoon, mut julian, mut offset) = (None, None, 0i64);
        let mut rest = text;
        for (place, piece) in self.0.iter().enumerate() {
            let Piece::Part { part, .. } = piece else {
                let Piece::Text(wanted) = piece else { continue };
                // A separator stands for any other, and for none.
                for character in wanted.chars() {
                    match rest.chars().next() {
                        Some(found)
                            if found == character || !(found.is_alphanumeric() || found == '-' || found == '+') =>
                        {
                            rest = &rest[found.len_utf8()..];
                        }
                        _ => {}
                    }
                }
                continue;
            };
            rest = rest.trim_start();
            let followed = matches!(self.0.get(place + 1), Some(Piece::Part { .. }));
            let before = rest.len();
            let mut number = |digits: usize| -> Result<i64> {
                let most = if followed || digits != 4 { digits } else { 9 };
                let length = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
                let number = rest[..length].parse().map_err(|_| wrong())?;
                rest = &rest[length..];
                Ok(number)
            };
            match part {
                Part::Year(digits) => {
                    year = full_year(number(*digits)?, *digits);
                }
                Part::Month => month = number(2)?,
                Part::Day => day = number(2)?,
                Part::DayOfYear => day_of_year = Some(number(3)?),
                Part::Hour24 | Part::Hour12 => hour = number(2)?,
                Part::Minute => minute = number(2)?,
                Part::Second => second = number(2)?,
                Part::SecondOfDay => second = number(5)?,
                Part::Julian => julian = Some(number(7)?),
                Part::Fraction(digits) => {
                    let read = number(*digits)?;
                    let length = u32::try_from(before - rest.len()).unwrap_or(0);
                    fraction = read * 10i64.pow(7u32.saturating_sub(length));
                }
                Part::MonthName | Part::MonthShort => {
                    let starts = |name: &str| rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
                    let named = |full: bool| {
                        let names = Date::MONTHS.iter().enumerate();
                        names
                            .map(|(at, name)| (at, if full { *name } else { &name[..3] }))
                            .find(|(_, name)| starts(name))
                    };
                    let (at, name) = named(true).or_else(|| named(false)).ok_or_else(wrong)?;
                    (month, rest) = (at as i64 + 1, &rest[name.len()..]);
                }
                Part::DayName | Part::DayShort => rest = rest.trim_start_matches(char::is_alphabetic),
                Part::Noon | Part::NoonDotted => {
                    is_afternoon = Some(rest.starts_with(['p', 'P']));
                    rest = rest.trim_start_matches(|character: char| character.is_alphabetic() || character == '.');
                }
                Part::OffsetHours | Part::OffsetMinutes => {
                    let is_minus = rest.starts_with('-');
                    rest = rest.trim_start_matches(['+', '-', ':']);
                    let mut number = |digits: usize| -> Result<i64> {
                        let length = rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
                        let number = rest[..length].parse().map_err(|_| wrong())?;
                        rest = &rest[length..];
                        Ok(number)
                    };
                    let read = number(2)?;
                    offset += match part {
                        Part::OffsetHours if is_minus => -60 * read,
                        Part::OffsetHours => 60 * read,
                        _ => read,
                    };
                }
                other => return Err(Error::new(Code::Unsupported, format!("reading {other:?} by a template"))),
            }
        }
        hour = match is_afternoon {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        let date = day_of((year, month, day), day_of_year, julian).ok_or_else(wrong)?;
        let seconds = (hour * 60 + minute) * 60 + second;
        let fits = hour < 24 && minute < 60 && (second < 60 || hour == 0 && minute == 0 && second < 86_400);
        let moment = Timestamp::at(date, (seconds - offset * 60) * TICKS_PER_SECOND + fraction);
        let in_range = (Timestamp::FIRST..=Timestamp::LAST).contains(&moment);
        if fits && in_range { Ok(moment) } else { Err(wrong()) }
    }
}

/// The year that so many digits say: of less than four the one nearest to 2020, as PostgreSQL has it.
fn full_year(read: i64, digits: usize) -> i64 {
    match digits {
        4 => read,
        _ if read < 70 => read + 2000,
        _ if read < 100 => read + 1900,
        _ => read,
    }
}

/// The day by its Julian number, by its number in the year, or by month and day.
fn day_of((year, month, day): (i64, i64, i64), day_of_year: Option<i64>, julian: Option<i64>) -> Option<Date> {
    if let Some(julian) = julian {
        return Some(Date::from_julian(i32::try_from(julian).ok()?));
    }
    let year = i32::try_from(year).ok()?;
    match day_of_year {
        Some(days) => {
            let date = Date(Date::from_ymd(year, 1, 1)?.0.checked_add(i32::try_from(days - 1).ok()?)?);
            Some(date).filter(|date| date.ymd().0 == year)
        }
        None => Date::from_ymd(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?),
    }
}

fn text(pieces: &mut Vec<Piece>, more: &str) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push_str(more),
        _ => pieces.push(Piece::Text(more.to_owned())),
    }
}

fn ordinal_ending(number: i64) -> &'static str {
    match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

/// A name as the pattern is written: all capitals, a capital first, or none.
fn in_case(name: &str, written: &str) -> String {
    let mut letters = written.chars();
    match (letters.next().is_some_and(char::is_uppercase), letters.next().is_some_and(char::is_uppercase)) {
        (true, true) => name.to_uppercase(),
        (true, false) => name.to_owned(),
        _ => name.to_lowercase(),
    }
}

impl Part {
    fn shown(self, local: Timestamp, offset_minutes: i16, written: &str, is_filled: bool) -> String {
        let (date, ticks) = local.split();
        let (year, month, day) = date.ymd();
        let (hour, minute, second, fraction) = local.time().hms();
        let day_of_year = Date::from_ymd(year, 1, 1).map_or(1, |first| date.0 - first.0 + 1);
        let numbered = |number: i64, width: usize| match is_filled {
            true => format!("{number:0width$}"),
            false => number.to_string(),
        };
        let padded = |name: &str| {
            let name = in_case(name, written);
            if is_filled { format!("{name:9}") } else { name }
        };
        let month_name = Date::MONTHS.get(month as usize - 1).copied().unwrap_or_default();
        let day_name = Date::WEEKDAYS.get(date.weekday() as usize).copied().unwrap_or_default();
        let iso_day = (date.weekday() + 6) % 7 + 1;
        let number = match self {
            Part::Year(4) => return numbered(i64::from(year), 4),
            Part::Year(digits) => (i64::from(year) % 10i64.pow(digits as u32), digits),
            Part::IsoYear => (i64::from(iso_week(date).0), 4),
            Part::Month => (i64::from(month), 2),
            Part::MonthName => return padded(month_name),
            Part::MonthShort => return in_case(&month_name[..3], written),
            Part::Day => (i64::from(day), 2),
            Part::DayOfYear => (i64::from(day_of_year), 3),
            Part::DayName => return padded(day_name),
            Part::DayShort => return in_case(&day_name[..3], written),
            Part::DayOfWeek => (i64::from(date.weekday()) + 1, 1),
            Part::IsoDayOfWeek => (i64::from(iso_day), 1),
            Part::Hour24 => (i64::from(hour), 2),
            Part::Hour12 => (i64::from((hour + 11) % 12 + 1), 2),
            Part::Minute => (i64::from(minute), 2),
            Part::Second => (i64::from(second), 2),
            Part::Fraction(digits) => {
                let cut = i64::from(fraction) / 10i64.pow(7 - digits as u32);
                return format!("{cut:0digits$}");
            }
            Part::SecondOfDay => (ticks % TICKS_PER_DAY / TICKS_PER_SECOND, 1),
            Part::Noon | Part::NoonDotted => {
                let noon = match (self, hour < 12) {
                    (Part::Noon, true) => "AM",
                    (Part::Noon, false) => "PM",
                    (_, true) => "A.M.",
                    (_, false) => "P.M.",
                };
                let is_upper = written.starts_with(char::is_uppercase);
                return if is_upper { noon.to_owned() } else { noon.to_lowercase() };
            }
            Part::Quarter => (i64::from((month - 1) / 3 + 1), 1),
            Part::WeekOfYear => (i64::from((day_of_year - 1) / 7 + 1), 2),
            Part::WeekOfMonth => (i64::from((day - 1) / 7 + 1), 1),
            Part::IsoWeek => (i64::from(iso_week(date).1), 2),
            Part::Century => (i64::from((year + 99) / 100), 2),
            Part::Julian => (i64::from(date.julian()), 1),
            Part::OffsetHours => {
                let sign = if offset_minutes < 0 { '-' } else { '+' };
                let (hours, minutes) = (offset_minutes.abs() / 60, offset_minutes.abs() % 60);
                let is_whole = minutes == 0 || !written.eq_ignore_ascii_case("OF");
                return if is_whole { format!("{sign}{hours:02}") } else { format!("{sign}{hours:02}:{minutes:02}") };
            }
            Part::OffsetMinutes => (i64::from(offset_minutes.abs() % 60), 2),
        };
        numbered(number.0, number.1)
    }
}

/// The year and the week of ISO 8601: weeks begin with Monday, and the first one has the year's first Thursday.
pub(crate) fn iso_week(date: Date) -> (i32, i32) {
    let thursday = Date(date.0 + 3 - (date.weekday() as i32 + 6) % 7);
    let year = thursday.ymd().0;
    let first = Date::from_ymd(year, 1, 1).map_or(thursday.0, |first| first.0);
    (year, (thursday.0 - first) / 7 + 1)
}

/// A number as text by a template of `9`, `0`, `.`, `D`, `,`, `G`, `S`, `MI`, `PR` and `FM`.
///
/// Errors: `Unsupported` for other patterns.
pub(crate) fn number(value: &Value, format: &str) -> Result<String> {
    let upper = format.to_uppercase();
    let (is_filled, upper) = match upper.strip_prefix("FM") {
        Some(rest) => (false, rest.to_owned()),
        None => (true, upper),
    };
    let (ends_mi, upper) = upper.strip_suffix("MI").map_or((false, upper.clone()), |rest| (true, rest.to_owned()));
    let (has_brackets, upper) = upper.strip_suffix("PR").map_or((false, upper.clone()), |rest| (true, rest.to_owned()));
    let (sign_first, upper) = upper.strip_prefix('S').map_or((false, upper.clone()), |rest| (true, rest.to_owned()));
    let (sign_last, pattern) = upper.strip_suffix('S').map_or((false, upper.clone()), |rest| (true, rest.to_owned()));
    let is_known = |character: char| "90.D,G $".contains(character);
    if let Some(other) = pattern.chars().find(|character| !is_known(*character)) {
        return Err(Error::new(Code::Unsupported, format!("the pattern {other} of a template for numbers")));
    }
    let (whole, decimals) = match pattern.split_once(['.', 'D']) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (pattern.as_str(), None),
    };
    let places = decimals.map_or(0, |decimals| decimals.chars().filter(|it| matches!(it, '9' | '0')).count());
    let scale = u8::try_from(places).unwrap_or(38).min(38);
    let to = mainstay_types::SqlType::Decimal { precision: 38, scale };
    let rounded = match mainstay_types::convert(value.as_ref(), to)? {
        Value::Decimal(number) => number,
        _ => Decimal::new(0, scale),
    };
    let is_negative = rounded.unscaled < 0;
    let digits = format!("{:0width$}", rounded.unscaled.unsigned_abs(), width = places + 1);
    let (of_whole, of_decimals) = digits.split_at(digits.len() - places);
    let of_whole = of_whole.trim_start_matches('0');
    let room = whole.chars().filter(|it| matches!(it, '9' | '0')).count();
    // From where on zeros are shown.
    let zero_from = whole.chars().filter(|it| matches!(it, '9' | '0')).position(|it| it == '0');
    let mut shown = String::new();
    let mut at = 0;
    let overflows = of_whole.len() > room;
    for character in whole.chars() {
        match character {
            '9' | '0' => {
                let missing = room - of_whole.len().min(room);
                let is_last = at + 1 == room;
                shown.push(match at >= missing {
                    _ if overflows => '#',
                    true => of_whole.as_bytes().get(at - missing).map_or('0', |digit| char::from(*digit)),
                    false if zero_from.is_some_and(|from| at >= from) || (is_last && decimals.is_none()) => '0',
                    false => ' ',
                });
                at += 1;
            }
            ',' | 'G' => {
                shown.push(if shown.ends_with(|it: char| it.is_ascii_digit() || it == '#') { ',' } else { ' ' })
            }
            other => shown.push(other),
        }
    }
    if let Some(decimals) = decimals {
        shown.push('.');
        // Without fill zeros at the end are left out where a 9 stands for them.
        let kept = decimals.rfind('0').map_or(0, |last| last + 1);
        let of_decimals = if overflows { "#".repeat(places) } else { of_decimals.to_owned() };
        let least = if is_filled { of_decimals.len() } else { kept };
        let trimmed = of_decimals.trim_end_matches('0').len().max(least.min(of_decimals.len()));
        shown.push_str(&of_decimals[..trimmed]);
    }
    let start = shown.len() - shown.trim_start().len();
    let (blanks, bare) = shown.split_at(start);
    let blanks = if is_filled { blanks } else { "" };
    Ok(match (is_negative, is_filled) {
        _ if sign_first => format!("{blanks}{}{bare}", if is_negative { '-' } else { '+' }),
        _ if sign_last => format!("{blanks}{bare}{}", if is_negative { '-' } else { '+' }),
        (true, _) if ends_mi => format!("{blanks}{bare}-"),
        (false, true) if ends_mi => format!("{blanks}{bare} "),
        (true, _) if has_brackets => format!("{blanks}<{bare}>"),
        (false, true) if has_brackets => format!(" {blanks}{bare} "),
        (true, _) => format!("{blanks}-{bare}"),
        (false, true) => format!(" {blanks}{bare}"),
        (false, false) => bare.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, format: &str) -> String {
        let (moment, offset) = Timestamp::parse_with_offset(text).unwrap();
        Template::new(format).unwrap().shown(moment, offset.unwrap_or(0))
    }

    #[test]
    fn moments_are_shown() {
        let moment = "2024-02-29 13:04:56.1234567 +05:30";
        assert_eq!(shown(moment, "YYYY-MM-DD HH24:MI:SS.FF7 TZH:TZM"), "2024-02-29 13:04:56.1234567 +05:30");
        assert_eq!(shown(moment, "FMMonth FMDDth, YY HH12:MI am"), "February 29th, 24 01:04 pm");
        assert_eq!(shown(moment, "DAY|Dy|mon|\"DD\" DDD Q IW D ID"), "THURSDAY |Thu|feb|DD 060 1 09 5 4");
        assert_eq!(shown("2021-01-01", "IYYY-IW"), "2020-53");
        assert_eq!(shown("2024-02-29 00:00:00", "HH:MI A.M. MS US SSSS CC J"), "12:00 A.M. 000 000000 0 21 2460370");
    }

    #[test]
    fn moments_are_read() {
        let read = |text: &str, format: &str| Template::new(format).unwrap().read(text).map(|it| it.to_string());
        assert_eq!(read("05 Dec 2000", "DD Mon YYYY").unwrap(), "2000-12-05 00:00:00");
        assert_eq!(read("20240229130456", "YYYYMMDDHH24MISS").unwrap(), "2024-02-29 13:04:56");
        assert_eq!(read("2024/2/9 1:04 PM", "YYYY-MM-DD HH:MI AM").unwrap(), "2024-02-09 13:04:00");
        assert_eq!(read("12:34:56.5", "HH24:MI:SS.MS").unwrap(), "0001-01-01 12:34:56.5");
        assert_eq!(read("2024-060", "YYYY-DDD").unwrap(), "2024-02-29 00:00:00");
        assert!(read("2024-02-30", "YYYY-MM-DD").is_err() && read("x", "YYYY").is_err());
    }

    #[test]
    fn numbers_are_shown_as_postgres_shows_them() {
        let decimal = |text: &str| Value::Decimal(text.parse().unwrap());
        let shown = |value: &str, format: &str| number(&decimal(value), format).unwrap();
        assert_eq!(shown("125", "999"), " 125");
        assert_eq!(shown("-125.8", "999D99S"), "125.80-");
        assert_eq!(shown("1485", "9,999"), " 1,485");
        assert_eq!(shown("12", "9990999.9"), "    0012.0");
        assert_eq!(shown("148.5", "FM999.990"), "148.500");
        assert_eq!(shown("148.5", "FM999.999"), "148.5");
        assert_eq!(shown("-485", "999MI"), "485-");
        assert_eq!(shown("-485", "999PR"), "<485>");
        assert_eq!(shown("485", "99"), " ##");
        assert_eq!(shown("0.1", "0.9"), " 0.1");
        assert_eq!(shown("1234.567", "FM999,990.00"), "1,234.57");
        assert_eq!(shown("0", "FM990"), "0");
    }
}
