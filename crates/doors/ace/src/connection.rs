//! A connection: a folder (or a server) that table names are relative to, and the state of its program.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mainstay_navigator::client::Client;
use mainstay_vfs::{Disk, FileSystem, Memory};
use mainstay_xbase::indexed::{self, IndexedTable};
use mainstay_xbase::lock::LockSharing;

use crate::backend::{self, SqlSession, Step};
use crate::constants::*;
use crate::dictionary::firing::{Fires, Firing};
use crate::dictionary::guard::Helpers;
use crate::dictionary::{Access, Live, Session};
use crate::failure::{Failure, Result};
use crate::far_sql::Far;
use crate::files;
use crate::remote;
use crate::settings;
use crate::transaction::{Savepoint, Transaction};
use crate::turn::Turn;

/// A transaction that is under way.
pub struct Running {
    /// The transaction.
    pub transaction: Transaction,
    /// The nesting depth of the transaction, this one included; only the outermost is a transaction of the tables.
    pub depth: u32,
    /// True if the files that SQL statements change are part of the transaction.
    pub is_joined: bool,
    /// Its savepoints, in the order in which they were made, each with the depth that it is of.
    pub savepoints: Vec<(String, Savepoint, u32)>,
}

/// A connection.
pub struct Connection {
    /// The files that it sees; none if its tables are those of a server.
    pub files: Arc<dyn FileSystem>,
    /// The server of its tables; none if they are here.
    pub server: Option<Arc<Client>>,
    /// The folder of its tables, or of the program if the connection has none.
    pub folder: PathBuf,
    /// The path that the program gave.
    pub name: String,
    /// The user that the program gave.
    pub user: String,
    /// ADS_LOCAL_SERVER or ADS_REMOTE_SERVER, as it came about.
    pub server_type: u32,
    /// True if it serves tables that are opened without a connection: its folder is the default one at each time.
    is_implicit: bool,
    /// The transaction that is under way, with its savepoints by name.
    transaction: Mutex<Option<Running>>,
    /// The mask of dates of this connection, if it has one of its own.
    date_format: Mutex<Option<String>>,
    /// The collation that it was given.
    pub collation: Mutex<Option<String>>,
    sql: Mutex<Option<Box<dyn SqlSession>>>,
    /// True if it is a connection to a dictionary of the server.
    pub is_far_dictionary: bool,
    /// The dictionary that it is a connection to.
    pub dictionary: Option<Arc<Session>>,
    /// True if programs may set the values of autoincrement fields.
    pub counts_freely: AtomicBool,
    /// Time limit in seconds of statements whose handle sets none; 0 for none.
    pub sql_timeout: AtomicU32,
    /// Tables that take part in its transaction because others depend on them.
    pub helpers: Helpers,
    /// The thread that may use the statements while triggers fire.
    turn: Turn,
    /// The locks that its handles and its statements have together.
    pub locks: LockSharing,
}

impl Connection {
    /// Connects to what a program names: a folder, a file in one, or `tcp://host:port/database`.
    pub fn open(name: &str, server_types: u32, user: &str, password: &str) -> Result<Connection> {
        if let Some(address) = remote::address_of(name, server_types == ADS_REMOTE_SERVER) {
            let server = remote::connect(&address, user, password)?;
            let (folder, nothing) = (server.base().to_path_buf(), Arc::new(Memory::default()));
            let connection = Connection::new(nothing, folder, name, user, ADS_REMOTE_SERVER);
            let is_far_dictionary = remote::is_dictionary(&address);
            return Ok(Connection { server: Some(server), is_far_dictionary, ..connection });
        }
        if server_types & (ADS_LOCAL_SERVER | ADS_REMOTE_SERVER | ADS_AIS_SERVER) == 0 && server_types != 0 {
            return Err(Failure::new(AE_INVALID_OPTION, format!("there is no server of type {server_types}")));
        }
        let path = files::path_of(name);
        let Some(found) = files::existing(&path) else {
            return Err(Failure::new(AE_NO_CONNECTION, format!("there is no folder {name}")));
        };
        if Disk.is_folder(&found) {
            return Ok(Connection::new(Arc::new(Disk), found, name, user, ADS_LOCAL_SERVER));
        }
        let extension = found.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        if extension.as_deref() == Some("add") {
            let files: Arc<dyn FileSystem> = Arc::new(Disk);
            let live = Live::open(Arc::clone(&files), &found)?;
            let access = Access::log_in(&live, user, password)?;
            return Ok(Connection::to_dictionary(Session::new(files, live, access, settings::date_form), name));
        }
        let folder = found.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Ok(Connection::new(Arc::new(Disk), folder, name, user, ADS_LOCAL_SERVER))
    }

    /// A connection to a dictionary, which is a file in the folder of its tables.
    pub fn to_dictionary(session: impl Into<Arc<Session>>, name: &str) -> Connection {
        let session = session.into();
        let (files, folder) = (Arc::clone(&session.files), session.folder().to_path_buf());
        let user = session.access.user.clone();
        let dictionary = Some(session);
        Connection { dictionary, ..Connection::new(files, folder, name, &user, ADS_LOCAL_SERVER) }
    }

    /// The connection of tables that are opened without one.
    pub fn implicit() -> Connection {
        Connection { is_implicit: true, ..Connection::new(Arc::new(Disk), PathBuf::new(), "", "", ADS_LOCAL_SERVER) }
    }

    /// Returns true if it serves tables that are opened without a connection.
    pub fn is_implicit(&self) -> bool {
        self.is_implicit
    }

    /// A folder in memory, for private tables.
    pub fn in_memory() -> Connection {
        Connection::new(Arc::new(Memory::default()), PathBuf::new(), "", "", ADS_LOCAL_SERVER)
    }

    /// A connection to a folder of a file system.
    pub fn of_folder(files: Arc<dyn FileSystem>, folder: &Path) -> Connection {
        Connection::new(files, folder.to_path_buf(), &folder.to_string_lossy(), "", ADS_LOCAL_SERVER)
    }

    /// A connection to no folder in particular of a file system.
    pub fn of_files(files: Arc<dyn FileSystem>) -> Connection {
        Connection::new(files, PathBuf::new(), "", "", ADS_LOCAL_SERVER)
    }

    fn new(files: Arc<dyn FileSystem>, folder: PathBuf, name: &str, user: &str, server_type: u32) -> Connection {
        Connection {
            files,
            server: None,
            folder,
            name: name.to_owned(),
            user: user.to_owned(),
            server_type,
            is_implicit: false,
            transaction: Mutex::new(None),
            date_format: Mutex::new(None),
            collation: Mutex::new(None),
            sql: Mutex::new(None),
            is_far_dictionary: false,
            dictionary: None,
            counts_freely: AtomicBool::new(false),
            sql_timeout: AtomicU32::new(ADS_DEFAULT_SQL_TIMEOUT),
            helpers: Helpers::default(),
            turn: Turn::default(),
            locks: LockSharing::default(),
        }
    }

    /// The existing file of a name: in the connection's folder, in the default folder, along the search path, and at last
    /// where the process is. A name with folders of its own is looked for from the connection's folder and from where the
    /// process is.
    pub fn find(&self, name: &str, extension: &str) -> Option<PathBuf> {
        if let Some(server) = &self.server {
            return server.find(&self.candidates(name, extension)).ok().flatten();
        }
        let asked = files::path_of(name);
        let has_folder = asked.parent().is_some_and(|folder| !folder.as_os_str().is_empty());
        let candidates = [asked.clone(), files::with_extension(asked, extension)];
        let mut folders = if self.is_implicit { Vec::new() } else { vec![self.folder.clone()] };
        if !has_folder {
            folders.push(default_folder());
            folders.extend(settings::search_folders());
        }
        folders.push(PathBuf::new());
        for folder in folders {
            for candidate in &candidates {
                let path = folder.join(candidate);
                if let Some(found) = files::existing(&path).filter(|path| !Disk.is_folder(path)) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The path for a new file of a name.
    pub fn place(&self, name: &str, extension: &str) -> PathBuf {
        if self.server.is_some() {
            return self.candidates(name, extension).pop().unwrap_or_default();
        }
        let folder = if self.is_implicit { default_folder() } else { self.folder.clone() };
        let path = files::with_extension(folder.join(files::path_of(name)), extension);
        files::in_existing_folder(&path)
    }

    /// The mask of dates.
    pub fn date_format(&self) -> String {
        let own = self.date_format.lock().unwrap_or_else(PoisonError::into_inner).clone();
        own.unwrap_or_else(settings::date_format)
    }

    /// Gives the connection a mask of its own.
    pub fn set_date_format(&self, format: String) {
        *self.date_format.lock().unwrap_or_else(PoisonError::into_inner) = Some(format);
    }

    /// The transaction that is under way. A transaction that a server has lost with the connection is discarded.
    pub fn transaction(&self) -> MutexGuard<'_, Option<Running>> {
        let mut running = self.transaction.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|running| running.transaction.is_lost()) {
            *running = None;
        }
        running
    }

    /// Returns true if a transaction is open.
    pub fn in_transaction(&self) -> bool {
        self.transaction_depth() > 0
    }

    /// The nesting depth of the transactions.
    pub fn transaction_depth(&self) -> u32 {
        self.transaction().as_ref().map_or(0, |running| running.depth)
    }

    /// The transaction that is under way.
    pub fn running(&self) -> Option<Transaction> {
        self.transaction().as_ref().map(|running| running.transaction.clone())
    }

    fn open_sql(&self) -> Result<Box<dyn SqlSession>> {
        if let Some(server) = &self.server {
            return Ok(Box::new(Far::new(Arc::clone(server))));
        }
        let missing = || Failure::new(AE_NOT_IMPLEMENTED, "this library has no SQL engine");
        let sql = backend::sql().ok_or_else(missing)?;
        Ok(match &self.dictionary {
            Some(dictionary) => sql.open_dictionary(dictionary, &self.folder)?,
            None => sql.open(&self.folder, &self.user)?,
        })
    }

    /// Works with the SQL session, which is opened when it is first needed.
    pub fn sql<T>(&self, work: impl FnOnce(&mut dyn SqlSession) -> Result<T>) -> Result<T> {
        self.turn.wait();
        let mut session = self.sql.lock().unwrap_or_else(PoisonError::into_inner);
        let session = match &mut *session {
            Some(session) => session,
            none => {
                let mut opened = self.open_sql()?;
                // One that is opened within a transaction joins it, and is not there if it cannot.
                if let Some(running) = self.running() {
                    opened.transaction(&Step::Begin)?;
                    let is_joined = join(opened.as_mut(), &running)?;
                    self.note_joined(is_joined);
                }
                none.insert(opened)
            }
        };
        work(session.as_mut())
    }

    /// Has the files that statements change take part in a transaction that has begun with [`Step::Begin`]; false if there
    /// are no statements, or they cannot.
    pub fn join(&self, transaction: &Transaction) -> Result<bool> {
        let mut session = self.sql.lock().unwrap_or_else(PoisonError::into_inner);
        session.as_mut().map_or(Ok(false), |session| join(session.as_mut(), transaction))
    }

    fn note_joined(&self, is_joined: bool) {
        if let Some(running) = self.transaction().as_mut() {
            running.is_joined = is_joined;
        }
    }

    /// Returns true if one commit ends the transaction for tables and statements.
    pub fn is_joined(&self) -> bool {
        self.transaction().as_ref().is_some_and(|running| running.is_joined)
    }

    /// Works with the tables that statements have open in the transaction.
    pub fn with_sql_tables(
        &self,
        work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>,
    ) -> mainstay_types::Result<()> {
        let mut session = self.sql.lock().unwrap_or_else(PoisonError::into_inner);
        match session.as_mut() {
            Some(session) => session.with_tables(work),
            None => work(&mut []),
        }
    }

    /// Waits while triggers of another thread's write fire.
    pub fn wait_turn(&self) {
        self.turn.wait();
    }

    /// Has the SQL session take a step of the transaction, if there is one.
    pub fn step(&self, step: &Step) -> Result<()> {
        let mut session = self.sql.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(session.as_mut().map_or(Ok(()), |session| session.transaction(step))?)
    }
}

impl Fires for Connection {
    fn begin(&self, transaction: &indexed::Transaction) -> Result<()> {
        if self.running().is_some() || !self.turn.take() {
            return Ok(());
        }
        let begun = self.sql(|session| {
            session.transaction(&Step::Begin)?;
            match session.join(transaction)? {
                true => Ok(()),
                false => Err(Failure::new(AE_NOT_IMPLEMENTED, "the engine of SQL shares no transactions with tables")),
            }
        });
        begun.inspect_err(|_| {
            // Nothing was done in it; the first error is the one to report.
            let _ = self.step(&Step::RollBack);
            self.turn.give_back();
        })
    }

    fn fire(&self, firing: &Firing) -> Result<()> {
        // The record is being written: what fires may not change it.
        let _alone = self.locks.pause();
        self.sql(|session| session.fire(firing).map_err(of_trigger))
    }

    fn end(&self, work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>) -> Result<()> {
        if !self.turn.is_own() {
            return Ok(work(&mut [])?);
        }
        let ended = self.with_sql_tables(work);
        // The session closes its tables in either case, whatever the outcome of the transaction.
        let stepped = self.step(&if ended.is_ok() { Step::Commit } else { Step::RollBack });
        self.turn.give_back();
        ended?;
        stepped
    }

    fn with_tables(&self, work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> mainstay_types::Result<()>) -> Result<()> {
        Ok(self.with_sql_tables(work)?)
    }
}

/// The failure of a trigger has the trigger's own error number, or that of its statement.
fn of_trigger(error: mainstay_types::Error) -> Failure {
    match error.dialect().and_then(|dialect| u32::try_from(dialect.number).ok()).filter(|number| *number > 0) {
        Some(number) => Failure::new(number, error.message()),
        None => error.into(),
    }
}

fn join(session: &mut dyn SqlSession, transaction: &Transaction) -> Result<bool> {
    match transaction {
        Transaction::Here(transaction) => Ok(session.join(transaction)?),
        Transaction::There(_) => Ok(false),
    }
}

/// The folder of files without a folder and a connection.
fn default_folder() -> PathBuf {
    files::path_of(&settings::read(|settings| settings.default_path.clone()))
}
