//! Databases and sessions: a folder of business files, and statements over them.
//!
//! ```text
//!   Database  one folder: its files as tables, one planner, one cache of decoded columns
//!     |- Catalog   which file is which table; opened when first named        (catalog, folder)
//!     |- Session   settings, the running statement, its progress             (session, words)
//!          |- Answer   batches of rows, as they come
//! ```
//!
//! Nothing is imported or declared: a name is looked up in the folder when a statement uses it, and a file
//! that has changed is noticed by the statement that reads it next.
//!
//! ```no_run
//! let database = mainstay_engine::Database::open("shop")?;
//! let mut session = database.session();
//! let mut answer = session.execute("SELECT name, balance FROM customers WHERE balance > 1000")?;
//! while let Some(batch) = answer.next_batch()? {
//!     println!("{} rows", batch.num_rows());
//! }
//! # Ok::<(), mainstay_base::Error>(())
//! ```

mod bulk;
mod catalog;
mod check;
mod database;
mod describe;
mod folder;
mod native;
mod options;
mod prepared;
mod session;
mod words;

pub use bulk::{Appender, TableCursor};
pub use check::check;
pub use database::Database;
pub use describe::{ColumnInfo, IndexInfo, TableInfo};
pub use mainstay_query::{Answer, CancelHandle, Progress, functions, keywords, statements};
pub use mainstay_xbase::{Finding, Severity};
pub use options::Options;
pub use prepared::{Prepared, Row, Rows};
pub use session::{Session, Setting};
