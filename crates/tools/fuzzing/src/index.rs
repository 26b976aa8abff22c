//! An index file: opened, walked both ways, searched and checked, with keys of each type that its tags can have.
//!
//! The first byte chooses the name of the file (modulo 4: CDX, NTX, IDX, ADI); the rest is the file. The expressions
//! are not evaluated here: the target `table` does that.

use mainstay_xbase::index::{Bag, KeyFamily, KeyForm, KeyType, KeyValue, Tag};
use std::ops::{Bound, ControlFlow};

const NAMES: [&str; 4] = ["t.cdx", "t.ntx", "t.idx", "t.adi"];

const FAMILIES: [KeyFamily; 7] = [
    KeyFamily::Character,
    KeyFamily::Number,
    KeyFamily::Currency,
    KeyFamily::Date,
    KeyFamily::Timestamp,
    KeyFamily::Logical,
    KeyFamily::Parts,
];

/// Tags of a file that are read.
const MOST_TAGS: usize = 4;

/// Reads the input as an index.
pub fn run(input: &[u8]) {
    let (name, content) = crate::selector(input);
    let Some(file) = crate::file(NAMES[usize::from(name) % NAMES.len()], content) else { return };
    let Ok(bag) = Bag::open(file) else { return };
    for records in [None, Some(0), Some(100)] {
        let mut findings = Vec::new();
        bag.check(records, &[], &mut findings);
        findings.iter().for_each(|finding| drop(finding.to_string()));
    }
    for (number, header) in bag.tags().iter().enumerate().take(MOST_TAGS) {
        let types = FAMILIES.iter().flat_map(|family| [(*family, false), (*family, true)]);
        let types = types.filter_map(|(family, nullable)| KeyType::new(header, family, nullable).ok());
        let types: Vec<KeyType> = types.chain(KeyType::in_form(header, KeyForm::LongInteger)).collect();
        // Types differ in how a key is read, not in how the tree is: two are walked, all are decoded.
        for (at, key_type) in types.iter().enumerate() {
            let Ok(tag) = bag.tag(number, *key_type) else { continue };
            encode(key_type);
            if at == 0 || at + 1 == types.len() {
                walk(&tag, &types, content.len());
            }
        }
    }
}

/// Values of every kind, as keys of this type.
fn encode(key_type: &KeyType) {
    use mainstay_types::{Date, Decimal, Timestamp};
    let day = Date::from_julian(2_460_000);
    let values = [
        KeyValue::Null,
        KeyValue::Character(b"Smith, John and a good many more of them"[..].into()),
        KeyValue::Decimal(Decimal::new(i128::MAX, 0)),
        KeyValue::Decimal(Decimal::new(-12_345_678_901, 4)),
        KeyValue::Float(f64::NAN),
        KeyValue::Float(-1.5e300),
        KeyValue::BlankDate,
        KeyValue::Date(day),
        KeyValue::Timestamp(Timestamp::new(day, 86_399_999)),
        KeyValue::Logical(true),
    ];
    values.iter().for_each(|value| drop(key_type.encode(value)));
    let _ = key_type.encode_prefix(b"Smi");
}

/// Everything that a reader does with a tag.
fn walk(tag: &Tag, types: &[KeyType], most_items: usize) {
    let mut found: Vec<(u32, Vec<u8>)> = Vec::new();
    let forward = tag.range(Bound::Unbounded, Bound::Unbounded, |record, key| {
        found.push((record, key.to_vec()));
        assert!(found.len() <= most_items, "a walk without end");
        ControlFlow::Continue(())
    });
    let mut back = 0;
    let backward = tag.range_back(Bound::Unbounded, Bound::Unbounded, |_, _| {
        back += 1;
        assert!(back <= most_items, "a walk back without end");
        ControlFlow::Continue(())
    });
    if forward.is_ok() && backward.is_ok() {
        assert_eq!(found.len(), back, "items there and back");
        assert!(found.is_sorted_by(|a, b| a.1 <= b.1), "an order that is none, and no error");
    }
    for (_, key) in found.iter().step_by(found.len() / 3 + 1) {
        types.iter().for_each(|key_type| drop(key_type.decode(key)));
        search(tag, key);
    }
    search(tag, b"");
    search(tag, b"Smith");
    let _ = (tag.least(), tag.greatest(), tag.key_count());
    skip(tag);
}

fn search(tag: &Tag, key: &[u8]) {
    let prefix = &key[..key.len() / 2];
    let _ = (tag.find(key), tag.find(prefix));
    let _ = tag.count_range(Bound::Excluded(key), Bound::Unbounded);
    let _ = tag.range(Bound::Included(prefix), Bound::Included(key), |_, _| ControlFlow::Continue(()));
    let _ = tag.range_back(Bound::Unbounded, Bound::Excluded(key), |_, _| ControlFlow::Break(()));
    for (soft, last) in [(true, true), (true, false), (false, false), (false, true)] {
        let mut cursor = tag.cursor();
        let _ = cursor.seek(prefix, soft, last);
        let _ = (cursor.next(), cursor.prev(), cursor.prev(), cursor.position());
    }
}

fn skip(tag: &Tag) {
    let mut cursor = tag.cursor();
    for count in [40, -10, 300, -400] {
        let _ = cursor.skip(count);
        let _ = (cursor.record(), cursor.key().map(drop), cursor.position());
    }
    let _ = (cursor.last(), cursor.skip(-40), cursor.first());
}
