//! A table of a server behaves like the same local table: random work on two copies of it, compared after every step.

mod common;

use common::{Served, letters};
use mainstay_fuzzing::mutate::Random;
use mainstay_navigator::client::RemoteArea;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, Counting, FieldValue, Mode, OrderId, SeekHow, SeekKey, Side, WorkArea};

/// The state of an area that a program may see.
#[derive(Debug, PartialEq)]
struct Seen {
    record: u32,
    ends: (bool, bool),
    found: bool,
    deleted: Option<bool>,
    values: Vec<FieldValue>,
    key: Option<Vec<u8>>,
    locks: (bool, Vec<u32>),
}

fn seen(area: &mut dyn WorkArea) -> Seen {
    let mut locked = area.locked_records();
    locked.sort_unstable();
    Seen {
        record: area.record_number(),
        ends: (area.is_bof(), area.is_eof()),
        found: area.is_found(),
        deleted: (!area.is_eof()).then(|| area.is_deleted().unwrap()),
        values: (0..3).map(|field| area.get(field).unwrap()).collect(),
        key: area.key().unwrap(),
        locks: (area.is_table_locked(), locked),
    }
}

fn order(area: &dyn WorkArea, which: usize) -> Option<OrderId> {
    ["NUMBER", "LETTERS"].get(which).and_then(|name| area.order_named(name))
}

fn how(random: &mut Random) -> SeekHow {
    SeekHow { soft: random.below(2) == 0, last: random.below(4) == 0, after: false }
}

/// A step of a program: what to do, with everything about it chosen.
type Doing = Box<dyn Fn(&mut dyn WorkArea) -> mainstay_types::Result<String>>;

fn done<T: std::fmt::Debug>(work: impl Fn(&mut dyn WorkArea) -> mainstay_types::Result<T> + 'static) -> Doing {
    Box::new(move |area| work(area).map(|answer| format!("{answer:?}")))
}

fn movement(random: &mut Random) -> (&'static str, Doing) {
    let (record, by) = (random.below(70) as u32, random.below(41) as i64 - 20);
    match random.below(9) {
        0 => ("go to", done(move |area| area.go_to(record))),
        1 => ("go top", done(|area| area.go_top())),
        2 => ("go bottom", done(|area| area.go_bottom())),
        3 => ("skip 1", done(|area| area.skip(1))),
        4 => ("skip -1", done(|area| area.skip(-1))),
        5 => ("skip", done(move |area| area.skip(by))),
        6 => ("refresh", done(|area| area.refresh())),
        7 => {
            let (key, how) = (SeekKey::Text(letters(record).as_bytes()[..1 + random.below(5)].to_vec()), how(random));
            ("seek", done(move |area| seek(area, 1, &key, how)))
        }
        _ => {
            let (key, how) = (SeekKey::Number(f64::from(record)), how(random));
            ("seek a number", done(move |area| seek(area, 0, &key, how)))
        }
    }
}

/// Seeks in the current order, if the key is one of it.
fn seek(area: &mut dyn WorkArea, which: usize, key: &SeekKey, how: SeekHow) -> mainstay_types::Result<bool> {
    if area.order().is_some() && area.order() == order(area, which) { area.seek(key, how) } else { Ok(false) }
}

fn question(random: &mut Random) -> (&'static str, Doing) {
    let what = [Counting::All, Counting::Scoped, Counting::Visible][random.below(3)];
    let key = SeekKey::Text(letters(random.below(70) as u32).into_bytes());
    match random.below(6) {
        0 => ("record count", done(move |area| area.record_count(what))),
        1 => ("key count", done(move |area| area.key_count(what))),
        2 => ("key number", done(move |area| area.key_number(what))),
        3 => ("look up", done(move |area| order(area, 1).map(|id| area.look_up(id, &key)).transpose())),
        4 => ("in scope", done(|area| area.is_in_scope())),
        _ => (
            "numbers along a walk",
            done(move |area| {
                let mut numbers = Vec::new();
                for _ in 0..5 {
                    numbers.push((area.record_number(), area.key_number(what)?));
                    area.skip(1)?;
                }
                Ok(numbers)
            }),
        ),
    }
}

fn view(random: &mut Random) -> (&'static str, Doing) {
    let which = random.below(3);
    let side = if random.below(2) == 0 { Side::Top } else { Side::Bottom };
    let key = letters(random.below(70) as u32).as_bytes()[..2].to_vec();
    let number = random.below(60);
    let on = random.below(2) == 0;
    match random.below(7) {
        0 | 1 => ("set order", done(move |area| area.set_order(order(area, which)))),
        2 => (
            "hide deleted",
            done(move |area| {
                area.set_hide_deleted(on);
                Ok(())
            }),
        ),
        3 => (
            "filter",
            done(move |area| {
                let text = format!("NUMBER > {number} .OR. LETTERS = 'C'");
                area.set_filter(on.then_some(text.as_str()))
            }),
        ),
        4 => (
            "scope",
            done(move |area| {
                area.set_order(order(area, 1))?;
                if on { area.set_scope(side, &SeekKey::Text(key.clone())) } else { area.clear_scope(side) }
            }),
        ),
        5 => (
            "AOF",
            done(move |area| {
                if on {
                    area.set_aof(&format!("NUMBER < {number}")).map(Some)
                } else {
                    area.clear_aof();
                    Ok(None)
                }
            }),
        ),
        _ => ("turn", done(move |area| order(area, which).map(|id| area.set_descending(id, on)).transpose())),
    }
}

fn change(random: &mut Random) -> (&'static str, Doing) {
    let number = random.below(70) as u32;
    let note = vec![b'n'; random.below(700)];
    match random.below(9) {
        0 => (
            "append",
            done(move |area| {
                area.append_blank()?;
                area.set_number(0, f64::from(number))?;
                area.set_bytes(1, letters(number).as_bytes())
            }),
        ),
        1 | 2 => (
            "change",
            done(move |area| match area.is_eof() {
                true => Ok(()),
                false => area.set_bytes(1, letters(number).as_bytes()),
            }),
        ),
        3 => ("note", done(move |area| if area.is_eof() { Ok(()) } else { area.set_memo(2, &note) })),
        4 => ("delete", done(|area| if area.is_eof() { Ok(()) } else { area.delete() })),
        5 => ("recall", done(|area| if area.is_eof() { Ok(()) } else { area.recall() })),
        6 => ("write", done(|area| area.write())),
        7 => ("cancel", done(|area| area.cancel())),
        _ => match random.below(4) {
            0 => ("lock", done(move |area| area.try_lock_record(number.clamp(1, 30)))),
            1 => ("unlock", done(move |area| area.unlock_record(number))),
            2 => ("lock table", done(|area| area.try_lock_table())),
            _ => ("unlock all", done(|area| area.unlock())),
        },
    }
}

fn any(random: &mut Random) -> (&'static str, Doing) {
    match random.below(10) {
        0..5 => movement(random),
        5 | 6 => question(random),
        7 => view(random),
        _ => change(random),
    }
}

fn pair(served: &Served) -> (RemoteArea, Area) {
    served.make_numbers("numbers.dbf", 40);
    for extension in ["dbf", "cdx", "fpt"] {
        let path = served.folder.path().join("numbers").with_extension(extension);
        let copy = served.folder.path().join("copy").with_extension(extension);
        Disk.replace(&copy, &Disk.read(&path).unwrap()).unwrap();
    }
    let client = served.client("ada");
    (served.open(&client, "numbers.dbf", Mode::Shared), served.open_here("copy.dbf", Mode::Shared))
}

#[test]
fn random_work_gives_the_same_there_and_here() {
    for seed in 0..25 {
        let served = Served::new();
        let (mut there, mut here) = pair(&served);
        here.go_top().unwrap();
        let mut random = Random::new(seed);
        let mut trace: Vec<&str> = Vec::new();
        for _ in 0..250 {
            let (name, doing) = any(&mut random);
            trace.push(name);
            let (theirs, ours) = (doing(&mut there), doing(&mut here));
            let last = || trace.iter().rev().take(12).rev().collect::<Vec<_>>();
            match (&theirs, &ours) {
                (Ok(theirs), Ok(ours)) => assert_eq!(theirs, ours, "seed {seed}, {:?}", last()),
                (Err(theirs), Err(ours)) => assert_eq!(theirs.code(), ours.code(), "seed {seed}, {:?}", last()),
                _ => panic!("seed {seed}, {:?}: there {theirs:?}, here {ours:?}", last()),
            }
            if random.below(3) == 0 {
                assert_eq!(seen(&mut there), seen(&mut here), "seed {seed}, {:?}", last());
            }
        }
    }
}
