//! A place in the order of a tag, moved as xBase programs move: top, bottom, skip, seek.
//!
//! The order is the tag's own. For a descending CDX tag, whose tree is ascending, every step is mirrored;
//! a descending NTX is stored in descending order, and its steps are those of the tree.
//!
//! A cursor does not check the order of keys, except in [`Cursor::seek`]: it gives the records that a program would see
//! when it skips through the tag.

use super::node::{Format, Node};
use super::tag::Tag;
use super::tree::{Level, Path, Reading, Tree};
use mainstay_types::Result;
use std::ops::ControlFlow;

/// A place in the order of a tag: at a record, before the first, or after the last.
#[derive(Debug)]
pub struct Cursor<'t> {
    tag: &'t Tag,
    place: Place,
}

/// A [`Cursor`] without its tag, for callers that store both: every call takes the tag, in the state (of its file) in
/// which the place was taken. After the file has changed, the place is found again by key and record ([`Place::find`]).
#[derive(Debug)]
pub struct Place {
    path: Path,
    at_start: bool,
    moved_forward: bool,
    /// The order is seen from its other end.
    turned: bool,
    items: Items,
    items_page: Option<u32>,
    items_are_leaf: bool,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(tag: &'t Tag) -> Cursor<'t> {
        Cursor { tag, place: Place::new(false) }
    }

    /// Goes to the first record.
    pub fn first(&mut self) -> Result<Option<u32>> {
        self.place.first(self.tag)
    }

    /// Goes to the last record; in an empty tag, before the first.
    pub fn last(&mut self) -> Result<Option<u32>> {
        self.place.last(self.tag)
    }

    /// Goes one record on: after the last there is `None`, and the cursor stays there.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<u32>> {
        self.place.next(self.tag)
    }

    /// Goes one record back: before the first there is `None`, and the cursor stays there.
    pub fn prev(&mut self) -> Result<Option<u32>> {
        self.place.prev(self.tag)
    }

    /// Goes `count` records on, or back if it is negative; gives the record it is at then.
    pub fn skip(&mut self, count: i64) -> Result<Option<u32>> {
        self.place.skip(self.tag, count)
    }

    /// Seeks a key: see [`Place::seek`].
    pub fn seek(&mut self, key: &[u8], soft: bool, last: bool) -> Result<Seek> {
        self.place.seek(self.tag, key, soft, last)
    }

    /// The record the cursor is at.
    pub fn record(&self) -> Result<Option<u32>> {
        self.place.record(self.tag)
    }

    /// The key the cursor is at.
    pub fn key(&mut self) -> Result<Option<&[u8]>> {
        self.place.key(self.tag)
    }

    /// The number of the record in the order of the tag: see [`Place::position`].
    pub fn position(&self) -> Result<Option<u64>> {
        self.place.position(self.tag)
    }
}

/// The result of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seek {
    /// A key begins with the one sought.
    pub found: bool,
    /// The record the cursor is at; `None` after the last (xBase then goes to the record count plus one).
    pub record: Option<u32>,
}

/// The items of one page, unpacked.
#[derive(Debug, Default)]
pub(crate) struct Items {
    records: Vec<u32>,
    keys: Vec<u8>,
    scratch: Vec<u8>,
    key_len: usize,
}

impl Items {
    /// Unpacks a page.
    pub(crate) fn read(&mut self, tree: &Tree, page: u32, node: &Node<'_>) -> Result<()> {
        self.key_len = tree.layout.key_len;
        self.records.clear();
        self.keys.clear();
        self.scratch.resize(self.key_len, 0);
        let (records, keys) = (&mut self.records, &mut self.keys);
        let visited = node.each((0, node.count()), &mut self.scratch, |record, key| {
            records.push(record);
            keys.extend_from_slice(key);
            ControlFlow::Continue(())
        });
        visited.map(drop).map_err(|reason| tree.damaged(page, reason))
    }

    /// The record and the key of an item.
    pub(crate) fn get(&self, index: usize) -> Option<(u32, &[u8])> {
        let key = self.keys.get(index * self.key_len..(index + 1) * self.key_len)?;
        Some((*self.records.get(index)?, key))
    }
}

impl Place {
    /// Before the first record. With `turned` the order is the tag's backwards.
    pub fn new(turned: bool) -> Place {
        let (path, items) = (Path::end(), Items::default());
        Place { path, at_start: true, moved_forward: true, turned, items, items_page: None, items_are_leaf: false }
    }

    /// Back before the first record; nothing of the tag's pages is kept.
    pub fn reset(&mut self) {
        (self.path, self.at_start, self.moved_forward, self.items_page) = (Path::end(), true, true, None);
    }

    /// Returns true if the order of the tag is that of the tree backwards.
    fn is_mirrored(&self, tag: &Tag) -> bool {
        (tag.header().descending && !tag.tree.layout.falling) != self.turned
    }

    /// Goes to the first record.
    pub fn first(&mut self, tag: &Tag) -> Result<Option<u32>> {
        let mirrored = self.is_mirrored(tag);
        self.path = if mirrored { tag.tree.last(Reading::Point)? } else { tag.tree.first(Reading::Point)? };
        self.at_start = false;
        self.record(tag)
    }

    /// Goes to the last record; in an empty tag, before the first.
    pub fn last(&mut self, tag: &Tag) -> Result<Option<u32>> {
        let mirrored = self.is_mirrored(tag);
        self.path = if mirrored { tag.tree.first(Reading::Point)? } else { tag.tree.last(Reading::Point)? };
        self.at_start = self.path.is_end();
        self.record(tag)
    }

    /// Goes one record on: after the last there is `None`, and the cursor stays there.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self, tag: &Tag) -> Result<Option<u32>> {
        if self.path.is_end() {
            return if self.at_start { self.first(tag) } else { Ok(None) };
        }
        self.turn(true);
        self.step(tag, !self.is_mirrored(tag))?;
        self.record(tag)
    }

    /// Goes one record back: before the first there is `None`, and the cursor stays there.
    pub fn prev(&mut self, tag: &Tag) -> Result<Option<u32>> {
        if self.path.is_end() {
            return if self.at_start { Ok(None) } else { self.last(tag) };
        }
        self.turn(false);
        self.step(tag, self.is_mirrored(tag))?;
        self.at_start = self.path.is_end();
        self.record(tag)
    }

    /// Goes `count` records on, or back if it is negative; gives the record it is at then.
    pub fn skip(&mut self, tag: &Tag, count: i64) -> Result<Option<u32>> {
        for _ in 0..count.unsigned_abs() {
            let record = if count > 0 { self.next(tag)? } else { self.prev(tag)? };
            if record.is_none() {
                return Ok(None);
            }
        }
        self.record(tag)
    }

    /// Seeks a key as xBase does: a key shorter than the tag's matches all that begin with it; `last` takes
    /// the last match instead of the first.
    ///
    /// Where nothing matches, the cursor goes after the last record. With `soft` it goes to the next record
    /// instead, or, with `last`, to the one before the place where the key would be.
    pub fn seek(&mut self, tag: &Tag, key: &[u8], soft: bool, last: bool) -> Result<Seek> {
        let key = &key[..key.len().min(tag.tree.layout.key_len)];
        // The match that is the first in the tree's order is the first at or after the key; the one that is
        // the last in it is the one before everything behind the key.
        let step_back = last != self.is_mirrored(tag);
        let equal = tag.tree.search_to(&mut self.path, key, step_back, Reading::Point)?;
        if step_back {
            tag.tree.step_back(&mut self.path, Reading::Point)?;
        }
        self.at_start = false;
        let found = match equal.filter(|_| !step_back) {
            Some(equal) => equal,
            None => self.key(tag)?.is_some_and(|found| tag.begins_with(found, key)),
        };
        if !found && !soft {
            self.path = Path::end();
        }
        Ok(Seek { found, record: self.record(tag)? })
    }

    /// One record on, or back, if that is in the leaf which is unpacked already and the record is at most `last`; `None`,
    /// and nothing is done, where the step needs more.
    #[inline]
    pub fn step_in_leaf(&mut self, tag: &Tag, forward: bool, last: u32) -> Option<u32> {
        let Level { page, index } = self.path.top()?;
        if self.items_page != Some(page) || !self.items_are_leaf || tag.tree.layout.format == Format::Ntx {
            return None;
        }
        let next =
            if forward != self.is_mirrored(tag) { index as usize + 1 } else { (index as usize).checked_sub(1)? };
        let record = self.items.records.get(next).copied().filter(|record| *record <= last)?;
        self.turn(forward);
        self.path.set_index(next);
        Some(record)
    }

    /// The record the cursor is at.
    pub fn record(&self, tag: &Tag) -> Result<Option<u32>> {
        match (self.path.top(), self.items_page) {
            (Some(level), Some(page)) if level.page == page => {
                Ok(self.items.get(level.index as usize).map(|(record, _)| record))
            }
            _ => tag.tree.record(&self.path),
        }
    }

    /// The key the cursor is at.
    pub fn key(&mut self, tag: &Tag) -> Result<Option<&[u8]>> {
        let Some(Level { page, index }) = self.path.top() else { return Ok(None) };
        self.unpack(tag, page, Reading::Point)?;
        Ok(self.items.get(index as usize).map(|(_, key)| key))
    }

    /// Goes to the item with exactly this key and this record, and says whether there is one; if not, the place is
    /// the next in the order that comes behind where it would be: among equal keys, records ascend in the tree.
    pub fn find(&mut self, tag: &Tag, key: &[u8], record: u32) -> Result<bool> {
        tag.tree.search_to(&mut self.path, key, false, Reading::Point)?;
        self.at_start = false;
        let mut behind = None;
        while let Some(Level { page, index }) = self.path.top() {
            self.unpack(tag, page, Reading::Ahead)?;
            match self.items.get(index as usize) {
                Some((found, other)) if tag.compare(other, key).is_eq() => {
                    if found == record && other == key {
                        self.path.restart();
                        return Ok(true);
                    }
                    if found > record && behind.is_none() {
                        behind = Some(self.path);
                    }
                }
                _ => break,
            }
            self.step(tag, true)?;
        }
        self.path = behind.unwrap_or(self.path);
        self.path.restart();
        if self.is_mirrored(tag) {
            tag.tree.step_back(&mut self.path, Reading::Point)?;
        }
        Ok(false)
    }

    /// Goes to the record that is the `number`th in the order, from 1; after the last where there are fewer.
    pub fn go_to_position(&mut self, tag: &Tag, number: u64) -> Result<Option<u32>> {
        let first = tag.tree.first(Reading::Ahead)?;
        let before = match self.is_mirrored(tag) {
            false => number.checked_sub(1),
            true => tag.tree.count(&first, &Path::end())?.checked_sub(number),
        };
        self.path = match before.filter(|_| number > 0) {
            Some(before) => tag.tree.nth(first, before)?,
            None => Path::end(),
        };
        self.at_start = number == 0;
        self.record(tag)
    }

    /// Unpacks the items of a page, unless they are those at hand.
    fn unpack(&mut self, tag: &Tag, page: u32, reading: Reading) -> Result<()> {
        if self.items_page != Some(page) {
            let bytes = tag.tree.load(page, reading)?;
            let node = tag.tree.node(page, &bytes)?;
            self.items_page = None;
            self.items.read(&tag.tree, page, &node)?;
            self.items_are_leaf = node.is_leaf();
            self.items_page = Some(page);
        }
        Ok(())
    }

    /// The number of the record in the order of the tag, from 1; `None` when the cursor is at no record. Reads
    /// the counts of all pages before it.
    pub fn position(&self, tag: &Tag) -> Result<Option<u64>> {
        if self.path.is_end() {
            return Ok(None);
        }
        let before = match self.is_mirrored(tag) {
            false => tag.tree.count(&tag.tree.first(Reading::Ahead)?, &self.path)? + 1,
            true => tag.tree.count(&self.path, &Path::end())?,
        };
        Ok(Some(before))
    }

    /// A walk is bounded by the pages of the file in each direction: a cursor that goes to and fro is not.
    fn turn(&mut self, forward: bool) {
        if self.moved_forward != forward {
            self.moved_forward = forward;
            self.path.restart();
        }
    }

    fn step(&mut self, tag: &Tag, forward: bool) -> Result<()> {
        // Within a leaf that is unpacked already, a step is a number.
        if let Some(Level { page, index }) = self.path.top()
            && tag.tree.layout.format != Format::Ntx
        {
            self.unpack(tag, page, Reading::Ahead)?;
            let next = if forward { Some(index as usize + 1) } else { (index as usize).checked_sub(1) };
            if let Some(next) = next.filter(|next| self.items_are_leaf && *next < self.items.records.len()) {
                self.path.set_index(next);
                return Ok(());
            }
        }
        if forward {
            tag.tree.step(&mut self.path, Reading::Ahead)
        } else {
            tag.tree.step_back(&mut self.path, Reading::Ahead)
        }
    }
}
