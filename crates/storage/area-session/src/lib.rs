//! The interface between work areas and the SQL that runs over the same tables.
//!
//! ```text
//!   doors: ace, navigator                                  a language: Advantage SQL
//!     Sql::open, Sql::open_dictionary      ------------->    a SqlSession over the folder's tables           sql
//!     SqlSession::execute(text, values)    ------------->    Outcome, or a RowSource that streams rows       sql, rows
//!     SqlSession::join(transaction)        ------------->    statements in the transaction of the tables     sql
//!     Calls::of_dictionary(name, given)    <-------------    system procedures that do the same as a call    calls
//!     Calls::activity()                    <-------------    who has which tables open                       activity
//! ```
//!
//! A program works with tables record by record and with statements in one transaction, so both sides are in this
//! interface. Each side knows only the traits; a product (`libace`, the server's program) connects them.

pub mod activity;
pub mod calls;
pub mod rows;
pub mod sql;

pub use activity::{Activity, Member, Person, TableUse};
pub use calls::{Calls, Given, NewIndex, On};
pub use mainstay_data_dictionary::firing::{Firing, Image};
pub use rows::RowSource;
pub use sql::{Column, Executed, Live, Outcome, Parameter, Sql, SqlSession, TransactionStep};
