//! A source of sessions: one database, under the name of its folder.

use crate::modules::Shared;
use crate::session::InformixSession;
use mainstay_engine::Database;
use mainstay_session::{Backend, Failure, Login, Session};

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
        let (name, server) = (name.to_lowercase(), server.to_lowercase());
        Informix { shared: Shared::new(database), name, server, version: version.to_owned() }
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
