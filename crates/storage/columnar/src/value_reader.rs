//! Reading many values of one vector.
//!
//! [`value_at`] looks up the type of the vector and copies texts for each value. A [`ValueReader`] looks up the type once, and
//! lends its values.

use crate::values::{TICKS, unreadable, value_at};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef, BinaryViewArray, BooleanArray, PrimitiveArray, StringArray, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use mainstay_types::{Date, Decimal, Result, Timestamp, Value, ValueRef};

/// The values of a vector, by row.
#[derive(Clone, Debug)]
pub struct ValueReader {
    nulls: Option<NullBuffer>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Boolean(BooleanArray),
    Int8(PrimitiveArray<Int8Type>),
    Int16(PrimitiveArray<Int16Type>),
    Int32(PrimitiveArray<Int32Type>),
    Int64(PrimitiveArray<Int64Type>),
    Float32(PrimitiveArray<Float32Type>),
    Float64(PrimitiveArray<Float64Type>),
    Decimal(PrimitiveArray<Decimal128Type>, u8),
    Ticks(PrimitiveArray<Decimal64Type>),
    Microseconds(PrimitiveArray<TimestampMicrosecondType>),
    Date(PrimitiveArray<Date32Type>),
    Text(StringArray),
    TextView(StringViewArray),
    BinaryView(BinaryViewArray),
    /// The row of each value among those of another vector.
    Dictionary(Vec<usize>, Box<ValueReader>),
    /// Vectors of other types, converted.
    Values(Vec<Value>),
}

impl ValueReader {
    /// A reader of this vector, which it shares.
    ///
    /// Errors: `Unsupported` for vectors of types that no column can hold (lists, structures), and for timestamps out of range.
    pub fn new(array: &ArrayRef) -> Result<ValueReader> {
        let kind = match array.data_type() {
            DataType::Boolean => Kind::Boolean(array.as_boolean().clone()),
            DataType::Int8 => Kind::Int8(array.as_primitive().clone()),
            DataType::Int16 => Kind::Int16(array.as_primitive().clone()),
            DataType::Int32 => Kind::Int32(array.as_primitive().clone()),
            DataType::Int64 => Kind::Int64(array.as_primitive().clone()),
            DataType::Float32 => Kind::Float32(array.as_primitive().clone()),
            DataType::Float64 => Kind::Float64(array.as_primitive().clone()),
            &TICKS => Kind::Ticks(array.as_primitive().clone()),
            DataType::Decimal128(_, scale @ 0..) => Kind::Decimal(array.as_primitive().clone(), scale.unsigned_abs()),
            DataType::Timestamp(TimeUnit::Microsecond, None) => {
                let array = array.as_primitive::<TimestampMicrosecondType>();
                if !array.iter().flatten().all(|value| Timestamp::from_us(value).is_some()) {
                    return Err(unreadable(array.data_type()));
                }
                Kind::Microseconds(array.clone())
            }
            DataType::Date32 => Kind::Date(array.as_primitive().clone()),
            DataType::Utf8 => Kind::Text(array.as_string().clone()),
            DataType::Utf8View => Kind::TextView(array.as_string_view().clone()),
            DataType::BinaryView => Kind::BinaryView(array.as_binary_view().clone()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                // An empty dictionary has no keys to normalize, only NULLs.
                let keys = match dictionary.values().is_empty() {
                    true => Vec::new(),
                    false => dictionary.normalized_keys(),
                };
                Kind::Dictionary(keys, Box::new(ValueReader::new(dictionary.values())?))
            }
            _ => {
                let values = (0..array.len()).map(|row| value_at(array.as_ref(), row)).collect::<Result<_>>()?;
                return Ok(ValueReader { nulls: None, kind: Kind::Values(values) });
            }
        };
        Ok(ValueReader { nulls: array.nulls().cloned(), kind })
    }

    /// The value of a row, as [`value_at`] gives it. The row has to be one of the vector.
    #[inline]
    pub fn value(&self, row: usize) -> ValueRef<'_> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return ValueRef::Null;
        }
        match &self.kind {
            Kind::Boolean(array) => ValueRef::Boolean(array.value(row)),
            Kind::Int8(array) => ValueRef::Integer(array.value(row).into()),
            Kind::Int16(array) => ValueRef::Integer(array.value(row).into()),
            Kind::Int32(array) => ValueRef::Integer(array.value(row).into()),
            Kind::Int64(array) => ValueRef::Integer(array.value(row)),
            Kind::Float32(array) => ValueRef::Float(array.value(row).into()),
            Kind::Float64(array) => ValueRef::Float(array.value(row)),
            Kind::Decimal(array, scale) => ValueRef::Decimal(Decimal::new(array.value(row), *scale)),
            Kind::Ticks(array) => ValueRef::Timestamp(Timestamp(array.value(row))),
            Kind::Microseconds(array) => {
                Timestamp::from_us(array.value(row)).map_or(ValueRef::Null, ValueRef::Timestamp)
            }
            Kind::Date(array) => ValueRef::Date(Date(array.value(row))),
            Kind::Text(array) => ValueRef::Text(array.value(row)),
            Kind::TextView(array) => ValueRef::Text(array.value(row)),
            Kind::BinaryView(array) => ValueRef::Binary(array.value(row)),
            Kind::Dictionary(keys, values) => match keys.get(row) {
                Some(key) => values.value(*key),
                None => ValueRef::Null,
            },
            Kind::Values(values) => values.get(row).map_or(ValueRef::Null, Value::as_ref),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::{Int32Type, TimestampMillisecondType};
    use arrow_array::{DictionaryArray, Int64Array, UInt64Array};
    use std::sync::Arc;

    fn assert_same(array: ArrayRef) {
        let reader = ValueReader::new(&array).unwrap();
        for row in 0..array.len() {
            let expected = value_at(array.as_ref(), row).unwrap();
            assert_eq!(reader.value(row), expected.as_ref(), "{} row {row}", array.data_type());
        }
    }

    #[test]
    fn values_are_those_of_value_at() {
        let numbers = vec![Some(1i64), None, Some(-7)];
        let decimal = |precision, scale| {
            let numbers = numbers.iter().map(|number| number.map(i128::from));
            let array = PrimitiveArray::<Decimal128Type>::from_iter(numbers);
            Arc::new(array.with_data_type(DataType::Decimal128(precision, scale))) as ArrayRef
        };
        let texts = vec![Some("one"), None, Some("a text that is longer than a view")];
        let narrow = |number: &Option<i64>| number.map(|number| number as i32);
        assert_same(Arc::new(Int64Array::from(numbers.clone())));
        assert_same(Arc::new(PrimitiveArray::<Int32Type>::from_iter(numbers.iter().map(narrow))));
        assert_same(Arc::new(PrimitiveArray::<Date32Type>::from_iter(numbers.iter().map(narrow))));
        assert_same(Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(3)])));
        assert_same(Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])));
        assert_same(Arc::new(StringArray::from(texts.clone())));
        assert_same(Arc::new(StringViewArray::from(texts.clone())));
        assert_same(decimal(10, 2));
        // Ticks with an offset: the smallest, and another one.
        assert_same(decimal(38, -12));
        assert_same(Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from(numbers.clone())));
        assert_same(Arc::new(PrimitiveArray::<TimestampMillisecondType>::from(numbers.clone())));
        assert_same(Arc::new(PrimitiveArray::<Decimal64Type>::from(numbers).with_data_type(TICKS)));
        assert_same(Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>()));
        assert_same(Arc::new(vec![None::<&str>; 2].into_iter().collect::<DictionaryArray<Int32Type>>()));
    }

    #[test]
    fn slices_begin_at_their_own_row() {
        let array: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(4)]));
        assert_same(array.slice(1, 3));
        let texts = [Some("a"), Some("b"), None, Some("b")].into_iter().collect::<DictionaryArray<Int32Type>>();
        assert_same(Arc::new(texts.slice(1, 3)));
    }
}
