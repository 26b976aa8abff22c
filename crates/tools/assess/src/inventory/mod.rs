//! Inventory of tables: rows, deleted rows, memos, tags with their states, code pages with the evidence for them, and suspicious
//! values by cause.

mod files;
mod other_tables;
mod xbase;

pub(crate) use files::{CONSTRUCTS, PACKAGE};

use crate::Dialect;
use crate::collect::{Collected, extension};
use crate::report::Report;
use mainstay_csv::CsvOptions;
use mainstay_types::Result;
use mainstay_types::compatibility::Occurrence;
use mainstay_vfs::FileSystem;
use mainstay_xbase::codepage::CodePage as Page;
use mainstay_xbase::{Finding, Severity};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The settings of a folder for one of its tables.
#[derive(Clone, Debug, Default)]
pub struct TableSettings {
    /// The code page.
    pub code_page: Option<Page>,
    /// The form of a CSV file.
    pub csv: CsvOptions,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The file, or the folder of files.
    pub path: PathBuf,
    /// The kind and the product: `DBF (Visual FoxPro)`.
    pub kind: String,
    /// Columns.
    pub columns: u64,
    /// Rows, deleted ones not included.
    pub rows: u64,
    /// Deleted rows that are still in the file.
    pub deleted: u64,
    /// The memo file.
    pub memo: Option<Memo>,
    /// The code page of the text; none where the format says it (Parquet).
    pub code_page: Option<CodePage>,
    /// The tags of the index files.
    pub tags: Vec<Tag>,
    /// Suspicious values and damage by cause.
    pub suspicions: Vec<Suspicion>,
    /// The reason why the table cannot be opened; empty otherwise.
    pub error: String,
}

impl Table {
    /// Adds suspicious values; those of one file and cause are counted together.
    fn add_suspicion(&mut self, added: Suspicion) {
        let Suspicion { path, cause, is_error, count, .. } = &added;
        let is_same = |known: &&mut Suspicion| (&known.path, &known.cause, known.is_error) == (path, cause, *is_error);
        match self.suspicions.iter_mut().find(is_same) {
            Some(known) => known.count += count,
            None => self.suspicions.push(added),
        }
    }
}

/// A memo file.
#[derive(Clone, Debug)]
pub struct Memo {
    /// The file; empty where the table has memo fields and there is no file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A code page with the evidence for it.
#[derive(Clone, Debug)]
pub struct CodePage {
    /// The name: `windows-1252`.
    pub name: String,
    /// `setting`, `cpg file`, `header`, `format`, or `assumed`.
    pub evidence: &'static str,
    /// The evidence in words.
    pub detail: String,
    /// Records with letters beyond ASCII in their text fields: those that the code page matters for.
    pub letters: u64,
}

/// A tag of an index.
#[derive(Clone, Debug)]
pub struct Tag {
    /// The index file.
    pub path: PathBuf,
    /// The name.
    pub name: String,
    /// The key expression.
    pub key: String,
    /// The FOR condition; empty without one.
    pub condition: String,
    /// The number of its keys.
    pub keys: Option<u64>,
    /// `usable`, `not used`, `unknown order`, `stale`, or `damaged`.
    pub state: &'static str,
    /// The reason of the state.
    pub reason: String,
}

/// Findings of one cause in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// The file.
    pub path: PathBuf,
    /// The cause, without the data of the places.
    pub cause: String,
    /// True if values or rows cannot be read.
    pub is_error: bool,
    /// How many.
    pub count: u64,
    /// The first place; may be empty.
    pub place: String,
}

/// A data dictionary or a database container.
#[derive(Clone, Debug)]
pub struct Dictionary {
    /// The file.
    pub path: PathBuf,
    /// The kind in words.
    pub kind: String,
    /// Its objects, as far as they were read; may be empty.
    pub contents: String,
}

/// Takes the inventory.
pub(crate) fn take(
    fs: &Arc<dyn FileSystem>,
    collected: &Collected,
    settings: &dyn Fn(&Path) -> Result<TableSettings>,
    report: &mut Report,
) {
    for path in &collected.tables {
        let of_table = match settings(path) {
            Ok(settings) => settings,
            Err(error) => {
                let reason = format!("its settings cannot be read, and are left out: {}", error.message());
                report.unread.push((path.clone(), reason));
                TableSettings::default()
            }
        };
        let indexes = path.parent().and_then(|folder| collected.indexes.get(folder)).map_or(&[][..], Vec::as_slice);
        let table = match extension(path).as_str() {
            "dbf" | "adt" => xbase::table(fs, path, of_table.code_page, indexes),
            "parquet" => other_tables::parquet(fs.as_ref(), path),
            _ => other_tables::csv(fs, path, of_table.csv),
        };
        files::judge(&table, report);
        report.tables.push(table);
    }
    for finding in unreadable_indexes(fs, collected, &report.tables) {
        let row = if finding.severity == Severity::Error { &files::DAMAGED_INDEX } else { &files::ODDITY };
        report.add(Dialect::Files, &finding.path, Occurrence::new(row, finding.cause().to_owned(), 0));
    }
    for path in &collected.dictionaries {
        let (dictionary, is_own) = other_tables::dictionary(fs.as_ref(), path);
        if !is_own {
            let row = if extension(path) == "dbc" { &files::CONTAINER } else { &files::DICTIONARY };
            report.add(Dialect::Files, path, Occurrence::new(row, "", 0));
        }
        report.dictionaries.push(dictionary);
    }
    report.others.clone_from(&collected.others);
    if let Some(count) = collected.others.get("mdx") {
        let place = report.paths.first().cloned().unwrap_or_default();
        report.add_many(Dialect::Files, &place, Occurrence::new(&files::MDX, "", 0), *count);
    }
}

/// Index files that no table has for its own, because they cannot be read at all.
fn unreadable_indexes(fs: &Arc<dyn FileSystem>, collected: &Collected, tables: &[Table]) -> Vec<Finding> {
    let all: Vec<PathBuf> = collected.indexes.values().flatten().cloned().collect();
    let findings = mainstay_xbase::table::check_index_files(fs.as_ref(), &all).into_iter();
    let is_reported = |path: &Path| {
        tables.iter().any(|table| {
            table.tags.iter().any(|tag| tag.path == path) || table.suspicions.iter().any(|found| found.path == path)
        })
    };
    findings.filter(|finding| !is_reported(&finding.path)).collect()
}
