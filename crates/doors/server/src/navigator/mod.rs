//! The listener for remote ACE clients: the navigator protocol over sockets.
//!
//! ```text
//!   accept thread --- a thread a connection: prelude, TLS, login, then requests --- Session of mainstay-navigator
//! ```
//!
//! Beside the listener for SQL Server's clients and without anything in common with it but the settings: users and their
//! passwords, certificate, limits. A client that is lost is found out by the operating system's keep-alive, if its end is
//! not heard; its thread ends, and its session with it, which rolls back and unlocks.
//!
//! **A client that is slow** costs its own thread only: its login has a deadline for every byte of it, TLS or not; what it
//! is sent it has to read in a minute and some; and what it is asked in the middle of a request it has to answer.
//!
//! **Stopping** closes the listener, and every connection as soon as nothing is carried out for it. A request that is
//! being carried out is ended first, a long step of it at the next time that it tells how far it is; its client hears the
//! answer if it comes within the grace of the settings. What was not committed is rolled back.

mod connection;
mod stream;

use crate::config::Config;
use crate::listener::{Door, Listener};
use crate::metrics::DoorMetrics;
use mainstay_navigator::dictionary::Dictionaries;
use mainstay_navigator::server::Service;
use mainstay_navigator::sql::ServedSql;
use mainstay_navigator::wire::encode;
use mainstay_navigator::wire::frame::{Frame, Kind};
use mainstay_navigator::wire::messages::Problem;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;

/// What all threads of the listener share.
type Shared = crate::listener::Shared<Arc<Service>>;

/// A listener for remote ACE clients.
pub struct NavigatorDoor {
    listener: Listener<Arc<Service>>,
}

impl NavigatorDoor {
    /// The door of the settings for the tables of a folder; none if they name no address for it.
    ///
    /// Errors: those of [`NavigatorDoor::start`].
    pub fn of_settings(
        config: &Config,
        folder: &Path,
        files: Arc<dyn FileSystem>,
        log: Box<dyn Write + Send>,
    ) -> Result<Option<NavigatorDoor>> {
        let Some(address) = config.navigator else { return Ok(None) };
        let service = Arc::new(Service::new(Arc::clone(&files), folder));
        NavigatorDoor::start(address, config, service, &*files, log).map(Some)
    }

    /// Listens at an address and serves the tables of a service until [`NavigatorDoor::stop`].
    ///
    /// Errors: settings that contradict each other; an address that others can reach while no users are set, or nothing
    /// is encrypted; one that cannot be listened on; a certificate that is none.
    pub fn start(
        address: SocketAddr,
        config: &Config,
        service: Arc<Service>,
        fs: &dyn FileSystem,
        log: Box<dyn Write + Send>,
    ) -> Result<NavigatorDoor> {
        if config.users.is_empty() {
            service.open_to_all();
        }
        let door = Door { name: "navigator", serve: connection::serve, refuse };
        Ok(NavigatorDoor { listener: Listener::start(door, address, config, service, fs, log)? })
    }

    pub(crate) fn metrics(&self) -> Arc<DoorMetrics> {
        Arc::clone(&self.listener.shared().metrics)
    }

    /// From here on clients can connect to data dictionaries with this; false if they could already.
    pub fn serve_dictionaries(&self, dictionaries: Arc<dyn Dictionaries>) -> bool {
        self.listener.shared().service.serve_dictionaries(dictionaries)
    }

    /// From here on clients can run statements with this; false if they could already.
    pub fn serve_sql(&self, sql: Arc<dyn ServedSql>) -> bool {
        self.listener.shared().service.serve_sql(sql)
    }

    /// The address, with the port that was chosen if it was left open (0).
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Stops: no new connections, and the open ones end behind the requests that they are at. Whether all have ended
    /// within the grace of the settings and a second. A second call does nothing more.
    pub fn stop(&self) -> bool {
        self.listener.stop()
    }
}

impl Drop for NavigatorDoor {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Says to a client why it is not let in, without waiting for anything: what is said fits into the socket's buffer.
fn refuse(mut socket: &TcpStream, most: usize) {
    let message = format!("the server has {most} connections, as many as it may have");
    let error = Error::new(Code::OutOfMemory, message).hint("max_connections in [server] of mainstay.toml");
    let frame = Frame::bytes(Kind::Refused, &encode(&Problem { error }));
    // Who cannot be told finds the connection closed.
    let _ = socket.set_nonblocking(true).and_then(|()| socket.write_all(&frame));
    let _ = socket.shutdown(Shutdown::Write);
}
