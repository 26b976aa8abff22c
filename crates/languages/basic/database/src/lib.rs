//! The tables of a database as files of Business BASIC programs: `OPEN (1)"customers"`.
//!
//! A program reads and writes any table of the folder as a file with keys. The fields of a record are the columns of the table,
//! in their order, each ended by the separator.
//!
//! ```text
//!   volume      names: files of Business BASIC first, then tables of the database
//!   shape       a table as a file: its fields, its orders (KNO=), the columns that identify a row
//!   text        values of columns as text of fields, and back
//!   condition   places in an order as conditions of SQL
//!   access      statements over the table; rows that were fetched ahead
//!   channel     RecordFile: positions, and reading; keys: the functions of keys; change: WRITE, REMOVE, locks
//!   layout      the fields of keyed files as columns of views
//!   packed      changes of keyed files by SQL, through those views
//!   joint       the transactions of a program, over its channels and SQL statements
//!   statements  SQL statements of programs, and their rows
//!   tables      the store of native tables, created with the first of them
//!   sharing     records that programs have extracted, files that they have locked
//! ```
//!
//! **Statements.** A channel has a session of the engine. Each operation is a statement that begins at the channel's place in
//! the current order, so it costs no more than the rows that it reads where an index gives that order. Rows that follow
//! each other are fetched in batches, which are used only while the table has not changed.
//!
//! **Locks.** EXTRACT begins a transaction of the channel's session and locks the row there: a native row as SELECT ... FOR UPDATE
//! does, a DBF record as programs of xBase do. The next operation of the channel ends the transaction.
//!
//! **Limits.** Tables without a primary key, CSV and Parquet files and views are read only, and are numbered by a
//! statement over the whole table.

mod access;
mod change;
mod channel;
mod condition;
mod joint;
mod keys;
mod layout;
mod packed;
mod shape;
mod sharing;
mod statements;
mod tables;
mod text;
mod volume;

pub use packed::register;
pub use tables::DatabaseTables;
pub use volume::DatabaseVolume;
