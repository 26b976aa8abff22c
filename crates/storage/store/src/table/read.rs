//! Reading for one statement: the versions that a view sees, and their values.
//!
//! A [`Reader`] pins the directory and the length of the last group when the statement begins. So a statement never
//! sees the rows it inserts itself, and an INSERT from a SELECT over the same table ends. From an index entry the
//! reader follows links to the version that the view sees.
//!
//! Values are read in place: a group's columns give single values and typed slices, for as long as the reader lives.

use super::NativeTable;
use super::indexes::TableIndex;
use crate::column::Column;
use crate::directory::Directory;
use crate::group::{Group, offset_of};
use crate::index::{Cursor, Direction};
use crate::row::Stored;
use crate::stamp::{NOWHERE, View};
use arrow_buffer::BooleanBuffer;
use mainstay_types::{Code, Error, Result, ValueRef};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// Entries that are read from an index at a time.
const PORTION: usize = 256;

/// A group as a view sees it.
pub struct Seen<'r> {
    /// The group.
    pub group: &'r Arc<Group>,
    /// The number of its slots that belong to the view.
    pub length: usize,
    /// Which of these it sees; `None` for all.
    pub visible: Option<BooleanBuffer>,
}

impl Seen<'_> {
    /// The number of rows that the view sees.
    pub fn count(&self) -> usize {
        self.visible.as_ref().map_or(self.length, BooleanBuffer::count_set_bits)
    }

    /// The slots that it sees, until one fails.
    pub fn try_for_each(&self, mut slot: impl FnMut(usize) -> Result<()>) -> Result<()> {
        match &self.visible {
            None => (0..self.length).try_for_each(slot),
            Some(visible) => visible.set_indices().try_for_each(&mut slot),
        }
    }
}

/// A table as a statement sees it.
pub struct Reader<'t> {
    pinned: Pinned<'t>,
    key: Vec<u8>,
}

/// The state that a reader has pinned. It is apart from the buffer of keys, so that a version that is found by a key borrows
/// only this.
struct Pinned<'t> {
    table: &'t NativeTable,
    directory: Arc<Directory>,
    /// Slots of the last group that are part of it.
    last_length: usize,
    view: View,
}

/// A version of a row: its position and where that is.
#[derive(Clone, Copy)]
pub struct Version<'r> {
    /// The position.
    pub position: u64,
    /// The group.
    pub group: &'r Arc<Group>,
    /// The offset in the group.
    pub offset: usize,
    /// The columns of the group, looked up once for all values of the row.
    columns: &'r [Column],
}

impl<'r> Version<'r> {
    /// The version in a slot, whose values can be read.
    ///
    /// Errors: why the group cannot be loaded.
    #[inline]
    fn loaded(group: &'r Arc<Group>, offset: usize) -> Result<Version<'r>> {
        let columns = group.loaded()?;
        Ok(Version { position: group.position(offset), group, offset, columns })
    }

    /// The value of a column.
    #[inline]
    pub fn value(&self, column: usize) -> ValueRef<'r> {
        self.columns.get(column).map_or(ValueRef::Null, |column| column.value(self.offset))
    }

    /// The id of its row.
    pub fn row_id(&self) -> u64 {
        self.group.row_id(self.offset)
    }
}

impl<'t> Reader<'t> {
    #[inline]
    pub(super) fn new(table: &'t NativeTable, view: View) -> Reader<'t> {
        loop {
            let before = table.moves.load(Ordering::Acquire);
            let directory = table.directory();
            let last_length = directory.groups().last().map_or(0, |group| group.len());
            fence(Ordering::Acquire);
            // While rows are moved, they are in the last group and in the one that is to go.
            if before.is_multiple_of(2) && table.moves.load(Ordering::Relaxed) == before {
                return Reader::pinned(table, directory, last_length, view);
            }
            drop(table.latch());
        }
    }

    /// A reader of groups that were pinned before.
    pub(super) fn pinned(
        table: &'t NativeTable,
        directory: Arc<Directory>,
        last_length: usize,
        view: View,
    ) -> Reader<'t> {
        Reader { pinned: Pinned { table, directory, last_length, view }, key: Vec::new() }
    }

    /// The view of the reader.
    pub fn view(&self) -> View {
        self.pinned.view
    }

    /// The groups.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.pinned.directory
    }

    /// The number of slots of a group that are part of it.
    #[inline]
    pub fn length(&self, ordinal: usize) -> usize {
        self.pinned.length(ordinal)
    }

    /// True when the view sees the version at a position. Nothing is loaded for that.
    #[inline]
    pub(super) fn sees(&self, position: u64) -> bool {
        self.pinned.seen(position).is_some()
    }

    /// The version at a position, if the view sees it.
    #[inline]
    pub fn version(&self, position: u64) -> Option<Version<'_>> {
        let (group, offset) = self.pinned.seen(position)?;
        Some(Version { position, group, offset, columns: group.columns() })
    }

    /// The value of a column of the version at a position; NULL if it is not part of the reader.
    #[inline]
    pub fn value(&self, position: u64, column: usize) -> ValueRef<'_> {
        self.directory().group(position).map_or(ValueRef::Null, |group| group.value(offset_of(position), column))
    }

    /// The row that has these values in the columns of a unique index. Text compares as the index does.
    ///
    /// Errors: values that the index's columns do not take, or an index that is not unique.
    pub fn get(&mut self, index: usize, values: &[ValueRef<'_>]) -> Result<Option<Version<'_>>> {
        self.pinned.find(index, values, &mut self.key)
    }

    /// The same with a buffer for the key, for many readers at once.
    ///
    /// Errors: as [`get`](Reader::get).
    pub fn get_with(&self, index: usize, values: &[ValueRef<'_>], key: &mut Vec<u8>) -> Result<Option<Version<'_>>> {
        self.pinned.find(index, values, key)
    }

    /// The row for whose sake an index would refuse a new row of these values.
    ///
    /// Errors: values that the index's columns do not take.
    pub fn rival(&mut self, index: usize, values: &[ValueRef<'_>]) -> Result<Option<Version<'_>>> {
        let rules = self.directory().indexes().get(index).ok_or_else(no_index)?;
        let mut key = Vec::new();
        // Where others may have the same values, the key ends with the row; no row has this number.
        rules.key(values, u64::MAX, &mut key)?;
        self.pinned.entry(index, rules, &key)
    }

    /// Visits the versions that the view sees in a range of an index's key bytes, in their order, until `visit` breaks.
    ///
    /// With `exact`, each row comes once, where its key is; without, a version may come again at a key it had before,
    /// which is cheaper and enough when the order does not matter.
    pub fn scan(
        &self,
        number: usize,
        low: &[u8],
        high: Option<&[u8]>,
        direction: Direction,
        exact: bool,
        visit: &mut dyn FnMut(u64) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut cursor = Cursor::new(low, high, direction);
        self.scan_with(&mut cursor, number, exact, &mut |version| visit(version.position))
    }

    /// The same with the range in a cursor whose buffers are used again.
    pub fn scan_with<'s>(
        &'s self,
        cursor: &mut Cursor,
        number: usize,
        exact: bool,
        visit: &mut dyn FnMut(Version<'s>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let index = self.directory().indexes().get(number).ok_or_else(no_index)?;
        let mut entries = [0; PORTION];
        while !cursor.is_finished() {
            let count = index.entries.fetch(cursor, &mut entries);
            for entry in &entries[..count] {
                let place = match self.pinned.seen(*entry) {
                    Some(place) => place,
                    None => match self.pinned.follow(number, *entry) {
                        Some(position) if !exact || self.same_key(index, *entry, position) => {
                            match self.pinned.seen(position) {
                                Some(place) => place,
                                None => continue,
                            }
                        }
                        _ => continue,
                    },
                };
                let version = Version::loaded(place.0, place.1)?;
                if visit(version)?.is_break() {
                    return Ok(());
                }
            }
        }
        self.pinned.table.check_sound()
    }

    /// Returns true if two versions have the same key.
    fn same_key(&self, index: &TableIndex, entry: u64, position: u64) -> bool {
        let directory = self.pinned.table.current_directory();
        let Some(group) = directory.group(entry) else { return false };
        let offset = offset_of(entry);
        if offset >= group.len() {
            // It is being written. Its writer is done when the latch is free.
            drop(self.pinned.table.latch());
        }
        if offset >= group.len() {
            // It was dropped, and the entry is that of the version it was to replace.
            return true;
        }
        let mut key = Vec::new();
        let stored = Stored { group, offset };
        index.key(&stored, group.row_id(offset), &mut key).is_ok() && self.pinned.has_key(index, position, &key)
    }

    /// Visits every version that the view sees, until `visit` breaks.
    pub fn for_each<'s>(&'s self, visit: &mut dyn FnMut(Version<'s>) -> Result<ControlFlow<()>>) -> Result<()> {
        for Seen { group, length, visible } in self.groups() {
            let columns = group.loaded()?;
            for offset in 0..length {
                if visible.as_ref().is_none_or(|visible| visible.value(offset))
                    && visit(Version { position: group.position(offset), group, offset, columns })?.is_break()
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The visible slots of each group. A caller that reads values loads the group first ([`Group::load`]).
    pub fn groups(&self) -> impl Iterator<Item = Seen<'_>> {
        self.directory().groups().iter().enumerate().map(|(ordinal, group)| {
            let length = self.length(ordinal);
            Seen { group, length, visible: group.visible(self.view(), length) }
        })
    }

    /// The number of rows that the view sees.
    pub fn count(&self) -> usize {
        let groups = self.directory().groups().iter().enumerate();
        groups.map(|(ordinal, group)| group.visible_count(self.view(), self.length(ordinal))).sum()
    }
}

impl Pinned<'_> {
    /// The number of slots of a group that are part of it.
    #[inline]
    fn length(&self, ordinal: usize) -> usize {
        let groups = self.directory.groups();
        if ordinal + 1 == groups.len() { self.last_length } else { groups.get(ordinal).map_or(0, |group| group.len()) }
    }

    /// The place of the version at a position, if the view sees it.
    #[inline]
    fn seen(&self, position: u64) -> Option<(&Arc<Group>, usize)> {
        let (ordinal, group) = self.directory.find(position)?;
        let offset = offset_of(position);
        (offset < self.length(ordinal) && group.sees(offset, self.view)).then_some((group, offset))
    }

    fn find(&self, number: usize, values: &[ValueRef<'_>], key: &mut Vec<u8>) -> Result<Option<Version<'_>>> {
        let index = self.directory.indexes().get(number).filter(|index| index.is_unique()).ok_or_else(no_index)?;
        let mut writer = index.encoder.start(key);
        values.iter().try_for_each(|value| writer.push(*value))?;
        if values.len() != index.columns.len() || writer.has_null() {
            return Ok(None);
        }
        writer.finish(0);
        self.entry(number, index, key)
    }

    /// The version that the view sees of the row with a whole key.
    fn entry(&self, number: usize, index: &TableIndex, key: &[u8]) -> Result<Option<Version<'_>>> {
        let Some(entry) = index.entries.get(key) else {
            // An index that was lost with its rows has nothing.
            return self.table.check_sound().map(|()| None);
        };
        match self.seen(entry) {
            Some((group, offset)) => Version::loaded(group, offset).map(Some),
            None => self.earlier_entry(number, index, entry, key),
        }
    }

    /// The version that the view sees of the row with a whole key whose entry leads to a version that it does not see.
    #[cold]
    fn earlier_entry(&self, number: usize, index: &TableIndex, entry: u64, key: &[u8]) -> Result<Option<Version<'_>>> {
        let found = self.follow(number, entry).filter(|position| self.has_key(index, *position, key));
        self.table.check_sound()?;
        match found.and_then(|position| self.seen(position)) {
            Some((group, offset)) => Version::loaded(group, offset).map(Some),
            None => Ok(None),
        }
    }

    /// The version that the view sees among those that had an entry before this one. Their keys may differ.
    fn follow(&self, index: usize, entry: u64) -> Option<u64> {
        let mut current = None;
        let mut at = entry;
        loop {
            at = match self.directory.group(at) {
                Some(group) => self.table.link(index, group, at),
                // A group that came after this statement began, or one that is gone.
                None => {
                    let current = current.get_or_insert_with(|| self.table.current_directory());
                    self.table.link(index, current.group(at)?, at)
                }
            };
            if at == NOWHERE {
                return None;
            }
            if self.seen(at).is_some() {
                return Some(at);
            }
        }
    }

    /// Returns true if the key of a version starts with these bytes.
    fn has_key(&self, index: &TableIndex, position: u64, key: &[u8]) -> bool {
        let Some(group) = self.directory.group(position) else { return false };
        let offset = offset_of(position);
        let mut other = Vec::new();
        index.key(&Stored { group, offset }, group.row_id(offset), &mut other).is_ok() && other == key
    }
}

fn no_index() -> Error {
    Error::new(Code::Internal, "the table has no such index")
}
