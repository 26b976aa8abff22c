//! Explicit row locks: those of SELECT ... FOR UPDATE and FOR SHARE.
//!
//! Changing a row marks it, and needs no entry here. This table is for rows that are locked without being changed, and
//! a writer reads it only when it is not empty. Both happen under the write latch of the row's table, so that a lock
//! and a mark never miss each other.
//!
//! Locks are of rows (ids), not of versions, and end with their transaction.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The mode of a row lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// Others may lock it too, but not change it.
    Share,
    /// For this transaction only.
    Exclusive,
}

/// A row: its table's number and its id.
pub(crate) type RowName = (u32, u64);

type Holders = Vec<(u64, LockMode)>;

/// The rows that are locked, and by which transactions.
#[derive(Default)]
pub(crate) struct RowLocks {
    count: AtomicUsize,
    rows: Mutex<HashMap<RowName, Holders>>,
}

impl RowLocks {
    /// A transaction other than this one that keeps it from having the row in this mode.
    #[inline]
    pub(crate) fn obstacle(&self, row: RowName, transaction: u64, mode: LockMode) -> Option<u64> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let rows = self.lock();
        let excludes = |held: LockMode| mode == LockMode::Exclusive || held == LockMode::Exclusive;
        rows.get(&row)?.iter().find(|(id, held)| *id != transaction && excludes(*held)).map(|(id, _)| *id)
    }

    /// Locks a row for which there is no obstacle; whether it was not locked by this transaction before.
    pub(crate) fn take(&self, row: RowName, transaction: u64, mode: LockMode) -> bool {
        let mut rows = self.lock();
        let holders = rows.entry(row).or_default();
        if let Some((_, held)) = holders.iter_mut().find(|(id, _)| *id == transaction) {
            if mode == LockMode::Exclusive {
                *held = mode;
            }
            return false;
        }
        holders.push((transaction, mode));
        self.count.fetch_add(1, Ordering::AcqRel);
        true
    }

    /// The locked rows, each with its holder and mode; no more than so many.
    pub(crate) fn list(&self, most: usize) -> Vec<(RowName, u64, LockMode)> {
        let rows = self.lock();
        let of = |(row, holders): (&RowName, &Holders)| {
            let row = *row;
            holders.clone().into_iter().map(move |(transaction, mode)| (row, transaction, mode))
        };
        rows.iter().flat_map(of).take(most).collect()
    }

    /// Gives a row back.
    pub(crate) fn release(&self, row: RowName, transaction: u64) {
        let mut rows = self.lock();
        let Some(holders) = rows.get_mut(&row) else { return };
        let before = holders.len();
        holders.retain(|(id, _)| *id != transaction);
        self.count.fetch_sub(before - holders.len(), Ordering::AcqRel);
        if holders.is_empty() {
            rows.remove(&row);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RowName, Holders>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
