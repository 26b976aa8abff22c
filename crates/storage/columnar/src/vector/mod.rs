//! Kernels over column vectors: select rows, aggregate them, order them, copy them out.
//!
//! A general executor pays for its generality: it turns every column into the SQL type first, hashes every
//! row of a GROUP BY, and sorts. Most statements that programs send are one scan with a filter and little
//! above it, and the storage already holds columns in small physical types. These kernels work on those
//! types directly, a row group at a time, and give the SQL types only for what leaves them:
//!
//! ```text
//!   row group of column vectors                               SQL types
//!     Dictionary<u8, text>  --+
//!     Decimal32 (8,2)         |--> select --> bitmap --+--> filter / gather --> rows
//!     Date32 ...            --+                        +--> Aggregator      --> groups
//!                                                      +--> Top             --> row numbers
//! ```
//!
//! **Invariant.** Each gives exactly the answer that the general operators give for the same statement:
//! same order of text (bytes), floats (total order, and -0.0 equal to 0.0 where a filter compares), same
//! rounding and overflow of sums and averages. The exceptions are the order in which doubles are added and
//! NaN in grouped MIN and MAX (see [`aggregate`]), and IN over doubles, which here means `=` for each value
//! while the general executor's long lists tell 0.0 from -0.0.
//!
//! There is no `unsafe`: loops are written so that the compiler vectorises them (blocks of 64 values, no
//! branches), and `multiversion` compiles them twice and picks the AVX2 form when the processor has it.

pub mod aggregate;
mod bits;
mod bounds;
pub mod decimals;
pub mod exclusion;
mod kernel;
pub mod materialize;
mod physical;
pub mod select;
mod text;
pub mod top;

pub use aggregate::{Aggregate, Aggregator, Function, GroupColumn, Progress};
pub use materialize::{filter, gather, materialize, selected_rows, sql_type};
pub use select::{holds, select};
pub use top::{SortKey, Top};

use arrow_array::ArrayRef;
use mainstay_types::{Code, Error, Result};

/// The column vectors of one row group, by column number; only those that were asked for need exist.
pub trait Vectors {
    /// The vector of this column, if it was decoded.
    fn vector(&self, column: usize) -> Option<&ArrayRef>;
}

impl Vectors for Vec<ArrayRef> {
    fn vector(&self, column: usize) -> Option<&ArrayRef> {
        self.get(column)
    }
}

impl Vectors for [ArrayRef] {
    fn vector(&self, column: usize) -> Option<&ArrayRef> {
        self.get(column)
    }
}

impl<const N: usize> Vectors for [ArrayRef; N] {
    fn vector(&self, column: usize) -> Option<&ArrayRef> {
        self.get(column)
    }
}

impl Vectors for Vec<Option<ArrayRef>> {
    fn vector(&self, column: usize) -> Option<&ArrayRef> {
        self.get(column)?.as_ref()
    }
}

/// The vector of a column, checked to hold this many rows.
pub(crate) fn vector_of(vectors: &dyn Vectors, column: usize, rows: usize) -> Result<&ArrayRef> {
    let vector = vectors
        .vector(column)
        .ok_or_else(|| Error::new(Code::Internal, format!("column {column} was not read for this statement")))?;
    if vector.len() != rows {
        let message = format!("column {column} has {} rows in a group of {rows}", vector.len());
        return Err(Error::new(Code::Internal, message));
    }
    Ok(vector)
}

/// The error of a kernel that was asked for a type it does not handle.
pub(crate) fn unsupported(what: &str, data_type: &arrow_schema::DataType) -> Error {
    Error::new(Code::Unsupported, format!("{what} of a column of type {data_type}"))
}

/// An error of the array library, which only inconsistent vectors can cause.
pub(crate) fn arrow_error(error: arrow_schema::ArrowError) -> Error {
    Error::new(Code::Internal, error.to_string())
}
