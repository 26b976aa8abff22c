//! Work areas over Advantage tables: orders, seeks, scopes and optimized filters by the tags of their index.

mod common;

use common::walk;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_workarea::{Area, AreaOptions, Mode, NewOrder, Optimized, SeekHow, SeekKey, Side};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/adt"));
    mainstay_vfs::Disk.read(&folder.join(name)).unwrap()
}

fn open(extensions: &[&str]) -> Area {
    let memory = Memory::new();
    for extension in extensions {
        memory.write(format!("t.{extension}"), fixture(&format!("own-alltypes.{extension}")));
    }
    let options = AreaOptions { mode: Mode::Exclusive, implicit_locks: true, ..AreaOptions::default() };
    Area::open(Arc::new(memory), Path::new("t.adt"), &options).unwrap()
}

/// The records of each tag in the order of its keys, from the list that came with the fixture.
fn lists() -> BTreeMap<String, Vec<u32>> {
    let mut lists: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for line in String::from_utf8(fixture("own-alltypes.keys.txt")).unwrap().lines() {
        let mut words = line.split(' ');
        let (tag, record) = (words.next().unwrap(), words.next().unwrap());
        lists.entry(tag.to_owned()).or_default().push(record.parse().unwrap());
    }
    lists
}

#[test]
fn every_tag_is_an_order() {
    let mut area = open(&["adt", "adm", "adi"]);
    let lists = lists();
    assert_eq!(area.orders().len(), lists.len(), "{:?}", area.refused_orders());
    for (name, mut records) in lists {
        let order = area.order_named(&name).unwrap();
        area.set_order(Some(order)).unwrap();
        if name == "QTY_DOWN" {
            records.reverse();
        }
        assert_eq!(walk(&mut area), records, "{name}");
    }
    let info = area.order_info(area.order_named("UNAME").unwrap()).unwrap();
    assert_eq!(info.key, "UPPER(Name);Qty");
}

#[test]
fn seeks_find_what_scans_find() {
    let mut area = open(&["adt", "adm", "adi"]);
    let mut seek = |tag: &str, key: SeekKey| {
        let order = area.order_named(tag);
        area.set_order(order).unwrap();
        let found = area.seek(&key, SeekHow::default()).unwrap();
        found.then(|| area.record_number())
    };
    // Record 1 of own-alltypes.csv, and some others.
    assert_eq!(seek("ID", SeekKey::Number(17.0)), Some(17));
    assert_eq!(seek("ID", SeekKey::Number(17.5)), None);
    assert_eq!(seek("QTY_DOWN", SeekKey::Number(-1000.0)), Some(1));
    assert_eq!(seek("NAME", SeekKey::Text(b"beta 1".to_vec())), Some(1));
    assert_eq!(seek("NAME", SeekKey::Text(b"BETA 1".to_vec())), None);
    // A field that ignores case.
    assert_eq!(seek("CODE", SeekKey::Text(b"aB007".to_vec())), Some(1));
    assert_eq!(seek("PRICE", SeekKey::Number(-122.2155)), Some(1));
    assert_eq!(seek("BORN", SeekKey::Date(mainstay_types::Date::from_ymd(1900, 7, 31).unwrap().julian())), Some(1));
    let day = mainstay_types::Date::from_ymd(2000, 1, 1).unwrap().julian();
    assert_eq!(seek("STAMP", SeekKey::Timestamp { day, ms: 777 }), Some(1));
    assert_eq!(seek("VER", SeekKey::Number(300.0)), Some(300));
}

#[test]
fn a_scope_bounds_the_order() {
    let mut area = open(&["adt", "adm", "adi"]);
    let order = area.order_named("ID");
    area.set_order(order).unwrap();
    area.set_scope(Side::Top, &SeekKey::Number(18.0)).unwrap();
    area.set_scope(Side::Bottom, &SeekKey::Number(23.0)).unwrap();
    // Record 20 is deleted.
    assert_eq!(walk(&mut area), [18, 19, 21, 22, 23]);
}

#[test]
fn an_aof_shows_what_a_filter_shows() {
    let mut area = open(&["adt", "adm", "adi"]);
    let cases = [
        ("ID > 250", Optimized::Full),
        ("QTY > 100000", Optimized::Full),
        // A NULL is 0 to a filter, and the first key of the index.
        ("QTY > -100000", Optimized::None),
        ("QTY <= 0", Optimized::None),
        ("NAME = 'beta 1'", Optimized::Full),
        ("NAME < 'b'", Optimized::Full),
        ("PRICE > 100 .AND. SMALL > 20", Optimized::Full),
        ("CODE = 'Ab007'", Optimized::None),
        ("OK", Optimized::None),
    ];
    area.set_hide_deleted(true);
    for (condition, level) in cases {
        area.set_filter(Some(condition)).unwrap();
        let wanted = walk(&mut area);
        area.set_filter(None).unwrap();
        assert_eq!(area.set_aof(condition).unwrap(), level, "{condition}");
        assert_eq!(walk(&mut area), wanted, "{condition}");
        area.clear_aof();
    }
}

#[test]
fn an_order_is_made_and_deleted() {
    let mut area = open(&["adt", "adm"]);
    assert!(area.orders().is_empty());
    let new = NewOrder { unique: true, ..NewOrder::new("BY_NUMBER_AND_NAME", "Id;UPPER(Name)") };
    let order = area.create_order(&new, &mut |_, _| std::ops::ControlFlow::Continue(())).unwrap();
    area.set_order(Some(order)).unwrap();
    assert_eq!(walk(&mut area), lists()["ID"]);
    let info = area.order_info(order).unwrap();
    assert_eq!((info.key.as_str(), info.candidate), ("Id;UPPER(Name)", true));
    area.delete_order(order).unwrap();
    assert!(area.orders().is_empty());
}
