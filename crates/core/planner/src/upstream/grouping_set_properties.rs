//! Properties of rows that do not hold for their grouping sets.
//!
//! ```text
//!   SELECT s, count(*) FROM (SELECT 'b' AS s FROM b UNION ALL SELECT 'b' FROM a) u GROUP BY ROLLUP (s)
//! ```
//!
//! All rows have 'b' for `s` here, and one of their groups has NULL. DataFusion derives the properties of the groups
//! from those of the rows - constant columns, orders, partitioning among threads - and ends a group at a change of the
//! value that it takes for constant. So the rows of grouping sets come from a node without known properties but its
//! columns.

use crate::tree::nodes::Tree;
use crate::upstream::statistics_barrier::Silent;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use std::sync::Arc;

/// Puts such a node below every aggregate of grouping sets.
#[derive(Debug)]
pub(crate) struct UnknownRows;

impl PhysicalOptimizerRule for UnknownRows {
    fn name(&self) -> &str {
        "unknown_rows"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.map_up(|node| {
            let Some(input) = node.downcast_ref::<AggregateExec>().and_then(rows_of_sets) else {
                return Ok(Transformed::no(node));
            };
            let unknown = Silent::over(Arc::clone(input));
            replace_children_if_necessary(node, vec![unknown]).map(Transformed::yes)
        })
        .data()
    }
}

/// The rows that an aggregate makes grouping sets of.
fn rows_of_sets(aggregate: &AggregateExec) -> Option<&Arc<dyn ExecutionPlan>> {
    let reads_rows = aggregate.mode().input_mode() == AggregateInputMode::Raw;
    (reads_rows && !aggregate.group_expr().is_single()).then(|| aggregate.input())
}
