//! The door for remote ACE clients: the navigator protocol over sockets.
//!
//! ```text
//!   a thread a connection: prelude, TLS, login, then requests --- Session of mainstay-navigator
//! ```
//!
//! A lost client is detected by the operating system's keep-alive, if its end does not arrive; its thread ends with its
//! session, which rolls back and unlocks.
//!
//! **A slow client** costs only its own thread: each byte of its login has a deadline, with TLS or without; it has to
//! read its replies within little more than a minute; and it has to answer queries in the middle of a request.
//!
//! **Stopping** closes the listener, and every connection without a running request at once. A running request ends
//! first, a long step of it at its next progress report; the client gets the answer if it comes within the grace period
//! of the settings. Uncommitted changes are rolled back.

mod connection;
mod stream;

use crate::host::connection::Connection;
use crate::host::metrics::RequestKind;
use crate::host::{Door, Ending, Host};
use mainstay_navigator::server::Service;
use mainstay_navigator::wire::encode;
use mainstay_navigator::wire::frame::{Frame, Kind};
use mainstay_navigator::wire::messages::Problem;
use mainstay_types::{Code, Error};
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

/// The door for remote ACE clients.
pub struct NavigatorDoor {
    service: Arc<Service>,
}

impl NavigatorDoor {
    /// Its name.
    pub const NAME: &'static str = "navigator";

    /// A door to the tables of a service. What its clients can run beside calls is the service's: dictionaries and SQL.
    pub fn new(service: Arc<Service>) -> NavigatorDoor {
        NavigatorDoor { service }
    }
}

impl Door for NavigatorDoor {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn request_kinds(&self) -> &'static [RequestKind] {
        &[RequestKind::Steps]
    }

    fn prepare(&self, host: &Host) {
        if !host.has_users() {
            self.service.open_to_all();
        }
    }

    fn serve(&self, host: &Host, connection: &Arc<Connection>, socket: TcpStream) -> Ending {
        connection::serve(&self.service, host, connection, socket)
    }

    fn refuse(&self, socket: &TcpStream, most: usize) {
        refuse(socket, most);
    }
}

/// Sends the reason of a refusal, without waiting: it fits into the socket's buffer.
fn refuse(mut socket: &TcpStream, most: usize) {
    let message = format!("the server has {most} connections, as many as it may have");
    let error = Error::new(Code::OutOfMemory, message).hint("max_connections in [server] of mainstay.toml");
    let frame = Frame::bytes(Kind::Refused, &encode(&Problem { error }));
    // A client that cannot be told finds the connection closed.
    let _ = socket.set_nonblocking(true).and_then(|()| socket.write_all(&frame));
    let _ = socket.shutdown(Shutdown::Write);
}
