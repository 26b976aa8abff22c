//! Changes of existing records.

use super::values::Stored;
use super::{Access, Change, Follower, TableWriter, alone};
use crate::adt::RecordLayout;
use crate::dbf::FieldKind;
use mainstay_types::{Code, Error, Result, ValueRef};

/// A change that can still be taken back.
#[derive(Debug)]
pub struct Update {
    /// The record before and after.
    pub change: Change,
    /// The blocks of the memos that it had before, and those of the ones it has now.
    before: Vec<Stored>,
    pub(super) stored: Vec<Stored>,
}

impl TableWriter {
    /// Gives some fields of a record new values, each field by its place in [`TableWriter::fields`]. The record is
    /// locked for the time of the change, unless the caller has locked it, and read under the lock, so that what
    /// others have changed in other fields stays.
    pub fn update(&mut self, record: u64, values: &[(usize, ValueRef<'_>)]) -> Result<Change> {
        let update = self.update_revocably(record, values)?;
        Ok(self.keep(update))
    }

    /// As [`TableWriter::update`], but the blocks of old memos are not yet freed, so that the change can be undone. It
    /// must be kept or undone before the record is changed again; if dropped, the change stays, and the blocks of the
    /// old memos are unused until the table is packed.
    pub fn update_revocably(&mut self, record: u64, values: &[(usize, ValueRef<'_>)]) -> Result<Update> {
        self.update_followed(record, values, &mut alone)
    }

    /// The same; `follower` sees the change before it is written.
    pub(crate) fn update_followed(
        &mut self,
        record: u64,
        values: &[(usize, ValueRef<'_>)],
        follower: Follower<'_>,
    ) -> Result<Update> {
        self.locked(record, |writer, old| {
            let mut new = old.clone();
            let mut stored = Vec::new();
            // A memo that is what it was stays where it is.
            let mut changed = Vec::with_capacity(values.len());
            for (field, value) in values.iter().copied() {
                if !writer.is_same_memo(field, value, &old)? {
                    changed.push((field, value));
                }
            }
            let filled = writer.fill(&mut new, changed.iter().copied(), &mut stored);
            let before: Vec<Stored> = changed
                .iter()
                .filter_map(|(field, _)| writer.fields().get(*field))
                .filter(|field| field.kind.needs_memo())
                .filter_map(|field| writer.stored_in(field, &old))
                .collect();
            let written = filled.and_then(|()| writer.write_changed(record, &old, &mut new, follower));
            if let Err(error) = written {
                // Values stored for a record that was not written have no owner; the first error is the one to report.
                if !writer.is_referred_to {
                    writer.free_if_possible(&stored);
                }
                return Err(error);
            }
            Ok(Update { change: Change { record, old, new }, before, stored })
        })
    }

    /// Ends an update that stays: gives back the blocks of its old memos, if that can be done.
    pub fn keep(&mut self, update: Update) -> Change {
        self.free_if_possible(&update.before);
        update.change
    }

    /// Takes an update back: the record gets the bytes that it had, and the blocks of the new memos are given back.
    /// The caller must have locked the record all the time.
    pub fn take_back(&mut self, update: Update) -> Result<()> {
        let Update { change, stored, .. } = update;
        let mut old = change.old;
        self.locked(change.record, |writer, now| writer.write_changed(change.record, &now, &mut old, &mut alone))?;
        self.free_if_possible(&stored);
        Ok(())
    }

    /// Marks a record as deleted, or takes the mark away (recall).
    pub fn set_deleted(&mut self, record: u64, deleted: bool) -> Result<Change> {
        self.set_deleted_followed(record, deleted, &mut alone)
    }

    /// The same; `follower` sees the change before it is written.
    pub(crate) fn set_deleted_followed(
        &mut self,
        record: u64,
        deleted: bool,
        follower: Follower<'_>,
    ) -> Result<Change> {
        self.locked(record, |writer, old| {
            let mut new = old.clone();
            writer.layout().set_deleted(&mut new, deleted);
            if new != old {
                writer.write_changed(record, &old, &mut new, follower)?;
            }
            Ok(Change { record, old, new })
        })
    }

    /// Replaces the bytes of a record. Its memo fields must refer to values of this table's memo file that no
    /// other record refers to; blocks of values that it no longer refers to are not given back.
    pub fn write_record(&mut self, record: u64, bytes: &[u8]) -> Result<Change> {
        self.write_record_followed(record, bytes, &mut alone)
    }

    /// The same; `follower` sees the change before it is written.
    pub(crate) fn write_record_followed(
        &mut self,
        record: u64,
        bytes: &[u8],
        follower: Follower<'_>,
    ) -> Result<Change> {
        if bytes.len() != self.record_length() {
            let message = format!("a record of {} bytes; the table's have {}", bytes.len(), self.record_length());
            return Err(Error::new(Code::InvalidValue, message));
        }
        self.locked(record, |writer, old| {
            let mut new = bytes.to_vec();
            writer.write_changed(record, &old, &mut new, follower)?;
            Ok(Change { record, old, new })
        })
    }

    /// The same for a record that the caller has locked, and read since: `old` is what it read. `new` gets what the
    /// writer keeps of itself.
    pub(crate) fn replace_followed(
        &mut self,
        record: u64,
        old: &[u8],
        new: &mut [u8],
        follower: Follower<'_>,
    ) -> Result<()> {
        self.check_usable()?;
        self.is_referred_to = false;
        if !self.locks.holds(record) || [old.len(), new.len()] != [self.record_length(); 2] {
            let message = format!("record {record} is changed by who has not locked it, or not read");
            return Err(Error::new(Code::Internal, message).at(self.path.display()));
        }
        self.write_changed(record, old, new, follower)
    }

    /// Locks the record, reads it, and calls `change` with its bytes.
    pub(super) fn locked<T>(&mut self, record: u64, change: impl FnOnce(&mut Self, Vec<u8>) -> Result<T>) -> Result<T> {
        self.check_usable()?;
        self.is_referred_to = false;
        let held = self.locks.holds(record);
        self.locks.lock_record(record)?;
        let mut old = Vec::new();
        let result = self.read(record, &mut old).and_then(|()| change(self, old));
        let stays = held || self.keeps_locks && result.is_ok();
        let unlocked = if stays { Ok(()) } else { self.locks.unlock_record(record) };
        result.and_then(|change| unlocked.map(|()| change))
    }

    fn write_changed(&mut self, record: u64, old: &[u8], new: &mut [u8], follower: Follower<'_>) -> Result<()> {
        let is_deleted = self.layout().is_deleted(new);
        if self.layout().is_deleted(old) != is_deleted {
            self.mark_memos(new, is_deleted);
        }
        self.stamp_changed(new)?;
        self.write_linked(record, old, new, follower)
    }

    pub(super) fn write_bytes(&mut self, record: u64, new: &[u8]) -> Result<()> {
        if let Some(range) = self.pending_range(record) {
            self.pending[range].copy_from_slice(new);
            return Ok(());
        }
        self.sync_memo_if_durable()?;
        self.is_referred_to = true;
        self.file.write_at(new, self.offset(record))?;
        self.sync_if_durable()?;
        self.touch()
    }

    /// Fields that keep the time or the number of the last write. The number is the table's, so it is counted under
    /// the header's lock.
    fn stamp_changed(&mut self, new: &mut [u8]) -> Result<()> {
        let stamps = |kind| matches!(kind, FieldKind::RowVersion | FieldKind::ModificationTime);
        if !self.fields().iter().any(|field| stamps(field.kind)) {
            return Ok(());
        }
        let shared = self.options.access == Access::Shared;
        self.locks.lock_header()?;
        let stamped = self.stamp_under_lock(new, shared);
        let unlocked = self.locks.unlock_header();
        stamped.and(unlocked)
    }

    fn stamp_under_lock(&mut self, new: &mut [u8], shared: bool) -> Result<()> {
        if shared {
            for counting in &mut self.counting {
                *counting = counting.read(&*self.file)?;
            }
        }
        self.stamp_record(new)?;
        for counting in &self.counting {
            counting.write(&*self.file)?;
        }
        Ok(())
    }

    /// The date of the last write, once for each opening.
    fn touch(&mut self) -> Result<()> {
        if !self.date_is_current && self.layout() == RecordLayout::Dbf {
            let date = crate::dbf::date_bytes(self.today(), self.dbf.header().version);
            self.file.write_at(&date, 1)?;
            self.date_is_current = true;
        }
        Ok(())
    }
}
