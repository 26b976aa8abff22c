//! Expressions are computed only for the rows of the result.
//!
//! DataFusion moves a projection below a filter, a join or a sort when that makes rows narrower, whatever it computes:
//!
//! ```text
//!   SELECT k, 100 / (a * b) AS y FROM t WHERE abs(k) = 5
//!
//!   Filter abs(k) = 5                                 Projection k, 100 / (a * b)
//!     Projection k, 100 / (a * b)     instead of        Filter abs(k) = 5
//!       t                                                 t
//! ```
//!
//! A row with a blank `a` outside of the result then ends the statement with a division by zero. So a plan that
//! computes anything keeps its projections in place; one whose projections only select columns is left to DataFusion's
//! rule.

use crate::tree::nodes::Tree;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use std::sync::Arc;

/// The name that DataFusion gives its rule.
const MOVING: &str = "ProjectionPushdown";

/// DataFusion's rule for plans whose projections only pick columns.
#[derive(Debug)]
pub(crate) struct PickedColumns(Arc<dyn PhysicalOptimizerRule + Send + Sync>);

impl PickedColumns {
    /// The rule, held back if it is the one that moves projections.
    pub(crate) fn hold(
        rule: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
    ) -> Arc<dyn PhysicalOptimizerRule + Send + Sync> {
        if rule.name() == MOVING { Arc::new(PickedColumns(rule)) } else { rule }
    }
}

impl PhysicalOptimizerRule for PickedColumns {
    fn name(&self) -> &str {
        MOVING
    }

    fn schema_check(&self) -> bool {
        self.0.schema_check()
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, options: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if computes(&plan)? { Ok(plan) } else { self.0.optimize(plan, options) }
    }
}

/// Returns true if a projection of the plan has anything but columns.
fn computes(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let mut found = false;
    plan.each(|node| {
        let projection = node.downcast_ref::<ProjectionExec>();
        found |= projection.is_some_and(|node| node.expr().iter().any(|output| !output.expr.is::<Column>()));
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}
