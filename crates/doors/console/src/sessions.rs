//! Sessions of browsers: login, cookies, tickets of sockets, invitations, and the limit of failed logins.
//!
//! A session is a random number of 256 bits in a cookie; the door keeps its hash alone. A **ticket** opens one socket within
//! half a minute: the page gets it by a request that passed all rules, and sends it in its first message, so that no secret
//! stands in an address that is logged. An **invitation** logs in once within ten minutes, for the first contact from the
//! terminal where the server was started.

use crate::config::Config;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most sessions; the one that was unused for longest goes.
const MOST_SESSIONS: usize = 10_000;
const TICKET_LIFE: Duration = Duration::from_secs(30);
const MOST_TICKETS: usize = 10_000;
const INVITATION_LIFE: Duration = Duration::from_secs(600);
/// The time for which failed logins count.
const FAILURES_LIFE: Duration = Duration::from_secs(300);
/// The failed logins of a name, and of an address, after which further ones are refused.
const FAILURES_OF_NAME: u32 = 10;
const FAILURES_OF_ADDRESS: u32 = 30;
/// The most names and addresses that are counted.
const MOST_COUNTED: usize = 10_000;

type Key = [u8; 32];

struct Session {
    user: String,
    created: Instant,
    used: Instant,
}

#[derive(Default)]
struct State {
    sessions: HashMap<Key, Session>,
    /// The programs that tickets lead to.
    tickets: HashMap<Key, (String, Instant)>,
    invitations: HashMap<Key, (String, Instant)>,
    failures: HashMap<String, (u32, Instant)>,
}

/// All sessions of the door.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<State>);

/// The system gives no random numbers.
#[derive(Debug)]
pub(crate) struct NoRandomNumbers;

fn random() -> Result<String, NoRandomNumbers> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| NoRandomNumbers)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn key(secret: &str) -> Key {
    Sha256::digest(secret.as_bytes()).into()
}

/// The subject under which failed logins of a name count: users are found in any case of their letters.
fn subject_of(name: &str) -> String {
    format!("n{}", name.to_lowercase())
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a further login of a name from an address is refused without a look at the password.
    pub fn is_blocked(&self, name: &str, address: IpAddr) -> bool {
        let mut state = self.lock();
        state.failures.retain(|_, (_, since)| since.elapsed() < FAILURES_LIFE);
        let count = |subject: String| state.failures.get(&subject).map_or(0, |(count, _)| *count);
        let full = state.failures.len() >= MOST_COUNTED;
        full || count(subject_of(name)) >= FAILURES_OF_NAME || count(format!("a{address}")) >= FAILURES_OF_ADDRESS
    }

    /// Counts a failed login.
    pub fn failed(&self, name: &str, address: IpAddr) {
        let mut state = self.lock();
        for subject in [subject_of(name), format!("a{address}")] {
            state.failures.entry(subject).or_insert((0, Instant::now())).0 += 1;
        }
    }

    /// Begins a session and returns its secret.
    pub fn begin(&self, user: &str) -> Result<String, NoRandomNumbers> {
        let secret = random()?;
        let mut state = self.lock();
        state.failures.remove(&subject_of(user));
        if state.sessions.len() >= MOST_SESSIONS {
            let oldest = state.sessions.iter().min_by_key(|(_, session)| session.used).map(|(key, _)| *key);
            oldest.and_then(|oldest| state.sessions.remove(&oldest));
        }
        let now = Instant::now();
        state.sessions.insert(key(&secret), Session { user: user.to_owned(), created: now, used: now });
        Ok(secret)
    }

    /// The user of a session.
    pub fn user(&self, secret: &str, config: &Config) -> Option<String> {
        let mut state = self.lock();
        let (idle, life) = (config.session_idle, config.session_life);
        state.sessions.retain(|_, session| session.used.elapsed() < idle && session.created.elapsed() < life);
        let session = state.sessions.get_mut(&key(secret))?;
        session.used = Instant::now();
        Some(session.user.clone())
    }

    /// Ends a session.
    pub fn end(&self, secret: &str) {
        self.lock().sessions.remove(&key(secret));
    }

    /// A ticket for a program.
    pub fn ticket(&self, program: &str) -> Result<String, NoRandomNumbers> {
        let secret = random()?;
        let mut state = self.lock();
        state.tickets.retain(|_, (_, since)| since.elapsed() < TICKET_LIFE);
        if state.tickets.len() >= MOST_TICKETS {
            return Err(NoRandomNumbers);
        }
        state.tickets.insert(key(&secret), (program.to_owned(), Instant::now()));
        Ok(secret)
    }

    /// The program of a ticket, which is used up.
    pub fn redeem(&self, ticket: &str) -> Option<String> {
        let (program, since) = self.lock().tickets.remove(&key(ticket))?;
        (since.elapsed() < TICKET_LIFE).then_some(program)
    }

    /// An invitation for a user.
    pub fn invite(&self, user: &str) -> Result<String, NoRandomNumbers> {
        let secret = random()?;
        self.lock().invitations.insert(key(&secret), (user.to_owned(), Instant::now()));
        Ok(secret)
    }

    /// The user of an invitation, which is used up.
    pub fn accept(&self, invitation: &str) -> Option<String> {
        let (user, since) = self.lock().invitations.remove(&key(invitation))?;
        (since.elapsed() < INVITATION_LIFE).then_some(user)
    }
}

/// The name of the cookie. Cookies do not know ports, so that the name tells the servers of one host apart.
pub(crate) fn cookie_name(is_encrypted: bool, port: u16) -> String {
    let prefix = if is_encrypted { "__Host-" } else { "" };
    format!("{prefix}mainstay-programs-{port}")
}

/// The header that sets the cookie; an empty secret removes it.
pub(crate) fn set_cookie(is_encrypted: bool, port: u16, secret: &str) -> String {
    let name = cookie_name(is_encrypted, port);
    let secure = if is_encrypted { "; Secure" } else { "" };
    let gone = if secret.is_empty() { "; Max-Age=0" } else { "" };
    format!("{name}={secret}; Path=/; HttpOnly; SameSite=Strict{secure}{gone}")
}

/// The secret in the cookies of a request.
pub(crate) fn cookie<'r>(header: Option<&'r str>, name: &str) -> Option<&'r str> {
    let pairs = header?.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}
