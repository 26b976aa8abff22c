//! A store in a folder: what is in it when it is opened again.

mod common;

use common::catalog::{create, rows, schema, table};
use common::pair;
use mainstay_base::{SqlType, ValueRef};
use mainstay_store::files::catalog::{CatalogChange, SequenceDefinition};
use mainstay_store::{Durability, Isolation, Store, StoreOptions};
use mainstay_vfs::{FileSystem, Simulated};
use std::path::Path;
use std::sync::Arc;

fn open(fs: &Simulated) -> Store {
    let options = StoreOptions { durability: Durability::Full, checkpoint_bytes: None };
    Store::open(Arc::new(fs.clone()), Path::new("shop"), options).unwrap()
}

#[test]
fn rows_are_there_again() {
    let fs = Simulated::new();
    let store = open(&fs);
    let id = create(&store, "pairs");
    let pairs = store.table_of(id).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for i in 0..200 {
        pairs.insert(&mut transaction, &pair(i, i * 10)[..]).unwrap();
    }
    transaction.commit().unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    common::set(&pairs, &mut transaction, 7, 1).unwrap();
    let gone = common::position(&pairs, &mut transaction, 9).unwrap();
    pairs.delete(&mut transaction, gone).unwrap();
    transaction.commit().unwrap();
    let expected = rows(&store, id);
    assert_eq!(expected.len(), 199);

    let mut fs = fs;
    let mut store = store;
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
