//! Per-thread cancellation: a running statement ends after a cancel or a timeout.
//!
//! A statement is many loops in many crates: rows written, indexes built, records locked, others waited for. Each of
//! them has to end when the statement is cancelled, and none of them knows the session. So the session puts its
//! [`Interrupt`] in force for as long as the statement works on its thread, and the loops check it:
//!
//! ```text
//!   session     let _in_force = InForce::new(cancel);      one more on this thread's stack, until it is dropped
//!   loops       interrupt::check()?                        the error that ends the statement, if one of them says so
//!               pace.step()?                               the same, now and then: for loops of very short steps
//!   reading     interrupt::note_read(..)               for progress: the part read of a file that must be read first
//!   undoing     let _whole = interrupt::suspended();       undo, and steps that cannot be undone any more, are not
//! cancelled
//! ```
//!
//! A statement that runs within another one on the same thread (a function's) ends with it too. If none is in force,
//! as for a program that works on tables without statements, nothing is ever cancelled.

use crate::Result;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

/// A source of cancellations.
pub trait Interrupt: Send + Sync {
    /// Errors: the reason, when it is to end: `Cancelled` or `Timeout`.
    fn check(&self) -> Result<()>;

    /// Reports the progress of reading a file that has to be read as a whole first: the bytes read, and their
    /// total.
    fn note_read(&self, _bytes: u64, _of: u64) {}
}

thread_local! {
    /// Those in force, the innermost last. None of them counts that stands before a `None`.
    static IN_FORCE: RefCell<Vec<Option<Arc<dyn Interrupt>>>> = const { RefCell::new(Vec::new()) };
}

/// While this lives, an interrupt is in force on this thread, or those before it are not.
#[must_use]
pub struct InForce(PhantomData<*const ()>);

impl InForce {
    /// Puts an interrupt in force, beside those that are.
    pub fn new(interrupt: Arc<dyn Interrupt>) -> InForce {
        InForce::push(Some(interrupt))
    }

    fn push(interrupt: Option<Arc<dyn Interrupt>>) -> InForce {
        IN_FORCE.with_borrow_mut(|stack| stack.push(interrupt));
        InForce(PhantomData)
    }
}

impl Drop for InForce {
    fn drop(&mut self) {
        // Guards go in the reverse order of their coming.
        IN_FORCE.with_borrow_mut(|stack| stack.pop());
    }
}

/// Has nothing ended on this thread while the guard lives.
pub fn suspended() -> InForce {
    InForce::push(None)
}

/// Those in force on this thread as one, for a thread that works for it while it waits.
pub fn all_in_force() -> Option<Arc<dyn Interrupt>> {
    let all: Vec<_> =
        IN_FORCE.with_borrow(|stack| stack.iter().rev().map_while(Option::as_ref).map(Arc::clone).collect());
    if all.is_empty() { None } else { Some(Arc::new(All(all))) }
}

struct All(Vec<Arc<dyn Interrupt>>);

impl Interrupt for All {
    fn check(&self) -> Result<()> {
        self.0.iter().try_for_each(|one| one.check())
    }

    fn note_read(&self, bytes: u64, of: u64) {
        self.0.iter().for_each(|one| one.note_read(bytes, of));
    }
}

/// Returns true if the code that runs on this thread can be cancelled: waits then poll.
pub fn is_in_force() -> bool {
    IN_FORCE.with_borrow(|stack| matches!(stack.last(), Some(Some(_))))
}

/// Checks for a cancellation of the code that runs on this thread.
///
/// Errors: the reason, `Cancelled` or `Timeout`.
pub fn check() -> Result<()> {
    IN_FORCE.with_borrow(|stack| stack.iter().rev().map_while(Option::as_ref).try_for_each(|inner| inner.check()))
}

/// Reports the progress of this thread to its observer: the bytes read of a file, and their total.
pub fn note_read(bytes: u64, of: u64) {
    IN_FORCE.with_borrow(|stack| stack.iter().flatten().for_each(|inner| inner.note_read(bytes, of)));
}

/// Looks once in so many steps.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    left: u32,
}

/// Steps between two looks: far less than a millisecond of the shortest ones, and looking costs nothing beside them.
const STEPS: u32 = 256;

impl Default for Pace {
    /// Looks at the first step.
    fn default() -> Pace {
        Pace { left: 1 }
    }
}

impl Pace {
    /// A step of a loop.
    ///
    /// Errors: as [`check`].
    #[inline]
    pub fn step(&mut self) -> Result<()> {
        self.left -= 1;
        if self.left == 0 { self.look() } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self) -> Result<()> {
        self.left = STEPS;
        check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Error};
    use std::sync::atomic::{AtomicBool, Ordering};

    #[derive(Default)]
    struct Wish(AtomicBool);

    impl Interrupt for Wish {
        fn check(&self) -> Result<()> {
            if self.0.load(Ordering::Relaxed) { Err(Error::new(Code::Cancelled, "enough")) } else { Ok(()) }
        }
    }

    #[test]
    fn the_outer_one_ends_the_inner_one_too_unless_it_is_suspended() {
        let [outer, inner] = [Arc::new(Wish::default()), Arc::new(Wish::default())];
        assert!(!is_in_force());
        let first = InForce::new(Arc::clone(&outer) as Arc<dyn Interrupt>);
        let second = InForce::new(Arc::clone(&inner) as Arc<dyn Interrupt>);
        assert!(is_in_force() && check().is_ok());
        outer.0.store(true, Ordering::Relaxed);
        assert!(check().is_err_and(|error| error.code() == Code::Cancelled));
        {
            let _whole = suspended();
            assert!(!is_in_force() && check().is_ok());
            let _within = InForce::new(Arc::clone(&inner) as Arc<dyn Interrupt>);
            assert!(is_in_force() && check().is_ok());
            inner.0.store(true, Ordering::Relaxed);
            assert!(check().is_err());
        }
        drop((second, first));
        assert!(!is_in_force() && check().is_ok());
    }

    #[test]
    fn a_thread_that_works_for_another_one_ends_with_it() {
        assert!(all_in_force().is_none());
        let [outer, inner] = [Arc::new(Wish::default()), Arc::new(Wish::default())];
        let _first = InForce::new(Arc::clone(&outer) as Arc<dyn Interrupt>);
        let _second = InForce::new(Arc::clone(&inner) as Arc<dyn Interrupt>);
        let all = all_in_force().unwrap();
        let checked = std::thread::scope(|scope| {
            let work = || {
                let _in_force = InForce::new(Arc::clone(&all));
                let before = check();
                outer.0.store(true, Ordering::Relaxed);
                (before, check())
            };
            scope.spawn(work).join().unwrap()
        });
        assert!(checked.0.is_ok() && checked.1.is_err_and(|error| error.code() == Code::Cancelled));
        let _whole = suspended();
        assert!(all_in_force().is_none());
    }

    #[test]
    fn a_pace_looks_at_once_and_then_now_and_then() {
        let wish = Arc::new(Wish::default());
        let _in_force = InForce::new(Arc::clone(&wish) as Arc<dyn Interrupt>);
        let mut pace = Pace::default();
        assert!(pace.step().is_ok());
        wish.0.store(true, Ordering::Relaxed);
        let steps = (1..).find(|_| pace.step().is_err());
        assert_eq!(steps, Some(STEPS));
        assert!(Pace::default().step().is_err());
    }
}
