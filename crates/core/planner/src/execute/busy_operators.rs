//! Cancellation inside of long-running operators.
//!
//! Leaves check for cancellation between row groups. A join can run for minutes on one batch of a leaf: this module
//! checks after each batch that the join gives, and a join that compares all pairs gets its inner rows in small
//! batches, because it may give no batch for long. A function can run as long on one row: its loops check the
//! interrupts of the thread ([`interrupt`](mainstay_types::interrupt)), so operators that call such functions run with
//! the run's interrupt in force.

use crate::carried_error::to_datafusion;
use crate::execute::run::{InForceStream, Run};
use crate::tree::nodes::Tree;
use arrow_array::RecordBatch;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;
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
                return match calls_slow_functions(&node)? {
                    true => Ok(Transformed::yes(Watch::over(node, usize::MAX))),
                    false => Ok(Transformed::no(node)),
                };
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

/// True if a function may be busy for long with one row: one that makes or searches long texts.
fn may_be_slow(call: &ScalarFunctionExpr) -> bool {
    let name = call.fun().name();
    crate::functions::result_sizes::is_bounded(call.fun())
        || name.starts_with("regexp_")
        || crate::dialect::with_prefix(name).is_some()
        || name.starts_with(crate::dialect::USER_PREFIX)
}

/// True if an operator calls such functions for its rows.
fn calls_slow_functions(node: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    if !node.is::<ProjectionExec>() && !node.is::<FilterExec>() && !node.is::<AggregateExec>() {
        return Ok(false);
    }
    let mut found = false;
    node.apply_expressions(&mut |expr| {
        found |= expr.exists(|expr| Ok(expr.downcast_ref().is_some_and(may_be_slow)))?;
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
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
        let input = InForceStream::over(self.input.execute(partition, context)?, Arc::clone(&run));
        let batches = input.map_ok(move |batch| stream::iter(pieces(batch, most_rows)));
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
