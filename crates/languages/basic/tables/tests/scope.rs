//! Channels in the transaction of their session.

use mainstay_basic_files::{
    FileDefinition, FolderVolume, OpenMode, OpenOptions, Place, ReadOptions, RecordFile, RecordFormat, SessionId,
    Volume, WriteOptions,
};
use mainstay_basic_tables::{TableVolume, TransactionScope};
use mainstay_store::{Durability, Isolation, Store, Transaction};
use mainstay_vfs::Simulated;
use std::path::Path;
use std::sync::{Arc, Mutex};

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
