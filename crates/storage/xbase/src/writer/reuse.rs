//! Deleted records of an ADT: put on the list of reusable records, and taken off it.
//!
//! ```text
//!   delete    lock header | record: deleted, linked to the first | header: first = record | unlock
//!   recall    lock header | header: without the record | record: live, no link | unlock
//!   append    lock header | header: first = its link | unlock | record: live | counters
//! ```
//! The order makes a crash harmless: all records on the list are deleted (`adt/reuse.rs`). A DBF has no such list, and
//! its records are written directly.

use super::values::Stored;
use super::{Access, Change, Follower, TableWriter};
use crate::adt::{RecordLayout, ReuseList, ReusePlace};
use mainstay_types::{Code, Error, Result, ValueRef};

impl TableWriter {
    /// Writes a record under its lock; one that becomes deleted or live changes the list, too.
    pub(super) fn write_linked(
        &mut self,
        record: u64,
        old: &[u8],
        new: &mut [u8],
        follower: Follower<'_>,
    ) -> Result<()> {
        let layout = self.layout();
        if layout == RecordLayout::Dbf {
            follower(record, Some(old), new)?;
            return self.write_bytes(record, new);
        }
        if layout.is_encrypted(old) {
            let error = Error::new(Code::Encrypted, format!("record {record} is encrypted")).at(self.path.display());
            return Err(error.hint("decrypt the table with the program that made it"));
        }
        if layout.is_deleted(old) == layout.is_deleted(new) {
            layout.set_link(new, layout.link(old));
            follower(record, Some(old), new)?;
            return self.write_bytes(record, new);
        }
        // The list is walked in the file.
        self.write_pending()?;
        self.locks.lock_header()?;
        let written = self.write_and_link(record, old, new, follower);
        let unlocked = self.locks.unlock_header();
        written.and(unlocked)
    }

    fn write_and_link(&mut self, record: u64, old: &[u8], new: &mut [u8], follower: Follower<'_>) -> Result<()> {
        let (layout, number) = (self.layout(), narrow(record)?);
        if layout.is_deleted(new) {
            layout.set_link(new, ReuseList::read(&*self.file)?.first);
            follower(record, Some(old), new)?;
            self.write_bytes(record, new)?;
            return ReuseList::push(&*self.file, number);
        }
        layout.set_link(new, 0);
        follower(record, Some(old), new)?;
        ReuseList::remove(&*self.file, self.reuse_place(), number)?;
        self.sync_if_durable()?;
        self.write_bytes(record, new)
    }

    /// Puts a deleted record that was copied on the list of a table that is made anew.
    pub(super) fn link_deleted(&mut self, record: u64) -> Result<()> {
        let mut bytes = Vec::new();
        self.write_pending()?;
        self.read(record, &mut bytes)?;
        self.give_under_lock(record, &mut bytes)
    }

    /// Takes a record off the list, if it is on it; the caller has locked the header.
    pub(super) fn unlink(&mut self, record: u64) -> Result<()> {
        match self.layout() {
            RecordLayout::Dbf => Ok(()),
            RecordLayout::Adt => ReuseList::remove(&*self.file, self.reuse_place(), narrow(record)?),
        }
    }

    /// The record that an append may use again; none in a DBF.
    pub(crate) fn reusable(&mut self) -> Result<Option<u64>> {
        if self.layout() == RecordLayout::Dbf {
            return Ok(None);
        }
        self.check_usable()?;
        self.count()?;
        Ok(ReuseList::top(&*self.file, self.reuse_place())?.map(u64::from))
    }

    /// Takes that record off the list for an append; false if it is not the first any more. The caller has locked it.
    pub(crate) fn take_reusable(&mut self, record: u64) -> Result<bool> {
        self.locks.lock_header()?;
        let taken = self.take_under_lock(narrow(record)?);
        let unlocked = self.locks.unlock_header();
        taken.and_then(|taken| unlocked.map(|()| taken))
    }

    fn take_under_lock(&mut self, record: u32) -> Result<bool> {
        let place = self.reuse_place();
        if ReuseList::top(&*self.file, place)? != Some(record) {
            return Ok(false);
        }
        ReuseList::remove(&*self.file, place, record)?;
        self.sync_if_durable()?;
        Ok(true)
    }

    /// Writes a new record in the place of one that [`TableWriter::take_reusable`] took off the list. The memos of that one are
    /// to be given back by the caller, when it is certain that it is gone.
    pub(crate) fn append_over<'v>(
        &mut self,
        record: u64,
        values: impl Iterator<Item = (usize, ValueRef<'v>)> + Clone,
        follower: Follower<'_>,
    ) -> Result<Change> {
        self.check_usable()?;
        self.is_referred_to = false;
        let mut old = Vec::new();
        self.read(record, &mut old)?;
        let given: Vec<usize> =
            values.clone().filter(|(_, value)| *value != ValueRef::Null).map(|(field, _)| field).collect();
        let (mut new, mut stored) = (self.blank.clone(), Vec::<Stored>::new());
        let filled = self.fill_new(&mut new, values, &mut stored);
        let filled = filled.and_then(|()| self.number_under_lock(&mut new, &given));
        let filled = filled.and_then(|()| follower(record, Some(&old), &new));
        let written = filled.and_then(|()| self.write_bytes(record, &new));
        self.undo_unless(written, &stored)?;
        Ok(Change { record, old, new })
    }

    /// Gives the record back to the list after an append that failed.
    pub(crate) fn give_reusable(&mut self, record: u64) -> Result<()> {
        self.check_usable()?;
        let mut bytes = Vec::new();
        self.read(record, &mut bytes)?;
        if !self.layout().is_deleted(&bytes) {
            return Ok(());
        }
        self.locks.lock_header()?;
        let given = self.give_under_lock(record, &mut bytes);
        let unlocked = self.locks.unlock_header();
        given.and(unlocked)
    }

    fn give_under_lock(&mut self, record: u64, bytes: &mut [u8]) -> Result<()> {
        self.layout().set_link(bytes, ReuseList::read(&*self.file)?.first);
        self.write_bytes(record, bytes)?;
        ReuseList::push(&*self.file, narrow(record)?)
    }

    /// Gives counting fields their numbers, which are the table's, and writes the counters.
    fn number_under_lock(&mut self, record: &mut [u8], given: &[usize]) -> Result<()> {
        self.locks.lock_header()?;
        let numbered = self.number_and_write(record, given);
        let unlocked = self.locks.unlock_header();
        numbered.and(unlocked)
    }

    fn number_and_write(&mut self, record: &mut [u8], given: &[usize]) -> Result<()> {
        if self.options.access == Access::Shared {
            for counting in &mut self.counting {
                *counting = counting.read(&*self.file)?;
            }
        }
        self.number(record, given)?;
        self.counting.iter().try_for_each(|counting| counting.write(&*self.file))
    }

    fn reuse_place(&self) -> ReusePlace {
        ReusePlace {
            header_length: self.dbf.header().header_length.into(),
            record_length: self.dbf.header().record_length.into(),
            count: self.count,
        }
    }
}

fn narrow(record: u64) -> Result<u32> {
    u32::try_from(record).map_err(|_| Error::new(Code::Internal, format!("record {record} of an ADT")))
}
