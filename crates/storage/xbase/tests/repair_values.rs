//! Repair of tables whose values cannot be read, and of index files in which the definition of a tag is damaged.

mod indexed_common;

use indexed_common::{create, open, options};
use mainstay_types::{Code, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{Dbf, FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::{Bag, BagKind};
use mainstay_xbase::indexed::{self, Building, IndexSpec};
use mainstay_xbase::writer::{self, Access};
use mainstay_xbase::{Severity, table};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

fn shop() -> (Memory, Arc<dyn FileSystem>) {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    (memory, fs)
}

fn path() -> &'static Path {
    Path::new("shop/t.dbf")
}

/// A table of Visual FoxPro of `count` records `(number, 1.50, a date, 'some')`, with a tag over the number.
fn made(fs: &Arc<dyn FileSystem>, count: i64) -> Dbf {
    let fields = vec![
        FieldSpec::new("ID", b'N', 6, 0),
        FieldSpec::new("AMT", b'N', 8, 2),
        FieldSpec::new("DAY", b'D', 0, 0),
        FieldSpec::new("MAYBE", b'N', 5, 0).nullable(),
        FieldSpec::new("WORD", b'V', 6, 0),
    ];
    create(fs, path(), &TableSpec::new(Format::VisualFoxPro, fields));
    let mut table = open(fs, path(), Access::Exclusive);
    for id in 1..=count {
        let amount = ValueRef::Decimal(mainstay_types::Decimal::new(150, 2));
        let day = ValueRef::Date(mainstay_types::Date::from_julian(2_460_000));
        let values = [ValueRef::Integer(id), amount, day, ValueRef::Integer(id), ValueRef::Text("some")];
        table.append(&values).unwrap();
    }
    table.create_index(None, BagKind::Cdx, &IndexSpec::new("ID", "ID"), Building::default()).unwrap();
    table.create_index(None, BagKind::Cdx, &IndexSpec::new("WORD", "WORD"), Building::default()).unwrap();
    table.close().unwrap();
    Dbf::open(fs.open(path()).unwrap(), OpenOptions::default()).unwrap()
}

/// Writes bytes into a field of a record, which counts from 1.
fn spoil(memory: &Memory, dbf: &Dbf, record: usize, field: &str, bytes: &[u8]) {
    let mut content = memory.read(path()).unwrap();
    let field = dbf.fields().iter().find(|known| known.name == field).unwrap();
    let header = dbf.header();
    let at = header.header_length as usize + (record - 1) * header.record_bytes() + field.offset;
    content[at..at + bytes.len()].copy_from_slice(bytes);
    memory.write(path(), content);
}

fn value(fs: &Arc<dyn FileSystem>, table: &Path, record: u64, field: &str) -> Value {
    let dbf = Dbf::open(fs.open(table).unwrap(), OpenOptions::default()).unwrap();
    let number = dbf.fields().iter().position(|known| known.name == field).unwrap();
    let mut bytes = Vec::new();
    dbf.read_record(record - 1, &mut bytes).unwrap();
    writer::decode(&dbf, None, number, &bytes).unwrap()
}

#[test]
fn values_that_cannot_be_read_are_empty_in_the_new_table_and_listed_with_their_bytes() {
    let (memory, fs) = shop();
    let dbf = made(&fs, 4);
    spoil(&memory, &dbf, 2, "AMT", b"  1..5\x00x");
    spoil(&memory, &dbf, 3, "DAY", b"20261399");
    spoil(&memory, &dbf, 4, "MAYBE", b"ab\tc ");
    let check = |table: &Path| table::check(&fs, table, OpenOptions::default(), &[]);
    assert_eq!(check(path()).iter().filter(|finding| finding.severity == Severity::Error).count(), 3);
    let new = Path::new("shop/new.dbf");
    let repair = indexed::repair(&fs, path(), new, &options(Access::Exclusive), &[]).unwrap();
    assert_eq!((repair.unread.len(), repair.unread_count, repair.lost.len()), (3, 3, 0), "{repair:?}");
    assert_eq!(check(new), []);
    // A number of a field without NULLs is blank, which is read as NULL, as everywhere; the others are as they were.
    assert_eq!(value(&fs, new, 2, "AMT"), Value::Null);
    assert_eq!(value(&fs, new, 3, "DAY"), Value::Null);
    assert_eq!(value(&fs, new, 4, "MAYBE"), Value::Null);
    assert_eq!(value(&fs, new, 4, "ID"), value(&fs, path(), 4, "ID"));
    assert_eq!(value(&fs, new, 1, "AMT"), value(&fs, path(), 1, "AMT"));
    let list = repair.rejects.unwrap();
    assert_eq!(list, Path::new("shop/new.rejects.txt"));
    let expected = "record\tfield\tbytes\treason\n\
                    2\tAMT\t  1..5\\x00x\t'  1..5\\x00x' is not a number\n\
                    3\tDAY\t20261399\t'20261399' is not a date\n\
                    4\tMAYBE\tab\\tc \t'ab\\tc ' is not a number\n";
    assert_eq!(String::from_utf8(memory.read(&list).unwrap()).unwrap(), expected);
    // The list of an earlier repair is not written over.
    let again = indexed::repair(&fs, path(), Path::new("shop/new.dbf"), &options(Access::Exclusive), &[]);
    assert_eq!(again.unwrap_err().code(), Code::Duplicate);
}

/// A text of varying length whose length is beyond its field has all of its bytes, and is in the list.
#[test]
fn a_length_beyond_its_field_is_mended() {
    let (memory, fs) = shop();
    let dbf = made(&fs, 2);
    spoil(&memory, &dbf, 1, "WORD", b"abcde\xC8");
    let new = Path::new("shop/new.dbf");
    let repair = indexed::repair(&fs, path(), new, &options(Access::Exclusive), &[]).unwrap();
    assert_eq!(repair.unread_count, 1, "{repair:?}");
    assert_eq!(table::check(&fs, new, OpenOptions::default(), &[]), []);
    assert_eq!(value(&fs, new, 1, "WORD"), Value::Text("abcde".into()));
    assert_eq!(value(&fs, new, 2, "WORD"), Value::Text("some".into()));
}

#[test]
fn a_table_without_such_values_has_no_list() {
    let (memory, fs) = shop();
    made(&fs, 3);
    let repair = indexed::repair(&fs, path(), Path::new("shop/new.dbf"), &options(Access::Exclusive), &[]).unwrap();
    assert_eq!((repair.unread_count, repair.rejects), (0, None));
    assert!(memory.read(Path::new("shop/new.rejects.txt")).is_err());
}

/// Many such values: all are in the list, a thousand are findings.
#[test]
fn of_many_values_all_are_in_the_list() {
    let (memory, fs) = shop();
    let dbf = made(&fs, 2_500);
    for record in 1..=2_500 {
        spoil(&memory, &dbf, record, "AMT", b"????????");
    }
    let repair = indexed::repair(&fs, path(), Path::new("shop/new.dbf"), &options(Access::Exclusive), &[]).unwrap();
    assert_eq!((repair.unread.len(), repair.unread_count), (1_000, 2_500));
    let list = String::from_utf8(memory.read(&repair.rejects.unwrap()).unwrap()).unwrap();
    assert_eq!(list.lines().count(), 2_501);
    assert!(list.ends_with("2500\tAMT\t????????\t'????????' is not a number\n"), "{}", &list[list.len() - 80..]);
}

/// Damages the header of a tag: the length of its keys is 0.
fn damage_tag(memory: &Memory, name: &str) {
    let cdx = Path::new("shop/t.cdx");
    let bag = Bag::open(memory.open(cdx).unwrap()).unwrap();
    let at = bag.tags()[bag.find(name).unwrap()].header_offset as usize;
    let mut content = memory.read(cdx).unwrap();
    content[at + 12..at + 14].fill(0);
    memory.write(cdx, content);
}

/// Every hint leads to something that helps: REINDEX and changes name the way out, and it works.
#[test]
fn a_damaged_tag_is_dropped_and_created_again() {
    let (memory, fs) = shop();
    made(&fs, 5);
    damage_tag(&memory, "WORD");
    let mut table = open(&fs, path(), Access::Exclusive);
    let refused = table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(refused.hint_text().unwrap().contains("DROP INDEX"), "{refused:?}");
    let spec = IndexSpec::new("WORD", "WORD");
    let refused = table.create_index(None, BagKind::Cdx, &spec, Building::default()).unwrap_err();
    assert!(refused.hint_text().unwrap().contains("DROP INDEX"), "{refused:?}");
    assert!(!table.drop_damaged_tag("ID").unwrap(), "a tag that is not damaged");
    assert!(!table.drop_damaged_tag("NOPE").unwrap());
    assert!(table.drop_damaged_tag("word").unwrap());
    table.create_index(None, BagKind::Cdx, &spec, Building::default()).unwrap();
    table.append(&[ValueRef::Integer(6)]).unwrap();
    table.close().unwrap();
    assert_eq!(table::check(&fs, path(), OpenOptions::default(), &[]), []);
    let bag = Bag::open(memory.open(Path::new("shop/t.cdx")).unwrap()).unwrap();
    let mut names: Vec<&str> = bag.tags().iter().map(|tag| tag.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["ID", "WORD"]);
}

#[test]
fn of_several_damaged_tags_none_is_dropped_alone() {
    let (memory, fs) = shop();
    made(&fs, 5);
    damage_tag(&memory, "WORD");
    damage_tag(&memory, "ID");
    let before = memory.read(Path::new("shop/t.cdx")).unwrap();
    let mut table = open(&fs, path(), Access::Exclusive);
    let refused = table.drop_damaged_tag("WORD").unwrap_err();
    assert!(refused.message().contains("several tags"), "{refused}");
    assert!(refused.hint_text().unwrap().contains("check --repair"), "{refused:?}");
    drop(table);
    assert_eq!(memory.read(Path::new("shop/t.cdx")).unwrap(), before);
}
