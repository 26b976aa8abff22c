//! An order-statistic tree: a sequence whose elements are found, inserted and removed by their number in O(log n).
//!
//! A sorted sequence is searched with [`CountedTree::partition_point`], also in O(log n). So one structure serves queues
//! with an insertion point (`WRITE IND=`) and key trees with record numbers (`RNO=`).
//!
//! ```text
//!   inner    children, elements below each, leftmost leaf below each
//!   leaf     up to 64 elements in their order
//! ```
//!
//! The leftmost leaf of each child stands for a separator key: a search compares with that leaf's first element. Nodes are
//! in two arenas and refer to each other by number. A node that becomes small is merged with its neighbour.

const LEAF_CAPACITY: usize = 64;
const INNER_CAPACITY: usize = 32;

/// A sequence of elements. See the module.
#[derive(Debug)]
pub struct CountedTree<T> {
    leaves: Vec<Vec<T>>,
    inners: Vec<Inner>,
    free_leaves: Vec<u32>,
    free_inners: Vec<u32>,
    root: u32,
    /// Levels of inner nodes above the leaves.
    height: usize,
    length: usize,
}

#[derive(Debug, Default)]
struct Inner {
    children: Vec<u32>,
    counts: Vec<usize>,
    first_leaves: Vec<u32>,
}

/// A node that came out of a split: its number and its elements.
type Split = Option<(u32, usize)>;

impl<T> Default for CountedTree<T> {
    fn default() -> CountedTree<T> {
        CountedTree {
            leaves: vec![Vec::new()],
            inners: Vec::new(),
            free_leaves: Vec::new(),
            free_inners: Vec::new(),
            root: 0,
            height: 0,
            length: 0,
        }
    }
}

impl Inner {
    /// The child that contains the element of this number, and the number within it. With `at_end`, a number behind the last
    /// element of a child is in that child.
    fn locate(&self, mut number: usize, at_end: bool) -> (usize, usize) {
        let last = self.children.len() - 1;
        for (place, count) in self.counts[..last].iter().enumerate() {
            if number < *count || (at_end && number == *count) {
                return (place, number);
            }
            number -= count;
        }
        (last, number)
    }

    fn insert(&mut self, place: usize, child: u32, count: usize, first_leaf: u32) {
        self.children.insert(place, child);
        self.counts.insert(place, count);
        self.first_leaves.insert(place, first_leaf);
    }

    fn remove(&mut self, place: usize) {
        self.children.remove(place);
        self.counts.remove(place);
        self.first_leaves.remove(place);
    }

    fn split_off(&mut self, place: usize) -> Inner {
        Inner {
            children: self.children.split_off(place),
            counts: self.counts.split_off(place),
            first_leaves: self.first_leaves.split_off(place),
        }
    }
}

impl<T> CountedTree<T> {
    /// How many elements there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        *self = CountedTree::default();
    }

    /// The element of this number, from 0.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&T> {
        let (leaf, place) = self.find(number)?;
        self.leaves[leaf as usize].get(place)
    }

    /// The same to change it. In a sorted sequence it must stay between its neighbours.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        let (leaf, place) = self.find(number)?;
        self.leaves[leaf as usize].get_mut(place)
    }

    #[inline]
    fn find(&self, mut number: usize) -> Option<(u32, usize)> {
        if number >= self.length {
            return None;
        }
        let mut node = self.root;
        for _ in 0..self.height {
            let inner = &self.inners[node as usize];
            let (place, within) = inner.locate(number, false);
            (node, number) = (inner.children[place], within);
        }
        Some((node, number))
    }

    /// How many elements from the first one on satisfy a condition that holds for all elements before a point and for none
    /// behind it.
    pub fn partition_point(&self, mut is_before: impl FnMut(&T) -> bool) -> usize {
        let (mut node, mut before) = (self.root, 0);
        for _ in 0..self.height {
            let inner = &self.inners[node as usize];
            // The point is in the last child whose first element satisfies the condition, or in the first child.
            let behind = inner.first_leaves.partition_point(|leaf| is_before(&self.leaves[*leaf as usize][0]));
            let place = behind.saturating_sub(1);
            before += inner.counts[..place].iter().sum::<usize>();
            node = inner.children[place];
        }
        before + self.leaves[node as usize].partition_point(is_before)
    }

    /// Inserts an element so that it has this number; behind the last one if there are fewer.
    pub fn insert(&mut self, number: usize, element: T) {
        let number = number.min(self.length);
        self.length += 1;
        let split = self.insert_below(self.root, self.height, number, element);
        if let Some((right, count)) = split {
            let root = Inner {
                children: vec![self.root, right],
                counts: vec![self.length - count, count],
                first_leaves: vec![self.first_leaf(self.root, self.height), self.first_leaf(right, self.height)],
            };
            self.root = self.new_inner(root);
            self.height += 1;
        }
    }

    fn insert_below(&mut self, node: u32, height: usize, number: usize, element: T) -> Split {
        if height == 0 {
            return self.insert_in_leaf(node, number, element);
        }
        let (place, within) = self.inners[node as usize].locate(number, true);
        let child = self.inners[node as usize].children[place];
        let split = self.insert_below(child, height - 1, within, element);
        let inner = &mut self.inners[node as usize];
        inner.counts[place] += 1;
        let (right, count) = split?;
        inner.counts[place] -= count;
        let first_leaf = self.first_leaf(right, height - 1);
        let inner = &mut self.inners[node as usize];
        inner.insert(place + 1, right, count, first_leaf);
        if inner.children.len() <= INNER_CAPACITY {
            return None;
        }
        // Elements that come in their order fill the nodes that are left behind.
        let is_last = place + 2 == inner.children.len();
        let right = inner.split_off(if is_last { INNER_CAPACITY - 1 } else { INNER_CAPACITY / 2 });
        let count = right.counts.iter().sum();
        Some((self.new_inner(right), count))
    }

    fn insert_in_leaf(&mut self, node: u32, number: usize, element: T) -> Split {
        let leaf = &mut self.leaves[node as usize];
        leaf.insert(number, element);
        if leaf.len() <= LEAF_CAPACITY {
            return None;
        }
        let is_last = number + 1 == leaf.len();
        let right = leaf.split_off(if is_last { LEAF_CAPACITY - 1 } else { LEAF_CAPACITY / 2 });
        let count = right.len();
        Some((self.new_leaf(right), count))
    }

    fn new_leaf(&mut self, leaf: Vec<T>) -> u32 {
        match self.free_leaves.pop() {
            Some(free) => {
                self.leaves[free as usize] = leaf;
                free
            }
            None => {
                self.leaves.push(leaf);
                self.leaves.len() as u32 - 1
            }
        }
    }

    fn new_inner(&mut self, inner: Inner) -> u32 {
        match self.free_inners.pop() {
            Some(free) => {
                self.inners[free as usize] = inner;
                free
            }
            None => {
                self.inners.push(inner);
                self.inners.len() as u32 - 1
            }
        }
    }

    fn first_leaf(&self, node: u32, height: usize) -> u32 {
        if height == 0 { node } else { self.inners[node as usize].first_leaves[0] }
    }

    /// Removes the element of this number.
    pub fn remove(&mut self, number: usize) -> Option<T> {
        if number >= self.length {
            return None;
        }
        self.length -= 1;
        let removed = self.remove_below(self.root, self.height, number);
        while self.height > 0 && self.inners[self.root as usize].children.len() == 1 {
            let root = self.root;
            self.root = self.inners[root as usize].children[0];
            self.free_inner(root);
            self.height -= 1;
        }
        Some(removed)
    }

    fn remove_below(&mut self, node: u32, height: usize, number: usize) -> T {
        if height == 0 {
            return self.leaves[node as usize].remove(number);
        }
        let (place, within) = self.inners[node as usize].locate(number, false);
        let child = self.inners[node as usize].children[place];
        let removed = self.remove_below(child, height - 1, within);
        self.inners[node as usize].counts[place] -= 1;
        self.tidy(node, height - 1, place);
        removed
    }

    /// Merges a small child with a neighbour, or takes elements of it over, and notes the leftmost leaves again.
    ///
    /// So a node has never less than two children, and a leaf below an inner node is never empty.
    fn tidy(&mut self, node: u32, height: usize, place: usize) {
        let (size, capacity) = (self.size(self.inners[node as usize].children[place], height), capacity(height));
        let left = place.saturating_sub(1);
        if size < capacity / 4 && self.inners[node as usize].children.len() > 1 {
            let children = &self.inners[node as usize].children;
            let (first, second) = (children[left], children[left + 1]);
            self.merge(first, second, height);
            let inner = &mut self.inners[node as usize];
            inner.counts[left] += inner.counts[left + 1];
            inner.remove(left + 1);
            if self.size(first, height) > capacity * 3 / 4 {
                let (right, count) = self.halve(first, height);
                let first_leaf = self.first_leaf(right, height);
                let inner = &mut self.inners[node as usize];
                inner.counts[left] -= count;
                inner.insert(left + 1, right, count, first_leaf);
            }
        }
        for at in left..=place {
            if let Some(child) = self.inners[node as usize].children.get(at).copied() {
                self.inners[node as usize].first_leaves[at] = self.first_leaf(child, height);
            }
        }
    }

    /// Moves half of a node to a new one: its number and its elements.
    fn halve(&mut self, node: u32, height: usize) -> (u32, usize) {
        let middle = self.size(node, height) / 2;
        if height == 0 {
            let right = self.leaves[node as usize].split_off(middle);
            let count = right.len();
            return (self.new_leaf(right), count);
        }
        let right = self.inners[node as usize].split_off(middle);
        let count = right.counts.iter().sum();
        (self.new_inner(right), count)
    }

    fn size(&self, node: u32, height: usize) -> usize {
        if height == 0 { self.leaves[node as usize].len() } else { self.inners[node as usize].children.len() }
    }

    /// Appends the second node to the first one.
    fn merge(&mut self, first: u32, second: u32, height: usize) {
        if height == 0 {
            let mut moved = std::mem::take(&mut self.leaves[second as usize]);
            self.leaves[first as usize].append(&mut moved);
            self.free_leaves.push(second);
        } else {
            let mut moved = std::mem::take(&mut self.inners[second as usize]);
            let inner = &mut self.inners[first as usize];
            inner.children.append(&mut moved.children);
            inner.counts.append(&mut moved.counts);
            inner.first_leaves.append(&mut moved.first_leaves);
            self.free_inners.push(second);
        }
    }

    fn free_inner(&mut self, node: u32) {
        self.inners[node as usize] = Inner::default();
        self.free_inners.push(node);
    }
}

fn capacity(height: usize) -> usize {
    if height == 0 { LEAF_CAPACITY } else { INNER_CAPACITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 16) as usize
    }

    /// Every element by number, and the leftmost leaves, agree with a vector.
    fn assert_same(tree: &CountedTree<usize>, model: &[usize]) {
        assert_eq!(tree.len(), model.len());
        for (number, element) in model.iter().enumerate() {
            assert_eq!(tree.get(number), Some(element));
        }
        assert_eq!(tree.get(model.len()), None);
    }

    #[test]
    fn sequences_are_those_of_a_vector() {
        for seed in 1..6 {
            let (mut tree, mut model, mut state) = (CountedTree::default(), Vec::new(), seed * 7919);
            for step in 0..6000 {
                // Grows, shrinks to nothing, grows again.
                let grows = (step / 1500) % 2 == 0;
                if random(&mut state) % 4 < if grows { 3 } else { 1 } {
                    let number = random(&mut state) % (model.len() + 1);
                    tree.insert(number, step);
                    model.insert(number, step);
                } else if !model.is_empty() {
                    let number = random(&mut state) % model.len();
                    assert_eq!(tree.remove(number), Some(model.remove(number)));
                }
                if step % 500 == 0 {
                    assert_same(&tree, &model);
                }
            }
            assert_same(&tree, &model);
            while !model.is_empty() {
                assert_eq!(tree.remove(0), Some(model.remove(0)));
            }
            assert_same(&tree, &model);
        }
    }

    #[test]
    fn sorted_sequences_are_searched() {
        let (mut tree, mut model, mut state) = (CountedTree::default(), Vec::new(), 99);
        for _ in 0..8000 {
            let value = random(&mut state) % 3000;
            let point = model.partition_point(|other| *other < value);
            assert_eq!(tree.partition_point(|other| *other < value), point);
            if !random(&mut state).is_multiple_of(3) {
                tree.insert(point, value);
                model.insert(point, value);
            } else if point < model.len() {
                assert_eq!(tree.remove(point), Some(model.remove(point)));
            }
        }
        assert_same(&tree, &model);
    }

    #[test]
    fn ascending_elements_fill_the_nodes() {
        let mut tree = CountedTree::default();
        (0..100_000).for_each(|value| tree.insert(value, value));
        assert!(tree.leaves.len() < 1700, "{}", tree.leaves.len());
        assert_eq!((tree.get(54_321), tree.partition_point(|value| *value < 777)), (Some(&54_321), 777));
    }
}
