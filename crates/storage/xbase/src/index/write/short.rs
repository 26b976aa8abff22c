//! Packed leaves of keys that fit one word of the machine, as those of numbers, dates and short texts do.
//!
//! Beside other programs every change writes its leaves anew, so the time that packing takes is part of every update.
//! A key of up to 8 bytes is taken as a number, its first byte the highest, filled up with pad bytes:
//!
//! ```text
//!   "AB  " with pad ' '     41 42 20 20 20 20 20 20
//!   own trailing bytes      equal bytes at the end of the number and of one of pad bytes, without the filling
//!   duplicate bytes         equal bytes at its beginning and that of the number before, but never pad bytes of either
//! ```
//! The stored bytes of a key are moved to the end of a word and written with one store, and so is its entry; surplus
//! bytes of the store fall where nothing is written yet. Near the place where entries and keys meet, bytes are written
//! exactly. The page is the same as `Unpacked::encode` makes it of longer keys; a test compares both.
//!
//! Unpacking a leaf is one pass over its words, too: it checks their order, counts the bytes that packing would store,
//! and compares these with the page. A page that is equal need not be packed when one of its keys has changed.

use super::pack::Bits;
use crate::index::leaf::{ENTRIES_START, Leaf, SHORT_KEY};
use crate::index::node::Reason;

/// The longest keys that are packed here.
pub(super) const LONGEST: usize = SHORT_KEY;

/// Writes entries and keys of a leaf into a page that is blank but for its first fields. False if they do not fit.
pub(super) fn pack(page: &mut [u8], bits: &Bits, keys: &[u8], records: &[u32], key_len: usize, pad: u8) -> bool {
    let filling = LONGEST - key_len;
    let blank = u64::from_ne_bytes([pad; LONGEST]);
    let entries_end = ENTRIES_START + records.len() * bits.entry_len;
    let (mut bottom, mut at) = (page.len(), ENTRIES_START);
    // Nothing is shared with what comes before the first key.
    let (mut before, mut before_trailing, mut most_shared) = (0, 0, 0);
    for (key, record) in keys.chunks_exact(key_len).zip(records) {
        let word = word_of(key, blank);
        let trailing = ((word ^ blank).trailing_zeros() / 8) as usize - filling;
        let shared = ((word ^ before).leading_zeros() / 8) as usize;
        let duplicates = shared.min(most_shared).min(key_len - trailing.max(before_trailing));
        let stored_len = key_len - duplicates - trailing;
        if bottom < entries_end + stored_len {
            return false;
        }
        let entry = u64::from(*record)
            | (duplicates as u64) << bits.record
            | (trailing as u64) << (bits.record + bits.duplicate);
        // Stores of a width that is known are one instruction each.
        match page.get_mut(at..bottom).and_then(<[u8]>::first_chunk_mut::<LONGEST>) {
            Some(place) => *place = entry.to_le_bytes(),
            None => page[at..at + bits.entry_len].copy_from_slice(&entry.to_le_bytes()[..bits.entry_len]),
        }
        at += bits.entry_len;
        if stored_len > 0 {
            let stored = (word >> (8 * (trailing + filling))).to_be_bytes();
            match page.get_mut(entries_end..bottom).and_then(<[u8]>::last_chunk_mut::<LONGEST>) {
                Some(place) => *place = stored,
                None => page[bottom - stored_len..bottom].copy_from_slice(&stored[LONGEST - stored_len..]),
            }
            bottom -= stored_len;
        }
        (before, before_trailing, most_shared) = (word, trailing, key_len);
    }
    page[entries_end..bottom].fill(0);
    bits.write(page, bottom - entries_end);
    true
}

/// The bytes of these keys that a leaf stores.
pub(super) fn stored_bytes(keys: &[u8], key_len: usize, pad: u8) -> usize {
    let filling = LONGEST - key_len;
    let blank = u64::from_ne_bytes([pad; LONGEST]);
    let (mut before, mut before_trailing, mut most_shared, mut stored) = (0, 0, 0, 0);
    for key in keys.chunks_exact(key_len) {
        let word = word_of(key, blank);
        let trailing = ((word ^ blank).trailing_zeros() / 8) as usize - filling;
        let shared = ((word ^ before).leading_zeros() / 8) as usize;
        stored += key_len - trailing - shared.min(most_shared).min(key_len - trailing.max(before_trailing));
        (before, before_trailing, most_shared) = (word, trailing, key_len);
    }
    stored
}

/// The measurements of an unpacked leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// The bytes of its keys that packing stores.
    pub(super) stored: usize,
    /// These are the bytes that the page stores, and each entry counts as packing does.
    pub(super) is_as_packed: bool,
    /// The highest record.
    pub(super) highest: u32,
}

/// Takes the entries of a leaf apart and puts its keys and records behind those that are there.
pub(super) fn unpack(leaf: &Leaf<'_>, keys: &mut Vec<u8>, records: &mut Vec<u32>) -> Result<Taken, Reason> {
    let key_len = leaf.key_len;
    let filling = LONGEST - key_len;
    let blank = u64::from_ne_bytes([leaf.pad; LONGEST]);
    let (mut before, mut before_trailing, mut most_shared) = (0, 0, 0);
    // The first key has nothing in front of it to share, whatever its entry says; packing says so.
    let mut taken = Taken { stored: 0, is_as_packed: leaf.first_shares_nothing(), highest: 0 };
    let (mut is_ordered, mut at) = (true, keys.len());
    // Each key is stored as a word, of which the next one takes what is too much.
    keys.resize(at + leaf.count * key_len + LONGEST, 0);
    leaf.words(|word, record, entry_duplicates, entry_stored| {
        is_ordered &= before <= word;
        let trailing = ((word ^ blank).trailing_zeros() / 8) as usize - filling;
        let shared = ((word ^ before).leading_zeros() / 8) as usize;
        let duplicates = shared.min(most_shared).min(key_len - trailing.max(before_trailing));
        let stored_len = key_len - duplicates - trailing;
        taken.stored += stored_len;
        taken.is_as_packed &= (entry_duplicates, entry_stored) == (duplicates, stored_len);
        taken.highest = taken.highest.max(record);
        if let Some(place) = keys.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<LONGEST>) {
            *place = word.to_be_bytes();
        }
        at += key_len;
        records.push(record);
        (before, before_trailing, most_shared) = (word, trailing, key_len);
    })?;
    keys.truncate(at);
    if is_ordered { Ok(taken) } else { Err("the keys of the page are not in their order".into()) }
}

/// The duplicate and trailing counts of a key of at most [`LONGEST`] bytes that follows another.
#[inline]
pub(super) fn counts(before: Option<&[u8]>, key: &[u8], pad: u8) -> (usize, usize) {
    let filling = LONGEST - key.len();
    let blank = u64::from_ne_bytes([pad; LONGEST]);
    let word = word_of(key, blank);
    let trailing_of = |word: u64| ((word ^ blank).trailing_zeros() / 8) as usize - filling;
    let trailing = trailing_of(word);
    let Some(before) = before else { return (0, trailing) };
    let before = word_of(before, blank);
    let shared = ((word ^ before).leading_zeros() / 8) as usize;
    (shared.min(key.len() - trailing.max(trailing_of(before))), trailing)
}

/// A key as a number, its first byte the highest; where there are fewer than eight, those of `blank` follow.
#[inline]
pub(super) fn word_of(key: &[u8], blank: u64) -> u64 {
    if let Some(bytes) = key.first_chunk::<LONGEST>() {
        return u64::from_be_bytes(*bytes);
    }
    if let Ok(bytes) = <[u8; 4]>::try_from(key) {
        return u64::from(u32::from_be_bytes(bytes)) << 32 | blank & u64::from(u32::MAX);
    }
    let number = key.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let filling = 64 - 8 * key.len() as u32;
    number << filling | blank & !(u64::MAX << filling)
}

#[cfg(test)]
mod tests {
    use super::super::pack::{self, Counting};
    use super::super::spec::put;
    use super::*;
    use crate::index::dialect::RecordBits;
    use crate::index::leaf::Packing;

    /// The same page, byte by byte.
    fn plainly(page: &mut [u8], bits: &Bits, keys: &[u8], records: &[u32], key_len: usize, pad: u8) {
        let entries_end = ENTRIES_START + records.len() * bits.entry_len;
        let (mut before, mut bottom) = (None, page.len());
        for (index, key) in keys.chunks_exact(key_len).enumerate() {
            let (duplicates, trailing) = pack::counts_of_long(before, key, pad, Counting::Usual);
            bits.write_entry(page, index, records[index], duplicates, trailing);
            let stored = &key[duplicates..key_len - trailing];
            bottom -= stored.len();
            page[bottom..bottom + stored.len()].copy_from_slice(stored);
            before = Some(key);
        }
        bits.write(page, bottom - entries_end);
    }

    /// A page of these keys, taken apart, gives them, and what is known of it; and one that stores more than it must is no
    /// page that packing gives.
    fn taken_apart_again(bits: &Bits, keys: &[Vec<u8>], records: &[u32], (key_len, pad): (usize, u8), stored: usize) {
        let mut page = vec![0; ENTRIES_START + records.len() * bits.entry_len + keys.len() * key_len];
        put(&mut page, 2, &(records.len() as u16).to_le_bytes());
        assert!(pack(&mut page, bits, &keys.concat(), records, key_len, pad));
        let apart = |page: &[u8]| {
            let packing = Packing::parse(page, records.len()).unwrap();
            let leaf = Leaf { page, count: records.len(), key_len, pad, packing };
            let (mut found, mut numbers) = (Vec::new(), Vec::new());
            let taken = unpack(&leaf, &mut found, &mut numbers).unwrap();
            assert_eq!((found, &numbers[..]), (keys.concat(), records));
            taken
        };
        let taken = apart(&page);
        let highest = records.iter().copied().max().unwrap_or(0);
        assert_eq!(taken, Taken { stored, is_as_packed: true, highest });

        // The last key stored whole.
        let Some((last, at)) = keys.last().zip(records.len().checked_sub(1)) else { return };
        let (duplicates, trailing) =
            pack::counts_of_long(at.checked_sub(1).map(|at| &keys[at][..]), last, pad, Counting::Usual);
        bits.write_entry(&mut page, at, records[at], 0, 0);
        let bottom = page.len() - stored + (key_len - duplicates - trailing);
        page[bottom - key_len..bottom].copy_from_slice(last);
        let taken = apart(&page);
        assert_eq!(taken, Taken { stored, is_as_packed: (duplicates, trailing) == (0, 0), highest });
    }

    #[test]
    fn pages_are_those_of_long_keys() {
        let mut state = 7u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..20_000 {
            let (key_len, pad) = (1 + round % LONGEST, if round % 3 == 0 { 0 } else { b' ' });
            let letters = 1 + random(4);
            let count = random(150) as usize;
            let mut keys: Vec<Vec<u8>> = (0..count)
                .map(|_| {
                    let letter = |value| if value == 0 { pad } else { b'A' + value as u8 };
                    (0..key_len).map(|_| letter(random(letters))).collect()
                })
                .collect();
            keys.sort();
            let most = 1 << (1 + random(31));
            let records: Vec<u32> = (0..count).map(|_| 1 + random(most) as u32).collect();
            let bits = Bits::new(RecordBits::OfFixedEntry, key_len, records.iter().copied().max().unwrap_or(1));
            let mut taken = records.len() * bits.entry_len;
            for (at, key) in keys.iter().enumerate() {
                let before = at.checked_sub(1).map(|before| keys[before].as_slice());
                let (duplicates, trailing) = pack::counts_of_long(before, key, pad, Counting::Usual);
                assert_eq!(counts(before, key, pad), (duplicates, trailing));
                taken += key_len - duplicates - trailing;
            }
            assert_eq!(taken, records.len() * bits.entry_len + stored_bytes(&keys.concat(), key_len, pad));
            taken_apart_again(&bits, &keys, &records, (key_len, pad), stored_bytes(&keys.concat(), key_len, pad));
            // Pages of exactly the size that is needed are those where entries and keys meet.
            let room = ENTRIES_START + taken + [0, 1, 5, 100][round % 4];
            let (mut quick, mut plain) = (vec![0; room], vec![0; room]);
            assert!(pack(&mut quick, &bits, &keys.concat(), &records, key_len, pad));
            plainly(&mut plain, &bits, &keys.concat(), &records, key_len, pad);
            assert_eq!(quick, plain, "keys of {key_len} bytes, {count} of them, {room} bytes");
            if taken > 0 {
                assert!(!pack(
                    &mut vec![0; room - 1 - [0, 1, 5, 100][round % 4]],
                    &bits,
                    &keys.concat(),
                    &records,
                    key_len,
                    pad
                ));
            }
        }
    }
}
