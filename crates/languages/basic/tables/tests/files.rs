//! Files of a database through a volume: kinds of files, names, keys that come and go, error numbers, locks of sessions.

use mainstay_basic_files::{
    FileDefinition, FileKind, FolderVolume, KeyDefinitions, KeyFunction, OpenMode, OpenOptions, Order, Place, ReadMode,
    ReadOptions, RecordFile, RecordFormat, RecordReference, Result, SessionId, Volume, WriteMode, WriteOptions,
};
use mainstay_basic_tables::TableVolume;
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_vfs::Simulated;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn volume_of(files: &Simulated) -> TableVolume {
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    let store = Store::open(Arc::new(files.clone()), Path::new("shop/.mainstay"), options).unwrap();
    let folder = FolderVolume::new(Arc::new(files.clone()), Path::new("shop"));
    TableVolume::new(Arc::new(store), Arc::new(folder), Durability::Os)
}

fn volume() -> TableVolume {
    volume_of(&Simulated::new())
}

fn open(volume: &TableVolume, name: &str, session: u64, mode: OpenMode) -> Result<Box<dyn RecordFile>> {
    volume.open(name, &OpenOptions::new(SessionId(session), mode))
}

fn number<T>(outcome: Result<T>) -> u16 {
    outcome.err().map(|error| error.number()).unwrap_or(999)
}

fn keyed(keys: &str, format: RecordFormat) -> FileDefinition {
    FileDefinition::new(FileKind::Keyed, KeyDefinitions::parse(keys).unwrap(), format)
}

const READ: ReadOptions = ReadOptions::new(ReadMode::Read);
const EXTRACT: ReadOptions = ReadOptions::new(ReadMode::Extract);

#[test]
fn direct_files_give_back_the_bytes_that_were_written() {
    let volume = volume();
    // DIRECT "tst3.dat",6,0,0-1000 (the loader of the published page).
    volume.create("tst3.dat", &FileDefinition::direct(6, None, RecordFormat::Variable(1000))).unwrap();
    assert_eq!(number(volume.create("TST3.DAT", &FileDefinition::direct(6, None, RecordFormat::DEFAULT))), 12);
    let mut file = open(&volume, "tst3.dat", 1, OpenMode::Purge).unwrap();
    let record: Vec<u8> = (0..=255).collect();
    file.write(&record, &WriteOptions::key(b"000001")).unwrap();
    file.write(b"", &WriteOptions::key(b"000002")).unwrap();
    assert_eq!(file.read(Place::Key(b"000001"), &READ).unwrap(), record);
    assert_eq!(file.read(Place::Next, &READ).unwrap(), b"");
    assert_eq!(number(file.read(Place::Next, &READ)), 2);
    assert_eq!(number(file.read(Place::Key(b"000003"), &READ)), 11);
    assert_eq!(number(file.write(&[0; 1001], &WriteOptions::key(b"000003"))), 1);
    assert_eq!(number(file.write(b"x", &WriteOptions::key(b"0000034"))), 46);
    assert_eq!(number(file.write(b"x", &WriteOptions::default())), 80);
    assert_eq!(number(file.write(b"x", &WriteOptions::key(b"000001").with_mode(WriteMode::New))), 11);
    assert_eq!(number(file.write(b"x", &WriteOptions::key(b"000009").with_mode(WriteMode::Existing))), 11);
    assert_eq!(number(file.read(Place::Next, &ReadOptions::in_order(Order::Key(1)))), 80);
    assert_eq!(file.information().unwrap().records, 2);
}

#[test]
fn fixed_records_are_filled_and_counted() {
    let volume = volume();
    let definition = FileDefinition { max_records: Some(2), ..keyed("[1:1:3]", RecordFormat::Fixed(8)) };
    volume.create("fixed", &definition).unwrap();
    let mut file = open(&volume, "fixed", 1, OpenMode::Shared).unwrap();
    file.write(b"AAA\x8A1", &WriteOptions::default()).unwrap();
    file.write(b"BBB\x8A2", &WriteOptions::default()).unwrap();
    assert_eq!(file.read(Place::Key(b"AAA"), &READ).unwrap(), b"AAA\x8A1\0\0\0");
    assert_eq!(number(file.write(b"CCC\x8A3", &WriteOptions::default())), 2);
    file.write(b"AAA\x8A9", &WriteOptions::default()).unwrap();
    // The key is part of the record.
    assert_eq!(number(file.write(b"AAA\x8A9", &WriteOptions::key(b"AAA"))), 80);
    assert_eq!(number(file.write(b"123456789", &WriteOptions::default())), 1);
    file.remove(Some(b"AAA"), None, Duration::ZERO).unwrap();
    assert_eq!(number(file.remove(Some(b"AAA"), None, Duration::ZERO)), 11);
}

#[test]
fn sort_files_have_keys_alone() {
    let volume = volume();
    volume.create("sorted", &FileDefinition::sort(5, None)).unwrap();
    let mut file = open(&volume, "sorted", 1, OpenMode::Shared).unwrap();
    for key in ["20", "10", "30"] {
        file.write(b"ignored", &WriteOptions::key(key.as_bytes())).unwrap();
    }
    let mut file = open(&volume, "sorted", 1, OpenMode::Input).unwrap();
    let mut keys = Vec::new();
    while let Ok(key) = file.key(KeyFunction::Next, None) {
        assert_eq!(file.read(Place::Next, &READ).unwrap(), b"");
        keys.push(String::from_utf8(key).unwrap());
    }
    assert_eq!(keys, ["10", "20", "30"]);
}

#[test]
fn indexed_files_have_numbers() {
    // Manual, page on indexed files: records that were skipped are $00$, a read beyond the highest index is error 2, and the index
    // of a WRITE beyond the size of the file is error 7.
    let files = Simulated::new();
    let volume = volume_of(&files);
    volume.create("lines", &FileDefinition::indexed(Some(10), 4)).unwrap();
    let mut file = open(&volume, "lines", 1, OpenMode::Shared).unwrap();
    assert_eq!(number(file.read(Place::Next, &READ)), 2);
    file.write(b"a", &WriteOptions::index(0)).unwrap();
    file.write(b"d", &WriteOptions::index(3)).unwrap();
    assert_eq!(file.read(Place::Index(0), &READ).unwrap(), b"a\0\0\0");
    assert_eq!(file.read(Place::Next, &READ).unwrap(), b"\0\0\0\0");
    // Without IND= the next record is overwritten.
    file.write(b"c", &WriteOptions::default()).unwrap();
    assert_eq!(file.read(Place::Next, &READ).unwrap(), b"d\0\0\0");
    assert_eq!(number(file.read(Place::Next, &READ)), 2);
    assert_eq!(number(file.write(b"x", &WriteOptions::index(10))), 7);
    assert_eq!(number(file.write(b"12345", &WriteOptions::index(1))), 1);
    assert_eq!(number(file.read(Place::Key(b"a"), &READ)), 17);
    assert_eq!(number(file.remove(None, Some(0), Duration::ZERO)), 17);
    assert_eq!(file.record_index(RecordReference::Number(3), None).unwrap(), 2);
    drop((file, volume));
    let volume = volume_of(&files);
    let mut file = open(&volume, "lines", 1, OpenMode::Input).unwrap();
    let read: Vec<u8> = std::iter::from_fn(|| file.read(Place::Next, &READ).ok().map(|record| record[0])).collect();
    assert_eq!(read, b"a\0cd");
    assert_eq!(number(file.write(b"x", &WriteOptions::index(0))), 13);
}

#[test]
fn names_are_one_space_of_tables_and_files() {
    let volume = volume();
    volume.create("data/customers", &keyed("6,[1:1:3]", RecordFormat::DEFAULT)).unwrap();
    volume.create("notes.txt", &FileDefinition::serial(0)).unwrap();
    assert_eq!(number(volume.create("notes.txt", &FileDefinition::sort(3, None))), 12);
    assert_eq!(number(volume.create("", &FileDefinition::sort(3, None))), 10);
    assert_eq!(number(volume.create("../x", &FileDefinition::sort(3, None))), 10);
    assert_eq!(number(volume.create("x", &keyed("[1:1:200]", RecordFormat::DEFAULT))), 80);
    volume.rename("data\\customers", "clients").unwrap();
    assert_eq!(number(open(&volume, "data/customers", 1, OpenMode::Shared)), 12);
    let listed: Vec<_> = volume.list("").unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect();
    assert_eq!(listed, [("clients".to_owned(), FileKind::Keyed), ("notes.txt".to_owned(), FileKind::Serial)]);
    let mut file = open(&volume, "clients", 1, OpenMode::Shared).unwrap();
    file.write(b"x", &WriteOptions::key(b"1")).unwrap();
    assert_eq!(number(volume.erase("clients")), 0);
    assert_eq!(number(volume.refile("clients")), 0);
    drop(file);
    volume.refile("clients").unwrap();
    assert_eq!(open(&volume, "clients", 1, OpenMode::Shared).unwrap().information().unwrap().records, 0);
    volume.erase("clients").unwrap();
    assert_eq!(number(volume.erase("clients")), 12);
    assert!(open(&volume, "*MEMORY*", 1, OpenMode::Shared).is_ok());
}

#[test]
fn numbers_are_given_to_records_without_one() {
    let volume = volume();
    for (name, keys, records) in [
        ("blanks", "[1:1:4:\"#\"]", ["   1\x7Fa", "   2\x7Fb", "   9\x7Fc", "  10\x7Fd"]),
        ("zeros", "[1:1:4:\"+\"]", ["0001\x7Fa", "0002\x7Fb", "0009\x7Fc", "0010\x7Fd"]),
    ] {
        let definition = FileDefinition { separator: 0x7F, ..keyed(keys, RecordFormat::DEFAULT) };
        volume.create(name, &definition).unwrap();
        let mut file = open(&volume, name, 1, OpenMode::Shared).unwrap();
        for record in ["\x7Fa", "\x7Fb", records[2], "    \x7Fd"] {
            file.write(record.as_bytes(), &WriteOptions::default()).unwrap();
        }
        let mut file = open(&volume, name, 1, OpenMode::Input).unwrap();
        let found: Vec<_> = std::iter::from_fn(|| file.read(Place::Next, &READ).ok().map(<[u8]>::to_vec)).collect();
        assert_eq!(found, records.map(|record| record.as_bytes().to_vec()), "{name}");
    }
    volume.create("binary", &keyed("[0:1:1:\"I\"]", RecordFormat::DEFAULT)).unwrap();
    let mut file = open(&volume, "binary", 1, OpenMode::Shared).unwrap();
    file.write(b"\0x", &WriteOptions::default()).unwrap();
    file.write(b"\xFEy", &WriteOptions::default()).unwrap();
    file.write(b"\0z", &WriteOptions::default()).unwrap();
    assert_eq!(file.key(KeyFunction::Last, None).unwrap(), [0xFF]);
    // 255 is the greatest number of a byte.
    assert_eq!(number(file.write(b"\0w", &WriteOptions::default())), 2);
}

#[test]
fn further_fields_stay_where_the_file_says_so() {
    let volume = volume();
    let definition = FileDefinition { keeps_further_fields: true, ..keyed("[1:1:6]", RecordFormat::DEFAULT) };
    volume.create("plus", &definition).unwrap();
    let mut file = open(&volume, "plus", 1, OpenMode::Shared).unwrap();
    file.write(b"1\x8AABC\x8A10\x8Ajohn\x8A", &WriteOptions::default()).unwrap();
    file.write(b"1\x8AABC\x8A15\x8A", &WriteOptions::default()).unwrap();
    assert_eq!(file.read(Place::Key(b"1"), &READ).unwrap(), b"1\x8AABC\x8A15\x8Ajohn\x8A");
}

#[test]
fn keys_are_added_and_dropped() {
    let files = Simulated::new();
    let volume = volume_of(&files);
    volume.create("items", &keyed("4,[1:1:3]", RecordFormat::DEFAULT)).unwrap();
    let mut file = open(&volume, "items", 1, OpenMode::Shared).unwrap();
    for (key, record) in [("1", "CCC\u{7f}x"), ("2", "AAA\u{7f}z"), ("3", "BBB\u{7f}y")] {
        let record = record.replace('\u{7f}', "\n").replace('\n', "|").into_bytes();
        let record: Vec<u8> = record.into_iter().map(|byte| if byte == b'|' { 0x8A } else { byte }).collect();
        file.write(&record, &WriteOptions::key(key.as_bytes())).unwrap();
    }
    let of = |text: &str| KeyDefinitions::parse(text).unwrap().keys()[0].clone();
    assert_eq!(file.add_key(of("[\"second\":2:1:1:\"U\"]")).unwrap(), 2);
    let order = |file: &mut dyn RecordFile, number: usize| -> Vec<u8> {
        (1..=3).map(|n| file.key(KeyFunction::AtNumber(n), Some(number)).unwrap()[0]).collect()
    };
    assert_eq!(order(file.as_mut(), 2), b"xyz");
    assert_eq!(number(file.write(b"DDD\x8Ax", &WriteOptions::key(b"4"))), 11);
    assert_eq!(number(file.drop_key(0)), 80);
    file.drop_key(1).unwrap();
    assert_eq!(number(file.key(KeyFunction::First, Some(1))), 80);
    assert_eq!(order(file.as_mut(), 2), b"xyz");
    file.write(b"EEE\x8Aa", &WriteOptions::key(b"2")).unwrap();
    drop((file, volume));
    let volume = volume_of(&files);
    let mut file = open(&volume, "items", 1, OpenMode::Shared).unwrap();
    assert_eq!(file.definition().keys.to_string(), "4,[],[\"second\":2:1:1:\"U\"]");
    assert_eq!(order(file.as_mut(), 2), b"axy");
}

#[test]
fn layouts_are_kept_with_the_file() {
    let files = Simulated::new();
    let volume = volume_of(&files);
    volume.create("customers", &FileDefinition::direct(6, None, RecordFormat::DEFAULT)).unwrap();
    volume.create("notes.txt", &FileDefinition::serial(0)).unwrap();
    let layout = "field 1 name text(30)\nfield 2 owed decimal(12,2)";
    volume.set_layout("customers", Some(layout)).unwrap();
    assert_eq!(number(volume.set_layout("notes.txt", None)), 84);
    drop(volume);
    let volume = volume_of(&files);
    let file = open(&volume, "customers", 1, OpenMode::Input).unwrap();
    assert_eq!(file.definition().layout.as_deref(), Some(layout));
    assert_eq!(file.definition().keys.external_length(), Some(6));
}

#[test]
fn extracted_records_are_busy_for_others() {
    let volume = volume();
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let mut one = open(&volume, "stock", 1, OpenMode::Shared).unwrap();
    let mut two = open(&volume, "stock", 2, OpenMode::Shared).unwrap();
    for key in ["A", "B", "C"] {
        one.write(key.as_bytes(), &WriteOptions::key(key.as_bytes())).unwrap();
    }
    assert_eq!(one.read(Place::Key(b"B"), &EXTRACT).unwrap(), b"B");
    // Others cannot read, extract, write or remove it; they can use all others.
    assert_eq!(number(two.read(Place::Key(b"B"), &READ)), 0);
    assert_eq!(number(two.read(Place::Key(b"B"), &EXTRACT)), 0);
    assert_eq!(number(two.write(b"x", &WriteOptions::key(b"B"))), 0);
    assert_eq!(number(two.remove(Some(b"B"), None, Duration::ZERO)), 0);
    assert_eq!(two.read(Place::Key(b"A"), &READ).unwrap(), b"A");
    // A busy record is tried again by the same statement.
    assert_eq!(number(two.read(Place::Next, &READ)), 0);
    let through = ReadOptions { ignores_locks: true, ..READ };
    assert_eq!(two.read(Place::Next, &through).unwrap(), b"B");
    // "Next" is the record that is extracted.
    assert_eq!(one.key(KeyFunction::Next, None).unwrap(), b"B");
    assert_eq!(one.read(Place::Next, &EXTRACT).unwrap(), b"B");
    // WRITE of it ends the lock, and goes on behind it.
    one.write(b"B2", &WriteOptions::default()).unwrap();
    assert_eq!(two.read(Place::Key(b"B"), &READ).unwrap(), b"B2");
    assert_eq!(one.read(Place::Next, &READ).unwrap(), b"C");
    // So does any other operation of the channel, EXTRACT RELEASE and CLOSE.
    one.read(Place::Key(b"B"), &EXTRACT).unwrap();
    one.read(Place::Key(b"A"), &READ).unwrap();
    two.read(Place::Key(b"B"), &EXTRACT).unwrap();
    two.release().unwrap();
    one.read(Place::Key(b"B"), &EXTRACT).unwrap();
    drop(one);
    two.read(Place::Key(b"B"), &EXTRACT).unwrap();
    // WRITE LOCK keeps it.
    two.write(b"B3", &WriteOptions { keeps_lock: true, ..WriteOptions::default() }).unwrap();
    let mut one = open(&volume, "stock", 1, OpenMode::Shared).unwrap();
    assert_eq!(number(one.read(Place::Key(b"B"), &READ)), 0);
}

#[test]
fn waits_end_when_the_record_is_free_or_the_time_is_over() {
    let volume = Arc::new(volume());
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let mut one = open(&volume, "stock", 1, OpenMode::Shared).unwrap();
    one.write(b"old", &WriteOptions::key(b"K")).unwrap();
    one.read(Place::Key(b"K"), &EXTRACT).unwrap();
    let mut two = open(&volume, "stock", 2, OpenMode::Shared).unwrap();
    let start = Instant::now();
    let short = ReadOptions { wait: Duration::from_millis(60), ..READ };
    assert_eq!(number(two.read(Place::Key(b"K"), &short)), 0);
    assert!(start.elapsed() >= Duration::from_millis(60));
    let waiter = std::thread::spawn(move || {
        let long = ReadOptions { wait: Duration::from_secs(20), ..EXTRACT };
        two.read(Place::Key(b"K"), &long).map(<[u8]>::to_vec).map_err(|error| error.number())
    });
    std::thread::sleep(Duration::from_millis(50));
    one.write(b"new", &WriteOptions::default()).unwrap();
    // The record as it is after the wait.
    assert_eq!(waiter.join().unwrap(), Ok(b"new".to_vec()));
}

#[test]
fn files_are_locked_for_one_session() {
    let volume = volume();
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let mut one = open(&volume, "stock", 1, OpenMode::Shared).unwrap();
    let two = open(&volume, "stock", 2, OpenMode::Shared).unwrap();
    assert_eq!(number(one.lock(Duration::ZERO)), 0);
    assert_eq!(number(one.purge()), 82);
    assert_eq!(number(one.unlock()), 14);
    drop(two);
    one.lock(Duration::ZERO).unwrap();
    assert_eq!(number(open(&volume, "stock", 2, OpenMode::Shared)), 0);
    // Changes of a locked file gather; UNLOCK commits them.
    for n in 0..2500 {
        one.write(b"x", &WriteOptions::key(format!("{n:04}").as_bytes())).unwrap();
    }
    one.unlock().unwrap();
    let mut two = open(&volume, "stock", 2, OpenMode::Shared).unwrap();
    assert_eq!(two.information().unwrap().records, 2500);
    assert_eq!(number(open(&volume, "stock", 3, OpenMode::Purge)), 0);
    drop((one, two));
    let mut three = open(&volume, "stock", 3, OpenMode::Purge).unwrap();
    assert_eq!(three.information().unwrap().records, 0);
    assert_eq!(number(open(&volume, "stock", 1, OpenMode::Input)), 0);
}

#[test]
fn channels_of_one_session_share_a_locked_file() {
    let volume = volume();
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let mut one = open(&volume, "stock", 1, OpenMode::Lock).unwrap();
    let mut two = open(&volume, "stock", 1, OpenMode::Shared).unwrap();
    one.write(b"1", &WriteOptions::key(b"A")).unwrap();
    assert_eq!(two.read(Place::Key(b"A"), &READ).unwrap(), b"1");
    two.write(b"2", &WriteOptions::key(b"A")).unwrap();
    assert_eq!(one.read(Place::Key(b"A"), &READ).unwrap(), b"2");
    one.unlock().unwrap();
    assert_eq!(open(&volume, "stock", 2, OpenMode::Shared).unwrap().read(Place::Next, &READ).unwrap(), b"2");
}

#[test]
fn extract_and_write_lose_no_update() {
    // Each of four sessions adds 150 times one to a number; a busy record is waited for.
    let volume = Arc::new(volume());
    volume.create("counter", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    open(&volume, "counter", 9, OpenMode::Shared).unwrap().write(b"0", &WriteOptions::key(b"N")).unwrap();
    let sessions: Vec<_> = (1..=4)
        .map(|session| {
            let volume = Arc::clone(&volume);
            std::thread::spawn(move || {
                let mut file = open(&volume, "counter", session, OpenMode::Shared).unwrap();
                let extract = ReadOptions { wait: Duration::from_secs(60), ..EXTRACT };
                for _ in 0..150 {
                    let text = file.read(Place::Key(b"N"), &extract).unwrap().to_vec();
                    let number: u32 = String::from_utf8(text).unwrap().parse().unwrap();
                    file.write((number + 1).to_string().as_bytes(), &WriteOptions::default()).unwrap();
                }
            })
        })
        .collect();
    sessions.into_iter().for_each(|session| session.join().unwrap());
    let mut file = open(&volume, "counter", 9, OpenMode::Shared).unwrap();
    assert_eq!(file.read(Place::Key(b"N"), &READ).unwrap(), b"600");
}

#[test]
fn counters_count_what_programs_did() {
    let volume = volume();
    volume.create("stock", &FileDefinition::direct(4, None, RecordFormat::DEFAULT)).unwrap();
    let options = OpenOptions::new(SessionId(1), OpenMode::Shared);
    let mut file = volume.open("stock", &options).unwrap();
    for n in 0..1000 {
        file.write(&[b'x'; 100], &WriteOptions::key(format!("{n:04}").as_bytes())).unwrap();
    }
    let counters = &options.counters;
    assert_eq!((counters.opens(), counters.writes(), counters.block_writes()), (1, 1000, 1000));
    file.read(Place::Key(b"0000"), &READ).unwrap();
    let (before, reads) = (counters.block_reads(), counters.reads());
    let count = std::iter::from_fn(|| file.read(Place::Next, &READ).ok().map(|_| ())).count();
    assert_eq!((count, counters.reads() - reads), (999, 1000));
    // 8, 64, 256 three times, and the end of the file.
    assert!(counters.block_reads() - before <= 8, "{}", counters.block_reads() - before);
}
