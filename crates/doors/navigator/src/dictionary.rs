//! Data dictionaries of a server: the login, and the rules of tables.
//!
//! The crate implements none. The server of a folder may give its [`Service`](crate::server::Service) an
//! implementation; a client whose database is a file `.add` then has a session of that dictionary, with the user and
//! the password that it has sent. All checks are made at the server:
//!
//! ```text
//!   log in            the right to connect                                    Dictionaries::open
//!   open a table      its file, the user's rights, its indexes and rules      find, bind
//!   rows              columns that may not be read are blank                  Hidden
//!   files             those of the dictionary are changed through it alone    may_replace
//!   AdsDD... calls    run at the server as they run here                      call
//! ```

use crate::sql::SqlSession;
pub use mainstay_area_session::Given;
pub use mainstay_data_dictionary::failure::{code_of, refused};
use mainstay_types::{Error, Result};
use mainstay_workarea::{Area, Mode};
use mainstay_xbase::indexed::Transaction;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Opens dictionaries.
pub trait Dictionaries: Send + Sync + std::fmt::Debug {
    /// Logs in to the dictionary of a file. No call of the session leads out of the folder `root`.
    ///
    /// Errors: as [`refused`] has them.
    fn open(&self, path: &Path, root: &Path, user: &str, password: &str) -> Result<Box<dyn Dictionary>>;

    /// Makes a dictionary.
    ///
    /// Errors: as [`refused`] has them.
    fn create(&self, path: &Path, root: &Path, description: &str) -> Result<()>;
}

/// A table that a dictionary has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name in the dictionary.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its type and that of its characters, as the client's interface numbers them.
    pub kinds: (u32, u32),
}

/// The columns of a table that the user may not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// The columns.
    pub columns: Vec<String>,
    /// True if conditions may use them all the same.
    pub in_conditions: bool,
}

/// A client's session of a dictionary.
pub trait Dictionary: Send {
    /// The user's name as the dictionary has it.
    fn user(&self) -> String;

    /// The session that runs the client's statements, with the rights of its user.
    fn sql(&self) -> Box<dyn SqlSession>;

    /// The table that the first of some names means which means one: a name in the dictionary, or a file's. `paths` are
    /// the files of the names.
    ///
    /// Errors: as [`refused`] has them, for a table that the user may not open so; [`a_view`] for the name of a view.
    fn find(&self, names: &[PathBuf], paths: &[PathBuf], mode: Mode) -> Result<Option<Found>>;

    /// Gives an open table its indexes and rules. Returns the columns that the user may not read.
    fn bind(&self, area: &mut Area, table: &str) -> Result<Hidden>;

    /// The rows of a view.
    fn view(&self, name: &str) -> Result<crate::sql::Outcome>;

    /// The fields that an expression names.
    fn fields_of(&self, area: &Area, expression: &str) -> Vec<usize>;

    /// Refuses to empty a table that others depend on.
    fn check_zap(&self, table: &str) -> Result<()>;

    /// Refuses to put something else in the place of a file that is the dictionary's.
    fn may_replace(&self, path: &Path) -> Result<()>;

    /// Runs a call of the interface.
    fn call(&mut self, name: &str, arguments: Vec<Given>) -> Called;

    /// Notes the tables' transaction that has begun, or `None` after its end.
    fn note_transaction(&self, transaction: Option<&Transaction>);

    /// Tables that take part in the transaction because others depend on them.
    fn helpers(&self) -> Arc<Mutex<Vec<Area>>>;

    /// An error of an area as the client is to see it: with the code of the rule that has refused something.
    fn refusal(&self, error: Error) -> Error;
}

/// The answer of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// Its code; 0 for success.
    pub code: u32,
    /// A detailed message.
    pub detail: String,
    /// The contents of the places after the call, in their order: the bytes that were written, or the number.
    pub places: Vec<Given>,
}

/// Says that a name is that of a view: its rows are to be asked for.
pub fn a_view() -> Error {
    refused(0, "the name is that of a view")
}
