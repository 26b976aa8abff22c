//! New records.

use super::values::Stored;
use super::{Access, Follower, TableWriter, alone};
use crate::dbf::{FieldKind, encode};
use mainstay_types::{Code, Error, Result, ValueRef, interrupt};
use std::ops::RangeInclusive;
use std::time::Instant;

/// The approximate number of bytes of records collected under exclusive use before they are written.
const PENDING_BYTES: usize = 1 << 20;

impl TableWriter {
    /// Appends a record with these values, one for each field in the order of the header; fields without one are
    /// blank. A counting field gets its number if its value is NULL or missing. Gives the record's number.
    pub fn append(&mut self, values: &[ValueRef<'_>]) -> Result<u64> {
        self.append_fields(values.iter().copied().enumerate(), values.len(), &mut alone)
    }

    /// Appends a record with values for some fields, each given by its place in [`TableWriter::fields`].
    pub fn append_some(&mut self, values: &[(usize, ValueRef<'_>)]) -> Result<u64> {
        self.append_fields(values.iter().copied(), values.len(), &mut alone)
    }

    /// Appends a record with values for some fields, of which `given` is the number; `follower` sees it before it is
    /// written.
    pub(crate) fn append_fields<'v>(
        &mut self,
        values: impl Iterator<Item = (usize, ValueRef<'v>)> + Clone,
        given: usize,
        follower: Follower<'_>,
    ) -> Result<u64> {
        self.check_usable()?;
        self.is_referred_to = false;
        let mut given_numbers = Vec::new();
        if !self.counting.is_empty() && given > 0 {
            given_numbers.extend(values.clone().filter(|(_, value)| *value != ValueRef::Null).map(|(field, _)| field));
        }
        if self.options.access == Access::Exclusive {
            return self.append_alone(values, &given_numbers, follower);
        }
        let mut record = self.blank.clone();
        let mut stored = Vec::new();
        let filled = self.fill_new(&mut record, values, &mut stored);
        self.undo_unless(filled, &stored)?;
        let appended = self.append_shared(&mut record, &[given_numbers], follower);
        Ok(*self.undo_unless(appended, &stored)?.start())
    }

    /// Appends many records, each with one value for each field, and gives their numbers. Beside others they
    /// are appended under one lock and counted once. After an error none of them is there beside others; alone,
    /// those before the one that failed are.
    pub fn append_many<'r, 'v: 'r>(
        &mut self,
        rows: impl IntoIterator<Item = &'r [ValueRef<'v>]>,
    ) -> Result<Option<RangeInclusive<u64>>> {
        self.append_many_followed(rows, &mut alone)
    }

    /// The same; `follower` sees each record before it is written.
    pub(crate) fn append_many_followed<'r, 'v: 'r>(
        &mut self,
        rows: impl IntoIterator<Item = &'r [ValueRef<'v>]>,
        follower: Follower<'_>,
    ) -> Result<Option<RangeInclusive<u64>>> {
        self.check_usable()?;
        self.is_referred_to = false;
        let (mut first, mut last) = (None, 0);
        if self.options.access == Access::Exclusive {
            for row in rows {
                last = self.append_fields(row.iter().copied().enumerate(), row.len(), follower)?;
                first.get_or_insert(last);
            }
            return Ok(first.map(|first| first..=last));
        }
        let (mut records, mut stored, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let at = records.len();
            records.extend_from_slice(&self.blank);
            let filled = self.fill_new(&mut records[at..], row.iter().copied().enumerate(), &mut stored);
            self.undo_unless(filled, &stored)?;
            let numbered = row.iter().enumerate().filter(|(_, value)| **value != ValueRef::Null);
            given.push(numbered.map(|(field, _)| field).collect());
        }
        if given.is_empty() {
            return Ok(None);
        }
        let appended = self.append_shared(&mut records, &given, follower);
        self.undo_unless(appended, &stored).map(Some)
    }

    /// Appends a record whose bytes are ready. Its memo fields must refer to values of this table's memo file that
    /// no other record refers to. Counters are left alone.
    pub fn append_record(&mut self, record: &[u8]) -> Result<u64> {
        self.append_record_followed(record, &mut alone)
    }

    /// The same; `follower` sees the record before it is written.
    pub(crate) fn append_record_followed(&mut self, record: &[u8], follower: Follower<'_>) -> Result<u64> {
        self.check_usable()?;
        self.is_referred_to = false;
        if record.len() != self.record_length() {
            let message = format!("a record of {} bytes; the table's have {}", record.len(), self.record_length());
            return Err(Error::new(Code::InvalidValue, message));
        }
        if self.options.access == Access::Exclusive {
            self.check_room(1)?;
            follower(self.count + 1, None, record)?;
            self.pending.extend_from_slice(record);
            self.count += 1;
            self.write_pending_if_large()?;
            return Ok(self.count);
        }
        let all: Vec<usize> = (0..self.fields().len()).collect();
        Ok(*self.append_shared(&mut record.to_vec(), &[all], follower)?.start())
    }

    fn append_alone<'v>(
        &mut self,
        values: impl Iterator<Item = (usize, ValueRef<'v>)>,
        given: &[usize],
        follower: Follower<'_>,
    ) -> Result<u64> {
        self.check_room(1)?;
        let mut pending = std::mem::take(&mut self.pending);
        let at = pending.len();
        pending.extend_from_slice(&self.blank);
        let mut stored = Vec::new();
        let filled = self.fill_new(&mut pending[at..], values, &mut stored);
        let filled = filled.and_then(|()| self.number(&mut pending[at..], given));
        let filled = filled.and_then(|()| follower(self.count + 1, None, &pending[at..]));
        if filled.is_err() {
            pending.truncate(at);
        }
        self.pending = pending;
        self.undo_unless(filled, &stored)?;
        self.count += 1;
        self.write_pending_if_large()?;
        Ok(self.count)
    }

    /// The values of a new record; a counting field's NULL is left for its number.
    pub(super) fn fill_new<'v>(
        &mut self,
        record: &mut [u8],
        values: impl Iterator<Item = (usize, ValueRef<'v>)>,
        stored: &mut Vec<Stored>,
    ) -> Result<()> {
        if self.counting.is_empty() {
            return self.fill(record, values, stored);
        }
        let counting: Vec<usize> = self.counting.iter().map(|counting| counting.field).collect();
        let wanted = values.filter(|(field, value)| *value != ValueRef::Null || !counting.contains(field));
        self.fill(record, wanted, stored)
    }

    /// Gives counting fields their numbers, where the caller gave none, and stamps the record.
    pub(super) fn number(&mut self, record: &mut [u8], given: &[usize]) -> Result<()> {
        let how = self.encoding();
        for at in 0..self.counting.len() {
            let mut counting = self.counting[at];
            let field = &self.dbf.fields()[counting.field];
            if field.kind == FieldKind::RowVersion || given.contains(&counting.field) {
                continue;
            }
            let value = i64::try_from(counting.next).map_err(|_| {
                Error::new(Code::InvalidValue, format!("the counter of field {} is used up", field.name))
            })?;
            encode(field, ValueRef::Integer(value), &how, record)?;
            counting.next = counting.next.saturating_add(counting.step);
            self.counting[at] = counting;
            self.counters_changed = true;
        }
        self.stamp_record(record)
    }

    /// Puts the time and the count of writes into the fields that keep them.
    pub(super) fn stamp_record(&mut self, record: &mut [u8]) -> Result<()> {
        let how = self.encoding();
        for field in self.dbf.fields().iter().filter(|field| field.kind == FieldKind::ModificationTime) {
            encode(field, ValueRef::Timestamp((self.options.clock)()), &how, record)?;
        }
        for counting in &mut self.counting {
            let field = &self.dbf.fields()[counting.field];
            if field.kind == FieldKind::RowVersion {
                counting.next = counting.next.wrapping_add(1);
                self.counters_changed = true;
                let cell = &mut record[field.offset..field.offset + field.length];
                cell.copy_from_slice(&counting.next.to_le_bytes()[..field.length]);
            }
        }
        Ok(())
    }

    /// Appends records beside others; those of `given` had a value for these fields.
    fn append_shared(
        &mut self,
        records: &mut [u8],
        given: &[Vec<usize>],
        follower: Follower<'_>,
    ) -> Result<RangeInclusive<u64>> {
        let (new, locked) = self.lock_for_append(given.len() as u64)?;
        let written = self.write_new(records, given, &new, follower);
        let unlocked_new = match locked {
            true if self.keeps_locks && written.is_ok() => self.locks.keep_new(&new),
            true => self.locks.unlock_new(&new),
            false => Ok(()),
        };
        let unlocked = self.locks.unlock_header();
        written.and(unlocked_new).and(unlocked).map(|()| new)
    }

    /// Locks the header, and the new records behind the last one. A program that holds the whole table may need the
    /// header next: its lock is released while the new records are waited for.
    fn lock_for_append(&mut self, more: u64) -> Result<(RangeInclusive<u64>, bool)> {
        let begun = Instant::now();
        loop {
            self.locks.lock_header()?;
            let tried = self.count_in_file().and_then(|count| {
                self.count = count;
                self.check_room(more)?;
                let new = count + 1..=count + more;
                Ok((self.locks.try_lock_new(&new)?, new))
            });
            match tried {
                Ok((Some(locked), new)) => return Ok((new, locked)),
                Ok((None, new)) => {
                    self.locks.unlock_header()?;
                    if begun.elapsed() >= self.options.wait.timeout {
                        return Err(self.locks.refused(&new)?);
                    }
                    interrupt::check()?;
                    std::thread::sleep(self.options.wait.interval);
                }
                Err(error) => {
                    self.locks.unlock_header()?;
                    return Err(error);
                }
            }
        }
    }

    fn check_room(&self, more: u64) -> Result<()> {
        if self.count + more > u64::from(u32::MAX) {
            let message = format!("a table has at most {} records", u32::MAX);
            return Err(Error::new(Code::Unsupported, message).at(self.path.display()));
        }
        Ok(())
    }

    fn write_new(
        &mut self,
        records: &mut [u8],
        given: &[Vec<usize>],
        new: &RangeInclusive<u64>,
        follower: Follower<'_>,
    ) -> Result<()> {
        for counting in &mut self.counting {
            *counting = counting.read(&*self.file)?;
        }
        let length = self.record_length();
        for (record, given) in records.chunks_exact_mut(length).zip(given) {
            self.number(record, given)?;
        }
        // A number that is written down and not used leaves a gap; one that is used twice is worse.
        for counting in &self.counting {
            counting.write(&*self.file)?;
        }
        for (record, number) in records.chunks_exact(length).zip(new.clone()) {
            follower(number, None, record)?;
        }
        self.sync_memo_if_durable()?;
        let start = self.offset(*new.start());
        let mut bytes = Vec::with_capacity(records.len() + 1);
        bytes.extend_from_slice(records);
        bytes.extend(self.layout().end_mark());
        self.is_referred_to = true;
        let written = self.file.write_at(&bytes, start).and_then(|()| self.sync_if_durable());
        let counted = written.and_then(|()| self.write_header(*new.end()));
        if let Err(error) = counted {
            // Records that are reported as not appended must not be found there by anybody. After a sync that
            // failed nothing may be done about it.
            if self.failed.is_none() {
                let cut = self.file.set_len(start).and_then(|()| self.end_file_at(start));
                self.is_referred_to = cut.is_err();
            }
            return Err(error);
        }
        self.count = *new.end();
        self.sync_if_durable()
    }

    fn write_pending_if_large(&mut self) -> Result<()> {
        if self.pending.len() >= PENDING_BYTES { self.write_pending() } else { Ok(()) }
    }

    /// Writes the records collected under exclusive use.
    pub(super) fn write_pending(&mut self) -> Result<()> {
        if self.options.access == Access::Shared || self.pending.is_empty() && !self.counters_changed {
            return Ok(());
        }
        self.sync_memo_if_durable()?;
        for counting in &self.counting {
            counting.write(&*self.file)?;
        }
        self.counters_changed = false;
        if self.pending.is_empty() {
            return Ok(());
        }
        let first = self.count + 1 - (self.pending.len() / self.record_length()) as u64;
        let records = self.pending.len();
        self.pending.extend(self.layout().end_mark());
        let written = self.file.write_at(&self.pending, self.offset(first));
        self.pending.truncate(records);
        written?;
        self.sync_if_durable()?;
        self.write_header(self.count)?;
        self.pending.clear();
        Ok(())
    }

    /// Gives back what was stored for records that are not to be, if none of them can be in the file.
    pub(super) fn undo_unless<T>(&mut self, result: Result<T>, stored: &[Stored]) -> Result<T> {
        if result.is_err() && !self.is_referred_to {
            // The first error is the one to report.
            self.free_if_possible(stored);
        }
        result
    }
}
