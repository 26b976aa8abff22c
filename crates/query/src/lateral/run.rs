//! Running an inner plan for each distinct row of what it reads.

use super::constant::{Divided, reservation};
use super::plan::placeholder;
use super::{Kind, Lateral};
use crate::error::to_datafusion;
use crate::run::Run;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, new_null_array};
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{ParamValues, Result, ScalarValue, internal_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, SessionState, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties, collect,
};
use futures::{StreamExt, TryStreamExt};
use mainstay_base::{Cause, Code, Error};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How many inner results a run remembers before it starts afresh.
const REMEMBERED: usize = 10_000;

/// A batch of the output holds about so many rows.
const BATCH_ROWS: usize = 8_192;

/// The operator of a [`Lateral`] node.
pub(super) struct LateralExec {
    input: Arc<dyn ExecutionPlan>,
    shared: Arc<Shared>,
    properties: Arc<PlanProperties>,
}

/// What all partitions of it have in common.
struct Shared {
    /// Optimized, with placeholders for the keys.
    inner: LogicalPlan,
    /// The same with leaves in the places of what does not look at the keys.
    divided: Option<Divided>,
    inner_schema: SchemaRef,
    /// The columns of the input that the inner plan reads.
    keys: Vec<usize>,
    kind: Kind,
    schema: SchemaRef,
    state: Arc<SessionState>,
    /// The rules for plain plans, if the inner one is.
    plain: Option<Arc<SessionState>>,
}

impl LateralExec {
    pub(super) fn new(
        node: &Lateral,
        inner: LogicalPlan,
        input: Arc<dyn ExecutionPlan>,
        state: Arc<SessionState>,
        plain: Option<Arc<SessionState>>,
    ) -> Result<LateralExec> {
        let keys = node.keys.iter().map(|key| node.input.schema().index_of_column(key)).collect::<Result<Vec<_>>>()?;
        let schema: SchemaRef = Arc::new(node.schema.as_arrow().clone());
        let inner_schema = Arc::new(inner.schema().as_arrow().clone());
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            input.output_partitioning().clone(),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let divided = Divided::of(&inner)?;
        let shared = Shared { inner, divided, inner_schema, keys, kind: node.kind, schema, state, plain };
        Ok(LateralExec { input, shared: Arc::new(shared), properties: Arc::new(properties) })
    }
}

impl fmt::Debug for LateralExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lateral({:?})", self.shared.kind)
    }
}

impl DisplayAs for LateralExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lateral: {:?}", self.shared.kind)
    }
}

impl ExecutionPlan for LateralExec {
    fn name(&self) -> &'static str {
        "Lateral"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(input) = children.pop() else { return internal_err!("a lateral operator without its input") };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&self.shared.schema)),
            input.output_partitioning().clone(),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Arc::new(LateralExec { input, shared: Arc::clone(&self.shared), properties: Arc::new(properties) }))
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, Arc::clone(&context))?;
        let evaluation = Evaluation {
            shared: Arc::clone(&self.shared),
            run: Run::of(&context)?,
            context,
            remembered: HashMap::new(),
            met: 0,
            filled: None,
            held: None,
        };
        let schema = Arc::clone(&self.shared.schema);
        let batches = futures::stream::try_unfold((input, evaluation), |(mut input, mut evaluation)| async move {
            match input.next().await {
                None => Ok(None),
                Some(batch) => {
                    let made = evaluation.batch(&batch?).await?;
                    Ok::<_, datafusion::common::DataFusionError>(Some((made, (input, evaluation))))
                }
            }
        });
        let batches = batches.map_ok(|made| futures::stream::iter(made.into_iter().map(Ok))).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}

/// One run over one partition.
struct Evaluation {
    shared: Arc<Shared>,
    run: Arc<Run>,
    context: Arc<TaskContext>,
    remembered: HashMap<Vec<ScalarValue>, Arc<Found>>,
    /// How many keys the inner plan has run for.
    met: usize,
    /// The inner plan over the rows of its constant parts, once those have run.
    filled: Option<LogicalPlan>,
    /// The memory of those rows.
    held: Option<MemoryReservation>,
}

/// What the inner plan gave for a row.
struct Found {
    rows: RecordBatch,
    /// The distinct values of the first column, once they were asked for.
    values: OnceLock<HashSet<ScalarValue>>,
}

impl Evaluation {
    async fn batch(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>> {
        let mut made = Vec::new();
        match self.shared.kind {
            Kind::Cross | Kind::Outer => {
                let (mut rows, mut inner, mut count) = (Vec::new(), Vec::new(), 0);
                for row in 0..batch.num_rows() {
                    let found = self.found(batch, row).await?;
                    let found = match (found.rows.num_rows(), self.shared.kind) {
                        (0, Kind::Outer) => null_row(&self.shared.inner_schema)?,
                        _ => found.rows.clone(),
                    };
                    count += found.num_rows();
                    rows.extend(std::iter::repeat_n(row as u32, found.num_rows()));
                    inner.push(found);
                    if count >= BATCH_ROWS {
                        made.push(self.joined(batch, std::mem::take(&mut rows), &std::mem::take(&mut inner))?);
                        count = 0;
                    }
                }
                made.push(self.joined(batch, rows, &inner)?);
            }
            kind => {
                let mut values = Vec::with_capacity(batch.num_rows());
                for row in 0..batch.num_rows() {
                    let found = self.found(batch, row).await?;
                    values.push(match kind {
                        Kind::Value => value_of(&found.rows, &self.shared)?,
                        Kind::Exists => ScalarValue::Boolean(Some(found.rows.num_rows() > 0)),
                        _ => is_in(batch, row, &found)?,
                    });
                }
                made.push(self.with_column(batch, values)?);
            }
        }
        Ok(made)
    }

    /// The rows of the inner plan for one row of the input.
    async fn found(&mut self, batch: &RecordBatch, row: usize) -> Result<Arc<Found>> {
        let key = self.shared.keys.iter().map(|column| ScalarValue::try_from_array(batch.column(*column), row));
        let key = key.collect::<Result<Vec<_>>>()?;
        if let Some(known) = self.remembered.get(&key) {
            return Ok(Arc::clone(known));
        }
        self.run.check().map_err(to_datafusion)?;
        let named = key.iter().enumerate().map(|(place, value)| (placeholder(place), value.clone()));
        let values = ParamValues::from(named.collect::<HashMap<_, _>>());
        self.met += 1;
        if self.met == 2 {
            self.fill().await?;
        }
        let inner = self.filled.as_ref().unwrap_or(&self.shared.inner);
        let bound = inner.clone().replace_params_with_values(&values)?;
        let bound = crate::bind::fold(bound, &self.shared.state)?;
        let plan = self.operators(&bound)?;
        let schema = plan.schema();
        let batches = collect(plan, Arc::clone(&self.context)).await?;
        let rows = concat_batches(&schema, &batches)?;
        let found = Arc::new(Found { rows, values: OnceLock::new() });
        if self.remembered.len() >= REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert(key, Arc::clone(&found));
        Ok(found)
    }

    /// Runs the constant parts of the inner plan, and keeps their rows unless there is no memory for them.
    async fn fill(&mut self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let Some(divided) = &shared.divided else { return Ok(()) };
        let held = reservation(&self.context);
        let mut rows = Vec::with_capacity(divided.parts().len());
        for part in divided.parts() {
            let plan = self.operators(part)?;
            let schema = Arc::clone(part.schema().inner());
            let mut kept = Vec::new();
            for batch in collect(plan, Arc::clone(&self.context)).await? {
                if held.try_grow(batch.get_array_memory_size()).is_err() {
                    return Ok(());
                }
                let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
                // Operators may give texts in other layouts than they say.
                match RecordBatch::try_new_with_options(Arc::clone(&schema), batch.columns().to_vec(), &options) {
                    Ok(batch) => kept.push(batch),
                    Err(_) => return Ok(()),
                }
            }
            rows.push(Arc::new(kept));
        }
        (self.filled, self.held) = (Some(divided.filled(&rows)?), Some(held));
        Ok(())
    }

    /// The operators for an inner plan: by the short list of rules where one can, which brings no branches of a UNION
    /// together for what must see all of their rows.
    fn operators(&self, inner: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>> {
        if let Some(plain) = &self.shared.plain {
            let plan = plain.create_physical_plan(inner)?;
            if !has_branches(&plan) {
                return Ok(plan);
            }
        }
        self.shared.state.create_physical_plan(inner)
    }

    /// Rows of the input beside the inner rows.
    fn joined(&self, batch: &RecordBatch, rows: Vec<u32>, inner: &[RecordBatch]) -> Result<RecordBatch> {
        let count = rows.len();
        let rows = UInt32Array::from(rows);
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.shared.schema.fields().len());
        for column in batch.columns() {
            columns.push(take(column.as_ref(), &rows, None)?);
        }
        for place in 0..self.shared.inner_schema.fields().len() {
            let parts: Vec<&dyn Array> = inner.iter().map(|batch| batch.column(place).as_ref()).collect();
            columns.push(match parts.is_empty() {
                true => new_null_array(self.shared.inner_schema.field(place).data_type(), 0),
                false => arrow_select::concat::concat(&parts)?,
            });
        }
        self.made(columns, count)
    }

    fn with_column(&self, batch: &RecordBatch, values: Vec<ScalarValue>) -> Result<RecordBatch> {
        let mut columns = batch.columns().to_vec();
        let last = self.shared.schema.fields().last().map(|field| field.data_type().clone());
        columns.push(match (values.is_empty(), last) {
            (true, Some(data_type)) => new_null_array(&data_type, 0),
            _ => ScalarValue::iter_to_array(values)?,
        });
        self.made(columns, batch.num_rows())
    }

    fn made(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
        let columns = columns.into_iter().zip(self.shared.schema.fields()).map(|(column, field)| {
            match column.data_type() == field.data_type() {
                true => Ok(column),
                false => datafusion::arrow::compute::cast(&column, field.data_type()),
            }
        });
        let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.shared.schema), columns, &options)?)
    }
}

fn null_row(schema: &SchemaRef) -> Result<RecordBatch> {
    let fields: Vec<_> = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
    let columns = fields.iter().map(|field| new_null_array(field.data_type(), 1)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    Ok(RecordBatch::try_new_with_options(Arc::new(arrow_schema::Schema::new(fields)), columns, &options)?)
}

/// Whether operators of a plan give their rows in several partitions.
fn has_branches(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.output_partitioning().partition_count() > 1 || plan.children().into_iter().any(has_branches)
}

/// The value of a subquery that stands for one.
fn value_of(found: &RecordBatch, shared: &Shared) -> Result<ScalarValue> {
    let Some(field) = shared.schema.fields().last() else { return internal_err!("a subquery without a column") };
    match (found.num_rows(), found.columns().first()) {
        (1, Some(column)) => {
            let value = ScalarValue::try_from_array(column, 0)?;
            if value.data_type() == *field.data_type() { Ok(value) } else { value.cast_to(field.data_type()) }
        }
        (0, _) => ScalarValue::try_from(field.data_type()),
        _ => {
            let message = "a subquery that stands for a value gave more than one row";
            Err(to_datafusion(Error::new(Code::InvalidValue, message).because(Cause::SeveralRows)))
        }
    }
}

/// Whether the last value of a row is among those of the inner rows: unknown if it is NULL, or if it is not there and a
/// NULL is.
fn is_in(batch: &RecordBatch, row: usize, found: &Found) -> Result<ScalarValue> {
    let (Some(compared), Some(values)) = (batch.columns().last(), found.rows.columns().first()) else {
        return internal_err!("IN without a column");
    };
    if values.is_empty() {
        return Ok(ScalarValue::Boolean(Some(false)));
    }
    let compared = ScalarValue::try_from_array(compared, row)?;
    if compared.is_null() {
        return Ok(ScalarValue::Boolean(None));
    }
    let known = match found.values.get() {
        Some(known) => known,
        None => {
            let all = (0..values.len()).map(|place| {
                let value = ScalarValue::try_from_array(values, place)?;
                if value.data_type() == compared.data_type() { Ok(value) } else { value.cast_to(&compared.data_type()) }
            });
            let all = all.collect::<Result<HashSet<_>>>()?;
            found.values.get_or_init(|| all)
        }
    };
    Ok(ScalarValue::Boolean(match known.contains(&compared) {
        true => Some(true),
        false if values.null_count() > 0 => None,
        false => Some(false),
    }))
}
