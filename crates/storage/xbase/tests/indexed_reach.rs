//! Paths in the files of transactions: a path out of the folder is refused, and nothing is touched (`break-02`); and
//! `mainstay check` names files that are not understood (`break-03`).

#![allow(clippy::disallowed_methods)]

mod indexed_common;

use indexed_common::{create, index, open, options, table_spec, values};
use mainstay_types::{Code, ValueRef};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::Format;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{IndexSpec, IndexedTable, Transaction, check_journals};
use mainstay_xbase::writer::Access;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn disk() -> Arc<dyn FileSystem> {
    Arc::new(Disk)
}

/// A folder with a table of three records, and an index of its own file.
fn folder(all: &Path, name: &str) -> PathBuf {
    let folder = all.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    create(&disk(), &folder.join("customers.dbf"), &table_spec(Format::DbaseThree));
    let mut table = open(&disk(), &folder.join("customers.dbf"), Access::Exclusive);
    for seed in 0..3 {
        table.append(&indexed_common::refs(&values(seed))).unwrap();
    }
    index(&mut table, BagKind::Ntx, &[IndexSpec::new("NAME", "NAME")]);
    table.close().unwrap();
    folder
}

/// All files below a folder with their bytes.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(contents(&path)),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3))
}

/// An entry of a journal with its length and sum, as docs/formats/dbf-transactions.md has it.
fn entry(payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_le_bytes()[..], &fnv(payload).to_le_bytes(), payload].concat()
}

fn path_in_entry(path: &Path, is_beside: bool) -> Vec<u8> {
    let text = path.as_os_str().as_encoded_bytes();
    [&[u8::from(is_beside)][..], &(text.len() as u32).to_le_bytes(), text].concat()
}

/// The journal of a change of record 1 of a table, with these index files.
fn journal(table: &[u8], bags: &[Vec<u8>], record: (&[u8], &[u8])) -> Vec<u8> {
    let header = b"MSDBFTX\x01\0\0\0\0\0\0\0\0";
    let of_table =
        [&[1][..], &0u32.to_le_bytes(), &[3], table, &(bags.len() as u32).to_le_bytes(), &bags.concat()].concat();
    let (old, new) = record;
    let length = (new.len() as u32).to_le_bytes();
    let change = [&[2][..], &0u32.to_le_bytes(), &1u64.to_le_bytes(), &[1], &length, old, new].concat();
    [&header[..], &entry(&of_table), &entry(&change)].concat()
}

/// A change of the first record: other bytes than it has, and those that it has.
fn planted_record(table: &Path) -> (Vec<u8>, Vec<u8>) {
    let mut bytes = Vec::new();
    open(&disk(), table, Access::Shared).read(1, &mut bytes).unwrap();
    let mut evil = bytes.clone();
    evil[1..5].copy_from_slice(b"EVIL");
    (evil, bytes)
}

fn plant(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let journals = folder.join(".mainstay-transactions");
    std::fs::create_dir_all(&journals).unwrap();
    std::fs::write(journals.join(name), bytes).unwrap();
    journals.join(name)
}

/// Opening the table for writing is refused, reading it gives its rows, `check` names the file, and nothing has changed.
fn is_refused(all: &Path, shop: &Path, file: &str) {
    let before = contents(all);
    let table = shop.join("customers.dbf");
    let error = IndexedTable::open(disk(), &table, options(Access::Shared)).unwrap_err();
    assert_eq!(error.code(), Code::NotPermitted, "{file}: {error}");
    assert!(error.place().unwrap().contains(file), "{file}: {error}");
    let findings = check_journals(&Disk, shop, std::iter::once(table.as_path()));
    assert!(findings.iter().any(|finding| finding.path.to_string_lossy().contains(file)), "{file}: {findings:?}");
    assert_eq!(contents(all), before, "{file}");
}

#[test]
fn a_journal_that_names_a_file_elsewhere_changes_nothing() {
    let all = tempfile::tempdir().unwrap();
    let all = all.path();
    let (shop, other) = (folder(all, "shop"), folder(all, "other"));
    let theirs = other.join("customers.dbf");
    let (evil, now) = planted_record(&theirs);
    let own = path_in_entry(Path::new("customers.dbf"), true);

    // By its whole path, by one with steps back, through a link of the file and of a folder, as an index file.
    symlink(&theirs, shop.join("linked.dbf")).unwrap();
    symlink(&other, shop.join("away")).unwrap();
    let tables = [
        path_in_entry(&theirs, false),
        path_in_entry(Path::new("../other/customers.dbf"), true),
        path_in_entry(Path::new("linked.dbf"), true),
        path_in_entry(&shop.join("away/customers.dbf"), false),
    ];
    for table in tables {
        let file = plant(&shop, "7-7-7.undo", &journal(&table, &[], (&evil, &now)));
        is_refused(all, &shop, "7-7-7.undo");
        std::fs::remove_file(file).unwrap();
    }
    let file =
        plant(&shop, "7-7-7.undo", &journal(&own, &[path_in_entry(&other.join("name.ntx"), false)], (&evil, &now)));
    is_refused(all, &shop, "7-7-7.undo");
    std::fs::remove_file(file).unwrap();

    // The journal is a link itself; what it names is beside it.
    let elsewhere = all.join("7-7-7.undo");
    std::fs::write(&elsewhere, journal(&own, &[], (&evil, &now))).unwrap();
    let link = plant(&shop, "other.txt", b"").with_file_name("7-7-7.undo");
    symlink(&elsewhere, &link).unwrap();
    is_refused(all, &shop, "7-7-7.undo");
    std::fs::remove_file(link).unwrap();

    // Without all of them the table is written again.
    open(&disk(), &shop.join("customers.dbf"), Access::Shared).update(1, &[(0, ValueRef::Text("Eva"))]).unwrap();
}

#[test]
fn a_link_leads_to_a_journal_and_nowhere_else() {
    let all = tempfile::tempdir().unwrap();
    let all = all.path();
    let shop = folder(all, "shop");
    // A file of zeros was taken for an empty journal and removed.
    std::fs::write(all.join("zeros"), [0; 16]).unwrap();
    std::fs::create_dir(all.join(".mainstay-transactions")).unwrap();
    std::fs::write(all.join(".mainstay-transactions/8-8-8.undo"), [0; 16]).unwrap();
    for target in [all.join("zeros"), all.join(".mainstay-transactions/8-8-8.undo"), shop.join("customers.dbf")] {
        let file = plant(&shop, "7-7-7.link", target.as_os_str().as_encoded_bytes());
        is_refused(all, &shop, "7-7-7.link");
        std::fs::remove_file(file).unwrap();
    }
    // One to a journal that was ended is removed, as before.
    let file =
        plant(&shop, "7-7-7.link", all.join("x/.mainstay-transactions/7-7-7.undo").as_os_str().as_encoded_bytes());
    open(&disk(), &shop.join("customers.dbf"), Access::Shared).close().unwrap();
    assert!(!file.exists());
}

#[test]
fn a_list_of_stale_indexes_names_files_of_its_folder() {
    let all = tempfile::tempdir().unwrap();
    let all = all.path();
    let (shop, other) = (folder(all, "shop"), folder(all, "other"));
    let list = shop.join("customers.dbf.stale");
    std::fs::write(&list, other.join("name.ntx").as_os_str().as_encoded_bytes()).unwrap();
    is_refused(all, &shop, "customers.dbf.stale");
    std::fs::write(&list, shop.join("name.ntx").as_os_str().as_encoded_bytes()).unwrap();
    open(&disk(), &shop.join("customers.dbf"), Access::Shared).close().unwrap();
    assert!(!list.exists(), "it was made anew");
}

/// A transaction over tables of two folders, with an index in a third: undone from either side, as it has links.
#[test]
fn tables_of_several_folders_are_undone_together() {
    for from in ["shop", "other"] {
        let all = tempfile::tempdir().unwrap();
        let all = all.path();
        let (shop, other) = (folder(all, "shop"), folder(all, "other"));
        std::fs::create_dir(all.join("indexes")).unwrap();
        std::fs::rename(other.join("name.ntx"), all.join("indexes/name.ntx")).unwrap();
        let rows = |folder: &Path| {
            let (mut table, mut bytes) = (open(&disk(), &folder.join("customers.dbf"), Access::Shared), Vec::new());
            table.read(1, &mut bytes).unwrap();
            bytes
        };
        let before = (rows(&shop), rows(&other));
        {
            let (mut a, mut b) = (
                open(&disk(), &shop.join("customers.dbf"), Access::Shared),
                open(&disk(), &other.join("customers.dbf"), Access::Shared),
            );
            b.open_bag(&all.join("indexes/name.ntx")).unwrap();
            let transaction = Transaction::begin(disk());
            a.enlist(&transaction).unwrap();
            b.enlist(&transaction).unwrap();
            a.update(1, &[(0, ValueRef::Text("changed"))]).unwrap();
            b.update(1, &[(0, ValueRef::Text("changed"))]).unwrap();
            let journals = shop.join(".mainstay-transactions");
            assert!(check_journals(&Disk, &shop, std::iter::empty()).is_empty());
            assert!(std::fs::read_dir(journals).unwrap().count() == 1);
        }
        // The process is gone.
        assert!(check_journals(&Disk, &other, std::iter::empty()).is_empty());
        open(&disk(), &all.join(from).join("customers.dbf"), Access::Shared).close().unwrap();
        assert_eq!((rows(&shop), rows(&other)), before, "from {from}");
        let mut table = open(&disk(), &other.join("customers.dbf"), Access::Exclusive);
        table.open_bag(&all.join("indexes/name.ntx")).unwrap();
        let tag = table.find_tag("NAME").unwrap();
        let mut keys = Vec::new();
        let walked = indexed_common::walk(&table.tag(tag).unwrap()).unwrap();
        keys.extend(walked.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned()));
        assert!(!keys.iter().any(|key| key.starts_with("changed")), "{keys:?}");
    }
}

#[test]
fn journals_that_are_not_understood_are_found_with_their_place() {
    let all = tempfile::tempdir().unwrap();
    let shop = folder(all.path(), "shop");
    let table = shop.join("customers.dbf");
    let (evil, now) = planted_record(&table);
    let good = journal(&path_in_entry(Path::new("customers.dbf"), true), &[], (&evil, &now));
    let table_entry = 16 + 12 + 4 + 2 + 5 + "customers.dbf".len() + 4;
    let other_magic = [&b"MSDBFTX\x02"[..], &good[8..]].concat();
    let kind = |payload: &[u8]| [&good[..16], &entry(payload)].concat();
    let of_no_table = [&good[..16], &good[table_entry..]].concat();
    let mut damaged = good.clone();
    damaged[20] ^= 1;
    let cases = [
        ("another version", other_magic, "byte 0"),
        ("an unknown kind", kind(&[9, 1, 2, 3]), "byte 16"),
        ("a lock scheme that is none", kind(&[1, 0, 0, 0, 0, 99]), "byte 16"),
        ("an entry that is cut within its sum", kind(&[3, 1]), "byte 16"),
        ("a table that nobody named", of_no_table, "entry 1"),
        ("damage in front of a whole entry", damaged, "byte 16"),
    ];
    for (what, bytes, place) in cases {
        let file = plant(&shop, "1-1-1.undo", &bytes);
        let findings = check_journals(&Disk, &shop, std::iter::once(table.as_path()));
        assert_eq!(findings.len(), 1, "{what}: {findings:?}");
        assert_eq!((findings[0].path.as_path(), findings[0].place.as_str()), (file.as_path(), place), "{what}");
        assert_eq!(findings[0].severity, mainstay_xbase::Severity::Error);
    }
    // Whole, cut off within its last entry, empty: what a process leaves that is killed.
    for bytes in [&good[..], &good[..good.len() - 3], &good[..16], &[0; 16], &[]] {
        plant(&shop, "1-1-1.undo", bytes);
        let findings = check_journals(&Disk, &shop, std::iter::once(table.as_path()));
        assert!(findings.is_empty(), "{} bytes: {findings:?}", bytes.len());
    }
}
