//! Synonyms, sequences, rights, cursors that change rows, MERGE, and their rows in the system catalog.

mod common;

use common::{Client, Shop};
use mainstay_session::{Ran, Rows, StatementId, StatementKind, TransactionStep};
use mainstay_types::Value;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn merge_changes_adds_and_removes_rows() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (id SERIAL(5) PRIMARY KEY, k INTEGER, v VARCHAR(3))");
    session.run("CREATE TABLE u (k INTEGER, v VARCHAR(10))");
    session.run("INSERT INTO t VALUES (0, 1, 'a')");
    session.run("INSERT INTO u VALUES (1, 'new')");
    session.run("INSERT INTO u VALUES (2, 'longer')");
    let merge = "MERGE INTO t USING u ON t.k = u.k WHEN MATCHED THEN UPDATE SET v = u.v \
                 WHEN NOT MATCHED THEN INSERT VALUES (0, u.k, u.v)";
    assert_eq!(session.run(merge), ["2 rows"]);
    assert_eq!(session.run("SELECT * FROM t ORDER BY id"), ["5|1|new", "6|2|lon"]);
    let removal = "MERGE INTO t USING (SELECT k FROM u WHERE k = ?) s ON t.k = s.k WHEN MATCHED THEN DELETE";
    assert_eq!(session.run_with(removal, &[Value::Integer(1)]), ["1 rows"]);
    assert_eq!(session.run("SELECT k FROM t"), ["2"]);
}

#[test]
fn parameters_of_update_are_cut_as_those_of_insert() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a VARCHAR(1), b CHAR(2))");
    session.run_with("INSERT INTO t VALUES (?, ?)", &[text("false"), text("long")]);
    assert_eq!(
        session.run_with("UPDATE t SET a = ?, b = ? WHERE a = ?", &[text("true"), text("yes"), text("f")]),
        ["1 rows"]
    );
    assert_eq!(session.run("SELECT a, b FROM t"), ["t|ye"]);
    // A text that is only compared is not cut.
    assert_eq!(session.run_with("UPDATE t SET a = ? WHERE a = ?", &[text("x"), text("true")]), ["0 rows"]);
}

#[test]
fn rights_are_accepted_with_a_warning() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT)");
    for statement in ["GRANT SELECT ON t TO bob", "REVOKE ALL ON t FROM PUBLIC", "GRANT CONNECT TO bob"] {
        let prepared = session.prepare(statement);
        let Ran::Done(done) = session.0.execute(prepared.id, &[]).unwrap() else { panic!("rows") };
        assert!(done.has_no_effect, "{statement}");
    }
}

#[test]
fn the_generated_column_of_an_insert_is_known() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (v VARCHAR(3), id BIGSERIAL)");
    session.run("CREATE TABLE u (v VARCHAR(3))");
    let mut column = |statement: &str| {
        let prepared = session.prepare(statement);
        session.0.generated_column(prepared.id).map(|(place, column)| (place, column.name))
    };
    assert_eq!(column("INSERT INTO t (v) VALUES ('a')"), Some((2, "id".to_owned())));
    assert_eq!(column("INSERT INTO u VALUES ('a')"), None);
    assert_eq!(column("UPDATE t SET v = 'b'"), None);
}

fn open(session: &mut Client, query: &str, name: &str) -> (StatementId, Box<dyn Rows>) {
    let prepared = session.prepare(query);
    assert_eq!(prepared.kind, StatementKind::QueryForUpdate);
    session.0.name_cursor(prepared.id, name);
    let Ran::Rows(rows) = session.0.execute(prepared.id, &[]).unwrap() else { panic!("no rows") };
    (prepared.id, rows)
}

#[test]
fn the_current_row_of_a_cursor_is_changed() {
    let shop = Shop::new();
    let (mut session, mut other) = (shop.session(), shop.session());
    session.run("CREATE TABLE t (id INTEGER PRIMARY KEY, v VARCHAR(5))");
    for id in 1..=3 {
        session.run(&format!("INSERT INTO t VALUES ({id}, 'a')"));
    }
    session.0.transaction(&TransactionStep::Begin).unwrap();
    let (_, mut rows) = open(&mut session, "SELECT id FROM t WHERE id >= 1 FOR UPDATE", "C1");
    assert_eq!(session.fails("DELETE FROM t WHERE CURRENT OF c1").0, -266);
    assert_eq!(rows.next().unwrap(), Some(vec![Value::Integer(1)]));
    assert_eq!(session.run_with("UPDATE t SET v = ? WHERE CURRENT OF c1", &[text("one")]), ["1 rows"]);
    assert_eq!(rows.next().unwrap(), Some(vec![Value::Integer(2)]));
    assert_eq!(session.run("DELETE FROM t WHERE CURRENT OF c1"), ["1 rows"]);
    // The rows of the cursor are locked, those that it has not changed included.
    assert_eq!(other.fails("UPDATE t SET v = 'x' WHERE id = 3").0, -244);
    drop(rows);
    assert_eq!(session.fails("UPDATE t SET v = 'y' WHERE CURRENT OF c1").0, -266);
    assert_eq!(session.fails("UPDATE t SET v = 'y' WHERE CURRENT OF nosuch"), (-507, 0, "nosuch".to_owned()));
    session.0.transaction(&TransactionStep::Commit).unwrap();
    assert_eq!(session.run("SELECT id, v FROM t ORDER BY id"), ["1|one", "3|a"]);
    // A query of groups can only be read.
    assert_eq!(session.prepare("SELECT COUNT(*) FROM t FOR UPDATE").kind, StatementKind::Query);
}

#[test]
fn synonyms_stand_for_their_tables() {
    let shop = Shop::new();
    let (mut session, mut other) = (shop.session(), shop.session());
    session.run("CREATE TABLE t (id INTEGER, v VARCHAR(5))");
    session.run("CREATE SYNONYM s FOR ann.t");
    other.run("INSERT INTO s VALUES (1, 'a')");
    other.run("UPDATE s SET v = 'b' WHERE id = 1");
    assert_eq!(other.run("SELECT s.v FROM s"), ["b"]);
    assert_eq!(session.fails("CREATE SYNONYM s FOR t").0, -310);
    assert_eq!(session.fails("CREATE SYNONYM x FOR nosuch"), (-206, -111, "nosuch".to_owned()));
    let row = "SELECT tabtype FROM systables WHERE tabname = 's'";
    assert_eq!(session.run(row), ["S"]);
    let base = "SELECT b.tabname FROM systables a, syssyntable s, systables b \
                WHERE a.tabname = 's' AND s.tabid = a.tabid AND b.tabid = s.btabid";
    assert_eq!(session.run(base), ["t"]);
    session.run("RENAME TABLE t TO u");
    assert_eq!(session.run("SELECT v FROM s"), ["b"]);
    session.run("DROP SYNONYM s");
    assert_eq!(session.fails("SELECT v FROM s").0, -206);
    assert_eq!(session.fails("DROP SYNONYM s").0, -206);
    session.run("CREATE SYNONYM s FOR u");
    session.run("DROP TABLE u");
    assert_eq!(session.run(row), [] as [&str; 0]);
}

#[test]
fn sequences_count() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE SEQUENCE q INCREMENT BY 5 START WITH 10 MAXVALUE 100");
    session.run("CREATE TABLE t (id INTEGER, v VARCHAR(5))");
    session.run("INSERT INTO t VALUES (q.NEXTVAL, 'a')");
    session.run("INSERT INTO t VALUES (q.nextval, 'b')");
    assert_eq!(session.run("SELECT id, q.CURRVAL FROM t ORDER BY id"), ["10|15", "15|15"]);
    let row = "SELECT tabname, start_val, inc_val, max_val FROM syssequences s, systables t \
               WHERE s.tabid = t.tabid AND tabtype = 'Q'";
    assert_eq!(session.run(row), ["q|10|5|100"]);
    session.run("DROP SEQUENCE q");
    assert_eq!(session.run("SELECT COUNT(*) FROM syssequences"), ["0"]);
}

#[test]
fn zero_in_a_serial_is_the_next_number_in_every_form() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (id SERIAL(7) PRIMARY KEY, v VARCHAR(5))");
    session.run("CREATE TABLE u (n INTEGER, v VARCHAR(5))");
    for row in ["0, 'a'", "30, 'b'", "0, 'c'"] {
        session.run(&format!("INSERT INTO u VALUES ({row})"));
    }
    session.run("INSERT INTO t SELECT n, v FROM u");
    session.run("INSERT INTO t (v, id) SELECT v, 0 FROM u WHERE v = 'a'");
    session.run_with("INSERT INTO t VALUES (?, 'p')", &[text("0")]);
    assert_eq!(session.run("SELECT id FROM t WHERE v = 'b'"), ["30"]);
    assert_eq!(session.run("SELECT COUNT(*), COUNT(DISTINCT id), MIN(id) FROM t"), ["5|5|7"]);
}

#[test]
fn views_and_defaults_are_in_the_catalog() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT DEFAULT 5, b VARCHAR(9) DEFAULT 'it''s', c DATE DEFAULT TODAY, d INT)");
    session.run("CREATE VIEW w (x) AS SELECT a FROM t");
    let defaults =
        "SELECT colno, type, d.default FROM sysdefaults d, systables t WHERE d.tabid = t.tabid ORDER BY colno";
    assert_eq!(session.run(defaults), ["1|L|5", "2|L|it's", "3|T|NULL"]);
    let view =
        session.run("SELECT seqno, viewtext FROM sysviews v, systables t WHERE v.tabid = t.tabid AND tabname = 'w'");
    assert!(view.len() == 1 && view[0].starts_with("0|create view w (x) as "), "{view:?}");
}

#[test]
fn rights_are_accepted_for_what_is_there() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT)");
    session.run("GRANT SELECT, UPDATE (a) ON t TO bob WITH GRANT OPTION");
    session.run("REVOKE ALL ON t FROM PUBLIC");
    session.run("GRANT CONNECT TO bob");
    assert_eq!(session.fails("GRANT SELECT ON nosuch TO bob"), (-206, -111, "nosuch".to_owned()));
}

#[test]
fn delimident_makes_names_of_double_quotes() {
    let shop = Shop::new();
    let mut plain = shop.session();
    plain.run("CREATE TABLE t (a INT)");
    plain.run("INSERT INTO t VALUES (1)");
    assert_eq!(plain.run("SELECT \"a\" FROM t"), ["a"]);
    assert_eq!(shop.session_with("DELIMIDENT", "y").run("SELECT \"a\" FROM \"t\""), ["1"]);
    assert_eq!(shop.session_with("DELIMIDENT", "n").run("SELECT \"a\" FROM t"), ["a"]);
    plain.0.set_variable("DELIMIDENT", "");
    assert_eq!(plain.run("SELECT \"a\" FROM t"), ["1"]);
}

#[test]
fn fractions_are_cut_and_blanks_behind_texts_do_not_count() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (w DATETIME YEAR TO FRACTION(5), s DATETIME YEAR TO SECOND, v VARCHAR(9))");
    session.run("INSERT INTO t (w, v) VALUES (DATETIME (2024-02-29 23:59:59.98765) YEAR TO FRACTION(5), 'ab')");
    session.run("UPDATE t SET s = w");
    let cut =
        "SELECT s, EXTEND(w, YEAR TO FRACTION(2)), EXTEND(w, YEAR TO FRACTION(3)), EXTEND(w, HOUR TO SECOND) FROM t";
    assert_eq!(
        session.run(cut),
        [
            "TIMESTAMP '2024-02-29 23:59:59'|TIMESTAMP '2024-02-29 23:59:59.98'|TIMESTAMP '2024-02-29 23:59:59.987'|TIME '23:59:59'"
        ]
    );
    assert_eq!(session.run("SELECT COUNT(*) FROM t WHERE v = 'ab  ' AND v IN ('x', 'ab ')"), ["1"]);
    assert_eq!(session.run_with("SELECT COUNT(*) FROM t WHERE v = ?", &[text("ab   ")]), ["1"]);
    assert_eq!(session.run("SELECT COUNT(*) FROM t WHERE v LIKE 'ab '"), ["0"]);
}
