//! The door for remote ACE clients: the navigator protocol over sockets.
//!
//! ```text
//!   a thread a connection: prelude, TLS, login, then requests --- Session of mainstay-navigator
//! ```
//!
//! A client that is lost is found out by the operating system's keep-alive, if its end does not arrive; its thread ends, and
//! its session with it, which rolls back and unlocks.
//!
//! **A client that is slow** costs its own thread only: its login has a deadline for every byte of it, TLS or not; what it
//! is sent it has to read in a minute and some; and what it is asked in the middle of a request it has to answer.
//!
//! **Stopping** closes the listener, and every connection as soon as nothing is carried out for it. A request that is
//! being carried out is ended first, a long step of it at the next time that it tells how far it is; its client hears the
//! answer if it comes within the grace of the settings. What was not committed is rolled back.

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
