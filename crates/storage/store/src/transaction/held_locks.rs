//! The locks of all transactions, for monitoring.

use super::{LockMode, Wait};
use crate::store::Store;

/// No more locks of rows are listed.
const MOST_ROWS: usize = 10_000;

/// The kind of lock that a transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It has written a table, so that no other changes its definition.
    Written,
    /// It changes what a table is.
    Defined,
    /// It has locked the row of this id.
    Row(u64, LockMode),
}

/// A lock of a transaction. Changed rows need none: they have its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldLock {
    /// The number of the transaction.
    pub transaction: u64,
    /// The number of the table.
    pub table: u64,
    /// The kind of lock.
    pub held: Held,
}

impl Store {
    /// The transactions that wait for others now.
    pub fn waits(&self) -> Vec<Wait> {
        self.shared.waits.list()
    }

    /// The locks of transactions on committed tables; of rows no more than ten thousand.
    pub fn held_locks(&self) -> Vec<HeldLock> {
        let mut all = Vec::new();
        let shared = &self.shared;
        let tables = shared.cataloged();
        for (number, table) in &tables.tables {
            let Some(lock) = table.definition_lock() else { continue };
            let (writers, changer) = lock.holders();
            let of = |held| move |transaction| HeldLock { transaction, table: *number, held };
            all.extend(writers.into_iter().filter(|writer| Some(*writer) != changer).map(of(Held::Written)));
            all.extend(changer.into_iter().map(of(Held::Defined)));
        }
        for ((id, row), transaction, mode) in shared.locks.list(MOST_ROWS) {
            let number = tables.tables.iter().find(|(_, table)| table.id() == id).map(|(number, _)| *number);
            all.extend(number.map(|table| HeldLock { transaction, table, held: Held::Row(row, mode) }));
        }
        all
    }
}
