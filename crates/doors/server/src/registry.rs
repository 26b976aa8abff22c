//! The connections that are open: who they are, whether a request of theirs runs, and how it is stopped.

use crate::link::Link;
use mainstay_tds::{Cancel, Kill};
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
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

/// Which of the connections that have not logged in is closed when there are too many: of the address that has most of
/// them, the one that has waited longest. So whoever keeps them all waiting does not keep others out.
pub(crate) fn first_to_go(waiting: impl Iterator<Item = (u64, Option<IpAddr>)>) -> Option<u64> {
    let mut by_address: HashMap<Option<IpAddr>, (usize, u64)> = HashMap::new();
    for (id, address) in waiting {
        let (count, first) = by_address.entry(address).or_insert((0, id));
        (*count, *first) = (*count + 1, id.min(*first));
    }
    by_address.into_values().max_by_key(|(count, first)| (*count, u64::MAX - first)).map(|(_, first)| first)
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

    /// Takes a connection in; `None` when there are too many. Of too many that have not logged in one has to go:
    /// [`first_to_go`].
    pub fn enter(&self, link: Arc<Link>, most: usize, most_logins: usize) -> Option<Arc<Handle>> {
        let mut inner = self.inner();
        let waiting = inner.connections.values().filter(|handle| !handle.logged_in.load(SeqCst));
        if waiting.clone().count() >= most_logins
            && let Some(id) = first_to_go(waiting.map(|handle| (handle.id, handle.link.peer())))
            && let Some(gone) = inner.connections.remove(&id)
        {
            gone.link.shut_down();
        }
        if inner.connections.len() >= most || self.stopping.load(SeqCst) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_keeps_most_waiting_goes_first() {
        let address = |last: u8| Some(IpAddr::from([10, 0, 0, last]));
        let waiting = [(7, address(1)), (3, address(2)), (5, address(2)), (1, address(3))];
        assert_eq!(first_to_go(waiting.into_iter()), Some(3));
        assert_eq!(first_to_go([(9, address(1)), (8, None)].into_iter()), Some(8));
        assert_eq!(first_to_go(std::iter::empty()), None);
    }
}
