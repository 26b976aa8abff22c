//! The rules that a file's definition has for a record: its length, its filling, its keys.
//!
//! They are the same for records that programs write and for those that other doors change.

use crate::error::{FileError, FileErrorKind, Result};
use crate::key::KeySource;
use crate::options::{FileDefinition, RecordFormat};

impl FileDefinition {
    /// Checks the length of a record, and fills it up to a fixed one.
    ///
    /// Errors: 1.
    pub fn check_length(&self, record: &mut Vec<u8>) -> Result<()> {
        let limit = self.format.limit() as usize;
        if record.len() > limit && !self.is_extended {
            let message = format!("the record has {} bytes, and the file allows {limit}", record.len());
            return Err(FileError::new(FileErrorKind::RecordTooLong, message));
        }
        if let RecordFormat::Fixed(_) = self.format {
            record.resize(limit.max(record.len()), 0);
        }
        Ok(())
    }

    /// Makes the compared key of a record, in the buffer that is there if there is one; `None` when the record is not in the order of
    /// the key, and for a key that was dropped.
    pub fn make_key(&self, number: usize, record: &[u8], external: &[u8], out: &mut Option<Vec<u8>>) {
        let mut key = out.take().unwrap_or_default();
        key.clear();
        let Some(definition) = self.keys.keys().get(number) else { return };
        let source = KeySource { record, external, separator: self.separator };
        if !definition.is_dropped() && definition.make(&source, &mut key) {
            self.strip_key(number, &mut key);
            *out = Some(key);
        }
    }

    /// Removes $00$ from the end of a compared key, where the file says so (OPT="N").
    pub fn strip_key(&self, number: usize, compared: &mut Vec<u8>) {
        let last = self.keys.keys().get(number).and_then(|key| key.segments.last());
        let is_plain =
            last.is_some_and(|segment| !segment.attributes.is_descending && segment.attributes.decimals.is_none());
        if self.strips_null_keys && is_plain {
            let filled = compared.iter().rev().take_while(|byte| **byte == 0).count();
            compared.truncate(compared.len() - filled);
        }
    }
}
