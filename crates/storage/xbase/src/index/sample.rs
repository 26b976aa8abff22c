//! Samples of a tag's keys, without assumptions on their order: they serve to detect it.
//!
//! Pages are visited level by level from the root down, so that branches give keys from all over a large tree before its
//! leaves are read. Within a page keys follow each other, and so do the last and the first key of neighbouring leaves of a
//! CDX or IDX.

use super::node::{Format, Node};
use super::tag::Tag;
use super::tree::Reading;
use mainstay_types::Result;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// A key of a page.
#[derive(Clone, Copy, Debug)]
pub struct Sampled<'k> {
    /// Its bytes.
    pub key: &'k [u8],
    /// Its record; none in branches, whose keys are copies.
    pub record: Option<u32>,
    /// True if the tree has the key that was handed out before directly in front of this one.
    pub follows: bool,
}

impl Tag {
    /// Returns true if the tree is in descending order.
    pub fn is_falling(&self) -> bool {
        self.tree.layout.falling
    }

    /// Hands out the keys of up to `most_pages` pages until `visit` breaks.
    ///
    /// Errors: those of reading; what was handed out before is in the tag.
    pub fn sample(&self, most_pages: usize, visit: &mut dyn FnMut(Sampled<'_>) -> ControlFlow<()>) -> Result<()> {
        let (mut waiting, mut was_leaf) = (VecDeque::from([self.tree.root]), false);
        for _ in 0..most_pages {
            let Some(page) = waiting.pop_front() else { return Ok(()) };
            let bytes = self.tree.load(page, Reading::Ahead)?;
            let node = self.tree.node(page, &bytes)?;
            let mut follows = node.is_leaf() && was_leaf;
            was_leaf = node.is_leaf();
            let has_records = node.has_records();
            let mut key = vec![0; self.tree.layout.key_len];
            let flow = node.each((0, node.count()), &mut key, |record, key| {
                let sampled = Sampled { key, record: has_records.then_some(record), follows };
                follows = true;
                visit(sampled)
            });
            if flow.map_err(|reason| self.tree.damaged(page, reason))?.is_break() {
                return Ok(());
            }
            self.children(page, &node, &mut waiting)?;
        }
        Ok(())
    }

    fn children(&self, page: u32, node: &Node<'_>, waiting: &mut VecDeque<u32>) -> Result<()> {
        let layout = &self.tree.layout;
        let count = if node.is_leaf() { 0 } else { node.count() + usize::from(layout.format == Format::Ntx) };
        for index in 0..count {
            let child = node.child(index).and_then(|pointer| pointer.map(|p| layout.page_number(p)).transpose());
            let child = child.map_err(|reason| self.tree.damaged(page, reason))?;
            waiting.extend(child.filter(|child| (1..self.tree.pages.count()).contains(child)));
        }
        Ok(())
    }
}
