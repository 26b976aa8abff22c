//! Verifies a backup, and makes a folder of it.
//!
//! The whole file is verified before anything is written. Files are written and synced one by one, the native tables
//! last, and of these the manifest last: after a crash the folder is not a database that looks complete.

use super::contents::{BackedUp, Contents, FileKind};
use super::format::Reader;
use crate::native::STORE_FOLDER;
use mainstay_store::Store;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The name, below the new folder, of the native tables' part while they are restored.
const NATIVE_PART: &str = ".mainstay-restoring";

/// Reads a backup from its first byte to its last: its contents.
///
/// Errors: `NotThisFormat`, `Unsupported` for a later version; `Damaged`, with the place, for a file that is not as it was
/// written.
pub fn verify(fs: &dyn FileSystem, file: &Path) -> Result<Contents> {
    let open = || Reader::new(fs.open(file)?);
    let read = || -> Result<Contents> {
        match open()?.version()? {
            1 => native_only(fs, file),
            _ => open()?.contents().map(|(contents, _)| contents),
        }
    };
    read().map_err(|error| error.at(file.display()))
}

/// Makes a folder of a backup, and says what was written. The folder may be there; nothing in it is written over.
///
/// Errors: those of [`verify`]; `Duplicate` for a file that is there already; those of the file system. Then nothing was
/// restored.
pub fn restore(fs: &Arc<dyn FileSystem>, file: &Path, folder: &Path) -> Result<Contents> {
    let (file, folder) = (std::path::absolute(file)?, std::path::absolute(folder)?);
    let contents = verify(&**fs, &file)?;
    if contents.version == 1 {
        Store::restore(Arc::clone(fs), &file, &folder.join(STORE_FOLDER))?;
        return Ok(contents);
    }
    let mut reader = Reader::new(fs.open(&file)?)?;
    let (contents, offsets) = reader.contents()?;
    check_target(&**fs, &folder, &contents).map_err(|error| match error.place() {
        Some(_) => error,
        None => error.at(file.display()),
    })?;
    let mut made = Made::default();
    let restored = write(fs, &mut reader, &folder, (&contents, &offsets), &mut made);
    if restored.is_err() {
        made.remove(&**fs);
    }
    restored.map(|()| contents)
}

/// The contents of a backup of version 1, which has native tables only.
fn native_only(fs: &dyn FileSystem, file: &Path) -> Result<Contents> {
    let checked = Store::check_backup(fs, file)?;
    let stamp = fs.stamp(file)?;
    let path = PathBuf::from(STORE_FOLDER);
    let native = BackedUp { path, kind: FileKind::Native, bytes: stamp.len, modified: stamp.modified };
    Ok(Contents {
        database: String::new(),
        begun: stamp.modified,
        program: String::new(),
        version: 1,
        files: vec![native],
        native_tables: checked as u64,
        bytes: stamp.len,
    })
}

/// Refuses paths that lead out of the folder, by their names or by symbolic links in it, and files that exist.
fn check_target(fs: &dyn FileSystem, folder: &Path, contents: &Contents) -> Result<()> {
    if fs.stamp(folder).is_ok() && !fs.is_folder(folder) {
        return Err(Error::new(Code::Duplicate, "there is a file of this name").at(folder.display()));
    }
    for entry in &contents.files {
        let is_plain = entry.path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_native = entry.kind == FileKind::Native;
        // The files of the store are made from the native tables, and never taken as they are.
        let is_of_store = entry.path.starts_with(STORE_FOLDER);
        if !is_plain || is_native != (entry.path == Path::new(STORE_FOLDER)) || is_native != is_of_store {
            let message = format!("the backup has a file that does not belong into a folder: {}", entry.path.display());
            return Err(Error::new(Code::Damaged, message));
        }
        let target = folder.join(&entry.path);
        // A link, and one to nothing too, would be followed by the write.
        let within = target.ancestors().take_while(|path| *path != folder);
        if let Some(link) = within.filter(|path| fs.is_link(path)).last() {
            let error = Error::new(Code::NotPermitted, "a symbolic link leads out of the folder").at(link.display());
            return Err(error.hint("restore into a new folder"));
        }
        if fs.stamp(&target).is_ok() || fs.is_folder(&target) {
            let message =
                if is_native { "there is a database already" } else { "there is a file of this name already" };
            let error = Error::new(Code::Duplicate, message).at(target.display());
            return Err(error.hint("nothing is written over: name a new folder"));
        }
    }
    Ok(())
}

/// Files and folders that were made, for a restore that fails.
#[derive(Default)]
struct Made {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Made {
    fn remove(self, fs: &dyn FileSystem) {
        // The error that led here is the one to report.
        self.files.iter().for_each(|file| drop(fs.remove(file)));
        self.folders.iter().rev().for_each(|folder| drop(fs.remove_folder(folder)));
    }

    fn folder(&mut self, fs: &dyn FileSystem, folder: &Path) -> Result<()> {
        if fs.is_folder(folder) {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.folder(fs, parent)?;
        }
        fs.create_folder(folder)?;
        self.folders.push(folder.to_owned());
        Ok(())
    }
}

fn write(
    fs: &Arc<dyn FileSystem>,
    reader: &mut Reader,
    folder: &Path,
    (contents, offsets): (&Contents, &[u64]),
    made: &mut Made,
) -> Result<()> {
    made.folder(&**fs, folder)?;
    let mut native = None;
    for (entry, offset) in contents.files.iter().zip(offsets) {
        let is_native = entry.kind == FileKind::Native;
        let target = folder.join(if is_native { Path::new(NATIVE_PART) } else { &entry.path });
        if let Some(parent) = target.parent() {
            made.folder(&**fs, parent)?;
        }
        let file = fs.create(&target, Create::Truncate)?;
        made.files.push(target.clone());
        if entry.kind == FileKind::Settings {
            super::restrict_to_owner(&target);
        }
        let mut at = 0;
        reader.copy(*offset, &mut |bytes| {
            file.write_at(bytes, at)?;
            at += bytes.len() as u64;
            Ok(())
        })?;
        file.sync()?;
        if is_native {
            native = Some(target);
        }
    }
    for folder in made.folders.iter().map(PathBuf::as_path).chain([folder]) {
        fs.sync_folder(folder)?;
    }
    if let Some(part) = native {
        Store::restore(Arc::clone(fs), &part, &folder.join(STORE_FOLDER))?;
        fs.remove(&part)?;
        fs.sync_folder(folder)?;
    }
    Ok(())
}
