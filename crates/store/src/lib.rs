//! Native tables: versioned rows in column vectors, transactions, a journal and checkpoints.

pub mod files;
pub mod index;
pub mod journal;
pub mod key;
