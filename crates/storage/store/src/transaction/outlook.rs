//! The view of a transaction's running statement, for the transactions of functions that it calls.
//!
//! While a query runs its session is busy, so a function that it calls for a row runs in another session. The reads of
//! that session must be those of the query's own transaction:
//!
//! ```text
//!   the query's transaction  --begin_statement, mark-->  Outlook (commit, mark)
//!                                                           |
//!   the function's transaction  --begin_statement-->  View { own commit and mark: temporary tables;
//!                                                            those of the outlook: all others }
//! ```
//!
//! The function's statements change temporary tables of their own session only. Both run in one thread, one after the
//! other; the fields are atomic because they are shared, and establish no order. The query's statement keeps its entry
//! among the views, so vacuum removes nothing that the function may see.

use super::{Isolation, Read, Transaction, View};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The view of the running statement of a session's transaction.
#[derive(Debug, Default)]
pub struct Outlook {
    commit: AtomicU64,
    mark: AtomicU64,
    notes_reads: AtomicBool,
    /// The reads beside a serializable transaction.
    reads: Mutex<Vec<(u32, Read)>>,
}

impl Outlook {
    /// A statement begins; the first one of its transaction, or a later one.
    pub(super) fn look(&self, (commit, mark): (u64, u64), isolation: Isolation, is_first: bool) {
        self.commit.store(commit, Ordering::Relaxed);
        self.mark.store(mark, Ordering::Relaxed);
        self.notes_reads.store(isolation == Isolation::Serializable, Ordering::Relaxed);
        if is_first {
            self.take_reads();
        }
    }

    /// The transaction has become a writer.
    pub(super) fn set_mark(&self, mark: u64) {
        self.mark.store(mark, Ordering::Relaxed);
    }

    /// The commit and the mark that the statement reads at.
    pub(super) fn seen(&self) -> (u64, u64) {
        (self.commit.load(Ordering::Relaxed), self.mark.load(Ordering::Relaxed))
    }

    /// Notes what was read beside the transaction, if that one compares what it has read.
    pub(super) fn note_read(&self, table: u32, read: Read) {
        if self.notes_reads.load(Ordering::Relaxed) {
            self.reads.lock().unwrap_or_else(PoisonError::into_inner).push((table, read));
        }
    }

    /// The reads that were recorded beside it.
    pub(super) fn take_reads(&self) -> Vec<(u32, Read)> {
        std::mem::take(&mut *self.reads.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Transaction {
    /// Lets others see what its statements see.
    pub fn set_outlook(&mut self, outlook: Arc<Outlook>) {
        if let Some(view) = self.view {
            outlook.look((view.commit, view.mark), self.isolation, true);
        }
        self.outlook = Some(outlook);
    }

    /// Reads beside another transaction: what its running statement sees, or what one would see that it began now. It may
    /// change temporary tables only.
    pub fn set_beside(&mut self, outlook: Arc<Outlook>, is_of_statement: bool) {
        self.beside = Some((outlook, is_of_statement));
    }

    #[inline]
    pub(super) fn show(&self, view: View, is_first: bool) {
        if let Some(outlook) = &self.outlook {
            outlook.look((view.commit, view.mark), self.isolation, is_first);
        }
    }
}
