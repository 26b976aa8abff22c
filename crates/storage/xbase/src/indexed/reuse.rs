//! Appends to an ADT that reuse a deleted record, as Advantage does before a table grows.
//!
//! A record that cannot be locked at once is passed over, and the table grows: another transaction has deleted it, and may be
//! rolled back. Only single appends reuse records; records of a bulk append follow each other.

use super::IndexedTable;
use mainstay_types::{Result, ValueRef};

impl IndexedTable {
    /// Takes a reusable record off the list, locked; and tells whether it was locked before.
    pub(super) fn claim_reusable(&mut self) -> Result<Option<(u64, bool)>> {
        let Some(record) = self.writer.reusable()? else { return Ok(None) };
        let was_locked = self.writer.is_locked(record);
        if !self.try_lock_record(record)? {
            return Ok(None);
        }
        let taken = self.writer.take_reusable(record);
        if matches!(taken, Ok(true)) {
            return Ok(Some((record, was_locked)));
        }
        self.unlock_unless(record, was_locked)?;
        taken.map(|_| None)
    }

    /// Appends a record there.
    pub(super) fn append_over<'v>(
        &mut self,
        record: u64,
        was_locked: bool,
        values: impl Iterator<Item = (usize, ValueRef<'v>)> + Clone,
    ) -> Result<u64> {
        let appended = self.waiting_for_keys(|table| {
            table.followed(|writer, follower| writer.append_over(record, values.clone(), follower))
        });
        match appended {
            // A transaction may still bring the old record back.
            Ok(change) if self.joined.is_none() => self.writer.free_replaced_memos(&change.old, &change.new),
            Ok(_) => {}
            Err(error) => {
                // The first error is the one to report; a record that is not given back costs its room.
                let _ = self.writer.give_reusable(record);
                self.unlock_unless(record, was_locked)?;
                return Err(error);
            }
        }
        self.release_at_end(record, self.keeps_appended || was_locked);
        self.unlock_unless(record, was_locked || self.writer.keeps_locks())?;
        Ok(record)
    }

    fn unlock_unless(&mut self, record: u64, stays: bool) -> Result<()> {
        if stays { Ok(()) } else { self.writer.unlock_record(record) }
    }
}
