//! What is known of the rows of an outer join's side is not known of the rows that stand for none of them.
//!
//! ```text
//!   SELECT a.id, q.status FROM a LEFT JOIN (SELECT id, 'paid' AS status FROM b) q ON q.id = a.id ORDER BY q.status, a.id
//! ```
//!
//! All rows of `q` have 'paid', and the join gives NULL beside what has no row of `q`. DataFusion says of the join what it
//! knows of the side - columns of one value, expressions that are always equal - and does not sort by such a column, or ends
//! a group where it changes. So a side of which such a thing is known comes from a node that does not say it.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
};
use std::fmt;
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
        plan.transform_up(|node| {
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
            let sides = sides.map(|(side, may_be_null)| Silent::where_it(may_be_null && says_too_much(side), side));
            let sides = sides.collect();
            replace_children_if_necessary(node, sides).map(Transformed::yes)
        })
        .data()
    }
}

/// Whether something is known of the rows that would not hold for a row of NULLs.
fn says_too_much(side: &Arc<dyn ExecutionPlan>) -> bool {
    // Columns that are equal are so as NULLs.
    !side.equivalence_properties().constants().is_empty() || equals_expressions(side)
}

/// Whether columns of the rows are known to equal expressions.
fn equals_expressions(rows: &Arc<dyn ExecutionPlan>) -> bool {
    let known = rows.equivalence_properties().eq_group();
    known.iter().any(|class| class.iter().any(|expr| !expr.is::<Column>() && !expr.is::<Literal>()))
}

/// Passes rows on, and says nothing of them.
#[derive(Debug)]
struct Silent {
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl Silent {
    /// Such a node where it is wanted.
    fn where_it(is_wanted: bool, rows: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        if is_wanted { Silent::over(Arc::clone(rows)) } else { Arc::clone(rows) }
    }

    fn over(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            Partitioning::UnknownPartitioning(partitions),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        Arc::new(Silent { input, properties: Arc::new(properties) })
    }
}

impl DisplayAs for Silent {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rows")
    }
}

impl ExecutionPlan for Silent {
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
        Ok(Silent::over(children.remove(0)))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(&self, inputs: &[Arc<Statistics>], _: &StatisticsArgs) -> Result<Arc<Statistics>> {
        Ok(Arc::clone(&inputs[0]))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }
}
