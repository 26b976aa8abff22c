//! The memory that the changes of an open transaction take: its redo records, its undo list, and the rows of tables
//! that it has created. Also the rows of the session's temporary tables, which are counted for as long as the tables
//! exist.
//!
//! ```text
//!   write, write, write ...   every few of them: how much is it now?   another mebibyte: ask the account for it
//! ```
//!
//! The caller that begins transactions sets the account to ask ([`Transaction::set_accounts`]): requested memory is
//! held until the transaction is over, and a refusal is the error of the write, whose statement is rolled back. A
//! transaction of few changes never asks.
//!
//! Limits: rows of shared tables are counted by their table ([`crate::memory`]); locks, deferred checks,
//! and the recorded reads of a serializable transaction are not counted.

use super::{Transaction, Write};
use mainstay_types::Result;
use mainstay_types::interrupt::Pace;
use std::sync::Arc;

/// The memory account of one transaction, until it is dropped.
pub trait Account: Send {
    /// Holds so many bytes, in the place of those before.
    ///
    /// Errors: `OutOfMemory`; it holds as many as before then.
    fn hold(&mut self, bytes: usize) -> Result<()>;
}

/// Opens an account for a transaction or temporary tables that need one, under this name.
pub type Accounts = Arc<dyn Fn(&str) -> Box<dyn Account> + Send + Sync>;

/// The name of a transaction's account.
const CHANGES: &str = "the changes of a transaction";

/// The name of the account of a session's temporary tables.
const TEMPORARY: &str = "temporary tables";

/// The size of a request in bytes.
const PORTION: usize = 1 << 20;

/// Writes between two looks at the memory.
const WRITES: u32 = 32;

/// Looks at the memory between two sums of the rows of tables, which go over all their groups.
const LOOKS: u32 = 32;

/// An account with what it holds, in portions.
#[derive(Default)]
pub(crate) struct Balance {
    account: Option<Box<dyn Account>>,
    held: usize,
}

impl Balance {
    fn hold(&mut self, bytes: usize, open: impl FnOnce() -> Box<dyn Account>) -> Result<()> {
        let portions = bytes / PORTION;
        if portions != self.held {
            self.account.get_or_insert_with(open).hold(portions * PORTION)?;
            self.held = portions;
        }
        Ok(())
    }

    /// Gives back what is held beyond these bytes.
    pub(crate) fn lower_to(&mut self, bytes: usize) {
        if let Some(account) = self.account.as_mut().filter(|_| bytes / PORTION < self.held) {
            // Less can always be held.
            let _ = account.hold(bytes / PORTION * PORTION);
            self.held = bytes / PORTION;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held == 0
    }
}

/// Counts the writes of a transaction: checks for cancellation, and determines when to measure their memory.
pub(super) struct WritePace {
    pace: Pace,
    left: u32,
    accounts: Option<Accounts>,
    changes: Balance,
    /// Looks until the rows of tables are added up again.
    looks: u32,
    /// Bytes of the rows of tables that the transaction has created, when they were added up.
    created: usize,
}

impl Default for WritePace {
    fn default() -> WritePace {
        let changes = Balance::default();
        WritePace { pace: Pace::default(), left: WRITES, accounts: None, changes, looks: LOOKS, created: 0 }
    }
}

impl WritePace {
    /// Errors: the statement is to end.
    #[inline]
    pub(super) fn step(&mut self) -> Result<()> {
        self.pace.step()
    }

    /// The same for a write. Returns true if it is time to measure the memory.
    #[inline]
    pub(super) fn step_of_write(&mut self) -> Result<bool> {
        self.left -= 1;
        if self.left == 0 {
            self.left = WRITES;
        }
        self.pace.step()?;
        Ok(self.left == WRITES)
    }
}

impl Transaction {
    /// Says where memory for its changes is asked for.
    pub fn set_accounts(&mut self, accounts: Accounts) {
        self.pace.accounts = Some(accounts);
    }

    /// Holds the memory of the changes so far.
    ///
    /// Errors: `OutOfMemory`.
    #[cold]
    pub(crate) fn count_changes(&mut self) -> Result<()> {
        self.pace.looks -= 1;
        match self.pace.looks {
            0 => self.count_changes_and_rows(),
            _ => self.hold_changes(),
        }
    }

    /// The same with the rows of tables that only this transaction or its session has.
    ///
    /// Errors: `OutOfMemory`.
    pub(crate) fn count_changes_and_rows(&mut self) -> Result<()> {
        self.pace.looks = LOOKS;
        let Some(accounts) = self.pace.accounts.clone() else { return Ok(()) };
        let created = self.steps.iter().filter(|step| step.is_shared()).filter_map(|step| step.step.new_table());
        self.pace.created = created.map(|table| table.bytes()).sum();
        if let Some(own) = self.temporary() {
            let bytes = own.bytes();
            own.balance().hold(bytes, || accounts(TEMPORARY))?;
        }
        self.hold_changes()
    }

    fn hold_changes(&mut self) -> Result<()> {
        let redo = self.redo.as_ref().map_or(0, |redo| redo.bytes());
        let bytes = redo + self.writes.len() * size_of::<Write>() + self.pace.created;
        let WritePace { accounts, changes, .. } = &mut self.pace;
        let Some(accounts) = accounts else { return Ok(()) };
        changes.hold(bytes, || accounts(CHANGES))
    }
}
