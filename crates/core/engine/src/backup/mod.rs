//! Backup of a folder: everything that the database is, in one file.
//!
//! **Problem.** A database is files that other programs write while the backup runs. A copy of each by itself is of many
//! states: an order without its lines, an index that lists a record which the table does not have.
//!
//! **Idea.** Two passes. The first copies every file while all programs go on. Then every DBF table is locked as programs that
//! share it lock it, files that have changed since are copied once more, and the state of the native tables is fixed; then
//! the locks are given back, and the native tables are copied as they were then. So programs wait for the copies of what has
//! changed during the first pass, and readers wait for nothing.
//!
//! ```text
//!   pass 1    customers.dbf  customers.cdx  orders.dbf  prices.csv ...      nobody waits
//!   locks     customers, orders, ... in the order of their names            up to `wait`
//!   pass 2    orders.dbf again, for it has changed                          writers wait
//!   fixed     checkpoint of the native tables, locks given back
//!   end       the native tables; the directory of what is in the file
//! ```
//!
//! **Limits.** Programs that lock nothing, and files of theirs that are not DBF tables (CSV, Parquet), are of the time of
//! their copies. Hidden files and links to folders are not copied. A table that cannot be locked as its header is damaged is
//! copied as it is, with a note.
//!
//! [`format`] is the file, [`take`] writes one, [`restore`] verifies one and makes a folder of it.

mod contents;
mod format;
mod restore;
mod take;

pub use contents::{BackedUp, Backup, Contents, FileKind};
pub use restore::{restore, verify};
pub use take::take;
