//! Sessions of read-only users.
//!
//! Such a session changes its own temporary tables and nothing else. Native tables are checked by the transaction
//! (`mainstay_store::Transaction::set_read_only`), sequences by [`Given`](crate::native::Given), DBF tables and definitions here.

use super::Session;
use mainstay_types::{Cause, Code, Error, Result};

impl Session {
    /// Lets the session change nothing but its temporary tables, from the next statement on. An open transaction keeps the
    /// rights that it began with.
    pub fn set_read_only(&mut self, is_read_only: bool) {
        self.transaction.given.set_read_only(is_read_only);
    }

    /// True if the session may change temporary tables only.
    pub fn is_read_only(&self) -> bool {
        self.transaction.given.is_read_only()
    }

    /// Errors: `NotPermitted`, about the table, in a session that may only read.
    pub(super) fn check_may_change(&self, table: &str) -> Result<()> {
        if !self.is_read_only() {
            return Ok(());
        }
        let error = Error::new(Code::NotPermitted, format!("the user may only read, and may not change \"{table}\""));
        Err(error.about(table).because(Cause::ReadOnlyUser))
    }

    /// Errors: `NotPermitted` in a session that may only read.
    pub fn check_may_define(&self) -> Result<()> {
        if !self.is_read_only() {
            return Ok(());
        }
        let error = Error::new(Code::NotPermitted, "the user may only read, and may not change definitions or files");
        Err(error.because(Cause::ReadOnlyUserDefinition))
    }
}
