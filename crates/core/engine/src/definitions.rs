//! The objects of a database as definitions, for languages that have their own catalog views.

use crate::database::Database;
use crate::describe::{self, TableInfo};
use crate::native::{Form, are_alike, key_of};
use crate::session::{ChangeableColumn, Session};
use arrow_schema::Field;
use mainstay_columnar::Table;
use mainstay_planner::{Name, RECORD_NUMBER, Relation};
use mainstay_store::Isolation;
use mainstay_store::definition::{ROW_ID, shown_field};
use mainstay_types::{Code, Result};
use mainstay_xbase::dbf::FieldKind;
use std::sync::Arc;

pub use mainstay_store::files::catalog::{
    Catalog, CheckDefinition, ColumnDefinition, FilterDefinition, FilterKind, ForeignKeyDefinition, IndexColumn,
    IndexDefinition, KeyDefinition, ReferentialAction, SchemaDefinition, SequenceDefinition, TableDefinition,
    ViewDefinition,
};

/// The definitions that a session sees.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The committed catalog, with the changes of the session's open transaction.
    pub shared: Arc<Catalog>,
    /// The session's temporary tables, if it has any.
    pub temporary: Option<Arc<Catalog>>,
}

/// A column as statements see it: its metadata says what its dialect declared.
pub fn field_of(column: &ColumnDefinition) -> Field {
    shown_field(&column.name, column.sql_type, column.declared.as_deref(), !column.not_null)
}

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

    /// The columns of a table that statements can change: a native one, temporary ones of this session included, a DBF, or a view
    /// over packed records. `None` when there is no such table.
    ///
    /// Errors: those of reading the catalog, and why native tables cannot be used: there may be one of this name among them.
    pub fn changeable_columns(&self, table: &str) -> Result<Option<Vec<ChangeableColumn>>> {
        let form = match self.form(&table.to_lowercase()) {
            Ok(form) => form,
            Err(error) if error.code() == Code::UnknownTable => {
                if let Some(columns) = self.file_columns(table)? {
                    return Ok(Some(columns));
                }
                match packed_view(self, table)? {
                    Some(form) => Arc::new(form),
                    None => return self.native().failure().map_or(Ok(None), Err),
                }
            }
            Err(error) => return Err(error),
        };
        let column = |(place, field): (usize, &Arc<Field>)| ChangeableColumn {
            field: Arc::clone(field),
            is_identity: form.definition.columns.get(place).is_some_and(|column| column.identity.is_some()),
            is_computed: form.is_computed(place),
        };
        Ok(Some(form.schema.fields().iter().enumerate().map(column).collect()))
    }

    /// The hidden column by which statements find a row of a table again.
    pub fn row_number_column(&self, table: &str) -> &'static str {
        match self.dbf_table(&Name::new(table)) {
            Ok(Some(_)) => RECORD_NUMBER,
            _ => ROW_ID,
        }
    }

    /// The columns of a DBF table.
    fn file_columns(&self, table: &str) -> Result<Option<Vec<ChangeableColumn>>> {
        let table = match self.dbf_table(&Name::new(table)) {
            Ok(Some(table)) => table,
            Ok(None) => return Ok(None),
            Err(error) if error.code() == Code::ReadOnly => return Ok(None),
            Err(error) => return Err(error),
        };
        let column = |(place, (field, of_file)): (usize, (&Arc<Field>, &mainstay_xbase::dbf::Field))| {
            // No statement may assign to a field that the table itself writes at each change.
            let is_computed = matches!(of_file.kind, FieldKind::ModificationTime | FieldKind::RowVersion);
            let is_identity = table.counts(place) && !is_computed;
            ChangeableColumn { field: Arc::clone(field), is_identity, is_computed }
        };
        Ok(Some(table.schema().fields().iter().zip(table.fields()).enumerate().map(column).collect()))
    }
}

/// The view of a name, if statements can change rows through it.
///
/// Errors: those of the view's expressions, and of reading the rules of its table.
pub(crate) fn packed_view(session: &Session, view: &str) -> Result<Option<Form>> {
    let scope = session.scope();
    let key = key_of(&Name::new(view));
    match scope.relation(&key)? {
        Some(Relation::View { .. }) => {
            let mut transaction = session.native().begin_reading(Isolation::ReadCommitted);
            scope.packed_form(&session.database.shared.planner, &key, &mut transaction)
        }
        _ => Ok(None),
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
