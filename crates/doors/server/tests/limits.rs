//! Limits, users, stopping, metrics and the log.

mod common;

use common::{Wire, config, ends, errors, eventually, rows, start, start_with};
use mainstay_navigator::client::{Address, Client};
use mainstay_navigator::server::Service;
use mainstay_server::{NavigatorDoor, Server, TdsDoor, password};
use mainstay_tds::{Encryption, Login, Version};
use mainstay_types::Value;
use mainstay_vfs::{Disk, Memory};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

#[test]
fn users_log_in_with_their_passwords() {
    let hash = password::hash_at_cost("p@ss wörd", (8, 1, 1)).unwrap();
    let running = start(&format!("[[server.users]]\nname = 'App'\npassword_hash = '{hash}'"));
    let attempt = |user: &str, password: &str| {
        let mut wire = Wire::connect(running.address);
        wire.pre_login(Encryption::NotSupported);
        errors(&wire.log_in(&Login::of(user, password, Version::V7_4)))
    };
    assert_eq!(attempt("app", "p@ss wörd"), []);
    assert_eq!(attempt("app", "P@ss wörd"), [(18_456, 14)]);
    assert_eq!(attempt("sa", ""), [(18_456, 14)]);
    assert!(!running.log.text().contains("no_users"));
}

#[test]
fn without_users_the_door_says_so_and_stays_local() {
    assert!(start("").log.text().contains("level=warning event=no_users"));
    let server = Server::new(config(""), &Memory::new(), Box::new(std::io::sink())).unwrap();
    let backend = Arc::new(common::scripted::Scripted::default());
    let refused = server.open("0.0.0.0:0".parse().unwrap(), TdsDoor::new(backend));
    assert!(refused.is_err_and(|error| error.to_string().contains("no users are set")));
}

#[test]
fn encryption_can_be_required() {
    let running = start("encryption = 'required'");
    let mut wire = Wire::connect(running.address);
    assert_eq!(wire.pre_login(Encryption::NotSupported).encryption, Encryption::Required);
    let mut wire = Wire::connect(running.address);
    assert_eq!(errors(&wire.log_in(&Login::of("sa", "", Version::V7_1))), [(17_836, 20)]);
    let running = start("encryption = 'off'");
    let mut wire = Wire::connect(running.address);
    assert_eq!(wire.pre_login(Encryption::On).encryption, Encryption::NotSupported);
}

/// Each client has open files for itself and its tables, and a thread whose memory is to be kilobytes.
#[test]
fn a_process_that_serves_has_room_for_many_clients() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    // One less than there may be: the tests beside this one go on.
    limit.current = limit.maximum.map_or(Some(1 << 20), |most| Some(most - 1));
    setrlimit(Resource::Nofile, limit).unwrap();
    let running = start("");
    let limit = getrlimit(Resource::Nofile);
    assert_eq!(limit.current, limit.maximum);
    assert!(running.log.text().contains("level=info event=open_files limit="), "{}", running.log.text());
    #[cfg(target_os = "linux")]
    assert!(rustix::thread::transparent_huge_pages_are_disabled().unwrap());
}

/// Returns true if the server closes the connection without a word.
fn is_closed(address: SocketAddr) -> bool {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    matches!(socket.read(&mut [0; 10]), Ok(0)) || socket.write(&[18]).is_err()
}

#[test]
fn connections_beyond_the_limits_are_closed() {
    let running = start("max_connections = 4\nmax_logins = 2");
    let address = running.address;
    // Silent clients keep nobody from logging in: the one that has waited longest is disconnected.
    let mut waiting = [TcpStream::connect(address).unwrap(), TcpStream::connect(address).unwrap()];
    drop(Wire::logged_in(address));
    waiting[0].set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert!(!waiting[0].read(&mut [0; 1]).is_ok_and(|read| read > 0));
    drop(waiting);
    eventually("they leave", || running.log.text().matches("event=disconnect").count() == 3);
    let mut inside: Vec<_> = (0..4).map(|_| Wire::logged_in(address)).collect();
    assert!(is_closed(address));
    assert_eq!(rows(&inside[3].batch("SELECT 1")), [[Value::Integer(1)]]);
    assert!(running.log.text().contains("event=too_many_connections"));
}

#[test]
fn who_does_not_log_in_or_asks_for_nothing_is_let_go() {
    let running = start("login_timeout_seconds = 1\nidle_timeout_seconds = 1");
    let began = Instant::now();
    let mut silent = Wire::connect(running.address);
    // A drop now and then does not count.
    for byte in [18u8, 1, 0] {
        silent.stream.write_all(&[byte]).unwrap();
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(silent.receive().is_none());
    assert!(began.elapsed() < Duration::from_secs(3));
    let mut idle = Wire::logged_in(running.address);
    idle.batch("BEGIN TRAN");
    assert!(idle.receive().is_none());
    eventually("it is rolled back", || running.backend.rolled_back.load(SeqCst) == 1);
}

#[test]
fn stopping_lets_requests_end() {
    let running = start("");
    let address = running.address;
    let mut idle = Wire::logged_in(address);
    let mut busy = Wire::logged_in(address);
    busy.send_batch("sleep 0.5");
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    let stopped = running.server.stop();
    assert_eq!((stopped.interrupted, stopped.complete), (0, true));
    assert!(began.elapsed() < Duration::from_secs(3));
    assert!(idle.receive().is_none());
    assert_eq!(ends(&busy.tokens()), [(0xFD, 0, 0)]);
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(running.backend.sessions.load(SeqCst), 0);
}

#[test]
fn stopping_does_not_wait_for_ever() {
    let running = start("stop_grace_seconds = 1");
    let mut busy = Wire::logged_in(running.address);
    busy.batch("BEGIN TRAN");
    busy.send_batch("sleep 60");
    // Nor for one who does not read.
    let mut deaf = Wire::logged_in(running.address);
    deaf.send_batch("rows 50000000");
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    let stopped = running.server.stop();
    assert_eq!((stopped.interrupted, stopped.complete), (2, true));
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert_eq!(running.backend.rolled_back.load(SeqCst), 1);
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn metrics_health_and_slow_requests() {
    let mut config = config("slow_statement_ms = 50");
    config.http = Some("127.0.0.1:0".parse().unwrap());
    let running = start_with(config);
    let mut wire = Wire::logged_in(running.address);
    wire.batch("rows 10");
    wire.batch("fail");
    wire.batch("sleep 0.1 -- with \"quotes\"");
    let http = running.http.unwrap();
    assert!(get(http, "/health").ends_with("\r\n\r\nok\n"));
    assert!(get(http, "/other").starts_with("HTTP/1.1 404 "));
    let text = get(http, "/metrics");
    for line in [
        "mainstay_connections{door=\"tds\"} 1",
        "mainstay_sessions{door=\"tds\"} 1",
        "mainstay_rows_total{door=\"tds\"} 10",
        "mainstay_errors_total{door=\"tds\"} 1",
        "mainstay_slow_requests_total{door=\"tds\"} 1",
        "mainstay_requests_total{door=\"tds\",kind=\"batch\"} 3",
        "mainstay_request_seconds_count{door=\"tds\"} 3",
    ] {
        assert!(text.lines().any(|written| written == line), "{line}\n{text}");
    }
    let log = running.log.text();
    assert!(log.contains("event=slow_request door=tds connection=1 kind=batch ms=1"), "{log}");
    assert!(log.contains("text=\"sleep 0.1 -- with \\\"quotes\\\"\""), "{log}");
}

/// Fault break-09: one connection that sends a byte now and then kept all others from `/health`.
#[test]
fn slow_clients_do_not_keep_others_from_health() {
    let mut config = config("slow_statement_ms = 0");
    config.http = Some("127.0.0.1:0".parse().unwrap());
    let running = start_with(config);
    let http = running.http.unwrap();
    // More of them than there may be at a time: the first ones go.
    let mut slow: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(http).unwrap()).collect();
    let began = Instant::now();
    for _ in 0..6 {
        // A server that waited two seconds for each byte would never end these.
        slow.iter_mut().for_each(|socket| drop(socket.write_all(b"G")));
        let asked = Instant::now();
        assert!(get(http, "/health").ends_with("\r\n\r\nok\n"));
        assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
        std::thread::sleep(Duration::from_millis(500));
    }
    // All of them were closed after two seconds.
    assert!(began.elapsed() > Duration::from_secs(2));
    for socket in &mut slow {
        socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        let read = socket.read(&mut [0; 1]);
        let is_closed = match &read {
            Ok(count) => *count == 0,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        };
        assert!(is_closed, "{read:?}");
    }
}

#[test]
fn the_metrics_have_those_of_remote_programs() {
    let mut config = config("slow_statement_ms = 0");
    config.http = Some("127.0.0.1:0".parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let running = start_with(config);
    let service = Arc::new(Service::new(Arc::new(Disk), folder.path()));
    let address = running.server.open("127.0.0.1:0".parse().unwrap(), NavigatorDoor::new(service)).unwrap();
    let name = format!("tcp://{address}");
    let client = |password| Client::connect(&name, Address::parse(&name).unwrap().unwrap(), "ada", password, "test");
    let ada = client("").unwrap();
    assert!(client("wrong").is_err());
    assert_eq!(ada.list(std::path::Path::new("")).unwrap(), [""; 0]);
    let http = running.http.unwrap();
    let text = get(http, "/metrics");
    for line in [
        "mainstay_connections{door=\"tds\"} 0",
        "mainstay_sessions{door=\"navigator\"} 1",
        "mainstay_connections_total{door=\"navigator\"} 2",
        "mainstay_logins_failed_total{door=\"navigator\"} 1",
        "mainstay_requests_total{door=\"navigator\",kind=\"steps\"} 1",
    ] {
        assert!(text.lines().any(|written| written == line), "{line}\n{text}");
    }
    for counter in ["sent_bytes_total", "received_bytes_total"] {
        assert!(!text.contains(&format!("mainstay_{counter}{{door=\"navigator\"}} 0")), "{text}");
    }
    drop(ada);
    eventually("the client is gone", || get(http, "/metrics").contains("mainstay_sessions{door=\"navigator\"} 0"));
}

#[test]
fn many_clients_are_answered_each_with_its_own() {
    let running = start("slow_statement_ms = 0");
    let address = running.address;
    std::thread::scope(|scope| {
        for client in 0..24i64 {
            scope.spawn(move || {
                let mut wire = Wire::logged_in(address);
                let spid = rows(&wire.batch("SELECT @@SPID"));
                for round in 0..20 {
                    let number = client * 100 + round;
                    assert_eq!(rows(&wire.batch(&format!("SELECT {number}"))), [[Value::Integer(number)]]);
                    if (client + round) % 7 == 0 {
                        wire.send_batch("sleep 5");
                        wire.attention();
                        while ends(&wire.tokens()).iter().all(|end| end.1 & 0x20 == 0) {}
                    }
                    if (client + round) % 5 == 0 {
                        assert_eq!(rows(&wire.batch("rows 500")).len(), 500);
                    }
                }
                assert_eq!(rows(&wire.batch("SELECT @@SPID")), spid);
            });
        }
    });
    eventually("they are gone", || running.backend.sessions.load(SeqCst) == 0);
}
