//! What the store's tests share: small tables, and rows written in a line.

// Every test file uses some of it.
#![allow(dead_code)]

use mainstay_base::{SqlType, ValueRef};
use mainstay_store::{ColumnDefinition, Isolation, NativeTable, Row, Store, TableDefinition, Transaction, Version};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A column that may be NULL.
pub fn column(name: &str, sql_type: SqlType) -> ColumnDefinition {
    ColumnDefinition { name: name.into(), sql_type, nullable: true }
}

/// `id BIGINT, value BIGINT`, with a primary key or without.
pub fn pairs(with_key: bool) -> TableDefinition {
    let columns = vec![column("id", SqlType::BigInt), column("value", SqlType::BigInt)];
    let definition = TableDefinition::new("pairs", columns);
    if with_key { definition.with_primary_key(&[0]) } else { definition }
}

/// A store with the table of [`pairs`] and these rows, committed.
pub fn store_of(rows: &[(i64, i64)]) -> (Store, Arc<NativeTable>) {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for (id, value) in rows {
        table.insert(&mut transaction, &pair(*id, *value)[..]).unwrap();
    }
    transaction.commit().unwrap();
    (store, table)
}

/// A row of [`pairs`].
pub fn pair(id: i64, value: i64) -> [ValueRef<'static>; 2] {
    [ValueRef::Integer(id), ValueRef::Integer(value)]
}

/// A whole number of a version; NULL is -1.
pub fn integer(version: &Version<'_>, column: usize) -> i64 {
    match version.value(column) {
        ValueRef::Integer(value) => value,
        _ => -1,
    }
}

/// The pairs that a transaction sees in its next statement, by id.
pub fn seen(table: &NativeTable, transaction: &mut Transaction) -> Vec<(i64, i64)> {
    let view = transaction.begin_statement().unwrap();
    let mut rows = Vec::new();
    let reader = table.reader(view);
    reader
        .for_each(&mut |version| {
            rows.push((integer(&version, 0), integer(&version, 1)));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    rows.sort_unstable();
    rows
}

/// The pairs that are committed, by id.
pub fn committed(store: &Store, table: &NativeTable) -> Vec<(i64, i64)> {
    seen(table, &mut store.begin(Isolation::ReadCommitted))
}

/// The position of the row with this id, for a transaction's next statement.
pub fn position(table: &NativeTable, transaction: &mut Transaction, id: i64) -> Option<u64> {
    let view = transaction.begin_statement().unwrap();
    let mut reader = table.reader(view);
    reader.get(0, &[ValueRef::Integer(id)]).unwrap().map(|version| version.position)
}

/// Sets the value of the row with this id.
pub fn set(
    table: &Arc<NativeTable>,
    transaction: &mut Transaction,
    id: i64,
    value: i64,
) -> mainstay_base::Result<mainstay_store::Written> {
    let position = position(table, transaction, id).unwrap();
    table.update_columns(transaction, position, &[(1, ValueRef::Integer(value))])
}

/// A row of values that are kept.
pub struct Kept(pub Vec<mainstay_base::Value>);

impl Row for Kept {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.0.get(column).map_or(ValueRef::Null, |value| value.as_ref())
    }
}
