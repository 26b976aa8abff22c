//! The bytes of a connection that one thread reads while another one writes, with TLS or without.
//!
//! The state of TLS is one for both directions, so that a thread that waits for bytes must not hold it:
//!
//! ```text
//!   receive   socket.read            lock tls: decrypt        -> plain bytes
//!   send      lock out, lock tls: encrypt, unlock tls         socket.write, unlock out
//! ```
//!
//! Records go out in the order of their encryption because `out` is locked before `tls` and until they are written.

use crate::host::connection::Connection;
use crate::host::metrics::DoorMetrics;
use rustls::{ServerConfig, ServerConnection};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes read at a time.
const READ_BYTES: usize = 16 * 1024;

/// A connection.
pub(super) struct Link {
    socket: TcpStream,
    tls: Option<Mutex<ServerConnection>>,
    /// Decrypted bytes that nobody has read: the state of TLS takes no more records once it holds 16 KB of them.
    plain: Mutex<Vec<u8>>,
    /// Locked by the thread that writes to the socket.
    out: Mutex<()>,
    metrics: Arc<DoorMetrics>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time until a deadline. Errors: `TimedOut` when it is over.
fn left_until(deadline: Instant) -> Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Error::new(ErrorKind::TimedOut, "timed out")) } else { Ok(left) }
}

/// Moves decrypted bytes out of the state of TLS. Its end and its errors stay there for the next read.
fn keep_plain(tls: &mut ServerConnection, plain: &mut Vec<u8>) {
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = tls.reader().read(&mut piece) {
        plain.extend_from_slice(piece.get(..count).unwrap_or_default());
    }
}

impl Link {
    /// The connection over a socket, without TLS at first.
    pub fn new(socket: TcpStream, connection: &Connection) -> Result<Link> {
        socket.set_nodelay(true)?;
        Ok(Link {
            socket,
            tls: None,
            plain: Mutex::default(),
            out: Mutex::default(),
            metrics: Arc::clone(connection.metrics()),
        })
    }

    /// The port of the listener.
    pub fn port(&self) -> u16 {
        self.socket.local_addr().map_or(0, |address| address.port())
    }

    /// True if everything is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// The first byte, waited for until the deadline and left unread.
    pub fn peek(&self, deadline: Instant) -> Result<u8> {
        self.socket.set_read_timeout(Some(left_until(deadline)?))?;
        let mut first = [0];
        match self.socket.peek(&mut first)? {
            0 => Err(Error::from(ErrorKind::UnexpectedEof)),
            _ => Ok(first[0]),
        }
    }

    /// Performs the handshake as the server's side. The deadline is for the whole of it.
    pub fn begin_tls(&mut self, config: Arc<ServerConfig>, deadline: Instant) -> Result<()> {
        let mut tls = ServerConnection::new(config).map_err(Error::other)?;
        while tls.is_handshaking() {
            if tls.wants_write() {
                self.socket.set_write_timeout(Some(left_until(deadline)?))?;
                tls.write_tls(&mut self.socket)?;
                continue;
            }
            self.socket.set_read_timeout(Some(left_until(deadline)?))?;
            if tls.read_tls(&mut self.socket)? == 0 {
                return Err(Error::from(ErrorKind::UnexpectedEof));
            }
            if let Err(error) = tls.process_new_packets() {
                // The alert that names the cause is worth a try.
                let _ = tls.write_tls(&mut self.socket);
                return Err(Error::other(error));
            }
        }
        while tls.wants_write() {
            self.socket.set_write_timeout(Some(left_until(deadline)?))?;
            tls.write_tls(&mut self.socket)?;
        }
        self.tls = Some(Mutex::new(tls));
        Ok(())
    }

    /// Reads the bytes that have come, or waits for some within a limit; 0 at the end.
    pub fn receive(&self, into: &mut [u8], limit: Duration) -> Result<usize> {
        let count = match &self.tls {
            None => {
                self.socket.set_read_timeout(Some(limit))?;
                (&self.socket).read(into)?
            }
            Some(tls) => self.receive_tls(tls, into, Instant::now() + limit)?,
        };
        self.metrics.received_bytes_total.fetch_add(count as u64, Relaxed);
        Ok(count)
    }

    fn receive_tls(&self, tls: &Mutex<ServerConnection>, into: &mut [u8], deadline: Instant) -> Result<usize> {
        loop {
            let taken = self.take_plain(into);
            if taken > 0 {
                return Ok(taken);
            }
            match lock(tls).reader().read(into) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
            self.socket.set_read_timeout(Some(left_until(deadline)?))?;
            let mut raw = [0; READ_BYTES];
            let count = (&self.socket).read(&mut raw)?;
            let mut received = raw.get(..count).unwrap_or_default();
            if count == 0 {
                // The end of the socket, which the state has to know of.
                lock(tls).read_tls(&mut received)?;
            }
            let mut wants_write = false;
            while !received.is_empty() {
                let mut tls = lock(tls);
                // Behind the client's end nothing is taken any more.
                if tls.read_tls(&mut received)? == 0 {
                    break;
                }
                tls.process_new_packets().map_err(Error::other)?;
                wants_write = tls.wants_write();
                keep_plain(&mut tls, &mut lock(&self.plain));
            }
            if wants_write {
                let _out = lock(&self.out);
                self.write_records(&mut lock(tls), deadline)?;
            }
        }
    }

    /// Takes decrypted bytes that were kept.
    fn take_plain(&self, into: &mut [u8]) -> usize {
        let mut plain = lock(&self.plain);
        let count = plain.len().min(into.len());
        into.iter_mut().zip(plain.drain(..count)).for_each(|(to, byte)| *to = byte);
        count
    }

    /// Sends all bytes, whose browser has to take some within a limit.
    pub fn send(&self, bytes: &[u8], limit: Duration) -> Result<()> {
        let _out = lock(&self.out);
        match &self.tls {
            None => self.write_all(bytes, limit)?,
            Some(tls) => {
                let mut left = bytes;
                while !left.is_empty() {
                    let mut records = Vec::new();
                    let mut tls = lock(tls);
                    // Bytes that are taken in are encrypted, up to a limit of the state.
                    let taken = tls.writer().write(left)?;
                    while tls.wants_write() {
                        tls.write_tls(&mut records)?;
                    }
                    drop(tls);
                    self.write_all(&records, limit)?;
                    left = left.get(taken..).unwrap_or_default();
                }
            }
        }
        self.metrics.sent_bytes_total.fetch_add(bytes.len() as u64, Relaxed);
        Ok(())
    }

    fn write_records(&self, tls: &mut ServerConnection, deadline: Instant) -> Result<()> {
        let mut records = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut records)?;
        }
        self.write_all(&records, left_until(deadline)?)
    }

    fn write_all(&self, bytes: &[u8], limit: Duration) -> Result<()> {
        self.socket.set_write_timeout(Some(limit))?;
        (&self.socket).write_all(bytes)
    }
}
