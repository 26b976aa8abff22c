//! Changes of records, each with all its keys.

use super::safeguard::Safeguard;
use super::set::no_such_tag;
use super::transaction::About;
use super::{IndexedTable, TagId};
use crate::writer::{Change, Follower, TableWriter};
use mainstay_types::{Result, ValueRef, interrupt};
use std::ops::RangeInclusive;
use std::path::Path;

impl IndexedTable {
    /// Appends a record with these values, one for each field in the order of the header; fields without one are
    /// blank. A counting field gets its number if its value is NULL or missing. Gives the record's number.
    ///
    /// Fails with `Code::UniqueViolation` if a candidate tag has its key already, and as the module's text says; then
    /// nothing is appended.
    pub fn append(&mut self, values: &[ValueRef<'_>]) -> Result<u64> {
        self.append_fields(values.iter().copied().enumerate(), values.len())
    }

    /// Appends a record with values for some fields, each given by its place in [`IndexedTable::fields`].
    pub fn append_some(&mut self, values: &[(usize, ValueRef<'_>)]) -> Result<u64> {
        self.append_fields(values.iter().copied(), values.len())
    }

    /// Appends a blank record.
    pub fn append_blank(&mut self) -> Result<u64> {
        self.append_some(&[])
    }

    fn append_fields<'v>(
        &mut self,
        values: impl Iterator<Item = (usize, ValueRef<'v>)> + Clone,
        given: usize,
    ) -> Result<u64> {
        if let Some((record, was_locked)) = self.claim_reusable()? {
            return self.append_over(record, was_locked, values);
        }
        let appended = self.waiting_for_keys(|table| {
            table.followed(|writer, follower| writer.append_fields(values.clone(), given, follower))
        })?;
        self.release_at_end(appended, self.keeps_appended);
        Ok(appended)
    }

    /// Appends many records, each with one value for each field, and gives their numbers. Beside others all of them
    /// are appended or, after an error, none; alone, those before the one that failed are.
    pub fn append_many<'r, 'v: 'r>(
        &mut self,
        rows: impl IntoIterator<Item = &'r [ValueRef<'v>]>,
    ) -> Result<Option<RangeInclusive<u64>>> {
        if self.indexes.sharing.alone {
            let (mut first, mut last) = (None, 0);
            for row in rows {
                last = self.append(row)?;
                first.get_or_insert(last);
            }
            return Ok(first.map(|first| first..=last));
        }
        let rows: Vec<&[ValueRef<'v>]> = rows.into_iter().collect();
        let appended = self.waiting_for_keys(|table| {
            table.followed(|writer, follower| writer.append_many_followed(rows.iter().copied(), follower))
        })?;
        if let Some(joined) = &mut self.joined {
            appended.iter().cloned().flatten().for_each(|record| joined.release_at_end(record));
        }
        Ok(appended)
    }

    /// Gives some fields of a record new values, each field by its place. The record is locked for the time of the
    /// change, unless it is locked already.
    pub fn update(&mut self, record: u64, values: &[(usize, ValueRef<'_>)]) -> Result<Change> {
        let update = self.waiting_for_keys(|table| {
            table.changing(record, |writer, follower| writer.update_followed(record, values, follower))
        })?;
        match &mut self.joined {
            None => Ok(self.writer.keep(update)),
            // Its old memos may be wanted again.
            Some(joined) => Ok(joined.hold(update)),
        }
    }

    /// Marks a record as deleted.
    pub fn delete(&mut self, record: u64) -> Result<Change> {
        self.set_deleted(record, true)
    }

    /// Takes the mark of deletion away.
    pub fn recall(&mut self, record: u64) -> Result<Change> {
        self.set_deleted(record, false)
    }

    /// Marks a record as deleted, or takes the mark away.
    pub fn set_deleted(&mut self, record: u64, deleted: bool) -> Result<Change> {
        self.waiting_for_keys(|table| {
            table.changing(record, |writer, follower| writer.set_deleted_followed(record, deleted, follower))
        })
    }

    /// Changes records that pass their candidate keys on to each other, as two that swap them do: while `work` changes
    /// them, a key may be that of several records; when it has, each of `records` must have its keys for itself. In a
    /// transaction, so that a change that fails can be undone ([`IndexedTable::atomically`]).
    ///
    /// Errors: those of `work`; `UniqueViolation` when a key is still that of two records.
    pub fn passing_keys(&mut self, records: &[u64], work: impl FnOnce(&mut IndexedTable) -> Result<()>) -> Result<()> {
        let before = std::mem::replace(&mut self.indexes.lets_keys_repeat, true);
        let worked = work(self);
        self.indexes.lets_keys_repeat = before;
        worked?;
        let mut bytes = Vec::new();
        for record in records {
            self.writer.read(*record, &mut bytes)?;
            let number = u32::try_from(*record).map_err(|_| no_such_tag(0))?;
            let alone = self.indexes.must_be_alone_with_keys(number, &bytes);
            self.indexes.end(alone)?;
        }
        Ok(())
    }

    /// Makes a change of an existing record under its lock, which is kept to the end of a transaction.
    pub(super) fn changing<T>(
        &mut self,
        record: u64,
        change: impl FnOnce(&mut TableWriter, Follower<'_>) -> Result<T>,
    ) -> Result<T> {
        let was_locked = self.writer.is_locked(record);
        self.lock_settled(record)?;
        let changed = self.followed(change);
        if was_locked {
            return changed;
        }
        if let Some(joined) = self.joined.as_mut().filter(|joined| joined.has_changed(record)) {
            joined.release_at_end(record);
            return changed.and_then(|changed| self.lock_table_for_many().map(|()| changed));
        }
        let unlocked = self.writer.unlock_record(record);
        changed.and_then(|changed| unlocked.map(|()| changed))
    }

    /// A transaction that holds very many records takes the whole table, if no other program holds a lock: the system
    /// looks through all locks of a file for each new one.
    fn lock_table_for_many(&mut self) -> Result<()> {
        let wants_table = self.joined.as_ref().is_some_and(|joined| joined.wants_table());
        if wants_table && !self.writer.holds_table() && self.try_lock_table()? {
            self.joined.iter_mut().for_each(|joined| joined.release_table_at_end());
        }
        Ok(())
    }

    /// Makes a change whose keys are changed with it, and which is noted in the transaction.
    pub(super) fn followed<T>(
        &mut self,
        change: impl FnOnce(&mut TableWriter, Follower<'_>) -> Result<T>,
    ) -> Result<T> {
        let IndexedTable { fs, writer, indexes, options, joined, unlisted, contested, .. } = self;
        let (waiting, mut is_listed) = (*unlisted, false);
        let is_shared = !indexes.sharing.alone;
        let notes = joined.is_some() || is_shared && indexes.has_unique();
        let about = notes.then(|| (writer.path().to_owned(), writer.lock_bytes().scheme()));
        let table = (is_shared && indexes.has_candidate()).then(|| writer.path().to_owned());
        let mut safeguard = Safeguard::default();
        contested.is_current = false;
        let changed = change(writer, &mut |record, old, new| {
            // The record is not written yet, and those before it can be undone.
            interrupt::check()?;
            let is_waiting = waiting == Some(record);
            is_listed |= is_waiting;
            let old_keys = if is_waiting { None } else { old };
            let followed = indexes.follow(record, old_keys, Some(new));
            match &table {
                None => followed?,
                Some(table) => {
                    let own = joined.as_ref().and_then(|joined| joined.journal_of_transaction());
                    contested.check((&**fs, table, own.as_deref()), indexes, (record, old_keys, new), followed)?;
                }
            }
            let Some((path, scheme)) = &about else { return Ok(()) };
            if joined.is_none() && !indexes.changes_unique {
                return Ok(());
            }
            let bags: Vec<&Path> = indexes.bags.iter().map(|bag| bag.path.as_path()).collect();
            let about = About { path, scheme: *scheme, bags: &bags };
            match joined.as_mut() {
                Some(joined) => joined.note(record, old, new, about),
                None => {
                    safeguard.note((fs, options.durable), about, (record, old, new));
                    Ok(())
                }
            }
        });
        let ended = indexes.end(changed);
        let unguarded = safeguard.end();
        let changed = ended?;
        unguarded?;
        if is_listed {
            *unlisted = None;
        }
        if self.indexes.is_full() {
            self.flush()?;
        }
        Ok(changed)
    }

    pub(super) fn release_at_end(&mut self, record: u64, was_locked: bool) {
        if let Some(joined) = self.joined.as_mut().filter(|_| !was_locked) {
            joined.release_at_end(record);
        }
    }

    /// Adds a record to a tag, whatever its condition says; false if it is listed already. For custom tags.
    pub fn add_key(&mut self, id: TagId, record: u64) -> Result<bool> {
        self.change_key(id, record, true)
    }

    /// Takes a record out of a tag; false if it was not listed.
    pub fn drop_key(&mut self, id: TagId, record: u64) -> Result<bool> {
        self.change_key(id, record, false)
    }

    fn change_key(&mut self, id: TagId, record: u64, adds: bool) -> Result<bool> {
        self.must_have_no_transaction("choosing the keys of a tag")?;
        self.list_appended()?;
        let mut bytes = Vec::new();
        self.writer.read(record, &mut bytes)?;
        let number = u32::try_from(record).map_err(|_| no_such_tag(id.tag))?;
        let changed = self.indexes.change_by_hand(id.bag, id.tag, (number, &bytes), adds);
        self.indexes.end(changed)
    }
}
