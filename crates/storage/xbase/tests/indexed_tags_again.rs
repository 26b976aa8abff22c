//! Tags that are recreated, and tags that are created in a table open for shared use.

#![allow(clippy::disallowed_methods)]

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values};
use mainstay_types::Code;
use mainstay_vfs::{Disk, FileSystem, Memory, Simulated, explore};
use mainstay_xbase::dbf::Format;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::lock::LockScheme;
use mainstay_xbase::writer::{Access, WriteOptions};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn filled(fs: &Arc<dyn FileSystem>, path: &Path, records: u64) -> IndexedTable {
    create(fs, path, &table_spec(Format::FoxPro));
    let mut table = open(fs, path, Access::Exclusive);
    for seed in 0..records {
        table.append(&refs(&values(seed))).unwrap();
    }
    table
}

/// Three tags, of which two are made again in turns; the condition makes the trees differ in length.
fn spec(round: usize) -> IndexSpec {
    let name = ["NAME", "BORN"][round % 2];
    let condition = round.is_multiple_of(3).then(|| b"NUMBER > 0".to_vec());
    IndexSpec {
        condition,
        unique: round % 5 == 4,
        ..IndexSpec::new(name, ["UPPER(NAME)", "DTOS(BORN)+NAME"][round % 2])
    }
}

#[test]
fn a_tag_that_is_made_again_and_again_uses_its_old_pages() {
    for kind in [BagKind::Cdx, BagKind::CompoundNtx] {
        let fs: Arc<dyn FileSystem> = Arc::new(Memory::new());
        let path = Path::new("t.dbf");
        // As many that the making tells how far it is.
        let mut table = filled(&fs, path, 17_000);
        let files = index(&mut table, kind, &tag_specs());
        let bag = files.first().cloned().unwrap_or_else(|| PathBuf::from("t.cdx"));
        let mut longest = 0;
        for round in 0..30 {
            let stops = [13, 20].contains(&round);
            let mut tell =
                |done, all| if stops && done > all / 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            let building = Building { progress: Some(&mut tell), ..Building::default() };
            let made = table.create_index(files.first().map(PathBuf::as_path), kind, &spec(round), building);
            assert_eq!(made.is_err(), stops, "{kind:?} {round}: {made:?}");
            if round % 4 == 3 {
                table.update(round as u64, &[(0, mainstay_types::ValueRef::Text("changed"))]).unwrap();
            }
            table.flush().unwrap();
            let length = fs.stamp(&bag).unwrap().len;
            match round {
                0..6 => longest = longest.max(length),
                _ => assert!(length <= longest, "{kind:?} {round}: {length} bytes after {longest}"),
            }
        }
        table.close().unwrap();
        compare(&fs, path, &files).unwrap();
    }
}

/// A program that is killed while it makes a tag again leaves no page that is used twice: everything that is done afterwards
/// leaves the tags as they should be.
#[test]
fn a_tag_that_is_made_again_may_be_cut_off_anywhere() {
    let path = || PathBuf::from("shop/t.dbf");
    let work = |system: &Simulated| {
        let mut is_ready = false;
        let mut run = || -> mainstay_types::Result<()> {
            let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
            system.create_folder(Path::new("shop"))?;
            mainstay_xbase::writer::create(system, &path(), &table_spec(Format::FoxPro), &options(Access::Exclusive))?;
            let mut table = IndexedTable::open(Arc::clone(&fs), &path(), options(Access::Exclusive))?;
            for seed in 0..120 {
                table.append(&refs(&values(seed)))?;
            }
            for spec in tag_specs() {
                table.create_index(None, BagKind::Cdx, &spec, Building::default())?;
            }
            table.create_index(None, BagKind::Cdx, &spec(0), Building::default())?;
            table.flush()?;
            is_ready = true;
            for round in 1..4 {
                table.create_index(None, BagKind::Cdx, &spec(round), Building::default())?;
            }
            table.close()
        };
        let _ = run();
        is_ready
    };
    let check = |system: &Simulated, is_ready: &bool| -> Result<(), String> {
        if !is_ready {
            return Ok(());
        }
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        let go_on = || -> mainstay_types::Result<()> {
            let mut table = IndexedTable::open(Arc::clone(&fs), &path(), options(Access::Exclusive))?;
            for seed in 0..60 {
                table.append(&refs(&values(seed + 1_000)))?;
            }
            table.create_index(None, BagKind::Cdx, &spec(2), Building::default())?;
            table.close()
        };
        go_on().map_err(|error| error.to_string())?;
        compare(&fs, &path(), &[])
    };
    let states = explore(0..0, work, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 20, "{states}");
}

#[test]
fn a_tag_is_made_in_a_shared_table_that_nobody_else_has_open() {
    for format in [Format::FoxPro, Format::DbaseThree] {
        for scheme in [None, Some(LockScheme::FoxPro)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.dbf");
            let fs: Arc<dyn FileSystem> = Arc::new(Disk);
            create(&fs, &path, &table_spec(format));
            let how = WriteOptions { scheme, ..options(Access::Shared) };
            let opened = || IndexedTable::open(Arc::clone(&fs), &path, how).unwrap();
            let mut table = opened();
            table.append(&refs(&values(1))).unwrap();
            let other = opened();
            let made = |table: &mut IndexedTable, spec: &IndexSpec| {
                table.create_index(None, BagKind::Cdx, spec, Building::default())
            };
            for spec in &tag_specs()[..2] {
                assert_eq!(made(&mut table, spec).unwrap_err().code(), Code::Busy);
            }
            drop(other);
            for spec in &tag_specs() {
                made(&mut table, spec).unwrap();
            }
            // Others may have it again, and keep the tags up; locks exclude each other as before.
            let mut other = opened();
            assert_eq!(other.tags().len(), tag_specs().len());
            other.append(&refs(&values(2))).unwrap();
            table.append(&refs(&values(3))).unwrap();
            table.lock_record(2).unwrap();
            assert!(!other.try_lock_record(2).unwrap(), "{format:?} {scheme:?}");
            table.unlock().unwrap();
            assert!(other.try_lock_record(2).unwrap(), "{format:?} {scheme:?}");
            other.close().unwrap();
            made(&mut table, &IndexSpec::new("MORE", "NAME")).unwrap();
            table.close().unwrap();
            compare(&fs, &path, &[]).unwrap();
        }
    }
}
