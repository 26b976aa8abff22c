//! Tree views: elements are paths, and each step of a path is a node (manual, `directives/list_box`, "Tree View List Boxes").
//!
//! Loading `a/b/c` with the delimiter `/` makes the nodes `a`, `a/b` and `a/b/c` unless they exist. Siblings are sorted by name,
//! or keep their order of arrival with `OPT="q"`. An element's index is its place among all nodes from top to bottom, those of
//! collapsed branches included; the face shows the nodes whose ancestors are all expanded.

use crate::error::{MEMORY, Result, ScreenError};
use std::collections::HashMap;

/// The most nodes of a tree.
const MOST_NODES: usize = 1 << 20;
/// The most steps of a path.
const DEEPEST: usize = 64;

/// One node. Node 0 is the root, which is not shown.
#[derive(Clone, Debug, Default)]
struct Node {
    name: Vec<u8>,
    parent: usize,
    children: Vec<usize>,
    expanded: bool,
}

/// A node as a face shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch<'t> {
    /// Its name without its parents.
    pub name: &'t [u8],
    /// The number of its ancestors.
    pub depth: u8,
    /// `None` for a leaf, else whether its children are shown.
    pub expanded: Option<bool>,
}

/// A tree of named nodes.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    by_name: HashMap<(usize, Vec<u8>), usize>,
    sorted: bool,
    /// All nodes from top to bottom, without the root; empty when it has to be made again.
    order: Vec<usize>,
    /// The places in `order` of the nodes that are shown.
    shown: Vec<usize>,
}

impl Tree {
    /// An empty tree.
    pub fn new(sorted: bool) -> Tree {
        let root = Node { expanded: true, ..Node::default() };
        Tree { nodes: vec![root], by_name: HashMap::new(), sorted, order: Vec::new(), shown: Vec::new() }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Adds the nodes of a path. Errors: 31 for too many nodes; steps beyond 64 are one.
    pub fn add(&mut self, path: &[u8], delimiter: u8) -> Result<()> {
        let mut at = 0;
        for step in path.splitn(DEEPEST, |byte| *byte == delimiter).filter(|step| !step.is_empty()) {
            at = match self.by_name.get(&(at, step.to_vec())) {
                Some(child) => *child,
                None => self.add_child(at, step)?,
            };
        }
        Ok(())
    }

    fn add_child(&mut self, parent: usize, name: &[u8]) -> Result<usize> {
        if self.nodes.len() > MOST_NODES {
            return Err(ScreenError::new(MEMORY, "A tree has no more than 1,048,576 elements"));
        }
        let child = self.nodes.len();
        let siblings = self.nodes.get(parent).map(|node| node.children.as_slice()).unwrap_or_default();
        let name_of = |child: usize| self.nodes.get(child).map(|node| node.name.as_slice()).unwrap_or_default();
        let place = match self.sorted {
            true => siblings.partition_point(|sibling| name_of(*sibling) < name),
            false => siblings.len(),
        };
        self.nodes.push(Node { name: name.to_vec(), parent, ..Node::default() });
        if let Some(node) = self.nodes.get_mut(parent) {
            node.children.insert(place, child);
        }
        self.by_name.insert((parent, name.to_vec()), child);
        self.order.clear();
        Ok(child)
    }

    /// Brings the order of nodes up to date.
    pub fn arrange(&mut self) {
        if !self.order.is_empty() || self.by_name.is_empty() {
            return;
        }
        self.shown.clear();
        let mut stack: Vec<(usize, bool)> = self.children(0).rev().map(|child| (child, true)).collect();
        while let Some((at, visible)) = stack.pop() {
            if visible {
                self.shown.push(self.order.len());
            }
            self.order.push(at);
            let visible = visible && self.nodes.get(at).is_some_and(|node| node.expanded);
            let children: Vec<usize> = self.children(at).rev().collect();
            stack.extend(children.into_iter().map(|child| (child, visible)));
        }
    }

    fn children(&self, at: usize) -> impl DoubleEndedIterator<Item = usize> {
        self.nodes.get(at).map(|node| node.children.iter().copied()).into_iter().flatten()
    }

    /// The full path of the element at an index from 0, with the delimiter behind each step.
    pub fn path(&self, index: usize, delimiter: u8) -> Option<Vec<u8>> {
        let mut at = *self.order.get(index)?;
        let mut steps = Vec::new();
        while at != 0 {
            let node = self.nodes.get(at)?;
            steps.push(node.name.as_slice());
            at = node.parent;
        }
        let mut path = Vec::new();
        for step in steps.into_iter().rev() {
            path.extend_from_slice(step);
            path.push(delimiter);
        }
        Some(path)
    }

    /// The index of a path, with or without the delimiter at its end.
    pub fn find(&self, path: &[u8], delimiter: u8) -> Option<usize> {
        let mut at = 0;
        for step in path.splitn(DEEPEST, |byte| *byte == delimiter).filter(|step| !step.is_empty()) {
            at = *self.by_name.get(&(at, step.to_vec()))?;
        }
        self.order.iter().position(|node| *node == at)
    }

    /// Removes the element at an index with its branch and returns whether it existed.
    pub fn remove(&mut self, index: usize) -> bool {
        let Some(at) = self.order.get(index).copied() else { return false };
        let parent = self.nodes.get(at).map_or(0, |node| node.parent);
        if let Some(node) = self.nodes.get_mut(parent) {
            node.children.retain(|child| *child != at);
        }
        // The nodes of the branch stay in the vector, unreachable, until the list is cleared.
        let mut stack = vec![at];
        while let Some(at) = stack.pop() {
            stack.extend(self.children(at));
            if let Some(node) = self.nodes.get(at) {
                self.by_name.remove(&(node.parent, node.name.clone()));
            }
        }
        self.order.clear();
        self.arrange();
        true
    }

    /// The number of nodes that are shown.
    pub fn shown(&self) -> usize {
        if self.by_name.is_empty() { 0 } else { self.shown.len() }
    }

    /// The index of a shown node.
    pub fn index_of_shown(&self, row: usize) -> Option<usize> {
        self.shown.get(row).copied()
    }

    /// The row in which an element is shown.
    pub fn row_of(&self, index: usize) -> Option<usize> {
        self.shown.binary_search(&index).ok()
    }

    /// A node that is shown.
    pub fn branch(&self, row: usize) -> Option<Branch<'_>> {
        let at = *self.order.get(self.index_of_shown(row)?)?;
        let node = self.nodes.get(at)?;
        let mut depth = 0_u8;
        let mut parent = node.parent;
        while parent != 0 {
            depth = depth.saturating_add(1);
            parent = self.nodes.get(parent)?.parent;
        }
        let expanded = (!node.children.is_empty()).then_some(node.expanded);
        Some(Branch { name: &node.name, depth, expanded })
    }

    /// Shows or hides the children of a shown node.
    pub fn toggle(&mut self, row: usize) {
        let at = self.index_of_shown(row).and_then(|index| self.order.get(index)).copied();
        if let Some(node) = at.and_then(|at| self.nodes.get_mut(at)) {
            node.expanded = !node.expanded;
            self.order.clear();
            self.arrange();
        }
    }

    /// Expands all ancestors of an element.
    pub fn reveal(&mut self, index: usize) {
        let Some(mut at) = self.order.get(index).copied() else { return };
        while at != 0 {
            at = self.nodes.get(at).map_or(0, |node| node.parent);
            if let Some(node) = self.nodes.get_mut(at) {
                node.expanded = true;
            }
        }
        self.order.clear();
        self.arrange();
    }

    /// Removes all nodes.
    pub fn clear(&mut self) {
        *self = Tree::new(self.sorted);
    }
}
