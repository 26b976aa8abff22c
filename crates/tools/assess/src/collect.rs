//! The files below the given paths, sorted by what they are.
//!
//! The extension says what a file is. Hidden files and folders, and those that Mainstay and version control keep for themselves,
//! are left out. A link is followed once.

use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Folders within each other that are looked at.
const DEEPEST: usize = 32;
/// Files that are looked at: beyond that a folder is none of an application.
const MOST_FILES: usize = 1_000_000;

/// Folders of build results and of packages.
const PASSED_OVER: [&str; 3] = ["node_modules", "bin", "obj"];

/// Files by kind, each in the order of the paths.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// Files that are tables.
    pub(crate) tables: BTreeSet<PathBuf>,
    /// Index files by their folders.
    pub(crate) indexes: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// Scripts of SQL.
    pub(crate) scripts: BTreeSet<PathBuf>,
    /// Programs in Business BASIC.
    pub(crate) programs: BTreeSet<PathBuf>,
    /// SQL Server project files and packages.
    pub(crate) projects: BTreeSet<PathBuf>,
    /// Data dictionaries and database containers.
    pub(crate) dictionaries: BTreeSet<PathBuf>,
    /// Files whose kind has a line in the report and no more, by their extension.
    pub(crate) others: BTreeMap<String, u64>,
    /// Files and folders that could not be read, with the reason.
    pub(crate) unread: Vec<(PathBuf, String)>,
    folders: HashSet<PathBuf>,
    files: usize,
}

impl Collected {
    /// Adds a file, or all files below a folder.
    ///
    /// Errors: the path does not exist.
    pub(crate) fn add(&mut self, fs: &dyn FileSystem, path: &Path) -> Result<()> {
        if fs.is_folder(path) {
            self.add_folder(fs, path, DEEPEST);
            return Ok(());
        }
        fs.stamp(path).map_err(|error| error.at(path.display()))?;
        self.add_file(path);
        // An index of the table may lie beside it.
        if self.tables.contains(path)
            && let Some(folder) = path.parent()
        {
            let beside = fs.list(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
            for entry in beside.unwrap_or_default() {
                if !entry.is_folder && matches!(extension(&entry.path).as_str(), "cdx" | "idx" | "ntx") {
                    self.add_file(&entry.path);
                }
            }
        }
        Ok(())
    }

    fn add_folder(&mut self, fs: &dyn FileSystem, folder: &Path, depth: usize) {
        let real = match fs.real_path(folder) {
            Ok(real) => real,
            Err(error) => return self.unread.push((folder.to_owned(), error.message().to_owned())),
        };
        if !self.folders.insert(real) {
            return;
        }
        if depth == 0 {
            return self.unread.push((folder.to_owned(), "folders are nested too deeply".to_owned()));
        }
        let entries = match fs.list(folder) {
            Ok(entries) => entries,
            Err(error) => return self.unread.push((folder.to_owned(), error.message().to_owned())),
        };
        for entry in entries {
            let name = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match entry.is_folder {
                _ if name.starts_with('.') => {}
                true if PASSED_OVER.contains(&name.as_str()) => {}
                // It may lead anywhere on the machine.
                true if fs.is_link(&entry.path) => {
                    let reason = "a symbolic link to a folder, which is not followed: name the folder itself";
                    self.unread.push((entry.path, reason.to_owned()));
                }
                true => self.add_folder(fs, &entry.path, depth - 1),
                false => self.add_file(&entry.path),
            }
        }
    }

    /// Adds a file that a project names.
    pub(crate) fn add_script(&mut self, path: PathBuf) {
        self.scripts.insert(path);
    }

    fn add_file(&mut self, path: &Path) {
        self.files += 1;
        if self.files > MOST_FILES {
            if self.files == MOST_FILES + 1 {
                self.unread.push((path.to_owned(), format!("more than {MOST_FILES} files: this and those behind it")));
            }
            return;
        }
        let (path, extension) = (path.to_owned(), extension(path));
        match extension.as_str() {
            "dbf" | "adt" | "csv" | "tsv" | "parquet" => drop(self.tables.insert(path)),
            "cdx" | "idx" | "ntx" | "adi" => {
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                let list = self.indexes.entry(folder).or_default();
                if !list.contains(&path) {
                    list.push(path);
                }
            }
            "sql" | "spl" | "prc" | "tab" | "viw" | "trg" | "udf" => drop(self.scripts.insert(path)),
            "bas" | "pxp" | "pvx" => drop(self.programs.insert(path)),
            "sqlproj" | "dacpac" => drop(self.projects.insert(path)),
            "dbc" | "add" => drop(self.dictionaries.insert(path)),
            "mdx" | "ndx" | "prg" | "fxp" | "scx" | "vcx" | "frx" | "mnx" | "mdf" | "ldf" | "ndf" | "bak"
            | "bacpac" | "xls" | "xlsx" | "mdb" | "accdb" => *self.others.entry(extension).or_default() += 1,
            _ => {}
        }
    }
}

/// The extension in lower case; empty where there is none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The content of a file.
///
/// Errors: a sentence: it cannot be read, or is too large to be assessed.
pub(crate) fn content(fs: &dyn FileSystem, path: &Path) -> std::result::Result<Vec<u8>, String> {
    let bytes = fs.stamp(path).map_err(|error| error.message().to_owned())?.len;
    if bytes > crate::MOST_BYTES {
        return Err(format!("{bytes} bytes are too many to be assessed (at most {})", crate::MOST_BYTES));
    }
    fs.read(path).map_err(|error| error.message().to_owned())
}
