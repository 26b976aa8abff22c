//! The files that a journal may lead to.
//!
//! A journal names tables and index files, and undoing it writes to them. Any user with write access to a folder can
//! put one there, and the process that undoes it may have more rights. So a path in a journal is followed only
//!
//! ```text
//!   below the folder of the journal            shop/.mainstay-transactions/1.undo  ->  shop/orders.dbf, shop/2019/old.dbf
//!   to a folder that has a link back to it     shop/.mainstay-transactions/1.undo  ->  other/items.dbf
//!                                              other/.mainstay-transactions/1.link ->  shop/.mainstay-transactions/1.undo
//! ```
//! with all symbolic links followed, and the journal is no symbolic link itself. A transaction writes the link before the
//! journal names a table of that folder. A journal with a path elsewhere is refused as a whole
//! ([`Code::NotPermitted`]), before anything is changed. The same holds for the list of stale indexes of a table:
//! `rebuild.rs`.

use super::journal::{Entry, FOLDER, folder_of};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, leads_below};
use std::path::{Path, PathBuf};

/// The longest path that is believed.
const LONGEST_PATH: u64 = 4096;

/// The folder in which the tables of a journal are.
pub(super) fn tables_of(journal: &Path) -> &Path {
    journal.parent().and_then(Path::parent).unwrap_or(Path::new(""))
}

/// The folder of a file when all links on the way to it are followed.
pub(super) fn real_folder_of(fs: &dyn FileSystem, path: &Path) -> Result<PathBuf> {
    Ok(folder_of(&fs.real_path(path)?).to_owned())
}

/// The contents of a `.link`.
pub(super) enum Target {
    /// The path of a journal that is there.
    Journal(PathBuf),
    /// The target of a journal whose transaction has ended.
    Gone,
    /// Nothing: its transaction is just writing it, or was cut off in that.
    Unwritten,
}

/// The journal that a `.link` names.
///
/// Errors: `NotPermitted` for a path that no transaction writes into a link of this name, and for one that the file system
/// does not lead to.
pub(super) fn target_of(fs: &dyn FileSystem, link: &Path) -> Result<Target> {
    let refused = || refusal("it names something else than the journal of a transaction").at(link.display());
    if fs.is_link(link) || fs.stamp(link)?.len > LONGEST_PATH {
        return Err(refused());
    }
    let content = fs.read(link)?;
    if content.iter().all(|byte| *byte == 0) {
        return Ok(Target::Unwritten);
    }
    let target = PathBuf::from(String::from_utf8_lossy(&content).into_owned());
    let is_journal = target.extension().is_some_and(|extension| extension == "undo")
        && target.file_stem() == link.file_stem()
        && target.parent().and_then(Path::file_name).is_some_and(|folder| folder == FOLDER);
    if !is_journal || fs.is_link(&target) {
        return Err(refused());
    }
    match fs.stamp(&target) {
        Ok(_) => Ok(Target::Journal(target)),
        Err(error) if error.code() == Code::NotFound => Ok(Target::Gone),
        Err(error) => Err(error),
    }
}

/// Refuses a journal of which a path leads where it may not.
///
/// Errors: `NotPermitted`, and those of following the paths.
pub(super) fn check(fs: &dyn FileSystem, journal: &Path, entries: &[Entry]) -> Result<()> {
    if fs.is_link(journal) || fs.is_link(folder_of(journal)) {
        return Err(refusal("the journal is a symbolic link").at(journal.display()));
    }
    for entry in entries {
        let Entry::Table { path, bags, .. } = entry else { continue };
        for path in std::iter::once(path).chain(bags) {
            if !may_reach(fs, journal, path)? {
                let message =
                    format!("the journal of a transaction names a file out of its folder: {}", path.display());
                return Err(refusal(&message).at(journal.display()));
            }
        }
    }
    Ok(())
}

fn may_reach(fs: &dyn FileSystem, journal: &Path, path: &Path) -> Result<bool> {
    match leads_below(fs, path, tables_of(journal)) {
        Ok(true) => return Ok(true),
        Ok(false) => {}
        // One that is gone needs no undoing.
        Err(error) if error.code() == Code::NotFound => return Ok(true),
        Err(error) => return Err(error),
    }
    let folder = real_folder_of(fs, path)?;
    let Some(stem) = journal.file_stem() else { return Ok(false) };
    let link = folder.join(FOLDER).join(stem).with_extension("link");
    if fs.stamp(&link).is_err() {
        return Ok(false);
    }
    match target_of(fs, &link)? {
        Target::Journal(target) => Ok(fs.real_path(&target)? == fs.real_path(journal)?),
        Target::Gone | Target::Unwritten => Ok(false),
    }
}

/// The refusal of something that a file names. Nothing was changed.
pub(super) fn refusal(message: &str) -> Error {
    let hint =
        "nothing was changed; a transaction of Mainstay leaves no such file: see where it comes from, and take it away";
    Error::new(Code::NotPermitted, message).hint(hint)
}
