//! Tests of typed keys.

use super::dialect::CompactDialect;
use super::header::{BagKind, COMPACT_HEADER_LEN, Paging, TagHeader, parse_compact};
use super::key::{EncodedKey, KeyFamily, KeyType, KeyValue, ordered_double};
use mainstay_types::{Date, Decimal, Timestamp};
use std::borrow::Cow;

fn header(kind: BagKind, key_length: usize, decimals: u8) -> TagHeader {
    let mut bytes = vec![0; COMPACT_HEADER_LEN];
    bytes[12] = 8;
    bytes[14] = 0x60;
    let paging = Paging::parse(&bytes, CompactDialect::Cdx).unwrap();
    let header = parse_compact(&bytes, kind, b"T", 0, paging).unwrap();
    TagHeader { key_length, decimals, ..header }
}

fn cdx(key_length: usize, family: KeyFamily, nullable: bool) -> KeyType {
    KeyType::new(&header(BagKind::Cdx, key_length, 0), family, nullable).unwrap()
}

fn ntx(key_length: usize, decimals: u8, family: KeyFamily) -> KeyType {
    KeyType::new(&header(BagKind::Ntx, key_length, decimals), family, false).unwrap()
}

fn decimal(text: &str) -> KeyValue<'static> {
    KeyValue::Decimal(text.parse().unwrap())
}

fn exact(key_type: KeyType, value: &KeyValue<'_>) -> Vec<u8> {
    match key_type.encode(value) {
        Some(EncodedKey::Exact(key)) => key,
        other => panic!("{value:?} gives {other:?}"),
    }
}

/// The values are given in ascending order: so must be their keys, and each must read back.
fn check_order(key_type: KeyType, values: &[KeyValue<'_>]) {
    let keys: Vec<Vec<u8>> = values.iter().map(|value| exact(key_type, value)).collect();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    for (key, value) in keys.iter().zip(values) {
        assert_eq!(key.len(), key_type.key_len());
        let read = key_type.decode(key).unwrap();
        let same = match (&read, value) {
            (KeyValue::Float(read), KeyValue::Decimal(value)) => *read == value.to_f64(),
            (read, value) => read == value,
        };
        assert!(same, "{value:?} came back as {read:?}");
    }
}

#[test]
fn the_order_of_bytes_is_the_order_of_values() {
    let numbers = ["-12345", "-488", "-1", "0", "7", "99999"].map(decimal);
    check_order(cdx(8, KeyFamily::Number, false), &numbers);
    check_order(cdx(4, KeyFamily::Number, false), &numbers);
    check_order(cdx(5, KeyFamily::Number, true), &numbers);
    check_order(ntx(6, 0, KeyFamily::Number), &numbers);
    let money = ["-922337203685477.5808", "-0.0001", "0.0000", "12.5000"].map(decimal);
    check_order(cdx(8, KeyFamily::Currency, false), &money);
    check_order(ntx(9, 2, KeyFamily::Number), &["-99999.99", "-0.25", "0.00", "0.25", "999999.99"].map(decimal));

    let day = |y, m, d| Date::from_ymd(y, m, d).unwrap();
    let days = [KeyValue::BlankDate, KeyValue::Date(day(1, 1, 1)), KeyValue::Date(day(2024, 2, 29))];
    check_order(cdx(8, KeyFamily::Date, false), &days);
    check_order(ntx(8, 0, KeyFamily::Date), &days);
    let noon = KeyValue::Timestamp(Timestamp::new(day(2024, 2, 29), 43_200_123));
    check_order(ntx(17, 0, KeyFamily::Timestamp), &[KeyValue::BlankDate, noon]);
    check_order(cdx(1, KeyFamily::Logical, false), &[KeyValue::Logical(false), KeyValue::Logical(true)]);
}

#[test]
fn known_bytes() {
    assert_eq!(ordered_double(1.0), [0xBF, 0xF0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(ordered_double(-1.0), [0x40, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(ordered_double(-0.0), ordered_double(0.0));
    assert_eq!(exact(ntx(6, 0, KeyFamily::Number), &decimal("-488")), b",,,($$");
    assert_eq!(exact(cdx(4, KeyFamily::Number, false), &decimal("-1")), [0x7F, 0xFF, 0xFF, 0xFF]);
    assert_eq!(exact(cdx(6, KeyFamily::Character, true), &KeyValue::Null), [0; 6]);
    let text = KeyValue::Character(Cow::Borrowed(b"ab"));
    assert_eq!(exact(cdx(6, KeyFamily::Character, true), &text), b"\x80ab   ");
}

#[test]
fn values_without_a_key_say_where_they_lie() {
    let digits = ntx(5, 1, KeyFamily::Number);
    assert_eq!(digits.encode(&decimal("1.25")), Some(EncodedKey::After(b"001.2".to_vec())));
    assert_eq!(digits.encode(&decimal("-1.25")), Some(EncodedKey::After(exact(digits, &decimal("-1.3")))));
    assert_eq!(digits.encode(&decimal("1000")), Some(EncodedKey::AboveAll));
    assert_eq!(digits.encode(&decimal("-100.1")), Some(EncodedKey::BelowAll));
    let huge = Decimal::new(10i128.pow(37), 0);
    assert_eq!(digits.encode(&KeyValue::Decimal(huge)), Some(EncodedKey::AboveAll));

    let integer = cdx(4, KeyFamily::Number, false);
    assert_eq!(integer.encode(&KeyValue::Float(0.5)), Some(EncodedKey::After(vec![0x80, 0, 0, 0])));
    assert_eq!(integer.encode(&decimal("2147483648")), Some(EncodedKey::AboveAll));
    let text = KeyValue::Character(Cow::Borrowed(b"abcd"));
    assert_eq!(cdx(3, KeyFamily::Character, false).encode(&text), Some(EncodedKey::After(b"abc".to_vec())));
    assert_eq!(integer.encode(&text), None);
    assert_eq!(integer.encode(&KeyValue::Null), Some(EncodedKey::BelowAll));
    let long = decimal("0.1000000000000000055");
    assert!(matches!(cdx(8, KeyFamily::Number, false).encode(&long), Some(EncodedKey::Shared(_))));
}

#[test]
fn a_length_that_no_key_of_the_type_has_is_refused() {
    assert!(KeyType::new(&header(BagKind::Cdx, 7, 0), KeyFamily::Number, false).is_err());
    assert!(KeyType::new(&header(BagKind::Cdx, 9, 0), KeyFamily::Date, false).is_err());
    assert!(KeyType::new(&header(BagKind::Cdx, 9, 0), KeyFamily::Date, true).is_ok());
}

#[test]
fn bytes_that_are_no_key_decode_to_nothing() {
    assert_eq!(ntx(5, 0, KeyFamily::Number).decode(b"12x45"), None);
    assert_eq!(ntx(8, 0, KeyFamily::Date).decode(b"20241399"), None);
    assert_eq!(cdx(8, KeyFamily::Date, false).decode(&[0xFF; 8]), None);
    assert_eq!(cdx(8, KeyFamily::Number, false).decode(&[0; 3]), None);
    for byte in 0..=255 {
        for (len, family) in [(8, KeyFamily::Timestamp), (17, KeyFamily::Timestamp), (1, KeyFamily::Logical)] {
            let kind = if len == 17 { BagKind::Ntx } else { BagKind::Cdx };
            KeyType::new(&header(kind, len, 0), family, false).unwrap().decode(&vec![byte; len]);
        }
    }
}
