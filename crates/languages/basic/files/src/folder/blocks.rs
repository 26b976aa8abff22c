//! Files opened with `ISZ=n`: blocks of n bytes by number; the last one may be shorter.

use super::Handle;
use crate::error::{FileError, FileErrorKind, Result};
use crate::options::WriteMode;
use crate::sequence::RecordSequence;
use std::time::Duration;

/// The blocks of a file.
pub(super) struct Blocks {
    handle: Handle,
    size: u64,
    is_locked: bool,
    path: String,
    block: Vec<u8>,
}

impl Blocks {
    pub(super) fn new(handle: Handle, size: u32, is_locked: bool, path: String) -> Result<Blocks> {
        Ok(Blocks { handle, size: u64::from(size), is_locked, path, block: Vec::new() })
    }
}

impl RecordSequence for Blocks {
    fn count(&mut self) -> Result<u64> {
        Ok(self.handle.length()?.div_ceil(self.size))
    }

    fn load(&mut self, index: u64) -> Result<bool> {
        let Some(offset) = index.checked_mul(self.size) else { return Ok(false) };
        let left = self.handle.length()?.saturating_sub(offset).min(self.size);
        self.block.resize(left as usize, 0);
        let read = self.handle.read_at(&mut self.block, offset)?;
        self.block.truncate(read);
        Ok(read > 0)
    }

    fn loaded(&self) -> &[u8] {
        &self.block
    }

    fn put(&mut self, index: Option<u64>, next: u64, data: &[u8], _mode: WriteMode) -> Result<u64> {
        let index = index.unwrap_or(next);
        let offset = index.checked_mul(self.size).filter(|offset| *offset <= i64::MAX as u64);
        let offset = offset.ok_or_else(|| {
            FileError::new(FileErrorKind::OutsideOfFile, format!("{index} is not a block of the file"))
        })?;
        self.handle.writable()?.write_at(data, offset)?;
        Ok(index)
    }

    fn remove(&mut self, _index: u64) -> Result<()> {
        Err(FileError::new(FileErrorKind::FileType, "blocks of a file cannot be removed"))
    }

    fn clear(&mut self) -> Result<()> {
        Ok(self.handle.writable()?.set_len(0)?)
    }

    fn lock_file(&mut self, wait: Duration) -> Result<()> {
        self.handle.claim_within(true, wait)?;
        self.is_locked = true;
        Ok(())
    }

    fn unlock_file(&mut self) -> Result<()> {
        self.is_locked = false;
        self.handle.claim_within(false, Duration::ZERO)
    }

    fn is_locked(&self) -> bool {
        self.is_locked
    }

    fn flush(&mut self) -> Result<()> {
        match &self.handle {
            Handle::Writable(file) => Ok(file.sync()?),
            Handle::Readable(_) => Ok(()),
        }
    }

    fn bytes(&mut self) -> u64 {
        self.handle.length().unwrap_or(0)
    }

    fn path(&self) -> String {
        self.path.clone()
    }
}
