//! The transactions of a channel: the session's own, the one that gathers changes, one for a single change.
//!
//! ```text
//!   the session has one open (BEGIN in SQL, the dialect's own verb)   everything runs in it, and it alone commits
//!   the file is locked by the session                                 changes gather
//!   otherwise                                                         each change is a commit
//! ```

use crate::sharing::{Gathered, SharedFile};
use crate::storage::GATHERED;
use mainstay_basic_files::Result;
use mainstay_store::{Durability, Isolation, Store, Transaction};
use std::sync::Arc;
use std::time::Duration;

/// The open transaction of a session, which channels and SQL statements share.
pub trait TransactionScope: Send + Sync {
    /// True if the session has a transaction open.
    fn is_open(&self) -> bool;

    /// Does work in the open transaction; nothing when none is open.
    fn within(&self, work: &mut dyn FnMut(&mut Transaction));
}

/// How long a change waits for a row that another transaction has changed.
const WAIT: Duration = Duration::from_secs(1);

/// The transactions of a channel.
pub(crate) struct Transactions {
    store: Arc<Store>,
    durability: Durability,
    scope: Option<Arc<dyn TransactionScope>>,
    reading: Transaction,
    /// Has the transaction that gathers the changes of a file that the session has alone.
    shared: Arc<SharedFile>,
}

impl Transactions {
    pub(crate) fn new(
        store: &Arc<Store>,
        durability: Durability,
        scope: Option<Arc<dyn TransactionScope>>,
        shared: Arc<SharedFile>,
    ) -> Transactions {
        let reading = store.begin(Isolation::ReadCommitted);
        Transactions { store: Arc::clone(store), durability, scope, reading, shared }
    }

    /// True if the session has a transaction open, whose changes the channel does not count.
    #[inline]
    pub(crate) fn is_in_scope(&self) -> bool {
        self.scope.as_ref().is_some_and(|scope| scope.is_open())
    }

    /// Begins a transaction for changes.
    pub(crate) fn begin(&self, wait: Option<Duration>) -> Transaction {
        let mut transaction = self.store.begin(Isolation::ReadCommitted);
        transaction.set_durability(self.durability);
        transaction.set_lock_timeout(wait);
        transaction.set_statement("a statement of a Business BASIC program");
        transaction
    }

    /// One for a single change.
    pub(crate) fn begin_change(&self) -> Transaction {
        self.begin(Some(WAIT))
    }

    /// Reads in one statement of the transaction that sees what the channel should see.
    #[inline]
    pub(crate) fn read<T>(&mut self, work: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        if self.is_in_scope() {
            return self.in_scope(work);
        }
        if self.shared.is_alone() {
            let mut gathered = self.shared.gathered();
            if let Some(transaction) = &mut gathered.transaction {
                return in_statement(transaction, work);
            }
        }
        in_statement(&mut self.reading, work)
    }

    /// Works in the session's open transaction.
    pub(crate) fn in_scope<T>(&mut self, work: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let (mut work, mut outcome) = (Some(work), None);
        if let Some(scope) = &self.scope {
            scope.within(&mut |transaction| {
                outcome = work.take().map(|work| in_statement(transaction, work));
            });
        }
        match (outcome, work) {
            (Some(outcome), _) => outcome,
            // It was ended meanwhile.
            (None, Some(work)) => in_statement(&mut self.reading, work),
            (None, None) => Err(crate::storage::missing()),
        }
    }

    /// Changes a file that the session has alone: the change is committed with others, after [`GATHERED`] of them at the
    /// latest.
    pub(crate) fn gather<T>(&self, work: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let mut gathered = self.shared.gathered();
        let transaction = gathered.transaction.get_or_insert_with(|| self.begin_change());
        let outcome = in_statement(transaction, work);
        gathered.changes += 1;
        if gathered.changes >= GATHERED {
            commit(&mut gathered)?;
        }
        outcome
    }

    /// True if changes are gathered that are not committed yet.
    pub(crate) fn has_gathered(&self) -> bool {
        self.shared.is_alone() && self.shared.gathered().transaction.is_some()
    }

    /// Commits what was gathered.
    pub(crate) fn commit(&self) -> Result<()> {
        if self.shared.is_alone() { commit(&mut self.shared.gathered()) } else { Ok(()) }
    }
}

/// Commits gathered changes.
///
/// Errors: those of the commit.
pub(crate) fn commit(gathered: &mut Gathered) -> Result<()> {
    gathered.changes = 0;
    match gathered.transaction.take() {
        Some(transaction) => Ok(transaction.commit().map(|_| ())?),
        None => Ok(()),
    }
}

/// Does work as one statement.
#[inline]
pub(crate) fn in_statement<T>(
    transaction: &mut Transaction,
    work: impl FnOnce(&mut Transaction) -> Result<T>,
) -> Result<T> {
    let outcome = work(transaction);
    let ended = transaction.end_statement();
    let done = outcome?;
    ended?;
    Ok(done)
}
