//! The system procedures of SQL that make calls of the library.
//!
//! `dialect/system_procedures.sql` has statements separated by lines of `--;`, the file beside it their results, which were
//! derived from the help pages of Advantage Database Server. `MAINSTAY_REWRITE=1` writes the actual output, to be checked
//! before it is committed.

use mainstay_ace::backend::{Outcome, Sql, SqlSession};
use mainstay_ace::entries;
use mainstay_ace::procedures::LibraryCalls;
use mainstay_ads_runtime::Engine;
use mainstay_types::Value;
use mainstay_vfs::{Disk, FileSystem};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SEPARATOR: &str = "\n--;\n";

#[test]
fn calls_take_what_procedures_give_them() {
    let mut count = 0;
    for (procedure, call, texts) in mainstay_ads_runtime::calls_of_procedures() {
        count += 1;
        let entry = entries::all().find(|entry| entry.name == call);
        let entry = entry.unwrap_or_else(|| panic!("{procedure}: there is no call {call}"));
        assert_eq!(entry.parameters.len(), texts.len() + 1, "{procedure}: {call}");
        for (gives_text, (name, kind)) in texts.iter().zip(entry.parameters.iter().skip(1)) {
            assert_eq!(*kind == "UNSIGNED8 *", *gives_text, "{procedure}: {name} of {call}");
        }
    }
    assert!(count > 10, "{count} procedures make calls");
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

fn rows(outcome: &Outcome) -> String {
    if outcome.columns.is_empty() {
        return format!("{} changed\n", outcome.affected);
    }
    let heads: Vec<String> =
        outcome.columns.iter().map(|column| format!("{} {}", column.name, column.sql_type)).collect();
    let mut text = format!("{}\n", heads.join(" | "));
    for row in &outcome.rows {
        text.push_str(&row.iter().map(shown).collect::<Vec<_>>().join(" | "));
        text.push('\n');
    }
    text
}

/// A session of the library's SQL on a folder with tables.
fn session(folder: &Path) -> Box<dyn SqlSession> {
    let tables = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../languages/ads/runtime/tests/tables");
    for entry in Disk.list(&tables).expect("the tables") {
        let name = entry.path.file_name().expect("a file").to_owned();
        Disk.replace(&folder.join(name), &Disk.read(&entry.path).expect("a table")).expect("a copy");
    }
    let engine = Engine::default().with_calls(Arc::new(LibraryCalls));
    let mut session = engine.open(folder, "ann").expect("a session");
    session.set_show_deleted(false);
    session
}

#[test]
fn procedures_give_what_is_documented() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = session(folder.path());
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/dialect");
    let text = |name: &str| String::from_utf8(Disk.read(&scripts.join(name)).expect("a script")).expect("a text");
    let mut seen = String::new();
    for statement in text("system_procedures.sql").trim_end().split(SEPARATOR) {
        seen.push_str(&match session.execute(statement, &[]) {
            Ok(outcome) => rows(&outcome),
            Err(error) => format!("{}\n", error.message()),
        });
        seen.push_str("--;\n");
    }
    let seen = seen.replace(&folder.path().display().to_string(), "FOLDER");
    if std::env::var_os("MAINSTAY_REWRITE").is_some() {
        Disk.replace(&scripts.join("system_procedures.out"), seen.as_bytes()).expect("to write what is seen");
        return;
    }
    let wanted = text("system_procedures.out");
    assert!(wanted == seen, "--- wanted\n{wanted}\n--- seen\n{seen}");
}

/// A program that has given its sessions no calls: the procedures say so, and do nothing.
#[test]
fn procedures_without_the_library_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = Engine::default().open(folder.path(), "ann").expect("a session");
    session.execute("CREATE TABLE items (id Integer)", &[]).expect("a table");
    for statement in [
        "EXECUTE PROCEDURE sp_CreateIndex('items', NULL, 'ID', 'ID', NULL, 2, 512)",
        "EXECUTE PROCEDURE sp_mgGetAllTables()",
    ] {
        let error = session.execute(statement, &[]).expect_err(statement);
        assert_eq!(error.dialect().map(|dialect| dialect.number), Some(2103), "{error}");
    }
}
