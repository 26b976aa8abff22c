//! The bytes of a file in memory, which spill to the disk when they exceed a limit.
//!
//! A file on the disk has no name: it is gone with its handle, and with the process, however that ends.

// A file without a name contains no stored data.
#![allow(clippy::disallowed_methods)]

use crate::memory::{copy_range, write_range};
use mainstay_types::{Error, Result};
use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Names that are tried for a new file.
const ATTEMPTS: usize = 16;

#[derive(Debug)]
pub(crate) enum Content {
    Here(Vec<u8>),
    Spilled { file: std::fs::File, len: u64 },
}

impl Default for Content {
    fn default() -> Content {
        Content::Here(Vec::new())
    }
}

/// A new unnamed file in the system's folder for temporary files, which no other process can open.
fn nameless() -> Result<std::fs::File> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let folder = std::env::temp_dir();
    let mut attempt = 0;
    loop {
        let name = format!("mainstay-{}-{}.rows", std::process::id(), MADE.fetch_add(1, Relaxed));
        let path = folder.join(name);
        let made = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        attempt += 1;
        match made {
            Ok(file) => {
                std::fs::remove_file(&path).map_err(|error| Error::from(error).at(path.display()))?;
                return Ok(file);
            }
            // One that a process of the same number has left.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {}
            Err(error) => return Err(Error::from(error).at(path.display())),
        }
    }
}

impl Content {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Content::Here(bytes) => bytes.len() as u64,
            Content::Spilled { len, .. } => *len,
        }
    }

    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let (file, len) = match self {
            Content::Here(bytes) => return Ok(copy_range(bytes, buffer, offset)),
            Content::Spilled { file, len } => (file, *len),
        };
        let there = usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        let wanted = buffer.get_mut(..there).unwrap_or_default();
        file.read_exact_at(wanted, offset)?;
        Ok(there)
    }

    /// Writes where [`crate::memory::address`] has said that it makes sense. Content that would be longer than `most` moves
    /// to the disk.
    pub(crate) fn write(&mut self, bytes: &[u8], start: usize, most: usize) -> Result<()> {
        let end = start.saturating_add(bytes.len());
        if end > most {
            self.spill()?;
        }
        match self {
            Content::Here(content) => write_range(content, bytes, start),
            Content::Spilled { file, len } => {
                file.write_all_at(bytes, start as u64)?;
                *len = if bytes.is_empty() { *len } else { (*len).max(end as u64) };
            }
        }
        Ok(())
    }

    pub(crate) fn set_len(&mut self, wanted: usize, most: usize) -> Result<()> {
        if wanted > most {
            self.spill()?;
        }
        match self {
            Content::Here(content) => content.resize(wanted, 0),
            Content::Spilled { file, len } => {
                file.set_len(wanted as u64)?;
                *len = wanted as u64;
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        if let Content::Here(bytes) = self {
            let file = nameless()?;
            file.write_all_at(bytes, 0)?;
            *self = Content::Spilled { file, len: bytes.len() as u64 };
        }
        Ok(())
    }
}
