//! Read counts of the row executor, beside those of the batch executor's leaves ([`ReadCounts`]).
//!
//! A look-up of a row by its key is one logical read and no scan; other runs count the reads of their loops. Scalar
//! subqueries are not counted.

use super::Session;
use mainstay_planner::ReadCounts;
use mainstay_row_executor::{Plan, Scratch};
use mainstay_store::NativeTable;

impl Session {
    /// The reads of tables by the statements of this session.
    pub fn reads(&self) -> &ReadCounts {
        self.progress.reads()
    }
}

/// A row was looked for by its key.
#[inline]
pub(crate) fn count_row(session: &Session, table: &NativeTable) {
    let counts = session.reads();
    counts.add_by_session(1);
    if counts.is_by_table() {
        counts.add_named(&table.definition().name, 0, 1);
    }
}

/// The row executor has run a plan to its end.
pub(crate) fn count_run(counts: &ReadCounts, plan: &Plan, scratch: &Scratch) {
    let reads = scratch.reads();
    counts.add_by_session(reads.iter().map(|of| u64::from(of.reads)).sum());
    if !counts.is_by_table() {
        return;
    }
    for (table, of) in plan.all_tables().iter().zip(reads) {
        counts.add_named(&table.definition().name, u64::from(of.scans), u64::from(of.reads));
    }
}
