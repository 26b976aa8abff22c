//! Calls of the tables' interface that system procedures of SQL use: the procedures do the same as the calls.
//!
//! ```text
//!   EXECUTE PROCEDURE sp_CreateUser( .. )  --> of_dictionary: AdsDDCreateUser, with the rights of the session's user
//!   EXECUTE PROCEDURE sp_CreateIndex( .. ) --> create_index: AdsCreateIndex90 of a table that is opened for it
//!   EXECUTE PROCEDURE sp_mgGetAllTables()  --> activity: the source of what management calls report
//! ```

use crate::activity::Activity;
use mainstay_data_dictionary::Session;
use mainstay_data_dictionary::failure::Result;
use mainstay_vfs::FileSystem;
use std::path::Path;
use std::sync::Arc;

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// No address.
    Null,
    /// A number.
    Number(u64),
    /// A text, without its NUL.
    Text(Vec<u8>),
    /// Bytes, whose number is the argument behind.
    Bytes(Vec<u8>),
    /// A place for bytes, of which so many fit, and which the argument behind says.
    Room(u32),
    /// A place for a number, and the number that is in it.
    Place(u64),
}

/// The context in which a call finds its tables.
#[derive(Clone, Copy)]
pub enum On<'a> {
    /// A folder of a file system.
    Folder(&'a Arc<dyn FileSystem>, &'a Path),
    /// A dictionary, with the rights of its connected user.
    Dictionary(&'a Arc<Session>),
}

/// An index that is to be made, as AdsCreateIndex90 has it.
#[derive(Clone, Debug, Default)]
pub struct NewIndex {
    /// Its file; the structural one, or one of the table's name, without it.
    pub file: Option<String>,
    /// Its tag.
    pub tag: Option<String>,
    /// The key expression.
    pub expression: String,
    /// The condition that the listed records meet.
    pub condition: Option<String>,
    /// ADS_UNIQUE and its siblings.
    pub options: u32,
    /// The collation, if it is to have one.
    pub collation: Option<String>,
}

/// The calls.
pub trait Calls: Send + Sync {
    /// Makes a call about a dictionary, by its name: its arguments are those behind the connection's handle.
    ///
    /// Errors: those of the call; AE_NOT_IMPLEMENTED for one that is not done.
    fn of_dictionary(&self, session: &Arc<Session>, name: &str, arguments: Vec<Given>) -> Result<()>;

    /// Creates an index of a table of this type, which no other user may have open meanwhile.
    ///
    /// Errors: those of opening the table and of AdsCreateIndex90.
    fn create_index(&self, on: On<'_>, table: &str, table_type: u32, new: NewIndex) -> Result<()>;

    /// The tables that this process has open, with their locks.
    fn activity(&self) -> Activity;
}
