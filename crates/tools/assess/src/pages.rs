//! The pages "Not supported" of the documentation, written from the tables of constructs.

use crate::Dialect;
use mainstay_basic_syntax::inventory::{SECTIONS, State};
use mainstay_types::compatibility::{Construct, Support};
use std::fmt::Write;

/// The pages: the file below `docs`, and its text.
pub fn all() -> Vec<(&'static str, String)> {
    vec![
        (
            "not-supported-tsql.md",
            page(Dialect::Tsql, "SQL Server", mainstay_tsql_syntax::compatibility::CONSTRUCTS, "COMPAT-tsql.md"),
        ),
        (
            "not-supported-adssql.md",
            page(Dialect::Ads, "Advantage", mainstay_ads_syntax::compatibility::CONSTRUCTS, "COMPAT-adssql.md"),
        ),
        (
            "not-supported-informix.md",
            page(
                Dialect::Informix,
                "Informix",
                mainstay_informix_syntax::compatibility::CONSTRUCTS,
                "COMPAT-informix.md",
            ),
        ),
        ("not-supported-basic.md", basic()),
        (
            "not-supported-files.md",
            page(Dialect::Files, "the programs that made them", crate::inventory::CONSTRUCTS, "COMPAT-xbase.md"),
        ),
    ]
}

/// A page of a dialect's table.
fn page(dialect: Dialect, other: &str, constructs: &[&Construct], compat: &str) -> String {
    let title = match dialect {
        Dialect::Files => "Files: what is not supported, different, or ignored".to_owned(),
        dialect => format!("{}: what is not supported, different, or ignored", dialect.name()),
    };
    let mut out = format!(
        "# {title}\n\nConstructs that do not work here as with {other}. `mainstay assess` finds them in an application \
         ([assess.md](assess.md)) and reports each under its key. What works, with its tests: [{compat}]({compat}).\n\n\
         This page is written from the table that `mainstay assess` uses (`UPDATE_REFERENCE=1`, `crates/tools/assess/tests/pages.rs`).\n"
    );
    for support in Support::ALL {
        let rows: Vec<&&Construct> = constructs.iter().filter(|row| row.support == support).collect();
        if rows.is_empty() {
            continue;
        }
        let name = support.name();
        let (first, rest) = name.split_at(1);
        let _ = write!(
            out,
            "\n## {}{rest}\n\n| key | construct | behaviour | to do |\n|---|---|---|---|\n",
            first.to_uppercase()
        );
        for row in rows {
            let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} |",
                row.id,
                cell(row.name),
                cell(row.behaviour),
                if row.advice.is_empty() { "nothing".to_owned() } else { cell(row.advice) }
            );
        }
    }
    out
}

/// The page of Business BASIC, whose table is the inventory of the language.
fn basic() -> String {
    let mut out = "# Business BASIC: what is not supported or works in part\n\nItems of the language that are refused by name \
        (error 99 when the statement is reached; the program loads), and items of which some forms are refused or have no effect. \
        `mainstay assess` and `mainstay check` count refused items in programs, `assess` also directives that work in part. All \
        items with their tests: [COMPAT-basic.md](COMPAT-basic.md).\n\n\
        This page is written from the inventory that the parser uses (`UPDATE_REFERENCE=1`, `crates/tools/assess/tests/pages.rs`).\n"
        .to_owned();
    for (state, title) in [(State::Refused, "Not supported"), (State::Partial, "Works in part")] {
        let _ = write!(out, "\n## {title}\n\n| section | items |\n|---|---|\n");
        for (section, items) in SECTIONS {
            let names: Vec<String> = items
                .iter()
                .filter(|item| item.state == state)
                .map(|item| format!("`{}`", item.name.replace('|', "\\|")))
                .collect();
            if !names.is_empty() {
                let _ = writeln!(out, "| {section} | {} |", names.join(", "));
            }
        }
    }
    out
}
