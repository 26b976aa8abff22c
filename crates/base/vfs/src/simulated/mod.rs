//! A file system in memory that tracks durable state, and can lose its power at any operation.
//!
//! **The problem.** A program that forgets a sync works on every machine until the power fails, and then only
//! sometimes. This file system can produce every state that the machine could be found in, repeatably.
//!
//! **The idea.** Each file has two contents, and each folder two lists of names: what the process sees, and what
//! is certainly on the disk. Between them lie the pending changes. A sync makes them certain; a crash applies a
//! choice of them, made by a seed.
//!
//! ```text
//!   operation   0 create  1 write  2 sync  3 rename  4 sync_folder  5 write ...      numbered, crash_at(3)
//!                                            |
//!                                            +-- fails, as does all after it; has perhaps happened
//!   after_crash(seed):  durable content + some pending writes, durable names + some pending names
//!   after_kill():       what the process saw
//! ```
//!
//! [`explore`] runs a piece of work once for every crash point and looks at the state after each with every seed.
//!
//! **What a power loss may do**, and nothing else:
//!
//! 1. Bytes written before a [`WritableFile::sync`] that returned are there, with the file's length. (POSIX:
//!    fdatasync returns when the data, and what is needed to retrieve it, have been transferred.)
//! 2. Each write, and each change of length, since the file's last sync is applied, lost, or (writes only) torn
//!    at multiples of 512 bytes of the file: each sector of it is there or not, whole. Writes are independent of
//!    each other, so that a later one may be there and an earlier one not; but old bytes never cover newer ones,
//!    for the page cache holds only the newest.
//! 3. Bytes that were never written read as zeros, never as garbage (ext4 with data=ordered, XFS: a file's length
//!    grows on the disk after its data). But the length may have grown without the data, up to the longest that the
//!    process saw, with zeros there; or not have grown.
//! 4. Names (created, renamed, removed) are certain once [`FileSystem::sync_folder`] returned for their folder.
//!    Syncing a file does not keep its name (the Linux manual page of fsync says so; ext4 happens to do better).
//! 5. Pending changes of names survive as a prefix, folder by folder: none after one that is lost. Each happens
//!    or not, a rename never by half, also between two folders. Nothing ties them to the writes: a rename may
//!    survive and the bytes of the renamed file be lost. (The file systems' journals keep this order; for what
//!    differs between them see Pillai and others, "All File Systems Are Not Created Equal", OSDI 2014.)
//! 6. A file whose folder's own name is lost is lost with it.
//!
//! An operation that the crash hits is like a pending one; a sync that it hits promises nothing. Locks end.
//!
//! **Limits.** Sectors do not rot, and the disk does not lie about its syncs. Rule 2 is harsher than today's file
//! systems with writes to the same page, rule 5 kinder than btrfs was with its directory operations. Everything
//! is kept in memory for as long as the file system lives, removed files too.

mod explore;
mod luck;
mod tree;

pub use explore::explore;

use crate::locking::{HandleLocks, LockTable};
use crate::memory::{address, copy_range, stamp_of};
use crate::{
    ByteRange, Create, Entry, File, FileSystem, FolderLock, LockHolder, LockMode, Stamp, WritableFile, writing,
};
use luck::Luck;
use mainstay_types::{Code, Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tree::{Change, FileNode, Id, Tree};

/// A file system in memory that can crash; see the module's text. Clones share the same files.
#[derive(Clone, Debug)]
pub struct Simulated {
    machine: Arc<Mutex<Machine>>,
}

#[derive(Debug)]
struct Machine {
    tree: Tree,
    locked: BTreeSet<PathBuf>,
    locks: BTreeMap<Id, Arc<LockTable>>,
    /// The trace of operations: the operation numbers are the places in it.
    trace: Vec<String>,
    crash_at: u64,
    is_dead: bool,
}

#[derive(Debug)]
struct SimulatedFile {
    system: Simulated,
    id: Id,
    path: PathBuf,
    locks: HandleLocks,
}

#[derive(Debug)]
struct SimulatedLock {
    system: Simulated,
    path: PathBuf,
}

impl Default for Simulated {
    fn default() -> Simulated {
        Simulated::new()
    }
}

impl Simulated {
    /// An empty tree, which does not crash.
    pub fn new() -> Simulated {
        Simulated::of(Tree::new())
    }

    fn of(tree: Tree) -> Simulated {
        let (locked, locks) = (BTreeSet::new(), BTreeMap::new());
        let machine = Machine { tree, locked, locks, trace: Vec::new(), crash_at: u64::MAX, is_dead: false };
        Simulated { machine: Arc::new(Mutex::new(machine)) }
    }

    /// Lets the operation with this number (from 0), and everything after it, fail with an error.
    pub fn crash_at(&self, operation: u64) {
        self.machine().crash_at = operation;
    }

    /// The number of operations that changed something, the one that crashed included.
    pub fn operations(&self) -> u64 {
        self.machine().trace.len() as u64
    }

    /// The operations, one text for each, for a failing test to show.
    pub fn trace(&self) -> Vec<String> {
        self.machine().trace.clone()
    }

    /// Returns true if the crash has happened.
    pub fn is_crashed(&self) -> bool {
        self.machine().is_dead
    }

    /// The files as a machine may find them that lost its power now (or at the crash): a separate file system,
    /// where all is durable, no operation was counted and none is going to crash. The same seed gives the same
    /// state. Seed 0 loses everything that was pending, seed 1 applies it all.
    pub fn after_crash(&self, seed: u64) -> Simulated {
        Simulated::of(self.machine().tree.after_crash(&mut Luck::new(seed)))
    }

    /// The files as the next process finds them when this one was killed (kill -9), in the same way: all that
    /// was written is there, the operation of the crash included.
    pub fn after_kill(&self) -> Simulated {
        Simulated::of(self.machine().tree.after_kill())
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alive(&self) -> Result<MutexGuard<'_, Machine>> {
        let machine = self.machine();
        if machine.is_dead { Err(power_lost()) } else { Ok(machine) }
    }

    /// Runs one numbered operation. `effect` gets true if the crash hits it; one that fails does not count.
    fn operate<T>(&self, what: String, effect: impl FnOnce(&mut Tree, bool) -> Result<T>) -> Result<T> {
        let mut machine = self.alive()?;
        let is_last = machine.trace.len() as u64 >= machine.crash_at;
        let done = effect(&mut machine.tree, is_last)?;
        machine.trace.push(what);
        machine.is_dead = is_last;
        if is_last { Err(power_lost()) } else { Ok(done) }
    }

    fn file(&self, path: &Path) -> Result<SimulatedFile> {
        let mut machine = self.alive()?;
        let id = machine.tree.file(path)?;
        let locks = HandleLocks::new(machine.locks.entry(id).or_default());
        Ok(SimulatedFile { system: self.clone(), id, path: path.to_owned(), locks })
    }
}

fn power_lost() -> Error {
    Error::new(Code::Io, "the machine has lost its power (simulated)")
}

impl FileSystem for Simulated {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        Ok(Arc::new(self.file(path)?))
    }

    fn stamp(&self, path: &Path) -> Result<Stamp> {
        self.file(path)?.stamp()
    }

    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        let names = self.alive()?.tree.names(folder)?;
        Ok(names.into_iter().map(|(name, is_folder)| Entry { path: folder.join(name), is_folder }).collect())
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.alive().is_ok_and(|machine| machine.tree.folder(path).is_ok())
    }

    fn create(&self, path: &Path, how: Create) -> Result<Arc<dyn WritableFile>> {
        let exists = self.alive()?.tree.exists(path)?;
        if exists && how == Create::New {
            return Err(writing::exists(path));
        }
        if !exists && how == Create::Existing {
            return Err(Error::new(Code::NotFound, "no such file").at(path.display()));
        }
        if !exists {
            self.operate(format!("create {}", path.display()), |tree, _| tree.create_file(path))?;
        }
        let file = self.file(path)?;
        if exists && how == Create::Truncate {
            file.set_len(0)?;
        }
        Ok(Arc::new(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let what = format!("rename {} to {}", from.display(), to.display());
        self.operate(what, |tree, _| tree.rename(from, to))
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.operate(format!("remove {}", path.display()), |tree, _| {
            tree.file(path)?;
            tree.unlink(path)
        })
    }

    fn create_folder(&self, path: &Path) -> Result<()> {
        let mut outer: Vec<&Path> = path.ancestors().filter(|folder| folder.parent().is_some()).collect();
        outer.reverse();
        for folder in outer {
            if self.alive()?.tree.exists(folder)? {
                self.alive()?.tree.folder(folder)?;
            } else {
                self.operate(format!("create_folder {}", folder.display()), |tree, _| tree.create_folder(folder))?;
            }
        }
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        for entry in self.list(path)? {
            if entry.is_folder { self.remove_folder(&entry.path)? } else { self.remove(&entry.path)? }
        }
        self.operate(format!("remove_folder {}", path.display()), |tree, _| tree.unlink(path))
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        self.operate(format!("sync_folder {}", path.display()), |tree, is_last| {
            let folder = tree.folder(path)?;
            if !is_last {
                tree.sync_folder(folder);
            }
            Ok(())
        })
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FolderLock>> {
        self.create(path, Create::OpenOrCreate)?;
        if !self.alive()?.locked.insert(path.to_owned()) {
            return Err(writing::busy(path));
        }
        Ok(Box::new(SimulatedLock { system: self.clone(), path: path.to_owned() }))
    }
}

impl FolderLock for SimulatedLock {
    fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SimulatedLock {
    fn drop(&mut self) {
        self.system.machine().locked.remove(&self.path);
    }
}

impl SimulatedFile {
    fn operate(&self, what: &str, effect: impl FnOnce(&mut FileNode, bool)) -> Result<()> {
        let what = format!("{what} {}", self.path.display());
        self.system.operate(what, |tree, is_last| {
            effect(tree.node_mut(self.id)?, is_last);
            Ok(())
        })
    }
}

impl File for SimulatedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        Ok(copy_range(&self.system.alive()?.tree.node(self.id)?.seen, buffer, offset))
    }

    fn stamp(&self) -> Result<Stamp> {
        let machine = self.system.alive()?;
        let node = machine.tree.node(self.id)?;
        Ok(stamp_of(node.seen.len() as u64, node.version, self.id))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl WritableFile for SimulatedFile {
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let start = address(offset, bytes.len()).map_err(|error| error.at(self.path.display()))?;
        let what = format!("write {} bytes at {offset} of", bytes.len());
        self.operate(&what, |node, _| node.change(Change::Write { start, bytes: bytes.to_vec() }))
    }

    fn sync(&self) -> Result<()> {
        self.operate("sync", |node, is_last| {
            if !is_last {
                node.sync();
            }
        })
    }

    fn set_len(&self, len: u64) -> Result<()> {
        let new_len = address(len, 0).map_err(|error| error.at(self.path.display()))?;
        self.operate(&format!("set_len {len} of"), |node, _| node.change(Change::SetLen(new_len)))
    }

    fn try_lock_range(&self, range: ByteRange, mode: LockMode) -> Result<bool> {
        Ok(self.locks.try_lock(range, mode))
    }

    fn unlock_range(&self, range: ByteRange) -> Result<()> {
        self.locks.unlock(range);
        Ok(())
    }

    fn range_holder(&self, range: ByteRange, mode: LockMode) -> Result<Option<LockHolder>> {
        Ok(self.locks.holder(range, mode))
    }

    fn try_share(&self, mode: LockMode) -> Result<bool> {
        Ok(self.locks.try_share(mode))
    }
}
