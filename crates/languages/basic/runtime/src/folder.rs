//! Programs of a folder.

use crate::fault::{Fault, Outcome};
use crate::host::Programs;
use mainstay_vfs::{FileSystem, client_path};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// The most bytes of a program's text.
const PROGRAM: u64 = 16 << 20;

/// The endings that a program's name may leave out.
const ENDINGS: [&str; 4] = ["", ".bas", ".pxp", ".pvx"];

/// The texts of programs in a folder, by names that stay below it.
pub struct FolderPrograms {
    files: Arc<dyn FileSystem>,
    folder: PathBuf,
}

impl FolderPrograms {
    /// The programs of a folder.
    pub fn new(files: Arc<dyn FileSystem>, folder: &Path) -> FolderPrograms {
        FolderPrograms { files, folder: folder.to_owned() }
    }

    /// The path of a program, if it exists. Error 10 for a name that leads outside.
    fn find(&self, name: &str) -> Outcome<Option<PathBuf>> {
        for ending in ENDINGS {
            let Some(path) = client_path(&self.folder, &format!("{name}{ending}")) else {
                return Err(Fault::with(10, name));
            };
            if !self.files.is_folder(&path) && self.files.stamp(&path).is_ok() {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }
}

impl Programs for FolderPrograms {
    fn read(&mut self, name: &str) -> Outcome<Option<Vec<u8>>> {
        match self.find(name)? {
            Some(path) if self.files.stamp(&path).is_ok_and(|stamp| stamp.len > PROGRAM) => {
                Err(Fault::with(19, format!("{name}: a program has at most 16 MB")))
            }
            Some(path) => self.files.read(&path).map(Some).map_err(|error| Fault::with(3, error.to_string())),
            None => Ok(None),
        }
    }

    fn write(&mut self, name: &str, text: &[u8]) -> Outcome<()> {
        let path = match self.find(name)? {
            Some(path) => path,
            None => client_path(&self.folder, name).ok_or_else(|| Fault::with(10, name))?,
        };
        // A name without an ending gets the one of programs, so that it is found as one by others.
        let path = match path.extension() {
            Some(_) => path,
            None if self.files.stamp(&path).is_ok() => path,
            None => path.with_extension("bas"),
        };
        self.files.replace(&path, text).map_err(|error| Fault::with(3, error.to_string()))
    }

    fn stamp(&mut self, name: &str) -> u64 {
        let path = self.find(name).ok().flatten();
        let stamp = path.and_then(|path| self.files.stamp(&path).ok());
        stamp.map_or(0, |stamp| {
            let time = stamp.modified.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
            time ^ stamp.len.rotate_left(48) ^ stamp.identity.rotate_left(24)
        })
    }
}
