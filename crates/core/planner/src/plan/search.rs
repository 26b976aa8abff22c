//! Search in plans: most rules apply to few statements, but all statements pass them. So the first check of a rule
//! copies neither the plan nor its expressions (as `LogicalPlan::expressions` does).

use crate::plan::nodes::{PlanTree, Tree};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Returns true if this is so of any node of a plan, those of subqueries included.
pub(crate) fn any_node(plan: &LogicalPlan, mut is_wanted: impl FnMut(&LogicalPlan) -> bool) -> bool {
    let mut found = false;
    // The closure does not fail.
    let _ = plan.each_with_subqueries(|node| {
        found = found || is_wanted(node);
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    found
}

/// Returns true if this is so of any expression of a node, or of a part of one. (Not of the plans of subqueries in it.)
pub(crate) fn any_expression(node: &LogicalPlan, mut is_wanted: impl FnMut(&Expr) -> bool) -> bool {
    let mut found = false;
    // The closures do not fail.
    let _ = node.each_expression(|expr| {
        expr.each(|part| {
            found = found || is_wanted(part);
            Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })
    });
    found
}

/// Returns true if this is so of any expression of any node of a plan, those of subqueries included.
pub(crate) fn any_expression_of_plan(plan: &LogicalPlan, mut is_wanted: impl FnMut(&Expr) -> bool) -> bool {
    any_node(plan, |node| any_expression(node, &mut is_wanted))
}
