//! A store that can be read but not written, and one in which nothing has changed: no file is touched.

mod common;

use common::catalog::{create, insert, rows, table};
use common::{pair, pairs};
use mainstay_store::files::catalog::{CatalogChange, SequenceDefinition};
use mainstay_store::{Durability, Isolation, Store, StoreOptions};
use mainstay_types::{Code, Result};
use mainstay_vfs::{Entry, Faulty, File, FileSystem, Mapping, Operation, Simulated, Stamp};
use std::path::Path;
use std::sync::Arc;

const SHOP: &str = "shop";
const OPTIONS: StoreOptions =
    StoreOptions { durability: Durability::Full, checkpoint_bytes: None, memory_bytes: None, ..StoreOptions::DEFAULT };
const WRITES: [Operation; 5] =
    [Operation::Write, Operation::Sync, Operation::Rename, Operation::Create, Operation::Remove];

/// Another file system, of which nothing can be written: everything else answers as the trait does.
#[derive(Debug)]
struct ReadOnly(Simulated);

impl FileSystem for ReadOnly {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        self.0.open(path)
    }

    fn stamp(&self, path: &Path) -> Result<Stamp> {
        self.0.stamp(path)
    }

    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        self.0.list(folder)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.0.is_folder(path)
    }

    fn map(&self, path: &Path) -> Result<Mapping> {
        self.0.map(path)
    }
}

fn open(fs: Arc<dyn FileSystem>) -> Result<Store> {
    Store::open(fs, Path::new(SHOP), OPTIONS)
}

/// A store with rows in files and rows in the journal, killed: its table and its sequence.
fn killed() -> (Simulated, u64, u64) {
    let fs = Simulated::new();
    let store = open(Arc::new(fs.clone())).unwrap();
    let id = create(&store, "pairs");
    let sequence = store.new_id();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let definition = SequenceDefinition {
        id: sequence,
        schema: 1,
        name: "numbers".into(),
        start: 1,
        increment: 1,
        minimum: 1,
        maximum: 1000,
        cycle: false,
        owned_by: None,
        declared: None,
    };
    store.change_catalog(&mut transaction, CatalogChange::PutSequence(definition)).unwrap();
    transaction.commit().unwrap();
    insert(&store, id, 0..300).unwrap();
    store.checkpoint().unwrap();
    insert(&store, id, 300..310).unwrap();
    let left = fs.after_kill();
    (left, id, sequence)
}

#[test]
fn a_medium_without_write_access_is_read_and_changes_are_refused() {
    let (fs, id, sequence) = killed();
    for explicit in [false, true] {
        let only: Arc<dyn FileSystem> = Arc::new(ReadOnly(fs.clone()));
        let store = match explicit {
            false => open(only).unwrap(),
            true => Store::open_read_only(only, Path::new(SHOP)).unwrap(),
        };
        assert_eq!(rows(&store, id).len(), 310);
        let reason = store.read_only().unwrap().clone();
        assert!(reason.code() == Code::ReadOnly && reason.message().contains("reading only"), "{reason:?}");
        assert!(reason.to_string().contains(SHOP), "{reason}");
        let pairs_table = store.table_of(id).unwrap();
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let position = common::position(&pairs_table, &mut transaction, 7).unwrap();
        let refused = [
            insert(&store, id, 900..901).unwrap_err(),
            common::set(&pairs_table, &mut transaction, 7, 1).unwrap_err(),
            pairs_table.delete(&mut transaction, position).unwrap_err(),
            store.change_catalog(&mut transaction, CatalogChange::PutTable(table(900, "more"))).unwrap_err(),
            store.next_value(&transaction, sequence).unwrap_err(),
            store.set_next_value(sequence, 3).unwrap_err(),
            store.backup(Path::new("backup")).unwrap_err(),
        ];
        assert!(refused.iter().all(|error| error.to_string() == reason.to_string()), "{refused:?}");
        drop(transaction);
        store.checkpoint().unwrap();
        // Tables that are not persistent can be written.
        let mut definition = pairs(true);
        definition.logged = false;
        definition.name = "temporary".into();
        let temporary = store.create_table(definition).unwrap();
        let mut transaction = store.begin(Isolation::Serializable);
        temporary.insert(&mut transaction, &pair(1, 1)[..]).unwrap();
        transaction.commit().unwrap();
        assert_eq!(common::committed(&store, &temporary), [(1, 1)]);
        store.close().unwrap();
    }
    // Nothing was touched: it is recovered as if it had never been opened.
    let store = open(Arc::new(fs)).unwrap();
    assert!(store.read_only().is_none());
    insert(&store, id, 310..311).unwrap();
    assert_eq!(rows(&store, id).len(), 311);
}

#[test]
fn reading_only_calls_nothing_that_writes() {
    let (fs, id, _) = killed();
    let counting = Faulty::counting(fs);
    let store = Store::open_read_only(Arc::new(counting.clone()), Path::new(SHOP)).unwrap();
    assert_eq!(rows(&store, id).len(), 310);
    store.close().unwrap();
    assert_eq!(WRITES.map(|kind| counting.calls(kind)), [0; 5]);
}

#[test]
fn where_there_is_no_store_a_store_for_reading_is_empty_and_damage_is_told() {
    let fs = Simulated::new();
    fs.create_folder(Path::new(SHOP)).unwrap();
    let store = open(Arc::new(ReadOnly(fs))).unwrap();
    assert!(store.tables().is_empty() && store.read_only().is_some());
    let (fs, _, _) = killed();
    assert!(Store::check(Arc::new(ReadOnly(fs.clone())), Path::new(SHOP)).unwrap().is_empty());
    for (name, is_refused) in [("manifest", false), ("manifest.copy", true)] {
        let manifest = Path::new(SHOP).join(name);
        let mut bytes = fs.read(&manifest).unwrap();
        bytes[40] ^= 1;
        fs.replace(&manifest, &bytes).unwrap();
        let opened = open(Arc::new(ReadOnly(fs.clone())));
        assert_eq!(opened.err().map(|error| error.code()), is_refused.then_some(Code::Damaged));
        let findings = Store::check(Arc::new(ReadOnly(fs.clone())), Path::new(SHOP)).unwrap();
        assert!(!findings.is_empty() && findings.iter().all(|finding| finding.code() == Code::Damaged), "{findings:?}");
    }
}

/// On a disk whose folder this user may not write to. Root may write everywhere: then there is nothing to see.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_without_permission_is_opened_for_reading() {
    use mainstay_vfs::Disk;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(".mainstay");
    let store = Store::open(Arc::new(Disk), &place, OPTIONS).unwrap();
    let id = create(&store, "pairs");
    insert(&store, id, 0..300).unwrap();
    store.close().unwrap();
    let files = || Disk.list(&place).unwrap().into_iter().map(|entry| entry.path);
    files().for_each(|path| set_permissions(path, Permissions::from_mode(0o444)).unwrap());
    set_permissions(&place, Permissions::from_mode(0o555)).unwrap();
    let store = Store::open(Arc::new(Disk), &place, OPTIONS).unwrap();
    assert_eq!(rows(&store, id).len(), 300);
    let is_root = Disk.create(&place.join("probe"), mainstay_vfs::Create::New).is_ok();
    if !is_root {
        let error = insert(&store, id, 900..901).unwrap_err();
        assert!(error.code() == Code::ReadOnly && error.message().contains("Permission denied"), "{error:?}");
    }
    drop(store);
    set_permissions(&place, Permissions::from_mode(0o755)).unwrap();
}

/// Opening and closing an unchanged store writes nothing into it, however often.
#[test]
fn closing_what_has_not_changed_takes_no_checkpoint() {
    let fs = Simulated::new();
    let store = open(Arc::new(fs.clone())).unwrap();
    let id = create(&store, "pairs");
    insert(&store, id, 0..10).unwrap();
    store.close().unwrap();
    let contents = || -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let entries = fs.list(Path::new(SHOP)).unwrap().into_iter().filter(|entry| !entry.is_folder);
        entries.map(|entry| (entry.path.clone(), fs.read(&entry.path).unwrap())).collect()
    };
    let before = contents();
    for round in 0..3 {
        let counting = Faulty::counting(fs.clone());
        let store = open(Arc::new(counting.clone())).unwrap();
        let opened = WRITES.map(|kind| counting.calls(kind));
        assert_eq!(rows(&store, id).len(), 10);
        // Reads and rolled-back changes are no changes, nor is a checkpoint one.
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let pairs = store.table_of(id).unwrap();
        pairs.insert(&mut transaction, &pair(99, 99)[..]).unwrap();
        transaction.rollback();
        store.checkpoint().unwrap();
        store.close().unwrap();
        assert_eq!(WRITES.map(|kind| counting.calls(kind)), opened, "round {round}");
        assert_eq!(contents(), before, "round {round}");
    }
    // After a change there is one, and a killed store is brought into its files by the next close.
    let store = open(Arc::new(fs.clone())).unwrap();
    insert(&store, id, 10..11).unwrap();
    let killed = fs.after_kill();
    store.close().unwrap();
    assert_ne!(contents(), before);
    open(Arc::new(killed.clone())).unwrap().close().unwrap();
    let counting = Faulty::counting(killed);
    let store = open(Arc::new(counting.clone())).unwrap();
    let renamed = counting.calls(Operation::Rename);
    assert_eq!(rows(&store, id).len(), 11);
    store.close().unwrap();
    assert_eq!(counting.calls(Operation::Rename), renamed, "the close before has brought it into the files");
}
