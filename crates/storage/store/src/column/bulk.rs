//! Whole Arrow vectors into columns: one memory copy per column.
//!
//! The vectors must have the physical type of the column ([`super::layout::data_type`]); the caller casts. Only text is
//! copied value by value, because long values must lie in the column's own blocks.

use super::{Appenders, ColumnAppender};
use crate::column::layout::{brief, data_type};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, IntervalYearMonthType, Time64NanosecondType, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{DataType, IntervalUnit};
use mainstay_types::{Code, Date, Decimal, Error, Result, SqlType, Timestamp, ValueRef};
use std::ops::Range;

impl ColumnAppender {
    /// Appends these rows of a vector of the column's physical type. The vector was checked ([`check`]).
    ///
    /// Errors: `TypeMismatch` for a vector of another type, `OutOfMemory` when the group has too many long values.
    pub(crate) fn extend(&mut self, array: &dyn Array, rows: Range<usize>) -> Result<()> {
        let before = self.len();
        if self.nulls.is_none() && array.null_count() > 0 && rows.clone().any(|row| array.is_null(row)) {
            self.start_nulls(before);
        }
        self.extend_values(array, rows.clone())?;
        if let Some(nulls) = &mut self.nulls {
            if array.null_count() == 0 {
                nulls.fill(0, rows.len());
            } else {
                rows.for_each(|row| nulls.push(array.is_null(row).into()));
            }
        }
        Ok(())
    }

    fn extend_values(&mut self, array: &dyn Array, rows: Range<usize>) -> Result<()> {
        let other =
            || Error::new(Code::TypeMismatch, format!("a vector of {} for {}", array.data_type(), self.sql_type));
        macro_rules! copy {
            ($values:expr, $arrow:ty) => {
                $values.extend(&values::<$arrow>(array).ok_or_else(other)?[rows])
            };
        }
        match (&mut self.values, array.data_type()) {
            (Appenders::U8(values), DataType::Boolean) => {
                let bits = array.as_boolean().values();
                rows.for_each(|row| values.push(bits.value(row).into()));
            }
            (Appenders::I8(values), DataType::Int8) => copy!(values, Int8Type),
            (Appenders::I16(values), DataType::Int16) => copy!(values, Int16Type),
            (Appenders::I32(values), DataType::Int32) => copy!(values, Int32Type),
            (Appenders::I32(values), DataType::Date32) => copy!(values, Date32Type),
            (Appenders::I32(values), DataType::Decimal32(..)) => copy!(values, Decimal32Type),
            (Appenders::I32(values), DataType::Interval(IntervalUnit::YearMonth)) => {
                copy!(values, IntervalYearMonthType)
            }
            (Appenders::I64(values), DataType::Int64) => copy!(values, Int64Type),
            (Appenders::I64(values), DataType::Decimal64(..)) => copy!(values, Decimal64Type),
            (Appenders::I64(values), DataType::Time64(_)) => copy!(values, Time64NanosecondType),
            (Appenders::I64(values), DataType::Timestamp(..)) => copy!(values, TimestampMicrosecondType),
            (Appenders::I128(values), DataType::Decimal128(..)) => copy!(values, Decimal128Type),
            (Appenders::F32(values), DataType::Float32) => copy!(values, Float32Type),
            (Appenders::F64(values), DataType::Float64) => copy!(values, Float64Type),
            (Appenders::Days(values), DataType::Interval(_)) => copy!(values, IntervalMonthDayNanoType),
            (Appenders::Uuid(values), DataType::FixedSizeBinary(16)) => {
                let uuids = array.as_fixed_size_binary();
                rows.for_each(|row| values.push(uuids.value(row).try_into().unwrap_or_default()));
            }
            (Appenders::Views(views), DataType::Utf8View) => {
                let texts = array.as_string_view();
                rows.clone()
                    .try_for_each(|row| views.push_text(if texts.is_null(row) { "" } else { texts.value(row) }))?;
            }
            (Appenders::Views(views), DataType::BinaryView) => {
                let bytes = array.as_binary_view();
                rows.clone()
                    .try_for_each(|row| views.push_bytes(if bytes.is_null(row) { b"" } else { bytes.value(row) }))?;
            }
            _ => return Err(other()),
        }
        Ok(())
    }
}

fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> Option<&[T::Native]> {
    array.as_primitive_opt::<T>().map(|array| &array.values()[..])
}

/// Checks that every value of a vector may stand in a column of this type.
///
/// Errors: `TypeMismatch` for a vector of another physical type, `InvalidValue` for a value that does not fit.
pub(crate) fn check(sql_type: SqlType, array: &dyn Array) -> Result<()> {
    if *array.data_type() != data_type(sql_type) {
        return Err(Error::new(Code::TypeMismatch, format!("a vector of {} for {sql_type}", array.data_type())));
    }
    let misfit = |value: ValueRef<'_>| {
        Err(Error::new(Code::InvalidValue, format!("{} does not fit into {sql_type}", brief(value))))
    };
    match sql_type {
        SqlType::VarChar { length: Some(length), .. } | SqlType::Char { length, .. } => {
            let fits = |text: &str| text.len() <= length as usize || text.chars().count() <= length as usize;
            match array.as_string_view().iter().flatten().find(|text| !fits(text)) {
                Some(text) => misfit(ValueRef::Text(text)),
                None => Ok(()),
            }
        }
        SqlType::VarBinary { length: Some(length) } | SqlType::Binary { length } => {
            match array.as_binary_view().iter().flatten().find(|bytes| bytes.len() > length as usize) {
                Some(bytes) => misfit(ValueRef::Binary(bytes)),
                None => Ok(()),
            }
        }
        SqlType::Decimal { precision, scale } => {
            let limit = 10u128.pow(u32::from(precision.min(38)));
            let wide = |unscaled: i128| unscaled.unsigned_abs() >= limit;
            let found = match array.data_type() {
                DataType::Decimal32(..) => find::<Decimal32Type>(array, wide),
                DataType::Decimal64(..) => find::<Decimal64Type>(array, wide),
                _ => find::<Decimal128Type>(array, wide),
            };
            found.map_or(Ok(()), |unscaled| misfit(ValueRef::Decimal(Decimal::new(unscaled, scale))))
        }
        SqlType::Date => {
            let beyond = |day: &i32| !(Date::FIRST..=Date::LAST).contains(&Date(*day));
            let found = array.as_primitive::<Date32Type>().iter().flatten().find(beyond);
            found.map_or(Ok(()), |day| misfit(ValueRef::Date(Date(day))))
        }
        SqlType::Timestamp { .. } => {
            let of = |moments: Range<i64>| move |moment: &i64| !moments.contains(moment);
            let (first, last) = (Timestamp::FIRST, Timestamp::LAST);
            let found = match array.data_type() {
                DataType::Decimal64(..) => {
                    let beyond = of(first.0..last.0 + 1);
                    array.as_primitive::<Decimal64Type>().iter().flatten().find(beyond).map(Timestamp)
                }
                _ => {
                    let beyond = of(first.us()..last.us() + 1);
                    let found = array.as_primitive::<TimestampMicrosecondType>().iter().flatten().find(beyond);
                    // One that is no count of ticks is far beyond.
                    found.map(|us| Timestamp::from_us(us).unwrap_or(Timestamp(i64::MAX)))
                }
            };
            found.map_or(Ok(()), |moment| misfit(ValueRef::Timestamp(moment)))
        }
        _ => Ok(()),
    }
}

fn find<T: ArrowPrimitiveType>(array: &dyn Array, wanted: impl Fn(i128) -> bool) -> Option<i128>
where
    T::Native: Into<i128>,
{
    array.as_primitive::<T>().iter().flatten().map(Into::into).find(|value| wanted(*value))
}
