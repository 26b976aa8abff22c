//! Transport of frames to a server and back: over a socket, or by a call within the process.

use super::connection::Address;
use super::tls;
use crate::server::{Service, Session};
use crate::wire::frame::{Frame, Frames, Kind, LONGEST_ANSWER};
use crate::wire::messages::{Hello, MARK, Prelude, Problem, Progress, TlsWish, VERSION, Welcome, encrypts};
use crate::wire::{decode, encode, malformed};
use mainstay_types::{Code, Error, Result};
use rustix::net::sockopt;
use rustls::ClientConnection;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// The timeout of connecting, and of the first answers.
const PATIENCE: Duration = Duration::from_secs(15);
/// A server that says nothing for so long is asked by the operating system whether it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The interval of further probes, some nine of them, before the connection is dropped.
const KEEP_ALIVE_AGAIN: Duration = Duration::from_secs(2);
/// Bytes read at a time.
const READ_BYTES: usize = 64 * 1024;

/// Brings frames to a server, and back.
pub trait Transport: Send {
    /// Sends a frame; how many bytes went over the wire.
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<usize>;
    /// Waits for a frame; how many bytes came.
    fn receive(&mut self) -> Result<(Frame, usize)>;
    /// Returns true if the other side is there, as far as is known without asking it.
    fn is_alive(&mut self) -> bool;
}

/// The connection is gone.
pub(crate) fn lost(reason: impl std::fmt::Display) -> Error {
    Error::new(Code::ConnectionLost, format!("the connection to the server is lost: {reason}"))
}

/// A socket, with TLS in it or not.
pub struct Tcp {
    socket: TcpStream,
    tls: Option<Box<ClientConnection>>,
    frames: Frames,
    raw: Vec<u8>,
}

impl Tcp {
    /// Connects, agrees on the version and on TLS. Connections to other machines are encrypted if the server can.
    ///
    /// Errors: `ConnectionLost` without an answer; `NotPermitted` if one side requires TLS and the other has none.
    pub fn connect(address: &Address) -> Result<Tcp> {
        let Address { host, port, must_encrypt, .. } = address;
        let (host, port, must_encrypt) = (host.as_str(), *port, *must_encrypt);
        let unreachable = |error: std::io::Error| {
            Error::new(Code::ConnectionLost, format!("the server cannot be reached: {error}"))
                .at(format!("{host}:{port}"))
        };
        let mut failure = std::io::Error::new(ErrorKind::NotFound, "the name means no address");
        let mut socket = None;
        for address in (host, port).to_socket_addrs().map_err(unreachable)? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(connected) => {
                    socket = Some(connected);
                    break;
                }
                Err(error) => failure = error,
            }
        }
        let socket = socket.ok_or_else(|| unreachable(failure))?;
        let is_near = socket.peer_addr().is_ok_and(|peer| peer.ip().to_canonical().is_loopback());
        // A server whose machine is gone without a word is found out, however long an answer is waited for.
        let kept_alive = sockopt::set_socket_keepalive(&socket, true)
            .and_then(|()| sockopt::set_tcp_keepidle(&socket, KEEP_ALIVE))
            .and_then(|()| sockopt::set_tcp_keepintvl(&socket, KEEP_ALIVE_AGAIN));
        kept_alive.map_err(lost)?;
        let prepared = socket.set_nodelay(true).and_then(|()| socket.set_read_timeout(Some(PATIENCE)));
        prepared.map_err(lost)?;
        let mut tcp = Tcp { socket, tls: None, frames: Frames::new(LONGEST_ANSWER), raw: vec![0; READ_BYTES] };
        // Connections within this machine are not encrypted, unless one side requires it.
        let tls = match (must_encrypt, is_near) {
            (true, _) => TlsWish::Required,
            (false, true) => TlsWish::Off,
            (false, false) => TlsWish::Open,
        };
        tcp.send(Kind::Prelude, &encode(&Prelude { mark: MARK, version: VERSION, tls }))?;
        let (frame, _) = tcp.receive()?;
        let said: Prelude = match frame.kind {
            Kind::Prelude => decode(&frame.body)?,
            Kind::Refused => return Err(decode::<Problem>(&frame.body)?.error),
            _ => return Err(malformed("no prelude")),
        };
        if said.mark != MARK || said.version == 0 {
            return Err(Error::new(Code::Unsupported, "the server speaks another protocol"));
        }
        if encrypts(tls, said.tls)? {
            tcp.begin_tls(address)?;
        }
        Ok(tcp)
    }

    /// Sends the identity of the client. From here on answers are waited for without a timeout.
    pub fn log_in(&mut self, hello: &Hello) -> Result<Welcome> {
        self.send(Kind::Hello, &encode(hello))?;
        let (frame, _) = self.receive()?;
        self.socket.set_read_timeout(None).map_err(lost)?;
        match frame.kind {
            Kind::Welcome => decode(&frame.body),
            Kind::Refused => Err(decode::<Problem>(&frame.body)?.error),
            _ => Err(malformed("no welcome")),
        }
    }

    fn begin_tls(&mut self, address: &Address) -> Result<()> {
        let mut tls = tls::connection(&address.host, address.trusted.as_deref())?;
        while tls.is_handshaking() {
            tls.complete_io(&mut self.socket).map_err(|error| match error.kind() {
                ErrorKind::InvalidData => Error::new(Code::NotPermitted, format!("the server is not trusted: {error}")),
                _ => lost(error),
            })?;
        }
        self.tls = Some(Box::new(tls));
        Ok(())
    }
}

impl Transport for Tcp {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<usize> {
        let frame = Frame::bytes(kind, body);
        let sent = match &mut self.tls {
            None => self.socket.write_all(&frame),
            Some(tls) => rustls::Stream::new(&mut **tls, &mut self.socket).write_all(&frame),
        };
        sent.map(|()| frame.len()).map_err(lost)
    }

    fn receive(&mut self) -> Result<(Frame, usize)> {
        let mut came = 0;
        loop {
            if let Some(frame) = self.frames.next_frame()? {
                return Ok((frame, came));
            }
            let read = match &mut self.tls {
                None => self.socket.read(&mut self.raw),
                Some(tls) => rustls::Stream::new(&mut **tls, &mut self.socket).read(&mut self.raw),
            };
            match read {
                Ok(0) => return Err(lost("the server has closed it")),
                Ok(count) => {
                    came += count;
                    self.frames.feed(self.raw.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(lost(error)),
            }
        }
    }

    fn is_alive(&mut self) -> bool {
        // Between requests nothing comes but the end. (What TLS says last is the end, too.)
        if self.socket.set_nonblocking(true).is_err() {
            return false;
        }
        let peeked = self.socket.peek(&mut [0]);
        let is_quiet = matches!(&peeked, Err(error) if error.kind() == ErrorKind::WouldBlock);
        // After a handshake of TLS 1.3 the server sends tickets, which are read with the next answer.
        let may_have_tickets = self.tls.is_some() && matches!(peeked, Ok(1));
        self.socket.set_nonblocking(false).is_ok() && (is_quiet || may_have_tickets)
    }
}

/// A server in the same process: for tests and measurements of everything but the network.
pub struct InProcess {
    session: Session,
    answers: VecDeque<Frame>,
}

impl InProcess {
    /// A session of this service.
    pub fn connect(service: &Arc<Service>, hello: &Hello) -> Result<InProcess> {
        let session = service.session(hello, "in process")?;
        Ok(InProcess { session, answers: VecDeque::new() })
    }
}

impl Transport for InProcess {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<usize> {
        match kind {
            Kind::Request => {
                let request = decode(body)?;
                let answers = &mut self.answers;
                let answer = self.session.answer(&request, &mut |done, all| {
                    // The call cannot be interrupted: its progress is reported after it.
                    answers.push_back(Frame { kind: Kind::Progress, body: encode(&Progress { done, all }) });
                    ControlFlow::Continue(())
                });
                if !request.progress {
                    self.answers.clear();
                }
                self.answers.push_back(Frame { kind: Kind::Answer, body: encode(&answer) });
            }
            // It comes too late: its step is done.
            Kind::Verdict => {}
            _ => return Err(malformed("a frame of another kind")),
        }
        Ok(Frame::bytes(kind, body).len())
    }

    fn receive(&mut self) -> Result<(Frame, usize)> {
        let frame = self.answers.pop_front().ok_or_else(|| lost("there is no answer"))?;
        let length = frame.body.len() + 5;
        Ok((frame, length))
    }

    fn is_alive(&mut self) -> bool {
        true
    }
}
