//! One index file of a table open for writing: its lock, its tags' expressions, and a reader of its contents.
//!
//! **The lock.** Beside others, keys are changed under the lock of the index file ([`LockBytes::index`]), taken for one
//! change and released when its pages are written. Its new holder checks for writes of other programs, and reads the
//! changed pages again ([`BagWriter::begin`]).
//!
//! **Reading.** [`OpenBag::reader`] gives the current keys of the file, own changes included. A reader belongs to one
//! state of the file; the file's update counter and stamp show if it is still valid, and where neither proves anything
//! (plain IDX and Visual FoxPro's CDX, written just before) it is opened again.
//!
//! [`LockBytes::index`]: crate::lock::LockBytes::index

use crate::collation::KeyOrder;
use crate::dbf::Dbf;
use crate::index::write::BagWriter;
use crate::index::{Bag, BagKind, KeyFamily, Tag, TagHeader};
use crate::keys::TagKeys;
use crate::lock::{IndexLock, LockWait, ReadingLock};
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::{Create, File, FileSystem, LockMode, Stamp, WritableFile};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

/// An index file of a table.
#[derive(Debug)]
pub(super) struct OpenBag {
    pub(super) path: PathBuf,
    /// It has the table's name, and is opened and closed with it.
    pub(super) is_structural: bool,
    /// The open file, or why it cannot be written to: then no record of the table is changed.
    live: Result<Live>,
}

/// An index file that can be written to.
#[derive(Debug)]
pub(super) struct Live {
    file: Arc<dyn WritableFile>,
    pub(super) writer: BagWriter,
    /// For each tag, what was understood of it, or why not.
    pub(super) keys: Vec<Result<TagKeys>>,
    /// The definitions that they were understood from.
    known: Vec<TagHeader>,
    /// Tags whose text was looked at: see `trust.rs`.
    pub(super) looked_at: BTreeSet<usize>,
    /// It is known in which order the tags are, and which letters their programs know.
    is_settled: bool,
    index_lock: IndexLock,
    alone: bool,
    is_locked: bool,
    reader: Option<Reader>,
}

/// The keys of one state of the file.
#[derive(Debug)]
struct Reader {
    bag: Arc<Bag>,
    head: [u8; 16],
    stamp: Stamp,
    is_settled: bool,
}

/// The sharing and locking of a table's index files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sharing {
    pub(super) alone: bool,
    pub(super) lock: IndexLock,
    pub(super) wait: LockWait,
}

impl OpenBag {
    /// Opens the index file that is the table's by its name. One that cannot be written to is kept with the reason.
    pub(super) fn structural(fs: &dyn FileSystem, path: &Path, dbf: &Dbf, how: Sharing) -> Result<OpenBag> {
        let live = match Live::open(fs, path, dbf, how) {
            Err(error) if error.code() == Code::Busy => return Err(error),
            live => live,
        };
        Ok(OpenBag { path: path.to_owned(), is_structural: true, live })
    }

    /// Opens another index file of the table.
    pub(super) fn open(fs: &dyn FileSystem, path: &Path, dbf: &Dbf, how: Sharing) -> Result<OpenBag> {
        let live = Ok(Live::open(fs, path, dbf, how)?);
        Ok(OpenBag { path: path.to_owned(), is_structural: false, live })
    }

    /// The file, if it can be written to.
    pub(super) fn live(&self) -> Result<&Live> {
        self.live.as_ref().map_err(|error| self.refusal(error))
    }

    pub(super) fn live_mut(&mut self) -> Result<&mut Live> {
        match &mut self.live {
            Ok(live) => Ok(live),
            Err(error) => Err(refused(&self.path, error)),
        }
    }

    fn refusal(&self, error: &Error) -> Error {
        refused(&self.path, error)
    }
}

fn refused(path: &Path, error: &Error) -> Error {
    let message = format!("an index of the table cannot be kept up: {}", error.message());
    let refused = Error::new(error.code(), message).at(path.display());
    match error.hint_text() {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}

impl Live {
    fn open(fs: &dyn FileSystem, path: &Path, dbf: &Dbf, how: Sharing) -> Result<Live> {
        let file = fs.create(path, Create::Existing)?;
        share(&*file, how)?;
        Live::of(file, dbf, how)
    }

    /// A file that is open already. It is locked while its headers are read, so that no half-written ones are.
    pub(super) fn of(file: Arc<dyn WritableFile>, dbf: &Dbf, how: Sharing) -> Result<Live> {
        if !how.alone {
            how.lock.take(&*file, how.wait)?;
        }
        let writer = BagWriter::open(Arc::clone(&file));
        if !how.alone {
            how.lock.release(&*file)?;
        }
        let (keys, known, mut writer) = (Vec::new(), Vec::new(), writer?);
        writer.keep_images(!how.alone);
        let mut live = Live {
            file,
            writer,
            keys,
            known,
            looked_at: BTreeSet::new(),
            is_settled: false,
            index_lock: how.lock,
            alone: how.alone,
            is_locked: false,
            reader: None,
        };
        live.learn(dbf)?;
        Ok(live)
    }

    /// Understands the tags as they are now.
    pub(super) fn learn(&mut self, dbf: &Dbf) -> Result<()> {
        self.known = self.writer.tags().cloned().collect();
        self.looked_at.clear();
        self.keys = self.writer.tags().map(|header| TagKeys::new(header, dbf)).collect();
        for (tag, keys) in self.keys.iter().enumerate() {
            if let Ok(keys) = keys {
                self.writer.set_key_type(tag, keys.key_type)?;
            }
        }
        let is_text = |keys: &Result<TagKeys>| {
            keys.as_ref().is_ok_and(|keys| keys.key_type.family() == KeyFamily::Character || keys.depends_on_letters())
        };
        self.is_settled = !self.keys.iter().any(is_text);
        Ok(())
    }

    /// Returns true if the order and the letters of the tags are known.
    pub(super) fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// Finds out in which order the tags are, and which letters their programs know.
    pub(super) fn settle(&mut self, dbf: &Dbf) -> Result<()> {
        if std::mem::replace(&mut self.is_settled, true) {
            return Ok(());
        }
        // One that cannot be read is found to be damaged when it is changed.
        let Ok(bag) = self.reader() else { return Ok(()) };
        let recognise = |(header, keys): (&TagHeader, &Result<TagKeys>)| {
            let known = keys.as_ref().ok()?;
            // Numbers of tags differ where one was added or dropped since.
            let tag = bag.tag(bag.find(&header.name)?, known.key_type).ok()?;
            Some((known.clone().recognised(&tag, dbf), tag))
        };
        let mut found: Vec<Option<(TagKeys, Tag)>> = self.writer.tags().zip(&self.keys).map(recognise).collect();
        let national = found.iter().flatten().find_map(|(keys, _)| match keys.key_type.order() {
            KeyOrder::National(national) => Some(national),
            _ => None,
        });
        for (number, known) in found.iter_mut().enumerate() {
            let Some((keys, tag)) = known.take() else { continue };
            let keys = match &national {
                Some(national) => keys.joined(&tag, dbf, national),
                None => keys,
            };
            self.writer.set_key_type(number, keys.key_type)?;
            self.keys[number] = Ok(keys);
        }
        Ok(())
    }

    /// Takes the lock, and notices what others have written; whether tags were added, dropped or changed.
    pub(super) fn lock(&mut self, dbf: &Dbf, wait: LockWait) -> Result<bool> {
        if self.alone || self.is_locked {
            return Ok(false);
        }
        self.index_lock.take(&*self.file, wait)?;
        self.is_locked = true;
        let begun = self.begin(dbf);
        if begun.is_err() {
            self.unlock()?;
        }
        begun
    }

    fn begin(&mut self, dbf: &Dbf) -> Result<bool> {
        if !self.writer.begin()? {
            return Ok(false);
        }
        let same = |(now, before): (&TagHeader, &TagHeader)| is_same_definition(now, before);
        let is_same = self.known.len() == self.writer.tags().len() && self.writer.tags().zip(&self.known).all(same);
        if !is_same {
            self.learn(dbf)?;
        }
        Ok(!is_same)
    }

    /// The file is locked so from now on; it must not be locked.
    pub(super) fn lock_by(&mut self, lock: IndexLock) {
        self.index_lock = lock;
    }

    /// Gives the lock back; what was changed is written, or forgotten, before.
    pub(super) fn unlock(&mut self) -> Result<()> {
        if std::mem::take(&mut self.is_locked) {
            self.index_lock.release(&*self.file)?;
        }
        Ok(())
    }

    /// Returns true if the lock is held; exclusive use needs no lock.
    pub(super) fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// Writes what was changed, with everything on the disk if that is wanted.
    pub(super) fn write(&mut self, durable: bool) -> Result<()> {
        if !self.writer.is_changed() {
            return Ok(());
        }
        if durable { self.writer.sync() } else { self.writer.flush() }
    }

    /// The keys as they are in the file now, the own ones included.
    pub(super) fn reader(&mut self) -> Result<Arc<Bag>> {
        if !self.is_locked {
            self.write(false)?;
        }
        let now = SystemTime::now();
        let (mut head, stamp) = ([0; 16], self.file.stamp()?);
        self.file.read_exact_at(&mut head, 0)?;
        let counts = self.writer.spec().by_harbour || matches!(self.writer.kind(), BagKind::Ntx | BagKind::CompoundNtx);
        let is_current =
            |reader: &&Reader| reader.head == head && reader.stamp == stamp && (counts || reader.is_settled);
        if let Some(reader) = self.reader.as_ref().filter(is_current) {
            return Ok(Arc::clone(&reader.bag));
        }
        let bag = Arc::new(Bag::open(Arc::clone(&self.file) as Arc<dyn File>)?);
        let is_settled = stamp.is_settled(now) || self.writer.knows(stamp);
        self.reader = Some(Reader { bag: Arc::clone(&bag), head, stamp, is_settled });
        Ok(bag)
    }

    /// Fails if a tag is not understood, and so could not be made anew.
    pub(super) fn must_be_understood(&self) -> Result<()> {
        let other = self.writer.tags().zip(&self.keys).find_map(|(header, keys)| Some((header, keys.as_ref().err()?)));
        other.map_or(Ok(()), |(header, error)| Err(not_kept_up(header, error)))
    }

    /// Claims the whole file in another way than it was opened.
    pub(super) fn claim(&self, mode: LockMode) -> Result<bool> {
        self.file.try_share(mode)
    }

    /// Waits for writers, and excludes them while pages are read.
    pub(super) fn lock_for_reading(&self, wait: LockWait) -> Result<Option<ReadingLock>> {
        if self.alone || self.is_locked {
            return Ok(None);
        }
        let begun = Instant::now();
        loop {
            if let Some(locked) = self.index_lock.try_read(&*self.file)? {
                return Ok(Some(locked));
            }
            if begun.elapsed() >= wait.timeout {
                let holder = self.index_lock.holder(&*self.file)?;
                let holder = holder.map_or_else(|| "another program".to_owned(), |holder| holder.to_string());
                let message = format!("the index is locked by {holder}");
                return Err(Error::new(Code::Busy, message).at(self.file.path().display()).hint("try again later"));
            }
            interrupt::check()?;
            std::thread::sleep(wait.interval);
        }
    }

    pub(super) fn unlock_reading(&self, locked: Option<ReadingLock>) -> Result<()> {
        locked.map_or(Ok(()), |locked| locked.release(&*self.file))
    }
}

/// The error for a tag that is not understood.
#[cold]
pub(super) fn not_kept_up(header: &TagHeader, error: &Error) -> Error {
    let message = format!(
        "the tag {} cannot be kept up, so no record is changed: {} (its key is {})",
        header.name,
        error.message(),
        header.key_text()
    );
    Error::new(error.code(), message).hint("drop the tag, or change the table with the program that made it")
}

/// Returns true if two headers define the same tag at the same place; its root may have moved.
fn is_same_definition(now: &TagHeader, before: &TagHeader) -> bool {
    let of = |header: &TagHeader| {
        let flags = (header.unique, header.descending, header.candidate, header.custom, header.ignore_case);
        (header.header_offset, header.key_length, flags)
    };
    of(now) == of(before)
        && now.name_bytes == before.name_bytes
        && now.key_bytes == before.key_bytes
        && now.for_bytes == before.for_bytes
}

/// Claims an index file as the table is claimed.
pub(super) fn share(file: &dyn WritableFile, how: Sharing) -> Result<()> {
    let mode = if how.alone { LockMode::Exclusive } else { LockMode::Shared };
    let begun = Instant::now();
    while !file.try_share(mode)? {
        if begun.elapsed() >= how.wait.timeout {
            let message = "another program has the index open";
            return Err(Error::new(Code::Busy, message).at(file.path().display()).hint("close it there, or try later"));
        }
        interrupt::check()?;
        std::thread::sleep(how.wait.interval);
    }
    Ok(())
}
