//! Headers of tags: its name, its expressions, its flags, and where its tree begins.
//!
//! The headers of the three formats are byte-exact in `docs/formats/cdx.md`, `idx.md` and `ntx.md`. Each
//! `parse` function here takes the bytes of one header and checks what can be checked without reading on.
//! The header of a CDX or compact IDX does not store the type of its keys; the key expression determines it, so the
//! type comes from the caller ([`super::Bag::tag`]).

use super::dialect::CompactDialect;
use super::node::{NO_PAGE, Reason, long, short};
use std::borrow::Cow;

/// The kinds of index files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BagKind {
    /// Compound: a directory of tags (FoxPro 2, Visual FoxPro, Clipper's COMIX and SIX, Harbour).
    Cdx,
    /// Compound: a directory of tags of an Advantage table (ADT).
    Adi,
    /// One packed tag (FoxPro 2 and later).
    CompactIdx,
    /// One tag that is not packed (FoxBASE, FoxPro 1).
    PlainIdx,
    /// One tag of Clipper's own format.
    Ntx,
    /// Several tags of Clipper's format in one file (CLIP, Harbour).
    CompoundNtx,
}

/// The definition of one tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagHeader {
    /// The name in upper case; what is not ASCII is replaced. `name_bytes` has the bytes.
    pub name: String,
    /// The name as it is in the file.
    pub name_bytes: Vec<u8>,
    /// The key expression, in the code page of the table, without its NUL and blanks around it.
    pub key_bytes: Vec<u8>,
    /// The FOR condition, if there is one.
    pub for_bytes: Option<Vec<u8>>,
    /// The tag's own order is from the greatest key to the least.
    pub descending: bool,
    /// Of records with equal keys, only the first is listed.
    pub unique: bool,
    /// A second record with an equal key is refused (Visual FoxPro's primary and candidate indexes, Advantage's unique ones).
    pub candidate: bool,
    /// Keys are added by the program, not by the engine: nothing can be concluded from the expression.
    pub custom: bool,
    /// The tag may lack records that its expressions would list (SIX's partial orders).
    pub partial: bool,
    /// Only records that were listed once are kept listed: new ones are not (NTX).
    pub change_only: bool,
    /// Keys were turned to upper case before they were stored.
    pub ignore_case: bool,
    /// Bytes of a key.
    pub key_length: usize,
    /// Digits after the point in numeric keys (NTX; 0 elsewhere).
    pub decimals: u8,
    /// The collating sequence, unless it is that of the bytes (`MACHINE`): then the bytes of keys are
    /// weights and not text, and a range of them means nothing to someone who does not know the weights.
    pub collation: Option<String>,
    /// The kind of file.
    pub kind: BagKind,
    /// The bag was written by Harbour, which stores all numbers as doubles.
    pub by_harbour: bool,
    /// Where the header is in the file, in bytes.
    pub header_offset: u64,
    /// Where the root node is: a pointer as it is in the file.
    pub(crate) root: u32,
    /// Pointers count pages instead of bytes.
    pub(crate) pointers_are_pages: bool,
    /// The byte that leaves cut off at the end of keys, where the header names it (ADI).
    pub(crate) pad: Option<u8>,
}

impl TagHeader {
    /// The key expression for messages; what is not ASCII is replaced.
    pub fn key_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.key_bytes)
    }

    /// The FOR condition for messages.
    pub fn for_text(&self) -> Option<Cow<'_, str>> {
        self.for_bytes.as_deref().map(String::from_utf8_lossy)
    }

    /// Returns true if the tag lists every record of the table exactly once, as far as the header tells.
    pub fn lists_all_records(&self) -> bool {
        self.for_bytes.is_none() && !self.unique && !self.custom && !self.partial
    }

    fn new(kind: BagKind, name: &[u8], header_offset: u64) -> TagHeader {
        TagHeader {
            name: String::from_utf8_lossy(name).to_ascii_uppercase(),
            name_bytes: name.to_owned(),
            key_bytes: Vec::new(),
            for_bytes: None,
            descending: false,
            unique: false,
            candidate: false,
            custom: false,
            partial: false,
            change_only: false,
            ignore_case: false,
            key_length: 0,
            decimals: 0,
            collation: None,
            kind,
            by_harbour: false,
            header_offset,
            root: 0,
            pointers_are_pages: false,
            pad: None,
        }
    }
}

/// Length of a CDX or compact IDX header.
pub(crate) const COMPACT_HEADER_LEN: usize = 1024;
/// Length of an NTX header and page.
pub(crate) const NTX_PAGE_LEN: usize = 1024;
/// Length of a plain IDX header and node, and of a compact node unless the header says otherwise.
pub(crate) const NODE_LEN: usize = 512;

pub(crate) const UNIQUE: u8 = 0x01;
pub(crate) const PARTIAL: u8 = 0x02;
pub(crate) const CANDIDATE_OR_CUSTOM: u8 = 0x04;
pub(crate) const FOR: u8 = 0x08;
/// The tag lists the words of texts (ADI).
pub(crate) const FULL_TEXT: u8 = 0x10;
/// The nodes are packed.
pub(crate) const COMPACT: u8 = 0x20;
/// The file is a directory of tags.
pub(crate) const COMPOUND: u8 = 0x40;
/// The header is that of such a directory (FoxPro sets it whether the file is structural or not).
pub(crate) const STRUCTURAL: u8 = 0x80;

/// Properties of all pages, from the first header of a compact file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paging {
    pub(crate) page_len: usize,
    pub(crate) pointers_are_pages: bool,
    pub(crate) by_harbour: bool,
    pub(crate) dialect: CompactDialect,
    /// The word that stands for the collation of an ADI.
    pub(crate) collation: u32,
}

impl Paging {
    /// Reads it from the file's first header. In a CDX only Harbour writes other pages than those of 512 bytes, and
    /// marks the file with a signature of its own.
    pub(crate) fn parse(header: &[u8], dialect: CompactDialect) -> Result<Paging, Reason> {
        let length_of = |page_len: usize| match page_len.is_power_of_two() && (NODE_LEN..=8192).contains(&page_len) {
            true => Ok(page_len),
            false => Err(Reason::from(format!("{page_len} is not the length of a page"))),
        };
        if dialect == CompactDialect::Adi {
            let stated = short(header, 18).map_or(0, usize::from);
            let page_len = length_of(if stated == 0 { NODE_LEN } else { stated })?;
            let collation = long(header, 20).unwrap_or(0);
            return Ok(Paging { page_len, pointers_are_pages: true, by_harbour: false, dialect, collation });
        }
        let signature = header.get(20..24);
        let by_harbour = signature == Some(b"RCHB") || signature == Some(b"BHCR");
        if !by_harbour {
            let page_len = NODE_LEN;
            return Ok(Paging { page_len, pointers_are_pages: false, by_harbour, dialect, collation: 0 });
        }
        let page_len = length_of(short(header, 18).map_or(0, usize::from))?;
        let pointers_are_pages = header.get(15) == Some(&0x21);
        Ok(Paging { page_len, pointers_are_pages, by_harbour, dialect, collation: 0 })
    }

    /// The longest key that still leaves two to a branch.
    fn max_key_len(&self) -> usize {
        self.dialect.max_key_len(self.page_len)
    }
}

/// Parses the header of a CDX tag, of a CDX directory, or of a compact IDX: 1,024 bytes.
pub(crate) fn parse_compact(
    header: &[u8],
    kind: BagKind,
    name: &[u8],
    header_offset: u64,
    paging: Paging,
) -> Result<TagHeader, Reason> {
    let (Some(root), Some(key_length), Some(&options)) = (long(header, 0), short(header, 12), header.get(14)) else {
        return Err("the header is too short".into());
    };
    let key_length = usize::from(key_length);
    if key_length == 0 || key_length > paging.max_key_len() {
        return Err(format!("{key_length} is not the length of a key").into());
    }
    if options & COMPACT == 0 {
        return Err("the header is not one of a compact index".into());
    }
    let (key_bytes, for_bytes) = expressions(header, options)?;
    let tag = TagHeader { key_bytes, for_bytes, ..TagHeader::new(kind, name, header_offset) };
    if paging.dialect == CompactDialect::Adi {
        return Ok(TagHeader { key_length, root, ..advantage_tag(header, options, paging, tag)? });
    }
    Ok(TagHeader {
        descending: short(header, 502).is_some_and(|order| order != 0),
        unique: options & UNIQUE != 0,
        candidate: options & CANDIDATE_OR_CUSTOM != 0 && !paging.by_harbour,
        custom: options & CANDIDATE_OR_CUSTOM != 0 && paging.by_harbour,
        partial: options & PARTIAL != 0,
        ignore_case: matches!(header.get(15), Some(0x01 | 0x21)) && header.get(499) == Some(&1),
        key_length,
        collation: collation(header.get(494..502).unwrap_or_default()),
        by_harbour: paging.by_harbour,
        root,
        pointers_are_pages: paging.pointers_are_pages,
        ..tag
    })
}

/// Collations of an ADI in which texts are in the order of their bytes, as far as the keys of such files show.
const BYTE_COLLATIONS: [u32; 2] = [0, 0x2905_8C73];

/// Facts that only the header of an ADI has. Full-text tags are `Reason`s here: their trees list words.
fn advantage_tag(header: &[u8], options: u8, paging: Paging, tag: TagHeader) -> Result<TagHeader, Reason> {
    if options & FULL_TEXT != 0 {
        return Err(FULL_TEXT_TAG.into());
    }
    let pad = header.get(15).copied().unwrap_or(0);
    if pad != 0 && pad != b' ' {
        return Err(format!("{pad:#04x} is not the byte that ends short keys in Advantage's files").into());
    }
    let known = UNIQUE | FOR | COMPACT | COMPOUND;
    if options & !known != 0 {
        return Err(format!("the options {options:#04x} are not known").into());
    }
    let is_known = BYTE_COLLATIONS.contains(&paging.collation);
    Ok(TagHeader {
        descending: short(header, 502).is_some_and(|order| order != 0),
        candidate: options & UNIQUE != 0,
        collation: (!is_known).then(|| format!("{:#010X}", paging.collation)),
        pointers_are_pages: true,
        pad: Some(pad),
        ..tag
    })
}

/// The reason for which a full-text tag is not read.
pub(crate) const FULL_TEXT_TAG: &str = "it is a full-text index, which lists words and not keys";

/// The key expression and the FOR condition out of the pool in the header's second half.
fn expressions(header: &[u8], options: u8) -> Result<(Vec<u8>, Option<Vec<u8>>), Reason> {
    let pool = header.get(512..COMPACT_HEADER_LEN).unwrap_or_default();
    let number = |at| short(header, at).map_or(0, usize::from);
    let (for_start, for_len, key_start, key_len) = (number(504), number(506), number(508), number(510));
    if key_start + key_len > pool.len() || for_start + for_len > pool.len() {
        return Err("the expressions lie outside the header".into());
    }
    let key = text(&pool[key_start..]);
    // Some programs leave both starts at 0: then the condition follows the key.
    let for_start = if for_start == key_start { key_start + key_len.max(key.len() + 1) } else { for_start };
    let condition = text(pool.get(for_start..).unwrap_or_default());
    let has_condition = !condition.is_empty() && (options & FOR != 0 || for_len > 1);
    if options & FOR != 0 && !has_condition {
        return Err("the tag has a FOR condition, and its text is missing".into());
    }
    Ok((key, has_condition.then_some(condition)))
}

/// The bytes before the first NUL, without blanks around them.
fn text(bytes: &[u8]) -> Vec<u8> {
    let len = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes[..len].trim_ascii().to_owned()
}

fn collation(bytes: &[u8]) -> Option<String> {
    let name = text(bytes);
    let is_name = name.len() > 1 && name.iter().all(u8::is_ascii_alphanumeric);
    (is_name && !name.eq_ignore_ascii_case(b"MACHINE")).then(|| String::from_utf8_lossy(&name).to_ascii_uppercase())
}

/// Parses the header of a plain IDX: 512 bytes.
pub(crate) fn parse_plain(header: &[u8], name: &[u8], file_len: u64) -> Result<TagHeader, Reason> {
    let (Some(root), Some(free), Some(end), Some(key_length), Some(&options)) =
        (long(header, 0), long(header, 4), long(header, 8), short(header, 12), header.get(14))
    else {
        return Err("the header is too short".into());
    };
    let key_length = usize::from(key_length);
    if key_length == 0 || 12 + 2 * (key_length + 4) > NODE_LEN {
        return Err(format!("{key_length} is not the length of a key").into());
    }
    let is_page = |pointer: u32| pointer.is_multiple_of(NODE_LEN as u32) && u64::from(pointer) <= file_len;
    if !is_page(root) || root == 0 || !is_page(end) || (free != NO_PAGE && !is_page(free)) {
        return Err("the header's pointers do not fit the file".into());
    }
    if options & !(UNIQUE | FOR) != 0 {
        return Err(format!("{options} are not the options of an index").into());
    }
    let key_bytes = text(&header[16..236]);
    if key_bytes.is_empty() || !is_printable(&key_bytes) {
        return Err("the key expression is not a text".into());
    }
    let condition = text(&header[236..456]);
    Ok(TagHeader {
        key_bytes,
        for_bytes: (options & FOR != 0 && !condition.is_empty()).then_some(condition),
        unique: options & UNIQUE != 0,
        key_length,
        root,
        ..TagHeader::new(BagKind::PlainIdx, name, 0)
    })
}

pub(crate) const NTX_FOR: u16 = 0x0001;
pub(crate) const NTX_PARTIAL: u16 = 0x0008;
pub(crate) const NTX_CUSTOM: u16 = 0x0020;
const NTX_CHANGE_ONLY: u16 = 0x0040;
pub(crate) const NTX_LARGE: u16 = 0x0200;
/// The file is a directory of NTX tags.
pub(crate) const NTX_COMPOUND: u16 = 0x8000;
/// The same, with pointers that count pages.
pub(crate) const NTX_COMPOUND_LARGE: u16 = NTX_COMPOUND | NTX_LARGE;
/// The same, as CLIP marks it.
pub(crate) const CLIP_COMPOUND: u16 = 0x9591;
/// The most tags in such a directory.
pub(crate) const NTX_MAX_TAGS: usize = 63;
const NTX_KNOWN: u16 = 0x87FF;
/// The bits that every type of an NTX has; the older value that some programs wrote instead.
pub(crate) const NTX_ALWAYS: u16 = 0x0006;
const NTX_OLD: u16 = 0x0003;

/// Parses the header of an NTX tag: 1,024 bytes. `compound` tells whether it stands in a compound file.
pub(crate) fn parse_ntx(header: &[u8], name: &[u8], header_offset: u64, compound: bool) -> Result<TagHeader, Reason> {
    let numbers = [0, 12, 14, 16, 18].map(|at| short(header, at));
    let [Some(flags), Some(item_len), Some(key_length), Some(decimals), Some(max_items)] = numbers else {
        return Err("the header is too short".into());
    };
    if flags & !NTX_KNOWN != 0 || (flags & NTX_ALWAYS != NTX_ALWAYS && flags != NTX_OLD) {
        return Err(format!("{flags:#06x} is not the type of an NTX").into());
    }
    let (key_length, max_items) = (usize::from(key_length), usize::from(max_items));
    if key_length == 0 || key_length > 256 || usize::from(item_len) != key_length + 8 {
        return Err(format!("a key of {key_length} bytes does not make an item of {item_len}").into());
    }
    if max_items < 2 || 2 + (max_items + 1) * (key_length + 10) > NTX_PAGE_LEN {
        return Err(format!("{max_items} items of {item_len} bytes do not fit into a page").into());
    }
    if header.len() < NTX_PAGE_LEN {
        return Err("the header is too short".into());
    }
    let key_bytes = text(&header[22..278]);
    if key_bytes.is_empty() || !is_printable(&key_bytes) {
        return Err("the key expression is not a text".into());
    }
    let condition = text(&header[282..538]);
    let own_name = text(&header[538..550]);
    let name = if compound || own_name.is_empty() || !is_printable(&own_name) { name } else { &own_name };
    let kind = if compound { BagKind::CompoundNtx } else { BagKind::Ntx };
    Ok(TagHeader {
        key_bytes,
        for_bytes: (flags & NTX_FOR != 0 && !condition.is_empty()).then_some(condition),
        descending: header[280] != 0,
        unique: header[278] != 0,
        custom: flags & NTX_CUSTOM != 0 || header[550] != 0,
        partial: flags & (NTX_PARTIAL | NTX_CHANGE_ONLY) != 0,
        change_only: flags & NTX_CHANGE_ONLY != 0,
        key_length,
        decimals: u8::try_from(decimals).map_err(|_| Reason::from("the number of decimals is out of range"))?,
        root: long(header, 4).unwrap_or(0),
        pointers_are_pages: flags & NTX_LARGE != 0,
        ..TagHeader::new(kind, name, header_offset)
    })
}

fn is_printable(text: &[u8]) -> bool {
    text.iter().all(|byte| *byte >= b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compact(options: u8) -> Vec<u8> {
        let mut header = vec![0; COMPACT_HEADER_LEN];
        header[..4].copy_from_slice(&1536u32.to_le_bytes());
        header[12] = 10;
        header[14] = options;
        header[512..524].copy_from_slice(b"NAME\0.T.\0\0\0\0");
        header[504] = 5;
        header[506] = 4;
        header[510] = 5;
        header
    }

    fn parse(header: &[u8]) -> Result<TagHeader, Reason> {
        parse_compact(header, BagKind::Cdx, b"tag", 0, Paging::parse(header, CompactDialect::Cdx)?)
    }

    #[test]
    fn flags_and_expressions_of_a_compact_header() {
        let mut header = compact(0x60 | FOR | CANDIDATE_OR_CUSTOM);
        let tag = parse(&header).unwrap();
        assert_eq!((tag.name.as_str(), &*tag.key_text()), ("TAG", "NAME"));
        assert_eq!(tag.for_text().as_deref(), Some(".T."));
        assert!(tag.candidate && !tag.custom && !tag.descending && !tag.lists_all_records());

        header[494..501].copy_from_slice(b"GENERAL");
        assert_eq!(parse(&header).unwrap().collation.as_deref(), Some("GENERAL"));
        header[494..502].copy_from_slice(b"MACHINE\0");
        assert_eq!(parse(&header).unwrap().collation, None);

        header[20..24].copy_from_slice(b"RCHB");
        assert!(parse(&header).is_err(), "a page length of 0");
        header[18..20].copy_from_slice(&512u16.to_le_bytes());
        assert!(parse(&header).unwrap().custom);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(parse(&compact(0)).is_err());
        let mut header = compact(0x60);
        header[12] = 241;
        assert!(parse(&header).is_err());
        let mut header = compact(0x60);
        header[511] = 3;
        assert!(parse(&header).is_err());
        assert!(parse(&[]).is_err() && parse_plain(&[], b"", 0).is_err() && parse_ntx(&[], b"", 0, false).is_err());
    }
}
