//! The door for Informix clients: SQLI over sockets.
//!
//! ```text
//!   connection    login, TLS, the loop over messages            columns   the session's types on the wire
//!   conversation  the state of a client: statements, replies    cursor    rows that a client fetches
//!   smart_lobs    BLOB and CLOB through the fast path            routine_calls   OUT and INOUT parameters
//! ```
//!
//! It implements the protocol and no SQL: statements go to a [`Session`](mainstay_session::Session), whose backend is
//! given when the door is created.

mod columns;
mod connection;
mod conversation;
mod cursor;
mod routine_calls;
mod smart_lobs;
mod statements;

use crate::host::connection::{Connection, Watcher};
use crate::host::{Door, Ending, Host};
use mainstay_session::Backend;
use mainstay_sqli::{ConnectReply, Outcome};
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Relaxed, SeqCst},
};

/// The byte of urgent data that cancels the running request of a client.
const CANCEL_BYTE: u8 = 0x42;

/// The door for Informix clients.
pub struct SqliDoor {
    backend: Arc<dyn Backend>,
}

impl SqliDoor {
    /// Its name.
    pub const NAME: &'static str = "sqli";

    /// A door to the sessions of a backend.
    pub fn new(backend: Arc<dyn Backend>) -> SqliDoor {
        SqliDoor { backend }
    }
}

impl Door for SqliDoor {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn serve(&self, host: &Host, connection: &Arc<Connection>, socket: TcpStream) -> Ending {
        if let Ok(socket) = socket.try_clone() {
            connection.watch_with(Arc::new(UrgentData { socket, was_running: AtomicBool::new(false) }));
        }
        connection::serve(&*self.backend, host, connection, socket)
    }

    fn refuse(&self, socket: &TcpStream, most: usize) {
        refuse(socket, most);
    }
}

/// Looks for the urgent byte that cancels a request. Urgent data is not part of the stream, so that reading it takes nothing
/// away from the connection's own thread. A byte that comes when its request has just ended is read and has no effect, so
/// that it does not end the next one.
struct UrgentData {
    socket: TcpStream,
    /// True if a request was running at the last look.
    was_running: AtomicBool,
}

impl Watcher for UrgentData {
    fn look(&self, connection: &Connection) {
        let is_running = connection.is_running();
        if !self.was_running.swap(is_running, SeqCst) && !is_running {
            return;
        }
        let mut byte = [0u8];
        let flags = rustix::net::RecvFlags::OOB | rustix::net::RecvFlags::DONTWAIT;
        let received = rustix::net::recv(&self.socket, &mut byte, flags);
        if is_running && matches!(received, Ok((1, _))) && byte == [CANCEL_BYTE] {
            connection.metrics().cancelled_total.fetch_add(1, Relaxed);
            connection.cancel();
        }
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
