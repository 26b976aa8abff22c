//! Values that cannot be read are counted by their causes, in DBF files that were damaged byte by byte.

use mainstay_assess::{Report, Request, TableSettings, assess};
use mainstay_types::{Date, Timestamp, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of the fields A and C (numbers) and B (a date), behind the deletion flag.
const A: usize = 1;
const B: usize = 7;
const C: usize = 15;

/// A table of 500 records, in which `damage` writes cells: record from 1, offset in the record, bytes.
fn assessed(damage: &[(usize, usize, String)]) -> Report {
    let options = WriteOptions {
        clock: || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 0),
        ..WriteOptions::new(Access::Exclusive)
    };
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let (folder, path) = (Path::new("shop"), Path::new("shop/stock.dbf"));
    fs.create_folder(folder).unwrap();
    let fields =
        vec![FieldSpec::new("A", b'N', 6, 0), FieldSpec::new("B", b'D', 8, 0), FieldSpec::new("C", b'N', 6, 0)];
    writer::create(&*fs, path, &TableSpec::new(Format::FoxPro, fields), &options).unwrap();
    let mut table = IndexedTable::open(Arc::clone(&fs), path, options).unwrap();
    for number in 0..500 {
        table.append(&[ValueRef::Integer(number), ValueRef::Null, ValueRef::Integer(number)]).unwrap();
    }
    table.close().unwrap();
    let mut bytes = fs.read(path).unwrap();
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    for (record, offset, cell) in damage {
        let at = header + (record - 1) * 21 + offset;
        bytes[at..at + cell.len()].copy_from_slice(cell.as_bytes());
    }
    memory.write(path, bytes);
    let paths = [PathBuf::from("shop")];
    assess(&fs, &Request { paths: &paths, dialect: None, settings: &|_| Ok(TableSettings::default()) }).unwrap()
}

/// The causes of the table with their counts and first places.
fn causes(report: &Report) -> Vec<(&str, u64, &str)> {
    let found = report.tables[0].suspicions.iter();
    found.map(|it| (it.cause.as_str(), it.count, it.place.as_str())).collect()
}

/// The findings of the report with their counts.
fn findings(report: &Report) -> Vec<(&str, u64)> {
    report.findings.iter().map(|it| (it.subject.as_str(), it.count)).collect()
}

#[test]
fn different_values_of_one_cause_are_counted_together() {
    // The quotes and digits in them are no part of the cause.
    let cells = ["1x", "'2'", "\"3\"", "44 44", "--5", "6-7", "8.8.8", "abcdef", "'", "0x10"];
    let damage: Vec<_> = (1..).zip(cells).map(|(record, cell)| (record, A, format!("{cell:>6}"))).collect();
    let report = assessed(&damage);
    assert_eq!(causes(&report), [("a value is not a number", 10, "record 1, field A")]);
    assert_eq!(findings(&report), [("a value is not a number", 10)]);
}

/// A field with more values than are listed one by one does not add to the cause of another field.
#[test]
fn causes_of_several_fields_are_counted_apart() {
    let mut damage = vec![(1, A, "    zz".to_owned()), (1, B, "20261399".to_owned())];
    damage.extend((1..=500).map(|record| (record, C, format!("x{record:<5}"))));
    let report = assessed(&damage);
    let (number, date) = ("a value is not a number", "a value is not a date");
    assert_eq!(causes(&report), [(number, 501, "record 1, field A"), (date, 1, "record 1, field B")]);
    assert_eq!(findings(&report), [(number, 501), (date, 1)]);
}

/// Findings of a CSV file beyond those that are listed one by one belong to their cause, too.
#[test]
fn rows_of_a_text_file_are_counted_by_cause() {
    let memory = Memory::new();
    memory.write("s/t.csv", ["a,b\n", &"1,2\n".repeat(600), &"1\n".repeat(150), &"1,2,3\n".repeat(2)].concat());
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let paths = [PathBuf::from("s")];
    let settings = |_: &Path| Ok(TableSettings::default());
    let report = assess(&fs, &Request { paths: &paths, dialect: None, settings: &settings }).unwrap();
    let found = causes(&report).into_iter().map(|(cause, count, _)| (cause, count));
    assert_eq!(found.collect::<Vec<_>>(), [("rows with too few fields", 150), ("rows with too many fields", 2)]);
}
