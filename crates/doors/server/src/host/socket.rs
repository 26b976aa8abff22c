//! A client's socket as a stream of bytes, with TLS where both sides have agreed on it.
//!
//! One thread uses it. The operating system's keep-alive detects a lost client; a deadline ends one that reads or
//! writes too slowly.

use super::Host;
use super::connection::Connection;
use super::metrics::DoorMetrics;
use mainstay_types::{Code, Error, Result};
use rustix::io::Errno;
use rustix::net::{SendFlags, sockopt};
use rustls::ServerConnection;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A client that is silent for this long is probed by the operating system.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The time between further probes, some nine of them, before the connection is given up.
const KEEP_ALIVE_AGAIN: Duration = Duration::from_secs(2);
/// The time that a client has to read a message, however short that is.
const WRITE_PATIENCE: Duration = Duration::from_secs(60);
/// For this many bytes of a message the client has a millisecond more: some 130 kilobytes in a second.
const SLOWEST_BYTES_MS: u64 = 128;
/// Bytes read at a time.
const READ_BYTES: usize = 16 * 1024;

/// A client's socket.
pub struct Socket {
    socket: TcpStream,
    tls: Option<Box<ServerConnection>>,
    raw: Vec<u8>,
    /// The timeout that the socket has for reading, so that it is set only when it changes.
    timeout: Option<Duration>,
    write_timeout: Duration,
    metrics: Arc<DoorMetrics>,
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

impl Socket {
    /// The socket of a connection, whose bytes are counted in its door's metrics.
    ///
    /// Errors: `ConnectionLost` if the client is gone.
    pub fn new(socket: TcpStream, connection: &Connection) -> Result<Socket> {
        let prepare = || {
            socket.set_nodelay(true)?;
            sockopt::set_socket_keepalive(&socket, true)?;
            sockopt::set_tcp_keepidle(&socket, KEEP_ALIVE)?;
            sockopt::set_tcp_keepintvl(&socket, KEEP_ALIVE_AGAIN)?;
            std::io::Result::Ok(())
        };
        prepare().map_err(|error| over(&error))?;
        let raw = vec![0; READ_BYTES];
        Ok(Socket {
            socket,
            tls: None,
            raw,
            timeout: None,
            write_timeout: WRITE_PATIENCE,
            metrics: Arc::clone(connection.metrics()),
        })
    }

    /// The time that a client has to read a message; `None` for the default of a minute. Before the login it is shorter.
    pub fn set_write_timeout(&mut self, timeout: Option<Duration>) {
        self.write_timeout = timeout.unwrap_or(WRITE_PATIENCE);
    }

    /// True if everything is encrypted now.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) -> Result<()> {
        let timeout = left_until(deadline)?;
        if timeout != self.timeout {
            self.socket.set_read_timeout(timeout).map_err(|error| over(&error))?;
            self.timeout = timeout;
        }
        Ok(())
    }

    /// Begins TLS, as the server's side. The deadline is for the whole handshake, however it is cut into bytes.
    ///
    /// Errors: `InvalidValue` if encryption is off; `ConnectionLost` for a client that is gone, or whose handshake fails.
    pub fn begin_tls(&mut self, host: &Host, deadline: Instant) -> Result<()> {
        let tls = host.tls().ok_or_else(|| Error::new(Code::InvalidValue, "the client begins TLS, which is off"))?;
        let config = Arc::clone(&tls.plain);
        let tls = ServerConnection::new(config).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
        let tls = self.tls.insert(Box::new(tls));
        while tls.is_handshaking() {
            if tls.wants_write() {
                write_tls(tls, &mut self.socket, deadline)?;
                continue;
            }
            self.socket.set_read_timeout(left_until(Some(deadline))?).map_err(|error| over(&error))?;
            read_tls(tls, &mut self.socket)?;
        }
        self.timeout = self.socket.read_timeout().map_err(|error| over(&error))?;
        write_tls(tls, &mut self.socket, deadline)
    }

    /// The first byte, waited for until the deadline and left unread.
    ///
    /// Errors: `ConnectionLost`.
    pub fn peek(&mut self, deadline: Option<Instant>) -> Result<u8> {
        self.set_deadline(deadline)?;
        let mut first = [0];
        match self.socket.peek(&mut first).map_err(|error| over(&error))? {
            0 => Err(Error::new(Code::ConnectionLost, "closed")),
            _ => Ok(first[0]),
        }
    }

    /// Reads the bytes that have come, or waits for some until the deadline.
    ///
    /// Errors: `ConnectionLost`.
    pub fn receive(&mut self, deadline: Option<Instant>) -> Result<&[u8]> {
        let count = self.read_some(deadline)?;
        self.metrics.received_bytes_total.fetch_add(count as u64, Relaxed);
        Ok(self.raw.get(..count).unwrap_or_default())
    }

    /// The time by which a client has to have read a message of this many bytes.
    pub fn write_deadline(&self, bytes: usize) -> Instant {
        Instant::now() + self.write_timeout + Duration::from_millis(bytes as u64 / SLOWEST_BYTES_MS)
    }

    /// Sends bytes. A client that does not read them by the deadline is given up.
    ///
    /// Errors: `ConnectionLost`.
    pub fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<()> {
        self.send_bytes(bytes, deadline)
    }

    /// Reads what is there, or waits until the deadline for something; how many bytes are in `raw`.
    fn read_some(&mut self, deadline: Option<Instant>) -> Result<usize> {
        loop {
            let read = match &mut self.tls {
                None => {
                    self.set_deadline(deadline)?;
                    self.socket.read(&mut self.raw)
                }
                Some(tls) => match tls.reader().read(&mut self.raw) {
                    // One read at a time: a record may come in as many pieces as it has bytes.
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        self.set_deadline(deadline)?;
                        if let Some(tls) = &mut self.tls {
                            read_tls(tls, &mut self.socket)?;
                        }
                        continue;
                    }
                    read => read,
                },
            };
            match read {
                Ok(0) => return Err(Error::new(Code::ConnectionLost, "closed")),
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(over(&error)),
            }
        }
    }

    fn send_bytes(&mut self, bytes: &[u8], deadline: Instant) -> Result<()> {
        let sent = match &mut self.tls {
            None => write_all(&mut self.socket, bytes, deadline),
            Some(tls) => {
                let mut left = bytes;
                let mut sent = Ok(());
                while sent.is_ok() && !left.is_empty() {
                    // Bytes that are taken in are encrypted and waits to be written, up to a limit.
                    let taken = tls.writer().write(left).map_err(|error| over(&error))?;
                    left = left.get(taken..).unwrap_or_default();
                    sent = write_tls(tls, &mut self.socket, deadline);
                }
                sent
            }
        };
        self.metrics.sent_bytes_total.fetch_add(bytes.len() as u64, Relaxed);
        sent
    }
}

/// The time until a deadline.
///
/// Errors: `ConnectionLost` when it is over.
fn left_until(deadline: Option<Instant>) -> Result<Option<Duration>> {
    match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
        Some(Duration::ZERO) => Err(Error::new(Code::ConnectionLost, "timed out")),
        left => Ok(left),
    }
}

/// Reads once from the socket, within the timeout that it has.
fn read_tls(tls: &mut ServerConnection, socket: &mut TcpStream) -> Result<()> {
    match tls.read_tls(socket) {
        Ok(0) => return Err(Error::new(Code::ConnectionLost, "closed")),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
        Err(error) => return Err(over(&error)),
    }
    if let Err(error) = tls.process_new_packets() {
        // The alert that says why is worth a try.
        let _ = tls.write_tls(socket);
        return Err(Error::new(Code::ConnectionLost, error.to_string()));
    }
    Ok(())
}

/// Writes everything that waits to be written.
fn write_tls(tls: &mut ServerConnection, socket: &mut TcpStream, deadline: Instant) -> Result<()> {
    while tls.wants_write() {
        socket.set_write_timeout(left_until(Some(deadline))?).map_err(|error| over(&error))?;
        match tls.write_tls(socket) {
            Ok(0) => return Err(Error::new(Code::ConnectionLost, "closed")),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(over(&error)),
        }
    }
    Ok(())
}

/// The same without TLS. The timeout is set only for a client that does not read as fast as it is written to.
fn write_all(socket: &mut TcpStream, mut left: &[u8], deadline: Instant) -> Result<()> {
    while !left.is_empty() {
        match rustix::net::send(&*socket, left, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            Ok(count) => {
                left = left.get(count..).unwrap_or_default();
                continue;
            }
            Err(Errno::INTR) => continue,
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(over(&error.into())),
        }
        socket.set_write_timeout(left_until(Some(deadline))?).map_err(|error| over(&error))?;
        match socket.write(left) {
            Ok(0) => return Err(Error::new(Code::ConnectionLost, "closed")),
            Ok(count) => left = left.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(over(&error)),
        }
    }
    Ok(())
}
