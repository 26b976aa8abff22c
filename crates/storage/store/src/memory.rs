//! The memory of a store, and its limit: writers wait until a checkpoint has written their rows.
//!
//! The rows of a table are in groups; all but the last are full and never appended to again. A checkpoint writes full
//! groups to files and maps them in place of their memory. So the memory of rows is bounded by checkpoints that are
//! taken when full groups have gathered, and by writers that wait when groups fill faster than files are written:
//! ```text
//!   bytes of full groups      0 ............... most / 2 ................ most
//!   that are in no file       writers go on     and the keeper is called  writers wait for it
//! ```
//! The entries of these rows in indexes count with them, because the same checkpoint writes them to runs and drops them
//! where they are many.
//!
//! The limit of a store is divided:
//! ```text
//!   1/4 to 1/2, at most 144 MiB   unsaved rows and their index entries ("most" above)
//!   1/4                           decoded columns of files
//!   1/8 to 1/4                    pages of mapped files (`resident`)
//!   1/12                          index entries of a table that runs have as well
//!   1/16, at most 32 MiB          entries that a checkpoint sorts at once
//!   1/16, at most 32 MiB          the redo records of a transaction; more go to a file
//! ```
//!
//! A checkpoint frees the groups that were full when it began. One that fails frees nothing: waiting writers get its
//! error, and each later writer waits for one more attempt; so they continue once there is space on the disk again.
//!
//! Limits: only rows of persistent tables count. The last group of each table, indexes of up to a sixteenth of the limit
//! each, and stamps of versions are in memory as well; so are the changes of open transactions, and tables that are not
//! in the catalog, or not yet, because the transaction that creates them is open ([`crate::Accounts`] counts those).

use crate::resident::ResidentMemory;
use mainstay_types::{Code, Error, Result};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Unsaved rows and their index entries take at most this part of the limit, and at most so many bytes: what a
/// checkpoint writes in a second or two, so that more would not let writers go on for longer.
const UNSAVED_PART: usize = 2;
const UNSAVED_BYTES: usize = 144 << 20;
/// Under small limits they take a lesser part, which leaves so many bytes of the limit but has this part at least: a
/// checkpoint has buffers of its own, and the allocator keeps for a while what was freed.
const SMALL_UNSAVED_PART: usize = 4;
const BESIDES_UNSAVED_BYTES: usize = 96 << 20;
/// They may take all of a limit below this one: groups would be too small otherwise.
const FEW_UNSAVED_BYTES: usize = 4 << 20;
/// A group takes at most this part of the unsaved rows, but need not be smaller than the least. One write of a checkpoint
/// needs as much besides.
const GROUP_PART: usize = 8;
const LEAST_GROUP_BYTES: usize = 256 << 10;
/// Entries of an index that are sorted at once take at most this part of the limit, within these bytes.
const SORT_PART: usize = 16;
const SORT_BYTES: (usize, usize) = (1 << 20, 32 << 20);
/// The redo records of a transaction that are in memory: this part of the limit, within these bytes.
const REDO_PART: usize = 16;
const REDO_BYTES: (usize, usize) = (64 << 10, 32 << 20);
/// Pages of mapped files: a quarter of the limit less these bytes, and an eighth at least.
const RESIDENT_LESS_BYTES: usize = 32 << 20;
/// The least limit for pages of mapped files.
const LEAST_RESIDENT_BYTES: usize = 4 << 20;
/// Bytes of decoded columns where there is no limit on rows: in stores that are only read.
const DECODED_BYTES: usize = 256 << 20;
/// Decoded columns take at most this part of the limit.
const DECODED_PART: usize = 4;
/// A decoded column is given up when it was not read while there was no room for so many times the limit.
const PATIENCE: u64 = 4;
/// The least demand between two turns of giving up columns.
const LEAST_TURN_BYTES: u64 = 64 << 10;

/// The memory of a store's rows.
pub(crate) struct RowMemory {
    /// All that the store may take; `usize::MAX` for no limit.
    limit: AtomicUsize,
    /// The part of it for rows that are in no file.
    most: AtomicUsize,
    /// Bytes of full groups that no checkpoint has begun to write, with their index entries.
    full: AtomicUsize,
    state: Mutex<State>,
    changed: Condvar,
    /// The memory for decoded columns of files.
    pub(crate) decoded: Arc<DecodedMemory>,
    /// The memory for pages of mapped files.
    pub(crate) resident: Arc<ResidentMemory>,
}

/// The limit on columns of files that are kept decoded: a quarter of the memory for rows, beside it.
///
/// Columns that are read while there is room stay decoded. Readers of others compute single values, or decode a column
/// for one statement, and add its size to the *demand*, which serves as a clock:
///
/// ```text
///   demand    0 ........ 4 limits ........ 5 limits ........
///             column A read last           A was not read for more than PATIENCE limits: given up
/// ```
///
/// A scan of a table larger than the limit would replace every column just before it reads it again, if the column that
/// was read least recently made room for each new one. With patience a part of the table stays decoded, and columns of a table
/// that is not read any more make room. The thread that takes checkpoints removes them.
///
/// Limit: in a store that is only read there is no such thread, and the first columns that are read stay.
pub(crate) struct DecodedMemory {
    limit: AtomicUsize,
    used: AtomicUsize,
    /// Bytes of the columns for which there was no room.
    demand: AtomicU64,
    /// The demand at which columns are to be given up next.
    due: AtomicU64,
    /// The channel that requests it.
    keeper: Mutex<Option<SyncSender<()>>>,
}

/// A part of [`DecodedMemory`], given back when it is dropped.
pub(crate) struct Reserved {
    memory: Arc<DecodedMemory>,
    bytes: usize,
}

impl DecodedMemory {
    /// With a limit in bytes.
    pub(crate) fn new(limit: usize) -> DecodedMemory {
        let (used, demand, due) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(u64::MAX));
        DecodedMemory { limit: AtomicUsize::new(limit), used, demand, due, keeper: Mutex::default() }
    }

    /// Returns true if there is room for so many bytes now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.used.load(Ordering::Relaxed).saturating_add(bytes) <= self.limit.load(Ordering::Relaxed)
    }

    /// Notes that a column of so many bytes was read for which there was no room.
    pub(crate) fn demand(&self, bytes: usize) {
        let demand = self.demand.fetch_add(bytes as u64, Ordering::Relaxed).saturating_add(bytes as u64);
        if demand >= self.due.load(Ordering::Relaxed)
            && let Some(keeper) = &*self.keeper.lock().unwrap_or_else(PoisonError::into_inner)
        {
            // One call waiting is enough.
            let _ = keeper.try_send(());
        }
    }

    /// The demand so far: what a reader of a decoded column notes as the time.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.demand.load(Ordering::Relaxed)
    }

    /// Returns true if a column that was read last at this time is to be given up.
    pub(crate) fn is_forgotten(&self, last_read: u64) -> bool {
        let patience = (self.limit.load(Ordering::Relaxed) as u64).saturating_mul(PATIENCE);
        self.now().saturating_sub(last_read) > patience
    }

    /// Returns true if it is time to give up columns; it is time again after as much demand as the limit.
    pub(crate) fn takes_turn(&self) -> bool {
        let is_due = self.now() >= self.due.load(Ordering::Relaxed);
        if is_due {
            self.due.store(self.now().saturating_add(self.turn()), Ordering::Relaxed);
        }
        is_due
    }

    /// Sets the channel that is notified when columns are to be given up.
    fn set_keeper(&self, keeper: Option<SyncSender<()>>) {
        let due = if keeper.is_some() { self.now().saturating_add(self.turn()) } else { u64::MAX };
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = keeper;
        self.due.store(due, Ordering::Relaxed);
    }

    /// Demand between two turns.
    fn turn(&self) -> u64 {
        (self.limit.load(Ordering::Relaxed) as u64).max(LEAST_TURN_BYTES)
    }

    /// Takes so many bytes, if there are as many.
    pub(crate) fn reserve(memory: &Arc<DecodedMemory>, bytes: usize) -> Option<Reserved> {
        // Made first, so that it gives back what is too much.
        memory.used.fetch_add(bytes, Ordering::AcqRel);
        let reserved = Reserved { memory: Arc::clone(memory), bytes };
        (memory.used.load(Ordering::Acquire) <= memory.limit.load(Ordering::Relaxed)).then_some(reserved)
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

#[derive(Default)]
struct State {
    /// The channel that requests a checkpoint; `None` when none are taken.
    keeper: Option<SyncSender<()>>,
    /// Checkpoints that have failed.
    failures: u64,
    /// Why the last one did.
    cause: Option<Error>,
}

/// Bytes of redo records that a transaction has in memory, for a store with this limit.
pub(crate) fn redo_bytes(limit: Option<usize>) -> usize {
    (limit.unwrap_or(usize::MAX) / REDO_PART).clamp(REDO_BYTES.0, REDO_BYTES.1)
}

impl Default for RowMemory {
    /// Without a limit of rows. Decoded columns have the usual one: stores that are opened to be read have them, too.
    fn default() -> RowMemory {
        let (limit, most) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(usize::MAX));
        let decoded = Arc::new(DecodedMemory::new(DECODED_BYTES));
        let (full, state, changed) = (AtomicUsize::new(0), Mutex::default(), Condvar::new());
        RowMemory { limit, most, full, state, changed, decoded, resident: Arc::default() }
    }
}

impl RowMemory {
    /// Sets the limit in bytes.
    pub(crate) fn limit_to(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
        let small = (bytes / SMALL_UNSAVED_PART).max(bytes.saturating_sub(BESIDES_UNSAVED_BYTES));
        self.limit_unsaved_to(match bytes {
            usize::MAX => bytes,
            _ => (bytes / UNSAVED_PART).min(small).max(bytes.min(FEW_UNSAVED_BYTES)).min(UNSAVED_BYTES),
        });
        self.limit_files_to(bytes);
    }

    fn limit_unsaved_to(&self, bytes: usize) {
        self.most.store(bytes, Ordering::Relaxed);
    }

    /// Sets the limit for decoded columns and pages of files alone, to their part of these bytes.
    pub(crate) fn limit_files_to(&self, bytes: usize) {
        self.decoded.limit.store(bytes / DECODED_PART, Ordering::Relaxed);
        let resident = (bytes / 4).saturating_sub(RESIDENT_LESS_BYTES).max(bytes / 8).max(LEAST_RESIDENT_BYTES);
        self.resident.limit_to(if bytes == usize::MAX { bytes } else { resident });
    }

    /// The limit in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Sets the channel that is notified when half of the limit is reached; with `None` no writer waits any more.
    pub(crate) fn set_keeper(&self, keeper: Option<SyncSender<()>>) {
        self.decoded.set_keeper(keeper.clone());
        self.state().keeper = keeper;
        self.changed.notify_all();
        self.call();
    }

    /// The target size of a group in bytes.
    pub(crate) fn group_bytes(&self) -> usize {
        (self.most.load(Ordering::Relaxed).min(UNSAVED_BYTES) / GROUP_PART).max(LEAST_GROUP_BYTES)
    }

    /// Bytes of index entries that are sorted at once.
    pub(crate) fn sort_bytes(&self) -> usize {
        (self.limit() / SORT_PART).clamp(SORT_BYTES.0, SORT_BYTES.1)
    }

    /// A group has become full that takes so many bytes, with its entries in indexes.
    pub(crate) fn filled(&self, bytes: usize) {
        self.full.fetch_add(bytes, Ordering::AcqRel);
        self.call();
    }

    /// Bytes that a checkpoint which begins now will write.
    pub(crate) fn full_bytes(&self) -> usize {
        self.full.load(Ordering::Acquire)
    }

    /// Returns true if it is time for a checkpoint.
    pub(crate) fn is_half_full(&self) -> bool {
        self.full_bytes() >= (self.most.load(Ordering::Relaxed) / 2).max(1)
    }

    /// A checkpoint has written these bytes.
    pub(crate) fn freed(&self, bytes: usize) {
        self.full.fetch_sub(bytes, Ordering::AcqRel);
        self.state().cause = None;
        self.changed.notify_all();
    }

    /// Notes that a checkpoint has failed, or the store has: no writer need wait for it.
    pub(crate) fn not_freed(&self, cause: &Error) {
        let mut state = self.state();
        state.failures += 1;
        state.cause = Some(cause.clone());
        self.changed.notify_all();
    }

    /// Lets a writer go on when there is room for its rows. Must not be called under a table's latch, which a checkpoint
    /// needs.
    ///
    /// Errors: `OutOfMemory` with the reason why the checkpoint failed that was to make room.
    #[inline]
    pub(crate) fn admit(&self) -> Result<()> {
        if self.full.load(Ordering::Relaxed) < self.most.load(Ordering::Relaxed) { Ok(()) } else { self.wait() }
    }

    #[cold]
    fn wait(&self) -> Result<()> {
        let mut state = self.state();
        let failures = state.failures;
        loop {
            let is_full = self.full_bytes() >= self.most.load(Ordering::Relaxed);
            let Some(keeper) = state.keeper.as_ref().filter(|_| is_full) else { return Ok(()) };
            if let Some(cause) = state.cause.as_ref().filter(|_| state.failures > failures) {
                return Err(no_room(cause));
            }
            // One call waiting is enough.
            let _ = keeper.try_send(());
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn call(&self) {
        if self.is_half_full()
            && let Some(keeper) = &self.state().keeper
        {
            let _ = keeper.try_send(());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn no_room(cause: &Error) -> Error {
    let message = format!("the memory for rows is full, and they could not be written to files: {}", cause.message());
    Error::new(Code::OutOfMemory, message).hint("make room on the disk, roll back and run the transaction again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn writers_wait_for_room_and_are_told_when_there_will_be_none() {
        let memory = RowMemory::default();
        memory.filled(1 << 40);
        memory.admit().unwrap();
        memory.limit_unsaved_to(100);
        // There is no thread to write them.
        memory.admit().unwrap();
        let (sender, receiver) = sync_channel(1);
        memory.set_keeper(Some(sender));
        receiver.recv().unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (memory.admit().unwrap_err(), memory.admit()));
            receiver.recv().unwrap();
            memory.not_freed(&Error::new(Code::Io, "no space left"));
            receiver.recv().unwrap();
            memory.freed(1 << 40);
            let (first, second) = writer.join().unwrap();
            assert_eq!(first.code(), Code::OutOfMemory);
            assert!(first.message().contains("no space left"), "{first:?}");
            second.unwrap();
        });
    }

    #[test]
    fn the_keeper_is_called_at_half() {
        let memory = RowMemory::default();
        let (sender, receiver) = sync_channel(1);
        memory.limit_unsaved_to(100);
        memory.set_keeper(Some(sender));
        memory.filled(49);
        assert!(receiver.try_recv().is_err() && !memory.is_half_full());
        memory.filled(1);
        receiver.try_recv().unwrap();
        assert!(memory.is_half_full());
        assert_eq!((memory.full_bytes(), memory.group_bytes()), (50, LEAST_GROUP_BYTES));
    }

    #[test]
    fn unsaved_rows_take_a_lesser_part_of_small_limits() {
        let memory = RowMemory::default();
        let most = |megabytes: usize| {
            memory.limit_to(megabytes << 20);
            memory.most.load(Ordering::Relaxed) >> 20
        };
        let limits = [1, 4, 8, 32, 64, 128, 160, 192, 256, 1024];
        assert_eq!(limits.map(most), [1, 4, 4, 8, 16, 32, 64, 96, 128, 144]);
        memory.limit_to(usize::MAX);
        assert_eq!(memory.most.load(Ordering::Relaxed), usize::MAX);
    }

    #[test]
    fn columns_are_forgotten_after_demand_for_four_limits() {
        let memory = Arc::new(DecodedMemory::new(100 << 10));
        let (sender, receiver) = sync_channel(1);
        memory.set_keeper(Some(sender));
        let reserved = DecodedMemory::reserve(&memory, 80 << 10).unwrap();
        assert!(memory.has_room(20 << 10) && !memory.has_room(21 << 10));
        assert!(DecodedMemory::reserve(&memory, 21 << 10).is_none() && memory.has_room(20 << 10));
        let read = memory.now();
        memory.demand(60 << 10);
        assert!(receiver.try_recv().is_err() && !memory.takes_turn());
        memory.demand(60 << 10);
        assert!(receiver.try_recv().is_ok() && memory.takes_turn() && !memory.takes_turn());
        assert!(!memory.is_forgotten(read));
        memory.demand(280 << 10);
        assert!(!memory.is_forgotten(read));
        memory.demand(1);
        assert!(memory.is_forgotten(read) && !memory.is_forgotten(memory.now()));
        drop(reserved);
        assert!(memory.has_room(100 << 10));
    }
}
