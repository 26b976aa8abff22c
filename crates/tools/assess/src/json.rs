//! The report as JSON. The schema is on the page docs/assess.md; members are added to it and not removed or renamed, and
//! `version` counts other changes.

use crate::inventory::{CodePage, Dictionary, Memo, Suspicion, Table, Tag};
use crate::report::{File, Finding, Report, Verdict};
use crate::text::place;
use mainstay_types::compatibility::Support;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

/// The version of the schema.
const VERSION: u32 = 1;

/// Writes the report as one object and an end of line.
///
/// Errors: those of writing.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let verdict = match report.verdict() {
        Verdict::Ready => "ready",
        Verdict::Review => "review",
        Verdict::Changes => "changes",
    };
    let classes = Support::ALL.iter().map(|support| {
        let class = report.class(*support);
        object(&[
            ("class", text(support.name())),
            ("findings", class.kinds.to_string()),
            ("uses", class.uses.to_string()),
        ])
    });
    let others =
        report.others.iter().map(|(kind, count)| object(&[("extension", text(kind)), ("files", count.to_string())]));
    let unread = report.unread.iter().map(|(file, reason)| object(&[("path", path(file)), ("reason", text(reason))]));
    let whole = object(&[
        ("version", VERSION.to_string()),
        ("paths", array(report.paths.iter().map(|it| path(it)))),
        ("verdict", text(verdict)),
        ("summary", text(&report.verdict_text())),
        ("classes", array(classes)),
        ("findings", array(report.findings.iter().map(finding))),
        ("tables", array(report.tables.iter().map(table))),
        ("dictionaries", array(report.dictionaries.iter().map(dictionary))),
        ("files", array(report.files.iter().map(file))),
        ("others", array(others)),
        ("unread", array(unread)),
    ]);
    writeln!(out, "{whole}")
}

fn finding(finding: &Finding) -> String {
    let Finding { dialect, construct, subject, code, count, places } = finding;
    object(&[
        ("dialect", text(dialect.name())),
        ("class", text(construct.support.name())),
        ("construct", text(construct.id)),
        ("name", text(construct.name)),
        ("subject", text(subject)),
        ("code", code.map_or("null".to_owned(), |code| code.to_string())),
        ("behaviour", text(construct.behaviour)),
        ("advice", text(construct.advice)),
        ("count", count.to_string()),
        (
            "places",
            array(places.iter().map(|at| {
                object(&[("path", path(&at.path)), ("line", at.line.to_string()), ("text", text(&place(at)))])
            })),
        ),
    ])
}

fn table(table: &Table) -> String {
    let Table { path: file, kind, columns, rows, deleted, memo, code_page, tags, suspicions, error } = table;
    object(&[
        ("path", path(file)),
        ("kind", text(kind)),
        ("columns", columns.to_string()),
        ("rows", rows.to_string()),
        ("deleted", deleted.to_string()),
        (
            "memo",
            memo.as_ref().map_or("null".to_owned(), |Memo { path: file, bytes }| {
                object(&[("path", path(file)), ("bytes", bytes.to_string())])
            }),
        ),
        (
            "code_page",
            code_page.as_ref().map_or("null".to_owned(), |CodePage { name, evidence, detail, letters }| {
                object(&[
                    ("name", text(name)),
                    ("evidence", text(evidence)),
                    ("detail", text(detail)),
                    ("letters", letters.to_string()),
                ])
            }),
        ),
        ("tags", array(tags.iter().map(tag))),
        ("suspicions", array(suspicions.iter().map(suspicion))),
        ("error", if error.is_empty() { "null".to_owned() } else { text(error) }),
    ])
}

fn tag(tag: &Tag) -> String {
    let Tag { path: file, name, key, condition, keys, state, reason } = tag;
    object(&[
        ("path", path(file)),
        ("name", text(name)),
        ("key", text(key)),
        ("condition", if condition.is_empty() { "null".to_owned() } else { text(condition) }),
        ("keys", keys.map_or("null".to_owned(), |keys| keys.to_string())),
        ("state", text(state)),
        ("reason", text(reason)),
    ])
}

fn suspicion(suspicion: &Suspicion) -> String {
    let Suspicion { path: file, cause, is_error, count, place } = suspicion;
    object(&[
        ("path", path(file)),
        ("cause", text(cause)),
        ("severity", text(if *is_error { "error" } else { "warning" })),
        ("count", count.to_string()),
        ("place", text(place)),
    ])
}

fn dictionary(dictionary: &Dictionary) -> String {
    let Dictionary { path: file, kind, contents } = dictionary;
    object(&[("path", path(file)), ("kind", text(kind)), ("contents", text(contents))])
}

fn file(file: &File) -> String {
    let File { path: at, dialect, statements, supported, note } = file;
    object(&[
        ("path", path(at)),
        ("dialect", text(dialect.name())),
        ("statements", statements.to_string()),
        ("supported", supported.to_string()),
        ("note", text(note)),
    ])
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn array(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}

fn path(path: &Path) -> String {
    text(&path.to_string_lossy())
}

/// A string of JSON (RFC 8259, section 7).
fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string cannot fail.
            control if control < ' ' => drop(write!(out, "\\u{:04x}", u32::from(control))),
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn strings_are_escaped() {
        assert_eq!(super::text("a\"b\\c\n\u{1}\u{e9}"), "\"a\\\"b\\\\c\\n\\u0001\u{e9}\"");
    }
}
