//! Every write, sync, rename and creation failing in turn: the store then takes no changes, says why each time, and tries
//! nothing again; what was acknowledged is there when it is opened on a disk that works.

mod common;

use common::catalog::{rows, schema, table};
use common::pair;
use mainstay_base::{Code, Error, Result};
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Durability, Isolation, Store, StoreOptions};
use mainstay_vfs::{Fault, Faulty, FileSystem, Operation, Simulated};
use std::path::Path;
use std::sync::Arc;

const OPTIONS: StoreOptions = StoreOptions { durability: Durability::Full, checkpoint_bytes: None };
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

#[test]
fn a_failed_write_or_sync_ends_all_writing() {
    let mut failed = 0;
    for kind in KINDS {
        for fault in [Fault::Error, Fault::NoSpace] {
            for number in 0.. {
                let disk = made();
                let fs = Faulty::failing(disk.clone(), kind, number, fault);
                let Ok(store) = open(Arc::new(fs.clone())) else { continue };
                let (acknowledged, error) = script(&store);
                let Some(error) = error else { break };
                failed += 1;
                let what = format!("{kind:?} {number}: {error:?}");
                assert_eq!(error.code(), Code::Io, "{what}");
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
                let keys = |store: &Store| rows(store, 10).iter().map(|row| row.0).collect::<Vec<_>>();
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
    assert!(failed > 40, "{failed}");
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
