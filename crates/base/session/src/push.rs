//! Sessions that send their results as they come: batches of many statements, with messages, counts, several results and
//! output parameters.
//!
//! ```text
//!   door                      Backend::log_in         Session            Sink (the door's)
//!   bytes -> requests  ---->  a session a client ---> batch, call ... ---> columns, rows, messages, ends -> bytes
//!                                                     Cancel (any thread)
//! ```
//!
//! A session answers through a [`Sink`], in the order in which the client is to see the results. The door decides how its
//! protocol marks them: which end is the last one, packets, versions. Where a door asks for one statement and reads its rows
//! at its own pace, the traits of the crate's root are the interface.
//!
//! **Types.** A column has the type that the language declares ([`Declared`]) and the engine's. Both sides resolve it once for
//! a result: a session keeps the columns of a statement with its plan, a door chooses the form of each column when the result
//! begins. A row is only values.

use crate::{Cancel, Declared, Kill};
use mainstay_types::{SqlType, Value, ValueRef};
use std::fmt;
use std::sync::Arc;

/// The source of a door's sessions.
pub trait Backend: Send + Sync + 'static {
    /// Its sessions.
    type Session: Session;

    /// Begins a session for a client whose user and password the door has checked. A message refuses it.
    fn log_in(&self, login: &Login, client: &Client) -> Result<Self::Session, Message>;
}

/// The login of a client: its names, and the settings that it asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Login {
    /// The user.
    pub user: String,
    /// The client's machine.
    pub host: String,
    /// The number of the client's process.
    pub process_id: u32,
    /// The program.
    pub application: String,
    /// The database; empty for the user's own.
    pub database: String,
    /// The language of messages and dates; empty for the server's.
    pub language: String,
    /// True if the client relies on the settings of the SQL standard, as ODBC's clients do.
    pub has_standard_settings: bool,
}

/// The properties of a client beside its login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The session's number: no other open session has it.
    pub session_id: u16,
    /// The client's address, without its port.
    pub address: String,
    /// True if everything is encrypted, not only the login.
    pub encrypted: bool,
    /// True if the user may only read.
    pub read_only: bool,
    /// The version of the protocol, as the protocol numbers its versions.
    pub protocol_version: u32,
}

/// One client's session. When it is dropped the client is gone: its open transaction is rolled back.
pub trait Session: Send {
    /// The database that it is in.
    fn database(&self) -> String;

    /// Runs a batch of statements, the text that announces a bulk load among them.
    fn batch(&mut self, text: &str, sink: &mut dyn Sink);

    /// Calls a routine.
    fn call(&mut self, call: &Call, sink: &mut dyn Sink);

    /// Begins, commits, rolls back or saves.
    fn transaction(&mut self, request: &TransactionRequest, sink: &mut dyn Sink);

    /// Takes the rows of the bulk load that the batch before has announced.
    fn bulk_insert(&mut self, columns: &[Column], rows: &mut dyn BulkRows, sink: &mut dyn Sink);

    /// Makes it as new, for its next user: settings, temporary tables, handles; its transaction too, unless that stays.
    fn reset(&mut self, keep_transaction: bool);

    /// The handle that cancels it from another thread. Called once, when it begins.
    fn cancel_handle(&self) -> Arc<dyn Cancel>;

    /// Sets the handle that ends its connection, for other sessions that kill it. Called once, when it begins.
    fn ends_by(&mut self, _connection: Arc<dyn Kill>) {}
}

/// The rows of a bulk load, as they come.
pub trait BulkRows {
    /// The next row, in the order of the columns; none at the end. A message ends the load: the client is lost, or sent
    /// something that is not a row; what was inserted of the load is to be rolled back.
    fn next_row(&mut self) -> Result<Option<&[Value]>, Message>;
}

/// The reason why an answer stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The client is gone.
    Lost,
    /// The client wants no more of it.
    Cancelled,
    /// A value does not fit its column: a fault of the session, to be sent as an error.
    Value(Message),
}

/// Takes an answer.
pub trait Sink {
    /// A result begins; rows follow.
    fn columns(&mut self, columns: &[Column]) -> Result<(), Stop>;

    /// Where the columns come from: the tables, each with the parts of its name, and of each column its table. Right after
    /// [`Sink::columns`], for rows that can be changed one by one; others need not know.
    fn sources(&mut self, _tables: &[Vec<String>], _columns: &[ColumnSource]) {}

    /// The rows are in the order of these columns, counted from 1. Right after [`Sink::columns`], or not at all.
    fn order(&mut self, columns: &[u16]);

    /// A row of the result that began last.
    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Stop>;

    /// A statement, or a routine, has ended.
    fn done(&mut self, done: Done);

    /// A message: an error, a warning, what a program prints.
    fn message(&mut self, message: &Message);

    /// The return status of a routine. Before its [`DoneKind::Procedure`].
    fn return_status(&mut self, status: i32);

    /// The value of an output parameter: `ordinal` is its place among the call's parameters, from 0; the column has its
    /// name and type.
    fn return_value(&mut self, ordinal: u16, column: &Column, value: ValueRef<'_>) -> Result<(), Stop>;

    /// The session's surroundings changed.
    fn environment(&mut self, change: &Environment);

    /// Sends what was said so far, without waiting for more.
    fn flush(&mut self);
}

/// A column of a result, of a bulk load, or of a table as a parameter; an output parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name; empty for one that has none.
    pub name: String,
    /// The language's type.
    pub declared: Declared,
    /// The engine's type.
    pub sql_type: SqlType,
    /// True if it can be NULL.
    pub is_nullable: bool,
    /// True if its values are numbers that the table gives.
    pub is_identity: bool,
    /// True if its values are computed.
    pub is_computed: bool,
    /// True if it is a table's own column, which can be changed if its table can.
    pub is_updatable: bool,
}

impl Column {
    /// A column of a name and type that can be NULL.
    pub fn new(name: impl Into<String>, declared: Declared, sql_type: SqlType) -> Column {
        Column {
            name: name.into(),
            declared,
            sql_type,
            is_nullable: true,
            is_identity: false,
            is_computed: false,
            is_updatable: false,
        }
    }
}

/// Where a column comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSource {
    /// The number of its table, from 1; 0 for a calculated column.
    pub table: u8,
    /// Its name in the table, if the result has another one.
    pub name: Option<String>,
    /// True if it is part of the table's key.
    pub key: bool,
    /// True if the query did not ask for it.
    pub hidden: bool,
}

/// One message: an error, a warning, or the output of a program. Severity 0 to 10 informs; 11 and above is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The number, in the language's list; 0 for the output of a program.
    pub number: i32,
    /// The severity, 0 to 25; from 20 on the connection ends.
    pub severity: u8,
    /// The state, which distinguishes causes of one number.
    pub state: u8,
    /// The sentence.
    pub text: String,
    /// The routine it comes from; none in a batch.
    pub procedure: Option<String>,
    /// The line of the routine or batch, from 1; 0 where there is none.
    pub line: u32,
}

impl Message {
    /// An error of a number, with severity 16 and state 1 and without a place.
    pub fn error(number: i32, text: impl Into<String>) -> Message {
        Message { number, severity: 16, state: 1, text: text.into(), procedure: None, line: 0 }
    }

    /// The same message with another severity.
    pub fn severity(mut self, severity: u8) -> Message {
        self.severity = severity;
        self
    }

    /// The same message with another state.
    pub fn state(mut self, state: u8) -> Message {
        self.state = state;
        self
    }

    /// Returns true if it is an error.
    pub fn is_error(&self) -> bool {
        self.severity > 10
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { number, severity, state, text, procedure, line } = self;
        write!(f, "Msg {number}, Level {severity}, State {state}, ")?;
        if let Some(procedure) = procedure {
            write!(f, "Procedure {procedure}, ")?;
        }
        write!(f, "Line {line}: {text}")
    }
}

impl std::error::Error for Message {}

/// The end of a statement or routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The end of what.
    pub kind: DoneKind,
    /// Which statement it was.
    pub command: Command,
    /// Rows that it gave or changed; none for statements without, and where the program asked for no counts. An end without
    /// it is sent all the same where a result ends.
    pub count: Option<u64>,
    /// True if it failed.
    pub error: bool,
}

/// The end of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneKind {
    /// A statement of a batch.
    Statement,
    /// A statement of a routine, or of a text that a call runs.
    InProcedure,
    /// A routine that a batch called. (The end of a call itself is written by the door.)
    Procedure,
}

/// The kind of a statement, for clients that distinguish results by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Command {
    /// None of the others.
    #[default]
    None,
    Select,
    SelectInto,
    Insert,
    Delete,
    Update,
    Merge,
    Truncate,
    BulkInsert,
    CreateTable,
    AlterTable,
    DropTable,
    CreateIndex,
    DropIndex,
    CreateView,
    DropView,
    CreateTrigger,
    CreateProcedure,
    DropProcedure,
    Execute,
    Set,
    BeginTransaction,
    Commit,
    Rollback,
}

/// A change of a session's surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// The new and the old database.
    Database {
        /// The database that the session is in now.
        new: String,
        /// The one that it was in.
        old: String,
    },
    /// The new and the old language.
    Language {
        /// The language now.
        new: String,
        /// The one before.
        old: String,
    },
    /// A transaction has begun, and has this number.
    TransactionBegun(u64),
    /// The transaction of this number was committed.
    TransactionCommitted(u64),
    /// The transaction of this number was rolled back.
    TransactionRolledBack(u64),
}

/// A call of a routine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The routine's name as the client wrote it, with its schema and brackets if it has them.
    pub procedure: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name; empty for one that is known by its place.
    pub name: String,
    /// True if the client wants its value back.
    pub output: bool,
    /// True if the routine's own default is to be used, and not the value.
    pub default: bool,
    /// Its type.
    pub declared: Declared,
    /// Its value.
    pub value: ParameterValue,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// A single one. One that has its own type is in the form of [`crate::typed_value`].
    Single(Value),
    /// A table.
    Table(TableValue),
}

/// A table as a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableValue {
    /// The schema of its type; empty if the client does not say.
    pub schema: String,
    /// The name of its type.
    pub name: String,
    /// Its columns, in the type's order; clients leave their names out.
    pub columns: Vec<Column>,
    /// True if a column has no values here, and takes its default in every row.
    pub defaulted: Vec<bool>,
    /// Its rows; NULL where a column takes its default.
    pub rows: Vec<Vec<Value>>,
}

/// The isolation level of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// As the session has it.
    Current,
    /// READ UNCOMMITTED.
    ReadUncommitted,
    /// READ COMMITTED.
    ReadCommitted,
    /// REPEATABLE READ.
    RepeatableRead,
    /// SERIALIZABLE.
    Serializable,
    /// SNAPSHOT.
    Snapshot,
}

/// The beginning of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    /// Its isolation.
    pub isolation: Isolation,
    /// Its name; empty for none.
    pub name: String,
}

/// A step of a transaction that a driver asks for without a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionRequest {
    /// Begins a transaction.
    Begin(Begin),
    /// Commits, and begins another one if asked to.
    Commit {
        /// The transaction to begin.
        then: Option<Begin>,
    },
    /// Rolls back, and begins another one if asked to.
    Rollback {
        /// A transaction's or savepoint's name; empty for everything.
        name: String,
        /// The transaction to begin.
        then: Option<Begin>,
    },
    /// Sets a savepoint.
    Save {
        /// Its name.
        name: String,
    },
}
