//! A client's connection from its first byte to its last: prelude, TLS, login, requests.
//!
//! A client that has not logged in costs a thread, some kilobytes, and no more than the login timeout.

use super::NavigatorDoor;
use super::stream::Stream;
use crate::config::Encryption;
use crate::host::connection::Connection;
use crate::host::log::Level;
use crate::host::metrics::{OneMore, RequestKind};
use crate::host::{Ending, Host};
use mainstay_navigator::server::{Service, Session};
use mainstay_navigator::wire::frame::{Kind, LONGEST_HELLO};
use mainstay_navigator::wire::messages::{
    Hello, MARK, Prelude, Problem, Progress, Request, Step, TlsWish, VERSION, Welcome, encrypts,
};
use mainstay_navigator::wire::{decode, encode};
use mainstay_session::Cancel;
use mainstay_types::{Code, Error, Result};
use std::fmt::Display;
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The cost of a wrong password to its client, beside the check.
const REFUSAL_PAUSE: Duration = Duration::from_millis(200);
/// Between two times that a client is told how far its request is: each costs a round trip.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);
/// How long a client may think about whether its request is to go on, which keeps what the request has locked.
const VERDICT_PATIENCE: Duration = Duration::from_secs(600);
/// The program that a welcome names.
const PROGRAM: &str = concat!("Mainstay ", env!("CARGO_PKG_VERSION"));

/// Serves a connection.
pub(super) fn serve(service: &Arc<Service>, host: &Host, connection: &Arc<Connection>, socket: TcpStream) -> Ending {
    let ended = Stream::new(socket, LONGEST_HELLO, connection).and_then(|mut stream| {
        let Some(session) = log_in(service, host, connection, &mut stream)? else { return Ok(Ending::Refused) };
        let _one_more = OneMore::of(&connection.metrics().sessions);
        answer_requests(host, connection, session, &mut stream).map(|()| Ending::Closed)
    });
    ended.unwrap_or_else(Ending::from)
}

/// Requests of these clients end at their next report of progress, which looks at the connection's flags.
struct AtNextProgress;

impl Cancel for AtNextProgress {
    fn cancel(&self) {}
}

/// Sends the reason of a refusal. The connection is closed behind it.
fn refuse(stream: &mut Stream, error: Error) -> Result<Option<Session>> {
    stream.send(Kind::Refused, &encode(&Problem { error })).map(|()| None)
}

/// Brings a connection to its session. `None`: the client was refused and told so.
fn log_in(
    service: &Arc<Service>,
    host: &Host,
    connection: &Arc<Connection>,
    stream: &mut Stream,
) -> Result<Option<Session>> {
    let deadline = Instant::now() + host.config().login_timeout();
    stream.set_write_timeout(Some(host.config().login_timeout()));
    let frame = stream.receive(Some(deadline))?;
    let prelude = match frame.kind {
        Kind::Prelude => decode::<Prelude>(&frame.body)?,
        _ => return Err(Error::new(Code::InvalidValue, "something else where a prelude has to be")),
    };
    if prelude.mark != MARK || prelude.version == 0 {
        return refuse(stream, Error::new(Code::Unsupported, "the server speaks another protocol"));
    }
    let tls = match (host.config().encryption, host.tls()) {
        (Encryption::Off, _) | (_, None) => TlsWish::Off,
        (Encryption::Optional, _) => TlsWish::Open,
        (Encryption::Required, _) => TlsWish::Required,
    };
    let said = Prelude { mark: MARK, version: VERSION.min(prelude.version), tls };
    stream.send(Kind::Prelude, &encode(&said))?;
    match (encrypts(prelude.tls, tls), host.tls()) {
        (Ok(true), Some(_)) => stream.begin_tls(host, deadline)?,
        (Ok(false), _) => {}
        // The client finds the same.
        (Ok(true), None) | (Err(_), _) => return Ok(None),
    }
    let frame = stream.receive(Some(deadline))?;
    let hello = match frame.kind {
        Kind::Hello => decode::<Hello>(&frame.body)?,
        _ => return Err(Error::new(Code::InvalidValue, "something else where a login has to be")),
    };
    let address = connection.peer().map(|address| address.to_string()).unwrap_or_default();
    let session = authenticate(host, connection, &hello).and_then(|()| service.session(&hello, &address));
    let session = match session {
        Ok(session) => session,
        Err(error) => {
            let fields: [(&str, &dyn Display); 4] =
                [("door", &NavigatorDoor::NAME), ("user", &hello.user), ("address", &address), ("reason", &error)];
            host.log().event(Level::Warning, "login_failed", &fields);
            connection.metrics().logins_failed_total.fetch_add(1, Relaxed);
            std::thread::sleep(REFUSAL_PAUSE);
            return refuse(stream, error);
        }
    };
    connection.logged_in(Arc::new(AtNextProgress));
    stream.set_limit(host.config().max_request_bytes);
    stream.set_write_timeout(host.config().idle_timeout());
    let session = match host.is_read_only(&hello.user) && !hello.is_of_dictionary() {
        true => session.read_only(),
        false => session,
    };
    let ended = Arc::downgrade(connection);
    session.on_end(Box::new(move || {
        if let Some(connection) = ended.upgrade() {
            connection.shut_down();
        }
    }));
    let welcome = Welcome { connection: session.person().connection, server: PROGRAM.to_owned() };
    stream.send(Kind::Welcome, &encode(&welcome))?;
    let fields: [(&str, &dyn Display); 7] = [
        ("door", &NavigatorDoor::NAME),
        ("connection", &connection.id()),
        ("user", &hello.user),
        ("database", &hello.database),
        ("application", &hello.application),
        ("address", &address),
        ("encrypted", &stream.is_encrypted()),
    ];
    host.log().event(Level::Info, "login", &fields);
    Ok(Some(session))
}

/// Checks the user and the password. A data dictionary has users of its own and checks them itself; where the settings have
/// users, too, a password is required.
fn authenticate(host: &Host, connection: &Connection, hello: &Hello) -> Result<()> {
    let allowed = if hello.is_of_dictionary() {
        match host.has_users() {
            true => !hello.password.is_empty(),
            false => connection.peer().is_some_and(|address| address.is_loopback()),
        }
    } else {
        host.allows(&hello.user, &hello.password, connection.peer())
    };
    match allowed {
        true => Ok(()),
        false => Err(Error::new(Code::NotPermitted, format!("the login of user '{}' is refused", hello.user))),
    }
}

/// Answers one request after another, until the client leaves or the server stops.
fn answer_requests(host: &Host, connection: &Connection, mut session: Session, stream: &mut Stream) -> Result<()> {
    while !host.is_stopping() {
        let deadline = host.config().idle_timeout().map(|timeout| Instant::now() + timeout);
        let frame = stream.receive(deadline)?;
        if frame.kind != Kind::Request {
            return Err(Error::new(Code::InvalidValue, "something else where a request has to be"));
        }
        let request: Request = decode(&frame.body)?;
        let began = Instant::now();
        host.begin_request(connection);
        let mut told: Option<Instant> = None;
        let mut lost = None;
        let answer = session.answer(&request, &mut |done, all| {
            if host.is_stopping() || connection.is_cancelled() {
                return ControlFlow::Break(());
            }
            if !request.progress || told.is_some_and(|told| told.elapsed() < PROGRESS_PAUSE) {
                return ControlFlow::Continue(());
            }
            told = Some(Instant::now());
            let patience = host.config().idle_timeout().unwrap_or(VERDICT_PATIENCE);
            match ask_whether_to_go_on(stream, Progress { done, all }, Instant::now() + patience) {
                Ok(verdict) => verdict,
                Err(error) => {
                    lost = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(error) = lost {
            return Err(error);
        }
        host.count_request(connection, RequestKind::Steps, began.elapsed(), || log_fields(&session, &request));
        let body = encode(&answer);
        // The client may read slowly: the rows of a statement are not kept beside what they are on the wire.
        drop(answer);
        stream.send(Kind::Answer, &body)?;
        connection.end_request();
    }
    Ok(())
}

fn ask_whether_to_go_on(stream: &mut Stream, progress: Progress, deadline: Instant) -> Result<ControlFlow<()>> {
    stream.send(Kind::Progress, &encode(&progress))?;
    let frame = stream.receive(Some(deadline))?;
    match (frame.kind, frame.body.as_slice()) {
        (Kind::Verdict, [1]) => Ok(ControlFlow::Continue(())),
        (Kind::Verdict, _) => Ok(ControlFlow::Break(())),
        _ => Err(Error::new(Code::InvalidValue, "something else where a verdict has to be")),
    }
}

/// The user and the kinds of steps of a slow request, for the log; never their values.
fn log_fields(session: &Session, request: &Request) -> Vec<(&'static str, String)> {
    let steps: Vec<&str> = request.steps.iter().map(Step::name).collect();
    vec![("user", session.person().user.clone()), ("steps", steps.join(" "))]
}
