//! Assessment of an application before it moves: an inventory of its tables, and the constructs of its programs that are not
//! supported here, ignored, or different.
//!
//! ```text
//!   paths --collect--> tables   --inventory--> rows, deleted rows, memos, tags, code pages, suspicious values
//!                      scripts  --scripts----> constructs, by the table of each dialect
//!                      programs --programs---> items of Business BASIC, by its inventory
//!                      projects --project----> scripts of .sqlproj files; the objects of a .dacpac
//!                                     |
//!                                  Report --text, json, html--> a verdict, classes with counts, findings with places
//! ```
//!
//! Nothing is written and no lock is taken: a folder in use is assessed as it is at that moment. Constructs are found by the
//! parsers of the dialects and their tables ([`mainstay_types::compatibility`]), never by searching texts; the pages
//! "Not supported" are written from the same tables ([`pages`]).
//!
//! Limits: a script is read whole, up to [`MOST_BYTES`]; objects that exist in a database and in no script are not known.

mod collect;
mod html;
mod inventory;
mod json;
pub mod pages;
mod programs;
mod project;
mod report;
mod scripts;
mod text;

pub use html::write as write_html;
pub use inventory::{CodePage, Dictionary, Memo, Suspicion, Table, TableSettings, Tag};
pub use json::write as write_json;
pub use report::{Class, File, Finding, Place, Report, Verdict};
pub use text::write as write_text;

use collect::Collected;
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a script, project or program that are read; a larger file is named and left out.
pub const MOST_BYTES: u64 = 64 << 20;

/// The dialect of scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// T-SQL.
    Tsql,
    /// Advantage SQL.
    Ads,
    /// Informix SQL and SPL.
    Informix,
    /// Business BASIC.
    Basic,
    /// Not a language: files.
    Files,
}

impl Dialect {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Tsql => "T-SQL",
            Dialect::Ads => "Advantage SQL",
            Dialect::Informix => "Informix SQL",
            Dialect::Basic => "Business BASIC",
            Dialect::Files => "files",
        }
    }
}

/// Paths and options of an assessment.
pub struct Request<'a> {
    /// Folders and files.
    pub paths: &'a [PathBuf],
    /// The dialect of scripts, and of named files whose extension is not known; `None` to choose for each script the one
    /// whose parser reads most of it.
    pub dialect: Option<Dialect>,
    /// The settings that the folder of a table gives for it.
    pub settings: &'a dyn Fn(&Path) -> Result<TableSettings>,
}

/// Assesses folders and files.
///
/// Errors: a path that does not exist. What cannot be read below a path is a line of the report.
pub fn assess(fs: &Arc<dyn FileSystem>, request: &Request<'_>) -> Result<Report> {
    let mut collected = Collected::default();
    for path in request.paths {
        collected.add(fs.as_ref(), path, request.dialect)?;
    }
    let mut report = Report { paths: request.paths.to_vec(), ..Report::default() };
    project::read(fs.as_ref(), &mut collected, &mut report);
    inventory::take(fs, &collected, request.settings, &mut report);
    scripts::assess(fs.as_ref(), &collected.scripts, request.dialect, &mut report);
    programs::assess(fs.as_ref(), &collected.programs, &mut report);
    for (path, error) in collected.unread {
        report.unread.push((path, error));
    }
    report.finish();
    Ok(report)
}
