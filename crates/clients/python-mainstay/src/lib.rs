//! The native module of `mainstay`, the Python package that embeds the engine.
//!
//! ```text
//!   mainstay.Connection   (Python)   PEP 249, transactions, frames
//!     |- Session      one session of a dialect, behind a lock          session, dialects, opened
//!     |- ResultSet    rows as tuples, or as an Arrow stream            result_set, results, to_python
//!          |- Worker  work without the GIL, which Ctrl-C ends          worker, chain
//! ```

#![allow(missing_docs, reason = "the stub file _native.pyi documents the module for its users")]

mod arrow_import;
mod catalog;
mod chain;
mod dialects;
mod failure;
mod from_python;
mod load;
mod marks;
mod opened;
mod python_types;
mod result_set;
mod results;
mod session;
mod to_python;
mod worker;

use pyo3::prelude::*;

/// Contents of `mainstay._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::result_set::ResultSet;
    #[pymodule_export]
    use super::session::Session;
}
