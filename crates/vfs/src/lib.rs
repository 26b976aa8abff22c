//! Access to files through a trait.
//!
//! Stored data is read through [`FileSystem`] and [`File`] and nowhere else; `clippy.toml` bans the
//! standard library's own calls. So a test can run the same code on [`Disk`], on [`Memory`] (no disk,
//! any content, changed at will), or on [`Faulty`] (every read counted, the Nth one failing or cut
//! short).
//!
//! **Noticing a change.** Other programs write to the files that Mainstay has open. What we decoded
//! stays true as long as the file's [`Stamp`] (identity, length, times) is the same - with one trap: the
//! clock for file times ticks some milliseconds at a time (on FAT and some network file systems, seconds),
//! so a write right after our read may leave the same time behind. [`Stamp::is_settled`] tells a stamp that no later write can share from
//! one that is too young to trust.

mod disk;
mod faulty;
mod memory;

pub use disk::Disk;
pub use faulty::{Fault, Faulty};
pub use memory::Memory;

use mainstay_base::Result;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// What tells one state of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When the content was last written.
    pub modified: SystemTime,
    /// When content or attributes were last changed (a restored `modified` does not hide a write).
    pub changed: SystemTime,
    /// Which file the name leads to: a file that was replaced by a renamed one differs here.
    pub identity: u64,
    /// The time after which the clock of this file system is certain to have ticked on.
    pub tick: Duration,
}

impl Stamp {
    /// Whether a write made after `now` is certain to give the file another stamp.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let newest = self.modified.max(self.changed);
        now.duration_since(newest).is_ok_and(|age| age > self.tick)
    }
}

/// What a name in a folder leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The full path.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// A tree of files.
pub trait FileSystem: Send + Sync + Debug {
    /// Opens an existing file for reading.
    fn open(&self, path: &Path) -> Result<Arc<dyn File>>;

    /// The stamp of the file under this name now.
    fn stamp(&self, path: &Path) -> Result<Stamp>;

    /// The entries of a folder, sorted by name; links are followed, dead links left out.
    fn list(&self, folder: &Path) -> Result<Vec<Entry>>;

    /// Whether this is a folder; false also when there is nothing.
    fn is_folder(&self, path: &Path) -> bool;

    /// The whole content of a small file: settings, samples.
    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let file = self.open(path)?;
        let mut content = vec![0; usize::try_from(file.stamp()?.len).unwrap_or(usize::MAX)];
        let len = file.read_at(&mut content, 0)?;
        content.truncate(len);
        Ok(content)
    }
}

/// An open file. All calls name their offset, so threads share one handle.
pub trait File: Send + Sync + Debug {
    /// Reads from `offset` until `buffer` is full or the file ends; gives the number of bytes read.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize>;

    /// The stamp of the open file now.
    fn stamp(&self) -> Result<Stamp>;

    /// The path it was opened under, for messages.
    fn path(&self) -> &Path;

    /// Reads exactly this range, or says how much of it is missing.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let read = self.read_at(buffer, offset)?;
        if read == buffer.len() {
            return Ok(());
        }
        let (path, wanted) = (self.path().display(), buffer.len());
        Err(mainstay_base::Error::new(
            mainstay_base::Code::Damaged,
            format!("the file ends at byte {}; {wanted} bytes were expected from byte {offset}", offset + read as u64),
        )
        .at(path))
    }
}
