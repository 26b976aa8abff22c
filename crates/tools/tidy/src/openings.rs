//! First words of comments, held at the numbers of ARCHITECTURE.md.
//!
//! A comment begins with a noun or a verb. One that begins with a question word describes its subject instead of naming it,
//! and nobody can search for it. The block `openings` of the page lists the crates that still have such comments, with the
//! number of their lines:
//!
//! ```text
//! tools/cli: 1
//! ```
//!
//! Every other crate has none. A crate may stay below its line, and a line goes when its crate has none.
//!
//! Limits: only the first word of a line counts, so that a sentence in the middle of a line is not seen, and a line on which
//! a later sentence begins is.

use crate::dependencies::{PAGE, block};
use crate::rust_text::RustText;
use crate::{Finding, Repository};
use std::collections::BTreeMap;

/// The words that no comment begins with.
pub const UNWANTED: &[&str] = &["What", "Whether", "Who", "That"];

/// Comment lines that begin with one of the words, by the folder of their crate below `crates/`.
pub fn openings(repository: &Repository) -> BTreeMap<String, Vec<Finding>> {
    let mut by_crate: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    for file in repository.rust_files() {
        let comments = RustText::new(&file.text).comments;
        let found = comments.lines().enumerate().filter_map(|(index, line)| Some((index + 1, unwanted(line)?)));
        let findings: Vec<Finding> = found
            .map(|(line, word)| {
                let reason = format!("the comment begins with `{word}`: begin with a noun or a verb");
                Finding::new(&file.path, line, reason)
            })
            .collect();
        if !findings.is_empty() {
            by_crate.entry(crate_of(repository, &file.path)).or_default().extend(findings);
        }
    }
    by_crate
}

/// All findings: comments of crates without a line, those of crates beyond their line, and lines that are no longer needed.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut by_crate = openings(repository);
    let page = repository.text(PAGE).unwrap_or_default();
    let mut findings = Vec::new();
    for (line, text) in block(page, "openings") {
        let (folder, number) = text.split_once(':').unwrap_or((text, ""));
        let found = by_crate.remove(folder.trim()).unwrap_or_default();
        let reason = match number.trim().parse::<usize>() {
            Err(_) => "expected `FOLDER: N`".to_owned(),
            Ok(_) if found.is_empty() => format!("`{}` has no such comment: remove its line", folder.trim()),
            Ok(allowed) if found.len() > allowed => {
                let reason = format!("`{}` has {} such lines: reword the new ones", folder.trim(), found.len());
                findings.extend(found);
                reason
            }
            Ok(_) => continue,
        };
        findings.push(Finding::new(PAGE, line, reason));
    }
    findings.extend(by_crate.into_values().flatten());
    findings
}

/// The unwanted word that a line of comments begins with. A literal before the comment is blank here, as code is.
fn unwanted(line: &str) -> Option<&'static str> {
    let text = line.trim_start().strip_prefix("//")?.trim_start_matches(['/', '!']).trim_start();
    let word = text.split(|character: char| !character.is_alphanumeric()).next()?;
    UNWANTED.iter().find(|unwanted| **unwanted == word).copied()
}

/// The innermost folder above a file that has a manifest, below `crates/` if it is there.
fn crate_of(repository: &Repository, path: &str) -> String {
    let mut folder = path;
    while let Some((above, _)) = folder.rsplit_once('/') {
        folder = above;
        if repository.text(&format!("{folder}/Cargo.toml")).is_some() {
            break;
        }
    }
    folder.strip_prefix("crates/").unwrap_or(folder).to_owned()
}
