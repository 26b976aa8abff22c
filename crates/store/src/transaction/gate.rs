//! Who may write while the catalog is changed: nobody else.
//!
//! A transaction that writes is noted here from its first write to its end. One that changes the catalog closes the gate
//! and waits until it is the only writer left; who comes to write meanwhile waits for its end. Both wait as they would for
//! a row, so a deadlock between a row and the catalog is found like any other. Readers do not come by here.
//!
//! ```text
//!   writers   7  9  12        12 changes the catalog: holder = 12, waits for 7, then for 9
//!   13 begins to write: waits for 12
//! ```

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The transactions that write, and the one that changes the catalog.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    writers: Vec<u64>,
    holder: Option<u64>,
}

impl Gate {
    /// Lets a writer in, or says for whom it has to wait.
    #[inline]
    pub(crate) fn enter(&self, writer: u64) -> Result<(), u64> {
        let mut state = self.lock();
        match state.holder {
            Some(holder) => Err(holder),
            None => {
                state.writers.push(writer);
                Ok(())
            }
        }
    }

    /// Closes the gate for a writer, or says who has closed it before.
    pub(crate) fn close(&self, writer: u64) -> Result<(), u64> {
        let mut state = self.lock();
        match state.holder {
            Some(holder) if holder != writer => Err(holder),
            _ => {
                state.holder = Some(writer);
                Ok(())
            }
        }
    }

    /// A writer other than this one.
    pub(crate) fn other(&self, writer: u64) -> Option<u64> {
        self.lock().writers.iter().copied().find(|other| *other != writer)
    }

    /// Whether this one has closed the gate.
    pub(crate) fn is_closed_by(&self, holder: u64) -> bool {
        self.lock().holder == Some(holder)
    }

    /// Whether this one writes.
    pub(crate) fn is_writing(&self, writer: u64) -> bool {
        self.lock().writers.contains(&writer)
    }

    /// Opens the gate again, if this one has closed it.
    pub(crate) fn open(&self, writer: u64) {
        let mut state = self.lock();
        state.holder = state.holder.filter(|holder| *holder != writer);
    }

    /// A writer has ended.
    #[inline]
    pub(crate) fn leave(&self, writer: u64) {
        let mut state = self.lock();
        if let Some(at) = state.writers.iter().position(|other| *other == writer) {
            state.writers.swap_remove(at);
        }
        state.holder = state.holder.filter(|holder| *holder != writer);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
