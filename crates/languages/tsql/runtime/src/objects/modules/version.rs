//! The state of a database's objects, as a number that all of its sessions see.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the changes of a database's objects, for all of its sessions.
#[derive(Debug, Default)]
pub(crate) struct Version {
    changes: AtomicU64,
    /// The number of transactions with such changes that are being committed: other sessions see the changes before
    /// they are counted.
    commits: AtomicU64,
}

impl Version {
    /// Something has changed.
    pub(crate) fn bump(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn get(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Commits a transaction that has changed objects.
    pub(crate) fn commit<T>(&self, commit: impl FnOnce() -> T) -> T {
        self.commits.fetch_add(1, Ordering::AcqRel);
        let done = commit();
        self.bump();
        self.commits.fetch_sub(1, Ordering::AcqRel);
        done
    }

    /// Returns true if a change is being committed that is visible, or about to be, but not counted yet.
    pub(crate) fn is_being_changed(&self) -> bool {
        self.commits.load(Ordering::Acquire) > 0
    }
}
