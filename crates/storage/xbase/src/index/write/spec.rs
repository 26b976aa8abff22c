//! Specifications of new index files and tags, and their headers.
//!
//! A specification is turned into the bytes of a header, and these bytes are read back by the reader's own
//! parser: every later opening of the file finds the result of [`TagSpec::header`], and a specification that the format
//! cannot store is refused before anything is written.

use super::bag::HEAD_LEN;
use crate::index::advantage_key::KeyForm;
use crate::index::bag::Bag;
use crate::index::dialect::CompactDialect;
use crate::index::header::{
    self, BagKind, CLIP_COMPOUND, COMPACT, COMPACT_HEADER_LEN, COMPOUND, NODE_LEN, NTX_PAGE_LEN, Paging, TagHeader,
};
use crate::index::key::{KeyFamily, KeyType};
use crate::index::node::{NO_PAGE, Reason, short};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use std::path::Path;

/// The layout of a new index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BagSpec {
    /// The kind of file.
    pub kind: BagKind,
    /// Bytes of a page: a power of two from 512 to 8,192 in a CDX with Harbour's mark and in an ADI, and else what the format
    /// says.
    pub page_len: usize,
    /// True if the file carries Harbour's mark. With it, numbers are doubles whatever their field type is, and a tag
    /// may be custom or ignore case; without it, a tag may be a candidate key, as in Visual FoxPro.
    pub by_harbour: bool,
    /// True if pointers count pages instead of bytes: always in an ADI; in a CDX with Harbour's mark and an NTX for files of
    /// more than 4 GB.
    pub pointers_are_pages: bool,
}

/// A tag that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagSpec {
    /// The name: 1 to 10 ASCII characters, in an ADI up to 128. It may be empty for the only tag of an IDX or NTX, which is then named
    /// like its file: see [`TagSpec::named_for`].
    pub name: String,
    /// The key expression, in the code page of the table.
    pub key: Vec<u8>,
    /// The FOR condition.
    pub condition: Option<Vec<u8>>,
    /// The type of the key expression's values.
    pub family: KeyFamily,
    /// The storage of the keys in an ADI, where the family does not determine it.
    pub form: Option<KeyForm>,
    /// Bytes of a key.
    pub key_length: usize,
    /// Digits after the point (NTX numbers).
    pub decimals: u8,
    /// True if keys can be NULL (Visual FoxPro): then `key_length` counts the mark in front too.
    pub nullable: bool,
    /// The order of the tag is from the greatest key to the least.
    pub descending: bool,
    /// Of records with equal keys, only the first is listed.
    pub unique: bool,
    /// A second record with an equal key is refused (Visual FoxPro's candidate indexes).
    pub candidate: bool,
    /// Keys are added by the program only.
    pub custom: bool,
    /// The tag was made over some of the records, and lacks others that its expressions would list. (A plain IDX cannot
    /// say so.)
    pub partial: bool,
    /// Keys are in upper case; a reader turns what it seeks to upper case (Harbour).
    pub ignore_case: bool,
}

impl BagSpec {
    /// A CDX as FoxPro writes it.
    pub fn cdx() -> BagSpec {
        BagSpec { kind: BagKind::Cdx, page_len: NODE_LEN, by_harbour: false, pointers_are_pages: false }
    }

    /// A CDX as Harbour writes it.
    pub fn harbour_cdx() -> BagSpec {
        BagSpec { by_harbour: true, ..BagSpec::cdx() }
    }

    /// An ADI as Advantage writes it, with pages of 512 bytes.
    pub fn adi() -> BagSpec {
        BagSpec { kind: BagKind::Adi, pointers_are_pages: true, ..BagSpec::cdx() }
    }

    /// A compact IDX.
    pub fn compact_idx() -> BagSpec {
        BagSpec { kind: BagKind::CompactIdx, ..BagSpec::cdx() }
    }

    /// A plain IDX.
    pub fn plain_idx() -> BagSpec {
        BagSpec { kind: BagKind::PlainIdx, ..BagSpec::cdx() }
    }

    /// An NTX.
    pub fn ntx() -> BagSpec {
        BagSpec { kind: BagKind::Ntx, page_len: NTX_PAGE_LEN, ..BagSpec::cdx() }
    }

    /// A compound NTX.
    pub fn compound_ntx() -> BagSpec {
        BagSpec { kind: BagKind::CompoundNtx, page_len: NTX_PAGE_LEN, ..BagSpec::cdx() }
    }

    /// The layout of an existing index file.
    pub fn of(bag: &Bag, file: &dyn File) -> Result<BagSpec> {
        let kind = bag.kind();
        let mut header = [0; COMPACT_HEADER_LEN];
        let len = file.read_at(&mut header, 0)?;
        let spec = match kind {
            BagKind::Cdx | BagKind::Adi | BagKind::CompactIdx => {
                let paging = Paging::parse(&header[..len], CompactDialect::of(kind));
                let paging =
                    paging.map_err(|reason| Error::new(Code::IndexDamaged, reason).at(file.path().display()))?;
                BagSpec {
                    kind,
                    page_len: paging.page_len,
                    by_harbour: paging.by_harbour,
                    pointers_are_pages: paging.pointers_are_pages,
                }
            }
            BagKind::PlainIdx => BagSpec::plain_idx(),
            BagKind::Ntx | BagKind::CompoundNtx => {
                if short(&header, 0) == Some(CLIP_COMPOUND) {
                    let message =
                        "CLIP keeps no list of free pages and no size in its compound files: they are not written to";
                    return Err(Error::new(Code::Unsupported, message).at(file.path().display()));
                }
                let large = bag
                    .tags()
                    .first()
                    .map_or(short(&header, 0) == Some(crate::index::header::NTX_COMPOUND_LARGE), |tag| {
                        tag.pointers_are_pages
                    });
                BagSpec { kind, pointers_are_pages: large, ..BagSpec::ntx() }
            }
        };
        Ok(spec)
    }

    /// Returns true if the file holds one tag and no directory.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.kind, BagKind::CompactIdx | BagKind::PlainIdx | BagKind::Ntx)
    }

    /// Refuses what no file can be.
    pub(crate) fn check(&self) -> Result<()> {
        let own_len = if self.is_ntx() { NTX_PAGE_LEN } else { NODE_LEN };
        let is_adi = self.kind == BagKind::Adi;
        let marked = self.by_harbour && self.kind == BagKind::Cdx;
        let fits = if marked || is_adi {
            self.page_len.is_power_of_two() && (NODE_LEN..=8192).contains(&self.page_len)
        } else {
            self.page_len == own_len
        };
        let may_count_pages = marked || is_adi || self.is_ntx();
        let counts_wrongly = is_adi && !self.pointers_are_pages || self.pointers_are_pages && !may_count_pages;
        if !fits || (self.by_harbour && !marked) || counts_wrongly {
            return Err(Error::new(Code::Unsupported, format!("no index file is laid out like this: {self:?}")));
        }
        Ok(())
    }

    pub(crate) fn is_ntx(&self) -> bool {
        matches!(self.kind, BagKind::Ntx | BagKind::CompoundNtx)
    }

    /// Where the file's header names the first free page.
    pub(crate) fn free_at(&self) -> usize {
        if self.is_ntx() { 8 } else { 4 }
    }

    /// The pointer that leads to a page.
    pub(crate) fn pointer(&self, page: u32) -> u32 {
        if self.pointers_are_pages { page } else { page.wrapping_mul(self.page_len as u32) }
    }

    pub(crate) fn dialect(&self) -> CompactDialect {
        CompactDialect::of(self.kind)
    }

    fn paging(&self) -> Paging {
        let BagSpec { page_len, pointers_are_pages, by_harbour, .. } = *self;
        Paging { page_len, pointers_are_pages, by_harbour, dialect: self.dialect(), collation: 0 }
    }
}

impl TagSpec {
    /// A tag of a name, a key expression and its type, without condition and flags.
    pub fn new(name: &str, key: impl Into<Vec<u8>>, family: KeyFamily, key_length: usize) -> TagSpec {
        TagSpec {
            name: name.to_owned(),
            key: key.into(),
            condition: None,
            family,
            form: None,
            key_length,
            decimals: 0,
            nullable: false,
            descending: false,
            unique: false,
            candidate: false,
            custom: false,
            partial: false,
            ignore_case: false,
        }
    }

    /// The specification of a tag that exists, for making it anew. `key_type` is the type of its keys.
    pub fn of(header: &TagHeader, key_type: KeyType) -> TagSpec {
        TagSpec {
            name: header.name.clone(),
            key: header.key_bytes.clone(),
            condition: header.for_bytes.clone(),
            family: key_type.family(),
            form: key_type.form(),
            key_length: header.key_length,
            decimals: header.decimals,
            nullable: key_type.is_nullable(),
            descending: header.descending,
            unique: header.unique,
            candidate: header.candidate,
            custom: header.custom,
            partial: header.partial,
            ignore_case: header.ignore_case,
        }
    }

    /// The tag as a file of this name keeps it. The only tag of an IDX or NTX may have a longer name than a header takes: it
    /// is kept to ten characters, as Harbour does, or not at all where it is that of the file.
    pub fn named_for(self, bag: &BagSpec, path: &Path) -> TagSpec {
        let is_text = self.name.bytes().all(|byte| byte.is_ascii_graphic());
        let longest = bag.dialect().name_len();
        if !bag.is_single() || is_text && self.name.len() <= longest {
            return self;
        }
        let is_files = path.file_stem().is_some_and(|stem| stem.to_string_lossy().eq_ignore_ascii_case(&self.name));
        let name = if is_files || !is_text { "" } else { &self.name[..longest.min(self.name.len())] };
        TagSpec { name: name.to_owned(), ..self }
    }

    /// The definition that the tag will have in such a file, from which its [`KeyType`] is made before there is a
    /// file. Errors: `InvalidValue` and `Unsupported` for what the format cannot hold.
    pub fn header(&self, bag: &BagSpec) -> Result<TagHeader> {
        bag.check()?;
        let bytes = self.header_bytes(bag, bag.pointer(1024 / bag.page_len as u32 + 1))?;
        let name = self.name.to_ascii_uppercase().into_bytes();
        let header = match bag.kind {
            BagKind::Cdx | BagKind::Adi | BagKind::CompactIdx => {
                header::parse_compact(&bytes, bag.kind, &name, 0, bag.paging())
            }
            BagKind::PlainIdx => header::parse_plain(&bytes, &name, u64::from(u32::MAX)),
            BagKind::Ntx | BagKind::CompoundNtx => {
                header::parse_ntx(&bytes, &name, 0, bag.kind == BagKind::CompoundNtx)
            }
        };
        let header = header.map_err(|reason| self.refuse(reason))?;
        self.type_of(&header).map_err(|error| self.refuse(error.message().to_owned().into()))?;
        Ok(header)
    }

    fn type_of(&self, header: &TagHeader) -> Result<KeyType> {
        match self.form.filter(|_| header.kind == BagKind::Adi) {
            Some(form) => KeyType::in_form(header, form),
            None => KeyType::new(header, self.family, self.nullable),
        }
    }

    /// The type of the keys in such a file.
    pub fn key_type(&self, bag: &BagSpec) -> Result<KeyType> {
        self.type_of(&self.header(bag)?)
    }

    fn refuse(&self, reason: Reason) -> Error {
        Error::new(Code::InvalidValue, reason).at(format_args!("tag {}", self.name))
    }

    fn unsupported(&self, what: &str, kind: BagKind) -> Error {
        let message = format!("a {what} tag cannot be kept in a {kind:?} file of this kind");
        Error::new(Code::Unsupported, message).at(format_args!("tag {}", self.name))
    }

    /// The bytes of the tag's header, with a pointer to its root.
    pub(crate) fn header_bytes(&self, bag: &BagSpec, root: u32) -> Result<Vec<u8>> {
        self.check_texts(bag)?;
        self.check_flags(bag)?;
        match bag.kind {
            BagKind::Cdx | BagKind::CompactIdx => self.compact_bytes(bag, root),
            BagKind::Adi => self.advantage_bytes(bag, root),
            BagKind::PlainIdx => self.plain_bytes(root),
            BagKind::Ntx | BagKind::CompoundNtx => self.ntx_bytes(bag, root),
        }
    }

    fn check_texts(&self, bag: &BagSpec) -> Result<()> {
        let (longest, is_adi) = (bag.dialect().name_len(), bag.kind == BagKind::Adi);
        let is_name = |byte: u8| byte.is_ascii_graphic() && !(is_adi && matches!(byte, b';' | b','));
        if self.name.len() > longest || !self.name.bytes().all(is_name) || (self.name.is_empty() && !bag.is_single()) {
            return Err(
                self.refuse(format!("the name of a tag has 1 to {longest} ASCII characters and no blanks").into())
            );
        }
        let (key, condition) = (self.key.len(), self.condition.as_ref().map_or(0, Vec::len));
        let fits = match bag.kind {
            BagKind::Cdx | BagKind::Adi | BagKind::CompactIdx => key + condition <= 510,
            BagKind::PlainIdx => key < 220 && condition < 220,
            BagKind::Ntx | BagKind::CompoundNtx => key < 256 && condition < 256,
        };
        if !fits {
            return Err(self.refuse(format!("expressions of {key} and {condition} bytes do not fit the header").into()));
        }
        let is_text = |text: &[u8]| !text.trim_ascii().is_empty() && text.iter().all(|byte| *byte >= b' ');
        if !is_text(&self.key) || !self.condition.as_ref().is_none_or(|condition| is_text(condition)) {
            return Err(self.refuse("an expression is a text of one line".into()));
        }
        Ok(())
    }

    fn check_flags(&self, bag: &BagSpec) -> Result<()> {
        let is_ntx = bag.is_ntx();
        if self.descending && bag.kind == BagKind::PlainIdx {
            return Err(self.unsupported("descending", bag.kind));
        }
        if self.custom && !bag.by_harbour && !is_ntx {
            return Err(self.unsupported("custom", bag.kind));
        }
        if self.candidate && (bag.by_harbour || is_ntx || bag.kind == BagKind::PlainIdx) {
            return Err(self.unsupported("candidate", bag.kind));
        }
        if self.partial && bag.kind == BagKind::Adi {
            return Err(self.unsupported("partial", bag.kind));
        }
        if self.ignore_case && !bag.by_harbour {
            return Err(self.unsupported("case ignoring", bag.kind));
        }
        Ok(())
    }

    fn compact_bytes(&self, bag: &BagSpec, root: u32) -> Result<Vec<u8>> {
        let mut options = COMPACT | if bag.kind == BagKind::Cdx { COMPOUND } else { 0 };
        options |= u8::from(self.unique) * header::UNIQUE;
        options |= u8::from(self.candidate || self.custom) * header::CANDIDATE_OR_CUSTOM;
        options |= u8::from(self.condition.is_some()) * header::FOR;
        options |= u8::from(self.partial) * header::PARTIAL;
        let key_length = u16::try_from(self.key_length).map_err(|_| self.refuse("the key is too long".into()))?;
        let condition = self.condition.as_deref().unwrap_or_default();
        let mut bytes = compact_header(bag, root, key_length, options, &self.key, condition);
        put(&mut bytes, 502, &u16::from(self.descending).to_le_bytes());
        if bag.by_harbour {
            bytes[15] = 0x01;
            bytes[499] = u8::from(self.ignore_case);
        }
        Ok(bytes)
    }

    fn advantage_bytes(&self, bag: &BagSpec, root: u32) -> Result<Vec<u8>> {
        let mut options = COMPACT | COMPOUND;
        options |= u8::from(self.unique || self.candidate) * header::UNIQUE;
        options |= u8::from(self.condition.is_some()) * header::FOR;
        let key_length = u16::try_from(self.key_length).map_err(|_| self.refuse("the key is too long".into()))?;
        let condition = self.condition.as_deref().unwrap_or_default();
        let mut bytes = compact_header(bag, root, key_length, options, &self.key, condition);
        bytes[15] = self.form.unwrap_or_else(|| KeyForm::of(self.family)).pad();
        put(&mut bytes, 502, &u16::from(self.descending).to_le_bytes());
        Ok(bytes)
    }

    fn plain_bytes(&self, root: u32) -> Result<Vec<u8>> {
        let key_length = u16::try_from(self.key_length).map_err(|_| self.refuse("the key is too long".into()))?;
        let mut bytes = vec![0; NODE_LEN];
        put(&mut bytes, 0, &root.to_le_bytes());
        put(&mut bytes, 4, &NO_PAGE.to_le_bytes());
        put(&mut bytes, 8, &root.to_le_bytes());
        put(&mut bytes, 12, &key_length.to_le_bytes());
        bytes[14] = u8::from(self.unique) * header::UNIQUE + u8::from(self.condition.is_some()) * header::FOR;
        put(&mut bytes, 16, &self.key);
        put(&mut bytes, 236, self.condition.as_deref().unwrap_or_default());
        Ok(bytes)
    }

    fn ntx_bytes(&self, bag: &BagSpec, root: u32) -> Result<Vec<u8>> {
        if self.key_length == 0 || self.key_length > 256 {
            return Err(self.refuse(format!("{} is not the length of a key", self.key_length).into()));
        }
        let max_items = ntx_max_items(self.key_length) as u16;
        let key_length = self.key_length as u16;
        let mut flags = header::NTX_ALWAYS;
        flags |= u16::from(self.condition.is_some()) * header::NTX_FOR;
        // As Harbour marks them, with or without a condition.
        flags |= u16::from(self.partial) * (header::NTX_PARTIAL | header::NTX_FOR);
        flags |= u16::from(self.custom) * header::NTX_CUSTOM;
        flags |= u16::from(bag.pointers_are_pages) * header::NTX_LARGE;
        let mut bytes = vec![0; NTX_PAGE_LEN];
        put(&mut bytes, 0, &flags.to_le_bytes());
        put(&mut bytes, 4, &root.to_le_bytes());
        let numbers = [key_length + 8, key_length, u16::from(self.decimals), max_items, max_items / 2];
        for (index, number) in numbers.into_iter().enumerate() {
            put(&mut bytes, 12 + 2 * index, &number.to_le_bytes());
        }
        put(&mut bytes, 22, &self.key);
        bytes[278] = u8::from(self.unique);
        bytes[280] = u8::from(self.descending);
        put(&mut bytes, 282, self.condition.as_deref().unwrap_or_default());
        put(&mut bytes, 538, self.name.to_ascii_uppercase().as_bytes());
        bytes[550] = u8::from(self.custom);
        Ok(bytes)
    }
}

/// The most items of an NTX page: as many as fit beside their offsets and one more offset, and an even number where
/// that leaves two, as Clipper and Harbour choose it.
pub(crate) fn ntx_max_items(key_length: usize) -> usize {
    let most = (NTX_PAGE_LEN - 2) / (key_length + 10) - 1;
    if most > 2 { most & !1 } else { most }
}

/// The header of a CDX directory.
pub(crate) fn directory_bytes(bag: &BagSpec, root: u32) -> Vec<u8> {
    let name_len = bag.dialect().name_len() as u16;
    if bag.kind == BagKind::Adi {
        let mut bytes = compact_header(bag, root, name_len, COMPACT | COMPOUND, b"", b"");
        let version = if bag.page_len == NODE_LEN { 1u32 } else { 2 };
        put(&mut bytes, 8, &version.to_le_bytes());
        bytes[15] = b' ';
        put(&mut bytes, 18, &(bag.page_len as u16).to_le_bytes());
        return bytes;
    }
    let mut bytes = compact_header(bag, root, name_len, header::STRUCTURAL | COMPACT | COMPOUND, b"", b"");
    if bag.by_harbour {
        bytes[15] = if bag.pointers_are_pages { 0x21 } else { 0x01 };
        put(&mut bytes, 20, b"RCHB");
    }
    bytes
}

/// The bytes common to the headers of all compact tags.
fn compact_header(bag: &BagSpec, root: u32, key_length: u16, options: u8, key: &[u8], condition: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; COMPACT_HEADER_LEN];
    put(&mut bytes, 0, &root.to_le_bytes());
    let is_adi = bag.kind == BagKind::Adi;
    if is_adi {
        put(&mut bytes, 16, &(COMPACT_HEADER_LEN as u16).to_le_bytes());
    } else if bag.by_harbour {
        put(&mut bytes, 16, &(COMPACT_HEADER_LEN as u16).to_le_bytes());
        put(&mut bytes, 18, &(bag.page_len as u16).to_le_bytes());
    } else {
        put(&mut bytes, 4, &NO_PAGE.to_le_bytes());
    }
    put(&mut bytes, 12, &key_length.to_le_bytes());
    bytes[14] = options;
    let key_len = key.len() as u16 + 1;
    if !is_adi {
        put(&mut bytes, 504, &key_len.to_le_bytes());
    }
    put(&mut bytes, 506, &(condition.len() as u16 + 1).to_le_bytes());
    put(&mut bytes, 510, &key_len.to_le_bytes());
    put(&mut bytes, 512, key);
    put(&mut bytes, 512 + usize::from(key_len), condition);
    bytes
}

/// Copies bytes into a page; the callers have checked that they fit.
pub(crate) fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}

/// The first free page that a file's first bytes name.
pub(super) fn free_page(spec: &BagSpec, head: &[u8; HEAD_LEN], end: u32) -> u32 {
    if !spec.dialect().lists_free_pages() {
        return 0;
    }
    let at = spec.free_at();
    let pointer = u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let unit = if spec.pointers_are_pages { 1 } else { spec.page_len as u32 };
    if pointer == NO_PAGE || !pointer.is_multiple_of(unit) || pointer / unit >= end { 0 } else { pointer / unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specification_is_what_the_reader_finds() {
        let mut spec = TagSpec::new("name", "UPPER(NAME)", KeyFamily::Character, 30);
        spec.condition = Some(b"AGE > 3".to_vec());
        (spec.unique, spec.descending) = (true, true);
        for bag in [BagSpec::cdx(), BagSpec::harbour_cdx(), BagSpec::compact_idx(), BagSpec::ntx()] {
            let header = spec.header(&bag).unwrap();
            assert_eq!((header.name.as_str(), &*header.key_text()), ("NAME", "UPPER(NAME)"));
            assert_eq!(header.for_text().as_deref(), Some("AGE > 3"));
            assert!(header.unique && header.descending && !header.custom && !header.candidate);
            assert_eq!((header.key_length, header.by_harbour), (30, bag.by_harbour));
            assert_eq!(
                TagSpec::of(&header, spec.key_type(&bag).unwrap()),
                TagSpec { name: "NAME".into(), ..spec.clone() }
            );
        }
        assert_eq!(spec.header(&BagSpec::plain_idx()).unwrap_err().code(), Code::Unsupported);
    }

    #[test]
    fn what_a_format_cannot_hold_is_refused() {
        let spec = TagSpec::new("NAME", "NAME", KeyFamily::Character, 30);
        let wrong = [
            TagSpec { name: "A NAME".into(), ..spec.clone() },
            TagSpec { name: "ELEVENCHARS".into(), ..spec.clone() },
            TagSpec { key: vec![b'A'; 600], ..spec.clone() },
            TagSpec { key: b"A\0B".to_vec(), ..spec.clone() },
            TagSpec { key_length: 0, ..spec.clone() },
            TagSpec { key_length: 70_000, ..spec.clone() },
            TagSpec { key_length: 300, ..spec.clone() },
            TagSpec { family: KeyFamily::Logical, ..spec.clone() },
        ];
        for bag in [BagSpec::cdx(), BagSpec::compact_idx(), BagSpec::plain_idx(), BagSpec::ntx()] {
            for spec in &wrong {
                assert!(spec.header(&bag).is_err(), "{bag:?} {spec:?}");
            }
        }
        let custom = TagSpec { custom: true, ..spec.clone() };
        assert!(custom.header(&BagSpec::cdx()).is_err() && custom.header(&BagSpec::harbour_cdx()).unwrap().custom);
        let candidate = TagSpec { candidate: true, ..spec.clone() };
        assert!(
            candidate.header(&BagSpec::harbour_cdx()).is_err() && candidate.header(&BagSpec::cdx()).unwrap().candidate
        );
        assert!(spec.header(&BagSpec { page_len: 700, ..BagSpec::harbour_cdx() }).is_err());
        assert!(spec.header(&BagSpec { page_len: 1024, ..BagSpec::cdx() }).is_err());
    }

    #[test]
    fn pages_of_an_ntx_hold_what_clipper_puts_there() {
        assert_eq!([1, 10, 30, 100, 256].map(ntx_max_items), [90, 50, 24, 8, 2]);
    }
}
