//! Redo records: the changes of a committed transaction, as the payload of one frame.
//!
//! ```text
//!   payload     commit number (8 bytes)   operation   operation ...
//!   operation   tag (1)   length of the body (4)   body
//!
//!   1 insert    table, first row id, columns n, rows: NULL bitmap, values that are not NULL
//!   2 columns   table, first row id, rows, columns n, columns: validity, values
//!   3 update    table, columns n, row versions: row id, bitmap of changed columns, NULL bitmap, values
//!   4 delete    table, row ids as differences
//!   5 catalog   JSON text of the new definition
//!   6 sequence  sequence, next value
//! ```
//!
//! Values have no tags: reader and writer know the columns' types from the catalog. Counts and
//! whole numbers are varints (signed ones zigzag), so a row of a key, a short text and a double takes some 20 bytes.
//! Consecutive changes of the same kind to the same table share one operation; its length lets a reader skip it.
//!
//! [`RedoBuffer`] writes, [`RedoReader`] reads. Reading never panics and never allocates more than the payload
//! could hold. `docs/formats/journal.md` is the page for other readers.

mod columns;
mod decode;
mod encode;
pub(crate) mod number;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use decode::operation;
pub use decode::{ColumnRun, Operation, RedoReader, RowIds, RowRun, RowUpdates};
pub use encode::{RedoBuffer, RedoMark};

/// Bytes of the commit number in front of the operations.
const COMMIT_BYTES: usize = 8;

/// Bytes of an operation in front of its body: tag and length.
pub(crate) const OPERATION_HEADER: usize = 5;

const INSERT: u8 = 1;
const COLUMNS: u8 = 2;
const UPDATE: u8 = 3;
const DELETE: u8 = 4;
const CATALOG: u8 = 5;
const SEQUENCE: u8 = 6;

/// Bytes of a bitmap of this many bits.
fn bitmap_bytes(bits: usize) -> usize {
    bits.div_ceil(8)
}
