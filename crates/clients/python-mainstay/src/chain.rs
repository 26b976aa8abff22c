//! Calls that wait for each other, across threads.
//!
//! Python code that makes the rows of a statement runs within the call of that statement, and may call another connection,
//! whose rows Python code may make in turn. The thread of the other connection does that work while the first one waits:
//!
//! ```text
//!   worker of A   append to A -- rows of A -- call of B ....waits.... next rows of A
//!   worker of B                               append to B -- rows of B
//! ```
//! The rows of B must neither lock the session of A nor queue for the worker of A: both are taken until they are there.
//! So each thread has a list of the workers and sessions that wait for it, by their addresses, and work that is sent to
//! another thread takes the list of its sender along.
//!
//! Limits: a thread that Python code itself starts has an empty list.

use std::cell::RefCell;

thread_local! {
    static CHAIN: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A worker or a session at the end of the thread's list, until this is dropped.
pub(crate) struct Link;

impl Link {
    /// Adds an address.
    pub fn to(address: usize) -> Link {
        CHAIN.with_borrow_mut(|chain| chain.push(address));
        Link
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        CHAIN.with_borrow_mut(|chain| chain.pop());
    }
}

/// Returns true if this thread works for the worker or the session of this address.
pub(crate) fn includes(address: usize) -> bool {
    CHAIN.with_borrow(|chain| chain.contains(&address))
}

/// The list of this thread, for a thread that it waits for.
pub(crate) fn current() -> Vec<usize> {
    CHAIN.with_borrow(Vec::clone)
}

/// Replaces the list of this thread by that of the thread that waits for it.
pub(crate) fn resume(chain: Vec<usize>) {
    CHAIN.set(chain);
}
