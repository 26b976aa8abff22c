//! Columns as Arrow vectors, without copying the values.

use super::layout::data_type;
use super::vector::Vector;
use super::{Column, Values};
use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, IntervalYearMonthType, Time64NanosecondType, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use std::sync::Arc;

impl Column {
    /// The first `length` rows (at most as many as there are) as a vector of the physical type. Values are not copied.
    pub fn array(&self, length: usize) -> ArrayRef {
        if length < self.capacity {
            return self.packed(length);
        }
        Arc::clone(self.full.get_or_init(|| self.packed(self.capacity)))
    }

    fn packed(&self, length: usize) -> ArrayRef {
        let nulls = self.null_buffer(length);
        match &self.values {
            Values::U8(values) => {
                let values = values.slice();
                let bits = BooleanBuffer::collect_bool(length.min(values.len()), |i| values[i] != 0);
                Arc::new(BooleanArray::new(bits, nulls))
            }
            Values::I8(values) => primitive::<Int8Type>(self, values, length, nulls),
            Values::I16(values) => primitive::<Int16Type>(self, values, length, nulls),
            Values::I32(values) => match data_type(self.sql_type) {
                DataType::Date32 => primitive::<Date32Type>(self, values, length, nulls),
                DataType::Decimal32(..) => primitive::<Decimal32Type>(self, values, length, nulls),
                DataType::Interval(_) => primitive::<IntervalYearMonthType>(self, values, length, nulls),
                _ => primitive::<Int32Type>(self, values, length, nulls),
            },
            Values::I64(values) => match data_type(self.sql_type) {
                DataType::Decimal64(..) => primitive::<Decimal64Type>(self, values, length, nulls),
                DataType::Time64(_) => primitive::<Time64NanosecondType>(self, values, length, nulls),
                DataType::Timestamp(..) => primitive::<TimestampMicrosecondType>(self, values, length, nulls),
                _ => primitive::<Int64Type>(self, values, length, nulls),
            },
            Values::I128(values) => primitive::<Decimal128Type>(self, values, length, nulls),
            Values::F32(values) => primitive::<Float32Type>(self, values, length, nulls),
            Values::F64(values) => primitive::<Float64Type>(self, values, length, nulls),
            Values::Days(values) => primitive::<IntervalMonthDayNanoType>(self, values, length, nulls),
            Values::Uuid(values) => Arc::new(FixedSizeBinaryArray::new(16, values.buffer(length), nulls)),
            Values::Views(views) => views.array(length, nulls),
        }
    }

    /// The NULL marks of the first rows as bits; `None` when no value of the column is NULL.
    fn null_buffer(&self, length: usize) -> Option<NullBuffer> {
        let marks = self.nulls.get()?.slice();
        let bits = BooleanBuffer::collect_bool(length.min(marks.len()), |i| marks[i] == 0);
        Some(NullBuffer::new(bits)).filter(|nulls| nulls.null_count() > 0)
    }
}

fn primitive<T>(column: &Column, values: &Arc<Vector<T::Native>>, length: usize, nulls: Option<NullBuffer>) -> ArrayRef
where
    T: ArrowPrimitiveType,
{
    let array = PrimitiveArray::<T>::new(values.scalars(length), nulls);
    Arc::new(array.with_data_type(data_type(column.sql_type)))
}
