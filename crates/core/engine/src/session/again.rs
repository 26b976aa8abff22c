//! A statement is planned again if the definitions that it was planned for change in the meantime.
//!
//! Another transaction may commit a change of a table after a statement has looked up its names and before it reads or
//! writes there; a writer may have waited for that commit. The store reports it (`Code::DefinitionChanged`), the
//! statement is rolled back as after any error, and starts again with the new definitions.

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
