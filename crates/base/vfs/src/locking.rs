//! Locks on ranges of a file's bytes and on whole files, compatible with those of programs that share files without a
//! server.
//!
//! Both kinds are advisory: they bind only programs that ask for them.
//!
//! **Ranges** ([`WritableFile::try_lock_range`]) are those of fcntl(2). They need not lie within the file. On
//! Linux Mainstay takes *open file description* locks (`F_OFD_SETLK`), which exclude and are excluded by the
//! traditional record locks of other programs (fcntl(2): "conflicting lock combinations ... where one lock is an
//! open file description lock and the other is a traditional record lock"), but belong to the open file and not to
//! the process. So two handles in one process exclude each other, and closing a handle releases only its own
//! locks - both of which traditional locks get wrong.
//!
//! **Whole files** ([`WritableFile::try_share`]) are locked with flock(2). Harbour implements DOS's exclusive opening
//! of files on Linux in this way.
//!
//! Files in memory implement the same rules with their own table, so that tests need no disk.
//!
//! **The holder.** A traditional lock names its process. An open file description lock does not (its process is
//! given as -1); its owner is looked up in `/proc`, where the system lists the locks of each open file, as far as
//! this user may read it.
//!
//! [`WritableFile::try_lock_range`]: crate::WritableFile::try_lock_range
//! [`WritableFile::try_share`]: crate::WritableFile::try_share

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a file, or beyond its end: `length` of them from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: u64,
    /// The number of bytes; at least 1.
    pub length: u64,
}

impl ByteRange {
    /// The byte after the last.
    pub fn end(self) -> u64 {
        self.start.saturating_add(self.length)
    }

    /// Returns true if the two have a byte in common.
    pub fn overlaps(self, other: ByteRange) -> bool {
        self.start < other.end() && other.start < self.end()
    }
}

/// The locks that others may hold at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// Other shared locks.
    Shared,
    /// Nothing.
    Exclusive,
}

/// The holder of a lock that another wants, as far as the operating system reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The number of the process.
    pub process: Option<u32>,
    /// The name of its program.
    pub program: Option<String>,
    /// The bytes that are locked.
    pub range: ByteRange,
    /// The mode of the lock.
    pub mode: LockMode,
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.program, self.process) {
            (Some(program), Some(process)) => write!(f, "{program} (process {process})"),
            (None, Some(process)) => write!(f, "process {process}"),
            _ => f.write_str("another program"),
        }
    }
}

/// The locks on one file in memory.
#[derive(Debug, Default)]
pub(crate) struct LockTable {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Handle, range, mode.
    ranges: Vec<(u64, ByteRange, LockMode)>,
    shares: Vec<(u64, LockMode)>,
    handles: u64,
}

/// The locks of one handle; gone when it is.
#[derive(Debug)]
pub(crate) struct HandleLocks {
    table: Arc<LockTable>,
    handle: u64,
}

impl LockTable {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn conflict(one: LockMode, other: LockMode) -> bool {
    one == LockMode::Exclusive || other == LockMode::Exclusive
}

impl Held {
    /// The first lock of another handle that excludes this one.
    fn other(&self, handle: u64, range: ByteRange, mode: LockMode) -> Option<(ByteRange, LockMode)> {
        let excludes =
            |owner: u64, taken: ByteRange, how| owner != handle && taken.overlaps(range) && conflict(how, mode);
        let found = self.ranges.iter().find(|(owner, taken, how)| excludes(*owner, *taken, *how));
        found.map(|&(_, range, mode)| (range, mode))
    }

    /// Takes a range from what a handle holds, cutting what reaches over it.
    fn release(&mut self, handle: u64, range: ByteRange) {
        let mut kept = Vec::with_capacity(self.ranges.len() + 1);
        for (owner, held, mode) in self.ranges.drain(..) {
            if owner != handle || !held.overlaps(range) {
                kept.push((owner, held, mode));
                continue;
            }
            if held.start < range.start {
                kept.push((owner, ByteRange { start: held.start, length: range.start - held.start }, mode));
            }
            if range.end() < held.end() {
                kept.push((owner, ByteRange { start: range.end(), length: held.end() - range.end() }, mode));
            }
        }
        self.ranges = kept;
    }
}

impl HandleLocks {
    pub(crate) fn new(table: &Arc<LockTable>) -> HandleLocks {
        let mut held = table.held();
        held.handles += 1;
        HandleLocks { table: Arc::clone(table), handle: held.handles }
    }

    pub(crate) fn try_lock(&self, range: ByteRange, mode: LockMode) -> bool {
        let mut held = self.table.held();
        if held.other(self.handle, range, mode).is_some() {
            return false;
        }
        held.release(self.handle, range);
        held.ranges.push((self.handle, range, mode));
        true
    }

    pub(crate) fn unlock(&self, range: ByteRange) {
        self.table.held().release(self.handle, range);
    }

    pub(crate) fn holder(&self, range: ByteRange, mode: LockMode) -> Option<LockHolder> {
        let other = self.table.held().other(self.handle, range, mode);
        let process = Some(std::process::id());
        other.map(|(range, mode)| LockHolder { process, program: None, range, mode })
    }

    pub(crate) fn try_share(&self, mode: LockMode) -> bool {
        let mut held = self.table.held();
        if held.shares.iter().any(|(owner, how)| *owner != self.handle && conflict(*how, mode)) {
            return false;
        }
        held.shares.retain(|(owner, _)| *owner != self.handle);
        held.shares.push((self.handle, mode));
        true
    }
}

impl Drop for HandleLocks {
    fn drop(&mut self) {
        let mut held = self.table.held();
        let handle = self.handle;
        held.ranges.retain(|(owner, ..)| *owner != handle);
        held.shares.retain(|(owner, _)| *owner != handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, length: u64) -> ByteRange {
        ByteRange { start, length }
    }

    #[test]
    fn ranges_in_memory_are_shared_cut_and_dropped_as_those_of_the_system() {
        let table = Arc::new(LockTable::default());
        let (one, two) = (HandleLocks::new(&table), HandleLocks::new(&table));
        assert!(one.try_lock(range(10, 10), LockMode::Exclusive));
        assert!(one.try_lock(range(15, 1), LockMode::Exclusive), "a handle does not exclude itself");
        assert!(!two.try_lock(range(19, 5), LockMode::Shared));
        assert!(two.try_lock(range(20, 5), LockMode::Shared));
        one.unlock(range(12, 4));
        assert!(two.try_lock(range(12, 4), LockMode::Exclusive));
        assert!(!two.try_lock(range(11, 1), LockMode::Exclusive) && !two.try_lock(range(16, 1), LockMode::Exclusive));
        assert!(one.try_lock(range(20, 1), LockMode::Shared), "two may share");
        assert!(one.try_share(LockMode::Shared) && !two.try_share(LockMode::Exclusive));
        drop(one);
        assert!(two.try_lock(range(0, 100), LockMode::Exclusive) && two.try_share(LockMode::Exclusive));
    }
}
