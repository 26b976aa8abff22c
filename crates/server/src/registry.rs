//! The connections that are open: who they are, whether a request of theirs runs, and how it is stopped.

use crate::link::Link;
use mainstay_tds::{Cancel, Kill};
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The first number of a session: those below are a server's own.
const FIRST_SESSION: u16 = 51;

/// A connection, as other threads see it.
pub(crate) struct Handle {
    pub id: u64,
    pub link: Arc<Link>,
    /// Whether a request runs. Changed under the lock of the link's input.
    pub running: AtomicBool,
    /// Whether the request that runs is to stop.
    pub cancelled: AtomicBool,
    /// Whether another session has killed it.
    pub killed: AtomicBool,
    /// Whether it has logged in.
    pub logged_in: AtomicBool,
    /// How the session is told to stop.
    pub cancel: OnceLock<Arc<dyn Cancel>>,
}

impl Handle {
    /// Tells the request that runs to stop.
    pub fn stop_request(&self) {
        self.cancelled.store(true, SeqCst);
        if let Some(cancel) = self.cancel.get() {
            cancel.cancel();
        }
    }
}

impl Kill for Handle {
    /// A request that runs is stopped, so that the client hears why its connection ends. Who waits for a request finds the
    /// socket closed.
    fn kill(&self) {
        self.killed.store(true, SeqCst);
        match self.running.load(SeqCst) {
            true => self.stop_request(),
            false => self.link.shut_down(),
        }
    }
}

/// The number of a session, which is free again when this is dropped.
pub(crate) struct SessionNumber {
    pub number: u16,
    registry: Arc<Registry>,
}

impl Drop for SessionNumber {
    fn drop(&mut self) {
        self.registry.inner().sessions.remove(&self.number);
    }
}

/// The connections that are open.
#[derive(Default)]
pub(crate) struct Registry {
    inner: Mutex<Inner>,
    emptied: Condvar,
    pub stopping: AtomicBool,
}

#[derive(Default)]
struct Inner {
    next_id: u64,
    connections: HashMap<u64, Arc<Handle>>,
    sessions: BTreeSet<u16>,
}

impl Registry {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in; `None` when there are too many, or too many that have not logged in.
    pub fn enter(&self, link: Arc<Link>, most: usize, most_logins: usize) -> Option<Arc<Handle>> {
        let mut inner = self.inner();
        let logins = inner.connections.values().filter(|handle| !handle.logged_in.load(SeqCst)).count();
        if inner.connections.len() >= most || logins >= most_logins || self.stopping.load(SeqCst) {
            return None;
        }
        inner.next_id += 1;
        let handle = Arc::new(Handle {
            id: inner.next_id,
            link,
            running: AtomicBool::new(false),
            cancelled: AtomicBool::new(false),
            killed: AtomicBool::new(false),
            logged_in: AtomicBool::new(false),
            cancel: OnceLock::new(),
        });
        inner.connections.insert(handle.id, Arc::clone(&handle));
        Some(handle)
    }

    /// Forgets a connection.
    pub fn leave(&self, id: u64) {
        let mut inner = self.inner();
        inner.connections.remove(&id);
        if inner.connections.is_empty() {
            self.emptied.notify_all();
        }
    }

    /// A number for a session; the lowest that is free.
    pub fn begin_session(self: &Arc<Registry>) -> SessionNumber {
        let mut inner = self.inner();
        let number = (FIRST_SESSION..=u16::MAX).find(|number| !inner.sessions.contains(number)).unwrap_or(u16::MAX);
        inner.sessions.insert(number);
        SessionNumber { number, registry: Arc::clone(self) }
    }

    /// All connections.
    pub fn all(&self) -> Vec<Arc<Handle>> {
        self.inner().connections.values().cloned().collect()
    }

    /// Those with a request that runs.
    pub fn running(&self) -> Vec<Arc<Handle>> {
        self.inner().connections.values().filter(|handle| handle.running.load(SeqCst)).cloned().collect()
    }

    /// Waits until no connection is open; false if some still are at the end of the time.
    pub fn wait_until_empty(&self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut inner = self.inner();
        while !inner.connections.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            (inner, _) = self.emptied.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner);
        }
        true
    }
}
