//! Columns in the expressions of a table: checks and computed columns are stored as text, and refer to columns of their
//! own table alone, with or without the table's name.
//!
//! A rename changes these texts, too; a column that they use cannot be dropped, and its type can change only if they
//! stay valid. Names of functions and types are not column names, nor is text in quotes.

use crate::parse::fragments::expression;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{Expr, Ident, VisitorMut};
use mainstay_types::Result;
use std::ops::ControlFlow;

/// Returns true if an expression of a table names a column. Names are in lower case.
///
/// Errors: those of reading it.
pub fn names_column(text: &str, table: &str, column: &str) -> Result<bool> {
    let mut is_named = false;
    visit(text, table, &mut |name, _| is_named |= name.value == column)?;
    Ok(is_named)
}

/// An expression of a table, whose column `from` (in lower case) is called `to` from now on.
///
/// Errors: those of reading it.
pub fn with_renamed_column(text: &str, table: &str, from: &str, to: &str) -> Result<String> {
    let mut is_named = false;
    let renamed = visit(text, table, &mut |name, _| {
        if name.value == from {
            *name = Ident::with_quote('"', to);
            is_named = true;
        }
    })?;
    Ok(if is_named { renamed.to_string() } else { text.to_owned() })
}

/// An expression of a table, which is called `to` from now on.
///
/// Errors: those of reading it.
pub fn with_renamed_table(text: &str, table: &str, to: &str) -> Result<String> {
    let mut is_named = false;
    let renamed = visit(text, table, &mut |_, qualifier| {
        if let Some(name) = qualifier {
            *name = Ident::with_quote('"', to);
            is_named = true;
        }
    })?;
    Ok(if is_named { renamed.to_string() } else { text.to_owned() })
}

/// Shows each name of a column, and the table's name before it.
fn visit(text: &str, table: &str, each: &mut dyn FnMut(&mut Ident, Option<&mut Ident>)) -> Result<Expr> {
    let mut expr = expression(text)?;
    let _ = expr.walk_mut(&mut Names { table, each });
    Ok(expr)
}

struct Names<'n> {
    table: &'n str,
    each: &'n mut dyn FnMut(&mut Ident, Option<&mut Ident>),
}

impl VisitorMut for Names<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => (self.each)(name, None),
            Expr::CompoundIdentifier(parts) => {
                if let [.., table, name] = parts.as_mut_slice()
                    && table.value == self.table
                {
                    (self.each)(name, Some(table));
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_name_alone() {
        let named = |text: &str| names_column(text, "t", "date").unwrap();
        assert!(named("\"Date\" > 5") && named("f(t.date)") && named("CASE WHEN x THEN date END"));
        assert!(!named("x > DATE '2020-01-01'") && !named("'date' = x") && !named("date(x)") && !named("u.date > 1"));
    }

    #[test]
    fn names_change_and_the_rest_stays() {
        let renamed = |text: &str| with_renamed_column(text, "t", "a", "New").unwrap();
        assert_eq!(renamed("a > 0 AND t.a <> b"), "\"New\" > 0 AND t.\"New\" <> b");
        assert_eq!(renamed("b   >  'a'"), "b   >  'a'");
        assert_eq!(with_renamed_table("t.a > 0 AND b < 1", "t", "u").unwrap(), "\"u\".a > 0 AND b < 1");
    }
}
