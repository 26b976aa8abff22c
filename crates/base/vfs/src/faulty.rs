//! A file system that fails on demand.
//!
//! A test first runs an operation once to count its calls of one kind ([`Operation`]), then once for every such
//! call with that call failing: each run must end in an error that names the file, never in a panic or a wrong
//! answer; and everything acknowledged before must still be there.
//!
//! A call that fails has done nothing, but for half a write ([`Fault::Short`], [`Fault::NoSpace`]). The call after it
//! succeeds again, which exposes a program that repeats a failed sync; [`Faulty::lasting`] lets all later calls of the
//! kind fail too, as on a full or dead disk.
//!
//! Syncs of files can be held back ([`Faulty::hold_syncs`]), as on a slow disk: a test then sees the state between a write and its
//! sync for as long as it needs.

use crate::{
    ByteRange, Create, Entry, File, FileSystem, FolderLock, LockHolder, LockMode, Mapping, Stamp, WritableFile,
};
use mainstay_types::{Code, Error, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The kind of failure of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operating system reports an error, and nothing was done.
    Error,
    /// Only half of the bytes arrive. A read ends there without an error, as if the file had just been cut; a
    /// write ends in an error. Any other call fails as with [`Fault::Error`].
    Short,
    /// The disk is full: half of a write's bytes still arrive. Any other call fails with this error and does nothing.
    NoSpace,
}

/// The kinds of calls that can fail, each counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// [`File::read_at`] and [`FileSystem::map`].
    Read,
    /// [`WritableFile::write_at`] and [`WritableFile::set_len`].
    Write,
    /// [`WritableFile::sync`] and [`FileSystem::sync_folder`].
    Sync,
    /// [`FileSystem::rename`].
    Rename,
    /// [`FileSystem::create`], [`FileSystem::create_folder`] and [`FileSystem::lock`].
    Create,
    /// [`FileSystem::remove`] and [`FileSystem::remove_folder`].
    Remove,
}

const OPERATIONS: usize = 6;

/// Another file system, of which the Nth call of a kind fails. Clones share the counts.
#[derive(Clone, Debug)]
pub struct Faulty<F> {
    inner: F,
    plan: Arc<Plan>,
}

#[derive(Debug)]
struct Plan {
    calls: [AtomicU64; OPERATIONS],
    operation: Operation,
    failing: std::ops::Range<u64>,
    fault: Fault,
    gate: Gate,
}

/// Holds callers back while it is closed.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    is_closed: bool,
    held: usize,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.held += 1;
        while state.is_closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.held -= 1;
    }

    fn set_closed(&self, is_closed: bool) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_closed = is_closed;
        self.changed.notify_all();
    }
}

impl Plan {
    fn next(&self, operation: Operation) -> Option<Fault> {
        let call = self.calls[operation as usize].fetch_add(1, Ordering::Relaxed);
        (operation == self.operation && self.failing.contains(&call)).then_some(self.fault)
    }

    /// Counts a call that either happens or not.
    fn check(&self, operation: Operation, path: &Path) -> Result<()> {
        match self.next(operation) {
            None => Ok(()),
            Some(fault) => Err(injected(operation, fault, path)),
        }
    }
}

fn injected(operation: Operation, fault: Fault, path: &Path) -> Error {
    if fault == Fault::NoSpace {
        return Error::from(std::io::Error::from(rustix::io::Errno::NOSPC)).at(path.display());
    }
    let name = match operation {
        Operation::Read => "read",
        Operation::Write => "write",
        Operation::Sync => "sync",
        Operation::Rename => "rename",
        Operation::Create => "creation",
        Operation::Remove => "removal",
    };
    Error::new(Code::Io, format!("the {name} failed (injected)")).at(path.display())
}

impl<F: FileSystem> Faulty<F> {
    /// Passes everything on to `inner`, but lets the read with this number (from 0) fail.
    pub fn new(inner: F, failing_read: u64, fault: Fault) -> Faulty<F> {
        Faulty::failing(inner, Operation::Read, failing_read, fault)
    }

    /// Passes everything on to `inner`, but lets the call of this kind with this number (from 0) fail.
    pub fn failing(inner: F, operation: Operation, number: u64, fault: Fault) -> Faulty<F> {
        Faulty::planned(inner, operation, number..number.saturating_add(1), fault)
    }

    /// As [`Faulty::failing`], and every later call of the kind fails too.
    pub fn lasting(inner: F, operation: Operation, from: u64, fault: Fault) -> Faulty<F> {
        Faulty::planned(inner, operation, from..u64::MAX, fault)
    }

    /// Passes everything on and only counts.
    pub fn counting(inner: F) -> Faulty<F> {
        Faulty::planned(inner, Operation::Read, 0..0, Fault::Error)
    }

    fn planned(inner: F, operation: Operation, failing: std::ops::Range<u64>, fault: Fault) -> Faulty<F> {
        let (calls, gate) = (Default::default(), Gate::default());
        Faulty { inner, plan: Arc::new(Plan { calls, operation, failing, fault, gate }) }
    }

    /// Holds every sync of a file back from now on, until [`Faulty::release_syncs`].
    pub fn hold_syncs(&self) {
        self.plan.gate.set_closed(true);
    }

    /// Lets syncs go on, those that are held back included.
    pub fn release_syncs(&self) {
        self.plan.gate.set_closed(false);
    }

    /// The number of syncs that are held back now.
    pub fn held_syncs(&self) -> usize {
        self.plan.gate.state.lock().unwrap_or_else(PoisonError::into_inner).held
    }

    /// The number of reads.
    pub fn reads(&self) -> u64 {
        self.calls(Operation::Read)
    }

    /// The number of calls of this kind, failed ones included.
    pub fn calls(&self, operation: Operation) -> u64 {
        self.plan.calls[operation as usize].load(Ordering::Relaxed)
    }

    fn wrap<T: ?Sized>(&self, inner: Arc<T>) -> FaultyFile<T> {
        FaultyFile { inner, plan: Arc::clone(&self.plan) }
    }
}

impl<F: FileSystem> FileSystem for Faulty<F> {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        Ok(Arc::new(self.wrap(self.inner.open(path)?)))
    }

    fn stamp(&self, path: &Path) -> Result<Stamp> {
        self.inner.stamp(path)
    }

    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        self.inner.list(folder)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.inner.is_folder(path)
    }

    fn real_path(&self, path: &Path) -> Result<PathBuf> {
        self.inner.real_path(path)
    }

    fn is_link(&self, path: &Path) -> bool {
        self.inner.is_link(path)
    }

    fn is_pipe_or_device(&self, path: &Path) -> bool {
        self.inner.is_pipe_or_device(path)
    }

    fn map(&self, path: &Path) -> Result<Mapping> {
        match self.plan.next(Operation::Read) {
            None => self.inner.map(path),
            Some(Fault::Short) => {
                let whole = self.inner.map(path)?;
                Ok(Mapping::copy_of(&whole[..whole.len() / 2]))
            }
            Some(fault) => Err(injected(Operation::Read, fault, path)),
        }
    }

    fn create(&self, path: &Path, how: Create) -> Result<Arc<dyn WritableFile>> {
        self.plan.check(Operation::Create, path)?;
        Ok(Arc::new(self.wrap(self.inner.create(path, how)?)))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.plan.check(Operation::Rename, from)?;
        self.inner.rename(from, to)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.plan.check(Operation::Remove, path)?;
        self.inner.remove(path)
    }

    fn create_folder(&self, path: &Path) -> Result<()> {
        self.plan.check(Operation::Create, path)?;
        self.inner.create_folder(path)
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        self.plan.check(Operation::Remove, path)?;
        self.inner.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        self.plan.check(Operation::Sync, path)?;
        self.inner.sync_folder(path)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FolderLock>> {
        self.plan.check(Operation::Create, path)?;
        self.inner.lock(path)
    }
}

#[derive(Debug)]
struct FaultyFile<T: ?Sized> {
    inner: Arc<T>,
    plan: Arc<Plan>,
}

impl<T: File + ?Sized> File for FaultyFile<T> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        match self.plan.next(Operation::Read) {
            None => self.inner.read_at(buffer, offset),
            Some(Fault::Short) => {
                let half = buffer.len() / 2;
                self.inner.read_at(&mut buffer[..half], offset)
            }
            Some(fault) => Err(injected(Operation::Read, fault, self.inner.path())),
        }
    }

    fn stamp(&self) -> Result<Stamp> {
        self.inner.stamp()
    }

    fn path(&self) -> &Path {
        self.inner.path()
    }
}

impl<T: WritableFile + ?Sized> WritableFile for FaultyFile<T> {
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let Some(fault) = self.plan.next(Operation::Write) else { return self.inner.write_at(bytes, offset) };
        if fault != Fault::Error {
            self.inner.write_at(&bytes[..bytes.len() / 2], offset)?;
        }
        Err(injected(Operation::Write, fault, self.inner.path()))
    }

    fn sync(&self) -> Result<()> {
        self.plan.gate.pass();
        self.plan.check(Operation::Sync, self.inner.path())?;
        self.inner.sync()
    }

    fn set_len(&self, len: u64) -> Result<()> {
        self.plan.check(Operation::Write, self.inner.path())?;
        self.inner.set_len(len)
    }

    fn try_lock_range(&self, range: ByteRange, mode: LockMode) -> Result<bool> {
        self.inner.try_lock_range(range, mode)
    }

    fn unlock_range(&self, range: ByteRange) -> Result<()> {
        self.inner.unlock_range(range)
    }

    fn range_holder(&self, range: ByteRange, mode: LockMode) -> Result<Option<LockHolder>> {
        self.inner.range_holder(range, mode)
    }

    fn try_share(&self, mode: LockMode) -> Result<bool> {
        self.inner.try_share(mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn exactly_the_planned_read_fails() {
        let memory = Memory::new();
        memory.write("a", vec![7; 8]);
        let faulty = Faulty::new(memory.clone(), 1, Fault::Error);
        let file = faulty.open(Path::new("a")).unwrap();
        let mut buffer = [0; 8];
        assert!(file.read_at(&mut buffer, 0).is_ok());
        assert_eq!(file.read_at(&mut buffer, 0).unwrap_err().code(), Code::Io);
        assert!(file.read_at(&mut buffer, 0).is_ok());
        assert_eq!(faulty.reads(), 3);

        let short = Faulty::new(memory, 0, Fault::Short);
        assert_eq!(short.open(Path::new("a")).unwrap().read_at(&mut buffer, 0).unwrap(), 4);
    }

    #[test]
    fn half_a_write_arrives() {
        for (fault, content) in [(Fault::Error, &b""[..]), (Fault::Short, &b"ab"[..]), (Fault::NoSpace, &b"ab"[..])] {
            let memory = Memory::new();
            let faulty = Faulty::failing(memory.clone(), Operation::Write, 0, fault);
            let file = faulty.create(Path::new("a"), Create::New).unwrap();
            let error = file.write_at(b"abcd", 0).unwrap_err();
            assert_eq!((error.code(), error.place()), (Code::Io, Some("a")));
            assert_eq!(error.message().contains("No space left"), fault == Fault::NoSpace, "{error}");
            assert_eq!(memory.read(Path::new("a")).unwrap(), content);
            file.write_at(b"abcd", 0).unwrap();
            assert_eq!(faulty.calls(Operation::Write), 2);
        }
    }

    #[test]
    fn every_step_of_a_replacement_can_fail_and_leaves_the_old_file() {
        use Operation::{Create, Rename, Sync, Write};
        for (operation, number) in [(Create, 0), (Write, 0), (Sync, 0), (Rename, 0)] {
            let memory = Memory::new();
            memory.write("a", b"old".to_vec());
            let faulty = Faulty::failing(memory.clone(), operation, number, Fault::Error);
            assert!(faulty.replace(Path::new("a"), b"new").is_err(), "{operation:?}");
            assert_eq!(memory.read(Path::new("a")).unwrap(), b"old", "{operation:?}");
            faulty.replace(Path::new("a"), b"new").unwrap();
        }
        let dead = Faulty::lasting(Memory::new(), Sync, 1, Fault::Error);
        assert!(dead.replace(Path::new("a"), b"new").unwrap_err().message().contains("sync"));
        assert!(dead.replace(Path::new("a"), b"new").is_err());
    }

    #[test]
    fn every_kind_of_call_can_fail_and_then_does_nothing() {
        use Operation::{Create, Read, Remove, Rename, Sync, Write};
        type Call = fn(&dyn FileSystem) -> Result<()>;
        let calls: [(Operation, Call); 11] = [
            (Read, |files| files.map(Path::new("a")).map(drop)),
            (Read, |files| files.read(Path::new("a")).map(drop)),
            (Write, |files| files.create(Path::new("a"), crate::Create::OpenOrCreate)?.set_len(0)),
            (Sync, |files| files.create(Path::new("a"), crate::Create::OpenOrCreate)?.sync()),
            (Sync, |files| files.sync_folder(Path::new(""))),
            (Rename, |files| files.rename(Path::new("a"), Path::new("b"))),
            (Create, |files| files.create(Path::new("a"), crate::Create::Truncate).map(drop)),
            (Create, |files| files.create_folder(Path::new("folder"))),
            (Create, |files| files.lock(Path::new("lock")).map(drop)),
            (Remove, |files| files.remove(Path::new("a"))),
            (Remove, |files| files.remove_folder(Path::new("shop"))),
        ];
        for (number, (operation, call)) in calls.into_iter().enumerate() {
            let memory = Memory::new();
            memory.write("a", b"old".to_vec());
            memory.write("shop/a", b"old".to_vec());
            let faulty = Faulty::failing(memory.clone(), operation, 0, Fault::Error);
            assert!(call(&faulty).unwrap_err().message().contains("injected"), "call {number}");
            assert_eq!(faulty.calls(operation), 1, "call {number}");
            assert_eq!(memory.read(Path::new("a")).unwrap(), b"old", "call {number}");
            assert_eq!(memory.list(Path::new("")).unwrap().len(), 2, "call {number}");
            call(&faulty).unwrap();
        }
    }
}
