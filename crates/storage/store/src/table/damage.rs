//! A table whose rows could not be read, when the store was opened or at their first read later.
//!
//! A file of it is damaged, is gone or cannot be read. The other tables of the store are used as ever; of this one
//! there is only the definition. It must never be taken for an empty table:
//! ```text
//!   a lookup by number or name             gets the reason              Store::table_of, Scope::table of the engine
//!   a read for a reference                 gets the reason              references.rs
//!   a write or commit by its holder        gets the reason              check_current, Transaction::commit
//!   its records in the journal             are left in the journal      durable/recover.rs
//!   checkpoints                            are not taken                durable/checkpoint.rs
//!   dropping it                            is a change like any other
//! ```
//!
//! As no checkpoint is taken, the manifest, its group files and every journal since are preserved: once the damaged
//! file has been restored, opening the store finds the table as it was committed last.

use super::NativeTable;
use mainstay_types::{Error, Result};
use std::sync::OnceLock;

/// The hint of the error.
const HINT: &str = "see what `mainstay check` says; put the file back from a copy, restore the database from a backup, or drop the table";

/// The damage of a table, shared with the sources of its groups.
pub(crate) struct Damage {
    /// The name of the table, for messages.
    table: String,
    reason: OnceLock<Error>,
}

impl Damage {
    pub(super) fn of(table: &str) -> Damage {
        Damage { table: table.to_owned(), reason: OnceLock::new() }
    }

    /// Records why rows could not be read: the table is refused from now on.
    pub(crate) fn note(&self, cause: &Error) {
        let message = format!("the table \"{}\" cannot be used: {}", self.table, cause.message());
        let reason = Error::new(cause.code(), message).hint(HINT);
        self.take(match cause.place() {
            Some(place) => reason.at(place),
            None => reason,
        });
    }

    fn take(&self, reason: Error) {
        let _ = self.reason.set(reason);
    }

    /// Why the rows could not be read, if that is so.
    #[inline]
    pub(crate) fn reason(&self) -> Option<&Error> {
        self.reason.get()
    }
}

impl NativeTable {
    /// Says that the rows could not be read, and why: nothing is read from the table and written to it from now on.
    pub(crate) fn set_damage(&self, cause: &Error) {
        self.damage.note(cause);
        self.set_replaced(true);
    }

    /// The same for a table that comes in the place of a damaged one.
    pub(crate) fn take_damage(&self, reason: Error) {
        self.damage.take(reason);
        self.set_replaced(true);
    }

    /// Why its rows could not be read, if that is so.
    #[inline]
    pub fn damage(&self) -> Option<&Error> {
        self.damage.reason()
    }

    /// Errors: the reason why its rows could not be read.
    #[inline]
    pub(crate) fn check_sound(&self) -> Result<()> {
        self.damage().map_or(Ok(()), |reason| Err(reason.clone()))
    }
}
