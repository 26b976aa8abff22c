//! A store in a folder that can be read but not written: a medium without write access, another user's files.
//!
//! Its rows are read as in any other opening, the journal's included, and no file is touched: no lock taken, no torn
//! tail cut off, nothing removed. Tables that are not persistent (temporary ones) can be written; a change of a
//! persistent object is refused with the reason.
//!
//! Without the lock another process, which may write, can have the store open. So the manifest is read again at the
//! end, and if it has changed by then, everything is read anew. Later commits of that process are not seen.

use super::WHOLE_BYTES;
use super::recover::recover;
use crate::files::StoreFolder;
use crate::store::Store;
use crate::transaction::NoJournal;
use crate::transaction::shared::Shared;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::path::Path;
use std::sync::Arc;

/// Times that a store is read whose files change meanwhile.
const ATTEMPTS: usize = 5;

impl Store {
    /// Opens the store in a folder read-only, and writes nothing into the folder. A missing store is opened as an empty
    /// one.
    ///
    /// Every change of persistent data is refused with `ReadOnly`: rows of tables in the catalog, the catalog,
    /// sequences.
    ///
    /// Errors: `Busy` when another process keeps changing it; `Damaged` and `Unsupported` for its files; those of the
    /// file system.
    pub fn open_read_only(fs: Arc<dyn FileSystem>, folder: &Path) -> Result<Store> {
        open(fs, folder, None, &Error::new(Code::ReadOnly, "it was opened so"))
    }

    /// Why the store is open for reading only, if it is.
    pub fn read_only(&self) -> Option<&Error> {
        self.shared.read_only()
    }
}

/// Opens a store for reading only, for this reason. Decoded columns take their part of the memory for rows, which are not
/// written here.
pub(super) fn open(
    fs: Arc<dyn FileSystem>,
    folder: &Path,
    memory_bytes: Option<usize>,
    cause: &Error,
) -> Result<Store> {
    let folder = StoreFolder::new(fs, folder);
    for _ in 0..ATTEMPTS {
        let shared = Arc::new(Shared::new(Arc::new(NoJournal), 0));
        if let Some(bytes) = memory_bytes {
            shared.memory.limit_files_to(bytes);
        }
        let folder = folder.clone().with_resident(&shared.memory.resident);
        let before = folder.load().ok();
        let outcome = match &before {
            Some(Some(manifest)) => recover(&folder, manifest, &shared, WHOLE_BYTES, None).map(|_| ()),
            Some(None) => Ok(()),
            None => folder.load().map(|_| ()),
        };
        // Files that were removed meanwhile are no damage.
        let is_same = before.is_some() && folder.load().ok() == before;
        match outcome {
            Ok(()) if is_same => {
                let message = format!("the database is open for reading only: {}", cause.message());
                let hint = "let this user write to the folder, and open the database again";
                let reason = Error::new(Code::ReadOnly, message).at(folder.path().display()).hint(hint);
                shared.set_read_only(reason);
                return Ok(Store::of(shared, None));
            }
            Err(error) if is_same || before.is_none() => return Err(error),
            _ => {}
        }
    }
    let message = "another process changes the database while it is read";
    Err(Error::new(Code::Busy, message).at(folder.path().display()).hint("try again"))
}
