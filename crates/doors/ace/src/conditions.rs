//! Conditions as programs write them, and as they are stored: with the values of the functions that depend on the time
//! of the call.
//!
//! The area of a table, also of a server's table, gets the text of `mainstay_xbase::expr::at_moment`; a program that
//! asks for its filter gets the text that it wrote.

use crate::border::Given;
use crate::connection::Connection;
use crate::table::State;
use crate::{dates, settings};
use mainstay_workarea::WorkArea;
use mainstay_xbase::expr::{Moment, at_moment};

/// A condition or another expression that a program has given, as it is meant now.
pub fn meant_now(connection: &Connection, text: &str) -> String {
    let (mask, epoch) = (connection.date_format(), settings::read(|settings| settings.epoch));
    let read_moment = |text: &str| {
        let (day, time) = text.split_once(' ').unwrap_or((text, ""));
        Some((dates::read(day, &mask, epoch)?, dates::read_time(time)?))
    };
    let moment = Moment {
        day: dates::today(),
        ms: dates::now(),
        mask: &mask,
        read_day: &|text| dates::read(text, &mask, epoch),
        read_moment: &read_moment,
    };
    at_moment(text, &moment)
}

/// The text of bytes that a program gives to a table: UTF-8, or else, as programs send it that know the table's code page
/// and no other, text of that page.
pub fn text_in(area: &dyn WorkArea, bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| area.form().decode_text(error.as_bytes()))
}

/// An expression over a table that a program has given, as it is meant now.
pub fn meant_in(state: &State, connection: &Connection, given: Given) -> String {
    let text = match given {
        Given::Bytes(bytes) => text_in(&*state.area, bytes),
        Given::Text(text) => text,
    };
    meant_now(connection, &text)
}

/// The conditions that a condition joins with `.AND.`; the condition itself if it cannot be split.
pub fn joined_with_and(text: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut begun, mut depth, mut quote) = (Vec::new(), 0, 0_u32, None);
    let word = |at: usize, word: &[u8]| text[at..].get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match (quote, *byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(*byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth = depth.saturating_sub(1),
            // In brackets there is a text, or something that is no condition at all.
            (None, b'[') => return vec![text],
            (None, b'.') if depth == 0 && word(at, b".or.") => return vec![text],
            (None, b'.') if depth == 0 && word(at, b".and.") => {
                parts.push(&text[begun..at]);
                at += b".and.".len() - 1;
                begun = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&text[begun..]);
    parts
}

/// The texts of a table's conditions as its program wrote them.
#[derive(Debug, Default)]
pub struct Written {
    /// The stored text and the text that the program wrote: of the filter and of the optimized filter that were set
    /// last.
    texts: Vec<(String, Wrote)>,
}

/// The text of a condition as the program wrote it.
#[derive(Clone, Debug)]
struct Wrote {
    text: String,
    /// As it came, where that is not UTF-8.
    bytes: Option<Vec<u8>>,
}

/// So many texts are remembered.
const REMEMBERED: usize = 4;

impl Written {
    /// Notes a condition, and gives it as it is meant now.
    pub fn note(&mut self, connection: &Connection, area: &dyn WorkArea, given: &Given) -> String {
        let (text, bytes) = match given {
            Given::Bytes(bytes) => (text_in(area, bytes.clone()), Some(bytes.clone())),
            Given::Text(text) => (text.clone(), None),
        };
        let meant = meant_now(connection, &text);
        let bytes = bytes.filter(|bytes| *bytes != text.as_bytes());
        self.texts.retain(|(known, _)| *known != meant);
        if meant != text || bytes.is_some() {
            self.texts.truncate(REMEMBERED - 1);
            self.texts.insert(0, (meant.clone(), Wrote { text, bytes }));
        }
        meant
    }

    fn wrote(&self, meant: &str) -> Option<&Wrote> {
        self.texts.iter().find(|(known, _)| known == meant).map(|(_, wrote)| wrote)
    }

    /// The program's text of a condition that is stored in this form.
    pub fn of(&self, meant: &str) -> String {
        self.wrote(meant).map_or(meant, |wrote| &wrote.text).to_owned()
    }

    /// The same in the bytes that it wrote.
    pub fn bytes_of(&self, meant: &str) -> Vec<u8> {
        match self.wrote(meant) {
            Some(Wrote { bytes: Some(bytes), .. }) => bytes.clone(),
            Some(Wrote { text, .. }) => text.clone().into_bytes(),
            None => meant.as_bytes().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::joined_with_and;

    #[test]
    fn conditions_are_told_apart() {
        let cases: [(&str, &[&str]); 7] = [
            ("a = 1", &["a = 1"]),
            ("a = 1 .AND. b = 2 .and. .NOT. c", &["a = 1 ", " b = 2 ", " .NOT. c"]),
            ("(a .AND. b) .AND. c", &["(a .AND. b) ", " c"]),
            ("a = '.AND.' .AND. b = \"'.and.\"", &["a = '.AND.' ", " b = \"'.and.\""]),
            ("a .AND. b .OR. c", &["a .AND. b .OR. c"]),
            ("(a .OR. b) .AND. x = .5", &["(a .OR. b) ", " x = .5"]),
            ("a = [.AND.] .AND. b", &["a = [.AND.] .AND. b"]),
        ];
        for (text, parts) in cases {
            let found: Vec<&str> =
                joined_with_and(text.as_bytes()).into_iter().map(|part| std::str::from_utf8(part).unwrap()).collect();
            assert_eq!(found, parts, "{text}");
        }
    }
}
