//! Group files of earlier versions: the rows of one group as one Arrow IPC file. They are read, and not written any more.
//!
//! ```text
//!   file     ARROW1   schema   one record batch   footer   ARROW1        (buffers at multiples of 64 bytes)
//!   columns  c<number of the column in the catalog> ...
//!            _rowid     unsigned 64 bits, left out while row ids are dense (first id in the metadata)
//!            _created   unsigned 64 bits, of no use any more
//!   metadata mainstay.group, mainstay.first_row_id
//! ```
//!
//! Vectors point into the mapped file. Arrow's reader validates the bytes (offsets, UTF-8), and panics on some files that
//! contradict themselves: the caller catches that.

use super::group::{GroupRowIds, StoredGroup, bad};
use crate::column::encoded::StoredColumn;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, root_as_footer};
use mainstay_types::Result;
use std::sync::Arc;

const ROW_ID: &str = "_rowid";
const CREATED: &str = "_created";
const GROUP_KEY: &str = "mainstay.group";
const FIRST_ROW_ID_KEY: &str = "mainstay.first_row_id";

/// Bytes behind the footer: its length and `ARROW1`.
const TRAILER: usize = 10;

/// The rows of a file.
///
/// # Errors
/// `Damaged`.
pub(super) fn decode(file: &Buffer) -> Result<StoredGroup> {
    group_of(&batch_of(file)?)
}

fn group_of(batch: &RecordBatch) -> Result<StoredGroup> {
    let schema = batch.schema();
    let metadata = |key: &str| schema.metadata().get(key).and_then(|text| text.parse::<u64>().ok());
    let mut stored = StoredGroup {
        group: metadata(GROUP_KEY).ok_or_else(|| bad("it does not say which group it is"))?,
        rows: batch.num_rows(),
        columns: Vec::new(),
        row_ids: GroupRowIds::From(metadata(FIRST_ROW_ID_KEY).unwrap_or(0)),
    };
    for (field, column) in schema.fields().iter().zip(batch.columns()) {
        match field.name().as_str() {
            ROW_ID => {
                let ids = column.as_primitive_opt::<UInt64Type>().cloned();
                stored.row_ids = GroupRowIds::Each(ids.ok_or_else(|| bad("row ids of a wrong type"))?);
            }
            CREATED => {}
            name => {
                let id = name.strip_prefix('c').and_then(|digits| digits.parse().ok());
                let id = id.ok_or_else(|| bad("a column has no number"))?;
                stored.columns.push((id, StoredColumn::Plain(Arc::clone(column))));
            }
        }
    }
    Ok(stored)
}

/// The one batch of an Arrow IPC file, its vectors in place.
fn batch_of(file: &Buffer) -> Result<RecordBatch> {
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
