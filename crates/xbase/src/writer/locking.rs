//! The locks that the caller of a writer holds itself, and who holds those that could not be had.

use super::TableWriter;
use crate::lock::{LockBytes, LockPlan, LockWait};
use mainstay_base::Result;
use mainstay_vfs::LockHolder;

impl TableWriter {
    /// The bytes that this table's locks are on in the scheme that was asked for.
    pub fn lock_bytes(&self) -> LockBytes {
        self.locks.plan.asked()
    }

    /// All bytes that this table's locks are on.
    pub fn lock_plan(&self) -> LockPlan {
        self.locks.plan
    }

    /// How long locks are waited for from now on.
    pub fn set_wait(&mut self, wait: LockWait) {
        self.options.wait = wait;
        self.locks.wait = wait;
    }

    /// Locks a record until [`TableWriter::unlock`] or [`TableWriter::unlock_record`]. Nothing is done for one who
    /// is alone. Fails with `Code::Busy`, naming the holder, after the time that the options allow.
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

    /// Whether a record is locked here, by itself or with the table; always true for one who is alone.
    pub fn is_locked(&self, record: u64) -> bool {
        self.locks.holds(record)
    }

    /// Whether the whole table is locked here.
    pub fn holds_table(&self) -> bool {
        self.locks.holds_table()
    }

    /// The records that are locked here one by one, in ascending order.
    pub fn locked_records(&self) -> Vec<u64> {
        self.locks.records()
    }

    /// Who holds a lock that keeps this record from being locked here; nothing if nobody does.
    pub fn record_lock_holder(&self, record: u64) -> Result<Option<LockHolder>> {
        self.locks.record_holder(record)
    }

    /// Who holds a lock that keeps the table from being locked here: of the table or of one of its records.
    pub fn table_lock_holder(&self) -> Result<Option<LockHolder>> {
        self.locks.table_holder()
    }

    /// Whether records stay locked after each change and append, until they are unlocked.
    pub(crate) fn keep_locks(&mut self, keeps: bool) -> bool {
        std::mem::replace(&mut self.keeps_locks, keeps)
    }
}
