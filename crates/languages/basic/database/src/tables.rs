//! The store of a database for the tables of programs. A folder gets its `.mainstay` when a program creates a keyed file or begins a
//! transaction, and not because a program runs there.

use mainstay_basic_tables::{Store, TableStore};
use mainstay_engine::Database;
use mainstay_types::Result;
use std::sync::Arc;

/// The native tables of a database.
pub struct DatabaseTables(pub Database);

impl TableStore for DatabaseTables {
    fn existing(&self) -> Result<Arc<Store>> {
        self.0.existing_native_store()
    }

    fn created(&self) -> Result<Arc<Store>> {
        self.0.native_store()
    }
}
