//! Management calls: what they are answered from.
//!
//! A connection for them is one to a server of Mainstay's, which says what goes on in it ([`Activity`]), or to a folder.
//! Folders have no server: the only one that there is then is this process, and what is said is true of it: the tables,
//! indexes and locks that it has open, the one user that it is, and how long it runs. What neither has (worker threads, a
//! licence) is zero or empty.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use mainstay_navigator::client::Client;
use mainstay_navigator::wire::messages::{Activity, Member, Person, TableUse};
use mainstay_xbase::lock::LockScheme;

use crate::constants::ADS_NTX;
use crate::failure::Result;
use crate::files;
use crate::registry::{self, Object};
use crate::table::Table;

/// A connection for management calls.
pub struct Server {
    /// That of a server; none for a folder.
    pub client: Option<Arc<Client>>,
}

static STARTED: OnceLock<Instant> = OnceLock::new();

/// Seconds since the library was first used.
pub fn seconds_up() -> u64 {
    STARTED.get_or_init(Instant::now).elapsed().as_secs()
}

/// Whoever runs this process, by what the environment says.
pub fn user_name() -> String {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default()
}

impl Server {
    /// What goes on.
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

/// How a table is used here; as good as not at all if it is closed meanwhile.
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

/// What goes on in this process.
pub fn here() -> Activity {
    let person = Person { connection: 0, user: user_name(), application: String::new(), address: "local".to_owned() };
    let tables = tables().iter().map(use_of).collect();
    Activity { seconds: seconds_up(), requests: 0, members: vec![Member { person, tables }] }
}

/// Whether a table is the one that a name means: by its path, or the end of it, with its extension or without.
pub fn is_named(table: &TableUse, name: Option<&str>) -> bool {
    let is_it = |wanted: &Path| table.path.ends_with(wanted) || table.path.with_extension("").ends_with(wanted);
    name.is_none_or(|name| is_it(&files::path_of(name)))
}
