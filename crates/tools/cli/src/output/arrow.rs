//! Arrow IPC: the file format where the destination is a file, the stream format into a pipe.
//!
//! Dictionaries are written as plain columns. The file format allows one dictionary a column, while batches of one
//! result may have different ones; and a reader should find the types that the prompt shows.
//!
//! Arrow has no timestamps of 100 ns that reach from year 1 to 9999, nor timestamps with an offset for each value:
//!
//! ```text
//!   TIMESTAMP(7)                timestamp[ns], if all values of the first batch are within the years 1677 to 2262
//!                               timestamp[us] otherwise: the seventh digit is cut off, and a notice counts the values
//!   TIMESTAMP WITH TIME ZONE    the same with zone +00:00, in UTC; a notice counts the values with other offsets
//! ```
//!
//! The type of a column precedes its rows in the file. A later row that does not fit the type ends the file with an
//! error.

use super::{ResultWriter, Sink, io_error};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal64Type, Decimal128Type, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use mainstay_engine::{OFFSET, TICKS};
use mainstay_types::Timestamp;
use std::io;
use std::sync::Arc;

enum Ipc<'a> {
    /// Until the first batch says what its moments are.
    Waiting(Option<Sink<'a>>),
    File(FileWriter<Sink<'a>>),
    Stream(StreamWriter<Sink<'a>>),
}

/// Writes batch for batch.
pub(crate) struct Writer<'a> {
    ipc: Ipc<'a>,
    seekable: bool,
    plain: Plain,
}

impl<'a> Writer<'a> {
    /// A writer that has written nothing yet.
    pub(crate) fn new(seekable: bool, schema: &SchemaRef, sink: Sink<'a>) -> Writer<'a> {
        Writer { ipc: Ipc::Waiting(Some(sink)), seekable, plain: Plain::new(schema) }
    }

    /// Writes the schema message before the first batch.
    fn open(&mut self, first: Option<&RecordBatch>) -> io::Result<()> {
        let Ipc::Waiting(sink) = &mut self.ipc else { return Ok(()) };
        let sink = sink.take().ok_or_else(|| io::Error::other("the file could not be begun"))?;
        let schema = self.plain.settle(first);
        self.ipc = match self.seekable {
            true => Ipc::File(FileWriter::try_new(sink, &schema).map_err(io_error)?),
            false => Ipc::Stream(StreamWriter::try_new(sink, &schema).map_err(io_error)?),
        };
        Ok(())
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.open(Some(batch))?;
        let batch = self.plain.unpack(batch).map_err(io_error)?;
        match &mut self.ipc {
            Ipc::File(writer) => writer.write(&batch),
            Ipc::Stream(writer) => writer.write(&batch),
            Ipc::Waiting(_) => Ok(()),
        }
        .map_err(io_error)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.open(None)?;
        match &mut self.ipc {
            Ipc::File(writer) => writer.finish(),
            Ipc::Stream(writer) => writer.finish(),
            Ipc::Waiting(_) => Ok(()),
        }
        .map_err(io_error)
    }

    fn notices(&self) -> Vec<String> {
        self.plain.notices()
    }
}

/// A result in types that Arrow's files have, and what they cannot hold of it.
pub(super) struct Plain {
    schema: SchemaRef,
    /// By column: values whose seventh digit was cut off, and values that had an offset.
    cut: Vec<(u64, u64)>,
}

impl Plain {
    /// A result of this schema.
    pub(super) fn new(schema: &SchemaRef) -> Plain {
        Plain { schema: Arc::clone(schema), cut: vec![(0, 0); schema.fields().len()] }
    }

    /// The schema of the file: dictionaries are replaced by what they hold, and moments by some of Arrow's that can hold
    /// those of the first batch.
    pub(super) fn settle(&mut self, first: Option<&RecordBatch>) -> SchemaRef {
        let plain = |(place, field): (usize, &Arc<Field>)| {
            let data_type = match field.data_type() {
                DataType::Dictionary(_, value) => *value.clone(),
                &TICKS | &OFFSET => {
                    let column = first.and_then(|batch| batch.columns().get(place));
                    let fits = column.is_none_or(|column| moments(column).all(|it| it.0.nanos().is_some()));
                    let unit = if fits { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
                    let zone = (*field.data_type() == OFFSET).then(|| "+00:00".into());
                    DataType::Timestamp(unit, zone)
                }
                _ => return Arc::clone(field),
            };
            Arc::new(Field::new(field.name(), data_type, field.is_nullable()))
        };
        let fields = self.schema.fields().iter().enumerate().map(plain).collect::<Vec<_>>();
        self.schema = Arc::new(Schema::new(fields));
        Arc::clone(&self.schema)
    }

    /// The batch in the types of the file.
    ///
    /// Errors: a moment that its column cannot hold.
    pub(super) fn unpack(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut columns = Vec::with_capacity(batch.num_columns());
        for ((column, field), cut) in batch.columns().iter().zip(self.schema.fields()).zip(&mut self.cut) {
            columns.push(match column.data_type() == field.data_type() {
                true => Arc::clone(column),
                false => match *column.data_type() {
                    TICKS => converted::<Decimal64Type>(column, field, Timestamp)?,
                    OFFSET => converted::<Decimal128Type>(column, field, |packed| Timestamp::unpacked(packed).0)?,
                    _ => arrow_cast::cast(column, field.data_type())?,
                },
            });
            let in_micros = matches!(field.data_type(), DataType::Timestamp(TimeUnit::Microsecond, _));
            for (moment, offset) in moments(column) {
                cut.0 += u64::from(in_micros && moment.0 % 10 != 0);
                cut.1 += u64::from(offset != 0);
            }
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }

    /// Parts of the result that the file does not contain.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        for (field, (digits, offsets)) in self.schema.fields().iter().zip(&self.cut) {
            let name = field.name();
            if *digits > 0 {
                notices.push(format!(
                    "{name}: {digits} values lost the seventh digit of their seconds, as moments outside of the years 1677 \
                     to 2262 are written in microseconds; CAST({name} AS VARCHAR) keeps it"
                ));
            }
            if *offsets > 0 {
                notices.push(format!(
                    "{name}: {offsets} values are written as moments of UTC, without their offset; \
                     CAST({name} AS VARCHAR) keeps it"
                ));
            }
        }
        notices
    }
}

/// The moments of a column of one of the two types, each of UTC with its offset in minutes; none of another column.
fn moments(column: &ArrayRef) -> Box<dyn Iterator<Item = (Timestamp, i16)> + '_> {
    match *column.data_type() {
        TICKS => Box::new(column.as_primitive::<Decimal64Type>().iter().flatten().map(|ticks| (Timestamp(ticks), 0))),
        OFFSET => Box::new(column.as_primitive::<Decimal128Type>().iter().flatten().map(Timestamp::unpacked)),
        _ => Box::new(std::iter::empty()),
    }
}

fn converted<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    field: &Field,
    moment: impl Fn(T::Native) -> Timestamp,
) -> Result<ArrayRef, ArrowError> {
    let values = column.as_primitive::<T>();
    if !matches!(field.data_type(), DataType::Timestamp(TimeUnit::Nanosecond, _)) {
        let micros: PrimitiveArray<TimestampMicrosecondType> = values.unary(|value| moment(value).us());
        return Ok(Arc::new(micros.with_data_type(field.data_type().clone())));
    }
    let nanos: PrimitiveArray<TimestampNanosecondType> = values.try_unary(|value| {
        let moment = moment(value);
        moment.nanos().ok_or_else(|| {
            let name = field.name();
            ArrowError::ComputeError(format!(
                "column {name}: {moment} is outside of the years 1677 to 2262, which the rows before it were not; \
                 CAST({name} AS TIMESTAMP) writes microseconds, CAST({name} AS VARCHAR) text"
            ))
        })
    })?;
    Ok(Arc::new(nanos.with_data_type(field.data_type().clone())))
}
