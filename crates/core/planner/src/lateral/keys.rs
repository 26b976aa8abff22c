//! The distinct keys of many rows, as the leaf of an inner plan that is evaluated for all of them at once.
//!
//! A key consists of the values of an outer row that the inner plan reads. Each key has a number, which assigns the
//! inner plan's rows to the outer rows with this key. The leaf has no rows while the plan is optimized; a run sets them
//! before it builds operators of the plan ([`KeyRows::bound`]).

use crate::tree::nodes::{PlanTree, Tree};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, SchemaRef};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DFSchemaRef, Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The leaf. Its columns are the number of a key and the values of the key, under names that no other leaf of the same
/// plan has.
#[derive(Clone, Debug)]
pub(super) struct KeyRows {
    number: usize,
    schema: DFSchemaRef,
    /// The columns, of a plan that is about to run.
    rows: Option<Arc<Vec<ArrayRef>>>,
}

impl KeyRows {
    /// The leaf with this number in its plan: the plan, the column of the keys' numbers, and those of their values.
    pub(super) fn plan(number: usize, keys: &[FieldRef]) -> Result<(LogicalPlan, Column, Vec<Column>)> {
        // Never NULL, and the optimizer must not know it: a condition that names it stays above the join with the keys.
        let id = Field::new(format!("#key{number}"), DataType::Int64, true);
        let values = keys.iter().enumerate().map(|(place, field)| {
            let name = format!("#key{number}_{place}");
            field.as_ref().clone().with_name(name).with_nullable(true)
        });
        let fields: Vec<Field> = std::iter::once(id).chain(values).collect();
        let mut columns = fields.iter().map(|field| Column::new_unqualified(field.name()));
        let Some(id) = columns.next() else { return internal_err!("a leaf of keys without columns") };
        let values = columns.collect();
        let fields = fields.into_iter().map(|field| (None, Arc::new(field))).collect();
        let schema = Arc::new(DFSchema::new_with_metadata(fields, HashMap::new())?);
        let node = Arc::new(KeyRows { number, schema, rows: None });
        Ok((LogicalPlan::Extension(Extension { node }), id, values))
    }

    /// The plan with these columns in its leaves.
    pub(super) fn bound(plan: &LogicalPlan, rows: &Arc<Vec<ArrayRef>>) -> Result<LogicalPlan> {
        plan.clone()
            .map_up_with_subqueries(|node| match of(&node) {
                Some(leaf) => {
                    let node = Arc::new(KeyRows { rows: Some(Arc::clone(rows)), ..leaf.clone() });
                    Ok(Transformed::yes(LogicalPlan::Extension(Extension { node })))
                }
                None => Ok(Transformed::no(node)),
            })
            .data()
    }
}

fn of(plan: &LogicalPlan) -> Option<&KeyRows> {
    match plan {
        LogicalPlan::Extension(extension) => extension.node.as_any().downcast_ref::<KeyRows>(),
        _ => None,
    }
}

/// True if every join of the leaf with other rows is by the equality of values, so that its cost is that of reading both
/// sides. False for a plan without the leaf.
pub(super) fn are_looked_up(plan: &LogicalPlan) -> bool {
    let mut has_leaf = false;
    let mut has_product = false;
    // The closure does not fail.
    let _ = plan.each(|node| {
        has_leaf |= of(node).is_some();
        if let LogicalPlan::Join(join) = node {
            let is_product = join.on.is_empty();
            has_product |= is_product && (is_within(&join.left) || is_within(&join.right));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    has_leaf && !has_product
}

fn is_within(plan: &LogicalPlan) -> bool {
    plan.has(|node| Ok(of(node).is_some())).unwrap_or(true)
}

impl PartialEq for KeyRows {
    fn eq(&self, other: &KeyRows) -> bool {
        self.number == other.number && self.schema == other.schema
    }
}

impl Eq for KeyRows {}

impl Hash for KeyRows {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
        self.schema.hash(state);
    }
}

impl PartialOrd for KeyRows {
    fn partial_cmp(&self, other: &KeyRows) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for KeyRows {
    fn name(&self) -> &'static str {
        "KeyRows"
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
        write!(f, "KeyRows")
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, _: Vec<LogicalPlan>) -> Result<KeyRows> {
        Ok(self.clone())
    }
}

/// The operator of [`KeyRows`].
pub(super) struct KeyRowsExec {
    batch: RecordBatch,
    properties: Arc<PlanProperties>,
}

impl KeyRowsExec {
    pub(super) fn planned(node: &KeyRows) -> Result<Arc<dyn ExecutionPlan>> {
        let schema: SchemaRef = Arc::new(node.schema.as_arrow().clone());
        let batch = match &node.rows {
            Some(rows) => {
                let count = rows.first().map_or(0, |column| column.len());
                let options = RecordBatchOptions::new().with_row_count(Some(count));
                RecordBatch::try_new_with_options(Arc::clone(&schema), rows.to_vec(), &options)?
            }
            None => RecordBatch::new_empty(Arc::clone(&schema)),
        };
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Ok(Arc::new(KeyRowsExec { batch, properties }))
    }
}

impl fmt::Debug for KeyRowsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyRows")
    }
}

impl DisplayAs for KeyRowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyRows")
    }
}

impl ExecutionPlan for KeyRowsExec {
    fn name(&self) -> &'static str {
        "KeyRows"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("a leaf of keys with an input") }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn statistics_from_inputs(&self, _: &[Arc<Statistics>], _: &StatisticsArgs) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.batch.schema());
        statistics.num_rows = Precision::Exact(self.batch.num_rows());
        Ok(Arc::new(statistics))
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (batch, size) = (self.batch.clone(), context.session_config().batch_size().max(1));
        let starts = (0..batch.num_rows()).step_by(size);
        let slices = starts.map(move |start| Ok(batch.slice(start, size.min(batch.num_rows() - start))));
        let rows = futures::stream::iter(slices);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.batch.schema(), rows)))
    }
}
