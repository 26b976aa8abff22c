//! Splits bytes into tokens.
//!
//! The one thing that needs context is `[`: it opens a text where an operand may stand, as in
//! `CITY = [Roma]`. There are no arrays in keys, so elsewhere it is an error.

use super::{syntax, unsupported};
use mainstay_types::{Date, Result};

/// One token and its span.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// Upper case.
    Name(String),
    Text(Vec<u8>),
    Number(String),
    Logical(bool),
    Date(i32),
    Timestamp(i32, i32),
    /// An operator or a mark, spelled one way: `!` is `.NOT.`, `#` and `!=` are `<>`, `**` is `^`.
    Mark(&'static str),
    End,
}

/// Spellings of each mark, the longest first.
const MARKS: &[(&str, &str)] = &[
    (".AND.", ".AND."),
    (".NOT.", ".NOT."),
    (".OR.", ".OR."),
    ("->", "->"),
    ("==", "=="),
    ("<>", "<>"),
    ("!=", "<>"),
    ("<=", "<="),
    (">=", ">="),
    ("**", "^"),
    ("#", "<>"),
    ("!", ".NOT."),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
    ("$", "$"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("^", "^"),
    ("(", "("),
    (")", ")"),
    (",", ","),
    (".", "."),
];

const LOGICALS: &[(&str, bool)] = &[(".T.", true), (".Y.", true), (".F.", false), (".N.", false)];

pub(super) fn tokens(text: &[u8]) -> Result<Vec<Token>> {
    let mut lexer = Lexer { text, position: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.position;
        let kind = lexer.token()?;
        let last = kind == TokenKind::End;
        tokens.push(Token { kind, start, end: lexer.position });
        if last {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t [u8],
    position: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn skip_blanks(&mut self) {
        while self.peek(0) == b' ' || self.peek(0) == b'\t' {
            self.position += 1;
        }
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> String {
        let start = self.position;
        while self.position < self.text.len() && accept(self.peek(0)) {
            self.position += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.position]).into_owned()
    }

    fn token(&mut self) -> Result<TokenKind> {
        if self.position >= self.text.len() {
            return Ok(TokenKind::End);
        }
        match self.peek(0) {
            close @ (b'\'' | b'"') => self.text_until(close),
            b'[' => self.text_until(b']'),
            b'{' => self.braces(),
            b'0' if matches!(self.peek(1), b'd' | b'D') && self.peek(2).is_ascii_digit() => self.zero_date(),
            byte if byte.is_ascii_digit() || byte == b'.' && self.peek(1).is_ascii_digit() => Ok(self.number()),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => self.name(),
            _ => self.mark(),
        }
    }

    fn name(&mut self) -> Result<TokenKind> {
        let start = self.position;
        let name = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_').to_ascii_uppercase();
        let quoted = self.peek(0) == b'"' && matches!(name.as_str(), "D" | "T" | "E");
        if !quoted {
            return Ok(TokenKind::Name(name));
        }
        let TokenKind::Text(text) = self.text_until(b'"')? else { return Ok(TokenKind::End) };
        let span = (start, self.position);
        match name.as_str() {
            "E" => Err(unsupported(span, "texts with escape sequences are not understood")),
            _ => moment(&text, span),
        }
    }

    fn number(&mut self) -> TokenKind {
        let mut digits = self.take_while(|byte| byte.is_ascii_digit());
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.position += 1;
            digits.push('.');
            digits.push_str(&self.take_while(|byte| byte.is_ascii_digit()));
        }
        TokenKind::Number(digits)
    }

    fn zero_date(&mut self) -> Result<TokenKind> {
        let start = self.position;
        self.position += 2;
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        let span = (start, self.position);
        match (digits.len(), day_of(&digits)) {
            (8, Some(day)) => Ok(TokenKind::Date(day)),
            (8, None) if digits == "00000000" => Ok(TokenKind::Date(0)),
            (1, _) if digits == "0" => Ok(TokenKind::Date(0)),
            _ => Err(syntax(span, "this is not a date").hint("write it as 0dYYYYMMDD")),
        }
    }

    fn text_until(&mut self, close: u8) -> Result<TokenKind> {
        let start = self.position;
        match self.text[start + 1..].iter().position(|byte| *byte == close) {
            Some(length) => {
                self.position = start + length + 2;
                Ok(TokenKind::Text(self.text[start + 1..start + 1 + length].to_vec()))
            }
            None => Err(syntax((start, self.text.len()), "the text is not closed")
                .hint(format!("add {} where it ends", char::from(close)))),
        }
    }

    /// `{//}`, `{^2020-01-31}`, `{^2020-01-31 12:30:00}`, `{d '2020-01-31'}`, `{ts '...'}`.
    fn braces(&mut self) -> Result<TokenKind> {
        let start = self.position;
        let Some(length) = self.text[start..].iter().position(|byte| *byte == b'}') else {
            return Err(syntax((start, self.text.len()), "the date is not closed").hint("add } where it ends"));
        };
        self.position = start + length + 1;
        let span = (start, self.position);
        let inner = self.text[start + 1..start + length].trim_ascii();
        if inner.iter().all(|byte| matches!(byte, b' ' | b'/' | b'-' | b'.')) {
            return Ok(TokenKind::Date(0));
        }
        if let Some(rest) = inner.strip_prefix(b"^") {
            return moment(rest, span);
        }
        if let Some(quoted) = odbc_literal(inner) {
            return moment(quoted, span);
        }
        Err(unsupported(span, "the meaning of this date depends on SET DATE").hint("write it as {^YYYY-MM-DD}"))
    }

    fn mark(&mut self) -> Result<TokenKind> {
        let rest = &self.text[self.position..];
        let starts = |word: &str| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes());
        if let Some((word, value)) = LOGICALS.iter().find(|(word, _)| starts(word)) {
            self.position += word.len();
            return Ok(TokenKind::Logical(*value));
        }
        if let Some((word, mark)) = MARKS.iter().find(|(word, _)| starts(word)) {
            self.position += word.len();
            return Ok(TokenKind::Mark(mark));
        }
        let span = (self.position, self.position + 1);
        Err(match rest[0] {
            b'&' => unsupported(span, "macros are not understood: what they stand for is not in the file"),
            b':' | b'@' | b'|' => unsupported(span, "only expressions over fields are understood"),
            byte => syntax(span, format!("{:?} does not belong in an expression", char::from(byte))),
        })
    }
}

/// `d '...'`, `t '...'` or `ts '...'` without its braces.
fn odbc_literal(inner: &[u8]) -> Option<&[u8]> {
    let word = inner.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if !matches!(inner[..word].to_ascii_lowercase().as_slice(), b"d" | b"ts") {
        return None;
    }
    let quoted = inner[word..].trim_ascii();
    let quote = *quoted.first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
    (quoted.len() >= 2 && quoted.last() == Some(&quote)).then(|| &quoted[1..quoted.len() - 1])
}

/// The Julian day of eight digits.
fn day_of(digits: &str) -> Option<i32> {
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<u32>().ok();
    let year = i32::try_from(part(0, 4)?).ok()?;
    Date::from_ymd(year, part(4, 6)?, part(6, 8)?).map(Date::julian)
}

/// `2020-01-31`, alone or followed by `[T,]hh:mm[:ss[.mmm]]`.
fn moment(text: &[u8], span: (usize, usize)) -> Result<TokenKind> {
    let wrong =
        || syntax(span, "this is not a date or a time").hint("write it as {^YYYY-MM-DD} or {^YYYY-MM-DD hh:mm:ss}");
    let text = std::str::from_utf8(text).map_err(|_| wrong())?.trim();
    let (date, time) = match text.find([' ', 'T', 't', ',']) {
        Some(end) => (&text[..end], Some(text[end + 1..].trim())),
        None => (text, None),
    };
    let mut parts = date.split(['-', '/', '.']);
    let mut digits = String::new();
    for length in [4, 2, 2] {
        let part = parts.next().filter(|part| !part.is_empty() && part.len() <= length).ok_or_else(wrong)?;
        digits.push_str(&format!("{part:0>length$}"));
    }
    let day = day_of(&digits).filter(|_| parts.next().is_none()).ok_or_else(wrong)?;
    match time.filter(|time| !time.is_empty()) {
        None => Ok(TokenKind::Date(day)),
        Some(time) => Ok(TokenKind::Timestamp(day, ms_of(time).ok_or_else(wrong)?)),
    }
}

/// Milliseconds into the day of `hh:mm[:ss[.mmm]]`.
pub(super) fn ms_of(time: &str) -> Option<i32> {
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut total = 0i32;
    let mut parts = time.split(':');
    for (limit, ms) in [(24, 3_600_000), (60, 60_000), (60, 1000)] {
        let Some(part) = parts.next() else { break };
        let value = part.parse::<i32>().ok().filter(|value| (0..limit).contains(value))?;
        total += value * ms;
    }
    if parts.next().is_some() || fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(total + format!("{fraction:0<3}").parse::<i32>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text.as_bytes()).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn operators_have_one_spelling() {
        assert_eq!(kinds("!a#b"), kinds(" .not. A <> b"));
        assert_eq!(kinds("2**3"), kinds("2 ^ 3"));
    }

    #[test]
    fn literals() {
        assert_eq!(kinds("[it's]")[0], TokenKind::Text(b"it's".to_vec()));
        assert_eq!(kinds(".5")[0], TokenKind::Number(".5".into()));
        assert_eq!(kinds(".y.")[0], TokenKind::Logical(true));
        assert_eq!(kinds("{^2000-02-29}")[0], TokenKind::Date(2_451_604));
        assert_eq!(kinds("{d '2000-02-29'}")[0], TokenKind::Date(2_451_604));
        assert_eq!(kinds("0d20000229")[0], TokenKind::Date(2_451_604));
        assert_eq!(kinds("{^2000-02-29 01:00:00.5}")[0], TokenKind::Timestamp(2_451_604, 3_600_500));
        assert_eq!(kinds("{ / / }")[0], TokenKind::Date(0));
    }

    #[test]
    fn what_is_not_closed_or_not_known_is_refused() {
        for text in ["'abc", "{^2000-02-30}", "{01/02/99}", "&name", "a:b", "{", "E\"a\\n\""] {
            assert!(tokens(text.as_bytes()).is_err(), "{text}");
        }
    }
}
