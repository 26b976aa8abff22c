//! Parquet, compressed with Snappy, with the types that the prompt showed (dictionaries written out:
//! Parquet makes its own).

use super::arrow::{plain, unpack};
use super::{ResultWriter, Sink, io_error};
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io;

/// Writes row groups as they fill; memory is that of one row group.
pub(crate) struct Writer<'a> {
    writer: ArrowWriter<Sink<'a>>,
    schema: SchemaRef,
}

impl<'a> Writer<'a> {
    /// Starts the file.
    pub(crate) fn new(schema: &Schema, sink: Sink<'a>) -> io::Result<Writer<'a>> {
        let schema = plain(schema);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("mainstay ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties)).map_err(parquet_error)?;
        Ok(Writer { writer, schema })
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let batch = unpack(batch, &self.schema).map_err(io_error)?;
        self.writer.write(&batch).map_err(parquet_error)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.writer.close().map(drop).map_err(parquet_error)
    }
}

/// The error of the destination inside one of Parquet's, so that a broken pipe is still known as one.
fn parquet_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other.to_string()),
    }
}
