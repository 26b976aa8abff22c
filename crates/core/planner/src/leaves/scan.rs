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

use crate::execute::run::Run;
use crate::leaves::batches::{columns_of, filtered_batch, first_rows, group_batch, rows_batch, run_batch};
use crate::leaves::join_filters::{JoinFilter, NewFilters, RunningFilters};
use crate::leaves::read_ahead::Ahead;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::BooleanBuffer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::filter_pushdown::{ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use mainstay_columnar::vector::select;
use mainstay_columnar::{Access, Predicate, RowSet, Snapshot, Table};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::carried_error::to_datafusion;
use crate::catalog::Visibility;

/// Rows fetched one by one are fetched this many at a time.
pub(crate) const FETCH_ROWS: usize = 1_024;

/// In the time that a key of an index takes, a condition is looked at for this many values of a vector (measured: 15 to 25 ns
/// against 0.1 to 0.2 ns).
const SLOTS_FOR_A_KEY: usize = 128;

/// So many rows are always taken from an index.
const FEW_ROWS: usize = 64;

/// Behind this many rows a limit that has not been reached is not worth reading in runs any more.
const RUN_ROWS: usize = 8 * FETCH_ROWS;

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

    /// Returns true if a condition leaves a part of the rows.
    pub(crate) fn is_conditional(&self) -> bool {
        self.predicate.is_some() || self.access.is_some()
    }

    /// Returns true if deleted rows are left out.
    pub(crate) fn visible_only(&self) -> bool {
        self.visibility == Visibility::Live
    }

    /// The rows that an index leaves possible; `None` when there is no such index, or when the condition is sooner looked
    /// at in the vectors: when these are decoded and the index gives more than a few rows.
    pub(crate) fn found(&self, snapshot: &dyn Snapshot) -> mainstay_types::Result<Option<RowSet>> {
        let Some(access) = &self.access else { return Ok(None) };
        let few = (snapshot.slots() / SLOTS_FOR_A_KEY).max(FEW_ROWS);
        if let Some(rows) = snapshot.rows(access, few)? {
            return Ok(Some(rows));
        }
        let columns = self.predicate.as_ref().map(Predicate::columns).unwrap_or_default();
        match (0..snapshot.groups()).all(|group| snapshot.is_decoded(group, &columns)) {
            true => Ok(None),
            false => snapshot.rows(access, usize::MAX),
        }
    }

    /// The rows of the group that are there and satisfy the condition (`None`: all of them). `candidates`
    /// are the only rows that can.
    pub(crate) fn select(
        &self,
        snapshot: &dyn Snapshot,
        group: usize,
        candidates: Option<&BooleanBuffer>,
    ) -> mainstay_types::Result<Option<BooleanBuffer>> {
        let rows = snapshot.group(group);
        if let Some(predicate) = &self.predicate
            && snapshot.excludes(group, predicate)?
        {
            return Ok(Some(BooleanBuffer::new_unset(rows.len())));
        }
        let mut selection = if self.visible_only() { snapshot.visible(group)? } else { None };
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

    /// Has the next groups of a scan through the whole table read, from this one on, where they have not been: the columns of
    /// the condition, and these of groups with rows that satisfy it.
    pub(crate) fn read_ahead(&self, ahead: &mut Ahead, group: usize, snapshot: &dyn Snapshot, columns: &[usize]) {
        let mut all = columns.to_vec();
        all.extend(self.predicate.iter().flat_map(Predicate::columns));
        ahead.reach(group, (snapshot, &all), &|group| {
            let selection = self.select(snapshot, group, None)?;
            if selection.is_none_or(|bits| bits.count_set_bits() > 0) {
                snapshot.vectors(group, columns)?;
            }
            Ok(())
        });
    }
}

/// Finds the vector of a column among some.
pub(crate) struct Lookup<'a> {
    pub(crate) columns: &'a [usize],
    pub(crate) vectors: &'a [ArrayRef],
}

impl mainstay_columnar::vector::Vectors for Lookup<'_> {
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

/// The source and columns of a scan; shared by the plan and its runs.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) source: Source,
    /// Columns of the table, in the order of the output.
    pub(crate) columns: Vec<usize>,
    pub(crate) limit: Option<usize>,
    pub(crate) schema: SchemaRef,
    /// Filters of joins above, which have values while a plan runs.
    pub(crate) join_filters: Vec<JoinFilter>,
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
        let visibility = visibility.of(table.as_ref());
        let visible_only = visibility == Visibility::Live;
        let access = predicate.as_ref().and_then(|predicate| table.access(predicate, visible_only));
        let output = Arc::new(schema.project(&columns).expect("the planner projects columns that are there"));
        let properties = leaf_properties(Arc::clone(&output), if access.is_some() { 1 } else { partitions });
        let source = Source { table, predicate, access, visibility };
        let scan = Scan { source, columns, limit: None, schema: output, join_filters: Vec::new() };
        TableScan { scan: Arc::new(scan), properties }
    }

    pub(crate) fn with_limit(mut self, limit: Option<usize>) -> TableScan {
        Arc::make_mut(&mut self.scan).limit = limit;
        self
    }

    /// The same scan, for who wants only rows that this access gives.
    pub(crate) fn with_access(mut self, access: Access) -> TableScan {
        let scan = Arc::make_mut(&mut self.scan);
        scan.source.access = Some(access);
        self.properties = leaf_properties(Arc::clone(&scan.schema), 1);
        self
    }

    /// The same scan giving other columns (of the table), under the fields of this schema.
    pub(crate) fn with_output(mut self, columns: Vec<usize>, schema: SchemaRef) -> TableScan {
        let partitions = self.properties.partitioning.partition_count();
        self.properties = leaf_properties(Arc::clone(&schema), partitions);
        let scan = Arc::make_mut(&mut self.scan);
        (scan.columns, scan.schema) = (columns, schema);
        // They are about the columns of before; joins push them down later.
        scan.join_filters.clear();
        self
    }

    /// The scan with the filters of another run; `None` if it has none in any run.
    pub(crate) fn with_new_filters(&self, filters: &NewFilters) -> Result<Option<TableScan>> {
        if self.scan.join_filters.is_empty() {
            return Ok(None);
        }
        let new = self.scan.join_filters.iter().filter_map(|filter| filter.renewed(filters).transpose());
        let mut scan = self.clone();
        let new = new.collect::<Result<Vec<_>>>()?;
        Arc::make_mut(&mut scan.scan).join_filters = new;
        Ok(Some(scan))
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
        if !self.scan.join_filters.is_empty() {
            let filters: Vec<String> = self.scan.join_filters.iter().map(JoinFilter::to_string).collect();
            write!(f, ", filters of joins=[{}]", filters.join(", "))?;
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

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(self.clone().with_limit(limit)))
    }

    fn handle_child_pushdown_result(
        &self,
        _: FilterPushdownPhase,
        pushed: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let filters = pushed.parent_filters.iter();
        let filters = filters.filter_map(|pushed| JoinFilter::of(&pushed.filter, &self.scan.schema).transpose());
        let filters = filters.collect::<Result<Vec<_>>>()?;
        // A join finds the same partners without the filter.
        let result = FilterPushdownPropagation::all_unsupported(pushed);
        if filters.is_empty() {
            return Ok(result);
        }
        let mut scan = self.clone();
        Arc::make_mut(&mut scan.scan).join_filters.extend(filters);
        Ok(result.with_updated_node(Arc::new(scan)))
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
            filters: RunningFilters::of(&self.scan.join_filters).filter(|_| self.scan.limit.is_none()),
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
    filters: Option<RunningFilters>,
}

enum State {
    NotStarted,
    /// Group by group, with the rows that an index left possible.
    Groups {
        snapshot: Arc<dyn Snapshot>,
        candidates: Option<BooleanBuffer>,
        /// Of a scan that will come to all of them, by itself.
        ahead: Option<Ahead>,
    },
    /// Runs of growing length at the beginning of the table, whose columns nobody has asked for yet: a small
    /// limit may be reached before a whole group is worth decoding.
    Runs {
        snapshot: Arc<dyn Snapshot>,
        next: usize,
    },
    /// These rows, in this order.
    Rows {
        snapshot: Arc<dyn Snapshot>,
        rows: VecDeque<u32>,
    },
    Ended,
}

impl Iterator for Cursor {
    type Item = mainstay_types::Result<RecordBatch>;

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
    fn advance(&mut self) -> mainstay_types::Result<Option<RecordBatch>> {
        while self.remaining > 0 {
            let batch = match &mut self.state {
                State::NotStarted => {
                    self.state = self.start()?;
                    continue;
                }
                State::Ended => return Ok(None),
                State::Groups { snapshot, candidates, ahead } => {
                    if self.next_group >= snapshot.groups() {
                        return Ok(None);
                    }
                    let group = self.next_group;
                    self.next_group += self.step;
                    self.run.advance(snapshot.as_ref(), snapshot.group(group).len())?;
                    let (scan, snapshot) = (self.scan.as_ref(), snapshot.as_ref());
                    if let Some(ahead) = ahead {
                        let keys = self.filters.as_ref().map(|filters| filters.columns(&scan.columns));
                        scan.source.read_ahead(ahead, group, snapshot, keys.as_ref().unwrap_or(&scan.columns));
                    }
                    let filtered = match &mut self.filters {
                        Some(filters) => filtered_batch((scan, filters), snapshot, group, candidates.as_ref())?,
                        None => None,
                    };
                    match filtered {
                        Some(batch) => batch,
                        None => {
                            self.filters = None;
                            group_batch(scan, snapshot, group, candidates.as_ref(), self.remaining)?
                        }
                    }
                }
                State::Runs { snapshot, next } => {
                    let end = (*next * 2).max(FETCH_ROWS).min(snapshot.group(0).end);
                    if *next >= RUN_ROWS || *next == end {
                        let snapshot = Arc::clone(snapshot);
                        let seen = BooleanBuffer::collect_bool(snapshot.slots(), |slot| slot >= *next);
                        self.state = State::Groups { snapshot, candidates: Some(seen), ahead: None };
                        continue;
                    }
                    let slots = *next..end;
                    *next = end;
                    self.run.advance(snapshot.as_ref(), slots.len())?;
                    run_batch(&self.scan, snapshot.as_ref(), slots, None, self.remaining)?
                }
                State::Rows { snapshot, rows } => {
                    if rows.is_empty() {
                        return Ok(None);
                    }
                    let chunk: Vec<u32> = rows.drain(..rows.len().min(FETCH_ROWS)).collect();
                    self.run.advance_by_rows(snapshot.as_ref(), chunk.len())?;
                    rows_batch((&self.scan, &columns_of(&self.scan)), snapshot.as_ref(), &chunk, self.remaining)?
                }
            };
            if batch.num_rows() > 0 {
                self.remaining -= batch.num_rows();
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn start(&self) -> mainstay_types::Result<State> {
        let source = &self.scan.source;
        let snapshot = match self.next_group {
            0 => self.run.scanned(&source.table)?,
            // Another part of the same scan.
            _ => self.run.snapshot(&source.table)?,
        };
        Ok(match source.found(snapshot.as_ref())? {
            Some(RowSet::List(rows)) => State::Rows { snapshot, rows: rows.into() },
            Some(RowSet::Bitmap(bits)) => State::Groups { snapshot, candidates: Some(bits), ahead: None },
            // The first rows of a table need no column decoded.
            None if source.predicate.is_none() && self.remaining <= FETCH_ROWS && self.step == 1 => {
                let rows = first_rows(source, snapshot.as_ref(), self.remaining)?;
                State::Rows { snapshot, rows: rows.into() }
            }
            None if self.remaining <= FETCH_ROWS
                && self.step == 1
                && snapshot.groups() > 0
                && snapshot.prefers_run(0, &columns_of(&self.scan)) =>
            {
                State::Runs { snapshot, next: 0 }
            }
            None => {
                let reads_all = self.scan.limit.is_none() && self.step == 1;
                let ahead = reads_all.then(|| Ahead::of(&self.run, 0..snapshot.groups()));
                State::Groups { snapshot, candidates: None, ahead }
            }
        })
    }
}
