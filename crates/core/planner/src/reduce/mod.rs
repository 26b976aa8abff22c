//! Rewrites of the parser's tree into forms that DataFusion's SQL planner supports, in order.

pub(crate) mod approximate;
pub(crate) mod arrays;
pub(crate) mod balanced_conditions;
pub(crate) mod distinct_on;
pub(crate) mod escape;
pub(crate) mod exists;
pub(crate) mod fetch_first;
pub(crate) mod lag_lead;
pub(crate) mod repeated_keys;
pub(crate) mod row_comparisons;
pub(crate) mod row_values;
pub(crate) mod set_operations;
pub(crate) mod seven_digits;
pub(crate) mod similar;
pub(crate) mod synonyms;
pub(crate) mod unsupported;
pub(crate) mod values_rows;

use crate::parse::text::Text;
use datafusion::sql::sqlparser::ast::{Expr, Statement};
use mainstay_types::Result;

/// The statement in forms that the planner knows.
pub(crate) fn reduced(text: &Text, statement: Statement) -> Result<Statement> {
    let statement = match text.mentions("collate") {
        true => crate::functions::collate_clause::as_calls(statement)?,
        false => statement,
    };
    let statement = match crate::reduce::synonyms::NAMES.iter().any(|name| text.mentions(name)) {
        true => crate::reduce::synonyms::written_out(statement),
        false => statement,
    };
    let statement = match crate::reduce::seven_digits::are_in(text) {
        true => crate::reduce::seven_digits::typed(statement),
        false => statement,
    };
    let statement = match text.mentions("values") {
        true => crate::reduce::values_rows::as_queries(statement),
        false => statement,
    };
    let statement = match text.mentions("over") {
        true => crate::names::window_names::replaced(statement, text)?,
        false => statement,
    };
    let statement = match text.mentions("array") {
        true => crate::reduce::arrays::as_lists(statement),
        false => statement,
    };
    let statement = match text.mentions("similar") {
        true => crate::reduce::similar::as_expressions(statement)?,
        false => statement,
    };
    let statement = match text.mentions("lag") || text.mentions("lead") {
        true => crate::reduce::lag_lead::with_defaults(statement),
        false => statement,
    };
    let statement = match text.mentions("distinct") && text.mentions("on") {
        true => crate::reduce::distinct_on::as_ordered(statement),
        false => statement,
    };
    let statement = match text.mentions("group") {
        true => crate::reduce::repeated_keys::left_out(statement),
        false => statement,
    };
    let statement = match ["union", "except", "intersect"].iter().any(|word| text.mentions(word)) {
        true => crate::reduce::set_operations::with_named_branches(statement),
        false => statement,
    };
    let statement = match text.mentions("lateral") {
        true => crate::names::applied_names::given(statement),
        false => statement,
    };
    let statement = crate::reduce::balanced_conditions::divided(crate::reduce::row_values::by_members(statement)?);
    let statement = crate::reduce::unsupported::with_sides(crate::reduce::approximate::as_doubles(statement));
    crate::reduce::unsupported::check(&statement, text)?;
    crate::reduce::fetch_first::reduced(crate::reduce::escape::with_backslashes(statement))
}

/// The same of an expression that belongs to rows.
pub(crate) fn reduced_expression(expr: Expr) -> Result<Expr> {
    let expr = crate::reduce::arrays::as_lists(crate::functions::collate_clause::as_calls(expr)?);
    let expr =
        crate::reduce::seven_digits::typed(crate::reduce::synonyms::chosen(crate::reduce::synonyms::written_out(expr)));
    let expr = crate::reduce::row_values::by_members(crate::reduce::similar::as_expressions(expr)?)?;
    Ok(crate::reduce::escape::with_backslashes(crate::reduce::approximate::as_doubles(expr)))
}
