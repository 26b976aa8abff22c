//! Building a tree from sorted keys, page after page, in free pages and behind the end of the file.
//!
//! **CDX and IDX.** Leaves are filled one after the other; then the branches over them, level by level. The number of a
//! page's right sibling is taken before that is made.
//!
//! ```text
//!   leaf leaf leaf leaf leaf | branch branch | root
//! ```
//!
//! **NTX.** A page is filled; the next key goes up, into the page above, and the page is its child. In the end the last
//! page of a level may be less than half full: then it shares the keys of the page before it. So two pages of every
//! level are kept until the end.
//!
//! Pages are written in pieces of some 256 KB, before anything leads to them; a build that fails leaves bytes behind
//! the end that the headers know.

use super::node::{Shape, Unpacked};
use super::pack::{self, Bits};
use super::sort::KeySorter;
use super::spare::Spares;
use super::spec::put;
use super::store::PageStore;
use crate::index::leaf::ENTRIES_START;
use crate::index::node::{Format, NO_PAGE};
use mainstay_types::{Result, interrupt};
use mainstay_vfs::WritableFile;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Bytes of pages that are written at once.
const PIECE_LEN: usize = 256 << 10;

/// Keys between two reports of progress.
const REPORT_EVERY: u64 = 16_384;

/// Builds a tree; gives its root page and the number of its entries. `progress` is told how many keys are in the
/// tree so far, and may stop the build, as an [`interrupt`] may.
pub(crate) fn build_tree(
    store: &mut PageStore,
    shape: &Shape,
    (keys, spares): (KeySorter, &mut Spares),
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(u32, u64)> {
    let max_record = keys.max_record();
    let mut count = 0;
    let mut told = |count: &mut u64| {
        *count += 1;
        if count.is_multiple_of(REPORT_EVERY) {
            interrupt::check()?;
            if progress(*count).is_break() {
                return Err(super::stopped());
            }
        }
        Ok(())
    };
    let end = store.end;
    let built = if shape.is_ntx() {
        let mut builder = MixedBuilder::new(Output::new(store, spares), *shape);
        let sorted = keys.finish(|key, record| {
            builder.add(key, record)?;
            told(&mut count)
        });
        sorted.and_then(|()| builder.finish())
    } else {
        let mut builder = RankedBuilder::new(Output::new(store, spares), *shape, max_record);
        let sorted = keys.finish(|key, record| {
            builder.add(key, record)?;
            told(&mut count)
        });
        sorted.and_then(|()| builder.finish())
    };
    if built.is_err() {
        store.end = end;
    }
    Ok((built?, count))
}

/// Pages on their way into the file.
struct Output<'s> {
    store: &'s mut PageStore,
    spares: &'s mut Spares,
    /// From here on all pages are those of the tree.
    own: u32,
    file: Arc<dyn WritableFile>,
    page_len: usize,
    piece: Vec<u8>,
    /// The page that the piece begins with.
    start: u32,
}

impl<'s> Output<'s> {
    fn new(store: &'s mut PageStore, spares: &'s mut Spares) -> Output<'s> {
        let (file, page_len, own) = (Arc::clone(&store.file), store.page_len(), store.end);
        // The first page begins a piece.
        Output { store, spares, own, file, page_len, piece: Vec::with_capacity(PIECE_LEN), start: 0 }
    }

    /// The number of a new page.
    fn page(&mut self) -> Result<u32> {
        self.spares.page().map_or_else(|| self.store.extend(1), Ok)
    }

    /// Writes a page, sooner or later.
    fn put(&mut self, page: u32, bytes: &[u8]) -> Result<()> {
        let Some(index) = page.checked_sub(self.start).map(|index| index as usize * self.page_len) else {
            // Its piece is in the file already.
            return self.file.write_at(bytes, u64::from(page) * self.page_len as u64);
        };
        // Pages between the last one and this one may be those of others.
        let is_apart = index > self.piece.len() && self.start < self.own;
        if is_apart || index + self.page_len > PIECE_LEN.max(self.page_len) {
            self.flush()?;
            self.start = page;
            return self.put(page, bytes);
        }
        if self.piece.len() < index + self.page_len {
            self.piece.resize(index + self.page_len, 0);
        }
        self.piece[index..index + self.page_len].copy_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if !self.piece.is_empty() {
            self.file.write_at(&self.piece, u64::from(self.start) * self.page_len as u64)?;
        }
        self.start += (self.piece.len() / self.page_len) as u32;
        self.piece.clear();
        Ok(())
    }
}

/// The last entry of each page of a level, and the page.
#[derive(Default)]
struct Level {
    keys: Vec<u8>,
    records: Vec<u32>,
    pages: Vec<u32>,
}

impl Level {
    fn add(&mut self, key: &[u8], record: u32, page: u32) {
        self.keys.extend_from_slice(key);
        self.records.push(record);
        self.pages.push(page);
    }
}

/// Builds the trees of CDX and IDX.
struct RankedBuilder<'s> {
    output: Output<'s>,
    shape: Shape,
    bits: Bits,
    /// The leaf that is being filled, and its page; 0 before the first.
    leaf: Vec<u8>,
    page: u32,
    left: u32,
    count: usize,
    /// Where the stored bytes of a packed leaf begin.
    bottom: usize,
    last: Vec<u8>,
    last_trailing: usize,
    last_record: u32,
    level: Level,
}

impl<'s> RankedBuilder<'s> {
    fn new(output: Output<'s>, shape: Shape, max_record: u32) -> RankedBuilder<'s> {
        let bits = Bits::new(shape.layout.record_bits, shape.key_len(), max_record);
        RankedBuilder {
            leaf: vec![0; output.page_len],
            last: vec![0; shape.key_len()],
            output,
            shape,
            bits,
            page: 0,
            left: 0,
            count: 0,
            bottom: 0,
            last_trailing: 0,
            last_record: 0,
            level: Level::default(),
        }
    }

    #[inline]
    fn add(&mut self, key: &[u8], record: u32) -> Result<()> {
        if self.page == 0 {
            self.begin_leaf()?;
        }
        if self.shape.layout.format == Format::Compact {
            self.add_packed(key, record)?;
        } else {
            if self.count == self.shape.most_items() {
                self.next_leaf()?;
            }
            let at = 12 + self.count * (key.len() + 4);
            put(&mut self.leaf, at, key);
            put(&mut self.leaf, at + key.len(), &record.to_be_bytes());
        }
        self.count += 1;
        self.last.copy_from_slice(key);
        self.last_record = record;
        Ok(())
    }

    #[inline]
    fn add_packed(&mut self, key: &[u8], record: u32) -> Result<()> {
        let trailing = pack::trailing(key, self.shape.layout.pad);
        let mut duplicates = 0;
        if self.count > 0 {
            let limit = key.len() - trailing.max(self.last_trailing);
            duplicates = pack::shared(&self.last, key).min(limit);
        }
        let entries_end = ENTRIES_START + (self.count + 1) * self.bits.entry_len;
        if entries_end + (key.len() - duplicates - trailing) > self.bottom {
            self.next_leaf()?;
            duplicates = 0;
        }
        let stored = &key[duplicates..key.len() - trailing];
        self.bottom -= stored.len();
        put(&mut self.leaf, self.bottom, stored);
        self.bits.write_entry(&mut self.leaf, self.count, record, duplicates, trailing);
        self.last_trailing = trailing;
        Ok(())
    }

    fn begin_leaf(&mut self) -> Result<()> {
        self.page = self.output.page()?;
        self.leaf.fill(0);
        self.count = 0;
        self.bottom = self.leaf.len();
        Ok(())
    }

    /// The leaf is full: the next one is the next page.
    #[cold]
    fn next_leaf(&mut self) -> Result<()> {
        let page = self.page;
        self.begin_after(page)
    }

    fn begin_after(&mut self, page: u32) -> Result<()> {
        let next = self.output.page()?;
        self.end_leaf(next, false)?;
        self.left = page;
        self.page = next;
        self.leaf.fill(0);
        self.count = 0;
        self.bottom = self.leaf.len();
        Ok(())
    }

    fn end_leaf(&mut self, right: u32, is_root: bool) -> Result<()> {
        let shape = &self.shape;
        self.leaf[0] = 2 | u8::from(is_root);
        put(&mut self.leaf, 2, &(self.count as u16).to_le_bytes());
        put(&mut self.leaf, 4, &shape.pointer(self.left, NO_PAGE).to_le_bytes());
        put(&mut self.leaf, 8, &shape.pointer(right, NO_PAGE).to_le_bytes());
        if shape.layout.format == Format::Compact {
            let free = self.bottom - ENTRIES_START - self.count * self.bits.entry_len;
            self.bits.write(&mut self.leaf, free);
        }
        self.level.add(&self.last, self.last_record, self.page);
        self.output.put(self.page, &self.leaf)
    }

    fn finish(mut self) -> Result<u32> {
        if self.page == 0 {
            self.begin_leaf()?;
        }
        let is_root = self.level.pages.is_empty();
        self.end_leaf(0, is_root)?;
        let mut level = std::mem::take(&mut self.level);
        while level.pages.len() > 1 {
            level = self.branches(&level)?;
        }
        self.output.flush()?;
        Ok(level.pages[0])
    }

    /// The branches over a level of pages.
    fn branches(&mut self, below: &Level) -> Result<Level> {
        let shape = self.shape;
        let (most, len, count) = (shape.most_items(), shape.key_len(), below.pages.len());
        let pages = count.div_ceil(most);
        let mut level = Level::default();
        let (mut left, mut page) = (0, self.output.page()?);
        for number in 0..pages {
            // The last two share what is left, so that no branch has one child beside a full one.
            let start = start_of(number, most, count, pages);
            let end = start_of(number + 1, most, count, pages);
            let is_last = number + 1 == pages;
            let right = if is_last { 0 } else { self.output.page()? };
            let records = &below.records[start..end];
            let node = Unpacked {
                is_root: pages == 1,
                is_leaf: false,
                left,
                right,
                keys: below.keys[start * len..end * len].to_vec(),
                records: records.to_vec(),
                children: below.pages[start..end].to_vec(),
                ..Unpacked::default()
            };
            node.encode(&shape, &mut self.leaf)?;
            self.output.put(page, &self.leaf)?;
            level.add(&below.keys[(end - 1) * len..end * len], below.records[end - 1], page);
            (left, page) = (page, right);
        }
        Ok(level)
    }
}

/// Where branch `number` of `pages` begins among `count` children.
fn start_of(number: usize, most: usize, count: usize, pages: usize) -> usize {
    if pages > 1 && number == pages - 1 {
        let before = (pages - 2) * most;
        return before + (count - before).div_ceil(2);
    }
    (number * most).min(count)
}

/// Builds the trees of an NTX.
struct MixedBuilder<'s> {
    output: Output<'s>,
    shape: Shape,
    bytes: Vec<u8>,
    /// From the leaves up: the page that is being filled, and the full one before it.
    levels: Vec<Filling>,
}

#[derive(Default)]
struct Filling {
    node: Unpacked,
    page: u32,
    before: Option<(Unpacked, u32)>,
}

impl<'s> MixedBuilder<'s> {
    fn new(output: Output<'s>, shape: Shape) -> MixedBuilder<'s> {
        MixedBuilder { bytes: vec![0; output.page_len], output, shape, levels: Vec::new() }
    }

    fn add(&mut self, key: &[u8], record: u32) -> Result<()> {
        let mut child = 0;
        let mut level = 0;
        loop {
            if level == self.levels.len() {
                let page = self.output.page()?;
                self.levels.push(Filling { page, ..Filling::default() });
            }
            let filling = &mut self.levels[level];
            filling.node.children.push(child);
            if filling.node.count() < self.shape.max_items {
                filling.node.keys.extend_from_slice(key);
                filling.node.records.push(record);
                return Ok(());
            }
            // The page is full, and the key goes up as the one behind it.
            child = filling.page;
            self.keep(level)?;
            level += 1;
        }
    }

    /// A full page waits until the one after it is full too.
    fn keep(&mut self, level: usize) -> Result<()> {
        let page = self.output.page()?;
        let filling = &mut self.levels[level];
        let full = (std::mem::take(&mut filling.node), std::mem::replace(&mut filling.page, page));
        if let Some((node, page)) = filling.before.replace(full) {
            node.encode(&self.shape, &mut self.bytes)?;
            self.output.put(page, &self.bytes)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<u32> {
        if self.levels.is_empty() {
            let page = self.output.page()?;
            self.levels.push(Filling { page, ..Filling::default() });
        }
        // Every page still needs its last child.
        let mut child = 0;
        for filling in &mut self.levels {
            filling.node.children.push(child);
            child = filling.page;
        }
        for level in (1..self.levels.len()).rev() {
            self.share(level);
        }
        let root = child;
        for Filling { node, page, before } in std::mem::take(&mut self.levels) {
            for (node, page) in before.into_iter().chain([(node, page)]) {
                node.encode(&self.shape, &mut self.bytes)?;
                self.output.put(page, &self.bytes)?;
            }
        }
        self.output.flush()?;
        Ok(root)
    }

    /// The last child of a page may hold too little: it takes keys from the child before it, through the key between.
    fn share(&mut self, level: usize) {
        let (len, half) = (self.shape.key_len(), self.shape.max_items / 2);
        let (below, above) = self.levels.split_at_mut(level);
        let (Some(below), Some(above)) = (below.last_mut(), above.first_mut()) else { return };
        let Some((first, _)) = &mut below.before else { return };
        let (last, base) = (&mut below.node, &mut above.node);
        if last.count() >= half || base.count() == 0 {
            return;
        }
        let between = base.count() - 1;
        let total = first.count() + last.count();
        first.keys.extend_from_slice(&base.keys[between * len..]);
        first.records.push(base.records[between]);
        first.keys.append(&mut last.keys);
        first.records.append(&mut last.records);
        first.children.append(&mut last.children);
        let middle = total / 2;
        last.keys = first.keys.split_off((middle + 1) * len);
        last.records = first.records.split_off(middle + 1);
        last.children = first.children.split_off(middle + 1);
        let key = first.keys.split_off(middle * len);
        base.keys[between * len..].copy_from_slice(&key);
        base.records[between] = first.records.pop().unwrap_or(0);
    }
}
