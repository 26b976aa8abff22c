//! DBF tables, changed in place by the statements of SQL.
//!
//! ```text
//!   table     a DBF table as a writable table
//!   tables    the tables that a transaction has opened for writing
//!   change    its records in a statement
//!   define    CREATE, ALTER, DROP TABLE, TRUNCATE, PACK
//!   index     CREATE and DROP INDEX, REINDEX
//!   lock      locks on the records of a statement
//!   values    columns as fields: values in, rows out
//! ```
//! A change of native tables ends in `store`, a change of DBF tables in `xbase::indexed`: a record with its memos and
//! all its keys, under the locks of the programs that share the files. The parts that both kinds share - the query that
//! finds the rows, the rows of an INSERT, MERGE, RETURNING - are in [`writable`](crate::writable).
//!
//! **Isolation.** Changes are written at once, with an undo journal (`xbase::indexed::transaction`): a program that
//! reads a DBF without locks sees them before the commit, and no program can change the same records until then.
//!
//! **Read, lock, read again.** A record is locked after a query has found it, so it may have changed in between. If the
//! state of the file has changed when the records are locked, the query runs again; no other program can change the
//! records that it finds then.
//!
//! **Nothing is truncated.** A value that does not fit the field is an error with the column's name and limit.
//!
//! A statement that fails or is cancelled is rolled back as a whole; so is a transaction over native and DBF tables
//! (`session::joint`).
//!
//! Limits: a wait for a lock of another program ends after `lock_timeout`, or 5 seconds, because a deadlock with
//! another program cannot be detected.

mod change;
mod define;
mod index;
mod lock;
mod table;
mod tables;
mod values;

pub(crate) use change::FileRows;
pub(crate) use define::{NewTable, is_dbf};
pub(crate) use table::FileTable;
pub(crate) use tables::{OpenTables, TableSavepoint};
