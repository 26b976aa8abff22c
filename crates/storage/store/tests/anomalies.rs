//! The anomalies of the Hermitage list, at every isolation level: those that a level must prevent, and those it allows.
//!
//! Each test runs the same steps at all levels and states the result of each. A writer that would have to wait has a
//! lock timeout of zero here, so that one thread can play both parts; real waits are tested in `waits.rs`.
//!
//! | anomaly | read committed | repeatable read, snapshot | serializable |
//! |---|---|---|---|
//! | G0 dirty write, G1a aborted, G1b intermediate, G1c circular | no | no | no |
//! | P4 lost update | as a blind write only | no | no |
//! | G-single read skew | yes | no | no |
//! | G2-item write skew, G2 phantom | yes | yes | no |

mod common;

use common::*;
use mainstay_columnar::{Comparison, Predicate};
use mainstay_store::{Isolation, NativeTable, Read, Store, Transaction, Written};
use mainstay_types::{Code, Result, Value, ValueRef};
use std::sync::Arc;
use std::time::Duration;

const LEVELS: [Isolation; 4] =
    [Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Snapshot, Isolation::Serializable];

/// A store with two rows, and two transactions at a level whose first statements have begun.
fn two(level: Isolation) -> (Store, Arc<NativeTable>, Transaction, Transaction) {
    let (store, table) = store_of(&[(1, 10), (2, 20)]);
    let [mut first, mut second] = [store.begin(level), store.begin(level)];
    for transaction in [&mut first, &mut second] {
        transaction.set_lock_timeout(Some(Duration::ZERO));
        transaction.begin_statement().unwrap();
    }
    (store, table, first, second)
}

/// Reads all rows, and reports the reads.
fn read_all(table: &NativeTable, transaction: &mut Transaction) -> Vec<(i64, i64)> {
    transaction.note_read(table, Read::Everything);
    seen(table, transaction)
}

/// Reads the value of a row, and reports the read.
fn read_one(table: &NativeTable, transaction: &mut Transaction, id: i64) -> i64 {
    let equal = Predicate::Compare { column: 0, op: Comparison::Equal, value: Value::Integer(id) };
    transaction.note_read(table, Read::Where(equal));
    let rows = seen(table, transaction);
    rows.into_iter().find(|(found, _)| *found == id).map_or(-1, |(_, value)| value)
}

/// Writes a value as UPDATE does: if another transaction was first, it reads the newest version again.
fn update(table: &Arc<NativeTable>, transaction: &mut Transaction, id: i64, value: i64) -> Result<()> {
    let mut at = position(table, transaction, id).unwrap();
    loop {
        match table.update_columns(transaction, at, &[(1, ValueRef::Integer(value))])? {
            Written::Moved(newest) => at = newest,
            _ => return Ok(()),
        }
    }
}

fn code(result: Result<impl std::fmt::Debug>) -> Code {
    result.unwrap_err().code()
}

#[test]
fn g0_dirty_writes_do_not_mix() {
    for level in LEVELS {
        let (store, table, mut first, mut second) = two(level);
        update(&table, &mut first, 1, 11).unwrap();
        assert_eq!(code(update(&table, &mut second, 1, 12)), Code::LockTimeout, "{level:?}");
        update(&table, &mut first, 2, 21).unwrap();
        first.commit().unwrap();
        let late = update(&table, &mut second, 1, 12);
        match level {
            Isolation::ReadCommitted => {
                late.unwrap();
                update(&table, &mut second, 2, 22).unwrap();
                second.commit().unwrap();
                assert_eq!(committed(&store, &table), [(1, 12), (2, 22)]);
            }
            _ => {
                assert_eq!(code(late), Code::Conflict);
                second.rollback();
                assert_eq!(committed(&store, &table), [(1, 11), (2, 21)]);
            }
        }
    }
}

#[test]
fn g1a_what_is_rolled_back_is_never_seen() {
    for level in LEVELS {
        let (_, table, mut first, mut second) = two(level);
        update(&table, &mut first, 1, 101).unwrap();
        assert_eq!(read_all(&table, &mut second), [(1, 10), (2, 20)], "{level:?}");
        first.rollback();
        assert_eq!(read_all(&table, &mut second), [(1, 10), (2, 20)]);
        second.commit().unwrap();
    }
}

#[test]
fn g1b_intermediate_values_are_never_seen() {
    for level in LEVELS {
        let (_, table, mut first, mut second) = two(level);
        update(&table, &mut first, 1, 101).unwrap();
        assert_eq!(read_one(&table, &mut second, 1), 10, "{level:?}");
        update(&table, &mut first, 1, 11).unwrap();
        first.commit().unwrap();
        let expected = if level == Isolation::ReadCommitted { 11 } else { 10 };
        assert_eq!(read_one(&table, &mut second, 1), expected, "{level:?}");
        second.commit().unwrap();
    }
}

#[test]
fn g1c_information_does_not_flow_in_a_circle() {
    for level in LEVELS {
        let (_, table, mut first, mut second) = two(level);
        update(&table, &mut first, 1, 11).unwrap();
        update(&table, &mut second, 2, 22).unwrap();
        assert_eq!(read_one(&table, &mut first, 2), 20, "{level:?}");
        assert_eq!(read_one(&table, &mut second, 1), 10, "{level:?}");
        first.commit().unwrap();
        let outcome = second.commit();
        assert_eq!(outcome.is_ok(), level != Isolation::Serializable, "{level:?}");
    }
}

#[test]
fn p4_updates_are_not_lost() {
    for level in LEVELS {
        let (store, table, mut first, mut second) = two(level);
        assert_eq!((read_one(&table, &mut first, 1), read_one(&table, &mut second, 1)), (10, 10));
        update(&table, &mut first, 1, 11).unwrap();
        first.commit().unwrap();
        // A statement that looks again at the newest version computes from it; one that writes blindly does not.
        let at = position(&table, &mut second, 1).unwrap();
        match (level, table.update_columns(&mut second, at, &[(1, ValueRef::Integer(11))])) {
            (Isolation::ReadCommitted, Ok(Written::Done(_))) => second.commit().map(|_| ()).unwrap(),
            (Isolation::ReadCommitted, other) => panic!("{other:?}"),
            (_, other) => assert_eq!(code(other), Code::Conflict, "{level:?}"),
        }
        assert_eq!(committed(&store, &table)[0], (1, 11));
    }
}

#[test]
fn p4_a_statement_that_comes_second_is_shown_the_newest_version() {
    let (store, table, mut first, mut second) = two(Isolation::ReadCommitted);
    let stale = position(&table, &mut second, 1).unwrap();
    update(&table, &mut first, 1, 11).unwrap();
    first.commit().unwrap();
    let Written::Moved(newest) = table.update_columns(&mut second, stale, &[(1, ValueRef::Integer(0))]).unwrap() else {
        panic!("the row has changed");
    };
    let (_, group) = table.resolve(newest).unwrap();
    assert_eq!(group.value((newest & 0xFFFF) as usize, 1), ValueRef::Integer(11));
    table.update_columns(&mut second, newest, &[(1, ValueRef::Integer(12))]).unwrap();
    second.commit().unwrap();
    assert_eq!(committed(&store, &table)[0], (1, 12));
    // Deleted by the first.
    let (_, table, mut first, mut second) = two(Isolation::ReadCommitted);
    let stale = position(&table, &mut second, 1).unwrap();
    table.delete(&mut first, stale).unwrap();
    first.commit().unwrap();
    assert_eq!(table.delete(&mut second, stale).unwrap(), Written::Deleted);
}

#[test]
fn g_single_read_skew() {
    for level in LEVELS {
        let (_, table, mut first, mut second) = two(level);
        assert_eq!(read_one(&table, &mut first, 1), 10);
        update(&table, &mut second, 1, 12).unwrap();
        update(&table, &mut second, 2, 18).unwrap();
        second.commit().unwrap();
        let expected = if level == Isolation::ReadCommitted { 18 } else { 20 };
        assert_eq!(read_one(&table, &mut first, 2), expected, "{level:?}");
        // It has written nothing: it may end well at any level.
        first.commit().unwrap();
    }
}

#[test]
fn g_single_with_a_write_after_the_skew() {
    for level in LEVELS {
        let (_, table, mut first, mut second) = two(level);
        assert_eq!(read_one(&table, &mut first, 1), 10);
        update(&table, &mut second, 2, 18).unwrap();
        second.commit().unwrap();
        let outcome = update(&table, &mut first, 2, 30);
        assert_eq!(outcome.is_ok(), level == Isolation::ReadCommitted, "{level:?}");
    }
}

#[test]
fn g2_item_write_skew() {
    for level in LEVELS {
        let (_, table, mut first, mut second) = two(level);
        for transaction in [&mut first, &mut second] {
            assert_eq!((read_one(&table, transaction, 1), read_one(&table, transaction, 2)), (10, 20));
        }
        update(&table, &mut first, 1, 11).unwrap();
        update(&table, &mut second, 2, 21).unwrap();
        first.commit().unwrap();
        let outcome = second.commit();
        match level {
            Isolation::Serializable => assert_eq!(code(outcome), Code::Conflict),
            _ => assert!(outcome.is_ok(), "{level:?}"),
        }
    }
}

#[test]
fn g2_phantoms_among_what_a_condition_selected() {
    for level in LEVELS {
        let (store, table, mut first, mut second) = two(level);
        let divisible = Predicate::Compare { column: 1, op: Comparison::Greater, value: Value::Integer(25) };
        for transaction in [&mut first, &mut second] {
            transaction.note_read(&table, Read::Where(divisible.clone()));
            assert!(seen(&table, transaction).iter().all(|(_, value)| *value <= 25));
        }
        table.insert(&mut first, &pair(3, 30)[..]).unwrap();
        table.insert(&mut second, &pair(4, 42)[..]).unwrap();
        first.commit().unwrap();
        let outcome = second.commit();
        let rows = committed(&store, &table).len();
        match level {
            Isolation::Serializable => assert_eq!((code(outcome), rows), (Code::Conflict, 3)),
            _ => assert!(outcome.is_ok() && rows == 4, "{level:?}"),
        }
    }
}

#[test]
fn phantoms_appear_in_the_next_statement_of_read_committed_only() {
    for level in LEVELS {
        let (_, table, mut first, mut second) = two(level);
        assert_eq!(read_all(&table, &mut first).len(), 2);
        table.insert(&mut second, &pair(3, 30)[..]).unwrap();
        second.commit().unwrap();
        let expected = if level == Isolation::ReadCommitted { 3 } else { 2 };
        assert_eq!(read_all(&table, &mut first).len(), expected, "{level:?}");
    }
}

#[test]
fn serializable_transactions_that_read_other_rows_do_not_disturb_each_other() {
    let (_, table, mut first, mut second) = two(Isolation::Serializable);
    assert_eq!(read_one(&table, &mut first, 1), 10);
    assert_eq!(read_one(&table, &mut second, 2), 20);
    update(&table, &mut first, 1, 11).unwrap();
    update(&table, &mut second, 2, 21).unwrap();
    first.commit().unwrap();
    second.commit().unwrap();
}
