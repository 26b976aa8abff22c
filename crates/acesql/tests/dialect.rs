//! Statements and scripts of the dialect with what a program sees of them: `dialect/NAME.sql` and `dialect/NAME.out`.
//!
//! Statements are separated by lines of `--;`. The expected output was derived from the help pages of Advantage Database
//! Server. `MAINSTAY_REWRITE=1` writes what is seen now, to be read before it is kept.

#![allow(clippy::disallowed_methods, reason = "the scripts are files of the repository")]

use ace::backend::{Outcome, SqlSession};
use mainstay_acesql::Session;
use mainstay_base::Value;
use mainstay_engine::Database;
use mainstay_vfs::{Disk, FileSystem};
use std::path::PathBuf;
use std::sync::Arc;

const SEPARATOR: &str = "\n--;\n";

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => format!("'{text}'"),
        Value::Binary(bytes) => bytes.iter().map(|byte| format!("{byte:02X}")).collect(),
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

fn run(script: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let tables = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    for entry in Disk.list(&tables).expect("the tables") {
        let name = entry.path.file_name().expect("a file").to_owned();
        Disk.replace(&folder.path().join(name), &Disk.read(&entry.path).expect("a table")).expect("a copy");
    }
    let database = Arc::new(Database::open(folder.path()).expect("a database"));
    let mut session = Session::new(database, folder.path(), "ann");
    let mut seen = String::new();
    for statement in script.trim_end().split(SEPARATOR) {
        seen.push_str(&match session.execute(statement, &[]) {
            // What a connection does with it.
            Ok(Outcome { step: Some(step), .. }) => match session.transaction(&step) {
                Ok(()) => format!("{step:?}\n"),
                Err(error) => format!("{}\n", error.message()),
            },
            Ok(outcome) => rows(&outcome),
            Err(error) => format!("{}\n", error.message()),
        });
        seen.push_str("--;\n");
    }
    seen.replace(&folder.path().display().to_string(), "FOLDER")
}

#[test]
fn statements_give_what_is_documented() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/dialect");
    let rewrites = std::env::var_os("MAINSTAY_REWRITE").is_some();
    let mut failures = Vec::new();
    let entries = std::fs::read_dir(&folder).expect("the scripts").filter_map(|entry| entry.ok());
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    names.sort();
    assert!(!names.is_empty());
    for path in names {
        let seen = run(&std::fs::read_to_string(&path).expect("a script"));
        let expected = path.with_extension("out");
        if rewrites {
            std::fs::write(&expected, &seen).expect("to write what is seen");
            continue;
        }
        let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
        if wanted != seen {
            failures.push(format!("{}\n--- wanted\n{wanted}\n--- seen\n{seen}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
