//! The journal of a store in a folder: a sequence of writers, one for each file.
//!
//! A ticket counts the bytes of all journals since the store was opened, so that it stays valid when a checkpoint
//! switches to the next file: the file before is closed then, which syncs everything in it.
//!
//! ```text
//!   file 7 (closed)      file 8
//!   0 ......... 4100     4100 + 0 ........ 4100 + end        base = 4100
//! ```

use crate::journal::payload::{MovePlace, MovedBytes};
use crate::journal::redo::{RedoBuffer, RedoMark};
use crate::journal::{Durability, JournalWriter, Payload, Ticket};
use crate::row::Row;
use crate::transaction::{Journal, Redo};
use arrow_array::ArrayRef;
use mainstay_types::{Code, Error, Result, SqlType};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The journal of a store.
pub(super) struct StoreJournal {
    durability: Durability,
    place: MovePlace,
    current: RwLock<Option<Current>>,
    watch: Mutex<Watch>,
}

#[derive(Clone)]
struct Current {
    writer: Arc<JournalWriter>,
    /// Bytes of the journals before this one.
    base: u64,
}

/// The listener that is notified when the journal has grown.
struct Watch {
    sender: Option<SyncSender<()>>,
    bytes: u64,
}

impl StoreJournal {
    /// A journal without a file yet.
    pub(super) fn new(durability: Durability, place: MovePlace) -> StoreJournal {
        let watch = Mutex::new(Watch { sender: None, bytes: u64::MAX });
        StoreJournal { durability, place, current: RwLock::default(), watch }
    }

    /// Goes on in this file.
    pub(super) fn set(&self, writer: JournalWriter) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Current { writer: Arc::new(writer), base: 0 });
    }

    /// Ends this file and continues in the one that `next` makes of it. No commit may come between.
    pub(super) fn switch(&self, next: impl FnOnce(&JournalWriter) -> Result<JournalWriter>) -> Result<()> {
        let current = self.current()?;
        let writer = Arc::new(next(&current.writer)?);
        let base = current.base + current.writer.bytes();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Current { writer, base });
        Ok(())
    }

    /// Ends the last file.
    pub(super) fn close(&self) -> Result<()> {
        self.current()?.writer.close().map(|_| ())
    }

    /// The number of the file.
    pub(super) fn number(&self) -> Result<u64> {
        Ok(self.current()?.writer.header().number)
    }

    /// Bytes of the file now.
    pub(super) fn bytes(&self) -> u64 {
        self.current().map_or(0, |current| current.writer.bytes())
    }

    /// Tells this one when the file has so many bytes.
    pub(super) fn watch(&self, sender: Option<SyncSender<()>>, bytes: u64) {
        *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = Watch { sender, bytes };
    }

    /// Sends no notification before the file has so many bytes.
    pub(super) fn watch_from(&self, bytes: u64) {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).bytes = bytes;
    }

    /// The number of bytes from which on a notification is sent.
    pub(super) fn watched_bytes(&self) -> u64 {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    fn current(&self) -> Result<Current> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone().ok_or_else(|| Error::new(Code::Internal, "the journal has no file yet"))
    }
}

impl Journal for StoreJournal {
    fn redo(&self) -> Option<Box<dyn Redo>> {
        let (redo, place) = (RedoBuffer::new(), self.place.clone());
        Some(Box::new(Buffer { redo, place, moved: None, marks: Vec::new(), failure: None }))
    }

    fn append(&self, _commit: u64, frame: &Payload<'_>) -> Result<u64> {
        let current = self.current()?;
        let ticket = current.base + current.writer.append_payload(frame)?.end();
        let bytes = current.writer.bytes();
        let watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = watch.sender.as_ref().filter(|_| bytes >= watch.bytes) {
            // One call waiting is enough.
            let _ = sender.try_send(());
        }
        Ok(ticket)
    }

    fn is_open(&self) -> bool {
        self.current().is_ok_and(|current| current.writer.is_open())
    }

    fn wait(&self, ticket: u64) -> Result<()> {
        self.wait_for(ticket, self.durability)
    }

    fn wait_for(&self, ticket: u64, durability: Durability) -> Result<()> {
        let current = self.current()?;
        match ticket.checked_sub(current.base) {
            // In a file that was closed, and so synced.
            None | Some(0) => Ok(()),
            Some(end) => current.writer.wait(Ticket::at(end), durability),
        }
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// The changes of a transaction, as the journal has them.
struct Buffer {
    redo: RedoBuffer,
    /// Where bytes go when there are many.
    place: MovePlace,
    moved: Option<MovedBytes>,
    marks: Vec<RedoMark>,
    /// Why bytes could not be moved, where no error can be returned. Later changes are not recorded, and the transaction
    /// cannot commit.
    failure: Option<Error>,
}

impl Buffer {
    /// Moves the bytes in memory to a file if there are many.
    #[inline]
    fn settle(&mut self) -> Result<()> {
        if self.redo.bytes() < self.place.from_bytes { Ok(()) } else { self.move_out() }
    }

    /// Records a change that returns no error itself: that of moving the bytes is kept for the commit.
    #[inline]
    fn record(&mut self, change: impl FnOnce(&mut RedoBuffer)) {
        if self.failure.is_none() {
            change(&mut self.redo);
            self.failure = self.settle().err();
        }
    }

    fn check(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    #[cold]
    fn move_out(&mut self) -> Result<()> {
        let moved = match self.moved.take() {
            Some(moved) => moved,
            None => MovedBytes::create(&self.place)?,
        };
        let moved = self.moved.insert(moved);
        self.redo.move_out(|bytes, offset| moved.put(bytes, offset))
    }
}

impl Redo for Buffer {
    fn inserted(&mut self, table: u32, types: &[SqlType], row_id: u64, row: &dyn Row) -> Result<()> {
        self.check()?;
        self.redo.insert_row(table.into(), types, row_id, (0..types.len()).map(|column| row.value(column)))?;
        self.settle()
    }

    fn inserted_columns(&mut self, table: u32, first_row_id: u64, arrays: &[ArrayRef]) -> Result<()> {
        self.check()?;
        self.redo.insert_columns(table.into(), first_row_id, arrays)?;
        self.settle()
    }

    fn updated(&mut self, table: u32, types: &[SqlType], row_id: u64, row: &dyn Row) -> Result<()> {
        self.check()?;
        let changed = (0..types.len()).filter(|column| row.changes(*column));
        self.redo.update_row(table.into(), types, row_id, changed.map(|column| (column, row.value(column))))?;
        self.settle()
    }

    fn deleted(&mut self, table: u32, row_id: u64) {
        self.record(|redo| redo.delete_row(table.into(), row_id));
    }

    fn catalog(&mut self, json: &str) {
        self.record(|redo| redo.catalog(json));
    }

    fn sequence(&mut self, sequence: u64, next: i64) {
        self.record(|redo| redo.sequence(sequence, next));
    }

    fn mark(&mut self) -> usize {
        let mark = self.redo.mark();
        if self.marks.last() != Some(&mark) {
            self.marks.push(mark);
        }
        self.marks.len()
    }

    fn truncate(&mut self, mark: usize) {
        // 0 is the mark of a transaction that had written nothing yet.
        match mark.checked_sub(1).and_then(|at| self.marks.get(at)).copied() {
            Some(mark) => self.redo.roll_back(mark),
            None => self.redo.clear(),
        }
        self.marks.truncate(mark);
    }

    fn bytes(&self) -> usize {
        self.redo.bytes() + self.marks.len() * size_of::<RedoMark>()
    }

    fn is_empty(&self) -> bool {
        self.redo.is_empty() && self.failure.is_none()
    }

    fn seal(&mut self, commit: u64) -> Result<Payload<'_>> {
        self.check()?;
        match (&self.moved, self.redo.moved_bytes()) {
            (Some(moved), bytes @ 1..) => {
                moved.put(&commit.to_le_bytes(), 0)?;
                moved.check(bytes)?;
                Ok(moved.followed_by(bytes, self.redo.rest()))
            }
            _ => Ok(self.redo.seal(commit).into()),
        }
    }
}
