//! The comparison of all keys of a tag with the records that they lead to.
//!
//! The keys are in index order, and their records are spread over the table. One read for the record of each key would
//! take most of the time of a check. So the walk over the tag stores a fingerprint of each key by the number of its
//! record; then the records are read sequentially, and the key of each is computed once:
//!
//! ```text
//!   tag      key "ABE" -> record 5      fingerprints[5] = hash("ABE")
//!   table    record 1, 2, 3, 4, 5 ...   hash(key of record 5) == fingerprints[5]
//! ```
//! Memory is bounded: a table of more than [`WINDOW_ROWS`] records is compared a window at a time, with a walk over the tag for
//! each.
//!
//! Limit: a wrong key with the fingerprint of the right one is not found: one in 2^64.

use crate::expr::Scratch;
use crate::index::Tag;
use crate::keys::TagKeys;
use mainstay_types::Result;
use std::ops::{Bound, ControlFlow, Range};

/// Records of which fingerprints are kept at a time: 128 MiB of them.
const WINDOW_ROWS: u32 = 16 << 20;

/// Further keys of records that have one already which are kept: more of them are wrong without a comparison.
const MOST_FURTHER: usize = 1 << 20;

/// Fingerprints that are put in their places at a time.
const PENDING: usize = 1024;

/// About how many bytes of records are read at a time.
const RUN_BYTES: usize = 1 << 20;

/// The result of a comparison of all keys with all records.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// For each record: the tag has its key.
    pub(crate) found: Vec<bool>,
    /// For each record: it belongs into the tag by the FOR condition. Empty if that was not asked for.
    pub(crate) listed: Vec<bool>,
    /// Keys that no record has, or that a record has twice.
    pub(crate) surplus: u64,
    /// The first record with such a key.
    pub(crate) first_surplus: Option<u32>,
}

impl Compared {
    fn add_surplus(&mut self, keys: u64, recno: u32) {
        if keys > 0 {
            self.surplus += keys;
            self.first_surplus.get_or_insert(recno);
        }
    }
}

/// The records of a table, for a comparison.
pub(crate) struct Source<F> {
    /// The number of records.
    pub(crate) rows: u32,
    /// Bytes of a record.
    pub(crate) record_bytes: usize,
    /// Reads the records of these row slots into the buffer, which has their bytes and nothing else afterwards.
    pub(crate) read: F,
}

/// Compares all keys of a tag with its table; `keys` makes the key of a record, and `with_condition` evaluates the FOR
/// condition for each record.
///
/// Errors: those of reading the files, a tag that cannot be walked, and a condition that cannot be evaluated.
pub(crate) fn compare<F: FnMut(Range<u32>, &mut Vec<u8>) -> Result<()>>(
    tag: &Tag,
    keys: &TagKeys,
    source: &mut Source<F>,
    with_condition: bool,
) -> Result<Compared> {
    let mut compared = Compared { found: vec![false; source.rows as usize], ..Compared::default() };
    if with_condition {
        compared.listed = vec![false; source.rows as usize];
    }
    let mut start: u32 = 0;
    loop {
        let window = start..source.rows.min(start.saturating_add(WINDOW_ROWS));
        let listed = Fingerprints::read(tag, window.clone())?;
        if start == 0 {
            compared.add_surplus(listed.of_record_0, 0);
        }
        compare_window(keys, source, listed, &mut compared)?;
        if window.end == source.rows {
            return Ok(compared);
        }
        start = window.end;
    }
}

fn compare_window<F: FnMut(Range<u32>, &mut Vec<u8>) -> Result<()>>(
    keys: &TagKeys,
    source: &mut Source<F>,
    listed: Fingerprints,
    compared: &mut Compared,
) -> Result<()> {
    let per_run = u32::try_from(RUN_BYTES / source.record_bytes.max(1)).unwrap_or(1).max(1);
    let (mut buffer, mut scratch, mut key) = (Vec::new(), Scratch::new(), Vec::new());
    let mut further = listed.further.as_slice();
    let mut start = listed.rows.start;
    while start < listed.rows.end {
        let run = start..listed.rows.end.min(start.saturating_add(per_run));
        (source.read)(run.clone(), &mut buffer)?;
        for (row, record) in run.clone().zip(buffer.chunks_exact(source.record_bytes.max(1))) {
            let place = row as usize;
            if let Some(is_listed) = compared.listed.get_mut(place) {
                *is_listed = keys.lists(&mut scratch, record, row + 1)?;
            }
            let first = listed.first[(row - listed.rows.start) as usize];
            if first == NO_KEY {
                continue;
            }
            key.clear();
            let made = keys.write_key(&mut scratch, record, row + 1, &mut key);
            let expected = made.map_or(NO_KEY, |()| fingerprint(&key));
            let of_row = further.partition_point(|(other, _)| *other <= row);
            let (others, rest) = further.split_at(of_row);
            further = rest;
            let has_key = first == expected || others.iter().any(|(_, other)| *other == expected);
            compared.found[place] = has_key;
            compared.add_surplus(1 + others.len() as u64 - u64::from(has_key), row + 1);
        }
        start = run.end;
    }
    compared.add_surplus(listed.dropped.0, listed.dropped.1);
    Ok(())
}

/// No key leads to the record. Fingerprints are not 0.
const NO_KEY: u64 = 0;

/// The fingerprints of the keys that lead to a window of records.
struct Fingerprints {
    rows: Range<u32>,
    /// Of the first key that leads to each record.
    first: Vec<u64>,
    /// Of further keys, by row.
    further: Vec<(u32, u64)>,
    /// The number of further keys that are not kept, and the record of the first.
    dropped: (u64, u32),
    /// Rows and fingerprints on their way to their places. These are all over the memory: a short loop over many of them waits for
    /// several at a time, and the walk would wait for each.
    pending: Vec<(u32, u64)>,
    of_record_0: u64,
}

impl Fingerprints {
    /// Walks the whole tag. Keys of records outside of the window are left out: of other windows, or of records that were appended since.
    fn read(tag: &Tag, rows: Range<u32>) -> Result<Fingerprints> {
        let (first, pending) = (vec![NO_KEY; rows.len()], Vec::with_capacity(PENDING));
        let mut listed = Fingerprints { rows, first, further: Vec::new(), dropped: (0, 0), pending, of_record_0: 0 };
        tag.range(Bound::Unbounded, Bound::Unbounded, |recno, key| {
            listed.take(recno, key);
            ControlFlow::Continue(())
        })?;
        listed.settle();
        listed.further.sort_unstable_by_key(|(row, _)| *row);
        Ok(listed)
    }

    fn take(&mut self, recno: u32, key: &[u8]) {
        let Some(row) = recno.checked_sub(1) else {
            self.of_record_0 += 1;
            return;
        };
        if self.rows.contains(&row) {
            self.pending.push((row, fingerprint(key)));
            if self.pending.len() == PENDING {
                self.settle();
            }
        }
    }

    /// Puts the pending fingerprints in their places.
    fn settle(&mut self) {
        for (row, fingerprint) in self.pending.drain(..) {
            let Some(first) = self.first.get_mut((row - self.rows.start) as usize) else { continue };
            if *first == NO_KEY {
                *first = fingerprint;
            } else if self.further.len() < MOST_FURTHER {
                self.further.push((row, fingerprint));
            } else {
                self.dropped = (self.dropped.0 + 1, if self.dropped.0 == 0 { row + 1 } else { self.dropped.1 });
            }
        }
    }
}

/// A hash of the bytes of a key, never 0: eight bytes at a time, each multiplied to 128 bits of which both halves count.
fn fingerprint(key: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    const ADDEND: u64 = 0xD1B5_4A32_D192_ED03;
    let mut hash = (key.len() as u64).wrapping_mul(ADDEND);
    let mut mix = |word: u64| {
        let product = u128::from(hash ^ word) * u128::from(FACTOR);
        hash = ((product as u64) ^ ((product >> 64) as u64)).wrapping_add(ADDEND).rotate_left(29);
    };
    let (words, rest) = key.as_chunks::<8>();
    words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        mix(u64::from_le_bytes(last));
    }
    let product = u128::from(hash) * u128::from(ADDEND);
    ((product as u64) ^ ((product >> 64) as u64)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Keys that differ in one bit, and beginnings of each other, have fingerprints of their own.
    #[test]
    fn fingerprints_of_similar_keys_differ() {
        let mut seen = HashSet::new();
        let mut keys = 0;
        for length in 0..40 {
            let key = vec![b' '; length];
            keys += 1;
            seen.insert(fingerprint(&key));
            for bit in 0..length * 8 {
                let mut other = key.clone();
                other[bit / 8] ^= 1 << (bit % 8);
                keys += 1;
                seen.insert(fingerprint(&other));
            }
        }
        for number in 0..100_000_u64 {
            keys += 1;
            seen.insert(fingerprint(format!("KEY {number:>9}").as_bytes()));
        }
        assert_eq!(seen.len(), keys);
        assert!(!seen.contains(&NO_KEY));
    }
}
