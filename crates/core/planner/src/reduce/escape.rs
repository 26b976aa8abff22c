//! `LIKE pattern ESCAPE character`, for any character.
//!
//! The general executor supports only the backslash, which escapes in every pattern. So a pattern with another escape
//! character is rewritten with backslashes before the planner sees it; a pattern that is not a literal, by a function
//! at execution. `ESCAPE ''` disables escapes.

use crate::functions;
use crate::functions::like_pattern::{FUNCTION, rewritten};
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
