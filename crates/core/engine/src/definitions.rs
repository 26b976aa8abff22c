//! The objects of a database as definitions, for languages that have their own catalog views.

use crate::database::Database;
use crate::describe::{self, TableInfo};
use crate::native::are_alike;
use crate::session::{ChangeableColumn, Session};
use mainstay_planner::Name;
use mainstay_store::definition::ROW_ID;
use mainstay_types::{Code, Result};

pub use crate::native::{VisibleDefinitions as Definitions, field_of};
pub use mainstay_store::files::catalog::{
    Catalog, CheckDefinition, ColumnDefinition, FilterDefinition, FilterKind, ForeignKeyDefinition, IndexColumn,
    IndexDefinition, KeyDefinition, ReferentialAction, SchemaDefinition, SequenceDefinition, TableDefinition,
    ViewDefinition,
};

impl Session {
    /// The definitions that the session's next statement sees.
    pub fn definitions(&self) -> Definitions {
        self.scope().definitions()
    }

    /// The definition of a native table, temporary ones of this session included, by its name in lower case.
    pub fn table_definition(&self, key: &str) -> Option<TableDefinition> {
        self.scope().definition(key).cloned()
    }

    /// Returns true if a native table of this name is there and differs in nothing but its numbers from one that was
    /// defined so: what was made for that one holds for it.
    pub fn has_table_like(&self, key: &str, definition: &TableDefinition) -> bool {
        self.scope().definition(key).is_some_and(|now| are_alike(now, definition))
    }

    /// The columns of a table that statements can change: a native one, temporary ones of this session included, or a DBF.
    /// `None` when there is no such table, and for a view with columns of types that no table has.
    ///
    /// Errors: those of reading the catalog, and why native tables cannot be used: there may be one of this name among them.
    pub fn changeable_columns(&self, table: &str) -> Result<Option<Vec<ChangeableColumn>>> {
        let name = Name::new(&table.to_lowercase());
        match self.writable(&name).and_then(|table| table.columns(self)) {
            Ok(columns) => Ok(Some(columns)),
            Err(error) if matches!(error.code(), Code::UnknownTable | Code::ReadOnly | Code::Unsupported) => {
                self.native().failure().map_or(Ok(None), Err)
            }
            Err(error) => Err(error),
        }
    }

    /// The hidden column by which statements find a row of a table again.
    pub fn row_number_column(&self, table: &str) -> &'static str {
        self.writable(&Name::new(table)).map_or(ROW_ID, |table| table.row_number_column())
    }
}

impl Database {
    /// The tables that are files of the folder, by name.
    ///
    /// Errors: those of looking at the folder.
    pub fn file_tables(&self) -> Result<Vec<TableInfo>> {
        let catalog = &self.shared.catalog;
        catalog.file_names()?.iter().filter_map(|name| describe::listed(catalog, name).transpose()).collect()
    }

    /// The names of these tables.
    ///
    /// Errors: those of looking at the folder.
    pub fn file_names(&self) -> Result<Vec<String>> {
        self.shared.catalog.file_names()
    }
}
