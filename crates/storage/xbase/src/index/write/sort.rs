//! Sorting of keys for a new tag: collected in any order, returned in the order of the tree.
//!
//! An entry is eight bytes of its key as a number and a record, or the place where the rest of it is. Keys of up to
//! eight bytes need nothing else; of longer ones the bytes stay in one buffer. Entries are sorted by their eight
//! bytes with a radix sort that leaves out the bytes in which all keys agree; those that are equal so far are sorted
//! by the next eight, and at last by record.
//!
//! ```text
//!   push ... push         entries, key bytes             within the memory limit
//!        |  limit met     sort, write a run              scratch file: run | run | run
//!   finish                sort; or merge the runs, each read through a window
//! ```
//!
//! A tree that is stored in descending order (NTX) sorts the complements of its keys, so that equal keys stay in the
//! order of their records. In a national order each key has its weights in front, and is sorted by these. Limit: without a scratch file all keys are kept in memory.

use super::dispute::disputed;
use crate::collation::KeyOrder;
use crate::index::header::TagHeader;
use crate::index::node::long;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem, WritableFile};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Collects the keys of one tag and sorts them.
#[derive(Debug)]
pub struct KeySorter {
    key_len: usize,
    /// The bytes in front of each key that it is sorted by, where it is not sorted by itself.
    sort_len: usize,
    order: KeyOrder,
    /// Keys are complemented, because the tree is in descending order.
    falling: bool,
    unique: bool,
    /// Equal keys are an error.
    candidate: bool,
    entries: Vec<Entry>,
    /// The keys of more than eight bytes, and their records.
    keys: Vec<u8>,
    records: Vec<u32>,
    max_record: u32,
    pushed: u64,
    /// True if every record was greater than the one before.
    rising: bool,
    spill: Option<Spill>,
}

/// Eight bytes of a key, and its record or (for longer keys) its place.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    prefix: u64,
    place: u32,
}

/// Where runs are kept that do not fit the memory.
#[derive(Debug)]
struct Spill {
    files: Arc<dyn FileSystem>,
    path: PathBuf,
    limit_bytes: usize,
    file: Option<Arc<dyn WritableFile>>,
    runs: Vec<Run>,
    end: u64,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    start: u64,
    count: u64,
}

impl Drop for Spill {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // The runs are worth nothing to anyone; that they could not be removed is no error of the build.
            let _ = self.files.remove(&self.path);
        }
    }
}

/// The error for a second record with a key in a tag that takes each key once.
#[cold]
fn repeated(record: u32) -> Error {
    let message = format!("record {record} has the same key as a record before it, and the tag takes a key once");
    Error::new(Code::UniqueViolation, message).about(record.to_string())
}

/// The least memory that runs are made of.
const LEAST_LIMIT: usize = 64 << 10;

impl KeySorter {
    /// Sorts for a tag of this definition, in memory.
    pub fn new(header: &TagHeader) -> KeySorter {
        let is_ntx = matches!(header.kind, super::BagKind::Ntx | super::BagKind::CompoundNtx);
        KeySorter {
            key_len: header.key_length,
            sort_len: 0,
            order: KeyOrder::Bytes,
            falling: is_ntx && header.descending,
            unique: header.unique,
            candidate: header.candidate,
            entries: Vec::new(),
            keys: Vec::new(),
            records: Vec::new(),
            max_record: 0,
            pushed: 0,
            rising: true,
            spill: None,
        }
    }

    /// Sorts keys in this order; to be said before the first key is added.
    pub fn in_order(mut self, order: KeyOrder) -> KeySorter {
        if let KeyOrder::National(national) = &order {
            // Whole prefixes: none has bytes of the sort key and of the key.
            self.sort_len = national.collation().sort_key_length(self.key_len).next_multiple_of(8);
        }
        KeySorter { order, ..self }
    }

    /// Keeps at most about `limit_bytes` in memory, and the rest in a scratch file at `path`, which is removed in the
    /// end.
    pub fn with_limit(mut self, limit_bytes: usize, files: Arc<dyn FileSystem>, path: &Path) -> KeySorter {
        let limit_bytes = limit_bytes.max(LEAST_LIMIT);
        self.spill = Some(Spill { files, path: path.to_owned(), limit_bytes, file: None, runs: Vec::new(), end: 0 });
        self
    }

    /// Makes room for this many keys at once.
    pub fn reserve(&mut self, count: usize) {
        let bytes = count.saturating_mul(if self.is_short() { 16 } else { 20 + self.item_len() });
        if self.spill.as_ref().is_none_or(|spill| bytes <= spill.limit_bytes) {
            self.entries.reserve(count);
            if !self.is_short() {
                self.keys.reserve(count * self.item_len());
                self.records.reserve(count);
            }
        }
    }

    /// Adds the key of a record. The key has the length of the tag's keys; records count from 1.
    #[inline]
    pub fn push(&mut self, key: &[u8], record: u32) -> Result<()> {
        if key.len() != self.key_len || record == 0 {
            return Err(super::wrong_key(key, record, self.key_len));
        }
        self.rising &= record > self.max_record;
        self.max_record = self.max_record.max(record);
        self.pushed += 1;
        if self.is_short() {
            self.entries.push(Entry { prefix: self.turned(prefix_at(key, 0)), place: record });
        } else {
            let place = self.records.len() as u32;
            let start = self.keys.len();
            if let KeyOrder::National(national) = &self.order {
                national.collation().write_sort_key(key, &mut self.keys);
                self.keys.resize(start + self.sort_len, 0);
            }
            self.keys.extend_from_slice(key);
            if self.falling {
                self.keys[start..].iter_mut().for_each(|byte| *byte = !*byte);
            }
            self.entries.push(Entry { prefix: prefix_at(&self.keys[start..], 0), place });
            self.records.push(record);
        }
        // With a scratch file, so seldom that the test costs nothing; without one, places are numbers of 32 bits.
        if self.entries.len().is_multiple_of(1024) {
            self.keep_limit()?;
        }
        Ok(())
    }

    /// The number of added keys.
    pub fn len(&self) -> u64 {
        self.pushed
    }

    /// Returns true if no key was added.
    pub fn is_empty(&self) -> bool {
        self.pushed == 0
    }

    /// The greatest record that was added.
    pub(crate) fn max_record(&self) -> u32 {
        self.max_record
    }

    pub(crate) fn key_len(&self) -> usize {
        self.key_len
    }

    fn is_short(&self) -> bool {
        self.key_len <= 8 && self.sort_len == 0
    }

    /// The bytes of a key with what it is sorted by.
    fn item_len(&self) -> usize {
        self.sort_len + self.key_len
    }

    /// The bytes of such an item that it is sorted by.
    fn sorted_len(&self) -> usize {
        if self.sort_len > 0 { self.sort_len } else { self.key_len }
    }

    fn turned(&self, prefix: u64) -> u64 {
        if self.falling { !prefix } else { prefix }
    }

    fn held_bytes(&self) -> usize {
        // Sorting takes a second copy of the entries.
        self.entries.len() * 32 + self.keys.len() + self.records.len() * 4
    }

    #[cold]
    fn keep_limit(&mut self) -> Result<()> {
        if self.spill.as_ref().is_some_and(|spill| self.held_bytes() >= spill.limit_bytes) {
            self.write_run()?;
        } else if self.entries.len() >= u32::MAX as usize - 1024 {
            return Err(Error::new(Code::Unsupported, "an index of more keys than a table has records"));
        }
        Ok(())
    }

    /// Hands out the keys in the order of the tree. A unique tag gets the first record of equal keys; for a candidate
    /// tag they are an error.
    pub(crate) fn finish(mut self, mut visit: impl FnMut(&[u8], u32) -> Result<()>) -> Result<()> {
        let (unique, falling, candidate) = (self.unique || self.candidate, self.falling, self.candidate);
        let (sort_len, sorted_len, order) = (self.sort_len, self.sorted_len(), self.order);
        let mut last: Vec<u8> = Vec::with_capacity(self.key_len);
        let mut has_last = false;
        let mut turned = vec![0; self.key_len];
        let mut undisputed = Undisputed::new(order, falling);
        let mut hand_out = |item: &[u8], record: u32| {
            let (sorted_by, key) = (&item[..sorted_len], &item[sort_len..]);
            if unique {
                if has_last && last == sorted_by {
                    return if candidate { Err(repeated(record)) } else { Ok(()) };
                }
                has_last = true;
                last.clear();
                last.extend_from_slice(sorted_by);
            }
            let key = match falling {
                false => key,
                true => {
                    turned.iter_mut().zip(key).for_each(|(to, from)| *to = !*from);
                    &turned
                }
            };
            undisputed.check(key, record)?;
            visit(key, record)
        };
        if self.spill.as_ref().is_none_or(|spill| spill.runs.is_empty()) {
            self.sort();
            return self.each(&mut hand_out);
        }
        if !self.entries.is_empty() {
            self.write_run()?;
        }
        self.merge(&mut hand_out)
    }

    /// Calls `visit` with every entry as it stands.
    fn each(&self, visit: &mut impl FnMut(&[u8], u32) -> Result<()>) -> Result<()> {
        let len = self.item_len();
        for entry in &self.entries {
            if self.is_short() {
                visit(&entry.prefix.to_be_bytes()[..len], entry.place)?;
            } else {
                let place = entry.place as usize;
                visit(&self.keys[place * len..(place + 1) * len], self.records[place])?;
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        let mut spare = vec![Entry::default(); self.entries.len()];
        let mut entries = std::mem::take(&mut self.entries);
        self.sort_from(&mut entries, &mut spare, 0);
        self.entries = entries;
    }

    /// Sorts entries whose keys agree before `offset`, and whose prefix is what follows there.
    fn sort_from(&self, entries: &mut [Entry], spare: &mut [Entry], offset: usize) {
        radix_sort(entries, spare);
        let next = offset + 8;
        if self.is_short() {
            if !self.rising {
                each_run(entries, |run| run.sort_unstable_by_key(|entry| entry.place));
            }
        } else if next >= self.sorted_len() {
            // Places rise as records do, and a radix sort keeps the order of what is equal.
            if !self.rising {
                each_run(entries, |run| run.sort_unstable_by_key(|entry| self.records[entry.place as usize]));
            }
        } else {
            each_run(entries, |run| {
                for entry in run.iter_mut() {
                    let start = entry.place as usize * self.item_len();
                    entry.prefix = prefix_at(&self.keys[start..start + self.item_len()], next);
                }
                let len = run.len();
                self.sort_from(run, &mut spare[..len], next);
            });
        }
    }

    /// Writes what is in memory to the scratch file as one sorted run.
    fn write_run(&mut self) -> Result<()> {
        self.sort();
        let mut bytes = Vec::with_capacity(self.entries.len() * (self.item_len() + 4));
        self.each(&mut |key, record| {
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(&record.to_le_bytes());
            Ok(())
        })?;
        let count = self.entries.len() as u64;
        self.entries.clear();
        self.keys.clear();
        self.records.clear();
        let Some(spill) = &mut self.spill else { return Ok(()) };
        let file = match &spill.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(spill.file.insert(spill.files.create(&spill.path, Create::Truncate)?)),
        };
        file.write_at(&bytes, spill.end)?;
        spill.runs.push(Run { start: spill.end, count });
        spill.end += bytes.len() as u64;
        Ok(())
    }

    fn merge(self, visit: &mut impl FnMut(&[u8], u32) -> Result<()>) -> Result<()> {
        let Some(Spill { file: Some(file), runs, limit_bytes, .. }) = &self.spill else { return Ok(()) };
        let (len, sorted_len) = (self.item_len(), self.sorted_len());
        let item_len = len + 4;
        let window = (limit_bytes / runs.len() / item_len).max(1);
        let mut readers: Vec<RunReader> =
            runs.iter().map(|run| RunReader { at: *run, window, item_len, bytes: Vec::new(), next: 0 }).collect();
        let mut heap = BinaryHeap::new();
        for (run, reader) in readers.iter_mut().enumerate() {
            if let Some(item) = reader.next(&**file)? {
                heap.push(Head { key: item[..len].to_owned(), sorted_len, record: record_of(item), run });
            }
        }
        while let Some(mut head) = heap.peek_mut() {
            visit(&head.key, head.record)?;
            match readers[head.run].next(&**file)? {
                Some(item) => {
                    head.key.copy_from_slice(&item[..len]);
                    head.record = record_of(item);
                }
                None => drop(std::collections::binary_heap::PeekMut::pop(head)),
            }
        }
        Ok(())
    }
}

/// Sees to it that keys follow each other in all collations that their tag may be in.
struct Undisputed {
    order: KeyOrder,
    falling: bool,
    last: Option<(Vec<u8>, u32)>,
}

impl Undisputed {
    fn new(order: KeyOrder, falling: bool) -> Undisputed {
        Undisputed { order, falling, last: None }
    }

    fn check(&mut self, key: &[u8], record: u32) -> Result<()> {
        let KeyOrder::National(national) = &self.order else { return Ok(()) };
        let Some((last, last_record)) = &mut self.last else {
            self.last = Some((key.to_vec(), record));
            return Ok(());
        };
        let dispute = match self.falling {
            true => national.dispute((key, *last_record), (last, record)),
            false => national.dispute((last, *last_record), (key, record)),
        };
        if let Some(other) = dispute {
            return Err(disputed(national.collation().name(), other.name()));
        }
        last.clear();
        last.extend_from_slice(key);
        *last_record = record;
        Ok(())
    }
}

fn record_of(item: &[u8]) -> u32 {
    long(item, item.len() - 4).unwrap_or(0)
}

/// Reads a run through a window of some items.
struct RunReader {
    at: Run,
    window: usize,
    item_len: usize,
    bytes: Vec<u8>,
    next: usize,
}

impl RunReader {
    fn next(&mut self, file: &dyn WritableFile) -> Result<Option<&[u8]>> {
        if self.next == self.bytes.len() {
            let items = self.at.count.min(self.window as u64);
            if items == 0 {
                return Ok(None);
            }
            self.bytes.resize(items as usize * self.item_len, 0);
            file.read_exact_at(&mut self.bytes, self.at.start)?;
            self.at.start += self.bytes.len() as u64;
            self.at.count -= items;
            self.next = 0;
        }
        let item = &self.bytes[self.next..self.next + self.item_len];
        self.next += self.item_len;
        Ok(Some(item))
    }
}

/// The next item of a run; the heap's greatest is the least item.
#[derive(PartialEq, Eq)]
struct Head {
    key: Vec<u8>,
    /// The bytes that it is sorted by.
    sorted_len: usize,
    record: u32,
    run: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Head) -> Ordering {
        other.key[..other.sorted_len]
            .cmp(&self.key[..self.sorted_len])
            .then(other.record.cmp(&self.record))
            .then(other.run.cmp(&self.run))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Head) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Eight bytes of a key from `offset` as a number that orders as they do; bytes past the end are zeros.
#[inline]
fn prefix_at(key: &[u8], offset: usize) -> u64 {
    let rest = key.get(offset..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
    }
}

/// Calls `sort` with each run of entries of one prefix.
fn each_run(entries: &mut [Entry], mut sort: impl FnMut(&mut [Entry])) {
    for run in entries.chunk_by_mut(|left, right| left.prefix == right.prefix) {
        if run.len() > 1 {
            sort(run);
        }
    }
}

/// Fewer entries than these are sorted by comparing: counting 256 values costs more.
const FEW: usize = 192;

/// From so many entries on, a pass takes 12 bits instead of 8.
const MANY: usize = 16_384;

/// Sorts by prefix and keeps the order of what is equal: entries are dealt out by the first bits in which any of them
/// differ, and then each heap is sorted so.
fn radix_sort(entries: &mut [Entry], spare: &mut [Entry]) {
    if entries.len() < FEW {
        return entries.sort_by_key(|entry| entry.prefix);
    }
    if entries.is_sorted_by_key(|entry| entry.prefix) {
        return;
    }
    let first = entries.first().map_or(0, |entry| entry.prefix);
    let differing = entries.iter().fold(0, |bits, entry| bits | (entry.prefix ^ first));
    let bits = if entries.len() < MANY { 8 } else { 12 };
    let shift = (64 - differing.leading_zeros()).saturating_sub(bits);
    let mask = (1usize << bits) - 1;
    let digit = |entry: &Entry| (entry.prefix >> shift) as usize & mask;
    let mut ends = vec![0usize; mask + 1];
    for entry in entries.iter() {
        ends[digit(entry)] += 1;
    }
    let mut next = 0;
    for end in &mut ends {
        next += std::mem::replace(end, next);
    }
    for entry in entries.iter() {
        let place = &mut ends[digit(entry)];
        spare[*place] = *entry;
        *place += 1;
    }
    let mut start = 0;
    for end in ends {
        if shift > 0 && end - start > 1 {
            radix_sort(&mut spare[start..end], &mut entries[start..end]);
        }
        start = end;
    }
    entries.copy_from_slice(spare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::KeyFamily;
    use crate::index::write::{BagSpec, TagSpec};
    use mainstay_vfs::Memory;

    fn keys(count: u32, len: usize, variety: u32) -> Vec<(Vec<u8>, u32)> {
        let mut state = 0x9E37_79B9_7F4A_7C15u64 ^ u64::from(count) ^ len as u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        (1..=count)
            .map(|record| {
                let text = format!("{:0>len$}", random() % u64::from(variety));
                (text.into_bytes()[..len].to_vec(), record)
            })
            .collect()
    }

    fn sorted(bag: BagSpec, spec: &TagSpec, items: &[(Vec<u8>, u32)], limit: Option<&Memory>) -> Vec<(Vec<u8>, u32)> {
        let mut sorter = KeySorter::new(&spec.header(&bag).unwrap());
        if let Some(memory) = limit {
            sorter = sorter.with_limit(0, Arc::new(memory.clone()), Path::new("runs"));
        }
        sorter.reserve(items.len());
        for (key, record) in items {
            sorter.push(key, *record).unwrap();
        }
        assert_eq!(sorter.len(), items.len() as u64);
        let mut found = Vec::new();
        let finished = sorter.finish(|key, record| {
            found.push((key.to_owned(), record));
            Ok(())
        });
        finished.unwrap();
        found
    }

    #[test]
    fn keys_come_in_their_order_and_then_in_that_of_records() {
        for len in [1, 3, 8, 9, 16, 17, 40] {
            for variety in [1, 7, 1 << 20] {
                let mut items = keys(3000, len, variety);
                let spec = TagSpec::new("A", "A", KeyFamily::Character, len);
                let mut wanted = items.clone();
                wanted.sort();
                assert_eq!(sorted(BagSpec::cdx(), &spec, &items, None), wanted);
                items.reverse();
                assert_eq!(sorted(BagSpec::cdx(), &spec, &items, None), wanted);
                let falling = TagSpec { descending: true, ..spec.clone() };
                wanted.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
                assert_eq!(sorted(BagSpec::ntx(), &falling, &items, None), wanted);
                wanted.dedup_by(|left, right| left.0 == right.0);
                let unique = TagSpec { unique: true, ..falling };
                assert_eq!(sorted(BagSpec::ntx(), &unique, &items, None), wanted);
            }
        }
    }

    #[test]
    fn runs_beyond_the_memory_are_merged_and_removed() {
        for len in [6, 30] {
            let items = keys(40_000, len, 5000);
            let spec = TagSpec::new("A", "A", KeyFamily::Character, len);
            let memory = Memory::new();
            let mut wanted = items.clone();
            wanted.sort();
            assert_eq!(sorted(BagSpec::cdx(), &spec, &items, Some(&memory)), wanted);
            assert!(memory.open(Path::new("runs")).is_err(), "the scratch file is still there");
        }
    }

    #[test]
    fn a_key_of_another_length_is_refused() {
        let spec = TagSpec::new("A", "A", KeyFamily::Character, 4);
        let mut sorter = KeySorter::new(&spec.header(&BagSpec::cdx()).unwrap());
        assert_eq!(sorter.push(b"abc", 1).unwrap_err().code(), Code::Internal);
        assert_eq!(sorter.push(b"abcd", 0).unwrap_err().code(), Code::Internal);
        assert!(sorter.is_empty());
    }
}
