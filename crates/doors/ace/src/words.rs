//! A word index of an open table, as a handle: for questions about it, not for moves.

use std::sync::Arc;

use mainstay_workarea::WordIndex;

use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::table::Table;

/// An index of words.
pub struct Words {
    /// Its table.
    pub table: Arc<Table>,
    /// Its name.
    pub tag: String,
}

impl Words {
    /// The definition of the index.
    ///
    /// Errors: AE_INVALID_INDEX_HANDLE when it was deleted.
    pub fn definition(&self) -> Result<WordIndex> {
        let all = self.table.with(|state| Ok(state.area.word_indexes()?))?;
        let found = all.into_iter().find(|index| index.tag.eq_ignore_ascii_case(&self.tag));
        found.ok_or_else(|| Failure::new(AE_INVALID_INDEX_HANDLE, "the index was deleted"))
    }
}
