//! Parquet, compressed with Snappy, with the types that the prompt shows (dictionaries are written as plain columns,
//! because Parquet builds its own), and timestamps as in Arrow's files ([`arrow`](super::arrow)). Columns of equal
//! names are renamed: readers look columns up by name, and find only the first.

use super::arrow::Plain;
use super::{ResultWriter, Sink, io_error};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, FieldRef, IntervalUnit, Schema, SchemaRef};
use mainstay_engine::free_name;
use mainstay_types::{Code, Error};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

/// Writes row groups as they fill; memory is that of one row group.
pub(crate) struct Writer<'a> {
    /// Where it goes, until the first batch says what its moments are.
    sink: Option<Sink<'a>>,
    writer: Option<ArrowWriter<Sink<'a>>>,
    plain: Plain,
    /// Notes about columns that have another name in the file.
    renamed: Vec<String>,
}

impl<'a> Writer<'a> {
    /// A writer that has written nothing yet.
    pub(crate) fn new(schema: &SchemaRef, sink: Sink<'a>) -> Writer<'a> {
        let (schema, renamed) = named_apart(schema);
        Writer { sink: Some(sink), writer: None, plain: Plain::new(&schema), renamed }
    }

    /// Starts the file before the first batch.
    fn open(&mut self, first: Option<&RecordBatch>) -> io::Result<()> {
        let Some(sink) = self.sink.take() else { return Ok(()) };
        let schema = self.plain.settle(first);
        let has_no_type = |field: &&FieldRef| *field.data_type() == DataType::Interval(IntervalUnit::MonthDayNano);
        if let Some(field) = schema.fields().iter().find(has_no_type) {
            let message = format!("Parquet has no type for column {}, an INTERVAL DAY TO SECOND", field.name());
            let hint = format!("CAST({} AS VARCHAR) writes it as text", field.name());
            return Err(io::Error::other(Error::new(Code::Unsupported, message).hint(hint)));
        }
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("mainstay ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        self.writer = Some(ArrowWriter::try_new(sink, schema, Some(properties)).map_err(parquet_error)?);
        Ok(())
    }
}

impl ResultWriter for Writer<'_> {
    fn write(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.open(Some(batch))?;
        let batch = self.plain.unpack(batch).map_err(io_error)?;
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(&batch)).map_err(parquet_error)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.open(None)?;
        self.writer.take().map_or(Ok(()), |writer| writer.close().map(drop)).map_err(parquet_error)
    }

    fn notices(&self) -> Vec<String> {
        self.renamed.iter().cloned().chain(self.plain.notices()).collect()
    }
}

/// The columns under names that differ, and what is to be told of them.
fn named_apart(schema: &SchemaRef) -> (SchemaRef, Vec<String>) {
    let mut taken: HashMap<String, usize> =
        schema.fields().iter().map(|field| (field.name().to_lowercase(), 2)).collect();
    let (mut seen, mut renamed, mut fields) = (HashSet::new(), Vec::new(), Vec::new());
    for (place, field) in schema.fields().iter().enumerate() {
        let name = field.name();
        if seen.insert(name.as_str()) {
            fields.push(Arc::clone(field));
            continue;
        }
        let apart = free_name(name, &mut taken);
        renamed.push(format!("column {} is another one called {name}; its name in the file is {apart}", place + 1));
        fields.push(Arc::new(field.as_ref().clone().with_name(apart)));
    }
    (Arc::new(Schema::new(fields)), renamed)
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
