//! Stores that are opened after a crash with more rows in their journal than the memory is to have: rows and entries of
//! indexes go to files meanwhile, also in the middle of a transaction, and the first checkpoint takes the files over.

mod common;

use arrow_array::{ArrayRef, Int64Array, StringViewArray};
use common::catalog::{ascending, column, schema, table};
use common::{begin, integer, position};
use mainstay_store::files::catalog::{CatalogChange, IndexDefinition};
use mainstay_store::{Isolation, NativeTable, Store, StoreOptions, Transaction};
use mainstay_types::{Result, SqlType, ValueRef};
use mainstay_vfs::{Fault, Faulty, FileSystem, Operation, Simulated};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

const SHOP: &str = "shop";
const TABLE: u64 = 10;
/// With it all 512 KiB may be unsaved rows, and half of them is a reason to write.
const LIMIT: usize = 512 << 10;
/// Bytes of a note: a group has 256 KiB, some 500 rows.
const NOTE: usize = 500;

/// The value and the start of the note of each row, by id.
type Rows = BTreeMap<i64, (i64, char)>;

fn open(fs: Arc<dyn FileSystem>, memory_bytes: Option<usize>) -> Result<Store> {
    let options = StoreOptions { checkpoint_bytes: None, memory_bytes, whole_bytes: 0, ..StoreOptions::DEFAULT };
    Store::open(fs, Path::new(SHOP), options)
}

/// Text that is not encoded smaller.
fn note(id: i64, start: char) -> String {
    let mut random = id as u64 | 1;
    let letters = (1..NOTE).map(|_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (random >> 59) as u8 % 26)
    });
    std::iter::once(start).chain(letters).collect()
}

fn create(store: &Store) -> Result<()> {
    let mut transaction = begin(store);
    store.change_catalog(&mut transaction, schema())?;
    let mut notes = table(TABLE, "notes");
    notes.columns.push(column(TABLE + 4, "note", SqlType::TEXT));
    store.change_catalog(&mut transaction, CatalogChange::PutTable(notes))?;
    transaction.commit().map(|_| ())
}

fn index(store: &Store) -> Result<()> {
    let index = IndexDefinition {
        id: 50,
        name: "by_value".into(),
        unique: true,
        columns: ascending(&[TABLE + 2]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    let mut transaction = begin(store);
    store.change_catalog(&mut transaction, CatalogChange::PutIndex { table: TABLE, index })?;
    transaction.commit().map(|_| ())
}

fn load(table: &Arc<NativeTable>, transaction: &mut Transaction, ids: Range<i64>) -> Result<()> {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(ids.clone())),
        Arc::new(Int64Array::from_iter_values(ids.clone().map(|id| -id))),
        Arc::new(ids.map(|id| Some(note(id, 'L'))).collect::<StringViewArray>()),
    ];
    table.insert_columns(transaction, &columns).map(|_| ())
}

/// One large transaction of every kind of change, after a load of so many rows; and single rows after it.
fn work(store: &Store, count: i64) -> Result<Rows> {
    create(store)?;
    let table = store.table_of(TABLE)?;
    let mut rows: Rows = (0..count).map(|id| (id, (-id, 'L'))).collect();
    let mut transaction = begin(store);
    load(&table, &mut transaction, 0..count)?;
    transaction.commit()?;
    index(store)?;
    let table = store.table_of(TABLE)?;
    let mut transaction = begin(store);
    for id in 0..count {
        let Some(place) = position(&table, &mut transaction, id) else { continue };
        match id % 4 {
            0 => drop(table.delete(&mut transaction, place)?),
            1 => {
                let text = note(id, 'U');
                let changes = [(1, ValueRef::Integer(-id - 1_000_000)), (2, ValueRef::Text(&text))];
                table.update_columns(&mut transaction, place, &changes)?;
            }
            _ => {}
        }
    }
    for id in (0..count).step_by(8) {
        let text = note(id, 'I');
        let row = [ValueRef::Integer(id), ValueRef::Integer(-id), ValueRef::Text(&text)];
        table.insert(&mut transaction, &row[..])?;
    }
    load(&table, &mut transaction, count..2 * count)?;
    transaction.commit()?;
    rows.retain(|id, _| id % 4 != 0);
    rows.iter_mut().filter(|(id, _)| **id % 4 == 1).for_each(|(id, row)| *row = (-id - 1_000_000, 'U'));
    rows.extend((0..count).step_by(8).map(|id| (id, (-id, 'I'))));
    rows.extend((count..2 * count).map(|id| (id, (-id, 'L'))));
    Ok(rows)
}

/// The rows that a scan finds. Each is found by its key and by its value, too, and the index has no others.
fn found(store: &Store) -> Rows {
    let table = store.table_of(TABLE).unwrap();
    let mut rows = Rows::new();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let view = transaction.begin_statement().unwrap();
    table
        .reader(view)
        .for_each(&mut |row| {
            let ValueRef::Text(text) = row.value(2) else { panic!("a note is no text") };
            let start = text.chars().next().unwrap();
            assert_eq!(text, note(integer(&row, 0), start));
            assert_eq!(rows.insert(integer(&row, 0), (integer(&row, 1), start)), None);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    let mut reader = table.reader(view);
    for (id, (value, _)) in &rows {
        for (number, key) in [(0, *id), (1, *value)] {
            let row = reader.get(number, &[ValueRef::Integer(key)]).unwrap();
            assert_eq!(row.map(|row| integer(&row, 0)), Some(*id), "index {number}");
        }
    }
    let mut entries = 0;
    let ascending = mainstay_store::index::Direction::Ascending;
    reader
        .scan(1, &[], None, ascending, true, &mut |_| {
            entries += 1;
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(entries, rows.len());
    rows
}

/// A disk as a kill leaves it, with everything in one journal.
fn killed(count: i64) -> (Simulated, Rows) {
    let fs = Simulated::new();
    let store = open(Arc::new(fs.clone()), None).unwrap();
    let rows = work(&store, count).unwrap();
    let killed = fs.after_kill();
    drop(store);
    (killed, rows)
}

fn files(fs: &Simulated) -> usize {
    let files = fs.list(Path::new(SHOP)).unwrap();
    files
        .iter()
        .filter(|file| ["columns", "run"].iter().any(|kind| file.path.extension() == Some(kind.as_ref())))
        .count()
}

#[test]
fn more_rows_than_memory_come_back_from_a_journal() {
    let (fs, rows) = killed(3000);
    let store = open(Arc::new(fs.clone()), Some(LIMIT)).unwrap();
    let table = store.table_of(TABLE).unwrap();
    let directory = table.directory();
    let in_memory: usize = directory.groups().iter().filter(|group| !group.is_stored()).map(|it| it.bytes()).sum();
    assert!(in_memory <= LIMIT, "{in_memory} bytes of rows are in memory");
    let written = files(&fs);
    assert!(written > 8, "{written} files");
    assert_eq!(found(&store), rows);
    // Changes on top, and a kill before any checkpoint: the journal is read once more, over what is left.
    let mut transaction = begin(&store);
    load(&table, &mut transaction, 10_000..12_000).unwrap();
    transaction.commit().unwrap();
    let mut more = rows.clone();
    more.extend((10_000..12_000).map(|id| (id, (-id, 'L'))));
    let again = fs.after_crash(1);
    assert_eq!(found(&open(Arc::new(again), Some(LIMIT)).unwrap()), more);
    // The checkpoint writes what is new and leaves the files that are there.
    assert!(Store::check(Arc::new(fs.after_kill()), Path::new(SHOP)).unwrap().is_empty());
    let before: Vec<_> = fs.list(Path::new(SHOP)).unwrap();
    store.checkpoint().unwrap();
    let after: Vec<_> = fs.list(Path::new(SHOP)).unwrap();
    let kept = before.iter().filter(|file| file.path.extension() == Some("columns".as_ref()) && after.contains(file));
    assert!(kept.count() > 4, "{before:?} {after:?}");
    assert_eq!(found(&store), more);
    drop((table, directory));
    store.close().unwrap();
    assert!(Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap().is_empty());
    assert_eq!(found(&open(Arc::new(fs), Some(LIMIT)).unwrap()), more);
}

#[test]
fn a_full_disk_leaves_the_rows_in_memory() {
    let (fs, rows) = killed(1000);
    let counted = Faulty::counting(fs.after_kill());
    drop(open(Arc::new(counted.clone()), Some(LIMIT)).unwrap());
    for write in (0..counted.calls(Operation::Create)).step_by(3) {
        let faulty = Faulty::failing(fs.after_kill(), Operation::Create, write, Fault::NoSpace);
        if let Ok(store) = open(Arc::new(faulty), Some(LIMIT)) {
            assert_eq!(found(&store), rows, "{write}");
        }
    }
}

#[test]
fn a_crash_while_a_store_is_opened_within_its_memory_loses_nothing() {
    let (fs, rows) = killed(500);
    let work = |system: &Simulated| -> Result<()> {
        let store = open(Arc::new(system.clone()), Some(LIMIT))?;
        store.checkpoint()
    };
    let whole = fs.after_kill();
    work(&whole).unwrap();
    let mut states = 0;
    for crash in 0..=whole.operations() {
        let system = fs.after_kill();
        system.crash_at(crash);
        let _ = work(&system);
        for (seed, state) in
            [(None, system.after_kill()), (Some(0), system.after_crash(0)), (Some(1), system.after_crash(1))]
        {
            let store = open(Arc::new(state.clone()), Some(LIMIT))
                .unwrap_or_else(|error| panic!("{crash} {seed:?}: {error:?}"));
            assert_eq!(found(&store), rows, "crash at operation {crash}, {seed:?}");
            states += 1;
        }
    }
    assert!(states > 60, "{states} states");
}
