//! The table that the name of an index file refers to.

use std::path::{Path, PathBuf};

/// The table that the name of an index file refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedFor {
    This,
    /// Another one of the folder: `stock_old_id.ntx` beside `stock.dbf` and `stock_old.dbf`.
    Another,
    Nobody,
}

/// Returns true if an index file has the name of a table, or one that begins with it (`stock_id.ntx` of `stock.dbf`):
/// so it is known as the table's while both are empty and its keys prove nothing.
pub fn is_named_for(index: &Path, table: &Path) -> bool {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let (index, table) = (stem(index), stem(table));
    index.strip_prefix(&table).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// The table that an index file is named for, among one table and the others of its folder: the one with the longest
/// such name.
pub(super) fn named_for(index: &Path, table: &Path, others: &[PathBuf]) -> NamedFor {
    let length = |path: &Path| path.file_stem().map_or(0, |stem| stem.len());
    let of_others = others.iter().filter(|other| is_named_for(index, other)).map(|other| length(other)).max();
    match is_named_for(index, table) {
        true if of_others.is_none_or(|others| others < length(table)) => NamedFor::This,
        _ if of_others.is_some() => NamedFor::Another,
        _ => NamedFor::Nobody,
    }
}
