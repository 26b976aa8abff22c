//! An index file open for writing.
//!
//! **The header's counter.** CDX and NTX have an update counter, which Harbour raises whenever it releases its lock,
//! and by which it detects writes of other programs. [`BagWriter::flush`] raises it too. [`BagWriter::begin`] compares
//! the counter, the first free page and the root with the known ones, and the file's stamp besides, because FoxPro and
//! users of plain IDX files raise no counter. Where the stamp of a file without a counter is too young to prove
//! anything, its pages are read again. For an NTX, whose writers all raise the counter, own writes are distinguished
//! from others' by their time (`state.rs`).

use super::mixed::Mixed;
use super::node::Shape;
use super::ranked::{self, Ranked};
use super::refusal::check_writable;
use super::spec::{self, BagSpec};
use super::state::KnownStamp;
use super::store::PageStore;
use crate::index::bag::{Bag, layout_of};
use crate::index::header::{BagKind, NTX_PAGE_LEN, TagHeader};
use crate::index::key::KeyType;
use crate::index::node::{Format, NO_PAGE};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{File, Stamp, WritableFile};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Bytes at the start of a file that say whether another program changed it.
pub(super) const HEAD_LEN: usize = 16;

/// An index file open for writing. See the first comment of this module's parent for the way to use it.
#[derive(Debug)]
pub struct BagWriter {
    pub(super) spec: BagSpec,
    pub(super) store: PageStore,
    /// The tree of the tags' names in a CDX.
    pub(super) directory: Option<TreePlace>,
    pub(super) tags: Vec<TagState>,
    /// The file's first bytes as they are in it.
    pub(super) head: [u8; HEAD_LEN],
    pub(super) known: KnownStamp,
    /// True if every later change would have changed the stamp.
    is_settled: bool,
    /// Somebody wrote without raising the counter.
    has_uncounted: bool,
    /// The list of tags in a compound NTX is to be written.
    pub(super) list_changed: bool,
    /// A flush failed: the file is between two states.
    failed: bool,
    /// The number of times that the file was read again because other programs wrote.
    pub(super) reloads: u64,
}

/// Where a tree is and how it looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreePlace {
    pub(super) shape: Shape,
    pub(super) root: u32,
}

/// A tag of an open file.
#[derive(Clone, Debug)]
pub(super) struct TagState {
    pub(super) header: Arc<TagHeader>,
    pub(super) key_type: Option<KeyType>,
    pub(super) tree: TreePlace,
    /// The root that the header in the file names.
    pub(super) stored_root: u32,
}

/// The way out where the definition of a tag is damaged: it cannot be built anew, and the others can.
pub(super) const DAMAGED_TAG_HINT: &str =
    "drop the damaged tag and create it again (DROP INDEX, CREATE INDEX), or run mainstay check --repair";

/// The result of [`BagWriter::replace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The old key was there and was taken out.
    pub removed: bool,
    /// The new key was put in.
    pub added: bool,
}

impl BagWriter {
    /// Opens an index file for writing. Before a tag is written to, it needs its [`BagWriter::set_key_type`].
    ///
    /// Errors: as [`Bag::open`], and `IndexDamaged` if any tag's header is damaged: that tag could not be maintained.
    pub fn open(file: Arc<dyn WritableFile>) -> Result<BagWriter> {
        let now = SystemTime::now();
        let reading: Arc<dyn File> = Arc::clone(&file) as Arc<dyn File>;
        let bag = Bag::open(reading)?;
        if let Some((_, error)) = bag.broken_tags().first() {
            let hint = match error.code() {
                Code::Unsupported => "change the table with the program that keeps the index, or remove the index",
                _ => DAMAGED_TAG_HINT,
            };
            return Err(error.clone().hint(hint));
        }
        let spec = BagSpec::of(&bag, &*file)?;
        let stamp = bag.stamp();
        let end = u32::try_from(stamp.len.div_ceil(spec.page_len as u64)).unwrap_or(NO_PAGE);
        let head = read_head(&*file)?;
        let free = spec::free_page(&spec, &head, end);
        let mut store = PageStore::new(Arc::clone(&file), spec.page_len, !spec.pointers_are_pages, end, free);
        let directory = bag
            .directory
            .as_ref()
            .map(|tree| TreePlace { shape: Shape { layout: tree.layout, max_items: 0, tree: 0 }, root: tree.root });
        let mut tags = Vec::with_capacity(bag.tags().len());
        for header in bag.tags() {
            tags.push(tag_state(&spec, header, &*file)?);
        }
        store.roots = tags.iter().map(|tag: &TagState| tag.stored_root).collect();
        Ok(BagWriter {
            directory,
            tags,
            is_settled: stamp.is_settled(now),
            ..BagWriter::of(spec, store, head, KnownStamp::of(stamp))
        })
    }

    /// A file that was just made, of which nothing is written yet.
    pub(super) fn new(spec: BagSpec, store: PageStore, head: [u8; HEAD_LEN]) -> Result<BagWriter> {
        let known = KnownStamp::of(store.file.stamp()?);
        Ok(BagWriter::of(spec, store, head, known))
    }

    /// One that has no tags yet.
    fn of(spec: BagSpec, store: PageStore, head: [u8; HEAD_LEN], known: KnownStamp) -> BagWriter {
        BagWriter {
            spec,
            store,
            directory: None,
            tags: Vec::new(),
            head,
            known,
            is_settled: false,
            has_uncounted: false,
            list_changed: false,
            failed: false,
            reloads: 0,
        }
    }

    /// The kind of file.
    pub fn kind(&self) -> BagKind {
        self.spec.kind
    }

    /// The layout of the file: the specification for another file of its kind.
    pub fn spec(&self) -> BagSpec {
        self.spec
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.store.file.path()
    }

    /// The definitions of the tags. Numbers of tags are places in this list; they change when a tag is added or
    /// dropped, here or (seen by [`BagWriter::begin`]) elsewhere.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &TagHeader> {
        self.tags.iter().map(|tag| &*tag.header)
    }

    /// The number of the tag with this name, in whatever case.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.tags.iter().position(|tag| tag.header.name.eq_ignore_ascii_case(name))
    }

    /// Says of which type the keys of a tag are, which only its key expression knows; made from the tag's definition.
    pub fn set_key_type(&mut self, tag: usize, key_type: KeyType) -> Result<()> {
        let state = self.tag_mut(tag)?;
        if key_type.key_len() != state.header.key_length {
            let message = format!("tag {}: keys of {} bytes are not its keys", state.header.name, key_type.key_len());
            return Err(Error::new(Code::Internal, message));
        }
        let differs = |before: KeyType| before.pad() != key_type.pad() || before.order() != key_type.order();
        let had_other = state.key_type.replace(key_type).is_some_and(differs);
        (state.tree.shape.layout.pad, state.tree.shape.layout.order) = (key_type.pad(), key_type.order());
        // Pages taken apart under the wrong pad byte would be measured wrongly, and their order would not be checked.
        if had_other { self.store.forget_unchanged() } else { Ok(()) }
    }

    /// Keeps at most about this many bytes of pages in memory, changed ones aside; 64 MB unless told otherwise.
    pub fn keep_at_most(&mut self, bytes: usize) {
        self.store.keep_at_most(bytes);
    }

    /// Returns true if each change is written by itself, as beside others: then leaves are kept as they are in the
    /// file, too.
    pub(crate) fn keep_images(&mut self, keeps: bool) {
        self.store.keeps_images = keeps;
    }

    fn tag_mut(&mut self, tag: usize) -> Result<&mut TagState> {
        self.tags.get_mut(tag).ok_or_else(|| no_such_tag(tag))
    }

    /// To be called with the index's lock in hand, before changes: notices what other programs did to the file since
    /// the last flush. Gives whether pages and definitions were read again, because others wrote or may have written;
    /// then numbers of tags may be others, and tags that are new need their type. Costs a read of 16 bytes when nothing
    /// happened, and a stamp now and then.
    ///
    /// Errors: `Conflict` when there are changes that were not flushed and the file was changed meanwhile, which
    /// means that they were made without the lock: [`BagWriter::discard`] them.
    pub fn begin(&mut self) -> Result<bool> {
        self.check_usable()?;
        let now = SystemTime::now();
        let is_counted_same = read_head(&*self.store.file)? == self.head;
        if is_counted_same && self.known.is_too_young_to_ask() {
            return Ok(false);
        }
        let stamp = self.store.file.stamp()?;
        if is_counted_same && self.known.is(stamp) && (self.has_counter() || self.is_settled || self.is_changed()) {
            self.is_settled |= stamp.is_settled(now);
            self.known = KnownStamp::of(stamp);
            return Ok(false);
        }
        if self.is_changed() {
            let message = "another program wrote to the index while changes were kept back";
            return Err(Error::new(Code::Conflict, message).at(self.path().display()));
        }
        self.has_uncounted |= is_counted_same;
        self.reload()?;
        Ok(true)
    }

    /// Returns true if every program that writes such a file raises its counter.
    fn has_counter(&self) -> bool {
        self.spec.is_ntx() || self.spec.by_harbour
    }

    /// Returns true if programs that raise no counter do not write such a file at all. FoxPro writes a CDX that Harbour
    /// has made.
    fn is_always_counted(&self) -> bool {
        self.spec.is_ntx()
    }

    /// Returns true if there are changes that are not in the file.
    pub fn is_changed(&self) -> bool {
        self.list_changed || self.store.is_changed() || self.tags.iter().any(|tag| tag.tree.root != tag.stored_root)
    }

    /// Forgets all changes since the last flush.
    pub fn discard(&mut self) -> Result<()> {
        self.check_usable()?;
        self.reload()
    }

    fn reload(&mut self) -> Result<()> {
        let mut new = BagWriter::open(Arc::clone(&self.store.file))?;
        for tag in 0..new.tags.len() {
            let header = &new.tags[tag].header;
            let same = |old: &&TagState| old.header.name == header.name && old.header.key_bytes == header.key_bytes;
            let old = self.tags.iter().find(same).and_then(|old| old.key_type);
            if let Some(key_type) = old.filter(|key_type| key_type.key_len() == header.key_length) {
                new.set_key_type(tag, key_type)?;
            }
        }
        new.keep_at_most(self.store.limit_bytes());
        new.keep_images(self.store.keeps_images);
        (new.reloads, new.has_uncounted) = (self.reloads + 1, self.has_uncounted);
        *self = new;
        Ok(())
    }

    /// The file was just written as a whole: this is the state that others will be compared with.
    pub(super) fn reopen_stamp(&mut self) -> Result<()> {
        self.known = KnownStamp::of(self.store.file.stamp()?);
        self.is_settled = false;
        Ok(())
    }

    /// Fails where the file is not known: before it is changed, and before tags are added or dropped.
    pub(super) fn check_usable(&self) -> Result<()> {
        if self.failed {
            let message = "an earlier write to this index failed, and what is in the file is not known";
            return Err(Error::new(Code::IndexDamaged, message).at(self.path().display()).hint("reindex the table"));
        }
        Ok(())
    }

    /// Adds the key of a record. False if nothing was added: the entry is there already, or the tag is unique and
    /// lists another record with this key.
    ///
    /// Errors: `UniqueViolation` if the tag is a candidate key and another record has it; `IndexDamaged` when a page
    /// on the way contradicts itself. After an error nothing is changed.
    pub fn insert(&mut self, tag: usize, key: &[u8], record: u32) -> Result<bool> {
        self.operate(tag, key, record, |change| change.insert(key, record))
    }

    /// The same, but a candidate key that another record has is added, too.
    pub fn insert_repeated(&mut self, tag: usize, key: &[u8], record: u32) -> Result<bool> {
        self.operate(tag, key, record, |it| match it.header.candidate && !it.contains(key, record)? {
            true => it.tree.insert(it.store, key, record),
            false => it.insert(key, record),
        })
    }

    /// Takes out the key of a record. False if it was not there: in a tag that lists every record, that means that
    /// the index did not belong to the table.
    pub fn delete(&mut self, tag: usize, key: &[u8], record: u32) -> Result<bool> {
        self.operate(tag, key, record, |change| change.delete(key, record))
    }

    /// Takes out one key of a record and adds another; with equal keys, sees to it that the key is there. Both happen
    /// or, after an error, neither.
    pub fn replace(&mut self, tag: usize, old: &[u8], new: &[u8], record: u32) -> Result<Replaced> {
        self.operate(tag, new, record, |change| {
            if old.len() != new.len() {
                return Err(super::wrong_key(old, record, new.len()));
            }
            let removed = old != new && change.delete(old, record)?;
            Ok(Replaced { removed, added: change.insert(new, record)? })
        })
    }

    /// Returns true if the tag lists this record under this key.
    pub fn contains(&mut self, tag: usize, key: &[u8], record: u32) -> Result<bool> {
        self.operate(tag, key, record, |change| change.contains(key, record))
    }

    /// Visits the entries of a tag, those not yet written included, page by page: keys and records of the leaves (of all
    /// pages in an NTX), in no particular order. At most so many pages are looked at; `Break` ends it. A page that is not
    /// in the order of bytes is `IndexDamaged`.
    pub(crate) fn visit_pages(
        &mut self,
        tag: usize,
        most_pages: usize,
        visit: &mut dyn FnMut(&[u8], u32) -> ControlFlow<()>,
    ) -> Result<()> {
        self.check_usable()?;
        let state = self.tags.get(tag).ok_or_else(|| no_such_tag(tag))?;
        check_writable(state)?;
        let TreePlace { shape, root } = state.tree;
        let (mut waiting, mut seen) = (vec![root], 0);
        while let Some(page) = waiting.pop() {
            seen += 1;
            if seen > most_pages.min(self.store.end as usize) {
                return Ok(());
            }
            let node = self.store.node(&shape, page)?;
            if node.is_leaf || shape.is_ntx() {
                for (index, record) in node.records.iter().enumerate() {
                    if visit(node.key(&shape, index), *record).is_break() {
                        return Ok(());
                    }
                }
            }
            waiting.extend(node.children.iter().rev().filter(|child| **child != 0));
        }
        Ok(())
    }

    fn operate<T>(
        &mut self,
        tag: usize,
        key: &[u8],
        record: u32,
        action: impl FnOnce(&mut Change<'_>) -> Result<T>,
    ) -> Result<T> {
        self.check_usable()?;
        self.note_reachable();
        let state = self.tags.get_mut(tag).ok_or_else(|| no_such_tag(tag))?;
        check_writable(state)?;
        if key.len() != state.header.key_length || record == 0 {
            return Err(super::wrong_key(key, record, state.header.key_length));
        }
        self.store.begin();
        let mut tree = state.tree;
        let done = action(&mut Change { store: &mut self.store, tree: &mut tree, header: &state.header });
        let ended = match done {
            Ok(done) => {
                self.store.commit();
                state.tree = tree;
                Ok(done)
            }
            Err(error) => {
                self.store.roll_back();
                Err(error)
            }
        };
        self.forget_reachable();
        ended
    }

    /// Writes all changes since the last flush: pages, then headers with a raised update counter. The bytes are in
    /// the operating system's hands then; [`BagWriter::sync`] waits for the disk.
    pub fn flush(&mut self) -> Result<()> {
        self.check_usable()?;
        if !self.is_changed() {
            return Ok(());
        }
        let now = SystemTime::now();
        let written = self.write_all();
        self.failed = written.is_err();
        written?;
        if self.is_always_counted() && !self.has_uncounted && self.known.wrote() {
            self.is_settled = false;
            return Ok(());
        }
        let is_unique = !self.has_counter() && self.store.file.set_unique_time()?;
        let stamp = self.store.file.stamp()?;
        self.known = KnownStamp::of(stamp);
        self.is_settled = is_unique || stamp.is_settled(now);
        Ok(())
    }

    /// Returns true if the file is in the state that was written or read last, if this is its stamp now.
    pub(crate) fn knows(&self, stamp: Stamp) -> bool {
        self.known == KnownStamp::of(stamp) && self.is_settled
    }

    /// Flushes, and returns when everything is on the disk.
    pub fn sync(&mut self) -> Result<()> {
        self.flush()?;
        let synced = self.store.file.sync();
        self.failed |= synced.is_err();
        synced
    }

    fn write_all(&mut self) -> Result<()> {
        self.store.write_changes()?;
        let file = Arc::clone(&self.store.file);
        let free = self.pointer_to_free(self.store.free);
        let end = self.spec.pointer(self.store.end).to_le_bytes();
        let root = self.tags.first().map_or(0, |tag| self.spec.pointer(tag.tree.root)).to_le_bytes();
        let head = &mut self.head;
        let written = match self.spec.kind {
            // No list of free pages and no counter, and roots stay where they are.
            BagKind::Adi => 0..0,
            BagKind::Cdx | BagKind::CompactIdx => {
                let counter = u32::from_be_bytes([head[8], head[9], head[10], head[11]]);
                spec::put(head, 4, &free);
                spec::put(head, 8, &counter.wrapping_add(1).to_be_bytes());
                4..12
            }
            BagKind::PlainIdx => {
                spec::put(head, 0, &root);
                spec::put(head, 4, &free);
                spec::put(head, 8, &end);
                0..12
            }
            BagKind::Ntx => {
                let version = u16::from_le_bytes([head[2], head[3]]);
                spec::put(head, 2, &version.wrapping_add(1).to_le_bytes());
                spec::put(head, 4, &root);
                spec::put(head, 8, &free);
                0..12
            }
            BagKind::CompoundNtx => {
                let version = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
                spec::put(head, 4, &version.wrapping_add(1).to_le_bytes());
                spec::put(head, 8, &free);
                spec::put(head, 12, &end);
                0..HEAD_LEN
            }
        };
        if self.spec.kind == BagKind::CompoundNtx {
            self.write_tag_roots(&*file)?;
        }
        if !written.is_empty() {
            file.write_at(&self.head[written.clone()], written.start as u64)?;
        }
        for tag in &mut self.tags {
            tag.stored_root = tag.tree.root;
        }
        self.store.roots.clear();
        self.store.roots.extend(self.tags.iter().map(|tag| tag.stored_root));
        Ok(())
    }

    /// In a compound NTX each tag's own header names its root, and the file's header lists the tags.
    fn write_tag_roots(&mut self, file: &dyn WritableFile) -> Result<()> {
        for tag in &self.tags {
            if tag.tree.root != tag.stored_root {
                let root = self.spec.pointer(tag.tree.root).to_le_bytes();
                file.write_at(&root, tag.header.header_offset + 4)?;
            }
        }
        if self.list_changed {
            let mut list = vec![0; NTX_PAGE_LEN - HEAD_LEN];
            for (item, tag) in list.chunks_exact_mut(16).zip(&self.tags) {
                spec::put(item, 0, &tag.header.name_bytes[..tag.header.name_bytes.len().min(11)]);
                let page = (tag.header.header_offset / NTX_PAGE_LEN as u64) as u32;
                spec::put(item, 12, &self.spec.pointer(page).to_le_bytes());
            }
            spec::put(&mut self.head, 2, &(self.tags.len() as u16).to_le_bytes());
            file.write_at(&list, HEAD_LEN as u64)?;
            self.list_changed = false;
        }
        Ok(())
    }
}

/// One operation on one tag.
struct Change<'c> {
    store: &'c mut PageStore,
    tree: &'c mut TreePlace,
    header: &'c TagHeader,
}

impl Change<'_> {
    fn insert(&mut self, key: &[u8], record: u32) -> Result<bool> {
        if (self.header.unique || self.header.candidate) && self.holds_key(key)? {
            if self.header.candidate && !self.contains(key, record)? {
                return Err(ranked::duplicate(&self.header.name));
            }
            return Ok(false);
        }
        self.tree.insert(self.store, key, record)
    }

    fn delete(&mut self, key: &[u8], record: u32) -> Result<bool> {
        self.tree.delete(self.store, key, record)
    }

    fn holds_key(&mut self, key: &[u8]) -> Result<bool> {
        let TreePlace { shape, root } = *self.tree;
        match shape.is_ntx() {
            true => Mixed::new(self.store, shape, root).holds_key(key),
            false => Ranked::new(self.store, shape, root).holds_key(key),
        }
    }

    fn contains(&mut self, key: &[u8], record: u32) -> Result<bool> {
        let TreePlace { shape, root } = *self.tree;
        match shape.is_ntx() {
            true => Mixed::new(self.store, shape, root).contains(key, record),
            false => Ranked::new(self.store, shape, root).contains(key, record),
        }
    }
}

impl TreePlace {
    /// Adds an entry to the tree; its root may move.
    pub(super) fn insert(&mut self, store: &mut PageStore, key: &[u8], record: u32) -> Result<bool> {
        if !self.shape.is_ntx() {
            return Ranked::new(store, self.shape, self.root).insert(key, record);
        }
        let mut tree = Mixed::new(store, self.shape, self.root);
        let added = tree.insert(key, record)?;
        self.root = tree.root;
        Ok(added)
    }

    /// Takes an entry out of the tree; its root may move.
    pub(super) fn delete(&mut self, store: &mut PageStore, key: &[u8], record: u32) -> Result<bool> {
        if !self.shape.is_ntx() {
            return Ranked::new(store, self.shape, self.root).delete(key, record);
        }
        let mut tree = Mixed::new(store, self.shape, self.root);
        let removed = tree.delete(key, record)?;
        self.root = tree.root;
        Ok(removed)
    }

    /// Frees every page of the tree.
    pub(super) fn release_all(&self, store: &mut PageStore) -> Result<()> {
        match self.shape.is_ntx() {
            true => Mixed::new(store, self.shape, self.root).release_all(),
            false => Ranked::new(store, self.shape, self.root).release_all(),
        }
    }
}

#[cold]
fn no_such_tag(tag: usize) -> Error {
    Error::new(Code::Internal, format!("there is no tag number {tag}"))
}

fn read_head(file: &dyn WritableFile) -> Result<[u8; HEAD_LEN]> {
    let mut head = [0; HEAD_LEN];
    file.read_exact_at(&mut head, 0)?;
    Ok(head)
}

/// A tag of an open file, as its header describes it.
pub(super) fn tag_state(spec: &BagSpec, header: &Arc<TagHeader>, file: &dyn WritableFile) -> Result<TagState> {
    let layout = layout_of(header, None, spec.page_len);
    let mut max_items = 0;
    if layout.format == Format::Ntx {
        let mut bytes = [0; 2];
        file.read_exact_at(&mut bytes, header.header_offset + 18)?;
        max_items = usize::from(u16::from_le_bytes(bytes));
    }
    let damaged = |reason: &str| {
        let place = format!("tag {}", header.name);
        Error::new(Code::IndexDamaged, reason.to_owned()).at(place).at(file.path().display())
    };
    let root = layout.page_number(header.root).map_err(|reason| damaged(&reason))?;
    let shape = Shape { layout, max_items, tree: header.header_offset };
    let tree = TreePlace { shape, root };
    Ok(TagState { header: Arc::clone(header), key_type: None, tree, stored_root: root })
}
