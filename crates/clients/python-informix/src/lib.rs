//! The native module of `mainstay_informix`: sessions, rows and values of `informix-driver` as Python objects.
//!
//! Nothing here waits. The Python package owns the sockets and event loops; [`session::Session`] turns bytes into rows, and
//! so one implementation serves blocking and asynchronous connections.

#![allow(missing_docs, reason = "the stub file _native.pyi documents the module for its users")]

mod arguments;
mod arrow;
mod python_types;
mod rows;
mod session;
mod values;

use pyo3::prelude::*;

/// Contents of `mainstay_informix._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arrow::ArrowStream;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::session::{Session, decode, encode, lob_size, parse};
}

/// An exception of the package, by the name of its class.
pub(crate) fn error(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = py.import("mainstay_informix.errors").and_then(|module| module.getattr(class)?.call1((message,)));
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
