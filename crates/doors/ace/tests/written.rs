//! The generated files are current: the header and the page of supported entries.

extern crate mainstay_ace as ace;

use std::path::Path;

use mainstay_vfs::{Disk, FileSystem};

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    String::from_utf8(Disk.read(&path).unwrap()).unwrap()
}

#[test]
fn the_header_is_current() {
    let current = file("include/ace.h") == ace::header::text();
    assert!(current, "run: cargo run -p mainstay-ace --example header > crates/doors/ace/include/ace.h");
}

#[test]
fn the_page_of_what_is_done_is_current() {
    let programs = ace::compat::programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c")).unwrap();
    let current = file("../../../docs/COMPAT-ace.md") == ace::compat::text(&programs);
    assert!(current, "run: cargo run -p mainstay-ace --example compat > docs/COMPAT-ace.md");
}

#[test]
fn every_entry_that_is_done_is_called_by_a_program() {
    let programs = ace::compat::programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c")).unwrap();
    let untested: Vec<&str> = ace::entries::all()
        .filter(|entry| entry.done && ace::compat::tests_of(entry, &programs).is_empty())
        .map(|entry| entry.name)
        .collect();
    assert!(untested.is_empty(), "done, and in no test: {untested:?}");
}

/// The calls that Harbour's `rddads` is linked with, by name.
const RDDADS: &str = include_str!("rddads.txt");

/// Those of them that answer "not supported": encryption, full text, and ending other users' sessions.
fn may_be_absent(name: &str) -> bool {
    let groups = name.contains("crypt") || name.contains("FTS");
    groups || ["AdsMgKillUser", "AdsStmtSetTablePassword"].contains(&name)
}

#[test]
fn what_rddads_calls_is_exported_and_done() {
    let mut absent = Vec::new();
    for name in RDDADS.lines() {
        let entry = ace::entries::all().find(|entry| entry.name == name);
        assert!(entry.is_some(), "{name} is not exported");
        if entry.is_some_and(|entry| !entry.done) {
            absent.push(name);
        }
    }
    let surprising: Vec<&str> = absent.iter().copied().filter(|name| !may_be_absent(name)).collect();
    assert!(surprising.is_empty(), "{surprising:?}");
    assert_eq!(RDDADS.lines().count(), 223);
}
