//! Conditions and fields of xBase commands, translated to SQL.
//!
//! They have the syntax and the meaning of xBase (`name = 'Mill' .AND. balance > 5`): `=` compares up to the length of
//! the right text, and a blank field is 0 or before all dates. Constructs that only SQL has (`LIKE`, `IN`, `IS NULL`, a
//! subquery, one of its functions) are taken as SQL.

use crate::errors::{Failure, nearest};
use crate::tokens::{self, Kind, Token};
use mainstay_engine::{TableInfo, check_condition, xbase_condition, xbase_expression};
use mainstay_types::{Code, Error};

/// Words that no condition of xBase has.
const WORDS_OF_SQL: [&str; 11] =
    ["like", "ilike", "in", "is", "exists", "select", "case", "escape", "similar", "any", "collate"];

/// Words that are of SQL where a text or a value follows.
const WORDS_OF_LITERALS: [&str; 4] = ["date", "time", "timestamp", "interval"];

/// The condition as SQL. `at` is where it begins in what was typed.
pub(super) fn condition(table: &TableInfo, text: &str, at: usize) -> Result<String, Failure> {
    let as_sql = || check_condition(text).map(|()| text.to_owned()).map_err(|error| told(error, table, text, at));
    if is_of_sql(text) {
        return as_sql();
    }
    match xbase_condition(table, text) {
        Ok(made) => Ok(made),
        Err(error) if calls_sql(&error, text) => as_sql(),
        Err(error) => Err(told(error, table, text, at)),
    }
}

/// The error of a text that begins at `at` in what was typed.
fn told(error: Error, table: &TableInfo, text: &str, at: usize) -> Failure {
    let error = hinted(error, table, text);
    Failure::Error(match error.text_span() {
        Some((start, end)) => error.span(at + start, at + end),
        None => error,
    })
}

/// The error with the field that was meant, if it is about one that is not there, or with what can be done.
fn hinted(error: Error, table: &TableInfo, text: &str) -> Error {
    let name = error.text_span().and_then(|(start, end)| text.get(start..end)).unwrap_or_default();
    let columns = table.columns.iter().map(|column| column.name.as_str());
    match (error.code(), nearest(name, columns)) {
        (Code::UnknownColumn, Some(near)) => error.hint(format!("did you mean {near}?")),
        (Code::UnknownColumn, None) => error.hint("LIST STRUCTURE shows the fields"),
        // The hint is about functions of index expressions.
        (Code::UnknownFunction, _) if error.hint_text().is_some() => {
            error.hint("a program's own functions cannot be called here")
        }
        _ => error,
    }
}

/// The fields as a list of SELECT. A name stays what it is; an expression that xBase understands means what it does there.
/// `at` is where the list begins in what was typed.
pub(super) fn field_list(table: &TableInfo, text: &str, mut at: usize) -> Result<String, Failure> {
    let mut made = Vec::new();
    for item in items(text) {
        let blanks = item.len() - item.trim_start().len();
        made.push(field(table, item.trim(), at + blanks)?);
        at += item.len() + 1;
    }
    Ok(made.join(", "))
}

fn field(table: &TableInfo, item: &str, at: usize) -> Result<String, Failure> {
    let is_plain = tokens::tokens(item, 0).all(|token| !matches!(token.text(item), "(" | "+" | "-" | "/" | "$"));
    match xbase_expression(table, item) {
        Ok(made) if !is_plain && !is_of_sql(item) => Ok(format!("{made} AS \"{}\"", item.replace('"', "\"\""))),
        Err(error) if error.code() == Code::UnknownColumn && !has_column(&error, table, item) => {
            Err(told(error, table, item, at))
        }
        // SQL could not do anything with it either.
        Err(error) if ends_early(&error, item) => Err(told(error, table, item, at)),
        _ => Ok(item.to_owned()),
    }
}

/// Returns true if the column of an error is there all the same: one of a type that xBase has nothing like, or hidden.
fn has_column(error: &Error, table: &TableInfo, text: &str) -> bool {
    let name = error.text_span().and_then(|(start, end)| text.get(start..end)).unwrap_or_default();
    name.starts_with('_') || table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name))
}

/// Returns true if something is missing at the end of a text.
fn ends_early(error: &Error, text: &str) -> bool {
    error.code() == Code::Syntax && error.text_span().is_some_and(|(start, _)| start >= text.len()) && !text.is_empty()
}

/// The items of a list, between its commas.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let mut ends = Vec::new();
    for token in tokens::tokens(text, 0) {
        match token.text(text) {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 => ends.push(token.range.start),
            _ => {}
        }
    }
    ends.push(text.len());
    let mut start = 0;
    ends.into_iter().map(move |end| {
        let item = &text[start..end];
        start = end + 1;
        item
    })
}

/// Returns true if a text has something that only SQL has.
fn is_of_sql(text: &str) -> bool {
    let all: Vec<Token> = tokens::tokens(text, 0).filter(|token| !token.is_blank()).collect();
    let word = |token: &Token| (token.kind == Kind::Word).then(|| token.text(text).to_ascii_lowercase());
    all.iter().enumerate().any(|(place, token)| {
        let next = all.get(place + 1).map(|next| next.text(text));
        let between = |word: &str| word == "between" && next != Some("(");
        let of_literal = |word: &str| {
            WORDS_OF_LITERALS.contains(&word) && all.get(place + 1).is_some_and(|next| next.kind == Kind::Text)
        };
        let of_word = |word: String| {
            (WORDS_OF_SQL.contains(&word.as_str()) && next != Some("(") || word == "in" || word == "exists")
                || between(&word)
                || of_literal(&word)
        };
        word(token).is_some_and(of_word) || matches!((token.text(text), next), ("|", Some("|")) | (":", Some(":")))
    })
}

/// Returns true if what is wrong is a function that SQL has.
fn calls_sql(error: &Error, text: &str) -> bool {
    let name = error.text_span().and_then(|(start, end)| text.get(start..end)).unwrap_or_default();
    let known = || mainstay_engine::functions().iter().any(|known| known.eq_ignore_ascii_case(name));
    error.code() == Code::UnknownFunction && known()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_sql_has_is_of_sql() {
        for sql in [
            "name LIKE 'A%'",
            "id IN (1, 2)",
            "id in(1)",
            "shipped IS NULL",
            "id BETWEEN 1 AND 2",
            "since > DATE '2024-01-01'",
            "id > (SELECT 1)",
            "a || b = 'x'",
        ] {
            assert!(is_of_sql(sql), "{sql}");
        }
        for xbase in
            ["name = 'in' .AND. id > 5", "BETWEEN(id, 1, 2)", "LIKE('A*', name)", "since > DATE()", "'a' $ name"]
        {
            assert!(!is_of_sql(xbase), "{xbase}");
        }
    }

    #[test]
    fn lists_are_cut_at_their_own_commas() {
        assert_eq!(items("a, f(b, c), 'd,e'").map(str::trim).collect::<Vec<_>>(), ["a", "f(b, c)", "'d,e'"]);
        assert_eq!(items("").collect::<Vec<_>>(), [""]);
    }
}
