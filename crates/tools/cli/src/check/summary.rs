//! The summary of a check, and its findings: a few lines of each kind with a count, or all of them.

use crate::output::Destination;
use crate::output::table::count;
use mainstay_engine::{Finding, Looked, STORE_FOLDER, Severity};
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Lines of a kind that are shown.
const LINES: usize = 3;
/// Folders that are named.
const FOLDERS: usize = 5;

/// Says what was looked at, what was found, and what to do about it. This is on standard error: findings alone are on
/// standard output.
pub(super) fn tell(looked: Looked, findings: &[&Finding], left_out: &[PathBuf], repairs: bool) {
    let of = |severity| findings.iter().filter(move |finding| finding.severity == severity);
    let (errors, warnings) = (of(Severity::Error).count() as u64, of(Severity::Warning).count() as u64);
    let [files, tables, rows] =
        [(looked.files, "file"), (looked.tables, "table"), (looked.rows, "row")].map(|(n, noun)| count(n, noun));
    let native = if looked.native { ", and the native tables" } else { "" };
    let mut lines = Vec::new();
    // A folder of programs alone has no data to speak of.
    if looked.files > 0 || looked.native {
        lines.push(format!("checked {files}: {tables} with {rows}{native}"));
    }
    if !findings.is_empty() {
        let mut paths: Vec<&Path> = findings.iter().map(|finding| finding.path.as_path()).collect();
        paths.sort();
        paths.dedup();
        let files = count(paths.len() as u64, "file");
        lines.push(format!("found {} and {} in {files}", count(errors, "error"), count(warnings, "warning")));
    }
    let is_native = |finding: &&Finding| finding.path.components().any(|part| part.as_os_str() == STORE_FOLDER);
    if of(Severity::Error).any(|finding| !is_native(finding)) && !repairs {
        lines.push(
            "what to do: back up the folder as it is, then run check --repair; docs/repair.md goes on".to_owned(),
        );
    }
    if of(Severity::Error).any(is_native) {
        lines.push(
            "what to do about the native tables: copy the folder while nothing has it open, then restore a backup, or read \
             what is left with `mainstay --salvage`; docs/durability.md goes on"
                .to_owned(),
        );
    }
    if !left_out.is_empty() {
        let shown: Vec<String> = left_out.iter().take(FOLDERS).map(|path| path.display().to_string()).collect();
        let more = if left_out.len() > FOLDERS { ", ..." } else { "" };
        let folders = count(left_out.len() as u64, "sub-folder");
        lines.push(format!("{folders} with tables not looked at (-r looks at them): {}{more}", shown.join(", ")));
    }
    for line in lines {
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// A file and a kind of finding: the message without its numbers and names.
fn kind(finding: &Finding) -> (&Path, String) {
    let mut shape = String::new();
    let mut in_quotes = false;
    for character in finding.message.chars() {
        match character {
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '0'..='9' => shape.push('#'),
            character => shape.push(character),
        }
    }
    while shape.contains("##") {
        shape = shape.replace("##", "#");
    }
    (&finding.path, shape)
}

/// Writes findings to standard output, one a line; of each kind a few, unless all are wished for.
pub(super) fn show(findings: &[&Finding], all: bool) -> io::Result<()> {
    let mut out = Destination::stdout();
    write(&mut out, findings, all)?;
    out.finish()
}

/// The same to any output.
pub(super) fn write(out: &mut dyn Write, findings: &[&Finding], all: bool) -> io::Result<()> {
    let mut counts: HashMap<(&Path, String), usize> = HashMap::new();
    for finding in findings {
        *counts.entry(kind(finding)).or_default() += 1;
    }
    let mut shown: HashMap<(&Path, String), usize> = HashMap::new();
    for finding in findings {
        let kind = kind(finding);
        let count_of_kind = counts.get(&kind).copied().unwrap_or(0);
        let number = shown.entry(kind).or_default();
        *number += 1;
        // One that is left over takes a line as its count does.
        if all || *number <= LINES || count_of_kind == LINES + 1 {
            writeln!(out, "{finding}")?;
        } else if *number == LINES + 1 {
            let more = count((count_of_kind - LINES) as u64, "more finding");
            writeln!(out, "  ... and {more} of this kind in {} (--verbose shows all)", finding.path.display())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_of_each_kind_are_shown() {
        let finding = |path: &str, message: String| Finding::new(Severity::Error, Path::new(path), "", message);
        let mut findings: Vec<Finding> =
            (1..=200).map(|number| finding("a.dbf", format!("record {number} is wrong"))).collect();
        findings.push(finding("a.dbf", "the header is wrong".to_owned()));
        findings.extend((1..=4).map(|number| finding("b.dbf", format!("record {number} is wrong"))));
        let findings: Vec<&Finding> = findings.iter().collect();
        let lines = |all| {
            let mut out = Vec::new();
            write(&mut out, &findings, all).unwrap();
            String::from_utf8(out).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let few = lines(false);
        assert_eq!(few.len(), 3 + 1 + 1 + 4);
        assert_eq!(few[3], "  ... and 197 more findings of this kind in a.dbf (--verbose shows all)");
        assert_eq!(few[4], "error: a.dbf: the header is wrong");
        assert_eq!(lines(true).len(), 205);
    }
}
