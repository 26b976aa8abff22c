//! Locks on the records that a statement changes: find, lock, and check again.
//!
//! ```text
//!   state of the file | query | lock what it found | the same state still?  --yes-->  change
//!                                                            | no
//!                                                    query | all of it locked?  --yes-->  change
//!                                                            | no: lock the others, and again
//! ```
//! Records are locked in the order of their numbers, so that Mainstay's statements cannot deadlock with each other. For
//! very many records the whole table is locked instead, if no other program has locked one of its records.

use arrow_array::RecordBatch;
use mainstay_columnar::Table;
use mainstay_columnar::values::value_at;
use mainstay_types::interrupt::{self, Pace};
use mainstay_types::{Code, Error, Result, Value};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::table::DbfTable;
use std::collections::BTreeSet;
use std::sync::Arc;

/// From so many records on the table is locked if it can be.
const MANY_RECORDS: usize = 256;

/// How often the records are looked for anew because others were changing them.
const ROUNDS: usize = 100;

/// The rows of a query, which gives the numbers of the records that it found beside them. All these records are locked when
/// this returns, and are as the query has seen them.
///
/// Errors: `LockTimeout` when a record is not unlocked in time, with the holder's name; those of the query, and of
/// cancellation.
pub(super) fn locked_rows<T>(
    table: &DbfTable,
    open: &mut IndexedTable,
    query: &mut dyn FnMut() -> Result<(BTreeSet<u64>, T)>,
) -> Result<T> {
    let mut own = BTreeSet::new();
    for _ in 0..ROUNDS {
        let state = table.snapshot()?;
        let (wanted, rows) = query()?;
        let missing: Vec<u64> = wanted.iter().copied().filter(|record| !open.is_locked(*record)).collect();
        if missing.is_empty() {
            for record in own.difference(&wanted) {
                open.unlock_record(*record)?;
            }
            return Ok(rows);
        }
        if missing.len() < MANY_RECORDS || !open.try_lock_table()? {
            for record in missing {
                interrupt::check()?;
                open.lock_record(record).map_err(|error| timed_out(error).about(record.to_string()))?;
                own.insert(record);
            }
        }
        if Arc::ptr_eq(&state, &table.snapshot()?) {
            return Ok(rows);
        }
    }
    let message = "other programs changed the records of this statement whenever they were looked for";
    Err(Error::new(Code::Conflict, message).at(table.path().display()).hint("run it again"))
}

/// The error of a lock that another program has: here it is that of any lock that is not given back in time.
pub(super) fn timed_out(error: Error) -> Error {
    if error.code() != Code::Busy {
        return error;
    }
    let timed_out = Error::new(Code::LockTimeout, error.message());
    let timed_out = error.place().map_or_else(|| timed_out.clone(), |place| timed_out.clone().at(place));
    timed_out.hint("try again later; SET lock_timeout says how long a lock is waited for")
}

/// The numbers in the first column.
pub(super) fn record_numbers(batches: &[RecordBatch]) -> Result<BTreeSet<u64>> {
    let (mut numbers, mut pace) = (BTreeSet::new(), Pace::default());
    for batch in batches {
        for row in 0..batch.num_rows() {
            pace.step()?;
            numbers.extend(record_number(batch, row)?);
        }
    }
    Ok(numbers)
}

/// The number in the first column; an outer join may give none.
fn record_number(batch: &RecordBatch, row: usize) -> Result<Option<u64>> {
    match value_at(batch.column(0), row)? {
        Value::Integer(number) => Ok(u64::try_from(number).ok()),
        _ => Ok(None),
    }
}
