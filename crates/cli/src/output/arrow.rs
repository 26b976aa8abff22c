//! Arrow IPC: the file format where the destination is a file, the stream format into a pipe.
//!
//! Dictionaries are written out as plain columns. The file format allows one dictionary a column, and
//! batches of one result may come with different ones; and a reader should find the types that the
//! prompt showed.

use super::{ResultWriter, Sink, io_error};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
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

/// The schema with dictionaries replaced by what they hold.
pub(super) fn plain(schema: &Schema) -> SchemaRef {
    let plain = |field: &Arc<Field>| match field.data_type() {
        DataType::Dictionary(_, value) => Arc::new(Field::new(field.name(), *value.clone(), field.is_nullable())),
        _ => field.clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<_>>()))
}

/// The batch in the types of a [`plain`] schema.
pub(super) fn unpack(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let cast = |(column, field): (&ArrayRef, &Arc<Field>)| match column.data_type() == field.data_type() {
        true => Ok(column.clone()),
        false => arrow_cast::cast(column, field.data_type()),
    };
    let columns = batch.columns().iter().zip(schema.fields()).map(cast).collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema.clone(), columns)
}
