//! Doors, and the threads that accept and serve their connections.

use super::Host;
use super::connection::Connection;
use super::log::Level;
use super::metrics::{DoorMetrics, RequestKind};
use super::registry::Limits;
use std::fmt::Display;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// The stack of a connection's thread: procedures call each other 32 deep. Only its used part takes memory.
const STACK_BYTES: usize = 16 << 20;
/// The pause after an error of accepting: most likely there are too many open files for now.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(50);

/// A protocol by which clients reach a server.
pub trait Door: Send + Sync + 'static {
    /// Its name in the log, in metrics and in the names of threads.
    fn name(&self) -> &'static str;

    /// The kinds of requests that its metrics distinguish.
    fn request_kinds(&self) -> &'static [RequestKind] {
        &[RequestKind::Statement]
    }

    /// Prepares for connections, once, before the first of them.
    fn prepare(&self, _host: &Host) {}

    /// Serves a connection from its first byte to its last, on a thread of its own: login, requests, answers.
    ///
    /// It checks the user with [`Host::allows`], reports the login with [`Connection::logged_in`], and marks each request
    /// with [`Host::begin_request`] and [`Connection::end_request`]. Between requests it ends when [`Host::is_stopping`].
    fn serve(&self, host: &Host, connection: &Arc<Connection>, socket: TcpStream) -> Ending;

    /// Refuses a client because `most` connections are open. Must not block: the accepting thread calls it.
    fn refuse(&self, _socket: &TcpStream, _most: usize) {}
}

/// The end of a connection, for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client has left, or the server stops.
    Closed,
    /// The login was refused.
    Refused,
    /// The client is gone, or took too long.
    Lost(String),
    /// The client sent something that the protocol does not allow.
    ProtocolError(String),
}

/// The state of the thread that accepts connections of a door.
pub(super) struct Accepting<D> {
    pub host: Arc<Host>,
    pub door: Arc<D>,
    pub metrics: Arc<DoorMetrics>,
}

impl<D: Door> Accepting<D> {
    /// Accepts connections until the server stops.
    pub fn run(&self, listener: &TcpListener) {
        loop {
            let accepted = listener.accept();
            if self.host.is_stopping() {
                return;
            }
            match accepted {
                Ok((socket, address)) => self.begin(socket, address),
                Err(error) => {
                    let fields: [(&str, &dyn Display); 2] = [("door", &self.metrics.door), ("error", &error)];
                    self.host.log.event(Level::Error, "accept_failed", &fields);
                    std::thread::sleep(PAUSE_AFTER_ERROR);
                }
            }
        }
    }

    /// Begins a connection's thread, unless there are too many.
    fn begin(&self, socket: TcpStream, address: SocketAddr) {
        let config = &self.host.config;
        let limits = Limits { connections: config.max_connections, logins: config.max_logins };
        let Some(connection) = self.host.registry.enter(&socket, &self.metrics, limits) else {
            self.metrics.refused_total.fetch_add(1, Relaxed);
            self.door.refuse(&socket, config.max_connections);
            let fields: [(&str, &dyn Display); 2] = [("door", &self.metrics.door), ("address", &address)];
            return self.host.log.event(Level::Warning, "too_many_connections", &fields);
        };
        self.metrics.connections_total.fetch_add(1, Relaxed);
        self.metrics.connections.fetch_add(1, Relaxed);
        let name = format!("{}-{}", self.metrics.door, connection.id());
        let leaving = Leaving { host: Arc::clone(&self.host), connection };
        let door = Arc::clone(&self.door);
        let thread = std::thread::Builder::new().name(name).stack_size(STACK_BYTES);
        let spawned = thread.spawn(move || {
            let ending = door.serve(&leaving.host, &leaving.connection, socket);
            leaving.host.log_ending(&leaving.connection, &ending);
        });
        if let Err(error) = spawned {
            self.host.log.event(Level::Error, "no_thread", &[("error", &error)]);
        }
    }
}

impl Host {
    fn log_ending(&self, connection: &Connection, ending: &Ending) {
        let metrics = connection.metrics();
        let (level, reason): (Level, &dyn Display) = match ending {
            Ending::Closed => (Level::Info, &"closed"),
            Ending::Refused => (Level::Info, &"refused"),
            Ending::Lost(reason) => (Level::Info, reason),
            Ending::ProtocolError(reason) => {
                metrics.protocol_errors_total.fetch_add(1, Relaxed);
                (Level::Warning, reason)
            }
        };
        let fields: [(&str, &dyn Display); 3] =
            [("door", &metrics.door), ("connection", &connection.id()), ("reason", reason)];
        self.log.event(level, "disconnect", &fields);
    }
}

/// Removes the connection when its thread ends, a panic included.
struct Leaving {
    host: Arc<Host>,
    connection: Arc<Connection>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let metrics = self.connection.metrics();
        if std::thread::panicking() {
            // The panic is the session's: its connection ends, and no other.
            let fields: [(&str, &dyn Display); 2] = [("door", &metrics.door), ("connection", &self.connection.id())];
            self.host.log.event(Level::Error, "panic", &fields);
        }
        self.connection.end_request();
        self.connection.shut_down();
        metrics.connections.fetch_sub(1, Relaxed);
        self.host.registry.leave(self.connection.id());
    }
}
