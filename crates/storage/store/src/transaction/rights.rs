//! Transactions of read-only users: they change temporary tables and nothing else.

use super::Transaction;
use crate::table::NativeTable;
use mainstay_types::{Cause, Code, Error, Result};

impl Transaction {
    /// Makes the transaction one that may change temporary tables only.
    pub fn set_read_only(&mut self, is_read_only: bool) {
        self.is_read_only = is_read_only;
    }

    /// Errors: `NotPermitted` for a table that is kept, in a transaction that may only read.
    pub(super) fn check_may_write(&self, table: &NativeTable) -> Result<()> {
        if !self.is_read_only || !table.definition().logged {
            return Ok(());
        }
        let name = &table.definition().name;
        let error = Error::new(Code::NotPermitted, format!("the user may only read, and may not change \"{name}\""));
        Err(error.about(name.clone()).because(Cause::ReadOnlyUser))
    }

    /// Errors: `NotPermitted` in a transaction that may only read.
    pub(crate) fn check_may_define(&self) -> Result<()> {
        if !self.is_read_only {
            return Ok(());
        }
        let error = Error::new(Code::NotPermitted, "the user may only read, and may not change definitions");
        Err(error.because(Cause::ReadOnlyUserDefinition))
    }
}
