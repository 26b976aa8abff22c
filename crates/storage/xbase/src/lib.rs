//! xBase files, read and written in place: DBF tables, DBT/FPT/SMT memos, CDX/IDX/NTX indexes, and the expressions
//! that index keys are made of.
//!
//! ```text
//!   Table (table)          a DBF with its memo and indexes, as SQL sees it
//!     |        \      \
//!   dbf       index   expr        records and fields | ordered keys | key expressions
//!     |  \       |     /
//!   memo codepage key             long values | bytes to text | typed values to key bytes
//! ```
//!
//! Beside what reads stands what writes: [`indexed`] changes a record, its memos and all its keys in one call; it is made
//! of [`writer`] for records and their memos, [`index::write`] for keys, and [`lock`] for the bytes that the programs
//! lock which share the files.
//!
//! Everything is read through `mainstay_vfs` and nothing is trusted: every offset, count and length in a
//! file is checked against the file before it is used, and what does not fit becomes a [`Finding`].

pub mod adt;
pub mod codepage;
pub mod collation;
pub mod dbf;
pub mod expr;
mod finding;
pub mod index;
pub mod indexed;
pub mod keys;
pub mod lock;
pub mod memo;
pub mod table;
pub mod writer;

pub use finding::{Finding, Severity};
