//! The table of findings about files, and the rows that a table of the inventory has.

use super::Table;
use crate::Dialect;
use crate::collect::extension;
use crate::report::Report;
use mainstay_types::compatibility::{Construct, Occurrence};

mainstay_types::constructs! {
    TABLE "table" NotSupported:
        "A table that cannot be opened: encrypted, of an unknown format, damaged in its header",
        "It is no table here; statements that name it fail.",
        "Open it with the program that made it and copy it into a DBF without encryption; or restore a backup.",
        "";
    PACKAGE "package" ReviewSemantics:
        "Packages of SQL Server (.dacpac)",
        "The objects are counted; their scripts are not in the package in a form that can be assessed.",
        "Assess the scripts of the project that the package was made from, or script the database.",
        "";
    CONTAINER "database-container" ReviewSemantics:
        "Database containers of Visual FoxPro (.dbc)",
        "Not read: tables are read and written without their rules, defaults, triggers, relations, views and long names.",
        "Move rules that matter to a data dictionary, to native tables, or into the program.",
        "";
    DICTIONARY "data-dictionary" ReviewSemantics:
        "Data dictionaries of Advantage (.add)",
        "Not used as a whole: a dictionary that Mainstay has made is, which is no finding.",
        "Create the dictionary with Mainstay, with the same users, rules and relations.",
        "";
    VALUES "unreadable-values" ReviewSemantics:
        "Values and rows that cannot be read",
        "NULL in queries, and reported by every statement that meets them.",
        "Run 'mainstay check', which names each, and correct or repair the table.",
        "";
    CODE_PAGE "assumed-code-page" ReviewSemantics:
        "Text beyond ASCII in a table that says no code page",
        "Read in the code page that its version of the format had as a default: letters may be wrong.",
        "Look at some names with accents; set code_page in mainstay.toml.",
        "";
    UNKNOWN_ORDER "unknown-order" ReviewSemantics:
        "Tags in a collation or a national order that is not known",
        "Not searched; a table with such a tag in its structural index is not written to.",
        "Rebuild the tag with the program in a known order, or drop it.",
        "";
    MDX "mdx" ReviewSemantics:
        "Indexes of dBASE IV (.mdx)",
        "Not read; a table with one is not written to.",
        "Drop the index in dBASE, and make a CDX.",
        "";
    STALE_TAG "stale-tag" ReviewPerformance:
        "Tags whose keys are not those of the records",
        "Not used until they are rebuilt: statements read the whole table.",
        "REINDEX the table, or run 'mainstay check --repair'.",
        "";
    DAMAGED_TAG "damaged-tag" ReviewPerformance:
        "Tags whose pages are damaged",
        "Not used: statements read the whole table.",
        "REINDEX the table, or run 'mainstay check --repair'.",
        "";
    DAMAGED_INDEX "damaged-index" ReviewPerformance:
        "Index files that cannot be read",
        "Not used.",
        "Make them anew, or delete them.",
        "";
    UNUSED_TAG "unused-tag" Ignored:
        "Tags that statements do not use: UNIQUE, filtered or with an expression that is not understood",
        "Kept up where they can be, and used by work areas; SQL reads the table.",
        "",
        "";
    ODDITY "oddity" Ignored:
        "Files that are unusual and read as they were written",
        "Reported by 'mainstay check' as warnings.",
        "",
        "";
}

/// Adds the rows of a table to the report.
pub(super) fn judge(table: &Table, report: &mut Report) {
    let path = &table.path;
    let mut add = |path: &std::path::Path, row: &'static Construct, subject: String, count: u64| {
        report.add_many(Dialect::Files, path, Occurrence::new(row, subject, 0), count);
    };
    if !table.error.is_empty() {
        return add(path, &TABLE, table.error.clone(), 1);
    }
    if let Some(page) = &table.code_page
        && page.evidence == "assumed"
        && page.letters > 0
    {
        add(path, &CODE_PAGE, page.name.clone(), page.letters);
    }
    for tag in &table.tags {
        let row = match tag.state {
            "unknown order" => &UNKNOWN_ORDER,
            "stale" => &STALE_TAG,
            "damaged" => &DAMAGED_TAG,
            "not used" => &UNUSED_TAG,
            _ => continue,
        };
        add(&tag.path, row, String::new(), 1);
    }
    for found in &table.suspicions {
        // The tags report the damage of their index.
        let is_of_tag = table.tags.iter().any(|tag| tag.path == found.path && tag.state != "usable");
        let is_index = matches!(extension(&found.path).as_str(), "cdx" | "idx" | "ntx" | "adi");
        let row = match found.is_error {
            true if is_index => &DAMAGED_INDEX,
            true => &VALUES,
            false => &ODDITY,
        };
        if !is_of_tag {
            add(&found.path, row, found.cause.clone(), found.count);
        }
    }
}
