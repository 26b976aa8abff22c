//! Keyed and indexed files of Business BASIC as native tables.
//!
//! A KEYED, DIRECT, SORT or INDEXED file is a table of the store, so that it has the store's transactions, locks and
//! durability, and every other door sees it. The record's bytes are the truth; its keys stand beside them in the form that
//! sorts ([`mainstay_basic_files::key`]), one column for each key number:
//!
//! ```text
//!   record_index   BIGINT      IND=, the order of KNO=*              primary key
//!   key_0          VARBINARY   the primary key                       unique
//!   key_1 ...      VARBINARY   NULL: not in this order               unique with attribute U; otherwise with record_index
//!   record         VARBINARY   the bytes that the program wrote
//! ```
//!
//! INDEXED files have no keys. The definition of the file is a row of `sys.mainstay_basic_files`, written in the
//! transaction that creates the table. The page docs/basic-files.md says how fields become columns.
//!
//! ```text
//!   volume        the files of a database: create, open, erase, rename, list
//!   schema        definitions of files as tables of the catalog, and back
//!   sharing       who has a file open, and which records are extracted
//!   storage       KeyedStorage over a table: searches and changes
//!   transaction   the transactions of a channel
//!   batch         records that were fetched ahead
//!   derived_keys  conditions on fields as ranges of keys
//!   rules         keys, limits and numbers of records that SQL statements change
//! ```
//!
//! **Transactions.** While a session has a transaction open ([`TransactionScope`]), its channels read and write in it, as its
//! SQL statements do. Otherwise a record that is written to a shared file is a commit of its own, as durable as the volume was told.
//! Changes of a file that the session has alone gather in one transaction, which commits after [`storage::GATHERED`] records,
//! when the file is flushed, unlocked or closed, and before an SQL statement of the session ([`commit_gathered`]).
//!
//! **Locks.** EXTRACT takes the store's row lock, which keeps all other doors from changing the row, and an entry of
//! `sharing`, which other channels look at before they read. Both end with the process; one process at a time has a store open.
//!
//! **Limits.** RNO= and the number of a key are counted along the index.

mod batch;
mod derived_keys;
mod rules;
mod schema;
mod sharing;
pub mod storage;
mod transaction;
mod volume;

pub use derived_keys::FileKeys;
pub use mainstay_store::{NativeTable, Store, Transaction};
pub use rules::RecordRules;
pub use transaction::TransactionScope;
pub use volume::{TableStore, TableVolume, commit_gathered};
