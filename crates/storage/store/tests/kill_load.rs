//! A real process that loads, deletes and vacuums many rows at a time, killed with SIGKILL at random times: during loads,
//! checkpoints, vacuums and while it opens. Acknowledged loads are there whole, others whole or not at all, and the check
//! of all files finds nothing.
//!
//! The child is this test binary, started with an environment variable.

mod common;

use arrow_array::{ArrayRef, Int64Array};
use common::catalog::{ascending, schema, table};
use common::integer;
use mainstay_store::files::catalog::{CatalogChange, IndexDefinition};
use mainstay_store::index::Direction;
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions};
use mainstay_types::Result;
use mainstay_vfs::Disk;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "MAINSTAY_KILL_LOAD_FOLDER";
const NAME: &str = "loads_of_a_killed_process_are_whole";
const KILLS: u64 = 200;
const TABLE: u64 = 100;
/// Rows of a load, and loads that stay.
const ROWS: i64 = 4500;
const STAY: i64 = 3;

fn open(folder: &Path) -> Result<Store> {
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: Some(64 << 10),
        memory_bytes: Some(256 << 10),
        whole_bytes: if std::process::id().is_multiple_of(3) { StoreOptions::DEFAULT.whole_bytes } else { 0 },
        encodes: true,
    };
    Store::open(Arc::new(Disk), folder, options)
}

/// The value of a row: in no order.
fn value(id: i64) -> i64 {
    id.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) >> 40
}

/// Rows of each load, as a scan finds them; the index of values has as many, in their order.
fn found(table: &NativeTable) -> Result<BTreeMap<i64, i64>> {
    let (mut loads, mut count) = (BTreeMap::new(), 0);
    table.reader(table.current_view()).for_each(&mut |row| {
        let id = integer(&row, 0);
        assert_eq!(integer(&row, 1), value(id));
        *loads.entry(id / ROWS).or_insert(0) += 1;
        count += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    let reader = table.reader(table.current_view());
    let (mut by_index, mut last) = (0, i64::MIN);
    reader.scan(1, &[], None, Direction::Ascending, true, &mut |position| {
        let value = reader.version(position).map(|row| integer(&row, 1));
        assert!(value.is_some_and(|value| value >= last), "the index is not in order");
        (by_index, last) = (by_index + 1, value.unwrap_or(last));
        Ok(ControlFlow::Continue(()))
    })?;
    assert_eq!(by_index, count, "the index has other rows than the table");
    Ok(loads)
}

fn create(store: &Store) -> Result<()> {
    let index = IndexDefinition {
        id: 150,
        name: "by_value".into(),
        unique: false,
        columns: ascending(&[TABLE + 2]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema())?;
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(TABLE, "sales")))?;
    store.change_catalog(&mut transaction, CatalogChange::PutIndex { table: TABLE, index })?;
    transaction.commit().map(|_| ())
}

/// Deletes a load in one transaction.
fn delete(store: &Store, table: &Arc<NativeTable>, load: i64) -> Result<()> {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for id in load * ROWS..(load + 1) * ROWS {
        if let Some(position) = common::position(table, &mut transaction, id) {
            table.delete(&mut transaction, position)?;
        }
    }
    transaction.commit().map(|_| ())
}

/// Runs in the child until it is killed: each round loads, deletes an older load, and vacuums at times.
fn work(folder: &Path) -> Result<()> {
    let store = open(folder)?;
    if store.table("sales").is_err() {
        create(&store)?;
    }
    let table = store.table("sales")?;
    let loads = found(&table)?;
    let mut next = loads.keys().last().map_or(0, |load| load + 1);
    loads.keys().filter(|load| **load < next - STAY).try_for_each(|load| delete(&store, &table, *load))?;
    let mut out = std::io::stdout().lock();
    loop {
        let ids: Vec<i64> = (next * ROWS..(next + 1) * ROWS).collect();
        let values: Vec<i64> = ids.iter().map(|id| value(*id)).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(ids)), Arc::new(Int64Array::from(values))];
        let mut transaction = store.begin(Isolation::ReadCommitted);
        table.insert_columns(&mut transaction, &columns)?;
        transaction.commit()?;
        if next >= STAY {
            delete(&store, &table, next - STAY)?;
        }
        if next % 4 == 0 {
            store.vacuum()?;
        }
        // One write call: a line is whole or not there.
        if out.write_all(format!("{next}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
            return Ok(());
        }
        next += 1;
    }
}

#[test]
fn loads_of_a_killed_process_are_whole() {
    if let Ok(folder) = std::env::var(FOLDER) {
        work(Path::new(&folder)).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("db");
    let mut luck = 0x2545_F491_4F6C_DD1D_u64;
    // Lives since the last acknowledged load. Each may have made one more and been killed before it reported it.
    let (mut acknowledged, mut silent, mut rounds) = (-1i64, 0, 0);
    for kill in 0..KILLS {
        luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture", "--quiet"])
            .env(FOLDER, &folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let reading = std::thread::spawn(move || {
            // The test harness prints its own lines before.
            out.lines().map_while(|line| line.ok()).filter_map(|line| line.trim().parse().ok()).collect::<Vec<i64>>()
        });
        std::thread::sleep(Duration::from_micros(10_000 + luck % 240_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let told = reading.join().unwrap();
        rounds += told.len();
        silent = if told.is_empty() { silent + 1 } else { 0 };
        acknowledged = told.last().copied().unwrap_or(acknowledged);
        if kill % 10 == 9 && folder.join("manifest").exists() {
            compare(&folder, acknowledged, silent);
        }
    }
    compare(&folder, acknowledged, silent);
    assert!(rounds > 5, "the children got to do something: {rounds} loads in {KILLS} lives");
}

/// The last loads, each whole, up to the acknowledged one, or one more, and one more for each life that reported nothing.
fn compare(folder: &Path, acknowledged: i64, silent: i64) {
    let findings = Store::check(Arc::new(Disk), folder).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let store = open(folder).unwrap();
    let Ok(table) = store.table("sales") else {
        assert_eq!(acknowledged, -1, "the table is gone");
        return;
    };
    let loads = found(&table).unwrap();
    assert!(loads.values().all(|rows| *rows == ROWS), "a load is there in part: {loads:?}");
    let last = loads.keys().last().copied().unwrap_or(-1);
    let possible = acknowledged..=acknowledged + 1 + silent;
    assert!(possible.contains(&last), "{last} after {acknowledged}, and {silent} lives that told nothing");
    let kept = (0.max(last - STAY + 1)..=last).all(|load| loads.contains_key(&load));
    assert!(kept && loads.keys().all(|load| *load >= last - STAY), "{loads:?}");
}
