//! Files in memory: `*MEMORY*` by index and by key, and keyed files over records in memory against a model.

mod model;

use mainstay_basic_files::{
    ChannelOptions, Counters, KeyFunction, KeyedFile, MemoryQueue, MemoryStorage, Order, Place, ReadOptions,
    RecordFile, RecordReference, ScanRange, WriteMode, WriteOptions,
};
use std::sync::Arc;
use std::time::Duration;

fn open(name: &str) -> Box<dyn RecordFile> {
    MemoryQueue::open(name, None, None, &Arc::default()).unwrap().unwrap()
}

fn number<T>(outcome: mainstay_basic_files::Result<T>) -> u16 {
    outcome.err().map(|error| error.number()).unwrap_or(999)
}

fn read(file: &mut dyn RecordFile, place: Place<'_>) -> String {
    String::from_utf8(file.read(place, &ReadOptions::default()).unwrap().to_vec()).unwrap()
}

fn write(file: &mut dyn RecordFile, options: &WriteOptions<'_>, data: &str) {
    file.write(data.as_bytes(), options).unwrap();
}

fn all(file: &mut dyn RecordFile) -> Vec<String> {
    let mut scan = file.scan(&ScanRange::default()).unwrap();
    let mut all = Vec::new();
    while let Some(record) = file.scan_next(&mut scan).unwrap() {
        all.push(String::from_utf8(record.data.to_vec()).unwrap());
    }
    all
}

#[test]
fn random_operations_are_those_of_the_model() {
    for seed in 1..=12 {
        let definition = model::definition();
        let options = ChannelOptions {
            name: "model".into(),
            is_read_only: false,
            was_purged: false,
            counters: Arc::new(Counters::default()),
        };
        let file = KeyedFile::new(MemoryStorage::new(&definition.keys), definition, options);
        model::run(seed, 4000, Box::new(file), |file, _| (file, false));
    }
}

#[test]
fn records_are_inserted_before_an_index() {
    // Manual, page of *MEMORY*: a record that is written at an index pushes the record that was there down.
    let mut file = open("*memory*");
    assert_eq!(number(file.read(Place::Next, &ReadOptions::default())), 2);
    for text in ["a", "b", "c"] {
        write(file.as_mut(), &WriteOptions::default(), text);
    }
    write(file.as_mut(), &WriteOptions::index(1), "x");
    assert_eq!(all(file.as_mut()), ["a", "x", "b", "c"]);
    write(file.as_mut(), &WriteOptions::index(1).with_mode(WriteMode::Existing), "y");
    assert_eq!(all(file.as_mut()), ["a", "y", "b", "c"]);
    file.remove(None, Some(0), Duration::ZERO).unwrap();
    assert_eq!(all(file.as_mut()), ["y", "b", "c"]);
    // READ IND=0 leaves the position behind that record, again and again.
    for _ in 0..3 {
        assert_eq!(read(file.as_mut(), Place::Index(0)), "y");
    }
    assert_eq!(read(file.as_mut(), Place::Next), "b");
    assert_eq!(file.record_number(RecordReference::Next, None).unwrap(), 3);
    assert_eq!(number(file.read(Place::Index(3), &ReadOptions::default())), 2);
    assert_eq!(number(file.read(Place::Index(-1), &ReadOptions::default())), 41);
    assert_eq!(number(file.write(b"z", &WriteOptions::key(b"k"))), 17);
    assert_eq!(number(file.write(&[0; 1025], &WriteOptions::default())), 1);
}

#[test]
fn the_first_key_makes_a_keyed_file() {
    let mut file = open("*MEMORY*");
    for key in ["m", "c", "x", "c"] {
        write(file.as_mut(), &WriteOptions::key(key.as_bytes()), key);
    }
    assert_eq!(file.information().unwrap().records, 3);
    let key = |file: &mut dyn RecordFile, function| String::from_utf8(file.key(function, None).unwrap()).unwrap();
    assert_eq!(key(file.as_mut(), KeyFunction::First), "c");
    assert_eq!(key(file.as_mut(), KeyFunction::AtNumber(2)), "m");
    assert_eq!(key(file.as_mut(), KeyFunction::AtIndex(2)), "x");
    assert_eq!(key(file.as_mut(), KeyFunction::Last), "x");
    // The index is the place in key order.
    assert_eq!(file.record_index(RecordReference::Key(b"x"), None).unwrap(), 2);
    assert_eq!(number(file.write(b"z", &WriteOptions::index(0))), 32);
    assert_eq!(number(file.write(b"z", &WriteOptions::default())), 80);
    let long = vec![b'k'; 8193];
    assert_eq!(number(file.write(b"z", &WriteOptions::key(&long))), 46);
}

#[test]
fn names_of_memory_files() {
    let counters = Arc::default();
    let outcome =
        |name: &str| MemoryQueue::open(name, None, None, &counters).map(|opened| opened.err().map(|e| e.number()));
    assert_eq!(outcome("memory"), None);
    assert_eq!(outcome("*memory"), None);
    assert_eq!(outcome(" *MEMORY*"), None);
    assert_eq!(outcome("*Memory*"), Some(None));
    assert_eq!(outcome("*memory*; keydef = 6,[2:1:8:\"U\"],[3:1:30]"), Some(None));
    assert_eq!(outcome("*memory*;KEYDEF="), Some(Some(32)));
    assert_eq!(outcome("*memory*;SORT=1"), Some(Some(32)));
    assert_eq!(outcome("*memory*;KEYDEF=[1:0:5]"), Some(Some(80)));
    assert_eq!(outcome("*memory*é"), Some(Some(32)));
}

#[test]
fn alternate_keys_follow_the_records() {
    // The file of the manual's page: an external key of six bytes, a unique key on field 2, a key on field 3.
    let mut file = open("*memory*;KEYDEF=6,[2:1:8:\"U\"],[\"Town\":3:1:30]");
    let record = |second: &str, third: &str| [b"1", second.as_bytes(), third.as_bytes(), b""].join(&model::SEPARATOR);
    for (key, second, third) in [("C1", "SMITH", "Rome"), ("C2", "ADAMS", "Oslo"), ("C3", "JONES", "Rome")] {
        file.write(&record(second, third), &WriteOptions::key(key.as_bytes())).unwrap();
    }
    assert_eq!(file.definition().keys.number_of("TOWN").unwrap(), 2);
    assert_eq!(number(file.write(&record("ADAMS", "Bern"), &WriteOptions::key(b"C4"))), 11);
    let keys = |file: &mut dyn RecordFile, order: usize| -> Vec<String> {
        (1..=3).map(|n| String::from_utf8(file.key(KeyFunction::AtNumber(n), Some(order)).unwrap()).unwrap()).collect()
    };
    assert_eq!(keys(file.as_mut(), 1), ["ADAMS", "JONES", "SMITH"]);
    assert_eq!(keys(file.as_mut(), 2), ["Oslo", "Rome", "Rome"]);
    file.write(&record("ZUSE", "Bern"), &WriteOptions::key(b"C2")).unwrap();
    assert_eq!(keys(file.as_mut(), 1), ["JONES", "SMITH", "ZUSE"]);
    // Duplicates come in the order in which they were written.
    let rome = ReadOptions::in_order(Order::Key(2));
    file.read(Place::Key(b"Rome"), &rome).unwrap();
    assert_eq!(file.key(KeyFunction::Current, Some(0)).unwrap(), b"C1");
    file.read(Place::Next, &rome).unwrap();
    assert_eq!(file.key(KeyFunction::Current, Some(0)).unwrap(), b"C3");
    assert_eq!(number(file.read(Place::Next, &rome)), 2);
    assert_eq!(number(file.read(Place::Next, &ReadOptions::in_order(Order::Key(3)))), 80);
    assert_eq!(number(file.definition().keys.number_of("City").map(|_| ())), 80);
}

#[test]
fn keys_of_memory_files_are_added_and_dropped() {
    let mut file = open("*memory*;KEYDEF=6");
    let record = |field: &str| [field.as_bytes(), b""].join(&model::SEPARATOR);
    for (key, field) in [("1", "b"), ("2", "a"), ("3", "a")] {
        file.write(&record(field), &WriteOptions::key(key.as_bytes())).unwrap();
    }
    let key = |text: &str| mainstay_basic_files::KeyDefinitions::parse(text).unwrap().keys()[0].clone();
    // Two records have the same field.
    assert_eq!(number(file.add_key(key("[1:1:5:\"U\"]"))), 11);
    assert_eq!(file.add_key(key("[1:1:5]")).unwrap(), 1);
    let first = file.read(Place::Key(b"a"), &ReadOptions::in_order(Order::Key(1))).unwrap().to_vec();
    assert_eq!((first, file.key(KeyFunction::Current, Some(0)).unwrap()), (record("a"), b"2".to_vec()));
    file.drop_key(1).unwrap();
    assert_eq!(file.current_key(), 0);
    assert_eq!(number(file.drop_key(1)), 80);
    // The channel goes on behind the record that it had read.
    assert_eq!(file.key(KeyFunction::Next, None).unwrap(), b"3");
    assert_eq!(file.add_key(key("[1:1:1:\"D\"]")).unwrap(), 1);
    assert_eq!(file.key(KeyFunction::First, Some(1)).unwrap(), b"b");
}

#[test]
fn a_field_that_is_missing_is_made_for_its_number() {
    let mut file = open("*memory*;KEYDEF=[3:2:2:\"+\"]");
    file.write(b"x", &WriteOptions::default()).unwrap();
    assert_eq!(file.read(Place::Number(1), &ReadOptions::default()).unwrap(), b"x\x8A\x8A\x0001");
    assert_eq!(number(file.write(b"x\x8Ay\x8A 00", &WriteOptions::default())), 999);
    assert_eq!(file.key(KeyFunction::Last, None).unwrap(), b"02");
}
