//! The files below the given paths, sorted by what they are.
//!
//! The extension says what a file is; a file that is named with another one is a script if the dialect of scripts is given.
//! Hidden files and folders, and those of build results and packages, are left out. A link to a file is followed, one to a folder
//! is not. A file that is reached by several paths is taken once, under the first of them; a link whose extension says
//! something else than that of its target does not stand for it.

use crate::Dialect;
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Folders within each other that are looked at.
const DEEPEST: usize = 32;
/// Files that are looked at: beyond that a folder is none of an application.
const MOST_FILES: usize = 1_000_000;

/// The reason for which a pipe or a device is not read.
pub(crate) const NO_FILE: &str = "not a regular file: a pipe, a socket or a device is not read";
/// The reason for which a named file is not read.
const UNKNOWN: &str = "its extension is not known: it is assessed as a script if a dialect is given";

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
    /// Files that were added, by their real paths, and the kinds that their names say.
    known: HashSet<(Kind, PathBuf)>,
    /// Folders that were added, by their real paths.
    known_folders: HashSet<PathBuf>,
    files: usize,
}

impl Collected {
    /// Adds a file, or all files below a folder. A file whose extension says nothing is in the dialect of scripts, if that is
    /// given.
    ///
    /// Errors: the path does not exist.
    pub(crate) fn add(&mut self, fs: &dyn FileSystem, path: &Path, dialect: Option<Dialect>) -> Result<()> {
        if fs.is_folder(path) {
            self.add_folder(fs, path, DEEPEST);
            return Ok(());
        }
        fs.stamp(path).map_err(|error| error.at(path.display()))?;
        if fs.is_pipe_or_device(path) {
            self.unread.push((path.to_owned(), NO_FILE.to_owned()));
            return Ok(());
        }
        if !self.add_file(fs, path) {
            match dialect {
                Some(Dialect::Basic) => self.add_as(fs, Kind::Program, path),
                Some(_) => self.add_as(fs, Kind::Script, path),
                None if self.is_new(fs, Kind::Other, path) => self.unread.push((path.to_owned(), UNKNOWN.to_owned())),
                None => {}
            }
        }
        // An index of the table may lie beside it.
        if self.tables.contains(path)
            && let Some(folder) = path.parent()
        {
            let beside = fs.list(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
            for entry in beside.unwrap_or_default() {
                if !entry.is_folder && Kind::of(&extension(&entry.path)) == Some(Kind::Index) {
                    self.add_file(fs, &entry.path);
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
        if !self.known_folders.insert(real) {
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
                false => drop(self.add_file(fs, &entry.path)),
            }
        }
    }

    /// Adds a file that a project names.
    pub(crate) fn add_script(&mut self, fs: &dyn FileSystem, path: PathBuf) {
        self.add_as(fs, Kind::Script, &path);
    }

    /// Returns true if no path to this file was added as this kind before.
    fn is_new(&mut self, fs: &dyn FileSystem, kind: Kind, path: &Path) -> bool {
        let real = fs.real_path(path).unwrap_or_else(|_| path.to_owned());
        self.known.insert((kind, real))
    }

    /// Adds a file by its extension. Returns false if that is not known.
    fn add_file(&mut self, fs: &dyn FileSystem, path: &Path) -> bool {
        self.files += 1;
        if self.files > MOST_FILES {
            if self.files == MOST_FILES + 1 {
                self.unread.push((path.to_owned(), format!("more than {MOST_FILES} files: this and those behind it")));
            }
            return true;
        }
        let Some(kind) = Kind::of(&extension(path)) else { return false };
        self.add_as(fs, kind, path);
        true
    }

    /// Adds a file as one of this kind, unless it is known as such.
    fn add_as(&mut self, fs: &dyn FileSystem, kind: Kind, path: &Path) {
        if !self.is_new(fs, kind, path) {
            return;
        }
        let path = path.to_owned();
        match kind {
            Kind::Table => drop(self.tables.insert(path)),
            Kind::Index => {
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                self.indexes.entry(folder).or_default().push(path);
            }
            Kind::Script => drop(self.scripts.insert(path)),
            Kind::Program => drop(self.programs.insert(path)),
            Kind::Project => drop(self.projects.insert(path)),
            Kind::Dictionary => drop(self.dictionaries.insert(path)),
            Kind::Other => *self.others.entry(extension(&path)).or_default() += 1,
        }
    }
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Kind {
    Table,
    Index,
    Script,
    Program,
    Project,
    Dictionary,
    /// Its files are counted, or named as unread.
    Other,
}

impl Kind {
    /// The kind of files with an extension in lower case; `None` where it is not known.
    fn of(extension: &str) -> Option<Kind> {
        Some(match extension {
            "dbf" | "adt" | "csv" | "tsv" | "parquet" => Kind::Table,
            "cdx" | "idx" | "ntx" | "adi" => Kind::Index,
            "sql" | "spl" | "prc" | "tab" | "viw" | "trg" | "udf" => Kind::Script,
            "bas" | "pxp" | "pvx" => Kind::Program,
            "sqlproj" | "dacpac" => Kind::Project,
            "dbc" | "add" => Kind::Dictionary,
            "mdx" | "ndx" | "prg" | "fxp" | "scx" | "vcx" | "frx" | "mnx" | "mdf" | "ldf" | "ndf" | "bak"
            | "bacpac" | "xls" | "xlsx" | "mdb" | "accdb" => Kind::Other,
            _ => return None,
        })
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
