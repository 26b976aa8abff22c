//! `*MEMORY*` without a key definition: a queue of records whose first WRITE decides how it is used.
//!
//! ```text
//!   WRITE IND=, or neither      a list: records are inserted before the index, or at the end
//!   WRITE KEY=                  records with an external key of up to 8,192 bytes
//! ```
//!
//! Before that there is nothing to read: error 2, and error 11 for a key.

use super::MemoryStorage;
use crate::error::{FileError, FileErrorKind, Result, end_of_file, record_missing};
use crate::file::{KeyFunction, RecordFile, RecordReference, Scan, Scanned};
use crate::information::{Counters, FileInformation};
use crate::key::{KeyDefinitions, KeyLimits};
use crate::keyed::{ChannelOptions, KeyedFile};
use crate::options::{
    FileDefinition, FileKind, Order, Place, ReadOptions, RecordFormat, ScanRange, WriteMode, WriteOptions,
};
use crate::sequence::{RecordSequence, SequenceFile};
use crate::tree::CountedTree;
use std::sync::Arc;
use std::time::Duration;

/// The longest key of a memory file without a key definition.
const KEY_BYTES: u32 = 8192;

/// The record size without `BSZ=`.
const RECORD_BYTES: u32 = 1024;

/// The name of memory files, before the options.
const NAME: &str = "*MEMORY*";

/// A channel on `*MEMORY*`. See the module.
pub struct MemoryQueue {
    usage: Usage,
    definition: FileDefinition,
    name: String,
    counters: Arc<Counters>,
}

enum Usage {
    Undecided,
    List(Box<SequenceFile<MemoryList>>),
    Keyed(Box<KeyedFile<MemoryStorage>>),
}

/// The key definition of a name of a memory file: `None` for other names, an empty text without `KEYDEF=`.
///
/// Errors: 32 for an option that is not known.
fn key_definition(name: &str) -> Option<Result<&str>> {
    let start = name.get(..NAME.len()).filter(|start| start.eq_ignore_ascii_case(NAME))?;
    let rest = name[start.len()..].trim();
    if rest.is_empty() {
        return Some(Ok(""));
    }
    let option = rest.strip_prefix(';').map(str::trim_start);
    let value = option.and_then(|option| {
        let name = option.get(..6).filter(|name| name.eq_ignore_ascii_case("KEYDEF"))?;
        option[name.len()..].trim_start().strip_prefix('=')
    });
    let unknown = || FileError::new(FileErrorKind::InvalidOption, format!("{rest} is not an option of {NAME}"));
    Some(value.map(str::trim).filter(|value| !value.is_empty()).ok_or_else(unknown))
}

impl MemoryQueue {
    /// Opens a memory file; `None` for a name that is not a memory file's.
    ///
    /// Errors: 32, 80.
    pub fn open(
        name: &str,
        record_size: Option<u32>,
        separator: Option<u8>,
        counters: &Arc<Counters>,
    ) -> Option<Result<Box<dyn RecordFile>>> {
        Some(key_definition(name)?.and_then(|keys| {
            let format = RecordFormat::Variable(record_size.unwrap_or(RECORD_BYTES));
            let mut definition = FileDefinition::new(FileKind::MemoryQueue, KeyDefinitions::default(), format);
            definition.separator = separator.unwrap_or(definition.separator);
            if keys.is_empty() {
                let (name, counters) = (name.to_owned(), Arc::clone(counters));
                return Ok(Box::new(MemoryQueue { usage: Usage::Undecided, definition, name, counters })
                    as Box<dyn RecordFile>);
            }
            definition.kind = FileKind::MemoryKeyed;
            definition.keys = KeyDefinitions::parse(keys)?;
            definition.keys.check(&KeyLimits::MEMORY)?;
            let storage = MemoryStorage::new(&definition.keys);
            Ok(Box::new(KeyedFile::new(storage, definition, channel(name, counters))) as Box<dyn RecordFile>)
        }))
    }

    fn file(&mut self) -> Option<&mut dyn RecordFile> {
        match &mut self.usage {
            Usage::Undecided => None,
            Usage::List(list) => Some(list.as_mut()),
            Usage::Keyed(keyed) => Some(keyed.as_mut()),
        }
    }

    /// Decides how the queue is used.
    fn decide(&mut self, is_keyed: bool) {
        let options = channel(&self.name, &self.counters);
        if is_keyed {
            self.definition.keys = KeyDefinitions::external(KEY_BYTES);
            let storage = MemoryStorage::new(&self.definition.keys);
            self.usage = Usage::Keyed(Box::new(KeyedFile::new(storage, self.definition.clone(), options)));
        } else {
            let list = SequenceFile::new(MemoryList::default(), self.definition.clone(), options);
            self.usage = Usage::List(Box::new(list));
        }
    }
}

fn channel(name: &str, counters: &Arc<Counters>) -> ChannelOptions {
    ChannelOptions { name: name.to_owned(), is_read_only: false, was_purged: false, counters: Arc::clone(counters) }
}

impl RecordFile for MemoryQueue {
    fn definition(&self) -> &FileDefinition {
        &self.definition
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn current_key(&self) -> usize {
        0
    }

    #[inline]
    fn read(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<&[u8]> {
        match &mut self.usage {
            Usage::List(list) => list.read(place, options),
            Usage::Keyed(keyed) => keyed.read(place, options),
            Usage::Undecided => {
                self.counters.count_read();
                Err(if let Place::Key(_) = place { record_missing("this key") } else { end_of_file() })
            }
        }
    }

    fn write(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        if let Usage::Undecided = self.usage {
            self.decide(options.key.is_some());
        }
        match self.file() {
            Some(file) => file.write(data, options),
            None => Ok(()),
        }
    }

    fn remove(&mut self, key: Option<&[u8]>, index: Option<i64>, wait: Duration) -> Result<()> {
        match self.file() {
            Some(file) => file.remove(key, index, wait),
            None => Err(record_missing("this key")),
        }
    }

    fn release(&mut self) -> Result<()> {
        self.file().map_or(Ok(()), |file| file.release())
    }

    fn key(&mut self, function: KeyFunction<'_>, key_number: Option<usize>) -> Result<Vec<u8>> {
        self.file().map_or_else(|| Err(end_of_file()), |file| file.key(function, key_number))
    }

    fn record_number(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<u64> {
        self.file().map_or_else(|| Err(end_of_file()), |file| file.record_number(record, key_number))
    }

    fn record_index(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<i64> {
        self.file().map_or_else(|| Err(end_of_file()), |file| file.record_index(record, key_number))
    }

    fn scan(&mut self, range: &ScanRange<'_>) -> Result<Scan> {
        let options = ReadOptions::default();
        let empty = Scan { order: Order::Physical, options, place: (Vec::new(), 0), end: None, end_is_prefix: false };
        self.file().map_or(Ok(empty), |file| file.scan(range))
    }

    fn scan_next(&mut self, scan: &mut Scan) -> Result<Option<Scanned<'_>>> {
        match &mut self.usage {
            Usage::List(list) => list.scan_next(scan),
            Usage::Keyed(keyed) => keyed.scan_next(scan),
            Usage::Undecided => Ok(None),
        }
    }

    fn lock(&mut self, _wait: Duration) -> Result<()> {
        Ok(())
    }

    fn unlock(&mut self) -> Result<()> {
        Ok(())
    }

    fn purge(&mut self) -> Result<()> {
        self.file().map_or(Ok(()), |file| file.purge())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn memory_bytes(&self) -> u64 {
        match &self.usage {
            Usage::Undecided => 0,
            Usage::List(list) => list.memory_bytes(),
            Usage::Keyed(keyed) => keyed.memory_bytes(),
        }
    }

    fn information(&mut self) -> Result<FileInformation> {
        if let Some(file) = self.file() {
            return file.information();
        }
        Ok(FileInformation {
            name: self.name.clone(),
            path: String::new(),
            definition: self.definition.clone(),
            records: 0,
            bytes: 0,
            modified: None,
            current_key: 0,
            current_index: None,
            has_extracted: false,
            is_locked: true,
            is_read_only: false,
            was_purged: false,
        })
    }
}

/// Records of a list.
#[derive(Debug, Default)]
struct MemoryList {
    records: CountedTree<Vec<u8>>,
    loaded: u64,
    bytes: u64,
}

impl RecordSequence for MemoryList {
    fn count(&mut self) -> Result<u64> {
        Ok(self.records.len() as u64)
    }

    #[inline]
    fn load(&mut self, index: u64) -> Result<bool> {
        self.loaded = index;
        Ok(index < self.records.len() as u64)
    }

    #[inline]
    fn loaded(&self) -> &[u8] {
        self.records.get(self.loaded as usize).map(Vec::as_slice).unwrap_or_default()
    }

    fn put(&mut self, index: Option<u64>, _next: u64, data: &[u8], mode: WriteMode) -> Result<u64> {
        if self.bytes + data.len() as u64 > MemoryStorage::LIMIT {
            let message = format!("records in memory take at most {} bytes", MemoryStorage::LIMIT);
            return Err(FileError::new(FileErrorKind::OutOfMemory, message));
        }
        let count = self.records.len() as u64;
        if mode == WriteMode::Existing {
            let index = index.unwrap_or(count);
            let record = self.records.get_mut(index as usize).filter(|_| index < count);
            let record = record.ok_or_else(|| record_missing(format_args!("the index {index}")))?;
            self.bytes = self.bytes - record.len() as u64 + data.len() as u64;
            record.clear();
            record.extend_from_slice(data);
            return Ok(index);
        }
        let index = index.unwrap_or(count).min(count);
        self.records.insert(index as usize, data.to_vec());
        self.bytes += data.len() as u64;
        Ok(index)
    }

    fn remove(&mut self, index: u64) -> Result<()> {
        let removed = self.records.remove(usize::try_from(index).unwrap_or(usize::MAX));
        let removed = removed.ok_or_else(|| record_missing(format_args!("the index {index}")))?;
        self.bytes -= removed.len() as u64;
        Ok(())
    }

    fn clear(&mut self) -> Result<()> {
        self.records.clear();
        self.bytes = 0;
        Ok(())
    }

    fn is_locked(&self) -> bool {
        true
    }

    fn bytes(&mut self) -> u64 {
        self.bytes
    }

    fn memory_bytes(&self) -> u64 {
        // A record is a string in a leaf that is half full at least.
        self.bytes + self.records.len() as u64 * 72
    }
}
