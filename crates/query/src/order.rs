//! ORDER BY a column that an index orders: the rows come in the order of the index.

use crate::batches;
use crate::fused::{Batches, Input};
use crate::scan::FETCH_ROWS;
use arrow_buffer::BooleanBuffer;
use mainstay_base::Result;
use mainstay_table::vector::materialize;
use mainstay_table::{Ordering, Snapshot};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Rows of a scan in the order of an index.
#[derive(Clone, Debug)]
pub(crate) struct OrderKernel {
    pub(crate) ordering: Ordering,
    /// Columns of the table, in the order of the output.
    pub(crate) columns: Vec<usize>,
    pub(crate) limit: Option<usize>,
}

impl OrderKernel {
    pub(crate) fn project(&self, outputs: &[usize]) -> OrderKernel {
        let columns = outputs.iter().map(|output| self.columns[*output]).collect();
        OrderKernel { columns, ..self.clone() }
    }

    pub(crate) fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableOrder: by={}", self.ordering.text)?;
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        f.write_str(", ")
    }

    pub(crate) fn run(&self, input: &Input<'_>) -> Result<Option<Batches>> {
        let snapshot = input.snapshot.as_ref();
        let selected = Selected::new(input)?;
        let limit = self.limit.unwrap_or(usize::MAX);
        let mut rows = Vec::with_capacity(limit.min(snapshot.slots()));
        let mut visit = |row: u32| {
            if selected.contains(row as usize) {
                rows.push(row);
            }
            Ok(if rows.len() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        if limit > 0 && !snapshot.walk(&self.ordering, &mut visit)? {
            return Ok(None);
        }
        Ok(Some(fetch_in_order(input, self.columns.clone(), rows)))
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
        let fetched = run.advance(chunk.len(), 0).and_then(|()| fetch(snapshot.as_ref(), chunk, &columns, &schema));
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
