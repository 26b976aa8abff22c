//! Databases of a server: that of its folder, and those that clients create below a folder that the settings name.
//!
//! ```text
//!   shop/                         the database `shop`
//!   shop/databases/sales/         `sales`, after CREATE DATABASE sales; `sqli_databases = "databases"` in the settings
//! ```
//!
//! Each is opened when it is first asked for and stays open with the server. DROP DATABASE closes one that no session has,
//! and deletes its folder with everything in it. Without the setting there is one database.
//!
//! Errors are those of "CREATE DATABASE", "DATABASE" and "DROP DATABASE" in the Guide to SQL: Syntax: -329 for one that is not
//! there, -330 for one that is there already, -354 for a name that none can have, -425 for one that a session has open.

use crate::failure::{DATABASE, of_core, plain};
use crate::modules::Shared;
use mainstay_engine::{Database, Options};
use mainstay_session::{Failure, Login};
use mainstay_vfs::FileSystem;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// -330: the database cannot be created; ISAM -100: it is there already.
const NOT_CREATED: i32 = -330;
/// -354: the name is none of a database.
const NAME: i32 = -354;
/// -425: a session has the database open.
const IN_USE: i32 = -425;
/// The most bytes of a name.
const LONGEST_NAME: usize = 128;

/// The folder of further databases.
pub(crate) struct Further {
    pub folder: PathBuf,
    pub files: Arc<dyn FileSystem>,
    pub options: Options,
}

/// The databases of a server, and what clients are told about it.
pub(crate) struct Databases {
    main: Shared,
    /// The name of the main database.
    pub name: String,
    pub server: String,
    pub version: String,
    further: Option<Further>,
    open: Mutex<BTreeMap<String, Shared>>,
}

/// The error of a database that is not there.
pub(crate) fn no_database(name: &str) -> Failure {
    let message = format!("database {name} not found");
    Failure { number: DATABASE, detail: -111, subject: name.to_owned(), message, ..Failure::default() }
}

/// True for a name that a database may have: it is that of its folder, too.
fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    name.len() <= LONGEST_NAME
        && name.starts_with(is_letter)
        && name.chars().all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

/// Deletes a folder with everything in it.
fn remove_all(files: &dyn FileSystem, folder: &Path) -> mainstay_types::Result<()> {
    for entry in files.list(folder)? {
        match entry.is_folder && !files.is_link(&entry.path) {
            true => remove_all(files, &entry.path)?,
            false => files.remove(&entry.path)?,
        }
    }
    files.remove_folder(folder)
}

impl Databases {
    pub(crate) fn new(main: Shared, name: &str, server: &str, version: &str) -> Databases {
        let (name, server, version) = (name.to_lowercase(), server.to_lowercase(), version.to_owned());
        Databases { main, name, server, version, further: None, open: Mutex::default() }
    }

    /// The same, with a folder of further ones.
    pub(crate) fn with_further(mut self, further: Further) -> Databases {
        self.further = Some(further);
        self
    }

    /// The main database.
    pub(crate) fn main(&self) -> &Shared {
        &self.main
    }

    fn further(&self) -> Result<&Further, Failure> {
        self.further.as_ref().ok_or_else(|| {
            let message =
                "Not implemented yet: CREATE and DROP DATABASE without sqli_databases in the server's settings";
            Failure { subject: "CREATE DATABASE".to_owned(), ..plain(-999, message) }
        })
    }

    /// The names of all databases, the main one first.
    ///
    /// Errors: those of reading the folder.
    pub(crate) fn names(&self) -> Result<Vec<String>, Failure> {
        let mut names = vec![self.name.clone()];
        let Some(further) = &self.further else { return Ok(names) };
        if further.files.is_folder(&further.folder) {
            let entries = further.files.list(&further.folder).map_err(|error| of_core(&error, false))?;
            let folders = entries.into_iter().filter(|entry| entry.is_folder);
            let named =
                folders.filter_map(|entry| entry.path.file_name().map(|name| name.to_string_lossy().into_owned()));
            names.extend(named.filter(|name| is_name(name) && *name != self.name));
        }
        Ok(names)
    }

    /// The database of a name; `None` without one.
    ///
    /// Errors: those of opening it.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Shared>, Failure> {
        if name == self.name {
            return Ok(Some(self.main.clone()));
        }
        let Some(further) = self.further.as_ref().filter(|_| is_name(name)) else { return Ok(None) };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = open.get(name) {
            return Ok(Some(shared.clone()));
        }
        let path = further.folder.join(name);
        if !further.files.is_folder(&path) {
            return Ok(None);
        }
        let database = Database::open_on(Arc::clone(&further.files), &path, further.options.clone());
        let shared = Shared::new(database.map_err(|error| of_core(&error, false))?);
        open.insert(name.to_owned(), shared.clone());
        Ok(Some(shared))
    }

    /// CREATE DATABASE.
    ///
    /// Errors: -330, -354; -999 without a folder for it.
    pub(crate) fn create(&self, name: &str) -> Result<(), Failure> {
        let further = self.further()?;
        if !is_name(name) {
            return Err(Failure {
                subject: name.to_owned(),
                ..plain(NAME, "Incorrect database or cursor name format.")
            });
        }
        let exists = || {
            let message = format!("Cannot create or rename the database {name}: it is there already.");
            Failure { number: NOT_CREATED, detail: -100, subject: name.to_owned(), message, ..Failure::default() }
        };
        if name == self.name || name == "sysmaster" {
            return Err(exists());
        }
        let path = further.folder.join(name);
        let _open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if further.files.stamp(&path).is_ok() || further.files.is_folder(&path) {
            return Err(exists());
        }
        let created = match further.files.is_folder(&further.folder) {
            true => Ok(()),
            false => further.files.create_folder(&further.folder),
        };
        created.and_then(|()| further.files.create_folder(&path)).map_err(|error| of_core(&error, false))
    }

    /// DROP DATABASE.
    ///
    /// Errors: -329, -425; -999 without a folder for it; those of deleting.
    pub(crate) fn drop_database(&self, name: &str) -> Result<(), Failure> {
        let further = self.further()?;
        let in_use =
            || Failure { subject: name.to_owned(), ..plain(IN_USE, "Database is currently opened by another user.") };
        if name == self.name || name == "sysmaster" {
            return Err(in_use());
        }
        let path = further.folder.join(name);
        if !is_name(name) || !further.files.is_folder(&path) {
            return Err(no_database(name));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.get(name).is_some_and(Shared::has_sessions) {
            return Err(in_use());
        }
        open.remove(name);
        remove_all(further.files.as_ref(), &path).map_err(|error| of_core(&error, false))
    }
}

/// The databases that a session may change to, and the login that it changes with.
#[derive(Clone)]
pub(crate) struct Home {
    pub databases: Arc<Databases>,
    pub login: Login,
}
