//! Marks of parameters in statements: `?` by position, `:name` by name.
//!
//! Each dialect has marks of its own; a statement is rewritten to them. Texts, names in quotes and comments are left as they
//! are.
//!
//! ```text
//!                  ?          :name
//!   core           ?          $1, the same number for the same name
//!   T-SQL          @P1        @name
//!   ADS            ?          :name
//!   Informix       ?          ?, a value for each mark
//! ```

use std::ops::Range;

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Its bytes in the statement.
    pub range: Range<usize>,
    /// Its name; `None` for `?`.
    pub name: Option<String>,
}

/// The lexical elements that texts of a dialect may contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lexis {
    /// Names in brackets.
    pub brackets: bool,
    /// `{ }` encloses a comment.
    pub brace_comments: bool,
    /// `//` begins a comment.
    pub slash_comments: bool,
}

/// Finds the marks of a statement: those with names only if `named`.
pub(crate) fn marks(text: &str, lexis: Lexis, named: bool) -> Vec<Mark> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied();
        at = match bytes[at] {
            quote @ (b'\'' | b'"') => behind(bytes, at + 1, quote),
            b'[' if lexis.brackets => behind(bytes, at + 1, b']'),
            b'{' if lexis.brace_comments => behind(bytes, at + 1, b'}'),
            b'-' if next == Some(b'-') => behind(bytes, at + 2, b'\n'),
            b'/' if next == Some(b'/') && lexis.slash_comments => behind(bytes, at + 2, b'\n'),
            b'/' if next == Some(b'*') => behind_comment(bytes, at + 2),
            b'?' if !named => {
                found.push(Mark { range: at..at + 1, name: None });
                at + 1
            }
            b':' if named && next.is_some_and(begins_name) && may_precede(at.checked_sub(1).map(|at| bytes[at])) => {
                let length = bytes[at + 1..].iter().take_while(|byte| continues_name(**byte)).count();
                let range = at..at + 1 + length;
                found.push(Mark { name: Some(text[range.start + 1..range.end].to_owned()), range: range.clone() });
                range.end
            }
            _ => at + 1,
        };
    }
    found
}

/// Writes something else in the place of each mark.
pub(crate) fn replaced(text: &str, marks: &[Mark], mut write: impl FnMut(usize, &Mark) -> String) -> String {
    let (mut written, mut from) = (String::with_capacity(text.len() + 8 * marks.len()), 0);
    for (place, mark) in marks.iter().enumerate() {
        written.push_str(&text[from..mark.range.start]);
        written.push_str(&write(place, mark));
        from = mark.range.end;
    }
    written.push_str(&text[from..]);
    written
}

/// The first word of a statement in lower case, behind blanks, comments and opening parentheses.
pub(crate) fn first_word(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'-', Some(b'-')) => at = behind(bytes, at + 2, b'\n'),
            (b'/', Some(b'*')) => at = behind_comment(bytes, at + 2),
            (byte, _) if byte.is_ascii_whitespace() || byte == b'(' || byte == b';' => at += 1,
            _ => break,
        }
    }
    let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    text[at..at + length].to_ascii_lowercase()
}

/// The place behind the next byte of this value. A quote that is written twice begins a text anew, which is as good.
fn behind(bytes: &[u8], from: usize, end: u8) -> usize {
    bytes[from.min(bytes.len())..].iter().position(|byte| *byte == end).map_or(bytes.len(), |length| from + length + 1)
}

/// Comments may be nested.
fn behind_comment(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 1);
    while at < bytes.len() && depth > 0 {
        match (bytes[at], bytes.get(at + 1)) {
            (b'*', Some(b'/')) => (at, depth) = (at + 2, depth - 1),
            (b'/', Some(b'*')) => (at, depth) = (at + 2, depth + 1),
            _ => at += 1,
        }
    }
    at
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `a::int`, `x[1:n]` and `database:table` have no marks.
fn may_precede(before: Option<u8>) -> bool {
    !before.is_some_and(|byte| byte == b':' || continues_name(byte) || byte == b'"' || byte == b']')
}
