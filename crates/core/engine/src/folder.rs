//! The tables of a folder, by the names of its files.
//!
//! A table has the name of its file without the extension, in lower case. If two files would have the same name, a DBF
//! comes first, then an ADT, and the others add their extension: `orders` and `orders_csv`. A sub-folder of Parquet
//! files, or of sub-folders whose names define columns (`year=2026`), is one table.

use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, Stamp};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many folders of a table may be within each other.
const MOST_FOLDERS: usize = 16;

/// The kinds of files that are tables, in the order in which they claim a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Dbf,
    Adt,
    Csv,
    Parquet,
}

impl Kind {
    /// Tables that are read and written by `mainstay-xbase`.
    pub(crate) fn is_xbase(self) -> bool {
        matches!(self, Kind::Dbf | Kind::Adt)
    }
}

/// A file (or folder of files) that is a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFile {
    pub(crate) kind: Kind,
    pub(crate) path: PathBuf,
}

/// The contents of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// Tables by name.
    pub(crate) tables: BTreeMap<String, TableFile>,
    /// Index files.
    pub(crate) indexes: Vec<PathBuf>,
}

/// The kind of table that a file of this name is.
pub(crate) fn kind_of(path: &Path) -> Option<Kind> {
    match extension(path).as_str() {
        "dbf" => Some(Kind::Dbf),
        "adt" => Some(Kind::Adt),
        "csv" | "tsv" => Some(Kind::Csv),
        "parquet" => Some(Kind::Parquet),
        _ => None,
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The name that a table of this file has.
pub(crate) fn table_name(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Lists a folder, or the folder of a file with only that file's table.
pub(crate) fn list(fs: &dyn FileSystem, path: &Path) -> Result<Listing> {
    if fs.is_folder(path) {
        return list_folder(fs, path);
    }
    fs.stamp(path)?;
    let Some(kind) = kind_of(path) else {
        let error = Error::new(Code::NotThisFormat, "not a file that is a table").at(path.display());
        return Err(error.hint("tables are .dbf, .adt, .csv, .tsv and .parquet files"));
    };
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let all = list_folder(fs, folder)?;
    let table = TableFile { kind, path: path.to_owned() };
    Ok(Listing { tables: BTreeMap::from([(table_name(path), table)]), indexes: all.indexes })
}

fn list_folder(fs: &dyn FileSystem, folder: &Path) -> Result<Listing> {
    let mut listing = Listing::default();
    let mut found = Vec::new();
    for entry in fs.list(folder)? {
        let is_hidden = entry.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        }
        if entry.is_folder {
            if parquet_files(fs, &entry.path).is_ok_and(|files| !files.is_empty()) {
                found.push(TableFile { kind: Kind::Parquet, path: entry.path });
            }
        } else if let Some(kind) = kind_of(&entry.path) {
            found.push(TableFile { kind, path: entry.path });
        } else if matches!(extension(&entry.path).as_str(), "cdx" | "idx" | "ntx") {
            listing.indexes.push(entry.path);
        }
    }
    found.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
    for table in found {
        let mut name = table_name(&table.path);
        if listing.tables.contains_key(&name) {
            name = format!("{name}_{}", extension(&table.path));
        }
        listing.tables.entry(name).or_insert(table);
    }
    Ok(listing)
}

/// The Parquet files of a folder with their stamps, and those of its sub-folders whose names say a column: `year=2026`.
pub(crate) fn parquet_files(fs: &dyn FileSystem, folder: &Path) -> Result<Vec<(PathBuf, Stamp)>> {
    let mut files = Vec::new();
    add_parquet_files(fs, folder, 0, &mut files)?;
    Ok(files)
}

fn add_parquet_files(fs: &dyn FileSystem, folder: &Path, depth: usize, to: &mut Vec<(PathBuf, Stamp)>) -> Result<()> {
    for entry in fs.list(folder)? {
        let says_column = || entry.path.file_name().is_some_and(|name| name.to_string_lossy().contains('='));
        if entry.is_folder && depth < MOST_FOLDERS && says_column() {
            add_parquet_files(fs, &entry.path, depth + 1, to)?;
        } else if !entry.is_folder && extension(&entry.path) == "parquet" {
            let stamp = fs.stamp(&entry.path)?;
            to.push((entry.path, stamp));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::Memory;

    #[test]
    fn names_come_from_files_and_dbf_comes_first() {
        let fs = Memory::new();
        for file in [
            "ORDERS.DBF",
            "orders.csv",
            "orders.adt",
            "orders.cdx",
            "history/a.parquet",
            "sales/year=2026/month=1/a.parquet",
            "deep/below/a.parquet",
            ".hidden.csv",
            "notes/x.txt",
        ] {
            fs.write(Path::new("shop").join(file), b"".to_vec());
        }
        let listing = list(&fs, Path::new("shop")).unwrap();
        let names: Vec<&str> = listing.tables.keys().map(String::as_str).collect();
        assert_eq!(names, ["history", "orders", "orders_adt", "orders_csv", "sales"]);
        assert_eq!(listing.tables["orders"].kind, Kind::Dbf);
        assert_eq!(listing.indexes, [Path::new("shop/orders.cdx")]);
        assert_eq!(list(&fs, Path::new("shop/notes/x.txt")).unwrap_err().code(), Code::NotThisFormat);
        assert_eq!(list(&fs, Path::new("shop/orders.csv")).unwrap().tables.len(), 1);
    }
}
