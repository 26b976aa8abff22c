//! Databases and sessions: a folder of business files, and statements over them.
//!
//! ```text
//!   Database  one folder: its files as tables, one planner, one cache of decoded columns
//!     |- Catalog   which file is which table; opened when first named        (catalog, folder)
//!     |- Writable  the interface of tables to statements that change them    (writable)
//!     |- Native    tables of our own: definitions, changes, transactions     (native)
//!     |- Dbf       changes and definitions of DBF tables                     (dbf)
//!     |- Session   settings, the running statement, its progress             (session, words)
//!          |- Answer     batches of rows, as they come
//!          |- Prepared   one statement many times; Appender, TableCursor     (prepared, bulk)
//! ```
//!
//! Nothing is imported or declared: a name is looked up in the folder when a statement uses it, and a file
//! that has changed is noticed by the statement that reads it next.
//!
//! ```
//! let shop = tempfile::tempdir()?;
//! std::fs::write(shop.path().join("customers.csv"), "name,balance\nAnn,1200\nBob,800\nCy,1500\n")?;
//!
//! let database = mainstay_engine::Database::open(shop.path())?;
//! let mut session = database.session();
//! let mut answer = session.execute("SELECT name, balance FROM customers WHERE balance > 1000")?;
//! let mut rows = 0;
//! while let Some(batch) = answer.next_batch()? {
//!     rows += batch.num_rows();
//! }
//! assert_eq!(rows, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Tables of our own are written, too. A statement that finds or writes one row by its key runs in a fraction of a
//! microsecond once it is prepared:
//!
//! ```
//! use mainstay_types::ValueRef;
//!
//! let database = mainstay_engine::Database::in_memory()?;
//! let mut session = database.session();
//! session.execute("CREATE TABLE stock (item BIGINT PRIMARY KEY, name TEXT, onhand DOUBLE)")?;
//!
//! let mut insert = session.prepare("INSERT INTO stock VALUES (?, ?, ?)")?;
//! session.execute("BEGIN")?;
//! for item in 0..100 {
//!     insert.execute(&mut session, &[ValueRef::Integer(item), ValueRef::Text("bolt"), ValueRef::Float(2.5)])?;
//! }
//! session.execute("COMMIT")?;
//!
//! let mut find = session.prepare("SELECT name, onhand FROM stock WHERE item = ?")?;
//! let mut rows = find.query(&mut session, &[ValueRef::Integer(7)])?;
//! let row = rows.next()?.expect("it was inserted");
//! assert_eq!(row.get(1), ValueRef::Float(2.5));
//!
//! let mut all = session.scan("stock", &["item", "onhand"])?;
//! let mut total = 0.0;
//! while all.next() {
//!     total += all.float(1);
//! }
//! assert_eq!(total, 250.0);
//! # Ok::<(), mainstay_types::Error>(())
//! ```
//!
//! Many rows go in by an [`Appender`], all in one transaction, and come out as batches of Arrow, which stream:
//!
//! ```
//! use mainstay_types::ValueRef;
//!
//! let shop = tempfile::tempdir()?;
//! let database = mainstay_engine::Database::open(shop.path())?;
//! let mut session = database.session();
//! session.execute("CREATE TABLE sales (number BIGINT PRIMARY KEY, amount DOUBLE)")?;
//!
//! let mut appender = session.appender("sales")?;
//! for number in 0..10_000 {
//!     appender.row(&[ValueRef::Integer(number), ValueRef::Float(0.5)])?;
//! }
//! assert_eq!(appender.finish()?, 10_000);
//!
//! let mut from = session.prepare("SELECT amount FROM sales WHERE number >= ?")?;
//! let mut answer = from.query_arrow(&mut session, &[ValueRef::Integer(4_000)])?;
//! let mut rows = 0;
//! while let Some(batch) = answer.next_batch()? {
//!     assert_eq!(batch.schema().field(0).name(), "amount");
//!     rows += batch.num_rows();
//! }
//! assert_eq!(rows, 6_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod activity;
pub mod backup;
mod bulk;
mod catalog;
mod check;
mod collected;
mod database;
mod dbf;
pub mod definitions;
mod describe;
mod folder;
mod inserted;
mod merged;
mod native;
mod options;
pub mod packed;
mod prepared;
mod repair;
mod returning;
mod rows;
mod session;
mod table_settings;
mod words;
pub mod writable;
mod xbase_words;

pub use bulk::{Appender, TableCursor};
pub use check::{Checked, Looked, check, check_what_can_be, file_settings, folders_with_tables};
pub use collected::CollectedRows;
pub use database::{Database, Entered};
pub use describe::{ColumnInfo, IndexInfo, TableInfo};
pub use mainstay_columnar::names::free_name;
pub use mainstay_columnar::values::{OFFSET, TICKS};
pub use mainstay_planner::OPTIONAL_RULES as OPTIONAL_OPTIMIZER_RULES;
pub use mainstay_planner::{Answer, CancelHandle, Progress, check_condition, functions, keywords, statements};
pub use mainstay_planner::{Join, Node, Operator, ReadCounts, TableReads};
pub use mainstay_store::{Awaited, Durability, Held, HeldLock, LockMode, ValueRange, Wait};
pub use mainstay_xbase::table::companion_extensions;
pub use mainstay_xbase::{Finding, Severity};
pub use native::{Identity, Outlook, STORE_FOLDER};
pub use options::Options;
pub use prepared::{Executor, Prepared, Row, Rows};
pub use repair::{NewTable, REPAIRED, Repaired, repair, replace};
pub use session::{Bound, ChangeableColumn, Session, Setting};
pub use xbase_words::{xbase_condition, xbase_expression};
