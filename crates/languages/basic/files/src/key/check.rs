//! Limits of key definitions, and combinations of attributes that exclude each other.
//!
//! Source: the manual's pages of KEYED (table of attributes, limits of keys) and of system limits.

use super::{AutoIncrement, KeyDefinition, KeyDefinitions, KeySegment, SegmentField};
use crate::error::{FileError, FileErrorKind, Result};

/// The highest field that a key is made of: what a record needs to have for an auto-increment segment is bounded by it.
const FIELDS: u32 = 32_767;

/// The limits of the keys of a kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLimits {
    /// How many keys.
    pub keys: usize,
    /// How many segments in all keys together.
    pub segments: usize,
    /// Bytes of a segment, and of an external key.
    pub segment_bytes: u32,
    /// Bytes of a key.
    pub key_bytes: u32,
    /// Offset and length of a segment together.
    pub end_of_segment: u32,
    /// True if `K` and `N` may stand together.
    pub allows_both_suppressions: bool,
}

impl KeyLimits {
    /// Files on disk: as many keys as the 64-bit format (EFF) has, lengths as in the other formats.
    pub const STORED: KeyLimits = KeyLimits {
        keys: 256,
        segments: 256,
        segment_bytes: 127,
        key_bytes: 240,
        end_of_segment: 3839,
        allows_both_suppressions: false,
    };

    /// `*MEMORY*`: bound by memory alone. Numbers bound what a hostile definition costs.
    pub const MEMORY: KeyLimits = KeyLimits {
        keys: 4096,
        segments: 65_536,
        segment_bytes: 1 << 24,
        key_bytes: 1 << 24,
        end_of_segment: 1 << 25,
        allows_both_suppressions: true,
    };
}

fn invalid(message: impl Into<String>) -> FileError {
    FileError::new(FileErrorKind::KeyDefinition, message)
}

impl KeyDefinitions {
    /// Checks the definition of a new file.
    ///
    /// Errors: 80 with the rule that is broken.
    pub fn check(&self, limits: &KeyLimits) -> Result<()> {
        if self.keys.is_empty() || self.keys[0].is_dropped() {
            return Err(invalid("a keyed file needs a primary key"));
        }
        if self.keys.len() > limits.keys {
            return Err(invalid(format!("a file has at most {} keys", limits.keys)));
        }
        let segments: usize = self.keys.iter().map(|key| key.segments.len()).sum();
        if segments > limits.segments {
            return Err(invalid(format!("the keys of a file have at most {} segments together", limits.segments)));
        }
        let increments = self.keys.iter().flat_map(|key| &key.segments);
        if increments.filter(|segment| segment.attributes.increment.is_some()).count() > 1 {
            return Err(invalid("a file has at most one auto-increment segment"));
        }
        for (number, key) in self.keys.iter().enumerate() {
            let place = |error: FileError| error.at(format_args!("key {number}"));
            self.check_key(number, key, limits).map_err(place)?;
        }
        self.check_names()
    }

    fn check_names(&self) -> Result<()> {
        let names: Vec<&str> = self.keys.iter().filter_map(|key| key.name.as_deref()).collect();
        let is_repeated =
            |place: usize, name: &str| names[..place].iter().any(|other| other.eq_ignore_ascii_case(name));
        match names.iter().enumerate().find(|(place, name)| is_repeated(*place, name)) {
            Some((_, name)) => Err(invalid(format!("two keys have the name {name}"))),
            None => Ok(()),
        }
    }

    fn check_key(&self, number: usize, key: &KeyDefinition, limits: &KeyLimits) -> Result<()> {
        if key.length() > limits.key_bytes {
            return Err(invalid(format!("a key has at most {} bytes", limits.key_bytes)));
        }
        let has_external = self.external_length().is_some();
        for segment in &key.segments {
            if segment.length > limits.segment_bytes {
                return Err(invalid(format!("a segment has at most {} bytes", limits.segment_bytes)));
            }
            if segment.offset.saturating_add(segment.length) > limits.end_of_segment {
                return Err(invalid(format!("offset and length together are at most {}", limits.end_of_segment)));
            }
            if segment.field == SegmentField::External && !has_external {
                return Err(invalid("KEY refers to an external key, which the file does not have"));
            }
            check_segment(segment, number == 0, limits)?;
        }
        Ok(())
    }
}

fn check_segment(segment: &KeySegment, is_primary: bool, limits: &KeyLimits) -> Result<()> {
    if segment.offset == 0 || segment.length == 0 {
        return Err(invalid("offset and length of a segment are at least 1"));
    }
    if matches!(segment.field, SegmentField::Field(field) if field > FIELDS) {
        return Err(invalid(format!("keys are made of the first {FIELDS} fields")));
    }
    let attributes = &segment.attributes;
    let suppresses = attributes.suppresses_key.is_some() || attributes.suppresses_segment.is_some();
    if suppresses && is_primary {
        return Err(invalid("attributes K and N cannot be used on the primary key"));
    }
    if suppresses && attributes.decimals.is_some() {
        return Err(invalid("attributes K and N cannot be used with B"));
    }
    let has_both = attributes.suppresses_key.is_some() && attributes.suppresses_segment.is_some();
    if has_both && !limits.allows_both_suppressions {
        return Err(invalid("attributes K and N exclude each other"));
    }
    let excluded = attributes.increment.is_some()
        || attributes.decimals.is_some()
        || attributes.letter_case.is_some()
        || attributes.is_descending
        || attributes.drops_accents
        || attributes.is_unique
        || attributes.ends_at_null;
    if attributes.is_signed && excluded {
        return Err(invalid("attribute - cannot be used with #, +, B, C, D, I, L, T, U and Z"));
    }
    let is_binary = attributes.increment == Some(AutoIncrement::Binary);
    if is_binary && (segment.field != SegmentField::Record || !matches!(segment.length, 1 | 2 | 4)) {
        return Err(invalid("attribute I needs field 0 and a length of 1, 2 or 4"));
    }
    if attributes.increment.is_some() && segment.field == SegmentField::External {
        return Err(invalid("an external key cannot be incremented"));
    }
    if attributes.increment.is_some() && !is_binary && segment.length > 18 {
        return Err(invalid("an auto-increment segment has at most 18 digits"));
    }
    Ok(())
}
