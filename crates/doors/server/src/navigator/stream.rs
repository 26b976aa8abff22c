//! A client's socket as frames: frames in, frames out.
//!
//! One thread uses it: a client waits for the answer to a request before it sends the next one, and is asked for nothing
//! while its request is carried out but whether to go on.

use crate::metrics::DoorMetrics;
use crate::socket::Socket;
use mainstay_navigator::wire::frame::{Frame, Frames, Kind};
use mainstay_types::Result;
use rustls::ServerConfig;
use std::net::{IpAddr, TcpStream};
use std::sync::Arc;
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
    pub fn new(socket: TcpStream, limit_bytes: usize, metrics: Arc<DoorMetrics>) -> Result<Stream> {
        Ok(Stream { socket: Socket::new(socket, metrics)?, frames: Frames::new(limit_bytes) })
    }

    /// What ends the connection from another thread; none if the system has no handle left.
    pub fn ender(&self) -> Option<Box<dyn Fn() + Send + Sync>> {
        self.socket.ender()
    }

    /// Before the login a client has to read within its deadline, too.
    pub fn set_write_timeout(&mut self, timeout: Option<Duration>) {
        self.socket.set_write_timeout(timeout);
    }

    /// Another limit from here on.
    pub fn set_limit(&mut self, limit_bytes: usize) {
        self.frames.set_limit(limit_bytes);
    }

    /// The client's address, without its port.
    pub fn peer(&self) -> Option<IpAddr> {
        self.socket.peer()
    }

    /// Whether everything is encrypted now.
    pub fn is_encrypted(&self) -> bool {
        self.socket.is_encrypted()
    }

    /// Agrees on keys. Whoever sends a byte now and then has no longer than whoever sends none.
    pub fn begin_tls(&mut self, config: Arc<ServerConfig>, deadline: Instant) -> Result<()> {
        self.socket.begin_tls(config, deadline)
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
