//! A filter above an aggregate that gives a row for an empty input stays there.
//!
//! DataFusion's rule moves a condition below an aggregate if all of its columns are grouping keys, and so always one
//! without columns. An aggregate without keys, or with an empty grouping set, gives a row even for an empty input:
//!
//! ```text
//!   SELECT * FROM (SELECT COUNT(*) FROM t) WHERE FALSE      no row
//!   SELECT COUNT(*) FROM (SELECT * FROM t WHERE FALSE)      one row: 0
//! ```
//!
//! A volatile condition selects groups, and not their rows, so it stays, too.

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};
use std::sync::Arc;

/// The name of DataFusion's rule.
const MOVING: &str = "push_down_filter";

/// DataFusion's rule for everything but the filters that must stay above groups.
#[derive(Debug)]
pub(crate) struct AboveGroups(Arc<dyn OptimizerRule + Send + Sync>);

impl AboveGroups {
    /// The rule, held back if it is the one that moves filters.
    pub(crate) fn hold(rule: Arc<dyn OptimizerRule + Send + Sync>) -> Arc<dyn OptimizerRule + Send + Sync> {
        if rule.name() == MOVING { Arc::new(AboveGroups(rule)) } else { rule }
    }
}

impl OptimizerRule for AboveGroups {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if must_stay(&plan) { Ok(Transformed::no(plan)) } else { self.0.rewrite(plan, config) }
    }
}

fn must_stay(plan: &LogicalPlan) -> bool {
    let (mut below, mut is_volatile) = (plan, false);
    // Filters that follow each other are one to the rule.
    while let LogicalPlan::Filter(filter) = below {
        is_volatile |= filter.predicate.is_volatile();
        below = &filter.input;
    }
    match below {
        LogicalPlan::Aggregate(groups) if matches!(plan, LogicalPlan::Filter(_)) => {
            let has_sets = groups.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_)));
            groups.group_expr.is_empty() || has_sets || is_volatile
        }
        _ => false,
    }
}
