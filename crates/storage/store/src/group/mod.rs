//! A group: a run of row slots, their columns, and the stamps of their versions.
//!
//! A group has a fixed capacity and is only ever appended to, by one writer (`GroupWriter`, under the table's write
//! latch). The other properties of a slot - the stamps that created and ended its version, the versions before and
//! after it - are atomic numbers beside the columns. Those that few groups need are allocated on first use.
//!
//! ```text
//!   offset      0      1      2      3      ...
//!   columns   [ 17   | 18   | 17   |      ]      ColumnAppender writes, Column reads
//!   created   [ c4   | c4   | t9   |      ]      commit 4, commit 4, open transaction 9
//!   ended     [ t9   | -    | -    |      ]      from the first end on
//!   next      [ 2    |      |      |      ]      from the first update on
//!   prev      [      |      | 0    |      ]
//!   row ids   [ 100  | 101  | 100  |      ]      from the first updated version on; before: first + offset
//! ```
//!
//! The length is published (Release) after columns, stamp and row id of a slot are in place.
//!
//! The columns of a group that a checkpoint has written may not be loaded yet (module `stored`); all the rest is known without them.
//!
//! When every version of a full group is old enough to be seen by all views, its `created` stamps carry no information:
//! the table replaces the group by `Group::without_created`, which shares all other parts.

pub(crate) mod load;
pub(crate) mod stored;
mod visible;

use crate::column::{Column, ColumnAppender};
use crate::resident::Pages;
use crate::row::{Row, Stored};
use crate::stamp::{ABORTED, NEVER, NOWHERE, Stamps, View, exchange, stamps};
use mainstay_types::{Result, SqlType, ValueRef};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use stored::ColumnSource;

/// Slots of a group at most: offsets have 16 bits.
pub const MAX_CAPACITY: usize = 1 << 16;
/// Slots of a group at least.
pub const MIN_CAPACITY: usize = 64;

/// The group number of a position.
#[inline]
pub fn group_of(position: u64) -> u64 {
    position >> 16
}

/// The offset of a position in its group.
#[inline]
pub fn offset_of(position: u64) -> usize {
    (position & 0xFFFF) as usize
}

/// A run of row slots, for readers.
pub struct Group {
    number: u64,
    capacity: usize,
    /// Empty until they are loaded.
    columns: OnceLock<Arc<[Column]>>,
    /// Where they come from, if they have to be loaded.
    source: Option<Arc<dyn ColumnSource>>,
    /// The file of the source.
    pages: Option<Arc<Pages>>,
    /// `None`: everything was created before every view.
    created: Option<Arc<Stamps>>,
    /// True if its values are in a file of a checkpoint.
    is_stored: bool,
    state: Arc<State>,
}

/// The state that the forms of a group share, with and without its stamps.
struct State {
    first_row_id: u64,
    /// The row id of the last slot of a group whose row ids may have to be loaded.
    last_row_id: u64,
    /// The least and the greatest row id of such a group.
    stored_range: Option<(u64, u64)>,
    /// True when the row ids are not consecutive and are stored in the file.
    has_stored_ids: bool,
    length: AtomicUsize,
    row_ids: OnceLock<Stamps>,
    /// True if a slot has a lesser row id than the one before it.
    is_mixed: AtomicBool,
    ended: OnceLock<Stamps>,
    previous: OnceLock<Stamps>,
    next: OnceLock<Stamps>,
    /// Slots with any `ended` stamp.
    ended_count: AtomicUsize,
    /// Slots that were rolled back.
    aborted_count: AtomicUsize,
    /// Slots ended by commits or rolled back, of which vacuum has not said yet that their entries are gone.
    garbage_count: AtomicUsize,
    /// Slots of which it has.
    buried_count: AtomicUsize,
    /// This many slots from the first one were created by commits, none of which is later than `settled_commit`.
    settled: AtomicUsize,
    settled_commit: AtomicU64,
}

/// The one writer of a group.
pub(crate) struct GroupWriter {
    group: Arc<Group>,
    columns: Vec<ColumnAppender>,
    length: usize,
}

impl Group {
    /// An empty group and its writer. Row ids of new rows count on from `first_row_id`.
    pub(crate) fn create(number: u64, types: &[SqlType], capacity: usize, first_row_id: u64) -> GroupWriter {
        let (appenders, columns): (Vec<_>, Vec<_>) =
            types.iter().map(|sql_type| Column::with_capacity(*sql_type, capacity)).unzip();
        let state = State {
            first_row_id,
            last_row_id: first_row_id,
            stored_range: None,
            has_stored_ids: false,
            length: AtomicUsize::new(0),
            row_ids: OnceLock::new(),
            is_mixed: AtomicBool::new(false),
            ended: OnceLock::new(),
            previous: OnceLock::new(),
            next: OnceLock::new(),
            ended_count: AtomicUsize::new(0),
            aborted_count: AtomicUsize::new(0),
            garbage_count: AtomicUsize::new(0),
            buried_count: AtomicUsize::new(0),
            settled: AtomicUsize::new(0),
            settled_commit: AtomicU64::new(0),
        };
        let created = Some(Arc::new(stamps(capacity, ABORTED)));
        let columns = OnceLock::from(Arc::from(columns));
        let state = Arc::new(state);
        let group = Group { number, capacity, columns, source: None, pages: None, created, is_stored: false, state };
        GroupWriter { group: Arc::new(group), columns: appenders, length: 0 }
    }

    /// The same group when everything in it was created before every view.
    pub(crate) fn without_created(&self) -> Group {
        Group { created: None, ..self.with_columns(self.columns.clone()) }
    }

    /// The same group with other forms of its columns.
    fn with_columns(&self, columns: OnceLock<Arc<[Column]>>) -> Group {
        Group {
            number: self.number,
            capacity: self.capacity,
            columns,
            source: self.source.clone(),
            pages: self.pages.clone(),
            created: self.created.clone(),
            is_stored: self.is_stored,
            state: Arc::clone(&self.state),
        }
    }

    /// The same group without the decoded values that were not read for long; `None` when there are none.
    pub(crate) fn forgetting(&self) -> Option<Group> {
        let columns = self.columns.get().filter(|columns| columns.iter().any(Column::is_forgotten))?;
        let columns: Arc<[Column]> = columns.iter().map(Column::forgetting).collect();
        Some(self.with_columns(OnceLock::from(columns)))
    }

    /// The same group for an owner that keeps it and rarely reads it: what readers of the table have decoded does not stay
    /// in memory for its sake, nor is anything decoded that they have.
    pub(crate) fn apart(self: &Arc<Group>) -> Arc<Group> {
        match (&self.source, self.columns.get()) {
            (Some(_), _) => Arc::new(self.with_columns(OnceLock::new())),
            (None, Some(columns)) if self.is_stored => {
                let columns: Arc<[Column]> = columns.iter().map(Column::undecoded).collect();
                Arc::new(self.with_columns(OnceLock::from(columns)))
            }
            _ => Arc::clone(self),
        }
    }

    /// The number of the group; positions begin with it.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The capacity in slots.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The current number of slots.
    #[inline]
    pub fn len(&self) -> usize {
        self.state.length.load(Ordering::Acquire)
    }

    /// Returns true if it has no slots yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if there will be no more slots.
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity
    }

    /// Returns true if its values are those of a checkpoint's file, and not in memory of their own.
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// The columns, in the order of the table's. None for a group whose file cannot be read: without a call of
    /// [`Group::load`] before, its values are NULL and its table is damaged.
    #[inline]
    pub fn columns(&self) -> &[Column] {
        match self.columns.get() {
            Some(columns) => {
                self.touch();
                columns
            }
            None => self.load_columns(),
        }
    }

    /// Says that values of its file are about to be read.
    #[inline]
    fn touch(&self) {
        if let Some(pages) = &self.pages {
            pages.touch(0);
        }
    }

    /// The position of a slot.
    #[inline]
    pub fn position(&self, offset: usize) -> u64 {
        self.number << 16 | offset as u64
    }

    /// The value of a column of a slot; NULL for a slot or column that is not there.
    #[inline]
    pub fn value(&self, offset: usize, column: usize) -> ValueRef<'_> {
        self.columns().get(column).map_or(ValueRef::Null, |column| column.value(offset))
    }

    /// The values of some columns of a slot, a cell for each; those that are not there leave their cells as they are.
    #[inline]
    pub fn read<'g>(&'g self, offset: usize, columns: &[usize], cells: &mut [ValueRef<'g>]) {
        let own = self.columns();
        for (cell, column) in cells.iter_mut().zip(columns) {
            if let Some(column) = own.get(*column) {
                column.read(offset, cell);
            }
        }
    }

    /// The id of the row of which a slot holds a version.
    #[inline]
    pub fn row_id(&self, offset: usize) -> u64 {
        match self.state.row_ids.get() {
            Some(ids) => ids.get(offset).map_or(0, |id| id.load(Ordering::Relaxed)),
            None if self.state.has_stored_ids => self.stored_row_id(offset),
            None => self.state.first_row_id + offset as u64,
        }
    }

    /// Returns true if the slots stand in the order of their row ids. A reader that sees a slot has the answer for it.
    pub fn is_in_row_order(&self) -> bool {
        !self.state.is_mixed.load(Ordering::Relaxed)
    }

    /// The stamp of the transaction that created the version of a slot.
    #[inline]
    pub fn created(&self, offset: usize) -> u64 {
        match &self.created {
            Some(created) => created.get(offset).map_or(ABORTED, |stamp| stamp.load(Ordering::Acquire)),
            None => 0,
        }
    }

    /// The stamp of the transaction that ended the version of a slot.
    #[inline]
    pub fn ended(&self, offset: usize) -> u64 {
        self.state.ended.get().and_then(|ended| ended.get(offset)).map_or(NEVER, |stamp| stamp.load(Ordering::Acquire))
    }

    /// Returns true if a view sees the version of a slot. A slot that is still being written is not seen.
    #[inline]
    pub fn sees(&self, offset: usize, view: View) -> bool {
        view.sees_created(self.created(offset)) && !view.sees(self.ended(offset)) && offset < self.len()
    }

    /// Marks the version of a slot as ended by this stamp, if it has not ended. An error holds the stamp that is there.
    pub(crate) fn end(&self, offset: usize, mark: u64) -> Result<(), u64> {
        let ended = self.state.ended.get_or_init(|| stamps(self.capacity, NEVER));
        exchange(&ended[offset], NEVER, mark)?;
        self.state.ended_count.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Removes the mark of an open transaction.
    pub(crate) fn unend(&self, offset: usize) {
        if let Some(stamp) = self.state.ended.get().and_then(|ended| ended.get(offset)) {
            stamp.store(NEVER, Ordering::Release);
            self.state.ended_count.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Turns the mark that ended a slot into a commit number; to be counted with [`Group::count_ended`].
    #[inline]
    pub(crate) fn commit_end(&self, offset: usize, commit: u64) {
        if let Some(stamp) = self.state.ended.get().and_then(|ended| ended.get(offset)) {
            stamp.store(commit, Ordering::Release);
        }
    }

    /// Counts slots that were ended by a commit.
    pub(crate) fn count_ended(&self, slots: usize) {
        self.state.garbage_count.fetch_add(slots, Ordering::AcqRel);
    }

    /// Turns the marks that created these slots into a commit number.
    pub(crate) fn commit_created(&self, offsets: std::ops::Range<usize>, commit: u64) {
        if let Some(created) = &self.created {
            created[offsets].iter().for_each(|stamp| stamp.store(commit, Ordering::Release));
        }
    }

    /// Says that the creation of a slot was rolled back.
    pub(crate) fn abort(&self, offset: usize) {
        if let Some(created) = &self.created {
            created[offset].store(ABORTED, Ordering::Release);
            self.state.aborted_count.fetch_add(1, Ordering::AcqRel);
            self.state.garbage_count.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Says of a dead version that its entries are gone: it is ended at 0 from now on, and was not rolled back.
    ///
    /// Readers read the creation first and then the end, so the end and its count come first here: a reader that finds
    /// the creation of a version rolled back finds the version ended.
    pub(crate) fn bury(&self, offset: usize) {
        let state = &self.state;
        let ended = state.ended.get_or_init(|| stamps(self.capacity, NEVER));
        let before = ended[offset].swap(0, Ordering::AcqRel);
        if before == 0 {
            return;
        }
        if before == NEVER {
            state.ended_count.fetch_add(1, Ordering::AcqRel);
        }
        // Nothing but this makes it another stamp, so a look is enough for nearly all of them.
        let is_aborted = |created: &Arc<Stamps>| created[offset].load(Ordering::Acquire) == ABORTED;
        let was_aborted = self
            .created
            .as_ref()
            .is_some_and(|created| is_aborted(created) && exchange(&created[offset], ABORTED, 0).is_ok());
        if was_aborted {
            state.aborted_count.fetch_sub(1, Ordering::AcqRel);
        }
        if was_aborted || before != NEVER {
            state.garbage_count.fetch_sub(1, Ordering::AcqRel);
        }
        state.buried_count.fetch_add(1, Ordering::AcqRel);
    }

    /// Where the version before that of a slot is, or [`NOWHERE`].
    #[inline]
    pub(crate) fn previous(&self, offset: usize) -> u64 {
        self.state.previous.get().and_then(|all| all.get(offset)).map_or(NOWHERE, |at| at.load(Ordering::Acquire))
    }

    /// Says where the version before that of a slot is.
    pub(crate) fn set_previous(&self, offset: usize, position: u64) {
        let all = self.state.previous.get_or_init(|| stamps(self.capacity, NOWHERE));
        all[offset].store(position, Ordering::Release);
    }

    /// Where the version after that of a slot is, or [`NOWHERE`].
    #[inline]
    pub(crate) fn next(&self, offset: usize) -> u64 {
        self.state.next.get().and_then(|all| all.get(offset)).map_or(NOWHERE, |at| at.load(Ordering::Acquire))
    }

    /// Says where the version after that of a slot is.
    pub(crate) fn set_next(&self, offset: usize, position: u64) {
        let all = self.state.next.get_or_init(|| stamps(self.capacity, NOWHERE));
        all[offset].store(position, Ordering::Release);
    }

    /// The memory that the group takes, in bytes.
    pub fn bytes(&self) -> usize {
        let stamps = |lazy: &OnceLock<Stamps>| lazy.get().map_or(0, |stamps| stamps.len() * 8);
        let state = &self.state;
        size_of::<Group>()
            + size_of::<State>()
            + self.created.as_ref().map_or(0, |created| created.len() * 8)
            + [&state.row_ids, &state.ended, &state.previous, &state.next].into_iter().map(stamps).sum::<usize>()
            + self.columns.get().map_or(0, |columns| columns.iter().map(Column::bytes).sum::<usize>())
    }
}

impl GroupWriter {
    /// The group, for readers.
    pub(crate) fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// The number of slots that are still free.
    pub(crate) fn room(&self) -> usize {
        self.group.capacity - self.length
    }

    /// Where the next version will be.
    #[inline]
    pub(crate) fn next_position(&self) -> u64 {
        self.group.position(self.length)
    }

    /// Stamps the slot that [`GroupWriter::append`] will fill, so that an index may point to it before it is there.
    #[inline]
    pub(crate) fn reserve(&self, created: u64, previous: u64) {
        if let Some(stamps) = &self.group.created {
            stamps[self.length].store(created, Ordering::Release);
        }
        if previous != NOWHERE {
            self.group.set_previous(self.length, previous);
        }
    }

    /// Undoes [`GroupWriter::reserve`]: the slot is not used now.
    pub(crate) fn unreserve(&self) {
        if let Some(stamps) = &self.group.created {
            stamps[self.length].store(ABORTED, Ordering::Release);
        }
        if self.group.state.previous.get().is_some() {
            self.group.set_previous(self.length, NOWHERE);
        }
    }

    /// Appends a version of a row in the slot that was reserved. The caller has checked the values.
    ///
    /// Errors: a value that a column does not take. Then the slot is used up, and is that of a row rolled back.
    #[inline]
    pub(crate) fn append<R: Row + ?Sized>(&mut self, row: &R, row_id: u64) -> Result<()> {
        let mut failure = None;
        for (number, column) in self.columns.iter_mut().enumerate() {
            if row.source(number).is_some_and(|from| copied(&from, number, column)) {
                continue;
            }
            if let Err(error) = column.push(row.value(number)) {
                // The slot stays, so that all columns are equally long.
                column.push(ValueRef::Null)?;
                failure = Some(error);
            }
        }
        self.set_row_ids(row_id, 1);
        if let Some(error) = failure {
            self.group.abort(self.length);
            self.publish(1);
            return Err(error);
        }
        self.publish(1);
        Ok(())
    }

    /// Writes rows of vectors that were checked into the next slots, without making the slots visible
    /// ([`GroupWriter::publish`]). Row ids are consecutive from `first_row_id`.
    pub(crate) fn fill_columns(
        &mut self,
        arrays: &[arrow_array::ArrayRef],
        rows: std::ops::Range<usize>,
        created: u64,
        first_row_id: u64,
    ) -> Result<()> {
        for (column, array) in self.columns.iter_mut().zip(arrays) {
            column.extend(array, rows.clone())?;
        }
        if let Some(stamps) = &self.group.created {
            let slots = &stamps[self.length..self.length + rows.len()];
            slots.iter().for_each(|stamp| stamp.store(created, Ordering::Relaxed));
        }
        self.set_row_ids(first_row_id, rows.len());
        Ok(())
    }

    /// Notes the row ids of the next slots: nothing to do while they count on from the group's first.
    #[inline]
    fn set_row_ids(&self, first: u64, count: usize) {
        let state = &self.group.state;
        if state.row_ids.get().is_none() && first == state.first_row_id + self.length as u64 {
            return;
        }
        let ids = state.row_ids.get_or_init(|| {
            (0..self.group.capacity as u64).map(|offset| AtomicU64::new(state.first_row_id + offset)).collect()
        });
        let before = self.length.checked_sub(1).map_or(0, |offset| ids[offset].load(Ordering::Relaxed));
        if first < before {
            state.is_mixed.store(true, Ordering::Relaxed);
        }
        for (i, id) in ids[self.length..self.length + count].iter().enumerate() {
            id.store(first + i as u64, Ordering::Relaxed);
        }
    }

    /// Lets everybody see this many more slots, which are written.
    #[inline]
    pub(crate) fn publish(&mut self, count: usize) {
        self.length += count;
        self.group.state.length.store(self.length, Ordering::Release);
    }
}

/// Appends the value that a version has in a column, in its stored form. Returns false if that cannot be done.
#[inline]
fn copied(from: &Stored<'_>, number: usize, to: &mut ColumnAppender) -> bool {
    from.group.columns().get(number).is_some_and(|column| to.push_of(column, from.offset))
}
