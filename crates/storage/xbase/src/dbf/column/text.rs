//! Text and bytes that stand in the record.
//!
//! Text fields are padded with blanks, which carry no meaning: trailing blanks and NULs are left out, and a
//! field of nothing else is the empty text, not NULL. Columns of business tables repeat themselves, so the
//! first attempt is a dictionary: each cell is looked up among those seen, and only a new one is decoded. A
//! cell of up to 8 bytes is one word, and looking it up is a multiplication and a comparison; longer ones are
//! hashed a word at a time. The attempt is given up as soon as the first rows show too many distinct values;
//! then all values are written one after the other into one buffer, which the views point into.

use super::{Task, bit, internal};
use crate::Severity;
use crate::adt::Type;
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::types::{ArrowDictionaryKeyType, UInt8Type, UInt16Type};
use arrow_array::{ArrayRef, DictionaryArray, PrimitiveArray, StringArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use mainstay_types::Result;
use std::collections::HashMap;
use std::sync::Arc;

/// After this many rows more than half of which are distinct, no dictionary is made.
const SAMPLE: usize = 2_048;

/// So few texts are made one by one: what makes many of them quickly has to be set up.
const FEW: usize = 16;

/// The most values of a dictionary with 8-bit keys, and with 16-bit keys.
const SMALL: usize = 256;
const LARGE: usize = 65_536;

/// The bytes of the value: without the blanks and NULs at the end.
pub(super) fn trimmed(mut cell: &[u8]) -> &[u8] {
    while let Some((rest, b"        ")) = cell.split_last_chunk::<8>() {
        cell = rest;
    }
    while let [rest @ .., b' ' | 0] = cell {
        cell = rest;
    }
    cell
}

/// `C`: a dictionary if there are few values, else text.
pub(super) fn character(task: &mut Task<'_>, dictionaries: bool) -> Result<ArrayRef> {
    if dictionaries && task.field.length > 0 && !task.records.is_empty() {
        let found = if task.field.length <= 8 { short_codes(task) } else { long_codes(task) };
        if let Some((codes, cells)) = found {
            return dictionary(task, codes, cells);
        }
    }
    plain(task)
}

/// For each row the number of its value, and for each value the row where it was first seen.
type Codes = (Vec<u16>, Vec<usize>);

/// The limit of distinct values, and the point at which to give up.
struct Limit {
    most: usize,
}

impl Limit {
    fn new(rows: usize) -> Limit {
        Limit { most: (rows / 4).clamp(SMALL, LARGE) }
    }

    /// Returns true if one more value exceeds the limit after `row` rows.
    fn is_reached(&self, distinct: usize, row: usize) -> bool {
        distinct >= self.most || row <= SAMPLE && distinct > SMALL && distinct > SAMPLE / 2
    }
}

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// An open-addressing table from a word to a code.
struct WordTable {
    /// The word, and its code + 1; 0 is a free slot.
    slots: Vec<(u64, u32)>,
    shift: u32,
}

impl WordTable {
    fn new(bits: u32) -> WordTable {
        WordTable { slots: vec![(0, 0); 1 << bits], shift: 64 - bits }
    }

    /// The code of the word, or the free slot where it belongs. `same` tells whether the value with that code
    /// is really the one looked for.
    #[inline(always)]
    fn find(&self, word: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut at = (word.wrapping_mul(MULTIPLIER) >> self.shift) as usize;
        loop {
            let (key, code) = self.slots[at];
            if code == 0 {
                return Err(at);
            }
            if key == word && same(code - 1) {
                return Ok(code - 1);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Adds a word at the slot that `find` gave, and keeps the table at most half full.
    fn insert(&mut self, slot: usize, word: u64, code: u32) {
        self.slots[slot] = (word, code + 1);
        if (code as usize + 1) * 2 <= self.slots.len() {
            return;
        }
        let mut larger = WordTable::new(64 - self.shift + 2);
        for &(word, code) in self.slots.iter().filter(|slot| slot.1 != 0) {
            if let Err(at) = larger.find(word, |_| false) {
                larger.slots[at] = (word, code);
            }
        }
        *self = larger;
    }
}

/// Fields of up to 8 bytes: the cell is the key.
fn short_codes(task: &Task<'_>) -> Option<Codes> {
    let (rows, length) = (task.records.len(), task.field.length);
    let record_length = task.records.record_length;
    let limit = Limit::new(rows);
    let (mut table, mut firsts, mut codes) = (WordTable::new(10), Vec::new(), vec![0; rows]);
    // The word is read so that it stays within the record, and the field shifted out of it.
    let start = task.field.offset.min(record_length.saturating_sub(8));
    let shift = 8 * (task.field.offset - start) as u32;
    let mask = if length == 8 { u64::MAX } else { (1 << (8 * length)) - 1 };
    for ((row, record), code) in task.records.iter().enumerate().zip(&mut codes) {
        let word = match record[start..].first_chunk() {
            Some(bytes) => u64::from_le_bytes(*bytes) >> shift & mask,
            None => short_word(record, task.field.offset, length),
        };
        *code = match table.find(word, |_| true) {
            Ok(code) => code as u16,
            Err(_) if limit.is_reached(firsts.len(), row) => return None,
            Err(slot) => {
                let code = firsts.len();
                firsts.push(row);
                table.insert(slot, word, code as u32);
                code as u16
            }
        };
    }
    Some((codes, firsts))
}

fn short_word(record: &[u8], offset: usize, length: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes[..length].copy_from_slice(&record[offset..offset + length]);
    u64::from_le_bytes(bytes)
}

/// Longer fields: the key is a hash, and equal hashes are compared.
fn long_codes(task: &Task<'_>) -> Option<Codes> {
    let limit = Limit::new(task.records.len());
    let (mut table, mut firsts, mut cells) = (WordTable::new(10), Vec::new(), Vec::<&[u8]>::new());
    let mut codes = Vec::with_capacity(task.records.len());
    for (row, cell) in task.cells().enumerate() {
        let hash = hash(cell);
        let code = match table.find(hash, |code| cells[code as usize] == cell) {
            Ok(code) => code as u16,
            Err(_) if limit.is_reached(firsts.len(), row) => return None,
            Err(slot) => {
                let code = firsts.len();
                firsts.push(row);
                cells.push(cell);
                table.insert(slot, hash, code as u32);
                code as u16
            }
        };
        codes.push(code);
    }
    Some((codes, firsts))
}

fn hash(value: &[u8]) -> u64 {
    let mut hash = value.len() as u64;
    let mut mix = |word: u64| hash = (hash.rotate_left(23) ^ word).wrapping_mul(MULTIPLIER);
    let (words, rest) = value.as_chunks::<8>();
    words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(u64::from_le_bytes(last));
    hash ^ hash >> 32
}

/// Decodes the distinct values and puts the dictionary together. Cells that differ only in their padding are
/// one value.
fn dictionary(task: &mut Task<'_>, mut codes: Vec<u16>, firsts: Vec<usize>) -> Result<ArrayRef> {
    let mut values = TextBuffer::with_capacity(firsts.len(), firsts.len() * task.field.length);
    let mut known = HashMap::with_capacity(firsts.len());
    let mut renamed = Vec::with_capacity(firsts.len());
    let mut undecodable = Vec::new();
    for &row in &firsts {
        let value = trimmed(task.cell(row));
        let next = known.len() as u16;
        let code = *known.entry(value).or_insert(next);
        if usize::from(code) == undecodable.len() {
            undecodable.push(task.how.code_page.decode_into(value, &mut values.bytes));
            values.end();
        }
        renamed.push(code);
    }
    if known.len() < firsts.len() {
        codes.iter_mut().for_each(|code| *code = renamed[usize::from(*code)]);
    }
    if undecodable.iter().any(|&count| count > 0) {
        for (row, &code) in codes.iter().enumerate().filter(|&(_, &code)| undecodable[usize::from(code)] > 0) {
            task.report_undecodable(row, undecodable[usize::from(code)]);
        }
    }
    let distinct = known.len();
    let nulls = task.nulls.clone();
    let values = Arc::new(values.finish(None)?);
    if distinct <= SMALL {
        let keys: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
        keyed::<UInt8Type>(keys.into(), nulls, values)
    } else {
        keyed::<UInt16Type>(codes.into(), nulls, values)
    }
}

fn keyed<K: ArrowDictionaryKeyType>(
    keys: ScalarBuffer<K::Native>,
    nulls: Option<NullBuffer>,
    values: ArrayRef,
) -> Result<ArrayRef> {
    let keys = PrimitiveArray::<K>::try_new(keys, nulls).map_err(internal)?;
    Ok(Arc::new(DictionaryArray::try_new(keys, values).map_err(internal)?))
}

/// Texts, one after the other in one buffer.
struct TextBuffer {
    bytes: Vec<u8>,
    ends: Vec<i32>,
}

impl TextBuffer {
    fn with_capacity(texts: usize, bytes: usize) -> TextBuffer {
        let mut ends = Vec::with_capacity(texts + 1);
        ends.push(0);
        TextBuffer { bytes: Vec::with_capacity(bytes), ends }
    }

    /// The text that was appended to `bytes` is complete.
    fn end(&mut self) {
        self.ends.push(self.bytes.len() as i32);
    }

    /// The array. The bytes are checked to be UTF-8 as a whole, which is much faster than one by one; the views
    /// are then made without copying.
    fn finish(self, nulls: Option<NullBuffer>) -> Result<StringViewArray> {
        let offsets = OffsetBuffer::new(self.ends.into());
        let strings = StringArray::try_new(offsets, Buffer::from_vec(self.bytes), nulls).map_err(internal)?;
        Ok(StringViewArray::from(&strings))
    }
}

fn plain(task: &mut Task<'_>) -> Result<ArrayRef> {
    let rows = task.records.len();
    let most = rows.saturating_mul(task.field.length);
    if rows <= FEW || most.saturating_mul(3) > i32::MAX as usize {
        return Ok(built(task, |_, _, cell| trimmed(cell)));
    }
    let page = task.how.code_page;
    let mut texts = TextBuffer::with_capacity(rows, most / 2);
    for (row, cell) in task.cells().enumerate() {
        let count = page.decode_into(trimmed(cell), &mut texts.bytes);
        texts.end();
        if count > 0 {
            task.report_undecodable(row, count);
        }
    }
    let nulls = task.nulls.clone();
    Ok(Arc::new(texts.finish(nulls)?))
}

/// Text whose bytes `value_of` picks out of the row's cell.
fn built<'a>(task: &mut Task<'a>, value_of: impl Fn(&mut Task<'a>, usize, &'a [u8]) -> &'a [u8]) -> ArrayRef {
    let mut builder = StringViewBuilder::with_capacity(task.records.len());
    for (row, cell) in task.cells().enumerate() {
        if task.is_null(row) {
            builder.append_null();
            continue;
        }
        let decoded = task.how.code_page.decode(value_of(task, row, cell));
        if decoded.undecodable > 0 {
            task.report_undecodable(row, decoded.undecodable);
        }
        builder.append_value(decoded.text);
    }
    Arc::new(builder.finish())
}

/// The cause of a finding about the length of a value.
const TOO_LONG: &str = "the length of a value is more than its field has room for";

/// The bytes of a varying-length cell: if its bit is set, the last byte says how many.
fn varying_value<'a>(task: &mut Task<'a>, row: usize, cell: &'a [u8]) -> &'a [u8] {
    if task.field.adt.is_some() {
        return counted_value(task, row, cell);
    }
    let is_short = task.field.varying_bit.is_some_and(|at| bit(task.records.record(row), at));
    let (true, Some((&length, room))) = (is_short, cell.split_last()) else { return cell };
    if usize::from(length) > room.len() {
        let most = room.len();
        task.report(Severity::Error, TOO_LONG, row, || format!("a length of {length}; the field has room for {most}"));
    }
    &room[..usize::from(length).min(room.len())]
}

/// The bytes of a cell of Advantage whose last two bytes say how many of the others are the value; of Raw, all of them.
fn counted_value<'a>(task: &mut Task<'a>, row: usize, cell: &'a [u8]) -> &'a [u8] {
    let varies = matches!(task.field.adt, Some(Type::VarChar | Type::VarBinary));
    let (true, Some((room, &length))) = (varies, cell.split_last_chunk()) else { return cell };
    let length = usize::from(u16::from_le_bytes(length));
    if length > room.len() {
        let most = room.len();
        task.report(Severity::Error, TOO_LONG, row, || format!("a length of {length}; the field has room for {most}"));
    }
    &room[..length.min(room.len())]
}

/// Text of varying length. Its blanks were written on purpose and stay.
pub(super) fn varying(task: &mut Task<'_>) -> ArrayRef {
    built(task, varying_value)
}

/// Bytes: of varying length if the field is, else all of them.
pub(super) fn binary(task: &mut Task<'_>) -> ArrayRef {
    let mut builder = BinaryViewBuilder::with_capacity(task.records.len());
    for (row, cell) in task.cells().enumerate() {
        if task.is_null(row) {
            builder.append_null();
        } else {
            builder.append_value(varying_value(task, row, cell));
        }
    }
    Arc::new(builder.finish())
}

/// UTF-16, of fixed length without its blanks, or of the length that the last two bytes say.
pub(super) fn wide(task: &mut Task<'_>) -> ArrayRef {
    let varying = task.field.kind == crate::dbf::FieldKind::VarcharWide;
    let mut builder = StringViewBuilder::with_capacity(task.records.len());
    for (row, cell) in task.cells().enumerate() {
        let (bytes, blanks) = match cell.split_last_chunk() {
            Some((room, &length)) if varying => {
                let length = usize::from(u16::from_le_bytes(length)) * 2;
                (room.get(..length).unwrap_or_default(), false)
            }
            _ => (cell, true),
        };
        let (text, broken) = utf16(bytes);
        if broken {
            let cause = "half a surrogate pair";
            task.report(Severity::Warning, cause, row, || cause.to_owned());
        }
        let text = if blanks { text.trim_end_matches([' ', '\0']) } else { &text };
        builder.append_option((!task.is_null(row)).then_some(text));
    }
    Arc::new(builder.finish())
}

/// The text of these little-endian UTF-16 bytes, and whether something in it was broken.
pub(super) fn utf16(bytes: &[u8]) -> (String, bool) {
    let (units, _) = bytes.as_chunks::<2>();
    let units = units.iter().map(|&unit| u16::from_le_bytes(unit));
    let mut broken = false;
    let text = char::decode_utf16(units)
        .map(|character| {
            broken |= character.is_err();
            character.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    (text, broken)
}
