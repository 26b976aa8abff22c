//! Word indexes of tables that no area has open, for statements: CREATE INDEX .. CONTENT and DROP INDEX.

use super::Definition;
use crate::area::Area;
use crate::options::{AreaOptions, Mode};
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use std::path::Path;
use std::sync::Arc;

fn opened(files: Arc<dyn FileSystem>, table: &Path) -> Result<Area> {
    Area::open(files, table, &AreaOptions { mode: Mode::Shared, ..AreaOptions::default() })
}

/// Makes a word index of a field of the table in a file.
///
/// Errors: those of [`Area::create_word_index`] and of opening the table.
pub fn create_word_index(files: Arc<dyn FileSystem>, table: &Path, new: &Definition) -> Result<()> {
    opened(files, table)?.create_word_index(new)
}

/// Removes a word index of the table in a file; false if the table has none of this name.
///
/// Errors: those of [`Area::delete_word_index`] and of opening the table.
pub fn delete_word_index(files: Arc<dyn FileSystem>, table: &Path, tag: &str) -> Result<bool> {
    opened(files, table)?.delete_word_index(tag)
}
