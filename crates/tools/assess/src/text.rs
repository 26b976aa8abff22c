//! The report as text, for a terminal or a mail.

use crate::inventory::Table;
use crate::report::{Finding, Place, Report};
use mainstay_types::compatibility::Support;
use std::io::{self, Write};

/// Places of a finding that are shown.
const PLACES: usize = 5;
/// Subjects of a construct that are shown.
const SUBJECTS: usize = 10;
/// Causes of a table that are shown.
const CAUSES: usize = 5;

/// A number with a noun: `1 table`, `1,234 rows`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let plural = if number == 1 { "" } else { "s" };
    format!("{out} {noun}{plural}")
}

/// Writes the report.
///
/// Errors: those of writing.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "verdict: {}", report.verdict_text())?;
    let rows: u64 = report.tables.iter().map(|table| table.rows).sum();
    let statements: u64 = report.files.iter().map(|file| file.statements).sum();
    let tables = count(report.tables.len() as u64, "table");
    let files = count(report.files.len() as u64, "file");
    writeln!(
        out,
        "assessed: {tables} with {}, {files} of programs and scripts with {}",
        count(rows, "row"),
        count(statements, "statement")
    )?;
    writeln!(out, "\n{:<20} {:>8} {:>8}", "class", "findings", "uses")?;
    for support in Support::ALL {
        let class = report.class(support);
        writeln!(out, "{:<20} {:>8} {:>8}", support.name(), class.kinds, class.uses)?;
    }
    for support in Support::ALL {
        let groups = report.groups(support);
        if !groups.is_empty() {
            writeln!(out, "\n{}", support.name())?;
            groups.iter().try_for_each(|group| write_group(group, out))?;
        }
    }
    write_tables(report, out)?;
    write_files(report, out)
}

/// Writes the findings of one construct.
fn write_group(group: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    let Some(Finding { dialect, construct, .. }) = group.first() else { return Ok(()) };
    let uses = group.iter().map(|finding| finding.count).sum();
    writeln!(out, "  {} {}: {}", dialect.name(), construct.id, count(uses, "use"))?;
    writeln!(out, "      {}", construct.name)?;
    writeln!(out, "      {}", construct.behaviour)?;
    if !construct.advice.is_empty() {
        writeln!(out, "      to do: {}", construct.advice)?;
    }
    for Finding { subject, code, count, places, .. } in group.iter().take(SUBJECTS) {
        let code = code.map_or(String::new(), |code| format!(" (error {code})"));
        let subject = if subject.is_empty() { String::new() } else { format!(" {subject}{code}") };
        writeln!(out, "        {count} x{subject}: {}", places_of(places))?;
    }
    if group.len() > SUBJECTS {
        writeln!(out, "        ... and {} more (--json has all)", group.len() - SUBJECTS)?;
    }
    Ok(())
}

/// The first places, the lines of a file behind its name: `a.sql:3, 17; b.sql:1`.
fn places_of(places: &[Place]) -> String {
    let mut shown = String::new();
    let mut before: Option<&Place> = None;
    for at in places.iter().take(PLACES) {
        match before {
            Some(before) if before.path == at.path => shown.push_str(&format!(", {}", at.line)),
            Some(_) => shown.push_str(&format!("; {}", place(at))),
            None => shown.push_str(&place(at)),
        }
        before = Some(at);
    }
    if places.len() > PLACES { shown + ", ..." } else { shown }
}

/// A place as editors take it: `file:line`.
pub(crate) fn place(place: &Place) -> String {
    match place.line {
        0 => place.path.display().to_string(),
        line => format!("{}:{line}", place.path.display()),
    }
}

fn write_tables(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if !report.tables.is_empty() {
        writeln!(out, "\ntables")?;
    }
    for table in &report.tables {
        write_table(table, out)?;
    }
    for dictionary in &report.dictionaries {
        writeln!(out, "  {}: {}, {}", dictionary.path.display(), dictionary.kind, dictionary.contents)?;
    }
    Ok(())
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let Table { path, kind, columns, rows, deleted, memo, code_page, tags, suspicions, error } = table;
    if !error.is_empty() {
        return writeln!(out, "  {}: {kind}, cannot be opened: {error}", path.display());
    }
    let deleted = if *deleted > 0 { format!(", {} deleted", count(*deleted, "row")) } else { String::new() };
    writeln!(out, "  {}: {kind}, {}, {}{deleted}", path.display(), count(*columns, "column"), count(*rows, "row"))?;
    if let Some(memo) = memo {
        match memo.path.as_os_str().is_empty() {
            true => writeln!(out, "      memo: there is no memo file")?,
            false => writeln!(out, "      memo: {}, {}", memo.path.display(), count(memo.bytes, "byte"))?,
        }
    }
    if let Some(page) = code_page {
        let letters = match page.letters {
            0 => String::new(),
            letters => format!(", {} with letters beyond ASCII", count(letters, "record")),
        };
        writeln!(out, "      code page: {} ({}: {}){letters}", page.name, page.evidence, page.detail)?;
    }
    for tag in tags {
        let condition = if tag.condition.is_empty() { String::new() } else { format!(" FOR {}", tag.condition) };
        let reason = if tag.reason.is_empty() { String::new() } else { format!(": {}", tag.reason) };
        let file = tag.path.file_name().unwrap_or_default().to_string_lossy();
        writeln!(out, "      tag {} of {file} on {}{condition}: {}{reason}", tag.name, tag.key, tag.state)?;
    }
    for found in suspicions.iter().take(CAUSES) {
        let place = if found.place.is_empty() { String::new() } else { format!(" (first: {})", found.place) };
        writeln!(out, "      {}: {}{place}", count(found.count, "time"), found.cause)?;
    }
    if suspicions.len() > CAUSES {
        writeln!(out, "      ... and {}", count((suspicions.len() - CAUSES) as u64, "more cause"))?;
    }
    Ok(())
}

fn write_files(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if !report.files.is_empty() {
        writeln!(out, "\nscripts, programs and projects")?;
    }
    for file in &report.files {
        let note = if file.note.is_empty() { String::new() } else { format!("; {}", file.note) };
        let statements = count(file.statements, "statement");
        writeln!(out, "  {}: {}, {statements}{note}", file.path.display(), file.dialect.name())?;
    }
    if !report.others.is_empty() {
        let listed: Vec<String> = report.others.iter().map(|(kind, count)| format!("{count} .{kind}")).collect();
        writeln!(out, "\nnot assessed: {}", listed.join(", "))?;
    }
    for (path, reason) in &report.unread {
        writeln!(out, "could not be read: {}: {reason}", path.display())?;
    }
    Ok(())
}
