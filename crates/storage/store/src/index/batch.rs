//! Sorted batches: entries of a bulk load that are not in the tree yet.
//!
//! Problem: keys that come in no order put each entry into another leaf of a tree that is larger than the caches, which
//! is most of the cost of loading a table with an index. Idea: sort the entries of a load by themselves and keep them
//! beside the tree, as nobody reads an index while its table is loaded. A checkpoint writes its runs from the rows and
//! drops the batches whose rows they have; the first operation that needs the entries merges them into the tree.
//!
//! ```text
//!   load        batch | batch | batch          each sorted, of one portion of rows
//!   checkpoint  (dropped: the runs have them)
//!   or a read   tree + batches -> tree         a merge fills leaves completely
//! ```
//!
//! Only entries whose keys are in no layer may come in a batch: those of new rows in an index that is not unique, and
//! those of a unique index after all of them were looked up ([`Index::new_ones`]).
//! Keys of any length go to the tree at once, in their order, since a batch of them would take more memory than the tree.
//!
//! Limit: the merge holds the lock of the index as long as it takes, about a second for ten million entries.

use super::block::KeyBlock;
use super::fixed::Number;
use super::layers::Layers;
use super::tree::Tree;
use super::{Index, Locked, PORTION, Shape};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Entries of a batch at least: fewer go to the tree at once.
const LEAST: usize = 4096;
/// Batches of less than this part of the tree go into it one by one: more of them are merged with it into a new one.
const PART: usize = 4;

/// The entries of a batch in the order of their keys.
pub(super) type Sorted<B> = Arc<Vec<(<B as KeyBlock>::Owned, u64)>>;

/// New entries for an index, collected in any order.
pub(crate) struct Batch(Entries);

enum Entries {
    Eight(Vec<(u64, u64)>),
    Sixteen(Vec<(u128, u64)>),
    Bytes(Vec<(Vec<u8>, u64)>),
}

impl Batch {
    /// Leaves out all entries behind the first ones.
    pub(crate) fn truncate(&mut self, length: usize) {
        match &mut self.0 {
            Entries::Eight(entries) => entries.truncate(length),
            Entries::Sixteen(entries) => entries.truncate(length),
            Entries::Bytes(entries) => entries.truncate(length),
        }
    }
}

impl Index {
    /// An empty batch for this index, with room for so many entries.
    pub(crate) fn batch(&self, capacity: usize) -> Batch {
        Batch(match &self.0 {
            Shape::Eight(_) => Entries::Eight(Vec::with_capacity(capacity)),
            Shape::Sixteen(_) => Entries::Sixteen(Vec::with_capacity(capacity)),
            Shape::Bytes(_) => Entries::Bytes(Vec::with_capacity(capacity)),
        })
    }

    /// Adds an entry to a batch of this index.
    pub(crate) fn add_to(&self, batch: &mut Batch, key: &[u8], position: u64) {
        match (&self.0, &mut batch.0) {
            (Shape::Eight(fixed), Entries::Eight(entries)) => entries.push((fixed.number(key), position)),
            (Shape::Sixteen(fixed), Entries::Sixteen(entries)) => entries.push((fixed.number(key), position)),
            (Shape::Bytes(_), Entries::Bytes(entries)) => entries.push((key.to_vec(), position)),
            _ => unreachable!("a batch is of the shape of its index"),
        }
    }

    /// The batch in the order of its keys, if none of them is in the index and each is there once; `None` otherwise.
    pub(crate) fn new_ones(&self, batch: Batch) -> Option<Batch> {
        let entries = match (&self.0, batch.0) {
            (Shape::Eight(fixed), Entries::Eight(entries)) => {
                let entries = sorted(entries);
                let is_new = self.are_new(&fixed.tree, &entries, |key, out| key.append_to(fixed.width, out));
                is_new.then_some(Entries::Eight(entries))
            }
            (Shape::Sixteen(fixed), Entries::Sixteen(entries)) => {
                let entries = sorted(entries);
                let is_new = self.are_new(&fixed.tree, &entries, |key, out| key.append_to(fixed.width, out));
                is_new.then_some(Entries::Sixteen(entries))
            }
            (Shape::Bytes(tree), Entries::Bytes(entries)) => {
                let entries = sorted(entries);
                let is_new = self.are_new(tree, &entries, |key, out| out.extend_from_slice(key));
                is_new.then_some(Entries::Bytes(entries))
            }
            _ => unreachable!("a batch is of the shape of its index"),
        };
        entries.map(Batch)
    }

    /// Returns true if the keys of sorted entries differ from each other and are in no layer. `bytes` appends those of a
    /// key.
    fn are_new<B: KeyBlock>(
        &self,
        tree: &Locked<B>,
        entries: &[(B::Owned, u64)],
        bytes: impl Fn(&B::Owned, &mut Vec<u8>),
    ) -> bool {
        let is_twice = entries.windows(2).any(|pair| pair[0].0 == pair[1].0);
        let mut key = Vec::new();
        !is_twice
            && entries.chunks(PORTION).all(|portion| {
                self.certain(|| {
                    let layers = tree.read();
                    let first = portion.first().map(|(key, _)| key);
                    let is_behind = layers.tree.greatest().is_none_or(|greatest| Some(&greatest) < first);
                    for (entry, _) in portion {
                        if !is_behind && layers.tree.get(B::probe(entry)).is_some() {
                            return Ok(false);
                        }
                        if let Some(base) = &layers.base {
                            key.clear();
                            bytes(entry, &mut key);
                            if base.get_for_insert(&key)?.is_some() {
                                return Ok(false);
                            }
                        }
                    }
                    Ok(true)
                })
            })
    }

    /// Puts entries in that are sorted and new ([`Index::new_ones`]).
    pub(crate) fn insert_new(&self, batch: Batch) {
        match (&self.0, batch.0) {
            (Shape::Eight(fixed), Entries::Eight(entries)) => fixed.tree.insert_in_order(entries),
            (Shape::Sixteen(fixed), Entries::Sixteen(entries)) => fixed.tree.insert_in_order(entries),
            (Shape::Bytes(tree), Entries::Bytes(entries)) => tree.insert_in_order(entries),
            _ => unreachable!("a batch is of the shape of its index"),
        }
    }

    /// Puts the entries in. Their keys are in no layer of the index.
    pub(crate) fn insert_batch(&self, batch: Batch) {
        match (&self.0, batch.0) {
            (Shape::Eight(fixed), Entries::Eight(entries)) => fixed.tree.insert_batch(entries),
            (Shape::Sixteen(fixed), Entries::Sixteen(entries)) => fixed.tree.insert_batch(entries),
            (Shape::Bytes(tree), Entries::Bytes(entries)) => tree.insert_in_order(sorted(entries)),
            _ => unreachable!("a batch is of the shape of its index"),
        }
    }
}

fn sorted<K: Ord>(mut entries: Vec<(K, u64)>) -> Vec<(K, u64)> {
    entries.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    entries
}

impl<B: KeyBlock> Locked<B> {
    fn insert_batch(&self, entries: Vec<(B::Owned, u64)>) {
        let entries = sorted(entries);
        let Some((first, _)) = entries.first() else { return };
        let mut layers = self.lock();
        let is_behind = layers.tree.greatest().is_none_or(|greatest| greatest < *first);
        if entries.len() < LEAST || is_behind && layers.batches.is_empty() {
            drop(layers);
            return self.insert_in_order(entries);
        }
        layers.batches.push(Arc::new(entries));
    }

    /// In portions, so that the lock is never held for long.
    fn insert_in_order(&self, entries: Vec<(B::Owned, u64)>) {
        for portion in entries.chunks(PORTION) {
            let mut layers = self.lock();
            for (key, position) in portion {
                layers.tree.insert(B::probe(key), *position);
            }
        }
    }
}

impl<B: KeyBlock> Layers<B> {
    /// The number of entries in batches.
    pub(super) fn batched(&self) -> usize {
        self.batches.iter().map(|batch| batch.len()).sum()
    }

    /// Brings the batches into the tree.
    #[cold]
    pub(super) fn settle(&mut self) {
        let count = self.batched();
        let batches = std::mem::take(&mut self.batches);
        if count < self.tree.length / PART {
            for (key, position) in batches.iter().flat_map(|batch| batch.iter()) {
                self.tree.insert(B::probe(key), *position);
            }
            return;
        }
        let (mut made, mut merged) = (Tree::new(), Merged::<B>::of(&batches));
        self.tree.each(&mut |key, position| {
            while merged.peek().is_some_and(|next| *next < key) {
                merged.take(&mut made);
            }
            made.insert(B::probe(&key), position);
        });
        while merged.peek().is_some() {
            merged.take(&mut made);
        }
        self.tree = made;
    }
}

/// The entries of batches in one order.
struct Merged<'b, B: KeyBlock> {
    batches: &'b [Sorted<B>],
    /// Of each batch that has more: its next key, its number, and the place of the entry.
    next: BinaryHeap<Reverse<(B::Owned, usize, usize)>>,
}

impl<'b, B: KeyBlock> Merged<'b, B> {
    fn of(batches: &'b [Sorted<B>]) -> Merged<'b, B> {
        let first =
            |(number, batch): (usize, &Sorted<B>)| batch.first().map(|(key, _)| Reverse((key.clone(), number, 0)));
        Merged { batches, next: batches.iter().enumerate().filter_map(first).collect() }
    }

    fn peek(&self) -> Option<&B::Owned> {
        self.next.peek().map(|Reverse((key, ..))| key)
    }

    /// Puts the next entry into a tree.
    fn take(&mut self, tree: &mut Tree<B>) {
        let Some(mut next) = self.next.peek_mut() else { return };
        let Reverse((_, number, at)) = *next;
        let batch = &self.batches[number];
        let (key, position) = &batch[at];
        tree.insert(B::probe(key), *position);
        match batch.get(at + 1) {
            Some((key, _)) => *next = Reverse((key.clone(), number, at + 1)),
            None => drop(std::collections::binary_heap::PeekMut::pop(next)),
        }
    }
}
