//! Restores the old bytes of records, for transactions that are rolled back or were interrupted.

use super::values::Stored;
use super::{Access, Change, Follower, TableWriter, Update};
use crate::adt::{KEPT_MARK, RecordLayout};
use crate::dbf::Field;
use mainstay_types::Result;

/// Bytes of a memo reference whose last one says nothing.
const MARKED_REFERENCE: usize = 9;

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
        // A header that counts more than the file holds is damage; a record that it does not count yet is not.
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

    /// Gives back the memos of a deleted record whose place a new one has taken, as far as they were its own until then: this
    /// writer has marked them when it deleted the record, and the new record does not refer to them.
    pub(crate) fn free_replaced_memos(&mut self, old: &[u8], new: &[u8]) {
        let layout = self.layout();
        if layout != RecordLayout::Adt || !layout.is_deleted(old) || layout.is_deleted(new) {
            return;
        }
        let is_replaced = |field: &&Field| {
            let cell = |record: &[u8]| record.get(field.offset..field.offset + MARKED_REFERENCE).map(<[u8]>::to_vec);
            let same = |(old, new): (Vec<u8>, Vec<u8>)| old[..8] == new[..8];
            let is_marked = cell(old).is_some_and(|cell| cell[8] == KEPT_MARK);
            is_marked && !cell(old).zip(cell(new)).is_some_and(same)
        };
        let fields = self.fields().iter().filter(|field| field.kind.needs_memo()).filter(is_replaced);
        let stored: Vec<Stored> = fields.filter_map(|field| self.stored_in(field, old)).collect();
        self.free_if_possible(&stored);
    }

    /// Marks the memo references of an ADT's record that is deleted here, so that their blocks can be given back when the
    /// record is used again; takes the marks away from one that is recalled. Another program may have given the blocks of
    /// records that it deleted to others.
    pub(super) fn mark_memos(&self, record: &mut [u8], is_deleted: bool) {
        if self.layout() != RecordLayout::Adt {
            return;
        }
        for field in self.fields().iter().filter(|field| field.kind.needs_memo()) {
            let Some(cell) = record.get_mut(field.offset..field.offset + MARKED_REFERENCE) else { continue };
            let is_reference = cell[..4].iter().any(|byte| *byte != 0) && cell[..8] != [b' '; 8];
            if is_reference && (is_deleted || cell[8] == KEPT_MARK) {
                cell[8] = if is_deleted { KEPT_MARK } else { 0 };
            }
        }
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
