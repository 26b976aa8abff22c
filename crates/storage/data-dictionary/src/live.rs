//! The dictionary's file, shared by several connections and processes.
//!
//! A reader compares the file's stamp first, and reads the file again if it has changed, so that every connection sees
//! a change at its next call. A writer takes a lock (`<file>.lock`, beside it), reads the file, changes the contents,
//! and replaces the file as a whole.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use mainstay_types::Code;
use mainstay_vfs::{FileSystem, Stamp};

use crate::constants::*;
use crate::contents::Contents;
use crate::failure::{Failure, Result};
use crate::files;
use crate::{text, vendor};

/// The longest wait of a change for other changes.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// A dictionary's file, with what was read of it last.
#[derive(Debug)]
pub struct Live {
    files: Arc<dyn FileSystem>,
    path: PathBuf,
    read: Mutex<Option<(Stamp, bool, Arc<Contents>)>>,
}

impl Live {
    /// Makes a new file.
    ///
    /// Errors: AE_DICTIONARY_ALREADY_EXISTS.
    pub fn create(files: Arc<dyn FileSystem>, path: &Path, contents: &Contents) -> Result<Live> {
        let live = Live { files, path: path.to_owned(), read: Mutex::new(None) };
        let _alone = live.lock()?;
        if live.files.stamp(path).is_ok() {
            return Err(Failure::new(AE_DICTIONARY_ALREADY_EXISTS, path.display().to_string()));
        }
        live.files.replace(path, text::write(contents).as_bytes())?;
        drop(_alone);
        Ok(live)
    }

    /// Opens a file.
    ///
    /// Errors: AE_CANNOT_OPEN_DICTIONARY for one that is no dictionary.
    pub fn open(files: Arc<dyn FileSystem>, path: &Path) -> Result<Live> {
        let live = Live { files, path: path.to_owned(), read: Mutex::new(None) };
        live.contents()?;
        Ok(live)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The current contents of the dictionary.
    pub fn contents(&self) -> Result<Arc<Contents>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // The time before the stamp: a write between the two is then too young, and not missed.
        let now = SystemTime::now();
        let cannot = |error: mainstay_types::Error| Failure::new(AE_CANNOT_OPEN_DICTIONARY, error.to_string());
        let stamp = self.files.stamp(&self.path).map_err(cannot)?;
        if let Some((known, true, contents)) = &*read
            && *known == stamp
        {
            return Ok(Arc::clone(contents));
        }
        let bytes = self.files.read(&self.path).map_err(cannot)?;
        let contents = Arc::new(match vendor::is_one(&bytes) {
            true => {
                let memo = files::existing(&self.path.with_extension("am"));
                let memo = memo.and_then(|path| self.files.read(&path).ok());
                vendor::read(&bytes, memo.as_deref())?
            }
            false => text::read(&bytes)?,
        });
        *read = Some((stamp, stamp.is_settled(now), Arc::clone(&contents)));
        Ok(contents)
    }

    /// Changes the dictionary: what `work` makes of it is in the file when this returns, or nothing of it is.
    ///
    /// Errors: those of `work`; AE_DD_REQUEST_NOT_COMPLETED for a dictionary in the vendor's format.
    pub fn change<T>(&self, work: impl FnOnce(&mut Contents) -> Result<T>) -> Result<T> {
        self.contents()?.check_may_change()?;
        let _alone = self.lock()?;
        let before = self.contents()?;
        let mut contents = Contents::clone(&before);
        let answer = work(&mut contents)?;
        if contents != *before {
            self.files.replace(&self.path, text::write(&contents).as_bytes())?;
            *self.read.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(answer)
    }

    fn lock(&self) -> Result<Box<dyn mainstay_vfs::FolderLock>> {
        let mut path = self.path.as_os_str().to_owned();
        path.push(".lock");
        let until = Instant::now() + LONGEST_WAIT;
        loop {
            match self.files.lock(Path::new(&path)) {
                Err(error) if error.code() == Code::Busy && Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) if error.code() == Code::Busy => {
                    return Err(Failure::new(AE_LOCK_FAILED, "the dictionary is being changed by somebody else"));
                }
                locked => return Ok(locked?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::Disk;

    #[test]
    fn changes_of_many_are_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.add");
        let first = Live::create(Arc::new(Disk), &path, &Contents::new(None)).unwrap();
        assert!(Live::create(Arc::new(Disk), &path, &Contents::new(None)).is_err());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let live = Live::open(Arc::new(Disk), path).unwrap();
                    for number in 0..10 {
                        let name = format!("t{thread}_{number}");
                        live.change(|contents| contents.add(ADS_DD_TABLE_OBJECT, "", &name).map(|_| ())).unwrap();
                    }
                });
            }
        });
        assert_eq!(first.contents().unwrap().all(ADS_DD_TABLE_OBJECT).count(), 40);
    }

    #[test]
    fn a_refused_change_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.add");
        let live = Live::create(Arc::new(Disk), &path, &Contents::new(None)).unwrap();
        let before = live.contents().unwrap();
        let refused: Result<()> = live.change(|contents| {
            contents.add(ADS_DD_TABLE_OBJECT, "", "a")?;
            Err(AE_PERMISSION_DENIED.into())
        });
        assert_eq!(refused.unwrap_err().code, AE_PERMISSION_DENIED);
        assert_eq!(live.contents().unwrap(), before);
    }
}
