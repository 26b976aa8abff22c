//! Anomalies of the Hermitage list that are about whole statements, at every isolation level: what a statement does that has
//! waited for another transaction. Those of single reads and writes are in `store/tests/anomalies.rs`.
//!
//! | anomaly | read uncommitted, read committed | repeatable read, snapshot, serializable |
//! |---|---|---|
//! | OTV observed transaction vanishes | no | no: the second writer fails |
//! | PMP of a write: rows that come to fulfil its condition while it waits | no: it begins again | no: it fails |

use mainstay_base::{Code, Result, Value};
use mainstay_engine::{Database, Session};
use std::time::Duration;

const LEVELS: [&str; 5] = ["read uncommitted", "read committed", "repeatable read", "snapshot", "serializable"];

/// Whether a level reads what was committed when the statement began, not the transaction.
fn by_statement(level: &str) -> bool {
    matches!(level, "read uncommitted" | "read committed")
}

/// Sessions with open transactions at a level, which have seen two rows: 1 has 10, and 2 has 20.
fn sessions<const COUNT: usize>(level: &str) -> [Session; COUNT] {
    let database = Database::in_memory().unwrap();
    let mut first = database.session();
    first.execute("CREATE TABLE test (id INTEGER PRIMARY KEY, value INTEGER)").unwrap();
    first.execute("INSERT INTO test VALUES (1, 10), (2, 20)").unwrap();
    [(); COUNT].map(|()| {
        let mut session = database.session();
        session.set("isolation", level).unwrap();
        session.execute("BEGIN").unwrap();
        assert_eq!(pairs(&mut session), [(1, 10), (2, 20)], "{level}");
        session
    })
}

/// All rows, by id.
fn pairs(session: &mut Session) -> Vec<(i64, i64)> {
    let mut prepared = session.prepare("SELECT id, value FROM test ORDER BY id").unwrap();
    let mut rows = prepared.query(session, &[]).unwrap();
    let mut all = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        match (row.get(0).to_value(), row.get(1).to_value()) {
            (Value::Integer(id), Value::Integer(value)) => all.push((id, value)),
            other => panic!("{other:?}"),
        }
    }
    all
}

/// How many rows a statement has changed.
fn changed(session: &mut Session, sql: &str) -> Result<u64> {
    session.execute(sql).map(|answer| answer.changed().unwrap_or_default())
}

/// What a change gives that waits for another session's transaction, which commits meanwhile.
fn after_commit(waiting: &mut Session, sql: &str, other: &mut Session) -> Result<u64> {
    std::thread::scope(|scope| {
        let change = scope.spawn(|| changed(waiting, sql));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!change.is_finished(), "{sql} does not wait");
        other.execute("COMMIT").unwrap();
        change.join().unwrap()
    })
}

fn value_of(session: &mut Session, id: i64) -> i64 {
    pairs(session).iter().find(|(found, _)| *found == id).map_or(-1, |(_, value)| *value)
}

#[test]
fn otv_a_transaction_that_was_seen_does_not_vanish() {
    for level in LEVELS {
        let [mut first, mut second, mut reader] = sessions(level);
        changed(&mut first, "UPDATE test SET value = 11 WHERE id = 1").unwrap();
        changed(&mut first, "UPDATE test SET value = 19 WHERE id = 2").unwrap();
        let second_comes = after_commit(&mut second, "UPDATE test SET value = 12 WHERE id = 1", &mut first);
        if by_statement(level) {
            second_comes.unwrap();
            assert_eq!(value_of(&mut reader, 1), 11, "{level}");
            changed(&mut second, "UPDATE test SET value = 18 WHERE id = 2").unwrap();
            assert_eq!(value_of(&mut reader, 2), 19, "{level}: the first transaction is seen as a whole");
            assert_eq!(value_of(&mut reader, 1), 11, "{level}");
            second.execute("COMMIT").unwrap();
            assert_eq!(pairs(&mut reader), [(1, 12), (2, 18)], "{level}");
        } else {
            assert_eq!(second_comes.unwrap_err().code(), Code::Conflict, "{level}");
            second.execute("ROLLBACK").unwrap();
            assert_eq!(pairs(&mut reader), [(1, 10), (2, 20)], "{level}");
        }
        reader.execute("COMMIT").unwrap();
    }
}

#[test]
fn pmp_a_delete_that_waits_looks_again_at_every_row() {
    for level in LEVELS {
        let [mut first, mut second] = sessions(level);
        changed(&mut first, "UPDATE test SET value = value + 10").unwrap();
        // Row 2 has 20 before, and row 1 after.
        let delete = after_commit(&mut second, "DELETE FROM test WHERE value = 20", &mut first);
        if by_statement(level) {
            assert_eq!(delete.unwrap(), 1, "{level}");
            assert_eq!(pairs(&mut second), [(2, 30)], "{level}");
            second.execute("COMMIT").unwrap();
            assert_eq!(pairs(&mut first), [(2, 30)], "{level}");
        } else {
            assert_eq!(delete.unwrap_err().code(), Code::Conflict, "{level}");
            second.execute("ROLLBACK").unwrap();
            assert_eq!(pairs(&mut first), [(1, 20), (2, 30)], "{level}");
        }
    }
}

#[test]
fn pmp_an_update_that_waits_finds_rows_that_came() {
    for level in LEVELS {
        let [mut first, mut second] = sessions(level);
        changed(&mut first, "INSERT INTO test VALUES (3, 30)").unwrap();
        changed(&mut first, "UPDATE test SET value = 21 WHERE id = 2").unwrap();
        let update = after_commit(&mut second, "UPDATE test SET value = -value WHERE value >= 20", &mut first);
        if by_statement(level) {
            assert_eq!(update.unwrap(), 2, "{level}");
            assert_eq!(pairs(&mut second), [(1, 10), (2, -21), (3, -30)], "{level}");
        } else {
            assert_eq!(update.unwrap_err().code(), Code::Conflict, "{level}");
        }
    }
}
