//! A listener beside the one for SQL Server's clients: its accept loop, its connections, and how it stops.
//!
//! ```text
//!   accept thread --- a thread a connection: serve(Shared, number, socket)
//!   watch thread      urgent bytes of clients whose request runs, where the protocol has them
//! ```
//!
//! The doors that use it differ in what serves a connection and in what they share; users, passwords, certificate, limits,
//! metrics, log and stopping are the same for all.
//!
//! **Stopping** closes the listener, and every connection as soon as its running request has ended; after the grace of the
//! settings the sockets are closed. A session is dropped with its connection, which rolls back what it had open.

use crate::config::{Config, Encryption, User};
use crate::log::{Level, Log};
use crate::metrics::DoorMetrics;
use crate::process;
use crate::registry::first_to_go;
use crate::server::STACK_BYTES;
use crate::tls::Tls;
use mainstay_password_hash::Checker;
use mainstay_session::Cancel;
use mainstay_types::{Error, Result};
use mainstay_vfs::FileSystem;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time that connections have to end when the server stops, beside `stop_grace_seconds`.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How often running requests are looked at for a cancel of their client.
const WATCH_PAUSE: Duration = Duration::from_millis(10);
/// The byte of urgent data that cancels the running request of an SQLI client.
const CANCEL_BYTE: u8 = 0x42;

/// A door: its name, and the functions that serve and refuse a connection.
pub(crate) struct Door<S> {
    /// Its name in the log, in names of threads and metrics.
    pub name: &'static str,
    /// Serves a connection from its first byte to its last.
    pub serve: fn(&Shared<S>, u64, TcpStream),
    /// Tells a client that there are too many, within what the socket's buffer takes.
    pub refuse: fn(&TcpStream, usize),
}

/// The request of a connection, for the thread that watches for urgent bytes.
#[derive(Clone)]
pub(crate) struct Watched {
    /// Stops it.
    pub cancel: Arc<dyn Cancel>,
    /// True if one is running.
    pub is_running: Arc<AtomicBool>,
}

/// A connection that is open.
struct Open {
    socket: TcpStream,
    is_logged_in: bool,
    request: Option<Watched>,
    /// True if a request was running when the watching thread looked last.
    was_running: bool,
}

/// The state that all threads of a listener share.
pub(crate) struct Shared<S> {
    pub door: Door<S>,
    pub config: Config,
    pub tls: Option<Arc<rustls::ServerConfig>>,
    pub passwords: Checker,
    pub metrics: Arc<DoorMetrics>,
    pub service: S,
    pub log: Log,
    pub stopping: AtomicBool,
    next: AtomicU64,
    open: Mutex<HashMap<u64, Open>>,
    emptied: Condvar,
}

/// A listener.
pub(crate) struct Listener<S> {
    address: SocketAddr,
    shared: Arc<Shared<S>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl<S> Shared<S> {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a connection, unless there are too many. Of too many that have not logged in one has to go.
    fn enter(&self, socket: &TcpStream) -> Option<u64> {
        let mut open = self.open();
        let waiting = open.iter().filter(|(_, known)| !known.is_logged_in);
        let address = |socket: &TcpStream| socket.peer_addr().ok().map(|address| address.ip());
        if waiting.clone().count() >= self.config.max_logins
            && let Some(number) = first_to_go(waiting.map(|(number, known)| (*number, address(&known.socket))))
            && let Some(gone) = open.remove(&number)
        {
            let _ = gone.socket.shutdown(Shutdown::Both);
        }
        if open.len() >= self.config.max_connections {
            return None;
        }
        let number = self.next.fetch_add(1, SeqCst);
        open.insert(
            number,
            Open { socket: socket.try_clone().ok()?, is_logged_in: false, request: None, was_running: false },
        );
        Some(number)
    }

    /// Notes that a connection has logged in, and its request, where the protocol has urgent bytes.
    pub fn logged_in(&self, number: u64, request: Option<Watched>) {
        if let Some(known) = self.open().get_mut(&number) {
            known.is_logged_in = true;
            known.request = request;
        }
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

    /// True if a user may only read.
    pub fn may_only_read(&self, user: &str) -> bool {
        self.user(user).is_some_and(|user| user.read_only)
    }

    /// True if a user may log in with this password from an address. While the settings name no users, everybody on this
    /// machine may, without a password.
    pub fn allows(&self, user: &str, password: &str, address: Option<IpAddr>) -> bool {
        if self.config.users.is_empty() {
            return address.is_some_and(|address| address.is_loopback()) && password.is_empty();
        }
        let user = self.user(user);
        self.passwords.matches(password, user.map(|user| user.password_hash.as_str()))
    }

    /// True if a request that ran for this long is to be written to the log; it is counted.
    pub fn is_slow(&self, took: Duration) -> bool {
        let limit = self.config.slow_statement_ms;
        let is_slow = limit > 0 && took >= Duration::from_millis(limit);
        if is_slow {
            self.metrics.slow_total.fetch_add(1, SeqCst);
        }
        is_slow
    }
}

impl<S: Send + Sync + 'static> Listener<S> {
    /// Listens at an address and serves until [`Listener::stop`].
    ///
    /// Errors: settings that contradict each other; an address that others can reach while no users are set, or nothing
    /// is encrypted; one that cannot be listened on; a certificate that is none.
    pub fn start(
        door: Door<S>,
        address: SocketAddr,
        config: &Config,
        service: S,
        fs: &dyn FileSystem,
        log: Box<dyn Write + Send>,
    ) -> Result<Listener<S>> {
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
        let listener = TcpListener::bind(address).map_err(|error| Error::from(error).at(address))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            door,
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
        let fields: [(&str, &dyn Display); 2] = [("door", &shared.door.name), ("address", &address)];
        shared.log.event(Level::Info, "listening", &fields);
        let accepting = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name(format!("{}-accept", shared.door.name));
        let thread = thread.spawn(move || accept(&accepting, &listener))?;
        Ok(Listener { address, shared, threads: Mutex::new(vec![thread]) })
    }

    /// From here on urgent data of clients cancels their running request.
    ///
    /// Errors: those of starting a thread.
    pub fn watch_urgent_data(&self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name(format!("{}-watch", self.shared.door.name));
        let thread = thread.spawn(move || watch(&shared))?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    pub fn shared(&self) -> &Arc<Shared<S>> {
        &self.shared
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
        for known in self.shared.open().values() {
            // A thread that reads the next request finds the end; one that carries one out comes to that afterwards.
            let _ = known.socket.shutdown(Shutdown::Read);
        }
        let mut complete = self.shared.wait_until_empty(Duration::from_secs(self.shared.config.stop_grace_seconds));
        if !complete {
            for known in self.shared.open().values() {
                known.request.iter().for_each(|request| request.cancel.cancel());
                let _ = known.socket.shutdown(Shutdown::Both);
            }
            complete = self.shared.wait_until_empty(LAST_WORDS);
        }
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        threads.into_iter().for_each(|thread| drop(thread.join()));
        complete
    }
}

/// Looks at running requests for the urgent byte that cancels one. Out-of-band data is not part of the stream, so that reading it
/// takes nothing away from the connection's own thread. A byte that comes when its request has just ended is read and has no
/// effect, so that it does not end the next one.
fn watch<S>(shared: &Shared<S>) {
    while !shared.stopping.load(SeqCst) {
        std::thread::sleep(WATCH_PAUSE);
        for known in shared.open().values_mut() {
            let Some(request) = &known.request else { continue };
            let is_running = request.is_running.load(SeqCst);
            let was_running = std::mem::replace(&mut known.was_running, is_running);
            if !is_running && !was_running {
                continue;
            }
            let mut byte = [0u8];
            let flags = rustix::net::RecvFlags::OOB | rustix::net::RecvFlags::DONTWAIT;
            let received = rustix::net::recv(&known.socket, &mut byte, flags);
            if is_running && matches!(received, Ok((1, _))) && byte == [CANCEL_BYTE] {
                request.cancel.cancel();
            }
        }
    }
}

fn accept<S: Send + Sync + 'static>(shared: &Arc<Shared<S>>, listener: &TcpListener) {
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
fn begin<S: Send + Sync + 'static>(shared: &Arc<Shared<S>>, socket: TcpStream, address: SocketAddr) {
    let Some(number) = shared.enter(&socket) else {
        shared.metrics.refused_total.fetch_add(1, SeqCst);
        (shared.door.refuse)(&socket, shared.config.max_connections);
        return shared.log.event(
            Level::Warning,
            "too_many_connections",
            &[("door", &shared.door.name), ("address", &address)],
        );
    };
    shared.metrics.connections_total.fetch_add(1, SeqCst);
    let leaving = Leaving { shared: Arc::clone(shared), number };
    // Statements of these clients call each other as those of other clients do.
    let thread = std::thread::Builder::new().name(format!("{}-{number}", shared.door.name)).stack_size(STACK_BYTES);
    let spawned = thread.spawn(move || (leaving.shared.door.serve)(&leaving.shared, leaving.number, socket));
    if let Err(error) = spawned {
        shared.log.event(Level::Error, "no_thread", &[("error", &error)]);
    }
}

/// Forgets the connection when its thread ends, however it does.
struct Leaving<S> {
    shared: Arc<Shared<S>>,
    number: u64,
}

impl<S> Drop for Leaving<S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The panic is the session's; its connection ends, and no other.
            self.shared.log.event(Level::Error, "panic", &[("connection", &self.number)]);
        }
        self.shared.leave(self.number);
    }
}
