//! Cancellation of statements: by a request, or by a timeout.
//!
//! ```text
//!   another thread        cancel()            the running statement ends
//!                         cancel_request()    all statements end until begin_request()
//!   the session           begin(timeout)      a statement begins: a cancellation of the one before is reset
//!   leaves of a plan      Run::advance        check between units of work
//!   loops that write      base::interrupt     check between rows, on the thread of the statement
//! ```
//!
//! **Requests of several statements** (a batch, a script) have no exact time at which one statement begins. The second
//! statement would reset a cancellation that arrives between two of them. So their caller cancels the request, and
//! resets that cancellation itself when the next request begins. It may set a time limit for the request, too, which is
//! that of all its statements together.
//!
//! The time of a statement counts from its beginning, over all its work: queries, writes, waits.

use mainstay_types::interrupt::Interrupt;
use mainstay_types::{Code, Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Asks the statement that a session is running to end. Does nothing when none is running.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle {
    shared: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The statement is to end.
    statement: AtomicBool,
    /// So is every statement of the request that it belongs to.
    request: AtomicBool,
    /// When the statement's time is over, in nanoseconds since [`start`]; 0 for never.
    deadline_ns: AtomicU64,
    /// The same for the request.
    request_deadline_ns: AtomicU64,
    wake: tokio::sync::Notify,
}

/// The time from which deadlines count.
fn start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    *START.get_or_init(Instant::now)
}

/// When a time is over that begins now, in nanoseconds since [`start`]; 0 for never.
#[inline]
fn end_of(timeout: Option<Duration>) -> u64 {
    timeout.map_or(0, |timeout| {
        let since_start = start().elapsed().saturating_add(timeout);
        u64::try_from(since_start.as_nanos()).unwrap_or(u64::MAX).max(1)
    })
}

impl CancelHandle {
    /// Asks. The statement ends with [`Code::Cancelled`].
    pub fn cancel(&self) {
        self.shared.statement.store(true, Ordering::Relaxed);
        self.shared.wake.notify_waiters();
    }

    /// Asks for the end of the statement and of those that come, until the next request begins.
    pub fn cancel_request(&self) {
        self.shared.request.store(true, Ordering::Relaxed);
        self.cancel();
    }

    /// Begins a statement that may run so long: the wish to end the one before is taken back.
    #[inline]
    pub fn begin(&self, timeout: Option<Duration>) {
        self.shared.statement.store(false, Ordering::Relaxed);
        self.shared.deadline_ns.store(end_of(timeout), Ordering::Relaxed);
    }

    /// Begins a request: the wish to end the one before is taken back.
    pub fn begin_request(&self) {
        self.shared.request.store(false, Ordering::Relaxed);
    }

    /// Says how long all statements together may run that come from now on; for ever without a time.
    pub fn limit_request(&self, timeout: Option<Duration>) {
        self.shared.request_deadline_ns.store(end_of(timeout), Ordering::Relaxed);
    }

    /// Returns true if the statement that runs is to end.
    pub fn is_cancelled(&self) -> bool {
        self.shared.statement.load(Ordering::Relaxed) || self.shared.request.load(Ordering::Relaxed)
    }

    /// When the time of the statement is over that runs, or that of its request.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let State { deadline_ns, request_deadline_ns, .. } = &*self.shared;
        let set = [deadline_ns, request_deadline_ns].map(|end| end.load(Ordering::Relaxed));
        let first = set.into_iter().filter(|since_start| *since_start != 0).min()?;
        start().checked_add(Duration::from_nanos(first))
    }

    /// Waits for the wish. Who has made this and then looks whether it is cancelled misses none.
    pub(crate) fn wish(&self) -> impl Future<Output = ()> + '_ {
        self.shared.wake.notified()
    }
}

impl Interrupt for CancelHandle {
    fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(cancelled());
        }
        match self.deadline() {
            Some(deadline) if Instant::now() >= deadline => Err(timed_out()),
            _ => Ok(()),
        }
    }
}

/// The error of a statement that was cancelled.
#[cold]
pub(crate) fn cancelled() -> Error {
    Error::new(Code::Cancelled, "the statement was cancelled")
}

/// The error of one whose time is over.
#[cold]
pub(crate) fn timed_out() -> Error {
    Error::new(Code::Timeout, "the statement ran longer than it may").hint("raise the setting timeout")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_takes_the_wish_back_and_a_request_does_not() {
        let handle = CancelHandle::default();
        handle.cancel();
        assert!(handle.is_cancelled());
        handle.begin(None);
        assert!(!handle.is_cancelled() && handle.check().is_ok());
        handle.cancel_request();
        handle.begin(None);
        assert!(handle.check().is_err_and(|error| error.code() == Code::Cancelled));
        handle.begin_request();
        assert!(!handle.is_cancelled());
    }

    #[test]
    fn each_statement_has_its_own_time() {
        let handle = CancelHandle::default();
        handle.begin(Some(Duration::ZERO));
        assert!(handle.check().is_err_and(|error| error.code() == Code::Timeout));
        handle.begin(Some(Duration::from_secs(1_000)));
        assert!(handle.check().is_ok() && handle.deadline().is_some());
        handle.begin(Some(Duration::MAX));
        assert!(handle.check().is_ok());
        handle.begin(None);
        assert_eq!(handle.deadline(), None);
    }

    #[test]
    fn the_time_of_a_request_is_that_of_all_its_statements() {
        let handle = CancelHandle::default();
        handle.limit_request(Some(Duration::ZERO));
        for timeout in [None, Some(Duration::from_secs(1_000))] {
            handle.begin(timeout);
            assert!(handle.check().is_err_and(|error| error.code() == Code::Timeout));
        }
        handle.limit_request(Some(Duration::from_secs(1_000)));
        assert!(handle.check().is_ok());
        handle.begin(Some(Duration::ZERO));
        assert!(handle.check().is_err());
        handle.limit_request(None);
        handle.begin(None);
        assert_eq!(handle.deadline(), None);
    }
}
