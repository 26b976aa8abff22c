//! What several sessions see of each other, and objects that are files.

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_transact::{Console, Instance, Session};
use mainstay_vfs::Disk;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn instance() -> Instance {
    Instance::new(Database::in_memory().expect("a database in memory"), "test")
}

fn seen(session: &mut Session, text: &str) -> String {
    let mut transcript = Transcript::default();
    session.batch(text, &mut transcript);
    transcript.text
}

#[test]
fn a_temporary_table_of_all_goes_with_its_session() {
    let instance = instance();
    let (mut first, mut second) = (instance.session(), instance.session());
    seen(&mut first, "CREATE TABLE ##shared (n INT PRIMARY KEY, t VARCHAR(9)); CREATE TABLE #own (n INT)");
    seen(&mut second, "INSERT INTO ##shared VALUES (1, 'one')");
    assert!(seen(&mut first, "SELECT n, t FROM ##SHARED").contains("\n1 | one\n"));
    assert!(seen(&mut second, "SELECT n FROM #own").contains("Msg 208"));
    assert!(seen(&mut second, "CREATE TABLE ##shared (n INT)").contains("Msg 2714"));
    let found = seen(&mut second, "SELECT name FROM tempdb.sys.tables WHERE object_id = OBJECT_ID('tempdb..##shared')");
    assert!(found.contains("\n##shared\n"), "{found}");
    assert!(!seen(&mut second, "SELECT name FROM sys.tables").contains("##shared"));
    seen(&mut second, "SELECT 5 AS five INTO ##second");
    assert!(seen(&mut first, "SELECT five FROM ##second").contains("\n5\n"));
    drop(first);
    assert!(seen(&mut second, "SELECT n FROM ##shared").contains("Msg 208"));
    seen(&mut second, "DROP TABLE ##second; CREATE TABLE ##second (a INT)");
    assert!(seen(&mut second, "SELECT a FROM ##second").contains("(0 rows)"));
}

#[test]
fn a_procedure_makes_temporary_tables_of_all_that_outlive_it() {
    let instance = instance();
    let (mut first, mut second) = (instance.session(), instance.session());
    seen(&mut first, "CREATE PROCEDURE make AS CREATE TABLE ##made (n INT)");
    seen(&mut first, "EXEC make; INSERT INTO ##made VALUES (3)");
    assert!(seen(&mut second, "SELECT n FROM ##made").contains("\n3\n"));
}

/// Waits until files are looked at again.
fn later() {
    std::thread::sleep(Duration::from_millis(300));
}

#[allow(clippy::disallowed_methods, reason = "the files are the test's own")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("to write a file");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the files are the test's own")]
fn procedures_are_files_of_the_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("procedures/dbo");
    std::fs::create_dir_all(&deep).expect("folders");
    let file = deep.join("Half.sql");
    write(&file, "SET ANSI_NULLS ON\nGO\nCREATE PROCEDURE dbo.Half @n INT AS\nSELECT @n / 2 AS half\nGO\n");
    let complaints: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&complaints);
    let tell = Box::new(move |text: &str| told.lock().expect("a list").push(text.to_owned()));
    let instance = instance().with_procedures(Arc::new(Disk), folder.path(), tell);
    instance.read_procedures();
    let mut session = instance.session();
    assert!(seen(&mut session, "EXEC Half 14").contains("\n7\n"));
    assert!(seen(&mut session, "SELECT name FROM sys.procedures").contains("\nHalf\n"));

    // A new version is taken; one that does not compile is told of, and the old one stays.
    write(&file, "CREATE OR ALTER PROCEDURE dbo.Half @n INT AS\nSELECT @n / 2.0 AS half");
    later();
    assert!(seen(&mut session, "EXEC Half 7").contains("\n3.500000\n"));
    write(&file, "CREATE PROCEDURE dbo.Half @n INT AS\n\nSELECT @m FROM");
    later();
    let answer = seen(&mut session, "EXEC Half 7");
    assert!(answer.starts_with("procedures/dbo/Half.sql, line 3: ") && answer.contains("\n3.500000\n"), "{answer}");
    assert!(answer.contains("The version before it stays in use."), "{answer}");
    assert_eq!(complaints.lock().expect("a list").len(), 1);
    assert!(!seen(&mut session, "EXEC Half 7").contains("procedures/"));

    // A file that goes takes its procedure along, and a new one brings its own.
    write(&deep.join("Third.SQL"), "CREATE FUNCTION dbo.Third (@n INT) RETURNS INT AS BEGIN RETURN @n / 3 END");
    std::fs::remove_file(&file).expect("to remove it");
    later();
    assert!(seen(&mut session, "SELECT dbo.Third(9) AS third").contains("\n3\n"));
    assert!(seen(&mut session, "EXEC Half 7").contains("Msg 2812"));
}

#[test]
fn a_file_without_an_object_is_told_of() {
    let files = mainstay_vfs::Memory::new();
    let root = Path::new("/shop");
    files.write("/shop/procedures/two.sql", "CREATE PROCEDURE a AS RETURN\nGO\nCREATE PROCEDURE b AS RETURN");
    files.write("/shop/procedures/none.sql", "SELECT 1");
    let instance = instance().with_procedures(Arc::new(files), root, Box::new(|_| {}));
    let answer = seen(&mut instance.session(), "SELECT 1 AS n");
    assert!(answer.contains("procedures/none.sql, line 0: The file has no object"), "{answer}");
    assert!(answer.contains("procedures/two.sql, line 3: A file has one object (error 50000)."), "{answer}");
}

#[test]
fn the_console_prints_as_sqlcmd_does() {
    let instance = instance();
    let mut session = instance.session();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut console = Console::new(&mut out, &mut errors);
    let script = "CREATE TABLE t (n INT, name VARCHAR(10))\nGO\nINSERT INTO t VALUES (1, 'one'), (20, NULL)\nGO 2\n\
                  SELECT n, name FROM t WHERE n < 20\nPRINT 'said'\nSELECT 1 / 0\nGO\n\
                  CREATE PROCEDURE p @n INT AS\nRETURN @n * 2\nGO\n.explain p\nEXEC nothing\nGO\n";
    console.script(&mut session, script);
    assert!(console.has_failed());
    let (out, errors) = (String::from_utf8(out).expect("text"), String::from_utf8(errors).expect("text"));
    let rows = "\n(2 rows affected)\n(2 rows affected)\nn name\n- ----\n1 one\n1 one\n\n(2 rows affected)\nsaid\n";
    assert!(format!("\n{out}").starts_with(rows), "{out}");
    assert!(out.contains("routine") && out.contains("return"), "{out}");
    let divided = "Msg 8134, Level 16, State 1, Server MAINSTAY, Line 3\nDivide by zero error encountered.\n";
    let missing = "Msg 2812, Level 16, State 62, Server MAINSTAY, Line 1\nCould not find stored procedure 'nothing'.\n";
    assert_eq!(errors, format!("{divided}{missing}"));
}
