//! A small reader of Advantage's index files for tests: written from the description of the format, and without any code of
//! the product. It follows every rule strictly and panics where a file breaks one.

#![allow(dead_code, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/adt")).join(name)
}

/// The content of a fixture.
pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).unwrap()
}

/// A key and its record.
pub type Entry = (Vec<u8>, u32);

/// A tag as the small reader finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallTag {
    pub options: u8,
    pub pad: u8,
    pub descending: bool,
    pub key: String,
    pub condition: String,
    pub key_len: usize,
    pub entries: Vec<Entry>,
}

/// Tags by name.
pub type SmallIndex = BTreeMap<String, SmallTag>;

fn u16_at(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn bit_length(number: usize) -> u32 {
    usize::BITS - number.leading_zeros()
}

/// Reads a whole file.
pub fn read_index(file: &[u8]) -> SmallIndex {
    read_with(file, true)
}

/// Reads a whole file in which a branch may have an entry that is greater than all below it: one that was written in part.
pub fn read_mended_index(file: &[u8]) -> SmallIndex {
    read_with(file, false)
}

fn read_with(file: &[u8], is_exact: bool) -> SmallIndex {
    let page_len = match u16_at(file, 18) {
        0 => 512,
        length => length,
    };
    assert_eq!(file.len() % page_len, 0, "the file ends within a page");
    assert_eq!((u16_at(file, 12), file[14], file[15], u16_at(file, 16)), (128, 0x60, b' ', 1024));
    let tree = |root, key_len, pad, is_directory| {
        let (levels, entries) = Default::default();
        let mut walk = Walk { file, page_len, key_len, pad, is_directory, is_exact, levels, entries };
        walk.page(root, 0, true);
        for level in &walk.levels {
            walk.check_siblings(level);
        }
        assert!(walk.entries.is_sorted(), "keys are not in the order of their bytes and records");
        walk.entries
    };
    let mut index = SmallIndex::new();
    for (name, page) in tree(u32_at(file, 0), 128, b' ', true) {
        let header = &file[page as usize * page_len..][..1024];
        let text = |at: usize, len: usize| {
            assert_eq!(header[at + len - 1], 0, "a text without NUL");
            String::from_utf8(header[at..at + len - 1].to_vec()).unwrap()
        };
        let (key_text, for_text) = (u16_at(header, 510), u16_at(header, 506));
        let (key_len, pad) = (u16_at(header, 12), header[15]);
        let tag = SmallTag {
            options: header[14],
            pad,
            descending: header[502] != 0,
            key: text(512, key_text),
            condition: text(512 + key_text, for_text),
            key_len,
            entries: tree(u32_at(header, 0), key_len, pad, false),
        };
        assert_eq!((u16_at(header, 16), u32_at(header, 4)), (1024, 0));
        let name = String::from_utf8(name).unwrap();
        assert!(index.insert(name.trim_end().to_owned(), tag).is_none());
    }
    index
}

struct Walk<'f> {
    file: &'f [u8],
    page_len: usize,
    key_len: usize,
    pad: u8,
    is_directory: bool,
    is_exact: bool,
    /// The pages of each level, from left to right.
    levels: Vec<Vec<u32>>,
    entries: Vec<Entry>,
}

impl<'f> Walk<'f> {
    fn page(&mut self, number: u32, level: usize, is_root: bool) {
        let page: &'f [u8] = &self.file[number as usize * self.page_len..][..self.page_len];
        if self.levels.len() <= level {
            self.levels.push(Vec::new());
        }
        self.levels[level].push(number);
        match u16_at(page, 0) {
            attribute @ (2 | 3) => {
                assert_eq!(attribute == 3, is_root, "page {number}");
                self.leaf(page, number);
            }
            attribute => {
                assert_eq!(attribute, usize::from(is_root), "page {number}");
                self.branch(page, level);
            }
        }
    }

    fn branch(&mut self, page: &[u8], level: usize) {
        let count = u16_at(page, 2);
        assert!(count > 0 && 12 + count * (self.key_len + 8) <= self.page_len);
        for item in page[12..].chunks_exact(self.key_len + 8).take(count) {
            let numbers = |at: usize| u32::from_be_bytes(item[at..at + 4].try_into().unwrap());
            self.page(numbers(self.key_len + 4), level + 1, false);
            let last = self.entries.last().unwrap();
            let entry = (&item[..self.key_len], numbers(self.key_len));
            let below = (&last.0[..], last.1);
            assert!(entry == below || !self.is_exact && entry > below, "a branch's entry: {entry:?}, not {below:?}");
        }
    }

    fn leaf(&mut self, page: &[u8], number: u32) {
        let count = u16_at(page, 2);
        if count == 0 {
            return;
        }
        let (record_bits, duplicate_bits, trailing_bits) =
            (u32::from(page[20]), u32::from(page[21]), u32::from(page[22]));
        let entry_len = usize::from(page[23]);
        assert_eq!((duplicate_bits, trailing_bits), (bit_length(self.key_len), bit_length(self.key_len)));
        assert_eq!(record_bits + duplicate_bits + trailing_bits, 8 * entry_len as u32);
        assert!(record_bits >= if self.is_directory { 32 } else { 12 });
        let mask = |bits: u32| if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
        assert_eq!(u64::from(u32_at(page, 14)), mask(record_bits.min(32)));
        let mut bottom = self.page_len;
        let mut before: Vec<u8> = Vec::new();
        for index in 0..count {
            let at = 24 + index * entry_len;
            let entry = page[at..at + entry_len].iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
            let duplicates = (entry >> record_bits & mask(duplicate_bits)) as usize;
            let trailing = (entry >> (record_bits + duplicate_bits) & mask(trailing_bits)) as usize;
            assert!(index > 0 || duplicates == 0, "the first entry has nothing before it");
            let stored = self.key_len - duplicates - trailing;
            let mut key = before[..duplicates].to_vec();
            key.extend_from_slice(&page[bottom - stored..bottom]);
            key.resize(self.key_len, self.pad);
            bottom -= stored;
            let tail = key.iter().rev().take_while(|byte| **byte == self.pad).count();
            assert_eq!(trailing, tail, "page {number}: trailing bytes are counted to the full");
            self.entries.push((key.clone(), (entry & mask(record_bits)) as u32));
            before = key;
        }
        assert_eq!(u16_at(page, 12), bottom - 24 - count * entry_len, "free bytes of page {number}");
    }

    fn check_siblings(&self, level: &[u32]) {
        for (at, number) in level.iter().enumerate() {
            let page = &self.file[*number as usize * self.page_len..];
            let left = at.checked_sub(1).map_or(u32::MAX, |left| level[left]);
            let right = level.get(at + 1).copied().unwrap_or(u32::MAX);
            assert_eq!((u32_at(page, 4), u32_at(page, 8)), (left, right), "siblings of page {number}");
        }
    }
}

/// The key lists of a fixture: for each tag its entries in the order of the tree.
pub fn key_lists(name: &str) -> BTreeMap<String, Vec<Entry>> {
    let mut lists: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for line in String::from_utf8(bytes(name)).unwrap().lines() {
        let mut words = line.split_whitespace();
        let (tag, record, hex) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let key = (0..hex.len()).step_by(2).map(digits).collect();
        lists.entry(tag.to_owned()).or_default().push((key, record.parse().unwrap()));
    }
    lists
}
