//! Values as texts, texts as values, and values that differ from one execution to the next.
//!
//! Values by hand from "DATETIME", "INTERVAL", "DATE" and "CHAR" in the Guide to SQL: Reference.

mod common;

use common::Shop;

#[test]
fn moments_become_texts_with_the_fields_of_their_type() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run(
        "CREATE TABLE t (d DATE, m DATETIME YEAR TO MINUTE, h DATETIME HOUR TO MINUTE, i INTERVAL DAY TO HOUR, c CHAR(4), \
         v VARCHAR(20))",
    );
    session.run("INSERT INTO t VALUES ('5/7/2024', '2024-05-07 13:05', '09:30', '3 04', 'xy', NULL)");
    for (value, expected) in [
        ("d || ''", "05/07/2024"),
        ("d::CHAR(10)", "05/07/2024"),
        ("m || '.'", "2024-05-07 13:05."),
        ("m::VARCHAR(20)", "2024-05-07 13:05"),
        ("h || ''", "09:30"),
        ("i || ''", "3 04"),
        ("i::VARCHAR(20)", "3 04"),
        // A CHAR keeps its blanks.
        ("c || '|'", "xy  |"),
        ("TRIM(c) || '|'", "xy|"),
    ] {
        assert_eq!(session.run(&format!("SELECT {value} FROM t")), [expected], "{value}");
    }
    assert_eq!(
        session.types("SELECT EXTEND(m, YEAR TO DAY) a, m + 1 UNITS DAY b, CURRENT YEAR TO SECOND c, m FROM t"),
        ["a datetime 0 4", "b datetime 0 8", "c datetime 0 10", "m datetime 0 8"]
    );
    for (column, expected) in [("d", "05/07/2024"), ("m", "2024-05-07 13:05"), ("i", "3 04")] {
        session.run(&format!("UPDATE t SET v = {column}"));
        assert_eq!(session.run("SELECT v FROM t"), [expected], "{column}");
    }
    session.run(
        "CREATE PROCEDURE p() RETURNING VARCHAR(30), VARCHAR(30); DEFINE x DATETIME YEAR TO SECOND; DEFINE z DATE; \
         DEFINE a VARCHAR(30); SELECT m, d INTO x, z FROM t; LET a = x; RETURN a, z; END PROCEDURE",
    );
    assert_eq!(session.run("EXECUTE PROCEDURE p()"), ["2024-05-07 13:05:00|05/07/2024"]);
}

#[test]
fn texts_that_a_query_gives_are_cut() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE long_names (k SERIAL, v VARCHAR(10))");
    session.run("CREATE TABLE short_names (k INT, v CHAR(3))");
    session.run("INSERT INTO long_names VALUES (0, 'three')");
    session.run("INSERT INTO short_names SELECT k, v FROM long_names");
    session.run("INSERT INTO short_names SELECT k, v || v FROM long_names");
    assert_eq!(session.run("SELECT v FROM short_names"), ["thr", "thr"]);
    session.run("INSERT INTO long_names SELECT 0, v FROM short_names");
    assert_eq!(session.run("SELECT COUNT(*), MAX(k) FROM long_names"), ["3|3"]);
}

#[test]
fn dbinfo_reports_the_last_statement_each_time() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT)");
    session.run("INSERT INTO t VALUES (1)");
    session.run(
        "CREATE FUNCTION changed(k INT) RETURNING INT; UPDATE t SET a = a WHERE a = k; \
         IF DBINFO('sqlca.sqlerrd2') = 0 THEN RETURN -1; END IF; RETURN DBINFO('sqlca.sqlerrd2'); END FUNCTION",
    );
    for (k, expected) in [(1, "1"), (9, "-1"), (1, "1")] {
        assert_eq!(session.run(&format!("EXECUTE FUNCTION changed({k})")), [expected]);
    }
}

#[test]
fn the_greatest_of_values_is_null_where_one_is() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT, b INT)");
    session.run("INSERT INTO t VALUES (3, NULL)");
    assert_eq!(session.run("SELECT GREATEST(a, 5, 4), LEAST(a, 5), GREATEST(a, b) FROM t"), ["5|3|NULL"]);
    let named = session.prepare("SELECT ROWID, a FROM t");
    assert_eq!(named.columns[0].name, "rowid");
}
