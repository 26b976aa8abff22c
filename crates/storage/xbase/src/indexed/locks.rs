//! The locks that the user of a table holds, in the scheme of the programs that share it.

use super::IndexedTable;
use super::transaction::Joined;
use super::watch::Left;
use crate::lock::{HeldRecords, LockWait};
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::LockHolder;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Waits a moment for a transaction that is being cut off or undone, from `begun` on no longer than for a lock.
pub(super) fn wait_for_ending(table: &Path, wait: LockWait, begun: &mut Option<Instant>) -> Result<()> {
    if begun.get_or_insert_with(Instant::now).elapsed() >= wait.timeout {
        let error = Error::new(Code::Busy, "a transaction that was cut off is not undone yet").at(table.display());
        return Err(error.hint("try again later"));
    }
    interrupt::check()?;
    std::thread::sleep(wait.interval);
    Ok(())
}

impl IndexedTable {
    /// Sets how long later locks wait; with a timeout of zero they try once.
    pub fn set_wait(&mut self, wait: LockWait) {
        self.options.wait = wait;
        self.writer.set_wait(wait);
        self.indexes.set_wait(wait);
    }

    /// Locks a record until it is unlocked. Does nothing under exclusive use. Fails with `Code::Busy`, naming the
    /// holder as far as the system knows it.
    pub fn lock_record(&mut self, record: u64) -> Result<()> {
        self.lock_settled(record)?;
        self.keep_at_end(record);
        Ok(())
    }

    /// Locks a record, which then is not as a transaction has left it that was cut off: its lock ended with its process,
    /// and what it had written is undone first.
    pub(super) fn lock_settled(&mut self, record: u64) -> Result<()> {
        let mut begun = None;
        while !self.writer.is_locked(record) {
            self.writer.lock_record(record)?;
            let left = self.left_by_others(Some(record))?;
            if left == Left::Nothing {
                break;
            }
            self.writer.unlock_record(record)?;
            self.settle(left, &mut begun)?;
        }
        Ok(())
    }

    /// Undoes an interrupted transaction; waits while another process does, or until a dying process has ended.
    fn settle(&self, left: Left, begun: &mut Option<Instant>) -> Result<()> {
        match left {
            Left::Nothing => Ok(()),
            Left::Abandoned => super::recovery::recover(&self.fs, self.writer.path()),
            Left::Ending => wait_for_ending(self.writer.path(), self.options.wait, begun),
        }
    }

    /// A record that the user has locked stays locked when a transaction ends.
    fn keep_at_end(&mut self, record: u64) {
        if let Some(joined) = &mut self.joined {
            joined.keep_at_end(record);
        }
    }

    fn left_by_others(&mut self, record: Option<u64>) -> Result<Left> {
        let own = self.joined.as_ref().and_then(|joined| joined.journal.as_deref());
        self.watch.look(&*self.fs, self.writer.path(), own, record)
    }

    /// Asks once for a record; false while another holds it.
    pub fn try_lock_record(&mut self, record: u64) -> Result<bool> {
        while !self.writer.is_locked(record) && self.writer.try_lock_record(record)? {
            let left = self.left_by_others(Some(record))?;
            if left == Left::Nothing {
                break;
            }
            self.writer.unlock_record(record)?;
            if left == Left::Ending {
                return Ok(false);
            }
            super::recovery::recover(&self.fs, self.writer.path())?;
        }
        let locked = self.writer.is_locked(record);
        if locked {
            self.keep_at_end(record);
        }
        Ok(locked)
    }

    /// Gives a record back; one that was changed in a transaction at the end of that.
    pub fn unlock_record(&mut self, record: u64) -> Result<()> {
        if let Some(joined) = self.joined.as_mut().filter(|joined| joined.has_changed(record)) {
            joined.release_at_end(record);
            return Ok(());
        }
        let listed = self.list_before_unlock(record);
        listed.and(self.writer.unlock_record(record))
    }

    /// Locks all records, those that others would append included.
    pub fn lock_table(&mut self) -> Result<()> {
        let mut begun = None;
        while !self.writer.holds_table() {
            self.settle_table()?;
            self.writer.lock_table()?;
            let left = self.left_at_table()?;
            if left == Left::Nothing {
                break;
            }
            self.give_back_table()?;
            self.settle(left, &mut begun)?;
        }
        Ok(())
    }

    /// Undoes interrupted transactions before the table is locked: the lock would prevent that.
    fn settle_table(&mut self) -> Result<Left> {
        let left = self.left_by_others(None)?;
        if left == Left::Abandoned {
            super::recovery::recover(&self.fs, self.writer.path())?;
        }
        Ok(left)
    }

    /// Changes that other transactions left in a table that was just locked. A transaction with changes of its own
    /// cannot release its records any more, and has checked before.
    fn left_at_table(&mut self) -> Result<Left> {
        match self.joined.as_ref().is_some_and(Joined::has_changes) {
            true => Ok(Left::Nothing),
            false => self.left_by_others(None),
        }
    }

    /// Gives back the table without the records that are locked beside it.
    fn give_back_table(&mut self) -> Result<()> {
        let kept = self.writer.locked_records();
        self.writer.unlock()?;
        kept.into_iter().try_for_each(|record| self.writer.lock_record(record))
    }

    /// Asks once for all records; false while another holds one.
    pub fn try_lock_table(&mut self) -> Result<bool> {
        while !self.writer.holds_table() {
            if self.settle_table()? == Left::Ending || !self.writer.try_lock_table()? {
                return Ok(false);
            }
            let left = self.left_at_table()?;
            if left == Left::Nothing {
                break;
            }
            self.give_back_table()?;
        }
        Ok(true)
    }

    /// Gives back the table and all records; in a transaction those that were changed at its end.
    pub fn unlock(&mut self) -> Result<()> {
        if let Some(joined) = self.joined.as_mut().filter(|joined| joined.has_changes()) {
            if self.writer.holds_table() {
                joined.release_table_at_end();
                self.writer.locked_records().into_iter().for_each(|record| joined.release_at_end(record));
                return Ok(());
            }
            for record in self.writer.locked_records() {
                self.unlock_record(record)?;
            }
            return Ok(());
        }
        let listed = self.unlisted.map_or(Ok(()), |record| self.list_before_unlock(record));
        listed.and(self.writer.unlock())
    }

    /// Returns true if a record is locked here, by itself or with the table; always true with exclusive use.
    pub fn is_locked(&self, record: u64) -> bool {
        self.writer.is_locked(record)
    }

    /// Returns true if the whole table is locked here.
    pub fn holds_table(&self) -> bool {
        self.writer.holds_table()
    }

    /// The locks that are held here, for other threads: kept up to date from now on.
    pub fn watch_locks(&mut self) -> Arc<HeldRecords> {
        self.writer.watch_locks()
    }

    /// The records that are locked here one by one, in ascending order.
    pub fn locked_records(&self) -> Vec<u64> {
        self.writer.locked_records()
    }

    /// The holder of a lock that keeps this record from being locked here, if any. The process is not always known: see
    /// `mainstay_vfs`.
    pub fn record_lock_holder(&self, record: u64) -> Result<Option<LockHolder>> {
        self.writer.record_lock_holder(record)
    }

    /// The holder of a lock that keeps the table from being locked here: the first one of the table or of one of its
    /// records.
    pub fn table_lock_holder(&self) -> Result<Option<LockHolder>> {
        self.writer.table_lock_holder()
    }
}
