//! Contents of a backup, for taking, listing and restoring.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The kinds of files of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A DBF table.
    Dbf,
    /// An Advantage table.
    Adt,
    /// The memos of one.
    Memo,
    /// Indexes of one.
    Index,
    /// A CSV file.
    Csv,
    /// A Parquet file.
    Parquet,
    /// A file of `procedures`, or a program.
    Program,
    /// `mainstay.toml`.
    Settings,
    /// All native tables.
    Native,
    /// Any other file.
    Other,
}

impl FileKind {
    /// The kind of a file by its path in the folder.
    pub fn of(path: &Path) -> FileKind {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref().unwrap_or_default() {
            "dbf" => FileKind::Dbf,
            "adt" => FileKind::Adt,
            "fpt" | "dbt" | "smt" | "adm" => FileKind::Memo,
            "cdx" | "idx" | "ntx" | "mdx" | "ndx" | "adi" => FileKind::Index,
            "csv" | "tsv" => FileKind::Csv,
            "parquet" => FileKind::Parquet,
            "sql" | "bas" | "pxp" | "pvx" => FileKind::Program,
            "toml" if path == Path::new("mainstay.toml") => FileKind::Settings,
            _ => FileKind::Other,
        }
    }

    /// True for tables that a backup locks while it copies their last changes.
    pub(crate) fn is_locked(self) -> bool {
        matches!(self, FileKind::Dbf | FileKind::Adt)
    }

    /// The noun for so many files of the kind.
    fn noun(self, count: usize) -> &'static str {
        let (one, many) = match self {
            FileKind::Dbf => ("DBF table", "DBF tables"),
            FileKind::Adt => ("ADT table", "ADT tables"),
            FileKind::Memo => ("memo file", "memo files"),
            FileKind::Index => ("index file", "index files"),
            FileKind::Csv => ("CSV file", "CSV files"),
            FileKind::Parquet => ("Parquet file", "Parquet files"),
            FileKind::Program => ("procedure or program", "procedures and programs"),
            FileKind::Settings => ("settings file", "settings files"),
            FileKind::Native => ("native table", "native tables"),
            FileKind::Other => ("other file", "other files"),
        };
        if count == 1 { one } else { many }
    }
}

/// A file in a backup, or the native tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackedUp {
    /// The path below the folder; `.mainstay` for the native tables.
    pub path: PathBuf,
    /// The kind.
    pub kind: FileKind,
    /// The length in bytes; of native tables that of their part of the backup.
    pub bytes: u64,
    /// The time of the last change; of native tables that of the backup.
    pub modified: SystemTime,
}

/// The contents of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The name of the folder that it was taken of.
    pub database: String,
    /// The time when it was begun.
    pub begun: SystemTime,
    /// The version of the program that took it.
    pub program: String,
    /// The format's version: 1 has native tables only.
    pub version: u32,
    /// The files in the order of their paths, the native tables first.
    pub files: Vec<BackedUp>,
    /// How many native tables there are.
    pub native_tables: u64,
    /// The length of the backup in bytes.
    pub bytes: u64,
}

/// A backup that was taken: its contents, and remarks for the person who asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The contents.
    pub contents: Contents,
    /// Files that could not be locked, and those that were left out, each with the reason.
    pub remarks: Vec<String>,
}

impl fmt::Display for Contents {
    /// `2 DBF tables, 1 memo file, 3 native tables (1234 bytes)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts: BTreeMap<FileKind, usize> = BTreeMap::new();
        for file in self.files.iter().filter(|file| file.kind != FileKind::Native) {
            *counts.entry(file.kind).or_default() += 1;
        }
        if self.files.iter().any(|file| file.kind == FileKind::Native) {
            counts.insert(FileKind::Native, usize::try_from(self.native_tables).unwrap_or(usize::MAX));
        }
        let parts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {}", kind.noun(*count))).collect();
        let parts = if parts.is_empty() { "no files".to_owned() } else { parts.join(", ") };
        write!(f, "{parts} ({} bytes)", self.files.iter().map(|file| file.bytes).sum::<u64>())
    }
}
