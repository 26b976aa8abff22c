//! Takes a backup: two passes over the files, and locks around the second one.

use super::contents::{BackedUp, Backup, Contents, FileKind};
use super::format::{Listed, MAGIC, PIECE, VERSION, Writer};
use crate::Database;
use crate::native::STORE_FOLDER;
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::{Create, FileSystem, Stamp};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::lock::{LockSettings, LockWait};
use mainstay_xbase::writer::{Access, WriteOptions};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Folders within each other that are copied.
const DEEPEST: usize = 32;

/// Writes everything that a database's folder is into one file, while programs and other sessions go on. `wait` is how long the
/// locks of each table are waited for. An earlier backup of the name is replaced when all of the new one is on the disk.
///
/// Errors: `Unsupported` for a database that has no folder; `Busy` when another process has the native tables, or a table
/// stays locked; `Corrupt` and its like when the native tables cannot be opened; `Duplicate` when another file than a backup is there; those of the file system. The file is as it was then.
pub fn take(database: &Database, file: &Path, wait: Duration) -> Result<Backup> {
    let file = std::path::absolute(file)?;
    let fs = Arc::clone(database.files());
    let folder = database.path();
    if !database.shared.catalog.native.is_kept() || !fs.is_folder(folder) {
        return Err(Error::new(Code::Unsupported, "only a folder can be backed up"));
    }
    if let Some(error) = database.shared.catalog.native.failure() {
        return Err(error.hint("a backup takes tables that can be read: see `mainstay check`, and docs/durability.md"));
    }
    if database.is_native_elsewhere() {
        let error = Error::new(Code::Busy, "another process has the native tables of the folder open");
        return Err(error.at(folder.display()).hint("run BACKUP DATABASE in that process, or end it first"));
    }
    let target = database.files_of_backup(&file)?;
    if let Ok(there) = target.open(&file) {
        let mut magic = [0; MAGIC.len()];
        if there.read_exact_at(&mut magic, 0).is_err() || magic != MAGIC {
            let error = Error::new(Code::Duplicate, "there is a file already, and it is no backup");
            return Err(error.at(file.display()).hint("choose another name"));
        }
    }
    let mut new = file.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    let taken = write(database, (&fs, &target), &new, &[&file, &new], wait);
    match taken.and_then(|taken| {
        target.rename(&new, &file)?;
        target.sync_folder(file.parent().unwrap_or(Path::new("")))?;
        Ok(taken)
    }) {
        Ok(taken) => Ok(taken),
        Err(error) => {
            // The error that led here is the one to report.
            let _ = target.remove(&new);
            Err(error)
        }
    }
}

/// The state of a file when it was copied.
struct Copied {
    listed: Listed,
    stamp: Stamp,
    at: SystemTime,
    bytes: u64,
}

/// The copies so far, by the path below the folder.
struct Taking<'d> {
    fs: &'d Arc<dyn FileSystem>,
    folder: &'d Path,
    own: &'d [&'d PathBuf; 2],
    writer: Writer,
    copied: BTreeMap<PathBuf, Copied>,
    remarks: Vec<String>,
}

fn write(
    database: &Database,
    (fs, target): (&Arc<dyn FileSystem>, &Arc<dyn FileSystem>),
    new: &Path,
    own: &[&PathBuf; 2],
    wait: Duration,
) -> Result<Backup> {
    let folder = database.path();
    let begun = SystemTime::now();
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let content = target.create(new, Create::Truncate)?;
    super::restrict_to_owner(new);
    let writer = Writer::begin(content, &name, begun)?;
    let mut taking = Taking { fs, folder, own, writer, copied: BTreeMap::new(), remarks: Vec::new() };
    taking.pass(true)?;
    let mut locks = Some(taking.lock_tables(wait)?);
    taking.pass(false)?;
    let Taking { mut writer, copied, mut remarks, .. } = taking;
    remarks.dedup();
    let mut files = Vec::new();
    let mut listed: Vec<Listed> = Vec::new();
    let store = database.shared.catalog.native.store();
    let mut native_tables = 0;
    if store.has_files() {
        let first = writer.begin_file(Path::new(STORE_FOLDER), true, begun)?;
        let mut fixed = || {
            native_tables = store.catalog().tables.len() as u64;
            locks.take().map_or(Ok(()), unlock)
        };
        store.backup_to(&mut fixed, &mut |bytes| writer.data(bytes))?;
        let bytes = writer.end_file()?;
        files.push(BackedUp { path: first.path.clone(), kind: FileKind::Native, bytes, modified: begun });
        listed.push(first);
    }
    locks.take().map_or(Ok(()), unlock)?;
    for (path, copied) in copied {
        let (kind, modified) = (FileKind::of(&path), copied.stamp.modified);
        files.push(BackedUp { path, kind, bytes: copied.bytes, modified });
        listed.push(copied.listed);
    }
    let bytes = writer.end(&listed, native_tables)?;
    let program = env!("CARGO_PKG_VERSION").to_owned();
    let contents = Contents { database: name, begun, program, version: VERSION, files, native_tables, bytes };
    Ok(Backup { contents, remarks })
}

fn unlock(locks: Vec<IndexedTable>) -> Result<()> {
    locks.into_iter().try_for_each(IndexedTable::close)
}

impl Taking<'_> {
    /// Copies every file that has no copy, or another state than the copy has.
    fn pass(&mut self, is_first: bool) -> Result<()> {
        let mut there = Vec::new();
        self.list(self.folder, 0, is_first, &mut there)?;
        self.copied.retain(|path, _| there.binary_search(path).is_ok());
        for path in there {
            interrupt::check()?;
            let whole = self.folder.join(&path);
            let is_same = |copied: &Copied| {
                let stamp = self.fs.stamp(&whole);
                copied.stamp.is_settled(copied.at) && stamp.is_ok_and(|stamp| stamp == copied.stamp)
            };
            if !self.copied.get(&path).is_some_and(is_same) {
                self.copy(path, &whole)?;
            }
        }
        Ok(())
    }

    /// The files of a folder and of those below it, in the order of their paths.
    fn list(&mut self, folder: &Path, depth: usize, is_first: bool, to: &mut Vec<PathBuf>) -> Result<()> {
        let mut entries = self.fs.list(folder)?;
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        for entry in entries {
            let Ok(below) = entry.path.strip_prefix(self.folder).map(Path::to_owned) else { continue };
            let is_hidden = entry.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if is_hidden || self.own.iter().any(|own| **own == entry.path) {
                continue;
            }
            if entry.is_folder && (depth >= DEEPEST || self.fs.is_link(&entry.path)) {
                if is_first {
                    self.remarks
                        .push(format!("{}: not in the backup: a link to a folder, or too deep", below.display()));
                }
            } else if entry.is_folder {
                self.list(&entry.path, depth + 1, is_first, to)?;
            } else if self.is_backup(&entry.path) {
                if is_first {
                    self.remarks.push(format!("{}: not in the backup: it is a backup itself", below.display()));
                }
            } else {
                to.push(below);
            }
        }
        if depth == 0 {
            to.sort();
        }
        Ok(())
    }

    fn is_backup(&self, path: &Path) -> bool {
        let mut magic = [0; MAGIC.len()];
        let Ok(file) = self.fs.open(path) else { return false };
        file.read_exact_at(&mut magic, 0).is_ok() && magic == MAGIC
    }

    fn copy(&mut self, path: PathBuf, whole: &Path) -> Result<()> {
        let file = self.fs.open(whole)?;
        let (stamp, at) = (file.stamp()?, SystemTime::now());
        let listed = self.writer.begin_file(&path, false, stamp.modified)?;
        let mut piece = vec![0; PIECE];
        let mut offset = 0;
        loop {
            let read = file.read_at(&mut piece, offset)?;
            if read == 0 {
                break;
            }
            self.writer.data(piece.get(..read).unwrap_or_default())?;
            offset += read as u64;
        }
        let bytes = self.writer.end_file()?;
        self.copied.insert(path, Copied { listed, stamp, at, bytes });
        Ok(())
    }

    /// Locks all DBF and ADT tables, in the order of their paths, so that two backups do not wait for each other.
    fn lock_tables(&mut self, wait: Duration) -> Result<Vec<IndexedTable>> {
        let tables: Vec<PathBuf> = self.copied.keys().filter(|path| FileKind::of(path).is_locked()).cloned().collect();
        let mut locks = Vec::new();
        for path in tables {
            let whole = self.folder.join(&path);
            match lock(self.fs, &whole, wait) {
                Ok(table) => locks.push(table),
                Err(error)
                    if matches!(error.code(), Code::Busy | Code::LockTimeout | Code::Cancelled | Code::Timeout) =>
                {
                    let hint = "the backup was not taken; try again later, or wait longer with --wait";
                    return Err(error.hint(hint));
                }
                // A table with a damaged header or journal accepts no writes, so it does not change in the meantime.
                Err(error) => self.remarks.push(format!("{}: copied without a lock: {error}", path.display())),
            }
        }
        Ok(locks)
    }
}

/// Locks a table as the programs that share it do.
fn lock(fs: &Arc<dyn FileSystem>, path: &Path, wait: Duration) -> Result<IndexedTable> {
    let settings = LockSettings::of_table(&**fs, path)?;
    let options = WriteOptions::new(Access::Shared);
    let wait = LockWait { timeout: wait, ..settings.wait_or(options.wait) };
    let options = WriteOptions { scheme: settings.scheme_or(options.scheme), wait, ..options };
    let mut table = IndexedTable::open(Arc::clone(fs), path, options)?;
    table.lock_table()?;
    Ok(table)
}
