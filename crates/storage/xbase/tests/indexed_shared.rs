//! A table with its indexes that processes share: two of Mainstay, and one with independent locks (`raw_locks.py`,
//! which needs `python3`). `MAINSTAY_TEST_SECONDS` makes the long test longer.

#![cfg(target_os = "linux")]

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values};
use mainstay_types::{Code, ValueRef};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::Format;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::lock::{LockScheme, LockWait};
use mainstay_xbase::writer::{Access, WriteOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn shared(scheme: Option<LockScheme>) -> WriteOptions {
    let wait = LockWait { timeout: Duration::from_secs(30), interval: Duration::from_micros(300) };
    WriteOptions { wait, scheme, ..options(Access::Shared) }
}

fn disk() -> Arc<dyn FileSystem> {
    Arc::new(Disk)
}

fn open_as(path: &Path, files: &str, scheme: &str) -> IndexedTable {
    let mut table = IndexedTable::open(disk(), path, shared(LockScheme::by_name(scheme))).unwrap();
    for file in files.split(':').filter(|file| !file.is_empty()) {
        table.open_bag(Path::new(file)).unwrap();
    }
    table
}

/// Starts this program again, to run one of its ignored tests.
fn start(test: &str, path: &Path, files: &[PathBuf], scheme: &str, who: &str) -> Child {
    let files: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", test]);
    command.env("MAINSTAY_TEST_TABLE", path).env("MAINSTAY_TEST_FILES", files.join(":"));
    command.env("MAINSTAY_TEST_SCHEME", scheme).env("MAINSTAY_TEST_WHO", who);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn settings() -> Option<(PathBuf, String, String, String)> {
    let of = |name: &str| std::env::var(name).ok();
    let path = PathBuf::from(of("MAINSTAY_TEST_TABLE")?);
    Some((path, of("MAINSTAY_TEST_FILES")?, of("MAINSTAY_TEST_SCHEME")?, of("MAINSTAY_TEST_WHO")?))
}

fn succeed(processes: Vec<Child>) {
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

const APPENDS: u64 = 1_000;

#[test]
#[ignore = "a process of two_processes_leave_a_key_for_each_record, which starts it"]
fn a_process_that_appends() {
    let Some((path, files, scheme, who)) = settings() else { return };
    let mut table = open_as(&path, &files, &scheme);
    for number in 0..APPENDS {
        let name = format!("{who}{number}");
        table.append(&[ValueRef::Text(&name), ValueRef::Integer(number as i64)]).unwrap();
    }
    table.close().unwrap();
}

#[test]
fn two_processes_leave_a_key_for_each_record() {
    for (kind, schemes) in [
        (BagKind::Cdx, ["foxpro"; 2]),
        (BagKind::Cdx, ["hb64"; 2]),
        (BagKind::Ntx, ["clipper"; 2]),
        (BagKind::CompoundNtx, ["comix"; 2]),
        (BagKind::PlainIdx, ["hb32"; 2]),
        // Two of ours that do not agree: one has opened the table as ADS_NTX, the other as ADS_CDX.
        (BagKind::Cdx, ["foxpro", "clipper"]),
        (BagKind::Ntx, ["clipper", "foxpro"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.dbf");
        create(&disk(), &path, &table_spec(Format::FoxPro));
        let mut table = open(&disk(), &path, Access::Exclusive);
        let files = index(&mut table, kind, &tag_specs());
        table.close().unwrap();
        let processes = [("a", schemes[0]), ("b", schemes[1])];
        succeed(processes.map(|(who, scheme)| start("a_process_that_appends", &path, &files, scheme, who)).into());
        compare(&disk(), &path, &files).unwrap_or_else(|complaint| panic!("{kind:?} {schemes:?}: {complaint}"));
        let tags = indexed_common::entries(&disk(), &path, &files).unwrap();
        for (name, _, entries) in tags.iter().filter(|(name, ..)| ["NAME", "NUMBER", "RECENT"].contains(&&**name)) {
            assert_eq!(entries.len() as u64, 2 * APPENDS, "{kind:?} {schemes:?}: {name}");
        }
    }
}

fn seconds() -> u64 {
    std::env::var("MAINSTAY_TEST_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}

#[test]
#[ignore = "a process of programs_hammer_one_table, which starts it"]
fn a_process_that_hammers() {
    let Some((path, files, scheme, who)) = settings() else { return };
    let mut table = open_as(&path, &files, &scheme);
    let begun = Instant::now();
    let mut seed = who.bytes().map(u64::from).sum::<u64>() * 1_000_003;
    while begun.elapsed() < Duration::from_secs(seconds()) {
        seed += 1;
        let new = values(seed);
        let count = table.count().unwrap().max(1);
        let record = 1 + new[1].as_f64().map_or(0, |number| (number.abs() * 37.0) as u64) % count;
        match seed % 6 {
            0..=2 => drop(table.append(&refs(&new)).unwrap()),
            3 => drop(table.set_deleted(record, seed.is_multiple_of(4)).unwrap()),
            4 => {
                // A record that is held over two changes, as a program holds it that shows it to a person.
                table.lock_record(record).unwrap();
                table.update(record, &[(0, new[0].as_ref())]).unwrap();
                table.update(record, &[(1, new[1].as_ref()), (4, new[4].as_ref())]).unwrap();
                table.unlock_record(record).unwrap();
            }
            _ => {
                let id = table.find_tag("NAME").unwrap();
                table.with_tag(id, |tag| tag.find(b"ANNA").map(drop)).unwrap();
            }
        }
    }
    table.close().unwrap();
}

#[test]
fn programs_hammer_one_table() {
    for (kind, scheme) in [(BagKind::Cdx, "foxpro"), (BagKind::Ntx, "clipper")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.dbf");
        create(&disk(), &path, &table_spec(Format::FoxPro));
        let mut table = open(&disk(), &path, Access::Exclusive);
        let files = index(&mut table, kind, &tag_specs());
        for seed in 0..20 {
            table.append(&refs(&values(seed))).unwrap();
        }
        table.close().unwrap();
        let mut processes: Vec<Child> =
            ["a", "b"].map(|who| start("a_process_that_hammers", &path, &files, scheme, who)).into();
        processes.push(raw(&path, &files, scheme));
        succeed(processes);
        compare(&disk(), &path, &files).unwrap_or_else(|complaint| panic!("{kind:?} {scheme}: {complaint}"));
    }
}

/// A program that takes the locks of records and of the index, and appends records of its own without keys for as long
/// as it has the index.
fn raw(path: &Path, files: &[PathBuf], scheme: &str) -> Child {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/raw_hammer.py");
    let index = files.first().cloned().unwrap_or_else(|| path.with_extension("cdx"));
    let mut command = Command::new("python3");
    command.arg(script).arg(path).arg(index).arg(scheme).arg(seconds().to_string());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("this test needs python3")
}

#[test]
fn an_index_that_another_holds_is_waited_for_and_the_holder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dbf");
    create(&disk(), &path, &table_spec(Format::FoxPro));
    let mut table = open(&disk(), &path, Access::Exclusive);
    index(&mut table, BagKind::Cdx, &tag_specs()[..1]);
    table.close().unwrap();
    let short = LockWait { timeout: Duration::from_millis(30), interval: Duration::from_millis(1) };
    for scheme in ["foxpro", "hb64"] {
        let with = |wait| WriteOptions { wait, ..shared(LockScheme::by_name(scheme)) };
        let mut table = IndexedTable::open(disk(), &path, with(short)).unwrap();
        let cdx = Disk.create(&path.with_extension("cdx"), mainstay_vfs::Create::Existing).unwrap();
        // Another handle stands for another program: the last byte, as one of Harbour's readers may hold it.
        let index =
            mainstay_xbase::lock::LockBytes::new(LockScheme::by_name(scheme).unwrap(), table.dbf().header()).index();
        let byte = mainstay_vfs::ByteRange { start: index.end() - 1, length: 1 };
        assert!(cdx.try_lock_range(byte, mainstay_vfs::LockMode::Exclusive).unwrap());
        let before = table.count().unwrap();
        let error = table.append(&[ValueRef::Text("new")]).unwrap_err();
        assert_eq!(error.code(), Code::Busy);
        assert!(error.to_string().contains("the index is locked by"), "{error}");
        assert_eq!(table.count().unwrap(), before, "nothing is appended without its key");
        cdx.unlock_range(byte).unwrap();
        table.append(&[ValueRef::Text("new")]).unwrap();
        let mut other = IndexedTable::open(disk(), &path, with(short)).unwrap();
        table.lock_record(1).unwrap();
        assert!(!other.try_lock_record(1).unwrap() && other.try_lock_record(2).is_ok());
        let holder = other.record_lock_holder(1).unwrap().unwrap();
        assert_eq!(holder.process, Some(std::process::id()));
        assert!(!other.try_lock_table().unwrap() && other.table_lock_holder().unwrap().is_some());
        table.unlock().unwrap();
        other.unlock().unwrap();
        let kept = other.append_blank_locked().unwrap();
        assert!(other.is_locked(kept) && !table.try_lock_record(kept).unwrap());
        other.close().unwrap();
        assert!(table.try_lock_record(kept).unwrap());
        table.close().unwrap();
    }
    compare(&disk(), &path, &[]).unwrap();
}
