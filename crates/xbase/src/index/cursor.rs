//! A place in the order of a tag, moved as xBase programs move: top, bottom, skip, seek.
//!
//! The order is the tag's own. For a descending CDX tag, whose tree is ascending, every step is mirrored;
//! a descending NTX is stored in descending order, and its steps are those of the tree.
//!
//! A cursor does not ask whether keys are in order, except in [`Cursor::seek`]: what a program would see
//! when it skips through a tag is what the cursor gives.

use super::node::Node;
use super::tag::Tag;
use super::tree::{Level, Path, Reading, Tree};
use mainstay_base::Result;
use std::ops::ControlFlow;

/// A place in the order of a tag: at a record, before the first, or after the last.
#[derive(Debug)]
pub struct Cursor<'t> {
    tag: &'t Tag,
    tree: &'t Tree,
    path: Path,
    at_start: bool,
    moved_forward: bool,
    items: Items,
    items_page: Option<u32>,
}

/// What a seek found.
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

impl<'t> Cursor<'t> {
    pub(crate) fn new(tag: &'t Tag, tree: &'t Tree) -> Cursor<'t> {
        let (path, items) = (Path::end(), Items::default());
        Cursor { tag, tree, path, at_start: true, moved_forward: true, items, items_page: None }
    }

    /// Whether the order of the tag is that of the tree backwards.
    fn is_mirrored(&self) -> bool {
        self.tag.header().descending && !self.tree.layout.falling
    }

    /// Goes to the first record.
    pub fn first(&mut self) -> Result<Option<u32>> {
        let mirrored = self.is_mirrored();
        self.path = if mirrored { self.tree.last(Reading::Point)? } else { self.tree.first(Reading::Point)? };
        self.at_start = false;
        self.record()
    }

    /// Goes to the last record; in an empty tag, before the first.
    pub fn last(&mut self) -> Result<Option<u32>> {
        let mirrored = self.is_mirrored();
        self.path = if mirrored { self.tree.first(Reading::Point)? } else { self.tree.last(Reading::Point)? };
        self.at_start = self.path.is_end();
        self.record()
    }

    /// Goes one record on: after the last there is `None`, and the cursor stays there.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<u32>> {
        if self.path.is_end() {
            return if self.at_start { self.first() } else { Ok(None) };
        }
        self.turn(true);
        self.step(!self.is_mirrored())?;
        self.record()
    }

    /// Goes one record back: before the first there is `None`, and the cursor stays there.
    pub fn prev(&mut self) -> Result<Option<u32>> {
        if self.path.is_end() {
            return if self.at_start { Ok(None) } else { self.last() };
        }
        self.turn(false);
        self.step(self.is_mirrored())?;
        self.at_start = self.path.is_end();
        self.record()
    }

    /// Goes `count` records on, or back if it is negative; gives the record it is at then.
    pub fn skip(&mut self, count: i64) -> Result<Option<u32>> {
        for _ in 0..count.unsigned_abs() {
            let record = if count > 0 { self.next()? } else { self.prev()? };
            if record.is_none() {
                return Ok(None);
            }
        }
        self.record()
    }

    /// Seeks a key as xBase does: a key shorter than the tag's matches all that begin with it; `last` takes
    /// the last match instead of the first.
    ///
    /// Where nothing matches, the cursor goes after the last record. With `soft` it goes to the next record
    /// instead, or, with `last`, to the one before the place where the key would be.
    pub fn seek(&mut self, key: &[u8], soft: bool, last: bool) -> Result<Seek> {
        let key = &key[..key.len().min(self.tree.layout.key_len)];
        // The match that is the first in the tree's order is the first at or after the key; the one that is
        // the last in it is the one before everything behind the key.
        let step_back = last != self.is_mirrored();
        let (path, _) = self.tree.search(key, step_back, Reading::Point)?;
        self.path = path;
        if step_back {
            self.tree.step_back(&mut self.path, Reading::Point)?;
        }
        self.at_start = false;
        let found = self.key()?.is_some_and(|found| found.starts_with(key));
        if !found && !soft {
            self.path = Path::end();
        }
        Ok(Seek { found, record: self.record()? })
    }

    /// The record the cursor is at.
    pub fn record(&self) -> Result<Option<u32>> {
        match (self.path.top(), self.items_page) {
            (Some(level), Some(page)) if level.page == page => {
                Ok(self.items.get(level.index as usize).map(|(record, _)| record))
            }
            _ => self.tree.record(&self.path),
        }
    }

    /// The key the cursor is at.
    pub fn key(&mut self) -> Result<Option<&[u8]>> {
        let Some(Level { page, index }) = self.path.top() else { return Ok(None) };
        if self.items_page != Some(page) {
            let bytes = self.tree.load(page, Reading::Point)?;
            let node = self.tree.node(page, &bytes)?;
            self.items_page = None;
            self.items.read(self.tree, page, &node)?;
            self.items_page = Some(page);
        }
        Ok(self.items.get(index as usize).map(|(_, key)| key))
    }

    /// Which record in the order of the tag this is, from 1; `None` when the cursor is at no record. Reads
    /// the counts of all pages before it.
    pub fn position(&self) -> Result<Option<u64>> {
        if self.path.is_end() {
            return Ok(None);
        }
        let before = match self.is_mirrored() {
            false => self.tree.count(&self.tree.first(Reading::Ahead)?, &self.path)? + 1,
            true => self.tree.count(&self.path, &Path::end())?,
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

    fn step(&mut self, forward: bool) -> Result<()> {
        if forward {
            self.tree.step(&mut self.path, Reading::Ahead)
        } else {
            self.tree.step_back(&mut self.path, Reading::Ahead)
        }
    }
}
