//! Traits that connect a protocol listener to the sessions it serves.
//!
//! ```text
//!   door (socket, protocol)                      language (parser, types, errors)
//!     Backend::session(Login)       ----------->   a Session over the engine
//!     Session::prepare(text)        ----------->   Prepared: kind, columns, parameters
//!     Session::execute(id, values)  ----------->   Ran: rows that stream, or counts
//!     Cancel::cancel() from another thread
//! ```
//!
//! A door knows no language and a language no door: both know these traits, whose words belong to neither. Types are the
//! engine's; beside each stands the type that the language has declared, for doors whose protocol distinguishes more types.
//! An error has the number of its language, and the subject and place that a client's own message needs.
//!
//! This is the interface for doors that ask for one statement at a time and read its rows at their own pace. Sessions that send
//! the results of whole batches as they come are in [`push`].
//!
//! Everything here blocks: a connection has a thread. Rows own what they read, so that several cursors of one session may
//! be open while it runs other statements.

mod declared;
pub mod push;
pub mod typed_value;

pub use declared::{Arguments, Declared};

use mainstay_types::{SqlType, Value, ValueRef};
use std::fmt;
use std::sync::Arc;

/// A client that has proven its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Login {
    /// The name of the user.
    pub user: String,
    /// The program that the client names.
    pub application: String,
    /// The address that it connects from, without its port.
    pub address: String,
    /// The database that it asks for; empty for the one that the server has.
    pub database: String,
    /// Variables of the client's environment, by name.
    pub environment: Vec<(String, String)>,
    /// True for a read-only user.
    pub read_only: bool,
}

/// A source of sessions.
pub trait Backend: Send + Sync + 'static {
    /// Begins a session.
    ///
    /// Errors: those of the database, in the language's numbers.
    fn session(&self, login: &Login) -> Result<Box<dyn Session>, Failure>;
}

/// A column of a result, or a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; empty for a parameter.
    pub name: String,
    /// The engine's type.
    pub sql_type: SqlType,
    /// The language's type, where it is known.
    pub declared: Option<Declared>,
    /// True if it can be NULL.
    pub is_nullable: bool,
}

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum StatementKind {
    Query,
    /// A query whose cursor changes rows: the current row is the one that was read last, so rows are read one by one.
    QueryForUpdate,
    Insert,
    Update,
    Delete,
    Begin,
    Commit,
    Rollback,
    /// A call of a routine, which may give rows.
    Call,
    /// Definitions, settings and everything else without rows.
    Other,
}

/// A number by which a session finds a prepared statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementId(pub u64);

/// A prepared statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Its number.
    pub id: StatementId,
    /// Its kind.
    pub kind: StatementKind,
    /// The columns of its rows; of an INSERT those that its parameters fill.
    pub columns: Vec<Column>,
    /// Its parameters in order.
    pub parameters: Vec<Column>,
}

/// A routine with parameters that give values back, which a client calls by its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutineShape {
    /// Its parameters; true for those that give a value back.
    pub parameters: Vec<(Column, bool)>,
    /// The columns of the row that it returns; none for a routine that returns nothing.
    pub returns: Vec<Column>,
}

/// The values of a call of such a routine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Called {
    /// The values of the parameters that give one back, in order.
    pub outputs: Vec<Value>,
    /// The row that it returns; `None` for a routine that returned none.
    pub returned: Option<Vec<Value>>,
}

/// The result of a statement.
pub enum Ran {
    /// Rows.
    Rows(Box<dyn Rows>),
    /// No rows.
    Done(Done),
}

/// The result of a statement without rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Rows that it inserted, changed or deleted.
    pub rows: u64,
    /// The last number that it was given by a counter of the table.
    pub generated: Option<i64>,
    /// The statement was accepted and has no effect here, such as GRANT: clients are warned.
    pub has_no_effect: bool,
}

/// Rows as they come.
pub trait Rows: Send {
    /// The next row, or `None` behind the last one. After an error there are no more.
    ///
    /// Errors: those of the statement.
    fn next(&mut self) -> Result<Option<Vec<Value>>, Failure>;

    /// Lends the values of the next row to `take`, for a door that writes them to its client at once; false behind the last
    /// row.
    ///
    /// Errors: those of the statement, and that of `take`.
    fn lend_next(&mut self, take: &mut TakeRow<'_>) -> Result<bool, Failure> {
        let Some(values) = self.next()? else { return Ok(false) };
        let lent: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        take(&lent).map(|()| true)
    }
}

/// Receives the values of a row.
pub type TakeRow<'t> = dyn FnMut(&[ValueRef<'_>]) -> Result<(), Failure> + 't;

/// A step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionStep {
    /// Begins one.
    Begin,
    /// Commits it.
    Commit,
    /// Rolls it back.
    Rollback,
    /// Sets a savepoint.
    Savepoint(String),
    /// Forgets a savepoint.
    Release(String),
    /// Rolls back to a savepoint.
    RollbackTo(String),
}

/// One client's session. Dropping it rolls back what is open.
pub trait Session: Send {
    /// Changes to a database of the server.
    ///
    /// Errors: a database that is not there.
    fn use_database(&mut self, name: &str) -> Result<(), Failure>;

    /// The names of all databases.
    ///
    /// Errors: those of reading the folder.
    fn databases(&mut self) -> Result<Vec<String>, Failure>;

    /// The column of an INSERT's table that the table gives a number to, and its place in the table, from 1; `None` for a
    /// table without one and for other statements.
    fn generated_column(&mut self, _statement: StatementId) -> Option<(usize, Column)> {
        None
    }

    /// Prepares a statement.
    ///
    /// Errors: those of its text and of the names in it.
    fn prepare(&mut self, text: &str) -> Result<Prepared, Failure>;

    /// Executes a prepared statement.
    ///
    /// Errors: those of the statement, which is undone.
    fn execute(&mut self, id: StatementId, parameters: &[Value]) -> Result<Ran, Failure>;

    /// Takes the warning of the last statement, if it has one: the statement is done, and something beside it is not.
    fn take_warning(&mut self) -> Option<String> {
        None
    }

    /// The number of the routine that a statement calls, if its parameters give values back: such a statement is not
    /// executed, the routine is called by [`Session::call_routine`].
    fn routine_of(&mut self, _statement: StatementId) -> Option<u32> {
        None
    }

    /// The parameters of such a routine.
    ///
    /// Errors: a number that no routine has.
    fn routine(&mut self, number: u32) -> Result<RoutineShape, Failure> {
        Err(Failure { message: format!("no routine has the number {number}"), ..Failure::default() })
    }

    /// Calls such a routine with a value for each of its parameters.
    ///
    /// Errors: a number that no routine has; those of the routine, which is undone.
    fn call_routine(&mut self, number: u32, _values: &[Value]) -> Result<Called, Failure> {
        Err(Failure { message: format!("no routine has the number {number}"), ..Failure::default() })
    }

    /// Forgets a prepared statement.
    fn release(&mut self, id: StatementId);

    /// Begins, ends or divides a transaction.
    ///
    /// Errors: no transaction, or one already; those of writing.
    fn transaction(&mut self, step: &TransactionStep) -> Result<(), Failure>;

    /// True if a transaction is open.
    fn is_in_transaction(&self) -> bool;

    /// Sets a variable of the client's environment. A session that knows no such variable ignores it.
    fn set_variable(&mut self, _name: &str, _value: &str) {}

    /// Gives the cursor of a statement a name, by which other statements mean its current row.
    fn name_cursor(&mut self, _id: StatementId, _name: &str) {}

    /// Stops the running statement, from any thread.
    fn canceller(&self) -> Arc<dyn Cancel>;
}

/// Stops the running statement of a session.
pub trait Cancel: Send + Sync {
    /// Stops it; without one, nothing happens.
    fn cancel(&self);
}

/// Ends the connection of a session, for other sessions that kill it.
pub trait Kill: Send + Sync {
    /// Stops the running statement, if there is one, and ends the session.
    fn kill(&self);
}

/// An error in the numbers and words of a language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The number.
    pub number: i32,
    /// A second number with the cause behind it, or 0.
    pub detail: i32,
    /// The position of the error in the statement, in characters from 1; 0 for an error without a position.
    pub position: u32,
    /// The name that the client's own message is about.
    pub subject: String,
    /// The message for logs and for clients that show it.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.message)
    }
}

impl std::error::Error for Failure {}
