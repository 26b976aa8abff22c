//! Native tables: versioned rows in column vectors, transactions, a journal and checkpoints.
//!
//! The parts come in one by one, each with its tests:
//!
//! ```text
//!   key      values as bytes whose order is the order of the values
//!   index    ordered maps from keys to positions of rows
//! ```

pub mod index;
pub mod key;
