//! Rows as a stream of Arrow arrays.

use pyo3::prelude::*;

/// A stream of record batches that is read once.
#[pyclass(module = "mainstay_informix._native")]
pub(crate) struct ArrowStream {}
