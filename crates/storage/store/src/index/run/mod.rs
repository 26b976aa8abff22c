//! Runs: sorted entries of an index in a file that is mapped, written once, and verified block by block when it is read.
//!
//! An index in memory has to be built from all rows when a store is opened. A checkpoint writes the index as runs
//! instead:
//! a run is a B+ tree with full nodes, leaves first, whose blocks are found by their numbers.
//!
//! ```text
//!   leaf 0 | leaf 1 | leaf 2 | ...  | inner | inner | root | trailer
//!   blocks of 4,096 bytes, or more where one key needs more; see `page`
//!
//!   trailer (body)   0 8 `MSINDEXR`    8 4 version, 1    12 4 bytes of a key, 2^32 - 1 for keys of any length
//!                   16 8 entries      24 4 where the leaves end      28 4 root      32 4 levels
//! ```
//!
//! A point read touches the trailer and one block a level: three of them at ten million entries. A block's checksum is
//! verified when it is first read, and covers the numbers of file and block, so that a misplaced block is noticed. The
//! manifest has the length and the checksum of the whole file, for backups and `mainstay check`.
//!
//! An index has several runs, one per checkpoint that added entries ([`super::base`]); when there are too many they are
//! merged. `docs/formats/index-run.md` is the page for other readers.

mod page;
mod writer;

pub(crate) use page::damaged;
pub(crate) use writer::RunWriter;

use crate::resident::{Pages, ResidentMemory};
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use page::{Page, TRAILER, UNIT, block_at, verify};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

const MAGIC: [u8; 8] = *b"MSINDEXR";
const VERSION: u32 = 1;
/// The width that the trailer has for keys of any length.
const ANY: u32 = u32::MAX;
/// Bytes of the trailer before its body.
const BODY: usize = 28;
/// Levels at most: blocks hold two entries at least, but for keys of thousands of bytes.
const LEVELS: u32 = 32;

/// A run that was written. Its file is mapped, so that it can be read when it was removed, and not looked at before it is
/// needed.
pub(crate) struct Run {
    path: PathBuf,
    number: u64,
    pages: Arc<Pages>,
    opened: OnceLock<Opened>,
}

struct Opened {
    pages: Arc<Pages>,
    /// A bit for each unit at which a block starts that was verified.
    verified: Box<[AtomicU64]>,
    trailer: Trailer,
}

struct Trailer {
    width: Option<usize>,
    entries: u64,
    leaves_end: u32,
    root: u32,
    levels: u32,
}

/// A place between the entries of a run: a leaf, and how many of its entries come before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    block: u32,
    at: usize,
}

impl Run {
    /// The run in this file, which has this number and length. `memory` counts its pages.
    ///
    /// # Errors
    /// `Damaged` for a file of another length; those of the file system.
    pub(crate) fn map(
        fs: &dyn FileSystem,
        path: &Path,
        (number, length): (u64, u64),
        memory: &Arc<ResidentMemory>,
    ) -> Result<Run> {
        let mapping = fs.map(path)?;
        if mapping.len() as u64 != length {
            let error = damaged(&format!("it has {} bytes instead of {length}", mapping.len()));
            return Err(error.at(path.display()));
        }
        let pages = Pages::in_windows(mapping, memory);
        Ok(Run { path: path.to_owned(), number, pages, opened: OnceLock::new() })
    }

    /// The number in the name of its file.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    fn opened(&self) -> Result<&Opened> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = self.open().map_err(|error| error.at(self.path.display()))?;
        Ok(self.opened.get_or_init(|| opened))
    }

    fn open(&self) -> Result<Opened> {
        let mapping = self.pages.mapping();
        if !mapping.len().is_multiple_of(UNIT) {
            return Err(damaged("it does not consist of blocks"));
        }
        let units = mapping.len() / UNIT;
        let number = units.checked_sub(1).and_then(|last| u32::try_from(last).ok());
        let number = number.ok_or_else(|| damaged("it is empty, or too long"))?;
        let block = block_at(mapping, number)?;
        verify(block, self.number, number)?;
        let trailer = Trailer::decode(block, number)?;
        let verified = (0..units.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Opened { pages: Arc::clone(&self.pages), verified, trailer })
    }

    /// The number of entries, those of dead versions included.
    ///
    /// # Errors
    /// `Damaged`, and those of the file system.
    pub(crate) fn entries(&self) -> Result<u64> {
        Ok(self.opened()?.trailer.entries)
    }

    /// Bytes of every key, if they are always the same.
    ///
    /// # Errors
    /// As [`Run::entries`].
    pub(crate) fn width(&self) -> Result<Option<usize>> {
        Ok(self.opened()?.trailer.width)
    }

    /// The position of a key.
    ///
    /// # Errors
    /// As [`Run::entries`].
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<u64>> {
        let opened = self.opened()?;
        let found = opened.leaf(self.number, key).map(|(_, page)| {
            let (at, is_there) = page.lower_bound(key);
            is_there.then(|| page.position(at))
        });
        found.map_err(|error| error.at(self.path.display()))
    }

    /// The place before the first key that is not less than this one.
    ///
    /// # Errors
    /// As [`Run::entries`].
    pub(crate) fn seek(&self, key: &[u8]) -> Result<Place> {
        let found = self.opened()?.leaf(self.number, key);
        let found = found.map(|(block, page)| Place { block, at: page.lower_bound(key).0 });
        found.map_err(|error| error.at(self.path.display()))
    }

    /// The place before the first key.
    pub(crate) fn start(&self) -> Place {
        Place { block: 0, at: 0 }
    }

    /// The place behind the last key.
    ///
    /// # Errors
    /// As [`Run::entries`].
    pub(crate) fn end(&self) -> Result<Place> {
        let opened = self.opened()?;
        let mut node = opened.trailer.root;
        for level in (0..opened.trailer.levels).rev() {
            let page = opened.page_of(self.number, node, level).map_err(|error| error.at(self.path.display()))?;
            match level {
                0 => return Ok(Place { block: node, at: page.entries() }),
                _ => node = page.position(page.entries() - 1) as u32,
            }
        }
        Ok(self.start())
    }

    /// The entry behind a place: its position, with its key in the buffer; the place is behind it then. `None` at the end.
    ///
    /// # Errors
    /// As [`Run::entries`].
    pub(crate) fn next(&self, place: &mut Place, key: &mut Vec<u8>) -> Result<Option<u64>> {
        let opened = self.opened()?;
        opened.next(self.number, place, key).map_err(|error| error.at(self.path.display()))
    }

    /// The entry before a place: its position, with its key in the buffer; the place is before it then. `None` at the start.
    ///
    /// # Errors
    /// As [`Run::entries`].
    pub(crate) fn previous(&self, place: &mut Place, key: &mut Vec<u8>) -> Result<Option<u64>> {
        let opened = self.opened()?;
        opened.previous(self.number, place, key).map_err(|error| error.at(self.path.display()))
    }

    /// Gives back the memory of the leaves from one place up to another.
    pub(crate) fn release(&self, from: Place, to: Place) {
        self.pages.mapping().release(from.block as usize * UNIT..to.block as usize * UNIT);
    }

    /// Looks at every entry: that keys ascend, and that there are as many as the trailer says.
    ///
    /// # Errors
    /// `Damaged`, and those of the file system.
    pub(crate) fn check(&self) -> Result<()> {
        let (mut place, mut key, mut before, mut entries) = (self.start(), Vec::new(), Vec::new(), 0);
        while let Some(position) = self.next(&mut place, &mut key)? {
            if entries > 0 && key <= before {
                return Err(damaged("its keys do not ascend").at(self.path.display()));
            }
            if self.get(&key)? != Some(position) {
                return Err(damaged("a key is not found by its way").at(self.path.display()));
            }
            std::mem::swap(&mut key, &mut before);
            entries += 1;
        }
        match entries == self.entries()? {
            true => Ok(()),
            false => Err(damaged("it has another number of entries than it says").at(self.path.display())),
        }
    }
}

impl Opened {
    /// A block, verified once.
    fn page(&self, file: u64, number: u32) -> Result<Page<'_>> {
        self.pages.touch(number as usize * UNIT);
        let block = block_at(self.pages.mapping(), number)?;
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        let Some(verified) = self.verified.get(word) else { return Err(damaged("there is no such block")) };
        if verified.load(Ordering::Acquire) & bit == 0 {
            verify(block, file, number)?;
            verified.fetch_or(bit, Ordering::AcqRel);
        }
        Page::parse(block)
    }

    /// A block of a level.
    fn page_of(&self, file: u64, number: u32, level: u32) -> Result<Page<'_>> {
        let page = self.page(file, number)?;
        match u32::from(page.level()) == level {
            true => Ok(page),
            false => Err(damaged("a block is of another level than the one above it says")),
        }
    }

    /// The leaf in which a key is or would be.
    fn leaf(&self, file: u64, key: &[u8]) -> Result<(u32, Page<'_>)> {
        let mut number = self.trailer.root;
        for level in (1..self.trailer.levels).rev() {
            let page = self.page_of(file, number, level)?;
            let (at, is_there) = page.lower_bound(key);
            number = page.position((at + usize::from(is_there)).saturating_sub(1)) as u32;
        }
        Ok((number, self.page_of(file, number, 0)?))
    }

    fn next(&self, file: u64, place: &mut Place, key: &mut Vec<u8>) -> Result<Option<u64>> {
        while place.block < self.trailer.leaves_end {
            let page = self.page_of(file, place.block, 0)?;
            if place.at < page.entries() {
                page.key(place.at, key);
                place.at += 1;
                return Ok(Some(page.position(place.at - 1)));
            }
            *place = Place { block: place.block.saturating_add(page.units()), at: 0 };
        }
        Ok(None)
    }

    fn previous(&self, file: u64, place: &mut Place, key: &mut Vec<u8>) -> Result<Option<u64>> {
        loop {
            let page = self.page_of(file, place.block, 0)?;
            if let Some(at) = place.at.min(page.entries()).checked_sub(1) {
                page.key(at, key);
                place.at = at;
                return Ok(Some(page.position(at)));
            }
            match place.block.checked_sub(page.previous()) {
                Some(block) if block < place.block => *place = Place { block, at: usize::MAX },
                _ => return Ok(None),
            }
        }
    }
}

impl Trailer {
    fn encode(&self) -> Vec<u8> {
        let mut out = vec![0; BODY];
        (out[4], out[5]) = (1, TRAILER);
        out.extend_from_slice(&MAGIC);
        let width = self.width.and_then(|width| u32::try_from(width).ok()).unwrap_or(ANY);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&width.to_le_bytes());
        out.extend_from_slice(&self.entries.to_le_bytes());
        [self.leaves_end, self.root, self.levels]
            .iter()
            .for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        out.resize(UNIT, 0);
        out
    }

    /// Reads the trailer, which is the block with this number.
    fn decode(block: &[u8], number: u32) -> Result<Trailer> {
        let four = |at: usize| {
            let bytes = block.get(BODY + at..BODY + at + 4).and_then(|bytes| bytes.first_chunk::<4>());
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        if block.get(5) != Some(&TRAILER) || block.get(BODY..BODY + 8) != Some(&MAGIC[..]) {
            return Err(damaged("it does not end like an index file"));
        }
        if four(8) != VERSION {
            return Err(damaged(&format!("it has version {}, and this program knows {VERSION}", four(8))));
        }
        let trailer = Trailer {
            width: Some(four(12)).filter(|width| *width != ANY).map(|width| width as usize),
            entries: u64::from(four(16)) | u64::from(four(20)) << 32,
            leaves_end: four(24),
            root: four(28),
            levels: four(32),
        };
        let is_sound = trailer.leaves_end <= number && trailer.root < number && (1..=LEVELS).contains(&trailer.levels);
        if is_sound { Ok(trailer) } else { Err(damaged("its trailer contradicts itself")) }
    }
}

/// The bytes of a run with valid checksums, wherever its blocks may start: for tests with hostile files.
pub fn with_checksums(bytes: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut block = 0;
    while let Some(rest) = bytes.get_mut(block * UNIT..).filter(|rest| rest.len() >= UNIT) {
        let units = usize::from(rest[4]).max(1).min(rest.len() / UNIT);
        page::seal(&mut rest[..units * UNIT], number, block as u32);
        block += units;
    }
    bytes
}

/// Reads a file as a run in every way: for tests with damaged files.
pub fn read_in_every_way(fs: &dyn FileSystem, path: &Path, number: u64) {
    let Ok(stamp) = fs.stamp(path) else { return };
    let Ok(run) = Run::map(fs, path, (number, stamp.len), &Arc::default()) else { return };
    let (mut key, mut entries) = (Vec::new(), 0u64);
    let mut place = run.start();
    while let Ok(Some(_)) = run.next(&mut place, &mut key) {
        entries += 1;
        let _ = (run.get(&key), run.seek(&key));
    }
    if let Ok(mut place) = run.end() {
        while let Ok(Some(_)) = run.previous(&mut place, &mut key) {
            entries += 1;
        }
    }
    // Every entry takes a byte of the file at least, once in each direction, but for those that differ in nothing.
    assert!(entries <= 2 * (stamp.len.div_ceil(UNIT as u64) * u64::from(u16::MAX)), "a run without end");
    let _ = (run.check(), run.width());
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::{Create, Memory};

    fn written(width: Option<usize>, keys: &[Vec<u8>]) -> (Memory, Run) {
        let fs = Memory::new();
        let mut writer = RunWriter::create(&fs, Path::new("run"), 7, width).unwrap();
        keys.iter().enumerate().for_each(|(at, key)| writer.push(key, at as u64 * 3 + 1).unwrap());
        let facts = writer.finish().unwrap();
        assert_eq!(facts.entries, keys.len() as u64);
        let bytes = fs.read(Path::new("run")).unwrap();
        assert_eq!((bytes.len() as u64, crate::journal::checksum::crc32c(&bytes)), (facts.length, facts.checksum));
        let run = Run::map(&fs, Path::new("run"), (7, facts.length), &Arc::default()).unwrap();
        (fs, run)
    }

    fn sets() -> Vec<(Option<usize>, Vec<Vec<u8>>)> {
        let numbers = |count: u64, step: u64| (0..count).map(|n| (n * step).to_be_bytes().to_vec()).collect();
        let pairs =
            (0..30_000u64).map(|n| [(n / 7 * 991).to_be_bytes(), (n * 12_345).to_be_bytes()].concat()).collect();
        let texts = (0..20_000).map(|n| format!("customer {:06} {}", n, "z".repeat(n % 50)).into_bytes()).collect();
        let long = (0..9u8).map(|n| [vec![5; 5000], vec![n]].concat()).collect();
        vec![
            (Some(8), numbers(1, 1)),
            (Some(8), numbers(200_000, 1)),
            (Some(8), numbers(5000, 1 << 40)),
            (Some(16), pairs),
            (None, texts),
            (None, long),
        ]
    }

    #[test]
    fn what_was_written_is_read_in_every_way() {
        for (width, keys) in sets() {
            let (_, run) = written(width, &keys);
            run.check().unwrap();
            assert_eq!((run.entries().unwrap(), run.width().unwrap()), (keys.len() as u64, width));
            let mut key = Vec::new();
            let mut place = run.end().unwrap();
            for (at, expected) in keys.iter().enumerate().rev() {
                assert_eq!(run.previous(&mut place, &mut key).unwrap(), Some(at as u64 * 3 + 1));
                assert_eq!(key, *expected);
            }
            assert_eq!(run.previous(&mut place, &mut key).unwrap(), None);
            for at in (0..keys.len()).step_by(keys.len() / 50 + 1) {
                let mut between = keys[at].clone();
                if let Some(last) = between.last_mut() {
                    *last = last.wrapping_add(1);
                }
                let expected = keys.partition_point(|key| *key < between);
                let mut place = run.seek(&between).unwrap();
                let found = run.next(&mut place, &mut key).unwrap();
                assert_eq!(found, keys.get(expected).map(|_| expected as u64 * 3 + 1));
                assert_eq!(run.get(&between).unwrap().is_some(), keys.get(expected) == Some(&between));
            }
        }
    }

    #[test]
    fn every_damaged_byte_is_found_when_it_is_read() {
        let keys: Vec<Vec<u8>> = (0..1500u64).map(|n| (n * n * 77).to_be_bytes().to_vec()).collect();
        let (fs, _) = written(Some(8), &keys);
        let bytes = fs.read(Path::new("run")).unwrap();
        for at in (0..bytes.len()).step_by(if cfg!(miri) { 501 } else { 13 }) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let file = fs.create(Path::new("damaged"), Create::Truncate).unwrap();
            file.write_at(&damaged, 0).unwrap();
            let run = Run::map(&fs, Path::new("damaged"), (7, bytes.len() as u64), &Arc::default()).unwrap();
            let error = run.check().expect_err("it was damaged");
            assert_eq!(error.code(), mainstay_types::Code::Damaged, "byte {at}: {error}");
        }
        let other = Run::map(&fs, Path::new("run"), (8, bytes.len() as u64), &Arc::default()).unwrap();
        assert!(other.check().is_err(), "another file's blocks");
    }

    #[test]
    fn hostile_files_lead_nowhere() {
        let keys: Vec<Vec<u8>> = (0..40u64).map(|n| (n * 77).to_be_bytes().to_vec()).collect();
        let (fs, _) = written(Some(8), &keys);
        let bytes = fs.read(Path::new("run")).unwrap();
        for at in (0..bytes.len()).filter(|at| at % UNIT < 80) {
            for value in [0, 1, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let changed = with_checksums(&changed, 7);
                fs.create(Path::new("hostile"), Create::Truncate).unwrap().write_at(&changed, 0).unwrap();
                read_in_every_way(&fs, Path::new("hostile"), 7);
            }
        }
    }
}
