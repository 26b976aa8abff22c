//! A folder as a file: one name a record, for reading only.

use crate::error::{FileError, FileErrorKind, Result};
use crate::options::WriteMode;
use crate::sequence::RecordSequence;

/// The names of a folder, as they were when it was opened.
pub(super) struct Names {
    names: Vec<Vec<u8>>,
    path: String,
    loaded: usize,
}

impl Names {
    pub(super) fn new(names: Vec<Vec<u8>>, path: String) -> Names {
        Names { names, path, loaded: 0 }
    }
}

fn read_only() -> FileError {
    FileError::new(FileErrorKind::AccessMode, "a folder cannot be written")
}

impl RecordSequence for Names {
    fn count(&mut self) -> Result<u64> {
        Ok(self.names.len() as u64)
    }

    fn load(&mut self, index: u64) -> Result<bool> {
        self.loaded = usize::try_from(index).unwrap_or(usize::MAX);
        Ok(self.loaded < self.names.len())
    }

    fn loaded(&self) -> &[u8] {
        self.names.get(self.loaded).map(Vec::as_slice).unwrap_or_default()
    }

    fn put(&mut self, _index: Option<u64>, _next: u64, _data: &[u8], _mode: WriteMode) -> Result<u64> {
        Err(read_only())
    }

    fn remove(&mut self, _index: u64) -> Result<()> {
        Err(read_only())
    }

    fn clear(&mut self) -> Result<()> {
        Err(read_only())
    }

    fn is_locked(&self) -> bool {
        false
    }

    fn bytes(&mut self) -> u64 {
        0
    }

    fn path(&self) -> String {
        self.path.clone()
    }
}
