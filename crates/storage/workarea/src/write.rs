//! Writing: records with their keys, new records, locks.
//!
//! ```text
//!   set ...   the area's copy of the record        buffer
//!   write     bytes and memos -> IndexedTable      record, keys of all open index files, locks
//!             what the area has read is made right: the block, the orders whose keys changed
//! ```
//! With exclusive use, the writer keeps records and index pages in memory: they are written before the area reads data
//! that may be among them. So an order without changed keys needs no write, and neither does a run of appends.

use crate::area::Area;
use crate::buffer::has_bit;
use crate::options::Mode;
use crate::order::Order;
use mainstay_types::{Code, Error, Result, ValueRef};
use mainstay_vfs::LockHolder;
use mainstay_xbase::dbf::FieldKind;
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::lock::LockWait;

impl Area {
    /// The table's writer.
    ///
    /// Errors: `ReadOnly`.
    pub(crate) fn table(&mut self) -> Result<&mut IndexedTable> {
        match &mut self.table {
            Some(table) => Ok(table),
            None => Err(Error::new(Code::ReadOnly, "the table was opened for reading only")),
        }
    }

    /// Writes the changes of the current record, with all its keys.
    ///
    /// Errors: `UniqueViolation` for a second candidate key; those of locks, of index files that cannot be kept up, of
    /// the disk. The changes stay pending then: correct them, or [`Area::cancel`].
    pub fn write(&mut self) -> Result<()> {
        if !self.row.is_changed && !self.row.is_new {
            self.list_appended()?;
            self.row.is_appended = false;
            return self.give_back_implicit_lock();
        }
        let written = self.write_changes();
        let taken_back = self.take_back_lock();
        written.and(taken_back)?;
        self.give_back_implicit_lock()
    }

    /// Writes the changes, with what the rules do before and after.
    fn write_changes(&mut self) -> Result<()> {
        let rules = self.rules.clone();
        if let Some(rules) = &rules {
            rules.before_write(self)?;
        }
        self.note_index_states();
        let memos = std::mem::take(&mut self.row.memos);
        let written = self.write_row(&memos);
        if written.is_err() {
            self.row.memos = memos;
            if let Some(rules) = &rules {
                rules.write_failed(self);
            }
        }
        written?;
        (self.row.is_changed, self.row.is_appended) = (false, false);
        match &rules {
            Some(rules) => rules.after_write(self),
            None => Ok(()),
        }
    }

    fn write_row(&mut self, memos: &[(usize, Vec<u8>)]) -> Result<()> {
        let recno = u64::from(self.recno);
        if self.row.is_new {
            let bytes = std::mem::take(&mut self.row.bytes);
            let appended = self.table().and_then(|table| table.append_record(&bytes));
            self.row.bytes = bytes;
            appended?;
            self.row.is_new = false;
            self.row.before.clone_from(&self.row.bytes);
            self.note_written(None);
            if memos.is_empty() {
                return Ok(());
            }
        }
        if !memos.is_empty() {
            self.write_memos(recno, memos)?;
        }
        if self.row.bytes == self.row.before && memos.is_empty() {
            return self.list_appended();
        }
        if self.row.is_certain && memos.is_empty() && self.rules.is_none() {
            let (before, mut bytes) = (std::mem::take(&mut self.row.before), std::mem::take(&mut self.row.bytes));
            let replaced = self.table().and_then(|table| match table.transaction() {
                None => table.replace_record(recno, &before, &mut bytes),
                Some(_) => table.write_record(recno, &bytes).map(drop),
            });
            (self.row.before, self.row.bytes) = (before, bytes);
            replaced?;
            let before = std::mem::take(&mut self.row.before);
            let is_unlisted = std::mem::take(&mut self.row.is_unlisted);
            self.note_written(if is_unlisted { None } else { Some(&before) });
            self.row.before = before;
            self.row.before.clone_from(&self.row.bytes);
        } else {
            let bytes = std::mem::take(&mut self.row.bytes);
            let change = self.table().and_then(|table| table.write_record(recno, &bytes));
            self.row.bytes = bytes;
            let change = change?;
            self.row.bytes = change.new;
            self.row.before.clone_from(&self.row.bytes);
            let is_unlisted = std::mem::take(&mut self.row.is_unlisted);
            self.note_written(if is_unlisted { None } else { Some(&change.old) });
        }
        Ok(())
    }

    /// The record that was appended gets the keys of a blank one: it is left, or unlocked, as it is.
    pub(crate) fn list_appended(&mut self) -> Result<()> {
        if !self.row.is_unlisted {
            return Ok(());
        }
        self.note_index_states();
        self.table()?.list_appended()?;
        self.row.is_unlisted = false;
        self.note_index_states();
        for order in &mut self.orders {
            order.stale = self.files.iter().find(|file| file.number == order.file).map(|file| file.version);
        }
        (self.has_unwritten_keys, self.must_look) = (true, true);
        Ok(())
    }

    /// Stores long values; their references are then part of the record.
    fn write_memos(&mut self, recno: u64, memos: &[(usize, Vec<u8>)]) -> Result<()> {
        let is_null = |field: usize| {
            let bit = self.dbf.fields().get(field).and_then(|field| field.null_bit);
            bit.is_some_and(|bit| has_bit(&self.row.bytes, bit))
        };
        // A field of any type holds a text as such.
        let is_any = |field: usize| self.dbf.fields().get(field).is_some_and(|field| field.kind == FieldKind::Any);
        let text = |(field, bytes): &(usize, Vec<u8>)| is_any(*field).then(|| self.decode_text(bytes));
        let texts: Vec<Option<String>> = memos.iter().map(text).collect();
        let mut values: Vec<(usize, ValueRef<'_>)> = Vec::with_capacity(memos.len());
        for ((field, bytes), text) in memos.iter().zip(&texts) {
            let value = match text {
                Some(text) => ValueRef::Text(text),
                None if bytes.is_empty() && is_null(*field) => ValueRef::Null,
                None => ValueRef::Binary(bytes),
            };
            values.push((*field, value));
        }
        let change = self.table()?.update(recno, &values)?;
        for (field, _) in memos {
            let Some(field) = self.dbf.fields().get(*field) else { continue };
            let cell = field.offset..field.offset + field.length;
            if let (Some(to), Some(from)) = (self.row.bytes.get_mut(cell.clone()), change.new.get(cell)) {
                to.copy_from_slice(from);
            }
            if let Some(bit) = field.null_bit
                && let (Some(to), Some(from)) = (self.row.bytes.get_mut(bit / 8), change.new.get(bit / 8))
            {
                let mask = 1u8 << (bit % 8);
                *to = *to & !mask | from & mask;
            }
        }
        Ok(())
    }

    /// The current record was written, its keys aside.
    fn note_bytes(&mut self) {
        if let Some(aof) = &mut self.visibility.aof {
            aof.note_change(self.recno);
        }
        self.blocks.patch(self.recno, &self.row.bytes);
        if !self.is_alone() {
            self.must_look = true;
            self.blocks.freshness.note_write();
        }
    }

    /// The current record was written, and had these bytes before (none: it is new).
    fn note_written(&mut self, before: Option<&[u8]>) {
        let recno = self.recno;
        self.note_bytes();
        self.note_index_states();
        self.has_unwritten |= self.is_alone() && before.is_none();
        for order in &mut self.orders {
            let version = self.files.iter().find(|file| file.number == order.file).map_or(0, |file| file.version);
            if order.note_change(version, recno, before, &self.row.bytes, &mut self.scratch) {
                self.has_unwritten_keys = true;
            }
        }
    }

    /// Compares what was read of the index files with what the writer has of them.
    pub(crate) fn note_index_states(&mut self) {
        let Some(table) = &self.table else { return };
        if self.is_alone() {
            return;
        }
        for file in &mut self.files {
            let bag = table.bags().position(|bag| bag == file.path);
            if let Some(state) = bag.and_then(|bag| table.index_state(bag)) {
                file.note_state(state);
            }
        }
    }

    /// Makes sure that what is read next is what was written: alone, the writer may still have it.
    pub(crate) fn settle(&mut self) -> Result<()> {
        if !self.has_unwritten && !self.has_unwritten_keys {
            return Ok(());
        }
        if self.has_unwritten {
            return self.settle_all();
        }
        if !self.is_alone() {
            // The file has the written records; stale orders are noticed at their next use.
            self.has_unwritten_keys = false;
            return Ok(());
        }
        let order_is_stale = self.current.and_then(|at| self.orders.get(at)).is_some_and(|order| self.is_stale(order));
        if order_is_stale { self.settle_all() } else { Ok(()) }
    }

    /// Returns true if an order's keys have changed since its file was last read.
    pub(crate) fn is_stale(&self, order: &Order) -> bool {
        order.stale.is_some()
            && self.files.iter().any(|file| file.number == order.file && order.stale == Some(file.version))
    }

    /// The same whatever is read next.
    pub(crate) fn settle_all(&mut self) -> Result<()> {
        if let Some(table) = &mut self.table {
            table.flush()?;
        }
        if std::mem::take(&mut self.has_unwritten) {
            self.blocks.begin_generation(&self.dbf)?;
        }
        if std::mem::take(&mut self.has_unwritten_keys) {
            for file in &mut self.files {
                file.read_anew()?;
            }
        }
        Ok(())
    }

    /// Writes everything that is only in memory; with durable options it is on the disk when this returns.
    pub fn flush(&mut self) -> Result<()> {
        self.write()?;
        match &mut self.table {
            Some(table) => table.flush(),
            None => Ok(()),
        }
    }

    /// Writes what is pending, gives back all locks and closes the files. Changes that cannot be written are cancelled, as
    /// [`Area::cancel`] does it: a record that was appended for them stays blank and deleted.
    ///
    /// Errors: the first one, that of the write before others. The files are closed and the locks released in any case.
    pub fn close(mut self) -> Result<()> {
        let written = self.write();
        let cancelled = if written.is_err() { self.discard() } else { Ok(()) };
        let closed = self.table.take().map_or(Ok(()), IndexedTable::close);
        written.and(cancelled).and(closed)
    }

    /// Cancels what is pending; where that fails, too, it is forgotten.
    fn discard(&mut self) -> Result<()> {
        let cancelled = self.cancel().and_then(|()| self.write());
        if cancelled.is_err() {
            self.forget_pending();
        }
        cancelled
    }

    /// Closes the files without writing what is pending: the program that made the changes has ended. A blank record
    /// that is in the file because of them is marked as deleted.
    ///
    /// Errors: those of [`Area::close`].
    pub fn close_abandoned(mut self) -> Result<()> {
        // A record that is not in the file yet need not be added.
        let discarded = match self.row.is_new {
            true => {
                self.forget_pending();
                Ok(())
            }
            false => self.discard(),
        };
        discarded.and(self.close())
    }

    /// Appends a blank record and goes to it. Beside others it is locked: with
    /// [`implicit_locks`](crate::AreaOptions::implicit_locks) until it is written or left, as a record is that was locked for a
    /// change, and without them until it is unlocked.
    ///
    /// Errors: `ReadOnly`; `Busy` while another has the whole table.
    pub fn append_blank(&mut self) -> Result<()> {
        self.write()?;
        self.note_index_states();
        let counts = self.counts;
        let alone = self.is_alone();
        let table = self.table()?;
        let recno = if alone && !counts {
            // The record is made when it is written: its keys are then made once.
            table.count()? + 1
        } else if alone {
            table.append_blank()?
        } else {
            table.append_blank_locked()?
        };
        let recno = u32::try_from(recno).map_err(|_| Error::new(Code::Unsupported, "the table is full"))?;
        // The next move looks at the file, and sees what other programs have written meanwhile.
        self.blocks.set_count(recno.max(self.blocks.count()));
        self.arrive(Some(recno));
        self.found = false;
        let Area { row, blank, table, options, .. } = self;
        row.bytes.clear();
        row.bytes.extend_from_slice(blank);
        row.is_loaded = true;
        (row.is_new, row.is_appended) = (alone && !counts, true);
        (row.is_certain, row.is_unlisted) = (!alone, false);
        row.implicit_lock = (!alone && options.implicit_locks).then_some(recno);
        if let Some(table) = table.as_mut().filter(|_| !row.is_new) {
            if counts {
                table.read(recno.into(), &mut row.bytes)?;
            }
            row.is_unlisted = table.has_unlisted();
        }
        row.before.clone_from(&row.bytes);
        if row.is_unlisted {
            self.note_bytes();
        } else if !row.is_new {
            self.note_written(None);
        }
        match self.rules.clone() {
            Some(rules) => rules.appended(self),
            None => Ok(()),
        }
    }

    /// Locks a record until it is unlocked, waiting as the options say, and looks at the table again.
    ///
    /// Errors: `Busy`, with the holder as far as the system knows; `ReadOnly`.
    pub fn lock_record(&mut self, record: u32) -> Result<()> {
        if self.keeps_lock(record)? {
            return Ok(());
        }
        self.table()?.lock_record(record.into())?;
        self.after_lock(record)
    }

    /// Returns true if a record is locked already. An implicit lock on it becomes the program's.
    fn keeps_lock(&mut self, record: u32) -> Result<bool> {
        if self.row.implicit_lock.take_if(|implicit| *implicit == record).is_some() {
            self.table()?.lock_record(record.into())?;
            return Ok(true);
        }
        Ok(self.is_locked(record))
    }

    /// Asks once for a record; false while another has it.
    pub fn try_lock_record(&mut self, record: u32) -> Result<bool> {
        if self.keeps_lock(record)? {
            return Ok(true);
        }
        let locked = self.table()?.try_lock_record(record.into())?;
        if locked {
            self.after_lock(record)?;
        }
        Ok(locked)
    }

    /// The holder of a record's lock, as far as the system knows.
    pub fn lock_owner(&mut self, record: u32) -> Option<String> {
        self.lock_holder(record).ok().flatten().map(|holder| holder.to_string())
    }

    /// Reads under a lock see the current state: the record is read again now, and everything else at the next move,
    /// which looks at the file.
    fn after_lock(&mut self, record: u32) -> Result<()> {
        self.must_look |= !self.is_alone();
        if record != self.recno || self.has_pending() {
            return Ok(());
        }
        self.row.is_loaded = false;
        if self.is_alone() || !self.is_positioned() {
            return Ok(());
        }
        self.dbf.read_record(u64::from(record) - 1, &mut self.row.bytes)?;
        self.blocks.patch(record, &self.row.bytes);
        (self.row.is_loaded, self.row.is_certain) = (true, true);
        Ok(())
    }

    /// Writes what is pending and gives a record back.
    pub fn unlock_record(&mut self, record: u32) -> Result<()> {
        self.write()?;
        self.row.is_certain &= record != self.recno;
        self.table()?.unlock_record(record.into())
    }

    /// Locks the whole table until it is unlocked.
    pub fn lock_table(&mut self) -> Result<()> {
        self.table()?.lock_table()?;
        self.after_lock(self.recno)
    }

    /// Asks once for the whole table; false while another has it or one of its records.
    pub fn try_lock_table(&mut self) -> Result<bool> {
        let locked = self.table()?.try_lock_table()?;
        if locked {
            self.after_lock(self.recno)?;
        }
        Ok(locked)
    }

    /// Writes what is pending and gives back the table and all records.
    pub fn unlock(&mut self) -> Result<()> {
        self.write()?;
        self.row.is_certain = false;
        match &mut self.table {
            Some(table) => table.unlock(),
            None => Ok(()),
        }
    }

    /// Returns true if a record is locked by this area: by itself, with the table, or because the area has exclusive
    /// use.
    pub fn is_locked(&self, record: u32) -> bool {
        self.is_alone() || self.table.as_ref().is_some_and(|table| table.is_locked(record.into()))
    }

    /// Returns true if the whole table is locked by this area.
    pub fn is_table_locked(&self) -> bool {
        self.table.as_ref().is_some_and(IndexedTable::holds_table)
    }

    /// The records that are locked one by one, in ascending order.
    pub fn locked_records(&self) -> Vec<u32> {
        let records = self.table.as_ref().map(IndexedTable::locked_records).unwrap_or_default();
        records.into_iter().filter_map(|record| u32::try_from(record).ok()).collect()
    }

    /// Sets how long later locks of the writer wait; with a timeout of zero they try once.
    pub fn set_wait(&mut self, wait: LockWait) {
        if let Some(table) = &mut self.table {
            table.set_wait(wait);
        }
    }

    /// The holder of a lock that keeps this area from locking a record, as far as the system knows.
    pub fn lock_holder(&self, record: u32) -> Result<Option<LockHolder>> {
        self.table.as_ref().map_or(Ok(None), |table| table.record_lock_holder(record.into()))
    }

    /// The holder of a lock that keeps this area from locking the table.
    pub fn table_lock_holder(&self) -> Result<Option<LockHolder>> {
        self.table.as_ref().map_or(Ok(None), IndexedTable::table_lock_holder)
    }

    /// Locks the current record for a change that the program did not lock it for, if the options allow that.
    pub(crate) fn lock_for_change(&mut self) -> Result<()> {
        if !self.options().implicit_locks {
            let message = format!("record {} is not locked", self.recno);
            let error = Error::new(Code::Conflict, message).at(self.path().display());
            return Err(error.hint("lock the record before it is changed"));
        }
        self.lock_record(self.recno)?;
        self.row.implicit_lock = Some(self.recno);
        Ok(())
    }

    pub(crate) fn give_back_implicit_lock(&mut self) -> Result<()> {
        match (self.row.implicit_lock.take(), &mut self.table) {
            (Some(record), Some(table)) => {
                self.row.is_certain = false;
                table.unlock_record(record.into())
            }
            _ => Ok(()),
        }
    }

    /// Returns true if the area may write.
    pub fn is_writable(&self) -> bool {
        self.options().mode != Mode::ReadOnly
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // Errors are lost here; a caller that needs them closes the area.
        if self.table.is_some() && self.write().is_err() {
            let _ = self.discard();
        }
    }
}
