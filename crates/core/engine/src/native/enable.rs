//! Disabled constraints: `ALTER TABLE t DISABLE CONSTRAINT c` and `ENABLE CONSTRAINT c`.
//!
//! Bulk loads disable references, insert rows in any order, and enable them again. A disabled constraint stays in the
//! catalog and is removed from the table: no row is checked, no action runs. An enabled one applies to new rows;
//! existing rows are checked if the statement asks for it.

use super::change::Changer;
use super::define::Definitions;
use super::versions::positions;
use mainstay_planner::{Enabled, Name};
use mainstay_store::Transaction;
use mainstay_store::files::catalog::{CatalogChange, TableDefinition};
use mainstay_types::{Cause, Code, Error, Result, ValueRef};

impl Definitions<'_> {
    /// Enables or disables a check or reference of a table, or all of them.
    ///
    /// Errors: `InvalidValue` for an unknown name, and those of rows that violate a constraint.
    pub(super) fn enable(
        &self,
        transaction: &mut Transaction,
        table: &mut TableDefinition,
        name: Option<&Name>,
        enabled: Enabled,
    ) -> Result<()> {
        let is_meant = |known: &str| name.is_none_or(|name| known.to_lowercase() == name.key);
        let is_known = table.checks.iter().any(|check| is_meant(&check.name))
            || table.foreign_keys.iter().any(|key| is_meant(&key.name));
        if let (false, Some(name)) = (is_known, name) {
            let message = format!("the table {} has no check or reference {name}", table.name);
            let error = Error::new(Code::InvalidValue, message);
            return Err(error.about(name.to_string()).because(Cause::UnknownConstraint));
        }
        if enabled == Enabled::Yes && table.foreign_keys.iter().any(|key| is_meant(&key.name)) {
            // Away and back: the store looks at the rows of a reference that is new.
            let mut without = table.clone();
            without.foreign_keys.retain(|key| !is_meant(&key.name));
            self.change_catalog(transaction, CatalogChange::PutTable(without))?;
        }
        let disabled = enabled == Enabled::No;
        table.checks.iter_mut().filter(|check| is_meant(&check.name)).for_each(|check| check.disabled = disabled);
        table.foreign_keys.iter_mut().filter(|key| is_meant(&key.name)).for_each(|key| key.disabled = disabled);
        Ok(())
    }
}

impl Changer<'_> {
    /// Looks whether all rows of a table keep to a check, or to all without a name.
    ///
    /// Errors: `CheckViolation` that names the check.
    pub(super) fn check_rows(&self, transaction: &mut Transaction, table: &Name, check: Option<&Name>) -> Result<()> {
        const ROWS: usize = 1024;
        let form = self.form(transaction, table)?;
        let view = transaction.begin_statement()?;
        let width = form.definition.columns.len();
        let positions = positions(&form.table, view)?;
        for some in positions.chunks(ROWS) {
            let reader = form.table.reader(view);
            let values = |position: &u64| {
                let version = reader.version(*position);
                (0..width)
                    .map(|column| version.as_ref().map_or(ValueRef::Null, |version| version.value(column)).to_value())
                    .collect()
            };
            let rows: Vec<_> = some.iter().map(values).collect();
            form.check(&rows, check.map(|name| name.key.as_str()))?;
        }
        Ok(())
    }
}
