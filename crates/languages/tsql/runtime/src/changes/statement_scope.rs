//! Several statements of the core, or a statement and its triggers, that succeed or fail as one statement.
//!
//! ```text
//!   outside of a transaction    BEGIN ... COMMIT, of which the client is not told
//!   within one                  SAVEPOINT "#unit7" ... RELEASE
//! ```
//!
//! Each has a savepoint with a unique name, since a trigger may roll back to a savepoint from before the statement:
//! then the statement's own is gone, and one of the same name would belong to a statement around it.

use crate::statements::runner::Runner;
use mainstay_tsql_syntax::reduce;
use mainstay_vm::Raised;

impl Runner<'_> {
    /// Does something of several statements of the core, all of it or nothing.
    ///
    /// Errors: those of `work`; 3609 when it has ended the transaction itself.
    pub(crate) fn unit<C, T>(
        &mut self,
        call: &mut C,
        work: impl FnOnce(&mut Self, &mut C) -> Result<T, Box<Raised>>,
    ) -> Result<T, Box<Raised>> {
        if self.inner.state.transactions > 0 {
            return self.unit_within(call, work);
        }
        self.inner.core.begin().map_err(crate::statements::errors::raised_error)?;
        self.inner.state.transactions = 1;
        self.inner.state.savepoints.clear();
        self.inner.state.units.clear();
        // Table variables keep their rows over a rollback: the statement's changes of them are undone before it.
        let has_variables = self.inner.has_table_variables();
        if has_variables {
            self.inner.execute("SAVEPOINT \"#unit\"")?;
        }
        let outcome = work(self, call);
        if self.inner.state.transactions == 0 {
            // A trigger has rolled everything back, or the server has.
            return outcome.and(Err(crate::objects::fired_triggers::ended_in_trigger()));
        }
        match outcome {
            Ok(_) => {
                self.inner.state.transactions = 0;
                self.inner.core.commit().map_err(crate::statements::errors::raised_error)?;
                // A trigger may have put one of its own in the place of the statement's.
                self.inner.state.announced.committed();
            }
            Err(_) => {
                if has_variables {
                    // A trigger's own transaction, or one that is lost, has no such place.
                    let _ = self.inner.execute("ROLLBACK TO SAVEPOINT \"#unit\"");
                }
                self.inner.rollback(None)?;
            }
        }
        outcome
    }

    /// The same within a transaction.
    ///
    /// Errors: as [`Runner::unit`].
    fn unit_within<C, T>(
        &mut self,
        call: &mut C,
        work: impl FnOnce(&mut Self, &mut C) -> Result<T, Box<Raised>>,
    ) -> Result<T, Box<Raised>> {
        let unit = self.inner.state.begin_unit();
        let savepoint = reduce::quoted(&format!("#unit{unit}"));
        self.inner.execute(&format!("SAVEPOINT {savepoint}"))?;
        let outcome = work(self, call);
        if self.inner.state.transactions == 0 {
            return outcome.and(Err(crate::objects::fired_triggers::ended_in_trigger()));
        }
        if outcome.is_err() {
            self.inner.state.forget_savepoints_of_unit(unit);
        }
        // A trigger may have rolled back to a savepoint from before the statement, and the statement with it.
        match (self.inner.state.end_unit(unit), &outcome) {
            (None, _) => {}
            // The core would release the savepoints that a trigger has set with it: they stay until the transaction ends.
            (Some(is_last), Ok(_)) => {
                if is_last {
                    self.inner.execute(&format!("RELEASE SAVEPOINT {savepoint}"))?;
                }
            }
            (Some(_), Err(_)) if self.inner.has_lost_transaction() => {}
            (Some(_), Err(_)) => drop(self.inner.execute(&format!("ROLLBACK TO SAVEPOINT {savepoint}"))?),
        }
        outcome
    }
}
