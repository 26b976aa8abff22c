//! First words of comments.
//!
//! A comment begins with a noun or a verb. One that begins with a question word describes its subject instead of naming it,
//! and nobody can search for it.
//!
//! Limits: only the first word of a line counts, so that a sentence in the middle of a line is not seen, and a line on which
//! a later sentence begins is.

use crate::rust_text::RustText;
use crate::{Finding, Repository};

/// The words that no comment begins with.
const UNWANTED: &[&str] = &["What", "Whether", "Who", "That"];

/// Comment lines that begin with one of the words.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust_files() {
        let comments = RustText::new(&file.text).comments;
        let found = comments.lines().enumerate().filter_map(|(index, line)| Some((index + 1, unwanted(line)?)));
        findings.extend(found.map(|(line, word)| {
            let reason = format!("the comment begins with `{word}`: begin with a noun or a verb");
            Finding::new(&file.path, line, reason)
        }));
    }
    findings
}

/// The unwanted word that a line of comments begins with. A literal before the comment is blank here, as code is.
fn unwanted(line: &str) -> Option<&'static str> {
    let text = line.trim_start().strip_prefix("//")?.trim_start_matches(['/', '!']).trim_start();
    let word = text.split(|character: char| !character.is_alphanumeric()).next()?;
    UNWANTED.iter().find(|unwanted| **unwanted == word).copied()
}
