//! The column file: a header that describes every column, and the buffers that the columns consist of.
//!
//! ```text
//!    0  8  `MSCOLUMN`
//!    8  4  version, 1
//!   12  4  length of the header
//!   16     group, rows (varints)
//!          row ids: 1 and the first one (varint), or 0: then the first column has them, under the number 0
//!          columns: count (varint), then of each
//!            number in the catalog (varint), type (3 bytes), 1 if there are NULLs, form (1 byte), facts of the form
//!            buffers: count, length of each (varints)
//!          zeros to a multiple of 64, then the buffers, each followed by zeros to a multiple of 64
//!
//!   form           facts                        buffers, behind the bits of validity if there are NULLs
//!   0 plain        -                            values: those of Arrow's vector of the type
//!   1 whole        line                         block table, words      (`column::packed`)
//!   2 scaled       decimal places, line         block table, words
//!   3 dictionary   entries                      block table, words, values of the entries
//!   4 text         line                         block table, words, bytes
//! ```
//!
//! A line is a base (signed, up to 128 bits), a step (signed) and a factor, as varints. `docs/formats/columns.md` is the page
//! for other readers. A codec without I/O: the checksum of the file is in the manifest.

use super::group::{GroupRowIds, GroupVectors, StoredGroup, bad};
use crate::column::encoded::{Form, StoredColumn};
use crate::column::encoding::{EncodedForm, encode as encode_column};
use crate::column::mapped::values_of;
use crate::column::packed::{Line, Packed, PackedBuffers};
use crate::column::text::TextBlock;
use crate::journal::redo::number::{Cursor, put_signed, put_varint, put_wide};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, UInt64Array, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayDataBuilder;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

const MAGIC: [u8; 8] = *b"MSCOLUMN";
const VERSION: u32 = 1;
/// Buffers start at multiples of this.
const ALIGNMENT: usize = 64;
/// Rows of a group at most.
const MOST_ROWS: u64 = 1 << 16;

const PLAIN: u8 = 0;
const WHOLE: u8 = 1;
const SCALED: u8 = 2;
const DICTIONARY: u8 = 3;
const TEXT: u8 = 4;

/// The bytes of a file, and those that its rows take in memory.
///
/// # Errors
/// `Internal` for columns of other types or lengths.
pub(super) fn encode(vectors: &GroupVectors, is_encoded: bool) -> Result<(Vec<u8>, u64)> {
    let mut parts = Parts { rows: vectors.rows, ..Parts::default() };
    put_varint(&mut parts.head, vectors.group);
    put_varint(&mut parts.head, vectors.rows as u64);
    match &vectors.row_ids {
        GroupRowIds::From(first) => {
            parts.head.push(1);
            put_varint(&mut parts.head, *first);
            put_varint(&mut parts.head, vectors.columns.len() as u64);
        }
        GroupRowIds::Each(ids) => {
            parts.head.push(0);
            put_varint(&mut parts.head, vectors.columns.len() as u64 + 1);
            parts.put_column(0, &(Arc::new(ids.clone()) as ArrayRef), is_encoded)?;
        }
    }
    vectors.columns.iter().try_for_each(|(id, column)| parts.put_column(*id, column, is_encoded))?;
    Ok(parts.finish())
}

/// A file that is being put together.
#[derive(Default)]
struct Parts {
    rows: usize,
    head: Vec<u8>,
    buffers: Vec<Buffer>,
    memory_bytes: usize,
}

impl Parts {
    fn put_column(&mut self, id: u64, column: &ArrayRef, is_encoded: bool) -> Result<()> {
        let internal = |what: &str| Error::new(Code::Internal, format!("a column cannot be written: {what}"));
        if column.len() != self.rows {
            return Err(internal("it has another number of rows"));
        }
        let code = type_code(column.data_type()).ok_or_else(|| internal("no file has its type"))?;
        let mut buffers = Vec::new();
        let nulls = column.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        if let Some(nulls) = &nulls {
            buffers.push(BooleanBuffer::collect_bool(self.rows, |row| nulls.is_valid(row)).into_inner());
            self.memory_bytes += self.rows;
        }
        put_varint(&mut self.head, id);
        self.head.extend_from_slice(&code);
        self.head.push(nulls.is_some().into());
        let plain = plain_buffers(column);
        self.memory_bytes += plain.iter().map(Buffer::len).sum::<usize>();
        match Some(column).filter(|_| is_encoded).and_then(encode_column) {
            None => {
                self.head.push(PLAIN);
                buffers.extend(plain);
            }
            Some(EncodedForm::Whole(line, packed)) => {
                self.head.push(WHOLE);
                put_line(&mut self.head, &line);
                put_packed(&mut buffers, packed);
            }
            Some(EncodedForm::Scaled(line, packed, places)) => {
                self.head.extend([SCALED, places]);
                put_line(&mut self.head, &line);
                put_packed(&mut buffers, packed);
            }
            Some(EncodedForm::Dictionary(packed, entries)) => {
                self.head.push(DICTIONARY);
                put_varint(&mut self.head, entries.len() as u64);
                put_packed(&mut buffers, packed);
                buffers.extend(plain_buffers(&entries));
            }
            Some(EncodedForm::Text(line, packed, bytes)) => {
                self.head.push(TEXT);
                put_line(&mut self.head, &line);
                put_packed(&mut buffers, packed);
                buffers.push(bytes);
            }
        }
        put_varint(&mut self.head, buffers.len() as u64);
        buffers.iter().for_each(|buffer| put_varint(&mut self.head, buffer.len() as u64));
        self.buffers.extend(buffers);
        Ok(())
    }

    fn finish(self) -> (Vec<u8>, u64) {
        let length = 16 + self.head.len();
        let size = self.buffers.iter().map(|buffer| buffer.len().next_multiple_of(ALIGNMENT)).sum::<usize>();
        let mut out = Vec::with_capacity(length.next_multiple_of(ALIGNMENT) + size);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(length as u32).to_le_bytes());
        out.extend_from_slice(&self.head);
        for buffer in &self.buffers {
            out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
            out.extend_from_slice(buffer);
        }
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        (out, self.memory_bytes as u64)
    }
}

fn put_line(head: &mut Vec<u8>, line: &Line) {
    put_wide(head, line.base);
    put_signed(head, line.step as i64);
    put_varint(head, line.factor);
}

fn put_packed(buffers: &mut Vec<Buffer>, packed: PackedBuffers) {
    buffers.extend([Buffer::from_vec(packed.blocks), Buffer::from_vec(packed.words)]);
}

/// The buffers of a vector without those of validity, and without blocks of text for rows that it does not have.
fn plain_buffers(column: &ArrayRef) -> Vec<Buffer> {
    let column = &compacted(column);
    if let Some(values) = column.as_boolean_opt() {
        return vec![BooleanBuffer::collect_bool(values.len(), |row| values.value(row)).into_inner()];
    }
    let data = column.to_data();
    let width = data.data_type().primitive_width().unwrap_or(16);
    let mut buffers = data.buffers().to_vec();
    if let Some(first) = buffers.first_mut() {
        *first = first.slice_with_length(data.offset() * width, data.len() * width);
    }
    buffers
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

/// The code of a type, and precision and scale of a decimal.
fn type_code(data_type: &DataType) -> Option<[u8; 3]> {
    let plain = |code| [code, 0, 0];
    Some(match data_type {
        DataType::Boolean => plain(1),
        DataType::Int8 => plain(2),
        DataType::Int16 => plain(3),
        DataType::Int32 => plain(4),
        DataType::Int64 => plain(5),
        DataType::Date32 => plain(6),
        DataType::Time64(TimeUnit::Nanosecond) => plain(7),
        DataType::Timestamp(TimeUnit::Microsecond, None) => plain(8),
        DataType::Interval(IntervalUnit::YearMonth) => plain(9),
        DataType::Interval(IntervalUnit::MonthDayNano) => plain(10),
        DataType::Float32 => plain(11),
        DataType::Float64 => plain(12),
        DataType::Decimal32(precision, scale) => [13, *precision, *scale as u8],
        DataType::Decimal64(precision, scale) => [14, *precision, *scale as u8],
        DataType::Decimal128(precision, scale) => [15, *precision, *scale as u8],
        DataType::FixedSizeBinary(16) => plain(16),
        DataType::Utf8View => plain(17),
        DataType::BinaryView => plain(18),
        DataType::UInt64 => plain(19),
        _ => return None,
    })
}

fn type_of(code: [u8; 3]) -> Option<DataType> {
    Some(match code {
        [1, 0, 0] => DataType::Boolean,
        [2, 0, 0] => DataType::Int8,
        [3, 0, 0] => DataType::Int16,
        [4, 0, 0] => DataType::Int32,
        [5, 0, 0] => DataType::Int64,
        [6, 0, 0] => DataType::Date32,
        [7, 0, 0] => DataType::Time64(TimeUnit::Nanosecond),
        [8, 0, 0] => DataType::Timestamp(TimeUnit::Microsecond, None),
        [9, 0, 0] => DataType::Interval(IntervalUnit::YearMonth),
        [10, 0, 0] => DataType::Interval(IntervalUnit::MonthDayNano),
        [11, 0, 0] => DataType::Float32,
        [12, 0, 0] => DataType::Float64,
        [13, precision @ 1..=9, scale] => DataType::Decimal32(precision, scale as i8),
        [14, precision @ 1..=18, scale] => DataType::Decimal64(precision, scale as i8),
        [15, precision @ 1..=38, scale] => DataType::Decimal128(precision, scale as i8),
        [16, 0, 0] => DataType::FixedSizeBinary(16),
        [17, 0, 0] => DataType::Utf8View,
        [18, 0, 0] => DataType::BinaryView,
        [19, 0, 0] => DataType::UInt64,
        _ => return None,
    })
}

/// The rows of a file; buffers stay in it.
///
/// # Errors
/// `Unsupported` for a later version, `Damaged` for anything else that is not right.
pub(super) fn decode(file: &Buffer) -> Result<StoredGroup> {
    let mut start = Cursor::new(file);
    if start.take(8).ok() != Some(&MAGIC[..]) {
        return Err(bad("it does not begin like a column file"));
    }
    let version = u32::from_le_bytes(start.array()?);
    if version != VERSION {
        let message = format!("a column file has version {version}, and this program knows {VERSION}");
        return Err(Error::new(Code::Unsupported, message).hint("use the program that wrote it, or a later one"));
    }
    let length = u32::from_le_bytes(start.array()?) as usize;
    let head = file.get(16..length).ok_or_else(|| bad("its header is too long"))?;
    let mut reader = Reader { file, head: Cursor::new(head), end: length, rows: 0 };
    reader
        .group()
        .map_err(|error| if error.message().starts_with("the group file") { error } else { bad(error.message()) })
}

/// A file that is being read.
struct Reader<'f> {
    file: &'f Buffer,
    head: Cursor<'f>,
    /// The end of the last buffer that was taken.
    end: usize,
    rows: usize,
}

impl Reader<'_> {
    fn group(&mut self) -> Result<StoredGroup> {
        let (group, rows) = (self.head.varint()?, self.head.varint()?);
        self.rows =
            usize::try_from(rows).ok().filter(|_| rows <= MOST_ROWS).ok_or_else(|| bad("it has too many rows"))?;
        let first = match self.head.byte()? {
            1 => Some(self.head.varint()?),
            0 => None,
            _ => return Err(bad("its row ids are neither dense nor stored")),
        };
        let count = self.head.count(7)?;
        let mut columns = Vec::with_capacity(count);
        for _ in 0..count {
            let (id, column) = self.column()?;
            columns.push((id, column));
        }
        self.skip_padding()?;
        if !self.head.is_empty() || self.end != self.file.len() {
            return Err(bad("bytes follow its end"));
        }
        let row_ids = match first {
            Some(first) => GroupRowIds::From(first),
            None if columns.first().is_some_and(|(id, _)| *id == 0) => {
                GroupRowIds::Each(row_ids_of(&columns.remove(0).1)?)
            }
            None => return Err(bad("it has no row ids")),
        };
        Ok(StoredGroup { group, rows: self.rows, columns, row_ids })
    }

    fn column(&mut self) -> Result<(u64, StoredColumn)> {
        let id = self.head.varint()?;
        let data_type = type_of(self.head.array()?).ok_or_else(|| bad("a column has an unknown type"))?;
        let has_nulls = match self.head.byte()? {
            flag @ (0 | 1) => flag == 1,
            _ => return Err(bad("a flag is neither set nor not")),
        };
        let form = self.head.byte()?;
        let (mut places, mut line, mut entries) = (0, Line::ZERO, 0);
        match form {
            PLAIN => {}
            DICTIONARY => {
                let count = self.head.varint()?;
                entries = usize::try_from(count).ok().filter(|entries| *entries <= self.rows).ok_or_else(too_many)?;
            }
            WHOLE | SCALED | TEXT => {
                places = if form == SCALED { self.head.byte()? } else { 0 };
                let (base, step) = (self.head.wide()?, self.head.signed()? as u64);
                line = Line { base, step, factor: self.head.varint()? };
            }
            _ => return Err(bad("a column has an unknown form")),
        }
        let mut buffers = Vec::new();
        for _ in 0..self.head.count(1)? {
            let length = self.head.varint()?;
            buffers.push(self.buffer(length)?);
        }
        let nulls = has_nulls.then(|| self.nulls(&mut buffers)).transpose()?;
        if form == PLAIN {
            return Ok((id, StoredColumn::Plain(plain(&data_type, self.rows, nulls, buffers)?)));
        }
        // Packed row ids are numbers like others.
        let data_type = if data_type == DataType::UInt64 { DataType::Int64 } else { data_type };
        let form = match form {
            SCALED if places > 9 => return Err(bad("floats have too many decimal places")),
            SCALED => Form::Scaled(packed(line, self.rows, buffers)?, 10f64.powi(places.into())),
            WHOLE => Form::Whole(packed(line, self.rows, buffers)?),
            DICTIONARY => {
                let codes = packed(line, self.rows, buffers.drain(..buffers.len().min(2)).collect())?;
                let entries = plain(&data_type, entries, None, buffers)?;
                Form::Dictionary(codes, values_of(&entries).ok_or_else(unsuitable)?)
            }
            _ => {
                let bytes = buffers.pop().ok_or_else(unsuitable)?;
                let block = TextBlock::new(&bytes, data_type == DataType::Utf8View).ok_or_else(unsuitable)?;
                Form::Text(packed(line, self.rows + 1, buffers)?, block)
            }
        };
        if !form.is_sound(&data_type) {
            return Err(unsuitable());
        }
        Ok((id, StoredColumn::Encoded { data_type, nulls, form: Arc::new(form) }))
    }

    /// The next buffer, which has this length.
    fn buffer(&mut self, length: u64) -> Result<Buffer> {
        self.skip_padding()?;
        let length = usize::try_from(length).ok();
        let end = length.and_then(|length| self.end.checked_add(length)).filter(|end| *end <= self.file.len());
        let end = end.ok_or_else(|| bad("a part of it lies outside of the file"))?;
        let buffer = self.file.slice_with_length(self.end, end - self.end);
        self.end = end;
        Ok(buffer)
    }

    /// Goes on to where the next buffer starts.
    fn skip_padding(&mut self) -> Result<()> {
        let start = self.end.next_multiple_of(ALIGNMENT);
        match self.file.get(self.end..start) {
            Some(padding) if padding.iter().all(|byte| *byte == 0) => {
                self.end = start;
                Ok(())
            }
            _ => Err(bad("there are bytes between its parts")),
        }
    }

    fn nulls(&self, buffers: &mut Vec<Buffer>) -> Result<NullBuffer> {
        if buffers.first().is_none_or(|bits| bits.len() != self.rows.div_ceil(8)) {
            return Err(bad("a column has another number of NULL marks than rows"));
        }
        Ok(NullBuffer::new(BooleanBuffer::new(buffers.remove(0), 0, self.rows)))
    }
}

fn row_ids_of(column: &StoredColumn) -> Result<UInt64Array> {
    let array = column.array()?;
    let plain = array.as_primitive_opt::<UInt64Type>().cloned();
    let packed = array.as_primitive_opt::<Int64Type>();
    let ids = plain.or_else(|| packed.map(|ids| ids.values().iter().map(|id| *id as u64).collect::<Vec<_>>().into()));
    ids.filter(|_| array.null_count() == 0).ok_or_else(|| bad("row ids of a wrong type"))
}

fn packed(line: Line, rows: usize, buffers: Vec<Buffer>) -> Result<Packed> {
    match &buffers[..] {
        [blocks, words] => Packed::new(line, rows, blocks, words).ok_or_else(unsuitable),
        _ => Err(unsuitable()),
    }
}

/// A vector of these buffers, validated as a whole.
fn plain(data_type: &DataType, rows: usize, nulls: Option<NullBuffer>, buffers: Vec<Buffer>) -> Result<ArrayRef> {
    let width = data_type.primitive_width().unwrap_or(16);
    let expected = if *data_type == DataType::Boolean { rows.div_ceil(8) } else { rows * width };
    if buffers.first().map(Buffer::len) != Some(expected) {
        return Err(bad("a column has another number of values than rows"));
    }
    let data = ArrayDataBuilder::new(data_type.clone()).len(rows).nulls(nulls).buffers(buffers).align_buffers(true);
    data.build().map(make_array).map_err(bad)
}

fn unsuitable() -> Error {
    bad("the parts of a column do not fit")
}

fn too_many() -> Error {
    bad("a dictionary has more entries than rows")
}
