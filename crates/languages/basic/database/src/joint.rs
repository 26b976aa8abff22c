//! The transactions of a program: one over its channels and its SQL statements.
//!
//! A session of the engine belongs to each session of Business BASIC. While a transaction of it is open, everything goes through it:
//!
//! ```text
//!   keyed files        within()          the native part of the transaction, by the scope of `basic-tables`
//!   tables             session()         statements of channels, locks of EXTRACT
//!   SQL statements     session()
//! ```
//!
//! SYSTEM_JRNL begins and ends transactions (manual, `directives/system_jrnl.md`). BEGIN is one transaction. AUTO OFF and BEGIN AUTO are
//! one after the other: the next begins with the next use of a channel. Where the manual is silent:
//!
//! | question | rule |
//! |---|---|
//! | BEGIN while a transaction is open | it goes on |
//! | SAVE and RESTORE without one | nothing happens |
//! | after SAVE and RESTORE | as before BEGIN: changes are committed one by one, unless AUTO OFF or BEGIN AUTO is in force |
//! | the end of a program | AUTO OFF and BEGIN AUTO commit, unless an error ends it; a BEGIN without SAVE is rolled back |

use mainstay_basic_files::{FileError, FileErrorKind, Result, SessionId, TransactionVerb};
use mainstay_basic_tables::{TableVolume, Transaction, TransactionScope, commit_gathered};
use mainstay_engine::{Database, Session};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The transactions of a session. See the module.
pub(crate) struct Joint {
    /// The files of the session. They have the scope of the session, and so this.
    files: Weak<TableVolume>,
    owner: SessionId,
    session: Mutex<Session>,
    mode: Mutex<Mode>,
    /// The mode is `Single`: every record that is read asks for it.
    is_single: AtomicBool,
}

/// How transactions begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Each change is a commit.
    Single,
    /// BEGIN, and the mode to which SAVE and RESTORE go back.
    Begun(Chained),
    /// One after the other.
    Chained(Chained),
}

/// The transactions that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chained {
    /// None.
    No,
    /// AUTO OFF.
    ToTheEnd,
    /// BEGIN AUTO.
    ToTheNextWait,
}

impl Chained {
    fn mode(self) -> Mode {
        match self {
            Chained::No => Mode::Single,
            chained => Mode::Chained(chained),
        }
    }
}

/// 15: the database refuses a transaction.
fn refused(error: mainstay_types::Error) -> FileError {
    FileError::new(FileErrorKind::OperatingSystem, error.to_string())
}

impl Joint {
    pub(crate) fn new(database: &Database, files: &Arc<TableVolume>, owner: SessionId) -> Joint {
        Joint {
            files: Arc::downgrade(files),
            owner,
            session: Mutex::new(database.session()),
            mode: Mutex::new(Mode::Single),
            is_single: AtomicBool::new(true),
        }
    }

    /// The session, for statements.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mode(&self) -> MutexGuard<'_, Mode> {
        self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a transaction is open. Where they follow each other, the next one begins here.
    pub(crate) fn is_open(&self) -> bool {
        if self.is_single.load(Ordering::Acquire) {
            return false;
        }
        match *self.mode() {
            Mode::Single => false,
            // The database ends it for a deadlock.
            Mode::Begun(_) => self.session().is_in_transaction(),
            // A failure shows in the statement that comes.
            Mode::Chained(_) => {
                let mut session = self.session();
                session.is_in_transaction() || session.begin().is_ok()
            }
        }
    }

    /// Commits what the session's channels have gathered, before a statement that may change the same rows.
    ///
    /// Errors: those of the commit.
    pub(crate) fn commit_gathered(&self) -> Result<()> {
        match self.files.upgrade() {
            Some(files) => commit_gathered(&files, self.owner),
            None => Ok(()),
        }
    }

    /// Begins or ends a transaction.
    pub(crate) fn transaction(&self, verb: TransactionVerb) -> Result<()> {
        let mut mode = self.mode();
        let (before, mut session) = (*mode, self.session());
        let is_open = session.is_in_transaction();
        let chained = match before {
            Mode::Single => Chained::No,
            Mode::Begun(chained) | Mode::Chained(chained) => chained,
        };
        let (next, ends) = match verb {
            TransactionVerb::Begin => (Mode::Begun(chained), None),
            TransactionVerb::AutoOff => (Mode::Chained(Chained::ToTheEnd), None),
            TransactionVerb::BeginAuto => (Mode::Chained(Chained::ToTheNextWait), None),
            TransactionVerb::AutoOn => (Mode::Single, Some(true)),
            TransactionVerb::Save => (chained.mode(), Some(true)),
            TransactionVerb::Restore => (chained.mode(), Some(false)),
            TransactionVerb::Idle if before == Mode::Chained(Chained::ToTheNextWait) => (before, Some(true)),
            TransactionVerb::Idle => (before, None),
            TransactionVerb::End(succeeded) => (Mode::Single, Some(succeeded && matches!(before, Mode::Chained(_)))),
            TransactionVerb::Close => (Mode::Single, Some(false)),
        };
        *mode = next;
        self.is_single.store(next == Mode::Single, Ordering::Release);
        match ends {
            Some(true) if is_open => session.commit().map_err(refused),
            Some(false) if is_open => session.rollback().map_err(refused),
            None if verb == TransactionVerb::Begin && !is_open => session.begin().map_err(refused),
            _ => Ok(()),
        }
    }
}

impl TransactionScope for Joint {
    fn is_open(&self) -> bool {
        Joint::is_open(self)
    }

    fn within(&self, work: &mut dyn FnMut(&mut Transaction)) {
        self.session().with_native_transaction(work);
    }
}
