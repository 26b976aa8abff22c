//! WRITE, INSERT, UPDATE and REMOVE, and the keys of a record that is written.

use super::{KeyedFile, shown};
use crate::error::{FileError, FileErrorKind, Result, record_missing};
use crate::key::{KeySource, field_range};
use crate::options::{FileKind, WriteMode, WriteOptions};
use crate::storage::{KeyedStorage, Stored};
use std::ops::Range;
use std::time::Duration;

impl<S: KeyedStorage> KeyedFile<S> {
    pub(super) fn write_record(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        self.check_writable()?;
        let external = self.external_key(options)?;
        let mut record = std::mem::take(&mut self.record);
        let mut keys = std::mem::take(&mut self.keys);
        record.clear();
        record.extend_from_slice(data);
        let outcome = self.store(&mut record, &mut keys, &external, options);
        (self.record, self.keys) = (record, keys);
        let id = outcome?;
        if options.keeps_lock {
            if self.extracted != Some(id) {
                self.release_lock();
                self.storage.lock_record(id, options.wait)?;
            }
            self.extracted = Some(id);
        } else {
            self.release_lock();
        }
        self.settle_written(id);
        Ok(())
    }

    fn check_writable(&self) -> Result<()> {
        match self.is_read_only {
            true => Err(FileError::new(FileErrorKind::AccessMode, "the file is opened for reading only")),
            false => Ok(()),
        }
    }

    /// The external key of a record that is written; empty for files whose primary key is made of the record.
    fn external_key(&mut self, options: &WriteOptions<'_>) -> Result<Vec<u8>> {
        let invalid = |message: &str| Err(FileError::new(FileErrorKind::KeyDefinition, message));
        if options.index.is_some() && options.mode != WriteMode::Existing {
            let message = "IND= cannot add a record to a file with keys";
            return Err(FileError::new(FileErrorKind::InvalidOption, message));
        }
        let Some(length) = self.definition.keys.external_length() else {
            return if options.key.is_some() {
                invalid("KEY= is given, and the key is part of the record")
            } else {
                Ok(Vec::new())
            };
        };
        let rewritten = match (options.key, options.index) {
            (Some(key), _) if key.len() > length as usize => {
                let message = format!("the key {} has more than {length} bytes", shown(key));
                return Err(FileError::new(FileErrorKind::InvalidLength, message));
            }
            (Some(key), _) => return Ok(key.to_vec()),
            (None, Some(index)) => self.find_index(index).map(|()| true)?,
            (None, None) => match self.extracted {
                Some(id) => self.storage.by_id(id)?,
                None => false,
            },
        };
        if !rewritten {
            return invalid("KEY= is missing, and no record is extracted");
        }
        let mut external = Vec::new();
        self.definition.keys.key(0)?.shown(self.storage.loaded().primary, &mut external);
        Ok(external)
    }

    /// Stores a record: its identifier.
    fn store(
        &mut self,
        record: &mut Vec<u8>,
        keys: &mut Vec<Option<Vec<u8>>>,
        external: &[u8],
        options: &WriteOptions<'_>,
    ) -> Result<u64> {
        if self.definition.kind == FileKind::Sort {
            record.clear();
        }
        self.increment(record, external, options)?;
        keys.resize(self.definition.keys.keys().len(), None);
        self.make_keys(0..1, record, external, keys);
        let primary = keys[0].as_deref().unwrap_or_default();
        let exists = self.storage.exactly(0, primary)?;
        if exists && options.mode == WriteMode::New {
            let message = "a record with this key is there already";
            return Err(FileError::new(FileErrorKind::DuplicateKey, message));
        }
        if !exists && options.mode == WriteMode::Existing {
            return Err(record_missing("this key"));
        }
        if exists && self.definition.keeps_further_fields {
            keep_further_fields(self.storage.loaded().data, record, self.definition.separator);
        }
        self.definition.check_length(record)?;
        self.make_keys(1..keys.len(), record, external, keys);
        if !exists {
            if self.definition.max_records.is_some_and(|most| self.storage.count().is_ok_and(|count| count >= most)) {
                return Err(FileError::new(FileErrorKind::FileFull, "the file has as many records as it may have"));
            }
            let id = self.storage.insert(&Stored { data: record, keys }, None)?;
            self.counters.count_block_write();
            return Ok(id);
        }
        let id = self.storage.loaded().id;
        if self.extracted != Some(id) {
            self.check_record(id, options.wait)?;
        }
        self.storage.replace(id, &Stored { data: record, keys })?;
        self.counters.count_block_write();
        Ok(id)
    }

    /// Gives the auto-increment segment of a new record its value.
    fn increment(&mut self, record: &mut Vec<u8>, external: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        let Some(increment) = self.definition.keys.increment() else { return Ok(()) };
        let separator = self.definition.separator;
        let source = KeySource { record, external, separator };
        if options.mode == WriteMode::Existing || !increment.is_wanted(&source) {
            return Ok(());
        }
        let prefix = increment.prefix(&source);
        let number = increment.key_number;
        let found = match increment.is_descending() {
            true => self.storage.after(number, &prefix, 0)?,
            false => {
                let mut end = prefix.clone();
                end.resize(end.len() + increment.key.length() as usize + 1, 0xFF);
                self.storage.before(number, Some((&end, u64::MAX)))?
            }
        };
        let last = found.then(|| self.storage.loaded().key).filter(|key| key.starts_with(&prefix));
        let value = last.map_or(0, |key| increment.value_of(key)).saturating_add(1);
        increment.write(value, separator, record)
    }

    /// Makes the keys of these numbers.
    fn make_keys(&self, numbers: Range<usize>, record: &[u8], external: &[u8], keys: &mut [Option<Vec<u8>>]) {
        for number in numbers {
            self.definition.make_key(number, record, external, &mut keys[number]);
        }
    }

    /// The record that was written is the current one, if it is in the current order.
    fn settle_written(&mut self, id: u64) {
        let Some(Some(key)) = self.keys.get(self.current_key) else { return };
        let spot = &mut self.spot;
        (spot.order, spot.id, spot.current) = (self.current_key, id, Some(id));
        (spot.is_sought, spot.stays) = (false, self.extracted.is_some());
        spot.key.clear();
        spot.key.extend_from_slice(key);
    }

    pub(super) fn remove_record(&mut self, key: Option<&[u8]>, index: Option<i64>, wait: Duration) -> Result<()> {
        self.check_writable()?;
        match (key, index, self.spot.current) {
            (Some(key), _, _) => self.load_primary(key)?,
            (None, Some(index), _) => self.find_index(index)?,
            (None, None, Some(id)) if self.storage.by_id(id)? => {}
            (None, None, Some(_)) => return Err(super::removed()),
            (None, None, None) => return Err(record_missing("no key, and no record was read")),
        }
        let id = self.storage.loaded().id;
        if self.extracted != Some(id) {
            self.release_lock();
            self.check_record(id, wait)?;
        }
        let is_in_order = self.key_of_loaded(self.current_key)?;
        self.storage.delete(id)?;
        self.counters.count_block_write();
        self.release_lock();
        let spot = &mut self.spot;
        spot.stays = false;
        if is_in_order {
            (spot.order, spot.id, spot.current, spot.is_sought) = (self.current_key, id, None, false);
            spot.key.clear();
            spot.key.extend_from_slice(&self.scratch);
        } else if spot.current == Some(id) {
            spot.current = None;
        }
        Ok(())
    }

    /// Loads the record with a primary key.
    pub(super) fn load_primary(&mut self, key: &[u8]) -> Result<()> {
        let mut compared = Vec::new();
        self.definition.keys.key(0)?.compared(key, &mut compared);
        self.definition.strip_key(0, &mut compared);
        if self.storage.exactly(0, &compared)? {
            Ok(())
        } else {
            Err(record_missing(format_args!("the key {}", shown(key))))
        }
    }
}

/// Appends the fields that the record before has and the new one does not (OPT="U").
fn keep_further_fields(before: &[u8], record: &mut Vec<u8>, separator: u8) {
    let is_ended = record.last() == Some(&separator);
    let separators = record.iter().filter(|byte| **byte == separator).count();
    let fields = separators + usize::from(!is_ended && !record.is_empty());
    if let Some(rest) = field_range(before, separator, fields as u32 + 1).filter(|rest| rest.start < before.len()) {
        if !is_ended && !record.is_empty() {
            record.push(separator);
        }
        record.extend_from_slice(&before[rest.start..]);
    }
}
