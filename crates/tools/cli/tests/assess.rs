//! `mainstay assess` as a real process: its exit codes, its files, the settings of the folder.
#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn mainstay(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mainstay")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn exit_codes_say_what_there_is_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("fine.sql"), "SELECT name FROM sys.tables\nGO\n").unwrap();
    fs::write(folder.join("not.sql"), "DENY SELECT ON t TO ann\n").unwrap();
    let fine = mainstay(folder, &["assess", "fine.sql"]);
    assert_eq!(fine.status.code(), Some(0), "{}", text(&fine.stdout));
    assert!(text(&fine.stdout).starts_with("verdict: can move as it is"));
    let not = mainstay(folder, &["assess", "."]);
    assert_eq!(not.status.code(), Some(1));
    assert!(text(&not.stdout).contains("./not.sql:1"), "{}", text(&not.stdout));
    fs::write(folder.join("fine.ddl"), "SELECT name FROM sys.tables").unwrap();
    let unknown = mainstay(folder, &["assess", "fine.ddl"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown.stdout).contains("fine.ddl: its extension is not known"), "{}", text(&unknown.stdout));
    assert_eq!(mainstay(folder, &["assess", "fine.ddl", "--dialect", "tsql"]).status.code(), Some(0));
    assert_eq!(mainstay(folder, &["assess"]).status.code(), Some(2));
    assert_eq!(mainstay(folder, &["assess", ".", "--dialect", "cobol"]).status.code(), Some(2));
    assert_eq!(mainstay(folder, &["assess", "nowhere"]).status.code(), Some(3));
    assert_eq!(mainstay(folder, &["assess", ".", "--json", "no/such/folder.json"]).status.code(), Some(5));
}

/// The settings of a folder give the code page of its tables, and nothing of the folder is changed.
#[test]
fn reports_are_written_beside_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let made =
        mainstay(folder, &[".", "-c", "CREATE TABLE t (name CHAR(9)) WITH (FORMAT = dbf); INSERT INTO t VALUES ('x')"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    fs::write(folder.join("mainstay.toml"), "[tables.t]\ncode_page = \"cp850\"\n").unwrap();
    let before = fs::read(folder.join("t.dbf")).unwrap();
    let output = mainstay(folder, &["assess", ".", "--json", "r.json", "--html", "r.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(
        text(&output.stdout).contains("code page: cp850 (setting: code_page in mainstay.toml)"),
        "{}",
        text(&output.stdout)
    );
    let json = fs::read_to_string(folder.join("r.json")).unwrap();
    assert!(json.contains("\"verdict\":\"ready\"") && json.contains("\"evidence\":\"setting\""), "{json}");
    let html = fs::read_to_string(folder.join("r.html")).unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains("cp850"), "{html}");
    let only = mainstay(folder, &["assess", ".", "--json", "-"]);
    assert_eq!(text(&only.stdout), json);
    assert_eq!(fs::read(folder.join("t.dbf")).unwrap(), before);
}
