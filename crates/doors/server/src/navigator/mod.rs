//! The listener for remote ACE clients: the navigator protocol over sockets.
//!
//! ```text
//!   accept thread --- a thread a connection: prelude, TLS, login, then requests --- Session of mainstay-navigator
//! ```
//!
//! Beside the listener for SQL Server's clients and without anything in common with it but the settings: users and their
//! passwords, certificate, limits. A client that is lost is found out by the operating system's keep-alive, if its end is
//! not heard; its thread ends, and its session with it, which rolls back and unlocks.
//!
//! **A client that is slow** costs its own thread only: its login has a deadline for every byte of it, TLS or not; what it
//! is sent it has to read in a minute and some; and what it is asked in the middle of a request it has to answer.
//!
//! **Stopping** closes the listener, and every connection as soon as nothing is carried out for it. A request that is
//! being carried out is ended first, a long step of it at the next time that it tells how far it is; its client hears the
//! answer if it comes within the grace of the settings. What was not committed is rolled back.

mod connection;
mod stream;

use crate::config::{Config, Encryption, User};
use crate::log::{Level, Log};
use crate::metrics::NavigatorMetrics;
use crate::process;
use crate::registry::first_to_go;
use crate::server::STACK_BYTES;
use crate::tls::Tls;
use mainstay_navigator::dictionary::Dictionaries;
use mainstay_navigator::server::Service;
use mainstay_navigator::sql::ServedSql;
use mainstay_navigator::wire::encode;
use mainstay_navigator::wire::frame::{Frame, Kind};
use mainstay_navigator::wire::messages::Problem;
use mainstay_password_hash::Checker;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What connections have to end when the server stops, beside `stop_grace_seconds`.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What all threads of the listener share.
struct Shared {
    config: Config,
    tls: Option<Arc<rustls::ServerConfig>>,
    passwords: Checker,
    metrics: Arc<NavigatorMetrics>,
    service: Arc<Service>,
    log: Log,
    stopping: AtomicBool,
    next: AtomicU64,
    /// The connections that are open, and whether each has logged in.
    open: Mutex<HashMap<u64, (TcpStream, bool)>>,
    emptied: Condvar,
}

/// A listener for remote ACE clients.
pub struct NavigatorDoor {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, (TcpStream, bool)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in, unless there are too many. Of too many that have not logged in one has to go.
    fn enter(&self, socket: &TcpStream) -> Option<u64> {
        let mut open = self.open();
        let waiting = open.iter().filter(|(_, (_, logged_in))| !logged_in);
        let address = |socket: &TcpStream| socket.peer_addr().ok().map(|address| address.ip());
        if waiting.clone().count() >= self.config.max_logins
            && let Some(number) = first_to_go(waiting.map(|(number, (socket, _))| (*number, address(socket))))
            && let Some((gone, _)) = open.remove(&number)
        {
            let _ = gone.shutdown(Shutdown::Both);
        }
        if open.len() >= self.config.max_connections {
            return None;
        }
        let number = self.next.fetch_add(1, SeqCst);
        open.insert(number, (socket.try_clone().ok()?, false));
        Some(number)
    }

    fn leave(&self, number: u64) {
        let mut open = self.open();
        open.remove(&number);
        if open.is_empty() {
            self.emptied.notify_all();
        }
    }

    fn wait_until_empty(&self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        let mut open = self.open();
        while !open.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            (open, _) = self.emptied.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    fn user(&self, name: &str) -> Option<&User> {
        self.config.users.iter().find(|user| user.name.eq_ignore_ascii_case(name))
    }
}

impl NavigatorDoor {
    /// The door of the settings for the tables of a folder; none if they name no address for it.
    ///
    /// Errors: those of [`NavigatorDoor::start`].
    pub fn of_settings(
        config: &Config,
        folder: &Path,
        files: Arc<dyn FileSystem>,
        log: Box<dyn Write + Send>,
    ) -> Result<Option<NavigatorDoor>> {
        let Some(address) = config.navigator else { return Ok(None) };
        let service = Arc::new(Service::new(Arc::clone(&files), folder));
        NavigatorDoor::start(address, config, service, &*files, log).map(Some)
    }

    /// Listens at an address and serves the tables of a service until [`NavigatorDoor::stop`].
    ///
    /// Errors: settings that contradict each other; an address that others can reach while no users are set, or nothing
    /// is encrypted; one that cannot be listened on; a certificate that is none.
    pub fn start(
        address: SocketAddr,
        config: &Config,
        service: Arc<Service>,
        fs: &dyn FileSystem,
        log: Box<dyn Write + Send>,
    ) -> Result<NavigatorDoor> {
        config.check()?;
        config.check_reachable(address)?;
        let tls = match config.encryption {
            Encryption::Off => None,
            _ => {
                let mut tls = rustls::ServerConfig::clone(&Tls::new(config, fs)?.strict);
                tls.alpn_protocols.clear();
                Some(Arc::new(tls))
            }
        };
        if config.users.is_empty() {
            service.open_to_all();
        }
        let listener = TcpListener::bind(address).map_err(|error| Error::from(error).at(address))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            config: config.clone(),
            tls,
            passwords: Checker::new(config.users.first().map(|user| user.password_hash.as_str())),
            metrics: Arc::default(),
            service,
            log: Log::new(log),
            stopping: AtomicBool::new(false),
            next: AtomicU64::new(1),
            open: Mutex::default(),
            emptied: Condvar::new(),
        });
        process::prepare(&shared.log);
        let fields: [(&str, &dyn Display); 2] = [("door", &"navigator"), ("address", &address)];
        shared.log.event(Level::Info, "listening", &fields);
        let accepting = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("navigator-accept".into());
        let thread = thread.spawn(move || accept(&accepting, &listener))?;
        Ok(NavigatorDoor { address, shared, thread: Mutex::new(Some(thread)) })
    }

    pub(crate) fn metrics(&self) -> Arc<NavigatorMetrics> {
        Arc::clone(&self.shared.metrics)
    }

    /// From here on clients can connect to data dictionaries with this; false if they could already.
    pub fn serve_dictionaries(&self, dictionaries: Arc<dyn Dictionaries>) -> bool {
        self.shared.service.serve_dictionaries(dictionaries)
    }

    /// From here on clients can run statements with this; false if they could already.
    pub fn serve_sql(&self, sql: Arc<dyn ServedSql>) -> bool {
        self.shared.service.serve_sql(sql)
    }

    /// The address, with the port that was chosen if it was left open (0).
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops: no new connections, and the open ones end behind the requests that they are at. Whether all have ended
    /// within the grace of the settings and a second. A second call does nothing more.
    pub fn stop(&self) -> bool {
        self.shared.stopping.store(true, SeqCst);
        crate::server::wake(self.address);
        for (socket, _) in self.shared.open().values() {
            // Who reads the next request finds the end; who carries one out comes to that afterwards.
            let _ = socket.shutdown(Shutdown::Read);
        }
        let mut complete = self.shared.wait_until_empty(Duration::from_secs(self.shared.config.stop_grace_seconds));
        if !complete {
            for (socket, _) in self.shared.open().values() {
                let _ = socket.shutdown(Shutdown::Both);
            }
            complete = self.shared.wait_until_empty(LAST_WORDS);
        }
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        thread.into_iter().for_each(|thread| drop(thread.join()));
        complete
    }
}

impl Drop for NavigatorDoor {
    fn drop(&mut self) {
        self.stop();
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    loop {
        let accepted = listener.accept();
        if shared.stopping.load(SeqCst) {
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
fn begin(shared: &Arc<Shared>, socket: TcpStream, address: SocketAddr) {
    let Some(number) = shared.enter(&socket) else {
        shared.metrics.refused_total.fetch_add(1, SeqCst);
        refuse(&socket, shared.config.max_connections);
        return shared.log.event(Level::Warning, "too_many_connections", &[("address", &address)]);
    };
    shared.metrics.connections_total.fetch_add(1, SeqCst);
    let leaving = Leaving { shared: Arc::clone(shared), number };
    // Statements of these clients call each other as those of other clients do.
    let thread = std::thread::Builder::new().name(format!("navigator-{number}")).stack_size(STACK_BYTES);
    let spawned = thread.spawn(move || connection::serve(&leaving.shared, leaving.number, socket));
    if let Err(error) = spawned {
        shared.log.event(Level::Error, "no_thread", &[("error", &error)]);
    }
}

/// Says to a client why it is not let in, without waiting for anything: what is said fits into the socket's buffer.
fn refuse(mut socket: &TcpStream, most: usize) {
    let message = format!("the server has {most} connections, as many as it may have");
    let error = Error::new(Code::OutOfMemory, message).hint("max_connections in [server] of mainstay.toml");
    let frame = Frame::bytes(Kind::Refused, &encode(&Problem { error }));
    // Who cannot be told finds the connection closed.
    let _ = socket.set_nonblocking(true).and_then(|()| socket.write_all(&frame));
    let _ = socket.shutdown(Shutdown::Write);
}

/// Forgets the connection when its thread ends, however it does.
struct Leaving {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The panic is the session's; its connection ends, and no other.
            self.shared.log.event(Level::Error, "panic", &[("connection", &self.number)]);
        }
        self.shared.leave(self.number);
    }
}
