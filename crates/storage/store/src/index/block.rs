//! The sorted keys of one node: the interface that the tree needs, for every shape of keys.
//!
//! The tree ([`super::tree`]) is written once; a shape of keys is an implementation of [`KeyBlock`]. Whole numbers
//! ([`super::fixed`]) are compared in registers, bytes of any length ([`super::bytes`]) by their heads first.

/// Keys of a node at most. The search of whole numbers is made for this number: eight lines of eight.
pub(super) const CAPACITY: usize = 64;

/// Up to [`CAPACITY`] distinct keys in ascending order.
pub(super) trait KeyBlock: Default {
    /// A key as one looks for it.
    type Probe<'a>: Copy;
    /// A key on its own: a separator on its way up.
    type Owned: Ord + Clone;

    /// Keys in the block.
    fn len(&self) -> usize;
    /// The number of keys less than the probe: its place, or the place to insert it.
    fn lower_bound(&self, probe: Self::Probe<'_>) -> usize;
    /// Keys less than the probe or equal to it.
    fn upper_bound(&self, probe: Self::Probe<'_>) -> usize;
    /// Returns true if the key at this place is there and equals the probe.
    fn is_at(&self, at: usize, probe: Self::Probe<'_>) -> bool;
    /// Puts a key at its place. The block is not full.
    fn insert(&mut self, at: usize, probe: Self::Probe<'_>);
    /// Takes the key at this place out.
    fn remove(&mut self, at: usize);
    /// Takes the keys from this place on out, into a block of their own.
    fn split_off(&mut self, at: usize) -> Self;
    /// Puts the other block's keys behind its own. All of them are greater, and there is room.
    fn append(&mut self, other: &Self);
    /// The key at this place.
    fn key(&self, at: usize) -> Self::Owned;
    /// The probe that finds the key.
    fn probe(key: &Self::Owned) -> Self::Probe<'_>;
    /// A key greater than all of `left` and not greater than any of `right`; neither is empty.
    fn separator(left: &Self, right: &Self) -> Self::Owned;
    /// Bytes of memory besides the block itself.
    fn memory(&self) -> usize;
}
