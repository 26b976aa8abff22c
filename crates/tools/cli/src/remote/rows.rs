//! Rows of a server as Arrow batches, in the types that the formats know.
//!
//! Integers, decimals, floats and dates keep their types. Timestamps have the engine's type (ticks of 100 ns), so that
//! DATETIME2(7) keeps its seventh digit. SQL_VARIANT is written as text, each value in the form of its own type.

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal64Array, Decimal128Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int16Array, Int32Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray,
    Time64NanosecondArray,
};
use arrow_schema::{ArrowError, DataType as Arrow, Field, Schema, SchemaRef};
use mainstay_engine::{OFFSET, TICKS};
use mainstay_tds_client::{Column, DataType, variant_value};
use mainstay_types::{Code, Error, Result, Value};
use std::sync::Arc;

/// Rows of a batch.
const BATCH_ROWS: usize = 1024;
/// Bytes of texts and binary values of a batch, after which it ends.
const BATCH_BYTES: usize = 4 << 20;

/// Rows that wait for their batch.
pub(crate) struct Rows {
    schema: SchemaRef,
    types: Vec<DataType>,
    rows: Vec<Vec<Value>>,
    bytes: usize,
}

impl Rows {
    /// No rows of these columns.
    pub(crate) fn new(columns: &[Column]) -> Rows {
        let types: Vec<DataType> = columns.iter().map(|column| column.data_type).collect();
        let empty: [Vec<Value>; 0] = [];
        let field = |(place, column): (usize, &Column)| {
            let name = match column.name.is_empty() {
                true => format!("column{}", place + 1),
                false => column.name.clone(),
            };
            let data_type =
                array(column.data_type, place, &empty).map_or(Arrow::Utf8, |array| array.data_type().clone());
            Field::new(name, data_type, true)
        };
        let fields: Vec<Field> = columns.iter().enumerate().map(field).collect();
        Rows { schema: Arc::new(Schema::new(fields)), types, rows: Vec::new(), bytes: 0 }
    }

    /// The columns as Arrow describes them.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Adds a row; true if the batch is full.
    pub(super) fn push(&mut self, row: Vec<Value>) -> bool {
        let bytes = row.iter().map(|value| match value {
            Value::Text(text) => text.len(),
            Value::Binary(bytes) => bytes.len(),
            _ => 0,
        });
        self.bytes += bytes.sum::<usize>();
        self.rows.push(row);
        self.rows.len() >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    /// The rows so far as a batch; `None` if there are none.
    pub(super) fn take(&mut self) -> Result<Option<RecordBatch>> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let internal = |error: ArrowError| Error::new(Code::Internal, error.to_string());
        let arrays = self.types.iter().enumerate().map(|(place, data_type)| array(*data_type, place, &self.rows));
        let arrays: Vec<ArrayRef> = arrays.collect::<std::result::Result<_, _>>().map_err(internal)?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows.len()));
        let batch = RecordBatch::try_new_with_options(self.schema(), arrays, &options).map_err(internal)?;
        self.rows.clear();
        self.bytes = 0;
        Ok(Some(batch))
    }
}

/// The values of a column as an array. A value of another kind than the column's type is NULL; no server sends one.
fn array(data_type: DataType, place: usize, rows: &[Vec<Value>]) -> std::result::Result<ArrayRef, ArrowError> {
    let values = || rows.iter().map(move |row| row.get(place).unwrap_or(&Value::Null));
    let integer = |value: &Value| if let Value::Integer(number) = value { Some(*number) } else { None };
    let float = |value: &Value| if let Value::Float(number) = value { Some(*number) } else { None };
    let decimal = |precision, scale: u8| {
        let unscaled =
            values().map(|value| if let Value::Decimal(number) = value { Some(number.unscaled) } else { None });
        Decimal128Array::from_iter(unscaled).with_precision_and_scale(precision, scale as i8)
    };
    Ok(match data_type {
        DataType::Bit => Arc::new(BooleanArray::from_iter(values().map(|value| match value {
            Value::Boolean(bit) => Some(*bit),
            _ => None,
        }))),
        DataType::TinyInt | DataType::SmallInt => Arc::new(Int16Array::from_iter(
            values().map(|value| integer(value).and_then(|number| number.try_into().ok())),
        )),
        DataType::Int => Arc::new(Int32Array::from_iter(
            values().map(|value| integer(value).and_then(|number| number.try_into().ok())),
        )),
        DataType::BigInt => Arc::new(Int64Array::from_iter(values().map(integer))),
        DataType::Real => {
            Arc::new(Float32Array::from_iter(values().map(|value| float(value).map(|number| number as f32))))
        }
        DataType::Float => Arc::new(Float64Array::from_iter(values().map(float))),
        DataType::Decimal { precision, scale } => Arc::new(decimal(precision, scale)?),
        DataType::Money => Arc::new(decimal(19, 4)?),
        DataType::SmallMoney => Arc::new(decimal(10, 4)?),
        _ => other(data_type, place, rows)?,
    })
}

/// The same for moments, bytes and texts.
fn other(data_type: DataType, place: usize, rows: &[Vec<Value>]) -> std::result::Result<ArrayRef, ArrowError> {
    let values = || rows.iter().map(move |row| row.get(place).unwrap_or(&Value::Null));
    Ok(match data_type {
        DataType::Date => Arc::new(Date32Array::from_iter(values().map(|value| match value {
            Value::Date(day) => Some(day.0),
            _ => None,
        }))),
        DataType::Time(_) => Arc::new(Time64NanosecondArray::from_iter(values().map(|value| match value {
            Value::Time(time) => Some(time.0 * 100),
            _ => None,
        }))),
        DataType::DateTime | DataType::SmallDateTime | DataType::DateTime2(_) => {
            let ticks = values().map(|value| if let Value::Timestamp(moment) = value { Some(moment.0) } else { None });
            Arc::new(Decimal64Array::from_iter(ticks).with_data_type(TICKS))
        }
        DataType::DateTimeOffset(_) => {
            let packed = values().map(|value| match value {
                Value::TimestampWithOffset { utc, offset_minutes } => Some(utc.packed(*offset_minutes)),
                _ => None,
            });
            Arc::new(Decimal128Array::from_iter(packed).with_data_type(OFFSET))
        }
        DataType::UniqueIdentifier => {
            let bytes = values().map(|value| if let Value::Uuid(uuid) = value { Some(uuid) } else { None });
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 16)?)
        }
        DataType::Binary(_) | DataType::VarBinary(_) | DataType::Image | DataType::RowVersion => {
            let bytes =
                values().map(|value| if let Value::Binary(bytes) = value { Some(bytes.as_slice()) } else { None });
            Arc::new(BinaryArray::from_iter(bytes))
        }
        DataType::SqlVariant => Arc::new(StringArray::from_iter(values().map(|value| match value {
            Value::Null => None,
            value => Some(variant_value(value).1.to_string()),
        }))),
        _ => Arc::new(StringArray::from_iter(values().map(|value| match value {
            Value::Null => None,
            Value::Text(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::cell;
    use mainstay_tds_client::Length;
    use mainstay_types::{Date, Decimal, Time, Timestamp};

    #[test]
    fn every_type_is_written_as_its_value() {
        let moment: Timestamp = "2024-02-29 23:59:59.1234567".parse().unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        let cases = [
            (DataType::Bit, Value::Boolean(true), "true"),
            (DataType::TinyInt, Value::Integer(255), "255"),
            (DataType::Int, Value::Integer(-7), "-7"),
            (DataType::BigInt, Value::Integer(i64::MIN), "-9223372036854775808"),
            (DataType::Real, Value::Float(f64::from(0.1_f32)), "0.1"),
            (DataType::Float, Value::Float(2.5), "2.5"),
            (DataType::Decimal { precision: 38, scale: 2 }, Value::Decimal(Decimal::new(-5, 2)), "-0.05"),
            (DataType::Money, Value::Decimal(Decimal::new(12_345, 4)), "1.2345"),
            (DataType::Date, Value::Date(Date(19_782)), "2024-02-29"),
            (DataType::Time(7), Value::Time(Time(36_000_000_000)), "01:00:00"),
            (DataType::DateTime2(7), Value::Timestamp(moment), "2024-02-29 23:59:59.1234567"),
            (
                DataType::DateTimeOffset(7),
                Value::TimestampWithOffset { utc: moment, offset_minutes: 60 },
                "2024-03-01 00:59:59.1234567+01:00",
            ),
            (DataType::VarBinary(Length::Max), Value::Binary(vec![1, 0xFF]), "\\x01ff"),
            (DataType::NVarChar(Length::Max), text("åß"), "åß"),
            (DataType::Xml, text("<a/>"), "<a/>"),
        ];
        for (data_type, value, wanted) in cases {
            let mut rows = Rows::new(&[Column::new("", data_type)]);
            rows.push(vec![value]);
            rows.push(vec![Value::Null]);
            let batch = rows.take().unwrap().unwrap();
            assert_eq!(batch.schema().field(0).name(), "column1");
            let mut out = String::new();
            let (found, row) = cell::resolve(batch.column(0).as_ref(), 0).unwrap();
            cell::write(found, row, ' ', &mut out);
            assert_eq!(out, wanted, "{data_type:?}");
            assert!(cell::resolve(batch.column(0).as_ref(), 1).is_none());
        }
    }
}
