//! TRUNCATE TABLE.

use crate::definitions::define::shown_name;
use crate::session::Inner;
use crate::session::scope::is_temporary;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::reduce::Scope;
use mainstay_tsql_syntax::tree::ObjectName;
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;

impl Inner {
    /// True if another table has a foreign key to this table of the core, with or without rows.
    fn is_referred_to(&mut self, table: &str) -> bool {
        let Some(referred) = self.names(&[]).with_definition(table, |table| table.id) else { return false };
        let shared = self.core.definitions().shared;
        let others = shared.tables.iter().filter(|other| other.id != referred);
        others.flat_map(|other| &other.foreign_keys).any(|key| key.referenced_table == referred)
    }

    /// TRUNCATE: all rows, and the numbers begin again.
    ///
    /// Errors: 4708 for a view, 4712 for a table that others refer to.
    pub(crate) fn truncate(&mut self, name: &ObjectName) -> Result<(), Box<Raised>> {
        if !is_temporary(name.last()) && self.is_view(name)? {
            return Err(raised(Message::numbered(4708, &[&shown_name(name)])));
        }
        let table = self.names(&[]).table(name).map_err(raised)?;
        if !is_temporary(name.last()) && self.is_referred_to(&table) {
            return Err(raised(Message::numbered(4712, &[&shown_name(name)])));
        }
        let done = self.execute(&format!("TRUNCATE TABLE {table} RESTART IDENTITY"));
        done.map(drop).map_err(|error| match error.number {
            547 => raised(Message::numbered(4712, &[&shown_name(name)])),
            _ => error,
        })
    }
}
