//! The state that all transactions of a store share: the order of commits, and the structures for views and waits.
//!
//! ```text
//!   commits (a mutex)   the last commit number; the order of frames in the journal
//!   published           the last commit that new views see; raised in order, after the journal has its promise kept
//! ```
//!
//! When the journal fails, the store has failed: later writes are refused with the reason, and nothing is retried,
//! because after a failed sync the state of the disk is unknown. Unpublished commits stay invisible.

use super::history::History;
use super::locks::RowLocks;
use super::log::Journal;
use super::names::NameLocks;
use super::ranges::RangeLocks;
use super::refusal::HolderNames;
use super::views::Views;
use super::waits::{NAP, Waits};
use crate::catalog::Cataloged;
use crate::catalog::sequences::Sequences;
use crate::journal::Durability;
use crate::journal::payload::MovePlace;
use crate::journal::redo::RedoBuffer;
use crate::memory::RowMemory;
use mainstay_types::{Code, Error, Result, interrupt};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The state of all transactions of a store.
pub(crate) struct Shared {
    commits: Mutex<Commits>,
    published: AtomicU64,
    next_transaction: AtomicU64,
    /// At least as high as any number that was given out for the catalog.
    next_id: AtomicU64,
    failure: OnceLock<Error>,
    /// Why nothing that is kept may be changed.
    read_only: OnceLock<Error>,
    publishing: Condvar,
    pub(crate) views: Views,
    pub(crate) waits: Waits,
    pub(crate) locks: RowLocks,
    pub(crate) ranges: RangeLocks,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) names: NameLocks,
    pub(crate) sequences: Sequences,
    pub(crate) memory: RowMemory,
    pub(crate) damaged_runs: DamagedRuns,
    /// The place for files of a transaction's own; none in memory.
    pub(crate) scratch: OnceLock<MovePlace>,
    /// Names the sessions of transactions, for the errors of locks.
    pub(crate) holder_names: OnceLock<HolderNames>,
    /// The catalog as it is committed and published.
    cataloged: RwLock<Arc<Cataloged>>,
    /// Its version, to detect a change cheaply.
    version: AtomicU64,
    /// The number of catalog states that have their commit number and are not published.
    unpublished: AtomicUsize,
}

/// The files of indexes that could not be read. The indexes were made from the rows instead, and the next checkpoint makes
/// other files.
#[derive(Default)]
pub(crate) struct DamagedRuns(Mutex<(HashSet<u64>, Vec<Error>)>);

impl DamagedRuns {
    /// Takes note of some, of which at least one could not be read for this reason.
    pub(crate) fn note(&self, runs: &[u64], reason: &Error) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.0.extend(runs);
        known.1.push(reason.clone());
    }

    /// Their numbers.
    pub(crate) fn numbers(&self) -> HashSet<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    /// Forgets those that a checkpoint has replaced.
    pub(crate) fn forget(&self, runs: &HashSet<u64>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.retain(|number| !runs.contains(number));
    }

    /// Why they could not be read.
    pub(crate) fn reasons(&self) -> Vec<Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }
}

/// The state that is changed in commit order.
pub(crate) struct Commits {
    /// The last commit number given out.
    pub(crate) last: u64,
    /// The changes of commits that serializable transactions validate against.
    pub(crate) history: History,
    /// The catalog as of the last commit number, which may not be published yet.
    pub(crate) cataloged: Arc<Cataloged>,
    /// The states of it that are not, with their commits.
    unpublished: VecDeque<(u64, Arc<Cataloged>)>,
    /// The last commits that asked to be this durable.
    last_full: u64,
    last_os: u64,
}

impl Commits {
    /// The durability of a commit that asks for this: at least that of the unpublished commits before it, since a
    /// transaction that sees it sees them too.
    pub(crate) fn effective(&mut self, asked: Durability, published: u64) -> Durability {
        let effective = match asked {
            Durability::Full => Durability::Full,
            _ if self.last_full > published => Durability::Full,
            Durability::None if self.last_os > published => Durability::Os,
            other => other,
        };
        match effective {
            Durability::Full => self.last_full = self.last,
            Durability::Os => self.last_os = self.last,
            Durability::None => {}
        }
        effective
    }
}

impl Commits {
    /// The last commit that no view has seen yet because the journal is not durable up to it.
    pub(crate) fn unseen(&self, published: u64) -> Option<u64> {
        Some(self.last_full.max(self.last_os)).filter(|last| *last > published)
    }
}

impl Shared {
    /// The state of a store in which commits up to this number have happened.
    pub(crate) fn new(journal: Arc<dyn Journal>, last: u64) -> Shared {
        Shared {
            commits: Mutex::new(Commits {
                last,
                history: History::default(),
                cataloged: Arc::default(),
                unpublished: VecDeque::new(),
                last_full: 0,
                last_os: 0,
            }),
            published: AtomicU64::new(last),
            next_transaction: AtomicU64::new(1),
            next_id: AtomicU64::new(1),
            failure: OnceLock::new(),
            read_only: OnceLock::new(),
            publishing: Condvar::new(),
            views: Views::new(),
            waits: Waits::default(),
            locks: RowLocks::default(),
            ranges: RangeLocks::default(),
            journal,
            names: NameLocks::default(),
            sequences: Sequences::default(),
            memory: RowMemory::default(),
            damaged_runs: DamagedRuns::default(),
            scratch: OnceLock::new(),
            holder_names: OnceLock::new(),
            cataloged: RwLock::default(),
            version: AtomicU64::new(0),
            unpublished: AtomicUsize::new(0),
        }
    }

    /// Continues with this commit and catalog, as recovery has found them.
    pub(crate) fn start_at(&self, last: u64, cataloged: Arc<Cataloged>) {
        {
            let mut commits = self.commits();
            commits.last = last;
            commits.cataloged = Arc::clone(&cataloged);
        }
        self.published.store(last, Ordering::SeqCst);
        self.set_cataloged(cataloged);
    }

    /// Logs the value with which a sequence continues after a crash, and waits until that is as durable as the store
    /// guarantees.
    ///
    /// Errors: those of the journal. The store takes no changes then.
    pub(crate) fn journal_sequence(&self, sequence: u64, next: i64) -> Result<()> {
        if self.journal.redo().is_none() {
            return Ok(());
        }
        let mut redo = RedoBuffer::new();
        redo.sequence(sequence, next);
        let ticket = {
            let commits = self.commits();
            self.check()?;
            self.journal.append(commits.last, &redo.seal(commits.last).into())
        };
        ticket.and_then(|ticket| self.journal.wait(ticket)).map_err(|error| self.fail(error))
    }

    /// A number for the catalog that nothing had before.
    pub(crate) fn new_id(&self) -> u64 {
        let least = self.cataloged().catalog.next_id;
        self.next_id.fetch_max(least, Ordering::AcqRel);
        self.next_id.fetch_add(1, Ordering::AcqRel)
    }

    /// The catalog as everybody sees it.
    pub(crate) fn cataloged(&self) -> Arc<Cataloged> {
        Arc::clone(&self.cataloged.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets everybody see another catalog.
    pub(crate) fn set_cataloged(&self, cataloged: Arc<Cataloged>) {
        let version = cataloged.version;
        *self.cataloged.write().unwrap_or_else(PoisonError::into_inner) = cataloged;
        self.version.store(version, Ordering::Release);
    }

    /// The version of the catalog that everybody sees, or that of one just before.
    #[inline]
    pub(crate) fn catalog_version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// A number for a transaction that writes.
    ///
    /// Errors: the store has failed before.
    pub(crate) fn start_writing(&self) -> Result<u64> {
        self.check()?;
        Ok(self.next_transaction.fetch_add(1, Ordering::Relaxed))
    }

    /// Errors: the reason why the store takes no writes any more.
    pub(crate) fn check(&self) -> Result<()> {
        match self.failure.get() {
            Some(cause) => {
                let message = format!("the store takes no changes any more: {}", cause.message());
                Err(Error::new(Code::Io, message).hint("open the store again; what was acknowledged is safe"))
            }
            None => Ok(()),
        }
    }

    /// Refuses changes of persistent data from now on: before the store is in use.
    pub(crate) fn set_read_only(&self, reason: Error) {
        let _ = self.read_only.set(reason);
        self.cataloged().tables.values().for_each(|table| table.set_replaced(true));
    }

    /// Why nothing that is kept may be changed, if that is so.
    pub(crate) fn read_only(&self) -> Option<&Error> {
        self.read_only.get()
    }

    /// Errors: the reason why what is kept cannot be changed.
    pub(crate) fn check_changeable(&self) -> Result<()> {
        self.read_only.get().map_or(Ok(()), |reason| Err(reason.clone()))?;
        self.check()
    }

    /// Remembers that the journal failed, and wakes all transactions that wait for a publication.
    pub(crate) fn fail(&self, cause: Error) -> Error {
        let _ = self.failure.set(cause.clone());
        // There will be no checkpoints any more; what waits for one is refused when it commits.
        self.memory.set_keeper(None);
        let _commits = self.commits();
        self.publishing.notify_all();
        cause
    }

    pub(crate) fn commits(&self) -> MutexGuard<'_, Commits> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last commit that new views see.
    pub(crate) fn published(&self) -> &AtomicU64 {
        &self.published
    }

    /// The number of the last commit that new views see.
    #[inline]
    pub(crate) fn last_published(&self) -> u64 {
        self.published.load(Ordering::Acquire)
    }

    /// Lets new views see everything up to this commit. The journal's promise covers all commits before, too.
    pub(crate) fn publish(&self, commit: u64) {
        // A transaction with a number behind a state of the catalog has seen it counted, under the mutex that gave the
        // number.
        match self.unpublished.load(Ordering::Acquire) {
            0 => drop(self.published.fetch_max(commit, Ordering::SeqCst)),
            _ => self.publish_with_catalog(commit),
        }
        // A transaction that waits for publication holds the mutex while looking, and is woken with the writers.
        if self.waits.waiting() > 0 {
            let _commits = self.commits();
            self.publishing.notify_all();
        }
    }

    /// The same, with the catalog as it is up to this commit. Both become visible at once: a transaction with a view at
    /// the commit that reads the catalog then finds it as of the commit or later.
    #[cold]
    fn publish_with_catalog(&self, commit: u64) {
        let mut commits = self.commits();
        let mut last = None;
        while let Some((_, cataloged)) = commits.unpublished.pop_front_if(|(of, _)| *of <= commit) {
            last = Some(cataloged);
        }
        self.unpublished.store(commits.unpublished.len(), Ordering::Release);
        let mut place = self.cataloged.write().unwrap_or_else(PoisonError::into_inner);
        self.published.fetch_max(commit, Ordering::SeqCst);
        if let Some(cataloged) = last {
            self.version.store(cataloged.version, Ordering::Release);
            *place = cataloged;
        }
    }

    /// Notes the catalog as of a commit that has just got its number; everybody sees it when that is published.
    pub(crate) fn note_catalog(&self, commits: &mut Commits, commit: u64, cataloged: Arc<Cataloged>) {
        commits.cataloged = Arc::clone(&cataloged);
        commits.unpublished.push_back((commit, cataloged));
        self.unpublished.store(commits.unpublished.len(), Ordering::Release);
    }

    /// Gives a change of what is not in the journal the next number, and has it stamped: the number, and the last commit
    /// before that has to keep a promise yet.
    pub(crate) fn commit_unlogged(&self, stamp: impl FnOnce(u64)) -> (u64, Option<u64>) {
        let mut commits = self.commits();
        let unseen = commits.unseen(self.published.load(Ordering::Acquire));
        commits.last += 1;
        stamp(commits.last);
        (commits.last, unseen)
    }

    /// Publishes a commit behind another one.
    ///
    /// Errors: the store failed; neither ever will be.
    pub(crate) fn publish_after(&self, commit: u64, unseen: Option<u64>) -> Result<()> {
        if let Some(unseen) = unseen {
            self.wait_published(unseen)?;
        }
        self.publish(commit);
        Ok(())
    }

    /// Waits until this commit is published. Not to be interrupted: for commits that are decided themselves.
    ///
    /// Errors: the store failed; it never will be.
    pub(crate) fn wait_published(&self, commit: u64) -> Result<()> {
        if self.published.load(Ordering::Acquire) >= commit {
            return Ok(());
        }
        let _whole = interrupt::suspended();
        self.wait_published_for(commit, None).map(drop)
    }

    /// Waits until this commit is published, at most so long. Returns true if it is.
    ///
    /// Errors: the store failed, and it never will be; those of [`interrupt`].
    pub(crate) fn wait_published_for(&self, commit: u64, timeout: Option<Duration>) -> Result<bool> {
        let is_published = || self.published.load(Ordering::SeqCst) >= commit;
        if is_published() {
            return Ok(true);
        }
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        // Before the mutex is taken: the thread that publishes looks at the count first, and takes the mutex to wake.
        self.waits.count_in();
        let mut commits = self.commits();
        let outcome = loop {
            if is_published() {
                break Ok(true);
            }
            if let Err(error) = self.check().and_then(|()| interrupt::check()) {
                break Err(error);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let nap = interrupt::is_in_force().then_some(NAP);
            commits = match left.into_iter().chain(nap).min() {
                Some(Duration::ZERO) => break Ok(false),
                Some(pause) => self.publishing.wait_timeout(commits, pause).unwrap_or_else(PoisonError::into_inner).0,
                None => self.publishing.wait(commits).unwrap_or_else(PoisonError::into_inner),
            };
        };
        self.waits.count_out();
        outcome
    }

    /// The oldest commit that a view reads at.
    pub(crate) fn horizon(&self) -> u64 {
        self.views.horizon(&self.published)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transaction::NoJournal;

    #[test]
    fn a_lazy_commit_waits_for_stricter_ones_that_nobody_has_seen() {
        let shared = Shared::new(Arc::new(NoJournal), 0);
        let mut commits = shared.commits();
        let mut ask = |last, asked, published| {
            commits.last = last;
            commits.effective(asked, published)
        };
        assert_eq!(ask(1, Durability::None, 0), Durability::None);
        assert_eq!(ask(2, Durability::Full, 1), Durability::Full);
        assert_eq!(ask(3, Durability::None, 1), Durability::Full, "it would show commit 2");
        assert_eq!(ask(4, Durability::Os, 3), Durability::Os);
        assert_eq!(ask(5, Durability::None, 3), Durability::Os, "it would show commit 4");
        assert_eq!(ask(6, Durability::None, 5), Durability::None);
    }

    #[test]
    fn what_is_not_in_the_journal_waits_for_promises_that_are_to_be_kept() {
        let shared = Shared::new(Arc::new(NoJournal), 0);
        assert_eq!(shared.commit_unlogged(|_| {}), (1, None));
        shared.publish_after(1, None).unwrap();
        {
            let mut commits = shared.commits();
            commits.last = 2;
            commits.effective(Durability::Full, 1);
        }
        assert_eq!(shared.commit_unlogged(|_| {}), (3, Some(2)));
        std::thread::scope(|scope| {
            let behind = scope.spawn(|| shared.publish_after(3, Some(2)));
            while shared.waits.waiting() == 0 && !behind.is_finished() {
                std::thread::yield_now();
            }
            assert_eq!(shared.published().load(Ordering::SeqCst), 1, "commit 3 would show commit 2");
            shared.publish(2);
            behind.join().unwrap().unwrap();
        });
        assert_eq!(shared.published().load(Ordering::SeqCst), 3);
    }
}
