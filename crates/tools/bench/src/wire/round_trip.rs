//! The floor of a call over the network: bytes there and back, without a protocol.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Bytes of a message: a prepared call and its answer are of about this size.
const BYTES: usize = 64;
/// Round trips, in rounds of which the median is taken.
const TRIPS: u32 = 1_000;
const ROUNDS: usize = 15;

/// The time of a round trip over loopback, without encryption or protocol; measured once. `None` where there is no
/// loopback.
pub(crate) fn bare_round_trip() -> Option<Duration> {
    static MEASURED: OnceLock<Option<Duration>> = OnceLock::new();
    *MEASURED.get_or_init(|| measure().ok())
}

fn measure() -> std::io::Result<Duration> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut client = TcpStream::connect(listener.local_addr()?)?;
    client.set_nodelay(true)?;
    let (mut server, _) = listener.accept()?;
    server.set_nodelay(true)?;
    std::thread::spawn(move || {
        let mut bytes = [0; BYTES];
        while server.read_exact(&mut bytes).and_then(|()| server.write_all(&bytes)).is_ok() {}
    });
    let mut bytes = [0; BYTES];
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        for _ in 0..TRIPS {
            client.write_all(&bytes)?;
            client.read_exact(&mut bytes)?;
        }
        rounds.push(begin.elapsed() / TRIPS);
    }
    rounds.sort_unstable();
    Ok(rounds[ROUNDS / 2])
}
