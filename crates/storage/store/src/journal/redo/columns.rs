//! Whole columns, for rows that were inserted in bulk.
//!
//! ```text
//!   column      0: all valid / 1: a bitmap follows, bit set = valid      then the values
//!   values      Boolean             a bitmap
//!               fixed width         the bytes of each, little-endian; what stands under a NULL has no meaning
//!               text, bytes         the length of each as a varint (0 under a NULL), then the bytes of all
//! ```
//!
//! Bitmaps count from the lowest bit of the first byte. The types are those of the table's vectors; the reader has
//! to supply them. The vectors' byte order is the machine's, so this is for little-endian machines, as are all
//! platforms that Mainstay is built for.

use super::bitmap_bytes;
use super::number::{Cursor, damaged, put_varint};
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

/// Appends a column.
///
/// # Errors
/// `Internal` for a type that no vector of a table has.
pub(super) fn put_column(out: &mut Vec<u8>, column: &ArrayRef) -> Result<()> {
    let nulls = column.nulls().filter(|nulls| nulls.null_count() > 0);
    out.push(u8::from(nulls.is_some()));
    if let Some(nulls) = nulls {
        put_bits(out, nulls.inner());
    }
    match column.data_type() {
        DataType::Boolean => put_bits(out, column.as_boolean().values()),
        DataType::Utf8View => put_texts(out, column.as_string_view().iter().map(|text| text.map(str::as_bytes))),
        DataType::BinaryView => put_texts(out, column.as_binary_view().iter()),
        other => {
            let Some(width) = fixed_width(other) else {
                return Err(Error::new(Code::Internal, format!("a column of {other} cannot be journalled")));
            };
            let data = column.to_data();
            let (start, end) = (data.offset() * width, (data.offset() + data.len()) * width);
            let bytes = data.buffers().first().and_then(|buffer| buffer.as_slice().get(start..end));
            out.extend_from_slice(bytes.ok_or_else(|| Error::new(Code::Internal, "a vector is shorter than it says"))?);
        }
    }
    Ok(())
}

fn fixed_width(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::FixedSizeBinary(width) => usize::try_from(*width).ok().filter(|width| *width > 0),
        other => other.primitive_width(),
    }
}

fn put_bits(out: &mut Vec<u8>, bits: &BooleanBuffer) {
    let start = out.len();
    out.resize(start + bitmap_bytes(bits.len()), 0);
    for row in bits.set_indices() {
        out[start + row / 8] |= 1 << (row % 8);
    }
}

fn put_texts<'a>(out: &mut Vec<u8>, texts: impl Iterator<Item = Option<&'a [u8]>> + Clone) {
    for text in texts.clone() {
        put_varint(out, text.map_or(0, <[u8]>::len) as u64);
    }
    texts.flatten().for_each(|text| out.extend_from_slice(text));
}

/// Reads a column of this many rows.
///
/// # Errors
/// `Damaged` for bytes that are no such column, `Internal` for a type that no vector has.
pub(super) fn take_column(cursor: &mut Cursor<'_>, data_type: &DataType, rows: usize) -> Result<ArrayRef> {
    let nulls = match cursor.byte()? {
        0 => None,
        1 => Some(NullBuffer::new(take_bits(cursor, rows)?)),
        _ => return Err(damaged("a column's validity is neither 0 nor 1")),
    };
    match data_type {
        DataType::Boolean => Ok(Arc::new(BooleanArray::new(take_bits(cursor, rows)?, nulls))),
        DataType::Utf8View | DataType::BinaryView => take_texts(cursor, data_type, rows, nulls.as_ref()),
        other => take_fixed(cursor, other, rows, nulls),
    }
}

fn take_bits(cursor: &mut Cursor<'_>, rows: usize) -> Result<BooleanBuffer> {
    let bytes = cursor.take(bitmap_bytes(rows))?;
    Ok(BooleanBuffer::new(aligned(bytes), 0, rows))
}

/// A copy in memory that is aligned for every type.
fn aligned(bytes: &[u8]) -> Buffer {
    let mut buffer = MutableBuffer::new(bytes.len());
    buffer.extend_from_slice(bytes);
    buffer.into()
}

fn take_fixed(
    cursor: &mut Cursor<'_>,
    data_type: &DataType,
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let Some(width) = fixed_width(data_type) else {
        return Err(Error::new(Code::Internal, format!("no vector of a table is a column of {data_type}")));
    };
    let bytes = rows.checked_mul(width).ok_or_else(|| damaged("a column has too many rows"))?;
    let values = aligned(cursor.take(bytes)?);
    let data = ArrayData::builder(data_type.clone()).len(rows).add_buffer(values).nulls(nulls).build();
    Ok(make_array(data.map_err(|error| damaged(&format!("a column is bad: {error}")))?))
}

fn take_texts(
    cursor: &mut Cursor<'_>,
    data_type: &DataType,
    rows: usize,
    nulls: Option<&NullBuffer>,
) -> Result<ArrayRef> {
    // Every length takes a byte, so there are no more of them than bytes.
    if rows > cursor.left() {
        return Err(damaged("a column has more rows than bytes"));
    }
    let mut lengths = Vec::with_capacity(rows);
    for _ in 0..rows {
        lengths.push(usize::try_from(cursor.varint()?).unwrap_or(usize::MAX));
    }
    let is_valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    if *data_type == DataType::BinaryView {
        let mut builder = BinaryViewBuilder::with_capacity(rows);
        for (row, length) in lengths.into_iter().enumerate() {
            let bytes = cursor.take(length)?;
            builder.append_option(is_valid(row).then_some(bytes));
        }
        return Ok(Arc::new(builder.finish()));
    }
    let mut builder = StringViewBuilder::with_capacity(rows);
    for (row, length) in lengths.into_iter().enumerate() {
        let text = std::str::from_utf8(cursor.take(length)?).map_err(|_| damaged("a text is not UTF-8"))?;
        builder.append_option(is_valid(row).then_some(text));
    }
    Ok(Arc::new(builder.finish()))
}
