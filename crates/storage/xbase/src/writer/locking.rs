//! The locks that a writer's caller holds, and the holders of those that are not available.

use super::TableWriter;
use crate::lock::{HeldRecords, LockBytes, LockPlan, LockWait};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{LockHolder, LockMode};
use std::sync::Arc;

impl TableWriter {
    /// The bytes that this table's locks are on in the scheme that was asked for.
    pub fn lock_bytes(&self) -> LockBytes {
        self.locks.plan.asked()
    }

    /// All bytes that this table's locks are on.
    pub fn lock_plan(&self) -> LockPlan {
        self.locks.plan
    }

    /// The locks are on these bytes from now on.
    ///
    /// Errors: `Busy` while some are held on the ones of before.
    pub(crate) fn lock_by(&mut self, plan: LockPlan) -> Result<()> {
        if self.locks.holds_any() {
            let message = "records are locked in another way than they will have to be";
            return Err(Error::new(Code::Busy, message).at(self.path.display()).hint("give the locks back first"));
        }
        self.locks.plan = plan;
        Ok(())
    }

    /// Prevents other programs from opening the table, if none has it open; until
    /// [`TableWriter::share_again`].
    pub(crate) fn claim_alone(&mut self) -> Result<bool> {
        if self.file.try_share(LockMode::Exclusive)? {
            return Ok(true);
        }
        // The system takes the claim away that it could not widen.
        self.share_again()?;
        let is_same = self.fs.stamp(&self.path)?.identity == self.file.stamp()?.identity;
        if !is_same {
            self.failed = Some("another program has put a new file in the table's place".to_owned());
        }
        Ok(false)
    }

    /// Lets others open the table.
    pub(crate) fn share_again(&mut self) -> Result<()> {
        super::share(&*self.file, &self.options)
    }

    /// Sets how long later locks wait.
    pub fn set_wait(&mut self, wait: LockWait) {
        self.options.wait = wait;
        self.locks.wait = wait;
    }

    /// Locks a record until [`TableWriter::unlock`] or [`TableWriter::unlock_record`]. Does nothing under exclusive
    /// use. Fails with `Code::Busy`, naming the holder, after the time that the options allow.
    pub fn lock_record(&mut self, record: u64) -> Result<()> {
        self.locks.lock_record(record)
    }

    /// Asks once for a record; false while another holds it.
    pub fn try_lock_record(&mut self, record: u64) -> Result<bool> {
        self.locks.try_lock_record(record)
    }

    /// Gives a record back.
    pub fn unlock_record(&mut self, record: u64) -> Result<()> {
        self.locks.unlock_record(record)
    }

    /// Locks all records, those that others would append included.
    pub fn lock_table(&mut self) -> Result<()> {
        self.locks.lock_table()
    }

    /// Asks once for all records; false while another holds one.
    pub fn try_lock_table(&mut self) -> Result<bool> {
        self.locks.try_lock_table()
    }

    /// Gives back the table and all records.
    pub fn unlock(&mut self) -> Result<()> {
        self.locks.unlock_all()
    }

    /// Returns true if a record is locked here, by itself or with the table; always true with exclusive use.
    pub fn is_locked(&self, record: u64) -> bool {
        self.locks.holds(record)
    }

    /// Returns true if the whole table is locked here.
    pub fn holds_table(&self) -> bool {
        self.locks.holds_table()
    }

    /// The locks that are held here, for other threads: kept up to date from now on.
    pub fn watch_locks(&mut self) -> Arc<HeldRecords> {
        self.locks.watch()
    }

    /// The records that are locked here one by one, in ascending order.
    pub fn locked_records(&self) -> Vec<u64> {
        self.locks.records()
    }

    /// The holder of a lock that keeps this record from being locked here, if any.
    pub fn record_lock_holder(&self, record: u64) -> Result<Option<LockHolder>> {
        self.locks.record_holder(record)
    }

    /// The holder of a lock that keeps the table from being locked here: of the table or of one of its records.
    pub fn table_lock_holder(&self) -> Result<Option<LockHolder>> {
        self.locks.table_holder()
    }

    /// Tells whether records stay locked after each change and append.
    pub(crate) fn keeps_locks(&self) -> bool {
        self.keeps_locks
    }

    /// Returns true if records stay locked after each change and append, until they are unlocked.
    pub(crate) fn keep_locks(&mut self, keeps: bool) -> bool {
        std::mem::replace(&mut self.keeps_locks, keeps)
    }
}
