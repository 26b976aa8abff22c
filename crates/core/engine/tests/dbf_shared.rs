//! SQL changes of DBF tables that other programs have created and have open: their indexes, their locks, their view of
//! the changes. `python3` is needed for the locks of another program (`crates/storage/xbase/tests/raw_locks.py`).

#![allow(clippy::disallowed_methods)]

#[path = "../../../storage/xbase/tests/common/other_program.rs"]
mod other_program;
mod support;

use mainstay_types::{Code, Value, ValueRef};
use mainstay_vfs::Disk;
use mainstay_xbase::indexed::{IndexedTable, Transaction};
use mainstay_xbase::lock::LockScheme;
use mainstay_xbase::writer::{Access, TableWriter, WriteOptions};
use other_program::Other;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use support::{change, check, copy, failure, lines, session, value};

#[test]
fn the_locks_of_another_program_are_respected_and_ours_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    change(&mut session, "CREATE TABLE cdx (id INTEGER, name CHAR(5)) WITH (FORMAT = dbf)");
    change(&mut session, "CREATE INDEX id ON cdx (id)");
    change(&mut session, "CREATE TABLE ntx (id INTEGER, name CHAR(5)) WITH (FORMAT = dbf, VERSION = clipper)");
    change(&mut session, "CREATE INDEX ntx_id ON ntx USING ntx (id)");
    change(&mut session, "SET lock_timeout = 40ms");
    for (table, scheme) in [("cdx", LockScheme::FoxPro), ("ntx", LockScheme::Clipper)] {
        change(&mut session, &format!("INSERT INTO {table} VALUES (1, 'a'), (2, 'b'), (3, 'c')"));
        let path = folder.path().join(format!("{table}.dbf"));
        let bytes = {
            let table = TableWriter::open(Arc::new(Disk), &path, WriteOptions::new(Access::Shared)).unwrap();
            table.lock_bytes()
        };
        assert_eq!(bytes.scheme(), scheme);
        let record = |number| bytes.records(&(number..=number));
        let mut other = Other::start(&path);
        let all = format!("SELECT id, name FROM {table} ORDER BY id");
        let before = lines(&mut session, &all);
        // Theirs: the record is refused, and what the statement did before it is undone.
        assert!(other.lock(record(2)));
        for sql in ["UPDATE t SET name = 'x'", "DELETE FROM t WHERE id > 1", "UPDATE t SET id = 9 WHERE name = 'b'"] {
            let error = failure(&mut session, &sql.replace(" t ", &format!(" {table} ")));
            assert_eq!(error.code(), Code::LockTimeout, "{sql}: {error}");
            assert!(error.message().starts_with("record 2 is locked by python3 (process "), "{error}");
            assert_eq!(lines(&mut session, &all), before, "{sql}");
        }
        assert_eq!(change(&mut session, &format!("UPDATE {table} SET name = 'y' WHERE id = 1")), 1);
        other.unlock(record(2));
        assert!(other.lock(bytes.header()));
        let error = failure(&mut session, &format!("INSERT INTO {table} VALUES (4, 'd'), (5, 'e')"));
        assert_eq!(error.code(), Code::LockTimeout, "{error}");
        other.unlock(bytes.header());
        assert_eq!(value(&mut session, &format!("SELECT count(*) FROM {table}")), "3");
        // Ours: until the transaction ends, and of the records that it has changed only.
        change(&mut session, "BEGIN");
        change(&mut session, &format!("UPDATE {table} SET name = 'z' WHERE id = 3"));
        assert!(!other.lock(record(3)));
        assert!(other.lock(record(1)));
        other.unlock(record(1));
        change(&mut session, "COMMIT");
        assert!(other.lock(record(3)));
        other.unlock(record(3));
        drop(other);
    }
    drop(session);
    check(folder.path());
}

/// As a program of the ACE library does that opens a table of dBASE as ADS_CDX, or one with a CDX as ADS_NTX.
#[test]
fn a_program_of_ours_that_locks_in_another_scheme_and_sql_exclude_each_other() {
    for (version, index, scheme) in
        [("clipper", "", LockScheme::FoxPro), ("foxpro", "CREATE INDEX id ON t (id)", LockScheme::Clipper)]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut session = session(folder.path());
        change(
            &mut session,
            &format!("CREATE TABLE t (id INTEGER, n INTEGER) WITH (FORMAT = dbf, VERSION = {version})"),
        );
        change(&mut session, "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
        if !index.is_empty() {
            change(&mut session, index);
        }
        change(&mut session, "SET lock_timeout = 40ms");
        let options = WriteOptions { scheme: Some(scheme), ..WriteOptions::new(Access::Shared) };
        let mut other = IndexedTable::open(Arc::new(Disk), &folder.path().join("t.dbf"), options).unwrap();
        other.lock_record(2).unwrap();
        assert_eq!(failure(&mut session, "UPDATE t SET n = 9").code(), Code::LockTimeout, "{version}");
        assert_eq!(change(&mut session, "UPDATE t SET n = 8 WHERE id = 1"), 1);
        other.unlock().unwrap();
        change(&mut session, "BEGIN");
        change(&mut session, "UPDATE t SET n = 7 WHERE id = 3");
        assert!(!other.try_lock_record(3).unwrap() && other.try_lock_record(1).unwrap(), "{version}");
        change(&mut session, "COMMIT");
        assert!(other.try_lock_record(3).unwrap(), "{version}");
        other.unlock().unwrap();
        other.lock_table().unwrap();
        assert_eq!(failure(&mut session, "INSERT INTO t VALUES (4, 4)").code(), Code::LockTimeout, "{version}");
        other.append(&[ValueRef::Integer(5), ValueRef::Integer(5)]).unwrap();
        other.close().unwrap();
        assert_eq!(value(&mut session, "SELECT n FROM t WHERE id = 5"), "5");
        drop(session);
        check(folder.path());
    }
}

#[test]
fn tables_of_other_programs_are_changed_with_all_their_indexes() {
    let tables = [
        ("", "t03_cdx_tags", "UPDATE t SET name = upper(name), bal = -bal, active = NOT active WHERE id % 3 = 0"),
        ("", "t04_cdx_updated", "UPDATE t SET name = lower(name) WHERE _recno % 2 = 0"),
        ("", "t05_ntx", "UPDATE t SET num = num + 1, code = lower(code), dt = NULL WHERE neg > 0"),
        ("", "t07_vfp", ""),
        ("more", "m01_cp852", ""),
        ("more", "m01_cp1251", ""),
        ("more", "m15_ntx_compound", ""),
        ("more", "m16_ntx_large", ""),
        ("more", "m11_two_bags", ""),
        ("more", "m12_smt", ""),
        ("more", "m13_dbt_cdx", ""),
    ];
    for (from, name, update) in tables {
        // The files of NTX tables begin with the number only.
        let prefix = if name.starts_with("m01") { name } else { name.split('_').next().unwrap() };
        let folder = copy(from, &[prefix]);
        let mut session = session(folder.path());
        let before: u64 = value(&mut session, &format!("SELECT count(*) FROM {name}")).parse().unwrap();
        if !update.is_empty() {
            let changed = change(&mut session, &update.replace(" t ", &format!(" {name} ")));
            assert!(changed > 10, "{name}: {changed}");
        }
        let twice = change(&mut session, &format!("INSERT INTO {name} SELECT * FROM {name} WHERE _recno % 2 = 1"));
        let gone = change(&mut session, &format!("DELETE FROM {name} WHERE _recno % 5 = 1"));
        assert!(twice > 0 && gone > 0, "{name}: {twice} {gone}");
        let after: u64 = value(&mut session, &format!("SELECT count(*) FROM {name}")).parse().unwrap();
        assert_eq!(after, before + twice - gone, "{name}");
        drop(session);
        check(folder.path());
    }
}

#[test]
fn another_program_sees_a_change_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    change(&mut session, "CREATE TABLE t (id INTEGER, note TEXT) WITH (FORMAT = dbf)");
    change(&mut session, "CREATE INDEX id ON t (id)");
    change(&mut session, "INSERT INTO t VALUES (1, 'first')");
    // As one who has the table open all the time.
    let options = WriteOptions::new(Access::Shared);
    let mut other = IndexedTable::open(Arc::new(Disk), &folder.path().join("t.dbf"), options).unwrap();
    let tag = other.find_tag("id").unwrap();
    let mut bytes = Vec::new();
    let mut note = |other: &mut IndexedTable, record| {
        other.read(record, &mut bytes).unwrap();
        match other.value(1, &bytes).unwrap() {
            Value::Text(note) => note,
            note => panic!("{note:?}"),
        }
    };
    assert_eq!(note(&mut other, 1), "first");
    change(&mut session, "UPDATE t SET note = 'second, and longer'");
    change(&mut session, "INSERT INTO t VALUES (2, 'another')");
    assert_eq!((note(&mut other, 1), note(&mut other, 2)), ("second, and longer".into(), "another".into()));
    assert_eq!(other.with_tag(tag, |tag| tag.key_count()).unwrap(), 2);
    // And its changes are seen by the next statement.
    other.append(&[ValueRef::Integer(3), ValueRef::Text("theirs")]).unwrap();
    other.update(1, &[(1, ValueRef::Text("theirs too"))]).unwrap();
    assert_eq!(lines(&mut session, "SELECT note FROM t WHERE id <> 2 ORDER BY id"), ["theirs too", "theirs"]);
    assert_eq!(change(&mut session, "UPDATE t SET note = 'ours' WHERE id = 3"), 1);
    other.close().unwrap();
    drop(session);
    check(folder.path());
}

/// A table of three rows, and another program that can append to it in a transaction.
fn table_and_appender() -> (tempfile::TempDir, mainstay_engine::Session, IndexedTable) {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    change(&mut session, "CREATE TABLE t (id INTEGER, name CHAR(5)) WITH (FORMAT = dbf, VERSION = foxpro)");
    change(&mut session, "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    change(&mut session, "CREATE INDEX id ON t (id)");
    let path = folder.path().join("t.dbf");
    let mut other = IndexedTable::open(Arc::new(Disk), &path, WriteOptions::new(Access::Shared)).unwrap();
    other.open_bag(&path.with_extension("cdx")).unwrap();
    (folder, session, other)
}

/// Appends two rows, which are there for everybody until the transaction is rolled back.
fn append_two(other: &mut IndexedTable) -> Transaction {
    let transaction = Transaction::begin(Arc::new(Disk));
    other.enlist(&transaction).unwrap();
    for id in [4, 5] {
        other.append(&[ValueRef::Integer(id), ValueRef::Text("x")]).unwrap();
    }
    other.flush().unwrap();
    transaction
}

#[test]
fn rows_that_are_rolled_back_while_a_statement_reads_are_not_there() {
    let queries = [
        ("SELECT count(*) FROM t", vec!["3"]),
        ("SELECT id FROM t", vec!["1", "2", "3"]),
        ("SELECT id, name FROM t ORDER BY id DESC", vec!["3|c", "2|b", "1|a"]),
        ("SELECT name FROM t WHERE id >= 3", vec!["c"]),
        ("SELECT name FROM t WHERE name >= 'c'", vec!["c"]),
        ("SELECT a.id FROM t a JOIN t b ON a.id = b.id WHERE b.name > 'b'", vec!["3"]),
        ("SELECT max(id) FROM t", vec!["3"]),
    ];
    for (query, expected) in queries {
        // A state of which somebody knows already what is in it, and one of which nobody does.
        for is_counted in [false, true] {
            let (_folder, mut session, mut other) = table_and_appender();
            value(&mut session, "SELECT count(*) FROM t");
            let transaction = append_two(&mut other);
            std::thread::sleep(std::time::Duration::from_millis(60));
            if is_counted {
                assert_eq!(value(&mut session, "SELECT count(*) FROM t"), "5");
            }
            let answer = session.execute(query).unwrap();
            transaction.rollback(&mut [&mut other]).unwrap();
            let batches = answer.collect().unwrap_or_else(|error| panic!("{query}, {is_counted}: {error}"));
            let found: Vec<String> = batches.iter().flat_map(support::texts).map(|row| row.join("|")).collect();
            // A statement that had its rows before is done: an index gave them at once, or a thread has begun to read,
            // maybe when one of the two was taken out already.
            let is_index_or_thread = is_counted || query.contains("JOIN");
            let had_more = is_index_or_thread && (1..=2).any(|more| found.len() == expected.len() + more);
            assert!(found == expected || had_more || found == ["5"], "{query}, {is_counted}: {found:?}");
        }
    }
}

#[test]
fn statements_beside_a_program_that_rolls_back_do_not_fail() {
    let (folder, mut session, mut other) = table_and_appender();
    change(&mut session, "SET lock_timeout = 2s");
    let done = Arc::new(AtomicBool::new(false));
    let is_done = Arc::clone(&done);
    let appender = std::thread::spawn(move || {
        while !is_done.load(Relaxed) {
            append_two(&mut other).rollback(&mut [&mut other]).unwrap();
        }
        other.close().unwrap();
    });
    let until = std::time::Instant::now() + std::time::Duration::from_millis(1_500);
    while std::time::Instant::now() < until {
        for sql in ["SELECT count(*) FROM t", "SELECT count(name) FROM t WHERE id > 0", "SELECT max(_recno) FROM t"] {
            let count: u64 = value(&mut session, sql).parse().unwrap();
            assert!((3..=5).contains(&count), "{sql}: {count}");
        }
        assert_eq!(change(&mut session, "UPDATE t SET name = 'n' WHERE id = 2"), 1);
        for row in lines(&mut session, "SELECT id, name FROM t ORDER BY id") {
            assert!(["1|a", "2|n", "3|c", "4|x", "5|x"].contains(&row.as_str()), "{row}");
        }
    }
    done.store(true, Relaxed);
    appender.join().unwrap();
    assert_eq!(lines(&mut session, "SELECT id, name FROM t"), ["1|a", "2|n", "3|c"]);
    drop(session);
    check(folder.path());
}

#[test]
fn a_table_that_lost_its_end_under_a_statement_is_told() {
    let (folder, mut session, other) = table_and_appender();
    drop(other);
    let answer = session.execute("SELECT id FROM t").unwrap();
    let mut records = support::Records::read(folder.path().join("t.dbf"));
    records.truncate(2, true);
    records.write();
    let error = answer.collect().unwrap_err();
    assert_eq!(error.code(), Code::Damaged, "{error}");
}

/// The folder says that programs of Harbour with 64-bit locks share its tables: the usual ones of the file are not theirs.
#[test]
fn the_folder_says_which_locks_its_tables_have_and_how_they_are_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let settings = |text: &str| std::fs::write(folder.path().join("mainstay.toml"), text).unwrap();
    let mut before = session(folder.path());
    change(&mut before, "CREATE TABLE stock (id INTEGER, name CHAR(5)) WITH (FORMAT = dbf)");
    change(&mut before, "INSERT INTO stock VALUES (1, 'a'), (2, 'b')");
    let path = folder.path().join("stock.dbf");
    let bytes = {
        let scheme = Some(LockScheme::Harbour64);
        let how = WriteOptions { scheme, ..WriteOptions::new(Access::Shared) };
        TableWriter::open(Arc::new(Disk), &path, how).unwrap().lock_bytes()
    };
    let mut other = Other::start(&path);
    assert!(other.lock(bytes.records(&(2..=2))));
    // Nobody has said so yet.
    assert_eq!(change(&mut before, "UPDATE stock SET name = 'x' WHERE id = 2"), 1);
    let alone = "lock_scheme = \"clipper\"\n[tables.stock]\nlock_scheme = \"harbour64\"\nlock_timeout_ms = 40\n";
    for text in ["lock_scheme = \"harbour64\"\nlock_timeout_ms = 40\nlock_interval_ms = 5\n", alone] {
        settings(text);
        let mut after = session(folder.path());
        let error = failure(&mut after, "UPDATE stock SET name = 'y' WHERE id = 2");
        assert_eq!(error.code(), Code::LockTimeout, "{error}");
        assert!(error.message().starts_with("record 2 is locked by python3 (process "), "{error}");
        assert!(error.message().contains("waited 4"), "{error}");
        assert_eq!(change(&mut after, "UPDATE stock SET name = 'y' WHERE id = 1"), 1);
        // It is waited for as long as the other has it.
        change(&mut after, "SET lock_timeout = 10s");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| change(&mut after, "UPDATE stock SET name = 'z' WHERE id = 2"));
            std::thread::sleep(std::time::Duration::from_millis(150));
            other.unlock(bytes.records(&(2..=2)));
            assert_eq!(waiting.join().unwrap(), 1);
        });
        assert!(other.lock(bytes.records(&(2..=2))));
    }
    settings("lock_scheme = \"novell\"\n");
    let error = mainstay_engine::Database::open(folder.path()).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidSetting, "{error}");
}
