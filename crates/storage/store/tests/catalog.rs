//! Changes of the catalog as parts of transactions: their visibility, their refusals, and their rollback.

mod common;

use common::catalog::{ascending, column, create, rows, schema, table};
use common::{begin, open, pair, reference, until_waiting};
use mainstay_store::files::catalog::{CatalogChange, Deferrable, IndexDefinition, SequenceDefinition, TableDefinition};
use mainstay_store::{Isolation, Store};
use mainstay_types::{Code, SqlType, ValueRef};
use mainstay_vfs::Simulated;

/// A store in memory and one in a folder, each with the table `pairs` and these rows.
fn stores(keys: &[(i64, i64)]) -> Vec<(Store, u64)> {
    let stores = [Store::in_memory(), open(&Simulated::new())];
    let filled = stores.into_iter().map(|store| {
        let id = create(&store, "pairs");
        let mut transaction = begin(&store);
        for (key, value) in keys {
            store.table_of(id).unwrap().insert(&mut transaction, &pair(*key, *value)[..]).unwrap();
        }
        transaction.commit().unwrap();
        (store, id)
    });
    filled.collect()
}

fn index(id: u64, column: u64, unique: bool) -> IndexDefinition {
    IndexDefinition {
        id,
        name: format!("index_{id}"),
        unique,
        columns: ascending(&[column]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    }
}

/// The definition of a table with a column more.
fn wider(store: &Store, id: u64) -> TableDefinition {
    let mut definition = store.catalog().table(id).unwrap().clone();
    definition.columns.push(column(store.new_id(), "note", SqlType::TEXT));
    definition
}

#[test]
fn a_change_is_seen_when_it_is_committed() {
    for (store, id) in stores(&[(1, 1), (2, 2)]) {
        let version = store.catalog_version();
        let mut transaction = begin(&store);
        store.change_catalog(&mut transaction, CatalogChange::PutTable(wider(&store, id))).unwrap();
        store.change_catalog(&mut transaction, CatalogChange::PutTable(table(100, "other"))).unwrap();
        assert_eq!(store.catalog_for(&transaction).table(id).unwrap().columns.len(), 3);
        assert_eq!(store.catalog().table(id).unwrap().columns.len(), 2);
        assert_eq!(store.table("other").err().unwrap().code(), Code::UnknownTable);
        // Readers go on with the table as it was.
        assert_eq!(rows(&store, id), [(1, 1), (2, 2)]);
        let changed = store.table_for(&transaction, id).unwrap();
        assert_eq!(common::seen(&changed, &mut transaction), [(1, 1), (2, 2)]);
        assert_eq!(store.catalog_version(), version);
        transaction.commit().unwrap();
        assert!(store.catalog_version() > version);
        assert_eq!(store.table("pairs").unwrap().types().len(), 3);
        assert_eq!(store.table("dbo.other").unwrap().id(), 100);
        assert_eq!(rows(&store, id), [(1, 1), (2, 2)]);
    }
}

#[test]
fn a_rollback_puts_everything_back() {
    for (store, id) in stores(&[(1, 1), (2, 2), (3, 3)]) {
        for shape in 0..3 {
            let mut transaction = begin(&store);
            let before = store.table_of(id).unwrap();
            before.insert(&mut transaction, &pair(10, 10)[..]).unwrap();
            let change = match shape {
                0 => CatalogChange::PutTable(wider(&store, id)),
                1 => CatalogChange::PutIndex { table: id, index: index(store.new_id(), id + 2, true) },
                _ => CatalogChange::DropTable(id),
            };
            store.change_catalog(&mut transaction, change).unwrap();
            if shape < 2 {
                let changed = store.table_for(&transaction, id).unwrap();
                let row = [ValueRef::Integer(11), ValueRef::Integer(11), ValueRef::Null];
                changed.insert(&mut transaction, &row[..changed.types().len()]).unwrap();
                common::set(&changed, &mut transaction, 1, 100).unwrap();
                common::set(&changed, &mut transaction, 10, 101).unwrap();
            }
            transaction.rollback();
            assert_eq!(rows(&store, id), [(1, 1), (2, 2), (3, 3)], "shape {shape}");
            // The table can be written to as before, and keys are free again.
            let mut transaction = begin(&store);
            let table = store.table_of(id).unwrap();
            table.insert(&mut transaction, &pair(11, 11)[..]).unwrap();
            common::set(&table, &mut transaction, 1, 5).unwrap();
            common::set(&table, &mut transaction, 1, 1).unwrap();
            let gone = common::position(&table, &mut transaction, 11).unwrap();
            table.delete(&mut transaction, gone).unwrap();
            transaction.commit().unwrap();
        }
    }
}

#[test]
fn a_savepoint_is_gone_back_to_beyond_a_change() {
    for (store, id) in stores(&[(1, 1)]) {
        let mut transaction = begin(&store);
        store.table_of(id).unwrap().insert(&mut transaction, &pair(2, 2)[..]).unwrap();
        let savepoint = transaction.savepoint();
        store.change_catalog(&mut transaction, CatalogChange::PutTable(wider(&store, id))).unwrap();
        let put = CatalogChange::PutIndex { table: id, index: index(store.new_id(), id + 2, false) };
        store.change_catalog(&mut transaction, put).unwrap();
        let changed = store.table_for(&transaction, id).unwrap();
        changed.insert(&mut transaction, &[ValueRef::Integer(3), ValueRef::Null, ValueRef::Null][..]).unwrap();
        transaction.rollback_to(&savepoint).unwrap();
        let again = store.table_for(&transaction, id).unwrap();
        assert_eq!(again.types().len(), 2);
        again.insert(&mut transaction, &pair(3, 3)[..]).unwrap();
        transaction.commit().unwrap();
        assert_eq!(rows(&store, id), [(1, 1), (2, 2), (3, 3)]);
    }
}

#[test]
fn a_statement_planned_before_is_told() {
    for (store, id) in stores(&[(1, 1)]) {
        let before = store.table_of(id).unwrap();
        let mut transaction = begin(&store);
        store.change_catalog(&mut transaction, CatalogChange::PutTable(wider(&store, id))).unwrap();
        transaction.commit().unwrap();
        let mut transaction = begin(&store);
        let error = before.insert(&mut transaction, &pair(2, 2)[..]).unwrap_err();
        assert_eq!(error.code(), Code::DefinitionChanged);
        let error = common::set(&before, &mut transaction, 1, 2).unwrap_err();
        assert_eq!(error.code(), Code::DefinitionChanged);
    }
}

#[test]
fn indexes_are_built_over_rows_and_their_versions() {
    for (store, id) in stores(&[(1, 7), (2, 8), (3, 7)]) {
        let mut old = store.begin(Isolation::Snapshot);
        let view = old.begin_statement().unwrap();
        let mut transaction = begin(&store);
        common::set(&store.table_of(id).unwrap(), &mut transaction, 2, 9).unwrap();
        transaction.commit().unwrap();
        // Two rows have the same value: not as a unique index.
        let mut transaction = begin(&store);
        let unique = CatalogChange::PutIndex { table: id, index: index(store.new_id(), id + 2, true) };
        let error = store.change_catalog(&mut transaction, unique).unwrap_err();
        assert_eq!(error.code(), Code::UniqueViolation);
        let plain = CatalogChange::PutIndex { table: id, index: index(store.new_id(), id + 2, false) };
        store.change_catalog(&mut transaction, plain).unwrap();
        transaction.commit().unwrap();
        let table = store.table_of(id).unwrap();
        let by_value = |view| {
            let mut found = Vec::new();
            let reader = table.reader(view);
            let direction = mainstay_store::index::Direction::Ascending;
            let visit = &mut |position| {
                found.push((
                    reader.value(position, 1).to_value().to_string(),
                    reader.value(position, 0).to_value().to_string(),
                ));
                Ok(std::ops::ControlFlow::Continue(()))
            };
            reader.scan(1, &[], None, direction, true, visit).unwrap();
            found.into_iter().map(|(value, key)| format!("{value}:{key}")).collect::<Vec<_>>()
        };
        assert_eq!(by_value(table.current_view()), ["7:1", "7:3", "9:2"]);
        assert_eq!(by_value(view), ["7:1", "7:3", "8:2"], "an older view finds what it sees");
        drop(old);
    }
}

#[test]
fn rows_against_a_definition_refuse_it() {
    for (store, id) in stores(&[(1, 1), (2, 2)]) {
        let mut transaction = begin(&store);
        let with_null = [ValueRef::Integer(3), ValueRef::Null];
        store.table_of(id).unwrap().insert(&mut transaction, &with_null[..]).unwrap();
        let mut strict = store.catalog().table(id).unwrap().clone();
        strict.columns[1].not_null = true;
        let error = store.change_catalog(&mut transaction, CatalogChange::PutTable(strict)).unwrap_err();
        assert_eq!(error.code(), Code::NotNullViolation);
        // A reference that a row does not keep.
        let parent = table(200, "parents");
        store.change_catalog(&mut transaction, CatalogChange::PutTable(parent)).unwrap();
        let mut child = store.catalog().table(id).unwrap().clone();
        child.foreign_keys.push(reference(id + 2, 200, Deferrable::No));
        store.change_catalog(&mut transaction, CatalogChange::PutTable(child)).unwrap();
        assert_eq!(transaction.end_statement().unwrap_err().code(), Code::ForeignKeyViolation);
        let refused = store.change_catalog(&mut transaction, CatalogChange::DropTable(200)).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidValue);
        transaction.rollback();
        assert_eq!(rows(&store, id), [(1, 1), (2, 2)]);
    }
}

#[test]
fn references_hold_after_the_parent_was_changed() {
    for (store, id) in stores(&[(1, 1)]) {
        let mut child = table(300, "children");
        child.foreign_keys.push(reference(302, id, Deferrable::No));
        let mut transaction = begin(&store);
        store.change_catalog(&mut transaction, CatalogChange::PutTable(child)).unwrap();
        transaction.commit().unwrap();
        // The key moves to another place among the columns.
        let mut parent = wider(&store, id);
        parent.columns.rotate_right(1);
        let mut transaction = begin(&store);
        store.change_catalog(&mut transaction, CatalogChange::PutTable(parent)).unwrap();
        transaction.commit().unwrap();
        let children = store.table_of(300).unwrap();
        for (key, is_fine) in [(1, true), (2, false)] {
            let mut transaction = begin(&store);
            transaction.begin_statement().unwrap();
            children.insert(&mut transaction, &pair(key, key)[..]).unwrap();
            assert_eq!(transaction.end_statement().is_ok(), is_fine);
        }
    }
}

#[test]
fn a_change_waits_for_writers_and_writers_for_it() {
    for (store, id) in stores(&[(1, 1), (2, 2)]) {
        let mut writer = begin(&store);
        let table = store.table_of(id).unwrap();
        common::set(&table, &mut writer, 1, 10).unwrap();
        std::thread::scope(|scope| {
            let changing = scope.spawn(|| {
                let mut transaction = begin(&store);
                transaction.set_statement("ALTER TABLE pairs");
                store.change_catalog(&mut transaction, CatalogChange::PutTable(wider(&store, id))).unwrap();
                transaction.commit().unwrap();
            });
            until_waiting(&store, 1);
            let late = scope.spawn(|| {
                let mut transaction = begin(&store);
                let error = table.insert(&mut transaction, &pair(7, 7)[..]).unwrap_err();
                assert_eq!(
                    error.code(),
                    Code::DefinitionChanged,
                    "the table has another definition when its turn comes"
                );
            });
            until_waiting(&store, 2);
            common::set(&table, &mut writer, 2, 20).unwrap();
            writer.commit().unwrap();
            changing.join().unwrap();
            late.join().unwrap();
        });
        assert_eq!(rows(&store, id), [(1, 10), (2, 20)]);
    }
}

#[test]
fn a_deadlock_with_a_change_is_found() {
    for (store, id) in stores(&[(1, 1), (2, 2)]) {
        let table = store.table_of(id).unwrap();
        let mut altering = begin(&store);
        altering.set_statement("ALTER TABLE pairs");
        common::set(&table, &mut altering, 1, 10).unwrap();
        let mut writer = begin(&store);
        writer.set_statement("UPDATE pairs");
        common::set(&table, &mut writer, 2, 20).unwrap();
        std::thread::scope(|scope| {
            let altering = scope.spawn(|| {
                let outcome = store.change_catalog(&mut altering, CatalogChange::PutTable(wider(&store, id)));
                altering.commit().unwrap();
                outcome
            });
            until_waiting(&store, 1);
            let error = common::set(&table, &mut writer, 1, 30).unwrap_err();
            assert_eq!(error.code(), Code::Deadlock);
            writer.rollback();
            altering.join().unwrap().unwrap();
        });
        assert_eq!(rows(&store, id), [(1, 10), (2, 2)]);
    }
}

#[test]
fn sequences_give_no_value_twice() {
    let definition = SequenceDefinition {
        id: 50,
        schema: 1,
        name: "numbers".into(),
        start: 1,
        increment: 1,
        minimum: 1,
        maximum: 1000,
        cycle: false,
        owned_by: None,
        declared: None,
    };
    let fs = Simulated::new();
    let store = open(&fs);
    let mut transaction = begin(&store);
    store.change_catalog(&mut transaction, schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutSequence(definition)).unwrap();
    assert_eq!(store.next_value(&transaction, 50).unwrap(), 1);
    transaction.commit().unwrap();
    let rolled_back = begin(&store);
    assert_eq!(store.next_value(&rolled_back, 50).unwrap(), 2);
    rolled_back.rollback();
    assert_eq!(store.next_value(&begin(&store), 50).unwrap(), 3);
    // After a crash there is a gap, but not after closing.
    let crashed = open(&fs.after_crash(0));
    assert_eq!(crashed.next_value(&begin(&crashed), 50).unwrap(), 33);
    store.checkpoint().unwrap();
    assert_eq!(store.next_value(&begin(&store), 50).unwrap(), 4);
    let crashed = open(&fs.after_crash(0));
    assert_eq!(crashed.next_value(&begin(&crashed), 50).unwrap(), 33);
    store.close().unwrap();
    let store = open(&fs);
    assert_eq!(store.next_value(&begin(&store), 50).unwrap(), 5);
    store.set_next_value(50, 1000).unwrap();
    let store = open(&fs.after_crash(0));
    assert_eq!(store.next_value(&begin(&store), 50).unwrap(), 1000);
    assert_eq!(store.next_value(&begin(&store), 50).unwrap_err().code(), Code::InvalidValue);
}
