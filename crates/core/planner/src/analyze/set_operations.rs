//! EXCEPT ALL and INTERSECT ALL.
//!
//! They count rows: for a row that occurs m times on the left and n times on the right they give `max(m - n, 0)` and
//! `min(m, n)` (ISO 9075-2, 7.13).
//!
//! The planner turns them into a semi or anti join over all columns, for which one equal row on the right is as good as
//! many. So equal rows are numbered on both sides, and the numbers become part of the join.

use crate::tree::nodes::PlanTree;
use crate::tree::search::any_node;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{Column, JoinType, NullEquality, Result};
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, Join, JoinConstraint, LogicalPlan, LogicalPlanBuilder, Projection,
};
use std::sync::Arc;

/// The plan with numbers in the joins that stand for these operations. It must be as the statement says: later on, other
/// joins look like them.
pub(crate) fn counted(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !any_node(&plan, |node| matches!(node, LogicalPlan::Join(join) if is_of_all(join))) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| match node {
        LogicalPlan::Join(join) if is_of_all(&join) => numbered(&join).map(Transformed::yes),
        other => Ok(Transformed::no(other)),
    })
    .data()
}

/// Returns true if a join is a set operation with ALL: nothing else that is written takes NULL for equal to NULL, and
/// without ALL the rows on the left are distinct. (Those of `SELECT DISTINCT ... EXCEPT ALL` are, too, and need not be
/// counted.)
fn is_of_all(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
        && join.on.len() == join.left.schema().fields().len()
        && !matches!(join.left.as_ref(), LogicalPlan::Distinct(_))
}

fn numbered(join: &Join) -> Result<LogicalPlan> {
    let (left, left_number) = with_numbers(&join.left, "#number of left")?;
    let (right, right_number) = with_numbers(&join.right, "#number of right")?;
    let mut on = join.on.clone();
    on.push((left_number, right_number));
    let counted = Join::try_new(
        Arc::new(left),
        Arc::new(right),
        on,
        None,
        join.join_type,
        JoinConstraint::On,
        join.null_equality,
        false,
    )?;
    let shown = join.left.schema().columns().into_iter().map(Expr::Column).collect();
    let plan = LogicalPlan::Join(counted);
    Ok(LogicalPlan::Projection(Projection::try_new_with_schema(shown, Arc::new(plan), Arc::clone(&join.schema))?))
}

/// The rows, with a number among those that are equal.
fn with_numbers(rows: &Arc<LogicalPlan>, name: &str) -> Result<(LogicalPlan, Expr)> {
    let columns: Vec<Expr> = rows.schema().columns().into_iter().map(Expr::Column).collect();
    let number = row_number().partition_by(columns.clone()).build()?;
    let of_window = Expr::Column(Column::from_name(number.schema_name().to_string()));
    let plan = LogicalPlanBuilder::from(rows.as_ref().clone())
        .window([number])?
        .project(columns.into_iter().chain([of_window.alias(name)]))?
        .build()?;
    Ok((plan, Expr::Column(Column::from_name(name))))
}
