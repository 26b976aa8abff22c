//! [`Volume`]: a folder of files.
//!
//! Names are those of programs: relative to the folder, with `/` or `\` between parts. A name that leads out of the folder,
//! to hidden files or to the folder of the native tables is error 10. `*MEMORY*` and its options are names, too.

use crate::error::{FileError, FileErrorKind, Result};
use crate::file::RecordFile;
use crate::options::{FileDefinition, FileKind, OpenOptions, SessionId};
use std::time::SystemTime;

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name, without the folder.
    pub name: String,
    /// The kind.
    pub kind: FileKind,
    /// The length in bytes, where it is known without reading the file.
    pub bytes: Option<u64>,
    /// The time of the last change, where it is known.
    pub modified: Option<SystemTime>,
}

/// The ways in which a program works with the transaction of its session (SYSTEM_JRNL).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionVerb {
    /// BEGIN: one transaction, to SAVE or RESTORE.
    Begin,
    /// BEGIN AUTO: transactions that end when the session waits for its user.
    BeginAuto,
    /// AUTO ON: each change is committed; a transaction that is open, too.
    AutoOn,
    /// AUTO OFF: transactions that follow each other, to the end of the program.
    AutoOff,
    /// SAVE: commits.
    Save,
    /// RESTORE: rolls back.
    Restore,
    /// The session waits for its user.
    Idle,
    /// The program has ended: true if no error has ended it.
    End(bool),
    /// The session is over.
    Close,
}

/// A folder of files. Shared by the sessions of a database; locks are between them.
pub trait Volume: Send + Sync {
    /// Creates a file: KEYED, DIRECT, SORT, INDEXED, SERIAL.
    ///
    /// Errors: 10 for a name that cannot be a file's, 12 for one that is in use, 80 for keys that are not valid.
    fn create(&self, name: &str, definition: &FileDefinition) -> Result<()>;

    /// Opens a file.
    ///
    /// Errors: 0 for a file that another session has locked, or has open when it is to be locked; 10; 12 for a file that does
    /// not exist; 13 for one that cannot be opened in this mode; 17.
    fn open(&self, name: &str, options: &OpenOptions) -> Result<Box<dyn RecordFile>>;

    /// Removes a file, or an empty folder: ERASE.
    ///
    /// Errors: 0 when a session has it open, 10, 12.
    fn erase(&self, name: &str) -> Result<()>;

    /// Renames a file.
    ///
    /// Errors: 0 when a session has it open, 10, 12 for a file that does not exist, and for a new name that does.
    fn rename(&self, from: &str, to: &str) -> Result<()>;

    /// Removes all records of a file: REFILE.
    ///
    /// Errors: as [`Volume::erase`].
    fn refile(&self, name: &str) -> Result<()>;

    /// The kind of a file; `None` if there is none of this name.
    ///
    /// Errors: 10.
    fn kind(&self, name: &str) -> Result<Option<FileKind>>;

    /// The entries of a folder, by name; the empty name is that of the volume itself.
    ///
    /// Errors: 10, 12.
    fn list(&self, folder: &str) -> Result<Vec<DirectoryEntry>>;

    /// Gives a file another description of its fields ([`FileDefinition::layout`]): DICTIONARY. Channels that are open keep the
    /// one they have.
    ///
    /// Errors: 10, 12, 84 for a kind of file without one.
    fn set_layout(&self, name: &str, layout: Option<&str>) -> Result<()> {
        let _ = layout;
        let message = format!("{name}: this kind of file has no embedded dictionary");
        Err(FileError::new(FileErrorKind::NoDictionary, message))
    }

    /// Checks a description of fields before [`Volume::set_layout`] gets it.
    ///
    /// Errors: 32 for one that cannot be read.
    fn check_layout(&self, name: &str, layout: &str) -> Result<()> {
        let _ = (name, layout);
        Ok(())
    }

    /// Begins or ends a transaction of a session, over its channels on tables and its SQL statements.
    ///
    /// Errors: 99 where there are no transactions, 15 for one that the database refuses.
    fn transaction(&self, session: SessionId, verb: TransactionVerb) -> Result<()> {
        let _ = session;
        match verb {
            TransactionVerb::Idle | TransactionVerb::End(_) | TransactionVerb::Close => Ok(()),
            _ => Err(FileError::new(FileErrorKind::Unsupported, "files of this folder have no transactions")),
        }
    }

    /// Creates a folder: DIRECTORY.
    ///
    /// Errors: 10, 12.
    fn create_directory(&self, name: &str) -> Result<()>;
}
