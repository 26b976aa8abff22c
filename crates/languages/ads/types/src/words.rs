//! Search conditions of queries, for CONTAINS, SCORE and SCOREDISTINCT.
//!
//! Texts are split with the default [`Options`].

use crate::failure::Failure;
use mainstay_full_text::{Condition, Options, Prepared};
use std::cell::RefCell;

thread_local! {
    /// The last condition: a query applies the same one to every row.
    static LAST: RefCell<Option<(String, Prepared)>> = const { RefCell::new(None) };
}

/// Applies a search condition.
///
/// Errors: those of the condition, with their numbers.
pub(crate) fn with_condition<T>(condition: &str, work: impl FnOnce(&Prepared) -> T) -> Result<T, Failure> {
    LAST.with_borrow_mut(|last| {
        let prepared = match last {
            Some((known, prepared)) if known == condition => prepared,
            none => &mut none.insert((condition.to_owned(), prepare(condition)?)).1,
        };
        Ok(work(prepared))
    })
}

fn prepare(condition: &str) -> Result<Prepared, Failure> {
    let prepared = Condition::parse(condition).and_then(|parsed| parsed.prepare(&[Options::default()]));
    prepared.map_err(|failure| Failure::new(failure.number, failure.message))
}
