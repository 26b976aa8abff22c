//! Rows as Arrow arrays, a column at a time.
//!
//! Each row has a position, the start of its next column that was not read. Columns of fixed length leave the positions alone
//! and add to a distance that all rows share, so that a table of numbers is read with constant strides.
//!
//! | column | array |
//! |---|---|
//! | SMALLINT; INTEGER, SERIAL; the others | Int16; Int32; Int64 |
//! | DECIMAL(p,s), MONEY; DECIMAL(p) | Decimal128(p,s); Utf8, since its point floats |
//! | DATE, DATETIME without time of day | Date32 |
//! | DATETIME; that from HOUR on | Timestamp(µs); Time64(µs) |
//! | INTERVAL of months; of days | Interval(MonthDayNano); Duration(µs) |
//! | texts; BYTE, BLOB, CLOB | Utf8; Binary |

use crate::cell::{Cell, read_cell};
use crate::layout::{Column, Kind, Layout};
use crate::rows::RowBlock;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, DurationMicrosecondType, Float32Type, Float64Type, Int16Type,
    Int32Type, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType, Time64MicrosecondType,
    TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, NullBuffer, NullBufferBuilder};
use arrow_schema::{ArrowError, DataType, Field, IntervalUnit, Schema, SchemaRef, TimeUnit};
use mainstay_sqli::{Codeset, Unit, WireError, decimal_text, decode_datetime, decode_interval};
use mainstay_types::Value;
use std::sync::Arc;

/// Days from 1899-12-31, day 0 of DATE, to 1970-01-01.
const DAYS_TO_1970: i32 = 25_568;

/// The schema of a layout.
pub fn schema(layout: &Layout) -> SchemaRef {
    // A column that is declared NOT NULL may still be NULL behind an outer join.
    let field = |column: &Column| Field::new(&column.name, data_type(column), true);
    Arc::new(Schema::new(layout.columns.iter().map(field).collect::<Vec<_>>()))
}

fn data_type(column: &Column) -> DataType {
    match column.kind {
        Kind::Int16 => DataType::Int16,
        Kind::Int32 => DataType::Int32,
        Kind::Int64 | Kind::Int8 => DataType::Int64,
        Kind::Float64 => DataType::Float64,
        Kind::Float32 => DataType::Float32,
        Kind::Date => DataType::Date32,
        Kind::Decimal(_) => match column.precision() {
            Some((precision @ 1..=38, Some(scale))) if scale <= precision => {
                DataType::Decimal128(precision, i8::try_from(scale).unwrap_or(0))
            }
            _ => DataType::Utf8,
        },
        Kind::DateTime(qualifier, _) if qualifier.first >= Unit::HOUR => DataType::Time64(TimeUnit::Microsecond),
        Kind::DateTime(qualifier, _) if qualifier.last <= Unit::DAY => DataType::Date32,
        Kind::DateTime(..) => DataType::Timestamp(TimeUnit::Microsecond, None),
        Kind::Interval(qualifier, _) if qualifier.first <= Unit::MONTH => {
            DataType::Interval(IntervalUnit::MonthDayNano)
        }
        Kind::Interval(..) => DataType::Duration(TimeUnit::Microsecond),
        Kind::Boolean => DataType::Boolean,
        Kind::Byte | Kind::Opaque | Kind::Smart(false) => DataType::Binary,
        Kind::Padded(_) | Kind::Varchar | Kind::Text | Kind::LongText | Kind::Smart(true) => DataType::Utf8,
    }
}

/// The rows of a block from this one on.
///
/// Errors: those of [`read_cell`], and values beyond the range of their array.
pub fn batch(
    schema: &SchemaRef,
    layout: &Layout,
    block: &RowBlock,
    from: usize,
    codeset: Codeset,
) -> Result<RecordBatch, ArrowError> {
    let count = block.len().saturating_sub(from);
    let positions = (from..block.len()).filter_map(|row| block.range(row)).map(|range| range.start).collect();
    let mut reader = Columns { bytes: block.bytes(), positions, distance: 0, block, layout, from, codeset };
    let mut arrays = Vec::with_capacity(layout.columns.len());
    for (place, field) in schema.fields().iter().enumerate() {
        let Some(column) = layout.columns.get(place) else { continue };
        let array = reader.array(place, column, field.data_type());
        arrays.push(array.map_err(|error| ArrowError::ExternalError(Box::new(error)))?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(count));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
}

struct Columns<'b> {
    bytes: &'b [u8],
    positions: Vec<usize>,
    distance: usize,
    block: &'b RowBlock,
    layout: &'b Layout,
    from: usize,
    codeset: Codeset,
}

const SHORT: WireError = WireError::Malformed("a row is shorter than its columns");
const RANGE: WireError = WireError::Value("a value is beyond the range of its Arrow type");

impl Columns<'_> {
    fn array(&mut self, place: usize, column: &Column, kind: &DataType) -> Result<ArrayRef, WireError> {
        match column.kind {
            Kind::Int16 => {
                self.numbers::<2, Int16Type>(|bytes| Some(i16::from_be_bytes(bytes)).filter(|n| *n != i16::MIN))
            }
            Kind::Int32 => {
                self.numbers::<4, Int32Type>(|bytes| Some(i32::from_be_bytes(bytes)).filter(|n| *n != i32::MIN))
            }
            Kind::Int64 => {
                self.numbers::<8, Int64Type>(|bytes| Some(i64::from_be_bytes(bytes)).filter(|n| *n != i64::MIN))
            }
            Kind::Float64 => self.numbers::<8, Float64Type>(|bytes| {
                Some(u64::from_be_bytes(bytes)).filter(|bits| *bits != u64::MAX).map(f64::from_bits)
            }),
            Kind::Float32 => self.numbers::<4, Float32Type>(|bytes| {
                Some(u32::from_be_bytes(bytes)).filter(|bits| *bits != u32::MAX).map(f32::from_bits)
            }),
            Kind::Date => self.numbers::<4, Date32Type>(|bytes| {
                Some(i32::from_be_bytes(bytes)).filter(|days| *days != i32::MIN)?.checked_sub(DAYS_TO_1970)
            }),
            _ => self.others(place, column, kind),
        }
    }

    /// A column of numbers of `N` bytes.
    fn numbers<const N: usize, T: ArrowPrimitiveType>(
        &mut self,
        value: impl Fn([u8; N]) -> Option<T::Native>,
    ) -> Result<ArrayRef, WireError> {
        let (bytes, distance) = (self.bytes, self.distance);
        let read = |position: usize| bytes.get(position + distance..).and_then(|rest| rest.first_chunk::<N>()).copied();
        let mut values = Vec::with_capacity(self.positions.len());
        let mut missing = 0usize;
        for position in &self.positions {
            let value = value(read(*position).ok_or(SHORT)?);
            missing += usize::from(value.is_none());
            values.push(value.unwrap_or_default());
        }
        let is_valid = |row: usize| self.positions.get(row).and_then(|position| value(read(*position)?)).is_some();
        let nulls = (missing > 0).then(|| NullBuffer::new(BooleanBuffer::collect_bool(values.len(), is_valid)));
        self.distance += N;
        Ok(Arc::new(PrimitiveArray::<T>::new(values.into(), nulls)))
    }

    fn others(&mut self, place: usize, column: &Column, kind: &DataType) -> Result<ArrayRef, WireError> {
        match kind {
            DataType::Boolean => {
                let mut builder = BooleanBuilder::with_capacity(self.positions.len());
                self.each(column, |_, cell| {
                    match cell {
                        Cell::Boolean(value) => builder.append_value(value),
                        _ => builder.append_null(),
                    }
                    Ok(())
                })?;
                Ok(Arc::new(builder.finish()))
            }
            DataType::Utf8 => self.texts(place, column),
            DataType::Binary => {
                let (block, layout, from) = (self.block, self.layout, self.from);
                let mut builder = BinaryBuilder::new();
                self.each(column, |row, cell| {
                    match cell {
                        Cell::Lob(..) | Cell::Locator(..) => {
                            builder.append_value(block.lob(layout, from + row, place).unwrap_or_default());
                        }
                        Cell::Opaque(bytes) => builder.append_value(bytes),
                        _ => builder.append_null(),
                    }
                    Ok(())
                })?;
                Ok(Arc::new(builder.finish()))
            }
            DataType::Decimal128(precision, scale) => {
                let array = self.values::<Decimal128Type>(column, |cell| decimal(cell, *scale))?;
                let array = array.with_precision_and_scale(*precision, *scale).map_err(|_| RANGE)?;
                Ok(Arc::new(array))
            }
            DataType::Int64 => Ok(Arc::new(self.values::<Int64Type>(column, |cell| match cell {
                Cell::Integer(number) => Ok(Some(number)),
                _ => Ok(None),
            })?)),
            DataType::Date32 => Ok(Arc::new(self.values::<Date32Type>(column, |cell| match moment(cell)? {
                Value::Timestamp(moment) => Ok(Some(moment.date().0)),
                _ => Ok(None),
            })?)),
            DataType::Time64(_) => {
                Ok(Arc::new(self.values::<Time64MicrosecondType>(column, |cell| match moment(cell)? {
                    Value::Time(time) => Ok(Some(time.0 / 10)),
                    _ => Ok(None),
                })?))
            }
            DataType::Timestamp(..) => {
                Ok(Arc::new(self.values::<TimestampMicrosecondType>(column, |cell| match moment(cell)? {
                    Value::Timestamp(moment) => Ok(Some(moment.us())),
                    _ => Ok(None),
                })?))
            }
            DataType::Interval(_) => Ok(Arc::new(self.values::<IntervalMonthDayNanoType>(column, |cell| {
                Ok(span(cell)?.map(|interval| IntervalMonthDayNano::new(interval.months, 0, 0)))
            })?)),
            _ => Ok(Arc::new(self.values::<DurationMicrosecondType>(column, |cell| {
                let interval = span(cell)?;
                interval.map(|interval| i64::try_from(interval.day_ticks() / 10).map_err(|_| RANGE)).transpose()
            })?)),
        }
    }

    /// A column of values that are read one by one.
    fn values<T: ArrowPrimitiveType>(
        &mut self,
        column: &Column,
        mut value: impl FnMut(Cell<'_>) -> Result<Option<T::Native>, WireError>,
    ) -> Result<PrimitiveArray<T>, WireError> {
        let mut values = Vec::with_capacity(self.positions.len());
        let mut nulls = NullBufferBuilder::new(self.positions.len());
        self.each(column, |_, cell| {
            let value = value(cell)?;
            nulls.append(value.is_some());
            values.push(value.unwrap_or_default());
            Ok(())
        })?;
        Ok(PrimitiveArray::new(values.into(), nulls.finish()))
    }

    fn texts(&mut self, place: usize, column: &Column) -> Result<ArrayRef, WireError> {
        let (block, layout, from, codeset) = (self.block, self.layout, self.from, self.codeset);
        let mut builder = StringBuilder::with_capacity(self.positions.len(), 16 * self.positions.len());
        let mut append = |bytes: &[u8]| {
            match std::str::from_utf8(bytes) {
                Ok(text) if codeset == Codeset::Utf8 || text.is_ascii() => builder.append_value(text),
                _ => builder.append_value(codeset.decode(bytes)?),
            }
            Ok(())
        };
        let mut missing = NullBufferBuilder::new(self.positions.len());
        self.each(column, |row, cell| {
            missing.append(cell != Cell::Null);
            match cell {
                Cell::Text(bytes) => append(bytes),
                Cell::Lob(..) | Cell::Locator(..) => append(block.lob(layout, from + row, place).unwrap_or_default()),
                Cell::Decimal(digits) => append(decimal_text(digits)?.unwrap_or_default().as_bytes()),
                _ => append(b""),
            }
        })?;
        let (offsets, values, _) = builder.finish().into_parts();
        let array = arrow_array::StringArray::try_new(offsets, values, missing.finish()).map_err(|_| RANGE)?;
        Ok(Arc::new(array))
    }

    /// Reads a column row by row, and moves the positions behind it.
    fn each(
        &mut self,
        column: &Column,
        mut take: impl FnMut(usize, Cell<'_>) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        let is_fixed = column.kind.fixed_bytes();
        for (row, position) in self.positions.iter_mut().enumerate() {
            let start = *position + self.distance;
            let mut rest = self.bytes.get(start..).ok_or(SHORT)?;
            let before = rest.len();
            take(row, read_cell(column.kind, &mut rest)?)?;
            if is_fixed.is_none() {
                *position = start + before - rest.len();
            }
        }
        self.distance = is_fixed.map_or(0, |bytes| self.distance + bytes);
        Ok(())
    }
}

/// The unscaled number of a DECIMAL at the scale of its column.
fn decimal(cell: Cell<'_>, scale: i8) -> Result<Option<i128>, WireError> {
    let Cell::Decimal(digits) = cell else { return Ok(None) };
    let Some(number) = mainstay_sqli::decode_decimal(digits)? else { return Ok(None) };
    let number = number.rescale(u8::try_from(scale).unwrap_or(0)).ok_or(RANGE)?;
    Ok(Some(number.unscaled))
}

fn moment(cell: Cell<'_>) -> Result<Value, WireError> {
    match cell {
        Cell::DateTime(digits, qualifier) => decode_datetime(digits, qualifier),
        _ => Ok(Value::Null),
    }
}

fn span(cell: Cell<'_>) -> Result<Option<mainstay_types::Interval>, WireError> {
    match cell {
        Cell::Interval(digits, qualifier) => decode_interval(digits, qualifier),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use mainstay_sqli::{Form, TypeCode, TypeDescription, write_value};
    use mainstay_types::{Date, ValueRef};

    fn field(code: TypeCode, length: u32) -> mainstay_sqli::Field {
        mainstay_sqli::Field { name: "c".into(), kind: TypeDescription::new(code, length) }
    }

    #[test]
    fn columns_of_fixed_and_of_own_length_mix() {
        let fields = [
            field(TypeCode::INTEGER, 4),
            field(TypeCode::VARCHAR, 20),
            field(TypeCode::DATE, 4),
            field(TypeCode::DECIMAL, 0x0802),
            mainstay_sqli::Field { name: "b".into(), kind: TypeDescription::boolean() },
            field(TypeCode::SMALLINT, 2),
        ];
        let layout = Layout::new(&fields);
        let mut block = RowBlock::default();
        let decimal = |text: &str| ValueRef::Decimal(text.parse().unwrap());
        let rows = [
            [
                ValueRef::Integer(1),
                ValueRef::Text("é"),
                ValueRef::Date(Date(0)),
                decimal("-1.5"),
                ValueRef::Boolean(true),
                ValueRef::Integer(-1),
            ],
            [ValueRef::Null; 6],
            [
                ValueRef::Integer(2),
                ValueRef::Text(""),
                ValueRef::Date(Date(-1)),
                decimal("2"),
                ValueRef::Boolean(false),
                ValueRef::Integer(7),
            ],
        ];
        for row in rows {
            let mut bytes = Vec::new();
            for (value, field) in row.into_iter().zip(&fields) {
                write_value(value, &field.kind, Form::Text, Codeset::Latin1, &mut bytes).unwrap();
            }
            block.push(&bytes);
        }
        let schema = schema(&layout);
        let batch = |from| batch(&schema, &layout, &block, from, Codeset::Latin1).unwrap();
        let all = batch(0);
        assert_eq!(all.column(0).as_primitive::<Int32Type>().iter().collect::<Vec<_>>(), [Some(1), None, Some(2)]);
        assert_eq!(all.column(1).as_string::<i32>().iter().collect::<Vec<_>>(), [Some("é"), None, Some("")]);
        assert_eq!(all.column(2).as_primitive::<Date32Type>().iter().collect::<Vec<_>>(), [Some(0), None, Some(-1)]);
        assert_eq!(
            all.column(3).as_primitive::<Decimal128Type>().iter().collect::<Vec<_>>(),
            [Some(-150), None, Some(200)]
        );
        assert_eq!(all.column(4).as_boolean().iter().collect::<Vec<_>>(), [Some(true), None, Some(false)]);
        assert_eq!(all.column(5).as_primitive::<Int16Type>().iter().collect::<Vec<_>>(), [Some(-1), None, Some(7)]);
        assert_eq!(batch(1).num_rows(), 2);
        assert!(batch(1).column(0).is_null(0));
    }

    #[test]
    fn short_rows_are_errors() {
        let layout = Layout::new(&[field(TypeCode::INTEGER, 4), field(TypeCode::VARCHAR, 9)]);
        let mut block = RowBlock::default();
        block.push(&[0, 0, 0, 1, 200, b'x']);
        assert!(batch(&schema(&layout), &layout, &block, 0, Codeset::Utf8).is_err());
    }
}
