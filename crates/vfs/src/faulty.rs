//! A file system that fails on demand.
//!
//! A test first runs an operation once to count its reads, then once for every read with that read
//! failing: each run must end in an error that names the file, never in a panic or a wrong answer.

use crate::{Entry, File, FileSystem, Stamp};
use mainstay_base::{Code, Error, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a read fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operating system reports an error.
    Error,
    /// Only half of the bytes arrive, as if the file had just been cut.
    Short,
}

/// Another file system, of which the Nth read fails.
#[derive(Clone, Debug)]
pub struct Faulty<F> {
    inner: F,
    plan: Arc<Plan>,
}

#[derive(Debug)]
struct Plan {
    reads: AtomicU64,
    failing_read: u64,
    fault: Fault,
}

impl Plan {
    fn next(&self) -> Option<Fault> {
        let read = self.reads.fetch_add(1, Ordering::Relaxed);
        (read == self.failing_read).then_some(self.fault)
    }
}

impl<F: FileSystem> Faulty<F> {
    /// Passes everything on to `inner`, but lets the read with this number (from 0) fail.
    pub fn new(inner: F, failing_read: u64, fault: Fault) -> Faulty<F> {
        Faulty { inner, plan: Arc::new(Plan { reads: AtomicU64::new(0), failing_read, fault }) }
    }

    /// Passes everything on and only counts.
    pub fn counting(inner: F) -> Faulty<F> {
        Faulty::new(inner, u64::MAX, Fault::Error)
    }

    /// How many reads there were.
    pub fn reads(&self) -> u64 {
        self.plan.reads.load(Ordering::Relaxed)
    }
}

impl<F: FileSystem> FileSystem for Faulty<F> {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        Ok(Arc::new(FaultyFile { inner: self.inner.open(path)?, plan: Arc::clone(&self.plan) }))
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
}

#[derive(Debug)]
struct FaultyFile {
    inner: Arc<dyn File>,
    plan: Arc<Plan>,
}

impl File for FaultyFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        match self.plan.next() {
            None => self.inner.read_at(buffer, offset),
            Some(Fault::Short) => {
                let half = buffer.len() / 2;
                self.inner.read_at(&mut buffer[..half], offset)
            }
            Some(Fault::Error) => {
                Err(Error::new(Code::Io, "the read failed (injected)").at(self.inner.path().display()))
            }
        }
    }

    fn stamp(&self) -> Result<Stamp> {
        self.inner.stamp()
    }

    fn path(&self) -> &Path {
        self.inner.path()
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
}
