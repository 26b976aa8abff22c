//! DBF tables created, altered, indexed and dropped by SQL.

#![allow(clippy::disallowed_methods)]

mod support;

use mainstay_engine::{Database, Session};
use mainstay_types::Code;
use support::{change, check, failure, lines, rows, session, value};
use tempfile::TempDir;

fn folder() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path());
    (folder, session)
}

#[track_caller]
fn run(session: &mut Session, sql: &str) {
    change(session, sql);
}

#[track_caller]
fn files(folder: &TempDir) -> Vec<String> {
    let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    support::files(folder.path()).iter().map(name).filter(|name| !name.starts_with('.')).collect()
}

#[test]
fn tables_of_every_version_are_made_and_filled() {
    let (folder, mut session) = folder();
    for version in ["dbase3", "clipper", "dbase4", "foxpro", "six", "vfp", "dbase7"] {
        let name = format!("t_{version}");
        run(
            &mut session,
            &format!(
                "CREATE TABLE {name} (id INTEGER NOT NULL, name CHAR(12), price DECIMAL(8, 2), born DATE, \
                 here BOOLEAN, note TEXT) WITH (FORMAT = dbf, VERSION = {version}, CODEPAGE = cp852)"
            ),
        );
        run(&mut session, &format!("INSERT INTO {name} VALUES (1, 'Łódź', -1.5, DATE '2026-01-31', TRUE, 'long')"));
        let row = lines(&mut session, &format!("SELECT * FROM {name}"));
        assert_eq!(row, ["1|Łódź|-1.50|2026-01-31|true|long"], "{version}");
        let error = failure(&mut session, &format!("INSERT INTO {name} (name) VALUES ('日本')"));
        assert!(error.to_string().contains("cp852"), "{error}");
    }
    let kinds = lines(&mut session, "SHOW COLUMNS FROM t_vfp");
    // Fields that are called as the columns which every table has.
    run(&mut session, "CREATE TABLE saved WITH (FORMAT = dbf) AS SELECT _recno, _deleted, id FROM t_vfp");
    run(&mut session, "INSERT INTO saved VALUES (7, FALSE, 8)");
    run(&mut session, "UPDATE saved SET _recno_2 = 9 WHERE _recno = 2");
    run(&mut session, "DELETE FROM saved WHERE _recno_2 = 1");
    assert_eq!(lines(&mut session, "SELECT *, _recno FROM saved"), ["9|false|8|2"]);
    run(&mut session, "CREATE INDEX number ON saved (_recno_2)");
    run(&mut session, "DROP TABLE saved");
    assert!(kinds[0].starts_with("ID|") || kinds[0].starts_with("id|"), "{kinds:?}");
    run(&mut session, "CREATE TABLE \"again.dbf\" (a INTEGER)");
    run(&mut session, "INSERT INTO again VALUES (1)");
    assert_eq!(failure(&mut session, "CREATE TABLE \"again.dbf\" (a INTEGER)").code(), Code::Duplicate);
    run(&mut session, "CREATE TABLE IF NOT EXISTS \"again.dbf\" (a INTEGER)");
    assert_eq!(value(&mut session, "SELECT a FROM again"), "1");
    check(folder.path());
    run(&mut session, "DROP TABLE again, t_vfp");
    assert!(!files(&folder).iter().any(|file| file.starts_with("again") || file.starts_with("t_vfp")));
    assert_eq!(failure(&mut session, "SELECT * FROM again").code(), Code::UnknownTable);
    run(&mut session, "DROP TABLE IF EXISTS again");
}

#[test]
fn what_a_dbf_has_no_place_for_is_refused_and_leaves_no_file() {
    let (folder, mut session) = folder();
    let cases = [
        ("CREATE TABLE t (a INTEGER DEFAULT 1) WITH (FORMAT = dbf)", Code::Unsupported),
        ("CREATE TABLE t (a INTEGER CHECK (a > 1)) WITH (FORMAT = dbf)", Code::Unsupported),
        ("CREATE TABLE t (a INTERVAL DAY TO SECOND) WITH (FORMAT = dbf)", Code::Unsupported),
        ("CREATE TABLE t (a_name_that_is_too_long INTEGER) WITH (FORMAT = dbf)", Code::InvalidValue),
        ("CREATE TABLE t (a INTEGER) WITH (FORMAT = dbf, VERSION = paradox)", Code::InvalidSetting),
        ("CREATE TABLE t (a INTEGER) WITH (FORMAT = dbf, CODEPAGE = klingon)", Code::InvalidSetting),
        ("CREATE TABLE t (a INTEGER) WITH (FORMAT = dbf, FILLFACTOR = 70)", Code::InvalidSetting),
        ("CREATE TABLE t (a INTEGER) WITH (FILLFACTOR = 70)", Code::Unsupported),
        ("CREATE TABLE \"../t.dbf\" (a INTEGER)", Code::InvalidValue),
        (
            "CREATE TABLE t WITH (FORMAT = dbf) AS SELECT 'x' AS a UNION ALL SELECT cast('日' AS CHAR(3))",
            Code::InvalidValue,
        ),
    ];
    for (sql, code) in cases {
        let error = failure(&mut session, sql);
        assert_eq!(error.code(), code, "{sql}: {error}");
        assert!(files(&folder).is_empty(), "{sql}: {:?}", files(&folder));
    }
    run(&mut session, "BEGIN");
    let error = failure(&mut session, "CREATE TABLE t (a INTEGER) WITH (FORMAT = dbf)");
    assert_eq!(error.code(), Code::TransactionState);
    run(&mut session, "ROLLBACK");
}

#[test]
fn a_table_is_made_of_a_query() {
    let (folder, mut session) = folder();
    run(&mut session, "CREATE TABLE n (id INTEGER, name VARCHAR(20), price DECIMAL(10, 2))");
    run(&mut session, "INSERT INTO n VALUES (1, 'a', 1.5), (2, NULL, NULL)");
    assert_eq!(change(&mut session, "CREATE TABLE \"d.dbf\" AS SELECT id, price, upper(name) AS name FROM n"), 2);
    assert_eq!(lines(&mut session, "SELECT * FROM d ORDER BY id"), ["1|1.50|A", "2|NULL|"]);
    drop(session);
    check(folder.path());
}

/// A copy has the rows of the table, and no field is wider than there; computed values have the field of their
/// type.
#[test]
fn a_copy_of_a_table_keeps_its_fields() {
    let (folder, mut session) = folder();
    let made =
        "CREATE TABLE a (name CHAR(10), n DECIMAL(6, 2), w DECIMAL(18, 4), y MONEY) WITH (FORMAT = dbf, VERSION = vfp)";
    run(&mut session, made);
    run(&mut session, "INSERT INTO a VALUES ('x', -9999.99, 99999999999999.9999, 12.5), (NULL, NULL, NULL, NULL)");
    let fields = |session: &mut Session, table: &str| lines(session, &format!("SHOW COLUMNS FROM {table}"));
    let (rows, of_a) = (lines(&mut session, "SELECT * FROM a"), fields(&mut session, "a"));
    run(&mut session, "CREATE TABLE b WITH (FORMAT = dbf, VERSION = vfp) AS SELECT * FROM a");
    run(&mut session, "CREATE TABLE c WITH (FORMAT = dbf, VERSION = vfp) AS SELECT * FROM b ORDER BY n");
    assert_eq!(fields(&mut session, "c"), of_a);
    assert_eq!(lines(&mut session, "SELECT * FROM c ORDER BY _recno DESC"), rows);
    run(&mut session, "CREATE INDEX name ON c (name)");
    run(&mut session, "CREATE TABLE d WITH (FORMAT = dbf, VERSION = dbase3) AS SELECT name AS who, n, y FROM a");
    assert_eq!(lines(&mut session, "SELECT who, n, y FROM d"), ["x|-9999.99|12.5000", "|NULL|NULL"]);
    // A computed value may be longer than the field that it comes from.
    let computed = "SELECT name || '-0123456789' AS t, coalesce(name, '0123456789abc') AS u, -n AS n, CAST(n * 10 AS DECIMAL(9, 2)) AS m FROM a";
    run(&mut session, &format!("CREATE TABLE e WITH (FORMAT = dbf, VERSION = vfp) AS {computed}"));
    let joined = "SELECT name FROM a UNION ALL SELECT 'longer than ten' FROM a";
    run(&mut session, &format!("CREATE TABLE f WITH (FORMAT = dbf) AS {joined}"));
    let other =
        "SELECT CASE WHEN n < 0 THEN name ELSE 'longer than ten' END AS t, CAST(n AS DECIMAL(8, 3)) AS n FROM a";
    run(&mut session, &format!("CREATE TABLE g WITH (FORMAT = dbf) AS {other}"));
    assert_eq!(lines(&mut session, "SELECT * FROM g"), ["x|-9999.990", "longer than ten|NULL"]);
    // A query that gives no row has the same fields.
    run(&mut session, "CREATE TABLE h WITH (FORMAT = dbf, VERSION = vfp) AS SELECT * FROM a LIMIT 0");
    assert_eq!(fields(&mut session, "h"), of_a);
    run(&mut session, &format!("CREATE TABLE i WITH (FORMAT = dbf, VERSION = vfp) AS {computed} WHERE 1 = 0"));
    assert_eq!(fields(&mut session, "i"), fields(&mut session, "e"));
    drop(session);
    check(folder.path());
}

#[test]
fn indexes_are_made_of_columns_and_expressions_and_used() {
    let (folder, mut session) = folder();
    run(&mut session, "CREATE TABLE s (id INTEGER, name CHAR(10), price DECIMAL(8, 2), born DATE) WITH (FORMAT = dbf)");
    run(&mut session, "INSERT INTO s (id, name, price) VALUES (1, 'b', 2), (2, 'a', 3), (3, 'c', 1)");
    run(&mut session, "CREATE INDEX id ON s (id)");
    run(&mut session, "CREATE INDEX name ON s (upper(name))");
    run(&mut session, "CREATE INDEX dear ON s (price DESC) WHERE NOT _deleted");
    run(&mut session, "CREATE INDEX both ON s (name, born)");
    run(&mut session, "CREATE INDEX late ON s (id) WHERE born > DATE '2026-01-31'");
    run(&mut session, "CREATE INDEX own ON s ('SUBSTR(NAME,1,3)+STR(ID,6)') WHERE 'PRICE > 0'");
    run(&mut session, "CREATE INDEX s_price ON s USING ntx (price)");
    run(&mut session, "CREATE INDEX IF NOT EXISTS both ON s (name)");
    let shown = rows(&mut session, "SHOW INDEXES FROM s");
    let mut tags: Vec<String> = shown
        .iter()
        .map(|row| [&row[1], &row[0], &row[2], &row[3], &row[5]].map(|cell| cell.to_lowercase()).join("|"))
        .collect();
    tags.sort();
    assert_eq!(
        tags,
        [
            "s.cdx|both|name+dtos(born)|null|false",
            "s.cdx|dear|price|.not. deleted()|true",
            "s.cdx|id|id|null|false",
            "s.cdx|late|id|dtos(born) > \"20260131\"|false",
            "s.cdx|name|upper(name)|null|false",
            "s.cdx|own|substr(name,1,3)+str(id,6)|price > 0|false",
            "s_price.ntx|s_price|price|null|false",
        ]
    );
    run(&mut session, "INSERT INTO s VALUES (4, 'd', 9, DATE '2026-01-31')");
    let read = lines(&mut session, "EXPLAIN SELECT name FROM s WHERE id = 4");
    assert!(read[0] == "executor: direct" && read[1].contains("index=ID of s.cdx"), "{read:?}");
    assert_eq!(value(&mut session, "SELECT name FROM s WHERE id = 4"), "d");
    assert_eq!(lines(&mut session, "SELECT id FROM s WHERE price > 2 ORDER BY price DESC"), ["4", "2"]);
    for (sql, code) in [
        ("CREATE INDEX id ON s (name)", Code::Duplicate),
        ("CREATE INDEX x ON s (nothing)", Code::UnknownColumn),
        ("CREATE INDEX x ON s (name, price DESC)", Code::Unsupported),
        ("CREATE INDEX x ON s USING btree (name)", Code::Unsupported),
        ("CREATE UNIQUE INDEX x ON s USING ntx (name)", Code::Unsupported),
        ("DROP INDEX nothing ON s", Code::NotFound),
    ] {
        let error = failure(&mut session, sql);
        assert_eq!(error.code(), code, "{sql}: {error}");
    }
    assert_eq!(rows(&mut session, "SHOW INDEXES FROM s").len(), 7);
    run(&mut session, "DROP INDEX own");
    run(&mut session, "DROP INDEX s.both");
    run(&mut session, "DROP INDEX IF EXISTS both, own");
    run(&mut session, "DROP INDEX s_price");
    assert_eq!(files(&folder), ["s.cdx", "s.dbf"]);
    drop(session);
    check(folder.path());
}

#[test]
fn a_unique_index_refuses_a_second_key_and_the_whole_statement() {
    let (folder, mut session) = folder();
    run(&mut session, "CREATE TABLE u (id INTEGER PRIMARY KEY, name CHAR(5)) WITH (FORMAT = dbf)");
    run(&mut session, "INSERT INTO u VALUES (1, 'a'), (2, 'b')");
    let insert = "INSERT INTO u VALUES (3, 'c'), (2, 'x'), (4, 'd')";
    assert_eq!(failure(&mut session, insert).code(), Code::UniqueViolation);
    assert_eq!(failure(&mut session, "UPDATE u SET id = 1").code(), Code::UniqueViolation);
    assert_eq!(lines(&mut session, "SELECT * FROM u ORDER BY id"), ["1|a", "2|b"]);
    run(&mut session, "INSERT INTO u VALUES (5, 'a')");
    assert_eq!(failure(&mut session, "CREATE UNIQUE INDEX named ON u (name)").code(), Code::UniqueViolation);
    run(&mut session, "DELETE FROM u WHERE id = 5");
    run(&mut session, "PACK u");
    run(&mut session, "CREATE UNIQUE INDEX named ON u (name)");
    assert_eq!(failure(&mut session, "INSERT INTO u VALUES (6, 'a')").code(), Code::UniqueViolation);
    drop(session);
    check(folder.path());
}

/// An NTX of another table whose expression would do for this one, too, does not say what kind of index this one gets.
#[test]
fn a_unique_index_of_an_empty_table_is_a_cdx_beside_the_ntx_of_another_table() {
    let (folder, mut session) = folder();
    run(&mut session, "CREATE TABLE items (id INTEGER, name CHAR(10)) WITH (FORMAT = dbf)");
    run(&mut session, "INSERT INTO items VALUES (1, 'one'), (2, 'two')");
    run(&mut session, "CREATE INDEX id ON items USING ntx (id)");
    run(&mut session, "CREATE TABLE stock (id INTEGER, onhand INTEGER) WITH (FORMAT = dbf)");
    run(&mut session, "CREATE UNIQUE INDEX by_id ON stock (id)");
    assert!(files(&folder).contains(&"stock.cdx".to_owned()), "{:?}", files(&folder));
    run(&mut session, "INSERT INTO stock VALUES (1, 5)");
    assert_eq!(failure(&mut session, "INSERT INTO stock VALUES (1, 6)").code(), Code::UniqueViolation);
    // One that is the table's own does.
    run(&mut session, "CREATE TABLE lots (id INTEGER) WITH (FORMAT = dbf)");
    run(&mut session, "CREATE INDEX lots_id ON lots USING ntx (id)");
    assert_eq!(failure(&mut session, "CREATE UNIQUE INDEX lots_key ON lots (id)").code(), Code::Unsupported);
}

#[test]
fn columns_are_added_changed_and_dropped() {
    let (folder, mut session) = folder();
    run(&mut session, "CREATE TABLE a (id INTEGER, name CHAR(5), note TEXT, gone CHAR(3)) WITH (FORMAT = dbf)");
    run(&mut session, "INSERT INTO a VALUES (1, 'one', 'a long text', 'x'), (2, 'two', NULL, 'y')");
    run(&mut session, "CREATE INDEX id ON a (id)");
    run(&mut session, "CREATE INDEX name ON a (name)");
    run(&mut session, "DELETE FROM a WHERE id = 2");
    run(&mut session, "ALTER TABLE a ADD COLUMN price DECIMAL(8, 2) DEFAULT 1.5");
    run(&mut session, "ALTER TABLE a ADD COLUMN born DATE");
    run(&mut session, "ALTER TABLE a ALTER COLUMN name TYPE CHAR(10)");
    run(&mut session, "ALTER TABLE a DROP COLUMN gone");
    assert_eq!(lines(&mut session, "SELECT * FROM a"), ["1|one|a long text|1.50|NULL"]);
    run(&mut session, "INSERT INTO a (id, name) VALUES (3, 'three four')");
    assert_eq!(lines(&mut session, "SELECT id FROM a WHERE name = 'three four'"), ["3"]);
    // Deleted records are still there.
    assert_eq!(change(&mut session, "UPDATE a SET _deleted = FALSE WHERE id = 2 AND _deleted"), 1);
    assert_eq!(lines(&mut session, "SELECT id, note FROM a ORDER BY id"), ["1|a long text", "2|", "3|"]);
    for (sql, code) in [
        ("ALTER TABLE a ADD COLUMN id INTEGER", Code::Duplicate),
        ("ALTER TABLE a DROP COLUMN nothing", Code::UnknownColumn),
        ("ALTER TABLE a DROP COLUMN name", Code::UnknownColumn),
        ("ALTER TABLE a ALTER COLUMN name TYPE CHAR(3)", Code::InvalidValue),
        ("ALTER TABLE a RENAME TO b", Code::Unsupported),
        ("ALTER TABLE a ALTER COLUMN id SET DEFAULT 1", Code::Unsupported),
    ] {
        let before = lines(&mut session, "SELECT * FROM a ORDER BY id");
        let error = failure(&mut session, sql);
        assert_eq!(error.code(), code, "{sql}: {error}");
        assert_eq!(lines(&mut session, "SELECT * FROM a ORDER BY id"), before, "{sql}");
    }
    drop(session);
    check(folder.path());
}

#[test]
fn pack_zap_and_reindex() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let mut session = database.session();
    run(&mut session, "CREATE TABLE p (id INTEGER, note TEXT) WITH (FORMAT = dbf)");
    run(&mut session, "CREATE INDEX id ON p (id)");
    run(&mut session, "INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    run(&mut session, "DELETE FROM p WHERE id < 3");
    assert_eq!(value(&mut session, "SELECT _recno FROM p"), "3");
    assert_eq!(change(&mut session, "PACK p"), 2);
    assert_eq!(lines(&mut session, "SELECT _recno, id, note FROM p WHERE id = 3"), ["1|3|c"]);
    run(&mut session, "REINDEX p");
    run(&mut session, "BEGIN");
    assert_eq!(failure(&mut session, "ZAP p").code(), Code::TransactionState);
    run(&mut session, "ROLLBACK");
    // Another session that has a record of it locked keeps it as it is.
    let mut other = database.session();
    run(&mut other, "BEGIN");
    run(&mut other, "UPDATE p SET note = 'other'");
    run(&mut session, "SET lock_timeout = 50ms");
    for sql in ["PACK p", "ZAP p", "TRUNCATE TABLE p", "DROP TABLE p", "ALTER TABLE p DROP COLUMN note"] {
        let error = failure(&mut session, sql);
        assert!(matches!(error.code(), Code::Busy | Code::LockTimeout), "{sql}: {error}");
    }
    run(&mut other, "COMMIT");
    assert_eq!(lines(&mut session, "SELECT id, note FROM p"), ["3|other"]);
    run(&mut session, "CREATE TABLE n (id INTEGER)");
    assert_eq!(failure(&mut session, "PACK n").code(), Code::Unsupported);
    assert_eq!(failure(&mut session, "PACK nothing").code(), Code::UnknownTable);
    assert_eq!(change(&mut session, "TRUNCATE TABLE p"), 1);
    run(&mut session, "INSERT INTO p VALUES (7, 'g')");
    assert_eq!(change(&mut session, "ZAP p"), 1);
    assert_eq!(value(&mut session, "SELECT count(*) FROM p"), "0");
    drop((session, other, database));
    check(folder.path());
}

/// Visual FoxPro's key of several fields is NULL when one of them is, and the record is under it only.
#[test]
fn a_row_with_null_in_a_later_column_of_a_tag_is_found_by_the_first() {
    let keys = ["(s, n)", "('S+STR(N,7)')", "('S+DTOS(D)')", "('UPPER(S)+STR(N,7)')", "(s, n, d)"];
    for key in keys {
        let (folder, mut session) = folder();
        let columns = "s CHAR(12), n NUMERIC(7,0), d DATE";
        run(&mut session, &format!("CREATE TABLE v ({columns}) WITH (FORMAT = dbf, VERSION = vfp)"));
        let many = "SELECT 'k' || CAST(g AS VARCHAR), g, DATE '2020-01-01' FROM generate_series(1, 300) AS t(g)";
        run(&mut session, &format!("INSERT INTO v {many}"));
        run(&mut session, "INSERT INTO v VALUES ('ABC', 1, DATE '2026-01-02'), ('ABC', NULL, NULL)");
        run(&mut session, "INSERT INTO v VALUES ('XYZ', 5, NULL), (NULL, 1, NULL)");
        run(&mut session, &format!("CREATE INDEX v1 ON v {key}"));
        for (condition, count) in [
            ("s = 'ABC'", "2"),
            ("s LIKE 'AB%'", "2"),
            ("s IN ('ABC', 'XYZ')", "3"),
            ("s = 'XYZ' AND n = 5", "1"),
            ("s >= 'X' AND s < 'Y'", "1"),
            ("s = 'ABC' OR s = 'k7'", "3"),
        ] {
            let found = value(&mut session, &format!("SELECT COUNT(*) FROM v WHERE {condition}"));
            assert_eq!(found, count, "{key}: {condition}");
        }
        let plan = lines(&mut session, "EXPLAIN SELECT * FROM v WHERE s = 'ABC'").join("\n");
        assert!(plan.contains("V1 of v.cdx"), "{key}: the tag is used: {plan}");
        assert_eq!(change(&mut session, "UPDATE v SET n = 9 WHERE s = 'ABC'"), 2, "{key}");
        let joined = "SELECT COUNT(*) FROM v a JOIN v b ON a.s = b.s WHERE a.s = 'XYZ'";
        assert_eq!(value(&mut session, joined), "1", "{key}");
        assert_eq!(change(&mut session, "DELETE FROM v WHERE s LIKE 'XY%'"), 1, "{key}");
        drop(session);
        check(folder.path());
    }
}

/// Clipper and Harbour, whose an NTX is, know no NULL: to them it is a blank.
#[test]
fn null_is_a_blank_in_the_keys_of_an_ntx() {
    let (folder, mut session) = folder();
    run(&mut session, "CREATE TABLE v (id INTEGER, dt DATE, s CHAR(5)) WITH (FORMAT = dbf, VERSION = vfp)");
    run(&mut session, "CREATE INDEX v_dt ON v USING ntx (dt)");
    run(&mut session, "CREATE INDEX v_s ON v (s) USING ntx");
    run(&mut session, "CREATE INDEX v_id ON v USING ntx (id)");
    assert_eq!(files(&folder), ["v.dbf", "v_dt.ntx", "v_id.ntx", "v_s.ntx"]);
    run(&mut session, "INSERT INTO v VALUES (1, DATE '2000-01-01', 'a'), (2, NULL, 'b'), (3, DATE '2001-01-01', NULL)");
    run(&mut session, "INSERT INTO v VALUES (NULL, NULL, NULL)");
    run(&mut session, "UPDATE v SET dt = NULL WHERE id = 1");
    for (condition, ids) in [
        ("dt IS NULL", vec!["NULL", "1", "2"]),
        ("dt = DATE '2001-01-01'", vec!["3"]),
        ("s IS NULL", vec!["NULL", "3"]),
        ("s = 'b'", vec!["2"]),
        ("s = ''", vec![]),
        ("id = 0", vec![]),
        ("id = 2", vec!["2"]),
    ] {
        assert_eq!(lines(&mut session, &format!("SELECT id FROM v WHERE {condition} ORDER BY id")), ids, "{condition}");
    }
    assert_eq!(lines(&mut session, "SELECT s FROM v ORDER BY s"), ["NULL", "NULL", "a", "b"]);
    assert_eq!(lines(&mut session, "SELECT id FROM v ORDER BY id DESC LIMIT 2"), ["3", "2"]);
    drop(session);
    check(folder.path());
}
