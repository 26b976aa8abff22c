//! The interface to the SQL engine, which is not part of this crate.
//!
//! The crate implements tables, of a folder and of a server. A program around it (the engine) installs the rest once,
//! before the first connection; without it the calls concerned return "not supported", as any other call that is not
//! implemented.

use std::sync::{Arc, OnceLock};

pub use mainstay_area_session::{
    Column, Executed, Firing, Live, Outcome, Parameter, RowSource, Sql, SqlSession, TransactionStep as Step,
};

pub use crate::far_sql::Served;
pub use crate::served::ServedDictionaries;

static SQL: OnceLock<Arc<dyn Sql>> = OnceLock::new();

/// Installs what runs SQL; false if something was installed before.
pub fn install_sql(sql: Arc<dyn Sql>) -> bool {
    SQL.set(sql).is_ok()
}

/// The installed SQL engine, if there is one.
pub fn sql() -> Option<&'static Arc<dyn Sql>> {
    SQL.get()
}
