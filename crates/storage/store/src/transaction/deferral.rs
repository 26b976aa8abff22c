//! Deferred references: DEFERRABLE foreign keys and SET CONSTRAINTS.
//!
//! The checks of a statement are run at its end. Those of deferred references are stored, and are run when the
//! transaction commits:
//!
//! ```text
//!   end of a statement     checks  --immediate references--> run
//!                                  --deferred references---> pending
//!   SET ... IMMEDIATE      pending --those it names--------> run, and stay pending
//!   commit                 pending --deferrable references-> run
//! ```
//!
//! Checks that SET CONSTRAINTS has run stay pending: a rollback to a savepoint may remove the row that satisfied them.
//! A check reads the current state, so running it twice does no harm, and one of a row that is gone by then has nothing
//! to do. Actions (CASCADE and so on) and RESTRICT are never deferred, as in PostgreSQL.

use super::Transaction;
use crate::files::catalog::Deferrable;
use crate::table::{Check, NativeTable, Reference};
use mainstay_types::{Code, Error, Result};

/// The deferred checks of a transaction, and its SET CONSTRAINTS statements.
#[derive(Default)]
pub(super) struct Deferral {
    /// Checks of which a reference was deferred when their statement ended.
    pub(super) pending: Vec<Check>,
    /// The SET CONSTRAINTS statements: a name in lower case, or all, and true for DEFERRED. The last one counts.
    said: Vec<(Option<String>, bool)>,
}

/// The lengths of both lists at a savepoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeferralMark {
    pending: usize,
    said: usize,
}

impl Deferral {
    pub(super) fn mark(&self) -> DeferralMark {
        DeferralMark { pending: self.pending.len(), said: self.said.len() }
    }

    pub(super) fn take_back(&mut self, mark: DeferralMark) {
        self.pending.truncate(mark.pending);
        self.said.truncate(mark.said);
    }
}

impl Transaction {
    /// SET CONSTRAINTS: defers the references of this name in lower case, or all of them, to the commit of the
    /// transaction, or ends that. If they are deferred no longer, their pending checks are run now.
    ///
    /// Errors: `ForeignKeyViolation`, and those of waiting; the caller then rolls back to before the statement.
    pub fn set_deferred(&mut self, name: Option<&str>, is_deferred: bool) -> Result<()> {
        self.deferral.said.push((name.map(str::to_owned), is_deferred));
        if is_deferred {
            return Ok(());
        }
        self.run_pending(|transaction, reference| !transaction.is_deferred(reference))
    }

    /// Sees that no check is deferred that a table has a part in: with another form of the table it could not be run.
    ///
    /// Errors: `InUse`.
    pub fn check_not_deferred(&self, table: &NativeTable) -> Result<()> {
        let is_table = |known: &NativeTable| known.id() == table.id();
        let is_deferred = |reference: &Reference| self.is_deferred(reference);
        if !self.deferral.pending.iter().any(|check| check.concerns(is_table, is_deferred)) {
            return Ok(());
        }
        let name = &table.definition().name;
        let message = format!("references of {name} are still to be checked, which this transaction has deferred");
        Err(Error::new(Code::InUse, message).hint("SET CONSTRAINTS ALL IMMEDIATE checks them, and COMMIT does"))
    }

    /// Checks what was deferred, whatever is said about it now.
    ///
    /// Errors: `ForeignKeyViolation`, and those of waiting.
    pub(super) fn run_deferred(&mut self) -> Result<()> {
        self.run_pending(|_, reference| !reference.deferrable.is_no())
    }

    /// Returns true if a reference is looked at when the transaction commits.
    pub(super) fn is_deferred(&self, reference: &Reference) -> bool {
        if reference.deferrable.is_no() {
            return false;
        }
        let is_about = |name: &Option<String>| name.as_ref().is_none_or(|name| *name == reference.name.to_lowercase());
        let said = self.deferral.said.iter().rev().find(|(name, _)| is_about(name));
        said.map_or(reference.deferrable == Deferrable::InitiallyDeferred, |(_, is_deferred)| *is_deferred)
    }

    fn run_pending(&mut self, is_wanted: impl Fn(&Transaction, &Reference) -> bool) -> Result<()> {
        let pending = std::mem::take(&mut self.deferral.pending);
        let outcome = pending.iter().try_for_each(|check| check.run(self, &is_wanted).map(drop));
        self.deferral.pending = pending;
        outcome
    }
}
