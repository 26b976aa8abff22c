//! The paths below `/programs/`, and the state that all connections share.

use crate::assets;
use crate::client::{Client, Stream};
use crate::config::Config;
use crate::guard;
use crate::http::{self, Failure, Request, Response};
use crate::printed;
use crate::programs::{Entry, Programs, Refusal, Table, Users};
use crate::sessions::{NoRandomNumbers, Sessions, cookie, cookie_name, set_cookie};
use crate::socket;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha1::{Digest, Sha1};
use std::io::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The time in which all of a request has to come, also between two of a connection.
const READ_LIMIT: Duration = Duration::from_secs(15);
/// The time in which a browser has to take an answer or a frame.
pub(crate) const WRITE_LIMIT: Duration = Duration::from_secs(10);
/// The time between two looks at programs without a page.
const SWEEP: Duration = Duration::from_millis(250);
/// The end of the key of a WebSocket's handshake (RFC 6455, section 1.3).
const WEBSOCKET_KEY: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The start of the paths of printed documents.
const PRINTED: &str = "/programs/api/printed/";
/// The longest password and name.
const LONGEST_SECRET: usize = 1024;

/// The state that all connections share.
pub(crate) struct Shared {
    pub config: Config,
    pub sessions: Sessions,
    pub table: Table,
    users: Arc<dyn Users>,
    programs: Arc<dyn Programs>,
    stopping: AtomicBool,
}

/// The pages, sessions and programs of browsers, without a listener. Dropping it hangs up every program.
pub struct Console {
    shared: Arc<Shared>,
}

impl Console {
    /// Begins without sessions and programs.
    ///
    /// Errors: the system has no thread for programs whose pages are lost.
    pub fn new(config: Config, users: Arc<dyn Users>, programs: Arc<dyn Programs>) -> Result<Console> {
        let shared = Arc::new(Shared {
            config,
            sessions: Sessions::default(),
            table: Table::default(),
            users,
            programs,
            stopping: AtomicBool::new(false),
        });
        let swept = Arc::downgrade(&shared);
        std::thread::Builder::new().name("console sweep".into()).spawn(move || sweep(&swept))?;
        Ok(Console { shared })
    }

    /// A secret that logs in a user once within ten minutes, for the first contact: `/programs/#invitation=SECRET`.
    ///
    /// Errors: the system gives no random numbers.
    pub fn invitation(&self, user: &str) -> Result<String> {
        let none = |_: NoRandomNumbers| Error::other("the system gives no random numbers");
        self.shared.sessions.invite(user).map_err(none)
    }

    /// Serves a connection until one side ends it.
    ///
    /// Errors: the browser breaks off, or is too slow.
    pub fn serve(&self, client: &dyn Client) -> Result<()> {
        serve(client, &self.shared)
    }

    /// Hangs up every program: its next call of the screen fails.
    pub fn stop(&self) {
        self.shared.stopping.store(true, SeqCst);
        self.shared.table.hang_up();
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.stop();
    }
}

fn sweep(shared: &Weak<Shared>) {
    while let Some(shared) = shared.upgrade().filter(|shared| !shared.stopping.load(SeqCst)) {
        shared.table.sweep(&shared.config);
        drop(shared);
        std::thread::sleep(SWEEP);
    }
}

fn serve(client: &dyn Client, shared: &Shared) -> Result<()> {
    let mut stream = Stream { client, read_until: Instant::now(), write_limit: WRITE_LIMIT };
    let mut buffer = Vec::new();
    while !client.is_stopping() {
        stream.read_until = Instant::now() + READ_LIMIT;
        let request = match http::read(&mut stream, &mut buffer) {
            Ok(request) => request,
            Err(Failure::Closed) => return Ok(()),
            Err(Failure::Refused(status)) => {
                return Response::error(status, "The request cannot be read").write(&mut stream, false, true);
            }
        };
        let began = Instant::now();
        client.begin_request();
        let answer = Answer { shared, request: &request, client };
        if let Some((response, user)) = answer.upgrade() {
            response.write(&mut stream, false, true)?;
            client.end_request(&request.path, began.elapsed());
            return match user {
                Some((user, session)) => socket::serve(client, buffer, shared, (&user, &session)),
                None => Ok(()),
            };
        }
        let keep_open = !request.has_word("connection", "close") && !client.is_stopping();
        let written = answer.response().write(&mut stream, keep_open, request.method != "HEAD");
        client.end_request(&request.path, began.elapsed());
        written?;
        if !keep_open {
            return Ok(());
        }
    }
    Ok(())
}

/// A request that is being answered.
struct Answer<'r> {
    shared: &'r Shared,
    request: &'r Request,
    client: &'r dyn Client,
}

impl Answer<'_> {
    /// The secret of the session and its user.
    fn session(&self) -> Option<(String, String)> {
        let name = cookie_name(self.client.is_encrypted(), self.client.port());
        let secret = cookie(self.request.header("cookie"), &name)?;
        let user = self.shared.sessions.user(secret, &self.shared.config)?;
        self.client.has_session();
        Some((user, secret.to_owned()))
    }

    /// The answer to the upgrade to a WebSocket, with the user if it is granted; none for another request.
    fn upgrade(&self) -> Option<(Response, Option<(String, String)>)> {
        let refused = |status: u16, message: &str| Some((Response::error(status, message), None));
        if self.request.path != "/programs/socket" {
            return None;
        }
        if let Err((status, message)) = self.check() {
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

    /// Checks the rules for requests. Errors: the status and the words of the answer.
    fn check(&self) -> std::result::Result<(), (u16, &'static str)> {
        guard::check_host(self.request, &self.shared.config)?;
        if self.client.needs_encryption() && !self.client.is_encrypted() {
            return Err((426, "This address needs https"));
        }
        guard::check(self.request, self.client.is_encrypted())
    }

    fn response(&self) -> Response {
        if let Err((status, message)) = self.check() {
            self.client.log("request_refused", &[("path", &self.request.path), ("reason", message)]);
            return match (status, self.request.header("host")) {
                // The page is there, and a browser finds it by itself.
                (426, Some(host)) if matches!(self.request.method.as_str(), "GET" | "HEAD") => {
                    Response::empty(308).with("Location", format!("https://{host}{}", self.request.path))
                }
                _ => Response::error(status, message),
            };
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
            (Some(invitation), ..) if !self.shared.sessions.is_blocked("", self.client.address()) => {
                self.shared.sessions.accept(invitation)
            }
            (None, Some(name), Some(password)) if !self.shared.sessions.is_blocked(name, self.client.address()) => {
                self.shared.users.check(name, password)
            }
            (None, None, _) | (None, _, None) => return Response::error(400, "Name and password are needed"),
            _ => {
                return Response::error(429, "Too many failed logins; try again in five minutes")
                    .with("Retry-After", "300");
            }
        };
        let address = self.client.address().to_string();
        let Some(user) = user else {
            let name = field("name").unwrap_or_default();
            self.shared.sessions.failed(name, self.client.address());
            self.client.login_failed();
            self.client.log("login_failed", &[("user", name), ("address", &address)]);
            let words = match field("invitation") {
                Some(_) => {
                    "This address is not valid any more: it logs in once, within ten minutes after the server has started"
                }
                None => "Name or password is wrong",
            };
            return Response::error(401, words);
        };
        self.client.log("login", &[("user", &user), ("address", &address)]);
        // An old session of this browser ends: the secret is new after each login.
        if let Some((_, old)) = self.session() {
            self.shared.sessions.end(&old);
        }
        match self.shared.sessions.begin(&user) {
            Ok(secret) => Response::json(200, &json!({ "user": user }))
                .with("Set-Cookie", set_cookie(self.client.is_encrypted(), self.client.port(), &secret)),
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
                self.client.log("logout", &[("user", user)]);
                Response::empty(204).with("Set-Cookie", set_cookie(self.client.is_encrypted(), self.client.port(), ""))
            }
            ("/programs/api/attach" | "/programs/api/end" | "/programs/api/logout", _) => {
                Response::error(405, "This address takes POST")
            }
            _ => Response::error(404, "Not found"),
        }
    }

    fn programs(&self, user: &str) -> Response {
        let programs = self.shared.programs.list(user).into_iter();
        let fields = |entry: Entry| json!({ "name": entry.name, "title": entry.title, "about": entry.about });
        let programs: Vec<Value> = programs.map(fields).collect();
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
                self.client.log("program_started", &[("user", user), ("program", name)]);
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
