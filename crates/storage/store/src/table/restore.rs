//! Restored rows: from a checkpoint's files, from the journal, and from the table as it was before its columns changed.
//!
//! While a store is opened it has no readers, so there are no versions: a changed row is removed from the indexes and
//! buried, and its new values are appended under the same row id.

use super::entries::{NewRows, Newcomer, Refused};
use super::{NativeTable, Writer, internal};
use crate::column::Column;
use crate::column::encoded::StoredColumn;
use crate::directory::Directory;
use crate::files::{StoredGroup, TableImage};
use crate::group::{Group, GroupWriter, MAX_CAPACITY, offset_of};
use crate::memory::DecodedMemory;
use crate::row::{Row, Stored};
use crate::stamp::NOWHERE;
use arrow_array::{ArrayRef, new_null_array};
use mainstay_types::interrupt::{self, Pace};
use mainstay_types::{Code, Error, Result, SqlType};
use std::sync::Arc;

impl NativeTable {
    /// Takes the groups of a checkpoint into this empty table; its columns have these numbers. `load` gives the rows of
    /// a group's file.
    ///
    /// Errors: those of `load`, and `Damaged` for rows of another table.
    pub(crate) fn load(
        &self,
        image: &TableImage,
        ids: &[u64],
        mut load: impl FnMut(&crate::files::GroupImage) -> Result<StoredGroup>,
    ) -> Result<()> {
        let mut writer = self.latch();
        let mut groups: Vec<Arc<Group>> = Vec::new();
        for (number, stored) in image.groups.iter().enumerate() {
            let found = load(stored)?;
            if found.rows != stored.rows as usize || found.group != stored.group || found.rows == 0 {
                return Err(self.damaged(format!("the file of group {} holds another one", stored.group)));
            }
            if found.rows > MAX_CAPACITY {
                return Err(self.damaged(format!("group {} has more rows than a group may have", stored.group)));
            }
            writer.row_bytes = stored.memory_bytes as usize / found.rows;
            // The last one is copied into memory if there is room left in it, to be appended to.
            let is_last = number + 1 == image.groups.len();
            let capacity = self.next_capacity(&writer, &groups);
            let damaged = |error: Error| self.damaged(error.to_string());
            let group = if is_last && found.rows < capacity {
                let arrays = arrays_of(&self.types, &found, ids).map_err(damaged)?;
                let current = GroupWriter::of_vectors(&self.types, &arrays, &found, capacity)?;
                let group = Arc::clone(current.group());
                writer.current = Some(current);
                group
            } else {
                let columns = columns_of(&self.types, &found, ids, &self.shared.memory.decoded).map_err(damaged)?;
                Arc::new(Group::of_columns(columns, &found)?)
            };
            stored.deleted.iter().for_each(|offset| group.bury(*offset as usize));
            self.count_garbage(stored.deleted.len());
            groups.push(group);
        }
        let greatest = groups.iter().map(|group| group.greatest_row_id()).max().unwrap_or(0);
        writer.next_row_id = image.next_row_id.max(greatest.saturating_add(1));
        writer.next_group = image.next_group;
        let indexes = Arc::clone(&writer.indexes);
        self.install(&mut writer, Directory::of(groups, indexes)?);
        // A statement may be the first to look at the store, and end: that is no damage.
        let _whole = interrupt::suspended();
        self.enter_all(&mut writer, 0, |_| true).map_err(|error| self.damaged(error.to_string()))
    }

    pub(super) fn damaged(&self, message: String) -> Error {
        Error::new(Code::Damaged, message)
            .at(&self.definition.name)
            .hint("restore the database from a backup, or see what `mainstay check` says")
    }

    /// Enters every version that may still be seen into the indexes that `wanted` names by number.
    ///
    /// Errors: `UniqueViolation`, and those of [`interrupt`].
    pub(super) fn enter_all(&self, writer: &mut Writer, mark: u64, wanted: impl Fn(usize) -> bool) -> Result<()> {
        let indexes = Arc::clone(&writer.indexes);
        let directory = Arc::clone(&writer.directory);
        let horizon = self.shared.horizon();
        let mut pace = Pace::default();
        for (number, index) in indexes.iter().enumerate().filter(|(number, _)| wanted(*number)) {
            for group in directory.groups() {
                group.load()?;
                for offset in (0..group.len()).filter(|offset| !group.is_dead(*offset, horizon)) {
                    pace.step()?;
                    let (row, position) = (Stored { group, offset }, group.position(offset));
                    let row_id = group.row_id(offset);
                    let new = Newcomer { row: &row, row_id, position, mark, view: u64::MAX, old: None, is_alone: true };
                    self.enter_one(writer, number, index, &new).map_err(refusal)?;
                }
            }
        }
        Ok(())
    }

    /// Appends a row that has its id already: its position.
    ///
    /// Errors: those of [`NativeTable::insert`].
    pub(crate) fn restore_row<R: Row + ?Sized>(
        &self,
        writer: &mut Writer,
        row: &R,
        row_id: u64,
        mark: u64,
    ) -> Result<u64> {
        let group = self.room(writer)?;
        let position = group.next_position();
        group.reserve(mark, NOWHERE);
        let newcomer = Newcomer { row, row_id, position, mark, view: u64::MAX, old: None, is_alone: true };
        if let Err(refused) = self.enter(writer, &newcomer) {
            if let Some(group) = &writer.current {
                group.unreserve();
            }
            return Err(refusal(refused));
        }
        let group = writer.current.as_mut().ok_or_else(|| internal("a table has no group to append to"))?;
        group.append(row, row_id)?;
        writer.next_row_id = writer.next_row_id.max(row_id.saturating_add(1));
        Ok(position)
    }

    /// Appends rows of checked vectors, whose ids count on from `first_row_id`; tells each position.
    ///
    /// Errors: those of [`NativeTable::insert_columns`].
    pub(crate) fn restore_columns(
        &self,
        arrays: &[ArrayRef],
        rows: usize,
        first_row_id: u64,
        visit: &mut dyn FnMut(u64, u64),
    ) -> Result<()> {
        if self.check_arrays(arrays)? != rows {
            return Err(self.damaged("the columns have another number of rows".to_owned()));
        }
        let mut writer = self.latch();
        let mut done = 0;
        while done < rows {
            let row_id = first_row_id.saturating_add(done as u64);
            let group = self.room(&mut writer)?;
            let count = (rows - done).min(group.room());
            let first = group.next_position();
            group.fill_columns(arrays, done..done + count, 0, row_id)?;
            let stored = Arc::clone(group.group());
            let new = NewRows {
                first,
                first_row_id: row_id,
                count,
                mark: 0,
                view: u64::MAX,
                is_alone: true,
                is_watched: false,
            };
            if let (_, Some(refused)) = new.enter(self, &mut writer, &stored, |_| Ok(())) {
                return Err(refusal(refused));
            }
            (0..count as u64).for_each(|i| visit(row_id.saturating_add(i), first + i));
            let group = writer.current.as_mut().ok_or_else(|| internal("a table has no group to append to"))?;
            group.publish(count);
            done += count;
            writer.next_row_id = writer.next_row_id.max(row_id.saturating_add(count as u64));
        }
        Ok(())
    }

    /// Removes a version from the indexes and buries it. Only while there are no readers.
    pub(crate) fn restore_end(&self, writer: &mut Writer, position: u64) {
        let Some(group) = writer.directory.group(position).cloned() else { return };
        let indexes = Arc::clone(&writer.indexes);
        let row = Stored { group: &group, offset: offset_of(position) };
        for index in indexes.iter() {
            if index.key(&row, group.row_id(row.offset), &mut writer.key).is_ok() {
                index.entries.remove_if(&writer.key, position);
            }
        }
        group.bury(row.offset);
        self.count_garbage(1);
    }
}

/// A column of a group file, checked; one that came later is NULL.
///
/// Errors: those of [`StoredColumn::check`].
fn column_of(sql_type: SqlType, stored: &StoredGroup, id: u64) -> Result<StoredColumn> {
    match stored.column(id) {
        Some(column) => column.check(sql_type).map(|()| column.clone()),
        None => Ok(StoredColumn::Plain(new_null_array(&crate::column::layout::data_type(sql_type), stored.rows))),
    }
}

/// The columns of a group file in the order of a table's, as vectors.
///
/// Errors: those of [`column_of`].
pub(super) fn arrays_of(types: &[SqlType], stored: &StoredGroup, ids: &[u64]) -> Result<Vec<ArrayRef>> {
    types.iter().zip(ids).map(|(sql_type, id)| column_of(*sql_type, stored, *id)?.array()).collect()
}

/// The columns of a group file in the order of a table's. `memory` is that for what is decoded of them.
///
/// Errors: those of [`column_of`].
pub(super) fn columns_of(
    types: &[SqlType],
    stored: &StoredGroup,
    ids: &[u64],
    memory: &Arc<DecodedMemory>,
) -> Result<Arc<[Column]>> {
    let column =
        |(sql_type, id): (&SqlType, &u64)| Column::of_stored(*sql_type, &column_of(*sql_type, stored, *id)?, memory);
    types.iter().zip(ids).map(column).collect()
}

fn refusal(refused: Refused) -> Error {
    refused.obstacle().map_or_else(|error| error, |_| internal("a row that comes back met an open transaction"))
}
