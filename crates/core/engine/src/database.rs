//! A database: one folder.

use crate::activity::{NativeLock, SessionInfo, SessionSource, Sessions, holder_names};
use crate::catalog::FolderCatalog;
use crate::describe::{self, TableInfo};
use crate::native::{Native, Place, STORE_FOLDER};
use crate::options::{FolderSettings, Options};
use crate::session::{Session, is_internal, settle_commits};
use crate::writable::WritableTable;
use mainstay_columnar::VectorCache;
use mainstay_planner::{Planner, Settings};
use mainstay_store::{Durability, Held, HeldLock, Store, StoreOptions, Wait};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, Enclosed, FileSystem, Memory};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path of a database that has no folder.
const IN_MEMORY: &str = ":memory:";

/// The folder that such a database has in memory.
const MEMORY_FOLDER: &str = "/memory";

/// An open database. Clones are the same database.
#[derive(Clone)]
pub struct Database {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) planner: Arc<Planner>,
    pub(crate) catalog: FolderCatalog,
    pub(crate) options: Options,
    /// The durability of commits, unless their session sets another.
    pub(crate) durability: Durability,
    /// See [`Database::backup_folder`].
    pub(crate) backup_folder: Option<PathBuf>,
    /// The sessions of all doors.
    pub(crate) sessions: Arc<Sessions>,
}

/// A session that is listed, until this is dropped.
pub struct Entered {
    shared: Arc<Shared>,
    number: u64,
}

impl Entered {
    /// Lists the session with the transaction and the locks of this one.
    pub fn follow(&self, session: &Session) {
        self.shared.sessions.follow(self.number, session.work());
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.shared.sessions.leave(self.number);
    }
}

impl Database {
    /// Opens a folder, or a single file as a database of one table.
    ///
    /// Errors: `NotFound`, `NotThisFormat` for a file that is no table, `InvalidSetting` for the folder's
    /// settings file. A table that cannot be read does not keep the others from being used, nor do native tables that
    /// cannot be used at all: [`Database::damage`].
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        Database::open_with(path, Options::default())
    }

    /// A database without a folder: native tables only, gone with the last session.
    pub fn in_memory() -> Result<Database> {
        Database::open_with(IN_MEMORY, Options::default())
    }

    /// The same, with options.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Database> {
        if path.as_ref() == Path::new(IN_MEMORY) {
            let (memory, folder) = (Memory::new(), Path::new(MEMORY_FOLDER));
            memory.create_folder(folder)?;
            return Database::open_on(Arc::new(memory), folder, options);
        }
        // Paths are absolute from here on: the tables outlive a change of the working folder.
        Database::open_on(Arc::new(Disk), &std::path::absolute(path.as_ref())?, options)
    }

    /// Opens a folder of any file system, for tests in which files fail and machines crash.
    ///
    /// Errors: as [`Database::open`].
    pub fn open_on(fs: Arc<dyn FileSystem>, path: &Path, options: Options) -> Result<Database> {
        let folder = if fs.is_folder(path) { path } else { path.parent().unwrap_or(path) };
        let FolderSettings { files, durability, backup_folder } = FolderSettings::read(fs.as_ref(), folder, &options)?;
        let limit = options.memory_limit_bytes();
        let settings = Settings {
            memory_limit_bytes: options.statement_bytes(),
            threads: options.threads(),
            fuse: !options.general_executor_only,
            disabled_rules: options.disabled_optimizer_rules.clone(),
        };
        let planner = Arc::new(Planner::new(&settings)?);
        let cache = VectorCache::new(limit / 4);
        let sessions = Arc::<Sessions>::default();
        let place = match fs.is_folder(path) && path != Path::new(MEMORY_FOLDER) && !options.files_only {
            true => {
                let memory_bytes = Some(options.row_bytes());
                let whole_bytes = options.native_whole_bytes.unwrap_or(StoreOptions::DEFAULT.whole_bytes);
                let stored = StoreOptions { durability, memory_bytes, whole_bytes, ..StoreOptions::default() };
                match options.salvage {
                    true => Place::salvage(Arc::clone(&fs), path, stored),
                    false => Place::below(Arc::clone(&fs), path, stored),
                }
            }
            false if fs.is_folder(path) => Place::memory(Arc::clone(&fs)),
            false => Place::of_file(Arc::clone(&fs)),
        };
        let native = Native::new(place, holder_names(&sessions));
        let catalog = FolderCatalog::open(fs, path, cache, files, Arc::clone(&planner), native)?;
        let database =
            Database { shared: Arc::new(Shared { planner, catalog, options, durability, backup_folder, sessions }) };
        settle_commits(&database)?;
        Ok(database)
    }

    /// A session with settings of its own.
    pub fn session(&self) -> Session {
        Session::new(self.clone())
    }

    /// Adds a table of a further storage, which statements of all sessions find by its name until the database is closed.
    ///
    /// Errors: `Duplicate`; `Unsupported` for a table that queries cannot read.
    pub fn add_table(&self, table: Arc<dyn WritableTable>) -> Result<()> {
        self.shared.catalog.add(table)
    }

    /// Bytes that running statements may hold together: half of the memory limit.
    pub fn statement_bytes(&self) -> usize {
        self.shared.options.statement_bytes()
    }

    /// The files that the database is made of.
    pub fn files(&self) -> &Arc<dyn FileSystem> {
        self.shared.catalog.file_system()
    }

    /// The folder, or the file, that it was opened with.
    pub fn path(&self) -> &Path {
        self.shared.catalog.path()
    }

    /// The whole content of a file, of the folder or elsewhere.
    ///
    /// Errors: those of the file system.
    pub fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        self.shared.catalog.file_system().read(path)
    }

    /// Writes all native tables, and nothing else, into one file, as they are now, while others go on. An earlier backup is
    /// replaced. [`backup::take`](crate::backup::take) writes everything that the folder is.
    ///
    /// Errors: `Unsupported` for a database in memory; `Duplicate` when the file is there and is no backup; those of the
    /// file system.
    pub fn backup(&self, file: &Path) -> Result<()> {
        self.shared.catalog.native.store().backup(&std::path::absolute(file)?)
    }

    /// Makes the native tables of a folder from such a file. The folder must not have any.
    ///
    /// Errors: `Damaged` for a file that is not as it was written; those of the file system.
    pub fn restore(file: &Path, folder: &Path) -> Result<()> {
        let store = std::path::absolute(folder)?.join(STORE_FOLDER);
        Store::restore(Arc::new(Disk), &std::path::absolute(file)?, &store)
    }

    /// The store of the native tables, for languages whose files are its tables. The first call creates the store if needed.
    ///
    /// Errors: `Busy` when another process has it open; those of the file system.
    pub fn native_store(&self) -> Result<Arc<Store>> {
        self.shared.catalog.native.make()?;
        Ok(Arc::clone(self.shared.catalog.native.store()))
    }

    /// The store of the native tables as it is: an empty one in memory where none was created.
    ///
    /// Errors: as [`Database::native_store`].
    pub fn existing_native_store(&self) -> Result<Arc<Store>> {
        self.shared.catalog.native.existing()
    }

    /// The durability of commits of sessions that set none.
    pub fn durability(&self) -> Durability {
        self.shared.durability
    }

    /// The folder outside of the database's own in which clients may make backups (`backup_folder` in the settings).
    pub fn backup_folder(&self) -> Option<&Path> {
        self.shared.backup_folder.as_deref()
    }

    /// The file system of a backup: that of the database, or the folder of backups, which links do not lead out of.
    ///
    /// Errors: `NotFound` where there is no such folder.
    pub fn files_of_backup(&self, file: &Path) -> Result<Arc<dyn FileSystem>> {
        match self.backup_folder().filter(|folder| file.starts_with(folder) && !file.starts_with(self.path())) {
            Some(folder) => Ok(Arc::new(Enclosed::new(Arc::new(Disk), folder)?)),
            None => Ok(Arc::clone(self.files())),
        }
    }

    /// Brings all native tables into their files, so that opening them reads no journal.
    ///
    /// Errors: those of the file system; nothing that was acknowledged is lost by one.
    pub fn checkpoint(&self) -> Result<()> {
        self.shared.catalog.native.store().checkpoint()
    }

    /// Why native tables cannot be used: all of them, or those of which files are damaged. With [`Options::salvage`] also
    /// what is missing in those that can be read. That another process has them is told to who asks for one.
    pub fn damage(&self) -> Vec<Error> {
        let native = &self.shared.catalog.native;
        native.failure().map_or_else(|| native.store().damage(), |failure| vec![failure])
    }

    /// Warnings about settings of tables that do not exist, which would otherwise be ignored without notice.
    pub fn setting_warnings(&self) -> Vec<Error> {
        let fs = self.shared.catalog.file_system();
        let path = self.path();
        let folder = if fs.is_folder(path) { path } else { return Vec::new() };
        // Settings that cannot be read were refused when the database was opened.
        let names = self.shared.catalog.file_names().unwrap_or_default();
        crate::options::unknown_tables(fs.as_ref(), folder, &names).unwrap_or_default()
    }

    /// Returns true if another process has the native tables of the folder open: they cannot be used here until it has
    /// ended.
    pub fn is_native_elsewhere(&self) -> bool {
        self.shared.catalog.native.is_elsewhere()
    }

    /// Lists a session, under a number of its own, until the guard is dropped.
    pub fn enter_session(&self, session: SessionInfo) -> Entered {
        Entered { shared: Arc::clone(&self.shared), number: self.shared.sessions.enter(session) }
    }

    /// Has the sessions listed that a door knows of.
    pub fn add_session_source(&self, source: SessionSource) {
        self.shared.sessions.add_source(source);
    }

    /// The sessions of all doors, with their locks of DBF tables and the numbers of their transactions.
    pub fn sessions(&self) -> Vec<SessionInfo> {
        self.shared.sessions.all()
    }

    /// The same with the locks of native tables: of rows no more than [`Database::held_locks`] lists.
    pub fn sessions_with_locks(&self) -> Vec<SessionInfo> {
        let held = self.held_locks();
        let mut sessions = self.sessions();
        for open in sessions.iter_mut().filter_map(|session| session.transaction.as_mut()) {
            let own = || held.iter().filter(|lock| lock.transaction == open.number && open.number != 0);
            let is_row = |lock: &HeldLock| matches!(lock.held, Held::Changed(_) | Held::Row(..));
            // A row says more than its table.
            let says_more = |lock: &&HeldLock| {
                lock.held != Held::Written || !own().any(|other| other.table == lock.table && is_row(other))
            };
            open.locks.extend(own().filter(says_more).map(NativeLock::from));
        }
        sessions
    }

    /// The transactions that wait for others now.
    pub fn waits(&self) -> Vec<Wait> {
        self.shared.catalog.native.store().waits()
    }

    /// The locks on native tables that open transactions hold.
    pub fn held_locks(&self) -> Vec<HeldLock> {
        self.shared.catalog.native.store().held_locks()
    }

    /// All the users' tables, by name. A table that cannot be read is listed with the reason among its notes.
    pub fn tables(&self) -> Result<Vec<TableInfo>> {
        let names = self.table_names()?;
        names.iter().filter_map(|name| describe::listed(&self.shared.catalog, name).transpose()).collect()
    }

    /// Their names alone, for which no file is read.
    pub fn table_names(&self) -> Result<Vec<String>> {
        let mut names = self.shared.catalog.table_names()?;
        names.retain(|name| !is_internal(name));
        Ok(names)
    }

    /// One table.
    pub fn describe(&self, name: &str) -> Result<TableInfo> {
        match describe::described(&self.shared.catalog, &name.to_lowercase())? {
            Some(info) => Ok(info),
            None => Err(Error::new(Code::UnknownTable, format!("no table \"{name}\"")).about(name)),
        }
    }
}
