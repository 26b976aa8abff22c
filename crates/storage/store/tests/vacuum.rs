//! Vacuum: memory is released, and readers are not disturbed.

mod common;

use common::*;
use mainstay_store::{Isolation, Store, Written};
use mainstay_types::ValueRef;

fn ids(store: &Store, count: i64) {
    let table = store.table("pairs").unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for id in 0..count {
        table.insert(&mut transaction, &pair(id, id)[..]).unwrap();
    }
    transaction.commit().unwrap();
}

fn delete_all(store: &Store, keep_every: i64) {
    let table = store.table("pairs").unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let view = transaction.begin_statement().unwrap();
    let mut positions = Vec::new();
    table
        .reader(view)
        .for_each(&mut |version| {
            if keep_every == 0 || integer(&version, 0) % keep_every != 0 {
                positions.push(version.position);
            }
            Ok(std::ops::ControlFlow::Continue(()))
        })
        .unwrap();
    for position in positions {
        assert!(matches!(table.delete(&mut transaction, position).unwrap(), Written::Done(_)));
    }
    transaction.commit().unwrap();
}

#[test]
fn deleting_and_inserting_again_does_not_grow_memory() {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    let rows = 50_000;
    ids(&store, rows);
    let full = table.bytes();
    for round in 0..10 {
        delete_all(&store, 0);
        // A transaction that deletes all rows of a table vacuums it: at once, and not over the following commits.
        assert!(table.bytes() < full / 50, "{} bytes, at first {full}, round {round}", table.bytes());
        ids(&store, rows);
        assert!(table.bytes() <= full + full / 10, "{} bytes, at first {full}, round {round}", table.bytes());
    }
    assert_eq!(committed(&store, &table).len(), rows as usize);
    delete_all(&store, 0);
    assert_eq!(committed(&store, &table), []);
}

#[test]
fn what_an_open_view_held_back_goes_soon_after_it() {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    ids(&store, 50_000);
    let full = table.bytes();
    for round in 0..3 {
        let mut old = store.begin(Isolation::Snapshot);
        assert_eq!(seen(&table, &mut old).len(), 50_000 + round);
        delete_all(&store, 0);
        assert!(table.bytes() >= full);
        assert_eq!(seen(&table, &mut old).len(), 50_000 + round);
        old.rollback();
        // No further garbage: the rest is remembered. The group that is appended to stays.
        for id in 0..100 {
            insert_one(&store, 100_000 + id);
        }
        let groups = table.directory().groups().len();
        assert_eq!(groups, 1, "round {round}: {} bytes, at first {full}", table.bytes());
        delete_all(&store, 0);
        ids(&store, 50_000 + round as i64 + 1);
    }
}

/// A separate commit for one row.
fn insert_one(store: &Store, id: i64) {
    let table = store.table("pairs").unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    table.insert(&mut transaction, &pair(id, id)[..]).unwrap();
    transaction.commit().unwrap();
}

/// Garbage that comes while a pass over the table is under way, in groups that it has passed.
#[test]
fn a_pass_that_is_under_way_forgets_nothing() {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    let rows = if cfg!(miri) { 300 } else { 200_000 };
    ids(&store, rows);
    let full = table.bytes();
    for round in 1..6 {
        // Enough for a pass, of which each of these commits does a step.
        let mut transaction = store.begin(Isolation::ReadCommitted);
        for id in 0..rows / 3 {
            set(&table, &mut transaction, id, round).unwrap();
        }
        transaction.commit().unwrap();
        insert_one(&store, rows + round);
        delete_all(&store, 0);
        insert_one(&store, rows + 10 * round);
        assert!(table.bytes() < full / 10, "{} bytes, at first {full}, round {round}", table.bytes());
        delete_all(&store, 0);
        ids(&store, rows);
    }
}

/// Deletes are noted in runs; savepoints and rollbacks must not mix them up.
#[test]
fn runs_of_deletes_are_taken_back_as_they_were_made() {
    let (store, table) = store_of(&(0..20).map(|id| (id, id)).collect::<Vec<_>>());
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let delete = |transaction: &mut mainstay_store::Transaction, ids: std::ops::Range<i64>| {
        for id in ids {
            let position = position(&table, transaction, id).unwrap();
            assert_eq!(table.delete(transaction, position).unwrap(), Written::Done(position));
        }
    };
    delete(&mut transaction, 0..5);
    let savepoint = transaction.savepoint();
    delete(&mut transaction, 5..9);
    table.insert(&mut transaction, &pair(30, 30)[..]).unwrap();
    delete(&mut transaction, 9..12);
    transaction.rollback_to(&savepoint).unwrap();
    assert_eq!(seen(&table, &mut transaction).len(), 15);
    delete(&mut transaction, 6..8);
    assert_eq!(seen(&table, &mut transaction).len(), 13);
    transaction.commit().unwrap();
    let left: Vec<i64> = committed(&store, &table).into_iter().map(|row| row.0).collect();
    assert_eq!(left, [5].into_iter().chain(8..20).collect::<Vec<_>>());
    let mut transaction = store.begin(Isolation::ReadCommitted);
    delete(&mut transaction, 8..20);
    transaction.rollback();
    assert_eq!(committed(&store, &table).len(), 13);
}

#[test]
fn rows_of_sparse_groups_move_and_older_readers_and_positions_still_find_them() {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    ids(&store, 4_000);
    let mut before = store.begin(Isolation::ReadCommitted);
    delete_all(&store, 50);
    let view = before.begin_statement().unwrap();
    let reader = table.reader(view);
    let old = table.reader(view).get(0, &[ValueRef::Integer(100)]).unwrap().unwrap().position;
    let vacuumed = table.vacuum().unwrap();
    assert!(vacuumed.moved > 30 && vacuumed.groups > 3, "{vacuumed:?}");
    // The pinned reader sees what it saw, through groups and through the index.
    assert_eq!(reader.count(), 80);
    let mut reader = reader;
    assert_eq!(reader.get(0, &[ValueRef::Integer(100)]).unwrap().unwrap().position, old);
    assert!(reader.get(0, &[ValueRef::Integer(101)]).unwrap().is_none());
    // A write that comes with the old position finds the row.
    assert!(matches!(table.update_columns(&mut before, old, &[(1, ValueRef::Integer(-7))]).unwrap(), Written::Done(_)));
    before.commit().unwrap();
    drop(reader);
    let rows = committed(&store, &table);
    assert_eq!((rows.len(), rows[2]), (80, (100, -7)));
    let mut check = store.begin(Isolation::ReadCommitted);
    for (id, _) in rows {
        assert!(position(&table, &mut check, id).is_some(), "{id}");
    }
}

#[test]
fn what_an_open_view_sees_stays() {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    ids(&store, 1_000);
    let mut old = store.begin(Isolation::RepeatableRead);
    old.begin_statement().unwrap();
    delete_all(&store, 0);
    ids(&store, 500);
    assert_eq!(table.vacuum().unwrap().versions, 0);
    assert_eq!(seen(&table, &mut old).len(), 1_000);
    assert!(position(&table, &mut old, 999).is_some() && position(&table, &mut old, 5).is_some());
    old.rollback();
    assert_eq!(table.vacuum().unwrap().versions, 1_000);
    assert_eq!(committed(&store, &table).len(), 500);
}

#[test]
fn a_row_that_is_updated_over_and_over_takes_little() {
    let (store, table) = store_of(&[(1, 0)]);
    for value in 1..=30_000 {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        set(&table, &mut transaction, 1, value).unwrap();
        transaction.commit().unwrap();
    }
    assert_eq!(committed(&store, &table), [(1, 30_000)]);
    assert!(table.bytes() < 3 << 20, "{} bytes", table.bytes());
}

#[test]
fn vacuum_runs_beside_readers_and_writers() {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    let rows = if cfg!(miri) { 80 } else { 2_000 };
    ids(&store, rows);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let is_running = || !stop.load(std::sync::atomic::Ordering::Relaxed);
    /// Stops the others also when this thread fails.
    struct Stop<'a>(&'a std::sync::atomic::AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
    std::thread::scope(|scope| {
        let running = Stop(&stop);
        // The sum of all values is the same after every commit.
        let reader = scope.spawn(|| {
            let total: i64 = (0..rows).sum();
            let mut reads = 0;
            while is_running() || reads < 3 {
                let mut transaction = store.begin(Isolation::ReadCommitted);
                let view = transaction.begin_statement().unwrap();
                let mut sum = 0;
                let mut reader = table.reader(view);
                for id in 0..rows {
                    sum += integer(&reader.get(0, &[ValueRef::Integer(id)]).unwrap().expect("every id is there"), 1);
                }
                assert_eq!(sum, total);
                assert_eq!(reader.count(), rows as usize);
                reads += 1;
            }
        });
        scope.spawn(|| {
            while is_running() {
                table.vacuum().unwrap();
                std::thread::yield_now();
            }
        });
        for turn in 0..if cfg!(miri) { 20 } else { 8_000 } {
            let mut transaction = store.begin(Isolation::ReadCommitted);
            let (from, to) = (turn * 7 % rows, (turn * 13 + 1) % rows);
            for (id, change) in [(from, -1), (to, 1)] {
                let view = transaction.begin_statement().unwrap();
                let mut reader = table.reader(view);
                let version = reader.get(0, &[ValueRef::Integer(id)]).unwrap().unwrap();
                let (at, value) = (version.position, integer(&version, 1));
                drop(reader);
                let written = table.update_columns(&mut transaction, at, &[(1, ValueRef::Integer(value + change))]);
                assert!(matches!(written.unwrap(), Written::Done(_)));
            }
            if turn % 5 == 0 { transaction.rollback() } else { transaction.commit().map(|_| ()).unwrap() }
        }
        drop(running);
        reader.join().unwrap();
    });
}
