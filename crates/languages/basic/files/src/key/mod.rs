//! Keys: their definitions, and the keys that they make of a record.
//!
//! ```text
//!   parser     text of a key definition -> KeyDefinitions, diagnostics with places
//!   check      limits, and combinations of attributes that exclude each other
//!   make       record -> key of a definition; key of a program -> the form that is compared, and back
//!   number     numeric segments: text -> bytes in the order of the numbers, and back
//!   letters    tables of upper case, lower case and letters without accents
//!   increment  the next value of an auto-increment segment
//! ```
//!
//! **Two forms.** Programs see keys as the bytes of their segments one after the other. Storage compares another form, whose
//! byte order is the order of the key:
//!
//! ```text
//!   segment                 as programs see it             as storage compares it
//!   [1:1:5]                 "AB"                           41 42, and 00 00 00 if another segment follows
//!   [1:1:5:"D"]             "AB"                           BE BD FF FF FF
//!   [2:1:8:"B.2"]           "   12.50"                     01 80 00 .. 04 E2       marker, 16 bytes, sign inverted
//!   [0:9:2:"S"]             34 12                          12 34
//!   [0:9:2:"-"]             FF FE                          7F FE
//! ```
//!
//! The last segment of a key is not filled up, so that keys have the length that their records give them. Keys without
//! attributes have the same bytes in both forms.

mod check;
mod increment;
mod letters;
mod make;
mod number;
mod parser;

pub use check::KeyLimits;
pub use increment::Increment;
pub use letters::without_accent;
pub use make::{KeySource, field_range};
pub use parser::KeyDiagnostic;

use crate::error::{FileError, FileErrorKind, Result};
use std::fmt;

/// The keys of a file, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyDefinitions {
    keys: Vec<KeyDefinition>,
}

/// A key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyDefinition {
    /// The name for `KNO=name$`.
    pub name: Option<String>,
    /// The parts, most significant first. A key that was dropped has none.
    pub segments: Vec<KeySegment>,
}

/// A part of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySegment {
    /// The bytes that it is taken from.
    pub field: SegmentField,
    /// The place of its first byte, from 1.
    pub offset: u32,
    /// How many bytes.
    pub length: u32,
    /// Its attributes.
    pub attributes: SegmentAttributes,
}

/// Where a segment comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentField {
    /// `KEY`: the external key.
    External,
    /// `0`: the record as a whole.
    Record,
    /// A field, from 1.
    Field(u32),
}

/// A change of letter case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterCase {
    /// `C`.
    Upper,
    /// `L`.
    Lower,
}

/// How an auto-increment segment writes its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoIncrement {
    /// `#`: digits, blanks before them.
    Blanks,
    /// `+`: digits, zeros before them.
    Zeros,
    /// `I`: a binary number of 1, 2 or 4 bytes.
    Binary,
}

/// The attributes of a segment. Ascending (`A`) is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentAttributes {
    /// `D`: greatest first.
    pub is_descending: bool,
    /// `U`: no two records have the same key. Counts for the whole key.
    pub is_unique: bool,
    /// `C` or `L`.
    pub letter_case: Option<LetterCase>,
    /// `T`: letters without accents.
    pub drops_accents: bool,
    /// `B.n`: a number with so many decimals; further ones are cut off.
    pub decimals: Option<u8>,
    /// `-`: a signed binary number.
    pub is_signed: bool,
    /// `S`: bytes in reverse order.
    pub is_swapped: bool,
    /// `Z`: the value ends before the first $00$.
    pub ends_at_null: bool,
    /// `K:n`: a record whose key consists of this byte alone is not in the key's order.
    pub suppresses_key: Option<u8>,
    /// `N:n`: a record in whose key this segment consists of this byte alone is not in the key's order.
    pub suppresses_segment: Option<u8>,
    /// `#`, `+` or `I`.
    pub increment: Option<AutoIncrement>,
}

impl KeySegment {
    /// A segment without attributes.
    pub fn new(field: SegmentField, offset: u32, length: u32) -> KeySegment {
        KeySegment { field, offset, length, attributes: SegmentAttributes::default() }
    }
}

impl KeyDefinition {
    /// True if no two records may have the same key. The primary key is unique whatever this says.
    pub fn is_unique(&self) -> bool {
        self.segments.iter().any(|segment| segment.attributes.is_unique)
    }

    /// True if it was dropped.
    pub fn is_dropped(&self) -> bool {
        self.segments.is_empty()
    }

    /// The greatest length as programs see it.
    pub fn length(&self) -> u32 {
        self.segments.iter().fold(0, |sum, segment| sum.saturating_add(segment.length))
    }
}

impl KeyDefinitions {
    /// These keys; the first one is the primary key.
    pub fn new(keys: Vec<KeyDefinition>) -> KeyDefinitions {
        KeyDefinitions { keys }
    }

    /// An external key of this length.
    pub fn external(length: u32) -> KeyDefinitions {
        let segments = vec![KeySegment::new(SegmentField::External, 1, length)];
        KeyDefinitions { keys: vec![KeyDefinition { name: None, segments }] }
    }

    /// Reads a definition such as `6,[2:1:8:"U"],["name":3:1:30]+[1:1:6]`.
    ///
    /// Errors: 80 with the first thing that is wrong, and its place.
    pub fn parse(text: &str) -> Result<KeyDefinitions> {
        let (keys, diagnostics) = KeyDefinitions::parse_all(text);
        match diagnostics.first() {
            None => Ok(keys),
            Some(first) => {
                let message = format!("{} (at character {} of the key definition)", first.message, first.start + 1);
                Err(FileError::new(FileErrorKind::KeyDefinition, message))
            }
        }
    }

    /// Reads a definition, and says everything that is wrong with it.
    pub fn parse_all(text: &str) -> (KeyDefinitions, Vec<KeyDiagnostic>) {
        parser::parse(text)
    }

    /// The keys by number.
    pub fn keys(&self) -> &[KeyDefinition] {
        &self.keys
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// A key by its number.
    ///
    /// Errors: 80.
    pub fn key(&self, number: usize) -> Result<&KeyDefinition> {
        self.keys.get(number).filter(|key| !key.is_dropped()).ok_or_else(|| {
            FileError::new(FileErrorKind::KeyDefinition, format!("the file has no key with the number {number}"))
        })
    }

    /// The number of a key by its name. Case does not count.
    ///
    /// Errors: 80.
    pub fn number_of(&self, name: &str) -> Result<usize> {
        let has_name = |key: &KeyDefinition| key.name.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(name));
        self.keys.iter().position(|key| !key.is_dropped() && has_name(key)).ok_or_else(|| {
            FileError::new(FileErrorKind::KeyDefinition, format!("the file has no key with the name {name}"))
        })
    }

    /// The length of the external key; `None` when the primary key is made of the record.
    pub fn external_length(&self) -> Option<u32> {
        let segment = self.keys.first()?.segments.first()?;
        (segment.field == SegmentField::External).then_some(segment.length)
    }

    /// True if a key of this number may be of one record only.
    pub fn is_unique(&self, number: usize) -> bool {
        number == 0 || self.keys.get(number).is_some_and(KeyDefinition::is_unique)
    }

    /// Joins the parts of `KEY=a:b:c`: each but the last one is filled with $00$ to the length of its segment.
    ///
    /// Errors: 80.
    pub fn join(&self, number: usize, parts: &[&[u8]]) -> Result<Vec<u8>> {
        let key = self.key(number)?;
        let mut joined = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            let start = joined.len();
            joined.extend_from_slice(part);
            if let (Some(segment), true) = (key.segments.get(place), place + 1 < parts.len()) {
                joined.resize(start + segment.length as usize, 0);
            }
        }
        Ok(joined)
    }

    /// Adds a key: its number. The lowest number of a key that was dropped is used again.
    pub fn add(&mut self, key: KeyDefinition) -> usize {
        match self.keys.iter().position(KeyDefinition::is_dropped) {
            Some(number) => {
                self.keys[number] = key;
                number
            }
            None => {
                self.keys.push(key);
                self.keys.len() - 1
            }
        }
    }

    /// Takes a key out. Numbers of others stay.
    pub fn remove(&mut self, number: usize) {
        if let Some(key) = self.keys.get_mut(number) {
            *key = KeyDefinition::default();
        }
    }
}

/// As [`KeyDefinitions::parse`] reads it.
impl fmt::Display for KeyDefinitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, key) in self.keys.iter().enumerate() {
            if number > 0 {
                f.write_str(",")?;
            }
            match self.external_length().filter(|_| number == 0) {
                Some(length) if key.name.is_none() => write!(f, "{length}")?,
                _ => write!(f, "{key}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for KeyDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_dropped() {
            return f.write_str("[]");
        }
        for (place, segment) in self.segments.iter().enumerate() {
            f.write_str(if place > 0 { "+[" } else { "[" })?;
            if let Some(name) = self.name.as_deref().filter(|_| place == 0) {
                write!(f, "\"{}\":", name.replace('"', "\"\""))?;
            }
            match segment.field {
                SegmentField::External => f.write_str("KEY")?,
                SegmentField::Record => f.write_str("0")?,
                SegmentField::Field(number) => write!(f, "{number}")?,
            }
            write!(f, ":{}:{}", segment.offset, segment.length)?;
            let attributes = segment.attributes.to_string();
            if !attributes.is_empty() {
                write!(f, ":\"{attributes}\"")?;
            }
            f.write_str("]")?;
        }
        Ok(())
    }
}

impl fmt::Display for SegmentAttributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.increment {
            Some(AutoIncrement::Blanks) => f.write_str("#")?,
            Some(AutoIncrement::Zeros) => f.write_str("+")?,
            Some(AutoIncrement::Binary) => f.write_str("I")?,
            None => {}
        }
        match self.decimals {
            Some(0) => f.write_str("B")?,
            Some(decimals) => write!(f, "B.{decimals}")?,
            None => {}
        }
        match self.letter_case {
            Some(LetterCase::Upper) => f.write_str("C")?,
            Some(LetterCase::Lower) => f.write_str("L")?,
            None => {}
        }
        let flags = [
            (self.is_signed, "-"),
            (self.is_descending, "D"),
            (self.is_swapped, "S"),
            (self.drops_accents, "T"),
            (self.is_unique, "U"),
            (self.ends_at_null, "Z"),
        ];
        flags.iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, letter)| f.write_str(letter))?;
        for (letter, byte) in [("K", self.suppresses_key), ("N", self.suppresses_segment)] {
            match byte {
                Some(0) => f.write_str(letter)?,
                Some(byte) => write!(f, "{letter}:{byte:02X}")?,
                None => {}
            }
        }
        Ok(())
    }
}
