//! Temporary tables: recreated as they were, and rows that are part of transactions.

mod common;

use common::{catalog, committed, pair, seen};
use mainstay_store::files::catalog::{CatalogChange, TableDefinition};
use mainstay_store::{Isolation, NativeTable, Store, TemporaryTables};
use std::sync::Arc;

/// The definition of a table, without a key unless there is to be one.
fn definition(own: &TemporaryTables, name: &str, with_key: bool) -> TableDefinition {
    let mut definition = catalog::table(own.new_table_id(), name);
    definition.columns.iter_mut().for_each(|column| column.id = own.new_id());
    let first = definition.columns[0].id;
    definition.primary_key = definition.primary_key.filter(|_| with_key);
    if let Some(key) = &mut definition.primary_key {
        (key.id, key.columns) = (own.new_id(), catalog::ascending(&[first]));
    }
    definition
}

fn make(store: &Store, own: &Arc<TemporaryTables>, definition: TableDefinition) -> Arc<NativeTable> {
    let id = definition.id;
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_temporary(&mut transaction, own, CatalogChange::PutTable(definition)).unwrap();
    transaction.commit().unwrap();
    own.table(id).unwrap()
}

#[test]
fn a_table_that_was_dropped_is_made_again_empty_and_under_its_number() {
    let (store, own) = (Store::in_memory(), Arc::new(TemporaryTables::new("main")));
    let before = own.version();
    let table = make(&store, &own, definition(&own, "t", false));
    let after = own.version();
    for round in 0..3 {
        for row in 0..200 {
            assert!(table.insert_alone(&own, &pair(row, round)[..]).unwrap());
        }
        assert_eq!(committed(&store, &table).len(), 200);
        assert!(!own.drop_last("other").unwrap());
        assert!(own.drop_last("t").unwrap());
        assert_eq!((own.version(), own.version_of_tables()), (before, None));
        assert!(table.insert_alone(&own, &pair(1, 1)[..]).is_err(), "nobody writes into a table that is gone");
        assert!(!own.make_again(before, after + 1));
        assert!(own.make_again(before, after));
        assert_eq!((own.version(), own.version_of_tables()), (after, Some(after)));
        assert!(committed(&store, &table).is_empty());
    }
}

#[test]
fn tables_come_again_in_the_order_in_which_they_were_made_and_any_other_change_forgets_them() {
    let (store, own) = (Store::in_memory(), Arc::new(TemporaryTables::new("main")));
    let none = own.version();
    let first = make(&store, &own, definition(&own, "a", false));
    let one = own.version();
    make(&store, &own, definition(&own, "b", false));
    let two = own.version();
    assert!(!own.drop_last("a").unwrap(), "b was made after it");
    assert!(own.drop_last("b").unwrap() && own.drop_last("a").unwrap());
    assert!(!own.make_again(one, two), "a is not there");
    assert!(own.make_again(none, one) && own.make_again(one, two));
    assert!(own.drop_last("b").unwrap());
    let id = u64::from(first.id());
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_temporary(&mut transaction, &own, CatalogChange::DropTable(id)).unwrap();
    transaction.commit().unwrap();
    assert!(!own.make_again(none, one) && !own.make_again(one, two));
}

#[test]
fn a_change_that_is_taken_back_leaves_nothing_to_come_again() {
    let (store, own) = (Store::in_memory(), Arc::new(TemporaryTables::new("main")));
    let before = own.version();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_temporary(&mut transaction, &own, CatalogChange::PutTable(definition(&own, "t", false))).unwrap();
    let after = own.version();
    transaction.rollback();
    assert_eq!((own.version(), own.drop_last("t").unwrap(), own.make_again(before, after)), (before, false, false));
}

#[test]
fn tables_with_keys_are_not_made_again() {
    let (store, own) = (Store::in_memory(), Arc::new(TemporaryTables::new("main")));
    let table = make(&store, &own, definition(&own, "t", true));
    assert!(table.insert_alone(&own, &pair(1, 1)[..]).unwrap());
    let twice = table.insert_alone(&own, &pair(1, 2)[..]).err().unwrap();
    assert_eq!(twice.code(), mainstay_types::Code::UniqueViolation);
    assert!(table.insert_alone(&own, &pair(2, 2)[..]).unwrap());
    assert_eq!(committed(&store, &table), [(1, 1), (2, 2)]);
    assert!(!own.drop_last("t").unwrap());
}

#[test]
fn a_view_of_before_does_not_see_a_row_that_was_inserted_alone() {
    let (store, own) = (Store::in_memory(), Arc::new(TemporaryTables::new("main")));
    let table = make(&store, &own, definition(&own, "t", false));
    let look = || {
        let mut reader = store.begin(Isolation::Snapshot);
        reader.set_temporary(Arc::clone(&own));
        reader.begin_statement().unwrap();
        reader
    };
    // Views that stay open, each with the rows that it is to see, however many rows and commits of others come after it.
    let mut readers = Vec::new();
    let mut expected = Vec::new();
    for row in 0..60 {
        assert!(table.insert_alone(&own, &pair(row, row)[..]).unwrap());
        expected.push((row, row));
        if row % 3 == 0 {
            readers.push((look(), expected.clone()));
        }
        if row % 7 == 0 {
            make(&store, &own, definition(&own, &format!("other{row}"), false));
        }
        for (reader, expected) in &mut readers {
            assert_eq!(seen(&table, reader), *expected, "after row {row}");
        }
        let mut now = look();
        assert_eq!(seen(&table, &mut now), expected);
    }
    assert_eq!(committed(&store, &table), expected);
}

#[test]
fn a_loop_of_rows_that_are_inserted_alone_takes_one_commit() {
    let (store, own) = (Store::in_memory(), Arc::new(TemporaryTables::new("main")));
    let table = make(&store, &own, definition(&own, "t", false));
    assert!(table.insert_alone(&own, &pair(0, 0)[..]).unwrap());
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let before = transaction.begin_statement().unwrap().commit;
    for row in 1..100 {
        assert!(table.insert_alone(&own, &pair(row, row)[..]).unwrap());
    }
    assert_eq!(transaction.begin_statement().unwrap().commit, before);
    assert_eq!(committed(&store, &table).len(), 100);
}

#[test]
fn rows_of_tables_that_others_see_are_not_inserted_alone() {
    let (store, table) = common::store_of(&[(1, 1)]);
    let own = TemporaryTables::new("main");
    assert!(!table.insert_alone(&own, &pair(2, 2)[..]).unwrap());
    assert_eq!(committed(&store, &table), [(1, 1)]);
}
