//! Native tables through the embedding API: prepared statements, appenders, cursors, concurrent sessions.

#![allow(clippy::disallowed_methods)]

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use mainstay_engine::{Database, Session};
use mainstay_types::{Code, Result, SqlType, Value, ValueRef};
use std::sync::Arc;

fn memory() -> Session {
    Database::in_memory().unwrap().session()
}

fn run(session: &mut Session, sql: &str) -> Result<Vec<Vec<Value>>> {
    let mut prepared = session.prepare(sql)?;
    let mut rows = prepared.query(session, &[])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push((0..row.len()).map(|column| row.get(column).to_value()).collect());
    }
    Ok(all)
}

fn whole(value: i64) -> ValueRef<'static> {
    ValueRef::Integer(value)
}

#[test]
fn prepared_statements_find_and_write_one_row() {
    let mut session = memory();
    session.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(5), v DOUBLE)").unwrap();
    let mut insert = session.prepare("INSERT INTO t VALUES (?, ?, ?)").unwrap();
    for id in 0..100 {
        let row = [whole(id), ValueRef::Text("abc"), ValueRef::Float(id as f64 / 2.0)];
        assert_eq!(insert.execute(&mut session, &row).unwrap(), 1);
    }
    let again = insert.execute(&mut session, &[whole(5), ValueRef::Null, ValueRef::Null]).unwrap_err();
    assert_eq!(again.code(), Code::UniqueViolation);
    let long = insert.execute(&mut session, &[whole(500), ValueRef::Text("abcdef"), ValueRef::Null]).unwrap_err();
    assert_eq!(long.code(), Code::InvalidValue);
    let few = insert.execute(&mut session, &[whole(500)]).unwrap_err();
    assert_eq!(few.code(), Code::InvalidValue);

    let mut update = session.prepare("UPDATE t SET v = $2 WHERE id = $1").unwrap();
    assert_eq!(update.execute(&mut session, &[whole(7), ValueRef::Float(9.25)]).unwrap(), 1);
    assert_eq!(update.execute(&mut session, &[whole(700), ValueRef::Float(9.25)]).unwrap(), 0);

    let mut select = session.prepare("SELECT v, id FROM t WHERE id = ?").unwrap();
    {
        let mut rows = select.query(&mut session, &[whole(7)]).unwrap();
        let row = rows.next().unwrap().unwrap();
        assert_eq!((row.get(0), row.get(1)), (ValueRef::Float(9.25), whole(7)));
        assert!(rows.next().unwrap().is_none());
    }
    assert!(select.query(&mut session, &[whole(-1)]).unwrap().next().unwrap().is_none());

    let mut delete = session.prepare("DELETE FROM t WHERE id = ?").unwrap();
    assert_eq!(delete.execute(&mut session, &[whole(7)]).unwrap(), 1);
    assert!(select.query(&mut session, &[whole(7)]).unwrap().next().unwrap().is_none());
    assert_eq!(run(&mut session, "SELECT COUNT(*) FROM t").unwrap(), [[Value::Integer(99)]]);
}

/// The row executor and the planner must agree: each statement runs with its parameter, and with the literal in its
/// place and something around it that only the planner takes.
#[test]
fn both_ways_of_running_a_point_read_agree() {
    let mut session = memory();
    session.execute("CREATE TABLE t (k VARCHAR(10) PRIMARY KEY, i INTEGER UNIQUE, d DATE)").unwrap();
    session.execute("INSERT INTO t VALUES ('a', 1, DATE '2026-01-01'), ('b ', 2, NULL), ('', NULL, NULL)").unwrap();
    for (column, values) in [
        ("k", ["'a'", "'b'", "'b '", "'A'", "''", "NULL"].as_slice()),
        ("i", &["1", "2", "1.0", "1.5", "99999999999", "NULL", "-1"]),
    ] {
        for value in values {
            let fast = run(&mut session, &format!("SELECT k, i, d FROM t WHERE {column} = {value}"));
            let general = run(&mut session, &format!("SELECT k, i, d FROM t WHERE {column} = {value} LIMIT 10"));
            assert_eq!(fast.ok(), general.ok(), "{column} = {value}");
        }
    }
}

#[test]
fn parameters_take_the_place_of_literals_everywhere() {
    let mut session = memory();
    session.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT, v DOUBLE)").unwrap();
    session.execute("INSERT INTO t VALUES (1, 'it''s', 1.0), (2, 'two', -2.5)").unwrap();
    let mut query = session.prepare("SELECT id FROM t WHERE name = ? OR v < ? + 0.0 ORDER BY id -- what?").unwrap();
    let mut rows = query.query(&mut session, &[ValueRef::Text("it's"), ValueRef::Float(-2.0)]).unwrap();
    assert_eq!(rows.next().unwrap().unwrap().get(0), whole(1));
    assert_eq!(rows.next().unwrap().unwrap().get(0), whole(2));
    assert!(rows.next().unwrap().is_none());
    let missing = query.query(&mut session, &[ValueRef::Null]).map(|_| ()).unwrap_err();
    assert_eq!(missing.code(), Code::InvalidValue);
}

#[test]
fn a_prepared_statement_notices_that_its_table_has_changed() {
    let mut session = memory();
    session.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT)").unwrap();
    let mut insert = session.prepare("INSERT INTO t VALUES (?, ?)").unwrap();
    insert.execute(&mut session, &[whole(1), whole(10)]).unwrap();
    session.execute("DROP TABLE t").unwrap();
    let gone = insert.execute(&mut session, &[whole(2), whole(20)]).unwrap_err();
    assert_eq!(gone.code(), Code::UnknownTable);
    session.execute("CREATE TABLE t (id BIGINT, v BIGINT CHECK (v < 15))").unwrap();
    let checked = insert.execute(&mut session, &[whole(2), whole(20)]).unwrap_err();
    assert_eq!(checked.code(), Code::CheckViolation);
    insert.execute(&mut session, &[whole(2), whole(12)]).unwrap();
    assert_eq!(run(&mut session, "SELECT v FROM t").unwrap(), [[Value::Integer(12)]]);
}

#[test]
fn appenders_and_cursors_move_many_rows() {
    let mut session = memory();
    session.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT, v DOUBLE)").unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let names: ArrayRef = Arc::new(StringViewArray::from_iter_values((0..1000).map(|id| format!("row number {id}"))));
    let values: ArrayRef = Arc::new(Float64Array::from_iter_values((0..1000).map(f64::from)));
    let batch = RecordBatch::try_from_iter([("id", ids), ("name", names), ("v", values)]).unwrap();

    let mut appender = session.appender("t").unwrap();
    appender.batch(&batch).unwrap();
    appender.row(&[whole(5000), ValueRef::Text("last"), ValueRef::Null]).unwrap();
    assert_eq!(appender.finish().unwrap(), 1001);

    // One that is dropped, and one that fails, leave nothing.
    let mut dropped = session.appender("t").unwrap();
    dropped.row(&[whole(6000), ValueRef::Null, ValueRef::Null]).unwrap();
    drop(dropped);
    let mut failing = session.appender("t").unwrap();
    failing.row(&[whole(7000), ValueRef::Null, ValueRef::Null]).unwrap();
    let there = failing.row(&[whole(1), ValueRef::Null, ValueRef::Null]).unwrap_err();
    assert_eq!(there.code(), Code::UniqueViolation);
    assert_eq!(failing.finish().unwrap_err().code(), Code::TransactionState);

    let mut cursor = session.scan("t", &["v", "name", "id"]).unwrap();
    let (mut rows, mut sum, mut bytes, mut nulls) = (0, 0.0, 0, 0);
    while cursor.next() {
        rows += 1;
        sum += cursor.float(0);
        bytes += cursor.text(1).len();
        nulls += usize::from(cursor.is_null(0));
        assert_eq!(cursor.get(2), whole(cursor.integer(2)));
    }
    assert_eq!((rows, sum, nulls), (1001, 499_500.0, 1));
    assert_eq!(bytes, 4 + (0..1000).map(|id: i32| format!("row number {id}").len()).sum::<usize>());
}

#[test]
fn beside_one_file_nothing_is_made_that_would_be_gone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.csv");
    std::fs::write(&file, "id\n1\n").unwrap();
    let database = Database::open(&file).unwrap();
    let mut session = database.session();
    for text in ["CREATE TABLE t (id BIGINT)", "CREATE VIEW v AS SELECT id FROM a", "CREATE SEQUENCE s"] {
        let error = session.execute(text).err().unwrap();
        assert_eq!(error.code(), Code::Unsupported, "{text}");
        assert!(error.to_string().contains("one file is open"), "{error}");
    }
    session.execute("CREATE TEMPORARY TABLE t (id BIGINT)").unwrap();
    session.execute("INSERT INTO t SELECT id FROM a").unwrap();
    assert_eq!(run(&mut session, "SELECT id FROM t").unwrap(), [[Value::Integer(1)]]);
}

#[test]
fn sessions_see_what_is_committed_when_their_statement_begins() {
    let database = Database::in_memory().unwrap();
    let (mut one, mut two) = (database.session(), database.session());
    one.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT)").unwrap();
    one.execute("INSERT INTO t VALUES (1, 10)").unwrap();
    one.execute("BEGIN").unwrap();
    one.execute("UPDATE t SET v = 11 WHERE id = 1").unwrap();
    let v = |session: &mut Session| run(session, "SELECT v FROM t WHERE id = 1").unwrap();
    assert_eq!(v(&mut one), [[Value::Integer(11)]]);
    assert_eq!(v(&mut two), [[Value::Integer(10)]]);
    two.execute("SET lock_timeout = '20ms'").unwrap();
    let blocked = two.execute("UPDATE t SET v = 12 WHERE id = 1").map(|_| ()).unwrap_err();
    assert_eq!(blocked.code(), Code::LockTimeout);
    one.execute("COMMIT").unwrap();
    assert_eq!(v(&mut two), [[Value::Integer(11)]]);
    assert_eq!(two.execute("COMMIT").map(|_| ()).unwrap_err().code(), Code::TransactionState);
}

#[test]
fn a_folder_keeps_its_native_tables_and_checks_backs_up_and_restores_them() {
    let (shop, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    {
        let database = Database::open(shop.path()).unwrap();
        let mut session = database.session();
        // Reading makes nothing.
        session.execute("SELECT 1").unwrap();
        // Nor does what cannot be done.
        for refused in ["INSERT INTO nothing VALUES (1)", "DROP TABLE nothing", "ALTER TABLE nothing RENAME TO x"] {
            assert_eq!(session.execute(refused).map(|_| ()).unwrap_err().code(), Code::UnknownTable, "{refused}");
        }
        assert!(!shop.path().join(".mainstay").exists());
        session.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT)").unwrap();
        session.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')").unwrap();
        session.execute("BEGIN").unwrap();
        session.execute("DELETE FROM t").unwrap();
        database.backup(&copy.path().join("t.backup")).unwrap();
    }
    let rows = |folder: &std::path::Path| {
        let mut session = Database::open(folder).unwrap().session();
        run(&mut session, "SELECT id, name FROM t ORDER BY id").unwrap()
    };
    let expected = [[Value::Integer(1), Value::Text("one".into())], [Value::Integer(2), Value::Text("two".into())]];
    assert_eq!(rows(shop.path()), expected);
    Database::restore(&copy.path().join("t.backup"), copy.path()).unwrap();
    assert_eq!(rows(copy.path()), expected);
    assert_eq!(mainstay_engine::check(shop.path(), &Default::default()).unwrap(), []);

    // A bit of the manifest is enough to be noticed; its copy stands in for it, and is written anew.
    let damage = |name: &str| {
        let manifest = shop.path().join(".mainstay").join(name);
        let mut bytes = std::fs::read(&manifest).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&manifest, bytes).unwrap();
    };
    damage("manifest");
    assert_eq!(mainstay_engine::check(shop.path(), &Default::default()).unwrap().len(), 1);
    assert_eq!(rows(shop.path()), expected);
    assert_eq!(mainstay_engine::check(shop.path(), &Default::default()).unwrap(), []);

    // Without both there is nothing to go by.
    ["manifest", "manifest.copy"].into_iter().for_each(damage);
    assert_eq!(mainstay_engine::check(shop.path(), &Default::default()).unwrap().len(), 2);
    let mut session = Database::open(shop.path()).unwrap().session();
    for refused in ["SELECT id FROM t", "INSERT INTO t VALUES (3, 'three')", "CREATE TABLE u (a INT)"] {
        assert_eq!(session.execute(refused).map(|_| ()).unwrap_err().code(), Code::Damaged, "{refused}");
    }
    session.execute("SELECT 1").unwrap();
}

/// A range of a stored index is read in portions, each of which begins behind the last key of the one before.
#[test]
fn an_index_that_is_read_from_its_file_counts_each_row_once() {
    let shop = tempfile::tempdir().unwrap();
    {
        let mut session = Database::open(shop.path()).unwrap().session();
        session.execute("CREATE TABLE t (id INT, n INT, c VARCHAR(10))").unwrap();
        session.execute("CREATE INDEX tn ON t (n)").unwrap();
        session.execute("CREATE INDEX tc ON t (c)").unwrap();
        let rows = "SELECT g, g % 97, 'c' || (g % 89) FROM generate_series(1, 100000) AS s (g)";
        session.execute(&format!("INSERT INTO t {rows}")).unwrap();
    }
    let mut session = Database::open(shop.path()).unwrap().session();
    for (indexed, scanned) in [
        ("n = 5", "n + 0 = 5"),
        ("n BETWEEN 5 AND 40", "n + 0 BETWEEN 5 AND 40"),
        ("n > 90", "n + 0 > 90"),
        ("c = 'c7'", "c || '' = 'c7'"),
    ] {
        let mut sums = |condition: &str| {
            let text = format!("SELECT COUNT(*), SUM(id), COUNT(DISTINCT id) FROM t WHERE {condition}");
            run(&mut session, &text).unwrap()
        };
        assert_eq!(sums(indexed), sums(scanned), "{indexed}");
    }
}

#[test]
fn one_process_has_the_native_tables_and_others_read_the_files() {
    let shop = tempfile::tempdir().unwrap();
    std::fs::write(shop.path().join("prices.csv"), "item,price\na,1.5\n").unwrap();
    let first = Database::open(shop.path()).unwrap();
    first.session().execute("CREATE TABLE t (id BIGINT)").unwrap();
    let mut second = Database::open(shop.path()).unwrap().session();
    assert_eq!(run(&mut second, "SELECT COUNT(*) FROM prices").unwrap(), [[Value::Integer(1)]]);
    let busy = second.execute("INSERT INTO t VALUES (1)").map(|_| ()).unwrap_err();
    assert_eq!(busy.code(), Code::Busy);
    // Nor is it told that there is no such table.
    let busy = second.execute("SELECT * FROM t").map(|_| ()).unwrap_err();
    assert_eq!(busy.code(), Code::Busy);
    drop(first);
    assert_eq!(run(&mut second, "SELECT COUNT(*) FROM t").unwrap(), [[Value::Integer(0)]]);
    assert_eq!(second.execute("SELECT * FROM u").map(|_| ()).unwrap_err().code(), Code::UnknownTable);
}

#[test]
fn what_hides_a_file_says_so() {
    let shop = tempfile::tempdir().unwrap();
    for name in ["prices.csv", "items.csv", "towns.csv"] {
        std::fs::write(shop.path().join(name), "item,price\na,1.5\n").unwrap();
    }
    let mut session = Database::open(shop.path()).unwrap().session();
    let mut told = |sql: &str| session.execute(sql).unwrap().notices();
    assert_eq!(told("CREATE TEMPORARY TABLE prices (id BIGINT)"), [""; 0]);
    assert_eq!(told("DROP TABLE prices"), [""; 0]);
    let there = ["there is a table prices already: prices.csv"];
    assert_eq!(told("CREATE TABLE IF NOT EXISTS prices (id BIGINT)"), there);
    assert_eq!(told("CREATE TABLE IF NOT EXISTS prices AS SELECT 1 AS id"), there);
    let hidden = |name: &str| {
        [format!("{name} hides {name}.csv: statements find it, and not the file, until it is dropped or renamed")]
    };
    assert_eq!(told("CREATE TABLE prices (id BIGINT)"), hidden("prices"));
    assert_eq!(told("CREATE TABLE items AS SELECT 1 AS id"), hidden("items"));
    assert_eq!(told("CREATE VIEW towns AS SELECT 1 AS id"), hidden("towns"));
    assert_eq!(told("CREATE OR REPLACE VIEW towns AS SELECT 2 AS id"), [""; 0]);
    assert_eq!(told("CREATE TABLE other (id BIGINT)"), [""; 0]);
    assert_eq!(run(&mut session, "SELECT COUNT(*) FROM prices").unwrap(), [[Value::Integer(0)]]);
    session.execute("DROP TABLE prices").unwrap();
    assert_eq!(run(&mut session, "SELECT COUNT(*) FROM prices").unwrap(), [[Value::Integer(1)]]);
}

/// A view that hides the file it reads would be defined by itself, and empty.
#[test]
fn what_would_hide_what_it_is_made_of_is_refused() {
    let shop = tempfile::tempdir().unwrap();
    std::fs::write(shop.path().join("prices.csv"), "item,price\na,1.5\n").unwrap();
    let mut session = Database::open(shop.path()).unwrap().session();
    session.execute("CREATE TABLE kept (id BIGINT)").unwrap();
    session.execute("INSERT INTO kept VALUES (7)").unwrap();
    for statement in [
        "CREATE TABLE prices AS SELECT * FROM prices",
        "CREATE TABLE prices AS SELECT 1 AS one WHERE EXISTS (SELECT * FROM main.prices p)",
        "CREATE TEMPORARY TABLE prices AS SELECT * FROM prices",
        "CREATE TEMPORARY TABLE kept AS SELECT * FROM kept",
        "CREATE VIEW prices AS SELECT * FROM prices",
    ] {
        let error = session.execute(statement).err().expect(statement);
        assert_eq!(error.code(), Code::Unsupported, "{statement}: {error:?}");
        assert_eq!(error.hint_text(), Some("give what is made another name"), "{statement}");
    }
    let error = session.execute("CREATE TABLE kept AS SELECT * FROM kept").err().unwrap();
    assert_eq!(error.code(), Code::Duplicate, "{error:?}");
    assert_eq!(run(&mut session, "SELECT COUNT(*) FROM prices").unwrap(), [[Value::Integer(1)]]);
    assert_eq!(run(&mut session, "SELECT id FROM kept").unwrap(), [[Value::Integer(7)]]);
    session.execute("CREATE TABLE other AS SELECT * FROM prices").unwrap();
    assert_eq!(run(&mut session, "SELECT COUNT(*) FROM other").unwrap(), [[Value::Integer(1)]]);
}

/// Whoever runs a statement that was prepared is told where a mistake is in the text that has the parameters.
#[test]
fn mistakes_in_prepared_statements_have_their_place() {
    let mut session = Database::in_memory().unwrap().session();
    session.execute("CREATE TABLE notes (id BIGINT PRIMARY KEY, name VARCHAR(20))").unwrap();
    for (statement, wrong, hint) in [
        ("SELECT nmae FROM notes WHERE id = ?", "nmae", "name"),
        ("SELECT ? || 'x', nmae FROM notes WHERE id > ?", "nmae", "name"),
        ("SELECT id FROM nots WHERE name = ? AND id = ?", "nots", "notes"),
        ("UPDATE notes SET nmae = ? WHERE id = ?", "nmae", "name"),
        ("UPDATE notes SET name = ? || nmae WHERE id = ?", "nmae", "name"),
        ("INSERT INTO notes (nmae, id) VALUES (?, ?)", "nmae", "name"),
        ("INSERT INTO nots VALUES (?, ?)", "nots", "notes"),
        ("DELETE FROM nots WHERE name = ? AND id = ?", "nots", "notes"),
    ] {
        let values = [ValueRef::Text("a text that is longer than its sign"), ValueRef::Integer(1)];
        let values = &values[..statement.matches('?').count()];
        let values = if values.len() == 1 { &[ValueRef::Integer(1)] } else { values };
        let run = session.prepare(statement).and_then(|mut prepared| prepared.execute(&mut session, values));
        let error = run.expect_err(statement);
        let (start, end) = error.text_span().unwrap_or_else(|| panic!("{statement}: {error:?}"));
        assert_eq!(&statement[start..end], wrong, "{statement}: {error:?}");
        assert_eq!(error.hint_text(), Some(format!("did you mean \"{hint}\"?").as_str()), "{statement}");
    }
}

#[test]
fn the_victim_of_a_deadlock_lets_go_of_everything() {
    let database = Database::in_memory().unwrap();
    let mut setup = database.session();
    setup.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT)").unwrap();
    setup.execute("INSERT INTO t VALUES (1, 0), (2, 0)").unwrap();
    let both_have_one = std::sync::Barrier::new(2);
    let transfer = |from: i64, to: i64| {
        let mut session = database.session();
        session.execute("BEGIN").unwrap();
        session.execute(&format!("UPDATE t SET v = v - 1 WHERE id = {from}")).unwrap();
        both_have_one.wait();
        match session.execute(&format!("UPDATE t SET v = v + 1 WHERE id = {to}")).map(|_| ()) {
            Ok(()) => session.execute("COMMIT").map(|_| true).unwrap(),
            Err(error) => {
                assert_eq!(error.code(), Code::Deadlock);
                assert_eq!(session.execute("COMMIT").map(|_| ()).unwrap_err().code(), Code::TransactionState);
                false
            }
        }
    };
    let done: Vec<bool> = std::thread::scope(|scope| {
        let threads = [scope.spawn(|| transfer(1, 2)), scope.spawn(|| transfer(2, 1))];
        threads.map(|thread| thread.join().unwrap()).into()
    });
    assert_eq!(done.iter().filter(|done| **done).count(), 1, "one is the victim, the other goes on");
    let expected = if done[0] { [-1, 1] } else { [1, -1] };
    let rows = run(&mut setup, "SELECT v FROM t ORDER BY id").unwrap();
    assert_eq!(rows, expected.map(|v| [Value::Integer(v)]));
}

#[test]
fn every_kind_of_parameter_and_of_statement_can_be_prepared() {
    let mut session = memory();
    for (text, sql_type) in [
        ("2026-11-22", SqlType::Date),
        ("12:34:56.5", SqlType::Time { digits: 7 }),
        ("2026-11-22 12:34:56.125", SqlType::Timestamp { digits: 6 }),
        ("-7.25", SqlType::Decimal { precision: 9, scale: 2 }),
    ] {
        let value = mainstay_types::convert(ValueRef::Text(text), sql_type).unwrap();
        let mut echo = session.prepare("SELECT ? AS value").unwrap();
        let mut rows = echo.query(&mut session, &[value.as_ref()]).unwrap();
        assert_eq!(rows.next().unwrap().unwrap().get(0), value.as_ref(), "{sql_type}");
    }
    for value in [ValueRef::Null, ValueRef::Boolean(true), ValueRef::Float(-1.0), ValueRef::Binary(&[0, 255])] {
        let mut echo = session.prepare("SELECT ? AS value").unwrap();
        let mut rows = echo.query(&mut session, &[value]).unwrap();
        assert_eq!(rows.next().unwrap().unwrap().get(0), value);
    }
    for statement in ["SHOW TABLES", "SET durability = os", "BEGIN", "COMMIT", "EXPLAIN SELECT 1"] {
        session.prepare(statement).unwrap().execute(&mut session, &[]).unwrap();
    }
}

#[test]
fn parameters_of_every_kind_are_stored_as_their_columns_hold_them() {
    let mut session = memory();
    for (number, (text, sql_type)) in [
        ("6f9619ff-8b86-d011-b42d-00c04fc964ff", SqlType::Uuid),
        ("2026-11-22 12:34:56+00:00", SqlType::TimestampWithOffset { digits: 6 }),
        ("1-2", SqlType::IntervalYearMonth),
        ("3 04:05:06", SqlType::IntervalDayTime),
        ("7.125", SqlType::Money),
    ]
    .into_iter()
    .enumerate()
    {
        let value = mainstay_types::convert(ValueRef::Text(text), sql_type).unwrap();
        session.execute(&format!("CREATE TABLE t{number} (id BIGINT PRIMARY KEY, v {sql_type})")).unwrap();
        let mut insert = session.prepare(&format!("INSERT INTO t{number} VALUES (?, ?)")).unwrap();
        insert.execute(&mut session, &[whole(1), value.as_ref()]).unwrap();
        insert.execute(&mut session, &[whole(2), ValueRef::Text(text)]).unwrap();
        insert.execute(&mut session, &[whole(3), ValueRef::Null]).unwrap();
        let mut update = session.prepare(&format!("UPDATE t{number} SET v = ? WHERE id = ?")).unwrap();
        assert_eq!(update.execute(&mut session, &[ValueRef::Text(text), whole(3)]).unwrap(), 1);
        let rows = run(&mut session, &format!("SELECT v FROM t{number} ORDER BY id")).unwrap();
        assert_eq!(rows, [[value.clone()], [value.clone()], [value]], "{sql_type}");
    }
    session.execute("CREATE TABLE own (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY)").unwrap();
    session.execute("INSERT INTO own DEFAULT VALUES").unwrap();
    let mut update = session.prepare("UPDATE own SET id = ? WHERE id = ?").unwrap();
    assert!(update.execute(&mut session, &[whole(9), whole(1)]).is_err());
}

#[test]
fn referential_actions_outlive_the_process_and_count_for_prepared_statements() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut session = Database::open(folder.path()).unwrap().session();
        for statement in [
            "CREATE TABLE parent (id BIGINT PRIMARY KEY)",
            "CREATE TABLE child (id BIGINT PRIMARY KEY, parent BIGINT REFERENCES parent ON DELETE CASCADE ON UPDATE SET NULL)",
            "INSERT INTO parent VALUES (1), (2), (3), (4)",
            "INSERT INTO child VALUES (10, 1), (20, 2), (21, 2), (30, 3), (40, 4)",
        ] {
            session.execute(statement).unwrap();
        }
        let mut delete = session.prepare("DELETE FROM parent WHERE id = ?").unwrap();
        assert_eq!(delete.execute(&mut session, &[whole(2)]).unwrap(), 1);
        session.execute("UPDATE parent SET id = 33 WHERE id = 3").unwrap();
    }
    let mut session = Database::open(folder.path()).unwrap().session();
    let pairs = |session: &mut Session| run(session, "SELECT id, parent FROM child ORDER BY id").unwrap();
    let row = |id: i64, parent: Option<i64>| vec![Value::Integer(id), parent.map_or(Value::Null, Value::Integer)];
    assert_eq!(pairs(&mut session), [row(10, Some(1)), row(30, None), row(40, Some(4))]);
    assert_eq!(session.execute("DELETE FROM parent WHERE id < 3").unwrap().changed(), Some(1));
    assert_eq!(pairs(&mut session), [row(30, None), row(40, Some(4))]);
}

#[test]
fn referential_actions_wait_for_others_and_never_touch_what_is_not_seen() {
    let database = Database::in_memory().unwrap();
    let (mut one, mut two) = (database.session(), database.session());
    one.execute("CREATE TABLE parent (id BIGINT PRIMARY KEY)").unwrap();
    one.execute("CREATE TABLE child (id BIGINT, parent BIGINT REFERENCES parent ON DELETE CASCADE)").unwrap();
    one.execute("INSERT INTO parent VALUES (1), (2)").unwrap();
    two.set("lock_timeout", "20ms").unwrap();

    // A child that came after the snapshot of the one that deletes.
    one.set("isolation", "repeatable read").unwrap();
    one.execute("BEGIN").unwrap();
    run(&mut one, "SELECT count(*) FROM child").unwrap();
    two.execute("INSERT INTO child VALUES (10, 1)").unwrap();
    let conflict = one.execute("DELETE FROM parent WHERE id = 1").map(|_| ()).unwrap_err();
    assert_eq!(conflict.code(), Code::Conflict);
    one.execute("ROLLBACK").unwrap();
    one.set("isolation", "read committed").unwrap();

    // A child that comes while its parent goes.
    one.execute("BEGIN").unwrap();
    one.execute("DELETE FROM parent WHERE id = 1").unwrap();
    let waits = two.execute("INSERT INTO child VALUES (11, 1)").map(|_| ()).unwrap_err();
    assert_eq!(waits.code(), Code::LockTimeout);
    one.execute("COMMIT").unwrap();
    let gone = two.execute("INSERT INTO child VALUES (11, 1)").map(|_| ()).unwrap_err();
    assert_eq!(gone.code(), Code::ForeignKeyViolation);
    assert_eq!(run(&mut two, "SELECT count(*) FROM child").unwrap(), [[Value::Integer(0)]]);

    // A parent that goes while a child of it comes: the one that deletes waits, and takes the child along.
    two.execute("BEGIN").unwrap();
    two.execute("INSERT INTO child VALUES (20, 2)").unwrap();
    std::thread::scope(|scope| {
        let deletes = scope.spawn(move || one.execute("DELETE FROM parent WHERE id = 2").unwrap().changed());
        std::thread::sleep(std::time::Duration::from_millis(30));
        two.execute("COMMIT").unwrap();
        assert_eq!(deletes.join().unwrap(), Some(1));
    });
    assert_eq!(run(&mut two, "SELECT count(*) FROM child").unwrap(), [[Value::Integer(0)]]);
}

/// By the row executor, and by the batch executor when more rows are held by others than the first one looks at.
#[test]
fn a_prepared_query_locks_the_first_rows_that_are_free() {
    let database = Database::in_memory().unwrap();
    let (mut one, mut two) = (database.session(), database.session());
    one.execute("CREATE TABLE q (id BIGINT PRIMARY KEY, v BIGINT)").unwrap();
    for id in 1..=60 {
        one.execute(&format!("INSERT INTO q VALUES ({id}, {})", id % 2)).unwrap();
    }
    let number = |value: i64| vec![Value::Integer(value)];
    let text = "SELECT id FROM q WHERE v = $1 ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED";
    let mut take = one.prepare(text).unwrap();
    assert_eq!(take.executor(), mainstay_engine::Executor::Row);
    let mut taken = |session: &mut Session| -> Vec<Vec<Value>> {
        let mut rows = take.query(session, &[whole(1)]).unwrap();
        std::iter::from_fn(|| rows.next().unwrap().map(|row| vec![row.get(0).to_value()])).collect()
    };
    for session in [&mut one, &mut two] {
        session.execute("BEGIN").unwrap();
    }
    assert_eq!(taken(&mut one), [number(1), number(3)]);
    assert_eq!(taken(&mut two), [number(5), number(7)]);
    // One's own are free.
    assert_eq!(taken(&mut one), [number(1), number(3)]);
    let held = run(&mut two, "SELECT id FROM q WHERE id = 1 FOR UPDATE NOWAIT").unwrap_err();
    assert_eq!(held.code(), Code::LockTimeout);
    run(&mut one, "SELECT id FROM q WHERE v = 1 AND id > 7 AND id < 51 FOR UPDATE").unwrap();
    two.execute("COMMIT").unwrap();
    run(&mut one, "SELECT id FROM q WHERE v = 1 AND id < 51 FOR UPDATE").unwrap();
    two.execute("BEGIN").unwrap();
    assert_eq!(taken(&mut two), [number(51), number(53)]);
    let second = "SELECT id FROM q WHERE v = 0 ORDER BY id LIMIT 1 OFFSET 1 FOR UPDATE";
    assert_eq!(run(&mut two, second).unwrap(), [number(4)]);
    let held = run(&mut one, "SELECT id FROM q WHERE id = 2 FOR UPDATE NOWAIT").unwrap_err();
    assert_eq!(held.code(), Code::LockTimeout);
}

#[test]
fn select_for_update_reads_what_is_there_after_its_wait_and_finds_deadlocks() {
    let database = Database::in_memory().unwrap();
    let (mut one, mut two) = (database.session(), database.session());
    one.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, v BIGINT)").unwrap();
    one.execute("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)").unwrap();
    let number = |value: i64| vec![Value::Integer(value)];

    // The one that waits sees the new values, and rows that came into its condition meanwhile, and not those that left it.
    one.execute("BEGIN").unwrap();
    assert_eq!(run(&mut one, "SELECT v FROM t WHERE id = 1 FOR UPDATE").unwrap(), [number(10)]);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            two.execute("BEGIN").unwrap();
            let rows = run(&mut two, "SELECT id FROM t WHERE v >= 10 AND v < 35 ORDER BY id FOR UPDATE").unwrap();
            two.execute("COMMIT").unwrap();
            rows
        });
        // Time for the other to come as far as its wait; the answer is the same without.
        std::thread::sleep(std::time::Duration::from_millis(50));
        one.execute("UPDATE t SET v = 40 WHERE id = 1").unwrap();
        one.execute("INSERT INTO t VALUES (4, 12)").unwrap();
        one.execute("COMMIT").unwrap();
        assert_eq!(waiting.join().unwrap(), [number(2), number(3), number(4)]);
    });

    // Two that lock two rows in opposite order.
    for session in [&mut one, &mut two] {
        session.execute("BEGIN").unwrap();
    }
    run(&mut one, "SELECT id FROM t WHERE id = 1 FOR UPDATE").unwrap();
    run(&mut two, "SELECT id FROM t WHERE id = 2 FOR UPDATE").unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| run(&mut one, "SELECT id FROM t WHERE id = 2 FOR UPDATE"));
        let outcomes = [run(&mut two, "SELECT id FROM t WHERE id = 1 FOR UPDATE"), other.join().unwrap()];
        let is_victim = |outcome: &&Result<_>| outcome.as_ref().is_err_and(|error| error.code() == Code::Deadlock);
        assert_eq!(outcomes.iter().filter(is_victim).count(), 1, "{outcomes:?}");
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    });
}

#[test]
fn temporary_tables_are_gone_with_their_session_and_leave_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    {
        let database = Database::open(folder.path()).unwrap();
        let mut session = database.session();
        for statement in [
            "CREATE TABLE kept (id BIGINT PRIMARY KEY)",
            "BEGIN",
            "CREATE TEMP TABLE own (id BIGINT GENERATED ALWAYS AS IDENTITY, v TEXT)",
            "INSERT INTO own (v) VALUES ('secret'), ('more')",
            "INSERT INTO kept SELECT id FROM own",
            "COMMIT",
        ] {
            session.execute(statement).unwrap();
        }
        let mut insert = session.prepare("INSERT INTO own (v) VALUES (?)").unwrap();
        assert_eq!(insert.execute(&mut session, &[ValueRef::Text("secret")]).unwrap(), 1);
        let mut again = database.session();
        assert_eq!(again.execute("SELECT * FROM own").map(|_| ()).unwrap_err().code(), Code::UnknownTable);
    }
    let store = folder.path().join(".mainstay");
    let mut files: Vec<_> = vec![store];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        assert!(!has(b"secret") && !has(b"own_id_seq"), "{}", path.display());
    }
    let mut session = Database::open(folder.path()).unwrap().session();
    assert_eq!(run(&mut session, "SELECT count(*) FROM kept").unwrap(), [[Value::Integer(2)]]);
    let gone = session.execute("SELECT * FROM own").map(|_| ()).unwrap_err();
    assert_eq!(gone.code(), Code::UnknownTable);
}

/// A plan or a prepared statement never outlives the table that it was made for, whoever has one of that name.
#[test]
fn prepared_statements_find_the_temporary_table_of_the_moment() {
    let database = Database::in_memory().unwrap();
    let (mut one, mut two) = (database.session(), database.session());
    one.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, v TEXT)").unwrap();
    one.execute("INSERT INTO t VALUES (1, 'shared')").unwrap();
    let text = |text: &str| vec![vec![Value::Text(text.to_owned())]];
    let mut point = one.prepare("SELECT v FROM t WHERE id = ?").unwrap();
    let mut read = |session: &mut Session| {
        let mut rows = point.query(session, &[whole(1)]).unwrap();
        rows.next().unwrap().map(|row| row.get(0).to_value())
    };
    assert_eq!(read(&mut one), Some(Value::Text("shared".into())));
    for session in [&mut one, &mut two] {
        session.execute("CREATE TEMP TABLE t (id BIGINT PRIMARY KEY, v TEXT)").unwrap();
    }
    assert_eq!(read(&mut one), None);
    one.execute("INSERT INTO t VALUES (1, 'of one')").unwrap();
    two.execute("INSERT INTO t VALUES (1, 'of two')").unwrap();
    assert_eq!(read(&mut one), Some(Value::Text("of one".into())));
    for _ in 0..3 {
        assert_eq!(run(&mut one, "SELECT v FROM t").unwrap(), text("of one"));
        assert_eq!(run(&mut two, "SELECT v FROM t").unwrap(), text("of two"));
    }
    one.execute("DROP TABLE t").unwrap();
    assert_eq!(read(&mut one), Some(Value::Text("shared".into())));
    assert_eq!(run(&mut one, "SELECT v FROM t").unwrap(), text("shared"));
    assert_eq!(run(&mut two, "SELECT v FROM t").unwrap(), text("of two"));
}

/// A table of three times the memory that its rows may have: built, scanned, read by key, opened again.
#[test]
fn tables_may_be_larger_than_the_memory_for_rows() {
    let folder = tempfile::tempdir().unwrap();
    let options = || mainstay_engine::Options { memory_limit_bytes: Some(32 << 20), ..Default::default() };
    let (rows, portion) = (300_000i64, 10_000i64);
    let expected = vec![vec![Value::Integer(rows), Value::Integer(rows * (rows - 1) / 2)]];
    let check = |session: &mut Session| {
        assert_eq!(run(session, "SELECT COUNT(*), SUM(id) FROM big").unwrap(), expected);
        for id in [0, 7_777, rows - 1] {
            let found = run(session, &format!("SELECT LENGTH(text) FROM big WHERE id = {id}")).unwrap();
            assert_eq!(found, [[Value::Integer(100 + id % 7)]]);
        }
    };
    {
        let mut session = Database::open_with(folder.path(), options()).unwrap().session();
        session.execute("SET durability = os").unwrap();
        session.execute("CREATE TABLE big (id BIGINT PRIMARY KEY, text TEXT)").unwrap();
        for first in (0..rows).step_by(portion as usize) {
            let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + portion));
            let texts = (first..first + portion).map(|id| "x".repeat(100 + (id % 7) as usize));
            let texts: ArrayRef = Arc::new(StringViewArray::from_iter_values(texts));
            let mut appender = session.appender("big").unwrap();
            appender.batch(&RecordBatch::try_from_iter([("id", ids), ("text", texts)]).unwrap()).unwrap();
            appender.finish().unwrap();
        }
        check(&mut session);
    }
    check(&mut Database::open_with(folder.path(), options()).unwrap().session());
}

/// A session's list of tables has its temporary ones, before those that they hide; nobody else's has.
#[test]
fn lists_of_tables_have_temporary_ones() {
    let mut session = memory();
    session.execute("CREATE TABLE stock (id INTEGER)").unwrap();
    let listed = |session: &Session| -> Vec<(String, String, Option<u64>)> {
        session.tables().unwrap().into_iter().map(|table| (table.name, table.kind, table.rows)).collect()
    };
    let entry = |name: &str, kind: &str, rows| (name.to_owned(), kind.to_owned(), Some(rows));
    session.execute("CREATE TEMPORARY TABLE picked (a INTEGER, b TEXT)").unwrap();
    session.execute("INSERT INTO picked VALUES (1, 'x'), (2, 'y')").unwrap();
    let rows = run(&mut session, "SHOW TABLES").unwrap();
    assert_eq!(rows[0][0], Value::Text("picked".to_owned()));
    assert_eq!(listed(&session), [entry("picked", "temporary", 2), entry("stock", "native", 0)]);
    session.execute("CREATE TEMPORARY TABLE stock (other TEXT)").unwrap();
    assert_eq!(listed(&session), [entry("picked", "temporary", 2), entry("stock", "temporary", 0)]);
    assert_eq!(session.describe("STOCK").unwrap().columns[0].name, "other");
    session.execute("DROP TABLE stock").unwrap();
    session.execute("DROP TABLE picked").unwrap();
    assert_eq!(listed(&session), [entry("stock", "native", 0)]);
}

#[test]
fn upserts_of_one_key_by_many_sessions_give_one_row() {
    let database = Database::in_memory().unwrap();
    database.session().execute("CREATE TABLE t (k TEXT PRIMARY KEY, n BIGINT, note TEXT)").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut session = database.session();
                for round in 0..150 {
                    let upsert = "INSERT INTO t VALUES (?, 1, 'x') ON CONFLICT (k) DO UPDATE SET n = t.n + 1, note = excluded.note";
                    let mut upsert = session.prepare(upsert).unwrap();
                    upsert.execute(&mut session, &[ValueRef::Text("a")]).unwrap();
                    if round % 3 == 0 {
                        upsert.execute(&mut session, &[ValueRef::Text("b")]).unwrap();
                        let mut delete = session.prepare("DELETE FROM t WHERE k = ?").unwrap();
                        delete.execute(&mut session, &[ValueRef::Text("b")]).unwrap();
                    }
                }
            });
        }
    });
    let mut session = database.session();
    assert_eq!(run(&mut session, "SELECT n FROM t WHERE k = 'a'").unwrap(), [[Value::Integer(600)]]);
}

/// An answer that is read batch by batch shows the rows of the beginning of its statement, even if rows come meanwhile.
#[test]
fn answers_over_a_temporary_table_do_not_see_rows_that_come_later() {
    let all_of = |answer: &mut mainstay_engine::Answer| {
        let mut rows = 0;
        while let Some(batch) = answer.next_batch().unwrap() {
            rows += batch.num_rows();
        }
        rows
    };
    // Executors that read while they give rows, and the typed cursor.
    for sql in
        ["SELECT id % 100000, id FROM t WHERE id >= 0", "SELECT id, count(*) OVER () FROM t", "SELECT id FROM t", ""]
    {
        let mut session = Database::in_memory().unwrap().session();
        session.execute("CREATE TEMPORARY TABLE t (id INTEGER)").unwrap();
        // More than is read before the first batch is given.
        session.execute("INSERT INTO t SELECT n FROM generate_series(1, 150000) AS g(n)").unwrap();
        let mut insert = session.prepare("INSERT INTO t VALUES ($1)").unwrap();
        let mut put = |session: &mut Session| {
            for id in 0..3 {
                insert.execute(session, &[ValueRef::Integer(id)]).unwrap();
            }
        };
        for round in 0..4 {
            put(&mut session);
            let seen = if sql.is_empty() {
                let mut cursor = session.scan("t", &["id"]).unwrap();
                put(&mut session);
                std::iter::from_fn(|| cursor.next().then_some(())).count()
            } else {
                let mut answer = session.execute(sql).unwrap();
                put(&mut session);
                all_of(&mut answer)
            };
            assert_eq!(seen, 150_003 + round * 6, "round {round} of {sql}");
        }
    }
}
