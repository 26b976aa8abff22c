//! Rows of a part of a plan that several places of it read.
//!
//! Each place has an operator with the whole part below it, under the same number. The first one that is asked for rows
//! collects them, and the run keeps them for the others:
//!
//! ```text
//!   SharedRows 0 --- first asked: runs its part ---> batches, kept by the run
//!   SharedRows 0 --- later, or meanwhile: waits ----------^
//! ```
//!
//! The future that collects is shared ([`Shared`]): every reader that waits for it drives it, so the first reader may stop
//! asking without stopping the others.
//!
//! The memory of the rows is reserved in the pool of the run. Where it is not available, nothing is kept and each operator runs
//! its own part, as in a plan without this one. A statement that starts again for want of memory has a plan without it.
//!
//! Limits: the rows stay in memory until the statement ends, also behind their last reader.

use crate::execute::materialized::new_bytes;
use crate::execute::run::Run;
use arrow_array::{Array, RecordBatch};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchemaRef, DataFusionError, Result, Statistics, plan_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::{Distribution, EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, reset_plan_states};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::future::{BoxFuture, FutureExt, Shared};
use futures::stream::{StreamExt, TryStreamExt};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A part of a plan whose rows are shared by all nodes of its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SharedRows {
    number: usize,
    part: LogicalPlan,
}

impl SharedRows {
    /// A node around a part.
    pub(crate) fn over(number: usize, part: LogicalPlan) -> LogicalPlan {
        LogicalPlan::Extension(Extension { node: Arc::new(SharedRows { number, part }) })
    }
}

impl PartialOrd for SharedRows {
    fn partial_cmp(&self, other: &SharedRows) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for SharedRows {
    fn name(&self) -> &'static str {
        "SharedRows"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.part]
    }

    fn schema(&self) -> &DFSchemaRef {
        self.part.schema()
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedRows: {}", self.number)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<SharedRows> {
        match inputs.pop() {
            Some(part) if inputs.is_empty() => Ok(SharedRows { part, ..*self }),
            _ => plan_err!("shared rows of another number of parts than one"),
        }
    }
}

/// The rows that the parts of a run gave, by their numbers.
#[derive(Default)]
pub(crate) struct SharedParts(Mutex<HashMap<usize, Collecting>>);

/// An error of collecting the rows is that of every reader.
type Collecting = Shared<BoxFuture<'static, std::result::Result<Option<Arc<Kept>>, Arc<DataFusionError>>>>;

/// The rows of a part.
struct Kept {
    batches: Vec<RecordBatch>,
    _memory: MemoryReservation,
}

impl SharedParts {
    /// The rows of a part: those that are there or on their way, or those of this operator.
    fn get(&self, of: &SharedRowsExec, context: &Arc<TaskContext>) -> Collecting {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let collecting = parts.entry(of.number).or_insert_with(|| {
            let (part, context) = (Arc::clone(&of.part), Arc::clone(context));
            async move { collected(part, context).await.map_err(Arc::new) }.boxed().shared()
        });
        collecting.clone()
    }

    /// Gives up the rows and their memory.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The rows of a part; `None` if there is no memory to keep them and the part may run again.
async fn collected(part: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>) -> Result<Option<Arc<Kept>>> {
    let memory = MemoryConsumer::new("rows that a statement reads several times").register(context.memory_pool());
    let mut rows = part.execute(0, context)?;
    let (mut batches, mut seen) = (Vec::new(), HashSet::new());
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        let bytes = batch.columns().iter().map(|column| new_bytes(&column.to_data(), &mut seen)).sum();
        match memory.try_grow(bytes) {
            Err(_) => return Ok(None),
            grown => grown?,
        }
        batches.push(batch);
    }
    Ok(Some(Arc::new(Kept { batches, _memory: memory })))
}

/// The operator of [`SharedRows`].
pub(crate) struct SharedRowsExec {
    number: usize,
    part: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl SharedRowsExec {
    /// The operator of a node whose part is planned.
    pub(crate) fn planned(node: &SharedRows, inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
        match inputs {
            [part] => Ok(SharedRowsExec::over(node.number, Arc::clone(part))),
            _ => plan_err!("shared rows of another number of parts than one"),
        }
    }

    fn over(number: usize, part: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(part.schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Arc::new(SharedRowsExec { number, part, properties: Arc::new(properties) })
    }
}

impl fmt::Debug for SharedRowsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedRows({})", self.number)
    }
}

impl DisplayAs for SharedRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedRows: {}", self.number)
    }
}

impl ExecutionPlan for SharedRowsExec {
    fn name(&self) -> &'static str {
        "SharedRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.part]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(SharedRowsExec::over(self.number, children.remove(0)))
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

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let run = Run::of(&context)?;
        let (part, schema) = (Arc::clone(&self.part), self.schema());
        let kept = run.shared_parts().get(self, &context);
        let rows = futures::stream::once(async move {
            let kept = kept.await;
            match kept.map_err(DataFusionError::Shared)? {
                Some(kept) => {
                    let count = kept.batches.len();
                    let batches = (0..count).map(move |at| Ok(kept.batches[at].clone()));
                    Ok::<_, DataFusionError>(futures::stream::iter(batches).boxed())
                }
                // Operators that have run, if these are the ones, keep what they have collected. Filters of joins stay in the
                // scans: their keys are those of the same statement.
                None => Ok(reset_plan_states(part)?.execute(0, context)?.boxed()),
            }
        });
        let rows = rows.try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::memory::{Pool, Share};
    use crate::execute::run::RunOptions;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{ArrayRef, Int64Array};
    use datafusion::datasource::memory::MemorySourceConfig;
    use datafusion::execution::context::SessionConfig;
    use datafusion::execution::memory_pool::MemoryPool;
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;
    use futures::executor::block_on;

    /// A part of 1,000 rows in two batches: 8,000 bytes and the buffers' own.
    fn part() -> Arc<dyn ExecutionPlan> {
        let batch = |first: i64| {
            let numbers: ArrayRef = Arc::new((first..first + 500).collect::<Int64Array>());
            RecordBatch::try_from_iter([("n", numbers)]).unwrap()
        };
        let batches = vec![batch(0), batch(500)];
        let schema = batches[0].schema();
        MemorySourceConfig::try_new_exec(&[batches], schema, None).unwrap()
    }

    /// The context of a run whose operators may hold so many bytes.
    fn context(bytes: usize) -> (Arc<TaskContext>, Arc<dyn MemoryPool>) {
        let pool: Arc<dyn MemoryPool> = Arc::new(Pool::new(bytes));
        let run = Arc::new(Run::new(RunOptions::default(), (1, 1), Share::of(&pool)));
        let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::clone(&pool)).build_arc().unwrap();
        let config = SessionConfig::new().with_extension(run);
        let context = TaskContext::new(
            None,
            String::new(),
            config,
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            HashMap::new(),
            runtime,
        );
        (Arc::new(context), pool)
    }

    fn sum(rows: SendableRecordBatchStream) -> i64 {
        let batches: Vec<RecordBatch> = block_on(rows.try_collect()).unwrap();
        batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).sum()
    }

    #[test]
    fn every_reader_gets_all_rows_with_and_without_memory_for_them() {
        for (bytes, are_kept) in [(1 << 20, true), (100, false)] {
            let (context, pool) = context(bytes);
            let readers = [0, 1, 2].map(|_| SharedRowsExec::over(7, part()).execute(0, Arc::clone(&context)).unwrap());
            for rows in readers {
                assert_eq!(sum(rows), 499_500);
                assert_eq!(pool.reserved() >= 8_000, are_kept);
            }
            Run::of(&context).unwrap().shared_parts().clear();
            assert_eq!(pool.reserved(), 0);
        }
    }

    #[test]
    fn a_reader_that_stops_does_not_stop_the_others() {
        let (context, _) = context(1 << 20);
        let [mut first, second] =
            [0, 1].map(|_| SharedRowsExec::over(7, part()).execute(0, Arc::clone(&context)).unwrap());
        let batch = block_on(first.next()).unwrap().unwrap();
        assert_eq!(batch.num_rows(), 500);
        drop(first);
        assert_eq!(sum(second), 499_500);
    }

    #[test]
    fn parts_of_other_numbers_have_rows_of_their_own() {
        let (context, _) = context(1 << 20);
        let rows = |number| sum(SharedRowsExec::over(number, part()).execute(0, Arc::clone(&context)).unwrap());
        assert_eq!((rows(0), rows(1)), (499_500, 499_500));
        assert_eq!(Run::of(&context).unwrap().shared_parts().0.lock().unwrap().len(), 2);
    }
}
