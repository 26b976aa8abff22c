//! Building an index of a large table in files: its entries are sorted in parts, and memory does not grow with the table.
//!
//! ```text
//!   rows -> sorted parts -> runs in files without names -> merged -> the base of the index
//!   the next checkpoint      makes runs of its own, as for any other index, and puts them in their place
//! ```
//!
//! A run has one version for each key, so a table with versions that were replaced, and are still seen by older views,
//! gets its index row by row ([`NativeTable::enter_all`]). So does a table with two rows of one key, which finds out
//! whose they are.

use super::indexes::TableIndex;
use super::{NativeTable, Writer};
use crate::files::{GroupImage, RunImage, TableImage};
use crate::group::Group;
use crate::index::base::Base;
use crate::index::run::{Run, RunWriter};
use crate::journal::payload::{MovePlace, unnamed_path};
use crate::stamp::NEVER;
use crate::table::attach::RunRows;
use crate::table::runs::{Live, RunFiles};
use mainstay_types::{Code, Error, Result, interrupt};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Files of runs that are removed when they are no longer open.
struct UnnamedRuns<'p> {
    place: &'p MovePlace,
    table: &'p NativeTable,
    paths: RefCell<HashMap<u64, PathBuf>>,
}

impl RunFiles for UnnamedRuns<'_> {
    fn create(&mut self, width: Option<usize>) -> Result<(u64, RunWriter)> {
        interrupt::check()?;
        let (number, path) = unnamed_path(&self.place.folder);
        let writer = RunWriter::create(&*self.place.fs, &path, number, width)?;
        self.paths.borrow_mut().insert(number, path);
        Ok((number, writer))
    }

    fn open(&self, image: &RunImage) -> Result<Run> {
        let (number, paths) = (image.file.number, self.paths.borrow());
        let path = paths.get(&number).ok_or_else(|| Error::new(Code::Internal, "an index has no such run"))?;
        Run::map(&*self.place.fs, path, (number, image.file.length), &self.table.shared.memory.resident)
    }
}

impl Drop for UnnamedRuns<'_> {
    fn drop(&mut self) {
        for path in self.paths.borrow().values() {
            // Mappings keep the content; the next start removes what is left.
            drop(self.place.fs.remove(path));
        }
    }
}

impl NativeTable {
    /// Enters all rows into an empty index by way of runs, and returns true if it did: if the table is large and each
    /// of its rows has one version and one key.
    ///
    /// Errors: those of the file system, of reading the rows, and of [`mainstay_types::interrupt`].
    pub(super) fn enter_sorted(&self, writer: &Writer, index: &TableIndex) -> Result<bool> {
        let Some(place) = self.shared.scratch.get().filter(|_| self.is_large_for(writer, index)) else {
            return Ok(false);
        };
        let Some(image) = self.image_of_live(writer) else { return Ok(false) };
        let groups = writer.directory.groups();
        let by_number: HashMap<u64, Arc<Group>> =
            groups.iter().map(|group| (group.number(), Arc::clone(group))).collect();
        let mut files = UnnamedRuns { place, table: self, paths: RefCell::default() };
        let runs = self.keep_index(index, (&image, None), &by_number, &mut files)?;
        let entries: u64 = runs.iter().map(|run| run.entries).sum();
        if entries != Live::of(&image).count() {
            return Ok(false);
        }
        let runs = runs.iter().map(|run| files.open(run).map(Arc::new)).collect::<Result<Vec<_>>>()?;
        index.entries.set_base(Base::provisional(runs, Arc::new(RunRows::new(self, index, groups))));
        Ok(true)
    }

    /// Returns true if the entries of an index would take more than what is sorted at once.
    fn is_large_for(&self, writer: &Writer, index: &TableIndex) -> bool {
        let bytes = index.entries.entry_bytes().unwrap_or(crate::index::ANY_ENTRY_BYTES);
        let rows: usize = writer.directory.groups().iter().map(|group| group.len()).sum();
        rows.saturating_mul(bytes) > self.shared.memory.sort_bytes()
    }

    /// The groups with the slots whose versions nobody sees; `None` when there are versions that only older views see.
    fn image_of_live(&self, writer: &Writer) -> Option<TableImage> {
        let horizon = self.shared.horizon();
        let mut image = TableImage::default();
        for group in writer.directory.groups() {
            let mut deleted = Vec::new();
            for offset in 0..group.len() {
                if group.is_dead(offset, horizon) {
                    deleted.push(offset as u32);
                } else if group.ended(offset) != NEVER {
                    return None;
                }
            }
            let (number, rows) = (group.number(), group.len() as u32);
            image.groups.push(GroupImage { group: number, rows, deleted, ..GroupImage::default() });
        }
        Some(image)
    }
}
