//! The locks that one handle holds on a table.
//!
//! Locks of records and of the table may be shared with other users of the same connection: see [`super::sharing`].

use super::held::HeldRecords;
use super::sharing::{Hold, Joined, Member, Thing};
use super::{LockPlan, LockRanges, LockWait, release_all, take};
use mainstay_types::{Cause, Code, Error, Result, interrupt};
use mainstay_vfs::{ByteRange, LockHolder, LockMode, WritableFile};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

/// The locks that one handle holds on a table.
#[derive(Debug)]
pub(crate) struct TableLocks {
    file: Arc<dyn WritableFile>,
    pub(crate) plan: LockPlan,
    pub(crate) wait: LockWait,
    /// Opened for exclusive use: no lock is needed.
    alone: bool,
    table: bool,
    header: bool,
    /// With what is held together with others, if that may be.
    records: BTreeMap<u64, Option<Arc<Hold>>>,
    member: Option<Member>,
    table_hold: Option<Arc<Hold>>,
    /// Another's lock of the table, under which records are appended.
    new_hold: Option<Arc<Hold>>,
    /// The same locks for other threads, once somebody watches.
    shown: Option<Arc<HeldRecords>>,
}

impl TableLocks {
    pub(crate) fn new(file: Arc<dyn WritableFile>, plan: LockPlan, wait: LockWait, alone: bool) -> TableLocks {
        let member = if alone { None } else { Member::current(&*file) };
        let records = BTreeMap::new();
        TableLocks {
            file,
            plan,
            wait,
            alone,
            table: false,
            header: false,
            records,
            member,
            table_hold: None,
            new_hold: None,
            shown: None,
        }
    }

    /// Returns true if anything is locked.
    pub(crate) fn holds_any(&self) -> bool {
        self.table || self.header || !self.records.is_empty() || self.new_hold.is_some()
    }

    /// The locks for other threads, kept up to date from now on.
    pub(crate) fn watch(&mut self) -> Arc<HeldRecords> {
        if let Some(shown) = &self.shown {
            return Arc::clone(shown);
        }
        let shown = Arc::<HeldRecords>::default();
        self.records.keys().for_each(|record| shown.add(*record));
        if self.table {
            shown.add_table();
        }
        self.shown = Some(Arc::clone(&shown));
        shown
    }

    fn keep(&mut self, record: u64, hold: Option<Arc<Hold>>) {
        if let Some(shown) = &self.shown {
            shown.add(record);
        }
        self.records.insert(record, hold);
    }

    fn keep_table(&mut self) {
        if let Some(shown) = &self.shown {
            shown.add_table();
        }
        self.table = true;
    }

    fn record(&self, record: u64) -> LockRanges {
        self.plan.records(&(record..=record))
    }

    /// The lock of another user of the connection on the record, or on the table that contains it.
    fn join_record(&self, record: u64) -> Joined {
        match self.join(Thing::Table) {
            Joined::Free => self.join(Thing::Record(record)),
            joined => joined,
        }
    }

    fn join(&self, thing: Thing) -> Joined {
        self.member.as_ref().map_or(Joined::Free, |member| member.join(thing))
    }

    /// The same, waiting for one of the connection that does not share it.
    fn join_record_in_time(&self, record: u64) -> Result<Option<Arc<Hold>>> {
        let begun = Instant::now();
        loop {
            match self.join_record(record) {
                Joined::Free => return Ok(None),
                Joined::Shared(hold) => return Ok(Some(hold)),
                Joined::Refused if begun.elapsed() >= self.wait.timeout => {
                    let message = format!(
                        "record {record} is locked by the same connection; waited {} ms",
                        begun.elapsed().as_millis()
                    );
                    let error = Error::new(Code::Busy, message).because(Cause::Waited);
                    return Err(error.at(self.file.path().display()));
                }
                Joined::Refused => {
                    interrupt::check()?;
                    std::thread::sleep(self.wait.interval);
                }
            }
        }
    }

    /// Lets others of the connection have part in a record that was just locked.
    fn note_record(&self, record: u64) -> Option<Arc<Hold>> {
        self.member.as_ref().map(|member| member.note(Thing::Record(record), &self.file, self.record(record)))
    }

    /// Has part in another's lock of the table; none where there is no such lock and the system is to be asked.
    fn join_table(&mut self) -> Option<bool> {
        match self.join(Thing::Table) {
            Joined::Shared(hold) => {
                self.table_hold = Some(hold);
                Some(true)
            }
            // Another has a record together with us: its bytes have to stay when the table is given back.
            Joined::Free if !self.has_shared() => None,
            Joined::Free | Joined::Refused => Some(false),
        }
    }

    fn note_table(&mut self) {
        let member = self.member.as_ref();
        self.table_hold = member.map(|member| member.note(Thing::Table, &self.file, self.plan.table()));
    }

    fn has_shared(&self) -> bool {
        self.records.values().flatten().any(|hold| Arc::strong_count(hold) > 1)
    }

    /// Gives back a record that is not in `records` any more; under a lock of the table its byte belongs to that.
    fn release_record(&self, record: u64, hold: Option<Arc<Hold>>, under_table: bool) -> Result<()> {
        match (hold, &self.member) {
            (Some(hold), Some(member)) => member.leave(hold, under_table.then_some(&self.file)),
            _ if under_table => Ok(()),
            _ => self.record(record).release(&*self.file),
        }
    }

    /// Takes the locks of something within the time that there is.
    fn take(&self, ranges: LockRanges, what: impl Fn() -> String) -> Result<()> {
        let Some(second) = ranges.second else { return take(&*self.file, ranges.first, self.wait, what) };
        let begun = Instant::now();
        take(&*self.file, ranges.first, self.wait, &what)?;
        let wait = LockWait { timeout: self.wait.timeout.saturating_sub(begun.elapsed()), ..self.wait };
        let taken = take(&*self.file, second, wait, what);
        if taken.is_err() {
            self.give_back(ranges.first)?;
        }
        taken
    }

    /// Asks once for them.
    fn try_take(&self, ranges: LockRanges) -> Result<bool> {
        if !self.file.try_lock_range(ranges.first, LockMode::Exclusive)? {
            return Ok(false);
        }
        let Some(second) = ranges.second else { return Ok(true) };
        let taken = self.file.try_lock_range(second, LockMode::Exclusive);
        if !matches!(taken, Ok(true)) {
            self.give_back(ranges.first)?;
        }
        taken
    }

    /// Gives bytes back, unless they are among those of the table, which is held: two schemes' bytes may meet.
    fn unlock(&self, range: ByteRange) -> Result<()> {
        let covers = |table: ByteRange| table.start <= range.start && range.end() <= table.end();
        match self.table && self.plan.table().iter().any(covers) {
            true => Ok(()),
            false => self.file.unlock_range(range),
        }
    }

    /// Gives back bytes that were taken in vain. Records that are held stay so if it was the table that was asked for.
    fn give_back(&self, range: ByteRange) -> Result<()> {
        let mut held: Vec<ByteRange> = match range == self.plan.table().first {
            true => self.records.keys().flat_map(|record| self.record(*record).iter()).collect(),
            false => Vec::new(),
        };
        held.retain(|held| range.start <= held.start && held.end() <= range.end());
        held.sort_unstable_by_key(|held| held.start);
        let mut start = range.start;
        for held in held {
            if start < held.start {
                self.file.unlock_range(ByteRange { start, length: held.start - start })?;
            }
            start = held.end();
        }
        match range.end().saturating_sub(start) {
            0 => Ok(()),
            length => self.unlock(ByteRange { start, length }),
        }
    }

    /// Locks the header; it must be given back before the next statement of the caller's.
    pub(crate) fn lock_header(&mut self) -> Result<()> {
        if !self.alone && !self.header {
            self.take(self.plan.header(), || "the header".to_owned())?;
            self.header = true;
        }
        Ok(())
    }

    pub(crate) fn unlock_header(&mut self) -> Result<()> {
        match std::mem::take(&mut self.header) {
            true => release_all(self.plan.header().iter(), |range| self.unlock(range)),
            false => Ok(()),
        }
    }

    /// Locks all records until [`TableLocks::unlock_all`].
    pub(crate) fn lock_table(&mut self) -> Result<()> {
        if self.alone || self.table {
            return Ok(());
        }
        match self.join_table() {
            Some(true) => {}
            Some(false) => {
                let error = Error::new(Code::Busy, "the table is locked by the same connection");
                return Err(error.at(self.file.path().display()));
            }
            None => {
                self.take(self.plan.table(), || "the table".to_owned())?;
                self.note_table();
            }
        }
        self.keep_table();
        Ok(())
    }

    /// Returns true if a record is locked already, by itself or with the table.
    pub(crate) fn holds(&self, record: u64) -> bool {
        self.alone || self.table || self.records.contains_key(&record)
    }

    /// Locks a record until it is unlocked.
    pub(crate) fn lock_record(&mut self, record: u64) -> Result<()> {
        if !self.holds(record) {
            let mut hold = self.join_record_in_time(record)?;
            if hold.is_none() {
                self.take(self.record(record), || format!("record {record}"))?;
                hold = self.note_record(record);
            }
            self.keep(record, hold);
        }
        Ok(())
    }

    pub(crate) fn unlock_record(&mut self, record: u64) -> Result<()> {
        if let Some(shown) = &self.shown {
            shown.remove(record);
        }
        match self.records.remove(&record) {
            Some(hold) => self.release_record(record, hold, self.table),
            None => Ok(()),
        }
    }

    /// Asks once for records that are about to be appended. `None`: another holds them, as a rule with the whole
    /// table; else whether the caller has to give them back.
    pub(crate) fn try_lock_new(&mut self, records: &RangeInclusive<u64>) -> Result<Option<bool>> {
        if self.alone || self.table {
            return Ok(Some(false));
        }
        let locked = match self.join(Thing::Table) {
            Joined::Free => self.try_take(self.plan.records(records))?,
            Joined::Refused => false,
            Joined::Shared(hold) => {
                self.new_hold = Some(hold);
                true
            }
        };
        Ok(locked.then_some(true))
    }

    /// The error when the locks are not available.
    pub(crate) fn refused(&self, records: &RangeInclusive<u64>) -> Result<Error> {
        let holder = self.plan.records(records).holder(&*self.file, LockMode::Exclusive)?;
        let holder = holder.map_or_else(|| "another program".to_owned(), |holder| holder.to_string());
        let message = format!("nothing can be appended: the table is locked by {holder}");
        Ok(Error::new(Code::Busy, message).at(self.file.path().display()).hint("try again later"))
    }

    pub(crate) fn unlock_new(&mut self, records: &RangeInclusive<u64>) -> Result<()> {
        match (self.new_hold.take(), &self.member) {
            (Some(hold), Some(member)) => member.leave(hold, None),
            _ => self.plan.records(records).release(&*self.file),
        }
    }

    /// Keeps the locks of records that were appended, each by itself.
    pub(crate) fn keep_new(&mut self, records: &RangeInclusive<u64>) -> Result<()> {
        if let (Some(hold), true) = (self.new_hold.take(), self.member.is_some()) {
            for record in records.clone() {
                if let Joined::Shared(kept) = self.join(Thing::Table) {
                    self.keep(record, Some(kept));
                }
            }
            return self.member.as_ref().map_or(Ok(()), |member| member.leave(hold, None));
        }
        for (record, next) in records.clone().zip(records.clone().skip(1)) {
            // FoxPro's range covers the bytes between those of the records too.
            for (this, next) in self.record(record).iter().zip(self.record(next).iter()) {
                if this.end() < next.start {
                    self.file.unlock_range(ByteRange { start: this.end(), length: next.start - this.end() })?;
                }
            }
        }
        for record in records.clone() {
            let hold = self.note_record(record);
            self.keep(record, hold);
        }
        Ok(())
    }

    pub(crate) fn try_lock_record(&mut self, record: u64) -> Result<bool> {
        if self.holds(record) {
            return Ok(true);
        }
        let hold = match self.join_record(record) {
            Joined::Shared(hold) => Some(hold),
            Joined::Free if self.try_take(self.record(record))? => self.note_record(record),
            Joined::Free | Joined::Refused => return Ok(false),
        };
        self.keep(record, hold);
        Ok(true)
    }

    pub(crate) fn try_lock_table(&mut self) -> Result<bool> {
        if !self.alone && !self.table {
            let taken = match self.join_table() {
                Some(joined) => joined,
                None => {
                    let taken = self.try_take(self.plan.table())?;
                    if taken {
                        self.note_table();
                    }
                    taken
                }
            };
            if taken {
                self.keep_table();
            }
        }
        Ok(self.alone || self.table)
    }

    pub(crate) fn holds_table(&self) -> bool {
        self.alone || self.table
    }

    /// The records that are locked one by one.
    pub(crate) fn records(&self) -> Vec<u64> {
        self.records.keys().copied().collect()
    }

    pub(crate) fn record_holder(&self, record: u64) -> Result<Option<LockHolder>> {
        self.record(record).holder(&*self.file, LockMode::Exclusive)
    }

    pub(crate) fn table_holder(&self) -> Result<Option<LockHolder>> {
        self.plan.table().holder(&*self.file, LockMode::Exclusive)
    }

    /// Gives back the table and every record. The first error is told when all was tried.
    pub(crate) fn unlock_all(&mut self) -> Result<()> {
        if let Some(shown) = &self.shown {
            shown.clear();
        }
        let held_table = std::mem::take(&mut self.table);
        let mut done = Ok(());
        for (record, hold) in std::mem::take(&mut self.records) {
            done = done.and(self.release_record(record, hold, held_table));
        }
        let table = match (self.table_hold.take(), &self.member) {
            (Some(hold), Some(member)) => member.leave(hold, None),
            // The ranges cover the bytes of all records.
            _ if held_table => self.plan.table().release(&*self.file),
            _ => Ok(()),
        };
        done.and(table)
    }
}

impl Drop for TableLocks {
    fn drop(&mut self) {
        if self.member.is_some() {
            // The file may stay open with another of the connection.
            let _ = self.unlock_all();
        }
    }
}
