//! Statements that clients run at a server: what the server is given to run them with, and what they answer.
//!
//! The crate knows no SQL. Whoever serves a folder may give its [`Service`](crate::server::Service) something that does;
//! then each client's session has one of [`Statements`], from its first statement on. Rows come all at once: the cursors
//! of the library are static.
//!
//! A statement that begins or ends a transaction only says so: the client then does it with its tables, and tells the
//! statements of it, so that both are in one.

use mainstay_base::{Code, Error, Result, SqlType, Value};
use std::path::Path;

/// Runs SQL over folders.
pub trait Sql: Send + Sync + std::fmt::Debug {
    /// What runs the statements of one client. The folder is the client's.
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn Statements>>;
}

/// The statements of one client.
pub trait Statements: Send {
    /// Runs one statement or a script. Parameters are by name, or by position where that is empty.
    fn execute(&mut self, sql: &str, parameters: &[(String, Value)]) -> Result<Outcome>;

    /// Checks a statement without running it, and names its parameters: empty for those by position.
    fn prepare(&mut self, sql: &str) -> Result<Vec<String>>;

    /// Says of which form the tables are that a statement makes, as the client's interface numbers forms.
    fn set_table_type(&mut self, table_type: u32);

    /// Takes a step of the client's transaction.
    fn transaction(&mut self, step: &TransactionStep) -> Result<()>;
}

/// What a statement gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The names and types of the columns; none if it gives no rows.
    pub columns: Vec<(String, SqlType)>,
    /// The rows, a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// How many rows it has changed.
    pub affected: u64,
    /// What the client's transaction is to do.
    pub step: Option<TransactionStep>,
}

/// A step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionStep {
    /// It begins.
    Begin,
    /// Its changes stay.
    Commit,
    /// Its changes are undone.
    RollBack,
    /// A place to come back to.
    Savepoint(String),
    /// What came after that place is undone.
    RollBackTo(String),
}

/// The error where nothing runs statements.
pub(crate) fn absent() -> Error {
    Error::new(Code::Unsupported, "the server runs no SQL for remote clients")
}
