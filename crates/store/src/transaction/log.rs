//! What a transaction needs of the journal: a place for its changes, and the promise that they are durable.
//!
//! A transaction collects its changes in a [`Redo`]; at its commit they go to the [`Journal`] as one frame. The store
//! without a folder has neither: [`NoRedo`] and [`NoJournal`].

use crate::row::Row;
use arrow_array::ArrayRef;
use mainstay_base::Result;
use std::ops::Range;

/// The changes of one transaction, in order.
///
/// Rows are named by row id; tables by the store's numbers.
pub trait Redo: Send {
    /// A row was inserted.
    fn inserted(&mut self, table: u32, row_id: u64, columns: usize, row: &dyn Row);

    /// Rows of these vectors were inserted; their ids count on from `first_row_id`.
    fn inserted_columns(&mut self, table: u32, first_row_id: u64, arrays: &[ArrayRef], rows: Range<usize>);

    /// A row has these values now.
    fn updated(&mut self, table: u32, row_id: u64, columns: usize, row: &dyn Row);

    /// A row was deleted.
    fn deleted(&mut self, table: u32, row_id: u64);

    /// How many bytes there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets what came after this many bytes: a savepoint was rolled back to.
    fn truncate(&mut self, length: usize);

    /// The bytes.
    fn bytes(&self) -> &[u8];
}

/// Where the frames of transactions go.
pub trait Journal: Send + Sync {
    /// A place for the changes of a new transaction.
    fn redo(&self) -> Box<dyn Redo>;

    /// Appends the frame of the transaction that commits under this number: a ticket to wait with. Called in the order of
    /// the commit numbers.
    ///
    /// Errors: the frame could not be written. The store then takes no further commits.
    fn append(&self, commit: u64, frame: &[u8]) -> Result<u64>;

    /// Waits until the frame of a ticket, and so every frame before it, is as durable as the store promises.
    ///
    /// Errors: it will never be. The store then takes no further commits.
    fn wait(&self, ticket: u64) -> Result<()>;
}

/// The journal of a store that is only in memory.
pub struct NoJournal;

impl Journal for NoJournal {
    fn redo(&self) -> Box<dyn Redo> {
        // A type of size zero: nothing is allocated.
        Box::new(NoRedo)
    }

    fn append(&self, _commit: u64, _frame: &[u8]) -> Result<u64> {
        Ok(0)
    }

    fn wait(&self, _ticket: u64) -> Result<()> {
        Ok(())
    }
}

/// Changes that nobody will ask for.
pub struct NoRedo;

impl Redo for NoRedo {
    fn inserted(&mut self, _table: u32, _row_id: u64, _columns: usize, _row: &dyn Row) {}

    fn inserted_columns(&mut self, _table: u32, _first_row_id: u64, _arrays: &[ArrayRef], _rows: Range<usize>) {}

    fn updated(&mut self, _table: u32, _row_id: u64, _columns: usize, _row: &dyn Row) {}

    fn deleted(&mut self, _table: u32, _row_id: u64) {}

    fn len(&self) -> usize {
        0
    }

    fn truncate(&mut self, _length: usize) {}

    fn bytes(&self) -> &[u8] {
        &[]
    }
}
