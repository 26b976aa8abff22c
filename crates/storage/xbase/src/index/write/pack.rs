//! Packing of leaf entries: the reverse of `index::leaf`.
//!
//! **Counts.** An entry's duplicate count is the number of leading bytes that its key shares with the key before it,
//! but never reaches into the pad bytes at the end of either: both FoxPro and Harbour count so, and so a leaf never
//! needs more space after a key was removed from it.
//!
//! Harbour has exceptions: some of its leaves count duplicate bytes into the pad bytes of the key
//! before, and have no room for anything else. Such a leaf is [`Counting::Tight`] until it is cut or joined.
//!
//! **Bits.** Both counts get as many bits as the key length has. An entry has 3 bytes for keys of up to 255 bytes, 4
//! for keys of up to 4,095 and else 5, and the record number has the bits that are left; when a record needs more,
//! every entry of the leaf gets one byte more, until it fits (Harbour's `hb_cdxPageLeafInitSpace`).

use super::short;
use crate::index::dialect::RecordBits;
use crate::index::leaf::{ENTRIES_START, Packing};

/// Bit counts of a leaf that is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    pub(crate) entry_len: usize,
    pub(crate) record: u32,
    pub(crate) duplicate: u32,
    pub(crate) trailing: u32,
}

impl Bits {
    /// The bits for keys of this length and records up to this one.
    pub(crate) fn new(rule: RecordBits, key_len: usize, max_record: u32) -> Bits {
        let count_bits = count_bits(key_len);
        let entry_len = match (rule, count_bits) {
            (RecordBits::AtLeast(least), bits) => (least + 2 * bits).div_ceil(8) as usize,
            (RecordBits::OfFixedEntry, ..=8) => 3,
            (RecordBits::OfFixedEntry, 9..=12) => 4,
            (RecordBits::OfFixedEntry, _) => 5,
        };
        let record = entry_len as u32 * 8 - 2 * count_bits;
        let mut bits = Bits { entry_len, record, duplicate: count_bits, trailing: count_bits };
        bits.widen(max_record);
        bits
    }

    /// The bits that a leaf has, if they are enough for keys of this length, and else those it should have.
    pub(crate) fn of(packing: &Packing, rule: RecordBits, key_len: usize, max_record: u32) -> Bits {
        let (record, duplicate, trailing) = packing.bits();
        let enough = duplicate >= count_bits(key_len) && trailing >= count_bits(key_len);
        if packing.entry_len == 0 || !enough {
            return Bits::new(rule, key_len, max_record);
        }
        let mut bits = Bits { entry_len: packing.entry_len, record, duplicate, trailing };
        bits.widen(max_record);
        bits
    }

    /// Returns true if a leaf that is packed so has exactly these.
    pub(crate) fn are_of(&self, packing: &Packing) -> bool {
        self.entry_len == packing.entry_len && (self.record, self.duplicate, self.trailing) == packing.bits()
    }

    /// Makes entries longer until a record fits; gives the bytes that every entry has more.
    pub(crate) fn widen(&mut self, record: u32) -> usize {
        let before = self.entry_len;
        while u64::from(record) >> self.record != 0 {
            self.entry_len += 1;
            self.record += 8;
        }
        self.entry_len - before
    }

    /// Writes the part of a leaf's header that is about its entries.
    pub(crate) fn write(&self, page: &mut [u8], free: usize) {
        page[12..14].copy_from_slice(&(free as u16).to_le_bytes());
        let mask = |bits: u32| (1u64 << bits) - 1;
        page[14..18].copy_from_slice(&mask(self.record.min(32)).to_le_bytes()[..4]);
        page[18] = mask(self.duplicate) as u8;
        page[19] = mask(self.trailing) as u8;
        page[20] = self.record as u8;
        page[21] = self.duplicate as u8;
        page[22] = self.trailing as u8;
        page[23] = self.entry_len as u8;
    }

    /// Writes an entry.
    #[inline]
    pub(crate) fn write_entry(&self, page: &mut [u8], index: usize, record: u32, duplicates: usize, trailing: usize) {
        let number = u64::from(record)
            | (duplicates as u64) << self.record
            | (trailing as u64) << (self.record + self.duplicate);
        let start = ENTRIES_START + index * self.entry_len;
        let bytes = number.to_le_bytes();
        page[start..start + self.entry_len].copy_from_slice(&bytes[..self.entry_len]);
    }

    /// The duplicate and the trailing counts of these entries of a page that was written so, all together.
    pub(crate) fn counts_of(&self, page: &[u8], entries: std::ops::Range<usize>) -> usize {
        let Bits { entry_len, record, duplicate, trailing } = *self;
        let (duplicate_mask, trailing_mask) = ((1u64 << duplicate) - 1, (1u64 << trailing) - 1);
        let (mut all, mut at) = (0, ENTRIES_START + entries.start * entry_len);
        for _ in entries {
            let number = match page.get(at..at + 8) {
                Some(bytes) => bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)),
                None => page[at..at + entry_len].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)),
            };
            all += (number >> record & duplicate_mask) + (number >> (record + duplicate) & trailing_mask);
            at += entry_len;
        }
        all as usize
    }
}

/// The bits of a count of up to `key_len`.
fn count_bits(key_len: usize) -> u32 {
    usize::BITS - key_len.leading_zeros()
}

/// The number of pad bytes at the end of a key.
#[inline]
pub(crate) fn trailing(key: &[u8], pad: u8) -> usize {
    let wide = u64::from_ne_bytes([pad; 8]);
    let mut rest = key;
    while let Some((head, tail)) = rest.split_last_chunk::<8>() {
        let differing = u64::from_le_bytes(*tail) ^ wide;
        if differing != 0 {
            return key.len() - rest.len() + differing.leading_zeros() as usize / 8;
        }
        rest = head;
    }
    while let Some((last, head)) = rest.split_last() {
        if *last != pad {
            break;
        }
        rest = head;
    }
    key.len() - rest.len()
}

/// The number of leading bytes that two keys share.
#[inline]
pub(crate) fn shared(left: &[u8], right: &[u8]) -> usize {
    let mut at = 0;
    while let (Some(a), Some(b)) = (left[at..].first_chunk::<8>(), right[at..].first_chunk::<8>()) {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return at + differing.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + left[at..].iter().zip(&right[at..]).take_while(|(a, b)| a == b).count()
}

/// The extent of duplicate bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Not into the pad bytes of either key.
    #[default]
    Usual,
    /// Not into the pad bytes of the key itself: the fewest bytes that a leaf can take.
    Tight,
}

/// The duplicate and trailing counts of a key that follows another.
#[inline]
pub(crate) fn counts(before: Option<&[u8]>, key: &[u8], pad: u8, counting: Counting) -> (usize, usize) {
    if key.len() <= short::LONGEST && counting == Counting::Usual {
        return short::counts(before, key, pad);
    }
    counts_of_long(before, key, pad, counting)
}

/// The same of keys of any length.
pub(super) fn counts_of_long(before: Option<&[u8]>, key: &[u8], pad: u8, counting: Counting) -> (usize, usize) {
    let own = trailing(key, pad);
    match before {
        None => (0, own),
        Some(before) => {
            let common = shared(before, key);
            if common == 0 || (key[common - 1] != pad && common <= key.len() - own) {
                return (common, own);
            }
            // The keys agree into the pad bytes of at least one of them.
            let limit = match counting {
                Counting::Usual => own.max(trailing(before, pad)),
                Counting::Tight => own,
            };
            (common.min(key.len() - limit), own)
        }
    }
}

/// The bytes of a key that a leaf stores when it follows another.
#[inline]
pub(crate) fn stored_len(before: Option<&[u8]>, key: &[u8], pad: u8, counting: Counting) -> usize {
    let (duplicates, trailing) = counts(before, key, pad, counting);
    key.len() - duplicates - trailing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_as_harbour_chooses_them() {
        let bits = |len, record| {
            let bits = Bits::new(RecordBits::OfFixedEntry, len, record);
            (bits.entry_len, bits.record, bits.duplicate)
        };
        assert_eq!(bits(8, 100), (3, 16, 4));
        assert_eq!(bits(8, 65_536), (4, 24, 4));
        assert_eq!(bits(240, 255), (3, 8, 8));
        assert_eq!(bits(240, 70_000), (5, 24, 8));
        assert_eq!(bits(1, 1 << 31), (5, 38, 1));
        assert_eq!(bits(4082, 1), (4, 8, 12));
        assert_eq!(bits(4096, 1), (5, 14, 13));
    }

    /// Leaves that Advantage wrote, by the length of their keys and the number of records.
    #[test]
    fn bits_as_advantage_chooses_them() {
        let bits = |len, record| {
            let bits = Bits::new(RecordBits::AtLeast(12), len, record);
            (bits.record, bits.duplicate, bits.trailing, bits.entry_len)
        };
        assert_eq!(bits(1, 300), (14, 1, 1, 2));
        assert_eq!([8, 13].map(|len| bits(len, 300)), [(16, 4, 4, 3); 2]);
        assert_eq!([16, 30].map(|len| bits(len, 300)), [(14, 5, 5, 3); 2]);
        assert_eq!([33, 60].map(|len| bits(len, 300)), [(12, 6, 6, 3); 2]);
        assert_eq!(bits(60, 9760), (20, 6, 6, 4));
        assert_eq!([64, 100].map(|len| bits(len, 300)), [(18, 7, 7, 4); 2]);
        assert_eq!(bits(200, 300), (16, 8, 8, 4));
        let directory = Bits::new(RecordBits::AtLeast(32), 128, 61);
        assert_eq!((directory.record, directory.duplicate, directory.entry_len), (32, 8, 6));
    }

    #[test]
    fn pad_bytes_are_never_counted_as_duplicates() {
        let usual = |before, key| counts(before, key, b' ', Counting::Usual);
        assert_eq!(usual(None, b"ab  "), (0, 2));
        assert_eq!(usual(Some(b"ab  "), b"ab  "), (2, 2));
        assert_eq!(usual(Some(b"ab  "), b"ab c"), (2, 0));
        assert_eq!(usual(Some(b"abcd"), b"abce"), (3, 0));
        assert_eq!(usual(Some(b"    "), b"    "), (0, 4));
        assert_eq!(usual(Some(b"abcdefgh12345678"), b"abcdefgh12345679"), (15, 0));
        assert_eq!(counts(Some(b"ab  "), b"ab c", b' ', Counting::Tight), (3, 0));
        assert_eq!(trailing(b"abcdefgh            ", b' '), 12);
        assert_eq!(trailing(b"            ", b' '), 12);
        assert_eq!(trailing(b"", b' '), 0);
    }
}
