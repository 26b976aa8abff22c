//! A real process, killed with SIGKILL at random times: its acknowledged commits are found afterwards.
//!
//! The child is this test binary, started with an environment variable. It opens the store, reports every key that a
//! commit was acknowledged for, and continues until it is killed; then the next one does. Nothing is simulated here,
//! and so only the process dies and not the machine: for that see `recovery.rs`.

mod common;

use common::catalog::{schema, table};
use common::pair;
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Durability, Isolation, Store, StoreOptions};
use mainstay_types::Result;
use mainstay_vfs::Disk;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "MAINSTAY_KILL_FOLDER";
const KILLS: u64 = 200;

fn open(folder: &Path) -> Result<Store> {
    // Checkpoints every few hundred commits, so that many are cut off.
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: Some(8 << 10),
        memory_bytes: None,
        // Every other process reads its table whole, and two of four encode it.
        whole_bytes: if std::process::id().is_multiple_of(2) { 0 } else { StoreOptions::DEFAULT.whole_bytes },
        encodes: std::process::id() % 4 < 2,
    };
    Store::open(Arc::new(Disk), folder, options)
}

/// The keys, each with its value in both tables.
fn found(store: &Store) -> BTreeMap<i64, i64> {
    let (a, b) = (common::catalog::rows(store, 10), common::catalog::rows(store, 20));
    assert_eq!(a, b, "a transaction is whole");
    a.into_iter().collect()
}

/// Runs in the child until it is killed: each transaction sets a key in both tables.
fn work(folder: &Path) -> Result<()> {
    let store = open(folder)?;
    if store.table("a").is_err() {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        store.change_catalog(&mut transaction, schema())?;
        store.change_catalog(&mut transaction, CatalogChange::PutTable(table(10, "a")))?;
        store.change_catalog(&mut transaction, CatalogChange::PutTable(table(20, "b")))?;
        transaction.commit()?;
    }
    let mut next = found(&store).values().max().map_or(0, |value| value + 1);
    let mut out = std::io::stdout().lock();
    loop {
        let key = next % 97;
        let mut transaction = store.begin(Isolation::ReadCommitted);
        if next % 13 == 0 {
            transaction.set_durability(Durability::Full);
        }
        for table in [store.table("a")?, store.table("b")?] {
            match common::position(&table, &mut transaction, key) {
                Some(_) => drop(common::set(&table, &mut transaction, key, next)?),
                None => drop(table.insert(&mut transaction, &pair(key, next)[..])?),
            }
        }
        transaction.commit()?;
        // One write call: a line is whole or not there.
        if out.write_all(format!("{next}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
            return Ok(());
        }
        next += 1;
    }
}

#[test]
fn what_a_killed_process_acknowledged_is_there() {
    if let Ok(folder) = std::env::var(FOLDER) {
        work(Path::new(&folder)).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("db");
    let mut luck = 0x9E37_79B9_7F4A_7C15_u64;
    let (mut kills, mut acknowledged, mut commits) = (0, -1i64, 0u64);
    // Lives since the last acknowledged commit. Each may have made one more and been killed before it reported it.
    let mut silent = 0;
    while kills < KILLS {
        luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let test = std::env::current_exe().unwrap();
        let mut child = Command::new(test)
            .args(["--exact", "what_a_killed_process_acknowledged_is_there", "--nocapture", "--quiet"])
            .env(FOLDER, &folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let reading = std::thread::spawn(move || {
            // The test harness prints its own lines before.
            out.lines()
                .map_while(|line| line.ok())
                .filter_map(|line| line.trim().parse::<i64>().ok())
                .collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_micros(2_000 + luck % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let told = reading.join().unwrap();
        commits += told.len() as u64;
        silent = if told.is_empty() { silent + 1 } else { 0 };
        acknowledged = told.last().copied().unwrap_or(acknowledged);
        kills += 1;
        if !folder.join("manifest").exists() {
            assert_eq!(acknowledged, -1, "the store is gone");
            continue;
        }
        if kills % 4 == 0 {
            compare(&folder, acknowledged, silent);
        }
    }
    compare(&folder, acknowledged, silent);
    assert!(commits > kills, "the children got to do something: {commits} commits in {kills} lives");
}

/// The last value of each key, up to the acknowledged one, or one more, and one more for each life that reported
/// nothing.
fn compare(folder: &Path, acknowledged: i64, silent: i64) {
    let store = open(folder).unwrap();
    let found = found(&store);
    let last = found.values().copied().max().unwrap_or(-1);
    let possible = acknowledged..=acknowledged + 1 + silent;
    assert!(possible.contains(&last), "{last} after {acknowledged}, and {silent} lives that told nothing");
    let mut wanted = BTreeMap::new();
    wanted.extend((0..=last).map(|value| (value % 97, value)));
    assert_eq!(found, wanted);
}
