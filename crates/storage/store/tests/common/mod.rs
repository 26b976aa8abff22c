//! Helpers that the store's tests share: small tables, and rows written in a line.

// Every test file uses some of it.
#![allow(dead_code)]

use mainstay_store::files::catalog::{Deferrable, ForeignKeyDefinition, ReferentialAction};
use mainstay_store::{
    ColumnDefinition, Durability, Isolation, NativeTable, Row, Store, StoreOptions, TableDefinition, Transaction,
    Version,
};
use mainstay_types::{SqlType, ValueRef};
use mainstay_vfs::Simulated;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A store in the folder `shop`, whose commits survive everything.
pub fn open(fs: &Simulated) -> Store {
    let options = StoreOptions {
        durability: Durability::Full,
        checkpoint_bytes: None,
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    Store::open(Arc::new(fs.clone()), Path::new("shop"), options).unwrap()
}

/// A transaction that reads what is committed.
pub fn begin(store: &Store) -> Transaction {
    store.begin(Isolation::ReadCommitted)
}

/// Returns when so many transactions wait, or are not going to.
pub fn until_waiting(store: &Store, count: usize) {
    let is_late = (0..5000).all(|_| {
        std::thread::sleep(Duration::from_millis(1));
        store.waiting() < count
    });
    assert!(!is_late, "nobody waits");
}

/// A reference of a column to the key of [`catalog::table`] with this number.
pub fn reference(column: u64, parent: u64, deferrable: Deferrable) -> ForeignKeyDefinition {
    ForeignKeyDefinition {
        name: format!("to_{parent}"),
        columns: vec![column],
        referenced_table: parent,
        referenced_columns: vec![parent + 1],
        on_delete: ReferentialAction::NoAction,
        on_update: ReferentialAction::NoAction,
        deferrable,
        match_full: false,
        disabled: false,
    }
}

/// A column that may be NULL.
pub fn column(name: &str, sql_type: SqlType) -> ColumnDefinition {
    ColumnDefinition::new(name, sql_type, true)
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
) -> mainstay_types::Result<mainstay_store::Written> {
    let (key, changes) = ([ValueRef::Integer(id)], [(1, ValueRef::Integer(value))]);
    let view = transaction.begin_statement().unwrap();
    // The short way, and otherwise the long one.
    if !table.indexes().is_empty() && table.update_by_key(transaction, (0, &key), &changes, view)?.is_some() {
        return Ok(mainstay_store::Written::Done(position(table, transaction, id).unwrap()));
    }
    let position = position(table, transaction, id).unwrap();
    table.update_columns(transaction, position, &changes)
}

/// A small generator of numbers that look random.
pub struct Random(pub u64);

impl Random {
    /// A number below the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A row of values that are kept.
pub struct Kept(pub Vec<mainstay_types::Value>);

impl Row for Kept {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.0.get(column).map_or(ValueRef::Null, |value| value.as_ref())
    }
}

/// Tables of the catalog.
pub mod catalog {
    use mainstay_store::files::catalog::{
        CatalogChange, ColumnDefinition, IndexColumn, KeyDefinition, SchemaDefinition, TableDefinition,
    };
    use mainstay_store::{Isolation, Store};
    use mainstay_types::SqlType;

    /// The schema with the number 1.
    pub fn schema() -> CatalogChange {
        CatalogChange::PutSchema(SchemaDefinition { id: 1, name: "dbo".into() })
    }

    /// A column that may be NULL.
    pub fn column(id: u64, name: &str, sql_type: SqlType) -> ColumnDefinition {
        let name = name.into();
        ColumnDefinition {
            id,
            name,
            sql_type,
            declared: None,
            not_null: false,
            default: None,
            check: None,
            identity: None,
            computed: None,
        }
    }

    /// A key or the columns of an index.
    pub fn ascending(columns: &[u64]) -> Vec<IndexColumn> {
        columns.iter().map(|column| IndexColumn { column: *column, descending: false }).collect()
    }

    /// `id BIGINT PRIMARY KEY, value BIGINT`. Columns have the numbers after the table's, then comes the key's.
    pub fn table(id: u64, name: &str) -> TableDefinition {
        let columns = vec![column(id + 1, "id", SqlType::BigInt), column(id + 2, "value", SqlType::BigInt)];
        let key = KeyDefinition {
            id: id + 3,
            name: format!("{name}_pkey"),
            columns: ascending(&[id + 1]),
            nulls_not_distinct: false,
        };
        TableDefinition {
            id,
            schema: 1,
            name: name.into(),
            columns,
            primary_key: Some(key),
            unique: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
        }
    }

    /// Creates the table of [`table`]: its number.
    pub fn create(store: &Store, name: &str) -> u64 {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        store.change_catalog(&mut transaction, schema()).unwrap();
        let id = store.catalog_for(&transaction).next_id;
        store.change_catalog(&mut transaction, CatalogChange::PutTable(table(id, name))).unwrap();
        transaction.commit().unwrap();
        id
    }

    /// The committed rows of a table of [`table`].
    pub fn rows(store: &Store, id: u64) -> Vec<(i64, i64)> {
        super::committed(store, &store.table_of(id).unwrap())
    }

    /// Puts these keys into a table in one transaction, each with itself as its value.
    pub fn insert(store: &Store, id: u64, keys: std::ops::Range<i64>) -> mainstay_types::Result<()> {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let table = store.table_of(id)?;
        keys.map(|key| table.insert(&mut transaction, &super::pair(key, key)[..]))
            .try_for_each(|done| done.map(|_| ()))?;
        transaction.commit().map(|_| ())
    }
}
