//! Native tables: versioned rows in column vectors, transactions, a journal and checkpoints.
//!
//! So far an empty room: the parts come in one by one, each with its tests.

pub mod index;
