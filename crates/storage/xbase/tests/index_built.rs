//! Indexes of kinds for which no fixture exists, built here after the published descriptions.

mod index_common;

use index_common::build::{Item, cdx, compact_idx, compound_ntx, plain_idx};
use index_common::{Seed, bytes, family, open_bytes, tag};
use mainstay_types::Code;
use mainstay_xbase::index::{Bag, BagKind, KeyType, ordered_double};
use std::ops::{Bound, ControlFlow};

/// Sorted names with many repetitions, padded.
fn names(count: usize, key_len: usize) -> Vec<Item> {
    let mut seed = Seed(count as u64 * 31 + key_len as u64 + 1);
    let stems = ["Anna", "Anna M", "Annabel", "Bo", "", "Zoe with a longer name than the others have"];
    let mut items: Vec<Item> = (1..=count as u32)
        .map(|record| {
            let text = format!("{}{}", stems[seed.below(6)], seed.below(count / 2 + 1));
            let mut key = text.into_bytes();
            key.resize(key_len.max(key.len()), b' ');
            key.truncate(key_len);
            (key, record)
        })
        .collect();
    items.sort();
    items
}

fn numbers(count: usize) -> Vec<Item> {
    let mut seed = Seed(count as u64 + 77);
    let mut items: Vec<Item> = (1..=count as u32)
        .map(|record| (ordered_double(seed.below(count * 2) as f64 / 4.0 - count as f64 / 8.0).to_vec(), record))
        .collect();
    items.sort();
    items
}

fn check_tag(bag: &Bag, name: &str, letter: &str, wanted: &[Item]) {
    let tag = tag(bag, name, letter);
    let mut found: Vec<Item> = Vec::new();
    let mut collect = |record: u32, key: &[u8]| {
        found.push((key.to_vec(), record));
        ControlFlow::Continue(())
    };
    tag.range(Bound::Unbounded, Bound::Unbounded, &mut collect).unwrap();
    assert!(found == wanted, "{name}: {} of {}", found.len(), wanted.len());
    assert_eq!(tag.key_count().unwrap(), wanted.len() as u64);
    let mut cursor = tag.cursor();
    for (key, record) in wanted {
        assert_eq!(cursor.next().unwrap(), Some(*record));
        assert_eq!(cursor.key().unwrap().unwrap(), key);
    }
    assert_eq!(cursor.next().unwrap(), None);
    for (key, record) in wanted.iter().rev() {
        assert_eq!(cursor.prev().unwrap(), Some(*record));
        assert_eq!(cursor.key().unwrap().unwrap(), key);
    }
    for (key, _) in wanted.iter().step_by(wanted.len() / 97 + 1) {
        let equal = wanted.iter().filter(|item| item.0 == *key);
        assert_eq!(tag.find(key).unwrap(), equal.clone().map(|item| item.1).next());
        // Pages that are visited often are searched in another way.
        for visit in 0..6 {
            let mut records = Vec::new();
            if tag.equal(key, |record| records.push(record)).unwrap() {
                assert_eq!(records, equal.clone().map(|item| item.1).collect::<Vec<_>>(), "visit {visit}");
            }
        }
        let bound = Bound::Included(&key[..]);
        assert_eq!(tag.count_range(bound, bound).unwrap(), equal.count() as u64);
    }
    let mut findings = Vec::new();
    let types: Vec<Option<KeyType>> =
        bag.tags().iter().map(|h| (h.name == name).then(|| KeyType::new(h, family(letter), false).unwrap())).collect();
    bag.check(None, &types, &mut findings);
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn compact_idx_of_every_size() {
    for count in [0, 1, 2, 50, 400, 3000] {
        for key_len in [1, 10, 36, 100, 240] {
            let items = names(count, key_len);
            let bag = open_bytes("shop/Names.idx", &compact_idx(&items, key_len, b' ', "NAME", "AGE > 3")).unwrap();
            assert_eq!(bag.kind(), BagKind::CompactIdx);
            assert_eq!(bag.tags()[0].for_text().as_deref(), Some("AGE > 3"));
            check_tag(&bag, "NAMES", "C", &items);
        }
        let items = numbers(count);
        let bag = open_bytes("n.idx", &compact_idx(&items, 8, 0, "AMOUNT", "")).unwrap();
        check_tag(&bag, "N", "N", &items);
    }
}

#[test]
fn plain_idx_of_every_size() {
    for count in [0, 1, 2, 50, 400, 3000] {
        for key_len in [1, 10, 36, 100] {
            let items = names(count, key_len);
            let bag = open_bytes("Names.idx", &plain_idx(&items, key_len, 8, "NAME", "AGE > 3")).unwrap();
            assert_eq!(bag.kind(), BagKind::PlainIdx);
            assert_eq!((bag.tags()[0].key_text(), bag.tags()[0].unique), ("NAME".into(), false));
            check_tag(&bag, "NAMES", "C", &items);
        }
        let items = numbers(count);
        let bag = open_bytes("n.idx", &plain_idx(&items, 8, 1, "AMOUNT", "")).unwrap();
        assert!(bag.tags()[0].unique && bag.tags()[0].for_bytes.is_none());
    }
}

#[test]
fn cdx_with_large_pages_and_page_pointers() {
    for (page_len, large) in [(512, false), (1024, false), (2048, true), (8192, true), (512, true)] {
        let (names, numbers) = (names(2000, 30), numbers(2000));
        let tags = [("NAME", 30, b' ', names.clone()), ("AMOUNT", 8, 0, numbers.clone())];
        let bag = open_bytes("a.cdx", &cdx(&tags, page_len, large)).unwrap();
        assert_eq!((bag.kind(), bag.tags().len()), (BagKind::Cdx, 2), "{page_len} {large}");
        check_tag(&bag, "NAME", "C", &names);
        check_tag(&bag, "AMOUNT", "N", &numbers);
    }
}

#[test]
fn a_cdx_of_a_hundred_tags_has_a_directory_of_levels() {
    let names: Vec<String> = (0..100).map(|number| format!("TAG{:07}", number * 7919 % 1000)).collect();
    let tags: Vec<_> = names.iter().map(|name| (name.as_str(), 8, 0, numbers(20))).collect();
    let bag = open_bytes("a.cdx", &cdx(&tags, 512, false)).unwrap();
    let found: Vec<_> = bag.tags().iter().map(|tag| tag.name.clone()).collect();
    assert_eq!(found, names);
}

#[test]
fn keys_of_fields_that_may_be_null() {
    let text = |text: &str| format!("\u{80}{text:<6}").chars().map(|char| char as u8).collect::<Vec<u8>>();
    let null = vec![0; 7];
    let items = vec![(null.clone(), 4), (null, 9), (text(""), 2), (text("abba"), 1), (text("abc"), 3), (text("b"), 5)];
    let bag = open_bytes("a.cdx", &cdx(&[("NAME", 7, b' ', items)], 512, false)).unwrap();
    let key_type = KeyType::new(&bag.tags()[0], family("C"), true).unwrap();
    let tag = bag.tag(0, key_type).unwrap();
    let mut values = Vec::new();
    let mut collect = |record: u32, key: &[u8]| {
        values.push((record, index_common::print("C", &key_type.decode(key).unwrap())));
        ControlFlow::Continue(())
    };
    tag.range(Bound::Unbounded, Bound::Unbounded, &mut collect).unwrap();
    let printed: Vec<_> = values.iter().map(|(record, value)| format!("{record} {}", value.trim_end())).collect();
    assert_eq!(printed, ["4 NULL", "9 NULL", "2 ", "1 abba", "3 abc", "5 b"]);
    let prefix = key_type.encode_prefix(b"ab");
    let bound = Bound::Included(&prefix[..]);
    assert_eq!(tag.count_range(bound, bound).unwrap(), 2);
    assert!(bag.is_current().unwrap());
}

#[test]
fn a_compound_ntx_is_a_bag_of_tags() {
    let tags = [("CODE", bytes("t05code.ntx")), ("FALLING", bytes("t05desc.ntx"))];
    let bag = open_bytes("t05.ntx", &compound_ntx(&tags)).unwrap();
    assert_eq!(bag.kind(), BagKind::CompoundNtx);
    assert!(bag.broken_tags().is_empty());
    let single = index_common::open("t05desc.ntx");
    let mut wanted = Vec::new();
    let mut collect = |record: u32, key: &[u8]| {
        wanted.push((key.to_vec(), record));
        ControlFlow::Continue(())
    };
    tag(&single, "T05DESC", "N").range(Bound::Unbounded, Bound::Unbounded, &mut collect).unwrap();
    let falling = tag(&bag, "FALLING", "N");
    let mut found = Vec::new();
    let mut collect = |record: u32, key: &[u8]| {
        found.push((key.to_vec(), record));
        ControlFlow::Continue(())
    };
    falling.range(Bound::Unbounded, Bound::Unbounded, &mut collect).unwrap();
    assert!(found.len() == 1500 && found == wanted);
    assert_eq!(tag(&bag, "CODE", "C").key_count().unwrap(), 1500);
}

#[test]
fn other_files_are_refused_by_name() {
    let cases: [(&str, Vec<u8>, Code); 6] = [
        ("a.mdx", b"\x02\x60\x05\x01".repeat(300), Code::Unsupported),
        ("a.ndx", vec![1; 2048], Code::Unsupported),
        ("a.cdx", vec![0x5A; 4096], Code::NotThisFormat),
        ("a.ntx", bytes("t05_ntx.dbf"), Code::NotThisFormat),
        ("a.idx", Vec::new(), Code::NotThisFormat),
        ("a.cdx", vec![0; 4096], Code::NotThisFormat),
    ];
    for (name, content, code) in cases {
        let error = open_bytes(name, &content).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().starts_with(name), "{error}");
    }
}
