//! Word indexes of tables that no handle has open, for the SQL engine: CREATE INDEX .. CONTENT and DROP INDEX.

use std::path::Path;
use std::sync::Arc;

use mainstay_ads_types::words::Options;
use mainstay_types::Result;
use mainstay_vfs::Disk;
use mainstay_workarea::{Area, AreaOptions, Mode, WordIndex};

fn opened(table: &Path) -> Result<Area> {
    Area::open(Arc::new(Disk), table, &AreaOptions { mode: Mode::Shared, ..AreaOptions::default() })
}

/// Makes an index of the words of a field.
///
/// Errors: those of [`Area::create_word_index`] and of opening the table.
pub fn create(table: &Path, tag: &str, field: &str, options: &Options, keeps_score: bool) -> Result<()> {
    let mut area = opened(table)?;
    let (tag, field, options) = (tag.to_owned(), field.to_owned(), options.clone());
    area.create_word_index(&WordIndex { tag, field, options, is_fixed: false, keeps_score })
}

/// Removes an index of words; false if the table has none of this name.
///
/// Errors: those of [`Area::delete_word_index`] and of opening the table.
pub fn delete(table: &Path, tag: &str) -> Result<bool> {
    opened(table)?.delete_word_index(tag)
}
