//! The rows of a statement, as they come.

use crate::sql::{Column, Outcome};
use mainstay_types::{Result, Value};

/// The rows of a statement, as they come.
pub trait RowSource: Send {
    /// The columns, as soon as the types of all are known; behind the last row they are.
    fn columns(&self) -> Option<Vec<Column>>;

    /// Some of the rows that follow; none behind the last.
    ///
    /// Errors: those of the statement. Behind one there is nothing more.
    fn next(&mut self) -> Result<Option<Vec<Vec<Value>>>>;
}

/// All rows of a source, at once.
///
/// Errors: those of the source.
pub fn all(source: &mut dyn RowSource) -> Result<Outcome> {
    let mut rows = Vec::new();
    while let Some(mut some) = source.next()? {
        rows.append(&mut some);
    }
    Ok(Outcome { columns: source.columns().unwrap_or_default(), rows, ..Outcome::default() })
}
