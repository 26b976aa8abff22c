//! A temporary folder with copies of the data, and files whose modification times have settled.
//!
//! A cache does not trust a file that was written just before it was read (see `mainstay_vfs::Stamp`), because another
//! write may leave the same time behind. Files of a real system are older, so copies are measured only once they have
//! [`Scratch::settle`]d; and they are synced first, so that their write-back does not disturb the times.

// These files are made for a measurement and thrown away; what is measured reads them through the vfs.
#![allow(clippy::disallowed_methods)]

use mainstay_types::{Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: tempfile::TempDir,
    newest: std::cell::RefCell<Option<PathBuf>>,
}

impl Scratch {
    /// An empty folder where the system keeps temporary files.
    pub fn new() -> Result<Scratch> {
        let folder = tempfile::Builder::new().prefix("mainstay-bench-").tempdir()?;
        Ok(Scratch { folder, newest: None.into() })
    }

    /// The path of this name inside.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An empty folder of this name inside.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.path(name);
        std::fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(path)
    }

    /// Writes a file, and the folder it is in, and syncs it.
    pub fn write(&self, path: &Path, content: &[u8]) -> Result<()> {
        let mut file = self.create(path)?;
        file.write_all(content).and_then(|()| file.sync_all()).map_err(at(path))
    }

    /// Copies the files of one folder into a new one, through memory: a clone that shares blocks would
    /// not be in the page cache. By 64 KB, as Mainstay itself writes its files: Linux keeps what one
    /// larger write brings in one piece, and then takes four times as long for each small write into it.
    pub fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        let mut buffer = vec![0; 64 << 10];
        for entry in Disk.list(from)? {
            let Some(name) = entry.path.file_name() else { continue };
            let target = to.join(name);
            let mut source = std::fs::File::open(&entry.path).map_err(at(&entry.path))?;
            let mut copy = self.create(&target)?;
            loop {
                let read = source.read(&mut buffer).map_err(at(&entry.path))?;
                if read == 0 {
                    break;
                }
                copy.write_all(&buffer[..read]).map_err(at(&target))?;
            }
            copy.sync_all().map_err(at(&target))?;
        }
        Ok(())
    }

    /// The times of appending so many bytes to a file and syncing it, one for each repeat.
    pub fn syncs(&self, bytes: usize, times: usize) -> Result<Vec<Duration>> {
        let path = self.path("syncs");
        let mut file = self.create(&path)?;
        let sync = |_| {
            let begin = Instant::now();
            file.write_all(&vec![7; bytes]).and_then(|()| file.sync_data()).map_err(at(&path))?;
            Ok(begin.elapsed())
        };
        (0..times).map(sync).collect()
    }

    /// Removes a folder inside; failing to is harmless, everything goes in the end.
    pub fn remove(&self, folder: &Path) {
        let _ = std::fs::remove_dir_all(folder);
    }

    /// Waits until nothing written here can be mistaken for something later.
    pub fn settle(&self) -> Result<()> {
        let newest = self.newest.borrow_mut().take();
        if let Some(path) = newest.filter(|path| path.exists()) {
            while !Disk.stamp(&path)?.is_settled(SystemTime::now()) {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }

    /// Creates a file, and the folder it is in.
    pub(crate) fn create(&self, path: &Path) -> Result<std::fs::File> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(at(folder))?;
        }
        self.newest.replace(Some(path.to_owned()));
        std::fs::File::create(path).map_err(at(path))
    }
}

/// Bytes of all files of a folder.
pub fn folder_bytes(folder: &Path) -> Result<u64> {
    Disk.list(folder)?.iter().map(|entry| Ok(Disk.stamp(&entry.path)?.len)).sum()
}

/// Writes a report where the user asked for it.
pub fn write_report(path: &Path, content: &str) -> Result<()> {
    std::fs::write(path, content).map_err(at(path))
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |error| Error::from(error).at(path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_equal_and_settled_and_gone_afterwards() {
        let scratch = Scratch::new().unwrap();
        let (from, to) = (scratch.path("from"), scratch.path("to"));
        scratch.write(&from.join("a.dbf"), &[7; 3_000_000]).unwrap();
        scratch.write(&from.join("a.cdx"), b"index").unwrap();
        scratch.copy(&from, &to).unwrap();
        assert_eq!(std::fs::read(to.join("a.dbf")).unwrap(), [7; 3_000_000]);
        assert_eq!(folder_bytes(&to).unwrap(), 3_000_005);
        scratch.settle().unwrap();
        assert!(Disk.stamp(&to.join("a.dbf")).unwrap().is_settled(SystemTime::now()));
        let root = scratch.path("");
        drop(scratch);
        assert!(!root.exists());
    }
}
