//! Rows as a stream of Arrow arrays, through the PyCapsule interface.
//!
//! A stream of a blocking cursor fetches while it is read: it calls the cursor back for the next rows. Such a stream can be read
//! once. The batches are made without the GIL.

use crate::error;
use crate::rows::Rows;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader, ffi::FFI_ArrowSchema};
use arrow_schema::{ArrowError, SchemaRef};
use mainstay_informix_driver::{Codeset, Layout, RowBlock, arrow};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of rows that make a batch; smaller fetches are put together.
const BATCH_BYTES: usize = 1 << 20;

/// Batches that are there, and where further rows come from.
struct Reader {
    layout: Arc<Layout>,
    schema: SchemaRef,
    codeset: Codeset,
    blocks: VecDeque<(RowBlock, usize)>,
    more: Option<Py<PyAny>>,
}

impl Reader {
    fn next_block(&mut self) -> Result<Option<(RowBlock, usize)>, ArrowError> {
        if let Some(block) = self.blocks.pop_front() {
            return Ok(Some(block));
        }
        let Some(more) = &self.more else { return Ok(None) };
        let next = Python::attach(|py| -> PyResult<Option<(RowBlock, usize)>> {
            let rows = more.call0(py)?;
            match rows.is_none(py) {
                true => Ok(None),
                false => Ok(Some(rows.bind(py).cast::<Rows>()?.borrow_mut().take_block())),
            }
        });
        if !matches!(next, Ok(Some(_))) {
            self.more = None;
        }
        next.map_err(|error| ArrowError::ExternalError(Box::new(error)))
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (mut block, from) = match self.next_block() {
                Ok(Some(next)) => next,
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            };
            while block.size() < BATCH_BYTES {
                match self.next_block() {
                    Ok(Some((next, start))) => block.append(&next, start),
                    Ok(None) => break,
                    Err(error) => return Some(Err(error)),
                }
            }
            if from < block.len() {
                return Some(arrow::batch(&self.schema, &self.layout, &block, from, self.codeset));
            }
        }
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// A stream of record batches that is read once.
#[pyclass(module = "mainstay_informix._native")]
pub(crate) struct ArrowStream {
    reader: Option<Reader>,
    schema: SchemaRef,
}

impl ArrowStream {
    pub fn new(
        layout: Arc<Layout>,
        codeset: Codeset,
        first: (RowBlock, usize),
        more: Option<Py<PyAny>>,
    ) -> ArrowStream {
        let schema = arrow::schema(&layout);
        let reader = Reader { layout, schema: Arc::clone(&schema), codeset, blocks: [first].into(), more };
        ArrowStream { reader: Some(reader), schema }
    }
}

fn failed(py: Python<'_>, failure: &ArrowError) -> PyErr {
    error(py, "DataError", &failure.to_string())
}

#[pymethods]
impl ArrowStream {
    /// Adds rows that have been fetched.
    fn add(&mut self, rows: &mut Rows) {
        if let Some(reader) = &mut self.reader {
            reader.blocks.push_back(rows.take_block());
        }
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &mut self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface leaves it to the producer to honour the request.
        drop(requested_schema);
        let Some(reader) = self.reader.take() else {
            return Err(error(py, "InterfaceError", "the stream has been read: execute the statement again"));
        };
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(|failure| failed(py, &failure))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}
