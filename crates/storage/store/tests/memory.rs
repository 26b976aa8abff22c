//! A table that is larger than the memory its store may have: built, scanned, read by key, changed, opened again.
//!
//! A real process does it, this test binary started with an environment variable, and reports its greatest anonymous
//! memory (`RssAnon` of Linux: allocated memory, without the pages of mapped files). The same run without a limit
//! shows that the measure works.

// The test reads no stored data but Linux's own account of the process.
#![allow(clippy::disallowed_methods)]

mod common;

use common::catalog::{schema, table};
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions, Transaction};
use mainstay_types::{Collation, SqlType, ValueRef};
use mainstay_vfs::Disk;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FOLDER: &str = "MAINSTAY_MEMORY_FOLDER";
const PART: &str = "MAINSTAY_MEMORY_PART";

const LIMIT: usize = 16 << 20;
/// Rows of a kibibyte and a little: four times the limit.
const ROWS: i64 = 64 << 10;
const TEXT: usize = 1 << 10;
/// Rows of about 40 bytes with their index, and by how much a process may grow while they are deleted and inserted again:
/// stamps and positions of one round of them.
const CHURNED: i64 = 300_000;
const CHURN_BYTES: u64 = 12 << 20;
/// Further memory of the process: its program, threads, index (about 20 bytes a row), the changes of an open
/// transaction, and free memory that the allocator retains.
const BESIDES: u64 = 24 << 20;

fn options(memory_bytes: Option<usize>) -> StoreOptions {
    StoreOptions { durability: Durability::Os, checkpoint_bytes: None, memory_bytes, ..StoreOptions::DEFAULT }
}

/// Bytes of the process's own memory.
fn anonymous_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.expect("Linux says how much anonymous memory a process has") << 10
}

/// The text of a row, of which every one is different.
fn text(id: i64) -> String {
    format!("{id:0width$}", width = TEXT)
}

/// The greatest anonymous memory that was seen.
#[derive(Default)]
struct Peak(u64);

impl Peak {
    fn look(&mut self) {
        self.0 = self.0.max(anonymous_bytes());
    }
}

fn create(store: &Store) -> Arc<NativeTable> {
    let mut definition = table(10, "large");
    definition.columns[1].sql_type = SqlType::VarChar { length: None, collation: Collation::Binary };
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutTable(definition)).unwrap();
    transaction.commit().unwrap();
    store.table_of(10).unwrap()
}

fn insert(table: &Arc<NativeTable>, transaction: &mut Transaction, id: i64) {
    table.insert(transaction, &[ValueRef::Integer(id), ValueRef::Text(&text(id))][..]).unwrap();
}

/// Reads all rows by a scan, and every seventh by its key.
fn read(store: &Store, table: &NativeTable, peak: &mut Peak) {
    let mut transaction = store.begin(Isolation::Snapshot);
    let view = transaction.begin_statement().unwrap();
    let mut reader = table.reader(view);
    let (mut count, mut bytes) = (0, 0);
    reader
        .for_each(&mut |version| {
            let ValueRef::Text(found) = version.value(1) else { panic!("a row without its text") };
            count += 1;
            bytes += found.len();
            if count % 4096 == 0 {
                peak.look();
            }
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!((count, bytes), (ROWS, ROWS as usize * TEXT));
    for id in (0..ROWS).map(|i| i * 7919 % ROWS).step_by(7) {
        let version = reader.get(0, &[ValueRef::Integer(id)]).unwrap().unwrap();
        assert_eq!(version.value(1), ValueRef::Text(&text(id)));
    }
    peak.look();
}

fn build(folder: &Path, memory_bytes: Option<usize>) -> Peak {
    let mut peak = Peak::default();
    let store = Store::open(Arc::new(Disk), folder, options(memory_bytes)).unwrap();
    let table = create(&store);
    for first in (0..ROWS).step_by(512) {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        (first..first + 512).for_each(|id| insert(&table, &mut transaction, id));
        transaction.commit().unwrap();
        peak.look();
    }
    read(&store, &table, &mut peak);
    // Rows in files change like any others.
    for id in (0..ROWS).step_by(16) {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let position = common::position(&table, &mut transaction, id).unwrap();
        table.update_columns(&mut transaction, position, &[(1, ValueRef::Text(&text(id)))]).unwrap();
        transaction.commit().unwrap();
    }
    peak.look();
    read(&store, &table, &mut peak);
    drop(table);
    store.close().unwrap();
    peak
}

fn open_again(folder: &Path) -> Peak {
    let mut peak = Peak::default();
    let store = Store::open(Arc::new(Disk), folder, options(Some(LIMIT))).unwrap();
    peak.look();
    let table = store.table_of(10).unwrap();
    read(&store, &table, &mut peak);
    peak
}

/// One transaction whose rows are more than the limit, rolled back, and one that is committed. Its changes are in
/// memory until it ends, so its own memory is not checked here.
fn in_one_transaction(folder: &Path) -> Peak {
    let store = Store::open(Arc::new(Disk), folder, options(Some(LIMIT))).unwrap();
    let table = create(&store);
    for is_committed in [false, true] {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        (0..ROWS).for_each(|id| insert(&table, &mut transaction, id));
        let stored = table.directory().groups().iter().filter(|group| group.is_stored()).count();
        assert!(stored > 8, "only {stored} groups of an open transaction are in files");
        match is_committed {
            true => drop(transaction.commit().unwrap()),
            false => transaction.rollback(),
        }
    }
    read(&store, &table, &mut Peak::default());
    drop(table);
    store.close().unwrap();
    Peak::default()
}

/// All rows of a table deleted and inserted again, ten times: the growth since it was filled first.
fn churn() -> Peak {
    let store = Store::in_memory();
    let table = store.create_table(common::pairs(true)).unwrap();
    let fill = || {
        for first in (0..CHURNED).step_by(10_000) {
            let mut transaction = store.begin(Isolation::ReadCommitted);
            for id in first..first + 10_000 {
                table.insert(&mut transaction, &common::pair(id, id)[..]).unwrap();
            }
            transaction.commit().unwrap();
        }
    };
    fill();
    let filled = anonymous_bytes();
    let mut peak = Peak::default();
    for _ in 0..10 {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let view = transaction.begin_statement().unwrap();
        let mut positions = Vec::new();
        let mut note = |version: mainstay_store::Version<'_>| {
            positions.push(version.position);
            Ok(ControlFlow::Continue(()))
        };
        table.reader(view).for_each(&mut note).unwrap();
        for position in positions {
            table.delete(&mut transaction, position).unwrap();
        }
        peak.look();
        transaction.commit().unwrap();
        fill();
        peak.look();
    }
    Peak(peak.0.saturating_sub(filled))
}

/// Runs a part in a separate process, and returns its greatest anonymous memory in bytes.
fn run(part: &str, folder: &Path) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_table_may_be_larger_than_its_memory", "--nocapture", "--quiet"])
        .envs([(FOLDER, folder.as_os_str()), (PART, part.as_ref())])
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{part}: {out}{}", String::from_utf8_lossy(&output.stderr));
    let peak = out.lines().find_map(|line| line.trim().strip_prefix("peak ")?.parse().ok());
    peak.unwrap_or_else(|| panic!("{part} says nothing: {out}"))
}

#[test]
fn a_table_may_be_larger_than_its_memory() {
    if let Ok(folder) = std::env::var(FOLDER) {
        let folder = Path::new(&folder);
        let peak = match std::env::var(PART).unwrap().as_str() {
            "limited" => build(folder, Some(LIMIT)),
            "unlimited" => build(folder, None),
            "again" => open_again(folder),
            "one" => in_one_transaction(folder),
            "churn" => churn(),
            part => panic!("{part}"),
        };
        // The harness prints too: a line of our own.
        use std::io::Write;
        writeln!(std::io::stdout(), "\npeak {}", peak.0).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let most = LIMIT as u64 + BESIDES;
    let table_bytes = ROWS as u64 * TEXT as u64;
    assert!(table_bytes >= 3 * LIMIT as u64 && table_bytes > most + (most >> 1));
    let unlimited = run("unlimited", &place("unlimited"));
    assert!(unlimited > table_bytes, "the measure notices nothing: {unlimited}");
    run("one", &place("one"));
    let figures = [
        ("built", run("limited", &place("limited"))),
        ("opened", run("again", &place("limited"))),
        ("opened after one transaction", run("again", &place("one"))),
    ];
    assert!(figures.iter().all(|(_, peak)| *peak < most), "{figures:?}, at most {most}; without a limit {unlimited}");
}

#[test]
fn a_process_does_not_grow_by_deleting_and_inserting_again() {
    let growth = run("churn", Path::new("none"));
    assert!(growth < CHURN_BYTES, "{growth} bytes");
}

/// A disk that is full while the memory is: writers get an error, and continue when there is space again.
#[test]
fn writers_are_told_when_rows_can_go_nowhere() {
    use mainstay_types::Code;
    use mainstay_vfs::{Fault, Faulty, Operation, Simulated};
    let disk = Simulated::new();
    let small = StoreOptions { memory_bytes: Some(256 << 10), ..options(None) };
    let store = Store::open(Arc::new(disk.clone()), Path::new("shop"), small).unwrap();
    drop(create(&store));
    store.close().unwrap();
    // Room for the journal, and for no further file.
    let counting = Faulty::counting(disk.clone());
    drop(Store::open(Arc::new(counting.clone()), Path::new("shop"), small).unwrap());
    let creations = counting.calls(Operation::Create);
    let full = Faulty::lasting(disk.clone(), Operation::Create, creations, Fault::NoSpace);
    let store = Store::open(Arc::new(full), Path::new("shop"), small).unwrap();
    let table = store.table_of(10).unwrap();
    let begin = Instant::now();
    let mut id = 0;
    let error = loop {
        assert!(begin.elapsed() < Duration::from_secs(60), "{id} rows found room");
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let row = [ValueRef::Integer(id), ValueRef::Text(&text(id))];
        match table.insert(&mut transaction, &row[..]) {
            Ok(_) => transaction.commit().unwrap(),
            Err(error) => break error,
        };
        id += 1;
    };
    assert_eq!(error.code(), Code::OutOfMemory, "{error:?}");
    assert!(error.message().contains("No space left"), "{error:?}");
    assert!((100..1000).contains(&id), "{id}");
    // Reads go on, and deletes do.
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let position = common::position(&table, &mut transaction, 7).unwrap();
    table.delete(&mut transaction, position).unwrap();
    transaction.commit().unwrap();
    drop(table);
    drop(store);
    let store = Store::open(Arc::new(disk), Path::new("shop"), small).unwrap();
    let table = store.table_of(10).unwrap();
    assert_eq!(table.reader(table.current_view()).count() as i64, id - 1);
    let mut transaction = store.begin(Isolation::ReadCommitted);
    (id..id + 500).for_each(|id| insert(&table, &mut transaction, id));
    transaction.commit().unwrap();
    assert_eq!(table.reader(table.current_view()).count() as i64, id + 499);
}
