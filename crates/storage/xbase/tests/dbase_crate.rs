//! Tables that are written here, read by the Rust crate `dbase`: every version and type that both know.
//!
//! The tests allow for the crate's limits: a currency is a `f64` to it and not an amount in ten-thousandths, it knows
//! no `_NullFlags`, of a memo of dBASE III it reads the first block, and of one of dBASE IV eight bytes more than there
//! are.

use dbase::{FieldValue, Reader};
use mainstay_types::{Date, Decimal, Timestamp, Value, ValueRef};
use mainstay_vfs::Disk;
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::path::Path;
use std::sync::Arc;

const RECORDS: usize = 40;

/// A table: its name, its form, and the byte of its code page. That of code page 852 and that of 1250 have the letters below.
const TABLES: [(&str, Format, u8); 4] = [
    ("dbase3", Format::DbaseThree, 0x64),
    ("dbase4", Format::DbaseFour, 0x64),
    ("foxpro", Format::FoxPro, 0xC8),
    ("vfp", Format::VisualFoxPro, 0xC8),
];

fn fields(format: Format) -> Vec<FieldSpec> {
    let field = FieldSpec::new;
    let mut fields = vec![
        field("name", b'C', 20, 0),
        field("amount", b'N', 12, 2),
        field("ratio", b'F', 10, 3),
        field("day", b'D', 0, 0),
        field("active", b'L', 0, 0),
        field("note", b'M', 0, 0),
    ];
    if format == Format::VisualFoxPro {
        fields.extend([field("whole", b'I', 0, 0), field("double", b'B', 0, 4), field("moment", b'T', 0, 0)]);
    }
    fields
}

fn note(seed: usize) -> String {
    let letters = ['a', 'b', ' ', 'ż', 'é', '\n', 'z'];
    (0..seed * 53 % 900).map(|at| letters[(at * 5 + seed) % letters.len()]).chain(['.']).collect()
}

/// The value of a field of a record.
fn value(field: &str, number: usize) -> Value {
    let blank = |every: usize| number.is_multiple_of(every);
    match field {
        "NAME" => Value::Text(if blank(11) { String::new() } else { format!("Łódź é {number}") }),
        "AMOUNT" | "RATIO" | "DAY" if blank(7) => Value::Null,
        "AMOUNT" => Value::Decimal(Decimal::new(number as i128 * 98_765 - 1_000_000, 2)),
        "RATIO" => Value::Decimal(Decimal::new(number as i128 * 125 - 2_000, 3)),
        "DAY" => Value::Date(Date::from_julian(2_440_588 + number as i32 * 301)),
        "ACTIVE" if blank(5) => Value::Null,
        "ACTIVE" => Value::Boolean(number.is_multiple_of(3)),
        "NOTE" => Value::Text(note(number)),
        "WHOLE" => Value::Integer(number as i64 * 33_333_333 - 1_000_000_000),
        "DOUBLE" => Value::Float(number as f64 * 1.375 - 20.0),
        _ => Value::Timestamp(Timestamp::new(Date::from_julian(2_461_000 + number as i32), number as u32 * 1_000_000)),
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_ref().as_f64()
}

/// Returns true if the crate has read the written values.
fn is_same(format: Format, written: &Value, read: &FieldValue) -> bool {
    match (written, read) {
        (Value::Text(text), FieldValue::Character(read)) => *text == read.clone().unwrap_or_default(),
        (Value::Text(text), FieldValue::Memo(read)) if format == Format::DbaseThree => {
            text.chars().take(512).eq(read.chars())
        }
        (Value::Text(text), FieldValue::Memo(read)) if format == Format::DbaseFour => {
            read.strip_prefix(text.as_str()).is_some_and(|more| more.chars().count() <= 8)
        }
        (Value::Text(text), FieldValue::Memo(read)) => text == read,
        (Value::Null, FieldValue::Numeric(None) | FieldValue::Float(None)) => true,
        (Value::Null, FieldValue::Date(None) | FieldValue::Logical(None)) => true,
        (Value::Decimal(_), FieldValue::Numeric(Some(read))) => number(written) == Some(*read),
        (Value::Decimal(_), FieldValue::Float(Some(read))) => {
            number(written).map(|number| number as f32) == Some(*read)
        }
        (Value::Date(day), FieldValue::Date(Some(read))) => {
            let (year, month, number) = day.ymd();
            (year as u32, month, number) == (read.year(), read.month(), read.day())
        }
        (Value::Boolean(value), FieldValue::Logical(read)) => Some(*value) == *read,
        (Value::Integer(value), FieldValue::Integer(read)) => *value == i64::from(*read),
        (Value::Float(value), FieldValue::Double(read)) => value == read,
        (Value::Timestamp(moment), FieldValue::DateTime(read)) => {
            let (year, month, day) = moment.date().ymd();
            let (date, time) = (read.date(), read.time());
            let seconds = moment.time().nanos() / 1_000_000_000;
            (year as u32, month, day) == (date.year(), date.month(), date.day())
                && i64::from(time.hours() * 3600 + time.minutes() * 60 + time.seconds()) == seconds
        }
        _ => false,
    }
}

fn write(path: &Path, format: Format, language: u8) -> Vec<usize> {
    let spec = TableSpec { language, ..TableSpec::new(format, fields(format)) };
    let options = WriteOptions::new(Access::Exclusive);
    writer::create(&Disk, path, &spec, &options).unwrap();
    let mut table = TableWriter::open(Arc::new(Disk), path, options).unwrap();
    let names: Vec<String> = table.fields().iter().map(|field| field.name.clone()).collect();
    for number in 0..RECORDS {
        let values: Vec<Value> = names.iter().map(|name| value(name, number)).collect();
        let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        table.append(&values).unwrap();
    }
    // Notes grow and shrink, so that blocks are given back and used again.
    let mut notes: Vec<usize> = (0..RECORDS).collect();
    let memo = names.iter().position(|name| name == "NOTE").unwrap();
    for (round, at) in (0..200).map(|round| (round, round * 7 % RECORDS)) {
        table.update(at as u64 + 1, &[(memo, ValueRef::Text(&note(round + 11)))]).unwrap();
        notes[at] = round + 11;
    }
    for number in (0..RECORDS).step_by(10) {
        table.set_deleted(number as u64 + 1, true).unwrap();
    }
    table.close().unwrap();
    notes
}

#[test]
fn the_crate_reads_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format, language) in TABLES {
        let path = folder.path().join(format!("{name}.dbf"));
        let notes = write(&path, format, language);
        let mut reader = Reader::from_path(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let read: Vec<dbase::Record> = reader.read().unwrap_or_else(|error| panic!("{name}: {error}"));
        let live: Vec<usize> = (0..RECORDS).filter(|number| !number.is_multiple_of(10)).collect();
        assert_eq!(read.len(), live.len(), "{name}");
        for (record, number) in read.iter().zip(live) {
            for field in fields(format) {
                let field = field.name.to_uppercase();
                let wanted = if field == "NOTE" { Value::Text(note(notes[number])) } else { value(&field, number) };
                let found = record.get(&field).unwrap_or_else(|| panic!("{name}: there is no {field}"));
                assert!(is_same(format, &wanted, found), "{name}, {number}, {field}: {found:?} instead of {wanted:?}");
            }
        }
    }
}
