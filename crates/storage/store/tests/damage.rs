//! One damaged table among others: it is refused with the reason, the others go on, and nothing of it is lost for good.

mod common;

use common::catalog::{create, insert, rows, schema, table};
use common::integer;
use mainstay_store::files::StoreFolder;
use mainstay_store::files::catalog::{
    CatalogChange, Deferrable, ForeignKeyDefinition, IndexDefinition, ReferentialAction, TableDefinition,
};
use mainstay_store::{Durability, Isolation, Store, StoreOptions};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, Entry, File, FileSystem, Mapping, Simulated, Stamp};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SHOP: &str = "shop";
const OPTIONS: StoreOptions =
    StoreOptions { durability: Durability::Full, checkpoint_bytes: None, memory_bytes: None, ..StoreOptions::DEFAULT };

fn open(fs: &Simulated) -> Store {
    try_open(Arc::new(fs.clone())).unwrap()
}

fn try_open(fs: Arc<dyn FileSystem>) -> Result<Store> {
    Store::open(fs, Path::new(SHOP), OPTIONS)
}

fn change(store: &Store, change: CatalogChange) -> Result<()> {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, change)?;
    transaction.commit().map(|_| ())
}

fn keys(range: std::ops::Range<i64>) -> Vec<(i64, i64)> {
    range.map(|key| (key, key)).collect()
}

/// A killed store with the tables `good` and `bad`: 300 rows of each in files, and 10 in the journal, which also deletes row 7
/// of `bad`.
fn killed() -> (Simulated, u64, u64) {
    let fs = Simulated::new();
    let store = open(&fs);
    let (good, bad) = (create(&store, "good"), create(&store, "bad"));
    [good, bad].into_iter().for_each(|id| insert(&store, id, 0..300).unwrap());
    store.checkpoint().unwrap();
    [good, bad].into_iter().for_each(|id| insert(&store, id, 300..310).unwrap());
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let table = store.table_of(bad).unwrap();
    let position = common::position(&table, &mut transaction, 7).unwrap();
    table.delete(&mut transaction, position).unwrap();
    transaction.commit().unwrap();
    let left = fs.after_kill();
    (left, good, bad)
}

/// The rows of `bad` of [`killed`] when nothing is damaged.
fn all_of_bad() -> Vec<(i64, i64)> {
    keys(0..310).into_iter().filter(|(key, _)| *key != 7).collect()
}

/// The group files of a table.
fn files_of(fs: &Simulated, id: u64) -> Vec<PathBuf> {
    let folder = StoreFolder::new(Arc::new(fs.clone()), SHOP);
    let manifest = folder.load().unwrap().unwrap();
    let image = manifest.tables.iter().find(|image| image.table == id).unwrap();
    image.groups.iter().map(|group| folder.path_of(&group.file)).collect()
}

fn overwrite(fs: &Simulated, path: &Path, bytes: &[u8]) {
    fs.create(path, Create::Truncate).unwrap().write_at(bytes, 0).unwrap();
}

/// Changes a byte of a file: its content before.
fn damage(fs: &Simulated, path: &Path) -> Vec<u8> {
    let bytes = fs.read(path).unwrap();
    let mut damaged = bytes.clone();
    damaged[70] ^= 255;
    overwrite(fs, path, &damaged);
    bytes
}

fn assert_refused(store: &Store, bad: u64, path: &Path) {
    let refused = [
        store.table_of(bad).err().unwrap(),
        store.table("bad").err().unwrap(),
        insert(store, bad, 900..901).unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.code(), Code::Damaged, "{error}");
        assert!(error.message().contains("the table \"bad\" cannot be used"), "{error}");
        let file = path.file_name().unwrap().to_str().unwrap();
        assert!(error.place().is_some_and(|place| place.contains(file)), "{error}");
        assert!(error.hint_text().is_some_and(|hint| hint.contains("mainstay check")), "{error}");
    }
    assert_eq!(store.damage().len(), 1);
}

/// Whichever of the two is damaged, cut off or gone, all tables are there, and both are again when the store was opened.
#[test]
fn a_damaged_manifest_is_replaced_by_its_copy_and_the_copy_by_it() {
    let damages: [fn(&Simulated, &Path); 3] = [
        |fs, path| drop(damage(fs, path)),
        |fs, path| fs.replace(path, &fs.read(path).unwrap()[..100]).unwrap(),
        |fs, path| fs.remove(path).unwrap(),
    ];
    for name in ["manifest", "manifest.copy"] {
        for damage in damages {
            let (fs, good, bad) = killed();
            let path = Path::new(SHOP).join(name);
            let whole = fs.read(&path).unwrap();
            damage(&fs, &path);
            let findings = Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap();
            let is_told = findings.iter().any(|finding| finding.to_string().contains(name));
            // A copy that is not there was never made, by an earlier version.
            assert_eq!(is_told, fs.read(&path).is_ok() || name == "manifest", "{findings:?}");
            let store = open(&fs);
            assert_eq!((rows(&store, good), rows(&store, bad)), (keys(0..310), all_of_bad()));
            assert_eq!(fs.read(&path).unwrap(), whole);
            assert!(store.damage().is_empty());
        }
    }
    let (fs, ..) = killed();
    ["manifest", "manifest.copy"].iter().for_each(|name| drop(damage(&fs, &Path::new(SHOP).join(name))));
    let error = try_open(Arc::new(fs.clone())).err().unwrap();
    assert!(error.code() == Code::Damaged && error.to_string().contains("manifest"), "{error}");
}

#[test]
fn one_damaged_table_does_not_keep_the_others_from_being_used() {
    let (fs, good, bad) = killed();
    let path = files_of(&fs, bad).remove(1);
    let whole = damage(&fs, &path);
    let damaged = fs.read(&path).unwrap();
    let manifest = fs.read(&Path::new(SHOP).join("manifest")).unwrap();
    for round in 0..3 {
        let store = open(&fs);
        assert_refused(&store, bad, &path);
        // The others are read and written, and what was written is there again without a checkpoint.
        assert_eq!(rows(&store, good), keys(0..310 + round));
        insert(&store, good, 310 + round..311 + round).unwrap();
        let error = store.checkpoint().unwrap_err();
        assert!(error.code() == Code::Damaged && error.message().contains("\"bad\""), "{error}");
        assert_eq!(store.backup(Path::new("backup")).unwrap_err().code(), Code::Damaged);
        store.vacuum().unwrap();
        if round == 1 {
            store.close().unwrap();
        }
        // Nothing of the damaged table was touched.
        assert_eq!(fs.read(&path).unwrap(), damaged);
        assert_eq!(fs.read(&Path::new(SHOP).join("manifest")).unwrap(), manifest);
    }
    let findings = Store::check(Arc::new(fs.clone()), Path::new(SHOP)).unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].message().contains("\"bad\""), "{findings:?}");
    // The file comes back from a copy: everything is there, what the journal has included.
    overwrite(&fs, &path, &whole);
    let store = open(&fs);
    assert!(store.damage().is_empty());
    assert_eq!(rows(&store, bad), all_of_bad());
    assert_eq!(rows(&store, good), keys(0..313));
    store.checkpoint().unwrap();
    store.close().unwrap();
    let store = open(&fs);
    assert_eq!(rows(&store, bad), all_of_bad());
    assert_eq!(rows(&store, good), keys(0..313));
}

/// As the other test, with a file that is gone, one that is too short, and one that this user may not read.
#[test]
fn a_file_that_cannot_be_read_is_the_fault_of_its_table() {
    let (fs, good, bad) = killed();
    let path = files_of(&fs, bad).remove(0);
    let whole = fs.read(&path).unwrap();
    fs.remove(&path).unwrap();
    let store = open(&fs);
    assert_refused(&store, bad, &path);
    assert_eq!(rows(&store, good), keys(0..310));
    drop(store);
    overwrite(&fs, &path, &whole[..20]);
    assert_refused(&open(&fs), bad, &path);
    overwrite(&fs, &path, &whole);
    let store = try_open(Arc::new(Denied(fs.clone(), path.clone()))).unwrap();
    let error = store.table_of(bad).err().unwrap();
    assert!(error.code() == Code::Io && error.message().contains("Permission denied"), "{error}");
    assert_eq!(rows(&store, good), keys(0..310));
    insert(&store, good, 310..311).unwrap();
    store.close().unwrap();
    assert_eq!(rows(&open(&fs), bad), all_of_bad());
}

/// Another file system, of which one file or folder may not be read.
#[derive(Debug)]
struct Denied(Simulated, PathBuf);

impl Denied {
    fn check(&self, path: &Path) -> Result<()> {
        match path.starts_with(&self.1) {
            true => Err(Error::from(std::io::Error::from_raw_os_error(13)).at(path.display())),
            false => Ok(()),
        }
    }
}

impl FileSystem for Denied {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        self.check(path).and_then(|()| self.0.open(path))
    }

    fn stamp(&self, path: &Path) -> Result<Stamp> {
        self.check(path).and_then(|()| self.0.stamp(path))
    }

    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        self.check(folder).and_then(|()| self.0.list(folder))
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.is_folder(path)
    }

    fn map(&self, path: &Path) -> Result<Mapping> {
        self.check(path).and_then(|()| self.0.map(path))
    }

    fn create(&self, path: &Path, how: Create) -> Result<Arc<dyn mainstay_vfs::WritableFile>> {
        self.check(path).and_then(|()| self.0.create(path, how))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        self.check(path).and_then(|()| self.0.remove(path))
    }

    fn create_folder(&self, path: &Path) -> Result<()> {
        self.check(path).and_then(|()| self.0.create_folder(path))
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        self.0.sync_folder(path)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn mainstay_vfs::FolderLock>> {
        self.check(path).and_then(|()| self.0.lock(path))
    }
}

#[test]
fn a_folder_that_may_not_be_read_is_refused_with_the_reason() {
    let (fs, _, _) = killed();
    let before = fs.read(&Path::new(SHOP).join("manifest")).unwrap();
    let error = try_open(Arc::new(Denied(fs.clone(), PathBuf::from(SHOP)))).err().unwrap();
    assert!(error.message().contains("Permission denied") && error.to_string().contains(SHOP), "{error}");
    assert_eq!(fs.read(&Path::new(SHOP).join("manifest")).unwrap(), before);
}

#[test]
fn a_damaged_table_is_dropped_and_checkpoints_are_taken_again() {
    let (fs, good, bad) = killed();
    let files = files_of(&fs, bad);
    damage(&fs, &files[0]);
    let store = open(&fs);
    // After the rollback it is as damaged as it was.
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, CatalogChange::DropTable(bad)).unwrap();
    assert_eq!(store.table_for(&transaction, bad).err().unwrap().code(), Code::UnknownTable);
    transaction.rollback();
    assert_refused(&store, bad, &files[0]);
    change(&store, CatalogChange::DropTable(bad)).unwrap();
    // Found in the journal, too.
    let found = open(&fs.after_kill());
    assert!(found.damage().is_empty() && found.table_of(bad).is_err());
    drop(found);
    insert(&store, good, 310..320).unwrap();
    store.checkpoint().unwrap();
    assert!(files.iter().all(|path| fs.open(path).is_err()), "they belong to nothing any more");
    store.close().unwrap();
    assert_eq!(rows(&open(&fs), good), keys(0..320));
}

#[test]
fn a_damaged_table_keeps_its_definition_and_takes_no_other() {
    let (fs, _, bad) = killed();
    // The journal changes the definition before the file is damaged.
    let store = open(&fs);
    let index = IndexDefinition {
        id: store.new_id(),
        name: "bad_values".into(),
        columns: common::catalog::ascending(&[bad + 2]),
        unique: true,
        nulls_not_distinct: false,
        filter: Vec::new(),
    };
    change(&store, CatalogChange::PutIndex { table: bad, index }).unwrap();
    insert(&store, bad, 310..311).unwrap();
    let fs = fs.after_kill();
    drop(store);
    let path = files_of(&fs, bad).remove(0);
    let whole = damage(&fs, &path);
    let store = open(&fs);
    assert_refused(&store, bad, &path);
    assert_eq!(store.catalog().table(bad).unwrap().indexes.len(), 1);
    let mut renamed = store.catalog().table(bad).unwrap().clone();
    renamed.name = "worse".into();
    assert_eq!(change(&store, CatalogChange::PutTable(renamed)).unwrap_err().code(), Code::Damaged);
    let index = store.catalog().table(bad).unwrap().indexes[0].id;
    assert_eq!(change(&store, CatalogChange::DropIndex { table: bad, index }).unwrap_err().code(), Code::Damaged);
    drop(store);
    overwrite(&fs, &path, &whole);
    let store = open(&fs);
    assert_eq!(rows(&store, bad).len(), all_of_bad().len() + 1);
    assert_eq!(store.table_of(bad).unwrap().indexes().len(), 2);
}

/// `children`, whose `value` refers to `id` of `parents`.
fn family() -> (Simulated, u64, u64) {
    let fs = Simulated::new();
    let store = open(&fs);
    change(&store, schema()).unwrap();
    let mut children: TableDefinition = table(300, "children");
    change(&store, CatalogChange::PutTable(table(200, "parents"))).unwrap();
    children.foreign_keys.push(ForeignKeyDefinition {
        name: "to_parents".into(),
        columns: vec![302],
        referenced_table: 200,
        referenced_columns: vec![201],
        on_delete: ReferentialAction::NoAction,
        on_update: ReferentialAction::NoAction,
        disabled: false,
        deferrable: Deferrable::No,
        match_full: false,
    });
    change(&store, CatalogChange::PutTable(children)).unwrap();
    [200, 300].into_iter().for_each(|id| insert(&store, id, 0..10).unwrap());
    store.close().unwrap();
    (fs, 200, 300)
}

#[test]
fn references_to_and_from_a_damaged_table_cannot_be_checked() {
    let (fs, parents, children) = family();
    let whole = damage(&fs, &files_of(&fs, parents)[0]);
    let store = open(&fs);
    assert_eq!(insert(&store, children, 20..21).unwrap_err().code(), Code::Damaged, "its parent may be there");
    assert_eq!(rows(&store, children), keys(0..10));
    drop(store);
    overwrite(&fs, &files_of(&fs, parents)[0], &whole);
    damage(&fs, &files_of(&fs, children)[0]);
    let store = open(&fs);
    let table = store.table_of(parents).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let position = common::position(&table, &mut transaction, 3).unwrap();
    table.delete(&mut transaction, position).unwrap();
    assert_eq!(transaction.end_statement().unwrap_err().code(), Code::Damaged, "a child may refer to it");
    transaction.rollback();
    insert(&store, parents, 10..11).unwrap();
    assert_eq!(rows(&store, parents), keys(0..11));
}

#[test]
fn what_is_left_of_a_damaged_table_can_be_read() {
    let (fs, good, bad) = killed();
    let files = files_of(&fs, bad);
    assert!(files.len() > 2, "{files:?}");
    let path = files[1].clone();
    damage(&fs, &path);
    let shared: Arc<dyn FileSystem> = Arc::new(fs.clone());
    let store = Store::open_salvaging(Arc::clone(&shared), Path::new(SHOP)).unwrap();
    let found = rows(&store, bad);
    let group = 64;
    assert_eq!(found.len(), 309 - group);
    assert!(found.iter().all(|row| all_of_bad().contains(row)));
    assert!(found.ends_with(&keys(300..310)), "what the journal has is there");
    assert_eq!(rows(&store, good), keys(0..310));
    let told = store.damage();
    assert_eq!(told.len(), 1);
    assert!(told[0].message().contains(&format!("{group} of the 300 rows")), "{told:?}");
    assert!(told[0].place().is_some_and(|place| place.contains(path.file_name().unwrap().to_str().unwrap())));
    // Nothing can be changed.
    assert_eq!(insert(&store, good, 900..901).unwrap_err().code(), Code::ReadOnly);
    assert_eq!(insert(&store, bad, 900..901).unwrap_err().code(), Code::ReadOnly);
    assert_eq!(change(&store, CatalogChange::DropTable(bad)).unwrap_err().code(), Code::ReadOnly);
    store.close().unwrap();
    // Nor does it come to an end at a journal that is damaged.
    let mut files = fs.list(Path::new(SHOP)).unwrap().into_iter().map(|entry| entry.path);
    let journal = files.rfind(|path| path.to_string_lossy().contains("journal-")).unwrap();
    damage(&fs, &journal);
    assert_eq!(try_open(Arc::clone(&shared)).err().unwrap().code(), Code::Damaged);
    let store = Store::open_salvaging(shared, Path::new(SHOP)).unwrap();
    assert_eq!(rows(&store, good), keys(0..300));
    assert_eq!(rows(&store, bad).len(), 300 - group);
    assert_eq!(store.damage().len(), 2, "{:?}", store.damage());
}

/// Changes of rows that are lost are counted, and those of others are made.
#[test]
fn later_changes_of_lost_rows_are_told() {
    let (fs, _, bad) = killed();
    // Row 7, which the journal deletes, is in the first one.
    damage(&fs, &files_of(&fs, bad)[0]);
    let store = Store::open_salvaging(Arc::new(fs), Path::new(SHOP)).unwrap();
    assert_eq!(rows(&store, bad), keys(64..310));
    let told = store.damage();
    assert!(told[0].message().contains("later changes of such rows: 1"), "{told:?}");
}

/// A store whose memory for rows is full while no checkpoint may be taken: writers get an error, and nothing waits for
/// ever.
#[test]
fn writers_that_memory_has_no_room_for_are_told_of_the_damage() {
    let (fs, good, bad) = killed();
    damage(&fs, &files_of(&fs, bad)[0]);
    let options = StoreOptions { memory_bytes: Some(1 << 16), ..OPTIONS };
    let store = Store::open(Arc::new(fs.clone()), Path::new(SHOP), options).unwrap();
    let outcomes = (0..200).map(|round| insert(&store, good, 1000 + round * 200..1200 + round * 200));
    let error = outcomes.filter_map(Result::err).next().expect("the memory is full");
    assert!(error.code() == Code::OutOfMemory && error.message().contains("\"bad\""), "{error}");
    assert!(rows(&store, good).len() > 310);
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let view = transaction.begin_statement().unwrap();
    let table = store.table_of(good).unwrap();
    let mut reader = table.reader(view);
    let found = reader.get(0, &[mainstay_types::ValueRef::Integer(7)]).unwrap().unwrap();
    assert_eq!(integer(&found, 1), 7);
}
