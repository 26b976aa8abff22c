//! Users of open files, and the records that are extracted: between the sessions of one process.
//!
//! One process at a time has a store open, so nobody else needs to know.

use mainstay_basic_files::{FileError, FileErrorKind, Result, SessionId};
use mainstay_store::{Store, Transaction};
use mainstay_types::interrupt;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often a wait looks at the wish to end it.
const LOOK: Duration = Duration::from_millis(20);

/// The files that sessions have open, by the number of their table.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    files: Mutex<HashMap<u64, Arc<SharedFile>>>,
}

/// The state that channels on one file share.
#[derive(Debug, Default)]
pub(crate) struct SharedFile {
    state: Mutex<State>,
    changed: Condvar,
    /// How many records are extracted: readers look no further while there are none.
    extracted: AtomicUsize,
    /// The next identifier of a record; 0 until it is known.
    next_id: AtomicU64,
    /// True if a session has the file alone: then its channels gather their changes.
    is_alone: AtomicBool,
    gathered: Mutex<Gathered>,
    /// Counts the changes of all channels.
    changes: AtomicU64,
}

/// Changes of a file that a session has alone, not committed yet.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) transaction: Option<Transaction>,
    pub(crate) changes: usize,
}

impl fmt::Debug for Gathered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gathered").field("changes", &self.changes).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    /// Channels by session.
    opens: HashMap<SessionId, usize>,
    locked_by: Option<SessionId>,
    /// Extracted records, each with its session and how many of its channels.
    records: HashMap<u64, (SessionId, usize)>,
}

/// The open files of each store of the process.
static STORES: Mutex<Vec<(Weak<Store>, Arc<OpenFiles>)>> = Mutex::new(Vec::new());

impl OpenFiles {
    /// The open files of a store: one list for all volumes and statements that use it.
    pub(crate) fn of(store: &Arc<Store>) -> Arc<OpenFiles> {
        let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
        stores.retain(|(known, _)| known.strong_count() > 0);
        let is_it = |(known, _): &&(Weak<Store>, Arc<OpenFiles>)| std::ptr::eq(known.as_ptr(), Arc::as_ptr(store));
        if let Some((_, files)) = stores.iter().find(is_it) {
            return Arc::clone(files);
        }
        let files = Arc::new(OpenFiles::default());
        stores.push((Arc::downgrade(store), Arc::clone(&files)));
        files
    }

    /// The state that channels on a table share.
    pub(crate) fn file(&self, table: u64) -> Arc<SharedFile> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        // Files that nobody has open are forgotten here and not when they are closed: that is the rarer place.
        files.retain(|_, file| Arc::strong_count(file) > 1 || file.is_open() || file.has_given_ids());
        Arc::clone(files.entry(table).or_default())
    }

    /// The files that a session has alone.
    pub(crate) fn alone(&self, session: SessionId) -> Vec<Arc<SharedFile>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.values().filter(|file| file.is_alone() && file.lock().locked_by == Some(session)).cloned().collect()
    }

    /// Forgets a file that is gone.
    pub(crate) fn forget(&self, table: u64) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).remove(&table);
    }

    /// Sees that no session has a file open.
    ///
    /// Errors: 0.
    pub(crate) fn check_closed(&self, table: u64) -> Result<()> {
        if self.file(table).is_open() { Err(busy("a session has the file open")) } else { Ok(()) }
    }
}

impl SharedFile {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if records were given identifiers: the next one follows them, even while the records are not committed.
    fn has_given_ids(&self) -> bool {
        self.next_id.load(Ordering::Acquire) != 0
    }

    fn is_open(&self) -> bool {
        !self.lock().opens.is_empty()
    }

    /// Waits until a condition gives something, or the time is over.
    fn wait<T>(&self, wait: Duration, message: &str, mut attempt: impl FnMut(&mut State) -> Option<T>) -> Result<T> {
        let until = Instant::now() + wait;
        let mut state = self.lock();
        loop {
            if let Some(done) = attempt(&mut state) {
                return Ok(done);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(busy(message));
            }
            interrupt::check()?;
            let waited = self.changed.wait_timeout(state, left.min(LOOK));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Opens a channel, for this session alone if it `locks`.
    ///
    /// Errors: 0.
    pub(crate) fn open(&self, session: SessionId, locks: bool, wait: Duration) -> Result<()> {
        self.wait(wait, "another session has the file open or locked", |state| {
            let is_locked = state.locked_by.is_some_and(|other| other != session);
            let is_shared = state.opens.keys().any(|other| *other != session);
            if is_locked || locks && is_shared {
                return None;
            }
            *state.opens.entry(session).or_default() += 1;
            if locks {
                state.locked_by = Some(session);
                self.is_alone.store(true, Ordering::Release);
            }
            Some(())
        })
    }

    /// Closes a channel.
    pub(crate) fn close(&self, session: SessionId, has_lock: bool) {
        let mut state = self.lock();
        if let Some(count) = state.opens.get_mut(&session) {
            *count -= 1;
            if *count == 0 {
                state.opens.remove(&session);
            }
        }
        if has_lock {
            state.locked_by = None;
            self.is_alone.store(false, Ordering::Release);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Takes the file for a session that has it open.
    ///
    /// Errors: 0.
    pub(crate) fn lock_file(&self, session: SessionId, wait: Duration) -> Result<()> {
        self.wait(wait, "another session has the file open", |state| {
            let is_shared = state.opens.keys().any(|other| *other != session);
            (!is_shared).then(|| {
                state.locked_by = Some(session);
                self.is_alone.store(true, Ordering::Release);
            })
        })
    }

    /// Shares the file again.
    pub(crate) fn unlock_file(&self) {
        self.lock().locked_by = None;
        self.is_alone.store(false, Ordering::Release);
        self.changed.notify_all();
    }

    /// True if a session has the file alone. To whom it matters that is the own one: others have no channel then.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.is_alone.load(Ordering::Acquire)
    }

    /// The changes that the channels of the session have gathered.
    pub(crate) fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that is another one after each change of a channel.
    #[inline]
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Counts a change.
    pub(crate) fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Takes the lock of a record.
    ///
    /// Errors: 0.
    pub(crate) fn lock_record(&self, id: u64, session: SessionId, wait: Duration) -> Result<()> {
        self.wait(wait, "another session has extracted the record", |state| {
            let entry = state.records.entry(id).or_insert((session, 0));
            if entry.0 != session {
                return None;
            }
            entry.1 += 1;
            Some(())
        })?;
        self.extracted.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// Gives a record back.
    pub(crate) fn unlock_record(&self, id: u64) {
        let mut state = self.lock();
        if let Some(entry) = state.records.get_mut(&id) {
            entry.1 -= 1;
            if entry.1 == 0 {
                state.records.remove(&id);
            }
            self.extracted.fetch_sub(1, Ordering::AcqRel);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Returns when no other session has extracted a record: whether there was a wait.
    ///
    /// Errors: 0.
    #[inline]
    pub(crate) fn check_record(&self, id: u64, session: SessionId, wait: Duration) -> Result<bool> {
        if self.extracted.load(Ordering::Acquire) == 0 {
            return Ok(false);
        }
        let mut has_waited = false;
        self.wait(wait, "another session has extracted the record", |state| {
            let is_free = state.records.get(&id).is_none_or(|(other, _)| *other == session);
            has_waited |= !is_free;
            is_free.then_some(())
        })?;
        Ok(has_waited)
    }

    /// The next identifier of a record, where `last` gives the greatest one in use.
    pub(crate) fn next_id(&self, last: impl FnOnce() -> Result<u64>) -> Result<u64> {
        if self.next_id.load(Ordering::Acquire) == 0 {
            let next = last()? + 1;
            self.next_id.fetch_max(next, Ordering::AcqRel);
        }
        Ok(self.next_id.fetch_add(1, Ordering::AcqRel))
    }

    /// Takes note of an identifier in use.
    pub(crate) fn note_id(&self, id: u64) {
        self.next_id.fetch_max(id + 1, Ordering::AcqRel);
    }
}

fn busy(message: &str) -> FileError {
    FileError::new(FileErrorKind::Busy, message)
}
