//! The listener, a thread for each connection, and the paths below `/programs/`.

use crate::assets;
use crate::config::Config;
use crate::guard;
use crate::http::{self, Failure, Request, Response};
use crate::printed;
use crate::programs::{Programs, Refusal, Table, Users};
use crate::sessions::{NoRandomNumbers, Sessions, cookie, cookie_name, set_cookie};
use crate::socket;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha1::{Digest, Sha1};
use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time in which a request has to come, also between two of a connection.
const READ_LIMIT: Duration = Duration::from_secs(15);
/// The time in which a browser has to take an answer or a frame.
const WRITE_LIMIT: Duration = Duration::from_secs(10);
const STACK_BYTES: usize = 512 << 10;
/// The time between two looks at programs without a page.
const SWEEP: Duration = Duration::from_millis(250);
/// The end of the key of a WebSocket's handshake (RFC 6455, section 1.3).
const WEBSOCKET_KEY: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The start of the paths of printed documents.
const PRINTED: &str = "/programs/api/printed/";
/// The longest password and name.
const LONGEST_SECRET: usize = 1024;

/// Takes events of the door: a name, and fields with their values.
pub type Log = Arc<dyn Fn(&str, &[(&str, &str)]) + Send + Sync>;

/// The state that all threads share.
pub(crate) struct Shared {
    pub config: Config,
    pub sessions: Sessions,
    pub table: Table,
    port: u16,
    users: Arc<dyn Users>,
    programs: Arc<dyn Programs>,
    log: Log,
    stopping: AtomicBool,
    sockets: Mutex<HashMap<u64, TcpStream>>,
}

impl Shared {
    pub fn log(&self, event: &str, fields: &[(&str, &str)]) {
        (self.log)(event, fields);
    }
}

/// A door that listens.
pub struct Door {
    address: SocketAddr,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Door {
    /// Listens and serves until [`Door::stop`].
    ///
    /// Errors: an address that cannot be listened on; one that other machines reach without `behind_tls`, as passwords would
    /// cross the network as they are.
    pub fn start(config: Config, users: Arc<dyn Users>, programs: Arc<dyn Programs>, log: Log) -> Result<Door> {
        if !config.address.ip().is_loopback() && !config.behind_tls {
            let message = "an address that other machines reach needs a proxy with TLS and the setting behind_tls";
            return Err(Error::new(ErrorKind::InvalidInput, message));
        }
        let listener = TcpListener::bind(config.address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            config,
            sessions: Sessions::default(),
            table: Table::default(),
            port: address.port(),
            users,
            programs,
            log,
            stopping: AtomicBool::new(false),
            sockets: Mutex::default(),
        });
        let (accepting, sweeping) = (Arc::clone(&shared), Arc::clone(&shared));
        let accept = std::thread::Builder::new().name("console accept".into());
        let sweep = std::thread::Builder::new().name("console sweep".into());
        let threads = vec![
            accept.spawn(move || accept_all(&listener, &accepting))?,
            sweep.spawn(move || {
                while !sweeping.stopping.load(SeqCst) {
                    sweeping.table.sweep(&sweeping.config);
                    std::thread::sleep(SWEEP);
                }
            })?,
        ];
        Ok(Door { address, shared, threads })
    }

    /// The address, with the port that was chosen.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// An address of the page that logs in a user once within ten minutes, for the first contact.
    ///
    /// Errors: the system gives no random numbers.
    pub fn invitation(&self, user: &str) -> Result<String> {
        let none = |_: NoRandomNumbers| Error::other("the system gives no random numbers");
        let secret = self.shared.sessions.invite(user).map_err(none)?;
        Ok(format!("http://localhost:{}/programs/#invitation={secret}", self.shared.port))
    }

    /// Closes every connection and hangs up every program.
    pub fn stop(mut self) {
        self.shared.stopping.store(true, SeqCst);
        self.shared.table.hang_up();
        for socket in self.shared.sockets.lock().unwrap_or_else(PoisonError::into_inner).values() {
            let _ = socket.shutdown(Shutdown::Both);
        }
        // The accepting thread looks at `stopping` at the next connection, which is this one.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    for (number, socket) in (0_u64..).zip(listener.incoming()) {
        if shared.stopping.load(SeqCst) {
            return;
        }
        let Ok(socket) = socket else {
            // Without file descriptors every accept fails at once.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let mut sockets = shared.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(copy) = socket.try_clone().ok().filter(|_| sockets.len() < shared.config.connections) else {
            continue;
        };
        sockets.insert(number, copy);
        drop(sockets);
        let served = Arc::clone(shared);
        let thread = std::thread::Builder::new().name("console connection".into()).stack_size(STACK_BYTES);
        let spawned = thread.spawn(move || {
            let _leaving = Leaving { shared: &served, number };
            // A browser that breaks off is its own concern.
            let _ = serve(socket, &served);
        });
        if spawned.is_err() {
            shared.sockets.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
        }
    }
}

/// Forgets a connection when its thread ends, however it does.
struct Leaving<'s> {
    shared: &'s Shared,
    number: u64,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.shared.sockets.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

fn serve(mut socket: TcpStream, shared: &Shared) -> Result<()> {
    socket.set_read_timeout(Some(READ_LIMIT))?;
    socket.set_write_timeout(Some(WRITE_LIMIT))?;
    socket.set_nodelay(true)?;
    let address = socket.peer_addr()?.ip();
    let mut buffer = Vec::new();
    loop {
        let request = match http::read(&mut socket, &mut buffer) {
            Ok(request) => request,
            Err(Failure::Closed) => return Ok(()),
            Err(Failure::Refused(status)) => {
                return Response::error(status, "The request cannot be read").write(&mut socket, false, true);
            }
        };
        let answer = Answer { shared, request: &request, address };
        if let Some(accept) = answer.upgrade() {
            let (response, user) = accept;
            response.write(&mut socket, false, true)?;
            return match user {
                Some((user, session)) => socket::serve(socket, buffer, shared, (&user, &session)),
                None => Ok(()),
            };
        }
        let keep_open = !request.has_word("connection", "close");
        answer.response().write(&mut socket, keep_open, request.method != "HEAD")?;
        if !keep_open {
            return Ok(());
        }
    }
}

/// A request that is being answered.
struct Answer<'r> {
    shared: &'r Shared,
    request: &'r Request,
    address: IpAddr,
}

impl Answer<'_> {
    /// The secret of the session and its user.
    fn session(&self) -> Option<(String, String)> {
        let name = cookie_name(&self.shared.config, self.shared.port);
        let secret = cookie(self.request.header("cookie"), &name)?;
        Some((self.shared.sessions.user(secret, &self.shared.config)?, secret.to_owned()))
    }

    /// The answer to the upgrade to a WebSocket, with the user if it is granted; none for another request.
    fn upgrade(&self) -> Option<(Response, Option<(String, String)>)> {
        let refused = |status: u16, message: &str| Some((Response::error(status, message), None));
        if self.request.path != "/programs/socket" {
            return None;
        }
        if let Err((status, message)) = guard::check(self.request, &self.shared.config) {
            return refused(status, message);
        }
        let is_websocket = self.request.has_word("upgrade", "websocket")
            && self.request.has_word("connection", "upgrade")
            && self.request.header("sec-websocket-version") == Some("13");
        let Some(key) = self.request.header("sec-websocket-key").filter(|_| is_websocket) else {
            return refused(426, "This address is a WebSocket");
        };
        let Some(session) = self.session() else { return refused(401, "Log in first") };
        let accept = STANDARD.encode(Sha1::digest(format!("{key}{WEBSOCKET_KEY}").as_bytes()));
        let response = Response::empty(101).with("Upgrade", "websocket").with("Connection", "Upgrade");
        Some((response.with("Sec-WebSocket-Accept", accept), Some(session)))
    }

    fn response(&self) -> Response {
        if let Err((status, message)) = guard::check(self.request, &self.shared.config) {
            self.shared.log("request refused", &[("path", &self.request.path), ("reason", message)]);
            return Response::error(status, message);
        }
        let path = self.request.path.as_str();
        let is_read = self.request.method != "POST";
        let asset = match path.strip_prefix("/programs/") {
            Some("") => Some("index.html"),
            Some(name) => name.strip_prefix("assets/").filter(|name| *name != "index.html"),
            None => None,
        };
        match (asset, path) {
            (Some(name), _) if is_read => {
                assets::response(name, self.request).unwrap_or_else(|| Response::error(404, "Not found"))
            }
            (_, "/" | "/programs") if is_read => Response::empty(308).with("Location", "/programs/"),
            (_, "/programs/api/login") if !is_read => self.login(),
            (_, path) if path.starts_with("/programs/api/") => match self.session() {
                None => Response::error(401, "Log in first"),
                Some((user, secret)) => self.api(path, is_read, &user, &secret),
            },
            _ => Response::error(404, "Not found"),
        }
    }

    fn body(&self) -> Value {
        serde_json::from_slice(&self.request.body).unwrap_or(Value::Null)
    }

    fn login(&self) -> Response {
        let body = self.body();
        let field = |name: &str| body.get(name).and_then(Value::as_str).filter(|text| text.len() <= LONGEST_SECRET);
        let user = match (field("invitation"), field("name"), field("password")) {
            (Some(invitation), ..) if !self.shared.sessions.is_blocked("", self.address) => {
                self.shared.sessions.accept(invitation)
            }
            (None, Some(name), Some(password)) if !self.shared.sessions.is_blocked(name, self.address) => {
                self.shared.users.check(name, password).then(|| name.to_owned())
            }
            (None, None, _) | (None, _, None) => return Response::error(400, "Name and password are needed"),
            _ => {
                return Response::error(429, "Too many failed logins; try again in five minutes")
                    .with("Retry-After", "300");
            }
        };
        let address = self.address.to_string();
        let Some(user) = user else {
            let name = field("name").unwrap_or_default();
            self.shared.sessions.failed(name, self.address);
            self.shared.log("login failed", &[("user", name), ("address", &address)]);
            return Response::error(401, "Name or password is wrong");
        };
        self.shared.log("login", &[("user", &user), ("address", &address)]);
        // An old session of this browser ends: the secret is new after each login.
        if let Some((_, old)) = self.session() {
            self.shared.sessions.end(&old);
        }
        match self.shared.sessions.begin(&user) {
            Ok(secret) => Response::json(200, &json!({ "user": user }))
                .with("Set-Cookie", set_cookie(&self.shared.config, self.shared.port, &secret)),
            Err(NoRandomNumbers) => Response::error(503, "The system gives no random numbers"),
        }
    }

    fn api(&self, path: &str, is_read: bool, user: &str, secret: &str) -> Response {
        let body = if is_read { Value::Null } else { self.body() };
        let field = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        match (path, is_read) {
            ("/programs/api/programs", true) => self.programs(user),
            ("/programs/api/programs", false) => self.start(user, field("name")),
            (path, true) if path.starts_with(PRINTED) => {
                printed::response(path.get(PRINTED.len()..).unwrap_or_default(), &self.shared.table.printed(user))
            }
            ("/programs/api/attach", false) => match self.shared.table.of_user(field("id"), user) {
                Some(running) => self.ticket(&running.id),
                None => Response::error(404, "The program is not there any more"),
            },
            ("/programs/api/end", false) => match self.shared.table.of_user(field("id"), user) {
                Some(running) => {
                    running.watch.hang_up();
                    Response::empty(204)
                }
                None => Response::error(404, "The program is not there any more"),
            },
            ("/programs/api/logout", false) => {
                self.shared.sessions.end(secret);
                self.shared.table.log_out(user);
                self.shared.log("logout", &[("user", user)]);
                Response::empty(204).with("Set-Cookie", set_cookie(&self.shared.config, self.shared.port, ""))
            }
            ("/programs/api/attach" | "/programs/api/end" | "/programs/api/logout", _) => {
                Response::error(405, "This address takes POST")
            }
            _ => Response::error(404, "Not found"),
        }
    }

    fn programs(&self, user: &str) -> Response {
        let programs = self.shared.programs.list(user).into_iter();
        let programs: Vec<Value> = programs.map(|entry| json!({ "name": entry.name, "title": entry.title })).collect();
        let running = self.shared.table.all_of_user(user).into_iter().map(|running| {
            let seconds = running.started.elapsed().as_secs();
            json!({ "id": running.id, "name": running.name, "seconds": seconds, "attached": running.watch.is_attached() })
        });
        let running: Vec<Value> = running.collect();
        let printed: Vec<Value> = self.shared.table.printed(user).iter().map(printed::Printed::facts).collect();
        Response::json(200, &json!({ "user": user, "programs": programs, "running": running, "printed": printed }))
    }

    fn start(&self, user: &str, name: &str) -> Response {
        // The identifier is no secret to its user, and of no use to others.
        let Ok(id) = self.shared.sessions.ticket("").inspect(|id| drop(self.shared.sessions.redeem(id))) else {
            return Response::error(503, "The system gives no random numbers");
        };
        match self.shared.table.start(&self.shared.programs, &self.shared.config, (id, name, user)) {
            Ok(running) => {
                self.shared.log("program started", &[("user", user), ("program", name)]);
                self.ticket(&running.id)
            }
            Err(Refusal::Unknown) => Response::error(404, "There is no such program"),
            Err(Refusal::TooMany) => Response::error(429, "Too many programs are running; end one first"),
            Err(Refusal::NoThread) => Response::error(503, "The system has no thread for the program"),
        }
    }

    fn ticket(&self, id: &str) -> Response {
        match self.shared.sessions.ticket(id) {
            Ok(ticket) => Response::json(200, &json!({ "id": id, "ticket": ticket })),
            Err(NoRandomNumbers) => Response::error(503, "No ticket is free"),
        }
    }
}
