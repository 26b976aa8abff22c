//! An open index file of an area.
//!
//! Its pages are those of one state of the file. While the file's stamp is old and unchanged, there was no write, and
//! pages are read directly. A young stamp proves nothing: another program may be between two of its writes. Then the
//! file is *doubtful*, and pages are read under the lock that every writer takes ([`IndexFile::lock`]), after a check
//! that they are unchanged: writers raise a counter in the header (Harbour's CDX at byte 8, NTX at byte 2). Files
//! without a counter are read again each time until their stamp is old enough.
//!
//! Where the counter is raised, pages in memory are used without the lock while it is unchanged: a writer that is still
//! at work has not changed them, and one that has finished has raised it ([`IndexFile::holds_unlocked`]). FoxPro does
//! not raise the counter in a file that Harbour has made; its writes there are detected by the stamp, which is then
//! read every 5 ms.
//!
//! Changes by the area's own writer are known: see [`IndexFile::note_state`]. Its writes leave other stamps, which are
//! identified by their times ([`KnownStamp`]).
//!
//! Limits: a file that may not be opened for writing cannot be locked; reading it during a write may then miss records.

use crate::freshness::LOOK_AGAIN_AFTER;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, File, FileSystem, WritableFile};
use mainstay_xbase::index::write::{BagState, KnownStamp};
use mainstay_xbase::index::{Bag, BagKind};
use mainstay_xbase::lock::{LockPlan, LockWait, ReadingLock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The bytes at the start of the file in which every format keeps its counter.
const HEAD_BYTES: usize = 16;

/// Up to so many bytes of pages in memory none is read that is not kept, which is how one notices that pages were read.
const UNLOCKED_BYTES: usize = 32 << 20;

/// Options for reading an area's index files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Nobody else has them open.
    pub(crate) alone: bool,
    /// The locks for reading.
    pub(crate) locks: LockPlan,
    /// The time to wait for a writer.
    pub(crate) wait: LockWait,
}

/// One open index file.
#[derive(Debug)]
pub(crate) struct IndexFile {
    /// A number that no other file of the area has or had.
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) bag: Bag,
    /// Counts how often the file was read anew.
    pub(crate) version: u64,
    file: Arc<dyn File>,
    /// The same, to be locked.
    lockable: Option<Arc<dyn WritableFile>>,
    head: [u8; HEAD_BYTES],
    known: KnownStamp,
    /// The writer's number of reloads in the same state.
    reloads: Option<u64>,
    /// True if a later write is certain to give the file another stamp.
    settled: bool,
    /// Pages of another state may have been read.
    is_mixed: bool,
    /// The time of the last check under the lock, unless a new check was requested since.
    verified: Option<Instant>,
    /// When the stamp was last seen to be this one.
    stamped: Option<Instant>,
    /// The number of reads at the last check.
    reads: u64,
    how: Reading,
}

impl IndexFile {
    pub(crate) fn open(fs: &dyn FileSystem, path: &Path, number: u32, how: Reading) -> Result<IndexFile> {
        let lockable = if how.alone { None } else { fs.create(path, Create::Existing).ok() };
        let file = match &lockable {
            Some(file) => Arc::clone(file) as Arc<dyn File>,
            None => fs.open(path)?,
        };
        let locked = lock(lockable.as_deref(), how)?;
        let read = (SystemTime::now(), head(&*file), Bag::open(Arc::clone(&file)));
        unlock(lockable.as_deref(), locked)?;
        let (now, head, bag) = (read.0, read.1?, read.2?);
        let (path, reads, stamp) = (path.to_owned(), bag.reads(), bag.stamp());
        let settled = stamp.is_settled(now);
        let (version, reloads, is_mixed, verified, stamped) = (1, None, false, None, None);
        Ok(IndexFile {
            number,
            path,
            bag,
            version,
            file,
            lockable,
            head,
            known: KnownStamp::of(stamp),
            reloads,
            settled,
            is_mixed,
            verified,
            stamped,
            reads,
            how,
        })
    }

    /// Looks whether the file has changed; if so it is doubtful.
    pub(crate) fn look(&mut self) -> Result<()> {
        self.verified = None;
        if self.settled && !self.how.alone && !self.known.is(self.file.stamp()?) {
            self.settled = false;
        }
        Ok(())
    }

    /// Returns true if pages have to be read under the lock, after [`IndexFile::verify`].
    pub(crate) fn is_doubtful(&self) -> bool {
        !self.how.alone && (!self.settled || self.is_mixed)
    }

    /// Returns true if the pages in memory were verified recently enough for one step.
    pub(crate) fn is_fresh(&self) -> bool {
        !self.is_mixed && self.verified.is_some_and(|verified| verified.elapsed() < LOOK_AGAIN_AFTER)
    }

    /// Takes the lock for reading, if the file can be locked; writers are excluded until it is released.
    pub(crate) fn lock(&self) -> Result<Option<ReadingLock>> {
        lock(self.lockable.as_deref(), self.how)
    }

    pub(crate) fn unlock(&self, locked: Option<ReadingLock>) -> Result<()> {
        unlock(self.lockable.as_deref(), locked)
    }

    /// Under the lock: reads the file anew unless what was read is still true.
    pub(crate) fn verify(&mut self) -> Result<()> {
        let now = SystemTime::now();
        self.verified = Some(Instant::now());
        if !self.is_mixed && self.counts() && self.is_as_read()? {
            self.settled = self.known.asked().is_settled(now);
            self.reads = self.bag.reads();
            return Ok(());
        }
        self.read_anew()
    }

    /// Returns true if the pages of a doubtful file that are in memory are true without the lock. After they were used
    /// it has to be asked whether others were read besides: [`IndexFile::still_holds`].
    pub(crate) fn holds_unlocked(&mut self) -> Result<bool> {
        if self.is_mixed || self.bag.kept_bytes() > UNLOCKED_BYTES || !self.counts() {
            return Ok(false);
        }
        if head(&*self.file)? != self.head {
            return Ok(false);
        }
        // The stamp reveals writes that do not raise the counter; reading it makes the next write slower.
        if self.stamped.is_none_or(|stamped| stamped.elapsed() >= LOOK_AGAIN_AFTER) {
            let now = SystemTime::now();
            if !self.is_stamped()? {
                return Ok(false);
            }
            self.stamped = Some(Instant::now());
            self.settled = self.known.asked().is_settled(now);
        }
        (self.verified, self.reads) = (Some(Instant::now()), self.bag.reads());
        Ok(true)
    }

    /// Returns true if all pages that were used since are of one state: none was read, or the free lock shows that
    /// there was no write.
    pub(crate) fn still_holds(&mut self) -> Result<bool> {
        let reads = self.bag.reads();
        if reads == self.reads {
            return Ok(true);
        }
        let locked = self.lock()?;
        let holds = self.is_as_read();
        self.unlock(locked)?;
        self.reads = reads;
        self.is_mixed = !holds?;
        Ok(!self.is_mixed)
    }

    fn is_as_read(&mut self) -> Result<bool> {
        Ok(head(&*self.file)? == self.head && self.is_stamped()?)
    }

    /// Returns true if the file's stamp is that of what was read, and of what the area's own writer has written since.
    fn is_stamped(&mut self) -> Result<bool> {
        let stamp = self.file.stamp()?;
        let is_known = self.known.is(stamp);
        if is_known {
            self.known = KnownStamp::of(stamp);
        }
        Ok(is_known)
    }

    /// After pages were used: whether those that were read meanwhile are of the state of before, as
    /// they are under the lock. If not, the file is doubtful.
    pub(crate) fn is_consistent(&mut self, locked: bool) -> Result<bool> {
        let reads = self.bag.reads();
        if self.how.alone || reads == self.reads {
            return Ok(true);
        }
        self.reads = reads;
        if locked {
            return Ok(true);
        }
        // Where there is no lock to be had, the stamp has to do, however young it is.
        let is_doubtful = !self.settled && self.lockable.is_some();
        self.is_mixed = is_doubtful || !self.is_stamped()?;
        Ok(!self.is_mixed)
    }

    /// Notes that the pages read may be of several states.
    pub(crate) fn doubt(&mut self) {
        self.is_mixed = true;
    }

    /// The writer of the same area is in this state now, before it writes or after. If it was in the same state as what
    /// was read here, and only it has written since, the pages read are still valid except for the trees that the
    /// change touched.
    pub(crate) fn note_state(&mut self, state: BagState) {
        let own_only = self.reloads == Some(state.reloads);
        if state.head == self.head && state.known.is_as(&self.known) {
            self.reloads = Some(state.reloads);
        } else if own_only && self.counts() {
            (self.head, self.known, self.settled) = (state.head, state.known, false);
            self.stamped = Some(Instant::now());
        } else {
            self.reloads = None;
        }
    }

    /// Returns true if every program that writes to the file raises the counter in its header: FoxPro does not.
    fn counts(&self) -> bool {
        match self.bag.kind() {
            BagKind::Ntx | BagKind::CompoundNtx => true,
            BagKind::Cdx => self.bag.tags().first().is_some_and(|tag| tag.by_harbour),
            BagKind::Adi | BagKind::CompactIdx | BagKind::PlainIdx => false,
        }
    }

    /// Reads the file anew.
    pub(crate) fn read_anew(&mut self) -> Result<()> {
        let now = SystemTime::now();
        self.head = head(&*self.file)?;
        self.bag = Bag::open(Arc::clone(&self.file))?;
        let stamp = self.bag.stamp();
        (self.known, self.settled) = (KnownStamp::of(stamp), stamp.is_settled(now));
        (self.reloads, self.is_mixed, self.stamped) = (None, false, None);
        self.reads = self.bag.reads();
        self.version += 1;
        Ok(())
    }
}

/// Takes the lock for reading; a writer takes it for itself.
fn lock(file: Option<&dyn WritableFile>, how: Reading) -> Result<Option<ReadingLock>> {
    let Some(file) = file else { return Ok(None) };
    let begun = Instant::now();
    loop {
        match ReadingLock::try_take(file, how.locks) {
            Ok(Some(locked)) => return Ok(Some(locked)),
            // A file system without locks: other programs cannot lock there either.
            Err(error) if error.code() == Code::Unsupported => return Ok(None),
            Err(error) => return Err(error),
            Ok(None) => {}
        }
        if begun.elapsed() >= how.wait.timeout.max(Duration::from_secs(1)) {
            let message = "the index is locked by another program";
            return Err(Error::new(Code::Busy, message).at(file.path().display()).hint("try again later"));
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn unlock(file: Option<&dyn WritableFile>, locked: Option<ReadingLock>) -> Result<()> {
    match (file, locked) {
        (Some(file), Some(locked)) => locked.release(file),
        _ => Ok(()),
    }
}

fn head(file: &dyn File) -> Result<[u8; HEAD_BYTES]> {
    let mut head = [0; HEAD_BYTES];
    file.read_exact_at(&mut head, 0)?;
    Ok(head)
}
