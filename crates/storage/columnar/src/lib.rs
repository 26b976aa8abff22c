//! The table interface between storage and the executors, and the vector kernels that run over it.
//!
//! A table is a list of *row groups* of some 64K rows; a group is a list of column vectors, Arrow arrays in
//! the natural type of the storage (a four-letter code is a dictionary of bytes, a price is a 32-bit
//! decimal). Storage implements [`Table`] and [`Snapshot`]; a [`Predicate`] is the condition on the rows,
//! and [`vector`] selects, aggregates, orders and copies them out in the SQL types. This crate is independent of
//! SQL's grammar, of files and of the general planner.

mod cache;
mod derived_keys;
pub mod names;
pub mod predicate;
pub mod sample;
mod sought;
mod table;
mod value_reader;
pub mod values;
pub mod vector;

pub use cache::{VectorCache, VectorPlace, VectorSource};
pub use derived_keys::{DerivedKeys, implied};
pub use predicate::{Comparison, Predicate};
pub use sought::{Operation, Sought, Term, Test};
pub use table::{Access, KeyRange, OrderKey, Ordering, RowSet, Snapshot, Table, TermOrder};
pub use value_reader::ValueReader;
