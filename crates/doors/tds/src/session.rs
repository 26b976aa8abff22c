//! Traits that connect the listener of TDS to the sessions it serves.
//!
//! ```text
//!   door                      Backend::log_in         Session            Sink (the door's)
//!   bytes -> requests  ---->  a session a client ---> batch, call ... ---> columns, rows, messages, counts -> bytes
//!                                                     Cancel (any thread)
//! ```
//!
//! A session answers through a [`Sink`], in the order in which the client is to see the results. It does not know the
//! protocol: the door determines the last result, the marks in DONE, packets and versions.
//!
//! **Prepared statements and cursors** (`sp_prepare`, `sp_execute`, `sp_cursoropen` ...) arrive as ordinary calls.
//! Their handles are the session's: it returns them as output parameters ([`Sink::return_value`]), looks them up, and
//! drops them on [`Session::reset`].

use crate::column::Column;
use crate::login::Login;
use crate::rpc::Call;
use crate::source::ColumnSource;
use crate::transaction::TransactionRequest;
pub use mainstay_session::{Cancel, Kill};
use mainstay_tsql_types::Message;
use mainstay_types::{Value, ValueRef};
use std::sync::Arc;

/// The source of a door's sessions.
pub trait Backend: Send + Sync + 'static {
    /// Its sessions.
    type Session: Session;

    /// Begins a session for a client whose user and password the door has checked. A message refuses it: 4060 for a
    /// database that there is not, 18456 for a user that may not.
    fn log_in(&self, login: &Login, client: &Client) -> Result<Self::Session, Message>;
}

/// The properties of a client beside its login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The session's number, `@@SPID`: from 51 on, and no other open session's.
    pub session_id: u16,
    /// The client's address, without its port.
    pub address: String,
    /// True if everything is encrypted, not only the login.
    pub encrypted: bool,
    /// True if the user may only read.
    pub read_only: bool,
}

/// One client's session. When it is dropped the client is gone: its open transaction is rolled back.
pub trait Session: Send {
    /// The database that it is in.
    fn database(&self) -> String;

    /// Runs a batch of statements, the text of an `INSERT BULK` among them.
    fn batch(&mut self, text: &str, sink: &mut dyn Sink);

    /// Calls a procedure.
    fn call(&mut self, call: &Call, sink: &mut dyn Sink);

    /// Begins, commits, rolls back or saves.
    fn transaction(&mut self, request: &TransactionRequest, sink: &mut dyn Sink);

    /// Takes the rows of the `INSERT BULK` that was the batch before.
    fn bulk_insert(&mut self, columns: &[Column], rows: &mut dyn BulkRows, sink: &mut dyn Sink);

    /// Makes it as new, for its next user: settings, temporary tables, handles; its transaction too, unless that stays.
    fn reset(&mut self, keep_transaction: bool);

    /// The handle that cancels it from another thread. Called once, when it begins.
    fn cancel_handle(&self) -> Arc<dyn Cancel>;

    /// Sets the handle that ends its connection, for other sessions that KILL it. Called once, when it begins.
    fn ends_by(&mut self, _connection: Arc<dyn Kill>) {}
}

/// The rows of a bulk load, as they come.
pub trait BulkRows {
    /// The next row, in the order of the columns; none at the end. A message ends the load: the client is lost, or sent
    /// what is no row; what was inserted of the load is to be rolled back.
    fn next_row(&mut self) -> Result<Option<&[Value]>, Message>;
}

/// Why an answer stops.
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

    /// A statement, or a procedure, has ended.
    fn done(&mut self, done: Done);

    /// A message: an error, a warning, what PRINT says.
    fn message(&mut self, message: &Message);

    /// The return status of a procedure. Before its [`DoneKind::Procedure`].
    fn return_status(&mut self, status: i32);

    /// The value of an output parameter: `ordinal` is its place among the call's parameters, from 0; the column has its
    /// name and type.
    fn return_value(&mut self, ordinal: u16, column: &Column, value: ValueRef<'_>) -> Result<(), Stop>;

    /// The session's surroundings changed.
    fn environment(&mut self, change: &Environment);

    /// Sends what was said so far, without waiting for more: RAISERROR WITH NOWAIT.
    fn flush(&mut self);
}

/// The end of a statement or procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The end of what.
    pub kind: DoneKind,
    /// Which statement it was.
    pub command: Command,
    /// Rows that it gave or changed; none for statements without, and under SET NOCOUNT ON. An end without it is said all
    /// the same where a result ends.
    pub count: Option<u64>,
    /// True if it failed.
    pub error: bool,
}

/// The end of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneKind {
    /// A statement of a batch.
    Statement,
    /// A statement of a procedure, or of the text that sp_executesql and its like run.
    InProcedure,
    /// A procedure that a batch called with EXEC. (The end of a call itself is written by the door.)
    Procedure,
}

/// The number of a statement, for clients that tell results apart by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Command(pub u16);

#[allow(missing_docs, reason = "each is its own name")]
impl Command {
    pub const NONE: Command = Command(0);
    pub const SELECT: Command = Command(0xC1);
    pub const SELECT_INTO: Command = Command(0xC2);
    pub const INSERT: Command = Command(0xC3);
    pub const DELETE: Command = Command(0xC4);
    pub const UPDATE: Command = Command(0xC5);
    pub const CREATE_TABLE: Command = Command(0xC6);
    pub const DROP_TABLE: Command = Command(0xC7);
    pub const CREATE_INDEX: Command = Command(0xC8);
    pub const DROP_INDEX: Command = Command(0xC9);
    pub const CREATE_VIEW: Command = Command(0xCF);
    pub const DROP_VIEW: Command = Command(0xD0);
    pub const ROLLBACK: Command = Command(0xD2);
    pub const BEGIN_TRANSACTION: Command = Command(0xD4);
    pub const COMMIT: Command = Command(0xD5);
    pub const ALTER_TABLE: Command = Command(0xD8);
    pub const CREATE_TRIGGER: Command = Command(0xDD);
    pub const CREATE_PROCEDURE: Command = Command(0xDE);
    pub const DROP_PROCEDURE: Command = Command(0xDF);
    pub const EXECUTE: Command = Command(0xE0);
    pub const BULK_INSERT: Command = Command(0xF0);
    pub const SET: Command = Command(0xF9);
    pub const TRUNCATE: Command = Command(0x104);
    pub const MERGE: Command = Command(0x117);
}

/// A change of a session's surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// USE: the new and the old database. The door says message 5701 with it.
    Database {
        /// The database that the session is in now.
        new: String,
        /// The one that it was in.
        old: String,
    },
    /// SET LANGUAGE: the new and the old language. The door says message 5703 with it.
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
