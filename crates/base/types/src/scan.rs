//! A scanner of the fields of a date, a time or an interval.
//!
//! These texts come from literals, from parameters and from files that are loaded, often by the million. So a
//! [`Scanner`] walks over the bytes once, and every step answers `None` where the text is not what was expected;
//! the type that reads makes one error of it with [`not_a`].

use crate::{Code, Error};

/// The longest part of a value that is repeated in a message.
const SHOWN: usize = 60;

/// The unread rest of a text. Blanks around the whole text do not count.
pub(crate) struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Scanner<'a> {
        Scanner { rest: text.as_bytes().trim_ascii() }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, which stays.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Takes this byte if it is the next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// Itself behind this byte, which must be the next.
    pub(crate) fn after(&mut self, byte: u8) -> Option<&mut Scanner<'a>> {
        self.eat(byte).then_some(self)
    }

    /// Takes a sign if there is one. Returns true for a minus.
    pub(crate) fn minus(&mut self) -> bool {
        let minus = self.eat(b'-');
        if !minus {
            self.eat(b'+');
        }
        minus
    }

    /// The number that the next digits spell: all that follow, at least `min` and at most `max` (18).
    pub(crate) fn digits(&mut self, min: usize, max: usize) -> Option<i64> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count < min || count > max {
            return None;
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// The fraction of a second behind a point as ticks of 100 ns: 1 to 9 digits, rounded. Without a point: 0.
    pub(crate) fn fraction(&mut self) -> Option<i64> {
        if !self.eat(b'.') {
            return Some(0);
        }
        let before = self.rest.len();
        let number = self.digits(1, 9)?;
        let count = before - self.rest.len();
        let nanos = number * 10i64.pow(9 - count as u32);
        Some((nanos + 50) / 100)
    }
}

/// The error for a text that is no value of this kind (`a date`); `form` is what one looks like.
pub(crate) fn not_a(kind: &str, text: &str, form: &str) -> Error {
    Error::new(Code::InvalidValue, format!("'{}' is not {kind}", shortened(text))).hint(format!("write {form}"))
}

/// The text, cut where it would make a message hard to read.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_round_to_a_tick() {
        let fraction = |text| Scanner::new(text).fraction();
        assert_eq!(fraction(".5"), Some(5_000_000));
        assert_eq!(fraction(".12345678"), Some(1_234_568));
        assert_eq!(fraction(".99999995"), Some(10_000_000));
        assert_eq!(fraction(""), Some(0));
        assert_eq!(fraction("."), None);
        assert_eq!(fraction(".1234567890"), None);
    }

    #[test]
    fn messages_show_the_beginning_of_a_long_text() {
        let error = not_a("a date", &"é".repeat(100), "YYYY-MM-DD");
        assert!(error.message().ends_with("é...' is not a date"));
    }
}
