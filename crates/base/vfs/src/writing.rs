//! The writing side of a file system: files to write to, locks, and mapped files.
//!
//! **What survives a power loss.** A write is in the operating system's memory until [`WritableFile::sync`]
//! returns, and a name (created, renamed, removed) is until [`FileSystem::sync_folder`] returns for the folder that
//! holds it; neither does the other's work. So a file that must be whole or absent is made in four steps, which
//! [`FileSystem::replace`] takes for small ones:
//!
//! ```text
//!   create "manifest.new" -> write_at -> sync        its bytes are on the disk, under a name without readers
//!   rename "manifest.new" to "manifest"              readers see the old file or the new one, never a mixture
//!   sync_folder                                      the new name is on the disk too
//! ```
//!
//! A sync that failed must never be retried: Linux has then marked the pages clean, and the second try
//! would report success for bytes that never arrived. A caller that sees it fail stops writing to that file.
//!
//! With [`crate::Simulated`] a test detects that one of the steps is missing.
//!
//! [`FileSystem::sync_folder`]: crate::FileSystem::sync_folder
//! [`FileSystem::replace`]: crate::FileSystem::replace

use crate::{ByteRange, File, LockHolder, LockMode};
use mainstay_types::{Code, Error, Result};
use std::fmt::Debug;
use std::path::Path;

/// The behaviour of [`crate::FileSystem::create`] if the file exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Create {
    /// Fails.
    New,
    /// Opens it with the content it has, and fails if it does not exist.
    Existing,
    /// Opens it with the content it has.
    OpenOrCreate,
    /// Opens it and throws its content away.
    Truncate,
}

/// A file open for reading and writing. All calls name their offset, so threads share one handle.
pub trait WritableFile: File {
    /// Writes all these bytes from `offset`; a gap after the old end reads as zeros. After an error any part
    /// of them may have been written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()>;

    /// Returns when everything written so far, and the length, is on the disk (fdatasync). It says nothing of
    /// the file's name: see [`crate::FileSystem::sync_folder`]. Never to be repeated after an error.
    fn sync(&self) -> Result<()>;

    /// Cuts the file to this many bytes, or extends it with zeros.
    fn set_len(&self, len: u64) -> Result<()>;

    /// Gives the file a time of its last write that no other write can leave behind, and returns true if that is
    /// certain. After that [`crate::Stamp`] shows every later write, also one in the same tick of the file system's
    /// clock. To be called while all others are excluded from writing.
    fn set_unique_time(&self) -> Result<bool> {
        Ok(false)
    }

    /// Takes a lock on these bytes if no other handle holds one that excludes it, and returns true if it did. A part of
    /// the range that this handle holds already gets the new mode. Advisory; gone with the handle. See `locking.rs`.
    fn try_lock_range(&self, range: ByteRange, mode: LockMode) -> Result<bool> {
        let _ = (range, mode);
        Err(no_locks(self.path()))
    }

    /// Gives back what this handle holds of these bytes.
    fn unlock_range(&self, range: ByteRange) -> Result<()> {
        let _ = range;
        Err(no_locks(self.path()))
    }

    /// Another handle's lock (the first of them) that a lock of this mode on these bytes would have to wait for.
    fn range_holder(&self, range: ByteRange, mode: LockMode) -> Result<Option<LockHolder>> {
        let _ = (range, mode);
        Err(no_locks(self.path()))
    }

    /// Claims the whole file, shared with others that do the same or exclusively, if no other claim
    /// excludes it, and returns true if it did. Advisory; gone with the handle.
    fn try_share(&self, mode: LockMode) -> Result<bool> {
        let _ = mode;
        Err(no_locks(self.path()))
    }
}

/// An exclusive lock on a folder, held until this is dropped or the process ends.
pub trait FolderLock: Send + Sync + Debug {
    /// The lock file.
    fn path(&self) -> &Path;
}

/// The error of [`crate::FileSystem::lock`] when another process has the lock.
pub(crate) fn busy(path: &Path) -> Error {
    Error::new(Code::Busy, "another process holds this lock file: the folder is in use by it")
        .at(path.display())
        .hint("end the other process, or connect to it; the file itself may stay")
}

/// The error of a file that cannot be locked.
fn no_locks(path: &Path) -> Error {
    Error::new(Code::Unsupported, "files of this file system cannot be locked").at(path.display())
}

/// The error of the writing methods of a read-only file system.
pub(crate) fn read_only(path: &Path) -> Error {
    Error::new(Code::ReadOnly, "this file system may be read only").at(path.display())
}

/// The error of a rename of a folder to a name below its old one.
pub(crate) fn into_itself(path: &Path) -> Error {
    Error::new(Code::Io, "a folder cannot be moved into itself").at(path.display())
}

/// The error of [`Create::New`] for a file that exists.
pub(crate) fn exists(path: &Path) -> Error {
    Error::new(Code::Io, "a file of this name exists already").at(path.display())
}
