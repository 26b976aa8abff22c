//! A store in a folder: opened, checkpointed, closed.
//!
//! ```text
//!   open     lock -> manifest -> group files -> journal      recover.rs     then the journal goes on
//!   commit   frame -> write -> sync                          journal.rs     (the order is the commits')
//!   checkpoint   next journal -> group files -> manifest     checkpoint.rs  while others go on
//!   backup, restore, check                                   backup.rs
//! ```
//!
//! `docs/durability.md` lists what is promised, and the test that fails when a promise is broken.
//!
//! Limits: opening reads all rows, to build the indexes; indexes are in memory, rows are mapped.

mod backup;
mod checkpoint;
mod journal;
mod recover;

use crate::catalog::Cataloged;
use crate::files::{Manifest, StoreFolder};
use crate::journal::{Durability, random_salt};
use crate::store::Store;
use crate::transaction::Journal;
use crate::transaction::shared::Shared;
use journal::StoreJournal;
use mainstay_base::{Code, Error, Result};
use mainstay_vfs::{FileSystem, FolderLock};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The name of the lock file in the folder.
const LOCK: &str = "lock";

/// How a store in a folder works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// How durable a commit is before it is acknowledged, unless its transaction says otherwise.
    pub durability: Durability,
    /// A checkpoint is taken when the journal has this many bytes; `None`: only when it is asked for, and at the end.
    pub checkpoint_bytes: Option<u64>,
}

impl Default for StoreOptions {
    /// Full durability, and a checkpoint for every 64 MiB of journal.
    fn default() -> StoreOptions {
        StoreOptions { durability: Durability::Full, checkpoint_bytes: Some(64 << 20) }
    }
}

/// What a store in a folder has besides what is in memory.
pub(crate) struct Durable {
    files: Arc<Files>,
    /// Takes checkpoints when the journal has grown.
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// The files of a store, for whoever takes a checkpoint.
struct Files {
    folder: StoreFolder,
    journal: Arc<StoreJournal>,
    /// The last checkpoint; locked while one is taken.
    manifest: Mutex<Manifest>,
    /// Held as long as the store is open.
    _lock: Box<dyn FolderLock>,
}

impl Files {
    fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Opens the store in a folder, and makes it if there is none. Recovers by itself what a crash has left.
    ///
    /// Errors: `Busy` when another process has it open; `Damaged` and `Unsupported` for files that are not as they were
    /// written, with their place; those of the file system.
    pub fn open(fs: Arc<dyn FileSystem>, folder: &Path, options: StoreOptions) -> Result<Store> {
        fs.create_folder(folder)?;
        let lock = fs.lock(&folder.join(LOCK))?;
        let folder = StoreFolder::new(Arc::clone(&fs), folder);
        let journal = Arc::new(StoreJournal::new(options.durability));
        let shared = Arc::new(Shared::new(Arc::clone(&journal) as Arc<dyn Journal>, 0));
        let manifest = match folder.load()? {
            None => {
                let manifest = Manifest { journal: 1, next_file: 1, ..Manifest::default() };
                folder.remove_leftovers(&manifest)?;
                journal.set(folder.initialize(&manifest, random_salt())?);
                manifest
            }
            Some(manifest) => {
                let recovered = recover::recover(&folder, &manifest, &shared)?;
                folder.remove_leftovers(&manifest)?;
                // Synced before anything is acknowledged on top of it.
                journal.set(recovered.resume(folder.fs())?);
                manifest
            }
        };
        let files = Arc::new(Files { folder, journal, manifest: Mutex::new(manifest), _lock: lock });
        let keeper = options.checkpoint_bytes.map(|bytes| start_keeper(&files, &shared, bytes)).transpose()?;
        Ok(Store::of(shared, Some(Durable { files, keeper: Mutex::new(keeper) })))
    }

    /// Takes a checkpoint and ends the store: what comes later is refused. Opening it again reads no journal.
    ///
    /// Errors: those of the checkpoint. What was acknowledged is safe then, too.
    pub fn close(self) -> Result<()> {
        self.end()
    }

    /// Refuses further changes, and brings everything into the files.
    fn end(&self) -> Result<()> {
        let Some(durable) = &self.durable else { return Ok(()) };
        durable.files.journal.watch(None, u64::MAX);
        let keeper = durable.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            // It ends by itself when nobody can call it any more.
            let _ = keeper.join();
        }
        if self.shared.check().is_err() {
            return Ok(());
        }
        let outcome = durable.files.checkpoint(&self.shared, true);
        self.shared.fail(Error::new(Code::Internal, "the store is closed"));
        outcome
    }
}

impl Drop for Store {
    /// As [`Store::close`], as well as can be: there is nobody to tell.
    fn drop(&mut self) {
        let _ = self.end();
        // Tables know what their transactions share, and that knew the tables.
        self.shared.set_cataloged(Arc::new(Cataloged::default()));
        self.shared.commits().cataloged = Arc::default();
    }
}

/// Starts the thread that takes a checkpoint when the journal has this many bytes.
fn start_keeper(files: &Arc<Files>, shared: &Arc<Shared>, bytes: u64) -> Result<JoinHandle<()>> {
    let (sender, receiver): (SyncSender<()>, Receiver<()>) = sync_channel(1);
    files.journal.watch(Some(sender), bytes);
    let (files, shared) = (Arc::clone(files), Arc::clone(shared));
    let keep = move || {
        while receiver.recv().is_ok() {
            // Asked again while the last one was under way, perhaps for the journal that it has ended.
            if files.journal.bytes() >= bytes && files.checkpoint(&shared, false).is_err() {
                // The store has failed and says so to everybody who writes.
                break;
            }
        }
    };
    let thread = std::thread::Builder::new().name("checkpoint".into()).spawn(keep);
    thread.map_err(|error| Error::new(Code::Io, format!("the checkpoint thread could not be started: {error}")))
}
