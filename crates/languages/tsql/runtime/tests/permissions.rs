//! Statements about users, rights and other databases, and unsupported parts of modules: none is ignored without a
//! message. Numbers are those of SQL Server's list of errors.

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_tsql_runtime::{Instance, Session};

fn session() -> Session {
    let instance = Instance::new(Database::in_memory().unwrap(), "test").with_users(["ann"].into_iter());
    instance.session()
}

/// The numbers of the errors of a batch, and everything that it said.
fn said(session: &mut Session, batch: &str) -> (Vec<i32>, String) {
    let mut transcript = Transcript::default();
    session.batch(batch, &mut transcript);
    (transcript.errors.iter().map(|error| error.number).collect(), transcript.text)
}

fn numbers(session: &mut Session, batch: &str) -> Vec<i32> {
    said(session, batch).0
}

/// 15151: the user does not exist; 15517 and 15406: it cannot be impersonated.
#[test]
fn rights_are_not_given_or_taken_in_silence() {
    let mut session = session();
    assert_eq!(numbers(&mut session, "CREATE TABLE s1 (id INT)"), [0; 0]);
    for verb in ["GRANT SELECT ON s1 TO nobody_there", "DENY SELECT ON s1 TO nobody_there"] {
        let (numbers, text) = said(&mut session, verb);
        assert_eq!(numbers, [15_151], "{verb}");
        let wanted = "Cannot find the user 'nobody_there', because it does not exist or you do not have permission.";
        assert!(text.contains(wanted), "{text}");
    }
    for granted in ["GRANT SELECT ON s1 TO ann", "GRANT SELECT ON s1 TO public", "GRANT EXECUTE TO dbo, Ann"] {
        let (numbers, text) = said(&mut session, granted);
        assert!(numbers.is_empty() && text.contains("GRANT has no effect"), "{granted}: {text}");
    }
    for refused in ["DENY SELECT ON s1 TO ann", "REVOKE SELECT ON s1 FROM public"] {
        let (numbers, text) = said(&mut session, refused);
        assert!(numbers == [40_515] && text.contains("--read-only"), "{refused}: {text}");
    }
    assert_eq!(numbers(&mut session, "EXECUTE AS USER = 'nobody_there'"), [15_517]);
    assert_eq!(numbers(&mut session, "EXECUTE AS LOGIN = 'nobody_there'"), [15_406]);
    assert_eq!(numbers(&mut session, "EXECUTE AS USER = 'ann'"), [40_515]);
    assert_eq!(numbers(&mut session, "EXECUTE AS USER = 'dbo'; EXECUTE AS CALLER; REVERT"), [0; 0]);
    // Users, logins and roles are answered alike, and known by name afterwards.
    for (create, name) in
        [("CREATE LOGIN l1 WITH PASSWORD = 'x'", "l1"), ("CREATE USER u1", "u1"), ("CREATE ROLE r1", "r1")]
    {
        let (numbers, text) = said(&mut session, create);
        assert!(numbers.is_empty() && text.contains("has no effect"), "{create}: {text}");
        assert!(said(&mut session, &format!("GRANT SELECT ON s1 TO {name}")).0.is_empty(), "{create}");
    }
    assert_eq!(numbers(&mut session, "DROP USER u1"), [0; 0]);
    assert_eq!(numbers(&mut session, "GRANT SELECT ON s1 TO u1"), [15_151]);
}

/// 911: the database does not exist (`new-09`).
#[test]
fn other_databases_are_not_used() {
    let mut session = session();
    let (numbers, text) = said(&mut session, "USE nosuchdb; SELECT DB_NAME()");
    assert_eq!(numbers, [911]);
    assert!(text.contains("Database 'nosuchdb' does not exist."), "{text}");
    assert!(said(&mut session, "SELECT DB_NAME() AS n").1.contains("test"));
    // A script that makes its database uses it.
    for batch in ["CREATE DATABASE Northwind", "USE Northwind", "USE test", "USE master", "DROP DATABASE northwind"] {
        assert_eq!(said(&mut session, batch).0, [0; 0], "{batch}");
    }
    assert_eq!(said(&mut session, "USE Northwind").0, [911]);
}

/// Unsupported parts are reported when a module is created, with their lines (`new-14`).
#[test]
fn parts_that_are_not_supported_are_told_of_at_once() {
    let mut session = session();
    for (body, part) in [
        ("SELECT * FROM OPENROWSET(BULK 'x.csv', FORMAT = 'CSV') x", "OPENROWSET"),
        ("SELECT * FROM OPENQUERY(far, 'SELECT 1') x", "server 'far'"),
        ("DECLARE @h hierarchyid", "hierarchyid"),
        ("BACKUP LOG test TO DISK = 'x.trn'", "BACKUP LOG"),
        ("SELECT 1 FROM later WHERE CONTAINS(name, 'x')", "Full-text search"),
        ("DENY SELECT ON later TO public", "DENY is not supported"),
        ("TRUNCATE TABLE later WITH (PARTITIONS (1))", "TRUNCATE TABLE of partitions"),
        ("EXEC ('SELECT 1') AT far", "EXEC AT far"),
    ] {
        let text = format!("CREATE OR ALTER PROCEDURE p AS\nIF 1 = 1\nBEGIN\n  {body}\nEND");
        let (numbers, said) = said(&mut session, &text);
        assert_eq!(numbers, [0; 0], "{body}: it is created");
        assert!(said.contains("line 4: ") && said.contains(part), "{body}: {said}");
    }
    // A TRUNCATE of a part of a table does not take all of it.
    assert_eq!(numbers(&mut session, "CREATE TABLE parted (a INT); INSERT parted VALUES (1)"), [0; 0]);
    assert_eq!(numbers(&mut session, "TRUNCATE TABLE parted WITH (PARTITIONS (1))"), [40_515]);
    assert!(said(&mut session, "SELECT COUNT(*) AS n FROM parted").1.contains('1'));
    // An object that does not exist yet is no reason.
    let fine = "CREATE OR ALTER PROCEDURE p @n INT AS SELECT a, dbo.later(a) FROM not_there_yet t JOIN #t x ON x.id = t.id WHERE t.n = @n; \
                INSERT INTO elsewhere SELECT * FROM dbo.rows_of(1); EXEC other";
    let (numbers, text) = said(&mut session, fine);
    assert!(numbers.is_empty() && !text.contains("fail when it is called"), "{text}");
}
