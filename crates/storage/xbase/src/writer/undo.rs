//! Records brought back to what they were, for transactions that are rolled back or were cut off.

use super::values::Stored;
use super::{Access, Change, Follower, TableWriter, Update};
use mainstay_types::Result;

impl TableWriter {
    /// Gives a record these bytes, as they are: fields that keep the time or the number of the last write too.
    pub(crate) fn restore_record(&mut self, record: u64, bytes: &[u8], follower: Follower<'_>) -> Result<()> {
        self.locked(record, |writer, old| writer.write_linked(record, &old, &mut bytes.to_vec(), follower))
    }

    /// Takes the last record out of the table; false if others have appended behind it. Its memos are given back.
    pub(crate) fn remove_last(&mut self, record: u64, follower: Follower<'_>) -> Result<bool> {
        self.check_usable()?;
        self.write_pending()?;
        self.locks.lock_header()?;
        let removed = self.remove_under_lock(record, follower);
        let unlocked = self.locks.unlock_header();
        removed.and_then(|removed| unlocked.map(|()| removed))
    }

    fn remove_under_lock(&mut self, record: u64, follower: Follower<'_>) -> Result<bool> {
        let count = if self.options.access == Access::Shared { self.count_in_file()? } else { self.count };
        if count != record || record == 0 {
            return Ok(false);
        }
        let mut bytes = Vec::new();
        self.dbf.read_record(record - 1, &mut bytes)?;
        follower(record, Some(&bytes), &[])?;
        self.unlink(record)?;
        self.write_header(record - 1)?;
        // A header that counts more than the file holds is damage; a record that it does not count yet is none.
        self.sync_if_durable()?;
        self.end_file_at(self.offset(record))?;
        self.count = record - 1;
        self.sync_if_durable()?;
        self.free_memos_of(&bytes);
        Ok(true)
    }

    /// Gives back the memos that a record refers to, which is no more.
    pub(crate) fn free_memos_of(&mut self, bytes: &[u8]) {
        let fields = self.fields().iter().filter(|field| field.kind.needs_memo());
        let stored: Vec<Stored> = fields.filter_map(|field| self.stored_in(field, bytes)).collect();
        self.free_if_possible(&stored);
    }

    /// Gives back the memos that were stored for an update that was undone.
    pub(crate) fn forget(&mut self, update: Update) -> Change {
        self.free_if_possible(&update.stored);
        update.change
    }

    /// The bytes of a blank record that is marked as deleted.
    pub(crate) fn blank_deleted(&self) -> Vec<u8> {
        let mut bytes = self.blank.clone();
        self.layout().set_deleted(&mut bytes, true);
        bytes
    }

    /// Cuts the file behind its last record.
    pub(super) fn end_file_at(&self, start: u64) -> Result<()> {
        let Some(mark) = self.layout().end_mark() else { return self.file.set_len(start) };
        self.file.write_at(&[mark], start)?;
        self.file.set_len(start + 1)
    }
}
