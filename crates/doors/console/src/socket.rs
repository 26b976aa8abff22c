//! One WebSocket: a thread that reads events and a thread that writes frames.
//!
//! Both write whole messages under one lock ([`Outgoing`]): `tungstenite` reads, answers pings and closes; the frames of the screen
//! go past it. A page that does not read is closed after the write timeout, one that is silent although it was pinged after
//! the read timeout. Events beyond the rate limit wait, which holds up the page by the socket's own flow control.

use crate::client::Client;
use crate::pages::{Shared, WRITE_LIMIT};
use crate::programs::Running;
use crate::wire::{self, Ended, LONGEST_MESSAGE, Message};
use mainstay_screen::frame::ListState;
use mainstay_screen::mse::FaceFacts;
use mainstay_screen::session::{Face, Next};
use std::cell::Cell;
use std::io::{Read, Result, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{WebSocket, protocol};

/// The time between pings.
const PING: Duration = Duration::from_secs(25);
/// The time after which a silent page is gone.
const SILENCE: Duration = Duration::from_secs(75);
/// The time in which the first message has to come.
const FIRST: Duration = Duration::from_secs(10);
/// Rows of a list that are sent with a frame.
const FIRST_ROWS: usize = 200;
/// Events that may come at once, and those of each second after that.
const BURST: f64 = 2000.0;
const EVENTS_PER_SECOND: f64 = 400.0;
/// The time after which a session is looked at again.
const SESSION_CHECK: Duration = Duration::from_secs(20);

/// The writing side of a socket.
struct Outgoing<'c>(&'c dyn Client);

impl Outgoing<'_> {
    fn write(&self, bytes: &[u8]) -> Result<()> {
        self.0.send(bytes, WRITE_LIMIT)
    }

    fn frame(&self, frame: Frame) -> Result<()> {
        let mut bytes = Vec::new();
        frame.format(&mut bytes).map_err(std::io::Error::other)?;
        self.write(&bytes)
    }

    /// Sends operations as one message.
    fn send(&self, operations: Vec<u8>) -> Result<()> {
        self.frame(Frame::message(operations, OpCode::Data(Data::Binary), true))
    }

    /// Sends a reason, then closes: the page answers, which ends the reading thread.
    fn close(&self, reason: Ended, message: &str) {
        // A page that is gone needs no reason.
        let _ = self.send(wire::ended(reason, message)).and_then(|()| self.frame(Frame::close(None)));
    }
}

/// The socket as `tungstenite` sees it. What it writes are whole messages.
struct Duplex<'o> {
    out: &'o Outgoing<'o>,
    /// The time in which the next bytes have to come.
    limit: Rc<Cell<Duration>>,
}

impl Read for Duplex<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.out.0.receive(buffer, self.limit.get())
    }
}

impl Write for Duplex<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.out.write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Events per second.
struct Pace {
    left: f64,
    at: Instant,
}

impl Pace {
    /// Waits until `cost` events may pass.
    fn pay(&mut self, cost: f64) {
        let now = Instant::now();
        self.left = (self.left + now.duration_since(self.at).as_secs_f64() * EVENTS_PER_SECOND).min(BURST);
        self.at = now;
        self.left -= cost;
        if self.left < 0.0 {
            std::thread::sleep(Duration::from_secs_f64((-self.left / EVENTS_PER_SECOND).min(1.0)));
        }
    }
}

/// Serves a socket whose upgrade was answered, for a user with a session. `read` was read beyond the request.
pub(crate) fn serve(client: &dyn Client, read: Vec<u8>, shared: &Shared, (user, session): (&str, &str)) -> Result<()> {
    let out = Outgoing(client);
    let limit = Rc::new(Cell::new(FIRST));
    let settings = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE))
        .read_buffer_size(16 << 10);
    let duplex = Duplex { out: &out, limit: Rc::clone(&limit) };
    let mut incoming = WebSocket::from_partially_read(duplex, read, Role::Server, Some(settings));
    let Some((running, facts)) = attach(&mut incoming, shared, user) else {
        out.close(Ended::Refused, "The program is not there any more");
        return Ok(());
    };
    limit.set(SILENCE);
    let face = running.watch.attach(facts);
    let grace = u32::try_from(shared.config.grace.as_secs()).unwrap_or(u32::MAX);
    out.send(wire::hello(&running.name, grace))?;
    client.log("program_attached", &[("user", user), ("program", &running.name)]);
    std::thread::scope(|scope| {
        let writer = std::thread::Builder::new().name("program frames".into());
        let spawned = writer.spawn_scoped(scope, || write_frames(&face, &out, &running, shared));
        if spawned.is_ok() {
            read_events(&mut incoming, &face, &out, || shared.sessions.user(session, &shared.config).is_some());
        }
        face.detach();
        client.shut_down();
    });
    Ok(())
}

/// Reads the first message and finds the program of its ticket.
fn attach(
    incoming: &mut WebSocket<Duplex<'_>>,
    shared: &Shared,
    user: &str,
) -> Option<(std::sync::Arc<Running>, FaceFacts)> {
    let protocol::Message::Binary(bytes) = incoming.read().ok()? else { return None };
    let message = wire::decode(&bytes)?.into_iter().next()?;
    let Message::Attach { version: wire::VERSION, character, ticket } = message else { return None };
    let program = shared.sessions.redeem(&ticket)?;
    let running = shared.table.of_user(&program, user)?;
    Some((running, FaceFacts { mouse: true, character_width: character.0, character_height: character.1 }))
}

fn write_frames(face: &Face, out: &Outgoing<'_>, running: &Running, shared: &Shared) {
    loop {
        let sent = match face.next(Instant::now() + PING) {
            Next::Frame(frame) => out.send(wire::frame(&frame, |list| first_rows(face, list))),
            Next::Timeout => out.frame(Frame::ping(Vec::new())),
            Next::Ended => {
                // The socket stays for a while, so that the page can fetch further rows of lists.
                let _ = out.send(wire::ended(Ended::Program, &running.error()));
                shared.table.forget(running);
                return;
            }
            Next::Replaced => return out.close(Ended::Replaced, ""),
        };
        if sent.is_err() {
            // The reader sees the end of the socket.
            out.0.shut_down();
            return;
        }
    }
}

/// The first rows of a list, if they have changed.
fn first_rows(face: &Face, list: &ListState) -> Option<Vec<u8>> {
    let count = FIRST_ROWS.min(list.count).checked_sub(list.first_changed).filter(|count| *count > 0)?;
    let (generation, rows) = face.list_rows(list.handle, list.first_changed, count)?;
    Some(wire::list_rows(list.handle, generation, list.first_changed, &rows))
}

/// Reads until the page is gone, sends what is not valid, or has no session any more.
fn read_events(incoming: &mut WebSocket<Duplex<'_>>, face: &Face, out: &Outgoing<'_>, has_session: impl Fn() -> bool) {
    let mut pace = Pace { left: BURST, at: Instant::now() };
    let mut checked = Instant::now();
    while let Ok(message) = incoming.read() {
        if checked.elapsed() > SESSION_CHECK {
            if !has_session() {
                return out.close(Ended::Refused, "The session has ended");
            }
            checked = Instant::now();
        }
        let bytes = match message {
            protocol::Message::Binary(bytes) => bytes,
            protocol::Message::Ping(_) | protocol::Message::Pong(_) => continue,
            _ => return,
        };
        let Some(messages) = wire::decode(&bytes) else { return };
        for message in messages {
            match message {
                Message::Attach { .. } => return,
                Message::Acknowledge(sequence) => face.acknowledge(sequence),
                Message::Event(event) => {
                    pace.pay(1.0);
                    face.event(event);
                }
                Message::Rows { handle, from, count } => {
                    pace.pay(1.0);
                    let Some((generation, rows)) = face.list_rows(handle, from, count) else { continue };
                    if out.send(wire::list_rows(handle, generation, from, &rows)).is_err() {
                        return;
                    }
                }
            }
        }
    }
}
