//! Folders that are open in this process.
//!
//! The native tables of a folder belong to one process at a time, and so to one [`Database`]: connections to the same folder
//! share it. It is closed with its last connection. A database in memory belongs to its connection.

use crate::dialects::Dialect;
use crate::dialects::ads::Ads;
use crate::dialects::core::Core;
use crate::dialects::informix::Informix;
use crate::dialects::tsql::Tsql;
use crate::failure::{Class, Fault};
use mainstay_ace::backend::SqlSession;
use mainstay_ace::procedures::LibraryCalls;
use mainstay_ads_runtime::Host;
use mainstay_engine::{Database, Options};
use mainstay_informix_runtime::Informix as InformixDatabase;
use mainstay_session::{Backend, Login};
use mainstay_tsql_runtime::Instance;
use mainstay_types::Error;
use mainstay_vfs::{Disk, FileSystem};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// The path of a database without a folder.
const IN_MEMORY: &str = ":memory:";

/// The user of sessions, and the server that sessions of Informix SQL are told.
const USER: &str = "mainstay";
const INFORMIX_VERSION: &str = "IBM Informix Dynamic Server Version 14.10.FC7W1DE";

/// Options of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub read_only: bool,
    pub memory_limit_bytes: Option<u64>,
    pub threads: Option<usize>,
    pub timeout: Option<Duration>,
    pub code_page: Option<String>,
}

/// An open folder.
pub(crate) struct Opened {
    pub database: Database,
    folder: PathBuf,
    memory_limit_bytes: Option<u64>,
    instance: OnceLock<Instance>,
    informix: OnceLock<InformixDatabase>,
}

/// Advantage SQL leaves native tables to others, so that any number of processes may share a folder.
type Key = (PathBuf, bool);

static OPEN: LazyLock<Mutex<HashMap<Key, Weak<Opened>>>> = LazyLock::new(Mutex::default);

impl Opened {
    /// Opens a folder, or finds it among the open ones.
    pub fn open(path: &Path, files_only: bool, settings: &Settings) -> Result<Arc<Opened>, Fault> {
        let options = Options {
            memory_limit_bytes: settings.memory_limit_bytes,
            threads: settings.threads,
            code_page: settings.code_page.clone(),
            files_only,
            ..Options::default()
        };
        if path == Path::new(IN_MEMORY) {
            return Opened::new(path, options).map(Arc::new);
        }
        let folder = Disk.real_path(path).map_err(|error| fault(&error))?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (folder.clone(), files_only);
        if let Some(opened) = open.get(&key).and_then(Weak::upgrade) {
            if settings.memory_limit_bytes.is_some() && settings.memory_limit_bytes != opened.memory_limit_bytes {
                let message = format!("{} is open in this process with another memory limit", folder.display());
                return Err(Fault::new(Class::Interface, message));
            }
            return Ok(opened);
        }
        open.retain(|_, opened| opened.strong_count() > 0);
        let opened = Arc::new(Opened::new(&folder, options)?);
        open.insert(key, Arc::downgrade(&opened));
        Ok(opened)
    }

    fn new(folder: &Path, options: Options) -> Result<Opened, Fault> {
        // Views and tables of a folder contain functions of these dialects, whatever language reads them, and keyed files of
        // Business BASIC have rules that changes through their views keep.
        mainstay_tsql_planner::register();
        mainstay_ads_planner::register();
        mainstay_informix_planner::register();
        // Records of keyed files follow the rules of their files when a statement changes fields of them.
        mainstay_basic_database::register();
        let memory_limit_bytes = options.memory_limit_bytes;
        let database = Database::open_with(folder, options).map_err(|error| fault(&error))?;
        let (instance, informix) = (OnceLock::new(), OnceLock::new());
        Ok(Opened { database, folder: folder.to_owned(), memory_limit_bytes, instance, informix })
    }

    /// The name of the database for languages that have one.
    fn name(&self) -> String {
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        name.filter(|_| self.folder != Path::new(IN_MEMORY)).unwrap_or_else(|| "mainstay".to_owned())
    }

    /// Bytes that the results of one statement may take where they are complete in memory.
    fn result_bytes(&self) -> usize {
        self.database.statement_bytes()
    }

    /// A session of a dialect, and the time limit that is still to be kept for it.
    pub fn session(
        self: &Arc<Opened>,
        dialect: &str,
        settings: &Settings,
    ) -> Result<(Box<dyn Dialect>, Option<Duration>), Fault> {
        match dialect {
            "core" => {
                let mut session = self.database.session();
                session.set_read_only(settings.read_only);
                session.set_timeout(settings.timeout);
                Ok((Box::new(Core::new(session)), None))
            }
            "tsql" => {
                let instance = self.instance.get_or_init(|| self.tsql());
                let mut session = instance.session();
                if settings.read_only {
                    session.set_read_only();
                }
                Ok((Box::new(Tsql::new(session, self.result_bytes())), settings.timeout))
            }
            "ads" => {
                let database = Arc::new(self.database.clone());
                let mut session = mainstay_ads_runtime::Session::new(database, &self.folder, USER);
                session.set_host(Host { calls: Some(Arc::new(LibraryCalls)), ..Host::default() });
                if settings.read_only {
                    session.set_read_only();
                }
                Ok((Box::new(Ads::new(session, self.result_bytes())), settings.timeout))
            }
            "informix" => {
                let informix = self.informix.get_or_init(|| {
                    InformixDatabase::new(self.database.clone(), &self.name(), "mainstay", INFORMIX_VERSION)
                });
                let login = Login { user: USER.to_owned(), read_only: settings.read_only, ..Login::default() };
                let session = informix.session(&login).map_err(|failure| Fault::of_informix(&failure, ""))?;
                Ok((Box::new(Informix::new(session)), settings.timeout))
            }
            other => {
                let message = format!("there is no dialect \"{other}\": use core, tsql, ads or informix");
                Err(Fault::new(Class::Interface, message))
            }
        }
    }

    fn tsql(&self) -> Instance {
        let instance = Instance::new(self.database.clone(), &self.name());
        match self.folder == Path::new(IN_MEMORY) {
            true => instance,
            // Files that do not compile are reported to the session that needs them.
            false => {
                instance.with_procedures(Arc::clone(self.database.files()), &self.folder, None, Box::new(|_: &str| {}))
            }
        }
    }
}

fn fault(error: &Error) -> Fault {
    Fault::of_core(error, "")
}
