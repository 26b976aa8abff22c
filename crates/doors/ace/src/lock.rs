//! The lock of a table, for calls that are short and rarely contend.
//!
//! A program makes millions of calls and mostly from one thread: the cost of such a call is the uncontended lock. Here
//! that is one locked operation to take it and a plain write to release it; a lock of the standard library needs a
//! second locked operation, to learn if another thread waits.
//!
//! ```text
//!   owner    0, or the thread that has it   take: 0 -> thread       give back: write 0, then look at `waiting`
//!   waiting  how many sleep                 before they sleep they count themselves, and try once more
//! ```
//!
//! The read of `waiting` may come before the write is visible to other threads: then no thread wakes one that goes to
//! sleep at that time, and it tries again by itself after [`LONGEST_SLEEP`]. That is rare, and its only effect is a
//! delay.
//!
//! The owner is known, so that a thread that has the lock already is refused ([`Lock::take`]) instead of deadlocking.
//! Limits: the lock is not fair: the longest wait does not decide which thread comes next.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// After this a thread that sleeps looks for itself.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// So often the lock is tried before the thread sleeps.
const SPINS: usize = 100;

/// See the module.
#[derive(Debug)]
pub struct Lock<T> {
    owner: AtomicUsize,
    waiting: AtomicU32,
    queue: Mutex<()>,
    freed: Condvar,
    value: UnsafeCell<T>,
}

/// The lock is this thread's already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IsOwn;

/// Access to the value in the lock, until it is dropped.
pub struct Guard<'l, T> {
    lock: &'l Lock<T>,
    /// The owner is a thread: the guard stays with it.
    stays: PhantomData<*const ()>,
}

// SAFETY: a reference to the value is only given to the thread that has made `owner` its own, one at a time, and each
// sees what the one before has written (Release and Acquire of `owner`). So the value goes from thread to thread and is
// never used by two at once, which is what `Send` allows.
unsafe impl<T: Send> Sync for Lock<T> {}

/// A number for this thread that no other has while both live, and not 0: where a variable of its own is.
#[inline]
fn this_thread() -> usize {
    thread_local! {
        static PLACE: Cell<u8> = const { Cell::new(0) };
    }
    PLACE.with(|place| std::ptr::from_ref(place).addr())
}

impl<T> Lock<T> {
    /// A lock around a value.
    pub fn new(value: T) -> Lock<T> {
        Lock {
            owner: AtomicUsize::new(0),
            waiting: AtomicU32::new(0),
            queue: Mutex::new(()),
            freed: Condvar::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// Returns true if this thread holds the lock.
    #[inline]
    pub fn is_own(&self) -> bool {
        self.owner.load(Ordering::Relaxed) == this_thread()
    }

    /// Takes it, waiting for other threads.
    #[inline]
    pub fn take(&self) -> Result<Guard<'_, T>, IsOwn> {
        let thread = this_thread();
        if !self.try_take(thread) {
            self.wait(thread)?;
        }
        Ok(Guard { lock: self, stays: PhantomData })
    }

    #[inline]
    fn try_take(&self, thread: usize) -> bool {
        self.owner.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn wait(&self, thread: usize) -> Result<(), IsOwn> {
        if self.owner.load(Ordering::Relaxed) == thread {
            return Err(IsOwn);
        }
        for _ in 0..SPINS {
            std::hint::spin_loop();
            if self.owner.load(Ordering::Relaxed) == 0 && self.try_take(thread) {
                return Ok(());
            }
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.try_take(thread) {
            let slept = self.freed.wait_timeout(queue, LONGEST_SLEEP).unwrap_or_else(PoisonError::into_inner);
            queue = slept.0;
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    #[cold]
    fn wake(&self) {
        // A thread that has counted itself and found the lock taken is asleep once this mutex is acquired.
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner));
        self.freed.notify_one();
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard's thread is the lock's owner while the guard lives, and no other thread has a reference.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above; this guard is the only one, and it is borrowed for as long as the reference lives.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.owner.store(0, Ordering::Release);
        if self.lock.waiting.load(Ordering::Relaxed) > 0 {
            self.lock.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn one_thread_has_it_at_a_time() {
        let lock = Lock::new((0u64, 0u64));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for turn in 0..20_000 {
                        let mut both = lock.take().unwrap();
                        both.0 += 1;
                        if turn % 5_000 == 0 {
                            std::thread::sleep(Duration::from_micros(100));
                        }
                        both.1 += 1;
                        assert_eq!(both.0, both.1);
                    }
                });
            }
        });
        assert_eq!(*lock.take().unwrap(), (80_000, 80_000));
        assert_eq!(lock.waiting.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn who_has_it_is_refused_and_not_kept_waiting() {
        let lock = Lock::new(1);
        let guard = lock.take().unwrap();
        assert!(lock.is_own());
        assert_eq!(lock.take().map(|guard| *guard), Err(IsOwn));
        assert!(!std::thread::scope(|scope| scope.spawn(|| lock.is_own()).join().unwrap()));
        drop(guard);
        assert!(!lock.is_own() && lock.take().is_ok());
    }

    #[test]
    fn who_waits_gets_it_soon_and_also_after_a_panic() {
        let lock = Lock::new(0);
        std::thread::scope(|scope| {
            let guard = lock.take().unwrap();
            let other = scope.spawn(|| {
                *lock.take().unwrap() = 1;
                Instant::now()
            });
            std::thread::sleep(Duration::from_millis(20));
            let freed = Instant::now();
            drop(guard);
            assert!(other.join().unwrap().saturating_duration_since(freed) < Duration::from_secs(2));
        });
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _guard = lock.take().unwrap();
            panic!("a fault");
        }));
        assert!(broken.is_err() && *lock.take().unwrap() == 1);
    }
}
