//! Connections with arbitrary bytes: each ends alone, and other clients are served in the meantime.

mod common;

use common::{Wire, eventually, rows, start};
use mainstay_tds::{Encryption, Login, Version};
use mainstay_types::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

/// Numbers that look random (Vigna's SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % limit.max(1) as u64) as usize
    }
}

/// The bytes that a well-behaved client sends in a short life.
fn life() -> Vec<u8> {
    struct Kept(Vec<u8>);
    impl Read for Kept {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Ok(0)
        }
    }
    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut wire = Wire::over(Kept(Vec::new()));
    let asked = mainstay_tds::PreLogin {
        version: (1, 0, 0),
        encryption: Encryption::NotSupported,
        instance: String::new(),
        mars: false,
        federated: None,
    };
    let (mut hello, mut login) = (Vec::new(), Vec::new());
    asked.encode(&mut hello);
    Login::of("sa", "", Version::V7_4).encode(&mut login);
    wire.send_message(mainstay_tds::PacketKind::PreLogin, &hello);
    wire.send_message(mainstay_tds::PacketKind::Login, &login);
    for text in ["SELECT 1", "types", "rows 10", "BEGIN TRAN"] {
        wire.send_batch(text);
    }
    wire.attention();
    wire.into_stream().0
}

#[test]
fn hostile_connections_end_alone() {
    let running = start("login_timeout_seconds = 1\nidle_timeout_seconds = 1");
    let address = running.address;
    let (life, mut random) = (life(), Random(5));
    for round in 0..400 {
        let mut bytes = life.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                2 => bytes.truncate(at.max(1)),
                _ => drop(bytes.drain(at..(at + random.below(20)).min(bytes.len()))),
            }
            if bytes.is_empty() {
                bytes.push(18);
            }
        }
        let mut socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let _ = socket.write_all(&bytes);
        let _ = socket.shutdown(std::net::Shutdown::Write);
        // Whatever is answered, the connection comes to its end.
        let ended = std::io::copy(&mut socket, &mut std::io::sink());
        assert!(!ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock), "round {round}");
    }
    let mut bystander = Wire::logged_in(address);
    assert_eq!(rows(&bystander.batch("SELECT 8")), [[Value::Integer(8)]]);
    eventually("nobody else is left", || running.backend.sessions.load(SeqCst) == 1);
    assert!(!running.log.text().contains("event=panic"));
}
