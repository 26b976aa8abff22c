//! The locks of index files: one byte or a pool of bytes; a writer takes the whole pool, a reader one byte.

use super::{LockPlan, LockWait, release_all, take};
use mainstay_types::Result;
use mainstay_vfs::{ByteRange, LockHolder, LockMode, WritableFile};

/// The lock of an index file for writing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexLock {
    plan: LockPlan,
}

impl IndexLock {
    /// The lock of the index files of a table with this lock plan.
    pub(crate) fn of(plan: LockPlan) -> IndexLock {
        IndexLock { plan }
    }

    /// Takes it, waiting for each of its parts as told.
    pub(crate) fn take(self, file: &dyn WritableFile, wait: LockWait) -> Result<()> {
        let ranges = self.plan.index();
        for (place, range) in ranges.iter().enumerate() {
            if let Err(error) = take_whole(file, range, wait) {
                ranges.iter().take(place).try_for_each(|taken| file.unlock_range(taken))?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Gives it back.
    pub(crate) fn release(self, file: &dyn WritableFile) -> Result<()> {
        self.plan.index().release(file)
    }

    /// Asks once for the lock for reading.
    pub(crate) fn try_read(self, file: &dyn WritableFile) -> Result<Option<ReadingLock>> {
        ReadingLock::try_take(file, self.plan)
    }

    /// The holder of a lock that prevents reading.
    pub(crate) fn holder(self, file: &dyn WritableFile) -> Result<Option<LockHolder>> {
        self.plan.index().holder(file, LockMode::Shared)
    }
}

/// Where readers take bytes of a pool one by one, the first byte comes first: it keeps other writers away while the
/// readers of now are waited for.
fn take_whole(file: &dyn WritableFile, range: ByteRange, wait: LockWait) -> Result<()> {
    let what = || "the index".to_owned();
    if range.length == 1 {
        return take(file, range, wait, what);
    }
    if file.try_lock_range(range, LockMode::Exclusive)? {
        return Ok(());
    }
    let first = ByteRange { start: range.start, length: 1 };
    take(file, first, wait, what)?;
    let pool = ByteRange { start: range.start + 1, length: range.length - 1 };
    let taken = take(file, pool, wait, what);
    if taken.is_err() {
        file.unlock_range(first)?;
    }
    taken
}

/// The lock of an index file for reading: writers are excluded until it is released.
#[derive(Clone, Copy, Debug)]
#[must_use = "it has to be given back"]
pub struct ReadingLock([Option<ByteRange>; 2]);

impl ReadingLock {
    /// Asks once for one byte of each lock of the index files of a table, shared.
    ///
    /// Errors: `Unsupported` where there are no locks.
    pub fn try_take(file: &dyn WritableFile, plan: LockPlan) -> Result<Option<ReadingLock>> {
        let mut locked = ReadingLock([None; 2]);
        for (range, place) in plan.index().iter().zip(0..) {
            let byte = ByteRange { start: range.start + u64::from(range.length > 1), length: 1 };
            let taken = file.try_lock_range(byte, LockMode::Shared);
            if !matches!(taken, Ok(true)) {
                locked.release(file)?;
                return taken.map(|_| None);
            }
            if let Some(known) = locked.0.get_mut(place) {
                *known = Some(byte);
            }
        }
        Ok(Some(locked))
    }

    /// Gives it back.
    ///
    /// Errors: those of the system.
    pub fn release(self, file: &dyn WritableFile) -> Result<()> {
        release_all(self.0.into_iter().flatten(), |byte| file.unlock_range(byte))
    }
}
