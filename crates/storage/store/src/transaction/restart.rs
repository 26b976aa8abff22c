//! Restart of sequences with a transaction: for TRUNCATE.
//!
//! ```text
//!   restart       numbers begin again; the journal still says what is behind the rows that there are
//!   commit        the frame that ends the rows says which number comes next
//!   rollback      the numbers go on as if nothing had been
//! ```

use super::Transaction;
use crate::files::catalog::SequenceDefinition;
use mainstay_types::Result;

impl Transaction {
    /// Restarts a sequence, unless this is rolled back or the process ends before the commit. No other transaction
    /// takes values of it until this one ends: it holds the table whose numbers they are ([`Transaction::hold`]).
    ///
    /// Errors: `ReadOnly`.
    pub fn restart(&mut self, definition: &SequenceDefinition) -> Result<()> {
        let shared = self.shared();
        shared.check_changeable()?;
        self.check_may_define()?;
        let (id, before) = (definition.id, shared.sequences.begin_restart(definition));
        self.on_rollback(move || shared.sequences.take_back(id, before));
        self.reversals.restarts.push(definition.clone());
        Ok(())
    }

    /// Logs the next values of the sequences that restart; restarts that were rolled back are left out.
    pub(super) fn note_restarts(&mut self) {
        for definition in std::mem::take(&mut self.reversals.restarts) {
            let is_known = self.reversals.restarts.iter().any(|known| known.id == definition.id);
            let Some(next) = self.shared.sequences.restarted(&definition).filter(|_| !is_known) else { continue };
            if let Some(redo) = self.redo() {
                redo.sequence(definition.id, next);
            }
            self.reversals.restarts.push(definition);
        }
    }

    /// Notes the commit, which recovery will find. Before another transaction takes values.
    pub(super) fn end_restarts(&self, commit: u64) {
        self.reversals.restarts.iter().for_each(|definition| self.shared.sequences.end_restart(definition.id, commit));
    }
}
