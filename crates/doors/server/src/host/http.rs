//! `/metrics` and `/health` over HTTP/1.1, reduced to the requests of Prometheus and load balancers.
//!
//! One request a connection; only its first line is read. Each connection has a thread, and two seconds for the request
//! and its answer. If there are more than [`MOST`] at a time, one is closed at once: of the address that has most of
//! them, the one that has waited longest ([`first_to_go`]). So an address that keeps all its connections open does not
//! lock others out.

use super::Host;
use super::registry::first_to_go;
use std::collections::HashMap;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time of a request, from its connection to the last byte of the answer.
const LIMIT: Duration = Duration::from_secs(2);
const LONGEST_REQUEST: usize = 8 * 1024;
/// Connections at a time.
const MOST: usize = 32;
/// The stack of a connection's thread.
const STACK_BYTES: usize = 256 << 10;

/// The connections that are open, by their numbers.
#[derive(Default)]
struct Open {
    connections: Mutex<HashMap<u64, (TcpStream, Option<IpAddr>)>>,
}

impl Open {
    fn connections(&self) -> MutexGuard<'_, HashMap<u64, (TcpStream, Option<IpAddr>)>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in, in the place of another one if there are too many.
    fn enter(&self, number: u64, socket: &TcpStream) -> Result<()> {
        let address = socket.peer_addr().ok().map(|address| address.ip());
        let socket = socket.try_clone()?;
        let mut connections = self.connections();
        if connections.len() >= MOST
            && let Some(gone) = first_to_go(connections.iter().map(|(number, (_, address))| (*number, *address)))
            && let Some((gone, _)) = connections.remove(&gone)
        {
            let _ = gone.shutdown(Shutdown::Both);
        }
        connections.insert(number, (socket, address));
        Ok(())
    }
}

/// Forgets a connection when its thread ends, however it does.
struct Leaving {
    open: Arc<Open>,
    number: u64,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.open.connections().remove(&self.number);
    }
}

/// Answers until the server stops.
pub(super) fn run(listener: &TcpListener, host: &Arc<Host>) {
    let open = Arc::new(Open::default());
    for (number, socket) in (0..).zip(listener.incoming()) {
        if host.is_stopping() {
            return;
        }
        let Ok(socket) = socket else { continue };
        // A client that breaks off is its own concern.
        if open.enter(number, &socket).is_err() {
            continue;
        }
        let leaving = Leaving { open: Arc::clone(&open), number };
        let host = Arc::clone(host);
        let thread = std::thread::Builder::new().name("http-request".into()).stack_size(STACK_BYTES);
        // Without a thread the connection is closed; the next one may have more luck.
        let _ = thread.spawn(move || {
            let _leaving = leaving;
            let _ = answer(socket, &host);
        });
    }
}

fn answer(socket: TcpStream, host: &Host) -> Result<()> {
    let mut socket = Timed { socket, ends: Instant::now() + LIMIT };
    let (mut request, mut piece) = (Vec::new(), [0; 1024]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < LONGEST_REQUEST {
        match socket.read(&mut piece)? {
            0 => break,
            count => request.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
    }
    let first = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = first.split(|byte| *byte == b' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split(|byte| *byte == b'?').next().unwrap_or_default();
    let (status, body) = match (method, path) {
        (b"GET" | b"HEAD", b"/metrics") => ("200 OK", host.metrics.text()),
        (b"GET" | b"HEAD", b"/health") if host.is_stopping() => ("503 Service Unavailable", "stopping\n".into()),
        (b"GET" | b"HEAD", b"/health") => ("200 OK", "ok\n".into()),
        (b"GET" | b"HEAD", _) => ("404 Not Found", "not found\n".into()),
        _ => ("405 Method Not Allowed", "only GET\n".into()),
    };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    socket.write(head.as_bytes())?;
    if method != b"HEAD" {
        socket.write(body.as_bytes())?;
    }
    Ok(())
}

/// A socket whose reads and writes all end at one time.
struct Timed {
    socket: TcpStream,
    ends: Instant,
}

impl Timed {
    /// The time that is left.
    fn left(&self) -> Result<Duration> {
        let left = self.ends.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Error::from(ErrorKind::TimedOut)) } else { Ok(left) }
    }

    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        self.socket.set_read_timeout(Some(self.left()?))?;
        self.socket.read(into)
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            self.socket.set_write_timeout(Some(self.left()?))?;
            match self.socket.write(bytes)? {
                0 => return Err(Error::from(ErrorKind::WriteZero)),
                count => bytes = bytes.get(count..).unwrap_or_default(),
            }
        }
        Ok(())
    }
}
