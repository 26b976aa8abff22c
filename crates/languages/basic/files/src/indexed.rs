//! INDEXED files: records of one length by number, over any [`KeyedStorage`]. The record of index i has the identifier i + 1.
//!
//! Records below the highest index that were never written read as $00$; they take no place.

use crate::error::{FileError, FileErrorKind, Result, end_of_file};
use crate::options::WriteMode;
use crate::sequence::RecordSequence;
use crate::storage::{KeyedStorage, Stored};
use std::time::Duration;

/// The records of an INDEXED file.
pub struct IndexedRecords<S> {
    storage: S,
    max_records: Option<u64>,
    /// The contents of a record that was never written.
    empty: Vec<u8>,
    is_empty: bool,
}

impl<S: KeyedStorage> IndexedRecords<S> {
    /// Records of this length in storage without keys.
    pub fn new(storage: S, record_size: u32, max_records: Option<u64>) -> IndexedRecords<S> {
        IndexedRecords { storage, max_records, empty: vec![0; record_size as usize], is_empty: false }
    }
}

impl<S: KeyedStorage> RecordSequence for IndexedRecords<S> {
    fn count(&mut self) -> Result<u64> {
        self.storage.last_id()
    }

    fn load(&mut self, index: u64) -> Result<bool> {
        self.is_empty = !self.storage.by_id(index.saturating_add(1))?;
        Ok(!self.is_empty || index < self.storage.last_id()?)
    }

    fn loaded(&self) -> &[u8] {
        if self.is_empty { &self.empty } else { self.storage.loaded().data }
    }

    fn put(&mut self, index: Option<u64>, next: u64, data: &[u8], mode: WriteMode) -> Result<u64> {
        // An index that the program names is out of bounds, the next one finds the file full.
        let kind = if index.is_some() { FileErrorKind::OutsideOfFile } else { FileErrorKind::FileFull };
        let index = index.unwrap_or(next);
        if index >= self.max_records.unwrap_or(u64::from(u32::MAX)) {
            return Err(FileError::new(kind, format!("the file has no record of index {index}")));
        }
        let id = index + 1;
        let exists = self.storage.by_id(id)?;
        let record = Stored { data, keys: &[] };
        match (exists, mode) {
            (true, WriteMode::New) => Err(FileError::new(
                FileErrorKind::DuplicateKey,
                format!("the record of index {index} is there already"),
            )),
            (false, WriteMode::Existing) if index >= self.storage.last_id()? => Err(end_of_file()),
            (true, _) => self.storage.replace(id, &record).map(|()| index),
            (false, _) => self.storage.insert(&record, Some(id)).map(|_| index),
        }
    }

    fn remove(&mut self, _index: u64) -> Result<()> {
        Err(FileError::new(FileErrorKind::FileType, "records of an indexed file cannot be removed"))
    }

    fn clear(&mut self) -> Result<()> {
        self.storage.clear()
    }

    fn lock_record(&mut self, index: u64, wait: Duration) -> Result<()> {
        self.storage.lock_record(index + 1, wait)
    }

    fn check_record(&mut self, index: u64, wait: Duration) -> Result<()> {
        if self.storage.check_record(index + 1, wait)? {
            self.load(index)?;
        }
        Ok(())
    }

    fn unlock_record(&mut self, index: u64) {
        self.storage.unlock_record(index + 1);
    }

    fn lock_file(&mut self, wait: Duration) -> Result<()> {
        self.storage.lock_file(wait)
    }

    fn unlock_file(&mut self) -> Result<()> {
        self.storage.unlock_file()
    }

    fn is_locked(&self) -> bool {
        self.storage.is_locked()
    }

    fn flush(&mut self) -> Result<()> {
        self.storage.flush()
    }

    fn bytes(&mut self) -> u64 {
        self.storage.bytes()
    }

    fn path(&self) -> String {
        self.storage.path()
    }
}
