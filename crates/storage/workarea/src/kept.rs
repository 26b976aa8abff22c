//! Cache of the blocks of closed tables, for the next area that opens them.
//!
//! xBase programs open, use and close a table again in every routine, and reading it each time takes longer than its
//! use: the memory for the blocks alone is a page fault for each 4 KB. So when a table is closed its blocks are stored
//! here under the file's stamp, and an area that opens a file with the same stamp reuses them.
//!
//! This is correct for the same reason as the blocks of an open table ([`crate::freshness`]): the stamp was old enough
//! when it was looked at that every later write gives the file another one. Blocks of a file whose stamp was young,
//! blocks that this program itself has changed, and files that are not on a disk (whose stamps are unique only within
//! their file system) are not cached.
//!
//! No file stays open for it. Limits: [`KEPT_BYTES`] in all, the oldest are dropped first; an area that opens a table
//! takes the blocks out of the cache, so that a second area that opens it at the same time reads the file.

use crate::blocks::Block;
use mainstay_vfs::Stamp;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The most bytes of records cached for closed tables.
const KEPT_BYTES: usize = 16 << 20;

/// The most closed tables in the cache.
const KEPT_TABLES: usize = 64;

/// The blocks of one closed table.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) stamp: Stamp,
    /// Where the records begin, and the bytes of one: without these two a block's place means nothing.
    pub(crate) header_length: u64,
    pub(crate) record_length: usize,
    pub(crate) blocks: Vec<Option<Box<Block>>>,
    /// Bytes in the blocks.
    pub(crate) bytes: usize,
}

static TABLES: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());

/// Leaves the blocks of a table that is closed.
pub(crate) fn leave(kept: Kept) {
    if kept.bytes == 0 || kept.bytes > KEPT_BYTES {
        return;
    }
    let mut gone = Vec::new();
    {
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = tables.iter().position(|table| table.stamp.identity == kept.stamp.identity) {
            gone.extend(tables.remove(at));
        }
        tables.push_back(kept);
        while tables.len() > KEPT_TABLES || tables.iter().map(|table| table.bytes).sum::<usize>() > KEPT_BYTES {
            gone.extend(tables.pop_front());
        }
    }
    // Memory is freed after the lock is released.
    drop(gone);
}

/// Takes the blocks of a file in this state, if there are some.
pub(crate) fn take(stamp: &Stamp, header_length: u64, record_length: usize) -> Option<Kept> {
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |table: &Kept| (table.header_length, table.record_length) == (header_length, record_length);
    let at = tables.iter().position(|table| table.stamp == *stamp && is_same(table))?;
    tables.remove(at)
}

#[cfg(test)]
mod tests {
    use crate::area::Area;
    use crate::options::{AreaOptions, Mode};
    use mainstay_vfs::{Disk, FileSystem};
    use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
    use std::path::Path;
    use std::sync::Arc;
    use std::time::SystemTime;

    fn open(path: &Path, mode: Mode) -> Area {
        Area::open(Arc::new(Disk), path, &AreaOptions { mode, ..AreaOptions::default() }).unwrap()
    }

    /// The values of all records.
    fn values(area: &mut Area) -> Vec<f64> {
        let mut values = Vec::new();
        area.go_top().unwrap();
        while !area.is_eof() {
            values.push(area.get_number(0).unwrap());
            area.skip(1).unwrap();
        }
        values
    }

    /// Waits until a write would give the file another stamp.
    fn settle(path: &Path) {
        while !Disk.stamp(path).unwrap().is_settled(SystemTime::now()) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    fn table(path: &Path, count: u32) {
        let fs: Arc<dyn FileSystem> = Arc::new(Disk);
        let spec = TableSpec::new(Format::DbaseThree, vec![FieldSpec::new("ID", b'N', 8, 0)]);
        Area::create(&fs, path, &spec).unwrap();
        let mut area = open(path, Mode::Exclusive);
        for id in 1..=count {
            area.append_blank().unwrap();
            area.set_number(0, id.into()).unwrap();
        }
        area.close().unwrap();
    }

    #[test]
    fn who_opens_a_table_again_goes_on_with_its_blocks_unless_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("again.dbf");
        table(&path, 5_000);
        let expected: Vec<f64> = (1..=5_000).map(f64::from).collect();
        settle(&path);
        let mut area = open(&path, Mode::ReadOnly);
        assert!(area.blocks.bytes_at_hand() < 20_000, "blocks that were changed are not left to others");
        assert_eq!(values(&mut area), expected);
        drop(area);
        let mut area = open(&path, Mode::Shared);
        assert!(area.blocks.bytes_at_hand() >= 5_000 * 9, "nothing was left by who had it open before");
        assert_eq!(values(&mut area), expected);
        area.set_hide_deleted(true);
        assert_eq!(values(&mut area), expected);
        drop(area);
        // Another program changes a record, and nothing of the file's length.
        let mut bytes = Disk.read(&path).unwrap();
        let last = bytes.len() - 2;
        bytes[last] = b'7';
        let file = Disk.create(&path, mainstay_vfs::Create::Existing).unwrap();
        file.write_at(&bytes[last..=last], last as u64).unwrap();
        let mut area = open(&path, Mode::ReadOnly);
        assert!(area.blocks.bytes_at_hand() < 20_000, "blocks of another state of the file are taken");
        assert_eq!(values(&mut area).last(), Some(&5_007.0));
    }

    #[test]
    fn what_was_changed_here_or_read_too_young_is_not_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("young.dbf");
        table(&path, 4_000);
        settle(&path);
        let mut area = open(&path, Mode::Exclusive);
        values(&mut area);
        area.go_to(17).unwrap();
        area.set_number(0, 99.0).unwrap();
        area.close().unwrap();
        let mut area = open(&path, Mode::ReadOnly);
        assert!(area.blocks.bytes_at_hand() < 20_000);
        assert_eq!(values(&mut area)[16], 99.0);
        // Two readers at once: one has the blocks, the other reads for itself.
        settle(&path);
        let (mut one, mut other) = (open(&path, Mode::ReadOnly), open(&path, Mode::ReadOnly));
        assert_eq!(values(&mut one), values(&mut other));
    }
}
