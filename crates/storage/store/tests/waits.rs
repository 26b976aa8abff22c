//! Transactions that wait for each other, in threads of their own.

mod common;

use common::*;
use mainstay_store::{Isolation, LockMode, NativeTable, Store, Transaction, Written};
use mainstay_types::{Code, Result, ValueRef};
use std::sync::Arc;
use std::time::Duration;

/// Lets go on when this many transactions wait.
fn until_waiting(store: &Store, count: usize) {
    while store.waiting() < count {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn begin(store: &Store, statement: &str) -> Transaction {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    transaction.set_statement(statement);
    transaction
}

#[test]
fn the_second_writer_waits_for_the_first_and_then_sees_its_version() {
    let (store, table) = store_of(&[(1, 10)]);
    for rolls_back in [false, true] {
        let mut first = begin(&store, "first");
        let before = committed(&store, &table)[0].1;
        set(&table, &mut first, 1, before + 1).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let mut second = begin(&store, "second");
                let written = set(&table, &mut second, 1, 0).unwrap();
                match written {
                    Written::Moved(newest) => table.update_columns(&mut second, newest, &[(1, ValueRef::Integer(99))]),
                    other => Ok(other),
                }
                .unwrap();
                second.commit().unwrap();
                written
            });
            until_waiting(&store, 1);
            if rolls_back {
                first.rollback()
            } else {
                first.commit().map(|_| ()).unwrap()
            }
            let written = second.join().unwrap();
            assert_eq!(matches!(written, Written::Moved(_)), !rolls_back);
        });
        assert_eq!(committed(&store, &table), [(1, if rolls_back { 0 } else { 99 })]);
    }
}

#[test]
fn a_deadlock_is_found_at_once_and_names_both_statements() {
    let (store, table) = store_of(&[(1, 10), (2, 20)]);
    let mut first = begin(&store, "UPDATE one");
    let mut second = begin(&store, "UPDATE two");
    set(&table, &mut first, 1, 11).unwrap();
    set(&table, &mut second, 2, 22).unwrap();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            set(&table, &mut first, 2, 12).unwrap();
            first.commit().unwrap();
        });
        until_waiting(&store, 1);
        let error = set(&table, &mut second, 1, 21).unwrap_err();
        assert_eq!(error.code(), Code::Deadlock);
        assert!(error.message().contains("UPDATE one") && error.message().contains("UPDATE two"), "{error}");
        second.rollback();
        waiter.join().unwrap();
    });
    assert_eq!(committed(&store, &table), [(1, 11), (2, 12)]);
}

#[test]
fn a_cycle_of_three_is_a_deadlock_too() {
    let (store, table) = store_of(&[(1, 10), (2, 20), (3, 30)]);
    let mut all: Vec<Transaction> = (1..=3).map(|i| begin(&store, &format!("statement {i}"))).collect();
    for (i, transaction) in all.iter_mut().enumerate() {
        set(&table, transaction, i as i64 + 1, 0).unwrap();
    }
    let mut last = all.pop().unwrap();
    std::thread::scope(|scope| {
        for (i, mut transaction) in all.into_iter().enumerate() {
            let (store, table) = (&store, &table);
            scope.spawn(move || {
                set(table, &mut transaction, i as i64 + 2, 7).unwrap();
                transaction.commit().unwrap();
            });
            until_waiting(store, i + 1);
        }
        assert_eq!(set(&table, &mut last, 1, 9).unwrap_err().code(), Code::Deadlock);
        last.rollback();
    });
    assert_eq!(committed(&store, &table).len(), 3);
}

#[test]
fn a_lock_timeout_is_an_error_of_its_own() {
    let (store, table) = store_of(&[(1, 10)]);
    let mut first = begin(&store, "first");
    set(&table, &mut first, 1, 11).unwrap();
    let mut second = begin(&store, "second");
    second.set_lock_timeout(Some(Duration::from_millis(20)));
    let error = set(&table, &mut second, 1, 12).unwrap_err();
    assert_eq!(error.code(), Code::LockTimeout);
    assert_eq!(error.to_string(), "\"second\" waited 20 ms for a row that another transaction holds");
}

fn insert_second(first_commits: bool) -> Result<u64> {
    let (store, table) = store_of(&[]);
    let mut first = begin(&store, "first");
    table.insert(&mut first, &pair(1, 10)[..]).unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut second = begin(&store, "second");
            let inserted = table.insert(&mut second, &pair(1, 11)[..]);
            second.commit().unwrap();
            inserted
        });
        until_waiting(&store, 1);
        if first_commits {
            first.commit().map(|_| ()).unwrap()
        } else {
            first.rollback()
        }
        let outcome = second.join().unwrap();
        assert_eq!(committed(&store, &table), [(1, if first_commits { 10 } else { 11 })]);
        outcome
    })
}

#[test]
fn a_second_row_with_the_same_key_waits_for_the_first() {
    assert_eq!(insert_second(true).unwrap_err().code(), Code::UniqueViolation);
    insert_second(false).unwrap();
}

#[test]
fn locked_rows_are_not_changed_by_others() {
    let (store, table) = store_of(&[(1, 10)]);
    let [mut first, mut second, mut third] = [0; 3].map(|_| begin(&store, "lock"));
    let lock = |transaction: &mut Transaction, mode| {
        transaction.set_lock_timeout(Some(Duration::ZERO));
        let at = position(&table, transaction, 1).unwrap();
        table.lock(transaction, at, mode).map(|_| ())
    };
    lock(&mut first, LockMode::Share).unwrap();
    lock(&mut second, LockMode::Share).unwrap();
    assert_eq!(lock(&mut third, LockMode::Exclusive).unwrap_err().code(), Code::LockTimeout);
    assert_eq!(set(&table, &mut first, 1, 11).unwrap_err().code(), Code::LockTimeout);
    second.rollback();
    set(&table, &mut first, 1, 11).unwrap();
    assert_eq!(lock(&mut third, LockMode::Share).unwrap_err().code(), Code::LockTimeout);
    first.commit().unwrap();
    lock(&mut third, LockMode::Exclusive).unwrap();
    third.commit().unwrap();
    assert_eq!(committed(&store, &table), [(1, 11)]);
}

/// Moves money between accounts in several threads; the sum stays, whatever is refused and run again.
fn transfers(level: Isolation) {
    let accounts = 10;
    let (store, table) = store_of(&(0..accounts).map(|id| (id, 100)).collect::<Vec<_>>());
    let transfer = |store: &Store, table: &Arc<NativeTable>, from: i64, to: i64| -> Result<()> {
        let mut transaction = store.begin(level);
        for (id, change) in [(from, -1), (to, 1)] {
            let mut at = position(table, &mut transaction, id).unwrap();
            loop {
                let (_, group) = table.resolve(at).unwrap();
                let ValueRef::Integer(value) = group.value((at & 0xFFFF) as usize, 1) else { panic!("a value") };
                match table.update_columns(&mut transaction, at, &[(1, ValueRef::Integer(value + change))])? {
                    Written::Done(_) => break,
                    Written::Moved(newest) => at = newest,
                    Written::Deleted | Written::Gone => panic!("accounts are not closed"),
                }
            }
        }
        transaction.commit().map(|_| ())
    };
    std::thread::scope(|scope| {
        for thread in 0..3i64 {
            let (store, table) = (&store, &table);
            scope.spawn(move || {
                for turn in 0..300 {
                    let (from, to) = ((turn * 3 + thread) % accounts, (turn * 7 + thread * 5 + 1) % accounts);
                    if from != to {
                        while let Err(error) = transfer(store, table, from, to) {
                            assert!(matches!(error.code(), Code::Deadlock | Code::Conflict), "{error}");
                        }
                    }
                }
            });
        }
    });
    assert_eq!(committed(&store, &table).iter().map(|(_, value)| value).sum::<i64>(), accounts * 100);
}

#[test]
fn money_is_neither_lost_nor_made() {
    for level in [Isolation::ReadCommitted, Isolation::Snapshot, Isolation::Serializable] {
        transfers(level);
    }
}

fn seven() -> mainstay_store::KeyRange {
    let seven = Some(mainstay_types::Value::Integer(7));
    vec![mainstay_store::Interval { column: 0, low: seven.clone(), high: seven }]
}

/// A row that does not exist is locked by the transaction that has looked for it, until that ends.
#[test]
fn nobody_else_puts_a_row_into_a_range_that_is_held() {
    let (store, table) = store_of(&[(1, 10)]);
    let mut first = begin(&store, "SELECT with HOLDLOCK");
    table.lock_range(&mut first, seven(), LockMode::Exclusive).unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let mut second = begin(&store, "INSERT");
            // Another key is free, both for a row and for a range.
            table.insert(&mut second, &pair(8, 0)[..]).unwrap();
            let inserted = table.insert(&mut second, &pair(7, 2)[..]);
            second.rollback();
            inserted.err().map(|error| error.code())
        });
        until_waiting(&store, 1);
        table.insert(&mut first, &pair(7, 1)[..]).unwrap();
        first.commit().unwrap();
        assert_eq!(second.join().unwrap(), Some(Code::UniqueViolation));
    });
    let mut third = begin(&store, "alone");
    table.lock_range(&mut third, seven(), LockMode::Exclusive).unwrap();
    third.rollback();
    let mut fourth = begin(&store, "update");
    set(&table, &mut fourth, 1, 11).unwrap();
    fourth.commit().unwrap();
}

/// Two that share a range and both insert a row into it wait for each other: one of them gets the deadlock at once.
#[test]
fn a_shared_range_that_both_fill_is_a_deadlock() {
    let (store, table) = store_of(&[]);
    let mut first = begin(&store, "first");
    let mut second = begin(&store, "second");
    table.lock_range(&mut first, seven(), LockMode::Share).unwrap();
    table.lock_range(&mut second, seven(), LockMode::Share).unwrap();
    std::thread::scope(|scope| {
        let (of_first, of_second) = (Arc::clone(&table), table);
        let waiting = scope.spawn(move || {
            let inserted = of_first.insert(&mut first, &pair(7, 1)[..]);
            first.commit().unwrap();
            inserted.map(|_| ())
        });
        until_waiting(&store, 1);
        let refused = of_second.insert(&mut second, &pair(7, 2)[..]).unwrap_err();
        assert_eq!(refused.code(), Code::Deadlock);
        second.rollback();
        waiting.join().unwrap().unwrap();
    });
}

/// The rows with this number in a view: their positions.
fn found(table: &NativeTable, view: mainstay_store::View) -> Vec<u64> {
    let (mut reader, mut positions) = (table.reader(view), Vec::new());
    positions.extend(reader.get(0, &[ValueRef::Integer(7)]).unwrap().map(|version| version.position));
    positions
}

#[test]
fn a_row_that_was_put_in_is_found_and_waited_for_by_who_asks() {
    let fs = mainstay_vfs::Simulated::new();
    let store = open(&fs);
    let id = catalog::create(&store, "one");
    let table = store.table_of(id).unwrap();
    let levels = [Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Serializable];
    for (round, level) in levels.into_iter().enumerate() {
        for has_read in [false, true] {
            let mut second = store.begin(level);
            second.set_waits_for_pending(true);
            if has_read {
                second.begin_statement().unwrap();
            }
            let mut first = begin(&store, "first");
            let position = table.insert(&mut first, &pair(7, round as i64)[..]).unwrap();
            // Transactions that do not ask to wait find nothing, nor does a snapshot.
            let snapshot = &mut store.begin(Isolation::Snapshot);
            snapshot.set_waits_for_pending(true);
            for other in [&mut begin(&store, "other"), snapshot] {
                let view = other.begin_statement().unwrap();
                assert!(other.pending_view(&table, view).is_none());
            }
            let view = second.begin_statement().unwrap();
            let wide = second.pending_view(&table, view).unwrap();
            assert_eq!((found(&table, view), found(&table, wide)), (vec![], vec![position]));
            let (waited, mut second) = std::thread::scope(|scope| {
                let table = &table;
                let waiting = scope.spawn(move || (second.wait_for_pending(table, position, view), second));
                until_waiting(&store, 1);
                first.commit().unwrap();
                waiting.join().unwrap()
            });
            let begins_again = match waited {
                Ok(waited) => waited && level == Isolation::ReadCommitted,
                Err(error) => error.code() == Code::Conflict && second.look_again(),
            };
            assert_eq!(begins_again, level == Isolation::ReadCommitted || !has_read, "{level:?} {has_read}");
            let view = second.begin_statement().unwrap();
            assert_eq!(found(&table, view).len(), usize::from(begins_again));
            assert!(second.pending_view(&table, view).is_none(), "nobody else writes");
            second.rollback();
            let mut third = begin(&store, "third");
            assert_eq!(table.delete(&mut third, position).unwrap(), Written::Done(position));
            third.commit().unwrap();
        }
    }
}
