//! A source of sessions: a database under the name of its folder, and those that clients create.

use crate::databases::{Databases, Further, Home};
use crate::modules::Shared;
use crate::script::{ScriptError, run_script};
use crate::session::{InformixSession, session_of};
use mainstay_engine::{Database, Options};
use mainstay_session::{Backend, Failure, Login, Session};
use mainstay_vfs::FileSystem;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The databases of a server for Informix clients.
pub struct Informix {
    databases: Arc<Databases>,
}

impl Informix {
    /// Serves a database under this name, on a server of this name and version, which DBINFO reports.
    pub fn new(database: Database, name: &str, server: &str, version: &str) -> Informix {
        mainstay_informix_planner::register();
        Informix { databases: Arc::new(Databases::new(Shared::new(database), name, server, version)) }
    }

    /// The same, with a folder in which clients create further databases, which are opened with these options.
    pub fn with_databases(
        database: Database,
        (name, server, version): (&str, &str, &str),
        (files, folder): (Arc<dyn FileSystem>, PathBuf),
        options: Options,
    ) -> Informix {
        mainstay_informix_planner::register();
        let databases = Databases::new(Shared::new(database), name, server, version);
        Informix { databases: Arc::new(databases.with_further(Further { folder, files, options })) }
    }

    fn home(&self, login: &Login) -> Home {
        Home { databases: Arc::clone(&self.databases), login: login.clone() }
    }

    /// A session of the main database.
    fn of_main(&self, login: &Login) -> Result<InformixSession, Failure> {
        session_of(&self.home(login), self.databases.main().clone(), &self.databases.name)
    }
}

impl Informix {
    /// Runs scripts in one session of a user; their results go to `out`, files of LOAD and UNLOAD are relative to the folder.
    ///
    /// Errors: that of the first statement that fails.
    pub fn run_scripts(
        &self,
        user: &str,
        texts: &[String],
        (files, folder): (&dyn FileSystem, &Path),
        out: &mut dyn Write,
    ) -> Result<(), ScriptError> {
        let login = Login { user: user.to_owned(), ..Login::default() };
        let mut session = self.session(&login).map_err(|failure| ScriptError { line: 0, failure })?;
        texts.iter().try_for_each(|text| run_script(session.as_mut(), text, (files, folder), out))
    }
}

impl Informix {
    /// The definitions of a database, or of one of its tables, as a script of Informix SQL.
    ///
    /// Errors: -206 for a table that is not there; those of reading the catalog.
    pub fn schema(&self, user: &str, table: Option<&str>) -> Result<String, Failure> {
        let login = Login { user: user.to_owned(), ..Login::default() };
        let mut session = self.of_main(&login)?;
        session.refresh()?;
        let InformixSession { core, modules, .. } = &mut session;
        crate::schema::text(core, modules, table)
    }
}

impl Backend for Informix {
    fn session(&self, login: &Login) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(self.of_main(login)?))
    }
}
