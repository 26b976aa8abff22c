//! Blocks of a run: sorted keys, each with a position. A codec without I/O.
//!
//! ```text
//!    0  4  crc32c of the file's number (8 bytes), the block's number (4 bytes), and bytes 4 to the end
//!    4  1  length in units of 4,096 bytes
//!    5  1  level: 0 for a leaf, 255 for the trailer
//!    6  1  kind of the keys: 0 of one width, 1 of any length
//!    7  1  bytes of a position
//!    8  2  entries
//!   10  2  kind 0: bytes of a key; kind 1: bytes that all keys start with
//!   12  2  kind 0: bytes of a key that are stored; kind 1: zero
//!   14  2  zero
//!   16  8  least position
//!   24  4  units of the leaf before this one; zero for none
//!   28     body: keys, then positions less the least one, little endian; at least 16 zero bytes at the end
//! ```
//!
//! **Keys of one width** (at most 16 bytes) that lie side by side differ in few of their bytes. The body has the first key, a
//! bit for each byte that differs anywhere in the block, and of each key those bytes:
//!
//! ```text
//!   keys    00 00 07 01 00 00 10        first key   00 00 07 01 00 00 10
//!           00 00 07 01 00 01 02        bits        .  .  .  .  .  x  x
//!           00 00 07 01 00 02 33        stored      00 10 | 01 02 | 02 33
//! ```
//!
//! The order of the stored bytes is that of the keys. A probe that differs from the first key in a byte that is not stored
//! is compared by the stored bytes before that byte, and ties are decided by that byte.
//!
//! **Keys of any length**: the common start, two bytes an entry for where the rest of its key ends, and the rests.
//!
//! A block holds one unit, unless its only entry needs more; above the leaves, its two entries.

use crate::journal::checksum::{continued, crc32c};
use mainstay_types::{Code, Error, Result};
use std::cmp::Ordering;

/// Bytes of a unit.
pub(crate) const UNIT: usize = 4096;
/// Bytes before the body.
const HEADER: usize = 28;
/// Zero bytes at the end, so that wide loads stay inside.
const SLACK: usize = 16;
/// The widest keys that are stored byte by byte.
const WIDEST: usize = 16;
const ANY_LENGTH: u8 = 1;
/// The level of the trailer.
pub(crate) const TRAILER: u8 = 255;

/// Collects the entries of a block.
#[derive(Default)]
pub(crate) struct PageBuilder {
    /// Bytes of every key; `None` for keys of any length, and for those that are too wide.
    width: Option<usize>,
    /// Entries that a block takes in any case.
    least_entries: usize,
    keys: Vec<u8>,
    ends: Vec<u32>,
    positions: Vec<u64>,
    /// Bytes that differ from the first key's (one width), by bits.
    differing: u32,
    /// Bytes that all keys start with (any length).
    common: usize,
    least: u64,
    greatest: u64,
}

/// Bytes that hold this number.
fn bytes_of(number: u64) -> usize {
    (64 - number.leading_zeros() as usize).div_ceil(8)
}

impl PageBuilder {
    pub(crate) fn new(width: Option<usize>) -> PageBuilder {
        PageBuilder { width: width.filter(|width| *width <= WIDEST), least_entries: 1, ..PageBuilder::default() }
    }

    /// The same for blocks above the leaves, each of which must have two at least, however long their keys are.
    pub(crate) fn above(width: Option<usize>) -> PageBuilder {
        PageBuilder { least_entries: 2, ..PageBuilder::new(width) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn first_key(&self) -> &[u8] {
        &self.keys[..self.ends.first().map_or(0, |end| *end as usize)]
    }

    pub(crate) fn last_key(&self) -> &[u8] {
        let start = self.ends.len().checked_sub(2).map_or(0, |at| self.ends[at] as usize);
        &self.keys[start..]
    }

    /// The differing bytes, or the common prefix, after one more key.
    fn shape_with(&self, key: &[u8]) -> (u32, usize) {
        if self.is_empty() {
            return (0, key.len());
        }
        let first = self.first_key();
        match self.width {
            Some(_) => {
                let bits = first.iter().zip(key).enumerate().filter(|(_, (one, other))| one != other);
                (bits.fold(self.differing, |bits, (at, _)| bits | 1 << at), 0)
            }
            None => (0, first.iter().zip(key).take(self.common).take_while(|(one, other)| one == other).count()),
        }
    }

    /// The length of the block with these entries and this shape.
    fn size(&self, entries: usize, key_bytes: usize, (differing, common): (u32, usize), range: u64) -> usize {
        let keys = match self.width {
            Some(width) => width + width.div_ceil(8) + entries * differing.count_ones() as usize,
            None => common + 2 * entries + key_bytes - entries * common,
        };
        HEADER + keys + entries * bytes_of(range) + SLACK
    }

    /// Adds an entry, unless the block is full. Keys ascend.
    pub(crate) fn push(&mut self, key: &[u8], position: u64) -> bool {
        let shape = self.shape_with(key);
        let (least, greatest) = match self.is_empty() {
            true => (position, position),
            false => (self.least.min(position), self.greatest.max(position)),
        };
        let entries = self.positions.len() + 1;
        let size = self.size(entries, self.keys.len() + key.len(), shape, greatest - least);
        if entries > self.least_entries && (size > UNIT || entries > usize::from(u16::MAX)) {
            return false;
        }
        (self.differing, self.common) = shape;
        (self.least, self.greatest) = (least, greatest);
        self.keys.extend_from_slice(key);
        self.ends.push(self.keys.len() as u32);
        self.positions.push(position);
        true
    }

    /// The block of these entries, as the file and the number it gets; the builder is empty then.
    pub(crate) fn finish(&mut self, level: u8, previous: u32, (file, block): (u64, u32)) -> Vec<u8> {
        let (entries, shape) = (self.positions.len(), (self.differing, self.common));
        let position_bytes = bytes_of(self.greatest - self.least);
        let size = self.size(entries, self.keys.len(), shape, self.greatest - self.least);
        let units = size.div_ceil(UNIT);
        let mut out = Vec::with_capacity(units * UNIT);
        out.extend_from_slice(&[0; HEADER]);
        (out[4], out[5], out[7]) = (units as u8, level, position_bytes as u8);
        out[8..10].copy_from_slice(&(entries as u16).to_le_bytes());
        out[16..24].copy_from_slice(&self.least.to_le_bytes());
        out[24..28].copy_from_slice(&previous.to_le_bytes());
        match self.width {
            Some(width) => {
                out[10..12].copy_from_slice(&(width as u16).to_le_bytes());
                out[12..14].copy_from_slice(&(self.differing.count_ones() as u16).to_le_bytes());
                out.extend_from_slice(self.first_key());
                out.extend_from_slice(&self.differing.to_le_bytes()[..width.div_ceil(8)]);
                for key in self.keys.chunks_exact(width.max(1)) {
                    let stored = key.iter().enumerate().filter(|(at, _)| self.differing & 1 << at != 0);
                    out.extend(stored.map(|(_, byte)| *byte));
                }
            }
            None => {
                out[6] = ANY_LENGTH;
                out[10..12].copy_from_slice(&(self.common as u16).to_le_bytes());
                out.extend_from_slice(&self.first_key()[..self.common]);
                let ends = self.ends.iter().enumerate().map(|(at, end)| *end as usize - (at + 1) * self.common);
                ends.for_each(|end| out.extend_from_slice(&(end as u16).to_le_bytes()));
                let mut start = 0;
                for end in &self.ends {
                    out.extend_from_slice(&self.keys[start + self.common..*end as usize]);
                    start = *end as usize;
                }
            }
        }
        for position in &self.positions {
            out.extend_from_slice(&(position - self.least).to_le_bytes()[..position_bytes]);
        }
        out.resize(units * UNIT, 0);
        seal(&mut out, file, block);
        *self = PageBuilder { width: self.width, least_entries: self.least_entries, ..PageBuilder::default() };
        out
    }
}

/// Writes the checksum of a block.
pub(crate) fn seal(block: &mut [u8], file: u64, number: u32) {
    let checksum = checksum(block, file, number);
    block[..4].copy_from_slice(&checksum.to_le_bytes());
}

fn checksum(block: &[u8], file: u64, number: u32) -> u32 {
    let place = continued(crc32c(&file.to_le_bytes()), &number.to_le_bytes());
    continued(place, block.get(4..).unwrap_or_default())
}

/// Checks the checksum of a block.
///
/// # Errors
/// `Damaged`.
pub(crate) fn verify(block: &[u8], file: u64, number: u32) -> Result<()> {
    let stored = block.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes));
    match stored == Some(checksum(block, file, number)) {
        true => Ok(()),
        false => Err(damaged(&format!("the checksum of block {number} is wrong"))),
    }
}

/// The bytes of the block that starts here, as its head says.
///
/// # Errors
/// `Damaged` when the file ends before it.
pub(crate) fn block_at(file: &[u8], number: u32) -> Result<&[u8]> {
    let start = number as usize * UNIT;
    let units = file.get(start + 4).copied().unwrap_or(0) as usize;
    let block = file.get(start..start + units * UNIT).filter(|_| units > 0);
    block.ok_or_else(|| damaged(&format!("block {number} lies outside of the file")))
}

/// The error of a run that is not as it was written.
pub(crate) fn damaged(what: &str) -> Error {
    Error::new(Code::Damaged, format!("the index file is damaged: {what}"))
        .hint("the index is made again from the rows; `mainstay check` looks at all files")
}

/// A block that was verified.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    bytes: &'a [u8],
    entries: usize,
    /// Bytes of every key, or those that all start with.
    width: usize,
    stored: usize,
    is_any: bool,
    position_bytes: usize,
    least: u64,
    /// Where the keys and the positions start.
    keys: usize,
    positions: usize,
}

/// A probe of one width, prepared for the comparisons in a block.
struct Probe {
    /// Its stored bytes, as a number.
    stored: u128,
    /// After so many stored bytes it differs from all keys in another byte, and whether it is less than they are there.
    differs: Option<(usize, bool)>,
}

impl<'a> Page<'a> {
    /// Reads the head of a block.
    ///
    /// # Errors
    /// `Damaged` for a head that contradicts itself.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Page<'a>> {
        let short = |at: usize| bytes.get(at..at + 2).map_or(0, |two| usize::from(two[0]) | usize::from(two[1]) << 8);
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        let least =
            bytes.get(16..24).and_then(|eight| eight.first_chunk::<8>()).map_or(0, |it| u64::from_le_bytes(*it));
        let (entries, width, stored) = (short(8), short(10), short(12));
        let (is_any, position_bytes) = (byte(6) == ANY_LENGTH, usize::from(byte(7)));
        let keys = match is_any {
            true => HEADER + width,
            false => HEADER + width + width.div_ceil(8),
        };
        let mut page = Page { bytes, entries, width, stored, is_any, position_bytes, least, keys, positions: 0 };
        page.positions = match is_any {
            true => keys + 2 * entries + page.end(entries.wrapping_sub(1)),
            false => keys + entries * stored,
        };
        let is_sound = bytes.len() >= HEADER
            && entries > 0
            && position_bytes <= 8
            && page.positions + entries * position_bytes + SLACK <= bytes.len()
            && (is_any || (width <= WIDEST && page.mask().count_ones() as usize == stored));
        if is_sound { Ok(page) } else { Err(damaged("a block contradicts itself")) }
    }

    /// Its level: 0 for a leaf.
    pub(crate) fn level(&self) -> u8 {
        self.bytes[5]
    }

    /// Its length in units.
    pub(crate) fn units(&self) -> u32 {
        u32::from(self.bytes[4])
    }

    /// Units of the leaf before this one.
    pub(crate) fn previous(&self) -> u32 {
        self.bytes.get(24..28).and_then(|four| four.first_chunk::<4>()).map_or(0, |it| u32::from_le_bytes(*it))
    }

    /// The number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    fn mask(&self) -> u32 {
        let bytes = self.bytes.get(HEADER + self.width..self.keys).unwrap_or_default();
        bytes.iter().rev().fold(0, |mask, byte| mask << 8 | u32::from(*byte))
            & ((1u64 << self.width.min(31)) - 1) as u32
    }

    /// Where the rest of a key ends among the rests.
    fn end(&self, at: usize) -> usize {
        let place = self.keys.saturating_add(at.saturating_mul(2));
        self.bytes.get(place..place.saturating_add(2)).map_or(0, |two| usize::from(two[0]) | usize::from(two[1]) << 8)
    }

    /// The rest of a key of any length.
    fn rest(&self, at: usize) -> &'a [u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.end(before));
        let rests = self.keys + 2 * self.entries;
        self.bytes.get(rests + start..rests + self.end(at)).unwrap_or_default()
    }

    /// The stored bytes of a key, as a number.
    #[inline]
    fn number(&self, at: usize) -> u128 {
        let start = self.keys + at * self.stored;
        let wide = self.bytes.get(start..start + 16).and_then(|bytes| bytes.first_chunk::<16>());
        let wide = wide.map_or(0, |bytes| u128::from_be_bytes(*bytes));
        if self.stored == 0 { 0 } else { wide >> (8 * (16 - self.stored)) }
    }

    fn probe(&self, key: &[u8]) -> Probe {
        let (first, mask) = (&self.bytes[HEADER..HEADER + self.width], self.mask());
        let mut probe = Probe { stored: 0, differs: None };
        let mut before = 0;
        for (at, (own, byte)) in first.iter().zip(key).enumerate() {
            if mask & 1 << at != 0 {
                probe.stored = probe.stored << 8 | u128::from(*byte);
                before += 1;
            } else if own != byte && probe.differs.is_none() {
                probe.differs = Some((before, byte < own));
            }
        }
        probe
    }

    /// The number of keys that are less than the probe, and true if the next key equals it.
    pub(crate) fn lower_bound(&self, key: &[u8]) -> (usize, bool) {
        if self.is_any {
            return self.lower_bound_any(key);
        }
        // A cursor continues behind a key with that key and a zero byte, and a range may begin with a prefix of keys.
        match key.len().cmp(&self.width) {
            Ordering::Equal => self.lower_bound_of_width(key),
            Ordering::Greater => {
                let (at, is_there) = self.lower_bound_of_width(key.get(..self.width).unwrap_or_default());
                (at + usize::from(is_there), false)
            }
            Ordering::Less => {
                let mut least = key.to_vec();
                least.resize(self.width, 0);
                (self.lower_bound_of_width(&least).0, false)
            }
        }
    }

    /// The same for a key as long as those of the block.
    #[inline]
    fn lower_bound_of_width(&self, key: &[u8]) -> (usize, bool) {
        let probe = self.probe(key);
        let Some((before, is_less)) = probe.differs else {
            let at = match u64::try_from(probe.stored) {
                Ok(wanted) if self.stored <= 8 => self.count_less(wanted),
                _ => self.count(|number| number < probe.stored),
            };
            return (at, at < self.entries && self.number(at) == probe.stored);
        };
        let shift = 8 * (self.stored - before) as u32;
        let part = |number: u128| number.checked_shr(shift).unwrap_or(0);
        let wanted = part(probe.stored);
        match is_less {
            true => (self.count(|number| part(number) < wanted), false),
            false => (self.count(|number| part(number) <= wanted), false),
        }
    }

    /// The stored bytes of a key, at most eight, as a number.
    #[inline]
    fn short_number(&self, at: usize) -> u64 {
        let start = self.keys + at * self.stored;
        let wide = self.bytes.get(start..start + 8).and_then(|bytes| bytes.first_chunk::<8>());
        let wide = wide.map_or(0, |bytes| u64::from_be_bytes(*bytes));
        if self.stored == 0 { 0 } else { wide >> (8 * (8 - self.stored)) }
    }

    /// The number of keys that are less than a number, for keys with at most eight stored bytes.
    ///
    /// A block of a large run is rarely in the processor's cache, and every step of a binary search waits for another
    /// part of it. Keys are often spread evenly: the search begins where the key would be then, and continues in
    /// growing steps.
    fn count_less(&self, wanted: u64) -> usize {
        let (first, last) = (self.short_number(0), self.short_number(self.entries - 1));
        if wanted <= first {
            return 0;
        }
        if wanted > last {
            return self.entries;
        }
        // From here on the key at `low` is less and that at `high` is not.
        let (mut low, mut high) = (0, self.entries - 1);
        let part = (wanted - first) as f64 / (last - first) as f64;
        let guess = ((part * high as f64 + 0.5) as usize).clamp(low, high);
        let mut step = 1;
        if self.short_number(guess) < wanted {
            low = guess;
            while high - low > step && self.short_number(low + step) < wanted {
                low += step;
                step *= 4;
            }
            high = high.min(low + step);
        } else {
            high = guess;
            while high - low > step && self.short_number(high - step) >= wanted {
                high -= step;
                step *= 4;
            }
            low = low.max(high.saturating_sub(step));
        }
        while high - low > 1 {
            let middle = (low + high) / 2;
            match self.short_number(middle) < wanted {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    }

    fn count(&self, is_less: impl Fn(u128) -> bool) -> usize {
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = (low + high) / 2;
            match is_less(self.number(middle)) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    fn lower_bound_any(&self, key: &[u8]) -> (usize, bool) {
        let common = self.bytes.get(HEADER..HEADER + self.width).unwrap_or_default();
        let Some(rest) = key.strip_prefix(common) else {
            return (if key < common { 0 } else { self.entries }, false);
        };
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = (low + high) / 2;
            match self.rest(middle) < rest {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        (low, low < self.entries && self.rest(low) == rest)
    }

    /// The position of an entry.
    #[inline]
    pub(crate) fn position(&self, at: usize) -> u64 {
        let start = self.positions + at * self.position_bytes;
        let wide = self.bytes.get(start..start + 8).and_then(|bytes| bytes.first_chunk::<8>());
        let wide = wide.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let mask = if self.position_bytes == 8 { u64::MAX } else { (1 << (8 * self.position_bytes)) - 1 };
        self.least.wrapping_add(wide & mask)
    }

    /// Writes the key of an entry into a buffer.
    pub(crate) fn key(&self, at: usize, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(self.bytes.get(HEADER..HEADER + self.width).unwrap_or_default());
        if self.is_any {
            out.extend_from_slice(self.rest(at));
            return;
        }
        let (mask, mut stored) = (self.mask(), self.keys + at * self.stored);
        for (place, byte) in out.iter_mut().enumerate().filter(|(place, _)| mask & 1 << place != 0) {
            let _ = place;
            *byte = self.bytes.get(stored).copied().unwrap_or(0);
            stored += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(width: Option<usize>, keys: &[Vec<u8>], probes: &[Vec<u8>]) {
        let mut builder = PageBuilder::new(width);
        let taken = keys.iter().enumerate().take_while(|(at, key)| builder.push(key, *at as u64 * 7 + 100)).count();
        let block = builder.finish(0, 9, (5, 3));
        verify(&block, 5, 3).unwrap();
        assert!(verify(&block, 5, 4).is_err() && verify(&block, 6, 3).is_err());
        let page = Page::parse(&block).unwrap();
        assert_eq!((page.entries(), page.level(), page.previous()), (taken, 0, 9));
        let mut key = Vec::new();
        for (at, expected) in keys[..taken].iter().enumerate() {
            page.key(at, &mut key);
            assert_eq!((&key, page.position(at)), (expected, at as u64 * 7 + 100));
        }
        let longer = probes.iter().map(|probe| [probe.as_slice(), &[0]].concat());
        let shorter = probes.iter().flat_map(|probe| (0..probe.len()).map(|length| probe[..length].to_vec()));
        for probe in &probes.iter().cloned().chain(longer).chain(shorter).collect::<Vec<_>>() {
            let expected = keys[..taken].partition_point(|key| key < probe);
            assert_eq!(page.lower_bound(probe), (expected, keys[..taken].get(expected) == Some(probe)), "{probe:?}");
        }
    }

    #[test]
    fn keys_of_one_width_are_found_by_the_bytes_in_which_they_differ() {
        let keys: Vec<Vec<u8>> = (0..900u64).map(|n| (n * 37 + 0x0700_0000).to_be_bytes().to_vec()).collect();
        let near = (0..40_000u64).step_by(11).map(|n| (n + 0x06FF_FF00).to_be_bytes().to_vec());
        let far = [0u64, 1, 1 << 40, u64::MAX, 0x0800_0001].map(|n| n.to_be_bytes().to_vec());
        check(Some(8), &keys, &near.chain(far).collect::<Vec<_>>());
        // A byte that is the same in all keys lies between bytes that differ.
        let keys: Vec<Vec<u8>> = (0..200u8).map(|n| vec![n / 20, 5, n % 20, 9]).collect();
        let probes =
            (0..12u8).flat_map(|a| (4..7u8).flat_map(move |b| (0..22u8).map(move |c| vec![a, b, c, 9 + c % 2])));
        check(Some(4), &keys, &probes.collect::<Vec<_>>());
        // Spread very unevenly: the place is not where it would be by the numbers.
        let uneven = |n: u64| if n < 300 { n * n * n * 5000 } else { u64::MAX / 2 - (600 - n) * 3 };
        let keys: Vec<Vec<u8>> = (0..600).map(|n| uneven(n).to_be_bytes().to_vec()).collect();
        let probes =
            (0..600).flat_map(|n| [0, 1, u64::MAX].map(|by| uneven(n).wrapping_add(by).to_be_bytes().to_vec()));
        check(Some(8), &keys, &probes.chain([vec![255; 8]]).collect::<Vec<_>>());
        check(Some(0), &[vec![]], &[vec![]]);
        check(Some(16), &[vec![7; 16]], &[vec![7; 16], vec![6; 16], vec![8; 16]]);
    }

    #[test]
    fn keys_of_any_length_are_found() {
        let keys: Vec<Vec<u8>> =
            (0..200).map(|n| format!("ACME CORP {:04}{}", n / 3, "x".repeat(n % 3)).into()).collect();
        let mut probes: Vec<Vec<u8>> = keys.iter().flat_map(|key| [key.clone(), [key, &b"\0"[..]].concat()]).collect();
        probes.extend([vec![], b"ACME".to_vec(), b"ACME CORP".to_vec(), b"B".to_vec(), b"A".to_vec()]);
        check(None, &keys, &probes);
        // One entry that is longer than a unit.
        check(None, &[vec![3; 8192]], &[vec![3; 8192], vec![3; 8000], vec![4]]);
    }

    #[test]
    fn heads_that_contradict_themselves_are_refused() {
        let mut builder = PageBuilder::new(Some(8));
        (0..100u64).for_each(|n| assert!(builder.push(&n.to_be_bytes(), n)));
        let block = builder.finish(0, 0, (1, 1));
        for at in 4..64 {
            for value in [0, 1, 17, 255] {
                let mut changed = block.clone();
                changed[at] = value;
                // It may still be a block; reading it must not reach outside.
                if let Ok(page) = Page::parse(&changed) {
                    let mut key = Vec::new();
                    (0..page.entries()).for_each(|at| page.key(at, &mut key));
                    (0..page.entries()).for_each(|at| _ = page.position(at));
                    page.lower_bound(&50u64.to_be_bytes());
                }
            }
        }
        assert!(Page::parse(&[]).is_err() && Page::parse(&[0; UNIT]).is_err());
    }
}
