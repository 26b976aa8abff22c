//! The graph of waits between transactions, and deadlock detection.
//!
//! A writer that meets the mark of another open transaction waits until the mark is gone. Each transaction waits for at
//! most one other, so the graph of waits is a set of chains, and a cycle is found by following the chain from the
//! transaction to wait for: if it ends at the newcomer, the wait would close a cycle. The victim is the transaction of
//! the lowest priority, and the newcomer where none is lower. So deadlocks are found at once, and exactly, without
//! timeouts.
//!
//! ```text
//!   1 -> 2 -> 5        3 asks for 1:  3 -> 1 -> 2 -> 5     waits
//!                      5 asks for 1:  5 -> 1 -> 2 -> 5     deadlock: 5 gets the error
//!                                                          with 2 of lower priority: 2 gets it, 5 waits until 2 has gone
//! ```
//!
//! A transaction that removes marks (commit, rollback) wakes all waiters, if there are any; each reads its own mark
//! again. The request to stop a waiter does not know the lock that it waits for: such waiters poll ([`NAP`]).

use mainstay_types::{Code, Error, Result, interrupt};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The interval at which a waiter checks for a cancellation.
pub(super) const NAP: Duration = Duration::from_millis(20);

/// The waits of all transactions of a store.
#[derive(Default)]
pub(crate) struct Waits {
    edges: Mutex<HashMap<u64, Edge>>,
    changed: Condvar,
    waiting: AtomicUsize,
}

struct Edge {
    holder: u64,
    statement: Arc<str>,
    what: Awaited,
    since: Instant,
    priority: i8,
    /// The statement for which it is to give way.
    gives_way: Option<Arc<str>>,
}

/// The kind of lock that a transaction waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// A row that another one has changed, put in or locked.
    Row,
    /// Rows of a range that another one holds.
    Range,
    /// The definition of a table, or a name.
    Definition,
}

/// A transaction that waits for another one. They are numbered as they begin to write.
#[derive(Clone, Debug)]
pub struct Wait {
    /// The one that waits.
    pub transaction: u64,
    /// The one that it waits for.
    pub holder: u64,
    /// The lock that it waits for.
    pub what: Awaited,
    /// The time it has waited.
    pub time: Duration,
}

/// A waiting transaction.
pub(crate) struct Waiter<'a> {
    /// The id of its transaction.
    pub transaction: u64,
    /// The text of its statement.
    pub statement: &'a Arc<str>,
    /// The lock that it waits for.
    pub what: Awaited,
    /// The same for its user.
    pub named: &'a str,
    /// The longest wait; `None` for ever.
    pub timeout: Option<Duration>,
    /// Of those in a deadlock the one of the lowest gives way.
    pub priority: i8,
}

impl Waits {
    /// Waits until `is_held` says that what the transaction `holder` holds is free.
    ///
    /// Errors: `Deadlock` when the holder waits, through others perhaps, for the waiter, and the waiter is to give way;
    /// `LockTimeout`; those of [`interrupt`].
    pub(crate) fn wait(&self, waiter: &Waiter<'_>, holder: u64, is_held: impl Fn() -> bool) -> Result<()> {
        let since = Instant::now();
        let deadline = waiter.timeout.map(|timeout| since + timeout);
        let mut edges = self.lock();
        // Before `is_held` reads the stamp: a transaction that changes it afterwards sees a waiter (`wake`).
        self.waiting.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut outcome = Ok(());
        while is_held() {
            if let Some(other) = edges.get(&waiter.transaction).and_then(|own| own.gives_way.as_ref()) {
                outcome = Err(deadlock(waiter.statement, other));
                break;
            }
            if let Some((other, statement)) = find_cycle(&edges, waiter.transaction, holder) {
                match edges.get_mut(&other).filter(|other| other.priority < waiter.priority) {
                    Some(victim) => {
                        victim.gives_way = Some(Arc::clone(waiter.statement));
                        self.changed.notify_all();
                    }
                    None => {
                        outcome = Err(deadlock(waiter.statement, &statement));
                        break;
                    }
                }
            }
            let (statement, what) = (Arc::clone(waiter.statement), waiter.what);
            let edge = Edge { holder, statement, what, since, priority: waiter.priority, gives_way: None };
            edges.insert(waiter.transaction, edge);
            if let Err(error) = interrupt::check() {
                outcome = Err(error);
                break;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let nap = interrupt::is_in_force().then_some(NAP);
            edges = match left.into_iter().chain(nap).min() {
                Some(Duration::ZERO) => {
                    outcome = Err(timed_out(waiter.statement, waiter.timeout.unwrap_or_default(), waiter.named));
                    break;
                }
                Some(pause) => self.changed.wait_timeout(edges, pause).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(edges).unwrap_or_else(PoisonError::into_inner),
            };
        }
        edges.remove(&waiter.transaction);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        outcome
    }

    /// Wakes all that wait. To be called after marks were taken away.
    #[inline]
    pub(crate) fn wake(&self) {
        // Orders the stores to the stamps before the read of the waiters; `wait` does it the other way round.
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) > 0 {
            let _edges = self.lock();
            self.changed.notify_all();
        }
    }

    /// Counts a transaction that waits for something else than a mark.
    pub(crate) fn count_in(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Counts them out again.
    pub(crate) fn count_out(&self) {
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// The number of transactions that wait now.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// The current waits.
    pub(crate) fn list(&self) -> Vec<Wait> {
        let wait = |(transaction, edge): (&u64, &Edge)| Wait {
            transaction: *transaction,
            holder: edge.holder,
            what: edge.what,
            time: edge.since.elapsed(),
        };
        self.lock().iter().map(wait).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Edge>> {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The transaction of the lowest priority among the waiters, and the statement that waits for the waiter, if the chain
/// of waits from the holder leads to it. One that is to give way waits for no other any more.
fn find_cycle(edges: &HashMap<u64, Edge>, waiter: u64, holder: u64) -> Option<(u64, Arc<str>)> {
    let waits = |transaction: u64| edges.get(&transaction).filter(|edge| edge.gives_way.is_none());
    let mut at = waits(holder)?;
    let mut lowest = (at.priority, holder);
    // A chain is no longer than the number of edges; this bounds the walk whatever happens.
    for _ in 0..=edges.len() {
        if at.holder == waiter {
            return Some((lowest.1, Arc::clone(&at.statement)));
        }
        let next = at.holder;
        at = waits(next)?;
        if at.priority < lowest.0 {
            lowest = (at.priority, next);
        }
    }
    None
}

#[cold]
fn deadlock(statement: &str, other: &str) -> Error {
    let message = format!("deadlock: \"{statement}\" and \"{other}\" wait for each other");
    Error::new(Code::Deadlock, message).hint("roll back and run the transaction again")
}

#[cold]
pub(super) fn timed_out(statement: &str, timeout: Duration, named: &str) -> Error {
    let ms = timeout.as_millis();
    let message = format!("\"{statement}\" waited {ms} ms for {named} that another transaction holds");
    Error::new(Code::LockTimeout, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::interrupt::{InForce, Interrupt};
    use std::sync::atomic::{AtomicBool, AtomicU64};

    fn waiter(transaction: u64, statement: &Arc<str>, priority: i8) -> Waiter<'_> {
        Waiter { transaction, statement, what: Awaited::Row, named: "a row", timeout: None, priority }
    }

    /// Two wait already, and a third one closes the cycle: one is chosen as the victim, and another continues when it
    /// has gone.
    #[test]
    fn the_lowest_priority_gives_way_and_the_newcomer_among_equals() {
        for (priorities, victim) in [([0, 0, 0], 3), ([0, -1, 0], 2), ([-3, -1, 0], 1), ([5, 5, 4], 3), ([9, 8, 9], 2)]
        {
            let waits = Waits::default();
            let gone = AtomicU64::new(0);
            let told = std::thread::scope(|scope| {
                let (waits, gone) = (&waits, &gone);
                let mut all = Vec::new();
                for (number, priority) in (1..=3u64).zip(priorities) {
                    all.push(scope.spawn(move || {
                        let (holder, statement) = (number % 3 + 1, Arc::from(number.to_string()));
                        let is_held = || gone.load(Ordering::Acquire) & (1 << holder) == 0;
                        let outcome = waits.wait(&waiter(number, &statement, priority), holder, is_held);
                        // Its marks go, whether it was the victim or has done its work.
                        gone.fetch_or(1 << number, Ordering::AcqRel);
                        waits.wake();
                        outcome.is_err()
                    }));
                    while number < 3 && waits.lock().len() < number as usize {
                        std::thread::yield_now();
                    }
                }
                all.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
            });
            let expected: Vec<bool> = (1..=3).map(|number| number == victim).collect();
            assert_eq!(told, expected, "{priorities:?}");
        }
    }

    #[derive(Default)]
    struct Wish(AtomicBool);

    impl Interrupt for Wish {
        fn check(&self) -> Result<()> {
            let is_wished = self.0.load(Ordering::Acquire);
            if is_wished { Err(Error::new(Code::Cancelled, "enough")) } else { Ok(()) }
        }
    }

    /// A transaction that removes a mark checks for waiters, and a waiter checks for the mark: one of them sees the
    /// other. Otherwise this hangs.
    #[test]
    fn nobody_sleeps_through_a_wake() {
        let waits = Waits::default();
        let rounds = if cfg!(miri) { 4 } else { 5_000 };
        let (mark, taken) = (AtomicU64::new(0), AtomicU64::new(0));
        let statement = Arc::from("a statement");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=rounds {
                    while taken.load(Ordering::Acquire) < round {
                        std::thread::yield_now();
                    }
                    mark.store(round, Ordering::Release);
                    waits.wake();
                }
            });
            for round in 1..=rounds {
                taken.store(round, Ordering::Release);
                let waiter = waiter(1, &statement, 0);
                waits.wait(&waiter, 2, || mark.load(Ordering::Acquire) < round).unwrap();
            }
        });
        assert_eq!(waits.waiting(), 0);
    }

    #[test]
    fn a_wait_ends_when_its_statement_is_to_stop() {
        let waits = Waits::default();
        let (stopped, statement) = (Arc::new(Wish::default()), Arc::from("a statement"));
        let error = std::thread::scope(|scope| {
            let (waits, statement, wish) = (&waits, &statement, Arc::clone(&stopped));
            let ended = scope.spawn(move || {
                let _in_force = InForce::new(wish);
                waits.wait(&waiter(1, statement, 0), 2, || true)
            });
            while waits.waiting() == 0 {
                std::thread::yield_now();
            }
            stopped.0.store(true, Ordering::Release);
            ended.join().unwrap().unwrap_err()
        });
        assert_eq!(error.code(), Code::Cancelled);
        assert_eq!(waits.waiting(), 0);
    }
}
