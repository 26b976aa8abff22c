//! What SQL Server says of definitions that cannot be, where the core has other words or none.
//!
//! ```text
//!   1913   an index of the table has the name             3701   an index that is to be dropped is not there
//!   2714   with 2759: there is a schema of the name       3729   a schema that is to be dropped has objects
//!   4901   a NOT NULL column without a value for the rows that are there
//!   4924   a column that is to be dropped is not there
//! ```

use crate::catalog::Object;
use crate::errors::raised;
use crate::session::Inner;
use mainstay_mssql::Message;
use mainstay_program::Raised;
use mainstay_tsql::reduce::{Scope, quoted};
use mainstay_tsql::tree::{
    Column, ColumnKind, ColumnProperty, ConstraintKind, CreateIndex, DropElement, Name, ObjectName, TableElement,
};
use std::sync::Arc;

impl Inner {
    /// Errors: 1913 when the table has an index of this name.
    pub(crate) fn check_new_index(&mut self, create: &CreateIndex) -> Result<(), Box<Raised>> {
        let Some(name) = &create.index.name else { return Ok(()) };
        let known = self.known(&create.table, |table| has_index(table, &name.text))?;
        if known != Some(true) {
            return Ok(());
        }
        let text = format!(
            "The operation failed because an index or statistics with name '{}' already exists on table '{}'.",
            name.text,
            crate::define::shown_name(&create.table)
        );
        Err(raised(Message::error(1913, text)))
    }

    /// Drops an index of one table: others may have one of the same name.
    ///
    /// Errors: 3701 when it is not there.
    pub(crate) fn drop_index(
        &mut self,
        name: &ObjectName,
        table: Option<&ObjectName>,
        if_exists: bool,
    ) -> Result<(), Box<Raised>> {
        let index = name.last().to_owned();
        let own = match table {
            Some(table) => table.clone(),
            None => ObjectName { parts: name.parts[..name.parts.len().saturating_sub(1)].to_vec(), ..name.clone() },
        };
        match self.known(&own, |table| has_index(table, &index))? {
            Some(true) => {
                let table = self.names(&[]).table(&own).map_err(raised)?;
                self.execute(&format!("DROP INDEX {table}.{}", quoted(&index)))?;
                self.note_dropped_index(&own, &index)
            }
            _ if if_exists => Ok(()),
            _ => {
                let text = format!(
                    "Cannot drop the index '{}.{index}', because it does not exist or you do not have permission.",
                    crate::define::shown_name(&own)
                );
                Err(raised(Message::error(3701, text).severity(11).state(7)))
            }
        }
    }

    /// Errors: 2714 when there is a schema of this name.
    pub(crate) fn check_new_schema(&mut self, name: &Name) -> Result<(), Box<Raised>> {
        let definitions = self.core.definitions();
        match definitions.shared.schemas.iter().any(|known| known.name.eq_ignore_ascii_case(&name.text)) {
            true => {
                let text = format!("There is already an object named '{}' in the database.", name.text);
                Err(raised(Message::error(2714, text).state(6)))
            }
            false => Ok(()),
        }
    }

    /// Errors: 3729 when the schema has objects.
    pub(crate) fn check_empty_schema(&mut self, name: &ObjectName) -> Result<(), Box<Raised>> {
        let catalog = self.catalog().map_err(crate::errors::raised_error)?;
        let within = |object: &&Object| {
            object.parent == 0 && catalog.schema_name(object.schema).eq_ignore_ascii_case(name.last())
        };
        match catalog.objects.iter().find(within) {
            Some(object) => {
                let text = format!(
                    "Cannot drop schema '{}' because it is being referenced by object '{}'.",
                    name.last(),
                    object.name
                );
                Err(raised(Message::error(3729, text)))
            }
            None => Ok(()),
        }
    }

    /// The elements of DROP without columns that are not there and need not be.
    ///
    /// Errors: 4924 for a column that is not there.
    pub(crate) fn known_elements(
        &mut self,
        table: &ObjectName,
        elements: &mut Vec<DropElement>,
    ) -> Result<(), Box<Raised>> {
        let catalog = self.catalog().map_err(crate::errors::raised_error)?;
        let Some(object) = catalog.find(table) else { return Ok(()) };
        let is_missing =
            |element: &DropElement| element.column == Some(true) && object.column(&element.name.text).is_none();
        if let Some(missing) = elements.iter().find(|element| is_missing(element) && !element.if_exists) {
            let text = format!(
                "ALTER TABLE DROP COLUMN failed because column '{}' does not exist in table '{}'.",
                missing.name.text, object.name
            );
            return Err(raised(Message::error(4924, text)));
        }
        elements.retain(|element| !is_missing(element));
        Ok(())
    }

    /// Errors: 4901 for a new column that the rows of the table have no value for.
    pub(crate) fn check_new_columns(
        &mut self,
        table: &ObjectName,
        core: &str,
        elements: &[TableElement],
    ) -> Result<(), Box<Raised>> {
        let Some(column) = elements.iter().find_map(must_be_given) else { return Ok(()) };
        let mut plan = self.plan(&format!("SELECT 1 FROM {core} LIMIT 1"), Vec::new(), Vec::new())?;
        if self.rows_of(&mut plan, &[])?.rows.is_empty() {
            return Ok(());
        }
        let (name, table) = (&column.name.text, table.last());
        let text = format!(
            "ALTER TABLE only allows columns to be added that can contain nulls, or have a DEFAULT definition specified, or \
             the column being added is an identity or timestamp column, or alternatively if none of the previous \
             conditions are satisfied the table must be empty to allow addition of this column. Column '{name}' cannot be \
             added to non-empty table '{table}' because it does not satisfy these conditions."
        );
        Err(raised(Message::error(4901, text)))
    }

    /// What holds of a table of the catalog; `None` if it is not there.
    fn known(&mut self, table: &ObjectName, holds: impl Fn(&Object) -> bool) -> Result<Option<bool>, Box<Raised>> {
        let catalog: Arc<_> = self.catalog().map_err(crate::errors::raised_error)?;
        Ok(catalog.find(table).map(holds))
    }
}

fn has_index(table: &Object, name: &str) -> bool {
    let mut names = table.indexes.iter().filter_map(|index| index.name.as_deref());
    names.any(|known| known.eq_ignore_ascii_case(name))
}

/// A column that every row must have a value for, and that gives none.
fn must_be_given(element: &TableElement) -> Option<&Column> {
    let TableElement::Column(column) = element else { return None };
    let is_stored = matches!(column.kind, ColumnKind::Stored(_));
    let refuses_null = column.properties.iter().any(|property| matches!(property, ColumnProperty::Nullable(false)));
    let gives = column.properties.iter().any(|property| match property {
        ColumnProperty::Identity(_) => true,
        ColumnProperty::Constraint(constraint) => matches!(constraint.kind, ConstraintKind::Default(..)),
        _ => false,
    });
    (is_stored && refuses_null && !gives).then_some(column)
}
