//! The present values of identity columns and sequences, and the values that new rows took.

use super::Session;
use crate::native::Identity;
use mainstay_planner::Name;
use mainstay_store::ValueRange;
use mainstay_types::{Code, Result};

impl Session {
    /// Where the numbers of a native table's identity column stand; `None` for a table without one, or none of this name.
    ///
    /// Errors: those of reading the catalog.
    pub fn identity(&self, table: &str) -> Result<Option<Identity>> {
        Ok(self.identity_sequence(table)?.and_then(|id| self.scope().identity(id)))
    }

    /// The value that the sequence of this number gives next; `None` when all are given.
    pub fn upcoming_value(&self, sequence: u64) -> Option<i64> {
        self.scope().identity(sequence).and_then(|identity| identity.next)
    }

    /// Lets the identity column of a native table go on with this number. No rollback takes it back.
    ///
    /// Errors: `InvalidValue` for a number that the column does not give, and those of the journal.
    pub fn set_identity(&mut self, table: &str, next: i64) -> Result<()> {
        match self.identity_sequence(table)? {
            Some(id) => {
                if self.scope().owner_of_sequence(id).is_none() {
                    self.transaction.given.check_may_give()?;
                }
                self.scope().set_identity(id, next)
            }
            None => Ok(()),
        }
    }

    /// Where a sequence of its own stands, by its number in the catalog; `None` for one that is not there.
    pub fn sequence(&self, id: u64) -> Option<Identity> {
        self.scope().identity(id)
    }

    /// Takes so many values of a sequence at once, by its number in the catalog; `None` if there are not so many.
    ///
    /// Errors: those of the journal.
    pub fn take_range(&self, id: u64, count: u64) -> Result<Option<ValueRange>> {
        self.transaction.given.check_may_give()?;
        self.scope().take_range(id, count)
    }

    /// The number that this session's last new row of a table was given by the table's identity column, or by the counter
    /// of a DBF; `None` before there was one, and for a table without such a column.
    ///
    /// Errors: `UnknownTable`.
    pub fn last_identity(&self, table: &str) -> Result<Option<i64>> {
        let key = table.replace('"', "").to_lowercase();
        self.writable(&Name::new(&key))?.last_number(self)
    }

    /// The number of this session's last new record of a DBF table; `None` before there was one.
    pub fn last_record(&self) -> Option<u64> {
        self.transaction.given.last_record()
    }

    /// How many rows the last INSERT with ON CONFLICT DO NOTHING has left out.
    pub fn rows_left_out(&self) -> u64 {
        self.transaction.given.left_out()
    }

    /// The sequence of a table's identity column.
    fn identity_sequence(&self, table: &str) -> Result<Option<u64>> {
        match self.form(&table.to_lowercase()) {
            Ok(form) => {
                Ok(form.definition.columns.iter().find_map(|column| column.identity.as_ref()).map(|it| it.sequence))
            }
            Err(error) if error.code() == Code::UnknownTable => Ok(None),
            Err(error) => Err(error),
        }
    }
}
