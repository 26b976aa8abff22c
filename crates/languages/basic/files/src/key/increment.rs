//! Auto-increment segments (attributes `#`, `+`, `I`): the next value, and the record that has it.
//!
//! A record that is added with an empty segment (blanks, zeros or $00$ alone) gets the greatest value among the records with
//! the same segments before it, plus one. A segment with another value stays as it is.

use super::make::field_range;
use super::{AutoIncrement, KeyDefinition, KeyDefinitions, KeySegment, KeySource, SegmentField};
use crate::error::{FileError, FileErrorKind, Result};

/// The auto-increment segment of a file.
#[derive(Clone, Copy, Debug)]
pub struct Increment<'d> {
    /// The number of its key.
    pub key_number: usize,
    /// The key.
    pub key: &'d KeyDefinition,
    /// The place of the segment in the key.
    place: usize,
    /// How numbers are written.
    form: AutoIncrement,
}

impl KeyDefinitions {
    /// The auto-increment segment, if there is one.
    pub fn increment(&self) -> Option<Increment<'_>> {
        self.keys().iter().enumerate().find_map(|(key_number, key)| {
            let place = key.segments.iter().position(|segment| segment.attributes.increment.is_some())?;
            let form = key.segments[place].attributes.increment?;
            Some(Increment { key_number, key, place, form })
        })
    }
}

impl Increment<'_> {
    fn segment(&self) -> &KeySegment {
        &self.key.segments[self.place]
    }

    /// True if greater values come first.
    pub fn is_descending(&self) -> bool {
        self.segment().attributes.is_descending
    }

    /// True if a record leaves the value to the file.
    pub fn is_wanted(&self, source: &KeySource<'_>) -> bool {
        let only = KeyDefinition {
            name: None,
            segments: vec![KeySegment { attributes: Default::default(), ..self.segment().clone() }],
        };
        let mut bytes = Vec::new();
        only.make(source, &mut bytes);
        let is_empty = |byte: &u8| match self.form {
            AutoIncrement::Binary => *byte == 0,
            AutoIncrement::Blanks | AutoIncrement::Zeros => matches!(byte, 0 | b' ' | b'0'),
        };
        bytes.iter().all(is_empty)
    }

    /// The compared form of the segments before it.
    pub fn prefix(&self, source: &KeySource<'_>) -> Vec<u8> {
        let mut segments = self.key.segments[..self.place].to_vec();
        let mut prefix = Vec::new();
        // The last segment of a key is not filled up; these are not the last.
        segments.push(KeySegment::new(SegmentField::Field(u32::MAX), 1, 1));
        KeyDefinition { name: None, segments }.make(source, &mut prefix);
        prefix
    }

    /// The value in the compared form of a key.
    pub fn value_of(&self, compared: &[u8]) -> u64 {
        let mut shown = Vec::new();
        self.key.shown(compared, &mut shown);
        let start: usize = self.key.segments[..self.place].iter().map(|segment| segment.length as usize).sum();
        let end = start.saturating_add(self.segment().length as usize).min(shown.len());
        let bytes = shown.get(start..end).unwrap_or_default();
        match self.form {
            AutoIncrement::Binary => bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
            _ => std::str::from_utf8(bytes)
                .ok()
                .and_then(|text| text.trim_matches([' ', '\0']).parse().ok())
                .unwrap_or(0),
        }
    }

    /// Writes a value into a record.
    ///
    /// Errors: 2 when the segment has no room for it.
    pub fn write(&self, value: u64, separator: u8, record: &mut Vec<u8>) -> Result<()> {
        let segment = self.segment();
        let length = segment.length as usize;
        let text = match self.form {
            AutoIncrement::Blanks => format!("{value:>length$}").into_bytes(),
            AutoIncrement::Zeros => format!("{value:0>length$}").into_bytes(),
            AutoIncrement::Binary => {
                let bytes = value.to_be_bytes();
                let (unused, used) = bytes.split_at(bytes.len() - length.min(bytes.len()));
                if unused.iter().any(|byte| *byte != 0) { Vec::new() } else { used.to_vec() }
            }
        };
        if text.len() != length {
            return Err(FileError::new(FileErrorKind::FileFull, "the numbers of the auto-increment key are used up"));
        }
        let field = match segment.field {
            SegmentField::Field(number) => {
                let fields = record.iter().filter(|byte| **byte == separator).count() + 1;
                record.resize(record.len() + (number as usize).saturating_sub(fields), separator);
                field_range(record, separator, number).unwrap_or(record.len()..record.len())
            }
            SegmentField::Record | SegmentField::External => 0..record.len(),
        };
        let mut bytes = record[field.clone()].to_vec();
        let start = (segment.offset as usize).saturating_sub(1);
        if bytes.len() < start + length {
            bytes.resize(start + length, 0);
        }
        bytes[start..start + length].copy_from_slice(&text);
        record.splice(field, bytes);
        Ok(())
    }
}
