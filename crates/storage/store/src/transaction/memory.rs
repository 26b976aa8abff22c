//! The memory that the changes of an open transaction hold: what goes to the journal at its commit, and what it has written
//! where, for undo.
//!
//! ```text
//!   write, write, write ...   every few of them: how much is it now?   another mebibyte: ask the account for it
//! ```
//!
//! Who begins transactions says where to ask ([`Transaction::set_accounts`]): what is asked for is held until the transaction
//! is over, and a refusal is the error of the write, whose statement is taken back. A transaction of few changes never asks.
//!
//! Limits: rows themselves are counted by their table ([`crate::memory`]); locks, checks that are deferred, and what a
//! serializable transaction has read are not counted.

use super::{Transaction, Write};
use mainstay_types::Result;
use mainstay_types::interrupt::Pace;
use std::sync::Arc;

/// What holds memory for one transaction, until it is dropped.
pub trait Account: Send {
    /// Holds so many bytes, in the place of those before.
    ///
    /// Errors: `OutOfMemory`; it holds as many as before then.
    fn hold(&mut self, bytes: usize) -> Result<()>;
}

/// Opens an account for a transaction that needs one.
pub type Accounts = Arc<dyn Fn() -> Box<dyn Account> + Send + Sync>;

/// What is asked for at once.
const PORTION: usize = 1 << 20;

/// Writes between two looks at the memory.
const WRITES: u32 = 32;

/// Counts the writes of a transaction, which end when the statement is to end, and says when to look at their memory.
pub(super) struct WritePace {
    pace: Pace,
    left: u32,
    accounts: Option<Accounts>,
    account: Option<Box<dyn Account>>,
    /// In portions.
    held: usize,
}

impl Default for WritePace {
    fn default() -> WritePace {
        WritePace { pace: Pace::default(), left: WRITES, accounts: None, account: None, held: 0 }
    }
}

impl WritePace {
    /// Errors: the statement is to end.
    #[inline]
    pub(super) fn step(&mut self) -> Result<()> {
        self.pace.step()
    }

    /// The same for a write: whether it is time to look at the memory.
    #[inline]
    pub(super) fn step_of_write(&mut self) -> Result<bool> {
        self.left -= 1;
        if self.left == 0 {
            self.left = WRITES;
        }
        self.pace.step()?;
        Ok(self.left == WRITES)
    }

    fn hold(&mut self, bytes: usize) -> Result<()> {
        let portions = bytes / PORTION;
        let Some(accounts) = self.accounts.as_ref().filter(|_| portions != self.held) else { return Ok(()) };
        self.account.get_or_insert_with(|| accounts()).hold(portions * PORTION)?;
        self.held = portions;
        Ok(())
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
        let redo = self.redo.as_ref().map_or(0, |redo| redo.bytes());
        self.pace.hold(redo + self.writes.len() * size_of::<Write>())
    }
}
