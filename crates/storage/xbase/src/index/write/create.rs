//! Creation of files and tags, and removal of tags.
//!
//! A tree is built in free pages (`spare.rs`) and behind the end of the file, and its header written in front of it; nothing
//! leads there until the directory does, which [`BagWriter::flush`] writes. So a build that fails leaves the file as it was
//! for everyone.
//! A new file is whole when [`BagWriter::create`] returns; until then its first bytes are zeros, which no program
//! takes for an index.

use super::bag::{BagWriter, HEAD_LEN, TreePlace};
use super::bulk::build_tree;
use super::node::{Shape, Unpacked};
use super::sort::KeySorter;
use super::spare::Spares;
use super::spec::{self, BagSpec, TagSpec};
use super::store::PageStore;
use crate::collation::KeyOrder;
use crate::index::dialect::CompactDialect;
use crate::index::header::{
    self, BagKind, COMPACT_HEADER_LEN, NODE_LEN, NTX_COMPOUND, NTX_LARGE, NTX_MAX_TAGS, NTX_PAGE_LEN, Paging, TagHeader,
};
use crate::index::key::KeyType;
use crate::index::node::{Format, Layout};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::WritableFile;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A tag that is to be built: the bytes of its header, except for where its root will be.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) name: Vec<u8>,
    pub(super) header: Vec<u8>,
    pub(super) key_type: KeyType,
}

impl Plan {
    /// The plan of a tag that is specified.
    pub(super) fn of(spec: &TagSpec, bag: &BagSpec) -> Result<Plan> {
        let key_type = spec.key_type(bag)?;
        let name = spec.name.to_ascii_uppercase().into_bytes();
        Ok(Plan { name, header: spec.header_bytes(bag, 0)?, key_type })
    }
}

/// A callback that gets the number of a tag's keys added to its tree so far.
pub(super) type Counting<'p> = &'p mut dyn FnMut(u64) -> ControlFlow<()>;

impl BagWriter {
    /// Makes a file of these tags, each from its keys; what the file held before is gone. A CDX or compound NTX may
    /// have any number of tags, the other kinds have one.
    ///
    /// Everything is written when this returns, and not synced. Where a file of this name is in use, make another one
    /// and rename it, as [`super::reindex`] does.
    pub fn create(
        file: Arc<dyn WritableFile>,
        bag: &BagSpec,
        tags: impl IntoIterator<Item = (TagSpec, KeySorter)>,
    ) -> Result<BagWriter> {
        let mut plans = Vec::new();
        for (spec, keys) in tags {
            plans.push((Plan::of(&spec, bag)?, keys));
        }
        if bag.is_single() && plans.len() != 1 {
            let message = format!("a file of this kind holds one tag, not {}", plans.len());
            return Err(Error::new(Code::Unsupported, message).at(file.path().display()));
        }
        if plans.len() > most_tags(bag) {
            return Err(too_many_tags(bag).at(file.path().display()));
        }
        let mut writer = BagWriter::begin_file(file, bag, None)?;
        for (plan, keys) in plans {
            writer.build(&plan, keys, &mut |_| ControlFlow::Continue(()))?;
        }
        writer.end_file()?;
        Ok(writer)
    }

    /// Empties a file and prepares it for tags. `old` is the header of the file that it will replace, whose unknown
    /// fields it keeps.
    pub(super) fn begin_file(file: Arc<dyn WritableFile>, bag: &BagSpec, old: Option<&[u8]>) -> Result<BagWriter> {
        bag.check()?;
        file.set_len(0)?;
        let header_pages = header_pages(bag);
        let mut store = PageStore::new(Arc::clone(&file), bag.page_len, !bag.pointers_are_pages, header_pages, 0);
        let mut head = [0; HEAD_LEN];
        let mut directory = None;
        match bag.kind {
            BagKind::Cdx | BagKind::Adi => {
                let shape = Shape { layout: directory_layout(bag), max_items: 0, tree: 0 };
                let leaf = Unpacked { is_root: true, ..Unpacked::leaf(&shape, 0) };
                let root = store.allocate(&shape, leaf)?;
                let mut bytes = spec::directory_bytes(bag, bag.pointer(root));
                if let Some(old) = old {
                    if bag.kind == BagKind::Adi {
                        // The version of the file and the word of its collation.
                        [8..12, 20..24].into_iter().for_each(|at| bytes[at.clone()].copy_from_slice(&old[at]));
                    }
                    keep_unknown(&mut bytes, old);
                }
                file.write_at(&bytes[HEAD_LEN..], HEAD_LEN as u64)?;
                head.copy_from_slice(&bytes[..HEAD_LEN]);
                directory = Some(TreePlace { shape, root });
            }
            BagKind::CompoundNtx => {
                let flags = NTX_COMPOUND | if bag.pointers_are_pages { NTX_LARGE } else { 0 };
                spec::put(&mut head, 0, &flags.to_le_bytes());
                file.write_at(&[0; NTX_PAGE_LEN - HEAD_LEN], HEAD_LEN as u64)?;
            }
            BagKind::CompactIdx | BagKind::PlainIdx | BagKind::Ntx => {}
        }
        let mut writer = BagWriter::new(*bag, store, head)?;
        writer.directory = directory;
        writer.list_changed = bag.kind == BagKind::CompoundNtx;
        Ok(writer)
    }

    /// Writes what makes a new file an index: its pages, and at last its first bytes.
    pub(super) fn end_file(&mut self) -> Result<()> {
        for tag in &mut self.tags {
            // Their headers are in place; a root that is said to have moved makes the flush write the file's head.
            tag.stored_root = 0;
        }
        self.flush()?;
        // A flush leaves out the bytes of the head that it has no reason to change.
        let head = self.head;
        self.store.file.write_at(&head, 0)?;
        self.reopen_stamp()
    }

    /// Adds a tag to a CDX or compound NTX from its keys. It is in the file for others after [`BagWriter::flush`].
    /// `progress` is told from time to time how many keys are in the tree, and may stop the build.
    ///
    /// Errors: `Duplicate` if there is a tag of this name; `Unsupported` if the file cannot hold another tag.
    pub fn add_tag(
        &mut self,
        spec: &TagSpec,
        keys: KeySorter,
        progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<usize> {
        if self.spec.is_single() || self.tags.len() >= most_tags(&self.spec) {
            return Err(too_many_tags(&self.spec).at(self.path().display()));
        }
        if self.find(&spec.name).is_some() {
            let message = format!("there is a tag {} already", spec.name);
            return Err(Error::new(Code::Duplicate, message).at(self.path().display()));
        }
        self.check_usable()?;
        let plan = Plan::of(spec, &self.spec)?;
        self.build(&plan, keys, progress)
    }

    /// Builds a tag and puts it on the list.
    pub(super) fn build(&mut self, plan: &Plan, keys: KeySorter, progress: Counting<'_>) -> Result<usize> {
        if keys.key_len() != plan.key_type.key_len() {
            return Err(Error::new(Code::Internal, "the keys were sorted for another tag"));
        }
        let end = self.store.end;
        let built = self.build_behind_end(plan, keys, progress);
        if built.is_err() {
            self.store.end = end;
        }
        built
    }

    fn build_behind_end(&mut self, plan: &Plan, keys: KeySorter, progress: Counting<'_>) -> Result<usize> {
        // Any page will do as the root of a header that is only read for its definition.
        let header = self.definition(plan, 0)?;
        let shape = self.shape_of(&header, plan, 0);
        let bytes = keys.len().saturating_mul(keys.key_len() as u64 + 8);
        let mut spares = self.take_spares(&shape, bytes)?;
        let built = self.build_in(plan, (keys, &mut spares), progress);
        match &built {
            Ok(_) => self.end_spares(&shape, spares),
            // The first error is the one to report; pages that could not be put back are lost to the file, and no more.
            Err(_) => drop(self.put_spares_back(&shape, spares)),
        }
        built
    }

    fn build_in(
        &mut self,
        plan: &Plan,
        (keys, spares): (KeySorter, &mut Spares),
        progress: Counting<'_>,
    ) -> Result<usize> {
        let (page_len, pages) = (self.spec.page_len as u64, header_pages(&self.spec));
        let offset = match self.spec.is_single() {
            true => 0,
            false => u64::from(spares.row(pages).map_or_else(|| self.store.extend(pages), Ok)?) * page_len,
        };
        let mut header = self.definition(plan, offset)?;
        let mut bytes = plan.header.clone();
        let shape = self.shape_of(&header, plan, offset);
        let (root, _) = build_tree(&mut self.store, &shape, (keys, spares), progress)?;
        let root_at = if self.spec.is_ntx() { 4 } else { 0 };
        spec::put(&mut bytes, root_at, &self.spec.pointer(root).to_le_bytes());
        header.root = self.spec.pointer(root);
        let mut state = tag_state_of(&header, shape, root);
        state.key_type = Some(plan.key_type);
        if self.spec.is_single() {
            spec::put(&mut self.head, 0, &bytes[..HEAD_LEN]);
            self.store.file.write_at(&bytes[HEAD_LEN..], HEAD_LEN as u64)?;
        } else {
            self.store.file.write_at(&bytes, offset)?;
            self.list(&plan.name, offset)?;
        }
        self.tags.push(state);
        self.list_changed |= self.spec.kind == BagKind::CompoundNtx;
        Ok(self.tags.len() - 1)
    }

    /// The definition that a planned header is read back as.
    fn definition(&self, plan: &Plan, offset: u64) -> Result<TagHeader> {
        let mut bytes = plan.header.clone();
        let root_at = if self.spec.is_ntx() { 4 } else { 0 };
        spec::put(&mut bytes, root_at, &self.spec.pointer(1024 / self.spec.page_len as u32 + 1).to_le_bytes());
        let BagSpec { kind, page_len, by_harbour, pointers_are_pages } = self.spec;
        let parsed = match kind {
            BagKind::Cdx | BagKind::Adi | BagKind::CompactIdx => {
                let dialect = CompactDialect::of(kind);
                let paging = Paging { page_len, pointers_are_pages, by_harbour, dialect, collation: 0 };
                header::parse_compact(&bytes, kind, &plan.name, offset, paging)
            }
            BagKind::PlainIdx => header::parse_plain(&bytes, &plan.name, u64::from(u32::MAX)),
            BagKind::Ntx | BagKind::CompoundNtx => {
                header::parse_ntx(&bytes, &plan.name, offset, kind == BagKind::CompoundNtx)
            }
        };
        let parsed = parsed.map_err(|reason| {
            Error::new(Code::IndexDamaged, reason).at(String::from_utf8_lossy(&plan.name).into_owned())
        })?;
        Ok(TagHeader { pointers_are_pages, ..parsed })
    }

    fn shape_of(&self, header: &TagHeader, plan: &Plan, offset: u64) -> Shape {
        let layout = crate::index::bag::layout_of(header, Some(&plan.key_type), self.spec.page_len);
        let max_items = if layout.format == Format::Ntx {
            usize::from(u16::from_le_bytes([plan.header[18], plan.header[19]]))
        } else {
            0
        };
        Shape { layout, max_items, tree: offset }
    }

    /// Puts a tag into the directory of a CDX.
    fn list(&mut self, name: &[u8], offset: u64) -> Result<()> {
        let pointer = self.spec.pointer((offset / self.spec.page_len as u64) as u32);
        let key = directory_key(name, self.spec.dialect());
        self.change_directory(|directory, store| directory.insert(store, &key, pointer))
    }

    fn change_directory(&mut self, change: impl FnOnce(&mut TreePlace, &mut PageStore) -> Result<bool>) -> Result<()> {
        let Some(directory) = &mut self.directory else { return Ok(()) };
        self.store.begin();
        let changed = change(directory, &mut self.store);
        match &changed {
            Ok(_) => self.store.commit(),
            Err(_) => self.store.roll_back(),
        }
        changed.map(drop)
    }

    /// Takes a tag out of a CDX or compound NTX; its pages become free. Other programs must not have the file open:
    /// the pages of a tag that they use may be used anew.
    ///
    /// Errors: `Unsupported` in a file of one tag (remove the file); `IndexDamaged` if the tag's pages cannot be told
    /// from others; then nothing is changed.
    pub fn drop_tag(&mut self, tag: usize) -> Result<()> {
        if self.spec.is_single() {
            let message = "the only tag of a file goes with the file";
            return Err(Error::new(Code::Unsupported, message).at(self.path().display()));
        }
        self.check_usable()?;
        let Some(state) = self.tags.get(tag).cloned() else {
            return Err(Error::new(Code::Internal, format!("there is no tag number {tag}")));
        };
        let page = (state.header.header_offset / self.spec.page_len as u64) as u32;
        let pointer = self.spec.pointer(page);
        let header_pages = header_pages(&self.spec);
        self.store.begin();
        let freed = state.tree.release_all(&mut self.store).and_then(|()| {
            for page in page..page + header_pages {
                self.store.release(&state.tree.shape, page);
            }
            let Some(directory) = &mut self.directory else { return Ok(true) };
            directory.delete(&mut self.store, &directory_key(&state.header.name_bytes, self.spec.dialect()), pointer)
        });
        match freed {
            Ok(true) => self.store.commit(),
            Ok(false) => {
                self.store.roll_back();
                let message = format!("the directory does not list the tag {}", state.header.name);
                return Err(Error::new(Code::IndexDamaged, message).at(self.path().display()));
            }
            Err(error) => {
                self.store.roll_back();
                return Err(error);
            }
        }
        self.tags.remove(tag);
        self.list_changed |= self.spec.kind == BagKind::CompoundNtx;
        Ok(())
    }
}

/// Pages that a header takes.
fn header_pages(bag: &BagSpec) -> u32 {
    let len = if bag.kind == BagKind::PlainIdx { NODE_LEN } else { COMPACT_HEADER_LEN };
    len.div_ceil(bag.page_len) as u32
}

fn directory_layout(bag: &BagSpec) -> Layout {
    Layout {
        format: Format::Compact,
        page_len: bag.page_len,
        pointers_are_pages: bag.pointers_are_pages,
        key_len: bag.dialect().name_len(),
        pad: b' ',
        record_bits: bag.dialect().record_bits(true),
        falling: false,
        order: KeyOrder::Bytes,
    }
}

fn directory_key(name: &[u8], dialect: CompactDialect) -> Vec<u8> {
    let mut key = name[..name.len().min(dialect.name_len())].to_vec();
    key.resize(dialect.name_len(), b' ');
    key
}

/// The most tags of a file: 256 in an ADI, by the vendor's help. A CDX has no limit of its own; a directory of this many
/// is a mistake.
fn most_tags(bag: &BagSpec) -> usize {
    match bag.kind {
        BagKind::CompoundNtx => NTX_MAX_TAGS,
        BagKind::Adi => 256,
        _ => 10_000,
    }
}

fn too_many_tags(bag: &BagSpec) -> Error {
    let most = if bag.is_single() { 1 } else { most_tags(bag) };
    Error::new(Code::Unsupported, format!("a file of this kind holds at most {most} tags"))
}

/// Fills a new directory header up with what the old one holds where nothing is known of it.
fn keep_unknown(bytes: &mut [u8], old: &[u8]) {
    for (new, old) in bytes.iter_mut().zip(old).skip(24) {
        if *new == 0 {
            *new = *old;
        }
    }
}

fn tag_state_of(header: &TagHeader, shape: Shape, root: u32) -> super::bag::TagState {
    super::bag::TagState {
        header: Arc::new(header.clone()),
        key_type: None,
        tree: TreePlace { shape, root },
        stored_root: root,
    }
}
