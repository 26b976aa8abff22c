//! `mainstay check`: everything that can be found wrong with files, with its place.

use crate::folder::{self, Kind, TableFile};
use crate::native::STORE_FOLDER;
use crate::options::{FolderSettings, Options};
use mainstay_columnar::VectorCache;
use mainstay_csv::{CsvOptions, CsvTable};
use mainstay_planner::{Planner, Settings, open_parquet, parquet_findings};
use mainstay_store::Store;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::indexed::check_journals;
use mainstay_xbase::{Finding, Severity, table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Decoded columns that a check may keep.
const CACHE_BYTES: u64 = 64 << 20;

/// What a check has found, and what it could not look at.
#[derive(Debug)]
pub struct Checked {
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Why the native tables were not checked, if they were not: another process has them open (`Busy`).
    pub unchecked: Option<Error>,
}

/// Checks a file, or all the tables of a folder with their memos and indexes, and its native tables. Fails only if
/// the path itself cannot be read, or another process has the native tables open (`Busy`).
pub fn check(path: &Path, options: &Options) -> Result<Vec<Finding>> {
    let checked = check_what_can_be(path, options)?;
    checked.unchecked.map_or(Ok(checked.findings), Err)
}

/// The same; native tables that another process has open do not keep the others from being checked.
pub fn check_what_can_be(path: &Path, options: &Options) -> Result<Checked> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = table_of(fs.as_ref(), std::path::absolute(path)?)?;
    let listing = folder::list(fs.as_ref(), &path)?;
    let folder = if fs.is_folder(&path) { path.as_path() } else { path.parent().unwrap_or(&path) };
    let settings = FolderSettings::read(fs.as_ref(), folder, options)?.files;
    let mut findings = Vec::new();
    for (name, file) in &listing.tables {
        match file.kind {
            Kind::Dbf | Kind::Adt => {
                let options = OpenOptions { code_page: settings.code_page(name) };
                // An index file may be looked at for several tables; what is wrong with it is said once.
                for finding in table::check(&fs, &file.path, options, &listing.indexes) {
                    if !findings.contains(&finding) {
                        findings.push(finding);
                    }
                }
            }
            Kind::Csv => findings.extend(check_csv(&fs, name, file, settings.csv(name))),
            Kind::Parquet => findings.extend(check_parquet(fs.as_ref(), file)?),
        }
    }
    let index_files: &[PathBuf] = if fs.is_folder(&path) { &listing.indexes } else { &[] };
    for finding in table::check_index_files(fs.as_ref(), index_files) {
        let is_known = |known: &Finding| known.path == finding.path;
        if !findings.iter().any(is_known) {
            findings.push(finding);
        }
    }
    let tables = listing.tables.values().filter(|file| file.kind.is_xbase()).map(|file| file.path.as_path());
    findings.extend(check_journals(fs.as_ref(), folder, tables));
    let store = folder.join(STORE_FOLDER);
    let mut unchecked = None;
    if fs.is_folder(&path) && fs.is_folder(&store) {
        match Store::check(Arc::clone(&fs), &store) {
            Ok(found) => {
                let place = |error: &Error| error.place().map_or_else(|| store.clone(), PathBuf::from);
                findings.extend(found.iter().map(|error| failure(&place(error), error)));
            }
            Err(error) if error.code() == Code::Busy => unchecked = Some(error),
            Err(error) => return Err(error),
        }
    }
    Ok(Checked { findings, unchecked })
}

/// The table that an index or a memo file is of, by its name; any other path as it is.
///
/// Errors: `NotThisFormat` for one without a table of its name.
pub(crate) fn table_of(fs: &dyn FileSystem, path: PathBuf) -> Result<PathBuf> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let (what, hint) = match extension.as_str() {
        "cdx" | "idx" | "ntx" | "adi" => {
            ("an index file", "check its folder: index files are checked with the table that their keys are of")
        }
        "fpt" | "dbt" | "smt" | "adm" => ("a memo file", "check its folder, or the table that it belongs to"),
        _ => return Ok(path),
    };
    if fs.is_folder(&path) {
        return Ok(path);
    }
    fs.stamp(&path)?;
    let tables: &[&str] = if matches!(extension.as_str(), "adm" | "adi") { &["adt"] } else { &["dbf"] };
    table::sibling(fs, &path, tables).ok_or_else(|| {
        let message = format!("{what}, and there is no table of its name beside it");
        Error::new(Code::NotThisFormat, message).at(path.display()).hint(hint)
    })
}

fn failure(path: &Path, error: &Error) -> Finding {
    let message = error.message().to_owned();
    Finding { severity: Severity::Error, path: path.to_owned(), place: String::new(), message }
}

fn check_csv(fs: &Arc<dyn FileSystem>, name: &str, file: &TableFile, options: CsvOptions) -> Vec<Finding> {
    let cache = VectorCache::new(CACHE_BYTES);
    match CsvTable::open(Arc::clone(fs), &file.path, name, cache, options) {
        Err(error) => vec![failure(&file.path, &error)],
        Ok(table) => table.findings().into_iter().map(csv_finding).collect(),
    }
}

fn csv_finding(finding: mainstay_csv::Finding) -> Finding {
    let severity = match finding.severity {
        mainstay_csv::Severity::Warning => Severity::Warning,
        mainstay_csv::Severity::Error => Severity::Error,
    };
    Finding { severity, place: finding.place(), path: finding.path, message: finding.message }
}

/// Reads every row of Parquet files: their pages carry checksums and lengths that only reading tests. What they say of their
/// columns is compared with the values, and that of the files of a folder with each other.
fn check_parquet(fs: &dyn FileSystem, file: &TableFile) -> Result<Vec<Finding>> {
    let paths: Vec<PathBuf> = match fs.is_folder(&file.path) {
        true => folder::parquet_files(fs, &file.path)?.into_iter().map(|(path, _)| path).collect(),
        false => vec![file.path.clone()],
    };
    let settings =
        Settings { memory_limit_bytes: CACHE_BYTES as usize, threads: 1, fuse: true, disabled_rules: Vec::new() };
    let planner = Planner::new(&settings)?;
    let read = |path: &Path| -> Result<()> {
        let bytes = fs.stamp(path)?.len;
        if bytes == 0 {
            return Err(Error::new(Code::Damaged, "the file is empty"));
        }
        let provider = open_parquet(path, &[], bytes)?;
        let mut answer = planner.run_scan(provider)?;
        while answer.next_batch()?.is_some() {}
        Ok(())
    };
    let mut findings = Vec::new();
    for path in &paths {
        let found = match read(path) {
            Ok(()) => parquet_findings(path).into_iter().map(|message| Error::new(Code::Damaged, message)).collect(),
            Err(error) if error.code() == Code::Cancelled => Vec::new(),
            Err(error) => vec![error],
        };
        findings.extend(found.iter().map(|error| failure(path, error)));
    }
    // Files that are whole may still be no table together: other types of a column, other columns in the folders' names.
    if findings.is_empty() && fs.is_folder(&file.path) {
        let opened = open_parquet(&file.path, &paths, 0);
        findings.extend(opened.err().map(|error| {
            let path = error.place().map_or_else(|| file.path.clone(), PathBuf::from);
            failure(&path, &error)
        }));
    }
    Ok(findings)
}
