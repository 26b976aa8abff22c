//! DBF tables that a transaction, or a single statement outside of one, has opened for writing.

use crate::activity::SessionWork;
use crate::writable::WriteSettings;
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_xbase::indexed::{IndexedTable, Savepoint, Transaction};
use mainstay_xbase::lock::LockWait;
use mainstay_xbase::table::DbfTable;
use mainstay_xbase::writer::{Access, WriteOptions};
use std::path::Path;
use std::sync::Arc;

/// The hint of the error for a missing structural index.
const MEND_INDEX: &str =
    "bring the file back, make a new one by CREATE INDEX, or repair the table by mainstay check --repair";

impl WriteSettings {
    /// As the options of a table that is opened.
    pub(super) fn options(self, access: Access) -> WriteOptions {
        let options = WriteOptions::new(access);
        let wait = LockWait { timeout: self.lock_timeout.unwrap_or(options.wait.timeout), ..options.wait };
        WriteOptions { wait, durable: self.durable, ..options }
    }
}

/// Tables that are open for writing, all of them in one transaction. One that is dropped is undone.
#[derive(Debug, Default)]
pub(crate) struct OpenTables {
    /// Once there is a table: the transaction, and its beginning.
    transaction: Option<(Transaction, Savepoint)>,
    tables: Vec<IndexedTable>,
    /// True if somebody else ends the transaction, and has tables in it, too.
    is_joined: bool,
    /// Where others see the locks of the tables.
    work: Option<Arc<SessionWork>>,
}

/// A place in what was done with the tables.
pub(crate) type TableSavepoint = Savepoint;

impl OpenTables {
    /// No tables yet, of a session that shows its locks there.
    pub(crate) fn of(work: &Arc<SessionWork>) -> OpenTables {
        OpenTables { transaction: None, tables: Vec::new(), is_joined: false, work: Some(Arc::clone(work)) }
    }

    /// The table, opened when it is the first time.
    ///
    /// Errors: `Busy` when another program has it for itself, or has changed its structure; `Unsupported` for one whose
    /// structural index is missing.
    pub(crate) fn open(&mut self, table: &DbfTable, how: WriteSettings) -> Result<&mut IndexedTable> {
        let options = how.options(Access::Shared);
        let place = match self.tables.iter().position(|open| open.path() == table.path()) {
            Some(place) => place,
            None => {
                // A record that its keys do not list is lost to the programs that go by them, once the file is back.
                if let Some(missing) = table.missing_index() {
                    let message = format!("{}: the table is not written to", missing.message);
                    let error = Error::new(Code::Unsupported, message).at(missing.path.display());
                    return Err(error.hint(MEND_INDEX));
                }
                let mut opened = table.writer(options)?;
                let (transaction, _) = self.transaction.get_or_insert_with(|| {
                    let transaction = Transaction::begin(Arc::clone(opened.file_system()));
                    let beginning = transaction.savepoint();
                    (transaction, beginning)
                });
                opened.enlist(transaction)?;
                if let Some(work) = &self.work {
                    let held = opened.watch_locks();
                    work.watch(opened.path(), &held);
                }
                self.tables.push(opened);
                self.tables.len() - 1
            }
        };
        let open = self.tables.get_mut(place).ok_or_else(|| Error::new(Code::Internal, "the table was just opened"))?;
        open.set_wait(table.wait_or(options.wait));
        Ok(open)
    }

    /// Makes the tables that are opened from now on join a transaction that the caller controls.
    ///
    /// Errors: `TransactionState` when there is one already.
    pub(crate) fn join(&mut self, transaction: &Transaction) -> Result<()> {
        if self.transaction.is_some() {
            return Err(Error::new(Code::TransactionState, "the tables take part in another transaction"));
        }
        self.transaction = Some((transaction.clone(), transaction.savepoint()));
        self.is_joined = true;
        Ok(())
    }

    /// The tables, for who ends the transaction.
    pub(crate) fn tables(&mut self) -> &mut [IndexedTable] {
        &mut self.tables
    }

    /// A place to come back to; `None` before there is a table.
    pub(crate) fn savepoint(&self) -> Option<TableSavepoint> {
        self.transaction.as_ref().map(|(transaction, _)| transaction.savepoint())
    }

    /// Undoes what came after a place; without one, everything. Records stay locked.
    pub(crate) fn rollback_to(&mut self, savepoint: Option<TableSavepoint>) -> Result<()> {
        let Some((transaction, beginning)) = &self.transaction else { return Ok(()) };
        let mut tables: Vec<&mut IndexedTable> = self.tables.iter_mut().collect();
        transaction.rollback_to(savepoint.unwrap_or(*beginning), &mut tables)
    }

    /// Writes what is only in memory.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.tables.iter_mut().try_for_each(IndexedTable::flush)
    }

    /// Makes the changes ready for a commit that native tables decide, and gives the name under which they note it;
    /// `None` when no DBF table was changed. Who knows the decision looks for the changes in `folder`.
    pub(crate) fn prepare(&mut self, folder: &Path) -> Result<Option<String>> {
        let Some((transaction, _)) = self.transaction.as_ref().filter(|_| !self.is_joined) else { return Ok(None) };
        let mut tables: Vec<&mut IndexedTable> = self.tables.iter_mut().collect();
        transaction.prepare(&mut tables, folder)
    }

    /// Leaves prepared changes as they are, for who opens the database next and learns of the decision.
    pub(crate) fn leave_in_doubt(&mut self) {
        // A table that is closed before the end of its transaction keeps its changes.
        self.tables.clear();
        self.transaction = None;
    }

    /// Makes the changes stay, and closes the tables.
    pub(crate) fn commit(&mut self) -> Result<()> {
        if let Some((transaction, _)) = self.transaction.as_ref().filter(|_| !self.is_joined) {
            let mut tables: Vec<&mut IndexedTable> = self.tables.iter_mut().collect();
            transaction.commit(&mut tables)?;
        }
        // It is committed: what is left is to close files.
        let _whole = interrupt::suspended();
        self.close()
    }

    /// Undoes the changes, and closes the tables.
    pub(crate) fn rollback(&mut self) -> Result<()> {
        let _whole = interrupt::suspended();
        if let Some((transaction, _)) = self.transaction.as_ref().filter(|_| !self.is_joined) {
            let mut tables: Vec<&mut IndexedTable> = self.tables.iter_mut().collect();
            transaction.rollback(&mut tables)?;
        }
        self.close()
    }

    fn close(&mut self) -> Result<()> {
        self.transaction = None;
        self.is_joined = false;
        std::mem::take(&mut self.tables).into_iter().try_for_each(IndexedTable::close)
    }
}

impl Drop for OpenTables {
    fn drop(&mut self) {
        // Nobody is left to be told. What cannot be undone now is undone by who opens the table next.
        let _ = self.rollback();
    }
}
