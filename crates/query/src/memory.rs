//! The memory that running statements may hold, for the operators that need it.
//!
//! DataFusion's nested loop join goes on with temporary files when its left side does not fit. In several partitions it then
//! gives the rows of that side which have met no other once for each of them. It begins with that only where the pool says
//! that memory is exhausted: so to these joins the pool says that in an error of ours, which ends the statement (53200).

use crate::error::{from_datafusion, to_datafusion};
use crate::planner::Planner;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{FairSpillPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use mainstay_base::{Code, Error};
use std::fmt;

/// How the names begin that nested loop joins have in the pool.
const NESTED_LOOPS: &str = "NestedLoopJoin";

/// What the names begin with that operators have in the pool, and what a person would call them.
const WORDS: [(&str, &str); 9] = [
    ("ExternalSorter", "a sort"),
    ("SortPreservingMerge", "a merge of what threads have sorted"),
    ("TopK", "the first rows of an order"),
    ("PartitionedTopK", "the first rows of each group"),
    ("HashJoin", "a join"),
    ("NestedLoopJoin", "a join"),
    ("CrossJoin", "a join"),
    ("RepartitionExec", "rows on their way between threads"),
    ("Recursive", "a recursive query"),
];

/// DataFusion's fair pool, which nested loop joins do not take for a sign to spill.
#[derive(Debug)]
pub(crate) struct Pool(FairSpillPool);

impl Pool {
    /// A pool of so many bytes.
    pub(crate) fn new(bytes: usize) -> Pool {
        Pool(FairSpillPool::new(bytes))
    }

    /// Why somebody gets no more.
    fn refusal(&self, reservation: &MemoryReservation, additional: usize) -> String {
        let name = reservation.consumer().name();
        let what = WORDS.iter().find(|(prefix, _)| name.starts_with(prefix)).map_or("a statement", |(_, what)| what);
        let limit = match self.0.memory_limit() {
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
        self.0.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.0.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.0.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.0.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.0.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.0.try_grow(reservation, additional).map_err(|_| {
            let refused = DataFusionError::ResourcesExhausted(self.refusal(reservation, additional));
            match reservation.consumer().name().starts_with(NESTED_LOOPS) {
                true => to_datafusion(from_datafusion(refused, None, None)),
                false => refused,
            }
        })
    }

    fn reserved(&self) -> usize {
        self.0.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.0.memory_limit()
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Memory that something holds beside the operators, counted with theirs until this is dropped.
#[derive(Debug)]
pub struct HeldMemory(MemoryReservation);

impl HeldMemory {
    /// Holds so many bytes, in the place of those before.
    ///
    /// Errors: `OutOfMemory`; it holds as many as before then.
    pub fn hold(&mut self, bytes: usize) -> mainstay_base::Result<()> {
        self.0.try_resize(bytes).map_err(|_| {
            let what = self.0.consumer().name();
            let message = format!("{what} would hold {bytes} bytes, and running statements may hold no more");
            Error::new(Code::OutOfMemory, message).hint("change fewer rows at a time, or raise the memory limit")
        })
    }
}

impl Planner {
    /// Memory for what is called so, of which nothing is held yet.
    pub fn held_memory(&self, what: &str) -> HeldMemory {
        HeldMemory(MemoryConsumer::new(what).register(self.memory_pool()))
    }
}
