//! Removal of keys from a tree, with the release of empty nodes.
//!
//! A node that has become small is merged with a sibling, if both together leave room for further insertions
//! (three quarters of a node). If no sibling fits, it stays as it is, down to its last key, and is released
//! with that. Keys are not moved between siblings otherwise: it would cost time at every step to save little space.
//!
//! ```text
//!   leaf of <= 16 keys   + neighbour, together <= 48   -> one leaf
//!   leaf of 0 keys                                     -> released, with its separator
//!   root with one child                                -> the child is the root
//! ```
//!
//! So two neighbours below one parent hold more than 48 keys together, or each more than 16; a leaf is at worst about
//! a quarter full on average, and a queue (removed at the front, filled at the end) keeps full leaves.

use super::block::{CAPACITY, KeyBlock};
use super::tree::{Inner, Leaf, NONE, Path, Tree};

/// A node with this many keys or fewer looks for a neighbour to join.
const SMALL: usize = CAPACITY / 4;

/// The greatest number of keys of two nodes that are merged.
const JOINED: usize = CAPACITY / 4 * 3;

impl<B: KeyBlock> Tree<B> {
    /// Takes a key out, if it is there and its position is one that `agrees`: its position.
    pub fn remove(&mut self, probe: B::Probe<'_>, agrees: impl Fn(u64) -> bool) -> Option<u64> {
        let (path, id) = self.path_to(probe);
        let leaf = &mut self.leaves[id];
        let at = leaf.keys.lower_bound(probe);
        if !leaf.keys.is_at(at, probe) || !agrees(leaf.positions[at]) {
            return None;
        }
        let position = leaf.positions[at];
        leaf.positions.copy_within(at + 1..leaf.keys.len(), at);
        leaf.keys.remove(at);
        self.length -= 1;
        if leaf.keys.len() <= SMALL && self.depth > 0 {
            self.shrink_leaf(&path, id);
        }
        if self.length == 0 && self.leaves.places() > 1 {
            self.restart();
        }
        Some(position)
    }

    /// Joins a small leaf with a neighbour, or releases it when it is empty.
    fn shrink_leaf(&mut self, path: &Path, id: u32) {
        let level = path.depth - 1;
        let (parent, at) = (path.steps[level].0, path.steps[level].1 as usize);
        if self.leaves[id].keys.len() == 0 {
            self.unlink_leaf(id);
            self.remove_child(path, level, at);
            return;
        }
        let children = &self.inners[parent].children[..self.inners[parent].child_count];
        let fits = |left: usize| match children.get(left..left + 2) {
            Some(pair) => self.leaves[pair[0]].keys.len() + self.leaves[pair[1]].keys.len() <= JOINED,
            None => false,
        };
        let left = if at > 0 && fits(at - 1) {
            at - 1
        } else if fits(at) {
            at
        } else {
            return;
        };
        let (left_id, right_id) = (children[left], children[left + 1]);
        let right: Leaf<B> = std::mem::take(&mut self.leaves[right_id]);
        let leaf = &mut self.leaves[left_id];
        let (count, more) = (leaf.keys.len(), right.keys.len());
        leaf.positions[count..count + more].copy_from_slice(&right.positions[..more]);
        leaf.keys.append(&right.keys);
        (self.leaves[right_id].previous, self.leaves[right_id].next) = (right.previous, right.next);
        self.unlink_leaf(right_id);
        self.remove_child(path, level, left + 1);
    }

    /// Takes a leaf out of the chain of neighbours and releases it.
    fn unlink_leaf(&mut self, id: u32) {
        let (previous, next) = (self.leaves[id].previous, self.leaves[id].next);
        match previous {
            NONE => {}
            previous => self.leaves[previous].next = next,
        }
        match next {
            NONE => self.last = previous,
            next => self.leaves[next].previous = previous,
        }
        self.leaves.release(id);
    }

    /// Takes a child, released already, out of the inner node at this level of the path.
    fn remove_child(&mut self, path: &Path, level: usize, at: usize) {
        let id = path.steps[level].0;
        let inner = &mut self.inners[id];
        inner.children.copy_within(at + 1..inner.child_count, at);
        inner.child_count -= 1;
        if inner.child_count > 0 {
            inner.keys.remove(at.saturating_sub(1));
        }
        match (inner.child_count, level) {
            (0, 0) => self.restart(),
            (0, _) => {
                self.inners.release(id);
                self.remove_child(path, level - 1, path.steps[level - 1].1 as usize);
            }
            (_, 0) => self.lower_root(),
            (count, _) if count <= SMALL => self.shrink_inner(path, level),
            _ => {}
        }
    }

    /// An empty tree again, without the chunk in which the last leaf was.
    fn restart(&mut self) {
        *self = Tree::new();
    }

    /// Lets an only child be the root.
    fn lower_root(&mut self) {
        while self.depth > 0 && self.inners[self.root].child_count == 1 {
            let child = self.inners[self.root].children[0];
            self.inners.release(self.root);
            self.root = child;
            self.depth -= 1;
        }
    }

    /// Joins a small inner node with a neighbour.
    fn shrink_inner(&mut self, path: &Path, level: usize) {
        let (parent, at) = (path.steps[level - 1].0, path.steps[level - 1].1 as usize);
        let children = &self.inners[parent].children[..self.inners[parent].child_count];
        let fits = |left: usize| match children.get(left..left + 2) {
            Some(pair) => self.inners[pair[0]].child_count + self.inners[pair[1]].child_count <= JOINED,
            None => false,
        };
        let left = if at > 0 && fits(at - 1) {
            at - 1
        } else if fits(at) {
            at
        } else {
            return;
        };
        let (left_id, right_id) = (children[left], children[left + 1]);
        let separator = self.inners[parent].keys.key(left);
        let right: Inner<B> = std::mem::take(&mut self.inners[right_id]);
        let inner = &mut self.inners[left_id];
        inner.keys.insert(inner.keys.len(), B::probe(&separator));
        inner.keys.append(&right.keys);
        inner.append_children(&right.children[..right.child_count]);
        self.inners.release(right_id);
        self.remove_child(path, level - 1, left + 1);
    }
}
