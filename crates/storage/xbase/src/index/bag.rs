//! An open index file and the tags in it.
//!
//! The structure determines the kind of a file, not its name: the three formats cannot be confused, because a CDX or
//! IDX begins with a pointer to a page (a multiple of 512) and an NTX with flags of which one of the lowest bits is
//! set. The extension only affects the error message when the structure fits none.

use super::dialect::CompactDialect;
use super::header::{self, BagKind, COMPACT_HEADER_LEN, NODE_LEN, NTX_PAGE_LEN, Paging, TagHeader};
use super::key::KeyType;
use super::node::{Format, Layout, NO_PAGE, Reason, long, short};
use super::pages::Pages;
use super::tag::Tag;
use super::tree::{Reading, Tree};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{File, FileSystem, Stamp};
use std::collections::HashSet;
use std::path::Path as FilePath;
use std::sync::Arc;

/// Bytes of pages that a bag keeps unless told otherwise.
const KEPT_BYTES: usize = 64 << 20;

/// An open index file. Its pages are those of one state of the file: when the [`Stamp`] of the file is no
/// longer [`Bag::stamp`], open it again.
#[derive(Debug)]
pub struct Bag {
    kind: BagKind,
    stamp: Stamp,
    tags: Vec<Arc<TagHeader>>,
    broken: Vec<(String, Error)>,
    pub(crate) pages: Arc<Pages>,
    pub(crate) directory: Option<Tree>,
}

impl Bag {
    /// Opens an index file and reads the definitions of its tags.
    ///
    /// Errors: `NotThisFormat` when the file is no index that is known; `IndexDamaged` when it is one and
    /// its headers contradict themselves. A tag whose own header is damaged does not keep the others from
    /// being used: see [`Bag::broken_tags`].
    pub fn open(file: Arc<dyn File>) -> Result<Bag> {
        Bag::open_with_limit(file, KEPT_BYTES)
    }

    /// The same, keeping at most `kept_bytes` bytes of pages in memory.
    pub fn open_with_limit(file: Arc<dyn File>, kept_bytes: usize) -> Result<Bag> {
        let stamp = file.stamp()?;
        let mut header = vec![0; stamp.len.min(COMPACT_HEADER_LEN as u64) as usize];
        file.read_exact_at(&mut header, 0)?;
        let kind = kind_of(&header, stamp.len).ok_or_else(|| not_an_index(file.path()))?;
        let opening = Opening { file, stamp, kept_bytes, header };
        match kind {
            BagKind::Cdx | BagKind::Adi => opening.directory_of_tags(kind),
            BagKind::CompactIdx => opening.compact_idx(),
            BagKind::PlainIdx => opening.plain_idx(),
            BagKind::Ntx => opening.ntx(),
            BagKind::CompoundNtx => opening.compound_ntx(),
        }
    }

    /// The definition of the only tag of an NTX, from its header alone: of a file of which nothing else may be left.
    ///
    /// Errors: `NotThisFormat` for other files, `IndexDamaged` for a header that contradicts itself.
    pub fn definition(file: Arc<dyn File>) -> Result<TagHeader> {
        let (stamp, mut header) = (file.stamp()?, vec![0; COMPACT_HEADER_LEN]);
        let read = file.read_at(&mut header, 0)?;
        header.truncate(read);
        let opening = Opening { file, stamp, kept_bytes: 0, header };
        if kind_of(&opening.header, stamp.len) != Some(BagKind::Ntx) {
            return Err(not_an_index(opening.file.path()));
        }
        let name = opening.file_name();
        header::parse_ntx(&opening.header, &name, 0, false).map_err(|reason| opening.damaged(reason))
    }

    /// The kind of file.
    pub fn kind(&self) -> BagKind {
        self.kind
    }

    /// The state of the file that the pages belong to.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Returns true if the file is still in the state that the pages belong to.
    pub fn is_current(&self) -> Result<bool> {
        Ok(self.pages.file().stamp()? == self.stamp)
    }

    /// The same, of what its path leads to in `fs` now: [`File::stamp_by_name`]. False also when that is nothing.
    pub fn is_current_by_name(&self, fs: &dyn FileSystem) -> bool {
        self.pages.file().stamp_by_name(fs).is_ok_and(|stamp| stamp == self.stamp)
    }

    /// The path of the file.
    pub fn path(&self) -> &FilePath {
        self.pages.file().path()
    }

    /// The definitions of the tags, in the order in which they were made.
    pub fn tags(&self) -> &[Arc<TagHeader>] {
        &self.tags
    }

    /// The tags that cannot be used because of what their headers say.
    pub fn broken_tags(&self) -> &[(String, Error)] {
        &self.broken
    }

    /// The number of the tag with this name, in whatever case.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.tags.iter().position(|tag| tag.name.eq_ignore_ascii_case(name))
    }

    /// Bytes of pages that are kept in memory now.
    pub fn kept_bytes(&self) -> usize {
        self.pages.kept_bytes()
    }

    /// The number of reads from the file: as long as it does not grow, no new page was read.
    pub fn reads(&self) -> u64 {
        self.pages.reads()
    }

    /// A tag, ready to be read. `key_type` is made from the header and what the key expression yields.
    pub fn tag(&self, number: usize, key_type: KeyType) -> Result<Tag> {
        let Some(header) = self.tags.get(number) else {
            return Err(
                Error::new(Code::Internal, format!("there is no tag number {number}")).at(self.path().display())
            );
        };
        let tree = self.tree(header, key_type)?;
        Ok(Tag::new(Arc::clone(header), key_type, tree))
    }

    pub(crate) fn tree(&self, header: &TagHeader, key_type: KeyType) -> Result<Tree> {
        let layout = layout_of(header, Some(&key_type), self.pages.page_len());
        Tree::new(Arc::clone(&self.pages), layout, header)
    }
}

impl Tree {
    fn new(pages: Arc<Pages>, layout: Layout, header: &TagHeader) -> Result<Tree> {
        let header_page = u32::try_from(header.header_offset / layout.page_len as u64).unwrap_or(NO_PAGE);
        let root = match layout.page_number(header.root) {
            Ok(root) if root > 0 && root < pages.count() => root,
            _ => {
                let message = format!("tag {}: the root lies outside the file ({})", header.name, header.root);
                return Err(pages.damaged(header_page, message));
            }
        };
        Ok(Tree { pages, layout, root })
    }
}

/// The layout of a tag's pages; without a key type, as far as it does not depend on that type.
pub(crate) fn layout_of(header: &TagHeader, key_type: Option<&KeyType>, page_len: usize) -> Layout {
    let format = match header.kind {
        BagKind::Cdx | BagKind::Adi | BagKind::CompactIdx => Format::Compact,
        BagKind::PlainIdx => Format::Plain,
        BagKind::Ntx | BagKind::CompoundNtx => Format::Ntx,
    };
    Layout {
        format,
        page_len,
        pointers_are_pages: header.pointers_are_pages,
        key_len: header.key_length,
        pad: header.pad.unwrap_or_else(|| key_type.map_or(0, KeyType::pad)),
        record_bits: CompactDialect::of(header.kind).record_bits(false),
        falling: format == Format::Ntx && header.descending,
        order: key_type.map(KeyType::order).unwrap_or_default(),
    }
}

/// The kind of an index file, from the first bytes of it.
fn kind_of(header: &[u8], file_len: u64) -> Option<BagKind> {
    let (first, key_length, options) = (short(header, 0)?, short(header, 12)?, *header.get(14)?);
    if is_compound_ntx(header, first, file_len) {
        return Some(BagKind::CompoundNtx);
    }
    let is_compact = options & header::COMPACT != 0;
    let is_directory = is_compact && options & header::COMPOUND != 0;
    let names = |dialect: CompactDialect| usize::from(key_length) == dialect.name_len();
    if is_directory && names(CompactDialect::Adi) && short(header, 16).map(usize::from) == Some(COMPACT_HEADER_LEN) {
        return Some(BagKind::Adi);
    }
    let is_large = is_compact && header.get(15) == Some(&0x21) && header.get(20..24) == Some(b"RCHB");
    if first.is_multiple_of(512) || is_large {
        return match (is_compact, is_directory) {
            (true, true) => names(CompactDialect::Cdx).then_some(BagKind::Cdx),
            (true, false) => Some(BagKind::CompactIdx),
            (false, _) => Some(BagKind::PlainIdx),
        };
    }
    // An item of an NTX is its key, a child and a record.
    (u32::from(key_length) == u32::from(short(header, 14)?) + 8).then_some(BagKind::Ntx)
}

/// The directory of a compound NTX begins with a flag that can also be a page pointer of an IDX; the size
/// of the file, which no length of a key equals, tells them apart.
fn is_compound_ntx(header: &[u8], flags: u16, file_len: u64) -> bool {
    let size = u64::from(long(header, 12).unwrap_or(0));
    match flags {
        header::CLIP_COMPOUND => true,
        header::NTX_COMPOUND => size > 0 && size.is_multiple_of(NTX_PAGE_LEN as u64) && size <= file_len,
        header::NTX_COMPOUND_LARGE => size * NTX_PAGE_LEN as u64 == file_len,
        _ => false,
    }
}

fn not_an_index(path: &FilePath) -> Error {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let (code, message) = match extension.as_str() {
        "ndx" => (Code::Unsupported, "dBASE III indexes (NDX) are not read"),
        "mdx" => (Code::Unsupported, "dBASE IV indexes (MDX) are not read"),
        "adi" => (Code::NotThisFormat, "the file does not begin as an Advantage index does"),
        "cdx" | "idx" | "ntx" => (Code::NotThisFormat, "the file does not begin as a CDX, IDX or NTX does"),
        _ => (Code::NotThisFormat, "the file is no CDX, ADI, IDX or NTX index"),
    };
    let hint = "it is another program's format, damaged from its first bytes on, or encrypted";
    Error::new(code, message).at(path.display()).hint(hint)
}

/// A file on its way to become a bag.
struct Opening {
    file: Arc<dyn File>,
    stamp: Stamp,
    kept_bytes: usize,
    header: Vec<u8>,
}

impl Opening {
    fn damaged(&self, reason: Reason) -> Error {
        Error::new(Code::IndexDamaged, reason).at("header").at(self.file.path().display())
    }

    /// The only tag of an IDX or NTX is named like its file.
    fn file_name(&self) -> Vec<u8> {
        self.file.path().file_stem().map(|stem| stem.to_string_lossy().to_ascii_uppercase()).unwrap_or_default().into()
    }

    fn pages(&self, page_len: usize) -> Result<Arc<Pages>> {
        let pages = Pages::new(Arc::clone(&self.file), self.stamp.len, page_len, self.kept_bytes)?;
        Ok(Arc::new(pages))
    }

    fn single(self, header: TagHeader, page_len: usize) -> Result<Bag> {
        let (kind, pages) = (header.kind, self.pages(page_len)?);
        Tree::new(Arc::clone(&pages), layout_of(&header, None, pages.page_len()), &header)?;
        let tags = vec![Arc::new(header)];
        Ok(Bag { kind, stamp: self.stamp, tags, broken: Vec::new(), pages, directory: None })
    }

    fn compact_idx(self) -> Result<Bag> {
        let paging = Paging::parse(&self.header, CompactDialect::Cdx).map_err(|reason| self.damaged(reason))?;
        let name = self.file_name();
        let tag = header::parse_compact(&self.header, BagKind::CompactIdx, &name, 0, paging);
        let tag = tag.map_err(|reason| self.damaged(reason))?;
        self.single(tag, paging.page_len)
    }

    fn plain_idx(self) -> Result<Bag> {
        let tag = header::parse_plain(&self.header, &self.file_name(), self.stamp.len);
        // Nothing marks a plain IDX: a header that is not one means that the file is something else.
        let tag = tag.map_err(|_| not_an_index(self.file.path()))?;
        self.single(tag, NODE_LEN)
    }

    fn ntx(self) -> Result<Bag> {
        let tag = header::parse_ntx(&self.header, &self.file_name(), 0, false);
        let tag = tag.map_err(|reason| self.damaged(reason))?;
        self.single(tag, NTX_PAGE_LEN)
    }

    /// A CDX or an ADI.
    fn directory_of_tags(self, kind: BagKind) -> Result<Bag> {
        let dialect = CompactDialect::of(kind);
        let paging = Paging::parse(&self.header, dialect).map_err(|reason| self.damaged(reason))?;
        let own = header::parse_compact(&self.header, kind, &self.file_name(), 0, paging);
        let own = own.map_err(|reason| self.damaged(reason))?;
        let pages = self.pages(paging.page_len)?;
        let record_bits = dialect.record_bits(true);
        let directory = Layout { pad: b' ', record_bits, ..layout_of(&own, None, pages.page_len()) };
        let directory = Tree::new(Arc::clone(&pages), directory, &own)?;
        if dialect == CompactDialect::Adi {
            self.check_layout(&directory)?;
        }
        let mut listed = self.directory(&directory)?;
        listed.sort_by_key(|(_, pointer)| *pointer);
        let mut bag = Bag {
            kind,
            stamp: self.stamp,
            tags: Vec::with_capacity(listed.len()),
            broken: Vec::new(),
            pages,
            directory: Some(directory),
        };
        for (name, pointer) in listed {
            let offset = if paging.pointers_are_pages {
                u64::from(pointer) * paging.page_len as u64
            } else {
                u64::from(pointer)
            };
            self.add_tag(&mut bag, &name, offset, |header| header::parse_compact(header, kind, &name, offset, paging))?;
        }
        Ok(bag)
    }

    /// Fails for a directory that Advantage could not have written: other programs use the name for other layouts.
    fn check_layout(&self, directory: &Tree) -> Result<()> {
        let path = directory.first(Reading::Point)?;
        let Some(page) = path.top().map(|level| level.page) else { return Ok(()) };
        let bytes = directory.load(page, Reading::Point)?;
        match directory.node(page, &bytes)?.free_space() {
            Some(Ok((stated, free))) if stated == free => Ok(()),
            None => Ok(()),
            _ => {
                let message = "the file does not follow Advantage's layout: the free space of its directory is wrong";
                let error = Error::new(Code::IndexDamaged, message).at(self.file.path().display());
                Err(error.hint("another program made it; remove it and create its tags again"))
            }
        }
    }

    /// The names in the directory of a CDX, and the pointers to the headers.
    fn directory(&self, tree: &Tree) -> Result<Vec<(Vec<u8>, u32)>> {
        let mut listed = Vec::new();
        let mut seen = HashSet::new();
        let mut path = tree.first(Reading::Point)?;
        let mut key = Vec::new();
        while let Some(pointer) = tree.item(&path, &mut key)? {
            if !seen.insert(pointer) {
                let page = path.top().map_or(0, |level| level.page);
                return Err(tree.damaged(page, format!("the directory leads to the header at {pointer} twice")));
            }
            let len = key.iter().position(|byte| *byte == 0).unwrap_or(key.len());
            listed.push((key[..len].trim_ascii_end().to_owned(), pointer));
            tree.step(&mut path, Reading::Point)?;
        }
        Ok(listed)
    }

    fn compound_ntx(self) -> Result<Bag> {
        let count = short(&self.header, 2).map_or(0, usize::from).min(header::NTX_MAX_TAGS);
        let large = short(&self.header, 0) == Some(header::NTX_COMPOUND_LARGE);
        let mut bag = Bag {
            kind: BagKind::CompoundNtx,
            stamp: self.stamp,
            tags: Vec::with_capacity(count),
            broken: Vec::new(),
            pages: self.pages(NTX_PAGE_LEN)?,
            directory: None,
        };
        for item in 0..count {
            let start = 16 + item * 16;
            let Some(name) = self.header.get(start..start + 12) else { break };
            let len = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
            let name = name[..len].trim_ascii();
            let pointer = u64::from(long(&self.header, start + 12).unwrap_or(0));
            let offset = if large { pointer * NTX_PAGE_LEN as u64 } else { pointer };
            self.add_tag(&mut bag, name, offset, |header| {
                let tag = header::parse_ntx(header, name, offset, true)?;
                Ok(TagHeader { pointers_are_pages: large, ..tag })
            })?;
        }
        Ok(bag)
    }

    /// Reads one tag's header and adds the tag, or what is wrong with it, to the bag.
    fn add_tag(
        &self,
        bag: &mut Bag,
        name: &[u8],
        offset: u64,
        parse: impl FnOnce(&[u8]) -> Result<TagHeader, Reason>,
    ) -> Result<()> {
        let tag = if name.is_empty() {
            Err(Reason::from("the tag has no name"))
        } else if offset < COMPACT_HEADER_LEN as u64
            || offset.saturating_add(COMPACT_HEADER_LEN as u64) > self.stamp.len
        {
            Err(Reason::from("the header lies outside the file"))
        } else {
            let mut header = vec![0; COMPACT_HEADER_LEN];
            self.file.read_exact_at(&mut header, offset)?;
            parse(&header)
        };
        let name = String::from_utf8_lossy(name).to_ascii_uppercase();
        let tag = tag.map_err(|reason| {
            let place = format!("tag {name}, header at byte {offset}");
            let code = if reason == header::FULL_TEXT_TAG { Code::Unsupported } else { Code::IndexDamaged };
            Error::new(code, reason).at(place).at(self.file.path().display())
        });
        let usable = tag.and_then(|tag| {
            Tree::new(Arc::clone(&bag.pages), layout_of(&tag, None, bag.pages.page_len()), &tag)?;
            Ok(tag)
        });
        match usable {
            Ok(tag) => bag.tags.push(Arc::new(tag)),
            Err(error) => bag.broken.push((name, error)),
        }
        Ok(())
    }
}
