//! The state of the table with which each state of an index file was first seen.
//!
//! A tag that no statement has used yet may be stale after a change of the table: it is compared with the records like
//! a tag in use.

use super::indexes::lock;
use mainstay_vfs::{FileSystem, Stamp};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// See the module: path and stamp of each index file, and the table's stamp.
#[derive(Debug)]
pub(super) struct SeenWith {
    files: Mutex<Vec<(PathBuf, Stamp, Stamp)>>,
}

impl SeenWith {
    /// The files as they are now.
    pub(super) fn of<'p>(fs: &dyn FileSystem, table: &Path, indexes: impl Iterator<Item = &'p Path>) -> SeenWith {
        let table = fs.stamp(table).ok();
        let seen = |path: &Path| Some((path.to_owned(), fs.stamp(path).ok()?, table?));
        SeenWith { files: Mutex::new(indexes.filter_map(seen).collect()) }
    }

    /// The table's stamp with which an index file was first seen with this one: `table` if it is another file now.
    pub(super) fn table_of(&self, path: &Path, index: Stamp, table: Stamp) -> Stamp {
        let mut files = lock(&self.files);
        match files.iter_mut().find(|(known, ..)| known == path) {
            Some((_, stamp, with)) if *stamp == index => *with,
            Some((_, stamp, with)) => {
                (*stamp, *with) = (index, table);
                table
            }
            None => {
                files.push((path.to_owned(), index, table));
                table
            }
        }
    }
}
