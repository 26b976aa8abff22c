//! The analyzer's passes of the dialects ([`Stage`]), and their rules for single expressions.

use super::registry::registered;
use super::{Stage, tools};
use crate::plan::nodes::PlanTree;
use crate::plan::search::any_node;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::Planning;
use std::sync::Arc;

/// Lowers the functions of dialects that give columns other types, and describes both parts of each recursion alike.
pub(crate) fn lower_types(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_recursive = any_node(&plan, |node| matches!(node, LogicalPlan::RecursiveQuery(_)));
    // A dialect that owns the plan describes the parts itself: what is above them takes types from the description.
    let is_described = is_recursive && owns_plan(&plan);
    let plan = lower(plan, Stage::Types)?;
    if is_recursive && !is_described { described(plan) } else { Ok(plan) }
}

/// Lowers the functions of the other dialects.
pub(crate) fn lower_operators(plan: LogicalPlan) -> Result<LogicalPlan> {
    lower(plan, Stage::Operators)
}

fn lower(plan: LogicalPlan, stage: Stage) -> Result<LogicalPlan> {
    registered().filter(|dialect| dialect.stage() == stage).try_fold(plan, |plan, dialect| dialect.lower(plan))
}

fn described(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.map_up_with_subqueries(|node| {
        let node = match node {
            LogicalPlan::RecursiveQuery(node) => tools::described_recursion(node, |part| Ok(Arc::clone(part)))?,
            node => node,
        };
        node.recompute_schema().map(Transformed::yes)
    })
    .data()
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
