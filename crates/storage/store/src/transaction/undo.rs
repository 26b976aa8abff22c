//! Undo: savepoints and rollback.
//!
//! Changes are undone one by one from the last, each under its table's write latch: entries of indexes first, then the
//! stamps. Inserted rows stay in their slots as aborted versions until vacuum removes them.

use super::deferral::DeferralMark;
use super::{Transaction, Write};
use crate::files::catalog::SequenceDefinition;
use crate::table::NativeTable;
use mainstay_types::Result;
use std::sync::Arc;

/// A point in a transaction that it can go back to.
#[derive(Clone, Copy, Debug)]
pub struct Savepoint {
    writes: usize,
    redo_mark: usize,
    checks: usize,
    deferral: DeferralMark,
    steps: usize,
    reversals: usize,
}

/// An action that runs when a transaction rolls back past the point where it was noted.
type Reversal = Box<dyn FnOnce() + Send>;

/// The actions of a rollback, and the restarts that a commit writes to the journal.
#[derive(Default)]
pub(super) struct Reversals {
    list: Vec<Reversal>,
    /// The sequences that begin again with the transaction.
    pub(super) restarts: Vec<SequenceDefinition>,
}

impl Savepoint {
    /// The number of checks at the savepoint.
    pub(crate) fn checks(&self) -> usize {
        self.checks
    }
}

impl Transaction {
    /// The writes since the savepoint.
    pub(crate) fn writes_since(&self, savepoint: &Savepoint) -> &[Write] {
        self.writes.get(savepoint.writes..).unwrap_or_default()
    }

    /// Returns true if a table has this number among those of this transaction.
    pub(crate) fn is_number_of(&self, number: u32, table: &Arc<NativeTable>) -> bool {
        self.tables.get(number as usize).is_some_and(|known| Arc::ptr_eq(known, table))
    }

    /// The point where the transaction is now.
    pub fn savepoint(&mut self) -> Savepoint {
        self.extensible = false;
        let redo_mark = self.redo.as_mut().map_or(0, |redo| redo.mark());
        Savepoint {
            writes: self.writes.len(),
            redo_mark,
            checks: self.checks.len(),
            deferral: self.deferral.mark(),
            steps: self.steps.len(),
            reversals: self.reversals.list.len(),
        }
    }

    /// Notes an action for a rollback, for objects other than rows and definitions: after the rows, and before
    /// other transactions get the tables.
    pub fn on_rollback(&mut self, reversal: impl FnOnce() + Send + 'static) {
        self.reversals.list.push(Box::new(reversal));
    }

    /// Undoes all changes since a savepoint, which can be used again. Savepoints after it are void.
    ///
    /// Errors: the transaction is over.
    pub fn rollback_to(&mut self, savepoint: &Savepoint) -> Result<()> {
        self.check_open()?;
        self.own_catalog.look_away();
        self.undo_to(savepoint.writes, savepoint.steps);
        self.reverse_to(savepoint.reversals);
        self.checks.truncate(savepoint.checks);
        self.deferral.take_back(savepoint.deferral);
        if let Some(redo) = &mut self.redo {
            redo.truncate(savepoint.redo_mark);
        }
        self.shared.waits.wake();
        Ok(())
    }

    /// Takes everything back and ends the transaction.
    pub fn rollback(mut self) {
        self.rollback_all();
    }

    pub(super) fn rollback_all(&mut self) {
        self.undo_to(0, 0);
        self.reverse_to(0);
        self.release();
    }

    fn reverse_to(&mut self, reversals: usize) {
        while self.reversals.list.len() > reversals {
            if let Some(reversal) = self.reversals.list.pop() {
                reversal();
            }
        }
    }

    /// Undoes writes and changes of the catalog down to these numbers, the last one first.
    fn undo_to(&mut self, writes: usize, steps: usize) {
        self.extensible = false;
        while self.steps.len() > steps {
            let Some(last) = self.steps.pop() else { break };
            self.undo_writes(last.writes);
            self.take_back_step(&last);
        }
        self.undo_writes(writes);
    }

    fn undo_writes(&mut self, writes: usize) {
        while self.writes.len() > writes {
            match self.writes.pop() {
                Some(Write::Inserted { table, first, count }) => {
                    (0..u64::from(count)).rev().for_each(|i| self.tables[table as usize].undo_insert(first + i));
                }
                Some(Write::Updated { table, old, new }) => self.tables[table as usize].undo_update(old, new),
                Some(Write::Deleted { table, first, count }) => {
                    (0..u64::from(count)).rev().for_each(|i| self.tables[table as usize].undo_delete(first + i));
                }
                None => {}
            }
        }
    }
}
