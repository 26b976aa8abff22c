//! The socket of a client, with optional TLS.
//!
//! A read blocks for a tenth of a second at most: the reading thread also checks for Ctrl-C, and is the only one that
//! writes, because a TLS connection has one state for both directions.
//!
//! Versions 7.x of the protocol carry the handshake of TLS in packets of PRELOGIN, and everything after it in plain TLS
//! records (MS-TDS 3.2.5.2). Version 8.0 is TLS from the first byte.

use super::trust;
use mainstay_tds_client::{Address, Encrypt, Framer, PacketKind, PacketWriter};
use mainstay_types::{Code, Error, Result};
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The time that connecting to one address may take.
const CONNECT_PATIENCE: Duration = Duration::from_secs(15);
/// The time that the handshake of TLS may take.
const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(15);
/// The longest wait of a read.
const POLL: Duration = Duration::from_millis(100);
const BUFFER_BYTES: usize = 64 << 10;

/// The outcome of a read.
pub(super) enum Received<'b> {
    /// Bytes of the server.
    Bytes(&'b [u8]),
    /// Nothing yet.
    Nothing,
}

enum Stream {
    Plain(Wrapped),
    Tls(Box<StreamOwned<ClientConnection, Wrapped>>),
    /// While one becomes the other, and after a failure between.
    None,
}

/// A connected socket.
pub(super) struct Transport {
    stream: Stream,
    address: Address,
    buffer: Vec<u8>,
}

impl Transport {
    /// Connects to a server.
    ///
    /// Errors: `ConnectionLost` with the address.
    pub(super) fn open(address: &Address) -> Result<Transport> {
        let lost = |reason: io::Error| {
            let error = Error::new(Code::ConnectionLost, format!("no connection to the server: {reason}")).at(address);
            error.hint("the address of a server is in the line event=ready of its log")
        };
        let places = (address.host.as_str(), address.port).to_socket_addrs().map_err(lost)?;
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for place in places {
            match TcpStream::connect_timeout(&place, CONNECT_PATIENCE) {
                Ok(socket) => return Transport::over(socket, address).map_err(|error| lost(io::Error::other(error))),
                Err(error) => last = error,
            }
        }
        Err(lost(last))
    }

    fn over(socket: TcpStream, address: &Address) -> Result<Transport> {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(POLL))?;
        let wrapped = Wrapped { socket, wraps: false, framer: Framer::new(), unwrapped: Vec::new() };
        let (stream, address, buffer) = (Stream::Plain(wrapped), address.clone(), vec![0; BUFFER_BYTES]);
        let mut transport = Transport { stream, address, buffer };
        if transport.address.encrypt == Encrypt::Strict {
            transport.handshake(false)?;
        }
        Ok(transport)
    }

    /// Begins TLS whose handshake goes through packets.
    pub(super) fn begin_tls(&mut self) -> Result<()> {
        self.handshake(true)
    }

    fn handshake(&mut self, wraps: bool) -> Result<()> {
        let Stream::Plain(mut socket) = std::mem::replace(&mut self.stream, Stream::None) else {
            return Err(Error::new(Code::ConnectionLost, "TLS has begun already"));
        };
        let config = trust::client_config(&self.address, !wraps)?;
        let name = ServerName::try_from(self.address.host.clone())
            .map_err(|_| Error::new(Code::InvalidSetting, "the host is not a name that a certificate can have"))?;
        let connection = ClientConnection::new(config, name).map_err(|error| self.failed(&error))?;
        socket.wraps = wraps;
        let mut stream = StreamOwned::new(connection, socket);
        let deadline = Instant::now() + HANDSHAKE_PATIENCE;
        while stream.conn.is_handshaking() {
            match stream.conn.complete_io(&mut stream.sock) {
                Ok(_) => {}
                Err(error) if is_timeout(&error) && Instant::now() < deadline => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        stream.sock.wraps = false;
        self.stream = Stream::Tls(Box::new(stream));
        Ok(())
    }

    fn failed(&self, reason: &dyn std::fmt::Display) -> Error {
        let error = Error::new(Code::ConnectionLost, format!("no encrypted connection: {reason}")).at(&self.address);
        error.hint("trust=FILE names the server's certificate, trust=yes accepts any")
    }

    /// Sends bytes, all of them.
    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let sent = match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(bytes),
            Stream::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()),
            Stream::None => Err(io::ErrorKind::NotConnected.into()),
        };
        sent.map_err(|error| self.lost(&error))
    }

    /// Receives bytes, if there are some soon.
    pub(super) fn receive(&mut self) -> Result<Received<'_>> {
        let read = match &mut self.stream {
            Stream::Plain(socket) => socket.read(&mut self.buffer),
            Stream::Tls(stream) => stream.read(&mut self.buffer),
            Stream::None => Err(io::ErrorKind::NotConnected.into()),
        };
        match read {
            Ok(0) => Err(self.lost(&"the server has closed it")),
            Ok(count) => Ok(Received::Bytes(self.buffer.get(..count).unwrap_or_default())),
            Err(error) if is_timeout(&error) => Ok(Received::Nothing),
            Err(error) => Err(self.lost(&error)),
        }
    }

    fn lost(&self, reason: &dyn std::fmt::Display) -> Error {
        Error::new(Code::ConnectionLost, format!("the connection was lost: {reason}")).at(&self.address)
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// A socket that wraps what goes through it into packets of PRELOGIN, as long as a handshake does.
struct Wrapped {
    socket: TcpStream,
    wraps: bool,
    framer: Framer,
    unwrapped: Vec<u8>,
}

impl Read for Wrapped {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !self.wraps && self.unwrapped.is_empty() {
            return self.socket.read(out);
        }
        while self.unwrapped.is_empty() {
            match self.framer.next_packet().map_err(io::Error::other)? {
                Some(packet) => self.unwrapped.extend_from_slice(packet.payload),
                None => {
                    let mut piece = [0; 4096];
                    let count = self.socket.read(&mut piece)?;
                    if count == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                    self.framer.feed(piece.get(..count).unwrap_or_default());
                }
            }
        }
        let count = out.len().min(self.unwrapped.len());
        out.iter_mut().zip(self.unwrapped.drain(..count)).for_each(|(place, byte)| *place = byte);
        Ok(count)
    }
}

impl Write for Wrapped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.wraps {
            return self.socket.write(bytes);
        }
        let mut out = PacketWriter::new(PacketKind::PreLogin);
        out.put(bytes);
        out.end_message();
        self.socket.write_all(&out.take())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}
