//! A client's socket as a stream of frames.
//!
//! One thread uses it: a client waits for the answer to a request before it sends the next one, and during a request it
//! is only asked whether to go on.

use crate::host::Host;
use crate::host::connection::Connection;
use crate::host::socket::Socket;
use mainstay_navigator::wire::frame::{Frame, Frames, Kind};
use mainstay_types::Result;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A body that is longer goes out without its head.
const LONG_BYTES: usize = 64 * 1024;

/// A client's socket.
pub(super) struct Stream {
    socket: Socket,
    frames: Frames,
}

impl Stream {
    /// With bodies of at most so many bytes.
    pub fn new(socket: TcpStream, limit_bytes: usize, connection: &Connection) -> Result<Stream> {
        Ok(Stream { socket: Socket::new(socket, connection)?, frames: Frames::new(limit_bytes) })
    }

    /// Before the login a client has to read within its deadline, too.
    pub fn set_write_timeout(&mut self, timeout: Option<Duration>) {
        self.socket.set_write_timeout(timeout);
    }

    /// Another limit from here on.
    pub fn set_limit(&mut self, limit_bytes: usize) {
        self.frames.set_limit(limit_bytes);
    }

    /// True if everything is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.socket.is_encrypted()
    }

    /// Begins TLS. The deadline is for the whole handshake.
    pub fn begin_tls(&mut self, host: &Host, deadline: Instant) -> Result<()> {
        self.socket.begin_tls(host, deadline)
    }

    /// The next frame, waited for until the deadline: the last byte of it has to be there by then.
    pub fn receive(&mut self, deadline: Option<Instant>) -> Result<Frame> {
        loop {
            if let Some(frame) = self.frames.next_frame()? {
                return Ok(frame);
            }
            let bytes = self.socket.receive(deadline)?;
            self.frames.feed(bytes);
        }
    }

    /// Sends a frame. A client that does not read it in the time that its length allows is given up. A long body is not
    /// copied for it: a client that reads slowly would keep it in memory twice.
    pub fn send(&mut self, kind: Kind, body: &[u8]) -> Result<()> {
        let deadline = self.socket.write_deadline(body.len());
        match body.len() <= LONG_BYTES {
            true => self.socket.send(&Frame::bytes(kind, body), deadline),
            false => {
                self.socket.send(&Frame::head(kind, body), deadline)?;
                self.socket.send(body, deadline)
            }
        }
    }
}
