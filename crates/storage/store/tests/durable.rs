//! A store in a folder: its contents when it is opened again, and operations beside a checkpoint.

mod common;

use common::catalog::{column, create, rows, schema, table};
use common::{pair, pairs};
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Durability, Isolation, Store, StoreOptions};
use mainstay_types::{Code, Collation, SqlType, Value};
use mainstay_vfs::{Create, Disk, FileSystem, Simulated};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const SHOP: &str = "shop";

fn open(fs: &Simulated) -> Store {
    open_with(fs, Durability::Full).unwrap()
}

fn open_with(fs: &Simulated, durability: Durability) -> mainstay_types::Result<Store> {
    Store::open(
        Arc::new(fs.clone()),
        Path::new(SHOP),
        StoreOptions { durability, checkpoint_bytes: None, memory_bytes: None, ..StoreOptions::DEFAULT },
    )
}

fn insert(store: &Store, id: u64, keys: std::ops::Range<i64>) {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let table = store.table_of(id).unwrap();
    keys.for_each(|key| assert!(table.insert(&mut transaction, &pair(key, key)[..]).is_ok()));
    transaction.commit().unwrap();
}

#[test]
fn rows_are_there_again() {
    let fs = Simulated::new();
    let store = open(&fs);
    let id = create(&store, "pairs");
    insert(&store, id, 0..200);
    let pairs = store.table_of(id).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    common::set(&pairs, &mut transaction, 7, 1).unwrap();
    let gone = common::position(&pairs, &mut transaction, 9).unwrap();
    pairs.delete(&mut transaction, gone).unwrap();
    transaction.commit().unwrap();
    let expected = rows(&store, id);
    assert_eq!(expected.len(), 199);

    let (mut fs, mut store) = (fs, store);
    for round in 0..4 {
        // Killed, without and with a checkpoint before, or closed.
        if round == 1 {
            store.checkpoint().unwrap();
        }
        let left = fs.after_kill();
        store.close().unwrap();
        fs = if round < 2 { left } else { fs };
        store = open(&fs);
        assert_eq!(rows(&store, id), expected, "round {round}");
    }
}

#[test]
fn a_store_is_open_once() {
    let fs = Simulated::new();
    let store = open(&fs);
    assert_eq!(open_with(&fs, Durability::Full).err().unwrap().code(), Code::Busy);
    assert_eq!(Store::check(Arc::new(fs.clone()), Path::new(SHOP)).err().unwrap().code(), Code::Busy);
    store.close().unwrap();
    open(&fs);
}

#[test]
fn tables_beside_the_catalog_are_not_kept() {
    let fs = Simulated::new();
    let store = open(&fs);
    let mut definition = pairs(true);
    assert_eq!(store.create_table(definition.clone()).err().unwrap().code(), Code::Unsupported);
    definition.logged = false;
    let temporary = store.create_table(definition).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    temporary.insert(&mut transaction, &pair(1, 1)[..]).unwrap();
    transaction.commit().unwrap();
    assert_eq!(common::committed(&store, &temporary), [(1, 1)]);
    store.close().unwrap();
    assert_eq!(open(&fs).table("pairs").err().unwrap().code(), Code::UnknownTable);
}

/// A table with a column of every type, full groups and NULLs in it, through checkpoints and changes between them.
#[test]
fn every_type_comes_back_from_mapped_groups() {
    let collation = Collation::Binary;
    let types = [
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        SqlType::Decimal { precision: 9, scale: 2 },
        SqlType::Decimal { precision: 18, scale: 2 },
        SqlType::Decimal { precision: 38, scale: 2 },
        SqlType::Money,
        SqlType::Real,
        SqlType::Double,
        SqlType::VarChar { length: None, collation },
        SqlType::VarBinary { length: None },
        SqlType::Date,
        SqlType::Time { digits: 7 },
        SqlType::Timestamp { digits: 6 },
        SqlType::Timestamp { digits: 7 },
        SqlType::TimestampWithOffset { digits: 7 },
        SqlType::IntervalYearMonth,
        SqlType::IntervalDayTime,
        SqlType::Uuid,
    ];
    let fs = Simulated::new();
    let store = open(&fs);
    let mut definition = table(10, "all");
    definition.columns.truncate(1);
    let columns = types.iter().enumerate().map(|(i, sql_type)| column(20 + i as u64, &format!("c{i}"), *sql_type));
    definition.columns.extend(columns);
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutTable(definition)).unwrap();
    let all = store.table_for(&transaction, 10).unwrap();
    for key in 0..700 {
        let values = types.iter().map(|sql_type| if key % 7 == 3 { Value::Null } else { value(*sql_type, key) });
        let row = common::Kept([Value::Integer(key)].into_iter().chain(values).collect());
        all.insert(&mut transaction, &row).unwrap();
    }
    transaction.commit().unwrap();
    let before = contents(&store);
    let bytes = store.bytes();
    store.checkpoint().unwrap();
    // Before anything is read: that decodes columns, which stay in memory.
    assert!(store.bytes() < bytes - bytes / 4, "{} of {bytes} bytes are still in memory", store.bytes());
    assert_eq!(contents(&store), before);
    // Rows of mapped groups change like others.
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for key in [5, 600] {
        let position = common::position(&all, &mut transaction, key).unwrap();
        all.delete(&mut transaction, position).unwrap();
    }
    transaction.commit().unwrap();
    let before = contents(&store);
    assert_eq!(before.len(), 698);
    for round in 0..3 {
        let store = open(&fs.after_kill());
        assert_eq!(contents(&store), before, "round {round}");
        drop(store);
    }
    store.vacuum().unwrap();
    store.checkpoint().unwrap();
    assert_eq!(contents(&open(&fs.after_kill())), before);
}

fn value(sql_type: SqlType, key: i64) -> Value {
    use mainstay_types::{Date, Decimal, Interval, Time, Timestamp};
    match sql_type {
        SqlType::Boolean => Value::Boolean(key % 2 == 0),
        SqlType::TinyInt => Value::Integer(key % 100),
        SqlType::SmallInt | SqlType::Integer | SqlType::BigInt => Value::Integer(key - 300),
        SqlType::Decimal { scale, .. } => Value::Decimal(Decimal::new(i128::from(key) * 7, scale)),
        SqlType::Money => Value::Decimal(Decimal::new(i128::from(key) * 11, 4)),
        SqlType::Real | SqlType::Double => Value::Float(key as f64 / 4.0),
        SqlType::VarChar { .. } => Value::Text("Malmö ".repeat((key % 9) as usize)),
        SqlType::VarBinary { .. } => Value::Binary(vec![key as u8; (key % 40) as usize]),
        SqlType::Date => Value::Date(Date(key as i32)),
        SqlType::Time { .. } => Value::Time(Time::from_nanos(key * 1_000_000_000).unwrap()),
        // Beyond what 64 bits of nanoseconds count.
        SqlType::Timestamp { digits: 7 } => Value::Timestamp(Timestamp(Timestamp::LAST.0 - key)),
        SqlType::Timestamp { .. } => Value::Timestamp(Timestamp(key * 10_000_000)),
        SqlType::TimestampWithOffset { .. } => {
            Value::TimestampWithOffset { utc: Timestamp(Timestamp::LAST.0 - key), offset_minutes: key as i16 % 841 }
        }
        SqlType::IntervalYearMonth => Value::Interval(Interval { months: key as i32, days: 0, ticks: 0 }),
        SqlType::IntervalDayTime => Value::Interval(Interval { months: 0, days: key as i32, ticks: key }),
        _ => Value::Uuid([key as u8; 16]),
    }
}

/// All rows of table 10 as text, by key.
fn contents(store: &Store) -> Vec<String> {
    let table = store.table_of(10).unwrap();
    let mut rows = Vec::new();
    let columns = table.types().len();
    let reader = table.reader(table.current_view());
    let visit = &mut |version: mainstay_store::Version<'_>| {
        let values: Vec<String> = (0..columns).map(|column| format!("{:?}", version.value(column))).collect();
        rows.push(format!("{:06} {values:?}", version.row_id()));
        Ok(ControlFlow::Continue(()))
    };
    reader.for_each(visit).unwrap();
    rows.sort();
    rows
}

#[test]
fn others_go_on_beside_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: Some(32 << 10),
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let store = Store::open(Arc::clone(&fs), &path, options).unwrap();
    let id = create(&store, "pairs");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let store = &store;
                scope.spawn(move || {
                    let table = store.table_of(id).unwrap();
                    for key in 0..1500 {
                        let key = key * 3 + writer;
                        let mut transaction = store.begin(Isolation::ReadCommitted);
                        table.insert(&mut transaction, &pair(key, 1)[..]).unwrap();
                        if key > 300 {
                            common::set(&table, &mut transaction, key - 300, 2).unwrap();
                        }
                        if key > 600 && key % 2 == 0 {
                            let gone = common::position(&table, &mut transaction, key - 600).unwrap();
                            table.delete(&mut transaction, gone).unwrap();
                        }
                        transaction.commit().unwrap();
                    }
                })
            })
            .collect();
        let checkpoints = scope.spawn(|| {
            loop {
                store.checkpoint().unwrap();
                store.vacuum().unwrap();
                if is_over.load(Ordering::Acquire) {
                    break;
                }
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        is_over.store(true, Ordering::Release);
        checkpoints.join().unwrap();
    });
    let before = rows(&store, id);
    drop(store);
    assert!(Store::check(Arc::clone(&fs), &path).unwrap().is_empty());
    let store = Store::open(fs, &path, options).unwrap();
    assert_eq!(rows(&store, id), before);
}

#[test]
fn a_backup_is_the_store_as_it_was() {
    let fs = Simulated::new();
    let store = open(&fs);
    let id = create(&store, "pairs");
    insert(&store, id, 0..300);
    let open_one = store.begin(Isolation::ReadCommitted);
    let (shared, backup) = (Arc::new(fs.clone()), Path::new("shop.backup"));
    store.backup(backup).unwrap();
    insert(&store, id, 300..310);
    open_one.rollback();
    Store::restore(shared.clone(), backup, Path::new("copy")).unwrap();
    let copy = Store::open(shared.clone(), Path::new("copy"), StoreOptions::default()).unwrap();
    assert_eq!(rows(&copy, id), (0..300).map(|key| (key, key)).collect::<Vec<_>>());
    insert(&copy, id, 300..301);
    copy.close().unwrap();
    let again = Store::restore(shared.clone(), backup, Path::new("copy"));
    assert_eq!(again.err().unwrap().code(), Code::InvalidValue);
    // No bit of it may change.
    let bytes = fs.read(backup).unwrap();
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        let file = fs.create(Path::new("bad"), Create::Truncate).unwrap();
        file.write_at(&damaged, 0).unwrap();
        let target = format!("bad-{at}");
        let outcome = Store::restore(shared.clone(), Path::new("bad"), Path::new(&target));
        assert!(outcome.is_err(), "byte {at}");
        // The folder is as free for the good one as before.
        Store::restore(shared.clone(), backup, Path::new(&target)).unwrap();
    }
    let longer = fs.create(Path::new("bad"), Create::Truncate).unwrap();
    longer.write_at(&bytes, 0).unwrap();
    longer.write_at(b"more", bytes.len() as u64).unwrap();
    assert!(Store::restore(shared.clone(), Path::new("bad"), Path::new("longer")).is_err());
}

#[test]
fn damage_is_found_and_named() {
    let fs = Simulated::new();
    let store = open(&fs);
    let id = create(&store, "pairs");
    insert(&store, id, 0..300);
    store.checkpoint().unwrap();
    insert(&store, id, 300..400);
    insert(&store, id, 400..401);
    drop(store);
    let store = open(&fs);
    insert(&store, id, 401..402);
    insert(&store, id, 402..403);
    let fs = fs.after_kill();
    let shared: Arc<dyn FileSystem> = Arc::new(fs.clone());
    assert!(Store::check(Arc::clone(&shared), Path::new(SHOP)).unwrap().is_empty());
    let files = fs.list(Path::new(SHOP)).unwrap();
    for path in files.iter().map(|entry| &entry.path).filter(|path| !path.ends_with("lock")) {
        let bytes = fs.read(path).unwrap();
        let damaged = fs.create(path, Create::OpenOrCreate).unwrap();
        damaged.write_at(&[bytes[70] ^ 255], 70).unwrap();
        let findings = Store::check(Arc::clone(&shared), Path::new(SHOP)).unwrap();
        assert!(!findings.is_empty(), "{path:?}");
        let text = format!("{:?}", findings[0]);
        assert!(text.contains(path.file_name().unwrap().to_str().unwrap()), "{text} for {path:?}");
        // The manifest has a copy, and that the manifest: `damage.rs`.
        if !path.to_string_lossy().contains("manifest") {
            let opened = open_with(&fs, Durability::Full);
            let refused = match path.to_string_lossy().contains("group-") {
                true => opened.unwrap().table_of(id).err().unwrap(),
                false => opened.err().unwrap(),
            };
            assert_eq!(refused.code(), Code::Damaged, "{path:?}");
        }
        damaged.write_at(&[bytes[70]], 70).unwrap();
    }
    assert_eq!(rows(&open(&fs), id).len(), 403);
}

#[test]
fn a_lazy_commit_shows_nothing_that_is_not_safe() {
    // A view that sees a commit sees those before it; so one that asks for nothing waits for one that asks for the
    // disk.
    let fs = Simulated::new();
    let store = open_with(&fs, Durability::None).unwrap();
    let id = create(&store, "pairs");
    insert(&store, id, 0..1);
    let nothing = fs.after_crash(0);
    assert!(open(&nothing).catalog().tables.is_empty(), "nothing was promised");
    let mut transaction = store.begin(Isolation::ReadCommitted);
    transaction.set_durability(Durability::Full);
    store.table_of(id).unwrap().insert(&mut transaction, &pair(1, 1)[..]).unwrap();
    transaction.commit().unwrap();
    insert(&store, id, 2..3);
    assert_eq!(rows(&open(&fs.after_crash(0)), id), [(0, 0), (1, 1)]);
}
