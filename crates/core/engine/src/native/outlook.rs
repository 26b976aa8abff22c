//! The snapshot and catalog of a session's running statement, for the session in which its functions run.

use super::Scope;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The rows and the catalog that the running statement of a session sees.
///
/// [`Session::outlook`](crate::Session::outlook) gives that of a session, and
/// [`Session::read_beside`](crate::Session::read_beside) lets another session read by it.
#[derive(Default)]
pub struct Outlook {
    pub(super) rows: Arc<mainstay_store::Outlook>,
    /// The catalog, while the transaction has changed it.
    scope: Mutex<Option<Scope>>,
    has_scope: AtomicBool,
}

impl std::fmt::Debug for Outlook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outlook")
    }
}

impl Outlook {
    /// Says what exists; nothing where that is what is committed.
    pub(super) fn set_scope(&self, scope: Option<Scope>) {
        if scope.is_none() && !self.has_scope.load(Ordering::Relaxed) {
            return;
        }
        self.has_scope.store(scope.is_some(), Ordering::Relaxed);
        *self.scope.lock().unwrap_or_else(PoisonError::into_inner) = scope.map(|scope| scope.shared());
    }

    /// The catalog of the transaction; `None` where it is the committed one.
    pub(super) fn scope(&self) -> Option<Scope> {
        match self.has_scope.load(Ordering::Relaxed) {
            true => self.scope.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            false => None,
        }
    }
}

/// The outlook by which a session reads.
pub(super) struct Beside {
    pub(super) outlook: Arc<Outlook>,
    /// True if it sees what the other one's statement does, and not what that one would see now.
    pub(super) is_of_statement: bool,
}
