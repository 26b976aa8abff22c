//! Text and bytes: concatenation, limits, padding, order.
//!
//! Results are made in a scratch buffer that is then swapped with the register's, so an operand may be the
//! destination as well, and nothing is allocated once the buffers have their sizes.

use super::Scratch;
use super::registers::{Bases, Registers};
use crate::compile::{ConcatSite, FitSite};
use crate::{Fault, File, TextUnit, Type};
use mainstay_types::{Collation, Value, ValueRef};
use std::cmp::Ordering;
use std::fmt::Write;

/// The limit of a type, or none.
fn limit(ty: Type) -> Option<usize> {
    match ty {
        Type::Text { limit } | Type::Bytes { limit } => limit.map(|limit| limit as usize),
        _ => None,
    }
}

/// The number of bytes of a text within a limit of units.
pub(super) fn bytes_within(text: &str, limit: usize, unit: TextUnit) -> usize {
    if text.len() <= limit {
        // No unit is smaller than a byte.
        return text.len();
    }
    match unit {
        TextUnit::Bytes => text.floor_char_boundary(limit),
        _ if text.is_ascii() => limit,
        TextUnit::Characters => text.char_indices().nth(limit).map_or(text.len(), |(at, _)| at),
        TextUnit::Utf16 => {
            let mut units = 0;
            let mut at = text.char_indices().skip_while(|(_, c)| {
                units += c.len_utf16();
                units <= limit
            });
            at.next().map_or(text.len(), |(at, _)| at)
        }
    }
}

/// The number of units of a text.
fn units(text: &str, unit: TextUnit) -> usize {
    match unit {
        TextUnit::Bytes => text.len(),
        TextUnit::Characters => text.chars().count(),
        TextUnit::Utf16 => text.encode_utf16().count(),
    }
}

/// Runs a concatenation.
pub(super) fn concat(
    registers: &mut Registers,
    scratch: &mut Scratch,
    bases: Bases,
    site: &ConcatSite,
    constants: &[Value],
) -> Result<(), Fault> {
    let text = site.to.ty.file() == File::Texts;
    let mut length = 0usize;
    for part in &site.parts {
        match registers.value(bases, *part, constants) {
            ValueRef::Text(part) => length = length.saturating_add(part.len()),
            ValueRef::Binary(part) => length = length.saturating_add(part.len()),
            _ if site.null_as_empty => {}
            _ => {
                registers.set_null(bases, site.to);
                return Ok(());
            }
        }
    }
    registers.room_for(length.saturating_sub(if text { scratch.text.capacity() } else { scratch.bytes.capacity() }))?;
    if site.appends && !registers.value(bases, site.to.into(), constants).is_null() {
        return append(registers, scratch, bases, site, constants);
    }
    scratch.text.clear();
    scratch.bytes.clear();
    for part in &site.parts {
        match registers.value(bases, *part, constants) {
            ValueRef::Text(part) => scratch.text.push_str(part),
            ValueRef::Binary(part) => scratch.bytes.extend_from_slice(part),
            _ => {}
        }
    }
    cut(scratch, text, limit(site.to.ty), site.unit);
    finish(registers, scratch, bases, site.to.place, text)
}

/// The destination is the first part: only the others are copied.
fn append(
    registers: &mut Registers,
    scratch: &mut Scratch,
    bases: Bases,
    site: &ConcatSite,
    constants: &[Value],
) -> Result<(), Fault> {
    let text = site.to.ty.file() == File::Texts;
    finish(registers, scratch, bases, site.to.place, text)?;
    for part in site.parts.iter().skip(1) {
        match registers.value(bases, *part, constants) {
            ValueRef::Text(part) => scratch.text.push_str(part),
            ValueRef::Binary(part) => scratch.bytes.extend_from_slice(part),
            _ => {}
        }
    }
    cut(scratch, text, limit(site.to.ty), site.unit);
    finish(registers, scratch, bases, site.to.place, text)
}

fn cut(scratch: &mut Scratch, text: bool, limit: Option<usize>, unit: TextUnit) {
    let Some(limit) = limit else { return };
    if text {
        scratch.text.truncate(bytes_within(&scratch.text, limit, unit));
    } else {
        scratch.bytes.truncate(limit);
    }
}

/// The scratch buffer and the register's change places.
fn finish(registers: &mut Registers, scratch: &mut Scratch, bases: Bases, to: u16, text: bool) -> Result<(), Fault> {
    if text {
        registers.swap_text(bases.texts + usize::from(to), &mut scratch.text)
    } else {
        registers.swap_bytes(bases.bytes + usize::from(to), &mut scratch.bytes)
    }
}

/// Brings a text or bytes to a limit.
pub(super) fn fit(
    registers: &mut Registers,
    scratch: &mut Scratch,
    bases: Bases,
    site: &FitSite,
    constants: &[Value],
) -> Result<(), Fault> {
    let most = limit(site.to.ty);
    let too_long = || Fault::TooLong { to: site.to.ty };
    match registers.value(bases, site.from, constants) {
        ValueRef::Text(text) => {
            let kept = most.map_or(text.len(), |most| bytes_within(text, most, site.unit));
            if site.strict && text.as_bytes().iter().skip(kept).any(|byte| *byte != b' ') {
                return Err(too_long());
            }
            let kept = text.get(..kept).unwrap_or(text);
            let missing = match most {
                Some(most) if site.pad => most.saturating_sub(units(kept, site.unit)),
                _ => 0,
            };
            registers.room_for((kept.len() + missing).saturating_sub(scratch.text.capacity()))?;
            scratch.text.clear();
            scratch.text.push_str(kept);
            scratch.text.extend(std::iter::repeat_n(' ', missing));
            finish(registers, scratch, bases, site.to.place, true)
        }
        ValueRef::Binary(bytes) => {
            let kept = most.map_or(bytes.len(), |most| bytes.len().min(most));
            if site.strict && bytes.iter().skip(kept).any(|byte| *byte != 0) {
                return Err(too_long());
            }
            let padded = if site.pad { most.unwrap_or(kept) } else { kept };
            registers.room_for(padded.saturating_sub(scratch.bytes.capacity()))?;
            scratch.bytes.clear();
            scratch.bytes.extend(bytes.iter().take(kept));
            scratch.bytes.resize(padded, 0);
            finish(registers, scratch, bases, site.to.place, false)
        }
        _ => {
            registers.set_null(bases, site.to);
            Ok(())
        }
    }
}

/// The order of two texts; blanks at their ends do not count if `pads`.
pub(super) fn order_texts(collation: Collation, pads: bool, a: &str, b: &str) -> Ordering {
    if pads { collation.compare(a.trim_end_matches(' '), b.trim_end_matches(' ')) } else { collation.compare(a, b) }
}

/// The order of two byte strings; zeros at their ends do not count if `pads`.
pub(super) fn order_bytes(pads: bool, a: &[u8], b: &[u8]) -> Ordering {
    fn trimmed(bytes: &[u8]) -> &[u8] {
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        bytes.get(..end).unwrap_or(bytes)
    }
    if pads { trimmed(a).cmp(trimmed(b)) } else { a.cmp(b) }
}

/// A whole number as text, into the scratch buffer.
pub(super) fn integer(scratch: &mut Scratch, number: i64, ty: Type) -> Result<(), Fault> {
    scratch.text.clear();
    // Writing to a String does not fail.
    let _ = write!(scratch.text, "{number}");
    match limit(ty) {
        Some(limit) if scratch.text.len() > limit => Err(Fault::TooLong { to: ty }),
        _ => Ok(()),
    }
}
