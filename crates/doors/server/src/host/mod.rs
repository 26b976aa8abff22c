//! The part of the server that all doors share: settings, users, certificate, limits, log, metrics, and stopping.
//!
//! ```text
//!   Server::new      settings, certificate, log
//!   Server::open     a door: its listener and accept thread     accept
//!     Door::serve    a thread a connection                      connection, registry
//!   watch thread     cancellations while requests run           watch
//!   http thread      /metrics and /health                       http, metrics
//! ```
//!
//! A door implements [`Door`]: a name, and the loop that serves one connection. Everything else is implemented once,
//! here. `tests/echo.rs` is a complete door in some eighty lines.
//!
//! **Stopping** closes the listeners, ends idle connections, and gives running requests the time of
//! `stop_grace_seconds`; then they are cancelled, and a second later their sockets are closed. A session is dropped
//! with its connection, which rolls back its open transaction.

mod accept;
pub(crate) mod connection;
mod http;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod process;
mod registry;
pub(crate) mod socket;
pub(crate) mod tls;
mod watch;

pub use accept::{Door, Ending};

use crate::config::{Config, Encryption, User};
use crate::password::Checker;
use crate::users::Users;
use connection::Connection;
use log::{Level, Log};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use metrics::{DoorMetrics, Metrics, RequestKind};
use registry::Registry;
use std::fmt::Display;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tls::Tls;

/// The time that cancelled requests have to end.
const CANCELLED_GRACE: Duration = Duration::from_secs(1);

/// The state that all threads of a server share.
pub struct Host {
    config: Config,
    users: Arc<Users>,
    tls: Option<Tls>,
    passwords: Checker,
    log: Log,
    metrics: Metrics,
    registry: Registry,
    is_stopping: AtomicBool,
}

impl Host {
    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// True if the server stops: a door serves no further request.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(SeqCst)
    }

    /// The certificate and what TLS offers with it; `None` if encryption is off.
    pub(crate) fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    fn user(&self, name: &str) -> Option<User> {
        self.users.find(name)
    }

    /// True if there are users, who alone may log in.
    pub fn has_users(&self) -> bool {
        !self.users.current().is_empty()
    }

    /// True if a user may only read.
    pub fn is_read_only(&self, user: &str) -> bool {
        self.user(user).is_some_and(|user| user.read_only)
    }

    /// True if a user may log in with this password from an address. While the settings have no users, every user of this
    /// machine may, without a password.
    pub fn allows(&self, user: &str, password: &str, address: Option<IpAddr>) -> bool {
        if !self.has_users() {
            return address.is_some_and(|address| address.is_loopback()) && password.is_empty();
        }
        self.passwords.matches(password, self.user(user).as_ref().map(|user| user.password_hash.as_str()))
    }

    /// Marks the start of a request. It is cancelled at once if the server stops or the session was killed, because there
    /// was nothing to cancel then.
    pub fn begin_request(&self, connection: &Connection) {
        connection.set_running();
        if self.is_stopping() || connection.is_killed() {
            connection.set_cancelled();
        }
    }

    /// Counts a request that has ended, and writes it to the log if it was slow. `fields` are added to the log's line.
    pub(crate) fn count_request(
        &self,
        connection: &Connection,
        kind: RequestKind,
        took: Duration,
        fields: impl FnOnce() -> Vec<(&'static str, String)>,
    ) {
        let metrics = connection.metrics();
        let is_slow = self.config.slow_statement_ms > 0 && took >= Duration::from_millis(self.config.slow_statement_ms);
        metrics.request(kind, took, is_slow);
        if !is_slow {
            return;
        }
        let (id, kind, ms, fields) = (connection.id(), kind.name(), took.as_millis(), fields());
        let mut all: Vec<(&str, &dyn Display)> =
            vec![("door", &metrics.door), ("connection", &id), ("kind", &kind), ("ms", &ms)];
        all.extend(fields.iter().map(|(name, value)| (*name, value as &dyn Display)));
        self.log.event(Level::Warning, "slow_request", &all);
    }
}

/// The outcome of stopping a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Requests that were cancelled because they did not end in time.
    pub interrupted: usize,
    /// True if every connection's thread has ended.
    pub complete: bool,
}

/// A server and its open doors. Dropping it stops it.
pub struct Server {
    host: Arc<Host>,
    listening: Mutex<Listening>,
}

/// The listeners and threads of a server.
#[derive(Default)]
struct Listening {
    addresses: Vec<(&'static str, SocketAddr)>,
    threads: Vec<JoinHandle<()>>,
    stopped: Option<Stopped>,
}

/// The name of the listener for `/metrics` and `/health` among the addresses.
const HTTP: &str = "http";

impl Server {
    /// A server without doors. `fs` is where the certificate is read from, `log` receives the log.
    ///
    /// Errors: `InvalidSetting` for settings that contradict each other, and for a certificate that cannot be used.
    pub fn new(config: Config, fs: &dyn FileSystem, log: Box<dyn Write + Send>) -> Result<Server> {
        let users = Arc::new(Users::fixed(config.users.clone()));
        Server::with_users(config, users, fs, log)
    }

    /// The same with users that may change while the server runs; those of the settings are not used.
    ///
    /// Errors: those of [`Server::new`].
    pub fn with_users(
        config: Config,
        users: Arc<Users>,
        fs: &dyn FileSystem,
        log: Box<dyn Write + Send>,
    ) -> Result<Server> {
        config.check()?;
        let tls = match config.encryption {
            Encryption::Off => None,
            _ => Some(Tls::new(&config, fs)?),
        };
        let passwords = Checker::new(config.users.first().map(|user| user.password_hash.as_str()));
        let log = Log::new(log);
        process::prepare(&log);
        let host = Arc::new(Host {
            config,
            users,
            tls,
            passwords,
            log,
            metrics: Metrics::default(),
            registry: Registry::default(),
            is_stopping: AtomicBool::new(false),
        });
        host.warn_of_settings();
        let watching = Arc::clone(&host);
        let watch = spawn("watch", move || watch::run(&watching))?;
        let listening = Listening { threads: vec![watch], ..Listening::default() };
        Ok(Server { host, listening: Mutex::new(listening) })
    }

    fn listening(&self) -> MutexGuard<'_, Listening> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a door at an address, whose port may be 0 for any free one. Gives the address with the port.
    ///
    /// Errors: `InvalidSetting` for an address that other machines can reach while there are no users or nothing is
    /// encrypted; those of listening at it.
    pub fn open(&self, address: SocketAddr, door: impl Door) -> Result<SocketAddr> {
        self.host.config.check_reachable(address)?;
        let name = door.name();
        let (listener, address) = listen(address)?;
        door.prepare(&self.host);
        let metrics = self.host.metrics.add(DoorMetrics::new(name, door.request_kinds()));
        let fields: [(&str, &dyn Display); 2] = [("door", &name), ("address", &address)];
        self.host.log.event(Level::Info, "listening", &fields);
        let accepting = accept::Accepting { host: Arc::clone(&self.host), door: Arc::new(door), metrics };
        let thread = spawn(&format!("{name}-accept"), move || accepting.run(&listener))?;
        self.add(name, address, thread);
        Ok(address)
    }

    /// Serves `/metrics` and `/health` at an address, which has no users and no encryption. Gives the address with the port.
    ///
    /// Errors: those of listening at it.
    pub fn open_http(&self, address: SocketAddr) -> Result<SocketAddr> {
        let (listener, address) = listen(address)?;
        if !address.ip().is_loopback() {
            let text =
                "metrics and health can be read from other machines: this address has no users and no encryption";
            let fields: [(&str, &dyn Display); 2] = [("address", &address), ("text", &text)];
            self.host.log.event(Level::Warning, "http_is_open", &fields);
        }
        let host = Arc::clone(&self.host);
        let thread = spawn(HTTP, move || http::run(&listener, &host))?;
        self.add(HTTP, address, thread);
        Ok(address)
    }

    fn add(&self, name: &'static str, address: SocketAddr, thread: JoinHandle<()>) {
        let mut listening = self.listening();
        listening.addresses.push((name, address));
        listening.threads.push(thread);
    }

    /// The listeners by the names of their doors, `http` for metrics and health, in the order of their opening.
    pub fn addresses(&self) -> Vec<(&'static str, SocketAddr)> {
        self.listening().addresses.clone()
    }

    /// Stops: no new connections, running requests end or are rolled back. Takes at most the grace of the settings and
    /// two seconds. A second call does nothing and gives the same outcome.
    pub fn stop(&self) -> Stopped {
        let mut listening = self.listening();
        if let Some(stopped) = listening.stopped {
            return stopped;
        }
        let stopped = self.host.stop(&listening.addresses);
        if stopped.complete {
            std::mem::take(&mut listening.threads).into_iter().for_each(|thread| drop(thread.join()));
        }
        let fields: [(&str, &dyn Display); 2] =
            [("interrupted", &stopped.interrupted), ("complete", &stopped.complete)];
        self.host.log.event(Level::Info, "stopped", &fields);
        *listening.stopped.insert(stopped)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Host {
    fn stop(&self, listeners: &[(&'static str, SocketAddr)]) -> Stopped {
        self.is_stopping.store(true, SeqCst);
        let open = self.registry.all();
        self.log.event(Level::Info, "stopping", &[("connections", &open.len())]);
        open.iter().for_each(|connection| connection.close_if_idle());
        listeners.iter().for_each(|(_, address)| wake(*address));
        let mut interrupted = 0;
        let mut complete = self.registry.wait_until_empty(Duration::from_secs(self.config.stop_grace_seconds));
        if !complete {
            for connection in self.registry.all().iter().filter(|connection| connection.is_running()) {
                connection.cancel();
                interrupted += 1;
            }
            complete = self.registry.wait_until_empty(CANCELLED_GRACE);
        }
        if !complete {
            self.registry.all().iter().for_each(|connection| connection.shut_down());
            complete = self.registry.wait_until_empty(CANCELLED_GRACE);
        }
        Stopped { interrupted, complete }
    }

    /// Warns of settings that an administrator should know of.
    fn warn_of_settings(&self) {
        if !self.has_users() {
            let text = "no users are set: sa logs in without a password, from this machine only";
            self.log.event(Level::Warning, "no_users", &[("text", &text)]);
        }
        if self.tls.as_ref().is_some_and(|tls| tls.self_signed) {
            let text = "no certificate configured; using a generated self-signed certificate";
            self.log.event(Level::Info, "self_signed", &[("text", &text)]);
        }
    }
}

fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).map_err(|error| Error::from(error).at(address))?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    Ok(std::thread::Builder::new().name(name.into()).spawn(run)?)
}

/// Wakes a thread that waits for connections, by connecting.
fn wake(address: SocketAddr) {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
    };
    let _ = TcpStream::connect_timeout(&SocketAddr::new(ip, address.port()), Duration::from_millis(500));
}

/// The end of a connection whose client sends something wrong, or nothing any more.
impl From<Error> for Ending {
    fn from(error: Error) -> Ending {
        match error.code() {
            Code::ConnectionLost => Ending::Lost(error.message().to_owned()),
            _ => Ending::ProtocolError(error.to_string()),
        }
    }
}
