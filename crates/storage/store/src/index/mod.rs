//! Indexes: ordered maps in memory from key bytes to positions of rows.
//!
//! An index is asked for one row by its key far more often than for anything else, and every INSERT pays for every
//! index of its table. So there is one tree, in three shapes chosen by the width of the keys when the index is made:
//!
//! ```text
//!   key width       shape                        typical key
//!   <= 8 bytes      whole numbers of 64 bits     unique: an INTEGER or BIGINT, a date, two INTEGERs
//!   <= 16 bytes     whole numbers of 128 bits    unique: up to four INTEGERs, a UUID; others: BIGINT + row
//!   any             bytes, see `bytes`           text, DECIMAL(38) + row
//! ```
//!
//! Key bytes come from [`crate::key::KeyEncoder`], which also appends the bytes that distinguish the entries of equal
//! keys in indexes that are not unique. So to the tree every key is unique, and its value is a position: of the newest
//! version with this key. A reader gets candidates and checks visibility and conditions itself.
//!
//! **Concurrency.** Many readers or one writer: a reader-writer lock around the tree, held for one operation (or one
//! portion of a cursor, at most [`PORTION`] entries). Bounds: readers on several cores contend for the word of the
//! lock, twice an operation; a writer waits for the active readers and they for it; and the longest critical section is
//! a portion, or a split up to the root.
//!
//! **Memory.** Nodes are freed as keys are removed, and chunks of nodes as their nodes are freed; [`Index::memory`]
//! counts.
//!
//! **Loads.** Entries of a bulk load may stand beside the tree for a while, sorted in `batch`es.
//!
//! **Layers.** Below the tree there may be a `base::Base`: the runs that a checkpoint has written of the index. The
//! tree
//! then contains only the changes since, and other keys are looked up in the base. A damaged base is
//! replaced by entries rebuilt from the rows, before the operation that found the damage returns.

mod arena;
pub(crate) mod base;
pub(crate) mod batch;
mod block;
mod bytes;
mod cursor;
mod fixed;
mod layers;
mod removal;
pub(crate) mod run;
mod tree;

pub use cursor::{Cursor, Direction};
pub use run::{read_in_every_way, with_checksums};
pub use tree::Inserted;

use block::KeyBlock;
use bytes::ByteKeys;
use fixed::{FixedKeys, Number};
use layers::{Layers, merge};
use mainstay_types::Result;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tree::Tree;

/// Bytes of memory of an entry whose key has any length, without those of the key: head, place, length and position in
/// a node that is not full.
pub(crate) const ANY_ENTRY_BYTES: usize = 32;

/// Entries read at most while the lock is held once.
pub const PORTION: usize = 1024;

/// An ordered map from key bytes to positions. See the module's comment.
pub struct Index(Shape);

enum Shape {
    Eight(Fixed<u64>),
    Sixteen(Fixed<u128>),
    Bytes(Locked<ByteKeys>),
}

/// A tree of numbers that stand for keys of `width` bytes.
struct Fixed<N: Number> {
    width: usize,
    tree: Locked<FixedKeys<N>>,
}

struct Locked<B: KeyBlock>(RwLock<Layers<B>>);

impl<B: KeyBlock> Locked<B> {
    fn new() -> Locked<B> {
        Locked(RwLock::new(Layers { tree: Tree::new(), batches: Vec::new(), base: None }))
    }

    /// The layers without batches, for reading.
    #[inline]
    fn read(&self) -> RwLockReadGuard<'_, Layers<B>> {
        let layers = self.lock_shared();
        if layers.batches.is_empty() {
            return layers;
        }
        drop(layers);
        RwLockWriteGuard::downgrade(self.write())
    }

    /// The layers without batches, for changes.
    #[inline]
    fn write(&self) -> RwLockWriteGuard<'_, Layers<B>> {
        let mut layers = self.lock();
        if !layers.batches.is_empty() {
            layers.settle();
        }
        layers
    }

    /// The layers, with batches if there are any.
    #[inline]
    fn lock_shared(&self) -> RwLockReadGuard<'_, Layers<B>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for changes.
    #[inline]
    fn lock(&self) -> RwLockWriteGuard<'_, Layers<B>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N: Number> Fixed<N> {
    fn new(width: usize) -> Fixed<N> {
        Fixed { width, tree: Locked::new() }
    }

    /// The number of a whole key.
    #[inline]
    fn number(&self, key: &[u8]) -> N {
        assert_eq!(key.len(), self.width, "a key is not as wide as its index");
        N::of_bytes(key)
    }

    /// The least number whose key is not less than these bytes, if there is one.
    fn bound(&self, bytes: &[u8]) -> Option<N> {
        let start = &bytes[..bytes.len().min(self.width)];
        let number = N::of_bytes(start);
        // A key that is only the start of the bytes is less than they are.
        if bytes.len() <= self.width { Some(number) } else { number.next() }
    }

    /// Whole keys, as numbers and as bytes.
    fn bytes(&self, number: N) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.width);
        number.append_to(self.width, &mut bytes);
        bytes
    }

    fn fetch(&self, cursor: &mut Cursor, out: &mut [u64]) -> Result<usize> {
        let Some(low) = self.bound(&cursor.low) else { return Ok(0) };
        let high = if cursor.bounded { self.bound(&cursor.high) } else { None };
        let layers = self.tree.read();
        if let Some(base) = &layers.base {
            let changed = layers.tree.entries(low, high, cursor.direction, out.len());
            let changed = changed.into_iter().map(|(key, position)| (self.bytes(key), position)).collect();
            // In the cursor's own bytes: a number of the tree may lie between two keys, and has no bytes of their width.
            let high = cursor.bounded.then_some(cursor.high.as_slice());
            let walk = base.walk(&cursor.low, high, cursor.direction)?;
            return merge(changed, walk, cursor, out);
        }
        let (count, last) = walk(&layers.tree, cursor.direction, low, high, out);
        drop(layers);
        if let Some(last) = last {
            cursor.move_behind(|bytes| last.append_to(self.width, bytes));
        }
        Ok(count)
    }
}

impl Locked<ByteKeys> {
    fn fetch(&self, cursor: &mut Cursor, out: &mut [u64]) -> Result<usize> {
        let high = cursor.bounded.then_some(cursor.high.as_slice());
        let layers = self.read();
        if let Some(base) = &layers.base {
            let changed = layers.tree.entries(&cursor.low, high, cursor.direction, out.len());
            let walk = base.walk(&cursor.low, high, cursor.direction)?;
            return merge(changed, walk, cursor, out);
        }
        let (count, last) = walk(&layers.tree, cursor.direction, cursor.low.as_slice(), high, out);
        drop(layers);
        if let Some(last) = last {
            cursor.move_behind(|bytes| bytes.extend_from_slice(&last));
        }
        Ok(count)
    }
}

fn walk<B: KeyBlock>(
    tree: &Tree<B>,
    direction: Direction,
    low: B::Probe<'_>,
    high: Option<B::Probe<'_>>,
    out: &mut [u64],
) -> (usize, Option<B::Owned>) {
    match direction {
        Direction::Ascending => tree.ascending(low, high, out),
        Direction::Descending => tree.descending(low, high, out),
    }
}

/// Does the same with the tree of any shape: `$key` becomes the probe, `$tree` the lock.
macro_rules! with_tree {
    ($index:expr, $key:ident, $tree:ident => $does:expr) => {
        match &$index.0 {
            Shape::Eight(fixed) => {
                let ($key, $tree) = (fixed.number($key), &fixed.tree);
                $does
            }
            Shape::Sixteen(fixed) => {
                let ($key, $tree) = (fixed.number($key), &fixed.tree);
                $does
            }
            Shape::Bytes($tree) => $does,
        }
    };
    ($index:expr, $tree:ident => $does:expr) => {
        match &$index.0 {
            Shape::Eight(Fixed { tree: $tree, .. }) => $does,
            Shape::Sixteen(Fixed { tree: $tree, .. }) => $does,
            Shape::Bytes($tree) => $does,
        }
    };
}

impl Index {
    /// An index without entries, for keys of exactly this many bytes, or of any length: what
    /// [`crate::key::KeyEncoder::width`] says.
    pub fn new(width: Option<usize>) -> Index {
        Index(match width {
            Some(width) if width <= u64::WIDTH => Shape::Eight(Fixed::new(width)),
            Some(width) if width <= u128::WIDTH => Shape::Sixteen(Fixed::new(width)),
            _ => Shape::Bytes(Locked::new()),
        })
    }

    /// An index of these entries. In ascending order of their keys they fill nodes to the brim, and fastest.
    ///
    /// # Errors
    ///
    /// The first entry whose key is there already: a unique index cannot be made.
    pub fn build<K: AsRef<[u8]>>(
        width: Option<usize>,
        entries: impl IntoIterator<Item = (K, u64)>,
    ) -> std::result::Result<Index, Duplicate> {
        let index = Index::new(width);
        for (key, position) in entries {
            if let Inserted::Existing(existing) = index.insert(key.as_ref(), position) {
                return Err(Duplicate { existing, position });
            }
        }
        Ok(index)
    }

    /// The position of a key.
    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<u64> {
        let bytes = key;
        with_tree!(self, key, tree => {
            let layers = tree.lock_shared();
            let found = layers.tree.get(key);
            // No batch has a key of the tree.
            if found.is_some() || layers.base.is_none() && layers.batches.is_empty() {
                return found;
            }
        });
        self.get_layered(bytes)
    }

    /// The position of a key that is not in the tree.
    #[inline(never)]
    fn get_layered(&self, key: &[u8]) -> Option<u64> {
        let (bytes, mut is_hot) = (key, false);
        let found = self.certain(|| {
            with_tree!(self, key, tree => {
                let layers = tree.read();
                is_hot = layers.base.as_ref().is_some_and(|base| base.is_hot());
                layers.get(key, bytes)
            })
        });
        if is_hot {
            self.absorb();
        }
        found
    }

    /// Puts an entry in, unless its key is there: then nothing changes, and the answer says where it points.
    pub fn insert(&self, key: &[u8], position: u64) -> Inserted {
        let bytes = key;
        self.certain(|| with_tree!(self, key, tree => tree.write().insert(key, bytes, position)))
    }

    /// The same for a key that is new, or was only used by versions of its own row: the runs of the checkpoint are not
    /// searched.
    pub(crate) fn insert_own(&self, key: &[u8], position: u64) -> Inserted {
        with_tree!(self, key, tree => tree.write().tree.insert(key, position))
    }

    /// Lets the entry of a key point elsewhere: the position it had, `None` if there is no such key.
    pub fn replace(&self, key: &[u8], position: u64) -> Option<u64> {
        let bytes = key;
        self.certain(|| with_tree!(self, key, tree => tree.write().replace(key, bytes, position)))
    }

    /// Makes the entry of a key point to `new` if it points to `old`. Returns true if it did.
    pub fn replace_if(&self, key: &[u8], old: u64, new: u64) -> bool {
        let bytes = key;
        self.certain(|| with_tree!(self, key, tree => tree.write().replace_if(key, bytes, (old, new))))
    }

    /// Removes the entry of a key, and returns its position. Entries in the runs of a checkpoint stay: see the module
    /// `base`.
    pub fn remove(&self, key: &[u8]) -> Option<u64> {
        with_tree!(self, key, tree => tree.write().tree.remove(key, |_| true))
    }

    /// Removes the entry of a key if it points to `position`. Returns true if it did. The version at that position must
    /// be dead, or never have been committed: entries in the runs of a checkpoint stay, see the module `base`.
    pub fn remove_if(&self, key: &[u8], position: u64) -> bool {
        with_tree!(self, key, tree => tree.write().tree.remove(key, |found| found == position).is_some())
    }

    /// Reads the next positions of the cursor's range into `out`, and returns their number, at most [`PORTION`].
    ///
    /// Fewer than asked for is the end of the range.
    pub fn fetch(&self, cursor: &mut Cursor, out: &mut [u64]) -> usize {
        if cursor.finished {
            return 0;
        }
        let asked = out.len().min(PORTION);
        let out = &mut out[..asked];
        let count = self.certain(|| match &self.0 {
            Shape::Eight(fixed) => fixed.fetch(cursor, out),
            Shape::Sixteen(fixed) => fixed.fetch(cursor, out),
            Shape::Bytes(tree) => tree.fetch(cursor, out),
        });
        cursor.finished = count < asked;
        count
    }

    /// Entries; those of a base that are hidden, or lead to nothing any more, are among them.
    pub fn len(&self) -> usize {
        with_tree!(self, tree => {
            let layers = tree.lock_shared();
            layers.tree.length + layers.batched() + layers.base.as_ref().map_or(0, |base| base.entries())
        })
    }

    /// The memory of an entry in bytes, about; `None` where it depends on the key ([`ANY_ENTRY_BYTES`]).
    pub(crate) fn entry_bytes(&self) -> Option<usize> {
        match &self.0 {
            Shape::Eight(_) => Some(20),
            Shape::Sixteen(_) => Some(32),
            Shape::Bytes(_) => None,
        }
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory. Looks at every node: not for every statement.
    pub fn memory(&self) -> usize {
        size_of::<Index>() + with_tree!(self, tree => tree.lock_shared().memory())
    }
}

/// Two entries of one key, when an index is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The position that came first.
    pub existing: u64,
    /// The position that has the same key.
    pub position: u64,
}

// Behind the macro, which the tests use.
#[cfg(test)]
mod tests;
