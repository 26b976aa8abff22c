//! Common parts of the tests of the door: a server with the scripted backend, and a client of bare packets.
#![allow(dead_code, reason = "each test uses some of it")]

pub mod scripted;
pub mod trusting;

use mainstay_server::{Config, Server, TdsDoor};
use mainstay_tds::client::{Token, tokens};
use mainstay_tds::{
    Assembler, Batch, Encryption, Framer, Headers, Login, PacketKind, PacketWriter, PreLogin, TransactionRequest,
    Version, WholeMessage,
};
use mainstay_vfs::Memory;
use scripted::Scripted;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A log that a test can look at.
#[derive(Clone, Default)]
pub struct Lines(pub Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// A server with a door for SQL Server's clients, its backend and its log.
pub struct Running {
    pub server: Server,
    pub address: SocketAddr,
    pub http: Option<SocketAddr>,
    pub backend: Arc<Scripted>,
    pub log: Lines,
}

/// Settings for tests: any port, and the given lines below `[server]`.
pub fn config(lines: &str) -> Config {
    let mut config = Config::from_toml(&format!("[server]\n{lines}")).unwrap();
    config.tds.set_port(0);
    config
}

pub fn start(lines: &str) -> Running {
    start_with(config(lines))
}

pub fn start_with(config: Config) -> Running {
    let (backend, log) = (Arc::new(Scripted::default()), Lines::default());
    let (tds, http) = (config.tds, config.http);
    let server = Server::new(config, &Memory::new(), Box::new(log.clone())).unwrap();
    let address = server.open(tds, TdsDoor::new(Arc::clone(&backend))).unwrap();
    let http = http.map(|address| server.open_http(address).unwrap());
    Running { server, address, http, backend, log }
}

/// Waits until something is so; fails the test after five seconds.
pub fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(5);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A client of bare packets, over any stream.
pub struct Wire<S> {
    pub stream: S,
    framer: Framer,
    assembler: Assembler,
    pub out: PacketWriter,
    pub version: Version,
}

impl Wire<TcpStream> {
    pub fn connect(address: SocketAddr) -> Wire<TcpStream> {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.set_nodelay(true).unwrap();
        Wire::over(stream)
    }

    /// Connected and logged in as `sa`, without encryption.
    pub fn logged_in(address: SocketAddr) -> Wire<TcpStream> {
        let mut wire = Wire::connect(address);
        let said = wire.pre_login(Encryption::NotSupported);
        assert_eq!(said.encryption, Encryption::NotSupported);
        wire.log_in(&Login::of("sa", "", Version::V7_4));
        wire
    }
}

impl<S: Read + Write> Wire<S> {
    pub fn over(stream: S) -> Wire<S> {
        let (framer, assembler) = (Framer::new(), Assembler::new(64 << 20));
        Wire { stream, framer, assembler, out: PacketWriter::new(PacketKind::Batch), version: Version::V7_4 }
    }

    /// Another stream from here on.
    pub fn into_stream(self) -> S {
        self.stream
    }

    pub fn send_message(&mut self, kind: PacketKind, payload: &[u8]) {
        self.out.set_kind(kind);
        self.out.put(payload);
        self.out.end_message();
        let bytes = self.out.take();
        self.stream.write_all(&bytes).unwrap();
    }

    /// The next message; none at the end of the stream.
    pub fn receive(&mut self) -> Option<WholeMessage> {
        loop {
            if let Some(packet) = self.framer.next_packet().unwrap() {
                if let Some(message) = self.assembler.push(packet).unwrap() {
                    return Some(message);
                }
                continue;
            }
            let mut piece = [0; 4096];
            match self.stream.read(&mut piece) {
                Ok(0) => return None,
                Ok(count) => self.framer.feed(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => panic!("no answer"),
                Err(_) => return None,
            }
        }
    }

    pub fn pre_login(&mut self, encryption: Encryption) -> PreLogin {
        let asked =
            PreLogin { version: (1, 0, 0), encryption, instance: String::new(), mars: false, federated: Some(true) };
        let mut bytes = Vec::new();
        asked.encode(&mut bytes);
        self.send_message(PacketKind::PreLogin, &bytes);
        let answer = self.receive().unwrap();
        assert_eq!(answer.kind, PacketKind::Answer);
        PreLogin::decode(&answer.bytes).unwrap()
    }

    pub fn tokens(&mut self) -> Vec<Token> {
        let message = self.receive().expect("an answer");
        tokens(&message.bytes, self.version).unwrap()
    }

    pub fn log_in(&mut self, login: &Login) -> Vec<Token> {
        let mut bytes = Vec::new();
        login.encode(&mut bytes);
        self.version = login.version;
        self.send_message(PacketKind::Login, &bytes);
        self.tokens()
    }

    pub fn send_batch(&mut self, text: &str) {
        let mut bytes = Vec::new();
        Batch { headers: Headers::default(), text: text.into() }.encode(self.version, &mut bytes);
        self.send_message(PacketKind::Batch, &bytes);
    }

    pub fn batch(&mut self, text: &str) -> Vec<Token> {
        self.send_batch(text);
        self.tokens()
    }

    pub fn transaction(&mut self, request: &TransactionRequest) -> Vec<Token> {
        let mut bytes = Vec::new();
        request.encode(Headers::default(), self.version, &mut bytes);
        self.send_message(PacketKind::TransactionManager, &bytes);
        self.tokens()
    }

    pub fn attention(&mut self) {
        self.send_message(PacketKind::Attention, &[]);
    }
}

/// The number and severity of the errors among tokens.
pub fn errors(tokens: &[Token]) -> Vec<(i32, u8)> {
    let errors = tokens.iter().filter_map(|token| match token {
        Token::Message(message) if message.is_error() => Some((message.number, message.severity)),
        _ => None,
    });
    errors.collect()
}

/// The rows among tokens.
pub fn rows(tokens: &[Token]) -> Vec<Vec<mainstay_types::Value>> {
    let rows = tokens.iter().filter_map(|token| if let Token::Row(row) = token { Some(row.clone()) } else { None });
    rows.collect()
}

/// Status and count of the ends among tokens.
pub fn ends(tokens: &[Token]) -> Vec<(u8, u16, u64)> {
    let ends = tokens.iter().filter_map(|token| match token {
        Token::Done(token, status, _, count) => Some((*token, *status, *count)),
        _ => None,
    });
    ends.collect()
}
