//! Stores whose sealed groups are encoded, beside stores whose groups are not: the same changes give the same rows.

mod common;

use common::Random;
use common::catalog::{ascending, column, schema};
use mainstay_columnar::Snapshot as _;
use mainstay_store::files::catalog::{CatalogChange, IndexDefinition, KeyDefinition, TableDefinition};
use mainstay_store::files::{FileForm, Manifest, StoreFolder};
use mainstay_store::index::Direction;
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions};
use mainstay_types::{Collation, Date, Decimal, SqlType, Timestamp, Value, ValueRef};
use mainstay_vfs::{Create, FileSystem, Simulated};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const SHOP: &str = "shop";
const TABLE: u64 = 100;
/// Of each column its type, NULL apart.
const TYPES: [SqlType; 9] = [
    SqlType::BigInt,
    SqlType::Integer,
    SqlType::Double,
    SqlType::VarChar { length: None, collation: Collation::Binary },
    SqlType::VarChar { length: Some(40), collation: Collation::Binary },
    SqlType::Date,
    SqlType::Decimal { precision: 12, scale: 2 },
    SqlType::Timestamp { digits: 6 },
    SqlType::Boolean,
];

fn open(fs: &Simulated, encodes: bool, memory_bytes: Option<usize>) -> Store {
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes,
        whole_bytes: if memory_bytes.is_some() { 0 } else { StoreOptions::DEFAULT.whole_bytes },
        encodes,
    };
    Store::open(Arc::new(fs.clone()), Path::new(SHOP), options).unwrap()
}

fn create(store: &Store) {
    let columns = TYPES.iter().enumerate().map(|(number, sql_type)| {
        let mut column = column(TABLE + 1 + number as u64, &format!("c{number}"), *sql_type);
        column.not_null = number == 0;
        column
    });
    let key =
        KeyDefinition { id: 150, name: "key".into(), columns: ascending(&[TABLE + 1]), nulls_not_distinct: false };
    let table = TableDefinition {
        id: TABLE,
        schema: schema_id(),
        name: "sales".into(),
        columns: columns.collect(),
        primary_key: Some(key),
        unique: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: vec![IndexDefinition {
            id: 151,
            name: "by_city".into(),
            unique: false,
            columns: ascending(&[TABLE + 4]),
            nulls_not_distinct: false,
            filter: Vec::new(),
        }],
    };
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table)).unwrap();
    transaction.commit().unwrap();
}

fn schema_id() -> u64 {
    match schema() {
        CatalogChange::PutSchema(schema) => schema.id,
        _ => unreachable!("the schema of the tests"),
    }
}

fn sales(store: &Store) -> Arc<NativeTable> {
    store.table_of(TABLE).unwrap()
}

/// A row whose values mostly suit an encoding, and at times do not.
fn row_of(id: i64, random: &mut Random) -> Vec<Value> {
    let cities = ["Malmö", "Kristianstad, Skåne", "Rome", ""];
    let small = random.below(100) as i64;
    let is_odd = random.below(50) == 0;
    let mut row = vec![
        Value::Integer(id),
        Value::Integer(if is_odd { i64::from(i32::MIN) } else { small }),
        Value::Float(if is_odd { -0.0 } else { small as f64 / 8.0 }),
        Value::Text(cities[small as usize % cities.len()].into()),
        Value::Text(format!("{} {id}", cities[small as usize % cities.len()])),
        Value::Date(Date(20_000 + small as i32)),
        Value::Decimal(Decimal::new(i128::from(small) * 100, 2)),
        Value::Timestamp(Timestamp::from_us(1_700_000_000_000_000 + small * 1_000_000).unwrap()),
        Value::Boolean(is_odd),
    ];
    if random.below(10) == 0 {
        row[1 + random.below(8) as usize] = Value::Null;
    }
    row
}

/// The same changes of both stores: many rows, so that groups are sealed.
fn change(stores: &[&Store], rows: &mut BTreeMap<i64, Vec<Value>>, random: &mut Random) {
    let (count, mut after) = (1 + random.below(300), rows.clone());
    let mut transactions: Vec<_> = stores.iter().map(|store| store.begin(Isolation::ReadCommitted)).collect();
    for _ in 0..count {
        let id = random.below(3000) as i64;
        let row = row_of(id, random);
        let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        let is_deleted = random.below(6) == 0;
        for (store, transaction) in stores.iter().zip(&mut transactions) {
            let table = sales(store);
            match (common::position(&table, transaction, id), is_deleted) {
                (Some(position), true) => drop(table.delete(transaction, position).unwrap()),
                (Some(position), false) => {
                    let changes: Vec<(usize, ValueRef<'_>)> = values.iter().copied().enumerate().skip(1).collect();
                    table.update_columns(transaction, position, &changes).unwrap();
                }
                (None, true) => {}
                (None, false) => drop(table.insert(transaction, &values[..]).unwrap()),
            }
        }
        match is_deleted {
            true => drop(after.remove(&id)),
            false => drop(after.insert(id, row)),
        }
    }
    let is_kept = random.below(5) > 0;
    for transaction in transactions {
        match is_kept {
            true => drop(transaction.commit().unwrap()),
            false => transaction.rollback(),
        }
    }
    if is_kept {
        *rows = after;
    }
}

/// Every row by a scan, by its key, by the index of cities, and as vectors.
fn compare(store: &Store, rows: &BTreeMap<i64, Vec<Value>>, random: &mut Random, when: &str) {
    let table = sales(store);
    let mut found = BTreeMap::new();
    let mut reader = table.reader(table.current_view());
    reader
        .for_each(&mut |row| {
            let values: Vec<Value> = (0..TYPES.len()).map(|column| row.value(column).to_value()).collect();
            let Value::Integer(id) = values[0] else { panic!("a row without its key") };
            found.insert(id, values);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(format!("{found:?}"), format!("{rows:?}"), "{when}");
    for _ in 0..20 {
        let id = random.below(3000) as i64;
        let row = reader.get(0, &[ValueRef::Integer(id)]).unwrap();
        let row = row.map(|row| (0..TYPES.len()).map(|column| row.value(column).to_value()).collect::<Vec<_>>());
        assert_eq!(format!("{row:?}"), format!("{:?}", rows.get(&id)), "{when}, key {id}");
    }
    let (reader, mut count) = (table.reader(table.current_view()), 0);
    reader
        .scan(1, &[], None, Direction::Ascending, true, &mut |_| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(count, rows.len(), "{when}");
    let snapshot = table.snapshot_for(table.current_view());
    let columns: Vec<usize> = (0..TYPES.len()).collect();
    for group in 0..snapshot.groups() {
        let vectors = snapshot.vectors(group, &columns).unwrap();
        let slots: Vec<u32> = snapshot.group(group).map(|slot| slot as u32).collect();
        let (fetched, _) = snapshot.fetch(&slots, &columns, false).unwrap();
        assert_eq!(vectors, fetched, "{when}, group {group}");
    }
}

fn manifest(fs: &Simulated) -> (StoreFolder, Manifest) {
    let folder = StoreFolder::new(Arc::new(fs.clone()), SHOP);
    let manifest = folder.load().unwrap().unwrap();
    (folder, manifest)
}

fn group_bytes(fs: &Simulated) -> (u64, u64) {
    let groups = manifest(fs).1.tables.into_iter().flat_map(|table| table.groups);
    groups.fold((0, 0), |(files, memory), group| (files + group.file.length, memory + group.memory_bytes))
}

/// Random changes, checkpoints, vacuums and new starts. One start of three keeps no decoded columns in memory, another one
/// reads the table whole.
#[test]
fn random_changes_give_the_same_with_and_without_encoding() {
    let seeds =
        std::env::var("MAINSTAY_SEED").ok().and_then(|seed| seed.parse().ok()).map_or(1..4, |seed| seed..seed + 1);
    for seed in seeds {
        let mut random = Random(seed * 104_729);
        let files = [Simulated::new(), Simulated::new()];
        let mut stores = [open(&files[0], true, None), open(&files[1], false, None)];
        stores.iter().for_each(create);
        let mut rows = BTreeMap::new();
        for step in 0..60 {
            match random.below(8) {
                0 | 1 => stores.iter().for_each(|store| store.checkpoint().unwrap()),
                2 => stores.iter().for_each(|store| store.vacuum().unwrap()),
                3 => {
                    let memory = [None, Some(1), Some(1 << 20)][random.below(3) as usize];
                    stores.into_iter().for_each(|store| store.close().unwrap());
                    stores = [open(&files[0], true, memory), open(&files[1], false, memory)];
                }
                _ => change(&[&stores[0], &stores[1]], &mut rows, &mut random),
            }
            for (store, name) in stores.iter().zip(["encoded", "plain"]) {
                compare(store, &rows, &mut random, &format!("{name}, seed {seed}, step {step}"));
            }
        }
        stores.into_iter().for_each(|store| store.close().unwrap());
        for fs in &files {
            assert!(Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap().is_empty(), "seed {seed}");
        }
        let ((encoded, memory), (plain, _)) = (group_bytes(&files[0]), group_bytes(&files[1]));
        assert!(encoded < plain && plain >= memory / 2, "{encoded} bytes, {plain} plain, {memory} in memory");
    }
}

/// A store of some sealed groups, each of which is encoded.
fn filled() -> (Simulated, BTreeMap<i64, Vec<Value>>) {
    let (fs, mut random, mut rows) = (Simulated::new(), Random(7), BTreeMap::new());
    let store = open(&fs, true, Some(1 << 20));
    create(&store);
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for id in 0..600 {
        let row = row_of(id, &mut random);
        let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        sales(&store).insert(&mut transaction, &values[..]).unwrap();
        rows.insert(id, row);
    }
    transaction.commit().unwrap();
    store.close().unwrap();
    (fs, rows)
}

/// Any damaged part of an encoded file is found by the check, and by the statement that reads the group.
#[test]
fn damage_of_any_part_of_an_encoded_group_is_found() {
    let (fs, _) = filled();
    let (folder, manifest) = manifest(&fs);
    let group = &manifest.tables[0].groups[2];
    assert!(group.file.form == FileForm::Columns && group.file.length < group.memory_bytes);
    let path = folder.path_of(&group.file);
    let sound = fs.read(&path).unwrap();
    let overwrite = |bytes: &[u8]| {
        fs.create(&path, Create::Truncate).unwrap().write_at(bytes, 0).unwrap();
    };
    for at in (0..sound.len()).step_by(97) {
        let mut damaged = sound.clone();
        let end = damaged.len().min(at + 8);
        damaged[at..end].iter_mut().for_each(|byte| *byte ^= 0x55);
        overwrite(&damaged);
        let findings = Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap();
        assert_eq!(findings.first().map(|error| error.code()), Some(mainstay_types::Code::Damaged), "byte {at}");
        let store = open(&fs, true, Some(1 << 20));
        let table = sales(&store);
        let outcome = table.reader(table.current_view()).for_each(&mut |_| Ok(ControlFlow::Continue(())));
        assert_eq!(outcome.unwrap_err().code(), mainstay_types::Code::Damaged, "byte {at}");
        drop(store);
        overwrite(&sound);
    }
    assert!(Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap().is_empty());
}

/// Encoded files are read by a store that encodes nothing, in a backup and in a folder that was restored from it.
#[test]
fn encoded_files_are_read_by_stores_that_do_not_encode_and_in_backups() {
    let (fs, rows) = filled();
    let store = open(&fs, false, None);
    compare(&store, &rows, &mut Random(3), "read without encoding");
    store.backup(Path::new("backup")).unwrap();
    drop(store);
    fs.create_folder(Path::new("other")).unwrap();
    Store::restore(Arc::new(fs.clone()), Path::new("backup"), &Path::new("other").join(SHOP)).unwrap();
    let options = StoreOptions { whole_bytes: 0, ..StoreOptions::DEFAULT };
    let restored = Store::open(Arc::new(fs), &Path::new("other").join(SHOP), options).unwrap();
    compare(&restored, &rows, &mut Random(3), "restored");
}
