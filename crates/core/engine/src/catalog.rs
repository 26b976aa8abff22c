//! The tables of a folder, opened when they are first named.

use crate::dbf::FileTable;
use crate::folder::{self, Kind, Listing, TableFile};
use crate::native::{Native, Scope, SessionCatalog};
use crate::options::FileSettings;
use crate::writable::WritableTable;
use mainstay_columnar::{Table, VectorCache};
use mainstay_csv::CsvTable;
use mainstay_planner::{FileReading, Name, Planned, Planner, Relation, Visibility, open_parquet};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, Stamp};
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::table::DbfTable;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The tables of a folder.
pub(crate) struct FolderCatalog {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    cache: VectorCache,
    settings: FileSettings,
    planner: Arc<Planner>,
    pub(crate) native: Native,
    version: AtomicU64,
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    listing: Listing,
    /// Files from elsewhere that were given a name.
    attached: HashMap<String, TableFile>,
    open: HashMap<String, OpenTable>,
    /// Tables of further storages.
    added: HashMap<String, Arc<dyn WritableTable>>,
}

/// A table that is open.
#[derive(Clone)]
pub(crate) enum OpenTable {
    Dbf(Arc<DbfTable>),
    Csv(Arc<CsvTable>),
    Parquet(ParquetFiles),
}

/// Parquet files, with the state in which they were opened.
#[derive(Clone)]
pub(crate) struct ParquetFiles {
    relation: Relation,
    stamps: Vec<(PathBuf, Stamp)>,
}

impl ParquetFiles {
    /// As many rows as the files say that they have, if all say it.
    pub(crate) fn rows(&self) -> Option<u64> {
        mainstay_planner::parquet_rows(self.stamps.iter().map(|(path, _)| path.as_path()))
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.stamps.iter().map(|(_, stamp)| stamp.len).sum()
    }
}

impl OpenTable {
    /// The table for statements that change it; `None` for files that are only read.
    pub(crate) fn writable(&self) -> Option<Arc<dyn WritableTable>> {
        match self {
            OpenTable::Dbf(table) => Some(Arc::new(FileTable(Arc::clone(table)))),
            OpenTable::Csv(_) | OpenTable::Parquet(_) => None,
        }
    }

    pub(crate) fn relation(&self) -> Relation {
        match self {
            OpenTable::Dbf(table) => Relation::Table(Arc::clone(table) as Arc<dyn Table>),
            OpenTable::Csv(table) => Relation::Table(Arc::clone(table) as Arc<dyn Table>),
            OpenTable::Parquet(files) => files.relation.clone(),
        }
    }
}

impl FolderCatalog {
    pub(crate) fn open(
        fs: Arc<dyn FileSystem>,
        path: &Path,
        cache: VectorCache,
        settings: FileSettings,
        planner: Arc<Planner>,
        native: Native,
    ) -> Result<FolderCatalog> {
        let listing = folder::list(fs.as_ref(), path)?;
        let tables = Mutex::new(Tables { listing, ..Tables::default() });
        let version = AtomicU64::new(0);
        Ok(FolderCatalog { fs, path: path.to_owned(), cache, settings, planner, native, version, tables })
    }

    /// Gives a file from anywhere a name in this database.
    pub(crate) fn attach(&self, path: &Path, name: &str) -> Result<()> {
        self.fs.stamp(path)?;
        let Some(kind) = folder::kind_of(path) else {
            return Err(Error::new(Code::NotThisFormat, "not a file that is a table").at(path.display()));
        };
        let name = name.to_lowercase();
        let mut tables = self.lock();
        tables.open.remove(&name);
        tables.attached.insert(name, TableFile { kind, path: path.to_owned() });
        self.version.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Takes such a name away again.
    pub(crate) fn detach(&self, name: &str) {
        let name = name.to_lowercase();
        let mut tables = self.lock();
        tables.open.remove(&name);
        tables.attached.remove(&name);
        self.version.fetch_add(1, Ordering::Relaxed);
    }

    /// Looks at the folder again, and opens every table anew when it is next named.
    pub(crate) fn refresh(&self) -> Result<()> {
        let mut tables = self.lock();
        tables.listing = folder::list(self.fs.as_ref(), &self.path)?;
        tables.open.clear();
        self.version.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The folder that new files are made in.
    ///
    /// Errors: `Unsupported` for a database that is a single file.
    pub(crate) fn folder(&self) -> Result<&Path> {
        match self.fs.is_folder(&self.path) {
            true => Ok(&self.path),
            false => Err(Error::new(Code::Unsupported, "the database is a single file: no other is made beside it")),
        }
    }

    /// The folder or file that was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file_system(&self) -> &Arc<dyn FileSystem> {
        &self.fs
    }

    /// Adds a table of a further storage, under its name.
    ///
    /// Errors: `Unsupported` for one that queries cannot read; `Duplicate`.
    pub(crate) fn add(&self, table: Arc<dyn WritableTable>) -> Result<()> {
        let unread = || Error::new(Code::Unsupported, "a table that is added can be read by queries");
        let name = table.as_read().ok_or_else(unread)?.name().to_lowercase();
        let mut tables = self.lock();
        if tables.file(&name).is_some() || tables.added.contains_key(&name) {
            return Err(Error::new(Code::Duplicate, format!("there is a table {name} already")).about(name));
        }
        tables.added.insert(name, table);
        self.version.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn added(&self, key: &str) -> Option<Arc<dyn WritableTable>> {
        self.lock().added.get(key).cloned()
    }

    /// The table of this name, to change it; `None` when no file and no table that was added has the name.
    ///
    /// Errors: `ReadOnly` for files that are only read, and those of opening it.
    pub(crate) fn writable(&self, name: &Name, key: &str) -> Result<Option<Arc<dyn WritableTable>>> {
        if let Some(added) = self.added(key) {
            return Ok(Some(added));
        }
        let Some((file, open)) = self.table(key)? else { return Ok(None) };
        let read_only = || {
            let kind = if file.kind == Kind::Csv { "CSV" } else { "Parquet" };
            let message = format!("{name} cannot be changed: {kind} files are only read");
            Error::new(Code::ReadOnly, message).at(file.path.display())
        };
        open.writable().ok_or_else(read_only).map(Some)
    }

    /// All tables outside of the store that can be opened and changed.
    ///
    /// Errors: those of looking at the folder.
    pub(crate) fn writable_files(&self) -> Result<Vec<Arc<dyn WritableTable>>> {
        let (names, added): (Vec<String>, Vec<_>) = {
            let mut tables = self.lock();
            self.relist(&mut tables)?;
            let all = tables.listing.tables.iter().chain(&tables.attached);
            // Opening a file that is only read may mean reading all of it.
            let names = all.filter(|(_, file)| file.kind.is_xbase()).map(|(name, _)| name.clone()).collect();
            (names, tables.added.values().cloned().collect())
        };
        let open = |name: &String| self.table(name).ok().flatten().and_then(|(_, open)| open.writable());
        Ok(names.iter().filter_map(open).chain(added).collect())
    }

    /// The names of the tables that are files, after a look at the folder.
    pub(crate) fn file_names(&self) -> Result<Vec<String>> {
        let mut tables = self.lock();
        self.relist(&mut tables)?;
        let mut names: Vec<String> = tables.listing.tables.keys().chain(tables.attached.keys()).cloned().collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The file of the folder that is the table of this name, after a look at the folder.
    pub(crate) fn file_named(&self, name: &str) -> Result<Option<PathBuf>> {
        let mut tables = self.lock();
        self.relist(&mut tables)?;
        Ok(tables.listing.tables.get(name).map(|file| file.path.clone()))
    }

    /// The names of all tables, after a look at the folder.
    pub(crate) fn table_names(&self) -> Result<Vec<String>> {
        let mut tables = self.lock();
        self.relist(&mut tables)?;
        let mut names: Vec<String> = tables.listing.tables.keys().chain(tables.attached.keys()).cloned().collect();
        names.extend(self.native.committed().names());
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// The table of this name, open and with the columns that its file has now.
    pub(crate) fn table(&self, name: &str) -> Result<Option<(TableFile, OpenTable)>> {
        let mut tables = self.lock();
        let file = match tables.file(name) {
            Some(file) => file,
            None => {
                self.relist(&mut tables)?;
                match (tables.file(name), tables.named_by_file(name)) {
                    (Some(file), _) => file,
                    (None, Some(table)) => {
                        drop(tables);
                        return self.table(&table);
                    }
                    (None, None) => return Ok(None),
                }
            }
        };
        if let Some(open) = tables.open.get(name)
            && self.is_current(open, &file)
        {
            return Ok(Some((file, open.clone())));
        }
        let replaced = tables.open.contains_key(name);
        let attached = tables.attached.contains_key(name).then(|| self.indexes_beside(&file.path)).transpose()?;
        let open = self.open_table(name, &file, attached.as_ref().unwrap_or(&tables.listing.indexes))?;
        tables.open.insert(name.to_owned(), open.clone());
        if replaced {
            self.version.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Some((file, open)))
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn relist(&self, tables: &mut Tables) -> Result<()> {
        let listing = folder::list(self.fs.as_ref(), &self.path)?;
        if listing != tables.listing {
            // Index files may have come or gone with the tables.
            tables.open.clear();
            tables.listing = listing;
            self.version.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_current(&self, open: &OpenTable, file: &TableFile) -> bool {
        match open {
            OpenTable::Dbf(table) => table.snapshot().is_ok(),
            OpenTable::Csv(table) => table.is_current().unwrap_or(false),
            OpenTable::Parquet(files) => self.parquet_stamps(&file.path).is_ok_and(|stamps| stamps == files.stamps),
        }
    }

    fn parquet_stamps(&self, path: &Path) -> Result<Vec<(PathBuf, Stamp)>> {
        match self.fs.is_folder(path) {
            true => folder::parquet_files(self.fs.as_ref(), path),
            false => Ok(vec![(path.to_owned(), self.fs.stamp(path)?)]),
        }
    }

    /// The index files of the folder that an attached table is in.
    fn indexes_beside(&self, path: &Path) -> Result<Vec<PathBuf>> {
        match path.parent() {
            Some(folder) => Ok(folder::list(self.fs.as_ref(), folder)?.indexes),
            None => Ok(Vec::new()),
        }
    }

    fn open_table(&self, name: &str, file: &TableFile, indexes: &[PathBuf]) -> Result<OpenTable> {
        let fs = Arc::clone(&self.fs);
        Ok(match file.kind {
            Kind::Dbf | Kind::Adt => {
                let options = OpenOptions { code_page: self.settings.code_page(name) };
                let table = DbfTable::open(fs, &file.path, name, options, self.cache.clone(), indexes)?;
                OpenTable::Dbf(Arc::new(table))
            }
            Kind::Csv => {
                let options = self.settings.csv(name);
                OpenTable::Csv(Arc::new(CsvTable::open(fs, &file.path, name, self.cache.clone(), options)?))
            }
            Kind::Parquet => {
                let stamps = self.parquet_stamps(&file.path)?;
                let bytes = stamps.iter().map(|(_, stamp)| stamp.len).sum();
                // DataFusion passes over files without a byte, as if they had no rows.
                if let Some((path, _)) = stamps.iter().find(|(_, stamp)| stamp.len == 0) {
                    return Err(Error::new(Code::Damaged, "the file is empty").at(path.display()));
                }
                let files: Vec<PathBuf> = stamps.iter().map(|(path, _)| path.clone()).collect();
                let opened = open_parquet(&file.path, &files, bytes, Some(&self.cache));
                // Of many files the one is named that cannot be read.
                let one = |(path, stamp): &(PathBuf, Stamp)| open_parquet(path, &[], stamp.len, None).err();
                let named = |error| stamps.iter().find_map(one).unwrap_or(error);
                let relation = Relation::Foreign(opened.map_err(named)?);
                OpenTable::Parquet(ParquetFiles { relation, stamps })
            }
        })
    }
}

impl Tables {
    /// The table of the file of this name: `customers.dbf`.
    fn named_by_file(&self, name: &str) -> Option<String> {
        folder::kind_of(Path::new(name))?;
        let is_it = |file: &TableFile| {
            file.path.file_name().is_some_and(|file| file.to_string_lossy().eq_ignore_ascii_case(name))
        };
        self.listing.tables.iter().find(|(_, file)| is_it(file)).map(|(table, _)| table.clone())
    }

    fn file(&self, name: &str) -> Option<TableFile> {
        self.attached.get(name).or_else(|| self.listing.tables.get(name)).cloned()
    }
}

impl mainstay_planner::Catalog for FolderCatalog {
    fn relation(&self, name: &str) -> Result<Option<Relation>> {
        self.file(name)
    }

    fn names(&self) -> Vec<String> {
        let tables = self.lock();
        tables.listing.tables.keys().chain(tables.attached.keys()).chain(tables.added.keys()).cloned().collect()
    }

    fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }
}

impl FolderCatalog {
    /// Plans a query of our own over what exists.
    pub(crate) fn plan(&self, query: &str, scope: Scope) -> Result<Arc<Planned>> {
        self.planner.plan(
            query,
            &SessionCatalog {
                folder: self,
                scope,
                given: Arc::default(),
                functions: None,
                reading: FileReading::AS_THEY_ARE,
            },
            Visibility::Live,
        )
    }

    /// The table of a file.
    pub(crate) fn file(&self, name: &str) -> Result<Option<Relation>> {
        if let Some(added) = self.added(name) {
            return Ok(added.as_read().map(Relation::Table));
        }
        Ok(self.table(name)?.map(|(_, open)| open.relation()))
    }
}
