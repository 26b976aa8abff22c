//! A statement is planned again when the definitions that it was planned for are changed meanwhile.
//!
//! Another transaction may commit a change of a table between the moment at which a statement looks its names up and the
//! one at which it reads or writes there; a writer may have waited for that commit. The store says so
//! (`Code::DefinitionChanged`), the statement is undone as after any error, and begins with what exists now.

use mainstay_types::{Code, Result};

/// How often a statement begins again. Each time another transaction has committed a change of its tables.
const MOST: usize = 1_000;

/// Runs a statement, and once more as long as its definitions are not what they were.
#[inline]
pub(crate) fn again<T>(mut run: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..MOST {
        match run() {
            Err(error) if error.code() == Code::DefinitionChanged => {}
            done => return done,
        }
    }
    run()
}
