//! SET options of a statement: its functions carry those that differ from the options of a new connection.

use super::aggregate;
use super::function::function_of;
use datafusion::logical_expr::{Expr, LogicalPlan};
use mainstay_planner::dialect::Tree;
use mainstay_planner::tools::any_expression_of_plan;
use mainstay_tsql_types::Settings;
use std::cell::Cell;

/// The options of the session that wrote the statement. Functions of views and of table definitions inside it carry none.
pub(super) fn settings_of(plan: &LogicalPlan) -> Settings {
    let found = Cell::new(None);
    any_expression_of_plan(plan, |expr| {
        found.set(settings_of_call(expr));
        found.get().is_some()
    });
    found.get().unwrap_or_default()
}

/// The same for an expression.
pub(super) fn settings_of_expression(expr: &Expr) -> Option<Settings> {
    let found = Cell::new(None);
    let look = |expr: &Expr| {
        found.set(settings_of_call(expr));
        Ok(found.get().is_some())
    };
    expr.has(look).is_ok_and(|is_found| is_found).then(|| found.get()).flatten()
}

/// The options that a call names, if they are not those of a new connection.
fn settings_of_call(expr: &Expr) -> Option<Settings> {
    let settings = match expr {
        Expr::ScalarFunction(call) => function_of(call).map(|function| function.settings),
        Expr::AggregateFunction(call) => aggregate::settings_of(&call.func),
        _ => None,
    };
    settings.filter(|settings| *settings != Settings::NEW)
}
