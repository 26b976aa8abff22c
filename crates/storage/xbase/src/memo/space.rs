//! Free blocks of a memo file: the header's next block, and the lists of freed blocks.
//!
//! | file | list of free blocks |
//! |---|---|
//! | FPT marked `SIxMemo`, SMT | header: count at 18, from 20 on up to 82 times blocks (16 bits) and first block (32) |
//! | FPT marked `FlexFile3` | two pages of 1010 bytes, at the offsets in 528 and 524: up to 126 offsets and sizes |
//! | DBT IV | a chain: the header and each free block name the next one; the last names the end of the file |
//! | DBT III, plain FPT | none |
//! | ADM of layout 0, and of 1 with empty classes | header: count at 8, from 16 on up to 126 times blocks and first block (32 bits each) |
//! | other ADM | several, not known in full, which are left alone: values go behind all others |
//!
//! (Harbour `dbffpt1.c` for the first two; CodeBase's `MEMO4CHAIN_ENTRY` for the chain, whose entries are the number
//! of the next free block and the count of free blocks here.) Where there is no list, only the writer that freed blocks
//! knows them, until it closes the file: other programs always take blocks behind all others.
//!
//! **Crashes.** A list is written before the blocks allocated from it, and after the record that referred to the blocks
//! freed to it. So an interruption leaves at most unused blocks. Only the necessary writes are made; changes of pages
//! and chains that need several writes are ordered so that a pointer is written after its target.
//!
//! **Trust.** A list that reaches outside the file or overlaps itself is not used and not written. Only in a chain,
//! where it would also be needed to append, that is an error.

use super::{ADM_HEADER_LENGTH, HEADER_LENGTH, MemoKind};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{File, WritableFile};

/// Blocks that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run {
    pub(super) block: u64,
    pub(super) count: u64,
}

impl Run {
    fn end(self) -> u64 {
        self.block + self.count
    }
}

/// Where the list is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    None,
    Header,
    Advantage,
    Pages { dir: u64, rev: u64, counter: u32 },
    Chain,
}

/// The free blocks of one file, as last read or written.
#[derive(Debug)]
pub(super) struct Space {
    kind: MemoKind,
    block_size: u64,
    list: List,
    /// The first block behind all values.
    next: u64,
    /// In the order of the file, not touching each other.
    runs: Vec<Run>,
    stored_next: u64,
    stored_runs: Vec<Run>,
}

const SIX_ITEMS: usize = 82;
const ADVANTAGE_ITEMS: usize = 126;
/// The list of an ADM.
const ADVANTAGE_LIST: std::ops::Range<usize> = 16..16 + ADVANTAGE_ITEMS * 8;
/// The heads of the lists by size of layout 1, each behind the length of its class.
const ADVANTAGE_CLASSES: std::ops::Range<usize> = 1024..2048;
const PAGE_BYTES: u64 = 1010;
const PAGE_ITEMS: usize = 126;
const PAGE_TYPE: u32 = 1000;
const UNUSED_TYPE: u32 = 1001;

fn le32(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, |bytes| u32::from_le_bytes(bytes).into())
}

fn be32(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, |bytes| u32::from_be_bytes(bytes).into())
}

fn narrow(number: u64) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::new(Code::Unsupported, "the memo file has reached its largest size"))
}

fn is_big_endian(kind: MemoKind) -> bool {
    matches!(kind, MemoKind::FoxPro | MemoKind::Advantage)
}

impl Space {
    /// Reads header and list.
    pub(super) fn read(file: &dyn File, kind: MemoKind, block_size: u64) -> Result<Space> {
        let mut header = vec![0; if kind == MemoKind::Advantage { 2048 } else { 1024 }];
        let read = file.read_at(&mut header, 0)?;
        header.truncate(read);
        let flex = kind == MemoKind::FoxPro && header.get(512..521) == Some(b"FlexFile3");
        let six = kind == MemoKind::Six || kind == MemoKind::FoxPro && header.get(8..15) == Some(b"SIxMemo");
        let next = if is_big_endian(kind) { be32(&header, 0) } else { le32(&header, 0) };
        let header_length = match kind {
            // Behind the lists of version 1.
            MemoKind::Advantage if header.get(10..12) != Some(&[0, 0]) => 4096,
            MemoKind::Advantage => ADM_HEADER_LENGTH,
            _ if flex => 1024,
            _ => HEADER_LENGTH,
        };
        let first = header_length.div_ceil(block_size);
        let end = file.stamp()?.len.div_ceil(block_size);
        let (list, runs, next) = if kind == MemoKind::DbaseFour {
            let (runs, next) = read_chain(file, block_size, next.max(first), end)?;
            (List::Chain, runs, believed(next, end).max(first))
        } else {
            let (list, runs) = match (six, flex) {
                _ if kind == MemoKind::Advantage => match advantage_items(&header) {
                    Some(runs) => (List::Advantage, Some(runs)),
                    None => (List::None, Some(Vec::new())),
                },
                (true, _) => (List::Header, six_items(&header)),
                (_, true) => read_pages(file, &header, block_size, end)?,
                _ => (List::None, Some(Vec::new())),
            };
            let next = believed(next, end).max(first);
            match runs.filter(|runs| are_sound(runs, first, next)) {
                Some(runs) => (list, runs, next),
                None => (List::None, Vec::new(), next),
            }
        };
        Ok(Space { kind, block_size, list, next, stored_next: next, stored_runs: runs.clone(), runs })
    }

    /// Returns true if changes of the list may wait: until then its blocks hold nothing that the list needs.
    pub(super) fn may_wait(&self) -> bool {
        self.list != List::Chain
    }

    /// The free runs, for a file that has no place for them.
    pub(super) fn into_runs(self) -> Vec<Run> {
        self.runs
    }

    /// Returns true if other programs find the blocks that are freed.
    pub(super) fn is_listed(&self) -> bool {
        self.list != List::None
    }

    /// Takes this many blocks: from the smallest free run that has them, else behind all others.
    pub(super) fn take(&mut self, count: u64) -> u64 {
        let fitting = (0..self.runs.len()).filter(|&at| self.runs[at].count >= count);
        let Some(at) = fitting.min_by_key(|&at| self.runs[at].count) else {
            self.next += count;
            return self.next - count;
        };
        let run = &mut self.runs[at];
        run.count -= count;
        // An entry of the chain stands in the first block of its run, which is therefore taken last.
        let block = if self.list == List::Chain { run.end() } else { run.block };
        if self.list != List::Chain {
            run.block += count;
        }
        if run.count == 0 {
            self.runs.remove(at);
        }
        block
    }

    /// Gives blocks back. Blocks that are free already, or that were never given out, change nothing.
    pub(super) fn give(&mut self, run: Run) {
        let inside = run.count > 0 && run.end() <= self.next && run.block > 0;
        let at = self.runs.partition_point(|other| other.block < run.block);
        let touches_next = self.runs.get(at).is_some_and(|other| other.block < run.end());
        let touches_before = at > 0 && self.runs[at - 1].end() > run.block;
        if !inside || touches_next || touches_before {
            return;
        }
        self.runs.insert(at, run);
        if self.runs.get(at + 1).is_some_and(|other| other.block == run.end()) {
            self.runs[at].count += self.runs.remove(at + 1).count;
        }
        if at > 0 && self.runs[at - 1].end() == run.block {
            self.runs[at - 1].count += self.runs.remove(at).count;
        }
    }

    /// Writes what has changed.
    pub(super) fn write(&mut self, file: &dyn WritableFile) -> Result<()> {
        if self.next == self.stored_next && self.runs == self.stored_runs {
            return Ok(());
        }
        match self.list {
            List::None => self.write_next(file)?,
            List::Header => self.write_header(file)?,
            List::Advantage => self.write_advantage(file)?,
            List::Pages { dir, rev, counter } => self.write_pages(file, dir, rev, counter)?,
            List::Chain => self.write_chain(file)?,
        }
        self.stored_next = self.next;
        self.stored_runs.clone_from(&self.runs);
        Ok(())
    }

    fn next_bytes(&self) -> Result<[u8; 4]> {
        let next = narrow(self.next)?;
        Ok(if is_big_endian(self.kind) { next.to_be_bytes() } else { next.to_le_bytes() })
    }

    fn write_next(&self, file: &dyn WritableFile) -> Result<()> {
        if self.next == self.stored_next { Ok(()) } else { file.write_at(&self.next_bytes()?, 0) }
    }

    /// The largest runs, as many as a list takes.
    fn largest(&self, most: usize) -> Vec<Run> {
        let mut runs = self.runs.clone();
        runs.sort_by_key(|run| run.count);
        runs.drain(..runs.len().saturating_sub(most));
        runs
    }

    fn write_header(&self, file: &dyn WritableFile) -> Result<()> {
        let mut header = vec![0; HEADER_LENGTH as usize];
        file.read_exact_at(&mut header, 0)?;
        header[..4].copy_from_slice(&self.next_bytes()?);
        let runs = self.largest(SIX_ITEMS);
        header[18..20].copy_from_slice(&(runs.len() as u16).to_le_bytes());
        header[20..].fill(0);
        for (item, run) in header[20..].chunks_exact_mut(6).zip(runs) {
            item[..2].copy_from_slice(&(run.count.min(0xFFFF) as u16).to_le_bytes());
            item[2..].copy_from_slice(&narrow(run.block)?.to_le_bytes());
        }
        file.write_at(&header, 0)
    }

    /// Next block, number of runs and runs in one write.
    fn write_advantage(&self, file: &dyn WritableFile) -> Result<()> {
        let mut header = vec![0; ADVANTAGE_LIST.end];
        file.read_exact_at(&mut header, 0)?;
        header[..4].copy_from_slice(&self.next_bytes()?);
        let mut runs = self.largest(ADVANTAGE_ITEMS);
        runs.sort();
        header[8..10].copy_from_slice(&(runs.len() as u16).to_le_bytes());
        header[ADVANTAGE_LIST].fill(0);
        for (item, run) in header[ADVANTAGE_LIST].chunks_exact_mut(8).zip(runs) {
            item[..4].copy_from_slice(&narrow(run.count)?.to_le_bytes());
            item[4..].copy_from_slice(&narrow(run.block)?.to_le_bytes());
        }
        file.write_at(&header, 0)
    }

    fn write_pages(&mut self, file: &dyn WritableFile, dir: u64, rev: u64, counter: u32) -> Result<()> {
        let (mut dir, mut rev) = (dir, rev);
        if dir == 0 && !self.runs.is_empty() {
            let blocks = (PAGE_BYTES + 8).div_ceil(self.block_size);
            dir = self.next * self.block_size;
            rev = (self.next + blocks) * self.block_size;
            self.next += 2 * blocks;
        }
        self.write_next(file)?;
        let counter = counter.wrapping_add(1);
        self.list = List::Pages { dir, rev, counter };
        if dir != 0 && self.runs != self.stored_runs {
            for run in self.runs.iter().filter(|run| !self.stored_runs.contains(run)) {
                let bytes = run.count * self.block_size;
                if bytes >= 8 {
                    let mut head = [0; 8];
                    head[..4].copy_from_slice(&UNUSED_TYPE.to_be_bytes());
                    head[4..].copy_from_slice(&narrow(bytes - 8)?.to_be_bytes());
                    file.write_at(&head, run.block * self.block_size)?;
                }
            }
            let mut runs = self.largest(PAGE_ITEMS);
            if rev != 0 {
                file.write_at(&self.page(&runs, true)?, rev)?;
            }
            runs.sort();
            file.write_at(&self.page(&runs, false)?, dir)?;
        }
        let mut places = [0; 12];
        places[..4].copy_from_slice(&narrow(rev)?.to_le_bytes());
        places[4..8].copy_from_slice(&narrow(dir)?.to_le_bytes());
        places[8..].copy_from_slice(&counter.to_le_bytes());
        file.write_at(&places, 524)
    }

    /// A page of offsets and sizes; the reversed one has them the other way around, by size.
    fn page(&self, runs: &[Run], reversed: bool) -> Result<Vec<u8>> {
        let mut page = vec![0xAD; 8 + PAGE_BYTES as usize];
        page[..4].copy_from_slice(&PAGE_TYPE.to_be_bytes());
        page[4..8].copy_from_slice(&(PAGE_BYTES as u32).to_be_bytes());
        page[8..10].copy_from_slice(&((runs.len() as u16) << 2 | 3).to_le_bytes());
        for (item, run) in page[10..].chunks_exact_mut(8).zip(runs) {
            let (offset, size) = (narrow(run.block * self.block_size)?, narrow(run.count * self.block_size)?);
            let (one, other) = if reversed { (size, offset) } else { (offset, size) };
            item[..4].copy_from_slice(&one.to_le_bytes());
            item[4..].copy_from_slice(&other.to_le_bytes());
        }
        Ok(page)
    }

    /// Entries from the last to the first, then the header: what is pointed to is there before the pointer.
    fn write_chain(&self, file: &dyn WritableFile) -> Result<()> {
        let following = |runs: &[Run], next: u64, at: usize| runs.get(at + 1).map_or(next, |run| run.block);
        for at in (0..self.runs.len()).rev() {
            let run = self.runs[at];
            let after = following(&self.runs, self.next, at);
            let known = self.stored_runs.iter().position(|stored| *stored == run);
            if known.is_some_and(|known| following(&self.stored_runs, self.stored_next, known) == after) {
                continue;
            }
            let mut entry = [0; 8];
            entry[..4].copy_from_slice(&narrow(after)?.to_le_bytes());
            entry[4..].copy_from_slice(&narrow(run.count)?.to_le_bytes());
            file.write_at(&entry, run.block * self.block_size)?;
        }
        let first = |runs: &[Run], next: u64| runs.first().map_or(next, |run| run.block);
        let head = first(&self.runs, self.next);
        if head == first(&self.stored_runs, self.stored_next) {
            return Ok(());
        }
        file.write_at(&narrow(head)?.to_le_bytes(), 0)
    }
}

/// The first block behind all values. Blocks behind the last counted one may hold what a program wrote that ended
/// before it counted, so they are left alone. A number far behind the end of the file cannot be a program's count, and
/// would make the file huge.
fn believed(next: u64, end: u64) -> u64 {
    const SLACK: u64 = 1;
    if next > end + SLACK { end } else { next.max(end) }
}

fn are_sound(runs: &[Run], first: u64, next: u64) -> bool {
    let inside = runs.iter().all(|run| run.block >= first && run.count > 0 && run.end() <= next);
    inside && runs.windows(2).all(|pair| pair[0].end() <= pair[1].block)
}

fn six_items(header: &[u8]) -> Option<Vec<Run>> {
    let count = usize::from(u16::from_le_bytes([*header.get(18)?, *header.get(19)?]));
    if count > SIX_ITEMS {
        return None;
    }
    let items = header.get(20..20 + count * 6)?.chunks_exact(6);
    let run = |item: &[u8]| Run { block: le32(item, 2), count: u16::from_le_bytes([item[0], item[1]]).into() };
    let mut runs: Vec<Run> = items.map(run).collect();
    runs.sort();
    Some(runs)
}

/// The runs that the header of an ADM lists; `None` where there are other lists beside it, or none that makes sense.
fn advantage_items(header: &[u8]) -> Option<Vec<Run>> {
    let count = usize::from(u16::from_le_bytes([*header.get(8)?, *header.get(9)?]));
    let has_classes = match header.get(10..12)? {
        [0, 0] => false,
        [1, 0] => header.get(ADVANTAGE_CLASSES)?.chunks_exact(8).any(|class| le32(class, 4) != 0),
        _ => true,
    };
    if count > ADVANTAGE_ITEMS || has_classes {
        return None;
    }
    let items = header.get(ADVANTAGE_LIST)?.chunks_exact(8).take(count);
    let mut runs: Vec<Run> = items.map(|item| Run { block: le32(item, 4), count: le32(item, 0) }).collect();
    runs.sort();
    Some(runs)
}

/// The list, and its runs if it is one leaf of a kind that is understood.
fn read_pages(file: &dyn File, header: &[u8], block_size: u64, end: u64) -> Result<(List, Option<Vec<Run>>)> {
    let (rev, dir, counter) = (le32(header, 524), le32(header, 528), le32(header, 532) as u32);
    let list = List::Pages { dir, rev, counter };
    if dir == 0 {
        return Ok((list, Some(Vec::new())));
    }
    let mut page = vec![0; 8 + PAGE_BYTES as usize];
    if file.read_at(&mut page, dir)? < page.len() || dir.div_ceil(block_size) >= end {
        return Ok((list, None));
    }
    let kind = u16::from_le_bytes([page[8], page[9]]);
    let count = usize::from(kind >> 2);
    let whole = be32(&page, 0) == u64::from(PAGE_TYPE) && be32(&page, 4) == PAGE_BYTES;
    // The lower bits tell leaves (3) from the branches of Clipper 5.3's trees.
    if !whole || kind & 3 != 3 || count > PAGE_ITEMS {
        return Ok((list, None));
    }
    let mut runs = Vec::with_capacity(count);
    for item in page[10..].chunks_exact(8).take(count) {
        let (offset, size) = (le32(item, 0), le32(item, 4));
        if !offset.is_multiple_of(block_size) || !size.is_multiple_of(block_size) {
            return Ok((list, None));
        }
        runs.push(Run { block: offset / block_size, count: size / block_size });
    }
    runs.sort();
    Ok((list, Some(runs)))
}

/// The runs of a chain, and the block at which the file ends for it.
fn read_chain(file: &dyn File, block_size: u64, head: u64, end: u64) -> Result<(Vec<Run>, u64)> {
    let (mut runs, mut at) = (Vec::<Run>::new(), head);
    while at < end {
        let mut entry = [0; 8];
        let offset = at * block_size;
        file.read_exact_at(&mut entry, offset)?;
        let (next, count) = (le32(&entry, 0), le32(&entry, 4));
        if next <= at || count == 0 {
            let message = format!("the list of free memo blocks is broken at block {at}");
            let error = Error::new(Code::Damaged, message).at(file.path().display());
            return Err(error.hint("pack the table, or repair it into a new one"));
        }
        // Never more than lie before the next entry, whatever the count says.
        runs.push(Run { block: at, count: count.min(next.min(end) - at) });
        at = next;
    }
    Ok((runs, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memo::empty_file;
    use mainstay_vfs::{Create, FileSystem, Memory};
    use std::path::Path;

    /// A file of 20 blocks of 64 bytes, all of them taken.
    fn file(kind: MemoKind, flex: bool, six: bool) -> (Memory, std::sync::Arc<dyn WritableFile>) {
        let memory = Memory::new();
        let mut bytes = empty_file(kind, 64, flex);
        if six {
            bytes[8..15].copy_from_slice(b"SIxMemo");
        }
        bytes.resize(64 * 40, 0x11);
        memory.write("t", bytes);
        let file = memory.create(Path::new("t"), Create::Existing).unwrap();
        (memory, file)
    }

    fn content(memory: &Memory) -> Vec<u8> {
        memory.read(Path::new("t")).unwrap()
    }

    /// Runs that are given back and taken, byte for byte in the chain of a DBT IV.
    #[test]
    fn a_chain_names_each_next_run_and_then_the_end_of_the_file() {
        let (memory, file) = file(MemoKind::DbaseFour, false, false);
        let mut set = content(&memory);
        set[..4].copy_from_slice(&40u32.to_le_bytes());
        memory.write("t", set);
        let read = || Space::read(&*file, MemoKind::DbaseFour, 64).unwrap();
        let mut space = read();
        for (block, count) in [(20, 3), (10, 2), (30, 1)] {
            space.give(Run { block, count });
            space.write(&*file).unwrap();
        }
        let at = |block: u64| {
            let bytes = content(&memory);
            (le32(&bytes, block as usize * 64), le32(&bytes, block as usize * 64 + 4))
        };
        assert_eq!((le32(&content(&memory), 0), at(10), at(20), at(30)), (10, (20, 2), (30, 3), (40, 1)));
        let mut space = read();
        assert_eq!(space.runs, [(10, 2), (20, 3), (30, 1)].map(|(block, count)| Run { block, count }));
        // The best fit, from its end; then a whole run; then behind everything.
        assert_eq!((space.take(2), space.take(2), space.take(1), space.take(5)), (10, 21, 20, 40));
        space.write(&*file).unwrap();
        assert_eq!((le32(&content(&memory), 0), at(30)), (30, (45, 1)));
        assert_eq!(at(21), (0x1111_1111, 0x1111_1111), "what is given out is not written to here");
        // A neighbour joins, from either side.
        let mut space = read();
        space.give(Run { block: 29, count: 1 });
        space.give(Run { block: 31, count: 1 });
        assert_eq!(space.runs, [Run { block: 29, count: 3 }]);
        // Blocks that are already free are not freed twice, nor blocks that were never allocated.
        space.give(Run { block: 30, count: 4 });
        space.give(Run { block: 39, count: 9 });
        assert_eq!(space.runs, [Run { block: 29, count: 3 }]);
    }

    #[test]
    fn lists_of_headers_and_pages_are_read_as_they_were_written() {
        for (kind, flex, six) in
            [(MemoKind::FoxPro, true, false), (MemoKind::FoxPro, false, true), (MemoKind::Six, false, true)]
        {
            let (memory, file) = file(kind, flex, six);
            let mut space = Space::read(&*file, kind, 64).unwrap();
            assert!(space.is_listed());
            for (block, count) in [(30, 2), (20, 1), (25, 3)] {
                space.give(Run { block, count });
            }
            space.write(&*file).unwrap();
            let found = Space::read(&*file, kind, 64).unwrap();
            assert_eq!(found.runs, space.runs, "{kind:?}");
            assert_eq!(found.next, space.next);
            let bytes = content(&memory);
            if six {
                assert_eq!(bytes[18..32], [3, 0, 1, 0, 20, 0, 0, 0, 2, 0, 30, 0, 0, 0]);
            } else {
                let dir = le32(&bytes, 528) as usize;
                assert_eq!((dir, be32(&bytes, dir), be32(&bytes, dir + 4)), (40 * 64, 1000, 1010));
                assert_eq!(bytes[dir + 8..dir + 18], [15, 0, 0, 5, 0, 0, 64, 0, 0, 0]);
                assert_eq!((be32(&bytes, 25 * 64), be32(&bytes, 25 * 64 + 4)), (1001, 3 * 64 - 8));
                assert_eq!(le32(&bytes, 532), 1);
            }
        }
    }

    /// A list that cannot be right is left as it is.
    #[test]
    fn broken_lists_are_not_used_and_a_broken_chain_is_an_error() {
        let (memory, file) = file(MemoKind::Six, false, true);
        for item in [[1, 0, 2, 0, 0, 0], [9, 0, 38, 0, 0, 0], [0, 0, 20, 0, 0, 0]] {
            let mut bytes = content(&memory);
            bytes[18] = 1;
            bytes[20..26].copy_from_slice(&item);
            memory.write("t", bytes);
            let space = Space::read(&*file, MemoKind::Six, 64).unwrap();
            assert!(!space.is_listed() && space.runs.is_empty(), "{item:?}");
        }
        let (memory, file) = self::file(MemoKind::DbaseFour, false, false);
        let mut bytes = content(&memory);
        bytes[..4].copy_from_slice(&12u32.to_le_bytes());
        bytes[12 * 64..12 * 64 + 8].copy_from_slice(&[12, 0, 0, 0, 1, 0, 0, 0]);
        memory.write("t", bytes);
        assert_eq!(Space::read(&*file, MemoKind::DbaseFour, 64).unwrap_err().code(), Code::Damaged);
    }
}
