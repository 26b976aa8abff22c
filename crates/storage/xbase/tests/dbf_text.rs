//! Text columns: dictionaries or not, the values are those of the simple way.

mod dbf_support;

use arrow_array::{Array, ArrayRef, cast::AsArray};
use arrow_schema::DataType;
use dbf_support::plain;
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{Column, Decoding, Field, FieldKind, Records, decode_column};
use std::path::Path;

const LENGTHS: [usize; 6] = [1, 4, 7, 8, 9, 30];

fn decode(values: &[Vec<u8>], length: usize, page: &str) -> Column {
    let records: Vec<u8> = values.iter().flat_map(|value| [&b" "[..], value].concat()).collect();
    let field = Field {
        name: "T".into(),
        kind: FieldKind::Character,
        letter: b'C',
        offset: 1,
        length,
        decimals: 0,
        null_bit: None,
        varying_bit: None,
        adt: None,
    };
    let how = Decoding {
        path: Path::new("t.dbf"),
        memo: None,
        is_told: false,
        layout: Default::default(),
        code_page: CodePage::by_name(page).unwrap(),
    };
    decode_column(&field, &Records::new(&records, length + 1, 1), &how).unwrap()
}

fn padded(text: &str, length: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(length, b' ');
    bytes
}

fn key_type(array: &ArrayRef) -> Option<DataType> {
    match array.data_type() {
        DataType::Dictionary(key, _) => Some((**key).clone()),
        _ => None,
    }
}

#[test]
fn every_shape_gives_the_same_values() {
    for length in LENGTHS {
        for distinct in [1usize, 26, 256, 257, 3_000, 30_000] {
            let text = |row: usize| {
                let text = format!("{:x}", row * 7 % distinct);
                text[..text.len().min(length)].to_owned()
            };
            let values: Vec<Vec<u8>> = (0..30_000).map(|row| padded(&text(row), length)).collect();
            let column = decode(&values, length, "437");
            assert!(column.findings.is_empty());
            let unpacked = plain(&column.vector);
            for (row, value) in unpacked.as_string_view().iter().enumerate() {
                assert_eq!(value, Some(text(row).as_str()), "C({length}), {distinct} distinct, row {row}");
            }
            let expected = match distinct.min(16usize.saturating_pow(length as u32)) {
                ..=256 => Some(DataType::UInt8),
                257..=3_000 if distinct == 257 => Some(DataType::UInt16),
                3_000 | 30_000 => None,
                _ => continue,
            };
            assert_eq!(key_type(&column.vector), expected, "C({length}), {distinct} distinct");
        }
    }
}

#[test]
fn padding_does_not_make_values_distinct() {
    for length in LENGTHS {
        let mut values = vec![padded("A", length), padded("", length), padded("A", length)];
        values[2].iter_mut().skip(1).for_each(|byte| *byte = 0);
        values.push(vec![0; length]);
        let column = decode(&values, length, "437");
        let texts = plain(&column.vector);
        assert_eq!(texts.as_string_view().iter().flatten().collect::<Vec<_>>(), ["A", "", "A", ""]);
        assert_eq!(texts.null_count(), 0);
    }
}

#[test]
fn bytes_that_the_page_lacks_are_kept_and_reported_for_each_record() {
    for length in [4, 12] {
        let values = (0..40).map(|row| {
            let mut value = padded(if row % 2 == 0 { "ok" } else { "?x" }, length);
            if row % 2 == 1 {
                value[0] = 0xFF;
            }
            value
        });
        let values: Vec<Vec<u8>> = values.collect();
        let column = decode(&values, length, "windows-1253");
        assert_eq!((column.findings.total, column.findings.first.len()), (20, 16));
        let first = column.findings.first[0].to_string();
        assert_eq!(first, "warning: t.dbf, record 2, field T: 1 bytes are not defined in windows-1253");
        let texts = plain(&column.vector);
        assert_eq!(texts.as_string_view().value(1), "\u{F7FF}x");
    }
}

/// A field of no bytes at the end of the record once shifted a word by its whole width.
#[test]
fn a_field_of_no_bytes_is_the_empty_text() {
    let records = b" 1234567 7654321".repeat(2);
    let field = Field {
        name: "T".into(),
        kind: FieldKind::Character,
        letter: b'C',
        offset: 8,
        length: 0,
        decimals: 0,
        null_bit: None,
        varying_bit: None,
        adt: None,
    };
    let how = Decoding {
        path: Path::new("t.dbf"),
        memo: None,
        is_told: false,
        layout: Default::default(),
        code_page: CodePage::by_name("437").unwrap(),
    };
    let column = decode_column(&field, &Records::new(&records, 8, 1), &how).unwrap();
    assert!(plain(&column.vector).as_string_view().iter().all(|text| text == Some("")));
}
