//! Connected users, and the tables and locks that they have.

use mainstay_data_dictionary::files;
use mainstay_xbase::lock::LockScheme;
use std::path::{Path, PathBuf};

/// A connected user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The number of the connection.
    pub connection: u64,
    /// The user.
    pub user: String,
    /// The program.
    pub application: String,
    /// The address.
    pub address: String,
}

/// By name: the user, or else the program, since there is no user name without a login.
impl std::fmt::Display for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = [&self.user, &self.application].into_iter().find(|name| !name.is_empty());
        write!(f, "{} at {}", name.map_or("a client", String::as_str), self.address)
    }
}

/// A table that a user has open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableUse {
    /// Its path.
    pub path: PathBuf,
    /// The locks that were asked for.
    pub scheme: Option<LockScheme>,
    /// Its index files.
    pub indexes: Vec<PathBuf>,
    /// The number of orders that they have.
    pub orders: u32,
    /// True if the whole table is locked.
    pub is_locked: bool,
    /// The records that are locked.
    pub records: Vec<u32>,
}

impl TableUse {
    /// Returns true if a name refers to the table: by its path, or the end of it, with or without its extension.
    pub fn is_named(&self, name: &str) -> bool {
        let is_it = |wanted: &Path| self.path.ends_with(wanted) || self.path.with_extension("").ends_with(wanted);
        is_it(&files::path_of(name))
    }

    /// Returns true if a record is locked, by itself or with its table.
    pub fn locks(&self, record: u32) -> bool {
        self.is_locked || self.records.contains(&record)
    }
}

/// A connected user, and the tables that he has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The user.
    pub person: Person,
    /// Each table once.
    pub tables: Vec<TableUse>,
}

/// The activity of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// For how long it has been served, in seconds.
    pub seconds: u64,
    /// The number of answered requests.
    pub requests: u64,
    /// The connected users.
    pub members: Vec<Member>,
}
