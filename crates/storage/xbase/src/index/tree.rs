//! Walking and searching one index tree.
//!
//! A position is a [`Path`]: the pages from the root down, and the index in each. It points at an item, or
//! past the last one, and moving it needs no sibling pointers: the parents know. So one walk serves all formats, and
//! siblings that disagree with their parents cannot mislead it.
//!
//! ```text
//!   CDX, IDX: items are in leaves          NTX: items are everywhere
//!
//!        [ a | b ]  <- path[0].index            [ 4 ]   item 4 of the page: a path of one level
//!         /     \                               /   \
//!     [1 2 a] [3 b] <- path[1].index        [1 2 3] [5 6]
//! ```
//!
//! **Bounds of a walk over a damaged file:** a path has at most [`MAX_DEPTH`] levels, so a child that is
//! its own ancestor ends in an error; and in one walk a path enters at most as many pages as the file has,
//! so pages with many parents end in an error too, rather than in a walk without end.
//!
//! **Correctness:** before a page takes part in a search or a range, the order of its keys is
//! checked, once per page that is kept; and a range checks that each page goes on where the last one
//! stopped. Moving a cursor does not need the order, so a tag in an unknown national order can still be walked.

use super::leaf::Leaf;
use super::node::{Layout, Node, Reason};
use super::pages::{PageBytes, Pages};
use crate::collation::KeyOrder;
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The most levels a tree may have. With the longest keys a branch still has two children, so that this
/// is enough for any number of records.
pub(crate) const MAX_DEPTH: usize = 48;

/// One tree: where its pages are and how they look.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) pages: Arc<Pages>,
    pub(crate) layout: Layout,
    pub(crate) root: u32,
}

/// A page of a path, and the index in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) page: u32,
    pub(crate) index: u32,
}

/// A position in a tree: at an item, or past the last one (no levels).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    levels: [Level; MAX_DEPTH],
    len: usize,
    /// Pages entered since the walk began.
    entered: u32,
}

/// True if a walk is going to need the pages that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Point,
    Ahead,
}

impl Path {
    /// The position past the last item.
    pub(crate) fn end() -> Path {
        Path { levels: [Level::default(); MAX_DEPTH], len: 0, entered: 0 }
    }

    pub(crate) fn is_end(&self) -> bool {
        self.len == 0
    }

    /// The page that the position is in, and the index of its item; nothing past the end.
    #[inline]
    pub(crate) fn top(&self) -> Option<Level> {
        self.levels[..self.len].last().copied()
    }

    pub(crate) fn levels(&self) -> &[Level] {
        &self.levels[..self.len]
    }

    #[inline]
    pub(crate) fn set_index(&mut self, index: usize) {
        if let Some(level) = self.levels[..self.len].last_mut() {
            level.index = index as u32;
        }
    }

    /// Makes it the position past the last item, as the first page of another walk finds it.
    fn clear(&mut self) {
        (self.len, self.entered) = (0, 0);
    }

    fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Forgets how many pages were entered: a new walk begins here.
    pub(crate) fn restart(&mut self) {
        self.entered = 0;
    }

    /// Returns true if this position comes before another one of the same tree.
    pub(crate) fn is_before(&self, other: &Path) -> bool {
        for (left, right) in self.levels().iter().zip(other.levels()) {
            if left.index != right.index {
                return left.index < right.index;
            }
        }
        // An item of an NTX page comes after everything in its child; the end comes after everything.
        self.len > other.len
    }
}

impl Tree {
    #[inline]
    pub(crate) fn load(&self, page: u32, reading: Reading) -> Result<PageBytes<'_>> {
        match reading {
            Reading::Point => self.pages.page(page),
            Reading::Ahead => self.pages.page_ahead(page),
        }
    }

    /// The node in a page.
    #[inline]
    pub(crate) fn node<'p>(&'p self, page: u32, bytes: &'p [u8]) -> Result<Node<'p>> {
        Node::parse(&self.layout, bytes).map_err(|reason| self.damaged(page, reason))
    }

    /// The node in a page, of which the keys are known to be in order.
    #[inline]
    pub(crate) fn ordered_node<'p>(&'p self, page: u32, bytes: &'p [u8]) -> Result<Node<'p>> {
        let node = self.node(page, bytes)?;
        if !self.pages.is_ordered(page) {
            self.check_order(page, &node)?;
        }
        Ok(node)
    }

    #[cold]
    fn check_order(&self, page: u32, node: &Node<'_>) -> Result<()> {
        let mut key = vec![0; self.layout.key_len];
        if !node.is_ordered(&mut key).map_err(|reason| self.damaged(page, reason))? {
            if self.layout.order == KeyOrder::Unknown {
                return Err(self.unknown_order());
            }
            let hint = "the index is damaged; reindex the table";
            return Err(self.damaged(page, "the keys of the page are not in their order").hint(hint));
        }
        self.pages.set_ordered(page);
        Ok(())
    }

    #[cold]
    fn unknown_order(&self) -> Error {
        let message = "the keys are in an unknown national order";
        let hint = "the index can be walked, and is searched by the program that keeps it";
        Error::new(Code::Unsupported, message).at(self.pages.file().path().display()).hint(hint)
    }

    pub(crate) fn damaged(&self, page: u32, reason: impl Into<Reason>) -> Error {
        self.pages.damaged(page, reason.into())
    }

    /// Adds a level to a path.
    #[inline]
    fn push(&self, path: &mut Path, page: u32, index: usize) -> Result<()> {
        if path.len == MAX_DEPTH {
            return Err(self.damaged(page, "the tree has no bottom: a page is its own ancestor"));
        }
        path.entered += 1;
        if path.entered > self.pages.count().saturating_add(MAX_DEPTH as u32) {
            return Err(self.damaged(page, "the tree enters more pages than the file has: pages are shared"));
        }
        path.levels[path.len] = Level { page, index: index as u32 };
        path.len += 1;
        Ok(())
    }

    /// The page of a child.
    #[inline]
    fn child(&self, page: u32, node: &Node<'_>, index: usize) -> Result<Option<u32>> {
        let child = node.child(index).and_then(|pointer| pointer.map(|p| self.layout.page_number(p)).transpose());
        let child = child.map_err(|reason| self.damaged(page, reason))?;
        match child {
            Some(child) if child == 0 || child >= self.pages.count() => {
                Err(self.damaged(page, format!("child {index} lies outside the file (page {child})")))
            }
            child => Ok(child),
        }
    }

    /// The first item in the order of the tree.
    pub(crate) fn first(&self, reading: Reading) -> Result<Path> {
        let mut path = Path::end();
        self.descend_first(&mut path, self.root, reading)?;
        Ok(path)
    }

    /// The last item in the order of the tree.
    pub(crate) fn last(&self, reading: Reading) -> Result<Path> {
        let mut path = Path::end();
        self.descend_last(&mut path, self.root, reading)?;
        self.climb_back(&mut path, reading)?;
        Ok(path)
    }

    /// Goes to the first item in a subtree; when it has none, to the first after it.
    fn descend_first(&self, path: &mut Path, mut page: u32, reading: Reading) -> Result<()> {
        loop {
            let bytes = self.load(page, reading)?;
            let node = self.node(page, &bytes)?;
            self.push(path, page, 0)?;
            let child = if node.count() > 0 || node.has_records() { self.child(page, &node, 0)? } else { None };
            match child {
                Some(child) => page = child,
                None => break,
            }
        }
        self.settle(path, reading)
    }

    /// Goes to the last item of a subtree; when it has none, to the last before it.
    fn descend_last(&self, path: &mut Path, mut page: u32, reading: Reading) -> Result<()> {
        loop {
            let bytes = self.load(page, reading)?;
            let node = self.node(page, &bytes)?;
            if node.has_records() {
                // One past the last item, from where the caller steps back.
                self.push(path, page, node.count())?;
            } else {
                self.push(path, page, node.count().saturating_sub(1))?;
                if node.count() == 0 {
                    return Ok(());
                }
            }
            let index = path.top().map_or(0, |level| level.index as usize);
            match self.child(page, &node, index)? {
                Some(child) => page = child,
                None => return Ok(()),
            }
        }
    }

    /// The path may point past the last item of its page: moves on to the next item there is.
    fn settle(&self, path: &mut Path, reading: Reading) -> Result<()> {
        while let Some(Level { page, index }) = path.top() {
            let bytes = self.load(page, reading)?;
            let node = self.node(page, &bytes)?;
            if node.has_records() {
                if (index as usize) < node.count() {
                    return Ok(());
                }
                path.pop();
                // In an NTX the parent's index is that of the item after the child, which is next; in the
                // other trees it is that of the child, which is done.
                if node.is_leaf() {
                    self.leave_child(path);
                }
            } else if (index as usize) < node.count() {
                match self.child(page, &node, index as usize)? {
                    Some(child) => self.push(path, child, 0)?,
                    None => return Err(self.damaged(page, "a branch has no child")),
                }
            } else {
                path.pop();
                self.leave_child(path);
            }
        }
        Ok(())
    }

    fn leave_child(&self, path: &mut Path) {
        if let Some(Level { index, .. }) = path.top() {
            path.set_index(index as usize + 1);
        }
    }

    /// The path points one past the item wanted: steps back to it, out of pages that have none before.
    fn climb_back(&self, path: &mut Path, reading: Reading) -> Result<()> {
        while let Some(Level { page, index }) = path.top() {
            if index == 0 {
                path.pop();
                continue;
            }
            let bytes = self.load(page, reading)?;
            let node = self.node(page, &bytes)?;
            path.set_index(index as usize - 1);
            if node.has_records() {
                return Ok(());
            }
            match self.child(page, &node, index as usize - 1)? {
                Some(child) => self.descend_last(path, child, reading)?,
                None => return Err(self.damaged(page, "a branch has no child")),
            }
        }
        Ok(())
    }

    /// Moves to the next item in the order of the tree.
    pub(crate) fn step(&self, path: &mut Path, reading: Reading) -> Result<()> {
        let Some(Level { page, index }) = path.top() else { return Ok(()) };
        let bytes = self.load(page, reading)?;
        let node = self.node(page, &bytes)?;
        let next = index as usize + 1;
        path.set_index(next);
        if !node.is_leaf()
            && next <= node.count()
            && let Some(child) = self.child(page, &node, next)?
        {
            return self.descend_first(path, child, reading);
        }
        if next < node.count() { Ok(()) } else { self.settle(path, reading) }
    }

    /// Moves to the item before, in the order of the tree; from past the end to the last one. From the first
    /// item it leads to the end.
    pub(crate) fn step_back(&self, path: &mut Path, reading: Reading) -> Result<()> {
        let below = match path.top() {
            None => Some(self.root),
            Some(Level { page, index }) => {
                let bytes = self.load(page, reading)?;
                let node = self.node(page, &bytes)?;
                if node.is_leaf() { None } else { self.child(page, &node, index as usize)? }
            }
        };
        if let Some(page) = below {
            self.descend_last(path, page, reading)?;
        }
        self.climb_back(path, reading)
    }

    /// The first position whose key does not come before `target` in the order of the tree, and whether its
    /// key starts with `target`, where that is known already. With `past_equal`, the first position after
    /// all keys that start with `target`.
    pub(crate) fn search(&self, target: &[u8], past_equal: bool, reading: Reading) -> Result<(Path, Option<bool>)> {
        let mut path = Path::end();
        let equal = self.search_to(&mut path, target, past_equal, reading)?;
        Ok((path, equal))
    }

    /// The same into a path that is at hand; after an error it is at the end.
    pub(crate) fn search_to(
        &self,
        path: &mut Path,
        target: &[u8],
        past_equal: bool,
        reading: Reading,
    ) -> Result<Option<bool>> {
        path.clear();
        let found = self.descend_to(path, target, past_equal, reading);
        if found.is_err() {
            path.clear();
        }
        found
    }

    fn descend_to(&self, path: &mut Path, target: &[u8], past_equal: bool, reading: Reading) -> Result<Option<bool>> {
        let mut page = self.root;
        loop {
            let bytes = self.pages.page(page)?;
            let node = self.ordered_node(page, &bytes)?;
            let (index, equal) = node.search(target, past_equal).map_err(|reason| self.damaged(page, reason))?;
            if !node.has_records() && index >= node.count() {
                // Every key in the tree comes before the target, or the branch's copy of the last key is
                // out of date: the last child decides.
                self.push(path, page, node.count().saturating_sub(1))?;
            } else {
                self.push(path, page, index)?;
            }
            let index = path.top().map_or(0, |level| level.index as usize);
            let child = if node.count() == 0 && !node.has_records() { None } else { self.child(page, &node, index)? };
            match child {
                Some(child) => page = child,
                None if index < node.count() && node.has_records() => return Ok(Some(equal)),
                None => {
                    self.settle(path, reading)?;
                    return Ok(None);
                }
            }
        }
    }

    /// The record of the first item whose key starts with `target`, without a position: the shortest way of
    /// a look-up. `Err(None)` where only a position can tell: the match may be in the next page.
    pub(crate) fn find(&self, target: &[u8]) -> Result<Option<u32>, Option<Error>> {
        let mut page = self.root;
        for _ in 0..MAX_DEPTH {
            let bytes = self.pages.page(page)?;
            let node = self.ordered_node(page, &bytes)?;
            let (index, is_equal) = node.search(target, false).map_err(|reason| self.damaged(page, reason))?;
            if index >= node.count() {
                return Err(None);
            }
            match self.child(page, &node, index)? {
                Some(child) => page = child,
                None if !is_equal => return Ok(None),
                None => return Ok(Some(node.record(index).map_err(|reason| self.damaged(page, reason))?)),
            }
        }
        Err(None)
    }

    /// Hands out the records of the keys that start with `target`, if one packed leaf has them all; otherwise false,
    /// and what was handed out is not everything.
    pub(crate) fn equal(&self, target: &[u8], visit: impl FnMut(u32)) -> Result<bool> {
        if !self.layout.order.is_bytes() {
            return Ok(false);
        }
        let mut page = self.root;
        for _ in 0..MAX_DEPTH {
            let bytes = self.pages.page(page)?;
            let node = self.ordered_node(page, &bytes)?;
            if let Some(leaf) = node.packed_leaf() {
                return self.equal_in(page, &leaf, target, visit).map_err(|reason| self.damaged(page, reason));
            }
            let (index, _) = node.search(target, false).map_err(|reason| self.damaged(page, reason))?;
            if node.has_records() || index >= node.count() {
                return Ok(false);
            }
            let Some(child) = self.child(page, &node, index)? else { return Ok(false) };
            page = child;
        }
        Ok(false)
    }

    fn equal_in(&self, page: u32, leaf: &Leaf<'_>, target: &[u8], visit: impl FnMut(u32)) -> Result<bool, Reason> {
        if leaf.has_short_keys()
            && let Some(keys) = self.pages.short_keys(page, leaf.count, || leaf.short_keys())?
        {
            return Ok(leaf.equal_among(keys, target, visit));
        }
        leaf.equal(target, visit)
    }

    /// The record and the key of the item at a position.
    pub(crate) fn item(&self, path: &Path, key: &mut Vec<u8>) -> Result<Option<u32>> {
        let Some(Level { page, index }) = path.top() else { return Ok(None) };
        let bytes = self.pages.page(page)?;
        let node = self.node(page, &bytes)?;
        let mut scratch = std::mem::take(key);
        scratch.resize(self.layout.key_len, 0);
        let mut record = None;
        let visit = |number, found: &[u8]| {
            record = Some(number);
            key.extend_from_slice(found);
            ControlFlow::Break(())
        };
        let index = index as usize;
        let visited = node.each((index, index + 1), &mut scratch, visit);
        visited.map_err(|reason| self.damaged(page, reason)).map(|_| record)
    }

    /// The record of the item at a position.
    pub(crate) fn record(&self, path: &Path) -> Result<Option<u32>> {
        let Some(Level { page, index }) = path.top() else { return Ok(None) };
        let bytes = self.pages.page(page)?;
        let node = self.node(page, &bytes)?;
        node.record(index as usize).map(Some).map_err(|reason| self.damaged(page, reason))
    }
}
