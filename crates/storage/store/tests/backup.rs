//! Backups: beside running writers, and with a crash at every operation of one and of a restore.

mod common;

use common::catalog::{create, rows, schema, table};
use common::{open, pair, set};
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Isolation, Store, StoreOptions, Written};
use mainstay_types::Result;
use mainstay_vfs::{FileSystem, Simulated, explore};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const ACCOUNTS: i64 = 40;
const BALANCE: i64 = 100;
const BACKUP: &str = "shop.backup";

/// Moves an amount from one account to another one: the sum of all stays.
fn transfer(store: &Store, id: u64, number: i64) -> Result<()> {
    let table = store.table_of(id)?;
    let mut transaction = store.begin(Isolation::Snapshot);
    let balances = common::seen(&table, &mut transaction);
    let (from, to) = (number % ACCOUNTS, (number + 7) % ACCOUNTS);
    for (account, change) in [(from, -1), (to, 1)] {
        let written = set(&table, &mut transaction, account, balances[account as usize].1 + change)?;
        if !matches!(written, Written::Done(_)) {
            transaction.rollback();
            return Ok(());
        }
    }
    transaction.commit().map(drop)
}

fn with_accounts(fs: &Simulated) -> (Store, u64) {
    let store = open(fs);
    let id = create(&store, "accounts");
    put(&store, id, 0..ACCOUNTS).unwrap();
    (store, id)
}

fn put(store: &Store, id: u64, accounts: std::ops::Range<i64>) -> Result<()> {
    let table = store.table_of(id)?;
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for account in accounts {
        table.insert(&mut transaction, &pair(account, BALANCE)[..])?;
    }
    transaction.commit().map(drop)
}

/// The rows of a backup, restored into a separate folder.
fn restored(fs: &Arc<Simulated>, folder: &str, id: u64) -> Result<Vec<(i64, i64)>> {
    Store::restore(Arc::clone(fs) as Arc<dyn FileSystem>, Path::new(BACKUP), Path::new(folder))?;
    let copy = Store::open(Arc::clone(fs) as Arc<dyn FileSystem>, Path::new(folder), StoreOptions::default())?;
    let found = rows(&copy, id);
    copy.close()?;
    Ok(found)
}

#[test]
fn backups_beside_writers_are_each_of_one_moment() {
    let fs = Simulated::new();
    let (store, id) = with_accounts(&fs);
    let ends = AtomicBool::new(false);
    let fs = Arc::new(fs);
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let (store, ends) = (&store, &ends);
            scope.spawn(move || {
                let mut number = writer;
                while !ends.load(Ordering::Relaxed) {
                    // Transactions that lose against a first writer do not count.
                    drop(transfer(store, id, number));
                    number += 3;
                }
            });
        }
        let taken = (0..6).map(|number| -> Result<Vec<(i64, i64)>> {
            store.backup(Path::new(BACKUP))?;
            restored(&fs, &format!("copy-{number}"), id)
        });
        let taken: Vec<_> = taken.collect();
        ends.store(true, Ordering::Relaxed);
        let mut last = None;
        for found in taken {
            let found = found.unwrap();
            assert_eq!(found.len() as i64, ACCOUNTS);
            assert_eq!(found.iter().map(|(_, balance)| balance).sum::<i64>(), ACCOUNTS * BALANCE, "{found:?}");
            last = Some(found);
        }
        // The writers have not waited for the backups to end.
        assert!(last.unwrap().iter().any(|(_, balance)| *balance != BALANCE));
    });
}

/// The acknowledged state when the script was cut off.
#[derive(Debug, Default)]
struct Promised {
    /// The number of accounts in the last backup that was acknowledged, and in the one that was begun.
    backed_up: i64,
    begun: i64,
    is_restored: bool,
}

/// The number of the only table: a script makes it in the same way each time.
fn accounts_of(store: &Store) -> Option<u64> {
    store.catalog().tables.first().map(|table| table.id)
}

fn script(fs: &Simulated) -> Promised {
    let mut promised = Promised::default();
    // The crash ends it, wherever it comes.
    drop(backups(fs, &mut promised));
    promised
}

fn backups(fs: &Simulated, promised: &mut Promised) -> Result<()> {
    let options = || StoreOptions { checkpoint_bytes: None, ..StoreOptions::default() };
    let shared: Arc<dyn FileSystem> = Arc::new(fs.clone());
    let store = Store::open(Arc::clone(&shared), Path::new("shop"), options())?;
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema())?;
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(10, "accounts")))?;
    transaction.commit()?;
    for count in [20, 40] {
        put(&store, 10, count - 20..count)?;
        promised.begun = count;
        store.backup(Path::new(BACKUP))?;
        promised.backed_up = count;
    }
    store.close()?;
    Store::restore(shared, Path::new(BACKUP), Path::new("copy"))?;
    promised.is_restored = true;
    Ok(())
}

fn check(fs: &Simulated, promised: &Promised) -> Result<(), String> {
    let text = |error| format!("{error:?} of {promised:?}");
    let shared = Arc::new(fs.clone());
    // The file is whole, or as it was.
    if promised.backed_up > 0 || fs.open(Path::new(BACKUP)).is_ok() {
        let found = restored(&shared, "checked", 10).map_err(text)?.len() as i64;
        if found != promised.backed_up && found != promised.begun {
            return Err(format!("a backup of {found} accounts, {promised:?}"));
        }
    }
    // So is what was restored from it; a restore that was cut off leaves nothing that is taken for a database.
    let copy = Store::open(Arc::clone(&shared) as Arc<dyn FileSystem>, Path::new("copy"), StoreOptions::default());
    let found = copy.ok().and_then(|copy| accounts_of(&copy).map(|id| rows(&copy, id).len()));
    match found {
        Some(40) => Ok(()),
        None if !promised.is_restored => Ok(()),
        found => Err(format!("{found:?} accounts were restored, {promised:?}")),
    }
}

#[test]
fn every_crash_leaves_a_backup_whole_or_as_it_was() {
    let states = explore(0..4, script, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 100, "{states} states");
}
