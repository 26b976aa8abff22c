//! `mainstay check`: finds damage in files, with its place.

use crate::folder::{self, Kind, TableFile};
use crate::native::STORE_FOLDER;
use crate::options::{FolderSettings, Options, unknown_tables};
use mainstay_columnar::{Table as _, VectorCache};
use mainstay_csv::{CsvOptions, CsvTable};
use mainstay_planner::{Planner, Settings, open_parquet, parquet_findings};
use mainstay_store::Store;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::adt::RecordLayout;
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{Dbf, OpenOptions};
use mainstay_xbase::indexed::check_journals;
use mainstay_xbase::{Finding, Severity, table};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Decoded columns that a check may keep.
const CACHE_BYTES: u64 = 64 << 20;

/// Folders within each other that are looked at.
const DEEPEST: usize = 32;

/// The files and rows that a check has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Files: tables, their memos and indexes.
    pub files: u64,
    /// Tables that are files.
    pub tables: u64,
    /// Their rows, deleted records included.
    pub rows: u64,
    /// True if native tables were among what was checked.
    pub native: bool,
}

impl std::ops::AddAssign for Looked {
    fn add_assign(&mut self, other: Looked) {
        self.files += other.files;
        self.tables += other.tables;
        self.rows += other.rows;
        self.native |= other.native;
    }
}

/// The findings of a check, and the error of tables that it could not check.
#[derive(Debug)]
pub struct Checked {
    /// The files and rows that were read.
    pub looked: Looked,
    /// The damage that was found.
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
    let mut looked = Looked { files: files_of(fs.as_ref(), &path, &listing), ..Looked::default() };
    for (name, file) in &listing.tables {
        looked.tables += 1;
        match file.kind {
            Kind::Dbf | Kind::Adt => {
                let options = OpenOptions { code_page: settings.code_page(name) };
                looked.rows += records_of(fs.as_ref(), &file.path, options);
                // An index file may be looked at for several tables; what is wrong with it is said once.
                for finding in table::check(&fs, &file.path, options, &listing.indexes) {
                    if !findings.contains(&finding) {
                        findings.push(finding);
                    }
                }
            }
            Kind::Csv => {
                let (found, rows) = check_csv(&fs, name, file, settings.csv(name));
                findings.extend(found);
                looked.rows += rows;
            }
            Kind::Parquet => {
                let (found, rows) = check_parquet(fs.as_ref(), file)?;
                findings.extend(found);
                looked.rows += rows;
            }
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
    if fs.is_folder(&path) {
        let known: Vec<String> = listing.tables.keys().cloned().collect();
        let warnings = unknown_tables(fs.as_ref(), folder, &known)?;
        findings.extend(warnings.iter().map(|warning| {
            let path = warning.place().map_or_else(|| folder.to_owned(), PathBuf::from);
            Finding { severity: Severity::Warning, ..failure(&path, warning) }
        }));
    }
    let mut unchecked = None;
    if fs.is_folder(&path) && fs.is_folder(&store) {
        match Store::check(Arc::clone(&fs), &store) {
            Ok(found) => {
                looked.native = true;
                let place = |error: &Error| error.place().map_or_else(|| store.clone(), PathBuf::from);
                findings.extend(found.iter().map(|error| failure(&place(error), error)));
            }
            Err(error) if error.code() == Code::Busy => unchecked = Some(error),
            Err(error) => return Err(error),
        }
    }
    Ok(Checked { looked, findings, unchecked })
}

/// The code page and the CSV options that the settings of its folder give for the table of a file.
///
/// Errors: those of reading the settings.
pub fn file_settings(path: &Path, options: &Options) -> Result<(Option<CodePage>, CsvOptions)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let settings = FolderSettings::read(&Disk, folder, options)?.files;
    let name = folder::table_name(path);
    Ok((settings.code_page(&name), settings.csv(&name)))
}

/// The folders below one, down to the last, that have files of tables; hidden ones, and those that are a table themselves,
/// are left out. A link is followed once.
///
/// Errors: those of reading the folder itself; one below it that cannot be read has no tables.
pub fn folders_with_tables(folder: &Path) -> Result<Vec<PathBuf>> {
    let (fs, folder) = (Disk, std::path::absolute(folder)?);
    let mut seen = HashSet::from([fs.real_path(&folder)?]);
    let mut found = Vec::new();
    add_folders(&fs, &folder, DEEPEST, &mut seen, &mut found)?;
    Ok(found)
}

fn add_folders(
    fs: &Disk,
    folder: &Path,
    depth: usize,
    seen: &mut HashSet<PathBuf>,
    found: &mut Vec<PathBuf>,
) -> Result<()> {
    let mut entries = fs.list(folder)?;
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    for entry in entries.into_iter().filter(|entry| entry.is_folder) {
        let is_hidden = entry.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_table = || folder::parquet_files(fs, &entry.path).is_ok_and(|files| !files.is_empty());
        let mut is_new = || fs.real_path(&entry.path).is_ok_and(|path| seen.insert(path));
        if is_hidden || depth == 0 || !is_new() || is_table() {
            continue;
        }
        let listing = folder::list(fs, &entry.path).unwrap_or_default();
        if !listing.tables.is_empty() || !listing.indexes.is_empty() {
            found.push(entry.path.clone());
        }
        // A folder below that may not be read is not a reason to leave out the others.
        let _ = add_folders(fs, &entry.path, depth - 1, seen, found);
    }
    Ok(())
}

/// How many files tables are made of: their own, their memos and indexes.
fn files_of(fs: &dyn FileSystem, path: &Path, listing: &folder::Listing) -> u64 {
    let has_memo = |table: &TableFile, layout: RecordLayout| {
        u64::from(table::sibling(fs, &table.path, layout.memo_extensions()).is_some())
    };
    let files = |table: &TableFile| match table.kind {
        Kind::Dbf => 1 + has_memo(table, RecordLayout::Dbf),
        Kind::Adt => 1 + has_memo(table, RecordLayout::Adt),
        Kind::Parquet => folder::parquet_files(fs, &table.path).map_or(1, |files| (files.len() as u64).max(1)),
        Kind::Csv => 1,
    };
    let indexes = if fs.is_folder(path) { listing.indexes.len() as u64 } else { 0 };
    listing.tables.values().map(files).sum::<u64>() + indexes
}

/// The records of a DBF; none of one that cannot be read, which is a finding.
fn records_of(fs: &dyn FileSystem, path: &Path, options: OpenOptions) -> u64 {
    let count = || -> Result<u64> {
        let file = fs.open(path)?;
        let length = file.stamp()?.len;
        Ok(Dbf::open(file, options)?.record_count(length))
    };
    count().unwrap_or(0)
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
    Finding::new(Severity::Error, path, "", error.message())
}

fn check_csv(fs: &Arc<dyn FileSystem>, name: &str, file: &TableFile, options: CsvOptions) -> (Vec<Finding>, u64) {
    let cache = VectorCache::new(CACHE_BYTES);
    match CsvTable::open(Arc::clone(fs), &file.path, name, cache, options) {
        Err(error) => (vec![failure(&file.path, &error)], 0),
        Ok(table) => {
            let rows = table.snapshot().and_then(|snapshot| snapshot.visible_rows()).unwrap_or(0);
            (table.findings().into_iter().map(csv_finding).collect(), rows as u64)
        }
    }
}

fn csv_finding(finding: mainstay_csv::Finding) -> Finding {
    let severity = match finding.severity {
        mainstay_csv::Severity::Warning => Severity::Warning,
        mainstay_csv::Severity::Error => Severity::Error,
    };
    Finding::new(severity, &finding.path, finding.place(), finding.message.as_str())
}

/// Reads every row of Parquet files: their pages carry checksums and lengths that only reading tests. What they say of their
/// columns is compared with the values, and that of the files of a folder with each other.
fn check_parquet(fs: &dyn FileSystem, file: &TableFile) -> Result<(Vec<Finding>, u64)> {
    let mut rows = 0;
    let paths: Vec<PathBuf> = match fs.is_folder(&file.path) {
        true => folder::parquet_files(fs, &file.path)?.into_iter().map(|(path, _)| path).collect(),
        false => vec![file.path.clone()],
    };
    let settings =
        Settings { memory_limit_bytes: CACHE_BYTES as usize, threads: 1, fuse: true, disabled_rules: Vec::new() };
    let planner = Planner::new(&settings)?;
    let mut read = |path: &Path| -> Result<()> {
        let bytes = fs.stamp(path)?.len;
        if bytes == 0 {
            return Err(Error::new(Code::Damaged, "the file is empty"));
        }
        let provider = open_parquet(path, &[], bytes, None)?;
        let mut answer = planner.run_scan(provider)?;
        while let Some(batch) = answer.next_batch()? {
            rows += batch.num_rows() as u64;
        }
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
        let opened = open_parquet(&file.path, &paths, 0, None);
        findings.extend(opened.err().map(|error| {
            let path = error.place().map_or_else(|| file.path.clone(), PathBuf::from);
            failure(&path, &error)
        }));
    }
    Ok((findings, rows))
}
