//! Knowledge of indexes after this process changes the table.
//!
//! Keys are compared with records once for every state of table and index (`tag.rs`). A change by
//! [`IndexedTable`](crate::indexed::IndexedTable) makes a new state of both, and keeps them in agreement if they were:
//! so a tag that was trusted before it is trusted after it, and a row is found by its key in a table that is written to
//! all the time.
//!
//! ```text
//!   before_write: the tags that are believed  |  records and keys are written  |  after_write: the files' stamps
//!   a state with these stamps: those tags are believed without a comparison
//! ```
//!
//! An index file that is used for reading but belongs to another table ([`claim`](super::claim)) was not changed with
//! the records, and is compared again.
//!
//! Limits: a program that changes a record without its key between the two, or within one tick of the file system's clock
//! after them, is noticed at the next change by another program.

use super::DbfTable;
use super::indexes::lock;
use mainstay_types::Result;
use mainstay_vfs::Stamp;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The tags that are believed before a change: see [`DbfTable::before_write`].
#[derive(Clone, Debug)]
pub struct BeforeWrite {
    /// By the numbers of their definitions.
    tags: Vec<usize>,
}

/// The files as the last change left them, and the tags that are believed for it.
#[derive(Debug)]
struct OwnWrite {
    table: Stamp,
    indexes: Vec<(PathBuf, Stamp)>,
    tags: Vec<usize>,
}

/// The last change that was made here. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnWrites {
    last: Arc<Mutex<Option<OwnWrite>>>,
}

impl OwnWrites {
    /// Returns true if a tag is believed for a table and an index file with these stamps.
    pub(crate) fn covers(&self, table: Stamp, (path, index): (&Path, Stamp), tag: usize) -> bool {
        lock(&self.last).as_ref().is_some_and(|last| {
            last.table == table
                && last.tags.contains(&tag)
                && last.indexes.iter().any(|(known, stamp)| known == path && *stamp == index)
        })
    }
}

impl DbfTable {
    /// The state of the indexes before a change; for [`DbfTable::after_write`].
    pub fn before_write(&self) -> Result<BeforeWrite> {
        let state = self.refreshed()?;
        Ok(BeforeWrite { tags: self.indexes.believed(&state) })
    }

    /// Records and keys were changed by a writer of this table, and everything is written.
    pub fn after_write(&self, before: BeforeWrite) -> Result<()> {
        let stamp = |path: &Path| self.fs.stamp(path).ok().map(|stamp| (path.to_owned(), stamp));
        let indexes = self.indexes.structural().into_iter().chain(self.claims.ours());
        let indexes = indexes.filter_map(|path| stamp(&path)).collect();
        let table = self.fs.stamp(&self.path)?;
        *lock(&self.indexes.own.last) = Some(OwnWrite { table, indexes, tags: before.tags });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
    use crate::index::BagKind;
    use crate::indexed::{Building, IndexSpec, IndexedTable};
    use crate::writer::{self, Access, WriteOptions};
    use mainstay_columnar::VectorCache;
    use mainstay_types::ValueRef;
    use mainstay_vfs::{Create, Disk, FileSystem};
    use std::time::Duration;

    /// Why the table's only tag is not used.
    fn refusal(table: &DbfTable) -> Option<String> {
        table.refreshed().unwrap();
        table.indexes()[0].unusable.clone()
    }

    /// A change of a record without its key, after a moment that the clock of the file system can tell.
    fn sabotage(path: &Path, digit: u8) {
        std::thread::sleep(Duration::from_millis(30));
        let file = Disk.create(path, Create::Existing).unwrap();
        let length = file.stamp().unwrap().len;
        file.write_at(&[digit], length - 2).unwrap();
    }

    #[test]
    fn what_was_believed_before_an_own_change_is_believed_after_it_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.dbf");
        let fs: Arc<dyn FileSystem> = Arc::new(Disk);
        let options = WriteOptions::new(Access::Exclusive);
        let spec = TableSpec::new(Format::FoxPro, vec![FieldSpec::new("ID", b'N', 6, 0)]);
        writer::create(&*fs, &path, &spec, &options).unwrap();
        let mut new = IndexedTable::open(Arc::clone(&fs), &path, options).unwrap();
        new.create_index(None, BagKind::Cdx, &IndexSpec::new("ID", "ID"), Building::default()).unwrap();
        new.close().unwrap();
        let table = DbfTable::open(Arc::clone(&fs), &path, "t", OpenOptions::default(), VectorCache::new(1 << 20), &[])
            .unwrap();
        let append = |id| {
            let mut writer = table.writer(WriteOptions::new(Access::Shared)).unwrap();
            writer.append(&[ValueRef::Integer(id)]).unwrap();
            writer.close().unwrap();
        };
        assert_eq!(refusal(&table), None);
        // Noted: no comparison, which would find what was done to the record in between.
        let before = table.before_write().unwrap();
        assert_eq!(before.tags.len(), 1);
        append(1);
        sabotage(&path, b'7');
        table.after_write(before).unwrap();
        assert_eq!(refusal(&table), None);
        // Not noted: compared.
        sabotage(&path, b'8');
        assert!(refusal(&table).is_some_and(|reason| reason.contains("record 1")));
        // A tag that was not trusted before the change is not trusted after it.
        let before = table.before_write().unwrap();
        assert!(before.tags.is_empty());
        append(2);
        table.after_write(before).unwrap();
        assert!(refusal(&table).is_some());
    }
}
