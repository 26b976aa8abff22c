//! The memory pool of running statements' operators.
//!
//! DataFusion's nested loop join spills if its left side does not fit. In several partitions it then gives the
//! unmatched rows of that side once for each of them. It spills only if the pool reports that memory is exhausted: so
//! for these joins the pool returns another error, which ends the statement (53200).
//!
//! Its sorts reserve the same number of bytes for their merges whatever their size: too much for many small ones, and
//! not enough for a large one. So the pool manages this reservation.

use crate::carried_error::to_datafusion;
use crate::error::from_datafusion;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{FairSpillPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use mainstay_types::{Code, Error};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// How the names begin that nested loop joins have in the pool.
const NESTED_LOOPS: &str = "NestedLoopJoin";

/// How the names begin of what sorts hold. (Their merges have other ones.)
const SORTS: &str = "ExternalSorter[";

/// How the names begin of what the merges of sorts hold.
const MERGES: &str = "ExternalSorterMerge[";

/// The prefixes of operators' names in the pool, and the words that users know them by.
const WORDS: [(&str, &str); 12] = [
    ("ExternalSorter", "a sort"),
    ("SortPreservingMerge", "a merge of what threads have sorted"),
    ("SMJStream", "a join"),
    ("TopK", "the first rows of an order"),
    ("PartitionedTopK", "the first rows of each group"),
    ("HashJoin", "a join"),
    ("NestedLoopJoin", "a join"),
    ("CrossJoin", "a join"),
    ("RepartitionExec", "rows on their way between threads"),
    ("Recursive", "a recursive query"),
    (crate::functions::result_sizes::RESULTS, "the results of functions"),
    ("Lateral", "subqueries of many rows"),
];

/// DataFusion's fair pool, which nested loop joins do not take for a sign to spill.
#[derive(Debug)]
pub(crate) struct Pool {
    fair: FairSpillPool,
    /// How many sorts there are.
    sorts: AtomicUsize,
}

impl Pool {
    /// A pool of so many bytes.
    pub(crate) fn new(bytes: usize) -> Pool {
        Pool { fair: FairSpillPool::new(bytes), sorts: AtomicUsize::new(0) }
    }

    /// A sort leaves room for its merge: for the sort keys of all its batches, which
    /// may be more than twice what the batches are. Only its first batch it takes in any case.
    fn try_grow_with_room(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let name = reservation.consumer().name();
        let wanted = reservation.size() + additional;
        let room = if name.starts_with(SORTS) && reservation.size() > 0 { wanted / 5 * 3 } else { 0 };
        if name.starts_with(MERGES) && reservation.size() > 0 && wanted > self.merge_bytes() {
            return Err(DataFusionError::ResourcesExhausted(String::new()));
        }
        self.fair.try_grow(reservation, additional + room)?;
        self.fair.shrink(reservation, room);
        Ok(())
    }

    /// The bytes that one merge may hold: it would open as many files at once as there is memory for, and leave
    /// none to other sorts of the same join.
    fn merge_bytes(&self) -> usize {
        match self.fair.memory_limit() {
            MemoryLimit::Finite(bytes) => bytes / 2 / self.sorts.load(Ordering::Relaxed).max(1),
            _ => usize::MAX,
        }
    }

    /// Why somebody gets no more.
    fn refusal(&self, reservation: &MemoryReservation, additional: usize) -> String {
        let name = reservation.consumer().name();
        let what = WORDS.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or("a statement", |(_, what)| what);
        let limit = match self.fair.memory_limit() {
            MemoryLimit::Finite(bytes) => bytes,
            _ => usize::MAX,
        };
        let has = reservation.size();
        format!(
            "no memory for {what}: {additional} bytes more beside {has}; running statements may hold {limit} together"
        )
    }
}

impl MemoryPool for Pool {
    fn name(&self) -> &str {
        self.fair.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.sorts.fetch_add(usize::from(consumer.name().starts_with(MERGES)), Ordering::Relaxed);
        self.fair.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.sorts.fetch_sub(usize::from(consumer.name().starts_with(MERGES)), Ordering::Relaxed);
        self.fair.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.fair.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.fair.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.try_grow_with_room(reservation, additional).map_err(|_| {
            let refused = DataFusionError::ResourcesExhausted(self.refusal(reservation, additional));
            match reservation.consumer().name().starts_with(NESTED_LOOPS) {
                true => to_datafusion(from_datafusion(refused, None, None)),
                false => refused,
            }
        })
    }

    fn reserved(&self) -> usize {
        self.fair.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.fair.memory_limit()
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fair.fmt(f)
    }
}

/// The memory that one run holds of a pool, and the number of its operators that may hold some: a run that starts again for want of memory
/// waits for those of the first attempt, which end on their own threads.
#[derive(Debug)]
pub(crate) struct Share {
    pool: Arc<dyn MemoryPool>,
    holders: AtomicUsize,
    left: Notify,
}

impl Share {
    /// A share of this pool, of which nothing is held yet.
    pub(crate) fn of(pool: &Arc<dyn MemoryPool>) -> Arc<Share> {
        Arc::new(Share { pool: Arc::clone(pool), holders: AtomicUsize::new(0), left: Notify::new() })
    }

    /// Waits until nobody holds anything.
    pub(crate) async fn given_back(&self) {
        loop {
            let left = self.left.notified();
            if self.holders.load(Ordering::Acquire) == 0 {
                return;
            }
            left.await;
        }
    }
}

impl MemoryPool for Share {
    fn name(&self) -> &str {
        self.pool.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.holders.fetch_add(1, Ordering::AcqRel);
        self.pool.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.pool.unregister(consumer);
        if self.holders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.left.notify_waiters();
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.pool.try_grow(reservation, additional)
    }

    fn reserved(&self) -> usize {
        self.pool.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.pool.memory_limit()
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

/// Memory that something holds beside the operators, counted with theirs until this is dropped.
#[derive(Debug)]
pub struct HeldMemory {
    reservation: MemoryReservation,
    /// The sum of what was added; less than a portion of it may not be reserved yet.
    added: usize,
}

/// The bytes that are reserved at once for small additions.
const PORTION: usize = 256 << 10;

impl HeldMemory {
    /// Memory of a pool for what is called so, of which nothing is held yet.
    pub(crate) fn new(what: &str, pool: &Arc<dyn MemoryPool>) -> HeldMemory {
        HeldMemory { reservation: MemoryConsumer::new(what).register(pool), added: 0 }
    }

    /// Holds so many bytes, in the place of those before.
    ///
    /// Errors: `OutOfMemory`; it holds as many as before then.
    pub fn hold(&mut self, bytes: usize) -> mainstay_types::Result<()> {
        self.reservation.try_resize(bytes).map_err(|_| {
            let what = self.reservation.consumer().name();
            let message = format!("{what} would hold {bytes} bytes, and running statements may hold no more");
            Error::new(Code::OutOfMemory, message).hint("change fewer rows at a time, or raise the memory limit")
        })
    }

    /// Holds so many bytes more than those that were added before.
    ///
    /// Errors: as [`HeldMemory::hold`].
    pub fn add(&mut self, bytes: usize) -> mainstay_types::Result<()> {
        self.added += bytes;
        match self.added - self.added % PORTION {
            held if held > self.reservation.size() => self.hold(held),
            _ => Ok(()),
        }
    }
}
