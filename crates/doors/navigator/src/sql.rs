//! Statements of remote clients: the source of their sessions, and tables as clients see the rows of a query.
//!
//! The crate implements no SQL. The server of a folder may give its [`Service`](crate::server::Service) an
//! implementation; then each client has a session of it, from its first statement on. The rows of a query may come
//! piece by piece ([`SqlSession::query`]); they are written into a table outside of memory ([`crate::rows`]).

pub use mainstay_area_session::{Column, Executed, Live, Outcome, Parameter, RowSource, SqlSession, TransactionStep};
use mainstay_types::{Code, Error, Result};
use std::path::Path;

/// Runs SQL over the folders of a server.
pub trait ServedSql: Send + Sync + std::fmt::Debug {
    /// Opens the session of statements for one client. The folder is the client's.
    fn open(&self, folder: &Path, user: &str) -> Result<Box<dyn SqlSession>>;
}

/// A statement whose rows are records of a table, as a client of the server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The table, as a program would open it.
    pub table: String,
    /// The number by which a request makes the table show these records.
    pub members: u32,
}

/// The error where nothing runs statements.
pub(crate) fn absent() -> Error {
    Error::new(Code::Unsupported, "the server runs no SQL for remote clients")
}
