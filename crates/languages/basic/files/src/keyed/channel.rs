//! The operations of a channel with keys: counting, and which part does the work.

use super::KeyedFile;
use crate::error::{FileError, FileErrorKind, Result};
use crate::file::{KeyFunction, RecordFile, RecordReference, Scan, Scanned};
use crate::information::FileInformation;
use crate::key::{KeyDefinition, KeyLimits, KeySource};
use crate::options::{FileDefinition, FileKind, Place, ReadOptions, ScanRange, WriteOptions};
use crate::storage::KeyedStorage;
use std::time::Duration;

impl<S: KeyedStorage> RecordFile for KeyedFile<S> {
    fn definition(&self) -> &FileDefinition {
        &self.definition
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn current_key(&self) -> usize {
        self.current_key
    }

    #[inline]
    fn read(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<&[u8]> {
        self.counters.count_read();
        self.find_place(place, options)?;
        Ok(self.storage.loaded().data)
    }

    fn write(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        self.counters.count_write();
        self.write_record(data, options)
    }

    fn remove(&mut self, key: Option<&[u8]>, index: Option<i64>, wait: Duration) -> Result<()> {
        self.counters.count_write();
        self.remove_record(key, index, wait)
    }

    fn release(&mut self) -> Result<()> {
        self.release_lock();
        Ok(())
    }

    fn key(&mut self, function: KeyFunction<'_>, key_number: Option<usize>) -> Result<Vec<u8>> {
        self.in_order(key_number, |file, number| file.key_of(function, number))
    }

    fn record_number(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<u64> {
        self.in_order(key_number, |file, number| {
            file.load_reference(record, number)?;
            file.number_of_loaded(number)
        })
    }

    fn record_index(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<i64> {
        self.in_order(key_number, |file, number| {
            file.load_reference(record, number)?;
            file.index_of_loaded(number)
        })
    }

    fn scan(&mut self, range: &ScanRange<'_>) -> Result<Scan> {
        self.begin_scan(range)
    }

    #[inline]
    fn scan_next(&mut self, scan: &mut Scan) -> Result<Option<Scanned<'_>>> {
        self.counters.count_read();
        self.next_of_scan(scan)
    }

    fn lock(&mut self, wait: Duration) -> Result<()> {
        self.storage.lock_file(wait)
    }

    fn unlock(&mut self) -> Result<()> {
        if !self.storage.is_locked() {
            return Err(FileError::new(FileErrorKind::FileState, "the file is not locked"));
        }
        self.storage.unlock_file()
    }

    fn purge(&mut self) -> Result<()> {
        if !self.storage.is_locked() {
            return Err(FileError::new(FileErrorKind::NotLocked, "the file is not locked"));
        }
        if self.is_read_only {
            return Err(FileError::new(FileErrorKind::AccessMode, "the file is opened for reading only"));
        }
        self.release_lock();
        self.spot = Default::default();
        self.storage.clear()
    }

    fn flush(&mut self) -> Result<()> {
        self.storage.flush()
    }

    fn information(&mut self) -> Result<FileInformation> {
        let index = self.spot.current.filter(|_| !self.storage.indexes_by_rank());
        Ok(FileInformation {
            name: self.name.clone(),
            path: self.storage.path(),
            definition: self.definition.clone(),
            records: self.storage.count()?,
            bytes: self.storage.bytes(),
            modified: None,
            current_key: self.current_key,
            current_index: index.and_then(|id| i64::try_from(id).ok()),
            has_extracted: self.extracted.is_some(),
            is_locked: self.storage.is_locked(),
            is_read_only: self.is_read_only,
            was_purged: self.was_purged,
        })
    }

    fn memory_bytes(&self) -> u64 {
        self.storage.memory_bytes() + (self.scratch.capacity() + self.record.capacity()) as u64
    }

    fn add_key(&mut self, key: KeyDefinition) -> Result<usize> {
        if self.is_read_only {
            return Err(FileError::new(FileErrorKind::AccessMode, "the file is opened for reading only"));
        }
        let mut keys = self.definition.keys.clone();
        let number = keys.add(key.clone());
        let is_stored = self.definition.kind != FileKind::MemoryKeyed;
        keys.check(if is_stored { &KeyLimits::STORED } else { &KeyLimits::MEMORY })?;
        let (primary, has_external) = (keys.key(0)?.clone(), keys.external_length().is_some());
        let separator = self.definition.separator;
        self.storage.add_key(number, &key, &mut |loaded| {
            let mut external = Vec::new();
            if has_external {
                primary.shown(loaded.primary, &mut external);
            }
            let mut made = Vec::new();
            key.make(&KeySource { record: loaded.data, external: &external, separator }, &mut made).then_some(made)
        })?;
        self.definition.keys = keys;
        Ok(number)
    }

    fn drop_key(&mut self, number: usize) -> Result<()> {
        self.definition.keys.key(number)?;
        if number == 0 {
            return Err(FileError::new(FileErrorKind::KeyDefinition, "the primary key cannot be dropped"));
        }
        self.storage.drop_key(number)?;
        self.definition.keys.remove(number);
        if self.current_key == number {
            self.current_key = 0;
        }
        if self.spot.order == number {
            self.enter_order(0)?;
        }
        Ok(())
    }
}
