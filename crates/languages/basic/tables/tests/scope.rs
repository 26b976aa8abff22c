//! Channels in the transaction of their session.

use mainstay_basic_files::{
    FileDefinition, FolderVolume, OpenMode, OpenOptions, Place, ReadMode, ReadOptions, RecordFile, RecordFormat,
    SessionId, Volume, WriteOptions,
};
use mainstay_basic_tables::{TableVolume, TransactionScope, commit_gathered};
use mainstay_store::{Durability, Isolation, Store, Transaction};
use mainstay_types::ValueRef;
use mainstay_vfs::Simulated;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A session that begins and ends transactions.
#[derive(Default)]
struct Session(Mutex<Option<Transaction>>);

impl TransactionScope for Session {
    fn is_open(&self) -> bool {
        self.0.lock().unwrap().is_some()
    }

    fn within(&self, work: &mut dyn FnMut(&mut Transaction)) {
        if let Some(transaction) = self.0.lock().unwrap().as_mut() {
            work(transaction);
        }
    }
}

fn read(file: &mut dyn RecordFile, key: &str) -> Result<Vec<u8>, u16> {
    let record = file.read(Place::Key(key.as_bytes()), &ReadOptions::default());
    record.map(<[u8]>::to_vec).map_err(|error| error.number())
}

#[test]
fn extracted_records_keep_other_doors_out_and_their_locks_keep_programs_out() {
    let store = Arc::new(Store::in_memory());
    let folder = FolderVolume::new(Arc::new(Simulated::new()), Path::new("shop"));
    let volume = TableVolume::new(Arc::clone(&store), Arc::new(folder), Durability::None);
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let mut file = volume.open("stock", &OpenOptions::new(SessionId(1), OpenMode::Shared)).unwrap();
    file.write(b"old", &WriteOptions::key(b"A")).unwrap();
    let id = store.catalog().tables.iter().find(|table| table.name == "stock").unwrap().id;
    let table = store.table_of(id).unwrap();
    // The update of a SQL statement, which waits for 50 milliseconds.
    let update = || {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        transaction.set_lock_timeout(Some(Duration::from_millis(50)));
        let view = transaction.begin_statement().unwrap();
        let position = table.reader(view).get(0, &[ValueRef::Integer(1)]).unwrap().unwrap().position;
        table.update_columns(&mut transaction, position, &[(1, ValueRef::Binary(b"by SQL"))]).map(|_| transaction)
    };
    let extract = ReadOptions::new(ReadMode::Extract);
    file.read(Place::Key(b"A"), &extract).unwrap();
    assert_eq!(update().err().unwrap().code(), mainstay_types::Code::LockTimeout);
    file.release().unwrap();
    let transaction = update().unwrap();
    assert_eq!(file.read(Place::Key(b"A"), &extract).err().unwrap().number(), 0);
    assert_eq!(read(file.as_mut(), "A"), Ok(b"old".to_vec()));
    transaction.commit().unwrap();
    assert_eq!(read(file.as_mut(), "A"), Ok(b"by SQL".to_vec()));
}

#[test]
fn changes_are_seen_by_the_session_and_go_with_its_transaction() {
    let files = Simulated::new();
    let store = Arc::new(Store::in_memory());
    let folder = FolderVolume::new(Arc::new(files), Path::new("shop"));
    let volume = TableVolume::new(Arc::clone(&store), Arc::new(folder), Durability::None);
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let session = Arc::new(Session::default());
    volume.set_scope(SessionId(1), Some(Arc::clone(&session) as Arc<dyn TransactionScope>));
    let open = |session: u64| volume.open("stock", &OpenOptions::new(SessionId(session), OpenMode::Shared)).unwrap();
    let (mut one, mut two) = (open(1), open(2));
    one.write(b"before", &WriteOptions::key(b"A")).unwrap();
    assert_eq!(read(two.as_mut(), "A"), Ok(b"before".to_vec()));

    *session.0.lock().unwrap() = Some(store.begin(Isolation::ReadCommitted));
    one.write(b"changed", &WriteOptions::key(b"A")).unwrap();
    one.write(b"new", &WriteOptions::key(b"B")).unwrap();
    assert_eq!(read(one.as_mut(), "A"), Ok(b"changed".to_vec()));
    assert_eq!((read(two.as_mut(), "A"), read(two.as_mut(), "B")), (Ok(b"before".to_vec()), Err(11)));
    session.0.lock().unwrap().take().unwrap().rollback();
    assert_eq!((read(one.as_mut(), "A"), read(one.as_mut(), "B")), (Ok(b"before".to_vec()), Err(11)));

    *session.0.lock().unwrap() = Some(store.begin(Isolation::ReadCommitted));
    one.write(b"new", &WriteOptions::key(b"B")).unwrap();
    session.0.lock().unwrap().take().unwrap().commit().unwrap();
    assert_eq!(read(two.as_mut(), "B"), Ok(b"new".to_vec()));
}

#[test]
fn gathered_changes_are_committed_before_statements_of_their_session() {
    let store = Arc::new(Store::in_memory());
    let folder = FolderVolume::new(Arc::new(Simulated::new()), Path::new("shop"));
    let volume = TableVolume::new(Arc::clone(&store), Arc::new(folder), Durability::None);
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let mut file = volume.open("stock", &OpenOptions::new(SessionId(1), OpenMode::Lock)).unwrap();
    file.write(b"new", &WriteOptions::key(b"A")).unwrap();
    let id = store.catalog().tables.iter().find(|table| table.name == "stock").unwrap().id;
    let table = store.table_of(id).unwrap();
    let is_there = || {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let view = transaction.begin_statement().unwrap();
        table.reader(view).get(0, &[ValueRef::Integer(1)]).unwrap().is_some()
    };
    // Another session has nothing to do with it.
    commit_gathered(&volume, SessionId(2)).unwrap();
    assert!(!is_there());
    commit_gathered(&volume, SessionId(1)).unwrap();
    assert!(is_there());
    assert_eq!(read(file.as_mut(), "A"), Ok(b"new".to_vec()));
}
