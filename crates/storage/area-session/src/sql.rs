//! Statements: the session that runs them, their input and output.
//!
//! A statement that begins or ends a transaction only requests it: the client then does it, and the owner of both the
//! tables and the statements does it for both, so that they are in one transaction.

use crate::rows::RowSource;
use mainstay_data_dictionary::Session;
use mainstay_data_dictionary::firing::Firing;
use mainstay_types::{Code, Error, Result, SqlType, Value};
use mainstay_workarea::WorkArea;
use mainstay_xbase::indexed::{IndexedTable, Transaction};
use std::path::Path;
use std::sync::Arc;

/// Runs SQL over the tables of a folder.
pub trait Sql: Send + Sync {
    /// Opens a folder. One session serves one connection; its transactions are those of the connection.
    ///
    /// Errors: those of opening the folder.
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn SqlSession>>;

    /// Opens the tables of a dictionary, which are in this folder unless the dictionary says otherwise. An engine that
    /// knows nothing of dictionaries would change records past their rules, and is not asked.
    ///
    /// Errors: those of opening the folder.
    fn open_dictionary(&self, dictionary: &Arc<Session>, folder: &Path) -> Result<Box<dyn SqlSession>> {
        let _ = folder;
        let message = "the engine of SQL does not know the rights and rules of data dictionaries";
        Err(Error::new(Code::Unsupported, message).at(dictionary.live.path().display()))
    }
}

/// A session of SQL: the statements of one connection.
pub trait SqlSession: Send {
    /// Runs one statement or a script. `parameters` are by position, or by name where one is given.
    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome>;

    /// The same for a cursor over the rows, which need not all be in memory. The source of rows is of
    /// the current state, as long as nothing is changed before its end.
    ///
    /// Errors: those of the statement; what goes wrong behind the first rows its source may say.
    fn query(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Executed> {
        self.execute(sql, parameters).map(Executed::Done)
    }

    /// Checks a statement without running it, and returns its parameters: their names, empty for those by position.
    fn prepare(&mut self, sql: &str) -> Result<Vec<String>>;

    /// Lets statements only read from now on.
    fn set_read_only(&mut self);

    /// Says of which form the tables are that a statement makes, as the client's interface numbers forms.
    fn set_table_type(&mut self, _table_type: u32) {}

    /// Lets queries see deleted records of DBF tables, or no longer. They see them to begin with.
    fn set_show_deleted(&mut self, _shows: bool) {}

    /// Says how many seconds each statement may run from now on, with all that follows from it; 0 for ever.
    fn set_timeout(&mut self, _seconds: u32) {}

    /// Takes a step of the connection's transaction, which its tables take, too. One that ends a transaction that there
    /// is not is done: it may be said again after the tables could not take it.
    ///
    /// Errors: those of the step.
    fn transaction(&mut self, _step: &TransactionStep) -> Result<()> {
        Ok(())
    }

    /// Has the files that statements change take part in the connection's transaction, which has just begun here, too.
    /// False where that cannot be: the session's changes are then committed by its own step, before the tables'.
    ///
    /// Errors: those of joining.
    fn join(&mut self, _transaction: &Transaction) -> Result<bool> {
        Ok(false)
    }

    /// Says how the rows of a statement are records of one table, which may then be changed in its cursor; nothing for a
    /// statement whose rows are its own.
    ///
    /// Errors: those of the statement.
    fn live(&mut self, _sql: &str, _parameters: &[Parameter]) -> Result<Option<Live>> {
        Ok(None)
    }

    /// The numbers of the records that [`Live::members`] finds, or of this one if it is among them.
    ///
    /// Errors: those of the query.
    fn members(&mut self, _query: &str, _record: Option<u32>) -> Result<Vec<u32>> {
        Ok(Vec::new())
    }

    /// Runs the triggers of a change that was made through a table's handle.
    ///
    /// Errors: those of the triggers, in the dialect's numbers and words.
    fn fire(&mut self, _firing: &Firing) -> Result<()> {
        Err(Error::new(Code::Unsupported, "the engine of SQL knows no triggers"))
    }

    /// Works with the tables that statements of the transaction have open, to end it.
    ///
    /// Errors: those of the work.
    fn with_tables(&mut self, work: &mut dyn FnMut(&mut [&mut IndexedTable]) -> Result<()>) -> Result<()> {
        work(&mut [])
    }
}

/// A statement whose rows are records of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// The table, as a program would open it.
    pub table: String,
    /// The query of the records, in the session's own dialect; none if every record is one.
    pub members: Option<String>,
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
    /// The field of an ADT table that it is, by the name of the field's type, with length and decimals: `CICharacter(30,0)`.
    pub field: Option<String>,
}

impl Column {
    /// A column that is not a field of an ADT table.
    pub fn new(name: &str, sql_type: SqlType) -> Column {
        Column { name: name.to_owned(), sql_type, field: None }
    }
}

/// The result of a statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The columns; none if the statement gives no rows.
    pub columns: Vec<Column>,
    /// The rows, a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// The number of changed rows.
    pub affected: u64,
    /// The requested step of the connection's transaction: a statement that says BEGIN, COMMIT and the like only asks
    /// for it.
    pub step: Option<TransactionStep>,
}

/// The result of a statement whose rows need not be there at once.
pub enum Executed {
    /// All of it.
    Done(Outcome),
    /// Rows, and nothing else.
    Rows(Box<dyn RowSource>),
    /// The same as a table: rows of a server.
    Table {
        /// The columns.
        columns: Vec<Column>,
        /// The rows.
        area: Box<dyn WorkArea>,
    },
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
    /// The changes after that savepoint are undone.
    RollBackTo(String),
}
