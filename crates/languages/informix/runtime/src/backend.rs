//! A source of sessions: one database, under the name of its folder.

use crate::modules::Shared;
use crate::script::{ScriptError, run_script};
use crate::session::InformixSession;
use mainstay_engine::Database;
use mainstay_session::{Backend, Failure, Login, Session};
use mainstay_vfs::FileSystem;
use std::io::Write;
use std::path::Path;

/// The database of a server for Informix clients.
pub struct Informix {
    shared: Shared,
    name: String,
    server: String,
    version: String,
}

impl Informix {
    /// Serves a database under this name, on a server of this name and version, which DBINFO reports.
    pub fn new(database: Database, name: &str, server: &str, version: &str) -> Informix {
        mainstay_informix_planner::register();
        let (name, server) = (name.to_lowercase(), server.to_lowercase());
        Informix { shared: Shared::new(database), name, server, version: version.to_owned() }
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
        let (name, server, version) = (self.name.clone(), self.server.clone(), self.version.clone());
        let mut session = InformixSession::new(self.shared.clone(), &login, name, server, version)?;
        session.refresh()?;
        let InformixSession { core, modules, .. } = &mut session;
        crate::schema::text(core, modules, table)
    }
}

impl Backend for Informix {
    fn session(&self, login: &Login) -> Result<Box<dyn Session>, Failure> {
        let session = InformixSession::new(
            self.shared.clone(),
            login,
            self.name.clone(),
            self.server.clone(),
            self.version.clone(),
        );
        Ok(Box::new(session?))
    }
}
