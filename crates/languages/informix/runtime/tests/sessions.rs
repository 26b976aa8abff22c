//! Sessions of Informix SQL: statements in, rows and SQLCODEs out.

mod common;

use common::Shop;
use mainstay_session::{Ran, TransactionStep};
use mainstay_types::Value;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn clients_find_what_they_ask_for_when_they_connect() {
    let shop = Shop::new();
    let mut session = shop.session();
    assert_eq!(session.run("select FIRST 1 site from informix.systables where tabname = ' GL_COLLATE'"), ["en_US.819"]);
    assert_eq!(session.run("SELECT flags FROM informix.systables WHERE tabname = ' VERSION';"), ["0"]);
    assert_eq!(session.types("SELECT site, flags FROM informix.systables"), ["site varchar 128", "flags smallint"]);
    assert_eq!(
        session.run("SELECT FIRST 1 DBINFO('version','full') FROM systables"),
        ["IBM Informix Dynamic Server Version 14.10.FC7W1DE"]
    );
}

#[test]
fn declared_types_come_back() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run(
        "CREATE TABLE t (s SERIAL, d DECIMAL(8,2), m MONEY, w DATETIME YEAR TO MINUTE, h DATETIME HOUR TO SECOND, \
         i INTERVAL DAY(3) TO SECOND, b BOOLEAN, c CHAR(5), v VARCHAR(20), l LVARCHAR(500), x TEXT, n INT8, q BIGINT, f FLOAT, e SMALLFLOAT, a DATE)",
    );
    assert_eq!(
        session.types("SELECT * FROM t"),
        [
            "s serial",
            "d decimal 8 2",
            "m money 16 2",
            "w datetime 0 8",
            "h datetime 6 10",
            "i interval 4 3 10",
            "b boolean",
            "c char 5",
            "v varchar 20",
            "l lvarchar 500",
            "x text",
            "n int8",
            "q bigint",
            "f float",
            "e smallfloat",
            "a date",
        ]
    );
    assert_eq!(
        session.run("SELECT coltype, collength FROM syscolumns c, systables t WHERE t.tabid = c.tabid AND t.tabname = 't' AND colno <= 4 ORDER BY colno"),
        ["262|4", "5|2050", "8|4098", "10|3080"]
    );
}

#[test]
fn expressions_have_types_of_the_dialect() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (id INTEGER, c CHAR(6))");
    assert_eq!(
        session.types("SELECT UPPER(c) u, 'abc', 7, COUNT(*), id FROM t GROUP BY c, id"),
        ["u varchar 6", "(constant) varchar 3", "(constant) integer", "(count) bigint", "id integer"]
    );
}

#[test]
fn a_cast_has_the_type_that_it_names() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (v VARCHAR(20), n SMALLINT, d DECIMAL(8,2))");
    session.run("INSERT INTO t VALUES ('45', 7, 1.25)");
    assert_eq!(
        session.types("SELECT CAST(v AS INTEGER) v, CAST(d AS FLOAT) d, v w, n FROM t"),
        ["v integer", "d float", "w varchar 20", "n smallint"]
    );
    assert_eq!(session.run("SELECT CAST(v AS INTEGER) v, n::VARCHAR(10) n FROM t"), ["45|7"]);
}

/// Doors take rows lent, routines take them as values of their own.
#[test]
fn rows_that_are_lent_have_the_same_values() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (i INTEGER, v VARCHAR(20), d DECIMAL(8,2), w DATETIME YEAR TO SECOND, b BOOLEAN)");
    session.run("INSERT INTO t VALUES (1, 'one', 1.25, DATETIME(2024-02-29 12:30:00) YEAR TO SECOND, 't')");
    session.run("INSERT INTO t (i) VALUES (2)");
    // Five columns, and more than are lent without an allocation.
    let many = (0..20).map(|place| format!("v v{place}")).collect::<Vec<_>>().join(", ");
    for columns in ["*", &many] {
        let id = session.prepare(&format!("SELECT {columns} FROM t ORDER BY i")).id;
        let mut rows = || match session.0.execute(id, &[]).unwrap() {
            Ran::Rows(rows) => rows,
            Ran::Done(_) => panic!("no rows"),
        };
        let (mut own, mut lent) = (rows(), rows());
        for _ in 0..2 {
            let expected = own.next().unwrap().unwrap();
            let mut seen = Vec::new();
            let has_row = lent.lend_next(&mut |values| {
                seen.extend(values.iter().map(|value| value.to_value()));
                Ok(())
            });
            assert!(has_row.unwrap());
            assert_eq!(seen, expected, "{columns}");
        }
        assert!(own.next().unwrap().is_none() && !lent.lend_next(&mut |_| Ok(())).unwrap());
    }
}

#[test]
fn serial_numbers_are_given_and_told() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (id SERIAL(10) PRIMARY KEY, v VARCHAR(3))");
    session.run("INSERT INTO t VALUES (0, 'a')");
    assert_eq!(session.run("SELECT DBINFO('sqlca.sqlerrd1') FROM systables WHERE tabid = 1"), ["10"]);
    session.run_with("INSERT INTO t VALUES (?, ?)", &[Value::Integer(0), text("too long")]);
    session.run("INSERT INTO t (id, v) VALUES (40, 'c')");
    assert_eq!(session.run("SELECT id, v FROM t ORDER BY 1"), ["10|a", "11|too", "40|c"]);
}

#[test]
fn queries_of_the_dialect() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (id INTEGER, c CHAR(6), d DATE)");
    session.run("CREATE TABLE u (k INTEGER, v VARCHAR(10))");
    for row in ["1, 'abcdef', '2024-02-28'", "2, 'xyz', NULL", "3, NULL, '2024-03-01'"] {
        session.run(&format!("INSERT INTO t VALUES ({row})"));
    }
    session.run("INSERT INTO u VALUES (1, 'one')");
    session.run("INSERT INTO u VALUES (3, 'three')");
    let cases: [(&str, &[&str]); 13] = [
        ("SELECT SKIP 1 FIRST 1 id FROM t ORDER BY id", &["2"]),
        ("SELECT c[2,3] FROM t WHERE id = 1", &["bc"]),
        ("SELECT id FROM t WHERE c MATCHES 'a*'", &["1"]),
        ("SELECT id FROM t WHERE c MATCHES '[x-z]*'", &["2"]),
        ("SELECT id, v FROM t, OUTER u WHERE id = k ORDER BY id", &["1|one", "2|NULL", "3|three"]),
        ("SELECT id, v FROM t, OUTER u WHERE id = k AND v MATCHES 'o*' ORDER BY id", &["1|one", "2|NULL", "3|NULL"]),
        ("SELECT UNIQUE NVL(c, 'none') FROM t ORDER BY 1", &["abcdef", "none", "xyz"]),
        ("SELECT d + 2, d - MDY(2, 1, 2024), MONTH(d), WEEKDAY(d) FROM t WHERE id = 1", &["DATE '2024-03-01'|27|2|3"]),
        ("SELECT d + 2 UNITS DAY FROM t WHERE id = 1", &["DATE '2024-03-01'"]),
        ("SELECT c FROM t ORDER BY c", &["NULL", "abcdef", "xyz"]),
        ("SELECT LENGTH(c), UPPER(c), c || '!' FROM t WHERE id = 2", &["3|XYZ|xyz   !"]),
        ("SELECT DECODE(id, 1, 'one', 2, 'two', 'many') FROM t ORDER BY id", &["one", "two", "many"]),
        ("SELECT COUNT(*), SUM(id), MAX(c) FROM t", &["3|6|xyz"]),
    ];
    for (query, expected) in cases {
        assert_eq!(session.run(query), expected, "{query}");
    }
}

#[test]
fn errors_have_sqlcode_isam_code_and_subject() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE p (id INTEGER PRIMARY KEY)");
    session
        .run("CREATE TABLE c (id INTEGER NOT NULL, p INTEGER REFERENCES p (id), CHECK (id > 0) CONSTRAINT positive)");
    session.run("INSERT INTO p VALUES (1)");
    session.run("INSERT INTO c VALUES (1, 1)");
    assert_eq!(session.fails("SELECT * FROM nosuch"), (-206, -111, "nosuch".to_owned()));
    assert_eq!(session.fails("SELECT nosuch FROM p"), (-217, 0, "nosuch".to_owned()));
    assert_eq!(session.fails("SELEC 1").0, -201);
    assert_eq!(
        (session.fails("INSERT INTO p VALUES (1)").0, session.fails("INSERT INTO p VALUES (1)").1),
        (-268, -100)
    );
    assert_eq!(session.fails("INSERT INTO c VALUES (NULL, 1)").0, -391);
    assert_eq!(session.fails("INSERT INTO c VALUES (2, 9)").0, -691);
    assert_eq!(session.fails("DELETE FROM p").0, -692);
    assert_eq!(session.fails("INSERT INTO c VALUES (-1, 1)").0, -530);
    assert_eq!(session.fails("CREATE TABLE p (a INTEGER)").0, -310);
    assert_eq!(session.fails("SELECT 1 / 0 FROM p").0, -1202);
    assert_eq!(session.fails("COMMIT WORK").0, -255);
    assert_eq!(session.fails("EXECUTE PROCEDURE p()"), (-674, 0, "p".to_owned()));
    assert_eq!(session.fails("CREATE DATABASE d").0, -999);
}

#[test]
fn transactions_are_seen_when_they_are_committed() {
    let shop = Shop::new();
    let (mut one, mut other) = (shop.session(), shop.session());
    one.run("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER)");
    one.run("INSERT INTO t VALUES (1, 1)");
    one.0.transaction(&TransactionStep::Begin).unwrap();
    assert_eq!(one.0.transaction(&TransactionStep::Begin).unwrap_err().number, -535);
    one.run("UPDATE t SET v = 2");
    assert_eq!(other.run("SELECT v FROM t"), ["1"]);
    // NOT WAIT: a row that is locked is an error at once.
    let (number, isam, _) = other.fails("UPDATE t SET v = 3");
    assert_eq!((number, isam), (-244, -107));
    one.0.transaction(&TransactionStep::Savepoint("s".to_owned())).unwrap();
    one.run("UPDATE t SET v = 9");
    one.0.transaction(&TransactionStep::RollbackTo("s".to_owned())).unwrap();
    one.run("COMMIT WORK");
    assert_eq!(other.run("SELECT v FROM t"), ["2"]);
    one.run("BEGIN WORK");
    one.run("DELETE FROM t");
    one.run("ROLLBACK WORK");
    assert_eq!(one.run("SELECT v FROM t"), ["2"]);
}

#[test]
fn cursors_go_on_while_other_statements_run() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (id INTEGER)");
    for id in 1..=3 {
        session.run_with("INSERT INTO t VALUES (?)", &[Value::Integer(id)]);
    }
    let first = session.prepare("SELECT id FROM t ORDER BY id");
    let mainstay_session::Ran::Rows(mut rows) = session.0.execute(first.id, &[]).unwrap() else { panic!("no rows") };
    assert_eq!(rows.next().unwrap(), Some(vec![Value::Integer(1)]));
    assert_eq!(session.run("DELETE FROM t WHERE id = 2"), ["1 rows"]);
    assert_eq!(session.run("SELECT COUNT(*) FROM t"), ["2"]);
    // The cursor sees the state in which it was opened.
    assert_eq!(rows.next().unwrap(), Some(vec![Value::Integer(2)]));
}

#[test]
fn definitions_of_the_dialect() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT, b VARCHAR(10) DEFAULT 'x' NOT NULL, c BOOLEAN DEFAULT 'f')");
    session.run("CREATE UNIQUE INDEX ia ON t (a DESC)");
    session.run("INSERT INTO t (a) VALUES (1)");
    assert_eq!(session.run("SELECT a, b, c FROM t WHERE c = 'f'"), ["1|x|false"]);
    session.run("ALTER TABLE t ADD (d MONEY(8,2), e DATE), DROP c");
    assert_eq!(session.types("SELECT * FROM t"), ["a integer", "b varchar 10", "d money 8 2", "e date"]);
    session.run("RENAME COLUMN t.e TO f");
    session.run("RENAME TABLE t TO u");
    session.run("SELECT a, b FROM u INTO TEMP w WITH NO LOG");
    assert_eq!(session.run("SELECT * FROM w"), ["1|x"]);
    assert_eq!(session.run("SELECT idxname, part1 FROM sysindexes WHERE idxname = 'ia'"), ["ia|-1"]);
    session.run("CREATE VIEW v (x) AS SELECT a FROM u");
    assert_eq!(session.run("SELECT x FROM v"), ["1"]);
    session.run("TRUNCATE TABLE u");
    session.run("DROP TABLE u");
    session.run("DROP TABLE IF EXISTS u");
}

/// -273: no UPDATE permission, which stands for every change of rows; -388: no permission to define anything.
#[test]
fn users_who_may_only_read_are_refused_changes() {
    let shop = Shop::new();
    shop.session().try_run("CREATE TABLE t (a INT)", &[]).unwrap();
    let mut reader = shop.reader();
    assert_eq!(reader.try_run("INSERT INTO t VALUES (1)", &[]).unwrap_err().number, -273);
    assert_eq!(reader.try_run("CREATE TABLE u (a INT)", &[]).unwrap_err().number, -388);
    assert_eq!(reader.try_run("SELECT COUNT(*) FROM t", &[]).unwrap(), ["0"]);
}
