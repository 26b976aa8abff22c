//! The files of a folder, without those that a link in it leads to elsewhere.
//!
//! Whoever names files for others (a server) keeps the names below one folder. A symbolic link in that folder makes a name
//! below it lead anywhere, so here every name is followed first: what is not in the folder is refused, and not listed.
//!
//! ```text
//!   shop/orders.dbf                      opened
//!   shop/old -> shop/archive/2019        followed: it stays in the folder
//!   shop/etc -> /etc, shop/x -> nowhere  refused with NotPermitted; not in lists
//!   /tmp/spill                           not below the folder: the caller's business
//!   shop/.mainstay, shop/mainstay.toml   the server's own, which no client names: wherever they lead
//! ```
//!
//! Clients make no links. That a folder on the way is one that leads elsewhere now is seen [`NAMES_STAND`] later.

use crate::{Create, Entry, File, FileSystem, FolderLock, Mapping, NAMES_STAND, Stamp, WritableFile};
use mainstay_base::{Code, Error, Result};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What in the folder is not for clients: the native tables, and the settings.
const OWN: [&str; 2] = [".mainstay", "mainstay.toml"];

/// So many folders are remembered as being inside.
const REMEMBERED: usize = 1_024;

/// See the module.
#[derive(Debug)]
pub struct Enclosed {
    files: Arc<dyn FileSystem>,
    root: PathBuf,
    /// Where the folder is when its own links are followed.
    real_root: PathBuf,
    /// When folders were last found to be inside.
    inside: Mutex<HashMap<PathBuf, Instant>>,
}

impl Enclosed {
    /// The files of a folder, which other paths begin with.
    ///
    /// Errors: a folder whose path cannot be followed.
    pub fn new(files: Arc<dyn FileSystem>, root: &Path) -> Result<Enclosed> {
        let real_root = files.real_path(root)?;
        Ok(Enclosed { files, root: root.to_owned(), real_root, inside: Mutex::default() })
    }

    /// Refuses a path that begins in the folder and leads out of it.
    fn check(&self, path: &Path) -> Result<()> {
        let Ok(below) = path.strip_prefix(&self.root) else { return Ok(()) };
        let goes_down = below.components().all(|part| matches!(part, Component::Normal(_)));
        if below.as_os_str().is_empty() || goes_down && OWN.iter().any(|own| below.starts_with(own)) {
            return Ok(());
        }
        let (Some(folder), Some(_)) = (path.parent(), path.file_name()) else { return self.follow(path) };
        self.check_folder(folder)?;
        if self.files.is_link(path) { self.follow(path) } else { Ok(()) }
    }

    fn check_folder(&self, folder: &Path) -> Result<()> {
        let remembered = || self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if remembered().get(folder).is_some_and(|at| now.duration_since(*at) <= NAMES_STAND) {
            return Ok(());
        }
        self.follow(folder)?;
        let mut inside = remembered();
        if inside.len() >= REMEMBERED {
            inside.clear();
        }
        inside.insert(folder.to_owned(), now);
        Ok(())
    }

    fn follow(&self, path: &Path) -> Result<()> {
        // A link to nothing would be followed by who makes the file.
        match self.files.real_path(path) {
            Ok(real) if real.starts_with(&self.real_root) => Ok(()),
            _ => {
                let error = Error::new(Code::NotPermitted, "a link leads out of the folder that is served");
                Err(error.at(path.display()).hint("the setting follow_links of [server] lets links lead anywhere"))
            }
        }
    }
}

impl FileSystem for Enclosed {
    fn open(&self, path: &Path) -> Result<Arc<dyn File>> {
        self.check(path)?;
        self.files.open(path)
    }
    fn stamp(&self, path: &Path) -> Result<Stamp> {
        self.check(path)?;
        self.files.stamp(path)
    }
    fn list(&self, folder: &Path) -> Result<Vec<Entry>> {
        self.check(folder)?;
        let mut entries = self.files.list(folder)?;
        entries.retain(|entry| self.check(&entry.path).is_ok());
        Ok(entries)
    }
    fn is_folder(&self, path: &Path) -> bool {
        self.check(path).is_ok() && self.files.is_folder(path)
    }
    fn real_path(&self, path: &Path) -> Result<PathBuf> {
        self.check(path)?;
        self.files.real_path(path)
    }
    fn is_link(&self, path: &Path) -> bool {
        self.files.is_link(path)
    }
    fn map(&self, path: &Path) -> Result<Mapping> {
        self.check(path)?;
        self.files.map(path)
    }
    fn create(&self, path: &Path, how: Create) -> Result<Arc<dyn WritableFile>> {
        self.check(path)?;
        self.files.create(path, how)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.check(from)?;
        self.check(to)?;
        self.files.rename(from, to)
    }
    fn remove(&self, path: &Path) -> Result<()> {
        self.check(path)?;
        self.files.remove(path)
    }
    fn create_folder(&self, path: &Path) -> Result<()> {
        self.check(path)?;
        self.files.create_folder(path)
    }
    fn remove_folder(&self, path: &Path) -> Result<()> {
        self.check(path)?;
        self.files.remove_folder(path)
    }
    fn sync_folder(&self, path: &Path) -> Result<()> {
        self.check(path)?;
        self.files.sync_folder(path)
    }
    fn replace(&self, path: &Path, content: &[u8]) -> Result<()> {
        self.check(path)?;
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        self.check(Path::new(&new))?;
        self.files.replace(path, content)
    }
    fn lock(&self, path: &Path) -> Result<Box<dyn FolderLock>> {
        self.check(path)?;
        self.files.lock(path)
    }
}
