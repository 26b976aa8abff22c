//! Reading Advantage's index files: the tags of the fixtures against their key lists, and tags that are not used.

mod adi_common;

use adi_common::{bytes, key_lists, read_index};
use mainstay_types::Code;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::index::{Bag, BagKind, KeyForm, KeyType, KeyValue, Tag};
use std::ops::{Bound, ControlFlow};
use std::path::Path;

fn open(content: &[u8]) -> Bag {
    try_open(content).unwrap()
}

fn try_open(content: &[u8]) -> mainstay_types::Result<Bag> {
    let memory = Memory::new();
    memory.write("t.adi", content);
    Bag::open(memory.open(Path::new("t.adi")).unwrap())
}

/// The definitions in the fixture: name, key, FOR, length, unique, descending, form.
const TAGS: [(&str, &str, &str, usize, bool, bool, KeyForm); 12] = [
    ("ID", "F1", "", 8, true, false, KeyForm::Double),
    ("NAME", "F2", "", 12, false, false, KeyForm::Text),
    ("UNAME", "UPPER(F2);F4", "", 20, false, false, KeyForm::Parts { text_last: false }),
    ("CODE", "F3", "", 6, false, false, KeyForm::Text),
    ("QTY_DOWN", "F4", "", 8, false, true, KeyForm::Double),
    ("SMALL", "F5", "", 8, false, false, KeyForm::Double),
    ("PRICE", "F6", "", 8, false, false, KeyForm::Currency),
    ("RATE", "F7", "", 8, false, false, KeyForm::Double),
    ("BORN", "F10", "F10 <> NULL", 8, false, false, KeyForm::Date),
    ("STAMP", "F12", "", 8, false, false, KeyForm::Timestamp),
    ("OK", "F13", "", 1, false, false, KeyForm::Logical),
    ("VER", "F17", "", 8, false, false, KeyForm::LongInteger),
];

fn each_tag(mut check: impl FnMut(&str, &Tag)) {
    let bag = open(&bytes("own-alltypes.adi"));
    for (number, (name, .., form)) in TAGS.iter().enumerate() {
        let key_type = KeyType::in_form(&bag.tags()[number], *form).unwrap();
        check(name, &bag.tag(number, key_type).unwrap());
    }
}

#[test]
fn definitions_are_those_of_the_headers() {
    let bag = open(&bytes("own-alltypes.adi"));
    assert_eq!((bag.kind(), bag.broken_tags().len(), bag.tags().len()), (BagKind::Adi, 0, TAGS.len()));
    for (header, (name, key, condition, key_length, unique, descending, _)) in bag.tags().iter().zip(TAGS) {
        assert_eq!((header.name.as_str(), &*header.key_text()), (name, key));
        assert_eq!(header.for_text().unwrap_or_default(), condition, "{name}");
        assert_eq!((header.key_length, header.descending), (key_length, descending), "{name}");
        // A second record with an equal key is refused; none is left out of the tag.
        assert_eq!((header.candidate, header.unique), (unique, false), "{name}");
        assert_eq!(header.collation, None);
    }
}

#[test]
fn walks_are_those_of_the_key_lists() {
    let lists = key_lists("own-alltypes.keys.txt");
    each_tag(|name, tag| {
        let mut wanted = lists[name].clone();
        let mut found = Vec::new();
        tag.range(Bound::Unbounded, Bound::Unbounded, |record, key| {
            found.push((key.to_vec(), record));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(found == wanted, "{name}");
        assert_eq!(tag.key_count().unwrap(), wanted.len() as u64);
        // A descending tag begins with its greatest key.
        if tag.header().descending {
            wanted.reverse();
        }
        let (mut cursor, mut seen) = (tag.cursor(), Vec::new());
        while let Some(record) = cursor.next().unwrap() {
            seen.push((cursor.key().unwrap().unwrap().to_vec(), record));
        }
        assert!(seen == wanted, "{name}");
        while let Some(record) = cursor.prev().unwrap() {
            assert_eq!(seen.pop().unwrap().1, record, "{name}");
        }
        assert!(seen.is_empty());
    });
}

#[test]
fn every_key_is_found_with_all_records_that_have_it() {
    let lists = key_lists("own-alltypes.keys.txt");
    each_tag(|name, tag| {
        for (key, _) in &lists[name] {
            let equal: Vec<u32> =
                lists[name].iter().filter(|(other, _)| other == key).map(|(_, record)| *record).collect();
            assert_eq!(tag.find(key).unwrap(), Some(equal[0]), "{name}");
            let bound = Bound::Included(&key[..]);
            assert_eq!(tag.count_range(bound, bound).unwrap(), equal.len() as u64, "{name}");
            let first = if tag.header().descending { equal[equal.len() - 1] } else { equal[0] };
            assert_eq!(tag.cursor().seek(key, false, false).unwrap().record, Some(first), "{name}");
        }
        let mut absent = lists[name].last().unwrap().0.clone();
        *absent.last_mut().unwrap() ^= 0x55;
        let is_there = lists[name].iter().any(|(key, _)| *key == absent);
        assert_eq!(tag.find(&absent).unwrap().is_some(), is_there, "{name}");
    });
}

#[test]
fn values_come_out_of_keys_and_lead_back() {
    let day = |year, month, dom| KeyValue::Date(mainstay_types::Date::from_ymd(year, month, dom).unwrap());
    let decimal = |text: &str| KeyValue::Decimal(text.parse().unwrap());
    // Record 1 of the table: see own-alltypes.csv.
    let values = [
        ("ID", KeyValue::Float(1.0)),
        ("NAME", KeyValue::Character(b"beta 1      "[..].into())),
        ("CODE", KeyValue::Character(b"ab007 "[..].into())),
        ("QTY_DOWN", KeyValue::Float(-1000.0)),
        ("SMALL", KeyValue::Float(-149.0)),
        ("PRICE", decimal("-122.2155")),
        ("RATE", KeyValue::Float(-1.5)),
        ("BORN", day(1900, 7, 31)),
        ("OK", KeyValue::Logical(false)),
        ("VER", decimal("1")),
    ];
    let lists = key_lists("own-alltypes.keys.txt");
    each_tag(|name, tag| {
        let Some((_, value)) = values.iter().find(|(tag, _)| *tag == name) else { return };
        let (key, _) = lists[name].iter().find(|(_, record)| *record == 1).unwrap();
        assert_eq!(tag.key_type().decode(key).as_ref(), Some(value), "{name}");
        let encoded = tag.key_type().encode(value).unwrap();
        assert_eq!(encoded, mainstay_xbase::index::EncodedKey::Exact(key.clone()), "{name}");
        // NULL is the first key where the table has one.
        let null = tag.key_type().encode(&KeyValue::Null).unwrap();
        let first = mainstay_xbase::index::EncodedKey::Exact(lists[name][0].0.clone());
        assert_eq!(null == first, !matches!(name, "ID" | "BORN" | "VER"), "{name}");
    });
}

#[test]
fn the_check_finds_nothing_in_a_sound_file_and_the_small_reader_agrees() {
    let content = bytes("own-alltypes.adi");
    let mut findings = Vec::new();
    open(&content).check(Some(300), &[], &mut findings);
    // Deleted records are in no tag.
    let missing: Vec<_> =
        findings.iter().filter(|finding| !finding.message.contains("297 of the table's 300")).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let lists = key_lists("own-alltypes.keys.txt");
    for (name, tag) in read_index(&content) {
        assert!(tag.entries == lists[&name], "{name}");
    }
}

/// OpenADS writes another layout under the same name: the file is refused with the reason, and nothing of it is used.
#[test]
fn indexes_that_do_not_follow_the_format_are_refused() {
    for file in ["openads-landlords.adi", "openads-leases.adi"] {
        let error = try_open(&bytes(file)).unwrap_err();
        assert_eq!(error.code(), Code::IndexDamaged);
        assert!(error.message().contains("does not follow Advantage's layout"), "{error}");
    }
    // A tag whose header names another byte for the ends of keys is out of use by itself.
    let mut content = bytes("own-alltypes.adi");
    content[9 * 512 + 15] = 0x26;
    let bag = open(&content);
    assert_eq!((bag.tags().len(), bag.broken_tags()[0].0.as_str()), (TAGS.len() - 1, "NAME"));
    assert!(bag.broken_tags()[0].1.message().contains("is not the byte that ends short keys"));
}

#[test]
fn what_is_not_understood_is_kept_out_of_use() {
    let content = bytes("own-alltypes.adi");
    // The header of the tag NAME is page 9: see own-alltypes.adi's directory.
    let mut full_text = content.clone();
    assert_eq!(&full_text[9 * 512 + 512..][..3], b"F2\0");
    full_text[9 * 512 + 14] = 0x70;
    let bag = open(&full_text);
    assert_eq!(bag.tags().len(), TAGS.len() - 1);
    let (name, error) = &bag.broken_tags()[0];
    assert_eq!((name.as_str(), error.code()), ("NAME", Code::Unsupported));
    assert!(error.message().contains("full-text"), "{error}");

    let mut other_collation = content.clone();
    other_collation[20..24].copy_from_slice(&0x1EF6_C429u32.to_le_bytes());
    let bag = open(&other_collation);
    assert!(bag.tags().iter().all(|tag| tag.collation.as_deref() == Some("0x1EF6C429")));
    let mut newer = content.clone();
    newer[20..24].copy_from_slice(&0x2905_8C73u32.to_le_bytes());
    assert!(open(&newer).tags().iter().all(|tag| tag.collation.is_none()));

    let mut unknown = content;
    unknown[9 * 512 + 14] |= 0x04;
    assert_eq!(open(&unknown).broken_tags()[0].1.code(), Code::IndexDamaged);
    let mut page_len = unknown.clone();
    page_len[18..20].copy_from_slice(&700u16.to_le_bytes());
    assert_eq!(try_open(&page_len).unwrap_err().code(), Code::IndexDamaged);
}
