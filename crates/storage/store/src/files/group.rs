//! Group files: the rows of one group as one Arrow IPC file.
//!
//! ```text
//!   file     ARROW1   schema   one record batch   footer   ARROW1        (buffers at multiples of 64 bytes)
//!   columns  c<number of the column in the catalog> ...
//!            _rowid     unsigned 64 bits, left out while row ids are dense (first id in the metadata)
//!            _created   unsigned 64 bits, left out when every row is older than every snapshot
//!   metadata mainstay.group, mainstay.first_row_id
//! ```
//!
//! A file is written once, synced, and never touched again; other programs may read it as the Arrow file that it is.
//! Columns are named by their numbers, so that a column renamed, added or dropped needs no rewriting: a column that a
//! file does not have was added later.
//!
//! Reading maps the file, and the vectors point into the mapping: nothing is copied, and memory that is short gives
//! pages back to the file.
//!
//! **Damage.** The manifest has the length and the crc32c of every file. When a group is first read, the checksum of
//! the whole file is verified before Arrow's reader sees the bytes. The reader validates them once more (offsets,
//! UTF-8), so that even a file crafted to fit its checksum cannot lead outside of the mapping; a panic of the reader is
//! caught and reported as damage.
//!
//! **Limits.** Damage under the mapping after the checksum was verified is not noticed. Reading one row of a
//! group reads its whole file once per mapping.

use super::manifest::{FileFacts, RowIdFacts};
use crate::journal::checksum::crc32c;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, root_as_footer};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bytes::Bytes;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem, Mapping};
use std::collections::HashMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

const ROW_ID: &str = "_rowid";
const CREATED: &str = "_created";
const GROUP_KEY: &str = "mainstay.group";
const FIRST_ROW_ID_KEY: &str = "mainstay.first_row_id";

/// Bytes behind the footer: its length and `ARROW1`.
const TRAILER: usize = 10;

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
    /// The commit that created each row; `None` when all of them are older than every snapshot.
    pub created: Option<UInt64Array>,
}

impl GroupVectors {
    /// The column of this number, if it existed when the group was written.
    pub fn column(&self, id: u64) -> Option<&ArrayRef> {
        self.columns.iter().find(|(number, _)| *number == id).map(|(_, column)| column)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// `Internal` for columns of different lengths.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let internal = |error: ArrowError| Error::new(Code::Internal, format!("a group cannot be written: {error}"));
        let batch = self.batch().map_err(internal)?;
        let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).map_err(internal)?;
        writer.write(&batch).map_err(internal)?;
        writer.into_inner().map_err(internal)
    }

    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let mut metadata = HashMap::from([(GROUP_KEY.to_owned(), self.group.to_string())]);
        let mut fields = Vec::new();
        let mut arrays = Vec::new();
        for (id, column) in &self.columns {
            fields.push(Field::new(format!("c{id}"), column.data_type().clone(), true));
            arrays.push(compacted(column));
        }
        let mut stamps = |name: &str, values: &UInt64Array| {
            fields.push(Field::new(name, DataType::UInt64, false));
            arrays.push(Arc::new(values.clone()) as ArrayRef);
        };
        match &self.row_ids {
            GroupRowIds::From(first) => drop(metadata.insert(FIRST_ROW_ID_KEY.to_owned(), first.to_string())),
            GroupRowIds::Each(ids) => stamps(ROW_ID, ids),
        }
        if let Some(created) = &self.created {
            stamps(CREATED, created);
        }
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
        RecordBatch::try_new_with_options(schema, arrays, &RecordBatchOptions::new().with_row_count(Some(self.rows)))
    }

    fn from_batch(batch: &RecordBatch) -> Result<GroupVectors> {
        let schema = batch.schema();
        let metadata = |key: &str| schema.metadata().get(key).and_then(|text| text.parse::<u64>().ok());
        let mut vectors = GroupVectors {
            group: metadata(GROUP_KEY).ok_or_else(|| bad("it does not say which group it is"))?,
            rows: batch.num_rows(),
            columns: Vec::new(),
            row_ids: GroupRowIds::From(metadata(FIRST_ROW_ID_KEY).unwrap_or(0)),
            created: None,
        };
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            let stamps =
                || column.as_primitive_opt::<UInt64Type>().cloned().ok_or_else(|| bad("stamps of a wrong type"));
            match field.name().as_str() {
                ROW_ID => vectors.row_ids = GroupRowIds::Each(stamps()?),
                CREATED => vectors.created = Some(stamps()?),
                name => {
                    let id = name.strip_prefix('c').and_then(|digits| digits.parse().ok());
                    vectors.columns.push((id.ok_or_else(|| bad("a column has no number"))?, Arc::clone(column)));
                }
            }
        }
        Ok(vectors)
    }
}

/// Leaves out the blocks of text that a vector keeps for rows it does not have.
fn compacted(column: &ArrayRef) -> ArrayRef {
    let held = |data: &[Buffer]| data.iter().map(Buffer::len).sum::<usize>();
    if let Some(texts) = column.as_string_view_opt()
        && held(texts.data_buffers()) > texts.total_buffer_bytes_used()
    {
        return Arc::new(texts.gc());
    }
    if let Some(values) = column.as_binary_view_opt()
        && held(values.data_buffers()) > values.total_buffer_bytes_used()
    {
        return Arc::new(values.gc());
    }
    Arc::clone(column)
}

/// Writes a group file and syncs it; its name is not durable yet.
///
/// # Errors
/// Those of the file system, and of [`GroupVectors::encode`].
pub fn write_group(fs: &dyn FileSystem, path: &Path, number: u64, vectors: &GroupVectors) -> Result<FileFacts> {
    let bytes = vectors.encode()?;
    let file = fs.create(path, Create::Truncate)?;
    file.write_at(&bytes, 0)?;
    file.sync()?;
    Ok(FileFacts { number, length: bytes.len() as u64, checksum: crc32c(&bytes) })
}

/// Maps a group file, verifies its checksum and gives vectors that point into the mapping.
///
/// # Errors
/// `Damaged` when the file is missing or not the one that the manifest means.
pub fn map_group(fs: &dyn FileSystem, path: &Path, facts: &FileFacts) -> Result<GroupVectors> {
    let mapping = map_unverified(fs, path, facts)?;
    vectors_of(mapping, facts).map_err(|error| error.at(path.display()))
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

pub(crate) fn vectors_of(mapping: Mapping, facts: &FileFacts) -> Result<GroupVectors> {
    check_length(mapping.len() as u64, facts)?;
    if crc32c(&mapping) != facts.checksum {
        return Err(bad("its checksum is wrong"));
    }
    let file = Buffer::from(Bytes::from_owner(mapping));
    // Arrow's reader panics on some files that contradict themselves. With the right checksum that is a crafted file;
    // it must not end the process either. Nothing outlives the panic but the bytes.
    let batch = catch_unwind(AssertUnwindSafe(|| decode(&file)));
    GroupVectors::from_batch(&batch.unwrap_or_else(|_| Err(bad("it contradicts itself")))?)
}

fn check_length(length: u64, facts: &FileFacts) -> Result<()> {
    if length == facts.length {
        return Ok(());
    }
    Err(bad(format_args!("it has {length} bytes instead of {}", facts.length)))
}

fn bad(what: impl Display) -> Error {
    Error::new(Code::Damaged, format!("the group file is damaged: {what}"))
        .hint("restore the database from a backup, or see what `mainstay check` says")
}

fn missing(error: Error, path: &Path) -> Error {
    if error.code() == Code::NotFound { bad("it does not exist").at(path.display()) } else { error }
}

/// The one batch of an Arrow IPC file, its vectors in place.
fn decode(file: &Buffer) -> Result<RecordBatch> {
    let (body, trailer) = file.as_slice().split_last_chunk::<TRAILER>().ok_or_else(|| bad("it is too short"))?;
    let footer_length = read_footer_length(*trailer).map_err(bad)?;
    let footer_start = body.len().checked_sub(footer_length).ok_or_else(|| bad("its footer is too long"))?;
    let footer = root_as_footer(&body[footer_start..]).map_err(bad)?;
    let schema = fb_to_schema(footer.schema().ok_or_else(|| bad("it has no schema"))?);
    let mut decoder = FileDecoder::new(Arc::new(schema), footer.version());
    for block in footer.dictionaries().iter().flatten() {
        decoder.read_dictionary(block, &block_of(file, block)?).map_err(bad)?;
    }
    let Some(blocks) = footer.recordBatches().filter(|blocks| blocks.len() == 1) else {
        return Err(bad("it does not hold one batch"));
    };
    let block = blocks.get(0);
    let batch = decoder.read_record_batch(block, &block_of(file, block)?).map_err(bad)?;
    batch.ok_or_else(|| bad("its batch is empty"))
}

/// The bytes of a message, which the reader takes on trust: so they are checked here.
fn block_of(file: &Buffer, block: &Block) -> Result<Buffer> {
    let offset = usize::try_from(block.offset()).ok();
    let metadata = usize::try_from(block.metaDataLength()).ok();
    let length = metadata.and_then(|metadata| metadata.checked_add(usize::try_from(block.bodyLength()).ok()?));
    match (offset, length) {
        (Some(offset), Some(length)) if offset.checked_add(length).is_some_and(|end| end <= file.len()) => {
            Ok(file.slice_with_length(offset, length))
        }
        _ => Err(bad("a part of it lies outside of the file")),
    }
}
