//! A client's socket: frames in, frames out, TLS in between where it was agreed on.
//!
//! One thread uses it: a client waits for the answer to a request before it sends the next one, and is asked for nothing
//! while its request is carried out but whether to go on.

use crate::metrics::NavigatorMetrics;
use mainstay_base::{Code, Error, Result};
use mainstay_navigator::wire::frame::{Frame, Frames, Kind};
use rustix::net::sockopt;
use rustls::{ServerConfig, ServerConnection};
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A client that says nothing for so long is asked by the operating system whether it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// And asked again, some nine times, before it is given up.
const KEEP_ALIVE_AGAIN: Duration = Duration::from_secs(2);
/// Bytes read at a time.
const READ_BYTES: usize = 16 * 1024;

/// A client's socket.
pub(super) struct Stream {
    socket: TcpStream,
    tls: Option<Box<ServerConnection>>,
    frames: Frames,
    raw: Vec<u8>,
    timeout: Option<Duration>,
    metrics: Arc<NavigatorMetrics>,
}

/// The connection is over, and why.
fn over(error: &std::io::Error) -> Error {
    let reason = match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => "timed out".to_owned(),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => "closed".to_owned(),
        _ => error.to_string(),
    };
    Error::new(Code::ConnectionLost, reason)
}

impl Stream {
    /// With bodies of at most so many bytes.
    pub fn new(socket: TcpStream, limit_bytes: usize, metrics: Arc<NavigatorMetrics>) -> Result<Stream> {
        let prepare = || {
            socket.set_nodelay(true)?;
            sockopt::set_socket_keepalive(&socket, true)?;
            sockopt::set_tcp_keepidle(&socket, KEEP_ALIVE)?;
            sockopt::set_tcp_keepintvl(&socket, KEEP_ALIVE_AGAIN)?;
            std::io::Result::Ok(())
        };
        prepare().map_err(|error| over(&error))?;
        let frames = Frames::new(limit_bytes);
        Ok(Stream { socket, tls: None, frames, raw: vec![0; READ_BYTES], timeout: None, metrics })
    }

    /// Another limit from here on.
    pub fn set_limit(&mut self, limit_bytes: usize) {
        self.frames.set_limit(limit_bytes);
    }

    /// The client's address, without its port.
    pub fn peer(&self) -> Option<IpAddr> {
        self.socket.peer_addr().ok().map(|address| address.ip().to_canonical())
    }

    /// Whether everything is encrypted now.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) -> Result<()> {
        let timeout = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            Some(Duration::ZERO) => return Err(Error::new(Code::ConnectionLost, "timed out")),
            other => other,
        };
        if timeout != self.timeout {
            self.socket.set_read_timeout(timeout).map_err(|error| over(&error))?;
            self.timeout = timeout;
        }
        Ok(())
    }

    /// Agrees on keys.
    pub fn begin_tls(&mut self, config: Arc<ServerConfig>, deadline: Instant) -> Result<()> {
        let mut tls = ServerConnection::new(config).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        while tls.is_handshaking() {
            self.set_deadline(Some(deadline))?;
            tls.complete_io(&mut self.socket).map_err(|error| over(&error))?;
        }
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    /// The next frame, waited for until the deadline.
    pub fn receive(&mut self, deadline: Option<Instant>) -> Result<Frame> {
        loop {
            if let Some(frame) = self.frames.next_frame()? {
                return Ok(frame);
            }
            self.set_deadline(deadline)?;
            let read = match &mut self.tls {
                None => self.socket.read(&mut self.raw),
                Some(tls) => rustls::Stream::new(&mut **tls, &mut self.socket).read(&mut self.raw),
            };
            match read {
                Ok(0) => return Err(Error::new(Code::ConnectionLost, "closed")),
                Ok(count) => {
                    self.metrics.received_bytes_total.fetch_add(count as u64, Relaxed);
                    self.frames.feed(self.raw.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(over(&error)),
            }
        }
    }

    /// Sends a frame.
    pub fn send(&mut self, kind: Kind, body: &[u8]) -> Result<()> {
        let frame = Frame::bytes(kind, body);
        let sent = match &mut self.tls {
            None => self.socket.write_all(&frame),
            Some(tls) => {
                let mut stream = rustls::Stream::new(&mut **tls, &mut self.socket);
                stream.write_all(&frame).and_then(|()| stream.flush())
            }
        };
        self.metrics.sent_bytes_total.fetch_add(frame.len() as u64, Relaxed);
        sent.map_err(|error| over(&error))
    }
}
