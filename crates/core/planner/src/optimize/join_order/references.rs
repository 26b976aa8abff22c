//! References of a plan to rows outside of it.
//!
//! A side of a LATERAL join or of an APPLY refers to the row at its left, and the rules that evaluate it look for that row in
//! the other side of the same join. A reference is *bound* where the plan has that row, and then moves with it.

use crate::tree::nodes::{PlanTree, Tree};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, Join, LogicalPlan};

/// Returns true if a side of a join is evaluated for the rows of the other side.
///
/// Errors: those of the walk over the plan.
pub(super) fn is_lateral(join: &Join) -> Result<bool> {
    let refers_to_left = || -> Result<bool> {
        let left = join.left.schema();
        Ok(unbound(&join.right)?.iter().any(|column| left.has_column(column)))
    };
    Ok(is_subquery(&join.left) || is_subquery(&join.right) || refers_to_left()?)
}

/// Returns true for a subquery as a side of a join, below its names.
fn is_subquery(side: &LogicalPlan) -> bool {
    match side {
        LogicalPlan::Subquery(_) => true,
        LogicalPlan::SubqueryAlias(alias) => is_subquery(&alias.input),
        _ => false,
    }
}

/// The columns outside of a plan that it refers to.
///
/// Errors: those of the walk over the plan.
pub(super) fn unbound(plan: &LogicalPlan) -> Result<Vec<Column>> {
    let inputs = plan.inputs();
    let mut found = Vec::new();
    plan.each_expression(|expr| {
        found.extend(unbound_in(expr, &inputs)?);
        Ok(TreeNodeRecursion::Continue)
    })?;
    if let LogicalPlan::Join(join) = plan {
        let left = join.left.schema();
        found.extend(unbound(&join.left)?);
        found.extend(unbound(&join.right)?.into_iter().filter(|column| !left.has_column(column)));
        return Ok(found);
    }
    for input in inputs {
        found.extend(unbound(input)?);
    }
    Ok(found)
}

/// The columns that an expression over these inputs refers to and that none of them has. Subqueries in the expression may
/// refer to the rows of the inputs.
///
/// Errors: those of the walk over the expression.
pub(super) fn unbound_in(expr: &Expr, inputs: &[&LogicalPlan]) -> Result<Vec<Column>> {
    let mut found = Vec::new();
    expr.each(|expr| {
        let subquery = match expr {
            Expr::OuterReferenceColumn(_, column) => {
                found.push(column.clone());
                None
            }
            Expr::ScalarSubquery(subquery) => Some(subquery),
            Expr::Exists(test) => Some(&test.subquery),
            Expr::InSubquery(test) => Some(&test.subquery),
            Expr::SetComparison(test) => Some(&test.subquery),
            _ => None,
        };
        if let Some(subquery) = subquery {
            let is_outside = |column: &Column| !inputs.iter().any(|input| input.schema().has_column(column));
            found.extend(unbound(&subquery.subquery)?.into_iter().filter(is_outside));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}
