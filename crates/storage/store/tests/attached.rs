//! Tables that are too large to be read whole when their store is opened: checkpoints write their indexes, rows are
//! read when they are needed, and are verified then.

mod common;

use common::catalog::{ascending, schema, table};
use common::{Random, integer, pair};
use mainstay_store::files::catalog::{CatalogChange, IndexDefinition};
use mainstay_store::files::{Manifest, StoreFolder};
use mainstay_store::index::Direction;
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions};
use mainstay_types::{Code, Result, ValueRef};
use mainstay_vfs::{Create, FileSystem, Simulated};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SHOP: &str = "shop";
const TABLE: u64 = 100;
/// Every table is large.
const OPTIONS: StoreOptions = StoreOptions {
    durability: Durability::Full,
    checkpoint_bytes: None,
    memory_bytes: None,
    whole_bytes: 0,
    encodes: true,
};

fn open(fs: &Simulated) -> Store {
    open_with(fs, OPTIONS)
}

fn open_with(fs: &Simulated, options: StoreOptions) -> Store {
    Store::open(Arc::new(fs.clone()), Path::new(SHOP), options).unwrap()
}

/// `id BIGINT PRIMARY KEY, value BIGINT`, with an index of the values.
fn create(store: &Store) {
    let index = IndexDefinition {
        id: 150,
        name: "by_value".into(),
        unique: false,
        columns: ascending(&[TABLE + 2]),
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let table = CatalogChange::PutTable(table(TABLE, "sales"));
    [schema(), table, CatalogChange::PutIndex { table: TABLE, index }]
        .into_iter()
        .try_for_each(|change| store.change_catalog(&mut transaction, change))
        .unwrap();
    transaction.commit().unwrap();
}

fn sales(store: &Store) -> Arc<NativeTable> {
    store.table_of(TABLE).unwrap()
}

fn insert(store: &Store, rows: impl Iterator<Item = (i64, i64)>) -> Result<()> {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let table = store.table_of(TABLE)?;
    for (id, value) in rows {
        table.insert(&mut transaction, &pair(id, value)[..])?;
    }
    transaction.commit().map(|_| ())
}

/// A closed store of so many rows `(id, id % 7)`.
fn filled(rows: i64) -> Simulated {
    let fs = Simulated::new();
    let store = open(&fs);
    create(&store);
    insert(&store, (0..rows).map(|id| (id, id % 7))).unwrap();
    store.close().unwrap();
    fs
}

fn by_id(table: &NativeTable, id: i64) -> Result<Option<i64>> {
    let mut reader = table.reader(table.current_view());
    Ok(reader.get(0, &[ValueRef::Integer(id)])?.map(|row| integer(&row, 1)))
}

/// The ids of the rows with a value, or of all rows by value, by the index.
fn by_value(table: &NativeTable, value: Option<i64>, direction: Direction) -> Result<Vec<i64>> {
    let indexes = table.indexes();
    let (mut low, mut high) = (Vec::new(), None);
    if let Some(value) = value {
        indexes[1].encoder().start(&mut low).push(ValueRef::Integer(value))?;
        let mut end = low.clone();
        high = mainstay_store::key::successor(&mut end).then_some(end);
    }
    let (reader, mut found) = (table.reader(table.current_view()), Vec::new());
    reader.scan(1, &low, high.as_deref(), direction, true, &mut |position| {
        found.extend(reader.version(position).map(|row| integer(&row, 0)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

fn loaded(table: &NativeTable) -> (usize, usize) {
    let directory = table.directory();
    let loaded = directory.groups().iter().filter(|group| group.is_loaded()).count();
    (loaded, directory.groups().len())
}

fn manifest(fs: &Simulated) -> (StoreFolder, Manifest) {
    let folder = StoreFolder::new(Arc::new(fs.clone()), SHOP);
    let manifest = folder.load().unwrap().unwrap();
    (folder, manifest)
}

fn runs(fs: &Simulated) -> Vec<PathBuf> {
    let (folder, manifest) = manifest(fs);
    manifest.runs().map(|facts| folder.path_of(facts)).collect()
}

fn overwrite(fs: &Simulated, path: &Path, bytes: &[u8]) {
    fs.create(path, Create::Truncate).unwrap().write_at(bytes, 0).unwrap();
}

#[test]
fn a_point_read_loads_one_group() {
    let fs = filled(4000);
    let store = open(&fs);
    let table = sales(&store);
    let (at_first, groups) = loaded(&table);
    assert!(groups > 5 && at_first <= 1, "only the last group may be loaded: {at_first} of {groups}");
    assert_eq!(table.estimated_rows(), 4000);
    assert_eq!(table.reader(table.current_view()).count(), 4000);
    assert_eq!(by_id(&table, 77).unwrap(), Some(0));
    assert_eq!(by_id(&table, 4000).unwrap(), None);
    assert_eq!(loaded(&table).0, at_first + 1);
    let expected: Vec<i64> = (0..4000).filter(|id| id % 7 == 3).collect();
    assert_eq!(by_value(&table, Some(3), Direction::Ascending).unwrap(), expected);
    let backwards: Vec<i64> = expected.into_iter().rev().collect();
    assert_eq!(by_value(&table, Some(3), Direction::Descending).unwrap(), backwards);
}

#[test]
fn keys_of_rows_that_are_not_loaded_are_refused_twice() {
    let fs = filled(1000);
    let store = open(&fs);
    let refused = insert(&store, [(1000, 0), (5, 0)].into_iter()).unwrap_err();
    assert_eq!(refused.code(), Code::UniqueViolation, "{refused}");
    insert(&store, [(1000, 0)].into_iter()).unwrap();
    // A key whose row was deleted is free, whether the row was loaded or not.
    let table = sales(&store);
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let position = common::position(&table, &mut transaction, 5).unwrap();
    table.delete(&mut transaction, position).unwrap();
    transaction.commit().unwrap();
    insert(&store, [(5, 55)].into_iter()).unwrap();
    assert_eq!(by_id(&table, 5).unwrap(), Some(55));
    store.vacuum().unwrap();
    drop(table);
    store.close().unwrap();
    let store = open(&fs);
    assert_eq!((by_id(&sales(&store), 5).unwrap(), by_id(&sales(&store), 1000).unwrap()), (Some(55), Some(0)));
    assert!(Store::check(Arc::new(fs.after_kill()), Path::new(SHOP)).unwrap().is_empty());
}

/// Random changes against a map, with checkpoints, vacuums, kills and new starts between them.
#[test]
fn random_changes_and_new_starts_give_what_a_map_gives() {
    let seeds =
        std::env::var("MAINSTAY_SEED").ok().and_then(|seed| seed.parse().ok()).map_or(1..7, |seed| seed..seed + 1);
    for seed in seeds {
        random_changes(seed);
    }
}

fn random_changes(seed: u64) {
    let (mut random, mut fs) = (Random(seed * 7919), Simulated::new());
    let mut store = open(&fs);
    create(&store);
    let mut rows: BTreeMap<i64, i64> = BTreeMap::new();
    for step in 0..220 {
        match random.below(12) {
            0 => store.checkpoint().unwrap(),
            1 => store.vacuum().unwrap(),
            2 => {
                store.close().unwrap();
                store = open(&fs);
            }
            3 => {
                fs = fs.after_kill();
                drop(store);
                store = open(&fs);
            }
            _ => change(&store, &mut rows, &mut random),
        }
        compare(&sales(&store), &rows, &mut random, &format!("seed {seed}, step {step}"));
    }
    store.close().unwrap();
    let findings = Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap();
    assert!(findings.is_empty(), "seed {seed}: {findings:?}");
}

/// A transaction of some changes, which is rolled back at times.
fn change(store: &Store, rows: &mut BTreeMap<i64, i64>, random: &mut Random) {
    let table = sales(store);
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let mut after = rows.clone();
    for _ in 0..1 + random.below(60) {
        let (id, value) = (random.below(400) as i64, random.below(20) as i64);
        let position = common::position(&table, &mut transaction, id);
        assert_eq!(position.is_some(), after.contains_key(&id), "key {id}");
        match (position, random.below(3)) {
            (None, _) => {
                table.insert(&mut transaction, &pair(id, value)[..]).unwrap();
                after.insert(id, value);
            }
            (Some(position), 0) => {
                table.delete(&mut transaction, position).unwrap();
                after.remove(&id);
            }
            (Some(position), 1) => {
                // Another key, where that is free.
                let new = random.below(400) as i64;
                if !after.contains_key(&new) {
                    table.update_columns(&mut transaction, position, &[(0, ValueRef::Integer(new))]).unwrap();
                    let value = after.remove(&id).unwrap();
                    after.insert(new, value);
                }
            }
            (Some(position), _) => {
                table.update_columns(&mut transaction, position, &[(1, ValueRef::Integer(value))]).unwrap();
                after.insert(id, value);
            }
        }
    }
    if random.below(5) == 0 {
        transaction.rollback();
    } else {
        transaction.commit().unwrap();
        *rows = after;
    }
}

fn compare(table: &NativeTable, rows: &BTreeMap<i64, i64>, random: &mut Random, when: &str) {
    let (id, value) = (random.below(400) as i64, random.below(20) as i64);
    assert_eq!(by_id(table, id).unwrap(), rows.get(&id).copied(), "{when}: key {id}");
    let mut expected: Vec<i64> = rows.iter().filter(|(_, of)| **of == value).map(|(id, _)| *id).collect();
    let mut found = by_value(table, Some(value), Direction::Ascending).unwrap();
    found.sort_unstable();
    assert_eq!(found, expected, "{when}: value {value}");
    for direction in [Direction::Ascending, Direction::Descending] {
        let mut found = by_value(table, None, direction).unwrap();
        found.sort_unstable();
        expected = rows.keys().copied().collect();
        assert_eq!(found, expected, "{when}: all, {direction:?}");
    }
    assert_eq!(table.reader(table.current_view()).count(), rows.len(), "{when}");
}

#[test]
fn damage_of_any_part_of_an_index_file_is_found_and_mended() {
    let whole = filled(3000);
    for path in runs(&whole) {
        let bytes = whole.read(&path).unwrap();
        for from in (0..bytes.len()).step_by(1531) {
            let fs = whole.after_kill();
            let mut damaged = bytes.clone();
            damaged[from..bytes.len().min(from + 9)].iter_mut().for_each(|byte| *byte ^= 0x5A);
            overwrite(&fs, &path, &damaged);
            let name = path.file_name().unwrap().to_str().unwrap();
            let findings = Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap();
            assert!(findings.iter().any(|it| it.to_string().contains(name)), "byte {from}: {findings:?}");
            let store = open(&fs);
            let table = sales(&store);
            for id in (0..3010).step_by(37) {
                assert_eq!(by_id(&table, id).unwrap(), (id < 3000).then_some(id % 7), "byte {from}");
            }
            assert_eq!(by_value(&table, None, Direction::Descending).unwrap().len(), 3000);
            insert(&store, [(3000, 3)].into_iter()).unwrap();
            let repaired = store.repaired_indexes();
            assert!(store.damage().is_empty());
            drop(table);
            store.close().unwrap();
            if !repaired.is_empty() {
                assert!(repaired[0].code() == Code::Damaged && repaired[0].to_string().contains(name), "{repaired:?}");
                assert!(Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap().is_empty(), "byte {from}");
            }
        }
    }
}

#[test]
fn an_index_file_that_is_gone_or_cut_off_is_made_again() {
    for length in [None, Some(0), Some(4096), Some(5000)] {
        let fs = filled(3000);
        for path in runs(&fs) {
            let bytes = fs.read(&path).unwrap();
            match length {
                None => fs.remove(&path).unwrap(),
                Some(length) => overwrite(&fs, &path, &bytes[..bytes.len().min(length).min(bytes.len() - 1)]),
            }
        }
        assert_eq!(Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap().len(), 2);
        let store = open(&fs);
        assert_eq!(by_id(&sales(&store), 2999).unwrap(), Some(2999 % 7));
        assert_eq!(by_value(&sales(&store), Some(1), Direction::Ascending).unwrap().len(), 429);
        assert_eq!(store.repaired_indexes().len(), 2);
        store.close().unwrap();
        assert!(Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap().is_empty());
        assert!(runs(&fs).iter().all(|path| fs.read(path).is_ok()));
    }
}

/// The table is used until a statement needs the damaged part; then it is refused, and nothing of it is lost.
#[test]
fn a_damaged_group_is_found_when_it_is_read() {
    let fs = filled(3000);
    let (folder, manifest) = manifest(&fs);
    let path = folder.path_of(&manifest.tables[0].groups[3].file);
    let whole = fs.read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    overwrite(&fs, &path, &damaged);
    let findings = Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    let store = open(&fs);
    let table = sales(&store);
    assert_eq!(by_id(&table, 5).unwrap(), Some(5));
    insert(&store, [(3000, 1)].into_iter()).unwrap();
    let mut open_transaction = store.begin(Isolation::ReadCommitted);
    table.insert(&mut open_transaction, &pair(3001, 1)[..]).unwrap();
    // Group 3 has the rows from 256 on.
    let error = by_id(&table, 300).unwrap_err();
    assert!(error.code() == Code::Damaged && error.message().contains("\"sales\" cannot be used"), "{error}");
    assert!(error.place().is_some_and(|place| place.contains("group-")), "{error}");
    assert_eq!(open_transaction.commit().unwrap_err().code(), Code::Damaged);
    assert_eq!(store.table_of(TABLE).err().unwrap().code(), Code::Damaged);
    assert_eq!(insert(&store, [(3002, 1)].into_iter()).unwrap_err().code(), Code::Damaged);
    assert_eq!((store.damage().len(), store.checkpoint().unwrap_err().code()), (1, Code::Damaged));
    drop(table);
    store.close().unwrap();
    overwrite(&fs, &path, &whole);
    let store = open(&fs);
    let table = sales(&store);
    assert_eq!((by_id(&table, 300).unwrap(), by_id(&table, 3000).unwrap()), (Some(300 % 7), Some(1)));
    assert_eq!(by_id(&table, 3001).unwrap(), None);
    assert_eq!(by_value(&table, None, Direction::Ascending).unwrap().len(), 3001);
}

/// A way to rows of the table.
type Way = fn(&Store, &Arc<NativeTable>) -> Result<()>;

/// A scan, a range and a change meet the damage as errors, never as rows that are not there.
#[test]
fn every_way_to_a_damaged_group_gives_the_error() {
    let ways: [Way; 5] = [
        |_, table| by_id(table, 300).map(|_| ()),
        |_, table| by_value(table, None, Direction::Ascending).map(|_| ()),
        |_, table| table.reader(table.current_view()).for_each(&mut |_| Ok(ControlFlow::Continue(()))),
        |store, table| {
            let mut transaction = store.begin(Isolation::ReadCommitted);
            // The position of row 300 in group 3, as a query of before may have found it.
            table.update_columns(&mut transaction, 3 << 16 | 44, &[(1, ValueRef::Integer(1))]).map(|_| ())
        },
        |store, _| {
            let mut renamed = store.catalog().table(TABLE).unwrap().clone();
            renamed.columns.push(common::catalog::column(190, "note", mainstay_types::SqlType::TEXT));
            let mut transaction = store.begin(Isolation::ReadCommitted);
            store.change_catalog(&mut transaction, CatalogChange::PutTable(renamed))
        },
    ];
    for (number, read) in ways.into_iter().enumerate() {
        let fs = filled(3000);
        let (folder, manifest) = manifest(&fs);
        let path = folder.path_of(&manifest.tables[0].groups[3].file);
        let mut damaged = fs.read(&path).unwrap();
        damaged[200] ^= 1;
        overwrite(&fs, &path, &damaged);
        let store = open(&fs);
        let table = sales(&store);
        assert_eq!(read(&store, &table).unwrap_err().code(), Code::Damaged, "way {number}");
    }
}

/// Folders that earlier versions of the format have written are read whole, and are of the current one after a checkpoint.
#[test]
fn folders_of_earlier_versions_are_read_and_rewritten() {
    (1..=2).for_each(is_read_and_rewritten);
}

fn is_read_and_rewritten(first: u8) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/version-{first}"));
    let fs = Simulated::new();
    fs.create_folder(Path::new(SHOP)).unwrap();
    for entry in mainstay_vfs::Disk.list(&folder).unwrap() {
        let name = Path::new(SHOP).join(entry.path.file_name().unwrap());
        overwrite(&fs, &name, &mainstay_vfs::Disk.read(&entry.path).unwrap());
    }
    let fs: Arc<dyn FileSystem> = Arc::new(fs);
    let version = |fs: &dyn FileSystem| fs.read(&Path::new(SHOP).join("manifest")).unwrap()[8];
    assert_eq!(version(&*fs), first);
    assert!(Store::check(Arc::clone(&fs), Path::new(SHOP)).unwrap().is_empty());
    for round in 0..3 {
        let store = Store::open(Arc::clone(&fs), Path::new(SHOP), OPTIONS).unwrap();
        let table = store.table_of(10).unwrap();
        assert_eq!(table.reader(table.current_view()).count(), 300 + round);
        let mut reader = table.reader(table.current_view());
        let row = reader.get(0, &[ValueRef::Integer(123)]).unwrap().unwrap();
        assert_eq!((row.value(2), row.value(3)), (ValueRef::Float(30.75), ValueRef::Text("Rome")));
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let day = ValueRef::Date(mainstay_types::Date(1));
        let id = ValueRef::Integer(300 + round as i64);
        let row = [id, ValueRef::Integer(7), ValueRef::Float(0.5), ValueRef::Text("Oslo"), day];
        table.insert(&mut transaction, &row[..]).unwrap();
        transaction.commit().unwrap();
        store.close().unwrap();
        assert!(Store::check(Arc::clone(&fs), Path::new(SHOP)).unwrap().is_empty());
    }
    assert_eq!(version(&*fs), 3);
    let names = fs.list(Path::new(SHOP)).unwrap().into_iter().map(|entry| entry.path);
    assert!(names.into_iter().all(|path| path.extension().is_none_or(|ending| ending != "arrow")));
}

/// A journal that was found longer than the setting is not read by every start from then on.
#[test]
fn a_long_journal_that_is_found_is_followed_by_a_checkpoint() {
    let fs = filled(100);
    let store = open(&fs);
    (0..10).for_each(|part| insert(&store, (1000 + part * 100..1100 + part * 100).map(|id| (id, 1))).unwrap());
    let fs = fs.after_kill();
    drop(store);
    let before = manifest(&fs).1;
    let options = StoreOptions { checkpoint_bytes: Some(4 << 10), ..OPTIONS };
    let store = Store::open(Arc::new(fs.clone()), Path::new(SHOP), options).unwrap();
    let is_late = (0..5000).all(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        manifest(&fs).1.journal == before.journal
    });
    assert!(!is_late, "nobody has taken a checkpoint");
    let killed = fs.after_kill();
    drop(store);
    assert_eq!(sales(&open(&killed)).estimated_rows(), 1100);
}

/// Loads of many rows at once, whose keys come in no order, between checkpoints that leave indexes to their files, other
/// changes, reads, kills and new starts.
#[test]
fn loads_of_many_rows_give_what_a_map_gives() {
    let options = StoreOptions { memory_bytes: Some(1 << 20), ..OPTIONS };
    for seed in 1..4 {
        let (mut random, mut fs) = (Random(seed * 31_337), Simulated::new());
        let mut store = open_with(&fs, options);
        create(&store);
        let mut rows: BTreeMap<i64, i64> = BTreeMap::new();
        for step in 0..30 {
            match random.below(10) {
                0..4 => load(&store, &mut rows, &mut random),
                4 | 5 => store.checkpoint().unwrap(),
                6 => {
                    store.close().unwrap();
                    store = open_with(&fs, options);
                }
                7 => {
                    fs = fs.after_kill();
                    drop(store);
                    store = open_with(&fs, options);
                }
                _ => change(&store, &mut rows, &mut random),
            }
            if random.below(2) == 0 {
                compare(&sales(&store), &rows, &mut random, &format!("seed {seed}, step {step}"));
            }
        }
        compare(&sales(&store), &rows, &mut random, &format!("seed {seed}"));
        store.close().unwrap();
        let findings = Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap();
        assert!(findings.is_empty(), "seed {seed}: {findings:?}");
    }
}

/// Loads rows whose ids are free, in one transaction that is rolled back at times.
fn load(store: &Store, rows: &mut BTreeMap<i64, i64>, random: &mut Random) {
    use arrow_array::{ArrayRef, Int64Array};
    let first = 1000 + random.below(1_000_000) as i64 * 10_000;
    let mut ids: Vec<i64> =
        (first..first + 100 + random.below(7000) as i64).filter(|id| !rows.contains_key(id)).collect();
    if random.below(2) == 0 {
        ids.reverse();
    }
    let values: Vec<i64> = ids.iter().map(|_| random.below(20) as i64).collect();
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from(ids.clone())), Arc::new(Int64Array::from(values.clone()))];
    let mut transaction = store.begin(Isolation::ReadCommitted);
    sales(store).insert_columns(&mut transaction, &columns).unwrap();
    if random.below(4) == 0 {
        return transaction.rollback();
    }
    transaction.commit().unwrap();
    rows.extend(ids.into_iter().zip(values));
}
