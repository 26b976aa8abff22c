//! Column vectors in their SQL types: all rows, some rows by number, or those of a bitmap.
//!
//! Text never moves: a dictionary's texts and their buffers are shared, and what is written for a row is
//! its 16-byte view. Narrow decimals widen to 128 bits, and whole numbers that were stored in 32 bits to 64. Every other type is
//! already its SQL type. When only
//! some rows are wanted they are picked first, in the physical type, and only they are widened.

use super::bits::{each_bit, words};
use super::{arrow_error, physical, unsupported};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, UInt32Array};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use arrow_select::take::take;
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

/// The SQL type of a column whose vectors have this physical type: Utf8View for text, Decimal128 for
/// decimals, the same type otherwise. `None` if the kernels do not handle it.
pub fn sql_type(physical: &DataType) -> Option<DataType> {
    if !physical::is_known(physical) {
        return None;
    }
    Some(match physical {
        DataType::Dictionary(_, values) => (**values).clone(),
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        same => same.clone(),
    })
}

/// All rows of a vector in the column's SQL type.
///
/// `sql_type` is what [`sql_type()`] says of the vector's type, except that a decimal may be given a larger
/// precision, and Int32 be read as Int64. Anything else is `Unsupported`.
pub fn materialize(vector: &ArrayRef, sql_type: &DataType) -> Result<ArrayRef> {
    if vector.data_type() == sql_type {
        return Ok(Arc::clone(vector));
    }
    if let Some(dictionary) = vector.as_dictionary_opt::<UInt8Type>() {
        check_text(vector, sql_type)?;
        return take(dictionary.values(), dictionary.keys(), None).map_err(arrow_error);
    }
    if let Some(dictionary) = vector.as_dictionary_opt::<UInt16Type>() {
        check_text(vector, sql_type)?;
        return take(dictionary.values(), dictionary.keys(), None).map_err(arrow_error);
    }
    match (vector.data_type(), sql_type) {
        (DataType::Decimal32(_, from), DataType::Decimal128(_, to)) if from == to => {
            let narrow = vector.as_primitive::<Decimal32Type>();
            decimals(narrow.values().iter().map(|value| i128::from(*value)).collect(), narrow.nulls(), sql_type)
        }
        (DataType::Decimal64(_, from), DataType::Decimal128(_, to)) if from == to => {
            let narrow = vector.as_primitive::<Decimal64Type>();
            decimals(narrow.values().iter().map(|value| i128::from(*value)).collect(), narrow.nulls(), sql_type)
        }
        (DataType::Decimal128(_, from), DataType::Decimal128(_, to)) if from == to => {
            let wide = vector.as_primitive::<Decimal128Type>();
            decimals(wide.values().clone(), wide.nulls(), sql_type)
        }
        (DataType::Int32, DataType::Int64) => {
            let narrow = vector.as_primitive::<Int32Type>();
            let values: ScalarBuffer<i64> = narrow.values().iter().map(|value| i64::from(*value)).collect();
            Ok(Arc::new(PrimitiveArray::<Int64Type>::new(values, narrow.nulls().cloned())))
        }
        (other, _) => Err(unsupported(&format!("reading as {sql_type}"), other)),
    }
}

fn check_text(vector: &ArrayRef, sql_type: &DataType) -> Result<()> {
    match vector.data_type() {
        DataType::Dictionary(_, values) if **values == *sql_type => Ok(()),
        other => Err(unsupported(&format!("reading as {sql_type}"), other)),
    }
}

fn decimals(values: ScalarBuffer<i128>, nulls: Option<&NullBuffer>, sql_type: &DataType) -> Result<ArrayRef> {
    let array = PrimitiveArray::<Decimal128Type>::try_new(values, nulls.cloned()).map_err(arrow_error)?;
    Ok(Arc::new(array.with_data_type(sql_type.clone())))
}

/// The rows with these numbers, in this order, in the column's SQL type. A number may repeat.
pub fn gather(vector: &ArrayRef, rows: &[u32], sql_type: &DataType) -> Result<ArrayRef> {
    if let Some(row) = rows.iter().max().filter(|row| **row as usize >= vector.len()) {
        return Err(Error::new(Code::Internal, format!("row {row} of a vector of {} rows", vector.len())));
    }
    match (vector.data_type(), sql_type) {
        (DataType::Decimal32(_, from), DataType::Decimal128(_, to)) if from == to => {
            gather_decimals(vector.as_primitive::<Decimal32Type>(), rows, sql_type)
        }
        (DataType::Decimal64(_, from), DataType::Decimal128(_, to)) if from == to => {
            gather_decimals(vector.as_primitive::<Decimal64Type>(), rows, sql_type)
        }
        (DataType::Int32, DataType::Int64) => {
            let narrow = vector.as_primitive::<Int32Type>();
            let values: ScalarBuffer<i64> = rows.iter().map(|row| i64::from(narrow.value(*row as usize))).collect();
            Ok(Arc::new(PrimitiveArray::<Int64Type>::new(values, gathered_nulls(narrow.nulls(), rows))))
        }
        _ => {
            // Views, codes and numbers are picked as they are; what is left to convert is small.
            let picked = take(vector, &UInt32Array::from(rows.to_vec()), None).map_err(arrow_error)?;
            materialize(&picked, sql_type)
        }
    }
}

fn gather_decimals<T>(vector: &PrimitiveArray<T>, rows: &[u32], sql_type: &DataType) -> Result<ArrayRef>
where
    T: ArrowPrimitiveType,
    T::Native: Into<i128>,
{
    let values: &[T::Native] = vector.values();
    let picked = rows.iter().map(|row| values[*row as usize].into()).collect();
    decimals(picked, gathered_nulls(vector.nulls(), rows).as_ref(), sql_type)
}

fn gathered_nulls(nulls: Option<&NullBuffer>, rows: &[u32]) -> Option<NullBuffer> {
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0)?;
    Some(NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |i| nulls.is_valid(rows[i] as usize))))
}

/// The rows of a bitmap in the column's SQL type. For several columns find [`selected_rows`] once and
/// [`gather`] each.
pub fn filter(vector: &ArrayRef, selection: &BooleanBuffer, sql_type: &DataType) -> Result<ArrayRef> {
    if selection.len() != vector.len() {
        let message = format!("a selection of {} rows on a vector of {}", selection.len(), vector.len());
        return Err(Error::new(Code::Internal, message));
    }
    gather(vector, &selected_rows(selection), sql_type)
}

/// The numbers of the selected rows, ascending.
pub fn selected_rows(selection: &BooleanBuffer) -> Vec<u32> {
    let mut rows = Vec::with_capacity(selection.count_set_bits());
    for (i, word) in words(selection).enumerate() {
        each_bit(word, |bit| rows.push((64 * i + bit) as u32));
    }
    rows
}
