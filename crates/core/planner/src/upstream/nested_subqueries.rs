//! Nested IN subqueries: `id IN (SELECT id FROM t WHERE id IN (SELECT ...))`, many levels deep.
//!
//! DataFusion validates a subquery at each enclosing level, and again at each level around that one: twenty deep, a
//! million times. In the end the subqueries become joins, from the innermost one outwards; this rule builds the joins
//! before the validation, so that one level is left.

use crate::tree::nodes::{PlanTree, Tree};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TransformedResult, TreeNodeRecursion};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::decorrelate_predicate_subquery::DecorrelatePredicateSubquery;
use datafusion::optimizer::{AnalyzerRule, OptimizerConfig, OptimizerContext, OptimizerRule};

/// How deep subqueries are within each other that are left to DataFusion.
const LEFT_DEPTH: usize = 4;

/// The first number of the joins' names. Those of DataFusion's own begin with 1.
const FIRST_NAME: usize = 1 << 32;

/// Makes joins of tests within subqueries. It comes when the types of the plan are settled.
#[derive(Debug)]
pub(crate) struct NestedTests;

impl AnalyzerRule for NestedTests {
    fn name(&self) -> &str {
        "nested_tests"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        if depth(&plan)? <= LEFT_DEPTH || crate::lateral::is_in(&plan) || crate::lateral::has_outer_references(&plan) {
            return Ok(plan);
        }
        let rule = DecorrelatePredicateSubquery::new();
        let context = OptimizerContext::new();
        context.alias_generator().update_min_id(FIRST_NAME);
        let joined = |node: LogicalPlan| rule.rewrite(node, &context);
        plan.map_down(|node| node.map_subqueries(|subquery| subquery.map_down(joined))).data()
    }
}

/// How deep subqueries are within each other.
fn depth(plan: &LogicalPlan) -> Result<usize> {
    let mut deepest = 0;
    plan.each(|node| {
        node.each_expression(|expr| {
            expr.each(|part| {
                let inner = match part {
                    Expr::ScalarSubquery(subquery)
                    | Expr::Exists(Exists { subquery, .. })
                    | Expr::InSubquery(InSubquery { subquery, .. })
                    | Expr::SetComparison(SetComparison { subquery, .. }) => Some(&subquery.subquery),
                    _ => None,
                };
                if let Some(inner) = inner {
                    deepest = deepest.max(1 + depth(inner)?);
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(deepest)
}
