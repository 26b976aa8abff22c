//! The listener for Informix clients: SQLI over sockets.
//!
//! ```text
//!   connection    login, TLS, the loop over messages            columns   the session's types on the wire
//!   conversation  the state of a client: statements, replies    cursor    rows that a client fetches
//! ```
//!
//! It knows the protocol and no SQL: statements go to a [`Session`](mainstay_session::Session), whose backend is given when
//! the door is opened.

mod columns;
mod connection;
mod conversation;
mod cursor;
mod statements;

use crate::config::Config;
use crate::listener::{Door, Listener};
use crate::metrics::DoorMetrics;
use mainstay_session::Backend;
use mainstay_sqli::{ConnectReply, Outcome};
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;

/// The state that all threads of the listener share.
type Shared = crate::listener::Shared<Arc<dyn Backend>>;

/// A listener for Informix clients.
pub struct SqliDoor {
    listener: Listener<Arc<dyn Backend>>,
}

impl SqliDoor {
    /// Listens at an address and serves the sessions of a backend until [`SqliDoor::stop`].
    ///
    /// Errors: settings that contradict each other; an address that others can reach while no users are set, or nothing
    /// is encrypted; one that cannot be listened on; a certificate that cannot be used.
    pub fn start(
        address: SocketAddr,
        config: &Config,
        backend: Arc<dyn Backend>,
        fs: &dyn FileSystem,
        log: Box<dyn Write + Send>,
    ) -> Result<SqliDoor> {
        let door = Door { name: "sqli", serve: connection::serve, refuse };
        let listener = Listener::start(door, address, config, backend, fs, log)?;
        listener.watch_urgent_data()?;
        Ok(SqliDoor { listener })
    }

    pub(crate) fn metrics(&self) -> Arc<DoorMetrics> {
        Arc::clone(&self.listener.shared().metrics)
    }

    /// The address, with the port that was chosen if it was left open (0).
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Stops: no new connections, and the open ones end behind their running requests. Whether all have ended within the
    /// grace of the settings and a second. A second call does nothing more.
    pub fn stop(&self) -> bool {
        self.listener.stop()
    }
}

impl Drop for SqliDoor {
    fn drop(&mut self) {
        self.stop();
    }
}

/// -25580 "System error occurred in network function" is what clients show of a connection that is not accepted; the text
/// says why.
const TOO_MANY_CONNECTIONS: i16 = -25_580;

fn refuse(mut socket: &TcpStream, most: usize) {
    let text = format!("the server has {most} connections, as many as it may have");
    let reply = ConnectReply {
        version: String::new(),
        serial: String::new(),
        server: String::new(),
        outcome: Outcome::Rejected(TOO_MANY_CONNECTIONS, 0, text),
    };
    // A client that cannot be told finds the connection closed.
    let _ = socket.set_nonblocking(true).and_then(|()| socket.write_all(&reply.encode()));
    let _ = socket.shutdown(Shutdown::Write);
}
