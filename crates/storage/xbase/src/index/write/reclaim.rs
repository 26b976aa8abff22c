//! Unused pages of a file without a list of free pages, found by a walk over its trees.
//!
//! Nothing in an ADI says which pages are unused, so those that one process frees are lost to the next. Before such a file
//! grows, its trees are walked, and pages that no tree reaches are used first:
//!
//! ```text
//!   pages     header | directory | headers of tags | trees | changed and not written yet | rest: unused
//! ```
//! **Cost.** A walk reads all branches and two bytes of each leaf. It is made at the first page that an open file needs, and
//! only where the number of pages is a multiple of a 256th of itself; then again when the file has grown by an eighth. So
//! unused pages stay below that share, and the walks cost little beside the writes that make a file grow.
//!
//! **Safety.** A walk that finds an inconsistency (a page reached twice, leaves at different depths, a page outside the
//! file) reclaims nothing.

use super::bag::BagWriter;
use super::node::Shape;
use super::store::{Content, PageStore, Slot};
use crate::index::header::{BagKind, COMPACT_HEADER_LEN};
use crate::index::node::short;
use mainstay_types::Result;

/// Growth without a walk, as a share of the file.
const SHARE: u32 = 256;

/// Pages by which a file grows at least between two walks of one process.
const LEAST_GROWTH: u32 = 16;

/// The trees of a file whose unused pages can be found, and its headers.
#[derive(Debug, Default)]
pub(super) struct Reachable {
    /// Shape and root of each tree; none while the trees are being changed as a whole.
    pub(super) trees: Vec<(Shape, u32)>,
    /// The first page of each header.
    pub(super) headers: Vec<u32>,
    /// The file is not walked before it has this many pages.
    pub(super) not_before: u32,
}

/// The pages that were met on a walk.
struct Seen(Vec<bool>);

impl Seen {
    /// Notes a page; false if the file does not have it, or it was noted before.
    fn add(&mut self, page: u32) -> bool {
        match self.0.get_mut(page as usize) {
            Some(seen) => !std::mem::replace(seen, true),
            None => false,
        }
    }
}

impl PageStore {
    /// Puts unused pages on the list of free ones in memory, if it is time to look for them.
    pub(super) fn reclaim(&mut self) -> Result<()> {
        let is_due = self.end >= self.reachable.not_before && self.end.is_multiple_of(self.end / SHARE + 1);
        if self.reachable.trees.is_empty() || !is_due {
            return Ok(());
        }
        self.reachable.not_before = self.end + (self.end / 8).max(LEAST_GROWTH);
        let Some(seen) = self.walk()? else { return Ok(()) };
        let Some((shape, _)) = self.reachable.trees.first().copied() else { return Ok(()) };
        // The lowest page comes first.
        for page in (1..self.end).rev().filter(|page| !seen.0[*page as usize]) {
            let content = Content::Free(self.free);
            self.set_slot(page, Some(Box::new(Slot { content, shape, stage: None })));
            self.free = page;
        }
        Ok(())
    }

    /// The pages that are in use; `None` if that is not certain.
    fn walk(&mut self) -> Result<Option<Seen>> {
        let mut seen = Seen(vec![false; self.end as usize]);
        let header_pages = (COMPACT_HEADER_LEN / self.page_len()).max(1) as u32;
        for first in self.reachable.headers.clone() {
            if !(first..first + header_pages).all(|page| seen.add(page)) {
                return Ok(None);
            }
        }
        for (shape, root) in self.reachable.trees.clone() {
            if !self.walk_tree(&shape, root, &mut seen)? {
                return Ok(None);
            }
        }
        for page in 0..self.end {
            // Pages of the operation that is under way may not be in a tree yet.
            if self.slot(page).is_some_and(|slot| slot.stage.is_some()) {
                seen.add(page);
            }
        }
        Ok(Some(seen))
    }

    fn walk_tree(&mut self, shape: &Shape, root: u32, seen: &mut Seen) -> Result<bool> {
        let mut level = vec![root];
        loop {
            if !level.iter().all(|page| seen.add(*page)) {
                return Ok(false);
            }
            let leaves = self.count_leaves(&level)?;
            if leaves == level.len() {
                return Ok(true);
            }
            if leaves > 0 {
                return Ok(false);
            }
            let mut below = Vec::new();
            for page in level {
                below.extend_from_slice(&self.node(shape, page)?.children);
            }
            if below.is_empty() {
                return Ok(false);
            }
            level = below;
        }
    }

    /// The number of leaves among these pages: bit 1 of their attributes.
    fn count_leaves(&self, pages: &[u32]) -> Result<usize> {
        let mut leaves = 0;
        for page in pages {
            let is_leaf = match self.slot(*page).map(|slot| &slot.content) {
                Some(Content::Node(node)) => node.is_leaf,
                Some(Content::Free(_)) => return Ok(0),
                None => {
                    let mut attribute = [0; 2];
                    self.file.read_exact_at(&mut attribute, u64::from(*page) * self.page_len() as u64)?;
                    short(&attribute, 0).is_some_and(|attribute| attribute & 2 != 0)
                }
            };
            leaves += usize::from(is_leaf);
        }
        Ok(leaves)
    }
}

impl BagWriter {
    /// Tells the pages which trees there are, before a change of one key; only of a file without a list of free pages.
    pub(super) fn note_reachable(&mut self) {
        if self.spec.kind != BagKind::Adi || self.store.free != 0 {
            return;
        }
        let page_len = self.spec.page_len as u64;
        let reachable = &mut self.store.reachable;
        reachable.trees.clear();
        reachable.headers.clear();
        reachable.headers.push(0);
        for tag in &self.tags {
            reachable.trees.push((tag.tree.shape, tag.tree.root));
            reachable.headers.push(u32::try_from(tag.header.header_offset / page_len).unwrap_or(u32::MAX));
        }
        reachable.trees.extend(self.directory.iter().map(|tree| (tree.shape, tree.root)));
    }

    /// No change of one key is under way.
    pub(super) fn forget_reachable(&mut self) {
        self.store.reachable.trees.clear();
    }
}
