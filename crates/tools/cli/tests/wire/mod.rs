//! A client of SQL Server's protocol for tests of `mainstay serve`.
#![allow(dead_code, reason = "each test uses a part of it")]

pub mod informix;
pub mod page;

use mainstay_tds::{Assembler, Batch, Encryption, Framer, Headers, Login, PacketKind, PacketWriter, PreLogin, Version};
use std::io::{Read, Write};
use std::net::TcpStream;

/// A client of SQL Server's protocol: it sends, and waits for the ends of answers.
pub struct TdsClient {
    pub stream: TcpStream,
    framer: Framer,
    assembler: Assembler,
}

impl TdsClient {
    /// Connected and logged in as `sa`.
    pub fn connect(address: &str) -> TdsClient {
        TdsClient::connect_as(address, "sa", "").0
    }

    /// Connected, and the answer to the login of this user.
    pub fn connect_as(address: &str, user: &str, password: &str) -> (TdsClient, Vec<u8>) {
        let stream = TcpStream::connect(address).unwrap();
        let mut client = TdsClient { stream, framer: Framer::new(), assembler: Assembler::new(64 << 20) };
        let mut asked = Vec::new();
        let encryption = Encryption::NotSupported;
        PreLogin { version: (1, 0, 0), encryption, instance: String::new(), mars: false, federated: None }
            .encode(&mut asked);
        client.send(PacketKind::PreLogin, &asked);
        client.wait();
        let mut login = Vec::new();
        Login::of(user, password, Version::V7_4).encode(&mut login);
        client.send(PacketKind::Login, &login);
        let answer = client.answer().unwrap();
        (client, answer)
    }

    /// The answer to a batch, as the text that its messages and values are in.
    pub fn answer_text(&mut self, batch: &str) -> String {
        self.send_batch(batch);
        readable(&self.answer().unwrap())
    }

    pub fn send(&mut self, kind: PacketKind, payload: &[u8]) {
        let mut out = PacketWriter::new(kind);
        out.put(payload);
        out.end_message();
        self.stream.write_all(&out.take()).unwrap();
    }

    pub fn send_batch(&mut self, text: &str) {
        let mut bytes = Vec::new();
        Batch { headers: Headers::default(), text: text.into() }.encode(Version::V7_4, &mut bytes);
        self.send(PacketKind::Batch, &bytes);
    }

    /// Until an answer has come as a whole.
    pub fn wait(&mut self) {
        self.answer().unwrap();
    }

    /// The bytes of an answer; what the socket says when it does not come.
    pub fn answer(&mut self) -> std::io::Result<Vec<u8>> {
        loop {
            if let Some(packet) = self.framer.next_packet().unwrap() {
                if let Some(message) = self.assembler.push(packet).unwrap() {
                    return Ok(message.bytes.to_vec());
                }
                continue;
            }
            let mut piece = [0; 4096];
            match self.stream.read(&mut piece)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                count => self.framer.feed(&piece[..count]),
            }
        }
    }
}

/// The characters of an answer: texts of its tokens are UTF-16, and so without their zero bytes they can be searched.
pub fn readable(answer: &[u8]) -> String {
    let bytes: Vec<u8> = answer.iter().copied().filter(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
