//! The packed leaf of compact indexes (CDX, compact IDX).
//!
//! A leaf lists its entries from the front and the bytes of their keys from the back. An entry is a
//! little-endian number of `entry_len` bytes that holds a record number and two counts: how many leading
//! bytes the key shares with the key before it (duplicates), and how many pad bytes end it (trailing).
//! Only what is between is stored.
//!
//! ```text
//!   24        entries ->                free                    <- stored bytes       page end
//!   | rec,dup,trail | rec,dup,trail | ...           | key 2 | key 1 | key 0 |
//! ```
//!
//! So a leaf is read from its first entry on. A search does not rebuild the keys it passes: it knows how
//! many bytes of the target the previous key had in common, and a key that shares more than that with its
//! predecessor compares as the predecessor did. Of a leaf that is searched again and again, keys of up to eight bytes are
//! made into numbers ([`Leaf::short_keys`]), among which they are found by bisection.

use super::node::Reason;
use std::cmp::Ordering;

/// Where the entries of a packed leaf begin.
pub(crate) const ENTRIES_START: usize = 24;

/// Keys of up to so many bytes (numbers, dates) fit into a number.
pub(crate) const SHORT_KEY: usize = 8;

/// The bits of a word that are behind its first so many bytes.
const BEHIND: [u64; SHORT_KEY + 1] = [
    u64::MAX,
    u64::MAX >> 8,
    u64::MAX >> 16,
    u64::MAX >> 24,
    u64::MAX >> 32,
    u64::MAX >> 40,
    u64::MAX >> 48,
    u64::MAX >> 56,
    0,
];

/// The packing of one leaf's entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packing {
    pub(crate) entry_len: usize,
    record_mask: u64,
    record_bits: u32,
    duplicate_mask: u64,
    duplicate_bits: u32,
    trailing_mask: u64,
    trailing_bits: u32,
}

/// One entry: its record, and its key relative to the key before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'p> {
    pub(crate) record: u32,
    pub(crate) duplicates: usize,
    pub(crate) stored: &'p [u8],
}

/// A packed leaf of which the header is understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'p> {
    pub(crate) page: &'p [u8],
    pub(crate) count: usize,
    pub(crate) key_len: usize,
    pub(crate) pad: u8,
    pub(crate) packing: Packing,
}

/// Reads the entries of a leaf from the first on.
#[derive(Clone, Debug)]
pub(crate) struct Entries<'p> {
    leaf: Leaf<'p>,
    next: usize,
    stored_start: usize,
}

impl Packing {
    /// Reads the packing out of a leaf's header and checks that its parts agree with each other.
    #[inline]
    pub(crate) fn parse(page: &[u8], count: usize) -> Result<Packing, Reason> {
        let Some(header) = page.get(12..ENTRIES_START) else { return Err("the page is too short".into()) };
        let [record_bits, duplicate_bits, trailing_bits] = [header[8], header[9], header[10]].map(u32::from);
        let entry_len = usize::from(header[11]);
        if count == 0 {
            return Ok(Packing::default());
        }
        let bits = record_bits + duplicate_bits + trailing_bits;
        if entry_len > 8 || record_bits > 40 || duplicate_bits > 16 || trailing_bits > 16 {
            return Err("the leaf's bit counts are out of range".into());
        }
        if bits as usize != entry_len * 8 {
            return Err(
                format!("the leaf's bit counts make {bits} bits, and its entries have {entry_len} bytes").into()
            );
        }
        let mask = |bits: u32| (1u64 << bits) - 1;
        let stored = u64::from(u32::from_le_bytes([header[2], header[3], header[4], header[5]]));
        let short_masks_agree = duplicate_bits > 8
            || trailing_bits > 8
            || (u64::from(header[6]) == mask(duplicate_bits) && u64::from(header[7]) == mask(trailing_bits));
        // The header has room for 32 bits of the mask; Harbour gives short keys of high records more.
        if stored != mask(record_bits.min(32)) || !short_masks_agree {
            return Err("the leaf's masks do not fit its bit counts".into());
        }
        if ENTRIES_START + count * entry_len > page.len() {
            return Err(format!("{count} entries do not fit into the leaf").into());
        }
        Ok(Packing {
            entry_len,
            record_mask: mask(record_bits),
            record_bits,
            duplicate_mask: mask(duplicate_bits),
            duplicate_bits,
            trailing_mask: mask(trailing_bits),
            trailing_bits,
        })
    }

    /// The bits of the record number, the duplicate count and the trailing count.
    pub(crate) fn bits(&self) -> (u32, u32, u32) {
        (self.record_bits, self.duplicate_bits, self.trailing_bits)
    }
}

impl<'p> Leaf<'p> {
    #[inline(always)]
    fn number(&self, index: usize) -> u64 {
        let start = ENTRIES_START + index * self.packing.entry_len;
        if let Some(bytes) = self.page.get(start..start + 8)
            && let Ok(bytes) = <[u8; 8]>::try_from(bytes)
        {
            return u64::from_le_bytes(bytes);
        }
        // The entry is so near to the end of the page that eight bytes cannot be loaded at once.
        let bytes = self.page.get(start..start + self.packing.entry_len).unwrap_or_default();
        bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Calls `visit` with each key of at most [`SHORT_KEY`] bytes as a word, from the first on: the word, its first byte the
    /// highest and pad bytes where the key has none, and the entry's record, duplicates and stored bytes.
    #[inline(always)]
    pub(crate) fn words(&self, mut visit: impl FnMut(u64, u32, usize, usize)) -> Result<(), Reason> {
        let Leaf { page, count, key_len, pad, packing } = *self;
        let blank = u64::from_ne_bytes([pad; SHORT_KEY]);
        let entries_end = ENTRIES_START + count * packing.entry_len;
        let (mut word, mut end) = (0, page.len());
        for index in 0..count {
            let number = self.number(index);
            let duplicates = (number >> packing.record_bits & packing.duplicate_mask) as usize;
            let trailing = (number >> (packing.record_bits + packing.duplicate_bits) & packing.trailing_mask) as usize;
            // The first key has no key before it to share bytes with, whatever its count says.
            let duplicates = if index == 0 { 0 } else { duplicates };
            let text_len = key_len.wrapping_sub(trailing);
            let stored_len = text_len.wrapping_sub(duplicates);
            let (Some(kept), Some(padded), Some(low)) =
                (BEHIND.get(duplicates), BEHIND.get(text_len), BEHIND.get(SHORT_KEY.wrapping_sub(stored_len)))
            else {
                return Err(counts_exceed_the_key(index, duplicates, trailing, key_len));
            };
            // Entries are in front of the stored bytes, so there are eight bytes to be loaded.
            let stored = page.get(..end).and_then(<[u8]>::last_chunk::<SHORT_KEY>);
            let Some(stored) = stored.filter(|_| end - stored_len >= entries_end) else {
                return Err(bytes_overlap(index));
            };
            // Where the key stores nothing, what is shifted is nothing.
            let own = (u64::from_be_bytes(*stored) & low).wrapping_shl(8 * (SHORT_KEY - text_len) as u32);
            word = word & !kept | own | blank & padded;
            visit(word, (number & packing.record_mask) as u32, duplicates, stored_len);
            end -= stored_len;
        }
        Ok(())
    }

    /// The record number of an entry.
    #[inline]
    pub(crate) fn record(&self, index: usize) -> u32 {
        (self.number(index) & self.packing.record_mask) as u32
    }

    /// Returns true if the first entry counts no bytes that it shared with one before.
    pub(crate) fn first_shares_nothing(&self) -> bool {
        self.count == 0 || self.number(0) >> self.packing.record_bits & self.packing.duplicate_mask == 0
    }

    /// All entries, from the first.
    #[inline]
    pub(crate) fn entries(&self) -> Entries<'p> {
        Entries { leaf: *self, next: 0, stored_start: self.page.len() }
    }

    /// The free bytes between the entries and the stored bytes.
    pub(crate) fn free(&self) -> Result<usize, Reason> {
        let mut entries = self.entries();
        while entries.advance()?.is_some() {}
        Ok(entries.stored_start - (ENTRIES_START + self.count * self.packing.entry_len))
    }

    /// The first entry whose key does not come before `target`, and whether that key starts with it.
    /// With `past_equal`, the first whose key comes after all keys that start with `target`.
    #[inline]
    pub(crate) fn search(&self, target: &[u8], past_equal: bool) -> Result<(usize, bool), Reason> {
        let target = &target[..target.len().min(self.key_len)];
        let Packing { record_bits, duplicate_bits, duplicate_mask, trailing_mask, .. } = self.packing;
        // The leading bytes that the target and the previous key have in common.
        let (mut matched, mut stored_end) = (0, self.page.len());
        for index in 0..self.count {
            let number = self.number(index);
            let duplicates = if index == 0 { 0 } else { (number >> record_bits & duplicate_mask) as usize };
            let trailing = (number >> (record_bits + duplicate_bits) & trailing_mask) as usize;
            // Most entries are passed over by their counts alone; what these lead to is looked at where it is needed.
            let stored_start = stored_end.wrapping_add(duplicates + trailing).wrapping_sub(self.key_len);
            let same_as_previous =
                index > 0 && (duplicates > matched || (matched == target.len() && duplicates == matched));
            if !same_as_previous {
                let Some(stored) = self.page.get(stored_start..stored_end) else { return Err(bytes_overlap(index)) };
                let (order, common) = self.compare(duplicates, stored, target);
                match order {
                    Ordering::Less => {}
                    Ordering::Equal if past_equal => {}
                    order => return Ok((index, order == Ordering::Equal)),
                }
                matched = common;
            }
            stored_end = stored_start;
        }
        Ok((self.count, false))
    }

    /// Hands out the records of the keys that start with `target`; false when the keys after this leaf may, too.
    #[inline]
    pub(crate) fn equal(&self, target: &[u8], mut visit: impl FnMut(u32)) -> Result<bool, Reason> {
        let target = &target[..target.len().min(self.key_len)];
        let mut entries = self.entries();
        let (mut matched, mut is_first, mut is_equal) = (0, true, false);
        while let Some(entry) = entries.advance()? {
            // As in a search: a key that shares more with the previous key than the target does compares as that key
            // did.
            let same_as_previous =
                !is_first && (entry.duplicates > matched || (matched == target.len() && entry.duplicates == matched));
            if !same_as_previous {
                let (order, common) = self.compare(entry.duplicates, entry.stored, target);
                if order == Ordering::Greater {
                    return Ok(true);
                }
                (is_equal, matched) = (order == Ordering::Equal, common);
            }
            if is_equal {
                visit(entry.record);
            }
            is_first = false;
        }
        Ok(false)
    }

    /// Returns true if keys of this length are kept as numbers: see [`Leaf::short_keys`].
    #[inline]
    pub(crate) fn has_short_keys(&self) -> bool {
        self.key_len <= SHORT_KEY
    }

    /// The keys, of at most [`SHORT_KEY`] bytes, as numbers in the order of the keys.
    pub(crate) fn short_keys(&self) -> Result<Box<[u64]>, Reason> {
        let mut keys = Vec::with_capacity(self.count);
        self.words(|word, _, _, _| keys.push(word))?;
        Ok(keys.into())
    }

    /// As [`equal`](Leaf::equal), by the leaf's [`short_keys`](Leaf::short_keys).
    pub(crate) fn equal_among(&self, keys: &[u64], target: &[u8], mut visit: impl FnMut(u32)) -> bool {
        let target = &target[..target.len().min(self.key_len)];
        let (mut first, mut last) = ([0; SHORT_KEY], [u8::MAX; SHORT_KEY]);
        first[..target.len()].copy_from_slice(target);
        last[..target.len()].copy_from_slice(target);
        let (first, last) = (u64::from_be_bytes(first), u64::from_be_bytes(last));
        let start = keys.partition_point(|key| *key < first);
        for (index, key) in keys.iter().enumerate().skip(start) {
            if *key > last {
                return true;
            }
            visit(self.record(index));
        }
        false
    }

    /// Compares the key of an entry, of which the duplicate bytes are known to equal the target's, with
    /// the target; gives also how many leading bytes they share.
    #[inline(always)]
    fn compare(&self, duplicates: usize, stored: &[u8], target: &[u8]) -> (Ordering, usize) {
        let mut at = duplicates.min(target.len());
        let rest = &target[at..];
        for (key, wanted) in stored.iter().zip(rest) {
            if key != wanted {
                return (key.cmp(wanted), at);
            }
            at += 1;
        }
        while at < target.len() {
            if self.pad != target[at] {
                return (self.pad.cmp(&target[at]), at);
            }
            at += 1;
        }
        (Ordering::Equal, at)
    }
}

impl<'p> Entries<'p> {
    /// The next entry; an error when its counts do not fit the key or its bytes not the page.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Result<Option<Entry<'p>>, Reason> {
        let Leaf { page, count, key_len, packing, .. } = self.leaf;
        if self.next >= count {
            return Ok(None);
        }
        let number = self.leaf.number(self.next);
        let record = (number & packing.record_mask) as u32;
        let duplicates = (number >> packing.record_bits & packing.duplicate_mask) as usize;
        let trailing = (number >> (packing.record_bits + packing.duplicate_bits) & packing.trailing_mask) as usize;
        // The first key has no key before it to share bytes with, whatever its count says.
        let duplicates = if self.next == 0 { 0 } else { duplicates };
        let Some(stored_len) = key_len.checked_sub(duplicates + trailing) else {
            return Err(counts_exceed_the_key(self.next, duplicates, trailing, key_len));
        };
        let entries_end = ENTRIES_START + count * packing.entry_len;
        let start = self.stored_start.checked_sub(stored_len).filter(|start| *start >= entries_end);
        let Some(start) = start else { return Err(bytes_overlap(self.next)) };
        let stored = &page[start..self.stored_start];
        self.stored_start = start;
        self.next += 1;
        Ok(Some(Entry { record, duplicates, stored }))
    }
}

impl Entry<'_> {
    /// Turns the key of the entry before, in `key`, into the key of this entry. `text_len` says how much of
    /// the key before is not pad bytes, and is set to the same for this one.
    #[inline(always)]
    pub(crate) fn apply(&self, key: &mut [u8], text_len: &mut usize, pad: u8) {
        let end = self.duplicates + self.stored.len();
        copy_short(self.stored, &mut key[self.duplicates..end]);
        if end < *text_len {
            key[end..*text_len].fill(pad);
        }
        *text_len = end;
    }

    /// Returns true if the key of this entry comes before the one that `previous` holds.
    #[inline]
    pub(crate) fn is_before(&self, previous: &[u8], pad: u8) -> bool {
        let old = &previous[self.duplicates..];
        if let (Some(new), Some(old)) = (self.stored.first(), old.first())
            && new != old
        {
            return new < old;
        }
        let (stored, tail) = old.split_at(self.stored.len());
        match self.stored.cmp(stored) {
            Ordering::Equal => tail.iter().find(|byte| **byte != pad).is_some_and(|byte| pad < *byte),
            order => order == Ordering::Less,
        }
    }
}

/// Copies a few bytes: keys mostly differ in 1 to 8, and a call to copy them costs more than they do. Two
/// chunks that overlap cover every length between their own and twice that.
#[inline(always)]
fn copy_short(from: &[u8], to: &mut [u8]) {
    match from.len() {
        0 => {}
        1 => to[0] = from[0],
        2..=3 => copy_chunks::<2>(from, to),
        4..=8 => copy_chunks::<4>(from, to),
        _ => to.copy_from_slice(from),
    }
}

#[inline(always)]
fn copy_chunks<const LEN: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(first), Some(place)) = (from.first_chunk::<LEN>(), to.first_chunk_mut::<LEN>()) {
        *place = *first;
    }
    if let (Some(last), Some(place)) = (from.last_chunk::<LEN>(), to.last_chunk_mut::<LEN>()) {
        *place = *last;
    }
}

#[cold]
fn counts_exceed_the_key(index: usize, duplicates: usize, trailing: usize, key_len: usize) -> Reason {
    format!("entry {index} has {duplicates} duplicate and {trailing} trailing bytes in a key of {key_len}").into()
}

#[cold]
fn bytes_overlap(index: usize) -> Reason {
    format!("the stored bytes of entry {index} run into the entries").into()
}
