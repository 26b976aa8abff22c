//! A store in a folder: opened, checkpointed, closed.
//!
//! ```text
//!   open     lock -> manifest -> group files -> journal      recover.rs     then the journal goes on
//!                                        in limited memory   relief.rs
//!   commit   frame -> write -> sync                          journal.rs     (the order is the commits')
//!   checkpoint   next journal -> group files -> manifest     checkpoint.rs  while others go on
//!   where nothing may be written: read, and refuse changes   read_only.rs
//!   what is left of a damaged store, to be read              salvage.rs
//!   backup, restore, check                                   backup.rs
//! ```
//!
//! `docs/durability.md` lists the guarantees, each with the test that fails when it is broken.
//!
//! Opening reads the manifest, small tables, the last group of each other table, and the journal since the checkpoint. All
//! else is mapped, and verified when it is first read: group files as a whole, runs of indexes by their blocks.

mod backup;
mod checkpoint;
mod journal;
mod locator;
mod read_only;
mod recover;
mod relief;
mod room;
mod runs;
mod salvage;

use crate::catalog::Cataloged;
use crate::files::{Manifest, StoreFolder};
use crate::journal::payload::MovePlace;
use crate::journal::{Durability, FILE_HEADER, random_salt};
use crate::memory::redo_bytes;
use crate::store::Store;
use crate::transaction::Journal;
use crate::transaction::shared::Shared;
use journal::StoreJournal;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{FileSystem, FolderLock};
use relief::Relief;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The name of the lock file in the folder.
const LOCK: &str = "lock";

/// The default of [`StoreOptions::whole_bytes`]: about ten thousand rows, which take some milliseconds.
const WHOLE_BYTES: u64 = 512 << 10;

/// The options of a store in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The durability that a commit needs before it is acknowledged, unless its transaction sets another one.
    pub durability: Durability,
    /// A checkpoint is taken in the background when the journals since the last one have this many bytes, those that were found
    /// when the store was opened included: it bounds what the next start has to read. `None`: only when it is asked for, and
    /// at the end.
    pub checkpoint_bytes: Option<u64>,
    /// The limit of bytes of rows that are in memory only: a checkpoint is taken at half of it, and writers wait for it
    /// at the whole. `None`: no limit. The essay of the module `memory` lists the rows that count.
    pub memory_bytes: Option<usize>,
    /// Tables whose rows take at most so many bytes in memory are read whole when the store is opened, and their indexes are made
    /// from their rows. Of larger ones checkpoints keep the indexes, and rows are read when they are needed.
    pub whole_bytes: u64,
    /// Columns of sealed groups are encoded where that saves space. Encoded files are read either way.
    pub encodes: bool,
}

impl StoreOptions {
    /// Full durability, a checkpoint for every 64 MiB of journal, and at most 1 GiB of rows in memory only.
    pub const DEFAULT: StoreOptions = StoreOptions {
        durability: Durability::Full,
        checkpoint_bytes: Some(64 << 20),
        memory_bytes: Some(1 << 30),
        whole_bytes: WHOLE_BYTES,
        encodes: true,
    };
}

impl Default for StoreOptions {
    /// [`StoreOptions::DEFAULT`].
    fn default() -> StoreOptions {
        StoreOptions::DEFAULT
    }
}

/// The state on disk of a store in a folder.
pub(crate) struct Durable {
    files: Arc<Files>,
    /// Takes checkpoints when the journal has grown.
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// The files of a store, for checkpoints.
struct Files {
    folder: StoreFolder,
    journal: Arc<StoreJournal>,
    /// The last checkpoint; locked while one is taken.
    manifest: Mutex<Manifest>,
    /// Bytes of the journal when nothing in it was newer than the files; `u64::MAX` while that cannot be said.
    clean_bytes: AtomicU64,
    /// As [`StoreOptions::whole_bytes`].
    whole_bytes: u64,
    /// As [`StoreOptions::encodes`].
    encodes: bool,
    /// Held as long as the store is open.
    _lock: Box<dyn FolderLock>,
}

impl Files {
    fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the files of a new store.
    ///
    /// Errors: those of the file system.
    fn initialize(&self) -> Result<()> {
        let manifest = Manifest { journal: 1, next_file: 1, ..Manifest::default() };
        self.folder.remove_moved()?;
        self.folder.remove_leftovers(&manifest)?;
        self.journal.set(self.folder.initialize(&manifest, random_salt())?);
        *self.manifest() = manifest;
        Ok(())
    }

    /// Fills a store from the files of this manifest, and takes up its journal.
    ///
    /// Errors: those of [`recover::recover`] and of the file system.
    fn recover(&self, manifest: Manifest, shared: &Arc<Shared>) -> Result<()> {
        self.manifest().clone_from(&manifest);
        let relief = Relief::new(self);
        let replayed = recover::recover(&self.folder, &manifest, shared, self.whole_bytes, Some(relief))?;
        self.folder.complete(&manifest)?;
        self.folder.remove_moved()?;
        let written = replayed.manifest.unwrap_or_default();
        self.folder.remove_unneeded(&[&manifest, &written])?;
        // Synced before anything is acknowledged on top of it.
        self.journal.set(replayed.end.resume(self.folder.fs())?);
        let clean_bytes = if replayed.frames == 0 { self.journal.bytes() } else { u64::MAX };
        self.clean_bytes.store(clean_bytes, Ordering::Release);
        if !written.tables.is_empty() {
            *self.manifest() = written;
        }
        Ok(())
    }
}

impl Store {
    /// Opens the store in a folder, and creates it if it does not exist. Recovers from a crash by itself.
    ///
    /// Without write access to the folder the store is opened read-only: [`Store::open_read_only`].
    ///
    /// A table whose rows cannot be read is no error: its lookups return the reason, and [`Store::damage`] has it.
    ///
    /// Errors: `Busy` when another process has it open; `Damaged` and `Unsupported` for a manifest and journals that are not
    /// as they were written, with their place; those of the file system.
    pub fn open(fs: Arc<dyn FileSystem>, folder: &Path, options: StoreOptions) -> Result<Store> {
        if !fs.is_folder(folder) {
            fs.create_folder(folder)?;
        }
        let lock = match fs.lock(&folder.join(LOCK)) {
            Err(error) if error.is_denied() => return read_only::open(fs, folder, options.memory_bytes, &error),
            lock => lock?,
        };
        let from_bytes = redo_bytes(options.memory_bytes);
        let place = MovePlace { fs: Arc::clone(&fs), folder: folder.to_owned(), from_bytes };
        let journal = Arc::new(StoreJournal::new(options.durability, place.clone()));
        let shared = Arc::new(Shared::new(Arc::clone(&journal) as Arc<dyn Journal>, 0));
        let folder = StoreFolder::new(Arc::clone(&fs), folder).with_resident(&shared.memory.resident);
        shared.memory.limit_to(options.memory_bytes.unwrap_or(usize::MAX));
        let StoreOptions { whole_bytes, encodes, .. } = options;
        let (manifest, clean_bytes) = (Mutex::default(), AtomicU64::new(FILE_HEADER as u64));
        let files = Arc::new(Files { folder, journal, manifest, clean_bytes, whole_bytes, encodes, _lock: lock });
        let _ = shared.scratch.set(place);
        match files.folder.load()? {
            None => files.initialize()?,
            Some(manifest) => files.recover(manifest, &shared)?,
        }
        let keeper = start_keeper(&files, &shared, &options)?;
        Ok(Store::of(shared, Some(Durable { files, keeper: Mutex::new(keeper) })))
    }

    /// Takes a checkpoint if anything has changed since the last one, and ends the store: what comes later is refused.
    /// Opening it again reads no journal.
    ///
    /// Errors: those of the checkpoint. Acknowledged commits are safe then, too.
    pub fn close(self) -> Result<()> {
        self.end()
    }

    /// Refuses further changes, and brings everything into the files.
    fn end(&self) -> Result<()> {
        let Some(durable) = &self.durable else { return Ok(()) };
        durable.files.journal.watch(None, u64::MAX);
        self.shared.memory.set_keeper(None);
        let keeper = durable.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            // The thread ends by itself when no sender is left.
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
    /// As [`Store::close`], but errors cannot be reported.
    fn drop(&mut self) {
        let _ = self.end();
        // Tables know what their transactions share, and that knew the tables.
        self.shared.set_cataloged(Arc::new(Cataloged::default()));
        self.shared.commits().cataloged = Arc::default();
    }
}

/// Starts the thread that takes a checkpoint when the journal or the rows in memory have so many bytes, if the options
/// ask for it.
fn start_keeper(files: &Arc<Files>, shared: &Arc<Shared>, options: &StoreOptions) -> Result<Option<JoinHandle<()>>> {
    if options.checkpoint_bytes.is_none() && options.memory_bytes.is_none() {
        return Ok(None);
    }
    let bytes = options.checkpoint_bytes.unwrap_or(u64::MAX);
    let (sender, receiver): (SyncSender<()>, Receiver<()>) = sync_channel(1);
    // Journals found at the start count as well: another crash would have them read again.
    let found = files.folder.journal_bytes(files.manifest().journal)?.saturating_sub(files.journal.bytes());
    files.journal.watch(Some(sender.clone()), bytes.saturating_sub(found));
    if files.journal.bytes() >= files.journal.watched_bytes() {
        let _ = sender.try_send(());
    }
    shared.memory.set_keeper(Some(sender));
    let (files, shared) = (Arc::clone(files), Arc::clone(shared));
    let keep = move || {
        while receiver.recv().is_ok() {
            room::make_room(&shared);
            // A request during the last checkpoint may be about the journal that it has ended.
            if files.journal.bytes() < files.journal.watched_bytes() && !shared.memory.is_half_full() {
                continue;
            }
            let outcome = files.checkpoint(&shared, false);
            if shared.check().is_err() {
                // The store has failed, and its writers get the error.
                break;
            }
            // Nothing is lost when one fails. It is tried again when as much has come once more.
            let grown = files.journal.bytes().saturating_add(bytes);
            files.journal.watch_from(if outcome.is_ok() { bytes } else { grown });
        }
    };
    let thread = std::thread::Builder::new().name("checkpoint".into()).spawn(keep);
    thread
        .map(Some)
        .map_err(|error| Error::new(Code::Io, format!("the checkpoint thread could not be started: {error}")))
}
