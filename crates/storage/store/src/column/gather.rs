//! Selected rows of several runs as one vector, in the requested order.

use super::layout::data_type;
use super::{Column, Slice, Values};
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, IntervalYearMonthType, Time64NanosecondType, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use mainstay_types::SqlType;
use std::sync::Arc;

/// A row of a run: the column of the run, and the row's offset in it.
pub(crate) type Cell<'a> = (&'a Column, usize);

/// These rows of a column as a vector of its physical type.
pub(crate) fn gather(sql_type: SqlType, cells: &[Cell<'_>]) -> ArrayRef {
    let bits = || BooleanBuffer::collect_bool(cells.len(), |i| !cells[i].0.is_null(cells[i].1));
    let nulls = cells.iter().any(|(column, _)| column.null_marks().is_some()).then(|| NullBuffer::new(bits()));
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    macro_rules! take {
        ($kind:ident, $arrow:ty) => {
            primitive::<$arrow>(
                sql_type,
                nulls,
                cells.iter().map(|(column, at)| match &column.values {
                    Values::$kind(values) => values.slice().get(*at).copied().unwrap_or_default(),
                    Values::Encoded(encoded) => encoded.fixed_at(*at).unwrap_or_default(),
                    _ => Default::default(),
                }),
            )
        };
    }
    match data_type(sql_type) {
        DataType::Boolean => {
            let is_true =
                |(column, at): Cell<'_>| matches!(column.values.slice(), Slice::U8(v) if v.get(at) == Some(&1));
            Arc::new(BooleanArray::new(BooleanBuffer::collect_bool(cells.len(), |i| is_true(cells[i])), nulls))
        }
        DataType::Int8 => take!(I8, Int8Type),
        DataType::Int16 => take!(I16, Int16Type),
        DataType::Int32 => take!(I32, Int32Type),
        DataType::Date32 => take!(I32, Date32Type),
        DataType::Decimal32(..) => take!(I32, Decimal32Type),
        DataType::Interval(arrow_schema::IntervalUnit::YearMonth) => take!(I32, IntervalYearMonthType),
        DataType::Int64 => take!(I64, Int64Type),
        DataType::Decimal64(..) => take!(I64, Decimal64Type),
        DataType::Time64(_) => take!(I64, Time64NanosecondType),
        DataType::Timestamp(..) => take!(I64, TimestampMicrosecondType),
        DataType::Decimal128(..) => take!(I128, Decimal128Type),
        DataType::Float32 => take!(F32, Float32Type),
        DataType::Float64 => take!(F64, Float64Type),
        DataType::Interval(_) => take!(Days, IntervalMonthDayNanoType),
        DataType::FixedSizeBinary(_) => {
            let mut bytes = Vec::with_capacity(cells.len() * 16);
            for (column, at) in cells {
                let uuid = match &column.values {
                    Values::Uuid(values) => values.slice().get(*at).copied().unwrap_or_default(),
                    Values::Encoded(encoded) => encoded.fixed_at(*at).unwrap_or_default(),
                    _ => [0; 16],
                };
                bytes.extend_from_slice(&uuid);
            }
            Arc::new(FixedSizeBinaryArray::new(16, Buffer::from_vec(bytes), nulls))
        }
        DataType::Utf8View => {
            let mut builder = StringViewBuilder::with_capacity(cells.len());
            cells.iter().for_each(|(column, at)| builder.append_option(column.text(*at)));
            Arc::new(builder.finish())
        }
        _ => {
            let mut builder = BinaryViewBuilder::with_capacity(cells.len());
            cells.iter().for_each(|(column, at)| builder.append_option(column.binary(*at)));
            Arc::new(builder.finish())
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(
    sql_type: SqlType,
    nulls: Option<NullBuffer>,
    values: impl Iterator<Item = T::Native>,
) -> ArrayRef {
    let values: ScalarBuffer<T::Native> = values.collect();
    Arc::new(PrimitiveArray::<T>::new(values, nulls).with_data_type(data_type(sql_type)))
}
