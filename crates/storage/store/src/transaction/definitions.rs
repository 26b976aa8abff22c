//! Locks of definitions: shared by the writers of a table, exclusive for a change of its definition.
//!
//! A transaction that writes a table holds the shared lock of its definition from its first write there to its end. One
//! that changes the table - ALTER, DROP, CREATE INDEX, a foreign key that leads to it - holds it exclusively from then
//! on, so that the table has no uncommitted rows of others; so does one that empties it, or changes an object that a
//! language keeps beside its definition ([`Transaction::hold`]: TRUNCATE, triggers). Both wait as they would for a row,
//! so a deadlock of definitions and rows is found like any other. Readers take no lock: they have the table as it was
//! ([`crate::table::NativeTable::check_seen`]).
//!
//! ```text
//!   orders   writers 7 9   changer 12      12 waits for 7, then for 9;  13 begins to write: waits for 12
//!   lines    writers 13                    others go on
//! ```
//!
//! A table keeps its lock when another one replaces it, since that is the same table under another definition.
//! Temporary tables have no lock: only their session uses them.
//!
//! # Lock order
//!
//! A transaction holds none of these mutexes while it waits for another. A mutex below may be taken while those left of
//! it are held, and never the other way round:
//!
//! ```text
//!   waits -> the state of a definition's lock, of the locks of names, rows and ranges
//!   a table's latch -> the same states
//!   a table's latch -> commits -> the catalog as everybody sees it
//! ```
//!
//! A transaction that releases a lock wakes the waiters after it has released the mutex of the lock's state. Deferred
//! checks, which may wait, are run before a commit takes the mutex of commits.

use super::{Awaited, Transaction};
use crate::table::NativeTable;
use mainstay_types::Result;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The lock of a table's definition.
#[derive(Default)]
pub(crate) struct DefinitionLock {
    state: Mutex<State>,
    /// The number of times that a transaction began or ceased to hold it exclusively.
    turns: AtomicU64,
}

#[derive(Default)]
struct State {
    writers: Vec<u64>,
    changer: Option<u64>,
}

impl DefinitionLock {
    /// Lets a writer in, or says for whom it has to wait.
    #[inline]
    fn share(&self, writer: u64) -> Result<(), u64> {
        let mut state = self.lock();
        match state.changer {
            Some(changer) if changer != writer => Err(changer),
            Some(_) => Ok(()),
            None => {
                if !state.writers.contains(&writer) {
                    state.writers.push(writer);
                }
                Ok(())
            }
        }
    }

    /// Excludes new writers for an exclusive lock. True if they were not excluded before; an error is the holder.
    fn claim(&self, changer: u64) -> Result<bool, u64> {
        let mut state = self.lock();
        match state.changer {
            Some(other) if other != changer => Err(other),
            Some(_) => Ok(false),
            None => {
                state.changer = Some(changer);
                self.turns.fetch_add(1, Ordering::Release);
                Ok(true)
            }
        }
    }

    /// A writer other than this one.
    pub(super) fn other_writer(&self, writer: u64) -> Option<u64> {
        self.lock().writers.iter().copied().find(|other| *other != writer)
    }

    /// The writers of the table, and the transaction that changes its definition.
    pub(crate) fn holders(&self) -> (Vec<u64>, Option<u64>) {
        let state = self.lock();
        (state.writers.clone(), state.changer)
    }

    fn is_claimed_by(&self, changer: u64) -> bool {
        self.lock().changer == Some(changer)
    }

    fn is_written_by(&self, writer: u64) -> bool {
        self.lock().writers.contains(&writer)
    }

    /// Returns true if a transaction changes the table.
    pub(crate) fn is_claimed(&self) -> bool {
        self.lock().changer.is_some()
    }

    /// Lets writers in again.
    fn give_up(&self, changer: u64) {
        self.let_in(&mut self.lock(), changer);
    }

    #[inline]
    fn let_in(&self, state: &mut State, changer: u64) {
        if state.changer == Some(changer) {
            state.changer = None;
            self.turns.fetch_add(1, Ordering::Release);
        }
    }

    /// A number that changes whenever a transaction held it exclusively.
    pub(crate) fn turns(&self) -> u64 {
        self.turns.load(Ordering::Acquire)
    }

    /// A transaction has ended.
    #[inline]
    pub(super) fn release(&self, transaction: u64) {
        let mut state = self.lock();
        if let Some(at) = state.writers.iter().position(|other| *other == transaction) {
            state.writers.swap_remove(at);
        }
        self.let_in(&mut state, transaction);
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transaction {
    /// Makes the transaction one that writes a table before it does, for values that belong to the table as it is then:
    /// numbers of an identity column, which TRUNCATE lets begin again.
    ///
    /// Errors: those of waiting for a change of the table, `DefinitionChanged` when another one has its place, and the
    /// reason why it may not be written.
    pub fn will_write(&mut self, table: &Arc<NativeTable>) -> Result<()> {
        self.enter(table).map(drop)
    }

    /// Locks a table exclusively until the transaction ends: waits for all writers, and excludes others.
    ///
    /// Errors: those of waiting, `DefinitionChanged` when another one has its place, and why it may not be written.
    pub fn hold(&mut self, table: &Arc<NativeTable>) -> Result<()> {
        self.check_may_write(table)?;
        self.mark()?;
        self.claim_table(table)?;
        table.check_current()
    }

    /// Makes the transaction one that writes a table: its mark.
    ///
    /// Errors: those of [`Transaction::mark`] and of waiting for a change of the table, `DefinitionChanged` when
    /// another one has its place, and the reason why it may not be written.
    #[inline]
    pub(crate) fn enter(&mut self, table: &Arc<NativeTable>) -> Result<u64> {
        let mark = self.mark()?;
        if !self.has_met(table) {
            self.share(table)?;
        }
        table.check_current()?;
        Ok(mark)
    }

    /// The same without waiting. Returns true if it is in.
    #[inline]
    pub(crate) fn enters_at_once(&mut self, table: &Arc<NativeTable>) -> bool {
        if self.has_met(table) {
            return true;
        }
        let is_free = !self.is_read_only && table.definition_lock().is_none_or(|lock| lock.share(self.id).is_ok());
        if is_free {
            self.tables.push(Arc::clone(table));
        }
        is_free
    }

    /// Returns true if the table is among those that it writes, so that it has its part of the lock.
    #[inline]
    fn has_met(&self, table: &Arc<NativeTable>) -> bool {
        self.tables.iter().rev().any(|known| Arc::ptr_eq(known, table))
    }

    fn share(&mut self, table: &Arc<NativeTable>) -> Result<()> {
        self.check_may_write(table)?;
        if let Some(lock) = table.definition_lock() {
            while let Err(changer) = lock.share(self.id) {
                self.wait_for_definition(table, changer, || lock.is_claimed_by(changer))?;
                if self.planned_with.is_some() {
                    return Err(table.definition_changed());
                }
            }
        }
        self.tables.push(Arc::clone(table));
        Ok(())
    }

    /// Waits until no other transaction writes a table, and excludes others until the transaction ends.
    ///
    /// Errors: those of waiting.
    pub(crate) fn claim_table(&mut self, table: &Arc<NativeTable>) -> Result<()> {
        let Some(lock) = table.definition_lock() else { return Ok(()) };
        let is_new = loop {
            match lock.claim(self.id) {
                Ok(is_new) => break is_new,
                Err(changer) => self.wait_for_definition(table, changer, || lock.is_claimed_by(changer))?,
            }
        };
        if !is_new {
            return Ok(());
        }
        while let Some(writer) = lock.other_writer(self.id) {
            if let Err(error) = self.wait_for_definition(table, writer, || lock.is_written_by(writer)) {
                lock.give_up(self.id);
                self.shared.waits.wake();
                return Err(error);
            }
        }
        // Vacuum starts no new pass on the table, and a running one is done when the latch is free.
        drop(table.latch());
        self.claimed.push(Arc::clone(lock));
        Ok(())
    }

    fn wait_for_definition(&self, table: &NativeTable, holder: u64, is_held: impl Fn() -> bool) -> Result<()> {
        let what = format!("the definition of {}", table.definition().name);
        let waited = self.wait_as((Awaited::Definition, &what), holder, is_held);
        waited.map_err(|error| self.with_holder(error, holder, |_| what))
    }

    /// Gives all definitions and names back.
    #[inline]
    pub(super) fn release_definitions(&mut self) {
        for lock in self.tables.iter().filter_map(|table| table.definition_lock()) {
            lock.release(self.id);
        }
        self.claimed.drain(..).for_each(|lock| lock.release(self.id));
        if !self.names.is_empty() {
            self.shared.names.release(self.id, &std::mem::take(&mut self.names));
        }
    }
}
