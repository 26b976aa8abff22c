//! Inserting into and deleting from the trees of an NTX.
//!
//! Every page has keys with records, and one child more than keys; a key is in one place only. That is the textbook's
//! B-tree, with its rule, which is also Clipper's: a page other than the root is at least half full.
//!
//! ```text
//!   insert   find the place below -> put the key in -> too full: the middle key goes up, what is behind it moves to a
//!                                                      new page -> ... -> the root: a new root above it
//!   delete   find the key -> it has a child: the last key below that child takes its place, and is taken out there
//!                         -> a page of less than half: joined with a neighbour and the key between them, or both
//!                            share their keys anew -> ... -> the root with no key: its only child is the root
//! ```
//!
//! The root moves when the tree grows or shrinks; the header has its place. Other programs leave pages with
//! children at some items only, or with less than half of the keys: they are walked and changed all the same, and
//! mended where a change touches them.
//!
//! Equal keys are put in the order of their records. Where another program left another order (Clipper's is that of
//! insertion), an entry to be deleted is found by looking at all entries of its key.

use super::node::{Shape, Unpacked};
use super::ranked::Step;
use super::store::{PageStore, Stage};
use crate::index::tree::MAX_DEPTH;
use mainstay_types::Result;
use std::cmp::Ordering;

/// One tree of an NTX that is being changed.
#[derive(Debug)]
pub(crate) struct Mixed<'s> {
    store: &'s mut PageStore,
    shape: Shape,
    /// The page of the root, which moves.
    pub(crate) root: u32,
    entered: u32,
}

impl<'s> Mixed<'s> {
    /// The tree with this root.
    pub(crate) fn new(store: &'s mut PageStore, shape: Shape, root: u32) -> Mixed<'s> {
        Mixed { store, shape, root, entered: 0 }
    }

    fn check_depth(&self, path: &[Step], page: u32) -> Result<()> {
        if path.len() >= MAX_DEPTH {
            return Err(self.store.damaged(page, "the tree has no bottom: a page is its own ancestor"));
        }
        Ok(())
    }

    /// The way to the place of a key and record: to the entry itself, or down to where it belongs.
    fn find(&mut self, key: &[u8], record: u32) -> Result<(Vec<Step>, bool)> {
        let shape = self.shape;
        let mut path = Vec::with_capacity(8);
        let mut page = self.root;
        loop {
            self.check_depth(&path, page)?;
            let node = self.store.node(&shape, page)?;
            let index = node.lower_bound(&shape, key, record);
            shape.check_place(node, index, key, record)?;
            path.push(Step { page, index });
            if index < node.count() && node.key(&shape, index) == key && node.records[index] == record {
                return Ok((path, true));
            }
            match node.children[index] {
                0 => return Ok((path, false)),
                child => page = child,
            }
        }
    }

    /// Returns true if the tree holds this key, with whatever record.
    pub(crate) fn holds_key(&mut self, key: &[u8]) -> Result<bool> {
        let shape = self.shape;
        let (path, _) = self.find(key, 0)?;
        for Step { page, index } in path {
            let node = self.store.node(&shape, page)?;
            if index < node.count() && shape.order(node.key(&shape, index), key).is_eq() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if the tree holds this entry.
    pub(crate) fn contains(&mut self, key: &[u8], record: u32) -> Result<bool> {
        Ok(self.find_exact(key, record)?.is_some())
    }

    /// Adds an entry; false if it was there already.
    pub(crate) fn insert(&mut self, key: &[u8], record: u32) -> Result<bool> {
        let shape = self.shape;
        let (path, is_there) = self.find(key, record)?;
        if is_there {
            return Ok(false);
        }
        if let Some(Step { page, index }) = path.last().copied()
            && self.store.node(&shape, page)?.count() < shape.max_items
        {
            self.store.insert_key(&shape, (page, index), key, record)?;
            return Ok(true);
        }
        let (mut key, mut record, mut child) = (key.to_owned(), record, 0);
        for Step { page, index } in path.iter().rev().copied() {
            let node = self.store.edit(&shape, page, Stage::Grown)?;
            node.insert(&shape, index, &key, record);
            node.children.insert(index + 1, child);
            if node.fits(&shape) {
                return Ok(true);
            }
            (key, record, child) = self.split(page)?;
        }
        let root =
            Unpacked { keys: key, records: vec![record], children: vec![self.root, child], ..Unpacked::default() };
        self.root = self.store.allocate(&shape, root)?;
        Ok(true)
    }

    /// Cuts a page that is too full: gives its middle entry and the page of what is behind it.
    fn split(&mut self, page: u32) -> Result<(Vec<u8>, u32, u32)> {
        let shape = self.shape;
        let len = shape.key_len();
        let node = self.store.edit(&shape, page, Stage::Shrunk)?;
        let middle = node.count() / 2;
        let behind = Unpacked {
            keys: node.keys[(middle + 1) * len..].to_vec(),
            records: node.records[middle + 1..].to_vec(),
            children: node.children[middle + 1..].to_vec(),
            ..Unpacked::default()
        };
        let (key, record) = (node.key(&shape, middle).to_owned(), node.records[middle]);
        node.keys.truncate(middle * len);
        node.records.truncate(middle);
        node.children.truncate(middle + 1);
        let child = self.store.allocate(&shape, behind)?;
        Ok((key, record, child))
    }

    /// Takes an entry out; false if it was not there.
    pub(crate) fn delete(&mut self, key: &[u8], record: u32) -> Result<bool> {
        let shape = self.shape;
        let Some(mut path) = self.find_exact(key, record)? else { return Ok(false) };
        let Some(Step { page, index }) = path.last().copied() else { return Ok(false) };
        let child = self.store.node(&shape, page)?.children[index];
        if child == 0 {
            self.store.remove_key(&shape, (page, index))?;
        } else {
            self.replace_by_last_below(&mut path, child)?;
        }
        self.balance(&path)?;
        Ok(true)
    }

    /// The entry at the end of the path has a child in front of it: the last entry below that child takes its place.
    /// The path is then that of the page which gave it away.
    fn replace_by_last_below(&mut self, path: &mut Vec<Step>, child: u32) -> Result<()> {
        let shape = self.shape;
        let Some(place) = path.last().copied() else { return Ok(()) };
        let mut page = child;
        loop {
            self.check_depth(path, page)?;
            let node = self.store.node(&shape, page)?;
            let index = node.count();
            path.push(Step { page, index });
            match node.children[index] {
                0 => break,
                child => page = child,
            }
        }
        let node = self.store.node(&shape, page)?;
        let Some((key, record)) = node.last(&shape).map(|(key, record)| (key.to_owned(), record)) else {
            return Err(self.store.damaged(page, "the page has no items"));
        };
        let node = self.store.edit(&shape, page, Stage::Shrunk)?;
        let last = node.count() - 1;
        node.remove(&shape, last);
        node.children.pop();
        let len = shape.key_len();
        let node = self.store.edit(&shape, place.page, Stage::Branch)?;
        node.keys[place.index * len..(place.index + 1) * len].copy_from_slice(&key);
        node.records[place.index] = record;
        Ok(())
    }

    fn find_exact(&mut self, key: &[u8], record: u32) -> Result<Option<Vec<Step>>> {
        let (path, is_there) = self.find(key, record)?;
        if is_there {
            return Ok(Some(path));
        }
        // Among equal keys another program may have another order.
        let shape = self.shape;
        let (mut path, _) = self.find(key, 0)?;
        while let Some(Step { page, index }) = path.last().copied() {
            let node = self.store.node(&shape, page)?;
            if index >= node.count() {
                // The parent's index is that of the entry behind the child.
                path.pop();
                continue;
            }
            let found = node.key(&shape, index);
            if shape.order(found, key) != Ordering::Equal {
                return Ok(None);
            }
            if found == key && node.records[index] == record {
                return Ok(Some(path));
            }
            let mut child = node.children[index + 1];
            if let Some(step) = path.last_mut() {
                step.index += 1;
            }
            while child != 0 {
                self.check_depth(&path, child)?;
                self.entered += 1;
                if self.entered > self.store.end {
                    let reason = "the tree enters more pages than the file has: pages are shared";
                    return Err(self.store.damaged(child, reason));
                }
                path.push(Step { page: child, index: 0 });
                child = self.store.node(&shape, child)?.children[0];
            }
        }
        Ok(None)
    }

    /// Makes everything right from the page at the end of the path up, after it lost an entry.
    fn balance(&mut self, path: &[Step]) -> Result<()> {
        let shape = self.shape;
        let half = shape.max_items / 2;
        for level in (1..path.len()).rev() {
            let page = path[level].page;
            if self.store.node(&shape, page)?.count() >= half {
                return Ok(());
            }
            let Step { page: parent, index } = path[level - 1];
            let base = self.store.node(&shape, parent)?;
            let sibling = |index: usize| base.children.get(index).copied().filter(|child| *child != 0);
            if let Some(right) = sibling(index + 1) {
                if !self.share(parent, index, page, right)? {
                    return Ok(());
                }
            } else if let Some(left) = index.checked_sub(1).and_then(sibling) {
                if !self.share(parent, index - 1, left, page)? {
                    return Ok(());
                }
            } else {
                return self.drop_empty(parent, index, page);
            }
        }
        self.lower_root()
    }

    /// Joins two neighbours and the key between them, or shares their keys anew. Whether the parent lost its key.
    fn share(&mut self, parent: u32, index: usize, left: u32, right: u32) -> Result<bool> {
        let shape = self.shape;
        let len = shape.key_len();
        let mut behind = self.store.node(&shape, right)?.clone();
        let base = self.store.node(&shape, parent)?;
        let (key, record) = (base.key(&shape, index).to_owned(), base.records[index]);
        let node = self.store.node(&shape, left)?;
        let total = node.count() + behind.count();
        let joins = total < shape.max_items;
        let stage = if joins { Stage::Grown } else { Stage::Shrunk };
        let node = self.store.edit(&shape, left, stage)?;
        node.keys.extend_from_slice(&key);
        node.keys.append(&mut behind.keys);
        node.records.push(record);
        node.records.append(&mut behind.records);
        node.children.append(&mut behind.children);
        if joins {
            let base = self.store.edit(&shape, parent, Stage::Branch)?;
            base.remove(&shape, index);
            base.children.remove(index + 1);
            self.store.release(&shape, right);
            return Ok(true);
        }
        let middle = total / 2;
        behind.keys = node.keys.split_off((middle + 1) * len);
        behind.records = node.records.split_off(middle + 1);
        behind.children = node.children.split_off(middle + 1);
        let key = node.keys.split_off(middle * len);
        let record = node.records.pop().unwrap_or(record);
        *self.store.edit(&shape, right, Stage::Shrunk)? = behind;
        let base = self.store.edit(&shape, parent, Stage::Branch)?;
        base.keys[index * len..(index + 1) * len].copy_from_slice(&key);
        base.records[index] = record;
        Ok(false)
    }

    /// A page without neighbours stays as thin as it is; without keys it gives way to its only child, or to nothing.
    fn drop_empty(&mut self, parent: u32, index: usize, page: u32) -> Result<()> {
        let shape = self.shape;
        let node = self.store.node(&shape, page)?;
        if node.count() == 0 {
            let child = node.children[0];
            self.store.edit(&shape, parent, Stage::Branch)?.children[index] = child;
            self.store.release(&shape, page);
        }
        Ok(())
    }

    /// A root without keys gives way to its only child.
    fn lower_root(&mut self) -> Result<()> {
        let shape = self.shape;
        for _ in 0..MAX_DEPTH {
            let root = self.store.node(&shape, self.root)?;
            let child = root.children[0];
            if root.count() > 0 || child == 0 {
                return Ok(());
            }
            self.store.release(&shape, self.root);
            self.root = child;
        }
        Err(self.store.damaged(self.root, "the tree has no bottom: a page is its own ancestor"))
    }

    /// Frees every page of the tree.
    pub(crate) fn release_all(&mut self) -> Result<()> {
        let shape = self.shape;
        let mut open = vec![self.root];
        while let Some(page) = open.pop() {
            let node = self.store.node(&shape, page)?;
            open.extend(node.children.iter().filter(|child| **child != 0));
            // A page that is met a second time is free by then, which is an error.
            self.store.release(&shape, page);
        }
        Ok(())
    }
}
