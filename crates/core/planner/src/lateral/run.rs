//! Execution of an inner plan for the distinct keys of the rows.
//!
//! With a plan for sets of keys, rows are collected, and the plan runs once for the keys of all of them. The first set
//! is one batch, and each later one twice as large as that before: a statement that wants few rows reads few, and a
//! table of any size is read a few times. Few keys of a large table are looked up one by one, which is cheap with an
//! index.

use super::answers::Answers;
use super::constant::{Divided, reservation};
use super::keys::KeyRows;
use super::plan::{Inner, SetPlan, placeholder};
use super::{Kind, Lateral};
use crate::carried_error::to_datafusion;
use crate::execute::run::Run;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, UInt32Array, new_null_array};
use arrow_schema::{DataType, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, ParamValues, Result, ScalarValue, internal_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, SessionState, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties, collect, execute_stream,
};
use futures::{StreamExt, TryStreamExt};
use mainstay_types::{Cause, Code, Error};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How many inner results a run remembers before it starts afresh.
const REMEMBERED: usize = 10_000;

/// A batch of the output holds about so many rows.
pub(super) const BATCH_ROWS: usize = 8_192;

/// The most rows of a set.
const SET_ROWS: usize = 32 * BATCH_ROWS;

/// The rows of a set where memory is short.
const SMALL_SET_ROWS: usize = 1_024;

/// So many keys may be looked up one by one in a table that has, for each of them, at least as many rows as
/// [`ROWS_OF_LOOKUP`]. Reading so many costs about as much as planning one lookup.
const FEW_KEYS: usize = 64;
const ROWS_OF_LOOKUP: usize = 4_096;

/// The operator of a [`Lateral`] node.
pub(super) struct LateralExec {
    input: Arc<dyn ExecutionPlan>,
    shared: Arc<Shared>,
    properties: Arc<PlanProperties>,
}

/// The state that all its partitions share.
pub(super) struct Shared {
    inner: Inner,
    /// The plan for one key, with leaves in the places of what does not look at the keys.
    divided: Option<Divided>,
    inner_schema: SchemaRef,
    /// The columns of the input that the inner plan reads, and their types in the plan.
    keys: Vec<usize>,
    key_types: Vec<DataType>,
    /// The column of the rows that want an answer.
    guard: Option<usize>,
    pub(super) kind: Kind,
    schema: SchemaRef,
    state: Arc<SessionState>,
}

impl LateralExec {
    pub(super) fn new(
        node: &Lateral,
        inner: Inner,
        input: Arc<dyn ExecutionPlan>,
        state: Arc<SessionState>,
    ) -> Result<LateralExec> {
        let columns = node.input.schema();
        let keys = node.keys.iter().map(|key| columns.index_of_column(key)).collect::<Result<Vec<_>>>()?;
        let key_types = keys.iter().map(|key| columns.field(*key).data_type().clone()).collect();
        let guard = node.guard.as_ref().map(|guard| columns.index_of_column(guard)).transpose()?;
        let schema: SchemaRef = Arc::new(node.schema.as_arrow().clone());
        let inner_schema = Arc::new(inner.rows.schema().as_arrow().clone());
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            input.output_partitioning().clone(),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let divided = Divided::of(&inner.rows)?;
        let shared = Shared { inner, divided, inner_schema, keys, key_types, guard, kind: node.kind, schema, state };
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
        let how = if self.shared.inner.set.is_some() { "all keys at once" } else { "key by key" };
        write!(f, "Lateral: {:?}, {how}", self.shared.kind)
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
        let reservation = MemoryConsumer::new("Lateral").register(context.memory_pool());
        let evaluation = Evaluation {
            shared: Arc::clone(&self.shared),
            run: Run::of(&context)?,
            context,
            remembered: HashMap::new(),
            met: 0,
            filled: None,
            held: None,
            reservation,
            set_rows: BATCH_ROWS,
        };
        let schema = Arc::clone(&self.shared.schema);
        let batches = futures::stream::try_unfold((input, evaluation), |(mut input, mut evaluation)| async move {
            match evaluation.next(&mut input).await? {
                None => Ok(None),
                Some(batch) => {
                    let made = evaluation.batch(&batch).await?;
                    Ok::<_, DataFusionError>(Some((made, (input, evaluation))))
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
    /// The memory of a set and its answers.
    reservation: MemoryReservation,
    /// How many rows the next set has.
    set_rows: usize,
}

/// The keys of the rows of a set.
struct Keys {
    /// The number of the key of each row; `None` for a row that wants no answer.
    of_rows: Vec<Option<usize>>,
    /// The first row of each key.
    firsts: Vec<u32>,
}

/// The result of the inner plan for a row.
struct Found {
    rows: RecordBatch,
    /// The distinct values of the first column, once they were asked for.
    values: OnceLock<HashSet<ScalarValue>>,
}

impl Evaluation {
    /// The next rows that are evaluated together.
    async fn next(&mut self, input: &mut SendableRecordBatchStream) -> Result<Option<RecordBatch>> {
        if self.shared.inner.set.is_none() {
            return input.next().await.transpose();
        }
        self.reservation.free();
        let (mut gathered, mut rows) = (Vec::new(), 0);
        while rows < self.set_rows {
            let Some(batch) = input.next().await.transpose()? else { break };
            let is_enough = self.reservation.try_grow(batch.get_array_memory_size()).is_err();
            rows += batch.num_rows();
            gathered.push(batch);
            if is_enough {
                break;
            }
        }
        self.set_rows = (2 * self.set_rows).min(SET_ROWS);
        match gathered.first() {
            Some(first) => Ok(Some(concat_batches(&first.schema(), &gathered)?)),
            None => Ok(None),
        }
    }

    async fn batch(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>> {
        match self.evaluated(batch).await {
            Err(error) if is_for_want_of_memory(&error) => {}
            done => return done,
        }
        // Fewer rows at a time hold less.
        let mut made = Vec::new();
        for start in (0..batch.num_rows()).step_by(SMALL_SET_ROWS) {
            self.reservation.free();
            let rows = batch.slice(start, SMALL_SET_ROWS.min(batch.num_rows() - start));
            made.extend(match self.evaluated(&rows).await {
                Err(error) if is_for_want_of_memory(&error) => self.one_by_one(&rows).await?,
                done => done?,
            });
        }
        Ok(made)
    }

    async fn evaluated(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>> {
        let shared = Arc::clone(&self.shared);
        if let Some(set) = &shared.inner.set {
            let keys = self.keys(batch)?;
            let count = keys.firsts.len();
            let are_few = count <= 1 || count <= FEW_KEYS && set.table_rows / count >= ROWS_OF_LOOKUP;
            if !are_few {
                return self.set(set, batch, &keys).await;
            }
        }
        self.one_by_one(batch).await
    }

    /// True if a row wants an answer.
    fn wants(&self, batch: &RecordBatch, row: usize) -> bool {
        let guard = self.shared.guard.and_then(|guard| batch.column(guard).as_boolean_opt());
        guard.is_none_or(|guard| guard.is_valid(row) && guard.value(row))
    }

    fn keys(&self, batch: &RecordBatch) -> Result<Keys> {
        let mut known: HashMap<Vec<ScalarValue>, usize> = HashMap::new();
        let mut keys = Keys { of_rows: Vec::with_capacity(batch.num_rows()), firsts: Vec::new() };
        for row in 0..batch.num_rows() {
            keys.of_rows.push(match self.wants(batch, row) {
                true => {
                    let next = keys.firsts.len();
                    let number = *known.entry(self.key(batch, row)?).or_insert(next);
                    if number == next {
                        keys.firsts.push(row as u32);
                    }
                    Some(number)
                }
                false => None,
            });
        }
        Ok(keys)
    }

    fn key(&self, batch: &RecordBatch, row: usize) -> Result<Vec<ScalarValue>> {
        self.shared.keys.iter().map(|column| ScalarValue::try_from_array(batch.column(*column), row)).collect()
    }

    /// The rows with what the plan for sets gives for their keys.
    async fn set(&mut self, set: &SetPlan, batch: &RecordBatch, keys: &Keys) -> Result<Vec<RecordBatch>> {
        self.run.check().map_err(to_datafusion)?;
        let firsts = UInt32Array::from(keys.firsts.clone());
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..keys.firsts.len() as i64));
        let mut columns = vec![numbers];
        for (column, data_type) in self.shared.keys.iter().zip(&self.shared.key_types) {
            let values = take(batch.column(*column).as_ref(), &firsts, None)?;
            columns.push(datafusion::arrow::compute::cast(&values, data_type)?);
        }
        let plan = KeyRows::bound(&set.plan, &Arc::new(columns))?;
        let Ok(plan) = self.shared.state.create_physical_plan(&plan) else { return self.one_by_one(batch).await };
        let schema = plan.schema();
        let mut rows = execute_stream(plan, Arc::clone(&self.context))?;
        let mut batches = Vec::new();
        while let Some(batch) = rows.next().await.transpose()? {
            self.reservation.try_grow(batch.get_array_memory_size())?;
            batches.push(batch);
        }
        let answers = Answers::of(&batches, &schema, keys.firsts.len())?;
        drop(batches);
        answers.beside(batch, &keys.of_rows, &self.shared)
    }

    async fn one_by_one(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>> {
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
                    if !self.wants(batch, row) {
                        let added = self.shared.schema.fields().last();
                        let nothing = added.map(|field| ScalarValue::try_from(field.data_type())).transpose()?;
                        values.push(nothing.unwrap_or(ScalarValue::Null));
                        continue;
                    }
                    let found = self.found(batch, row).await?;
                    values.push(match kind {
                        Kind::Value => value_of(&found.rows, &self.shared)?,
                        Kind::Exists => ScalarValue::Boolean(Some(found.rows.num_rows() > 0)),
                        _ => is_in(batch, row, &found)?,
                    });
                }
                let last = self.shared.schema.fields().last();
                let column = match (values.is_empty(), last) {
                    (true, Some(field)) => new_null_array(field.data_type(), 0),
                    _ => ScalarValue::iter_to_array(values)?,
                };
                made.push(self.shared.with_column(batch, column)?);
            }
        }
        Ok(made)
    }

    /// The rows of the inner plan for one row of the input.
    async fn found(&mut self, batch: &RecordBatch, row: usize) -> Result<Arc<Found>> {
        let key = self.key(batch, row)?;
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
        let inner = self.filled.as_ref().unwrap_or(&self.shared.inner.rows);
        let bound = inner.clone().replace_params_with_values(&values)?;
        let bound = crate::tree::fold::fold(bound, &self.shared.state)?;
        let plan = match self.filled {
            // The short list of rules has no operator for kept rows.
            Some(_) => self.shared.state.create_physical_plan(&bound)?,
            None => self.operators(&bound)?,
        };
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
        if let Some(plain) = &self.shared.inner.plain {
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
        self.shared.made(columns, count)
    }
}

impl Shared {
    /// The batch with one more column.
    pub(super) fn with_column(&self, batch: &RecordBatch, values: ArrayRef) -> Result<RecordBatch> {
        let mut columns = batch.columns().to_vec();
        columns.push(values);
        self.made(columns, batch.num_rows())
    }

    /// A batch of the output: its columns in the types of the plan.
    pub(super) fn made(&self, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
        let columns = columns.into_iter().zip(self.schema.fields()).map(|(column, field)| {
            match column.data_type() == field.data_type() {
                true => Ok(column),
                false => datafusion::arrow::compute::cast(&column, field.data_type()),
            }
        });
        let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

fn null_row(schema: &SchemaRef) -> Result<RecordBatch> {
    let fields: Vec<_> = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
    let columns = fields.iter().map(|field| new_null_array(field.data_type(), 1)).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    Ok(RecordBatch::try_new_with_options(Arc::new(arrow_schema::Schema::new(fields)), columns, &options)?)
}

fn is_for_want_of_memory(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}

/// Returns true if operators of a plan give their rows in several partitions.
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
        _ => Err(several_rows()),
    }
}

pub(super) fn several_rows() -> DataFusionError {
    let message = "a subquery that stands for a value gave more than one row";
    to_datafusion(Error::new(Code::InvalidValue, message).because(Cause::SeveralRows))
}

/// The truth of IN for the last value of a row and those of the inner rows: NULL if the value is NULL, or if it is
/// missing there and a NULL is not.
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
