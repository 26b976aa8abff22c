//! A text as a moment.
//!
//! The forms are those of the reference pages of DATETIME and its siblings: ISO 8601 (which no setting changes), numbers
//! with separators in the order of DATEFORMAT or of a style, eight, six or four digits without separators, and names of
//! months. A time stands before or behind the date, or alone.
//!
//! ```text
//!   2024-01-31T10:00:00.5+02:00     20240131 10:00     31.01.2024     Jan 31, 2024 10:30PM     10:00:00:500
//! ```

use super::hijri;
use crate::context::DateFormat;
use crate::language::Language;
use mainstay_types::{Date, TICKS_PER_SECOND};

/// Rules for reading the numbers of a date or time.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// The order of day, month and year.
    pub order: DateFormat,
    /// True if a year of four digits at the front makes it year, month, day whatever the order is, as for the types
    /// that came with DATE.
    pub year_first: bool,
    /// The forms of three numbers that are read.
    pub layout: Layout,
    /// The names of months.
    pub language: &'a Language,
    /// The last year that two digits can mean.
    pub cutoff: i32,
    /// True if the date is of the Islamic calendar.
    pub hijri: bool,
    /// The most digits that a fraction of a second may have.
    pub digits: usize,
}

/// The forms of three numbers with separators that are read. (Digits without marks, names of months and times are
/// read in any case.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Years of two and of four digits, in the order of the rules.
    Any,
    /// In that order only, with years of so many digits; perhaps also with a year of four digits in front of the others.
    Only {
        /// 2 or 4.
        year_digits: usize,
        /// True if the year may lead.
        year_leads: bool,
    },
    /// None.
    Refused,
}

/// The parsed contents of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The day, if there is one.
    pub date: Option<Date>,
    /// Ticks of 100 ns since midnight, if there is a time.
    pub ticks: Option<i64>,
    /// Minutes ahead of UTC.
    pub offset: Option<i16>,
}

/// Why a text says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It has none of the forms.
    Form,
    /// It has, and its month, day, hour, ... does not exist.
    Range,
    /// It has a form that the style does not read.
    Style,
}

/// Reads a text; an empty one has neither day nor time.
pub fn parse(text: &str, rules: &Rules<'_>) -> Result<Parsed, Failure> {
    let mut reader = Reader { tokens: tokens(text.trim_matches(' '))?, at: 0, rules };
    reader.read()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Number(&'a str),
    Word(&'a str),
    Mark(u8),
    Blank,
}

/// The longest text that is looked at: no form is longer.
const MAX_LENGTH: usize = 120;

fn tokens(text: &str) -> Result<Vec<Token<'_>>, Failure> {
    if text.len() > MAX_LENGTH {
        return Err(Failure::Form);
    }
    let mut tokens = Vec::with_capacity(12);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let (token, length) = match first {
            '0'..='9' => {
                let end = run(|c| c.is_ascii_digit());
                (Token::Number(&rest[..end]), end)
            }
            ' ' => (Token::Blank, run(|c| c == ' ')),
            '/' | '-' | '.' | ':' | ',' | '+' => (Token::Mark(first as u8), 1),
            _ if first.is_alphabetic() => {
                let end = run(char::is_alphabetic);
                (Token::Word(&rest[..end]), end)
            }
            _ => return Err(Failure::Form),
        };
        tokens.push(token);
        rest = &rest[length..];
    }
    Ok(tokens)
}

struct Reader<'a, 'r> {
    tokens: Vec<Token<'a>>,
    at: usize,
    rules: &'r Rules<'r>,
}

/// The parts of a date found so far.
#[derive(Default)]
struct DateParts<'a> {
    numbers: Vec<&'a str>,
    /// The month that a word names.
    month: Option<u32>,
    separated: bool,
}

impl<'a> Reader<'a, '_> {
    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn eat(&mut self, token: Token<'_>) -> bool {
        let found = self.peek(0) == Some(token);
        self.at += usize::from(found);
        found
    }

    fn read(&mut self) -> Result<Parsed, Failure> {
        let mut parts = DateParts::default();
        let mut parsed = Parsed { date: None, ticks: None, offset: None };
        while let Some(token) = self.peek(0) {
            match token {
                Token::Blank => self.at += 1,
                Token::Number(_) if self.is_time() => {
                    if parsed.ticks.is_some() {
                        return Err(Failure::Form);
                    }
                    parsed.ticks = Some(self.time()?);
                    parsed.offset = self.offset()?;
                }
                Token::Number(number) => {
                    parts.numbers.push(number);
                    self.at += 1;
                    self.separator(&mut parts);
                }
                Token::Word(word) => self.word(word, &mut parts)?,
                Token::Mark(b',') if parts.month.is_some() => self.at += 1,
                Token::Mark(_) => return Err(Failure::Form),
            }
        }
        parsed.date = self.date(&parts)?;
        Ok(parsed)
    }

    /// Takes what may stand between two parts of a date.
    fn separator(&mut self, parts: &mut DateParts<'_>) {
        if let (Some(Token::Mark(b'/' | b'-' | b'.')), Some(Token::Number(_) | Token::Word(_))) =
            (self.peek(0), self.peek(1))
        {
            self.at += 1;
            parts.separated = true;
        }
    }

    fn word(&mut self, word: &str, parts: &mut DateParts<'_>) -> Result<(), Failure> {
        self.at += 1;
        if word.eq_ignore_ascii_case("t") && parts.numbers.len() == 3 && matches!(self.peek(0), Some(Token::Number(_)))
        {
            // ISO 8601: the year is first whatever the settings say.
            return if parts.numbers.first().is_some_and(|year| year.len() == 4) { Ok(()) } else { Err(Failure::Form) };
        }
        let month = self.rules.language.month(word).filter(|_| parts.month.is_none()).ok_or(Failure::Form)?;
        parts.month = Some(month);
        self.separator(parts);
        Ok(())
    }

    /// Returns true if a time starts here: a number before a colon, or before AM or PM.
    fn is_time(&self) -> bool {
        let meridiem = |token| matches!(token, Some(Token::Word(word)) if is_meridiem(word));
        match self.peek(1) {
            Some(Token::Mark(b':')) => true,
            Some(Token::Blank) => meridiem(self.peek(2)),
            token => meridiem(token),
        }
    }

    fn number(&mut self, most: usize) -> Result<i64, Failure> {
        match self.peek(0) {
            Some(Token::Number(digits)) if digits.len() <= most => {
                self.at += 1;
                digits.parse().map_err(|_| Failure::Form)
            }
            _ => Err(Failure::Form),
        }
    }

    fn time(&mut self) -> Result<i64, Failure> {
        let mut hour = self.number(2)?;
        let (mut minute, mut second, mut fraction) = (0, 0, 0);
        if self.eat(Token::Mark(b':')) {
            minute = self.number(2)?;
            if self.eat(Token::Mark(b':')) {
                second = self.number(2)?;
                if self.eat(Token::Mark(b':')) {
                    // Behind a colon stand milliseconds.
                    fraction = self.number(3)? * (TICKS_PER_SECOND / 1000);
                } else if self.eat(Token::Mark(b'.')) {
                    fraction = self.fraction()?;
                }
            }
        }
        if let (Some(Token::Blank), Some(Token::Word(word))) = (self.peek(0), self.peek(1))
            && is_meridiem(word)
        {
            self.at += 1;
        }
        if let Some(Token::Word(word)) = self.peek(0)
            && is_meridiem(word)
        {
            self.at += 1;
            hour = twelve_hours(hour, word.to_ascii_lowercase().starts_with('p'))?;
        }
        if hour > 23 || minute > 59 || second > 59 {
            return Err(Failure::Range);
        }
        Ok(((hour * 60 + minute) * 60 + second) * TICKS_PER_SECOND + fraction)
    }

    fn fraction(&mut self) -> Result<i64, Failure> {
        let Some(Token::Number(digits)) = self.peek(0) else { return Err(Failure::Form) };
        if digits.len() > self.rules.digits.min(9) {
            return Err(Failure::Form);
        }
        self.at += 1;
        let nanos: i64 = format!("{digits:0<9}").parse().map_err(|_| Failure::Form)?;
        Ok((nanos + 50) / 100)
    }

    fn offset(&mut self) -> Result<Option<i16>, Failure> {
        let before = self.at;
        self.eat(Token::Blank);
        let sign = match self.peek(0) {
            Some(Token::Word("Z" | "z")) => {
                self.at += 1;
                return Ok(Some(0));
            }
            Some(Token::Mark(b'+')) => 1,
            Some(Token::Mark(b'-')) => -1,
            _ => {
                self.at = before;
                return Ok(None);
            }
        };
        self.at += 1;
        let hours = self.number(2)?;
        let minutes = if self.eat(Token::Mark(b':')) { self.number(2)? } else { return Err(Failure::Form) };
        let total = hours * 60 + minutes;
        if minutes > 59 || total > 14 * 60 {
            return Err(Failure::Range);
        }
        Ok(Some((sign * total) as i16))
    }

    fn date(&self, parts: &DateParts<'_>) -> Result<Option<Date>, Failure> {
        let (year, month, day) = match (parts.month, parts.numbers.as_slice()) {
            (None, []) => return Ok(None),
            (None, [only]) => self.unseparated(only)?,
            (None, [a, b, c]) if parts.separated => self.three([a, b, c])?,
            (Some(month), [only]) if only.len() == 4 => (self.year(only)?, month, 1),
            (Some(month), [a, b]) => {
                let first_is_year = a.len() == 4;
                let (year, day) = if first_is_year { (a, b) } else { (b, a) };
                (self.year(year)?, month, small(day)?)
            }
            _ => return Err(Failure::Form),
        };
        let date = match self.rules.hijri {
            true => hijri::date(i64::from(year), month, day),
            false => Date::from_ymd(year, month, day),
        };
        date.filter(|date| *date >= Date::FIRST).map(Some).ok_or(Failure::Range)
    }

    fn unseparated(&self, digits: &str) -> Result<(i32, u32, u32), Failure> {
        let part = |from: usize, to: usize| digits.get(from..to).ok_or(Failure::Form);
        match digits.len() {
            8 => Ok((self.year(part(0, 4)?)?, small(part(4, 6)?)?, small(part(6, 8)?)?)),
            6 => Ok((self.year(part(0, 2)?)?, small(part(2, 4)?)?, small(part(4, 6)?)?)),
            4 => Ok((self.year(digits)?, 1, 1)),
            _ => Err(Failure::Form),
        }
    }

    fn three(&self, [a, b, c]: [&str; 3]) -> Result<(i32, u32, u32), Failure> {
        use DateFormat::*;
        // Without its year, the order of month and day.
        let month_first = matches!(self.rules.order, Mdy | Ymd | Myd);
        let pair = |first, second| if month_first { (first, second) } else { (second, first) };
        let iso = self.rules.year_first && self.is_iso() && a.len() == 4;
        let (year, (month, day)) = if !iso && self.rules.layout != Layout::Any {
            self.by_layout([a, b, c], pair)?
        } else if a.len() == 4 {
            let iso = self.rules.year_first || self.is_iso();
            (a, if iso { (b, c) } else { pair(b, c) })
        } else if c.len() == 4 {
            (c, pair(a, b))
        } else if b.len() == 4 {
            (b, pair(a, c))
        } else {
            match self.rules.order {
                Mdy => (c, (a, b)),
                Dmy => (c, (b, a)),
                Ymd => (a, (b, c)),
                Ydm => (a, (c, b)),
                Myd => (b, (a, c)),
                Dym => (b, (c, a)),
            }
        };
        Ok((self.year(year)?, small(month)?, small(day)?))
    }

    /// Year, month and day as the layout has them.
    fn by_layout<'t>(
        &self,
        [a, b, c]: [&'t str; 3],
        pair: impl Fn(&'t str, &'t str) -> (&'t str, &'t str),
    ) -> Result<(&'t str, (&'t str, &'t str)), Failure> {
        let Layout::Only { year_digits, year_leads } = self.rules.layout else { return Err(Failure::Style) };
        let (year, rest) = match self.rules.order {
            DateFormat::Ymd | DateFormat::Ydm => (a, (b, c)),
            DateFormat::Myd | DateFormat::Dym => (b, (a, c)),
            DateFormat::Mdy | DateFormat::Dmy => (c, (a, b)),
        };
        let fits = if year_digits == 4 { year.len() == 4 } else { year.len() <= 2 };
        match (fits && rest.0.len() <= 2 && rest.1.len() <= 2, year_leads && a.len() == 4) {
            (true, _) => Ok((year, pair(rest.0, rest.1))),
            (false, true) => Ok((a, pair(b, c))),
            (false, false) => Err(Failure::Form),
        }
    }

    /// Returns true if a `T` stands between date and time.
    fn is_iso(&self) -> bool {
        self.tokens.iter().any(|token| matches!(token, Token::Word("T" | "t")))
    }

    fn year(&self, digits: &str) -> Result<i32, Failure> {
        let year: i32 = digits.parse().map_err(|_| Failure::Form)?;
        match digits.len() {
            4 => Ok(year),
            1 | 2 => Ok(full_year(year, self.rules.cutoff)),
            _ => Err(Failure::Form),
        }
    }
}

/// The year that two digits mean.
fn full_year(year: i32, cutoff: i32) -> i32 {
    let century = cutoff - cutoff % 100;
    if year <= cutoff % 100 { century + year } else { century - 100 + year }
}

fn small(digits: &str) -> Result<u32, Failure> {
    if digits.len() > 2 {
        return Err(Failure::Form);
    }
    digits.parse().map_err(|_| Failure::Form)
}

fn is_meridiem(word: &str) -> bool {
    word.eq_ignore_ascii_case("am") || word.eq_ignore_ascii_case("pm")
}

fn twelve_hours(hour: i64, afternoon: bool) -> Result<i64, Failure> {
    match (hour, afternoon) {
        (12, false) => Ok(0),
        (0..=11, false) => Ok(hour),
        (12..=23, true) => Ok(hour),
        (1..=11, true) => Ok(hour + 12),
        _ => Err(Failure::Range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::US_ENGLISH;

    fn shown(text: &str, order: DateFormat, year_first: bool) -> String {
        let rules = Rules {
            order,
            year_first,
            layout: Layout::Any,
            language: &US_ENGLISH,
            cutoff: 2049,
            hijri: false,
            digits: 7,
        };
        match parse(text, &rules) {
            Ok(parsed) => {
                let date = parsed.date.map_or("-".into(), |date| date.to_string());
                let time = parsed.ticks.map_or("-".into(), |ticks| mainstay_types::Time(ticks).to_string());
                let offset = parsed.offset.map_or(String::new(), |offset| format!(" {offset}"));
                format!("{date} {time}{offset}")
            }
            Err(failure) => format!("{failure:?}"),
        }
    }

    #[test]
    fn forms() {
        for (text, expected) in [
            ("", "- -"),
            ("20240131", "2024-01-31 -"),
            ("240131", "2024-01-31 -"),
            ("500131", "1950-01-31 -"),
            ("2024", "2024-01-01 -"),
            ("1/2/2024", "2024-01-02 -"),
            ("2024-01-31", "2024-01-31 -"),
            ("2024/1/31 10:00", "2024-01-31 10:00:00"),
            ("2024-01-31T10:00:00.1234567", "2024-01-31 10:00:00.1234567"),
            ("2024-01-31T10:00:00Z", "2024-01-31 10:00:00 0"),
            ("2024-01-31 10:00:00 +02:00", "2024-01-31 10:00:00 120"),
            ("2024-01-31 10:00:00-05:30", "2024-01-31 10:00:00 -330"),
            ("Jan 31, 2024", "2024-01-31 -"),
            ("31 January 2024 3:04:05PM", "2024-01-31 15:04:05"),
            ("Jan 2024", "2024-01-01 -"),
            ("2024 Jan 31", "2024-01-31 -"),
            ("31-Jan-24", "2024-01-31 -"),
            ("Jan  2 2024  3:04AM", "2024-01-02 03:04:00"),
            ("10:00:00:5", "- 10:00:00.005"),
            ("10:00:00.5", "- 10:00:00.5"),
            ("4PM", "- 16:00:00"),
            ("12:30 am", "- 00:30:00"),
            ("10:00 2024-01-31", "2024-01-31 10:00:00"),
            ("2024-13-01", "Range"),
            ("2024-02-30", "Range"),
            ("25:00", "Range"),
            ("13:00AM", "Range"),
            ("hello", "Form"),
            ("1/2", "Form"),
            ("1 2 2024", "Form"),
            ("2024-01-31x", "Form"),
            ("12345", "Form"),
            ("--", "Form"),
        ] {
            assert_eq!(shown(text, DateFormat::Mdy, false), expected, "{text}");
        }
    }

    #[test]
    fn orders() {
        use DateFormat::*;
        for (order, expected) in [
            (Mdy, "2003-01-02 -"),
            (Dmy, "2003-02-01 -"),
            (Ymd, "2001-02-03 -"),
            (Ydm, "2001-03-02 -"),
            (Myd, "2002-01-03 -"),
            (Dym, "2002-03-01 -"),
        ] {
            assert_eq!(shown("1/2/3", order, false), expected);
        }
        assert_eq!(shown("2024-01-02", Dmy, false), "2024-02-01 -");
        assert_eq!(shown("2024-01-02", Dmy, true), "2024-01-02 -");
        assert_eq!(shown("2024-01-02T00:00:00", Dmy, false), "2024-01-02 00:00:00");
    }
}
