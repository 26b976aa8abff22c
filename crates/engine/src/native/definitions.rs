//! What exists: the catalog of native tables, and the tables of the store that it names.
//!
//! A table of the catalog is made into one of the store when it is put there. One whose columns or keys change is made
//! anew and filled with the rows of the old one.

use mainstay_base::{Code, Error, Result, Value, ValueRef};
use mainstay_store::files::catalog::{Catalog, CatalogChange, KeyDefinition, TableDefinition};
use mainstay_store::{ColumnDefinition, ForeignKey, IndexColumn, IndexDefinition, NativeTable, Store, Transaction};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The catalog with its tables.
pub(super) struct Definitions {
    version: AtomicU64,
    state: Mutex<State>,
}

struct State {
    catalog: Arc<Catalog>,
    tables: HashMap<u64, Arc<NativeTable>>,
    /// The last value of each sequence that has given one.
    sequences: HashMap<u64, i64>,
}

impl Definitions {
    pub(super) fn new() -> Definitions {
        let state = State { catalog: Arc::new(Catalog::new()), tables: HashMap::new(), sequences: HashMap::new() };
        Definitions { version: AtomicU64::new(0), state: Mutex::new(state) }
    }

    pub(super) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock().catalog)
    }

    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// A number that nothing has yet.
    pub(super) fn take_id(&self) -> u64 {
        Arc::make_mut(&mut self.lock().catalog).take_id()
    }

    /// The store's table of a table of the catalog.
    pub(super) fn table(&self, id: u64) -> Result<Arc<NativeTable>> {
        let missing = || Error::new(Code::UnknownTable, format!("there is no table number {id}"));
        self.lock().tables.get(&id).cloned().ok_or_else(missing)
    }

    /// The next value of a sequence.
    ///
    /// Errors: `InvalidValue` when it is used up.
    pub(super) fn next_value(&self, id: u64) -> Result<i64> {
        let mut state = self.lock();
        let state = &mut *state;
        let sequence = state.catalog.sequences.iter().find(|sequence| sequence.id == id);
        let sequence = sequence.ok_or_else(|| Error::new(Code::Internal, "a column without its sequence"))?;
        let next = match state.sequences.get(&id) {
            None => Some(sequence.start),
            Some(last) => last.checked_add(sequence.increment),
        };
        let next = next.filter(|next| (sequence.minimum..=sequence.maximum).contains(next));
        let used_up = || Error::new(Code::InvalidValue, format!("the sequence {} is used up", sequence.name));
        let next = next.ok_or_else(used_up)?;
        state.sequences.insert(id, next);
        Ok(next)
    }

    /// Changes the catalog, and the store's tables with it.
    pub(super) fn change(&self, store: &Store, transaction: &mut Transaction, change: CatalogChange) -> Result<()> {
        let mut state = self.lock();
        let mut catalog = state.catalog.as_ref().clone();
        catalog.apply(change.clone())?;
        match &change {
            CatalogChange::PutTable(table) => state.put(store, &catalog, table, transaction)?,
            CatalogChange::PutIndex { table, .. } | CatalogChange::DropIndex { table, .. } => {
                let table = catalog.table(*table).cloned();
                let table = table.ok_or_else(|| Error::new(Code::Internal, "an index without its table"))?;
                state.put(store, &catalog, &table, transaction)?;
            }
            CatalogChange::DropTable(id) => {
                if let Some(table) = state.tables.remove(id) {
                    store.drop_table(&table.definition().name)?;
                }
            }
            _ => {}
        }
        state.catalog = Arc::new(catalog);
        self.version.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Makes the store's table what the definition says.
    fn put(
        &mut self,
        store: &Store,
        catalog: &Catalog,
        table: &TableDefinition,
        transaction: &mut Transaction,
    ) -> Result<()> {
        let definition = stored_form(catalog, table)?;
        let Some(known) = self.tables.get(&table.id).cloned() else {
            let created = store.create_table(definition)?;
            self.tables.insert(table.id, created);
            return Ok(());
        };
        if *known.definition() == definition {
            return Ok(());
        }
        let before = self.catalog.table(table.id).cloned();
        let before = before.ok_or_else(|| Error::new(Code::Internal, "a table without its definition"))?;
        let rows = rows_of(&known, transaction)?;
        store.drop_table(&known.definition().name)?;
        let created = store.create_table(definition)?;
        // Where each column was before, if it was there.
        let places: Vec<Option<usize>> =
            table.columns.iter().map(|column| before.columns.iter().position(|known| known.id == column.id)).collect();
        for row in rows {
            let value = |place: &Option<usize>| place.map_or(ValueRef::Null, |place| row[place].as_ref());
            let values: Vec<ValueRef<'_>> = places.iter().map(value).collect();
            created.insert(transaction, values.as_slice())?;
        }
        self.tables.insert(table.id, created);
        Ok(())
    }
}

fn rows_of(table: &Arc<NativeTable>, transaction: &mut Transaction) -> Result<Vec<Vec<Value>>> {
    let view = transaction.begin_statement()?;
    let columns = table.types().len();
    let mut rows = Vec::new();
    table.reader(view).for_each(&mut |version| {
        rows.push((0..columns).map(|column| version.value(column).to_value()).collect());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// What the store needs to know of a table.
fn stored_form(catalog: &Catalog, table: &TableDefinition) -> Result<mainstay_store::TableDefinition> {
    let place = |id: u64| {
        let place = table.columns.iter().position(|column| column.id == id);
        place.ok_or_else(|| Error::new(Code::Internal, "a key of a column that is not there"))
    };
    let index = |name: &str, columns: &[mainstay_store::files::catalog::IndexColumn], unique, primary| -> Result<_> {
        let part = |part: &mainstay_store::files::catalog::IndexColumn| {
            Ok(IndexColumn { column: place(part.column)?, descending: part.descending })
        };
        let columns: Result<Vec<IndexColumn>> = columns.iter().map(part).collect();
        Ok(IndexDefinition { name: name.to_owned(), columns: columns?, unique, primary, nulls_distinct: true })
    };
    let key = |key: &KeyDefinition, primary| index(&key.name, &key.columns, true, primary);
    let mut indexes = Vec::new();
    if let Some(primary) = &table.primary_key {
        indexes.push(key(primary, true)?);
    }
    for unique in &table.unique {
        indexes.push(key(unique, false)?);
    }
    for other in &table.indexes {
        indexes.push(index(&other.name, &other.columns, other.unique, false)?);
    }
    let mut foreign_keys = Vec::new();
    for reference in &table.foreign_keys {
        let parent = match reference.referenced_table == table.id {
            true => Some(table),
            false => catalog.table(reference.referenced_table),
        };
        let parent = parent.ok_or_else(|| Error::new(Code::UnknownTable, "a reference to a table that is gone"))?;
        let parent_place = |id: &u64| {
            let place = parent.columns.iter().position(|column| column.id == *id);
            place.ok_or_else(|| Error::new(Code::Internal, "a reference to a column that is not there"))
        };
        let columns: Result<Vec<usize>> = reference.columns.iter().map(|id| place(*id)).collect();
        let parent_columns: Result<Vec<usize>> = reference.referenced_columns.iter().map(parent_place).collect();
        foreign_keys.push(ForeignKey {
            name: reference.name.clone(),
            columns: columns?,
            parent: super::key_in(catalog, parent.schema, &parent.name),
            parent_columns: parent_columns?,
        });
    }
    let column = |column: &mainstay_store::files::catalog::ColumnDefinition| ColumnDefinition {
        name: column.name.clone(),
        sql_type: column.sql_type,
        nullable: !column.not_null,
    };
    Ok(mainstay_store::TableDefinition {
        name: super::key_in(catalog, table.schema, &table.name),
        columns: table.columns.iter().map(column).collect(),
        indexes,
        foreign_keys,
        logged: true,
    })
}
