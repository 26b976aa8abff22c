//! A client's connection from its first byte to its last: prelude, TLS, login, requests.
//!
//! A client that has not logged in costs a thread, some kilobytes, and no more than the login timeout.

use super::Shared;
use super::stream::Stream;
use crate::config::Encryption;
use crate::log::Level;
use crate::metrics::OneMore;
use mainstay_navigator::server::Session;
use mainstay_navigator::wire::frame::{Kind, LONGEST_HELLO};
use mainstay_navigator::wire::messages::{
    Hello, MARK, Prelude, Problem, Progress, Request, Step, TlsWish, VERSION, Welcome, encrypts,
};
use mainstay_navigator::wire::{decode, encode};
use mainstay_types::{Code, Error, Result};
use std::fmt::Display;
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

/// What a wrong password costs its client beside the check.
const REFUSAL_PAUSE: Duration = Duration::from_millis(200);
/// Between two times that a client is told how far its request is: each costs a round trip.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);
/// How long a client may think about whether its request is to go on, which keeps what the request has locked.
const VERDICT_PATIENCE: Duration = Duration::from_secs(600);
/// The program that a welcome names.
const PROGRAM: &str = concat!("Mainstay ", env!("CARGO_PKG_VERSION"));

/// Serves a connection.
pub(super) fn serve(shared: &Shared, number: u64, socket: TcpStream) {
    let ended = Stream::new(socket, LONGEST_HELLO, Arc::clone(&shared.metrics)).and_then(|mut stream| {
        let Some(session) = log_in(shared, number, &mut stream)? else {
            return Ok("refused");
        };
        let _one_more = OneMore::of(&shared.metrics.sessions);
        answer_requests(shared, session, &mut stream).map(|()| "closed")
    });
    let (level, reason): (Level, &dyn Display) = match &ended {
        Ok(reason) => (Level::Info, reason),
        Err(error) if error.code() == Code::ConnectionLost => (Level::Info, &error.message()),
        Err(error) => (Level::Warning, error),
    };
    let fields: [(&str, &dyn Display); 3] = [("door", &"navigator"), ("connection", &number), ("reason", reason)];
    shared.log.event(level, "disconnect", &fields);
}

/// Says why the client is not let in. The connection is closed behind it.
fn refuse(stream: &mut Stream, error: Error) -> Result<Option<Session>> {
    stream.send(Kind::Refused, &encode(&Problem { error })).map(|()| None)
}

/// Brings a connection to its session. `None`: the client was refused and told so.
fn log_in(shared: &Shared, number: u64, stream: &mut Stream) -> Result<Option<Session>> {
    let deadline = Instant::now() + shared.config.login_timeout();
    stream.set_write_timeout(Some(shared.config.login_timeout()));
    let frame = stream.receive(Some(deadline))?;
    let prelude = match frame.kind {
        Kind::Prelude => decode::<Prelude>(&frame.body)?,
        _ => return Err(Error::new(Code::InvalidValue, "something else where a prelude has to be")),
    };
    if prelude.mark != MARK || prelude.version == 0 {
        return refuse(stream, Error::new(Code::Unsupported, "the server speaks another protocol"));
    }
    let tls = match (shared.config.encryption, &shared.tls) {
        (Encryption::Off, _) | (_, None) => TlsWish::Off,
        (Encryption::Optional, _) => TlsWish::Open,
        (Encryption::Required, _) => TlsWish::Required,
    };
    let said = Prelude { mark: MARK, version: VERSION.min(prelude.version), tls };
    stream.send(Kind::Prelude, &encode(&said))?;
    match (encrypts(prelude.tls, tls), &shared.tls) {
        (Ok(true), Some(config)) => stream.begin_tls(Arc::clone(config), deadline)?,
        (Ok(false), _) => {}
        // The client finds the same.
        (Ok(true), None) | (Err(_), _) => return Ok(None),
    }
    let frame = stream.receive(Some(deadline))?;
    let hello = match frame.kind {
        Kind::Hello => decode::<Hello>(&frame.body)?,
        _ => return Err(Error::new(Code::InvalidValue, "something else where a login has to be")),
    };
    let address = stream.peer().map(|address| address.to_string()).unwrap_or_default();
    let session = authenticate(shared, stream, &hello).and_then(|()| shared.service.session(&hello, &address));
    let session = match session {
        Ok(session) => session,
        Err(error) => {
            let fields: [(&str, &dyn Display); 4] =
                [("door", &"navigator"), ("user", &hello.user), ("address", &address), ("reason", &error)];
            shared.log.event(Level::Warning, "login_failed", &fields);
            shared.metrics.logins_failed_total.fetch_add(1, SeqCst);
            std::thread::sleep(REFUSAL_PAUSE);
            return refuse(stream, error);
        }
    };
    shared.logged_in(number, None);
    stream.set_limit(shared.config.max_request_bytes);
    stream.set_write_timeout(shared.config.idle_timeout());
    let session = match shared.may_only_read(&hello.user) && !hello.is_of_dictionary() {
        true => session.read_only(),
        false => session,
    };
    if let Some(end) = stream.ender() {
        session.on_end(end);
    }
    let welcome = Welcome { connection: session.person().connection, server: PROGRAM.to_owned() };
    stream.send(Kind::Welcome, &encode(&welcome))?;
    let fields: [(&str, &dyn Display); 7] = [
        ("door", &"navigator"),
        ("connection", &number),
        ("user", &hello.user),
        ("database", &hello.database),
        ("application", &hello.application),
        ("address", &address),
        ("encrypted", &stream.is_encrypted()),
    ];
    shared.log.event(Level::Info, "login", &fields);
    Ok(Some(session))
}

/// Whether the user may log in with this password from there. While the settings name no users, everybody on this
/// machine may, without a password.
///
/// A data dictionary has users of its own, and checks them itself; but where the settings name users, nobody comes in
/// without a password.
fn authenticate(shared: &Shared, stream: &Stream, hello: &Hello) -> Result<()> {
    let allowed = if hello.is_of_dictionary() {
        match shared.config.users.is_empty() {
            true => stream.peer().is_some_and(|address| address.is_loopback()),
            false => !hello.password.is_empty(),
        }
    } else {
        shared.allows(&hello.user, &hello.password, stream.peer())
    };
    match allowed {
        true => Ok(()),
        false => Err(Error::new(Code::NotPermitted, format!("the login of user '{}' is refused", hello.user))),
    }
}

/// Answers one request after another, until the client leaves or the server stops.
fn answer_requests(shared: &Shared, mut session: Session, stream: &mut Stream) -> Result<()> {
    while !shared.stopping.load(SeqCst) {
        let deadline = shared.config.idle_timeout().map(|timeout| Instant::now() + timeout);
        let frame = stream.receive(deadline)?;
        if frame.kind != Kind::Request {
            return Err(Error::new(Code::InvalidValue, "something else where a request has to be"));
        }
        let request: Request = decode(&frame.body)?;
        let began = Instant::now();
        let mut told: Option<Instant> = None;
        let mut lost = None;
        let answer = session.answer(&request, &mut |done, all| {
            if shared.stopping.load(SeqCst) {
                return ControlFlow::Break(());
            }
            if !request.progress || told.is_some_and(|told| told.elapsed() < PROGRESS_PAUSE) {
                return ControlFlow::Continue(());
            }
            told = Some(Instant::now());
            let patience = shared.config.idle_timeout().unwrap_or(VERDICT_PATIENCE);
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
        shared.metrics.requests_total.fetch_add(1, SeqCst);
        log_if_slow(shared, &session, &request, began.elapsed());
        let body = encode(&answer);
        // The client may read slowly: the rows of a statement are not kept beside what they are on the wire.
        drop(answer);
        stream.send(Kind::Answer, &body)?;
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

/// Writes what took long to the log: the kinds of steps, and nothing that is in them.
fn log_if_slow(shared: &Shared, session: &Session, request: &Request, took: Duration) {
    if !shared.is_slow(took) {
        return;
    }
    let steps: Vec<&str> = request.steps.iter().map(Step::name).collect();
    let (steps, ms) = (steps.join(" "), took.as_millis());
    let fields: [(&str, &dyn Display); 4] =
        [("door", &"navigator"), ("user", &session.person().user), ("ms", &ms), ("steps", &steps)];
    shared.log.event(Level::Warning, "slow_request", &fields);
}
