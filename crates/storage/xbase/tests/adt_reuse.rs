//! Rounds of appends and deletes do not make the files of an ADT grow without end: deleted records, the blocks of their memos
//! and the pages of their keys are used again. Other programs' blocks are not.

mod adi_common;

use adi_common::read_index;
use mainstay_types::{Date, Timestamp, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::Severity;
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{Dbf, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::table;
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

fn options(access: Access) -> WriteOptions {
    let clock = || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 0);
    WriteOptions { clock, ..WriteOptions::new(access) }
}

fn path() -> &'static Path {
    Path::new("t.adt")
}

fn open(fs: &Arc<dyn FileSystem>, access: Access) -> IndexedTable {
    IndexedTable::open(Arc::clone(fs), path(), options(access)).unwrap()
}

/// A table with a number, a name and a note, and tags over the first two.
fn created() -> (Memory, Arc<dyn FileSystem>) {
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let fields = vec![
        field_of_type("id", Type::Integer, 0, 0),
        field_of_type("name", Type::CiCharacter, 30, 0),
        field_of_type("note", Type::Memo, 0, 0),
    ];
    writer::create(&*fs, path(), &TableSpec::new(Format::Advantage, fields), &options(Access::Exclusive)).unwrap();
    let mut table = open(&fs, Access::Exclusive);
    for (name, key) in [("ID", "id"), ("BOTH", "name;id")] {
        let spec = IndexSpec::new(name, key.as_bytes().to_vec());
        table.create_index(None, BagKind::Adi, &spec, Building::default()).unwrap();
    }
    table.close().unwrap();
    (memory, fs)
}

fn note(seed: i64) -> String {
    format!("note {seed} ").repeat(20 + (seed.unsigned_abs() as usize * 37) % 60)
}

fn append(table: &mut IndexedTable, id: i64) -> u64 {
    let (name, note) = (format!("name {}", id * 7919 % 1000), note(id));
    table.append(&[ValueRef::Integer(id), ValueRef::Text(&name), ValueRef::Text(&note)]).unwrap()
}

fn lengths(memory: &Memory) -> [usize; 3] {
    ["adt", "adm", "adi"].map(|extension| memory.read(&path().with_extension(extension)).unwrap().len())
}

/// The live records' notes are those of their numbers, and nothing is wrong with the three files.
fn assert_sound(memory: &Memory) {
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let findings = table::check(&fs, path(), OpenOptions::default(), &[]);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let dbf = Dbf::open(fs.open(path()).unwrap(), OpenOptions::default()).unwrap();
    let memo = Memo::open(fs.open(Path::new("t.adm")).unwrap(), b'A').unwrap();
    let (mut bytes, mut live) = (Vec::new(), 0);
    for row in 0..dbf.read_count().unwrap() {
        dbf.read_record(row, &mut bytes).unwrap();
        if !dbf.header().layout.is_deleted(&bytes) {
            live += 1;
            let value = |field| writer::decode(&dbf, Some(&memo), field, &bytes).unwrap();
            let Value::Integer(id) = value(0) else { panic!("record {row}") };
            assert_eq!(value(2), Value::Text(note(id)), "record {row}");
        }
    }
    let index = read_index(&memory.read(Path::new("t.adi")).unwrap());
    assert!(index.values().all(|tag| tag.entries.len() == live), "{live} live records");
}

#[test]
fn rounds_of_appends_and_deletes_take_no_more_room_than_the_first_ones() {
    for access in [Access::Shared, Access::Exclusive] {
        let (memory, fs) = created();
        let mut table = open(&fs, access);
        for id in 0..200 {
            append(&mut table, id);
        }
        table.close().unwrap();
        let mut settled = [0; 3];
        for round in 1..40 {
            // As separate statements, each of which opens the table.
            let mut table = open(&fs, access);
            let records: Vec<u64> = (0..60).map(|at| append(&mut table, 10_000 + round * 100 + at)).collect();
            table.close().unwrap();
            let mut table = open(&fs, access);
            records.into_iter().for_each(|record| drop(table.delete(record).unwrap()));
            table.close().unwrap();
            if round == 8 {
                settled = lengths(&memory);
            }
        }
        let now = lengths(&memory);
        assert_eq!(now[0], settled[0], "records");
        // Values of other lengths leave pieces between them.
        assert!(now[1] <= settled[1] * 11 / 10, "{access:?}: {settled:?} became {now:?}");
        assert!(now[2] <= settled[2] * 11 / 10, "{access:?}: {settled:?} became {now:?}");
        assert_sound(&memory);
    }
}

#[test]
fn a_rolled_back_append_in_the_place_of_a_record_leaves_its_memo() {
    let (memory, fs) = created();
    let mut table = open(&fs, Access::Shared);
    let record = append(&mut table, 1);
    append(&mut table, 2);
    table.delete(record).unwrap();
    let transaction = Transaction::begin(Arc::clone(&fs));
    table.enlist(&transaction).unwrap();
    assert_eq!(append(&mut table, 3), record);
    transaction.rollback(&mut [&mut table]).unwrap();
    // A new value must not take the old note's blocks.
    append(&mut table, 4);
    table.delete(record).unwrap();
    table.close().unwrap();
    assert_sound(&memory);

    let (memory, fs) = created();
    let mut table = open(&fs, Access::Shared);
    let record = append(&mut table, 1);
    table.delete(record).unwrap();
    table.recall(record).unwrap();
    for id in 5..20 {
        append(&mut table, id);
    }
    table.close().unwrap();
    assert_sound(&memory);
}

/// Another program may have given the blocks of a record that it deleted to another record: only those of records that are
/// deleted here are free.
#[test]
fn blocks_of_records_that_others_deleted_stay_as_they_are() {
    let (memory, fs) = created();
    let mut table = open(&fs, Access::Exclusive);
    append(&mut table, 1);
    append(&mut table, 2);
    table.close().unwrap();
    let mut bytes = memory.read(path()).unwrap();
    let (start, length) = (1000, bytes.len().saturating_sub(1000) / 2);
    // The first record is deleted as Advantage does it; its note is that of the second one.
    bytes[start] |= 1;
    bytes[40] = 1;
    bytes[48] = 1;
    let reference = length - 9;
    bytes.copy_within(start + length + reference..start + 2 * length, start + reference);
    memory.write(path(), bytes);
    let findings = table::check(&fs, path(), OpenOptions::default(), &[]);
    assert!(!findings.iter().any(|finding| finding.message.contains("overlap")), "{findings:#?}");
    let mut table = open(&fs, Access::Exclusive);
    table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
    for id in 3..30 {
        append(&mut table, id);
    }
    table.close().unwrap();
    assert_sound(&memory);
}

#[test]
fn a_list_and_a_counter_that_would_harm_are_found() {
    let fields = vec![field_of_type("id", Type::AutoIncrement, 0, 0), field_of_type("name", Type::Character, 5, 0)];
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    writer::create(&*fs, path(), &TableSpec::new(Format::Advantage, fields), &options(Access::Exclusive)).unwrap();
    let mut table = open(&fs, Access::Exclusive);
    for _ in 0..5 {
        table.append_some(&[(1, ValueRef::Text("x"))]).unwrap();
    }
    table.delete(2).unwrap();
    table.delete(4).unwrap();
    table.close().unwrap();
    let sound = memory.read(path()).unwrap();
    let found = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        memory.write(path(), bytes);
        let findings = table::check(&fs, path(), OpenOptions::default(), &[]);
        findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(found(&|_| {}), "");
    assert!(found(&|bytes| bytes[40] = 3).contains("record 3, which is not deleted"));
    assert!(found(&|bytes| bytes[40] = 77).contains("leads to record 77, and the table has 5"));
    // Bytes 1 to 4 of record 2: records have 14 bytes, behind a header of 800.
    assert!(found(&|bytes| bytes[800 + 14 + 1] = 4).contains("leads back to itself"));
    assert!(found(&|bytes| bytes[48] = 9).contains("counts 9 reusable records, and the list has 2"));
    assert!(found(&|bytes| bytes[80] = 5).contains("the next AutoIncrement value is 5, and a record has 5"));
}
