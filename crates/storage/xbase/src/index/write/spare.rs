//! Free pages for a tree that is built at once, so that a file does not grow with every rebuilt tag.
//!
//! Pages of such a tree are written before anything leads to them, and so before the list of free pages in the file is.
//! They are taken off that list first: a program that is killed during a build leaves unused pages, but none that are
//! used twice.
//!
//! ```text
//!   header     -> free 7 -> free 9 -> free 4 -> end
//!   taken      7, 9 and 4: the header says that there is none
//!   built      7 and 9 hold the tree, 4 is put on the list again with the next writing
//!   failed     the list in the file is what it was
//! ```
//! Pages freed since the last write are not reused: the file still refers to them.

use super::bag::BagWriter;
use super::node::Shape;
use super::spec;
use super::store::{Content, PageStore};
use crate::index::node::NO_PAGE;
use mainstay_types::Result;
use std::collections::{BTreeSet, VecDeque};

/// Pages that were taken off the list of free ones.
#[derive(Debug, Default)]
pub(crate) struct Spares {
    /// Those that are not used yet, in ascending order.
    pages: VecDeque<u32>,
    /// All of them, in the order of the list.
    taken: Vec<u32>,
    /// The page of the list behind them, 0 if they were its end.
    rest: u32,
    /// The page that led to the first, if that became free since the last writing.
    before: Option<u32>,
}

impl Spares {
    /// A page, the lowest first.
    pub(super) fn page(&mut self) -> Option<u32> {
        self.pages.pop_front()
    }

    /// So many pages in a row.
    pub(super) fn row(&mut self, length: u32) -> Option<u32> {
        let wanted = length as usize;
        let follows =
            |at: usize| (0..wanted).all(|next| self.pages.get(at + next) == Some(&(self.pages[at] + next as u32)));
        let at = (0..(self.pages.len() + 1).saturating_sub(wanted)).find(|at| follows(*at))?;
        let first = self.pages[at];
        self.pages.drain(at..at + wanted);
        Some(first)
    }
}

impl PageStore {
    /// Takes pages off the list of free ones that is in the file, at most so many.
    fn take_spares(&mut self, shape: &Shape, most: usize) -> Result<Spares> {
        let mut spares = Spares { rest: self.free, ..Spares::default() };
        while let Some((Content::Free(next), true)) =
            self.slot(spares.rest).map(|slot| (&slot.content, slot.stage.is_some()))
        {
            (spares.before, spares.rest) = (Some(spares.rest), *next);
        }
        let mut seen = BTreeSet::new();
        while spares.taken.len() < most
            && let Some(next) = self.free_after(shape, spares.rest)?
            && seen.insert(spares.rest)
        {
            spares.taken.push(spares.rest);
            spares.rest = next;
        }
        self.lead_to(spares.before, spares.rest);
        spares.taken.iter().for_each(|page| self.forget(*page));
        spares.pages = spares.taken.iter().copied().collect();
        spares.pages.make_contiguous().sort_unstable();
        Ok(spares)
    }

    /// Has the list go on with this page behind one that became free just now, or begin with it.
    fn lead_to(&mut self, before: Option<u32>, page: u32) {
        match before.and_then(|before| self.slot_mut(before)) {
            Some(slot) => slot.content = Content::Free(page),
            None => self.free = page,
        }
    }
}

impl BagWriter {
    /// The pointer to the first free page in the file's header; 0 without free pages.
    pub(super) fn pointer_to_free(&self, page: u32) -> [u8; 4] {
        if !self.spec.dialect().lists_free_pages() {
            return [0; 4];
        }
        let none = if self.spec.by_harbour || self.spec.is_ntx() { 0 } else { NO_PAGE };
        if page == 0 { none.to_le_bytes() } else { self.spec.pointer(page).to_le_bytes() }
    }

    /// Writes that alone and at once.
    fn write_first_free(&mut self, page: u32) -> Result<()> {
        let (at, pointer) = (self.spec.free_at(), self.pointer_to_free(page));
        spec::put(&mut self.head, at, &pointer);
        self.store.file.write_at(&pointer, at as u64)
    }

    /// Takes free pages for a tree of about so many bytes.
    pub(super) fn take_spares(&mut self, shape: &Shape, bytes: u64) -> Result<Spares> {
        if self.spec.is_single() || self.store.free == 0 {
            return Ok(Spares::default());
        }
        // Half full at least, with its branches and header.
        let most = usize::try_from(bytes / (self.spec.page_len as u64 / 2)).unwrap_or(usize::MAX).saturating_add(16);
        let spares = self.store.take_spares(shape, most)?;
        if !spares.taken.is_empty() {
            self.write_first_free(spares.rest)?;
        }
        Ok(spares)
    }

    /// The tree is built: what was not used of them is free again.
    pub(super) fn end_spares(&mut self, shape: &Shape, spares: Spares) {
        for page in spares.pages.into_iter().rev() {
            self.store.release(shape, page);
        }
    }

    /// The tree is not built: the list is as it was, here and in the file.
    pub(super) fn put_spares_back(&mut self, shape: &Shape, spares: Spares) -> Result<()> {
        let Some(first) = spares.taken.first().copied() else { return Ok(()) };
        let next = spares.taken.iter().skip(1).copied().chain([spares.rest]);
        for (page, next) in spares.taken.iter().zip(next) {
            self.store.write_free(shape, *page, next)?;
        }
        self.store.lead_to(spares.before, first);
        self.write_first_free(first)
    }
}
