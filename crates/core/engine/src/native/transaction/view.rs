//! What one statement of a session sees, which its answer keeps.

use mainstay_columnar::{Snapshot, Table};
use mainstay_planner::View;
use mainstay_store::{Shown, Transaction};
use mainstay_types::Result;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// What one statement sees of native tables; other tables show what is in their files.
pub(crate) struct StatementView {
    view: mainstay_store::View,
    /// The transaction of a query that has one of its own: while it is there nobody clears away what it sees.
    _own: Option<Mutex<Transaction>>,
}

impl StatementView {
    /// What a statement within a transaction sees, and one that changes something.
    pub(crate) fn of(view: mainstay_store::View) -> StatementView {
        StatementView { view, _own: None }
    }

    /// What a query sees in a transaction of its own.
    pub(super) fn with_own(view: mainstay_store::View, own: Transaction) -> StatementView {
        StatementView { view, _own: Some(Mutex::new(own)) }
    }
}

impl View for StatementView {
    fn snapshot(&self, table: &Arc<dyn Table>) -> Result<Arc<dyn Snapshot>> {
        match native(table) {
            Some(Shown(native)) => Ok(native.snapshot_for(self.view)),
            None => table.snapshot(),
        }
    }
}

/// The native table behind a table of a plan, if it is one.
pub(super) fn native(table: &Arc<dyn Table>) -> Option<&Shown> {
    let any: &dyn Any = table.as_ref();
    any.downcast_ref::<Shown>()
}
