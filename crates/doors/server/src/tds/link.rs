//! A client's socket: messages in, packets out, with TLS between them where it was agreed on.
//!
//! Two threads use a link. The connection's own thread reads while it waits for a request, and writes. While a request
//! runs no thread waits for bytes, but an attention may come: then the watcher reads, without blocking (see `watch`).
//! The lock of the input belongs to the reading thread; the lock of TLS is held for single records only, never while a
//! socket blocks.
//!
//! ```text
//!   socket --> [TLS] --> Framer --> packets --> Assembler --> queue of requests
//!   socket <-- [TLS] <-- packets of an Answer
//! ```

use crate::host::connection::{Connection, Watcher};
use crate::host::metrics::DoorMetrics;
use mainstay_tds::{Assembler, Framer, PacketKind, PacketWriter, Reset, WholeMessage, Wire, WireError};
use rustix::net::sockopt;
use rustls::{ServerConfig, ServerConnection};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A client that says nothing for so long is asked by the operating system whether it is there, as SQL Server does.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// And asked again, some nine times, before it is given up.
const KEEP_ALIVE_AGAIN: Duration = Duration::from_secs(2);
/// Bytes read from a socket at a time.
const READ_BYTES: usize = 16 * 1024;
/// Bytes read at a time while a request runs.
const EARLY_BYTES: usize = 1024;
/// The limit of messages that a client may send while its request runs: an attention, and a few others.
const EARLY_MESSAGES: usize = 16;

/// A message from a client.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A whole request.
    Message(WholeMessage),
    /// A packet of a bulk load.
    Bulk(BulkPacket),
    /// A request to cancel the running request.
    Attention,
}

/// A packet of a bulk load, which is never held as a whole.
#[derive(Debug)]
pub(crate) struct BulkPacket {
    pub payload: Vec<u8>,
    pub is_end: bool,
    pub is_ignored: bool,
    pub reset: Option<Reset>,
}

/// The reason why nothing comes from a client.
#[derive(Debug)]
pub(crate) enum LinkError {
    /// It has closed the connection, or broken it.
    Closed,
    /// It took too long.
    TimedOut,
    /// The client broke the protocol.
    Wire(WireError),
}

impl From<WireError> for LinkError {
    fn from(error: WireError) -> LinkError {
        LinkError::Wire(error)
    }
}

impl From<io::Error> for LinkError {
    fn from(error: io::Error) -> LinkError {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => LinkError::TimedOut,
            _ => LinkError::Closed,
        }
    }
}

/// The bytes that were read and not used yet.
#[derive(Debug)]
pub(crate) struct Input {
    framer: Framer,
    assembler: Assembler,
    queue: VecDeque<Incoming>,
    /// Where bytes are read to.
    raw: Vec<u8>,
    /// The timeout that the socket has, so that it is only set when it changes.
    timeout: Option<Duration>,
}

/// A client's socket.
#[derive(Debug)]
pub(crate) struct Link {
    socket: TcpStream,
    tls: Mutex<Option<ServerConnection>>,
    input: Mutex<Input>,
    metrics: Arc<DoorMetrics>,
}

impl Link {
    /// A link whose messages may have `limit_bytes` until the limit is changed.
    pub fn new(socket: TcpStream, limit_bytes: usize, metrics: Arc<DoorMetrics>) -> io::Result<Link> {
        socket.set_nodelay(true)?;
        // A client whose machine is gone without a word is found out, and its transaction rolled back.
        sockopt::set_socket_keepalive(&socket, true)?;
        sockopt::set_tcp_keepidle(&socket, KEEP_ALIVE)?;
        sockopt::set_tcp_keepintvl(&socket, KEEP_ALIVE_AGAIN)?;
        let input = Input {
            framer: Framer::new(),
            assembler: Assembler::new(limit_bytes),
            queue: VecDeque::new(),
            raw: vec![0; READ_BYTES],
            timeout: None,
        };
        Ok(Link { socket, tls: Mutex::new(None), input: Mutex::new(input), metrics })
    }

    /// Messages may have so many bytes from here on.
    pub fn set_limit(&self, limit_bytes: usize) {
        self.input().assembler = Assembler::new(limit_bytes);
    }

    pub fn input(&self) -> MutexGuard<'_, Input> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The input, if no other thread is reading.
    pub fn try_input(&self) -> Option<MutexGuard<'_, Input>> {
        self.input.try_lock().ok()
    }

    fn tls(&self) -> MutexGuard<'_, Option<ServerConnection>> {
        self.tls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if everything is encrypted now.
    pub fn is_encrypted(&self) -> bool {
        self.tls().is_some()
    }

    /// The next thing that the client sends, waited for until the deadline.
    pub fn next(&self, deadline: Option<Instant>) -> Result<Incoming, LinkError> {
        let mut input = self.input();
        loop {
            if let Some(incoming) = input.queue.pop_front() {
                return Ok(incoming);
            }
            self.fill(&mut input, deadline)?;
            input.pump()?;
        }
    }

    /// Waits for bytes and takes them in.
    fn fill(&self, input: &mut Input, deadline: Option<Instant>) -> Result<(), LinkError> {
        self.set_read_deadline(input, deadline)?;
        let mut raw = std::mem::take(&mut input.raw);
        let read = read_retrying(&self.socket, &mut raw);
        let taken = read.and_then(|count| self.take_in(input, raw.get(..count).unwrap_or_default()));
        input.raw = raw;
        taken
    }

    fn set_read_deadline(&self, input: &mut Input, deadline: Option<Instant>) -> Result<(), LinkError> {
        let timeout = match deadline {
            None => None,
            Some(deadline) => match deadline.saturating_duration_since(Instant::now()) {
                Duration::ZERO => return Err(LinkError::TimedOut),
                left => Some(left),
            },
        };
        if timeout != input.timeout {
            self.socket.set_read_timeout(timeout)?;
            input.timeout = timeout;
        }
        Ok(())
    }

    /// Takes in bytes of the socket; none of them is the end.
    fn take_in(&self, input: &mut Input, raw: &[u8]) -> Result<(), LinkError> {
        if raw.is_empty() {
            return Err(LinkError::Closed);
        }
        self.metrics.received_bytes_total.fetch_add(raw.len() as u64, Relaxed);
        match &mut *self.tls() {
            None => input.framer.feed(raw),
            Some(tls) => decrypt(tls, raw, |plain| input.framer.feed(plain))?,
        }
        Ok(())
    }

    /// Looks, without waiting, whether the client has sent anything while its request runs.
    pub fn poll(&self, input: &mut Input) -> Result<bool, LinkError> {
        let mut raw = [0; EARLY_BYTES];
        while !input.has_attention() && input.queue.len() < EARLY_MESSAGES {
            match rustix::net::recv(&self.socket, raw.as_mut_slice(), rustix::net::RecvFlags::DONTWAIT) {
                Ok((count, _)) => self.take_in(input, raw.get(..count).unwrap_or_default())?,
                Err(rustix::io::Errno::AGAIN) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Err(LinkError::Closed),
            }
            input.pump()?;
        }
        Ok(input.has_attention())
    }

    /// Sends bytes that are packets.
    pub fn send(&self, packets: &[u8]) -> Result<(), LinkError> {
        let mut records = Vec::new();
        let bytes = match &mut *self.tls() {
            None => packets,
            Some(tls) => {
                // The buffer of TLS has a limit: it is emptied after every piece.
                for piece in packets.chunks(READ_BYTES) {
                    tls.writer().write_all(piece)?;
                    while tls.wants_write() {
                        tls.write_tls(&mut records)?;
                    }
                }
                &records
            }
        };
        self.metrics.sent_bytes_total.fetch_add(bytes.len() as u64, Relaxed);
        (&self.socket).write_all(bytes)?;
        Ok(())
    }

    /// Returns true if the client begins with TLS at once, as version 8.0 does.
    pub fn begins_with_tls(&self, deadline: Instant) -> Result<bool, LinkError> {
        self.set_read_deadline(&mut self.input(), Some(deadline))?;
        let mut first = [0];
        let count = self.socket.peek(&mut first)?;
        if count == 0 { Err(LinkError::Closed) } else { Ok(first == [0x16]) }
    }

    /// Agrees on keys from the first byte on.
    pub fn begin_tls(&self, config: Arc<ServerConfig>, deadline: Instant) -> Result<(), LinkError> {
        let mut tls = ServerConnection::new(config).map_err(|_| LinkError::Closed)?;
        let mut input = self.input();
        let mut raw = [0; READ_BYTES];
        while tls.is_handshaking() {
            self.set_read_deadline(&mut input, Some(deadline))?;
            let count = read_retrying(&self.socket, &mut raw)?;
            if count == 0 {
                return Err(LinkError::Closed);
            }
            let done = decrypt(&mut tls, raw.get(..count).unwrap_or_default(), |plain| input.framer.feed(plain));
            let mut records = Vec::new();
            while tls.wants_write() {
                tls.write_tls(&mut records)?;
            }
            (&self.socket).write_all(&records)?;
            done?;
        }
        input.pump()?;
        *self.tls() = Some(tls);
        Ok(())
    }

    /// Agrees on keys inside packets, as versions 7.x do.
    pub fn begin_tls_inside(&self, config: Arc<ServerConfig>, deadline: Instant) -> Result<(), LinkError> {
        let mut tls = ServerConnection::new(config).map_err(|_| LinkError::Closed)?;
        let mut input = self.input();
        let mut out = PacketWriter::new(PacketKind::PreLogin);
        let mut early = Vec::new();
        while tls.is_handshaking() {
            let Some(packet) = input.framer.next_packet()? else {
                self.fill(&mut input, Some(deadline))?;
                continue;
            };
            if packet.kind != PacketKind::PreLogin {
                return Err(WireError::Malformed("no handshake where there has to be one").into());
            }
            let done = decrypt(&mut tls, packet.payload, |plain| early.extend_from_slice(plain));
            let mut records = Vec::new();
            while tls.wants_write() {
                tls.write_tls(&mut records)?;
            }
            if !records.is_empty() {
                out.put(&records);
                out.end_message();
                (&self.socket).write_all(&out.take())?;
            }
            done?;
        }
        // The handshake is followed by records without packets around them.
        let rest = input.framer.take_rest();
        input.framer.feed(&early);
        decrypt(&mut tls, &rest, |plain| input.framer.feed(plain))?;
        input.pump()?;
        *self.tls() = Some(tls);
        Ok(())
    }

    /// Goes on without encryption: only the login was to be hidden.
    pub fn end_tls(&self) {
        *self.tls() = None;
    }
}

/// Looks for attentions, and for clients that are gone, while a request runs.
impl Watcher for Link {
    fn look(&self, connection: &Connection) {
        // A thread that holds the input reads itself (a bulk load), or has just ended the request.
        let Some(mut input) = self.try_input() else { return };
        if !connection.is_running() {
            return;
        }
        if connection.is_cancelled() {
            // Repeated: the session may have been about to begin at the first call.
            return connection.cancel();
        }
        match self.poll(&mut input) {
            Ok(false) | Err(LinkError::TimedOut) => {}
            Ok(true) => {
                self.metrics.cancelled_total.fetch_add(1, Relaxed);
                connection.cancel();
            }
            // The connection's thread finds the same when it writes or reads next.
            Err(LinkError::Closed | LinkError::Wire(_)) => connection.cancel(),
        }
    }
}

impl Input {
    /// Makes requests of the bytes that are there.
    fn pump(&mut self) -> Wire<()> {
        while let Some(packet) = self.framer.next_packet()? {
            match packet.kind {
                PacketKind::Attention => self.queue.push_back(Incoming::Attention),
                PacketKind::BulkLoad => self.queue.push_back(Incoming::Bulk(BulkPacket {
                    payload: packet.payload.to_vec(),
                    is_end: packet.status.is_end(),
                    is_ignored: packet.status.is_ignored(),
                    reset: packet.status.reset(),
                })),
                _ => self.queue.extend(self.assembler.push(packet)?.map(Incoming::Message)),
            }
        }
        Ok(())
    }

    fn has_attention(&self) -> bool {
        self.queue.iter().any(|incoming| matches!(incoming, Incoming::Attention))
    }

    /// Puts an attention back that was read in the middle of a request, for who ends the request.
    pub fn put_attention_back(&mut self) {
        self.queue.push_front(Incoming::Attention);
    }

    /// Takes an attention out of what came while the request ran.
    pub fn take_attention(&mut self) -> bool {
        let had = self.has_attention();
        self.queue.retain(|incoming| !matches!(incoming, Incoming::Attention));
        had
    }
}

fn read_retrying(mut socket: &TcpStream, raw: &mut [u8]) -> Result<usize, LinkError> {
    loop {
        match socket.read(raw) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return Ok(other?),
        }
    }
}

/// Gives bytes to TLS, and what is in them to `take`.
fn decrypt(tls: &mut ServerConnection, mut raw: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), LinkError> {
    let mut plain = [0; READ_BYTES];
    while !raw.is_empty() {
        if tls.read_tls(&mut raw)? == 0 {
            return Err(LinkError::Closed);
        }
        tls.process_new_packets().map_err(|_| WireError::Malformed("a record of TLS that is wrong"))?;
        loop {
            match tls.reader().read(&mut plain) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(count) => take(plain.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn clients_that_are_silent_are_asked_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (socket, _) = listener.accept().unwrap();
        let metrics = DoorMetrics::new("tds", &[]);
        let link = Link::new(socket, 100, Arc::new(metrics)).unwrap();
        assert!(sockopt::socket_keepalive(&link.socket).unwrap() && link.socket.nodelay().unwrap());
        assert_eq!(sockopt::tcp_keepidle(&link.socket).unwrap(), KEEP_ALIVE);
    }
}
