//! Inserting into and deleting from the trees of CDX and IDX.
//!
//! All keys are in leaves; a branch holds a copy of the last key of each child, and every level is a chain of
//! siblings. So a change of a leaf's last key goes up as far as the child is the last of its parent.
//!
//! ```text
//!   insert   find the leaf -> put the key in -> too full: cut it in two, the parent gets one child more -> ...
//!                                            -> the root: its parts get new pages, the root's page leads to them
//!   delete   find the key -> take it out -> empty: out of the chain, the parent loses a child -> ...
//!                                        -> thin: joined with a neighbour under the same parent, if both fit
//!                                        -> the root with one child: takes over what that child holds
//! ```
//!
//! **The root stays where it is**, as with Harbour, so that no header changes when a tree grows or shrinks.
//!
//! Equal keys are in the order of their records. A plain branch has no records; where several of its children end
//! with the key sought, their last leaves are asked. What another program left in another order among equal keys is
//! found by looking at all of them.

use super::node::{Shape, Unpacked};
use super::store::{PageStore, Stage};
use crate::index::node::Format;
use crate::index::tree::MAX_DEPTH;
use mainstay_types::{Code, Error, Result};
use std::cmp::Ordering;

/// A page on the way from the root to a leaf, and the index in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) page: u32,
    pub(crate) index: usize,
}

/// One tree of a CDX or IDX that is being changed.
#[derive(Debug)]
pub(crate) struct Ranked<'s> {
    store: &'s mut PageStore,
    shape: Shape,
    root: u32,
    /// Pages entered while looking for an entry one after the other.
    entered: u32,
}

impl<'s> Ranked<'s> {
    /// The tree with this root.
    pub(crate) fn new(store: &'s mut PageStore, shape: Shape, root: u32) -> Ranked<'s> {
        Ranked { store, shape, root, entered: 0 }
    }

    /// The position of the first entry that does not come before this key and record.
    fn find(&mut self, key: &[u8], record: u32) -> Result<Vec<Step>> {
        let mut path = Vec::with_capacity(8);
        let mut page = self.root;
        loop {
            if path.len() == MAX_DEPTH {
                return Err(self.store.damaged(page, "the tree has no bottom: a page is its own ancestor"));
            }
            let shape = self.shape;
            let node = self.store.node(&shape, page)?;
            let mut index = node.lower_bound(&shape, key, record);
            shape.check_place(node, index, key, record)?;
            if node.is_leaf {
                path.push(Step { page, index });
                return Ok(path);
            }
            let Some(last) = node.count().checked_sub(1) else {
                return Err(self.store.damaged(page, "a branch has no children"));
            };
            let mut child = node.children[index.min(last)];
            if shape.layout.format == Format::Plain {
                index = self.find_plain_child(page, key, record)?;
                child = self.store.node(&shape, page)?.children[index.min(last)];
            }
            index = index.min(last);
            path.push(Step { page, index });
            page = child;
        }
    }

    /// The child of a plain branch to go to: its keys have no records, so children that end with the key itself are
    /// asked for their last ones.
    fn find_plain_child(&mut self, page: u32, key: &[u8], record: u32) -> Result<usize> {
        let shape = self.shape;
        let node = self.store.node(&shape, page)?;
        let mut low = node.lower_bound(&shape, key, 0);
        let mut high =
            low + (low..node.count()).take_while(|index| shape.order(node.key(&shape, *index), key).is_eq()).count();
        while low < high {
            let middle = (low + high) / 2;
            let child = self.store.node(&shape, page)?.children[middle];
            if self.last_record(child)? < record { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// The record of the last entry below a page.
    fn last_record(&mut self, mut page: u32) -> Result<u32> {
        let shape = self.shape;
        for _ in 0..MAX_DEPTH {
            let node = self.store.node(&shape, page)?;
            match node.children.last() {
                Some(child) => page = *child,
                None => return Ok(node.records.last().copied().unwrap_or(0)),
            }
        }
        Err(self.store.damaged(page, "the tree has no bottom: a page is its own ancestor"))
    }

    /// The order of the key at a position and another one, and whether it is the same entry; `None` past the end of a
    /// leaf.
    fn compare(&mut self, path: &[Step], key: &[u8], record: u32) -> Result<Option<(Ordering, bool)>> {
        let Some(Step { page, index }) = path.last().copied() else { return Ok(None) };
        let shape = self.shape;
        let node = self.store.node(&shape, page)?;
        if index >= node.count() {
            return Ok(None);
        }
        let found = node.key(&shape, index);
        // In a collation, different keys may be equal.
        Ok(Some((shape.order(found, key), found == key && node.records[index] == record)))
    }

    /// Moves a position past the end of a leaf to the first entry of the next leaf that has one. Whether there is one.
    fn next_leaf(&mut self, path: &mut Vec<Step>) -> Result<bool> {
        let shape = self.shape;
        loop {
            path.pop();
            let Some(step) = path.last_mut() else { return Ok(false) };
            step.index += 1;
            let Step { page, index } = *step;
            let Some(child) = self.store.node(&shape, page)?.children.get(index).copied() else { continue };
            path.push(Step { page: child, index: 0 });
            self.enter(path)?;
            if self.stands_at_entry(path)? {
                return Ok(true);
            }
        }
    }

    /// Goes from a page that was just entered down to the first entry below it.
    fn enter(&mut self, path: &mut Vec<Step>) -> Result<()> {
        let shape = self.shape;
        while let Some(Step { page, .. }) = path.last().copied() {
            self.entered += 1;
            if path.len() > MAX_DEPTH || self.entered > self.store.end {
                return Err(self.store.damaged(page, "the tree enters more pages than the file has: pages are shared"));
            }
            let Some(child) = self.store.node(&shape, page)?.children.first().copied() else { return Ok(()) };
            path.push(Step { page: child, index: 0 });
        }
        Ok(())
    }

    fn stands_at_entry(&mut self, path: &[Step]) -> Result<bool> {
        let Some(Step { page, index }) = path.last().copied() else { return Ok(false) };
        let shape = self.shape;
        let node = self.store.node(&shape, page)?;
        Ok(node.is_leaf && index < node.count())
    }

    /// Returns true if the tree holds this key, with whatever record.
    pub(crate) fn holds_key(&mut self, key: &[u8]) -> Result<bool> {
        let mut path = self.find(key, 0)?;
        if !self.stands_at_entry(&path)? && !self.next_leaf(&mut path)? {
            return Ok(false);
        }
        Ok(self.compare(&path, key, 0)?.is_some_and(|(order, _)| order == Ordering::Equal))
    }

    /// Returns true if the tree holds this entry.
    pub(crate) fn contains(&mut self, key: &[u8], record: u32) -> Result<bool> {
        Ok(self.find_exact(key, record)?.is_some())
    }

    /// Adds an entry; false if it was there already.
    pub(crate) fn insert(&mut self, key: &[u8], record: u32) -> Result<bool> {
        let shape = self.shape;
        let path = self.find(key, record)?;
        if self.compare(&path, key, record)?.is_some_and(|(_, is_entry)| is_entry) {
            return Ok(false);
        }
        let Some(Step { page, index }) = path.last().copied() else { return Ok(false) };
        self.store.insert_key(&shape, (page, index), key, record)?;
        let node = self.store.node(&shape, page)?;
        let is_last = index + 1 == node.count();
        // Mostly the parents have nothing to do with it.
        if is_last || !node.fits(&shape) {
            let is_append = is_last && node.right == 0;
            self.settle(&path, is_append)?;
        }
        Ok(true)
    }

    /// Takes an entry out; false if it was not there.
    pub(crate) fn delete(&mut self, key: &[u8], record: u32) -> Result<bool> {
        let shape = self.shape;
        let Some(path) = self.find_exact(key, record)? else { return Ok(false) };
        let Some(Step { page, index }) = path.last().copied() else { return Ok(false) };
        self.store.remove_key(&shape, (page, index))?;
        let node = self.store.node(&shape, page)?;
        let was_last = index == node.count();
        if was_last || node.is_thin(&shape) || !node.fits(&shape) {
            self.shrink(&path)?;
        }
        Ok(true)
    }

    fn find_exact(&mut self, key: &[u8], record: u32) -> Result<Option<Vec<Step>>> {
        let path = self.find(key, record)?;
        if self.compare(&path, key, record)?.is_some_and(|(_, is_entry)| is_entry) {
            return Ok(Some(path));
        }
        // Among equal keys another program may have another order.
        let mut path = self.find(key, 0)?;
        loop {
            match self.compare(&path, key, record)? {
                None => {
                    if !self.next_leaf(&mut path)? {
                        return Ok(None);
                    }
                }
                Some((_, true)) => return Ok(Some(path)),
                Some((Ordering::Equal, _)) => {
                    if let Some(step) = path.last_mut() {
                        step.index += 1;
                    }
                }
                Some(_) => return Ok(None),
            }
        }
    }

    /// Makes everything right above a node that was changed: cuts what does not fit, and brings the parents' copies
    /// of last keys up to date.
    fn settle(&mut self, path: &[Step], is_append: bool) -> Result<()> {
        let shape = self.shape;
        for level in (0..path.len()).rev() {
            let page = path[level].page;
            let node = self.store.node(&shape, page)?;
            if !node.fits(&shape) {
                let is_leaf = node.is_leaf;
                let parts = parts_of(&shape, node, is_append);
                if level == 0 {
                    return self.grow_root(parts);
                }
                if is_leaf || !self.shift(path[level], path[level - 1])? {
                    self.split(path[level], parts, path[level - 1])?;
                }
                continue;
            }
            if level == 0 {
                return Ok(());
            }
            if !self.refresh(page, path[level - 1])? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Brings the parent's copy of a page's last key up to date; false if it was.
    fn refresh(&mut self, page: u32, parent: Step) -> Result<bool> {
        let shape = self.shape;
        let Some((key, record)) = self.store.node(&shape, page)?.last(&shape) else { return Ok(false) };
        let (key, record) = (key.to_owned(), record);
        let branch = self.store.node(&shape, parent.page)?;
        let has_records = shape.layout.format != Format::Plain;
        if branch.key(&shape, parent.index) == key && (!has_records || branch.records[parent.index] == record) {
            return Ok(false);
        }
        self.store.replace_key(&shape, (parent.page, parent.index), &key, record)?;
        Ok(true)
    }

    /// Gives children of a branch that has too many to a neighbour under the same parent that has room. Whether there
    /// is one. With the longest keys a branch has two children: without this a tree of them would become a list.
    fn shift(&mut self, step: Step, parent: Step) -> Result<bool> {
        let shape = self.shape;
        let base = self.store.node(&shape, parent.page)?;
        let right = base.children.get(parent.index + 1).map(|right| (step.page, *right, parent.index));
        let left = parent.index.checked_sub(1).map(|left| (base.children[left], step.page, left));
        for (left, right, index) in left.into_iter().chain(right) {
            let behind = self.store.node(&shape, right)?.clone();
            let node = self.store.node(&shape, left)?;
            let total = node.count() + behind.count();
            if total > 2 * shape.most_items() || node.is_leaf != behind.is_leaf {
                continue;
            }
            let mut all = node.clone();
            all.absorb(&shape, &behind);
            let middle = total.div_ceil(2);
            let (first, second) = (all.part(&shape, 0, middle), all.part(&shape, middle, total));
            let node = self.store.edit(&shape, left, Stage::Branch)?;
            *node = Unpacked { left: node.left, right: node.right, ..first };
            let node = self.store.edit(&shape, right, Stage::Branch)?;
            *node = Unpacked { left: node.left, right: node.right, ..second };
            self.refresh(left, Step { page: parent.page, index })?;
            self.refresh(right, Step { page: parent.page, index: index + 1 })?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Replaces a page by its parts: the first stays in it, the others get pages of their own.
    fn split(&mut self, step: Step, parts: Vec<Unpacked>, parent: Step) -> Result<()> {
        let shape = self.shape;
        let old = self.store.node(&shape, step.page)?;
        let (left, right, is_leaf) = (old.left, old.right, old.is_leaf);
        let mut lasts: Vec<(Vec<u8>, u32)> = Vec::with_capacity(parts.len());
        for part in &parts {
            lasts.push(part.last(&shape).map(|(key, record)| (key.to_owned(), record)).unwrap_or_default());
        }
        let mut pages = vec![step.page];
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return Ok(()) };
        for part in parts {
            pages.push(self.store.allocate(&shape, part)?);
        }
        let stage = if is_leaf { Stage::Shrunk } else { Stage::Branch };
        let node = self.store.edit(&shape, step.page, stage)?;
        *node = Unpacked { left, ..first };
        self.link(left, &pages, right)?;
        let branch = self.store.edit(&shape, parent.page, Stage::Branch)?;
        for (offset, ((key, record), page)) in lasts.iter().zip(&pages).enumerate() {
            let index = parent.index + offset;
            if offset == 0 {
                branch.set_item(&shape, index, key, *record);
            } else {
                branch.insert(&shape, index, key, *record);
                branch.children.insert(index, *page);
            }
        }
        self.blank_plain_records(parent.page)
    }

    /// Makes neighbours of pages: `left` and `right` are what is beside them, or 0.
    fn link(&mut self, left: u32, pages: &[u32], right: u32) -> Result<()> {
        let shape = self.shape;
        for (index, page) in pages.iter().enumerate() {
            let before = if index == 0 { left } else { pages[index - 1] };
            let after = pages.get(index + 1).copied().unwrap_or(right);
            let node = self.store.edit(&shape, *page, Stage::Grown)?;
            (node.left, node.right) = (before, after);
        }
        if right != 0 {
            let last = pages.last().copied().unwrap_or(left);
            self.store.edit(&shape, right, Stage::Grown)?.left = last;
        }
        Ok(())
    }

    /// A plain branch keeps no records.
    fn blank_plain_records(&mut self, page: u32) -> Result<()> {
        let shape = self.shape;
        if shape.layout.format == Format::Plain {
            self.store.edit(&shape, page, Stage::Branch)?.records.fill(0);
        }
        Ok(())
    }

    /// The root was cut: its parts get new pages, and its own page leads to them.
    fn grow_root(&mut self, parts: Vec<Unpacked>) -> Result<()> {
        let shape = self.shape;
        let mut branch = Unpacked { is_root: true, ..Unpacked::default() };
        let mut pages = Vec::with_capacity(parts.len());
        for part in parts {
            if let Some((key, record)) = part.last(&shape) {
                branch.keys.extend_from_slice(key);
                branch.records.push(record);
            }
            let page = self.store.allocate(&shape, part)?;
            branch.children.push(page);
            pages.push(page);
        }
        self.link(0, &pages, 0)?;
        *self.store.edit(&shape, self.root, Stage::Branch)? = branch;
        self.blank_plain_records(self.root)
    }

    /// Makes everything right above a node that lost an item.
    fn shrink(&mut self, path: &[Step]) -> Result<()> {
        let shape = self.shape;
        for level in (0..path.len()).rev() {
            let page = path[level].page;
            let node = self.store.node(&shape, page)?;
            if level == 0 {
                if node.count() == 0 && !node.is_leaf {
                    let node = self.store.edit(&shape, page, Stage::Branch)?;
                    *node = Unpacked { is_root: true, ..Unpacked::leaf(&shape, 0) };
                }
                break;
            }
            if node.count() == 0 {
                self.unchain(page)?;
                self.remove_child(path[level - 1].page, path[level - 1].index)?;
            } else if !(node.is_thin(&shape) && self.join(path[level - 1])?) {
                self.settle(&path[..=level], false)?;
                break;
            }
        }
        self.collapse_root()
    }

    /// Takes a page out of the chain of its level and frees it.
    fn unchain(&mut self, page: u32) -> Result<()> {
        let shape = self.shape;
        let node = self.store.node(&shape, page)?;
        let (left, right) = (node.left, node.right);
        for (beside, other, to_right) in [(left, right, true), (right, left, false)] {
            if beside == 0 {
                continue;
            }
            let neighbour = self.store.edit(&shape, beside, Stage::Grown)?;
            let link = if to_right { &mut neighbour.right } else { &mut neighbour.left };
            if *link != page {
                return Err(self.store.damaged(beside, "the page's sibling does not lead back to it"));
            }
            *link = other;
        }
        self.store.release(&shape, page);
        Ok(())
    }

    fn remove_child(&mut self, parent: u32, index: usize) -> Result<()> {
        let shape = self.shape;
        let branch = self.store.edit(&shape, parent, Stage::Branch)?;
        branch.remove(&shape, index);
        branch.children.remove(index);
        Ok(())
    }

    /// Joins the child at `parent.index` with the one to its right, or to its left, if both fit one page. Whether it
    /// did: then the parent has one child less and its copy of the last key is right.
    fn join(&mut self, parent: Step) -> Result<bool> {
        let pairs = [(parent.index, parent.index + 1), (parent.index.wrapping_sub(1), parent.index)];
        for (left, right) in pairs {
            let branch = self.store.node(&self.shape, parent.page)?;
            let (Some(left_page), Some(right_page)) =
                (branch.children.get(left).copied(), branch.children.get(right).copied())
            else {
                continue;
            };
            if self.join_pair((left_page, right_page), parent.page, left)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn join_pair(&mut self, (left, right): (u32, u32), parent: u32, index: usize) -> Result<bool> {
        let shape = self.shape;
        let other = self.store.node(&shape, right)?.clone();
        let node = self.store.node(&shape, left)?;
        if node.is_leaf != other.is_leaf || node.right != right || other.left != left {
            return Err(self.store.damaged(left, "the page's sibling is not the one that its parent names"));
        }
        if !node.fits_with(&shape, &other) {
            return Ok(false);
        }
        let stage = if other.is_leaf { Stage::Grown } else { Stage::Branch };
        self.store.edit(&shape, left, stage)?.absorb(&shape, &other);
        if other.right != 0 {
            self.store.edit(&shape, other.right, Stage::Grown)?.left = left;
        }
        self.store.release(&shape, right);
        // The parent's copy for the right page is that of both now.
        let branch = self.store.edit(&shape, parent, Stage::Branch)?;
        branch.children[index + 1] = left;
        branch.remove(&shape, index);
        branch.children.remove(index);
        self.refresh(left, Step { page: parent, index })?;
        Ok(true)
    }

    /// While the root has one child, it takes over what that child holds.
    fn collapse_root(&mut self) -> Result<()> {
        let shape = self.shape;
        for _ in 0..MAX_DEPTH {
            let root = self.store.node(&shape, self.root)?;
            let [child] = root.children[..] else { return Ok(()) };
            let node = self.store.node(&shape, child)?;
            if node.left != 0 || node.right != 0 {
                return Err(self.store.damaged(child, "the only page of its level has a sibling"));
            }
            let node = Unpacked { is_root: true, ..node.clone() };
            *self.store.edit(&shape, self.root, Stage::Branch)? = node;
            self.store.release(&shape, child);
        }
        Err(self.store.damaged(self.root, "the tree has no bottom: a page is its own ancestor"))
    }

    /// Frees every page of the tree.
    pub(crate) fn release_all(&mut self) -> Result<()> {
        let shape = self.shape;
        let mut open = vec![self.root];
        while let Some(page) = open.pop() {
            let node = self.store.node(&shape, page)?;
            open.extend_from_slice(&node.children);
            // A page that is met a second time is free by then, which is an error.
            self.store.release(&shape, page);
        }
        Ok(())
    }
}

/// The parts of a node that does not fit its page.
fn parts_of(shape: &Shape, node: &Unpacked, is_append: bool) -> Vec<Unpacked> {
    let mut start = 0;
    let cut = |end: usize| {
        let part = node.part(shape, start, end);
        start = end;
        part
    };
    node.cuts(shape, is_append).into_iter().map(cut).collect()
}

/// The error for a candidate key that is already in the tag.
pub(crate) fn duplicate(tag: &str) -> Error {
    Error::new(Code::UniqueViolation, format!("tag {tag} has this key already, for another record"))
}
