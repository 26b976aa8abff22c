//! CSV options for other regional settings: Excel in Germany reads semicolons, decimal commas and `31.12.2024`, and
//! reads a file as UTF-8 only if it begins with a byte order mark.
//!
//! Date patterns are those of `dates` in mainstay.toml: `dd.mm.yyyy`, `d/m/yy`. A timestamp keeps its time of day.

/// The choices; without any a file is as RFC 4180 has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CsvStyle {
    /// The character between fields; a comma otherwise, and a semicolon beside a decimal comma.
    pub(crate) delimiter: Option<char>,
    /// The character before the decimals of a number; a point otherwise.
    pub(crate) decimal: Option<char>,
    /// True if a file begins with a byte order mark.
    pub(crate) bom: bool,
    /// The form of days; `yyyy-mm-dd` otherwise.
    pub(crate) dates: Option<DatePattern>,
}

impl CsvStyle {
    /// The character between fields.
    pub(crate) fn separator(&self) -> char {
        self.delimiter.unwrap_or(if self.decimal == Some(',') { ';' } else { ',' })
    }

    /// Refuses settings whose files could not be read again.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.decimal {
            Some(decimal) if decimal == self.separator() => {
                Err(format!("the delimiter and the decimal character are both {decimal:?}"))
            }
            _ => Ok(()),
        }
    }
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// With so many digits at least.
    Day(usize),
    Month(usize),
    /// With so many digits.
    Year(usize),
    Text(char),
}

/// A form of days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatePattern(Vec<Part>);

impl DatePattern {
    /// Reads a pattern of d, m and y.
    pub(crate) fn parse(text: &str) -> Result<DatePattern, String> {
        let wrong = || "a date format has d or dd, m or mm, and yy or yyyy once each, such as dd.mm.yyyy".to_owned();
        let characters: Vec<char> = text.to_lowercase().chars().collect();
        let (mut parts, mut at, mut found) = (Vec::new(), 0, String::new());
        while let Some(&first) = characters.get(at) {
            let length = characters[at..].iter().take_while(|next| **next == first).count();
            let part = match (first, length) {
                ('d', 1 | 2) => Part::Day(length),
                ('m', 1 | 2) => Part::Month(length),
                ('y', 2 | 4) => Part::Year(length),
                ('d' | 'm' | 'y', _) => return Err(wrong()),
                (other, _) if other.is_alphanumeric() || other == '"' => return Err(wrong()),
                (other, _) => {
                    parts.push(Part::Text(other));
                    at += 1;
                    continue;
                }
            };
            parts.push(part);
            found.push(first);
            at += length;
        }
        let has_each_once = found.len() == 3 && ['d', 'm', 'y'].iter().all(|letter| found.contains(*letter));
        if has_each_once { Ok(DatePattern(parts)) } else { Err(wrong()) }
    }

    /// The text of a day or a moment (`yyyy-mm-dd`, and what follows) in this pattern. Years outside 0 to 9999 stay as
    /// they are.
    pub(crate) fn rewrite(&self, text: &str) -> String {
        let parts = (text.get(..4), text.get(5..7), text.get(8..10));
        let is_day = |text: &str| {
            text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
        };
        let (Some(year), Some(month), Some(day)) = parts else { return text.to_owned() };
        if !text.get(..10).is_some_and(is_day) {
            return text.to_owned();
        }
        let shortened = |text: &str, digits: usize| match text.strip_prefix('0').filter(|_| digits == 1) {
            Some(short) => short.to_owned(),
            None => text.to_owned(),
        };
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Day(digits) => out.push_str(&shortened(day, *digits)),
                Part::Month(digits) => out.push_str(&shortened(month, *digits)),
                Part::Year(2) => out.push_str(&year[2..]),
                Part::Year(_) => out.push_str(year),
                Part::Text(character) => out.push(*character),
            }
        }
        out + &text[10..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_the_pattern() {
        let written = |pattern: &str, text: &str| DatePattern::parse(pattern).unwrap().rewrite(text);
        assert_eq!(written("dd.mm.yyyy", "2024-12-03"), "03.12.2024");
        assert_eq!(written("m/d/yy", "2004-01-09 10:11:12"), "1/9/04 10:11:12");
        assert_eq!(written("DD.MM.YYYY", "-0044-03-15"), "-0044-03-15");
        assert_eq!(written("dd.mm.yyyy", "106751 days"), "106751 days");
        for wrong in ["", "dd.mm", "dd.mm.yyyy.dd", "ddd.mm.yyyy", "%d.%m.%Y", "dd mon yyyy"] {
            assert!(DatePattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_decimal_comma_goes_with_semicolons() {
        let style = CsvStyle { decimal: Some(','), ..CsvStyle::default() };
        assert_eq!((style.separator(), style.check()), (';', Ok(())));
        assert!(CsvStyle { delimiter: Some(','), ..style }.check().is_err());
        assert_eq!(CsvStyle::default().separator(), ',');
    }
}
