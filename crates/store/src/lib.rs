//! Native tables: versioned rows in column vectors, transactions, a journal and checkpoints.

pub mod column;
