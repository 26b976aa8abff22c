//! Results of statements: batches of rows as they come, in types that Arrow's consumers know.
//!
//! The engine has two types of its own for moments (`mainstay_columnar::values`) and packs some columns as dictionaries or
//! narrow decimals. Consumers get:
//!
//! ```text
//!   TIMESTAMP(7)                 timestamp[us]; the seventh digit of a second is cut off
//!   TIMESTAMP WITH TIME ZONE     timestamp[us, +00:00]: the moment of UTC
//!   INTERVAL YEAR TO MONTH       month_day_nano_interval
//!   UUID                         fixed_size_binary[16] with the extension name arrow.uuid
//!   dictionaries, narrow decimals  their values; decimal128
//! ```

use crate::failure::{Class, Fault};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Decimal64Type, Decimal128Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, IntervalUnit, Schema, SchemaRef, TimeUnit};
use mainstay_columnar::values::{OFFSET, TICKS, array_of};
use mainstay_engine::Answer;
use mainstay_session::Rows;
use mainstay_types::{Timestamp, Value, ValueRef};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Rows that are made a batch.
pub(crate) const BATCH_ROWS: usize = 8192;

/// The result of one statement.
#[derive(Default)]
pub(crate) struct Output {
    /// Its rows, if it gives rows.
    pub rows: Option<RowBatches>,
    /// Rows that it has changed.
    pub changed: Option<u64>,
    /// The number that the last new row was given.
    pub last_id: Option<i64>,
    /// Notices and messages.
    pub messages: Vec<String>,
    /// Values of output parameters by their places, and the return status of a procedure.
    pub outputs: Vec<(usize, Value)>,
    pub status: Option<i32>,
}

/// Rows in batches, as they come.
pub(crate) enum RowBatches {
    /// Of the engine.
    Answer(Box<Answer>, String),
    /// Rows of Informix SQL.
    Rows { schema: SchemaRef, rows: Box<dyn Rows>, text: String },
    /// Batches that are there.
    Ready(SchemaRef, VecDeque<RecordBatch>),
}

impl RowBatches {
    /// The columns, in the engine's types.
    pub fn schema(&self) -> &SchemaRef {
        match self {
            RowBatches::Answer(answer, _) => answer.schema(),
            RowBatches::Rows { schema, .. } | RowBatches::Ready(schema, _) => schema,
        }
    }

    /// The next rows that are not empty, or `None` behind the last.
    pub fn next(&mut self) -> Result<Option<RecordBatch>, Fault> {
        loop {
            let batch = match self {
                RowBatches::Answer(answer, text) => {
                    answer.next_batch().map_err(|error| Fault::of_core(&error, text.as_str()))?
                }
                RowBatches::Ready(_, batches) => batches.pop_front(),
                RowBatches::Rows { schema, rows, text } => next_rows(schema, rows.as_mut(), text)?,
            };
            match batch {
                Some(batch) if batch.num_rows() == 0 => {}
                batch => return Ok(batch),
            }
        }
    }

    /// Notices about the rows that were read.
    pub fn notices(&self) -> Vec<String> {
        match self {
            RowBatches::Answer(answer, _) => answer.notices(),
            _ => Vec::new(),
        }
    }
}

fn next_rows(schema: &SchemaRef, rows: &mut dyn Rows, text: &str) -> Result<Option<RecordBatch>, Fault> {
    let mut some = Vec::new();
    while some.len() < BATCH_ROWS {
        match rows.next().map_err(|failure| Fault::of_informix(&failure, text))? {
            Some(row) => some.push(row),
            None => break,
        }
    }
    if some.is_empty() {
        return Ok(None);
    }
    batch_of(schema, &some).map(Some)
}

/// A batch of rows.
pub(crate) fn batch_of(schema: &SchemaRef, rows: &[Vec<Value>]) -> Result<RecordBatch, Fault> {
    let column = |(place, field): (usize, &Arc<Field>)| -> ArrayRef {
        let cells = rows.iter().map(|row| row.get(place).map_or(ValueRef::Null, Value::as_ref));
        array_of(field.data_type(), &cells.collect::<Vec<_>>())
    };
    let columns = schema.fields().iter().enumerate().map(column).collect();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options).map_err(|error| of_arrow(&error))
}

/// An error of Arrow.
pub(crate) fn of_arrow(error: &ArrowError) -> Fault {
    Fault::new(Class::Data, error.to_string())
}

/// The columns in types that consumers know.
pub(crate) fn plain_schema(schema: &Schema) -> SchemaRef {
    let plain = |field: &Arc<Field>| {
        let data_type = plain_type(field.data_type());
        let is_uuid = data_type == DataType::FixedSizeBinary(16);
        let metadata: HashMap<String, String> = match is_uuid {
            true => HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]),
            false => HashMap::new(),
        };
        Field::new(field.name(), data_type, field.is_nullable()).with_metadata(metadata)
    };
    Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>()))
}

fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, value) => plain_type(value),
        &TICKS => DataType::Timestamp(TimeUnit::Microsecond, None),
        &OFFSET => DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::Interval(IntervalUnit::YearMonth) => DataType::Interval(IntervalUnit::MonthDayNano),
        other => other.clone(),
    }
}

/// A batch in the types of a schema, which is one of [`plain_schema`] or what a consumer asks for.
pub(crate) fn plain_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let column = |(column, field): (&ArrayRef, &Arc<Field>)| -> Result<ArrayRef, ArrowError> {
        let plain = match *column.data_type() {
            TICKS => micros::<Decimal64Type>(column, None, Timestamp),
            OFFSET => micros::<Decimal128Type>(column, Some("+00:00"), |packed| Timestamp::unpacked(packed).0),
            _ => Arc::clone(column),
        };
        match plain.data_type() == field.data_type() {
            true => Ok(plain),
            false => arrow_cast::cast(&plain, field.data_type()),
        }
    };
    let columns = batch.columns().iter().zip(schema.fields()).map(column).collect::<Result<Vec<_>, _>>()?;
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

fn micros<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    zone: Option<&str>,
    moment: impl Fn(T::Native) -> Timestamp,
) -> ArrayRef {
    let micros: PrimitiveArray<TimestampMicrosecondType> = column.as_primitive::<T>().unary(|value| moment(value).us());
    Arc::new(micros.with_timezone_opt(zone))
}

/// Bytes that a batch holds.
pub(crate) fn bytes_of(batch: &RecordBatch) -> usize {
    batch.columns().iter().map(|column| column.get_array_memory_size()).sum()
}
