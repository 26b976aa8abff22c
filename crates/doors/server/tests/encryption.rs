//! TLS in its three forms: inside packets, for the login only, and from the first byte.

mod common;

use common::trusting::client;
use common::{Wire, config, errors, rows, start, start_with};
use mainstay_server::{Config, Server, SqliDoor};
use mainstay_session::{Backend, Failure, Session};
use mainstay_sqli::{ConnectReply, ConnectRequest, Outcome, login_length};
use mainstay_tds::{Encryption, Framer, Login, PacketKind, PacketWriter, Version};
use mainstay_types::Value;
use mainstay_vfs::Disk;
use rustls::{ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

/// A socket that wraps what goes through it into packets of PRELOGIN, as long as a handshake does.
struct Wrapped {
    socket: TcpStream,
    wraps: bool,
    framer: Framer,
    unwrapped: Vec<u8>,
}

impl Read for Wrapped {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.wraps && self.unwrapped.is_empty() {
            if let Some(packet) = self.framer.next_packet().unwrap() {
                assert_eq!(packet.kind, PacketKind::PreLogin);
                self.unwrapped = packet.payload.to_vec();
                continue;
            }
            let mut piece = [0; 2000];
            let count = self.socket.read(&mut piece)?;
            assert!(count > 0, "the server gave up");
            self.framer.feed(&piece[..count]);
        }
        if !self.wraps {
            return self.socket.read(out);
        }
        let count = out.len().min(self.unwrapped.len());
        out[..count].copy_from_slice(&self.unwrapped[..count]);
        self.unwrapped.drain(..count);
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

/// A connection whose handshake is done inside packets.
fn encrypted(socket: TcpStream) -> StreamOwned<ClientConnection, Wrapped> {
    let wrapped = Wrapped { socket, wraps: true, framer: Framer::new(), unwrapped: Vec::new() };
    let mut stream = StreamOwned::new(client(None), wrapped);
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock).unwrap();
    }
    assert_eq!(stream.conn.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_2));
    stream.sock.wraps = false;
    stream
}

#[test]
fn everything_is_encrypted_if_the_client_wants_it() {
    let running = start("encryption = 'required'");
    let mut wire = Wire::connect(running.address);
    assert_eq!(wire.pre_login(Encryption::On).encryption, Encryption::On);
    let mut wire = Wire::over(encrypted(wire.into_stream()));
    let mut login = Login::of("sa", "", Version::V7_4);
    login.packet_size = 32_767;
    let tokens = wire.log_in(&login);
    assert_eq!(errors(&tokens), []);
    // No driver takes a larger packet through TLS.
    assert!(tokens.iter().any(|token| token.change() == Some((4, "16383".into()))));
    assert_eq!(rows(&wire.batch("rows 30000")).len(), 30_000);
    wire.send_batch("sleep 20");
    wire.attention();
    assert_eq!(common::ends(&wire.tokens()), [(0xFD, 0x02, 0)]);
    assert_eq!(common::ends(&wire.tokens()), [(0xFD, 0x20, 0)]);
    assert!(running.log.text().contains("encrypted=true"));
}

#[test]
fn the_login_alone_is_encrypted_if_neither_side_wants_more() {
    let running = start("");
    let mut wire = Wire::connect(running.address);
    assert_eq!(wire.pre_login(Encryption::Off).encryption, Encryption::Off);
    let mut hidden = Wire::over(encrypted(wire.into_stream()));
    let mut login = Vec::new();
    Login::of("sa", "", Version::V7_4).encode(&mut login);
    hidden.send_message(PacketKind::Login, &login);
    // The answer is not, and nothing that follows.
    let mut wire = Wire::over(hidden.into_stream().sock.socket);
    assert_eq!(errors(&wire.tokens()), []);
    assert_eq!(rows(&wire.batch("SELECT 6")), [[Value::Integer(6)]]);
}

#[test]
fn version_8_is_encrypted_from_the_first_byte() {
    let running = start_with(config("encryption = 'required'"));
    let socket = TcpStream::connect(running.address).unwrap();
    let mut wire = Wire::over(StreamOwned::new(client(Some(b"tds/8.0")), socket));
    assert_eq!(wire.pre_login(Encryption::Required).encryption, Encryption::On);
    assert_eq!(errors(&wire.log_in(&Login::of("sa", "", Version::V8_0))), []);
    assert_eq!(rows(&wire.batch("SELECT 7")), [[Value::Integer(7)]]);
    let stream = wire.into_stream();
    assert_eq!(stream.conn.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
    assert_eq!(stream.conn.alpn_protocol(), Some(&b"tds/8.0"[..]));
}

#[test]
fn a_handshake_that_is_none_ends_its_connection() {
    let running = start("");
    for bytes in [&[0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5][..], &[1; 100], &[0x16, 3, 3, 0xFF, 0xFF, 0]] {
        let mut wire = Wire::connect(running.address);
        wire.pre_login(Encryption::On);
        wire.send_message(PacketKind::PreLogin, bytes);
        let _ = wire.stream.shutdown(std::net::Shutdown::Write);
        // An alert may come before the end.
        while wire.receive().is_some() {}
    }
    common::eventually("they are gone", || running.log.text().matches("event=disconnect").count() == 3);
}

/// Refuses every session by a reason of its own.
struct NoSessions;

impl Backend for NoSessions {
    fn session(&self, _: &mainstay_session::Login) -> Result<Box<dyn Session>, Failure> {
        Err(Failure { message: "no sessions".to_owned(), ..Failure::default() })
    }
}

/// The answer to the login of an Informix client.
fn sqli_login(stream: &mut (impl Read + Write)) -> ConnectReply {
    let request = ConnectRequest { user: "ann".to_owned(), ..ConnectRequest::default() };
    stream.write_all(&request.encode()).unwrap();
    let mut received = Vec::new();
    while login_length(&received).unwrap().is_none_or(|length| received.len() < length) {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        received.push(byte[0]);
    }
    ConnectReply::decode(&received).unwrap()
}

#[test]
fn informix_clients_are_served_with_tls_from_the_first_byte() {
    let required = Config { encryption: mainstay_server::Encryption::Required, ..Config::default() };
    let address = "127.0.0.1:0".parse().unwrap();
    let server = Server::new(required, &Disk, Box::new(io::sink())).unwrap();
    let address = server.open(address, SqliDoor::new(Arc::new(NoSessions))).unwrap();
    let socket = TcpStream::connect(address).unwrap();
    let outcome = sqli_login(&mut StreamOwned::new(client(None), socket)).outcome;
    assert_eq!(outcome, Outcome::Rejected(-951, 13, "no sessions".to_owned()));
    let outcome = sqli_login(&mut TcpStream::connect(address).unwrap()).outcome;
    assert_eq!(outcome, Outcome::Rejected(-951, 13, "encryption is required".to_owned()));
    assert!(server.stop().complete);
}
