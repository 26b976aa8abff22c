//! Index entries of versions that are created or removed. All of this happens under the table's write latch.
//!
//! A new version enters every index under its key. If the key has an entry already, that points to a version in one of
//! these states:
//!
//! ```text
//!   live (or created by an open transaction that is the own one)     a duplicate, if the index is unique
//!   created or ended by another open transaction                     wait; it may go either way
//!   created or ended by a commit that is not published yet           wait; no statement sees it before
//!   ended, rolled back, or the version that is being replaced        take the entry over
//! ```
//!
//! A writer that takes over an entry must leave a path to the version that had it, for older views: the link `prev` of
//! the new version. That is one link for all indexes, and nearly always enough, because the version before *is* the one
//! that had the entries. The exception - a key taken over from another row - goes into [`Links`], a small map beside.
//!
//! A reader that follows links from an entry looks for the version that its view sees; the key must be compared again
//! there, because the version before may have had another one.

use super::indexes::TableIndex;
use super::{NativeTable, Writer};
use crate::column::layout::brief;
use crate::group::{Group, offset_of};
use crate::index::Inserted;
use crate::index::batch::Batch;
use crate::row::{Row, Stored};
use crate::stamp::{ABORTED, MARK, NEVER, NOWHERE};
use crate::transaction::{Obstacle, Read, Transaction, obstacle, overtaken};
use mainstay_types::{Code, ConstraintKind, Error, Result};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Links to versions of other rows that had an entry before: by number of the index and position.
#[derive(Default)]
pub(crate) struct Links {
    count: AtomicUsize,
    links: RwLock<HashMap<(u32, u64), u64>>,
}

impl Links {
    #[inline]
    fn get(&self, index: usize, position: u64) -> Option<u64> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        self.links.read().unwrap_or_else(PoisonError::into_inner).get(&(index as u32, position)).copied()
    }

    fn set(&self, index: usize, position: u64, to: u64) {
        let mut links = self.links.write().unwrap_or_else(PoisonError::into_inner);
        links.insert((index as u32, position), to);
        self.count.store(links.len(), Ordering::Release);
    }

    /// Removes the links of a version in a table of so many indexes.
    pub(super) fn remove(&self, position: u64, indexes: usize) {
        if self.count.load(Ordering::Acquire) > 0 {
            let mut links = self.links.write().unwrap_or_else(PoisonError::into_inner);
            for index in 0..indexes {
                links.remove(&(index as u32, position));
            }
            self.count.store(links.len(), Ordering::Release);
        }
    }

    /// Keeps the links for which this holds.
    pub(super) fn retain(&self, keep: impl Fn(u64, u64) -> bool) {
        if self.count.load(Ordering::Acquire) > 0 {
            let mut links = self.links.write().unwrap_or_else(PoisonError::into_inner);
            links.retain(|(_, from), to| keep(*from, *to));
            links.shrink_to_fit();
            self.count.store(links.len(), Ordering::Release);
        }
    }

    /// Takes over another table's links of the indexes that are in `numbers`, under their new numbers.
    pub(super) fn copy_from(&self, other: &Links, numbers: &HashMap<u32, u32>) {
        let other = other.links.read().unwrap_or_else(PoisonError::into_inner);
        let mut links = self.links.write().unwrap_or_else(PoisonError::into_inner);
        let kept = other.iter().filter_map(|((index, from), to)| numbers.get(index).map(|new| ((*new, *from), *to)));
        links.extend(kept);
        self.count.store(links.len(), Ordering::Release);
    }

    pub(super) fn bytes(&self) -> usize {
        self.count.load(Ordering::Acquire) * 32
    }
}

/// The reason that a version cannot enter the indexes.
pub(super) enum Refused {
    /// A transaction to wait for.
    Obstacle(Obstacle),
    /// The row of this id has the key.
    Duplicate(Error, u64),
    /// The key cannot be made, or was given to another row since the transaction began.
    Error(Error),
}

impl Refused {
    /// Whom to wait for.
    ///
    /// Errors: the one that it is.
    pub(super) fn obstacle(self) -> Result<Obstacle> {
        match self {
            Refused::Obstacle(obstacle) => Ok(obstacle),
            Refused::Duplicate(error, _) | Refused::Error(error) => Err(error),
        }
    }

    /// The same for a transaction that has read the row that has the key: it continues with that reading.
    pub(super) fn met(self, transaction: &mut Transaction, table: &NativeTable) -> Result<Obstacle> {
        if let Refused::Duplicate(_, row_id) = &self {
            transaction.note_read(table, Read::Row(*row_id));
        }
        self.obstacle()
    }
}

impl From<Error> for Box<Refused> {
    #[cold]
    fn from(error: Error) -> Box<Refused> {
        Box::new(Refused::Error(error))
    }
}

/// A version that is about to be appended.
pub(super) struct Newcomer<'a, R: ?Sized> {
    pub(super) row: &'a R,
    pub(super) row_id: u64,
    pub(super) position: u64,
    pub(super) mark: u64,
    /// A row with the same key that was ended after this commit, and is seen at it, is a conflict: there would be two of
    /// them for the transaction. `u64::MAX` for none.
    pub(super) view: u64,
    /// The version that it replaces.
    pub(super) old: Option<Replaced<'a>>,
    /// Tells whether it is restored from files, moved, or entered by a transaction that has the table alone: no commit can be
    /// unpublished then that it meets.
    pub(super) is_alone: bool,
}

/// New rows that are about to be published, at positions and with row ids that count on.
pub(super) struct NewRows {
    pub(super) first: u64,
    pub(super) first_row_id: u64,
    pub(super) count: usize,
    /// As those of [`Newcomer`].
    pub(super) mark: u64,
    pub(super) view: u64,
    pub(super) is_alone: bool,
    /// Tells whether a row may be kept out though its key is new.
    pub(super) is_watched: bool,
}

/// A version that is replaced by a new one of the same row.
#[derive(Clone, Copy)]
pub(super) struct Replaced<'a> {
    pub(super) position: u64,
    pub(super) group: &'a Arc<Group>,
    /// The number of the unique index by which it was found, when its key there is in the writer's buffer.
    pub(super) found_by: Option<usize>,
}

impl<R: Row + ?Sized> Newcomer<'_, R> {
    /// Enters it into the indexes for which this holds, or into none. Its slot is reserved.
    #[inline]
    fn enter_where(
        &self,
        table: &NativeTable,
        writer: &mut Writer,
        is_meant: impl Fn(&TableIndex) -> bool,
    ) -> Result<(), Refused> {
        let taken_over = take_over(writer, self);
        if taken_over.is_some() && writer.indexes.len() == 1 {
            return Ok(());
        }
        let indexes = Arc::clone(&writer.indexes);
        let is_left = |number: usize, index: &TableIndex| Some(number) != taken_over && is_meant(index);
        let others = indexes.iter().enumerate().filter(|(number, index)| is_left(*number, index));
        for (number, index) in others {
            if let Err(refused) = table.enter_one(writer, number, index, self) {
                let entered = indexes.iter().enumerate();
                let entered =
                    entered.filter(|(other, index)| Some(*other) == taken_over || *other < number && is_meant(index));
                for (number, index) in entered {
                    // The key could be made before; the entry goes back to the version that had it.
                    if index.key(self.row, self.row_id, &mut writer.key).is_ok() {
                        table.leave(writer, number, index, self.position);
                    }
                }
                return Err(refused);
            }
        }
        Ok(())
    }
}

impl NewRows {
    /// Enters the rows of a group, whose slots have their values, as sorted batches. Where a key is there already or twice
    /// among the rows, and where rows are watched, they go row by row into the indexes that refuse duplicates, after
    /// `before` has let each pass.
    ///
    /// Returns the number of rows that are in all indexes, and the reason that stopped it before the last.
    pub(super) fn enter(
        &self,
        table: &NativeTable,
        writer: &mut Writer,
        group: &Arc<Group>,
        before: impl Fn(&Stored<'_>) -> Result<(), Refused>,
    ) -> (usize, Option<Refused>) {
        let (mut batches, mut stop) = (Vec::new(), (self.count, None));
        let indexes = Arc::clone(&writer.indexes);
        for index in indexes.iter().filter(|index| !index.refuses_duplicates()) {
            let mut batch = index.entries.batch(stop.0);
            if let Err((at, error)) = self.fill(&mut batch, index, (writer, group), stop.0) {
                stop = (at, Some(Refused::Error(error)));
            }
            batches.push((index, batch));
        }
        let is_entered = !self.is_watched && self.enter_new((writer, group), stop.0);
        if !is_entered && let Err((at, refused)) = self.enter_unique(table, (writer, group), stop.0, before) {
            stop = (at, Some(refused));
        }
        for (index, mut batch) in batches {
            batch.truncate(stop.0);
            index.entries.insert_batch(batch);
        }
        stop
    }

    /// A row by its place among these, with its row id and its position.
    fn row<'g>(&self, group: &'g Arc<Group>, at: usize) -> (Stored<'g>, u64, u64) {
        let row = Stored { group, offset: offset_of(self.first) + at };
        (row, self.first_row_id.saturating_add(at as u64), self.first + at as u64)
    }

    /// Fills a batch with the keys of the first rows. An error comes with the place of its row.
    fn fill(
        &self,
        batch: &mut Batch,
        index: &TableIndex,
        (writer, group): (&mut Writer, &Arc<Group>),
        count: usize,
    ) -> Result<(), (usize, Error)> {
        for at in 0..count {
            let (row, row_id, position) = self.row(group, at);
            index.key(&row, row_id, &mut writer.key).map_err(|error| (at, error))?;
            index.entries.add_to(batch, &writer.key, position);
        }
        Ok(())
    }

    /// Enters the first rows into the indexes that refuse duplicates if all of their keys are new, and returns true if they
    /// are; nothing is entered otherwise.
    fn enter_new(&self, (writer, group): (&mut Writer, &Arc<Group>), count: usize) -> bool {
        let indexes = Arc::clone(&writer.indexes);
        let mut batches = Vec::new();
        for index in indexes.iter().filter(|index| index.refuses_duplicates()) {
            let mut batch = index.entries.batch(count);
            if self.fill(&mut batch, index, (writer, group), count).is_err() {
                return false;
            }
            let Some(batch) = index.entries.new_ones(batch) else { return false };
            batches.push((index, batch));
        }
        batches.into_iter().for_each(|(index, batch)| index.entries.insert_new(batch));
        true
    }

    /// Enters the first rows into the indexes that refuse duplicates. A refusal comes with the place of its row.
    fn enter_unique(
        &self,
        table: &NativeTable,
        (writer, group): (&mut Writer, &Arc<Group>),
        count: usize,
        before: impl Fn(&Stored<'_>) -> Result<(), Refused>,
    ) -> Result<(), (usize, Refused)> {
        let NewRows { mark, view, is_alone, .. } = *self;
        for at in 0..count {
            let (row, row_id, position) = self.row(group, at);
            let new = Newcomer { row: &row, row_id, position, mark, view, old: None, is_alone };
            let entered = before(&row).and_then(|()| new.enter_where(table, writer, TableIndex::refuses_duplicates));
            entered.map_err(|refused| (at, refused))?;
        }
        Ok(())
    }
}

impl NativeTable {
    /// Where the version is that had an index's entry before this one, or [`NOWHERE`].
    #[inline]
    pub(crate) fn link(&self, index: usize, group: &Group, position: u64) -> u64 {
        match self.links.get(index, position) {
            Some(link) => link,
            None => group.previous(offset_of(position)),
        }
    }

    /// Enters a version into all indexes, or into none. Its slot is reserved.
    #[inline]
    pub(super) fn enter<R: Row + ?Sized>(&self, writer: &mut Writer, new: &Newcomer<'_, R>) -> Result<(), Refused> {
        new.enter_where(self, writer, |_| true)
    }

    #[inline]
    pub(super) fn enter_one<R: Row + ?Sized>(
        &self,
        writer: &mut Writer,
        number: usize,
        index: &TableIndex,
        new: &Newcomer<'_, R>,
    ) -> Result<(), Refused> {
        index.key(new.row, new.row_id, &mut writer.key).map_err(Refused::Error)?;
        if let Some(old) = new.old
            && !index.is_changed_by(new.row)
            && index.entries.replace_if(&writer.key, old.position, new.position)
        {
            return Ok(());
        }
        // Keys that end with the row belong to it alone.
        let inserted = match index.refuses_duplicates() {
            true => index.entries.insert(&writer.key, new.position),
            false => index.entries.insert_own(&writer.key, new.position),
        };
        match inserted {
            Inserted::New => Ok(()),
            Inserted::Existing(existing) => {
                if new.old.is_none_or(|old| old.position != existing) {
                    self.judge(writer, number, index, existing, new).map_err(|refused| *refused)?;
                    self.link_to(writer, number, new, existing);
                }
                index.entries.replace(&writer.key, new.position);
                Ok(())
            }
        }
    }

    /// Returns true if the entry of an existing version may be taken over.
    fn judge<R: Row + ?Sized>(
        &self,
        writer: &mut Writer,
        number: usize,
        index: &TableIndex,
        existing: u64,
        new: &Newcomer<'_, R>,
    ) -> Result<(), Box<Refused>> {
        let Some(group) = writer.directory.group(existing) else { return Ok(()) };
        let offset = offset_of(existing);
        let created = group.created(offset);
        if created == ABORTED {
            return Ok(());
        }
        let ended = group.ended(offset);
        let published = if new.is_alone { MARK - 1 } else { self.shared.last_published() };
        let stamps = (new.mark, published);
        let found = obstacle(group, offset, created, stamps).or_else(|| obstacle(group, offset, ended, stamps));
        match found {
            // An index that is not unique has an entry per row: no other row's version can be under its key.
            Some(obstacle) => Err(Box::new(Refused::Obstacle(obstacle))),
            None if ended == NEVER && index.refuses_duplicates() => {
                Err(Box::new(Refused::Duplicate(self.duplicate(index, new.row), group.row_id(offset))))
            }
            None if ended > new.view && ended < MARK && index.refuses_duplicates() => {
                let is_seen = self.is_seen_behind(writer, number, index, existing, new.view);
                if is_seen { Err(Box::new(Refused::Error(overtaken()))) } else { Ok(()) }
            }
            None => Ok(()),
        }
    }

    /// Returns true if a version that had an entry before, or has it now, is seen at a commit, and was ended after it.
    #[cold]
    fn is_seen_behind(&self, writer: &mut Writer, number: usize, index: &TableIndex, existing: u64, view: u64) -> bool {
        let directory = Arc::clone(&writer.directory);
        let mut at = existing;
        while let Some(group) = directory.group(at) {
            let offset = offset_of(at);
            if group.ended(offset) <= view {
                return false;
            }
            let stored = Stored { group, offset };
            if group.created(offset) <= view {
                let key = index.key(&stored, group.row_id(offset), &mut writer.other_key);
                return key.is_ok() && writer.other_key == writer.key;
            }
            at = self.link(number, group, at);
        }
        false
    }

    #[cold]
    fn duplicate<R: Row + ?Sized>(&self, index: &TableIndex, row: &R) -> Error {
        let values: Vec<String> = index.columns.iter().map(|column| brief(row.value(*column))).collect();
        let values = values.join(", ");
        let (kind, constraint) = match index.definition.primary {
            true => ("primary key", ConstraintKind::PrimaryKey),
            false => ("unique index", ConstraintKind::UniqueIndex),
        };
        let message = format!("a row with the key ({values}) is there already");
        Error::new(Code::UniqueViolation, message)
            .about(values)
            .of_constraint(constraint, &self.definition.name, &index.definition.name)
            .at(format!("{}, {kind} {}", self.definition.name, index.definition.name))
    }

    /// Leaves a way from a new version to the one whose entry it takes over.
    fn link_to<R: Row + ?Sized>(&self, writer: &Writer, number: usize, new: &Newcomer<'_, R>, existing: u64) {
        let Some(group) = writer.directory.group(existing) else { return };
        let Some(own) = writer.directory.group(new.position) else { return };
        if group.ended(offset_of(existing)) == 0 {
            // No view sees it any more.
            return;
        }
        if new.old.is_some() && group.row_id(offset_of(existing)) == new.row_id {
            // An older version of the same row: reached through the version before.
            return;
        }
        match own.previous(offset_of(new.position)) {
            NOWHERE => own.set_previous(offset_of(new.position), existing),
            previous if previous == existing => {}
            _ => self.links.set(number, new.position, existing),
        }
    }

    /// Gives the entry of `writer.key` that points to a version back to the version that had it before, or removes it.
    pub(super) fn leave(&self, writer: &mut Writer, number: usize, index: &TableIndex, position: u64) {
        match self.holder_before(writer, number, index, position) {
            Some(before) => {
                index.entries.replace_if(&writer.key, position, before);
            }
            None => {
                index.entries.remove_if(&writer.key, position);
            }
        }
    }

    /// The nearest version behind this one on its chain that has the key `writer.key`.
    fn holder_before(&self, writer: &mut Writer, number: usize, index: &TableIndex, position: u64) -> Option<u64> {
        let directory = Arc::clone(&writer.directory);
        let mut at = position;
        loop {
            let group = directory.group(at)?;
            at = self.link(number, group, at);
            let group = directory.group(at)?;
            let offset = offset_of(at);
            let stored = Stored { group, offset };
            let is_dead = group.created(offset) == ABORTED;
            if !is_dead
                && index.key(&stored, group.row_id(offset), &mut writer.other_key).is_ok()
                && writer.other_key == writer.key
            {
                return Some(at);
            }
        }
    }
}

/// Lets the entry by which the version was found that is replaced point to the new one, if the key stays: the number of
/// the index. Its key is not made again for that.
#[inline]
fn take_over<R: Row + ?Sized>(writer: &Writer, new: &Newcomer<'_, R>) -> Option<usize> {
    let old = new.old?;
    let (number, index) = old.found_by.and_then(|number| Some((number, writer.indexes.get(number)?)))?;
    let stays = !index.is_changed_by(new.row);
    (stays && index.entries.replace_if(&writer.key, old.position, new.position)).then_some(number)
}
