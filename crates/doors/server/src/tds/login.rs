//! Login of a connection: PRELOGIN, TLS, LOGIN7, and its answer.
//!
//! ```text
//!   client                         server
//!   PRELOGIN  (not jTDS)  ------>
//!                         <------  PRELOGIN: encryption agreed on
//!   TLS handshake        <------>  inside packets, unless one side does not support or allow it
//!   LOGIN7                ------>  user and password checked, session begun
//!                         <------  database, collation, language, LOGINACK, packet size, DONE
//! ```
//!
//! The login has one deadline, and its messages are short: a client that has not logged in costs a thread, some tens of
//! kilobytes, and no more than the login timeout; and there are no more than `max_logins` of them.

use super::link::{Incoming, Link, LinkError};
use super::numbers::SessionNumber;
use super::{Serving, TdsDoor, translation};
use crate::config::{Config, Encryption};
use crate::host::log::Level;
use mainstay_session::Kill;
use mainstay_session::push::{Backend, Client, Message, Session};
use mainstay_tds::{
    Answer, Collation, Encryption as Wish, Environment, Feature, LONGEST_LOGIN, Login, PacketKind, PacketWriter,
    PreLogin, Version, WireError,
};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// The program that LOGINACK names; clients want it to begin so.
const PROGRAM: &str = "Microsoft SQL Server";
/// SQL Server 2022, as which statements and functions behave.
pub(crate) const PROGRAM_VERSION: (u8, u8, u16) = (16, 0, 1000);
/// The largest packet that SQL Server and its drivers put into one record of TLS.
const LARGEST_ENCRYPTED: usize = 16_383;
const LANGUAGE: &str = "us_english";
/// The cost of a wrong password to its client, beside the check.
const REFUSAL_PAUSE: Duration = Duration::from_millis(200);

/// A client that has logged in.
pub(super) struct LoggedIn<S> {
    pub session: S,
    /// Behind the session, so that the number is free only when the session is gone.
    pub number: SessionNumber,
    pub answer: Answer,
}

/// Brings a connection to its session. `None`: the client was refused and told so.
pub(super) fn log_in<B: Backend>(serving: Serving<'_, B>) -> Result<Option<LoggedIn<B::Session>>, LinkError> {
    let Serving { host, link, .. } = serving;
    let deadline = Instant::now() + host.config().login_timeout();
    let mut strict = false;
    if link.begins_with_tls(deadline)? {
        let tls = host.tls().ok_or(WireError::Malformed("TLS, which is off"))?;
        link.begin_tls(Arc::clone(&tls.strict), deadline)?;
        strict = true;
    }
    let mut login_only = false;
    let mut first = message(link, deadline)?;
    if first.0 == PacketKind::PreLogin {
        let asked = PreLogin::decode(&first.1)?;
        let wish = if strict { Wish::On } else { encryption(host.config().encryption, asked.encryption) };
        let answered = PreLogin {
            version: PROGRAM_VERSION,
            encryption: wish,
            instance: String::new(),
            mars: false,
            federated: asked.federated.map(|_| false),
        };
        let (mut bytes, mut out) = (Vec::new(), PacketWriter::new(PacketKind::Answer));
        answered.encode(&mut bytes);
        out.put(&bytes);
        out.end_message();
        link.send(&out.take())?;
        if let (false, Some(tls)) = (strict || wish == Wish::NotSupported, host.tls()) {
            link.begin_tls_inside(Arc::clone(&tls.inside), deadline)?;
            login_only = wish == Wish::Off;
        }
        link.set_limit(LONGEST_LOGIN);
        first = message(link, deadline)?;
    }
    let (PacketKind::Login, bytes) = first else {
        return Err(WireError::Malformed("something else where a login has to be").into());
    };
    let encrypted = link.is_encrypted();
    if login_only {
        link.end_tls();
    }
    let login = match Login::decode(&bytes) {
        Ok(login) => login,
        Err(error) => {
            let message = Message::error(17_830, format!("The login packet cannot be used: {error}.")).severity(20);
            refuse(serving, Version::V7_1, &[message])?;
            return Err(error.into());
        }
    };
    if !encrypted && host.config().encryption == Encryption::Required {
        let text =
            "Encryption is required to connect to this server but the client library does not support encryption.";
        refuse(serving, login.version, &[Message::error(17_836, text).severity(20)])?;
        return Ok(None);
    }
    begin(serving, &login, encrypted && !login_only)
}

/// The answer to the encryption that a client asks for (MS-TDS 2.2.6.5).
fn encryption(configured: Encryption, client: Wish) -> Wish {
    match (configured, client) {
        (Encryption::Off, _) => Wish::NotSupported,
        (Encryption::Required, Wish::On | Wish::Required) => Wish::On,
        (Encryption::Required, _) => Wish::Required,
        (Encryption::Optional, Wish::NotSupported) => Wish::NotSupported,
        (Encryption::Optional, Wish::Off) => Wish::Off,
        (Encryption::Optional, Wish::On | Wish::Required) => Wish::On,
    }
}

/// The next whole message, which nothing but a login may be.
fn message(link: &Link, deadline: Instant) -> Result<(PacketKind, Vec<u8>), LinkError> {
    loop {
        match link.next(Some(deadline))? {
            Incoming::Message(message) => return Ok((message.kind, message.bytes)),
            // A client may give up before it is logged in.
            Incoming::Attention => {}
            Incoming::Bulk(_) => return Err(WireError::Malformed("rows before a login").into()),
        }
    }
}

/// Checks the user, begins the session and acknowledges the login.
fn begin<B: Backend>(
    serving: Serving<'_, B>,
    login: &Login,
    encrypted: bool,
) -> Result<Option<LoggedIn<B::Session>>, LinkError> {
    let Serving { door, host, connection, link } = serving;
    let metrics = connection.metrics();
    let address = connection.peer().map(|address| address.to_string()).unwrap_or_default();
    if let Err(message) = authenticate(serving, login) {
        metrics.logins_failed_total.fetch_add(1, Relaxed);
        let fields: [(&str, &dyn std::fmt::Display); 3] =
            [("door", &TdsDoor::<B>::NAME), ("user", &login.user), ("address", &address)];
        host.log().event(Level::Warning, "login_failed", &fields);
        std::thread::sleep(REFUSAL_PAUSE);
        refuse(serving, login.version, &[message])?;
        return Ok(None);
    }
    let number = door.numbers.next();
    let session_id = number.number;
    let read_only = host.is_read_only(&login.user);
    let protocol_version = u32::from_be_bytes(login.version.acknowledged());
    let client = Client { session_id, address, encrypted, read_only, protocol_version };
    let mut session = match door.backend.log_in(&translation::login(login), &client) {
        Ok(session) => session,
        Err(message) => {
            metrics.logins_failed_total.fetch_add(1, Relaxed);
            let fields: [(&str, &dyn std::fmt::Display); 3] =
                [("door", &TdsDoor::<B>::NAME), ("user", &login.user), ("reason", &message.text)];
            host.log().event(Level::Warning, "login_failed", &fields);
            let second = (message.number != 18_456).then(|| failed(&login.user));
            refuse(serving, login.version, &[Some(message), second].into_iter().flatten().collect::<Vec<_>>())?;
            return Ok(None);
        }
    };
    session.ends_by(Arc::clone(connection) as Arc<dyn Kill>);
    connection.logged_in(session.cancel_handle());
    link.set_limit(host.config().max_request_bytes);
    let mut answer = acknowledged(host.config(), login, &session.database(), encrypted);
    answer.packets().set_process(session_id);
    answer.packets().take_complete(|bytes| link.send(bytes))?;
    let fields: [(&str, &dyn std::fmt::Display); 10] = [
        ("door", &TdsDoor::<B>::NAME),
        ("connection", &connection.id()),
        ("session", &session_id),
        ("user", &login.user),
        ("database", &session.database()),
        ("application", &login.application),
        ("library", &login.library),
        ("address", &client.address),
        ("version", &login.version.name()),
        ("encrypted", &encrypted),
    ];
    host.log().event(Level::Info, "login", &fields);
    Ok(Some(LoggedIn { session, number, answer }))
}

fn failed(user: &str) -> Message {
    Message::error(18_456, format!("Login failed for user '{user}'.")).severity(14)
}

/// Checks the user and the password. Without users in the settings only `sa` may log in, without a password.
fn authenticate<B: Backend>(serving: Serving<'_, B>, login: &Login) -> Result<(), Message> {
    if login.integrated || login.asks_for(Feature::FEDERATED) {
        let text = "Login failed. Only users of this server with a password can log in, not those of the operating \
                    system or of a directory.";
        return Err(Message::error(18_452, text).severity(14));
    }
    let host = serving.host;
    let is_known = host.has_users() || login.user.eq_ignore_ascii_case("sa");
    let allowed = is_known && host.allows(&login.user, &login.password.0, serving.connection.peer());
    if allowed { Ok(()) } else { Err(failed(&login.user)) }
}

/// Refuses a login with messages. The connection is closed behind it.
fn refuse<B: Backend>(serving: Serving<'_, B>, version: Version, messages: &[Message]) -> Result<(), LinkError> {
    let link = serving.link;
    let mut answer = Answer::new(version, &serving.host.config().name);
    messages.iter().for_each(|message| answer.message(message));
    answer.finish(true);
    answer.packets().take_complete(|bytes| link.send(bytes))
}

/// The answer to a login that succeeded.
fn acknowledged(config: &Config, login: &Login, database: &str, encrypted: bool) -> Answer {
    let mut answer = Answer::new(login.version, &config.name);
    answer.environment(&Environment::Database { new: database.into(), old: "master".into() });
    let said = format!("Changed database context to '{database}'.");
    answer.message(&Message::error(5701, said).severity(0).state(2));
    answer.collation(Collation::DEFAULT);
    answer.environment(&Environment::Language { new: LANGUAGE.into(), old: String::new() });
    let said = format!("Changed language setting to {LANGUAGE}.");
    answer.message(&Message::error(5703, said).severity(0));
    answer.login_ack(PROGRAM, PROGRAM_VERSION);
    if login.features.is_some() {
        let granted = login.asks_for(Feature::UTF8).then(|| Feature { id: Feature::UTF8, data: vec![1] });
        answer.feature_ack(granted.as_slice());
        answer.set_utf8(granted.is_some());
    }
    let wanted = match login.packet_size {
        0 => config.packet_bytes,
        wanted => usize::try_from(wanted).unwrap_or(usize::MAX),
    };
    let largest = if encrypted { LARGEST_ENCRYPTED } else { mainstay_tds::LARGEST_PACKET };
    answer.packet_size(wanted.clamp(mainstay_tds::SMALLEST_PACKET, largest), mainstay_tds::DEFAULT_PACKET);
    answer.finish(false);
    answer
}
