//! Range locks of a session's transaction: no other transaction inserts rows there until it ends.

use super::{Session, again};
use crate::writable::Changed;
use mainstay_store::{Interval, LockMode};
use mainstay_types::{Result, Value};
use std::sync::Arc;

/// The values of a column, by its name, from one on and up to another; `None` for no bound.
pub type Bound = (String, Option<Value>, Option<Value>);

impl Session {
    /// Locks the rows of a native table whose columns are within all of these bounds, including rows that do not exist
    /// yet. Other transactions may hold a shared lock too; none of them can insert rows there.
    ///
    /// Errors: those of finding the table, and of waiting for who holds an overlapping range.
    pub fn lock_range(&mut self, table: &str, bounds: Vec<Bound>, is_shared: bool) -> Result<()> {
        self.begin_statement();
        again(|| self.lock_range_once(table, &bounds, is_shared))
    }

    fn lock_range_once(&mut self, table: &str, bounds: &[Bound], is_shared: bool) -> Result<()> {
        let form = self.form(&table.to_lowercase())?;
        let mut range = Vec::with_capacity(bounds.len());
        for (column, low, high) in bounds {
            let (low, high) = (low.clone(), high.clone());
            range.push(Interval { column: form.column(&column.to_lowercase())?, low, high });
        }
        let mode = if is_shared { LockMode::Share } else { LockMode::Exclusive };
        let text: Arc<str> = Arc::from(format!("a range of {table}"));
        self.change_native(&text, |transaction| {
            form.table.lock_range(transaction, range.clone(), mode).map(Changed::Done)
        })
    }
}
