//! Join order of many tables: it stays as written.
//!
//! DataFusion's rule `eliminate_cross_join` reorders tables by the conditions that connect them. For each table it
//! examines the columns of all tables so far and all conditions: the cube of the number of tables, minutes for 250 of
//! them in one call that cannot be interrupted. Without the rule the conditions still become those of the joins
//! (`push_down_filter`, `extract_equijoin_predicate`). This exception can be removed when the rule finds conditions by
//! their tables.

use crate::tree::nodes::Tree;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use std::sync::Arc;

/// The rule that is left out.
const RULE: &str = "eliminate_cross_join";

/// Joins in a plan, from which on it is.
const MOST_JOINS: usize = 64;

/// The rule, for plans of few joins.
#[derive(Debug)]
pub(crate) struct WideJoins(Arc<dyn OptimizerRule + Send + Sync>);

impl WideJoins {
    /// The rule, left out for plans of many joins if it is the one.
    pub(crate) fn hold(rule: Arc<dyn OptimizerRule + Send + Sync>) -> Arc<dyn OptimizerRule + Send + Sync> {
        if rule.name() == RULE { Arc::new(WideJoins(rule)) } else { rule }
    }
}

impl OptimizerRule for WideJoins {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let mut joins = 0;
        plan.each(|node| {
            joins += usize::from(matches!(node, LogicalPlan::Join(_)));
            Ok(if joins > MOST_JOINS { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })?;
        if joins > MOST_JOINS { Ok(Transformed::no(plan)) } else { self.0.rewrite(plan, config) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::optimizer::Optimizer;

    /// A rule that DataFusion gives another name would silently run for any number of joins.
    #[test]
    fn the_rule_is_there() {
        assert!(Optimizer::new().rules.iter().any(|rule| rule.name() == RULE));
    }
}
