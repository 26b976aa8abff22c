//! What the planner does not know, in forms that it does: rewrites of the parser's tree, one after the other.

use crate::text::Text;
use datafusion::sql::sqlparser::ast::{Expr, Statement};
use mainstay_types::Result;

/// The statement in forms that the planner knows.
pub(crate) fn reduced(text: &Text, statement: Statement) -> Result<Statement> {
    let statement = match text.mentions("collate") {
        true => crate::clause::as_calls(statement)?,
        false => statement,
    };
    let statement = match crate::synonyms::NAMES.iter().any(|name| text.mentions(name)) {
        true => crate::synonyms::written_out(statement),
        false => statement,
    };
    let statement = match crate::seven_digits::are_in(text) {
        true => crate::seven_digits::typed(statement),
        false => statement,
    };
    let statement = match text.mentions("values") {
        true => crate::values_rows::as_queries(statement),
        false => statement,
    };
    let statement = match text.mentions("over") {
        true => crate::window_names::replaced(statement, text)?,
        false => statement,
    };
    let statement = match text.mentions("array") {
        true => crate::arrays::as_lists(statement),
        false => statement,
    };
    let statement = match text.mentions("similar") {
        true => crate::similar::as_expressions(statement)?,
        false => statement,
    };
    let statement = match text.mentions("lag") || text.mentions("lead") {
        true => crate::neighbour::with_defaults(statement),
        false => statement,
    };
    let statement = match text.mentions("distinct") && text.mentions("on") {
        true => crate::distinct_on::as_ordered(statement),
        false => statement,
    };
    let statement = match text.mentions("group") {
        true => crate::repeated_keys::left_out(statement),
        false => statement,
    };
    let statement = match ["union", "except", "intersect"].iter().any(|word| text.mentions(word)) {
        true => crate::set_operations::with_named_branches(statement),
        false => statement,
    };
    let statement = match text.mentions("lateral") {
        true => crate::applied_names::given(statement),
        false => statement,
    };
    let statement = crate::balanced::divided(crate::row_values::by_members(statement)?);
    let statement = crate::refused::with_sides(crate::approximate::as_doubles(statement));
    crate::refused::check(&statement, text)?;
    crate::fetch::reduced(crate::escape::with_backslashes(statement))
}

/// The same of an expression that belongs to rows.
pub(crate) fn reduced_expression(expr: Expr) -> Result<Expr> {
    let expr = crate::arrays::as_lists(crate::clause::as_calls(expr)?);
    let expr = crate::seven_digits::typed(crate::synonyms::chosen(crate::synonyms::written_out(expr)));
    let expr = crate::row_values::by_members(crate::similar::as_expressions(expr)?)?;
    Ok(crate::escape::with_backslashes(crate::approximate::as_doubles(expr)))
}
