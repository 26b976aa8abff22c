//! Uncommitted rows of others that a statement has to wait for.
//!
//! A change finds its rows as its statement sees them, and waits for those that another transaction has changed. It
//! does not see a row that another transaction has just inserted. Under the levels that SQL Server implements with
//! locks it waits for such a row all the same: it changes the row if it is committed, and nothing if it is rolled back.
//!
//! ```text
//!   A  INSERT 7                                                    COMMIT
//!   B            UPDATE ... WHERE id = 7   looks with what is pending: finds A's mark, waits
//!                                                                         begins again, finds 7 and changes it
//! ```
//!
//! So before such a change searches its rows, it searches in a view that includes the marks of all others, and the
//! commits that are not published yet ([`View::with_pending`]), if its table has another writer. The rows found there
//! are only waited for, never compared or changed. New versions of rows that others have changed are found in the same
//! way, so that a row whose change makes it match is waited for like an inserted one.
//!
//! Repeatable read and serializable keep the view of their first statement. When that statement has waited it starts
//! over with another view; a later one cannot, and fails with `Conflict`.

use super::{Isolation, Transaction, obstacle, overtaken};
use crate::group::offset_of;
use crate::stamp::{ABORTED, MARK, View};
use crate::table::NativeTable;
use mainstay_types::Result;
use std::sync::Arc;

impl Transaction {
    /// Sets whether its changes wait for uncommitted inserts of others. A snapshot never does.
    pub fn set_waits_for_pending(&mut self, waits: bool) {
        self.waits_for_pending = waits && self.isolation != Isolation::Snapshot;
    }

    /// The rows of this view together with rows that are not committed, or not published yet; `None` where
    /// it need not look for them.
    pub fn pending_view(&self, table: &NativeTable, view: View) -> Option<View> {
        let is_written = || table.definition_lock().is_some_and(|lock| lock.other_writer(self.id).is_some());
        (self.waits_for_pending && is_written()).then(|| view.with_pending(self.shared.last_published()))
    }

    /// Returns true if a version that was found with [`Transaction::pending_view`] is one that this transaction's view
    /// does not show.
    pub fn is_pending(&self, table: &NativeTable, position: u64, view: View) -> bool {
        let Some((_, group)) = table.resolve(position) else { return false };
        let created = group.created(offset_of(position));
        created != ABORTED && !view.sees(created)
    }

    /// Waits for the transaction that has inserted such a version. True if there was one, so that the statement starts
    /// over.
    ///
    /// Errors: those of waiting, and `Conflict` when it stays and the transaction cannot look again.
    pub fn wait_for_pending(&mut self, table: &Arc<NativeTable>, position: u64, view: View) -> Result<bool> {
        if !self.is_pending(table, position, view) {
            return Ok(false);
        }
        // A waiting transaction has a number, by which a deadlock is found.
        self.enter(table)?;
        let Some((position, group)) = table.resolve(position) else { return Ok(true) };
        let offset = offset_of(position);
        let stamps = (self.mark_or_none(), self.shared.last_published());
        if let Some(obstacle) = obstacle(&group, offset, group.created(offset), stamps) {
            self.wait(&obstacle)?;
        }
        let stays = group.created(offset) < MARK && group.ended(offset) >= MARK;
        if stays && self.isolation != Isolation::ReadCommitted {
            return Err(overtaken());
        }
        Ok(true)
    }

    /// Lets the first statement of an overtaken transaction start over and see the current commits, if it waits
    /// as locks do. True if it may. Its changes must be undone first.
    pub fn look_again(&mut self) -> bool {
        let may = self.waits_for_pending && self.is_fresh && self.isolation != Isolation::ReadCommitted;
        if !may || self.view.is_none() {
            return false;
        }
        if self.isolation == Isolation::Serializable {
            self.shared.commits().history.leave();
            self.reads.clear();
        }
        if let Some(ticket) = &mut self.ticket {
            self.shared.views.look_away(ticket);
        }
        self.view = None;
        true
    }
}
