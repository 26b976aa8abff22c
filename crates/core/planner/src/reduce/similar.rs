//! `SIMILAR TO`: an SQL pattern for the whole of a text (ISO 9075-2, 8.6), translated to a regular expression.
//!
//! ```text
//!   %            any number of any characters         _          any character
//!   | * + ? {n}  as in regular expressions            ( ) [ ]    groups and sets, with [[:DIGIT:]] and the like
//!   \x           x itself; ESCAPE names another character, or none
//! ```
//!
//! All other characters, including `.`, `^` and `$`, stand for themselves.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Value, ValueWithSpan, VisitMut, VisitorMut};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// The statement with regular expressions in the place of SIMILAR TO.
///
/// Errors: `Unsupported` for a pattern that is no literal, `InvalidValue` for one that is not well formed.
pub(crate) fn as_expressions<T: VisitMut>(mut of: T) -> Result<T> {
    match of.walk_mut(&mut Patterns) {
        ControlFlow::Continue(()) => Ok(of),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Patterns;

impl VisitorMut for Patterns {
    type Break = Error;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        let Expr::SimilarTo { negated, expr: left, pattern, escape_char } = expr else {
            return ControlFlow::Continue(());
        };
        let made = pattern_of(pattern).and_then(|pattern| match pattern {
            Some(pattern) => expression(&pattern, escape_of(escape_char.as_ref())?).map(Value::SingleQuotedString),
            None => Ok(Value::Null),
        });
        let right = match made {
            Ok(value) => Box::new(Expr::Value(value.into())),
            Err(error) => return ControlFlow::Break(error),
        };
        let op = if *negated { BinaryOperator::PGRegexNotMatch } else { BinaryOperator::PGRegexMatch };
        let left = std::mem::replace(left, Box::new(Expr::Value(Value::Null.into())));
        *expr = Expr::Nested(Box::new(Expr::BinaryOp { left: Box::new(Expr::Nested(left)), op, right }));
        ControlFlow::Continue(())
    }
}

/// The text of the pattern; `None` for NULL.
fn pattern_of(pattern: &Expr) -> Result<Option<String>> {
    match pattern {
        Expr::Nested(inner) => pattern_of(inner),
        Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) => Ok(Some(text.clone())),
        Expr::Value(ValueWithSpan { value: Value::Null, .. }) => Ok(None),
        _ => Err(crate::error::unsupported("SIMILAR TO a pattern that is no literal")),
    }
}

/// The character that escapes; `None` for `ESCAPE ''`.
fn escape_of(value: Option<&ValueWithSpan>) -> Result<Option<char>> {
    let Some(value) = value else { return Ok(Some('\\')) };
    let text = match &value.value {
        Value::SingleQuotedString(text) => text.as_str(),
        _ => return Err(Error::new(Code::InvalidValue, "ESCAPE takes a character")),
    };
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (first, None) => Ok(first),
        _ => Err(Error::new(Code::InvalidValue, "ESCAPE takes one character")),
    }
}

/// The regular expression.
fn expression(pattern: &str, escape: Option<char>) -> Result<String> {
    let ill = || Error::new(Code::InvalidValue, format!("'{pattern}' is no pattern of SIMILAR TO"));
    let mut made = String::from("^(?s:");
    let mut characters = pattern.chars().peekable();
    let literal = |made: &mut String, character: char| {
        if !character.is_alphanumeric() && character.is_ascii() && !character.is_ascii_control() {
            made.push('\\');
        }
        made.push(character);
    };
    while let Some(character) = characters.next() {
        match character {
            _ if Some(character) == escape => literal(&mut made, characters.next().ok_or_else(ill)?),
            '%' => made.push_str(".*"),
            '_' => made.push('.'),
            '|' | '*' | '+' | '?' | '(' | ')' => made.push(character),
            '{' => repetition(&mut made, &mut characters).ok_or_else(ill)?,
            '[' => set(&mut made, &mut characters, escape).ok_or_else(ill)?,
            other => literal(&mut made, other),
        }
    }
    made.push_str(")$");
    Ok(made)
}

/// `{n}`, `{n,}` or `{n,m}`, from behind its brace; `None` where it is none.
fn repetition(made: &mut String, characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<()> {
    made.push('{');
    loop {
        match characters.next()? {
            '}' => break,
            character if character.is_ascii_digit() || character == ',' => made.push(character),
            _ => return None,
        }
    }
    made.push('}');
    Some(())
}

/// A set of characters, from behind its bracket; `None` where it does not end.
fn set(
    made: &mut String,
    characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    escape: Option<char>,
) -> Option<()> {
    made.push('[');
    if characters.next_if_eq(&'^').is_some() {
        made.push('^');
    }
    let mut is_first = true;
    loop {
        let character = characters.next()?;
        match character {
            ']' if !is_first => break,
            _ if Some(character) == escape => made.extend(['\\', characters.next()?]),
            // The name of a class: `[:digit:]`, whatever the case.
            '[' if characters.next_if_eq(&':').is_some() => {
                made.push_str("[:");
                loop {
                    match characters.next()? {
                        ':' => break,
                        letter => made.extend(letter.to_lowercase()),
                    }
                }
                characters.next_if_eq(&']')?;
                made.push_str(":]");
            }
            '-' => made.push('-'),
            other if other.is_alphanumeric() || !other.is_ascii() => made.push(other),
            other => made.extend(['\\', other]),
        }
        is_first = false;
    }
    made.push(']');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_regular_expressions_of_the_whole_text() {
        let made = |pattern| expression(pattern, Some('\\')).unwrap();
        assert_eq!(made("%(b|d)_"), "^(?s:.*(b|d).)$");
        assert_eq!(made("a.c$"), r"^(?s:a\.c\$)$");
        assert_eq!(made(r"50\%+"), r"^(?s:50\%+)$");
        assert_eq!(made("[^a-f.]{2,3}"), r"^(?s:[^a-f\.]{2,3})$");
        assert_eq!(made("[[:DIGIT:]x]*"), "^(?s:[[:digit:]x]*)$");
        assert_eq!(made("[]a]"), r"^(?s:[\]a])$");
        for ill in ["[a", "a\\", "[[:digit]", "a{2", "a{x}"] {
            assert!(expression(ill, Some('\\')).is_err(), "{ill}");
        }
        assert_eq!(expression("a!%", Some('!')).unwrap(), r"^(?s:a\%)$");
        assert_eq!(expression(r"a\b", None).unwrap(), r"^(?s:a\\b)$");
    }
}
