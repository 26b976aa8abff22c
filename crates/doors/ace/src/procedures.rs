//! The calls of this library that system procedures of SQL use: the procedures do the same as the calls.
//!
//! ```text
//!   EXECUTE PROCEDURE sp_CreateUser( .. )  --> call: AdsDDCreateUser with a connection of its own to the same dictionary
//!   EXECUTE PROCEDURE sp_CreateIndex( .. ) --> create_index: AdsCreateIndex90 of a table that is opened for it
//!   EXECUTE PROCEDURE sp_mgGetAllTables()  --> activity: what management calls about this process are answered from
//! ```
//! The calls check rights: they know the user of the session.

use std::path::Path;
use std::sync::Arc;

use mainstay_vfs::FileSystem;

use crate::border::{Handle, Held, Out, Taken, Text};
use crate::calls::{indexes, tables};
use crate::connection::Connection;
use crate::constants::*;
use crate::dictionary::Session;
use crate::entries::run_of_dictionary;
use crate::failure::{Failure, Result};
use crate::registry::{self, Object};

pub use crate::management::{here as activity, is_named};
pub use mainstay_navigator::dictionary::Given;
pub use mainstay_navigator::wire::messages::{Activity, Member, TableUse};

/// The context in which a call finds its tables.
#[derive(Clone, Copy)]
pub enum On<'a> {
    /// A folder of a file system.
    Folder(&'a Arc<dyn FileSystem>, &'a Path),
    /// A dictionary, with the rights of its connected user.
    Dictionary(&'a Arc<Session>),
}

/// A connection that is there while something is done with it.
struct Connected(Handle);

impl Connected {
    fn new(on: On<'_>) -> Result<Connected> {
        let connection = match on {
            On::Folder(files, folder) => Connection::of_folder(Arc::clone(files), folder),
            On::Dictionary(session) => {
                Connection::to_dictionary(Arc::clone(session), &session.live.path().to_string_lossy())
            }
        };
        registry::add(Object::Connection(Arc::new(connection))).map(Connected)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        registry::remove(self.0);
    }
}

/// Makes a call about a dictionary, by its name: its arguments are those behind the connection's handle.
///
/// Errors: those of the call; AE_NOT_IMPLEMENTED for one that is not done.
pub fn call(session: &Arc<Session>, name: &str, arguments: Vec<Given>) -> Result<()> {
    let connected = Connected::new(On::Dictionary(session))?;
    let mut all = vec![Given::Number(connected.0.0 as u64)];
    all.extend(arguments);
    let done = run_of_dictionary(name, &mut Held::new(all));
    done.unwrap_or_else(|| Err(Failure::new(AE_NOT_IMPLEMENTED, format!("{name} is not supported"))))
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

/// Creates an index of a table of this type, which no other user may have open meanwhile.
///
/// Errors: those of opening the table and of AdsCreateIndex90.
pub fn create_index(on: On<'_>, table: &str, table_type: u32, new: NewIndex) -> Result<()> {
    let connected = Connected::new(on)?;
    let wanted = tables::Wanted {
        alias: None,
        table_type: u16::try_from(table_type).unwrap_or(0),
        char_type: 0,
        lock_type: 0,
        options: ADS_EXCLUSIVE,
        statement: None,
    };
    let opened = tables::open_named(connected.0, table.to_owned(), &wanted)?;
    let text = |text: Option<String>| text.map_or(Given::Null, |text| Given::Text(text.into_bytes()));
    let NewIndex { file, tag, expression, condition, options, collation } = new;
    let texts = [file, tag, Some(expression), condition, None, collation].map(text);
    let mut held = Held::new(texts.into_iter().chain([Given::Place(0)]).collect());
    let made = (|| {
        let mut next = || Text::take(&mut held);
        let (file, tag, expression, condition, none, collation) =
            (next()?, next()?, next()?, next()?, next()?, next()?);
        let index: Out<Handle> = Out::take(&mut held)?;
        indexes::create_90(opened, file, tag, expression, condition, none, options, 0, collation, index)
    })();
    made.and(registry::table(opened)?.close())
}
