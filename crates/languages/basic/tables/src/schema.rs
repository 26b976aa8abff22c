//! Definitions of files as tables of the catalog, and back.

use mainstay_basic_files::{FileDefinition, FileError, FileErrorKind, KeyDefinitions, Result};
use mainstay_store::files::catalog::{
    Catalog, CatalogChange, CheckDefinition, ColumnDefinition, IndexColumn, IndexDefinition, KeyDefinition,
    SchemaDefinition, TableDefinition,
};
use mainstay_store::{NativeTable, Store, Transaction};
use mainstay_types::{SqlType, ValueRef};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The schema of files: names without a schema are found there.
const FILES: &str = "main";
/// The schema of the system table.
const SYSTEM: &str = "sys";
/// The system table.
const DEFINITIONS: &str = "mainstay_basic_files";

pub(crate) const RECORD_INDEX: usize = 0;
pub(crate) const RECORD: usize = 1;

/// Where a table has the keys of its file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The index of record indexes.
    pub(crate) ids: usize,
    /// By key number; `None` for keys that were dropped.
    pub(crate) keys: Vec<Option<KeyPlace>>,
}

/// Where a table has a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPlace {
    /// The column.
    pub(crate) column: usize,
    /// The index.
    pub(crate) index: usize,
    /// True if no two records have the same key.
    pub(crate) is_unique: bool,
}

fn column_name(number: usize) -> String {
    format!("key_{number}")
}

impl Places {
    /// Finds them in a table.
    ///
    /// Errors: 106 for a table that has not what the definition says.
    pub(crate) fn of(table: &NativeTable, keys: &KeyDefinitions) -> Result<Places> {
        let missing = |what: &str| {
            let message = format!("the table of the file has no {what}: its definition was changed");
            FileError::new(FileErrorKind::DamagedHeader, message)
        };
        let indexes = table.indexes();
        let index_of =
            |columns: &[usize]| indexes.iter().position(|index| index.definition().column_numbers() == columns);
        let ids = index_of(&[RECORD_INDEX]).ok_or_else(|| missing("index of record_index"))?;
        let mut places = Places { ids, keys: Vec::new() };
        for (number, key) in keys.keys().iter().enumerate() {
            if key.is_dropped() {
                places.keys.push(None);
                continue;
            }
            let name = column_name(number);
            let column = table.definition().columns.iter().position(|column| column.name == name);
            let column = column.ok_or_else(|| missing(&name))?;
            let is_unique = keys.is_unique(number);
            let columns = if is_unique { vec![column] } else { vec![column, RECORD_INDEX] };
            let index = index_of(&columns).ok_or_else(|| missing(&format!("index of {name}")))?;
            places.keys.push(Some(KeyPlace { column, index, is_unique }));
        }
        Ok(places)
    }
}

fn column(store: &Store, name: String, sql_type: SqlType, not_null: bool) -> ColumnDefinition {
    ColumnDefinition {
        id: store.new_id(),
        name,
        sql_type,
        declared: None,
        not_null,
        default: None,
        check: None,
        identity: None,
        computed: None,
    }
}

const BYTES: SqlType = SqlType::VarBinary { length: None };

fn ascending(columns: &[u64]) -> Vec<IndexColumn> {
    columns.iter().map(|column| IndexColumn { column: *column, descending: false }).collect()
}

/// The column of a key, and its index.
pub(crate) fn key_parts(
    store: &Store,
    table: &TableDefinition,
    number: usize,
    is_unique: bool,
) -> (ColumnDefinition, IndexDefinition) {
    let column = column(store, column_name(number), BYTES, number == 0);
    let record_index = table.columns[RECORD_INDEX].id;
    let columns = if is_unique { vec![column.id] } else { vec![column.id, record_index] };
    let index = IndexDefinition {
        id: store.new_id(),
        name: format!("{}_key_{number}", table.name),
        unique: true,
        columns: ascending(&columns),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    (column, index)
}

/// The condition that no row fulfils which a statement of SQL writes: keys are made of the record by the rules of its file, which
/// only channels know. The store, which channels write to, does not ask for it.
fn only_channels() -> CheckDefinition {
    CheckDefinition {
        name: "records_with_keys_are_written_by_business_basic".to_owned(),
        text: "record IS NULL AND record_index IS NULL".to_owned(),
        disabled: false,
    }
}

/// The table of a new file.
fn table_of(store: &Store, schema: u64, name: &str, definition: &FileDefinition) -> TableDefinition {
    let record_index = column(store, "record_index".to_owned(), SqlType::BigInt, true);
    let record = column(store, "record".to_owned(), BYTES, true);
    let primary_key = KeyDefinition {
        id: store.new_id(),
        name: format!("{name}_record_index"),
        columns: ascending(&[record_index.id]),
        nulls_not_distinct: false,
    };
    let mut table = TableDefinition {
        id: store.new_id(),
        schema,
        name: name.to_owned(),
        columns: vec![record_index, record],
        primary_key: Some(primary_key),
        unique: Vec::new(),
        checks: vec![only_channels()],
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
    };
    for (number, key) in definition.keys.keys().iter().enumerate().filter(|(_, key)| !key.is_dropped()) {
        let is_unique = number == 0 || key.is_unique();
        let (column, index) = key_parts(store, &table, number, is_unique);
        table.columns.push(column);
        table.indexes.push(index);
    }
    table
}

/// The number of a schema, which is created if need be.
fn schema(store: &Store, transaction: &mut Transaction, name: &str) -> Result<u64> {
    let catalog = store.catalog_for(transaction);
    if let Some(known) = catalog.schemas.iter().find(|schema| schema.name.eq_ignore_ascii_case(name)) {
        return Ok(known.id);
    }
    let schema = SchemaDefinition { id: store.new_id(), name: name.to_owned() };
    let id = schema.id;
    store.change_catalog(transaction, CatalogChange::PutSchema(schema))?;
    Ok(id)
}

fn definitions_in(catalog: &Catalog) -> Option<u64> {
    let schema = catalog.schemas.iter().find(|schema| schema.name == SYSTEM)?.id;
    catalog.tables.iter().find(|table| table.schema == schema && table.name == DEFINITIONS).map(|table| table.id)
}

/// The system table, which is created if need be.
fn definitions(store: &Store, transaction: &mut Transaction) -> Result<Arc<NativeTable>> {
    if let Some(id) = definitions_in(&store.catalog_for(transaction)) {
        return Ok(store.table_for(transaction, id)?);
    }
    let schema = schema(store, transaction, SYSTEM)?;
    let number = column(store, "table_number".to_owned(), SqlType::BigInt, true);
    let text = column(store, "definition".to_owned(), SqlType::TEXT, true);
    let primary_key = KeyDefinition {
        id: store.new_id(),
        name: format!("{DEFINITIONS}_pkey"),
        columns: ascending(&[number.id]),
        nulls_not_distinct: false,
    };
    let table = TableDefinition {
        id: store.new_id(),
        schema,
        name: DEFINITIONS.to_owned(),
        columns: vec![number, text],
        primary_key: Some(primary_key),
        unique: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
    };
    let id = table.id;
    store.change_catalog(transaction, CatalogChange::PutTable(table))?;
    Ok(store.table_for(transaction, id)?)
}

/// Creates the table of a file, and writes its definition.
///
/// Errors: 12 for a name in use; those of the store.
pub(crate) fn create(store: &Store, transaction: &mut Transaction, name: &str, file: &FileDefinition) -> Result<()> {
    let definitions = definitions(store, transaction)?;
    let schema = schema(store, transaction, FILES)?;
    let catalog = store.catalog_for(transaction);
    if find(&catalog, name).is_some() {
        return Err(FileError::new(FileErrorKind::FileExists, format!("{name}: there is a file of this name already")));
    }
    let table = table_of(store, schema, name, file);
    let id = table.id;
    store.change_catalog(transaction, CatalogChange::PutTable(table))?;
    let text = file.to_text();
    definitions.insert(transaction, &[number_of(id), ValueRef::Text(&text)][..])?;
    Ok(())
}

fn number_of(table: u64) -> ValueRef<'static> {
    ValueRef::Integer(i64::try_from(table).unwrap_or(i64::MAX))
}

/// The table of a name: exactly, or but for the case of its letters.
pub(crate) fn find<'c>(catalog: &'c Catalog, name: &str) -> Option<&'c TableDefinition> {
    let is_of_files = |table: &&TableDefinition| {
        let schema = catalog.schemas.iter().find(|schema| schema.id == table.schema);
        schema.is_some_and(|schema| schema.name.eq_ignore_ascii_case(FILES))
    };
    let tables = || catalog.tables.iter().filter(is_of_files);
    tables().find(|table| table.name == name).or_else(|| tables().find(|table| table.name.eq_ignore_ascii_case(name)))
}

/// The definition of the file of a table; `None` for a table that is not a file's.
///
/// Errors: 106; those of the store.
pub(crate) fn definition(store: &Store, transaction: &mut Transaction, table: u64) -> Result<Option<FileDefinition>> {
    let Some(id) = definitions_in(&store.catalog_for(transaction)) else { return Ok(None) };
    let definitions = store.table_for(transaction, id)?;
    let view = transaction.begin_statement()?;
    let text = {
        let reader = definitions.reader(view);
        let found = reader.get_with(0, &[number_of(table)], &mut Vec::new())?;
        found.and_then(|version| match version.value(1) {
            ValueRef::Text(text) => Some(text.to_owned()),
            _ => None,
        })
    };
    transaction.end_statement()?;
    text.as_deref().map(FileDefinition::from_text).transpose()
}

/// Replaces the definition of the file of a table; without one, removes it.
pub(crate) fn redefine(
    store: &Store,
    transaction: &mut Transaction,
    table: u64,
    file: Option<&FileDefinition>,
) -> Result<()> {
    let definitions = definitions(store, transaction)?;
    let view = transaction.begin_statement()?;
    let position = {
        let reader = definitions.reader(view);
        reader.get_with(0, &[number_of(table)], &mut Vec::new())?.map(|version| version.position)
    };
    if let Some(position) = position {
        match file {
            Some(file) => {
                let text = file.to_text();
                definitions.update_columns(transaction, position, &[(1, ValueRef::Text(&text))])?;
            }
            None => {
                definitions.delete(transaction, position)?;
            }
        }
    }
    transaction.end_statement()?;
    Ok(())
}

/// The tables that are files, with their definitions: name, number, definition.
pub(crate) fn files(
    store: &Store,
    transaction: &mut Transaction,
) -> Result<Vec<(String, u64, Result<FileDefinition>)>> {
    let catalog = store.catalog_for(transaction);
    let Some(id) = definitions_in(&catalog) else { return Ok(Vec::new()) };
    let definitions = store.table_for(transaction, id)?;
    let view = transaction.begin_statement()?;
    let mut found = Vec::new();
    definitions.reader(view).for_each(&mut |version| {
        if let (ValueRef::Integer(number), ValueRef::Text(text)) = (version.value(0), version.value(1)) {
            let table = catalog.tables.iter().find(|table| table.id as i64 == number);
            found.extend(table.map(|table| (table.name.clone(), table.id, FileDefinition::from_text(text))));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    transaction.end_statement()?;
    Ok(found)
}
