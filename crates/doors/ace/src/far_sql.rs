//! SQL over the wire: a connection to a server has the statements of that server, and the SQL engine here may be
//! served.
//!
//! ```text
//!   AdsExecuteSQL --> Far (a client) ~~~> Service::serve_sql --> Served --> the engine's SqlSession
//! ```

use std::path::Path;
use std::sync::Arc;

use mainstay_navigator::client::Client;
use mainstay_navigator::sql::ServedSql;
use mainstay_types::Result;

use crate::backend::{Executed, Outcome, Parameter, Sql, SqlSession, Step};

/// The statements of a server. Settings for statements are sent to the server only when they have changed.
pub struct Far {
    server: Arc<Client>,
    table_type: Option<u32>,
    timeout: u32,
    /// True to begin with, as at the server.
    shows_deleted: bool,
}

impl Far {
    /// The statements of this server.
    pub fn new(server: Arc<Client>) -> Far {
        Far { server, table_type: None, timeout: 0, shows_deleted: true }
    }
}

impl SqlSession for Far {
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome> {
        self.server.execute(sql, parameters)
    }

    fn query(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Executed> {
        self.server.query(sql, parameters)
    }

    fn prepare(&mut self, sql: &str) -> Result<Vec<String>> {
        self.server.prepare(sql)
    }

    /// The server knows the rights of its users.
    fn set_read_only(&mut self) {}

    fn set_table_type(&mut self, table_type: u32) {
        // A failure is reported by the statement that follows.
        if self.table_type != Some(table_type) && self.server.set_table_type(table_type).is_ok() {
            self.table_type = Some(table_type);
        }
    }

    fn set_show_deleted(&mut self, shows: bool) {
        if self.shows_deleted != shows && self.server.set_show_deleted(shows).is_ok() {
            self.shows_deleted = shows;
        }
    }

    fn set_timeout(&mut self, seconds: u32) {
        if self.timeout != seconds && self.server.set_statement_timeout(seconds).is_ok() {
            self.timeout = seconds;
        }
    }

    /// The server has its statements take the steps that its tables take.
    fn transaction(&mut self, _: &Step) -> Result<()> {
        Ok(())
    }
}

/// Runs SQL for the clients of a server: to be given to `mainstay_navigator::server::Service::serve_sql`.
pub struct Served(pub Arc<dyn Sql>);

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Served")
    }
}

impl ServedSql for Served {
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn SqlSession>> {
        self.0.open(folder, user)
    }
}
