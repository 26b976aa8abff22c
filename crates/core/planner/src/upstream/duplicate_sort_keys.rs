//! Repeated keys in an order: `first_value(a ORDER BY b, b)`, `SELECT DISTINCT ON (a) ... ORDER BY a, b, a DESC`.
//!
//! A repeated key does not change an order, so all but the first are removed. DataFusion does that for plain orders; in
//! the order of an aggregate, as in the plan of DISTINCT ON, it does it in one place of two, and panics.

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::{any_expression, any_node};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, SortExpr};

/// The plan with each key once in the orders of its aggregates and of DISTINCT ON.
pub(crate) fn without(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_concerned = |node: &LogicalPlan| match node {
        LogicalPlan::Distinct(Distinct::On(on)) => on.sort_expr.as_deref().is_some_and(has_repeats),
        node => any_expression(node, repeats),
    };
    if !any_node(&plan, is_concerned) {
        return Ok(plan);
    }
    plan.map_up_with_subqueries(|node| match node {
        LogicalPlan::Distinct(Distinct::On(mut on)) => {
            on.sort_expr.iter_mut().for_each(keep_first);
            Ok(Transformed::yes(LogicalPlan::Distinct(Distinct::On(on))))
        }
        node => crate::tree::rewrite::node(node, |expr, _| {
            expr.map_up(|expr| match expr {
                Expr::AggregateFunction(mut call) if has_repeats(&call.params.order_by) => {
                    keep_first(&mut call.params.order_by);
                    Ok(Transformed::yes(Expr::AggregateFunction(call)))
                }
                expr => Ok(Transformed::no(expr)),
            })
        }),
    })
    .data()
}

fn repeats(expr: &Expr) -> bool {
    matches!(expr, Expr::AggregateFunction(call) if has_repeats(&call.params.order_by))
}

fn has_repeats(keys: &[SortExpr]) -> bool {
    keys.iter().enumerate().any(|(place, key)| keys.iter().take(place).any(|before| before.expr == key.expr))
}

fn keep_first(keys: &mut Vec<SortExpr>) {
    let mut kept: Vec<SortExpr> = Vec::with_capacity(keys.len());
    for key in keys.drain(..) {
        if kept.iter().all(|before| before.expr != key.expr) {
            kept.push(key);
        }
    }
    *keys = kept;
}
