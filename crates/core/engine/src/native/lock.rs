//! SELECT ... FOR UPDATE: rows of a query, locked as they are read.
//!
//! The query runs without its limit and with the position of each row as an additional column; its rows are locked in
//! their order until as many as the limit asks for are locked. So a limit together with SKIP LOCKED gives the first
//! unlocked rows. If another transaction has changed a row in between, a read committed statement starts again and
//! reads the new version; at the other levels it fails with a conflict.

use super::change::Changer;
use super::pending::{view_to_lock, wait_to_lock};
use super::transaction::Changed;
use arrow_array::{RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::SchemaRef;
use mainstay_columnar::values::value_at;
use mainstay_planner::{Answer, IfHeld, LockingQuery};
use mainstay_store::{LockMode, Transaction, Written};
use mainstay_types::{Code, Error, Result, Value};
use std::sync::Arc;

impl Changer<'_> {
    /// Locks the rows of a query and gives them.
    ///
    /// Errors: `LockTimeout` for NOWAIT, and those of waiting.
    pub(crate) fn lock_rows(&self, transaction: &mut Transaction, locking: &LockingQuery) -> Result<Changed<Answer>> {
        let form = self.target(transaction, &locking.table)?;
        let (shown, rows) = self.planner.plan_locking(self.text, locking, self.catalog)?;
        let view = transaction.begin_statement()?;
        let mode = if locking.is_shared { LockMode::Share } else { LockMode::Exclusive };
        let most = locking.limit.map_or(u64::MAX, |limit| limit.saturating_add(locking.offset));
        if let Some(wide) = view_to_lock(transaction, &form, locking, view) {
            let finding = (&rows, shown.schema().fields().len());
            let found = self.first_pending(transaction, &form, finding, (view, wide), most)?;
            if wait_to_lock(transaction, &form, locking, found, view)? {
                return Ok(Changed::Overtaken);
            }
        }
        let (mut held, mut batches) = (0, Vec::new());
        let mut answer = self.answer(transaction, &rows, view)?;
        while held < most
            && let Some(batch) = answer.next_batch()?
        {
            let mut kept = Vec::new();
            let positions = batch.column(batch.num_columns() - 1);
            for row in 0..batch.num_rows() {
                if held == most {
                    break;
                }
                let Value::Integer(position) = value_at(positions, row)? else { continue };
                let waits = locking.if_held == IfHeld::Wait;
                match form.table.lock_if_free(transaction, position as u64, mode, waits)? {
                    Some(Written::Done(_)) => {
                        held += 1;
                        if held > locking.offset {
                            kept.push(row as u32);
                        }
                    }
                    Some(Written::Moved(_) | Written::Deleted) => return Ok(Changed::Overtaken),
                    Some(Written::Gone) => {}
                    None if locking.if_held == IfHeld::Skip => {}
                    None => return Err(held_by_another(&form.definition.name)),
                }
            }
            batches.push(shown_rows(shown.schema(), &batch, kept)?);
        }
        Ok(Changed::Done(Answer::of(Arc::clone(shown.schema()), batches)))
    }
}

/// These rows of a batch, without the last column.
fn shown_rows(schema: &SchemaRef, batch: &RecordBatch, rows: Vec<u32>) -> Result<RecordBatch> {
    let count = rows.len();
    let rows = UInt32Array::from(rows);
    let failed = |error| Error::new(Code::Internal, format!("rows that cannot be taken: {error}"));
    let columns = batch.columns()[..batch.num_columns() - 1].iter();
    let columns = columns.map(|column| arrow_select::take::take(column, &rows, None)).collect::<Result<_, _>>();
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns.map_err(failed)?, &options).map_err(failed)
}

#[cold]
pub(crate) fn held_by_another(table: &str) -> Error {
    Error::new(Code::LockTimeout, format!("another transaction holds a row of {table}, and NOWAIT was said"))
}
