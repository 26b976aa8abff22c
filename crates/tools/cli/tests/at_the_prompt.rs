//! The prompt on a terminal. The tests need `python3`.
#![cfg(unix)]
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::Command;

/// The table that statements take long over.
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/t11_bench100k.dbf");

/// Runs a script that types, in a folder with a table of 100,000 rows.
#[track_caller]
fn type_as(script: &str, table: &str) {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["dbf", "cdx"] {
        let path = folder.path().join(table).with_extension(ending);
        std::fs::copy(Path::new(TABLE).with_extension(ending), path).unwrap();
    }
    let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).join(script);
    // Without a folder of compiled modules beside the scripts.
    let mut command = Command::new("python3");
    command.arg("-B").arg(script).arg(env!("CARGO_BIN_EXE_mainstay")).arg(folder.path());
    let output = command.env("XDG_STATE_HOME", folder.path().join("state")).output().expect("this test needs python3");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// Ctrl-C ends the statement and not the program, however often it is pressed.
#[test]
fn an_interrupt_ends_the_statement_alone() {
    type_as("prompt.py", "t.dbf");
}

#[test]
fn keys_do_what_they_say() {
    type_as("keys.py", "measures.dbf");
}
