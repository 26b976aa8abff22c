//! Areas that write: random operations against a model, with exclusive and shared use, with every order compared.

mod common;

use common::{Seed, walk};
use mainstay_types::{Code, Result};
use mainstay_vfs::Memory;
use mainstay_workarea::{Area, AreaOptions, Counting, FieldValue, Mode, NewOrder, RecordRules, SeekHow, SeekKey};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::path::Path;
use std::sync::Arc;

fn made(memory: &Memory, format: Format) {
    let fields = vec![
        FieldSpec::new("ID", b'N', 8, 0),
        FieldSpec::new("NAME", b'C', 10, 0),
        FieldSpec::new("AMT", b'N', 9, 2),
        FieldSpec::new("BORN", b'D', 8, 0),
        FieldSpec::new("FLAG", b'L', 1, 0),
        FieldSpec::new("NOTE", b'M', 10, 0),
    ];
    Area::create(&(Arc::new(memory.clone()) as _), Path::new("t.dbf"), &TableSpec::new(format, fields)).unwrap();
}

fn open(memory: &Memory, mode: Mode) -> Area {
    let options = AreaOptions { mode, implicit_locks: true, ..AreaOptions::default() };
    Area::open(Arc::new(memory.clone()), Path::new("t.dbf"), &options).unwrap()
}

/// A record of the model.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: i64,
    name: String,
    amt: i64,
    note: String,
    deleted: bool,
}

fn put(area: &mut Area, row: &Row) {
    area.set_integer(0, row.id).unwrap();
    area.set_bytes(1, row.name.as_bytes()).unwrap();
    area.set_number(2, row.amt as f64 / 100.0).unwrap();
    // Records without a new long value are written in another way.
    if area.memo_bytes(5).unwrap().unwrap_or_default() != row.note.as_bytes() {
        area.set_memo(5, row.note.as_bytes()).unwrap();
    }
    if row.deleted { area.delete() } else { area.recall() }.unwrap();
}

fn take(area: &mut Area) -> Row {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let FieldValue::Text(name) = area.get(1).unwrap() else { panic!() };
    let note = area.memo_bytes(5).unwrap().unwrap_or_default();
    Row {
        id: area.get_integer(0).unwrap(),
        name: text(name).trim_end().to_owned(),
        amt: (area.get_number(2).unwrap() * 100.0).round() as i64,
        note: text(note),
        deleted: area.is_deleted().unwrap(),
    }
}

fn random_row(seed: &mut Seed) -> Row {
    let names = ["Ada", "Bo", "Cy", "Dee", "Eve", "Flo"];
    Row {
        id: seed.below(50) as i64,
        name: names[seed.below(6)].to_owned(),
        amt: seed.below(20_000) as i64 - 10_000,
        note: "n".repeat(seed.below(3) * 40),
        deleted: seed.below(8) == 0,
    }
}

/// The records of the model in the order of a key, those that pass.
fn ordered<K: Ord>(rows: &[Row], key: impl Fn(&Row) -> K, passes: impl Fn(&Row) -> bool) -> Vec<u32> {
    let mut found: Vec<u32> = (0..rows.len()).filter(|at| passes(&rows[*at])).map(|at| at as u32 + 1).collect();
    found.sort_by_key(|recno| (key(&rows[*recno as usize - 1]), *recno));
    found
}

fn compare(area: &mut Area, rows: &[Row]) {
    let order = |area: &mut Area, name: &str| area.set_order(area.order_named(name)).unwrap();
    area.set_order(None).unwrap();
    assert_eq!(walk(area), (1..=rows.len() as u32).collect::<Vec<_>>());
    for (at, row) in rows.iter().enumerate() {
        area.go_to(at as u32 + 1).unwrap();
        assert_eq!(take(area), *row, "record {}", at + 1);
    }
    order(area, "ID");
    assert_eq!(walk(area), ordered(rows, |row| row.id, |_| true));
    order(area, "NAME");
    assert_eq!(walk(area), ordered(rows, |row| row.name.to_uppercase(), |_| true));
    order(area, "RICH");
    assert_eq!(walk(area), ordered(rows, |row| row.amt, |row| row.amt > 0));
    area.set_filter(Some("NAME = 'B' .OR. AMT < -50.5")).unwrap();
    area.set_hide_deleted(true);
    let passes = |row: &Row| !row.deleted && (row.name.starts_with('B') || row.amt < -5050);
    order(area, "ID");
    let wanted = ordered(rows, |row| row.id, passes);
    assert_eq!(walk(area), wanted);
    assert_eq!(area.record_count(Counting::Visible).unwrap() as usize, wanted.len());
    area.set_filter(None).unwrap();
    area.set_aof("UPPER(NAME) = 'B' .AND. ID >= 10 .AND. ID < 40").unwrap();
    let passes = |row: &Row| !row.deleted && row.name.starts_with('B') && (10..40).contains(&row.id);
    let wanted = ordered(rows, |row| row.id, passes);
    assert_eq!(walk(area), wanted);
    area.set_order(None).unwrap();
    assert_eq!(walk(area), ordered(rows, |_| 0, passes));
    area.clear_aof();
    area.set_hide_deleted(false);
    order(area, "ID");
    for id in [0, 7, 25, 49, 99] {
        let first = ordered(rows, |row| row.id, |row| row.id == id).first().copied();
        let found = area.seek(&SeekKey::Number(id as f64), SeekHow::default()).unwrap();
        assert_eq!(found.then(|| area.record_number()), first, "seek {id}");
    }
}

fn indexed(area: &mut Area) {
    for (name, key, condition) in [("ID", "ID", None), ("NAME", "UPPER(NAME)", None), ("RICH", "AMT", Some("AMT > 0"))]
    {
        let order = NewOrder { condition: condition.map(str::to_owned), ..NewOrder::new(name, key) };
        area.create_order(&order, &mut |_, _| std::ops::ControlFlow::Continue(())).unwrap();
    }
}

fn random_operations(mode: Mode, format: Format, seed: u64, steps: usize) {
    let memory = Memory::new();
    made(&memory, format);
    let mut area = open(&memory, Mode::Exclusive);
    indexed(&mut area);
    area.close().unwrap();
    let mut area = open(&memory, mode);
    let mut other = (mode == Mode::Shared).then(|| open(&memory, mode));
    let (mut rows, mut seed): (Vec<Row>, Seed) = (Vec::new(), Seed(seed));
    for step in 0..steps {
        let area = match &mut other {
            Some(other) if seed.below(2) == 0 => other,
            _ => &mut area,
        };
        let row = random_row(&mut seed);
        match seed.below(10) {
            0..4 => {
                area.append_blank().unwrap();
                put(area, &row);
                area.write().unwrap();
                area.unlock().unwrap();
                assert_eq!(area.record_number() as usize, rows.len() + 1);
                rows.push(row);
            }
            4..8 if !rows.is_empty() => {
                let at = seed.below(rows.len());
                area.go_to(at as u32 + 1).unwrap();
                put(area, &row);
                assert_eq!(take(area), row);
                if seed.below(5) == 0 {
                    area.cancel().unwrap();
                    assert_eq!(take(area), rows[at]);
                } else {
                    area.write().unwrap();
                    rows[at] = row;
                }
            }
            _ => {
                let order = ["ID", "NAME", "RICH"][seed.below(3)];
                area.set_order(area.order_named(order)).unwrap();
                area.seek(&SeekKey::Text(vec![b'B']), SeekHow { soft: true, ..SeekHow::default() }).ok();
                area.skip(seed.below(5) as i64 - 2).unwrap();
                area.set_order(None).unwrap();
            }
        }
        if step % 60 == 59 {
            compare(area, &rows);
        }
    }
    compare(&mut area, &rows);
    area.close().unwrap();
    drop(other);
    let mut again = open(&memory, Mode::ReadOnly);
    compare(&mut again, &rows);
}

#[test]
fn random_operations_alone() {
    for (seed, format) in [(1, Format::DbaseThree), (2, Format::FoxPro), (3, Format::VisualFoxPro)] {
        random_operations(Mode::Exclusive, format, seed, 400);
    }
}

#[test]
fn random_operations_of_two_areas_that_share_a_table() {
    for seed in [4, 5, 6] {
        random_operations(Mode::Shared, Format::FoxPro, seed, 300);
    }
}

#[test]
fn a_record_must_be_locked_before_it_is_changed() {
    let memory = Memory::new();
    made(&memory, Format::DbaseThree);
    let options = AreaOptions { mode: Mode::Shared, ..AreaOptions::default() };
    let open = || Area::open(Arc::new(memory.clone()), Path::new("t.dbf"), &options).unwrap();
    let (mut one, mut two) = (open(), open());
    one.append_blank().unwrap();
    one.set_integer(0, 7).unwrap();
    assert!(!two.try_lock_record(1).unwrap(), "a new record stays locked");
    one.unlock().unwrap();
    assert_eq!(one.set_integer(0, 8).unwrap_err().code(), Code::Conflict);
    assert!(two.try_lock_record(1).unwrap());
    assert!(!one.try_lock_record(1).unwrap());
    two.go_to(1).unwrap();
    assert_eq!(two.get_integer(0).unwrap(), 7, "what the other wrote is seen");
    two.set_integer(0, 9).unwrap();
    two.unlock().unwrap();
    one.lock_record(1).unwrap();
    assert_eq!(one.get_integer(0).unwrap(), 9, "what is read under the lock is what is there");
    assert_eq!(one.locked_records(), [1]);
    assert!(!two.try_lock_table().unwrap());
    one.unlock().unwrap();
    assert!(two.try_lock_table().unwrap() && two.is_table_locked());
    let mut reader = Area::open(Arc::new(memory.clone()), Path::new("t.dbf"), &AreaOptions::default()).unwrap();
    assert_eq!(reader.set_integer(0, 1).unwrap_err().code(), Code::ReadOnly);
}

/// Beside others a blank record is written at once and listed when it is left; what is changed under a lock is what the
/// lock found there.
#[test]
fn records_beside_others_are_listed_and_read_under_their_locks() {
    let memory = Memory::new();
    made(&memory, Format::FoxPro);
    let mut area = open(&memory, Mode::Exclusive);
    for name in ["ID", "NAME"] {
        area.create_order(&NewOrder::new(name, name), &mut mainstay_workarea::untold).unwrap();
    }
    area.close().unwrap();
    let (mut one, mut two) = (open(&memory, Mode::Shared), open(&memory, Mode::Shared));
    for area in [&mut one, &mut two] {
        area.set_order(area.order_named("NAME")).unwrap();
    }
    let add = |area: &mut Area, name: &str| {
        area.append_blank().unwrap();
        area.set_bytes(1, name.as_bytes()).unwrap();
        area.unlock().unwrap();
    };
    add(&mut one, "Cy");
    add(&mut two, "Bo");
    one.append_blank().unwrap();
    assert_eq!(walk(&mut two), [2, 1], "a record that is being made is in no order yet");
    assert_eq!(two.record_count(Counting::All).unwrap(), 3);
    assert_eq!(walk(&mut one), [3, 2, 1], "one that was left blank is in all of them");
    assert_eq!(walk(&mut two), [3, 2, 1]);
    one.unlock().unwrap();

    // Both stand on the same record; what one changes, the other finds when it has the lock.
    for area in [&mut one, &mut two] {
        area.go_to(1).unwrap();
        assert_eq!(area.get_text(1).unwrap().trim_ascii_end(), b"Cy");
    }
    one.lock_record(1).unwrap();
    one.set_bytes(1, b"Ada").unwrap();
    one.set_integer(0, 7).unwrap();
    one.unlock_record(1).unwrap();
    two.lock_record(1).unwrap();
    two.set_number(2, 2.5).unwrap();
    two.write().unwrap();
    two.set_bytes(1, b"Zoe").unwrap();
    two.unlock_record(1).unwrap();
    for area in [&mut one, &mut two] {
        assert_eq!(walk(area), [3, 2, 1]);
        area.go_to(1).unwrap();
        let row = take(area);
        assert_eq!((row.id, row.name.as_str(), row.amt), (7, "Zoe", 250));
    }
    one.close().unwrap();
    two.close().unwrap();
}

/// A record that was appended and is given up stays, marked as deleted. One that is not in the file yet, and which the
/// table does not take blank, is not made.
#[test]
fn an_appended_record_that_is_cancelled_is_a_deleted_one() {
    for mode in [Mode::Exclusive, Mode::Shared] {
        let memory = Memory::new();
        made(&memory, Format::FoxPro);
        let mut area = open(&memory, mode);
        for _ in 0..2 {
            area.append_blank().unwrap();
            area.set_integer(0, 7).unwrap();
            area.set_memo(5, b"a note").unwrap();
            area.cancel().unwrap();
            let row = take(&mut area);
            assert!(row.deleted && row.id == 0 && row.note.is_empty(), "{row:?}");
            assert!(!area.has_pending() && area.locked_records().is_empty());
        }
        assert_eq!((area.record_count(Counting::All).unwrap(), area.record_number()), (2, 2));
        area.close().unwrap();
    }
    let memory = Memory::new();
    made(&memory, Format::VisualFoxPro);
    let mut area = open(&memory, Mode::Exclusive);
    let only = NewOrder { candidate: true, ..NewOrder::new("ONLY", "ID") };
    area.create_order(&only, &mut mainstay_workarea::untold).unwrap();
    area.append_blank().unwrap();
    area.cancel().unwrap();
    area.append_blank().unwrap();
    area.set_integer(0, 7).unwrap();
    area.cancel().unwrap();
    assert!(area.is_eof() && area.record_count(Counting::All).unwrap() == 1);
    area.append_blank().unwrap();
    area.set_integer(0, 8).unwrap();
    area.close().unwrap();
    let mut area = open(&memory, Mode::ReadOnly);
    assert_eq!(walk(&mut area), [1, 2]);
    area.go_to(2).unwrap();
    assert_eq!(area.get_integer(0).unwrap(), 8);
}

/// A rule that refuses nothing and has no part of its own in cancelling, as those of live cursors are.
#[derive(Debug)]
struct Lenient;

impl RecordRules for Lenient {
    fn appended(&self, _: &mut Area) -> Result<()> {
        Ok(())
    }
    fn before_write(&self, _: &mut Area) -> Result<()> {
        Ok(())
    }
    fn after_write(&self, _: &mut Area) -> Result<()> {
        Ok(())
    }
    fn write_failed(&self, _: &mut Area) {}
    fn cancelled(&self, area: &mut Area) -> Result<()> {
        area.cancel_appended()
    }
}

/// Whichever way an area ends, a record that an index refuses becomes a blank, deleted one, and no file stays open.
#[test]
fn a_refused_record_is_cancelled_when_its_area_ends() {
    let ends: [fn(Area) -> Option<Code>; 3] = [
        |area| area.close().err().map(|error| error.code()),
        |area| area.close_abandoned().err().map(|error| error.code()),
        |area| {
            drop(area);
            None
        },
    ];
    for (mode, has_rules, end) in [Mode::Exclusive, Mode::Shared]
        .into_iter()
        .flat_map(|mode| [false, true].map(|has_rules| (mode, has_rules)))
        .flat_map(|(mode, has_rules)| [0, 1, 2].map(|end| (mode, has_rules, end)))
    {
        let memory = Memory::new();
        made(&memory, Format::VisualFoxPro);
        let mut area = open(&memory, Mode::Exclusive);
        let only = NewOrder { candidate: true, ..NewOrder::new("ONLY", "ID") };
        area.create_order(&only, &mut mainstay_workarea::untold).unwrap();
        area.close().unwrap();
        let mut area = open(&memory, mode);
        if has_rules {
            area.set_rules(Some(Arc::new(Lenient)));
        }
        area.append_blank().unwrap();
        area.set_integer(0, 7).unwrap();
        area.write().unwrap();
        area.append_blank().unwrap();
        area.set_integer(0, 7).unwrap();
        assert_eq!(area.write().unwrap_err().code(), Code::UniqueViolation);
        let reported = ends[end](area);
        assert_eq!(reported, (end == 0).then_some(Code::UniqueViolation), "{mode:?} {end}");
        let mut area = open(&memory, Mode::Exclusive);
        // A record that is not in the file yet is not added to it for a program that has ended.
        let count = if mode == Mode::Exclusive && end == 1 { 1 } else { 2 };
        assert_eq!(area.record_count(Counting::All).unwrap(), count, "{mode:?} {end}");
        if count == 2 {
            area.go_to(2).unwrap();
            let row = take(&mut area);
            assert!(row.deleted && row.id == 0, "{mode:?} {has_rules} {end}: {row:?}");
        }
    }
}

/// As Harbour's DBFCDX has it: the tag is another one, whatever was set for that of before.
#[test]
fn an_order_that_is_made_again_has_neither_scope_nor_direction_of_the_one_before() {
    let memory = Memory::new();
    made(&memory, Format::FoxPro);
    let mut area = open(&memory, Mode::Exclusive);
    for id in 1..=15 {
        area.append_blank().unwrap();
        area.set_integer(0, id).unwrap();
        area.write().unwrap();
    }
    for (descending, turned) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut new = NewOrder::new("BY_ID", "ID");
        let id = area.create_order(&new, &mut mainstay_workarea::untold).unwrap();
        area.set_order(Some(id)).unwrap();
        area.set_scope(mainstay_workarea::Side::Top, &SeekKey::Number(3.0)).unwrap();
        area.set_scope(mainstay_workarea::Side::Bottom, &SeekKey::Number(4.0)).unwrap();
        area.set_descending(id, turned).unwrap();
        new.descending = descending;
        new.name = "by_id".to_owned();
        let again = area.create_order(&new, &mut mainstay_workarea::untold).unwrap();
        assert_eq!((again, area.order()), (id, Some(id)));
        assert_eq!(area.scope(mainstay_workarea::Side::Top), None);
        let mut wanted: Vec<u32> = (1..=15).collect();
        if descending {
            wanted.reverse();
        }
        assert_eq!(walk(&mut area), wanted, "{descending} {turned}");
    }
}
