//! Arrow IPC: the file format where the destination is a file, the stream format into a pipe.
//!
//! Dictionaries are written out as plain columns. The file format allows one dictionary a column, and
//! batches of one result may come with different ones; and a reader should find the types that the
//! prompt showed.
//!
//! Limit: neither format has moments of 100 ns that reach from year 1 to 9999, nor moments with offsets of their own.
//! Both are written in microseconds: the seventh digit is cut off, and what has an offset becomes its moment of UTC.

use super::{ResultWriter, Sink, io_error};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Decimal64Type, Decimal128Type, TimestampMicrosecondType};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use mainstay_base::Timestamp;
use mainstay_engine::{OFFSET, TICKS};
use std::io;
use std::sync::Arc;

enum Ipc<'a> {
    File(FileWriter<Sink<'a>>),
    Stream(StreamWriter<Sink<'a>>),
}

/// Writes batch for batch.
pub(crate) struct Writer<'a> {
    ipc: Ipc<'a>,
    schema: SchemaRef,
}

impl<'a> Writer<'a> {
    /// Writes the schema message.
    pub(crate) fn new(seekable: bool, schema: &Schema, sink: Sink<'a>) -> io::Result<Writer<'a>> {
        let schema = plain(schema);
        let ipc = match seekable {
            true => Ipc::File(FileWriter::try_new(sink, &schema).map_err(io_error)?),
            false => Ipc::Stream(StreamWriter::try_new(sink, &schema).map_err(io_error)?),
        };
        Ok(Writer { ipc, schema })
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let batch = unpack(batch, &self.schema).map_err(io_error)?;
        match &mut self.ipc {
            Ipc::File(writer) => writer.write(&batch),
            Ipc::Stream(writer) => writer.write(&batch),
        }
        .map_err(io_error)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        match &mut self.ipc {
            Ipc::File(writer) => writer.finish(),
            Ipc::Stream(writer) => writer.finish(),
        }
        .map_err(io_error)
    }
}

/// The schema with dictionaries replaced by what they hold, and moments that Arrow has no type for by some of its own.
pub(super) fn plain(schema: &Schema) -> SchemaRef {
    let moment = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    let renewed = |field: &Field, data_type| Arc::new(Field::new(field.name(), data_type, field.is_nullable()));
    let plain = |field: &Arc<Field>| match field.data_type() {
        &TICKS => renewed(field, moment(None)),
        &OFFSET => renewed(field, moment(Some("+00:00"))),
        DataType::Dictionary(_, value) => Arc::new(Field::new(field.name(), *value.clone(), field.is_nullable())),
        _ => field.clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>()))
}

/// The batch in the types of a [`plain`] schema.
pub(super) fn unpack(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let cast = |(column, field): (&ArrayRef, &Arc<Field>)| match column.data_type() == field.data_type() {
        true => Ok(column.clone()),
        false => match *column.data_type() {
            TICKS => in_micros::<Decimal64Type>(column, field, |ticks| Timestamp(ticks).us()),
            OFFSET => in_micros::<Decimal128Type>(column, field, |packed| Timestamp::unpacked(packed).0.us()),
            _ => arrow_cast::cast(column, field.data_type()),
        },
    };
    let columns = batch.columns().iter().zip(schema.fields()).map(cast).collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema.clone(), columns)
}

fn in_micros<T: ArrowPrimitiveType>(
    column: &ArrayRef,
    field: &Field,
    micros: impl Fn(T::Native) -> i64,
) -> Result<ArrayRef, ArrowError> {
    let moments: PrimitiveArray<TimestampMicrosecondType> = column.as_primitive::<T>().unary(micros);
    Ok(Arc::new(moments.with_data_type(field.data_type().clone())))
}
