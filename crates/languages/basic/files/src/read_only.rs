//! A volume for users who may only read: its files are opened for reading, and nothing is created, renamed or removed.
//!
//! Memory files belong to their channel and are written as usual.

use crate::error::{FileError, FileErrorKind, Result};
use crate::file::RecordFile;
use crate::options::{FileDefinition, FileKind, OpenMode, OpenOptions, SessionId};
use crate::volume::{DirectoryEntry, TransactionVerb, Volume};
use std::sync::Arc;

/// The files of another volume, for reading only.
pub struct ReadOnlyVolume {
    volume: Arc<dyn Volume>,
}

impl ReadOnlyVolume {
    /// The files of this volume.
    pub fn new(volume: Arc<dyn Volume>) -> ReadOnlyVolume {
        ReadOnlyVolume { volume }
    }
}

/// 13: the file may not be opened in this mode.
fn refused<T>(name: &str) -> Result<T> {
    Err(FileError::new(FileErrorKind::AccessMode, format!("{name}: the user may only read")))
}

/// Names of memory files begin with an asterisk.
fn is_in_memory(name: &str) -> bool {
    name.starts_with('*')
}

impl Volume for ReadOnlyVolume {
    fn create(&self, name: &str, definition: &FileDefinition) -> Result<()> {
        if is_in_memory(name) { self.volume.create(name, definition) } else { refused(name) }
    }

    fn open(&self, name: &str, options: &OpenOptions) -> Result<Box<dyn RecordFile>> {
        if is_in_memory(name) {
            return self.volume.open(name, options);
        }
        match options.mode {
            OpenMode::Purge => refused(name),
            OpenMode::Shared | OpenMode::Input | OpenMode::Lock => {
                self.volume.open(name, &OpenOptions { mode: OpenMode::Input, ..options.clone() })
            }
        }
    }

    fn erase(&self, name: &str) -> Result<()> {
        refused(name)
    }

    fn rename(&self, from: &str, _: &str) -> Result<()> {
        refused(from)
    }

    fn refile(&self, name: &str) -> Result<()> {
        refused(name)
    }

    fn kind(&self, name: &str) -> Result<Option<FileKind>> {
        self.volume.kind(name)
    }

    fn list(&self, folder: &str) -> Result<Vec<DirectoryEntry>> {
        self.volume.list(folder)
    }

    fn set_layout(&self, name: &str, _: Option<&str>) -> Result<()> {
        refused(name)
    }

    fn check_layout(&self, name: &str, layout: &str) -> Result<()> {
        self.volume.check_layout(name, layout)
    }

    fn transaction(&self, session: SessionId, verb: TransactionVerb) -> Result<()> {
        match verb {
            // The first transaction of a folder creates its native tables.
            TransactionVerb::Begin | TransactionVerb::AutoOff | TransactionVerb::BeginAuto => refused("SYSTEM_JRNL"),
            _ => self.volume.transaction(session, verb),
        }
    }

    fn create_directory(&self, name: &str) -> Result<()> {
        refused(name)
    }
}
