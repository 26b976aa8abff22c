//! What is written from the tables is current: the header and the page of what is done.

use std::path::Path;

use mainstay_vfs::{Disk, FileSystem};

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    String::from_utf8(Disk.read(&path).unwrap()).unwrap()
}

#[test]
fn the_header_is_current() {
    let current = file("include/ace.h") == ace::header::text();
    assert!(current, "run: cargo run -p mainstay-ace --example header > crates/ace/include/ace.h");
}

#[test]
fn the_page_of_what_is_done_is_current() {
    let programs = ace::compat::programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c")).unwrap();
    let current = file("../../docs/COMPAT-ace.md") == ace::compat::text(&programs);
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
