//! The bytes of a packed leaf as they were written last, updated for single insertions and deletions of keys.
//!
//! Beside other programs every change of a record writes its leaves anew. Packing all keys of a leaf again takes longer
//! than the write; one key changes only its own entry, the counts of the key behind it, and the place of the rest:
//!
//! ```text
//!   before   | 0 1 2 3 | free            | 3 2 1 0 |
//!   insert   | 0 1 k 2'3 | free      | 3 2'k 1 0 |     entries behind k move up, stored bytes behind it down
//!   remove   the other way
//! ```
//! The bytes are those that packing gives; debug builds compare them at every write, and a test does. The fields in front of
//! the entries' description, which say where the page stands in its tree, are the caller's to write.

use super::pack::{self, Bits, Counting};
use crate::index::leaf::ENTRIES_START;
use std::ops::Range;

/// The page of a packed leaf.
#[derive(Clone, Debug)]
pub(super) struct Image(Box<[u8]>);

/// The leaf that is changed, as it is before.
#[derive(Clone, Copy)]
pub(super) struct Packed<'k> {
    pub(super) bits: Bits,
    pub(super) counting: Counting,
    pub(super) pad: u8,
    /// The number of keys, and the bytes that they and their entries take.
    pub(super) count: usize,
    pub(super) used: usize,
    /// The keys in front of and behind the one that comes or goes; with that behind, its record.
    pub(super) before: Option<&'k [u8]>,
    pub(super) after: Option<(&'k [u8], u32)>,
}

/// The counts in an entry of a leaf.
#[derive(Clone, Copy)]
struct Counts {
    duplicates: usize,
    trailing: usize,
}

impl Counts {
    fn of(before: Option<&[u8]>, key: &[u8], leaf: &Packed<'_>) -> Counts {
        let (duplicates, trailing) = pack::counts(before, key, leaf.pad, leaf.counting);
        Counts { duplicates, trailing }
    }

    fn stored<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        &key[self.duplicates..key.len() - self.trailing]
    }
}

impl Image {
    /// The page as it was written.
    pub(super) fn new(page: &[u8]) -> Image {
        Image(page.into())
    }

    /// The image of a leaf as it was read. Its entries and stored bytes, `used` bytes together, must be those that
    /// packing gives.
    pub(super) fn of(page: &[u8], bits: &Bits, count: usize, used: usize) -> Option<Image> {
        let mut image = Image::new(page);
        let entries_end = ENTRIES_START + count * bits.entry_len;
        let bottom = page.len().checked_sub(used.checked_sub(count * bits.entry_len)?)?;
        // Other programs may leave any bytes in the gap.
        image.0.get_mut(entries_end..bottom)?.fill(0);
        bits.write(&mut image.0, bottom - entries_end);
        Some(image)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Puts a key and its record in front of item `index`. False if there is no room; the image is of no use then.
    pub(super) fn insert(&mut self, leaf: &Packed<'_>, index: usize, key: &[u8], record: u32) -> bool {
        let Packed { bits, count, .. } = *leaf;
        let own = Counts::of(leaf.before, key, leaf);
        let stored = own.stored(key);
        let Some((top, bottom)) = self.stored_range(leaf, index, key.len()) else { return false };
        let (mut old_len, mut next) = (0, None);
        if let Some((after, after_record)) = leaf.after {
            let counts = Counts::of(Some(key), after, leaf);
            old_len = Counts::of(leaf.before, after, leaf).stored(after).len();
            next = Some((counts, counts.stored(after), after_record));
        }
        let next_len = next.map_or(0, |(_, stored, _)| stored.len());
        let entries_end = ENTRIES_START + (count + 1) * bits.entry_len;
        let Some(new_bottom) = (bottom + old_len).checked_sub(stored.len() + next_len) else { return false };
        if new_bottom < entries_end {
            return false;
        }
        let page = &mut self.0;
        page.copy_within(bottom..top - old_len, new_bottom);
        page[top - stored.len()..top].copy_from_slice(stored);
        let entry = ENTRIES_START + index * bits.entry_len;
        page.copy_within(entry..entries_end - bits.entry_len, entry + bits.entry_len);
        bits.write_entry(page, index, record, own.duplicates, own.trailing);
        if let Some((counts, stored_after, after_record)) = next {
            let end = top - stored.len();
            page[end - stored_after.len()..end].copy_from_slice(stored_after);
            bits.write_entry(page, index + 1, after_record, counts.duplicates, counts.trailing);
        }
        self.end(leaf, count + 1, bottom, new_bottom)
    }

    /// Takes item `index` out, whose key this is. False if the image is of no use then.
    pub(super) fn remove(&mut self, leaf: &Packed<'_>, index: usize, key: &[u8]) -> bool {
        let Packed { bits, count, .. } = *leaf;
        let Some((top, bottom)) = self.stored_range(leaf, index, key.len()) else { return false };
        let mut old_len = Counts::of(leaf.before, key, leaf).stored(key).len();
        let mut next = None;
        if let Some((after, after_record)) = leaf.after {
            let counts = Counts::of(leaf.before, after, leaf);
            old_len += Counts::of(Some(key), after, leaf).stored(after).len();
            next = Some((counts, counts.stored(after), after_record));
        }
        let next_len = next.map_or(0, |(_, stored, _)| stored.len());
        let entries_end = ENTRIES_START + count * bits.entry_len;
        let Some(new_bottom) = (bottom + old_len).checked_sub(next_len) else { return false };
        if new_bottom < entries_end {
            return false;
        }
        let page = &mut self.0;
        page.copy_within(bottom..top - old_len, new_bottom);
        let entry = ENTRIES_START + index * bits.entry_len;
        page.copy_within(entry + bits.entry_len..entries_end, entry);
        page[entries_end - bits.entry_len..entries_end].fill(0);
        if let Some((counts, stored, after_record)) = next {
            page[top - stored.len()..top].copy_from_slice(stored);
            bits.write_entry(page, index, after_record, counts.duplicates, counts.trailing);
        }
        self.end(leaf, count - 1, bottom, new_bottom)
    }

    /// Clears what is free now, and says how much that is.
    fn end(&mut self, leaf: &Packed<'_>, count: usize, bottom: usize, new_bottom: usize) -> bool {
        let entries_end = ENTRIES_START + count * leaf.bits.entry_len;
        // Entries may have come to where stored bytes were.
        if let Some(free) = self.0.get_mut(bottom.max(entries_end)..new_bottom) {
            free.fill(0);
        }
        leaf.bits.write(&mut self.0, new_bottom - entries_end);
        true
    }

    /// Where the stored bytes of item `index` end, and where those of the last one begin.
    fn stored_range(&self, leaf: &Packed<'_>, index: usize, key_len: usize) -> Option<(usize, usize)> {
        let stored = |entries: Range<usize>| {
            (entries.len() * key_len).saturating_sub(leaf.bits.counts_of(&self.0, entries.clone()))
        };
        let bottom = self.0.len().checked_sub(leaf.used.checked_sub(leaf.count * leaf.bits.entry_len)?)?;
        // From the end that is nearer.
        let top = match index <= leaf.count / 2 {
            true => self.0.len().checked_sub(stored(0..index))?,
            false => bottom + stored(index..leaf.count),
        };
        Some((top, bottom))
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::{Shape, Unpacked};
    use super::*;
    use crate::index::node::{Format, Layout};

    const PAGE_LEN: usize = 512;

    fn shape(key_len: usize, pad: u8) -> Shape {
        let format = Format::Compact;
        let layout = Layout {
            format,
            page_len: PAGE_LEN,
            pointers_are_pages: false,
            key_len,
            pad,
            record_bits: Default::default(),
            falling: false,
            order: Default::default(),
        };
        Shape { layout, max_items: 0, tree: 0 }
    }

    fn packed(leaf: &Unpacked, shape: &Shape) -> Vec<u8> {
        let mut page = vec![0; PAGE_LEN];
        leaf.encode(shape, &mut page).unwrap();
        page
    }

    #[test]
    fn an_image_is_what_packing_gives_whatever_comes_and_goes() {
        let mut state = 11u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let (mut kept, mut dropped) = (0, 0);
        for round in 0..600 {
            let (key_len, pad) = (1 + round % 20, if round % 3 == 0 { 0 } else { b' ' });
            let (shape, letters, most) = (shape(key_len, pad), 1 + random(4), 1 << (1 + random(20)));
            let mut leaf = Unpacked::leaf(&shape, most as u32);
            if round % 4 == 0 {
                leaf.counting = Counting::Tight;
            }
            let mut page = vec![0; PAGE_LEN];
            leaf.encode_again(&shape, &mut page).unwrap();
            for _ in 0..300 {
                let before = leaf.clone();
                if random(3) > 0 || leaf.count() == 0 {
                    let letter = |value| if value == 0 { pad } else { b'A' + value as u8 };
                    let key: Vec<u8> = (0..key_len).map(|_| letter(random(letters + 1))).collect();
                    // Now and then one that makes all entries longer.
                    let below = if random(50) == 0 { most << 8 } else { most };
                    let record = 1 + random(below) as u32;
                    let index = leaf.lower_bound(&shape, &key, record);
                    leaf.insert_childless(&shape, index, &key, record);
                } else {
                    let index = random(leaf.count());
                    leaf.remove_childless(&shape, index, index);
                }
                if !leaf.fits(&shape) {
                    assert!(leaf.image.is_none(), "there is no room for what the image has");
                    leaf = before;
                    continue;
                }
                match &leaf.image {
                    Some(image) => {
                        let plain = packed(&leaf, &shape);
                        assert_eq!(image.bytes()[ENTRIES_START - 12..], plain[ENTRIES_START - 12..], "round {round}");
                        kept += 1;
                    }
                    None => dropped += 1,
                }
                leaf.encode_again(&shape, &mut page).unwrap();
                assert_eq!(page, packed(&leaf, &shape));
            }
        }
        assert!(kept > 100_000 && dropped > 0, "{kept} kept, {dropped} dropped");
    }
}
