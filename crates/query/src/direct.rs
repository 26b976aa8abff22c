//! Reads of a few rows through an index, without a stream.
//!
//! Programs and terminals live on statements that find a handful of rows by their key. For them the general executor's
//! setting up (a task context, a stream, its polling) costs more than the work. So a plan that is one scan with an access
//! path is also kept as that scan, and when its index gives few rows, they are read at once and the answer is made.
//! What the index gives decides: many rows go the general way, from the same plan.

use crate::batches::rows_batch;
use crate::run::{Answer, RunOptions};
use crate::scan::{FETCH_ROWS, Scan, TableScan};
use arrow_schema::SchemaRef;
use datafusion::physical_plan::ExecutionPlan;
use mainstay_base::Result;
use mainstay_table::RowSet;
use std::sync::Arc;

/// The scan that a plan is, if it is nothing else and has an index to go by.
pub(crate) fn scan_of(plan: &Arc<dyn ExecutionPlan>) -> Option<Arc<Scan>> {
    let scan = &plan.downcast_ref::<TableScan>()?.scan;
    scan.source.access.is_some().then(|| Arc::clone(scan))
}

/// The answer, if the index gives few rows.
pub(crate) fn run(scan: &Scan, schema: &SchemaRef, options: &RunOptions) -> Result<Option<Answer>> {
    let Some(access) = &scan.source.access else { return Ok(None) };
    let snapshot = options.view.snapshot(&scan.source.table)?;
    let Some(RowSet::List(rows)) = snapshot.rows(access)? else { return Ok(None) };
    if rows.len() > FETCH_ROWS {
        return Ok(None);
    }
    options.begin(snapshot.slots());
    let batch = rows_batch(scan, snapshot.as_ref(), &rows, scan.limit.unwrap_or(usize::MAX))?;
    options.progress.advance(rows.len());
    Ok(Some(Answer::direct(Arc::clone(schema), batch, snapshot)))
}
