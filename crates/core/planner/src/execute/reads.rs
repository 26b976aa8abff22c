//! Read counts of statements: in total, and by table on request.
//!
//! A **logical read** is the executors' unit of work: a group of up to 65,536 row slots that a scan reads, or one row
//! that is fetched by an index. It does not measure disk access: most groups are in memory, decoded.
//!
//! The total is always counted, at the cost of one relaxed addition for a unit of work, for the statistics of
//! statements. Counting by table takes a lock for each unit and is enabled by a session (`SET STATISTICS IO` of T-SQL).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The reads of one table by a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReads {
    /// The table, by the core's name.
    pub table: String,
    /// Scans that were begun: of the whole table, or of a range of an index. Looking for one key is none.
    pub scans: u64,
    /// Logical reads.
    pub reads: u64,
}

/// Counts of a session. Its statements may run on several threads.
#[derive(Debug, Default)]
pub struct ReadCounts {
    total: AtomicU64,
    is_by_table: AtomicBool,
    tables: Mutex<Vec<TableReads>>,
}

impl ReadCounts {
    /// Logical reads of all statements since the session began.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// Returns true if reads are counted by table.
    #[inline]
    pub fn is_by_table(&self) -> bool {
        self.is_by_table.load(Ordering::Relaxed)
    }

    /// Counts by table from now on, or not any more.
    pub fn count_by_table(&self, on: bool) {
        self.is_by_table.store(on, Ordering::Relaxed);
        drop(self.take());
    }

    /// The reads by table since the last call, in the order in which tables were first read.
    pub fn take(&self) -> Vec<TableReads> {
        std::mem::take(&mut *self.tables.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts reads whose table does not matter.
    #[inline]
    pub fn add_unnamed(&self, reads: u64) {
        self.total.fetch_add(reads, Ordering::Relaxed);
    }

    /// The same from the session's own thread while no operator runs: a plain addition.
    #[inline]
    pub fn add_by_session(&self, reads: u64) {
        self.total.store(self.total() + reads, Ordering::Relaxed);
    }

    /// Counts reads of a table.
    #[inline]
    pub fn add(&self, table: &str, scans: u64, reads: u64) {
        self.add_unnamed(reads);
        if self.is_by_table() {
            self.add_named(table, scans, reads);
        }
    }

    /// Counts reads of a table that are part of the total already.
    pub fn add_named(&self, table: &str, scans: u64, reads: u64) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        match tables.iter_mut().find(|known| known.table == table) {
            Some(known) => {
                known.scans += scans;
                known.reads += reads;
            }
            None => tables.push(TableReads { table: table.to_owned(), scans, reads }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadCounts, TableReads};

    #[test]
    fn tables_are_counted_while_that_is_asked_for() {
        let counts = ReadCounts::default();
        counts.add("orders", 1, 3);
        assert_eq!((counts.total(), counts.take()), (3, Vec::new()));
        counts.count_by_table(true);
        counts.add("orders", 1, 0);
        counts.add("lines", 1, 2);
        counts.add("orders", 0, 5);
        let of = |table: &str, scans, reads| TableReads { table: table.to_owned(), scans, reads };
        assert_eq!(counts.take(), [of("orders", 1, 5), of("lines", 1, 2)]);
        assert_eq!((counts.total(), counts.take()), (10, Vec::new()));
    }
}
