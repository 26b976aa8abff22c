//! DBF tables of a session in a transaction that the caller controls: a program that works on tables beside the
//! session's statements has one transaction over both.
//!
//! ```text
//!   BEGIN                 the session's
//!   join_tables           the DBF tables that statements change join that transaction
//!   ...                   statements; each is rolled back by itself if it fails
//!   with_open_tables      for the caller: commit, rollback, rollback to a savepoint, with all tables of both
//!   COMMIT or ROLLBACK    the session's, after that: it closes the tables
//! ```
//! Limits: native tables that a statement changes are committed by the session's own COMMIT, after the DBF tables.

use super::Session;
use mainstay_store::Transaction as NativeTransaction;
use mainstay_types::Result;
use mainstay_xbase::indexed::{IndexedTable, Transaction};

impl Session {
    /// Has the DBF tables of the transaction that has just begun take part in this one.
    ///
    /// Errors: `TransactionState` when none is open, or when it has changed DBF tables already.
    pub fn join_tables(&mut self, transaction: &Transaction) -> Result<()> {
        self.transaction.tables()?.join(transaction)
    }

    /// Works with the DBF tables that the open transaction has open for writing; with none if there is no transaction.
    ///
    /// Errors: those of `work`.
    pub fn with_open_tables<T>(&mut self, work: impl FnOnce(&mut [&mut IndexedTable]) -> Result<T>) -> Result<T> {
        let mut tables: Vec<&mut IndexedTable> = match self.transaction.tables() {
            Ok(tables) => tables.tables().iter_mut().collect(),
            Err(_) => Vec::new(),
        };
        work(&mut tables)
    }

    /// Works on native tables in the open transaction; false if none is open. The work ends its statements itself.
    pub fn with_native_transaction(&mut self, work: &mut dyn FnMut(&mut NativeTransaction)) -> bool {
        match self.transaction.native() {
            Some(transaction) => {
                work(transaction);
                true
            }
            None => false,
        }
    }

    /// Returns true if a transaction is open.
    pub fn is_in_transaction(&self) -> bool {
        self.transaction.is_open()
    }
}
