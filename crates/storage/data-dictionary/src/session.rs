//! A connection to a dictionary: its file, its user, and the links of this connection alone.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use mainstay_vfs::FileSystem;
use mainstay_workarea::{Area, AreaOptions, Mode};
use mainstay_xbase::lock::LockScheme;

use crate::access::Access;
use crate::constants::*;
use crate::contents::{Contents, Object};
use crate::dates::DateForm;
use crate::failure::{Failure, Result};
use crate::files;
use crate::live::Live;

/// A link that this connection alone has.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// The linked dictionary.
    pub path: String,
}

/// See the module.
#[derive(Debug)]
pub struct Session {
    /// The file.
    pub live: Live,
    /// The connected user and the user's rights.
    pub access: Access,
    /// Links of this connection.
    pub links: Mutex<Vec<Link>>,
    /// True if relations are not checked for changes of this connection.
    pub is_integrity_off: AtomicBool,
    /// The files of the database.
    pub files: Arc<dyn FileSystem>,
    /// The form of dates in rules.
    pub date_form: DateForm,
}

impl Session {
    /// A session on an open dictionary.
    pub fn new(files: Arc<dyn FileSystem>, live: Live, access: Access, date_form: DateForm) -> Session {
        let (links, is_integrity_off) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        Session { live, access, links, is_integrity_off, files, date_form }
    }

    /// The folder that paths in the dictionary begin at.
    pub fn folder(&self) -> &Path {
        self.live.path().parent().unwrap_or(Path::new(""))
    }

    /// The file that a path in the dictionary means.
    pub fn path_of(&self, stored: &str) -> PathBuf {
        let path = self.folder().join(files::path_of(stored));
        files::existing(&path).unwrap_or(path)
    }

    /// A path as the dictionary keeps it: from its folder on, if it is in there.
    pub fn stored(&self, path: &Path) -> String {
        let path = path.strip_prefix(self.folder()).unwrap_or(path);
        path.to_string_lossy().replace('\\', "/")
    }

    /// The folder of new tables.
    pub fn table_folder(&self, contents: &Contents) -> PathBuf {
        let set = contents.database().and_then(|database| database.text(ADS_DD_DEFAULT_TABLE_PATH));
        set.map_or_else(|| self.folder().to_path_buf(), |path| self.path_of(path))
    }

    /// The file of a table.
    pub fn table_path(&self, table: &Object) -> PathBuf {
        self.path_of(table.text(ADS_DD_TABLE_PATH).unwrap_or_default())
    }

    /// The table whose file a path leads to, however it is written: another name of the same file is the same table.
    pub fn table_of_file<'c>(&self, contents: &'c Contents, path: &Path) -> Option<&'c Object> {
        let path = files::existing(path)?;
        let identity = |path: &Path| self.files.stamp(path).ok().map(|stamp| (stamp.identity, stamp.len));
        let wanted = identity(&path)?;
        contents.all(ADS_DD_TABLE_OBJECT).find(|table| {
            let known = self.table_path(table);
            known == path || identity(&known) == Some(wanted)
        })
    }

    /// Returns true if the user may delete or replace a file: only an administrator may replace those of tables and
    /// indexes, and no user those of the dictionary itself.
    pub fn may_replace(&self, contents: &Contents, path: &Path) -> bool {
        let is_dictionary = path == self.live.path() || path.extension().is_some_and(|extension| extension == "lock");
        let is_table = || self.table_of_file(contents, &path.with_extension("dbf")).is_some();
        let is_index = || {
            let mut tables = contents.all(ADS_DD_TABLE_OBJECT);
            tables.any(|table| self.index_paths(contents, &table.name).iter().any(|index| index == path))
        };
        !is_dictionary && (self.access.is_administrator(contents) || !is_table() && !is_index())
    }

    /// The index files that belong to a table beside the one that is opened with it.
    pub fn index_paths(&self, contents: &Contents, table: &str) -> Vec<PathBuf> {
        let files = contents.children(ADS_DD_INDEX_FILE_OBJECT, table);
        files.filter_map(|file| Some(self.path_of(file.text(ADS_DD_INDEX_FILE_PATH)?))).collect()
    }

    /// Opens a table of the dictionary with all its index files, for the dictionary's own work.
    ///
    /// Errors: AE_INVALID_OBJECT_NAME; those of opening files.
    pub fn open(&self, contents: &Contents, table: &str, mode: Mode) -> Result<Area> {
        let object = contents.get(ADS_DD_TABLE_OBJECT, "", table)?;
        let options = AreaOptions { mode, implicit_locks: true, ..area_options(object.number(ADS_DD_TABLE_TYPE)) };
        let mut area = Area::open(Arc::clone(&self.files), &self.table_path(object), &options).map_err(in_use)?;
        for path in self.index_paths(contents, &object.name) {
            area.open_index(&path)?;
        }
        Ok(area)
    }
}

/// The options for opening tables of a type.
pub fn area_options(table_type: u32) -> AreaOptions {
    let scheme = match table_type {
        ADS_NTX => Some(LockScheme::Clipper),
        ADS_CDX | ADS_VFP => Some(LockScheme::FoxPro),
        _ => None,
    };
    AreaOptions { scheme, open_structural: table_type != ADS_NTX, ..AreaOptions::default() }
}

fn in_use(error: mainstay_types::Error) -> Failure {
    match error.code() {
        mainstay_types::Code::Busy => Failure::new(AE_TABLE_NOT_EXCLUSIVE, error.to_string()),
        _ => error.into(),
    }
}
