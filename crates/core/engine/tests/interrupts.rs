//! Statements that end while they write: by cancellation, by their timeout, during a wait for a lock of a DBF. Each
//! ends soon, has no effect, and leaves a usable session and consistent indexes. `python3` is needed for the locks of
//! another program (`crates/storage/xbase/tests/raw_locks.py`).

#![allow(clippy::disallowed_methods)]

#[path = "../../../storage/xbase/tests/common/other_program.rs"]
mod other_program;
mod support;

use mainstay_engine::{Database, Session};
use mainstay_types::{Code, Error, ValueRef};
use mainstay_vfs::Disk;
use mainstay_xbase::writer::{Access, TableWriter, WriteOptions};
use other_program::Other;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{change, check, failure, fixtures, lines, session, value};

/// Rows of the native table, and records of the DBF.
const ROWS: u64 = 100_000;

/// The table `t`, a DBF with a CDX and an NTX.
fn records() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in [(".dbf", "t.dbf"), (".cdx", "t.cdx"), ("_id.ntx", "t_id.ntx")] {
        std::fs::copy(fixtures("").join(format!("t11_bench100k{from}")), folder.path().join(to)).unwrap();
    }
    folder
}

/// How late a statement may end, however busy the machine is. What it has written is undone in that time.
const SOON: Duration = Duration::from_secs(3);

/// When a statement is cancelled.
#[derive(Clone, Copy, Debug)]
enum When {
    /// When its query has read all of its rows, so that it writes.
    Writing,
    /// So many milliseconds after it has begun.
    After(u64),
}

/// The error of a statement that is cancelled.
#[track_caller]
fn cancelled(session: &mut Session, sql: &str, when: When) -> Error {
    // Counts of before are not those of this statement.
    let mut before = session.execute("SELECT 1").unwrap();
    while before.next_batch().unwrap().is_some() {}
    let (handle, progress) = (session.cancel_handle(), session.progress());
    let request = handle.clone();
    let canceller = std::thread::spawn(move || {
        let started = Instant::now();
        let is_writing = || progress.rows_total().is_some_and(|total| total >= ROWS && progress.rows() >= total);
        match when {
            When::Writing => {
                while !is_writing() && started.elapsed() < Duration::from_secs(60) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            When::After(ms) => std::thread::sleep(Duration::from_millis(ms)),
        }
        request.cancel_request();
        Instant::now()
    });
    let error = match session.execute(sql).and_then(|answer| answer.collect()) {
        Ok(_) => panic!("{sql} was done before it could be cancelled, or was not cancelled"),
        Err(error) => error,
    };
    let late = canceller.join().unwrap().elapsed();
    handle.begin_request();
    assert_eq!(error.code(), Code::Cancelled, "{sql}: {error}");
    assert!(late < SOON, "{sql} ended {late:?} after it was cancelled");
    error
}

/// A database in memory with a table that has a key, an index, and rows that refer to it.
fn native() -> Session {
    let mut session = Database::in_memory().unwrap().session();
    change(&mut session, "CREATE TABLE big (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, t TEXT)");
    change(&mut session, "CREATE INDEX big_n ON big (n)");
    change(&mut session, "CREATE TABLE other (id INTEGER PRIMARY KEY, n INTEGER, t TEXT)");
    change(&mut session, "CREATE TABLE parents (id INTEGER PRIMARY KEY)");
    change(
        &mut session,
        "CREATE TABLE children (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents ON DELETE CASCADE)",
    );
    let mut appender = session.appender("big").unwrap();
    for id in 0..ROWS as i64 {
        let text = format!("text {}", id % 1_000);
        appender.row(&[ValueRef::Integer(id), ValueRef::Integer(id % 100), ValueRef::Text(&text)]).unwrap();
    }
    appender.finish().unwrap();
    change(&mut session, "INSERT INTO parents VALUES (1), (2)");
    let mut appender = session.appender("children").unwrap();
    for id in 0..ROWS as i64 {
        appender.row(&[ValueRef::Integer(id), ValueRef::Integer(1 + id % 2)]).unwrap();
    }
    appender.finish().unwrap();
    session
}

/// The contents of the database, by the tables and by the indexes.
fn state(session: &mut Session) -> Vec<String> {
    let mut found = Vec::new();
    for sql in [
        "SELECT count(*), sum(id), sum(n), min(t), max(t), count(DISTINCT t) FROM big",
        "SELECT count(*) FROM big WHERE n = 7",
        "SELECT count(*) FROM big WHERE n + 0 = 7",
        "SELECT id, n, t FROM big WHERE id IN (0, 1, 77, 50000, 99999) ORDER BY id",
        "SELECT count(*) FROM other",
        "SELECT count(*) FROM parents",
        "SELECT count(*), sum(parent) FROM children",
        "SELECT count(*) FROM children WHERE parent = 1",
        "SHOW COLUMNS FROM big",
        "SHOW INDEXES FROM big",
    ] {
        found.extend(lines(session, sql));
    }
    found.extend(session.tables().unwrap().into_iter().map(|table| table.name));
    found
}

/// Statements that write for long.
const CHANGES: [&str; 7] = [
    "INSERT INTO other SELECT * FROM big",
    "UPDATE big SET n = n + 1",
    "UPDATE big SET id = id + 1, t = t || 'x'",
    "DELETE FROM big",
    "MERGE INTO other USING big ON other.id = big.id WHEN NOT MATCHED THEN INSERT VALUES (big.id, big.n, big.t)",
    "MERGE INTO big USING (SELECT id AS k FROM big) s ON big.id = s.k WHEN MATCHED THEN UPDATE SET n = n + 1",
    "CREATE TABLE made AS SELECT * FROM big",
];

/// The same without a query of their own.
const DEFINITIONS: [&str; 5] = [
    "CREATE INDEX big_t ON big (t, n)",
    "ALTER TABLE big ALTER COLUMN n TYPE TEXT",
    "ALTER TABLE big ADD COLUMN more INTEGER DEFAULT 5",
    "TRUNCATE other, big",
    "DELETE FROM parents WHERE id = 1",
];

#[test]
fn a_change_of_a_native_table_ends_and_is_undone() {
    let mut session = native();
    let before = state(&mut session);
    for sql in CHANGES {
        cancelled(&mut session, sql, When::Writing);
        assert_eq!(state(&mut session), before, "{sql}");
    }
    for sql in DEFINITIONS {
        // The fastest of them takes some milliseconds; who is asked sooner, when it begins, ends as well.
        cancelled(&mut session, sql, When::After(2));
        assert_eq!(state(&mut session), before, "{sql}");
    }
    // Everything can be done afterwards, and the keys are those of the rows.
    assert_eq!(failure(&mut session, "INSERT INTO big VALUES (77, 0, '')").code(), Code::UniqueViolation);
    assert_eq!(change(&mut session, "UPDATE big SET n = n + 1 WHERE n = 7"), ROWS / 100);
    assert_eq!(value(&mut session, "SELECT count(*) FROM big WHERE n = 8"), (ROWS / 50).to_string());
    assert_eq!(change(&mut session, "INSERT INTO other SELECT * FROM big"), ROWS);
    change(&mut session, "CREATE INDEX big_t ON big (t, n)");
}

#[test]
fn what_a_transaction_did_before_a_cancelled_statement_stays() {
    let mut session = native();
    change(&mut session, "BEGIN");
    assert_eq!(change(&mut session, "UPDATE big SET t = 'first' WHERE id < 10"), 10);
    for sql in ["UPDATE big SET n = n + 1", "CREATE TABLE made AS SELECT * FROM big"] {
        cancelled(&mut session, sql, When::Writing);
        assert_eq!(value(&mut session, "SELECT count(*) FROM big WHERE t = 'first'"), "10");
        assert_eq!(value(&mut session, "SELECT count(*) FROM big WHERE n = 100"), "0");
        assert_eq!(failure(&mut session, "SELECT * FROM made").code(), Code::UnknownTable);
    }
    change(&mut session, "COMMIT");
    assert_eq!(value(&mut session, "SELECT count(*) FROM big WHERE t = 'first'"), "10");
    assert_eq!(value(&mut session, "SELECT sum(n) FROM big"), (ROWS / 100 * 4950).to_string());
}

#[test]
fn the_time_of_a_statement_counts_what_it_writes() {
    let mut session = native();
    let before = state(&mut session);
    for sql in ["UPDATE big SET id = id + 1, n = n + 1, t = t || 'x'", "INSERT INTO other SELECT * FROM big"] {
        // The faster of two runs: on a busy machine one may take several times as long.
        let runs = [(); 2].map(|()| {
            change(&mut session, "BEGIN");
            let started = Instant::now();
            assert_eq!(change(&mut session, sql), ROWS);
            let took = started.elapsed();
            change(&mut session, "ROLLBACK");
            took
        });
        // Its query is done long before that.
        let timeout = runs[0].min(runs[1]) / 2;
        session.set_timeout(Some(timeout));
        let started = Instant::now();
        let error = failure(&mut session, sql);
        assert_eq!(error.code(), Code::Timeout, "{sql}: {error}");
        assert!(started.elapsed() < timeout + SOON, "{sql} ended after {:?}", started.elapsed());
        session.set_timeout(None);
        assert_eq!(state(&mut session), before, "{sql}");
    }
}

#[test]
fn a_cancel_that_comes_between_a_query_and_its_writes_is_not_lost() {
    let mut session = native();
    let handle = session.cancel_handle();
    for micros in [0, 50, 200, 1_000, 5_000, 20_000] {
        let request = handle.clone();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_micros(micros));
            request.cancel_request();
        });
        let error = failure(&mut session, "UPDATE big SET n = n + 1");
        canceller.join().unwrap();
        assert_eq!(error.code(), Code::Cancelled, "{error}");
        // Until the next request.
        assert_eq!(failure(&mut session, "UPDATE big SET n = 1 WHERE id = 1").code(), Code::Cancelled);
        handle.begin_request();
    }
    assert_eq!(value(&mut session, "SELECT sum(n) FROM big"), (ROWS / 100 * 4950).to_string());
    assert_eq!(change(&mut session, "UPDATE big SET n = n + 1 WHERE id = 1"), 1);
}

/// The files of a folder and what is in them.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    support::files(folder).iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_change_of_a_dbf_ends_and_is_undone() {
    let folder = records();
    let mut session = session(folder.path());
    let all = "SELECT count(*), sum(id), sum(amt), count(DISTINCT tag), max(_recno) FROM t";
    let before = lines(&mut session, all);
    for sql in [
        "UPDATE t SET amt = amt + 1",
        "UPDATE t SET id = id + 1",
        "DELETE FROM t",
        "INSERT INTO t (id, tag, amt) SELECT id + 200000, tag, amt FROM t",
        "MERGE INTO t USING (SELECT id AS k FROM t) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET amt = amt + 1",
    ] {
        cancelled(&mut session, sql, When::Writing);
        assert_eq!(lines(&mut session, all), before, "{sql}");
    }
    check(folder.path());
    change(&mut session, "BEGIN");
    assert_eq!(change(&mut session, "UPDATE t SET tag = 'ours' WHERE id <= 10"), 10);
    cancelled(&mut session, "UPDATE t SET amt = amt + 1", When::Writing);
    change(&mut session, "COMMIT");
    assert_eq!(value(&mut session, "SELECT count(*) FROM t WHERE tag = 'ours'"), "10");
    assert_eq!(value(&mut session, "SELECT sum(amt) FROM t"), "50111941.49");
    drop(session);
    check(folder.path());
}

#[test]
fn a_definition_of_a_dbf_ends_and_leaves_its_files() {
    let folder = records();
    let mut session = session(folder.path());
    let before = files(folder.path());
    for sql in ["PACK t", "REINDEX t", "CREATE INDEX more ON t (tag)", "ALTER TABLE t ADD COLUMN more CHAR(10)"] {
        cancelled(&mut session, sql, When::After(20));
        let after = files(folder.path());
        assert!(after.keys().eq(before.keys()), "{sql}: {:?}", after.keys());
        assert!(after == before, "{sql} has changed files");
    }
    check(folder.path());
    change(&mut session, "PACK t");
    check(folder.path());
}

#[test]
fn the_wait_for_a_lock_of_a_dbf_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    change(&mut session, "CREATE TABLE t (id INTEGER, name CHAR(5)) WITH (FORMAT = dbf)");
    change(&mut session, "CREATE INDEX id ON t (id)");
    change(&mut session, "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    change(&mut session, "SET lock_timeout = 60s");
    let path = folder.path().join("t.dbf");
    let locks = TableWriter::open(Arc::new(Disk), &path, WriteOptions::new(Access::Shared)).unwrap().lock_bytes();
    let mut other = Other::start(&path);
    let mut index = Other::start(&path.with_extension("cdx"));
    let before = lines(&mut session, "SELECT * FROM t ORDER BY id");
    let ends = |session: &mut Session, sql: &str| {
        cancelled(session, sql, When::After(100));
        session.set_timeout(Some(Duration::from_millis(200)));
        let started = Instant::now();
        assert_eq!(failure(session, sql).code(), Code::Timeout, "{sql}");
        assert!(started.elapsed() < SOON, "{sql}");
        session.set_timeout(None);
        assert_eq!(lines(session, "SELECT * FROM t ORDER BY id"), before, "{sql}");
    };
    assert!(other.lock(locks.records(&(2..=2))));
    ends(&mut session, "UPDATE t SET name = 'x'");
    ends(&mut session, "DELETE FROM t WHERE id >= 1");
    other.unlock(locks.records(&(2..=2)));
    assert!(other.lock(locks.table()));
    ends(&mut session, "UPDATE t SET name = 'x' WHERE id = 3");
    ends(&mut session, "INSERT INTO t VALUES (4, 'd')");
    other.unlock(locks.table());
    assert!(other.lock(locks.header()));
    ends(&mut session, "INSERT INTO t VALUES (4, 'd')");
    other.unlock(locks.header());
    assert!(index.lock(locks.index()));
    ends(&mut session, "UPDATE t SET id = id + 10");
    index.unlock(locks.index());
    assert_eq!(change(&mut session, "UPDATE t SET name = 'x'"), 3);
    drop((other, index));
    check(folder.path());
}
