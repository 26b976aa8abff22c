//! SET CONSTRAINTS: the references that are checked when the transaction commits.

use super::SessionTransaction;
use crate::native::Native;
use mainstay_planner::Name;
use mainstay_store::files::catalog::TableDefinition;
use mainstay_types::{Code, Error, Result};

impl SessionTransaction {
    /// SET CONSTRAINTS: of the open transaction; without one it says nothing, as in PostgreSQL.
    ///
    /// Errors: `InvalidValue` for a name that no DEFERRABLE reference has, `ForeignKeyViolation` of what was deferred and
    /// is looked at now. Then nothing has changed.
    pub(crate) fn set_constraints(&mut self, native: &Native, names: &[Name], deferred: bool) -> Result<()> {
        let definitions = self.scope(native).definitions();
        for name in names {
            let tables = definitions.temporary.iter().chain([&definitions.shared]).flat_map(|it| &it.tables);
            check_deferrable(tables, &name.key)?;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let savepoint = open.transaction.savepoint();
        let set = match names {
            [] => open.transaction.set_deferred(None, deferred),
            names => names.iter().try_for_each(|name| open.transaction.set_deferred(Some(&name.key), deferred)),
        };
        match set {
            Ok(()) => Ok(()),
            Err(error) => open.transaction.rollback_to(&savepoint).and(Err(error)),
        }
    }
}

/// Sees that a reference of this name, in lower case, can be deferred.
fn check_deferrable<'t>(tables: impl Iterator<Item = &'t TableDefinition>, name: &str) -> Result<()> {
    let keys = tables.flat_map(|table| &table.foreign_keys).filter(|key| key.name.to_lowercase() == name);
    let deferrable: Vec<bool> = keys.map(|key| !key.deferrable.is_no()).collect();
    if deferrable.contains(&true) {
        return Ok(());
    }
    let message = match deferrable.is_empty() {
        true => format!("there is no reference {name}"),
        false => format!("the reference {name} is not DEFERRABLE"),
    };
    Err(Error::new(Code::InvalidValue, message))
}
