//! `/metrics` and `/health` over HTTP/1.1: as much of it as Prometheus and a load balancer speak.
//!
//! One request a connection, one connection at a time, two seconds for each; nothing but the first line is looked at.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(2);
const LONGEST_REQUEST: usize = 8 * 1024;

/// Answers until the server stops.
pub(crate) fn run(listener: &TcpListener, stopping: &AtomicBool, metrics: impl Fn() -> String) {
    for socket in listener.incoming() {
        if stopping.load(SeqCst) {
            return;
        }
        if let Ok(socket) = socket {
            // A client that breaks off is its own concern.
            let _ = answer(socket, stopping, &metrics);
        }
    }
}

fn answer(mut socket: TcpStream, stopping: &AtomicBool, metrics: impl Fn() -> String) -> std::io::Result<()> {
    socket.set_read_timeout(Some(LIMIT))?;
    socket.set_write_timeout(Some(LIMIT))?;
    let (mut request, mut piece) = (Vec::new(), [0; 1024]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < LONGEST_REQUEST {
        match socket.read(&mut piece)? {
            0 => break,
            count => request.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
    }
    let first = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = first.split(|byte| *byte == b' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split(|byte| *byte == b'?').next().unwrap_or_default();
    let (status, body) = match (method, path) {
        (b"GET" | b"HEAD", b"/metrics") => ("200 OK", metrics()),
        (b"GET" | b"HEAD", b"/health") if stopping.load(SeqCst) => ("503 Service Unavailable", "stopping\n".into()),
        (b"GET" | b"HEAD", b"/health") => ("200 OK", "ok\n".into()),
        (b"GET" | b"HEAD", _) => ("404 Not Found", "not found\n".into()),
        _ => ("405 Method Not Allowed", "only GET\n".into()),
    };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    socket.write_all(head.as_bytes())?;
    if method != b"HEAD" {
        socket.write_all(body.as_bytes())?;
    }
    Ok(())
}
