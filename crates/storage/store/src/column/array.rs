//! Columns as Arrow vectors, without copying the values.

use super::layout::data_type;
use super::vector::Vector;
use super::{Column, Values};
use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, IntervalYearMonthType, Time64NanosecondType, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, new_null_array};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use std::sync::Arc;

impl Column {
    /// The first `length` rows (at most as many as there are) as a vector of the physical type. Values are not copied,
    /// unless they are encoded and there is no memory to keep them decoded.
    pub fn array(&self, length: usize) -> ArrayRef {
        if length < self.capacity {
            return self.packed(length);
        }
        if let Values::Encoded(encoded) = &self.values
            && encoded.ready().is_none()
        {
            return self.packed(self.capacity);
        }
        Arc::clone(self.full.get_or_init(|| self.packed(self.capacity)))
    }

    fn packed(&self, length: usize) -> ArrayRef {
        let (nulls, data_type) = (self.null_buffer(length), data_type(self.sql_type));
        let array = match &self.values {
            Values::Encoded(encoded) => encoded.array(length, nulls),
            values => array_of(values, &data_type, length, nulls),
        };
        // The values of a column are of its type; were they not, its rows are missing and not wrong.
        array.unwrap_or_else(|| new_null_array(&data_type, length))
    }

    /// The NULL marks of the first rows as bits; `None` when no value of the column is NULL.
    fn null_buffer(&self, length: usize) -> Option<NullBuffer> {
        let marks = self.nulls.get()?.slice();
        let bits = BooleanBuffer::collect_bool(length.min(marks.len()), |i| marks[i] == 0);
        Some(NullBuffer::new(bits)).filter(|nulls| nulls.null_count() > 0)
    }
}

/// The first `length` of plain values as a vector of this type; `None` for values of another type.
pub(super) fn array_of(
    values: &Values,
    data_type: &DataType,
    length: usize,
    nulls: Option<NullBuffer>,
) -> Option<ArrayRef> {
    Some(match (values, data_type) {
        (Values::U8(values), DataType::Boolean) => {
            let values = values.slice();
            let bits = BooleanBuffer::collect_bool(length.min(values.len()), |i| values[i] != 0);
            Arc::new(BooleanArray::new(bits, nulls))
        }
        (Values::I8(values), DataType::Int8) => primitive::<Int8Type>(data_type, values, length, nulls),
        (Values::I16(values), DataType::Int16) => primitive::<Int16Type>(data_type, values, length, nulls),
        (Values::I32(values), DataType::Date32) => primitive::<Date32Type>(data_type, values, length, nulls),
        (Values::I32(values), DataType::Decimal32(..)) => primitive::<Decimal32Type>(data_type, values, length, nulls),
        (Values::I32(values), DataType::Interval(_)) => {
            primitive::<IntervalYearMonthType>(data_type, values, length, nulls)
        }
        (Values::I32(values), DataType::Int32) => primitive::<Int32Type>(data_type, values, length, nulls),
        (Values::I64(values), DataType::Decimal64(..)) => primitive::<Decimal64Type>(data_type, values, length, nulls),
        (Values::I64(values), DataType::Time64(_)) => {
            primitive::<Time64NanosecondType>(data_type, values, length, nulls)
        }
        (Values::I64(values), DataType::Timestamp(..)) => {
            primitive::<TimestampMicrosecondType>(data_type, values, length, nulls)
        }
        (Values::I64(values), DataType::Int64) => primitive::<Int64Type>(data_type, values, length, nulls),
        (Values::I128(values), DataType::Decimal128(..)) => {
            primitive::<Decimal128Type>(data_type, values, length, nulls)
        }
        (Values::F32(values), DataType::Float32) => primitive::<Float32Type>(data_type, values, length, nulls),
        (Values::F64(values), DataType::Float64) => primitive::<Float64Type>(data_type, values, length, nulls),
        (Values::Days(values), DataType::Interval(_)) => {
            primitive::<IntervalMonthDayNanoType>(data_type, values, length, nulls)
        }
        (Values::Uuid(values), DataType::FixedSizeBinary(16)) => {
            Arc::new(FixedSizeBinaryArray::new(16, values.buffer(length), nulls))
        }
        (Values::Views(views), DataType::Utf8View | DataType::BinaryView) => views.array(length, nulls),
        _ => return None,
    })
}

fn primitive<T>(
    data_type: &DataType,
    values: &Arc<Vector<T::Native>>,
    length: usize,
    nulls: Option<NullBuffer>,
) -> ArrayRef
where
    T: ArrowPrimitiveType,
{
    let array = PrimitiveArray::<T>::new(values.scalars(length), nulls);
    Arc::new(array.with_data_type(data_type.clone()))
}
