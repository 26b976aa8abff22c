//! The report as one page of HTML without scripts and without anything from elsewhere, to be kept or sent.

use crate::report::{Finding, Report, Verdict};
use crate::text::{count, place};
use mainstay_types::compatibility::Support;
use std::io::{self, Write};

/// Places of a finding that are shown.
const PLACES: usize = 50;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1b1f24;\
background:#fff}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%;margin:.5rem 0}\
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #d8dee4}td.n{text-align:right}\
code{font:13px ui-monospace,monospace}details{margin:.2rem 0}summary{cursor:pointer}.verdict{padding:.6rem 1rem;\
border-left:.4rem solid;background:#f6f8fa}.ready{border-color:#2da44e}.review{border-color:#bf8700}.changes{border-color:#cf222e}\
.muted{color:#57606a}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}.verdict{background:#161b22}\
th,td{border-color:#30363d}.muted{color:#8b949e}}";

/// Writes the report.
///
/// Errors: those of writing.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mark = match report.verdict() {
        Verdict::Ready => "ready",
        Verdict::Review => "review",
        Verdict::Changes => "changes",
    };
    let paths: Vec<String> = report.paths.iter().map(|path| path.display().to_string()).collect();
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Assessment for Mainstay</title><style>{STYLE}</style></head><body>\n<h1>Assessment for Mainstay</h1>\n\
         <p class=\"muted\">{}</p>\n<p class=\"verdict {mark}\">Verdict: {}</p>",
        escaped(&paths.join(", ")),
        escaped(&report.verdict_text())
    )?;
    write_classes(report, out)?;
    for support in Support::ALL {
        let groups = report.groups(support);
        if !groups.is_empty() {
            writeln!(out, "<h2>{}</h2>\n<table><tr><th>Construct<th>Behaviour<th>To do<th>Uses</tr>", title(support))?;
            groups.iter().try_for_each(|group| write_group(group, out))?;
            writeln!(out, "</table>")?;
        }
    }
    write_tables(report, out)?;
    write_files(report, out)?;
    writeln!(out, "</body></html>")
}

fn title(support: Support) -> String {
    let name = support.name();
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
}

fn write_classes(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<table><tr><th>Class<th>Findings<th>Uses</tr>")?;
    for support in Support::ALL {
        let class = report.class(support);
        writeln!(out, "<tr><td>{}<td class=\"n\">{}<td class=\"n\">{}</tr>", title(support), class.kinds, class.uses)?;
    }
    writeln!(out, "</table>")
}

/// Writes the findings of one construct as a row, with their places to be opened.
fn write_group(group: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    let Some(Finding { dialect, construct, .. }) = group.first() else { return Ok(()) };
    let uses: u64 = group.iter().map(|finding| finding.count).sum();
    write!(out, "<tr><td><span class=\"muted\">{}</span> {}", escaped(dialect.name()), escaped(construct.name))?;
    for Finding { subject, code, count, places, .. } in group {
        let code = code.map_or(String::new(), |code| format!(" (error {code})"));
        let subject = if subject.is_empty() { "places".to_owned() } else { escaped(subject) };
        let shown = places.iter().take(PLACES).map(|at| format!("<code>{}</code>", escaped(&place(at))));
        let shown = shown.collect::<Vec<_>>().join("<br>");
        let more = if places.len() > PLACES { "<br>..." } else { "" };
        write!(out, "<details><summary>{count} × {subject}{code}</summary>{shown}{more}</details>")?;
    }
    writeln!(out, "<td>{}<td>{}<td class=\"n\">{uses}</tr>", escaped(construct.behaviour), escaped(construct.advice))
}

fn write_tables(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if report.tables.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>Tables</h2>\n<table><tr><th>File<th>Kind<th>Rows<th>Deleted<th>Code page<th>Tags<th>Suspicions</tr>"
    )?;
    for table in &report.tables {
        let page = table.code_page.as_ref().map_or(String::new(), |page| {
            let letters = if page.letters > 0 { format!(", {}", count(page.letters, "record")) } else { String::new() };
            format!(
                "{} <span class=\"muted\">({}: {}{letters})</span>",
                escaped(&page.name),
                page.evidence,
                escaped(&page.detail)
            )
        });
        let tags = table.tags.iter().map(|tag| {
            let reason = if tag.reason.is_empty() { String::new() } else { format!(": {}", escaped(&tag.reason)) };
            format!("{} <span class=\"muted\">({}{reason})</span>", escaped(&tag.name), tag.state)
        });
        let memo = table.memo.iter().filter(|memo| memo.path.as_os_str().is_empty());
        let suspicions = memo
            .map(|_| "there is no memo file".to_owned())
            .chain(table.suspicions.iter().map(|found| format!("{} × {}", found.count, escaped(&found.cause))))
            .chain(Some(escaped(&table.error)).filter(|error| !error.is_empty()));
        writeln!(
            out,
            "<tr><td><code>{}</code><td>{}<td class=\"n\">{}<td class=\"n\">{}<td>{page}<td>{}<td>{}</tr>",
            escaped(&table.path.to_string_lossy()),
            escaped(&table.kind),
            table.rows,
            table.deleted,
            tags.collect::<Vec<_>>().join("<br>"),
            suspicions.collect::<Vec<_>>().join("<br>")
        )?;
    }
    writeln!(out, "</table>")
}

fn write_files(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if !report.files.is_empty() || !report.dictionaries.is_empty() {
        writeln!(
            out,
            "<h2>Scripts, programs, projects and dictionaries</h2>\n<table><tr><th>File<th>Kind<th>Statements<th>Note</tr>"
        )?;
        for file in &report.files {
            let (path, kind) = (escaped(&file.path.to_string_lossy()), escaped(file.dialect.name()));
            let (statements, note) = (file.statements, escaped(&file.note));
            writeln!(out, "<tr><td><code>{path}</code><td>{kind}<td class=\"n\">{statements}<td>{note}</tr>")?;
        }
        for found in &report.dictionaries {
            let (path, kind) = (escaped(&found.path.to_string_lossy()), escaped(&found.kind));
            writeln!(
                out,
                "<tr><td><code>{path}</code><td>{kind}<td class=\"n\"><td>{}</tr>",
                escaped(&found.contents)
            )?;
        }
        writeln!(out, "</table>")?;
    }
    if !report.others.is_empty() {
        let listed: Vec<String> =
            report.others.iter().map(|(kind, count)| format!("{count} .{}", escaped(kind))).collect();
        writeln!(out, "<p class=\"muted\">Not assessed: {}</p>", listed.join(", "))?;
    }
    if !report.unread.is_empty() {
        writeln!(out, "<h2>Could not be read</h2>\n<ul>")?;
        for (path, reason) in &report.unread {
            writeln!(out, "<li><code>{}</code>: {}</li>", escaped(&path.to_string_lossy()), escaped(reason))?;
        }
        writeln!(out, "</ul>")?;
    }
    Ok(())
}

/// A text as HTML has it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character => out.push(character),
        }
    }
    out
}
