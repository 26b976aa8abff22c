//! A door with a few programs, requests to it, and a page without a browser.
#![allow(dead_code)]

mod listener;

pub use listener::Door;
use mainstay_console::{Config, Entry, Programs, Users};
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::document::Document;
use mainstay_screen::field::InputRequest;
use mainstay_screen::session::ScreenHandle;
use mainstay_screen::{ScreenError, Verb};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

pub const LINES: usize = 1000;
pub const LIST: Name = Name { kind: Kind::ListBox, id: 10, sub: 0 };

struct TestUsers;

impl Users for TestUsers {
    fn check(&self, name: &str, password: &str) -> Option<String> {
        let name = name.to_lowercase();
        (matches!(name.as_str(), "ada" | "bob") && password == "secret").then_some(name)
    }
}

struct TestPrograms;

impl Programs for TestPrograms {
    fn list(&self, user: &str) -> Vec<Entry> {
        let names: &[&str] = if user == "ada" {
            &["list", "echo", "fails", "panics", "computes", "prints", "lingers"]
        } else {
            &["echo"]
        };
        names
            .iter()
            .map(|name| Entry {
                name: (*name).to_owned(),
                title: name.to_uppercase(),
                about: format!("Test of {name}"),
            })
            .collect()
    }

    fn run(&self, name: &str, _user: &str, screen: &ScreenHandle) -> Result<(), String> {
        match name {
            "list" => list(screen).map_err(|error| error.to_string()),
            "echo" => echo(screen).map_err(|error| error.to_string()),
            "prints" => prints(screen).map_err(|error| error.to_string()),
            "lingers" => lingers(screen).map_err(|error| error.to_string()),
            "panics" => panic!("a fault of the runtime"),
            "computes" => {
                while !screen.is_hung_up() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(())
            }
            _ => Err("Error #20: Syntax error, line 0030".to_owned()),
        }
    }
}

fn list(screen: &ScreenHandle) -> Result<(), ScreenError> {
    let area = Area { column: 40.0, row: 0.0, columns: 40.0, rows: 24.0 };
    screen.with(|screen| screen.create(LIST, Definition { area, ..Definition::default() }))??;
    for line in 1..=LINES {
        screen.with(|screen| screen.list(LIST).and_then(|list| list.load(0, format!("line {line}").as_bytes())))??;
    }
    screen.barrier(Duration::from_secs(10))?;
    screen.with(|screen| screen.print(b"all loaded"))?;
    screen.with(|screen| screen.control(LIST, Verb::Goto))??;
    screen.input(InputRequest::default(), None).map(drop)
}

fn prints(screen: &ScreenHandle) -> Result<(), ScreenError> {
    let lines: [&[u8]; 2] = [b"first page", b"\x0csecond page"];
    screen.with(|screen| screen.add_document(Document::new("report", lines).unwrap()))?;
    echo(screen)
}

/// Prints a document, and ends some time after it was hung up.
fn lingers(screen: &ScreenHandle) -> Result<(), ScreenError> {
    screen.with(|screen| screen.add_document(Document::new("late", [&b"a line"[..]]).unwrap()))?;
    while !screen.is_hung_up() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    Ok(())
}

fn echo(screen: &ScreenHandle) -> Result<(), ScreenError> {
    loop {
        let result = screen.input(InputRequest::default(), None)?;
        if result.ctl == 4 {
            return Ok(());
        }
        let text = format!("\n<{}>\n", result.text);
        screen.with(|screen| screen.print(&mainstay_screen::characters::encode(&text)))?;
    }
}

/// A door for tests: two programs a user, a grace of one second.
pub fn door() -> Door {
    door_with(|_| ())
}

pub fn door_with(change: impl FnOnce(&mut Config)) -> Door {
    let mut config = Config {
        programs_per_user: 2,
        grace: Duration::from_secs(1),
        hosts: vec!["shop.example".to_owned()],
        ..Config::default()
    };
    change(&mut config);
    Door::start(config, Arc::new(TestUsers), Arc::new(TestPrograms))
}

/// A door whose clients claim to be encrypted, and to need it.
pub fn door_claiming(is_encrypted: bool, is_needed: bool) -> Door {
    Door::claiming((is_encrypted, is_needed), Config::default(), Arc::new(TestUsers), Arc::new(TestPrograms))
}

/// An answer: its status, head and body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub fn text(&self, field: &str) -> String {
        self.json()[field].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")))?;
        line.split_once(": ").map(|(_, value)| value)
    }
}

/// Sends bytes on a connection of their own and reads until the door closes it.
pub fn raw(door: &Door, bytes: &[u8]) -> Answer {
    let mut socket = TcpStream::connect(door.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The door may close before it has read everything.
    let _ = socket.write_all(bytes);
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    let end = answer.windows(4).position(|end| end == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head, body: answer[end..].to_vec() }
}

/// Sends a request with the headers of the test, and none else but those of its length and connection.
pub fn request(door: &Door, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
    raw(door, format!("{text}\r\n{body}").as_bytes())
}

/// Sends what the page would send.
pub fn post(door: &Door, path: &str, cookie: &str, body: &Value) -> Answer {
    let headers = [
        ("Host", "localhost"),
        ("Sec-Fetch-Site", "same-origin"),
        ("Content-Type", "application/json"),
        ("Cookie", cookie),
    ];
    request(door, "POST", &format!("/programs/api/{path}"), &headers, &body.to_string())
}

pub fn get(door: &Door, path: &str, cookie: &str) -> Answer {
    request(door, "GET", path, &[("Host", "localhost"), ("Cookie", cookie)], "")
}

/// Logs in and returns the cookie.
pub fn login(door: &Door, name: &str) -> String {
    let answer = post(door, "login", "", &json!({ "name": name, "password": "secret" }));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

/// Starts a program and returns its identifier and a ticket.
pub fn start(door: &Door, cookie: &str, name: &str) -> (String, String) {
    let answer = post(door, "programs", cookie, &json!({ "name": name }));
    assert_eq!(answer.status, 200, "{answer:?}");
    (answer.text("id"), answer.text("ticket"))
}

/// Asks for a WebSocket.
pub fn upgrade(door: &Door, headers: &[(&str, &str)]) -> (u16, TcpStream) {
    let mut socket = TcpStream::connect(door.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut text = "GET /programs/socket HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n".to_owned();
    headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
    socket.write_all(format!("{text}\r\n").as_bytes()).unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && socket.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    if head.starts_with("HTTP/1.1 101") {
        // The key and its answer are those of RFC 6455, section 1.3.
        assert!(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), "{head}");
    }
    (head.split(' ').nth(1).unwrap().parse().unwrap(), socket)
}

/// One operation with its payload.
pub fn operation(code: u8, payload: &[u8]) -> Vec<u8> {
    [&[code][..], &(payload.len() as u32).to_le_bytes(), payload].concat()
}

pub fn attach(version: u16, ticket: &str) -> Vec<u8> {
    let text = [&(ticket.len() as u32).to_le_bytes(), ticket.as_bytes()].concat();
    operation(1, &[&version.to_le_bytes()[..], &[8, 16], &text].concat())
}

/// A page without a browser: it acknowledges every frame.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    /// Operations that were read: codes and payloads.
    pub operations: Vec<(u8, Vec<u8>)>,
}

impl Page {
    pub fn open(door: &Door, cookie: &str, ticket: &str) -> Page {
        let origin = "http://localhost";
        let (status, socket) = upgrade(door, &[("Host", "localhost"), ("Origin", origin), ("Cookie", cookie)]);
        assert_eq!(status, 101);
        let mut page = Page { socket: WebSocket::from_raw_socket(socket, Role::Client, None), operations: Vec::new() };
        page.send(attach(1, ticket));
        page
    }

    pub fn send(&mut self, bytes: Vec<u8>) {
        self.socket.send(Message::Binary(bytes.into())).unwrap();
    }

    /// Types characters; a line feed is Enter.
    pub fn type_text(&mut self, text: &str) {
        let bytes = [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
        self.send(operation(3, &bytes));
    }

    /// Reads one message and acknowledges a frame; false at the end.
    pub fn read(&mut self) -> bool {
        let bytes = match self.socket.read() {
            Ok(Message::Binary(bytes)) => bytes,
            Ok(Message::Close(_)) | Err(_) => return false,
            Ok(_) => return true,
        };
        let mut rest = &bytes[..];
        while let [code, a, b, c, d, ..] = rest {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            let payload = rest[5..5 + length].to_vec();
            rest = &rest[5 + length..];
            if *code == 18 {
                self.send(operation(4, &payload[..4]));
            }
            self.operations.push((*code, payload));
        }
        true
    }

    /// Reads until an operation satisfies a condition, and returns its payload.
    #[track_caller]
    pub fn wait(&mut self, code: u8, condition: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let mut seen = 0;
        loop {
            while let Some((found, payload)) = self.operations.get(seen) {
                if *found == code && condition(payload) {
                    return payload.clone();
                }
                seen += 1;
            }
            assert!(self.read(), "the socket ended before operation {code}: {:?}", self.codes());
        }
    }

    /// Reads until a row of the screen contains a text.
    #[track_caller]
    pub fn wait_for_text(&mut self, text: &str) {
        self.wait(3, |payload| payload.windows(text.len()).any(|part| part == text.as_bytes()));
    }

    pub fn codes(&self) -> Vec<u8> {
        self.operations.iter().map(|(code, _)| *code).collect()
    }
}
