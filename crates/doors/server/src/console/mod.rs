//! The door for browsers: Business BASIC programs on a page, over HTTP and WebSocket.
//!
//! ```text
//!   Host    listening, TLS, users' limits, metrics, log          (host)
//!   Link    one connection: bytes for two threads, TLS or not    (link)
//!   Console pages, sessions, programs, frames and events         (the crate console)
//! ```
//!
//! **TLS** is that of the server's settings. A connection that begins with a handshake is served over TLS; a plain one is served
//! to this machine alone, and with `encryption = "required"` to nobody: browsers are led to `https`.
//!
//! **Requests** in metrics are those of HTTP. A WebSocket is one connection for as long as its page is open, and no running
//! request: a server that stops closes it at once, and the program ends with an error at its next call of the screen.

mod link;

use crate::config::Encryption;
use crate::host::connection::Connection;
use crate::host::metrics::RequestKind;
use crate::host::{Door, Ending, Host};
use link::Link;
use mainstay_console::{Client, Console};
use std::fmt::Display;
use std::io::Result;
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// The door for browsers. Dropping it, as a server does when it has stopped, hangs up every program.
pub struct ConsoleDoor {
    console: Console,
}

impl ConsoleDoor {
    /// Its name.
    pub const NAME: &'static str = "console";

    /// A door to these programs.
    pub fn new(console: Console) -> ConsoleDoor {
        ConsoleDoor { console }
    }
}

impl Door for ConsoleDoor {
    fn name(&self) -> &'static str {
        ConsoleDoor::NAME
    }

    fn request_kinds(&self) -> &'static [RequestKind] {
        &[RequestKind::Http]
    }

    fn serve(&self, host: &Host, connection: &Arc<Connection>, socket: TcpStream) -> Ending {
        let mut link = match Link::new(socket, connection) {
            Ok(link) => link,
            Err(error) => return Ending::Lost(error.to_string()),
        };
        let deadline = Instant::now() + host.config().login_timeout();
        match link.peek(deadline) {
            Ok(HANDSHAKE) => {
                let Some(tls) = host.tls() else {
                    return Ending::ProtocolError("the browser begins TLS, which is off".to_owned());
                };
                if let Err(error) = link.begin_tls(Arc::clone(&tls.plain), deadline) {
                    return Ending::Lost(error.to_string());
                }
            }
            Ok(_) => {}
            Err(error) => return Ending::Lost(error.to_string()),
        }
        let browser = Browser { host, connection, link };
        match self.console.serve(&browser) {
            Ok(()) => Ending::Closed,
            Err(error) => Ending::Lost(error.to_string()),
        }
    }
}

/// A connection of a browser as the pages see it.
struct Browser<'a> {
    host: &'a Host,
    connection: &'a Connection,
    link: Link,
}

impl Drop for Browser<'_> {
    fn drop(&mut self) {
        if self.connection.is_logged_in() {
            self.connection.metrics().sessions.fetch_sub(1, Relaxed);
        }
    }
}

/// Nothing runs on behalf of a request longer than its answer takes.
struct Nothing;

impl mainstay_session::Cancel for Nothing {
    fn cancel(&self) {}
}

impl Client for Browser<'_> {
    fn address(&self) -> IpAddr {
        self.connection.peer().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
    }

    fn port(&self) -> u16 {
        self.link.port()
    }

    fn is_encrypted(&self) -> bool {
        self.link.is_encrypted()
    }

    fn needs_encryption(&self) -> bool {
        let is_here = self.address().is_loopback();
        self.host.config().encryption == Encryption::Required || !is_here
    }

    fn receive(&self, into: &mut [u8], limit: Duration) -> Result<usize> {
        self.link.receive(into, limit)
    }

    fn send(&self, bytes: &[u8], limit: Duration) -> Result<()> {
        self.link.send(bytes, limit)
    }

    fn shut_down(&self) {
        self.connection.shut_down();
    }

    fn has_session(&self) {
        if !self.connection.is_logged_in() {
            self.connection.logged_in(Arc::new(Nothing));
            self.connection.metrics().sessions.fetch_add(1, Relaxed);
        }
    }

    fn login_failed(&self) {
        self.connection.metrics().logins_failed_total.fetch_add(1, Relaxed);
    }

    fn begin_request(&self) {
        self.host.begin_request(self.connection);
    }

    fn end_request(&self, path: &str, took: Duration) {
        self.host.count_request(self.connection, RequestKind::Http, took, || vec![("path", path.to_owned())]);
        self.connection.end_request();
    }

    fn is_stopping(&self) -> bool {
        self.host.is_stopping()
    }

    fn log(&self, event: &str, fields: &[(&str, &str)]) {
        let (door, id) = (ConsoleDoor::NAME, self.connection.id());
        let mut all: Vec<(&str, &dyn Display)> = vec![("door", &door), ("connection", &id)];
        all.extend(fields.iter().map(|(name, value)| (*name, value as &dyn Display)));
        self.host.log().event(crate::host::log::Level::Info, event, &all);
    }
}
