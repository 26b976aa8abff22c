//! Rows of a fetch as Python tuples.

use crate::arrow::ArrowStream;
use crate::error;
use crate::values::{Converter, wire};
use mainstay_informix_driver::{Codeset, Kind, Layout, RowBlock, read_cell};
use mainstay_sqli::WireError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::Arc;

/// Rows that were fetched and not read.
#[pyclass(module = "mainstay_informix._native")]
pub(crate) struct Rows {
    layout: Arc<Layout>,
    /// The kinds of the columns, side by side.
    kinds: Vec<Kind>,
    block: RowBlock,
    next: usize,
    converter: Converter,
    codeset: Codeset,
    /// Values of the row that is being made.
    values: Vec<Py<PyAny>>,
}

impl Rows {
    /// `files` makes file objects of the values of BLOB and CLOB columns.
    pub fn new(
        py: Python<'_>,
        layout: Arc<Layout>,
        codeset: Codeset,
        strips: bool,
        files: Option<Py<PyAny>>,
    ) -> PyResult<Rows> {
        let values = Vec::with_capacity(layout.columns.len());
        let kinds = layout.columns.iter().map(|column| column.kind).collect();
        Ok(Rows {
            layout,
            kinds,
            codeset,
            block: RowBlock::default(),
            next: 0,
            converter: Converter::new(py, codeset, strips, files)?,
            values,
        })
    }

    /// Takes the next block; rows that were not read are gone.
    pub fn load(&mut self, block: RowBlock) {
        self.block = block;
        self.next = 0;
    }

    /// The rows that were not read, from the number on that is returned.
    pub fn take_block(&mut self) -> (RowBlock, usize) {
        let next = std::mem::take(&mut self.next);
        (std::mem::take(&mut self.block), next)
    }

    fn row<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let place = self.next;
        let Some(mut bytes) = self.block.row(place) else { return Ok(None) };
        // An error must not be met again and again.
        self.next += 1;
        self.values.clear();
        let has_lobs = !self.layout.lobs.is_empty();
        for (number, kind) in self.kinds.iter().enumerate() {
            let cell = read_cell(*kind, &mut bytes).map_err(|failure| wire(py, &failure))?;
            let lob = if has_lobs { self.block.lob(&self.layout, place, number) } else { None };
            let is_padded = matches!(kind, Kind::Padded(_));
            self.values.push(self.converter.object(py, cell, is_padded, lob)?);
        }
        if !bytes.is_empty() {
            return Err(wire(py, &WireError::Malformed("a row is longer than its columns")));
        }
        PyTuple::new(py, self.values.drain(..)).map(Some)
    }
}

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.block.len() - self.next
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.row(py)
    }

    /// The next row, or None.
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.row(py)
    }

    /// The rows that were not read as a stream of Arrow arrays; `more` gives the next ones, or None.
    #[pyo3(signature = (more))]
    fn arrow(&mut self, py: Python<'_>, more: Option<Py<PyAny>>) -> PyResult<ArrowStream> {
        if self.converter.makes_files() {
            let message = "Arrow data has no file objects: use a cursor without lob_files";
            return Err(error(py, "NotSupportedError", message));
        }
        let first = self.take_block();
        Ok(ArrowStream::new(Arc::clone(&self.layout), self.codeset, first, more))
    }

    /// Appends up to this many rows to a list, and returns their number.
    fn take(&mut self, py: Python<'_>, into: &Bound<'_, PyList>, most: usize) -> PyResult<usize> {
        let mut count = 0;
        while count < most {
            let Some(row) = self.row(py)? else { break };
            into.append(row)?;
            count += 1;
        }
        Ok(count)
    }
}
