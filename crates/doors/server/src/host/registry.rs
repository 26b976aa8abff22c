//! The open connections of all doors of a server, within its limits.

use super::connection::Connection;
use super::metrics::DoorMetrics;
use std::collections::HashMap;
use std::net::{IpAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Of connections that have not logged in, the one to close when there are too many: of the address that has most of
/// them, the one that has waited longest. So an address that keeps them all waiting does not keep others out.
pub(crate) fn first_to_go(waiting: impl Iterator<Item = (u64, Option<IpAddr>)>) -> Option<u64> {
    let mut by_address: HashMap<Option<IpAddr>, (usize, u64)> = HashMap::new();
    for (id, address) in waiting {
        let (count, first) = by_address.entry(address).or_insert((0, id));
        (*count, *first) = (*count + 1, id.min(*first));
    }
    by_address.into_values().max_by_key(|(count, first)| (*count, u64::MAX - first)).map(|(_, first)| first)
}

/// The most connections, and the most of them that have not logged in.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub connections: usize,
    pub logins: usize,
}

/// The open connections.
#[derive(Default)]
pub(crate) struct Registry {
    inner: Mutex<Inner>,
    emptied: Condvar,
}

#[derive(Default)]
struct Inner {
    next_id: u64,
    connections: HashMap<u64, Arc<Connection>>,
}

impl Registry {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection; `None` if there are too many. Of too many that have not logged in, [`first_to_go`] is closed.
    pub fn enter(&self, socket: &TcpStream, metrics: &Arc<DoorMetrics>, limits: Limits) -> Option<Arc<Connection>> {
        let mut inner = self.inner();
        let waiting = inner.connections.values().filter(|connection| !connection.is_logged_in());
        if waiting.clone().count() >= limits.logins
            && let Some(id) = first_to_go(waiting.map(|connection| (connection.id(), connection.peer())))
            && let Some(gone) = inner.connections.remove(&id)
        {
            gone.shut_down();
        }
        if inner.connections.len() >= limits.connections {
            return None;
        }
        inner.next_id += 1;
        let connection = Arc::new(Connection::new(inner.next_id, socket.try_clone().ok()?, Arc::clone(metrics)));
        inner.connections.insert(connection.id(), Arc::clone(&connection));
        Some(connection)
    }

    /// Removes a connection.
    pub fn leave(&self, id: u64) {
        let mut inner = self.inner();
        inner.connections.remove(&id);
        if inner.connections.is_empty() {
            self.emptied.notify_all();
        }
    }

    /// All connections.
    pub fn all(&self) -> Vec<Arc<Connection>> {
        self.inner().connections.values().cloned().collect()
    }

    /// Waits until no connection is open; false if some still are after `limit`.
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
    fn the_address_with_most_waiting_connections_goes_first() {
        let address = |last: u8| Some(IpAddr::from([10, 0, 0, last]));
        let waiting = [(7, address(1)), (3, address(2)), (5, address(2)), (1, address(3))];
        assert_eq!(first_to_go(waiting.into_iter()), Some(3));
        assert_eq!(first_to_go([(9, address(1)), (8, None)].into_iter()), Some(8));
        assert_eq!(first_to_go(std::iter::empty()), None);
    }
}
