//! Every tag of the fixtures, walked and searched, compared with the results of the program that wrote them.

mod index_common;

use index_common::{csv, csv_where, family, fixture, open, print, seek_key, tag};
use mainstay_vfs::{Disk, Faulty, FileSystem};
use mainstay_xbase::index::{Bag, BagKind, KeyType, Tag};
use std::ops::{Bound, ControlFlow};
use std::path::Path;

struct Order {
    name: String,
    bag: String,
    letter: String,
    row: Vec<String>,
}

fn orders(table: &str) -> Vec<Order> {
    let rows = csv(&format!("{table}.orders.csv"));
    rows.into_iter()
        .map(|row| Order { name: row[1].clone(), bag: row[2].clone(), letter: row[7].clone(), row })
        .collect()
}

fn walk(table: &str, name: &str) -> Vec<(u32, String)> {
    let rows = csv_where(&format!("{table}.walk.csv"), &format!("{name},"));
    rows.iter().map(|row| (row[2].parse().unwrap(), row[3].clone())).collect()
}

const TABLES: [&str; 4] = ["t03_cdx_tags", "t04_cdx_updated", "t05_ntx", "t07_vfp"];

fn each_tag(mut check: impl FnMut(&str, &Order, &Tag)) {
    let mut tags = 0;
    for table in TABLES {
        for order in orders(table) {
            let bag = open(&order.bag);
            check(table, &order, &tag(&bag, &order.name, &order.letter));
            tags += 1;
        }
    }
    assert_eq!(tags, 47);
}

#[test]
fn definitions_are_those_of_the_program() {
    each_tag(|_, order, tag| {
        let header = tag.header();
        assert_eq!(header.key_text(), order.row[3], "{}", order.name);
        assert_eq!(header.for_text().unwrap_or_default(), order.row[4], "{}", order.name);
        assert_eq!(header.unique, order.row[5] == "T", "{}", order.name);
        assert_eq!(header.descending, order.row[6] == "T", "{}", order.name);
        assert_eq!(header.key_length.to_string(), order.row[8], "{}", order.name);
        assert_eq!(tag.key_count().unwrap().to_string(), order.row[9], "{}", order.name);
        assert_eq!(header.collation, None);
    });
    for table in ["t03_cdx_tags", "t04_cdx_updated", "t07_vfp"] {
        let bag = open(&format!("{table}.cdx"));
        let names: Vec<_> = bag.tags().iter().map(|tag| tag.name.clone()).collect();
        let wanted: Vec<_> = orders(table).into_iter().map(|order| order.name).collect();
        assert_eq!(names, wanted);
        assert_eq!((bag.kind(), bag.broken_tags().len()), (BagKind::Cdx, 0));
    }
}

#[test]
fn cursors_walk_every_tag_in_both_directions() {
    each_tag(|table, order, tag| {
        let wanted = walk(table, &order.name);
        assert_eq!(wanted.len().to_string(), order.row[9]);
        let mut cursor = tag.cursor();
        let mut seen = Vec::new();
        while let Some(record) = cursor.next().unwrap() {
            let key = cursor.key().unwrap().unwrap();
            seen.push((record, print(&order.letter, &tag.key_type().decode(key).unwrap())));
        }
        assert!(seen == wanted, "{table} {}", order.name);
        assert_eq!(cursor.next().unwrap(), None);
        let mut back = Vec::new();
        while let Some(record) = cursor.prev().unwrap() {
            back.push(record);
        }
        assert_eq!(cursor.prev().unwrap(), None);
        assert!(back.iter().rev().eq(wanted.iter().map(|(record, _)| record)), "{table} {}", order.name);
        assert_eq!(cursor.first().unwrap(), wanted.first().map(|first| first.0));
        assert_eq!(cursor.prev().unwrap(), None);
        assert_eq!(cursor.next().unwrap(), wanted.first().map(|first| first.0));
        assert_eq!(cursor.last().unwrap(), wanted.last().map(|last| last.0));
        assert_eq!(cursor.position().unwrap(), Some(wanted.len() as u64));
        let middle = wanted.len() / 2;
        assert_eq!(cursor.skip(middle as i64 - wanted.len() as i64 + 1).unwrap(), Some(wanted[middle].0));
        assert_eq!(cursor.position().unwrap(), Some(middle as u64 + 1));
    });
}

#[test]
fn ranges_are_what_a_comparison_of_all_keys_gives() {
    each_tag(|table, order, tag| {
        let mut all: Vec<(Vec<u8>, u32)> = Vec::new();
        let collect = |into: &mut Vec<(Vec<u8>, u32)>, record: u32, key: &[u8]| {
            into.push((key.to_vec(), record));
            ControlFlow::Continue(())
        };
        tag.range(Bound::Unbounded, Bound::Unbounded, |record, key| collect(&mut all, record, key)).unwrap();
        assert_eq!(all.len().to_string(), order.row[9]);
        assert!(all.is_sorted_by(|a, b| a.0 <= b.0), "{table} {}", order.name);
        let least = tag.least().unwrap().unwrap();
        let greatest = tag.greatest().unwrap().unwrap();
        assert_eq!((&least.1, &greatest.1), (&all[0].0, &all[all.len() - 1].0));

        let step = all.len().div_ceil(2);
        let mut bounds: Vec<Vec<u8>> = all.iter().skip(step / 2).step_by(step).map(|(key, _)| key.clone()).collect();
        bounds.extend(all.iter().skip(step / 2).step_by(step).map(|(key, _)| key[..key.len().div_ceil(2)].to_vec()));
        bounds.extend([vec![0; tag.header().key_length], vec![255; tag.header().key_length], Vec::new()]);
        for (i, low) in bounds.iter().enumerate() {
            for (j, high) in bounds.iter().enumerate() {
                for flags in [(i + 3 * j) % 4, (2 + i + j) % 4] {
                    let bound = |key, included| if included { Bound::Included(key) } else { Bound::Excluded(key) };
                    let (lower, upper) = (bound(&low[..], flags & 1 == 0), bound(&high[..], flags & 2 == 0));
                    let inside = |key: &[u8]| {
                        let (low, high) = (&low[..], &high[..]);
                        let (l, h) = (&key[..low.len()], &key[..high.len()]);
                        (if flags & 1 == 0 { l >= low } else { l > low })
                            && (if flags & 2 == 0 { h <= high } else { h < high })
                    };
                    let wanted: Vec<_> = all.iter().filter(|(key, _)| inside(key)).cloned().collect();
                    let mut found = Vec::new();
                    tag.range(lower, upper, |record, key| collect(&mut found, record, key)).unwrap();
                    assert!(found == wanted, "{table} {}: {low:?} {high:?} {flags}", order.name);
                    assert_eq!(tag.count_range(lower, upper).unwrap(), wanted.len() as u64);
                    found.clear();
                    tag.range_back(lower, upper, |record, key| collect(&mut found, record, key)).unwrap();
                    found.reverse();
                    assert!(found == wanted, "{table} {} backward: {low:?} {high:?} {flags}", order.name);
                }
            }
        }
        // Twice: pages that are visited often are searched in another way.
        for key in bounds.iter().chain(all.iter().map(|(key, _)| key)).chain(&bounds) {
            let mut equal = Vec::new();
            if tag.equal(key, |record| equal.push(record)).unwrap() {
                let wanted = all.iter().filter(|(other, _)| other.starts_with(key)).map(|(_, record)| *record);
                assert_eq!(equal, wanted.collect::<Vec<_>>(), "{table} {} {key:?}", order.name);
            }
        }
        for (key, _) in all.iter().step_by(17) {
            let first = all.iter().find(|(other, _)| other == key).unwrap().1;
            assert_eq!(tag.find(key).unwrap(), Some(first), "{table} {}", order.name);
        }
        assert_eq!(tag.find(&[0xFF; 3][..tag.header().key_length.min(3)]).unwrap(), None);
    });
}

#[test]
fn seeks_end_where_the_program_ended() {
    for table in ["t03_cdx_tags", "t04_cdx_updated"] {
        let bag = open(&format!("{table}.cdx"));
        let records = csv(&format!("{table}.csv")).len();
        let rows = csv(&format!("{table}.seeks.csv"));
        assert!(rows.len() > 100);
        for row in rows {
            let tag = tag(&bag, &row[0], &row[1]);
            let mut cursor = tag.cursor();
            let seek = cursor.seek(&seek_key(&tag, &row[1], &row[2]), row[3] == "T", row[4] == "T").unwrap();
            assert_eq!(seek.found, row[5] == "T", "{table} {row:?}");
            assert_eq!(seek.record.unwrap_or(records as u32 + 1).to_string(), row[6], "{table} {row:?}");
            assert_eq!(seek.record.is_none(), row[7] == "T", "{table} {row:?}");
        }
    }
}

#[test]
fn a_cursor_goes_on_from_where_a_seek_ended() {
    let bag = open("t03_cdx_tags.cdx");
    for (name, letter) in [("ID", "N"), ("NAME", "C"), ("BALDESC", "N"), ("LONGK", "C")] {
        let tag = tag(&bag, name, letter);
        let wanted = walk("t03_cdx_tags", name);
        for (position, (record, _)) in wanted.iter().enumerate().step_by(13) {
            let mut cursor = tag.cursor();
            while cursor.record().unwrap() != Some(*record) {
                cursor.next().unwrap().unwrap();
            }
            let key = cursor.key().unwrap().unwrap().to_vec();
            cursor.seek(&key, false, false).unwrap();
            let at = cursor.position().unwrap().unwrap() as usize - 1;
            assert!(at <= position && wanted[at].1 == wanted[position].1);
            assert_eq!(cursor.next().unwrap(), wanted.get(at + 1).map(|next| next.0));
            assert_eq!(cursor.prev().unwrap(), Some(wanted[at].0));
        }
    }
}

#[test]
fn ntx_seeks_follow_the_same_rules() {
    let bag = open("t05desc.ntx");
    let tag = tag(&bag, "T05DESC", "N");
    let wanted = walk("t05_ntx", "T05DESC");
    let mut cursor = tag.cursor();
    let mut seek = |text: &str, soft, last| {
        let found = cursor.seek(&seek_key(&tag, "N", text), soft, last).unwrap();
        (found.found, found.record)
    };
    let key = &wanted[0].1;
    let same: Vec<u32> = wanted.iter().filter(|(_, k)| k == key).map(|(record, _)| *record).collect();
    assert_eq!(seek(key, false, false), (true, same.first().copied()));
    assert_eq!(seek(key, false, true), (true, same.last().copied()));
    assert_eq!(seek("99999", true, false), (false, Some(wanted[0].0)));
    assert_eq!(seek("99999", true, true), (false, None));
    assert_eq!(seek("0", true, false), (false, None));
    assert_eq!(seek("0", true, true), (false, wanted.last().map(|last| last.0)));
    assert_eq!(seek("0", false, true), (false, None));
}

#[test]
fn the_large_tables_tags_list_what_its_rule_says() {
    let bag = open("t11_bench100k.cdx");
    let id = tag(&bag, "ID", "N");
    for bag in [&bag, &open("t11_bench100k_id.ntx")] {
        let number = bag.tags().iter().position(|tag| tag.key_text() == "ID").unwrap();
        let key_type = KeyType::new(&bag.tags()[number], family("N"), false).unwrap();
        let id = bag.tag(number, key_type).unwrap();
        let mut next = 0;
        id.range(Bound::Unbounded, Bound::Unbounded, |record, key| {
            next += 1;
            assert_eq!(
                (record, print("N", &key_type.decode(key).unwrap()).trim_end_matches(".00")),
                (next, &*next.to_string())
            );
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!((next, id.key_count().unwrap()), (100_000, 100_000));
        assert_eq!(id.find(&seek_key(&id, "N", "77777")).unwrap(), Some(77_777));
    }
    let key = |text| seek_key(&id, "N", text);
    let amount = tag(&bag, "AMT", "N");
    let (low, high) = (key("100"), key("500"));
    assert_eq!(amount.count_range(Bound::Included(&low), Bound::Included(&high)).unwrap(), 39_823);
    let letters = tag(&bag, "TAG", "C");
    let all_a = Bound::Included(&b"AAAA"[..]);
    assert_eq!(letters.count_range(all_a, all_a).unwrap(), 3_847);
    assert_eq!(letters.least().unwrap().unwrap(), (1, b"AAAA".to_vec()));
}

#[test]
fn pages_are_read_once_and_a_first_look_up_reads_few() {
    let counting = Faulty::counting(Disk);
    let bag = Bag::open(counting.open(&fixture("t11_bench100k.cdx")).unwrap()).unwrap();
    let id = tag(&bag, "ID", "N");
    let key = seek_key(&id, "N", "5000");
    assert_eq!(id.find(&key).unwrap(), Some(5000));
    let reads = counting.reads();
    assert!(reads <= 10, "{reads} reads");
    assert!(bag.kept_bytes() < 10_000);
    assert_eq!(id.find(&key).unwrap(), Some(5000));
    assert_eq!(counting.reads(), reads);
    id.key_count().unwrap();
    assert!(counting.reads() < reads + 30, "a walk reads ahead");
    assert_eq!(bag.path(), Path::new(&fixture("t11_bench100k.cdx")));
}

#[test]
fn sound_indexes_check_without_findings() {
    for (table, records) in
        [("t03_cdx_tags", 1000), ("t04_cdx_updated", 1700), ("t07_vfp", 16), ("t11_bench100k", 100_000)]
    {
        let bag = open(&format!("{table}.cdx"));
        for key_types in [Vec::new(), types(table, &bag)] {
            let mut findings = Vec::new();
            bag.check(Some(records), &key_types, &mut findings);
            assert!(findings.is_empty(), "{table}: {findings:#?}");
        }
    }
    for name in ["t05code", "t05num", "t05neg", "t05dt", "t05desc", "t05comp"] {
        let mut findings = Vec::new();
        open(&format!("{name}.ntx")).check(Some(1500), &[], &mut findings);
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}

fn types(table: &str, bag: &Bag) -> Vec<Option<KeyType>> {
    if table == "t11_bench100k" {
        return Vec::new();
    }
    let orders = orders(table);
    orders.iter().zip(bag.tags()).map(|(o, tag)| KeyType::new(tag, family(&o.letter), false).ok()).collect()
}
