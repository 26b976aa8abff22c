//! The manifest: the contents of a checkpoint. A codec without I/O.
//!
//! ```text
//!    0  8  `MSMANIFT`
//!    8  4  version, 3; 1 and 2 are read
//!   12  4  crc32c of bytes 0 to 12 and 16 to the end
//!   16  8  length of the file
//!   24     checkpoint, commit number, journal, next file (varints)
//!          catalog: length, JSON text
//!          sequences: count, then of each its number and its next value (signed)
//!          tables: count, then of each
//!            table, next row id, next group, groups: count, then of each
//!              group, rows, file, length, checksum (4 bytes), deleted: count, then differences of offsets
//!              from version 2 on: row ids: flags, first, and if they do not count on from that: last, least, greatest
//!              from version 3 on: form of the file (1 byte), bytes of the rows in memory
//!            from version 2 on: indexes: count, then of each
//!              what its keys are (length, text), runs: count, then of each: file, length, checksum (4 bytes), entries
//! ```
//!
//! A manifest of version 1 has no row ids and indexes: all rows have to be read when it is opened. The group files of
//! versions before 3 are Arrow files, whose rows take in memory what they take there.
//!
//! It is written whole, beside the old one, and renamed over it: so there is always one valid manifest.
//! Everything that committed with a number up to `commit_number` is in the files it names; later commits are in the
//! journal with number `journal` and those that follow it. `docs/formats/checkpoint.md` is the page for other readers.

use super::catalog::Catalog;
use crate::journal::checksum::{continued, crc32c};
use crate::journal::redo::number::{Cursor, damaged, put_signed, put_sized, put_varint};
use mainstay_types::{Code, Error, Result};

const MAGIC: [u8; 8] = *b"MSMANIFT";
const VERSION: u32 = 3;
/// The first one, whose groups have no row ids and whose tables no indexes.
const FIRST_VERSION: u32 = 1;
/// The first one that says of which form a group file is.
const FORMS_VERSION: u32 = 3;
/// Flags of row ids.
const KNOWN: u8 = 1;
const DENSE: u8 = 2;
const MIXED: u8 = 4;
/// Forms of group files.
const ARROW: u8 = 0;
const COLUMNS: u8 = 1;
const HEADER: usize = 24;

/// A checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Its number: one more than that of the checkpoint before.
    pub checkpoint: u64,
    /// The last commit that is in its files.
    pub commit_number: u64,
    /// The number of the first journal to be read on top of it.
    pub journal: u64,
    /// The number that the next group file gets; none that was given before has one as high.
    pub next_file: u64,
    /// The catalog.
    pub catalog: Catalog,
    /// Of each sequence its number and the value it gives next.
    pub sequences: Vec<(u64, i64)>,
    /// The tables that have or had rows.
    pub tables: Vec<TableImage>,
}

/// The rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableImage {
    /// Its number in the catalog.
    pub table: u64,
    /// The row id that the next new row gets.
    pub next_row_id: u64,
    /// The number that its next new group gets.
    pub next_group: u64,
    /// Its groups, in ascending order of their numbers.
    pub groups: Vec<GroupImage>,
    /// The stored indexes; empty for small tables, whose indexes are built from their rows.
    pub indexes: Vec<IndexImage>,
}

/// The stored form of an index. Every row of the table is in a run; entries of deleted rows may remain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexImage {
    /// A description of the keys: columns, types, order. An index with another description does not use these runs.
    pub key: String,
    /// The newest first. An entry of a newer run hides that of the same key in an older one.
    pub runs: Vec<RunImage>,
}

/// A file of sorted entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunImage {
    /// The file.
    pub file: FileFacts,
    /// Its entries.
    pub entries: u64,
}

/// Which row ids the rows of a group have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowIdFacts {
    /// The id of the first row.
    pub first: u64,
    /// The id of the last row.
    pub last: u64,
    /// The least id.
    pub least: u64,
    /// The greatest id.
    pub greatest: u64,
    /// True when the ids are consecutive.
    pub is_dense: bool,
    /// True when the ids do not ascend.
    pub is_mixed: bool,
}

/// The rows of a group: a file, and which of its rows are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupImage {
    /// Its number in the table.
    pub group: u64,
    /// The number of rows in the file.
    pub rows: u32,
    /// The file.
    pub file: FileFacts,
    /// The offsets of the rows that were deleted by the checkpoint's last commit, ascending.
    pub deleted: Vec<u32>,
    /// Its row ids; `None` in a manifest of the first version.
    pub row_ids: Option<RowIdFacts>,
    /// Bytes of its rows in memory.
    pub memory_bytes: u64,
}

/// The manifest's description of a group file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    /// The number in its name.
    pub number: u64,
    /// Its bytes.
    pub length: u64,
    /// The crc32c of all of them.
    pub checksum: u32,
    /// The format of its content.
    pub form: FileForm,
}

/// The format of a file of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileForm {
    /// A group: columns of their own encodings.
    #[default]
    Columns,
    /// A group that an earlier version has written: an Arrow IPC file.
    Arrow,
    /// Entries of an index.
    Run,
}

impl Manifest {
    /// The bytes of the file.
    ///
    /// # Errors
    /// `Internal` when the catalog has no text, or deleted rows are not in order.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut out = vec![0; HEADER];
        out[..8].copy_from_slice(&MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        for number in [self.checkpoint, self.commit_number, self.journal, self.next_file] {
            put_varint(&mut out, number);
        }
        put_sized(&mut out, self.catalog.to_json()?.as_bytes());
        put_varint(&mut out, self.sequences.len() as u64);
        for (sequence, next_value) in &self.sequences {
            put_varint(&mut out, *sequence);
            put_signed(&mut out, *next_value);
        }
        put_varint(&mut out, self.tables.len() as u64);
        self.tables.iter().try_for_each(|table| put_table(&mut out, table))?;
        let length = out.len() as u64;
        out[16..24].copy_from_slice(&length.to_le_bytes());
        let checksum = continued(crc32c(&out[..12]), &out[16..]);
        out[12..16].copy_from_slice(&checksum.to_le_bytes());
        Ok(out)
    }

    /// Reads the bytes of the file.
    ///
    /// # Errors
    /// `Unsupported` for a later version, `Damaged` for anything else that is not right.
    pub fn decode(bytes: &[u8]) -> Result<Manifest> {
        let mut cursor = Cursor::new(bytes);
        if cursor.take(8)? != MAGIC {
            return Err(damaged("the file does not begin like a manifest"));
        }
        let version = u32::from_le_bytes(cursor.array()?);
        let checksum = u32::from_le_bytes(cursor.array()?);
        let length = u64::from_le_bytes(cursor.array()?);
        let (before, behind) = (bytes.get(..12).unwrap_or_default(), bytes.get(16..).unwrap_or_default());
        if length != bytes.len() as u64 || continued(crc32c(before), behind) != checksum {
            return Err(damaged("the manifest's length or checksum is wrong"));
        }
        if !(FIRST_VERSION..=VERSION).contains(&version) {
            let message = format!("the manifest has version {version}, and this program knows {VERSION}");
            return Err(Error::new(Code::Unsupported, message).hint("use the program that wrote it, or a later one"));
        }
        let mut manifest = Manifest {
            checkpoint: cursor.varint()?,
            commit_number: cursor.varint()?,
            journal: cursor.varint()?,
            next_file: cursor.varint()?,
            catalog: Catalog::from_json(cursor.text()?)?,
            ..Manifest::default()
        };
        for _ in 0..cursor.count(2)? {
            manifest.sequences.push((cursor.varint()?, cursor.signed()?));
        }
        for _ in 0..cursor.count(4)? {
            manifest.tables.push(take_table(&mut cursor, version)?);
        }
        if cursor.is_empty() { Ok(manifest) } else { Err(damaged("bytes follow the end of the manifest")) }
    }

    /// Every group file that the checkpoint needs.
    pub fn files(&self) -> impl Iterator<Item = &FileFacts> {
        self.tables.iter().flat_map(|table| table.groups.iter().map(|group| &group.file))
    }

    /// Every run that the checkpoint needs.
    pub fn runs(&self) -> impl Iterator<Item = &FileFacts> {
        let indexes = self.tables.iter().flat_map(|table| &table.indexes);
        indexes.flat_map(|index| index.runs.iter().map(|run| &run.file))
    }
}

fn put_table(out: &mut Vec<u8>, table: &TableImage) -> Result<()> {
    for number in [table.table, table.next_row_id, table.next_group, table.groups.len() as u64] {
        put_varint(out, number);
    }
    for group in &table.groups {
        for number in [group.group, u64::from(group.rows), group.file.number, group.file.length] {
            put_varint(out, number);
        }
        out.extend_from_slice(&group.file.checksum.to_le_bytes());
        put_varint(out, group.deleted.len() as u64);
        let mut least = 0;
        for offset in &group.deleted {
            let Some(step) = offset.checked_sub(least).filter(|_| *offset < group.rows) else {
                return Err(Error::new(Code::Internal, "deleted rows must ascend and exist"));
            };
            put_varint(out, u64::from(step));
            least = offset.saturating_add(1);
        }
        put_row_ids(out, group.row_ids.as_ref());
        out.push(match group.file.form {
            FileForm::Arrow => ARROW,
            FileForm::Columns => COLUMNS,
            FileForm::Run => return Err(Error::new(Code::Internal, "an index file holds no group")),
        });
        put_varint(out, group.memory_bytes);
    }
    put_varint(out, table.indexes.len() as u64);
    for index in &table.indexes {
        put_sized(out, index.key.as_bytes());
        put_varint(out, index.runs.len() as u64);
        for RunImage { file, entries } in &index.runs {
            put_varint(out, file.number);
            put_varint(out, file.length);
            out.extend_from_slice(&file.checksum.to_le_bytes());
            put_varint(out, *entries);
        }
    }
    Ok(())
}

fn put_row_ids(out: &mut Vec<u8>, row_ids: Option<&RowIdFacts>) {
    let Some(ids) = row_ids else { return out.push(0) };
    out.push(KNOWN | if ids.is_dense { DENSE } else { 0 } | if ids.is_mixed { MIXED } else { 0 });
    put_varint(out, ids.first);
    if !ids.is_dense {
        [ids.last, ids.least, ids.greatest].iter().for_each(|id| put_varint(out, *id));
    }
}

fn take_row_ids(cursor: &mut Cursor<'_>, rows: u32) -> Result<Option<RowIdFacts>> {
    let [flags] = cursor.array()?;
    if flags == 0 {
        return Ok(None);
    }
    let (is_dense, is_mixed, first) = (flags & DENSE != 0, flags & MIXED != 0, cursor.varint()?);
    if flags > KNOWN | DENSE | MIXED || flags & KNOWN == 0 || is_dense && is_mixed {
        return Err(damaged("the row ids of a group contradict themselves"));
    }
    let (last, least, greatest) = match is_dense {
        true => {
            let last = first.checked_add(u64::from(rows.saturating_sub(1)));
            let last = last.ok_or_else(|| damaged("the row ids of a group are too high"))?;
            (last, first, last)
        }
        false => (cursor.varint()?, cursor.varint()?, cursor.varint()?),
    };
    Ok(Some(RowIdFacts { first, last, least, greatest, is_dense, is_mixed }))
}

fn take_index(cursor: &mut Cursor<'_>) -> Result<IndexImage> {
    let mut image = IndexImage { key: cursor.text()?.to_owned(), runs: Vec::new() };
    for _ in 0..cursor.count(7)? {
        let (number, length) = (cursor.varint()?, cursor.varint()?);
        let checksum = u32::from_le_bytes(cursor.array()?);
        let file = FileFacts { number, length, checksum, form: FileForm::Run };
        image.runs.push(RunImage { file, entries: cursor.varint()? });
    }
    Ok(image)
}

fn take_table(cursor: &mut Cursor<'_>, version: u32) -> Result<TableImage> {
    let (table, next_row_id, next_group) = (cursor.varint()?, cursor.varint()?, cursor.varint()?);
    let mut image = TableImage { table, next_row_id, next_group, ..TableImage::default() };
    for _ in 0..cursor.count(9)? {
        let group = take_group(cursor, version)?;
        let ascends = image.groups.last().is_none_or(|last| last.group < group.group);
        if !ascends || group.group >= next_group {
            return Err(damaged("the groups of a table are not in order"));
        }
        image.groups.push(group);
    }
    if version > FIRST_VERSION {
        for _ in 0..cursor.count(2)? {
            image.indexes.push(take_index(cursor)?);
        }
    }
    Ok(image)
}

fn take_group(cursor: &mut Cursor<'_>, version: u32) -> Result<GroupImage> {
    let group = cursor.varint()?;
    let rows = u32::try_from(cursor.varint()?).map_err(|_| damaged("a group has too many rows"))?;
    let (number, length) = (cursor.varint()?, cursor.varint()?);
    let checksum = u32::from_le_bytes(cursor.array()?);
    let count = cursor.count(1)?;
    let mut deleted = Vec::with_capacity(count);
    let mut least = 0u64;
    for _ in 0..count {
        let offset = least.checked_add(cursor.varint()?).filter(|offset| *offset < u64::from(rows));
        let offset = offset.ok_or_else(|| damaged("a deleted row does not exist"))?;
        deleted.push(offset as u32);
        least = offset + 1;
    }
    let row_ids = if version > FIRST_VERSION { take_row_ids(cursor, rows)? } else { None };
    let (form, memory_bytes) = match version {
        ..FORMS_VERSION => (FileForm::Arrow, length),
        _ => match cursor.byte()? {
            ARROW => (FileForm::Arrow, cursor.varint()?),
            COLUMNS => (FileForm::Columns, cursor.varint()?),
            _ => return Err(damaged("a group file has an unknown form")),
        },
    };
    let file = FileFacts { number, length, checksum, form };
    Ok(GroupImage { group, rows, file, deleted, row_ids, memory_bytes })
}
