//! Keyed files as native tables against the model of the tests of `basic-files`: shared, alone, and opened again.

#[path = "../../files/tests/model/mod.rs"]
mod model;

use mainstay_basic_files::{FolderVolume, OpenMode, OpenOptions, RecordFile, SessionId, Volume};
use mainstay_basic_tables::TableVolume;
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_vfs::Simulated;
use std::path::Path;
use std::sync::Arc;

fn store(files: &Simulated) -> Arc<Store> {
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    Arc::new(Store::open(Arc::new(files.clone()), Path::new("shop/.mainstay"), options).unwrap())
}

fn volume(files: &Simulated) -> TableVolume {
    let folder = FolderVolume::new(Arc::new(files.clone()), Path::new("shop"));
    TableVolume::new(store(files), Arc::new(folder), Durability::Os)
}

fn open(volume: &TableVolume, mode: OpenMode) -> Box<dyn RecordFile> {
    volume.open("items.dat", &OpenOptions::new(SessionId(1), mode)).unwrap()
}

#[test]
fn shared_files_are_those_of_the_model() {
    for seed in 1..=4 {
        let volume = volume(&Simulated::new());
        volume.create("items.dat", &model::definition()).unwrap();
        model::run(seed, 3000, open(&volume, OpenMode::Shared), |file, _| (file, false));
    }
}

#[test]
fn files_that_a_session_has_alone_are_those_of_the_model() {
    for seed in 5..=8 {
        let volume = volume(&Simulated::new());
        volume.create("items.dat", &model::definition()).unwrap();
        model::run(seed, 3000, open(&volume, OpenMode::Lock), |file, _| (file, false));
    }
}

#[test]
fn files_that_are_opened_again_are_those_of_the_model() {
    let files = Simulated::new();
    let mut current = volume(&files);
    current.create("items.dat", &model::definition()).unwrap();
    let file = open(&current, OpenMode::Shared);
    model::run(9, 3000, file, |file, step| {
        if step % 300 != 299 {
            return (file, false);
        }
        let mode = if step % 600 == 599 { OpenMode::Lock } else { OpenMode::Shared };
        drop(file);
        if step % 900 == 899 {
            // Another process: the store is closed, and opened from its files.
            let other = volume(&Simulated::new());
            drop(std::mem::replace(&mut current, other));
            current = volume(&files);
        }
        (open(&current, mode), true)
    });
}
