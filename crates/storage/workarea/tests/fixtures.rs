//! Areas on files that Harbour wrote, compared with Harbour's results.

mod common;

use common::{copied, csv, fixture, julian, key, open};
use mainstay_workarea::{Area, AreaOptions, Counting, FieldValue, SeekHow};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const NTX: [(&str, &str); 7] = [
    ("T05CODE", "t05code.ntx"),
    ("T05NUM", "t05num.ntx"),
    ("T05NEG", "t05neg.ntx"),
    ("T05DT", "t05dt.ntx"),
    ("T05UNIQ", "t05uniq.ntx"),
    ("T05DESC", "t05desc.ntx"),
    ("T05COMP", "t05comp.ntx"),
];

fn tables() -> Vec<(&'static str, Area)> {
    let mut ntx = open("t05_ntx.dbf");
    for (_, file) in NTX {
        ntx.open_index(&fixture(file)).unwrap();
    }
    vec![("t03_cdx_tags", open("t03_cdx_tags.dbf")), ("t04_cdx_updated", open("t04_cdx_updated.dbf")), ("t05_ntx", ntx)]
}

/// The records of an order from one end to the other, and the flags at the end.
fn walk(area: &mut Area, forward: bool) -> Vec<u32> {
    let mut found = Vec::new();
    if forward { area.go_top() } else { area.go_bottom() }.unwrap();
    while if forward { !area.is_eof() } else { !area.is_bof() } {
        found.push(area.record_number());
        area.skip(if forward { 1 } else { -1 }).unwrap();
    }
    found
}

#[test]
fn every_order_is_walked_counted_and_numbered_as_harbour_does() {
    for (name, mut area) in tables() {
        let mut walks: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for row in csv(&format!("{name}.walk.csv")) {
            walks.entry(row[0].to_uppercase()).or_default().push(row[2].parse().unwrap());
        }
        let mut compared = 0;
        for (tag, wanted) in walks {
            let Some(id) = area.order_named(&tag) else { panic!("{name}: no order {tag}: {:?}", area.orders()) };
            area.set_order(Some(id)).unwrap();
            assert_eq!(walk(&mut area, true), wanted, "{name} {tag}");
            let mut back = walk(&mut area, false);
            back.reverse();
            assert_eq!(back, wanted, "{name} {tag} back");
            assert_eq!(area.key_count(Counting::All).unwrap(), wanted.len() as u64);
            for number in [1, wanted.len() / 2, wanted.len()] {
                area.go_to_key(number as u64, Counting::All).unwrap();
                assert_eq!(area.record_number(), wanted[number - 1], "{name} {tag} key {number}");
                area.go_to(wanted[number - 1]).unwrap();
                assert_eq!(area.key_number(Counting::All).unwrap(), Some(number as u64), "{name} {tag}");
            }
            // From any record on, the order goes on as it should.
            for at in (0..wanted.len() - 1).step_by(37) {
                area.go_to(wanted[at]).unwrap();
                area.skip(1).unwrap();
                assert_eq!(area.record_number(), wanted[at + 1], "{name} {tag} after {}", wanted[at]);
                area.skip(-1).unwrap();
                assert_eq!(area.record_number(), wanted[at], "{name} {tag}");
            }
            compared += 1;
        }
        assert!(compared >= 7, "{name}: {compared}");
    }
}

#[test]
fn every_seek_ends_where_harbours_does() {
    let mut compared = 0;
    for name in ["t03_cdx_tags", "t04_cdx_updated"] {
        let mut area = open(&format!("{name}.dbf"));
        for row in csv(&format!("{name}.seeks.csv")) {
            let [tag, letter, text, soft, last, found, recno, eof] = &row[..] else { panic!("{row:?}") };
            area.set_order(area.order_named(tag)).unwrap();
            let how = SeekHow { soft: soft == "T", last: last == "T", after: false };
            let answer = area.seek(&key(letter, text), how).unwrap();
            let state = (answer, area.record_number(), area.is_eof());
            assert_eq!(state, (found == "T", recno.parse().unwrap(), eof == "T"), "{name} {row:?}");
            assert_eq!(area.is_found(), answer);
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn fields_are_read_as_harbour_prints_them() {
    for name in ["t03_cdx_tags", "t05_ntx", "t02_clipper_dbt"] {
        let mut area = open(&format!("{name}.dbf"));
        let types: Vec<String> = csv(&format!("{name}.schema.csv")).into_iter().map(|row| row[1].clone()).collect();
        for row in csv(&format!("{name}.csv")) {
            area.go_to(row[0].parse().unwrap()).unwrap();
            assert_eq!(area.is_deleted().unwrap(), row[1] == "T");
            for (field, (wanted, letter)) in row[2..].iter().zip(&types).enumerate() {
                if wanted.starts_with("hex:") || wanted.starts_with("md5:") {
                    continue;
                }
                let place = format!("{name} record {} field {field}", row[0]);
                match (letter.as_str(), area.get(field).unwrap()) {
                    ("N", FieldValue::Number(number)) => {
                        assert_eq!(number, wanted.trim().parse::<f64>().unwrap(), "{place}")
                    }
                    ("D", FieldValue::Date(day)) => {
                        assert_eq!(day, if wanted.trim().is_empty() { 0 } else { julian(wanted) }, "{place}");
                    }
                    ("L", FieldValue::Logical(value)) => assert_eq!(value, wanted == "T", "{place}"),
                    ("C" | "M", FieldValue::Text(text)) => assert_eq!(text, wanted.as_bytes(), "{place}"),
                    ("T" | "@", FieldValue::Timestamp { .. }) => {
                        assert_eq!(area.get_text(field).unwrap(), wanted.as_bytes(), "{place}");
                    }
                    (letter, value) => panic!("{place}: {letter} {value:?}"),
                }
            }
        }
    }
}

#[test]
fn a_second_writer_is_seen_at_the_next_look() {
    let memory = copied(&["t03_cdx_tags.dbf", "t03_cdx_tags.fpt", "t03_cdx_tags.cdx"]);
    let options = AreaOptions { open_structural: false, ..AreaOptions::default() };
    let mut area = Area::open(Arc::new(memory.clone()), Path::new("t03_cdx_tags.dbf"), &options).unwrap();
    area.go_to(7).unwrap();
    let before = area.record().unwrap().to_vec();
    let mut table = mainstay_vfs::FileSystem::read(&memory, Path::new("t03_cdx_tags.dbf")).unwrap();
    let header = usize::from(u16::from_le_bytes([table[8], table[9]]));
    let at = header + 6 * before.len();
    table[at] = b'*';
    let record = table[at..at + before.len()].to_vec();
    table.truncate(header + 1000 * before.len());
    table.extend_from_slice(&record);
    table.push(0x1A);
    table[4..8].copy_from_slice(&1001u32.to_le_bytes());
    memory.write("t03_cdx_tags.dbf", table);
    assert!(!area.is_deleted().unwrap(), "the record stays as it was read");
    area.refresh().unwrap();
    assert!(area.is_deleted().unwrap());
    area.go_bottom().unwrap();
    assert_eq!((area.record_number(), area.is_deleted().unwrap()), (1001, true));
}

#[test]
fn a_table_that_is_cut_off_while_it_is_open_is_an_error_and_no_early_end() {
    let memory = copied(&["t03_cdx_tags.dbf", "t03_cdx_tags.fpt", "t03_cdx_tags.cdx"]);
    let options = AreaOptions::default();
    let mut area = Area::open(Arc::new(memory.clone()), Path::new("t03_cdx_tags.dbf"), &options).unwrap();
    let order = area.order_named("NAME").unwrap();
    let whole = mainstay_vfs::FileSystem::read(&memory, Path::new("t03_cdx_tags.dbf")).unwrap();
    for order in [None, Some(order)] {
        area.set_order(order).unwrap();
        area.go_top().unwrap();
        memory.write("t03_cdx_tags.dbf", whole[..whole.len() / 2].to_vec());
        for _ in 0..2 {
            assert_eq!(area.go_top().unwrap_err().code(), mainstay_types::Code::Damaged);
            assert_eq!(area.go_bottom().unwrap_err().code(), mainstay_types::Code::Damaged);
        }
        let ended = (0..2000).find_map(|_| area.skip(1).err().map(|error| error.code()));
        // An area that has read the records before goes on to the last of them.
        assert!(ended == Some(mainstay_types::Code::Damaged) || area.record_number() == 1001, "{ended:?}");
        memory.write("t03_cdx_tags.dbf", whole.clone());
        area.go_bottom().unwrap();
    }
    // One that was emptied, or has lost records that it does not count any more, is as it is.
    let mut fewer = whole[..whole.len() / 2].to_vec();
    fewer[4..8].copy_from_slice(&10u32.to_le_bytes());
    memory.write("t03_cdx_tags.dbf", fewer);
    area.set_order(None).unwrap();
    area.go_bottom().unwrap();
    assert!(area.record_number() < 1000);
}
