//! `LIKE pattern ESCAPE character`, for any character.
//!
//! The general executor knows only the backslash, which escapes in every pattern. So a pattern that escapes
//! with another character is written anew with backslashes before the planner sees it. A pattern that is
//! not a literal is left alone, and refused by the planner.

use datafusion::sql::sqlparser::ast::{Expr, Statement, Value, ValueWithSpan, VisitMut, VisitorMut};
use std::ops::ControlFlow;

/// Writes the patterns of a statement with backslashes.
pub(crate) fn with_backslashes(mut statement: Statement) -> Statement {
    let _ = VisitMut::visit(&mut statement, &mut Patterns);
    statement
}

struct Patterns;

impl VisitorMut for Patterns {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let (Expr::Like { pattern, escape_char, .. } | Expr::ILike { pattern, escape_char, .. }) = expr else {
            return ControlFlow::Continue(());
        };
        let Some(escape) = escape_char.as_ref().and_then(escape_character) else { return ControlFlow::Continue(()) };
        if let Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) = pattern.as_mut() {
            *text = rewritten(text, escape);
            *escape_char = None;
        }
        ControlFlow::Continue(())
    }
}

fn escape_character(value: &ValueWithSpan) -> Option<char> {
    let Value::SingleQuotedString(text) = &value.value else { return None };
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn rewritten(pattern: &str, escape: char) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(character) = chars.next() {
        // An escape at the end stands for itself.
        let literal = if character == escape { Some(chars.next().unwrap_or(escape)) } else { None };
        match literal {
            Some(literal) if matches!(literal, '%' | '_' | '\\') => out.extend(['\\', literal]),
            Some(literal) => out.push(literal),
            None if character == '\\' => out.push_str("\\\\"),
            None => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_character_escapes() {
        assert_eq!(rewritten("50!%%", '!'), r"50\%%");
        assert_eq!(rewritten("a!!b!_c\\d!x", '!'), r"a!b\_c\\dx");
        assert_eq!(rewritten(r"a\%", '\\'), r"a\%");
        assert_eq!(rewritten("a!", '!'), "a!");
    }
}
