//! The changes of recent commits, for the validation of serializable transactions.
//!
//! A serializable transaction reads at its view like any other, and records its reads: a table and a condition, or a
//! row. When it has written something and commits, the result must be as if all its reads had happened now: so every
//! row changed by commits since its view is compared with its recorded reads. If one matches, before or after the
//! change, it fails with `Conflict`. A transaction that only reads is serial at its view, and never fails.
//!
//! ```text
//!   view at 10           commit 11: row 7      commit 12: row 9          commits: look at 11 and 12
//!      |---- reads: t WHERE x > 3 ------------------------------------------|
//! ```
//!
//! Commits are stored while a serializable transaction is open, from the oldest open view on.

use super::serializable::{Read, touches};
use crate::table::NativeTable;
use std::collections::VecDeque;
use std::sync::Arc;

/// The changes of the commits since the oldest view.
#[derive(Default)]
pub(crate) struct History {
    /// The number of open serializable transactions.
    open: usize,
    commits: VecDeque<Committed>,
}

/// The versions that a commit created or ended.
pub(crate) struct Committed {
    pub(crate) commit: u64,
    pub(crate) changes: Vec<(Arc<NativeTable>, Vec<u64>)>,
}

impl History {
    /// A serializable transaction begins.
    pub(crate) fn enter(&mut self) {
        self.open += 1;
    }

    /// A serializable transaction has ended.
    pub(crate) fn leave(&mut self) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.commits.clear();
        }
    }

    /// Returns true if commits have to be noted.
    #[inline]
    pub(crate) fn is_wanted(&self) -> bool {
        self.open > 0
    }

    /// Notes a commit, and forgets those that no view is older than.
    pub(crate) fn note(&mut self, committed: Committed, horizon: u64) {
        while self.commits.front().is_some_and(|oldest| oldest.commit <= horizon) {
            self.commits.pop_front();
        }
        self.commits.push_back(committed);
    }

    /// The first commit after this one that changed something that was read.
    pub(crate) fn conflict(&self, after: u64, reads: &[(u32, Read)]) -> Option<u64> {
        let touched =
            |committed: &Committed| committed.changes.iter().any(|(table, positions)| touches(table, positions, reads));
        let mut later = self.commits.iter().filter(|committed| committed.commit > after);
        later.find(|committed| touched(committed)).map(|committed| committed.commit)
    }
}
