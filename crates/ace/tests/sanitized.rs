//! The C programs again, compiled with AddressSanitizer where the compiler has it: what the library writes into their
//! buffers, and what it reads of their texts, is checked byte by byte, because both go through the C library's functions.
//! (Memory of Rust's own is the compiler's to check.)

mod common;

use common::{compile, folder_of_tables, has_sanitizer, run};

const PROGRAMS: &[&str] = &[
    "connections",
    "expressions",
    "fields",
    "filters",
    "indexes",
    "locks",
    "management",
    "misuse",
    "navigation",
    "settings",
];

#[test]
fn buffers_are_never_overrun() {
    if !has_sanitizer() {
        return;
    }
    for name in PROGRAMS {
        let tables = folder_of_tables();
        // A program that leaks handles on purpose leaks memory, too.
        let program = compile(&format!("tests/c/{name}.c"), &["-fsanitize=address", "-fno-omit-frame-pointer"]);
        run(&program, &[tables.path()]);
    }
}
