//! The pages of an index file under change.
//!
//! Pages are read on demand, unpacked, changed in memory and written together by
//! [`PageStore::write_changes`]. Nothing reaches the file before.
//!
//! **One operation.** Between [`PageStore::begin`] and [`PageStore::commit`] the state of every page before its change
//! is saved; [`PageStore::roll_back`] restores it. So an operation that fails by a damaged page, a full file or a read
//! error leaves no trace.
//!
//! **The order of writing.** Another program may read while we write, and the power may fail; no format has a
//! journal. The order makes the time short in which a reader could miss a key:
//!
//! ```text
//!   1 pages that are new        nothing leads to them yet
//!   2 pages that only gained    a key may be there twice, which harms no reader
//!   3 branches                  now lead to the new pages
//!   4 pages that gave away      their keys are found elsewhere by now
//!   5 pages that became free    nothing leads to them any more
//!   6 headers                   (the caller's) root, first free page, update counter
//! ```
//!
//! When a batch of operations is written at once, a page is in the last of its classes.

use super::node::{Shape, Unpacked};
use super::pack::Bits;
use super::reclaim::Reachable;
use crate::index::node::{Format, NO_PAGE, long, short};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::WritableFile;
use std::sync::Arc;

/// When a changed page is written; see the module's first comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    New,
    Grown,
    Branch,
    Shrunk,
    Free,
}

/// The known contents of a page.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Node(Unpacked),
    /// A free page, and the one after it in the list.
    Free(u32),
}

#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) content: Content,
    pub(super) shape: Shape,
    /// When to write it, if it was changed.
    pub(super) stage: Option<Stage>,
}

impl Slot {
    /// About the memory that it takes.
    fn bytes(&self) -> usize {
        let node = match &self.content {
            Content::Node(node) => {
                let image = node.image.as_ref().map_or(0, |image| image.bytes().len());
                node.keys.capacity() + 4 * (node.records.capacity() + node.children.capacity()) + image
            }
            Content::Free(_) => 0,
        };
        size_of::<Slot>() + node
    }
}

/// Bytes of pages that are kept without need, unless told otherwise.
const KEPT_BYTES: usize = 64 << 20;

/// The pages of one file.
#[derive(Debug)]
pub(crate) struct PageStore {
    pub(crate) file: Arc<dyn WritableFile>,
    page_len: usize,
    /// True if pointers are 32 bits of bytes, which end at 4 GB.
    counts_bytes: bool,
    /// The known state of each page, by the page's number.
    slots: Vec<Option<Box<Slot>>>,
    /// About the bytes that these take, and how many there may be before pages that were only read are forgotten.
    kept_bytes: usize,
    trim_at: usize,
    limit_bytes: usize,
    /// Each change is written by itself, so leaves are kept as they are in the file beside what they hold.
    pub(crate) keeps_images: bool,
    changed: Vec<u32>,
    /// Pages of the file, those that are not written yet included.
    pub(crate) end: u32,
    /// The first free page, 0 if there is none.
    pub(crate) free: u32,
    /// Roots, which are in use even when they look free: an NTX of no keys has an empty page.
    pub(crate) roots: Vec<u32>,
    /// Finds unused pages in a file without a list of them.
    pub(super) reachable: Reachable,
    undo: Undo,
    /// Room for pages that are written at once.
    run: Vec<u8>,
}

/// The state before an operation, to undo it.
#[derive(Debug, Default)]
struct Undo {
    /// True if an operation is under way.
    is_open: bool,
    steps: Vec<Step>,
    /// The keys that were taken out of pages, one after the other.
    keys: Vec<u8>,
    end: u32,
    free: u32,
    changed: usize,
}

/// A change of a page. The inverse operation undoes one key added to or removed from a leaf, or replaced in a branch,
/// which is cheaper than a copy; every other change has a copy of the page.
#[derive(Debug)]
enum Step {
    Whole { page: u32, slot: Option<Box<Slot>> },
    Inserted { page: u32, index: usize, bits: Bits, stage: Option<Stage> },
    Removed { page: u32, index: usize, record: u32, stage: Option<Stage> },
    Replaced { page: u32, index: usize, record: u32, stage: Option<Stage> },
}

impl Undo {
    /// Returns true if there is a copy of a page already, which undoes all later changes to it.
    fn has_copy(&self, page: u32) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Whole { page: copied, .. } if *copied == page))
    }
}

impl PageStore {
    /// The pages of a file of `end` pages, of which `free` is the first free one.
    pub(crate) fn new(
        file: Arc<dyn WritableFile>,
        page_len: usize,
        counts_bytes: bool,
        end: u32,
        free: u32,
    ) -> PageStore {
        PageStore {
            file,
            page_len,
            counts_bytes,
            slots: Vec::new(),
            kept_bytes: 0,
            trim_at: KEPT_BYTES,
            limit_bytes: KEPT_BYTES,
            keeps_images: false,
            changed: Vec::new(),
            end,
            free,
            roots: Vec::new(),
            reachable: Reachable::default(),
            undo: Undo::default(),
            run: Vec::new(),
        }
    }

    /// Returns true if there is something to write.
    pub(crate) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Keeps about this many bytes of pages that were only read.
    pub(crate) fn keep_at_most(&mut self, bytes: usize) {
        (self.limit_bytes, self.trim_at) = (bytes, bytes);
    }

    /// The limit set by [`PageStore::keep_at_most`].
    pub(crate) fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    /// Forgets pages that were only read when there are many, between two operations.
    fn trim(&mut self) {
        if self.kept_bytes < self.trim_at {
            return;
        }
        for slot in &mut self.slots {
            if slot.as_ref().is_some_and(|slot| slot.stage.is_none()) {
                *slot = None;
            }
        }
        self.kept_bytes = self.slots.iter().flatten().map(|slot| slot.bytes()).sum();
        self.trim_at = self.limit_bytes.max(2 * self.kept_bytes);
    }

    /// Forgets all pages that were read and not changed; an error if some were changed.
    pub(crate) fn forget_unchanged(&mut self) -> Result<()> {
        if self.is_changed() {
            return Err(Error::new(Code::Internal, "pages were changed before their keys' type was known"));
        }
        self.slots.clear();
        self.kept_bytes = 0;
        Ok(())
    }

    #[inline]
    pub(super) fn slot(&self, page: u32) -> Option<&Slot> {
        self.slots.get(page as usize)?.as_deref()
    }

    #[inline]
    pub(super) fn slot_mut(&mut self, page: u32) -> Option<&mut Slot> {
        self.slots.get_mut(page as usize)?.as_deref_mut()
    }

    pub(super) fn set_slot(&mut self, page: u32, slot: Option<Box<Slot>>) -> Option<Box<Slot>> {
        let place = page as usize;
        if place >= self.slots.len() {
            self.slots.resize_with((place + 1).max(self.end as usize), || None);
        }
        self.kept_bytes += slot.as_ref().map_or(0, |slot| slot.bytes());
        let before = std::mem::replace(&mut self.slots[place], slot);
        // A node has grown since it was counted, so this may take off too much; `trim` counts anew.
        self.kept_bytes = self.kept_bytes.saturating_sub(before.as_ref().map_or(0, |slot| slot.bytes()));
        before
    }

    /// Bytes of a page.
    pub(crate) fn page_len(&self) -> usize {
        self.page_len
    }

    /// An error about a page.
    #[cold]
    pub(crate) fn damaged(&self, page: u32, reason: impl Into<String>) -> Error {
        let offset = u64::from(page) * self.page_len as u64;
        let error = Error::new(Code::IndexDamaged, reason).at(format_args!("page at byte {offset}"));
        error.at(self.file.path().display()).hint("reindex the table")
    }

    /// The node in a page.
    #[inline]
    pub(crate) fn node(&mut self, shape: &Shape, page: u32) -> Result<&Unpacked> {
        if self.slot(page).is_none() {
            self.load(shape, page)?;
        }
        match self.slot(page) {
            Some(Slot { content: Content::Node(node), shape: own, .. }) if own.tree == shape.tree => Ok(node),
            _ => Err(self.wrong_page(page)),
        }
    }

    #[cold]
    fn wrong_page(&self, page: u32) -> Error {
        self.damaged(page, "the page belongs to another tree, or is free")
    }

    /// The node in a page, to be changed and then written at this stage.
    pub(crate) fn edit(&mut self, shape: &Shape, page: u32, stage: Stage) -> Result<&mut Unpacked> {
        self.node(shape, page)?;
        self.save(page);
        self.mark(page, stage);
        let node = self.node_mut(page)?;
        node.image = None;
        Ok(node)
    }

    /// Puts one key into the leaf in a page; in an NTX, into a page, with no child behind it.
    pub(crate) fn insert_key(&mut self, shape: &Shape, at: (u32, usize), key: &[u8], record: u32) -> Result<()> {
        let (page, index) = at;
        let bits = self.node(shape, page)?.bits;
        let stage = self.mark(page, Stage::Grown);
        if !self.undo.has_copy(page) {
            self.undo.steps.push(Step::Inserted { page, index, bits, stage });
        }
        self.node_mut(page)?.insert_childless(shape, index, key, record);
        Ok(())
    }

    /// Takes one key out of the leaf in a page; in an NTX, out of a page, with no child in front of it.
    pub(crate) fn remove_key(&mut self, shape: &Shape, at: (u32, usize)) -> Result<()> {
        let (page, index) = at;
        self.node(shape, page)?;
        let stage = self.mark(page, Stage::Grown);
        if !self.undo.has_copy(page) {
            let mut keys = std::mem::take(&mut self.undo.keys);
            let node = self.node_mut(page)?;
            keys.extend_from_slice(node.key(shape, index));
            let record = node.records[index];
            self.undo.keys = keys;
            self.undo.steps.push(Step::Removed { page, index, record, stage });
        }
        self.node_mut(page)?.remove_childless(shape, index, index);
        Ok(())
    }

    /// Gives an item of a branch another key and record; its child stays.
    pub(crate) fn replace_key(&mut self, shape: &Shape, at: (u32, usize), key: &[u8], record: u32) -> Result<()> {
        let (page, index) = at;
        self.node(shape, page)?;
        let stage = self.mark(page, Stage::Branch);
        let has_copy = self.undo.has_copy(page);
        let mut keys = std::mem::take(&mut self.undo.keys);
        let node = self.node_mut(page)?;
        if !has_copy {
            keys.extend_from_slice(node.key(shape, index));
        }
        let before = node.records[index];
        node.set_item(shape, index, key, record);
        self.undo.keys = keys;
        if !has_copy {
            self.undo.steps.push(Step::Replaced { page, index, record: before, stage });
        }
        Ok(())
    }

    /// Notes that a page is to be written, and gives how it was noted before.
    fn mark(&mut self, page: u32, stage: Stage) -> Option<Stage> {
        let slot = self.slots.get_mut(page as usize)?.as_deref_mut()?;
        let before = slot.stage;
        match before {
            None => {
                slot.stage = Some(stage);
                self.changed.push(page);
            }
            // A page without references may be written first, whatever happened to it since.
            Some(Stage::New) => {}
            Some(before) => slot.stage = Some(before.max(stage)),
        }
        before
    }

    fn node_mut(&mut self, page: u32) -> Result<&mut Unpacked> {
        match self.slot_mut(page) {
            Some(Slot { content: Content::Node(node), .. }) => Ok(node),
            _ => Err(missing(page)),
        }
    }

    #[cold]
    fn load(&mut self, shape: &Shape, page: u32) -> Result<()> {
        if page == 0 || page >= self.end {
            return Err(self.damaged(page, "the page lies outside the file"));
        }
        let mut buffer = [0; 1024];
        let mut long_buffer = Vec::new();
        let bytes = match buffer.get_mut(..self.page_len) {
            Some(bytes) => bytes,
            None => {
                long_buffer.resize(self.page_len, 0);
                &mut long_buffer[..]
            }
        };
        self.file.read_exact_at(bytes, u64::from(page) * self.page_len as u64)?;
        let node = Unpacked::decode(shape, bytes, self.end, self.keeps_images);
        let node = node.map_err(|reason| self.damaged(page, reason))?;
        self.set_slot(page, Some(Box::new(Slot { content: Content::Node(node), shape: *shape, stage: None })));
        Ok(())
    }

    /// Keeps a page as it is now, once in an operation.
    fn save(&mut self, page: u32) {
        if self.undo.is_open && !self.undo.has_copy(page) {
            let slot = self.slot(page).map(|slot| Box::new(slot.clone()));
            self.undo.steps.push(Step::Whole { page, slot });
        }
    }

    /// Begins an operation.
    pub(crate) fn begin(&mut self) {
        self.commit();
        self.trim();
        let (end, free, changed) = (self.end, self.free, self.changed.len());
        let Undo { steps, keys, .. } = std::mem::take(&mut self.undo);
        self.undo = Undo { is_open: true, steps, keys, end, free, changed };
    }

    /// Ends an operation that succeeded.
    pub(crate) fn commit(&mut self) {
        self.undo.is_open = false;
        self.undo.steps.clear();
        self.undo.keys.clear();
    }

    /// Undoes an operation that failed, its last step first.
    pub(crate) fn roll_back(&mut self) {
        let mut undo = std::mem::take(&mut self.undo);
        (self.end, self.free) = (undo.end, undo.free);
        self.changed.truncate(undo.changed);
        while let Some(step) = undo.steps.pop() {
            match step {
                Step::Whole { page, slot } => drop(self.set_slot(page, slot)),
                Step::Inserted { page, index, bits, stage: before } => {
                    if let Some(Slot { content: Content::Node(node), shape, stage }) = self.slot_mut(page) {
                        node.remove_childless(shape, index, index + 1);
                        // The new record may have made all entries longer.
                        node.used -= (node.bits.entry_len - bits.entry_len) * node.count();
                        (node.bits, *stage) = (bits, before);
                    }
                }
                Step::Removed { page, index, record, stage: before } => {
                    if let Some(Slot { content: Content::Node(node), shape, stage }) = self.slot_mut(page) {
                        let key = undo.keys.split_off(undo.keys.len() - shape.key_len());
                        node.insert_childless(shape, index, &key, record);
                        *stage = before;
                    }
                }
                Step::Replaced { page, index, record, stage: before } => {
                    if let Some(Slot { content: Content::Node(node), shape, stage }) = self.slot_mut(page) {
                        let key = undo.keys.split_off(undo.keys.len() - shape.key_len());
                        node.set_item(shape, index, &key, record);
                        *stage = before;
                    }
                }
            }
        }
    }

    /// A page for a new node: a free one, or one behind the end of the file.
    pub(crate) fn allocate(&mut self, shape: &Shape, node: Unpacked) -> Result<u32> {
        if self.free == 0 {
            self.reclaim()?;
        }
        let page = match self.take_free(shape)? {
            Some(page) => page,
            None => self.extend(1)?,
        };
        self.save(page);
        let before = self.slot(page).and_then(|slot| slot.stage);
        // The file still refers to pages that were freed since the last write.
        let stage = if before.is_some() { Stage::Shrunk } else { Stage::New };
        if before.is_none() {
            self.changed.push(page);
        }
        let slot = Slot { content: Content::Node(node), shape: *shape, stage: Some(stage) };
        self.set_slot(page, Some(Box::new(slot)));
        Ok(page)
    }

    /// The first of some pages behind the end of the file.
    pub(crate) fn extend(&mut self, pages: u32) -> Result<u32> {
        let first = self.end;
        let end = first.checked_add(pages).filter(|end| {
            let len = u64::from(*end) * self.page_len as u64;
            *end < NO_PAGE && (!self.counts_bytes || len <= u64::from(NO_PAGE))
        });
        let Some(end) = end else {
            let message = "the index file would be larger than its pointers can reach";
            return Err(Error::new(Code::Unsupported, message).at(self.file.path().display()));
        };
        self.end = end;
        Ok(first)
    }

    /// The first page of the list of free pages, if it is one. A list that another program keeps in a form of its own
    /// is left alone, and so is one that leads into the trees: the file grows then, and nothing is lost.
    fn take_free(&mut self, shape: &Shape) -> Result<Option<u32>> {
        let page = self.free;
        let next = self.free_after(shape, page)?;
        if let Some(next) = next {
            self.free = next;
        }
        Ok(next.map(|_| page))
    }

    /// The page of the list behind this one (0 at its end), if this is a free page.
    pub(super) fn free_after(&self, shape: &Shape, page: u32) -> Result<Option<u32>> {
        if page == 0 || page >= self.end || self.roots.contains(&page) {
            return Ok(None);
        }
        let next = match self.slot(page) {
            Some(Slot { content: Content::Free(next), .. }) => Some(*next),
            Some(_) => None,
            None => self.read_free(shape, page)?,
        };
        Ok(next.filter(|next| *next < self.end && *next != page))
    }

    /// Discards the cached contents of a page.
    pub(super) fn forget(&mut self, page: u32) {
        if self.slot(page).is_some() {
            self.set_slot(page, None);
        }
    }

    /// Writes a free page at once.
    pub(super) fn write_free(&mut self, shape: &Shape, page: u32, next: u32) -> Result<()> {
        let mut bytes = vec![0; self.page_len];
        encode_free(shape, next, &mut bytes)?;
        self.file.write_at(&bytes, u64::from(page) * self.page_len as u64)
    }

    /// The page after a free page, if these are the bytes of a free page.
    fn read_free(&self, shape: &Shape, page: u32) -> Result<Option<u32>> {
        let mut bytes = vec![0; self.page_len];
        self.file.read_exact_at(&mut bytes, u64::from(page) * self.page_len as u64)?;
        let pointer = if shape.layout.format == Format::Ntx {
            let first = short(&bytes, 2).and_then(|offset| long(&bytes, usize::from(offset)));
            first.filter(|_| short(&bytes, 0) == Some(0))
        } else {
            long(&bytes, 0).filter(|_| bytes[4..].iter().all(|byte| *byte == 0))
        };
        Ok(pointer.and_then(|pointer| match pointer {
            0 | NO_PAGE => Some(0),
            pointer => shape.layout.page_number(pointer).ok(),
        }))
    }

    /// Puts a page on the list of free pages.
    pub(crate) fn release(&mut self, shape: &Shape, page: u32) {
        self.save(page);
        let slot = Slot { content: Content::Free(self.free), shape: *shape, stage: Some(Stage::Free) };
        self.free = page;
        let before = self.set_slot(page, Some(Box::new(slot)));
        if before.is_none_or(|before| before.stage.is_none()) {
            self.changed.push(page);
        }
    }

    /// Writes all changed pages; headers are the caller's. After an error any of them may be written.
    pub(crate) fn write_changes(&mut self) -> Result<()> {
        let slots = &mut self.slots;
        let mut pages = std::mem::take(&mut self.changed);
        let stage_of = |page: &u32| slots.get(*page as usize)?.as_ref()?.stage;
        pages.sort_unstable_by_key(|page| (stage_of(page), *page));
        let fits = |page: &u32| match slots.get(*page as usize).and_then(Option::as_deref) {
            Some(Slot { content: Content::Node(node), shape, .. }) => node.fits(shape),
            _ => true,
        };
        if let Some(page) = pages.iter().find(|page| !fits(page)) {
            // Before anything is written.
            return Err(Error::new(Code::Internal, format!("the node in page {page} is too large for it")));
        }
        let mut run = std::mem::take(&mut self.run);
        run.clear();
        let mut run_start = 0u64;
        // Of one record's changes; what is written by many records at once is not soon written again.
        let are_few = pages.len() <= FEW_PAGES;
        for page in pages.drain(..) {
            let Some(slot) = slots.get_mut(page as usize).and_then(Option::as_deref_mut) else { continue };
            slot.stage = None;
            let offset = u64::from(page) * self.page_len as u64;
            if offset != run_start + run.len() as u64 || run.len() >= RUN_LEN {
                write_run(&*self.file, &run, run_start)?;
                run.clear();
                run_start = offset;
            }
            let start = run.len();
            run.resize(start + self.page_len, 0);
            match &mut slot.content {
                Content::Node(node) if are_few => node.encode_again(&slot.shape, &mut run[start..])?,
                Content::Node(node) => node.encode(&slot.shape, &mut run[start..])?,
                Content::Free(next) => encode_free(&slot.shape, *next, &mut run[start..])?,
            }
        }
        write_run(&*self.file, &run, run_start)?;
        if run.capacity() <= KEPT_RUN {
            self.run = run;
        }
        self.changed = pages;
        Ok(())
    }
}

/// So many pages the change of a record writes mostly.
const FEW_PAGES: usize = 32;

/// Bytes that are written at once.
const RUN_LEN: usize = 256 << 10;

/// The room for them that is kept for the next time.
const KEPT_RUN: usize = 16 << 10;

fn write_run(file: &dyn WritableFile, run: &[u8], start: u64) -> Result<()> {
    if run.is_empty() { Ok(()) } else { file.write_at(run, start) }
}

/// A free page: the pointer to the next one in its first bytes; in an NTX it is the child of an item that is not.
fn encode_free(shape: &Shape, next: u32, page: &mut [u8]) -> Result<()> {
    if shape.is_ntx() {
        return Unpacked { children: vec![next], ..Unpacked::default() }.encode(shape, page);
    }
    page[..4].copy_from_slice(&shape.pointer(next, 0).to_le_bytes());
    Ok(())
}

#[cold]
fn missing(page: u32) -> Error {
    Error::new(Code::Internal, format!("page {page} is not in memory"))
}
