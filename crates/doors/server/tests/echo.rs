//! A complete door that echoes lines. It shows the tasks of a door, and those of the server: users, limits, TLS,
//! cancellation, metrics, log, stopping.

mod common;

use common::Lines;
use mainstay_server::{Config, Connection, Door, Ending, Host, Server, Socket, password};
use mainstay_session::{Cancel, Kill};
use mainstay_types::Result;
use mainstay_vfs::Memory;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The door. A client's first line is its name and password; `wait` waits until the request is cancelled.
struct Echo;

impl Door for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn serve(&self, host: &Host, connection: &Arc<Connection>, socket: TcpStream) -> Ending {
        let served = Socket::new(socket, connection)
            .and_then(|socket| Served { host, connection, socket, received: Vec::new() }.run());
        served.unwrap_or_else(Ending::from)
    }

    fn refuse(&self, mut socket: &TcpStream, most: usize) {
        let _ = socket.set_nonblocking(true).and_then(|()| writeln!(socket, "{most} connections are open"));
    }
}

/// The session of an echo has nothing to stop but its waiting, which looks at the connection.
struct Session;

impl Cancel for Session {
    fn cancel(&self) {}
}

/// A connection that is being served.
struct Served<'a> {
    host: &'a Host,
    connection: &'a Connection,
    socket: Socket,
    /// Bytes behind the last line.
    received: Vec<u8>,
}

impl Served<'_> {
    fn run(&mut self) -> Result<Ending> {
        let deadline = Instant::now() + Duration::from_secs(self.host.config().login_timeout_seconds);
        if self.socket.peek(Some(deadline))? == 0x16 {
            self.socket.begin_tls(self.host, deadline)?;
        }
        let login = self.line(Some(deadline))?;
        let (user, password) = login.split_once(' ').unwrap_or((&login, ""));
        if !self.host.allows(user, password, self.connection.peer()) {
            return Ok(Ending::Refused);
        }
        self.connection.logged_in(Arc::new(Session));
        while !self.host.is_stopping() {
            let line = self.line(None)?;
            self.host.begin_request(self.connection);
            while line == "wait" && !self.connection.is_cancelled() {
                std::thread::sleep(Duration::from_millis(5));
            }
            let deadline = self.socket.write_deadline(line.len());
            self.socket.send(format!("{line}\n").as_bytes(), deadline)?;
            self.connection.end_request();
        }
        Ok(Ending::Closed)
    }

    fn line(&mut self, deadline: Option<Instant>) -> Result<String> {
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            self.received.extend_from_slice(self.socket.receive(deadline)?);
        }
    }
}

fn start(settings: &str) -> (Server, SocketAddr, Lines) {
    let config = Config::from_toml(&format!("[server]\n{settings}")).unwrap();
    let log = Lines::default();
    let server = Server::new(config, &Memory::new(), Box::new(log.clone())).unwrap();
    let address = server.open(SocketAddr::from(([127, 0, 0, 1], 0)), Echo).unwrap();
    (server, address, log)
}

fn connect(address: SocketAddr, login: &str) -> BufReader<TcpStream> {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    writeln!(socket, "{login}").unwrap();
    BufReader::new(socket)
}

fn ask(client: &mut BufReader<TcpStream>, line: &str) -> String {
    writeln!(client.get_mut(), "{line}").unwrap();
    let mut answer = String::new();
    client.read_line(&mut answer).unwrap();
    answer.trim_end().to_owned()
}

#[test]
fn a_door_needs_no_more_than_this() {
    let hash = password::hash_at_cost("secret", (8, 1, 1)).unwrap();
    let (server, address, log) =
        start(&format!("max_connections = 2\n[[server.users]]\nname = 'ada'\npassword_hash = '{hash}'"));
    let http = server.open_http(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let mut refused = connect(address, "ada wrong");
    assert_eq!(refused.read(&mut [0]).unwrap(), 0);
    // Its place is free a moment after its socket is closed.
    let is_gone = || get(http, "/metrics").contains("mainstay_connections{door=\"echo\"} 0\n");
    common::eventually("the refused connection is gone", is_gone);
    let (mut first, mut second) = (connect(address, "ada secret"), connect(address, "ADA secret"));
    assert_eq!((ask(&mut first, "one"), ask(&mut second, "two")), ("one".into(), "two".into()));
    // It is refused before it says anything: bytes that nobody reads would reset the connection.
    let third = TcpStream::connect(address).unwrap();
    third.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut answer = String::new();
    BufReader::new(third).read_line(&mut answer).unwrap();
    assert_eq!(answer.trim_end(), "2 connections are open");
    let metrics = get(http, "/metrics");
    assert!(metrics.contains("mainstay_connections{door=\"echo\"} 2\n"), "{metrics}");
    assert!(metrics.contains("mainstay_connections_refused_total{door=\"echo\"} 1\n"), "{metrics}");
    assert!(log.text().contains("event=disconnect door=echo connection=1 reason=refused"), "{}", log.text());
}

#[test]
fn stopping_lets_a_request_end_and_cancels_one_that_does_not() {
    let (server, address, _) = start("stop_grace_seconds = 1");
    let http = server.open_http(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let (mut idle, mut busy) = (connect(address, "ada"), connect(address, "ada"));
    assert_eq!(ask(&mut idle, "one"), "one");
    writeln!(busy.get_mut(), "wait").unwrap();
    let running = "mainstay_requests_running{door=\"echo\"} 1\n";
    common::eventually("the request runs", || get(http, "/metrics").contains(running));
    let stopped = server.stop();
    assert_eq!((stopped.interrupted, stopped.complete), (1, true));
    assert_eq!(server.stop(), stopped);
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
    let mut answer = String::new();
    busy.read_line(&mut answer).unwrap();
    assert_eq!(answer, "wait\n");
    assert!(TcpStream::connect(address).is_err());
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    write!(socket, "GET {path} HTTP/1.1\r\n\r\n").unwrap();
    socket.shutdown(Shutdown::Write).unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).unwrap();
    text
}

/// A session can be killed from another thread, whose connection then ends.
#[test]
fn a_killed_connection_ends() {
    struct Deadly;
    impl Door for Deadly {
        fn name(&self) -> &'static str {
            "deadly"
        }
        fn serve(&self, _host: &Host, connection: &Arc<Connection>, mut socket: TcpStream) -> Ending {
            connection.logged_in(Arc::new(Session));
            let kill = Arc::clone(connection) as Arc<dyn Kill>;
            let killer = std::thread::spawn(move || kill.kill());
            let read = socket.read(&mut [0]);
            killer.join().unwrap();
            assert!(connection.is_killed());
            Ending::Lost(format!("{read:?}"))
        }
    }
    let server = Server::new(Config::default(), &Memory::new(), Box::new(std::io::sink())).unwrap();
    let address = server.open(SocketAddr::from(([127, 0, 0, 1], 0)), Deadly).unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
}
