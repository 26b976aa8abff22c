//! ORDER BY the keys of an index, or the row ids: the rows are read in that order.

use crate::leaves::batches::{self, group_batch};
use crate::leaves::fused::{Batches, Input};
use crate::leaves::scan::{FETCH_ROWS, Scan};
use crate::leaves::top_rows::TopKernel;
use arrow_buffer::BooleanBuffer;
use mainstay_columnar::vector::{SortKey, materialize};
use mainstay_columnar::{Ordering, Snapshot};
use mainstay_types::Result;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The largest LIMIT for which a heap of rows is the right tool.
pub(crate) const MAX_TOP: usize = 10_000;

/// A walk over an index that gives fewer than one row in so many is not worth it: they are sooner sorted.
const WALK_FROM: usize = 16;

/// Rows of a scan in an order that is there already.
#[derive(Clone, Debug)]
pub(crate) struct OrderKernel {
    pub(crate) by: By,
    /// Columns of the table, in the order of the output.
    pub(crate) columns: Vec<usize>,
    pub(crate) limit: Option<usize>,
}

/// The source of the order.
#[derive(Clone, Debug)]
pub(crate) enum By {
    Index(Ordering),
    /// The rows themselves, as long as no change has moved one.
    Rows,
}

impl OrderKernel {
    pub(crate) fn project(&self, outputs: &[usize]) -> OrderKernel {
        let columns = outputs.iter().map(|output| self.columns[*output]).collect();
        OrderKernel { columns, ..self.clone() }
    }

    pub(crate) fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.by {
            By::Index(ordering) => write!(f, "TableOrder: by={}", ordering.text)?,
            By::Rows => f.write_str("TableOrder: by=rows")?,
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        f.write_str(", ")
    }

    pub(crate) fn run(&self, input: &Input<'_>) -> Result<Option<Batches>> {
        match &self.by {
            By::Index(ordering) => self.walk(input, ordering),
            By::Rows if input.snapshot.is_in_row_order() => self.as_they_stand(input).map(Some),
            By::Rows => match (self.limit, input.source.table.row_id_column()) {
                (Some(limit), Some(column)) if limit <= MAX_TOP => {
                    let keys = vec![SortKey { column, descending: false, nulls_first: true }];
                    TopKernel { keys, columns: self.columns.clone(), limit }.run(input)
                }
                _ => Ok(None),
            },
        }
    }

    fn walk(&self, input: &Input<'_>, ordering: &Ordering) -> Result<Option<Batches>> {
        let snapshot = input.snapshot.as_ref();
        let selected = Selected::new(input)?;
        if selected.count(snapshot) < snapshot.slots() / WALK_FROM {
            return Ok(None);
        }
        let limit = self.limit.unwrap_or(usize::MAX);
        let mut rows = Vec::with_capacity(limit.min(snapshot.slots()));
        let mut visit = |row: u32| {
            if selected.contains(row as usize) {
                rows.push(row);
            }
            Ok(if rows.len() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        if limit > 0 && !snapshot.walk(ordering, &mut visit)? {
            return Ok(None);
        }
        Ok(Some(fetch_in_order(input, self.columns.clone(), rows)))
    }

    fn as_they_stand(&self, input: &Input<'_>) -> Result<Batches> {
        let (snapshot, run) = (Arc::clone(input.snapshot), Arc::clone(input.run));
        let (columns, limit, schema) = (self.columns.clone(), self.limit, Arc::clone(input.schema));
        let scan = Scan { source: input.source.clone(), columns, limit, schema, join_filters: Vec::new() };
        let candidates = input.candidates()?;
        let (mut next, mut left) = (0, limit.unwrap_or(usize::MAX));
        Ok(Box::new(std::iter::from_fn(move || {
            if next >= snapshot.groups() || left == 0 {
                return None;
            }
            let group = next;
            next += 1;
            let given = run
                .advance(snapshot.as_ref(), snapshot.group(group).len())
                .and_then(|()| group_batch(&scan, snapshot.as_ref(), group, candidates.as_ref(), left));
            match &given {
                Ok(batch) => left -= batch.num_rows(),
                Err(_) => next = usize::MAX,
            }
            Some(given)
        })))
    }
}

/// Which rows of a table a source gives.
struct Selected {
    starts: Vec<usize>,
    groups: Vec<Option<BooleanBuffer>>,
}

impl Selected {
    fn new(input: &Input<'_>) -> Result<Selected> {
        let snapshot = input.snapshot.as_ref();
        let candidates = input.candidates()?;
        let groups = 0..snapshot.groups();
        let starts = groups.clone().map(|group| snapshot.group(group).start).collect();
        let groups: Result<Vec<_>> =
            groups.map(|group| input.source.select(snapshot, group, candidates.as_ref())).collect();
        Ok(Selected { starts, groups: groups? })
    }

    /// How many there are; all slots of a group that has no choice to make.
    fn count(&self, snapshot: &dyn Snapshot) -> usize {
        let groups = self.groups.iter().enumerate();
        groups
            .map(|(group, bits)| bits.as_ref().map_or(snapshot.group(group).len(), BooleanBuffer::count_set_bits))
            .sum()
    }

    fn contains(&self, row: usize) -> bool {
        // The first group starts at row 0, so there is always one at or before the row.
        let group = self.starts.partition_point(|start| *start <= row).saturating_sub(1);
        self.groups[group].as_ref().is_none_or(|bits| bits.value(row - self.starts[group]))
    }
}

/// Fetches rows in the order given, some at a time.
pub(crate) fn fetch_in_order(input: &Input<'_>, columns: Vec<usize>, rows: Vec<u32>) -> Batches {
    let (snapshot, run, schema) = (Arc::clone(input.snapshot), Arc::clone(input.run), Arc::clone(input.schema));
    let mut next = 0;
    Box::new(std::iter::from_fn(move || {
        let chunk = &rows[next..rows.len().min(next + FETCH_ROWS)];
        if chunk.is_empty() {
            return None;
        }
        next += chunk.len();
        let fetched = run
            .advance_by_rows(snapshot.as_ref(), chunk.len())
            .and_then(|()| fetch(snapshot.as_ref(), chunk, &columns, &schema));
        if fetched.is_err() {
            next = rows.len();
        }
        Some(fetched)
    }))
}

fn fetch(
    snapshot: &dyn Snapshot,
    rows: &[u32],
    columns: &[usize],
    schema: &datafusion::arrow::datatypes::SchemaRef,
) -> Result<arrow_array::RecordBatch> {
    let (vectors, kept) = snapshot.fetch(rows, columns, false)?;
    let arrays: Result<Vec<_>> =
        vectors.iter().zip(schema.fields()).map(|(vector, field)| materialize(vector, field.data_type())).collect();
    batches::batch(Arc::clone(schema), arrays?, kept.len())
}
