//! Uncommitted rows of other transactions: a change waits for those that its condition would find, if the session's
//! language requires it (see `store::transaction::pending`).

use super::change::Changer;
use super::forms::Form;
use super::lock::held_by_another;
use super::transaction::StatementView;
use mainstay_columnar::values::value_at;
use mainstay_planner::{IfHeld, LockingQuery, Planned, RunOptions};
use mainstay_store::{Transaction, View};
use mainstay_types::{Result, Value, interrupt};
use std::sync::Arc;

/// The query that finds the rows of a change, and the column of it that has their positions.
pub(super) type Finding<'p> = (&'p Planned, usize);

impl Changer<'_> {
    /// Waits for the first row of another transaction that a change would find: whether it did, and the statement is to
    /// begin again.
    ///
    /// Errors: those of waiting.
    pub(super) fn waits_for_pending(
        &self,
        transaction: &mut Transaction,
        form: &Form,
        finding: Finding<'_>,
        view: View,
    ) -> Result<bool> {
        let Some(wide) = transaction.pending_view(&form.table, view) else { return Ok(false) };
        let first = self.first_pending(transaction, form, finding, (view, wide), u64::MAX)?;
        first.map_or(Ok(false), |position| transaction.wait_for_pending(&form.table, position, view))
    }

    /// The position of the first row of another transaction among so many that a query finds in a view with such rows.
    /// Other effects of the query are ignored: an error may come from a row that is never committed, and the statement
    /// itself raises it when it reaches such a row.
    pub(super) fn first_pending(
        &self,
        transaction: &Transaction,
        form: &Form,
        (planned, column): Finding<'_>,
        (view, wide): (View, View),
        most: u64,
    ) -> Result<Option<u64>> {
        let look = || -> Result<Option<u64>> {
            let options = RunOptions { view: Arc::new(StatementView::of(wide)), ..(self.options)() };
            let (mut answer, mut left) = (self.planner.run(planned, options)?, most);
            while let Some(batch) = answer.next_batch()? {
                for row in 0..batch.num_rows() {
                    if left == 0 {
                        return Ok(None);
                    }
                    left -= 1;
                    let Value::Integer(position) = value_at(batch.column(column), row)? else { continue };
                    if transaction.is_pending(&form.table, position as u64, view) {
                        return Ok(Some(position as u64));
                    }
                }
            }
            Ok(None)
        };
        look().or_else(|_| interrupt::check().map(|()| None))
    }
}

/// Waits for the first row of another transaction among these, which were found in a view with such rows: whether there
/// was one.
///
/// Errors: those of waiting.
pub(crate) fn wait_for_first(
    transaction: &mut Transaction,
    form: &Form,
    mut positions: impl Iterator<Item = u64>,
    view: View,
) -> Result<bool> {
    match positions.find(|position| transaction.is_pending(&form.table, *position, view)) {
        Some(position) => transaction.wait_for_pending(&form.table, position, view),
        None => Ok(false),
    }
}

/// Does about such a row what a query that locks is to do: whether it was waited for, and the query is to begin again.
///
/// Errors: `LockTimeout` for NOWAIT, and those of waiting.
pub(crate) fn wait_to_lock(
    transaction: &mut Transaction,
    form: &Form,
    locking: &LockingQuery,
    found: Option<u64>,
    view: View,
) -> Result<bool> {
    match found {
        Some(_) if locking.if_held == IfHeld::Fail => Err(held_by_another(&form.definition.name)),
        Some(position) => transaction.wait_for_pending(&form.table, position, view),
        None => Ok(false),
    }
}

/// The view in which a query that locks looks for such rows; `None` where it passes them by, or there are none.
pub(crate) fn view_to_lock(transaction: &Transaction, form: &Form, locking: &LockingQuery, view: View) -> Option<View> {
    transaction.pending_view(&form.table, view).filter(|_| locking.if_held != IfHeld::Skip)
}
