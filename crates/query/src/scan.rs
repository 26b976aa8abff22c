//! The leaf that reads a table.
//!
//! ```text
//!   access path known?  --yes-->  rows from the index  --few--> fetch just these records
//!         | no                        | many: a bitmap             \
//!         v                           v                             condition applied again -> batch
//!   every group:  condition on the columns it needs  ->  bits  ->  the other columns filtered -> batch
//! ```
//!
//! An index gives a superset of the rows wanted, so the condition is always applied to what it gives.

use crate::run::Run;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_buffer::BooleanBuffer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use mainstay_table::vector::{filter, materialize, select};
use mainstay_table::{Access, Predicate, RowSet, Snapshot, Table};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::error::to_datafusion;
use crate::relation::Visibility;

/// Rows fetched one by one are fetched this many at a time.
pub(crate) const FETCH_ROWS: usize = 1_024;

/// Which rows of which table, and how they are found: what a scan and the nodes fused with one share.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) access: Option<Access>,
    pub(crate) visibility: Visibility,
}

impl Source {
    /// Describes table, index and condition, for EXPLAIN.
    pub(crate) fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "table={}", self.table.name())?;
        if let Some(access) = &self.access {
            write!(f, ", index={access}")?;
        }
        if let Some(predicate) = &self.predicate {
            let names: Vec<&String> = self.table.schema().fields().iter().map(|field| field.name()).collect();
            write!(f, ", where={}", predicate.display(&names))?;
        }
        if self.visibility == Visibility::All {
            f.write_str(", deleted rows included")?;
        }
        Ok(())
    }

    /// The rows of the group that are there and satisfy the condition (`None`: all of them). `candidates`
    /// are the only rows that can.
    pub(crate) fn select(
        &self,
        snapshot: &dyn Snapshot,
        group: usize,
        candidates: Option<&BooleanBuffer>,
    ) -> mainstay_base::Result<Option<BooleanBuffer>> {
        let rows = snapshot.group(group);
        let mut selection = match self.visibility {
            Visibility::Live => snapshot.visible(group)?,
            Visibility::All => None,
        };
        let mut narrow = |bits: BooleanBuffer| {
            selection = Some(match selection.take() {
                Some(known) => &known & &bits,
                None => bits,
            });
        };
        if let Some(candidates) = candidates {
            narrow(candidates.slice(rows.start, rows.len()));
        }
        if let Some(predicate) = &self.predicate {
            let columns = predicate.columns();
            let vectors = snapshot.vectors(group, &columns)?;
            narrow(select(predicate, &Lookup { columns: &columns, vectors: &vectors }, rows.len())?);
        }
        Ok(selection)
    }
}

/// Finds the vector of a column among some.
pub(crate) struct Lookup<'a> {
    pub(crate) columns: &'a [usize],
    pub(crate) vectors: &'a [ArrayRef],
}

impl mainstay_table::vector::Vectors for Lookup<'_> {
    fn vector(&self, column: usize) -> Option<&ArrayRef> {
        let at = self.columns.iter().position(|known| *known == column)?;
        self.vectors.get(at)
    }
}

/// Reads columns of a table.
#[derive(Clone, Debug)]
pub(crate) struct TableScan {
    pub(crate) source: Source,
    /// Columns of the table, in the order of the output.
    pub(crate) columns: Vec<usize>,
    pub(crate) limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl TableScan {
    pub(crate) fn new(
        table: Arc<dyn Table>,
        schema: &SchemaRef,
        columns: Vec<usize>,
        predicate: Option<Predicate>,
        visibility: Visibility,
        partitions: usize,
    ) -> TableScan {
        let visible_only = visibility == Visibility::Live;
        let access = predicate.as_ref().and_then(|predicate| table.access(predicate, visible_only));
        let output = Arc::new(schema.project(&columns).expect("the planner projects columns that are there"));
        let properties = leaf_properties(output, if access.is_some() { 1 } else { partitions });
        let source = Source { table, predicate, access, visibility };
        TableScan { source, columns, limit: None, properties }
    }

    pub(crate) fn with_limit(mut self, limit: Option<usize>) -> TableScan {
        self.limit = limit;
        self
    }

    /// The same scan giving other columns (of the table), under the fields of this schema.
    pub(crate) fn with_output(mut self, columns: Vec<usize>, schema: SchemaRef) -> TableScan {
        let partitions = self.properties.partitioning.partition_count();
        self.properties = leaf_properties(schema, partitions);
        self.columns = columns;
        self
    }
}

/// The properties of a leaf with bounded output and no promised order.
pub(crate) fn leaf_properties(schema: SchemaRef, partitions: usize) -> Arc<PlanProperties> {
    Arc::new(PlanProperties::new(
        EquivalenceProperties::new(schema),
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    ))
}

impl DisplayAs for TableScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TableScan: ")?;
        self.source.describe(f)?;
        let schema = self.schema();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, ", columns=[{}]", names.join(", "))?;
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        Ok(())
    }
}

impl ExecutionPlan for TableScan {
    fn name(&self) -> &'static str {
        "TableScan"
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

    fn supports_limit_pushdown(&self) -> bool {
        true
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(self.clone().with_limit(limit)))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }

    fn partition_statistics(&self, _: Option<usize>) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        // An index usually leaves few rows, a condition some: all the join planner needs to know.
        let rows = self.source.table.estimated_rows();
        let rows = match (&self.source.access, &self.source.predicate) {
            (Some(_), _) => rows / 20,
            (None, Some(_)) => rows / 4,
            (None, None) => rows,
        };
        statistics.num_rows = Precision::Inexact(self.limit.map_or(rows, |limit| limit.min(rows)));
        Ok(Arc::new(statistics))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let cursor = Cursor {
            scan: self.clone(),
            run: Run::of(&context)?,
            state: State::NotStarted,
            next_group: partition,
            step: self.properties.partitioning.partition_count(),
            remaining: self.limit.unwrap_or(usize::MAX),
        };
        let batches = cursor.map(|batch| batch.map_err(to_datafusion));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), futures::stream::iter(batches))))
    }
}

/// One partition of a running scan.
struct Cursor {
    scan: TableScan,
    run: Arc<Run>,
    state: State,
    next_group: usize,
    step: usize,
    remaining: usize,
}

enum State {
    NotStarted,
    /// Group by group, with the rows that an index left possible.
    Groups {
        snapshot: Arc<dyn Snapshot>,
        candidates: Option<BooleanBuffer>,
    },
    /// These rows, in this order.
    Rows {
        snapshot: Arc<dyn Snapshot>,
        rows: VecDeque<u32>,
    },
    Ended,
}

impl Iterator for Cursor {
    type Item = mainstay_base::Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = self.advance().transpose();
        if !matches!(result, Some(Ok(_))) {
            self.state = State::Ended;
        }
        result
    }
}

impl Cursor {
    fn advance(&mut self) -> mainstay_base::Result<Option<RecordBatch>> {
        while self.remaining > 0 {
            let batch = match &mut self.state {
                State::NotStarted => {
                    self.state = self.start()?;
                    continue;
                }
                State::Ended => return Ok(None),
                State::Groups { snapshot, candidates } => {
                    if self.next_group >= snapshot.groups() {
                        return Ok(None);
                    }
                    let group = self.next_group;
                    self.next_group += self.step;
                    self.run.advance(snapshot.group(group).len(), 0)?;
                    group_batch(&self.scan, snapshot.as_ref(), group, candidates.as_ref(), self.remaining)?
                }
                State::Rows { snapshot, rows } => {
                    if rows.is_empty() {
                        return Ok(None);
                    }
                    let chunk: Vec<u32> = rows.drain(..rows.len().min(FETCH_ROWS)).collect();
                    self.run.advance(chunk.len(), 0)?;
                    rows_batch(&self.scan, snapshot.as_ref(), &chunk, self.remaining)?
                }
            };
            if batch.num_rows() > 0 {
                self.remaining -= batch.num_rows();
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn start(&self) -> mainstay_base::Result<State> {
        let source = &self.scan.source;
        let snapshot = self.run.snapshot(&source.table)?;
        let found = match &source.access {
            Some(access) => snapshot.rows(access)?,
            None => None,
        };
        Ok(match found {
            Some(RowSet::List(rows)) => State::Rows { snapshot, rows: rows.into() },
            Some(RowSet::Bitmap(bits)) => State::Groups { snapshot, candidates: Some(bits) },
            // The first rows of a table need no column decoded.
            None if source.predicate.is_none() && self.remaining <= FETCH_ROWS && self.step == 1 => {
                let rows = first_rows(source, snapshot.as_ref(), self.remaining)?;
                State::Rows { snapshot, rows: rows.into() }
            }
            None => State::Groups { snapshot, candidates: None },
        })
    }
}

/// The first rows that are there.
fn first_rows(source: &Source, snapshot: &dyn Snapshot, limit: usize) -> mainstay_base::Result<Vec<u32>> {
    let mut rows = Vec::with_capacity(limit);
    for group in 0..snapshot.groups() {
        let base = snapshot.group(group).start as u32;
        match source.select(snapshot, group, None)? {
            Some(bits) => rows.extend(bits.set_indices().take(limit - rows.len()).map(|row| base + row as u32)),
            None => rows.extend((base..base + snapshot.group(group).len() as u32).take(limit - rows.len())),
        }
        if rows.len() >= limit {
            break;
        }
    }
    Ok(rows)
}

/// The rows of one group that the scan gives, at most `limit`.
fn group_batch(
    scan: &TableScan,
    snapshot: &dyn Snapshot,
    group: usize,
    candidates: Option<&BooleanBuffer>,
    limit: usize,
) -> mainstay_base::Result<RecordBatch> {
    let selection = scan.source.select(snapshot, group, candidates)?;
    let len = snapshot.group(group).len();
    let schema = scan.schema();
    let selected = selection.as_ref().map_or(len, BooleanBuffer::count_set_bits);
    if selected == 0 {
        return Ok(RecordBatch::new_empty(schema));
    }
    let selection = selection.filter(|_| selected < len).map(|bits| first_bits(bits, limit));
    let vectors = snapshot.vectors(group, &scan.columns)?;
    let kept = selection.as_ref().map_or(len.min(limit), BooleanBuffer::count_set_bits);
    let mut arrays = Vec::with_capacity(vectors.len());
    for (vector, field) in vectors.iter().zip(schema.fields()) {
        arrays.push(match &selection {
            Some(bits) => filter(vector, bits, field.data_type())?,
            None if kept < len => materialize(&vector.slice(0, kept), field.data_type())?,
            None => materialize(vector, field.data_type())?,
        });
    }
    batch(schema, arrays, kept)
}

/// The bits, without those after the first `limit` that are set.
fn first_bits(bits: BooleanBuffer, limit: usize) -> BooleanBuffer {
    match bits.set_indices().nth(limit) {
        None => bits,
        Some(end) => {
            let head = bits.slice(0, end);
            head.iter().chain(std::iter::repeat_n(false, bits.len() - end)).collect()
        }
    }
}

/// The records at these row slots that the scan gives, at most `limit`.
fn rows_batch(
    scan: &TableScan,
    snapshot: &dyn Snapshot,
    rows: &[u32],
    limit: usize,
) -> mainstay_base::Result<RecordBatch> {
    let mut columns = scan.columns.clone();
    for column in scan.source.predicate.iter().flat_map(Predicate::columns) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let (vectors, kept) = snapshot.fetch(rows, &columns, scan.source.visibility == Visibility::Live)?;
    let selection = match &scan.source.predicate {
        Some(predicate) => Some(select(predicate, &Lookup { columns: &columns, vectors: &vectors }, kept.len())?),
        None => None,
    };
    let schema = scan.schema();
    let selection = selection.filter(|bits| bits.count_set_bits() < kept.len()).map(|bits| first_bits(bits, limit));
    let count = selection.as_ref().map_or(kept.len().min(limit), BooleanBuffer::count_set_bits);
    let mut arrays = Vec::with_capacity(scan.columns.len());
    for (vector, field) in vectors.iter().zip(schema.fields()) {
        arrays.push(match &selection {
            Some(bits) => filter(vector, bits, field.data_type())?,
            None => materialize(&vector.slice(0, count), field.data_type())?,
        });
    }
    batch(schema, arrays, count)
}

/// A batch that may have no columns but still has rows.
pub(crate) fn batch(schema: SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> mainstay_base::Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options)
        .map_err(|error| mainstay_base::Error::new(mainstay_base::Code::Internal, format!("a scan's batch: {error}")))
}
