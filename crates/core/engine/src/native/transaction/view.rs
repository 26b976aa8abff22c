//! The view of one statement of a session, which its answer keeps.

use mainstay_columnar::{Snapshot, Table};
use mainstay_planner::View;
use mainstay_store::{Shown, Transaction};
use mainstay_types::Result;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// The view of one statement on native tables; other tables show the present contents of their files.
pub(crate) struct StatementView {
    view: mainstay_store::View,
    /// The separate transaction of a query: while it exists, no clean-up removes versions that the query sees.
    _own: Option<Mutex<Transaction>>,
}

impl StatementView {
    /// The view of a statement within a transaction, and of one that changes rows.
    pub(crate) fn of(view: mainstay_store::View) -> StatementView {
        StatementView { view, _own: None }
    }

    /// The view of a query together with its transaction.
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
