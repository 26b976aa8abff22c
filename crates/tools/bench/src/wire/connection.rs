//! A minimal client of bare packets: only the part of a driver that a call needs.

use mainstay_tds::client::{Token, put_calls, tokens};
use mainstay_tds::{
    Assembler, Batch, Call, Encryption, Framer, Headers, Login, PacketKind, PacketWriter, PreLogin, Version,
};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const VERSION: Version = Version::V7_4;

/// The longest answer, and how long to wait for one.
const LONGEST: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection that is logged in.
pub(super) struct Connection {
    stream: TcpStream,
    framer: Framer,
    assembler: Assembler,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects as `sa` without encryption, as on this machine is allowed where no users are configured.
    pub(super) fn open(address: SocketAddr) -> Result<Connection, String> {
        let stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
        stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(PATIENCE))).map_err(|e| e.to_string())?;
        let (framer, assembler) = (Framer::new(), Assembler::new(LONGEST));
        let mut connection = Connection { stream, framer, assembler, buffer: vec![0; 1 << 16] };
        let mut bytes = Vec::new();
        let encryption = Encryption::NotSupported;
        let version = (1, 0, 0);
        PreLogin { version, encryption, instance: String::new(), mars: false, federated: None }.encode(&mut bytes);
        connection.ask(&message(PacketKind::PreLogin, &bytes))?;
        bytes.clear();
        Login::of("sa", "", VERSION).encode(&mut bytes);
        connection.asked(&message(PacketKind::Login, &bytes))?;
        Ok(connection)
    }

    /// Sends a request and gives the bytes of its answer.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        self.stream.write_all(request).map_err(|error| error.to_string())?;
        loop {
            while let Some(packet) = self.framer.next_packet().map_err(|error| error.to_string())? {
                if let Some(answer) = self.assembler.push(packet).map_err(|error| error.to_string())? {
                    return Ok(answer.bytes);
                }
            }
            let count = self.stream.read(&mut self.buffer).map_err(|error| error.to_string())?;
            if count == 0 {
                return Err("the server has closed the connection".to_owned());
            }
            self.framer.feed(&self.buffer[..count]);
        }
    }

    /// Sends a request and reads its answer: the tokens, or the first error among them.
    pub(super) fn asked(&mut self, request: &[u8]) -> Result<Vec<Token>, String> {
        let answer = tokens(&self.ask(request)?, VERSION).map_err(|error| error.to_string())?;
        let error = answer.iter().find_map(|token| match token {
            Token::Message(message) if message.is_error() => Some(message.to_string()),
            _ => None,
        });
        error.map_or(Ok(answer), Err)
    }

    /// Runs a batch.
    pub(super) fn batch(&mut self, text: &str) -> Result<Vec<Token>, String> {
        let mut bytes = Vec::new();
        Batch { headers: Headers::default(), text: text.into() }.encode(VERSION, &mut bytes);
        self.asked(&message(PacketKind::Batch, &bytes))
    }
}

/// The packets of a call.
pub(super) fn request(call: &Call) -> Result<Vec<u8>, String> {
    let mut out = PacketWriter::new(PacketKind::Rpc);
    put_calls(std::slice::from_ref(call), Headers::default(), VERSION, &mut out)?;
    out.end_message();
    Ok(out.take())
}

fn message(kind: PacketKind, payload: &[u8]) -> Vec<u8> {
    let mut out = PacketWriter::new(kind);
    out.put(payload);
    out.end_message();
    out.take()
}
