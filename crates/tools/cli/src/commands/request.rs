//! Arguments of LIST, DISPLAY and COUNT: a scope, fields and clauses, in any order that an xBase takes them.
//!
//! ```text
//! LIST [OFF] [ALL|NEXT n|RECORD n|REST] [[FIELDS] list] [FOR condition] [WHILE condition]
//! ```
//!
//! OFF and the scope may also follow the fields, and OFF a condition. The text of an argument keeps its place, so that
//! an error can point into it ([`Made`]).

use crate::errors::Failure;
use crate::tokens::{self, Kind, Token};
use mainstay_types::{Code, Error};

/// Which records a command is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    Next(u64),
    Record(u64),
    Rest,
}

/// The arguments of LIST, DISPLAY and COUNT.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) scope: Option<Scope>,
    pub(super) fields: Part,
    /// FOR: of which records.
    pub(super) condition: Option<Part>,
    /// WHILE: the first record that is not so is the end.
    pub(super) going_on: Option<Part>,
    pub(super) off: bool,
}

/// Fields or a condition, and where they begin in the arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) at: usize,
    /// It is no other text than what was typed.
    pub(super) is_typed: bool,
}

impl Part {
    pub(super) fn typed(text: &str, at: usize) -> Part {
        Part { text: text.to_owned(), at, is_typed: true }
    }
}

/// A piece of a statement that a command made, as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    /// Where it begins in the statement, and in the arguments of the command.
    pub(crate) start: usize,
    pub(crate) at: usize,
    pub(crate) length: usize,
}

/// A statement that a command made, and what of it was typed.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) sql: String,
    pub(crate) typed: Vec<Typed>,
}

impl Made {
    pub(super) fn push(&mut self, text: &str) {
        self.sql.push_str(text);
    }

    pub(super) fn push_part(&mut self, part: &Part) {
        if part.is_typed {
            self.typed.push(Typed { start: self.sql.len(), at: part.at, length: part.text.len() });
        }
        self.sql.push_str(&part.text);
    }

    /// Conditions that must all be so, behind WHERE if there are any.
    pub(super) fn push_conditions(&mut self, conditions: Vec<Made>) {
        for (number, condition) in conditions.into_iter().enumerate() {
            self.push(if number == 0 { " WHERE " } else { " AND " });
            self.push_made(condition);
        }
    }

    pub(super) fn push_made(&mut self, other: Made) {
        let before = self.sql.len();
        self.typed.extend(other.typed.into_iter().map(|typed| Typed { start: before + typed.start, ..typed }));
        self.sql.push_str(&other.sql);
    }
}

/// The error of a statement that a command made: with its place in what was typed, or without one.
pub(crate) fn in_typed(error: Error, typed: &[Typed]) -> Error {
    let Some((start, end)) = error.text_span() else { return error };
    match typed.iter().find(|typed| start >= typed.start && end <= typed.start + typed.length) {
        Some(typed) => error.span(start - typed.start + typed.at, end - typed.start + typed.at),
        None => without_span(&error),
    }
}

fn without_span(error: &Error) -> Error {
    let mut told = Error::new(error.code(), error.message());
    if let Some(place) = error.place() {
        told = told.at(place);
    }
    if let Some(subject) = error.subject() {
        told = told.about(subject);
    }
    match error.hint_text() {
        Some(hint) => told.hint(hint),
        None => told,
    }
}

/// A clause that a word begins, and which reaches to the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    For,
    While,
}

impl Request {
    /// Reads the arguments.
    ///
    /// Errors: TO, which is not known.
    pub(super) fn parse(text: &str) -> Result<Request, Failure> {
        refuse_to(text)?;
        let mut clauses: Vec<(usize, usize, Clause)> = [("for", Clause::For), ("while", Clause::While)]
            .into_iter()
            .filter_map(|(word, clause)| find_word(text, word).map(|(start, end)| (start, end, clause)))
            .collect();
        clauses.sort_by_key(|(start, ..)| *start);
        let mut request = Request::default();
        for (number, (_, start, clause)) in clauses.iter().enumerate() {
            let end = clauses.get(number + 1).map_or(text.len(), |(next, ..)| *next);
            let condition = request.without_off(&text[*start..end]).trim();
            let blanks = text[*start..end].len() - text[*start..end].trim_start().len();
            let part = Some(Part::typed(condition, start + blanks));
            match clause {
                Clause::For => request.condition = part,
                Clause::While => request.going_on = part,
            }
        }
        let head = &text[..clauses.first().map_or(text.len(), |(start, ..)| *start)];
        request.read_head(head);
        Ok(request)
    }

    /// Reads what stands before the clauses: OFF, the scope and the fields.
    fn read_head(&mut self, head: &str) {
        let mut rest = head.trim_start();
        loop {
            if let Some(length) = leading_off(rest).filter(|_| !self.off) {
                self.off = true;
                rest = rest[length..].trim_start();
            } else if let Some((scope, length)) = leading_scope(rest).filter(|_| self.scope.is_none()) {
                self.scope = Some(scope);
                rest = rest[length..].trim_start();
            } else {
                break;
            }
        }
        let start = head.len() - rest.len();
        rest = rest.trim_end();
        loop {
            let before = rest.len();
            rest = self.without_off(rest);
            if let Some((scope, start)) = trailing_scope(rest).filter(|_| self.scope.is_none()) {
                self.scope = Some(scope);
                rest = rest[..start].trim_end();
            }
            if rest.len() == before {
                break;
            }
        }
        let fields_word = find_word(rest, "fields").filter(|(start, _)| *start == 0);
        let fields = fields_word.map_or(rest, |(_, end)| rest[end..].trim_start());
        self.fields = Part::typed(fields, start + rest.len() - fields.len());
    }

    /// A text without the OFF at its end. Behind a comma or an operator it is a field's name.
    fn without_off<'t>(&mut self, text: &'t str) -> &'t str {
        let text = text.trim_end();
        let words: Vec<Token> = tokens::tokens(text, 0).filter(|token| !token.is_blank()).collect();
        let [.., before, last] = words.as_slice() else { return text };
        let ends_operand = before.kind != Kind::Symbol || matches!(before.text(text), ")" | ".");
        let is_off = last.kind == Kind::Word && last.text(text).eq_ignore_ascii_case("off");
        if self.off || !is_off || !ends_operand {
            return text;
        }
        self.off = true;
        text[..last.range.start].trim_end()
    }
}

/// Refuses TO with its place: results go where .output says.
fn refuse_to(text: &str) -> Result<(), Failure> {
    let Some((start, end)) = find_word(text, "to") else { return Ok(()) };
    let next = tokens::tokens(text, end).find(|token| !token.is_blank());
    let target = next
        .filter(|next| ["print", "printer", "file"].iter().any(|known| next.text(text).eq_ignore_ascii_case(known)));
    match target {
        Some(target) => {
            let message = format!("TO {} is not known here", target.text(text).to_uppercase());
            let error = Error::new(Code::Unsupported, message).span(start, target.range.end);
            Err(error.hint(".output FILE sends results to a file").into())
        }
        None => Ok(()),
    }
}

/// Where a word stands outside of quotes, comments and parentheses.
fn find_word(text: &str, word: &str) -> Option<(usize, usize)> {
    let mut depth = 0_i32;
    for token in tokens::tokens(text, 0) {
        match token.text(text) {
            "(" => depth += 1,
            ")" => depth -= 1,
            found if depth == 0 && token.kind == Kind::Word && found.eq_ignore_ascii_case(word) => {
                return Some((token.range.start, token.range.end));
            }
            _ => {}
        }
    }
    None
}

/// The length of an OFF at the start of the text. One that is followed by a comma or an operator is a field of that name.
fn leading_off(text: &str) -> Option<usize> {
    let mut words = tokens::tokens(text, 0).filter(|token| !token.is_blank());
    let first = words.next().filter(|first| first.text(text).eq_ignore_ascii_case("off"))?;
    let goes_on = words.next().is_some_and(|next| next.kind == Kind::Symbol);
    (first.kind == Kind::Word && !goes_on).then_some(first.range.end)
}

/// A scope at the start of the text, and its length. A word that is followed by anything but a blank
/// is a field of that name.
fn leading_scope(text: &str) -> Option<(Scope, usize)> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let length = first.len();
    match first.to_ascii_lowercase().as_str() {
        "all" => Some((Scope::All, length)),
        "rest" => Some((Scope::Rest, length)),
        name @ ("next" | "record") => {
            let number = words.next()?;
            let value = number.parse().ok()?;
            let end = length + text[length..].find(number)? + number.len();
            Some((if name == "next" { Scope::Next(value) } else { Scope::Record(value) }, end))
        }
        _ => None,
    }
}

/// A scope at the end of a list of fields, and where it starts.
fn trailing_scope(text: &str) -> Option<(Scope, usize)> {
    let words: Vec<Token> = tokens::tokens(text, 0).filter(|token| !token.is_blank()).collect();
    let from = |back: usize| {
        let at = words.len().checked_sub(back).filter(|&at| at > 0)?;
        let follows_field = words[at - 1].text(text) != ",";
        let (scope, length) = leading_scope(&text[words[at].range.start..]).filter(|_| follows_field)?;
        (words[at].range.start + length == text.len()).then_some((scope, words[at].range.start))
    };
    from(1).or_else(|| from(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Request {
        Request::parse(text).unwrap()
    }

    #[test]
    fn lists_are_read() {
        let parsed = parse("NEXT 10 name, upper(city for 3) FOR note = ' for ' OFF");
        let expected = Request {
            scope: Some(Scope::Next(10)),
            fields: Part::typed("name, upper(city for 3)", 8),
            condition: Some(Part::typed("note = ' for '", 36)),
            going_on: None,
            off: true,
        };
        assert_eq!(parsed, expected);
        assert_eq!(parse(""), Request { fields: Part::typed("", 0), ..Request::default() });
        assert_eq!(parse("fields name").fields.text, "name");
        assert_eq!(parse("all").scope, Some(Scope::All));
        assert_eq!(parse("next, name").fields.text, "next, name");
        let parsed = parse("name, qty NEXT 2 FOR qty > 1");
        assert_eq!((parsed.fields.text.as_str(), parsed.scope), ("name, qty", Some(Scope::Next(2))));
        assert_eq!(parse("name, rest").fields.text, "name, rest");
        assert_eq!(parse("rest").scope, Some(Scope::Rest));
        assert_eq!(parse(" next 2 fields  n").fields, Part::typed("n", 16));
    }

    #[test]
    fn off_and_while_stand_where_an_xbase_has_them() {
        for text in ["OFF name FOR id < 3", "name OFF FOR id < 3", "name FOR id < 3 OFF", "name OFF REST FOR id < 3"] {
            let parsed = parse(text);
            let condition = parsed.condition.map(|part| part.text);
            assert_eq!((parsed.off, parsed.fields.text.as_str(), condition.as_deref()), (true, "name", Some("id < 3")));
        }
        assert_eq!(parse("OFF"), Request { off: true, fields: Part::typed("", 3), ..Request::default() });
        assert_eq!(parse("OFF NEXT 3 name").fields, Part::typed("name", 11));
        for text in ["off, name", "name, off", "off + 1"] {
            assert_eq!((parse(text).off, parse(text).fields.text.as_str()), (false, text));
        }
        let parsed = parse("name WHILE id < 5 FOR city = 'W'");
        assert_eq!(parsed.going_on, Some(Part::typed("id < 5", 11)));
        assert_eq!(parsed.condition, Some(Part::typed("city = 'W'", 22)));
        let parsed = parse("FOR city = 'W' WHILE id < 5 OFF");
        assert_eq!((parsed.going_on, parsed.off), (Some(Part::typed("id < 5", 21)), true));
    }

    #[test]
    fn to_is_refused_where_it_stands() {
        let Err(Failure::Error(error)) = Request::parse("name FOR id < 3 TO PRINTER") else { panic!("it is taken") };
        assert_eq!((error.message(), error.text_span()), ("TO PRINTER is not known here", Some((16, 26))));
        assert_eq!(parse("name FOR word SIMILAR TO 'a'").condition.unwrap().text, "word SIMILAR TO 'a'");
    }

    #[test]
    fn errors_have_their_place_in_what_was_typed() {
        let mut made = Made::default();
        made.push("SELECT ");
        made.push_part(&Part::typed("nmae", 5));
        made.push(" FROM t");
        let error = |start, end| Error::new(Code::UnknownColumn, "x").hint("y").span(start, end);
        assert_eq!(in_typed(error(7, 11), &made.typed).text_span(), Some((5, 9)));
        let elsewhere = in_typed(error(0, 3), &made.typed);
        assert_eq!((elsewhere.text_span(), elsewhere.hint_text()), (None, Some("y")));
    }
}
