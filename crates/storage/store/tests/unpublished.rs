//! Commits that are decided and not published, because their sync is still under way.
//!
//! A transaction that meets what such a commit did - a key, a row, a parent, a child - waits until it is published. So
//! whatever it is told then, its next statement sees the reason. SQL Server keeps the locks of a transaction until its log
//! is hardened, and PostgreSQL makes a transaction visible before its row locks are given up; in both a refused INSERT is
//! followed by an UPDATE that finds the row.
//!
//! Syncs are held back by the file system of the test, so each of these states lasts as long as it is needed.

mod common;

use common::catalog::{create, schema, table};
use common::{begin, pair, position, reference, seen, set, until_waiting};
use mainstay_store::files::catalog::{CatalogChange, Deferrable};
use mainstay_store::{
    Durability, Isolation, LockMode, NativeTable, Read, Store, StoreOptions, Transaction, View, Written,
};
use mainstay_types::interrupt::{InForce, Interrupt};
use mainstay_types::{Code, Error, Result, ValueRef};
use mainstay_vfs::{Fault, Faulty, Operation, Simulated};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const OPTIONS: StoreOptions =
    StoreOptions { durability: Durability::Full, checkpoint_bytes: None, memory_bytes: None, ..StoreOptions::DEFAULT };

/// A store on a disk whose syncs can be held back, with a table of these pairs.
struct Slow {
    disk: Faulty<Simulated>,
    store: Store,
    table: Arc<NativeTable>,
}

impl Slow {
    fn new(rows: &[(i64, i64)]) -> Slow {
        Slow::over(Faulty::counting(Simulated::new()), rows)
    }

    fn over(disk: Faulty<Simulated>, rows: &[(i64, i64)]) -> Slow {
        let store = Store::open(Arc::new(disk.clone()), Path::new("shop"), OPTIONS).unwrap();
        let id = create(&store, "pairs");
        let table = store.table_of(id).unwrap();
        let slow = Slow { disk, store, table };
        slow.commit(|transaction, table| {
            rows.iter().try_for_each(|(id, value)| table.insert(transaction, &pair(*id, *value)[..]).map(drop))
        })
        .unwrap();
        slow
    }

    fn commit(&self, work: impl FnOnce(&mut Transaction, &Arc<NativeTable>) -> Result<()>) -> Result<u64> {
        let mut transaction = begin(&self.store);
        work(&mut transaction, &self.table)?;
        transaction.end_statement()?;
        transaction.commit()
    }

    /// Does `first`'s work and commits it up to its sync, then `second`'s, which has to wait; then lets syncs go on. Gives
    /// what both came to.
    fn beside<T: Send>(
        &self,
        first: impl FnOnce(&mut Transaction, &Arc<NativeTable>) -> Result<()> + Send,
        second: impl FnOnce() -> T + Send,
    ) -> (Result<u64>, T) {
        self.disk.hold_syncs();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| self.commit(first));
            while self.disk.held_syncs() == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            let second = scope.spawn(second);
            while self.store.waiting() == 0 && !second.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let was_quick = second.is_finished();
            self.disk.release_syncs();
            let outcome = (first.join().unwrap(), second.join().unwrap());
            assert!(!was_quick, "it did not wait for the commit");
            outcome
        })
    }
}

/// Both rows of a child that refers to a parent: `(parent, child)` tables, each with the pairs given.
fn family(slow: &Slow, children: &[(i64, i64)]) -> Arc<NativeTable> {
    let mut transaction = begin(&slow.store);
    slow.store.change_catalog(&mut transaction, schema()).unwrap();
    let id = slow.store.catalog_for(&transaction).next_id;
    let mut definition = table(id, "children");
    // `value` refers to the key of the other table.
    definition.foreign_keys.push(reference(id + 2, u64::from(slow.table.id()), Deferrable::No));
    slow.store.change_catalog(&mut transaction, CatalogChange::PutTable(definition)).unwrap();
    transaction.commit().unwrap();
    let child = slow.store.table_of(id).unwrap();
    let mut transaction = begin(&slow.store);
    for (id, value) in children {
        child.insert(&mut transaction, &pair(*id, *value)[..]).unwrap();
    }
    transaction.commit().unwrap();
    child
}

fn delete(table: &Arc<NativeTable>, transaction: &mut Transaction, id: i64) -> Result<Written> {
    let at = position(table, transaction, id).unwrap();
    table.delete(transaction, at)
}

#[test]
fn a_duplicate_key_is_told_when_the_next_statement_sees_the_row() {
    let slow = Slow::new(&[]);
    let (first, (told, found)) = slow.beside(
        |transaction, table| table.insert(transaction, &pair(7, 1)[..]).map(drop),
        || {
            let mut second = begin(&slow.store);
            let start = second.savepoint();
            second.begin_statement().unwrap();
            let told = slow.table.insert(&mut second, &pair(7, 2)[..]).unwrap_err();
            second.rollback_to(&start).unwrap();
            // INSERT, else UPDATE: the change is not lost.
            let found = position(&slow.table, &mut second, 7);
            if found.is_some() {
                set(&slow.table, &mut second, 7, 2).unwrap();
            }
            second.commit().unwrap();
            (told, found)
        },
    );
    first.unwrap();
    assert_eq!(told.code(), Code::UniqueViolation);
    assert!(found.is_some());
    assert_eq!(seen(&slow.table, &mut begin(&slow.store)), [(7, 2)]);
}

#[test]
fn a_key_that_is_given_up_is_taken_when_its_row_is_seen_no_more() {
    let slow = Slow::new(&[(7, 1)]);
    let (first, rows) = slow.beside(
        |transaction, table| delete(table, transaction, 7).map(drop),
        || {
            let mut second = begin(&slow.store);
            second.begin_statement().unwrap();
            slow.table.insert(&mut second, &pair(7, 2)[..]).unwrap();
            second.end_statement().unwrap();
            let rows = seen(&slow.table, &mut second);
            second.commit().unwrap();
            rows
        },
    );
    first.unwrap();
    assert_eq!(rows, [(7, 2)], "one row of the key");
}

#[test]
fn the_key_of_an_update_waits_too() {
    let slow = Slow::new(&[(1, 1)]);
    let (_, (told, found)) = slow.beside(
        |transaction, table| table.insert(transaction, &pair(7, 1)[..]).map(drop),
        || {
            let mut second = begin(&slow.store);
            let at = position(&slow.table, &mut second, 1).unwrap();
            let told = slow.table.update_columns(&mut second, at, &[(0, ValueRef::Integer(7))]).unwrap_err();
            (told, position(&slow.table, &mut second, 7))
        },
    );
    assert_eq!(told.code(), Code::UniqueViolation);
    assert!(found.is_some());
}

#[test]
fn a_row_that_was_changed_is_changed_again_when_the_change_is_seen() {
    let slow = Slow::new(&[(1, 10)]);
    let (_, (written, rows)) = slow.beside(
        |transaction, table| set(table, transaction, 1, 11).map(drop),
        || {
            let mut second = begin(&slow.store);
            let written = set(&slow.table, &mut second, 1, 12).unwrap();
            (written, seen(&slow.table, &mut second))
        },
    );
    assert!(matches!(written, Written::Moved(_)), "{written:?}");
    assert_eq!(rows, [(1, 11)]);
}

#[test]
fn a_conflict_is_told_when_running_again_sees_the_other_change() {
    for isolation in [Isolation::Snapshot, Isolation::RepeatableRead, Isolation::Serializable] {
        let slow = Slow::new(&[(1, 10), (2, 20)]);
        let mut second = slow.store.begin(isolation);
        second.begin_statement().unwrap();
        let (_, (told, rows)) = slow.beside(
            |transaction, table| set(table, transaction, 1, 11).map(drop),
            || {
                let told = set(&slow.table, &mut second, 1, 12).unwrap_err();
                second.rollback();
                (told, seen(&slow.table, &mut begin(&slow.store)))
            },
        );
        assert_eq!(told.code(), Code::Conflict, "{isolation:?}");
        assert_eq!(rows, [(1, 11), (2, 20)], "{isolation:?}");
    }
}

#[test]
fn a_serializable_commit_that_was_overtaken_is_refused_when_the_other_is_seen() {
    let slow = Slow::new(&[(1, 10), (2, 20)]);
    let mut second = slow.store.begin(Isolation::Serializable);
    set(&slow.table, &mut second, 2, 21).unwrap();
    second.note_read(&slow.table, Read::Everything);
    let (_, (told, rows)) = slow.beside(
        |transaction, table| set(table, transaction, 1, 11).map(drop),
        || (second.commit().unwrap_err(), seen(&slow.table, &mut begin(&slow.store))),
    );
    assert_eq!(told.code(), Code::Conflict);
    assert_eq!(rows, [(1, 11), (2, 20)]);
}

#[test]
fn a_lock_that_is_not_waited_for_is_not_given() {
    let slow = Slow::new(&[(1, 10)]);
    slow.disk.hold_syncs();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| slow.commit(|transaction, table| set(table, transaction, 1, 11).map(drop)));
        while slow.disk.held_syncs() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut second = begin(&slow.store);
        let at = position(&slow.table, &mut second, 1).unwrap();
        let locked = slow.table.lock_if_free(&mut second, at, LockMode::Exclusive, false).unwrap();
        assert_eq!(locked, None);
        slow.disk.release_syncs();
        first.join().unwrap().unwrap();
    });
}

#[test]
fn references_wait_for_parents_and_children() {
    type Work = fn(&mut Transaction, &Arc<NativeTable>, &Arc<NativeTable>) -> Result<()>;
    let add_parent: Work = |transaction, parent, _| parent.insert(transaction, &pair(2, 0)[..]).map(drop);
    let end_parent: Work = |transaction, parent, _| delete(parent, transaction, 1).map(drop);
    let add_child: Work = |transaction, _, child| child.insert(transaction, &pair(5, 1)[..]).map(drop);
    let end_child: Work = |transaction, _, child| delete(child, transaction, 9).map(drop);
    let refer_to_two: Work = |transaction, _, child| child.insert(transaction, &pair(6, 2)[..]).map(drop);
    // The children there are, the first work, the second, whether it is refused, and what is seen then of parent and child.
    type Rows = &'static [(i64, i64)];
    type Case = (&'static str, Rows, Work, Work, bool, (Rows, Rows));
    let cases: [Case; 4] = [
        ("a child of a new parent", &[], add_parent, refer_to_two, false, (&[(1, 0), (2, 0)], &[(6, 2)])),
        ("a child of a parent that is gone", &[], end_parent, add_child, true, (&[], &[])),
        ("a parent with a new child", &[], add_child, end_parent, true, (&[(1, 0)], &[(5, 1)])),
        ("a parent whose child is gone", &[(9, 1)], end_child, end_parent, false, (&[], &[])),
    ];
    for (name, children, first, second, is_refused, rows) in cases {
        let slow = Slow::new(&[(1, 0)]);
        let child = family(&slow, children);
        let (_, (outcome, parents, children)) = slow.beside(
            |transaction, parent| first(transaction, parent, &child),
            || {
                let mut transaction = begin(&slow.store);
                let start = transaction.savepoint();
                transaction.begin_statement().unwrap();
                let outcome = second(&mut transaction, &slow.table, &child).and_then(|()| transaction.end_statement());
                if outcome.is_err() {
                    transaction.rollback_to(&start).unwrap();
                }
                (outcome, seen(&slow.table, &mut transaction), seen(&child, &mut transaction))
            },
        );
        let code = outcome.err().map(|error| error.code());
        assert_eq!(code, is_refused.then_some(Code::ForeignKeyViolation), "{name}");
        assert_eq!((parents.as_slice(), children.as_slice()), rows, "{name}");
    }
}

#[test]
fn a_change_that_waits_for_new_rows_waits_for_their_publication() {
    let slow = Slow::new(&[]);
    let (_, (waited, found)) = slow.beside(
        |transaction, table| table.insert(transaction, &pair(7, 1)[..]).map(drop),
        || {
            let mut second = begin(&slow.store);
            second.set_waits_for_pending(true);
            let view = second.begin_statement().unwrap();
            let find = |view: View| {
                let mut reader = slow.table.reader(view);
                reader.get(0, &[ValueRef::Integer(7)]).unwrap().map(|version| version.position)
            };
            assert_eq!(find(view), None);
            let wide = second.pending_view(&slow.table, view).expect("the table has a writer");
            let at = find(wide).expect("the row is pending");
            let waited = second.wait_for_pending(&slow.table, at, view).unwrap();
            (waited, position(&slow.table, &mut second, 7))
        },
    );
    assert!(waited);
    assert!(found.is_some());
}

struct Stop(AtomicBool);

impl Interrupt for Stop {
    fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Acquire) { Err(Error::new(Code::Cancelled, "stopped")) } else { Ok(()) }
    }
}

/// LOCK_TIMEOUT and cancelling end this wait as they end one for an open transaction.
#[test]
fn the_wait_ends_with_the_lock_timeout_and_with_the_statement() {
    let slow = Slow::new(&[]);
    slow.disk.hold_syncs();
    std::thread::scope(|scope| {
        let first =
            scope.spawn(|| slow.commit(|transaction, table| table.insert(transaction, &pair(7, 1)[..]).map(drop)));
        while slow.disk.held_syncs() == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut second = begin(&slow.store);
        second.set_statement("second");
        second.set_lock_timeout(Some(Duration::from_millis(20)));
        let told = slow.table.insert(&mut second, &pair(7, 2)[..]).unwrap_err();
        assert_eq!(told.code(), Code::LockTimeout);
        assert_eq!(told.message(), "\"second\" waited 20 ms for a row that another transaction holds");
        second.rollback();

        let stop = Arc::new(Stop(AtomicBool::new(false)));
        let stopped = {
            let (stop, slow) = (Arc::clone(&stop), &slow);
            scope.spawn(move || {
                let _in_force = InForce::new(stop);
                let mut third = begin(&slow.store);
                slow.table.insert(&mut third, &pair(7, 3)[..]).unwrap_err()
            })
        };
        until_waiting(&slow.store, 1);
        stop.0.store(true, Ordering::Release);
        assert_eq!(stopped.join().unwrap().code(), Code::Cancelled);
        slow.disk.release_syncs();
        first.join().unwrap().unwrap();
    });
}

/// It is unknown if a commit is on the disk whose sync failed. It is never published, so its key is not revealed.
#[test]
fn of_a_commit_whose_sync_fails_no_key_is_told() {
    let syncs_before = {
        let slow = Slow::new(&[]);
        slow.disk.calls(Operation::Sync)
    };
    let slow = Slow::over(Faulty::lasting(Simulated::new(), Operation::Sync, syncs_before, Fault::Error), &[]);
    let (first, told) = slow.beside(
        |transaction, table| table.insert(transaction, &pair(7, 1)[..]).map(drop),
        || {
            let mut second = begin(&slow.store);
            slow.table.insert(&mut second, &pair(7, 2)[..]).unwrap_err()
        },
    );
    assert_eq!(first.unwrap_err().code(), Code::Io);
    assert_eq!(told.code(), Code::Io, "{told}");
}

/// The pattern of `race.py` of `sql-01`: INSERT, and if the key is there UPDATE. No change is lost.
#[test]
fn insert_else_update_of_many_threads_loses_no_change() {
    let slow = Slow::new(&[]);
    let (keys, threads) = (40, 4);
    let gate = std::sync::Barrier::new(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for key in 0..keys {
                    gate.wait();
                    let inserted = slow.commit(|transaction, table| {
                        transaction.begin_statement()?;
                        table.insert(transaction, &pair(key, 1)[..]).map(drop)
                    });
                    match inserted {
                        Ok(_) => continue,
                        Err(error) => assert_eq!(error.code(), Code::UniqueViolation),
                    }
                    let mut update = begin(&slow.store);
                    loop {
                        let at =
                            position(&slow.table, &mut update, key).expect("the key was refused, and is not there");
                        let view = update.begin_statement().unwrap();
                        let mut reader = slow.table.reader(view);
                        let before = common::integer(&reader.get(0, &[ValueRef::Integer(key)]).unwrap().unwrap(), 1);
                        drop(reader);
                        let change = [(1, ValueRef::Integer(before + 1))];
                        match slow.table.update_columns(&mut update, at, &change).unwrap() {
                            Written::Done(_) => break,
                            _ => continue,
                        }
                    }
                    update.commit().unwrap();
                }
            });
        }
    });
    let rows = seen(&slow.table, &mut begin(&slow.store));
    assert_eq!(rows, (0..keys).map(|key| (key, threads as i64)).collect::<Vec<_>>());
}
