//! [`SequenceFile`]: the rules of files whose records have a number and no key, over any [`RecordSequence`].
//!
//! INDEXED files and `*MEMORY*` written by index are sequences. A channel has a next index; reading and writing a record
//! move it behind that record, EXTRACT leaves it there. The key functions give the index as four bytes.

use crate::error::{FileError, FileErrorKind, Result, end_of_file, record_missing};
use crate::file::{KeyFunction, RecordFile, RecordReference, Scan, Scanned};
use crate::information::FileInformation;
use crate::keyed::ChannelOptions;
use crate::options::{
    FileDefinition, Order, Place, ReadMode, ReadOptions, RecordFormat, ScanRange, WriteMode, WriteOptions,
};
use std::time::Duration;

/// Records by number, from 0.
pub trait RecordSequence: Send {
    /// How many records there are: one more than the highest index.
    fn count(&mut self) -> Result<u64>;

    /// Loads a record: whether there is one.
    fn load(&mut self, index: u64) -> Result<bool>;

    /// The loaded record.
    fn loaded(&self) -> &[u8];

    /// Writes a record at this index, or without one at the place where the kind of file puts it: its index.
    fn put(&mut self, index: Option<u64>, next: u64, data: &[u8], mode: WriteMode) -> Result<u64>;

    /// Removes a record; those behind it move up.
    ///
    /// Errors: 17 where records have fixed numbers.
    fn remove(&mut self, index: u64) -> Result<()>;

    /// Removes all records.
    fn clear(&mut self) -> Result<()>;

    /// Takes the lock of a record, or waits for it.
    ///
    /// Errors: 0.
    fn lock_record(&mut self, index: u64, wait: Duration) -> Result<()> {
        let _ = (index, wait);
        Ok(())
    }

    /// Returns when no other session has the lock of a record.
    ///
    /// Errors: 0.
    fn check_record(&mut self, index: u64, wait: Duration) -> Result<()> {
        let _ = (index, wait);
        Ok(())
    }

    /// Gives back the lock of a record.
    fn unlock_record(&mut self, index: u64) {
        let _ = index;
    }

    /// Takes the file for the session alone.
    ///
    /// Errors: 0.
    fn lock_file(&mut self, wait: Duration) -> Result<()> {
        let _ = wait;
        Ok(())
    }

    /// Shares the file again.
    fn unlock_file(&mut self) -> Result<()> {
        Ok(())
    }

    /// True if the session has the file alone.
    fn is_locked(&self) -> bool;

    /// Makes durable what was written.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// Bytes of memory that it holds.
    fn memory_bytes(&self) -> u64 {
        0
    }

    /// Bytes of what is stored.
    fn bytes(&mut self) -> u64;

    /// The full path, where there is one.
    fn path(&self) -> String {
        String::new()
    }
}

/// A channel on a file whose records have numbers.
pub struct SequenceFile<S> {
    sequence: S,
    definition: FileDefinition,
    options: ChannelOptions,
    next: u64,
    current: Option<u64>,
    extracted: Option<u64>,
    key: [u8; 4],
    buffer: Vec<u8>,
}

impl<S: RecordSequence> SequenceFile<S> {
    /// Opens a channel.
    pub fn new(sequence: S, definition: FileDefinition, options: ChannelOptions) -> SequenceFile<S> {
        SequenceFile {
            sequence,
            definition,
            options,
            next: 0,
            current: None,
            extracted: None,
            key: [0; 4],
            buffer: Vec::new(),
        }
    }

    fn index_of(&mut self, place: Place<'_>) -> Result<u64> {
        let invalid = |number: i64| {
            FileError::new(FileErrorKind::InvalidInteger, format!("{number} is not the number of a record"))
        };
        match place {
            Place::Next => Ok(self.next),
            Place::Index(index) => u64::try_from(index).map_err(|_| invalid(index)),
            Place::Number(number) => {
                number.checked_sub(1).and_then(|index| u64::try_from(index).ok()).ok_or_else(|| invalid(number))
            }
            Place::Relative(distance) => {
                // The next one is 1 behind the current one, and where there is no current one it is the first.
                let next = i64::try_from(self.next).unwrap_or(i64::MAX);
                let base = if self.extracted.is_some() { next } else { next.saturating_sub(1) };
                u64::try_from(base.saturating_add(distance)).map_err(|_| end_of_file())
            }
            Place::Key(_) => Err(without_keys()),
        }
    }

    fn find(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<()> {
        if matches!(options.order, Some(Order::Key(number)) if number > 0) {
            return Err(FileError::new(FileErrorKind::KeyDefinition, "the file has no keys"));
        }
        let index = self.index_of(place)?;
        let found = self.sequence.load(index)?;
        if !(found && options.mode == ReadMode::Extract && self.extracted == Some(index)) {
            self.release_lock();
        }
        if !found {
            return Err(end_of_file());
        }
        if options.mode == ReadMode::Extract {
            self.sequence.lock_record(index, options.wait)?;
            self.extracted = Some(index);
            self.sequence.load(index)?;
        } else if !options.ignores_locks {
            self.sequence.check_record(index, options.wait)?;
        }
        self.current = Some(index);
        self.next = if self.extracted.is_some() { index } else { index + 1 };
        Ok(())
    }

    fn release_lock(&mut self) {
        if let Some(index) = self.extracted.take() {
            self.sequence.unlock_record(index);
        }
    }

    fn check_writable(&self) -> Result<()> {
        match self.options.is_read_only {
            true => Err(FileError::new(FileErrorKind::AccessMode, "the file is opened for reading only")),
            false => Ok(()),
        }
    }

    fn store(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<u64> {
        self.check_writable()?;
        if options.key.is_some() {
            return Err(without_keys());
        }
        let limit = self.definition.format.limit() as usize;
        if data.len() > limit && !self.definition.is_extended {
            let message = format!("the record has {} bytes, and the file allows {limit}", data.len());
            return Err(FileError::new(FileErrorKind::RecordTooLong, message));
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(data);
        if let RecordFormat::Fixed(_) = self.definition.format {
            self.buffer.resize(limit.max(data.len()), 0);
        }
        let (index, mode) = match (options.index, self.extracted) {
            (Some(_), _) => (Some(self.index_of(Place::Index(options.index.unwrap_or(0)))?), options.mode),
            // The record that was extracted is written back.
            (None, Some(index)) => (Some(index), WriteMode::Existing),
            (None, None) => (None, options.mode),
        };
        if let Some(index) = index.filter(|index| self.extracted != Some(*index)) {
            self.sequence.check_record(index, options.wait)?;
        }
        self.sequence.put(index, self.next, &self.buffer, mode)
    }

    fn key_of_index(&mut self, index: u64) -> Result<Vec<u8>> {
        if index >= self.sequence.count()? {
            return Err(end_of_file());
        }
        Ok((index as u32).to_be_bytes().to_vec())
    }

    fn reference(&mut self, record: RecordReference<'_>) -> Result<u64> {
        let place = match record {
            RecordReference::Next => Place::Next,
            RecordReference::Index(index) => Place::Index(index),
            RecordReference::Number(number) => Place::Number(number),
            RecordReference::Key(key) => Place::Key(key),
        };
        let index = self.index_of(place)?;
        if index < self.sequence.count()? { Ok(index) } else { Err(end_of_file()) }
    }
}

fn without_keys() -> FileError {
    FileError::new(FileErrorKind::FileType, "records of this file have no keys")
}

impl<S: RecordSequence> RecordFile for SequenceFile<S> {
    fn definition(&self) -> &FileDefinition {
        &self.definition
    }

    fn name(&self) -> &str {
        &self.options.name
    }

    fn current_key(&self) -> usize {
        0
    }

    #[inline]
    fn read(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<&[u8]> {
        self.options.counters.count_read();
        self.find(place, options)?;
        Ok(self.sequence.loaded())
    }

    fn memory_bytes(&self) -> u64 {
        self.sequence.memory_bytes() + self.buffer.capacity() as u64
    }

    fn write(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        self.options.counters.count_write();
        let index = self.store(data, options)?;
        self.options.counters.count_block_write();
        if options.keeps_lock {
            if self.extracted != Some(index) {
                self.release_lock();
                self.sequence.lock_record(index, options.wait)?;
            }
            self.extracted = Some(index);
        } else {
            self.release_lock();
        }
        self.current = Some(index);
        self.next = if self.extracted.is_some() { index } else { index + 1 };
        Ok(())
    }

    fn remove(&mut self, key: Option<&[u8]>, index: Option<i64>, wait: Duration) -> Result<()> {
        self.options.counters.count_write();
        self.check_writable()?;
        if key.is_some() {
            return Err(without_keys());
        }
        let index = match (index, self.current) {
            (Some(index), _) => self.index_of(Place::Index(index))?,
            (None, Some(index)) => index,
            (None, None) => return Err(record_missing("no index, and no record was read")),
        };
        if self.extracted != Some(index) {
            self.sequence.check_record(index, wait)?;
        }
        self.sequence.remove(index)?;
        self.release_lock();
        (self.current, self.next) = (None, index);
        Ok(())
    }

    fn release(&mut self) -> Result<()> {
        self.release_lock();
        Ok(())
    }

    fn key(&mut self, function: KeyFunction<'_>, _key_number: Option<usize>) -> Result<Vec<u8>> {
        let count = self.sequence.count()?;
        let index = match function {
            KeyFunction::First => Some(0),
            KeyFunction::Last => count.checked_sub(1),
            KeyFunction::Current => self.current,
            KeyFunction::Next => Some(self.next),
            KeyFunction::AfterNext => Some(self.next + 1),
            KeyFunction::Previous => self.current.unwrap_or(self.next).checked_sub(1),
            KeyFunction::AtIndex(index) => Some(self.index_of(Place::Index(index))?),
            KeyFunction::AtNumber(number) => Some(self.index_of(Place::Number(number))?),
            KeyFunction::After(_) | KeyFunction::Before(_) => return Err(without_keys()),
        };
        self.key_of_index(index.ok_or_else(end_of_file)?)
    }

    fn record_number(&mut self, record: RecordReference<'_>, _key_number: Option<usize>) -> Result<u64> {
        Ok(self.reference(record)? + 1)
    }

    fn record_index(&mut self, record: RecordReference<'_>, _key_number: Option<usize>) -> Result<i64> {
        Ok(i64::try_from(self.reference(record)?).unwrap_or(i64::MAX))
    }

    fn scan(&mut self, range: &ScanRange<'_>) -> Result<Scan> {
        if range.begin.is_some() || range.end.is_some() {
            return Err(without_keys());
        }
        self.release_lock();
        let options = ReadOptions { wait: range.wait, ignores_locks: range.ignores_locks, ..ReadOptions::default() };
        Ok(Scan { order: Order::Physical, options, place: (Vec::new(), 0), end: None, end_is_prefix: false })
    }

    fn scan_next(&mut self, scan: &mut Scan) -> Result<Option<Scanned<'_>>> {
        self.options.counters.count_read();
        let index = scan.place.1;
        if !self.sequence.load(index)? {
            return Ok(None);
        }
        if !scan.options.ignores_locks {
            self.sequence.check_record(index, scan.options.wait)?;
        }
        scan.place.1 += 1;
        (self.current, self.next) = (Some(index), index + 1);
        self.key = (index as u32).to_be_bytes();
        Ok(Some(Scanned { data: self.sequence.loaded(), key: &self.key }))
    }

    fn lock(&mut self, wait: Duration) -> Result<()> {
        self.sequence.lock_file(wait)
    }

    fn unlock(&mut self) -> Result<()> {
        if !self.sequence.is_locked() {
            return Err(FileError::new(FileErrorKind::FileState, "the file is not locked"));
        }
        self.sequence.unlock_file()
    }

    fn purge(&mut self) -> Result<()> {
        if !self.sequence.is_locked() {
            return Err(FileError::new(FileErrorKind::NotLocked, "the file is not locked"));
        }
        self.check_writable()?;
        self.release_lock();
        (self.current, self.next) = (None, 0);
        self.sequence.clear()
    }

    fn flush(&mut self) -> Result<()> {
        self.sequence.flush()
    }

    fn information(&mut self) -> Result<FileInformation> {
        Ok(FileInformation {
            name: self.options.name.clone(),
            path: self.sequence.path(),
            definition: self.definition.clone(),
            records: self.sequence.count()?,
            bytes: self.sequence.bytes(),
            modified: None,
            current_key: 0,
            current_index: self.current.and_then(|index| i64::try_from(index).ok()),
            has_extracted: self.extracted.is_some(),
            is_locked: self.sequence.is_locked(),
            is_read_only: self.options.is_read_only,
            was_purged: self.options.was_purged,
        })
    }
}
