//! Threads with separate areas on one table on a disk: no change is lost, no reader gets an error or misses a record
//! meanwhile, and in the end the indexes agree with the records.

mod common;

use common::Seed;
use mainstay_vfs::{Create, Disk, FileSystem};
use mainstay_workarea::{Area, AreaOptions, Counting, Mode, NewOrder, SeekHow, SeekKey, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const WRITERS: u64 = 2;
const APPENDS: u32 = 150;

fn open(path: &Path, mode: Mode) -> Area {
    let options = AreaOptions { mode, implicit_locks: true, ..AreaOptions::default() };
    Area::open(Arc::new(Disk), path, &options).unwrap()
}

/// Appends records, and changes some of them; each has its writer's number as tag and counts up.
fn write(path: &Path, writer: u64) {
    let (mut area, mut seed) = (open(path, Mode::Shared), Seed(writer + 11));
    area.set_order(area.order_named("AMT")).unwrap();
    let mut own = Vec::new();
    for count in 0..APPENDS {
        area.append_blank().unwrap();
        area.set_number(0, f64::from(count)).unwrap();
        area.set_bytes(1, format!("W{writer}").as_bytes()).unwrap();
        area.set_number(2, seed.below(1000) as f64 / 4.0).unwrap();
        area.unlock().unwrap();
        own.push(area.record_number());
        let changed = own[seed.below(own.len())];
        area.go_to(changed).unwrap();
        let amount = seed.below(1000) as f64 / 4.0;
        area.set_number(2, amount).unwrap();
        area.write().unwrap();
        assert!(area.seek(&SeekKey::Number(amount), SeekHow::default()).unwrap(), "what was written is found");
        assert_eq!(area.get_number(2).unwrap(), amount);
    }
}

/// Walks and seeks until the writers are done.
fn read(path: &Path, done: &AtomicBool) -> u32 {
    let mut area = open(path, Mode::ReadOnly);
    area.set_order(area.order_named("TAG")).unwrap();
    let mut walks = 0;
    loop {
        let is_last = done.load(Ordering::SeqCst);
        let there = area.record_count(Counting::All).unwrap() as usize;
        let mut seen = BTreeSet::new();
        area.go_top().unwrap();
        while !area.is_eof() {
            seen.insert(area.record_number());
            assert_eq!(area.get_text(1).unwrap().len(), 4);
            area.skip(1).unwrap();
        }
        // A tag changes once, from blank to one that comes later: a record that was there at the beginning cannot be
        // missed, except for one of each writer whose key is being written.
        assert!(seen.len() + WRITERS as usize >= there, "{} of {there} seen", seen.len());
        walks += 1;
        if is_last {
            assert_eq!(seen.len(), WRITERS as usize * APPENDS as usize);
            return walks;
        }
    }
}

#[test]
fn threads_share_a_table() {
    for format in [Format::FoxPro, Format::VisualFoxPro, Format::DbaseThree] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shared.dbf");
        let fs: Arc<dyn FileSystem> = Arc::new(Disk);
        let fields = vec![
            FieldSpec::new("ID", b'N', 8, 0),
            FieldSpec::new("TAG", b'C', 4, 0),
            FieldSpec::new("AMT", b'N', 9, 2),
        ];
        Area::create(&fs, &path, &TableSpec::new(format, fields)).unwrap();
        let mut area = open(&path, Mode::Exclusive);
        for name in ["ID", "TAG", "AMT"] {
            area.create_order(&NewOrder::new(name, name), &mut untold).unwrap();
        }
        area.close().unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    scope.spawn({
                        let path = &path;
                        move || write(path, writer)
                    })
                })
                .collect();
            let reader = scope.spawn(|| read(&path, &done));
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            done.store(true, Ordering::SeqCst);
            reader.join().unwrap();
        });
        let mut area = open(&path, Mode::ReadOnly);
        assert_eq!(area.record_count(Counting::All).unwrap(), WRITERS as u32 * APPENDS);
        for name in ["ID", "TAG", "AMT"] {
            area.set_order(area.order_named(name)).unwrap();
            let (mut before, mut seen) = (Vec::new(), 0);
            area.go_top().unwrap();
            while !area.is_eof() {
                let key = area.key().unwrap().unwrap();
                assert!(key >= before, "{name}");
                (before, seen) = (key, seen + 1);
                area.skip(1).unwrap();
            }
            assert_eq!(seen, WRITERS as u32 * APPENDS, "{name}");
        }
    }
}

/// An area that has just written does not read the file's stamp, but still sees records that other programs append,
/// counted or not yet, and remove.
#[test]
fn others_records_are_seen_right_after_an_own_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.dbf");
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    Area::create(&fs, &path, &TableSpec::new(Format::FoxPro, vec![FieldSpec::new("ID", b'N', 8, 0)])).unwrap();
    let mut area = open(&path, Mode::Shared);
    for id in 0..3 {
        area.append_blank().unwrap();
        area.set_number(0, f64::from(id)).unwrap();
        area.unlock().unwrap();
    }
    let other = Disk.create(&path, Create::Existing).unwrap();
    let length = other.stamp().unwrap().len - 1;
    let mut last_after = |change: &dyn Fn()| {
        area.go_to(1).unwrap();
        area.set_number(0, 7.0).unwrap();
        area.write().unwrap();
        change();
        area.go_bottom().unwrap();
        area.record_number()
    };
    assert_eq!(last_after(&|| ()), 3);
    // Behind the last record, with a new end mark and without one, and counted later.
    assert_eq!(last_after(&|| other.write_at(b"        8\x1A", length).unwrap()), 4);
    assert_eq!(last_after(&|| other.write_at(b"        9", length + 9).unwrap()), 5);
    assert_eq!(last_after(&|| other.write_at(&5u32.to_le_bytes(), 4).unwrap()), 5);
    let cut = || {
        other.write_at(&2u32.to_le_bytes(), 4).unwrap();
        other.set_len(length - 9).unwrap();
        other.write_at(b"\x1A", length - 9).unwrap();
    };
    assert_eq!(last_after(&cut), 2);
}
