//! `mainstay check --repair`: rebuilds DBF and ADT tables that are damaged, or whose indexes are missing or
//! inconsistent, in new files; `--replace` puts the new files in the place of the old ones.
//!
//! ```text
//!   shop/stock.dbf  .fpt  .cdx  stock_id.ntx                  stay as they are, and usable
//!   shop/repaired/stock.dbf  .fpt  .cdx  stock_id.ntx         the new files; or below another folder, with `--into`
//!
//!   --replace:
//!   shop/stock.dbf ...                                        the new files
//!   shop/damaged-20261128-041205/stock.dbf ...                the old ones
//! ```
//! Readable values are taken over (`mainstay_xbase::indexed::repair`); a value that cannot be read is blank or NULL in
//! the new table, and its old bytes are in `stock.rejects.txt` beside it, or with `--replace` beside the old files. The
//! new files are checked in turn: only this check says that they are sound. No file is overwritten. New files that are
//! no better than the old ones are removed.

use crate::check::table_of;
use crate::folder;
use crate::options::{FolderSettings, Options};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, Disk, FileSystem, LockMode, Stamp, WritableFile};
use mainstay_xbase::dbf::{Dbf, OpenOptions};
use mainstay_xbase::writer::{Access, Repair, WriteOptions};
use mainstay_xbase::{Finding, Severity, indexed, table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the new files, beside the damaged ones.
pub const REPAIRED: &str = "repaired";

/// A damaged table, and what became of it.
#[derive(Debug)]
pub struct Repaired {
    /// The table, which stays as it is.
    pub table: PathBuf,
    /// The new table, or the error.
    pub outcome: Result<NewTable>,
}

/// A table that was made out of a damaged one.
#[derive(Debug)]
pub struct NewTable {
    /// Its file.
    pub path: PathBuf,
    /// All its files: the table, its memo and its indexes.
    pub files: Vec<PathBuf>,
    /// Index files of the damaged table besides the one of its name.
    pub other_indexes: Vec<PathBuf>,
    /// Its records, deleted ones included.
    pub records: u64,
    /// Records that the old header counts and the new table does not have.
    pub missing_records: u64,
    /// Findings in the old files, and the index files that were created.
    pub told: Vec<Finding>,
    /// Values that cannot be read in the old files, and are empty in the new ones: the first of them.
    pub unread: Vec<Finding>,
    /// The number of all such values.
    pub unread_count: u64,
    /// The file that lists them with their old bytes, if there are any.
    pub rejects: Option<PathBuf>,
    /// Further losses against the old files: memo files, indexes and their tags.
    pub lost: Vec<Finding>,
    /// The damage that is left in the new files.
    pub left: Vec<Finding>,
    /// The old table and its companions as they were when they were read.
    read: Vec<(PathBuf, Stamp)>,
}

impl NewTable {
    /// True if the new files have no error and contain everything that can be read in the old ones.
    pub fn is_sound(&self) -> bool {
        !has_error(&self.left) && !has_error(&self.lost)
    }

    /// The files that it replaces.
    pub fn old_files(&self) -> Vec<PathBuf> {
        self.read.iter().map(|(path, _)| path.clone()).collect()
    }

    /// True if the new files contain everything that the old ones had.
    pub fn is_complete(&self) -> bool {
        self.is_sound() && self.unread_count == 0 && self.lost.is_empty() && self.missing_records == 0
    }
}

/// Makes a new table of each DBF and ADT that is damaged, has an index that does not agree with it, or lacks the one that its header asks
/// for: of this folder, or this one; the path may be that of its index or memo. The new files are in `into`, or in the folder
/// [`REPAIRED`] beside the old ones. Other programs should not write to the tables meanwhile.
///
/// Errors: that the path itself cannot be read, or `into` not be made. What keeps one table from being repaired is its outcome.
pub fn repair(path: &Path, into: Option<&Path>, options: &Options) -> Result<Vec<Repaired>> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = table_of(fs.as_ref(), std::path::absolute(path)?)?;
    let listing = folder::list(fs.as_ref(), &path)?;
    let folder = if fs.is_folder(&path) { path.as_path() } else { path.parent().unwrap_or(&path) };
    let settings = FolderSettings::read(fs.as_ref(), folder, options)?.files;
    let into = into.map_or_else(|| Ok(folder.join(REPAIRED)), std::path::absolute)?;
    let mut repaired = Vec::new();
    for (name, file) in listing.tables.iter().filter(|(_, file)| file.kind.is_xbase()) {
        let options = OpenOptions { code_page: settings.code_page(name) };
        // One whose structural index is missing is not written to: the new one does not ask for it.
        let lacks_index = table::lacks_index(&fs, &file.path, options).unwrap_or(false);
        let found = table::check(&fs, &file.path, options, &listing.indexes);
        if !has_error(&found) && !lacks_index {
            continue;
        }
        let is_new = !fs.is_folder(&into);
        if is_new {
            fs.create_folder(&into)?;
        }
        let new = into.join(file.path.file_name().unwrap_or_default());
        let outcome = make(&fs, &file.path, &new, options, &listing.indexes);
        let outcome = outcome.and_then(|new| keep_if_better(fs.as_ref(), new, &found, lacks_index));
        if outcome.is_err() && is_new {
            // Nothing was put there; a folder with files is not removed.
            let _ = fs.remove_folder(&into);
        }
        repaired.push(Repaired { table: file.path.clone(), outcome });
    }
    Ok(repaired)
}

/// Puts the files of a new table in the place of the damaged one, and moves the old files to the folder `old`, which is made:
/// the table goes first and comes last, so that a crash in between leaves no table, and never a mixed one.
/// The list of values that were left out goes to the old files. Gives its place.
///
/// Errors: `Busy` while another program has one of the files open, or if they have changed since they were read; `Duplicate` when
/// the old files' place is taken; those of the file system.
pub fn replace(table: &Path, new: &NewTable, old: &Path) -> Result<Option<PathBuf>> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let folder = table.parent().unwrap_or(Path::new(""));
    let mut away = vec![table.to_owned()];
    away.extend(table::companions(fs.as_ref(), table));
    away.extend(new.other_indexes.iter().cloned());
    // Kept until the files are in place.
    let _alone = claim(fs.as_ref(), &away)?;
    if new.read.iter().any(|(path, stamp)| !fs.stamp(path).is_ok_and(|now| now == *stamp)) {
        let error = Error::new(Code::Busy, "the table has changed since it was read").at(table.display());
        return Err(error.hint("end the programs that use it, and run the command again"));
    }
    if !fs.is_folder(old) {
        fs.create_folder(old)?;
    }
    let target = |file: &Path, folder: &Path| folder.join(file.file_name().unwrap_or_default());
    if let Some(taken) =
        away.iter().chain(&new.rejects).map(|file| target(file, old)).find(|path| fs.stamp(path).is_ok())
    {
        return Err(Error::new(Code::Duplicate, "there is a file of this name already").at(taken.display()));
    }
    for file in &away {
        fs.rename(file, &target(file, old))?;
    }
    fs.sync_folder(old)?;
    for file in new.files.iter().filter(|file| **file != new.path).chain([&new.path]) {
        let place = target(file, folder);
        if fs.stamp(&place).is_ok() {
            return Err(Error::new(Code::Duplicate, "there is a file of this name already").at(place.display()));
        }
        fs.rename(file, &place)?;
    }
    fs.sync_folder(folder)?;
    let rejects = new.rejects.as_ref().map(|list| (list, target(list, old)));
    if let Some((list, place)) = &rejects {
        fs.rename(list, place)?;
    }
    // The new files of other tables may be there still.
    if let Some(repaired) = new.path.parent()
        && fs.list(repaired).is_ok_and(|entries| entries.is_empty())
    {
        let _ = fs.remove_folder(repaired);
    }
    Ok(rejects.map(|(_, place)| place))
}

/// Claims files for this process alone, as programs that share them do; a damaged table cannot be opened to do so.
///
/// Errors: `Busy` if another program has one of them open; those of the file system.
fn claim(fs: &dyn FileSystem, files: &[PathBuf]) -> Result<Vec<Arc<dyn WritableFile>>> {
    let claim_one = |path: &PathBuf| {
        let file = fs.create(path, Create::Existing)?;
        if file.try_share(LockMode::Exclusive)? {
            return Ok(file);
        }
        let error = Error::new(Code::Busy, "another program has the file open").at(path.display());
        Err(error.hint("end the programs that use it, and run the command again"))
    };
    files.iter().map(claim_one).collect()
}

fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Removes new files that have every error of the old ones, or none of their records.
fn keep_if_better(fs: &dyn FileSystem, new: NewTable, found: &[Finding], lacked_index: bool) -> Result<NewTable> {
    let is_left =
        |error: &Finding| new.left.iter().any(|left| left.place == error.place && left.message == error.message);
    let mut errors = found.iter().filter(|finding| finding.severity == Severity::Error);
    let has_nothing = new.records == 0 && new.missing_records > 0;
    if !has_nothing && (lacked_index || new.left.is_empty() || errors.any(|error| !is_left(error))) {
        return Ok(new);
    }
    new.files.iter().chain(&new.rejects).for_each(|file| drop(fs.remove(file)));
    Err(Error::new(Code::Unsupported, "nothing of what is wrong can be mended, and no new files were made"))
}

fn make(
    fs: &Arc<dyn FileSystem>,
    path: &Path,
    new: &Path,
    options: OpenOptions,
    index_files: &[PathBuf],
) -> Result<NewTable> {
    // A memo or an index of this name would be written over, or taken for the new table's.
    let companion = table::sibling(fs.as_ref(), new, table::companion_extensions(new));
    if let Some(there) = companion.or_else(|| fs.stamp(new).is_ok().then(|| new.to_owned())) {
        let error = Error::new(Code::Duplicate, "there is a file of this name already").at(there.display());
        return Err(error.hint("nothing is written over: take it away, or name a folder with --into"));
    }
    let before = folder::list(fs.as_ref(), new.parent().unwrap_or(new))?.indexes;
    let others = table::other_index_files(fs, path, options, index_files)?;
    let companions = table::companions(fs.as_ref(), path);
    let old = std::iter::once(path.to_owned()).chain(companions).chain(others.iter().cloned());
    let read = old.map(|path| Ok((path.clone(), fs.stamp(&path)?))).collect::<Result<_>>()?;
    let how = WriteOptions { code_page: options.code_page, ..WriteOptions::new(Access::Exclusive) };
    let Repair { found: told, unread, unread_count, rejects, lost } = indexed::repair(fs, path, new, &how, &others)?;
    let index_files = folder::list(fs.as_ref(), new)?.indexes;
    let left = table::check(fs, new, options, &index_files);
    let mut made = indexed::IndexedTable::open(Arc::clone(fs), new, how)?;
    let records = made.count()?;
    made.close()?;
    let missing_records = counted_records(fs.as_ref(), path, options).saturating_sub(records);
    let mut files = vec![new.to_owned()];
    files.extend(table::companions(fs.as_ref(), new));
    for index in index_files.into_iter().filter(|index| !before.contains(index)) {
        if !files.contains(&index) {
            files.push(index);
        }
    }
    let path = new.to_owned();
    Ok(NewTable {
        path,
        files,
        other_indexes: others,
        records,
        missing_records,
        told,
        unread,
        unread_count,
        rejects,
        lost,
        left,
        read,
    })
}

/// The number of records that a header says, if it can be read.
fn counted_records(fs: &dyn FileSystem, path: &Path, options: OpenOptions) -> u64 {
    let header =
        fs.open(path).and_then(|file| Dbf::open(file, options)).map(|dbf| u64::from(dbf.header().record_count));
    header.unwrap_or(0)
}
