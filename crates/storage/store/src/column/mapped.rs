//! Columns over Arrow vectors that come from the files of a checkpoint: only NULL marks and booleans are copied.
//!
//! ```text
//!   file (mapped)     values ...            bits of validity
//!                       ^                       |
//!   Column            Vector (owner: file)   NULL marks, a byte each (memory)
//! ```
//!
//! Such a column is full: it has no appender. Limit: marks and booleans are bytes here and bits there, so they take a
//! byte a row of memory.

use super::encoded::{Encoded, StoredColumn};
use super::layout::data_type;
use super::text::Views;
use super::vector::{Plain, Vector};
use super::{Column, Kind, Values, kind_of};
use crate::memory::DecodedMemory;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use mainstay_types::{Code, Error, Result, SqlType};
use std::sync::{Arc, OnceLock};

impl Column {
    /// A full column of the values of a vector of the column's physical type.
    ///
    /// Errors: `Damaged` for a vector of another type.
    pub(crate) fn of_array(sql_type: SqlType, array: &ArrayRef) -> Result<Column> {
        if *array.data_type() != data_type(sql_type) {
            return Err(misfit(sql_type, array.data_type()));
        }
        let values = values_of(array).ok_or_else(|| misfit(sql_type, array.data_type()))?;
        let nulls = OnceLock::new();
        if array.null_count() > 0 {
            let _ = nulls.set(marks((0..array.len()).map(|row| array.is_null(row).into())));
        }
        let full = OnceLock::from(Arc::clone(array));
        Ok(Column { sql_type, values, nulls: Arc::new(nulls), capacity: array.len(), full })
    }
}

impl Column {
    /// A full column of the values of a column of a file. `memory` is that for its decoded values.
    ///
    /// Errors: `Damaged` for values of another type.
    pub(crate) fn of_stored(sql_type: SqlType, stored: &StoredColumn, memory: &Arc<DecodedMemory>) -> Result<Column> {
        let (found, column_nulls, form) = match stored {
            StoredColumn::Plain(array) => return Column::of_array(sql_type, array),
            StoredColumn::Encoded { data_type, nulls, form } => (data_type, nulls, form),
        };
        if *found != data_type(sql_type) {
            return Err(misfit(sql_type, found));
        }
        let (nulls, rows) = (OnceLock::new(), form.rows());
        if let Some(bits) = column_nulls {
            let _ = nulls.set(marks((0..rows).map(|row| bits.is_null(row).into())));
        }
        let encoded = Encoded::new(found.clone(), Arc::clone(form), Arc::clone(memory));
        let values = Values::Encoded(Arc::new(encoded));
        Ok(Column { sql_type, values, nulls: Arc::new(nulls), capacity: rows, full: OnceLock::new() })
    }
}

fn misfit(sql_type: SqlType, found: &DataType) -> Error {
    Error::new(Code::Damaged, format!("a column of {sql_type} is stored as a vector of {found}"))
}

/// The plain values of a vector, in place; `None` for a type that no column has.
pub(crate) fn values_of(array: &ArrayRef) -> Option<Values> {
    Some(match kind_of(array.data_type())? {
        Kind::U8 => Values::U8(marks(array.as_boolean().values().iter().map(u8::from))),
        Kind::I8 => Values::I8(fixed(array)?),
        Kind::I16 => Values::I16(fixed(array)?),
        Kind::I32 => Values::I32(fixed(array)?),
        Kind::I64 => Values::I64(fixed(array)?),
        Kind::I128 => Values::I128(fixed(array)?),
        Kind::F32 => Values::F32(fixed(array)?),
        Kind::F64 => Values::F64(fixed(array)?),
        Kind::Days => Values::Days(fixed(array)?),
        Kind::Uuid => Values::Uuid(fixed(array)?),
        Kind::Text => {
            let texts = array.as_string_view();
            Values::Views(Views::of_buffers(texts.views().inner(), texts.data_buffers(), true)?)
        }
        Kind::Bytes => {
            let bytes = array.as_binary_view();
            Values::Views(Views::of_buffers(bytes.views().inner(), bytes.data_buffers(), false)?)
        }
    })
}

/// The values of a vector of fixed width, in place.
fn fixed<T: Plain>(array: &ArrayRef) -> Option<Arc<Vector<T>>> {
    let data = array.to_data();
    let width = size_of::<T>();
    let (start, length) = (data.offset().checked_mul(width)?, data.len().checked_mul(width)?);
    let buffer = data.buffers().first()?;
    let is_inside = start.checked_add(length)? <= buffer.len();
    is_inside.then(|| Vector::of_buffer(&buffer.slice_with_length(start, length)))?
}

/// One byte a row.
fn marks(bytes: impl ExactSizeIterator<Item = u8>) -> Arc<Vector<u8>> {
    let mut appender = Vector::with_capacity(bytes.len());
    bytes.for_each(|byte| appender.push(byte));
    Arc::clone(appender.vector())
}
