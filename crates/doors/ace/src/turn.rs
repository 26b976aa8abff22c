//! Exclusive use of a connection's statements: while the triggers of a write run in a transaction of that write, no
//! other thread may run statements of the connection, which would become part of it.
//!
//! A thread has the turn from [`Turn::take`] to [`Turn::give_back`]; others wait. A thread that has it does not wait
//! for itself: triggers run statements.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// See the module.
#[derive(Debug, Default)]
pub struct Turn {
    owner: Mutex<Option<ThreadId>>,
    is_free: Condvar,
}

impl Turn {
    fn owner(&self) -> MutexGuard<'_, Option<ThreadId>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while it is another thread's.
    pub fn wait(&self) {
        drop(self.when_free());
    }

    fn when_free(&self) -> MutexGuard<'_, Option<ThreadId>> {
        let this = std::thread::current().id();
        let is_taken = |owner: &mut Option<ThreadId>| owner.is_some_and(|owner| owner != this);
        self.is_free.wait_while(self.owner(), is_taken).unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes it, waiting for others; false if this thread has it already.
    pub fn take(&self) -> bool {
        let mut owner = self.when_free();
        owner.replace(std::thread::current().id()).is_none()
    }

    /// Returns true if this thread has the turn.
    pub fn is_own(&self) -> bool {
        *self.owner() == Some(std::thread::current().id())
    }

    /// Gives it back.
    pub fn give_back(&self) {
        *self.owner() = None;
        self.is_free.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn one_thread_has_it_at_a_time_and_does_not_wait_for_itself() {
        let (turn, inside) = (Turn::default(), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        assert!(turn.take());
                        assert!(!turn.take() && turn.is_own());
                        turn.wait();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        turn.give_back();
                    }
                });
            }
        });
        assert!(!turn.is_own());
    }
}
