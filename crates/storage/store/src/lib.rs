//! Native tables: versioned rows in column vectors, transactions, a journal and checkpoints.
//!
//! ```text
//!   Store            tables by name, and what their transactions share
//!   transaction      views, waits, commit and rollback
//!   catalog          what is declared to exist, and the tables of it; changes of both
//!   durable          opening a folder, checkpoints, backups
//!   table            rows in, rows out; unique keys and references; the table interface of the executors
//!   journal          frames of committed transactions, one after the other
//!   files            checkpoints: column files, the catalog, the manifest that names them
//!   filter           the filter of a filtered unique index
//!   index, key       ordered maps from keys to positions; values as bytes whose order is the order of the values
//!   memory           the limit on rows in memory only: writers wait for a checkpoint
//!   directory        the groups and indexes of a table
//!   group            a run of row slots: columns, and the stamps of their versions
//!   column           append-only vectors that Arrow reads without copying
//! ```
//!
//! A row is never changed in place: an UPDATE appends a version and ends the one before. So readers take no locks, and
//! whole columns go to the executors as they are.

mod catalog;
pub mod column;
pub mod definition;
pub mod directory;
mod durable;
pub mod files;
pub mod filter;
pub mod group;
pub mod index;
pub mod journal;
pub mod key;
mod memory;
mod resident;
pub mod row;
pub mod stamp;
mod store;
pub mod table;
pub mod transaction;

pub use catalog::sequences::ValueRange;
pub use catalog::temporary::TemporaryTables;
pub use definition::{ColumnDefinition, ForeignKey, IndexColumn, IndexDefinition, TableDefinition};
pub use durable::StoreOptions;
pub use journal::Durability;
pub use row::{Changed, Row, Stored};
pub use stamp::View;
pub use store::{CatalogState, Store};
pub use table::{
    Action, ActionCursor, LearnedKeys, NativeTable, Reader, Referring, Seen, Shown, TableSnapshot, Version, Written,
};
pub use transaction::{
    Account, Accounts, Awaited, Held, HeldLock, HolderNames, Interval, Isolation, KeyRange, LockMode, Outlook, Read,
    Savepoint, Transaction, Wait,
};
