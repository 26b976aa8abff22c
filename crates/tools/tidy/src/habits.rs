//! Rules for every source file: lengths, a first comment, and no leftover debugging code.
//!
//! The limits are those of the project's style: files that can be read in one sitting, functions that fit a screen or
//! two. They are not goals; a file near a limit usually has two subjects.

use crate::rust_text::{RustText, line_of, words};
use crate::{Finding, Repository, TextFile};

/// Lines of a file, tests included.
pub const FILE_LINES: usize = 800;
/// Lines of a file without its tests.
pub const CODE_LINES: usize = 600;
/// Lines of a function, from `fn` to its closing brace.
pub const FUNCTION_LINES: usize = 100;

/// The modules that may hold `unsafe`, each use with a comment that starts with SAFETY.
pub const UNSAFE_FILES: &[&str] = &[
    "crates/clients/python-mainstay/src/arrow_import.rs",
    "crates/doors/ace/src/border.rs",
    "crates/doors/ace/src/entries/mod.rs",
    "crates/doors/ace/src/lock.rs",
    "crates/doors/ace/tests/sql.rs",
    "crates/tools/bench/src/ace/calls.rs",
    "crates/tools/bench/src/allocations.rs",
    "crates/core/engine/tests/allocations.rs",
    "crates/doors/libace/src/lib.rs",
    "crates/languages/vm/tests/allocations.rs",
    "crates/storage/store/src/column/text.rs",
    "crates/storage/store/src/column/vector.rs",
    "crates/languages/tsql/runtime/src/plans/thread_clock.rs",
    "crates/base/vfs/src/disk_locks.rs",
    "crates/base/vfs/src/mapping.rs",
];

/// Runs a rule over every Rust file.
pub fn in_rust_files(repository: &Repository, rule: impl Fn(&TextFile, &RustText) -> Vec<Finding>) -> Vec<Finding> {
    repository.rust_files().flat_map(|file| rule(file, &RustText::new(&file.text))).collect()
}

/// No file is too long.
pub fn file_length(file: &TextFile, rust: &RustText) -> Vec<Finding> {
    let lines = file.text.lines().count();
    let tests: usize = rust
        .test_blocks()
        .into_iter()
        .map(|block| 1 + line_of(&file.text, block.end) - line_of(&file.text, block.start))
        .sum();
    let code = lines.saturating_sub(tests);
    let mut findings = Vec::new();
    if lines > FILE_LINES {
        findings.push(Finding::new(
            &file.path,
            FILE_LINES + 1,
            format!("{lines} lines, more than {FILE_LINES}: cut it"),
        ));
    }
    if code > CODE_LINES && !is_for_tests(&file.path) {
        let reason = format!("{code} lines without tests, more than {CODE_LINES}: cut it");
        findings.push(Finding::new(&file.path, CODE_LINES + 1, reason));
    }
    findings
}

/// No function is too long.
pub fn function_length(file: &TextFile, rust: &RustText) -> Vec<Finding> {
    let mut findings = Vec::new();
    for at in rust.code_words("fn") {
        let name: String =
            rust.code[at + 2..].trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // Without a name it is a type, `fn(&str) -> bool`.
        let Some(block) = rust.block(at).filter(|_| !name.is_empty()) else { continue };
        let line = line_of(&file.text, at);
        let lines = 1 + line_of(&file.text, block.end - 1) - line;
        if lines > FUNCTION_LINES {
            let reason = format!("`{name}` has {lines} lines, more than {FUNCTION_LINES}: cut it");
            findings.push(Finding::new(&file.path, line, reason));
        }
    }
    findings
}

/// The first line of a file says what it is for.
pub fn first_comment(file: &TextFile, _: &RustText) -> Vec<Finding> {
    match file.text.starts_with("//! ") {
        true => Vec::new(),
        false => vec![Finding::new(&file.path, 1, "starts without a `//!` comment that says what this file is for")],
    }
}

/// Nothing is left over from writing it.
pub fn leftovers(file: &TextFile, rust: &RustText) -> Vec<Finding> {
    let in_code = ["dbg!", "todo!", "unimplemented!"];
    let in_comments = ["TODO", "FIXME", "XXX", "HACK"];
    let mut findings = Vec::new();
    for (text, unwanted) in [(&rust.code, &in_code[..]), (&rust.comments, &in_comments[..])] {
        for word in unwanted {
            let found = words(text, word).map(|at| line_of(text, at));
            findings.extend(found.map(|line| Finding::new(&file.path, line, format!("`{word}` is left over"))));
        }
    }
    for (at, _) in rust.code.match_indices("#[ignore]") {
        let reason = "a test is ignored without a reason: write #[ignore = \"why\"]";
        findings.push(Finding::new(&file.path, line_of(&file.text, at), reason));
    }
    findings
}

/// Only programs print: a library's words reach the user through its callers.
pub fn prints(file: &TextFile, rust: &RustText) -> Vec<Finding> {
    if is_program(&file.path) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for word in ["println!", "print!", "eprintln!", "eprint!"] {
        let reason = format!("`{word}` in a library: return it, or make it an error");
        findings
            .extend(rust.code_words(word).map(|at| Finding::new(&file.path, line_of(&file.text, at), reason.clone())));
    }
    findings
}

/// The prefixes of dialects' functions and types, and their crates: the core finds dialects by their registration.
const DIALECT_NAMES: [&str; 5] = ["mssql", "\"ads:", "tsql_types", "ads_types", "advantage::"];

/// The core names no dialect, neither in code nor in texts that it searches for. Tests register dialects.
pub fn dialect_names(file: &TextFile, _: &RustText) -> Vec<Finding> {
    if !file.path.starts_with("crates/core/") || !file.path.contains("/src/") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (line, text) in file.text.lines().enumerate() {
        for name in DIALECT_NAMES.iter().filter(|name| text.contains(**name)) {
            let reason = format!("`{name}` in the core: ask the dialect (planner/src/dialect)");
            findings.push(Finding::new(&file.path, line + 1, reason));
        }
    }
    findings
}

/// `unsafe` stands in named files only, and says why it is sound.
pub fn unsafe_code(file: &TextFile, rust: &RustText, allowed: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for at in rust.code_words("unsafe") {
        let line = line_of(&file.text, at);
        if !allowed.contains(&file.path.as_str()) {
            let reason =
                "`unsafe` outside the files that may hold it (UNSAFE_FILES in crates/tools/tidy/src/habits.rs)";
            findings.push(Finding::new(&file.path, line, reason));
        } else if !is_justified(file, rust, line) {
            findings.push(Finding::new(&file.path, line, "`unsafe` without a comment that starts with SAFETY:"));
        }
    }
    findings
}

/// Paths of the machine on which a file was written mean nothing on another.
pub fn machine_paths(repository: &Repository) -> Vec<Finding> {
    // Written in pieces, so that this file does not find itself.
    let folders = [concat!("/", "work/"), concat!("/", "root/"), concat!("/", "home/")];
    let mut findings = Vec::new();
    for file in &repository.texts {
        for folder in folders {
            for (at, _) in file.text.match_indices(folder) {
                // After a name or a dot it is the middle of another path.
                let before = file.text[..at].chars().next_back();
                if !before.is_some_and(|before| before.is_alphanumeric() || "._-$})*".contains(before)) {
                    let reason = format!("`{folder}` is a path of somebody's machine");
                    findings.push(Finding::new(&file.path, line_of(&file.text, at), reason));
                }
            }
        }
    }
    findings
}

/// Returns true if the comments on the line of an `unsafe`, or right above it, say SAFETY.
fn is_justified(file: &TextFile, rust: &RustText, line: usize) -> bool {
    let comments: Vec<&str> = rust.comments.lines().collect();
    let source: Vec<&str> = file.text.lines().collect();
    let comment_on = |index: usize| comments.get(index).is_some_and(|text| text.contains("SAFETY:"));
    let is_above = |text: &str| text.trim_start().starts_with("//") || text.trim_start().starts_with("#[");
    let first = (0..line - 1).rev().take_while(|index| is_above(source[*index])).last().unwrap_or(line - 1);
    (first..line).any(comment_on)
}

/// Files that tests alone use; their own parts need no second limit.
fn is_for_tests(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs")
}

/// Programs, build scripts (which talk to cargo by printing), and tests that measure and print figures.
fn is_program(path: &str) -> bool {
    let is_in = |folder: &str| path.starts_with(folder);
    let is_measurement = path.contains("/tests/") && path.ends_with("_speed.rs");
    is_in("crates/tools/cli/")
        || is_in("crates/tools/bench/")
        || path.contains("/examples/")
        || path.ends_with("build.rs")
        || is_measurement
}
