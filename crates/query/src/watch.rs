//! Looking for the wish to stop where rows multiply.
//!
//! Our leaves look for it between row groups. A join can be busy for minutes with one batch of a leaf: it
//! is asked here after each batch that it gives, and a join that compares all pairs gets the rows that it
//! walks through in small batches, because it may give none for long.

use crate::error::to_datafusion;
use crate::nodes::Tree;
use crate::run::Run;
use arrow_array::RecordBatch;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt, stream};
use std::fmt;
use std::sync::Arc;

/// The rows that a join of all pairs walks through between two looks.
const PAIRED_ROWS: usize = 1_024;

/// Puts a [`Watch`] above every join, and under those that compare all pairs. The last of the rules: the
/// others know nothing of this node.
#[derive(Debug)]
pub(crate) struct WatchJoins;

impl PhysicalOptimizerRule for WatchJoins {
    fn name(&self) -> &str {
        "watch_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let watched = |node: Arc<dyn ExecutionPlan>| {
            let compares_all = node.is::<CrossJoinExec>() || node.is::<NestedLoopJoinExec>();
            if !compares_all && !node.is::<HashJoinExec>() && !node.is::<SortMergeJoinExec>() {
                return Ok(Transformed::no(node));
            }
            let join = match (compares_all, node.children().as_slice()) {
                (true, [left, right]) => {
                    let (left, right) = (Arc::clone(left), Watch::over(Arc::clone(right), PAIRED_ROWS));
                    replace_children_if_necessary(node, vec![left, right])?
                }
                _ => node,
            };
            Ok(Transformed::yes(Watch::over(join, usize::MAX)))
        };
        plan.map_up(watched).data()
    }
}

/// Passes batches on, cut to a size, as long as the statement may run.
#[derive(Debug)]
struct Watch {
    input: Arc<dyn ExecutionPlan>,
    most_rows: usize,
}

impl Watch {
    fn over(input: Arc<dyn ExecutionPlan>, most_rows: usize) -> Arc<dyn ExecutionPlan> {
        Arc::new(Watch { input, most_rows })
    }
}

impl DisplayAs for Watch {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

impl ExecutionPlan for Watch {
    fn name(&self) -> &'static str {
        "Watch"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Watch::over(children.remove(0), self.most_rows))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let run = Run::of(&context)?;
        let (most_rows, schema) = (self.most_rows, self.schema());
        let batches =
            self.input.execute(partition, context)?.map_ok(move |batch| stream::iter(pieces(batch, most_rows)));
        let watched = batches.try_flatten().map(move |batch| {
            run.check().map_err(to_datafusion)?;
            batch
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, watched)))
    }
}

fn pieces(batch: RecordBatch, most_rows: usize) -> impl Iterator<Item = Result<RecordBatch>> {
    let rows = batch.num_rows();
    // A batch without rows is passed on as it is.
    let starts = (0..rows.max(1)).step_by(most_rows);
    starts.map(move |start| Ok(batch.slice(start, most_rows.min(rows - start))))
}
