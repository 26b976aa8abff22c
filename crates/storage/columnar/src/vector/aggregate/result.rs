//! Columns of results, in their SQL types.

use super::super::kernel::{from_total_order, from_uuid_order};
use super::super::physical::UUID_BYTES;
use super::super::{arrow_error, unsupported};
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal64Type, Decimal128Type, Float32Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, Float64Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use mainstay_types::{Code, Error, Result, rounded_quotient};
use std::sync::Arc;

/// Returns true if results of this type are texts or bytes.
pub(super) fn is_bytes(output: &DataType) -> bool {
    matches!(output, DataType::Utf8View | DataType::BinaryView)
}

/// Texts or bytes.
pub(super) fn bytes<'a>(values: impl Iterator<Item = Option<&'a [u8]>>, output: &DataType) -> Result<ArrayRef> {
    if *output == DataType::BinaryView {
        let mut builder = BinaryViewBuilder::new();
        values.for_each(|value| builder.append_option(value));
        return Ok(Arc::new(builder.finish()));
    }
    let mut builder = StringViewBuilder::new();
    for value in values {
        let text = value.map(std::str::from_utf8).transpose();
        builder.append_option(text.map_err(|_| Error::new(Code::Internal, "a text that is not UTF-8"))?);
    }
    Ok(Arc::new(builder.finish()))
}

/// Numbers stored as integers: those of narrower types wrap, floats and doubles come as total-order integers of
/// doubles, UUIDs as integers in the order of their bytes.
pub(super) fn numbers(values: impl Iterator<Item = Option<i128>>, output: &DataType) -> Result<ArrayRef> {
    Ok(match output {
        DataType::Boolean => Arc::new(values.map(|value| value.map(|value| value != 0)).collect::<BooleanArray>()),
        DataType::Float64 => doubles(values.map(|value| value.map(|key| from_total_order(key as i64)))),
        DataType::Float32 => primitive::<Float32Type>(values, |value| from_total_order(value as i64) as f32),
        DataType::Int8 => primitive::<Int8Type>(values, |value| value as i8),
        DataType::Int16 => primitive::<Int16Type>(values, |value| value as i16),
        DataType::Int32 => primitive::<Int32Type>(values, |value| value as i32),
        DataType::Int64 => primitive::<Int64Type>(values, |value| value as i64),
        DataType::UInt32 => primitive::<UInt32Type>(values, |value| value as u32),
        DataType::UInt64 => primitive::<UInt64Type>(values, |value| value as u64),
        DataType::Date32 => primitive::<Date32Type>(values, |value| value as i32),
        DataType::Time32(TimeUnit::Millisecond) => primitive::<Time32MillisecondType>(values, |value| value as i32),
        DataType::Time64(TimeUnit::Nanosecond) => primitive::<Time64NanosecondType>(values, |value| value as i64),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => timestamps::<TimestampSecondType>(values, output),
            TimeUnit::Millisecond => timestamps::<TimestampMillisecondType>(values, output),
            TimeUnit::Microsecond => timestamps::<TimestampMicrosecondType>(values, output),
            TimeUnit::Nanosecond => timestamps::<TimestampNanosecondType>(values, output),
        },
        DataType::FixedSizeBinary(UUID_BYTES) => {
            let uuids = values.map(|value| value.map(from_uuid_order));
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(uuids, UUID_BYTES).map_err(arrow_error)?)
        }
        DataType::Decimal64(precision, scale) => Arc::new(
            values
                .map(|value| value.map(|value| value as i64))
                .collect::<PrimitiveArray<Decimal64Type>>()
                .with_precision_and_scale(*precision, *scale)
                .map_err(arrow_error)?,
        ),
        DataType::Decimal128(precision, scale) => Arc::new(
            values
                .collect::<PrimitiveArray<Decimal128Type>>()
                .with_precision_and_scale(*precision, *scale)
                .map_err(arrow_error)?,
        ),
        other => return Err(unsupported("a result", other)),
    })
}

fn primitive<T: ArrowPrimitiveType>(
    values: impl Iterator<Item = Option<i128>>,
    narrow: impl Fn(i128) -> T::Native,
) -> ArrayRef {
    Arc::new(values.map(|value| value.map(&narrow)).collect::<PrimitiveArray<T>>())
}

/// Timestamps in the time zone of their type, if it has one.
fn timestamps<T: ArrowPrimitiveType<Native = i64>>(
    values: impl Iterator<Item = Option<i128>>,
    output: &DataType,
) -> ArrayRef {
    let array = values.map(|value| value.map(|value| value as i64)).collect::<PrimitiveArray<T>>();
    Arc::new(array.with_data_type(output.clone()))
}

/// Doubles.
pub(super) fn doubles(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

/// Counts, which are never NULL.
pub(super) fn counts(counts: &[i64], output: &DataType) -> Result<ArrayRef> {
    match output {
        DataType::Int64 => Ok(Arc::new(PrimitiveArray::<Int64Type>::from(counts.to_vec()))),
        other => Err(unsupported("a count", other)),
    }
}

/// The average of decimals: the sum brought to the scale of the result, divided, and rounded half away from zero.
///
/// A product of more than 128 bits and a result of more digits than its type has are errors.
pub(super) fn decimal_average(sum: i128, count: i64, scale: i8, output: &DataType) -> Result<i128> {
    let DataType::Decimal128(precision, target) = output else { return Err(unsupported("an average", output)) };
    let overflow = || Error::new(Code::InvalidValue, format!("an average does not fit into {output}"));
    let shift = i32::from(*target) - i32::from(scale);
    let factor = u32::try_from(shift).ok().and_then(|shift| 10i128.checked_pow(shift)).ok_or_else(overflow)?;
    let scaled = sum.checked_mul(factor).ok_or_else(overflow)?;
    let average = rounded_quotient(scaled, i128::from(count.max(1))).ok_or_else(overflow)?;
    let limit = 10u128.checked_pow(u32::from(*precision)).ok_or_else(overflow)?;
    if average.unsigned_abs() < limit { Ok(average) } else { Err(overflow()) }
}
