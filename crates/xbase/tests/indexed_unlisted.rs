//! Records that are appended blank, beside others, and get their keys later: when they are written, or given back.

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values, walk};
use mainstay_base::{Code, ValueRef};
use mainstay_vfs::{Fault, Faulty, FileSystem, Memory, Operation};
use mainstay_xbase::dbf::Format;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::writer::Access;
use std::path::Path;
use std::sync::Arc;

fn path() -> &'static Path {
    Path::new("shop/t.dbf")
}

fn prepared(specs: &[IndexSpec]) -> Memory {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    create(&fs, path(), &table_spec(Format::FoxPro));
    let mut table = open(&fs, path(), Access::Exclusive);
    for seed in 0..300 {
        table.append(&refs(&values(seed))).unwrap();
    }
    index(&mut table, BagKind::Cdx, specs);
    table.close().unwrap();
    memory
}

/// The bytes of a record, as a program makes them that keeps its own copy.
fn filled(table: &mut IndexedTable, record: u64, name: &str) -> (Vec<u8>, Vec<u8>) {
    let mut before = Vec::new();
    table.read(record, &mut before).unwrap();
    let (mut after, offset) = (before.clone(), table.fields()[0].offset);
    after[offset..offset + name.len()].copy_from_slice(name.as_bytes());
    (before, after)
}

/// How many keys a tag has, as another program sees them.
fn keys_in_file(memory: &Memory, tag: usize) -> usize {
    let bag = mainstay_xbase::index::Bag::open(memory.open(Path::new("shop/t.cdx")).unwrap()).unwrap();
    let key_type = {
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        open(&fs, path(), Access::Shared).tags()[tag].key_type.unwrap()
    };
    walk(&Arc::new(bag).tag(tag, key_type).unwrap()).unwrap().len()
}

#[test]
fn it_is_counted_at_once_and_gets_the_keys_of_its_values() {
    let memory = prepared(&tag_specs());
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let (mut table, mut other) = (open(&fs, path(), Access::Shared), open(&fs, path(), Access::Shared));
    let record = table.append_blank_locked().unwrap();
    assert!(table.has_unlisted() && !other.try_lock_record(record).unwrap());
    assert_eq!((record, other.count().unwrap(), keys_in_file(&memory, 0)), (301, 301, 300));
    // Another one appends meanwhile, and one who opens the table leaves what is not his alone.
    assert_eq!(other.append(&refs(&values(7))).unwrap(), 302);
    open(&fs, path(), Access::Shared).close().unwrap();
    let (before, mut after) = filled(&mut table, record, "Quentin");
    table.replace_record(record, &before, &mut after).unwrap();
    assert!(!table.has_unlisted());
    assert_eq!(keys_in_file(&memory, 0), 302);
    table.close().unwrap();
    other.close().unwrap();
    compare(&fs, path(), &[]).unwrap();
}

#[test]
fn it_gets_the_keys_of_a_blank_record_when_it_is_left() {
    type Leave = fn(&mut IndexedTable, u64);
    let ways: [(&str, Leave); 8] = [
        ("unlocked", |table, record| table.unlock_record(record).unwrap()),
        ("all unlocked", |table, _| table.unlock().unwrap()),
        ("flushed", |table, _| table.flush().unwrap()),
        ("another appended", |table, _| assert_eq!(table.append_blank_locked().unwrap(), 302)),
        ("listed", |table, _| table.list_appended().unwrap()),
        ("a tag read", |table, _| drop(table.tag(table.find_tag("NAME").unwrap()).unwrap())),
        ("dropped", |_, _| {}),
        ("marked", |table, record| drop(table.delete(record).unwrap())),
    ];
    for (way, leave) in ways {
        let memory = prepared(&tag_specs());
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        let mut table = open(&fs, path(), Access::Shared);
        let record = table.append_blank_locked().unwrap();
        leave(&mut table, record);
        if way != "dropped" {
            assert_eq!(table.has_unlisted(), way == "another appended", "{way}");
            assert_eq!(keys_in_file(&memory, 0), 301, "{way}");
        }
        drop(table);
        compare(&fs, path(), &[]).unwrap();
    }
}

/// The process that appended the record is killed before it writes it: the next one to open the table mends that.
#[test]
fn a_record_of_a_killed_process_is_listed_at_the_next_opening() {
    let counted = Faulty::counting(prepared(&tag_specs()));
    let mut table = open(&(Arc::new(counted.clone()) as Arc<dyn FileSystem>), path(), Access::Shared);
    table.append_blank_locked().unwrap();
    let writes = counted.calls(Operation::Write);
    drop(table);
    for access in [Access::Shared, Access::Exclusive] {
        let memory = prepared(&tag_specs());
        let dying = Faulty::lasting(memory.clone(), Operation::Write, writes, Fault::Error);
        let mut table = open(&(Arc::new(dying) as Arc<dyn FileSystem>), path(), Access::Shared);
        let record = table.append_blank_locked().unwrap();
        let (before, mut after) = filled(&mut table, record, "Quentin");
        table.replace_record(record, &before, &mut after).unwrap_err();
        drop(table);
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        let mut table = open(&fs, path(), access);
        assert_eq!((table.count().unwrap(), table.locked_records().len()), (301, 0));
        table.close().unwrap();
        assert_eq!(keys_in_file(&memory, 0), 301);
        compare(&fs, path(), &[]).unwrap();
    }
}

/// Behind the records of others it is not looked for; its first change lists it.
#[test]
fn behind_others_it_is_listed_by_its_first_change() {
    let memory = prepared(&tag_specs());
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let mut other = open(&fs, path(), Access::Shared);
    let counted = Faulty::counting(memory.clone());
    let mut table = open(&(Arc::new(counted.clone()) as Arc<dyn FileSystem>), path(), Access::Shared);
    table.append_blank_locked().unwrap();
    let writes = counted.calls(Operation::Write);
    drop(table);
    let dying = Faulty::lasting(memory.clone(), Operation::Write, writes, Fault::Error);
    let mut table = open(&(Arc::new(dying) as Arc<dyn FileSystem>), path(), Access::Shared);
    let record = table.append_blank_locked().unwrap();
    other.append(&refs(&values(1))).unwrap();
    drop(table);
    assert!(compare(&fs, path(), &[]).is_err(), "nobody has looked for it");
    other.update(record, &[(0, ValueRef::Text("Found"))]).unwrap();
    other.close().unwrap();
    compare(&fs, path(), &[]).unwrap();
}

/// Where its keys could be refused later, or have to be taken back, they are there at once.
#[test]
fn candidates_and_transactions_do_not_wait() {
    let candidate = IndexSpec { candidate: true, ..IndexSpec::new("ONLY", "NAME+STR(RECNO()%302)") };
    let memory = prepared(&[candidate, tag_specs()[0].clone()]);
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let mut table = open(&fs, path(), Access::Shared);
    table.append_blank_locked().unwrap();
    assert!(!table.has_unlisted());
    assert_eq!(keys_in_file(&memory, 0), 301);
    table.close().unwrap();

    let memory = prepared(&tag_specs());
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let mut table = open(&fs, path(), Access::Shared);
    let transaction = Transaction::begin(Arc::clone(&fs));
    table.append_blank_locked().unwrap();
    table.enlist(&transaction).unwrap();
    assert!(!table.has_unlisted(), "what was before the transaction is no part of it");
    table.append_blank_locked().unwrap();
    assert!(!table.has_unlisted());
    transaction.rollback(&mut [&mut table]).unwrap();
    table.close().unwrap();
    compare(&fs, path(), &[]).unwrap();
}

/// What would refuse the blank record's keys refuses the record: nothing is appended.
#[test]
fn a_record_that_cannot_be_listed_is_not_appended() {
    let memory = prepared(&tag_specs()[..1]);
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let mut table = open(&fs, path(), Access::Exclusive);
    index(&mut table, BagKind::Cdx, &[IndexSpec::new("BAD", "NUMBER")]);
    table.close().unwrap();
    let cdx = Path::new("shop/t.cdx");
    let bytes = memory.read(cdx).unwrap();
    let at = bytes.windows(6).position(|window| window == b"NUMBER").unwrap();
    let mut bytes = bytes;
    bytes[at..at + 6].copy_from_slice(b"NUMBE(");
    memory.write("shop/t.cdx", bytes);
    let mut table = IndexedTable::open(Arc::clone(&fs), path(), options(Access::Shared)).unwrap();
    let error = table.append_blank_locked().unwrap_err();
    assert_ne!(error.code(), Code::Internal, "{error}");
    assert_eq!(table.count().unwrap(), 300);
}
