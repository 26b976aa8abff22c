//! What is known of rows is not known of their grouping sets.
//!
//! ```text
//!   SELECT s, count(*) FROM (SELECT 'b' AS s FROM b UNION ALL SELECT 'b' FROM a) u GROUP BY ROLLUP (s)
//! ```
//!
//! All rows have 'b' for `s` here, and of their groups one has NULL. DataFusion says of the groups what it knows of the rows -
//! columns of one value, orders, by which column they are divided among threads - and ends a group where the value changes
//! that cannot change. So the rows of grouping sets come from a node of which nothing is known but its columns.

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateInputMode};
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
};
use std::fmt;
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
        plan.transform_up(|node| {
            let Some(input) = node.downcast_ref::<AggregateExec>().and_then(rows_of_sets) else {
                return Ok(Transformed::no(node));
            };
            let unknown = Unknown::over(Arc::clone(input));
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

/// Passes rows on, and says nothing of them.
#[derive(Debug)]
struct Unknown {
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl Unknown {
    fn over(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            Partitioning::UnknownPartitioning(partitions),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        Arc::new(Unknown { input, properties: Arc::new(properties) })
    }
}

impl DisplayAs for Unknown {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rows")
    }
}

impl ExecutionPlan for Unknown {
    fn name(&self) -> &'static str {
        "Rows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Unknown::over(children.remove(0)))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }
}
