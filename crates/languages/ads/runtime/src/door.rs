//! Implements the interface between work areas and SQL: the databases of the folders that are open in this process.

use crate::session::{Host, Session};
use crate::system_management::GoesOn;
use mainstay_area_session::{Calls, Sql, SqlSession};
use mainstay_engine::{Database, Options};
use mainstay_types::Result;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The databases of the folders that have connections. One is closed with the last session on it.
#[derive(Default)]
pub struct Engine {
    open: Mutex<HashMap<PathBuf, Weak<Database>>>,
    /// The database of a folder that is served, and that folder: no session leaves it.
    served: Option<(PathBuf, Arc<Database>)>,
    /// Reports the activity of the server.
    goes_on: OnceLock<GoesOn>,
    /// The calls of the tables' interface, for system procedures.
    calls: Option<Arc<dyn Calls>>,
}

/// The options for opening the folders of programs: any number of processes may share one, and have transactions in it.
pub fn options() -> Options {
    Options { files_only: true, ..Options::default() }
}

impl Engine {
    /// For the clients of a server: a database that others use, too, and databases of folders below its folder. No
    /// statement of a session names a file outside the session's folder.
    ///
    /// Errors: a folder that the system has no path for.
    pub fn serving(database: Database, folder: &Path) -> Result<Engine> {
        let served = Some((std::path::absolute(folder)?, Arc::new(database)));
        Ok(Engine { served, ..Engine::default() })
    }

    /// The same with the calls that system procedures make.
    pub fn with_calls(self, calls: Arc<dyn Calls>) -> Engine {
        Engine { calls: Some(calls), ..self }
    }

    fn host(&self) -> Host {
        Host { goes_on: self.goes_on.get().cloned(), calls: self.calls.clone() }
    }

    /// Sets the source of the server's activity, for the procedures that report it; false if it was set before.
    pub fn tell(&self, goes_on: GoesOn) -> bool {
        self.goes_on.set(goes_on).is_ok()
    }

    /// The database of a folder, under the path that it is known by: a dictionary's is another one than its folder's.
    fn database(&self, folder: &Path, known: &Path) -> Result<Arc<Database>> {
        let (folder, path) = (std::path::absolute(folder)?, std::path::absolute(known)?);
        if let Some((_, database)) = self.served.as_ref().filter(|(served, _)| *served == path) {
            return Ok(Arc::clone(database));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = open.get(&path).and_then(Weak::upgrade) {
            return Ok(database);
        }
        open.retain(|_, database| database.strong_count() > 0);
        // A server's files are those that it lets its clients have, in the folders below its own, too.
        let database = Arc::new(match &self.served {
            Some((_, served)) => Database::open_on(Arc::clone(served.files()), &folder, options())?,
            None => Database::open_with(&folder, options())?,
        });
        open.insert(path, Arc::downgrade(&database));
        Ok(database)
    }
}

impl Sql for Engine {
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn SqlSession>> {
        // A connection without a path works in the folder of the program.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut session = Session::new(self.database(folder, folder)?, folder, user);
        session.stay_in_folder(self.served.is_some());
        session.set_host(self.host());
        Ok(Box::new(session))
    }

    fn open_dictionary(
        &self,
        dictionary: &Arc<mainstay_data_dictionary::Session>,
        folder: &Path,
    ) -> Result<Box<dyn SqlSession>> {
        let database = self.database(folder, dictionary.live.path())?;
        let mut session = Session::of_dictionary(database, folder, Arc::clone(dictionary));
        session.stay_in_folder(self.served.is_some());
        session.set_host(self.host());
        Ok(Box::new(session))
    }
}
