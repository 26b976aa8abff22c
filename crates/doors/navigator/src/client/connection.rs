//! A connection: requests out, answers in, one after the other; counted; re-established when it is lost.

use super::remote::RemoteArea;
use super::transport::{Tcp, Transport, lost};
use crate::dictionary::{Called, Given};
use crate::sql::{Executed, Outcome, Parameter, Shown};
use crate::wire::frame::Kind;
use crate::wire::messages::{Activity, Answer, Hello, Person, Progress, Reply, Request, Step};
use crate::wire::{decode, encode, malformed};
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::dbf::TableSpec;
use mainstay_xbase::indexed::Telling;
use mainstay_xbase::lock::LockWait;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The port of servers whose address has none.
pub const PORT: u16 = 6262;

/// After an attempt to get a lock the connection is left to others for so long.
const LET_IN: Duration = Duration::from_millis(1);

/// Where a server is, and what is wanted of it: `tcp://host:port/database`, or `tls://` to insist on encryption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The host's name or address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The folder below the server's.
    pub database: String,
    /// True if the connection has to be encrypted.
    pub must_encrypt: bool,
    /// A file of certificates in PEM, one of which the server has to have; any will do without.
    pub trusted: Option<PathBuf>,
}

impl Address {
    /// The address that a text means; `None` for a text of another kind. Whom to trust is said by the environment's
    /// `MAINSTAY_CA`.
    pub fn parse(text: &str) -> Option<Result<Address>> {
        let (must_encrypt, rest) = match (text.strip_prefix("tcp://"), text.strip_prefix("tls://")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return None,
        };
        let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
        let database = database.trim_end_matches('/').to_owned();
        let wrong = || Error::new(Code::InvalidValue, format!("{text} is no address: tcp://host:port/database is one"));
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => match port.parse() {
                Ok(port) => (host, port),
                Err(_) => return Some(Err(wrong())),
            },
            _ => (place, PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Some(Err(wrong()));
        }
        let trusted = std::env::var_os("MAINSTAY_CA").filter(|path| !path.is_empty()).map(PathBuf::from);
        Some(Ok(Address { host, port, database, must_encrypt, trusted }))
    }
}

/// The traffic on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests that were answered.
    pub round_trips: u64,
    /// Bytes to the server.
    pub sent_bytes: u64,
    /// Bytes from the server.
    pub received_bytes: u64,
}

/// The number of no savepoint.
const NO_SAVEPOINT: u32 = u32::MAX;

/// The message about a transaction whose connection was lost.
const ROLLED_BACK: &str = "its transaction was rolled back, and its locks are gone";
/// The same when its commit was under way.
const PERHAPS_COMMITTED: &str = "its transaction was committed or rolled back, which of both is not known";

type Connect = Box<dyn Fn() -> Result<Box<dyn Transport>> + Send + Sync>;

/// A connection to a server.
pub struct Client {
    /// The path that its files are known by at this side.
    base: PathBuf,
    connect: Connect,
    transport: Mutex<Option<Box<dyn Transport>>>,
    /// Another number for each time it was made.
    epoch: AtomicU64,
    /// True if the server has a transaction of this connection under way: noted with each answer, before another
    /// request can find the connection lost.
    in_transaction: AtomicBool,
    /// True if a transaction was lost, and the program has not been told.
    is_loss_untold: AtomicBool,
    /// The last connection whose loss was reported to the program, by its epoch.
    told_epoch: AtomicU64,
    round_trips: AtomicU64,
    sent_bytes: AtomicU64,
    received_bytes: AtomicU64,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({})", self.base.display())
    }
}

/// The tables that this process has open through any connection: how often it has changed each.
static CHANGED: LazyLock<Mutex<HashMap<PathBuf, Weak<AtomicU64>>>> = LazyLock::new(Mutex::default);

impl Client {
    /// Connects to a server. `name` is what the connection's files are known by: its own address.
    ///
    /// Errors: `ConnectionLost` if the server cannot be reached; `NotPermitted` if it does not let the user in;
    /// `NotFound` if it has no such database.
    pub fn connect(name: &str, address: Address, user: &str, password: &str, application: &str) -> Result<Arc<Client>> {
        let hello = Hello {
            user: user.to_owned(),
            password: password.to_owned(),
            database: address.database.clone(),
            application: application.to_owned(),
        };
        Client::over(name, move || {
            let mut tcp = Tcp::connect(&address)?;
            tcp.log_in(&hello)?;
            Ok(Box::new(tcp))
        })
    }

    /// Connects over whatever `connect` gives, which is called again when that is lost.
    pub fn over(
        name: &str,
        connect: impl Fn() -> Result<Box<dyn Transport>> + Send + Sync + 'static,
    ) -> Result<Arc<Client>> {
        let first = connect()?;
        let name = name.trim_end_matches('/');
        // Paths beside a dictionary are relative to its folder.
        let is_dictionary = name.to_ascii_lowercase().ends_with(".add");
        let name = name.rsplit_once('/').filter(|_| is_dictionary).map_or(name, |(folder, _)| folder);
        Ok(Arc::new(Client {
            base: PathBuf::from(name),
            connect: Box::new(connect),
            transport: Mutex::new(Some(first)),
            epoch: AtomicU64::new(1),
            in_transaction: AtomicBool::new(false),
            is_loss_untold: AtomicBool::new(false),
            told_epoch: AtomicU64::new(0),
            round_trips: AtomicU64::new(0),
            sent_bytes: AtomicU64::new(0),
            received_bytes: AtomicU64::new(0),
        }))
    }

    /// The path of a file by its name at the server.
    pub fn path(&self, name: &Path) -> PathBuf {
        self.base.join(name)
    }

    /// The path that all others are below.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The name at the server of a file by its path here.
    pub fn name(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.base).unwrap_or(path).to_owned()
    }

    /// The traffic on the wire so far.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            round_trips: self.round_trips.load(SeqCst),
            sent_bytes: self.sent_bytes.load(SeqCst),
            received_bytes: self.received_bytes.load(SeqCst),
        }
    }

    /// Another number for each time the connection was made.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(SeqCst)
    }

    /// The number of changes that this process has made to the table of a path.
    pub(crate) fn changed(path: &Path) -> Arc<AtomicU64> {
        let mut all = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(path).and_then(Weak::upgrade) {
            return known;
        }
        all.retain(|_, counter| counter.strong_count() > 0);
        let new = Arc::new(AtomicU64::new(0));
        all.insert(path.to_owned(), Arc::downgrade(&new));
        new
    }

    /// Any table may have been changed: rows at hand are not used before the server was asked.
    pub(crate) fn changed_any() {
        let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
        changed.values().filter_map(Weak::upgrade).for_each(|counter| {
            counter.fetch_add(1, SeqCst);
        });
    }

    /// Returns true if the server is there; if it was not, tries to reach it again.
    pub fn is_alive(&self) -> bool {
        self.quietly(vec![Step::Find { names: Vec::new() }]).is_ok()
    }

    /// Returns true if the loss of the connection of this epoch, with its transaction and all its locks, was reported
    /// to the program.
    pub(crate) fn has_told_loss(&self, epoch: u64) -> bool {
        self.told_epoch.load(SeqCst) >= epoch
    }

    /// Carries out steps whose failure the program may never hear of: the loss of its transaction is reported by the
    /// next call then.
    fn quietly(&self, steps: Vec<Step>) -> Result<Reply> {
        let was_in_transaction = self.is_in_transaction();
        let done = self.steps(steps);
        if done.is_err() && was_in_transaction && !self.is_in_transaction() {
            self.is_loss_untold.store(true, SeqCst);
        }
        done
    }

    /// Makes the connection again if it is lost.
    fn ready<'t>(
        &self,
        transport: &'t mut MutexGuard<'_, Option<Box<dyn Transport>>>,
    ) -> Result<&'t mut Box<dyn Transport>> {
        let is_there = transport.as_mut().is_some_and(|transport| transport.is_alive());
        if !is_there {
            **transport = None;
            self.epoch.fetch_add(1, SeqCst);
            if self.in_transaction.swap(false, SeqCst) {
                self.is_loss_untold.store(true, SeqCst);
            }
        }
        if self.is_loss_untold.swap(false, SeqCst) {
            self.told_epoch.store(self.epoch().saturating_sub(1), SeqCst);
            return Err(lost(ROLLED_BACK));
        }
        if transport.is_none() {
            **transport = Some((self.connect)()?);
        }
        transport.as_mut().ok_or_else(|| lost("it was closed"))
    }

    /// Sends a request and waits for its answer. A request about a table that was opened through an earlier connection
    /// is not sent: `None`.
    ///
    /// A request that waits for a lock is sent again and again, from the step on that did not get it: between two
    /// attempts other threads use the connection, and the one that holds the lock can continue.
    pub(crate) fn ask(&self, epoch: u64, request: &Request, progress: Telling<'_>) -> Result<Option<Answer>> {
        let began = Instant::now();
        let Some(mut answer) = self.ask_once(epoch, request, progress)? else { return Ok(None) };
        while is_waiting(request, &answer) {
            let Some(error) = answer.error.take() else { break };
            if began.elapsed() >= LockWait::default().timeout {
                answer.error = Some(waited(error, began.elapsed()).with_code(Code::Busy));
                break;
            }
            std::thread::sleep(LET_IN);
            let steps = request.steps.get(answer.replies.len()..).unwrap_or_default().to_vec();
            match self.ask_once(epoch, &Request { steps, ..*request }, progress)? {
                Some(rest) => answer.follow(rest),
                None => return Err(lost("what was done of a request is lost with it")),
            }
        }
        Ok(Some(answer))
    }

    fn ask_once(&self, epoch: u64, request: &Request, progress: Telling<'_>) -> Result<Option<Answer>> {
        let mut guard = self.transport.lock().unwrap_or_else(PoisonError::into_inner);
        let transport = self.ready(&mut guard)?;
        if request.table != 0 && self.epoch() != epoch {
            return Ok(None);
        }
        let answer = self.exchange(&mut **transport, request, progress);
        match &answer {
            Ok(answer) => self.note_transaction(request, answer),
            Err(_) => {
                // The state of the stream is unknown.
                *guard = None;
                if self.in_transaction.swap(false, SeqCst) {
                    self.told_epoch.store(self.epoch(), SeqCst);
                    let was_committing = request.steps.contains(&Step::Commit);
                    return Err(lost(if was_committing { PERHAPS_COMMITTED } else { ROLLED_BACK }));
                }
            }
        }
        answer.map(Some)
    }

    /// Notes whether a transaction is under way behind an answer.
    fn note_transaction(&self, request: &Request, answer: &Answer) {
        for (step, _) in request.steps.iter().zip(&answer.replies) {
            match step {
                Step::Begin => self.in_transaction.store(true, SeqCst),
                Step::Commit | Step::RollBack => self.in_transaction.store(false, SeqCst),
                _ => {}
            }
        }
        let is_asking = request.steps.get(answer.replies.len()) == Some(&Step::RollBackTo(NO_SAVEPOINT));
        if is_asking && answer.error.as_ref().is_some_and(|error| error.code() == Code::TransactionState) {
            self.in_transaction.store(false, SeqCst);
        }
    }

    fn exchange(&self, transport: &mut dyn Transport, request: &Request, progress: Telling<'_>) -> Result<Answer> {
        let sent = transport.send(Kind::Request, &encode(request))?;
        self.sent_bytes.fetch_add(sent as u64, SeqCst);
        loop {
            let (frame, came) = transport.receive()?;
            self.received_bytes.fetch_add(came as u64, SeqCst);
            match frame.kind {
                Kind::Answer => {
                    self.round_trips.fetch_add(1, SeqCst);
                    return decode(&frame.body);
                }
                Kind::Progress => {
                    let Progress { done, all } = decode(&frame.body)?;
                    let sent = transport.send(Kind::Verdict, &[progress(done, all).is_continue().into()])?;
                    self.sent_bytes.fetch_add(sent as u64, SeqCst);
                }
                _ => return Err(malformed("a frame of another kind")),
            }
        }
    }

    /// Carries out steps that are about no table; the reply to the last.
    pub(crate) fn steps(&self, steps: Vec<Step>) -> Result<Reply> {
        let request = Request::new(0, steps);
        let answer = self.ask(self.epoch(), &request, &mut mainstay_workarea::untold)?;
        let answer = answer.ok_or_else(|| lost("it was made again"))?;
        match (answer.error, answer.replies.into_iter().last()) {
            (Some(error), _) => Err(error),
            (None, Some(reply)) => Ok(reply),
            (None, None) => Err(malformed("no reply")),
        }
    }

    /// The path of the first of some names that there is a file of.
    pub fn find(&self, names: &[PathBuf]) -> Result<Option<PathBuf>> {
        let names = names.iter().map(|name| self.name(name)).collect();
        match self.quietly(vec![Step::Find { names }])? {
            Reply::Found(found) => Ok(found.map(|name| self.path(&name))),
            _ => Err(malformed("another reply")),
        }
    }

    /// The names of the files in a folder.
    pub fn list(&self, folder: &Path) -> Result<Vec<String>> {
        match self.steps(vec![Step::List { folder: self.name(folder) }])? {
            Reply::Names(names) => Ok(names),
            _ => Err(malformed("another reply")),
        }
    }

    /// Removes a file.
    pub fn remove(&self, path: &Path) -> Result<()> {
        self.steps(vec![Step::Remove { path: self.name(path) }]).map(drop)
    }

    /// Removes a table with its memo and its structural index, as far as they are there.
    pub fn clear(&self, path: &Path) -> Result<()> {
        self.steps(vec![Step::Clear { path: self.name(path) }]).map(drop)
    }

    /// Makes a table in place of what has its name.
    pub fn create(&self, path: &Path, spec: &TableSpec) -> Result<()> {
        let path = self.name(path);
        let clear = Step::Clear { path: path.clone() };
        self.steps(vec![clear, Step::Create { path, spec: spec.clone() }]).map(drop)
    }

    /// The users that are connected to the server.
    pub fn people(&self) -> Result<Vec<Person>> {
        match self.steps(vec![Step::Users])? {
            Reply::People(people) => Ok(people),
            _ => Err(malformed("another reply")),
        }
    }

    /// The activity of the server. The paths are those of this side.
    pub fn activity(&self) -> Result<Activity> {
        match self.steps(vec![Step::Activity])? {
            Reply::Activity(mut activity) => {
                for table in activity.members.iter_mut().flat_map(|member| &mut member.tables) {
                    table.path = self.path(&table.path);
                    table.indexes.iter_mut().for_each(|index| *index = self.path(index));
                }
                Ok(activity)
            }
            _ => Err(malformed("another reply")),
        }
    }

    /// The user that has locked a record.
    pub fn lock_owner(&self, path: &Path, record: u32) -> Result<Option<Person>> {
        match self.steps(vec![Step::LockOwner { path: self.name(path), record }])? {
            Reply::Owner(owner) => Ok(owner),
            _ => Err(malformed("another reply")),
        }
    }

    /// Ends the connections of a user, or the one of this number.
    ///
    /// Errors: `NotPermitted`, `NotFound`.
    pub fn end_user(&self, user: &str, connection: u64) -> Result<()> {
        self.steps(vec![Step::EndUser { user: user.to_owned(), connection }]).map(drop)
    }

    /// Returns true if a transaction is under way, as far as is known.
    pub fn is_in_transaction(&self) -> bool {
        self.in_transaction.load(SeqCst)
    }

    /// Runs a statement. It may have changed any table: rows at hand are not used before the server was asked.
    pub fn execute(&self, sql: &str, parameters: &[Parameter]) -> Result<Outcome> {
        let step = Step::Execute { sql: sql.to_owned(), parameters: parameters.to_vec() };
        let answer = self.steps(vec![step]);
        Client::changed_any();
        match answer? {
            Reply::Outcome(outcome) => Ok(outcome),
            _ => Err(malformed("another reply")),
        }
    }

    /// The same for a cursor over the rows: if there are many they stay at the server.
    pub fn query(self: &Arc<Client>, sql: &str, parameters: &[Parameter]) -> Result<Executed> {
        let step = Step::Query { sql: sql.to_owned(), parameters: parameters.to_vec() };
        let answer = self.steps(vec![step]);
        Client::changed_any();
        match answer? {
            Reply::Outcome(outcome) => Ok(Executed::Done(outcome)),
            Reply::Cursor(mut cursor) => {
                let columns = std::mem::take(&mut cursor.columns);
                let area = RemoteArea::of_cursor(self, cursor)?;
                Ok(Executed::Table { columns, area: Box::new(area) })
            }
            _ => Err(malformed("another reply")),
        }
    }

    /// Returns true if the rows of a statement are records of a table, and how that is opened:
    /// [`RemoteArea::show_members`].
    pub fn live(&self, sql: &str, parameters: &[Parameter]) -> Result<Option<Shown>> {
        match self.steps(vec![Step::Live { sql: sql.to_owned(), parameters: parameters.to_vec() }])? {
            Reply::Live(shown) => Ok(shown),
            _ => Err(malformed("another reply")),
        }
    }

    /// Checks a statement and names its parameters.
    pub fn prepare(&self, sql: &str) -> Result<Vec<String>> {
        match self.steps(vec![Step::Prepare(sql.to_owned())])? {
            Reply::Names(names) => Ok(names),
            _ => Err(malformed("another reply")),
        }
    }

    /// Says of which form the tables are that statements make.
    pub fn set_table_type(&self, table_type: u32) -> Result<()> {
        self.steps(vec![Step::TableType(table_type)]).map(drop)
    }

    /// Lets queries see deleted records of DBF tables, or no longer.
    pub fn set_show_deleted(&self, shows: bool) -> Result<()> {
        self.steps(vec![Step::ShowDeleted(shows)]).map(drop)
    }

    /// Says how many seconds each statement may run from now on; 0 for ever.
    pub fn set_statement_timeout(&self, seconds: u32) -> Result<()> {
        self.steps(vec![Step::StatementTimeout(seconds)]).map(drop)
    }

    /// Makes a data dictionary.
    pub fn create_dictionary(&self, path: &Path, description: &str) -> Result<()> {
        let (path, description) = (self.name(path), description.to_owned());
        self.steps(vec![Step::CreateDictionary { path, description }]).map(drop)
    }

    /// Runs a call of the interface at the dictionary.
    pub fn call(&self, name: &str, arguments: Vec<Given>) -> Result<Called> {
        match self.steps(vec![Step::Call { name: name.to_owned(), arguments }])? {
            Reply::Called(called) => Ok(called),
            _ => Err(malformed("another reply")),
        }
    }

    /// The rows of a view of the dictionary.
    pub fn view(&self, name: &str) -> Result<Outcome> {
        match self.steps(vec![Step::RowsOfView(name.to_owned())])? {
            Reply::Outcome(outcome) => Ok(outcome),
            _ => Err(malformed("another reply")),
        }
    }

    /// Begins a transaction over all tables that are open through this connection.
    pub fn begin(&self) -> Result<()> {
        self.steps(vec![Step::Begin]).map(drop)
    }

    /// Ends it: all changes stay. Areas have to write pending changes before, and to be notified after.
    pub fn commit(&self) -> Result<()> {
        self.end(Step::Commit)
    }

    /// Ends it: everything is as it was.
    pub fn roll_back(&self) -> Result<()> {
        self.end(Step::RollBack)
    }

    /// Ends a transaction. If that fails, it may have ended all the same (a lock that could not be released
    /// afterwards): the server reports that when it is asked for a savepoint that does not exist.
    fn end(&self, step: Step) -> Result<()> {
        let ended = self.steps(vec![step]).map(drop);
        if ended.is_err() && self.is_in_transaction() {
            // The error is an answer, whatever it is; the first one is the one to report.
            let _ = self.steps(vec![Step::RollBackTo(NO_SAVEPOINT)]);
        }
        ended
    }

    /// A place to come back to.
    pub fn savepoint(&self) -> Result<u32> {
        match self.steps(vec![Step::Savepoint])? {
            Reply::Number(place) => u32::try_from(place).map_err(|_| malformed("a savepoint's number")),
            _ => Err(malformed("another reply")),
        }
    }

    /// Undoes all changes since; the transaction continues.
    pub fn roll_back_to(&self, place: u32) -> Result<()> {
        self.steps(vec![Step::RollBackTo(place)]).map(drop)
    }
}

/// An error of the last of many attempts, which says how long all of them have waited and not how long the last one has.
fn waited(error: Error, waited: Duration) -> Error {
    let Some((what, _)) = error.message().rsplit_once("; waited ") else { return error };
    let told = Error::new(error.code(), format!("{what}; waited {} ms", waited.as_millis()));
    let told = error.place().map_or(told.clone(), |place| told.at(place));
    error.hint_text().map_or(told.clone(), |hint| told.hint(hint))
}

/// Returns true if a step of a request waits for a lock, and may be asked again.
fn is_waiting(request: &Request, answer: &Answer) -> bool {
    let step = request.steps.get(answer.replies.len());
    answer.error.as_ref().is_some_and(|error| error.code() == Code::LockTimeout)
        && step.is_some_and(Step::may_be_asked_again)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let parsed =
            |text| Address::parse(text).map(|parsed| parsed.map(|a| (a.host, a.port, a.database, a.must_encrypt)));
        let is = |host: &str, port, database: &str, tls| (host.to_owned(), port, database.to_owned(), tls);
        assert_eq!(parsed("tcp://shop:1/a/b/").unwrap().unwrap(), is("shop", 1, "a/b", false));
        assert_eq!(parsed("tls://10.0.0.1").unwrap().unwrap(), is("10.0.0.1", PORT, "", true));
        assert_eq!(parsed("tcp://[::1]:70/x").unwrap().unwrap(), is("::1", 70, "x", false));
        assert_eq!(parsed("tcp://[::1]").unwrap().unwrap(), is("::1", PORT, "", false));
        assert!(parsed("tcp://").unwrap().is_err() && parsed("tcp://a:b").unwrap().is_err());
        assert!(parsed("/data/shop").is_none());
    }
}
