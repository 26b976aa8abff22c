//! Stacks for recursion over the trees of deep statements.
//!
//! Parser, planner and operators walk trees by recursion, and the trees are as deep as the text of a statement makes them: a
//! chain of joins, of set operations or of common table expressions is one level a link. A stack overflow ends the process
//! with all its connections. So there are two lines of defence:
//!
//! ```text
//!   text     is_deep?     on_deep_stack: a thread whose stack holds every tree that passes the bounds
//!   trees    bounds       refused by number before most of the recursion begins
//! ```
//!
//! Of a stack only the pages that are used take memory.

use mainstay_types::interrupt::{self, InForce};
use mainstay_types::{Code, Error, Result};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The stack for deep statements, and that of each worker thread.
pub(crate) const DEEP_STACK_BYTES: usize = 256 << 20;

thread_local! {
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Says that this thread has a deep stack: for threads that something else starts.
pub(crate) fn note_deep_thread() {
    IS_DEEP.set(true);
}

/// Does the work on a stack of its own, with the interrupts of this thread in force.
///
/// Errors: those of the work; `Internal` when it panics.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let interrupts = interrupt::all_in_force();
    let work = move || {
        note_deep_thread();
        let _in_force = interrupts.map(InForce::new);
        work()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK_BYTES).spawn_scoped(scope, work)?;
        thread.join().unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
    })
}

/// Does the work on a deep stack if it needs one and this thread has none, else here.
///
/// Errors: as [`on_deep_stack`].
pub(crate) fn deep_if<T: Send>(needs_it: bool, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    match needs_it && !IS_DEEP.get() {
        true => on_deep_stack(work),
        false => catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked(payload.as_ref()))),
    }
}

/// How the panics of Arrow's builders begin where the texts of a vector have more than 2 GB: they have no errors for that.
const TOO_LONG: [&str; 3] = ["offset overflow", "byte array offset overflow", "capacity overflow"];

/// The error of a statement that panicked: it ends alone, and the report of the panic is in the log.
pub(crate) fn panicked(payload: &(dyn Any + Send)) -> Error {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message");
    if TOO_LONG.iter().any(|known| text.starts_with(known)) {
        let error = Error::new(Code::OutOfMemory, "no memory for the texts of one column of a batch: more than 2 GB");
        return error.hint("make shorter values");
    }
    Error::new(Code::Internal, format!("the statement ended by a panic: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_work_alone() {
        let error = on_deep_stack(|| -> Result<()> { panic!("of {}", 1) }).unwrap_err();
        assert_eq!((error.code(), error.message()), (Code::Internal, "the statement ended by a panic: of 1"));
        let error = deep_if(false, || -> Result<()> { panic!("offset overflow") }).unwrap_err();
        assert_eq!(error.code(), Code::OutOfMemory);
    }

    #[test]
    fn a_deep_thread_needs_no_other() {
        let here = std::thread::current().id();
        assert_eq!(deep_if(false, || Ok(std::thread::current().id())).unwrap(), here);
        let (outer, inner) = deep_if(true, || {
            let outer = std::thread::current().id();
            Ok((outer, deep_if(true, || Ok(std::thread::current().id()))?))
        })
        .unwrap();
        assert!(outer != here && outer == inner);
    }
}
