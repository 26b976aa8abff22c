//! A transaction's interface to the journal: a place for its changes, and the guarantee that they are durable.
//!
//! A transaction collects its changes in a [`Redo`]; at its commit they go to the [`Journal`] as one frame. A store
//! in memory has neither: [`NoJournal`].

use crate::journal::{Durability, Payload};
use crate::row::Row;
use arrow_array::ArrayRef;
use mainstay_types::{Result, SqlType};

/// The changes of one transaction, in order.
///
/// Rows are named by row id, tables by the store's numbers. Values are in the form that their column keeps. An error is a
/// rule of the store's own that was broken; the statement then fails.
pub trait Redo: Send {
    /// A row was inserted.
    fn inserted(&mut self, table: u32, types: &[SqlType], row_id: u64, row: &dyn Row) -> Result<()>;

    /// Rows of these vectors were inserted; their ids count on from `first_row_id`.
    fn inserted_columns(&mut self, table: u32, first_row_id: u64, arrays: &[ArrayRef]) -> Result<()>;

    /// A row has these values now. Columns that differ are those for which [`Row::changes`] holds.
    fn updated(&mut self, table: u32, types: &[SqlType], row_id: u64, row: &dyn Row) -> Result<()>;

    /// A row was deleted.
    fn deleted(&mut self, table: u32, row_id: u64);

    /// The catalog was changed: the JSON text of the change.
    fn catalog(&mut self, _json: &str) {}

    /// A sequence gives this value next.
    fn sequence(&mut self, _sequence: u64, _next: i64) {}

    /// The place behind what was noted so far, for [`Redo::truncate`].
    fn mark(&mut self) -> usize;

    /// Forgets what came after a mark: a savepoint was rolled back to.
    fn truncate(&mut self, mark: usize);

    /// The memory that they take, in bytes. Many of them are moved to a file.
    fn bytes(&self) -> usize;

    /// Returns true if there is nothing to write.
    fn is_empty(&self) -> bool;

    /// The frame's payload, for the transaction that commits under this number.
    ///
    /// Errors: those of the file system, when part of it is in a file.
    fn seal(&mut self, commit: u64) -> Result<Payload<'_>>;
}

/// Where the frames of transactions go.
pub trait Journal: Send + Sync {
    /// A place for the changes of a new transaction; `None` if they are not logged.
    fn redo(&self) -> Option<Box<dyn Redo>>;

    /// Appends the frame of the transaction that commits under this number: a ticket to wait with. Called in the order of
    /// the commit numbers.
    ///
    /// Errors: the frame could not be written. The store then takes no further commits, unless the journal is still open: it
    /// has nothing of the frame then.
    fn append(&self, commit: u64, frame: &Payload<'_>) -> Result<u64>;

    /// Returns true if it takes frames.
    fn is_open(&self) -> bool {
        true
    }

    /// Waits until the frame of a ticket, and so every frame before it, is as durable as the store promises.
    ///
    /// Errors: it will never be. The store then takes no further commits.
    fn wait(&self, ticket: u64) -> Result<()>;

    /// The same for a durability that the transaction asks for.
    ///
    /// Errors: those of [`Journal::wait`].
    fn wait_for(&self, ticket: u64, _durability: Durability) -> Result<()> {
        self.wait(ticket)
    }

    /// The durability of transactions that do not set one.
    fn durability(&self) -> Durability {
        Durability::Full
    }
}

/// The journal of a store that is only in memory.
pub struct NoJournal;

impl Journal for NoJournal {
    fn redo(&self) -> Option<Box<dyn Redo>> {
        None
    }

    fn append(&self, _commit: u64, _frame: &Payload<'_>) -> Result<u64> {
        Ok(0)
    }

    fn wait(&self, _ticket: u64) -> Result<()> {
        Ok(())
    }
}
