//! Placeholders of parameters in a statement: `?`, `:1` and `:name`.
//!
//! The server knows `?` alone. The text is read as the server's lexer reads it, so that strings, delimited identifiers and
//! comments (`--`, `{ }`, `/* */`) are left alone. A colon is no placeholder behind a name, a digit, a quote or another
//! colon: `stores:customer`, `10:20`, `code::INTEGER`.

use std::ops::Range;

/// A placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// `?`: the next value.
    Next,
    /// `:1`: the value of this number, counted from 1.
    Number(usize),
    /// `:name`: the value of this name.
    Name(String),
}

/// The kind of a statement, by its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// SELECT, WITH, EXECUTE and others that may have rows.
    Query,
    /// INSERT, UPDATE, DELETE, MERGE.
    Change,
    /// BEGIN WORK.
    Begin,
    /// COMMIT WORK.
    Commit,
    /// ROLLBACK WORK, without a savepoint.
    Rollback,
    /// SET, and what else leaves the tables and their columns alone.
    Setting,
    /// CREATE, ALTER, DROP and others.
    Definition,
}

/// A statement, read once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    text: String,
    placeholders: Vec<(Range<usize>, Placeholder)>,
    /// Its kind.
    pub verb: Verb,
    /// It ends with FOR UPDATE: its cursor has a current row, so that no row may be fetched ahead.
    pub is_for_update: bool,
}

impl Statement {
    /// Reads a statement.
    pub fn read(text: &str) -> Statement {
        let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0 };
        let (mut placeholders, mut words) = (Vec::new(), Words::default());
        while let Some(token) = lexer.next() {
            match token {
                Token::Placeholder(span, placeholder) => placeholders.push((span, placeholder)),
                Token::Word(word) => words.push(word),
                Token::Other => {}
            }
        }
        Statement {
            text: text.to_owned(),
            placeholders,
            verb: words.verb(),
            is_for_update: words.last_two == ["FOR", "UPDATE"] || words.has_for_update,
        }
    }

    /// The placeholders that count for positional parameters: `?`, or `:1` in a text without any `?`.
    pub fn positional(&self) -> (String, Vec<usize>) {
        let has_marks = self.placeholders.iter().any(|(_, kind)| *kind == Placeholder::Next);
        let mut next = 0;
        self.rewritten(|kind| match kind {
            Placeholder::Next => {
                next += 1;
                Some(next - 1)
            }
            Placeholder::Number(number) if !has_marks => Some(number.saturating_sub(1)),
            _ => None,
        })
    }

    /// The text for parameters by name, and the names in the order of their marks.
    pub fn named(&self) -> (String, Vec<String>) {
        self.rewritten(|kind| match kind {
            Placeholder::Name(name) => Some(name.clone()),
            Placeholder::Number(number) => Some(number.to_string()),
            Placeholder::Next => None,
        })
    }

    /// The text as it is.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn rewritten<T>(&self, mut wanted: impl FnMut(&Placeholder) -> Option<T>) -> (String, Vec<T>) {
        let (mut text, mut order, mut from) = (String::with_capacity(self.text.len()), Vec::new(), 0);
        for (span, kind) in &self.placeholders {
            let Some(target) = wanted(kind) else { continue };
            text.push_str(self.text.get(from..span.start).unwrap_or_default());
            text.push('?');
            from = span.end;
            order.push(target);
        }
        text.push_str(self.text.get(from..).unwrap_or_default());
        (text, order)
    }
}

/// The words that tell statements apart.
#[derive(Default)]
struct Words<'t> {
    first: Vec<&'t str>,
    last_two: [String; 2],
    has_for_update: bool,
}

impl<'t> Words<'t> {
    fn push(&mut self, word: &'t str) {
        if self.first.len() < 4 {
            self.first.push(word);
        }
        let upper = if word.len() <= 6 { word.to_ascii_uppercase() } else { String::new() };
        self.last_two.swap(0, 1);
        self.last_two[1] = upper;
        self.has_for_update |= self.last_two == ["FOR", "UPDATE"];
    }

    fn verb(&self) -> Verb {
        let is = |place: usize, word: &str| self.first.get(place).is_some_and(|known| known.eq_ignore_ascii_case(word));
        let is_alone = self.first.len() == 1 || (self.first.len() == 2 && is(1, "WORK"));
        let first = self.first.first().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
        match first.as_str() {
            "SELECT" | "WITH" | "EXECUTE" | "CALL" => Verb::Query,
            "INSERT" | "UPDATE" | "DELETE" | "MERGE" if !(first == "UPDATE" && is(1, "STATISTICS")) => Verb::Change,
            "BEGIN" if is_alone => Verb::Begin,
            "COMMIT" if is_alone => Verb::Commit,
            "ROLLBACK" if is_alone => Verb::Rollback,
            "SET" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" | "LOCK" | "UNLOCK" => Verb::Setting,
            _ => Verb::Definition,
        }
    }
}

enum Token<'t> {
    Placeholder(Range<usize>, Placeholder),
    Word(&'t str),
    Other,
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        let byte = *self.bytes.get(start)?;
        let before = start.checked_sub(1).and_then(|at| self.bytes.get(at)).copied().unwrap_or(b' ');
        match byte {
            b'\'' | b'"' => self.skip_quoted(byte),
            b'-' if self.byte(1) == b'-' => self.skip_to("\n"),
            b'/' if self.byte(1) == b'*' => self.skip_to("*/"),
            b'{' if !self.is_collection() => self.skip_to("}"),
            b'?' => {
                self.at += 1;
                return Some(Token::Placeholder(start..self.at, Placeholder::Next));
            }
            b':' if self.byte(1) == b':' => self.at += 2,
            b':' if is_word(self.byte(1)) && !is_word(before) && before != b'"' => return Some(self.colon(start)),
            _ if is_word(byte) => {
                self.skip_word();
                return Some(Token::Word(self.text.get(start..self.at).unwrap_or_default()));
            }
            _ => self.at += 1,
        }
        Some(Token::Other)
    }

    /// `SET{1, 2}`, `MULTISET{...}` and `LIST{...}` are values, and no comments.
    fn is_collection(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default().trim_end();
        let start = before.len() - before.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
        let word = before.get(start..).unwrap_or_default();
        ["SET", "MULTISET", "LIST"].iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    fn colon(&mut self, start: usize) -> Token<'t> {
        self.at += 1;
        self.skip_word();
        let name = self.text.get(start + 1..self.at).unwrap_or_default();
        let placeholder = match name.parse::<usize>() {
            Ok(number) if number > 0 => Placeholder::Number(number),
            _ => Placeholder::Name(name.to_owned()),
        };
        Token::Placeholder(start..self.at, placeholder)
    }

    fn skip_word(&mut self) {
        while is_word(self.byte(0)) {
            self.at += 1;
        }
    }

    /// A doubled quote ends one string and begins the next, which comes to the same.
    fn skip_quoted(&mut self, quote: u8) {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        self.at += 1 + rest.iter().position(|byte| *byte == quote).map_or(rest.len(), |at| at + 1);
    }

    fn skip_to(&mut self, end: &str) {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        self.at += 1 + rest.find(end).map_or(rest.len(), |at| at + end.len());
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_numbers() {
        let read = Statement::read("select a, '?' from t where b = ? and \"c?\" = ? -- ?\n and {?} d = ?");
        assert_eq!(read.positional().1, [0, 1, 2]);
        let read = Statement::read("select :2, :1, :2 from stores:customer where t = 10:20 and x::int = ':3'");
        let (text, order) = read.positional();
        assert_eq!(text, "select ?, ?, ? from stores:customer where t = 10:20 and x::int = ':3'");
        assert_eq!(order, [1, 0, 1]);
        assert_eq!(Statement::read("select * from table(set{?, 2}) {?}").positional().1, [0]);
        // With marks, numbers are left to the server.
        assert_eq!(Statement::read("select ?, :1").positional(), ("select ?, :1".into(), vec![0]));
    }

    #[test]
    fn names() {
        let read = Statement::read("insert into t values (:id,:größe, /* :no */ c[:from,3])");
        let (text, order) = read.named();
        assert_eq!(text, "insert into t values (?,?, /* :no */ c[?,3])");
        assert_eq!(order, ["id", "größe", "from"]);
    }

    #[test]
    fn kinds_of_statements() {
        let verb = |text: &str| Statement::read(text).verb;
        assert_eq!(verb("/* x */ (select 1 from t)"), Verb::Query);
        assert_eq!(verb("{hint} Update t set a = 1"), Verb::Change);
        assert_eq!(verb("update statistics"), Verb::Definition);
        assert_eq!(verb("begin work"), Verb::Begin);
        assert_eq!(verb(" ROLLBACK ;"), Verb::Rollback);
        assert_eq!(verb("rollback work to savepoint a"), Verb::Setting);
        assert_eq!(verb("create table t (a int)"), Verb::Definition);
        assert!(Statement::read("select * from t for update of a").is_for_update);
        assert!(!Statement::read("select 'for update' from t").is_for_update);
    }

    #[test]
    fn texts_that_end_inside_a_token() {
        for text in ["'abc", "\"a", "{ ?", "/* ?", "-- ?", ":", "a:", "::", "", "é:?"] {
            let marks = usize::from(text == "é:?");
            assert_eq!(Statement::read(text).positional().1.len(), marks, "{text}");
        }
    }
}
