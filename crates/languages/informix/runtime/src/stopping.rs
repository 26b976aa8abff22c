//! The end of a statement before its end: cancellation, and the time limit of a statement with all that it calls.
//!
//! A statement of a client may run routines, whose statements the core runs one by one, and functions in sessions beside.
//! One `Stopping` belongs to all of them: the limit counts from the statement of the client, and a cancellation ends the
//! loops of routines as well as the statements inside of them. Rows that a client fetches later are part of the statement:
//! functions that they call keep its limit.

use mainstay_engine::CancelHandle;
use mainstay_session::Cancel;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Ends what a session runs.
#[derive(Debug)]
pub(crate) struct Stopping {
    core: CancelHandle,
    machine: Arc<AtomicBool>,
    deadline: Mutex<Option<Instant>>,
}

impl Cancel for Stopping {
    fn cancel(&self) {
        self.machine.store(true, Ordering::Relaxed);
        self.core.cancel_request();
    }
}

/// Ends what a client runs, in whichever database it is.
#[derive(Debug)]
pub(crate) struct CurrentStopping(Mutex<Arc<Stopping>>);

impl CurrentStopping {
    pub(crate) fn new(stopping: Arc<Stopping>) -> CurrentStopping {
        CurrentStopping(Mutex::new(stopping))
    }

    /// The client has changed to another database.
    pub(crate) fn change(&self, stopping: &Arc<Stopping>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(stopping);
    }
}

impl Cancel for CurrentStopping {
    fn cancel(&self) {
        let current = Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        current.cancel();
    }
}

impl Stopping {
    pub(crate) fn new(core: CancelHandle) -> Stopping {
        Stopping { core, machine: Arc::default(), deadline: Mutex::default() }
    }

    /// The handle that statements of sessions beside end with.
    pub(crate) fn core(&self) -> &CancelHandle {
        &self.core
    }

    /// The flag that ends loops of routines.
    pub(crate) fn machine(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.machine)
    }

    /// Begins a statement of a client that may run so long.
    pub(crate) fn begin(&self, timeout: Option<Duration>) {
        self.machine.store(false, Ordering::Relaxed);
        self.core.begin_request();
        self.core.limit_request(timeout);
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Ends it: what comes next, such as ROLLBACK WORK, is not limited. Rows that are fetched keep the deadline.
    pub(crate) fn end(&self) {
        self.core.limit_request(None);
        self.core.begin_request();
    }

    /// The time at which the statement of the client ends.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True for a statement whose time is over, or that is cancelled.
    pub(crate) fn is_over(&self) -> bool {
        self.machine.load(Ordering::Relaxed) || self.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }
}
