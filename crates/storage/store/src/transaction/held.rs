//! The locks of a transaction besides the marks on its versions: locks of rows, and ranges of tables.

use super::locks::{LockMode, RowName};
use super::ranges::{Interval, KeyRange};
use super::{Obstacle, Transaction};

impl Transaction {
    /// The transaction that keeps this one from having a row in this mode.
    #[inline]
    pub(crate) fn lock_obstacle(&self, row: RowName, mode: LockMode) -> Option<Obstacle> {
        let holder = self.shared.locks.obstacle(row, self.id, mode)?;
        Some(Obstacle::Lock { row, holder, mode })
    }

    /// Locks a row for which there is no obstacle.
    pub(crate) fn take_lock(&mut self, row: RowName, mode: LockMode) {
        if self.shared.locks.take(row, self.id, mode) {
            self.locked.push(row);
        }
    }

    /// The transaction that holds a range of a table which overlaps this one.
    pub(crate) fn range_obstacle(&self, table: u32, mode: LockMode, range: &[Interval]) -> Option<Obstacle> {
        let holder = self.shared.ranges.obstacle(table, self.id, mode, range)?;
        Some(Obstacle::Range { table, holder })
    }

    /// Holds a range for which there is no obstacle.
    pub(crate) fn take_range(&mut self, table: u32, mode: LockMode, range: KeyRange) {
        self.shared.ranges.take(table, self.id, mode, range);
        self.has_ranges = true;
    }
}
