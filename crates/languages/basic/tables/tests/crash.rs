//! A keyed file after a crash at every operation of the file system: whole records, each with all of its keys.

use mainstay_basic_files::{
    FileDefinition, FileKind, FolderVolume, KeyDefinitions, KeyFunction, OpenMode, OpenOptions, Order, Place, ReadMode,
    ReadOptions, RecordFile, RecordFormat, ScanRange, SessionId, Volume, WriteOptions,
};
use mainstay_basic_tables::TableVolume;
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_vfs::{Create, FileSystem, Simulated, explore};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn volume(files: &Simulated) -> mainstay_basic_files::Result<TableVolume> {
    let options = StoreOptions {
        durability: Durability::Full,
        checkpoint_bytes: None,
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    let store = Store::open(Arc::new(files.clone()), Path::new("shop/.mainstay"), options)?;
    let folder = FolderVolume::new(Arc::new(files.clone()), Path::new("shop"));
    Ok(TableVolume::new(Arc::new(store), Arc::new(folder), Durability::Full))
}

fn record(n: usize) -> Vec<u8> {
    format!("{:03}|name {}|{}", (n * 7) % 10, n, "x".repeat(n * 13 % 50)).replace('|', "\n").into_bytes()
}

fn open(volume: &TableVolume) -> mainstay_basic_files::Result<Box<dyn RecordFile>> {
    volume.open("stock", &OpenOptions::new(SessionId(1), OpenMode::Shared))
}

/// Writes until the power goes: how many writes were acknowledged.
fn work(files: &Simulated) -> usize {
    let mut done = 0;
    let mut run = || -> mainstay_basic_files::Result<()> {
        files.create_folder(Path::new("shop"))?;
        files.sync_folder(Path::new(""))?;
        let volume = volume(files)?;
        let keys = KeyDefinitions::parse("2,[1:1:3],[2:1:9:\"U\"]")?;
        let definition = FileDefinition::new(FileKind::Keyed, keys, RecordFormat::Variable(100));
        volume.create("stock", &FileDefinition { separator: b'\n', ..definition })?;
        let mut file = open(&volume)?;
        for n in 0..24 {
            file.write(&record(n), &WriteOptions::key(format!("{:02}", n % 10).as_bytes()))?;
            done += 1;
        }
        file.remove(Some(b"03"), None, Duration::ZERO)?;
        done += 1;
        Ok(())
    };
    // Every operation behind the crash fails.
    let _ = run();
    done
}

/// The records after so many writes, by key.
fn expected(done: usize) -> Vec<(String, Vec<u8>)> {
    let mut records = std::collections::BTreeMap::new();
    (0..done.min(24)).for_each(|n| drop(records.insert(format!("{:02}", n % 10), record(n))));
    if done == 25 {
        records.remove("03");
    }
    records.into_iter().collect()
}

fn check(files: &Simulated, done: &usize) -> Result<(), String> {
    let told = |error: mainstay_basic_files::FileError| error.to_string();
    let volume = volume(files).map_err(told)?;
    let mut file = match open(&volume) {
        // The file was not acknowledged.
        Err(error) if error.number() == 12 && *done == 0 => return Ok(()),
        file => file.map_err(told)?,
    };
    let mut found = Vec::new();
    let mut scan = file.scan(&ScanRange::default()).map_err(told)?;
    while let Some(record) = file.scan_next(&mut scan).map_err(told)? {
        found.push((String::from_utf8_lossy(record.key).into_owned(), record.data.to_vec()));
    }
    if found != expected(*done) && found != expected(done + 1) {
        return Err(format!("after {done} writes there are {found:?}"));
    }
    // Every key leads to every record.
    for order in [Order::Key(1), Order::Key(2), Order::Physical] {
        let range = ScanRange { order: Some(order), ..ScanRange::default() };
        let mut scan = file.scan(&range).map_err(told)?;
        let mut by_key = Vec::new();
        while let Some(record) = file.scan_next(&mut scan).map_err(told)? {
            let data = record.data.to_vec();
            let key = file.key(KeyFunction::Current, Some(0)).map_err(told)?;
            by_key.push((String::from_utf8_lossy(&key).into_owned(), data));
        }
        by_key.sort();
        if by_key != found {
            return Err(format!("{order:?} leads to {by_key:?}"));
        }
    }
    Ok(())
}

#[test]
fn every_crash_leaves_whole_records_with_all_their_keys() {
    let states = explore(0..3, work, check).unwrap();
    assert!(states > 100, "{states}");
}

/// Writes to a locked file, and flushes it now and then: how many writes the last flush acknowledged, and how many there were.
fn work_alone(files: &Simulated) -> (usize, usize) {
    let (mut flushed, mut done) = (0, 0);
    let mut run = || -> mainstay_basic_files::Result<()> {
        files.create_folder(Path::new("shop"))?;
        files.sync_folder(Path::new(""))?;
        let volume = volume(files)?;
        let keys = KeyDefinitions::parse("2,[1:1:3],[2:1:9:\"U\"]")?;
        let definition = FileDefinition::new(FileKind::Keyed, keys, RecordFormat::Variable(100));
        volume.create("stock", &FileDefinition { separator: b'\n', ..definition })?;
        let mut file = volume.open("stock", &OpenOptions::new(SessionId(1), OpenMode::Purge))?;
        for n in 0..24 {
            file.write(&record(n), &WriteOptions::key(format!("{:02}", n % 10).as_bytes()))?;
            done += 1;
            if n % 5 == 4 {
                file.flush()?;
                flushed = done;
            }
        }
        Ok(())
    };
    let _ = run();
    (flushed, done)
}

#[test]
fn every_crash_of_a_locked_file_leaves_what_was_flushed() {
    let check_alone = |files: &Simulated, (flushed, done): &(usize, usize)| {
        // Changes gathered since are there as a whole, or not at all.
        check(files, flushed).or_else(|error| if done > flushed { check(files, done) } else { Err(error) })
    };
    // A crash while a flush is under way leaves the state before it or the one after it.
    let states = explore(0..3, work_alone, check_alone).unwrap();
    assert!(states > 50, "{states}");
}

#[test]
fn a_damaged_definition_is_named_and_other_files_work() {
    let files = Simulated::new();
    let volume = volume(&files).unwrap();
    for name in ["one", "two"] {
        volume.create(name, &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    }
    drop(volume);
    // Somebody changes the system table by SQL.
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    let store = Store::open(Arc::new(files.clone()), Path::new("shop/.mainstay"), options).unwrap();
    let catalog = store.catalog();
    let table = catalog.tables.iter().find(|table| table.name == "mainstay_basic_files").unwrap();
    let one = catalog.tables.iter().find(|table| table.name == "one").unwrap().id;
    let table = store.table_of(table.id).unwrap();
    let mut transaction = store.begin(mainstay_store::Isolation::ReadCommitted);
    let view = transaction.begin_statement().unwrap();
    let key = [mainstay_types::ValueRef::Integer(one as i64)];
    let position = table.reader(view).get(0, &key).unwrap().unwrap().position;
    let text = mainstay_types::ValueRef::Text("kind=heap");
    table.update_columns(&mut transaction, position, &[(1, text)]).unwrap();
    transaction.commit().unwrap();
    drop((table, store));
    let volume = self::volume(&files).unwrap();
    let options = OpenOptions::new(SessionId(1), OpenMode::Shared);
    let error = volume.open("one", &options).err().unwrap();
    assert_eq!(error.number(), 106);
    assert!(error.message().starts_with("one: "), "{error}");
    volume.open("two", &options).unwrap().write(b"x", &WriteOptions::key(b"k")).unwrap();
}

/// Reads a file to its end: the number of its records, each of which is whole.
fn read_all(file: &mut dyn RecordFile) -> mainstay_basic_files::Result<usize> {
    let mut count = 0;
    loop {
        match file.read(Place::Next, &ReadOptions::new(ReadMode::Read)) {
            Ok(record) => assert_eq!(record, [b'x'; 300]),
            Err(error) if error.number() == 2 => return Ok(count),
            Err(error) => return Err(error),
        }
        count += 1;
    }
}

#[test]
fn a_damaged_table_is_named_and_other_files_work() {
    let files = Simulated::new();
    let volume = volume(&files).unwrap();
    let options = OpenOptions::new(SessionId(1), OpenMode::Lock);
    for name in ["one", "two"] {
        volume.create(name, &FileDefinition::direct(6, None, RecordFormat::Variable(500))).unwrap();
        let mut file = volume.open(name, &options).unwrap();
        for n in 0..3000 {
            file.write(&[b'x'; 300], &WriteOptions::key(format!("{n:06}").as_bytes())).unwrap();
        }
    }
    // Closing writes the rows to files of the store.
    drop(volume);
    let folder = Path::new("shop/.mainstay");
    let length = |path: &Path| files.stamp(path).unwrap().len;
    let entries = files.list(folder).unwrap();
    let largest = entries.iter().filter(|entry| !entry.is_folder).max_by_key(|entry| length(&entry.path)).unwrap();
    let file = files.create(&largest.path, Create::Existing).unwrap();
    for place in (0..length(&largest.path)).step_by(4096) {
        file.write_at(b"?", place).unwrap();
    }
    drop(file);
    let volume = self::volume(&files).unwrap();
    // Opening reads few rows: the damage is found at the latest by the first read of a damaged group.
    let outcomes = ["one", "two"].map(|name| {
        let mut file = volume.open(name, &options)?;
        Ok::<_, mainstay_basic_files::FileError>((read_all(file.as_mut())?, file))
    });
    let errors: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].number(), 118);
    assert!(["\"one\"", "\"two\""].iter().any(|name| errors[0].message().contains(name)), "{}", errors[0]);
    let (count, mut whole) = outcomes.into_iter().find_map(Result::ok).unwrap();
    assert_eq!(count, 3000);
    whole.write(b"new", &WriteOptions::key(b"k")).unwrap();
}
