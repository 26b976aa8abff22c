//! Memo files: the long values that records only refer to.
//!
//! | kind | file | block size | a value | a reference |
//! |---|---|---|---|---|
//! | DBT of dBASE III, Clipper | `.dbt` | 512 | text up to 0x1A | 10 digits |
//! | DBT of dBASE IV and later | `.dbt` | header, byte 20 | `FF FF 08 00`, length with these 8 bytes, bytes | 10 digits |
//! | FPT of FoxPro, Clipper 5.3, Harbour | `.fpt` | header, byte 4, big-endian | type, length, bytes | 10 digits, or 4 bytes |
//! | ADM of Advantage | `.adm` | header, byte 4, big-endian | bytes only | block, length and a 0 in 9 bytes |
//! | SMT of Six | `.smt` | header, byte 4 | bytes only | type, length and block in 10 bytes |
//!
//! A reference is a block number; the value begins at that number times the block size. Two bounds keep a
//! broken file harmless: no value reaches beyond the end of the file, and nothing is allocated before that is
//! known. A reference that leads nowhere is not an error of the read but a [`Fetched::Damaged`], so that the
//! row keeps its other values.
//!
//! The name of the file and the version of the table determine its kind; where they contradict each other, its content
//! decides (`identity.rs`).
//!
//! FPT records carry a type. Text, pictures and objects are given as their bytes; the scalar types that
//! FlexFile, Six and Harbour add (numbers, dates, logicals) as text in the way xBase prints them; arrays and
//! types not known as their bytes.

mod identity;
mod scalar;
mod space;
mod write;

pub use write::{MemoWriter, empty_file};

use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every kind has a header of at least this length, and no value in it.
const HEADER_LENGTH: u64 = 512;

/// The header of an ADM with its list of free blocks.
const ADM_HEADER_LENGTH: u64 = 1024;

/// The first bytes of a value of dBASE IV.
const DBASE4_MARK: [u8; 4] = [0xFF, 0xFF, 0x08, 0x00];

/// The kinds of memo files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoKind {
    /// dBASE III, Clipper, Harbour DBFNTX.
    DbaseThree,
    /// dBASE IV and later.
    DbaseFour,
    /// FoxPro, Visual FoxPro, Clipper 5.3, Harbour DBFCDX.
    FoxPro,
    /// Six, Harbour.
    Six,
    /// Advantage: the `.adm` beside an `.adt`.
    Advantage,
}

impl MemoKind {
    /// The kind that goes with a table of this version; `None` if the version does not say.
    pub fn of_version(version: u8) -> Option<MemoKind> {
        Some(match version {
            0x83 | 0x87 => MemoKind::DbaseThree,
            0x04 | 0x05 | 0x7B | 0x8B | 0x8C | 0x8E | 0xCB => MemoKind::DbaseFour,
            0x30..=0x32 | 0xF5 | 0xFB => MemoKind::FoxPro,
            0xE5 => MemoKind::Six,
            crate::adt::VERSION_BYTE => MemoKind::Advantage,
            _ => return None,
        })
    }

    /// The kind that name and version suggest: the extension decides first; the version of the table and the memo's own
    /// header tell the two DBT kinds apart.
    fn expected(path: &Path, version: u8, header: &[u8]) -> MemoKind {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        let by_version = MemoKind::of_version(version);
        match extension.as_deref() {
            Some("adm") => MemoKind::Advantage,
            Some("smt") => MemoKind::Six,
            Some("fpt" | "dct" | "sct" | "vct" | "pjt" | "frt" | "lbt" | "mnt") => MemoKind::FoxPro,
            Some("dbt") => match by_version {
                Some(kind @ (MemoKind::DbaseThree | MemoKind::DbaseFour)) => kind,
                _ if header.get(16) == Some(&3) || dbase4_block_size(header) == 0 => MemoKind::DbaseThree,
                _ => MemoKind::DbaseFour,
            },
            _ => by_version.unwrap_or(MemoKind::FoxPro),
        }
    }
}

impl fmt::Display for MemoKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemoKind::DbaseThree => "DBT (dBASE III)",
            MemoKind::DbaseFour => "DBT (dBASE IV)",
            MemoKind::FoxPro => "FPT",
            MemoKind::Six => "SMT",
            MemoKind::Advantage => "ADM",
        })
    }
}

/// An open memo file.
#[derive(Debug)]
pub struct Memo {
    file: Arc<dyn File>,
    kind: MemoKind,
    block_size: u64,
    /// Six wrote it: type 2 is a number, not an object.
    six: bool,
    /// Why it is not certain that the file is of this kind.
    doubt: Option<String>,
    /// The length of the file when last looked at; grows.
    length: AtomicU64,
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The number of its first block.
    pub block: u64,
    /// Type and length, which SMT keeps in the record, as ADM does the length.
    pub six: Option<(u16, u32)>,
}

/// The value of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The value's bytes were appended.
    Value,
    /// The value is NIL.
    Nil,
    /// Nothing sound is there, for this reason.
    Damaged(String),
}

/// Bytes around the last value read: values written one after the other are read many at a time.
#[derive(Debug, Default)]
pub struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Memo {
    /// Opens the memo file of a table with this version byte.
    pub fn open(file: Arc<dyn File>, table_version: u8) -> Result<Memo> {
        let length = file.stamp()?.len;
        let mut header = vec![0; 1024];
        let read = file.read_at(&mut header, 0)?;
        header.truncate(read);
        let (kind, doubt) = identity::identify(&*file, table_version, &header, length)?;
        let shown = file.path().display().to_string();
        if header.len() < 512 && (kind != MemoKind::DbaseThree || header.len() < 4) {
            let message = format!("a memo file of kind {kind} has a header of 512 bytes; this file has {length}");
            return Err(Error::new(Code::Damaged, message).at(shown));
        }
        let block_size = block_size(kind, &header);
        if block_size == 0 {
            return Err(Error::new(Code::Damaged, "the memo header says that blocks have 0 bytes").at(shown));
        }
        let six = header.get(8..15) == Some(b"SIxMemo");
        Ok(Memo { file, kind, block_size, six, doubt, length: AtomicU64::new(length) })
    }

    /// The kind of file.
    pub fn kind(&self) -> MemoKind {
        self.kind
    }

    /// Why it is not certain that the file is of this kind: then nothing is written to it.
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.as_deref()
    }

    /// Bytes in a block.
    pub fn block_size(&self) -> u64 {
        self.block_size
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The open file.
    pub(crate) fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    /// A value as it is stored: its type (1 where files of this kind have none) and its bytes; a text if nothing
    /// sound is there.
    pub(crate) fn fetch_stored(
        &self,
        reference: &Reference,
        window: &mut Window,
    ) -> Result<Result<(u32, Vec<u8>), String>> {
        let span = match self.locate(reference, window)? {
            Ok(span) => span,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut bytes = Vec::new();
        if !self.append(window, span.start, span.length, &mut bytes)? {
            return Ok(Err("the file was cut while it was read".into()));
        }
        Ok(Ok((span.kind, bytes)))
    }

    /// The reference in the bytes of a memo field; `None` for an empty field. The error is a text for bytes that are
    /// not a reference.
    pub fn reference(&self, field: &[u8]) -> Result<Option<Reference>, String> {
        parse_reference(self.kind, field)
    }

    /// The value, or `None` for none, NIL and a reference to nowhere.
    pub fn read(&self, reference: Option<&Reference>) -> Result<Option<Vec<u8>>> {
        let mut value = Vec::new();
        let Some(reference) = reference else { return Ok(None) };
        let fetched = self.fetch(reference, &mut Window::default(), &mut value)?;
        Ok((fetched == Fetched::Value).then_some(value))
    }

    /// Appends the value's bytes to `out`.
    pub fn fetch(&self, reference: &Reference, window: &mut Window, out: &mut Vec<u8>) -> Result<Fetched> {
        let span = match self.locate(reference, window)? {
            Ok(span) => span,
            Err(reason) => return Ok(Fetched::Damaged(reason)),
        };
        let start = out.len();
        if !self.append(window, span.start, span.length, out)? {
            return Ok(Fetched::Damaged("the file was cut while it was read".into()));
        }
        Ok(match (self.kind, span.kind) {
            (MemoKind::FoxPro, kind) => scalar::fox(kind, self.six, out, start),
            (MemoKind::Six, kind) if kind != 1 => scalar::six(out, start),
            _ => Fetched::Value,
        })
    }

    /// Appends `length` bytes from the beginning of a block that has no header of its own: what Six does for
    /// fields of any type.
    pub fn fetch_raw(&self, block: u64, length: u64, window: &mut Window, out: &mut Vec<u8>) -> Result<Fetched> {
        self.fetch_raw_after(block, 0, length, window, out)
    }

    /// The same, from `skip` bytes into the block on.
    pub fn fetch_raw_after(
        &self,
        block: u64,
        skip: u64,
        length: u64,
        window: &mut Window,
        out: &mut Vec<u8>,
    ) -> Result<Fetched> {
        let start = self.offset(block).and_then(|offset| offset.checked_add(skip));
        match start {
            Some(start) if self.append(window, start, length, out)? => Ok(Fetched::Value),
            _ => Ok(Fetched::Damaged(self.nowhere(block))),
        }
    }

    /// The bytes of the file that the value takes, its header included; a text if there is nothing sound.
    pub fn extent(&self, reference: &Reference, window: &mut Window) -> Result<Result<std::ops::Range<u64>, String>> {
        let offset = self.offset(reference.block).unwrap_or(0);
        Ok(self.locate(reference, window)?.map(|span| offset..span.start + span.length))
    }

    fn offset(&self, block: u64) -> Option<u64> {
        block.checked_mul(self.block_size).filter(|offset| *offset >= header_length(self.kind))
    }

    fn nowhere(&self, block: u64) -> String {
        format!("memo block {block} lies outside the memo file ({} bytes)", self.length.load(Ordering::Relaxed))
    }

    /// Returns true if the file has at least this many bytes; asks the file again if it had fewer.
    fn reaches(&self, end: u64) -> Result<bool> {
        if end <= self.length.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let length = self.file.stamp()?.len;
        self.length.store(length, Ordering::Relaxed);
        Ok(end <= length)
    }

    fn locate(&self, reference: &Reference, window: &mut Window) -> Result<Result<Span, String>> {
        let block = reference.block;
        let Some(offset) = self.offset(block) else { return Ok(Err(self.nowhere(block))) };
        let span = match (self.kind, reference.six) {
            (MemoKind::Six | MemoKind::Advantage, Some((kind, length))) => {
                Span { start: offset, length: u64::from(length), kind: u32::from(kind) }
            }
            (MemoKind::Advantage, None) => return Ok(Err("an ADM reference without a length".into())),
            (MemoKind::Six, None) => return Ok(Err("an SMT reference of 4 bytes does not say the length".into())),
            _ => {
                if !self.reaches(offset.saturating_add(1))? {
                    return Ok(Err(self.nowhere(block)));
                }
                let head = self.load(window, offset, 8)?;
                match span_of_head(self.kind, head, offset) {
                    Some(Ok(span)) => span,
                    Some(Err(reason)) => return Ok(Err(format!("memo block {block}: {reason}"))),
                    None => self.span_to_mark(window, offset)?,
                }
            }
        };
        if !self.reaches(span.start.saturating_add(span.length))? {
            let length = span.length;
            return Ok(Err(format!("memo block {block} claims {length} bytes, more than the memo file has")));
        }
        Ok(Ok(span))
    }

    /// The text from here to 0x1A or the end of the file.
    fn span_to_mark(&self, window: &mut Window, start: u64) -> Result<Span> {
        let mut end = start;
        loop {
            let bytes = self.load(window, end, 512)?;
            if let Some(mark) = memchr::memchr(0x1A, bytes) {
                return Ok(Span { start, length: end + mark as u64 - start, kind: 1 });
            }
            if bytes.is_empty() {
                return Ok(Span { start, length: end - start, kind: 1 });
            }
            end += bytes.len() as u64;
        }
    }

    /// Up to `wanted` bytes from `offset`; fewer only at the end of the file.
    fn load<'w>(&self, window: &'w mut Window, offset: u64, wanted: usize) -> Result<&'w [u8]> {
        let end = window.start + window.bytes.len() as u64;
        let missing = offset < window.start || offset.saturating_add(wanted as u64) > end;
        if missing {
            // Near the last place: read ahead. Elsewhere: a page, most values are short.
            let sequential = offset >= window.start && offset <= end + 65_536 && !window.bytes.is_empty();
            let length = wanted.max(if sequential { 65_536 } else { 4_096 });
            window.bytes.resize(length, 0);
            window.start = offset;
            let read = self.file.read_at(&mut window.bytes, offset).inspect_err(|_| window.bytes.clear())?;
            window.bytes.truncate(read);
            let expected = self.length.load(Ordering::Relaxed).saturating_sub(offset).min(length as u64);
            if (read as u64) < expected {
                window.bytes.clear();
                return Err(self.cut(offset, usize::try_from(expected).unwrap_or(usize::MAX)));
            }
        }
        let from = usize::try_from(offset - window.start).unwrap_or(usize::MAX).min(window.bytes.len());
        let to = from.saturating_add(wanted).min(window.bytes.len());
        Ok(&window.bytes[from..to])
    }

    /// Appends these bytes of the file; false if the file does not have them.
    fn append(&self, window: &mut Window, start: u64, length: u64, out: &mut Vec<u8>) -> Result<bool> {
        if !self.reaches(start.saturating_add(length))? {
            return Ok(false);
        }
        let Ok(length) = usize::try_from(length) else { return Ok(false) };
        if length <= 32_768 {
            let bytes = self.load(window, start, length)?;
            out.extend_from_slice(bytes);
            return if bytes.len() == length { Ok(true) } else { Err(self.cut(start, length)) };
        }
        let before = out.len();
        out.resize(before + length, 0);
        self.file.read_exact_at(&mut out[before..], start)?;
        Ok(true)
    }

    fn cut(&self, start: u64, length: usize) -> Error {
        let end = start.saturating_add(length as u64);
        let message = format!("the file ends before byte {end}; it was longer a moment ago");
        Error::new(Code::Damaged, message).at(self.path().display())
    }
}

/// Where the bytes of a value are, without their header.
struct Span {
    start: u64,
    length: u64,
    kind: u32,
}

/// Reads the header of a value. `None`: there is none, the text goes up to its end mark.
fn span_of_head(kind: MemoKind, head: &[u8], offset: u64) -> Option<Result<Span, String>> {
    let word = |at: usize| head.get(at..at + 4).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    if kind != MemoKind::FoxPro {
        // Found also under tables of version 0x83 that dBASE IV has written to.
        if word(0) != Some(DBASE4_MARK) {
            return None;
        }
        let length = u64::from(word(4).map(u32::from_le_bytes)?);
        return Some(match length.checked_sub(8) {
            Some(length) => Ok(Span { start: offset + 8, length, kind: 1 }),
            None => Err(format!("a length of {length}, less than the 8 bytes that say it")),
        });
    }
    let (Some(kind), Some(length)) = (word(0), word(4)) else {
        return Some(Err("the file ends within the block's header".into()));
    };
    let length = u64::from(u32::from_be_bytes(length));
    Some(Ok(Span { start: offset + 8, length, kind: u32::from_be_bytes(kind) }))
}

fn dbase4_block_size(header: &[u8]) -> u64 {
    match header.get(20..22) {
        Some(&[low, high]) => u64::from(u16::from_le_bytes([low, high])),
        _ => 0,
    }
}

fn block_size(kind: MemoKind, header: &[u8]) -> u64 {
    let word: [u8; 4] = header.get(4..8).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
    match kind {
        MemoKind::DbaseThree => 512,
        MemoKind::DbaseFour => match dbase4_block_size(header) {
            0 => 512,
            size => size,
        },
        MemoKind::Six => u64::from(u32::from_le_bytes(word)),
        MemoKind::Advantage => u64::from(u32::from_be_bytes(word)),
        MemoKind::FoxPro => {
            // The block size has two bytes; some writers leave rubbish in the two before it.
            let size = u32::from_be_bytes(word);
            let size = if size > 0x1_0000 && size & 0xFFFF != 0 { size & 0xFFFF } else { size };
            // FlexFile has a second place for it, used when the first is 0.
            let flex = match header.get(0x21C..0x21E) {
                Some(&[low, high]) if header.get(512..521) == Some(b"FlexFile3") => u16::from_le_bytes([low, high]),
                _ => 0,
            };
            if size == 0 { u64::from(flex) } else { u64::from(size) }
        }
    }
}

/// Bytes before the first value.
fn header_length(kind: MemoKind) -> u64 {
    if kind == MemoKind::Advantage { ADM_HEADER_LENGTH } else { HEADER_LENGTH }
}

/// The 9 bytes of a memo field in an ADT. Blanks are a field that a third-party writer has never filled.
fn advantage_reference(field: &[u8]) -> Result<Option<Reference>, String> {
    let &[b0, b1, b2, b3, l0, l1, l2, l3, _] = field else {
        return Err(format!("a reference of {} bytes; those of 9 are known", field.len()));
    };
    let (block, length) = (u32::from_le_bytes([b0, b1, b2, b3]), u32::from_le_bytes([l0, l1, l2, l3]));
    if block == 0 || field == [b' '; 9] {
        return Ok(None);
    }
    Ok(Some(Reference { block: block.into(), six: Some((1, length)) }))
}

/// The reference in the bytes of a memo field, for a memo file of this kind.
pub fn parse_reference(kind: MemoKind, field: &[u8]) -> Result<Option<Reference>, String> {
    if kind == MemoKind::Advantage {
        return advantage_reference(field);
    }
    let found = |block: u64| Ok((block != 0).then_some(Reference { block, six: None }));
    if let &[a, b, c, d] = field {
        let block = u32::from_le_bytes([a, b, c, d]);
        // A text reference would have more digits: four blanks are a field that was never written.
        return if block == 0x2020_2020 { Ok(None) } else { found(u64::from(block)) };
    }
    if let (MemoKind::Six, &[t0, t1, l0, l1, l2, l3, b0, b1, b2, b3]) = (kind, field) {
        let block = u64::from(u32::from_le_bytes([b0, b1, b2, b3]));
        let six = (u16::from_le_bytes([t0, t1]), u32::from_le_bytes([l0, l1, l2, l3]));
        let empty = six.0 == 0x2020 || block == 0;
        return Ok((!empty).then_some(Reference { block, six: Some(six) }));
    }
    // Access fills the reference of an empty memo with NULs.
    let digits = field.trim_ascii();
    if digits.is_empty() || digits.iter().all(|&byte| byte == 0) {
        return Ok(None);
    }
    let number = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    match number.and_then(|text| text.parse().ok()) {
        Some(block) => found(block),
        None => Err(format!("'{}' is not a block number", digits.escape_ascii())),
    }
}
