//! Insert, update, delete and lock: one row at a time.
//!
//! ```text
//!   insert    check -> latch -> reserve slot -> enter indexes -> append -> note for commit and undo
//!   update    check -> latch -> mark the old version ended -> the same for the new one, linked both ways
//!   delete    latch -> mark the version ended
//! ```
//!
//! A mark of another open transaction, on the version or on a key, means: release the latch, wait, start over. So does
//! the stamp of a commit that is not published yet, since no statement sees its changes. After that the version may be
//! ended: then read committed reads the newest one ([`Written::Moved`]), and the caller decides if it still wants to
//! change it; the other isolation levels fail with `Conflict`.

use super::entries::{Newcomer, Refused, Replaced};
use super::references::Check;
use super::{NativeTable, Writer, internal};
use crate::catalog::temporary::{FIRST_TEMPORARY, TemporaryTables};
use crate::column::layout::{canonical, is_kept_as_is};
use crate::group::{Group, offset_of};
use crate::row::{Changed, Row, Stored};
use crate::stamp::{ABORTED, MARK, NEVER, NOWHERE, View};
use crate::transaction::{KeyRange, LockMode, Obstacle, Transaction, obstacle};
use mainstay_types::{Code, ConstraintKind, Error, Result, SqlType, ValueRef};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The mark of a row that no other transaction can meet until it is stamped: no transaction has this number.
const NOBODY: u64 = MARK;

/// The outcome of a change to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is done; the row's newest version is here.
    Done(u64),
    /// Another transaction changed the row first, and has committed: its newest version is here. Nothing was done. The
    /// caller applies its condition again and tries again with this position.
    Moved(u64),
    /// Another transaction has deleted the row, and has committed. Nothing was done. Other rows may fit the caller's
    /// condition now, in the place of this one.
    Deleted,
    /// The own transaction has deleted the row, or replaced this version. Nothing was done.
    Gone,
}

/// The outcome of marking a version as ended.
enum Ended {
    Done,
    Obstacle(Obstacle),
    /// Ended by a transaction whose commit is published.
    Overtaken,
    /// Ended by the own transaction, or rolled back.
    Gone,
}

impl NativeTable {
    /// Inserts a row: the position of its version.
    ///
    /// Errors: `TypeMismatch` and `InvalidValue` for values that the columns do not take, `NotNullViolation`,
    /// `UniqueViolation`, those of waiting for another transaction's key, and `OutOfMemory` when the rows that are in memory
    /// only have reached their limit and cannot be written to files.
    pub fn insert<R: Row + ?Sized>(self: &Arc<Self>, transaction: &mut Transaction, row: &R) -> Result<u64> {
        self.check_row(row)?;
        let mark = transaction.enter(self)?;
        self.admit()?;
        let view = transaction.fixed_view();
        let (position, row_id) = loop {
            let mut writer = self.latch();
            let row_id = writer.next_row_id;
            match self.append(&mut writer, row, (mark, view), None) {
                Ok(position) => break (position, row_id),
                Err(refused) => {
                    drop(writer);
                    let obstacle = refused.met(transaction, self)?;
                    transaction.wait(&obstacle)?;
                }
            }
        };
        transaction.note_inserted(self, position, 1);
        if let Some(redo) = transaction.redo().filter(|_| self.definition.logged) {
            redo.inserted(self.id, &self.types, row_id, &Canonical { row, types: &self.types })?;
        }
        if self.references.has_parents() {
            transaction.note_check(Check::child(self, position));
        }
        Ok(position)
    }

    /// Inserts a row into one of a session's temporary tables as a separate transaction, and returns true if it did.
    /// Rows that need more than that are for [`NativeTable::insert`].
    ///
    /// No redo record, undo, wait or lock is needed. All that is left of a transaction is its number: an older view
    /// does not see the row. While the session has read nothing since the last commit, the number of that commit
    /// distinguishes older views as well as a new one, so a loop of INSERTs takes one number.
    ///
    /// Transactions that look at the table must know of `own` ([`Transaction::set_temporary`]).
    ///
    /// Errors: as [`NativeTable::insert`]; then nothing was done.
    pub fn insert_alone<R: Row + ?Sized>(&self, own: &TemporaryTables, row: &R) -> Result<bool> {
        if self.id < FIRST_TEMPORARY || self.references.has_parents() {
            return Ok(false);
        }
        self.check_row(row)?;
        self.shared.check()?;
        self.check_current()?;
        let mut writer = self.latch();
        let position = match self.append(&mut writer, row, (NOBODY, u64::MAX), None) {
            Ok(position) => position,
            Err(refused) => return refused.obstacle().map(|_| false),
        };
        let Some(group) = writer.current.as_ref() else { return Err(internal("a row is in no group")) };
        let offset = offset_of(position);
        let stamp = |commit| group.group().commit_created(offset..offset + 1, commit);
        let published = self.shared.published().load(Ordering::Acquire);
        if own.is_unseen(published) {
            stamp(published);
            return Ok(true);
        }
        let (commit, unseen) = self.shared.commit_unlogged(stamp);
        drop(writer);
        own.note_unseen(commit);
        self.shared.publish_after(commit, unseen)?;
        Ok(true)
    }

    /// Replaces the version at a position by one of these values.
    ///
    /// Errors: those of [`NativeTable::insert`], and `Conflict`.
    pub fn update<R: Row + ?Sized>(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        position: u64,
        row: &R,
    ) -> Result<Written> {
        self.check_row(row)?;
        let mark = transaction.enter(self)?;
        self.admit()?;
        let view = transaction.fixed_view();
        let (old, new, row_id) = loop {
            let mut writer = self.latch();
            let Some((old, group)) = writer.resolve(position) else { return Ok(Written::Gone) };
            group.load()?;
            match self.end(transaction, &group, old, mark) {
                Ended::Done => {}
                Ended::Gone => return Ok(Written::Gone),
                Ended::Overtaken => return overtaken(transaction, &group, old),
                Ended::Obstacle(obstacle) => {
                    drop(writer);
                    transaction.wait(&obstacle)?;
                    continue;
                }
            }
            let appended = self.append(
                &mut writer,
                row,
                (mark, view),
                Some(Replaced { position: old, group: &group, found_by: None }),
            );
            match appended {
                Ok(new) => {
                    group.set_next(offset_of(old), new);
                    break (old, new, group.row_id(offset_of(old)));
                }
                Err(refused) => {
                    group.unend(offset_of(old));
                    drop(writer);
                    // Transactions that wait for this row may continue.
                    self.shared.waits.wake();
                    let obstacle = refused.met(transaction, self)?;
                    transaction.wait(&obstacle)?;
                }
            }
        };
        self.note_update(transaction, (old, new, row_id), row)?;
        Ok(Written::Done(new))
    }

    /// Notes for commit, undo, journal and references that a version was replaced by a new one of these values.
    #[inline]
    fn note_update<R: Row + ?Sized>(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        (old, new, row_id): (u64, u64, u64),
        row: &R,
    ) -> Result<()> {
        transaction.note_updated(self, old, new);
        if let Some(redo) = transaction.redo().filter(|_| self.definition.logged) {
            redo.updated(self.id, &self.types, row_id, &Canonical { row, types: &self.types })?;
        }
        if self.references.has_parents() {
            transaction.note_check(Check::child(self, new));
        }
        if self.references.has_children() {
            transaction.note_check(Check::parent(self, old, Some(new)));
        }
        Ok(())
    }

    /// Replaces the version that has these values in the columns of a unique index by one that differs in these columns: the
    /// id of its row. The row is looked for and changed under one latch, which is the short way of most updates.
    /// `None` in other cases - the first change of its transaction, no such row, or not in the version that
    /// the view sees, or a transaction to wait for: nothing was done, and the caller uses
    /// [`Reader::get`](super::Reader::get) with [`NativeTable::update_columns`].
    ///
    /// Errors: those of [`NativeTable::insert`].
    pub fn update_by_key(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        (number, values): (usize, &[ValueRef<'_>]),
        changes: &[(usize, ValueRef<'_>)],
        view: View,
    ) -> Result<Option<u64>> {
        if !transaction.is_writer() {
            // A transaction becomes a writer only after it has found a row.
            return Ok(None);
        }
        let mark = transaction.mark()?;
        if !transaction.enters_at_once(self) {
            return Ok(None);
        }
        self.check_current()?;
        self.admit()?;
        let fixed_view = transaction.fixed_view();
        let mut writer = self.latch();
        let Some((old, group)) = writer.find(number, values)? else { return Ok(None) };
        let offset = offset_of(old);
        if !group.sees(offset, view) {
            return Ok(None);
        }
        group.load()?;
        let row = Changed { stored: Stored { group: &group, offset }, changes };
        changes.iter().try_for_each(|(column, value)| self.check_value(*column, *value))?;
        match self.end(transaction, &group, old, mark) {
            Ended::Done => {}
            Ended::Obstacle(_) | Ended::Overtaken | Ended::Gone => return Ok(None),
        }
        let replaced = Replaced { position: old, group: &group, found_by: Some(number) };
        let new = match self.append(&mut writer, &row, (mark, fixed_view), Some(replaced)) {
            Ok(new) => new,
            Err(refused) => {
                group.unend(offset);
                drop(writer);
                // Transactions that wait for this row may continue.
                self.shared.waits.wake();
                return refused.met(transaction, self).map(|_| None);
            }
        };
        group.set_next(offset, new);
        drop(writer);
        let row_id = group.row_id(offset);
        self.note_update(transaction, (old, new, row_id), &row)?;
        Ok(Some(row_id))
    }

    /// Replaces the version at a position by one that differs in these columns.
    ///
    /// Errors: as [`NativeTable::update`].
    pub fn update_columns(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        position: u64,
        changes: &[(usize, ValueRef<'_>)],
    ) -> Result<Written> {
        let Some((position, group)) = self.resolve(position) else { return Ok(Written::Gone) };
        group.load()?;
        let stored = Stored { group: &group, offset: offset_of(position) };
        self.update(transaction, position, &Changed { stored, changes })
    }

    /// Deletes the row of which there is a version at a position.
    ///
    /// Errors: `Conflict`, and those of waiting.
    pub fn delete(self: &Arc<Self>, transaction: &mut Transaction, position: u64) -> Result<Written> {
        let mark = transaction.enter(self)?;
        let (old, group) = loop {
            let writer = self.latch();
            let Some((old, group)) = writer.resolve(position) else { return Ok(Written::Gone) };
            group.load()?;
            match self.end(transaction, &group, old, mark) {
                Ended::Done => break (old, group),
                Ended::Gone => return Ok(Written::Gone),
                Ended::Overtaken => return overtaken(transaction, &group, old),
                Ended::Obstacle(obstacle) => {
                    drop(writer);
                    transaction.wait(&obstacle)?;
                }
            }
        };
        transaction.note_deleted(self, old);
        if let Some(redo) = transaction.redo().filter(|_| self.definition.logged) {
            redo.deleted(self.id, group.row_id(offset_of(old)));
        }
        if self.references.has_children() {
            transaction.note_check(Check::parent(self, old, None));
        }
        Ok(Written::Done(old))
    }

    /// Locks the row of which there is a version at a position, until the transaction ends: no other changes it.
    ///
    /// Errors: `Conflict`, and those of waiting.
    pub fn lock(self: &Arc<Self>, transaction: &mut Transaction, position: u64, mode: LockMode) -> Result<Written> {
        let locked = self.lock_if_free(transaction, position, mode, true)?;
        locked.ok_or_else(|| internal("a lock was not waited for"))
    }

    /// Locks the row as [`NativeTable::lock`] does; `None` when another transaction holds it and that is not waited for.
    ///
    /// Errors: `Conflict`, and those of waiting.
    pub fn lock_if_free(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        position: u64,
        mode: LockMode,
        waits: bool,
    ) -> Result<Option<Written>> {
        let mark = transaction.enter(self)?;
        loop {
            let writer = self.latch();
            let Some((at, group)) = writer.resolve(position) else { return Ok(Some(Written::Gone)) };
            let offset = offset_of(at);
            let (created, ended) = (group.created(offset), group.ended(offset));
            let row = (self.id, group.row_id(offset));
            let stamps = (mark, self.shared.last_published());
            let found = obstacle(&group, offset, created, stamps)
                .or_else(|| obstacle(&group, offset, ended, stamps))
                .or_else(|| transaction.lock_obstacle(row, mode));
            match found {
                Some(_) if !waits => return Ok(None),
                Some(obstacle) => {
                    drop(writer);
                    transaction.wait(&obstacle)?;
                }
                None if created == ABORTED || ended == mark => return Ok(Some(Written::Gone)),
                None if ended != NEVER => return overtaken(transaction, &group, at).map(Some),
                None => {
                    // Under the latch: a writer of this row looks for locks there, too.
                    transaction.take_lock(row, mode);
                    return Ok(Some(Written::Done(at)));
                }
            }
        }
    }

    /// Locks a range of the table until the transaction ends: no other inserts a row there. In mode Exclusive no other
    /// locks any of it either.
    ///
    /// Errors: those of waiting.
    pub fn lock_range(self: &Arc<Self>, transaction: &mut Transaction, range: KeyRange, mode: LockMode) -> Result<()> {
        transaction.enter(self)?;
        loop {
            let writer = self.latch();
            match transaction.range_obstacle(self.id, mode, &range) {
                Some(obstacle) => {
                    drop(writer);
                    transaction.wait(&obstacle)?;
                }
                None => {
                    // Under the latch: a transaction that inserts a row checks the ranges there, too.
                    transaction.take_range(self.id, mode, range);
                    return Ok(());
                }
            }
        }
    }

    /// The transaction that keeps a row out of a range that it holds; `is_new` for a row that replaces none.
    #[inline]
    pub(super) fn kept_out<R: Row + ?Sized>(&self, row: &R, mark: u64, is_new: bool) -> Option<Obstacle> {
        let ranges = &self.shared.ranges;
        if !ranges.any() {
            return None;
        }
        let holder = ranges.keeper(self.id, mark & !MARK, row, is_new)?;
        Some(Obstacle::Range { table: self.id, holder })
    }

    /// Where a version is now: vacuum may have moved it. `None` if it is gone.
    pub fn resolve(&self, position: u64) -> Option<(u64, Arc<Group>)> {
        if let Some(group) = self.directory().group(position) {
            return Some((position, Arc::clone(group)));
        }
        self.latch().resolve(position)
    }

    /// Checks what can be said about a row by itself.
    #[inline]
    pub(super) fn check_row<R: Row + ?Sized>(&self, row: &R) -> Result<()> {
        let mut changed = (0..self.definition.columns.len()).filter(|number| row.changes(*number));
        changed.try_for_each(|number| self.check_value(number, row.value(number)))
    }

    /// Checks what can be said about a value of a column by itself.
    #[inline]
    fn check_value(&self, number: usize, value: ValueRef<'_>) -> Result<()> {
        let Some(column) = self.definition.columns.get(number) else { return Ok(()) };
        if !is_kept_as_is(column.sql_type, &value) {
            canonical(column.sql_type, value).map_err(|error| self.in_column(error, number))?;
        } else if matches!(value, ValueRef::Null) && !column.nullable {
            return Err(self.not_null(number));
        }
        Ok(())
    }

    #[cold]
    pub(super) fn in_column(&self, error: Error, number: usize) -> Error {
        error.at(format!("{}.{}", self.definition.name, self.definition.columns[number].name))
    }

    #[cold]
    pub(super) fn not_null(&self, number: usize) -> Error {
        let (table, column) = (&self.definition.name, &self.definition.columns[number].name);
        let error = Error::new(Code::NotNullViolation, "the column may not be NULL");
        self.in_column(error.of_constraint(ConstraintKind::NotNull, table, column), number)
    }

    /// Appends a version and enters it into the indexes: its position. Its row id is that of the version that it replaces, or
    /// the writer's next one.
    ///
    /// Two words, which are returned in registers: every row comes this way.
    #[inline]
    fn append<R: Row + ?Sized>(
        &self,
        writer: &mut Writer,
        row: &R,
        (mark, view): (u64, u64),
        old: Option<Replaced<'_>>,
    ) -> Result<u64, Box<Refused>> {
        if let Some(obstacle) = self.kept_out(row, mark, old.is_none()) {
            return Err(Box::new(Refused::Obstacle(obstacle)));
        }
        let group = self.room(writer)?;
        let position = group.next_position();
        let previous = old.map_or(NOWHERE, |old| old.position);
        group.reserve(mark, previous);
        let row_id = match old {
            Some(old) => old.group.row_id(offset_of(old.position)),
            None => writer.next_row_id,
        };
        if !writer.indexes.is_empty() {
            let newcomer = Newcomer { row, row_id, position, mark, view, old, is_alone: false };
            match self.enter(writer, &newcomer) {
                Ok(()) => {}
                Err(refused) => {
                    self.unreserve(writer);
                    return Err(Box::new(refused));
                }
            }
        }
        let Some(group) = writer.current.as_mut() else {
            return Err(internal("a table has no group to append to").into());
        };
        group.append(row, row_id)?;
        writer.next_row_id = writer.next_row_id.max(row_id + 1);
        Ok(position)
    }

    /// Undoes [`crate::group::GroupWriter::reserve`]: the slot stays free.
    fn unreserve(&self, writer: &mut Writer) {
        if let Some(group) = &writer.current {
            self.links.remove(group.next_position(), writer.indexes.len());
            group.unreserve();
        }
    }

    /// Marks a version as ended.
    #[inline]
    fn end(&self, transaction: &Transaction, group: &Arc<Group>, position: u64, mark: u64) -> Ended {
        let offset = offset_of(position);
        if let Some(obstacle) = transaction.lock_obstacle((self.id, group.row_id(offset)), LockMode::Exclusive) {
            return Ended::Obstacle(obstacle);
        }
        let created = group.created(offset);
        if created == ABORTED {
            return Ended::Gone;
        }
        if let Some(obstacle) = obstacle(group, offset, created, (mark, self.shared.last_published())) {
            return Ended::Obstacle(obstacle);
        }
        match group.end(offset, mark) {
            Ok(()) => Ended::Done,
            Err(stamp) if stamp == mark => Ended::Gone,
            Err(stamp) => match obstacle(group, offset, stamp, (mark, self.shared.last_published())) {
                Some(obstacle) => Ended::Obstacle(obstacle),
                None => Ended::Overtaken,
            },
        }
    }
}

/// The outcome for a writer whose row another transaction has changed first.
fn overtaken(transaction: &Transaction, group: &Group, position: u64) -> Result<Written> {
    transaction.check_overtaken()?;
    Ok(match group.next(offset_of(position)) {
        NOWHERE => Written::Deleted,
        next => Written::Moved(next),
    })
}

/// A row whose values have been checked, in the form in which their columns keep them.
struct Canonical<'a, R: ?Sized> {
    row: &'a R,
    types: &'a [SqlType],
}

impl<R: Row + ?Sized> Row for Canonical<'_, R> {
    fn value(&self, column: usize) -> ValueRef<'_> {
        let Some(sql_type) = self.types.get(column) else { return ValueRef::Null };
        canonical(*sql_type, self.row.value(column)).unwrap_or(ValueRef::Null)
    }

    fn changes(&self, column: usize) -> bool {
        self.row.changes(column)
    }
}
