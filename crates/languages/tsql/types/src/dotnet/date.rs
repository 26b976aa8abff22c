//! Moments in the formats of .NET: one letter for a pattern of the culture, more for a pattern.

use super::culture::Culture;
use crate::moment::part::iso_weekday;
use crate::types::DataType;
use mainstay_types::{Time, Timestamp};

/// A moment as its clock shows it.
struct Shown<'a> {
    moment: Timestamp,
    offset: Option<i16>,
    culture: &'a Culture,
}

/// A date and time in a format; `None` for an invalid format.
pub fn date(
    moment: Timestamp,
    offset: Option<i16>,
    data_type: DataType,
    format: &str,
    culture: &Culture,
) -> Option<String> {
    let mut shown = Shown { moment, offset, culture };
    if let Some(letter) = only(format) {
        let c = culture;
        let pattern = match letter {
            'd' => c.short_date.to_owned(),
            'D' => c.long_date.to_owned(),
            't' => c.short_time.to_owned(),
            'T' => c.long_time.to_owned(),
            'f' => format!("{} {}", c.long_date, c.short_time),
            'F' => format!("{} {}", c.long_date, c.long_time),
            'g' => format!("{} {}", c.short_date, c.short_time),
            'G' => format!("{} {}", c.short_date, c.long_time),
            'm' | 'M' => c.month_day.to_owned(),
            'y' | 'Y' => c.year_month.to_owned(),
            's' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss".to_owned(),
            'o' | 'O' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffffK".to_owned(),
            'u' | 'r' | 'R' | 'U' => {
                if let Some(offset) = offset
                    && letter != 'U'
                {
                    shown.moment = moment.to_utc(offset);
                }
                match letter {
                    'u' => "yyyy'-'MM'-'dd HH':'mm':'ss'Z'".to_owned(),
                    'U' => format!("{} {}", c.long_date, c.long_time),
                    _ => {
                        shown.culture = Culture::by_name("")?;
                        "ddd, dd MMM yyyy HH':'mm':'ss 'GMT'".to_owned()
                    }
                }
            }
            _ => return None,
        };
        return shown.pattern(&pattern);
    }
    if format.is_empty() {
        let c = culture;
        let pattern = match data_type {
            DataType::DateTimeOffset(_) => format!("{} {} zzz", c.short_date, c.long_time),
            _ => format!("{} {}", c.short_date, c.long_time),
        };
        return shown.pattern(&pattern);
    }
    shown.pattern(format)
}

fn only(format: &str) -> Option<char> {
    let mut characters = format.chars();
    match (characters.next(), characters.next()) {
        (Some(letter), None) => Some(letter),
        _ => None,
    }
}

impl Shown<'_> {
    fn pattern(&self, pattern: &str) -> Option<String> {
        let characters: Vec<char> = pattern.chars().collect();
        let mut out = String::new();
        let mut at = 0;
        while let Some(character) = characters.get(at).copied() {
            let run = characters.iter().skip(at).take_while(|c| **c == character).count();
            match character {
                '\'' | '"' => {
                    let rest = characters.get(at + 1..)?;
                    let end = rest.iter().position(|c| *c == character)?;
                    out.extend(rest.iter().take(end));
                    at += end + 2;
                }
                '\\' => {
                    out.push(*characters.get(at + 1)?);
                    at += 2;
                }
                '%' => at += 1,
                ':' => {
                    out.push(':');
                    at += 1;
                }
                '/' => {
                    out.push_str(self.culture.date_separator);
                    at += 1;
                }
                'F' if out.ends_with('.') && self.fraction(run, true)?.is_empty() => {
                    // Without a fraction its point goes as well.
                    out.pop();
                    at += run;
                }
                'd' | 'f' | 'F' | 'g' | 'h' | 'H' | 'K' | 'm' | 'M' | 's' | 't' | 'y' | 'z' => {
                    out.push_str(&self.part(character, run)?);
                    at += run;
                }
                other => {
                    out.push(other);
                    at += 1;
                }
            }
        }
        Some(out)
    }

    fn fraction(&self, count: usize, trimmed: bool) -> Option<String> {
        let (.., ticks) = self.moment.time().hms();
        let digits = format!("{ticks:07}");
        let digits = digits.get(..count)?;
        Some(if trimmed { digits.trim_end_matches('0') } else { digits }.to_owned())
    }

    fn part(&self, letter: char, count: usize) -> Option<String> {
        let (year, month, day) = self.moment.date().ymd();
        let (hour, minute, second, _) = self.moment.time().hms();
        let names = self.culture.names();
        let padded = |number: u32| if count == 1 { number.to_string() } else { format!("{number:02}") };
        let weekday = (iso_weekday(self.moment.date()) - 1) as usize;
        let month_index = month as usize - 1;
        Some(match (letter, count) {
            ('d', 1 | 2) => padded(day),
            ('d', 3) => names.days.get(weekday)?.chars().take(3).collect(),
            ('d', _) => (*names.days.get(weekday)?).to_owned(),
            ('M', 1 | 2) => padded(month),
            ('M', 3) => (*names.short_months.get(month_index)?).to_owned(),
            ('M', _) => (*names.months.get(month_index)?).to_owned(),
            ('y', 1) => (year % 100).to_string(),
            ('y', 2) => format!("{:02}", year % 100),
            ('y', _) => format!("{year:0count$}"),
            ('h', _) => padded((hour + 11) % 12 + 1),
            ('H', _) => padded(hour),
            ('m', _) => padded(minute),
            ('s', _) => padded(second),
            ('f', _) => self.fraction(count, false)?,
            ('F', _) => self.fraction(count, true)?,
            ('t', _) => {
                let half = self.culture.halves[usize::from(hour >= 12)];
                if count == 1 { half.chars().take(1).collect() } else { half.to_owned() }
            }
            ('g', _) => "A.D.".to_owned(),
            ('K', _) => self.offset.map(|_| self.part('z', 3)).unwrap_or_else(|| Some(String::new()))?,
            ('z', _) => {
                let offset = self.offset.unwrap_or(0);
                let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
                match count {
                    1 => format!("{sign}{}", minutes / 60),
                    2 => format!("{sign}{:02}", minutes / 60),
                    _ => format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60),
                }
            }
            _ => return None,
        })
    }
}

/// A time of day in a format of a time span: its letters are h, m, s, f and F, and anything else has to be quoted or
/// escaped.
pub fn time(time: Time, format: &str) -> Option<String> {
    let (hour, minute, second, ticks) = time.hms();
    let fraction = format!("{ticks:07}");
    match format {
        "" | "c" | "t" | "T" => {
            let tail = if ticks == 0 { String::new() } else { format!(".{fraction}") };
            return Some(format!("{hour:02}:{minute:02}:{second:02}{tail}"));
        }
        "g" => {
            let short = fraction.trim_end_matches('0');
            let tail = if short.is_empty() { String::new() } else { format!(".{short}") };
            return Some(format!("{hour}:{minute:02}:{second:02}{tail}"));
        }
        "G" => return Some(format!("0:{hour:02}:{minute:02}:{second:02}.{fraction}")),
        _ => {}
    }
    let characters: Vec<char> = format.chars().collect();
    let (mut out, mut at) = (String::new(), 0);
    while let Some(letter) = characters.get(at).copied() {
        let run = characters.iter().skip(at).take_while(|c| **c == letter).count();
        let number = match letter {
            'h' => Some(hour),
            'm' => Some(minute),
            's' => Some(second),
            'd' => Some(0),
            _ => None,
        };
        match (letter, number) {
            (_, Some(number)) if run <= 2 => out.push_str(&format!("{number:0run$}")),
            ('f', _) => out.push_str(fraction.get(..run)?),
            ('F', _) => out.push_str(fraction.get(..run)?.trim_end_matches('0')),
            ('\\', _) => {
                out.push(*characters.get(at + 1)?);
                at += 2;
                continue;
            }
            ('\'' | '"', _) => {
                let rest = characters.get(at + 1..)?;
                let end = rest.iter().position(|c| *c == letter)?;
                out.extend(rest.iter().take(end));
                at += end + 2;
                continue;
            }
            ('%', _) => {
                at += 1;
                continue;
            }
            _ => return None,
        }
        at += run;
    }
    Some(out)
}
