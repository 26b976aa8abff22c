//! What clients are told of transactions: that one has begun, was committed or rolled back, whatever did it.
//!
//! Drivers that commit for their programs follow these announcements, and not what they have asked for: an error or a text
//! may have ended the transaction that they began, and they begin the next one only when they have heard so. A transaction
//! that the server makes for a single statement is not announced, neither its beginning nor its end.

use crate::session::Inner;
use mainstay_tds::{Environment, Sink};

/// The number of the only transaction that a session can have.
const TRANSACTION: u64 = 1;

/// The transaction that the client knows of, and what it has yet to hear.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    is_open: bool,
    untold: Vec<Environment>,
}

impl Announced {
    pub(crate) fn begun(&mut self) {
        self.is_open = true;
        self.untold.push(Environment::TransactionBegun(TRANSACTION));
    }

    pub(crate) fn committed(&mut self) {
        self.ended(Environment::TransactionCommitted(TRANSACTION));
    }

    pub(crate) fn rolled_back(&mut self) {
        self.ended(Environment::TransactionRolledBack(TRANSACTION));
    }

    fn ended(&mut self, how: Environment) {
        if std::mem::take(&mut self.is_open) {
            self.untold.push(how);
        }
    }

    /// Leaves out what the client knows without being told.
    pub(crate) fn forget_untold(&mut self) {
        self.untold.clear();
    }
}

impl Inner {
    /// Tells the client what it has not heard yet.
    #[inline]
    pub(crate) fn announce(&mut self, sink: &mut dyn Sink) {
        // Every statement asks, and hardly any has something to tell.
        if self.state.announced.untold.is_empty() {
            return;
        }
        self.state.announced.untold.drain(..).for_each(|change| sink.environment(&change));
    }
}
