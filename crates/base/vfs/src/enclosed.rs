//! Confinement to a folder: every path that a client or a file names leads to a place below it, or is refused.
//!
//! Paths come from three sides, and each has its check here:
//!
//! ```text
//!   a client     a name in a statement or a call         client_path: below the folder, and none of the server's own
//!   a file       a journal, a list of indexes            leads_below: where it leads, with all links followed
//!   a server     whatever its sessions open              Enclosed: the file system of the folder and of nothing else
//! ```
//!
//! A symbolic link in the folder can make a name below it lead anywhere, and a journal may name any path. So
//! [`Enclosed`] resolves every path first: a path that leads out of the folder is refused, and not listed.
//!
//! ```text
//!   shop/orders.dbf                      opened
//!   shop/old -> shop/archive/2019        followed: it stays in the folder
//!   shop/etc -> /etc, shop/x -> nowhere  refused with NotPermitted; not in lists
//!   /elsewhere/customers.dbf             refused: it does not begin in the folder
//!   /tmp/mainstay-ads-1-1/t.dbf          opened: Mainstay's own temporary files
//!   shop/.mainstay, shop/mainstay.toml   the server's own, which no client names: wherever they lead
//! ```
//!
//! Where the administrator lets links lead anywhere, [`Enclosed::by_name`] holds paths in the folder by their names alone.
//!
//! Clients create no links. A folder of the path that was replaced by a link is noticed within [`NAMES_STAND`].

use crate::{Create, Entry, File, FileSystem, FolderLock, Mapping, NAMES_STAND, Stamp, WritableFile};
use mainstay_types::{Code, Error, Result};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The native tables, and the settings: not for clients.
const OWN: [&str; 2] = [".mainstay", "mainstay.toml"];

/// The beginning of the names of folders for temporary tables, in the system's folder for temporary files.
const TEMPORARY: &str = "mainstay-";

/// The path of a file below a folder that a client names: relative, or whole and below the folder; with the separators of any
/// system.
///
/// `None` for a name that leads out, for one of a hidden file or folder (the native tables, the journals of transactions), and
/// for that of the settings.
pub fn client_path(folder: &Path, named: &str) -> Option<PathBuf> {
    let named = PathBuf::from(named.replace('\\', "/"));
    let within = match named.is_absolute() {
        true => named.strip_prefix(folder).ok()?.to_path_buf(),
        false => named,
    };
    is_client_name(&within).then(|| folder.join(within))
}

/// Tells whether a relative path is one that clients may name: [`client_path`].
pub fn is_client_name(path: &Path) -> bool {
    let is_for_clients = |part: Component<'_>| match part {
        Component::Normal(name) => name.to_str().is_some_and(|name| {
            !name.starts_with('.') && !name.contains('\0') && !OWN.iter().any(|own| name.eq_ignore_ascii_case(own))
        }),
        Component::CurDir => true,
        _ => false,
    };
    path.components().all(is_for_clients)
}

/// Tells whether a path leads to a place below a folder when all links on both ways are followed.
///
/// Errors: a link that leads nowhere.
pub fn leads_below(files: &dyn FileSystem, path: &Path, folder: &Path) -> Result<bool> {
    let here = |path: &Path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() };
    let (real, root) = (files.real_path(path)?, files.real_path(&here(folder))?);
    let is_plain = |below: &Path| below.components().all(|part| matches!(part, Component::Normal(_)));
    // A file system without links gives paths back as they are, relative ones too.
    let below = if root == Path::new(".") { Some(real.as_path()) } else { real.strip_prefix(&root).ok() };
    Ok(below.is_some_and(is_plain))
}

/// So many folders are remembered as being inside.
const REMEMBERED: usize = 1_024;

/// See the module.
#[derive(Debug)]
pub struct Enclosed {
    files: Arc<dyn FileSystem>,
    root: PathBuf,
    /// Where the folder is when its own links are followed; `None` where links may lead out of it.
    real_root: Option<PathBuf>,
    /// When folders were last found to be inside.
    inside: Mutex<HashMap<PathBuf, Instant>>,
}

impl Enclosed {
    /// The files of a folder.
    ///
    /// Errors: a folder whose path cannot be followed.
    pub fn new(files: Arc<dyn FileSystem>, root: &Path) -> Result<Enclosed> {
        let real_root = Some(files.real_path(root)?);
        Ok(Enclosed { files, root: root.to_owned(), real_root, inside: Mutex::default() })
    }

    /// The files whose paths are below a folder, wherever links on the way lead: for paths in files that clients can write,
    /// over a file system that decides about links itself.
    pub fn by_name(files: Arc<dyn FileSystem>, root: &Path) -> Enclosed {
        Enclosed { files, root: root.to_owned(), real_root: None, inside: Mutex::default() }
    }

    /// Refuses a path that does not begin in the folder, or leads out of it.
    fn check(&self, path: &Path) -> Result<()> {
        let of_real = || self.real_root.as_ref().and_then(|root| path.strip_prefix(root).ok());
        let Some(below) = path.strip_prefix(&self.root).ok().or_else(of_real) else {
            return self.check_elsewhere(path);
        };
        let goes_down = below.components().all(|part| matches!(part, Component::Normal(_)));
        if self.real_root.is_none() {
            return if goes_down { Ok(()) } else { Err(led_out(OUT, path)) };
        }
        if below.as_os_str().is_empty() || goes_down && OWN.iter().any(|own| below.starts_with(own)) {
            return Ok(());
        }
        let (Some(folder), Some(_)) = (path.parent(), path.file_name()) else { return self.follow(path) };
        self.check_folder(folder)?;
        if self.files.is_link(path) { self.follow(path) } else { Ok(()) }
    }

    /// Outside of the folder there are temporary files only.
    fn check_elsewhere(&self, path: &Path) -> Result<()> {
        let temporary = std::env::temp_dir();
        let below = path.strip_prefix(&temporary).ok();
        let first = below.and_then(|below| below.components().next()?.as_os_str().to_str());
        let folder = first.filter(|name| name.starts_with(TEMPORARY)).map(|name| temporary.join(name));
        let is_temporary = match folder {
            Some(folder) => !self.files.is_link(&folder) && leads_below(&*self.files, path, &folder)?,
            None => false,
        };
        match is_temporary {
            true => Ok(()),
            false => Err(led_out(OUT, path)),
        }
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
        // A program that creates the file would follow a dangling link.
        match (self.files.real_path(path), &self.real_root) {
            (Ok(real), Some(root)) if real.starts_with(root) => Ok(()),
            _ => Err(led_out("a link leads out of the folder that is served", path)),
        }
    }
}

/// The message for a path that leaves the folder without a link.
const OUT: &str = "the path leads out of the folder that is served";

fn led_out(message: &str, path: &Path) -> Error {
    let error = Error::new(Code::NotPermitted, message).at(path.display());
    error.hint("the setting follow_links of [server] lets paths lead anywhere")
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
    fn is_pipe_or_device(&self, path: &Path) -> bool {
        self.check(path).is_ok() && self.files.is_pipe_or_device(path)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn nothing_outside_is_read_or_written_by_name() {
        let memory = Memory::new();
        memory.write("shop/a.dbf", b"in".to_vec());
        memory.write("other/b.dbf", b"out".to_vec());
        let files = Enclosed::by_name(Arc::new(memory), Path::new("shop"));
        assert!(files.read(Path::new("shop/a.dbf")).is_ok());
        for path in ["other/b.dbf", "shop/../other/b.dbf", "/shop/a.dbf", ""] {
            let path = Path::new(path);
            assert!(files.open(path).is_err() && files.stamp(path).is_err() && files.remove(path).is_err());
            assert!(files.create(path, Create::Existing).is_err() && files.lock(path).is_err());
            assert!(files.rename(Path::new("shop/a.dbf"), path).is_err() && !files.is_folder(path));
        }
    }

    #[test]
    fn clients_name_files_below_the_folder_and_none_of_the_servers_own() {
        let folder = Path::new("/srv/shop");
        let named = |name: &str| client_path(folder, name);
        for (name, path) in [
            ("a.bak", "/srv/shop/a.bak"),
            ("sub/a.bak", "/srv/shop/sub/a.bak"),
            ("sub\\a.bak", "/srv/shop/sub/a.bak"),
            ("./a.bak", "/srv/shop/a.bak"),
            ("/srv/shop/sub/a.bak", "/srv/shop/sub/a.bak"),
            ("mainstay.toml.bak", "/srv/shop/mainstay.toml.bak"),
        ] {
            assert_eq!(named(name).as_deref(), Some(Path::new(path)), "{name}");
        }
        for name in [
            "mainstay.toml",
            "Mainstay.TOML",
            "/srv/shop/mainstay.toml",
            ".mainstay/x.bak",
            "sub/.mainstay-transactions/1.undo",
            ".hidden",
            "../a.bak",
            "sub/../../a.bak",
            "..\\a.bak",
            "/srv/other/a.bak",
            "/etc/passwd",
            "a\0.bak",
        ] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
