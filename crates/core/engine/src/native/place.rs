//! The location of a database's native tables, and the opening of their store.
//!
//! A folder of business files is only read until a statement creates a native object in it, or begins a transaction;
//! then `.mainstay` is created. An existing store is opened with the database, and locked: only one process may open it
//! at a time. A second process still reads the other tables of the folder; statements about native tables fail with an
//! error that says so.
//!
//! The same applies if the store cannot be opened because it is damaged or not readable: no statement finds or creates
//! a native table, and each that names one gets the reason. A store in which only single tables are damaged is opened.

use mainstay_store::{Store, StoreOptions};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The folder of the store below the database's.
pub const STORE_FOLDER: &str = ".mainstay";

/// Where a database keeps its native tables.
pub(crate) struct Place {
    fs: Arc<dyn FileSystem>,
    folder: PathBuf,
    options: StoreOptions,
    /// The empty store that stands in until the first object is created.
    empty: Arc<Store>,
    opened: OnceLock<Arc<Store>>,
    opening: Mutex<()>,
    /// True if the database is one file: what would be kept has no place.
    is_of_file: bool,
    /// True if the store is opened for what can still be read of it.
    is_salvage: bool,
}

impl Place {
    /// In memory only.
    pub(crate) fn memory(fs: Arc<dyn FileSystem>) -> Place {
        let empty = Arc::new(Store::in_memory());
        let opened = OnceLock::from(Arc::clone(&empty));
        let (folder, options, opening) = (PathBuf::new(), StoreOptions::default(), Mutex::default());
        Place { fs, folder, options, empty, opened, opening, is_of_file: false, is_salvage: false }
    }

    /// Beside a file that is opened by itself: in memory, for what is the session's own.
    pub(crate) fn of_file(fs: Arc<dyn FileSystem>) -> Place {
        Place { is_of_file: true, ..Place::memory(fs) }
    }

    /// Refuses to create what others are to find later, where it would be gone with the process.
    pub(crate) fn check_kept(&self) -> Result<()> {
        match self.is_of_file {
            true => Err(Error::new(Code::Unsupported, "one file is open, beside which nothing is kept")
                .hint("open the folder that the file is in; temporary tables can be made here, too")),
            false => Ok(()),
        }
    }

    /// Below a folder. A store that is there is opened; one that cannot be is no error yet ([`Place::failure`]).
    pub(crate) fn below(fs: Arc<dyn FileSystem>, folder: &Path, options: StoreOptions) -> Place {
        let empty = Arc::new(Store::in_memory());
        let (opened, opening) = (OnceLock::new(), Mutex::default());
        let (folder, is_of_file, is_salvage) = (folder.join(STORE_FOLDER), false, false);
        let place = Place { fs, folder, options, empty, opened, opening, is_of_file, is_salvage };
        // Whoever asks for a native table is told, by another attempt.
        let _ = place.open_if_there();
        place
    }

    /// Below a folder, for what can still be read of a store that is damaged.
    pub(crate) fn salvage(fs: Arc<dyn FileSystem>, folder: &Path, options: StoreOptions) -> Place {
        let place = Place::memory(fs);
        let (opened, folder, is_salvage) = (OnceLock::new(), folder.join(STORE_FOLDER), true);
        let place = Place { opened, folder, options, is_salvage, ..place };
        let _ = place.open_if_there();
        place
    }

    /// Why the store that is there cannot be used by anybody, if that is so. It is tried again: files may have been put
    /// back.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.open_if_there().err().filter(|error| error.code() != Code::Busy)
    }

    /// Returns true if it is a folder.
    pub(crate) fn is_kept(&self) -> bool {
        !self.folder.as_os_str().is_empty()
    }

    /// The store as it is.
    pub(crate) fn store(&self) -> &Arc<Store> {
        self.opened.get().unwrap_or(&self.empty)
    }

    /// A number that grows with every committed change of what exists.
    pub(crate) fn version(&self) -> u64 {
        // Opening the store changes the version, too.
        match self.opened.get() {
            Some(store) => store.catalog_version() + 1,
            None => self.empty.catalog_version(),
        }
    }

    /// The store for a change of existing objects: it is opened, and not created. Without a store there is nothing to
    /// change.
    pub(crate) fn open_if_there(&self) -> Result<&Arc<Store>> {
        match self.opened.get().is_some() || self.fs.is_folder(&self.folder) {
            true => self.open(),
            false => Ok(&self.empty),
        }
    }

    /// Returns true if there is a store that is not opened: another process had it.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.opened.get().is_none() && self.fs.is_folder(&self.folder)
    }

    /// The store, made and opened if it is not.
    pub(crate) fn open(&self) -> Result<&Arc<Store>> {
        if let Some(store) = self.opened.get() {
            return Ok(store);
        }
        let _one_at_a_time = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = self.opened.get() {
            return Ok(store);
        }
        let store = match self.is_salvage {
            true => Store::open_salvaging(Arc::clone(&self.fs), &self.folder),
            false => Store::open(Arc::clone(&self.fs), &self.folder, self.options),
        };
        let store = store.map_err(|error| self.refused(error))?;
        Ok(self.opened.get_or_init(|| Arc::new(store)))
    }

    /// The error of a statement that needs the store.
    fn refused(&self, error: Error) -> Error {
        if error.code() == Code::Busy {
            return error;
        }
        let message = format!("the tables in {STORE_FOLDER} cannot be used: {}", error.message());
        let refused = Error::new(error.code(), message);
        let refused = match error.place() {
            Some(place) => refused.at(place),
            None => refused.at(self.folder.display()),
        };
        refused.hint(match (error.is_denied(), error.hint_text()) {
            (false, Some(hint)) => hint,
            (false, None) => "see what `mainstay check` says; other tables of the folder can be used",
            (true, _) => "let this user read and write the folder; other tables beside it can be used",
        })
    }
}
