//! A leaf that executes a scan and the operators above it with the vector kernels.
//!
//! It keeps the plan that it replaced. A kernel may find, when it runs, that it cannot do the work (an index that no
//! longer fits its table, too many groups); then the replaced plan runs instead. So fusing can change the speed of an
//! answer, and never the answer.

use crate::carried_error::to_datafusion;
use crate::execute::run::Run;
use crate::leaves::aggregate::AggregateKernel;
use crate::leaves::index_ends::EndsKernel;
use crate::leaves::order::OrderKernel;
use crate::leaves::scan::{Source, leaf_properties};
use crate::leaves::top_rows::TopKernel;
use arrow_array::RecordBatch;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::ensure_requirements::EnsureRequirements;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::{StreamExt, TryStreamExt, stream};
use mainstay_columnar::{RowSet, Snapshot};
use std::fmt;
use std::sync::Arc;

/// The batches that a kernel gives.
pub(crate) type Batches = Box<dyn Iterator<Item = mainstay_types::Result<RecordBatch>> + Send>;

/// The input of a kernel.
pub(crate) struct Input<'a> {
    pub(crate) source: &'a Source,
    pub(crate) snapshot: &'a Arc<dyn Snapshot>,
    pub(crate) run: &'a Arc<Run>,
    /// The columns of the node, in the types that the planner expects.
    pub(crate) schema: &'a SchemaRef,
}

impl Input<'_> {
    /// The rows that an index leaves possible; `None` when there is none that is worth its way.
    pub(crate) fn rows(&self) -> mainstay_types::Result<Option<RowSet>> {
        self.source.found(self.snapshot.as_ref())
    }

    /// The same, one bit per row slot.
    pub(crate) fn candidates(&self) -> mainstay_types::Result<Option<BooleanBuffer>> {
        Ok(match self.rows()? {
            None => None,
            Some(RowSet::Bitmap(bits)) => Some(bits),
            Some(RowSet::List(rows)) => {
                let mut bits = BooleanBufferBuilder::new(self.snapshot.slots());
                bits.append_n(self.snapshot.slots(), false);
                rows.iter().for_each(|row| bits.set_bit(*row as usize, true));
                Some(bits.finish())
            }
        })
    }
}

/// The work above a scan that is done together with it.
#[derive(Clone, Debug)]
pub(crate) enum Kernel {
    Aggregate(AggregateKernel),
    Ends(EndsKernel),
    Top(TopKernel),
    Order(OrderKernel),
}

impl Kernel {
    /// The batches, or `None` when the replaced plan has to run.
    fn run(&self, input: &Input<'_>) -> mainstay_types::Result<Option<Batches>> {
        match self {
            Kernel::Aggregate(kernel) => kernel.run(input),
            Kernel::Ends(kernel) => kernel.run(input),
            Kernel::Top(kernel) => kernel.run(input),
            Kernel::Order(kernel) => kernel.run(input),
        }
    }

    /// The same work giving these of its output columns.
    fn project(&self, outputs: &[usize]) -> Kernel {
        match self {
            Kernel::Aggregate(kernel) => Kernel::Aggregate(kernel.project(outputs)),
            Kernel::Ends(kernel) => Kernel::Ends(kernel.project(outputs)),
            Kernel::Top(kernel) => Kernel::Top(kernel.project(outputs)),
            Kernel::Order(kernel) => Kernel::Order(kernel.project(outputs)),
        }
    }
}

/// A scan fused with what stood above it.
#[derive(Clone, Debug)]
pub(crate) struct Fused {
    work: Arc<Work>,
    properties: Arc<PlanProperties>,
}

/// The kernel's task; shared by the plan and its runs.
#[derive(Debug)]
struct Work {
    source: Source,
    kernel: Kernel,
    schema: SchemaRef,
    /// The plan that this node replaced: same columns, same rows.
    general: Arc<dyn ExecutionPlan>,
}

impl Fused {
    pub(crate) fn new(source: Source, kernel: Kernel, general: Arc<dyn ExecutionPlan>) -> Fused {
        let schema = general.schema();
        let properties = leaf_properties(Arc::clone(&schema), 1);
        Fused { work: Arc::new(Work { source, kernel, schema, general }), properties }
    }

    /// The source, and the kernel that works on it.
    pub(crate) fn parts(&self) -> (&Source, &Kernel) {
        (&self.work.source, &self.work.kernel)
    }

    /// This node with a projection of plain columns above it taken in; `general` is that projection.
    pub(crate) fn with_projection(&self, outputs: &[usize], general: Arc<dyn ExecutionPlan>) -> Fused {
        Fused::new(self.work.source.clone(), self.work.kernel.project(outputs), general)
    }
}

impl DisplayAs for Fused {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Work { source, kernel, .. } = self.work.as_ref();
        let schema = source.table.schema();
        let name = |column: usize| schema.field(column).name().as_str();
        match kernel {
            Kernel::Aggregate(kernel) => kernel.describe(source, &name, f)?,
            Kernel::Ends(kernel) => kernel.describe(f)?,
            Kernel::Top(kernel) => kernel.describe(&name, f)?,
            Kernel::Order(kernel) => kernel.describe(f)?,
        }
        source.describe(f)
    }
}

impl ExecutionPlan for Fused {
    fn name(&self) -> &'static str {
        match self.work.kernel {
            Kernel::Aggregate(_) | Kernel::Ends(_) => "TableAggregate",
            Kernel::Top(_) => "TableTop",
            Kernel::Order(_) => "TableOrder",
        }
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn partition_statistics(&self, _: Option<usize>) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        statistics.num_rows = Precision::Inexact(self.work.source.table.estimated_rows() / 4);
        Ok(Arc::new(statistics))
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let run = Run::of(&context)?;
        let (work, schema) = (Arc::clone(&self.work), Arc::clone(&self.work.schema));
        let batches = stream::once(async move { work.start(&run, context) }).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}

impl Work {
    fn start(&self, run: &Arc<Run>, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let snapshot = run.scanned(&self.source.table).map_err(to_datafusion)?;
        let schema = Arc::clone(&self.schema);
        let input = Input { source: &self.source, snapshot: &snapshot, run, schema: &schema };
        match self.kernel.run(&input).map_err(to_datafusion)? {
            Some(batches) => {
                let batches = stream::iter(batches).map(|batch| batch.map_err(to_datafusion));
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
            }
            None => self.divided(&context)?.execute(0, context),
        }
    }

    /// The replaced plan with its rows in one stream. It is as it was before the planner divided the work among threads, so
    /// what its operators want of their inputs - all rows of a group in one partition - is seen to now.
    fn divided(&self, context: &TaskContext) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = reset_plan_states(Arc::clone(&self.general))?;
        let plan = EnsureRequirements::new().optimize(plan, context.session_config().options())?;
        if plan.output_partitioning().partition_count() == 1 {
            return Ok(plan);
        }
        Ok(match plan.output_ordering().cloned() {
            Some(ordering) => Arc::new(SortPreservingMergeExec::new(ordering, plan)),
            None => Arc::new(CoalescePartitionsExec::new(plan)),
        })
    }
}
