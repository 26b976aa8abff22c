//! The interface to the SQL engine, which is not part of this crate.
//!
//! The crate implements tables, of a folder and of a server. A program around it (the engine) installs the rest once,
//! before the first connection; without it the calls concerned return "not supported", as any other call that is not
//! implemented.

use std::path::Path;
use std::sync::{Arc, OnceLock};

pub use mainstay_navigator::rows::RowSource;
pub use mainstay_navigator::sql::{
    Column, Executed, Firing, Live, Outcome, Parameter, SqlSession, TransactionStep as Step,
};
use mainstay_types::{Code, Error, Result};

use crate::dictionary::Session;
pub use crate::far_sql::Served;
pub use crate::served::ServedDictionaries;

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

static SQL: OnceLock<Arc<dyn Sql>> = OnceLock::new();

/// Installs what runs SQL; false if something was installed before.
pub fn install_sql(sql: Arc<dyn Sql>) -> bool {
    SQL.set(sql).is_ok()
}

/// The installed SQL engine, if there is one.
pub fn sql() -> Option<&'static Arc<dyn Sql>> {
    SQL.get()
}
