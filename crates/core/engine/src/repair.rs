//! `mainstay check --repair`: DBF tables that are damaged, or whose indexes do not agree with them or are missing, made anew in
//! new files.
//!
//! ```text
//!   shop/stock.dbf  .fpt  .cdx  stock_id.ntx            stay as they are
//!   shop/stock.repaired.dbf  .fpt  .cdx  stock.repaired_stock_id.ntx      without a folder
//!   saved/stock.dbf  .fpt  .cdx  stock_id.ntx           with `--into saved`
//! ```
//! What can be read is taken over (`mainstay_xbase::indexed::repair`), and the new files are checked in their turn: only
//! that says whether all is sound now. Nothing is ever written over, so a second run is refused where the first one wrote.

use crate::check::table_of;
use crate::folder::{self, Kind};
use crate::options::{FolderSettings, Options};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::writer::{Access, Repair, WriteOptions};
use mainstay_xbase::{Finding, Severity, indexed, table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The extensions of files that belong to a table.
const COMPANIONS: [&str; 5] = ["fpt", "dbt", "smt", "cdx", "adi"];

/// A damaged table, and what became of it.
#[derive(Debug)]
pub struct Repaired {
    /// The table, which stays as it is.
    pub table: PathBuf,
    /// The new one, or why there is none.
    pub outcome: Result<NewTable>,
}

/// A table that was made out of a damaged one.
#[derive(Debug)]
pub struct NewTable {
    /// Its file.
    pub path: PathBuf,
    /// Its records, deleted ones included.
    pub records: u64,
    /// Findings in the old files, and the index files that were created.
    pub told: Vec<Finding>,
    /// Values that cannot be read in the old files, and are empty in the new ones.
    pub unread: Vec<Finding>,
    /// Further losses against the old files: memo files, indexes and their tags.
    pub lost: Vec<Finding>,
    /// What is wrong with the new files.
    pub left: Vec<Finding>,
}

impl NewTable {
    /// True if the new files have no error and contain everything that can be read in the old ones.
    pub fn is_sound(&self) -> bool {
        !has_error(&self.left) && !has_error(&self.lost)
    }
}

/// Makes a new table of each DBF that is damaged, has an index that does not agree with it, or lacks the one that its header asks
/// for: of this folder, or this one; the path may be that of its index or memo.
/// The new files are in `into`, or beside the old ones with `.repaired` in their names. Other programs should not write to
/// the tables meanwhile.
///
/// Errors: that the path itself cannot be read, or `into` not be made. What keeps one table from being repaired is its outcome.
pub fn repair(path: &Path, into: Option<&Path>, options: &Options) -> Result<Vec<Repaired>> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = table_of(fs.as_ref(), std::path::absolute(path)?)?;
    let listing = folder::list(fs.as_ref(), &path)?;
    let folder = if fs.is_folder(&path) { path.as_path() } else { path.parent().unwrap_or(&path) };
    let settings = FolderSettings::read(fs.as_ref(), folder, options)?.files;
    let into = into.map(std::path::absolute).transpose()?;
    let mut repaired = Vec::new();
    for (name, file) in listing.tables.iter().filter(|(_, file)| file.kind == Kind::Dbf) {
        let options = OpenOptions { code_page: settings.code_page(name) };
        // One whose structural index is missing is not written to: the new one does not ask for it.
        let lacks_index = || table::lacks_index(&fs, &file.path, options).unwrap_or(false);
        if !has_error(&table::check(&fs, &file.path, options, &listing.indexes)) && !lacks_index() {
            continue;
        }
        if let Some(into) = into.as_deref().filter(|into| !fs.is_folder(into)) {
            fs.create_folder(into)?;
        }
        let new = new_path(&file.path, into.as_deref());
        let outcome = make(&fs, &file.path, &new, options, &listing.indexes);
        repaired.push(Repaired { table: file.path.clone(), outcome });
    }
    Ok(repaired)
}

fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// Where the new table goes.
fn new_path(table: &Path, into: Option<&Path>) -> PathBuf {
    match into {
        Some(folder) => folder.join(table.file_name().unwrap_or_default()),
        None => {
            let extension = table.extension().unwrap_or_default().to_string_lossy();
            table.with_extension(format!("repaired.{extension}"))
        }
    }
}

fn make(
    fs: &Arc<dyn FileSystem>,
    path: &Path,
    new: &Path,
    options: OpenOptions,
    index_files: &[PathBuf],
) -> Result<NewTable> {
    // A memo or an index of this name would be written over, or taken for the new table's.
    let companion = table::sibling(fs.as_ref(), new, &COMPANIONS);
    if let Some(there) = companion.or_else(|| fs.stamp(new).is_ok().then(|| new.to_owned())) {
        let error = Error::new(Code::Duplicate, "there is a file of this name already").at(there.display());
        return Err(error.hint("nothing is written over: take it away, or name a folder with --into"));
    }
    let others = table::other_index_files(fs, path, options, index_files)?;
    let how = WriteOptions { code_page: options.code_page, ..WriteOptions::new(Access::Exclusive) };
    let Repair { found: told, unread, lost } = indexed::repair(fs, path, new, &how, &others)?;
    let index_files = folder::list(fs.as_ref(), new)?.indexes;
    let left = table::check(fs, new, options, &index_files);
    let mut made = indexed::IndexedTable::open(Arc::clone(fs), new, how)?;
    let records = made.count()?;
    made.close()?;
    Ok(NewTable { path: new.to_owned(), records, told, unread, lost, left })
}
