//! The door to what this crate has not got: the SQL of a database.
//!
//! The crate knows tables, of a folder and of a server. A program around it (the engine) installs what else there is,
//! once, before the first connection; without it the calls concerned answer "not supported", as any other call that is
//! not done.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use mainstay_base::{Code, Error, Result, SqlType, Value};
use mainstay_xbase::indexed::{IndexedTable, Transaction};

use crate::dictionary::Session;
pub use crate::dictionary::firing::Firing;
pub use crate::far_sql::Served;

/// Runs SQL over the tables of a folder.
pub trait Sql: Send + Sync {
    /// Opens a folder. One session serves one connection; its transactions are those of the connection.
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn SqlSession>>;

    /// Opens the tables of a dictionary, which are in this folder unless the dictionary says otherwise. An engine that
    /// knows nothing of dictionaries would change records past their rules, and is not asked.
    fn open_dictionary(&self, dictionary: &Arc<Session>, folder: &Path) -> Result<Box<dyn SqlSession>> {
        let _ = folder;
        let message = "the engine of SQL does not know the rights and rules of data dictionaries";
        Err(Error::new(Code::Unsupported, message).at(dictionary.live.path().display()))
    }
}

/// A session of SQL.
pub trait SqlSession: Send {
    /// Runs one statement or a script. `parameters` are by position, or by name where one is given.
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome>;

    /// Checks a statement without running it, and says its parameters: their names, empty for those by position.
    fn prepare(&mut self, sql: &str) -> Result<Vec<String>>;

    /// Says of which form the tables are that a statement makes: ADS_CDX and its siblings.
    fn set_table_type(&mut self, _table_type: u32) {}

    /// Takes a step of the connection's transaction, which its tables take, too. One that ends a transaction that there
    /// is not is done: it may be said again after the tables could not take it.
    ///
    /// Errors: those of the step.
    fn transaction(&mut self, _step: &Step) -> Result<()> {
        Ok(())
    }

    /// Has the files that statements change take part in the connection's transaction, which has just begun here, too.
    /// False where that cannot be: the session's changes are then committed by its own step, before the tables'.
    ///
    /// Errors: those of joining.
    fn join(&mut self, _transaction: &Transaction) -> Result<bool> {
        Ok(false)
    }

    /// Runs the triggers of a change that was made through a table's handle.
    ///
    /// Errors: those of the triggers, in the dialect's numbers and words.
    fn fire(&mut self, _firing: &Firing) -> Result<()> {
        Err(Error::new(Code::Unsupported, "the engine of SQL knows no triggers"))
    }

    /// Works with the tables that statements of the transaction have open, for who ends it.
    ///
    /// Errors: those of the work.
    fn with_tables(&mut self, work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> Result<()>) -> Result<()> {
        work(&mut [])
    }
}

/// A step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
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
    /// What the connection's transaction is to do: a statement that says BEGIN, COMMIT and the like only asks for it.
    pub step: Option<Step>,
}

static SQL: OnceLock<Arc<dyn Sql>> = OnceLock::new();

/// Installs what runs SQL; false if something was installed before.
pub fn install_sql(sql: Arc<dyn Sql>) -> bool {
    SQL.set(sql).is_ok()
}

/// What runs SQL, if there is something.
pub fn sql() -> Option<&'static Arc<dyn Sql>> {
    SQL.get()
}
