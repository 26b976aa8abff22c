//! Waits of a session's transactions for those of other sessions.

use super::SessionTransaction;
use mainstay_store::Transaction;
use std::time::Duration;

/// How a session's transactions wait.
#[derive(Default)]
pub(crate) struct Waiting {
    /// How long a statement waits for another transaction; `None` for ever.
    pub(crate) lock_timeout: Option<Duration>,
    /// Of those in a deadlock the one of the lowest gives way.
    pub(crate) deadlock_priority: i8,
    /// True if changes wait for rows that others have put in and not committed.
    pub(crate) for_pending: bool,
}

impl Waiting {
    pub(super) fn apply(&self, transaction: &mut Transaction) {
        transaction.set_lock_timeout(self.lock_timeout);
        transaction.set_deadlock_priority(self.deadlock_priority);
        transaction.set_waits_for_pending(self.for_pending);
    }
}

impl SessionTransaction {
    /// Says how transactions wait from now on, the open one too.
    pub(crate) fn set_waiting(&mut self, change: impl FnOnce(&mut Waiting)) {
        change(&mut self.waiting);
        if let Some(open) = &mut self.open {
            self.waiting.apply(&mut open.transaction);
        }
    }
}
