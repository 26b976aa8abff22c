//! Rules for the source files of this repository, and tests that the rules find violations.

use mainstay_tidy::habits::{self, in_rust_files};
use mainstay_tidy::rust_text::RustText;
use mainstay_tidy::{Finding, Repository, TextFile, assert_none};

/// The lines where a rule finds something in an invented file.
fn lines(rule: impl Fn(&TextFile, &RustText) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
    let repository = Repository::invented(&[(path, text)]);
    in_rust_files(&repository, rule).into_iter().map(|finding| finding.line).collect()
}

#[test]
fn no_file_is_too_long() {
    assert_none(in_rust_files(&Repository::this(), habits::file_length));
}

#[test]
fn no_function_is_too_long() {
    assert_none(in_rust_files(&Repository::this(), habits::function_length));
}

#[test]
fn every_file_says_what_it_is_for() {
    assert_none(in_rust_files(&Repository::this(), habits::first_comment));
}

#[test]
fn nothing_is_left_over() {
    assert_none(in_rust_files(&Repository::this(), habits::leftovers));
}

#[test]
fn libraries_do_not_print() {
    assert_none(in_rust_files(&Repository::this(), habits::prints));
}

#[test]
fn the_core_names_no_dialect() {
    assert_none(in_rust_files(&Repository::this(), habits::dialect_names));
}

#[test]
fn unsafe_code_is_named_and_justified() {
    let rule = |file: &TextFile, rust: &RustText| habits::unsafe_code(file, rust, habits::UNSAFE_FILES);
    assert_none(in_rust_files(&Repository::this(), rule));
}

#[test]
fn the_files_that_may_hold_unsafe_code_do() {
    let repository = Repository::this();
    for path in habits::UNSAFE_FILES {
        let text = repository.text(path).unwrap_or_default();
        assert!(RustText::new(text).code_words("unsafe").next().is_some(), "{path} needs no place in UNSAFE_FILES");
    }
}

#[test]
fn no_file_names_somebodys_machine() {
    assert_none(habits::machine_paths(&Repository::this()));
}

#[test]
fn long_files_are_seen() {
    let long = "// a line\n".repeat(habits::CODE_LINES + 1);
    assert_eq!(lines(habits::file_length, "crates/x/src/lib.rs", &long), [habits::CODE_LINES + 1]);
    assert_eq!(lines(habits::file_length, "crates/x/tests/x.rs", &long), []);
    let with_tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
    assert_eq!(lines(habits::file_length, "crates/x/src/lib.rs", &with_tests), []);
    let longer = "// a line\n".repeat(habits::FILE_LINES + 1);
    assert_eq!(lines(habits::file_length, "crates/x/tests/x.rs", &longer), [habits::FILE_LINES + 1]);
}

#[test]
fn long_functions_are_seen() {
    let body = "    a();\n".repeat(habits::FUNCTION_LINES - 2);
    let fits = format!("fn x(f: fn(u8)) {{\n{body}}}\n");
    assert_eq!(lines(habits::function_length, "a.rs", &fits), []);
    let long = format!("trait T {{\n    fn y();\n}}\nfn x() {{\n    '}}';\n{body}}}\n");
    assert_eq!(lines(habits::function_length, "a.rs", &long), [4]);
}

#[test]
fn leftovers_are_seen() {
    let words = ["dbg!(x)", "todo!()", "unimplemented!()", "// FIXME", "/* XXX */", "#[ignore]"];
    for word in words {
        assert_eq!(lines(habits::leftovers, "a.rs", &format!("//! A file.\n{word}\n")), [2], "{word}");
    }
    let innocent = "//! A file.\nlet a = \"todo! dbg! // FIXME\";\n#[ignore = \"slow\"]\n";
    assert_eq!(lines(habits::leftovers, "a.rs", innocent), []);
}

#[test]
fn missing_first_comments_are_seen() {
    assert_eq!(lines(habits::first_comment, "a.rs", "use a;\n//! Too late.\n"), [1]);
    assert_eq!(lines(habits::first_comment, "a.rs", "//! A file.\n"), []);
}

#[test]
fn prints_are_seen() {
    for word in ["println!(\"\")", "print!(\"\")", "eprintln!()", "eprint!(\"\")"] {
        assert_eq!(lines(habits::prints, "crates/base/types/src/lib.rs", word), [1], "{word}");
        assert_eq!(lines(habits::prints, "crates/tools/cli/src/lib.rs", word), [], "{word}");
    }
}

#[test]
fn names_of_dialects_in_the_core_are_seen() {
    let text = "name.starts_with(\"mssql:\")\n// reads: \"loads:\"\nuse mainstay_ads_types::native;\n";
    assert_eq!(lines(habits::dialect_names, "crates/core/planner/src/plan/a.rs", text), [1, 3]);
    assert_eq!(lines(habits::dialect_names, "crates/core/planner/tests/a.rs", text), []);
    assert_eq!(lines(habits::dialect_names, "crates/languages/tsql/planner/src/a.rs", text), []);
}

#[test]
fn unsafe_code_is_seen() {
    let text = "unsafe { a() }\n// SAFETY: it is.\n#[inline]\nunsafe { b() }\nlet unsafe_b = \"unsafe\";\n";
    let with = |allowed: &'static [&'static str]| {
        lines(move |file, rust| habits::unsafe_code(file, rust, allowed), "crates/x/src/a.rs", text)
    };
    assert_eq!(with(&[]), [1, 4]);
    assert_eq!(with(&["crates/x/src/a.rs"]), [1]);
}

#[test]
fn machine_paths_are_seen() {
    let path = concat!("/", "work/x");
    let text = format!("first\n`{path}`\nhttps://example.org{path}\n$HOME{path} ../{}\n", &path[1..]);
    let findings = habits::machine_paths(&Repository::invented(&[("docs/a.md", &text)]));
    assert_eq!(findings.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2]);
}
