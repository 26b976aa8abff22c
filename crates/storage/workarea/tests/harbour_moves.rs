//! Replay of Harbour's moves on the fixtures: orders, seeks, scopes, filters, deleted records hidden, in random
//! succession. Each line of a script is a move, and Harbour's state after it: RecNo(), Bof(), Eof(), Found().

mod common;

use common::{fixture, key, open};
use mainstay_workarea::{Area, SeekHow, Side};

fn make(area: &mut Area, words: &[&str]) {
    match words {
        ["INDEX", file] => {
            area.open_index(&fixture(file)).unwrap();
        }
        ["ORD", name] => area.set_order(area.order_named(name)).unwrap(),
        ["TOP"] => area.go_top().unwrap(),
        ["BOTTOM"] => area.go_bottom().unwrap(),
        ["GOTO", record] => area.go_to(record.parse().unwrap()).unwrap(),
        ["SKIP", count] => area.skip(count.parse().unwrap()).unwrap(),
        ["SEEK", letter, text, soft, last] => {
            let how = SeekHow { soft: *soft == "T", last: *last == "T", after: false };
            area.seek(&key(letter, text), how).unwrap();
        }
        ["FILTER", ""] => area.set_filter(None).unwrap(),
        ["FILTER", condition] => area.set_filter(Some(condition)).unwrap(),
        ["DELETED", hidden] => area.set_hide_deleted(*hidden == "T"),
        ["SCOPET", letter, text] => area.set_scope(Side::Top, &key(letter, text)).unwrap(),
        ["SCOPEB", letter, text] => area.set_scope(Side::Bottom, &key(letter, text)).unwrap(),
        ["NOSCOPE"] if area.order().is_none() => {}
        ["NOSCOPE"] => {
            area.clear_scope(Side::Top).unwrap();
            area.clear_scope(Side::Bottom).unwrap();
        }
        ["DESC", descending] => area.set_descending(area.order().unwrap(), *descending == "T").unwrap(),
        other => panic!("{other:?} is no move"),
    }
}

fn state(area: &Area) -> String {
    let letter = |flag: bool| if flag { 'T' } else { 'F' };
    let flags = (letter(area.is_bof()), letter(area.is_eof()), letter(area.is_found()));
    format!("{} {}{}{}", area.record_number(), flags.0, flags.1, flags.2)
}

#[test]
fn moves_end_where_harbours_do() {
    for name in ["t03_cdx_tags", "t04_cdx_updated", "t05_ntx"] {
        let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/harbour_moves"));
        let script = mainstay_vfs::FileSystem::read(&mainstay_vfs::Disk, &path.join(format!("{name}.moves"))).unwrap();
        let mut area = open(&format!("{name}.dbf"));
        let mut compared = 0;
        for (number, line) in String::from_utf8(script).unwrap().lines().enumerate() {
            let (moved, wanted) = line.rsplit_once(" > ").unwrap_or((line, ""));
            make(&mut area, &moved.split('|').collect::<Vec<_>>());
            if !wanted.is_empty() {
                assert_eq!(state(&area), wanted, "{name}, line {}: {moved}", number + 1);
                compared += 1;
            }
        }
        assert!(compared > 600, "{name}: {compared}");
    }
}
