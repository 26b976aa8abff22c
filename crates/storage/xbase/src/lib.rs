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
//! For writing, [`indexed`] changes a record, its memos and all its keys in one call; it uses [`writer`] for records
//! and their memos, [`index::write`] for keys, and [`lock`] for the locks of the programs that share the files.
//!
//! Everything is read through `mainstay_vfs` and nothing is trusted: every offset, count and length in a file is
//! checked against the file before it is used, and an inconsistency becomes a [`Finding`].

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
