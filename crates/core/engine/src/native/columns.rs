//! Columns of a table's definition, found by name or number.

use mainstay_planner::{Name, names_column};
use mainstay_store::files::catalog::{ColumnDefinition, TableDefinition};
use mainstay_types::Result;

/// The number of a column.
pub(super) fn column_of(table: &TableDefinition, name: &Name) -> Result<u64> {
    let found = table.columns.iter().find(|column| column.name.to_lowercase() == name.key);
    let names = table.columns.iter().map(|column| column.name.as_str());
    Ok(found.ok_or_else(|| mainstay_planner::unknown_column(&table.name, &name.key, names))?.id)
}

pub(super) fn column_mut(table: &mut TableDefinition, id: u64) -> Option<&mut ColumnDefinition> {
    table.columns.iter_mut().find(|column| column.id == id)
}

/// The computed column that is made of a column, by its name.
pub(super) fn computed_of<'t>(table: &'t TableDefinition, column: &Name) -> Result<Option<&'t str>> {
    let name = table.name.to_lowercase();
    for other in &table.columns {
        if let Some(computed) = &other.computed
            && names_column(&computed.text, &name, &column.key)?
        {
            return Ok(Some(&other.name));
        }
    }
    Ok(None)
}
