//! Memo files of the kinds that no fixture has, built byte by byte after the descriptions in `docs/formats/dbf.md`, and
//! damaged references.

mod dbf_support;

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, cast::AsArray};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{Column, Dbf, OpenOptions, check, decode_column};
use mainstay_xbase::memo::{Memo, MemoKind};
use std::path::Path;

/// A table with one column of this letter, length and flags, its cells as given, in a file of this version.
fn table(files: &Memory, version: u8, letter: u8, flags: u8, cells: &[&[u8]]) -> Dbf {
    let length = cells[0].len();
    let mut bytes = vec![0; 32];
    bytes[0] = version;
    bytes[4] = cells.len() as u8;
    bytes[8] = 65;
    bytes[10..12].copy_from_slice(&(length as u16 + 1).to_le_bytes());
    let mut field = [0; 32];
    (field[0], field[11], field[16], field[18]) = (b'M', letter, length as u8, flags);
    bytes.extend_from_slice(&field);
    bytes.push(0x0D);
    for cell in cells {
        bytes.push(b' ');
        bytes.extend_from_slice(cell);
    }
    bytes.push(0x1A);
    files.write("t.dbf", bytes);
    Dbf::open(files.open(Path::new("t.dbf")).unwrap(), OpenOptions::default()).unwrap()
}

fn memo(files: &Memory, table: &Dbf, name: &str, content: Vec<u8>) -> Memo {
    files.write(name, content);
    Memo::open(files.open(Path::new(name)).unwrap(), table.header().version).unwrap()
}

fn column(table: &Dbf, memo: Option<&Memo>) -> Column {
    let mut buffer = Vec::new();
    let records = table.read_records(0..table.read_count().unwrap(), &mut buffer).unwrap();
    decode_column(&table.fields()[0], &records, &table.decoding(memo)).unwrap()
}

fn texts(column: &Column) -> Vec<Option<&str>> {
    column.vector.as_string_view().iter().collect()
}

fn messages(column: &Column) -> Vec<String> {
    column.findings.first.iter().map(|finding| finding.message.clone()).collect()
}

fn padded(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length, 0);
    bytes
}

#[test]
fn dbase_iv_blocks_say_their_length() {
    let files = Memory::new();
    let table =
        table(&files, 0x8B, b'M', 0, &[b"         1", b"          ", b"         2", b"       999", b"  x      1"]);
    let mut content = padded(vec![3], 1024);
    content[20..22].copy_from_slice(&1024u16.to_le_bytes());
    content.extend_from_slice(b"\xFF\xFF\x08\x00\x10\x00\x00\x00with \x1A in");
    let mut content = padded(content, 2048);
    content.extend_from_slice(b"\xFF\xFF\x08\x00\xFF\xFF\x00\x00cut");
    let memo = memo(&files, &table, "t.dbt", content);
    assert_eq!((memo.kind(), memo.block_size()), (MemoKind::DbaseFour, 1024));
    let column = column(&table, Some(&memo));
    assert_eq!(texts(&column), [Some("with \u{1A} i"), Some(""), None, None, None]);
    assert_eq!(
        messages(&column),
        [
            "memo block 2 claims 65527 bytes, more than the memo file has",
            "memo block 999 lies outside the memo file (2059 bytes)",
            "'x      1' is not a block number",
        ]
    );
}

#[test]
fn clipper_text_ends_at_its_mark_or_with_the_file() {
    let files = Memory::new();
    let cells: [&[u8]; 4] = [b"         1", b"         3", b"\0\0\0\0\0\0\0\0\0\0", b"0000000001"];
    let table = table(&files, 0x83, b'M', 0, &cells);
    let mut content = padded(vec![4], 512);
    content.extend_from_slice(&b"0123456789".repeat(70));
    content.extend_from_slice(b"soft\x8D\nreturn\x1A\x1Arubbish");
    let mut content = padded(content, 1536);
    content.extend_from_slice(b"no mark");
    let memo = memo(&files, &table, "t.dbt", content);
    let column = column(&table, Some(&memo));
    let long = format!("{}soft\u{EC}\nreturn", "0123456789".repeat(70));
    assert_eq!(texts(&column), [Some(&*long), Some("no mark"), Some(""), Some(&*long)]);
    let mut findings = Vec::new();
    check(&table, Some(&memo), &mut findings).unwrap();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "the values of record 1, field M and record 4, field M overlap");
}

#[test]
fn six_keeps_type_and_length_in_the_record() {
    let files = Memory::new();
    let cells: [&[u8]; 4] =
        [b"\x01\0\x05\0\0\0\x10\0\0\0", b"          ", b"\x02\0\x05\0\0\0\x11\0\0\0", b"\x01\0\x05\0\0\0\xFF\0\0\0"];
    let table = table(&files, 0xE5, b'M', 0, &cells);
    let mut content = padded(b"\x12\0\0\0\x20\0\0\0SIxMemo".to_vec(), 512);
    content.extend_from_slice(&padded(b"hello".to_vec(), 32));
    content.extend_from_slice(&padded(b"\x02\xFE\xFF\xFF\xFF".to_vec(), 32));
    let memo = memo(&files, &table, "t.smt", content);
    let column = column(&table, Some(&memo));
    assert_eq!(texts(&column), [Some("hello"), Some(""), Some("-2"), None]);
    assert_eq!(column.findings.total, 1);
}

#[test]
fn values_of_any_type() {
    let files = Memory::new();
    let mut double = vec![12, 2];
    double.extend_from_slice(&2.5f64.to_le_bytes());
    double.extend_from_slice(&[0; 4]);
    double.extend_from_slice(&64_004u16.to_le_bytes());
    let cell = |bytes: &[u8], kind: u16| {
        let mut cell = padded(bytes.to_vec(), 14);
        cell.extend_from_slice(&kind.to_le_bytes());
        cell
    };
    let long = [&b"0123456789"[..], &8u32.to_le_bytes()].concat();
    let cells = [
        cell(b"short", 5),
        cell(&long, 16),
        cell(&[0x0F, 0xD5, 0x75], 64_001),
        cell(&(-7i32).to_le_bytes(), 64_002),
        cell(&[1], 64_003),
        double,
        cell(b"", 64_005),
        vec![b' '; 16],
    ];
    let cells: Vec<&[u8]> = cells.iter().map(Vec::as_slice).collect();
    let table = table(&files, 0xF5, b'V', 0, &cells);
    let mut content = padded(b"\0\0\0\x09\0\0\0\x40".to_vec(), 512);
    content.extend_from_slice(&padded(b"abcdef".to_vec(), 64));
    let memo = memo(&files, &table, "t.fpt", content);
    let column = column(&table, Some(&memo));
    let expected = [
        Some("short"),
        Some("0123456789abcdef"),
        Some("2026-11-21"),
        Some("-7"),
        Some("true"),
        Some("2.50"),
        None,
        None,
    ];
    assert_eq!(texts(&column), expected);
    assert_eq!(messages(&column), ["an array has no place in a column"]);
}

#[test]
fn a_missing_memo_file_costs_only_the_memos() {
    let files = Memory::new();
    let table = table(&files, 0x30, b'M', 4, &[b"\x08\0\0\0", b"\0\0\0\0"]);
    assert_eq!(table.memo_kind(), Some(MemoKind::FoxPro));
    let column = column(&table, None);
    assert_eq!(column.vector.as_binary_view().iter().collect::<Vec<_>>(), [None, Some(&b""[..])]);
    assert_eq!(messages(&column), ["the memo file is missing"]);
}

#[test]
fn a_memo_header_without_a_block_size_is_refused() {
    let files = Memory::new();
    files.write("t.fpt", vec![0; 1024]);
    let error = Memo::open(files.open(Path::new("t.fpt")).unwrap(), 0xF5).unwrap_err();
    assert_eq!(error.to_string(), "t.fpt: the memo header says that blocks have 0 bytes");
    files.write("t.fpt", vec![0; 100]);
    assert!(Memo::open(files.open(Path::new("t.fpt")).unwrap(), 0xF5).is_err());
}

/// The kinds of other columns that no fixture has.
#[test]
fn sortable_numbers_of_dbase_7() {
    let files = Memory::new();
    let mut bytes = vec![0; 68];
    (bytes[0], bytes[4], bytes[8], bytes[10]) = (0x04, 2, 165, 13);
    for (letter, length) in [(b'I', 4), (b'O', 8)] {
        let mut one = [0; 48];
        (one[0], one[32], one[33]) = (letter, letter, length);
        bytes.extend_from_slice(&one);
    }
    bytes.push(0x0D);
    for (integer, double) in [(7i32, -1.5f64), (-7, 2.25)] {
        bytes.push(b' ');
        bytes.extend_from_slice(&(integer as u32 ^ 1 << 31).to_be_bytes());
        let bits = double.to_bits();
        bytes.extend_from_slice(&(if double < 0.0 { !bits } else { bits ^ 1 << 63 }).to_be_bytes());
    }
    files.write("t.dbf", bytes);
    let table = Dbf::open(files.open(Path::new("t.dbf")).unwrap(), OpenOptions::default()).unwrap();
    let mut buffer = Vec::new();
    let records = table.read_records(0..2, &mut buffer).unwrap();
    let column = |at: usize| decode_column(&table.fields()[at], &records, &table.decoding(None)).unwrap().vector;
    assert_eq!(column(0).as_primitive::<Int32Type>().values().as_ref(), [7, -7]);
    assert_eq!(column(1).as_primitive::<Float64Type>().values().as_ref(), [-1.5, 2.25]);
    assert_eq!(column(1).null_count(), 0);
}
