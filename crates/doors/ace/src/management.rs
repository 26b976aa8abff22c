//! Management calls: the source of their answers.
//!
//! A management connection leads to a Mainstay server, which reports its activity ([`Activity`]), or to a folder. A
//! folder has no server, so this process takes its place: the tables, indexes and locks that it has open, its user, and
//! its uptime. Values that neither has (worker threads, a licence) are zero or empty.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use mainstay_area_session::{Activity, Member, Person, TableUse};
use mainstay_navigator::client::Client;
use mainstay_xbase::lock::LockScheme;

use crate::constants::ADS_NTX;
use crate::failure::Result;
use crate::registry::{self, Object};
use crate::table::Table;

/// A connection for management calls.
pub struct Server {
    /// The client of a server; `None` for a folder.
    pub client: Option<Arc<Client>>,
}

static STARTED: OnceLock<Instant> = OnceLock::new();

/// Seconds since the library was first used.
pub fn seconds_up() -> u64 {
    STARTED.get_or_init(Instant::now).elapsed().as_secs()
}

/// The user that runs this process, from the environment.
pub fn user_name() -> String {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default()
}

impl Server {
    /// The activity of the server or of this process.
    pub fn activity(&self) -> Result<Activity> {
        match &self.client {
            Some(client) => Ok(client.activity()?),
            None => Ok(here()),
        }
    }
}

/// The tables of this process, in the order of their handles.
fn tables() -> Vec<Arc<Table>> {
    let mut tables = registry::all(|_, object| match object {
        Object::Table(table) => Some(Arc::clone(table)),
        _ => None,
    });
    tables.sort_by_key(|table| table.handle().0);
    tables
}

/// The use of a table in this process; empty if the table is closed meanwhile.
fn use_of(table: &Arc<Table>) -> TableUse {
    let scheme = if table.table_type == ADS_NTX { LockScheme::Clipper } else { LockScheme::FoxPro };
    let known = TableUse { path: table.path.clone(), scheme: Some(scheme), ..TableUse::default() };
    let seen = table.without_relation(|state| {
        Ok(TableUse {
            indexes: state.area.index_files(),
            orders: u32::try_from(state.orders.len()).unwrap_or(0),
            is_locked: state.area.is_table_locked(),
            records: state.area.locked_records(),
            ..known.clone()
        })
    });
    seen.unwrap_or(known)
}

/// The activity of this process.
pub fn here() -> Activity {
    let person = Person { connection: 0, user: user_name(), application: String::new(), address: "local".to_owned() };
    let tables = tables().iter().map(use_of).collect();
    Activity { seconds: seconds_up(), requests: 0, members: vec![Member { person, tables }] }
}

/// Returns true if a name refers to a table, or if there is no name.
pub fn is_named(table: &TableUse, name: Option<&str>) -> bool {
    name.is_none_or(|name| table.is_named(name))
}
