//! Damaged tables: cut at any byte, with random bytes, or on a disk that fails. Whatever happens, there is an
//! error or a finding, and no panic.

#![allow(clippy::disallowed_methods)]

mod dbf_support;

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal32Type;
use dbf_support::{fixture_files, open};
use mainstay_types::{Code, Result};
use mainstay_vfs::{Fault, Faulty, FileSystem, Memory};
use mainstay_xbase::dbf::{Dbf, OpenOptions, check, decode_column};
use mainstay_xbase::{Finding, Severity};
use std::path::{Path, PathBuf};

/// Opens the table and walks all of it.
fn walk(files: &dyn FileSystem, path: &Path) -> Result<Vec<Finding>> {
    let (table, memo) = open(files, path)?;
    let mut findings = Vec::new();
    check(&table, memo.as_ref(), &mut findings)?;
    Ok(findings)
}

/// The fixture's table and memo in memory, under the names they have.
fn in_memory(path: &Path) -> (Memory, PathBuf) {
    let files = Memory::new();
    let name = PathBuf::from(path.file_name().unwrap());
    files.write(&name, std::fs::read(path).unwrap());
    for extension in ["fpt", "dbt"] {
        if let Ok(content) = std::fs::read(path.with_extension(extension)) {
            files.write(name.with_extension(extension), content);
        }
    }
    (files, name)
}

/// Fixtures small enough to be damaged many times.
fn small_fixtures() -> Vec<PathBuf> {
    fixture_files("dbf").into_iter().filter(|path| std::fs::metadata(path).unwrap().len() < 10_000).collect()
}

fn parts(name: &Path, files: &Memory) -> Vec<PathBuf> {
    ["dbf", "fpt", "dbt"].iter().map(|end| name.with_extension(end)).filter(|path| files.stamp(path).is_ok()).collect()
}

/// xorshift64
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

#[test]
fn sound_tables_have_no_findings() {
    for path in fixture_files("dbf") {
        assert_eq!(walk(&mainstay_vfs::Disk, &path).unwrap(), [], "{}", path.display());
    }
}

#[test]
fn a_table_cut_anywhere_is_noticed() {
    let mut cases = 0;
    for path in fixture_files("dbf") {
        let (files, name) = in_memory(&path);
        let whole = files.read(&name).unwrap();
        let step = if whole.len() > 10_000 { whole.len() / 20 } else { 97 };
        for length in (0..whole.len() - 1).step_by(step) {
            files.write(&name, &whole[..length]);
            match walk(&files, &name) {
                Ok(findings) => {
                    let worst = findings.iter().map(|finding| finding.severity).max();
                    assert_eq!(worst, Some(Severity::Error), "{} cut at {length}", name.display());
                }
                Err(error) => assert!(error.to_string().contains(name.to_str().unwrap()), "{error}"),
            }
            cases += 1;
        }
    }
    assert!(cases > 200, "{cases}");
}

#[test]
fn a_memo_file_cut_anywhere_loses_values_but_no_rows() {
    for path in small_fixtures() {
        let (files, name) = in_memory(&path);
        let sound = walk(&files, &name).unwrap();
        assert_eq!(sound, []);
        for memo in parts(&name, &files).into_iter().skip(1) {
            let whole = files.read(&memo).unwrap();
            for length in (0..whole.len() - 1).step_by((whole.len() / 20).max(97)) {
                files.write(&memo, &whole[..length]);
                if let Err(error) = walk(&files, &name) {
                    assert_eq!(error.code(), Code::Damaged);
                    assert!(error.to_string().contains(memo.to_str().unwrap()), "{error}");
                }
            }
        }
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for path in small_fixtures() {
        let (files, name) = in_memory(&path);
        let large = parts(&name, &files).iter().any(|part| files.stamp(part).unwrap().len > 100_000);
        for part in parts(&name, &files) {
            let whole = files.read(&part).unwrap();
            for round in 0..if large { 20 } else { 120 } {
                let mut broken = whole.clone();
                // Headers deserve most of the damage.
                let range = if round % 3 == 0 { broken.len() } else { broken.len().min(1_100) };
                for _ in 0..1 + random.next(4) {
                    broken[random.next(range)] = random.next(256) as u8;
                }
                files.write(&part, broken);
                let _ = walk(&files, &name);
            }
            files.write(&part, whole);
        }
    }
}

#[test]
fn every_failing_read_names_its_file() {
    for path in small_fixtures() {
        let (files, name) = in_memory(&path);
        let counting = Faulty::counting(files.clone());
        walk(&counting, &name).unwrap();
        for read in 0..counting.reads() {
            let error = walk(&Faulty::new(files.clone(), read, Fault::Error), &name).unwrap_err();
            assert_eq!(error.code(), Code::Io);
            let stem = name.file_stem().unwrap().to_str().unwrap();
            assert!(error.to_string().contains(stem), "{error}");
            // A read that comes short is an error or is reported; the header of a memo may be half missing.
            let short = walk(&Faulty::new(files.clone(), read, Fault::Short), &name);
            match short {
                Err(error) => assert!(error.to_string().contains(stem), "{error}"),
                Ok(findings) => assert_eq!(findings, [], "read {read} of {}", name.display()),
            }
        }
    }
}

fn table(bytes: Vec<u8>) -> (Memory, Result<Dbf>) {
    let files = Memory::new();
    files.write("t.dbf", bytes);
    let table = Dbf::open(files.open(Path::new("t.dbf")).unwrap(), OpenOptions::default());
    (files, table)
}

/// Two records of one `N(5,2)` field.
fn small() -> Vec<u8> {
    let mut bytes = vec![0; 32];
    (bytes[0], bytes[4], bytes[8], bytes[10]) = (0x03, 2, 65, 6);
    let mut field = [0; 32];
    (field[0], field[11], field[16], field[17]) = (b'N', b'N', 5, 2);
    bytes.extend_from_slice(&field);
    bytes.push(0x0D);
    bytes.extend_from_slice(b"  1.25* 2.505\x1A");
    // Record 2 is "* 2.50", followed by a stray 5.
    bytes
}

#[test]
fn what_follows_the_last_record_is_counted() {
    let message =
        |bytes: Vec<u8>| table(bytes).1.unwrap().findings().iter().map(|f| f.message.clone()).collect::<Vec<_>>();
    let sound: Vec<u8> = [&small()[..65], b"  1.25* 2.50\x1A"].concat();
    assert_eq!(message(sound.clone()), [""; 0]);
    assert_eq!(message(sound[..77].to_vec()), [""; 0]);
    assert_eq!(message(small()), ["2 bytes follow the last record that the header counts"]);
    assert_eq!(message(sound[..74].to_vec()), ["the header counts 2 records; the file holds 1 and 3 bytes of another"]);
    let mut bytes = sound.clone();
    bytes[4] = 1;
    assert_eq!(table(bytes.clone()).1.unwrap().record_count(bytes.len() as u64), 2);
    assert_eq!(message(bytes), ["1 whole records follow those that the header counts; they are read too"]);
    let mut bytes = [&sound[..77], b"garbage that is no record"].concat();
    bytes[4] = 1;
    assert_eq!(table(bytes.clone()).1.unwrap().record_count(bytes.len() as u64), 2);
    let mut bytes = sound.clone();
    bytes[15] = 1;
    assert_eq!(table(bytes).1.unwrap_err().code(), Code::Encrypted);
    let mut bytes = sound;
    bytes[10] = 0;
    assert_eq!(table(bytes).1.unwrap_err().to_string(), "t.dbf: the header says that a record has 0 bytes");
}

#[test]
fn a_count_that_grows_while_the_table_is_open_is_seen_when_asked_for() {
    let sound: Vec<u8> = [&small()[..65], b"  1.25* 2.50\x1A"].concat();
    let (files, dbf) = table(sound.clone());
    let dbf = dbf.unwrap();
    let mut longer = [&sound[..77], b"  3.75\x1A"].concat();
    files.write("t.dbf", longer.clone());
    assert_eq!((dbf.record_count(longer.len() as u64), dbf.read_count().unwrap()), (2, 2));
    longer[4] = 3;
    files.write("t.dbf", longer.clone());
    assert_eq!((dbf.record_count(longer.len() as u64), dbf.read_count().unwrap()), (2, 3));
    let mut buffer = Vec::new();
    let records = dbf.read_records(2..3, &mut buffer).unwrap();
    let column = decode_column(&dbf.fields()[0], &records, &dbf.decoding(None)).unwrap();
    assert_eq!(column.vector.as_primitive::<Decimal32Type>().value(0), 375);
    // The count is written before the record arrives.
    longer[4] = 4;
    files.write("t.dbf", longer);
    assert_eq!(dbf.read_count().unwrap(), 3);
    assert!(dbf.read_records(3..4, &mut buffer).is_err());
}

#[test]
fn findings_name_record_and_field() {
    let sound: Vec<u8> = [&small()[..65], b"  1.2x?*****\x1A"].concat();
    let (_, dbf) = table(sound);
    let mut findings = Vec::new();
    check(&dbf.unwrap(), None, &mut findings).unwrap();
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert_eq!(
        lines,
        [
            "warning: t.dbf, record 2: the deletion flag is 0x3f, neither a blank nor '*'",
            "error: t.dbf, record 1, field N: ' 1.2x' is not a number",
            "error: t.dbf, record 2, field N: '*****' is not a number",
        ]
    );
}

#[test]
fn a_header_whose_length_is_wrong() {
    let sound: Vec<u8> = [&small()[..65], b"  1.25* 2.50\x1A"].concat();
    let with_length = |length: u8| {
        let mut bytes = sound.clone();
        bytes[8] = length;
        table(bytes).1
    };
    for short in [0, 31, 32, 50, 63] {
        assert_eq!(with_length(short).unwrap_err().code(), Code::Damaged, "{short}");
    }
    // Without the terminator the list of fields is still whole, but the records are one byte off.
    assert_eq!(with_length(64).unwrap().findings()[0].message, "the list of fields is not terminated");
    let longer = with_length(70).unwrap();
    assert_eq!(longer.findings()[0].message, "the header counts 2 records; the file holds 1 and 2 bytes of another");
    let longer = with_length(200).unwrap();
    assert_eq!(longer.findings()[0].message, "the header says that it has 200 bytes; the file has 78");
    assert_eq!(longer.read_count().unwrap(), 0);
}
