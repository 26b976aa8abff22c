//! Rebuilding of a table - packed, emptied, restructured - together with all its indexes.
//!
//! ```text
//!   table.dbf.stale    names the index files; from here on they are not to be believed
//!   the new table takes the old one's place (writer::rebuild, swap)
//!   each index is made anew
//!   table.dbf.stale is removed
//! ```
//! An [`interrupt`] ends it before the new table takes the old one's place, and not afterwards.
//!
//! Records get other numbers, so an old index would lead to wrong records unnoticed. A process that opens the table for
//! exclusive use and finds the list rebuilds the indexes; one that opens it for shared use needs exclusive use during
//! that. Other programs do not know of the list: between a crash here and the next opening they would see the new table
//! with the old indexes.

use super::bag::OpenBag;
use super::build::{IndexSpec, beside, tag_spec};
use super::reach::real_folder_of;
use super::{IndexedTable, Telling};
use crate::dbf::{Dbf, Field, OpenOptions, TableSpec};
use crate::index::write::TagSpec;
use crate::writer::Source;
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::{Create, File, FileSystem, Memory, leads_below};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl IndexedTable {
    /// Removes the deleted records, and from the memo file what no record refers to. Records get new numbers, custom
    /// tags lose their entries. The table must be open for exclusive use. `progress` may stop it until the new table takes
    /// the old one's place.
    pub fn pack(&mut self, progress: Telling<'_>) -> Result<()> {
        self.replace(progress, |table, progress| table.writer.pack_telling(progress))
    }

    /// Removes all records and memos. Counters go on counting.
    pub fn zap(&mut self) -> Result<()> {
        self.replace(&mut |_, _| ControlFlow::Continue(()), |table, _| table.writer.zap())
    }

    fn replace(
        &mut self,
        progress: Telling<'_>,
        change: impl FnOnce(&mut IndexedTable, Telling<'_>) -> Result<()>,
    ) -> Result<()> {
        self.must_be_alone("be made anew")?;
        self.must_have_no_transaction("making a table anew")?;
        for bag in &self.indexes.bags {
            bag.live()?.must_be_understood()?;
        }
        self.flush()?;
        self.indexes.settle_bags()?;
        mark_stale(&*self.fs, self.path(), self.bags())?;
        // The records are half of the work where keys are made of them.
        let parts = if self.indexes.bags.is_empty() { 1 } else { 2 };
        if let Err(error) = change(self, &mut |done, all| progress(done, all.saturating_mul(parts))) {
            // The table may have been replaced before the error: then the list stays.
            if self.writer.is_usable() {
                self.unmark_stale()?;
            }
            return Err(error);
        }
        // The table is replaced: nothing leads back.
        let _whole = interrupt::suspended();
        self.read_anew()?;
        self.rebuild_all(false, &mut |done, all| {
            let _ = progress(all.saturating_add(done), all.saturating_mul(2));
            ControlFlow::Continue(())
        })?;
        self.unmark_stale()
    }

    /// Gives the table other fields: those of `spec`, each with the values that `sources` says. The tags are made anew
    /// from their expressions. Fails, with nothing changed, if a tag's expression does not fit the new fields, or a
    /// value does not fit its new field.
    pub fn restructure(&mut self, spec: &TableSpec, sources: &[Source], progress: Telling<'_>) -> Result<()> {
        self.must_be_alone("be given other fields")?;
        self.must_have_no_transaction("changing the structure of a table")?;
        let new = structure_of(spec, self.writer.dbf().code_page(), self.writer.fields())?;
        let mut plans = Vec::new();
        for bag in &self.indexes.bags {
            let live = bag.live()?;
            live.must_be_understood()?;
            let layout = live.writer.spec();
            let tags: Vec<IndexSpec> =
                live.writer.tags().map(|tag| IndexSpec::of_table(tag, &self.indexes.dbf)).collect();
            let made: Result<Vec<TagSpec>> = tags.iter().map(|tag| tag_spec(tag, &layout, &new)).collect();
            let made = made.map_err(|error| error.hint("drop the tag first, or keep its fields"))?;
            plans.push((bag.path.clone(), bag.is_structural, layout, made));
        }
        self.flush()?;
        self.indexes.settle_bags()?;
        mark_stale(&*self.fs, self.path(), self.bags())?;
        if let Err(error) = self.writer.restructure(spec, sources) {
            if self.writer.is_usable() {
                self.unmark_stale()?;
            }
            return Err(error);
        }
        let _whole = interrupt::suspended();
        self.read_anew()?;
        let files = plans.len() as u64;
        for (number, (path, is_structural, layout, tags)) in plans.into_iter().enumerate() {
            if progress(number as u64, files).is_break() {
                return Err(
                    Error::new(Code::Cancelled, "making the indexes anew was stopped").hint("reindex the table")
                );
            }
            self.make_bag(&path, &layout, tags, &[])?;
            let (dbf, sharing) = (&self.indexes.dbf, self.indexes.sharing);
            self.indexes.bags[number] = match is_structural {
                true => OpenBag::structural(&*self.fs, &path, dbf, sharing)?,
                false => OpenBag::open(&*self.fs, &path, dbf, sharing)?,
            };
        }
        self.unmark_stale()
    }

    /// The table was replaced: its header is read again.
    fn read_anew(&mut self) -> Result<()> {
        let read = OpenOptions { code_page: Some(self.writer.dbf().code_page()) };
        self.indexes.dbf = Dbf::open(Arc::clone(self.writer.dbf().file()) as Arc<dyn File>, read)?;
        Ok(())
    }

    fn unmark_stale(&self) -> Result<()> {
        match self.fs.remove(&stale_list(self.path())) {
            Err(error) if error.code() != Code::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes indexes anew that a crash left behind, if one is alone; else says that they are stale.
    pub(super) fn finish_rebuild(&mut self) -> Result<()> {
        let list = stale_list(self.path());
        if self.fs.stamp(&list).is_err() {
            return Ok(());
        }
        self.must_be_alone("its indexes be made anew, which belong to an earlier state of it")?;
        for path in stale_indexes(&*self.fs, self.path())? {
            let is_open = self.bags().any(|open| open == path);
            if !is_open && self.fs.stamp(&path).is_ok() {
                self.open_bag(&path)?;
            }
        }
        let of_table = self.indexes.bags.iter().filter(|bag| bag.is_structural).count();
        self.rebuild_all(false, &mut |_, _| ControlFlow::Continue(()))?;
        self.indexes.bags.truncate(of_table);
        self.unmark_stale()
    }
}

/// The list of the indexes that belong to an earlier state of a table.
pub(super) fn stale_list(table: &Path) -> PathBuf {
    beside(table, ".stale")
}

/// The index files that a table's list of stale ones names.
///
/// Errors: `NotPermitted` when one of them is out of the table's folder: the list may come from any user with write
/// access there, and the indexes that it names are written.
pub(super) fn stale_indexes(fs: &dyn FileSystem, table: &Path) -> Result<Vec<PathBuf>> {
    let list = stale_list(table);
    let names = match fs.read(&list) {
        Err(error) if error.code() == Code::NotFound => return Ok(Vec::new()),
        names => names?,
    };
    let folder = real_folder_of(fs, table)?;
    let paths: Vec<PathBuf> = String::from_utf8_lossy(&names).lines().map(PathBuf::from).collect();
    for path in &paths {
        let leads_out = match leads_below(fs, path, &folder) {
            // One that is gone is not made.
            Err(error) if error.code() == Code::NotFound => false,
            below => !below?,
        };
        if leads_out {
            let message =
                format!("the list of stale indexes names a file out of the table's folder: {}", path.display());
            // A crash while such an index was open leaves one, too: only the user knows which it is.
            let error = Error::new(Code::NotPermitted, message).at(list.display());
            return Err(
                error.hint("nothing was changed; take the list away, and reindex the table with that index open")
            );
        }
    }
    Ok(paths)
}

/// Notes that these indexes of a table are not to be believed.
pub(super) fn mark_stale<'p>(fs: &dyn FileSystem, table: &Path, bags: impl Iterator<Item = &'p Path>) -> Result<()> {
    let names: Vec<String> = bags.map(|path| path.to_string_lossy().into_owned()).collect();
    if names.is_empty() { Ok(()) } else { fs.replace(&stale_list(table), names.join("\n").as_bytes()) }
}

/// The structure of a table that is not there yet.
fn structure_of(spec: &TableSpec, code_page: crate::codepage::CodePage, old: &[Field]) -> Result<Dbf> {
    let memory = Memory::new();
    let path = Path::new("new.dbf");
    let file = memory.create(path, Create::Truncate)?;
    let day = mainstay_types::Date::from_ymd(2000, 1, 1);
    let Some(day) = day else { return Err(Error::new(Code::Internal, "there is such a day")) };
    file.write_at(&spec.header_in_place_of(day, old)?, 0)?;
    Dbf::open(memory.open(path)?, OpenOptions { code_page: Some(code_page) })
}
