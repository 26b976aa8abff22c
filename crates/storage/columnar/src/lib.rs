//! The table interface between storage and the executors, and the vector kernels that run over it.
//!
//! A table is a list of *row groups* of some 64K rows; a group is a list of column vectors, Arrow arrays in
//! the type the storage finds natural (a four-letter code is a dictionary of bytes, a price is a 32-bit
//! decimal). [`Table`] and [`Snapshot`] are what storage gives; [`Predicate`] says which rows are wanted,
//! and [`vector`] selects, aggregates, orders and copies them out in the SQL types. Nothing here knows
//! SQL's grammar, files or the general planner.

mod cache;
pub mod names;
pub mod predicate;
mod sought;
mod table;
pub mod values;
pub mod vector;

pub use cache::{VectorCache, VectorPlace, VectorSource};
pub use predicate::{Comparison, Predicate};
pub use sought::{Operation, Sought, Term, Test};
pub use table::{Access, KeyRange, OrderKey, Ordering, RowSet, Snapshot, Table, TermOrder};
