//! Group files: the rows of one group, written once, synced, and never touched again.
//!
//! ```text
//!   group-<number>.columns   columns of their own encodings     columns.rs
//!   group-<number>.arrow     an Arrow IPC file, from before     arrow.rs     (read only)
//! ```
//!
//! Columns have the numbers that they have in the catalog, so that a column renamed, added or dropped needs no rewriting:
//! a column that a file does not have was added later.
//!
//! Reading maps the file, and vectors point into the mapping: nothing is copied, and memory that is short gives
//! pages back to the file.
//!
//! **Damage.** The manifest has the length and the crc32c of every file. When a group is first read, the checksum of
//! the whole file is verified before anything else looks at the bytes. Then the content is validated (sizes, offsets, codes,
//! UTF-8), so that even a file crafted to fit its checksum cannot lead outside of the mapping; a panic of Arrow's
//! validation is caught and reported as damage.
//!
//! **Limits.** Damage under the mapping after the checksum was verified is not noticed. Reading one row of a
//! group reads its whole file once per mapping.

use super::manifest::{FileFacts, FileForm, RowIdFacts};
use super::{arrow, columns};
use crate::column::encoded::StoredColumn;
use crate::journal::checksum::crc32c;
use arrow_array::{ArrayRef, UInt64Array};
use arrow_buffer::Buffer;
use bytes::Bytes;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem, Mapping};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Which row ids the rows of a group have.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupRowIds {
    /// Row `i` has this one + `i`.
    From(u64),
    /// One for each row.
    Each(UInt64Array),
}

impl GroupRowIds {
    /// The facts that a manifest stores about the ids of this many rows.
    pub fn facts(&self, rows: usize) -> RowIdFacts {
        match self {
            GroupRowIds::From(first) => {
                let last = first.saturating_add(rows.saturating_sub(1) as u64);
                let first = *first;
                RowIdFacts { first, last, least: first, greatest: last, is_dense: true, is_mixed: false }
            }
            GroupRowIds::Each(ids) => {
                let ids = ids.values();
                let or_none = |id: Option<&u64>| id.copied().unwrap_or(0);
                RowIdFacts {
                    first: or_none(ids.first()),
                    last: or_none(ids.last()),
                    least: or_none(ids.iter().min()),
                    greatest: or_none(ids.iter().max()),
                    is_dense: false,
                    is_mixed: !ids.is_sorted(),
                }
            }
        }
    }
}

/// The rows of a group, as vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupVectors {
    /// The number of the group in its table.
    pub group: u64,
    /// The number of rows.
    pub rows: usize,
    /// The columns with their numbers in the catalog.
    pub columns: Vec<(u64, ArrayRef)>,
    /// The row ids.
    pub row_ids: GroupRowIds,
}

impl GroupVectors {
    /// The column of this number, if it existed when the group was written.
    pub fn column(&self, id: u64) -> Option<&ArrayRef> {
        self.columns.iter().find(|(number, _)| *number == id).map(|(_, column)| column)
    }
}

/// The rows of a group file, as they are stored.
pub(crate) struct StoredGroup {
    pub(crate) group: u64,
    pub(crate) rows: usize,
    pub(crate) columns: Vec<(u64, StoredColumn)>,
    pub(crate) row_ids: GroupRowIds,
}

impl StoredGroup {
    /// The column of this number, if it existed when the group was written.
    pub(crate) fn column(&self, id: u64) -> Option<&StoredColumn> {
        self.columns.iter().find(|(number, _)| *number == id).map(|(_, column)| column)
    }

    /// The rows as vectors, decoded where they are encoded.
    fn vectors(&self) -> Result<GroupVectors> {
        let columns = self.columns.iter().map(|(id, column)| Ok((*id, column.array()?)));
        let columns = columns.collect::<Result<_>>()?;
        Ok(GroupVectors { group: self.group, rows: self.rows, columns, row_ids: self.row_ids.clone() })
    }
}

/// A group file that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenGroup {
    /// The file.
    pub file: FileFacts,
    /// Bytes of the rows in memory.
    pub memory_bytes: u64,
}

/// Writes a group file and syncs it; its name is not durable yet. Columns are encoded where that saves space and
/// `is_encoded` is set.
///
/// # Errors
/// Those of the file system, and `Internal` for columns of different lengths.
pub(super) fn write_group(
    fs: &dyn FileSystem,
    path: &Path,
    number: u64,
    vectors: &GroupVectors,
    is_encoded: bool,
) -> Result<WrittenGroup> {
    let (bytes, memory_bytes) = columns::encode(vectors, is_encoded)?;
    let file = fs.create(path, Create::Truncate)?;
    file.write_at(&bytes, 0)?;
    file.sync()?;
    let (length, checksum) = (bytes.len() as u64, crc32c(&bytes));
    Ok(WrittenGroup { file: FileFacts { number, length, checksum, form: FileForm::Columns }, memory_bytes })
}

/// Maps a group file, verifies its checksum and gives its rows, which point into the mapping.
///
/// # Errors
/// `Damaged` when the file is missing or not the one that the manifest means.
pub(super) fn map_stored(fs: &dyn FileSystem, path: &Path, facts: &FileFacts) -> Result<StoredGroup> {
    let mapping = map_unverified(fs, path, facts)?;
    stored_of(mapping, facts).map_err(|error| error.at(path.display()))
}

/// The same as vectors.
///
/// # Errors
/// As [`map_stored`].
pub(super) fn map_group(fs: &dyn FileSystem, path: &Path, facts: &FileFacts) -> Result<GroupVectors> {
    map_stored(fs, path, facts)?.vectors().map_err(|error| error.at(path.display()))
}

/// Maps a group file without looking at its bytes.
///
/// # Errors
/// `Damaged` when the file is missing or has another length; those of the file system.
pub(super) fn map_unverified(fs: &dyn FileSystem, path: &Path, facts: &FileFacts) -> Result<Mapping> {
    let mapping = fs.map(path).map_err(|error| missing(error, path))?;
    check_length(mapping.len() as u64, facts).map_err(|error| error.at(path.display()))?;
    Ok(mapping)
}

/// The rows of a group file that is mapped or in memory.
///
/// # Errors
/// `Damaged` for any other file than the one that the manifest means.
pub(crate) fn stored_of(mapping: Mapping, facts: &FileFacts) -> Result<StoredGroup> {
    check_length(mapping.len() as u64, facts)?;
    if crc32c(&mapping) != facts.checksum {
        return Err(bad("its checksum is wrong"));
    }
    let file = Buffer::from(Bytes::from_owner(mapping));
    // Arrow's code panics on some bytes that contradict themselves. With the right checksum that is a crafted file;
    // it must not end the process either. Nothing outlives the panic but the bytes.
    let decode = || match facts.form {
        FileForm::Columns => columns::decode(&file),
        FileForm::Arrow => arrow::decode(&file),
        FileForm::Run => Err(bad("it is an index file")),
    };
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| Err(bad("it contradicts itself")))
}

fn check_length(length: u64, facts: &FileFacts) -> Result<()> {
    if length == facts.length {
        return Ok(());
    }
    Err(bad(format_args!("it has {length} bytes instead of {}", facts.length)))
}

pub(super) fn bad(what: impl Display) -> Error {
    Error::new(Code::Damaged, format!("the group file is damaged: {what}"))
        .hint("restore the database from a backup, or see what `mainstay check` says")
}

fn missing(error: Error, path: &Path) -> Error {
    if error.code() == Code::NotFound { bad("it does not exist").at(path.display()) } else { error }
}
