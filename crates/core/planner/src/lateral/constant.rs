//! Constant parts of an inner plan: the same for every row of the input.
//!
//! ```text
//!   EXISTS (SELECT * FROM (SELECT .. UNION ALL SELECT .. GROUP BY ..) q WHERE q.a = f(t.a))
//!
//!   Filter(q.a = f($k0)) <- Union ...          Filter(q.a = f($k0)) <- ConstantRows
//! ```
//!
//! The part below the condition does not depend on the row, so it runs once, when a second row needs it, and its rows
//! are kept for the rest of the run. Otherwise nested subqueries multiply: each of the n rows runs a plan that itself
//! runs another one for each of its m rows. Single tables are left in place, since a condition on the row may use their
//! indexes. Parts with volatile functions run for each row.

use super::Lateral;
use crate::tree::nodes::Tree;
use crate::tree::search::{any_expression_of_plan, any_node};
use arrow_array::RecordBatch;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{DFSchemaRef, Result, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An inner plan with leaves in the places of its constant parts.
pub(super) struct Divided {
    plan: LogicalPlan,
    parts: Vec<LogicalPlan>,
}

impl Divided {
    /// Divides a plan with placeholders for what it reads of the row; `None` for one without constant parts that are worth keeping.
    pub(super) fn of(inner: &LogicalPlan) -> Result<Option<Divided>> {
        let mut parts: Vec<LogicalPlan> = Vec::new();
        let plan = inner.clone().map_down(|node| {
            if !is_constant(&node) || !is_work(&node) {
                return Ok(Transformed::no(node));
            }
            let leaf = ConstantRows { number: parts.len(), schema: Arc::clone(node.schema()), rows: Arc::default() };
            parts.push(node);
            Ok(Transformed::yes(LogicalPlan::Extension(Extension { node: Arc::new(leaf) })))
        });
        let plan = plan.data()?;
        Ok((!parts.is_empty()).then_some(Divided { plan, parts }))
    }

    /// The constant parts, which run by themselves.
    pub(super) fn parts(&self) -> &[LogicalPlan] {
        &self.parts
    }

    /// The plan over the rows of its parts.
    pub(super) fn filled(&self, rows: &[Arc<Vec<RecordBatch>>]) -> Result<LogicalPlan> {
        let plan = self.plan.clone().map_down(|node| {
            let LogicalPlan::Extension(extension) = &node else { return Ok(Transformed::no(node)) };
            let Some(leaf) = extension.node.as_any().downcast_ref::<ConstantRows>() else {
                return Ok(Transformed::no(node));
            };
            let rows = rows.get(leaf.number).cloned().unwrap_or_default();
            let leaf = ConstantRows { rows, ..leaf.clone() };
            Ok(Transformed::yes(LogicalPlan::Extension(Extension { node: Arc::new(leaf) })))
        });
        plan.data()
    }
}

/// True if a plan gives the same rows whatever the row is, each time it runs.
pub(crate) fn is_constant(plan: &LogicalPlan) -> bool {
    !any_expression_of_plan(plan, |expr| {
        let is_momentary = matches!(expr, Expr::ScalarFunction(call) if call.func.signature().volatility
            == datafusion::logical_expr::Volatility::Volatile);
        is_momentary || matches!(expr, Expr::Placeholder(_) | Expr::OuterReferenceColumn(..))
    })
}

/// True if a plan does more than reading tables.
fn is_work(plan: &LogicalPlan) -> bool {
    any_node(plan, |node| match node {
        LogicalPlan::Aggregate(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Sort(_) => true,
        LogicalPlan::Extension(extension) => extension.node.as_any().is::<Lateral>(),
        _ => false,
    })
}

/// The rows of a part, as long as their memory is held.
pub(super) fn reservation(context: &TaskContext) -> MemoryReservation {
    MemoryConsumer::new("the rows of a subquery").register(context.memory_pool())
}

/// The rows of a constant part; none before it has run.
#[derive(Clone, Debug)]
pub(super) struct ConstantRows {
    number: usize,
    schema: DFSchemaRef,
    rows: Arc<Vec<RecordBatch>>,
}

impl PartialEq for ConstantRows {
    fn eq(&self, other: &ConstantRows) -> bool {
        self.number == other.number && self.schema == other.schema && Arc::ptr_eq(&self.rows, &other.rows)
    }
}

impl Eq for ConstantRows {}

impl Hash for ConstantRows {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
        self.schema.hash(state);
    }
}

impl PartialOrd for ConstantRows {
    fn partial_cmp(&self, other: &ConstantRows) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for ConstantRows {
    fn name(&self) -> &'static str {
        "ConstantRows"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        Vec::new()
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConstantRows")
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, _: Vec<LogicalPlan>) -> Result<ConstantRows> {
        Ok(self.clone())
    }
}

/// The operator of [`ConstantRows`].
pub(super) struct ConstantRowsExec {
    rows: Arc<Vec<RecordBatch>>,
    properties: Arc<PlanProperties>,
}

impl ConstantRowsExec {
    pub(super) fn planned(node: &ConstantRows) -> Arc<dyn ExecutionPlan> {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(node.schema.inner())),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Arc::new(ConstantRowsExec { rows: Arc::clone(&node.rows), properties: Arc::new(properties) })
    }
}

impl fmt::Debug for ConstantRowsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConstantRows")
    }
}

impl DisplayAs for ConstantRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConstantRows")
    }
}

impl ExecutionPlan for ConstantRowsExec {
    fn name(&self) -> &'static str {
        "ConstantRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("constant rows with an input") }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let batches: Vec<Result<RecordBatch>> = self.rows.iter().cloned().map(Ok).collect();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), futures::stream::iter(batches))))
    }
}
