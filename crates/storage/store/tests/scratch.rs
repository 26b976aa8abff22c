//! Files that a transaction has for itself: the redo records of a large one, and the parts of an index of a large table.

mod common;

use arrow_array::{ArrayRef, Int64Array};
use common::catalog::{ascending, rows, schema, table};
use common::{begin, pair};
use mainstay_store::files::catalog::{CatalogChange, IndexDefinition};
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions, Transaction};
use mainstay_types::{Code, Result, ValueRef};
use mainstay_vfs::{Fault, Faulty, FileSystem, Operation, Simulated, explore};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

const FOLDER: &str = "shop";
const TABLE: u64 = 10;
/// With it a transaction has 64 KiB of redo records in memory, and 1 MiB of an index is sorted at once.
const LIMIT: usize = 1 << 20;
/// Rows of a batch; two have more redo records than stay in memory.
const BATCH: i64 = 3000;
/// Rows whose index takes more than is sorted at once.
const MANY: i64 = 80_000;

fn open(fs: &Simulated) -> Result<Store> {
    open_on(Arc::new(fs.clone()))
}

fn open_on(fs: Arc<dyn FileSystem>) -> Result<Store> {
    let options = StoreOptions {
        durability: Durability::Full,
        checkpoint_bytes: None,
        memory_bytes: Some(LIMIT),
        ..StoreOptions::DEFAULT
    };
    Store::open(fs, Path::new(FOLDER), options)
}

fn made(fs: &Simulated) -> Result<(Store, Arc<NativeTable>)> {
    let store = open(fs)?;
    let mut transaction = begin(&store);
    store.change_catalog(&mut transaction, schema())?;
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(TABLE, "pairs")))?;
    transaction.commit()?;
    let table = store.table_of(TABLE)?;
    Ok((store, table))
}

fn insert(table: &Arc<NativeTable>, transaction: &mut Transaction, ids: Range<i64>) -> Result<()> {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(ids.clone())),
        Arc::new(Int64Array::from_iter_values(ids.map(|id| -id))),
    ];
    table.insert_columns(transaction, &columns).map(|_| ())
}

/// The names of files that somebody has for himself.
fn own_files(fs: &Simulated) -> usize {
    let files = fs.list(Path::new(FOLDER)).unwrap_or_default();
    files.iter().filter(|file| file.path.to_string_lossy().contains("moved-")).count()
}

/// A transaction with a savepoint between records that are in its file, and one after it.
fn work(fs: &Simulated) -> Result<Vec<Range<i64>>> {
    let (store, table) = made(fs)?;
    let mut transaction = begin(&store);
    insert(&table, &mut transaction, 0..BATCH)?;
    let savepoint = transaction.savepoint();
    insert(&table, &mut transaction, BATCH..2 * BATCH)?;
    transaction.rollback_to(&savepoint)?;
    insert(&table, &mut transaction, 2 * BATCH..4 * BATCH)?;
    insert(&table, &mut transaction, 4 * BATCH..4 * BATCH + 1)?;
    transaction.commit()?;
    let mut transaction = begin(&store);
    table.insert(&mut transaction, &pair(-1, 1)[..])?;
    transaction.commit()?;
    Ok(vec![-1..0, 0..BATCH, 2 * BATCH..4 * BATCH + 1])
}

fn expected(ranges: &[Range<i64>]) -> Vec<(i64, i64)> {
    ranges.iter().flat_map(|range| range.clone().map(|id| (id, -id))).collect()
}

#[test]
fn a_transaction_with_records_in_a_file_survives_every_crash_whole() {
    let whole = Simulated::new();
    let ranges = work(&whole).unwrap();
    let (all, large) = (expected(&ranges), expected(&ranges[1..]));
    let found = |fs: &Simulated| -> Result<Vec<(i64, i64)>> {
        let store = open(fs)?;
        let found = match store.table("pairs") {
            Ok(_) => rows(&store, TABLE),
            Err(_) => Vec::new(),
        };
        Ok(found)
    };
    let check = |fs: &Simulated, outcome: &Result<Vec<Range<i64>>>| {
        if !fs.is_folder(Path::new(FOLDER)) {
            return Ok(());
        }
        let seen = found(fs).map_err(|error| format!("{error:?}"))?;
        let is_allowed = seen == all || outcome.is_err() && (seen.is_empty() || seen == large);
        let left = own_files(fs);
        match is_allowed && left == 0 {
            true => Ok(()),
            false => Err(format!("{} rows, {left} files left", seen.len())),
        }
    };
    let states = explore(0..3, work, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 100, "{states} states");
    let creations = whole.trace().iter().filter(|operation| operation.contains("moved-")).count();
    assert!(creations > 0, "no records were moved: {:?}", whole.trace());
}

fn by_value(unique: bool) -> CatalogChange {
    let index = IndexDefinition {
        id: 150,
        name: "by_value".into(),
        unique,
        columns: ascending(&[TABLE + 2]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    CatalogChange::PutIndex { table: TABLE, index }
}

fn put_index(store: &Store, unique: bool) -> Result<()> {
    let mut transaction = begin(store);
    store.change_catalog(&mut transaction, by_value(unique))?;
    transaction.commit().map(|_| ())
}

fn id_of(table: &NativeTable, value: i64) -> Option<i64> {
    let mut reader = table.reader(table.current_view());
    reader.get(1, &[ValueRef::Integer(value)]).unwrap().map(|row| common::integer(&row, 0))
}

#[test]
fn an_index_of_a_large_table_is_built_in_files() {
    let fs = Simulated::new();
    let (store, table) = made(&fs).unwrap();
    let mut transaction = begin(&store);
    (0..MANY).step_by(BATCH as usize).for_each(|first| {
        insert(&table, &mut transaction, first..(first + BATCH).min(MANY)).unwrap();
    });
    // A second row with the value of row 77.
    table.insert(&mut transaction, &pair(MANY, -77)[..]).unwrap();
    transaction.commit().unwrap();
    let before = fs.operations();
    assert_eq!(put_index(&store, true).unwrap_err().code(), Code::UniqueViolation);
    let trace = fs.trace();
    assert!(fs.operations() > before && trace.iter().any(|operation| operation.contains("moved-")), "{trace:?}");
    let mut transaction = begin(&store);
    let position = common::position(&table, &mut transaction, MANY).unwrap();
    table.delete(&mut transaction, position).unwrap();
    transaction.commit().unwrap();
    put_index(&store, true).unwrap();
    assert_eq!(own_files(&fs), 0);
    let table = store.table_of(TABLE).unwrap();
    assert_eq!((id_of(&table, -77), id_of(&table, 1)), (Some(77), None));
    // Changes lie above the files.
    let mut transaction = begin(&store);
    let refused = table.insert(&mut transaction, &pair(MANY + 1, -78)[..]).unwrap_err();
    assert_eq!(refused.code(), Code::UniqueViolation);
    let position = common::position(&table, &mut transaction, 78).unwrap();
    table.update_columns(&mut transaction, position, &[(1, ValueRef::Integer(5))]).unwrap();
    table.insert(&mut transaction, &pair(MANY + 1, -78)[..]).unwrap();
    transaction.commit().unwrap();
    let look = |table: &NativeTable| [-77, -78, 5, 1 - MANY].map(|value| id_of(table, value));
    let seen = [Some(77), Some(MANY + 1), Some(78), Some(MANY - 1)];
    assert_eq!(look(&table), seen);
    // The checkpoint has runs of its own, and they are found after a new start.
    store.checkpoint().unwrap();
    assert_eq!(look(&table), seen);
    drop(table);
    store.close().unwrap();
    let store = open(&fs).unwrap();
    assert_eq!(look(&store.table_of(TABLE).unwrap()), seen);
}

fn delete(store: &Store, table: &Arc<NativeTable>, id: i64) {
    let mut transaction = begin(store);
    let position = common::position(table, &mut transaction, id).unwrap();
    table.delete(&mut transaction, position).unwrap();
    transaction.commit().unwrap();
}

/// A store of many rows, closed.
fn filled() -> Simulated {
    let fs = Simulated::new();
    let (store, table) = made(&fs).unwrap();
    let mut transaction = begin(&store);
    insert(&table, &mut transaction, 0..MANY).unwrap();
    transaction.commit().unwrap();
    drop(table);
    store.close().unwrap();
    fs
}

/// Deletes all rows in one transaction.
fn delete_all(store: &Store) -> Result<u64> {
    let table = store.table_of(TABLE)?;
    let mut transaction = begin(store);
    for id in 0..MANY {
        let position = common::position(&table, &mut transaction, id).unwrap();
        table.delete(&mut transaction, position)?;
    }
    transaction.commit()
}

#[test]
fn records_of_deletes_move_to_a_file_and_its_errors_fail_their_transaction_only() {
    let fs = filled();
    let store = open(&fs).unwrap();
    let before = fs.trace().len();
    delete_all(&store).unwrap();
    assert!(fs.trace()[before..].iter().any(|operation| operation.contains("moved-")), "no records were moved");
    let killed = fs.after_kill();
    drop(store);
    assert_eq!(rows(&open(&killed).unwrap(), TABLE).len(), 0);
    // Opening creates files as well, so the failing one is counted from there.
    for operation in [Operation::Create, Operation::Read] {
        let fs = filled();
        let counted = Faulty::failing(fs.after_kill(), operation, u64::MAX, Fault::NoSpace);
        let store = open_on(Arc::new(counted.clone())).unwrap();
        let mut calls = counted.calls(operation);
        if operation == Operation::Read {
            // The last read is one of copying to the journal; the one before it reads the file for the first time.
            delete_all(&store).unwrap();
            calls = counted.calls(operation) - 2;
        }
        drop(store);
        let failing = Faulty::failing(fs.after_kill(), operation, calls, Fault::NoSpace);
        let store = open_on(Arc::new(failing)).unwrap();
        let error = delete_all(&store).unwrap_err();
        assert_ne!(error.code(), Code::Damaged, "{error:?}");
        assert_eq!(rows(&store, TABLE).len(), MANY as usize, "{operation:?}");
        delete(&store, &store.table_of(TABLE).unwrap(), 1);
        store.close().unwrap();
    }
}

/// The file is read twice: once as a whole, and once while it is copied to the journal.
#[test]
fn records_that_cannot_be_copied_to_the_journal_fail_their_transaction_only() {
    let fs = filled();
    let counted = Faulty::counting(fs.after_kill());
    let store = open_on(Arc::new(counted.clone())).unwrap();
    delete_all(&store).unwrap();
    let calls = counted.calls(Operation::Read);
    drop(store);
    for (fault, back) in [(Fault::Error, 1), (Fault::Error, 2), (Fault::Short, 1)] {
        let disk = fs.after_kill();
        let store = open_on(Arc::new(Faulty::failing(disk.clone(), Operation::Read, calls - back, fault))).unwrap();
        delete_all(&store).unwrap_err();
        assert_eq!(rows(&store, TABLE).len(), MANY as usize, "{fault:?} {back}");
        // A short frame follows in the place of the long one.
        let mut transaction = begin(&store);
        insert(&store.table_of(TABLE).unwrap(), &mut transaction, MANY..MANY + 1).unwrap();
        transaction.commit().unwrap();
        assert_eq!(rows(&open(&disk.after_crash(0)).unwrap(), TABLE).len(), MANY as usize + 1, "{fault:?} {back}");
        delete_all(&store).unwrap();
        let killed = disk.after_kill();
        store.close().unwrap();
        for disk in [killed, disk] {
            assert_eq!(rows(&open(&disk).unwrap(), TABLE), vec![(MANY, -MANY)], "{fault:?} {back}");
        }
    }
}

#[test]
fn a_full_disk_is_no_damage_of_a_store_that_is_opened() {
    let fs = filled();
    let store = open(&fs).unwrap();
    put_index(&store, true).unwrap();
    let killed = fs.after_kill();
    drop(store);
    let counted = Faulty::failing(killed.after_kill(), Operation::Create, u64::MAX, Fault::NoSpace);
    drop(open_on(Arc::new(counted.clone())).unwrap());
    let calls = counted.calls(Operation::Create);
    for call in 0..calls {
        let failing = Faulty::lasting(killed.after_kill(), Operation::Create, call, Fault::NoSpace);
        if let Err(error) = open_on(Arc::new(failing)) {
            assert_ne!(error.code(), Code::Damaged, "{call}: {error:?}");
        }
    }
    assert_eq!(rows(&open(&killed).unwrap(), TABLE).len(), MANY as usize);
}

#[test]
fn older_views_find_rows_by_an_index_whose_runs_a_checkpoint_replaces() {
    let fs = Simulated::new();
    let (store, table) = made(&fs).unwrap();
    let mut transaction = begin(&store);
    insert(&table, &mut transaction, 0..MANY).unwrap();
    transaction.commit().unwrap();
    put_index(&store, true).unwrap();
    drop(table);
    let table = store.table_of(TABLE).unwrap();
    let found = |view, id: i64| {
        let by_id = table.reader(view).get(0, &[ValueRef::Integer(id)]).unwrap().is_some();
        (by_id, table.reader(view).get(1, &[ValueRef::Integer(-id)]).unwrap().is_some())
    };
    // The runs of CREATE INDEX are replaced.
    let mut older = store.begin(Isolation::Snapshot);
    let view = older.begin_statement().unwrap();
    delete(&store, &table, 77);
    let mut transaction = begin(&store);
    let position = common::position(&table, &mut transaction, 78).unwrap();
    table.update_columns(&mut transaction, position, &[(1, ValueRef::Integer(5))]).unwrap();
    transaction.commit().unwrap();
    store.checkpoint().unwrap();
    assert_eq!((found(view, 77), found(view, 78)), ((true, true), (true, true)));
    let now = table.current_view();
    assert_eq!((found(now, 77), found(now, 78)), ((false, false), (true, false)));
    // Those of a checkpoint are merged with many new ones.
    let mut second = store.begin(Isolation::Snapshot);
    let later = second.begin_statement().unwrap();
    delete(&store, &table, 79);
    let mut transaction = begin(&store);
    insert(&table, &mut transaction, MANY..2 * MANY).unwrap();
    transaction.commit().unwrap();
    store.checkpoint().unwrap();
    assert_eq!((found(view, 77), found(view, 79), found(later, 79)), ((true, true), (true, true), (true, true)));
    assert_eq!(found(later, 77), (false, false));
    assert_eq!(found(table.current_view(), 79), (false, false));
}

#[test]
fn versions_that_older_views_see_are_in_an_index_that_is_built() {
    let fs = Simulated::new();
    let (store, table) = made(&fs).unwrap();
    let mut transaction = begin(&store);
    insert(&table, &mut transaction, 0..MANY).unwrap();
    transaction.commit().unwrap();
    let mut older = store.begin(Isolation::Snapshot);
    let view = older.begin_statement().unwrap();
    let mut transaction = begin(&store);
    let position = common::position(&table, &mut transaction, 7).unwrap();
    table.update_columns(&mut transaction, position, &[(1, ValueRef::Integer(5))]).unwrap();
    transaction.commit().unwrap();
    put_index(&store, false).unwrap();
    let new = store.table_of(TABLE).unwrap();
    let found = |view, value| {
        let mut reader = new.reader(view);
        reader.get(0, &[ValueRef::Integer(7)]).unwrap().is_some_and(|row| common::integer(&row, 1) == value)
    };
    assert!(found(view, -7) && found(new.current_view(), 5));
    let by_index = |view, value| {
        let (reader, mut low, mut ids) = (new.reader(view), Vec::new(), Vec::new());
        new.indexes()[1].encoder().start(&mut low).push(ValueRef::Integer(value)).unwrap();
        let mut high = low.clone();
        mainstay_store::key::successor(&mut high);
        let ascending = mainstay_store::index::Direction::Ascending;
        reader
            .scan(1, &low, Some(&high), ascending, true, &mut |position| {
                ids.extend(reader.version(position).map(|row| common::integer(&row, 0)));
                Ok(std::ops::ControlFlow::Continue(()))
            })
            .unwrap();
        ids
    };
    assert_eq!((by_index(view, -7), by_index(view, 5)), (vec![7], vec![]));
    let now = new.current_view();
    assert_eq!((by_index(now, -7), by_index(now, 5)), (vec![], vec![7]));
}
