//! The manifest: what a checkpoint consists of. A codec without I/O.
//!
//! ```text
//!    0  8  `MSMANIFT`
//!    8  4  version, 1
//!   12  4  crc32c of bytes 0 to 12 and 16 to the end
//!   16  8  length of the file
//!   24     checkpoint, commit number, journal, next file (varints)
//!          catalog: length, JSON text
//!          sequences: count, then of each its number and its next value (signed)
//!          tables: count, then of each
//!            table, next row id, next group, groups: count, then of each
//!              group, rows, file, length, checksum (4 bytes), deleted: count, then differences of offsets
//! ```
//!
//! It is written whole, beside the old one, and renamed over it: so there is always one manifest that is right.
//! Everything that committed with a number up to `commit_number` is in the files it names; what came later is in the
//! journal with number `journal` and those that follow it. `docs/formats/checkpoint.md` is the page for others.

use super::catalog::Catalog;
use crate::journal::checksum::{continued, crc32c};
use crate::journal::redo::number::{Cursor, damaged, put_signed, put_sized, put_varint};
use mainstay_types::{Code, Error, Result};

const MAGIC: [u8; 8] = *b"MSMANIFT";
const VERSION: u32 = 1;
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
    /// What exists.
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
}

/// The rows of a group: a file, and which of its rows are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupImage {
    /// Its number in the table.
    pub group: u64,
    /// How many rows the file has.
    pub rows: u32,
    /// The file.
    pub file: FileFacts,
    /// The offsets of the rows that were deleted by the checkpoint's last commit, ascending.
    pub deleted: Vec<u32>,
}

/// What the manifest knows of a group file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    /// The number in its name.
    pub number: u64,
    /// Its bytes.
    pub length: u64,
    /// The crc32c of all of them.
    pub checksum: u32,
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
        if version != VERSION {
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
            manifest.tables.push(take_table(&mut cursor)?);
        }
        if cursor.is_empty() { Ok(manifest) } else { Err(damaged("bytes follow the end of the manifest")) }
    }

    /// Every group file that the checkpoint needs.
    pub fn files(&self) -> impl Iterator<Item = &FileFacts> {
        self.tables.iter().flat_map(|table| table.groups.iter().map(|group| &group.file))
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
    }
    Ok(())
}

fn take_table(cursor: &mut Cursor<'_>) -> Result<TableImage> {
    let (table, next_row_id, next_group) = (cursor.varint()?, cursor.varint()?, cursor.varint()?);
    let mut image = TableImage { table, next_row_id, next_group, groups: Vec::new() };
    for _ in 0..cursor.count(9)? {
        let group = take_group(cursor)?;
        let ascends = image.groups.last().is_none_or(|last| last.group < group.group);
        if !ascends || group.group >= next_group {
            return Err(damaged("the groups of a table are not in order"));
        }
        image.groups.push(group);
    }
    Ok(image)
}

fn take_group(cursor: &mut Cursor<'_>) -> Result<GroupImage> {
    let group = cursor.varint()?;
    let rows = u32::try_from(cursor.varint()?).map_err(|_| damaged("a group has too many rows"))?;
    let (number, length) = (cursor.varint()?, cursor.varint()?);
    let file = FileFacts { number, length, checksum: u32::from_le_bytes(cursor.array()?) };
    let count = cursor.count(1)?;
    let mut deleted = Vec::with_capacity(count);
    let mut least = 0u64;
    for _ in 0..count {
        let offset = least.checked_add(cursor.varint()?).filter(|offset| *offset < u64::from(rows));
        let offset = offset.ok_or_else(|| damaged("a deleted row does not exist"))?;
        deleted.push(offset as u32);
        least = offset + 1;
    }
    Ok(GroupImage { group, rows, file, deleted })
}
