//! A client's connection from its first byte to its last: TLS, login, messages.
//!
//! Messages have no length and are executed as they come; the replies of a group are sent at its end. So a batch of any
//! number of rows takes no more memory than its largest message. The memory of replies is bounded by the buffer size
//! that the client requests for rows.

use super::SqliDoor;
use super::conversation::{Conversation, Next};
use crate::config::Encryption;
use crate::host::connection::Connection;
use crate::host::log::Level;
use crate::host::metrics::{OneMore, RequestKind};
use crate::host::socket::Socket;
use crate::host::{Ending, Host};
use mainstay_session::{Backend, Failure, Login, Session};
use mainstay_sqli::{
    Codeset, ConnectReply, ConnectRequest, Decoded, LONGEST_LOGIN, Outcome, Request, WireError, login_length,
};
use mainstay_types::{Code, Error, Result};
use std::fmt::Display;
use std::net::TcpStream;
use std::sync::atomic::Ordering::Relaxed;
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
pub(super) fn serve(backend: &dyn Backend, host: &Host, connection: &Connection, socket: TcpStream) -> Ending {
    let ended = Socket::new(socket, connection).and_then(|mut socket| {
        let Some((session, codeset)) = log_in(backend, host, connection, &mut socket)? else {
            return Ok(Ending::Refused);
        };
        let _one_more = OneMore::of(&connection.metrics().sessions);
        converse(host, connection, &mut socket, Conversation::new(session, codeset)).map(|()| Ending::Closed)
    });
    ended.unwrap_or_else(Ending::from)
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
    backend: &dyn Backend,
    host: &Host,
    connection: &Connection,
    socket: &mut Socket,
) -> Result<Option<(Box<dyn Session>, Codeset)>> {
    let deadline = Instant::now() + host.config().login_timeout();
    socket.set_write_timeout(Some(host.config().login_timeout()));
    if socket.peek(Some(deadline))? == TLS_HANDSHAKE {
        socket.begin_tls(host, deadline)?;
    }
    let request = ConnectRequest::decode(&login_bytes(socket, deadline)?).map_err(wire)?;
    let address = connection.peer().map(|address| address.to_string()).unwrap_or_default();
    let session = match session_of(backend, host, connection, socket, &request) {
        Ok(session) => session,
        Err(reason) => {
            let fields: [(&str, &dyn Display); 4] =
                [("door", &SqliDoor::NAME), ("user", &request.user), ("address", &address), ("reason", &reason)];
            host.log().event(Level::Warning, "login_failed", &fields);
            connection.metrics().logins_failed_total.fetch_add(1, Relaxed);
            std::thread::sleep(REFUSAL_PAUSE);
            answer(host, socket, Outcome::Rejected(REFUSED, 13, reason))?;
            return Ok(None);
        }
    };
    connection.logged_in(session.canceller());
    socket.set_write_timeout(host.config().idle_timeout());
    answer(host, socket, Outcome::Accepted)?;
    let fields: [(&str, &dyn Display); 6] = [
        ("door", &SqliDoor::NAME),
        ("connection", &connection.id()),
        ("user", &request.user),
        ("application", &request.application),
        ("address", &address),
        ("encrypted", &socket.is_encrypted()),
    ];
    host.log().event(Level::Info, "login", &fields);
    let codeset = Codeset::of_locale(request.variable("CLIENT_LOCALE").unwrap_or_default());
    Ok(Some((session, codeset)))
}

/// Checks the user and begins the session; the reason why not is for the client.
fn session_of(
    backend: &dyn Backend,
    host: &Host,
    connection: &Connection,
    socket: &Socket,
    request: &ConnectRequest,
) -> Result<Box<dyn Session>, String> {
    if !socket.is_encrypted() && host.config().encryption == Encryption::Required {
        return Err("encryption is required".to_owned());
    }
    if !host.allows(&request.user, &request.password, connection.peer()) {
        return Err(request.user.clone());
    }
    let login = Login {
        user: request.user.clone(),
        application: request.application.clone(),
        address: connection.peer().map(|address| address.to_string()).unwrap_or_default(),
        database: request.database.clone(),
        environment: request.environment.clone(),
        read_only: host.is_read_only(&request.user),
    };
    backend.session(&login).map_err(|failure| failure.message)
}

fn answer(host: &Host, socket: &mut Socket, outcome: Outcome) -> Result<()> {
    let reply = ConnectReply {
        version: host.config().sqli_version.clone(),
        serial: "Serial#000000".to_owned(),
        server: host.config().name.to_lowercase(),
        outcome,
    };
    let bytes = reply.encode();
    let deadline = socket.write_deadline(bytes.len());
    socket.send(&bytes, deadline)
}

/// Carries out one message after another, until the client leaves or the server stops.
fn converse(host: &Host, connection: &Connection, socket: &mut Socket, mut conversation: Conversation) -> Result<()> {
    let limit = host.config().max_request_bytes;
    let mut buffer: Vec<u8> = Vec::new();
    let mut at = 0;
    let mut began = Instant::now();
    let mut held = Held::default();
    while !host.is_stopping() {
        let left = buffer.get(at..).unwrap_or_default();
        let decoded = match left.is_empty() {
            true => Decoded::Incomplete,
            false => match Request::decode(left, conversation.context(), limit) {
                Ok(decoded) => decoded,
                Err(error) => {
                    held.send(socket, &mut conversation)?;
                    return Err(wire(error));
                }
            },
        };
        let Decoded::Message(request, used) = decoded else {
            buffer.drain(..at);
            at = 0;
            held.send(socket, &mut conversation)?;
            // A group that has begun may take its time only as long as an idle client.
            let deadline = host.config().idle_timeout().map(|timeout| Instant::now() + timeout);
            connection.end_request();
            let received = socket.receive(deadline)?;
            host.begin_request(connection);
            if buffer.is_empty() && conversation.is_at_start() {
                began = Instant::now();
            }
            buffer.extend_from_slice(received);
            continue;
        };
        at += used;
        let is_quick = conversation.is_quick(&request);
        if !is_quick && held.has_taken_time {
            held.send(socket, &mut conversation)?;
        }
        held.takes_time |= !is_quick;
        let next = conversation.carry_out(request);
        if next == Next::Exit || conversation.replies().len() >= FLUSH_BYTES {
            held.end = conversation.replies().len();
            held.send(socket, &mut conversation)?;
        }
        match next {
            Next::GoOn => {}
            Next::Exit => return Ok(()),
            Next::Send => {
                held.end_group(&conversation);
                let text = || vec![("text", log_text(&conversation))];
                host.count_request(connection, RequestKind::Statement, began.elapsed(), text);
                conversation.begin_group();
                began = Instant::now();
            }
        }
    }
    held.send(socket, &mut conversation)
}

/// Replies of a group that has not ended are sent in pieces of this size, so that batches need no memory for them.
const FLUSH_BYTES: usize = 1 << 20;

/// Replies of complete groups that were not sent. Groups that a client sends together are answered together, except that
/// a message that may take time does not delay the replies of an earlier one that did.
#[derive(Default)]
struct Held {
    /// Where they end among the replies.
    end: usize,
    /// The running group has a message that is not quick.
    takes_time: bool,
    /// A group whose replies are held had one.
    has_taken_time: bool,
}

impl Held {
    fn end_group(&mut self, conversation: &Conversation) {
        self.end = conversation.replies().len();
        self.has_taken_time |= std::mem::take(&mut self.takes_time);
    }

    fn send(&mut self, socket: &mut Socket, conversation: &mut Conversation) -> Result<()> {
        let end = std::mem::take(&mut self.end);
        self.has_taken_time = false;
        let Some(replies) = conversation.replies().get(..end).filter(|replies| !replies.is_empty()) else {
            return Ok(());
        };
        let deadline = socket.write_deadline(replies.len());
        socket.send(replies, deadline)?;
        conversation.forget_replies(end);
        Ok(())
    }
}

/// The start of the last statement, for the log.
fn log_text(conversation: &Conversation) -> String {
    let text = conversation.text();
    let end = (0..=LOGGED_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default().to_owned()
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
