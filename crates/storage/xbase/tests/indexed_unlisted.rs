//! Records that are appended blank in shared use, and get their keys later: when they are written, or unlocked.

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values, walk};
use mainstay_columnar::{Comparison, Predicate, RowSet, Table, VectorCache};
use mainstay_types::{Code, Value, ValueRef};
use mainstay_vfs::{Fault, Faulty, FileSystem, Memory, Operation};
use mainstay_xbase::dbf::{Format, OpenOptions};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::table::DbfTable;
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

/// The number of a tag's keys, as another program sees them.
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
    // Another program appends meanwhile, and a program that opens the table does not touch records of others.
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

/// The process is killed when a record's values are written and its keys are not: all tags have the keys of the values
/// before, those of a blank record among them. The record's next change takes them out.
#[test]
fn keys_of_the_values_before_are_mended_by_the_next_change() {
    let specs = tag_specs();
    for kind in [BagKind::Cdx, BagKind::Ntx] {
        for access in [Access::Shared, Access::Exclusive] {
            let memory = prepared(&[]);
            let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
            let mut table = open(&fs, path(), Access::Exclusive);
            let files = index(&mut table, kind, &specs);
            let (blank, full) = (table.append_blank().unwrap(), 17);
            let mut bytes = Vec::new();
            table.read(5, &mut bytes).unwrap();
            table.close().unwrap();
            // The bytes of another record, as if the process had been killed behind them.
            let dbf = fs.create(path(), mainstay_vfs::Create::Existing).unwrap();
            let first = u64::from(u16::from_le_bytes(memory.read(path()).unwrap()[8..10].try_into().unwrap()));
            for record in [blank, full] {
                dbf.write_at(&bytes, first + (record - 1) * bytes.len() as u64).unwrap();
            }
            assert!(compare(&fs, path(), &files).is_err());
            let mut table = open(&fs, path(), access);
            files.iter().for_each(|file| assert!(table.open_bag(file).is_ok()));
            for record in [blank, full] {
                table.update(record, &[(0, ValueRef::Text("Found"))]).unwrap();
            }
            table.close().unwrap();
            compare(&fs, path(), &files).unwrap();
        }
    }
}

/// Returns true if every key of a tag is that of its record.
fn has_own_keys_only(table: &mut IndexedTable, name: &str) -> bool {
    let id = table.find_tag(name).unwrap();
    let listed = walk(&table.tag(id).unwrap()).unwrap();
    listed.iter().all(|(key, record)| {
        let mut bytes = Vec::new();
        table.read(u64::from(*record), &mut bytes).unwrap();
        table.key_of(id, u64::from(*record), &bytes).unwrap().as_ref() == Some(key)
    })
}

/// The same of tags that are UNIQUE: beside another tag, which shows that the record was left out, and alone, where no
/// other record has the new key.
#[test]
fn keys_of_the_values_before_leave_unique_tags_too() {
    let only = IndexSpec { unique: true, ..IndexSpec::new("ONLY", "NAME") };
    let beside = [IndexSpec::new("NAME", "UPPER(NAME)"), only.clone()];
    for (specs, name) in [(&beside[..], "Anna11"), (&beside[..], "New name"), (&[only][..], "New name")] {
        for (kind, access) in
            [(BagKind::Cdx, Access::Shared), (BagKind::Cdx, Access::Exclusive), (BagKind::Ntx, Access::Shared)]
        {
            let memory = prepared(&[]);
            let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
            let mut table = open(&fs, path(), Access::Exclusive);
            table.update(5, &[(0, ValueRef::Text("Anna11"))]).unwrap();
            table.update(17, &[(0, ValueRef::Text("Old name"))]).unwrap();
            let files = index(&mut table, kind, specs);
            let (offset, length) = (table.fields()[0].offset as u64, table.fields()[0].length);
            table.close().unwrap();
            let dbf = fs.create(path(), mainstay_vfs::Create::Existing).unwrap();
            let at = table_header(&*dbf) + 16 * u64::from(record_length(&*dbf)) + offset;
            dbf.write_at(format!("{name:length$}").as_bytes(), at).unwrap();
            let mut table = open(&fs, path(), access);
            files.iter().for_each(|file| assert!(table.open_bag(file).is_ok()));
            assert!(!has_own_keys_only(&mut table, "ONLY"), "nothing is left of the values before");
            table.update(17, &[(0, ValueRef::Text("Found"))]).unwrap();
            assert!(has_own_keys_only(&mut table, "ONLY"), "{name} {kind:?} {access:?}");
            table.close().unwrap();
            compare(&fs, path(), &files).unwrap();
        }
    }
}

/// Records that a UNIQUE tag does not list, since another has their key or had it first, are changed as ever.
#[test]
fn records_that_a_unique_tag_does_not_list_are_changed() {
    let only = IndexSpec { unique: true, ..IndexSpec::new("ONLY", "NAME") };
    let memory = prepared(&[only]);
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let mut table = open(&fs, path(), Access::Shared);
    [3, 4, 5].into_iter().for_each(|record| drop(table.update(record, &[(0, ValueRef::Text("Same"))]).unwrap()));
    table.update(4, &[(0, ValueRef::Text("Another"))]).unwrap();
    table.update(3, &[(0, ValueRef::Text("First"))]).unwrap();
    table.update(5, &[(0, ValueRef::Text("Last"))]).unwrap();
    assert!(has_own_keys_only(&mut table, "ONLY"));
    table.close().unwrap();
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

/// An error of the blank record's keys refuses the record: nothing is appended.
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

/// The records of a table that a statement finds by a text of NAME, through an index; nothing if it uses none.
fn found(table: &DbfTable, name: &str) -> Option<Vec<u32>> {
    let predicate = Predicate::Compare { column: 0, op: Comparison::Equal, value: Value::Text(name.to_owned()) };
    let access = table.access(&predicate, false)?;
    match table.snapshot().unwrap().rows(&access, usize::MAX).unwrap()? {
        RowSet::List(rows) => Some(rows),
        RowSet::Bitmap(bits) => Some(bits.set_indices_u32().collect()),
    }
}

/// A statement goes on with the index while a program fills in its record, and finds that too.
#[test]
fn statements_use_the_index_and_find_a_record_that_it_does_not_list_yet() {
    let memory = prepared(&[IndexSpec::new("NAME", "NAME")]);
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let cache = VectorCache::new(1 << 20);
    let table = DbfTable::open(Arc::clone(&fs), path(), "t", OpenOptions::default(), cache, &[]).unwrap();
    let listed = found(&table, "").map_or(0, |rows| rows.len());
    let mut writer = open(&fs, path(), Access::Shared);
    let record = writer.append_blank_locked().unwrap();
    assert!(writer.has_unlisted());
    // Its key is the blank one, which comes before all others; others may come behind it.
    for records in [301, 302] {
        let snapshot = table.snapshot().unwrap();
        assert_eq!((snapshot.slots(), snapshot.notices()), (records, Vec::new()));
        assert_eq!(table.indexes()[0].unusable, None);
        let rows = found(&table, "").expect("the index is not used");
        assert_eq!((rows.len(), rows.last()), (listed + 1, Some(&(record as u32 - 1))));
        assert!(found(&table, "Quentin").unwrap().is_empty());
        assert!(table.order(0, false).is_none(), "an order of a tag that lacks a record");
        if records == 301 {
            let mut other = open(&fs, path(), Access::Shared);
            other.append(&refs(&values(7))).unwrap();
            other.close().unwrap();
        }
    }
    let (before, mut after) = filled(&mut writer, record, "Quentin");
    writer.replace_record(record, &before, &mut after).unwrap();
    assert_eq!(found(&table, "Quentin").unwrap(), [record as u32 - 1]);
    assert_eq!(found(&table, "").map_or(0, |rows| rows.len()), listed);
    // A record that is written without its key is another thing.
    let dbf = fs.create(path(), mainstay_vfs::Create::Existing).unwrap();
    let (header, length) = (table_header(&*dbf), after.len() as u64);
    dbf.write_at(b"Somebody", header + (record - 1) * length + 1).unwrap();
    assert_eq!(found(&table, "Somebody"), None);
    assert!(table.snapshot().unwrap().notices().iter().any(|notice| notice.contains("disagree")));
}

/// The bytes of a record.
fn record_length(dbf: &dyn mainstay_vfs::WritableFile) -> u16 {
    let mut length = [0; 2];
    dbf.read_exact_at(&mut length, 10).unwrap();
    u16::from_le_bytes(length)
}

/// The bytes before the first record.
fn table_header(dbf: &dyn mainstay_vfs::WritableFile) -> u64 {
    let mut length = [0; 2];
    dbf.read_exact_at(&mut length, 8).unwrap();
    u16::from_le_bytes(length).into()
}
