//! DBF tables changed by SQL: values, keys, locks, transactions.

#![allow(clippy::disallowed_methods)]

mod support;

use mainstay_engine::{Database, Session};
use mainstay_types::{Code, ValueRef};
use mainstay_vfs::Disk;
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::path::PathBuf;
use std::sync::Arc;
use support::{change, check, failure, lines, session, value};
use tempfile::TempDir;

/// A table of all the usual fields, with three tags in its CDX.
fn stock(format: Format) -> (TempDir, PathBuf, Session) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stock.dbf");
    let fields = vec![
        FieldSpec::new("ID", b'N', 6, 0),
        FieldSpec::new("NAME", b'C', 10, 0),
        FieldSpec::new("PRICE", b'N', 8, 2),
        FieldSpec::new("BOUGHT", b'D', 8, 0),
        FieldSpec::new("HERE", b'L', 1, 0),
        FieldSpec::new("NOTE", b'M', 0, 0),
    ];
    let options = WriteOptions::new(Access::Exclusive);
    writer::create(&Disk, &path, &TableSpec::new(format, fields), &options).unwrap();
    let mut table = IndexedTable::open(Arc::new(Disk), &path, options).unwrap();
    let specs = [
        IndexSpec::new("ID", "ID"),
        IndexSpec::new("NAME", "UPPER(NAME)"),
        IndexSpec { descending: true, condition: Some(".NOT. DELETED()".into()), ..IndexSpec::new("PRICE", "PRICE") },
    ];
    for spec in &specs {
        table.create_index(None, BagKind::Cdx, spec, Building::default()).unwrap();
    }
    table.close().unwrap();
    let session = session(folder.path());
    (folder, path, session)
}

#[test]
fn rows_are_inserted_changed_and_deleted_in_place() {
    let (folder, _, mut session) = stock(Format::FoxPro);
    let insert = "INSERT INTO stock (id, name, price, bought, here, note) VALUES \
        (1, 'bolt', 2.5, DATE '2026-01-02', TRUE, 'a long note'), (2, 'nut', 0.75, NULL, FALSE, NULL)";
    assert_eq!(change(&mut session, insert), 2);
    let all = "SELECT id, name, price, bought, here, note, _recno FROM stock ORDER BY id";
    let expected = ["1|bolt|2.50|2026-01-02|true|a long note|1", "2|nut|0.75|NULL|false||2"];
    assert_eq!(lines(&mut session, all), expected);
    assert_eq!(change(&mut session, "UPDATE stock SET price = price * 2, name = upper(name) WHERE id = 1"), 1);
    assert_eq!(lines(&mut session, "SELECT name, price FROM stock WHERE id = 1"), ["BOLT|5.00"]);
    assert_eq!(
        lines(&mut session, "UPDATE stock SET note = 'new' WHERE id = 2 RETURNING old.note, note, _recno"),
        ["|new|2"]
    );
    assert_eq!(change(&mut session, "INSERT INTO stock (id) SELECT id + 10 FROM stock"), 2);
    assert_eq!(lines(&mut session, "SELECT id, name FROM stock WHERE _recno > 2"), ["11|", "12|"]);
    assert_eq!(change(&mut session, "DELETE FROM stock WHERE id > 10"), 2);
    assert_eq!(value(&mut session, "SELECT count(*) FROM stock"), "2");
    assert_eq!(change(&mut session, "DELETE FROM stock WHERE id > 10"), 0);
    assert_eq!(change(&mut session, "UPDATE stock SET _deleted = FALSE WHERE _deleted AND id = 12"), 1);
    assert_eq!(lines(&mut session, "SELECT id FROM stock ORDER BY id"), ["1", "2", "12"]);
    assert_eq!(change(&mut session, "INSERT INTO stock DEFAULT VALUES"), 1);
    assert_eq!(
        lines(&mut session, "INSERT INTO stock (id) VALUES (77) RETURNING *, _recno"),
        ["77||NULL|NULL|NULL||6"]
    );
    check(folder.path());
}

#[test]
fn what_does_not_fit_is_an_error_that_names_the_column_and_nothing_is_written() {
    let (folder, path, mut session) = stock(Format::FoxPro);
    change(&mut session, "INSERT INTO stock (id, name, price) VALUES (1, 'bolt', 1), (2, 'nut', 2)");
    let before = std::fs::read(&path).unwrap();
    let cases = [
        ("UPDATE stock SET price = price * 500000", Code::InvalidValue, ["PRICE", "N(8,2)", "500000"]),
        ("INSERT INTO stock (name) VALUES ('ok'), ('much too long')", Code::InvalidValue, ["NAME", "10", "13"]),
        ("INSERT INTO stock (name) VALUES ('日本')", Code::InvalidValue, ["NAME", "日", "CP437"]),
        ("UPDATE stock SET bought = 'no day'", Code::InvalidValue, ["BOUGHT", "no day", "DATE"]),
        ("UPDATE stock SET id = 1234567 WHERE id = 2", Code::InvalidValue, ["ID", "N(6)", "1234567"]),
        ("UPDATE stock SET nothing = 1", Code::UnknownColumn, ["nothing", "stock", ""]),
        ("UPDATE stock SET _recno = 1", Code::InvalidValue, ["_recno", "", ""]),
        ("INSERT INTO stock (id, name) VALUES (1)", Code::Syntax, ["1 values", "2 columns", ""]),
    ];
    for (sql, code, words) in cases {
        let error = failure(&mut session, sql);
        let text = format!("{error}");
        assert_eq!(error.code(), code, "{sql}: {text}");
        assert!(words.iter().all(|word| text.to_lowercase().contains(&word.to_lowercase())), "{sql}: {text}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    check(folder.path());
}

#[test]
fn a_statement_that_fails_in_the_middle_is_undone() {
    let (folder, _, mut session) = stock(Format::FoxPro);
    change(&mut session, "INSERT INTO stock (id, name, price) VALUES (1, 'a', 1), (2, 'b', 99999.99), (3, 'c', 3)");
    let all = "SELECT id, name, price FROM stock ORDER BY id";
    let before = lines(&mut session, all);
    failure(&mut session, "UPDATE stock SET name = 'changed', price = price + 0.01");
    assert_eq!(lines(&mut session, all), before);
    session.execute("BEGIN").unwrap();
    assert_eq!(change(&mut session, "UPDATE stock SET name = 'x' WHERE id = 1"), 1);
    failure(&mut session, "UPDATE stock SET name = 'changed', price = price + 0.01");
    assert_eq!(value(&mut session, "SELECT name FROM stock WHERE id = 1"), "x");
    session.execute("COMMIT").unwrap();
    assert_eq!(value(&mut session, "SELECT name FROM stock WHERE id = 1"), "x");
    drop(session);
    check(folder.path());
}

#[test]
fn a_transaction_covers_native_and_dbf_tables() {
    let (folder, _, mut session) = stock(Format::FoxPro);
    session.execute("CREATE TABLE moves (item BIGINT, n INTEGER)").unwrap();
    change(&mut session, "INSERT INTO stock (id, price) VALUES (1, 10), (2, 20)");
    let state = "SELECT (SELECT sum(price) FROM stock) AS a, (SELECT count(*) FROM moves) AS b, (SELECT count(*) FROM stock) AS c";
    let step = |session: &mut Session, item: u32| {
        change(session, &format!("UPDATE stock SET price = price + 1 WHERE id = {item}"));
        change(session, &format!("INSERT INTO moves VALUES ({item}, 1)"));
        change(session, "INSERT INTO stock (id, price) VALUES (9, 100)");
    };
    session.execute("BEGIN").unwrap();
    step(&mut session, 1);
    assert_eq!(lines(&mut session, state), ["131.00|1|3"]);
    session.execute("ROLLBACK").unwrap();
    assert_eq!(lines(&mut session, state), ["30.00|0|2"]);
    session.execute("BEGIN").unwrap();
    step(&mut session, 1);
    session.execute("SAVEPOINT here").unwrap();
    step(&mut session, 2);
    assert_eq!(lines(&mut session, state), ["232.00|2|4"]);
    session.execute("ROLLBACK TO SAVEPOINT here").unwrap();
    assert_eq!(lines(&mut session, state), ["131.00|1|3"]);
    session.execute("COMMIT").unwrap();
    assert_eq!(lines(&mut session, state), ["131.00|1|3"]);
    session.execute("BEGIN").unwrap();
    session.execute("SAVEPOINT first").unwrap();
    step(&mut session, 2);
    session.execute("ROLLBACK TO SAVEPOINT first").unwrap();
    session.execute("COMMIT").unwrap();
    assert_eq!(lines(&mut session, state), ["131.00|1|3"]);
    session.execute("BEGIN").unwrap();
    step(&mut session, 2);
    drop(session);
    let mut session = support::session(folder.path());
    assert_eq!(lines(&mut session, state), ["131.00|1|3"]);
    // The internal table that joins commits of both kinds is not listed.
    let shown = support::rows(&mut session, "SHOW TABLES");
    assert_eq!(shown.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["moves", "stock"]);
    drop(session);
    check(folder.path());
}

#[test]
fn another_sessions_records_are_waited_for_and_looked_at_again() {
    let (folder, _, mut one) = stock(Format::FoxPro);
    change(&mut one, "INSERT INTO stock (id, price) VALUES (1, 10), (2, 20)");
    let database = Database::open(folder.path()).unwrap();
    let mut two = database.session();
    one.execute("BEGIN").unwrap();
    change(&mut one, "UPDATE stock SET price = price + 1 WHERE id = 1");
    two.execute("SET lock_timeout = 50ms").unwrap();
    let error = failure(&mut two, "UPDATE stock SET price = 0 WHERE id = 1");
    assert_eq!(error.code(), Code::LockTimeout);
    assert!(error.message().contains("record 1 is locked by") && error.message().contains("; waited "), "{error}");
    assert_eq!(change(&mut two, "UPDATE stock SET price = 21 WHERE id = 2"), 1);
    two.execute("SET lock_timeout = 20s").unwrap();
    let waiting = std::thread::spawn(move || {
        // When it was looked for it had 11 (or 10): when the lock is there it has 50, and no longer fits.
        let changed = change(&mut two, "UPDATE stock SET price = price + 100 WHERE id = 1 AND price < 40");
        (changed, two)
    });
    std::thread::sleep(std::time::Duration::from_millis(100));
    change(&mut one, "UPDATE stock SET price = 50 WHERE id = 1");
    one.execute("COMMIT").unwrap();
    let (changed, mut two) = waiting.join().unwrap();
    assert_eq!(changed, 0);
    assert_eq!(lines(&mut two, "SELECT id, price FROM stock ORDER BY id"), ["1|50.00", "2|21.00"]);
    drop((one, two));
    drop(database);
    check(folder.path());
}

#[test]
fn records_that_join_other_tables_are_changed_once() {
    let (folder, _, mut session) = stock(Format::VisualFoxPro);
    session.execute("CREATE TABLE prices (item INTEGER, price DECIMAL(8, 2))").unwrap();
    session.execute("INSERT INTO prices VALUES (1, 5), (3, 7), (3, 7)").unwrap();
    change(&mut session, "INSERT INTO stock (id, price) VALUES (1, 0), (2, 0), (3, 0)");
    let update =
        "UPDATE stock AS s SET price = p.price FROM prices AS p WHERE p.item = s.id RETURNING s.id, p.item, s.price";
    let mut changed = lines(&mut session, update);
    changed.sort();
    assert_eq!(changed, ["1|1|5.00", "3|3|7.00"]);
    assert_eq!(change(&mut session, "DELETE FROM stock USING prices WHERE prices.item = stock.id"), 2);
    assert_eq!(lines(&mut session, "SELECT id FROM stock"), ["2"]);
    let mut prepared = session.prepare("UPDATE stock SET name = ? WHERE id = ?").unwrap();
    use mainstay_types::ValueRef::{Integer, Text};
    assert_eq!(prepared.execute(&mut session, &[Text("x'y"), Integer(2)]).unwrap(), 1);
    let mut prepared = session.prepare("INSERT INTO stock (id, name) VALUES (?, ?)").unwrap();
    assert_eq!(prepared.execute(&mut session, &[Integer(5), Text("five")]).unwrap(), 1);
    assert_eq!(lines(&mut session, "SELECT id, name FROM stock ORDER BY id"), ["2|x'y", "5|five"]);
    drop(session);
    check(folder.path());
}

#[test]
fn files_that_are_only_read_say_so() {
    let (folder, _, mut session) = stock(Format::FoxPro);
    std::fs::write(folder.path().join("prices.csv"), "a,b\n1,2\n").unwrap();
    let error = failure(&mut session, "UPDATE prices SET a = 2");
    assert_eq!(error.code(), Code::ReadOnly);
    assert_eq!(error.message(), "prices cannot be changed: CSV files are only read");
}

#[test]
fn merge_deletes_changes_and_appends_records() {
    let (folder, _, mut session) = stock(Format::VisualFoxPro);
    change(&mut session, "INSERT INTO stock (id, name, price) VALUES (1, 'bolt', 1), (2, 'nut', 2), (3, 'pin', 3)");
    session.execute("CREATE TABLE arrivals (item INTEGER, price DECIMAL(8, 2))").unwrap();
    session.execute("INSERT INTO arrivals VALUES (1, 10), (2, 0), (4, 40)").unwrap();
    let merge = "MERGE INTO stock AS t USING arrivals AS s ON t.id = s.item \
        WHEN MATCHED AND s.price = 0 THEN DELETE \
        WHEN MATCHED THEN UPDATE SET price = t.price + s.price, note = 'more' \
        WHEN NOT MATCHED THEN INSERT (id, name, price) VALUES (s.item, 'new', s.price)";
    let mut done =
        lines(&mut session, &format!("{merge} RETURNING _merge.action, new.id, new.price, old.price, s.item"));
    done.sort();
    assert_eq!(done, ["DELETE|NULL|NULL|2.00|2", "INSERT|4|40.00|NULL|4", "UPDATE|1|11.00|1.00|1"]);
    let all = "SELECT id, name, price, note FROM stock ORDER BY id";
    let after = ["1|bolt|11.00|more", "3|pin|3.00|", "4|new|40.00|"];
    assert_eq!(lines(&mut session, all), after);
    // The row that does not fit undoes those before it.
    session.execute("INSERT INTO arrivals VALUES (5, 999999)").unwrap();
    assert_eq!(failure(&mut session, merge).code(), Code::InvalidValue);
    assert_eq!(lines(&mut session, all), after);
    session.execute("DELETE FROM arrivals WHERE item = 5").unwrap();
    session.execute("INSERT INTO arrivals VALUES (4, 1)").unwrap();
    assert!(failure(&mut session, merge).message().contains("twice"));
    let by_source = "MERGE INTO stock USING arrivals ON stock.id = arrivals.item \
        WHEN NOT MATCHED BY SOURCE THEN UPDATE SET price = 0";
    assert_eq!(change(&mut session, by_source), 1);
    assert_eq!(lines(&mut session, "SELECT id, price FROM stock WHERE price = 0"), ["3|0.00"]);
    let plan = lines(&mut session, &format!("EXPLAIN {by_source}"));
    assert_eq!(plan[..2], ["executor: batch", "Merge: stock"]);
    drop(session);
    check(folder.path());
}

#[test]
fn prepared_statements_change_records() {
    let (folder, _, mut session) = stock(Format::FoxPro);
    let text = |text: &'static str| ValueRef::Text(text);
    let mut insert = session.prepare("INSERT INTO stock (id, name, price, note) VALUES (?, ?, ?, ?)").unwrap();
    for id in 1..=3 {
        let row = [ValueRef::Integer(id), text("bolt"), ValueRef::Integer(id * 2), text("of iron")];
        assert_eq!(insert.execute(&mut session, &row).unwrap(), 1);
    }
    let mut update = session.prepare("UPDATE stock SET price = price + ?, name = ? WHERE id = ?").unwrap();
    for id in 2..=4 {
        let changed =
            update.execute(&mut session, &[ValueRef::Integer(1), text("nut"), ValueRef::Integer(id)]).unwrap();
        assert_eq!(changed, u64::from(id < 4));
    }
    let mut delete = session.prepare("DELETE FROM stock WHERE name = ? AND price > ?").unwrap();
    assert_eq!(delete.execute(&mut session, &[text("nut"), ValueRef::Integer(6)]).unwrap(), 1);
    let mut returning = session.prepare("UPDATE stock SET price = ? WHERE id = ? RETURNING id, old.price").unwrap();
    let mut rows = returning.query(&mut session, &[ValueRef::Integer(9), ValueRef::Integer(1)]).unwrap();
    let row = rows.next().unwrap().unwrap();
    assert_eq!((row.get(0).to_string(), row.get(1).to_string()), ("1".into(), "2.00".into()));
    drop(rows);
    let all = "SELECT id, name, price, note FROM stock ORDER BY id";
    assert_eq!(lines(&mut session, all), ["1|bolt|9.00|of iron", "2|nut|5.00|of iron"]);
    assert_eq!(insert.execute(&mut session, &[ValueRef::Null; 3]).unwrap_err().code(), Code::InvalidValue);
    drop(session);
    check(folder.path());
}

#[test]
fn keys_are_looked_at_when_the_statement_is_done() {
    let (folder, _, mut session) = stock(Format::VisualFoxPro);
    change(&mut session, "CREATE UNIQUE INDEX own ON stock (id)");
    change(&mut session, "INSERT INTO stock (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    assert_eq!(change(&mut session, "UPDATE stock SET id = id + 1"), 3);
    assert_eq!(change(&mut session, "UPDATE stock SET id = id - 1"), 3);
    assert_eq!(change(&mut session, "UPDATE stock SET id = 4 - id"), 3);
    assert_eq!(lines(&mut session, "SELECT id, name FROM stock ORDER BY id"), ["1|c", "2|b", "3|a"]);
    // Those that wait for each other go round, also when all of it is undone.
    let round = "UPDATE stock SET id = CASE id WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 1 END";
    assert_eq!(change(&mut session, round), 3);
    session.execute("BEGIN").unwrap();
    assert_eq!(change(&mut session, round), 3);
    assert_eq!(lines(&mut session, "SELECT name FROM stock WHERE id = 1"), ["b"]);
    session.execute("ROLLBACK").unwrap();
    assert_eq!(change(&mut session, round), 3);
    assert_eq!(change(&mut session, round), 3);
    assert_eq!(change(&mut session, "UPDATE stock SET id = 4 - id"), 3);
    let two = "UPDATE stock SET id = CASE id WHEN 1 THEN 2 ELSE 1 END WHERE id < 3";
    assert_eq!(change(&mut session, two), 2);
    assert_eq!(change(&mut session, two), 2);
    // One of them meets a record that keeps its key.
    let onto_another = "UPDATE stock SET id = CASE id WHEN 1 THEN 3 ELSE 1 END WHERE id < 3";
    assert_eq!(failure(&mut session, onto_another).code(), Code::UniqueViolation);
    let onto_one = "UPDATE stock SET id = CASE id WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE 1 END";
    assert_eq!(failure(&mut session, onto_one).code(), Code::UniqueViolation);
    assert_eq!(lines(&mut session, "SELECT name FROM stock WHERE id = 2"), ["b"]);
    assert_eq!(failure(&mut session, "UPDATE stock SET id = id + 1 WHERE id < 3").code(), Code::UniqueViolation);
    assert_eq!(lines(&mut session, "SELECT id, name FROM stock ORDER BY id"), ["1|a", "2|b", "3|c"]);
    drop(session);
    check(folder.path());
}

#[test]
fn texts_of_other_files_meet_fields_without_their_trailing_blanks() {
    let (folder, _, mut session) = stock(Format::FoxPro);
    std::fs::write(folder.path().join("named.csv"), "name,v\n\"bolt  \",1\n\"pin\",2\n").unwrap();
    change(&mut session, "INSERT INTO stock (id, name) VALUES (1, 'bolt'), (2, 'bolt'), (3, 'nut')");
    let mut texts = |sql: &str| lines(&mut session, sql);
    let tests = ["= ANY (SELECT name FROM named)", "IN (SELECT name FROM named)"];
    for test in tests {
        assert_eq!(texts(&format!("SELECT id FROM stock WHERE name {test} ORDER BY id")), ["1", "2"], "{test}");
    }
    assert_eq!(texts("SELECT id FROM stock WHERE name <> ALL (SELECT name FROM named)"), ["3"]);
    assert_eq!(texts("SELECT name FROM stock INTERSECT SELECT name FROM named"), ["bolt"]);
    assert_eq!(texts("SELECT name FROM named EXCEPT SELECT name FROM stock"), ["pin"]);
    assert_eq!(texts("SELECT name FROM stock UNION SELECT name FROM named ORDER BY name"), ["bolt", "nut", "pin"]);
    assert_eq!(
        texts("SELECT id, v FROM stock NATURAL JOIN (SELECT name, v FROM named) AS n ORDER BY id"),
        ["1|1", "2|1"]
    );
    assert_eq!(change(&mut session, "DELETE FROM stock WHERE name = ANY (SELECT name FROM named)"), 2);
}
