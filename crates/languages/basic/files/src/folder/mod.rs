//! [`FolderVolume`]: files of a folder of the operating system: text, programs, blocks of bytes, folders; and `*MEMORY*`.
//!
//! ```text
//!   mod          names, creating, erasing, renaming, listing
//!   serial       lines of text
//!   blocks       ISZ=: blocks of bytes
//!   names        a folder as a file: one name a record
//! ```
//!
//! Names lead to places below the folder only, never to hidden files, the native tables or the settings.

mod blocks;
mod names;
mod serial;

use crate::error::{FileError, FileErrorKind, Result};
use crate::file::RecordFile;
use crate::key::KeyDefinitions;
use crate::keyed::ChannelOptions;
use crate::memory::MemoryQueue;
use crate::options::{FileDefinition, FileKind, OpenMode, OpenOptions, RecordFormat};
use crate::sequence::SequenceFile;
use crate::volume::{DirectoryEntry, Volume};
use mainstay_types::{Code, Error};
use mainstay_vfs::{Create, File, FileSystem, LockMode, WritableFile, client_path};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The endings of names of programs.
const PROGRAMS: [&str; 3] = ["bas", "pxp", "pvx"];

/// A folder of the operating system.
pub struct FolderVolume {
    files: Arc<dyn FileSystem>,
    folder: PathBuf,
}

/// An open file of the operating system.
#[derive(Clone, Debug)]
enum Handle {
    Readable(Arc<dyn File>),
    Writable(Arc<dyn WritableFile>),
}

impl Handle {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        Ok(match self {
            Handle::Readable(file) => file.read_at(buffer, offset)?,
            Handle::Writable(file) => file.read_at(buffer, offset)?,
        })
    }

    fn length(&self) -> Result<u64> {
        Ok(match self {
            Handle::Readable(file) => file.stamp()?.len,
            Handle::Writable(file) => file.stamp()?.len,
        })
    }

    /// Errors: 13 for a file that may be read only.
    fn writable(&self) -> Result<&Arc<dyn WritableFile>> {
        match self {
            Handle::Writable(file) => Ok(file),
            Handle::Readable(_) => Err(FileError::new(FileErrorKind::AccessMode, "the file may be read only")),
        }
    }

    /// Claims the file, for this channel alone or beside others: whether nobody's claim excludes it.
    fn claim(&self, alone: bool) -> Result<bool> {
        let Handle::Writable(file) = self else { return Ok(!alone) };
        match file.try_share(if alone { LockMode::Exclusive } else { LockMode::Shared }) {
            // A file system without locks is one that nobody shares.
            Err(error) if error.code() == Code::Unsupported => Ok(true),
            claimed => Ok(claimed?),
        }
    }

    /// Claims the file, or waits for it.
    ///
    /// Errors: 0.
    fn claim_within(&self, alone: bool, wait: std::time::Duration) -> Result<()> {
        let until = Instant::now() + wait;
        loop {
            if self.claim(alone)? {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(FileError::new(FileErrorKind::Busy, "another session has the file open or locked"));
            }
            mainstay_types::interrupt::check()?;
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

impl FolderVolume {
    /// The files of a folder.
    pub fn new(files: Arc<dyn FileSystem>, folder: &Path) -> FolderVolume {
        FolderVolume { files, folder: folder.to_owned() }
    }

    /// The path of a name.
    ///
    /// Errors: 10.
    fn path(&self, name: &str) -> Result<PathBuf> {
        let invalid = || FileError::new(FileErrorKind::InvalidName, format!("{name:?} cannot be the name of a file"));
        let plain = name.trim().replace('\\', "/");
        let plain = plain.strip_prefix("./").unwrap_or(&plain).trim_end_matches('/');
        if plain.is_empty() || plain.starts_with(['*', '|', '<', '>', '[']) || plain.contains('\0') {
            return Err(invalid());
        }
        client_path(&self.folder, plain).ok_or_else(invalid)
    }

    /// The path of a folder; the volume's own for an empty name and `.`.
    fn folder_path(&self, name: &str) -> Result<PathBuf> {
        match name.trim().trim_end_matches(['/', '\\']) {
            "" | "." => Ok(self.folder.clone()),
            name => self.path(name),
        }
    }

    fn kind_of(&self, path: &Path) -> Result<Option<FileKind>> {
        if self.files.is_folder(path) {
            return Ok(Some(FileKind::Directory));
        }
        match self.files.stamp(path) {
            Ok(_) => Ok(Some(kind_of_name(path))),
            Err(error) if error.code() == Code::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn existing(&self, name: &str) -> Result<(PathBuf, FileKind)> {
        let path = self.path(name)?;
        let kind = self.kind_of(&path)?;
        kind.map(|kind| (path, kind)).ok_or_else(|| missing(name))
    }

    fn check_new(&self, name: &str) -> Result<PathBuf> {
        let path = self.path(name)?;
        match self.kind_of(&path)? {
            None => Ok(path),
            Some(_) => {
                Err(FileError::new(FileErrorKind::FileExists, format!("{name}: there is a file of this name already")))
            }
        }
    }

    fn handle(&self, path: &Path, mode: OpenMode) -> Result<Handle> {
        match self.files.create(path, Create::Existing) {
            Ok(file) => Ok(Handle::Writable(file)),
            Err(error) if mode == OpenMode::Input && error.is_denied() => Ok(Handle::Readable(self.files.open(path)?)),
            Err(error) => Err(denied(error)),
        }
    }

    fn open_names(&self, path: &Path, name: &str, options: &OpenOptions) -> Result<Box<dyn RecordFile>> {
        let entries = self.files.list(path)?;
        let names = entries.iter().filter_map(|entry| entry.path.file_name()?.to_str());
        let names = names
            .filter(|name| !name.starts_with('.'))
            .map(|name| mainstay_code_page::encode(name).into_owned())
            .collect();
        let format = RecordFormat::Variable(4096);
        let definition = FileDefinition::new(FileKind::Directory, KeyDefinitions::default(), format);
        let names = names::Names::new(names, path.display().to_string());
        Ok(Box::new(SequenceFile::new(names, definition, channel(name, true, options))))
    }

    fn open_file(&self, path: &Path, name: &str, kind: FileKind, options: &OpenOptions) -> Result<Box<dyn RecordFile>> {
        let handle = self.handle(path, options.mode)?;
        let is_locked = matches!(options.mode, OpenMode::Lock | OpenMode::Purge);
        handle.claim_within(is_locked, options.wait)?;
        if options.mode == OpenMode::Purge {
            handle.writable()?.set_len(0)?;
        }
        let is_read_only = options.mode == OpenMode::Input || kind == FileKind::Program;
        let path = path.display().to_string();
        if let Some(size) = options.block_size {
            let format = RecordFormat::Variable(size.max(1));
            let definition = FileDefinition::new(FileKind::Binary, KeyDefinitions::default(), format);
            let blocks = blocks::Blocks::new(handle, size.max(1), is_locked, path)?;
            return Ok(Box::new(SequenceFile::new(blocks, definition, channel(name, is_read_only, options))));
        }
        let mut definition = FileDefinition::serial(options.record_size.unwrap_or(0));
        definition.kind = kind;
        definition.separator = options.separator.unwrap_or(definition.separator);
        let settings = serial::Settings { is_locked, writes_unlocked: options.writes_unlocked, path };
        let channel = channel(name, is_read_only, options);
        Ok(Box::new(serial::SerialFile::new(handle, definition, settings, channel)?))
    }
}

fn channel(name: &str, is_read_only: bool, options: &OpenOptions) -> ChannelOptions {
    ChannelOptions {
        name: name.to_owned(),
        is_read_only,
        was_purged: options.mode == OpenMode::Purge,
        counters: Arc::clone(&options.counters),
    }
}

fn kind_of_name(path: &Path) -> FileKind {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match PROGRAMS.iter().any(|program| ending.eq_ignore_ascii_case(program)) {
        true => FileKind::Program,
        false => FileKind::Serial,
    }
}

fn missing(name: &str) -> FileError {
    FileError::new(FileErrorKind::FileMissing, format!("{name}: there is no file of this name"))
}

/// An error of the system when a file is opened: without the right to do so it is error 13.
fn denied(error: Error) -> FileError {
    match error.is_denied() {
        true => FileError::new(FileErrorKind::AccessMode, error.to_string()),
        false => error.into(),
    }
}

impl Volume for FolderVolume {
    fn create(&self, name: &str, definition: &FileDefinition) -> Result<()> {
        if definition.kind != FileKind::Serial {
            let message = format!("{name}: files with keys and indexed files are kept in a database");
            return Err(FileError::new(FileErrorKind::Unsupported, message));
        }
        let path = self.check_new(name)?;
        let file = self.files.create(&path, Create::New).map_err(denied)?;
        file.sync()?;
        self.files.sync_folder(path.parent().unwrap_or(&self.folder))?;
        Ok(())
    }

    fn open(&self, name: &str, options: &OpenOptions) -> Result<Box<dyn RecordFile>> {
        options.counters.count_open();
        let memory = MemoryQueue::open(name, options.record_size, options.separator, &options.counters);
        if let Some(opened) = memory {
            return opened;
        }
        let path = if name.trim().is_empty() { self.path(name)? } else { self.folder_path(name)? };
        let in_file = |error: FileError| error.at(name);
        match self.kind_of(&path)? {
            Some(FileKind::Directory) => self.open_names(&path, name, options),
            Some(kind) => self.open_file(&path, name, kind, options).map_err(in_file),
            None if options.create => {
                self.create(name, &FileDefinition::serial(0))?;
                self.open_file(&path, name, kind_of_name(&path), options).map_err(in_file)
            }
            None => Err(missing(name)),
        }
    }

    fn erase(&self, name: &str) -> Result<()> {
        let (path, kind) = self.existing(name)?;
        if kind == FileKind::Directory {
            if !self.files.list(&path)?.is_empty() {
                let message = format!("{name}: the folder is not empty");
                return Err(FileError::new(FileErrorKind::FileState, message));
            }
            self.files.remove_folder(&path)?;
        } else {
            self.handle(&path, OpenMode::Lock)?.claim_within(true, Default::default()).map_err(|e| e.at(name))?;
            self.files.remove(&path)?;
        }
        self.files.sync_folder(path.parent().unwrap_or(&self.folder))?;
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (old, kind) = self.existing(from)?;
        let new = self.check_new(to)?;
        if kind != FileKind::Directory {
            self.handle(&old, OpenMode::Lock)?.claim_within(true, Default::default()).map_err(|e| e.at(from))?;
        }
        self.files.rename(&old, &new)?;
        self.files.sync_folder(new.parent().unwrap_or(&self.folder))?;
        Ok(())
    }

    fn refile(&self, name: &str) -> Result<()> {
        let (path, kind) = self.existing(name)?;
        if kind != FileKind::Serial {
            return Err(FileError::new(FileErrorKind::FileType, format!("{name}: the file cannot be emptied")));
        }
        let handle = self.handle(&path, OpenMode::Purge)?;
        handle.claim_within(true, Default::default()).map_err(|error| error.at(name))?;
        let file = handle.writable()?;
        file.set_len(0)?;
        Ok(file.sync()?)
    }

    fn kind(&self, name: &str) -> Result<Option<FileKind>> {
        self.kind_of(&self.folder_path(name)?)
    }

    fn list(&self, folder: &str) -> Result<Vec<DirectoryEntry>> {
        let path = self.folder_path(folder)?;
        if !self.files.is_folder(&path) {
            return Err(missing(folder));
        }
        let entries = self.files.list(&path)?.into_iter().filter_map(|entry| {
            let name = entry.path.file_name()?.to_str().filter(|name| !name.starts_with('.'))?.to_owned();
            let stamp = self.files.stamp(&entry.path).ok();
            let kind = if entry.is_folder { FileKind::Directory } else { kind_of_name(&entry.path) };
            let bytes = stamp.filter(|_| !entry.is_folder).map(|stamp| stamp.len);
            Some(DirectoryEntry { name, kind, bytes, modified: stamp.map(|stamp| stamp.modified) })
        });
        Ok(entries.collect())
    }

    fn create_directory(&self, name: &str) -> Result<()> {
        let path = self.check_new(name)?;
        self.files.create_folder(&path).map_err(denied)?;
        self.files.sync_folder(path.parent().unwrap_or(&self.folder))?;
        Ok(())
    }
}
