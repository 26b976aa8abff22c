//! Records that a state counts and that are removed from the table meanwhile, because their append is rolled back.
//!
//! ```text
//!   which records of the group are there     is asked after the record has gone: it is deleted, as if it had never been
//!                                            was told before: the statement has to begin again, with the table as it is now
//! ```
//! So no statement returns a row whose values are gone. If a whole group (65,536 records) is gone at its first read,
//! the statement restarts too: mostly the cause is not a rollback then. A statement that has returned rows already
//! cannot restart, and fails as for a truncated table (with `DefinitionChanged`: `query/src/run.rs`).
//!
//! Indexes are not compared with a state that has lost records: they have lost the keys.

use super::state::{GROUP_ROWS, State};
use crate::dbf::beyond_the_end;
use mainstay_types::{Code, Result};
use std::sync::atomic::Ordering::Relaxed;

impl State {
    /// Reads whole records of one group.
    ///
    /// Errors: `Damaged`; `DefinitionChanged` when the statement is to begin again.
    pub(super) fn read_counted(&self, row: usize, buffer: &mut [u8]) -> Result<()> {
        let wanted = buffer.len() / self.record_length().max(1);
        let there = self.files.dbf.read_counted(row as u64, buffer)?;
        if there == wanted {
            return Ok(());
        }
        self.has_lost.store(true, Relaxed);
        let is_whole_group = there == 0 && wanted > 1 && row.is_multiple_of(GROUP_ROWS) && row > 0;
        if is_whole_group || (row + there..row + wanted).any(|row| self.is_told(row)) {
            let error = beyond_the_end(&**self.files.dbf.file(), row as u64, wanted as u64);
            return Err(error.with_code(Code::DefinitionChanged));
        }
        Ok(())
    }

    /// Returns true if a reader was given the record.
    fn is_told(&self, row: usize) -> bool {
        let told = self.visible.get(row / GROUP_ROWS).and_then(|visible| visible.get());
        told.is_some_and(|visible| visible.as_ref().is_none_or(|bits| bits.value(row % GROUP_ROWS)))
    }

    /// Returns true if records that it counts were removed.
    pub(super) fn has_lost_records(&self) -> bool {
        self.has_lost.load(Relaxed)
    }
}
