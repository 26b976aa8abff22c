//! The analyzer's passes of the dialects ([`Stage`]), and their rules for single expressions.

use super::Stage;
use super::registry::registered;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::Planning;
use std::sync::Arc;

/// Lowers the functions of the dialects of a stage.
pub(crate) fn lower(plan: LogicalPlan, stage: Stage) -> Result<LogicalPlan> {
    registered().filter(|dialect| dialect.stage() == stage).try_fold(plan, |plan, dialect| dialect.lower(plan))
}

/// The operator of a node that a dialect has made for one of its functions in FROM.
pub(crate) fn operator(
    node: &dyn UserDefinedLogicalNode,
    inputs: &[Arc<dyn ExecutionPlan>],
    planning: &Planning<'_>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    registered().find_map(|dialect| dialect.operator(node, inputs, planning).transpose()).transpose()
}

/// An expression over rows of a table without the functions of dialects that have a plain form.
pub(crate) fn lower_expression(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    registered().try_fold(expr, |expr, dialect| dialect.lower_expression(expr, schema))
}

/// Returns true if a dialect's rules for types and blanks apply to a plan in place of the core's.
pub(crate) fn owns_plan(plan: &LogicalPlan) -> bool {
    registered().any(|dialect| dialect.owns(plan))
}

/// Returns true if they apply to an expression.
pub(crate) fn owns_expression(expr: &Expr) -> bool {
    registered().any(|dialect| dialect.owns_expression(expr))
}
