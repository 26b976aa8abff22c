//! Files of one folder and those below it: the only files that a dictionary of a server may use, whatever paths are in
//! it.

use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, Entry, File, FileSystem, FolderLock, Stamp, WritableFile};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Prefix of the names of folders of temporary tables.
const TEMPORARY: &str = "mainstay-ads-";

/// See the module.
#[derive(Debug)]
pub struct Confined {
    files: Arc<dyn FileSystem>,
    root: PathBuf,
}

impl Confined {
    /// The files below a folder.
    pub fn new(files: Arc<dyn FileSystem>, root: &Path) -> Confined {
        Confined { files, root: root.to_owned() }
    }

    fn check(&self, path: &Path) -> Result<()> {
        let is_inside = |below: &Path| below.components().all(|part| matches!(part, Component::Normal(_)));
        // Temporary tables of statements are part of their transactions.
        let is_temporary = |below: &Path| {
            let first = below.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
            is_inside(below) && first.is_some_and(|name| name.starts_with(TEMPORARY))
        };
        let is_theirs = || path.strip_prefix(std::env::temp_dir()).is_ok_and(is_temporary);
        match path.strip_prefix(&self.root).is_ok_and(is_inside) || is_theirs() {
            true => Ok(()),
            false => Err(Error::new(Code::NotPermitted, "a path leads out of the folder that is served")),
        }
    }
}

impl FileSystem for Confined {
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
        self.files.list(folder)
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
    fn lock(&self, path: &Path) -> Result<Box<dyn FolderLock>> {
        self.check(path)?;
        self.files.lock(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::Memory;

    #[test]
    fn nothing_outside_is_read_or_written() {
        let memory = Memory::new();
        memory.write("shop/a.dbf", b"in".to_vec());
        memory.write("other/b.dbf", b"out".to_vec());
        let files = Confined::new(Arc::new(memory), Path::new("shop"));
        assert!(files.read(Path::new("shop/a.dbf")).is_ok());
        for path in ["other/b.dbf", "shop/../other/b.dbf", "/shop/a.dbf", ""] {
            let path = Path::new(path);
            assert!(files.open(path).is_err() && files.stamp(path).is_err() && files.remove(path).is_err());
            assert!(files.create(path, Create::Existing).is_err() && files.lock(path).is_err());
            assert!(files.rename(Path::new("shop/a.dbf"), path).is_err() && !files.is_folder(path));
        }
    }
}
