//! Columns that are loaded when they are first needed.
//!
//! When a store is opened, the manifest gives for each group the number of rows, the deleted ones and the row ids. That
//! is enough to see rows, to find them by their keys, and to end them. Their values are loaded from the group's file by
//! the first reader that needs one; the checksum of the whole file is verified then.
//!
//! **Damage.** A statement that reads rows calls [`Group::load`] and gets the error. In inner code that cannot return
//! an error
//! the values of such a group are NULL; but the source has reported the damage to its table before, and a damaged table
//! refuses every statement and every commit of a transaction that has written it.

use super::Group;
use crate::column::Column;
use crate::files::{GroupRowIds, RowIdFacts};
use crate::resident::Pages;
use crate::stamp::Stamps;
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Where the columns of a group come from.
pub(crate) trait ColumnSource: Send + Sync {
    /// Reads them, and verifies what is read.
    ///
    /// Errors: why they cannot be read. The table knows it then.
    fn load(&self) -> Result<Loaded>;

    /// The file, of which each use is noted.
    fn pages(&self) -> &Arc<Pages>;
}

/// The loaded content of a group file.
pub(crate) struct Loaded {
    /// The columns, in the order of the table's.
    pub(crate) columns: Arc<[Column]>,
    /// The row ids, where they do not count on from the first.
    pub(crate) row_ids: Option<Stamps>,
}

impl Group {
    /// Loads the columns if they are not loaded yet.
    ///
    /// Errors: why they cannot.
    #[inline]
    pub fn load(&self) -> Result<()> {
        self.loaded().map(|_| ())
    }

    /// The columns, loaded.
    ///
    /// Errors: as [`Group::load`].
    #[inline]
    pub(crate) fn loaded(&self) -> Result<&[Column]> {
        match self.columns.get() {
            Some(columns) => {
                self.touch();
                Ok(columns)
            }
            None => self.load_now(),
        }
    }

    /// True when the columns are in memory or mapped.
    pub fn is_loaded(&self) -> bool {
        self.columns.get().is_some()
    }

    #[cold]
    fn load_now(&self) -> Result<&[Column]> {
        let source = self.source.as_ref().ok_or_else(|| Error::new(Code::Internal, "a group has no columns"))?;
        let loaded = source.load()?;
        if let Some(row_ids) = loaded.row_ids {
            // Before the columns: a reader that finds these finds the row ids.
            let _ = self.state.row_ids.set(row_ids);
        }
        Ok(self.columns.get_or_init(|| loaded.columns))
    }

    /// The columns, loaded; none where that fails.
    #[cold]
    pub(super) fn load_columns(&self) -> &[Column] {
        self.load_now().unwrap_or_default()
    }

    /// The row id of a slot, loaded; 0 where that fails.
    #[cold]
    pub(super) fn stored_row_id(&self, offset: usize) -> u64 {
        let _ = self.load_now();
        let id = self.state.row_ids.get().and_then(|ids| ids.get(offset));
        id.map_or(0, |id| id.load(Ordering::Relaxed))
    }

    /// The row ids of the first and the last slot, without loading anything.
    pub(crate) fn edge_row_ids(&self) -> Option<(u64, u64)> {
        let last = self.len().checked_sub(1)?;
        match self.state.row_ids.get() {
            None if self.state.has_stored_ids => Some((self.state.first_row_id, self.state.last_row_id)),
            _ => Some((self.row_id(0), self.row_id(last))),
        }
    }

    /// The least and the greatest row id of its slots, of which there is one at least.
    ///
    /// Errors: why they cannot be read.
    pub(crate) fn row_id_range(&self) -> Result<(u64, u64)> {
        if let Some((least, greatest)) = self.state.stored_range {
            return Ok((least, greatest));
        }
        self.load()?;
        let ids = || (0..self.len()).map(|offset| self.row_id(offset));
        Ok((ids().min().unwrap_or(0), ids().max().unwrap_or(0)))
    }

    /// The facts that a manifest stores about the row ids of the first slots.
    ///
    /// Errors: why they cannot be read.
    pub(crate) fn row_id_facts(&self, length: usize) -> Result<RowIdFacts> {
        if let (Some((least, greatest)), Some((first, last)), true) =
            (self.state.stored_range, self.edge_row_ids(), length == self.len())
        {
            let (is_dense, is_mixed) = (!self.state.has_stored_ids, !self.is_in_row_order());
            return Ok(RowIdFacts { first, last, least, greatest, is_dense, is_mixed });
        }
        if let Some(first) = self.dense_from() {
            return Ok(GroupRowIds::From(first).facts(length));
        }
        self.load()?;
        Ok(GroupRowIds::Each((0..length).map(|offset| self.row_id(offset)).collect::<Vec<_>>().into()).facts(length))
    }

    /// The row id of its first slot, if all others count on from it.
    pub(crate) fn dense_from(&self) -> Option<u64> {
        (!self.state.has_stored_ids && self.state.row_ids.get().is_none()).then_some(self.state.first_row_id)
    }
}
