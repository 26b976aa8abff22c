//! Search in plans: most rules apply to few statements, but all statements pass them. So the first check of a rule
//! copies neither the plan nor its expressions (as `LogicalPlan::expressions` does).

use crate::tree::nodes::{PlanTree, Tree};
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

/// Returns true if a plan is made of tables, conditions, expressions, groups, orders, limits and unions only, without
/// subqueries in its expressions.
pub(crate) fn is_plain(plan: &LogicalPlan) -> bool {
    let mut plain = true;
    let mut look = |node: &LogicalPlan| {
        plain &= matches!(
            node,
            LogicalPlan::Projection(_)
                | LogicalPlan::Filter(_)
                | LogicalPlan::Aggregate(_)
                | LogicalPlan::Sort(_)
                | LogicalPlan::Limit(_)
                | LogicalPlan::Union(_)
                | LogicalPlan::Distinct(_)
                | LogicalPlan::SubqueryAlias(_)
                | LogicalPlan::EmptyRelation(_)
                | LogicalPlan::TableScan(_)
        ) && !crate::tree::search::any_expression(node, is_subquery);
        Ok(if plain { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    };
    // The closure does not fail.
    let _ = plan.each(&mut look);
    plain
}

/// Returns true if an expression is a subquery in any role.
pub(crate) fn is_subquery(expr: &Expr) -> bool {
    matches!(expr, Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) | Expr::ScalarSubquery(_))
}
