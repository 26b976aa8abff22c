//! The door for browsers on the server: TLS and plain connections, limits, metrics, log, and stopping.

mod common;

use common::trusting::client;
use common::{Lines, eventually};
use mainstay_console::{Console, Entry, Programs, Users};
use mainstay_screen::field::InputRequest;
use mainstay_screen::session::ScreenHandle;
use mainstay_server::{Config, ConsoleDoor, Server};
use mainstay_vfs::Memory;
use rustls::{ClientConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

struct Ada;

impl Users for Ada {
    fn check(&self, name: &str, password: &str) -> Option<String> {
        ((name, password) == ("ada", "secret")).then(|| name.to_owned())
    }
}

/// One program, which waits for its user.
struct Waits {
    /// It has printed its text.
    printed: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl Programs for Waits {
    fn list(&self, _: &str) -> Vec<Entry> {
        vec![Entry { name: "waits".into(), title: "Waits".into(), about: String::new() }]
    }

    fn run(&self, _: &str, _: &str, screen: &ScreenHandle) -> Result<(), String> {
        let _ = screen.with(|screen| screen.print(b"waiting"));
        self.printed.store(true, SeqCst);
        let outcome = screen.input(InputRequest::default(), None);
        self.ended.store(true, SeqCst);
        outcome.map(drop).map_err(|error| error.to_string())
    }
}

struct Running {
    server: Server,
    address: SocketAddr,
    log: Lines,
    printed: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

fn start(settings: &str) -> Running {
    let config = Config::from_toml(&format!("[server]\n{settings}")).unwrap();
    let log = Lines::default();
    let server = Server::new(config, &Memory::new(), Box::new(log.clone())).unwrap();
    let [printed, ended] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let programs = Arc::new(Waits { printed: Arc::clone(&printed), ended: Arc::clone(&ended) });
    let console = Console::new(mainstay_console::Config::default(), Arc::new(Ada), programs).unwrap();
    let address = server.open(SocketAddr::from(([127, 0, 0, 1], 0)), ConsoleDoor::new(console)).unwrap();
    Running { server, address, log, printed, ended }
}

fn plain(address: SocketAddr) -> TcpStream {
    let socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket
}

fn encrypted(address: SocketAddr) -> StreamOwned<ClientConnection, TcpStream> {
    StreamOwned::new(client(None), plain(address))
}

/// Sends a request and reads its answer: the head, and the body by its length.
fn ask(stream: &mut (impl Read + Write), method: &str, path: &str, cookie: &str, body: &str) -> (String, String) {
    let length = body.len();
    let request = format!(
        "{method} /programs/{path} HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\nCookie: {cookie}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let head = head(stream);
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (head, String::from_utf8_lossy(&body).into_owned())
}

fn head(stream: &mut impl Read) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

const LOGIN: &str = r#"{"name":"ada","password":"secret"}"#;

fn cookie_of(head: &str) -> String {
    let line = head.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).expect(head);
    line.split(';').next().unwrap().to_owned()
}

/// The text of a field of a small JSON object.
fn field(body: &str, name: &str) -> String {
    body.split(&format!("\"{name}\":\"")).nth(1).and_then(|rest| rest.split('"').next()).expect(body).to_owned()
}

/// One message of a page: the mask of all zeros is allowed, and changes nothing.
fn message(operation: &[u8]) -> Vec<u8> {
    [&[0x82, 0x80 | operation.len() as u8, 0, 0, 0, 0][..], operation].concat()
}

/// Opens the WebSocket of a program that is started, and attaches to it once it has printed: the page gets no second frame
/// before it has acknowledged the first.
fn attach(running: &Running, stream: &mut (impl Read + Write), scheme: &str, cookie: &str) {
    let (_, started) = ask(stream, "POST", "api/programs", cookie, r#"{"name":"waits"}"#);
    let ticket = field(&started, "ticket");
    eventually("the program prints", || running.printed.load(SeqCst));
    let upgrade = format!(
        "GET /programs/socket HTTP/1.1\r\nHost: localhost\r\nOrigin: {scheme}://localhost\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Cookie: {cookie}\r\n\r\n"
    );
    stream.write_all(upgrade.as_bytes()).unwrap();
    assert!(head(stream).starts_with("HTTP/1.1 101"));
    let payload = [&[1, 0, 8, 16][..], &(ticket.len() as u32).to_le_bytes(), ticket.as_bytes()].concat();
    let operation = [&[1][..], &(payload.len() as u32).to_le_bytes(), &payload].concat();
    stream.write_all(&message(&operation)).unwrap();
}

/// Reads until the bytes of a text have come.
fn read_until(stream: &mut impl Read, text: &str) {
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    while !all.windows(text.len()).any(|part| part == text.as_bytes()) {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "the socket ended before {text:?}");
        all.extend_from_slice(&piece[..count]);
    }
}

#[test]
fn browsers_use_tls_on_the_same_port() {
    let running = start("");
    let http = running.server.open_http(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let mut tls = encrypted(running.address);
    let (page, _) = ask(&mut tls, "GET", "", "", "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let (answer, _) = ask(&mut tls, "POST", "api/login", "", LOGIN);
    assert!(answer.contains("; HttpOnly; SameSite=Strict; Secure\r\n"), "{answer}");
    let cookie = cookie_of(&answer);
    assert!(cookie.starts_with(&format!("__Host-mainstay-programs-{}=", running.address.port())), "{cookie}");
    // Both directions of the socket at once: the page acknowledges nothing and still gets its first frame.
    attach(&running, &mut tls, "https", &cookie);
    read_until(&mut tls, "waiting");
    // A plain connection of this machine is served as well, with a cookie of its own.
    let (answer, _) = ask(&mut plain(running.address), "POST", "api/login", "", LOGIN);
    assert!(cookie_of(&answer).starts_with(&format!("mainstay-programs-{}=", running.address.port())), "{answer}");
    let wrong = r#"{"name":"ada","password":"wrong"}"#;
    assert!(ask(&mut plain(running.address), "POST", "api/login", "", wrong).0.starts_with("HTTP/1.1 401"));
    let metrics = get(http, "/metrics");
    assert!(metrics.contains("mainstay_requests_total{door=\"console\",kind=\"http\"} 6\n"), "{metrics}");
    assert!(metrics.contains("mainstay_logins_failed_total{door=\"console\"} 1\n"), "{metrics}");
    assert!(metrics.contains("mainstay_sessions{door=\"console\"} 1\n"), "{metrics}");
    let log = running.log.text();
    assert!(log.contains("event=program_started door=console connection=1 user=ada program=waits"), "{log}");
}

#[test]
fn required_encryption_leads_browsers_to_https() {
    let running = start("encryption = 'required'");
    let (answer, _) = ask(&mut plain(running.address), "GET", "", "", "");
    assert!(
        answer.starts_with("HTTP/1.1 308") && answer.contains("\r\nLocation: https://localhost/programs/\r\n"),
        "{answer}"
    );
    let (answer, _) = ask(&mut plain(running.address), "POST", "api/login", "", LOGIN);
    assert!(answer.starts_with("HTTP/1.1 426"), "{answer}");
    assert!(ask(&mut encrypted(running.address), "GET", "", "", "").0.starts_with("HTTP/1.1 200"));
    // Without TLS a handshake ends the connection.
    let off = start("encryption = 'off'");
    let mut tls = encrypted(off.address);
    assert!(tls.write_all(b"GET / HTTP/1.1\r\n\r\n").and_then(|()| tls.read(&mut [0])).is_err());
    eventually("the connection ends", || off.log.text().contains("the browser begins TLS, which is off"));
}

#[test]
fn the_limits_and_the_end_are_those_of_the_server() {
    let running = start("max_connections = 2\nstop_grace_seconds = 5");
    let mut first = plain(running.address);
    let cookie = cookie_of(&ask(&mut first, "POST", "api/login", "", LOGIN).0);
    attach(&running, &mut first, "http", &cookie);
    read_until(&mut first, "waiting");
    let mut second = plain(running.address);
    assert!(ask(&mut second, "GET", "", "", "").0.starts_with("HTTP/1.1 200"));
    let mut third = plain(running.address);
    assert_eq!(third.read(&mut [0]).unwrap_or(0), 0);
    assert!(running.log.text().contains("event=too_many_connections door=console"), "{}", running.log.text());
    // A page that is open is no request that the server waits for; its program is hung up.
    let stopped = running.server.stop();
    assert_eq!((stopped.interrupted, stopped.complete), (0, true));
    eventually("the program ends", || running.ended.load(SeqCst));
    assert!(TcpStream::connect(running.address).is_err());
}

/// The state of TLS takes 4 KB at a time, and no record more while it holds 16 KB of plain bytes; behind its end it takes nothing.
#[test]
fn large_records_are_read_and_bytes_behind_the_end_are_not() {
    let running = start("stop_grace_seconds = 5");
    let mut tls = encrypted(running.address);
    assert!(ask(&mut tls, "GET", "", "", "").0.starts_with("HTTP/1.1 200"));
    let body = "x".repeat(20_000);
    let (answer, _) = ask(&mut tls, "POST", "api/login", "", &body);
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    let mut tls = encrypted(running.address);
    assert!(ask(&mut tls, "GET", "", "", "").0.starts_with("HTTP/1.1 200"));
    let (connection, mut socket) = tls.into_parts();
    let (mut connection, mut end) = (connection, Vec::new());
    connection.send_close_notify();
    connection.write_tls(&mut end).unwrap();
    end.extend_from_slice(&[0; 8192]);
    socket.write_all(&end).unwrap();
    drop(socket);
    assert!(running.server.stop().complete);
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut socket = plain(address);
    write!(socket, "GET {path} HTTP/1.1\r\n\r\n").unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).unwrap();
    text
}
