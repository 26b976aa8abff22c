//! The prompt as a client of a running server: `mainstay tds://user@host/db`, and a folder whose native tables a server
//! has open.
//!
//! ```text
//!   shell (formats, commands, scripts)
//!     |  batch of T-SQL                      ^ rows as Arrow batches, messages, counts     shell::server
//!   Remote: one session on the server        |                                             here
//!     |  bytes                               | events
//!   transport (socket, TLS, trust)  <---->  tds-client: state machine without input or output
//! ```
//!
//! The server speaks T-SQL, so text is cut into batches as `sqlcmd` does ([`crate::script::server`]), and errors have SQL
//! Server's numbers. Ctrl-C sends an attention; the connection stays usable. Memory is that of one batch of rows; a row of more
//! than `--memory-limit` (1 GB) ends the connection.
//!
//! Limits: one session at a time; the rights are those of the user on the server.

mod answers;
pub(crate) mod found;
mod rows;
mod transport;
mod trust;

pub(crate) use answers::address_of;
pub(crate) use rows::Rows;

use mainstay_tds_client::{Address, Connection, Event, Message, Next, Password};
use mainstay_types::{Code, Error, Result, Value};
use mainstay_vfs::{Disk, FileSystem};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use transport::{Received, Transport};

/// The time that a server may take for the login.
const LOGIN_PATIENCE: Duration = Duration::from_secs(30);
/// The time that a server may take to acknowledge an attention; then the connection is given up.
const CANCEL_PATIENCE: Duration = Duration::from_secs(20);
/// SQL Server's number for a login that is refused.
const LOGIN_FAILED: i32 = 18_456;
/// Messages of every login, which say nothing new: the database and the language.
pub(crate) const AT_LOGIN: [i32; 2] = [5701, 5703];

/// A session on a server.
pub(crate) struct Remote {
    address: Address,
    user: String,
    password: Password,
    connection: Connection,
    transport: Transport,
    /// The database in use.
    pub(crate) database: String,
    /// An event that was read and belongs to what comes next.
    pending: Option<Event>,
    stop: Arc<AtomicBool>,
    /// Since when the attention is on its way.
    cancelled: Option<Instant>,
    /// The time that a batch may take.
    limit: Option<Duration>,
    /// Bytes that a row may take.
    row_limit: Option<u64>,
    /// The time at which the batch was sent.
    sent: Instant,
    /// True once the batch has been cancelled because it took too long.
    is_late: bool,
    is_broken: bool,
}

impl Remote {
    /// Connects, with the password of the address, of `MAINSTAY_PASSWORD`, or typed at the terminal.
    ///
    /// Errors: `NotPermitted` for a login that is refused; `ConnectionLost` if no server answers.
    pub(crate) fn connect(address: &Address) -> Result<Remote> {
        let user = address.user.clone().unwrap_or_else(|| "sa".to_owned());
        let of_environment = std::env::var("MAINSTAY_PASSWORD").ok().map(Password);
        let given = address.password.clone().or(of_environment);
        let can_ask = io::stdin().is_terminal();
        // A server of this machine without users lets its administrator in.
        let may_need_none = address.user.is_none() || user.eq_ignore_ascii_case("sa") && address.is_loopback();
        if given.is_some() || !can_ask || may_need_none {
            let is_last = given.is_some() || !can_ask;
            match Remote::log_in(address, &user, &given.unwrap_or_default()) {
                Err(error) if !is_last && error.code() == Code::NotPermitted => {}
                done => return done,
            }
        }
        let password = crate::users::ask_once(&format!("Password for {user} at {address}: "))?;
        Remote::log_in(address, &user, &Password(password))
    }

    fn log_in(address: &Address, user: &str, password: &Password) -> Result<Remote> {
        let transport = Transport::open(address)?;
        let login = login(address, user, password);
        let connection = Connection::new(login, address.encrypt, !address.is_loopback());
        let mut remote = Remote {
            address: address.clone(),
            user: user.to_owned(),
            password: password.clone(),
            connection,
            transport,
            database: address.database.clone(),
            pending: None,
            stop: Arc::new(AtomicBool::new(false)),
            cancelled: None,
            limit: None,
            row_limit: None,
            sent: Instant::now(),
            is_late: false,
            is_broken: false,
        };
        remote.finish_login(Instant::now() + LOGIN_PATIENCE)?;
        Ok(remote)
    }

    fn finish_login(&mut self, deadline: Instant) -> Result<()> {
        let mut refusal: Option<Message> = None;
        loop {
            let event = match self.step(Some(deadline)) {
                Ok(Some(event)) => event,
                Ok(None) => continue,
                Err(error) => {
                    let said = refusal.map(|message| refused(&message, &self.address));
                    return Err(said.filter(|_| error.code() == Code::NotPermitted).unwrap_or(error));
                }
            };
            match event {
                Event::Ready => return Ok(()),
                Event::Database(name) => self.database = name,
                Event::Message(message) if message.is_error() => refusal = refusal.or(Some(message)),
                _ => {}
            }
        }
    }

    /// One step of the connection: an event, or nothing if bytes were exchanged or a moment has passed.
    fn step(&mut self, deadline: Option<Instant>) -> Result<Option<Event>> {
        match self.connection.next_step().map_err(with_way_out)? {
            Next::Event(event) => return Ok(Some(event)),
            Next::BeginTls => self.transport.begin_tls()?,
            Next::Receive => {
                let output = self.connection.take_output();
                self.transport.send(&output)?;
                // A server that sends a byte now and then, or rows without end, does not answer either.
                if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                    let message = format!("the server {} does not answer", self.address);
                    return Err(Error::new(Code::ConnectionLost, message));
                }
                if let Received::Bytes(bytes) = self.transport.receive()? {
                    self.connection.receive(bytes);
                }
            }
        }
        Ok(None)
    }

    /// Sends a batch with values for `@p1`, `@p2` and so on.
    ///
    /// Errors: `ConnectionLost`; `InvalidValue` for a value that its type cannot hold.
    pub(crate) fn send(&mut self, text: &str, values: &[Value]) -> Result<()> {
        self.stop.store(false, Ordering::Relaxed);
        (self.cancelled, self.sent, self.is_late) = (None, Instant::now(), false);
        match values.is_empty() {
            true => self.connection.send_batch(text)?,
            false => self.connection.send_batch_with(text, values)?,
        }
        let output = self.connection.take_output();
        self.transport.send(&output).inspect_err(|_| self.is_broken = true)
    }

    /// The next event of the answer.
    ///
    /// Errors: `ConnectionLost`; `Timeout` at the end of a batch that was cancelled because it took too long.
    pub(crate) fn next_event(&mut self) -> Result<Event> {
        if let Some(event) = self.pending.take() {
            return Ok(event);
        }
        loop {
            if self.cancelled.is_none() && self.limit.is_some_and(|limit| self.sent.elapsed() > limit) {
                self.is_late = true;
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.stop.load(Ordering::Relaxed) && self.cancelled.is_none() {
                self.cancelled = Some(Instant::now());
                self.connection.cancel();
                let output = self.connection.take_output();
                self.transport.send(&output).inspect_err(|_| self.is_broken = true)?;
            }
            let deadline = self.cancelled.map(|since| since + CANCEL_PATIENCE);
            match self.step(deadline).inspect_err(|_| self.is_broken = true)? {
                Some(Event::Ready) if std::mem::take(&mut self.is_late) => {
                    let limit = self.limit.unwrap_or_default();
                    return Err(Error::new(Code::Timeout, format!("the batch took longer than {limit:?}")));
                }
                Some(event) => return Ok(event),
                None => continue,
            }
        }
    }

    /// Puts an event back that belongs to what comes next.
    fn put_back(&mut self, event: Event) {
        self.pending = Some(event);
    }

    /// Bounds the time of each batch; `None` for no bound.
    pub(crate) fn limit_to(&mut self, time: Option<Duration>) {
        self.limit = time;
    }

    /// Bounds the bytes of a row; `None` for the client's own bound.
    pub(crate) fn limit_rows_to(&mut self, bytes: Option<u64>) {
        self.row_limit = bytes;
        if let Some(bytes) = bytes {
            self.connection.limit_row(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
    }

    /// A handle that cancels the running batch from another thread.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// True if the last batch was cancelled.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.cancelled.is_some()
    }

    /// True in a transaction of the server.
    pub(crate) fn is_in_transaction(&self) -> bool {
        self.connection.is_in_transaction()
    }

    /// Ends an answer that is no longer needed.
    pub(crate) fn abandon(&mut self) {
        self.pending = None;
        self.stop.store(true, Ordering::Relaxed);
        while !self.is_broken && !self.connection.is_ready() {
            // A connection that fails here is made again with the next batch.
            let _ = self.next_event();
        }
    }

    /// Connects again if the connection was lost: true if it did. What only the session had is gone.
    pub(crate) fn revive(&mut self) -> Result<bool> {
        if !self.is_broken {
            return Ok(false);
        }
        let mut address = self.address.clone();
        address.database.clone_from(&self.database);
        let (limit, row_limit) = (self.limit, self.row_limit);
        *self = Remote::log_in(&address, &self.user, &self.password)?;
        self.limit_to(limit);
        self.limit_rows_to(row_limit);
        Ok(true)
    }

    /// User and address, as people are told.
    pub(crate) fn place(&self) -> String {
        format!("{} as {}", self.address, self.user)
    }
}

/// The login of the command.
fn login(address: &Address, user: &str, password: &Password) -> mainstay_tds_client::Login {
    // The name of the machine is a courtesy to the administrator.
    let host = Disk.read(Path::new("/proc/sys/kernel/hostname")).unwrap_or_default();
    let host: String = String::from_utf8_lossy(&host).trim().chars().take(128).collect();
    mainstay_tds_client::Login {
        version: address.encrypt.version(),
        packet_size: 16_000,
        client_version: 1,
        process_id: std::process::id(),
        read_only: false,
        odbc: true,
        database_required: !address.database.is_empty(),
        host,
        user: user.to_owned(),
        password: password.clone(),
        application: "mainstay".to_owned(),
        server: address.host.clone(),
        library: "mainstay".to_owned(),
        language: String::new(),
        database: address.database.clone(),
        integrated: false,
        new_password: None,
        features: None,
    }
}

/// The error of a row that is too long, with what to do about it.
fn with_way_out(error: Error) -> Error {
    match error.code() {
        Code::OutOfMemory => error.hint("select a part of the value (SUBSTRING), or raise --memory-limit"),
        _ => error,
    }
}

fn refused(message: &Message, address: &Address) -> Error {
    let code = if message.number == LOGIN_FAILED { Code::NotPermitted } else { Code::NotFound };
    let error = Error::new(code, format!("{} (error {})", message.text, message.number)).at(address);
    match message.number {
        LOGIN_FAILED => error.hint(
            "the password is asked for at a terminal, or taken from MAINSTAY_PASSWORD; for a folder MAINSTAY_USER is the user",
        ),
        _ => error,
    }
}
