//! Results of statements: batches of rows as they come, in types that Arrow's consumers know.
//!
//! The engine has two types of its own for moments (`mainstay_columnar::values`) and packs some columns as dictionaries or
//! narrow decimals. Consumers get:
//!
//! ```text
//!   TIMESTAMP(7)                 timestamp[us]; the seventh digit of a second is cut off
//!   TIMESTAMP WITH TIME ZONE     timestamp[us, +00:00]: the moment of UTC
//!   INTERVAL DAY TO SECOND       duration[us]
//!   INTERVAL YEAR TO MONTH       month_day_nano_interval; for polars, which has no such type, int32: months
//!   UUID                         fixed_size_binary[16] with the extension name arrow.uuid
//!   dictionaries, narrow decimals  their values; decimal128
//! ```
//!
//! An expression may be an interval of either kind, in one type of the engine. The rows that are there decide which one it is:
//! those of the first batch, or all of them once they are loaded. A later row of the other kind is an error.

use crate::failure::{Class, Fault};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal64Type, Decimal128Type, DurationMicrosecondType, Int32Type, IntervalMonthDayNano,
    IntervalMonthDayNanoType, IntervalYearMonthType, TimestampMicrosecondType,
};
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

/// A kind of consumer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consumer {
    /// Reads any Arrow type.
    Arrow,
    /// Has no type for years and months: they become numbers of months.
    Frames,
}

/// True if columns have the type of intervals of both kinds, so that [`plain_schema`] has to know rows.
pub(crate) fn has_open_intervals(schema: &Schema) -> bool {
    schema.fields().iter().any(|field| *field.data_type() == DataType::Interval(IntervalUnit::MonthDayNano))
}

/// The columns in types that a consumer knows; `known` are rows that will come.
pub(crate) fn plain_schema<'b>(
    schema: &Schema,
    consumer: Consumer,
    known: impl Iterator<Item = &'b RecordBatch> + Clone,
) -> SchemaRef {
    let months = match consumer {
        Consumer::Arrow => DataType::Interval(IntervalUnit::MonthDayNano),
        Consumer::Frames => DataType::Int32,
    };
    let has_months = |place: usize| known.clone().any(|batch| has_months(batch.column(place)));
    let plain = |(place, field): (usize, &Arc<Field>)| {
        let data_type = match field.data_type() {
            DataType::Interval(IntervalUnit::YearMonth) => months.clone(),
            DataType::Interval(IntervalUnit::MonthDayNano) if has_months(place) => months.clone(),
            other => plain_type(other),
        };
        let is_uuid = data_type == DataType::FixedSizeBinary(16);
        let metadata: HashMap<String, String> = match is_uuid {
            true => HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]),
            false => HashMap::new(),
        };
        Field::new(field.name(), data_type, field.is_nullable()).with_metadata(metadata)
    };
    Arc::new(Schema::new(schema.fields().iter().enumerate().map(plain).collect::<Vec<_>>()))
}

fn has_months(column: &ArrayRef) -> bool {
    column.as_primitive::<IntervalMonthDayNanoType>().iter().flatten().any(|interval| interval.months != 0)
}

fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, value) => plain_type(value),
        &TICKS => DataType::Timestamp(TimeUnit::Microsecond, None),
        &OFFSET => DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => DataType::Duration(TimeUnit::Microsecond),
        other => other.clone(),
    }
}

/// A batch in the types of a schema, which is one of [`plain_schema`] or what a consumer asks for.
pub(crate) fn plain_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let column = |(column, field): (&ArrayRef, &Arc<Field>)| -> Result<ArrayRef, ArrowError> {
        let plain: ArrayRef = match (column.data_type(), field.data_type()) {
            (&TICKS, _) => micros::<Decimal64Type>(column, None, Timestamp),
            (&OFFSET, _) => micros::<Decimal128Type>(column, Some("+00:00"), |packed| Timestamp::unpacked(packed).0),
            (DataType::Interval(IntervalUnit::MonthDayNano), DataType::Duration(_)) => durations(column, field.name())?,
            (DataType::Interval(IntervalUnit::MonthDayNano), DataType::Int32) => months(column, field.name())?,
            (DataType::Interval(IntervalUnit::YearMonth), DataType::Int32) => {
                Arc::new(column.as_primitive::<IntervalYearMonthType>().reinterpret_cast::<Int32Type>())
            }
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

/// Intervals of days and seconds as durations.
///
/// Errors: `ComputeError` for an interval with months, and for one beyond 292,000 years.
fn durations(column: &ArrayRef, name: &str) -> Result<ArrayRef, ArrowError> {
    let micros = |interval: IntervalMonthDayNano| {
        let days = i64::from(interval.days).checked_mul(86_400_000_000).filter(|_| interval.months == 0);
        let micros = days.and_then(|days| days.checked_add(interval.nanoseconds.div_euclid(1000)));
        micros.ok_or_else(|| mixed(name))
    };
    let intervals = column.as_primitive::<IntervalMonthDayNanoType>();
    Ok(Arc::new(intervals.try_unary::<_, DurationMicrosecondType, _>(micros)?))
}

/// Intervals of years and months as numbers of months.
///
/// Errors: `ComputeError` for an interval with days or a time.
fn months(column: &ArrayRef, name: &str) -> Result<ArrayRef, ArrowError> {
    let months = |interval: IntervalMonthDayNano| match (interval.days, interval.nanoseconds) {
        (0, 0) => Ok(interval.months),
        _ => Err(mixed(name)),
    };
    let intervals = column.as_primitive::<IntervalMonthDayNanoType>();
    Ok(Arc::new(intervals.try_unary::<_, Int32Type, _>(months)?))
}

fn mixed(name: &str) -> ArrowError {
    let message = "has intervals of months beside those of days and seconds, or too long ones: CAST it to VARCHAR";
    ArrowError::ComputeError(format!("column {name} {message}"))
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
