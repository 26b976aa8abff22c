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
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use mainstay_table::vector::{filter, gather, materialize, select};
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
    pub(crate) scan: Arc<Scan>,
    properties: Arc<PlanProperties>,
}

/// What a scan gives; shared by the plan and its runs.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) source: Source,
    /// Columns of the table, in the order of the output.
    pub(crate) columns: Vec<usize>,
    pub(crate) limit: Option<usize>,
    schema: SchemaRef,
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
        let properties = leaf_properties(Arc::clone(&output), if access.is_some() { 1 } else { partitions });
        let source = Source { table, predicate, access, visibility };
        TableScan { scan: Arc::new(Scan { source, columns, limit: None, schema: output }), properties }
    }

    pub(crate) fn with_limit(mut self, limit: Option<usize>) -> TableScan {
        Arc::make_mut(&mut self.scan).limit = limit;
        self
    }

    /// The same scan giving other columns (of the table), under the fields of this schema.
    pub(crate) fn with_output(mut self, columns: Vec<usize>, schema: SchemaRef) -> TableScan {
        let partitions = self.properties.partitioning.partition_count();
        self.properties = leaf_properties(Arc::clone(&schema), partitions);
        let scan = Arc::make_mut(&mut self.scan);
        (scan.columns, scan.schema) = (columns, schema);
        self
    }
}

/// The properties of a leaf with bounded output and no promised order.
pub(crate) fn leaf_properties(schema: SchemaRef, partitions: usize) -> Arc<PlanProperties> {
    let properties = PlanProperties::new(
        EquivalenceProperties::new(schema),
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    );
    // Between two batches a leaf looks for the wish to stop; nothing has to be put above it for that.
    Arc::new(properties.with_scheduling_type(SchedulingType::Cooperative))
}

impl DisplayAs for TableScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TableScan: ")?;
        self.scan.source.describe(f)?;
        let schema = self.schema();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        write!(f, ", columns=[{}]", names.join(", "))?;
        if let Some(limit) = self.scan.limit {
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
        self.scan.limit
    }

    fn partition_statistics(&self, _: Option<usize>) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        // An index usually leaves few rows, a condition some: all the join planner needs to know.
        let rows = self.scan.source.table.estimated_rows();
        let rows = match (&self.scan.source.access, &self.scan.source.predicate) {
            (Some(_), _) => rows / 20,
            (None, Some(_)) => rows / 4,
            (None, None) => rows,
        };
        statistics.num_rows = Precision::Inexact(self.scan.limit.map_or(rows, |limit| limit.min(rows)));
        Ok(Arc::new(statistics))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let cursor = Cursor {
            scan: Arc::clone(&self.scan),
            run: Run::of(&context)?,
            state: State::NotStarted,
            next_group: partition,
            step: self.properties.partitioning.partition_count(),
            batch_rows: context.session_config().batch_size(),
            cut: None,
            remaining: self.scan.limit.unwrap_or(usize::MAX),
        };
        let batches = cursor.map(|batch| batch.map_err(to_datafusion));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), futures::stream::iter(batches))))
    }
}

/// One partition of a running scan.
struct Cursor {
    scan: Arc<Scan>,
    run: Arc<Run>,
    state: State,
    next_group: usize,
    step: usize,
    remaining: usize,
    /// The operators above are made for batches of about this many rows: a join of two batches that are
    /// whole groups would be busy for minutes before it could notice that it shall stop.
    batch_rows: usize,
    /// A batch that is larger, and how many of its rows have been given.
    cut: Option<(RecordBatch, usize)>,
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
        if let Some((batch, given)) = &mut self.cut {
            let rows = self.batch_rows.min(batch.num_rows() - *given);
            let piece = batch.slice(*given, rows);
            *given += rows;
            if *given == batch.num_rows() {
                self.cut = None;
            }
            return Some(Ok(piece));
        }
        let result = self.advance().transpose();
        if let Some(Ok(batch)) = &result
            && batch.num_rows() > self.batch_rows
        {
            self.cut = Some((batch.clone(), 0));
            return self.next();
        }
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
    scan: &Scan,
    snapshot: &dyn Snapshot,
    group: usize,
    candidates: Option<&BooleanBuffer>,
    limit: usize,
) -> mainstay_base::Result<RecordBatch> {
    let len = snapshot.group(group).len();
    if limit < len / 8 {
        let rows = first_selected(scan, snapshot, group, candidates, limit)?;
        return gathered(scan, snapshot, group, &rows);
    }
    let selection = scan.source.select(snapshot, group, candidates)?;
    let selected = selection.as_ref().map_or(len, BooleanBuffer::count_set_bits);
    if selected == 0 {
        return Ok(RecordBatch::new_empty(Arc::clone(&scan.schema)));
    }
    // Rows behind the last one wanted are cut off.
    let end = match &selection {
        Some(bits) if selected > limit => bits.set_indices().nth(limit).unwrap_or(len),
        Some(_) => len,
        None => len.min(limit),
    };
    let selection = selection.filter(|_| selected < len).map(|bits| bits.slice(0, end));
    let kept = selected.min(limit);
    let mut arrays = Vec::with_capacity(scan.columns.len());
    for (vector, field) in snapshot.vectors(group, &scan.columns)?.iter().zip(scan.schema.fields()) {
        let vector = if end < len { vector.slice(0, end) } else { Arc::clone(vector) };
        arrays.push(match &selection {
            Some(bits) => filter(&vector, bits, field.data_type())?,
            None => materialize(&vector, field.data_type())?,
        });
    }
    batch(Arc::clone(&scan.schema), arrays, kept)
}

/// The places in the group of the first rows that the scan gives: looked for in growing runs, so that a
/// small limit ends the search early.
fn first_selected(
    scan: &Scan,
    snapshot: &dyn Snapshot,
    group: usize,
    candidates: Option<&BooleanBuffer>,
    limit: usize,
) -> mainstay_base::Result<Vec<u32>> {
    let (base, len) = (snapshot.group(group).start, snapshot.group(group).len());
    let visible = match scan.source.visibility {
        Visibility::Live => snapshot.visible(group)?,
        Visibility::All => None,
    };
    let columns = scan.source.predicate.as_ref().map(Predicate::columns).unwrap_or_default();
    let vectors = snapshot.vectors(group, &columns)?;
    let (mut rows, mut start, mut run) = (Vec::with_capacity(limit), 0, FETCH_ROWS);
    while start < len && rows.len() < limit {
        let size = run.min(len - start);
        let mut bits = match &scan.source.predicate {
            Some(predicate) => {
                let vectors: Vec<ArrayRef> = vectors.iter().map(|vector| vector.slice(start, size)).collect();
                select(predicate, &Lookup { columns: &columns, vectors: &vectors }, size)?
            }
            None => BooleanBuffer::new_set(size),
        };
        for (known, offset) in [(visible.as_ref(), start), (candidates, base + start)] {
            if let Some(known) = known {
                bits = &bits & &known.slice(offset, size);
            }
        }
        rows.extend(bits.set_indices().take(limit - rows.len()).map(|row| (start + row) as u32));
        start += size;
        run *= 2;
    }
    Ok(rows)
}

/// Rows of a group by their places in it.
fn gathered(scan: &Scan, snapshot: &dyn Snapshot, group: usize, rows: &[u32]) -> mainstay_base::Result<RecordBatch> {
    let mut arrays = Vec::with_capacity(scan.columns.len());
    if snapshot.is_decoded(group, &scan.columns) {
        for (vector, field) in snapshot.vectors(group, &scan.columns)?.iter().zip(scan.schema.fields()) {
            arrays.push(gather(vector, rows, field.data_type())?);
        }
    } else {
        // A few rows are no reason to decode columns that nobody has asked for before.
        let base = snapshot.group(group).start as u32;
        let slots: Vec<u32> = rows.iter().map(|row| base + row).collect();
        let (vectors, _) = snapshot.fetch(&slots, &scan.columns, false)?;
        for (vector, field) in vectors.iter().zip(scan.schema.fields()) {
            arrays.push(materialize(vector, field.data_type())?);
        }
    }
    batch(Arc::clone(&scan.schema), arrays, rows.len())
}

/// The records at these row slots that the scan gives, at most `limit`.
fn rows_batch(scan: &Scan, snapshot: &dyn Snapshot, rows: &[u32], limit: usize) -> mainstay_base::Result<RecordBatch> {
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
    let selected = selection.as_ref().map_or(kept.len(), BooleanBuffer::count_set_bits);
    let places = (selected > limit || selected < kept.len()).then(|| -> Vec<u32> {
        match &selection {
            Some(bits) => bits.set_indices().take(limit).map(|row| row as u32).collect(),
            None => (0..kept.len().min(limit) as u32).collect(),
        }
    });
    let mut arrays = Vec::with_capacity(scan.columns.len());
    for (vector, field) in vectors.iter().zip(scan.schema.fields()) {
        arrays.push(match &places {
            Some(places) => gather(vector, places, field.data_type())?,
            None => materialize(vector, field.data_type())?,
        });
    }
    batch(Arc::clone(&scan.schema), arrays, selected.min(limit))
}

/// A batch that may have no columns but still has rows.
pub(crate) fn batch(schema: SchemaRef, arrays: Vec<ArrayRef>, rows: usize) -> mainstay_base::Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options)
        .map_err(|error| mainstay_base::Error::new(mainstay_base::Code::Internal, format!("a scan's batch: {error}")))
}
