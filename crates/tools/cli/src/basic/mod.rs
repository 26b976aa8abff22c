//! Business BASIC programs of a folder: `mainstay run`, `mainstay basic`, and the programs that a browser starts at `mainstay serve`.
//!
//! ```text
//!   shop/programs/menu.bas    program      called programs are looked up beside it, then in the folder of the files
//!   shop/                     files        text files as they are, keyed files as native tables in .mainstay; tables of all kinds
//! ```
//!
//! All sessions of a process share one volume, so that records that one session has extracted are locked for the
//! others.

pub(crate) mod check;
mod console;
mod import;
mod prompt;
mod run;

pub(crate) use console::{BrowserPrograms, FolderUsers};
pub(crate) use import::import;
pub(crate) use prompt::basic;
pub(crate) use run::{Start, run};

use mainstay_basic::{Fault, FolderPrograms};
use mainstay_basic::{Host, Outcome, Parts, Programs, Session};
use mainstay_basic_database::{DatabaseTables, DatabaseVolume};
use mainstay_basic_files::{FolderVolume, ReadOnlyVolume, SessionId, Volume};
use mainstay_basic_tables::TableVolume;
use mainstay_engine::{Database, Options};
use mainstay_types::Result;
use mainstay_vfs::{Disk, Enclosed, FileSystem};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The endings of the files that are programs.
const ENDINGS: [&str; 3] = ["bas", "pxp", "pvx"];
/// The folder of a database in which its programs are.
const PROGRAMS: &str = "programs";

/// Opens the database of a folder for programs: symbolic links in it, too, lead to nothing outside.
///
/// Errors: those of opening it.
fn open_enclosed(folder: &Path, options: Options) -> Result<Database> {
    let files: Arc<dyn FileSystem> = Arc::new(Enclosed::new(Arc::new(Disk), folder)?);
    Database::open_on(files, folder, options)
}

/// The programs and files of a database's folder.
#[derive(Clone)]
pub(crate) struct Shop {
    files: Arc<dyn FileSystem>,
    folder: PathBuf,
    volume: Arc<dyn Volume>,
    sessions: Arc<AtomicU64>,
    /// The memory limit of a session; `None` takes the language's default.
    memory_bytes: Option<u64>,
    /// UID of the sessions.
    user: String,
}

impl Shop {
    /// Opens them.
    ///
    /// Errors: those of opening the native tables.
    pub(crate) fn open(database: &Database, folder: &Path) -> Result<Shop> {
        // A store that cannot be opened is an error before a program runs; one that is not there is created with its first table.
        database.existing_native_store()?;
        let files = Arc::clone(database.files());
        let plain = Arc::new(FolderVolume::new(Arc::clone(&files), folder));
        let keyed = Arc::new(TableVolume::created_on_demand(
            Arc::new(DatabaseTables(database.clone())),
            plain,
            database.durability(),
        ));
        let volume: Arc<dyn Volume> = Arc::new(DatabaseVolume::new(keyed, database.clone()));
        Ok(Shop {
            files,
            folder: folder.to_owned(),
            volume,
            sessions: Arc::new(AtomicU64::new(1)),
            memory_bytes: None,
            user: String::new(),
        })
    }

    /// Limits the memory of each session.
    pub(crate) fn with_memory(self, bytes: Option<u64>) -> Shop {
        Shop { memory_bytes: bytes, ..self }
    }

    /// Names the user of the sessions.
    pub(crate) fn with_user(self, user: &str) -> Shop {
        Shop { user: user.to_owned(), ..self }
    }

    /// Names the user who has started the process.
    fn with_own_user(self) -> Shop {
        let user = std::env::var("USER").unwrap_or_default();
        self.with_user(&user)
    }

    /// The same for a user who may only read.
    fn for_reading(&self) -> Shop {
        Shop { volume: Arc::new(ReadOnlyVolume::new(Arc::clone(&self.volume))), ..self.clone() }
    }

    /// A session whose programs are those of `home`, then those of the folder.
    fn session(&self, host: Box<dyn Host>, home: &Path, arguments: Vec<Vec<u8>>) -> Session {
        // The programs that the command names may be elsewhere; the files that they open may not.
        let at_home = match home.starts_with(&self.folder) {
            true => Arc::clone(&self.files),
            false => Arc::new(Disk),
        };
        let programs = Lookup(vec![
            FolderPrograms::new(at_home, home),
            FolderPrograms::new(Arc::clone(&self.files), &self.folder),
        ]);
        let mut session = Session::new(Parts {
            host,
            volume: Arc::clone(&self.volume),
            programs: Box::new(programs),
            session: SessionId(self.sessions.fetch_add(1, Ordering::Relaxed)),
            arguments,
        });
        session.set_user(&self.user, "");
        if let Some(bytes) = self.memory_bytes {
            session.limit_total_memory(bytes);
        }
        session
    }
}

/// Programs of several folders: the first that has a program gives it.
struct Lookup(Vec<FolderPrograms>);

impl Programs for Lookup {
    fn read(&mut self, name: &str) -> Outcome<Option<Vec<u8>>> {
        let mut outside: Option<Box<Fault>> = None;
        for folder in &mut self.0 {
            match folder.read(name) {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(fault) => outside = Some(fault),
            }
        }
        outside.map_or(Ok(None), Err)
    }

    fn write(&mut self, name: &str, text: &[u8]) -> Outcome<()> {
        // Where the program is, or beside the others.
        let known = self.0.iter_mut().position(|folder| folder.stamp(name) != 0).unwrap_or(0);
        match self.0.get_mut(known) {
            Some(folder) => folder.write(name, text),
            None => Err(Fault::with(13, name)),
        }
    }

    fn stamp(&mut self, name: &str) -> u64 {
        self.0.iter_mut().map(|folder| folder.stamp(name)).find(|stamp| *stamp != 0).unwrap_or(0)
    }
}

/// The folder of the database that a program belongs to: the nearest one above it with `mainstay.toml` or native tables, else
/// the one around its folder `programs`, else its own.
fn folder_of(files: &dyn FileSystem, home: &Path) -> PathBuf {
    let is_database = |folder: &&Path| {
        files.stamp(&folder.join("mainstay.toml")).is_ok() || files.is_folder(&folder.join(".mainstay"))
    };
    if let Some(folder) = home.ancestors().find(is_database) {
        return folder.to_owned();
    }
    match home.parent() {
        Some(parent) if home.file_name().is_some_and(|name| name.eq_ignore_ascii_case(PROGRAMS)) => parent.to_owned(),
        _ => home.to_owned(),
    }
}
