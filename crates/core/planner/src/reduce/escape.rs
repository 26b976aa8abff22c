//! `LIKE pattern ESCAPE character`, for any character.
//!
//! The general executor supports only the backslash, which escapes in every pattern. So a pattern with another escape
//! character is rewritten with backslashes before the planner sees it; a pattern that is not a literal, by a function
//! at execution. `ESCAPE ''` disables escapes.

use crate::functions;
use crate::parse::tree::call;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{Expr, Ident, Value, ValueWithSpan, VisitMut, VisitorMut};
use std::ops::ControlFlow;

/// Writes the patterns of a statement, or of an expression, with backslashes.
pub(crate) fn with_backslashes<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Patterns);
    of
}

struct Patterns;

impl VisitorMut for Patterns {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let (Expr::Like { pattern, escape_char, .. } | Expr::ILike { pattern, escape_char, .. }) = expr else {
            return ControlFlow::Continue(());
        };
        let Some(Value::SingleQuotedString(escape)) = escape_char.as_ref().map(|escape| &escape.value) else {
            return ControlFlow::Continue(());
        };
        let mut characters = escape.chars();
        let (character, None) = (characters.next(), characters.next()) else { return ControlFlow::Continue(()) };
        match pattern.as_mut() {
            Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) => {
                *text = rewritten(text, character);
            }
            other => {
                let by = Expr::Value(Value::SingleQuotedString(escape.clone()).into());
                let name = Ident::with_quote('"', format!("{}{FUNCTION}", functions::PREFIX));
                let of = std::mem::replace(other, Expr::Value(Value::Null.into()));
                *other = call(name, vec![of, by]);
            }
        }
        *escape_char = None;
        ControlFlow::Continue(())
    }
}

/// The name of the function that rewrites a pattern: its arguments are the pattern and its escape character.
pub(crate) const FUNCTION: &str = "like_pattern";

/// The pattern with backslashes in the place of another character that escapes, or of none.
pub(crate) fn rewritten(pattern: &str, escape: Option<char>) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(character) = chars.next() {
        // An escape at the end stands for itself.
        let literal = if escape == Some(character) { Some(chars.next().unwrap_or(character)) } else { None };
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
        assert_eq!(rewritten("50!%%", Some('!')), r"50\%%");
        assert_eq!(rewritten("a!!b!_c\\d!x", Some('!')), r"a!b\_c\\dx");
        assert_eq!(rewritten(r"a\%", Some('\\')), r"a\%");
        assert_eq!(rewritten("a!", Some('!')), "a!");
        assert_eq!(rewritten(r"a\%", None), r"a\\%");
    }
}
