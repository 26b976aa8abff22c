//! Temporary procedures: `#p` belongs to its session, `##p` is visible to all sessions until the one that created it ends.
//!
//! ```text
//!   p     sys.mainstay_modules
//!   #p    a temporary table of the core     the core drops it with the session, a reset of the connection does so, too
//!   ##p   tempdb.mainstay_modules           with the session's number: its rows are deleted when the session ends, and the
//!                                           table is dropped when the database is opened
//! ```
//!
//! All three are tables of the core, so a ROLLBACK undoes CREATE, ALTER and DROP of each in the same way.
//!
//! Rule: CREATE PROCEDURE in SQL Server's manual, "Temporary procedures". One that a procedure creates outlives that
//! procedure, unlike a temporary table.

use super::{Modules, Object, TABLE, Version};
use crate::session::Inner;
use crate::session::scope::{is_global, is_temporary};
use crate::statements::errors::raised;
use mainstay_tsql_syntax::tree::{ObjectName, Statement, StatementKind};
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;

/// The table of the session's own procedures.
const OWN_TABLE: &str = "\"mainstay_modules@session\"";
/// The table of the global ones.
const GLOBAL_TABLE: &str = "tempdb.mainstay_modules";

/// Tables of the core that hold modules.
pub(super) const TABLES: [&str; 3] = [TABLE, GLOBAL_TABLE, OWN_TABLE];

/// The name of a temporary procedure in its key.
fn temporary_name(key: &str) -> Option<&str> {
    key.strip_prefix("dbo.").filter(|name| name.starts_with('#'))
}

/// The table that keeps the object of a key.
pub(super) fn table_of(key: &str) -> &'static str {
    match temporary_name(key) {
        None => TABLE,
        Some(name) if is_global(name) => GLOBAL_TABLE,
        Some(_) => OWN_TABLE,
    }
}

/// The statements that create a table that does not exist yet: its schema, and the words of its definition before the columns.
pub(super) fn definition_of(table: &str) -> (Option<&'static str>, &'static str) {
    match table {
        OWN_TABLE => (None, "CREATE TEMPORARY TABLE"),
        GLOBAL_TABLE => (Some(crate::session::scope::GLOBALS), "CREATE TABLE IF NOT EXISTS"),
        _ => (Some("sys"), "CREATE TABLE IF NOT EXISTS"),
    }
}

/// A name as the core's list of tables has it.
pub(super) fn plain_name(table: &str) -> &str {
    table.trim_matches('"')
}

impl Object {
    /// True if it is a temporary procedure.
    pub(crate) fn is_temporary(&self) -> bool {
        temporary_name(&self.key).is_some()
    }

    /// True if an object of this key that a table holds is one of that table: databases of versions that kept temporary
    /// procedures for good still have them.
    pub(super) fn belongs_to(&self, table: &str) -> bool {
        table_of(&self.key) == table
    }
}

impl Modules {
    /// A number that changes with the objects: those of all sessions and the session's own.
    pub(crate) fn version(&self) -> u64 {
        self.version + self.own_changes
    }

    /// The same for the state that all sessions share.
    pub(crate) fn version_at(&self, version: &Version) -> u64 {
        version.get() + self.own_changes
    }

    /// The session's own procedures have changed.
    pub(crate) fn own_have_changed(&mut self) {
        self.own_changes += 1;
        self.is_read = false;
    }

    /// A rollback may have undone changes of the session's own procedures.
    pub(crate) fn may_have_lost_own(&mut self) {
        if self.own_changes > 0 {
            self.own_have_changed();
        }
    }
}

impl Inner {
    /// An object of this name was created, changed or dropped.
    pub(crate) fn object_changed(&mut self, name: &ObjectName) -> Result<(), Box<Raised>> {
        if !is_temporary(name.last()) {
            return self.objects_changed();
        }
        if is_global(name.last()) {
            self.state.has_global_procedures = true;
            return self.objects_changed();
        }
        self.modules.own_have_changed();
        self.refresh_changed().map_err(raised)
    }

    /// Drops the temporary procedures of the session.
    pub(crate) fn drop_temporary_procedures(&mut self) {
        if std::mem::take(&mut self.state.has_global_procedures) {
            let owner = self.state.process;
            // A table that a rollback has removed has nothing to delete.
            let _ = self.core.execute_uninterrupted(&format!("DELETE FROM {GLOBAL_TABLE} WHERE parent = '{owner}'"));
            self.instance.version.bump();
        }
        if self.modules.own_changes > 0 {
            let _ = self.core.execute_uninterrupted(&format!("DROP TABLE IF EXISTS {OWN_TABLE}"));
            self.modules.own_have_changed();
        }
    }
}

/// Sees that an object that is not a table or a procedure has no temporary name.
///
/// Errors: 1074 for functions, 4103 for views, 102 for triggers and synonyms.
pub(crate) fn check_name(statement: &Statement) -> Result<(), Box<Raised>> {
    let (name, number) = match &statement.kind {
        StatementKind::Function(function) => (&function.name, 1074),
        StatementKind::View(view) => (&view.name, 4103),
        StatementKind::Trigger(trigger) => (&trigger.name, 102),
        StatementKind::CreateSynonym(name, _) => (name, 102),
        _ => return Ok(()),
    };
    match is_temporary(name.last()) {
        true => Err(raised(Message::numbered(number, &[&name.last()]))),
        false => Ok(()),
    }
}
