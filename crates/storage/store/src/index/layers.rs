//! The two layers of an index, and the repair when the lower one is damaged.
//!
//! An operation that meets a damaged block of the base returns an error and changes nothing. The index then rebuilds the
//! entries of the base from the rows, applies the entries of the tree on top, and repeats the operation
//! ([`Index::certain`]).

use super::base::{Base, Walk};
use super::batch::Sorted;
use super::block::KeyBlock;
use super::cursor::Cursor;
use super::tree::{Inserted, Tree};
use super::{Direction, Index, Locked, PORTION, Shape};
use mainstay_types::{Error, Result};
use std::sync::Arc;

/// The entries changed since a checkpoint, and the runs of the checkpoint.
pub(super) struct Layers<B: KeyBlock> {
    pub(super) tree: Tree<B>,
    /// Entries of bulk loads that are not in the tree yet, each batch in the order of its keys.
    pub(super) batches: Vec<Sorted<B>>,
    pub(super) base: Option<Base>,
}

impl<B: KeyBlock> Layers<B> {
    /// The memory of tree and batches in bytes.
    pub(super) fn memory(&self) -> usize {
        let batches = self.batches.iter().map(|batch| batch.capacity() * size_of::<(B::Owned, u64)>());
        self.tree.memory() + batches.sum::<usize>()
    }

    /// The position of a key, which is given in both forms here and below.
    #[inline]
    pub(super) fn get(&self, key: B::Probe<'_>, bytes: &[u8]) -> Result<Option<u64>> {
        match (self.tree.get(key), &self.base) {
            (None, Some(base)) => base.get(bytes),
            (found, _) => Ok(found),
        }
    }

    #[inline]
    pub(super) fn insert(&mut self, key: B::Probe<'_>, bytes: &[u8], position: u64) -> Result<Inserted> {
        let Some(base) = &self.base else { return Ok(self.tree.insert(key, position)) };
        if let Some(existing) = self.tree.get(key) {
            return Ok(Inserted::Existing(existing));
        }
        match base.get_for_insert(bytes)? {
            Some(existing) => Ok(Inserted::Existing(existing)),
            None => Ok(self.tree.insert(key, position)),
        }
    }

    pub(super) fn replace(&mut self, key: B::Probe<'_>, bytes: &[u8], position: u64) -> Result<Option<u64>> {
        let before = self.get(key, bytes)?;
        if before.is_some() {
            self.tree.put(key, position);
        }
        Ok(before)
    }

    #[inline]
    pub(super) fn replace_if(&mut self, key: B::Probe<'_>, bytes: &[u8], (old, new): (u64, u64)) -> Result<bool> {
        if let Some(place) = self.tree.position_mut(key) {
            let is_it = *place == old;
            if is_it {
                *place = new;
            }
            return Ok(is_it);
        }
        let Some(base) = &self.base else { return Ok(false) };
        let is_it = base.get(bytes)? == Some(old);
        if is_it {
            self.tree.insert(key, new);
        }
        Ok(is_it)
    }
}

impl Index {
    /// Runs an operation on the layers, and repeats it after the base was rebuilt.
    #[inline]
    pub(super) fn certain<T>(&self, mut operation: impl FnMut() -> Result<T>) -> T {
        loop {
            match operation() {
                Ok(outcome) => return outcome,
                Err(error) => self.heal(&error),
            }
        }
    }

    /// Rebuilds the entries of a damaged base from the rows. Afterwards nothing of the base is read any more: if the
    /// rows cannot be read either, their table has noted that.
    #[cold]
    fn heal(&self, reason: &Error) {
        match &self.0 {
            Shape::Eight(fixed) => fixed.tree.heal(reason, |bytes| fixed.number(bytes)),
            Shape::Sixteen(fixed) => fixed.tree.heal(reason, |bytes| fixed.number(bytes)),
            Shape::Bytes(tree) => tree.heal(reason, <[u8]>::to_vec),
        }
    }

    /// Brings the base into the tree.
    #[cold]
    pub(super) fn absorb(&self) {
        let outcome = match &self.0 {
            Shape::Eight(fixed) => fixed.tree.absorb(|bytes| fixed.number(bytes)),
            Shape::Sixteen(fixed) => fixed.tree.absorb(|bytes| fixed.number(bytes)),
            Shape::Bytes(tree) => tree.absorb(<[u8]>::to_vec),
        };
        if let Err(error) = outcome {
            self.heal(&error);
        }
    }

    /// Puts the runs of a checkpoint below the tree, in the place of those before.
    pub(crate) fn set_base(&self, base: Base) {
        match &self.0 {
            Shape::Eight(fixed) => fixed.tree.lock().base = Some(base),
            Shape::Sixteen(fixed) => fixed.tree.lock().base = Some(base),
            Shape::Bytes(tree) => tree.lock().base = Some(base),
        }
    }

    /// True if the runs below the tree were not written by a checkpoint.
    pub(crate) fn has_provisional_base(&self) -> bool {
        let of = |base: &Option<Base>| base.as_ref().is_some_and(Base::is_provisional);
        match &self.0 {
            Shape::Eight(fixed) => of(&fixed.tree.lock_shared().base),
            Shape::Sixteen(fixed) => of(&fixed.tree.lock_shared().base),
            Shape::Bytes(tree) => of(&tree.lock_shared().base),
        }
    }

    /// Takes the entries out of memory that the base has as well: those at positions that `is_kept` names. The base must
    /// have every one of these under its key.
    pub(crate) fn drop_kept(&self, is_kept: &dyn Fn(u64) -> bool) {
        match &self.0 {
            Shape::Eight(fixed) => fixed.tree.drop_kept(is_kept, &fixed.number(&vec![0; fixed.width])),
            Shape::Sixteen(fixed) => fixed.tree.drop_kept(is_kept, &fixed.number(&vec![0; fixed.width])),
            Shape::Bytes(tree) => tree.drop_kept(is_kept, &Vec::new()),
        }
    }
}

impl<B: KeyBlock> Locked<B> {
    fn heal(&self, reason: &Error, owned: impl Fn(&[u8]) -> B::Owned) {
        let mut layers = self.write();
        let Some(base) = &layers.base else { return };
        let mut made: Tree<B> = Tree::new();
        let outcome = base.rows().each(&mut |key, position| {
            made.put(B::probe(&owned(key)), position);
        });
        base.rows().note_damage(&base.numbers(), reason);
        if outcome.is_err() {
            base.lose();
            return;
        }
        layers.tree.each(&mut |key, position| {
            made.put(B::probe(&key), position);
        });
        (layers.tree, layers.base) = (made, None);
    }

    fn absorb(&self, owned: impl Fn(&[u8]) -> B::Owned) -> Result<()> {
        let mut layers = self.write();
        let Some(base) = &layers.base else { return Ok(()) };
        let (mut made, mut walk): (Tree<B>, _) = (Tree::new(), base.all()?);
        while let Some((key, position)) = walk.peek() {
            made.insert(B::probe(&owned(key)), position);
            walk.advance()?;
        }
        layers.tree.each(&mut |key, position| {
            made.put(B::probe(&key), position);
        });
        (layers.tree, layers.base) = (made, None);
        Ok(())
    }

    fn drop_kept(&self, is_kept: &dyn Fn(u64) -> bool, first: &B::Owned) {
        self.drop_kept_batches(is_kept);
        self.drop_kept_entries(is_kept, first);
    }

    fn drop_kept_batches(&self, is_kept: &dyn Fn(u64) -> bool) {
        let batches = self.lock_shared().batches.clone();
        for batch in batches {
            let left = batch.iter().filter(|(_, position)| !is_kept(*position)).count();
            if left == batch.len() {
                continue;
            }
            let mut rest = Vec::with_capacity(left);
            rest.extend(batch.iter().filter(|(_, position)| !is_kept(*position)).cloned());
            let mut layers = self.lock();
            if layers.base.is_none() {
                // Damage was met meanwhile: the tree has all entries now, and no others do.
                return;
            }
            // One that has gone into the tree meanwhile is dropped from there.
            if let Some(at) = layers.batches.iter().position(|other| Arc::ptr_eq(other, &batch)) {
                match rest.is_empty() {
                    true => drop(layers.batches.remove(at)),
                    false => layers.batches[at] = Arc::new(rest),
                }
            }
        }
    }

    /// In portions, so that the lock is never held for long.
    fn drop_kept_entries(&self, is_kept: &dyn Fn(u64) -> bool, first: &B::Owned) {
        let mut next: Option<B::Owned> = None;
        loop {
            let low = next.as_ref().unwrap_or(first);
            let portion = self.lock_shared().tree.entries(B::probe(low), None, Direction::Ascending, PORTION);
            let is_last = portion.len() < PORTION;
            let mut layers = self.lock();
            if layers.base.is_none() {
                return;
            }
            for (key, position) in portion.iter().filter(|(_, position)| is_kept(*position)) {
                layers.tree.remove(B::probe(key), |found| found == *position);
            }
            // The next portion begins with this key again, if it is still there.
            next = portion.into_iter().last().map(|(key, _)| key);
            if is_last {
                return;
            }
        }
    }
}

/// Reads entries of both layers into `out`, in the cursor's direction: those of the tree hide the same keys below.
pub(super) fn merge(
    changed: Vec<(Vec<u8>, u64)>,
    mut base: Walk,
    cursor: &mut Cursor,
    out: &mut [u64],
) -> Result<usize> {
    let mut changed = changed.into_iter().peekable();
    let (mut count, mut last) = (0, Vec::new());
    while count < out.len() {
        let order = match (changed.peek(), base.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((key, _)), Some((below, _))) => match cursor.direction {
                Direction::Ascending => key.as_slice().cmp(below),
                Direction::Descending => below.cmp(key.as_slice()),
            },
        };
        if order.is_le() {
            if let Some((key, position)) = changed.next() {
                (last, out[count]) = (key, position);
            }
        } else if let Some((key, position)) = base.peek() {
            last.clear();
            last.extend_from_slice(key);
            out[count] = position;
        }
        if order.is_ge() {
            base.advance()?;
        }
        count += 1;
    }
    if count > 0 {
        cursor.move_behind(|bytes| bytes.extend_from_slice(&last));
    }
    Ok(count)
}
