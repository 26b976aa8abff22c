//! DBF tables, changed in place by the statements of SQL.
//!
//! ```text
//!   tables    the tables that a transaction has open for writing
//!   change    INSERT, UPDATE, DELETE: rows of a query as changes of records
//!   merge     MERGE
//!   define    CREATE, ALTER, DROP TABLE, TRUNCATE, PACK
//!   index     CREATE and DROP INDEX, REINDEX
//!   lock      the records of a statement, locked and looked at again
//!   values    columns as fields: values in, rows out
//! ```
//! A change of native tables ends in `store`, one of DBF tables in `xbase::indexed`: a record with its memos and all its
//! keys, under the locks of the programs that share the files. What both have in common - the query that finds the rows,
//! the rows of an INSERT, RETURNING - is outside of here and of `native`.
//!
//! **What others see.** Changes are written at once, with a journal that can undo them (`xbase::indexed::transaction`): who
//! reads a DBF without locks sees them before the commit, and nobody can change the same records until then.
//!
//! **Read, lock, read again.** A record is locked after a query has found it, so it may have changed in between. The
//! query is run again when the records are locked and the file has another state than before; what it finds then,
//! nobody else can change.
//!
//! **Nothing is cut.** What a field cannot hold is an error with the column's name and limit.
//!
//! A statement that fails, or is killed, is undone as a whole; so is a transaction over native and DBF tables
//! (`session::joint`).
//!
//! Limits: a lock of another program is waited for as long as `lock_timeout` says, or 5 seconds,
//! and not for ever: a deadlock with another program cannot be seen.

mod change;
mod define;
mod index;
mod lock;
mod merge;
mod tables;
mod values;

pub(crate) use change::Changer;
pub(crate) use define::{NewTable, alter_table, drop_table, is_dbf, pack, zap};
pub(crate) use index::{create_index, drop_index, has_index, reindex};
pub(crate) use tables::{How, OpenTables, TableSavepoint};
