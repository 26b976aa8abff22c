//! A process's folder for temporary files, in the system's temporary folder.
//!
//! A process removes its folder when it ends; after a kill the folder stays. So the process holds a lock on it
//! (flock(2)), which ends with the process in any case, and each process starts by removing unlocked folders.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Once;
use tempfile::TempDir;

/// How the names of these folders begin.
const PREFIX: &str = "mainstay-spilled-";

/// How often a folder is made that another process takes for one of the dead, between its making and its lock.
const TRIES: usize = 10;

/// A folder that is removed with this.
pub(super) struct Folder {
    folder: TempDir,
    _lock: File,
}

impl Folder {
    /// A new one.
    pub(super) fn new() -> io::Result<Folder> {
        Folder::new_in(&std::env::temp_dir())
    }

    fn new_in(system: &Path) -> io::Result<Folder> {
        for _ in 0..TRIES {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(system)?;
            let Ok(lock) = opened(folder.path()) else { continue };
            if lock.try_lock().is_ok() && folder.path().is_dir() {
                return Ok(Folder { folder, _lock: lock });
            }
        }
        Err(io::Error::other("other processes keep removing the folder for temporary files"))
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of processes that were killed; once in this process.
pub(super) fn remove_left_over() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| remove_left_over_in(&std::env::temp_dir()));
}

/// A file that cannot be removed stays: it may be another user's.
#[allow(clippy::disallowed_methods, reason = "the rows of statements that were killed are no stored data")]
fn remove_left_over_in(system: &Path) {
    let Ok(entries) = std::fs::read_dir(system) else { return };
    let is_one = |entry: &std::fs::DirEntry| {
        let is_named = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        is_named && entry.file_type().is_ok_and(|file_type| file_type.is_dir())
    };
    for entry in entries.flatten().filter(is_one) {
        let path = entry.path();
        // The lock is held until it is gone, so that two processes do not remove one folder.
        if let Ok(lock) = opened(&path)
            && lock.try_lock().is_ok()
        {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a folder is opened for its lock only")]
fn opened(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_nobody_holds_are_removed() {
        let system = tempfile::tempdir().unwrap();
        let held = Folder::new_in(system.path()).unwrap();
        let left = Folder::new_in(system.path()).unwrap();
        let other = system.path().join("others-files");
        for folder in [held.path(), left.path(), &other] {
            std::fs::create_dir_all(folder.join("inner")).unwrap();
            std::fs::write(folder.join("rows"), "rows").unwrap();
        }
        let file = system.path().join(format!("{PREFIX}file"));
        std::fs::write(&file, "no folder").unwrap();
        // As a process that is killed leaves it: the lock goes, and the files stay.
        let Folder { folder, _lock } = left;
        let left = folder.keep();
        drop(_lock);
        remove_left_over_in(system.path());
        assert!(!left.exists());
        assert!(held.path().join("rows").exists() && other.join("rows").exists() && file.exists());
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
        remove_left_over_in(&path);
    }
}
