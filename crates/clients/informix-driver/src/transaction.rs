//! The transaction of a session: when it begins, and when nobody needs to wait for its end.

use crate::execution::Execute;
use crate::placeholders::Verb;

/// The warning behind the opening of a database that has transactions.
const TRANSACTIONS_WARNING: u16 = 1;
/// The warning behind the opening of an ANSI database, whose transactions begin by themselves.
const ANSI_WARNING: u16 = 2;

/// True for SET LOCK MODE, which does not change the locks that reading leaves.
fn is_lock_mode(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    ["SET", "LOCK", "MODE"].iter().all(|word| words.next().is_some_and(|found| found.eq_ignore_ascii_case(word)))
}

/// The state of the transaction.
pub(crate) struct Transaction {
    pub is_open: bool,
    /// All statements of the transaction were queries.
    pub has_only_read: bool,
    /// The isolation was set: rows that are read may stay locked until the transaction ends.
    pub may_lock_rows: bool,
    /// Tables were defined or changed in the transaction: its end decides what prepared statements mean.
    pub has_definitions: bool,
    /// Warnings behind the opening of the database.
    pub database_warnings: u16,
}

impl Transaction {
    /// No transaction.
    pub fn new() -> Transaction {
        Transaction {
            is_open: false,
            has_only_read: true,
            may_lock_rows: false,
            has_definitions: false,
            database_warnings: 0,
        }
    }

    fn is_ansi(&self) -> bool {
        self.database_warnings & ANSI_WARNING != 0
    }

    /// True if the database has transactions.
    pub fn is_possible(&self) -> bool {
        self.database_warnings & TRANSACTIONS_WARNING != 0
    }

    /// True if BEGIN WORK has to be sent before the next statement.
    pub fn needs_begin(&self, autocommit: bool) -> bool {
        !autocommit && !self.is_open && self.is_possible() && !self.is_ansi()
    }

    /// A statement is about to be executed.
    pub fn executes(&mut self, execute: &Execute, autocommit: bool) {
        let only_reads = execute.verb == Verb::Query && !execute.is_for_update;
        self.has_only_read = only_reads && (self.has_only_read || !self.is_open);
        self.may_lock_rows |= execute.verb == Verb::Setting && !is_lock_mode(&execute.text);
        if self.is_ansi() && !autocommit {
            self.is_open |= execute.verb != Verb::Setting;
        }
    }

    /// True if nobody needs to wait for its ROLLBACK: it has changed nothing, and others wait for none of its locks.
    pub fn can_be_abandoned(&self) -> bool {
        self.is_open && self.has_only_read && !self.may_lock_rows
    }
}
