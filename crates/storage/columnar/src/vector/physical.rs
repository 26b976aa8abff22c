//! The physical types that the kernels support, as slices.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, BinaryViewArray, BooleanArray, StringViewArray};
use arrow_schema::{DataType, TimeUnit};

/// The bytes of a UUID, as Arrow's types count them.
pub(crate) const UUID_BYTES: i32 = 16;

/// A column vector by the width of its values. Slices hold all rows; those of NULL rows hold anything.
#[derive(Clone, Copy)]
pub(crate) enum Physical<'a> {
    /// Int8.
    I8(&'a [i8]),
    /// Int16.
    I16(&'a [i16]),
    /// Decimal32, Int32, Date32, Time32.
    I32(&'a [i32]),
    /// Decimal64, Int64, Time64, Timestamp with a time zone or without.
    I64(&'a [i64]),
    /// Decimal128.
    I128(&'a [i128]),
    /// UInt32.
    U32(&'a [u32]),
    /// Float32.
    F32(&'a [f32]),
    /// Float64.
    F64(&'a [f64]),
    /// FixedSizeBinary(16).
    Uuid(&'a [[u8; 16]]),
    /// Boolean.
    Boolean(&'a BooleanArray),
    /// Utf8View.
    Text(&'a StringViewArray),
    /// BinaryView.
    Binary(&'a BinaryViewArray),
    /// A dictionary of text with 8-bit codes.
    Codes8(&'a [u8], &'a StringViewArray),
    /// A dictionary of text with 16-bit codes.
    Codes16(&'a [u16], &'a StringViewArray),
}

impl<'a> Physical<'a> {
    /// The slices of a vector, or `None` for a type that no kernel handles.
    pub(crate) fn of(vector: &'a dyn Array) -> Option<Physical<'a>> {
        Some(match vector.data_type() {
            DataType::Decimal32(..) => Physical::I32(vector.as_primitive_opt::<Decimal32Type>()?.values()),
            DataType::Int8 => Physical::I8(vector.as_primitive_opt::<Int8Type>()?.values()),
            DataType::Int16 => Physical::I16(vector.as_primitive_opt::<Int16Type>()?.values()),
            DataType::Int32 => Physical::I32(vector.as_primitive_opt::<Int32Type>()?.values()),
            DataType::Date32 => Physical::I32(vector.as_primitive_opt::<Date32Type>()?.values()),
            DataType::Time32(TimeUnit::Millisecond) => {
                Physical::I32(vector.as_primitive_opt::<Time32MillisecondType>()?.values())
            }
            DataType::Decimal64(..) => Physical::I64(vector.as_primitive_opt::<Decimal64Type>()?.values()),
            DataType::Int64 => Physical::I64(vector.as_primitive_opt::<Int64Type>()?.values()),
            DataType::Time64(TimeUnit::Nanosecond) => {
                Physical::I64(vector.as_primitive_opt::<Time64NanosecondType>()?.values())
            }
            DataType::Timestamp(unit, _) => Physical::I64(timestamps(vector, *unit)?),
            DataType::Decimal128(..) => Physical::I128(vector.as_primitive_opt::<Decimal128Type>()?.values()),
            DataType::UInt32 => Physical::U32(vector.as_primitive_opt::<UInt32Type>()?.values()),
            DataType::Float32 => Physical::F32(vector.as_primitive_opt::<Float32Type>()?.values()),
            DataType::Float64 => Physical::F64(vector.as_primitive_opt::<Float64Type>()?.values()),
            DataType::FixedSizeBinary(UUID_BYTES) => {
                Physical::Uuid(vector.as_fixed_size_binary_opt()?.value_data().as_chunks::<16>().0)
            }
            DataType::Boolean => Physical::Boolean(vector.as_boolean_opt()?),
            DataType::Utf8View => Physical::Text(vector.as_string_view_opt()?),
            DataType::BinaryView => Physical::Binary(vector.as_binary_view_opt()?),
            DataType::Dictionary(..) => dictionary(vector)?,
            _ => return None,
        })
    }
}

fn timestamps(vector: &dyn Array, unit: TimeUnit) -> Option<&[i64]> {
    Some(match unit {
        TimeUnit::Second => vector.as_primitive_opt::<TimestampSecondType>()?.values(),
        TimeUnit::Millisecond => vector.as_primitive_opt::<TimestampMillisecondType>()?.values(),
        TimeUnit::Microsecond => vector.as_primitive_opt::<TimestampMicrosecondType>()?.values(),
        TimeUnit::Nanosecond => vector.as_primitive_opt::<TimestampNanosecondType>()?.values(),
    })
}

fn dictionary(vector: &dyn Array) -> Option<Physical<'_>> {
    if let Some(dictionary) = vector.as_dictionary_opt::<UInt8Type>() {
        return Some(Physical::Codes8(dictionary.keys().values(), dictionary.values().as_string_view_opt()?));
    }
    let dictionary = vector.as_dictionary_opt::<UInt16Type>()?;
    Some(Physical::Codes16(dictionary.keys().values(), dictionary.values().as_string_view_opt()?))
}

/// Returns true if the kernels handle vectors of this type.
pub(crate) fn is_known(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(codes, values) => {
            matches!(**codes, DataType::UInt8 | DataType::UInt16) && **values == DataType::Utf8View
        }
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => true,
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 | DataType::UInt32 => true,
        DataType::Float32 | DataType::Float64 | DataType::Boolean => true,
        DataType::Date32 | DataType::Time32(TimeUnit::Millisecond) | DataType::Time64(TimeUnit::Nanosecond) => true,
        DataType::Timestamp(..) => true,
        DataType::Utf8View | DataType::BinaryView | DataType::FixedSizeBinary(UUID_BYTES) => true,
        _ => false,
    }
}
