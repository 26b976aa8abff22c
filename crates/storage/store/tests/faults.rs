//! Every write, sync, rename, creation and removal failing in turn.
//!
//! When the journal cannot be written the store accepts no changes any more, reports the reason each time, and retries
//! nothing. When only a checkpoint fails it continues, and another checkpoint is taken with other files. Either way the
//! acknowledged changes are there when the store is opened on a disk that works, and reads continue meanwhile.

mod common;

use common::catalog::{rows, schema, table};
use common::pair;
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Durability, Isolation, Store, StoreOptions};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Fault, Faulty, FileSystem, Operation, Simulated};
use std::path::Path;
use std::sync::Arc;

const OPTIONS: StoreOptions =
    StoreOptions { durability: Durability::Full, checkpoint_bytes: None, memory_bytes: None, ..StoreOptions::DEFAULT };
const KINDS: [Operation; 4] = [Operation::Write, Operation::Sync, Operation::Rename, Operation::Create];

fn open(fs: Arc<dyn FileSystem>) -> Result<Store> {
    Store::open(fs, Path::new("shop"), OPTIONS)
}

fn insert(store: &Store, key: i64) -> Result<()> {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.table("pairs")?.insert(&mut transaction, &pair(key, key)[..])?;
    transaction.commit().map(|_| ())
}

/// A store with a table, on a disk that works.
fn made() -> Simulated {
    let fs = Simulated::new();
    let store = open(Arc::new(fs.clone())).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(10, "pairs"))).unwrap();
    transaction.commit().unwrap();
    store.close().unwrap();
    fs
}

/// Commits and a checkpoint: the keys that were acknowledged, and the first error.
fn script(store: &Store) -> (Vec<i64>, Option<Error>) {
    let mut acknowledged = Vec::new();
    for key in 0..8 {
        let outcome = if key == 4 { store.checkpoint() } else { insert(store, key) };
        match outcome {
            Ok(()) if key != 4 => acknowledged.push(key),
            Ok(()) => {}
            Err(error) => return (acknowledged, Some(error)),
        }
    }
    (acknowledged, None)
}

fn keys(store: &Store) -> Vec<i64> {
    rows(store, 10).iter().map(|row| row.0).collect()
}

/// Returns true if the journal still takes frames after an error of the script.
fn goes_on(store: &Store, acknowledged: &mut Vec<i64>) -> bool {
    let outcome = insert(store, 50);
    if outcome.is_ok() {
        acknowledged.push(50);
    }
    outcome.is_ok()
}

#[test]
fn a_failed_write_or_sync_ends_all_writing() {
    let mut failed = 0;
    for kind in KINDS {
        for fault in [Fault::Error, Fault::NoSpace] {
            for number in 0.. {
                let disk = made();
                let fs = Faulty::failing(disk.clone(), kind, number, fault);
                let Ok(store) = open(Arc::new(fs.clone())) else { continue };
                let (mut acknowledged, error) = script(&store);
                let Some(error) = error else {
                    // A failure that does not matter, or the end of the calls.
                    if fs.calls(kind) <= number {
                        break;
                    }
                    continue;
                };
                let what = format!("{kind:?} {number}: {error:?}");
                assert_eq!(error.code(), Code::Io, "{what}");
                if acknowledged.len() == 4 && goes_on(&store, &mut acknowledged) {
                    continue;
                }
                failed += 1;
                // The disk works again, and nothing is tried again.
                let before: Vec<u64> = KINDS.iter().map(|kind| fs.calls(*kind)).collect();
                for _ in 0..3 {
                    let again = [insert(&store, 50).unwrap_err(), store.checkpoint().unwrap_err()];
                    for again in again {
                        assert!(again.message().contains("takes no changes any more"), "{again:?}");
                        assert!(again.message().contains(error.message()), "{again:?} after {what}");
                    }
                }
                // Reads go on, with what was acknowledged.
                assert_eq!(keys(&store), acknowledged, "{what}");
                drop(store);
                assert_eq!(before, KINDS.iter().map(|kind| fs.calls(*kind)).collect::<Vec<_>>(), "{what}");
                // After a crash, whatever the disk has of what was not synced.
                for seed in 0..4 {
                    let store = open(Arc::new(disk.after_crash(seed))).unwrap();
                    let found = keys(&store);
                    let is_next = found.len() == acknowledged.len() + 1 && found.starts_with(&acknowledged);
                    assert!(found == acknowledged || is_next, "{found:?} of {acknowledged:?}, {what}");
                }
            }
        }
    }
    assert!(failed > 25, "{failed}");
}

#[test]
fn a_failed_checkpoint_takes_nothing_away_and_is_tried_again() {
    let mut survived = Vec::new();
    for kind in KINDS.into_iter().chain([Operation::Remove]) {
        for fault in [Fault::Error, Fault::NoSpace] {
            for number in 0.. {
                let disk = made();
                let fs = Faulty::failing(disk.clone(), kind, number, fault);
                let Ok(store) = open(Arc::new(fs.clone())) else { continue };
                let (mut acknowledged, error) = script(&store);
                let Some(error) = error else {
                    // A failure that does not matter, or the end of the calls.
                    if fs.calls(kind) <= number {
                        break;
                    }
                    continue;
                };
                if acknowledged.len() != 4 || !goes_on(&store, &mut acknowledged) {
                    continue;
                }
                survived.push(kind);
                let what = format!("{kind:?} {number}: {error:?}");
                let is_there = |acknowledged: &[i64], disk: Simulated| {
                    let store = open(Arc::new(disk)).unwrap();
                    assert_eq!(keys(&store), acknowledged, "{what}");
                    // And what is there can be gone on with.
                    insert(&store, 99).unwrap();
                    store.close().unwrap();
                };
                (0..4).for_each(|seed| is_there(&acknowledged, disk.after_crash(seed)));
                store.checkpoint().unwrap_or_else(|error| panic!("{error:?} after {what}"));
                (0..4).for_each(|seed| is_there(&acknowledged, disk.after_crash(seed)));
                insert(&store, 51).unwrap();
                acknowledged.push(51);
                (0..4).for_each(|seed| is_there(&acknowledged, disk.after_crash(seed)));
                store.close().unwrap();
                is_there(&acknowledged, disk);
            }
        }
    }
    for kind in KINDS.into_iter().chain([Operation::Remove]) {
        assert!(survived.contains(&kind), "no checkpoint failed by a {kind:?}: {survived:?}");
    }
}

/// A disk on which no file can be created any more: checkpoints fail again and again, and commits go on in the journal.
#[test]
fn checkpoints_that_go_on_failing_take_nothing_away() {
    for kind in [Operation::Create, Operation::Rename] {
        let disk = made();
        let counting = Faulty::counting(disk.clone());
        drop(open(Arc::new(counting.clone())).unwrap());
        let store = open(Arc::new(Faulty::lasting(disk.clone(), kind, counting.calls(kind), Fault::NoSpace))).unwrap();
        for key in 0..12 {
            insert(&store, key).unwrap();
            if key % 3 == 0 {
                assert_eq!(store.checkpoint().unwrap_err().code(), Code::Io);
            }
        }
        let acknowledged: Vec<i64> = (0..12).collect();
        assert_eq!(keys(&store), acknowledged);
        for seed in 0..8 {
            assert_eq!(keys(&open(Arc::new(disk.after_crash(seed))).unwrap()), acknowledged, "{kind:?}");
        }
        store.close().unwrap_err();
        assert_eq!(keys(&open(Arc::new(disk)).unwrap()), acknowledged, "{kind:?}");
    }
}

#[test]
fn opening_fails_cleanly() {
    for kind in KINDS.into_iter().chain([Operation::Read]) {
        for number in 0..50 {
            let disk = made();
            let Err(error) = open(Arc::new(Faulty::failing(disk.clone(), kind, number, Fault::Error))) else { break };
            assert!(matches!(error.code(), Code::Io | Code::Damaged), "{error:?}");
            assert!(rows(&open(Arc::new(disk)).unwrap(), 10).is_empty());
        }
    }
}
