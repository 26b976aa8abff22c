//! A database to which T-SQL clients log in.

use crate::objects::module_files::{Folder, Tell};
use crate::objects::modules::Version;
use crate::plans::counters::{Registry, handle};
use crate::session::Session;
use crate::session::options::Options;
use crate::session::scope::{GLOBALS, global_name};
use crate::session::watch::Watch;
use crate::statements::application_locks::AppLocks;
use crate::statements::permissions::Principals;
use mainstay_engine::Database;
use mainstay_engine::activity::{SessionInfo, SessionWork};
use mainstay_session::push::{self, Backend, Client, Login};
use mainstay_session::{Cancel, Kill};
use mainstay_tsql_types::{CodePage, Message};
use mainstay_types::Timestamp;
use mainstay_vfs::FileSystem;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A database that sessions can be opened on. Cheap to clone: all clones are the same database.
#[derive(Clone)]
pub struct Instance {
    pub(crate) database: Database,
    pub(crate) version: Arc<Version>,
    /// The name of the database: that of its folder.
    pub(crate) name: Arc<str>,
    /// Since when it is open.
    pub(crate) started: Timestamp,
    /// The locks of applications.
    pub(crate) locks: Arc<AppLocks>,
    /// The objects that are files.
    pub(crate) folder: Option<Arc<Folder>>,
    pub(crate) watch: Arc<Watch>,
    processes: Arc<Mutex<Processes>>,
    /// Users and databases by their names.
    pub(crate) principals: Arc<Principals>,
    /// The counts of statements and modules.
    pub(crate) counts: Arc<Registry>,
}

/// The sessions that there are, by their numbers.
#[derive(Default)]
struct Processes {
    open: BTreeMap<i16, Known>,
}

struct Known {
    process: Process,
    cancel: Option<Arc<dyn Cancel>>,
    /// Closes its connection, if it has one.
    connection: Option<Arc<dyn Kill>>,
}

/// A session as others see it.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// `@@SPID`.
    pub(crate) number: i16,
    /// The time of the login.
    pub(crate) since: Timestamp,
    pub(crate) login: String,
    pub(crate) host: String,
    pub(crate) application: String,
    pub(crate) connection: Connection,
    pub(crate) activity: Arc<Activity>,
}

/// The connection of a session, as `sys.dm_exec_connections` shows it.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// The client's address, without its port.
    pub(crate) address: String,
    /// True if everything is encrypted, not only the login.
    pub(crate) is_encrypted: bool,
    /// The version of the protocol, as LOGINACK has it.
    pub(crate) version: u32,
}

/// The version that `sys.dm_exec_connections` shows for a program in the same process: 7.4.
const OWN_VERSION: u32 = 0x7400_0004;

impl Default for Connection {
    /// The connection of a program that has the database in its own process.
    fn default() -> Connection {
        Connection { address: "127.0.0.1".to_owned(), is_encrypted: false, version: OWN_VERSION }
    }
}

/// The number of the level that sessions begin with.
pub(crate) const READ_COMMITTED: u8 = 2;

/// The activity of a session, visible to others.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    transactions: AtomicU32,
    /// The number of its isolation level, as `sys.dm_exec_sessions` has it; 0 before it was set.
    isolation: AtomicU8,
    /// Its transaction in the core and its locks.
    work: OnceLock<Arc<SessionWork>>,
    /// True while it runs something.
    is_running: AtomicBool,
    request: Mutex<Request>,
    options: Mutex<Options>,
    /// The core's reads for the session.
    progress: OnceLock<Arc<mainstay_engine::Progress>>,
    /// Logical reads before the request that runs, or ran last.
    reads_before: AtomicU64,
    used: Mutex<Used>,
}

/// The use of resources by a session's requests, without the one that runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    /// Elapsed time of all requests.
    pub(crate) elapsed: Duration,
    /// CPU time of the session's thread in all requests.
    pub(crate) cpu: Duration,
    /// The rows of the last statement.
    pub(crate) rows: i64,
    /// The time at which the last request ended.
    pub(crate) ended: Option<Timestamp>,
}

/// The last request of a session.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The text of a batch, or the name of a procedure.
    pub(crate) text: String,
    /// True if a driver called a procedure.
    pub(crate) is_call: bool,
    /// The time at which it began.
    pub(crate) since: Timestamp,
    /// The time at which the session's transaction began, if one is open.
    pub(crate) transaction_since: Timestamp,
}

impl Request {
    /// The handle of the text, in 20 bytes as SQL Server's begin: the same for the same text. None before the first
    /// request.
    pub(crate) fn handle(&self) -> Option<Vec<u8>> {
        (!self.text.is_empty()).then(|| handle(2, &self.text))
    }
}

impl Default for Request {
    fn default() -> Request {
        let now = crate::session::now();
        Request { text: String::new(), is_call: false, since: now, transaction_since: now }
    }
}

/// The part of a request's text that is stored for other sessions.
const SHOWN_TEXT: usize = 4000;

impl Activity {
    /// Sets where the session's transaction and locks are found.
    pub(crate) fn works_at(&self, work: Arc<SessionWork>) {
        let _ = self.work.set(work);
    }

    /// The session's transaction and locks.
    pub(crate) fn work(&self) -> Option<&SessionWork> {
        self.work.get().map(|work| &**work)
    }

    /// The number of its transaction in the core; 0 for none that has written.
    pub(crate) fn number(&self) -> u64 {
        self.work().map_or(0, SessionWork::transaction_number)
    }

    /// A batch or a call begins.
    pub(crate) fn begin(&self, text: &str, is_call: bool, since: Timestamp) {
        let end = text.char_indices().nth(SHOWN_TEXT).map_or(text.len(), |(end, _)| end);
        let mut request = self.request.lock().unwrap_or_else(PoisonError::into_inner);
        request.text.clear();
        request.text.push_str(&text[..end]);
        (request.is_call, request.since) = (is_call, since);
        self.reads_before.store(self.reads().0, Ordering::Relaxed);
        self.is_running.store(true, Ordering::Relaxed);
    }

    /// It has ended, after these times: elapsed, and of the CPU.
    pub(crate) fn end(&self, (elapsed, cpu): (Duration, Duration), rows: i64) {
        self.is_running.store(false, Ordering::Relaxed);
        let since = self.request.lock().unwrap_or_else(PoisonError::into_inner).since;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let ticks = i64::try_from(elapsed.as_nanos() / 100).unwrap_or(0);
        used.ended = Some(Timestamp(since.0.saturating_add(ticks)));
        (used.elapsed, used.cpu, used.rows) = (used.elapsed + elapsed, used.cpu + cpu, rows);
    }

    /// The use of resources by its requests.
    pub(crate) fn used(&self) -> Used {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says where the reads of the session are counted.
    pub(crate) fn read_by(&self, progress: Arc<mainstay_engine::Progress>) {
        let _ = self.progress.set(progress);
    }

    /// Logical reads of all requests, and of the last one.
    pub(crate) fn reads(&self) -> (u64, u64) {
        let all = self.progress.get().map_or(0, |progress| progress.reads().total());
        (all, all.saturating_sub(self.reads_before.load(Ordering::Relaxed)))
    }

    pub(crate) fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Relaxed)
    }

    /// Its last request.
    pub(crate) fn request(&self) -> Request {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note(&self, transactions: u32, isolation: u8) {
        if transactions == 1 && self.transactions() == 0 {
            let now = crate::session::now();
            self.request.lock().unwrap_or_else(PoisonError::into_inner).transaction_since = now;
        }
        self.transactions.store(transactions, Ordering::Relaxed);
        self.isolation.store(isolation, Ordering::Relaxed);
    }

    /// Lets others see the session's options.
    pub(crate) fn note_options(&self, options: &Options) {
        *self.options.lock().unwrap_or_else(PoisonError::into_inner) = options.clone();
    }

    /// The session's options.
    pub(crate) fn options(&self) -> Options {
        self.options.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn transactions(&self) -> i64 {
        self.transactions.load(Ordering::Relaxed).into()
    }

    pub(crate) fn isolation(&self) -> i64 {
        match self.isolation.load(Ordering::Relaxed) {
            0 => i64::from(READ_COMMITTED),
            level => level.into(),
        }
    }
}

/// A session's number, given back when the session ends.
pub(crate) struct Seat {
    number: i16,
    activity: Arc<Activity>,
    processes: Arc<Mutex<Processes>>,
}

impl Seat {
    /// Sets the cancellation of the session's statements.
    pub(crate) fn stop_with(&self, cancel: Arc<dyn Cancel>) {
        self.note(|known| known.cancel = Some(cancel));
    }

    /// Sets the connection that a kill of the session closes.
    pub(crate) fn end_by(&self, connection: Arc<dyn Kill>) {
        self.note(|known| known.connection = Some(connection));
    }

    pub(crate) fn connected_by(&self, connection: Connection) {
        self.note(|known| known.process.connection = connection);
    }

    fn note(&self, what: impl FnOnce(&mut Known)) {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = processes.open.get_mut(&self.number) {
            what(known);
        }
    }

    pub(crate) fn number(&self) -> i16 {
        self.number
    }

    /// Lets others see what the session's transactions are.
    pub(crate) fn activity(&self) -> &Activity {
        &self.activity
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        processes.open.remove(&self.number);
    }
}

/// Sessions of other doors have numbers from here on, in the order in which they are listed.
pub(crate) const FIRST_OTHER: i16 = 20_000;

fn moment(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    // Ticks of 100 ns.
    Timestamp(i64::try_from(since.as_nanos() / 100).unwrap_or(i64::MAX))
}

/// The numbers of processes below belong to the server itself, as users of SQL Server expect.
const FIRST_PROCESS: i16 = 51;

impl Instance {
    /// An instance of this database, under the name that clients use for it.
    pub fn new(database: Database, name: &str) -> Instance {
        mainstay_tsql_planner::register();
        let (name, started) = (name.into(), crate::session::now());
        drop_globals(&database);
        let processes = Arc::<Mutex<Processes>>::default();
        let known = Arc::downgrade(&processes);
        // Weak, because the database may outlive the instance.
        database.add_session_source(Arc::new(move || known.upgrade().map(|known| listed(&known)).unwrap_or_default()));
        Instance {
            database,
            version: Arc::default(),
            name,
            started,
            folder: None,
            locks: Arc::default(),
            watch: Arc::default(),
            processes,
            principals: Arc::default(),
            counts: Arc::default(),
        }
    }

    /// The same with the names of the users who may log in.
    #[must_use]
    pub fn with_users<'u>(self, users: impl Iterator<Item = &'u str>) -> Instance {
        users.for_each(|user| self.principals.add(user));
        self
    }

    /// A function that adds a user who may log in from now on.
    pub fn user_adder(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let principals = Arc::clone(&self.principals);
        move |user| principals.add(user)
    }

    /// The same with the procedures, functions and triggers in the files `procedures/**/*.sql` of a folder, which are
    /// read when they are first needed, and again when they change. `tell` receives the errors of those that do not
    /// compile, and so does the session that finds them. `page` is the code page of files without a byte order mark, as
    /// [`script_text`] takes it.
    ///
    /// [`script_text`]: crate::script_text()
    pub fn with_procedures(
        mut self,
        files: Arc<dyn FileSystem>,
        folder: &Path,
        page: Option<CodePage>,
        tell: Tell,
    ) -> Instance {
        let root = folder.join("procedures");
        self.folder = Some(Arc::new(Folder::new(files, root, page, tell)));
        self
    }

    /// Reads the files of procedures now.
    pub fn read_procedures(&self) {
        // An error is reported when the object is needed.
        let _ = Session::beside(self, 0, None).inner.refresh();
    }

    /// A session for a program that has the database in its own process.
    pub fn session(&self) -> Session {
        Session::new(self, "sa", "", "")
    }

    /// The smallest number that no session has, for a new one.
    pub(crate) fn seat(&self, login: &str, host: &str, application: &str) -> Seat {
        let mut processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        let free = |number: &i16| !processes.open.contains_key(number);
        let number = (FIRST_PROCESS..i16::MAX).find(free).unwrap_or(i16::MAX);
        let activity = Arc::<Activity>::default();
        let process = Process {
            number,
            since: crate::session::now(),
            login: login.to_owned(),
            host: host.to_owned(),
            application: application.to_owned(),
            connection: Connection::default(),
            activity: Arc::clone(&activity),
        };
        processes.open.insert(number, Known { process, cancel: None, connection: None });
        Seat { number, activity, processes: Arc::clone(&self.processes) }
    }

    /// The sessions, by their numbers.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
        processes.open.values().map(|known| known.process.clone()).collect()
    }

    /// The same, and behind them the sessions of other doors.
    pub(crate) fn all_processes(&self) -> Vec<Process> {
        let others = self.other_sessions().into_iter().zip(FIRST_OTHER..).map(|(session, number)| Process {
            number,
            since: moment(session.since),
            login: session.user,
            host: session.machine.clone(),
            application: session.program,
            connection: Connection { address: session.machine, ..Connection::default() },
            activity: Arc::default(),
        });
        self.processes().into_iter().chain(others).collect()
    }

    /// The sessions of other doors than that of SQL Server's clients.
    pub(crate) fn other_sessions(&self) -> Vec<SessionInfo> {
        self.database.sessions().into_iter().filter(|session| session.door != DOOR).collect()
    }

    /// Ends a session and its connection; without one only what it runs. Whether there is such a session.
    pub(crate) fn kill(&self, number: i16) -> bool {
        let (cancel, connection) = {
            let processes = self.processes.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(known) = processes.open.get(&number) else { return false };
            (known.cancel.clone(), known.connection.clone())
        };
        match (connection, cancel) {
            (Some(connection), _) => connection.kill(),
            (None, Some(cancel)) => cancel.cancel(),
            (None, None) => {}
        }
        true
    }

    /// Errors: 911 for another name than this database's, the system's, and those that CREATE DATABASE has named.
    pub(crate) fn check_database(&self, name: &str) -> Result<(), Message> {
        let is_known = crate::catalog::is_database(&self.name, name) || self.principals.has_database(name);
        if is_known { Ok(()) } else { Err(Message::numbered(911, &[&name])) }
    }
}

/// The door of SQL Server's clients in lists of sessions.
const DOOR: &str = "tds";

/// The sessions of SQL Server's clients, for lists of all sessions.
fn listed(processes: &Mutex<Processes>) -> Vec<SessionInfo> {
    let all: Vec<Process> = {
        let processes = processes.lock().unwrap_or_else(PoisonError::into_inner);
        processes.open.values().map(|known| known.process.clone()).collect()
    };
    let info = |process: Process| {
        let session = SessionInfo {
            door: DOOR,
            number: u64::try_from(process.number).unwrap_or(0),
            user: process.login,
            program: process.application,
            machine: if process.host.is_empty() { process.connection.address } else { process.host },
            since: UNIX_EPOCH + Duration::from_micros(u64::try_from(process.since.0 / 10).unwrap_or(0)),
            locks: Vec::new(),
            transaction: None,
        };
        match process.activity.work() {
            Some(work) => session.with_work(work),
            None => session,
        }
    };
    all.into_iter().map(info).collect()
}

/// Drops the temporary tables of all sessions that a crash has left.
fn drop_globals(database: &Database) {
    let mut core = database.session();
    let left: Vec<String> = {
        let shared = core.definitions().shared;
        let schema = shared.schemas.iter().find(|schema| schema.name.eq_ignore_ascii_case(GLOBALS));
        let of =
            |id| shared.tables.iter().filter(move |table| table.schema == id).map(|table| global_name(&table.name));
        schema.map(|schema| of(schema.id).collect()).unwrap_or_default()
    };
    for table in left {
        // One that cannot be dropped is seen by all, as it was.
        let _ = core.execute_uninterrupted(&format!("DROP TABLE {table}"));
    }
}

impl Backend for Instance {
    type Session = Session;

    fn log_in(&self, login: &Login, client: &Client) -> Result<Session, push::Message> {
        let mut session = Session::new(self, &login.user, &login.host, &login.application);
        if let Some(seat) = &session.inner.seat {
            let (address, version) = (client.address.clone(), client.protocol_version);
            seat.connected_by(Connection { address, is_encrypted: client.encrypted, version });
        }
        session.begin_with_options_of(login);
        if client.read_only {
            session.inner.core.set_read_only(true);
        }
        session.inner.state.client_process = login.process_id;
        let wanted = &login.database;
        if !wanted.is_empty() && self.check_database(wanted).is_err() {
            let text = format!("Cannot open database \"{wanted}\" requested by the login. The login failed.");
            return Err(push::Message::error(4060, text).severity(11));
        }
        if !wanted.is_empty() {
            session.use_database(wanted);
        }
        Ok(session)
    }
}
