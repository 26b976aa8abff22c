//! The locks of all transactions, for monitoring.
//!
//! A changed row has no entry in a list of locks: it has the mark of its transaction, and the transaction has no list that
//! other threads may read. So the rows are found when somebody asks, by the marks in the tables that have writers, the
//! newest versions first. Groups of versions in which nothing is open are skipped without a look at their stamps.
//!
//! Limits: no more than [`MOST_ROWS`] rows are listed, and no more than [`MOST_SLOTS`] versions are looked at.

use super::refusal::key_text;
use super::{LockMode, Wait};
use crate::stamp::{MARK, is_mark};
use crate::store::Store;
use crate::table::NativeTable;
use std::collections::HashSet;

/// No more locks of rows are listed.
const MOST_ROWS: usize = 10_000;

/// No more versions are looked at for one list.
const MOST_SLOTS: usize = 1 << 22;

/// The kind of lock that a transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// It has written a table, so that no other changes its definition.
    Written,
    /// It changes what a table is.
    Defined,
    /// It has locked the row of this id.
    Row(u64, LockMode),
    /// It has inserted, changed or deleted the row of this id.
    Changed(u64),
}

/// A lock of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldLock {
    /// The number of the transaction.
    pub transaction: u64,
    /// The number of the table.
    pub table: u64,
    /// The name of the table.
    pub name: String,
    /// The kind of lock.
    pub held: Held,
    /// The key of a changed row, `id = 17`; `None` for other locks and for a table without a key.
    pub key: Option<String>,
}

/// The rows that are still listed, and the versions that are still looked at.
struct Budget {
    rows: usize,
    slots: usize,
}

/// The row of a table that a transaction has changed, with its key.
type ChangedRow = (u64, u64, Option<String>);

impl Store {
    /// The transactions that wait for others now.
    pub fn waits(&self) -> Vec<Wait> {
        self.shared.waits.list()
    }

    /// The locks of transactions on committed tables; of rows no more than ten thousand that were changed, and as many that
    /// were locked without a change.
    pub fn held_locks(&self) -> Vec<HeldLock> {
        let mut all = Vec::new();
        let shared = &self.shared;
        let tables = shared.cataloged();
        let mut budget = Budget { rows: MOST_ROWS, slots: MOST_SLOTS };
        let mut changed = HashSet::new();
        for (number, table) in &tables.tables {
            let Some(lock) = table.definition_lock() else { continue };
            let (writers, changer) = lock.holders();
            let of = |transaction, held, key| HeldLock {
                transaction,
                table: *number,
                name: table.definition().name.clone(),
                held,
                key,
            };
            let others = writers.iter().filter(|writer| Some(**writer) != changer);
            all.extend(others.map(|writer| of(*writer, Held::Written, None)));
            all.extend(changer.map(|changer| of(changer, Held::Defined, None)));
            for (transaction, row, key) in changed_rows(table, &writers, &mut budget) {
                changed.insert((transaction, table.id(), row));
                all.push(of(transaction, Held::Changed(row), key));
            }
        }
        for ((id, row), transaction, mode) in shared.locks.list(MOST_ROWS) {
            if changed.contains(&(transaction, id, row)) {
                continue;
            }
            let table = tables.tables.iter().find(|(_, table)| table.id() == id);
            all.extend(table.map(|(number, table)| HeldLock {
                transaction,
                table: *number,
                name: table.definition().name.clone(),
                held: Held::Row(row, mode),
                key: None,
            }));
        }
        all
    }
}

/// The rows that these transactions have changed: each once, by its newest version.
fn changed_rows(table: &NativeTable, writers: &[u64], budget: &mut Budget) -> Vec<ChangedRow> {
    let (mut rows, mut seen) = (Vec::new(), HashSet::new());
    if writers.is_empty() {
        return rows;
    }
    let directory = table.directory();
    for group in directory.groups().iter().rev().filter(|group| group.may_have_marks()) {
        for offset in (0..group.len()).rev() {
            if budget.rows == 0 || budget.slots == 0 {
                return rows;
            }
            budget.slots -= 1;
            let mark = [group.ended(offset), group.created(offset)].into_iter().find(|stamp| is_mark(*stamp));
            let Some(transaction) = mark.map(|mark| mark & !MARK).filter(|found| writers.contains(found)) else {
                continue;
            };
            let row = group.row_id(offset);
            if seen.insert((transaction, row)) {
                budget.rows -= 1;
                rows.push((transaction, row, key_text(table, group, offset)));
            }
        }
    }
    rows
}
