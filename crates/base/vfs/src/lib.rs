//! Access to files through a trait.
//!
//! Stored data is read through [`FileSystem`] and [`File`] and nowhere else; `clippy.toml` bans the
//! standard library's own calls. So a test can run the same code on [`Disk`], on [`Memory`] (no disk,
//! any content, changed at will), on [`Faulty`] (every call counted, the Nth one failing or cut short), or on
//! [`Simulated`] (which loses its power at any operation, and then what was not synced).
//!
//! **Noticing a change.** Other programs write to the files that Mainstay has open. Decoded data
//! stays valid as long as the file's [`Stamp`] (identity, length, times) is the same - with one trap: the
//! clock for file times ticks some milliseconds at a time (on FAT and some network file systems, seconds),
//! so a write right after our read may leave the same time behind. [`Stamp::is_settled`] tells a stamp that no
//! later write can share from one that is too young to trust.
//!
//! **Sharing.** Programs that share files take locks on ranges of bytes and on whole files: `locking.rs`.
//!
//! **Writing.** The methods that write say in the essay of `writing.rs` what survives a power loss, and when.
//! A file system that has none of them answers `Code::ReadOnly`.

mod content;
mod disk;
mod disk_locks;
mod enclosed;
mod faulty;
mod locking;
mod mapping;
mod memory;
mod simulated;
mod writing;

pub use disk::Disk;
pub use enclosed::{Enclosed, client_path, is_client_name, leads_below};
pub use faulty::{Fault, Faulty, Operation};
pub use locking::{ByteRange, LockHolder, LockMode};
pub use mapping::Mapping;
pub use memory::Memory;
pub use simulated::{Simulated, explore};
pub use writing::{Create, FolderLock, WritableFile};

use mainstay_types::Result;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The identity and state of a file, to notice changes without reading it.
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
    /// Returns true if a write made after `now` is certain to give the file another stamp.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let newest = self.modified.max(self.changed);
        now.duration_since(newest).is_ok_and(|age| age > self.tick)
    }
}

/// For so long a path that was followed is taken to lead to the same file, where that tells of its changes itself.
pub const NAMES_STAND: Duration = Duration::from_millis(50);

/// The kind of file that a name in a folder leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The full path.
    pub path: PathBuf,
    /// True if it is a folder.
    pub is_folder: bool,
}

/// A tree of files.
pub trait FileSystem: Send + Sync + Debug {
    /// Opens an existing file for reading.
    fn open(&self, path: &Path) -> Result<Arc<dyn File>>;

    /// The stamp of the file under this name now.
    fn stamp(&self, path: &Path) -> Result<Stamp>;

    /// The entries of a folder, sorted by name: files and folders. Links are followed; dead links, pipes and devices left out.
    fn list(&self, folder: &Path) -> Result<Vec<Entry>>;

    /// Returns true if this is a folder; false also when there is nothing.
    fn is_folder(&self, path: &Path) -> bool;

    /// Where a path leads when all links on the way are followed; parts at its end that are not there yet are as they are
    /// named. A file system without links gives the path back.
    ///
    /// Errors: a link that leads nowhere.
    fn real_path(&self, path: &Path) -> Result<PathBuf> {
        Ok(path.to_owned())
    }

    /// Returns true if the last name of a path is a symbolic link, wherever it leads.
    fn is_link(&self, path: &Path) -> bool {
        let _ = path;
        false
    }

    /// Returns true for a pipe, a socket or a device, with links followed: opening one may wait for another program.
    fn is_pipe_or_device(&self, path: &Path) -> bool {
        let _ = path;
        false
    }

    /// The whole content of a small file: settings, samples.
    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        let file = self.open(path)?;
        let mut content = vec![0; usize::try_from(file.stamp()?.len).unwrap_or(usize::MAX)];
        let len = file.read_at(&mut content, 0)?;
        content.truncate(len);
        Ok(content)
    }

    /// The whole content of a finished file, mapped where the file system can. Only for files that Mainstay
    /// alone writes, that are complete and never written to again, in a folder whose lock the caller holds.
    fn map(&self, path: &Path) -> Result<Mapping> {
        Ok(Mapping::copy_of(&self.read(path)?))
    }

    /// Opens a file for reading and writing, and creates it if need be; its folder must exist.
    fn create(&self, path: &Path, how: Create) -> Result<Arc<dyn WritableFile>> {
        let _ = how;
        Err(writing::read_only(path))
    }

    /// Gives a file or folder another name in one step; a file that has the name `to` is replaced.
    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let _ = to;
        Err(writing::read_only(from))
    }

    /// Removes a file. Open handles and mappings keep it.
    fn remove(&self, path: &Path) -> Result<()> {
        Err(writing::read_only(path))
    }

    /// Creates a folder and those it is in; one that exists is left as it is.
    fn create_folder(&self, path: &Path) -> Result<()> {
        Err(writing::read_only(path))
    }

    /// Removes a folder with everything in it, in no particular order and not in one step.
    fn remove_folder(&self, path: &Path) -> Result<()> {
        Err(writing::read_only(path))
    }

    /// Returns when the names in this folder (not in the folders below it, and not its own name in the folder
    /// above) are on the disk as they are now. Never to be repeated after an error.
    fn sync_folder(&self, path: &Path) -> Result<()> {
        Err(writing::read_only(path))
    }

    /// Takes the exclusive lock that this file stands for, without waiting: `Code::Busy` when another process,
    /// or another caller in this one, has it. The file is created if need be, and stays. The lock is advisory,
    /// and gone when the process ends, however it ends.
    fn lock(&self, path: &Path) -> Result<Box<dyn FolderLock>> {
        Err(writing::read_only(path))
    }

    /// Gives a small file this content so that after a crash it has the old content or the new one, and after
    /// the return the new one. Uses `<path>.new`, which a crash may leave behind.
    fn replace(&self, path: &Path, content: &[u8]) -> Result<()> {
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let file = self.create(Path::new(&new), Create::Truncate)?;
        file.write_at(content, 0)?;
        file.sync()?;
        self.rename(Path::new(&new), path)?;
        self.sync_folder(path.parent().unwrap_or(Path::new("")))
    }
}

/// An open file. All calls name their offset, so threads share one handle.
pub trait File: Send + Sync + Debug {
    /// Reads from `offset` until `buffer` is full or the file ends; gives the number of bytes read.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize>;

    /// The same for a few bytes, with one question to the system where two would be asked to be sure of the end of the
    /// file: fewer bytes than there is room for are all that there are. A system may give less of many bytes than there is.
    fn read_few_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.read_at(buffer, offset)
    }

    /// The stamp of the open file now.
    fn stamp(&self) -> Result<Stamp>;

    /// The stamp of the file that its path leads to in `fs`, through which it was opened, for checks at every
    /// statement. A file that is written to, renamed, removed or replaced by a renamed one shows it at once; a folder
    /// or a link on the way that leads elsewhere may be noticed up to [`NAMES_STAND`] later, because a handle is
    /// checked faster than a path.
    fn stamp_by_name(&self, fs: &dyn FileSystem) -> Result<Stamp> {
        fs.stamp(self.path())
    }

    /// The path it was opened under, for messages.
    fn path(&self) -> &Path;

    /// Returns true if it is a file of the operating system: then no other file of any kind has its identity while it
    /// is there, and what was read of it may be known again by its stamp after it was closed.
    fn is_on_disk(&self) -> bool {
        false
    }

    /// Reads exactly this range, or says how much of it is missing.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let read = self.read_at(buffer, offset)?;
        if read == buffer.len() {
            return Ok(());
        }
        let (path, wanted) = (self.path().display(), buffer.len());
        Err(mainstay_types::Error::new(
            mainstay_types::Code::Damaged,
            format!("the file ends at byte {}; {wanted} bytes were expected from byte {offset}", offset + read as u64),
        )
        .at(path))
    }
}
