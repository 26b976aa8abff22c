//! ADT tables of Advantage itself, of OpenADS and of a writer made from the page, against the rows that an independent reader
//! has found in them (`tests/fixtures/adt/README.md`).

#![allow(clippy::disallowed_methods)]

mod dbf_support;

use dbf_support::{fixtures, parse_csv};
use mainstay_types::{Code, Value};
use mainstay_vfs::{Disk, FileSystem, Memory};
use mainstay_xbase::Severity;
use mainstay_xbase::adt::Type;
use mainstay_xbase::dbf::{Dbf, FieldKind, OpenOptions};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::writer::decode;
use std::path::{Path, PathBuf};

const TABLES: [&str; 6] =
    ["abrgru", "rubytest", "openads-landlords", "openads-leases", "openads-properties", "own-alltypes"];

fn folder() -> PathBuf {
    fixtures().join("adt")
}

fn open(name: &str) -> (Dbf, Option<Memo>) {
    let path = folder().join(name).with_extension("adt");
    let table = Dbf::open(Disk.open(&path).unwrap(), OpenOptions::default()).unwrap();
    let memo = Disk.open(&path.with_extension("adm")).ok();
    (table, memo.map(|file| Memo::open(file, b'A').unwrap()))
}

/// A value as the CSVs write it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "\\N".to_owned(),
        Value::Text(text) => text.clone(),
        Value::Binary(bytes) => format!("x'{}'", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        Value::Float(value) => format!("{value:?}"),
        Value::Date(date) => date.to_string(),
        Value::Integer(_) | Value::Decimal(_) | Value::Boolean(_) => value.to_string(),
        Value::Time(time) => format!("{:0<12}", time.to_string().replace("00:00:00", "00:00:00.")).replace("..", "."),
        Value::Timestamp(moment) => {
            let text = moment.to_string();
            let (head, tail) = text.split_once('.').unwrap_or((&text, ""));
            format!("{head}.{tail:0<3}")
        }
        other => panic!("no form for {other:?}"),
    }
}

fn rows(table: &Dbf, memo: Option<&Memo>, with_deleted: bool) -> Vec<Vec<String>> {
    let layout = table.header().layout;
    let (mut found, mut record) = (Vec::new(), Vec::new());
    for row in 0..table.read_count().unwrap() {
        table.read_record(row, &mut record).unwrap();
        if layout.is_deleted(&record) && !with_deleted {
            continue;
        }
        let value = |field| shown(&decode(table, memo, field, &record).unwrap());
        found.push((0..table.fields().len()).map(value).collect());
    }
    found
}

#[test]
fn every_table_reads_as_its_csv() {
    for name in TABLES {
        let (table, memo) = open(name);
        let csv = std::fs::read_to_string(folder().join(name).with_extension("csv")).unwrap();
        let mut expected = parse_csv(&csv);
        let header = expected.remove(0);
        let names: Vec<&str> = table.fields().iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names, header, "{name}");
        let found = rows(&table, memo.as_ref(), false);
        assert_eq!(found.len(), expected.len(), "{name}");
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for ((found, expected), field) in found.iter().zip(expected).zip(&header) {
                assert_eq!(found, expected, "{name}, row {}, {field}", number + 1);
            }
        }
        assert!(table.findings().iter().all(|finding| finding.severity == Severity::Warning), "{:?}", table.findings());
    }
}

#[test]
fn deleted_records_keep_their_values_and_are_listed_for_reuse() {
    let (table, memo) = open("own-alltypes");
    let csv = std::fs::read_to_string(folder().join("own-alltypes.with-deleted.csv")).unwrap();
    let expected = parse_csv(&csv);
    let found = rows(&table, memo.as_ref(), true);
    assert_eq!(found.len() + 1, expected.len());
    for (number, (found, expected)) in found.iter().zip(&expected[1..]).enumerate() {
        assert_eq!(expected[0], (number + 1).to_string());
        assert_eq!(found[..], expected[2..], "record {}", number + 1);
        let mut record = Vec::new();
        table.read_record(number as u64, &mut record).unwrap();
        assert_eq!(record[0].to_string(), expected[1]);
    }
    // The list that its README names: 101, 100, 20.
    let link = |record: u64| {
        let mut bytes = Vec::new();
        table.read_record(record - 1, &mut bytes).unwrap();
        table.header().layout.link(&bytes)
    };
    assert_eq!((link(101), link(100), link(20)), (100, 20, 0));
}

#[test]
fn types_are_those_of_the_descriptors() {
    let (table, _) = open("own-alltypes");
    let kinds: Vec<(FieldKind, Option<Type>)> = table.fields().iter().map(|field| (field.kind, field.adt)).collect();
    assert_eq!(kinds[0], (FieldKind::Integer, Some(Type::AutoIncrement)));
    assert_eq!(table.counter(0).map(|counter| counter.step), Some(1));
    let (table, _) = open("rubytest");
    assert_eq!(table.fields()[0].name.len(), 128, "a name without a NUL");
    // Header byte 80 is 3: the next value.
    assert_eq!(table.counter(2).unwrap().next, 3);
}

/// A copy in memory whose bytes are changed by `change`.
fn patched(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> mainstay_types::Result<Dbf> {
    let mut bytes = std::fs::read(folder().join(name).with_extension("adt")).unwrap();
    change(&mut bytes);
    let memory = Memory::new();
    memory.write("t.adt", bytes);
    Dbf::open(memory.open(Path::new("t.adt")).unwrap(), OpenOptions::default())
}

#[test]
fn tables_of_another_version_and_damaged_headers_are_refused() {
    let code = |change: fn(&mut Vec<u8>)| patched("abrgru", change).map(drop).unwrap_err().code();
    assert_eq!(code(|bytes| bytes[356] = 5), Code::Encrypted);
    assert_eq!(code(|bytes| bytes.truncate(399)), Code::Damaged);
    assert_eq!(code(|bytes| bytes.truncate(500)), Code::Damaged);
    assert_eq!(code(|bytes| bytes[32] += 1), Code::Damaged);
    assert_eq!(code(|bytes| bytes[36..40].fill(0)), Code::Damaged);
    assert_eq!(code(|bytes| bytes[36..40].fill(0xFF)), Code::Damaged);
    // The second field would begin before the first.
    assert_eq!(code(|bytes| bytes[400 + 200 + 131] = 1), Code::Damaged);
    let shorter = patched("abrgru", |bytes| bytes.truncate(bytes.len() - 3)).unwrap();
    assert!(shorter.findings().iter().any(|finding| finding.severity == Severity::Error));
    assert_eq!(shorter.read_count().unwrap(), 8);
}

#[test]
fn an_encrypted_record_is_read_as_null_and_reported() {
    let table = patched("abrgru", |bytes| {
        let first = u32::from_le_bytes(bytes[32..36].try_into().unwrap()) as usize;
        bytes[first] |= 2;
    })
    .unwrap();
    let found = rows(&table, None, false);
    assert!(found[0].iter().all(|value| value == "\\N") && found[1].iter().any(|value| value != "\\N"));
    let mut findings = Vec::new();
    mainstay_xbase::dbf::check(&table, None, &mut findings).unwrap();
    assert!(findings.iter().any(|finding| finding.message.contains("encrypted")), "{findings:?}");
}
