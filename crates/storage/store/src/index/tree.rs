//! An ordered tree of keys and positions: search, insertion and walks. Removal is in [`super::removal`].
//!
//! A B+ tree of nodes with up to 64 keys. Leaves hold keys and positions and know their neighbours; inner nodes hold
//! separators. All leaves are at the same depth.
//!
//! ```text
//!   inner     keys [ 40 | 90 ]     children [ a | b | c ]      a: keys < 40, b: 40 <= keys < 90, c: 90 <= keys
//!   leaves    a [7 15 22] <-> b [40 51] <-> c [90 91 97]
//! ```
//!
//! **Splits.** A full node is cut in the middle, except when the new key goes to its end (or a leaf's start): then the
//! node stays full and the key starts a new one. A leaf into which keys came one right behind the other is cut behind
//! them, so that the run continues at the end of a leaf. So keys that come in order fill their leaves completely, also
//! when ascending runs grow side by side (the orders of several districts), once each run has a leaf to itself.
//!
//! **Appends.** A key greater than all others goes to the last leaf without a descent, if there is room.
//!
//! **Limits.** Nodes are numbered by `u32`. One writer at a time, none while there are readers: the lock around the
//! tree ([`super::Index`]) sees to it.

use super::arena::Arena;
use super::block::{CAPACITY, KeyBlock};
use super::cursor::Direction;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// Inner levels at most: 64 keys a node, and at least two children a node when it is made, keep far below it.
pub(super) const LEVELS: usize = 32;

/// Positions in a line of the caches.
const LINE: usize = 8;

/// So many keys in order are a run: by chance there are hardly ever as many.
const RUN: u8 = 8;

/// The lowest nodes: keys, and a position for each.
pub(super) struct Leaf<B> {
    pub keys: B,
    pub positions: [u64; CAPACITY],
    pub previous: u32,
    pub next: u32,
    /// Where the latest key was put in, and how many keys before it came one right behind the other.
    latest: u8,
    run: u8,
}

impl<B: KeyBlock> Default for Leaf<B> {
    fn default() -> Leaf<B> {
        Leaf { keys: B::default(), positions: [0; CAPACITY], previous: NONE, next: NONE, latest: 0, run: 0 }
    }
}

impl<B: KeyBlock> Leaf<B> {
    fn insert(&mut self, at: usize, probe: B::Probe<'_>, position: u64) {
        self.positions.copy_within(at..self.keys.len(), at + 1);
        self.positions[at] = position;
        self.keys.insert(at, probe);
        self.run = if at == usize::from(self.latest) + 1 { self.run.saturating_add(1) } else { 0 };
        self.latest = at as u8;
    }

    /// Where to cut a full leaf into which a key is to be put at this place.
    fn cut(&self, at: usize) -> usize {
        match at {
            0 | CAPACITY => at,
            _ if self.run >= RUN && at == usize::from(self.latest) + 1 => at,
            _ => CAPACITY / 2,
        }
    }

    /// Asks memory for the lines of positions while the keys are still on their way, so that a point read in a large
    /// tree waits once, not twice: a fifth to a quarter less time at a million keys, 2 ns more in the caches.
    #[inline]
    fn touch_positions(&self) {
        let lines = self.positions.iter().step_by(LINE);
        std::hint::black_box(lines.fold(0, |all, position| all ^ position));
    }

    fn split_off(&mut self, at: usize) -> Leaf<B> {
        let mut right = Leaf::default();
        let count = self.keys.len() - at;
        right.positions[..count].copy_from_slice(&self.positions[at..at + count]);
        right.keys = self.keys.split_off(at);
        right
    }
}

/// The nodes above: child `i + 1` holds the keys from separator `i` on.
pub(super) struct Inner<B> {
    pub keys: B,
    /// One more than keys, and 0 only in a free node.
    pub children: [u32; CAPACITY + 1],
    pub child_count: usize,
}

impl<B: KeyBlock> Default for Inner<B> {
    fn default() -> Inner<B> {
        Inner { keys: B::default(), children: [NONE; CAPACITY + 1], child_count: 0 }
    }
}

impl<B: KeyBlock> Inner<B> {
    /// Puts a child behind child `at`, and the separator between them.
    fn insert(&mut self, at: usize, separator: B::Probe<'_>, child: u32) {
        self.keys.insert(at, separator);
        self.children.copy_within(at + 1..self.child_count, at + 2);
        self.children[at + 1] = child;
        self.child_count += 1;
    }

    pub fn append_children(&mut self, children: &[u32]) {
        self.children[self.child_count..self.child_count + children.len()].copy_from_slice(children);
        self.child_count += children.len();
    }
}

/// The way from the root to a leaf: inner nodes, and which child was taken.
pub(super) struct Path {
    pub steps: [(u32, u32); LEVELS],
    pub depth: usize,
}

/// The outcome of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The key is new: the entry is in the index now.
    New,
    /// The key was there, with this position; nothing has changed.
    Existing(u64),
}

/// The tree. See the module's comment.
pub(super) struct Tree<B: KeyBlock> {
    pub leaves: Arena<Leaf<B>>,
    pub inners: Arena<Inner<B>>,
    /// A leaf if `depth` is 0.
    pub root: u32,
    /// Inner nodes above every leaf.
    pub depth: usize,
    pub last: u32,
    pub length: usize,
}

impl<B: KeyBlock> Tree<B> {
    /// A tree without keys: one empty leaf.
    pub fn new() -> Tree<B> {
        let (mut leaves, inners) = (Arena::new(), Arena::new());
        let root = leaves.allocate();
        Tree { leaves, inners, root, depth: 0, last: root, length: 0 }
    }

    /// Bytes of memory of the nodes and what they own.
    pub fn memory(&self) -> usize {
        let in_leaves: usize = self.leaves.iter().map(|leaf| leaf.keys.memory()).sum();
        let in_inners: usize = self.inners.iter().map(|inner| inner.keys.memory()).sum();
        self.leaves.memory() + self.inners.memory() + in_leaves + in_inners
    }

    /// The leaf in which the key is or would be.
    #[inline]
    fn leaf_of(&self, probe: B::Probe<'_>) -> u32 {
        let mut node = self.root;
        for _ in 0..self.depth {
            let inner = &self.inners[node];
            node = inner.children[inner.keys.upper_bound(probe)];
        }
        node
    }

    /// The same, remembering the way.
    pub fn path_to(&self, probe: B::Probe<'_>) -> (Path, u32) {
        let mut path = Path { steps: [(NONE, 0); LEVELS], depth: self.depth };
        let mut node = self.root;
        for step in &mut path.steps[..self.depth] {
            let inner = &self.inners[node];
            let at = inner.keys.upper_bound(probe);
            *step = (node, at as u32);
            node = inner.children[at];
        }
        (path, node)
    }

    /// The greatest key.
    pub fn greatest(&self) -> Option<B::Owned> {
        let keys = &self.leaves[self.last].keys;
        keys.len().checked_sub(1).map(|last| keys.key(last))
    }

    /// The position of a key.
    #[inline]
    pub fn get(&self, probe: B::Probe<'_>) -> Option<u64> {
        let leaf = &self.leaves[self.leaf_of(probe)];
        leaf.touch_positions();
        let at = leaf.keys.lower_bound(probe);
        leaf.keys.is_at(at, probe).then(|| leaf.positions[at])
    }

    /// The place of a key's position, to change it.
    pub fn position_mut(&mut self, probe: B::Probe<'_>) -> Option<&mut u64> {
        let leaf = self.leaf_of(probe);
        let leaf = &mut self.leaves[leaf];
        let at = leaf.keys.lower_bound(probe);
        if leaf.keys.is_at(at, probe) { Some(&mut leaf.positions[at]) } else { None }
    }

    /// Puts an entry in, unless its key is there.
    pub fn insert(&mut self, probe: B::Probe<'_>, position: u64) -> Inserted {
        if self.append(probe, position) {
            return Inserted::New;
        }
        let id = self.leaf_of(probe);
        let leaf = &mut self.leaves[id];
        let at = leaf.keys.lower_bound(probe);
        if leaf.keys.is_at(at, probe) {
            return Inserted::Existing(leaf.positions[at]);
        }
        if leaf.keys.len() < CAPACITY {
            leaf.insert(at, probe, position);
        } else {
            self.split_leaf(id, at, probe, position);
        }
        self.length += 1;
        Inserted::New
    }

    /// Puts an entry at the very end, if it belongs there and there is room.
    fn append(&mut self, probe: B::Probe<'_>, position: u64) -> bool {
        let leaf = &mut self.leaves[self.last];
        let count = leaf.keys.len();
        // An empty last leaf is the root: the last leaf of a larger tree is released with its last key.
        let belongs = count < CAPACITY && (count == 0 || leaf.keys.lower_bound(probe) == count);
        if belongs {
            leaf.insert(count, probe, position);
            self.length += 1;
        }
        belongs
    }

    /// Cuts a full leaf in two and puts the entry where it belongs.
    fn split_leaf(&mut self, id: u32, at: usize, probe: B::Probe<'_>, position: u64) {
        let (path, _) = self.path_to(probe);
        let leaf = &mut self.leaves[id];
        let cut = leaf.cut(at);
        let mut right = leaf.split_off(cut);
        match at < CAPACITY && at <= cut {
            true => leaf.insert(at, probe, position),
            false => right.insert(at - cut, probe, position),
        }
        let separator = B::separator(&leaf.keys, &right.keys);
        (right.previous, right.next) = (id, leaf.next);
        let right_id = self.leaves.allocate();
        let after = right.next;
        self.leaves[right_id] = right;
        self.leaves[id].next = right_id;
        match after {
            NONE => self.last = right_id,
            after => self.leaves[after].previous = right_id,
        }
        self.insert_separator(&path, separator, right_id);
    }

    /// Puts a new node into its parent, behind the child that the path took; splits parents up to the root.
    fn insert_separator(&mut self, path: &Path, mut separator: B::Owned, mut child: u32) {
        for &(id, at) in path.steps[..path.depth].iter().rev() {
            let inner = &mut self.inners[id];
            if inner.keys.len() < CAPACITY {
                inner.insert(at as usize, B::probe(&separator), child);
                return;
            }
            (separator, child) = self.split_inner(id, at as usize, separator, child);
        }
        let old = self.root;
        self.root = self.inners.allocate();
        self.depth += 1;
        assert!(self.depth < LEVELS, "an index is deeper than it can be");
        let root = &mut self.inners[self.root];
        root.append_children(&[old]);
        root.insert(0, B::probe(&separator), child);
    }

    /// Cuts a full inner node in two and puts the child where it belongs: the new node and the separator before it.
    fn split_inner(&mut self, id: u32, at: usize, separator: B::Owned, child: u32) -> (B::Owned, u32) {
        let inner = &mut self.inners[id];
        let mut right = Inner::default();
        let upward = if at == CAPACITY {
            right.append_children(&[child]);
            separator
        } else {
            let middle = CAPACITY / 2;
            let upward = inner.keys.key(middle);
            right.keys = inner.keys.split_off(middle + 1);
            inner.keys.remove(middle);
            right.append_children(&inner.children[middle + 1..]);
            inner.child_count = middle + 1;
            match at <= middle {
                true => inner.insert(at, B::probe(&separator), child),
                false => right.insert(at - middle - 1, B::probe(&separator), child),
            }
            upward
        };
        let right_id = self.inners.allocate();
        self.inners[right_id] = right;
        (upward, right_id)
    }

    /// The leaf and place of the first key that is not less than the probe: the place may be the leaf's length.
    fn seek(&self, probe: B::Probe<'_>) -> (u32, usize) {
        let id = self.leaf_of(probe);
        (id, self.leaves[id].keys.lower_bound(probe))
    }

    /// Positions of the keys from `low` up to, not including, `high`, ascending, until `out` is full.
    ///
    /// Returns how many, and the last key.
    pub fn ascending(
        &self,
        low: B::Probe<'_>,
        high: Option<B::Probe<'_>>,
        out: &mut [u64],
    ) -> (usize, Option<B::Owned>) {
        let (mut id, mut at) = self.seek(low);
        let (mut count, mut last) = (0, None);
        while id != NONE && count < out.len() {
            let leaf = &self.leaves[id];
            let end = high.map_or(leaf.keys.len(), |high| leaf.keys.lower_bound(high));
            let taken = end.saturating_sub(at).min(out.len() - count);
            if taken > 0 {
                out[count..count + taken].copy_from_slice(&leaf.positions[at..at + taken]);
                count += taken;
                last = Some((id, at + taken - 1));
            }
            if end < leaf.keys.len() {
                break;
            }
            (id, at) = (leaf.next, 0);
        }
        (count, last.map(|(id, at)| self.leaves[id].keys.key(at)))
    }

    /// The entries from `low` up to, not including, `high`, in a direction, at most so many.
    pub fn entries(
        &self,
        low: B::Probe<'_>,
        high: Option<B::Probe<'_>>,
        direction: Direction,
        most: usize,
    ) -> Vec<(B::Owned, u64)> {
        let mut found = Vec::new();
        if self.length == 0 {
            return found;
        }
        let is_ascending = direction == Direction::Ascending;
        let (mut id, mut at) = match (is_ascending, high) {
            (true, _) => self.seek(low),
            (false, Some(high)) => self.seek(high),
            (false, None) => (self.last, self.leaves[self.last].keys.len()),
        };
        while id != NONE && found.len() < most {
            let leaf = &self.leaves[id];
            let (start, end) = match is_ascending {
                true => (at, high.map_or(leaf.keys.len(), |high| leaf.keys.lower_bound(high))),
                false => (leaf.keys.lower_bound(low), at),
            };
            let room = most - found.len();
            let entry = |at: usize| (leaf.keys.key(at), leaf.positions[at]);
            match is_ascending {
                true => found.extend((start..end).take(room).map(entry)),
                false => found.extend((start..end).rev().take(room).map(entry)),
            }
            let is_last = if is_ascending { end < leaf.keys.len() } else { start > 0 };
            if is_last {
                break;
            }
            id = if is_ascending { leaf.next } else { leaf.previous };
            at = if is_ascending || id == NONE { 0 } else { self.leaves[id].keys.len() };
        }
        found
    }

    /// Visits all entries, ascending.
    pub fn each(&self, visit: &mut dyn FnMut(B::Owned, u64)) {
        let mut id = self.root;
        for _ in 0..self.depth {
            id = self.inners[id].children[0];
        }
        while id != NONE {
            let leaf = &self.leaves[id];
            (0..leaf.keys.len()).for_each(|at| visit(leaf.keys.key(at), leaf.positions[at]));
            id = leaf.next;
        }
    }

    /// Inserts or replaces an entry: the position it had before.
    pub fn put(&mut self, probe: B::Probe<'_>, position: u64) -> Option<u64> {
        if let Some(place) = self.position_mut(probe) {
            return Some(std::mem::replace(place, position));
        }
        self.insert(probe, position);
        None
    }

    /// Positions of the keys before `high` down to `low`, included, descending, until `out` is full.
    ///
    /// Returns how many, and the last key.
    pub fn descending(
        &self,
        low: B::Probe<'_>,
        high: Option<B::Probe<'_>>,
        out: &mut [u64],
    ) -> (usize, Option<B::Owned>) {
        let (mut id, mut end) =
            high.map_or_else(|| (self.last, self.leaves[self.last].keys.len()), |high| self.seek(high));
        let (mut count, mut last) = (0, None);
        while id != NONE && count < out.len() {
            let leaf = &self.leaves[id];
            let start = leaf.keys.lower_bound(low);
            let taken = end.saturating_sub(start).min(out.len() - count);
            let source = &leaf.positions[end - taken..end];
            out[count..count + taken].iter_mut().zip(source.iter().rev()).for_each(|(out, position)| *out = *position);
            if taken > 0 {
                count += taken;
                last = Some((id, end - taken));
            }
            if start > 0 || leaf.previous == NONE {
                break;
            }
            id = leaf.previous;
            end = self.leaves[id].keys.len();
        }
        (count, last.map(|(id, at)| self.leaves[id].keys.key(at)))
    }
}
