//! ADD INDEX and DROP INDEX: the table, the keys of all records and the definition of the file change in one transaction.

use super::change::each_record;
use super::{Places, TableStorage};
use crate::schema;
use crate::transaction::in_statement;
use mainstay_basic_files::storage::Loaded;
use mainstay_basic_files::{FileError, FileErrorKind, KeyDefinition, KeyDefinitions, Result};
use mainstay_store::files::catalog::{CatalogChange, TableDefinition};
use mainstay_store::{NativeTable, Store, Transaction};
use mainstay_types::ValueRef;
use std::sync::Arc;

type Make<'m> = dyn FnMut(Loaded<'_>) -> Option<Vec<u8>> + 'm;

impl TableStorage {
    pub(super) fn add_column_of_key(&mut self, number: usize, key: &KeyDefinition, make: &mut Make<'_>) -> Result<()> {
        let mut keys = self.keys.clone();
        keys.add(key.clone());
        let change = |store: &Store, table: &mut TableDefinition| {
            let (column, index) = schema::key_parts(store, table, number, key.is_unique());
            table.columns.push(column);
            table.indexes.push(index);
        };
        self.redefine(change, keys, |table, places, transaction| {
            let Some(place) = places.keys.get(number).copied().flatten() else { return Ok(()) };
            let mut made = Vec::new();
            each_record(table, places, transaction, |position, record| {
                let loaded =
                    Loaded { id: record.id, key_number: 0, key: record.key, primary: record.key, data: record.data };
                made.push((position, make(loaded)));
            })?;
            for (position, key) in made {
                let key = key.as_deref().map_or(ValueRef::Null, ValueRef::Binary);
                table.update_columns(transaction, position, &[(place.column, key)])?;
            }
            Ok(())
        })
    }

    pub(super) fn drop_column_of_key(&mut self, number: usize) -> Result<()> {
        let mut keys = self.keys.clone();
        keys.remove(number);
        let column = self.place(number)?.column;
        let name = self.table.definition().columns[column].name.clone();
        let change = |_: &Store, table: &mut TableDefinition| {
            let column = table.columns.iter().find(|column| column.name == name).map(|column| column.id);
            table.indexes.retain(|index| index.columns.iter().all(|part| Some(part.column) != column));
            table.columns.retain(|other| Some(other.id) != column);
        };
        self.redefine(change, keys, |_, _, _| Ok(()))
    }

    fn redefine(
        &mut self,
        change: impl FnOnce(&Store, &mut TableDefinition),
        keys: KeyDefinitions,
        fill: impl FnOnce(&Arc<NativeTable>, &Places, &mut Transaction) -> Result<()>,
    ) -> Result<()> {
        self.commit()?;
        let (store, id) = (Arc::clone(&self.store), self.table_id);
        let mut transaction = self.transactions.begin_change();
        let gone = || FileError::new(FileErrorKind::FileMissing, "the file is gone");
        let definition = schema::definition(&store, &mut transaction, id)?;
        let mut definition = definition.ok_or_else(gone)?;
        let catalog = store.catalog_to_change(&transaction);
        let mut table = catalog.tables.iter().find(|table| table.id == id).cloned().ok_or_else(gone)?;
        change(&store, &mut table);
        store.change_catalog(&mut transaction, CatalogChange::PutTable(table))?;
        let table = store.table_for(&transaction, id)?;
        let places = Places::of(&table, &keys)?;
        in_statement(&mut transaction, |transaction| fill(&table, &places, transaction))?;
        definition.keys = keys.clone();
        schema::redefine(&store, &mut transaction, id, Some(&definition))?;
        transaction.commit()?;
        self.keys = keys;
        self.catalog_version = u64::MAX;
        self.refresh()
    }
}
