//! One transaction at a time: writes are seen, committed, rolled back; violations are refused.

mod common;

use common::*;
use mainstay_store::{ForeignKey, Isolation, Store, TableDefinition, Written};
use mainstay_types::{Code, SqlType, ValueRef};

#[test]
fn changes_are_seen_by_their_own_transaction_at_once_and_by_others_after_commit() {
    let (store, table) = store_of(&[(1, 10), (2, 20)]);
    let mut writer = store.begin(Isolation::ReadCommitted);
    table.insert(&mut writer, &pair(3, 30)[..]).unwrap();
    set(&table, &mut writer, 1, 11).unwrap();
    let two = position(&table, &mut writer, 2).unwrap();
    table.delete(&mut writer, two).unwrap();
    assert_eq!(seen(&table, &mut writer), [(1, 11), (3, 30)]);
    assert_eq!(committed(&store, &table), [(1, 10), (2, 20)]);
    writer.commit().unwrap();
    assert_eq!(committed(&store, &table), [(1, 11), (3, 30)]);
}

#[test]
fn a_statement_does_not_see_what_it_inserts_itself() {
    let (store, table) = store_of(&[(1, 10)]);
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let view = transaction.begin_statement().unwrap();
    let reader = table.reader(view);
    table.insert(&mut transaction, &pair(2, 20)[..]).unwrap();
    assert_eq!(reader.count(), 1);
    assert_eq!(seen(&table, &mut transaction).len(), 2);
}

#[test]
fn rollback_takes_everything_back_also_from_indexes() {
    let (store, table) = store_of(&[(1, 10), (2, 20)]);
    let mut writer = store.begin(Isolation::ReadCommitted);
    set(&table, &mut writer, 1, 11).unwrap();
    set(&table, &mut writer, 1, 12).unwrap();
    let two = position(&table, &mut writer, 2).unwrap();
    table.delete(&mut writer, two).unwrap();
    table.insert(&mut writer, &pair(2, 22)[..]).unwrap();
    table.insert(&mut writer, &pair(3, 30)[..]).unwrap();
    assert_eq!(seen(&table, &mut writer), [(1, 12), (2, 22), (3, 30)]);
    writer.rollback();
    assert_eq!(committed(&store, &table), [(1, 10), (2, 20)]);
    let mut next = store.begin(Isolation::ReadCommitted);
    assert!(position(&table, &mut next, 3).is_none());
    set(&table, &mut next, 2, 21).unwrap();
    table.insert(&mut next, &pair(3, 31)[..]).unwrap();
    next.commit().unwrap();
    assert_eq!(committed(&store, &table), [(1, 10), (2, 21), (3, 31)]);
}

#[test]
fn savepoints_nest() {
    let (store, table) = store_of(&[(1, 10)]);
    let mut writer = store.begin(Isolation::ReadCommitted);
    table.insert(&mut writer, &pair(2, 20)[..]).unwrap();
    let outer = writer.savepoint();
    table.insert(&mut writer, &pair(3, 30)[..]).unwrap();
    set(&table, &mut writer, 1, 11).unwrap();
    let inner = writer.savepoint();
    set(&table, &mut writer, 1, 12).unwrap();
    writer.rollback_to(&inner).unwrap();
    assert_eq!(seen(&table, &mut writer), [(1, 11), (2, 20), (3, 30)]);
    writer.rollback_to(&outer).unwrap();
    assert_eq!(seen(&table, &mut writer), [(1, 10), (2, 20)]);
    table.insert(&mut writer, &pair(3, 33)[..]).unwrap();
    writer.commit().unwrap();
    assert_eq!(committed(&store, &table), [(1, 10), (2, 20), (3, 33)]);
}

#[test]
fn a_key_is_there_once() {
    let (store, table) = store_of(&[(1, 10), (2, 20)]);
    let mut writer = store.begin(Isolation::ReadCommitted);
    let error = table.insert(&mut writer, &pair(1, 0)[..]).unwrap_err();
    assert_eq!(error.code(), Code::UniqueViolation);
    assert_eq!(error.to_string(), "pairs, primary key pairs_pkey: a row with the key (1) is there already");
    let one = position(&table, &mut writer, 1).unwrap();
    let error = table.update_columns(&mut writer, one, &[(0, ValueRef::Integer(2))]).unwrap_err();
    assert_eq!(error.code(), Code::UniqueViolation);
    // The refused update left the row as it was.
    set(&table, &mut writer, 1, 11).unwrap();
    let one = position(&table, &mut writer, 1).unwrap();
    table.delete(&mut writer, one).unwrap();
    let two = position(&table, &mut writer, 2).unwrap();
    table.update_columns(&mut writer, two, &[(0, ValueRef::Integer(1))]).unwrap();
    writer.commit().unwrap();
    assert_eq!(committed(&store, &table), [(1, 20)]);
}

#[test]
fn older_views_find_rows_by_keys_that_others_have_now() {
    let (store, table) = store_of(&[(1, 10), (2, 20)]);
    let mut old = store.begin(Isolation::RepeatableRead);
    old.begin_statement().unwrap();
    for _ in 0..3 {
        let mut writer = store.begin(Isolation::ReadCommitted);
        let one = position(&table, &mut writer, 1).unwrap();
        table.delete(&mut writer, one).unwrap();
        let two = position(&table, &mut writer, 2).unwrap();
        // Takes over the key of another row, and has an earlier version of the same row.
        let Written::Done(moved) = table.update_columns(&mut writer, two, &[(0, ValueRef::Integer(1))]).unwrap() else {
            panic!("the row is there");
        };
        table.insert(&mut writer, &pair(2, 99)[..]).unwrap();
        table.update_columns(&mut writer, moved, &[(1, ValueRef::Integer(7))]).unwrap();
        writer.commit().unwrap();
        assert_eq!(seen(&table, &mut old), [(1, 10), (2, 20)]);
        for (id, value) in [(1, 10), (2, 20)] {
            let at = position(&table, &mut old, id).unwrap();
            let view = old.view().unwrap();
            assert_eq!(integer(&table.reader(view).version(at).unwrap(), 1), value);
        }
        assert_eq!(committed(&store, &table), [(1, 7), (2, 99)]);
    }
}

#[test]
fn not_null_and_types_are_checked() {
    let (store, table) = store_of(&[]);
    let mut writer = store.begin(Isolation::ReadCommitted);
    let error = table.insert(&mut writer, &[ValueRef::Null, ValueRef::Integer(1)][..]).unwrap_err();
    assert_eq!((error.code(), error.place()), (Code::NotNullViolation, Some("pairs.id")));
    let error = table.insert(&mut writer, &[ValueRef::Text("x"), ValueRef::Null][..]).unwrap_err();
    assert_eq!(error.code(), Code::TypeMismatch);
    table.insert(&mut writer, &[ValueRef::Integer(1), ValueRef::Null][..]).unwrap();
    assert_eq!(seen(&table, &mut writer), [(1, -1)]);
}

fn family() -> (Store, [std::sync::Arc<mainstay_store::NativeTable>; 2]) {
    let store = Store::in_memory();
    let parent = store.create_table(pairs(true)).unwrap();
    let mut child =
        TableDefinition::new("child", vec![column("id", SqlType::BigInt), column("pair", SqlType::Integer)]);
    child.foreign_keys.push(ForeignKey {
        name: "child_pair".into(),
        columns: vec![1],
        parent: "pairs".into(),
        parent_columns: vec![0],
    });
    let child = store.create_table(child.with_primary_key(&[0])).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    table_rows(&parent, &mut transaction, &[(1, 10), (2, 20)]);
    transaction.commit().unwrap();
    (store, [parent, child])
}

fn table_rows(
    table: &std::sync::Arc<mainstay_store::NativeTable>,
    transaction: &mut mainstay_store::Transaction,
    rows: &[(i64, i64)],
) {
    for (id, value) in rows {
        table.insert(transaction, &pair(*id, *value)[..]).unwrap();
    }
}

#[test]
fn references_hold_both_ways() {
    let (store, [parent, child]) = family();
    let mut writer = store.begin(Isolation::ReadCommitted);
    table_rows(&child, &mut writer, &[(1, 1)]);
    child.insert(&mut writer, &[ValueRef::Integer(2), ValueRef::Null][..]).unwrap();
    writer.end_statement().unwrap();
    let before = writer.savepoint();
    table_rows(&child, &mut writer, &[(3, 7)]);
    let error = writer.end_statement().unwrap_err();
    assert_eq!(error.code(), Code::ForeignKeyViolation);
    assert_eq!(error.to_string(), "child, foreign key child_pair: there is no row with the key (7) in pairs");
    writer.rollback_to(&before).unwrap();
    writer.commit().unwrap();

    let mut writer = store.begin(Isolation::ReadCommitted);
    let one = position(&parent, &mut writer, 1).unwrap();
    parent.delete(&mut writer, one).unwrap();
    let error = writer.commit().unwrap_err();
    assert_eq!(error.to_string(), "pairs, foreign key child_pair: rows in child refer to the key (1)");
    assert_eq!(committed(&store, &parent), [(1, 10), (2, 20)]);

    // In one statement, in whatever order; and a change that leaves the key alone.
    let mut writer = store.begin(Isolation::ReadCommitted);
    set(&parent, &mut writer, 1, 11).unwrap();
    writer.end_statement().unwrap();
    let one = position(&parent, &mut writer, 1).unwrap();
    parent.delete(&mut writer, one).unwrap();
    let row = position(&child, &mut writer, 1).unwrap();
    child.delete(&mut writer, row).unwrap();
    writer.commit().unwrap();
    assert_eq!(committed(&store, &parent), [(2, 20)]);
    assert!(store.drop_table("pairs").is_err());
    store.drop_table("child").unwrap();
    store.drop_table("pairs").unwrap();
}

#[test]
fn indexes_are_made_over_rows_that_are_there() {
    let (store, table) = store_of(&[(1, 10), (2, 20), (3, 20)]);
    let by_value = |name: &str, unique| mainstay_store::definition::index(name.into(), &[1], unique);
    assert_eq!(table.create_index(&by_value("values", true)).unwrap_err().code(), Code::UniqueViolation);
    assert_eq!(table.create_index(&by_value("by_value", false)).unwrap(), 1);
    let mut writer = store.begin(Isolation::ReadCommitted);
    set(&table, &mut writer, 3, 30).unwrap();
    assert_eq!(table.create_index(&by_value("values", true)).unwrap_err().code(), Code::Busy);
    writer.commit().unwrap();
    assert_eq!(table.create_index(&by_value("values", true)).unwrap(), 2);
    let mut writer = store.begin(Isolation::ReadCommitted);
    assert_eq!(table.insert(&mut writer, &pair(4, 30)[..]).unwrap_err().code(), Code::UniqueViolation);
    let view = writer.begin_statement().unwrap();
    let mut reader = table.reader(view);
    assert_eq!(integer(&reader.get(2, &[ValueRef::Integer(20)]).unwrap().unwrap(), 0), 2);
}

#[test]
fn a_row_is_changed_by_its_key_at_once_or_not_at_all() {
    let (store, table) = store_of(&[(1, 10), (2, 20)]);
    let key = |id| [ValueRef::Integer(id)];
    let change = [(1, ValueRef::Integer(5))];
    let mut writer = store.begin(Isolation::ReadCommitted);
    let view = writer.begin_statement().unwrap();
    // The first change of a transaction may have to wait, and goes the long way.
    assert_eq!(table.update_by_key(&mut writer, (0, &key(1)), &change, view).unwrap(), None);
    table.insert(&mut writer, &pair(3, 30)[..]).unwrap();
    let view = writer.begin_statement().unwrap();
    for id in [1, 3] {
        assert!(table.update_by_key(&mut writer, (0, &key(id)), &change, view).unwrap().is_some());
    }
    assert_eq!(table.update_by_key(&mut writer, (0, &key(9)), &change, view).unwrap(), None);
    let error = table.update_by_key(&mut writer, (0, &[ValueRef::Null]), &change, view).unwrap_err();
    assert_eq!(error.code(), Code::InvalidValue);
    assert_eq!(table.update_by_key(&mut writer, (7, &key(2)), &change, view).unwrap(), None);
    let error = table.update_by_key(&mut writer, (0, &key(1)), &[(0, ValueRef::Integer(2))], view).unwrap_err();
    assert_eq!(error.code(), Code::UniqueViolation);
    // Another transaction has changed the row, and is not done.
    let mut other = store.begin(Isolation::ReadCommitted);
    set(&table, &mut other, 2, 22).unwrap();
    let view = writer.begin_statement().unwrap();
    assert_eq!(table.update_by_key(&mut writer, (0, &key(2)), &change, view).unwrap(), None);
    other.commit().unwrap();
    // The view is older than that.
    assert_eq!(table.update_by_key(&mut writer, (0, &key(2)), &change, view).unwrap(), None);
    let savepoint = writer.savepoint();
    let view = writer.begin_statement().unwrap();
    assert!(table.update_by_key(&mut writer, (0, &key(2)), &change, view).unwrap().is_some());
    assert_eq!(seen(&table, &mut writer), [(1, 5), (2, 5), (3, 5)]);
    writer.rollback_to(&savepoint).unwrap();
    writer.commit().unwrap();
    assert_eq!(committed(&store, &table), [(1, 5), (2, 22), (3, 5)]);
}

/// The entry by which a row was found points to the new version before the other indexes have taken it.
#[test]
fn a_row_found_by_one_key_and_refused_by_another_is_found_as_before() {
    let (store, table) = store_of(&[(1, 10), (2, 20), (3, 30)]);
    let index = |name: &str, unique| mainstay_store::definition::index(name.into(), &[1], unique);
    assert_eq!(table.create_index(&index("values", true)).unwrap(), 1);
    assert_eq!(table.create_index(&index("by_value", false)).unwrap(), 2);
    let mut writer = store.begin(Isolation::ReadCommitted);
    set(&table, &mut writer, 3, 33).unwrap();
    let view = writer.begin_statement().unwrap();
    let mut change = |(index, key): (usize, i64), (column, value): (usize, i64)| {
        let changes = [(column, ValueRef::Integer(value))];
        let changed = table.update_by_key(&mut writer, (index, &[ValueRef::Integer(key)]), &changes, view);
        changed.map(|row| row.is_some()).map_err(|error| error.code())
    };
    let found = |index: usize, key: i64| {
        let mut own = store.begin(Isolation::ReadCommitted);
        let view = own.begin_statement().unwrap();
        let mut reader = table.reader(view);
        let row = reader.get(index, &[ValueRef::Integer(key)]).unwrap();
        row.map(|row| (integer(&row, 0), integer(&row, 1)))
    };
    // By the second key into the first one's, and by the first key into the second one's.
    assert_eq!(change((1, 10), (0, 2)), Err(Code::UniqueViolation));
    assert_eq!(change((0, 1), (1, 20)), Err(Code::UniqueViolation));
    for (index, key) in [(0, 1), (1, 10)] {
        assert_eq!(found(index, key), Some((1, 10)));
    }
    assert_eq!(change((1, 10), (0, 5)), Ok(true));
    assert_eq!(change((0, 5), (1, 50)), Ok(true));
    assert_eq!(change((1, 50), (1, 50)), Ok(true));
    // Until it is committed, others see the row as it was, by either key.
    for (index, key) in [(0, 1), (1, 10)] {
        assert_eq!(found(index, key), Some((1, 10)));
    }
    assert_eq!(change((0, 1), (1, 11)), Ok(false));
    writer.commit().unwrap();
    assert_eq!([found(0, 5), found(1, 50), found(0, 1), found(1, 10)], [Some((5, 50)), Some((5, 50)), None, None]);
    assert_eq!(committed(&store, &table), [(2, 20), (3, 33), (5, 50)]);
}
