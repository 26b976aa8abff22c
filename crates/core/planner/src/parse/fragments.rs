//! Pieces of SQL as trees: an expression, the text of a query, and a query whose parts are replaced.

use crate::parse::text::Text;
use datafusion::sql::sqlparser::ast::{Expr, Query, Select, SelectItem, SetExpr, Statement};
use mainstay_types::{Code, Error, Result};

/// Reads one expression.
pub fn expression(text: &str) -> Result<Expr> {
    let query = parsed(&format!("SELECT {text}"))?;
    match *query.body {
        SetExpr::Select(select) => match select.projection.into_iter().next() {
            Some(SelectItem::UnnamedExpr(expr)) => Ok(expr),
            _ => Err(Error::new(Code::Syntax, format!("{text} is not an expression"))),
        },
        _ => Err(Error::new(Code::Syntax, format!("{text} is not an expression"))),
    }
}

/// Sees that a text can be the condition of a WHERE.
///
/// Errors: `Syntax`, with the place in `text`.
pub fn check_condition(text: &str) -> Result<()> {
    const BEFORE: &str = "SELECT 1 WHERE ";
    parsed(&format!("{BEFORE}{text}")).map(drop).map_err(|error| match error.text_span() {
        Some((start, end)) => error.span(start.saturating_sub(BEFORE.len()), end.saturating_sub(BEFORE.len())),
        None => error,
    })
}

/// Reads one query.
pub(crate) fn parsed(text: &str) -> Result<Query> {
    match Text::new(text)?.parse()? {
        Statement::Query(query) => Ok(*query),
        _ => Err(Error::new(Code::Internal, "a text that was made is no query")),
    }
}

/// A query whose parts are then replaced.
pub(crate) fn template() -> Result<Query> {
    parsed("SELECT 1")
}

/// The SELECT of a query that [`parsed`] has made of one.
pub(crate) fn select_of(query: &mut Query) -> Result<&mut Select> {
    match query.body.as_mut() {
        SetExpr::Select(select) => Ok(select),
        _ => Err(Error::new(Code::Internal, "a text that was made is no query")),
    }
}
