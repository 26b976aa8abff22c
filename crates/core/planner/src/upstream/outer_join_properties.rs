//! Properties of the rows of an outer join's side that do not hold for the rows filled with NULL.
//!
//! ```text
//!   SELECT a.id, q.status FROM a LEFT JOIN (SELECT id, 'paid' AS status FROM b) q ON q.id = a.id ORDER BY q.status, a.id
//! ```
//!
//! All rows of `q` have 'paid', and the join gives NULL beside rows without a partner in `q`. DataFusion derives the
//! properties of the join from those of the side - constant columns, equal expressions - and does not sort by such a
//! column, or ends a group where it changes. So a side with such properties comes from a node that hides them.

use crate::tree::nodes::Tree;
use crate::upstream::statistics_barrier::Silent;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{JoinType, Result};
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::sync::Arc;

/// Puts such a node above the sides of outer joins that need it.
#[derive(Debug)]
pub(crate) struct OuterRows;

impl PhysicalOptimizerRule for OuterRows {
    fn name(&self) -> &str {
        "outer_rows"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| {
            let hash = node.downcast_ref::<HashJoinExec>().map(|join| *join.join_type());
            let Some(kind) = hash.or_else(|| node.downcast_ref::<NestedLoopJoinExec>().map(|join| *join.join_type()))
            else {
                return Ok(Transformed::no(node));
            };
            let may_be_null = match kind {
                JoinType::Left => [false, true],
                JoinType::Right => [true, false],
                JoinType::Full => [true, true],
                _ => return Ok(Transformed::no(node)),
            };
            let sides = node.children().into_iter().zip(may_be_null);
            let sides = sides.map(|(side, may_be_null)| match may_be_null && says_too_much(side) {
                true => Silent::over(Arc::clone(side)),
                false => Arc::clone(side),
            });
            let sides = sides.collect();
            replace_children_if_necessary(node, sides).map(Transformed::yes)
        })
        .data()
    }
}

/// Returns true if something is known of the rows that would not hold for a row of NULLs.
fn says_too_much(side: &Arc<dyn ExecutionPlan>) -> bool {
    // Columns that are equal are so as NULLs.
    !side.equivalence_properties().constants().is_empty() || equals_expressions(side)
}

/// Returns true if columns of the rows are known to equal expressions.
fn equals_expressions(rows: &Arc<dyn ExecutionPlan>) -> bool {
    let known = rows.equivalence_properties().eq_group();
    known.iter().any(|class| class.iter().any(|expr| !expr.is::<Column>() && !expr.is::<Literal>()))
}
