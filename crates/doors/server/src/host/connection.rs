//! The state of an open connection that several threads share.
//!
//! A connection belongs to the thread that serves it. Other threads may cancel its running request, kill it, or close
//! its socket. Flags are set in this order around a request:
//!
//! ```text
//!   begin_request    is_cancelled = false, is_running = true; cancelled at once if the server stops
//!   cancel           is_cancelled = true, and the session's own Cancel
//!   end_request      is_running = false
//! ```

use super::metrics::DoorMetrics;
use mainstay_session::{Cancel, Kill};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, OnceLock};

/// Looks at the socket of a connection while its request runs, for a message of its client that cancels the request.
///
/// A request runs on the thread of its connection, which then does not read. A second thread for each connection would
/// double the threads and hand every request from one to the other, so that one thread looks at all of them, without
/// blocking: a cancellation is noticed some milliseconds later, and fast requests are never looked at.
pub trait Watcher: Send + Sync {
    /// Looks once. Called for connections without a running request, too; it must not block.
    fn look(&self, connection: &Connection);
}

/// An open connection.
pub struct Connection {
    id: u64,
    peer: Option<IpAddr>,
    socket: TcpStream,
    metrics: Arc<DoorMetrics>,
    is_logged_in: AtomicBool,
    is_running: AtomicBool,
    is_cancelled: AtomicBool,
    is_killed: AtomicBool,
    cancel: OnceLock<Arc<dyn Cancel>>,
    watcher: OnceLock<Arc<dyn Watcher>>,
}

impl Connection {
    pub(crate) fn new(id: u64, socket: TcpStream, metrics: Arc<DoorMetrics>) -> Connection {
        Connection {
            id,
            peer: socket.peer_addr().ok().map(|address| address.ip().to_canonical()),
            socket,
            metrics,
            is_logged_in: AtomicBool::new(false),
            is_running: AtomicBool::new(false),
            is_cancelled: AtomicBool::new(false),
            is_killed: AtomicBool::new(false),
            cancel: OnceLock::new(),
            watcher: OnceLock::new(),
        }
    }

    /// Its number, which no other connection of the server has had.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The client's address, without its port; none if the client is gone already.
    pub fn peer(&self) -> Option<IpAddr> {
        self.peer
    }

    /// The counters of its door.
    pub fn metrics(&self) -> &Arc<DoorMetrics> {
        &self.metrics
    }

    /// Notes that the client has logged in, and the means to stop its running request. A later call changes nothing.
    pub fn logged_in(&self, cancel: Arc<dyn Cancel>) {
        let _ = self.cancel.set(cancel);
        self.is_logged_in.store(true, SeqCst);
    }

    /// From here on `watcher` looks for cancellations. A later call changes nothing.
    pub fn watch_with(&self, watcher: Arc<dyn Watcher>) {
        let _ = self.watcher.set(watcher);
    }

    pub(crate) fn watcher(&self) -> Option<&Arc<dyn Watcher>> {
        self.watcher.get()
    }

    /// True if the client has logged in.
    pub fn is_logged_in(&self) -> bool {
        self.is_logged_in.load(SeqCst)
    }

    /// True if a request runs.
    pub fn is_running(&self) -> bool {
        self.is_running.load(SeqCst)
    }

    /// True if the running request is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(SeqCst)
    }

    /// True if another session has killed this one.
    pub fn is_killed(&self) -> bool {
        self.is_killed.load(SeqCst)
    }

    pub(crate) fn set_running(&self) {
        self.is_cancelled.store(false, SeqCst);
        if !self.is_running.swap(true, SeqCst) {
            self.metrics.requests_running.fetch_add(1, Relaxed);
        }
    }

    /// Notes that the request has ended.
    pub fn end_request(&self) {
        if self.is_running.swap(false, SeqCst) {
            self.metrics.requests_running.fetch_sub(1, Relaxed);
        }
    }

    /// Stops the running request.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, SeqCst);
        if let Some(cancel) = self.cancel.get() {
            cancel.cancel();
        }
    }

    /// Notes a cancellation that the session has found itself.
    pub fn set_cancelled(&self) {
        self.is_cancelled.store(true, SeqCst);
    }

    /// Ends both directions: reading and writing threads stop.
    pub fn shut_down(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// Ends a connection that waits for a request. One whose request has begun meanwhile can still send its answer.
    pub(crate) fn close_if_idle(&self) {
        if !self.is_running() {
            let _ = self.socket.shutdown(Shutdown::Read);
        }
    }
}

impl Kill for Connection {
    /// Stops a running request, so that the client gets the reason for the end of its connection; without a running
    /// request the socket is closed.
    fn kill(&self) {
        self.is_killed.store(true, SeqCst);
        match self.is_running() {
            true => self.cancel(),
            false => self.shut_down(),
        }
    }
}
