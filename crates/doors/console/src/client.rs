//! The client of a connection, as a listener gives it.
//!
//! A socket of a page is read by one thread and written by another, so that a client is shared. The server implements it over its
//! own connections, with TLS; tests over plain sockets.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// One connection of a browser.
pub trait Client: Send + Sync {
    /// The address of the browser.
    fn address(&self) -> IpAddr;

    /// The port of the listener.
    fn port(&self) -> u16;

    /// True if everything is encrypted: cookies are `Secure` then, and origins are `https`.
    fn is_encrypted(&self) -> bool;

    /// True if nothing but the way to TLS may be told without it.
    fn needs_encryption(&self) -> bool;

    /// Reads the bytes that have come, or waits for some; 0 at the end. One thread calls it at a time.
    ///
    /// Errors: nothing comes within the limit, or the connection is lost.
    fn receive(&self, into: &mut [u8], limit: Duration) -> Result<usize>;

    /// Sends all bytes, those of several threads one after the other.
    ///
    /// Errors: the browser takes none within the limit, or the connection is lost.
    fn send(&self, bytes: &[u8], limit: Duration) -> Result<()>;

    /// Ends the connection; a thread that reads returns.
    fn shut_down(&self);

    /// The browser has a session.
    fn has_session(&self) {}

    /// A login was refused.
    fn login_failed(&self) {}

    /// A request begins.
    fn begin_request(&self) {}

    /// A request with this path is answered.
    fn end_request(&self, _path: &str, _took: Duration) {}

    /// True if no further request is to be served.
    fn is_stopping(&self) -> bool {
        false
    }

    /// Writes an event to the log: its name, and fields with their values.
    fn log(&self, event: &str, fields: &[(&str, &str)]);
}

/// A client with time limits, as a stream.
pub(crate) struct Stream<'c> {
    pub client: &'c dyn Client,
    /// The end of the time in which all of a request has to come.
    pub read_until: Instant,
    pub write_limit: Duration,
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let left = self.read_until.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(Error::from(ErrorKind::TimedOut)),
            false => self.client.receive(into, left),
        }
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.client.send(bytes, self.write_limit)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
