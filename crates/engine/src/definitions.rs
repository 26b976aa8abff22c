//! What exists in a database, as definitions: for languages that have a catalog of their own to show.

use crate::database::Database;
use crate::describe::{self, TableInfo};
use crate::session::Session;
use arrow_schema::Field;
use mainstay_base::Result;
use mainstay_store::definition::shown_field;
use std::sync::Arc;

pub use mainstay_store::files::catalog::{
    Catalog, CheckDefinition, ColumnDefinition, ForeignKeyDefinition, IndexColumn, IndexDefinition, KeyDefinition,
    ReferentialAction, SchemaDefinition, SequenceDefinition, TableDefinition, ViewDefinition,
};

/// The definitions that a session sees.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// What everybody has, with what the session's open transaction has changed.
    pub shared: Arc<Catalog>,
    /// The session's temporary tables, if it has any.
    pub temporary: Option<Arc<Catalog>>,
}

/// A column as statements see it: its metadata says what its dialect declared.
pub fn field_of(column: &ColumnDefinition) -> Field {
    shown_field(&column.name, column.sql_type, column.declared.as_deref(), !column.not_null)
}

impl Session {
    /// What exists for the session's next statement.
    pub fn definitions(&self) -> Definitions {
        self.scope().definitions()
    }
}

impl Database {
    /// The tables that are files of the folder, by name.
    ///
    /// Errors: those of looking at the folder.
    pub fn file_tables(&self) -> Result<Vec<TableInfo>> {
        let catalog = &self.shared.catalog;
        Ok(catalog.file_names()?.iter().filter_map(|name| describe::listed(catalog, name)).collect())
    }

    /// The names of these tables.
    ///
    /// Errors: those of looking at the folder.
    pub fn file_names(&self) -> Result<Vec<String>> {
        self.shared.catalog.file_names()
    }
}
