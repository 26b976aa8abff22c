//! The tables, views and columns of a database, for lists and for the reflection of SQLAlchemy.
//!
//! Definitions of native tables are read from the catalog at once, for all tables; tables that are files are described one by
//! one, since their files have to be looked at.

use crate::failure::Fault;
use mainstay_engine::Session;
use mainstay_engine::definitions::{Catalog, ColumnDefinition, IndexColumn, ReferentialAction, TableDefinition};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The schema that is meant when none is named.
const DEFAULT_SCHEMA: &str = "main";

/// A table that is a file, as the worker has read it.
pub(crate) struct FileTable {
    name: String,
    kind: String,
    rows: Option<u64>,
    columns: Vec<(String, String, bool)>,
}

/// The tables that are files.
pub(crate) fn file_tables(session: &mut Session) -> Result<Vec<FileTable>, Fault> {
    let tables = session.tables().map_err(|error| Fault::of_core(&error, ""))?;
    let of_file = |kind: &str| !matches!(kind, "native" | "temporary" | "view");
    let table = |info: mainstay_engine::TableInfo| FileTable {
        columns: info.columns.into_iter().map(|column| (column.name, column.sql_type, column.nullable)).collect(),
        name: info.name,
        kind: info.kind,
        rows: info.rows,
    };
    Ok(tables.into_iter().filter(|info| of_file(&info.kind)).map(table).collect())
}

/// Tables that are files as dictionaries.
pub(crate) fn shown_files<'py>(py: Python<'py>, files: &[FileTable]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for file in files {
        let table = PyDict::new(py);
        table.set_item("schema", DEFAULT_SCHEMA)?;
        table.set_item("name", &file.name)?;
        table.set_item("kind", &file.kind)?;
        table.set_item("rows", file.rows)?;
        let columns = PyList::empty(py);
        for (name, sql_type, nullable) in &file.columns {
            let column = PyDict::new(py);
            column.set_item("name", name)?;
            column.set_item("type", sql_type)?;
            column.set_item("nullable", nullable)?;
            columns.append(column)?;
        }
        table.set_item("columns", columns)?;
        list.append(table)?;
    }
    Ok(list)
}

/// The definitions of a catalog: schemas, tables, views, sequences.
pub(crate) fn shown<'py>(py: Python<'py>, catalog: &Catalog) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("schemas", catalog.schemas.iter().map(|schema| schema.name.as_str()).collect::<Vec<_>>())?;
    let tables = PyList::empty(py);
    for table in &catalog.tables {
        tables.append(shown_table(py, catalog, table)?)?;
    }
    all.set_item("tables", tables)?;
    let views = PyList::empty(py);
    for view in &catalog.views {
        views.append((schema_name(catalog, view.schema), &view.name, &view.text))?;
    }
    all.set_item("views", views)?;
    let sequences = PyList::empty(py);
    for sequence in catalog.sequences.iter().filter(|sequence| sequence.owned_by.is_none()) {
        sequences.append((schema_name(catalog, sequence.schema), &sequence.name))?;
    }
    all.set_item("sequences", sequences)?;
    Ok(all)
}

fn schema_name(catalog: &Catalog, id: u64) -> &str {
    catalog.schemas.iter().find(|schema| schema.id == id).map_or(DEFAULT_SCHEMA, |schema| schema.name.as_str())
}

fn shown_table<'py>(py: Python<'py>, catalog: &Catalog, table: &TableDefinition) -> PyResult<Bound<'py, PyDict>> {
    let shown = PyDict::new(py);
    shown.set_item("schema", schema_name(catalog, table.schema))?;
    shown.set_item("name", &table.name)?;
    let columns = PyList::empty(py);
    for column in &table.columns {
        columns.append(shown_column(py, catalog, column)?)?;
    }
    shown.set_item("columns", columns)?;
    let key = table.primary_key.as_ref().map(|key| (key.name.as_str(), names(table, &key.columns)));
    shown.set_item("primary_key", key)?;
    let unique: Vec<_> = table.unique.iter().map(|key| (key.name.as_str(), names(table, &key.columns))).collect();
    shown.set_item("unique", unique)?;
    let checks = table.checks.iter().map(|check| (check.name.as_str(), check.text.as_str())).collect::<Vec<_>>();
    shown.set_item("checks", checks)?;
    let indexes = table.indexes.iter().map(|index| {
        let descending: Vec<bool> = index.columns.iter().map(|column| column.descending).collect();
        (index.name.as_str(), index.unique, names(table, &index.columns), descending)
    });
    shown.set_item("indexes", indexes.collect::<Vec<_>>())?;
    let references = PyList::empty(py);
    for key in &table.foreign_keys {
        let Some(other) = catalog.tables.iter().find(|other| other.id == key.referenced_table) else { continue };
        let reference = PyDict::new(py);
        reference.set_item("name", &key.name)?;
        reference.set_item("columns", key.columns.iter().map(|id| name_of(table, *id)).collect::<Vec<_>>())?;
        reference.set_item("schema", schema_name(catalog, other.schema))?;
        reference.set_item("table", &other.name)?;
        let of_other = key.referenced_columns.iter().map(|id| name_of(other, *id));
        reference.set_item("referenced", of_other.collect::<Vec<_>>())?;
        reference.set_item("on_delete", action(key.on_delete))?;
        reference.set_item("on_update", action(key.on_update))?;
        reference.set_item("deferrable", !key.deferrable.is_no())?;
        references.append(reference)?;
    }
    shown.set_item("foreign_keys", references)?;
    Ok(shown)
}

fn shown_column<'py>(py: Python<'py>, catalog: &Catalog, column: &ColumnDefinition) -> PyResult<Bound<'py, PyDict>> {
    let shown = PyDict::new(py);
    shown.set_item("name", &column.name)?;
    shown.set_item("type", column.sql_type.to_string())?;
    shown.set_item("declared", column.declared.as_deref())?;
    shown.set_item("nullable", !column.not_null)?;
    shown.set_item("default", column.default.as_deref())?;
    if let Some(computed) = &column.computed {
        shown.set_item("computed", (computed.text.as_str(), computed.stored))?;
    }
    if let Some(identity) = &column.identity {
        let sequence = catalog.sequences.iter().find(|sequence| sequence.id == identity.sequence);
        let steps = sequence.map(|it| (it.start, it.increment, it.minimum, it.maximum, it.cycle));
        shown.set_item("identity", (identity.always, steps))?;
    }
    Ok(shown)
}

fn name_of(table: &TableDefinition, id: u64) -> &str {
    table.columns.iter().find(|column| column.id == id).map_or("", |column| column.name.as_str())
}

fn names<'t>(table: &'t TableDefinition, columns: &[IndexColumn]) -> Vec<&'t str> {
    columns.iter().map(|column| name_of(table, column.column)).collect()
}

/// The action in words of SQL; `None` for NO ACTION, the default.
fn action(action: ReferentialAction) -> Option<&'static str> {
    match action {
        ReferentialAction::NoAction => None,
        ReferentialAction::Restrict => Some("RESTRICT"),
        ReferentialAction::Cascade => Some("CASCADE"),
        ReferentialAction::SetNull => Some("SET NULL"),
        ReferentialAction::SetDefault => Some("SET DEFAULT"),
    }
}
