//! Allocation of the nodes of a tree: numbered slots in chunks, freed when they are empty.
//!
//! Nodes name each other by `u32` numbers, not pointers: half the size, and nothing to prove to the borrow checker.
//! A number is a chunk and a place in it; each chunk keeps a bit per place.
//!
//! ```text
//!   number 130 = chunk 2, place 2
//!   chunks   [0: 64 nodes, all used] [1: vacant, no memory] [2: 64 nodes, bits 0b0111]
//!   open     chunks with a free place: [2]          vacant   numbers of chunks to use again: [1]
//! ```
//!
//! A chunk whose last node goes frees its memory at once, and its number is used again. A chunk that
//! is the only one grows by doubling, so that the index of a small table stays small; the others are made whole.
//! Growing then moves nothing but the short list of chunks.
//!
//! Limit: a chunk with one node left keeps its 64 places (about 64 KiB for leaves of 64-bit numbers).

use std::ops::{Index, IndexMut};

/// Nodes of a chunk: the bits of a `u64`.
const PLACES: usize = 64;

/// Nodes by number.
pub(super) struct Arena<T> {
    chunks: Vec<Chunk<T>>,
    /// Chunks that may have a free place; each at most once.
    open: Vec<u32>,
    /// Chunks without nodes and without memory.
    vacant: Vec<u32>,
}

struct Chunk<T> {
    nodes: Vec<T>,
    used: u64,
}

impl<T: Default> Arena<T> {
    /// An arena without nodes and without memory.
    pub fn new() -> Arena<T> {
        Arena { chunks: Vec::new(), open: Vec::new(), vacant: Vec::new() }
    }

    /// The number of a new, empty node.
    pub fn allocate(&mut self) -> u32 {
        let number = match self.open.last() {
            Some(&number) => number,
            None => self.open_chunk(),
        };
        let chunk = &mut self.chunks[number as usize];
        let place = chunk.used.trailing_ones() as usize;
        chunk.used |= 1 << place;
        if place == chunk.nodes.len() {
            chunk.nodes.push(T::default());
        }
        if chunk.used == u64::MAX {
            self.open.pop();
        }
        number * PLACES as u32 + place as u32
    }

    /// A chunk with all places free, at the end of `open`.
    fn open_chunk(&mut self) -> u32 {
        let number = self.vacant.pop().unwrap_or_else(|| {
            self.chunks.push(Chunk { nodes: Vec::new(), used: 0 });
            (self.chunks.len() - 1) as u32
        });
        if self.chunks.len() - self.vacant.len() > 1 {
            self.chunks[number as usize].nodes.reserve_exact(PLACES);
        }
        self.open.push(number);
        number
    }

    /// Gives the node's memory back; its number may be given out again.
    pub fn release(&mut self, id: u32) {
        let (number, place) = (id as usize / PLACES, id as usize % PLACES);
        let chunk = &mut self.chunks[number];
        assert!(chunk.used & (1 << place) != 0, "a node of an index is released twice");
        if chunk.used == u64::MAX {
            self.open.push(number as u32);
        }
        chunk.used &= !(1 << place);
        chunk.nodes[place] = T::default();
        if chunk.used == 0 {
            chunk.nodes = Vec::new();
            self.open.retain(|open| *open != number as u32);
            self.vacant.push(number as u32);
        }
    }

    /// The nodes in use.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| {
            let used = chunk.used;
            let nodes = chunk.nodes.iter().enumerate();
            nodes.filter(move |(place, _)| used & (1 << *place) != 0).map(|(_, node)| node)
        })
    }

    /// Nodes that there is memory for, used and free.
    pub fn places(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.nodes.capacity()).sum()
    }

    /// Bytes of memory of the nodes, used and free; not what the nodes own besides.
    pub fn memory(&self) -> usize {
        self.places() * size_of::<T>()
            + self.chunks.capacity() * size_of::<Chunk<T>>()
            + (self.open.capacity() + self.vacant.capacity()) * size_of::<u32>()
    }
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;

    #[inline]
    fn index(&self, id: u32) -> &T {
        &self.chunks[id as usize / PLACES].nodes[id as usize % PLACES]
    }
}

impl<T> IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.chunks[id as usize / PLACES].nodes[id as usize % PLACES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_used_again_and_memory_goes_back() {
        let mut arena: Arena<[u64; 16]> = Arena::new();
        let ids: Vec<u32> = (0..1000).map(|_| arena.allocate()).collect();
        ids.iter().for_each(|id| arena[*id][0] = u64::from(*id));
        let full = arena.memory();
        ids.iter().filter(|id| *id % 3 != 0).for_each(|id| arena.release(*id));
        let again: Vec<u32> = (0..500).map(|_| arena.allocate()).collect();
        assert!(again.iter().all(|id| *id < 1024 && (id % 3 != 0 || *id >= 1000) && arena[*id][0] == 0));
        assert!(arena.memory() <= full + 64);
        ids.iter().filter(|id| *id % 3 == 0).for_each(|id| assert_eq!(arena[*id][0], u64::from(*id)));
        ids.iter().filter(|id| *id % 3 == 0).chain(&again).for_each(|id| arena.release(*id));
        assert_eq!(arena.iter().count(), 0);
        assert!(arena.memory() < full / 50, "{} of {full}", arena.memory());
    }
}
