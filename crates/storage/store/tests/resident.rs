//! The whole memory of a process (`VmHWM` of Linux: allocated memory and the pages of mapped files) whose table has more
//! than three times the limit of its store: loaded in large transactions, indexed, scanned, read by key, updated,
//! vacuumed, opened again; and opened after a crash with all of it in one transaction of the journal.
//!
//! A real process does it, this test binary started with an environment variable. The same without a limit shows that the
//! measure works.

// The test reads no stored data but Linux's own account of the process.
#![allow(clippy::disallowed_methods)]

mod common;

use arrow_array::{ArrayRef, Int64Array};
use common::catalog::{ascending, schema, table};
use common::integer;
use mainstay_store::files::catalog::{CatalogChange, IndexDefinition};
use mainstay_store::index::Direction;
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions, Transaction};
use mainstay_types::ValueRef;
use mainstay_vfs::Disk;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const FOLDER: &str = "MAINSTAY_RESIDENT_FOLDER";
const PART: &str = "MAINSTAY_RESIDENT_PART";
const NAME: &str = "a_process_stays_within_the_limit_and_64_mib";
const TABLE: u64 = 100;

const LIMIT: usize = 32 << 20;
/// Bytes that the process may take besides: its program and threads, and memory that the allocator has not given back.
const BESIDES: u64 = 64 << 20;
/// Each takes 24 bytes of memory as a row and 52 in indexes: about three times the limit together.
const ROWS: i64 = 1_300_000;
/// Rows of a batch, of a transaction, and of one large transaction.
const BATCH: i64 = 50_000;
const SMALL: i64 = 100_000;
const LARGE: i64 = 500_000;
/// Every so many rows are updated.
const UPDATED: i64 = 10;

fn open(folder: &Path, memory_bytes: Option<usize>) -> Store {
    let options = StoreOptions { durability: Durability::Os, memory_bytes, ..StoreOptions::DEFAULT };
    Store::open(Arc::new(Disk), folder, options).unwrap()
}

/// The value of a row: in no order, and different from all others.
fn value(id: i64) -> i64 {
    id.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64)
}

fn insert(table: &Arc<NativeTable>, transaction: &mut Transaction, first: i64, count: i64) {
    for start in (first..first + count).step_by(BATCH as usize) {
        let ids = start..start + BATCH;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(ids.clone())),
            Arc::new(Int64Array::from_iter_values(ids.map(value))),
        ];
        table.insert_columns(transaction, &columns).unwrap();
    }
}

fn load(store: &Store) -> Arc<NativeTable> {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(TABLE, "large"))).unwrap();
    transaction.commit().unwrap();
    let table = store.table_of(TABLE).unwrap();
    let mut first = 0;
    while first < ROWS {
        let count = if first == 0 { LARGE } else { SMALL };
        let mut transaction = store.begin(Isolation::ReadCommitted);
        insert(&table, &mut transaction, first, count);
        transaction.commit().unwrap();
        first += count;
    }
    table
}

fn index(store: &Store) {
    let index = IndexDefinition {
        id: 150,
        name: "by_value".into(),
        unique: true,
        columns: ascending(&[TABLE + 2]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, CatalogChange::PutIndex { table: TABLE, index }).unwrap();
    transaction.commit().unwrap();
}

/// Reads all rows by a scan, all by the index in its order, and some by their keys.
fn read(table: &NativeTable, expected: &dyn Fn(i64) -> i64) {
    let (mut count, mut sum) = (0, 0i64);
    table
        .reader(table.current_view())
        .for_each(&mut |row| {
            let id = integer(&row, 0);
            assert_eq!(integer(&row, 1), expected(id));
            (count, sum) = (count + 1, sum + id);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!((count, sum), (ROWS, ROWS * (ROWS - 1) / 2));
    let reader = table.reader(table.current_view());
    let (mut by_index, mut last) = (0, i64::MIN);
    reader
        .scan(1, &[], None, Direction::Ascending, true, &mut |position| {
            if by_index % 64 == 0 {
                let found = integer(&reader.version(position).unwrap(), 1);
                assert!(found >= last, "the index is not in order");
                last = found;
            }
            by_index += 1;
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(by_index, ROWS, "the index has other rows than the table");
    let mut reader = table.reader(table.current_view());
    for id in (0..ROWS / 20).map(|i| i * 7_919_117 % ROWS) {
        let found = reader.get(0, &[ValueRef::Integer(id)]).unwrap().map(|row| integer(&row, 1));
        assert_eq!(found, Some(expected(id)));
    }
}

fn updated(id: i64) -> i64 {
    if id % UPDATED == 0 { !value(id) } else { value(id) }
}

fn update(store: &Store, table: &Arc<NativeTable>) {
    for first in (0..ROWS).step_by(SMALL as usize) {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        for id in (first..first + SMALL).step_by(UPDATED as usize) {
            let position = common::position(table, &mut transaction, id).unwrap();
            table.update_columns(&mut transaction, position, &[(1, ValueRef::Integer(updated(id)))]).unwrap();
        }
        transaction.commit().unwrap();
    }
}

fn build(folder: &Path, memory_bytes: Option<usize>) {
    let store = open(folder, memory_bytes);
    load(&store);
    index(&store);
    let table = store.table_of(TABLE).unwrap();
    read(&table, &value);
    update(&store, &table);
    store.vacuum().unwrap();
    read(&table, &updated);
    drop(table);
    store.close().unwrap();
}

fn open_again(folder: &Path) {
    let store = open(folder, Some(LIMIT));
    read(&store.table_of(TABLE).unwrap(), &updated);
}

/// Loads all rows in one transaction, builds the index, and leaves all of it in the journal.
fn build_in_journal(folder: &Path) {
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    let store = Store::open(Arc::new(Disk), folder, options).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(TABLE, "large"))).unwrap();
    insert(&store.table_for(&transaction, TABLE).unwrap(), &mut transaction, 0, ROWS);
    transaction.commit().unwrap();
    index(&store);
    // As a kill would: nothing is closed.
    std::process::exit(0);
}

fn open_journal(folder: &Path) {
    let store = open(folder, Some(LIMIT));
    read(&store.table_of(TABLE).unwrap(), &value);
}

/// The greatest resident memory of the process so far, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.expect("Linux says how much memory a process had") << 10
}

/// Runs a part in a process of its own, and returns what it prints.
fn output(part: &str, folder: &Path) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture", "--quiet"])
        .envs([(FOLDER, folder.as_os_str()), (PART, part.as_ref())])
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{part}: {out}{}", String::from_utf8_lossy(&output.stderr));
    out
}

/// The same for its greatest memory in bytes.
fn run(part: &str, folder: &Path) -> u64 {
    let out = output(part, folder);
    let peak = out.lines().find_map(|line| line.trim().strip_prefix("peak ")?.parse().ok());
    peak.unwrap_or_else(|| panic!("{part} says nothing: {out}"))
}

#[test]
fn a_process_stays_within_the_limit_and_64_mib() {
    if let Ok(folder) = std::env::var(FOLDER) {
        let folder = Path::new(&folder);
        match std::env::var(PART).unwrap().as_str() {
            "limited" => build(folder, Some(LIMIT)),
            "unlimited" => build(folder, None),
            "journal" => build_in_journal(folder),
            "recovered" => open_journal(folder),
            _ => open_again(folder),
        }
        // The harness prints too: a line of our own.
        use std::io::Write;
        writeln!(std::io::stdout(), "\npeak {}", peak()).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let most = LIMIT as u64 + BESIDES;
    let unlimited = run("unlimited", &place("unlimited"));
    assert!(unlimited > most + most / 4, "the measure notices nothing: {unlimited}");
    output("journal", &place("journal"));
    let parts = [("limited", "limited"), ("again", "limited"), ("recovered", "journal")];
    for (part, peak) in parts.map(|(part, folder)| (part, run(part, &place(folder)))) {
        assert!(peak <= most, "{part}: {peak} bytes, {unlimited} without a limit, and {most} are allowed");
    }
    // Nothing of what transactions had in files for themselves is left.
    let names = std::fs::read_dir(place("limited")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with("moved-")));
}
