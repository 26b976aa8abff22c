//! Equal columns in the branches of a UNION ALL, which are not known to be equal above it.
//!
//! ```text
//!   (SELECT s AS x, s AS y FROM t GROUP BY s, n UNION ALL SELECT s, s FROM u GROUP BY s, n) ORDER BY x, y
//! ```
//!
//! An order by `x, y` is an order by `s` in each branch, and DataFusion sorts the branches by that. The union then has
//! a known order by `x` alone, because it drops the equalities of its branches, and the plan is refused for the missing
//! order. So a branch with equal columns comes from a node that hides the equality.

use crate::tree::nodes::Tree;
use crate::upstream::statistics_barrier::Silent;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use std::sync::Arc;

/// Puts such a node above the branches that need it.
#[derive(Debug)]
pub(crate) struct UnionRows;

impl PhysicalOptimizerRule for UnionRows {
    fn name(&self) -> &str {
        "union_rows"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| {
            if !node.is::<UnionExec>() || !node.children().into_iter().any(has_equal_columns) {
                return Ok(Transformed::no(node));
            }
            let branches = node.children().into_iter().map(|branch| match has_equal_columns(branch) {
                true => Silent::over(Arc::clone(branch)),
                false => Arc::clone(branch),
            });
            let branches = branches.collect();
            replace_children_if_necessary(node, branches).map(Transformed::yes)
        })
        .data()
    }
}

fn has_equal_columns(branch: &Arc<dyn ExecutionPlan>) -> bool {
    let known = branch.equivalence_properties().eq_group();
    known.iter().any(|class| class.iter().filter(|expr| expr.is::<Column>()).count() > 1)
}
