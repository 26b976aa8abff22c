//! The door for remote ACE clients: access, encryption, and the clean-up after a lost client.

use mainstay_fuzzing::mutate::{Random, mutated};
use mainstay_navigator::client::{Address, Client, OpenHow, RemoteArea};
use mainstay_navigator::server::Service;
use mainstay_navigator::wire::encode;
use mainstay_navigator::wire::frame::{Frame, Frames, Kind};
use mainstay_navigator::wire::messages::{Hello, MARK, Opening, PageWish, Prelude, Request, Step, TlsWish, VERSION};
use mainstay_server::{Config, NavigatorDoor, Server, password};
use mainstay_types::Code;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, AreaOptions, Mode, NewOrder, RowChanges, WorkArea};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder with a table of a number and a text, and a door to it.
struct Running {
    folder: TempDir,
    server: Server,
    address: SocketAddr,
    log: Lines,
}

/// A log that a test can look at.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Running {
    fn start(settings: &str) -> Running {
        let folder = TempDir::new().unwrap();
        let files: Arc<dyn FileSystem> = Arc::new(Disk);
        let fields = vec![FieldSpec::new("NUMBER", b'N', 10, 0), FieldSpec::new("NAME", b'C', 20, 0)];
        Area::create(&files, &folder.path().join("names.dbf"), &TableSpec::new(Format::FoxPro, fields)).unwrap();
        let log = Lines::default();
        let (server, address) = door(folder.path(), settings, 0, &log);
        let running = Running { folder, server, address, log };
        let mut here = running.open_here();
        for number in 1..=10 {
            here.append_blank().unwrap();
            here.set_integer(0, number).unwrap();
        }
        here.close().unwrap();
        running
    }

    fn open_here(&self) -> Area {
        let options = AreaOptions { implicit_locks: true, mode: Mode::Shared, ..AreaOptions::default() };
        Area::open(Arc::new(Disk), &self.folder.path().join("names.dbf"), &options).unwrap()
    }

    fn connect(&self, user: &str, password: &str) -> mainstay_types::Result<Arc<Client>> {
        connect(&format!("tcp://127.0.0.1:{}", self.address.port()), user, password)
    }

    fn log(&self) -> String {
        String::from_utf8(self.log.0.lock().unwrap().clone()).unwrap()
    }
}

fn door(folder: &Path, settings: &str, port: u16, log: &Lines) -> (Server, SocketAddr) {
    let config = Config::from_toml(&format!("[server]\n{settings}")).unwrap();
    let service = Arc::new(Service::new(Arc::new(Disk), folder));
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let server = Server::new(config, &Disk, Box::new(log.clone())).unwrap();
    let address = server.open(address, NavigatorDoor::new(service)).unwrap();
    (server, address)
}

fn connect(name: &str, user: &str, password: &str) -> mainstay_types::Result<Arc<Client>> {
    Client::connect(name, Address::parse(name).unwrap().unwrap(), user, password, "test")
}

fn open(client: &Arc<Client>) -> RemoteArea {
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    RemoteArea::open(client, &[client.path(Path::new("names.dbf"))], &how).unwrap()
}

fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(5);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn users(name: &str, password: &str) -> String {
    let hash = password::hash_at_cost(password, (8, 1, 1)).unwrap();
    format!("[[server.users]]\nname = '{name}'\npassword_hash = '{hash}'\n")
}

#[test]
fn a_table_is_read_and_written_over_a_socket() {
    let running = Running::start("");
    let client = running.connect("ada", "").unwrap();
    let mut area = open(&client);
    assert_eq!((area.record_number(), area.get_integer(0).unwrap()), (1, 1));
    area.go_bottom().unwrap();
    area.set_bytes(1, b"last").unwrap();
    area.write().unwrap();
    Box::new(area).close().unwrap();
    let mut here = running.open_here();
    here.go_to(10).unwrap();
    assert_eq!(here.get_text(1).unwrap().trim_ascii_end(), b"last");
    assert_eq!(client.people().unwrap().iter().map(|person| person.user.as_str()).collect::<Vec<_>>(), ["ada"]);
    assert!(running.log().contains("event=login door=navigator connection=1 user=ada"), "{}", running.log());
}

#[test]
fn only_users_with_their_passwords_come_in() {
    let running = Running::start(&users("Ada", "p@ss"));
    assert!(running.connect("ada", "p@ss").is_ok());
    for (user, password) in [("ada", "pass"), ("ada", ""), ("bob", "p@ss"), ("", "")] {
        let error = running.connect(user, password).unwrap_err();
        assert_eq!(error.code(), Code::NotPermitted, "{user} {error}");
    }
    assert!(running.log().contains("event=login_failed door=navigator user=ada"));
    // Without users: from this machine, but not with a password that nobody checks.
    let open = Running::start("");
    assert!(open.connect("anybody", "").is_ok() && open.connect("anybody", "secret").is_err());
}

#[test]
fn what_is_asked_for_is_encrypted() {
    let running = Running::start("");
    let port = running.address.port();
    let client = connect(&format!("tls://127.0.0.1:{port}"), "ada", "").unwrap();
    assert_eq!(open(&client).get_integer(0).unwrap(), 1);
    assert!(running.log().contains("encrypted=true"), "{}", running.log());
    let required = Running::start("encryption = 'required'");
    let client = required.connect("ada", "").unwrap();
    let mut area = open(&client);
    area.go_bottom().unwrap();
    assert_eq!(area.get_integer(0).unwrap(), 10);
    assert!(required.log().contains("encrypted=true") && !required.log().contains("encrypted=false"));
    let off = Running::start("encryption = 'off'");
    let error = connect(&format!("tls://127.0.0.1:{}", off.address.port()), "ada", "").unwrap_err();
    assert_eq!(error.code(), Code::NotPermitted);
    assert!(off.connect("ada", "").is_ok());
}

#[test]
fn a_server_is_trusted_by_its_certificate() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let files = TempDir::new().unwrap();
    let file = |name: &str, text: String| {
        let path = files.path().join(name);
        Disk.replace(&path, text.as_bytes()).unwrap();
        path
    };
    let (certificate, key) = (file("c.pem", made.cert.pem()), file("k.pem", made.signing_key.serialize_pem()));
    let foreign = file("other.pem", other.cert.pem());
    let settings = format!("certificate = '{}'\nkey = '{}'", certificate.display(), key.display());
    let running = Running::start(&settings);
    let name = format!("tls://127.0.0.1:{}", running.address.port());
    let connect = |trusted: &Path| {
        let address = Address { trusted: Some(trusted.to_owned()), ..Address::parse(&name).unwrap().unwrap() };
        Client::connect(&name, address, "ada", "", "test")
    };
    assert_eq!(open(&connect(&certificate).unwrap()).get_integer(0).unwrap(), 1);
    let error = connect(&foreign).unwrap_err();
    assert_eq!(error.code(), Code::NotPermitted, "{error}");
    assert!(connect(&key).is_err() && connect(Path::new("/none.pem")).is_err());
}

/// A certificate from `openssl req -x509` is self-signed and names itself an authority; a certificate that another
/// authority has signed may be named itself, too. A foreign key is no proof.
#[test]
fn the_certificate_that_a_server_shows_is_trusted_when_it_is_named() {
    let files = TempDir::new().unwrap();
    let file = |name: &str, text: String| {
        let path = files.path().join(name);
        Disk.replace(&path, text.as_bytes()).unwrap();
        path
    };
    let names = || vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let mut authority = rcgen::CertificateParams::new(names()).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let (its_key, key) = (rcgen::KeyPair::generate().unwrap(), rcgen::KeyPair::generate().unwrap());
    let signed_by_itself = authority.self_signed(&its_key).unwrap();
    let signed = rcgen::CertificateParams::new(names()).unwrap();
    let signed = signed.signed_by(&key, &rcgen::Issuer::new(authority, &its_key)).unwrap();
    let other = rcgen::generate_simple_self_signed(names()).unwrap();
    let other = file("other.pem", other.cert.pem());
    for (certificate, key) in [(&signed_by_itself, &its_key), (&signed, &key)] {
        let (shown, key) = (file("c.pem", certificate.pem()), file("k.pem", key.serialize_pem()));
        let settings = format!("certificate = '{}'\nkey = '{}'", shown.display(), key.display());
        let running = Running::start(&settings);
        let name = format!("tls://127.0.0.1:{}", running.address.port());
        let connect = |trusted: &Path| {
            let address = Address { trusted: Some(trusted.to_owned()), ..Address::parse(&name).unwrap().unwrap() };
            Client::connect(&name, address, "ada", "", "test")
        };
        connect(&shown).unwrap();
        let authority = file("authority.pem", signed_by_itself.pem());
        connect(&authority).unwrap();
        assert_eq!(connect(&other).unwrap_err().code(), Code::NotPermitted);
    }
}

/// Passes bytes on between a client and the door, until it is cut.
struct Wire {
    port: u16,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    fn to(door: SocketAddr) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, ends) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&ends);
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let (Ok(near), Ok(far)) = (near, TcpStream::connect(door)) else { continue };
                kept.lock().unwrap().extend([near.try_clone().unwrap(), far.try_clone().unwrap()]);
                let ways = [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)];
                for (mut from, mut to) in ways {
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                    });
                }
            }
        });
        Wire { port, ends }
    }

    fn cut(&self) {
        self.ends.lock().unwrap().drain(..).for_each(|end| drop(end.shutdown(Shutdown::Both)));
    }
}

#[test]
fn a_lost_client_leaves_no_locks_and_no_changes() {
    let running = Running::start("");
    let wire = Wire::to(running.address);
    let client = connect(&format!("tcp://127.0.0.1:{}", wire.port), "ada", "").unwrap();
    let mut area = open(&client);
    client.begin().unwrap();
    area.go_to(3).unwrap();
    area.set_bytes(1, b"never").unwrap();
    area.write().unwrap();
    assert!(area.try_lock_record(5).unwrap());
    let other = running.connect("bob", "").unwrap();
    let mut theirs = open(&other);
    assert!(!theirs.try_lock_record(5).unwrap());
    let owner = other.lock_owner(&other.path(Path::new("names.dbf")), 5).unwrap().unwrap();
    assert_eq!((owner.user.as_str(), owner.address.as_str()), ("ada", "127.0.0.1"));
    wire.cut();
    eventually("the lock is free", || theirs.try_lock_record(5).unwrap());
    theirs.go_to(3).unwrap();
    assert_eq!(theirs.get_text(1).unwrap().trim_ascii_end(), b"");
    assert!(theirs.try_lock_record(3).unwrap());
    assert_eq!(other.people().unwrap().len(), 1);
    // The client is told once that its transaction is gone, and its locks, and may then go on.
    assert!(area.refresh().unwrap_err().to_string().contains("transaction was rolled back"));
    assert!(!client.is_in_transaction());
    area.refresh().unwrap();
    area.go_to(6).unwrap();
    area.set_bytes(1, b"pending").unwrap();
    let mut other_area = open(&client);
    client.begin().unwrap();
    wire.cut();
    assert!(other_area.refresh().unwrap_err().to_string().contains("transaction was rolled back"));
    other_area.refresh().unwrap();
    // Of locks that has told; what was not written has to be told of its own.
    assert!(area.refresh().unwrap_err().to_string().contains("not written"));
    area.go_to(4).unwrap();
    assert_eq!(area.get_integer(0).unwrap(), 4);
}

#[test]
fn a_lost_connection_is_made_again_with_the_view_as_it_was() {
    let running = Running::start("");
    let wire = Wire::to(running.address);
    let client = connect(&format!("tcp://127.0.0.1:{}", wire.port), "ada", "").unwrap();
    let mut area = open(&client);
    area.set_filter(Some("NUMBER > 4")).unwrap();
    area.go_top().unwrap();
    assert_eq!(area.record_number(), 5);
    wire.cut();
    area.go_bottom().unwrap();
    area.go_top().unwrap();
    assert_eq!((area.record_number(), area.filter()), (5, Some("NUMBER > 4")));
    // Without its server a client says so, and finds it again on the same port.
    let port = running.address.port();
    assert!(running.server.stop().complete);
    wire.cut();
    assert_eq!(area.refresh().unwrap_err().code(), Code::ConnectionLost);
    let _door = door(running.folder.path(), "", port, &running.log);
    area.go_to(7).unwrap();
    assert_eq!(area.get_integer(0).unwrap(), 7);
}

#[test]
fn bytes_that_are_no_protocol_end_the_connection_and_nothing_else() {
    let running = Running::start("login_timeout_seconds = 1\nmax_logins = 3");
    let address = running.address;
    let ends = |bytes: &[u8]| {
        let mut socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let _ = socket.write_all(bytes);
        let mut answer = Vec::new();
        // A reset is an end, too.
        let _ = socket.read_to_end(&mut answer);
        answer
    };
    ends(b"GET / HTTP/1.1\r\n\r\n");
    ends(&[0xFF; 200]);
    ends(&Frame::bytes(Kind::Request, &[0; 30]));
    ends(&Frame::bytes(Kind::Prelude, b"wrong"));
    // A client that says nothing, and one that stops in the middle.
    let began = Instant::now();
    ends(&[]);
    ends(&[200, 0, 0, 0, 1, 7]);
    assert!(began.elapsed() < Duration::from_secs(4));
    let silent: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(address).unwrap()).collect();
    // They keep nobody from logging in: the one that has waited longest has to go.
    running.connect("ada", "").unwrap();
    let mut first = silent.first().unwrap();
    first.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert!(!first.read(&mut [0; 1]).is_ok_and(|read| read > 0));
    drop(silent);
    eventually("again", || running.connect("ada", "").is_ok());
}

/// A client over the limit gets the reason, and can connect when another has gone.
#[test]
fn one_client_too_many_is_told_so() {
    let running = Running::start("max_connections = 3");
    let mut clients: Vec<_> = (0..3).map(|_| running.connect("ada", "").unwrap()).collect();
    for _ in 0..5 {
        let error = running.connect("ada", "").unwrap_err();
        assert!(error.message().contains("3 connections"), "{error}");
    }
    clients.pop();
    eventually("again", || running.connect("ada", "").is_ok());
}

/// The memory of this process, in kilobytes.
#[allow(clippy::disallowed_methods, reason = "it is no stored data, and has no length")]
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A thousand clients that do nothing cost little, and keep nobody from working.
#[test]
fn a_thousand_clients_may_be_there() {
    let running = Running::start("");
    let before = memory();
    let mut clients: Vec<_> = (0..999).map(|_| logged_in(&running)).collect();
    let grown = memory().saturating_sub(before);
    // Other tests of this process run beside it.
    assert!(grown < 200_000, "{grown} kB for 999 clients");
    let began = Instant::now();
    let mut area = open(&running.connect("ada", "").unwrap());
    area.go_bottom().unwrap();
    assert_eq!(area.get_integer(0).unwrap(), 10);
    assert!(began.elapsed() < Duration::from_secs(5));
    clients.clear();
    drop(area);
    assert!(running.server.stop().complete);
}

#[test]
fn stopping_ends_connections_and_says_so() {
    let running = Running::start("");
    let client = running.connect("ada", "").unwrap();
    let mut area = open(&client);
    area.append_blank().unwrap();
    area.set_integer(0, 11).unwrap();
    let began = Instant::now();
    assert!(running.server.stop().complete);
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(area.write().unwrap_err().code(), Code::ConnectionLost);
    assert!(TcpStream::connect(running.address).is_err());
    let mut here = running.open_here();
    here.go_bottom().unwrap();
    // A record that is appended where others may append is there at once; what was not written to it is not.
    assert_eq!((here.record_number(), here.is_empty(0).unwrap()), (11, true));
}

/// Sends a frame and reads what comes back until a frame is there.
fn exchange(socket: &mut TcpStream, kind: Kind, body: &[u8]) -> Frame {
    socket.write_all(&Frame::bytes(kind, body)).unwrap();
    let (mut frames, mut raw) = (Frames::new(1 << 20), [0; 4096]);
    loop {
        if let Some(frame) = frames.next_frame().unwrap() {
            return frame;
        }
        let count = socket.read(&mut raw).unwrap();
        assert!(count > 0, "the connection is closed");
        frames.feed(&raw[..count]);
    }
}

/// A client that speaks the protocol by hand, before its login.
fn by_hand(running: &Running, tls: TlsWish) -> TcpStream {
    let mut socket = TcpStream::connect(running.address).unwrap();
    let prelude = Prelude { mark: MARK, version: VERSION, tls };
    assert_eq!(exchange(&mut socket, Kind::Prelude, &encode(&prelude)).kind, Kind::Prelude);
    socket
}

fn logged_in(running: &Running) -> TcpStream {
    let mut socket = by_hand(running, TlsWish::Off);
    let hello = Hello { user: "eve".into(), password: String::new(), database: String::new(), application: "x".into() };
    assert_eq!(exchange(&mut socket, Kind::Hello, &encode(&hello)).kind, Kind::Welcome);
    socket
}

#[test]
fn a_byte_now_and_then_does_not_hold_a_login_open() {
    let running = Running::start("login_timeout_seconds = 1");
    // A handshake of TLS whose first record is said to be long, and a login without TLS.
    for (tls, bytes) in [(TlsWish::Required, [22, 3, 1, 0x20, 0]), (TlsWish::Off, [200, 0, 0, 0, 2])] {
        let mut socket = by_hand(&running, tls);
        socket.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
        let began = Instant::now();
        socket.write_all(&bytes).unwrap();
        let is_over = |socket: &mut TcpStream| match socket.read(&mut [0; 100]) {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
        };
        while !is_over(&mut socket) {
            let _ = socket.write_all(&[1]);
            assert!(began.elapsed() < Duration::from_secs(3), "{tls:?}");
        }
        assert!(began.elapsed() > Duration::from_millis(700), "{tls:?}");
    }
}

#[test]
fn a_client_that_does_not_listen_is_given_up() {
    let running = Running::start("idle_timeout_seconds = 1");
    let mut socket = logged_in(&running);
    socket.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let steps = vec![opening(Mode::Shared), Step::LockRecord(3)];
    let opened =
        exchange(&mut socket, Kind::Request, &encode(&Request { table: 0, progress: false, wait_ms: 5_000, steps }));
    assert_eq!(opened.kind, Kind::Answer);
    let mut theirs = running.open_here();
    assert!(!theirs.try_lock_record(3).unwrap());
    // Long answers, of which none is read: the server cannot write any more.
    let page = PageWish { before: 0, after: 10, bytes: 4000, unless: None, numbers: 0 };
    let steps = [vec![Step::GoTop], vec![Step::Page(page); 63]].concat();
    let request = Frame::bytes(Kind::Request, &encode(&Request { table: 2, progress: false, wait_ms: 5_000, steps }));
    for _ in 0..3000 {
        if socket.write_all(&request).is_err() {
            break;
        }
    }
    eventually("the lock is free", || theirs.try_lock_record(3).unwrap());
    drop(socket);
}

#[test]
fn a_client_that_does_not_say_whether_to_go_on_is_given_up() {
    let running = Running::start("idle_timeout_seconds = 1");
    let mut socket = logged_in(&running);
    let mut here = running.open_here();
    for number in 11..=5000 {
        here.append_blank().unwrap();
        here.set_integer(0, number).unwrap();
    }
    here.close().unwrap();
    let steps = vec![opening(Mode::Exclusive), Step::CreateOrder(NewOrder::new("NUMBER", "NUMBER"))];
    let told =
        exchange(&mut socket, Kind::Request, &encode(&Request { table: 0, progress: true, wait_ms: 5_000, steps }));
    assert_eq!(told.kind, Kind::Progress);
    eventually("the table is free", || {
        let options = AreaOptions { mode: Mode::Exclusive, ..AreaOptions::default() };
        Area::open(Arc::new(Disk), &running.folder.path().join("names.dbf"), &options).is_ok()
    });
    drop(socket);
}

fn opening(mode: Mode) -> Step {
    let (names, scheme) = (vec!["names.dbf".into()], None);
    Step::Open(Opening { names, mode, scheme, open_structural: true, or_read_only: false })
}

/// Pieces of work of every kind, as a client may be in the middle of them.
fn works() -> Vec<Vec<Step>> {
    let name = |name: &str| Step::Write(RowChanges { pieces: vec![(11, name.as_bytes().to_vec())], memos: Vec::new() });
    let page = PageWish { before: 3, after: 9, bytes: 9000, unless: None, numbers: 7 };
    vec![
        vec![Step::GoTo(3), Step::Edit],
        vec![Step::GoTo(3), Step::Edit, name("changed")],
        vec![Step::Append],
        vec![Step::Append, name("new")],
        vec![Step::LockTable],
        vec![Step::LockRecord(3), Step::UnlockRecord(3), Step::LockRecord(3)],
        vec![Step::Begin, Step::GoTo(3), Step::Edit, name("undone"), Step::Savepoint, Step::RollBackTo(0)],
        vec![Step::Begin, Step::Append, Step::Commit, Step::Begin],
        vec![Step::SetFilter(Some("NUMBER > 2".into())), Step::GoBottom, Step::Page(page)],
        vec![Step::SetAof("NUMBER > 2".into()), Step::GoTop, Step::Skip(5)],
        vec![Step::Flush, Step::Refresh, Step::Unlock, Step::LockRecord(3)],
    ]
}

#[test]
fn a_client_that_is_gone_in_the_middle_of_any_call_leaves_no_lock() {
    let running = Running::start("");
    let mut theirs = running.open_here();
    for (at, steps) in works().into_iter().enumerate() {
        // The end comes before, within or behind the work: the request is cut short, or its answer is not waited for.
        for cut in [0, 3] {
            let mut socket = logged_in(&running);
            let steps = [vec![opening(Mode::Shared), Step::LockRecord(3)], steps.clone()].concat();
            let frame =
                Frame::bytes(Kind::Request, &encode(&Request { table: 0, progress: true, wait_ms: 5_000, steps }));
            socket.write_all(&frame[..frame.len() - cut]).unwrap();
            if at % 2 == 0 {
                socket.shutdown(Shutdown::Both).unwrap();
            }
            drop(socket);
            eventually(&format!("work {at}"), || theirs.try_lock_table().unwrap());
            theirs.unlock().unwrap();
        }
    }
    let client = running.connect("ada", "").unwrap();
    eventually("all are gone", || client.people().unwrap().len() == 1);
    assert!(!running.log().contains("event=panic"), "{}", running.log());
}

#[test]
fn whatever_a_client_sends_ends_its_connection_at_most() {
    let running = Running::start("login_timeout_seconds = 5");
    let seeds: Vec<Vec<u8>> = works()
        .into_iter()
        .map(|steps| {
            let steps = [vec![opening(Mode::Shared)], steps].concat();
            Frame::bytes(Kind::Request, &encode(&Request { table: 2, progress: false, wait_ms: 5_000, steps }))
        })
        .collect();
    let mut random = Random::new(0x6861_7264);
    let (began, mut sent) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(2) {
        // Before the login and behind it.
        let mut socket = match sent % 3 {
            0 => TcpStream::connect(running.address).unwrap(),
            1 => by_hand(&running, TlsWish::Off),
            _ => logged_in(&running),
        };
        socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        for _ in 0..20 {
            sent += 1;
            if socket.write_all(&mutated(&mut random, &seeds)).is_err() {
                break;
            }
            let _ = socket.read(&mut [0; 4096]);
        }
    }
    assert!(sent > 100, "{sent}");
    assert!(!running.log().contains("event=panic"), "{}", running.log());
    let client = running.connect("ada", "").unwrap();
    eventually("all are gone", || client.people().unwrap().len() == 1);
    assert!(open(&client).try_lock_table().unwrap());
}
