//! The doors to what this crate has not got: the SQL of a database, and tables of a remote server.
//!
//! The crate knows tables of a folder. A program around it (the engine, or a network client) installs what else there
//! is, once, before the first connection; without it the calls concerned answer "not supported", as any other call that
//! is not done.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mainstay_base::{Result, SqlType, Value};
use mainstay_vfs::FileSystem;

use crate::dictionary::Session;

/// Runs SQL over the tables of a folder.
pub trait Sql: Send + Sync {
    /// Opens a folder. One session serves one connection; its transactions are those of the connection.
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn SqlSession>>;

    /// Opens the tables of a dictionary, which are in this folder unless the dictionary says otherwise. An engine that
    /// knows nothing of dictionaries sees the folder.
    fn open_dictionary(&self, dictionary: &Arc<Session>, folder: &Path) -> Result<Box<dyn SqlSession>> {
        self.open(folder, &dictionary.access.user)
    }
}

/// A session of SQL.
pub trait SqlSession: Send {
    /// Runs one statement or a script. `parameters` are by position, or by name where one is given.
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome>;

    /// Checks a statement without running it, and says its parameters: their names, empty for those by position.
    fn prepare(&mut self, sql: &str) -> Result<Vec<String>>;
}

/// A value for a parameter of a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, empty for one by position.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub sql_type: SqlType,
}

/// What a statement gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The columns; none if the statement gives no rows.
    pub columns: Vec<Column>,
    /// The rows, a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// How many rows it has changed.
    pub affected: u64,
}

/// Reaches servers.
pub trait Remote: Send + Sync {
    /// Connects to `tcp://host:port/database`: where the tables are seen through a file system of the server's.
    fn connect(&self, address: &str, user: &str, password: &str) -> Result<RemoteFolder>;
}

/// A folder on a server.
#[derive(Clone, Debug)]
pub struct RemoteFolder {
    /// Its files, with the locks of the server's other users.
    pub files: Arc<dyn FileSystem>,
    /// Where its tables are there.
    pub folder: PathBuf,
}

static SQL: OnceLock<Arc<dyn Sql>> = OnceLock::new();
static REMOTE: OnceLock<Arc<dyn Remote>> = OnceLock::new();

/// Installs what runs SQL; false if something was installed before.
pub fn install_sql(sql: Arc<dyn Sql>) -> bool {
    SQL.set(sql).is_ok()
}

/// Installs what reaches servers; false if something was installed before.
pub fn install_remote(remote: Arc<dyn Remote>) -> bool {
    REMOTE.set(remote).is_ok()
}

/// What runs SQL, if there is something.
pub fn sql() -> Option<&'static Arc<dyn Sql>> {
    SQL.get()
}

/// What reaches servers, if there is something.
pub fn remote() -> Option<&'static Arc<dyn Remote>> {
    REMOTE.get()
}
