//! SET EXPLAIN: plans in a file below the folder of the database.

mod common;

use mainstay_engine::Database;
use mainstay_informix_runtime::Informix;
use mainstay_types::Value;
use std::path::Path;

/// A database in a folder.
fn shop(folder: &Path) -> common::Shop {
    let database = Database::open(folder).unwrap();
    common::Shop { backend: Informix::new(database, "shop", "mainstay", "Version 14.10.FC7W1DE") }
}

#[allow(clippy::disallowed_methods, reason = "the test looks at the file that the session writes")]
fn written(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn plans_of_queries_and_changes_are_appended() {
    let folder = tempfile::tempdir().unwrap();
    let shop = shop(folder.path());
    let mut session = shop.session();
    session.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10))");
    session.run("INSERT INTO t VALUES (1, 'one')");
    session.run("SET EXPLAIN ON");
    session.run("SELECT name FROM t WHERE id = 1");
    session.run_with("UPDATE t SET name = ? WHERE id = ?", &[Value::Text("eins".into()), Value::Integer(1)]);
    session.run("SET EXPLAIN OFF");
    session.run("SELECT id FROM t");
    let text = written(&folder.path().join("sqexplain.out"));
    assert!(text.starts_with("QUERY:\n------\nSELECT name FROM t WHERE id = 1\n\n"), "{text}");
    assert!(text.contains("QUERY:\n------\nUPDATE t SET name = ? WHERE id = ?\n\n"), "{text}");
    assert_eq!(text.matches("executor:").count(), 2, "{text}");
    assert!(!text.contains("no plan"), "{text}");
    assert_eq!(session.run("SELECT name FROM t"), ["eins"]);
}

#[test]
fn statements_are_not_executed_with_avoid_execute() {
    let folder = tempfile::tempdir().unwrap();
    let shop = shop(folder.path());
    let mut session = shop.session();
    session.run("CREATE TABLE t (id INT)");
    session.run("SET EXPLAIN ON AVOID_EXECUTE");
    session.run("INSERT INTO t VALUES (1)");
    session.run("SET EXPLAIN OFF");
    assert_eq!(session.run("SELECT COUNT(*) FROM t"), ["0"]);
}

#[test]
fn files_have_names_of_their_own_below_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let shop = shop(folder.path());
    let mut session = shop.session();
    session.run("CREATE TABLE t (id INT)");
    for _ in 0..2 {
        session.run("SET EXPLAIN FILE TO 'plans.txt'");
        session.run("SELECT id FROM t");
        session.run("SET EXPLAIN FILE TO 'plans.txt' WITH APPEND");
        session.run("SELECT 1 FROM t");
    }
    assert_eq!(written(&folder.path().join("plans.txt")).matches("QUERY:").count(), 2);
    for refused in ["../plans.txt", "/tmp/plans.txt", "orders.dbf", ".mainstay/x.out", "plans"] {
        assert_eq!(session.fails(&format!("SET EXPLAIN FILE TO '{refused}'")).0, -999, "{refused}");
    }
    assert_eq!(shop.reader().fails("SET EXPLAIN ON").0, -273);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test writes the files of another program")]
fn files_with_other_contents_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let shop = shop(folder.path());
    let mut session = shop.session();
    session.run("CREATE TABLE t (id INT)");
    let (notes, plans) = (folder.path().join("notes.txt"), folder.path().join("plans.txt"));
    std::fs::write(&notes, "notes of the user").unwrap();
    std::fs::write(&plans, "").unwrap();
    for how in ["", " WITH APPEND"] {
        assert_eq!(session.fails(&format!("SET EXPLAIN FILE TO 'notes.txt'{how}")).0, -999);
    }
    assert_eq!(written(&notes), "notes of the user");
    session.run("SET EXPLAIN FILE TO 'plans.txt'");
    session.run("INSERT INTO t VALUES (1)");
    assert!(written(&plans).starts_with("QUERY:"));
    // Statements go on without plans when the file cannot be written any more.
    std::fs::write(&plans, "other contents").unwrap();
    assert_eq!(session.0.take_warning(), None);
    session.run("INSERT INTO t VALUES (2)");
    let warning = session.0.take_warning().unwrap();
    assert!(warning.starts_with("SET EXPLAIN is turned off"), "{warning}");
    session.run("INSERT INTO t VALUES (3)");
    assert_eq!(session.0.take_warning(), None, "one warning");
    session.run("DELETE FROM t WHERE id = 3");
    assert_eq!(session.run("SELECT COUNT(*) FROM t"), ["2"]);
    assert_eq!(written(&plans), "other contents");
}
