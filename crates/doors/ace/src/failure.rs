//! The failure of a call: a code of the interface, its details, and the place where both are stored.
//!
//! Every entry runs inside [`call`]: it clears the last error of the thread, runs the work, stores its failure for
//! `AdsGetLastError`, and turns a panic (which would be a fault of this library) into AE_INTERNAL_ERROR instead of
//! letting it unwind into C. A call that is exported and not implemented returns AE_NOT_IMPLEMENTED, and logs it.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use mainstay_data_dictionary::failure::{Failure, Result};

use crate::constants::*;
use crate::log;

thread_local! {
    /// True if the last error may be set: without it, a successful call need not read it.
    static HAS_FAILED: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// Runs an entry's work and answers its code.
#[inline]
pub fn call(name: &'static str, work: impl FnOnce() -> Result<()>) -> u32 {
    if HAS_FAILED.get() {
        forget();
    }
    query(name, work)
}

#[cold]
fn forget() {
    keep(None);
    HAS_FAILED.set(false);
}

/// As [`call`], for entries that ask about the last error: a success leaves it as it is.
#[inline]
pub fn query(name: &'static str, work: impl FnOnce() -> Result<()>) -> u32 {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => AE_SUCCESS,
        Ok(Err(failure)) => failed(name, failure),
        Err(_) => failed(name, Failure::new(AE_INTERNAL_ERROR, format!("{name} broke a rule of its own"))),
    }
}

#[cold]
fn failed(name: &'static str, failure: Failure) -> u32 {
    if failure.code == AE_INTERNAL_ERROR || failure.code == AE_NOT_IMPLEMENTED {
        log::write(&format!("{name}: error {}: {}", failure.code, failure.detail));
    }
    let code = failure.code;
    keep(Some(failure));
    code
}

/// The answer of an entry that is not done: the documented code, and a line in the log.
pub fn absent(name: &'static str) -> u32 {
    call(name, || Err(Failure::new(AE_NOT_IMPLEMENTED, format!("{name} is not supported"))))
}

/// The failure of this thread's last call, if it failed.
pub fn last() -> Option<Failure> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten()
}

/// Replaces what [`last`] answers.
pub fn keep(failure: Option<Failure>) {
    HAS_FAILED.set(true);
    // A thread that ends has no last error any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = failure);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_at_the_border() {
        assert_eq!(call("AdsTest", || panic!("a fault")), AE_INTERNAL_ERROR);
        assert!(last().is_some_and(|failure| failure.detail.contains("AdsTest")));
        assert_eq!(call("AdsTest", || Ok(())), AE_SUCCESS);
        assert_eq!(last(), None);
    }

    #[test]
    fn what_is_not_done_says_so() {
        assert_eq!(absent("AdsDDCreateUser"), AE_NOT_IMPLEMENTED);
        assert!(last().is_some_and(|failure| failure.detail.contains("AdsDDCreateUser is not supported")));
    }
}
