//! Atomic replacement of old files by new ones.
//!
//! A table without a memo is one file, and a rename replaces it in one step. With a memo there are two, and no
//! system renames two files at once. So the renames are recorded first:
//!
//! ```text
//!   a.dbf.new, a.new.fpt     complete, and on the disk
//!   a.dbf.swap               the name of the memo file; from here on the new files are the table
//!   rename a.new.fpt to a.fpt, a.dbf.new to a.dbf
//!   remove a.dbf.swap
//! ```
//! The next process that opens the table for writing and finds `a.dbf.swap` finishes the renames ([`finish`]). Other
//! programs do not know of it: between a crash within these renames and that opening they would see the new memo file
//! with the old table.

use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::path::{Path, PathBuf};

fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Where a table is written that is to replace this one.
pub(super) fn new_table(path: &Path) -> PathBuf {
    with(path, ".new")
}

/// Where its memo file is written; the extension stays, because it says the kind.
pub(super) fn new_memo(memo: &Path) -> PathBuf {
    let extension = memo.extension().map_or_else(String::new, |extension| extension.to_string_lossy().into_owned());
    memo.with_extension(format!("new.{extension}"))
}

/// Removes new files that are not to be used. What cannot be removed is written over by the next attempt.
pub(super) fn discard(fs: &dyn FileSystem, path: &Path, memo: Option<&Path>) {
    let _ = fs.remove(&new_table(path));
    if let Some(memo) = memo {
        let _ = fs.remove(&new_memo(memo));
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Puts the new files, which are on the disk, in the place of the old ones.
pub(super) fn swap(fs: &dyn FileSystem, path: &Path, memo: Option<&Path>) -> Result<()> {
    fs.sync_folder(folder(path))?;
    let Some(memo) = memo else {
        fs.rename(&new_table(path), path)?;
        return fs.sync_folder(folder(path));
    };
    let name = memo.file_name().unwrap_or_default();
    fs.replace(&with(path, ".swap"), name.as_encoded_bytes())?;
    finish(fs, path)
}

/// Finishes the replacement of a table that was cut off. Nothing is done where none was begun.
pub fn finish(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    let plan = with(path, ".swap");
    if fs.stamp(&plan).is_err() {
        return Ok(());
    }
    let name = String::from_utf8(fs.read(&plan)?).map_err(|_| {
        Error::new(Code::Damaged, "this file names the memo file of a table that was replaced; it is unreadable")
            .at(plan.display())
    })?;
    let memo = folder(path).join(name);
    for (new, old) in [(new_memo(&memo), memo.as_path()), (new_table(path), path)] {
        // Another program of ours may be doing the same.
        match fs.rename(&new, old) {
            Err(error) if error.code() != Code::NotFound => return Err(error),
            _ => {}
        }
    }
    fs.sync_folder(folder(path))?;
    match fs.remove(&plan) {
        Err(error) if error.code() != Code::NotFound => Err(error),
        _ => fs.sync_folder(folder(path)),
    }
}
