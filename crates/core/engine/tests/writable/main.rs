//! Tables of a further storage, changed by SQL: the contract of `mainstay_engine::writable`, held by a table in memory.

#![allow(clippy::disallowed_methods)]

#[path = "../support/mod.rs"]
mod support;

mod memory_table;

use mainstay_engine::{Database, Session};
use mainstay_types::{Code, SqlType, ValueRef};
use memory_table::MemoryTable;
use std::sync::Arc;
use support::{change, failure, lines};

/// A database with the table `ledger` in memory and the native table `names`.
fn ledger() -> (Database, Session) {
    let database = Database::in_memory().unwrap();
    let text = SqlType::VarChar { length: Some(20), collation: Default::default() };
    let columns = [("id", SqlType::BigInt), ("name", text), ("amount", SqlType::Double)];
    database.add_table(Arc::new(MemoryTable::new("ledger", &columns))).unwrap();
    let mut session = database.session();
    change(&mut session, "INSERT INTO ledger VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'cy', 30)");
    session.execute("CREATE TABLE names (id BIGINT PRIMARY KEY, name TEXT)").unwrap();
    change(&mut session, "INSERT INTO names VALUES (2, 'BOB'), (3, 'CY'), (4, 'DEE')");
    (database, session)
}

const ALL: &str = "SELECT id, name, amount FROM ledger ORDER BY id";

#[test]
fn rows_are_inserted_changed_and_deleted() {
    let (_, mut session) = ledger();
    assert_eq!(lines(&mut session, ALL), ["1|ann|10.0", "2|bob|20.0", "3|cy|30.0"]);
    let shown =
        lines(&mut session, "UPDATE ledger SET amount = amount + 1 WHERE id > 1 RETURNING id, old.amount, amount");
    assert_eq!(shown, ["2|20.0|21.0", "3|30.0|31.0"]);
    assert_eq!(lines(&mut session, "DELETE FROM ledger WHERE name = 'ann' RETURNING amount"), ["10.0"]);
    // A column without a value is NULL.
    assert_eq!(change(&mut session, "INSERT INTO ledger (name, id) SELECT name, id FROM names WHERE id = 4"), 1);
    assert_eq!(lines(&mut session, ALL), ["2|bob|21.0", "3|cy|31.0", "4|DEE|NULL"]);
    // The query reads all rows before the first is written.
    assert_eq!(change(&mut session, "INSERT INTO ledger SELECT id + 10, name, amount FROM ledger"), 3);
    assert_eq!(lines(&mut session, "SELECT COUNT(*) FROM ledger"), ["6"]);
    let joined = "UPDATE ledger SET name = n.name FROM names n WHERE n.id = ledger.id";
    assert_eq!(change(&mut session, joined), 3);
    assert_eq!(lines(&mut session, "SELECT name FROM ledger WHERE id < 10 ORDER BY id"), ["BOB", "CY", "DEE"]);
}

#[test]
fn prepared_statements_take_parameters() {
    let (_, mut session) = ledger();
    let mut insert = session.prepare("INSERT INTO ledger (id, amount) VALUES (?, ?)").unwrap();
    for id in 5..8 {
        let values = [ValueRef::Integer(id), ValueRef::Float(0.5)];
        assert_eq!(insert.execute(&mut session, &values).unwrap(), 1);
    }
    let mut update = session.prepare("UPDATE ledger SET name = ? WHERE id = ?").unwrap();
    assert_eq!(update.execute(&mut session, &[ValueRef::Text("new"), ValueRef::Integer(6)]).unwrap(), 1);
    assert_eq!(lines(&mut session, "SELECT id FROM ledger WHERE amount = 0.5 AND name = 'new'"), ["6"]);
    // Slots are numbered from 0: three rows before, and the third of these.
    assert_eq!(session.last_identity("ledger").unwrap(), Some(5));
}

#[test]
fn merge_deletes_then_updates_then_inserts() {
    let (_, mut session) = ledger();
    let merge = "MERGE INTO ledger l USING names n ON l.id = n.id \
        WHEN MATCHED AND n.id = 3 THEN DELETE \
        WHEN MATCHED THEN UPDATE SET name = n.name, amount = DEFAULT \
        WHEN NOT MATCHED THEN INSERT (id, name) VALUES (n.id, n.name)";
    assert_eq!(change(&mut session, merge), 3);
    assert_eq!(lines(&mut session, ALL), ["1|ann|10.0", "2|BOB|NULL", "4|DEE|NULL"]);
}

#[test]
fn keys_are_checked_when_the_statement_ends_and_a_failed_one_has_no_effect() {
    let (_, mut session) = ledger();
    assert_eq!(change(&mut session, "UPDATE ledger SET id = 4 - id"), 3);
    assert_eq!(lines(&mut session, ALL), ["1|cy|30.0", "2|bob|20.0", "3|ann|10.0"]);
    assert_eq!(failure(&mut session, "UPDATE ledger SET id = 1 WHERE id > 1").code(), Code::UniqueViolation);
    assert_eq!(
        failure(&mut session, "INSERT INTO ledger VALUES (8, 'x', 1), (2, 'y', 2)").code(),
        Code::UniqueViolation
    );
    // The MERGE has deleted before its INSERT fails.
    let merge = "MERGE INTO ledger l USING names n ON l.id = n.id \
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (1)";
    assert_eq!(failure(&mut session, merge).code(), Code::UniqueViolation);
    assert_eq!(lines(&mut session, ALL), ["1|cy|30.0", "2|bob|20.0", "3|ann|10.0"]);
}

#[test]
fn changes_are_part_of_the_transaction_of_the_session() {
    let (database, mut session) = ledger();
    session.execute("BEGIN").unwrap();
    change(&mut session, "DELETE FROM ledger WHERE id = 1");
    session.execute("SAVEPOINT half").unwrap();
    change(&mut session, "UPDATE ledger SET amount = 0");
    change(&mut session, "UPDATE names SET name = 'x'");
    assert_eq!(failure(&mut session, "INSERT INTO ledger VALUES (2, 'again', 1)").code(), Code::UniqueViolation);
    session.execute("ROLLBACK TO half").unwrap();
    assert_eq!(lines(&mut session, ALL), ["2|bob|20.0", "3|cy|30.0"]);
    // The storage has one writer at a time, and says so in the engine's codes.
    let mut other = database.session();
    assert_eq!(failure(&mut other, "DELETE FROM ledger").code(), Code::LockTimeout);
    session.execute("COMMIT").unwrap();
    assert_eq!(change(&mut other, "UPDATE ledger SET amount = amount * 2"), 2);
    assert_eq!(lines(&mut session, ALL), ["2|bob|40.0", "3|cy|60.0"]);

    session.execute("BEGIN").unwrap();
    session.execute("SAVEPOINT before").unwrap();
    change(&mut session, "DELETE FROM ledger");
    // A table that joined after the savepoint returns to its beginning.
    session.execute("ROLLBACK TO before").unwrap();
    assert_eq!(lines(&mut session, "SELECT COUNT(*) FROM ledger"), ["2"]);
    change(&mut session, "DELETE FROM ledger");
    session.execute("ROLLBACK").unwrap();
    assert_eq!(lines(&mut session, "SELECT COUNT(*) FROM ledger"), ["2"]);
    // A session that ends takes its open transaction with it.
    session.execute("BEGIN").unwrap();
    change(&mut session, "DELETE FROM ledger");
    drop(session);
    assert_eq!(change(&mut other, "UPDATE ledger SET name = 'kept'"), 2);
}

#[test]
fn definitions_follow_the_rules_of_the_storage() {
    let (_, mut session) = ledger();
    for statement in
        ["CREATE INDEX i ON ledger (id)", "ALTER TABLE ledger ADD COLUMN x INT", "PACK ledger", "DROP TABLE ledger"]
    {
        let error = failure(&mut session, statement);
        assert_eq!(error.code(), Code::Unsupported, "{statement}: {error}");
        assert!(error.message().ends_with("of a table in memory"), "{statement}: {error}");
    }
    session.execute("BEGIN").unwrap();
    assert_eq!(failure(&mut session, "TRUNCATE ledger").code(), Code::TransactionState);
    session.execute("ROLLBACK").unwrap();
    assert_eq!(failure(&mut session, "TRUNCATE ledger, names").code(), Code::Unsupported);
    assert_eq!(change(&mut session, "TRUNCATE ledger"), 3);
    assert_eq!(lines(&mut session, "SELECT COUNT(*) FROM ledger"), ["0"]);
}

#[test]
fn statements_that_the_storage_lacks_are_refused() {
    let (database, mut session) = ledger();
    assert_eq!(failure(&mut session, "SELECT * FROM ledger FOR UPDATE").code(), Code::ReadOnly);
    let upsert = "INSERT INTO ledger VALUES (1, 'x', 1) ON CONFLICT DO NOTHING";
    assert_eq!(failure(&mut session, upsert).code(), Code::Unsupported);
    assert_eq!(failure(&mut session, "UPDATE ledger SET nothing = 1").code(), Code::UnknownColumn);
    assert_eq!(failure(&mut session, "INSERT INTO ledger VALUES ('x', 'y', 1)").code(), Code::InvalidValue);
    assert_eq!(lines(&mut session, ALL).len(), 3);
    let again = MemoryTable::new("LEDGER", &[("id", SqlType::BigInt)]);
    assert_eq!(database.add_table(Arc::new(again)).unwrap_err().code(), Code::Duplicate);
    // A user who may only read changes nothing.
    session.set_read_only(true);
    assert_eq!(failure(&mut session, "DELETE FROM ledger").code(), Code::NotPermitted);
    // Names and types for languages that generate statements; the hidden column is not among them.
    let columns = session.changeable_columns("ledger").unwrap().unwrap();
    assert_eq!(columns.iter().map(|column| column.field.name().as_str()).collect::<Vec<_>>(), ["id", "name", "amount"]);
    assert_eq!(session.row_number_column("ledger"), "_slot");
}

#[test]
fn explain_shows_the_query_of_a_change() {
    let (_, mut session) = ledger();
    let plan = lines(&mut session, "EXPLAIN UPDATE ledger SET amount = 0 WHERE id = 2");
    assert_eq!(plan[..2], ["executor: batch", "Update: ledger"]);
    assert!(plan[2..].iter().any(|line| line.contains("_slot")), "{plan:?}");
}
