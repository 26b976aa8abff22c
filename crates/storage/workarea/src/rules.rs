//! Callbacks before and after a record is written: the rules of a data dictionary for a table.
//!
//! ```text
//!   append_blank   -> appended         may give fields their first values
//!   write          -> before_write     refuses the record, or not; may begin a transaction for what follows from it
//!                     (the record and its keys are written)
//!                  -> after_write      changes what depends on it, and ends that transaction
//!   cancel         -> cancelled
//! ```
//! A refused record stays pending, as one that cannot be written for any other reason does: it is corrected or cancelled.

use crate::area::{Area, Row};
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::indexed::{IndexedTable, Savepoint, Transaction};
use std::fmt::Debug;
use std::sync::Arc;

/// Rules about the records of a table. Each call gets the area on the record that it is about.
pub trait RecordRules: Send + Sync + Debug {
    /// A blank record was appended, and is the current one.
    fn appended(&self, area: &mut Area) -> Result<()>;

    /// The current record is about to be written: [`Area::record`] is what it will be, [`Area::record_before`] what it is.
    fn before_write(&self, area: &mut Area) -> Result<()>;

    /// The record was written.
    fn after_write(&self, area: &mut Area) -> Result<()>;

    /// The record was not written, though [`RecordRules::before_write`] allowed it: a lock or the disk was in the way.
    fn write_failed(&self, area: &mut Area);

    /// The pending changes were discarded.
    fn cancelled(&self, area: &mut Area) -> Result<()>;
}

/// The current record with its changes, put aside.
#[derive(Debug)]
pub struct Aside(Row);

impl Area {
    /// Sets the rules for later changes; `None` removes them.
    pub fn set_rules(&mut self, rules: Option<Arc<dyn RecordRules>>) {
        self.rules = rules;
    }

    /// The rules that are asked.
    pub fn rules(&self) -> Option<Arc<dyn RecordRules>> {
        self.rules.clone()
    }

    /// The bytes of the current record before its changes; nothing for a record that is not in the file yet.
    pub fn record_before(&mut self) -> Result<Option<&[u8]>> {
        self.load()?;
        Ok(match &self.row {
            row if row.is_new => None,
            row if row.is_changed => Some(&row.before),
            row => Some(&row.bytes),
        })
    }

    /// Works with the record as it was before its changes; nothing is to be changed meanwhile.
    pub fn on_record_before<T>(&mut self, work: impl FnOnce(&mut Area) -> Result<T>) -> Result<T> {
        let Some(before) = self.record_before()?.map(<[u8]>::to_vec) else { return work(self) };
        let aside = self.put_aside(before);
        let answer = work(self);
        self.take_back(aside);
        answer
    }

    /// Puts a blank record in the place of the current one, to be read only, until [`Area::take_back`].
    pub fn show_blank(&mut self) -> Aside {
        let blank = self.blank.clone();
        self.put_aside(blank)
    }

    fn put_aside(&mut self, shown: Vec<u8>) -> Aside {
        self.exchange(Row { bytes: shown, is_loaded: true, ..Row::default() })
    }

    pub(crate) fn exchange(&mut self, shown: Row) -> Aside {
        Aside(std::mem::replace(&mut self.row, shown))
    }

    /// Asks what would be so if the current record had these bytes.
    ///
    /// Errors: `InvalidValue` for bytes that are no record; those of the question.
    pub fn as_if<T>(&mut self, bytes: &[u8], ask: impl FnOnce(&mut Area) -> Result<T>) -> Result<T> {
        if bytes.len() != self.blank.len() {
            return Err(Error::new(Code::InvalidValue, "the bytes of a record are as many as its length"));
        }
        let aside = self.put_aside(bytes.to_vec());
        let answer = ask(self);
        self.take_back(aside);
        answer
    }

    /// The record that was put aside is the current one again.
    pub fn take_back(&mut self, aside: Aside) {
        self.row = aside.0;
    }

    /// Takes part in a transaction as [`Area::enlist`] has it, from the change on that is pending.
    pub fn enlist_pending(&mut self, transaction: &Transaction) -> Result<()> {
        self.table()?.enlist(transaction)
    }

    /// Ends a transaction in which nothing was done, whatever is pending.
    pub fn end_unchanged(&mut self, transaction: &Transaction) -> Result<()> {
        transaction.commit(&mut [self.table()?])
    }

    /// Returns true if the current record's changes make it another one.
    pub fn is_record_changed(&self) -> bool {
        self.row.is_new || self.row.is_changed && (self.row.bytes != self.row.before || !self.row.memos.is_empty())
    }

    /// Undoes what others did in a transaction (all of it, which ends it, or what was done since a savepoint), while the
    /// current record's changes stay pending: the area itself has changed nothing in it, or since then.
    pub fn undo_beneath(
        &mut self,
        transaction: &Transaction,
        since: Option<Savepoint>,
        others: &mut [&mut IndexedTable],
    ) -> Result<()> {
        let own = self.table()?;
        let mut tables: Vec<&mut IndexedTable> = vec![own];
        tables.extend(others.iter_mut().map(|table| &mut **table));
        match since {
            Some(place) => transaction.rollback_to(place, &mut tables),
            None => transaction.rollback(&mut tables),
        }
    }

    /// Gives the lock of the current record away while something is done, and takes it back: at once, or, where the work has
    /// changed the record within the area's transaction and holds it to the end of that, when the record has been written.
    ///
    /// Errors: those of the work, and of locking.
    pub fn lend_record<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        let (recno, record) = (self.recno, u64::from(self.recno));
        let is_lent =
            !self.row.is_new && self.table.as_ref().is_some_and(|table| table.locked_records().contains(&record));
        if is_lent {
            self.row.is_certain = false;
            self.table()?.unlock_record(record)?;
        }
        let done = work();
        if is_lent && !self.table()?.try_lock_record(record)? {
            let was_implicit = self.row.implicit_lock.take_if(|implicit| *implicit == recno).is_some();
            self.row.lock_on_loan = (!was_implicit).then_some(recno);
        }
        Ok(done)
    }

    /// Takes back the lock that was given away while the record was written.
    pub(crate) fn take_back_lock(&mut self) -> Result<()> {
        match self.row.lock_on_loan.take() {
            Some(record) => self.table()?.lock_record(record.into()),
            None => Ok(()),
        }
    }

    /// Something else was done in the place of the changes of the current record, which is about to be written: it is
    /// written as it is in the file, or a new one as a deleted record.
    pub fn give_up_changes(&mut self, is_appended: bool) -> Result<()> {
        self.load()?;
        self.row.memos.clear();
        self.row.is_new = false;
        self.row.bytes.clone_from(&self.row.before);
        if is_appended {
            self.layout().set_deleted(&mut self.row.bytes, true);
        }
        Ok(())
    }

    /// The transaction that the area takes part in.
    pub fn transaction(&self) -> Option<Transaction> {
        self.table.as_ref().and_then(|table| table.transaction()).cloned()
    }
}
