//! Views over packed records by their names, for what a session reports about tables that can be changed.

use super::Session;
use crate::native::{Form, key_of};
use mainstay_planner::{Name, Relation};
use mainstay_store::Isolation;
use mainstay_types::Result;

/// The view of a name, if statements can change rows through it.
///
/// Errors: those of the view's expressions, and of reading the rules of its table.
pub(crate) fn packed_view(session: &Session, view: &str) -> Result<Option<Form>> {
    let scope = session.scope();
    let key = key_of(&Name::new(view));
    match scope.relation(&key)? {
        Some(Relation::View { .. }) => {
            let mut transaction = session.native().begin_reading(Isolation::ReadCommitted);
            scope.packed_form(&session.database.shared.planner, &key, &mut transaction)
        }
        _ => Ok(None),
    }
}
