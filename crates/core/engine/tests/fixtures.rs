//! Every fixture table has the values in SQL that the program that wrote it reads from it.
//!
//! Deliberate differences: blank numbers and dates, and numbers that were stored as asterisks, are NULL in
//! SQL where Harbour shows an empty value. The bytes of the record decide whether NULL is right.

#![allow(clippy::disallowed_methods)]

#[path = "../../../storage/xbase/tests/dbf_support/mod.rs"]
mod dbf_support;
mod support;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use dbf_support::md5;
use mainstay_engine::{Database, Session};
use mainstay_types::{Code, Date, Decimal, Timestamp};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{Dbf, Field, FieldKind, OpenOptions};
use std::path::Path;
use support::{batches, copy, csv, fixtures, lines, lines_and_notices, rows, session, value};

/// Tables that are compared in tests of their own.
const ODD: [&str; 3] = ["m22_raw_values", "m25_encrypted", "t11_bench100k"];

#[test]
fn every_table_of_harbour_reads_back_exactly() {
    let (mut tables, mut values) = (0, 0);
    for folder in ["", "more"] {
        let copied = copy(folder, &["t", "m"]);
        let database = Database::open(copied.path()).unwrap();
        for path in support::files(copied.path()) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let shown = fixtures(folder).join(name).with_extension("csv");
            if path.extension().unwrap() == "dbf" && !ODD.contains(&name) && shown.exists() {
                values += compare(&database, &path, &csv(&shown));
                tables += 1;
            }
        }
    }
    assert!(tables >= 35 && values > 30_000, "{tables} tables, {values} values");
}

/// Compares a table with its `.csv`; gives the number of values.
fn compare(database: &Database, path: &Path, expected: &[Vec<String>]) -> usize {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let dbf = Dbf::open(Disk.open(path).unwrap(), OpenOptions::default()).unwrap();
    let page = CodePage::by_name(&database.describe(name).unwrap().code_page.unwrap()).unwrap();
    let mut session = database.session();
    let all = batches(&mut session, &format!("SELECT *, _recno, _deleted FROM {name}"));
    let plain = batches(&mut session, &format!("SELECT * FROM {name}"));
    let fields = dbf.fields();
    let columns: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    assert_eq!(columns, expected[0][2..], "{name}");
    assert_columns(&plain, &columns);
    assert_columns(&all, &[columns, vec!["_recno".into(), "_deleted".into()]].concat());
    let live = expected[1..].iter().filter(|row| row[1] == "F").count();
    assert_eq!(plain.iter().map(RecordBatch::num_rows).sum::<usize>(), live, "{name} without deleted rows");
    assert_eq!(all.iter().map(RecordBatch::num_rows).sum::<usize>(), expected.len() - 1, "{name}");

    let mut buffer = Vec::new();
    let records = dbf.read_records(0..expected.len() as u64 - 1, &mut buffer).unwrap();
    let mut next = expected[1..].iter().zip(records.iter());
    for batch in &all {
        for row in 0..batch.num_rows() {
            let (expected, record) = next.next().unwrap();
            for (at, field) in fields.iter().enumerate() {
                let array = batch.column(at);
                let place = || format!("{name}.{} record {}", field.name, expected[0]);
                if array.is_null(row) {
                    assert!(may_be_null(field, record), "{} is NULL, not {:?}", place(), expected[at + 2]);
                }
                let actual = printed(field, page, array, row);
                assert!(
                    same(field, &expected[at + 2], &actual, array.is_null(row)),
                    "{}: {:?}, read as {:?}",
                    place(),
                    expected[at + 2],
                    as_shown(&actual)
                );
            }
            let recno = batch.column(fields.len()).as_primitive::<Int64Type>().value(row);
            let deleted = batch.column(fields.len() + 1).as_boolean().value(row);
            assert_eq!((recno.to_string(), deleted), (expected[0].clone(), expected[1] == "T"), "{name}");
        }
    }
    (expected.len() - 1) * fields.len()
}

fn assert_columns(batches: &[RecordBatch], names: &[String]) {
    for batch in batches {
        let columns: Vec<&String> = batch.schema_ref().fields().iter().map(|field| field.name()).collect();
        assert_eq!(columns, names.iter().collect::<Vec<_>>());
    }
}

/// Returns true if the bytes of a record say that the field has no value.
fn may_be_null(field: &Field, record: &[u8]) -> bool {
    let bytes = &record[field.offset..field.offset + field.length];
    match field.kind {
        _ if field.null_bit.is_some() => true,
        FieldKind::Numeric => !bytes.iter().any(u8::is_ascii_digit),
        FieldKind::Date => bytes.iter().all(|byte| matches!(byte, b' ' | b'0' | 0)),
        FieldKind::Logical => matches!(bytes[0], b' ' | b'?' | 0),
        FieldKind::Character => false,
        // Timestamps and memos: all zeros or blanks are "none".
        _ => bytes.iter().all(|byte| matches!(byte, b' ' | b'0' | 0)),
    }
}

/// The value at this row as the `.csv` has it, in the bytes of the table's code page.
fn printed(field: &Field, page: CodePage, array: &ArrayRef, row: usize) -> Vec<u8> {
    let missing = array.is_null(row);
    let digits = |ms: i64| {
        let moment = Timestamp::from_ms(ms).unwrap().display(3).to_string();
        moment.chars().filter(char::is_ascii_digit).collect::<String>()
    };
    let text = match array.data_type() {
        DataType::Utf8View => {
            let text = if missing { "" } else { array.as_string_view().value(row) };
            let mut bytes = page.encode(text).unwrap();
            if field.kind == FieldKind::Character {
                bytes.resize(field.length, b' ');
            }
            return bytes;
        }
        DataType::BinaryView if missing => return Vec::new(),
        DataType::BinaryView => return array.as_binary_view().value(row).to_vec(),
        DataType::Boolean => if !missing && array.as_boolean().value(row) { "T" } else { "F" }.to_owned(),
        DataType::Date32 if missing => "        ".to_owned(),
        DataType::Date32 => Date(array.as_primitive::<Date32Type>().value(row)).to_string().replace('-', ""),
        DataType::Timestamp(TimeUnit::Millisecond, None) if missing => "0".repeat(17),
        DataType::Timestamp(TimeUnit::Millisecond, None) => {
            digits(array.as_primitive::<TimestampMillisecondType>().value(row))
        }
        DataType::Time32(TimeUnit::Millisecond) => {
            format!("00000000{}", &digits(array.as_primitive::<Time32MillisecondType>().value(row).into())[8..])
        }
        _ if missing => "0".to_owned(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => {
            format!("{:.*}", usize::from(field.decimals), array.as_primitive::<Float64Type>().value(row))
        }
        DataType::Decimal128(_, scale) => {
            Decimal::new(array.as_primitive::<Decimal128Type>().value(row), scale.unsigned_abs()).to_string()
        }
        other => panic!("{other} is not expected"),
    };
    text.into_bytes()
}

/// The bytes as the `.csv` shows them.
fn as_shown(bytes: &[u8]) -> String {
    if bytes.len() > 512 {
        format!("md5:{}:len{}", md5(bytes), bytes.len())
    } else if bytes.iter().any(|byte| !(32..=126).contains(byte)) {
        format!("hex:{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    } else {
        String::from_utf8(bytes.to_vec()).unwrap()
    }
}

fn same(field: &Field, expected: &str, actual: &[u8], missing: bool) -> bool {
    match field.kind {
        // Harbour's picture was too narrow, or the field holds asterisks.
        _ if expected.starts_with("***") => true,
        FieldKind::Numeric | FieldKind::Double | FieldKind::Integer | FieldKind::Currency => {
            let text = String::from_utf8_lossy(actual);
            let (expected, actual): (Decimal, Decimal) = (expected.trim().parse().unwrap(), text.parse().unwrap());
            // Harbour scales binary numbers as doubles and prints 15 digits of them.
            let shown = |value: Decimal| format!("{:.14e}", value.to_f64());
            let many_digits = actual.unscaled.unsigned_abs() >= 10u128.pow(15) && field.kind != FieldKind::Numeric;
            expected == actual || many_digits && shown(expected) == shown(actual)
        }
        FieldKind::Memo if missing => expected.is_empty(),
        _ => expected == as_shown(actual),
    }
}

#[test]
fn text_is_what_harbour_makes_of_the_code_page() {
    let copied = copy("more", &["m01", "m02"]);
    let mut session = session(copied.path());
    let mut tables = 0;
    for path in support::files(&fixtures("more")) {
        let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".utf8.csv") else { continue };
        let expected = csv(&path);
        let columns = expected[0][1..].join(", ");
        let actual = rows(&mut session, &format!("SELECT _recno, _deleted, {columns} FROM {name}"));
        assert_eq!(actual.len(), expected.len() - 1);
        for (actual, expected) in actual.iter().zip(&expected[1..]) {
            assert_eq!(actual[0], expected[0]);
            for (actual, expected) in actual[2..].iter().zip(&expected[1..]) {
                let actual = if actual == "NULL" { "" } else { actual };
                // A byte that the code page leaves undefined has no right reading.
                let is_defined = !actual.chars().any(|c| ('\u{F700}'..='\u{F7FF}').contains(&c)) && is_text(expected);
                assert!(!is_defined || actual == expected, "{name}: {expected:?}, read as {actual:?}");
            }
        }
        tables += 1;
    }
    assert_eq!(tables, 14);
}

fn is_text(text: &str) -> bool {
    !text.chars().any(|c| c == '\u{FFFD}' || c == '?' || c.is_control())
}

#[test]
fn the_benchmark_table_holds_what_its_formula_says() {
    let copied = copy("", &["t11"]);
    let mut session = session(copied.path());
    let sql = "SELECT COUNT(*), SUM(amt), MIN(id), MAX(id), COUNT(DISTINCT tag) FROM t11_bench100k";
    assert_eq!(lines(&mut session, sql), ["100000|50111941.49|1|100000|26"]);
    let count = |session: &mut Session, condition: &str| {
        value(session, &format!("SELECT COUNT(*) FROM t11_bench100k WHERE {condition}"))
    };
    assert_eq!(count(&mut session, "tag = 'AAAA'"), "3847");
    assert_eq!(count(&mut session, "amt BETWEEN 100 AND 500"), "39823");
    let mut x: u32 = 0x1234_5678;
    for (at, row) in rows(&mut session, "SELECT id, tag, amt FROM t11_bench100k").iter().enumerate() {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let letter = char::from(b'A' + (at % 26) as u8).to_string();
        let amount = Decimal::new(i128::from((x >> 8) % 100_000), 2).to_string();
        assert_eq!(*row, [(at + 1).to_string(), letter.repeat(4), amount]);
    }
}

/// Harbour gives NULLs as empty values; the bits say which are NULL.
#[test]
fn nulls_of_visual_foxpro_are_null() {
    let copied = copy("", &["t07"]);
    let mut session = session(copied.path());
    let nulls = |session: &mut Session, column: &str| {
        session.set("show_deleted", "on").unwrap();
        lines(session, &format!("SELECT _recno FROM t07_vfp WHERE {column} IS NULL ORDER BY _recno")).join(" ")
    };
    assert_eq!(lines(&mut session, "SELECT _recno FROM t07_vfp WHERE _deleted"), ["5"]);
    assert_eq!(nulls(&mut session, "id"), "");
    assert_eq!(nulls(&mut session, "name"), "2 4 6 8 10 12 14 16");
    assert_eq!(nulls(&mut session, "dbl"), "1 4 5 8 9 12 13 16");
    assert_eq!(nulls(&mut session, "ts"), "1 4 5 8 9 12 13 16");
    assert_eq!(nulls(&mut session, "qty"), "1 2 3 8 9 10 11 16");
    assert_eq!(nulls(&mut session, "vc"), "1 2 3 4 5 6 7 16");
    assert_eq!(nulls(&mut session, "note"), "1 2 3 4 5 6 7 16");
}

#[test]
fn deleted_rows_and_hidden_columns_show_when_asked_for() {
    let copied = copy("", &["t02"]);
    let mut session = session(copied.path());
    let count =
        |session: &mut Session, rest: &str| value(session, &format!("SELECT COUNT(*) FROM t02_clipper_dbt{rest}"));
    let hidden: u32 = count(&mut session, "").parse().unwrap();
    assert_eq!(count(&mut session, " WHERE _deleted"), "3");
    assert_eq!(count(&mut session, " WHERE NOT _deleted"), hidden.to_string());
    let first = batches(&mut session, "SELECT _recno, name FROM T02_CLIPPER_DBT LIMIT 1");
    assert_eq!(first[0].schema_ref().field(0).name(), "_recno");
    session.set("deleted", "off").unwrap();
    assert_eq!(count(&mut session, ""), (hidden + 3).to_string());
}

/// An index and a memo file are looked at with the table that they are of.
#[test]
fn a_file_beside_a_table_is_checked_with_it() {
    let copied = copy("", &["t03", "t05"]);
    let check = |file: &str| mainstay_engine::check(&copied.path().join(file), &Default::default());
    std::fs::rename(copied.path().join("t03_cdx_tags.fpt"), copied.path().join("T03_CDX_TAGS.FPT")).unwrap();
    for file in ["t03_cdx_tags.cdx", "T03_CDX_TAGS.FPT"] {
        assert_eq!(check(file).unwrap(), [], "{file}");
    }
    let mut index = std::fs::read(copied.path().join("t03_cdx_tags.cdx")).unwrap();
    let middle = index.len() / 2;
    index[middle..middle + 64].fill(0x5A);
    std::fs::write(copied.path().join("t03_cdx_tags.cdx"), index).unwrap();
    assert!(!check("t03_cdx_tags.cdx").unwrap().is_empty());
    let error = check("t05num.ntx").unwrap_err();
    assert!(error.code() == Code::NotThisFormat && error.to_string().contains("no table of its name"), "{error}");
    assert_eq!(check("nothing.cdx").unwrap_err().code(), Code::NotFound);
}

/// Values that no program should write: what cannot be read is NULL and reported, never a guess.
#[test]
fn values_that_no_program_should_write() {
    let copied = copy("more", &["m22"]);
    let mut session = session(copied.path());
    let (lines, notices) = lines_and_notices(&mut session, "SELECT _recno, n, d, l FROM m22_raw_values");
    let expected = [
        "1|NULL|2024-02-29|true",
        "2|NULL|NULL|NULL",
        "3|-0.50|NULL|NULL",
        // Harbour stops at the letter; programs that write exponents mean them.
        "4|1000.00|NULL|true",
        "5|5.00|NULL|false",
        "6|NULL|NULL|NULL",
        "7|12.50|9999-12-31|false",
        "8|NULL|0001-01-01|true",
        "9|NULL|NULL|NULL",
        "10|7.50|2024-01-01|false",
        "11|7.50|NULL|false",
        "12|99999.99|2000-02-29|true",
        "13|123.46|NULL|NULL",
        "14|0.00|NULL|NULL",
        "15|0.00|NULL|true",
    ];
    assert_eq!(lines, expected);
    for place in ["record 1, field N", "record 13, field N", "record 4, field D", "record 14, field L"] {
        assert!(notices.iter().any(|notice| notice.contains(place)), "{place}: {notices:?}");
    }
}

#[test]
fn an_encrypted_table_says_so() {
    let copied = copy("more", &["m25"]);
    let error = session(copied.path()).execute("SELECT * FROM m25_encrypted").map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::Encrypted, "{error}");
}

#[test]
fn tables_of_other_programs_read_back_exactly() {
    let mut tables = 0;
    for folder in ["dbase4", "libreoffice"] {
        let copied = copy(folder, &[""]);
        let mut session = session(copied.path());
        for path in support::files(&fixtures(folder)) {
            let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".expected.json") else {
                continue;
            };
            let expected: Vec<serde_json::Map<String, serde_json::Value>> =
                serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let columns: Vec<&str> = expected[0].keys().map(String::as_str).collect();
            let actual = rows(&mut session, &format!("SELECT {} FROM {name}", columns.join(", ")));
            assert_eq!(actual.len(), expected.len(), "{name}");
            for (actual, expected) in actual.iter().zip(&expected) {
                for (actual, (column, expected)) in actual.iter().zip(expected) {
                    assert!(is_json(expected, actual), "{name}.{column}: {expected}, read as {actual:?}");
                }
            }
            tables += 1;
        }
    }
    assert_eq!(tables, 5);
}

fn is_json(expected: &serde_json::Value, actual: &str) -> bool {
    match expected {
        serde_json::Value::Null => actual == "NULL",
        serde_json::Value::Bool(value) => actual == value.to_string(),
        serde_json::Value::Number(number) => number.as_f64() == actual.parse().ok(),
        serde_json::Value::String(text) => actual.trim_end_matches(' ') == text,
        serde_json::Value::Array(any) => any.iter().any(|value| is_json(value, actual)),
        serde_json::Value::Object(_) => false,
    }
}

/// An index file is checked with the table it belongs to, not with every table that has fields of those names.
#[test]
fn check_finds_nothing_in_sound_files_and_says_each_thing_once() {
    let options = mainstay_engine::Options::default();
    for path in [fixtures(""), fixtures("../../sample")] {
        let findings = mainstay_engine::check(&path, &options).unwrap();
        assert!(findings.is_empty(), "{findings:?}");
    }
    let findings = mainstay_engine::check(&fixtures("more"), &options).unwrap();
    let text: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(text.iter().any(|line| line.contains("m24_in_flight.dbf: 4 whole records follow")), "{text:#?}");
    let of_other = |line: &&String| line.contains("m11_other.cdx") || line.contains("_custom.ntx, tag");
    assert_eq!(text.iter().filter(of_other).collect::<Vec<_>>(), [""; 0]);
    // Indexes in the order of a national code page of Harbour are sound.
    let of_order = |line: &&String| line.contains("_collated");
    assert_eq!(text.iter().filter(of_order).collect::<Vec<_>>(), [""; 0]);
    let findings = mainstay_engine::check(&fixtures("national"), &options).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

/// A table that was cut short gives its whole records, and the statement says that some are missing.
#[test]
#[allow(clippy::disallowed_methods)]
fn a_cut_table_gives_its_rows_and_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    let whole =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/t03_cdx_tags.dbf")).unwrap();
    std::fs::write(folder.path().join("cut.dbf"), &whole[..3_000]).unwrap();
    let mut session = mainstay_engine::Database::open(folder.path()).unwrap().session();
    let mut answer = session.execute("SELECT id FROM cut").unwrap();
    let mut rows = 0;
    while let Some(batch) = answer.next_batch().unwrap() {
        rows += batch.num_rows();
    }
    assert!(rows > 0 && rows < 1_000, "{rows}");
    let notices = answer.notices();
    assert!(notices.iter().any(|notice| notice.contains("the header counts 1000 records")), "{notices:?}");
}
