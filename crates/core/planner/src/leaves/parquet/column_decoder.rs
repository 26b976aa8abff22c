//! Columns of a row group of a Parquet file as vectors in narrow physical types.
//!
//! ```text
//!   DECIMAL in INT32 or INT64    Decimal64, and Decimal32 if all values fit
//!   whole numbers of 64 bits     Int32 if all values fit
//!   texts with few values        a dictionary of codes of 8 or 16 bits
//!   other columns                as the file has them
//! ```
//!
//! The bytes of the wanted column chunks are read at once; pages are decompressed and decoded from them. A length or position
//! that a damaged file names beyond its end is an error before memory is taken for it.

use super::damaged;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal32Type, Decimal64Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, PrimitiveArray, StringViewArray};
use bytes::Buf;
use bytes::Bytes;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::parquet::file::reader::{ChunkReader, Length};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

/// Texts of a dictionary at most: more are hardly repeated, and would make it as large as the column.
const MOST_TEXTS: usize = 2_048;
/// Places of a table of the views seen last; a power of two.
const RECENT_VIEWS: usize = 1_024;
/// The digits of a decimal of 64 bits.
const DIGITS_OF_64_BITS: u8 = 18;
/// The digits of one of 32 bits.
const DIGITS_OF_32_BITS: u8 = 9;

/// The footer of a file for a reader that gives decimals in 64 bits where they fit.
///
/// Errors: a schema that the library does not read.
pub(super) fn narrow_footer(metadata: &Arc<ParquetMetaData>, columns: &Schema) -> Result<ArrowReaderMetadata> {
    let narrow = |field: &FieldRef| match field.data_type() {
        DataType::Decimal128(precision, scale) if *precision <= DIGITS_OF_64_BITS => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::Decimal64(*precision, *scale)))
        }
        _ => Arc::clone(field),
    };
    let schema: SchemaRef = Arc::new(Schema::new(columns.fields().iter().map(narrow).collect::<Vec<Arc<Field>>>()));
    let options = ArrowReaderOptions::new().with_schema(schema);
    Ok(ArrowReaderMetadata::try_new(Arc::clone(metadata), options)?)
}

/// Columns, ascending, of some rows of a row group (`None`: of all rows, in the narrowest types).
///
/// Errors: a file that is damaged or cannot be read.
pub(super) fn decode(
    (file, footer): (&mut File, &ArrowReaderMetadata),
    row_group: usize,
    columns: &[usize],
    rows: Option<Range<usize>>,
) -> Result<Vec<ArrayRef>> {
    damaged::caught(|| {
        let mask = ProjectionMask::roots(footer.parquet_schema(), columns.iter().copied());
        let chunks = Chunks::read(file, footer.metadata(), row_group, &mask)?;
        let all = usize::try_from(footer.metadata().row_group(row_group).num_rows()).map_err(beyond)?;
        let wanted = rows.as_ref().map_or(all, |rows| rows.len());
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, footer.clone())
            .with_row_groups(vec![row_group])
            .with_projection(mask)
            .with_batch_size(wanted.max(1));
        if let Some(rows) = &rows {
            let selectors = [RowSelector::skip(rows.start), RowSelector::select(rows.len())];
            builder = builder.with_row_selection(RowSelection::from(selectors.to_vec()));
        }
        let batch = builder.build()?.next().transpose()?;
        let batch = batch.filter(|batch| batch.num_rows() == wanted && batch.num_columns() == columns.len());
        let batch = batch.ok_or_else(|| ParquetError::EOF("a row group has fewer rows than the footer says".into()))?;
        Ok(match rows {
            Some(_) => batch.columns().to_vec(),
            None => batch.columns().iter().map(narrowed).collect(),
        })
    })
}

fn beyond<E>(_: E) -> DataFusionError {
    ParquetError::EOF("a length or count in the file cannot be true".to_owned()).into()
}

/// The bytes of some column chunks, each with its place in the file.
struct Chunks {
    file_bytes: u64,
    parts: Vec<(u64, Bytes)>,
}

impl Chunks {
    fn read(file: &mut File, footer: &ParquetMetaData, row_group: usize, mask: &ProjectionMask) -> Result<Chunks> {
        let file_bytes = file.metadata()?.len();
        let mut parts = Vec::new();
        for (leaf, chunk) in footer.row_group(row_group).columns().iter().enumerate() {
            if mask.leaf_included(leaf) {
                let (start, length) = chunk.byte_range();
                if start.checked_add(length).is_none_or(|end| end > file_bytes) {
                    return Err(beyond(()));
                }
                let mut bytes = Vec::with_capacity(usize::try_from(length).map_err(beyond)?);
                file.seek(SeekFrom::Start(start))?;
                file.take(length).read_to_end(&mut bytes)?;
                parts.push((start, bytes.into()));
            }
        }
        Ok(Chunks { file_bytes, parts })
    }

    /// The bytes from a place in the file to the end of its chunk.
    fn from(&self, start: u64) -> ParquetResult<Bytes> {
        let found = self.parts.iter().find_map(|(first, bytes)| {
            let skipped = usize::try_from(start.checked_sub(*first)?).ok()?;
            (skipped < bytes.len()).then(|| bytes.slice(skipped..))
        });
        found.ok_or_else(|| ParquetError::EOF(format!("no column has its data at {start}")))
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.file_bytes
    }
}

impl ChunkReader for Chunks {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.from(start)?;
        match length <= bytes.len() {
            true => Ok(bytes.slice(..length)),
            false => Err(ParquetError::EOF(format!("a page of {length} bytes at {start} is longer than its column"))),
        }
    }
}

/// The vector in the narrowest type for its values.
fn narrowed(vector: &ArrayRef) -> ArrayRef {
    let narrow = match vector.data_type() {
        DataType::Decimal64(..) => decimals(vector),
        DataType::Int64 => vector.as_primitive_opt::<Int64Type>().map(integers),
        DataType::Date32 => vector.as_primitive_opt::<Date32Type>().map(exact),
        DataType::Utf8View => vector.as_string_view_opt().and_then(coded),
        _ => None,
    };
    narrow.unwrap_or_else(|| Arc::clone(vector))
}

/// Decimals in 32 bits; `None` if one does not fit.
fn decimals(vector: &ArrayRef) -> Option<ArrayRef> {
    let DataType::Decimal64(precision, scale) = vector.data_type() else { return None };
    u8::try_from(*scale).ok().filter(|scale| *scale <= DIGITS_OF_32_BITS)?;
    let wide = vector.as_primitive_opt::<Decimal64Type>()?;
    let narrow = PrimitiveArray::<Decimal32Type>::new(in_32_bits(wide.values())?.into(), wide.nulls().cloned());
    // Kernels take the scale from the type, and the digits from the schema of the table.
    Some(Arc::new(narrow.with_data_type(DataType::Decimal32((*precision).min(DIGITS_OF_32_BITS), *scale))))
}

/// Whole numbers in 32 bits if all fit.
fn integers(wide: &PrimitiveArray<Int64Type>) -> ArrayRef {
    match in_32_bits(wide.values()) {
        Some(values) => Arc::new(PrimitiveArray::<Int32Type>::new(values.into(), wide.nulls().cloned())),
        None => exact(wide),
    }
}

/// The values in 32 bits, those in place of NULL too; `None` if one does not fit.
fn in_32_bits(values: &[i64]) -> Option<Vec<i32>> {
    let bounds = values.iter().fold((0, 0), |(least, greatest), value| (*value.min(&least), *value.max(&greatest)));
    let fits = i32::try_from(bounds.0).is_ok() && i32::try_from(bounds.1).is_ok();
    fits.then(|| values.iter().map(|value| *value as i32).collect())
}

/// The vector without the room that its buffer has grown by.
fn exact<T: ArrowPrimitiveType>(vector: &PrimitiveArray<T>) -> ArrayRef {
    let values: Vec<T::Native> = vector.values().to_vec();
    Arc::new(
        PrimitiveArray::<T>::new(values.into(), vector.nulls().cloned()).with_data_type(vector.data_type().clone()),
    )
}

/// A dictionary of the texts; `None` if they are too many.
///
/// Texts that Parquet has in a dictionary of its own, and short ones, have equal views if they are equal. So the text itself is
/// looked up only for views that were not among the last ones.
fn coded(texts: &StringViewArray) -> Option<ArrayRef> {
    let mut known = Texts::default();
    let mut recent: Vec<Option<(u128, u16)>> = vec![None; RECENT_VIEWS];
    let mut codes: Vec<u16> = Vec::with_capacity(texts.len());
    for (row, view) in texts.views().iter().enumerate() {
        if texts.is_null(row) {
            codes.push(0);
            continue;
        }
        let slot = &mut recent[place_of(*view)];
        let code = match slot {
            Some((seen, code)) if seen == view => *code,
            _ => known.code_of(texts, row)?,
        };
        *slot = Some((*view, code));
        codes.push(code);
    }
    let values: ArrayRef = Arc::new(StringViewArray::from_iter_values(known.rows.iter().map(|row| texts.value(*row))));
    let nulls = texts.nulls().cloned();
    Some(match values.len() <= usize::from(u8::MAX) + 1 {
        true => {
            let codes: Vec<u8> = codes.iter().map(|code| *code as u8).collect();
            let codes = PrimitiveArray::<UInt8Type>::new(codes.into(), nulls);
            Arc::new(DictionaryArray::<UInt8Type>::try_new(codes, values).ok()?)
        }
        false => {
            let codes = PrimitiveArray::<UInt16Type>::new(codes.into(), nulls);
            Arc::new(DictionaryArray::<UInt16Type>::try_new(codes, values).ok()?)
        }
    })
}

/// A place in the table of recent views, by the bits of the view that differ most.
fn place_of(view: u128) -> usize {
    let mixed = ((view as u64) ^ (view >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 54) as usize % RECENT_VIEWS
}

/// The different texts of a column, in the order of their codes.
#[derive(Default)]
struct Texts<'t> {
    codes: HashMap<&'t str, u16>,
    /// The row in which each text was first.
    rows: Vec<usize>,
}

impl<'t> Texts<'t> {
    /// The code of the text of a row; `None` if there are too many.
    fn code_of(&mut self, texts: &'t StringViewArray, row: usize) -> Option<u16> {
        let text = texts.value(row);
        if let Some(code) = self.codes.get(text) {
            return Some(*code);
        }
        let code = u16::try_from(self.rows.len()).ok().filter(|_| self.rows.len() < MOST_TEXTS)?;
        self.rows.push(row);
        self.codes.insert(text, code);
        Some(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::compute::cast;

    fn types(vector: ArrayRef) -> DataType {
        let narrow = narrowed(&vector);
        let back = cast(&narrow, vector.data_type()).unwrap();
        assert_eq!(&back, &vector, "the values stay");
        narrow.data_type().clone()
    }

    fn codes(key: DataType) -> DataType {
        DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8View))
    }

    #[test]
    fn decimals_take_32_bits_where_all_fit() {
        let column = |values: Vec<Option<i64>>| -> ArrayRef {
            Arc::new(PrimitiveArray::<Decimal64Type>::from(values).with_data_type(DataType::Decimal64(15, 2)))
        };
        let least = i64::from(i32::MIN);
        assert_eq!(types(column(vec![Some(least), None, Some(7)])), DataType::Decimal32(9, 2));
        assert_eq!(types(column(vec![Some(least - 1), None])), DataType::Decimal64(15, 2));
        assert_eq!(types(column(vec![])), DataType::Decimal32(9, 2));
    }

    #[test]
    fn whole_numbers_take_32_bits_where_all_fit() {
        let column = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(PrimitiveArray::<Int64Type>::from(values)) };
        let greatest = i64::from(i32::MAX);
        assert_eq!(types(column(vec![Some(greatest), None, Some(-1)])), DataType::Int32);
        assert_eq!(types(column(vec![Some(greatest + 1), None])), DataType::Int64);
    }

    #[test]
    fn repeated_texts_become_codes() {
        let column = |count: usize, values: usize| -> ArrayRef {
            let text =
                |row: usize| (row % 7 != 3).then(|| format!("a text of more than twelve bytes, {}", row % values));
            Arc::new((0..count).map(text).collect::<StringViewArray>())
        };
        assert_eq!(types(column(5_000, 200)), codes(DataType::UInt8));
        assert_eq!(types(column(5_000, 1_000)), codes(DataType::UInt16));
        assert_eq!(types(column(5_000, 4_000)), DataType::Utf8View);
        assert_eq!(types(Arc::new(StringViewArray::new_null(3))), codes(DataType::UInt8));
    }

    #[test]
    fn codes_of_equal_texts_are_equal() {
        let long = "equal texts at different places of the buffer";
        let vector: ArrayRef = Arc::new(StringViewArray::from(vec![long, "b", long, "b"]));
        let narrow = narrowed(&vector);
        assert_eq!(narrow.as_dictionary::<UInt8Type>().keys().values(), &[0, 1, 0, 1]);
    }
}
