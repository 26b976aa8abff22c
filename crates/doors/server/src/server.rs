//! The server: its listeners, its threads, and how it stops.
//!
//! ```text
//!   accept thread --- a thread a connection (login, then requests) --- Backend, sessions
//!   watch thread      attentions and lost clients of requests that run
//!   http thread       /metrics, /health
//! ```
//!
//! **Stopping** closes the listeners, ends the connections that wait, and gives requests that run the time of
//! `stop_grace_seconds`; then they are told to stop, and two seconds later their sockets are closed under them. A session
//! is dropped with its connection, which rolls back what it had open.

use crate::config::{Config, Encryption};
use crate::connection;
use crate::http;
use crate::link::Link;
use crate::log::{Level, Log};
use crate::metrics::Metrics;
use crate::navigator::NavigatorDoor;
use crate::password::Checker;
use crate::process;
use crate::registry::{Handle, Registry};
use crate::sqli::SqliDoor;
use crate::tls::Tls;
use crate::watch;
use mainstay_tds::{Backend, LONGEST_PRELOGIN};
use mainstay_types::{Error, Result};
use mainstay_vfs::FileSystem;
use std::fmt::Display;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The stack of a connection's thread: procedures call each other 32 deep. Only what is used of it takes memory.
pub(crate) const STACK_BYTES: usize = 16 << 20;
/// How long requests that were told to stop have to do so.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What all threads of a server share.
pub(crate) struct Shared<B: Backend> {
    pub config: Config,
    pub backend: Arc<B>,
    pub tls: Option<Tls>,
    pub passwords: Checker,
    pub log: Arc<Log>,
    pub metrics: Arc<Metrics>,
    pub registry: Arc<Registry>,
}

/// A server that listens.
pub struct Server {
    tds: SocketAddr,
    http: Option<SocketAddr>,
    registry: Arc<Registry>,
    grace: Duration,
    log: Arc<Log>,
    metrics: Arc<Metrics>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// How a server has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Requests that were stopped because they did not end in time.
    pub interrupted: usize,
    /// Whether every connection's thread has ended.
    pub complete: bool,
}

impl Server {
    /// Listens and serves until [`Server::stop`]. `fs` is where the certificate is read from, `log` where the log goes.
    /// Errors: settings that contradict each other, an address that cannot be listened on, a certificate that is none.
    pub fn start<B: Backend>(
        config: Config,
        backend: Arc<B>,
        fs: &dyn FileSystem,
        log: Box<dyn Write + Send>,
    ) -> Result<Server> {
        config.check()?;
        let tls = match config.encryption {
            Encryption::Off => None,
            _ => Some(Tls::new(&config, fs)?),
        };
        let listen = |address: SocketAddr| TcpListener::bind(address).map_err(|error| Error::from(error).at(address));
        let tds_listener = listen(config.tds)?;
        let http_listener = config.http.map(listen).transpose()?;
        let tds = tds_listener.local_addr()?;
        let http = http_listener.as_ref().map(TcpListener::local_addr).transpose()?;
        let passwords = Checker::new(config.users.first().map(|user| user.password_hash.as_str()));
        let grace = Duration::from_secs(config.stop_grace_seconds);
        let (registry, metrics) = (Arc::new(Registry::default()), Arc::new(Metrics::default()));
        let log = Arc::new(Log::new(log));
        process::prepare(&log);
        let shared = Arc::new(Shared {
            config,
            backend,
            tls,
            passwords,
            log: Arc::clone(&log),
            metrics: Arc::clone(&metrics),
            registry: Arc::clone(&registry),
        });
        warn(&shared, tds, http);
        let mut threads = Vec::new();
        let accepting = Arc::clone(&shared);
        threads.push(spawn("tds-accept", move || accept(&accepting, &tds_listener))?);
        let (watched, counted) = (Arc::clone(&registry), Arc::clone(&metrics));
        threads.push(spawn("tds-watch", move || watch::run(&watched, &counted))?);
        if let Some(listener) = http_listener {
            let registry = Arc::clone(&registry);
            let metrics = Arc::clone(&metrics);
            threads.push(spawn("http", move || http::run(&listener, &registry, move || metrics.text()))?);
        }
        Ok(Server { tds, http, registry, grace, log, metrics, threads: Mutex::new(threads) })
    }

    /// The address for SQL Server's clients, with the port that was chosen if the settings left it open (0).
    pub fn tds_address(&self) -> SocketAddr {
        self.tds
    }

    /// The address for metrics and health.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http
    }

    /// From here on the metrics have those of another listener, too.
    pub fn measure(&self, navigator: &NavigatorDoor) {
        let _ = self.metrics.navigator.set(navigator.metrics());
    }

    /// From here on the metrics have those of the listener for Informix clients, too.
    pub fn measure_sqli(&self, sqli: &SqliDoor) {
        let _ = self.metrics.sqli.set(sqli.metrics());
    }

    /// Stops: no new connections, requests that run end or are rolled back. Takes no longer than the grace of the
    /// settings and two seconds. A second call does nothing more.
    pub fn stop(&self) -> Stopped {
        self.registry.stopping.store(true, SeqCst);
        self.log.event(Level::Info, "stopping", &[("connections", &self.registry.all().len())]);
        for handle in self.registry.all() {
            close_if_idle(&handle);
        }
        wake(self.tds);
        self.http.into_iter().for_each(wake);
        let mut interrupted = 0;
        let mut complete = self.registry.wait_until_empty(self.grace);
        if !complete {
            for handle in self.registry.running() {
                handle.stop_request();
                interrupted += 1;
            }
            complete = self.registry.wait_until_empty(LAST_WORDS);
        }
        if !complete {
            self.registry.all().iter().for_each(|handle| handle.link.shut_down());
            complete = self.registry.wait_until_empty(LAST_WORDS);
        }
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        if complete {
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
        let fields: [(&str, &dyn Display); 2] = [("interrupted", &interrupted), ("complete", &complete)];
        self.log.event(Level::Info, "stopped", &fields);
        Stopped { interrupted, complete }
    }
}

fn close_if_idle(handle: &Handle) {
    if !handle.running.load(SeqCst) {
        handle.link.shut_down();
    }
}

/// Says at the start what is not as it should be where it matters.
fn warn<B: Backend>(shared: &Shared<B>, address: SocketAddr, http: Option<SocketAddr>) {
    let fields: [(&str, &dyn Display); 1] = [("address", &address)];
    shared.log.event(Level::Info, "listening", &fields);
    if shared.config.users.is_empty() {
        let what = "no users are set: sa logs in without a password, from this machine only";
        shared.log.event(Level::Warning, "no_users", &[("text", &what)]);
    }
    if let Some(http) = http.filter(|address| !address.ip().is_loopback()) {
        let what = "metrics and health can be read from other machines: this address has no users and no encryption";
        let fields: [(&str, &dyn Display); 2] = [("address", &http), ("text", &what)];
        shared.log.event(Level::Warning, "http_is_open", &fields);
    }
    if shared.tls.as_ref().is_some_and(|tls| tls.self_signed) {
        let what = "no certificate is set: one was made, which clients have to trust unseen";
        shared.log.event(Level::Info, "self_signed", &[("text", &what)]);
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    Ok(std::thread::Builder::new().name(name.into()).spawn(run)?)
}

/// Wakes a thread that waits for connections, by being one.
pub(crate) fn wake(address: SocketAddr) {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
    };
    let _ = TcpStream::connect_timeout(&SocketAddr::new(ip, address.port()), Duration::from_millis(500));
}

fn accept<B: Backend>(shared: &Arc<Shared<B>>, listener: &TcpListener) {
    loop {
        let accepted = listener.accept();
        if shared.registry.stopping.load(SeqCst) {
            return;
        }
        match accepted {
            Ok((socket, address)) => begin(shared, socket, address),
            Err(error) => {
                shared.log.event(Level::Error, "accept_failed", &[("error", &error)]);
                // Too many open files, most likely: it passes.
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Begins a connection's thread, unless there are too many.
fn begin<B: Backend>(shared: &Arc<Shared<B>>, socket: TcpStream, address: SocketAddr) {
    let Ok(link) = Link::new(socket, LONGEST_PRELOGIN.max(mainstay_tds::LONGEST_LOGIN), Arc::clone(&shared.metrics))
    else {
        return;
    };
    let config = &shared.config;
    let entered = shared.registry.enter(Arc::new(link), config.max_connections, config.max_logins);
    let Some(handle) = entered else {
        shared.metrics.refused_total.fetch_add(1, Relaxed);
        return shared.log.event(Level::Warning, "too_many_connections", &[("address", &address)]);
    };
    shared.metrics.connections_total.fetch_add(1, Relaxed);
    shared.metrics.connections.fetch_add(1, Relaxed);
    let guard = Leaving { shared: Arc::clone(shared), handle: Arc::clone(&handle) };
    let thread = std::thread::Builder::new().name(format!("tds-{}", handle.id)).stack_size(STACK_BYTES);
    let spawned = thread.spawn(move || {
        let Leaving { shared, handle } = &guard;
        connection::serve(shared, handle);
    });
    if let Err(error) = spawned {
        shared.log.event(Level::Error, "no_thread", &[("error", &error)]);
    }
}

/// Forgets the connection when its thread ends, however it does.
struct Leaving<B: Backend> {
    shared: Arc<Shared<B>>,
    handle: Arc<Handle>,
}

impl<B: Backend> Drop for Leaving<B> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The panic is the session's; its connection ends, and no other.
            self.shared.log.event(Level::Error, "panic", &[("connection", &self.handle.id)]);
        }
        self.handle.link.shut_down();
        self.shared.metrics.connections.fetch_sub(1, Relaxed);
        self.shared.registry.leave(self.handle.id);
    }
}
