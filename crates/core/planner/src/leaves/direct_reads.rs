//! Reads of a few rows, without a stream.
//!
//! Programs and terminals mostly send statements that find a handful of rows: by their key, or the first ones of a
//! kind. For these the set-up of the general executor (a task context, a stream, its polling) costs more than the work.
//! So a plan that is one scan with an access path or a small limit is also kept as that scan, and its rows are read at
//! once:
//!
//! ```text
//!   an index gives few rows                                          these records
//!   no index; the condition's columns of the first group are
//!   decoded, and as many rows as wanted are in it                     the first rows of it
//!   anything else                                                    the general way, from the same plan
//! ```
//!
//! The attempt reads at most one group, so cancellation need not be checked in between.

use crate::execute::run::{Answer, RunOptions};
use crate::leaves::batches::{columns_of, group_batch, rows_batch};
use crate::leaves::scan::{FETCH_ROWS, Scan, TableScan};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::physical_plan::ExecutionPlan;
use mainstay_columnar::{Predicate, RowSet, Snapshot};
use mainstay_types::Result;
use std::sync::Arc;

/// A plan that is one scan.
pub(crate) struct Direct {
    /// The scan, giving its columns as the user named them.
    scan: Scan,
    /// Its columns, and those that only its condition needs.
    columns: Vec<usize>,
}

impl Direct {
    /// The scan that a plan is, if it is nothing else and may give few rows. `schema` has its columns as the user named
    /// them.
    pub(crate) fn of(plan: &Arc<dyn ExecutionPlan>, schema: &SchemaRef) -> Option<Direct> {
        let scan = &plan.downcast_ref::<TableScan>()?.scan;
        let may_be_few = scan.source.access.is_some() || scan.limit.is_some_and(|limit| limit <= FETCH_ROWS);
        let scan = Scan { schema: Arc::clone(schema), ..scan.as_ref().clone() };
        may_be_few.then(|| Direct { columns: columns_of(&scan), scan })
    }

    /// The answer, if it is one of few rows that are at hand.
    pub(crate) fn run(&self, options: &RunOptions) -> Result<Option<Answer>> {
        let snapshot = options.view.snapshot(&self.scan.source.table)?;
        let found = match &self.scan.source.access {
            Some(_) => self.by_index(snapshot.as_ref())?,
            None => self.first_group(snapshot.as_ref())?,
        };
        let Some((batch, rows_read)) = found else { return Ok(None) };
        options.progress.begin(snapshot.slots());
        options.progress.advance(rows_read);
        let is_by_index = self.scan.source.access.is_some();
        let reads = if is_by_index { rows_read } else { 1 };
        options.progress.reads.add(self.scan.source.table.name(), 1, reads as u64);
        Ok(Some(Answer::direct(Arc::clone(&self.scan.schema), batch, snapshot)))
    }

    /// The rows that the index gives, and how many it gave, if these are few.
    fn by_index(&self, snapshot: &dyn Snapshot) -> Result<Option<(RecordBatch, usize)>> {
        let Some(access) = &self.scan.source.access else { return Ok(None) };
        let Some(RowSet::List(rows)) = snapshot.rows(access, FETCH_ROWS)? else { return Ok(None) };
        if rows.len() > FETCH_ROWS {
            return Ok(None);
        }
        let limit = self.scan.limit.unwrap_or(usize::MAX);
        let batch = rows_batch((&self.scan, &self.columns), snapshot, &rows, limit)?;
        Ok(Some((batch, rows.len())))
    }

    /// The first rows, if they are all in the first group, and that is decoded.
    fn first_group(&self, snapshot: &dyn Snapshot) -> Result<Option<(RecordBatch, usize)>> {
        let Some(limit) = self.scan.limit else { return Ok(None) };
        // The other columns are read of the rows that are found.
        let looked_at = self.scan.source.predicate.as_ref().map(Predicate::columns).unwrap_or_default();
        if snapshot.groups() == 0 || !snapshot.is_decoded(0, &looked_at) {
            return Ok(None);
        }
        let batch = group_batch(&self.scan, snapshot, 0, None, limit)?;
        let is_all = batch.num_rows() == limit || snapshot.groups() == 1;
        Ok(is_all.then(|| (batch, snapshot.group(0).len())))
    }
}
