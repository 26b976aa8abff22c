//! Days and dates of the proleptic Gregorian calendar, and the layouts of DTE( ), DAY and JUL( ).
//!
//! A Julian date is the number of days since 1970-01-01. Source: the manual's pages DTE( ), JUL( ), DAY_FORMAT.

/// A date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// The year.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
}

impl Date {
    /// The date of a number of days since 1970-01-01.
    pub fn of_days(days: i64) -> Date {
        // Years begin in March here, so that the leap day is their last; an era is 400 years.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_shifted = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_shifted + 2) / 5 + 1) as u32;
        let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 } as u32;
        Date { year: year_of_era + era * 400 + i64::from(month <= 2), month, day }
    }

    /// Days since 1970-01-01; `None` for a date that does not exist.
    pub fn days(self) -> Option<i64> {
        let valid = (1..=12).contains(&self.month) && self.day >= 1 && self.day <= month_days(self.year, self.month);
        if !valid || !(0..=9999).contains(&self.year) {
            return None;
        }
        let year = self.year - i64::from(self.month <= 2);
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let month = i64::from(self.month);
        let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Some(era * 146_097 + day_of_era - 719_468)
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_days(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

const MONTHS: [&str; 12] = [
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
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The names of DEF DTE( ): long and short ones of months, days from Monday, am and pm.
#[derive(Debug)]
pub struct Names(Vec<Vec<u8>>);

impl Names {
    /// How many there are.
    const COUNT: usize = 46;
    /// Where the long and the short names begin.
    const MONTHS: (usize, usize) = (0, 23);
    const DAYS: (usize, usize) = (12, 35);
    const LOWER: (usize, usize) = (19, 42);
    const UPPER: (usize, usize) = (21, 44);

    /// Reads a list with commas; `None` for another number of names.
    pub fn parse(list: &[u8]) -> Option<Names> {
        let names: Vec<Vec<u8>> = list.split(|byte| *byte == b',').map(<[u8]>::to_vec).collect();
        (names.len() == Names::COUNT).then_some(Names(names))
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|name| name.len() + 32).sum()
    }
}

/// A point in time for [`format()`].
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Days since 1970-01-01.
    pub days: i64,
    /// Milliseconds since midnight.
    pub milliseconds: i64,
}

/// A date and time through a layout of DTE( ), with names of months and days of one's own if there are any.
pub fn format(moment: Moment, layout: &[u8], names: Option<&Names>) -> Vec<u8> {
    let date = Date::of_days(moment.days);
    let mut out = Vec::new();
    let mut at = 0;
    while at < layout.len() {
        let rest = &layout[at..];
        at += match rest {
            [b'%', b'%', ..] => {
                out.push(b'%');
                2
            }
            [b'%', code, style @ (b'l' | b's' | b'z' | b'p'), ..] => {
                out.extend_from_slice(&part(moment, date, (*code, *style), names));
                3
            }
            [b'%', code, ..] => {
                out.extend_from_slice(&part(moment, date, (*code, b' '), names));
                2
            }
            _ => match plain(rest, date) {
                Some((text, length)) => {
                    out.extend_from_slice(text.as_bytes());
                    length
                }
                None => {
                    out.push(rest[0]);
                    1
                }
            },
        };
    }
    out
}

/// `YYYY`, `YY`, `MM` and `DD` without a percent sign.
fn plain(rest: &[u8], date: Date) -> Option<(String, usize)> {
    Some(match rest {
        [b'Y', b'Y', b'Y', b'Y', ..] => (format!("{:04}", date.year), 4),
        [b'Y', b'Y', ..] => (format!("{:02}", date.year.rem_euclid(100)), 2),
        [b'M', b'M', ..] => (format!("{:02}", date.month), 2),
        [b'D', b'D', ..] => (format!("{:02}", date.day), 2),
        [b'A', b'A', ..] => (century_year(date.year), 2),
        _ => return None,
    })
}

/// 00 to 99 for 1900 to 1999, A0 to A9 for 2000 to 2009, and so on.
fn century_year(year: i64) -> String {
    match year {
        1900..=1999 => format!("{:02}", year - 1900),
        2000..=2259 => format!("{}{}", (b'A' + ((year - 2000) / 10) as u8) as char, year % 10),
        _ => format!("{:02}", year.rem_euclid(100)),
    }
}

fn part(moment: Moment, date: Date, (code, style): (u8, u8), names: Option<&Names>) -> Vec<u8> {
    let seconds = moment.milliseconds / 1000;
    let hour = seconds / 3600;
    let weekday = (moment.days + 4).rem_euclid(7);
    let own = |first: usize, short: usize, index: usize| {
        let place = if style == b's' { short } else { first } + index;
        names.map(|names| names.0[place].clone())
    };
    let name = |known: &[&str], index: usize, places: (usize, usize, usize)| match style {
        b'l' | b's' => Some(own(places.0, places.1, places.2).unwrap_or_else(|| {
            let name = known[index].as_bytes();
            if style == b'l' { name.to_vec() } else { name[..3].to_vec() }
        })),
        _ => None,
    };
    let half = usize::from(hour >= 12);
    let from_monday = (weekday as usize + 6) % 7;
    let day = (Names::DAYS.0, Names::DAYS.1, from_monday);
    let number = match code {
        b'p' => return own(Names::LOWER.0, Names::LOWER.1, half).unwrap_or_else(|| [b"am", b"pm"][half].to_vec()),
        b'P' => return own(Names::UPPER.0, Names::UPPER.1, half).unwrap_or_else(|| [b"AM", b"PM"][half].to_vec()),
        b'A' => return century_year(date.year).into_bytes(),
        b'D' => match name(&DAYS, weekday as usize, day) {
            Some(text) => return text,
            None => date.day.into(),
        },
        b'W' => match name(&DAYS, weekday as usize, day) {
            Some(text) => return text,
            None => (weekday + 6) % 7 + 1,
        },
        b'M' => {
            match name(&MONTHS, date.month as usize - 1, (Names::MONTHS.0, Names::MONTHS.1, date.month as usize - 1)) {
                Some(text) => return text,
                None => date.month.into(),
            }
        }
        b'Y' if style == b'z' => date.year.rem_euclid(100),
        b'Y' => date.year,
        b'h' => (hour + 11) % 12 + 1,
        b'H' => hour,
        b'm' => seconds / 60 % 60,
        b's' => seconds % 60,
        b'S' => seconds,
        b'k' => moment.milliseconds % 1000,
        b'J' => moment.days - Date { year: date.year, month: 1, day: 1 }.days().unwrap_or(0) + 1,
        other => return vec![b'%', other],
    };
    match (style, code) {
        (b'z', b'k') => format!("{number:03}").into_bytes(),
        (b'z', _) => format!("{number:02}").into_bytes(),
        (b'p', _) => vec![number as u8],
        _ => number.to_string().into_bytes(),
    }
}

/// Reads a date in a layout of `YYYY`, `YY`, `AA`, `MM`, `DD` and separators. Years of two digits are of this century.
pub fn parse(text: &[u8], layout: &[u8], this_year: i64) -> Option<Date> {
    let mut date = Date { year: this_year, month: 1, day: 1 };
    let (mut at, mut from) = (0, 0);
    while from < layout.len() {
        let rest = &layout[from..];
        let (length, kind) = match rest {
            [b'Y', b'Y', b'Y', b'Y', ..] => (4, b'Y'),
            [b'Y', b'Y', ..] => (2, b'y'),
            [b'A', b'A', ..] => (2, b'A'),
            [b'M', b'M', ..] => (2, b'M'),
            [b'D', b'D', ..] => (2, b'D'),
            _ => (1, 0),
        };
        let part = text.get(at..at + length)?;
        let number = std::str::from_utf8(part).ok().and_then(|part| part.trim().parse::<i64>().ok());
        match kind {
            b'Y' => date.year = number?,
            b'y' => date.year = this_year - this_year % 100 + number?,
            b'A' => date.year = century_of(part)?,
            b'M' => date.month = u32::try_from(number?).ok()?,
            b'D' => date.day = u32::try_from(number?).ok()?,
            _ => {}
        }
        at += length;
        from += length;
    }
    Some(date)
}

fn century_of(part: &[u8]) -> Option<i64> {
    let unit = i64::from((part[1] as char).to_digit(10)?);
    match part[0] {
        byte if byte.is_ascii_digit() => Some(1900 + i64::from(byte - b'0') * 10 + unit),
        byte if byte.is_ascii_uppercase() => Some(2000 + i64::from(byte - b'A') * 10 + unit),
        _ => None,
    }
}
