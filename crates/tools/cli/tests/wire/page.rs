//! A page of `mainstay serve --console` without a browser: it starts a program, types, and reads the rows of the screen.
//!
//! The frames are those of RFC 6455; the operations in them are those of the crate `screen`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// The operation of a page that attaches to a program, and those that it sends and receives later.
const ATTACH: u8 = 1;
const TYPED: u8 = 3;
const SHOWN: u8 = 4;
const ROWS: u8 = 3;
const FRAME: u8 = 18;

/// A running program, as its page sees it.
pub struct Page {
    socket: TcpStream,
    /// All text that the screen has shown.
    seen: Vec<u8>,
    /// Bytes up to here were looked at by [`Page::wait_for`].
    looked: usize,
}

fn connect(address: &str) -> TcpStream {
    let socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    socket
}

/// The head and body of the answer to a POST.
fn post(address: &str, path: &str, cookie: &str, body: &str) -> String {
    let mut socket = connect(address);
    let head = format!(
        "POST /programs/api/{path} HTTP/1.1\r\nHost: {address}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
         Content-Type: application/json\r\nCookie: {cookie}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    answer
}

/// The text of a field of an answer in JSON.
fn field(answer: &str, name: &str) -> String {
    let (_, rest) = answer.split_once(&format!("\"{name}\":\"")).unwrap_or_else(|| panic!("{answer}"));
    rest.split('"').next().unwrap().to_owned()
}

fn operation(code: u8, payload: &[u8]) -> Vec<u8> {
    [&[code][..], &(payload.len() as u32).to_le_bytes(), payload].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

impl Page {
    /// Logs in by an invitation and starts a program of the folder.
    pub fn start(address: &str, invitation: &str, program: &str) -> Page {
        let login = post(address, "login", "", &format!("{{\"invitation\":\"{invitation}\"}}"));
        let cookie = login.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie: "));
        let cookie = cookie.unwrap()["set-cookie: ".len()..].split(';').next().unwrap().to_owned();
        let started = post(address, "programs", &cookie, &format!("{{\"name\":\"{program}\"}}"));
        let mut socket = connect(address);
        let upgrade = format!(
            "GET /programs/socket HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\n\
             Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        socket.write_all(upgrade.as_bytes()).unwrap();
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            socket.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        let mut page = Page { socket, seen: Vec::new(), looked: 0 };
        let attach = [&1_u16.to_le_bytes()[..], &[8, 16], &text(&field(&started, "ticket"))].concat();
        page.send(&operation(ATTACH, &attach));
        page
    }

    /// Types a line.
    pub fn type_line(&mut self, line: &str) {
        self.send(&operation(TYPED, &text(&format!("{line}\n"))));
    }

    /// Sends a binary frame; its mask is zero, so that the bytes are as they are.
    fn send(&mut self, payload: &[u8]) {
        let mut frame = vec![0x82, 0x80 | 126];
        frame.extend_from_slice(&(payload.len() as u16).to_be_bytes());
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(payload);
        self.socket.write_all(&frame).unwrap();
    }

    /// Reads until the screen shows a text behind those that were waited for before.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        loop {
            let found = self.seen[self.looked..].windows(text.len()).position(|part| part == text.as_bytes());
            if let Some(place) = found {
                self.looked += place + text.len();
                return;
            }
            assert!(self.read(), "{text:?} is not shown: {}", String::from_utf8_lossy(&self.seen[self.looked..]));
        }
    }

    /// Reads a frame, and acknowledges it; false at the end.
    fn read(&mut self) -> bool {
        let mut head = [0; 2];
        if self.socket.read_exact(&mut head).is_err() {
            return false;
        }
        let mut length = [0; 8];
        let bytes = match head[1] & 0x7F {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        self.socket.read_exact(&mut length[8 - bytes..]).unwrap();
        let length = if bytes == 0 { u64::from(head[1] & 0x7F) } else { u64::from_be_bytes(length) };
        let mut payload = vec![0; length as usize];
        self.socket.read_exact(&mut payload).unwrap();
        if head[0] & 0x0F != 2 {
            return head[0] & 0x0F != 8;
        }
        let mut rest = &payload[..];
        while let [code, a, b, c, d, ..] = rest {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            let (body, behind) = (rest[5..5 + length].to_vec(), &rest[5 + length..]);
            match *code {
                FRAME => self.send(&operation(SHOWN, &body[..4])),
                ROWS => self.seen.extend(body.into_iter().filter(|byte| *byte != 0)),
                _ => {}
            }
            rest = behind;
        }
        true
    }
}
