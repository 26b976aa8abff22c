//! A database as T-SQL's clients log in to it.

use crate::modules::Version;
use crate::session::Session;
use mainstay_engine::Database;
use mainstay_mssql::Message;
use mainstay_tds::{Backend, Client, Login};
use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering};

/// A database that sessions can be opened on. Cheap to clone: all clones are the same database.
#[derive(Clone)]
pub struct Instance {
    pub(crate) database: Database,
    pub(crate) version: Arc<Version>,
    /// What the database is called: the name of its folder.
    pub(crate) name: Arc<str>,
    processes: Arc<AtomicI16>,
}

/// The numbers of processes below belong to the server itself, as users of SQL Server expect.
const FIRST_PROCESS: i16 = 51;

impl Instance {
    /// An instance of this database, under the name that clients use for it.
    pub fn new(database: Database, name: &str) -> Instance {
        let processes = Arc::new(AtomicI16::new(FIRST_PROCESS));
        Instance { database, version: Arc::default(), name: name.into(), processes }
    }

    /// A session for a program that has the database in its own process.
    pub fn session(&self) -> Session {
        Session::new(self, "sa", "", "")
    }

    pub(crate) fn next_process(&self) -> i16 {
        let next = |number: i16| Some(if number == i16::MAX { FIRST_PROCESS } else { number + 1 });
        self.processes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or(FIRST_PROCESS)
    }
}

impl Backend for Instance {
    type Session = Session;

    fn log_in(&self, login: &Login, _: &Client) -> Result<Session, Message> {
        let mut session = Session::new(self, &login.user, &login.host, &login.application);
        let wanted = &login.database;
        let is_known = ["", "master", "tempdb"].iter().any(|name| wanted.eq_ignore_ascii_case(name));
        if !is_known && !wanted.eq_ignore_ascii_case(&self.name) {
            let text = format!("Cannot open database \"{wanted}\" requested by the login. The login failed.");
            return Err(Message::error(4060, text).severity(11));
        }
        if !wanted.is_empty() {
            session.use_database(wanted);
        }
        Ok(session)
    }
}
