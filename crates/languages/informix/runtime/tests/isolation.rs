//! Isolation levels between two sessions: the anomalies that each level allows and prevents.
//!
//! Source: "SET ISOLATION statement", Guide to SQL: Syntax. DIRTY READ reads committed rows here, which the statement allows:
//! it promises nothing about what it reads.

mod common;

use common::{Client, Shop};

fn prepared(level: &str) -> (Shop, Client, Client) {
    let shop = Shop::new();
    let (mut session, mut other) = (shop.session(), shop.session());
    other.run("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
    other.run("INSERT INTO t VALUES (1, 10)");
    other.run("INSERT INTO t VALUES (2, 20)");
    session.run(&format!("SET ISOLATION TO {level}"));
    session.run("BEGIN WORK");
    (shop, session, other)
}

const LEVELS: [&str; 5] =
    ["DIRTY READ", "COMMITTED READ", "COMMITTED READ LAST COMMITTED", "CURSOR STABILITY", "REPEATABLE READ"];

#[test]
fn no_level_waits_for_an_open_change_or_sees_it() {
    for level in LEVELS {
        let (_shop, mut session, mut other) = prepared(level);
        other.run("BEGIN WORK");
        other.run("UPDATE t SET v = 11 WHERE id = 1");
        assert_eq!(session.run("SELECT v FROM t WHERE id = 1"), ["10"], "{level}");
        other.run("ROLLBACK WORK");
        assert_eq!(session.run("SELECT v FROM t WHERE id = 1"), ["10"], "{level}");
        session.run("COMMIT WORK");
    }
}

#[test]
fn a_row_is_read_twice() {
    for level in LEVELS {
        let (_shop, mut session, mut other) = prepared(level);
        assert_eq!(session.run("SELECT v FROM t WHERE id = 1"), ["10"]);
        other.run("UPDATE t SET v = 11 WHERE id = 1");
        let second = if level == "REPEATABLE READ" { "10" } else { "11" };
        assert_eq!(session.run("SELECT v FROM t WHERE id = 1"), [second], "{level}");
        session.run("ROLLBACK WORK");
    }
}

#[test]
fn new_rows_appear_unless_reads_are_repeatable() {
    for level in LEVELS {
        let (_shop, mut session, mut other) = prepared(level);
        assert_eq!(session.run("SELECT COUNT(*) FROM t WHERE v > 5"), ["2"]);
        other.run("INSERT INTO t VALUES (3, 30)");
        let second = if level == "REPEATABLE READ" { "2" } else { "3" };
        assert_eq!(session.run("SELECT COUNT(*) FROM t WHERE v > 5"), [second], "{level}");
        session.run("ROLLBACK WORK");
    }
}

#[test]
fn changes_of_the_same_row_exclude_each_other() {
    for level in LEVELS {
        let (_shop, mut session, mut other) = prepared(level);
        session.run("UPDATE t SET v = v + 1 WHERE id = 1");
        // NOT WAIT is the default.
        assert_eq!(other.fails("UPDATE t SET v = v + 1 WHERE id = 1").0, -244, "{level}");
        session.run("COMMIT WORK");
        other.run("UPDATE t SET v = v + 1 WHERE id = 2");
        other.run("UPDATE t SET v = v + 1 WHERE id = 1");
        assert_eq!(other.run("SELECT v FROM t ORDER BY id"), ["12", "21"], "{level}");
    }
}

#[test]
fn write_skew_is_refused_where_reads_are_repeatable() {
    let (_shop, mut session, mut other) = prepared("REPEATABLE READ");
    other.run("SET ISOLATION TO REPEATABLE READ");
    other.run("BEGIN WORK");
    assert_eq!(session.run("SELECT SUM(v) FROM t"), ["30"]);
    assert_eq!(other.run("SELECT SUM(v) FROM t"), ["30"]);
    session.run("UPDATE t SET v = 0 WHERE id = 1");
    session.run("COMMIT WORK");
    let ended = other.try_run("UPDATE t SET v = 0 WHERE id = 2", &[]).and_then(|_| other.try_run("COMMIT WORK", &[]));
    assert_eq!(ended.unwrap_err().number, -243);
}
