//! Backup of a whole store into one file, restore, and a check of all files that changes none.
//!
//! A backup is a checkpoint whose files are copied while nothing removes them; commits go on meanwhile and are not in it.
//!
//! ```text
//!    0  8  `MSBACKUP`
//!    8  4  version, 1
//!   12  4  crc32c of bytes 0 to 12 and of the manifest
//!   16  8  length of the manifest
//!   24     manifest, as in the folder
//!          the group files that it names, in its order and with its lengths
//!          the runs that it names, likewise
//! ```
//!
//! The manifest has the checksums of the files, so every byte is under one.

use super::recover::{load, recover_from};
use super::runs::compare_with_rows;
use super::{Files, LOCK, WHOLE_BYTES};
use crate::catalog::column_ids;
use crate::files::{FileFacts, Manifest, StoreFolder};
use crate::journal::checksum::{continued, crc32c};
use crate::journal::random_salt;
use crate::store::Store;
use crate::transaction::NoJournal;
use crate::transaction::shared::Shared;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, File, FileSystem};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"MSBACKUP";
const VERSION: u32 = 1;
const HEADER: usize = 24;
/// The longest manifest that is believed.
const MANIFEST_BYTES: u64 = 1 << 32;

/// The memory of a check: pages of files and decoded columns take their parts of it.
const CHECK_BYTES: usize = 256 << 20;

impl Store {
    /// Copies the store as it is now into one file, while others go on. The file is whole, or as it was.
    ///
    /// Errors: `Unsupported` in memory; `Duplicate` if the file exists and is no backup; `ReadOnly` if no checkpoint
    /// can be taken; the reason why the rows of a table could not be read; those of a checkpoint; those of the copy,
    /// after which the store continues.
    pub fn backup(&self, path: &Path) -> Result<()> {
        self.ready_for_backup()?.copy_to(path)
    }

    /// Writes the bytes of the same file to `sink`, piece by piece. `fixed` is called when the state of the backup is
    /// fixed and nothing of it has been written yet: objects that must be of the same state can change again from then
    /// on.
    ///
    /// Errors: as [`Store::backup`], and those of `fixed` and `sink`.
    pub fn backup_to(
        &self,
        fixed: &mut dyn FnMut() -> Result<()>,
        sink: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let files = self.ready_for_backup()?;
        let manifest = files.manifest();
        fixed()?;
        files.copy_state(&manifest, sink)
    }

    /// True if there are files to back up: the store is neither in memory nor for reading only.
    pub fn has_files(&self) -> bool {
        self.durable.is_some() && self.read_only().is_none()
    }

    /// Takes the checkpoint that a backup copies.
    fn ready_for_backup(&self) -> Result<&Files> {
        if let Some(reason) = self.read_only() {
            return Err(reason.clone());
        }
        let durable = self.durable.as_ref().ok_or_else(|| {
            let error = Error::new(Code::Unsupported, "there are no native tables to back up");
            error.hint("native tables are made by CREATE TABLE, and kept in .mainstay")
        })?;
        // Not half of what there was in the place of an earlier backup, which may be whole.
        self.shared.cataloged().damage().next().map_or(Ok(()), |damage| Err(damage.clone()))?;
        durable.files.checkpoint(&self.shared, false)?;
        Ok(&durable.files)
    }

    /// Makes the store of a backup's file in a folder that has none.
    ///
    /// Errors: `InvalidValue` when there is a store already; `Damaged`, `NotThisFormat` and `Unsupported` for the file.
    pub fn restore(fs: Arc<dyn FileSystem>, file: &Path, folder: &Path) -> Result<()> {
        let backup = fs.open(file)?;
        let manifest = read_manifest(&*backup).map_err(|error| error.at(file.display()))?;
        // All of it, before anything is made that a damaged backup would leave behind.
        each_file(&*backup, &manifest, |_, _| Ok(())).map_err(|error| error.at(file.display()))?;
        fs.create_folder(folder)?;
        let _lock = fs.lock(&folder.join(LOCK))?;
        let folder = StoreFolder::new(Arc::clone(&fs), folder);
        if folder.load()?.is_some() {
            return Err(Error::new(Code::InvalidValue, "there is a database already").at(folder.path().display()));
        }
        let mut made = Vec::new();
        let restored = each_file(&*backup, &manifest, |facts, bytes| {
            let path = folder.path_of(facts);
            let group = fs.create(&path, Create::Truncate)?;
            made.push(path);
            group.write_at(bytes, 0)?;
            group.sync()
        });
        let restored = restored.and_then(|()| folder.initialize(&manifest, random_salt())?.close().map(|_| ()));
        if restored.is_err() && matches!(folder.load(), Ok(None)) {
            // Group files without a manifest are what is left of a store that was lost: it would not be opened.
            made.iter().for_each(|path| drop(fs.remove(path)));
        }
        restored
    }

    /// Reads a backup's file from its first byte to its last, and returns the number of its tables. Changes nothing.
    ///
    /// Errors: `Damaged`, `NotThisFormat` and `Unsupported` for the file.
    pub fn check_backup(fs: &dyn FileSystem, file: &Path) -> Result<usize> {
        let backup = fs.open(file)?;
        let manifest = read_manifest(&*backup)?;
        each_file(&*backup, &manifest, |_, _| Ok(()))?;
        Ok(manifest.catalog.tables.len())
    }

    /// Checks all files of a store that is not open, and returns their faults. Changes nothing. Without write access it
    /// runs without the lock.
    ///
    /// Errors: `Busy` when it is open; nothing that can be reported as a fault.
    pub fn check(fs: Arc<dyn FileSystem>, folder: &Path) -> Result<Vec<Error>> {
        let _lock = match fs.lock(&folder.join(LOCK)) {
            Err(error) if error.is_denied() => None,
            lock => Some(lock?),
        };
        let folder = StoreFolder::new(fs, folder);
        let manifest = match folder.load() {
            Ok(Some(manifest)) => manifest,
            Ok(None) => {
                return Ok(vec![Error::new(Code::NotFound, "there is no database").at(folder.path().display())]);
            }
            Err(_) => return Ok(folder.check_manifest()),
        };
        // Group files one by one; then keys, references between numbers, and the journal, as opening it would find them.
        let mut findings = folder.check_manifest();
        let mut known = HashSet::new();
        for (table, error) in folder.check(&manifest) {
            findings.push(of_table(&manifest, table, &error));
            known.insert(table);
        }
        for (table, error) in folder.check_runs(&manifest) {
            findings.push(of_table(&manifest, table, &error));
        }
        let shared = Arc::new(Shared::new(Arc::new(NoJournal), 0));
        shared.memory.limit_files_to(CHECK_BYTES);
        let folder = folder.with_resident(&shared.memory.resident);
        let recovered = load(&folder, &manifest, &shared, WHOLE_BYTES).and_then(|cataloged| {
            for image in &manifest.tables {
                let ids = manifest.catalog.table(image.table).map(column_ids).unwrap_or_default();
                let sound = cataloged.tables.get(&image.table).filter(|table| table.damage().is_none());
                findings.extend(sound.into_iter().flat_map(|it| compare_with_rows(&folder, it, image, &ids)));
            }
            recover_from(cataloged, &folder, &manifest, &shared, None)
        });
        findings.extend(recovered.err());
        let cataloged = shared.cataloged();
        let others = cataloged.tables.iter().filter(|(table, _)| !known.contains(table));
        findings.extend(others.filter_map(|(_, table)| table.damage().cloned()));
        shared.set_cataloged(Arc::default());
        shared.commits().cataloged = Arc::default();
        Ok(findings)
    }
}

/// A finding in a file of a table.
fn of_table(manifest: &Manifest, table: u64, error: &Error) -> Error {
    let name = manifest.catalog.table(table).map_or(String::new(), |table| table.name.clone());
    let finding = Error::new(error.code(), format!("{} (table \"{name}\")", error.message()));
    error.place().map_or(finding.clone(), |place| finding.at(place))
}

impl Files {
    /// Copies the last checkpoint. The next one waits until this is done.
    fn copy_to(&self, path: &Path) -> Result<()> {
        let manifest = self.manifest();
        let fs = self.folder.fs();
        if let Ok(there) = fs.open(path) {
            let mut magic = [0; MAGIC.len()];
            if there.read_exact_at(&mut magic, 0).is_err() || magic != MAGIC {
                let error = Error::new(Code::Duplicate, "there is a file already, and it is no backup");
                return Err(error.at(path.display()).hint("choose another name"));
            }
        }
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let file = fs.create(&new, Create::Truncate)?;
        let mut offset = 0;
        self.copy_state(&manifest, &mut |bytes| {
            file.write_at(bytes, offset)?;
            offset += bytes.len() as u64;
            Ok(())
        })?;
        file.sync()?;
        fs.rename(&new, path)?;
        fs.sync_folder(path.parent().unwrap_or(Path::new("")))
    }

    /// Gives everything that a manifest names, and itself, in the order of the file.
    fn copy_state(&self, manifest: &Manifest, sink: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        sink(&encode_head(manifest)?)?;
        for facts in files_of(manifest) {
            let path = self.folder.path_of(facts);
            let bytes = self.folder.fs().map(&path)?;
            if bytes.len() as u64 != facts.length || crc32c(&bytes) != facts.checksum {
                return Err(Error::new(Code::Damaged, "the file is damaged").at(path.display()));
            }
            sink(&bytes)?;
        }
        Ok(())
    }
}

/// The files of a manifest, in the order of a backup.
fn files_of(manifest: &Manifest) -> impl Iterator<Item = &FileFacts> {
    manifest.files().chain(manifest.runs())
}

/// Calls `work` with the facts and the bytes of each file in a backup.
///
/// Errors: `Damaged` when one is not as it was written, or something follows the last; those of `work`.
fn each_file(
    backup: &dyn File,
    manifest: &Manifest,
    mut work: impl FnMut(&FileFacts, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut offset = HEADER as u64 + manifest_length(backup)?;
    for facts in files_of(manifest) {
        let mut bytes = vec![0; checked_length(backup, offset, facts.length)?];
        backup.read_exact_at(&mut bytes, offset)?;
        if crc32c(&bytes) != facts.checksum {
            return Err(bad("the checksum of a file is wrong"));
        }
        work(facts, &bytes)?;
        offset += facts.length;
    }
    match backup.stamp()?.len {
        length if length == offset => Ok(()),
        _ => Err(bad("something follows the last file")),
    }
}

/// The length of the manifest in a backup, which may be of an earlier version than is written now.
fn manifest_length(backup: &dyn File) -> Result<u64> {
    let mut length = [0; 8];
    backup.read_exact_at(&mut length, 16)?;
    Ok(u64::from_le_bytes(length))
}

/// Everything in front of the group files.
fn encode_head(manifest: &Manifest) -> Result<Vec<u8>> {
    let manifest = manifest.encode()?;
    let mut bytes = Vec::with_capacity(HEADER + manifest.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let checksum = continued(crc32c(&bytes), &manifest);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(&(manifest.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&manifest);
    Ok(bytes)
}

fn read_manifest(file: &dyn File) -> Result<Manifest> {
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, 0)?;
    let (head, rest) = header.split_at(12);
    if head[..8] != MAGIC {
        return Err(Error::new(Code::NotThisFormat, "the file is no backup"));
    }
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let version = number(&head[8..]);
    if version != u64::from(VERSION) {
        let message = format!("the backup has version {version}, and this program knows {VERSION}");
        return Err(Error::new(Code::Unsupported, message).hint("use the program that wrote it, or a later one"));
    }
    let length = number(&rest[4..]);
    if length > MANIFEST_BYTES {
        return Err(bad("its manifest is too long"));
    }
    let mut bytes = vec![0; checked_length(file, HEADER as u64, length)?];
    file.read_exact_at(&mut bytes, HEADER as u64)?;
    if u64::from(continued(crc32c(head), &bytes)) != number(&rest[..4]) {
        return Err(bad("the checksum of its manifest is wrong"));
    }
    Manifest::decode(&bytes)
}

/// A length that the file has behind an offset.
fn checked_length(file: &dyn File, offset: u64, length: u64) -> Result<usize> {
    let has = file.stamp()?.len;
    let fits = offset.checked_add(length).is_some_and(|end| end <= has);
    usize::try_from(length).ok().filter(|_| fits).ok_or_else(|| bad("it is too short"))
}

fn bad(what: &str) -> Error {
    Error::new(Code::Damaged, format!("the backup is damaged: {what}")).hint("take another backup")
}
