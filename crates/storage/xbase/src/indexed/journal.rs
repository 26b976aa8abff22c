//! The undo journal: the file beside the tables from which an interrupted transaction is undone.
//!
//! ```text
//!   shop/orders.dbf  shop/items.dbf
//!   shop/.mainstay-transactions/4711-1-18C0F.undo      header | table 0 | change | table 1 | change | change ...
//!   other/.mainstay-transactions/4711-1-18C0F.link     the path of that file, where a table is in another folder
//! ```
//! An entry is written before the record that it is about. Removing the file is the commit. The process of the
//! transaction keeps the file locked (flock) as long as it lives; a file that is not locked is abandoned, and the next
//! process that opens a table of its folder undoes its changes. Byte for byte: `docs/formats/dbf-transactions.md`.

use super::reach::{self, Target, real_folder_of, tables_of, target_of};
use crate::lock::LockScheme;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem, LockMode, WritableFile, leads_below};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The folder of the journals, beside the tables.
pub(super) const FOLDER: &str = ".mainstay-transactions";

const MAGIC: [u8; 8] = *b"MSDBFTX\x01";

/// Bytes of the header, and of what is in front of an entry.
pub(super) const HEADER_LENGTH: u64 = 16;
pub(super) const FRAME_LENGTH: usize = 12;

/// The longest entry that is believed.
const MAX_ENTRY: u32 = 1 << 26;

/// An entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A table of the transaction, or one whose index files have changed.
    Table { number: u32, scheme: LockScheme, path: PathBuf, bags: Vec<PathBuf> },
    /// A record that is about to be changed; without old bytes it is appended.
    Change { table: u32, record: u64, old: Option<Vec<u8>>, new: Vec<u8> },
    /// All changes of this table that stand before are undone.
    Undone { table: u32 },
    /// Another journal decides if the changes stay: they are not undone while its decision is unknown.
    InDoubt,
}

/// The journal of a transaction that is under way.
#[derive(Debug)]
pub(super) struct Journal {
    fs: Arc<dyn FileSystem>,
    file: Arc<dyn WritableFile>,
    path: PathBuf,
    /// The folder of the tables.
    folder: PathBuf,
    links: Vec<PathBuf>,
    end: u64,
}

pub(super) fn folder_of(table: &Path) -> &Path {
    table.parent().unwrap_or(Path::new(""))
}

impl Journal {
    /// Begins a journal beside this table.
    pub(super) fn create(fs: &Arc<dyn FileSystem>, table: &Path, durable: bool) -> Result<Journal> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let folder = folder_of(table);
        let journals = folder.join(FOLDER);
        fs.create_folder(&journals)?;
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
            let path = journals.join(format!("{}-{number}-{now:X}.undo", std::process::id()));
            let file = fs.create(&path, Create::New)?;
            // Another process that looks for abandoned journals may have been quicker than the lock: then the file is
            // already removed.
            let is_ours = file.try_share(LockMode::Exclusive)?
                && fs.stamp(&path).is_ok_and(|stamp| file.stamp().is_ok_and(|own| own.identity == stamp.identity));
            if !is_ours {
                continue;
            }
            let mut header = MAGIC.to_vec();
            header.resize(HEADER_LENGTH as usize, 0);
            file.write_at(&header, 0)?;
            if durable {
                file.sync()?;
                fs.sync_folder(&journals)?;
                fs.sync_folder(folder)?;
            }
            let (fs, folder) = (Arc::clone(fs), folder.to_owned());
            return Ok(Journal { fs, file, path, folder, links: Vec::new(), end: HEADER_LENGTH });
        }
    }

    /// Where the next entry will be.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Adds an entry.
    pub(super) fn write(&mut self, entry: &Entry, durable: bool) -> Result<()> {
        if let Entry::Table { path, bags, .. } = entry {
            self.link_all(path, bags, durable)?;
        }
        let payload = encode(entry, &self.folder);
        let mut bytes = Vec::with_capacity(FRAME_LENGTH + payload.len());
        bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
        bytes.extend_from_slice(&payload);
        self.file.write_at(&bytes, self.end)?;
        if durable {
            self.file.sync()?;
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Leaves links in the folders of the table and its index files, both by name and by resolved path: processes that
    /// open them there look for journals there, and undoing follows a path out of the journal's folder only to such a
    /// link (`reach.rs`).
    fn link_all(&mut self, table: &Path, bags: &[PathBuf], durable: bool) -> Result<()> {
        self.link(folder_of(table), durable)?;
        for path in std::iter::once(table).chain(bags.iter().map(PathBuf::as_path)) {
            let is_beside = folder_of(path) == self.folder && !self.fs.is_link(path);
            if !is_beside && !leads_below(&*self.fs, path, &self.folder)? {
                let folder = real_folder_of(&*self.fs, path)?;
                self.link(&folder, durable)?;
            }
        }
        Ok(())
    }

    /// Leaves word in another folder of where this file is.
    pub(super) fn link(&mut self, folder: &Path, durable: bool) -> Result<()> {
        if folder == self.folder {
            return Ok(());
        }
        let name = self.path.with_extension("link");
        let link = folder.join(FOLDER).join(name.file_name().unwrap_or_default());
        if self.links.contains(&link) {
            return Ok(());
        }
        self.fs.create_folder(&folder.join(FOLDER))?;
        let file = self.fs.create(&link, Create::Truncate)?;
        file.write_at(self.path.to_string_lossy().as_bytes(), 0)?;
        if durable {
            file.sync()?;
            self.fs.sync_folder(&folder.join(FOLDER))?;
            self.fs.sync_folder(folder)?;
        }
        self.links.push(link);
        Ok(())
    }

    /// Forgets the entries from this place on.
    pub(super) fn cut(&mut self, end: u64) -> Result<()> {
        self.file.set_len(end)?;
        self.end = end;
        Ok(())
    }

    /// Ends the transaction: from here on nothing is undone.
    pub(super) fn remove(&self, durable: bool) -> Result<()> {
        self.fs.remove(&self.path)?;
        if durable {
            self.fs.sync_folder(folder_of(&self.path))?;
        }
        for link in &self.links {
            // The process that finds a link to nothing removes it.
            let _ = self.fs.remove(link);
        }
        Ok(())
    }

    /// The file, for further use by the caller.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// A journal whose owner is gone, locked by us.
#[derive(Debug)]
pub(super) struct Abandoned {
    pub(super) path: PathBuf,
    file: Arc<dyn WritableFile>,
    end: u64,
    pub(super) entries: Vec<Entry>,
}

/// The abandoned journals that concern tables of this folder.
pub(super) fn abandoned(fs: &dyn FileSystem, table: &Path) -> Result<Vec<Abandoned>> {
    let journals = folder_of(table).join(FOLDER);
    if !fs.is_folder(&journals) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs.list(&journals)? {
        let extension = entry.path.extension().and_then(|extension| extension.to_str());
        let path = match extension {
            Some("undo") => entry.path,
            Some("link") => match target_of(fs, &entry.path)? {
                Target::Journal(target) => target,
                Target::Gone => {
                    ignore_missing(fs.remove(&entry.path))?;
                    continue;
                }
                Target::Unwritten => continue,
            },
            _ => continue,
        };
        found.extend(Abandoned::open(fs, &path)?);
    }
    Ok(found)
}

fn ignore_missing(result: Result<()>) -> Result<()> {
    match result {
        Err(error) if error.code() == Code::NotFound => Ok(()),
        result => result,
    }
}

impl Abandoned {
    /// Opens a journal; nothing if its transaction is under way, or was ended by now.
    pub(super) fn open(fs: &dyn FileSystem, path: &Path) -> Result<Option<Abandoned>> {
        let file = match fs.create(path, Create::Existing) {
            Err(error) if error.code() == Code::NotFound => return Ok(None),
            file => file?,
        };
        let is_current = |file: &dyn WritableFile| -> Result<bool> {
            let now = fs.stamp(path);
            Ok(now.is_ok_and(|stamp| file.stamp().is_ok_and(|own| own.identity == stamp.identity)))
        };
        if !file.try_share(LockMode::Exclusive)? || !is_current(&*file)? {
            return Ok(None);
        }
        let mut bytes = vec![0; usize::try_from(file.stamp()?.len).unwrap_or(usize::MAX)];
        let length = file.read_at(&mut bytes, 0)?;
        bytes.truncate(length);
        let (entries, end) = parse(&bytes, tables_of(path)).map_err(|error| error.at(path.display()))?;
        reach::check(fs, path, &entries)?;
        Ok(Some(Abandoned { path: path.to_owned(), file, end, entries }))
    }

    /// Notes that a table is as it was.
    pub(super) fn mark_undone(&mut self, table: u32) -> Result<()> {
        let payload = encode(&Entry::Undone { table }, Path::new(""));
        let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
        bytes.extend_from_slice(&payload);
        self.file.write_at(&bytes, self.end)?;
        self.end += bytes.len() as u64;
        Ok(())
    }
}

/// FNV-1a of 64 bits: tells a torn entry from a whole one.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3))
}

fn scheme_number(scheme: LockScheme) -> u8 {
    match scheme {
        LockScheme::Clipper => 0,
        LockScheme::ClipperComix => 1,
        LockScheme::ClipperExtended => 2,
        LockScheme::Harbour32 => 3,
        LockScheme::FoxPro => 4,
        LockScheme::Harbour64 => 5,
    }
}

fn scheme_of(number: u8) -> Option<LockScheme> {
    use LockScheme::{Clipper, ClipperComix, ClipperExtended, FoxPro, Harbour32, Harbour64};
    [Clipper, ClipperComix, ClipperExtended, Harbour32, FoxPro, Harbour64].get(usize::from(number)).copied()
}

/// A path, without the folder if it is in that, so that the folder may have another name when it is read.
fn put_path(bytes: &mut Vec<u8>, path: &Path, folder: &Path) {
    let name = path.file_name().filter(|_| path.parent() == Some(folder)).map(Path::new);
    let kept = name.unwrap_or(path);
    bytes.push(u8::from(name.is_some()));
    let text = kept.as_os_str().as_encoded_bytes();
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(text);
}

fn encode(entry: &Entry, folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    match entry {
        Entry::Table { number, scheme, path, bags } => {
            bytes.push(1);
            bytes.extend_from_slice(&number.to_le_bytes());
            bytes.push(scheme_number(*scheme));
            put_path(&mut bytes, path, folder);
            bytes.extend_from_slice(&(bags.len() as u32).to_le_bytes());
            bags.iter().for_each(|bag| put_path(&mut bytes, bag, folder));
        }
        Entry::Change { table, record, old, new } => {
            bytes.push(2);
            bytes.extend_from_slice(&table.to_le_bytes());
            bytes.extend_from_slice(&record.to_le_bytes());
            bytes.push(u8::from(old.is_some()));
            bytes.extend_from_slice(&(new.len() as u32).to_le_bytes());
            bytes.extend_from_slice(old.as_deref().unwrap_or_default());
            bytes.extend_from_slice(new);
        }
        Entry::Undone { table } => {
            bytes.push(3);
            bytes.extend_from_slice(&table.to_le_bytes());
        }
        Entry::InDoubt => bytes.push(4),
    }
    bytes
}

/// The entries of a journal up to the first that is not whole, and where they end. A record is written after its entry,
/// so what is not whole has not happened - unless whole entries follow, whose records were written later: then it is damage.
///
/// Errors: `Unsupported` for another header, `Damaged` with the byte of an entry.
pub(super) fn parse(bytes: &[u8], folder: &Path) -> Result<(Vec<Entry>, u64)> {
    let Some(mut rest) = bytes.get(HEADER_LENGTH as usize..) else { return Ok((Vec::new(), HEADER_LENGTH)) };
    if !bytes.starts_with(&MAGIC) {
        if bytes.starts_with(&[0; HEADER_LENGTH as usize]) {
            // The file grew on the disk before its header arrived.
            return Ok((Vec::new(), HEADER_LENGTH));
        }
        let error = Error::new(Code::Unsupported, "a journal of another version: it says what is to be undone");
        return Err(error.at("byte 0"));
    }
    let mut entries = Vec::new();
    while let Some((payload, after)) = whole_entry(rest) {
        let Some(entry) = decode(payload, folder) else {
            let error = Error::new(Code::Damaged, "an entry of the journal makes no sense");
            return Err(error.at(format_args!("byte {}", bytes.len() - rest.len())));
        };
        entries.push(entry);
        rest = after;
    }
    let end = bytes.len() - rest.len();
    let later = (1..rest.len()).find(|at| {
        let whole = rest.get(*at..).and_then(whole_entry);
        whole.is_some_and(|(payload, _)| decode(payload, folder).is_some())
    });
    if let Some(later) = later {
        let message = format!("an entry of the journal is damaged, and a whole one follows at byte {}", end + later);
        let error = Error::new(Code::Damaged, message).at(format_args!("byte {end}"));
        return Err(error.hint("what it says cannot be undone; take it away to keep the tables as they are"));
    }
    Ok((entries, end as u64))
}

/// The first entry, if it is whole, and what follows it.
pub(super) fn whole_entry(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    let sum = u64::from_le_bytes(bytes.get(4..FRAME_LENGTH)?.try_into().ok()?);
    let end = FRAME_LENGTH + length as usize;
    let payload = bytes.get(FRAME_LENGTH..end).filter(|_| (1..=MAX_ENTRY).contains(&length))?;
    (checksum(payload) == sum).then(|| (payload, bytes.get(end..).unwrap_or_default()))
}

/// The unread rest of an entry.
struct Reading<'b>(&'b [u8]);

impl<'b> Reading<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn path(&mut self, folder: &Path) -> Option<PathBuf> {
        let is_in_folder = self.byte()? == 1;
        let length = self.number()? as usize;
        let kept = PathBuf::from(String::from_utf8(self.take(length)?.to_vec()).ok()?);
        Some(if is_in_folder { folder.join(kept) } else { kept })
    }
}

pub(super) fn decode(payload: &[u8], folder: &Path) -> Option<Entry> {
    let mut reading = Reading(payload);
    let entry = match reading.byte()? {
        1 => {
            let number = reading.number()?;
            let scheme = scheme_of(reading.byte()?)?;
            let path = reading.path(folder)?;
            let count = reading.number()? as usize;
            let bags = (0..count.min(payload.len())).map(|_| reading.path(folder)).collect::<Option<Vec<_>>>()?;
            Entry::Table { number, scheme, path, bags }
        }
        2 => {
            let table = reading.number()?;
            let record = u64::from_le_bytes(reading.take(8)?.try_into().ok()?);
            let has_old = reading.byte()? == 1;
            let length = reading.number()? as usize;
            let old = if has_old { Some(reading.take(length)?.to_vec()) } else { None };
            Entry::Change { table, record, old, new: reading.take(length)?.to_vec() }
        }
        3 => Entry::Undone { table: reading.number()? },
        4 => Entry::InDoubt,
        _ => return None,
    };
    reading.0.is_empty().then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_written_up_to_the_first_that_is_torn() {
        let folder = Path::new("shop");
        let entries = [
            Entry::Table {
                number: 0,
                scheme: LockScheme::Harbour32,
                path: folder.join("a.dbf"),
                bags: vec![folder.join("a.cdx"), PathBuf::from("other/b.ntx")],
            },
            Entry::Change { table: 0, record: 7, old: Some(b"old".to_vec()), new: b"new".to_vec() },
            Entry::Change { table: 0, record: 8, old: None, new: b"new".to_vec() },
            Entry::InDoubt,
            Entry::Undone { table: 0 },
        ];
        let mut bytes = MAGIC.to_vec();
        bytes.resize(HEADER_LENGTH as usize, 0);
        let mut ends = Vec::new();
        for entry in &entries {
            let payload = encode(entry, folder);
            bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
            bytes.extend_from_slice(&payload);
            ends.push(bytes.len());
        }
        for length in HEADER_LENGTH as usize..=bytes.len() {
            let whole = ends.iter().filter(|end| **end <= length).count();
            let (found, end) = parse(&bytes[..length], folder).unwrap();
            assert_eq!(found, entries[..whole]);
            assert_eq!(end as usize, if whole == 0 { HEADER_LENGTH as usize } else { ends[whole - 1] });
        }
        // Damage of the last entry is taken for one that was cut off; any other has whole entries behind it.
        let last = ends[entries.len() - 2];
        for at in HEADER_LENGTH as usize..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            match parse(&damaged, folder) {
                Ok((found, _)) => assert!(at >= last && found == entries[..entries.len() - 1], "{at}"),
                Err(error) => {
                    let start = ends.iter().rev().find(|end| **end <= at).copied().unwrap_or(HEADER_LENGTH as usize);
                    assert!(at < last, "{at}: {error}");
                    assert_eq!((error.code(), error.place()), (Code::Damaged, Some(&*format!("byte {start}"))), "{at}");
                }
            }
            // The same with the byte missing.
            damaged.remove(at);
            assert_eq!(parse(&damaged, folder).is_err(), at < last, "{at}");
        }
        assert!(parse(&bytes[..5], folder).unwrap().0.is_empty());
        assert_eq!(parse(&[7; 40], folder).unwrap_err().code(), Code::Unsupported);
    }
}
