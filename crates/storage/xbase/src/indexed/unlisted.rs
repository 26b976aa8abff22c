//! A record that a program appends blank and fills in later gets its keys only once.
//!
//! An xBase program that shares a table appends a blank record, which stays locked, gives it its values and writes it.
//! Keys of the blank record would be inserted into all tags and removed again shortly after. As in Harbour
//! (`fCdxAppend`), the record itself is written and counted at once, and listed at the first of these events:
//!
//! ```text
//!   its values are written, or its mark of deletion    the keys are those of the values
//!   its lock is given back, the table is flushed       the keys are those of the blank record
//!   another record is appended, a tag is read here     the same
//! ```
//! Until then no other program can change the record, and an order does not show it. Everything that can refuse the
//! change is checked before the blank record is written, except damaged pages. A candidate tag could refuse it later: a
//! table that has one lists its records at once, and so does a transaction, which journals the keys to undo.
//!
//! **A process that is killed between the two** leaves a blank record that no tag lists. The next process that opens
//! the table for writing repairs it, if it is the last record ([`IndexedTable::list_last`]); behind others, `check`
//! reports it, and the first change of one of its keys gives it all of them (`trust.rs`).

use super::IndexedTable;
use mainstay_types::Result;

impl IndexedTable {
    /// Appends a blank record that stays locked until it is unlocked, as xBase programs expect it: its lock is never
    /// given back between the append and the values. See the module's text for when it gets its keys.
    pub fn append_blank_locked(&mut self) -> Result<u64> {
        self.list_appended()?;
        let later = self.joined.is_none() && self.indexes.may_list_later();
        let kept = self.writer.keep_locks(true);
        self.keeps_appended = true;
        let appended = if later { self.append_unlisted() } else { self.append_some(&[]) };
        self.keeps_appended = false;
        self.writer.keep_locks(kept);
        appended
    }

    fn append_unlisted(&mut self) -> Result<u64> {
        let IndexedTable { writer, indexes, .. } = self;
        let none = std::iter::empty();
        let appended = writer.append_fields(none, 0, &mut |record, _, new| indexes.would_list(record, new))?;
        self.unlisted = Some(appended);
        Ok(appended)
    }

    /// Gives the record that was appended last its keys, if it has none yet.
    pub fn list_appended(&mut self) -> Result<()> {
        let Some(record) = self.unlisted else { return Ok(()) };
        let mut bytes = Vec::new();
        self.writer.read(record, &mut bytes)?;
        let listed = self.indexes.follow(record, None, Some(&bytes));
        self.indexes.end(listed)?;
        self.unlisted = None;
        Ok(())
    }

    /// The same before its lock is given back: after that it is not ours to list.
    pub(super) fn list_before_unlock(&mut self, record: u64) -> Result<()> {
        if self.unlisted != Some(record) {
            return Ok(());
        }
        let listed = self.list_appended();
        self.unlisted = None;
        listed
    }

    /// Gives the last record its keys, if it is blank, unlocked and not listed: the process that appended it was
    /// killed. A failure of this does not prevent the opening of the table.
    pub(super) fn list_last(&mut self) {
        if self.indexes.bags.is_empty() || self.joined.is_some() {
            return;
        }
        // The next one to open it tries again.
        let _ = self.try_list_last();
    }

    fn try_list_last(&mut self) -> Result<()> {
        let last = self.writer.count()?;
        let mut bytes = Vec::new();
        if last == 0 || !self.writer.is_blank(last, &mut bytes)? {
            return Ok(());
        }
        let held = self.writer.is_locked(last);
        if !self.writer.try_lock_record(last)? {
            return Ok(());
        }
        // Another may have written it before the lock was taken.
        let listed = match self.writer.is_blank(last, &mut bytes) {
            Ok(true) => self.indexes.follow(last, None, Some(&bytes)),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        let listed = self.indexes.end(listed);
        let unlocked = if held { Ok(()) } else { self.writer.unlock_record(last) };
        listed.and(unlocked)
    }
}
