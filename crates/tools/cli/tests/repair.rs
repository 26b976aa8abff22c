//! `mainstay check --repair`: damaged tables are rebuilt in new files, the old ones stay, and the exit code reports
//! whether the new ones are sound.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures");

/// A folder with copies of the files of a table of Harbour's.
fn folder_of(table: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["dbf", "fpt", "cdx"] {
        let name = format!("{table}.{extension}");
        if Path::new(FIXTURES).join(&name).exists() {
            std::fs::copy(Path::new(FIXTURES).join(&name), folder.path().join(&name)).unwrap();
        }
    }
    folder
}

/// How a command ends, and what it prints.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mainstay")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The output of a statement, as CSV without names.
#[track_caller]
fn rows(folder: &Path, sql: &str) -> String {
    let (code, printed, told) = run(&[folder.to_str().unwrap(), "--format", "csv", "--no-header", "-c", sql]);
    assert_eq!((code, told.as_str()), (Some(0), ""), "{sql}");
    printed
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// Changes the bytes of a file.
fn damage(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

/// Repairs the tables of a folder; the files that were there are as they were. Gives what was told, and the exit code.
#[track_caller]
fn repair(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let before = contents(folder);
    let path = folder.to_str().unwrap();
    assert_eq!(run(&["check", path]).0, Some(4), "it is damaged");
    let (code, printed, told) = run(&[&["check", path, "--repair"], more].concat());
    let after = contents(folder);
    for (path, bytes) in before {
        assert!(after.get(&path) == Some(&bytes), "{} was changed", path.display());
    }
    (code, printed + &told)
}

#[test]
fn a_truncated_table_keeps_its_whole_records() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    let table = folder.join("t04_cdx_updated.dbf");
    let count: u64 = rows(folder, "SELECT max(_recno) FROM t04_cdx_updated").trim().parse().unwrap();
    damage(&table, |bytes| bytes.truncate(bytes.len() * 2 / 3));
    let (code, told) = repair(folder, &[]);
    assert_eq!(code, Some(0), "{told}");
    let new = folder.join("repaired/t04_cdx_updated.dbf");
    let line = format!("repaired: {} as {}, ", table.display(), new.display());
    assert!(told.contains(&line), "{told}");
    let kept: u64 = rows(&new, "SELECT max(_recno) FROM t04_cdx_updated").trim().parse().unwrap();
    assert!(kept > count / 2 && kept < count, "{kept} of {count}");
    assert!(told.contains(", 1,132 records\n"), "{told}");
    assert_eq!(run(&["check", new.to_str().unwrap()]).0, Some(0));
    let plan = rows(&new, "EXPLAIN SELECT id FROM t04_cdx_updated WHERE id = 5");
    assert!(plan.contains("index="), "its indexes are there: {plan}");
    // Nothing is written over.
    let (code, printed, _) = run(&["check", table.to_str().unwrap(), "--repair"]);
    assert_eq!(code, Some(4));
    assert!(
        printed.contains("not repaired: ") && printed.contains("there is a file of this name already"),
        "{printed}"
    );
}

#[test]
fn a_damaged_index_is_made_anew_in_the_folder_that_is_named() {
    let folder = folder_of("t04_cdx_updated");
    let (folder, saved) = (folder.path(), folder.path().join("saved"));
    let all = rows(folder, "SELECT _recno, * FROM t04_cdx_updated ORDER BY _recno");
    damage(&folder.join("t04_cdx_updated.cdx"), |bytes| {
        let at = bytes.len() - 1500;
        bytes[at..at + 900].fill(0xEE);
    });
    let (code, told) = repair(folder, &["--into", saved.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(rows(&saved, "SELECT _recno, * FROM t04_cdx_updated ORDER BY _recno"), all);
    assert!(saved.join("t04_cdx_updated.cdx").exists());
    assert_eq!(run(&["check", saved.to_str().unwrap()]).0, Some(0));
}

#[test]
fn an_index_that_is_named_is_repaired_with_its_table() {
    let folder = folder_of("t04_cdx_updated");
    let cdx = folder.path().join("t04_cdx_updated.cdx");
    damage(&cdx, |bytes| {
        let at = bytes.len() - 1500;
        bytes[at..at + 900].fill(0xEE);
    });
    let (code, printed, told) = run(&["check", cdx.to_str().unwrap(), "--repair"]);
    assert_eq!(code, Some(0), "{printed}{told}");
    assert!(folder.path().join("repaired/t04_cdx_updated.cdx").exists());
}

/// A damaged index whose definition cannot be taken over is named, and nothing is called sound.
#[test]
fn damaged_files_that_are_left_out_are_named() {
    let sample = Path::new(FIXTURES).join("../../sample");
    let folder = tempfile::tempdir().unwrap();
    for name in ["products.dbf", "products.dbt", "prod_id.ntx", "prod_nam.ntx"] {
        std::fs::copy(sample.join(name), folder.path().join(name)).unwrap();
    }
    damage(&folder.path().join("prod_id.ntx"), |bytes| bytes[1100..1500].fill(0x11));
    let (code, told) = repair(folder.path(), &[]);
    assert_eq!(code, Some(4), "{told}");
    assert!(told.contains("prod_id.ntx: it is damaged, and not part of a table that was made anew"), "{told}");
    assert!(!told.contains("what was damaged is sound"), "{told}");
}

/// A folder with the ADT of all types.
fn adt_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["adt", "adm", "adi"] {
        let name = format!("own-alltypes.{extension}");
        std::fs::copy(Path::new(FIXTURES).join("adt").join(&name), folder.path().join(&name)).unwrap();
    }
    folder
}

#[test]
fn a_truncated_adt_keeps_its_whole_records_with_memos_and_indexes() {
    let folder = adt_folder();
    let folder = folder.path();
    let sql = |condition: &str| format!("SELECT * FROM \"own-alltypes\" WHERE {condition} ORDER BY id");
    let all = rows(folder, &sql("id < 250"));
    damage(&folder.join("own-alltypes.adt"), |bytes| bytes.truncate(bytes.len() - 20));
    let (code, told) = repair(folder, &[]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("1 record fewer than the old header counts"), "{told}");
    let new = folder.join("repaired");
    assert_eq!(rows(&new, &sql("id < 250")), all);
    assert_eq!(run(&["check", new.to_str().unwrap()]).0, Some(0));
    let plan = rows(&new, "EXPLAIN SELECT id FROM \"own-alltypes\" WHERE id = 5");
    assert!(plan.contains("index="), "its indexes are there: {plan}");
    let insert = "INSERT INTO \"own-alltypes\" (name) VALUES ('after')";
    assert_eq!(run(&[new.to_str().unwrap(), "-c", insert]).0, Some(0));
}

#[test]
fn an_adt_with_a_broken_list_counter_memo_or_index_is_made_anew() {
    type Damage = fn(&mut Vec<u8>);
    let cases: [(&str, Damage, &str); 4] = [
        // The first reusable record is one that is not deleted.
        ("adt", |bytes| bytes[40..44].copy_from_slice(&1_u32.to_le_bytes()), "which is not deleted"),
        ("adt", |bytes| bytes[80..88].copy_from_slice(&1_u64.to_le_bytes()), "next AutoIncrement value is 1"),
        ("adm", |bytes| bytes.truncate(bytes.len() / 2), "memo"),
        (
            "adi",
            |bytes| {
                let at = bytes.len() - 1500;
                bytes[at..at + 900].fill(0xEE);
            },
            "own-alltypes.adi",
        ),
    ];
    for (extension, change, said) in cases {
        let folder = adt_folder();
        let folder = folder.path();
        let path = folder.to_str().unwrap();
        let count = rows(folder, "SELECT count(*) FROM \"own-alltypes\"");
        damage(&folder.join("own-alltypes").with_extension(extension), change);
        let (code, found, _) = run(&["check", path, "--verbose"]);
        assert!(code == Some(4) && found.contains(said), "{extension}: {found}");
        let (code, told, errors) = run(&["check", path, "--repair", "--replace"]);
        assert_eq!(code, Some(0), "{extension}: {told}{errors}");
        assert!(extension == "adm" || told.contains("nothing is lost"), "{extension}: {told}");
        assert_eq!(run(&["check", path]).0, Some(0), "{extension}");
        assert_eq!(rows(folder, "SELECT count(*) FROM \"own-alltypes\""), count, "{extension}");
        assert_eq!(run(&[path, "-c", "INSERT INTO \"own-alltypes\" (name) VALUES ('x')"]).0, Some(0));
        let ids = rows(folder, "SELECT count(DISTINCT id), count(id) FROM \"own-alltypes\"");
        let (distinct, all) = ids.trim().split_once(',').unwrap();
        assert_eq!(distinct, all, "{extension}");
    }
}

#[test]
fn a_damaged_memo_loses_what_cannot_be_read_and_says_so() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    damage(&folder.join("t04_cdx_updated.fpt"), |bytes| bytes.truncate(bytes.len() / 2));
    let (code, told) = repair(folder, &[]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("record "), "what is lost is named: {told}");
    let new = folder.join("repaired/t04_cdx_updated.dbf");
    assert!(folder.join("repaired/t04_cdx_updated.fpt").exists());
    let count = |table: &str, name: &str| rows(&folder.join(table), &format!("SELECT count(*) FROM \"{name}\""));
    assert_eq!(
        count("repaired/t04_cdx_updated.dbf", "t04_cdx_updated"),
        rows(Path::new(FIXTURES), "SELECT count(*) FROM t04_cdx_updated")
    );
    assert_eq!(run(&["check", new.to_str().unwrap()]).0, Some(0));
}

/// The record and its memo are written, its keys are not.
#[test]
fn a_process_that_was_killed_within_an_append_leaves_a_table_that_can_be_repaired() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    let cdx = folder.join("t04_cdx_updated.cdx");
    let keys = std::fs::read(&cdx).unwrap();
    let path = folder.to_str().unwrap();
    assert_eq!(run(&[path, "-c", "INSERT INTO t04_cdx_updated (id) VALUES (987654)"]).0, Some(0));
    std::fs::write(&cdx, keys).unwrap();
    let (code, told) = repair(folder, &[]);
    assert_eq!(code, Some(0), "{told}");
    let new = folder.join("repaired/t04_cdx_updated.dbf");
    assert_eq!(rows(&new, "SELECT count(*) FROM t04_cdx_updated WHERE id = 987654"), "1\n");
}

#[test]
fn a_table_without_its_index_is_made_anew_to_be_written_to() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    std::fs::remove_file(folder.join("t04_cdx_updated.cdx")).unwrap();
    let path = folder.to_str().unwrap();
    assert_eq!(run(&[path, "-c", "DELETE FROM t04_cdx_updated"]).0, Some(1));
    let (code, printed, told) = run(&["check", path, "--repair"]);
    assert_eq!(code, Some(0), "{printed}{told}");
    assert!(printed.contains("repaired: ") && printed.contains("the new table has none"), "{printed}");
    assert!(printed.contains("not all is there") && told.contains("lost: 1 index or memo file"), "{printed}{told}");
    let new = folder.join("repaired");
    let sql = "INSERT INTO t04_cdx_updated (id) VALUES (987654)";
    assert_eq!(run(&[new.to_str().unwrap(), "-c", sql]).0, Some(0), "it is written to");
    let all = "SELECT count(*) FROM t04_cdx_updated WHERE id = 987654";
    assert_eq!(rows(&new, all), "1\n");
}

#[test]
fn what_is_sound_or_no_dbf_is_not_repaired() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    let files = contents(folder);
    assert_eq!(run(&["check", folder.to_str().unwrap(), "--repair"]).0, Some(0));
    assert_eq!(contents(folder), files);
    std::fs::write(folder.join("a.csv"), "a,b\n1\n\"2").unwrap();
    let (code, printed, _) = run(&["check", folder.to_str().unwrap(), "--repair"]);
    assert_eq!(code, run(&["check", folder.to_str().unwrap()]).0, "{printed}");
    assert_eq!(run(&["check", folder.to_str().unwrap(), "--into", "x"]).0, Some(2), "--into without --repair");
}

/// The folder of the new files is no obstacle: the old tables are used as before, and written to where they can be (`new-01`).
#[test]
fn a_repair_leaves_the_old_tables_usable() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sample");
    for name in ["products.dbf", "products.dbt", "prod_id.ntx", "prod_nam.ntx"] {
        std::fs::copy(sample.join(name), folder.join(name)).unwrap();
    }
    damage(&folder.join("products.dbt"), |bytes| bytes.truncate(bytes.len() - 500));
    let path = folder.to_str().unwrap();
    let update = "UPDATE products SET name = 'x' WHERE _recno = 1";
    assert_eq!(run(&[path, "-c", update]).0, Some(0));
    let (code, told) = repair(folder, &[]);
    assert_eq!(code, Some(0), "{told}");
    assert!(!told.contains("is sound"), "a memo is lost: {told}");
    assert!(told.contains("lost: 1 value"), "{told}");
    assert_eq!(run(&[path, "-c", update]), (Some(0), String::new(), String::new()));
    let new = folder.join("repaired");
    assert_eq!(run(&[new.to_str().unwrap(), "-c", update]).0, Some(0));
    assert!(new.join("prod_id.ntx").exists() && new.join("prod_nam.ntx").exists());
}

/// `--replace` puts the new files in place; the old ones are in a folder with the date, byte for byte.
#[test]
fn new_files_take_the_place_of_the_old_ones() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    damage(&folder.join("t04_cdx_updated.cdx"), |bytes| {
        let at = bytes.len() - 1500;
        bytes[at..at + 900].fill(0xEE);
    });
    let before = contents(folder);
    let all = rows(folder, "SELECT _recno, * FROM t04_cdx_updated ORDER BY _recno");
    let path = folder.to_str().unwrap();
    let (code, printed, told) = run(&["check", path, "--repair", "--replace"]);
    assert_eq!(code, Some(0), "{printed}{told}");
    assert!(printed.contains("in place: ") && told.contains("is sound in place"), "{printed}{told}");
    assert_eq!(run(&["check", path]).0, Some(0));
    assert_eq!(rows(folder, "SELECT _recno, * FROM t04_cdx_updated ORDER BY _recno"), all);
    assert_eq!(run(&[path, "-c", "UPDATE t04_cdx_updated SET id = id WHERE id = 5"]).0, Some(0));
    assert!(!folder.join("repaired").exists());
    let old: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    let [old] = &old[..] else { panic!("{old:?}") };
    assert!(old.file_name().unwrap().to_string_lossy().starts_with("damaged-20"), "{old:?}");
    for (path, bytes) in before {
        assert!(std::fs::read(old.join(path.file_name().unwrap())).unwrap() == bytes, "{}", path.display());
    }
}

/// Texts that cannot be those that were stored are no reason to say that nothing is lost, nor is an empty table.
#[test]
fn a_new_table_without_its_texts_or_records_is_not_put_in_place() {
    let overlap = |table: &Path| spoil(table, 5, "MEMO", &[0x10, 0, 0, 0]);
    let without_memo = |table: &Path| std::fs::remove_file(table.with_extension("fpt")).unwrap();
    let wrong_length = |table: &Path| damage(table, |bytes| bytes[10..12].fill(0x99));
    type Damage<'a> = &'a dyn Fn(&Path);
    let cases: [(Damage<'_>, &str); 3] = [
        (&overlap, "record 5, field MEMO overlap"),
        (&without_memo, "look for the file first"),
        (&wrong_length, "write 4E 00 to the bytes 10 and 11"),
    ];
    for (damages, reason) in cases {
        let folder = folder_of("t04_cdx_updated");
        let folder = folder.path();
        let table = folder.join("t04_cdx_updated.dbf");
        damages(&table);
        let before = contents(folder);
        let (code, printed, told) = run(&["check", folder.to_str().unwrap(), "--repair", "--replace"]);
        assert_eq!(code, Some(4), "{reason}: {printed}{told}");
        assert!(printed.contains(reason) && !printed.contains("nothing is lost"), "{reason}: {printed}{told}");
        assert!(!printed.contains("\nin place: "), "{reason}: {printed}{told}");
        assert!(before.iter().all(|(path, bytes)| std::fs::read(path).is_ok_and(|now| now == *bytes)), "{reason}");
    }
}

/// Each of several damaged tables is put in place; none of the new files is removed with those of another table.
#[test]
fn several_new_tables_are_put_in_place() {
    let folder = two_damaged_tables();
    let folder = folder.path();
    let path = folder.to_str().unwrap();
    let (code, printed, told) = run(&["check", path, "--repair", "--replace"]);
    assert_eq!((code, printed.matches("in place: ").count()), (Some(0), 2), "{printed}{told}");
    for table in ["other", "t04_cdx_updated"] {
        assert_ne!(rows(folder, &format!("SELECT count(*) FROM {table}")), "0\n");
    }
    assert_eq!(run(&["check", path]).0, Some(0));
    assert!(!folder.join("repaired").exists());
}

/// A table that another process has open, with or without locks, stays where it is, and the others are put in place.
#[test]
fn a_table_in_use_is_not_replaced() {
    for locks in [false, true] {
        let folder = two_damaged_tables();
        let folder = folder.path();
        let used = std::fs::File::options().read(true).write(true).open(folder.join("other.dbf")).unwrap();
        if locks {
            used.lock_shared().unwrap();
        }
        let before = contents(folder);
        let (code, printed, told) = run(&["check", folder.to_str().unwrap(), "--repair", "--replace"]);
        assert_eq!(code, Some(4), "{printed}{told}");
        assert!(printed.contains("other.dbf: the process "), "{printed}{told}");
        assert!(printed.contains("in place: ") && printed.contains("t04_cdx_updated.dbf; the old"), "{printed}{told}");
        for name in ["other.dbf", "other.cdx"] {
            assert!(before[&folder.join(name)] == std::fs::read(folder.join(name)).unwrap(), "{name}");
        }
        assert!(folder.join("repaired/other.dbf").exists());
    }
}

/// A table with a damaged index, twice: under its name and as `other`.
fn two_damaged_tables() -> tempfile::TempDir {
    let folder = folder_of("t04_cdx_updated");
    damage(&folder.path().join("t04_cdx_updated.cdx"), |bytes| {
        let at = bytes.len() - 1500;
        bytes[at..at + 900].fill(0xEE);
    });
    for entry in contents(folder.path()).into_keys() {
        std::fs::copy(&entry, folder.path().join("other").with_extension(entry.extension().unwrap())).unwrap();
    }
    folder
}

/// Folders below are named, and looked at with `-r` (`new-02`).
#[test]
fn folders_below_are_named_or_looked_at() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    let below = folder.join("2023");
    std::fs::create_dir(&below).unwrap();
    std::fs::create_dir(folder.join("letters")).unwrap();
    std::fs::write(folder.join("letters/a.txt"), "x").unwrap();
    let bytes = std::fs::read(folder.join("t04_cdx_updated.dbf")).unwrap();
    std::fs::write(below.join("old.dbf"), &bytes[..bytes.len() / 2]).unwrap();
    let path = folder.to_str().unwrap();
    let (code, printed, told) = run(&["check", path]);
    assert_eq!((code, printed.as_str()), (Some(0), ""), "{told}");
    assert!(told.contains("1 sub-folder with tables not looked at (-r looks at them)"), "{told}");
    assert!(told.contains("2023") && !told.contains("letters"), "{told}");
    let (code, printed, told) = run(&["check", "-r", path]);
    assert_eq!(code, Some(4), "{told}");
    assert!(printed.contains("old.dbf"), "{printed}");
    let (code, printed, _) = run(&["check", path, "--format", "json"]);
    assert_eq!(code, Some(0));
    assert!(printed.contains("\"folders\":[\"") && printed.contains("2023"), "{printed}");
}

/// The summary comes first; of a kind of finding a few lines, and a count.
#[test]
fn a_check_begins_with_a_summary() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    let path = folder.to_str().unwrap();
    let (code, _, told) = run(&["check", path]);
    assert_eq!(code, Some(0));
    let count = rows(folder, "SELECT max(_recno) FROM t04_cdx_updated");
    let count: usize = count.trim().parse().unwrap();
    let rows = format!("{},{:03} rows", count / 1000, count % 1000);
    assert!(told.starts_with(&format!("checked 3 files: 1 table with {rows}\n")), "{told}");
    // Every hundredth memo block number is one beyond the file.
    damage(&folder.join("t04_cdx_updated.fpt"), |bytes| bytes.truncate(bytes.len() / 4));
    let (code, few, told) = run(&["check", path]);
    assert_eq!(code, Some(4));
    assert!(told.contains("what to do: back up the folder as it is, then run check --repair"), "{told}");
    let (_, all, _) = run(&["check", path, "--verbose"]);
    assert!(few.lines().count() < 20 && few.contains("more findings of this kind"), "{few}");
    assert!(all.lines().count() > few.lines().count() + 10, "{}", all.lines().count());
}

/// Overwrites the bytes of a field in a record, which counts from 1.
fn spoil(table: &Path, record: usize, field: &str, value: &[u8]) {
    damage(table, |bytes| {
        let number = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let (header, length) = (number(8), number(10));
        let mut at = header + (record - 1) * length + 1;
        let descriptor = (32..header).step_by(32).find(|start| {
            let is_field = bytes[*start..*start + 11].starts_with(field.as_bytes());
            at += if is_field { 0 } else { usize::from(bytes[*start + 16]) };
            is_field
        });
        assert!(descriptor.is_some());
        bytes[at..at + value.len()].copy_from_slice(value);
    });
}

/// A value that cannot be read is empty in the new table, and its bytes are in a list beside it; with `--replace` beside the old
/// files. Nothing is found in the new table.
#[test]
fn values_that_cannot_be_read_are_listed() {
    for replaces in [false, true] {
        let folder = folder_of("t04_cdx_updated");
        let folder = folder.path();
        let table = folder.join("t04_cdx_updated.dbf");
        spoil(&table, 3, "ID", b"1x");
        let path = folder.to_str().unwrap();
        let (code, found, _) = run(&["check", path]);
        assert_eq!(code, Some(4), "{found}");
        let more: &[&str] = if replaces { &["--replace"] } else { &[] };
        let (code, printed, told) = run(&[&["check", path, "--repair"], more].concat());
        assert_eq!(code, Some(0), "{printed}{told}");
        assert!(printed.contains("1 value that cannot be read left empty"), "{printed}");
        assert!(told.contains("lost: 1 value"), "{told}");
        let (new, list) = match replaces {
            true => {
                let old =
                    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
                (folder.to_owned(), old.unwrap().join("t04_cdx_updated.rejects.txt"))
            }
            false => (folder.join("repaired"), folder.join("repaired/t04_cdx_updated.rejects.txt")),
        };
        let list = std::fs::read_to_string(list).unwrap();
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(lines[0], "record\tfield\tbytes\treason");
        assert!(lines[1].starts_with("3\tID\t") && lines[1].ends_with("is not a number"), "{list}");
        assert_eq!(lines.len(), 2);
        assert_eq!(run(&["check", new.to_str().unwrap()]).0, Some(0));
        assert_eq!(rows(&new, "SELECT count(*) FROM t04_cdx_updated WHERE _recno = 3 AND id IS NULL"), "1\n");
    }
}

/// A table whose new one lacks an index stays where it is, and the command names it and the way on.
#[test]
fn a_table_that_lost_an_index_is_not_put_in_place_without_a_word() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    let cdx = folder.join("t04_cdx_updated.cdx");
    // The header of the first tag has the length of its keys, its options, and the text of its key 512 bytes on. The directory's
    // header and its leaf stand before it.
    damage(&cdx, |bytes| {
        let is_header = |at: &usize| bytes[at + 14] & 0x60 == 0x60 && bytes[at + 512].is_ascii_alphabetic();
        let tag = (1536..bytes.len() - 512).step_by(512).find(is_header).unwrap();
        bytes[tag + 12..tag + 14].fill(0);
    });
    let before = contents(folder);
    let path = folder.to_str().unwrap();
    let (code, printed, told) = run(&["check", path, "--repair", "--replace"]);
    assert_eq!(code, Some(4), "{printed}{told}");
    let table = folder.join("t04_cdx_updated.dbf");
    assert!(printed.contains(&format!("not in place: {}: the new table lacks", table.display())), "{printed}");
    assert!(printed.contains("what to do: "), "{printed}");
    for (file, bytes) in before {
        assert!(std::fs::read(&file).unwrap() == bytes, "{}", file.display());
    }
    // The damaged tag is in the list of indexes, and the hints lead out.
    let shown = rows(folder, "SHOW INDEXES FROM t04_cdx_updated");
    let damaged = shown.lines().find(|line| line.contains("its definition is damaged")).unwrap();
    let name = damaged.split(',').next().unwrap().trim_matches('"');
    let (_, _, told) = run(&[path, "-c", "REINDEX t04_cdx_updated"]);
    assert!(told.contains("DROP INDEX"), "{told}");
    assert_eq!(run(&[path, "-c", &format!("DROP INDEX {name} ON t04_cdx_updated")]).0, Some(0), "{name}");
    assert_eq!(run(&["check", path]).0, Some(0));
    assert!(!rows(folder, "SHOW INDEXES FROM t04_cdx_updated").contains("damaged"));
}

/// A notice of damage has one word in front, not two.
#[test]
fn notices_are_not_called_errors_as_well() {
    let folder = folder_of("t04_cdx_updated");
    let folder = folder.path();
    std::fs::remove_file(folder.join("t04_cdx_updated.fpt")).unwrap();
    let (_, _, told) = run(&[folder.to_str().unwrap(), "-c", "SELECT * FROM t04_cdx_updated LIMIT 1"]);
    assert!(told.contains("notice: ") && !told.contains("notice: error"), "{told}");
}
