//! The keys that a definition makes of a record, and the two forms of a key.
//!
//! Every segment but the last one has a fixed width in both forms, so that either can be taken apart again.

use super::letters::{lower, upper, without_accent};
use super::{KeyDefinition, KeySegment, LetterCase, SegmentField, number};
use std::ops::Range;

/// The bytes that keys are made of.
#[derive(Clone, Copy, Debug)]
pub struct KeySource<'a> {
    /// The record.
    pub record: &'a [u8],
    /// The external key, where there is one.
    pub external: &'a [u8],
    /// The separator of fields.
    pub separator: u8,
}

/// Where a field is in a record: numbers count from 1. `None` behind the last field.
pub fn field_range(record: &[u8], separator: u8, number: u32) -> Option<Range<usize>> {
    let mut start = 0;
    for _ in 1..number {
        start += record[start..].iter().position(|byte| *byte == separator)? + 1;
    }
    let length = record[start..].iter().position(|byte| *byte == separator).unwrap_or(record.len() - start);
    Some(start..start + length)
}

impl KeySource<'_> {
    /// The bytes of a segment as they are in the record, without filling.
    fn bytes(&self, segment: &KeySegment) -> &[u8] {
        let whole = match segment.field {
            SegmentField::External => self.external,
            SegmentField::Record => self.record,
            SegmentField::Field(number) => {
                field_range(self.record, self.separator, number).map_or(&[][..], |range| &self.record[range])
            }
        };
        let start = (segment.offset as usize).saturating_sub(1).min(whole.len());
        let end = start.saturating_add(segment.length as usize).min(whole.len());
        let bytes = &whole[start..end];
        match segment.attributes.ends_at_null {
            true => &bytes[..bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len())],
            false => bytes,
        }
    }
}

impl KeyDefinition {
    /// True if the compared form is the one that programs see.
    pub fn is_plain(&self) -> bool {
        self.segments.iter().all(|segment| {
            let attributes = &segment.attributes;
            let is_kept = attributes.decimals.is_none() && !attributes.is_descending;
            is_kept && !attributes.is_swapped && !attributes.is_signed
        })
    }

    /// Appends the compared form of a record's key; `false` (and nothing appended) when the record is not in the key's order.
    pub fn make(&self, source: &KeySource<'_>, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        if self.is_suppressed(source) {
            return false;
        }
        for (place, segment) in self.segments.iter().enumerate() {
            let is_last = place + 1 == self.segments.len();
            append_segment(segment, source.bytes(segment), is_last, out);
        }
        debug_assert!(out.len() >= before);
        true
    }

    fn is_suppressed(&self, source: &KeySource<'_>) -> bool {
        let consists_of = |segment: &KeySegment, byte: u8| source.bytes(segment).iter().all(|other| *other == byte);
        let mut suppressed_keys = self.segments.iter().filter_map(|segment| segment.attributes.suppresses_key);
        let by_segment =
            |segment: &KeySegment| segment.attributes.suppresses_segment.is_some_and(|byte| consists_of(segment, byte));
        // `K` on any segment is about the whole key.
        let by_key = |byte: u8| self.segments.iter().all(|segment| consists_of(segment, byte));
        self.segments.iter().any(by_segment) || suppressed_keys.any(by_key)
    }

    /// Appends the compared form of a key that a program gives to find a record with exactly this key.
    pub fn compared(&self, key: &[u8], out: &mut Vec<u8>) {
        self.convert(key, true, out);
    }

    /// Appends the compared form of a bound of a range: a part of a key stands for all keys that begin with it.
    pub fn bound(&self, key: &[u8], out: &mut Vec<u8>) {
        self.convert(key, false, out);
    }

    fn convert(&self, mut key: &[u8], is_whole: bool, out: &mut Vec<u8>) {
        for (place, segment) in self.segments.iter().enumerate() {
            if key.is_empty() {
                return;
            }
            let is_last = place + 1 == self.segments.len();
            let width = if is_last { key.len() } else { (segment.length as usize).min(key.len()) };
            let (part, rest) = key.split_at(width);
            key = rest;
            let is_cut = rest.is_empty() && !is_whole && part.len() < segment.length as usize;
            if segment.attributes.decimals.is_some() && part.iter().all(|byte| matches!(byte, 0 | b' ')) {
                number::append_none(out);
            } else if is_cut {
                segment.append_start(part, out);
            } else {
                append_segment(segment, part, is_last || rest.is_empty(), out);
            }
        }
    }

    /// Appends the form of a key that programs see.
    pub fn shown(&self, compared: &[u8], out: &mut Vec<u8>) {
        if self.is_plain() {
            out.extend_from_slice(compared);
            return;
        }
        let mut rest = compared;
        for (place, segment) in self.segments.iter().enumerate() {
            let is_last = place + 1 == self.segments.len();
            let width = match segment.attributes.decimals {
                Some(_) => number::BYTES.min(rest.len()),
                None if is_last => rest.len(),
                None => (segment.length as usize).min(rest.len()),
            };
            let (part, behind) = rest.split_at(width);
            rest = behind;
            append_shown(segment, part, is_last, out);
        }
    }
}

/// Appends a segment of a record or of a whole key.
fn append_segment(segment: &KeySegment, bytes: &[u8], is_last: bool, out: &mut Vec<u8>) {
    let attributes = &segment.attributes;
    let start = out.len();
    match attributes.decimals {
        Some(decimals) => number::append(bytes, decimals, out),
        None => {
            append_letters(segment, bytes, out);
            let has_fixed_width = attributes.is_descending || attributes.is_swapped || attributes.is_signed;
            if (!is_last || has_fixed_width) && bytes.len() < segment.length as usize {
                out.resize(start + segment.length as usize, 0);
            }
        }
    }
    let written = &mut out[start..];
    if attributes.is_swapped && attributes.decimals.is_none() {
        written.reverse();
    }
    if attributes.is_signed
        && let Some(first) = written.first_mut()
    {
        *first ^= 0x80;
    }
    if attributes.is_descending {
        written.iter_mut().for_each(|byte| *byte = !*byte);
    }
}

impl KeySegment {
    /// True if keys begin with the bytes that the segment begins with, in the form of [`KeySegment::append_start`].
    pub fn has_start(&self) -> bool {
        self.attributes.decimals.is_none() && !self.attributes.is_swapped && !self.attributes.is_signed
    }

    /// Appends the beginning of the segment as it is compared, for a bound.
    pub fn append_start(&self, bytes: &[u8], out: &mut Vec<u8>) {
        if !self.has_start() {
            append_segment(self, bytes, true, out);
            return;
        }
        let start = out.len();
        append_letters(self, bytes, out);
        if self.attributes.is_descending {
            out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}

/// Appends bytes with their letters as the attributes want them.
fn append_letters(segment: &KeySegment, bytes: &[u8], out: &mut Vec<u8>) {
    let attributes = &segment.attributes;
    if attributes.letter_case.is_none() && !attributes.drops_accents {
        out.extend_from_slice(bytes);
        return;
    }
    let convert = |byte: u8| {
        let byte = if attributes.drops_accents { without_accent(byte) } else { byte };
        match attributes.letter_case {
            Some(LetterCase::Upper) => upper(byte),
            Some(LetterCase::Lower) => lower(byte),
            None => byte,
        }
    };
    out.extend(bytes.iter().map(|byte| convert(*byte)));
}

/// Appends a segment as programs see it.
fn append_shown(segment: &KeySegment, part: &[u8], is_last: bool, out: &mut Vec<u8>) {
    let attributes = &segment.attributes;
    let start = out.len();
    let mut bytes = part.to_vec();
    if attributes.is_descending {
        bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
    if let Some(decimals) = attributes.decimals {
        number::append_text(&bytes, decimals, segment.length as usize, out);
        return;
    }
    if attributes.is_signed
        && let Some(first) = bytes.first_mut()
    {
        *first ^= 0x80;
    }
    if attributes.is_swapped {
        bytes.reverse();
    }
    out.extend_from_slice(&bytes);
    if is_last && attributes.is_descending && !attributes.is_swapped {
        let filled = out[start..].iter().rev().take_while(|byte| **byte == 0).count();
        out.truncate(out.len() - filled);
    }
}
