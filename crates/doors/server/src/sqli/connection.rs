//! A client's connection from its first byte to its last: TLS, login, messages.
//!
//! Messages have no length and are carried out as they come; the replies of a group are sent at its end. So a batch of any
//! number of rows takes no memory beyond its largest message. The memory of replies is bounded by the buffer size that the
//! client asks rows for.

use super::Shared;
use super::conversation::{Conversation, Next};
use crate::config::Encryption;
use crate::listener::Watched;
use crate::log::Level;
use crate::metrics::OneMore;
use crate::socket::Socket;
use mainstay_session::{Failure, Login, Session};
use mainstay_sqli::{
    Codeset, ConnectReply, ConnectRequest, Decoded, LONGEST_LOGIN, Outcome, Request, WireError, login_length,
};
use mainstay_types::{Code, Error, Result};
use std::fmt::Display;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::{Duration, Instant};

/// The additional cost of a wrong password to its client, beside the check.
const REFUSAL_PAUSE: Duration = Duration::from_millis(200);
/// -951: incorrect password, or the user is not known on the database server.
const REFUSED: i16 = -951;
/// The first byte of a TLS handshake.
const TLS_HANDSHAKE: u8 = 0x16;
/// Text of a slow statement that is written to the log, in bytes.
const LOGGED_TEXT: usize = 500;

/// Serves a connection.
pub(super) fn serve(shared: &Shared, number: u64, socket: TcpStream) {
    let ended = Socket::new(socket, Arc::clone(&shared.metrics)).and_then(|mut socket| {
        let is_running = Arc::default();
        let Some((session, codeset)) = log_in(shared, number, &mut socket, &is_running)? else { return Ok("refused") };
        let _one_more = OneMore::of(&shared.metrics.sessions);
        converse(shared, &mut socket, Conversation::new(session, codeset), &is_running).map(|()| "closed")
    });
    let (level, reason): (Level, &dyn Display) = match &ended {
        Ok(reason) => (Level::Info, reason),
        Err(error) if error.code() == Code::ConnectionLost => (Level::Info, &error.message()),
        Err(error) => (Level::Warning, error),
    };
    let fields: [(&str, &dyn Display); 3] = [("door", &"sqli"), ("connection", &number), ("reason", reason)];
    shared.log.event(level, "disconnect", &fields);
}

fn wire(error: WireError) -> Error {
    Error::new(Code::InvalidValue, error.to_string())
}

/// Reads the login PDU.
fn login_bytes(socket: &mut Socket, deadline: Instant) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let length = login_length(&bytes).map_err(wire)?;
        if length.is_some_and(|length| bytes.len() >= length) {
            // A client waits for the answer: what follows would be no part of the login.
            return Ok(bytes);
        }
        bytes.extend_from_slice(socket.receive(Some(deadline))?);
        if bytes.len() > LONGEST_LOGIN {
            return Err(wire(WireError::TooLong(LONGEST_LOGIN)));
        }
    }
}

/// Brings a connection to its session. `None`: the client was refused and told so.
fn log_in(
    shared: &Shared,
    number: u64,
    socket: &mut Socket,
    is_running: &Arc<AtomicBool>,
) -> Result<Option<(Box<dyn Session>, Codeset)>> {
    let deadline = Instant::now() + shared.config.login_timeout();
    socket.set_write_timeout(Some(shared.config.login_timeout()));
    if socket.peek(Some(deadline))? == TLS_HANDSHAKE {
        let tls = shared.tls.as_ref().ok_or_else(|| wire(WireError::Malformed("TLS, which is off")))?;
        socket.begin_tls(Arc::clone(tls), deadline)?;
    }
    let request = ConnectRequest::decode(&login_bytes(socket, deadline)?).map_err(wire)?;
    let address = socket.peer().map(|address| address.to_string()).unwrap_or_default();
    let session = match session_of(shared, socket, &request, &address) {
        Ok(session) => session,
        Err(reason) => {
            let fields: [(&str, &dyn Display); 4] =
                [("door", &"sqli"), ("user", &request.user), ("address", &address), ("reason", &reason)];
            shared.log.event(Level::Warning, "login_failed", &fields);
            shared.metrics.logins_failed_total.fetch_add(1, Relaxed);
            std::thread::sleep(REFUSAL_PAUSE);
            answer(shared, socket, Outcome::Rejected(REFUSED, 13, reason))?;
            return Ok(None);
        }
    };
    let watched = Watched { cancel: session.canceller(), is_running: Arc::clone(is_running) };
    shared.logged_in(number, Some(watched));
    socket.set_write_timeout(shared.config.idle_timeout());
    answer(shared, socket, Outcome::Accepted)?;
    let fields: [(&str, &dyn Display); 6] = [
        ("door", &"sqli"),
        ("connection", &number),
        ("user", &request.user),
        ("application", &request.application),
        ("address", &address),
        ("encrypted", &socket.is_encrypted()),
    ];
    shared.log.event(Level::Info, "login", &fields);
    let codeset = Codeset::of_locale(request.variable("CLIENT_LOCALE").unwrap_or_default());
    Ok(Some((session, codeset)))
}

/// Checks the user and begins the session; the reason why not is for the client.
fn session_of(
    shared: &Shared,
    socket: &Socket,
    request: &ConnectRequest,
    address: &str,
) -> Result<Box<dyn Session>, String> {
    if !socket.is_encrypted() && shared.config.encryption == Encryption::Required {
        return Err("encryption is required".to_owned());
    }
    if !shared.allows(&request.user, &request.password, socket.peer()) {
        return Err(request.user.clone());
    }
    let login = Login {
        user: request.user.clone(),
        application: request.application.clone(),
        address: address.to_owned(),
        database: request.database.clone(),
        environment: request.environment.clone(),
        read_only: shared.may_only_read(&request.user),
    };
    shared.service.session(&login).map_err(|failure| failure.message)
}

fn answer(shared: &Shared, socket: &mut Socket, outcome: Outcome) -> Result<()> {
    let reply = ConnectReply {
        version: shared.config.sqli_version.clone(),
        serial: "Serial#000000".to_owned(),
        server: shared.config.name.to_lowercase(),
        outcome,
    };
    let bytes = reply.encode();
    let deadline = socket.write_deadline(bytes.len());
    socket.send(&bytes, deadline)
}

/// Carries out one message after another, until the client leaves or the server stops.
fn converse(
    shared: &Shared,
    socket: &mut Socket,
    mut conversation: Conversation,
    is_running: &AtomicBool,
) -> Result<()> {
    let limit = shared.config.max_request_bytes;
    let mut buffer: Vec<u8> = Vec::new();
    let mut at = 0;
    let mut began = Instant::now();
    while !shared.stopping.load(SeqCst) {
        let left = buffer.get(at..).unwrap_or_default();
        let decoded = match left.is_empty() {
            true => Decoded::Incomplete,
            false => Request::decode(left, conversation.context(), limit).map_err(wire)?,
        };
        let Decoded::Message(request, used) = decoded else {
            buffer.drain(..at);
            at = 0;
            // A group that has begun may take its time only as long as an idle client.
            let deadline = shared.config.idle_timeout().map(|timeout| Instant::now() + timeout);
            is_running.store(false, SeqCst);
            let received = socket.receive(deadline)?;
            is_running.store(true, SeqCst);
            if buffer.is_empty() && conversation.is_at_start() {
                began = Instant::now();
            }
            buffer.extend_from_slice(received);
            continue;
        };
        at += used;
        let next = conversation.carry_out(request);
        if next == Next::GoOn && conversation.replies().len() < FLUSH_BYTES {
            continue;
        }
        let replies = conversation.take_replies();
        let deadline = socket.write_deadline(replies.len());
        socket.send(&replies, deadline)?;
        match next {
            Next::GoOn => {}
            Next::Exit => return Ok(()),
            Next::Send => {
                shared.metrics.requests_total.fetch_add(1, Relaxed);
                log_if_slow(shared, &conversation, began.elapsed());
                conversation.begin_group();
                began = Instant::now();
            }
        }
    }
    Ok(())
}

/// Replies of a group that has not ended are sent in pieces of this size, so that batches need no memory for them.
const FLUSH_BYTES: usize = 1 << 20;

fn log_if_slow(shared: &Shared, conversation: &Conversation, took: Duration) {
    if !shared.is_slow(took) {
        return;
    }
    let (text, ms) = (conversation.text(), took.as_millis());
    let end = (0..=LOGGED_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let shown = text.get(..end).unwrap_or_default();
    let fields: [(&str, &dyn Display); 3] = [("door", &"sqli"), ("ms", &ms), ("text", &shown)];
    shared.log.event(Level::Warning, "slow_request", &fields);
}

/// An error of the session in the numbers of the protocol, which have 16 bits.
pub(super) fn reply_of(failure: &Failure) -> mainstay_sqli::Failure {
    let number = |number: i32| i16::try_from(number).unwrap_or(-999);
    mainstay_sqli::Failure {
        code: number(failure.number),
        isam: number(failure.detail),
        offset: failure.position,
        subject: failure.subject.clone(),
    }
}
