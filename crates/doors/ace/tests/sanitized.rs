//! The C programs again, compiled with AddressSanitizer where the compiler has it: every byte that the library writes
//! into their buffers, and reads of their texts, is checked, because both go through the C library's functions. (The
//! compiler checks Rust's own memory.)

extern crate mainstay_ace as ace;

mod common;

use std::io::Write;

use common::{compile, folder_of_tables, has_sanitizer, run};

/// Those that are one process with arguments of the folder alone, which is all but the one that hammers a table.
const PROGRAMS: &[&str] = &[
    "adt",
    "browse",
    "cascade",
    "closing",
    "code_pages",
    "connections",
    "creation",
    "dictionary",
    "expressions",
    "fields",
    "filters",
    "free_tables",
    "handles",
    "indexes",
    "key_columns",
    "locks",
    "management",
    "misuse",
    "navigation",
    "others",
    "raw_keys",
    "rdd",
    "read_only",
    "records",
    "rules",
    "sections",
    "settings",
    "statements",
    "text_search",
    "threads",
    "transactions",
    "vendor_dictionary",
];

#[test]
fn every_program_but_the_hammer_is_checked() {
    let programs = ace::compat::programs(&common::crate_folder().join("tests/c")).unwrap();
    let found = programs.into_iter().map(|(name, _)| name).filter(|name| name != "hammer.c");
    let checked: Vec<String> = PROGRAMS.iter().map(|name| format!("{name}.c")).collect();
    assert_eq!(found.collect::<Vec<_>>(), checked);
}

#[test]
fn buffers_are_never_overrun() {
    if !has_sanitizer() {
        // `cargo test -- --nocapture` shows it; whether it can be written changes nothing.
        let _ = writeln!(std::io::stderr(), "skipped: the C compiler has no AddressSanitizer that runs here");
        return;
    }
    for name in PROGRAMS {
        let tables = folder_of_tables();
        // A program that leaks handles on purpose leaks memory, too.
        let program = compile(&format!("tests/c/{name}.c"), &["-fsanitize=address", "-fno-omit-frame-pointer"]);
        run(&program, &[tables.path()]);
    }
}
