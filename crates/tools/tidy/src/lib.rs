//! Rules of this code base, enforced by tests.
//!
//! Some rules hold only if a program checks them each time: which crate may link which, that a
//! file can be read in one sitting, that a page of the documentation points at files that exist.
//! Each module here holds the rules of one kind. A rule is a function from the [`Repository`] to
//! [`Finding`]s; it never stops at the first, and each finding says where to look and why it matters.
//! The tests in `tests/` run the rules over this repository, and over small invented ones that break
//! them, so that a rule which has gone blind fails too.
//!
//! ```text
//!   repository   the files
//!   rust_text    code, comments and literals of a Rust file, separated        <- habits, openings
//!   manifest     the lines of a Cargo.toml                                    <- manifests, dependencies
//!
//!   habits         lengths, first comments, leftovers, prints, unsafe, paths of somebody's machine
//!   dependencies   edges between crates against the tables of ARCHITECTURE.md
//!   structure      cycles of imports (imports) and methods of a type against the same page
//!   openings       first words of comments
//!   manifests      each crate has a description and a licence
//!   documents      links lead to files, named tests exist
//! ```
//!
//! Nothing here parses Rust. Words and braces outside of comments and literals are enough for these
//! rules, and macros that hide either are rare enough to be seen in review.

pub mod dependencies;
pub mod documents;
pub mod habits;
pub mod imports;
pub mod manifest;
pub mod manifests;
pub mod openings;
pub mod repository;
pub mod rust_text;
pub mod structure;

pub use repository::{Repository, TextFile};

use std::fmt;

/// Something that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root of the repository.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// The fault, and the correct form.
    pub reason: String,
}

impl Finding {
    /// A finding at a line of a file.
    pub fn new(path: &str, line: usize, reason: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, reason: reason.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.reason)
    }
}

/// Fails a test with one line for each finding.
///
/// # Panics
///
/// When there is any.
#[track_caller]
pub fn assert_none(mut findings: Vec<Finding>) {
    findings.sort();
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} found\n{}", lines.len(), lines.join("\n"));
}
