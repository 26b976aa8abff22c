//! Groups read from files: full ones over the file's own memory, and the last one of a table, to which rows are
//! appended.
//!
//! The rows of a file are older than every view, so there are no `created` stamps. Rows in the checkpoint's deletion
//! list are *buried*: ended at 0, and in no index.

use super::stored::ColumnSource;
use super::{Group, GroupWriter, State};
use crate::column::Column;
use crate::files::{GroupRowIds, GroupVectors, RowIdFacts, StoredGroup};
use crate::stamp::Stamps;
use arrow_array::ArrayRef;
use mainstay_types::{Code, Error, Result, SqlType};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

impl Group {
    /// A full group of these columns and the row ids of its file.
    pub(crate) fn of_columns(columns: Arc<[Column]>, stored: &StoredGroup) -> Result<Group> {
        let state = State {
            first_row_id: first_row_id(&stored.row_ids),
            row_ids: row_ids(&stored.row_ids, stored.rows)?,
            is_mixed: AtomicBool::new(is_mixed(&stored.row_ids)),
            ..State::of_file(stored.rows)
        };
        let (number, capacity, state) = (stored.group, stored.rows, Arc::new(state));
        Ok(Group {
            number,
            capacity,
            columns: OnceLock::from(columns),
            source: None,
            pages: None,
            created: None,
            is_stored: true,
            state,
        })
    }

    /// A full group whose columns are loaded when they are first needed.
    pub(crate) fn of_source(
        (number, rows): (u64, usize),
        row_ids: &RowIdFacts,
        source: Arc<dyn ColumnSource>,
    ) -> Group {
        let state = State {
            first_row_id: row_ids.first,
            last_row_id: row_ids.last,
            stored_range: Some((row_ids.least, row_ids.greatest)),
            has_stored_ids: !row_ids.is_dense,
            is_mixed: AtomicBool::new(row_ids.is_mixed),
            ..State::of_file(rows)
        };
        let (columns, pages, state) = (OnceLock::new(), Some(Arc::clone(source.pages())), Arc::new(state));
        Group { number, capacity: rows, columns, source: Some(source), pages, created: None, is_stored: true, state }
    }

    /// The same full group with its values in these columns, which are the same ones, and without `created` stamps if
    /// they say nothing any more to views from `horizon` on.
    pub(crate) fn over_columns(&self, columns: Arc<[Column]>, horizon: u64) -> Group {
        Group {
            number: self.number,
            capacity: self.capacity,
            columns: OnceLock::from(columns),
            source: None,
            pages: None,
            created: self.created.clone().filter(|_| !self.is_settled(horizon)),
            is_stored: true,
            state: Arc::clone(&self.state),
        }
    }

    /// The same full group with its values in a file from which they are loaded when they are needed.
    pub(crate) fn over_source(&self, source: Arc<dyn ColumnSource>, horizon: u64) -> Group {
        Group {
            number: self.number,
            capacity: self.capacity,
            columns: OnceLock::new(),
            pages: Some(Arc::clone(source.pages())),
            source: Some(source),
            created: self.created.clone().filter(|_| !self.is_settled(horizon)),
            is_stored: true,
            state: Arc::clone(&self.state),
        }
    }

    /// The same group for one reader, whose values are not kept for others; `None` for one that is in memory or loaded.
    pub(crate) fn transient(&self) -> Option<Arc<Group>> {
        let source = self.source.as_ref().filter(|_| !self.is_loaded())?;
        Some(Arc::new(self.over_source(Arc::clone(source), 0)))
    }

    /// The first slots as vectors; the columns have these numbers.
    pub(crate) fn to_vectors(&self, length: usize, ids: &[u64]) -> GroupVectors {
        let columns = ids.iter().zip(self.columns()).map(|(id, column)| (*id, column.array(length))).collect();
        let row_ids = match self.state.row_ids.get() {
            None => GroupRowIds::From(self.state.first_row_id),
            Some(_) => GroupRowIds::Each((0..length).map(|offset| self.row_id(offset)).collect::<Vec<_>>().into()),
        };
        GroupVectors { group: self.number, rows: length, columns, row_ids }
    }
}

impl State {
    /// The state of a full group that is in a file, of which nothing has ended.
    fn of_file(rows: usize) -> State {
        State {
            first_row_id: 0,
            last_row_id: 0,
            stored_range: None,
            has_stored_ids: false,
            length: AtomicUsize::new(rows),
            row_ids: OnceLock::new(),
            is_mixed: AtomicBool::new(false),
            ended: OnceLock::new(),
            previous: OnceLock::new(),
            next: OnceLock::new(),
            ended_count: AtomicUsize::new(0),
            aborted_count: AtomicUsize::new(0),
            garbage_count: AtomicUsize::new(0),
            buried_count: AtomicUsize::new(0),
            settled: AtomicUsize::new(rows),
            settled_commit: AtomicU64::new(0),
        }
    }
}

impl GroupWriter {
    /// A group to be appended to that begins with the rows of a group file.
    pub(crate) fn of_vectors(
        types: &[SqlType],
        arrays: &[ArrayRef],
        stored: &StoredGroup,
        capacity: usize,
    ) -> Result<GroupWriter> {
        let mut writer = Group::create(stored.group, types, capacity, first_row_id(&stored.row_ids));
        writer.fill_columns(arrays, 0..stored.rows, 0, first_row_id(&stored.row_ids))?;
        if let GroupRowIds::Each(ids) = &stored.row_ids {
            check_ids(ids.values().len(), stored.rows)?;
            for (offset, id) in ids.values().iter().enumerate() {
                writer.length = offset;
                writer.set_row_ids(*id, 1);
            }
            writer.length = 0;
        }
        writer.publish(stored.rows);
        Ok(writer)
    }
}

fn first_row_id(row_ids: &GroupRowIds) -> u64 {
    match row_ids {
        GroupRowIds::From(first) => *first,
        GroupRowIds::Each(ids) => ids.values().first().copied().unwrap_or(0),
    }
}

fn is_mixed(row_ids: &GroupRowIds) -> bool {
    match row_ids {
        GroupRowIds::From(_) => false,
        GroupRowIds::Each(ids) => !ids.values().is_sorted(),
    }
}

pub(crate) fn row_ids(row_ids: &GroupRowIds, rows: usize) -> Result<OnceLock<Stamps>> {
    match row_ids {
        GroupRowIds::From(_) => Ok(OnceLock::new()),
        GroupRowIds::Each(ids) => {
            check_ids(ids.values().len(), rows)?;
            Ok(OnceLock::from(ids.values().iter().map(|id| AtomicU64::new(*id)).collect::<Stamps>()))
        }
    }
}

fn check_ids(ids: usize, rows: usize) -> Result<()> {
    if ids == rows { Ok(()) } else { Err(Error::new(Code::Damaged, format!("{ids} row ids for {rows} rows"))) }
}

impl Group {
    /// The greatest row id of its slots, 0 without any.
    pub(crate) fn greatest_row_id(&self) -> u64 {
        match self.state.row_ids.get() {
            Some(ids) => ids.iter().take(self.len()).map(|id| id.load(Ordering::Relaxed)).max().unwrap_or(0),
            None => (self.state.first_row_id + self.len() as u64).saturating_sub(1),
        }
    }
}
